/* SPDX-License-Identifier: MIT */
#include "core/study/statistics.h"

#include <glib.h>
#include <math.h>

/* The two-sided 95% quantile of Student's t distribution with `freedom` >= 1 degrees of freedom. */
static double student(size_t freedom)
{
    static const double t[] = {0,     12.706, 4.303, 3.182, 2.776, 2.571,
                               2.447, 2.365,  2.306, 2.262, 2.228};
    if (freedom < G_N_ELEMENTS(t)) return t[freedom];
    /* Abramowitz and Stegun 26.7.5, an expansion around the 97.5% quantile of the normal
     * distribution. */
    double z = 1.959964, v = (double)freedom;
    double first = (pow(z, 3) + z) / 4, second = (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / 96;
    return z + first / v + second / (v * v);
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
    moments.reach = student(n - 1) * moments.sd / sqrt((double)n);
    return moments;
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
    if (n > 2) fit->reach = student(n - 2) * sqrt(rest / (double)(n - 2) / square);
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
