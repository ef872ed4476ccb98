/* SPDX-License-Identifier: MIT */
#include "core/probe/sight-private.h"

#include "core/probe/quantity.h"

#include <math.h>

static double square(const ns_real *x, size_t D)
{
    double sum = 0;
    for (size_t i = 0; i < D; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

/* Calls for every token that is not padding. */
typedef void (*Visit)(NsSight *sight, size_t i, double square);

static void add_mean(NsSight *sight, size_t i, double value)
{
    sight->mean[i] += value;
    sight->tokens[i]++;
}

static void add_count(NsSight *sight, size_t i, double value)
{
    double bin = floor(value / (sight->mean[i] * NS_SIGHT_BIN) + 0.5);
    if (bin >= 0 && bin < NS_SIGHT_BINS)
        sight->count[i][(size_t)bin]++;
    else
        sight->beyond[i]++;
}

static void visit_tokens(NsSight *sight, size_t i, const NsModel *model,
                         const NsStateSource *source, Visit visit)
{
    for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
        NsStateView view = ns_state_view(model, source, shard);
        for (size_t b = 0; b < view.B; b++)
            for (size_t t = 0; t < (size_t)view.length[b]; t++)
                visit(sight, i, square(view.x + (b * view.T + t) * view.D, view.D));
    }
}

void ns_sight_tokens(NsSight *sight, size_t i, const NsModel *model, const NsStateSource *source)
{
    sight->mean[i] = 0;
    sight->tokens[i] = sight->beyond[i] = 0;
    for (size_t k = 0; k < NS_SIGHT_BINS; k++) sight->count[i][k] = 0;
    visit_tokens(sight, i, model, source, add_mean);
    if (sight->tokens[i]) sight->mean[i] /= (double)sight->tokens[i];
    visit_tokens(sight, i, model, source, add_count);
}

void ns_sight_choose(NsSight *sight, size_t layers, size_t heads)
{
    size_t shown = MIN(MAX(NS_SIGHT_MAPS / MAX(heads, 1), 1), layers);
    sight->maps = 0;
    for (size_t i = 0; i < shown; i++) {
        size_t layer = shown < 2 ? layers - 1 : (i * (layers - 1) + (shown - 1) / 2) / (shown - 1);
        for (size_t h = 0; h < heads && sight->maps < NS_SIGHT_MAPS; h++) {
            sight->layer[sight->maps] = (unsigned)layer + 1;
            sight->head[sight->maps++] = (unsigned)h + 1;
        }
    }
}

void ns_sight_attention(NsSight *sight, const NsModel *model, size_t sublayer)
{
    NsTap tap = ns_model_tap(model, 0, sublayer);
    if (tap.kind != NS_SELF_ATTENTION || !tap.P || !tap.B) return;
    size_t queries = sight->queries, keys = sight->keys;
    for (size_t m = 0; m < sight->maps; m++) {
        if (sight->layer[m] != tap.layer + 1) continue;
        const ns_real *P = tap.P + (sight->head[m] - 1) * tap.T * tap.S;
        for (size_t t = 0; t < queries; t++)
            for (size_t j = 0; j < keys; j++) {
                bool seen = t < (size_t)tap.length[0] && j < (size_t)tap.key_length[0] &&
                            t < tap.T && j < tap.S && (!tap.causal || j <= t);
                sight->weight[m][t * keys + j] = seen ? (float)P[t * tap.S + j] : ns_blank();
            }
    }
}
