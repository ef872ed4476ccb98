/* The user's view of a plot.  SPDX-License-Identifier: MIT */
#include "ui/plot/view_state.h"

#include "ui/plot/live_limits.h"
#include "ui/plot/plot-private.h"

/* The share of a limited range that is left empty beyond the newest data when it moves. */
#define AHEAD 0.25

/* Ends of a range that was chosen with the pointer are rounded to less than its width over this. */
#define FINEST 5000

void ns_view_state_init(NsViewState *view_state)
{
    *view_state = (NsViewState){0};
    for (int axis = 0; axis < NS_VIEW_STATE_AXES; axis++) view_state->range[axis] = NS_RANGE_FREE;
}

void ns_view_state_clear(NsViewState *view_state)
{
    g_clear_pointer(&view_state->hidden, g_ptr_array_unref);
}

static void limit(const NsViewState *view_state, NsViewStateAxis which, NsAxis *axis)
{
    if (view_state->rescaled[which]) axis->scale = view_state->scale[which];
    if (!isnan(view_state->range[which].lo)) axis->lo = view_state->range[which].lo;
    if (!isnan(view_state->range[which].hi)) axis->hi = view_state->range[which].hi;
}

void ns_view_state_apply(const NsViewState *view_state, const NsPlot *plot, NsPlot *shown,
                         GArray *series)
{
    *shown = *plot;
    limit(view_state, NS_VIEW_STATE_X, &shown->x);
    limit(view_state, NS_VIEW_STATE_LEFT, &shown->left);
    if (plot->heatmap) {
        /* Heatmaps have cells of equal size, so that their scales cannot change. */
        shown->x.scale = plot->x.scale;
        shown->left.scale = plot->left.scale;
        /* The drawn axis of panels cannot be limited, because a part of it would cut through
         * panels. */
        if (plot->heatmap->n_panels) shown->left = plot->left;
    }
    if (view_state->all) shown->origin = ~plot->origin; /* live axes begin again */
    shown->no_grid = shown->no_grid || view_state->no_grid;
    g_array_set_size(series, 0);
    g_array_append_vals(series, plot->series, (guint)plot->n_series);
    shown->series = (const NsSeries *)(const void *)series->data;
    for (guint i = 0; i < series->len; i++) {
        NsSeries *one = &g_array_index(series, NsSeries, i);
        one->hidden = one->hidden || ns_view_state_hides(view_state, ns_series_name(one));
        one->clipped = one->clipped && !(view_state->all && one->previous);
    }
}

bool ns_plot_has_axis(const NsPlot *plot, NsViewStateAxis which)
{
    return !(which == NS_VIEW_STATE_LEFT && plot->heatmap && plot->heatmap->n_panels);
}

NsRange ns_plot_extent(const NsPlot *plot)
{
    NsRange range = NS_RANGE_FREE;
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        if (!series->n) continue;
        ns_range_widen(&range, series->edges ? series->edges[0] : series->x[0]);
        ns_range_widen(&range, series->edges ? series->edges[series->n] : series->x[series->n - 1]);
    }
    if (plot->heatmap) {
        ns_range_widen(&range, plot->heatmap->x0);
        ns_range_widen(&range, ns_heatmap_end(plot->heatmap));
    }
    return range;
}

bool ns_view_state_is_fitted(const NsViewState *view_state)
{
    for (int axis = 0; axis < NS_VIEW_STATE_AXES; axis++)
        if (!ns_range_is_free(view_state->range[axis]) || view_state->rescaled[axis]) return false;
    return true;
}

void ns_view_state_fit(NsViewState *view_state, const NsPlot *shown)
{
    if (ns_view_state_is_fitted(view_state))
        view_state->all = !view_state->all && shown && ns_plot_is_off_scale(shown);
    for (int axis = 0; axis < NS_VIEW_STATE_AXES; axis++) view_state->range[axis] = NS_RANGE_FREE;
    view_state->held = view_state->typed = false;
}

/* Returns whether two numbers are equal, or both NaN. */
static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool differs(NsRange a, NsRange b)
{
    return !same(a.lo, b.lo) || !same(a.hi, b.hi);
}

/* Rounds an end of a range to a decimal that is finer than a pixel of the axis. */
static double rounded_end(const NsScale *scale, NsRange range, double end)
{
    double width = range.hi - range.lo;
    if (scale->kind != NS_SCALE_LINEAR && end != 0) width = MIN(width, fabs(end));
    double power = floor(log10(width / FINEST)), unit = pow(10, fabs(power));
    double rounded = power < 0 ? round(end * unit) / unit : round(end / unit) * unit;
    return isfinite(rounded) ? rounded : end;
}

/* Sets a new range from the pointer if it differs from the drawn one.  Its ends are short numbers,
 * which the window, its files and its commands write alike. */
static bool take(NsViewState *view_state, NsViewStateAxis which, const NsScale *scale,
                 NsRange range)
{
    NsRange visible = {scale->lo, scale->hi};
    if (differs(range, visible) && !ns_range_is_free(range))
        range = (NsRange){rounded_end(scale, range, range.lo), rounded_end(scale, range, range.hi)};
    if (!differs(range, visible) || !differs(range, view_state->range[which])) return false;
    ns_view_state_set_range(view_state, which, range);
    view_state->typed = false;
    return true;
}

/* The limits for zooming and panning: the data on the x axis, the rows of a heatmap, otherwise
 * none. */
static NsRange whole(const NsPlotLayout *layout, NsViewStateAxis which)
{
    const NsPlot *plot = layout->plot;
    if (which == NS_VIEW_STATE_X) {
        NsRange extent = ns_plot_extent(plot);
        /* A live axis has free space beyond the data. */
        if (ns_plot_grows(plot)) extent.hi = ns_plot_ahead(plot, extent.lo, extent.hi);
        return extent;
    }
    if (which == NS_VIEW_STATE_LEFT && plot->heatmap)
        return (NsRange){plot->heatmap->y0, plot->heatmap->y1};
    return NS_RANGE_FREE;
}

static const NsScale *scale_of(const NsPlotLayout *layout, NsViewStateAxis which)
{
    return which == NS_VIEW_STATE_X ? &layout->x : &layout->y;
}

bool ns_view_state_zoom_about(NsViewState *view_state, const NsPlotLayout *layout, double px,
                              double py, double factor_x, double factor_y)
{
    const double points[] = {px, py}, factors[] = {factor_x, factor_y};
    bool changed = false;
    for (NsViewStateAxis which = 0; which < NS_VIEW_STATE_AXES; which++) {
        const NsScale *scale = scale_of(layout, which);
        if (factors[which] == 1 || !ns_plot_has_axis(layout->plot, which)) continue;
        changed |= take(view_state, which, scale,
                        ns_zoom_about(scale, points[which], factors[which], whole(layout, which)));
    }
    return changed;
}

bool ns_view_state_zoom_to(NsViewState *view_state, const NsPlotLayout *layout, NsBox box)
{
    const double from[] = {box.x, box.y};
    double to[] = {box.x + box.width, box.y + box.height};
    /* Names are beyond the end of the horizontal scale. */
    if (layout->beyond > 0) to[NS_VIEW_STATE_X] = MIN(to[NS_VIEW_STATE_X], layout->x.p1);
    bool changed = false;
    for (NsViewStateAxis which = 0; which < NS_VIEW_STATE_AXES; which++) {
        const NsScale *scale = scale_of(layout, which);
        if (!(to[which] > from[which]) || !ns_plot_has_axis(layout->plot, which)) continue;
        changed |= take(view_state, which, scale,
                        ns_zoom_between(scale, from[which], to[which], whole(layout, which)));
    }
    return changed;
}

bool ns_view_state_pan(NsViewState *view_state, const NsPlotLayout *layout, double dx, double dy)
{
    const double by[] = {dx, dy};
    bool changed = false;
    for (NsViewStateAxis which = 0; which < NS_VIEW_STATE_AXES; which++) {
        const NsScale *scale = scale_of(layout, which);
        if (by[which] == 0 || !ns_plot_has_axis(layout->plot, which)) continue;
        NsRange range = ns_zoom_pan(scale, by[which], whole(layout, which));
        /* An axis that shows everything cannot be panned. */
        if (!ns_range_is_free(range)) changed |= take(view_state, which, scale, range);
    }
    return changed;
}

void ns_view_state_set_range(NsViewState *view_state, NsViewStateAxis axis, NsRange range)
{
    view_state->range[axis] = range;
    if (axis == NS_VIEW_STATE_X) view_state->held = !ns_range_is_free(range);
}

void ns_view_state_follow(NsViewState *view_state)
{
    view_state->held = false;
    if (isnan(view_state->range[NS_VIEW_STATE_X].lo) ||
        isnan(view_state->range[NS_VIEW_STATE_X].hi))
        view_state->range[NS_VIEW_STATE_X] = NS_RANGE_FREE;
}

bool ns_view_state_advance(NsViewState *view_state, double newest)
{
    NsRange *range = &view_state->range[NS_VIEW_STATE_X];
    double width = range->hi - range->lo;
    if (view_state->held || !isfinite(width) || !isfinite(newest)) return false;
    if (newest > range->hi) {
        range->hi = newest + AHEAD * width;
        range->lo = range->hi - width;
    } else if (newest < range->lo) {
        /* The run was restarted. */
        range->lo = newest;
        range->hi = newest + width;
    } else {
        return false;
    }
    return true;
}

bool ns_view_state_reveal(NsViewState *view_state, const NsPlotLayout *layout, double x)
{
    double px = ns_plot_x_to_pixel(layout, x), margin = layout->area.width / 10;
    double left = layout->area.x, right = left + layout->area.width - layout->beyond;
    if (ns_range_is_free(view_state->range[NS_VIEW_STATE_X]) || !isfinite(px)) return false;
    if (px < left - 0.5) return ns_view_state_pan(view_state, layout, left - px + margin, 0);
    if (px > right + 0.5) return ns_view_state_pan(view_state, layout, right - px - margin, 0);
    return false;
}

static bool find(const NsViewState *view_state, const char *label, guint *at)
{
    return label && view_state->hidden &&
           g_ptr_array_find_with_equal_func(view_state->hidden, label, g_str_equal, at);
}

bool ns_view_state_hides(const NsViewState *view_state, const char *label)
{
    return find(view_state, label, NULL);
}

void ns_view_state_hide(NsViewState *view_state, const char *label, bool hide)
{
    guint at;
    bool hidden = find(view_state, label, &at);
    if (!label || hidden == hide) return;
    if (!view_state->hidden) view_state->hidden = g_ptr_array_new_with_free_func(g_free);
    if (hide)
        g_ptr_array_add(view_state->hidden, g_strdup(label));
    else
        g_ptr_array_remove_index(view_state->hidden, at);
}

void ns_view_state_solo(NsViewState *view_state, const NsPlot *plot, const char *label)
{
    bool alone = !ns_view_state_hides(view_state, label);
    for (size_t i = 0; i < plot->n_series; i++) {
        const char *other = ns_series_name(&plot->series[i]);
        if (other && !g_str_equal(other, label))
            alone = alone && ns_view_state_hides(view_state, other);
    }
    for (size_t i = 0; i < plot->n_series; i++) {
        const char *other = ns_series_name(&plot->series[i]);
        if (other) ns_view_state_hide(view_state, other, !alone && !g_str_equal(other, label));
    }
}

bool ns_view_state_pin(NsViewState *view_state, double x, double row)
{
    unsigned used = 0;
    for (size_t i = 0; i < view_state->n_pins; i++) {
        NsPin *pin = &view_state->pins[i];
        if (pin->x == x && same(pin->row, row)) return ns_view_state_unpin(view_state, pin->number);
        used |= 1u << pin->number;
    }
    if (view_state->n_pins == NS_VIEW_STATE_PINS) return false;
    unsigned number = 1;
    while (used & 1u << number) number++;
    view_state->pins[view_state->n_pins++] = (NsPin){x, row, number};
    return true;
}

bool ns_view_state_unpin(NsViewState *view_state, unsigned number)
{
    for (size_t i = view_state->n_pins; i-- > 0;) {
        if (number && view_state->pins[i].number != number) continue;
        view_state->n_pins--;
        memmove(&view_state->pins[i], &view_state->pins[i + 1],
                (view_state->n_pins - i) * sizeof *view_state->pins);
        return true;
    }
    return false;
}
