/* Live charts, whose pixels are kept from frame to frame.  SPDX-License-Identifier: MIT */
#include "ui/plot/layout-private.h"
#include "ui/plot/layout_cache.h"
#include "ui/plot/live_chart.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

enum { MOST = 4000, SERIES = 4, ROWS = 12, COLUMNS = 700 };

/* A run that goes on. */
typedef struct {
    double x[MOST], y[SERIES][MOST], lo[MOST], hi[MOST];
    float z[ROWS * COLUMNS];
    NsSeries series[SERIES];
    NsHeatmap map;
    NsMarker markers[2];
    char subtitle[64];
    NsPlot plot;
} Run;

static double value(GRand *random, size_t i, int kind)
{
    if (g_rand_int_range(random, 0, 150) == 0) return (double)NAN;
    if (g_rand_int_range(random, 0, 400) == 0) return (double)INFINITY;
    if (g_rand_int_range(random, 0, 400) == 0) return 0;
    double trend = exp(-(double)i / 900) + 0.05 * (kind + 1);
    if (kind == 0) return trend * g_rand_double_range(random, 0.4, 1.6);
    if (kind == 1) return trend * (1 + 0.1 * sin((double)i / 30));
    return trend;
}

static void fill_tail(Run *run, GRand *random, size_t from)
{
    for (size_t i = from; i < MOST; i++) {
        run->x[i] = (i ? run->x[i - 1] : 0) + (g_rand_int_range(random, 0, 30) ? 1 : 40);
        for (int k = 0; k < SERIES; k++) run->y[k][i] = value(random, i, k);
        run->lo[i] = run->y[1][i] * 0.8;
        run->hi[i] = run->y[1][i] * 1.3;
    }
}

static NsAxis free_axis(const char *label, NsScaleKind scale, bool integer)
{
    return (NsAxis){.label = label, .scale = scale, .integer = integer, .lo = NAN, .hi = NAN};
}

static Run *run_new(GRand *random, bool heat)
{
    static const NsSeriesKind kinds[SERIES] = {NS_SERIES_LINE, NS_SERIES_POINTS, NS_SERIES_STEPS,
                                               NS_SERIES_LINE};
    static const char *const labels[SERIES] = {"noise", "marked", "steps", "right"};
    Run *run = g_new0(Run, 1);
    fill_tail(run, random, 0);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        run->z[i] = (float)value(random, (size_t)(i % COLUMNS), 0);
    for (int k = 0; k < SERIES; k++)
        run->series[k] = (NsSeries){.label = labels[k],
                                    .kind = kinds[k],
                                    .side = k == 3 ? NS_AXIS_RIGHT : NS_AXIS_LEFT,
                                    .style = (unsigned)(k * 2),
                                    .stem = (uint64_t)k + 1,
                                    .x = run->x,
                                    .y = run->y[k]};
    if (g_rand_boolean(random)) run->series[2].kind = NS_SERIES_SCATTER;
    run->series[1].lo = run->lo;
    run->series[1].hi = run->hi;
    run->map = (NsHeatmap){.z = run->z,
                           .rows = ROWS,
                           .stride = COLUMNS,
                           .stem = 9,
                           .x0 = -0.5,
                           .y0 = 0.5,
                           .y1 = ROWS + 0.5,
                           .log = g_rand_boolean(random),
                           .label = "norm"};
    run->markers[0] = (NsMarker){.x = 300, .text = "lr"};
    run->markers[1] = (NsMarker){.x = 900, .text = "diverged", .alarm = true};
    NsScaleKind scale = g_rand_boolean(random) ? NS_SCALE_LOG : NS_SCALE_LINEAR;
    run->plot = (NsPlot){.title = "A run",
                         .subtitle = run->subtitle,
                         .x = free_axis("step", NS_SCALE_LINEAR, true),
                         .left = free_axis("loss", heat ? NS_SCALE_LINEAR : scale, heat),
                         .right = free_axis("rate", NS_SCALE_LINEAR, false),
                         .series = run->series,
                         .n_series = heat ? 0 : SERIES,
                         .heatmap = heat ? &run->map : NULL,
                         .markers = run->markers,
                         .n_markers = 2};
    return run;
}

/* Skips the beginning, when the axes widen in nearly every frame. */
static void start_late(Run *run)
{
    for (int k = 0; k < SERIES; k++) run->series[k].n = run->series[k].settled = MOST / 2;
    run->map.columns = run->map.settled = COLUMNS / 3;
}

/* The next frame: some more points, of which some may still change. */
static void go_on(Run *run, GRand *random, int most)
{
    size_t n = run->series[0].n, settled = run->series[0].settled;
    fill_tail(run, random, settled);
    n += (size_t)g_rand_int_range(random, 0, most);
    n = MIN(n, MOST);
    settled = (size_t)g_rand_int_range(random, (gint32)settled, (gint32)n + 1);
    for (int k = 0; k < SERIES; k++) {
        run->series[k].n = n;
        run->series[k].settled = settled;
    }
    NsHeatmap *map = &run->map;
    map->columns += (size_t)g_rand_int_range(random, 0, 9);
    map->columns = MIN(map->columns, COLUMNS);
    map->settled = (size_t)g_rand_int_range(random, (gint32)map->settled, (gint32)map->columns + 1);
    for (size_t row = 0; row < ROWS; row++)
        for (size_t c = map->settled; c < COLUMNS; c++)
            run->z[row * COLUMNS + c] = (float)value(random, c, 0);
    map->x1 = map->x0 + 7.0 * (double)map->columns;
    g_snprintf(run->subtitle, sizeof run->subtitle, "step %zu", n);
    run->plot.version++;
}

static void assert_same_pixels(cairo_surface_t *a, cairo_surface_t *b)
{
    int stride = cairo_image_surface_get_stride(a);
    const unsigned char *p = cairo_image_surface_get_data(a), *q = cairo_image_surface_get_data(b);
    int width = cairo_image_surface_get_width(a), differ = 0, x = -1, y = -1;
    for (int row = 0; row < cairo_image_surface_get_height(a); row++)
        for (int i = 0; i < width; i++) {
            if (!memcmp(p + row * stride + 4 * i, q + row * stride + 4 * i, 4)) continue;
            if (!differ++) x = i, y = row;
        }
    if (!differ) return;
    g_error("%d pixels differ, the first at %d, %d", differ, x, y);
}

static cairo_surface_t *draw_at_once(const NsPlot *plot, const NsLiveChartView *view, int scale)
{
    cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_ARGB32, (int)view->width * scale, (int)view->height * scale);
    cairo_surface_set_device_scale(surface, scale, scale);
    cairo_t *cr = cairo_create(surface);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, view->width, view->height, view->style);
    ns_plot_draw(layout, cr);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    return surface;
}

static bool is_partial(const GArray *dirty, const NsLiveChartView *view, int scale)
{
    double area = 0;
    for (unsigned i = 0; i < dirty->len; i++) {
        const cairo_rectangle_int_t *box = &g_array_index(dirty, cairo_rectangle_int_t, i);
        area += (double)box->width * box->height;
    }
    return area < 0.4 * view->width * view->height * scale * scale;
}

/* Every frame is, bit for bit, the chart drawn at once, and most of them are drawn in part. */
static void check_run(guint32 seed, bool heat)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    Run *run = run_new(random, heat);
    g_autoptr(NsLiveChart) chart = ns_live_chart_new();
    g_autoptr(GArray) dirty = g_array_new(FALSE, FALSE, sizeof(cairo_rectangle_int_t));
    int scale = 1 + (int)(seed % 2), most = g_rand_boolean(random) ? 5 : 200, partial = 0;
    enum { FRAMES = 25 };
    if (most == 5) start_late(run);
    for (int frame = 0; frame < FRAMES; frame++) {
        ns_live_chart_forget(chart);
        go_on(run, random, most);
        NsLiveChartView view = {.plot = &run->plot,
                                .width = 420,
                                .height = 260,
                                .style = ns_style(seed % 2),
                                .seconds = 1};
        const NsPlotLayout *layout = ns_live_chart_layout(chart, &view);
        cairo_surface_t *kept = ns_live_chart_draw(chart, scale, dirty);
        cairo_surface_t *fresh = draw_at_once(layout->plot, &view, scale);
        assert_same_pixels(kept, fresh);
        cairo_surface_destroy(fresh);
        partial += is_partial(dirty, &view, scale);
    }
    g_test_message("seed %u: %d of %d frames in part", seed, partial, FRAMES);
    if (most == 5) g_assert_cmpint(partial, >, FRAMES / 2);
    g_free(run);
}

static void test_curves(void)
{
    for (guint32 seed = 0; seed < 8; seed++) check_run(seed, false);
}

static void test_heatmap(void)
{
    for (guint32 seed = 0; seed < 5; seed++) check_run(seed, true);
}

/* The texts that are kept hold their context; both go with the memory. */
static void test_freed(void)
{
    NsLayoutCache *memory = ns_layout_cache_new();
    PangoContext *context = ns_layout_cache_begin(memory);
    gpointer weak = context;
    g_object_add_weak_pointer(G_OBJECT(context), &weak);
    g_object_unref(ns_text_new(context, ns_style(0), 10, false, "step"));
    g_object_unref(context);
    g_assert_nonnull(weak);
    ns_layout_cache_free(memory);
    g_assert_null(weak);
}

/* A run that begins anew has axes of its own; one that goes on keeps the room that it had. */
static void test_anew(void)
{
    static const double x[] = {0, 1, 2}, high[] = {100, 80, 90}, low[] = {1, 0.8, 0.9};
    NsSeries series = {.label = "loss", .stem = 1, .n = 3, .x = x, .y = high};
    NsPlot plots[3];
    for (uint64_t i = 0; i < 3; i++)
        plots[i] = (NsPlot){.x = free_axis("step", NS_SCALE_LINEAR, true),
                            .left = free_axis("loss", NS_SCALE_LINEAR, false),
                            .right = free_axis(NULL, NS_SCALE_LINEAR, false),
                            .series = &series,
                            .n_series = 1,
                            .version = i + 1,
                            .origin = i == 2};
    NsLiveChart *chart = ns_live_chart_new();
    double ends[3];
    for (size_t i = 0; i < 3; i++) {
        NsLiveChartView view = {.plot = &plots[i],
                                .width = 300,
                                .height = 200,
                                .style = ns_style_find("screen-light"),
                                .seconds = 0.02};
        ends[i] = ns_live_chart_layout(chart, &view)->y[NS_AXIS_LEFT].hi;
        series.y = low;
        series.stem = 2;
    }
    g_assert_cmpfloat(ends[0], >=, 100);
    g_assert_cmpfloat(ends[1], >=, 80);
    g_assert_cmpfloat(ends[2], <, 2);
    ns_live_chart_free(chart);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plot/live-chart/curves", test_curves);
    g_test_add_func("/plot/live-chart/heatmap", test_heatmap);
    g_test_add_func("/plot/live-chart/anew", test_anew);
    g_test_add_func("/plot/live-chart/freed", test_freed);
    return g_test_run();
}
