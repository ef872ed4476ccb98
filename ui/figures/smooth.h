/* Incremental smoothing of a curve.  SPDX-License-Identifier: MIT
 *
 * Adding a value does not change earlier smoothed values, and the first ones are not biased towards
 * zero.  The smoothed value of a non-finite value is NaN; later ones are not affected by it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    NS_SMOOTH_NONE,
    NS_SMOOTH_EMA,  /* exponential moving average; `amount`: weight of the past, in [0, 1) */
    NS_SMOOTH_MEAN, /* mean of the last `amount` values, of fewer at the start */
    NS_SMOOTH_AUTO, /* losses of long runs: see ns_figure_smoothing */
} NsSmoothKind;

typedef struct {
    NsSmoothKind kind;
    double amount;
} NsSmoothing;

bool ns_smoothing_equal(NsSmoothing a, NsSmoothing b);

/* "EMA 0.9", "mean of 20", "auto"; NULL for NS_SMOOTH_NONE.  Free with g_free. */
char *ns_smoothing_words(NsSmoothing how);

typedef struct {
    NsSmoothing how;
    double mean, weight;  /* EMA: the biased mean, and the sum of the weights in it */
    double *now, *before; /* MEAN: values of the current block; suffix sums of the previous block */
    size_t window, n;     /* size of a block; number of values in the current block */
    size_t *before_count; /* number of finite values in each of those sums */
    double sum;           /* of the finite values of the current block, and their number */
    size_t count;
} NsSmoother;

void ns_smoother_init(NsSmoother *smoother, NsSmoothing how);
void ns_smoother_clear(NsSmoother *smoother);

/* Returns the smoothed value of the next value; the value itself for other kinds.  EMA is
 * corrected for bias: it is divided by the sum of its weights (Kingma and Ba 2015, section 3). */
double ns_smoother_next(NsSmoother *smoother, double value);
