/* What a reader chose to see of a plot.  SPDX-License-Identifier: MIT */
#include "ui/plot/lens.h"

#include "ui/plot/layout-private.h"
#include "ui/plot/live.h"

/* Of the width of a limited range: what is left empty ahead of the newest when it moves. */
#define AHEAD 0.25

void ns_lens_init(NsLens *lens)
{
    *lens = (NsLens){0};
    for (int axis = 0; axis < NS_LENS_AXES; axis++) lens->range[axis] = NS_RANGE_FREE;
}

void ns_lens_clear(NsLens *lens)
{
    g_clear_pointer(&lens->hidden, g_ptr_array_unref);
}

static void limit(const NsLens *lens, NsLensAxis which, NsAxis *axis)
{
    if (lens->rescaled[which]) axis->scale = lens->scale[which];
    if (!isnan(lens->range[which].lo)) axis->lo = lens->range[which].lo;
    if (!isnan(lens->range[which].hi)) axis->hi = lens->range[which].hi;
}

void ns_lens_apply(const NsLens *lens, const NsPlot *plot, NsPlot *shown, GArray *series)
{
    *shown = *plot;
    limit(lens, NS_LENS_X, &shown->x);
    limit(lens, NS_LENS_LEFT, &shown->left);
    limit(lens, NS_LENS_RIGHT, &shown->right);
    if (plot->heatmap) {
        /* Cells are equally large. */
        shown->x.scale = plot->x.scale;
        shown->left.scale = plot->left.scale;
        /* Panels are shown whole: a part of the axis would be some of one and some of another. */
        if (plot->heatmap->n_panels) shown->left = plot->left;
    }
    shown->no_grid = shown->no_grid || lens->no_grid;
    g_array_set_size(series, 0);
    g_array_append_vals(series, plot->series, (guint)plot->n_series);
    shown->series = (const NsSeries *)(const void *)series->data;
    for (guint i = 0; i < series->len; i++) {
        NsSeries *one = &g_array_index(series, NsSeries, i);
        one->hidden = one->hidden || ns_lens_hides(lens, ns_series_name(one));
    }
}

static void widen(NsRange *range, double value)
{
    if (!isfinite(value)) return;
    range->lo = isnan(range->lo) ? value : MIN(range->lo, value);
    range->hi = isnan(range->hi) ? value : MAX(range->hi, value);
}

NsRange ns_plot_extent(const NsPlot *plot)
{
    NsRange range = NS_RANGE_FREE;
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        if (!series->n) continue;
        widen(&range, series->edges ? series->edges[0] : series->x[0]);
        widen(&range, series->edges ? series->edges[series->n] : series->x[series->n - 1]);
    }
    if (plot->heatmap) {
        widen(&range, plot->heatmap->x0);
        widen(&range, plot->heatmap->x1);
    }
    return range;
}

bool ns_lens_is_fitted(const NsLens *lens)
{
    for (int axis = 0; axis < NS_LENS_AXES; axis++)
        if (!ns_range_is_free(lens->range[axis]) || lens->rescaled[axis]) return false;
    return true;
}

void ns_lens_fit(NsLens *lens)
{
    for (int axis = 0; axis < NS_LENS_AXES; axis++) lens->range[axis] = NS_RANGE_FREE;
    lens->held = false;
}

static bool differs(NsRange a, NsRange b)
{
    bool same_lo = a.lo == b.lo || (isnan(a.lo) && isnan(b.lo));
    bool same_hi = a.hi == b.hi || (isnan(a.hi) && isnan(b.hi));
    return !same_lo || !same_hi;
}

/* Takes a new range if it is not what is drawn already. */
static bool take(NsLens *lens, NsLensAxis which, const NsScale *scale, NsRange range)
{
    NsRange drawn = {scale->lo, scale->hi};
    if (!differs(range, drawn) || !differs(range, lens->range[which])) return false;
    lens->range[which] = range;
    if (which == NS_LENS_X) lens->held = !ns_range_is_free(range);
    return true;
}

/* The limits that a range on this axis is kept inside: of the abscissae and of the rows of a
 * heatmap there is nothing beyond. */
static NsRange whole(const NsPlotLayout *layout, NsLensAxis which)
{
    const NsPlot *plot = layout->plot;
    if (which == NS_LENS_X) {
        NsRange extent = ns_plot_extent(plot);
        /* A live axis has room ahead. */
        if (layout->memory && ns_plot_grows(plot))
            extent.hi = ns_limits_ahead(extent.lo, extent.hi);
        return extent;
    }
    if (which == NS_LENS_LEFT && plot->heatmap)
        return (NsRange){plot->heatmap->y0, plot->heatmap->y1};
    return NS_RANGE_FREE;
}

static bool has_axis(const NsPlotLayout *layout, NsLensAxis which)
{
    const NsHeatmap *map = layout->plot->heatmap;
    if (which == NS_LENS_LEFT && map && map->n_panels) return false;
    return which != NS_LENS_RIGHT || (layout->survey.right && !layout->plot->heatmap);
}

static const NsScale *scale_of(const NsPlotLayout *layout, NsLensAxis which)
{
    return which == NS_LENS_X      ? &layout->x
           : which == NS_LENS_LEFT ? &layout->y[NS_AXIS_LEFT]
                                   : &layout->y[NS_AXIS_RIGHT];
}

bool ns_lens_zoom_about(NsLens *lens, const NsPlotLayout *layout, double px, double py,
                        double factor_x, double factor_y)
{
    bool changed = false;
    for (NsLensAxis which = 0; which < NS_LENS_AXES; which++) {
        const NsScale *scale = scale_of(layout, which);
        double factor = which == NS_LENS_X ? factor_x : factor_y;
        if (factor == 1 || !has_axis(layout, which)) continue;
        changed |=
            take(lens, which, scale,
                 ns_zoom_about(scale, which == NS_LENS_X ? px : py, factor, whole(layout, which)));
    }
    return changed;
}

bool ns_lens_zoom_to(NsLens *lens, const NsPlotLayout *layout, NsBox box)
{
    bool changed = false;
    for (NsLensAxis which = 0; which < NS_LENS_AXES; which++) {
        const NsScale *scale = scale_of(layout, which);
        double from = which == NS_LENS_X ? box.x : box.y;
        double length = which == NS_LENS_X ? box.width : box.height;
        if (!(length > 0) || !has_axis(layout, which)) continue;
        changed |= take(lens, which, scale,
                        ns_zoom_between(scale, from, from + length, whole(layout, which)));
    }
    return changed;
}

bool ns_lens_pan(NsLens *lens, const NsPlotLayout *layout, double dx, double dy)
{
    bool changed = false;
    for (NsLensAxis which = 0; which < NS_LENS_AXES; which++) {
        const NsScale *scale = scale_of(layout, which);
        double by = which == NS_LENS_X ? dx : dy;
        if (by == 0 || !has_axis(layout, which)) continue;
        NsRange range = ns_zoom_pan(scale, by, whole(layout, which));
        /* An axis that shows everything has nowhere to go. */
        if (ns_range_is_free(range)) continue;
        changed |= take(lens, which, scale, range);
    }
    return changed;
}

void ns_lens_set_range(NsLens *lens, NsLensAxis axis, NsRange range)
{
    lens->range[axis] = range;
    if (axis == NS_LENS_X) lens->held = !ns_range_is_free(range);
}

void ns_lens_follow(NsLens *lens)
{
    lens->held = false;
    if (isnan(lens->range[NS_LENS_X].lo) || isnan(lens->range[NS_LENS_X].hi))
        lens->range[NS_LENS_X] = NS_RANGE_FREE;
}

bool ns_lens_advance(NsLens *lens, double newest)
{
    NsRange *range = &lens->range[NS_LENS_X];
    double width = range->hi - range->lo;
    if (lens->held || !isfinite(width) || !isfinite(newest)) return false;
    if (newest > range->hi) {
        range->hi = newest + AHEAD * width;
        range->lo = range->hi - width;
    } else if (newest < range->lo) {
        /* A run that began anew. */
        range->lo = newest;
        range->hi = newest + width;
    } else {
        return false;
    }
    return true;
}

bool ns_lens_reveal(NsLens *lens, const NsPlotLayout *layout, double x)
{
    double px = ns_plot_x_to_pixel(layout, x), margin = layout->area.width / 10;
    double left = layout->area.x, right = left + layout->area.width;
    if (ns_range_is_free(lens->range[NS_LENS_X]) || !isfinite(px)) return false;
    if (px < left - 0.5) return ns_lens_pan(lens, layout, left - px + margin, 0);
    if (px > right + 0.5) return ns_lens_pan(lens, layout, right - px - margin, 0);
    return false;
}

static bool find(const NsLens *lens, const char *label, guint *at)
{
    for (guint i = 0; label && lens->hidden && i < lens->hidden->len; i++)
        if (g_str_equal(g_ptr_array_index(lens->hidden, i), label)) {
            *at = i;
            return true;
        }
    return false;
}

bool ns_lens_hides(const NsLens *lens, const char *label)
{
    guint at;
    return find(lens, label, &at);
}

void ns_lens_hide(NsLens *lens, const char *label, bool hide)
{
    guint at;
    bool hidden = find(lens, label, &at);
    if (!label || hidden == hide) return;
    if (!lens->hidden) lens->hidden = g_ptr_array_new_with_free_func(g_free);
    if (hide)
        g_ptr_array_add(lens->hidden, g_strdup(label));
    else
        g_ptr_array_remove_index(lens->hidden, at);
}

void ns_lens_solo(NsLens *lens, const NsPlot *plot, const char *label)
{
    bool alone = !ns_lens_hides(lens, label);
    for (size_t i = 0; i < plot->n_series; i++) {
        const char *other = ns_series_name(&plot->series[i]);
        if (other && !g_str_equal(other, label)) alone = alone && ns_lens_hides(lens, other);
    }
    for (size_t i = 0; i < plot->n_series; i++) {
        const char *other = ns_series_name(&plot->series[i]);
        if (other) ns_lens_hide(lens, other, !alone && !g_str_equal(other, label));
    }
}

static bool same_place(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool ns_lens_pin(NsLens *lens, double x, double row)
{
    unsigned used = 0;
    for (size_t i = 0; i < lens->n_pins; i++) {
        NsPin *pin = &lens->pins[i];
        if (pin->x == x && same_place(pin->row, row)) return ns_lens_unpin(lens, pin->number);
        used |= 1u << pin->number;
    }
    if (lens->n_pins == NS_LENS_PINS) return false;
    unsigned number = 1;
    while (used & 1u << number) number++;
    lens->pins[lens->n_pins++] = (NsPin){x, row, number};
    return true;
}

bool ns_lens_unpin(NsLens *lens, unsigned number)
{
    for (size_t i = lens->n_pins; i-- > 0;) {
        if (number && lens->pins[i].number != number) continue;
        lens->n_pins--;
        memmove(&lens->pins[i], &lens->pins[i + 1], (lens->n_pins - i) * sizeof *lens->pins);
        return true;
    }
    return false;
}
