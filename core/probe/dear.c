/* SPDX-License-Identifier: MIT */
#include "core/probe/dear.h"

#include "core/probe/sight-private.h"
#include "core/probe/tokens.h"

#include <math.h>

static size_t compared(size_t hidden)
{
    return MIN(hidden, NS_SIMILARITY_STATES);
}

/* The number of the i-th state that is compared. */
static size_t compared_state(size_t hidden, size_t i)
{
    size_t n = compared(hidden);
    return n < 2 ? 0 : (i * (hidden - 1) + (n - 1) / 2) / (n - 1);
}

NsDear *ns_dear_new(NsModel *model, const NsSettings *s, const NsRecordLayout *layout,
                    GError **error)
{
    bool two = layout->hidden > layout->layers + 1;
    size_t T = (size_t)s->seq, S = MAX(T, (size_t)ns_settings_source_seq(s));
    size_t D = (size_t)s->d_model, F = (size_t)ns_settings_d_ff(s);
    size_t n = compared(layout->hidden), tokens = MIN(S * (size_t)s->batch, NS_SIMILARITY_TOKENS);
    NsDear *dear = g_new0(NsDear, 1);
    dear->layout = *layout;
    dear->first_stack = two ? (size_t)ns_settings_encoder_layers(s) : layout->layers;
    dear->B = (size_t)s->batch;
    dear->D = D;
    dear->team = ns_model_team(model);
    dear->work_size = MAX(S * S, F);
    size_t members = ns_team_threads(dear->team);
    dear->sources = g_new0(NsStateSource, layout->hidden);
    dear->sums = g_new(double, members *D);
    dear->heads = g_new(NsHeadMeasure, members * layout->heads);
    dear->rows = g_new(const ns_real *, n *NS_SIMILARITY_TOKENS);
    dear->norms = g_new(double, n *NS_SIMILARITY_TOKENS);
    dear->sight = g_new0(NsSight, 1);
    dear->sight->queries = dear->sight->keys = MIN(S, NS_SIGHT_POSITIONS);
    ns_sight_choose(dear->sight, layout->layers, layout->heads);

    dear->sweep = ns_sweep_new(model, s, error);
    if (dear->sweep) dear->work = ns_real_new(members * dear->work_size, "probes", error);
    if (dear->work)
        dear->grams = ns_real_new(ns_similarity_scratch(n, tokens, D), "layer similarity", error);
    if (dear->grams) return dear;
    ns_dear_free(dear);
    return NULL;
}

void ns_dear_free(NsDear *dear)
{
    if (!dear) return;
    ns_sweep_free(dear->sweep);
    ns_real_free(dear->work);
    ns_real_free(dear->grams);
    g_free(dear->sources);
    g_free(dear->sums);
    g_free(dear->heads);
    g_free(dear->rows);
    g_free(dear->norms);
    g_free(dear->sight);
    g_free(dear);
}

/* ---- Attention and feed-forward ---- */

typedef struct {
    NsQuantity entropy, entropy_min, logit, head_entropy, head_logit;
} AttentionQuantities;

static void put_heads(const NsDear *dear, float *values, const AttentionQuantities *q,
                      const NsHeadMeasure *heads, size_t layer)
{
    const NsRecordLayout *layout = &dear->layout;
    size_t H = layout->heads;
    double entropy = 0, least = (double)INFINITY, logit = 0;
    for (size_t h = 0; h < H; h++) {
        double e = (double)heads[h].entropy, l = (double)heads[h].logit;
        entropy += e / (double)H;
        least = e < least || isnan(e) ? e : least;
        logit = l > logit || isnan(l) ? l : logit;
        values[layout->offset[q->head_entropy] + layer * H + h] = heads[h].entropy;
        if (layout->count[q->head_logit])
            values[layout->offset[q->head_logit] + layer * H + h] = heads[h].logit;
    }
    bool blank = ns_is_blank(heads[0].entropy);
    values[layout->offset[q->entropy] + layer] = blank ? ns_blank() : (float)entropy;
    values[layout->offset[q->entropy_min] + layer] = blank ? ns_blank() : (float)least;
    if (layout->count[q->logit]) values[layout->offset[q->logit] + layer] = (float)logit;
}

/* What the members of a team need to fill a part of a record in. */
typedef struct {
    NsDear *dear;
    const NsModel *model;
    float *values;
    size_t first; /* sub-layer */
} Filling;

static void fill_sublayer(void *data, size_t i, unsigned member)
{
    const Filling *filling = data;
    NsDear *dear = filling->dear;
    const NsModel *model = filling->model;
    float *values = filling->values;
    size_t sublayer = filling->first + i;
    static const AttentionQuantities attention = {
        NS_QUANTITY_ENTROPY_ATTENTION, NS_QUANTITY_ENTROPY_MIN_ATTENTION,
        NS_QUANTITY_LOGIT_ATTENTION, NS_QUANTITY_HEAD_ENTROPY_ATTENTION,
        NS_QUANTITY_HEAD_LOGIT_ATTENTION};
    static const AttentionQuantities cross = {
        NS_QUANTITY_ENTROPY_CROSS, NS_QUANTITY_ENTROPY_MIN_CROSS, NS_QUANTITY_LOGIT_CROSS,
        NS_QUANTITY_HEAD_ENTROPY_CROSS, NS_QUANTITY_HEAD_LOGIT_CROSS};
    NsTap tap = ns_model_tap(model, 0, sublayer);
    ns_real *work = dear->work + member * dear->work_size;
    if (tap.kind == NS_FFN) {
        if (dear->layout.count[NS_QUANTITY_DEAD_RELU])
            values[dear->layout.offset[NS_QUANTITY_DEAD_RELU] + tap.layer] =
                ns_dead_units(model, sublayer, work);
        return;
    }
    ns_sight_attention(dear->sight, model, sublayer);
    NsHeadMeasure *heads = dear->heads + member * dear->layout.heads;
    ns_heads_measure(heads, model, sublayer, work);
    put_heads(dear, values, tap.kind == NS_CROSS_ATTENTION ? &cross : &attention, heads, tap.layer);
}

/* All sub-layers at once, or layer by layer where only one at a time can be in memory. */
static void fill_sublayers(NsDear *dear, NsModel *model, float *values)
{
    size_t n = ns_model_sublayers(model);
    bool all = ns_model_keeps(model);
    for (size_t first = 0, end = n; first < n; first = end) {
        size_t layer = ns_model_tap(model, 0, first).layer;
        if (!all) {
            ns_model_revisit(model, layer);
            for (end = first; end < n && ns_model_tap(model, 0, end).layer == layer;) end++;
        }
        ns_team_each(dear->team, end - first, fill_sublayer,
                     &(Filling){dear, model, values, first});
    }
}

/* ---- Similarity ---- */

/* Whether the k-th of n tokens is among the `most` that stand for all, evenly spread. */
static bool is_chosen(size_t k, size_t n, size_t most)
{
    return n <= most || (k + 1) * most / n > k * most / n;
}

/* Where the tokens of a state lie; the same ones for every state of a stack. */
static size_t find_rows(const NsModel *model, const NsStateSource *source, const ns_real **rows)
{
    size_t n = 0, k = 0, taken = 0, shards = ns_model_shards(model);
    for (size_t shard = 0; shard < shards; shard++) {
        NsStateView view = ns_state_view(model, source, shard);
        for (size_t b = 0; b < view.B; b++) n += (size_t)view.length[b];
    }
    for (size_t shard = 0; shard < shards; shard++) {
        NsStateView view = ns_state_view(model, source, shard);
        for (size_t b = 0; b < view.B; b++)
            for (size_t t = 0; t < (size_t)view.length[b]; t++, k++)
                if (is_chosen(k, n, NS_SIMILARITY_TOKENS))
                    rows[taken++] = view.x + (b * view.T + t) * view.D;
    }
    return taken;
}

static void fill_similarity(NsDear *dear, const NsRecordInput *input)
{
    size_t hidden = dear->layout.hidden, n = compared(hidden);
    unsigned stack[NS_SIMILARITY_STATES];
    NsSimilarityInput in = {.n = n,
                            .D = (size_t)input->settings->d_model,
                            .stack = stack,
                            .rows = dear->rows,
                            .team = dear->team,
                            .scratch = dear->grams,
                            .norms = dear->norms};
    for (size_t i = 0; i < n; i++) {
        size_t state = compared_state(hidden, i);
        const NsStateSource *source = &dear->sources[state];
        dear->similarity.state[i] = (unsigned)state;
        stack[i] = source->stack;
        in.tokens[source->stack] =
            find_rows(input->model, source, dear->rows + i * NS_SIMILARITY_TOKENS);
    }
    dear->similarity.step = input->step;
    ns_similarity_measure(&dear->similarity, &in);
}

static void fill_state(void *data, size_t i, unsigned member)
{
    (void)member;
    const Filling *filling = data;
    NsDear *dear = filling->dear;
    size_t state = compared_state(dear->layout.hidden, i);
    dear->sight->state[i] = (unsigned)state;
    ns_sight_tokens(dear->sight, i, filling->model, &dear->sources[state]);
}

static void fill_sight(NsDear *dear, const NsRecordInput *input)
{
    size_t n = compared(dear->layout.hidden);
    dear->sight->step = input->step;
    dear->sight->states = n;
    ns_team_each(dear->team, n, fill_state, &(Filling){.dear = dear, .model = input->model});
}

/* ---- All of it ---- */

static void fill_mean_gradients(const NsDear *dear, const NsTensorTable *table, float *values)
{
    const NsRecordLayout *layout = &dear->layout;
    static const struct {
        NsRole role;
        NsQuantity quantity;
    } shown[] = {{NS_ROLE_WV, NS_QUANTITY_MEAN_GRAD_WV},
                 {NS_ROLE_W1, NS_QUANTITY_MEAN_GRAD_W1},
                 {NS_ROLE_W2, NS_QUANTITY_MEAN_GRAD_W2}};
    float *layers = values + layout->offset[NS_QUANTITY_MEAN_GRAD_LAYER];
    double square = 0; /* of a layer, whose tensors stand side by side in the table */
    for (size_t i = 0; i < table->n; i++) {
        int layer = table->tensors[i].layer;
        if (layer < 0) continue;
        square += dear->sweep->mean_sq[i];
        if (i + 1 < table->n && table->tensors[i + 1].layer == layer) continue;
        layers[layer] = (float)sqrt(square);
        square = 0;
    }
    for (size_t i = 0; i < table->n; i++)
        for (size_t k = 0; k < G_N_ELEMENTS(shown); k++)
            if (table->tensors[i].role == shown[k].role)
                values[layout->offset[shown[k].quantity] + (size_t)table->tensors[i].layer] =
                    (float)sqrt(dear->sweep->mean_sq[i]);
    if (layout->count[NS_QUANTITY_NOISE_SCALE])
        values[layout->offset[NS_QUANTITY_NOISE_SCALE]] = ns_sweep_noise_scale(dear->sweep);
}

static void fill_cosine(void *data, size_t i, unsigned member)
{
    const Filling *filling = data;
    NsDear *dear = filling->dear;
    filling->values[dear->layout.offset[NS_QUANTITY_TOKEN_COSINE] + i] =
        ns_token_cosine(filling->model, &dear->sources[i], dear->sums + member * dear->D);
}

void ns_dear_fill(NsDear *dear, const NsRecordInput *input, float *values)
{
    NsModel *model = input->model;
    const NsRecordLayout *layout = &dear->layout;
    ns_states_find(dear->sources, model, dear->first_stack);
    fill_mean_gradients(dear, ns_model_tensors(model), values);
    ns_team_each(dear->team, layout->hidden, fill_cosine, &(Filling){dear, model, values, 0});
    fill_sublayers(dear, model, values);
    fill_similarity(dear, input);
    fill_sight(dear, input);
}
