/* Means and linear fits with confidence intervals.  SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Compares two doubles for qsort, in ascending order. */
int ns_compare_doubles(const void *a, const void *b);

/* The probability that |T| > t, for t >= 0 and Student's t distribution with `freedom` >= 1 degrees
 * of freedom, which need not be a whole number. */
double ns_student_tail(double t, double freedom);

/* The t for which |T| < t with the probability `confidence`, 0 < confidence < 1. */
double ns_student_quantile(double confidence, double freedom);

typedef struct {
    double mean;
    double sd;    /* sample standard deviation; 0 if n < 2 */
    double reach; /* half the 95% confidence interval of the mean (Student's t); NaN if n < 2 */
} NsMoments;

/* The moments of n values; the mean of no values is 0. */
NsMoments ns_moments(const double *values, size_t n);

/* Half the interval with this confidence of the mean of a table x: [rows, columns], in which rows
 * and columns are random samples: x = mean + row effect + column effect + rest, all independent.
 * With one column this is Student's t over the rows; with one row it is NaN.
 *
 * The variance of the mean is estimated from the mean squares of rows, columns and rest.  The rest
 * is part of the first two and is subtracted from the one with more degrees of freedom.  Those of
 * the columns are reduced if their effects have heavy tails: 2 columns / (kurtosis - 1).  No exact
 * interval is known for such a sum.  The result is the mean of two approximations, of which that of
 * Satterthwaite (1946) is too narrow and that of Cochran (1964) too wide if there are few rows. */
double ns_crossed_reach(const double *x, size_t rows, size_t columns, double confidence);

/* y = at + slope * x, by least squares. */
typedef struct {
    size_t n; /* number of points */
    double at, slope;
    double reach; /* half the 95% confidence interval of the slope; NaN for two points */
} NsFit;

/* Fits a line to x, y: [n], finite.  Returns false if all x are equal. */
bool ns_fit_line(NsFit *fit, const double *x, const double *y, size_t n);

/* The least-squares slope of y = y_0 + slope * x over n points, the first of which is at x = 0. */
double ns_fit_growth(const double *x, const double *y, size_t n);

/* How well a guess matches a measurement. */
typedef struct {
    double rank;   /* Spearman's rank correlation, -1 .. 1; ties have their mean rank; NaN if one of
                    * the two is constant */
    double factor; /* mean factor by which the guess is off: exp of the mean |ln(guess / measured)|;
                    * 1 is exact */
} NsScore;

/* guess, measured: [n], n >= 2.  Returns false, without changing the score, if a value is not
 * positive and finite. */
bool ns_score(NsScore *score, const double *guess, const double *measured, size_t n);
