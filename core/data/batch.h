/* A batch of sequences.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/settings/settings.h"

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
    size_t room;            /* 0: B, T and S never change; otherwise B T and B S are at most this */
    int32_t *tokens;        /* [B, T] */
    int32_t *targets;       /* [B, T]: what to predict at each position, or NS_NO_TARGET */
    int32_t *length;        /* [B] in 1..T */
    int32_t *source;        /* [B, S], or NULL */
    int32_t *source_length; /* [B] in 1..S, or NULL */
    int32_t
        *second; /* [B] in 0..T: where the second segment of `tokens` begins; T: there is none */
    int32_t *labels; /* [B]: the class of a sequence, for the class head, or NS_NO_TARGET */
} NsBatch;

/* How many symbols go in and come out.  They differ where inputs are not what is predicted. */
typedef struct {
    size_t in, out;
    size_t source;   /* symbols that an encoder reads for a decoder; 0: the same that go in */
    size_t segments; /* rows of the segment embedding; 0: there is none */
    size_t classes;  /* of a sequence, which a head of its own predicts; 0: there is none */
} NsVocab;

/* Lengths start as full, without a second segment and without labels. */
void ns_batch_init(NsBatch *batch, size_t B, size_t T, size_t S);

/* For the batches of a run: of these sizes where batch-tokens is 0; otherwise with the room for the
 * batches of a task that chooses their sizes. */
void ns_batch_init_for(NsBatch *batch, const NsSettings *settings);
void ns_batch_clear(NsBatch *batch);

/* Positions that have a target. */
size_t ns_batch_targets(const NsBatch *batch);

/* Sequences that have a label. */
size_t ns_batch_labels(const NsBatch *batch);
