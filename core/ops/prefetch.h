/* Memory that a thread prefetches.  SPDX-License-Identifier: MIT
 *
 * If a model does not fit into the caches, matrix products spend more time waiting for their
 * operands than multiplying.  So a thread names pieces of memory that it will need soon, and the
 * kernels prefetch them into the second-level cache, one line at a time, between multiplications.
 * This changes when memory is read, never what is computed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { NS_PREFETCH_LINE = 64 /* bytes */, NS_PREFETCH_PIECES = 4 };

/* Internal to the functions below. */
typedef struct {
    size_t n, next; /* pieces; the first of which not all was fetched */
    struct {
        uintptr_t at, end; /* addresses: they go beyond what they belong to */
    } pieces[NS_PREFETCH_PIECES];
} NsPrefetch;

extern _Thread_local NsPrefetch ns_prefetch;

/* Forgets all pieces of this thread; must be called before that memory is freed. */
void ns_prefetch_clear(void);

/* Adds the bytes from `begin` to `end`, to be fetched after the earlier pieces.  Of more than
 * NS_PREFETCH_PIECES since the last ns_prefetch_clear the others are left out. */
void ns_prefetch_add(const void *begin, const void *end);

/* The address of the next `lines` lines to be fetched, or 0.  They may lie beyond the end of their
 * piece: to fetch is never an error. */
static inline uintptr_t ns_prefetch_take(size_t lines)
{
    NsPrefetch *a = &ns_prefetch;
    if (a->next >= a->n) return 0;
    uintptr_t at = a->pieces[a->next].at;
    a->pieces[a->next].at += lines * NS_PREFETCH_LINE;
    if (a->pieces[a->next].at >= a->pieces[a->next].end) a->next++;
    return at;
}
