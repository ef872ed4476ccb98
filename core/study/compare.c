/* SPDX-License-Identifier: MIT */
#include "core/study/compare.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/study/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.95

/* ---- Scores ---- */

int ns_study_better(const NsStudy *study)
{
    int direction = ns_result_direction(&study->results.of[0]);
    return direction ? direction : study->results.of[0].better;
}

static bool refuse_result(const NsStudy *study, GError **error)
{
    g_autofree char *what = ns_study_result_words(study);
    return ns_refuse(
        error, NS_ERROR_SETTING,
        "The lanes are not compared: nothing says whether lower or higher values of the result "
        "(%s) are better; write better = lower or better = higher in the section [result].",
        what);
}

/* How cells are scored. */
typedef struct {
    const NsStudyCell *cells;
    bool loss;
    double worst; /* worst result of the study; NaN for a loss, or if there is none */
} Scoring;

static Scoring scoring_of(const NsStudy *study, const NsStudyCell *cells)
{
    Scoring scoring = {cells, ns_result_is_loss(&study->results.of[0]), NAN};
    int better = ns_study_better(study);
    for (size_t i = 0; !scoring.loss && i < ns_study_cells(study); i++)
        scoring.worst =
            better < 0 ? fmax(scoring.worst, cells[i].value) : fmin(scoring.worst, cells[i].value);
    return scoring;
}

/* The score of a cell; NaN if it has not ended. */
static double score_of(const Scoring *scoring, size_t i, size_t *untrained)
{
    const NsStudyCell *cell = &scoring->cells[i];
    if (cell->state != NS_CELL_DONE && cell->state != NS_CELL_DIVERGED) return NAN;
    bool worse = isnan(cell->value) || (scoring->loss && cell->value > cell->first);
    *untrained += worse;
    if (!worse) return cell->value;
    return scoring->loss ? cell->first : scoring->worst;
}

/* ---- The best of k ---- */

/* The score of a configuration; lower is better. */
typedef struct {
    double value;
    size_t draw;
} Score;

/* The scores that are compared.  A grid counts as one draw. */
typedef struct {
    size_t n, seeds, draws;
    bool fixed;                 /* there is no random sample, and no interval */
    Score *lanes[NS_LANES_MAX]; /* [seeds, n], ascending for each seed */
} Scores;

static int by_value(const void *a, const void *b)
{
    const Score *x = a, *y = b;
    if (x->value < y->value || x->value > y->value) return x->value < y->value ? -1 : 1;
    return x->draw < y->draw ? -1 : x->draw > y->draw;
}

/* Returns the pseudo-values of the jackknife, [seeds, draws], of the expected best of k.  That of a
 * configuration is the mean plus n - 1 times what the mean gains by this configuration, and that of
 * a draw is the mean over its configurations.  The i-th of n values, from 0, is the best of k with
 * probability p(i, n), where p(0, n) = k / n and p(i + 1, n) = p(i, n) (n - k - i) / (n - 1 - i).
 */
static double *pseudo_values(const Scores *s, size_t lane, size_t k)
{
    double *table = g_new0(double, s->seeds * s->draws), n = (double)s->n;
    g_autofree double *fewer = g_new(double, s->n); /* p(i, n - 1) */
    for (size_t seed = 0; seed < s->seeds; seed++) {
        const Score *scores = s->lanes[lane] + seed * s->n;
        double mean = 0, p = (double)k / n, *row = table + seed * s->draws;
        double below = 0, above = 0; /* the mean without a value: from those below and above it */
        fewer[0] = (double)k / (n - 1);
        for (size_t i = 0; i < s->n; i++) {
            double left = n - 1 - (double)i; /* number of values above this one */
            mean += p * scores[i].value;
            p *= left > 0 ? (left + 1 - (double)k) / left : 0;
            if (i) above += fewer[i - 1] * scores[i].value;
            if (left > 0) fewer[i + 1] = left > 1 ? fewer[i] * (left - (double)k) / (left - 1) : 0;
        }
        for (size_t draw = 0; draw < s->draws; draw++) row[draw] = mean;
        for (size_t i = 0; s->draws > 1 && i < s->n; i++) {
            if (i) above -= fewer[i - 1] * scores[i].value;
            row[scores[i].draw] += (n - 1) * (mean - below - above) * (double)s->draws / n;
            below += fewer[i] * scores[i].value;
        }
    }
    return table;
}

/* The probability that the best of k of one lane beats that of another, over all subsets and seeds.
 * With the scores of the first lane sorted, x_0 <= ... <= x_{n-1}, the i-th is the best of its k
 * with probability none(i) - none(i + 1), where none of the first c of n is among k with
 * probability none(c) = C(n - c, k) / C(n, k). */
static double probability(const Scores *s, size_t one, size_t other, size_t k)
{
    g_autofree double *none = g_new(double, s->n + 1);
    double sum = 0;
    none[0] = 1;
    for (size_t c = 0; c < s->n; c++)
        none[c + 1] = s->n - c > k ? none[c] * (double)(s->n - c - k) / (double)(s->n - c) : 0;
    for (size_t seed = 0; seed < s->seeds; seed++) {
        const Score *x = s->lanes[one] + seed * s->n, *y = s->lanes[other] + seed * s->n;
        for (size_t i = 0, lower = 0, upto = 0; i < s->n; i++) {
            while (lower < s->n && y[lower].value < x[i].value) lower++;
            while (upto < s->n && y[upto].value <= x[i].value) upto++;
            sum += (none[i] - none[i + 1]) * (none[lower] + none[upto]) / 2;
        }
    }
    return sum / (double)s->seeds;
}

/* ---- Intervals ---- */

static NsInterval interval(double value, double reach)
{
    return (NsInterval){value, value - reach, value + reach};
}

static NsInterval interval_of(const Scores *s, const double *table, double confidence)
{
    double mean = 0, cells = (double)(s->seeds * s->draws);
    for (size_t i = 0; i < s->seeds * s->draws; i++) mean += table[i] / cells;
    double reach = s->fixed ? (double)NAN : ns_crossed_reach(table, s->seeds, s->draws, confidence);
    return interval(mean, reach);
}

/* The comparison uses scores of which lower ones are better; this restores the sign if higher ones
 * are. */
static NsInterval flip(NsInterval interval, int better)
{
    return better < 0 ? interval : (NsInterval){-interval.value, -interval.hi, -interval.lo};
}

static NsBetter better_of(const NsInterval *difference)
{
    if (isnan(difference->lo)) return NS_BETTER_UNKNOWN;
    if (difference->hi < 0) return NS_BETTER_A;
    return difference->lo > 0 ? NS_BETTER_B : NS_BETTER_NEITHER;
}

/* ---- The comparison ---- */

/* Chooses two budgets per factor of 2, of which the first is 1. */
static void choose_budgets(NsComparison *c, size_t most)
{
    most = MAX(most, c->configurations > 1);
    for (size_t octave = 1; c->n_budgets + 2 <= NS_BUDGETS; octave *= 2) {
        const size_t steps[] = {octave, octave + octave / 2};
        for (size_t i = 0; i < (octave == 1 ? 1 : 2); i++) {
            if (steps[i] > most) return;
            c->budgets[c->n_budgets++] = steps[i];
        }
    }
}

/* Finds the configurations with a score for every seed in every lane, and the number of their
 * draws.  Returns their numbers, [configurations].  *mixed is set if one of them counts as
 * untrained with some seeds of a lane, but not with all. */
static size_t *find_configurations(NsComparison *c, const NsStudy *study, const Scoring *scoring,
                                   size_t *draws, bool *mixed)
{
    size_t n = ns_study_configurations(study), seeds = (size_t)study->seeds;
    size_t *found = g_new(size_t, n), last = n;
    *mixed = false;
    for (size_t i = 0; i < n; i++) {
        size_t scores = 0, draw = i / (n / (size_t)study->draws);
        bool differ = false;
        for (size_t lane = 0; lane < c->lanes; lane++) {
            size_t untrained = 0, first = ns_study_cell(study, (NsStudyPlace){i, lane, 0});
            for (size_t seed = 0; seed < seeds; seed++)
                scores += isnan(score_of(scoring, first + seed, &untrained)) ? 0 : 1;
            differ |= untrained > 0 && untrained < seeds;
        }
        if (scores < c->lanes * seeds) continue;
        found[c->configurations++] = i;
        *draws += draw != last;
        *mixed |= differ;
        last = draw;
    }
    return found;
}

/* Reads the scores of all lanes and seeds. */
static void read_scores(Scores *s, NsComparison *c, const NsStudy *study, const Scoring *scoring,
                        const size_t *configurations)
{
    size_t grid = ns_study_configurations(study) / (size_t)study->draws;
    for (size_t lane = 0; lane < c->lanes; lane++) {
        s->lanes[lane] = g_new(Score, s->seeds * s->n);
        for (size_t seed = 0; seed < s->seeds; seed++) {
            Score *scores = s->lanes[lane] + seed * s->n;
            size_t draw = 0;
            for (size_t i = 0; i < s->n; i++) {
                NsStudyPlace place = {configurations[i], lane, seed};
                draw += i && configurations[i] / grid != configurations[i - 1] / grid;
                scores[i].draw = s->draws > 1 ? draw : 0;
                scores[i].value = -c->better * score_of(scoring, ns_study_cell(study, place),
                                                        &c->untrained[lane]);
            }
            qsort(scores, s->n, sizeof *scores, by_value);
        }
    }
}

/* Why there are no intervals, or NULL. */
static const char *missing_interval(const NsStudy *study, size_t draws, bool mixed)
{
    for (size_t axis = 0; axis < ns_study_axes(study); axis++) {
        const char *key = ns_study_axis_param(study, axis)->key;
        if (g_str_equal(key, "seed") || g_str_equal(key, "data-seed"))
            return N_("The seed is a varied setting: no verdict.");
    }
    if (study->seeds < 2) return N_("One seed: no verdict.");
    if (study->n_random && draws < 2) return N_("One draw: no verdict.");
    /* Student's t does not hold for two scores that have two values. */
    return mixed && study->seeds == 2 ? N_("Two seeds, one of which diverged: no verdict.") : NULL;
}

NsComparison *ns_comparison_new(const NsStudyResults *results, GError **error)
{
    const NsStudy *study = results->study;
    const NsStudyCell *cells = results->cells;
    if (!ns_study_better(study)) return refuse_result(study, error), NULL;
    const Scoring scoring = scoring_of(study, cells);
    g_autofree NsComparison *c = g_new0(NsComparison, 1);
    Scores s = {.seeds = (size_t)study->seeds};
    c->lanes = study->experiment.n;
    c->better = ns_study_better(study);
    bool mixed;
    g_autofree size_t *configurations = find_configurations(c, study, &scoring, &s.draws, &mixed);
    choose_budgets(c, study->n_random ? s.draws / 3 : c->configurations / 2);
    if (!c->n_budgets)
        return ns_refuse_null(
            error, NS_ERROR_SETTING,
            "The lanes are not compared: a comparison needs at least two configurations "
            "that have finished for every seed in every lane; so far there are %zu.",
            c->configurations);
    s.n = c->configurations;
    if (!study->n_random) s.draws = 1;
    c->no_verdict = missing_interval(study, s.draws, mixed);
    s.fixed = c->no_verdict != NULL;
    for (size_t i = 0; i < ns_study_cells(study) && !c->no_verdict; i++)
        if (cells[i].state == NS_CELL_WAITING || cells[i].state == NS_CELL_RUNNING)
            c->no_verdict = N_("Not all runs have ended: no verdict yet.");
    read_scores(&s, c, study, &scoring, configurations);
    for (size_t one = 0; one < c->lanes; one++) {
        for (size_t i = 0; i < c->n_budgets; i++) {
            g_autofree double *best = pseudo_values(&s, one, c->budgets[i]);
            c->best[one][i] = flip(interval_of(&s, best, CONFIDENCE), c->better);
        }
        for (size_t other = one + 1; other < c->lanes; other++) {
            double pairs = (double)(c->lanes * (c->lanes - 1)) / 2;
            for (size_t j = 0; j < c->n_budgets; j++) {
                NsDuel *duel = &c->duels[one][other][j];
                g_autofree double *difference = pseudo_values(&s, one, c->budgets[j]);
                g_autofree double *best = pseudo_values(&s, other, c->budgets[j]);
                for (size_t k = 0; k < s.seeds * s.draws; k++) difference[k] -= best[k];
                duel->difference = interval_of(&s, difference, CONFIDENCE);
                duel->better = better_of(&duel->difference);
                duel->difference = flip(duel->difference, c->better);
                duel->beats = probability(&s, one, other, c->budgets[j]);
                if (j + 1 < c->n_budgets) continue;
                NsInterval family = interval_of(&s, difference, 1 - (1 - CONFIDENCE) / pairs);
                c->verdicts[one][other] = c->no_verdict ? NS_BETTER_UNKNOWN : better_of(&family);
            }
        }
    }
    for (size_t lane = 0; lane < c->lanes; lane++) g_free(s.lanes[lane]);
    return g_steal_pointer(&c);
}

/* ---- Sensitivity ---- */

static NsInterval mean_of(const double *values, size_t seeds, bool fixed)
{
    NsMoments moments = ns_moments(values, seeds);
    return interval(moments.mean, fixed ? (double)NAN : moments.reach);
}

NsSensitivity *ns_sensitivity_new(const NsStudyResults *results, GError **error)
{
    const NsStudy *study = results->study;
    /* The index of the axis of the learning rate in the grid; n_grid if it has none. */
    size_t axis = 0;
    while (axis < study->n_grid && !g_str_equal(study->grid[axis].param->key, "lr")) axis++;
    if (axis < study->n_grid && study->grid[axis].n <= 1) axis = study->n_grid;
    if (!ns_study_better(study)) return refuse_result(study, error), NULL;
    if (axis == study->n_grid)
        return ns_refuse_null(
            error, NS_ERROR_SETTING,
            "The sensitivity to the learning rate is not shown: it needs lr in the section "
            "[grid], with at least two values.");
    bool fixed = missing_interval(study, SIZE_MAX, false) != NULL;
    const Scoring scoring = scoring_of(study, results->cells);
    size_t seeds = (size_t)study->seeds, below = 1, untrained = 0;
    int better = ns_study_better(study);
    NsSensitivity *s = g_new0(NsSensitivity, 1);
    s->n = study->grid[axis].n;
    for (size_t i = 0; i < axis; i++) below *= study->grid[i].n;
    s->rates = g_new(double, s->n);
    for (size_t i = 0; i < s->n; i++)
        s->rates[i] = g_ascii_strtod(study->grid[axis].values[i], NULL);
    for (size_t lane = 0; lane < study->experiment.n; lane++) {
        s->seeds[lane] = g_new(double, s->n *seeds);
        /* The best score at every rate with each seed, [n, seeds]; NaN if one is missing. */
        for (size_t i = 0; i < s->n * seeds; i++) s->seeds[lane][i] = -better * (double)INFINITY;
        for (size_t i = 0; i < ns_study_configurations(study); i++)
            for (size_t seed = 0; seed < seeds; seed++) {
                double *at = &s->seeds[lane][i / below % s->n * seeds + seed];
                double score = score_of(
                    &scoring, ns_study_cell(study, (NsStudyPlace){i, lane, seed}), &untrained);
                if (isnan(score) || isnan(*at))
                    *at = NAN;
                else
                    *at = better < 0 ? fmin(*at, score) : fmax(*at, score);
            }
        g_autofree double *costs = g_new0(double, seeds);
        s->scores[lane] = g_new(NsInterval, s->n);
        for (size_t rate = 0; rate < s->n; rate++)
            s->scores[lane][rate] = mean_of(s->seeds[lane] + rate * seeds, seeds, fixed);
        for (size_t seed = 0; seed < seeds; seed++) {
            double mean = 0, best = INFINITY; /* of scores of which lower ones are better */
            for (size_t rate = 0; rate < s->n; rate++) {
                double score = -better * s->seeds[lane][rate * seeds + seed];
                mean += score / (double)s->n;
                best = fmin(best, score);
            }
            costs[seed] = mean - best;
        }
        s->sensitivity[lane] = mean_of(costs, seeds, fixed);
        if (s->sensitivity[lane].lo < 0) s->sensitivity[lane].lo = 0;
    }
    return s;
}

void ns_sensitivity_free(NsSensitivity *s)
{
    if (!s) return;
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) {
        g_free(s->scores[lane]);
        g_free(s->seeds[lane]);
    }
    g_free(s->rates);
    g_free(s);
}
