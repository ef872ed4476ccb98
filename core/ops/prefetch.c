/* SPDX-License-Identifier: MIT */
#include "core/ops/prefetch.h"

_Thread_local NsPrefetch ns_prefetch;

void ns_prefetch_clear(void)
{
    ns_prefetch = (NsPrefetch){0};
}

void ns_prefetch_add(const void *begin, const void *end)
{
    NsPrefetch *a = &ns_prefetch;
    if (a->n == NS_PREFETCH_PIECES || begin == end) return;
    a->pieces[a->n].at = (uintptr_t)begin;
    a->pieces[a->n++].end = (uintptr_t)end;
}
