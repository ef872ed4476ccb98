/* The gradients of all shards of a batch, and their sum.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model.  Backward goes through the spans of the layout, layers and matrices over
 * the vocabulary, with all shards in step.  The gradients of a span from the first shard go
 * straight into the arena of the tensor table, those from every other shard into a buffer of its
 * own.  When all have computed those of a span, these are added up,
 *
 *     G_l = ((g_l of shard 0) + g_l of shard 1) + ...
 *
 * and the buffers, which have room for one span, are free for the next.  Where a batch is walked in
 * several parts, those of a later part are added to the sum.  All other tensors are small: they
 * have room of their own, where a shard adds up its parts, and are summed at the end of the pass.
 * The order is fixed, so the bits do not depend on who computes what. */
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

/* Where a shard puts the gradients of a span. */
typedef struct {
    ns_real *base; /* those of the tensor at `offset` belong to base + offset - origin */
    size_t origin;
    bool adds; /* there is a part of the sum already, to which all are added */
} NsSpanGradients;

/* `more`: the sum has begun, in an earlier part or with another use of the span.  Unless it adds,
 * matrices may hold anything before and are written once, and the others are added to, 0 at first.
 */
NsSpanGradients ns_gradients_span(NsGradients *gradients, size_t shard, size_t span, bool more);

/* By all members of a run, when a shard of theirs has computed a span: waits for the others, sums,
 * and waits until all have.  `last`: of the parts of the batch, after which squares are taken. */
void ns_gradients_end_span(NsGradients *gradients, const NsMember *member, size_t span, bool last);

/* Before the first part: what a shard adds to tensors outside the spans becomes 0. */
void ns_gradients_clear_outside(NsGradients *gradients, size_t shard);

/* Where a shard adds the gradient of a tensor outside the spans that stands at this offset. */
ns_real *ns_gradients_outside(NsGradients *gradients, size_t shard, size_t offset);

/* The same as ns_gradients_end_span after the last part, for everything outside the spans. */
void ns_gradients_end(NsGradients *gradients, const NsMember *member);
