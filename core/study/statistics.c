/* SPDX-License-Identifier: MIT */
#include "core/study/statistics.h"

#include <glib.h>
#include <math.h>

/* The regularized incomplete beta function I_x(a, b), for x < (a + 1) / (a + b + 2), by its
 * continued fraction (DLMF 8.17.22) with the method of Lentz. */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), product = d;
    for (int m = 1; m < 1000; m++) {
        double step[] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                         -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        double before = product;
        for (int i = 0; i < 2; i++) {
            c = 1 + step[i] / c;
            d = 1 / fmax(1 + step[i] * d, tiny);
            product *= c * d;
        }
        if (fabs(product - before) < 1e-15 * fabs(product)) break;
    }
    double front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
    return exp(front) * product / a;
}

double ns_student_tail(double t, double freedom)
{
    double a = freedom / 2, x = freedom / (freedom + t * t), rest = t * t / (freedom + t * t);
    if (isnan(x) || isnan(rest)) return 0; /* t is infinite */
    if (x <= 0 || rest <= 0) return x > 0;
    return x < (a + 1) / (a + 2.5) ? beta_fraction(x, a, 0.5) : 1 - beta_fraction(rest, 0.5, a);
}

/* Newton's method for the logarithm of the tail as a function of log t, which is almost a line. */
double ns_student_quantile(double confidence, double freedom)
{
    double front = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * G_PI) / 2;
    double t = 2, step = 1;
    for (int i = 0; i < 100 && fabs(step) > 1e-14; i++) {
        double density = exp(front - (freedom + 1) / 2 * log1p(t * t / freedom));
        double tail = ns_student_tail(t, freedom);
        step = log(tail / (1 - confidence)) * tail / (2 * density * t);
        t *= exp(step);
    }
    return t;
}

int ns_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

NsMoments ns_moments(const double *values, size_t n)
{
    NsMoments moments = {.reach = (double)NAN};
    double squares = 0;
    for (size_t i = 0; i < n; i++) moments.mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - moments.mean) * (values[i] - moments.mean);
    if (n < 2) return moments;
    moments.sd = sqrt(squares / (double)(n - 1));
    moments.reach = ns_student_quantile(0.95, (double)(n - 1)) * moments.sd / sqrt((double)n);
    return moments;
}

double ns_crossed_reach(const double *x, size_t rows, size_t columns, double confidence)
{
    double n = (double)rows, m = (double)columns, mean = 0, rest = 0, fourth = 0;
    double squares[2] = {0, 0}, freedom[2] = {n - 1, m - 1}; /* of rows, of columns */
    if (rows < 2) return (double)NAN;
    g_autofree double *row = g_new0(double, rows), *column = g_new0(double, columns);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            row[i] += x[i * columns + j] / m;
            column[j] += x[i * columns + j] / n;
            mean += x[i * columns + j] / m / n;
        }
    for (size_t i = 0; i < rows; i++) squares[0] += pow(row[i] - mean, 2);
    for (size_t j = 0; j < columns; j++) squares[1] += pow(column[j] - mean, 2);
    for (size_t j = 0; j < columns; j++) fourth += pow(column[j] - mean, 4);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            rest += pow(x[i * columns + j] - row[i] - column[j] + mean, 2);
    double variance[2] = {squares[0] / freedom[0] / n, 0}; /* parts of the variance of the mean */
    if (columns > 1) {
        variance[1] = squares[1] / freedom[1] / m;
        size_t more = freedom[1] >= freedom[0];
        variance[more] = fmax(variance[more] - rest / freedom[0] / freedom[1] / n / m, 0);
        double kurtosis = squares[1] > 0 ? m * fourth / pow(squares[1], 2) : 1;
        if (kurtosis > 1) freedom[1] = fmin(freedom[1], 2 * m / (kurtosis - 1));
    }
    double sum = variance[0] + variance[1], inverse = 0, cochran = 0;
    if (!(sum > 0)) return sum;
    if (!(variance[1] > 0)) return ns_student_quantile(confidence, freedom[0]) * sqrt(sum);
    for (int i = 0; i < 2; i++) {
        inverse += pow(variance[i] / sum, 2) / freedom[i];
        cochran += variance[i] / sum * ns_student_quantile(confidence, freedom[i]);
    }
    return (ns_student_quantile(confidence, 1 / inverse) + cochran) / 2 * sqrt(sum);
}

bool ns_fit_line(NsFit *fit, const double *x, const double *y, size_t n)
{
    double mx = 0, my = 0, cross = 0, square = 0, rest = 0;
    bool differ = false;
    for (size_t i = 0; i < n; i++) {
        mx += x[i] / (double)n;
        my += y[i] / (double)n;
        differ |= x[i] < x[0] || x[i] > x[0];
    }
    if (!differ) return false;
    for (size_t i = 0; i < n; i++) {
        cross += (x[i] - mx) * (y[i] - my);
        square += (x[i] - mx) * (x[i] - mx);
    }
    *fit = (NsFit){.n = n, .slope = cross / square, .reach = (double)NAN};
    fit->at = my - fit->slope * mx;
    for (size_t i = 0; i < n; i++) {
        double off = (y[i] - my) - fit->slope * (x[i] - mx);
        rest += off * off;
    }
    if (n > 2)
        fit->reach =
            ns_student_quantile(0.95, (double)(n - 2)) * sqrt(rest / (double)(n - 2) / square);
    return true;
}

double ns_fit_growth(const double *x, const double *y, size_t n)
{
    double cross = 0, square = 0;
    for (size_t i = 1; i < n; i++) {
        cross += x[i] * (y[i] - y[0]);
        square += x[i] * x[i];
    }
    return cross / square;
}

/* ---- Ranks ---- */

/* Computes twice the mean rank of each value, from 0, so that ties have whole numbers. */
static void rank(double *ranks, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ranks[i] = 0;
        for (size_t j = 0; j < n; j++) {
            if (values[j] < values[i]) ranks[i] += 2;
            if (j != i && values[j] <= values[i] && values[j] >= values[i]) ranks[i] += 1;
        }
    }
}

static double correlation(const double *a, const double *b, size_t n)
{
    double mean = (double)n - 1; /* mean of the doubled ranks */
    double ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n; i++) {
        ab += (a[i] - mean) * (b[i] - mean);
        aa += (a[i] - mean) * (a[i] - mean);
        bb += (b[i] - mean) * (b[i] - mean);
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : (double)NAN;
}

bool ns_score(NsScore *score, const double *guess, const double *measured, size_t n)
{
    double distance = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(guess[i] > 0) || !(measured[i] > 0)) return false;
        distance += fabs(log(guess[i] / measured[i]));
    }
    if (!isfinite(distance)) return false;
    g_autofree double *ranks = g_new(double, 2 * n);
    rank(ranks, guess, n);
    rank(ranks + n, measured, n);
    score->rank = correlation(ranks, ranks + n, n);
    score->factor = exp(distance / (double)n);
    return true;
}
