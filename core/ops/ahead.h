/* What a thread will want soon.  SPDX-License-Identifier: MIT
 *
 * Where a model does not fit into the caches, its products wait for their operands longer than they
 * multiply.  So a thread announces pieces of memory, and the kernels of the products fetch them
 * into the second cache, a line at a time, between their multiplications.  That changes when
 * memory is read and never what is computed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { NS_AHEAD_LINE = 64 /* bytes */, NS_AHEAD_PIECES = 4 };

/* Internal to the functions below. */
typedef struct {
    size_t n, next; /* pieces; the first of which not all was fetched */
    struct {
        uintptr_t at, end; /* addresses: they go beyond what they belong to */
    } pieces[NS_AHEAD_PIECES];
} NsAhead;

extern _Thread_local NsAhead ns_ahead;

/* This thread forgets what it has announced: before that memory is freed. */
void ns_ahead_clear(void);

/* Announces the bytes from `begin` to `end`, to be fetched after the earlier pieces.  Of more than
 * NS_AHEAD_PIECES since the last ns_ahead_clear the others are left out. */
void ns_ahead_add(const void *begin, const void *end);

/* The address of the next `lines` lines to be fetched, or 0.  They may lie beyond the end of their
 * piece: to fetch is never an error. */
static inline uintptr_t ns_ahead_take(size_t lines)
{
    NsAhead *a = &ns_ahead;
    if (a->next >= a->n) return 0;
    uintptr_t at = a->pieces[a->next].at;
    a->pieces[a->next].at += lines * NS_AHEAD_LINE;
    if (a->pieces[a->next].at >= a->pieces[a->next].end) a->next++;
    return at;
}
