/* The time that each operator of a step takes.  SPDX-License-Identifier: MIT
 *
 *     NsClockMark mark = ns_clock_begin();
 *     ... the work ...
 *     ns_clock_end(mark, NS_OP_NORM);
 *
 * While the clock is off, which is the default, a mark costs one well-predicted branch.  Marks may
 * be nested; the time of an inner mark is not counted in the outer one.  A member of a run of n
 * threads (core/base/team.h) adds one n-th of its time, so that the times of all operators and the
 * unmarked time add up to wall time. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MEASURE is work done only for the record of a step; OTHER is unmarked time, including waiting. */
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
    int64_t start; /* monotonic time in nanoseconds; 0 if the clock was off */
    int64_t inner; /* time of marks that had ended inside the enclosing mark */
} NsClockMark;

/* Internal: use ns_clock_begin and ns_clock_end. */
extern bool ns_clock_on;
NsClockMark ns_clock_begin_on(void);
void ns_clock_end_on(NsClockMark mark, NsOp op);

static inline NsClockMark ns_clock_begin(void)
{
    return G_UNLIKELY(ns_clock_on) ? ns_clock_begin_on() : (NsClockMark){0};
}

/* Must be called on the thread that called ns_clock_begin, innermost mark first. */
static inline void ns_clock_end(NsClockMark mark, NsOp op)
{
    if (G_UNLIKELY(mark.start)) ns_clock_end_on(mark, op);
}

/* Turns the clock of the whole program on or off; turning it on resets all times to 0.  Must not be
 * called during a step. */
void ns_clock_enable(bool on);

/* Wall time in seconds of each operator since the clock was turned on, summed over all threads; 0
 * for NS_OP_OTHER.  Must not be called during a step. */
void ns_clock_read(double seconds[NS_OP_COUNT]);
