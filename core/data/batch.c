/* A batch of sequences.  SPDX-License-Identifier: MIT */
#include "core/data/batch.h"

static int32_t *full(size_t B, size_t length)
{
    int32_t *lengths = g_new(int32_t, B);
    for (size_t b = 0; b < B; b++) lengths[b] = (int32_t)length;
    return lengths;
}

void ns_batch_init(NsBatch *batch, size_t B, size_t T, size_t S)
{
    *batch = (NsBatch){
        .B = B,
        .T = T,
        .S = S,
        .tokens = g_new0(int32_t, B * T),
        .targets = g_new0(int32_t, B * T),
        .length = full(B, T),
        .source = S > 0 ? g_new0(int32_t, B * S) : NULL,
        .source_length = S > 0 ? full(B, S) : NULL,
        .second = full(B, T),
        .labels = g_new(int32_t, B),
    };
    for (size_t b = 0; b < B; b++) batch->labels[b] = NS_NO_TARGET;
}

void ns_batch_clear(NsBatch *batch)
{
    g_free(batch->tokens);
    g_free(batch->targets);
    g_free(batch->length);
    g_free(batch->source);
    g_free(batch->source_length);
    g_free(batch->second);
    g_free(batch->labels);
    *batch = (NsBatch){0};
}

size_t ns_batch_targets(const NsBatch *batch)
{
    size_t n = 0;
    for (size_t i = 0; i < batch->B * batch->T; i++)
        if (batch->targets[i] != NS_NO_TARGET) n++;
    return n;
}

size_t ns_batch_labels(const NsBatch *batch)
{
    size_t n = 0;
    for (size_t b = 0; b < batch->B; b++)
        if (batch->labels[b] != NS_NO_TARGET) n++;
    return n;
}
