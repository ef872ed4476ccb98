/* SPDX-License-Identifier: MIT */
#include "core/probe/expensive.h"

#include "core/base/squares.h"
#include "core/ops/residual.h"
#include "core/probe/spectrum.h"
#include "core/probe/token_snapshot-private.h"

#include <math.h>

static size_t compared(size_t hidden)
{
    return MIN(hidden, NS_SIMILARITY_STATES);
}

/* The index of the i-th state that is compared. */
static size_t compared_state(size_t hidden, size_t i)
{
    size_t n = compared(hidden);
    return n < 2 ? 0 : ns_evenly_spread(i, n, hidden);
}

/* The quantities of NS_QUANTITIES_OF_MATRIX for one parameter. */
typedef struct {
    NsParameterKind parameter;
    NsQuantity weight, singular, stable_rank, cosine;
} MatrixQuantities;

#define OF_MATRIX(P)                                                                               \
    {                                                                                              \
        NS_PARAMETER_##P, NS_QUANTITY_WEIGHT_##P, NS_QUANTITY_SINGULAR_##P,                        \
            NS_QUANTITY_STABLE_RANK_##P, NS_QUANTITY_GRAD_COSINE_##P                               \
    }

/* NULL for a tensor without such quantities. */
static const MatrixQuantities *matrix_of(const NsTensor *tensor)
{
    static const MatrixQuantities matrices[] = {OF_MATRIX(WQ), OF_MATRIX(WK), OF_MATRIX(WV),
                                                OF_MATRIX(WO), OF_MATRIX(W1), OF_MATRIX(W2)};
    for (size_t i = 0; i < G_N_ELEMENTS(matrices); i++)
        if (tensor->parameter == matrices[i].parameter) return &matrices[i];
    return NULL;
}

NsExpensiveProbes *ns_expensive_probes_new(NsModel *model, const NsSettings *s,
                                           const NsRecordLayout *layout, GError **error)
{
    size_t T = (size_t)s->seq, S = MAX(T, (size_t)ns_settings_source_seq(s));
    size_t D = (size_t)s->d_model, F = (size_t)ns_settings_d_ff(s);
    /* The largest number of tokens at which two states are compared, with sequences of at most S.
     */
    size_t all = MAX(S * (size_t)ns_settings_batch(s), (size_t)s->batch_tokens);
    size_t n = compared(layout->hidden), tokens = MIN(all, NS_SIMILARITY_TOKENS);
    NsExpensiveProbes *probes = g_new0(NsExpensiveProbes, 1);
    probes->layout = *layout;
    probes->D = D;
    probes->team = ns_model_team(model);
    probes->work_size = MAX(S * S, F);
    size_t members = ns_team_threads(probes->team);
    probes->sources = g_new0(NsStateSource, layout->hidden);
    probes->sums = g_new(double, members *D);
    const NsTensorTable *table = ns_model_tensors(model);
    for (size_t i = 0; i < table->n; i++)
        if (matrix_of(&table->tensors[i]))
            probes->vectors_size =
                MAX(probes->vectors_size,
                    ns_singular_scratch(table->tensors[i].rows, table->tensors[i].cols));
    probes->vectors = g_new(double, members * probes->vectors_size);
    probes->heads = g_new(NsHeadMeasure, members * layout->heads);
    probes->rows = g_new(const ns_real *, n *NS_SIMILARITY_TOKENS);
    probes->norms = g_new(double, n *NS_SIMILARITY_TOKENS);
    probes->snapshot = g_new0(NsTokenSnapshot, 1);
    probes->snapshot->queries = probes->snapshot->keys = MIN(S, NS_TOKEN_SNAPSHOT_POSITIONS);
    ns_token_snapshot_choose(probes->snapshot, layout->layers, layout->heads, (size_t)s->layers);

    probes->batches = ns_probe_batches_new(model, s, error);
    if (probes->batches) probes->work = ns_real_new(members * probes->work_size, "probes", error);
    if (probes->work)
        probes->grams = ns_real_new(ns_similarity_scratch(n, tokens, D), "layer similarity", error);
    if (probes->grams) return probes;
    ns_expensive_probes_free(probes);
    return NULL;
}

void ns_expensive_probes_free(NsExpensiveProbes *probes)
{
    if (!probes) return;
    ns_probe_batches_free(probes->batches);
    ns_real_free(probes->work);
    ns_real_free(probes->grams);
    g_free(probes->sources);
    g_free(probes->sums);
    g_free(probes->vectors);
    g_free(probes->heads);
    g_free(probes->rows);
    g_free(probes->norms);
    g_free(probes->snapshot);
    g_free(probes);
}

/* ---- Attention and feed-forward ---- */

typedef struct {
    NsQuantity entropy, entropy_min, first_key, logit, head_entropy, head_first_key, head_logit;
} AttentionQuantities;

static void put_heads(const NsExpensiveProbes *probes, NsValues values,
                      const AttentionQuantities *q, const NsHeadMeasure *heads, size_t layer)
{
    const NsRecordLayout *layout = &probes->layout;
    size_t H = layout->heads;
    double entropy = 0, least = (double)INFINITY, first = 0, logit = 0;
    for (size_t h = 0; h < H; h++) {
        double e = (double)heads[h].entropy, l = (double)heads[h].logit;
        double f = (double)heads[h].first;
        entropy += e / (double)H;
        first += f / (double)H;
        least = e < least || isnan(e) ? e : least;
        logit = l > logit || isnan(l) ? l : logit;
        if (heads[h].has_entropy) {
            ns_record_put(layout, values, q->head_entropy, layer * H + h, e);
            ns_record_put(layout, values, q->head_first_key, layer * H + h, f);
        }
        if (heads[h].has_logit) ns_record_put(layout, values, q->head_logit, layer * H + h, l);
    }
    /* All heads have the same queries and keys, so a value exists for all of them or for none. */
    if (heads[0].has_entropy) {
        ns_record_put(layout, values, q->entropy, layer, entropy);
        ns_record_put(layout, values, q->entropy_min, layer, least);
        ns_record_put(layout, values, q->first_key, layer, first);
    }
    if (heads[0].has_logit) ns_record_put(layout, values, q->logit, layer, logit);
}

/* The data with which the members of a team fill in a part of a record. */
typedef struct {
    NsExpensiveProbes *probes;
    NsModel *model;
    NsValues values;
    size_t first; /* sub-layer */
} Filling;

static void fill_sizes(const Filling *filling, size_t sublayer, const NsActivationView *view)
{
    static const struct {
        NsSublayerKind kind;
        NsPlace place;
        NsQuantity quantities; /* the first of the three of the place */
    } places[] = {{NS_SELF_ATTENTION, NS_PLACE_INPUT, NS_QUANTITY_MEDIAN_LAYER},
                  {NS_SELF_ATTENTION, NS_PLACE_BRANCH, NS_QUANTITY_MEDIAN_QKV},
                  {NS_SELF_ATTENTION, NS_PLACE_LAST, NS_QUANTITY_MEDIAN_O},
                  {NS_FFN, NS_PLACE_BRANCH, NS_QUANTITY_MEDIAN_W1},
                  {NS_FFN, NS_PLACE_LAST, NS_QUANTITY_MEDIAN_W2}};
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        float sizes[3];
        bool no_w_o = view->kind == NS_SELF_ATTENTION && !view->Q; /* uniform attention */
        if (places[i].kind != view->kind || (no_w_o && places[i].place == NS_PLACE_LAST)) continue;
        ns_token_sizes(sizes, filling->model, sublayer, places[i].place);
        for (unsigned k = 0; k < 3; k++)
            ns_record_put(&filling->probes->layout, filling->values, places[i].quantities + k,
                          view->layer, (double)sizes[k]);
    }
}

static void fill_sublayer(void *data, size_t i, unsigned member)
{
    const Filling *filling = data;
    NsExpensiveProbes *probes = filling->probes;
    const NsModel *model = filling->model;
    NsValues values = filling->values;
    size_t sublayer = filling->first + i;
    static const AttentionQuantities attention = {
        NS_QUANTITY_ENTROPY_ATTENTION,      NS_QUANTITY_ENTROPY_MIN_ATTENTION,
        NS_QUANTITY_FIRST_KEY_ATTENTION,    NS_QUANTITY_LOGIT_ATTENTION,
        NS_QUANTITY_HEAD_ENTROPY_ATTENTION, NS_QUANTITY_HEAD_FIRST_KEY_ATTENTION,
        NS_QUANTITY_HEAD_LOGIT_ATTENTION};
    static const AttentionQuantities cross = {
        NS_QUANTITY_ENTROPY_CROSS,      NS_QUANTITY_ENTROPY_MIN_CROSS,
        NS_QUANTITY_FIRST_KEY_CROSS,    NS_QUANTITY_LOGIT_CROSS,
        NS_QUANTITY_HEAD_ENTROPY_CROSS, NS_QUANTITY_HEAD_FIRST_KEY_CROSS,
        NS_QUANTITY_HEAD_LOGIT_CROSS};
    NsActivationView view = ns_model_activation_view(model, 0, sublayer);
    ns_real *work = probes->work + member * probes->work_size;
    fill_sizes(filling, sublayer, &view);
    if (view.kind == NS_FFN) {
        if (probes->layout.count[NS_QUANTITY_DEAD_RELU])
            ns_record_put(&probes->layout, values, NS_QUANTITY_DEAD_RELU, view.layer,
                          (double)ns_dead_units(model, sublayer, work));
        return;
    }
    ns_token_snapshot_attention(probes->snapshot, model, sublayer);
    NsHeadMeasure *heads = probes->heads + member * probes->layout.heads;
    ns_heads_measure(heads, model, sublayer, work);
    put_heads(probes, values, view.kind == NS_CROSS_ATTENTION ? &cross : &attention, heads,
              view.layer);
}

/* ---- Similarity ---- */

/* Whether the k-th of n tokens is in an evenly spread sample of `most` tokens. */
static bool is_chosen(size_t k, size_t n, size_t most)
{
    return n <= most || (k + 1) * most / n > k * most / n;
}

/* Finds the features of the sampled tokens of a state and returns how many there are.  The sample
 * is the same for all states of a stack. */
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

static void fill_similarity(NsExpensiveProbes *probes, const NsRecordInput *input, NsValues values)
{
    size_t hidden = probes->layout.hidden, n = compared(hidden);
    unsigned stack[NS_SIMILARITY_STATES];
    double participation[NS_SIMILARITY_STATES];
    NsSimilarityInput in = {.n = n,
                            .D = (size_t)input->settings->d_model,
                            .stack = stack,
                            .rows = probes->rows,
                            .team = probes->team,
                            .scratch = probes->grams,
                            .norms = probes->norms,
                            .participation = participation};
    for (size_t i = 0; i < n; i++) {
        size_t state = compared_state(hidden, i);
        const NsStateSource *source = &probes->sources[state];
        probes->similarity.state[i] = (unsigned)state;
        stack[i] = source->stack;
        in.tokens[source->stack] =
            find_rows(input->model, source, probes->rows + i * NS_SIMILARITY_TOKENS);
    }
    probes->similarity.step = input->step;
    ns_similarity_measure(&probes->similarity, &in);
    for (size_t i = 0; i < n; i++)
        if (participation[i] != 0)
            ns_record_put(&probes->layout, values, NS_QUANTITY_PARTICIPATION,
                          probes->similarity.state[i], participation[i]);
}

static void fill_state(void *data, size_t i, unsigned member)
{
    (void)member;
    const Filling *filling = data;
    NsExpensiveProbes *probes = filling->probes;
    size_t state = compared_state(probes->layout.hidden, i);
    probes->snapshot->state[i] = (unsigned)state;
    ns_token_snapshot_tokens(probes->snapshot, i, filling->model, &probes->sources[state]);
}

static void fill_snapshot(NsExpensiveProbes *probes, const NsRecordInput *input)
{
    size_t n = compared(probes->layout.hidden);
    probes->snapshot->step = input->step;
    probes->snapshot->states = n;
    ns_token_snapshot_sequence(probes->snapshot, input->corpus, input->batch);
    ns_token_snapshot_translation(probes->snapshot, input->corpus, input->batch,
                                  input->translation);
    ns_team_each(probes->team, n, fill_state, &(Filling){.probes = probes, .model = input->model});
}

/* ---- All quantities ---- */

static void fill_mean_gradients(const NsExpensiveProbes *probes, const NsTensorTable *table,
                                NsValues values)
{
    const NsRecordLayout *layout = &probes->layout;
    static const struct {
        NsParameterKind parameter;
        NsQuantity quantity;
    } shown[] = {{NS_PARAMETER_WV, NS_QUANTITY_MEAN_GRAD_WV},
                 {NS_PARAMETER_W1, NS_QUANTITY_MEAN_GRAD_W1},
                 {NS_PARAMETER_W2, NS_QUANTITY_MEAN_GRAD_W2}};
    double square = 0; /* of a layer, whose tensors are adjacent in the table */
    for (size_t i = 0; i < table->n; i++) {
        int layer = table->tensors[i].layer;
        if (layer < 0) continue;
        square += probes->batches->mean_sq[i];
        if (i + 1 < table->n && table->tensors[i + 1].layer == layer) continue;
        for (size_t l = 0; l < table->tensors[i].layers; l++)
            ns_record_put(layout, values, NS_QUANTITY_MEAN_GRAD_LAYER, (size_t)layer + l,
                          sqrt(square));
        square = 0;
    }
    for (const NsTensor *t = table->tensors; t < table->tensors + table->n; t++)
        for (size_t k = 0; k < G_N_ELEMENTS(shown); k++) {
            if (t->parameter != shown[k].parameter) continue;
            double norm = sqrt(probes->batches->mean_sq[t - table->tensors]);
            for (size_t l = (size_t)t->layer; ns_tensor_in_layer(t, l); l++)
                ns_record_put(layout, values, shown[k].quantity, l, norm);
        }
    double scale;
    if (ns_probe_batches_noise_scale(probes->batches, &scale))
        ns_record_put(layout, values, NS_QUANTITY_NOISE_SCALE, 0, scale);
}

static void fill_cosine(void *data, size_t i, unsigned member)
{
    const Filling *filling = data;
    NsExpensiveProbes *probes = filling->probes;
    double cosine, *sums = probes->sums + member * probes->D;
    if (ns_token_cosine(&cosine, filling->model, &probes->sources[i], sums))
        ns_record_put(&probes->layout, filling->values, NS_QUANTITY_TOKEN_COSINE, i, cosine);
}

static void fill_matrix(void *data, size_t i, unsigned member)
{
    const Filling *filling = data;
    NsExpensiveProbes *probes = filling->probes;
    const NsRecordLayout *layout = &probes->layout;
    const NsTensor *tensor = &ns_model_tensors(filling->model)->tensors[i];
    const MatrixQuantities *q = matrix_of(tensor);
    if (!q) return;
    const ns_real *w = ns_model_weights(filling->model) + tensor->offset;
    const ns_real *g = ns_model_gradients(filling->model) + tensor->offset;
    size_t n = ns_tensor_size(tensor);
    double norm = ns_real_norm(w, n), product = norm * ns_real_norm(g, n), singular;
    bool known = ns_largest_singular_value(&singular, w, tensor->rows, tensor->cols,
                                           probes->vectors + member * probes->vectors_size);
    for (size_t l = (size_t)tensor->layer; ns_tensor_in_layer(tensor, l); l++) {
        ns_record_put(layout, filling->values, q->weight, l, norm);
        if (product != 0)
            ns_record_put(layout, filling->values, q->cosine, l, ns_inner(g, w, n) / product);
        if (known) ns_record_put(layout, filling->values, q->singular, l, singular);
        if (known && singular != 0)
            ns_record_put(layout, filling->values, q->stable_rank, l,
                          norm * norm / (singular * singular));
    }
}

void ns_expensive_probes_fill(NsExpensiveProbes *probes, const NsRecordInput *input,
                              NsValues values)
{
    NsModel *model = input->model;
    const NsRecordLayout *layout = &probes->layout;
    ns_states_find(probes->sources, model, (size_t)input->settings->layers);
    fill_mean_gradients(probes, ns_model_tensors(model), values);
    ns_team_each(probes->team, ns_model_tensors(model)->n, fill_matrix,
                 &(Filling){probes, model, values, 0});
    ns_team_each(probes->team, layout->hidden, fill_cosine, &(Filling){probes, model, values, 0});
    /* Measures all sub-layers in parallel; or layer by layer, recomputing the activations of each,
     * if the model does not store them all. */
    size_t n = ns_model_sublayers(model);
    bool all = ns_model_keeps(model);
    for (size_t first = 0, end = n; first < n; first = end) {
        size_t layer = ns_model_activation_view(model, 0, first).layer;
        if (!all) {
            ns_model_revisit(model, layer);
            for (end = first; end < n && ns_model_activation_view(model, 0, end).layer == layer;)
                end++;
        }
        ns_team_each(probes->team, end - first, fill_sublayer,
                     &(Filling){probes, model, values, first});
    }
    fill_similarity(probes, input, values);
    fill_snapshot(probes, input);
}
