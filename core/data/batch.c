/* A batch of sequences.  SPDX-License-Identifier: MIT */
#include "core/data/batch.h"

static int32_t *full(size_t B, size_t length)
{
    int32_t *lengths = g_new(int32_t, B);
    for (size_t b = 0; b < B; b++) lengths[b] = (int32_t)length;
    return lengths;
}

/* Allocates memory for this many sequences, and this many target and source positions. */
static void init(NsBatch *batch, size_t sequences, size_t targets, size_t sources)
{
    size_t T = batch->T, S = batch->S;
    batch->tokens = g_new0(int32_t, targets);
    batch->targets = g_new0(int32_t, targets);
    batch->length = full(sequences, T);
    batch->source = S > 0 ? g_new0(int32_t, sources) : NULL;
    batch->source_length = S > 0 ? full(sequences, S) : NULL;
    batch->second = full(sequences, T);
    batch->labels = g_new(int32_t, sequences);
    for (size_t b = 0; b < sequences; b++) batch->labels[b] = NS_NO_TARGET;
}

void ns_batch_init(NsBatch *batch, size_t B, size_t T, size_t S)
{
    *batch = (NsBatch){.B = B, .T = T, .S = S};
    init(batch, B, B * T, B * S);
}

void ns_batch_init_for(NsBatch *batch, const NsSettings *settings)
{
    size_t B = (size_t)ns_settings_batch(settings), T = (size_t)settings->seq;
    size_t S = (size_t)ns_settings_source_seq(settings), capacity = (size_t)settings->batch_tokens;
    *batch = (NsBatch){.B = B, .T = T, .S = S, .capacity = capacity};
    init(batch, MAX(B, capacity), MAX(B * T, capacity), MAX(B * S, capacity));
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
