/* The curves and findings of a study from a paper.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/words.h"
#include "core/data/json_object.h"
#include "core/data/reader.h"
#include "core/store/bundled.h"
#include "core/store/output_file.h"
#include "core/study/paper.h"
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

/* Translations with a lower BLEU than this share hardly a phrase with the reference, so that
 * differences between them are of chance. */
#define LEAST_BLEU 10

/* The ends of the band around a curve, which enclose the middle two thirds of the seeds and are, as
 * values of seeds, always possible. */
#define BAND_LO 0.16
#define BAND_HI 0.84

/* ---- The curves that claims predict ---- */

static double *add_curve(NsPaperResult *result, const char *label, const double *x, size_t n)
{
    NsPaperSeries *series = &result->series[result->n_series++];
    *series = (NsPaperSeries){.label = label, .theory = true, .n = n};
    series->x = g_memdup2(x, n * sizeof *x);
    series->y = g_new(double, n);
    return series->y;
}

/* A label such as "Pre-LN: (1 + l/2) d".  It is interned, because there are only a few. */
static const char *of_arm(const char *arm, const char *law)
{
    g_autofree char *words = g_strdup_printf("%s: %s", arm, law);
    return g_intern_string(words);
}

/* The points that a claim is about, `first` to `first` + `n`: those of its stack, or all. */
static void find_points(const NsStudy *study, const NsClaim *claim, size_t *first, size_t *n)
{
    size_t encoder = (size_t)ns_settings_encoder_layers(&study->experiment.lane[0]);
    *first = claim->stack == NS_CLAIM_DECODER ? encoder : 0;
    *n = claim->stack == NS_CLAIM_ENCODER ? encoder : ns_paper_points(study) - *first;
}

/* Adds the curves that a claim predicts over x [n]: a power law times `size`, the two bounds of a
 * growth from `size`, a constant `size`, or a geometric growth from it.  Adds nothing for claims of
 * other kinds. */
static void add_claim(NsPaperResult *result, const NsClaim *claim, const double *x, size_t n,
                      double size)
{
    const char *arm = result->study->arms[claim->arm % ns_paper_arms(result->study)].label;
    double *y, *upper, ratio;
    size_t before = result->n_series;
    size_t first = claim->kind == NS_CLAIM_UPPER ? n / 2 : 0; /* index of the first point */
    switch ((int)claim->kind) {
    case NS_CLAIM_SLOPE:
        if (isnan(claim->expected)) return;
        /* The theorem states only the order of magnitude, so its curve is scaled to the measured
         * values. */
        y = add_curve(result,
                      claim->expected > 0   ? of_arm(arm, "∝ L")
                      : claim->expected < 0 ? N_("Pre-LN: order of Theorem 1, L^{−1/2}")
                                            : N_("Post-LN: order of Theorem 1, L^0"),
                      x, n);
        for (size_t i = 0; i < n; i++) y[i] = size * pow(x[i], claim->expected);
        break;
    case NS_CLAIM_GROWTH:
        y = add_curve(result, of_arm(arm, "(1 + l/2) d"), x, n);
        upper = add_curve(result, of_arm(arm, "(1 + 3l/2) d"), x, n);
        for (size_t i = 0; i < n; i++) {
            y[i] = size + claim->lo * x[i];
            upper[i] = size + claim->hi * x[i];
        }
        break;
    case NS_CLAIM_EVEN:
        y = add_curve(result, arm, x, n);
        for (size_t i = 0; i < n; i++) y[i] = size;
        break;
    case NS_CLAIM_SPREAD:
        y = add_curve(result, of_arm(arm, "d"), x, n);
        for (size_t i = 0; i < n; i++) y[i] = size;
        break;
    case NS_CLAIM_RATIO:
    case NS_CLAIM_TREND:
    case NS_CLAIM_UPPER: /* geometric growth up to the expected ratio, or to the lower bound */
        ratio = !isnan(claim->expected) ? claim->expected : MAX(claim->lo, 1.0);
        n -= first;
        y = add_curve(result, arm, x + first, n);
        for (size_t i = 0; i < n; i++) y[i] = size * pow(ratio, (double)i / (double)(n - 1));
        break;
    default:
        break;
    }
    for (size_t i = before; i < result->n_series; i++) result->series[i].result = claim->result;
}

NsPaperResult *ns_paper_expected(const NsPaperStudy *study)
{
    NsPaperResult *result = g_new0(NsPaperResult, 1);
    g_atomic_ref_count_init(&result->refs);
    result->study = study;
    g_auto(NsStudy) made;
    ns_paper_make(study, &made, NULL);
    size_t n = ns_paper_points(&made);
    g_autofree double *x = g_new(double, n);
    ns_paper_abscissae(&made, x, n);
    for (unsigned i = 0; i < ns_paper_claims(study); i++) {
        size_t first, points;
        find_points(&made, &study->claims[i], &first, &points);
        add_claim(result, &study->claims[i], x + first, points, 1.0);
    }
    return result;
}

/* ---- Values ---- */

/* The values of every seed of every curve. */
typedef struct {
    const NsStudy *study;
    size_t n;       /* number of points of a curve */
    double *x;      /* [n] */
    double *values; /* [results, curves, seeds, n] */
    bool *diverged; /* [curves, seeds] */
    double seconds;
    char *day; /* on which the values were measured; NULL: today */
} Work;

static void work_clear(Work *work)
{
    g_free(work->x);
    g_free(work->values);
    g_free(work->diverged);
    g_free(work->day);
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
    size_t before = grid ? 0 : place.configuration * study->experiment.n;
    g_autofree double *curve = grid && results == 1
                                   ? g_memdup2(&cell->value, sizeof cell->value)
                                   : ns_study_store_curve(ns_study_work_store(cells), at, &n);
    if (grid && results == 1) n = 1;
    if (cell->state == NS_CELL_DIVERGED)
        work->diverged[(before + place.lane) * (size_t)study->seeds + place.seed] = true;
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

/* -1 if lower values are better, 1 if higher ones are. */
static int direction_of(const Work *work, const NsClaim *claim)
{
    return ns_result_direction(&work->study->results.of[claim->result]) > 0 ? 1 : -1;
}

static double reach(const Work *work, const double *y, int direction)
{
    size_t i = 0;
    while (i < work->n && direction * (y[i] - y[0]) >= -STILL_LEARNS) i++;
    return i ? work->x[i - 1] : 0;
}

/* Whether a run measures a result at a step: curvature only in the first update and at its
 * interval.
 */
static bool is_due(const NsStudy *study, unsigned which, double step)
{
    const NsResult *result = &study->results.of[which];
    if (result->at != NS_RESULT_EVERY || !ns_result_is_measured_every(result, "curvature-every"))
        return true;
    int64_t at = (int64_t)step, every = study->experiment.lane[0].curvature_every;
    return at == 1 || (at > 0 && every > 0 && at % every == 0);
}

static double claim_value(const Work *work, const NsClaim *claim, unsigned seed)
{
    size_t first, n;
    find_points(work->study, claim, &first, &n);
    const double *x = work->x + first,
                 *y = values_of(work, claim->result, claim->arm, seed) + first;
    const double *other = values_of(work, claim->result, claim->other, seed) + first;
    double result = 0, least = INFINITY;
    switch (claim->kind) {
    case NS_CLAIM_SLOPE:
        return log_slope(x, y, n);
    case NS_CLAIM_GROWTH:
        return ns_fit_growth(x, y, n);
    case NS_CLAIM_SPREAD:
        for (size_t i = 2; i < n; i++) result = MAX(result, fabs(y[i] / y[1] - 1));
        return result;
    case NS_CLAIM_RATIO:
        for (first = 0; first + 1 < n && !is_due(work->study, claim->result, x[first]);) first++;
        return y[n - 1] / y[first];
    case NS_CLAIM_UPPER:
        return y[n - 1] / y[n / 2];
    case NS_CLAIM_END: {
        /* The final value of a run minus that of another; infinitely worse if only one has
         * diverged.  Training losses of single batches are noisy; losses on held-out data are not.
         */
        bool noisy = ns_paper_kind_of(work->study) == NS_PAPER_STEP &&
                     work->study->results.of[0].kind == NS_RESULT_LOSS;
        size_t last = noisy ? MIN(work->n, NS_CELL_LAST) : 1;
        double a = mean_of_last(y, work->n, last), b = mean_of_last(other, work->n, last);
        if (isnan(a) == isnan(b)) return a - b;
        return (isnan(a) ? -1.0 : 1.0) * direction_of(work, claim) * (double)INFINITY;
    }
    case NS_CLAIM_FACTOR:
        return y[n - 1] / other[n - 1];
    case NS_CLAIM_EVERY:
        for (size_t i = 0; i < n; i++) result = fmax(result, y[i] / other[i]);
        return result;
    case NS_CLAIM_TREND: {
        g_autofree double *v = g_new(double, n);
        for (size_t i = 0; i < n; i++) v[i] = log(y[i]);
        NsFit fit;
        return ns_fit_line(&fit, x, v, n) ? exp(fit.slope * (x[n - 1] - x[0])) : (double)NAN;
    }
    case NS_CLAIM_EVEN:
        for (size_t i = 0; i < n; i++) {
            result = fmax(result, y[i]);
            least = fmin(least, y[i]);
        }
        return result / least;
    case NS_CLAIM_LAST:
        return y[n - 1];
    case NS_CLAIM_MOST:
        for (size_t i = 0; i < n; i++) {
            if (!is_due(work->study, claim->result, x[i])) continue;
            if (isnan(y[i])) return NAN; /* of a run that diverged the largest is not known */
            result = MAX(result, y[i]);
        }
        return result;
    case NS_CLAIM_SOONER:
        /* The fraction of the steps after which a run reaches the last value of the other; infinite
         * if it never does. */
        for (size_t i = 0; i < work->n; i++)
            if (direction_of(work, claim) * (y[i] - other[n - 1]) >= 0)
                return work->x[i] / work->x[work->n - 1];
        return isnan(other[n - 1]) ? (double)NAN : (double)INFINITY;
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

static void set_mean(NsFinding *finding, const double *values, size_t n)
{
    NsMoments moments = ns_moments(values, n);
    finding->value = moments.mean;
    finding->error = n > 1 ? moments.sd / sqrt((double)n) : (double)NAN;
    finding->lo = moments.mean - moments.reach;
    finding->hi = moments.mean + moments.reach;
}

/* Whether the values of a claim are ratios of positive numbers. */
static bool is_ratio(NsClaimKind kind)
{
    return kind == NS_CLAIM_RATIO || kind == NS_CLAIM_UPPER || kind == NS_CLAIM_FACTOR ||
           kind == NS_CLAIM_EVERY || kind == NS_CLAIM_TREND || kind == NS_CLAIM_EVEN ||
           kind == NS_CLAIM_MOST;
}

/* The median and the narrowest symmetric pair of order statistics that encloses the median of the
 * population with a probability of at least 95%, whatever the distribution; below six values there
 * is none.  A value that is not known may be anywhere. */
static void set_median(NsFinding *finding, const double *values, size_t n)
{
    g_autofree double *low = g_new(double, n), *high = g_new(double, n);
    for (size_t i = 0; i < n; i++) {
        low[i] = isnan(values[i]) ? -(double)INFINITY : values[i];
        high[i] = isnan(values[i]) ? (double)INFINITY : values[i];
    }
    qsort(low, n, sizeof *low, ns_compare_doubles);
    qsort(high, n, sizeof *high, ns_compare_doubles);
    double at_least = (low[(n - 1) / 2] + low[n / 2]) / 2;
    double at_most = (high[(n - 1) / 2] + high[n / 2]) / 2;
    finding->kind = NS_VALUE_MEDIAN;
    finding->value = at_least < at_most ? (double)NAN : at_least;
    /* The probability that at most k of n values are below the median, twice. */
    double term = 2 * pow(0.5, (double)n), outside = term;
    size_t k = 0;
    while (outside <= 0.05) {
        k++;
        term *= (double)(n - k + 1) / (double)k;
        outside += term;
    }
    if (k == 0) return;
    finding->lo = low[k - 1];
    finding->hi = high[n - k];
}

/* The final value of an arm, mean over the seeds. */
static double mean_end(const Work *work, const NsClaim *claim, unsigned arm)
{
    double sum = 0;
    for (unsigned seed = 0; seed < (unsigned)work->study->seeds; seed++)
        sum += values_of(work, claim->result, arm, seed)[work->n - 1];
    return sum / (double)work->study->seeds;
}

/* Why a claim is not counted; NULL if it is. */
static const char *not_counted(const Work *work, const NsClaim *claim)
{
    const NsResult *result = &work->study->results.of[claim->result];
    if (claim->certain) return N_("true by construction, not counted");
    if (result->kind != NS_RESULT_QUANTITY || result->quantity != NS_QUANTITY_BLEU) return NULL;
    if (!*work->study->experiment.lane[0].source)
        return N_("BLEU counts on real pairs only, not on generated ones");
    double best = fmax(mean_end(work, claim, claim->arm), mean_end(work, claim, claim->other));
    return best >= LEAST_BLEU ? NULL : N_("BLEU below 10, not counted");
}

static NsFinding find(const Work *work, const NsClaim *claim)
{
    size_t seeds = (size_t)work->study->seeds;
    g_autofree double *values = g_new(double, seeds);
    NsFinding finding = {.claim = claim,
                         .error = NAN,
                         .lo = NAN,
                         .hi = NAN,
                         .seeds = seeds,
                         .verdict = NS_VERDICT_NONE,
                         .reason = not_counted(work, claim)};
    finding.counted = !finding.reason;
    for (size_t seed = 0; seed < seeds; seed++) {
        values[seed] = claim_value(work, claim, (unsigned)seed);
        if (!isfinite(values[seed])) finding.diverged++;
    }
    if (finding.diverged || claim->kind == NS_CLAIM_REACH)
        set_median(&finding, values, seeds);
    else if (is_ratio(claim->kind)) {
        g_autofree double *logs = g_new(double, seeds);
        for (size_t i = 0; i < seeds; i++) logs[i] = log(values[i]);
        set_mean(&finding, logs, seeds);
        finding.kind = NS_VALUE_GEOMETRIC;
        finding.value = exp(finding.value);
        finding.error *= finding.value;
        finding.lo = exp(finding.lo);
        finding.hi = exp(finding.hi);
    } else {
        set_mean(&finding, values, seeds);
    }
    if (claim->kind == NS_CLAIM_BEYOND) { /* a share */
        if (finding.lo < 0) finding.lo = 0;
        if (finding.hi > 1) finding.hi = 1;
    }
    if (finding.counted) finding.verdict = ns_claim_verdict(claim, finding.lo, finding.hi);
    if (finding.counted && finding.verdict == NS_VERDICT_NONE)
        finding.reason = seeds > 1 ? N_("ranks need six seeds") : N_("one seed decides nothing");
    return finding;
}

/* ---- Curves ---- */

/* The quantile of n values in ascending order, linear between them (Hyndman and Fan 1996, type 7).
 */
static double quantile(const double *values, size_t n, double share)
{
    double at = share * (double)(n - 1);
    size_t below = (size_t)at, above = MIN(below + 1, n - 1);
    return values[below] + (at - (double)below) * (values[above] - values[below]);
}

static void add_measured(NsPaperResult *result, const Work *work, unsigned which, size_t curve)
{
    NsPaperSeries *series = &result->series[result->n_series++];
    unsigned seeds = (unsigned)work->study->seeds;
    g_autofree double *values = g_new(double, seeds);
    *series = (NsPaperSeries){.label = ns_paper_curve_label(result->study, work->study, curve),
                              .result = which,
                              .curve = curve};
    g_autofree size_t *at = g_new(size_t, work->n);
    for (size_t i = 0; i < work->n; i++)
        if (is_due(work->study, which, work->x[i])) at[series->n++] = i;
    series->x = g_new(double, series->n);
    series->y = g_new(double, series->n);
    series->seeds = seeds;
    series->singles = g_new(double, seeds * series->n);
    if (seeds > 1) {
        series->lo = g_new(double, series->n);
        series->hi = g_new(double, series->n);
    }
    for (size_t i = 0; i < series->n; i++) {
        series->x[i] = work->x[at[i]];
        for (unsigned seed = 0; seed < seeds; seed++)
            values[seed] = series->singles[seed * series->n + i] =
                values_of(work, which, curve, seed)[at[i]];
        series->y[i] = ns_moments(values, seeds).mean;
        if (seeds == 1) continue;
        qsort(values, seeds, sizeof *values, ns_compare_doubles);
        series->lo[i] = isnan(series->y[i]) ? (double)NAN : quantile(values, seeds, BAND_LO);
        series->hi[i] = isnan(series->y[i]) ? (double)NAN : quantile(values, seeds, BAND_HI);
    }
    for (unsigned seed = 0; seed < seeds; seed++)
        series->diverged += work->diverged[curve * seeds + seed];
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
        add_claim(result, claim, work->x, work->n, exp(middle));
    }
    if (claim->kind == NS_CLAIM_SPREAD) add_claim(result, claim, work->x, work->n, 1);
    if (claim->kind == NS_CLAIM_GROWTH) add_claim(result, claim, work->x, work->n, y[0]);
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
    work->diverged = g_new0(bool, ns_paper_curves(study) * (size_t)study->seeds);
}

static NsPaperResult *judge(const NsPaperStudy *row, const Work *work)
{
    NsPaperResult *result = g_new0(NsPaperResult, 1);
    g_atomic_ref_count_init(&result->refs);
    result->study = row;
    result->seconds = work->seconds;
    result->seed =
        MIN(work->study->experiment.lane[0].seed, work->study->experiment.lane[0].data_seed);
    result->seeds = work->study->seeds;
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    result->day = work->day ? g_strdup(work->day) : g_date_time_format(now, "%F");
    for (unsigned which = 0; which < work->study->results.n; which++)
        for (size_t curve = 0; curve < ns_paper_curves(work->study); curve++)
            add_measured(result, work, which, curve);
    result->claims = ns_paper_seeds_words(row, work->study);
    bool counted = false;
    for (unsigned i = 0; i < ns_paper_claims(row); i++) {
        NsFinding *finding = &result->findings[result->n_findings++];
        *finding = find(work, &row->claims[i]);
        counted |= finding->counted;
        if (finding->counted) result->verdict = MAX(result->verdict, finding->verdict);
        add_expected(result, work, &row->claims[i]);
    }
    if (!counted) result->verdict = NS_VERDICT_NONE;
    return result;
}

NsPaperResult *ns_paper_result_new(const NsPaperStudy *row, NsStudyWork *cells, GError **error)
{
    g_auto(Work) work = {0};
    work_init(&work, ns_study_work_study(cells));
    if (!ns_study_work_store(cells) || !read_cells(&work, cells, error)) return NULL;
    return judge(row, &work);
}

/* ---- The report of this release ---- */

void ns_paper_make_fresh(const NsPaperStudy *row, NsStudy *study)
{
    ns_paper_make(row, study, NULL);
    ns_study_set(study, "seed=" G_STRINGIFY(NS_PAPER_FRESH), NULL);
    ns_study_set(study, "data-seed=" G_STRINGIFY(NS_PAPER_FRESH), NULL);
}

/* A number of a line, where null is a value that a diverged run does not have. */
static bool read_number(JsonNode *node, double *number)
{
    *number = NAN;
    if (node && JSON_NODE_HOLDS_NULL(node)) return true;
    if (!node || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) == G_TYPE_STRING)
        return false;
    *number = json_node_get_double(node);
    return true;
}

/* Reads the values of each seed of a curve.  A run whose values end has diverged. */
static bool read_seeds(Work *work, unsigned which, size_t curve, JsonArray *seeds)
{
    if (!seeds || json_array_get_length(seeds) != (guint)work->study->seeds) return false;
    for (unsigned seed = 0; seed < (unsigned)work->study->seeds; seed++) {
        JsonArray *values = ns_json_array_of(json_array_get_element(seeds, seed));
        double *y = values_of(work, which, curve, seed);
        guint n = values ? json_array_get_length(values) : 0, k = 0;
        for (size_t i = 0; i < work->n; i++) {
            y[i] = NAN;
            if (!is_due(work->study, which, work->x[i])) continue;
            if (k == n || !read_number(json_array_get_element(values, k++), &y[i])) return false;
            work->diverged[curve * (size_t)work->study->seeds + seed] |= isnan(y[i]);
        }
        if (k < n) return false;
    }
    return true;
}

/* The values of a study from the line of a report, whose measured curves are in the order of
 * results and curves. */
static bool read_line(Work *work, const char *text, size_t size)
{
    g_autoptr(JsonNode) node = ns_json_parse(text, size);
    JsonObject *line = ns_json_object_of(node);
    if (!line) return false;
    JsonArray *series = ns_json_array_of(json_object_get_member(line, "series"));
    work->day = g_strdup(ns_json_text_of(json_object_get_member(line, "day")));
    size_t curves = ns_paper_curves(work->study), n = work->study->results.n * curves;
    if (!work->day || !read_number(json_object_get_member(line, "seconds"), &work->seconds) ||
        !series || json_array_get_length(series) < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        JsonObject *one = ns_json_object_of(json_array_get_element(series, (guint)i));
        JsonNode *seeds = one ? json_object_get_member(one, "seeds") : NULL;
        if (!read_seeds(work, (unsigned)(i / curves), i % curves, ns_json_array_of(seeds)))
            return false;
    }
    return true;
}

NsPaperResult *ns_paper_result_reported(const NsPaperStudy *row)
{
    g_autoptr(GBytes) report = ns_bundled_report();
    g_autofree char *begin = g_strdup_printf("{\"study\":\"%s\",", row->choice.key);
    const char *line =
        g_strstr_len(g_bytes_get_data(report, NULL), (gssize)g_bytes_get_size(report), begin);
    if (!line) return NULL;
    g_auto(NsStudy) study;
    ns_paper_make_fresh(row, &study);
    g_auto(Work) work = {0};
    work_init(&work, &study);
    return read_line(&work, line, strcspn(line, "\n")) ? judge(row, &work) : NULL;
}

/* ---- Results that were repeated here ---- */

#define MOST_STORED ((size_t)16 << 20) /* bytes of a stored result */

#define HASH_SHOWN 12 /* characters of the hash in the name of a file */

/* The hash is a part of the name, so that a result that other claims or another program judged is
 * not replaced. */
static char *stored_path(const NsPaperStudy *row, const char *folder, const char *hash)
{
    g_autofree char *name = g_strdup_printf("%s-%.*s.jsonl", row->choice.key, HASH_SHOWN, hash);
    return g_build_filename(folder, name, NULL);
}

/* A hash of the program, of the claims of a row, and of all that the values of its cells depend on;
 * NULL if its study is refused. */
static char *stored_hash(const NsPaperStudy *row, NsStudy *study)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree char *claims = ns_paper_claims_text(row);
    g_checksum_update(sum, (const guchar *)NS_VERSION, -1);
    g_checksum_update(sum, (const guchar *)claims, -1);
    if (!ns_study_check(study, NULL)) return NULL;
    for (size_t i = 0; i < ns_study_cells(study); i++) {
        char hash[NS_STUDY_HASH + 1];
        ns_study_hash(study, i, hash);
        g_checksum_update(sum, (const guchar *)hash, -1);
    }
    return g_strdup(g_checksum_get_string(sum));
}

static char *stored_head(const char *hash)
{
    return g_strdup_printf("{\"normscope_paper\":1,\"judged\":\"%s\"}\n", hash);
}

bool ns_paper_result_save(const NsPaperResult *result, const char *folder, GError **error)
{
    g_auto(NsStudy) study;
    ns_paper_make(result->study, &study, NULL);
    g_autofree char *hash = stored_hash(result->study, &study);
    if (!hash) return ns_study_check(&study, error);
    g_autofree char *path = stored_path(result->study, folder, hash);
    g_autofree char *head = stored_head(hash), *line = ns_paper_json(result);
    g_autofree char *text = g_strconcat(head, line, "\n", NULL);
    return ns_folder_make(folder, error) && ns_save(path, text, strlen(text), error);
}

NsPaperResult *ns_paper_result_saved(const NsPaperStudy *row, const char *folder)
{
    size_t size;
    g_auto(NsStudy) study;
    ns_paper_make(row, &study, NULL);
    g_autofree char *hash = stored_hash(row, &study);
    g_autofree char *path = hash ? stored_path(row, folder, hash) : NULL;
    g_autofree char *text = path ? ns_read_file(path, MOST_STORED, &size, NULL) : NULL;
    g_autofree char *head = text ? stored_head(hash) : NULL;
    if (!text || !g_str_has_prefix(text, head)) return NULL;
    g_auto(Work) work = {0};
    work_init(&work, &study);
    const char *line = text + strlen(head);
    return read_line(&work, line, strcspn(line, "\n")) ? judge(row, &work) : NULL;
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
    g_free(result->claims);
    g_free(result->day);
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
    g_auto(NsSettings) settings = {0};
    double start, step = 0, layers = 0;
    for (size_t i = 0; i < ns_study_configurations(study); i++) {
        ns_settings_clear(&settings);
        ns_study_cell_settings(study, ns_study_cell(study, (NsStudyPlace){i, lane, 0}), &settings);
        layers += (double)settings.layers;
    }
    bool good = ns_speed_estimate(&settings, settings.steps ? TIMED : 0, &start, &step, NULL);
    double once = start + step * ((double)settings.steps + finetuning_steps(study));
    double all = once * layers / (double)settings.layers * (double)study->seeds;
    return good ? all : -1;
}

double ns_paper_seconds(const NsPaperStudy *row, unsigned jobs)
{
    g_auto(NsStudy) study;
    double all = 0;
    ns_paper_make(row, &study, NULL);
    for (size_t lane = 0; lane < study.experiment.n; lane++) {
        double seconds = arm_seconds(&study, lane);
        if (seconds < 0) return -1;
        /* Arms that train take about the same time, so only the first is timed. */
        if (study.experiment.lane[0].steps > 0) return seconds * (double)study.experiment.n / jobs;
        all += seconds;
    }
    return all / (double)MIN(jobs, ns_study_cells(&study));
}
