/* A batch of sequences.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* The target of a position that does not count: padding, or nothing to predict there. */
#define NS_NO_TARGET (-1)

/* What a model sees.  A decoder or an encoder alone reads `tokens`; the encoder of an
 * encoder-decoder reads `source`, its decoder `tokens`.  Positions at and after a sequence's length
 * are padding: no attention looks at them, their targets are NS_NO_TARGET and their tokens 0. */
typedef struct {
    size_t B, T, S;         /* S: 0 without a source */
    int32_t *tokens;        /* [B, T] */
    int32_t *targets;       /* [B, T]: what to predict at each position, or NS_NO_TARGET */
    int32_t *length;        /* [B] in 1..T */
    int32_t *source;        /* [B, S], or NULL */
    int32_t *source_length; /* [B] in 1..S, or NULL */
} NsBatch;

/* How many symbols go in and come out.  They differ where inputs are not what is predicted. */
typedef struct {
    size_t in, out;
} NsVocab;

/* Lengths start as full. */
void ns_batch_init(NsBatch *batch, size_t B, size_t T, size_t S);
void ns_batch_clear(NsBatch *batch);

/* Positions that have a target. */
size_t ns_batch_targets(const NsBatch *batch);
