/* SPDX-License-Identifier: MIT */
#include "core/model/expected_norms.h"

#include "core/base/words.h"
#include "core/model/init.h"
#include "core/model/wiring.h"
#include "core/ops/activation.h"

#include <math.h>

/* Means over tokens and over pairs of different tokens, divided by the number of features. */
typedef struct {
    double square, pair;
} Moments;

/* What is common to the sub-layers of a model. */
typedef struct {
    const NsSettings *settings;
    const NsInit *init;
    double d, f;
} Model;

static Moments scaled(Moments x, double by)
{
    return (Moments){x.square * by, x.pair * by};
}

static Moments sum(Moments x, Moments y)
{
    return (Moments){x.square + y.square, x.pair + y.pair};
}

static Moments normalized(Moments x, const NsSettings *settings)
{
    return scaled(x, 1 / (x.square + settings->norm_eps));
}

/* ---- Attention ---- */

typedef struct {
    size_t keys;
    bool causal;
} Visible;

/* The mean share e / (e + m - 1) over the queries of a sequence. */
static double share_of_query(double e, Visible visible)
{
    if (!visible.causal) return e / (e + (double)visible.keys - 1);
    double total = 0;
    for (size_t m = 1; m <= visible.keys; m++) total += e / (e + (double)m - 1);
    return total / (double)visible.keys;
}

/* The same over pairs of different queries: the share of the product of their weights, over the
 * keys that both see, that falls on the same key.  With the causal mask the later of the two
 * queries sees m keys in m - 1 of the pairs. */
static double share_of_pair(double e, Visible visible)
{
    if (!visible.causal) return e / (e + (double)visible.keys - 1);
    double total = 0, pairs = 0;
    for (size_t m = 2; m <= visible.keys; m++) {
        total += (double)(m - 1) * e / (e + (double)m - 1);
        pairs += (double)(m - 1);
    }
    return pairs > 0 ? total / pairs : 1;
}

/* The moments of the weighted means of values, given the moments of queries and keys. */
static Moments mixed(Moments values, Moments queries, Moments keys, bool uniform, Visible visible)
{
    double spread = uniform ? 0 : keys.square - keys.pair, excess = values.square - values.pair;
    double query = share_of_query(exp(queries.square * spread), visible);
    double pair = share_of_pair(exp(queries.pair * spread), visible);
    return (Moments){values.pair + excess * query, values.pair + excess * pair};
}

static Moments attention(const Model *model, const NsSublayerWiring *s, Moments x, Moments memory)
{
    const NsSettings *settings = model->settings;
    bool uniform = settings->attention == NS_ATTENTION_UNIFORM;
    bool cross = s->position.kind == NS_CROSS_ATTENTION;
    NsInitFactors factors = ns_init_factors(model->init, &s->c, &s->position);
    double std = model->init->std(model->d, model->d) * settings->init_scale;
    double qk = model->d * pow(std * factors.qk, 2), ov = model->d * pow(std * factors.others, 2);
    Moments from = cross ? memory : x;
    Moments queries = scaled(x, qk), keys = scaled(from, qk), values = scaled(from, ov);
    if (s->c.qk != NS_QK_NONE) {
        queries = normalized(queries, settings);
        keys = normalized(keys, settings);
    }
    if (s->c.v) values = normalized(values, settings);
    Visible visible = {(size_t)(cross ? ns_settings_source_seq(settings) : settings->seq),
                       s->position.decoder && !cross};
    Moments y = mixed(values, queries, keys, uniform, visible);
    if (s->c.mid) y = normalized(y, settings);
    if (uniform) return y; /* uniform attention has no W_O */
    return scaled(y, model->init->scaled_residual ? ov / (2 * s->position.layers) : ov);
}

/* ---- The feed-forward network ---- */

/* The moments of ReLU(z) for z with the given moments (Cho and Saul 2009, eq. 6). */
static Moments rectified(Moments z)
{
    double cosine = CLAMP(z.pair / z.square, -1, 1);
    double kernel = sqrt(1 - cosine * cosine) + cosine * (G_PI - acos(cosine));
    return (Moments){z.square / 2, z.square * kernel / (2 * G_PI)};
}

static Moments feed_forward(const Model *model, const NsSublayerWiring *s, Moments x)
{
    const NsSettings *settings = model->settings;
    double factor = settings->init_scale * ns_init_factors(model->init, &s->c, &s->position).others;
    double up = model->d * pow(factor * model->init->std(model->f, model->d), 2);
    double down = model->f * pow(factor * model->init->std(model->d, model->f), 2);
    Moments z = scaled(x, up), hidden = rectified(z);
    if (s->c.mid) {
        /* LayerNorm subtracts the mean over the features, which is sqrt(z / 2 pi) for every
         * token. */
        double mean = s->c.norm == ns_norm(NS_NORM_LAYERNORM) ? z.square / (2 * G_PI) : 0;
        hidden = normalized((Moments){hidden.square - mean, hidden.pair - mean}, settings);
    }
    return scaled(hidden, model->init->scaled_residual ? down / (2 * s->position.layers) : down);
}

/* ---- Layers ---- */

static Moments sublayer(const Model *model, const NsSublayerWiring *s, Moments x, Moments layer,
                        Moments memory)
{
    const NsWiring *c = &s->c;
    Moments u = scaled(c->in ? normalized(x, model->settings) : x, c->s * c->s);
    Moments y = c->gain != NS_GAIN_NONE && !(c->gain_start > 0) ? (Moments){0}
                : s->position.kind == NS_FFN                    ? feed_forward(model, s, u)
                                                                : attention(model, s, u, memory);
    if (c->branch) y = normalized(y, model->settings);
    double b = c->gain == NS_GAIN_NONE ? c->b : c->b * c->gain_start;
    Moments out = sum(scaled(x, c->a * c->a), scaled(y, b * b));
    if (c->skip_layer) out = sum(out, layer);
    return c->out ? normalized(out, model->settings) : out;
}

void ns_expected_norms(const NsSettings *settings, const NsTokenMoments *start, double *square)
{
    Model model = {.settings = settings,
                   .init = ns_init((size_t)settings->init),
                   .d = (double)settings->d_model,
                   .f = (double)ns_settings_d_ff(settings)};
    NsStackWiring stacks[NS_STACKS_MAX];
    NsSublayerWiring sublayers[NS_LAYER_SUBLAYERS];
    Moments memory = {0};
    size_t n = ns_stacks_wiring(settings, NULL, stacks);
    for (size_t i = 0; i < n; i++) {
        Moments x = {start[i].square, start[i].square * start[i].cosine};
        *square++ = model.d * x.square;
        for (unsigned l = 0; l < stacks[i].layers; l++) {
            size_t count = ns_layer_wiring(settings, NULL, &stacks[i], l, sublayers);
            Moments layer = x;
            for (size_t k = 0; k < count; k++)
                x = sublayer(&model, &sublayers[k], x, layer, memory);
            *square++ = model.d * x.square;
        }
        memory = stacks[i].final_norm ? normalized(x, settings) : x;
    }
}

/* Whether attention reads states whose size no norm equalizes between tokens.  Then the first
 * tokens of a causal sequence, which see few keys, grow faster than the others, and large logits
 * favor a single key. */
static bool uneven(const NsSublayerWiring *s, const NsWiring *before)
{
    const NsWiring *c = &s->c;
    bool silent = before->gain != NS_GAIN_NONE && !(before->gain_start > 0);
    return s->position.kind != NS_FFN && !silent && !before->out && !c->in && !c->v && !c->branch &&
           !c->mid;
}

/* Maximum variance of logits of normalized states.  If it is larger, a single key takes most of the
 * attention, and the ratio of the mean numerator and the mean denominator of the weights is a bad
 * approximation. */
#define LOGIT_VARIANCE_MOST 2.0

static double logit_variance(const NsSettings *settings, const NsSublayerWiring *s)
{
    if (settings->attention == NS_ATTENTION_UNIFORM || s->c.qk != NS_QK_NONE) return 1;
    const NsInit *init = ns_init((size_t)settings->init);
    double d = (double)settings->d_model;
    double std =
        init->std(d, d) * settings->init_scale * ns_init_factors(init, &s->c, &s->position).qk;
    return pow(d * std * std, 2) * pow(s->c.s, 4);
}

static const char *layer_refused(const NsSettings *settings, const NsStackWiring *stack,
                                 unsigned layer, NsWiring *before)
{
    NsSublayerWiring sublayers[NS_LAYER_SUBLAYERS];
    size_t n = ns_layer_wiring(settings, NULL, stack, layer, sublayers);
    for (size_t k = 0; k < n; k++) {
        const NsNorm *norm = sublayers[k].c.norm;
        if (norm && (ns_norm_over_batch(norm) || g_str_equal(norm->choice.key, "dyt")))
            return _("No prediction: the theory covers only LayerNorm, RMSNorm and ScaleNorm.");
        if (sublayers[k].c.stream_gain)
            return _("No prediction: the factors of this placement are set by a profiling pass.");
        if (uneven(&sublayers[k], before))
            return _("No prediction: without norms the size of a state depends on its position.");
        if (sublayers[k].position.kind != NS_FFN &&
            logit_variance(settings, &sublayers[k]) > LOGIT_VARIANCE_MOST)
            return _("No prediction: with such large initial queries and keys a single key takes "
                     "most of the attention.");
        *before = sublayers[k].c;
    }
    return NULL;
}

const char *ns_expected_norms_refused(const NsSettings *settings)
{
    if (!g_str_equal(ns_activation_choice((size_t)settings->activation)->key, "relu"))
        return _("No prediction: the theory covers only the ReLU activation.");
    if (settings->weight_standardization == NS_TOGGLE_ON || settings->dropout > 0 ||
        settings->drop_path > 0)
        return _("No prediction: the theory covers neither dropout nor weight standardization.");
    NsStackWiring stacks[NS_STACKS_MAX];
    size_t n = ns_stacks_wiring(settings, NULL, stacks);
    for (size_t i = 0; i < n; i++) {
        NsWiring before = {.out = true}; /* the embeddings of all tokens have the same size */
        for (unsigned l = 0; l < stacks[i].layers; l++) {
            const char *why = layer_refused(settings, &stacks[i], l, &before);
            if (why) return why;
        }
    }
    return NULL;
}
