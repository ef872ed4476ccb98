/* Smoothing a curve, value by value as they come.  SPDX-License-Identifier: MIT
 *
 * What was smoothed stays as it is while values are added, and the first values are not drawn
 * towards zero.  Values that are not finite have no smoothed one, and leave the later ones alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    NS_SMOOTH_NONE,
    NS_SMOOTH_EMA,  /* exponential moving average; `amount`: weight of the past, in [0, 1) */
    NS_SMOOTH_MEAN, /* mean of the last `amount` values, of fewer at the beginning */
} NsSmoothKind;

typedef struct {
    NsSmoothKind kind;
    double amount;
} NsSmoothing;

bool ns_smoothing_equal(NsSmoothing a, NsSmoothing b);

/* "EMA 0.9", "mean of 20"; NULL where nothing is smoothed.  Free with g_free. */
char *ns_smoothing_words(NsSmoothing how);

typedef struct {
    NsSmoothing how;
    double mean, weight;  /* EMA: the biased mean, and the weight that is in it */
    double *now, *before; /* MEAN: a block of values, and sums of the block before to its end */
    size_t window, n;     /* values of a block, and how many the present one has */
    size_t *before_count; /* how many finite ones each of those sums is of */
    double sum;           /* of the present block */
    size_t count;
} NsSmoother;

void ns_smoother_init(NsSmoother *smoother, NsSmoothing how);
void ns_smoother_clear(NsSmoother *smoother);

/* The smoothed value that belongs to the next value; that itself for NS_SMOOTH_NONE.  EMA divides
 * by the weight it has gathered (Kingma and Ba 2015, section 3). */
double ns_smoother_next(NsSmoother *smoother, double value);
