/* SPDX-License-Identifier: MIT */
#include "core/probe/tokens.h"

#include "core/base/squares.h"

#include <string.h>

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

bool ns_token_cosine(double *cosine, const NsModel *model, const NsStateSource *source, double *sum)
{
    double total = 0;
    size_t sequences = 0;
    for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
        NsStateView view = ns_state_view(model, source, shard);
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

float ns_dead_units(const NsModel *model, size_t sublayer, ns_real *seen)
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
