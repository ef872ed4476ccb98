/* The gradients of all shards of a batch, and their sum.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model.  The gradients from the first shard go straight into the arena of the
 * tensor table, those from every other shard into a buffer of its own.  Backward goes down the
 * layers with all shards in step: when all have computed those of a layer, these are added up,
 *
 *     G_l = ((g_l of shard 0) + g_l of shard 1) + ...
 *
 * and the buffers, which have room for one layer, are free for the next.  Tensors outside the
 * layers (embeddings, head, outer norms) have room of their own and are summed at the end of the
 * pass. Where a batch is walked in several parts, a shard adds up its parts first: its buffer has
 * room for all layers, and everything is summed at the end.  The order is fixed, so the bits do not
 * depend on who computes what. */
#pragma once

#include "core/base/team.h"
#include "core/model/layout.h"

typedef struct NsGradients NsGradients;

/* Reals that it takes beside the arena. */
size_t ns_gradients_elements(const NsModelLayout *layout);

/* Stack and arena (that of the table, all 0) are borrowed.  NULL with NS_ERROR_MEMORY. */
NsGradients *ns_gradients_new(const NsModelLayout *layout, ns_real *arena, GError **error);
void ns_gradients_free(NsGradients *gradients);

/* The arena: offsets are those of the table. */
ns_real *ns_gradients_arena(NsGradients *gradients);

/* Before a run; `squaring`: the squares of the sums are wanted. */
void ns_gradients_begin(NsGradients *gradients, bool squaring);

/* [tensors] sum of the squares of each gradient, after a run for which they were wanted. */
double *ns_gradients_squares(NsGradients *gradients);

/* Where a shard puts the gradients of a layer. */
typedef struct {
    ns_real *base; /* those of the tensor at `offset` belong to base + offset - origin */
    size_t origin;
    bool adds; /* there is a part of the sum already, to which all are added */
} NsLayerGradients;

/* `part`: of the batch, counted from 0.  Unless it adds, matrices may hold anything before and are
 * written once, and the others are added to, 0 at first. */
NsLayerGradients ns_gradients_layer(NsGradients *gradients, size_t shard, size_t layer,
                                    size_t part);

/* By all members of a run, when a shard of theirs has computed a layer: waits for the others, sums,
 * and waits until all have.  Does nothing where all layers are summed at the end. */
void ns_gradients_end_layer(NsGradients *gradients, const NsMember *member, size_t layer);

/* Before the first part: what a shard adds to outside the layers becomes 0. */
void ns_gradients_clear_outside(NsGradients *gradients, size_t shard);

/* Where a shard adds the gradient of a tensor outside the layers that stands at this offset. */
ns_real *ns_gradients_outside(NsGradients *gradients, size_t shard, size_t offset);

/* The same after the last part, for everything that was not summed yet. */
void ns_gradients_end(NsGradients *gradients, const NsMember *member);
