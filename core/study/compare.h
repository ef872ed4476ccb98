/* Fair comparison of the lanes of a study.  SPDX-License-Identifier: MIT
 *
 * A single configuration proves nothing, because a lane may be better only because its learning
 * rate suits it.  Lanes are therefore compared by the best that a search over k configurations
 * finds, where each configuration is run once.  Either lower or higher results are better.  A run
 * that diverged, or ended above the training loss of the untrained model, counts as the untrained
 * model, because nobody would use it.  If the result is not a loss, a run without a result counts
 * as the worst in the study.
 *
 * Every subset of k of the n configurations is equally likely to be tried.  With the results of one
 * seed sorted, v_1 <= ... <= v_n, the i-th is the best of the k with probability
 * C(n - i, k - 1) / C(n, k).  This gives the exact expected best result with this seed, and the
 * exact probability that the best of one lane beats that of another, where a tie counts half.  The
 * values below are means over the seeds.  k is at most n / 2, or a third of the draws,
 * because larger subsets overlap too much.
 *
 * An interval covers, with a probability of 95%, the value that the mean over all possible seeds
 * would have:
 *
 *   grid    for exactly these configurations, which are no random sample: Student's t over the
 *           values of the single seeds
 *   random  and over all draws from the distributions of the study: the values are U-statistics
 *           of the draws, whose pseudo-values of the jackknife, [seeds, draws], are a table with
 *           random rows and columns (ns_crossed_reach)
 *
 * Seed i of one lane is paired with seed i of another.  Lanes that share seeds or data seeds, as
 * they do unless a lane sets its own, gain from this; others lose degrees of freedom, but the
 * intervals hold.  A single seed has values, but neither intervals nor verdicts, and so have two
 * seeds if a configuration diverged with one of them only.  With more seeds such divergences make
 * verdicts rarer.  No interval allows for divergences so rare that no run has any. */
#pragma once

#include "core/study/study_store.h"

#define NS_BUDGETS 48

typedef struct {
    double value, lo, hi; /* lo and hi are the ends of the interval, NaN if there is none */
} NsInterval;

/* Which lane is better, regardless of whether lower or higher values are better. */
typedef enum {
    NS_BETTER_A,
    NS_BETTER_NEITHER, /* undecided: the interval of the difference contains 0 */
    NS_BETTER_B,
    NS_BETTER_UNKNOWN, /* there is no interval */
} NsBetter;

typedef struct {
    NsInterval difference; /* difference of the expected best results, a - b */
    double beats;          /* probability that the best of a beats that of b */
    NsBetter better;       /* wrong in 5% of the cases if the lanes are equal at this k */
} NsDuel;

typedef struct {
    size_t configurations; /* number of those with a score in every lane; others are ignored */
    size_t lanes;
    int better;                     /* see ns_study_better */
    size_t untrained[NS_LANES_MAX]; /* number of cells that count as untrained or worst */
    size_t n_budgets;
    size_t budgets[NS_BUDGETS];                           /* k, ascending */
    NsInterval best[NS_LANES_MAX][NS_BUDGETS];            /* the expected best result */
    NsDuel duels[NS_LANES_MAX][NS_LANES_MAX][NS_BUDGETS]; /* [a][b], a < b */
    /* The verdicts of the study, [a][b], a < b: at the largest k alone, with intervals that are
     * widened for the number of pairs (Bonferroni).  If all lanes are equal, one of them is wrong
     * in 5% of the studies. */
    NsBetter verdicts[NS_LANES_MAX][NS_LANES_MAX];
    const char *no_verdict; /* why there are none, as a sentence (N_); else NULL */
} NsComparison;

/* Compares the lanes.  Returns NULL with NS_ERROR_SETTING if it is unknown which results are
 * better, or fewer than two configurations have a score in every lane.  Free with g_free. */
NsComparison *ns_comparison_new(const NsStudyResults *results, GError **error);

/* Which results are better: -1 lower ones, 1 higher ones, 0 if this is unknown. */
int ns_study_better(const NsStudy *study);

/* ---- Sensitivity to the learning rate ---- */

/* The score at every learning rate of the grid, the best over all other settings, and the
 * sensitivity: the mean of these scores minus the best of them, that is the expected cost of a
 * learning rate that was not tuned (Wortsman et al. 2023, arXiv 2309.14322).  All are computed with
 * each seed, and the values are the means over the seeds.  The intervals are Student's t over the
 * seeds, for exactly these configurations, also if they were drawn. */
typedef struct {
    size_t n;
    double *rates;                    /* [n] learning rates of the grid */
    NsInterval *scores[NS_LANES_MAX]; /* [n]; NaN if a cell is missing */
    double *seeds[NS_LANES_MAX];      /* [n, seeds] these scores with each seed */
    NsInterval sensitivity[NS_LANES_MAX];
} NsSensitivity;

/* Returns NULL with NS_ERROR_SETTING if it is unknown which results are better, or the grid does
 * not have at least two values of `lr`. */
NsSensitivity *ns_sensitivity_new(const NsStudyResults *results, GError **error);
void ns_sensitivity_free(NsSensitivity *sensitivity);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSensitivity, ns_sensitivity_free)
