/* How well a guess matches a measurement.  SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    double rank;   /* Spearman's rank correlation, ties with their mean rank: -1 .. 1; NaN where one
                    * of the two is constant */
    double factor; /* by which the guess is off, up or down: exp of the mean |ln(guess / measured)|;
                    * 1 is exact */
} NsScore;

/* guess, measured: [n], n >= 2.  FALSE, and the score untouched, if a value is not positive and
 * finite. */
bool ns_score(NsScore *score, const double *guess, const double *measured, size_t n);
