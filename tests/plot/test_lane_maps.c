/* Heatmaps of several lanes.  SPDX-License-Identifier: MIT */
#include "lanes.h"
#include "ui/figures/figure.h"
#include "ui/plot/export.h"
#include "ui/plot/plot-private.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define LANES 3

/* The last column of an expensive quantity ends at the newest step, not at later steps that it will
 * include. */
static void test_last_column(void)
{
    Run *runs[2];
    for (int i = 0; i < 2; i++) {
        runs[i] = run_made(3, BUDGET, true, 7, 0);
        for (int k = 0; k < 60; k++) append(runs[i], 1);
    }
    NsFigureInput input = lanes_of(runs, 2);
    input.quantity = NS_QUANTITY_TOKEN_COSINE;
    for (int mode = NS_HEAT_STACKED; mode <= NS_HEAT_RATIO; mode++) {
        input.heat = (NsHeatMode)mode;
        g_autoptr(NsFigure) figure = figure_new("heatmap");
        const NsPlot *plot = ns_figure_update(figure, &input);
        g_assert_cmpfloat(plot->heatmap->x1, ==, 62.5);
        g_assert_cmpfloat(ns_heatmap_end(plot->heatmap), ==, 59.5);
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 400, 300, ns_style(0));
        NsBox area = ns_plot_area(layout);
        g_assert_cmpfloat_with_epsilon(ns_plot_x_to_pixel(layout, 59.5), area.x + area.width, 1e-6);
    }
    for (int i = 0; i < 2; i++) run_free(runs[i]);
}

static cairo_surface_t *image_of(const NsPlot *plot)
{
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 400, 300, ns_style(0));
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 400, 300);
    cairo_t *cr = cairo_create(image);
    ns_plot_draw(layout, cr);
    cairo_destroy(cr);
    cairo_surface_flush(image);
    return image;
}

/* Labels of layers, from the lowest panel: the last of seven layers where each panel has space for
 * one label; then two that are apart from those of the next panel. */
static void test_low_panels(void)
{
    static const struct {
        unsigned lanes;
        double height;
        const char *labels;
    } pages[] = {{4, 140, "7 7 7 7 "},
                 {4, 160, "2 6 2 6 2 6 2 6 "},
                 {2, 140, "2 4 6 2 4 6 "},
                 {1, 80, "7 1 "},
                 {1, 90, "2 4 6 "}};
    Run *runs[4];
    for (unsigned i = 0; i < 4; i++) {
        runs[i] = run_made(7, BUDGET, true, 1, 0);
        append_lane(runs[i], i);
    }
    for (size_t p = 0; p < G_N_ELEMENTS(pages); p++) {
        NsFigureInput input = lanes_of(runs, pages[p].lanes);
        input.quantity = NS_QUANTITY_GRAD_W2;
        g_autoptr(NsFigure) figure = figure_new("heatmap");
        const NsPlot *plot = ns_figure_update(figure, &input);
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(plot, 400, pages[p].height, ns_style_find("paper"));
        g_autoptr(GString) found = g_string_new(NULL);
        for (unsigned i = 0; i < layout->labels->len; i++) {
            const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
            if (label->part == NS_PART_LEFT_TICK)
                g_string_append_printf(found, "%s ", pango_layout_get_text(label->text));
        }
        g_assert_cmpstr(found->str, ==, pages[p].labels);
    }
    for (unsigned i = 0; i < 4; i++) run_free(runs[i]);
}

/* The line of an event is only in the panels of its lanes. */
static void test_panel_events(void)
{
    Run *runs[3];
    for (unsigned i = 0; i < 3; i++) {
        runs[i] = run_made(6, BUDGET, true, 1, 0);
        for (int k = 0; k < 9; k++) append_lane(runs[i], i);
        const NsEvent jump = {.step = 4, .kind = NS_EVENT_SPIKE, .what = "loss", .text = "It."};
        if (i) ns_history_append_event(runs[i]->history, &jump);
    }
    NsFigureInput all = lanes_of(runs, 3);
    g_autoptr(NsFigure) figure = figure_new("heatmap");
    NsPlot plot = *ns_figure_update(figure, &all);
    g_assert_cmpuint(plot.n_markers, ==, 1);
    const NsExport how = {
        .format = NS_FORMAT_TEX, .style = ns_style(0), .width = 400, .height = 300};
    const NsPlot *of = &plot;
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(&of, 1, &how);
    g_autofree char *tex = g_string_free(ns_pgfplots_write(&sheet), FALSE);
    g_auto(GStrv) lines = g_strsplit(tex, "\\draw[chart-alarm, ", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 3);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 400, 300, ns_style(0));
    NsBox area = ns_plot_area(layout);
    cairo_surface_t *with = image_of(&plot);
    plot.markers = &(NsMarker){.x = -9, .text = "A"}; /* space for words, but no line */
    cairo_surface_t *without = image_of(&plot);
    const unsigned char *a = cairo_image_surface_get_data(with);
    const unsigned char *b = cairo_image_surface_get_data(without);
    size_t stride = (size_t)cairo_image_surface_get_stride(with);
    for (size_t i = 0; i < 3; i++) { /* the middle of each panel */
        size_t row = (size_t)(area.y + area.height * (2 * (double)i + 1) / 6);
        bool same = memcmp(a + row * stride, b + row * stride, stride) == 0;
        g_assert_cmpint(same, ==, i == 0);
    }
    cairo_surface_destroy(with);
    cairo_surface_destroy(without);
    for (unsigned i = 0; i < 3; i++) run_free(runs[i]);
}

/* Every panel of hidden states labels 0, which is the embedding, and every panel its top layer. */
static void test_panel_ticks(void)
{
    static const NsQuantity quantities[] = {NS_QUANTITY_HIDDEN_NORM, NS_QUANTITY_GRAD_W2};
    Run *runs[2];
    for (unsigned i = 0; i < 2; i++) {
        runs[i] = run_made(6, BUDGET, true, 1, 0);
        append_lane(runs[i], i);
    }
    NsFigureInput both = lanes_of(runs, 2);
    for (int which = 0; which < 2; which++) {
        both.quantity = quantities[which];
        g_autoptr(NsFigure) figure = figure_new("heatmap");
        const NsPlot *plot = ns_figure_update(figure, &both);
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 234, 160, ns_style_find("paper"));
        unsigned found = 0;
        for (unsigned i = 0; i < layout->labels->len; i++) {
            const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
            found += label->part == NS_PART_LEFT_TICK &&
                     g_str_equal(pango_layout_get_text(label->text), which ? "6" : "0");
        }
        g_assert_cmpuint(found, ==, 2);
    }
    for (unsigned i = 0; i < 2; i++) run_free(runs[i]);
}

/* Each lane has a map of its heads, with the same colors for the same values. */
static void test_heads(void)
{
    Run *runs[2];
    for (unsigned i = 0; i < 2; i++) {
        runs[i] = run_made(3, BUDGET, true, 1, 0);
        append_lane(runs[i], i);
    }
    NsFigureInput both = lanes_of(runs, 2), first = ns_figure_input_of(&both, 0);
    NsFigureInput second = ns_figure_input_of(&both, 1);
    g_autoptr(NsFigure) a = figure_new("heads");
    g_autoptr(NsFigure) b = figure_new("heads");
    const NsHeatmap *upper = ns_figure_update(a, &first)->heatmap;
    const NsHeatmap *lower = ns_figure_update(b, &second)->heatmap;
    g_assert_cmpfloat(upper->lo, <, upper->hi);
    g_assert_cmpfloat(upper->lo, ==, lower->lo);
    g_assert_cmpfloat(upper->hi, ==, lower->hi);
    g_assert_cmpfloat(upper->lo, ==, (double)upper->z[0]);
    g_assert_cmpfloat(upper->hi, ==, (double)lower->z[lower->rows * lower->columns - 1]);
    for (unsigned i = 0; i < 2; i++) run_free(runs[i]);
}

/* Three lanes; the values of B are huge. */
static void make_wild(Run *runs[3])
{
    for (unsigned i = 0; i < 3; i++) {
        runs[i] = run_made(6, BUDGET, true, 1, 0);
        if (i != 1) {
            append_lane(runs[i], i);
            continue;
        }
        for (size_t k = 0; k < runs[i]->layout.width; k++) ns_values_put(runs[i]->values, k, 1e20);
        append_values(runs[i], 1);
    }
}

/* A diverged lane does not extend the color scale, and the note gives its largest value; a lane
 * that continues always counts. */
static void test_wild_colors(void)
{
    static const char *const figures[] = {"gradient-heatmap", "heatmap", "heads", "diagram"};
    Run *runs[3];
    make_wild(runs);
    NsFigureInput all = lanes_of(runs, 3);
    for (int diverged = 0; diverged < 2; diverged++) {
        const NsEvent event = {.step = 0, .kind = NS_EVENT_DIVERGED};
        if (diverged) ns_history_append_event(runs[1]->history, &event);
        for (size_t f = 0; f < 2 * G_N_ELEMENTS(figures); f++) {
            g_autoptr(NsFigure) figure = figure_new(figures[f / 2]);
            NsFigureInput input = all;
            input.log = f % 2;
            if (figure->kind->one_model) input = ns_figure_input_of(&all, 1);
            const NsPlot *plot = ns_figure_update(figure, &input);
            g_test_message("%s, log %d, diverged %d: %s", figures[f / 2], input.log, diverged,
                           plot->note);
            bool told = plot->note && strstr(plot->note, "Values of B above the color scale, up to "
                                                         "1.0×10^{20}, have its last color.");
            g_assert_cmpint(told, ==, diverged);
            if (!plot->heatmap) continue;
            g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 400, 300, ns_style(0));
            g_assert_cmpint(layout->z.hi < 100, ==, diverged);
            g_assert_cmpint(layout->z.lo < 100, ==, 1);
        }
    }
    for (unsigned i = 0; i < 3; i++) run_free(runs[i]);
}

/* A page with space for this number of maps side by side. */
static NsExport page_of(size_t columns)
{
    return (NsExport){.style = ns_style_find("paper"),
                      .width = 250.0 * (double)columns,
                      .height = 170.0 * (double)((LANES + columns - 1) / columns),
                      .columns = columns};
}

/* Checks the color bars of maps of lanes on a sheet with this number of columns. */
static void check_keys(const NsPlot *const *plots, size_t columns, bool shared)
{
    NsExport page = page_of(columns);
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, LANES, &page);
    unsigned keys = 0;
    g_autoptr(NsPlotLayout) last = ns_plot_sheet_layout(&sheet, LANES - 1);
    double foot = sheet.plots[LANES - 1].cell.y + last->area.y + last->area.height;
    for (size_t i = 0; i < LANES; i++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        const NsBox *bar = &layout->bar;
        g_assert_cmpfloat_with_epsilon(layout->area.width, last->area.width, 1);
        if (!(bar->width > 0)) continue;
        keys++;
        if (!shared) continue;
        g_assert_cmpuint(i, ==, columns - 1);
        g_assert_cmpfloat_with_epsilon(sheet.plots[i].cell.y + bar->y + bar->height, foot, 1e-6);
        g_assert_cmpfloat_with_epsilon(layout->z.p0, bar->y + bar->height, 1e-6);
    }
    g_assert_cmpuint(keys, ==, shared ? 1 : LANES);
}

/* A color bar that extends beside other plots covers none of their labels, even for matrices, which
 * leave space at their sides. */
static void check_cover(const NsPlot *const *plots, size_t columns, bool square)
{
    NsPlot own[LANES];
    const NsPlot *borrowed[LANES];
    NsHeatmap maps[LANES];
    for (size_t i = 0; i < LANES; i++) {
        own[i] = *plots[i];
        maps[i] = *plots[i]->heatmap;
        maps[i].square = square;
        if (square) maps[i].stride = maps[i].columns;
        if (square) maps[i].columns = 1;
        own[i].heatmap = &maps[i];
        borrowed[i] = &own[i];
    }
    NsExport page = page_of(columns);
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(borrowed, LANES, &page);
    g_autoptr(NsPlotLayout) bearer = ns_plot_sheet_layout(&sheet, columns - 1);
    for (size_t i = columns; i < LANES; i++)
        g_assert_cmpfloat(sheet.plots[i].cell.x + sheet.plots[i].cell.width, <=,
                          sheet.plots[columns - 1].cell.x + bearer->bar.x);
}

/* Maps with the same colors share one color bar on a sheet; others have their own. */
static void test_shared_key(void)
{
    Run *runs[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        runs[i] = run_made(3, BUDGET, true, 1, 0);
        append_lane(runs[i], i);
    }
    NsFigureInput all = lanes_of(runs, LANES);
    for (int shared = 0; shared < 2; shared++) {
        NsFigure *figures[LANES];
        const NsPlot *plots[LANES];
        for (unsigned i = 0; i < LANES; i++) {
            NsFigureInput one = ns_figure_input_of(&all, i);
            one.n_beside = shared ? one.n_beside : 0;
            figures[i] = figure_new("heads");
            plots[i] = ns_figure_update(figures[i], &one);
        }
        for (size_t columns = 1; columns <= LANES; columns++) check_keys(plots, columns, shared);
        for (int square = 0; shared && square < 2; square++) check_cover(plots, 1, square);
        for (unsigned i = 0; i < LANES; i++) ns_figure_free(figures[i]);
    }
    for (unsigned i = 0; i < LANES; i++) run_free(runs[i]);
}

/* All rows are equally high: the gap between lanes is not taken from one of them. */
static void test_equal_rows(void)
{
    enum { WIDTH = 500, HEIGHT = 331, ROWS = 6 };
    Run *runs[2];
    for (int k = 0; k < 2; k++) {
        runs[k] = run_made(3, BUDGET, false, 10, 0);
        for (int i = 0; i < 4; i++) append_with(runs[k], 1, 2, 8);
    }
    NsFigureInput input = lanes_of(runs, 2);
    g_autoptr(NsFigure) figure = figure_new("heatmap");
    NsStyle style = *ns_style_find("paper");
    style.raster = true;
    g_autoptr(NsPlotLayout) layout =
        ns_plot_layout(ns_figure_update(figure, &input), WIDTH, HEIGHT, &style);
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t *cr = cairo_create(image);
    ns_plot_draw(layout, cr);
    cairo_destroy(cr);
    const uint32_t *pixels = (const uint32_t *)(const void *)cairo_image_surface_get_data(image);
    NsBox area = ns_plot_area(layout);
    size_t x = (size_t)ns_plot_x_to_pixel(layout, 2), n = 0;
    int length[2 * ROWS + 2] = {0};
    for (size_t y = (size_t)ceil(area.y) + 1; y < (size_t)(area.y + area.height) - 1; y++) {
        if (length[n] && pixels[y * WIDTH + x] != pixels[(y - 1) * WIDTH + x]) n++;
        g_assert_cmpuint(n, <, G_N_ELEMENTS(length));
        length[n]++;
    }
    /* Three rows, the gap, three rows; the first and the last lose a pixel at the frame. */
    g_assert_cmpuint(n, ==, ROWS);
    for (size_t i = 0; i <= n; i++)
        if (i != ROWS / 2) g_assert_cmpint(ABS(length[i] - length[1]), <=, 2);
    cairo_surface_destroy(image);
    for (int k = 0; k < 2; k++) run_free(runs[k]);
}

/* Panels that are too low for the names of their runs keep the axis title. */
static void test_panel_titles(void)
{
    Pair pair = pair_new(6, 6);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 2; i++) append(pair.run[i], 1);
    g_autoptr(NsFigure) figure = figure_new("gradient-heatmap");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    static const double heights[] = {164, 240, 320};
    for (size_t h = 0; h < G_N_ELEMENTS(heights); h++) {
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(plot, 250, heights[h], ns_style_find("paper"));
        unsigned titles = 0;
        for (unsigned i = 0; i < layout->labels->len; i++) {
            const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
            if (label->part != NS_PART_LEFT_LABEL) continue;
            g_assert_true(g_str_has_suffix(pango_layout_get_text(label->text), " · layer"));
            titles++;
        }
        g_assert_cmpuint(titles, ==, 2);
    }
    pair_clear(&pair);
}

/* On a narrow page of free height, every chart and every map of a lane has enough height to read
 * its values. */
static void test_least_height(void)
{
    static const struct {
        const char *figure;
        double least; /* in text sizes */
    } charts[] = {{"gradient-heatmap", 4 * 4}, {"loss", 7}};
    Run *runs[4];
    for (unsigned i = 0; i < 4; i++) {
        runs[i] = run_made(6, BUDGET, true, 1, 0);
        set(runs[i], i % 2 ? "placement=pre" : "placement=post");
        append_lane(runs[i], i);
        append_lane(runs[i], i);
    }
    NsFigureInput input = lanes_of(runs, 4);
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "chart.tex", NULL);
    NsExport options = {.format = NS_FORMAT_TEX,
                        .style = ns_style_find("screen-dark"),
                        .width = 250,
                        .height = 175,
                        .proposed = true,
                        .caption = "One line.\nAnother line.\nA third line.\nA fourth line."};
    for (size_t i = 0; i < G_N_ELEMENTS(charts); i++) {
        g_autoptr(NsFigure) figure = figure_new(charts[i].figure);
        const NsPlot *plot = ns_figure_update(figure, &input);
        g_autoptr(GError) error = NULL;
        ns_export(&plot, 1, &options, path, &error);
        g_assert_no_error(error);
        g_autofree char *tex = NULL;
        g_assert_true(g_file_get_contents(path, &tex, NULL, NULL));
        const char *height = strstr(tex, "  height=");
        g_assert_nonnull(height);
        double room = g_ascii_strtod(height + strlen("  height="), NULL);
        g_assert_cmpfloat(room, >=, charts[i].least * options.style->text_size);
    }
    g_unlink(path);
    g_rmdir(folder);
    for (unsigned i = 0; i < 4; i++) run_free(runs[i]);
}

static char *tex_of(const NsPlot *plot)
{
    const NsExport options = {
        .format = NS_FORMAT_TEX, .style = ns_style_find("paper"), .width = 250, .height = 175};
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(&plot, 1, &options);
    return g_string_free(ns_pgfplots_write(&sheet), FALSE);
}

/* A diverged lane has the same color, cells and curves in TeX as in a picture. */
static void test_diverged_tex(void)
{
    Pair pair = pair_new(6, 6);
    for (int k = 0; k < 3; k++) append(pair.run[0], 1);
    append(pair.run[1], 1);
    append(pair.run[1], 1e17);
    append_with(pair.run[1], 1, 2, INFINITY);
    const NsEvent event = {
        .step = 2, .kind = NS_EVENT_DIVERGED, .what = "loss", .text = "It diverged."};
    ns_history_append_event(pair.run[1]->history, &event);
    g_autoptr(NsFigure) map = figure_new("gradient-heatmap");
    g_autofree char *cells = tex_of(ns_figure_update(map, &pair.input));
    g_assert_nonnull(strstr(cells, "\\fill[chart-alarm] (axis cs:1.5,"));
    const char *words = strstr(cells, "{B diverged}");
    g_assert_nonnull(words);
    g_autofree char *before = g_strndup(cells, (size_t)(words - cells));
    g_assert_true(g_str_has_prefix(strrchr(before, '\n'), "\n\\node[") &&
                  strstr(strrchr(before, '\n'), "chart-1, "));
    /* The text is limited to its width in a picture, because TeX's fonts are wider. */
    g_assert_nonnull(strstr(strrchr(before, '\n'), "{\\chartfit"));
    /* TeX has no such length. */
    pair.input.log = false;
    g_autoptr(NsFigure) loss = figure_new("loss");
    g_autofree char *curves = tex_of(ns_figure_update(loss, &pair.input));
    g_assert_null(strstr(curves, ",1e+17)"));
    pair_clear(&pair);
}

/* In TeX, too, cells look as the note says: gray, red, or hatched if the figure explains this. */
static void test_tex_cells(void)
{
    static const float z[] = {1, 0, 0, NAN, 3, -INFINITY};
    static const NsAxis axis = {.lo = (double)NAN, .hi = (double)NAN};
    NsHeatmap map = {.z = z, .rows = 2, .columns = 3, .x1 = 3, .y1 = 2, .log = true};
    NsPlot plot = {.x = axis, .left = axis, .heatmap = &map};
    g_autofree char *red = tex_of(&plot);
    g_assert_nonnull(strstr(red, "2 cells are 0 (gray)"));
    g_assert_nonnull(strstr(red, "\\fill[chart-previous] (axis cs:1,0) rectangle (axis cs:3,1);"));
    g_assert_nonnull(strstr(red, "\\fill[chart-alarm] (axis cs:0,1) rectangle (axis cs:1,2);"));
    map.hatch = true;
    g_autofree char *hatched = tex_of(&plot);
    g_assert_nonnull(strstr(hatched, "\\fill[pattern=north east lines, pattern "
                                     "color=chart-alarm] (axis cs:0,1)"));
}

/* The marks that the note explains: hollow if not a number, filled if too low. */
static void test_tex_faults(void)
{
    static const double x[] = {0, 1, 2, 3, 4}, y[] = {1, (double)NAN, 2, -1, 3};
    const NsSeries series = {.x = x, .y = y, .n = 5};
    const NsAxis axis = {.lo = (double)NAN, .hi = (double)NAN};
    NsPlot plot = {.x = axis, .left = axis, .series = &series, .n_series = 1};
    plot.left.scale = NS_SCALE_LOG;
    g_autofree char *tex = tex_of(&plot);
    g_assert_nonnull(strstr(tex, "1 value is not a number"));
    g_auto(GStrv) triangles = g_strsplit(tex, "-- cycle;\n", -1);
    g_assert_cmpuint(g_strv_length(triangles), ==, 3);
    g_assert_true(g_str_has_prefix(strrchr(triangles[0], '\n'), "\n\\draw[chart-0,"));
    g_assert_true(g_str_has_prefix(triangles[1], "\\fill[chart-0,"));
}

/* Most layers of the deeper of two lanes have no ratio if their depths are far apart. */
static void test_depths_apart(void)
{
    Pair pair = pair_new(5, 2);
    append(pair.run[0], 1);
    append(pair.run[1], 1);
    g_autoptr(NsFigure) figure = figure_new("gradient-norm");
    g_assert_null(ns_figure_update(figure, &pair.input)->lower);
    pair_clear(&pair);
}

/* At the step at which it diverges a lane is what a chart by layer is about, where the axis can
 * have it; later it does not extend the axis. */
static void test_wild_step(void)
{
    Pair pair = pair_new(4, 4);
    const NsEvent event = {.step = 0, .kind = NS_EVENT_DIVERGED};
    append_with(pair.run[0], 1, 2, 4);
    append_with(pair.run[1], 1, 2, 1e20f);
    ns_history_append_event(pair.run[1]->history, &event);
    for (int later = 0; later < 2; later++) {
        if (later) append_with(pair.run[0], 1, 2, 4);
        for (int log = 0; log < 2; log++) {
            pair.input.log = log;
            g_autoptr(NsFigure) figure = figure_new("gradient-norm");
            bool all = isnan(ns_figure_update(figure, &pair.input)->left.hi);
            g_assert_cmpint(all, ==, log && !later);
        }
    }
    pair_clear(&pair);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lane_maps/last-column", test_last_column);
    g_test_add_func("/lane_maps/panel-events", test_panel_events);
    g_test_add_func("/lane_maps/low-panels", test_low_panels);
    g_test_add_func("/lane_maps/panel-ticks", test_panel_ticks);
    g_test_add_func("/lane_maps/heads", test_heads);
    g_test_add_func("/lane_maps/wild-colors", test_wild_colors);
    g_test_add_func("/lane_maps/shared-key", test_shared_key);
    g_test_add_func("/lane_maps/panel-titles", test_panel_titles);
    g_test_add_func("/lane_maps/equal-rows", test_equal_rows);
    g_test_add_func("/lane_maps/least-height", test_least_height);
    g_test_add_func("/lane_maps/diverged-tex", test_diverged_tex);
    g_test_add_func("/lane_maps/tex-cells", test_tex_cells);
    g_test_add_func("/lane_maps/depths-apart", test_depths_apart);
    g_test_add_func("/lane_maps/tex-faults", test_tex_faults);
    g_test_add_func("/lane_maps/wild-step", test_wild_step);
    return g_test_run();
}
