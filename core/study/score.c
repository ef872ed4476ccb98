/* SPDX-License-Identifier: MIT */
#include "core/study/score.h"

#include <glib.h>
#include <math.h>

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
