/* The time that each operator of a step takes.  SPDX-License-Identifier: MIT
 *
 *     NsClockMark mark = ns_clock_begin();
 *     ... the work ...
 *     ns_clock_end(mark, NS_OP_NORM);
 *
 * While the clock is off, as at the start of a program, a mark costs one well-predicted branch.
 * Marks may be nested: the time of the inner one is not the outer one's.  A member of a run of n
 * threads (core/base/team.h) adds one n-th of its time, so that the times of all operators and the
 * unmarked time add up to wall time. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MEASURE is what is done for the record alone; OTHER is what nobody marks, waiting included. */
#define NS_OPS(X)                                                                                  \
    X(MATMUL, "matmul")                                                                            \
    X(ATTENTION, "attention")                                                                      \
    X(NORM, "norm")                                                                                \
    X(ACTIVATION, "activation")                                                                    \
    X(RESIDUAL, "residual")                                                                        \
    X(EMBEDDING, "embedding")                                                                      \
    X(LOSS, "loss")                                                                                \
    X(GRADIENT_SUM, "gradient-sum")                                                                \
    X(OPTIMIZER, "optimizer")                                                                      \
    X(MEASURE, "measure")                                                                          \
    X(DATA, "data")                                                                                \
    X(OTHER, "other")

typedef enum {
#define NS_OP_ID(ID, key) NS_OP_##ID,
    NS_OPS(NS_OP_ID)
#undef NS_OP_ID
        NS_OP_COUNT
} NsOp;

const char *ns_op_key(NsOp op);

typedef struct {
    int64_t start; /* monotonic time, nanoseconds; 0 where the clock was off */
    int64_t inner; /* what marks inside the enclosing one had taken */
} NsClockMark;

/* Internal: read through ns_clock_begin. */
extern bool ns_clock_on;
NsClockMark ns_clock_begin_on(void);
void ns_clock_end_on(NsClockMark mark, NsOp op);

static inline NsClockMark ns_clock_begin(void)
{
    return G_UNLIKELY(ns_clock_on) ? ns_clock_begin_on() : (NsClockMark){0};
}

/* On the thread that began it, innermost first. */
static inline void ns_clock_end(NsClockMark mark, NsOp op)
{
    if (G_UNLIKELY(mark.start)) ns_clock_end_on(mark, op);
}

/* Switches the clock of the whole program; on, every operator begins at 0.  Not while a step
 * runs. */
void ns_clock_enable(bool on);

/* Seconds on the wall since the clock was switched on, by operator, summed over all threads; 0 for
 * NS_OP_OTHER.  Not while a step runs. */
void ns_clock_read(double seconds[NS_OP_COUNT]);
