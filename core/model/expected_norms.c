/* SPDX-License-Identifier: MIT */
#include "core/model/expected_norms.h"

#include "core/base/words.h"
#include "core/model/init.h"
#include "core/model/wiring.h"
#include "core/ops/activation.h"

#include <math.h>

/* Products <x_i, x_j> / d of a token with itself, of two equal tokens, and of two unequal ones. */
enum { SELF, EQUAL, OTHER, KINDS };
typedef struct {
    double of[KINDS];
    double mean; /* the part of each that the mean over the features has */
} Moments;

/* The part that the sub-layers of a stack have in common. */
typedef struct {
    const NsSettings *settings;
    const NsInit *init;
    double d, f;
    const NsTokenMoments *tokens; /* of this stack, after those of the stack before */
} Model;

/* a x + b y, of uncorrelated x and y. */
static Moments sum(double a, Moments x, double b, Moments y)
{
    Moments z = {.mean = a * x.mean + b * y.mean};
    for (int k = 0; k < KINDS; k++) z.of[k] = a * x.of[k] + b * y.of[k];
    return z;
}

/* The product with a random matrix, whose features have no mean. */
static Moments multiplied(Moments x, double by)
{
    Moments z = sum(by, x, 0, x);
    z.mean = 0;
    return z;
}

static Moments normalized(Moments x, const NsNorm *norm, const NsSettings *settings)
{
    double mean = norm == ns_norm(NS_NORM_LAYERNORM) ? x.mean : 0;
    double by = 1 / (x.of[SELF] - mean + settings->norm_eps);
    Moments z = {.mean = (x.mean - mean) * by};
    for (int k = 0; k < KINDS; k++) z.of[k] = (x.of[k] - mean) * by;
    return z;
}

/* ---- Attention ---- */

/* The mean of sum_k p_k p'_k, where p and p' are softmaxes over n logits of this variance, and the
 * logits of one have this correlation with those of the other.  n need not be whole. */
static double shared(double n, double variance, double correlation)
{
    enum { NODES = 9 };
    static const double step = 0.75; /* between nodes, in standard deviations */
    if (n < 1 + 1e-6) return 1;
    if (!(variance > 0)) return 1 / n;
    /* p = 1 / (1 + exp -y) with y normal: a logit minus the logarithm of the others' sum. */
    double others = log1p(expm1(variance) / (n - 1));
    double mean = (others - variance) / 2 - log(n - 1), sd = sqrt(variance + others);
    double r = CLAMP(correlation, -1, 1), rest = sqrt(1 - r * r);
    int nodes = rest > 0 ? NODES : 1; /* of the second, given the first */
    double all = 0, first = 0, product = 0;
    for (int i = 0; i < NODES; i++) {
        double x = step * (i - NODES / 2), p = 1 / (1 + exp(-mean - sd * x)), second = 0, part = 0;
        for (int j = 0; j < nodes; j++) {
            double y = step * (j - nodes / 2), weight = exp(-y * y / 2);
            second += weight / (1 + exp(-mean - sd * (r * x + rest * y)));
            part += weight;
        }
        double weight = exp(-x * x / 2);
        all += weight;
        first += weight * p;
        product += weight * p * second / part;
    }
    return product / all / pow(first / all, 2) / n;
}

/* The values that a sub-layer of attention mixes, and their weights. */
typedef struct {
    Moments values, queries, keys;
    double equal; /* the share of pairs of equal keys */
    bool uniform;
} Mixing;

/* The mean product of two weighted means of m values; the queries are those of a pair of this
 * kind. */
static double mixed_over(const Mixing *s, double m, int kind)
{
    const double *v = s->values.of, *k = s->keys.of, *q = s->queries.of;
    double size = 1 + (m - 1) * s->equal, correlation = q[kind] / q[SELF];
    double classes = s->equal > 0 ? (1 - pow(1 - s->equal, m)) / s->equal : m;
    double uneven = MAX(log(classes * size / m), 0);
    double within = s->uniform ? 0 : q[SELF] * MAX(k[SELF] - k[EQUAL], 0);
    double between = s->uniform ? 0 : q[SELF] * MAX(k[EQUAL] - k[OTHER], 0);
    between += log1p(expm1(within) / size); /* the logarithm of the sum over a class varies, too */
    double all = between + uneven, equal = size / m;
    if (all > 0)
        equal *= shared(classes, all, (correlation * between + uneven) / all) /
                 shared(classes, uneven, 1);
    equal = MIN(equal, 1);
    double self = equal * shared(size, within, correlation);
    return v[OTHER] + (v[EQUAL] - v[OTHER]) * equal + (v[SELF] - v[EQUAL]) * self;
}

static Moments attention(const Model *model, const NsSublayerWiring *s, Moments x, Moments memory)
{
    const NsSettings *settings = model->settings;
    bool uniform = settings->attention == NS_ATTENTION_UNIFORM;
    bool cross = s->position.kind == NS_CROSS_ATTENTION;
    NsInitFactors factors = ns_init_factors(model->init, &s->c, &s->position);
    double kv_width = model->d * (double)ns_settings_kv_heads(settings) / (double)settings->heads;
    double ratio = ns_settings_width_ratio(settings);
    double std = ns_init_std(model->init, ratio, model->d, model->d) * settings->init_scale;
    double kv_std = ns_init_std(model->init, ratio, kv_width, model->d) * settings->init_scale;
    double out = model->d * pow(std * factors.others, 2);
    Moments from = cross ? memory : x;
    const NsTokenMoments *keys = cross ? model->tokens - 1 : model->tokens;
    Mixing mixing = {.values = multiplied(from, model->d * pow(kv_std * factors.others, 2)),
                     .queries = multiplied(x, model->d * pow(std * factors.qk, 2)),
                     .keys = multiplied(from, model->d * pow(kv_std * factors.qk, 2)),
                     .equal = keys->equal,
                     .uniform = uniform};
    if (s->c.qk != NS_QK_NONE) {
        mixing.queries = normalized(mixing.queries, s->c.norm, settings);
        mixing.keys = normalized(mixing.keys, s->c.norm, settings);
    }
    if (s->c.v) mixing.values = normalized(mixing.values, s->c.norm, settings);
    /* The moments of the weighted means of `tokens` values; causal: the mean over the positions,
     * where a query sees m keys, and the later one of m - 1 pairs does. */
    Moments y = {0};
    for (int kind = 0; kind < KINDS; kind++) {
        if (!(s->position.decoder && !cross)) {
            y.of[kind] = mixed_over(&mixing, keys->tokens, kind);
            continue;
        }
        double all = 0;
        /* The middle of each eighth of the size of m stands for all m in it. */
        for (double m = kind == SELF ? 1 : 2, next; m < keys->tokens + 0.5; m = next) {
            next = MIN(m + MAX(1, floor(m / 8)), MAX(floor(keys->tokens + 0.5), m) + 1);
            double middle = (m + next - 1) / 2;
            double weight = (next - m) * (kind == SELF ? 1 : middle - 1);
            y.of[kind] += weight * mixed_over(&mixing, middle, kind);
            all += weight;
        }
        y.of[kind] = all > 0 ? y.of[kind] / all : mixing.values.of[kind];
    }

    if (s->c.mid) y = normalized(y, s->c.norm, settings);
    if (uniform) return y; /* uniform attention has no W_O */
    return multiplied(y, model->init->scaled_residual ? out / (2 * s->position.layers) : out);
}

/* ---- The feed-forward network ---- */

/* The moments of ReLU(z) for z with the given moments (Cho and Saul 2009, eq. 6); the mean over the
 * features is sqrt(z / 2 pi) for every token. */
static Moments rectified(Moments z)
{
    Moments y = {.mean = z.of[SELF] / (2 * G_PI)};
    for (int k = 0; k < KINDS; k++) {
        double cosine = CLAMP(z.of[k] / z.of[SELF], -1, 1);
        double kernel = sqrt(1 - cosine * cosine) + cosine * (G_PI - acos(cosine));
        y.of[k] = y.mean * kernel;
    }
    return y;
}

static Moments feed_forward(const Model *model, const NsSublayerWiring *s, Moments x)
{
    const NsSettings *settings = model->settings;
    double factor = settings->init_scale * ns_init_factors(model->init, &s->c, &s->position).others;
    double ratio = ns_settings_width_ratio(settings);
    double up = model->d * pow(factor * ns_init_std(model->init, ratio, model->f, model->d), 2);
    double down = model->f * pow(factor * ns_init_std(model->init, ratio, model->d, model->f), 2);
    Moments hidden = rectified(multiplied(x, up));
    if (s->c.mid) hidden = normalized(hidden, s->c.norm, settings);
    return multiplied(hidden,
                      model->init->scaled_residual ? down / (2 * s->position.layers) : down);
}

/* ---- Layers ---- */

/* The mean over positions t and t' of the product of their sinusoids, and of the squares of the
 * mean over the features, both per feature; from a sample of frequencies and positions. */
static void sinusoids(double tokens, double *product, double *mean)
{
    enum { FREQUENCIES = 128, POSITIONS = 64 };
    double n = CLAMP(floor(tokens), 1, POSITIONS), all = 0;
    *product = 0;
    for (int k = 0; k < FREQUENCIES; k++) {
        double rate = pow(10000, -(k + 0.5) / FREQUENCIES), sine = 0, cosine = 0;
        for (double i = 0; i < n; i++) {
            sine += sin(i * tokens / n * rate) / n;
            cosine += cos(i * tokens / n * rate) / n;
        }
        all += (sine + cosine) / (2 * FREQUENCIES);
        *product += (sine * sine + cosine * cosine) / (2 * FREQUENCIES);
    }
    *mean = all * all;
    /* Without the pairs of a position with itself. */
    if (tokens > 1) *product = MAX(*product - 0.5 / n, 0) * n / (n - 1);
}

void ns_expected_norms(const NsSettings *settings, const NsTokenMoments *start, double *square)
{
    Model model = {.settings = settings,
                   .init = ns_init((size_t)settings->init),
                   .d = (double)settings->d_model,
                   .f = (double)ns_settings_d_ff(settings),
                   .tokens = start};
    NsStackWiring stacks[NS_STACKS_MAX];
    NsSublayerWiring sublayers[NS_LAYER_SUBLAYERS];
    Moments memory = {0};
    size_t n = ns_stacks_wiring(settings, NULL, stacks);
    for (size_t i = 0; i < n; i++, model.tokens++) {
        /* The input of a stack: embeddings that are independent for unequal tokens, and positions.
         */
        NsSublayerWiring first[NS_LAYER_SUBLAYERS];
        ns_layer_wiring(settings, NULL, &stacks[i], 0, first);
        bool tied = settings->tie_embeddings == NS_TOGGLE_ON;
        NsEmbeddingInit init =
            ns_init_embedding(model.init, ns_placement_at(settings, 0, stacks[i].layers),
                              &first[0].position, model.d, tied);
        double token = pow(init.token, 2), position = 0, product = 0, mean = 0;
        if (settings->scale_embeddings == NS_TOGGLE_ON) token *= model.d;
        if (settings->positions == NS_POSITIONS_LEARNED) position = pow(init.position, 2);
        if (settings->positions == NS_POSITIONS_SINUSOIDAL) {
            position = 0.5;
            sinusoids(model.tokens->tokens, &product, &mean);
        }
        Moments sums = {{token + position, token + product, product}, mean};
        if (stacks[i].embedding_norm) sums = normalized(sums, stacks[i].norm, settings);
        double by = model.tokens->square / sums.of[SELF];
        Moments x = sum(by, sums, 0, sums);
        *square++ = model.d * x.of[SELF];
        for (unsigned l = 0; l < stacks[i].layers; l++) {
            size_t count = ns_layer_wiring(settings, NULL, &stacks[i], l, sublayers);
            Moments layer = x;
            for (size_t k = 0; k < count; k++) {
                const NsWiring *c = &sublayers[k].c;
                Moments u = c->in ? normalized(x, c->norm, model.settings) : x;
                u = sum(c->s * c->s, u, 0, u);
                Moments y = c->gain != NS_GAIN_NONE && !(c->gain_start > 0) ? (Moments){0}
                            : sublayers[k].position.kind == NS_FFN
                                ? feed_forward(&model, &sublayers[k], u)
                                : attention(&model, &sublayers[k], u, memory);
                if (c->branch) y = normalized(y, c->norm, model.settings);
                double b = c->gain == NS_GAIN_NONE ? c->b : c->b * c->gain_start;
                Moments out = sum(c->a * c->a, x, b * b, y);
                if (c->skip_layer) out = sum(1, out, 1, layer);

                x = c->out ? normalized(out, c->norm, model.settings) : out;
            }
            *square++ = model.d * x.of[SELF];
        }
        memory = stacks[i].final_norm ? normalized(x, stacks[i].norm, settings) : x;
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
    double kv_width = d * (double)ns_settings_kv_heads(settings) / (double)settings->heads;
    double factor = settings->init_scale * ns_init_factors(init, &s->c, &s->position).qk;
    double ratio = ns_settings_width_ratio(settings);
    double squares = pow(factor * ns_init_std(init, ratio, d, d), 2) *
                     pow(factor * ns_init_std(init, ratio, kv_width, d), 2);
    return d * d * squares * pow(s->c.s, 4);
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
    if (settings->tie_layers == NS_TOGGLE_ON)
        return _(
            "No prediction: the theory assumes that the weights of all layers are independent.");
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
