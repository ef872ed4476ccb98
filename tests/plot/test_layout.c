/* Boxes, paths, pixels and readings.  SPDX-License-Identifier: MIT */
#include "random.h"
#include "support.h"
#include "ui/plot/colormap.h"
#include "ui/plot/pins.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

static const struct {
    double width, height;
} pages[] = {
    {200, 120}, {234, 160}, {240, 420}, {360, 240}, {620, 380}, {1200, 800}, {595, 842},
};

static bool apart(const NsBox *a, const NsBox *b)
{
    return a->x + a->width <= b->x || b->x + b->width <= a->x || a->y + a->height <= b->y ||
           b->y + b->height <= a->y;
}

static void check_inside(const NsBox *box, double width, double height)
{
    g_assert_cmpfloat(box->x, >=, 0);
    g_assert_cmpfloat(box->y, >=, 0);
    g_assert_cmpfloat(box->x + box->width, <=, width);
    g_assert_cmpfloat(box->y + box->height, <=, height);
}

typedef struct {
    NsBox box;
    const char *name;
} Named;

static void add(GArray *boxes, NsBox box, const char *name)
{
    Named named = {box, name};
    g_array_append_val(boxes, named);
}

static void check_apart(const GArray *boxes)
{
    for (unsigned i = 0; i < boxes->len; i++)
        for (unsigned k = i + 1; k < boxes->len; k++) {
            const Named *a = &g_array_index(boxes, Named, i), *b = &g_array_index(boxes, Named, k);
            if (apart(&a->box, &b->box)) continue;
            g_test_message("overlap: %s (%g, %g, %g x %g) and %s (%g, %g, %g x %g)", a->name,
                           a->box.x, a->box.y, a->box.width, a->box.height, b->name, b->box.x,
                           b->box.y, b->box.width, b->box.height);
            g_test_fail();
        }
}

/* Labels and legend inside the plot area do not overlap; all other labels are outside of it. */
static void check_part(const NsPlotLayout *layout, double width, double height)
{
    g_autoptr(GArray) around = g_array_new(FALSE, FALSE, sizeof(Named));
    g_autoptr(GArray) inside = g_array_new(FALSE, FALSE, sizeof(Named));
    bool legend_inside = layout->legend_box.width > 0;
    add(around, layout->area, "plot area");
    if (layout->bar.width > 0) add(around, layout->bar, "color bar");
    for (unsigned i = 0; i < layout->legend->len; i++)
        add(legend_inside ? inside : around, g_array_index(layout->legend, NsLegendSample, i).box,
            "legend");
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        check_inside(&label->box, width, height);
        bool within = label->part == NS_PART_END_NAME || label->part == NS_PART_LINE_NAME ||
                      label->part == NS_PART_CELL ||
                      (label->part == NS_PART_LEGEND && legend_inside);
        if (label->part == NS_PART_EMPTY)
            g_assert_false(apart(&label->box, &layout->area));
        else
            add(within ? inside : around, label->box, pango_layout_get_text(label->text));
    }
    check_apart(around);
    check_apart(inside);
    const NsBox *area = &layout->area;
    for (unsigned i = 0; i < inside->len; i++) {
        NsBox box = g_array_index(inside, Named, i).box;
        box.x -= area->x;
        box.y -= area->y;
        check_inside(&box, area->width, area->height);
    }
    check_inside(area, width, height);
}

static void check_boxes(const NsPlotLayout *layout, double width, double height)
{
    const NsHeatmap *map = layout->plot->heatmap;
    double upper = layout->lower ? layout->lower_y : height;
    check_part(layout, width, upper);
    if (layout->lower) {
        check_part(layout->lower, width, height - upper);
        g_assert_cmpfloat_with_epsilon(layout->lower->area.x, layout->area.x, 1e-6);
        g_assert_cmpfloat_with_epsilon(layout->lower->area.width, layout->area.width, 1e-6);
    }
    if (map && map->square) return;
    g_assert_cmpfloat(layout->area.width, >=, 0.25 * width);
    g_assert_cmpfloat(layout->area.height, >=, 0.2 * upper - 1); /* whole pixels */
}

static void test_boxes(void)
{
    static const double scales[] = {1, 1.5, 2};
    for (size_t p = 0; p < G_N_ELEMENTS(pages); p++)
        for (size_t s = 0; ns_style(s); s++)
            for (size_t k = 0; k < G_N_ELEMENTS(scales); k++)
                for (Sample i = 0; i < SAMPLES; i++) {
                    /* The boxes of a long run are those of a short one. */
                    if (i == LONG_RUN && s > 0) continue;
                    NsStyle style = ns_style_scaled(ns_style(s), scales[k]);
                    g_test_message("%s on %g x %g, %s, text x %g", sample_names[i], pages[p].width,
                                   pages[p].height, style.choice.key, scales[k]);
                    g_autoptr(NsPlotLayout) layout =
                        ns_plot_layout(sample(i), pages[p].width, pages[p].height, &style);
                    check_boxes(layout, pages[p].width, pages[p].height);
                }
}

static const NsLabel *title_of(const NsPlotLayout *layout)
{
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part == NS_PART_TITLE) return label;
    }
    g_assert_not_reached();
}

/* A title that does not fit beside the controls in the corner continues on a second line. */
static void test_corner(void)
{
    NsPlot plot = *sample(LOSS);
    NsStyle style = *ns_style_find("screen-light");
    double width = 340, height = 320;
    plot.title = "Gradient norm of W_2 over the steps";
    for (style.corner = 0; style.corner <= 160; style.corner += 20) {
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, width, height, &style);
        const NsLabel *title = title_of(layout);
        check_boxes(layout, width, height);
        g_assert_false(pango_layout_is_ellipsized(title->text));
        g_assert_cmpfloat(title->box.x + title->box.width, <, width - style.corner);
        int lines = pango_layout_get_line_count(title->text);
        if (style.corner == 0) g_assert_cmpint(lines, ==, 1);
        if (style.corner == 160) g_assert_cmpint(lines, ==, 2);
    }
}

/* Everything that is drawn over a plot: crosshair, pins, selection rectangle, tooltip. */
static void draw_over(const NsPlotLayout *layout, const NsReading *reading, cairo_t *cr)
{
    const NsHeatmap *map = layout->plot->heatmap;
    NsPin pins[] = {{reading->x, NAN, 1}, {reading->x, NAN, 2}};
    if (map) pins[0].row = map->y0 + (map->y1 - map->y0) * (reading->row + 0.5) / (double)map->rows;
    ns_plot_draw_reading(layout, reading, cr);
    ns_plot_draw_pins(layout, pins, G_N_ELEMENTS(pins), cr);
    ns_plot_draw_band(layout, (NsBox){reading->px - 40, reading->py - 30, 90, 1e6}, cr);
    ns_plot_draw_tip(layout, reading, cr);
}

/* A tooltip that would cover a small chart is not drawn. */
static void test_small_tip(void)
{
    static const double sizes[][2] = {{110, 80}, {600, 400}};
    for (int i = 0; i < 2; i++) {
        double width = sizes[i][0], height = sizes[i][1];
        NsPlot plot = *sample(LOSS);
        plot.legend = NS_LEGEND_NONE;
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(&plot, width, height, ns_style_find("screen-light"));
        NsBox area = ns_plot_area(layout);
        NsReading reading;
        g_assert_true(ns_plot_pick(layout, area.x + area.width / 2, area.y + 3, &reading));
        cairo_surface_t *image =
            cairo_image_surface_create(CAIRO_FORMAT_A8, (int)width, (int)height);
        cairo_t *cr = cairo_create(image);
        ns_plot_draw_tip(layout, &reading, cr);
        cairo_destroy(cr);
        cairo_surface_flush(image);
        const unsigned char *pixels = cairo_image_surface_get_data(image);
        bool drawn = false;
        for (int k = 0; k < cairo_image_surface_get_stride(image) * (int)height; k++)
            drawn |= pixels[k] > 0;
        g_assert_cmpint(drawn, ==, i);
        cairo_surface_destroy(image);
        ns_reading_clear(&reading);
    }
}

/* Random plots on pages of any size. */
static void test_random_boxes(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    RandomPlot *random = g_new0(RandomPlot, 1);
    size_t n_styles = 0;
    while (ns_style(n_styles)) n_styles++;
    for (int i = 0; i < 160; i++) {
        double width = i % 3 ? g_rand_double_range(rand, 200, 595) : 200;
        double height = i % 4 ? g_rand_double_range(rand, 120, 842) : 120;
        const NsStyle *base = ns_style((size_t)g_rand_int_range(rand, 0, (int)n_styles));
        NsStyle style = ns_style_scaled(base, g_rand_double_range(rand, 1, 2));
        if (i % 7 == 0) style.corner = 0.4 * width;
        random_plot(random, rand);
        g_test_message("plot %d: %g x %g, %s, text %g", i, width, height, style.choice.key,
                       style.text_size);
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&random->plot, width, height, &style);
        check_boxes(layout, width, height);
        cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 595, 842);
        cairo_t *cr = cairo_create(image);
        ns_plot_draw(layout, cr);
        NsReading reading;
        for (int k = 0; k < 3; k++) {
            double x = g_rand_double_range(rand, 0, width),
                   y = g_rand_double_range(rand, 0, height);
            if (!ns_plot_pick(layout, x, y, &reading)) continue;
            draw_over(layout, &reading, cr);
            ns_reading_clear(&reading);
        }
        g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
        cairo_destroy(cr);
        cairo_surface_destroy(image);
        g_autofree char *spoken = ns_plot_describe(&random->plot);
        g_assert_true(g_utf8_validate(spoken, -1, NULL));
    }
    g_free(random);
}

static const char *text_of(const NsPlotLayout *layout, NsPart part)
{
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part == part) return pango_layout_get_text(label->text);
    }
    return NULL;
}

/* If there is enough space, nothing is omitted. */
static void test_complete(void)
{
    NsPlot plot = *sample(LOSS);
    plot.legend = NS_LEGEND_ABOVE;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 620, 380, ns_style_find("screen-light"));
    g_autoptr(NsPlotLayout) cells =
        ns_plot_layout(sample(HEATMAP), 620, 380, ns_style_find("screen-light"));
    for (int part = 0; part < NS_PART_EMPTY; part++) {
        bool bar = part == NS_PART_BAR_TICK || part == NS_PART_BAR_LABEL;
        g_assert_nonnull(text_of(bar ? cells : layout, (NsPart)part));
    }
    g_assert_cmpuint(layout->legend->len, ==, 4);
    g_assert_cmpstr(text_of(layout, NS_PART_LEFT_LABEL), ==, "loss (nats)");

    g_autoptr(NsPlotLayout) broken =
        ns_plot_layout(sample(ALL_NAN), 620, 380, ns_style_find("screen-light"));
    g_assert_cmpstr(text_of(broken, NS_PART_NOTE), ==, "500 values are not a number (△)");
    NsPlot thumbnail = *sample(ALL_NAN);
    thumbnail.x.quiet = thumbnail.left.quiet = thumbnail.thumbnail = true;
    g_autoptr(NsPlotLayout) quiet =
        ns_plot_layout(&thumbnail, 620, 380, ns_style_find("screen-light"));
    g_assert_null(text_of(quiet, NS_PART_NOTE));
    g_assert_null(text_of(broken, NS_PART_LEFT_TICK));
    g_assert_nonnull(text_of(broken, NS_PART_X_TICK));
}

/* Marks are explained, at least briefly, on a page of any size that has a title. */
static void test_notes(void)
{
    static const struct {
        double width, height;
        const char *note;
    } cases[] = {{620, 380, "500 values are not a number (△)"},
                 {234, 164, "500 values are not a number (△)"},
                 {90, 110, "500 values are not a number (△)"},
                 {90, 84, "△ not a number"}};
    const NsStyle *paper = ns_style_find("paper");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(sample(ALL_NAN), cases[i].width, cases[i].height, paper);
        g_assert_cmpstr(text_of(layout, NS_PART_NOTE), ==, cases[i].note);
    }
    /* Sentences that do not fit are omitted from the end; none is on a page that grows by the
     * height that they need. */
    NsPlot plot = *sample(LOSS);
    plot.note = "Faint lines: step 0. A, B: one sentence that says something of both lanes. "
                "A mark by itself is what was measured after the final norm of the model. "
                "The last sentence of all of them.";
    g_autoptr(NsPlotLayout) low = ns_plot_layout(&plot, 234, 120, paper);
    const char *told = text_of(low, NS_PART_NOTE);
    g_assert_true(g_str_has_prefix(told, "Faint lines: step 0.") && g_str_has_suffix(told, "…"));
    double more = ns_plot_more_lines(&plot, 234, paper);
    g_autoptr(NsPlotLayout) grown = ns_plot_layout(&plot, 234, 164 + more, paper);
    g_assert_true(more > 10);
    g_assert_cmpstr(text_of(grown, NS_PART_NOTE), ==, plot.note);
    g_assert_nonnull(text_of(grown, NS_PART_SUBTITLE));
}

/* In a window, a long note in large text is complete if 300 pixels remain for the data; otherwise
 * it has two lines. */
static void test_notes_in_window(void)
{
    g_autoptr(NsPlotLayout) layout = NULL;
    NsStyle large = ns_style_scaled(ns_style_find("screen-light"), 2);
    large.corner = 60;
    NsPlot plot = *sample(LOSS);
    plot.note = "Faint lines: step 0. A, B: one sentence that says something of both lanes. "
                "A mark by itself is what was measured after the final norm of the model. "
                "The last sentence of all of them, which is here so that there are three lines.";
    layout = ns_plot_layout(&plot, 900, 640, &large);
    g_assert_cmpstr(text_of(layout, NS_PART_NOTE), ==, plot.note);
    g_assert_cmpfloat(ns_plot_area(layout).height, >=, 300);
    g_clear_pointer(&layout, ns_plot_layout_free);
    layout = ns_plot_layout(&plot, 900, 400, &large);
    g_assert_true(g_str_has_suffix(text_of(layout, NS_PART_NOTE), "…"));
}

/* In a file of any style, a long note in a column is complete, even if the height of the page is
 * fixed. */
static void test_notes_in_files(void)
{
    NsPlot plot = *sample(LOSS);
    plot.note = "Faint lines: step 0. A, B: one sentence that says something of both lanes. "
                "A mark by itself is what was measured after the final norm of the model. "
                "Another sentence, which is here so that the note is longer than a column is wide. "
                "The last sentence of all of them, which a reader must not miss, however small "
                "the page is.";
    for (size_t i = 0; ns_style(i); i++) {
        NsStyle style = ns_style_scaled(ns_style(i), 8 / ns_style(i)->text_size);
        g_autoptr(NsPlotLayout) low = ns_plot_layout(&plot, 249, 190, &style);
        g_assert_cmpstr(text_of(low, NS_PART_NOTE), ==, plot.note);
    }
}

/* Values that have no place on a logarithmic axis are called 0 if they are. */
static void test_zeros(void)
{
    static const double x[] = {1, 2, 3};
    static double y[] = {0, 1, 0};
    NsSeries series = {.label = "norm", .n = 3, .x = x, .y = y};
    NsPlot plot = {.x = axis("layer", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("norm", NULL, NS_SCALE_LOG, false),
                   .series = &series,
                   .n_series = 1};
    for (int below = 0; below < 2; below++) {
        y[2] = -below;
        NsDataSummary summary = ns_data_summary(&plot);
        g_autofree char *note = ns_data_summary_note(&plot, &summary, NULL, NULL);
        g_assert_cmpstr(note, ==, below ? "2 values are 0 or less (▼)" : "2 values are 0 (▼)");
    }
    static const float z[] = {0, 1, 2, 0};
    NsHeatmap map = {.z = z, .rows = 2, .columns = 2, .x1 = 2, .y1 = 2, .log = true};
    plot.n_series = 0;
    plot.heatmap = &map;
    NsDataSummary summary = ns_data_summary(&plot);
    g_autofree char *note = ns_data_summary_note(&plot, &summary, NULL, NULL);
    g_assert_cmpstr(note, ==, "2 cells are 0 (gray)");
}

/* The lowest and highest value of every column are points of the path. */
static void test_extremes(void)
{
    const NsPlot *plot = sample(LONG_RUN);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 620, 380, ns_style_find("screen-light"));
    const NsSeries *series = &plot->series[0];
    const GArray *points = layout->paths[0].points;
    double width = 0.5; /* of a column on a screen */
    size_t columns = (size_t)(layout->width / width) + 1;
    g_autofree double *low = g_new(double, columns), *high = g_new(double, columns);
    for (size_t c = 0; c < columns; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
    }
    for (unsigned i = 0; i < points->len; i++) {
        const NsPoint *point = &g_array_index(points, NsPoint, i);
        size_t c = (size_t)(point->x / width);
        low[c] = MIN(low[c], point->y);
        high[c] = MAX(high[c], point->y);
    }
    for (size_t i = 0; i < series->n; i++) {
        double y = ns_plot_y_to_pixel(layout, series->y[i]);
        size_t c = (size_t)(ns_plot_x_to_pixel(layout, series->x[i]) / width);
        g_assert_true(y >= low[c] && y <= high[c]);
    }
    g_assert_cmpuint(points->len, <=, 4 * columns);
    g_assert_cmpuint(layout->paths[0].runs->len, ==, 1);
}

static void test_gaps(void)
{
    double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {1, 2, NAN, 3, 0, INFINITY, 4};
    NsSeries series = {.label = "norm", .n = 7, .x = x, .y = y};
    NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("norm", NULL, NS_SCALE_LOG, false),
                   .series = &series,
                   .n_series = 1};
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 600, 400, ns_style_find("paper"));
    g_assert_cmpuint(layout->paths[0].runs->len, ==, 3);
    g_assert_cmpuint(layout->paths[0].points->len, ==, 4);
    g_assert_cmpuint(layout->paths[0].faults->len, ==, 3);
    g_assert_cmpfloat(layout->strip_top, >, 0);
    g_assert_cmpfloat(layout->strip_bottom, >, 0);
    /* The curve stays outside of the strips. */
    double lowest = ns_plot_y_to_pixel(layout, 1);
    NsBox area = ns_plot_area(layout);
    g_assert_cmpfloat(lowest, <, area.y + area.height - layout->strip_bottom);
}

static cairo_surface_t *draw(const NsPlot *plot, double width, double height, double scale,
                             const NsStyle *style)
{
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * scale), (int)(height * scale));
    cairo_t *cr = cairo_create(image);
    cairo_scale(cr, scale, scale);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, width, height, style);
    ns_plot_draw(layout, cr);
    g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
    cairo_destroy(cr);
    cairo_surface_flush(image);
    return image;
}

static uint32_t pixel_at(cairo_surface_t *image, int x, int y)
{
    const unsigned char *data = cairo_image_surface_get_data(image);
    uint32_t pixel;
    memcpy(&pixel, data + y * cairo_image_surface_get_stride(image) + 4 * x, sizeof pixel);
    return pixel & 0xffffff;
}

static uint32_t as_pixel(NsColor c)
{
    return (uint32_t)lround(c.r * 255) << 16 | (uint32_t)lround(c.g * 255) << 8 |
           (uint32_t)lround(c.b * 255);
}

/* The left axis consists of whole pixels of its color, without intermediate colors beside it. */
static void test_crisp(void)
{
    for (int scale = 1; scale <= 2; scale++) {
        const NsStyle *style = ns_style_find("screen-light");
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(sample(EMPTY), 400, 300, style);
        cairo_surface_t *image = draw(sample(EMPTY), 400, 300, scale, style);
        NsBox area = ns_plot_area(layout);
        int x = (int)area.x * scale, y = (int)(area.y + area.height / 4) * scale, found = 0;
        for (int i = x - 4; i < x + 4; i++) {
            uint32_t pixel = pixel_at(image, i, y);
            if (pixel == as_pixel(style->background)) continue;
            g_assert_cmphex(pixel, ==, as_pixel(style->axis));
            found++;
        }
        g_assert_cmpint(found, ==, scale);
        cairo_surface_destroy(image);
    }
}

/* The same plot gives the same pixels, independent of earlier drawings. */
static void test_pure(void)
{
    const NsStyle *style = ns_style_find("screen-dark");
    for (Sample i = 0; i < SAMPLES; i++) {
        cairo_surface_t *first = draw(sample(i), 360, 240, 1, style);
        cairo_surface_t *other = draw(sample((i + 1) % SAMPLES), 300, 300, 2, ns_style(3));
        cairo_surface_t *second = draw(sample(i), 360, 240, 1, style);
        size_t size = (size_t)cairo_image_surface_get_stride(first) * 240;
        g_assert_cmpint(
            memcmp(cairo_image_surface_get_data(first), cairo_image_surface_get_data(second), size),
            ==, 0);
        cairo_surface_destroy(first);
        cairo_surface_destroy(other);
        cairo_surface_destroy(second);
    }
}

/* A single cell among a hundred thousand is visible on a few hundred pixels. */
static void test_heat_spike(void)
{
    enum { COLUMNS = 100000 };
    g_autofree float *z = g_new(float, COLUMNS);
    for (int i = 0; i < COLUMNS; i++) z[i] = i % 2 ? 1e-3f : 2e-3f;
    z[31415] = 10;
    z[77777] = NAN;
    NsHeatmap map = {.z = z, .rows = 1, .columns = COLUMNS, .x1 = COLUMNS, .y1 = 1, .log = true};
    NsPlot plot = *sample(HEATMAP);
    plot.heatmap = &map;
    const NsStyle *style = ns_style_find("screen-light");
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 400, 300, style);
    cairo_surface_t *image = draw(&plot, 400, 300, 1, style);
    NsBox area = ns_plot_area(layout);
    uint32_t palette[256];
    ns_level_palette(palette, style, NS_COLORS_VIRIDIS);
    int spikes = 0, bad = 0;
    for (int x = (int)area.x; x < (int)(area.x + area.width); x++) {
        uint32_t pixel = pixel_at(image, x, (int)(area.y + area.height / 3));
        spikes += pixel == palette[NS_LEVEL_HIGH];
        bad += pixel == palette[NS_LEVEL_BAD];
    }
    g_assert_cmpint(spikes, ==, 1);
    g_assert_cmpint(bad, ==, 1);
    cairo_surface_destroy(image);
}

static void test_viridis(void)
{
    /* The ends and the middle of matplotlib's table. */
    static const double anchors[][4] = {
        {0, 0x44, 0x01, 0x54}, {0.5, 0x21, 0x91, 0x8c}, {1, 0xfd, 0xe7, 0x25}};
    for (size_t i = 0; i < G_N_ELEMENTS(anchors); i++) {
        NsColor color = ns_map_color(NS_COLORS_VIRIDIS, anchors[i][0]);
        g_assert_cmpfloat_with_epsilon(color.r * 255, anchors[i][1], 4);
        g_assert_cmpfloat_with_epsilon(color.g * 255, anchors[i][2], 4);
        g_assert_cmpfloat_with_epsilon(color.b * 255, anchors[i][3], 4);
    }
}

static double luminance(NsColor c)
{
    double channels[] = {c.r, c.g, c.b}, weights[] = {0.2126, 0.7152, 0.0722}, sum = 0;
    for (int i = 0; i < 3; i++) {
        double v = channels[i];
        sum += weights[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* WCAG 2.2, relative luminance and contrast ratio. */
static double contrast(NsColor a, NsColor b)
{
    double x = luminance(a), y = luminance(b);
    return (MAX(x, y) + 0.05) / (MIN(x, y) + 0.05);
}

static void test_contrast(void)
{
    for (size_t i = 0; ns_style(i); i++) {
        const NsStyle *style = ns_style(i);
        g_test_message("%s", style->choice.key);
        g_assert_cmpfloat(contrast(style->text, style->background), >=, 7);
        g_assert_cmpfloat(contrast(style->faint_text, style->background), >=, 4.5);
        g_assert_cmpfloat(contrast(style->alarm, style->background), >=, 4.5);
        g_assert_cmpfloat(contrast(style->axis, style->background), >=, 3);
        for (int k = 0; k < NS_SERIES_STYLES; k++) {
            g_assert_cmpfloat(contrast(style->series[k].color, style->background), >=, 3);
            g_assert_cmpfloat(contrast(style->series[k].color, style->panel), >=, 3);
            for (int other = 0; other < k; other++) {
                /* In gray print, series differ in dash or mark. */
                const NsSeriesStyle *a = &style->series[k], *b = &style->series[other];
                bool same_dash =
                    a->n_dash == b->n_dash && !memcmp(a->dash, b->dash, sizeof a->dash);
                g_assert_true(a->mark != b->mark || !same_dash);
            }
        }
        g_assert_true(ns_style_find(style->choice.key) == style);
        g_assert_true(ns_style_choice(i) == &style->choice);
    }
    g_assert_null(ns_style_find("none"));
}

static void test_pick(void)
{
    g_autoptr(NsPlotLayout) layout =
        ns_plot_layout(sample(LOSS), 620, 380, ns_style_find("screen-light"));
    NsBox area = ns_plot_area(layout);
    NsReading reading;
    double px = ns_plot_x_to_pixel(layout, 700);
    g_assert_cmpfloat_with_epsilon(ns_plot_pixel_to_x(layout, px), 700, 1e-9);
    g_assert_true(ns_plot_pick(layout, px, area.y + 5, &reading));
    g_assert_cmpfloat(reading.x, ==, 700);
    g_assert_cmpfloat_with_epsilon(reading.px, px, 1e-9);
    g_auto(GStrv) lines = g_strsplit(reading.text, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 5);
    g_assert_cmpstr(lines[0], ==, "step 700");
    g_autofree char *value = ns_text_number(sample(LOSS)->series[0].y[700], 4);
    g_autofree char *expected =
        g_strdup_printf("training loss: %s", value); /* the axis has the unit */
    g_assert_cmpstr(lines[1], ==, expected);
    g_assert_true(g_str_has_prefix(lines[4], "Post-LN, 12 layers: "));
    ns_reading_clear(&reading);
    g_assert_false(ns_plot_pick(layout, area.x - 1, area.y + 5, &reading));
    g_assert_false(ns_plot_pick(layout, NAN, NAN, &reading));

    g_autoptr(NsPlotLayout) empty =
        ns_plot_layout(sample(EMPTY), 620, 380, ns_style_find("screen-light"));
    area = ns_plot_area(empty);
    g_assert_false(ns_plot_pick(empty, area.x + 50, area.y + 50, &reading));
}

/* Theory that falls by a hundred decades does not extend the axis of measured values; theory that
 * is near is shown completely. */
/* The name of a level stands directly at its line, never beyond that of another level, whose name
 * it would seem to be; or it is in the legend.  Where it is neither, there is no line. */
static void test_level_names(void)
{
    static const double x[] = {0, 9};
    static const NsLevel levels[] = {{.y = 4.3, .text = "upper"}, {.y = 3.2, .text = "lower"}};
    size_t at_line = 0, listed = 0;
    for (double height = 60; height <= 400; height += 10)
        for (double at = 3; at < 60; at *= 1.1) {
            const double y[] = {at, at - 0.3}, other[] = {2, 1};
            const NsSeries series[] = {{.label = "a", .n = 2, .x = x, .y = y},
                                       {.label = "b", .n = 2, .x = x, .y = other}};
            NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                           .left = axis("loss", NULL, NS_SCALE_LOG, false),
                           .series = series,
                           .n_series = 2,
                           .levels = levels,
                           .n_levels = 2};
            g_autoptr(NsPlotLayout) layout =
                ns_plot_layout(&plot, 320, height, ns_style_find("screen-light"));
            double upper = ns_plot_y_to_pixel(layout, levels[0].y);
            double lower = ns_plot_y_to_pixel(layout, levels[1].y);
            for (size_t k = 0; k < 2; k++) {
                bool named = false, in_legend = false;
                for (unsigned i = 0; i < layout->labels->len; i++) {
                    const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
                    if (!g_str_equal(pango_layout_get_text(label->text), levels[k].text)) continue;
                    in_legend |= label->part == NS_PART_LEGEND;
                    if (label->part != NS_PART_LINE_NAME) continue;
                    named = true;
                    double middle = label->box.y + label->box.height / 2;
                    g_assert_cmpfloat(fabs(middle - (k ? lower : upper)), <,
                                      label->box.height / 2 + 8);
                    if (k == 0)
                        g_assert_cmpfloat(middle, <, lower);
                    else
                        g_assert_cmpfloat(middle, >, upper);
                }
                g_assert_true(!named || !in_legend);
                if (upper >= layout->area.y && ns_level_is_shown(layout, k))
                    g_assert_true(named || in_legend);
                at_line += named;
                listed += in_legend;
            }
        }
    g_assert_cmpuint(at_line, >, 0);
    g_assert_cmpuint(listed, >, 0);
}

/* The line of a level does not go through the name of a curve that ends there. */
static void test_end_names(void)
{
    static const double x[] = {0, 9}, y[] = {4, 3.2}, other[] = {2, 1};
    static const NsLevel level = {.y = 3.2, .text = "level"};
    const NsSeries series[] = {{.label = "stuck", .n = 2, .x = x, .y = y},
                               {.label = "b", .n = 2, .x = x, .y = other}};
    NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("loss", NULL, NS_SCALE_LINEAR, false),
                   .series = series,
                   .n_series = 2,
                   .levels = &level,
                   .n_levels = 1};
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 620, 380, ns_style_find("screen-light"));
    const NsLabel *name = ns_layout_label(layout, NS_PART_END_NAME);
    g_assert_cmpstr(pango_layout_get_text(name->text), ==, "stuck");
    double line = ns_plot_y_to_pixel(layout, level.y);
    g_assert_cmpfloat(name->box.y + name->box.height, <, line + 2);
    g_assert_cmpfloat(name->box.y + 2 * name->box.height, >, line);
}

static void test_theory_far(void)
{
    static const double x[] = {1, 2}, measured[] = {1e-8, 1}, far[] = {1e-90, 1},
                        near[] = {1e-9, 9};
    NsSeries series[] = {{.label = "measured", .n = 2, .x = x, .y = measured},
                         {.label = "theory", .theory = true, .n = 2, .x = x, .y = far}};
    NsPlot plot = {.x = axis("layer", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("norm", NULL, NS_SCALE_LOG, false),
                   .series = series,
                   .n_series = 2};
    for (int i = 0; i < 2; i++) {
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(&plot, 620, 380, ns_style_find("screen-light"));
        NsBox area = ns_plot_area(layout);
        double least = ns_plot_y_to_pixel(layout, measured[0]);
        double end = ns_plot_y_to_pixel(layout, series[1].y[0]);
        g_assert_cmpfloat(least, >, area.y + 0.65 * area.height);
        if (i == 0)
            g_assert_cmpfloat(end, >, area.y + area.height);
        else
            g_assert_cmpfloat(end, <=, area.y + area.height);
        g_autofree char *words = ns_plot_describe(&plot);
        g_assert_cmpint(strstr(words, "theory is off the scale") != NULL, ==, i == 0);
        series[1].y = near;
    }
    /* By itself, theory determines the axis. */
    series[1].y = far;
    plot.series = &series[1];
    plot.n_series = 1;
    g_autoptr(NsPlotLayout) alone = ns_plot_layout(&plot, 620, 380, ns_style_find("screen-light"));
    NsBox area = ns_plot_area(alone);
    g_assert_cmpfloat(ns_plot_y_to_pixel(alone, 1e-90), <=, area.y + area.height);
}

static void test_pick_cell(void)
{
    g_autoptr(NsPlotLayout) layout =
        ns_plot_layout(sample(HEATMAP), 620, 380, ns_style_find("screen-light"));
    NsReading reading;
    /* Column 77 of 400 over steps 0 to 1999; row 5 is layer 6. */
    double px = ns_plot_x_to_pixel(layout, 387), py = ns_plot_y_to_pixel(layout, 6);
    g_assert_true(ns_plot_pick(layout, px, py, &reading));
    g_assert_cmpfloat(reading.x, ==, 385);
    g_assert_cmpfloat(reading.row, ==, 5);
    g_assert_cmpstr(reading.text, ==, "step 385–389\nlayer 6\ngradient norm of W_2: not a number");
    ns_reading_clear(&reading);
}

/* A plot drawn on a transparent page leaves no transparent pixel. */
static void test_opaque(void)
{
    for (Sample i = 0; i < SAMPLES; i++) {
        cairo_surface_t *page = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 360, 240);
        cairo_t *cr = cairo_create(page);
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(sample(i), 360, 240, ns_style_find("screen-light"));
        ns_plot_draw(layout, cr);
        cairo_destroy(cr);
        cairo_surface_flush(page);
        const unsigned char *pixels = cairo_image_surface_get_data(page);
        for (int k = 0; k < 360 * 240; k++) g_assert_cmpint(pixels[4 * k + 3], ==, 255);
        cairo_surface_destroy(page);
    }
}

/* The tooltip is inside the page at any position of the pointer. */
static void test_tip_inside(void)
{
    for (Sample i = 0; i < SAMPLES; i++)
        for (int step = 0; step <= 20; step++) {
            g_autoptr(NsPlotLayout) layout =
                ns_plot_layout(sample(i), 360, 240, ns_style_find("screen-light"));
            NsBox area = ns_plot_area(layout);
            NsReading reading;
            if (!ns_plot_pick(layout, area.x + area.width * step / 20,
                              area.y + area.height * (step * 7 % 21) / 21, &reading))
                continue;
            cairo_surface_t *ink = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, NULL);
            cairo_t *cr = cairo_create(ink);
            draw_over(layout, &reading, cr);
            g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
            double x, y, width, height;
            cairo_recording_surface_ink_extents(ink, &x, &y, &width, &height);
            NsBox box = {x, y, width, height};
            check_inside(&box, 360, 240);
            cairo_destroy(cr);
            cairo_surface_destroy(ink);
            ns_reading_clear(&reading);
        }
}

static void test_describe(void)
{
    g_autofree char *empty = ns_plot_describe(sample(EMPTY));
    g_assert_cmpstr(empty, ==, "Loss of a run: Press Run to train.");
    g_autofree char *heat = ns_plot_describe(sample(HEATMAP));
    g_assert_nonnull(strstr(heat, "12 by 400 cells"));
    g_assert_nonnull(strstr(heat, "1 cell is not finite"));
    g_autofree char *loss = ns_plot_describe(sample(LOSS));
    g_assert_nonnull(strstr(loss, "validation loss 4.2 at step 0 and 1.7"));
    g_assert_null(strstr(loss, "Post-LN"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/layout/boxes", test_boxes);
    g_test_add_func("/layout/random-boxes", test_random_boxes);
    g_test_add_func("/layout/corner", test_corner);
    g_test_add_func("/layout/small-tip", test_small_tip);
    g_test_add_func("/layout/complete", test_complete);
    g_test_add_func("/layout/notes", test_notes);
    g_test_add_func("/layout/notes-in-window", test_notes_in_window);
    g_test_add_func("/layout/notes-in-files", test_notes_in_files);
    g_test_add_func("/layout/zeros", test_zeros);
    g_test_add_func("/layout/extremes", test_extremes);
    g_test_add_func("/layout/gaps", test_gaps);
    g_test_add_func("/layout/theory-far", test_theory_far);
    g_test_add_func("/layout/level-names", test_level_names);
    g_test_add_func("/layout/end-names", test_end_names);
    g_test_add_func("/draw/crisp", test_crisp);
    g_test_add_func("/draw/pure", test_pure);
    g_test_add_func("/draw/heat-spike", test_heat_spike);
    g_test_add_func("/style/viridis", test_viridis);
    g_test_add_func("/style/contrast", test_contrast);
    g_test_add_func("/pick/series", test_pick);
    g_test_add_func("/pick/cell", test_pick_cell);
    g_test_add_func("/pick/tip-inside", test_tip_inside);
    g_test_add_func("/layout/opaque", test_opaque);
    g_test_add_func("/plot/describe", test_describe);
    return g_test_run();
}
