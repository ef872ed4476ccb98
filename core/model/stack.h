/* The shape of a model before any memory: tensors, sub-layers, shards, sizes.
 * SPDX-License-Identifier: MIT
 *
 * Internal to core/model: what model.c allocates and plan.c only counts. */
#pragma once

#include "core/model/block.h"
#include "core/model/model.h"
#include "core/model/role.h"

typedef struct {
    size_t L, V, T, D, H, F;
    ns_real eps;
    NsTensorTable table;
    NsSublayer *sublayers; /* [2 L] */
    NsNormPlace embedding_norm, final_norm;
    size_t tok_emb, pos_emb, head; /* offsets */
} NsStack;

/* The activations of a shard, from the embedding up. */
typedef struct {
    NsShape shape;
    size_t first;             /* of its sequences in the batch */
    ns_real *embedding;       /* [R, D] sum of the embeddings */
    ns_real *stats_embedding; /* [R, 2] */
    ns_real *x0;              /* [R, D] what the first layer sees */
    NsActivations *sublayers; /* [2 L] */
    ns_real *final, *stats_final;
    ns_real *logits; /* [R, V] */
    ns_real *d;      /* [R, D] the gradient that travels down */
    NsScratch scratch;
} NsShard;

void ns_stack_init(NsStack *stack, const NsSettings *settings, const NsPlacement *placement,
                   size_t vocab);
void ns_stack_clear(NsStack *stack);

/* How many shards a batch is divided into, and the sequences [first, first + n) of shard i. */
unsigned ns_stack_shards(const NsSettings *settings);
void ns_stack_shard_range(const NsSettings *settings, unsigned i, size_t *first, size_t *n);

/* Takes everything that one shard needs.  shard->sublayers must have room for 2 L. */
void ns_shard_take(NsShard *shard, const NsStack *stack, size_t first, size_t sequences,
                   NsCursor *cursor);
