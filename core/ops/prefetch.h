/* Memory that a thread prefetches.  SPDX-License-Identifier: MIT
 *
 * If a model does not fit into the caches, matrix products spend more time waiting for their
 * operands than multiplying.  So a thread registers pieces of memory that it will need soon, and
 * the kernels prefetch them into the second-level cache, one line at a time, between
 * multiplications.  This changes when memory is read, but never the results. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { NS_PREFETCH_LINE = 64 /* bytes */, NS_PREFETCH_PIECES = 4 };

/* Internal to the functions below. */
typedef struct {
    size_t n, next; /* number of pieces; index of the first one not yet fetched completely */
    struct {
        uintptr_t at, end; /* addresses, not pointers: they may pass the end of an object */
    } pieces[NS_PREFETCH_PIECES];
} NsPrefetch;

extern _Thread_local NsPrefetch ns_prefetch;

/* Removes all pieces of this thread; must be called before their memory is freed. */
void ns_prefetch_clear(void);

/* Adds the bytes from `begin` to `end`, to be fetched after the earlier pieces.  Does nothing if
 * NS_PREFETCH_PIECES pieces were added since the last ns_prefetch_clear. */
void ns_prefetch_add(const void *begin, const void *end);

/* Returns the address of the next `lines` lines to fetch, or 0 if there are none.  They may extend
 * beyond the end of their piece: prefetching any address is safe. */
static inline uintptr_t ns_prefetch_take(size_t lines)
{
    NsPrefetch *a = &ns_prefetch;
    if (a->next >= a->n) return 0;
    uintptr_t at = a->pieces[a->next].at;
    a->pieces[a->next].at += lines * NS_PREFETCH_LINE;
    if (a->pieces[a->next].at >= a->pieces[a->next].end) a->next++;
    return at;
}
