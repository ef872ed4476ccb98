/* Kinds of series, legends, color maps, marks in the plot area.  SPDX-License-Identifier: MIT */
#include "support.h"
#include "ui/plot/colormap.h"
#include "ui/plot/painter.h"
#include "ui/plot/plot-private.h"

#include <math.h>
#include <string.h>

#define WIDTH 500
#define HEIGHT 320

static const NsStyle *light(void)
{
    return ns_style_find("screen-light");
}

static NsPlot plot_of(const NsSeries *series, size_t n)
{
    return (NsPlot){.x = axis("layer", NULL, NS_SCALE_LINEAR, false),
                    .left = axis("value", NULL, NS_SCALE_LINEAR, false),
                    .series = series,
                    .n_series = n};
}

static NsPlot map_of(const NsHeatmap *map)
{
    NsPlot plot = plot_of(NULL, 0);
    plot.heatmap = map;
    return plot;
}

static GString *tex_of(const NsPlot *plot)
{
    const NsExport page = {.style = light(), .width = WIDTH, .height = HEIGHT};
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(&plot, 1, &page);
    return ns_pgfplots_write(&sheet);
}

static cairo_surface_t *draw(const NsPlotLayout *layout, const NsReading *reading)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t *cr = cairo_create(image);
    ns_plot_draw(layout, cr);
    if (reading) ns_plot_draw_reading(layout, reading, cr);
    g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
    cairo_destroy(cr);
    cairo_surface_flush(image);
    return image;
}

static uint32_t pixel_at(cairo_surface_t *image, double x, double y)
{
    const unsigned char *data = cairo_image_surface_get_data(image);
    uint32_t pixel;
    memcpy(&pixel, data + (int)y * cairo_image_surface_get_stride(image) + 4 * (int)x,
           sizeof pixel);
    return pixel & 0xffffff;
}

static uint32_t as_pixel(NsColor c)
{
    return (uint32_t)lround(c.r * 255) << 16 | (uint32_t)lround(c.g * 255) << 8 |
           (uint32_t)lround(c.b * 255);
}

static const double ones[] = {1, 1, 1, 1}, tens[] = {10, 20, 10, 30};
static const double abscissa[] = {1, 2, 3, 4};

/* A thumbnail has no tick labels at its colors, and so no color bar; the cells use its space. */
static void test_no_bar(void)
{
    NsPlot plot = *sample(HEATMAP);
    g_autoptr(NsPlotLayout) whole = ns_plot_layout(&plot, 160, 120, light());
    plot.x.quiet = plot.left.quiet = plot.no_bar = true;
    g_autoptr(NsPlotLayout) thumbnail = ns_plot_layout(&plot, 160, 120, light());
    g_assert_cmpfloat(whole->bar.width, >, 0);
    g_assert_false(thumbnail->bar.width > 0);
    g_assert_cmpfloat(thumbnail->area.x + thumbnail->area.width, >, 160 - light()->padding - 1.5);
}

static void test_legend_at(void)
{
    NsSeries series[3];
    for (int i = 0; i < 3; i++)
        series[i] = (NsSeries){.label = i ? i == 1 ? "two" : "three" : "one",
                               .style = (unsigned)i,
                               .n = 4,
                               .x = abscissa,
                               .y = i == 1 ? tens : ones};
    series[1].hidden = true;
    for (NsLegendPlace place = NS_LEGEND_ABOVE; place <= NS_LEGEND_INSIDE; place++) {
        NsPlot plot = plot_of(series, 3);
        plot.legend = place;
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
        g_assert_cmpuint(layout->legend->len, ==, 3);
        for (unsigned i = 0; i < 3; i++) {
            const NsBox *box = &g_array_index(layout->legend, NsLegendSample, i).entry;
            int found =
                ns_plot_legend_at(layout, box->x + box->width / 2, box->y + box->height / 2);
            g_assert_cmpint(found, ==, (int)i);
        }
        g_assert_cmpint(ns_plot_legend_at(layout, WIDTH - 2, HEIGHT - 2), ==, -1);
        /* A hidden series neither extends the axis nor is drawn. */
        g_assert_true(isnan(ns_plot_y_to_pixel(layout, 30)) ||
                      ns_plot_y_to_pixel(layout, 30) < layout->area.y);
        g_assert_cmpuint(layout->paths[1].points->len, ==, 0);
        NsReading reading;
        NsBox area = ns_plot_area(layout);
        g_assert_true(ns_plot_pick(layout, area.x + 5, area.y + area.height - 5, &reading));
        g_assert_null(strstr(reading.text, "two"));
        ns_reading_clear(&reading);
    }
}

static void test_bars(void)
{
    double y[] = {10, -20, 5, 30};
    NsSeries series[2] = {
        {.label = "a", .kind = NS_SERIES_BARS, .n = 4, .x = abscissa, .y = y},
        {.label = "b", .kind = NS_SERIES_BARS, .style = 1, .n = 4, .x = abscissa, .y = y}};
    NsPlot plot = plot_of(series, 2);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    cairo_surface_t *image = draw(layout, NULL);
    double zero = ns_plot_y_to_pixel(layout, 0);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 4; j++) {
            double from, to, end = ns_plot_y_to_pixel(layout, y[j]);
            ns_bar_ends(layout, i, j, &from, &to);
            double x = ns_plot_x_to_pixel(layout, (from + to) / 2);
            /* Filled from zero to the value, and not beyond. */
            uint32_t color = as_pixel(light()->series[i].color);
            g_assert_cmphex(pixel_at(image, x, (zero + end) / 2), ==, color);
            g_assert_cmphex(pixel_at(image, x, end + (end < zero ? -3 : 3)), !=, color);
            g_assert_cmphex(pixel_at(image, x, zero + (end < zero ? 3 : -3)), !=, color);
        }
    /* Side by side: the second bar begins at the end of the first. */
    double from, to, next, end;
    ns_bar_ends(layout, 0, 2, &from, &to);
    ns_bar_ends(layout, 1, 2, &next, &end);
    g_assert_cmpfloat_with_epsilon(to, next, 1e-12);
    cairo_surface_destroy(image);
}

/* In TeX, bars are as wide as in a picture, are side by side, and are gray in previous series. */
static void test_tex_bars(void)
{
    static const double x[] = {10, 20, 30}, y[] = {1, 2, 3};
    const NsSeries series[] = {
        {.label = "a", .kind = NS_SERIES_BARS, .n = 3, .x = x, .y = y},
        {.label = "b", .kind = NS_SERIES_BARS, .previous = true, .n = 3, .x = x, .y = y}};
    const NsPlot plot = plot_of(series, 2);
    g_autoptr(GString) tex = tex_of(&plot);
    g_assert_nonnull(strstr(tex->str, "\\fill[chart-0, fill opacity=1] (axis cs:6,0) rectangle "
                                      "(axis cs:10,1);"));
    g_assert_nonnull(strstr(tex->str, "\\fill[chart-previous, fill opacity=0.35] (axis cs:10,0) "
                                      "rectangle (axis cs:14,1);"));
    g_assert_null(strstr(tex->str, "mark phase")); /* of lines in the legend */
}

/* In TeX, too, previous series are behind the others, with a band as gray as their curve. */
static void test_tex_order(void)
{
    const NsSeries series[] = {{.label = "now", .n = 4, .x = abscissa, .y = tens},
                               {.label = "past",
                                .previous = true,
                                .n = 4,
                                .x = abscissa,
                                .y = ones,
                                .lo = ones,
                                .hi = tens}};
    const NsPlot plot = plot_of(series, 2);
    g_autoptr(GString) tex = tex_of(&plot);
    const char *now = strstr(tex->str, "% now: 4"), *past = strstr(tex->str, "% past: 4");
    g_assert_true(past && now && past < now);
    g_assert_nonnull(strstr(past, "fill=chart-previous, fill opacity=0.18"));
}

/* In TeX, too, cells have black or white numbers. */
static void test_tex_values(void)
{
    static const float z[] = {0, 0.25f, 0.5f, 1};
    const NsHeatmap map = {
        .z = z, .rows = 2, .columns = 2, .x1 = 2, .y1 = 2, .square = true, .values = true};
    const NsPlot plot = map_of(&map);
    g_autoptr(GString) tex = tex_of(&plot);
    const char *low = strstr(tex->str, "rotate=0, white]"),
               *high = strstr(tex->str, "rotate=0, black]");
    g_assert_nonnull(low);
    g_assert_nonnull(high);
    g_assert_nonnull(strstr(low, "bp}{0.250}"));
    g_assert_nonnull(strstr(high, "bp}{1.000}"));
}

/* In TeX, too, a reference line is thin and gray. */
static void test_tex_level(void)
{
    const NsSeries series = {.label = "one", .n = 4, .x = abscissa, .y = ones};
    const NsLevel level = {.y = 1.5, .text = "reference"};
    NsPlot plot = plot_of(&series, 1);
    plot.levels = &level;
    plot.n_levels = 1;
    g_autoptr(GString) tex = tex_of(&plot);
    g_assert_nonnull(strstr(tex->str, "\\draw[chart-faint, line width="));
}

/* At every size all cells have numbers, or none; “0.41” is narrower than “0.44”. */
static void test_all_values(void)
{
    static const float z[] = {0.41f, 0.44f, 0, 0.444f};
    const NsHeatmap map = {
        .z = z, .rows = 2, .columns = 2, .x1 = 2, .y1 = 2, .square = true, .values = true};
    const NsPlot plot = map_of(&map);
    unsigned with = 0, without = 0;
    for (int width = 60; width < 400; width++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, width, HEIGHT, light());
        unsigned cells = 0;
        for (unsigned i = 0; i < layout->labels->len; i++) {
            const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
            if (label->part != NS_PART_CELL) continue;
            cells++;
            /* As large as a note. */
            const PangoFontDescription *font = pango_layout_get_font_description(label->text);
            double size = (double)pango_font_description_get_size(font) / PANGO_SCALE;
            g_assert_cmpfloat(size, >=, 0.9 * light()->text_size);
        }
        g_assert_true(cells == 0 || cells == 4);
        *(cells ? &with : &without) += 1;
    }
    g_assert_cmpuint(with, >, 0);
    g_assert_cmpuint(without, >, 0);
}

/* Hidden bars are not drawn, and the others use their space. */
static void test_hidden_bars(void)
{
    NsSeries series[2] = {{.kind = NS_SERIES_BARS, .n = 4, .x = abscissa, .y = tens},
                          {.kind = NS_SERIES_BARS, .style = 1, .n = 4, .x = abscissa, .y = ones}};
    series[0].hidden = true;
    NsPlot both = plot_of(series, 2), one = plot_of(series + 1, 1);
    g_autoptr(NsPlotLayout) with = ns_plot_layout(&both, WIDTH, HEIGHT, light());
    g_autoptr(NsPlotLayout) without = ns_plot_layout(&one, WIDTH, HEIGHT, light());
    cairo_surface_t *a = draw(with, NULL), *b = draw(without, NULL);
    size_t size = (size_t)cairo_image_surface_get_stride(a) * HEIGHT;
    g_assert_cmpint(memcmp(cairo_image_surface_get_data(a), cairo_image_surface_get_data(b), size),
                    ==, 0);
    cairo_surface_destroy(a);
    cairo_surface_destroy(b);
}

/* A single high bar among thousands is visible at its height. */
static void test_many_bars(void)
{
    enum { N = 20000 };
    g_autofree double *x = g_new(double, N), *y = g_new(double, N);
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = i == 7777 ? 100 : 1;
    }
    NsSeries series = {.label = "n", .kind = NS_SERIES_BARS, .n = N, .x = x, .y = y};
    NsPlot plot = plot_of(&series, 1);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    cairo_surface_t *image = draw(layout, NULL);
    double px = floor(ns_plot_x_to_pixel(layout, 7777));
    double py = ns_plot_y_to_pixel(layout, 95);
    g_assert_cmphex(pixel_at(image, px, py), ==, as_pixel(light()->series[0].color));
    g_assert_cmphex(pixel_at(image, px + 2, py), !=, as_pixel(light()->series[0].color));
    cairo_surface_destroy(image);
}

static void test_square(void)
{
    static float z[9 * 9];
    for (int i = 0; i < 81; i++) z[i] = (float)(i / 9 == 0);
    NsHeatmap map = {.z = z,
                     .rows = 9,
                     .columns = 9,
                     .x0 = 0.5,
                     .x1 = 9.5,
                     .y0 = 0.5,
                     .y1 = 9.5,
                     .square = true,
                     .label = "CKA"};
    for (int reversed = 0; reversed < 2; reversed++)
        for (int high = 0; high < 2; high++) {
            NsPlot plot = map_of(&map);
            plot.left.reversed = reversed;
            g_autoptr(NsPlotLayout) layout =
                ns_plot_layout(&plot, high ? 300 : WIDTH, high ? 500 : HEIGHT, light());
            NsBox area = ns_plot_area(layout);
            g_assert_cmpfloat_with_epsilon(area.width, area.height, 2.5);
            if (high) continue;
            /* Row 1 is at the bottom, or at the top of a reversed axis. */
            cairo_surface_t *image = draw(layout, NULL);
            uint32_t palette[256];
            ns_level_palette(palette, light(), NS_COLORS_VIRIDIS);
            double head = area.y + area.height / 18, foot = area.y + area.height * 17 / 18;
            g_assert_cmphex(pixel_at(image, area.x + 30, reversed ? head : foot), ==,
                            palette[NS_LEVEL_HIGH]);
            g_assert_cmphex(pixel_at(image, area.x + 30, reversed ? foot : head), ==,
                            palette[NS_LEVEL_LOW]);
            cairo_surface_destroy(image);
        }
}

static double lightness(NsColor c)
{
    double channels[] = {c.r, c.g, c.b}, weights[] = {0.2126, 0.7152, 0.0722}, sum = 0;
    for (int i = 0; i < 3; i++) {
        double v = channels[i];
        sum += weights[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return 116 * cbrt(sum) - 16;
}

static void test_maps(void)
{
    /* Ends and middle of matplotlib's cividis. */
    static const uint32_t anchors[] = {0x00224e, 0x7c7b78, 0xfee838};
    for (int i = 0; i < 3; i++) {
        NsColor color = ns_map_color(NS_COLORS_CIVIDIS, i / 2.0);
        g_assert_cmpfloat_with_epsilon(color.r * 255, anchors[i] >> 16, 5);
        g_assert_cmpfloat_with_epsilon(color.g * 255, anchors[i] >> 8 & 255, 5);
        g_assert_cmpfloat_with_epsilon(color.b * 255, anchors[i] & 255, 5);
    }
    for (int i = 0; i < 100; i++) {
        g_assert_cmpfloat(lightness(ns_map_color(NS_COLORS_CIVIDIS, (i + 1) / 100.0)), >,
                          lightness(ns_map_color(NS_COLORS_CIVIDIS, i / 100.0)));
        /* Equal distances from the center look equal, and greater distances are darker. */
        double t = 0.5 * i / 100, further = t + 0.005;
        double blue = lightness(ns_map_color(NS_COLORS_DIVERGING, 0.5 - t)),
               orange = lightness(ns_map_color(NS_COLORS_DIVERGING, 0.5 + t));
        g_assert_cmpfloat_with_epsilon(blue, orange, 3);
        g_assert_cmpfloat(lightness(ns_map_color(NS_COLORS_DIVERGING, 0.5 + further)), <, orange);
        g_assert_cmpfloat(lightness(ns_map_color(NS_COLORS_DIVERGING, 0.5 - further)), <, blue);
    }
    g_assert_cmpfloat(lightness(ns_map_color(NS_COLORS_DIVERGING, 0.5)), >, 96);
    NsColor blue = ns_map_color(NS_COLORS_DIVERGING, 0.1),
            orange = ns_map_color(NS_COLORS_DIVERGING, 0.9);
    g_assert_true(blue.b > blue.r && orange.r > orange.b);
}

static void test_center(void)
{
    static const float values[] = {-1, 0, 4, 2}, ratios[] = {0.5f, 1, 8, 2};
    NsHeatmap map = {
        .z = values, .rows = 2, .columns = 2, .x1 = 2, .y1 = 2, .colors = NS_COLORS_DIVERGING};
    NsPlot plot = map_of(&map);
    g_autoptr(NsPlotLayout) linear = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    g_assert_cmpfloat(linear->z.lo, ==, -4);
    g_assert_cmpfloat(linear->z.hi, ==, 4);
    map.z = ratios;
    map.log = true;
    g_autoptr(NsPlotLayout) log = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    g_assert_cmpfloat_with_epsilon(log->z.lo, 1 / 8.0, 1e-9);
    g_assert_cmpfloat_with_epsilon(log->z.hi, 8, 1e-9);
    static const float small[] = {0.1f, 1, 2, 2};
    map.z = small;
    g_autoptr(NsPlotLayout) low = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    g_assert_cmpfloat_with_epsilon(low->z.hi, 10, 1e-5);
    map.lo = 0.1;
    map.hi = 3;
    g_autoptr(NsPlotLayout) fixed = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    g_assert_cmpfloat(fixed->z.lo, ==, 0.1);
    g_assert_cmpfloat(fixed->z.hi, ==, 3);
    static const float near[] = {1, 1.1f, 1.05f, 1};
    map = (NsHeatmap){.z = near, .rows = 2, .columns = 2, .x1 = 2, .y1 = 2, .log = true};
    g_autoptr(NsPlotLayout) alike = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    g_assert_cmpfloat_with_epsilon(alike->z.hi / alike->z.lo, 2, 1e-9);
}

static void test_levels(void)
{
    NsSeries series = {.label = "a", .n = 4, .x = abscissa, .y = ones};
    const NsLevel level = {.y = 7, .text = "bound"};
    const NsSlope slope = {1, 1, 4, 5, "a", "∝ l", 2};
    NsPlot plot = plot_of(&series, 1);
    plot.levels = &level;
    plot.n_levels = 1;
    plot.slopes = &slope;
    plot.n_slopes = 1;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    /* The axis includes a bound beyond all values, and both lines have their labels. */
    g_assert_cmpfloat(ns_plot_y_to_pixel(layout, 7), >, layout->area.y);
    unsigned words = 0;
    for (unsigned i = 0; i < layout->labels->len; i++)
        words += g_array_index(layout->labels, NsLabel, i).part == NS_PART_LINE_NAME;
    g_assert_cmpuint(words, ==, 2);
}

static void test_lower_plot(void)
{
    NsSeries series = {.label = "a", .n = 4, .x = abscissa, .y = tens};
    NsSeries ratio = {.label = "ratio", .n = 4, .x = abscissa, .y = ones};
    NsPlot below = plot_of(&ratio, 1), plot = plot_of(&series, 1);
    plot.lower = &below;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    g_assert_nonnull(layout->lower);
    NsBox upper = ns_plot_area(layout), lower = ns_plot_area(layout->lower);
    for (double x = 1; x <= 4; x++)
        g_assert_cmpfloat_with_epsilon(ns_plot_x_to_pixel(layout, x),
                                       ns_plot_x_to_pixel(layout->lower, x), 1e-9);
    g_assert_cmpfloat(upper.y + upper.height, <, layout->lower_y + lower.y);
    /* A point in the lower plot reads its curve. */
    NsReading reading;
    double py = layout->lower_y + lower.y + lower.height / 2;
    g_assert_true(ns_plot_pick(layout, ns_plot_x_to_pixel(layout, 2), py, &reading));
    g_assert_nonnull(strstr(reading.text, "ratio: 1"));
    g_assert_cmpfloat(reading.py, >, layout->lower_y);
    cairo_surface_t *image = draw(layout, &reading);
    cairo_surface_destroy(image);
    ns_reading_clear(&reading);
    /* A lower plot is omitted if it would leave too little space above. */
    g_autoptr(NsPlotLayout) low = ns_plot_layout(&plot, WIDTH, 120, light());
    g_assert_null(low->lower);
}

/* Both curves end at a limit of the horizontal axis, also beside names at their ends. */
static void test_lower_limits(void)
{
    const NsSeries series[] = {{.label = "a", .n = 4, .x = abscissa, .y = tens},
                               {.label = "b", .n = 4, .x = abscissa, .y = abscissa}};
    NsPlot below = plot_of(series, 1), plot = plot_of(series, 2);
    plot.lower = &below;
    plot.x.hi = 3;
    plot.no_grid = true;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    g_assert_nonnull(ns_layout_label(layout, NS_PART_END_NAME));
    NsBox area = ns_plot_area(layout->lower);
    cairo_surface_t *image = draw(layout, NULL);
    uint32_t ground = as_pixel(light()->panel);
    int there = 0, beyond = 0;
    for (double y = layout->lower_y + area.y; y < layout->lower_y + area.y + area.height; y++) {
        there += pixel_at(image, ns_plot_x_to_pixel(layout, 2.5), y) != ground;
        beyond += pixel_at(image, ns_plot_x_to_pixel(layout, 3.08), y) != ground;
    }
    g_assert_cmpint(there, >, 0);
    g_assert_cmpint(beyond, ==, 0);
    cairo_surface_destroy(image);
    g_autoptr(GString) tex = tex_of(&plot);
    const char *clip = strstr(tex->str, "\\clip");
    g_assert_true(clip && strstr(clip + 1, "\\clip"));
}

/* In TeX the labels of two axes above each other are those of the layout, with their lengths. */
static void test_tex_axis_labels(void)
{
    NsSeries series = {.label = "a", .n = 4, .x = abscissa, .y = tens};
    NsPlot below = plot_of(&series, 1), plot = plot_of(&series, 1);
    plot.lower = &below;
    plot.left.label = "a quantity with a long name";
    plot.left.unit = "nats per token";
    g_autoptr(GString) tex = tex_of(&plot);
    const char *label = strstr(tex->str, "ylabel={\\chartfit{");
    g_assert_true(label && strstr(label + 1, "ylabel={\\chartfit{"));
    g_assert_null(strstr(label, "nats per token"));
}

/* A curve that fills its area is drawn as one outline: every pixel column has ink, and a single
 * outlier is visible. */
static void test_noise(void)
{
    enum { POINTS = 8000, SPIKE = 4321 };
    static double x[POINTS], y[POINTS];
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    for (int i = 0; i < POINTS; i++) {
        x[i] = i;
        y[i] = i == SPIKE ? 4 : g_rand_double_range(random, -1, 1);
    }
    NsSeries series = {.label = "noise", .n = POINTS, .x = x, .y = y};
    NsPlot plot = plot_of(&series, 1);
    plot.no_grid = true;
    for (double width = 300; width <= WIDTH; width += 4) {
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, width, HEIGHT, light());
        g_assert_true(ns_path_is_noise(&layout->paths[0], layout->area.height));
        cairo_surface_t *image = draw(layout, NULL);
        uint32_t color = as_pixel(light()->series[0].color);
        double middle = ns_plot_y_to_pixel(layout, 0);
        double first = ns_plot_x_to_pixel(layout, 0), last = ns_plot_x_to_pixel(layout, POINTS - 1);
        for (double px = ceil(first + 1); px < last - 1; px++)
            g_assert_cmphex(pixel_at(image, px, middle), ==, color);
        uint32_t ground = as_pixel(light()->panel);
        double px = ns_plot_x_to_pixel(layout, SPIKE);
        double py = ns_plot_y_to_pixel(layout, 3);
        g_assert_cmphex(pixel_at(image, px, py), !=, ground);
        g_assert_cmphex(pixel_at(image, px + 4, py), ==, ground);
        cairo_surface_destroy(image);
    }
}

/* Between points that are far apart, the line has no gaps. */
static void test_zigzag(void)
{
    enum { POINTS = 50 };
    double x[POINTS], y[POINTS];
    for (int i = 0; i < POINTS; i++) {
        x[i] = i;
        y[i] = i % 2;
    }
    NsSeries series = {.label = "zigzag", .n = POINTS, .x = x, .y = y};
    NsPlot plot = plot_of(&series, 1);
    plot.no_grid = true;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    g_assert_true(ns_path_is_noise(&layout->paths[0], layout->area.height));
    cairo_surface_t *image = draw(layout, NULL);
    for (double at = 0.1; at < POINTS - 1; at += 0.1) {
        double part = at - floor(at), value = (int)floor(at) % 2 ? 1 - part : part;
        double px = ns_plot_x_to_pixel(layout, at), py = ns_plot_y_to_pixel(layout, value);
        g_assert_cmphex(pixel_at(image, px, py), !=, as_pixel(light()->panel));
    }
    cairo_surface_destroy(image);
}

/* If cells are smaller than pixels, the largest is visible in the whole area. */
static void test_fine_cells(void)
{
    enum { CELLS = 3001 };
    static float z[CELLS];
    for (int spike = 97; spike < CELLS; spike += 97) {
        for (int i = 0; i < CELLS; i++) z[i] = i == spike ? 1 : 0;
        NsHeatmap map = {.z = z, .rows = 1, .columns = CELLS, .x1 = CELLS, .y1 = 1};
        NsPlot plot = map_of(&map);
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
        cairo_surface_t *image = draw(layout, NULL);
        double px = ns_plot_x_to_pixel(layout, spike + 0.5);
        double py = layout->area.y + layout->area.height / 2;
        uint32_t color = as_pixel(ns_map_color(NS_COLORS_VIRIDIS, 1));
        bool seen = false;
        for (int i = -1; i <= 1; i++) seen |= pixel_at(image, px + i, py) == color;
        g_assert_true(seen);
        cairo_surface_destroy(image);
    }
}

/* A clipped series leaves both axes to the others, with an arrow at the upper edge; alone it
 * determines them. */
static void test_clipped(void)
{
    static const double x[] = {0, 1, 2, 3, 4, 5}, low[] = {3, 2, 1}, high[] = {2, 2, 1e11, 2, 2, 2};
    NsSeries series[] = {
        {.label = "now", .n = 3, .x = x, .y = low},
        {.label = "before", .previous = true, .clipped = true, .n = 6, .x = x, .y = high}};
    NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("loss", NULL, NS_SCALE_LINEAR, false),
                   .series = series,
                   .n_series = 2};
    NsPlotLayout *layout = ns_plot_layout(&plot, 600, 400, light());
    g_assert_cmpfloat(layout->y.hi, <, 3.5);
    g_assert_cmpfloat(layout->x.hi, ==, 2);
    double px = ns_plot_x_to_pixel(layout, 1);
    cairo_surface_t *image = draw(layout, NULL);
    int marked = 0; /* the arrow is wider than the curve */
    for (int i = -40; i <= 40; i++)
        marked += pixel_at(image, px + i, layout->area.y + 5) !=
                  pixel_at(image, px + 60, layout->area.y + 5);
    g_assert_cmpint(marked, >=, 4);
    cairo_surface_destroy(image);
    ns_plot_layout_free(layout);
    series[0].n = 0;
    layout = ns_plot_layout(&plot, 600, 400, light());
    g_assert_cmpfloat(layout->y.hi, >=, 1e11);
    g_assert_cmpfloat(layout->x.hi, ==, 5);
    ns_plot_layout_free(layout);
}

/* Clipped curves with marks have an arrow at every point that is off the axis, side by side. */
static void test_clipped_marks(void)
{
    static const double x[] = {1, 2, 3, 4}, now[] = {1, 2, 3, 4}, far[] = {-9, -8, -8, -9};
    NsSeries series[] = {{.label = "now", .n = 4, .x = x, .y = now},
                         {.label = "A", .kind = NS_SERIES_POINTS, .clipped = true},
                         {.label = "B", .kind = NS_SERIES_POINTS, .clipped = true, .style = 1}};
    for (int i = 1; i < 3; i++) {
        series[i].n = 4;
        series[i].x = x;
        series[i].y = far;
    }
    NsPlot plot = {.x = axis("layer", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("norm", NULL, NS_SCALE_LINEAR, false),
                   .series = series,
                   .n_series = 3};
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    cairo_surface_t *image = draw(layout, NULL);
    double py = layout->area.y + layout->area.height - 5;
    for (int i = 0; i < 4; i++)
        for (int k = 1; k < 3; k++) {
            uint32_t color = as_pixel(ns_series_color(light(), &series[k]));
            bool seen = false;
            for (int d = 0; d < 12; d++)
                seen |= pixel_at(image, ns_plot_x_to_pixel(layout, x[i]) + (k > 1 ? d : -d), py) ==
                        color;
            g_assert_true(seen);
        }
    cairo_surface_destroy(image);
}

/* Renders a plot of curves over steps 0 to 999 and returns the number of columns of the plot area
 * without ink between the heights from and to (shares of the area). */
static int blank_columns(const NsSeries *series, size_t n, const char *key, double from, double to)
{
    NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("loss", NULL, NS_SCALE_LINEAR, false),
                   .series = series,
                   .n_series = n,
                   .no_grid = true,
                   .legend = NS_LEGEND_NONE};
    plot.left.lo = 0;
    plot.left.hi = 4;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 500, 320, ns_style_find(key));
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 500, 320);
    cairo_t *cr = cairo_create(image);
    ns_plot_draw(layout, cr);
    cairo_surface_flush(image);
    const unsigned char *bytes = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image), inked = 0;
    const NsBox *area = &layout->area;
    for (int x = (int)area->x + 10; x < (int)(area->x + area->width) - 10; x++) {
        bool found = false;
        for (double part = from; part < to; part += 1 / area->height) {
            const unsigned char *pixel =
                &bytes[(int)(area->y + part * area->height) * stride + 4 * x];
            found |= pixel[0] < 245 || pixel[1] < 245 || pixel[2] < 245;
        }
        inked += found;
    }
    cairo_destroy(cr);
    cairo_surface_destroy(image);
    return (int)(area->x + area->width) - 10 - ((int)area->x + 10) - inked;
}

/* A noisy curve is continuous whatever its dash pattern, a muted one is solid, and the marks of the
 * validation leave the curve on which they lie. */
static void test_whole_curves(void)
{
    enum { STEPS = 1000, MARKS = 10 };
    double x[STEPS], y[STEPS], flat[STEPS], at[MARKS], value[MARKS];
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    for (int i = 0; i < STEPS; i++) {
        x[i] = i;
        y[i] = g_rand_double_range(rand, 1, 3);
        flat[i] = 2;
    }
    for (int i = 0; i < MARKS; i++) {
        at[i] = 100 * i;
        value[i] = 2.1;
    }
    static const char *const styles[] = {"screen-light", "paper", "slide"};
    for (size_t k = 0; k < G_N_ELEMENTS(styles); k++)
        for (unsigned style = 0; style < 4; style++) {
            NsSeries series[] = {{.label = "a", .style = style, .n = STEPS, .x = x, .y = y},
                                 {.label = "validation",
                                  .kind = NS_SERIES_SCATTER,
                                  .spaced = true,
                                  .hollow = true,
                                  .n = MARKS,
                                  .x = at,
                                  .y = value}};
            g_assert_cmpint(blank_columns(series, 1, styles[k], 0, 1), ==, 0);
            series[0].y = flat;
            series[0].muted = true;
            g_assert_cmpint(blank_columns(series, 1, styles[k], 0, 1), ==, 0);
            /* Below the marks, whose middle is above the curve. */
            g_assert_cmpint(blank_columns(series, 2, styles[k], 0.49, 0.52), ==, 0);
        }
}

/* Hollow single marks at the same place stand side by side, above all curves. */
static void test_hollow_marks(void)
{
    static const double x[] = {0, 9}, y[] = {2, 2}, at[] = {9};
    NsSeries series[] = {{.label = "a", .n = 2, .x = x, .y = y, .hidden = true},
                         {.kind = NS_SERIES_POINTS, .hollow = true, .n = 1, .x = at, .y = y},
                         {.kind = NS_SERIES_POINTS, .style = 1, .n = 1, .x = at, .y = y}};
    int blank[2];
    for (int hollow = 0; hollow < 2; hollow++) {
        series[2].hollow = hollow;
        blank[hollow] = blank_columns(series, 3, "slide", 0.3, 0.7);
    }
    g_assert_cmpint(blank[0] - blank[1], >, 8);
    g_assert_cmpint(ns_series_rank(&series[1]), >, ns_series_rank(&series[0]));
    /* One at another step stays at its own, on the mark of a curve. */
    static const double other[] = {5}, above[] = {2.6};
    NsSeries apart[] = {series[0],
                        {.kind = NS_SERIES_POINTS, .n = 1, .x = other, .y = y},
                        series[1],
                        {.kind = NS_SERIES_POINTS, .hollow = true, .n = 1, .x = other, .y = y}};
    int together = blank_columns(apart, 4, "slide", 0.3, 0.7);
    apart[2].y = above;
    g_assert_cmpint(together, ==, blank_columns(apart, 4, "slide", 0.3, 0.7));
}

/* In TeX, a pale curve does not show through its marks. */
static void test_tex_pale(void)
{
    const NsSeries series = {.label = "step 0",
                             .kind = NS_SERIES_POINTS,
                             .style = 1,
                             .previous = true,
                             .tinted = true,
                             .n = 4,
                             .x = abscissa,
                             .y = tens};
    const NsPlot plot = plot_of(&series, 1);
    g_autoptr(GString) tex = tex_of(&plot);
    g_assert_nonnull(strstr(tex->str, "\\addplot[chart-1!38!chart-page, mark="));
    g_assert_null(strstr(tex->str, "opacity"));
}

/* A mark in the legend hides no gap of the line: on both sides of it the line is broken. */
static void test_legend_dashes(void)
{
    for (size_t k = 0; ns_style(k); k++)
        for (unsigned run = 1; run < 4; run++) {
            const NsStyle *style = ns_style(k);
            const NsSeries series = {.kind = NS_SERIES_POINTS, .dash = run, .label = "run"};
            const NsPlot plot = plot_of(&series, 1);
            g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, WIDTH, HEIGHT, style);
            int width = (int)(2 * style->text_size), ends[2] = {0};
            cairo_surface_t *image =
                cairo_image_surface_create(CAIRO_FORMAT_RGB24, 10 * width, 10 * width);
            cairo_surface_set_device_scale(image, 10, 10);
            cairo_t *cr = cairo_create(image);
            ns_set_color(cr, style->panel);
            cairo_paint(cr);
            ns_draw_sample(layout, &series, &(NsBox){0, 0, width, width}, cr);
            cairo_destroy(cr);
            cairo_surface_flush(image);
            const uint32_t *row =
                (const uint32_t *)(const void *)(cairo_image_surface_get_data(image) +
                                                 cairo_image_surface_get_stride(image) *
                                                     (5 * width));
            for (int x = 1; x < 10 * width; x++)
                ends[x > 5 * width] +=
                    (row[x] & 0xffffff) == as_pixel(style->panel) && row[x - 1] != row[x];
            g_test_message("%s, run %u: %d, %d gaps", style->choice.key, run, ends[0], ends[1]);
            g_assert_cmpint(ends[0], >, 0);
            g_assert_cmpint(ends[1], >, 0);
            cairo_surface_destroy(image);
        }
}

/* The line of a spike lies behind the curve, and is paler than it. */
static void test_alarm(void)
{
    const NsSeries bars = {.label = "a", .kind = NS_SERIES_BARS, .n = 4, .x = abscissa, .y = tens};
    const NsMarker spike = {.x = 2, .text = "spike", .alarm = true};
    NsPlot plot = plot_of(&bars, 1);
    plot.markers = &spike;
    plot.n_markers = 1;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, WIDTH, HEIGHT, light());
    cairo_surface_t *image = draw(layout, NULL);
    double x = ns_plot_x_to_pixel(layout, 2), top = ns_plot_y_to_pixel(layout, 20);
    uint32_t above = pixel_at(image, x, top - 5);
    g_assert_cmphex(pixel_at(image, x, top + 5), ==, as_pixel(light()->series[0].color));
    g_assert_cmphex(above, !=, as_pixel(light()->panel));
    g_assert_cmphex(above, !=, as_pixel(light()->alarm));
    cairo_surface_destroy(image);
    g_autoptr(GString) tex = tex_of(&plot);
    const char *line = strstr(tex->str, "\\draw[chart-alarm, opacity=0.4");
    g_assert_nonnull(line);
    g_assert_nonnull(strstr(line, "% a: 4"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/heat/no-bar", test_no_bar);
    g_test_add_func("/kinds/legend-at", test_legend_at);
    g_test_add_func("/kinds/bars", test_bars);
    g_test_add_func("/kinds/alarm", test_alarm);
    g_test_add_func("/kinds/tex-bars", test_tex_bars);
    g_test_add_func("/kinds/tex-order", test_tex_order);
    g_test_add_func("/kinds/tex-values", test_tex_values);
    g_test_add_func("/kinds/tex-level", test_tex_level);
    g_test_add_func("/kinds/all-values", test_all_values);
    g_test_add_func("/kinds/hidden-bars", test_hidden_bars);
    g_test_add_func("/kinds/many-bars", test_many_bars);
    g_test_add_func("/kinds/noise", test_noise);
    g_test_add_func("/kinds/zigzag", test_zigzag);
    g_test_add_func("/kinds/fine-cells", test_fine_cells);
    g_test_add_func("/kinds/clipped", test_clipped);
    g_test_add_func("/kinds/clipped-marks", test_clipped_marks);
    g_test_add_func("/kinds/square", test_square);
    g_test_add_func("/kinds/maps", test_maps);
    g_test_add_func("/kinds/center", test_center);
    g_test_add_func("/kinds/levels", test_levels);
    g_test_add_func("/kinds/whole-curves", test_whole_curves);
    g_test_add_func("/kinds/hollow-marks", test_hollow_marks);
    g_test_add_func("/kinds/lower-plot", test_lower_plot);
    g_test_add_func("/kinds/lower-limits", test_lower_limits);
    g_test_add_func("/kinds/tex-axis-labels", test_tex_axis_labels);
    g_test_add_func("/kinds/tex-pale", test_tex_pale);
    g_test_add_func("/kinds/legend-dashes", test_legend_dashes);
    return g_test_run();
}
