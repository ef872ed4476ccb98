/* Means and straight lines, and how sure they are.  SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Ascending, for qsort. */
int ns_compare_doubles(const void *a, const void *b);

typedef struct {
    double mean;
    double sd;    /* sample standard deviation; 0 of less than two values */
    double reach; /* half the 95% confidence interval of the mean (Student's t); NaN alike */
} NsMoments;

/* Of n values; the mean of none is 0. */
NsMoments ns_moments(const double *values, size_t n);

/* y = at + slope * x, by least squares. */
typedef struct {
    size_t n; /* points */
    double at, slope;
    double reach; /* half the 95% confidence interval of the slope; NaN of two points */
} NsFit;

/* x, y: [n], finite.  FALSE where fewer than two of the x differ. */
bool ns_fit_line(NsFit *fit, const double *x, const double *y, size_t n);
