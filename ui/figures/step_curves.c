/* SPDX-License-Identifier: MIT */
#include "ui/figures/step_curves.h"
#include "core/base/digits.h"
#include "core/base/words.h"

#include <glib.h>
#include <math.h>

/* The maximum number of points of one bucket. */
#define BUCKET_POINTS 4

static int64_t bucket_of(const NsCurve *curve, size_t i)
{
    return (int64_t)curve->x[i] / curve->stride;
}

/* Thins the points first..end - 1, which are one bucket: copies those that remain to index `out`
 * (<= first) and returns the index after the last. */
static size_t reduce(NsCurve *curve, size_t out, size_t first, size_t end, bool newest)
{
    size_t least = end, most = end, gap = end;
    for (size_t i = first; i < end; i++) {
        double y = curve->y[i];
        if (!isfinite(y)) {
            if (gap == end) gap = i;
        } else {
            if (least == end || y < curve->y[least]) least = i;
            if (most == end || y > curve->y[most]) most = i;
        }
    }
    for (size_t i = first; i < end; i++) {
        if (i != least && i != most && i != gap && !(newest && i == end - 1)) continue;
        curve->x[out] = curve->x[i];
        curve->y[out++] = curve->y[i];
    }
    return out;
}

void ns_curve_append(NsCurve *curve, double x, double y)
{
    if (curve->n == curve->capacity) {
        curve->capacity = curve->capacity ? 2 * curve->capacity : 256;
        curve->x = g_renew(double, curve->x, curve->capacity);
        curve->y = g_renew(double, curve->y, curve->capacity);
    }
    curve->x[curve->n] = x;
    curve->y[curve->n++] = y;
    if (curve->stride > 1) {
        size_t last = curve->n - 1;
        if (bucket_of(curve, last) != bucket_of(curve, curve->open)) {
            size_t open = reduce(curve, curve->open, curve->open, last, false);
            curve->x[open] = x;
            curve->y[open] = y;
            curve->open = open;
            curve->n = open + 1;
        } else if (curve->n - curve->open > BUCKET_POINTS)
            curve->n = reduce(curve, curve->open, curve->open, curve->n, true);
    }
    if (curve->n <= NS_CURVE_POINTS) return;
    while (curve->n > NS_CURVE_POINTS / 2) {
        /* A bucket of two steps may still have two points, so the first stride is four. */
        curve->stride = curve->stride > 1 ? 2 * curve->stride : 4;
        size_t out = 0;
        for (size_t first = 0, end; first < curve->n; first = end) {
            int64_t bucket = bucket_of(curve, first);
            for (end = first + 1; end < curve->n && bucket_of(curve, end) == bucket;) end++;
            curve->open = out;
            out = reduce(curve, out, first, end, end == curve->n);
        }
        curve->n = out;
    }
}

void ns_curve_show(const NsCurve *curve, NsSeries *series)
{
    series->n = curve->n;
    series->x = curve->x;
    series->y = curve->y;
    series->grows = true;
}

void ns_curve_clear(NsCurve *curve)
{
    g_free(curve->x);
    g_free(curve->y);
    *curve = (NsCurve){0};
}

#define BEFORE NS_FIGURE_PINNED

/* Their labels are those of the figure after the labels of the lanes. */
#define LABELS ((size_t)(NS_LANES_MAX * NS_STEP_CURVES))
G_STATIC_ASSERT(NS_LANES_MAX *NS_STEP_CURVES + NS_FIGURE_PINNED + 1 <= NS_FIGURE_SERIES);

void ns_step_curves_clear(NsStepCurves *curves)
{
    ns_source_follow(&curves->run, NULL);
    for (size_t i = 0; i < NS_STEP_CURVES; i++) ns_curve_clear(&curves->curves[i]);
    ns_smoother_clear(&curves->smoother);
}

bool ns_step_curves_follow(NsStepCurves *curves, NsHistory *history, NsSmoothing how, bool restart)
{
    restart = restart || curves->run.history != history;
    restart = restart || !ns_smoothing_equal(curves->smoother.how, how);
    if (!restart) return false;
    ns_step_curves_clear(curves);
    ns_source_follow(&curves->run, history);
    ns_smoother_init(&curves->smoother, how);
    return true;
}

char *ns_step_curves_note(const NsStepCurves *curves, unsigned n, unsigned curve)
{
    int64_t stride = 0;
    for (unsigned i = 0; i < n; i++) stride = MAX(stride, curves[i].curves[curve].stride);
    if (stride <= 1) return NULL;
    g_autofree char *steps = ns_group_digits(stride);
    return g_strdup_printf(_("Steps are shown in groups of %s by their extremes."), steps);
}

static NsFigureRun run_at(const NsFigureInput *input, unsigned i)
{
    if (i == BEFORE) return (NsFigureRun){.history = input->previous};
    return i < input->n_pinned ? input->pinned[i] : (NsFigureRun){0};
}

void ns_previous_curves_follow(NsPreviousCurves *previous, NsFigure *figure,
                               const NsFigureInput *input, NsPreviousRead read)
{
    for (unsigned i = 0; i <= BEFORE; i++) {
        NsFigureRun run = run_at(input, i);
        NsSource *source = &previous->run[i].source;
        NsCurve *curve = &previous->run[i].curve;
        if (ns_source_follow(source, run.history)) {
            ns_curve_clear(curve);
            figure->changed = true;
        }
        char *label =
            i == BEFORE && run.history ? ns_figure_previous_label(input) : g_strdup(run.name);
        ns_figure_text(figure, &figure->labels[LABELS + i], label);
        if (!run.history) continue;
        size_t before = source->steps;
        read(source, curve, figure);
        figure->changed |= source->steps != before;
    }
}

void ns_previous_curves_forget(NsPreviousCurves *previous)
{
    for (unsigned i = 0; i <= BEFORE; i++) {
        ns_curve_clear(&previous->run[i].curve);
        previous->run[i].source.steps = 0;
    }
}

void ns_previous_curves_clear(NsPreviousCurves *previous)
{
    for (unsigned i = 0; i <= BEFORE; i++) {
        ns_source_follow(&previous->run[i].source, NULL);
        ns_curve_clear(&previous->run[i].curve);
    }
}

NsSeries ns_pinned_look(const NsFigureInput *input, unsigned i)
{
    unsigned before = 0;
    for (unsigned k = 0; k < i && i < input->n_pinned; k++)
        before += input->pinned[k].lane == input->pinned[i].lane;
    return (NsSeries){.kind = NS_SERIES_LINE,
                      .style = run_at(input, i).lane,
                      .dash = NS_PREVIOUS_DASH + before % (NS_SERIES_STYLES - NS_PREVIOUS_DASH),
                      .shade = i < input->n_pinned ? input->shades[i] : 0,
                      .previous = true,
                      .tinted = true,
                      .clipped = true};
}

void ns_previous_curves_show(const NsPreviousCurves *previous, NsFigure *figure,
                             const NsFigureInput *input)
{
    figure->plot.n_series = 0;
    for (unsigned i = 0; i <= BEFORE; i++) {
        if (!previous->run[i].curve.n) continue;
        NsSeries *series = &figure->series[figure->plot.n_series++];
        *series = ns_pinned_look(input, i);
        series->label = figure->labels[LABELS + i];
        ns_curve_show(&previous->run[i].curve, series);
    }
}
