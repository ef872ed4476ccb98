/* How long the charts of a page take to draw.  SPDX-License-Identifier: MIT
 *
 *     bench-plot [PNG]
 *
 * reads words from its input, does what each says once, and prints the milliseconds that it took.
 * The page is 1200 x 800: 8 noisy curves of 10,000 points, a heatmap of 100 x 1,000 cells, a
 * profile of 100 layers.
 *
 *     full        lays out and draws the page from nothing
 *     cells       the same of one heatmap of 1,000 x 1,000 cells that fills the page
 *     cairo       strokes every segment of the 8 curves with cairo, and nothing else
 *
 * With the name of a PNG, draws the page there and ends. */
#include "ui/plot/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1200
#define HEIGHT 800

enum { CURVES = 8, POINTS = 10000, ROWS = 100, COLUMNS = 1000, LAYERS = 100, CHARTS = 3 };

typedef struct {
    double x, y, width, height;
} Place;

static const Place places[CHARTS] = {{0, 0, 1200, 400}, {0, 400, 600, 400}, {600, 400, 600, 400}};

static double steps[POINTS], losses[CURVES][POINTS], layers[LAYERS], norms[LAYERS];
static float cells[ROWS * COLUMNS], many[1000 * 1000];
static NsSeries curves[CURVES], profile;
static NsHeatmap map, large;
static NsPlot plots[CHARTS], heatmap;

static NsAxis axis(const char *label, NsScaleKind scale, bool integer)
{
    return (NsAxis){.label = label, .scale = scale, .integer = integer, .lo = NAN, .hi = NAN};
}

static NsPlot plot_of(const char *title, NsAxis x, NsAxis left)
{
    return (NsPlot){.title = title,
                    .subtitle = "Pre-LN, 100 layers, d 64",
                    .x = x,
                    .left = left,
                    .right = axis(NULL, NS_SCALE_LINEAR, false)};
}

static void fill_data(void)
{
    static const char *const names[CURVES] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    for (int i = 0; i < POINTS; i++) {
        steps[i] = i;
        for (int k = 0; k < CURVES; k++)
            losses[k][i] = 0.5 * k + exp(-i / 2000.0) + g_rand_double_range(random, -0.3, 0.3);
    }
    for (int k = 0; k < CURVES; k++)
        curves[k] = (NsSeries){
            .label = names[k], .style = (unsigned)k, .n = POINTS, .x = steps, .y = losses[k]};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        cells[i] = (float)exp(g_rand_double_range(random, -4, 0) - i / COLUMNS * 0.03);
    for (int i = 0; i < 1000 * 1000; i++)
        many[i] = (float)exp(g_rand_double_range(random, -4, 0) - i / 1000 * 0.003);
    for (int i = 0; i < LAYERS; i++) {
        layers[i] = i + 1;
        norms[i] = exp(g_rand_double_range(random, -1, 0) - 0.03 * i);
    }
    profile = (NsSeries){
        .label = "step 10000", .kind = NS_SERIES_POINTS, .n = LAYERS, .x = layers, .y = norms};
    map = (NsHeatmap){.z = cells,
                      .rows = ROWS,
                      .columns = COLUMNS,
                      .x0 = -0.5,
                      .x1 = 9999.5,
                      .y0 = 0.5,
                      .y1 = ROWS + 0.5,
                      .log = true,
                      .label = "gradient norm"};
    large = map;
    large.z = many;
    large.rows = large.columns = 1000;
    large.y1 = 1000.5;
}

static void fill_plots(void)
{
    NsAxis step = axis("step", NS_SCALE_LINEAR, true), layer = axis("layer", NS_SCALE_LINEAR, true);
    plots[0] = plot_of("Loss of eight runs", step, axis("loss", NS_SCALE_LINEAR, false));
    plots[0].series = curves;
    plots[0].n_series = CURVES;
    plots[1] = plot_of("Gradient norm by layer and step", step, layer);
    plots[1].heatmap = &map;
    plots[2] = plot_of("Gradient norm by layer", layer, axis("norm", NS_SCALE_LOG, false));
    plots[2].series = &profile;
    plots[2].n_series = 1;
    heatmap = plot_of("Gradient norm by layer and step", step, layer);
    heatmap.heatmap = &large;
}

static void draw_one(const NsPlot *plot, const Place *place, cairo_t *cr)
{
    g_autoptr(NsPlotLayout) layout =
        ns_plot_layout(plot, place->width, place->height, ns_style_find("screen-light"));
    cairo_save(cr);
    cairo_translate(cr, place->x, place->y);
    ns_plot_draw(layout, cr);
    cairo_restore(cr);
}

static void draw_page(cairo_t *cr)
{
    for (int i = 0; i < CHARTS; i++) draw_one(&plots[i], &places[i], cr);
}

static void draw_cells(cairo_t *cr)
{
    static const Place page = {0, 0, WIDTH, HEIGHT};
    draw_one(&heatmap, &page, cr);
}

static void stroke_all(cairo_t *cr)
{
    const NsStyle *style = ns_style_find("screen-light");
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_set_line_width(cr, style->line_width);
    for (int k = 0; k < CURVES; k++) {
        NsColor c = style->series[k % NS_SERIES_STYLES].color;
        cairo_set_source_rgb(cr, c.r, c.g, c.b);
        for (int i = 0; i < POINTS; i++)
            cairo_line_to(cr, 50 + 1140.0 * i / POINTS, 350 - losses[k][i] * 60);
        cairo_stroke(cr);
    }
}

static const struct {
    const char *word;
    void (*run)(cairo_t *cr);
} tasks[] = {
    {"full", draw_page},
    {"cells", draw_cells},
    {"cairo", stroke_all},
};

int main(int argc, char **argv)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
    cairo_t *cr = cairo_create(image);
    fill_data();
    fill_plots();
    if (argc > 1) {
        draw_page(cr);
        return cairo_surface_write_to_png(image, argv[1]) == CAIRO_STATUS_SUCCESS ? 0 : 1;
    }
    char word[32];
    while (scanf("%31s", word) == 1)
        for (size_t i = 0; i < G_N_ELEMENTS(tasks); i++) {
            if (!g_str_equal(word, tasks[i].word)) continue;
            gint64 begin = g_get_monotonic_time();
            tasks[i].run(cr);
            printf("%.3f\n", (double)(g_get_monotonic_time() - begin) / 1000);
            fflush(stdout);
        }
    cairo_destroy(cr);
    cairo_surface_destroy(image);
    return 0;
}
