/* SPDX-License-Identifier: MIT */
#include "core/base/clock.h"

#include "core/base/team.h"

#include <stdatomic.h>
#include <time.h>

/* The times of one thread.  Only that thread writes them; others read them between steps. */
typedef struct Counter {
    _Atomic double seconds[NS_OP_COUNT];
    int64_t inner; /* nanoseconds of marks that ended inside the open mark */
    struct Counter *next;
} Counter;

bool ns_clock_on;

/* Counters outlive their threads, so that their times can still be read. */
static _Atomic(Counter *) counters;
static _Thread_local Counter *mine;

static const char *const keys[] = {
#define KEY(ID, key) key,
    NS_OPS(KEY)
#undef KEY
};

const char *ns_op_key(NsOp op)
{
    return keys[op];
}

static Counter *counter(void)
{
    if (mine) return mine;
    mine = g_new0(Counter, 1);
    mine->next = atomic_load(&counters);
    while (!atomic_compare_exchange_weak(&counters, &mine->next, mine)) continue;
    return mine;
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

NsClockMark ns_clock_begin_on(void)
{
    Counter *c = counter();
    NsClockMark mark = {.inner = c->inner};
    c->inner = 0;
    mark.start = now();
    return mark;
}

void ns_clock_end_on(NsClockMark mark, NsOp op)
{
    Counter *c = counter();
    int64_t taken = now() - mark.start;
    double own = (double)(taken - c->inner) * 1e-9 / ns_team_members();
    double before = atomic_load_explicit(&c->seconds[op], memory_order_relaxed);
    atomic_store_explicit(&c->seconds[op], before + own, memory_order_relaxed);
    c->inner = mark.inner + taken;
}

void ns_clock_enable(bool on)
{
    ns_clock_on = on;
    if (!on) return;
    for (Counter *c = atomic_load(&counters); c; c = c->next) {
        c->inner = 0;
        for (size_t op = 0; op < NS_OP_COUNT; op++) atomic_store(&c->seconds[op], 0);
    }
}

void ns_clock_read(double seconds[NS_OP_COUNT])
{
    for (size_t op = 0; op < NS_OP_COUNT; op++) {
        seconds[op] = 0;
        for (Counter *c = atomic_load(&counters); c; c = c->next)
            seconds[op] += atomic_load(&c->seconds[op]);
    }
}
