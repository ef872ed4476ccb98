/* Zooming, panning, hiding, pinning.  SPDX-License-Identifier: MIT */
#include "support.h"
#include "ui/plot/layout.h"
#include "ui/plot/pins.h"
#include "ui/plot/plot-private.h"

#include <float.h>
#include <math.h>

static NsScale scale(NsScaleKind kind, double lo, double hi, double p0, double p1)
{
    NsAxis shape = axis(NULL, NULL, kind, false);
    NsScale scale = {.p0 = p0, .p1 = p1};
    shape.lo = lo;
    shape.hi = hi;
    ns_scale_fit(&scale, &shape, lo, hi, 0);
    /* The same before and after. */
    scale.threshold = 0.1;
    scale.from = ns_scale_position(&scale, scale.lo);
    scale.to = ns_scale_position(&scale, scale.hi);
    return scale;
}

static void assert_range(NsRange range, double lo, double hi)
{
    g_assert_cmpfloat_with_epsilon(range.lo, lo, 1e-9 * MAX(fabs(lo), 1e-3));
    g_assert_cmpfloat_with_epsilon(range.hi, hi, 1e-9 * MAX(fabs(hi), 1e-3));
}

static void test_zoom_about(void)
{
    NsScale linear = scale(NS_SCALE_LINEAR, 0, 1000, 50, 550);
    /* The point at a quarter of the width, value 250, stays in place. */
    assert_range(ns_zoom_about(&linear, 175, 0.5, NS_RANGE_FREE), 125, 625);
    /* An axis that grows upwards on the page, like every vertical axis. */
    NsScale vertical = scale(NS_SCALE_LINEAR, 0, 1000, 550, 50);
    assert_range(ns_zoom_about(&vertical, 425, 0.5, NS_RANGE_FREE), 125, 625);
    /* On a logarithmic axis the middle is the geometric one. */
    NsScale log = scale(NS_SCALE_LOG, 1e-4, 1e4, 0, 800);
    assert_range(ns_zoom_about(&log, 400, 0.5, NS_RANGE_FREE), 1e-2, 1e2);
    assert_range(ns_zoom_about(&log, 400, 1.25, NS_RANGE_FREE), 1e-5, 1e5);
}

static void test_zoom_stays_inside(void)
{
    NsScale steps = scale(NS_SCALE_LINEAR, 100, 200, 0, 500);
    NsRange whole = {0, 1000};
    assert_range(ns_zoom_about(&steps, 0, 4, whole), 100, 500);
    /* A range that would start before the first step is moved to start there. */
    assert_range(ns_zoom_about(&steps, 250, 4, whole), 0, 400);
    g_assert_true(ns_range_is_free(ns_zoom_about(&steps, 250, 10, whole)));
    g_assert_true(ns_range_is_free(ns_zoom_about(&steps, 0, 1e300, whole)));
    assert_range(ns_zoom_pan(&steps, 250, whole), 50, 150);
    assert_range(ns_zoom_pan(&steps, 5000, whole), 0, 100);
    assert_range(ns_zoom_pan(&steps, -5000, whole), 900, 1000);
    assert_range(ns_zoom_pan(&steps, 5000, NS_RANGE_FREE), -900, -800);
}

/* The current range remains if the new one is not possible. */
static void test_zoom_has_ends(void)
{
    NsScale linear = scale(NS_SCALE_LINEAR, 1e6, 1e6 + 1, 0, 500);
    assert_range(ns_zoom_about(&linear, 250, 1e-3, NS_RANGE_FREE), 1e6, 1e6 + 1);
    NsScale whole_numbers = scale(NS_SCALE_LINEAR, 10, 13, 0, 500);
    whole_numbers.integer = true;
    assert_range(ns_zoom_about(&whole_numbers, 250, 0.5, NS_RANGE_FREE), 10, 13);
    assert_range(ns_zoom_between(&linear, 100, 100, NS_RANGE_FREE), 1e6, 1e6 + 1);
    assert_range(ns_zoom_between(&linear, NAN, 100, NS_RANGE_FREE), 1e6, 1e6 + 1);
    static const NsScaleKind kinds[] = {NS_SCALE_LINEAR, NS_SCALE_LOG};
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        NsScale at = scale(kinds[k], 1, 2, 0, 500);
        for (int i = 0; i < 5000; i++) {
            NsRange next = ns_zoom_about(&at, 123, i < 2500 ? 1.5 : 0.5, NS_RANGE_FREE);
            g_assert_true(isfinite(next.lo) && isfinite(next.hi) && next.lo < next.hi);
            at = scale(kinds[k], next.lo, next.hi, 0, 500);
        }
    }
}

/* On any scale, zooming in and out again restores the range, and the point stays in place. */
static void test_zoom_is_undone(void)
{
    static const NsScaleKind kinds[] = {NS_SCALE_LINEAR, NS_SCALE_LOG, NS_SCALE_SYMLOG};
    for (int i = 0; i < 3000; i++) {
        NsScaleKind kind = kinds[i % 3];
        double lo = g_test_rand_double_range(1e-3, 1), hi = lo * g_test_rand_double_range(2, 1e4);
        double p0 = g_test_rand_double_range(0, 100), p1 = g_test_rand_double_range(200, 900);
        double point = g_test_rand_double_range(p0, p1), factor = g_test_rand_double_range(0.2, 4);
        NsScale before = i % 2 ? scale(kind, lo, hi, p0, p1) : scale(kind, lo, hi, p1, p0);
        double value = ns_scale_to_value(&before, point);
        NsRange zoomed = ns_zoom_about(&before, point, factor, NS_RANGE_FREE);
        NsScale after = scale(kind, zoomed.lo, zoomed.hi, before.p0, before.p1);
        g_assert_cmpfloat_with_epsilon(ns_scale_to_pixel(&after, value), point, 1e-3);
        NsRange panned = ns_zoom_pan(&before, 10, NS_RANGE_FREE);
        NsScale moved = scale(kind, panned.lo, panned.hi, before.p0, before.p1);
        NsRange back = ns_zoom_pan(&moved, -10, NS_RANGE_FREE);
        g_assert_cmpfloat_with_epsilon(back.lo / lo, 1, 1e-6);
        g_assert_cmpfloat_with_epsilon(back.hi / hi, 1, 1e-6);
    }
}

typedef struct {
    NsViewState view_state;
    NsPlot shown;
    GArray *series;
    NsPlotLayout *layout;
} Seen;

static void look(Seen *seen, const NsPlot *plot)
{
    g_clear_pointer(&seen->layout, ns_plot_layout_free);
    if (!seen->series) seen->series = g_array_new(FALSE, FALSE, sizeof(NsSeries));
    ns_view_state_apply(&seen->view_state, plot, &seen->shown, seen->series);
    seen->layout = ns_plot_layout(&seen->shown, 640, 400, ns_style_find("screen-light"));
}

static void seen_clear(Seen *seen)
{
    ns_plot_layout_free(seen->layout);
    g_array_unref(seen->series);
    ns_view_state_clear(&seen->view_state);
}

static void test_layout(void)
{
    const NsPlot *plot = sample(LOSS);
    Seen seen = {0};
    ns_view_state_init(&seen.view_state);
    look(&seen, plot);
    g_assert_true(ns_view_state_is_fitted(&seen.view_state));
    NsRange extent = ns_plot_extent(plot);
    NsBox area = ns_plot_area(seen.layout);
    double px = area.x + area.width / 3, py = area.y + area.height / 2;
    double at = ns_plot_pixel_to_x(seen.layout, px);
    g_assert_true(ns_view_state_zoom_about(&seen.view_state, seen.layout, px, py, 0.5, 1));
    g_assert_true(seen.view_state.held);
    g_assert_true(ns_range_is_free(seen.view_state.range[NS_VIEW_STATE_LEFT]));
    look(&seen, plot);
    /* Within the shift of the plot area by other tick labels of y. */
    g_assert_cmpfloat_with_epsilon(ns_plot_x_to_pixel(seen.layout, at), px, 1.5);

    g_assert_true(ns_view_state_zoom_about(&seen.view_state, seen.layout, px, py, 1, 0.5));
    g_assert_false(ns_range_is_free(seen.view_state.range[NS_VIEW_STATE_LEFT]));
    look(&seen, plot);
    g_assert_true(ns_view_state_pan(&seen.view_state, seen.layout, -20, 0));
    g_assert_cmpfloat(seen.view_state.range[NS_VIEW_STATE_X].hi, <=, extent.hi);
    look(&seen, plot);
    g_assert_true(
        ns_view_state_zoom_to(&seen.view_state, seen.layout, (NsBox){px, area.y, 50, 60}));
    look(&seen, plot);
    g_assert_false(ns_view_state_is_fitted(&seen.view_state));
    /* The ends are short numbers: five digits of the width, in which files and commands agree. */
    for (int axis = 0; axis < NS_VIEW_STATE_AXES; axis++) {
        NsRange range = seen.view_state.range[axis];
        double unit = pow(10, floor(log10((range.hi - range.lo) / 5000)));
        g_assert_cmpfloat_with_epsilon(range.lo, round(range.lo / unit) * unit, 1e-6 * unit);
        g_assert_cmpfloat_with_epsilon(range.hi, round(range.hi / unit) * unit, 1e-6 * unit);
    }

    /* Zooming out further shows everything and follows the newest data. */
    for (int i = 0; i < 40; i++) {
        ns_view_state_zoom_about(&seen.view_state, seen.layout, px, py, 2, 1);
        look(&seen, plot);
    }
    g_assert_true(ns_range_is_free(seen.view_state.range[NS_VIEW_STATE_X]));
    g_assert_false(seen.view_state.held);
    g_assert_false(ns_view_state_pan(&seen.view_state, seen.layout, -20, 0));
    ns_view_state_fit(&seen.view_state, &seen.shown);
    g_assert_true(ns_view_state_is_fitted(&seen.view_state));
    seen_clear(&seen);
}

/* An earlier run that is off the scale is in the axis after the chart has been fitted, until it is
 * fitted again; a zoom is undone before. */
static void test_fit_all(void)
{
    static const double x[] = {0, 1, 2}, now[] = {3, 2, 4}, low[] = {3, 0.01, 4};
    NsSeries series[] = {
        {.label = "now", .n = 3, .x = x, .y = now},
        {.label = "run 1", .previous = true, .clipped = true, .n = 3, .x = x, .y = low}};
    const NsPlot plot = {.left = {.scale = NS_SCALE_LOG, .lo = NAN, .hi = NAN},
                         .x = {.lo = NAN, .hi = NAN},
                         .series = series,
                         .n_series = 2};
    Seen seen = {0};
    ns_view_state_init(&seen.view_state);
    NsViewState *view_state = &seen.view_state;
    look(&seen, &plot);
    NsBox area = ns_plot_area(seen.layout);
    double bottom = area.y + area.height;
    g_assert_true(ns_plot_is_off_scale(&seen.shown));
    g_assert_cmpfloat(ns_plot_y_to_pixel(seen.layout, 0.01), >, bottom);
    for (int zoomed = 0; zoomed < 2; zoomed++) {
        if (zoomed) ns_view_state_set_range(view_state, NS_VIEW_STATE_LEFT, (NsRange){1, 5});
        if (zoomed) ns_view_state_fit(view_state, &seen.shown);
        g_assert_false(view_state->all);
        uint64_t origin = seen.shown.origin;
        ns_view_state_fit(view_state, &seen.shown);
        look(&seen, &plot);
        g_assert_true(view_state->all && seen.shown.origin != origin);
        g_assert_cmpfloat(ns_plot_y_to_pixel(seen.layout, 0.01), <=, bottom);
        g_assert_false(ns_plot_is_off_scale(&seen.shown));
        ns_view_state_fit(view_state, &seen.shown);
        look(&seen, &plot);
        g_assert_false(view_state->all);
        g_assert_true(seen.shown.origin == origin);
    }
    /* A run that the axis shows anyway is nothing to fit. */
    series[1].y = now;
    look(&seen, &plot);
    ns_view_state_fit(view_state, &seen.shown);
    g_assert_false(view_state->all);
    seen_clear(&seen);
}

static void test_follow(void)
{
    NsViewState view_state;
    ns_view_state_init(&view_state);
    g_assert_false(ns_view_state_advance(&view_state, 500));
    ns_view_state_set_range(&view_state, NS_VIEW_STATE_X, (NsRange){100, 200});
    g_assert_false(ns_view_state_advance(&view_state, 500)); /* not following */
    ns_view_state_follow(&view_state);
    g_assert_true(ns_view_state_advance(&view_state, 500));
    assert_range(view_state.range[NS_VIEW_STATE_X], 425, 525);
    g_assert_false(ns_view_state_advance(&view_state, 520)); /* free space beyond the data */
    g_assert_true(ns_view_state_advance(&view_state, 526));
    g_assert_true(ns_view_state_advance(&view_state, 0)); /* restarted run */
    assert_range(view_state.range[NS_VIEW_STATE_X], 0, 100);
    /* A range with only one end cannot follow the data. */
    ns_view_state_set_range(&view_state, NS_VIEW_STATE_X, (NsRange){5, NAN});
    ns_view_state_follow(&view_state);
    g_assert_true(ns_range_is_free(view_state.range[NS_VIEW_STATE_X]));
    ns_view_state_clear(&view_state);
}

static void test_hide(void)
{
    const NsPlot *plot = sample(LOSS);
    Seen seen = {0};
    ns_view_state_init(&seen.view_state);
    look(&seen, plot);
    const char *first = NULL;
    size_t labeled = 0;
    for (size_t i = 0; i < plot->n_series; i++) {
        if (!plot->series[i].label) continue;
        labeled++;
        if (!first) first = plot->series[i].label;
    }
    g_assert_cmpuint(labeled, >=, 2);
    ns_view_state_hide(&seen.view_state, first, true);
    ns_view_state_hide(&seen.view_state, first, true);
    ns_view_state_hide(&seen.view_state, NULL, true);
    look(&seen, plot);
    for (size_t i = 0; i < plot->n_series; i++)
        g_assert_true(seen.shown.series[i].hidden ==
                      (g_strcmp0(plot->series[i].label, first) == 0));
    ns_view_state_hide(&seen.view_state, first, false);
    ns_view_state_solo(&seen.view_state, plot, first);
    look(&seen, plot);
    for (size_t i = 0; i < plot->n_series; i++)
        if (plot->series[i].label)
            g_assert_true(seen.shown.series[i].hidden ==
                          (g_strcmp0(plot->series[i].label, first) != 0));
    ns_view_state_solo(&seen.view_state, plot, first);
    g_assert_cmpuint(seen.view_state.hidden->len, ==, 0);
    seen_clear(&seen);
}

static void test_pins(void)
{
    NsViewState view_state;
    ns_view_state_init(&view_state);
    g_assert_false(ns_view_state_unpin(&view_state, 0));
    for (int i = 0; i < NS_VIEW_STATE_PINS; i++)
        g_assert_true(ns_view_state_pin(&view_state, i, NAN));
    g_assert_false(ns_view_state_pin(&view_state, 100, NAN));
    g_assert_cmpuint(view_state.n_pins, ==, NS_VIEW_STATE_PINS);
    /* Pinning the same place again removes the pin, whose number is reused. */
    g_assert_true(ns_view_state_pin(&view_state, 3, NAN));
    g_assert_cmpuint(view_state.n_pins, ==, NS_VIEW_STATE_PINS - 1);
    g_assert_true(ns_view_state_pin(&view_state, 3, 2)); /* another row is another place */
    g_assert_cmpuint(view_state.pins[view_state.n_pins - 1].number, ==, 4);
    g_assert_true(ns_view_state_unpin(&view_state, 1));
    g_assert_false(ns_view_state_unpin(&view_state, 1));
    g_assert_cmpfloat(view_state.pins[0].x, ==, 1);
    g_assert_true(ns_view_state_unpin(&view_state, 0));
    g_assert_cmpuint(view_state.pins[view_state.n_pins - 1].number, ==, 9);
    ns_view_state_clear(&view_state);
}

/* A pin is found at its badge, along its line, or in a heatmap at its cell; the newest first. */
static void test_pin_at(void)
{
    Seen seen = {0};
    ns_view_state_init(&seen.view_state);
    look(&seen, sample(LOSS));
    NsBox area = ns_plot_area(seen.layout);
    NsPin pins[] = {{300, NAN, 1}, {600, NAN, 2}, {301, NAN, 3}};
    double first = ns_plot_x_to_pixel(seen.layout, 300), middle = area.y + area.height / 2;
    g_assert_cmpuint(ns_plot_pin_at(seen.layout, pins, 2, first, middle), ==, 1);
    g_assert_cmpuint(ns_plot_pin_at(seen.layout, pins, 3, first, middle), ==, 3);
    g_assert_cmpuint(ns_plot_pin_at(seen.layout, pins, 2, first + 12, middle), ==, 0);
    g_assert_cmpuint(ns_plot_pin_at(seen.layout, pins, 2, first + 6, area.y + 8), ==, 1);
    g_assert_cmpuint(ns_plot_pin_at(seen.layout, pins, 2, first, area.y - 5), ==, 0);
    look(&seen, sample(HEATMAP));
    NsPin cells[] = {{385, 6, 1}, {385, 7, 2}};
    double px = ns_plot_x_to_pixel(seen.layout, 385);
    for (unsigned i = 0; i < 2; i++) {
        double py = ns_plot_y_to_pixel(seen.layout, cells[i].row);
        g_assert_cmpuint(ns_plot_pin_at(seen.layout, cells, 2, px, py), ==, i + 1);
    }
    g_assert_cmpuint(ns_plot_pin_at(seen.layout, cells, 2, px, ns_plot_y_to_pixel(seen.layout, 2)),
                     ==, 0);
    seen_clear(&seen);
}

static void test_walk(void)
{
    static const double x[] = {0, 1, 2, 5, 8}, other[] = {1, 4}, y[] = {1, 2, 3, 4, 5};
    NsSeries series[] = {{.n = 5, .x = x, .y = y},
                         {.n = 2, .x = other, .y = y},
                         {.n = 5, .x = x, .y = y, .previous = true}};
    NsPlot plot = {.series = series, .n_series = 3};
    static const struct {
        double from;
        int64_t by;
        double to;
    } rows[] = {
        {0, 1, 1},
        {1, 1, 2},
        {2, 1, 4},
        {2, 2, 5},
        {4, -1, 2},
        {0, -1, 0},
        {8, 10, 8},
        {8, -2, 4},
        {1.5, 1, 2},
        {1.5, -1, 1},
        {2, NS_NEXT_FIRST, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        g_assert_cmpfloat(ns_plot_next_x(&plot, rows[i].from, rows[i].by), ==, rows[i].to);
    g_assert_cmpfloat(ns_plot_next_x(&plot, NAN, -1), ==, 8);
    g_assert_cmpfloat(ns_plot_next_x(&plot, NAN, NS_NEXT_FIRST), ==, 0);
    g_assert_cmpfloat(ns_plot_next_x(&plot, 0, NS_NEXT_LAST), ==, 8);
    series[0].hidden = true;
    g_assert_cmpfloat(ns_plot_next_x(&plot, 1, 1), ==, 4);
    series[1].hidden = true;
    g_assert_cmpfloat(ns_plot_next_x(&plot, 1, 1), ==, 2); /* of the previous series */
    g_assert_true(isnan(ns_plot_next_row(&plot, 1, 1)));
    plot.n_series = 0;
    g_assert_true(isnan(ns_plot_next_x(&plot, 1, 1)));

    /* Columns of three steps each, rows that are layers 1 to 4. */
    NsHeatmap map = {.rows = 4, .columns = 10, .x0 = -0.5, .x1 = 29.5, .y0 = 0.5, .y1 = 4.5};
    NsPlot steps = {.heatmap = &map, .x.integer = true};
    g_assert_cmpfloat(ns_plot_next_x(&steps, NAN, -1), ==, 27);
    g_assert_cmpfloat(ns_plot_next_x(&steps, NAN, NS_NEXT_FIRST), ==, 0);
    g_assert_cmpfloat(ns_plot_next_x(&steps, 4, 1), ==, 6);
    g_assert_cmpfloat(ns_plot_next_x(&steps, 4, NS_NEXT_LAST), ==, 27);
    g_assert_cmpfloat(ns_plot_next_x(&steps, 4, -7), ==, 0);
    g_assert_cmpfloat(ns_plot_next_row(&steps, 2, 1), ==, 3);
    g_assert_cmpfloat(ns_plot_next_row(&steps, 2, 9), ==, 4);
    g_assert_cmpfloat(ns_plot_next_row(&steps, NAN, -9), ==, 1);
}

/* A curve whose end is outside of limits that were set has one arrow, where it leaves them for good
 * or at its end; others have none. */
static void test_exits(void)
{
    static const double x[] = {0, 1, 2, 3},
                        values[][4] = {{4, 1, 3, 1}, {1, 1, 1, 1}, {3, 1, 1, 3}, {4, 3, 3, 9}};
    NsSeries series[] = {{.label = "falls"},
                         {.label = "below"},
                         {.label = "back"},
                         {.label = "up"},
                         {.label = "before", .previous = true}};
    for (int i = 0; i < 5; i++) {
        series[i].n = 4;
        series[i].x = x;
        series[i].y = values[i % 4];
    }
    NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("loss", NULL, NS_SCALE_LINEAR, false),
                   .series = series,
                   .n_series = G_N_ELEMENTS(series),
                   .legend = NS_LEGEND_NONE};
    const NsStyle *style = ns_style_find("screen-light");
    for (int limited = 0; limited < 2; limited++) {
        if (limited) plot.left.lo = 2;
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 640, 400, style);
        const double at[] = {2.5, 3};
        for (size_t i = 0; i < plot.n_series; i++) {
            g_autoptr(GArray) exits = ns_series_exits(layout, i);
            g_assert_cmpuint(exits->len, ==, limited && i < 2 ? 3 : 0);
            if (!exits->len) continue;
            const NsPoint *tip = &g_array_index(exits, NsPoint, 0);
            g_assert_cmpfloat_with_epsilon(tip->x, ns_plot_x_to_pixel(layout, at[i]), 0.5);
            g_assert_cmpfloat(tip->y, ==, layout->area.y + layout->area.height);
        }
        /* TeX has them, too: nothing else is filled here. */
        const NsPlot *plots[] = {&plot};
        const NsExport page = {.style = style, .width = 640, .height = 400};
        g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, 1, &page);
        GString *tex = ns_pgfplots_write(&sheet);
        g_auto(GStrv) parts = g_strsplit(tex->str, "\\fill[chart-", -1);
        g_assert_cmpuint(g_strv_length(parts), ==, limited ? 3 : 1);
        g_string_free(tex, TRUE);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/zoom/about", test_zoom_about);
    g_test_add_func("/zoom/inside", test_zoom_stays_inside);
    g_test_add_func("/zoom/ends", test_zoom_has_ends);
    g_test_add_func("/zoom/undone", test_zoom_is_undone);
    g_test_add_func("/view-state/layout", test_layout);
    g_test_add_func("/view-state/fit-all", test_fit_all);
    g_test_add_func("/view-state/follow", test_follow);
    g_test_add_func("/view-state/hide", test_hide);
    g_test_add_func("/view-state/pins", test_pins);
    g_test_add_func("/view-state/pin-at", test_pin_at);
    g_test_add_func("/view-state/walk", test_walk);
    g_test_add_func("/view-state/exits", test_exits);
    return g_test_run();
}
