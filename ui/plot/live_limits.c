/* SPDX-License-Identifier: MIT */
#include "ui/plot/live_limits.h"

#include "ui/plot/plot-private.h"

#include <math.h>

/* Padding at either end, as a share of the range of the data. */
#define SPARE 0.08

/* A limit starts to shrink if more than BEGIN of the axis is empty beyond the data, and stops below
 * REST. */
#define BEGIN 0.3
#define REST 0.05

/* The time constant of the exponential shrinking, in seconds. */
#define PACE 0.8
#define NEAR                                                                                       \
    8 /* a known end that is at most so many times as far as the axis would extend is its end */

static bool shrink(double *end, bool *shrinking, double target, double length, double share)
{
    double empty = fabs(*end - target) / length;
    if (!*shrinking && empty > BEGIN) *shrinking = true;
    if (*shrinking && empty < REST) *shrinking = false;
    if (!*shrinking) return false;
    *end += (target - *end) * share;
    return true;
}

void ns_limits_follow(NsLimits *limits, const NsAxis *axis, double lo, double hi, double seconds)
{
    if (!(lo <= hi)) return;
    /* The limits if both were fitted to the data alone. */
    NsAxis free_axis = *axis;
    NsScale target = {.p1 = 1};
    free_axis.lo = free_axis.hi = NAN;
    ns_scale_fit(&target, &free_axis, lo, hi, SPARE);
    bool shows = ns_scale_shows(axis->scale, limits->lo) && ns_scale_shows(axis->scale, limits->hi);
    if (!(limits->lo < limits->hi) || !shows) {
        *limits = (NsLimits){.lo = target.lo, .hi = target.hi};
        return;
    }
    if (lo < limits->lo) {
        limits->lo = target.lo;
        limits->shrinking[0] = false;
    }
    if (hi > limits->hi) {
        limits->hi = target.hi;
        limits->shrinking[1] = false;
    }
    /* Shrink in axis coordinates, where a logarithmic scale is linear. */
    NsScale shown = {.kind = axis->scale, .threshold = target.threshold, .p1 = 1};
    double from = ns_scale_position(&shown, limits->lo), to = ns_scale_position(&shown, limits->hi);
    double length = to - from, share = 1 - exp(-fmax(seconds, 0) / PACE);
    if (!(length > 0)) return;
    if (shrink(&from, &limits->shrinking[0], fmax(target.from, from), length, share))
        limits->lo = ns_scale_at(&shown, from);
    if (shrink(&to, &limits->shrinking[1], fmin(target.to, to), length, share))
        limits->hi = ns_scale_at(&shown, to);
}

double ns_limits_ahead(double first, double last)
{
    static const double round_numbers[] = {1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    double length = last - first;
    if (!(length > 0)) return first + 1;
    double power = pow(10, floor(log10(length)));
    for (size_t i = 0; i < G_N_ELEMENTS(round_numbers); i++)
        if (round_numbers[i] * power > length * (1 + 1e-9)) return first + round_numbers[i] * power;
    return first + 10 * power * round_numbers[1];
}

double ns_plot_ahead(const NsPlot *plot, double first, double last)
{
    double ahead = ns_limits_ahead(first, last);
    return plot->heatmap ? ahead : MAX(ahead, first + NS_FIRST_STEPS);
}

bool ns_plot_grows(const NsPlot *plot)
{
    if (plot->heatmap && plot->heatmap->grows) return true;
    for (size_t i = 0; i < plot->n_series; i++)
        if (plot->series[i].grows && !plot->series[i].previous) return true;
    return false;
}

void ns_live_axes_set(NsLiveAxes *axes, NsPlot *plot, double seconds)
{
    NsDataSummary summary = ns_data_summary(plot);
    NsAxis *axis = &plot->left;
    NsLimits *limits = &axes->limits;
    if (axes->origin != plot->origin || axes->kind != axis->scale) *limits = (NsLimits){0};
    axes->origin = plot->origin;
    axes->kind = axis->scale;
    /* Values beyond a fixed end do not widen the other one. */
    double lo = fmax(summary.y.lo, axis->lo), hi = fmin(summary.y.hi, axis->hi);
    if (plot->expected > 0 && lo <= hi) lo = fmin(lo, plot->expected);
    if (!plot->heatmap) ns_limits_follow(limits, axis, lo, hi, seconds);
    if (!plot->heatmap && limits->lo < limits->hi) {
        if (isnan(axis->lo)) axis->lo = limits->lo;
        if (isnan(axis->hi)) axis->hi = limits->hi;
    }
    if (isnan(plot->x.lo) && isnan(plot->x.hi) && ns_plot_grows(plot) &&
        summary.x.lo <= summary.x.hi) {
        double from = plot->heatmap ? plot->heatmap->x0 : summary.x.lo;
        double ahead = ns_plot_ahead(plot, from, summary.x.hi), end = plot->end;
        bool known = end > 0 && summary.x.hi < end + 1; /* a column of step k ends at k + 1/2 */
        bool near = known && end <= NEAR * ahead;
        plot->x.hi = near ? MAX(end, summary.x.hi) : ahead;
    }
}
