/* A batch of sequences.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    size_t B, T;
    int32_t *tokens;  /* [B, T] */
    int32_t *targets; /* [B, T]: the token that follows each */
} NsBatch;

void ns_batch_init(NsBatch *batch, size_t B, size_t T);
void ns_batch_clear(NsBatch *batch);
