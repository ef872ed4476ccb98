/* SPDX-License-Identifier: MIT */
#include "core/ops/ahead.h"

_Thread_local NsAhead ns_ahead;

void ns_ahead_clear(void)
{
    ns_ahead = (NsAhead){0};
}

void ns_ahead_add(const void *begin, const void *end)
{
    NsAhead *a = &ns_ahead;
    if (a->n == NS_AHEAD_PIECES || begin == end) return;
    a->pieces[a->n].at = (uintptr_t)begin;
    a->pieces[a->n++].end = (uintptr_t)end;
}
