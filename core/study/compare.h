/* Fair comparison of the lanes of a study.  SPDX-License-Identifier: MIT
 *
 * A single configuration proves nothing, because a lane may be better only because its learning
 * rate suits it.  Lanes are therefore compared by the best that a search over k configurations
 * finds.  The score of a configuration is the mean of the result over its seeds; either lower or
 * higher values are better.  A run that diverged, or ended above the training loss of the untrained
 * model, counts as the untrained model, because nobody would use it.  If the result is not a loss,
 * a run without a result counts as the worst in the study.
 *
 * Every subset of k of the n configurations is equally likely to be tried.  With the scores sorted,
 * v_1 <= ... <= v_n, the i-th is the best of the k with probability C(n - i, k - 1) / C(n, k).
 * This gives the exact expected best score and the exact probability that the best of one lane
 * beats that of another, where a tie counts half.  Intervals are 95% bootstrap intervals over
 * configurations, with the same resamples for all lanes.  k is at most n / 2, because larger
 * subsets overlap too much. */
#pragma once

#include "core/study/study.h"

#define NS_BUDGETS 48

typedef struct {
    double value, lo, hi; /* lo and hi are the ends of the interval */
} NsInterval;

/* Which lane is better, regardless of whether lower or higher values are better. */
typedef enum { NS_BETTER_A, NS_BETTER_NEITHER, NS_BETTER_B } NsBetter;

typedef struct {
    NsInterval difference; /* difference of the expected best scores, a - b */
    NsInterval beats;      /* probability that the best of a beats that of b */
    NsBetter better;       /* NEITHER (undecided) if the interval of the difference contains 0 */
} NsDuel;

typedef struct {
    size_t configurations; /* number of those with a score in every lane; others are ignored */
    size_t lanes;
    int better;                     /* see ns_study_better */
    size_t untrained[NS_LANES_MAX]; /* number of cells that count as untrained or worst */
    size_t n_budgets;
    size_t budgets[NS_BUDGETS];                           /* k, ascending */
    NsInterval best[NS_LANES_MAX][NS_BUDGETS];            /* the expected best score */
    NsDuel duels[NS_LANES_MAX][NS_LANES_MAX][NS_BUDGETS]; /* [a][b], a < b */
} NsComparison;

/* Compares the lanes; `cells` is [ns_study_cells].  Returns NULL with NS_ERROR_SETTING if it is
 * unknown which results are better, or fewer than two configurations have a score in every lane.
 * Free with g_free. */
NsComparison *ns_comparison_new(const NsStudy *study, const NsStudyCell *cells, GError **error);

/* Computes the scores of all configurations of a lane: [ns_study_configurations]; NaN if a seed is
 * missing.  Returns the number of cells that count as the untrained model or as the worst. */
size_t ns_study_scores(const NsStudy *study, const NsStudyCell *cells, size_t lane, double *scores);

/* Which results are better: -1 lower ones, 1 higher ones, 0 if this is unknown. */
int ns_study_better(const NsStudy *study);

/* ---- Sensitivity to the learning rate ---- */

/* The score at every learning rate of the grid, the best over all other settings, and the
 * sensitivity: the mean of these scores minus the best of them, that is the expected cost of a
 * learning rate that was not tuned (Wortsman et al. 2023, arXiv 2309.14322).  With several seeds,
 * intervals are from a bootstrap over seeds; otherwise lo and hi are NaN. */
typedef struct {
    size_t n;
    double *rates;                    /* [n] learning rates of the grid */
    NsInterval *scores[NS_LANES_MAX]; /* [n]; NaN if a cell is missing */
    double *seeds[NS_LANES_MAX];      /* [n, seeds] the single seeds of these scores */
    NsInterval sensitivity[NS_LANES_MAX];
} NsSensitivity;

/* Returns NULL with NS_ERROR_SETTING if it is unknown which results are better, or the grid does
 * not have at least two values of `lr`. */
NsSensitivity *ns_sensitivity_new(const NsStudy *study, const NsStudyCell *cells, GError **error);
void ns_sensitivity_free(NsSensitivity *sensitivity);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSensitivity, ns_sensitivity_free)
