/* A thread's share of all tensors.  SPDX-License-Identifier: MIT
 *
 * A pass over an arena is cut once: thread k of n takes the k-th of n equal stretches, in every
 * pass the same, so that its pages and caches stay its own.  A tensor is worked on in blocks whose
 * cuts depend on the tensor alone; a block belongs to the thread in whose stretch it begins.  Sums
 * over blocks, added in the order of the blocks, are therefore independent of the number of
 * threads. */
#pragma once

#include "core/base/tensor.h"

/* A tensor has no more blocks than this. */
#define NS_BLOCKS_MAX 64

/* A block of a tensor. */
typedef struct {
    size_t tensor; /* index */
    size_t offset; /* in an arena */
    size_t n;      /* elements */
    bool first;    /* of its tensor */
    bool late;     /* the tensor begins in the share of an earlier thread */
} NsBlock;

typedef struct {
    const NsTensorTable *table;
    size_t end;        /* of the stretch */
    size_t tensor, at; /* the next block */
    bool late;
} NsShare;

/* The share of thread k of n; k < n. */
NsShare ns_share(const NsTensorTable *table, unsigned k, unsigned n);

/* The next block in the order of the table; false at the end. */
bool ns_share_next(NsShare *share, NsBlock *block);

/* The most members of a team that a pass over a table is enough work for: 1 where there is so
 * little to do that waiting for another thread would take longer. */
size_t ns_share_most(const NsTensorTable *table);
