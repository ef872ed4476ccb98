/* How long the charts of a page take to draw.  SPDX-License-Identifier: MIT
 *
 *     bench-plot [PNG]
 *
 * reads words from its input, does what each says once, and prints the milliseconds that it took.
 * The page is 1200 x 800: 8 noisy curves of 10,000 points, a heatmap of 100 x 1,000 cells, a
 * profile of 100 layers.
 *
 *     full        lays out and draws the page from nothing
 *     follow      one more step: a point on each curve, a column of cells, another profile
 *     long        the same where the curves have 50,000 points, the most that a figure keeps
 *     lanes       one more step of two lanes of 1,000 layers: their heatmap, one above the other,
 *                 and their norms by layer with the ratio
 *     cells       lays out and draws a heatmap of 1,000 x 1,000 cells that fills the page
 *     cairo       strokes every segment of the 8 curves with cairo, and nothing else
 *
 * With the name of a PNG, draws the page there and ends. */
#include "ui/plot/layout.h"
#include "ui/plot/live_limits.h"

#include <math.h>
#include <stdio.h>

#define WIDTH 1200
#define HEIGHT 800

enum { CURVES = 8, ROWS = 100, LAYERS = 100, SIDE = 1000, CHARTS = 3, ROOM = 5000 };

typedef struct {
    double x, y, width, height;
} Place;

static const Place places[CHARTS] = {{0, 0, 1200, 400}, {0, 400, 600, 400}, {600, 400, 600, 400}};
static const Place whole = {0, 0, WIDTH, HEIGHT};

/* A run with so many steps, and room for more. */
typedef struct {
    size_t points, columns;
    double *x, *y[CURVES], layers[LAYERS], norms[LAYERS];
    float *z;
    NsSeries curves[CURVES], profile;
    NsHeatmap map;
    NsPlot plots[CHARTS];
    NsLiveAxes axes[CHARTS];
    GRand *random;
} Run;

static float many[SIDE * SIDE];
static NsHeatmap large;
static NsPlot heatmap;

static NsAxis axis(const char *label, NsScaleKind scale, bool integer)
{
    return (NsAxis){.label = label, .scale = scale, .integer = integer, .lo = NAN, .hi = NAN};
}

static NsPlot plot_of(const char *title, NsAxis x, NsAxis left)
{
    return (NsPlot){.title = title, .subtitle = "Pre-LN, 100 layers, d 64", .x = x, .left = left};
}

static double uniform(Run *run, double lo, double hi)
{
    return g_rand_double_range(run->random, lo, hi);
}

static void add_step(Run *run)
{
    size_t i = run->points++;
    run->x[i] = (double)i;
    for (int k = 0; k < CURVES; k++)
        run->y[k][i] = 0.5 * k + exp(-(double)i / 2000) + uniform(run, -0.3, 0.3);
    for (int l = 0; l < LAYERS; l++) run->norms[l] = exp(uniform(run, -1, 0) - 0.03 * l);
}

static void add_column(Run *run)
{
    for (int row = 0; row < ROWS; row++)
        run->z[(size_t)row * ROOM + run->columns] = (float)exp(uniform(run, -4, 0) - 0.03 * row);
    run->columns++;
}

/* What the plots say of the data. */
static void show(Run *run)
{
    for (int k = 0; k < CURVES; k++) run->curves[k].n = run->points;
    run->map.columns = run->columns;
    run->map.x1 = run->map.x0 + 10.0 * (double)run->columns;
    for (int i = 0; i < CHARTS; i++) run->plots[i].version++;
}

static void set_plots(Run *run)
{
    static const char *const names[CURVES] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (int k = 0; k < CURVES; k++)
        run->curves[k] = (NsSeries){
            .label = names[k], .style = (unsigned)k, .x = run->x, .y = run->y[k], .grows = true};
    run->profile = (NsSeries){.label = "newest",
                              .kind = NS_SERIES_POINTS,
                              .n = LAYERS,
                              .x = run->layers,
                              .y = run->norms};
    run->map = (NsHeatmap){.z = run->z,
                           .rows = ROWS,
                           .stride = ROOM,
                           .grows = true,
                           .x0 = -0.5,
                           .y0 = 0.5,
                           .y1 = ROWS + 0.5,
                           .log = true,
                           .label = "gradient norm"};
    NsAxis step = axis("step", NS_SCALE_LINEAR, true), layer = axis("layer", NS_SCALE_LINEAR, true);
    run->plots[0] = plot_of("Loss of eight runs", step, axis("loss", NS_SCALE_LINEAR, false));
    run->plots[0].series = run->curves;
    run->plots[0].n_series = CURVES;
    run->plots[1] = plot_of("Gradient norm by layer and step", step, layer);
    run->plots[1].heatmap = &run->map;
    run->plots[2] = plot_of("Gradient norm by layer", layer, axis("norm", NS_SCALE_LOG, false));
    run->plots[2].series = &run->profile;
    run->plots[2].n_series = 1;
}

/* Two lanes of SIDE layers, with so many columns, and room for more. */
typedef struct {
    size_t columns;
    float *z;
    double layers[SIDE], norms[2][SIDE], ratio[SIDE];
    NsSeries profiles[2], below;
    NsHeatPanel panels[2];
    NsHeatmap map;
    NsPlot plots[2], lower;
    NsLiveAxes axes[2];
    GRand *random;
} Lanes;

static void lanes_add(Lanes *lanes)
{
    for (int row = 0; row < 2 * SIDE; row++)
        lanes->z[(size_t)row * ROOM + lanes->columns] =
            (float)exp(g_rand_double_range(lanes->random, -4, 0));
    for (int l = 0; l < SIDE; l++) {
        for (int k = 0; k < 2; k++)
            lanes->norms[k][l] = exp(g_rand_double_range(lanes->random, -1, 0) - 0.003 * l * k);
        lanes->ratio[l] = lanes->norms[1][l] / lanes->norms[0][l];
    }
    lanes->columns++;
    lanes->map.columns = lanes->columns;
    lanes->map.x1 = lanes->map.x0 + (double)lanes->columns;
    for (int i = 0; i < 2; i++) lanes->plots[i].version++;
}

static void lanes_describe(Lanes *lanes)
{
    static const char *const names[] = {"A Post-LN", "B Pre-LN"};
    NsSeries profile = {.kind = NS_SERIES_POINTS, .n = SIDE, .x = lanes->layers};
    NsAxis layer = axis("layer", NS_SCALE_LINEAR, true);
    for (int l = 0; l < SIDE; l++) lanes->layers[l] = l + 1;
    for (unsigned k = 0; k < 2; k++) {
        lanes->panels[k] = (NsHeatPanel){names[k], k + 1, k * SIDE, SIDE, 0.5};
        lanes->profiles[k] = profile;
        lanes->profiles[k].label = names[k];
        lanes->profiles[k].style = k;
        lanes->profiles[k].y = lanes->norms[k];
    }
    lanes->below = lanes->profiles[1];
    lanes->below.y = lanes->ratio;
    lanes->map = (NsHeatmap){.z = lanes->z,
                             .rows = 2 * (size_t)SIDE,
                             .stride = ROOM,
                             .grows = true,
                             .x0 = -0.5,
                             .y1 = 2,
                             .panels = lanes->panels,
                             .n_panels = 2,
                             .log = true,
                             .label = "gradient norm"};
    lanes->plots[0] =
        plot_of("Gradient norm by layer and step", axis("step", NS_SCALE_LINEAR, true), layer);
    lanes->plots[0].heatmap = &lanes->map;
    lanes->lower = (NsPlot){
        .left = axis("B / A", NS_SCALE_LOG, false), .series = &lanes->below, .n_series = 1};
    lanes->plots[1] = plot_of("Gradient norm by layer", layer, axis("norm", NS_SCALE_LOG, false));
    lanes->plots[1].series = lanes->profiles;
    lanes->plots[1].n_series = 2;
    lanes->plots[1].lower = &lanes->lower;
    lanes->plots[0].lettered = lanes->plots[1].lettered = true;
}

static Lanes *lanes_new(void)
{
    Lanes *lanes = g_new0(Lanes, 1);
    lanes->random = g_rand_new_with_seed(3);
    lanes->z = g_new(float, 2 * (size_t)SIDE * ROOM);
    lanes_describe(lanes);
    while (lanes->columns < SIDE) lanes_add(lanes);
    return lanes;
}

static Run *run_new(size_t points)
{
    Run *run = g_new0(Run, 1);
    run->random = g_rand_new_with_seed(1);
    run->x = g_new(double, points + ROOM);
    for (int k = 0; k < CURVES; k++) run->y[k] = g_new(double, points + ROOM);
    run->z = g_new(float, ROWS *ROOM);
    for (int l = 0; l < LAYERS; l++) run->layers[l] = l + 1;
    set_plots(run);
    while (run->points < points) add_step(run);
    while (run->columns < 1000) add_column(run);
    show(run);
    return run;
}

static void fill_large(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(2);
    for (int i = 0; i < SIDE * SIDE; i++)
        many[i] = (float)exp(g_rand_double_range(random, -4, 0) - 0.003 * (i / SIDE));
    large = (NsHeatmap){.z = many,
                        .rows = SIDE,
                        .columns = SIDE,
                        .x0 = -0.5,
                        .x1 = SIDE - 0.5,
                        .y0 = 0.5,
                        .y1 = SIDE + 0.5,
                        .log = true,
                        .label = "gradient norm"};
    heatmap = plot_of("Gradient norm by layer and step", axis("step", NS_SCALE_LINEAR, true),
                      axis("layer", NS_SCALE_LINEAR, true));
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

static void draw_page(Run *run, cairo_t *cr)
{
    for (int i = 0; i < CHARTS; i++) draw_one(&run->plots[i], &places[i], cr);
}

/* As the window draws a chart while a run goes on. */
static void draw_live(NsLiveAxes *axes, const NsPlot *plot, const Place *place)
{
    NsPlot live = *plot;
    ns_live_axes_set(axes, &live, 0.016);
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)place->width, (int)place->height);
    cairo_t *cr = cairo_create(image);
    g_autoptr(NsPlotLayout) layout =
        ns_plot_layout(&live, place->width, place->height, ns_style_find("screen-light"));
    ns_plot_draw(layout, cr);
    cairo_destroy(cr);
    cairo_surface_destroy(image);
}

static void follow(Run *run)
{
    for (int i = 0; i < CHARTS; i++) draw_live(&run->axes[i], &run->plots[i], &places[i]);
}

static void draw_cells(Run *run, cairo_t *cr)
{
    (void)run;
    draw_one(&heatmap, &whole, cr);
}

static void stroke_all(Run *run, cairo_t *cr)
{
    const NsStyle *style = ns_style_find("screen-light");
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_set_line_width(cr, style->line_width);
    for (int k = 0; k < CURVES; k++) {
        NsColor c = style->series[k % NS_SERIES_STYLES].color;
        cairo_set_source_rgb(cr, c.r, c.g, c.b);
        for (size_t i = 0; i < 10000; i++)
            cairo_line_to(cr, 50 + 0.114 * (double)i, 350 - run->y[k][i] * 60);
        cairo_stroke(cr);
    }
}

static double milliseconds(void)
{
    return (double)g_get_monotonic_time() / 1000;
}

static double follow_once(Run **run, size_t points)
{
    if (!*run) {
        *run = run_new(points);
        follow(*run);
    }
    add_step(*run);
    if ((*run)->columns < ROOM) add_column(*run);
    show(*run);
    double begin = milliseconds();
    follow(*run);
    return milliseconds() - begin;
}

static void lanes_follow(Lanes *lanes)
{
    for (int i = 0; i < 2; i++) draw_live(&lanes->axes[i], &lanes->plots[i], &places[1 + i]);
}

static double lanes_once(void)
{
    static Lanes *lanes;
    if (!lanes) {
        lanes = lanes_new();
        lanes_follow(lanes);
    }
    if (lanes->columns < ROOM) lanes_add(lanes);
    double begin = milliseconds();
    lanes_follow(lanes);
    return milliseconds() - begin;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*run)(Run *run, cairo_t *cr);
    } tasks[] = {{"full", draw_page}, {"cells", draw_cells}, {"cairo", stroke_all}};
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
    cairo_t *cr = cairo_create(image);
    Run *page = run_new(10000), *live = NULL, *deep = NULL;
    fill_large();
    if (argc > 1) {
        draw_page(page, cr);
        return cairo_surface_write_to_png(image, argv[1]) == CAIRO_STATUS_SUCCESS ? 0 : 1;
    }
    char word[32];
    while (scanf("%31s", word) == 1) {
        double took = 0;
        if (g_str_equal(word, "follow")) took = follow_once(&live, 10000);
        if (g_str_equal(word, "long")) took = follow_once(&deep, 50000);
        if (g_str_equal(word, "lanes")) took = lanes_once();
        for (size_t i = 0; i < G_N_ELEMENTS(tasks); i++) {
            if (!g_str_equal(word, tasks[i].word)) continue;
            double begin = milliseconds();
            tasks[i].run(page, cr);
            took = milliseconds() - begin;
        }
        printf("%.3f\n", took);
        fflush(stdout);
    }
    return 0;
}
