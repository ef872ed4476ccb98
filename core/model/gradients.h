/* The gradients of all shards of a batch, and their sum.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model.  Backward goes through the layers with all shards in step.  The gradients
 * of a layer from the first shard go straight into the arena of the tensor table, those from every
 * other shard into a buffer of its own.  When all have computed those of a layer, these are added
 * up,
 *
 *     G_l = ((g_l of shard 0) + g_l of shard 1) + ...
 *
 * and the buffers, which have room for one layer, are free for the next.  Where a batch is walked
 * in several parts, those of a later part are added to the sum.
 *
 * A matrix over the vocabulary can be larger than a layer, so it has no buffers: its rows are
 * divided among the workers, and each adds the gradients of its rows, from all shards in turn,
 * straight to the arena.  All other tensors are small: they have room of their own, where a shard
 * adds up its parts, and are summed at the end of the pass.  The order is fixed, so the bits do not
 * depend on who computes what. */
#pragma once

#include "core/base/team.h"
#include "core/model/layout.h"

typedef struct NsGradients NsGradients;

/* Elements that the buffers take in addition to the arena. */
size_t ns_gradients_elements(const NsModelLayout *layout);

/* Layout and arena (of the tensor table, all 0) are borrowed.  NULL with NS_ERROR_MEMORY. */
NsGradients *ns_gradients_new(const NsModelLayout *layout, ns_real *arena, GError **error);
void ns_gradients_free(NsGradients *gradients);

/* The arena, with the offsets of the tensor table. */
ns_real *ns_gradients_arena(NsGradients *gradients);

/* Before a run; `squaring`: the squares of the sums are wanted. */
void ns_gradients_begin(NsGradients *gradients, bool squaring);

/* [tensors] sum of the squares of each gradient, after a run for which they were wanted. */
double *ns_gradients_squares(NsGradients *gradients);

/* Where a shard writes the gradients of a layer. */
typedef struct {
    ns_real *base; /* the gradient of the tensor at `offset` begins at base + offset - origin */
    size_t origin;
    bool adds; /* the gradients are added to those of earlier parts, which are there already */
} NsLayerGradients;

/* `more`: an earlier part has begun the sum.  Where the result does not add, matrices may hold
 * anything and are to be overwritten; all other tensors are 0 and are to be added to. */
NsLayerGradients ns_gradients_layer(NsGradients *gradients, size_t shard, size_t layer, bool more);

/* All members call this when their shards have computed a layer: it waits for the others, adds up
 * the buffers, and waits until all members have done so.  `last`: this is the last part of the
 * batch, after which squares are summed. */
void ns_gradients_end_layer(NsGradients *gradients, const NsMember *member, size_t layer,
                            bool last);

/* The rows [first, first + n) of a matrix over the vocabulary. */
typedef struct {
    ns_real *gradient; /* of row `first` */
    size_t first, n;
} NsGradientRows;

/* The rows to which a worker adds the gradients from all shards, of the matrix at this offset. */
NsGradientRows ns_gradients_rows(NsGradients *gradients, size_t worker, size_t offset);

/* Sets a shard's gradients of small tensors to 0, before the first part. */
void ns_gradients_clear_outside(NsGradients *gradients, size_t shard);

/* Where a shard adds the gradient of a small tensor that stands at this offset. */
ns_real *ns_gradients_outside(NsGradients *gradients, size_t shard, size_t offset);

/* The same as ns_gradients_end_layer after the last part, for all other tensors. */
void ns_gradients_end(NsGradients *gradients, const NsMember *member);
