/* A batch of sequences.  SPDX-License-Identifier: MIT */
#include "core/data/batch.h"

void ns_batch_init(NsBatch *batch, size_t B, size_t T)
{
    *batch = (NsBatch){
        .B = B,
        .T = T,
        .tokens = g_new0(int32_t, B * T),
        .targets = g_new0(int32_t, B * T),
    };
}

void ns_batch_clear(NsBatch *batch)
{
    g_free(batch->tokens);
    g_free(batch->targets);
    *batch = (NsBatch){0};
}
