/* The curves and findings of a study from a paper.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/study/paper_expected.h"
#include "core/study/speed.h"
#include "core/study/statistics.h"

#include <math.h>
#include <string.h>

/* Number of steps that are timed to estimate the duration of a study. */
#define TIMED 3

#define MIB ((double)(1 << 20))
#define PERCENT 0.01

/* How much worse a result may be if a run still learns: in nats, for losses. */
#define STILL_LEARNS 0.2

/* The values of every seed of every curve. */
typedef struct {
    const NsStudy *study;
    size_t n;       /* number of points of a curve */
    double *x;      /* [n] */
    double *values; /* [results, curves, seeds, n] */
    double seconds;
} Work;

static void work_clear(Work *work)
{
    g_free(work->x);
    g_free(work->values);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Work, work_clear)

static double *values_of(const Work *work, size_t result, size_t curve, unsigned seed)
{
    size_t at = result * ns_paper_curves(work->study) + curve;
    return work->values + (at * (size_t)work->study->seeds + seed) * work->n;
}

/* ---- Cells ---- */

/* The unit of a result; squared norms are in units of the width of the first arm. */
static double unit_of(const NsStudy *study, const NsResult *result)
{
    bool in_d = result->kind == NS_RESULT_QUANTITY && result->quantity == NS_QUANTITY_HIDDEN_SQ;
    if (result->kind == NS_RESULT_MEMORY) return MIB;
    if (ns_result_is_downstream(result)) return PERCENT;
    return in_d ? (double)study->experiment.lane[0].d_model : 1;
}

/* Copies the results of a cell: for a GRID they are one point, otherwise the curves of a
 * configuration.  Values that a diverged run did not measure are NaN. */
static void read_cell(Work *work, NsStudyWork *cells, NsStudyPlace place, const NsStudyCell *cell)
{
    const NsStudy *study = work->study;
    bool grid = ns_paper_kind_of(study) == NS_PAPER_GRID;
    size_t n = 0, results = study->results.n, at = ns_study_cell(study, place);
    size_t before = grid ? 0 : place.configuration * ns_study_lanes(study);
    g_autofree double *curve = grid && results == 1
                                   ? g_memdup2(&cell->value, sizeof cell->value)
                                   : ns_study_store_curve(ns_study_work_store(cells), at, &n);
    if (grid && results == 1) n = 1;
    for (size_t k = 0; k < results; k++) {
        double *y = values_of(work, k, before + place.lane, (unsigned)place.seed);
        double unit = unit_of(study, &study->results.of[k]);
        for (size_t i = 0; i < (grid ? 1 : work->n); i++)
            y[grid ? place.configuration : i] =
                i * results + k < n ? curve[i * results + k] / unit : (double)NAN;
    }
}

/* Returns false with an error if a cell failed, and without one if a cell has not ended. */
static bool read_cells(Work *work, NsStudyWork *cells, GError **error)
{
    for (size_t i = 0; i < ns_study_cells(work->study); i++) {
        NsStudyCell cell = ns_study_work_cell(cells, i);
        if (cell.state == NS_CELL_FAILED)
            return ns_refuse(error, NS_ERROR_SETTING, "%s", cell.text);
        if (cell.state <= NS_CELL_RUNNING) return false;
        read_cell(work, cells, ns_study_place(work->study, i), &cell);
        work->seconds += cell.seconds;
    }
    return true;
}

/* ---- Findings ---- */

static double log_slope(const double *x, const double *y, size_t n)
{
    g_autofree double *u = g_new(double, n), *v = g_new(double, n);
    for (size_t i = 0; i < n; i++) {
        u[i] = log(x[i]);
        v[i] = log(y[i]);
    }
    NsFit fit;
    return ns_fit_line(&fit, u, v, n) ? fit.slope : (double)NAN;
}

static double mean_of_last(const double *y, size_t n, size_t last)
{
    double sum = 0;
    for (size_t i = n - last; i < n; i++) sum += y[i] / (double)last;
    return sum;
}

/* Training losses of single batches are noisy; losses on held-out data are not. */
static bool has_noise(const NsStudy *study)
{
    return ns_paper_kind_of(study) == NS_PAPER_STEP && study->results.of[0].kind == NS_RESULT_LOSS;
}

/* -1 if lower values are better, 1 if higher ones are. */
static int direction_of(const Work *work, const NsClaim *claim)
{
    return ns_result_direction(&work->study->results.of[claim->result]) > 0 ? 1 : -1;
}

/* The final value of a run minus that of another; infinitely worse if only one has diverged. */
static double end_over(const Work *work, const double *y, const double *other, int direction)
{
    size_t last = has_noise(work->study) ? MIN(work->n, NS_CELL_LAST) : 1;
    double a = mean_of_last(y, work->n, last), b = mean_of_last(other, work->n, last);
    if (isnan(a) == isnan(b)) return a - b;
    return (isnan(a) ? -1.0 : 1.0) * direction * (double)INFINITY;
}

/* The fraction of the steps after which a run reaches the value `end`; infinite if it never
 * does. */
static double sooner(const Work *work, const double *y, double end, int direction)
{
    const double *x = work->x;
    for (size_t i = 0; i < work->n; i++)
        if (direction * (y[i] - end) >= 0) return x[i] / x[work->n - 1];
    return isnan(end) ? (double)NAN : (double)INFINITY;
}

static double reach(const Work *work, const double *y, int direction)
{
    size_t i = 0;
    while (i < work->n && direction * (y[i] - y[0]) >= -STILL_LEARNS) i++;
    return i ? work->x[i - 1] : 0;
}

static double claim_value(const Work *work, const NsClaim *claim, unsigned seed)
{
    const double *x = work->x, *y = values_of(work, claim->result, claim->arm, seed);
    const double *other = values_of(work, claim->result, claim->other, seed);
    size_t n = work->n;
    double result = 0;
    switch (claim->kind) {
    case NS_CLAIM_SLOPE:
        return log_slope(x, y, n);
    case NS_CLAIM_GROWTH:
        return ns_fit_growth(x, y, n);
    case NS_CLAIM_SPREAD:
        for (size_t i = 2; i < n; i++) result = MAX(result, fabs(y[i] / y[1] - 1));
        return result;
    case NS_CLAIM_RATIO:
        return y[n - 1] / y[0];
    case NS_CLAIM_UPPER:
        return y[n - 1] / y[n / 2];
    case NS_CLAIM_END:
        return end_over(work, y, other, direction_of(work, claim));
    case NS_CLAIM_FACTOR:
        return y[n - 1] / other[n - 1];
    case NS_CLAIM_LAST:
        return y[n - 1];
    case NS_CLAIM_SOONER:
        return sooner(work, y, other[n - 1], direction_of(work, claim));
    case NS_CLAIM_GAIN:
        return y[n - 1] - y[0];
    case NS_CLAIM_REACH:
        return reach(work, y, direction_of(work, claim));
    case NS_CLAIM_BEND:
        return (y[n - 1] - y[n / 2]) / (double)(n - 1 - n / 2) * (double)(n / 2) /
               (y[n / 2] - y[0]);
    case NS_CLAIM_BEYOND:
        for (size_t bin = NS_CELL_BEYOND_BIN; bin < n; bin++) result += y[bin];
        return result;
    }
    return NAN;
}

static NsFinding find(const Work *work, const NsClaim *claim)
{
    unsigned seeds = (unsigned)work->study->seeds;
    g_autofree double *values = g_new(double, seeds);
    for (unsigned seed = 0; seed < seeds; seed++) values[seed] = claim_value(work, claim, seed);
    NsFinding finding = {.claim = claim};
    NsMoments moments = ns_moments(values, seeds);
    finding.value = moments.mean;
    /* The mean has no error if some of the runs diverged. */
    if (isfinite(finding.value) && seeds > 1) {
        finding.error = moments.sd / sqrt(seeds);
        finding.reach = moments.reach;
    }
    finding.verdict = ns_claim_verdict(claim, finding.value, finding.reach);
    return finding;
}

/* ---- Curves ---- */

static void add_measured(NsPaperResult *result, const Work *work, unsigned which, size_t curve)
{
    NsPaperSeries *series = &result->series[result->n_series++];
    unsigned seeds = (unsigned)work->study->seeds;
    g_autofree double *values = g_new(double, seeds);
    *series = (NsPaperSeries){.label = ns_paper_curve_label(result->study, work->study, curve),
                              .result = which,
                              .n = work->n};
    series->x = g_memdup2(work->x, work->n * sizeof *work->x);
    series->y = g_new(double, work->n);
    series->seeds = seeds;
    series->singles =
        g_memdup2(values_of(work, which, curve, 0), seeds * work->n * sizeof *series->singles);
    if (seeds > 1) {
        series->lo = g_new(double, work->n);
        series->hi = g_new(double, work->n);
    }
    for (size_t i = 0; i < work->n; i++) {
        for (unsigned seed = 0; seed < seeds; seed++)
            values[seed] = values_of(work, which, curve, seed)[i];
        NsMoments moments = ns_moments(values, seeds);
        series->y[i] = moments.mean;
        if (seeds == 1) continue;
        series->lo[i] = moments.mean - moments.sd;
        series->hi[i] = moments.mean + moments.sd;
    }
}

/* Adds the curves that a claim predicts: a power law through the mean of log y, a constant squared
 * norm of d (the unit), or the bounds of the growth from the measured first state. */
static void add_expected(NsPaperResult *result, const Work *work, const NsClaim *claim)
{
    size_t curves = ns_paper_curves(work->study);
    const double *y = result->series[claim->result * curves + claim->arm].y;
    double middle = 0;
    if (claim->kind == NS_CLAIM_SLOPE && !isnan(claim->expected)) {
        for (size_t i = 0; i < work->n; i++)
            middle += (log(y[i]) - claim->expected * log(work->x[i])) / (double)work->n;
        ns_paper_add_claim(result, claim, work->x, work->n, exp(middle));
    }
    if (claim->kind == NS_CLAIM_SPREAD) ns_paper_add_claim(result, claim, work->x, work->n, 1);
    if (claim->kind == NS_CLAIM_GROWTH) ns_paper_add_claim(result, claim, work->x, work->n, y[0]);
}

/* ---- A study ---- */

static void work_init(Work *work, const NsStudy *study)
{
    work->study = study;
    work->n = ns_paper_points(study);
    work->x = g_new(double, work->n);
    ns_paper_abscissae(study, work->x, work->n);
    work->values =
        g_new0(double, ns_paper_curves(study) * study->results.n * (size_t)study->seeds * work->n);
}

NsPaperResult *ns_paper_result_new(const NsPaperStudy *row, NsStudyWork *cells, GError **error)
{
    g_auto(Work) work = {0};
    work_init(&work, ns_study_work_study(cells));
    if (!ns_study_work_store(cells) || !read_cells(&work, cells, error)) return NULL;
    NsPaperResult *result = g_new0(NsPaperResult, 1);
    g_atomic_ref_count_init(&result->refs);
    result->study = row;
    result->seconds = work.seconds;
    for (unsigned which = 0; which < work.study->results.n; which++)
        for (size_t curve = 0; curve < ns_paper_curves(work.study); curve++)
            add_measured(result, &work, which, curve);
    for (unsigned i = 0; i < ns_paper_claims(row); i++) {
        NsFinding *finding = &result->findings[result->n_findings++];
        *finding = find(&work, &row->claims[i]);
        result->verdict = MAX(result->verdict, finding->verdict);
        add_expected(result, &work, &row->claims[i]);
    }
    return result;
}

NsPaperResult *ns_paper_result_ref(NsPaperResult *result)
{
    g_atomic_ref_count_inc(&result->refs);
    return result;
}

void ns_paper_result_unref(NsPaperResult *result)
{
    if (!result || !g_atomic_ref_count_dec(&result->refs)) return;
    for (size_t i = 0; i < result->n_series; i++) {
        g_free(result->series[i].x);
        g_free(result->series[i].y);
        g_free(result->series[i].lo);
        g_free(result->series[i].hi);
        g_free(result->series[i].singles);
    }
    g_free(result);
}

/* The number of fine-tuning steps in a cell, each of which takes about as long as a training
 * step. */
static double finetuning_steps(const NsStudy *study)
{
    double steps = 0;
    for (size_t i = 0; i < study->results.n; i++) {
        const NsResult *result = &study->results.of[i];
        if (ns_result_is_downstream(result))
            steps += (double)(result->finetune ? result->finetune : NS_CELL_FINETUNE_STEPS);
    }
    return steps * (double)ns_paper_points(study);
}

/* The seconds for all cells of an arm, extrapolated from one timed cell in proportion to the
 * layers. */
static double arm_seconds(const NsStudy *study, size_t lane)
{
    NsSettings settings;
    size_t last = ns_study_configurations(study) - 1;
    double start, step = 0, layers = 0;
    for (size_t i = 0; i <= last; i++) {
        ns_study_cell_settings(study, ns_study_cell(study, (NsStudyPlace){i, lane, 0}), &settings);
        layers += (double)settings.layers;
        if (i < last) ns_settings_clear(&settings);
    }
    bool good = ns_speed_estimate(&settings, settings.steps ? TIMED : 0, &start, &step, NULL);
    double once = start + step * ((double)settings.steps + finetuning_steps(study));
    double all = once * layers / (double)settings.layers * (double)study->seeds;
    ns_settings_clear(&settings);
    return good ? all : -1;
}

double ns_paper_seconds(const NsPaperStudy *row, unsigned jobs)
{
    g_auto(NsStudy) study;
    double all = 0;
    ns_paper_make(row, &study, NULL);
    for (size_t lane = 0; lane < ns_study_lanes(&study); lane++) {
        double seconds = arm_seconds(&study, lane);
        if (seconds < 0) return -1;
        /* Arms that train take about the same time, so only the first is timed. */
        if (study.experiment.lane[0].steps > 0)
            return seconds * (double)ns_study_lanes(&study) / jobs;
        all += seconds;
    }
    return all / (double)MIN(jobs, ns_study_cells(&study));
}
