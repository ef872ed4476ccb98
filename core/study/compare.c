/* SPDX-License-Identifier: MIT */
#include "core/study/compare.h"

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/study/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESAMPLES 1000
#define SAMPLES (RESAMPLES + 1) /* the last one is the original sample */
#define TAIL 0.025              /* fraction of resamples beyond each end of an interval */

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

size_t ns_study_scores(const NsStudy *study, const NsStudyCell *cells, size_t lane, double *scores)
{
    const Scoring scoring = scoring_of(study, cells);
    size_t untrained = 0, seeds = (size_t)study->seeds;
    for (size_t i = 0; i < ns_study_configurations(study); i++) {
        size_t first = ns_study_cell(study, (NsStudyPlace){i, lane, 0});
        scores[i] = 0;
        for (size_t seed = 0; seed < seeds; seed++)
            scores[i] += score_of(&scoring, first + seed, &untrained) / (double)seeds;
    }
    return untrained;
}

/* ---- The best of k ---- */

/* The scores of a lane, sorted. */
typedef struct {
    double *values; /* [n], ascending */
    size_t *from;   /* [n] the configuration of each value */
    size_t *count;  /* [n + 1] how many draws of a resample are among the first i values */
} Sorted;

typedef struct {
    size_t n;
    Sorted lanes[NS_LANES_MAX];
    /* For lanes a, b and each score of a: the number of scores of b that are lower, and the number
     * that are lower or equal. */
    size_t *lower[NS_LANES_MAX][NS_LANES_MAX], *upto[NS_LANES_MAX][NS_LANES_MAX];
    double *none; /* [budgets, n + 1] probability that none of k draws is among the first c */
    double *best; /* [lanes, budgets, SAMPLES] */
    double *difference, *beats;
} Bootstrap;

typedef struct {
    double value;
    size_t from;
} Pair;

static int by_value(const void *a, const void *b)
{
    const Pair *x = a, *y = b;
    if (x->value < y->value || x->value > y->value) return x->value < y->value ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void sort(Sorted *lane, const double *scores, size_t n)
{
    g_autofree Pair *pairs = g_new(Pair, n);
    for (size_t i = 0; i < n; i++) pairs[i] = (Pair){scores[i], i};
    qsort(pairs, n, sizeof *pairs, by_value);
    lane->values = g_new(double, n);
    lane->from = g_new(size_t, n);
    lane->count = g_new(size_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        lane->values[i] = pairs[i].value;
        lane->from[i] = pairs[i].from;
    }
}

/* Computes C(n - c, k) / C(n, k) for c = 0 .. n. */
static void fill_none(double *none, size_t n, size_t k)
{
    none[0] = 1;
    for (size_t c = 0; c < n; c++)
        none[c + 1] = n - c > k ? none[c] * (double)(n - c - k) / (double)(n - c) : 0;
}

static void find_neighbors(Bootstrap *b, size_t one, size_t other)
{
    const double *x = b->lanes[one].values, *y = b->lanes[other].values;
    size_t lower = 0, upto = 0;
    b->lower[one][other] = g_new(size_t, b->n);
    b->upto[one][other] = g_new(size_t, b->n);
    for (size_t i = 0; i < b->n; i++) {
        while (lower < b->n && y[lower] < x[i]) lower++;
        while (upto < b->n && y[upto] <= x[i]) upto++;
        b->lower[one][other][i] = lower;
        b->upto[one][other][i] = upto;
    }
}

/* Computes, for every lane, the cumulative number of draws from how often each configuration was
 * drawn. */
static void count(Bootstrap *b, size_t lanes, const size_t *drawn)
{
    for (size_t lane = 0; lane < lanes; lane++) {
        Sorted *l = &b->lanes[lane];
        l->count[0] = 0;
        for (size_t i = 0; i < b->n; i++) l->count[i + 1] = l->count[i] + drawn[l->from[i]];
    }
}

static double expected_best(const Bootstrap *b, size_t lane, const double *none)
{
    const Sorted *l = &b->lanes[lane];
    double sum = 0;
    for (size_t i = 0; i < b->n && none[l->count[i]] > 0; i++)
        sum += l->values[i] * (none[l->count[i]] - none[l->count[i + 1]]);
    return sum;
}

static double probability(const Bootstrap *b, size_t one, size_t other, const double *none)
{
    const Sorted *l = &b->lanes[one];
    const size_t *count = b->lanes[other].count;
    double sum = 0;
    for (size_t i = 0; i < b->n && none[l->count[i]] > 0; i++) {
        double weight = none[l->count[i]] - none[l->count[i + 1]];
        double above = none[count[b->upto[one][other][i]]];
        double not_below = none[count[b->lower[one][other][i]]];
        sum += weight * (above + not_below) / 2;
    }
    return sum;
}

/* ---- Intervals ---- */

/* The comparison uses scores of which lower ones are better; this restores the sign if higher ones
 * are. */
static NsInterval flip(NsInterval interval, int better)
{
    return better < 0 ? interval : (NsInterval){-interval.value, -interval.hi, -interval.lo};
}

/* The interval of samples [RESAMPLES], which this function sorts. */
static NsInterval interval(double value, double *samples)
{
    qsort(samples, RESAMPLES, sizeof *samples, ns_compare_doubles);
    size_t tail = (size_t)(TAIL * RESAMPLES);
    return (NsInterval){value, samples[tail], samples[RESAMPLES - 1 - tail]};
}

static NsBetter better_of(const NsInterval *difference)
{
    if (difference->hi < 0) return NS_BETTER_A;
    return difference->lo > 0 ? NS_BETTER_B : NS_BETTER_NEITHER;
}

/* ---- The comparison ---- */

/* Chooses two budgets per factor of 2, up to half of the configurations. */
static void choose_budgets(NsComparison *c)
{
    for (size_t octave = 1; c->n_budgets + 2 <= NS_BUDGETS; octave *= 2) {
        const size_t steps[] = {octave, octave + octave / 2};
        for (size_t i = 0; i < (octave == 1 ? 1 : 2); i++) {
            if (steps[i] > c->configurations / 2) return;
            c->budgets[c->n_budgets++] = steps[i];
        }
    }
}

/* Where the samples of a lane, or of a pair, at a budget begin. */
static size_t samples_of(const NsComparison *c, size_t lane, size_t k)
{
    return (lane * c->n_budgets + k) * SAMPLES;
}

static size_t samples_of_pair(const NsComparison *c, size_t one, size_t other, size_t k)
{
    return samples_of(c, one * c->lanes + other, k);
}

/* Computes the values of every lane and pair at every budget from the current counts. */
static void measure(Bootstrap *b, const NsComparison *c, size_t sample)
{
    for (size_t k = 0; k < c->n_budgets; k++) {
        const double *none = b->none + k * (b->n + 1);
        for (size_t lane = 0; lane < c->lanes; lane++)
            b->best[samples_of(c, lane, k) + sample] = expected_best(b, lane, none);
        for (size_t one = 0; one < c->lanes; one++)
            for (size_t other = one + 1; other < c->lanes; other++) {
                size_t at = samples_of_pair(c, one, other, k) + sample;
                b->difference[at] = b->best[samples_of(c, one, k) + sample] -
                                    b->best[samples_of(c, other, k) + sample];
                b->beats[at] = probability(b, one, other, none);
            }
    }
}

static void keep_intervals(const Bootstrap *b, NsComparison *c)
{
    for (size_t k = 0; k < c->n_budgets; k++) {
        for (size_t lane = 0; lane < c->lanes; lane++) {
            double *best = b->best + samples_of(c, lane, k);
            c->best[lane][k] = flip(interval(best[RESAMPLES], best), c->better);
        }
        for (size_t one = 0; one < c->lanes; one++)
            for (size_t other = one + 1; other < c->lanes; other++) {
                size_t at = samples_of_pair(c, one, other, k);
                NsDuel *duel = &c->duels[one][other][k];
                duel->difference = interval(b->difference[at + RESAMPLES], b->difference + at);
                duel->beats = interval(b->beats[at + RESAMPLES], b->beats + at);
                duel->better = better_of(&duel->difference);
                duel->difference = flip(duel->difference, c->better);
            }
    }
}

static void bootstrap_init(Bootstrap *b, NsComparison *c, double *const *scores)
{
    *b = (Bootstrap){.n = c->configurations};
    for (size_t lane = 0; lane < c->lanes; lane++) sort(&b->lanes[lane], scores[lane], b->n);
    for (size_t one = 0; one < c->lanes; one++)
        for (size_t other = one + 1; other < c->lanes; other++) find_neighbors(b, one, other);
    b->none = g_new(double, c->n_budgets *(b->n + 1));
    for (size_t k = 0; k < c->n_budgets; k++)
        fill_none(b->none + k * (b->n + 1), b->n, c->budgets[k]);
    b->best = g_new(double, c->lanes * c->n_budgets * SAMPLES);
    b->difference = g_new0(double, c->lanes * c->lanes * c->n_budgets * SAMPLES);
    b->beats = g_new0(double, c->lanes * c->lanes * c->n_budgets * SAMPLES);
}

static void bootstrap_clear(Bootstrap *b)
{
    for (size_t one = 0; one < NS_LANES_MAX; one++) {
        g_free(b->lanes[one].values);
        g_free(b->lanes[one].from);
        g_free(b->lanes[one].count);
        for (size_t other = 0; other < NS_LANES_MAX; other++) {
            g_free(b->lower[one][other]);
            g_free(b->upto[one][other]);
        }
    }
    g_free(b->none);
    g_free(b->best);
    g_free(b->difference);
    g_free(b->beats);
}

static void compare(NsComparison *c, double *const *scores)
{
    Bootstrap b;
    bootstrap_init(&b, c, scores);
    g_autofree size_t *drawn = g_new(size_t, b.n);
    for (size_t i = 0; i < b.n; i++) drawn[i] = 1;
    count(&b, c->lanes, drawn);
    measure(&b, c, RESAMPLES);
    NsRng rng;
    ns_rng_init(&rng, 1, ns_rng_stream("bootstrap over configurations"));
    for (size_t sample = 0; sample < RESAMPLES; sample++) {
        memset(drawn, 0, b.n * sizeof *drawn);
        for (size_t i = 0; i < b.n; i++) drawn[ns_rng_below(&rng, b.n)]++;
        count(&b, c->lanes, drawn);
        measure(&b, c, sample);
    }
    keep_intervals(&b, c);
    bootstrap_clear(&b);
}

NsComparison *ns_comparison_new(const NsStudy *study, const NsStudyCell *cells, GError **error)
{
    size_t n = ns_study_configurations(study), lanes = ns_study_lanes(study);
    double *scores[NS_LANES_MAX] = {NULL};
    if (!ns_study_better(study)) return refuse_result(study, error), NULL;
    NsComparison *c = g_new0(NsComparison, 1);
    c->lanes = lanes;
    c->better = ns_study_better(study);
    for (size_t lane = 0; lane < lanes; lane++) {
        scores[lane] = g_new(double, n);
        c->untrained[lane] = ns_study_scores(study, cells, lane, scores[lane]);
        for (size_t i = 0; i < n; i++) scores[lane][i] *= -c->better;
    }
    for (size_t i = 0; i < n; i++) {
        bool whole = true;
        for (size_t lane = 0; lane < lanes; lane++) whole &= !isnan(scores[lane][i]);
        for (size_t lane = 0; whole && lane < lanes; lane++)
            scores[lane][c->configurations] = scores[lane][i];
        c->configurations += whole;
    }
    choose_budgets(c);
    if (c->n_budgets) compare(c, scores);
    for (size_t lane = 0; lane < lanes; lane++) g_free(scores[lane]);
    if (c->n_budgets) return c;
    ns_refuse(error, NS_ERROR_SETTING,
              "The lanes are not compared: a comparison needs at least two configurations that "
              "have ended with every seed in every lane, and there are %zu so far.",
              c->configurations);
    g_free(c);
    return NULL;
}

/* ---- Sensitivity ---- */

/* The cells of a lane, ordered by learning rate. */
typedef struct {
    size_t axis, n, seeds, rest; /* rest: number of configurations at one rate */
    size_t *configurations;      /* [n, rest] */
    double *cells;               /* [n, rest, seeds] scores of one lane, lower is better */
} Rates;

static bool find_rates(Rates *rates, const NsStudy *study)
{
    const NsParam *lr = ns_param_find("lr");
    for (rates->axis = 0; rates->axis < study->n_grid; rates->axis++)
        if (study->grid[rates->axis].param == lr) break;
    if (rates->axis == study->n_grid || study->grid[rates->axis].n < 2) return false;
    rates->n = study->grid[rates->axis].n;
    rates->seeds = (size_t)study->seeds;
    rates->rest = ns_study_configurations(study) / rates->n;
    rates->configurations = g_new(size_t, rates->n * rates->rest);
    rates->cells = g_new(double, rates->n * rates->rest * rates->seeds);
    g_autofree size_t *used = g_new0(size_t, rates->n);
    size_t below = 1;
    for (size_t i = 0; i < rates->axis; i++) below *= study->grid[i].n;
    for (size_t i = 0; i < ns_study_configurations(study); i++) {
        size_t rate = i / below % rates->n;
        rates->configurations[rate * rates->rest + used[rate]++] = i;
    }
    return true;
}

static void read_lane(Rates *rates, const NsStudy *study, const NsStudyCell *cells, size_t lane)
{
    const Scoring scoring = scoring_of(study, cells);
    size_t untrained = 0;
    for (size_t i = 0; i < rates->n * rates->rest; i++)
        for (size_t seed = 0; seed < rates->seeds; seed++) {
            NsStudyPlace place = {rates->configurations[i], lane, seed};
            rates->cells[i * rates->seeds + seed] =
                -ns_study_better(study) *
                score_of(&scoring, ns_study_cell(study, place), &untrained);
        }
}

/* The best score at a rate, averaged over these seeds; NaN if one is missing.  *at is set to its
 * row of `cells`. */
static double score_at(const Rates *rates, size_t rate, const size_t *seeds, size_t *at)
{
    double best = INFINITY;
    *at = rate * rates->rest;
    for (size_t i = rate * rates->rest; i < (rate + 1) * rates->rest; i++) {
        double mean = 0;
        for (size_t k = 0; k < rates->seeds; k++)
            mean += rates->cells[i * rates->seeds + seeds[k]] / (double)rates->seeds;
        if (isnan(mean)) return NAN;
        if (mean < best) *at = i;
        best = fmin(best, mean);
    }
    return best;
}

/* Computes the scores and returns the sensitivity. */
static double measure_rates(const Rates *rates, const size_t *seeds, double *scores)
{
    double mean = 0, least = INFINITY;
    size_t at;
    for (size_t rate = 0; rate < rates->n; rate++) {
        scores[rate] = score_at(rates, rate, seeds, &at);
        mean += scores[rate] / (double)rates->n;
        least = fmin(least, scores[rate]);
    }
    return mean - least;
}

static void bootstrap_seeds(const Rates *rates, NsInterval *scores, NsInterval *sensitivity)
{
    g_autofree size_t *seeds = g_new(size_t, rates->seeds);
    g_autofree double *now = g_new(double, rates->n);
    g_autofree double *samples = g_new(double, (rates->n + 1) * RESAMPLES);
    for (size_t k = 0; k < rates->seeds; k++) seeds[k] = k;
    *sensitivity = (NsInterval){measure_rates(rates, seeds, now), NAN, NAN};
    for (size_t rate = 0; rate < rates->n; rate++) scores[rate] = (NsInterval){now[rate], NAN, NAN};
    if (rates->seeds < 2 || isnan(sensitivity->value)) return;
    NsRng rng;
    ns_rng_init(&rng, 1, ns_rng_stream("bootstrap over seeds"));
    for (size_t sample = 0; sample < RESAMPLES; sample++) {
        for (size_t k = 0; k < rates->seeds; k++) seeds[k] = ns_rng_below(&rng, rates->seeds);
        samples[rates->n * RESAMPLES + sample] = measure_rates(rates, seeds, now);
        for (size_t rate = 0; rate < rates->n; rate++)
            samples[rate * RESAMPLES + sample] = now[rate];
    }
    *sensitivity = interval(sensitivity->value, samples + rates->n * RESAMPLES);
    for (size_t rate = 0; rate < rates->n; rate++)
        scores[rate] = interval(scores[rate].value, samples + rate * RESAMPLES);
}

/* Returns the scores of single seeds, [n, seeds]. */
static double *single_seeds(const Rates *rates, int better)
{
    double *values = g_new(double, rates->n * rates->seeds);
    g_autofree size_t *seeds = g_new(size_t, rates->seeds);
    for (size_t k = 0; k < rates->seeds; k++) seeds[k] = k;
    for (size_t rate = 0; rate < rates->n; rate++) {
        size_t at;
        score_at(rates, rate, seeds, &at);
        for (size_t k = 0; k < rates->seeds; k++)
            values[rate * rates->seeds + k] = -better * rates->cells[at * rates->seeds + k];
    }
    return values;
}

NsSensitivity *ns_sensitivity_new(const NsStudy *study, const NsStudyCell *cells, GError **error)
{
    Rates rates = {0};
    if (!ns_study_better(study)) return refuse_result(study, error), NULL;
    if (!find_rates(&rates, study)) {
        ns_refuse(error, NS_ERROR_SETTING,
                  "The sensitivity to the learning rate is not shown: it needs lr in the section "
                  "[grid], with at least two values.");
        return NULL;
    }
    NsSensitivity *s = g_new0(NsSensitivity, 1);
    s->n = rates.n;
    s->rates = g_new(double, rates.n);
    for (size_t i = 0; i < rates.n; i++)
        s->rates[i] = g_ascii_strtod(study->grid[rates.axis].values[i], NULL);
    for (size_t lane = 0; lane < ns_study_lanes(study); lane++) {
        s->scores[lane] = g_new(NsInterval, rates.n);
        read_lane(&rates, study, cells, lane);
        bootstrap_seeds(&rates, s->scores[lane], &s->sensitivity[lane]);
        s->seeds[lane] = single_seeds(&rates, ns_study_better(study));
        for (size_t i = 0; i < s->n; i++)
            s->scores[lane][i] = flip(s->scores[lane][i], ns_study_better(study));
    }
    g_free(rates.configurations);
    g_free(rates.cells);
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
