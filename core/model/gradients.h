/* The gradients of all shards of a batch, and their sum.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model.  All shards go backward through the layers in step.  The gradients of a
 * layer from the first shard are written straight to the arena of the tensor table, those from
 * every other shard to a separate buffer.  When all shards have finished a layer, their gradients
 * are summed,
 *
 *     G_l = ((g_l of shard 0) + g_l of shard 1) + ...
 *
 * and the buffers, each of the size of one layer, are reused for the next layer.  If a batch is
 * processed in several parts, the gradients of later parts are added to the sum, as are those of
 * the layers below if layers are tied.
 *
 * A matrix over the vocabulary can be larger than a layer, so it has no buffers: its rows are
 * divided among the workers, and each adds the gradients of its rows, from all shards in turn,
 * straight to the arena.  All other tensors are small: each shard accumulates them over its parts
 * in a separate buffer, and they are summed at the end of the pass.  The order is fixed, so the
 * bits do not depend on which thread computes what. */
#pragma once

#include "core/base/team.h"
#include "core/model/layout.h"

/* A block of one tensor.  The blocks of a tensor are contiguous, as are those of a span. */
typedef struct {
    size_t tensor, offset, n;
    double squares;
} NsGradientBlock;

/* The blocks of a span, and the offset in the tensor table where the shards' buffers begin. */
typedef struct {
    size_t first, n, origin;
} NsGradientBlocks;

typedef struct {
    ns_real *arena;  /* borrowed, with the offsets of the tensor table */
    bool squaring;   /* set before a pass: the squares of the sums are requested */
    double *squares; /* [tensors] the sum of squares of each gradient, after a pass that requested
                      * them */

    /* The rest is only for gradients.c. */
    const NsModelLayout *layout;
    ns_real **buffers; /* [shards] gradients of one layer; NULL for the first shard */
    ns_real **outside; /* [shards] gradients of layout->outside; NULL for the first shard */
    NsGradientBlock *blocks;
    NsGradientBlocks *layers;                       /* [layout->layers] */
    NsGradientBlocks vocabulary[NS_STACKS_MAX + 1]; /* [layout->n_vocabulary] */
    NsGradientBlocks rest[2 * NS_STACKS_MAX];       /* [layout->n_outside] */
    size_t n_blocks;
} NsGradients;

/* Number of elements of the buffers, in addition to the arena. */
size_t ns_gradients_elements(const NsModelLayout *layout);

/* Borrows the layout and the arena (of the tensor table, all 0).  NULL with NS_ERROR_MEMORY. */
NsGradients *ns_gradients_new(const NsModelLayout *layout, ns_real *arena, GError **error);
void ns_gradients_free(NsGradients *gradients);

/* Where a shard writes the gradients of a layer. */
typedef struct {
    ns_real *base; /* the gradient of the tensor at `offset` begins at base + offset - origin */
    size_t origin;
    bool adds; /* the gradients must be added to those of earlier parts */
} NsLayerGradients;

/* `more`: an earlier part has started the sum.  If the result does not add, matrices may be
 * uninitialized and must be overwritten; all other tensors are 0 and must be added to. */
NsLayerGradients ns_gradients_layer(NsGradients *gradients, size_t shard, size_t layer, bool more);

/* Called by all members when their shards have computed a layer.  Waits for the others, sums the
 * buffers, and waits until all members have done so.  `last`: this is the last part of the batch,
 * after which squares are summed. */
void ns_gradients_end_layer(NsGradients *gradients, const NsMember *member, size_t layer,
                            bool last);

/* Rows [first, first + n) of a matrix over the vocabulary. */
typedef struct {
    ns_real *gradient; /* of row `first` */
    size_t first, n;
} NsGradientRows;

/* The rows of the matrix at this offset to which a worker adds the gradients from all shards. */
NsGradientRows ns_gradients_rows(NsGradients *gradients, size_t worker, size_t offset);

/* Sets a shard's gradients of small tensors to 0, before the first part. */
void ns_gradients_clear_outside(NsGradients *gradients, size_t shard);

/* Where a shard adds the gradient of the small tensor at this offset. */
ns_real *ns_gradients_outside(NsGradients *gradients, size_t shard, size_t offset);

/* Same as ns_gradients_end_layer after the last part, for all tensors outside the layers. */
void ns_gradients_end(NsGradients *gradients, const NsMember *member);
