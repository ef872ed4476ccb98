/* SPDX-License-Identifier: MIT */
#include "core/probe/expensive.h"

#include "core/base/clones.h"
#include "core/base/copy.h"
#include "core/base/squares.h"
#include "core/data/corpus.h"
#include "core/ops/gemm.h"
#include "core/ops/residual.h"
#include "core/probe/spectrum.h"

#include <math.h>
#include <string.h>

/* ---- Hidden states ---- */

/* The part of a hidden state that one shard holds. */
typedef struct {
    const ns_real *x; /* [B, T, D] */
    size_t B, T, D;
    const int32_t *length; /* [B] */
} StateView;

/* The i-th of `chosen` >= 2 evenly spread numbers below n, which include 0 and n - 1. */
static size_t evenly_spread(size_t i, size_t chosen, size_t n)
{
    return (i * (n - 1) + (chosen - 1) / 2) / (chosen - 1);
}

/* The number of keys that the query at position t of a sequence of the shard attends to, which are
 * always the first ones. */
static size_t visible_keys(const NsActivationView *view, size_t sequence, size_t t)
{
    size_t keys = (size_t)view->key_length[sequence];
    return view->causal ? MIN(t + 1, keys) : keys;
}

/* Fills in sources[hidden].  `first`: number of layers of the first stack. */
static void find_states(NsStateSource *sources, const NsModel *model, size_t first)
{
    bool entered[2] = {false, false};
    for (size_t s = 0; s < ns_model_sublayers(model); s++) {
        NsActivationView view = ns_model_activation_view(model, 0, s);
        unsigned stack = view.layer >= first;
        /* The second stack has its own embedding, which is one more hidden state. */
        size_t before = view.layer + stack;
        if (!entered[stack]) sources[before] = (NsStateSource){s, true, stack};
        entered[stack] = true;
        if (view.last) sources[before + 1] = (NsStateSource){s, false, stack};
    }
}

static StateView state_view(const NsModel *model, const NsStateSource *source, size_t shard)
{
    NsActivationView view = ns_model_activation_view(model, shard, source->sublayer);
    return (StateView){.x = source->input ? view.x : view.out,
                       .B = view.B,
                       .T = view.T,
                       .D = view.D,
                       .length = view.length};
}

/* ---- Tokens ---- */

/* The features of the tokens of a sub-layer at one place. */
typedef enum {
    PLACE_INPUT,  /* x */
    PLACE_BRANCH, /* u, the input of F */
    PLACE_LAST,   /* the input of the last matrix of F */
} Place;

/* The mean cosine between two different tokens of one sequence of n tokens. */
static double sequence_cosine(const ns_real *x, size_t n, size_t D, double *sum)
{
    memset(sum, 0, D * sizeof *sum);
    double directions = 0;
    for (size_t t = 0; t < n; t++, x += D) {
        double norm = ns_real_norm(x, D);
        if (norm == 0) continue;
        directions++;
        double inverse = 1 / norm;
        for (size_t i = 0; i < D; i++) sum[i] += inverse * (double)x[i];
    }
    double square = 0;
    for (size_t i = 0; i < D; i++) square += sum[i] * sum[i];
    return (square - directions) / ((double)n * (double)(n - 1));
}

/* The mean, over sequences of two tokens or more, of the mean cosine between two different tokens:
 * (|s|^2 - sum |e_i|^2) / (n (n - 1)) with e_i = x_i / |x_i| (0 if x_i = 0) and s = sum e_i.
 * False if no sequence has two tokens.  sum: [D], scratch.  Dong et al. 2021. */
static bool token_cosine(double *cosine, const NsModel *model, const NsStateSource *source,
                         double *sum)
{
    double total = 0;
    size_t sequences = 0;
    for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
        StateView view = state_view(model, source, shard);
        for (size_t b = 0; b < view.B; b++) {
            if (view.length[b] < 2) continue;
            total +=
                sequence_cosine(view.x + b * view.T * view.D, (size_t)view.length[b], view.D, sum);
            sequences++;
        }
    }
    *cosine = total / (double)sequences;
    return sequences > 0;
}

/* The share of the units of a feed-forward sub-layer that are 0 for every token.  seen: [F],
 * scratch. */
static float dead_units(const NsModel *model, size_t sublayer, ns_real *seen)
{
    size_t F = ns_model_activation_view(model, 0, sublayer).F;
    memset(seen, 0, F * sizeof *seen);
    for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
        NsActivationView view = ns_model_activation_view(model, shard, sublayer);
        for (size_t b = 0; b < view.B; b++)
            for (size_t t = 0; t < (size_t)view.length[b]; t++) {
                const ns_real *unit = view.hidden + (b * view.T + t) * F;
                for (size_t f = 0; f < F; f++) seen[f] = unit[f] != 0 ? 1 : seen[f];
            }
    }
    size_t dead = 0;
    for (size_t f = 0; f < F; f++) dead += seen[f] > 0 ? 0 : 1;
    return (float)dead / (float)F;
}

/* Adds how many of |x_i| have bits below the limits. */
NS_CLONES(static, count_below,
          (size_t below[3], const int32_t limit[3], const ns_real *x, size_t n),
          (below, limit, x, n))
{
    const int32_t a = limit[0], b = limit[1], c = limit[2];
    uint32_t below_a = 0, below_b = 0, below_c = 0;
#pragma omp simd reduction(+ : below_a, below_b, below_c)
    for (size_t i = 0; i < n; i++) {
        float size = fabsf((float)x[i]);
        int32_t bits;
        memcpy(&bits, &size, sizeof bits);
        below_a += bits < a;
        below_b += bits < b;
        below_c += bits < c;
    }
    below[0] += below_a;
    below[1] += below_b;
    below[2] += below_c;
}

/* Finds the values bit by bit: positive floats have the order of their bits, read as an integer. */
/* The median, the 99th percentile and the largest of the absolute values at a place, over the
 * features of all tokens; a percentile is the smallest value that so many do not exceed.  In single
 * precision; not finite if the value is not, where a NaN is larger than any number. */
static void token_sizes(float sizes[3], const NsModel *model, size_t sublayer, Place place)
{
    int32_t bits[3] = {0};
    for (int32_t bit = 1 << 30; bit; bit >>= 1) {
        const int32_t limit[] = {bits[0] | bit, bits[1] | bit, bits[2] | bit};
        size_t below[3] = {0}, n = 0;
        for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
            NsActivationView view = ns_model_activation_view(model, shard, sublayer);
            const ns_real *x = place == PLACE_INPUT    ? view.x
                               : place == PLACE_BRANCH ? view.u
                                                       : view.mid;
            size_t width = place == PLACE_LAST && view.kind == NS_FFN ? view.F : view.D;
            for (size_t b = 0; b < view.B; b++, x += view.T * width) {
                count_below(below, limit, x, (size_t)view.length[b] * width);
                n += (size_t)view.length[b] * width;
            }
        }
        const size_t rank[] = {(n + 1) / 2, n - n / 100, n};
        for (int k = 0; k < 3; k++)
            if (below[k] < rank[k]) bits[k] = limit[k];
    }
    memcpy(sizes, bits, sizeof bits);
}

/* ---- Attention heads ---- */

static double entropy(const ns_real *P, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        if (P[j] != 0) sum -= (double)P[j] * log((double)P[j]);
    return sum / log((double)n);
}

/* Raises *largest to the largest |logit| of a head over the pairs of a sequence. */
static void look_at_logits(double *largest, const NsActivationView *view, size_t b, size_t h,
                           ns_real *scores)
{
    size_t width = view->D / view->H, T = (size_t)view->length[b], S = (size_t)view->key_length[b];
    ns_gemm(&(NsGemm){.tb = true,
                      .M = T,
                      .N = S,
                      .K = width,
                      .alpha = (ns_real)(1 / sqrt((double)width)),
                      .A = view->Q + b * view->T * view->q_stride + h * width,
                      .lda = view->q_stride,
                      .B = view->K + b * view->S * view->k_stride + h / view->group * width,
                      .ldb = view->k_stride,
                      .C = scores,
                      .ldc = S});
    for (size_t t = 0; t < T; t++) {
        const ns_real *row = scores + t * S;
        for (size_t j = 0; j < visible_keys(view, b, t); j++) {
            double size = fabs((double)row[j]);
            if (size > *largest || isnan(size)) *largest = size;
        }
    }
}

/* Measures the heads of an attention sub-layer.  heads: [H], overwritten; scratch: [T, S]. */
static void measure_heads(NsHeadMeasure *heads, const NsModel *model, size_t sublayer,
                          ns_real *scratch)
{
    size_t H = ns_model_activation_view(model, 0, sublayer).H;
    for (size_t h = 0; h < H; h++) {
        double entropies = 0, firsts = 0, logit = 0;
        size_t queries = 0;
        bool logits = false;
        for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
            NsActivationView view = ns_model_activation_view(model, shard, sublayer);
            logits = view.Q && view.K;
            for (size_t b = 0; b < view.B; b++) {
                for (size_t t = 0; t < (size_t)view.length[b]; t++) {
                    size_t n = visible_keys(&view, b, t);
                    if (n < 2) continue;
                    const ns_real *P = view.P + ((b * view.H + h) * view.T + t) * view.S;
                    entropies += entropy(P, n);
                    firsts += (double)P[0];
                    queries++;
                }
                if (logits) look_at_logits(&logit, &view, b, h, scratch);
            }
        }
        heads[h] = (NsHeadMeasure){
            .has_entropy = queries > 0,
            .entropy = (float)(entropies / (double)queries),
            .first = (float)(firsts / (double)queries),
            .has_logit = logits,
            .logit = (float)logit,
        };
    }
}

/* ---- The snapshot of tokens ---- */

/* Sets mean, tokens, beyond and count of the i-th of snapshot->states: first the mean of the
 * squared norms of all tokens that are not padding, then their histogram in units of the mean. */
static void count_tokens(NsTokenSnapshot *snapshot, size_t i, const NsModel *model,
                         const NsStateSource *source)
{
    double mean = 0;
    snapshot->tokens[i] = snapshot->beyond[i] = 0;
    memset(snapshot->count[i], 0, sizeof snapshot->count[i]);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
            StateView view = state_view(model, source, shard);
            for (size_t b = 0; b < view.B; b++)
                for (size_t t = 0; t < (size_t)view.length[b]; t++) {
                    const ns_real *x = view.x + (b * view.T + t) * view.D;
                    double square = 0;
                    for (size_t k = 0; k < view.D; k++) square += (double)x[k] * (double)x[k];
                    if (pass == 0) {
                        mean += square;
                        snapshot->tokens[i]++;
                        continue;
                    }
                    double bin = floor(square / (mean * NS_TOKEN_SNAPSHOT_BIN) + 0.5);
                    if (bin >= 0 && bin < NS_TOKEN_SNAPSHOT_BINS)
                        snapshot->count[i][(size_t)bin]++;
                    else
                        snapshot->beyond[i]++;
                }
        }
        if (pass == 0 && snapshot->tokens[i]) mean /= (double)snapshot->tokens[i];
    }
    snapshot->mean[i] = mean;
}

/* Stores the tokens of the first sequence of the batch. */
static void write_sequence(NsTokenSnapshot *snapshot, const NsCorpus *corpus, const NsBatch *batch)
{
    for (int stack = 0; stack < 2; stack++) {
        bool source = batch->S > 0 && stack == 0;
        const int32_t *tokens = source ? batch->source : batch->tokens;
        const NsCorpus *read = source ? ns_corpus_source(corpus) : corpus;
        size_t n = (size_t)(source ? batch->source_length : batch->length)[0];
        for (size_t t = 0; t < snapshot->queries; t++) {
            snapshot->token[stack][t][0] = '\0';
            if (t < n) ns_corpus_token_text(read, tokens[t], snapshot->token[stack][t]);
        }
    }
}

/* Adds, from map m on, at most `most` maps: the heads of evenly spread layers of the range
 * layers[0] .. layers[1] - 1 (from 0).  Returns the number of maps. */
static size_t choose(NsTokenSnapshot *snapshot, size_t m, size_t most, size_t heads,
                     const size_t layers[2])
{
    size_t n = layers[1] - layers[0], shown = MIN(MAX(most / MAX(heads, 1), 1), n);
    size_t end = m + most;
    for (size_t i = 0; i < shown; i++) {
        size_t at = shown < 2 ? n - 1 : evenly_spread(i, shown, n);
        for (size_t h = 0; h < heads && m < end; h++, m++) {
            snapshot->layer[m] = (unsigned)(layers[0] + at) + 1;
            snapshot->head[m] = (unsigned)h + 1;
        }
    }
    return m;
}

/* Chooses the heads whose attention is stored, in a model with the given numbers of layers (of
 * which `first_stack` are in the first stack) and heads: all heads of evenly spread layers,
 * including the first and the last.  In an encoder-decoder also of the cross-attention. */
static void choose_maps(NsTokenSnapshot *snapshot, size_t layers, size_t heads, size_t first_stack)
{
    size_t n = choose(snapshot, 0, NS_TOKEN_SNAPSHOT_MAPS, heads, (const size_t[]){0, layers});
    snapshot->maps = n;
    if (first_stack < layers)
        n = choose(snapshot, n, NS_TOKEN_SNAPSHOT_CROSS, heads,
                   (const size_t[]){first_stack, layers});
    snapshot->cross_maps = n - snapshot->maps;
    for (size_t m = 0; m < n; m++) snapshot->stack[m] = snapshot->layer[m] > first_stack;
}

/* Copies the attention weights of a sub-layer into its maps.  Several threads may copy different
 * sub-layers at the same time. */
static void copy_attention(NsTokenSnapshot *snapshot, const NsModel *model, size_t sublayer)
{
    NsActivationView view = ns_model_activation_view(model, 0, sublayer);
    if (view.kind == NS_FFN || !view.P || !view.B) return;
    bool cross = view.kind == NS_CROSS_ATTENTION;
    size_t queries = snapshot->queries, keys = snapshot->keys;
    size_t first = cross ? snapshot->maps : 0;
    size_t end = first + (cross ? snapshot->cross_maps : snapshot->maps);
    for (size_t m = first; m < end; m++) {
        if (snapshot->layer[m] != view.layer + 1) continue;
        const ns_real *P = view.P + (snapshot->head[m] - 1) * view.T * view.S;
        for (size_t t = 0; t < queries; t++) {
            bool padding = t >= (size_t)view.length[0];
            size_t seen = padding ? 0 : MIN(visible_keys(&view, 0, t), keys);
            snapshot->seen[m][t] = (unsigned)seen;
            for (size_t j = 0; j < seen; j++)
                snapshot->weight[m][t * keys + j] = (float)P[t * view.S + j];
        }
    }
}

/* Stores the first pair of the batch as text, and its translation by the model; NULL: none. */
static void write_translation(NsTokenSnapshot *snapshot, const NsCorpus *corpus,
                              const NsBatch *batch, const char *translation)
{
    snapshot->translated = translation != NULL;
    if (!translation) return;
    g_autofree char *source = ns_sentence_text(ns_corpus_source(corpus), batch->source,
                                               (size_t)batch->source_length[0] - 1);
    g_autofree char *reference =
        ns_sentence_text(corpus, batch->targets, (size_t)batch->length[0] - 1);
    ns_copy_text(snapshot->source, sizeof snapshot->source, source);
    ns_copy_text(snapshot->reference, sizeof snapshot->reference, reference);
    ns_copy_text(snapshot->translation, sizeof snapshot->translation, translation);
}

/* ---- The probes ---- */

static size_t compared(size_t hidden)
{
    return MIN(hidden, NS_SIMILARITY_STATES);
}

/* The index of the i-th state that is compared. */
static size_t compared_state(size_t hidden, size_t i)
{
    size_t n = compared(hidden);
    return n < 2 ? 0 : evenly_spread(i, n, hidden);
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
    choose_maps(probes->snapshot, layout->layers, layout->heads, (size_t)s->layers);

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
        Place place;
        NsQuantity quantities; /* the first of the three of the place */
    } places[] = {{NS_SELF_ATTENTION, PLACE_INPUT, NS_QUANTITY_MEDIAN_LAYER},
                  {NS_SELF_ATTENTION, PLACE_BRANCH, NS_QUANTITY_MEDIAN_QKV},
                  {NS_SELF_ATTENTION, PLACE_LAST, NS_QUANTITY_MEDIAN_O},
                  {NS_FFN, PLACE_BRANCH, NS_QUANTITY_MEDIAN_W1},
                  {NS_FFN, PLACE_LAST, NS_QUANTITY_MEDIAN_W2}};
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        float sizes[3];
        bool no_w_o = view->kind == NS_SELF_ATTENTION && !view->Q; /* uniform attention */
        if (places[i].kind != view->kind || (no_w_o && places[i].place == PLACE_LAST)) continue;
        token_sizes(sizes, filling->model, sublayer, places[i].place);
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
                          (double)dead_units(model, sublayer, work));
        return;
    }
    copy_attention(probes->snapshot, model, sublayer);
    NsHeadMeasure *heads = probes->heads + member * probes->layout.heads;
    measure_heads(heads, model, sublayer, work);
    put_heads(probes, values, view.kind == NS_CROSS_ATTENTION ? &cross : &attention, heads,
              view.layer);
}

/* ---- Similarity ---- */

/* Finds the features of evenly spread tokens of a state and returns how many there are.  The sample
 * is the same for all states of a stack. */
static size_t find_rows(const NsModel *model, const NsStateSource *source, const ns_real **rows)
{
    const size_t most = NS_SIMILARITY_TOKENS, shards = ns_model_shards(model);
    size_t n = 0, k = 0, taken = 0;
    for (size_t shard = 0; shard < shards; shard++) {
        StateView view = state_view(model, source, shard);
        for (size_t b = 0; b < view.B; b++) n += (size_t)view.length[b];
    }
    for (size_t shard = 0; shard < shards; shard++) {
        StateView view = state_view(model, source, shard);
        for (size_t b = 0; b < view.B; b++)
            for (size_t t = 0; t < (size_t)view.length[b]; t++, k++)
                if (n <= most || (k + 1) * most / n > k * most / n)
                    rows[taken++] = view.x + (b * view.T + t) * view.D;
    }
    return taken;
}

static void fill_state(void *data, size_t i, unsigned member)
{
    (void)member;
    const Filling *filling = data;
    NsExpensiveProbes *probes = filling->probes;
    size_t state = compared_state(probes->layout.hidden, i);
    probes->snapshot->state[i] = (unsigned)state;
    count_tokens(probes->snapshot, i, filling->model, &probes->sources[state]);
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
    if (token_cosine(&cosine, filling->model, &probes->sources[i], sums))
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
    find_states(probes->sources, model, (size_t)input->settings->layers);
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
    size_t states = compared(layout->hidden);
    unsigned stack[NS_SIMILARITY_STATES];
    double participation[NS_SIMILARITY_STATES];
    NsSimilarityInput in = {.n = states,
                            .D = (size_t)input->settings->d_model,
                            .stack = stack,
                            .rows = probes->rows,
                            .team = probes->team,
                            .scratch = probes->grams,
                            .norms = probes->norms,
                            .participation = participation};
    for (size_t i = 0; i < states; i++) {
        size_t state = compared_state(layout->hidden, i);
        const NsStateSource *source = &probes->sources[state];
        probes->similarity.state[i] = (unsigned)state;
        stack[i] = source->stack;
        in.tokens[source->stack] =
            find_rows(model, source, probes->rows + i * NS_SIMILARITY_TOKENS);
    }
    probes->similarity.step = input->step;
    ns_similarity_measure(&probes->similarity, &in);
    for (size_t i = 0; i < states; i++)
        if (participation[i] != 0)
            ns_record_put(layout, values, NS_QUANTITY_PARTICIPATION, probes->similarity.state[i],
                          participation[i]);
    NsTokenSnapshot *snapshot = probes->snapshot;
    snapshot->step = input->step;
    snapshot->states = states;
    write_sequence(snapshot, input->corpus, input->batch);
    write_translation(snapshot, input->corpus, input->batch, input->translation);
    ns_team_each(probes->team, snapshot->states, fill_state, &(Filling){probes, model, values, 0});
}
