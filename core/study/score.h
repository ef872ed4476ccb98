/* How well a guess matches a measurement.  SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    double rank;   /* Spearman's rank correlation, -1 .. 1; ties have their mean rank; NaN if one of
                    * the two is constant */
    double factor; /* mean factor by which the guess is off: exp of the mean |ln(guess / measured)|;
                    * 1 is exact */
} NsScore;

/* guess, measured: [n], n >= 2.  Returns false, without changing the score, if a value is not
 * positive and finite. */
bool ns_score(NsScore *score, const double *guess, const double *measured, size_t n);
