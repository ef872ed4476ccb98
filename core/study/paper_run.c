/* Runs studies.  SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"
#include "core/study/paper_axis.h"
#include "core/study/paper_expected.h"
#include "core/study/score.h"
#include "core/study/speed.h"
#include "core/train/run.h"

#include <math.h>
#include <string.h>

/* Losses whose mean is where a run ends. */
#define LAST 10

/* Bin of NsTokenSnapshot from which on tokens count as beyond 1.1 means: that which holds 1.1. */
#define BEYOND_BIN ((size_t)22)

/* Steps that are timed before a study that trains. */
#define TIMED 3

/* A study under way: the values of every seed of every arm. */
typedef struct {
    const NsPaperStudy *study;
    size_t n;       /* points of an arm */
    double *x;      /* [n] */
    double *values; /* [arms, seeds, n] */
    double width;   /* d of the first arm */
    size_t done, all;
    NsPaperProgress progress;
    void *data;
} Work;

static void work_clear(Work *work)
{
    g_free(work->x);
    g_free(work->values);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Work, work_clear)

static double *values_of(const Work *work, unsigned arm, unsigned seed)
{
    return work->values + ((size_t)arm * work->study->seeds + seed) * work->n;
}

static bool tell(Work *work, size_t units)
{
    work->done += units;
    return !work->progress || work->progress(work->data, (double)work->done / (double)work->all);
}

/* ---- Models ---- */

static NsRun *run_of(const NsPaperStudy *study, unsigned arm, unsigned seed, unsigned depth,
                     GError **error)
{
    NsSettings settings;
    ns_paper_settings(study, arm, &settings);
    settings.seed += seed;
    settings.data_seed += seed;
    if (depth) settings.layers = depth;
    NsRun *run = ns_run_new(&settings, error);
    ns_settings_clear(&settings);
    return run;
}

/* ---- Measuring ---- */

/* The quantity at step 0: [count] values. */
static void read_quantity(const Work *work, NsRun *run, double *y)
{
    const NsHistory *history = ns_run_history(run);
    size_t n = ns_history_layout(history)->count[work->study->quantity];
    g_auto(NsValues) values = ns_values_new(n);
    ns_history_read(history, work->study->quantity, 0, NULL, values.value, values.has);
    bool in_d = work->study->quantity == NS_QUANTITY_HIDDEN_SQ;
    for (size_t i = 0; i < n; i++) y[i] = (double)values.value[i] / (in_d ? work->width : 1);
}

static bool measure_depths(Work *work, unsigned arm, unsigned seed, GError **error)
{
    const NsPaperStudy *study = work->study;
    for (unsigned k = 0; k < ns_paper_depths(study); k++) {
        unsigned depth = study->depths[k];
        g_autoptr(NsRun) run = run_of(study, arm, seed, depth, error);
        if (!run) return false;
        g_autofree double *layers = g_new(double, depth);
        read_quantity(work, run, layers);
        values_of(work, arm, seed)[k] = layers[depth - 1];
        if (!tell(work, depth)) return false;
    }
    return true;
}

static bool measure_layers(Work *work, unsigned arm, unsigned seed, GError **error)
{
    g_autoptr(NsRun) run = run_of(work->study, arm, seed, 0, error);
    if (!run) return false;
    read_quantity(work, run, values_of(work, arm, seed));
    return tell(work, 1);
}

/* What diverges has no loss from there on. */
static bool measure_steps(Work *work, unsigned arm, unsigned seed, GError **error)
{
    g_autoptr(NsRun) run = run_of(work->study, arm, seed, 0, error);
    if (!run) return false;
    double *y = values_of(work, arm, seed);
    for (size_t k = 0; k < work->n; k++) {
        if (k) ns_run_step(run);
        bool there = ns_run_steps(run) == (int64_t)k;
        y[k] = there ? ns_history_step(ns_run_history(run), k)->loss : (double)NAN;
        if (!tell(work, 1)) return false;
    }
    return true;
}

static bool measure_tokens(Work *work, unsigned arm, unsigned seed, GError **error)
{
    g_autoptr(NsRun) run = run_of(work->study, arm, seed, 0, error);
    if (!run) return false;
    g_autofree NsTokenSnapshot *snapshot = g_new0(NsTokenSnapshot, 1);
    ns_history_token_snapshot(ns_run_history(run), snapshot);
    size_t last = MAX(snapshot->states, 1) - 1;
    double *y = values_of(work, arm, seed);
    for (size_t bin = 0; bin < NS_TOKEN_SNAPSHOT_BINS; bin++)
        y[bin] = (double)snapshot->count[last][bin] / (double)snapshot->tokens[last];
    /* The last bin takes those that lie beyond. */
    y[NS_TOKEN_SNAPSHOT_BINS - 1] +=
        (double)snapshot->beyond[last] / (double)snapshot->tokens[last];
    return tell(work, (size_t)(ns_run_settings(run)->d_model / 64));
}

static bool measure(Work *work, unsigned arm, unsigned seed, GError **error)
{
    switch (work->study->kind) {
    case NS_PAPER_DEPTH:
        return measure_depths(work, arm, seed, error);
    case NS_PAPER_LAYER:
        return measure_layers(work, arm, seed, error);
    case NS_PAPER_STEP:
        return measure_steps(work, arm, seed, error);
    case NS_PAPER_TOKENS:
        return measure_tokens(work, arm, seed, error);
    }
    return false;
}

/* Units of work of one seed of an arm. */
static size_t units_of(const NsPaperStudy *study, const NsSettings *settings)
{
    size_t units = 0;
    switch (study->kind) {
    case NS_PAPER_DEPTH:
        for (unsigned k = 0; k < ns_paper_depths(study); k++) units += study->depths[k];
        return units;
    case NS_PAPER_LAYER:
        return 1;
    case NS_PAPER_STEP:
        return (size_t)study->steps + 1;
    case NS_PAPER_TOKENS:
        return (size_t)settings->d_model / 64;
    }
    return 0;
}

/* ---- Findings ---- */

/* Slope of the least-squares line of y over x. */
static double slope(const double *x, const double *y, size_t n)
{
    double mx = 0, my = 0, cross = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        mx += x[i] / (double)n;
        my += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        cross += (x[i] - mx) * (y[i] - my);
        square += (x[i] - mx) * (x[i] - mx);
    }
    return cross / square;
}

static double log_slope(const double *x, const double *y, size_t n)
{
    g_autofree double *u = g_new(double, n), *v = g_new(double, n);
    for (size_t i = 0; i < n; i++) {
        u[i] = log(x[i]);
        v[i] = log(y[i]);
    }
    return slope(u, v, n);
}

/* The growth a layer that fits best where the first state is as measured. */
static double growth(const double *x, const double *y, size_t n)
{
    double cross = 0, square = 0;
    for (size_t i = 1; i < n; i++) {
        cross += x[i] * (y[i] - y[0]);
        square += x[i] * x[i];
    }
    return cross / square;
}

static double mean_of_last(const double *y, size_t n)
{
    double sum = 0;
    size_t last = MIN(n, LAST);
    for (size_t i = n - last; i < n; i++) sum += y[i] / (double)last;
    return sum;
}

/* By how much a run ends worse than another; one that diverged is worse without bounds. */
static double loss_more(const double *y, const double *other, size_t n)
{
    double a = mean_of_last(y, n), b = mean_of_last(other, n);
    if (isnan(a) != isnan(b)) return isnan(a) ? (double)INFINITY : -(double)INFINITY;
    return a - b;
}

static double claim_value(const Work *work, const NsClaim *claim, unsigned seed)
{
    const double *x = work->x, *y = values_of(work, claim->arm, seed);
    size_t n = work->n;
    double result = 0;
    switch (claim->kind) {
    case NS_CLAIM_SLOPE:
        return log_slope(x, y, n);
    case NS_CLAIM_GROWTH:
        return growth(x, y, n);
    case NS_CLAIM_SPREAD:
        for (size_t i = 2; i < n; i++) result = MAX(result, fabs(y[i] / y[1] - 1));
        return result;
    case NS_CLAIM_RATIO:
        return y[n - 1] / y[0];
    case NS_CLAIM_UPPER:
        return y[n - 1] / y[n / 2];
    case NS_CLAIM_END:
        return loss_more(y, values_of(work, claim->other, seed), n);
    case NS_CLAIM_BEYOND:
        for (size_t bin = BEYOND_BIN; bin < n; bin++) result += y[bin];
        return result;
    }
    return NAN;
}

static void moments(const double *values, size_t n, double *mean, double *sd)
{
    double square = 0;
    *mean = 0;
    for (size_t i = 0; i < n; i++) *mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++) square += (values[i] - *mean) * (values[i] - *mean);
    *sd = n > 1 ? sqrt(square / (double)(n - 1)) : 0;
}

static NsFinding find(const Work *work, const NsClaim *claim)
{
    unsigned seeds = work->study->seeds;
    g_autofree double *values = g_new(double, seeds);
    for (unsigned seed = 0; seed < seeds; seed++) values[seed] = claim_value(work, claim, seed);
    NsFinding finding = {.claim = claim};
    moments(values, seeds, &finding.value, &finding.error);
    /* Among runs of which some diverged there is no error of the mean. */
    finding.error = isfinite(finding.value) ? finding.error / sqrt(seeds) : 0;
    finding.reach = ns_student(seeds) * finding.error;
    finding.verdict = ns_claim_verdict(claim, finding.value, finding.reach);
    return finding;
}

/* ---- Curves ---- */

static void add_measured(NsPaperResult *result, const Work *work, unsigned arm)
{
    NsPaperSeries *series = &result->series[result->n_series++];
    unsigned seeds = work->study->seeds;
    g_autofree double *values = g_new(double, seeds);
    *series = (NsPaperSeries){.label = work->study->arms[arm].label, .n = work->n};
    series->x = g_memdup2(work->x, work->n * sizeof *work->x);
    series->y = g_new(double, work->n);
    if (seeds > 1) {
        series->lo = g_new(double, work->n);
        series->hi = g_new(double, work->n);
    }
    for (size_t i = 0; i < work->n; i++) {
        double sd;
        for (unsigned seed = 0; seed < seeds; seed++) values[seed] = values_of(work, arm, seed)[i];
        moments(values, seeds, &series->y[i], &sd);
        if (seeds == 1) continue;
        series->lo[i] = series->y[i] - sd;
        series->hi[i] = series->y[i] + sd;
    }
}

/* What a claim says of every point: a power law through the middle of what was measured, or the
 * bounds of a growth from the first state. */
static void add_expected(NsPaperResult *result, const Work *work, const NsClaim *claim)
{
    const double *y = result->series[claim->arm].y;
    double middle = 0;
    if (claim->kind == NS_CLAIM_SLOPE) {
        for (size_t i = 0; i < work->n; i++)
            middle += (log(y[i]) - claim->expected * log(work->x[i])) / (double)work->n;
        ns_paper_add_claim(result, claim, work->x, work->n, exp(middle));
    }
    if (claim->kind == NS_CLAIM_GROWTH) ns_paper_add_claim(result, claim, work->x, work->n, y[0]);
}

/* ---- A study ---- */

static void work_init(Work *work, const NsPaperStudy *study)
{
    work->study = study;
    for (unsigned arm = 0; arm < study->n_arms; arm++) {
        NsSettings settings;
        ns_paper_settings(study, arm, &settings);
        work->n = ns_paper_points(study, &settings);
        work->all += units_of(study, &settings) * study->seeds;
        if (!arm) work->width = (double)settings.d_model;
        ns_settings_clear(&settings);
    }
    work->x = g_new(double, work->n);
    ns_paper_abscissae(study, work->x, work->n);
    work->values = g_new0(double, study->n_arms * study->seeds * work->n);
}

NsPaperResult *ns_paper_run(const NsPaperStudy *study, NsPaperProgress progress, void *data,
                            GError **error)
{
    gint64 started = g_get_monotonic_time();
    g_auto(Work) work = {.progress = progress, .data = data};
    work_init(&work, study);
    for (unsigned arm = 0; arm < study->n_arms; arm++)
        for (unsigned seed = 0; seed < study->seeds; seed++)
            if (!measure(&work, arm, seed, error)) return NULL;

    NsPaperResult *result = g_new0(NsPaperResult, 1);
    g_atomic_ref_count_init(&result->refs);
    result->study = study;
    for (unsigned arm = 0; arm < study->n_arms; arm++) add_measured(result, &work, arm);
    for (unsigned i = 0; i < study->n_claims; i++) {
        NsFinding *finding = &result->findings[result->n_findings++];
        *finding = find(&work, &study->claims[i]);
        result->verdict = MAX(result->verdict, finding->verdict);
        add_expected(result, &work, &study->claims[i]);
    }
    result->seconds = (double)(g_get_monotonic_time() - started) / 1e6;
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
    }
    g_free(result);
}

double ns_paper_seconds(const NsPaperStudy *study)
{
    double all = 0;
    for (unsigned arm = 0; arm < study->n_arms; arm++) {
        NsSettings settings;
        double start, step;
        ns_paper_settings(study, arm, &settings);
        size_t units = units_of(study, &settings);
        unsigned deepest =
            study->kind == NS_PAPER_DEPTH ? study->depths[ns_paper_depths(study) - 1] : 0;
        if (deepest) settings.layers = deepest;
        size_t steps = study->kind == NS_PAPER_STEP ? TIMED : 0;
        bool good = ns_speed_estimate(&settings, steps, &start, &step, NULL);
        ns_settings_clear(&settings);
        if (!good) return -1;
        double once = start * (deepest ? (double)units / deepest : 1) + step * study->steps;
        all += once * study->seeds;
        /* Arms that train are alike. */
        if (steps) return all * study->n_arms;
    }
    return all;
}
