/* Fair comparison of the lanes of a study.  SPDX-License-Identifier: MIT
 *
 * One configuration proves nothing: a lane may be better merely because its learning rate suits it.
 * So lanes are compared by what a search of k configurations finds.  The score of a configuration
 * is the mean over its seeds of the result, of which lower or higher values are better.  A run that
 * diverged, or ended above the training loss of the untrained model, counts as the untrained model:
 * nobody would use it.  Where the result is no loss, a run without one counts as the worst that
 * there is in the study.
 *
 * Of the n configurations every subset of k is equally likely to be tried.  With the scores sorted,
 * v_1 <= ... <= v_n, the i-th is the best of the k with probability C(n - i, k - 1) / C(n, k); from
 * this follow exactly the expected best score and the probability that one lane's best beats that
 * of another, a tie counting half.  Intervals are of 95%, from a bootstrap over configurations,
 * which all lanes share.  k goes up to n / 2: beyond, the subsets have too much in common. */
#pragma once

#include "core/study/study.h"

#define NS_BUDGETS 48

typedef struct {
    double value, lo, hi; /* lo and hi: the ends of the interval */
} NsInterval;

/* Which lane is better, whether lower or higher values are. */
typedef enum { NS_BETTER_A, NS_BETTER_NEITHER, NS_BETTER_B } NsBetter;

typedef struct {
    NsInterval difference; /* of the expected best scores, a - b */
    NsInterval beats;      /* probability that the best of a beats that of b */
    NsBetter better;       /* NEITHER, undecided, where the interval of the difference holds 0 */
} NsDuel;

typedef struct {
    size_t configurations; /* that have a score in every lane; others are left out */
    size_t lanes;
    int better;                     /* as ns_study_better */
    size_t untrained[NS_LANES_MAX]; /* cells that count as the untrained model, or as the worst */
    size_t n_budgets;
    size_t budgets[NS_BUDGETS];                           /* k, ascending */
    NsInterval best[NS_LANES_MAX][NS_BUDGETS];            /* the expected best score */
    NsDuel duels[NS_LANES_MAX][NS_LANES_MAX][NS_BUDGETS]; /* [a][b], a < b */
} NsComparison;

/* NULL with NS_ERROR_SETTING, which says why, where no result is better than another, or there are
 * fewer than two configurations that have a score in every lane.  cells: [ns_study_cells].  Free
 * with g_free. */
NsComparison *ns_comparison_new(const NsStudy *study, const NsStudyCell *cells, GError **error);

/* The scores of all configurations of a lane: [ns_study_configurations]; NaN where a seed is
 * missing.  Returns how many cells count as the untrained model, or as the worst. */
size_t ns_study_scores(const NsStudy *study, const NsStudyCell *cells, size_t lane, double *scores);

/* Which results are better: -1 the lower ones, as of a loss, 1 the higher ones; 0 where none is. */
int ns_study_better(const NsStudy *study);

/* ---- Sensitivity to the learning rate ---- */

/* The score at every learning rate of the grid, the best over what else varies; and how far the
 * mean of these is from the best of them: what a rate that was not searched for costs (Wortsman et
 * al. 2023, arXiv 2309.14322).  With several seeds, intervals are from a bootstrap over them; else
 * lo and hi are NaN. */
typedef struct {
    size_t n;
    double *rates;                    /* [n] of the grid */
    NsInterval *scores[NS_LANES_MAX]; /* [n]; NaN where a cell is missing */
    double *seeds[NS_LANES_MAX];      /* [n, seeds] of the configurations that these are of */
    NsInterval sensitivity[NS_LANES_MAX];
} NsSensitivity;

/* NULL with NS_ERROR_SETTING where no result is better than another, or `lr` is not in the grid
 * with two rates or more. */
NsSensitivity *ns_sensitivity_new(const NsStudy *study, const NsStudyCell *cells, GError **error);
void ns_sensitivity_free(NsSensitivity *sensitivity);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSensitivity, ns_sensitivity_free)
