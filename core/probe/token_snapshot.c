/* SPDX-License-Identifier: MIT */
#include "core/probe/token_snapshot-private.h"

#include "core/base/copy.h"
#include "core/data/sentence.h"

#include <math.h>

static double square(const ns_real *x, size_t D)
{
    double sum = 0;
    for (size_t i = 0; i < D; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

/* Called for every token that is not padding, with its squared norm. */
typedef void (*Visit)(NsTokenSnapshot *snapshot, size_t i, double square);

static void add_mean(NsTokenSnapshot *snapshot, size_t i, double value)
{
    snapshot->mean[i] += value;
    snapshot->tokens[i]++;
}

static void add_count(NsTokenSnapshot *snapshot, size_t i, double value)
{
    double bin = floor(value / (snapshot->mean[i] * NS_TOKEN_SNAPSHOT_BIN) + 0.5);
    if (bin >= 0 && bin < NS_TOKEN_SNAPSHOT_BINS)
        snapshot->count[i][(size_t)bin]++;
    else
        snapshot->beyond[i]++;
}

static void visit_tokens(NsTokenSnapshot *snapshot, size_t i, const NsModel *model,
                         const NsStateSource *source, Visit visit)
{
    for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
        NsStateView view = ns_state_view(model, source, shard);
        for (size_t b = 0; b < view.B; b++)
            for (size_t t = 0; t < (size_t)view.length[b]; t++)
                visit(snapshot, i, square(view.x + (b * view.T + t) * view.D, view.D));
    }
}

void ns_token_snapshot_tokens(NsTokenSnapshot *snapshot, size_t i, const NsModel *model,
                              const NsStateSource *source)
{
    snapshot->mean[i] = 0;
    snapshot->tokens[i] = snapshot->beyond[i] = 0;
    for (size_t k = 0; k < NS_TOKEN_SNAPSHOT_BINS; k++) snapshot->count[i][k] = 0;
    visit_tokens(snapshot, i, model, source, add_mean);
    if (snapshot->tokens[i]) snapshot->mean[i] /= (double)snapshot->tokens[i];
    visit_tokens(snapshot, i, model, source, add_count);
}

void ns_token_snapshot_sequence(NsTokenSnapshot *snapshot, const NsCorpus *corpus,
                                const NsBatch *batch)
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
        size_t at = shown < 2 ? n - 1 : ns_evenly_spread(i, shown, n);
        for (size_t h = 0; h < heads && m < end; h++, m++) {
            snapshot->layer[m] = (unsigned)(layers[0] + at) + 1;
            snapshot->head[m] = (unsigned)h + 1;
        }
    }
    return m;
}

void ns_token_snapshot_choose(NsTokenSnapshot *snapshot, size_t layers, size_t heads,
                              size_t first_stack)
{
    size_t n = choose(snapshot, 0, NS_TOKEN_SNAPSHOT_MAPS, heads, (const size_t[]){0, layers});
    snapshot->maps = n;
    if (first_stack < layers)
        n = choose(snapshot, n, NS_TOKEN_SNAPSHOT_CROSS, heads,
                   (const size_t[]){first_stack, layers});
    snapshot->cross_maps = n - snapshot->maps;
    for (size_t m = 0; m < n; m++) snapshot->stack[m] = snapshot->layer[m] > first_stack;
}

void ns_token_snapshot_attention(NsTokenSnapshot *snapshot, const NsModel *model, size_t sublayer)
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
            size_t seen = padding ? 0 : MIN(ns_visible_keys(&view, 0, t), keys);
            snapshot->seen[m][t] = (unsigned)seen;
            for (size_t j = 0; j < seen; j++)
                snapshot->weight[m][t * keys + j] = (float)P[t * view.S + j];
        }
    }
}

void ns_token_snapshot_translation(NsTokenSnapshot *snapshot, const NsCorpus *corpus,
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
