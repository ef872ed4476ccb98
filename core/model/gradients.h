/* The gradients of all workers, and their sum.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model.  Every worker computes the gradient of its shard, layer by layer from the
 * top.  One writes straight into the arena of the tensor table.  Each other one has room for a few
 * layers only and adds them to the arena as soon as the worker before it has added its own:
 *
 *     G_l = ((g_l of worker i) + g_l of worker i + 1) + ...
 *
 * and so on for every further part of the batch, to which the first one adds its own in place.
 * Who begins depends on the layer, and so who has nothing to add.  The order is fixed, so the bits
 * do not depend on who is faster, and what is added was written moments ago and is still in the
 * cache.  Tensors outside the layers are summed when all workers are done. */
#pragma once

#include "core/model/stack.h"

typedef struct NsGradients NsGradients;

/* Layers by which a worker may be ahead of another in backward where gradients lie in the place of
 * activations: who begins one of number n finds all others at least at n - lead + 1. */
size_t ns_gradients_lead(const NsStack *stack);

/* Reals that it takes beside the arena. */
size_t ns_gradients_reals(const NsStack *stack);

/* Stack and arena (that of the table, all 0) are borrowed.  NULL with NS_ERROR_MEMORY. */
NsGradients *ns_gradients_new(const NsStack *stack, ns_real *arena, GError **error);
void ns_gradients_free(NsGradients *gradients);

/* The arena: offsets are those of the table. */
ns_real *ns_gradients_arena(NsGradients *gradients);

/* Before the workers set out; not from several threads.  `squaring`: the squares are wanted. */
void ns_gradients_begin(NsGradients *gradients, bool squaring);

/* [tensors] sum of the squares of each gradient, taken when its sum is complete and still warm. */
double *ns_gradients_squares(NsGradients *gradients);

/* Every worker, once: what it adds to outside the layers becomes 0. */
void ns_gradients_begin_outside(NsGradients *gradients, unsigned worker);

/* Where a worker adds the gradient of a tensor outside the layers that stands at this offset. */
ns_real *ns_gradients_outside(NsGradients *gradients, unsigned worker, size_t offset);

/* Where a worker puts the gradients of a layer. */
typedef struct {
    ns_real *base; /* those of the tensor at `offset` belong to base + offset - origin */
    size_t origin;
    bool adds; /* there is a part of the sum already, to which all are added */
} NsLayerGradients;

/* Unless it adds, matrices may hold anything before and are written once, and the others are added
 * to, 0 at first.  Layers come in descending order, and after the last one anew for every part of
 * the batch.  May wait for other workers. */
NsLayerGradients ns_gradients_begin_layer(NsGradients *gradients, unsigned worker, size_t layer);

/* The base that ns_gradients_begin_layer will return next; a layer must be left. */
const ns_real *ns_gradients_next(const NsGradients *gradients, unsigned worker);

/* The layer that was begun is complete. */
void ns_gradients_end_layer(NsGradients *gradients, unsigned worker);

/* A worker has done its last layer. */
void ns_gradients_end(NsGradients *gradients, unsigned worker);

/* Adds up what lies outside the layers.  All threads of a parallel region call it, after the
 * barrier that follows their ns_gradients_end. */
void ns_gradients_sum_outside(NsGradients *gradients);
