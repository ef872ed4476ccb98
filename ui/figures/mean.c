/* SPDX-License-Identifier: MIT */
#include "ui/figures/mean.h"

#include "core/base/words.h"
#include "ui/figures/figure.h"

#include <math.h>

static void *own(NsMeanPlot *mean, void *taken)
{
    g_ptr_array_add(mean->owned, taken);
    return taken;
}

static bool same_series(const NsSeries *a, const NsSeries *b)
{
    return a->kind == b->kind && a->style == b->style && a->previous == b->previous &&
           a->tinted == b->tinted && a->muted == b->muted && a->theory == b->theory &&
           g_strcmp0(a->label, b->label) == 0 && g_strcmp0(a->group, b->group) == 0;
}

/* The series of another plot that corresponds to the i-th of this one.  If several look alike, they
 * correspond in order.  NULL if there is none. */
static const NsSeries *counterpart(const NsPlot *plot, size_t i, const NsPlot *other)
{
    size_t before = 0;
    for (size_t k = 0; k < i; k++) before += same_series(&plot->series[k], &plot->series[i]);
    for (size_t k = 0; k < other->n_series; k++) {
        if (!same_series(&other->series[k], &plot->series[i])) continue;
        if (before-- == 0) return &other->series[k];
    }
    return NULL;
}

/* The moments of one point over the runs, or of its logarithms, by Welford's method (1962): equal
 * values have exactly that value as their mean, and a deviation of 0. */
typedef struct {
    bool log;
    size_t n;
    double mean, squares, sum, least, lo, hi;
} Moments;

static double to_log(const Moments *moments, double y)
{
    return moments->log ? log(y) : y;
}

static double from_log(const Moments *moments, double y)
{
    return moments->log ? exp(y) : y;
}

static void add_point(Moments *moments, const NsSeries *series, size_t i)
{
    double y = to_log(moments, series->y[i]), before = y - moments->mean;
    moments->least = moments->n ? fmin(moments->least, y) : y;
    moments->n++;
    moments->sum += y;
    moments->mean += before / (double)moments->n;
    moments->squares += before * (y - moments->mean);
    if (!series->lo || !series->hi) return;
    moments->lo += (to_log(moments, series->lo[i]) - moments->lo) / (double)moments->n;
    moments->hi += (to_log(moments, series->hi[i]) - moments->hi) / (double)moments->n;
}

/* The mean at the points of the first series. */
static NsSeries mean_of(NsMeanPlot *mean, const NsSeries *const *all, size_t n, bool log)
{
    const NsSeries *first = all[0];
    /* The number of points of the first series up to the earliest end of all: other seeds may not
     * have measured the last steps yet. */
    size_t points = all[0]->n;
    for (size_t k = 1; k < n; k++) {
        double end = all[k]->n ? all[k]->x[all[k]->n - 1] : -HUGE_VAL;
        while (points && all[0]->x[points - 1] > end) points--;
    }
    double *y = own(mean, g_new(double, points));
    double *lo = own(mean, g_new(double, points)), *hi = own(mean, g_new(double, points));
    g_autofree size_t *at = g_new0(size_t, n);
    bool banded = first->lo && first->hi, band = banded;
    /* Marks without a line cannot have a band, which is a continuous area. */
    bool deviates = !first->theory && first->kind != NS_SERIES_SCATTER;
    for (size_t i = 0; i < points; i++) {
        Moments moments = {.log = log};
        for (size_t k = 0; k < n; k++) {
            const double *x = all[k]->x;
            while (at[k] < all[k]->n && x[at[k]] < first->x[i]) at[k]++;
            if (at[k] < all[k]->n && !(x[at[k]] > first->x[i])) add_point(&moments, all[k], at[k]);
        }
        double sd = moments.n > 1 ? sqrt(moments.squares / (double)(moments.n - 1)) : 0;
        bool below = !log && moments.least > 0 && sd >= moments.mean;
        /* Welford's mean of infinite values is NaN; their sum is infinite, or NaN if the signs
         * differ. */
        double middle = isfinite(moments.mean) ? moments.mean : moments.sum;
        y[i] = sd > 0 || !isfinite(middle) ? from_log(&moments, middle) : first->y[i];
        lo[i] = from_log(&moments, banded ? moments.lo : below ? moments.least : middle - sd);
        hi[i] = from_log(&moments, banded ? moments.hi : middle + sd);
        band |= sd > 0 && deviates;
        mean->cut |= below && !banded && deviates;
    }
    mean->band |= band;
    NsSeries series = *first;
    series.n = points;
    series.y = y;
    series.lo = band ? lo : NULL;
    series.hi = band ? hi : NULL;
    series.deviates = band && !banded;
    series.geometric = log;
    return series;
}

/* "1 of 3 seeds stuck"; the state alone if all have one, and NULL if none has. */
static const char *common_state(NsMeanPlot *mean, const NsSeries *const *all, size_t n)
{
    const char *state = NULL;
    size_t with = 0;
    for (size_t k = 0; k < n; k++) {
        if (!all[k]->state) continue;
        state = state ? state : all[k]->state;
        with++;
    }
    if (!with || with == n) return state;
    return own(mean, g_strdup_printf(_("%zu of %zu seeds %s"), with, n, state));
}

/* Whether the mean of these plots is geometric: on a logarithmic axis, unless a value is negative.
 */
static bool is_geometric(const NsPlot *const *plots, size_t n)
{
    bool geometric = plots[0]->left.scale == NS_SCALE_LOG;
    for (size_t k = 0; k < n && geometric; k++)
        for (size_t i = 0; i < plots[k]->n_series; i++)
            for (size_t at = 0; at < plots[k]->series[i].n; at++)
                geometric &= !(plots[k]->series[i].y[at] < 0);
    return geometric;
}

/* Replaces the curves of `into`, a copy of the first plot, by the means over all plots.  Returns
 * whether these are geometric. */
static bool merge(NsMeanPlot *mean, NsPlot *into, const NsPlot *const *plots, size_t n)
{
    bool geometric = is_geometric(plots, n);
    NsSeries *series = own(mean, g_new0(NsSeries, into->n_series));
    g_autofree const NsSeries **all = g_new0(const NsSeries *, n);
    for (size_t i = 0; i < into->n_series; i++) {
        size_t found = 0;
        for (size_t k = 0; k < n; k++) {
            const NsSeries *other = counterpart(plots[0], i, plots[k]);
            if (other) all[found++] = other;
        }
        series[i] = mean_of(mean, all, found, geometric);
        series[i].state = common_state(mean, all, found);
    }
    into->series = series;
    into->slopes = NULL;
    into->n_slopes = 0;
    into->version = 1;
    return geometric;
}

/* The mean over the runs with this style in a plot over layers; NULL if it has none. */
static const NsSeries *mean_with_style(const NsPlot *plot, unsigned style)
{
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        bool shown = series->kind == NS_SERIES_POINTS && !series->muted && !series->previous;
        if (shown && !series->theory && series->style == style) return series;
    }
    return NULL;
}

/* Makes the ratios below a plot those of its means: the mean of the ratios of the seeds could be
 * far from what the curves show, because one small denominator decides it. */
static void divide(NsMeanPlot *mean)
{
    const NsSeries *below = mean_with_style(&mean->plot, mean->lower.denominator - 1);
    NsSeries *series =
        own(mean, g_memdup2(mean->lower.series, mean->lower.n_series * sizeof *mean->lower.series));
    for (size_t i = 0; i < mean->lower.n_series && below; i++) {
        const NsSeries *above = mean_with_style(&mean->plot, series[i].style);
        if (!above) continue;
        double *y = own(mean, g_new(double, series[i].n));
        for (size_t at = 0, a = 0, b = 0; at < series[i].n; at++) {
            while (a + 1 < above->n && above->x[a] < series[i].x[at]) a++;
            while (b + 1 < below->n && below->x[b] < series[i].x[at]) b++;
            y[at] = above->y[a] / below->y[b];
        }
        series[i].y = y;
        series[i].lo = series[i].hi = NULL;
        series[i].deviates = false;
    }
    mean->lower.series = series;
}

NsMeanPlot *ns_mean_plot_new(const NsPlot *const *plots, size_t n, size_t seeds,
                             const char *diverged)
{
    NsMeanPlot *mean = g_new0(NsMeanPlot, 1);
    mean->owned = g_ptr_array_new_with_free_func(g_free);
    mean->plot = *plots[0];
    bool log = merge(mean, &mean->plot, plots, n);
    const NsPlot *lower = plots[0]->lower;
    g_autofree const NsPlot **lowers = g_new0(const NsPlot *, n);
    size_t found = 0;
    for (size_t k = 0; k < n; k++)
        if (plots[k]->lower) lowers[found++] = plots[k]->lower;
    if (lower) {
        mean->lower = *lower;
        /* The ratio of geometric means is the geometric mean of the ratios. */
        bool geometric = merge(mean, &mean->lower, lowers, found) && log;
        if (lower->denominator && !geometric) divide(mean);
        mean->plot.lower = &mean->lower;
    }
    GString *note = g_string_new(NULL);
    if (mean->cut)
        ns_figure_add_sentence(note, "%s",
                               _("Band: one standard deviation, cut off at the smallest value "
                                 "where it would reach 0."));
    if (lower && lower->denominator)
        ns_figure_add_sentence(note, "%s", _("The ratio is that of the means."));
    if (diverged) g_string_append_printf(note, _(" %s; the mean is over the others."), diverged);
    if (plots[0]->note) ns_figure_add_sentence(note, "%s", plots[0]->note);
    bool noted = note->len > 0;
    char *words = own(mean, g_strchug(g_string_free(note, FALSE)));
    mean->plot.note = noted ? words : NULL;
    mean->plot.of_runs = 0;
    /* A small chart has no space for the note, so the subtitle states this, too. */
    const char **ends[] = {&mean->plot.subtitle, &mean->plot.moment};
    for (size_t i = 0; diverged && i < G_N_ELEMENTS(ends); i++)
        *ends[i] = own(mean, *ends[i] ? g_strdup_printf("%s (%s)", *ends[i], diverged)
                                      : g_strdup(diverged));
    mean->plot.averaged = own(mean, g_strdup_printf(log ? _("geometric mean and s.d. of %zu seeds")
                                                        : _("mean and s.d. of %zu seeds"),
                                                    seeds));
    /* The band is explained first: a small chart has no space for further keys. */
    NsSeries *keys = own(mean, g_new(NsSeries, 1 + plots[0]->n_keys));
    size_t n_keys = mean->band;
    keys[0] =
        ns_figure_key(own(mean, g_strdup_printf(log ? _("geometric mean ×/÷ s.d. of %zu seeds")
                                                    : _("mean ± s.d. of %zu seeds"),
                                                seeds)));
    keys[0].lo = keys[0].hi = keys[0].y;
    for (size_t i = 0; i < plots[0]->n_keys; i++) keys[n_keys++] = plots[0]->keys[i];
    mean->plot.keys = keys;
    mean->plot.n_keys = n_keys;
    return mean;
}

void ns_mean_plot_free(NsMeanPlot *mean)
{
    if (!mean) return;
    g_ptr_array_unref(mean->owned);
    g_free(mean);
}
