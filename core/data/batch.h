/* A batch of sequences.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/settings/settings.h"

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* The target of a position without a loss: padding, or a position with nothing to predict. */
#define NS_NO_TARGET (-1)

/* The input of a model.  A decoder or an encoder alone reads `tokens`; the encoder of an
 * encoder-decoder reads `source`, its decoder `tokens`.  Positions at and after a sequence's length
 * are padding: they are never attended to, their targets are NS_NO_TARGET and their tokens 0. */
typedef struct {
    size_t B, T, S;   /* S: 0 without a source */
    size_t capacity;  /* 0: B, T and S are fixed; otherwise the capacity: B T and B S are at most
                         this */
    int32_t *tokens;  /* [B, T] */
    int32_t *targets; /* [B, T]: what to predict at each position, or NS_NO_TARGET */
    int32_t *length;  /* [B] in 1..T */
    int32_t *source;  /* [B, S], or NULL */
    int32_t *source_length; /* [B] in 1..S, or NULL */
    int32_t
        *second; /* [B] in 0..T: where the second segment of `tokens` begins; T: no second one */
    int32_t *labels; /* [B]: class of each sequence, for the class head, or NS_NO_TARGET */
} NsBatch;

/* The numbers of input and output symbols, which differ where a model reads symbols that it never
 * predicts. */
typedef struct {
    size_t in, out;
    size_t source;   /* symbols that the encoder of an encoder-decoder reads; 0: the same as `in` */
    size_t segments; /* rows of the segment embedding; 0: no segment embedding */
    size_t classes;  /* sequence classes that a separate head predicts; 0: no such head */
} NsVocab;

/* Allocates a batch in which every sequence has full length, no second segment and no label. */
void ns_batch_init(NsBatch *batch, size_t B, size_t T, size_t S);

/* Allocates a batch for a run: of the sizes in the settings where batch-tokens is 0, otherwise with
 * capacity for batch-tokens positions, of which the task chooses B, T and S in every batch. */
void ns_batch_init_for(NsBatch *batch, const NsSettings *settings);
void ns_batch_clear(NsBatch *batch);

/* The number of positions that have a target. */
size_t ns_batch_targets(const NsBatch *batch);

/* The number of sequences that have a label. */
size_t ns_batch_labels(const NsBatch *batch);
