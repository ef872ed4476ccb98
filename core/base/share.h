/* A thread's share of all tensors.  SPDX-License-Identifier: MIT
 *
 * A pass over an arena is divided among n threads: thread k takes the k-th of n ranges of equal
 * size, the same in every pass, so that its pages and caches remain local.  A tensor is processed
 * in blocks whose boundaries depend only on the tensor; a block belongs to the thread in whose
 * range it begins.  So sums over blocks, added in the order of the blocks, do not depend on the
 * number of threads. */
#pragma once

#include "core/base/tensor.h"

/* Maximum number of blocks of a tensor. */
#define NS_BLOCKS_MAX 64

/* A block of a tensor. */
typedef struct {
    size_t tensor; /* index */
    size_t offset; /* in an arena */
    size_t n;      /* elements */
    bool first;    /* whether it is the first block of its tensor */
    bool late;     /* the tensor begins in the share of an earlier thread */
} NsBlock;

typedef struct {
    const NsTensorTable *table;
    size_t end;        /* of the range */
    size_t tensor, at; /* the next block */
    bool late;
} NsShare;

/* Returns the share of thread k of n; k < n. */
NsShare ns_share(const NsTensorTable *table, unsigned k, unsigned n);

/* Gets the next block in the order of the table; returns false at the end. */
bool ns_share_next(NsShare *share, NsBlock *block);

/* The maximum useful number of team members for a pass over a table: 1 if the work is so little
 * that waiting for another thread would take longer. */
size_t ns_share_most(const NsTensorTable *table);
