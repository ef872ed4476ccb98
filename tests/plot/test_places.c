/* Places of legends and names inside a plot.  SPDX-License-Identifier: MIT */
#include "tests/plot/support.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/style.h"
#include "ui/plot/text.h"

#include <string.h>

/* More than a line of text at this page height. */
#define N 60

/* A zigzag between two values with this many points. */
static void zigzag(double x[N], double y[N], double lo, double hi)
{
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = i % 2 ? lo : hi;
    }
}

static NsPlot plot_of(const NsSeries *series, size_t n, NsLegendPlace legend)
{
    return (NsPlot){.title = "Loss",
                    .x = axis("step", NULL, NS_SCALE_LINEAR, true),
                    .left = axis("loss", NULL, NS_SCALE_LINEAR, false),
                    .series = series,
                    .n_series = n,
                    .legend = legend};
}

static const NsLabel *label_of(const NsPlotLayout *layout, const char *words)
{
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (g_str_equal(pango_layout_get_text(label->text), words)) return label;
    }
    return NULL;
}

/* A legend inside goes to the middle of an edge if the corners are taken, and above the plot if it
 * would hide data everywhere. */
static void test_legend_inside(void)
{
    static const double x[] = {0, 1, 2, 3, 4}, cross[] = {0, 8, 10, 8, 0};
    static const double other[] = {10, 2, 0, 2, 10};
    const NsSeries arcs[] = {{.label = "a", .n = 5, .x = x, .y = cross},
                             {.label = "b", .n = 5, .x = x, .y = other}};
    NsPlot plot = plot_of(arcs, 2, NS_LEGEND_INSIDE);
    const NsStyle *style = ns_style_find("paper");
    g_autoptr(NsPlotLayout) middle = ns_plot_layout(&plot, 400, 300, style);
    double half = middle->area.y + middle->area.height / 2;
    g_assert_cmpfloat(middle->legend_box.width, >, 0);
    g_assert_cmpfloat(middle->legend_box.y, <, half);
    g_assert_cmpfloat(middle->legend_box.y + middle->legend_box.height, >, half);

    double at[N], low[N], high[N];
    zigzag(at, low, 0, 10);
    zigzag(at, high, 1, 9);
    const NsSeries noise[] = {{.label = "a", .n = N, .x = at, .y = low},
                              {.label = "b", .n = N, .x = at, .y = high}};
    plot = plot_of(noise, 2, NS_LEGEND_INSIDE);
    g_autoptr(NsPlotLayout) above = ns_plot_layout(&plot, 400, 300, style);
    g_assert_false(above->legend_box.width > 0);
    g_assert_cmpuint(above->legend->len, ==, 2);
    const NsLabel *name = label_of(above, "b");
    g_assert_cmpfloat(name->box.y + name->box.height, <, above->area.y);
}

/* It does not cover the line of a level, either. */
static void test_legend_spares_levels(void)
{
    static const double x[] = {0, 9}, y[] = {0, 0.1}, high[] = {0.1, 10};
    const NsSeries series[] = {{.label = "a", .n = 2, .x = x, .y = y},
                               {.label = "b", .n = 2, .x = x, .y = high}};
    for (double at = 1; at < 10; at += 0.25) {
        NsLevel level = {.y = at};
        NsPlot plot = plot_of(series, 2, NS_LEGEND_INSIDE);
        plot.levels = &level;
        plot.n_levels = 1;
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 400, 300, ns_style_find("paper"));
        const NsBox *box = &layout->legend_box;
        double line = ns_plot_y_to_pixel(layout, at);
        g_assert_cmpfloat(box->width, >, 0);
        g_assert_false(box->y < line && line < box->y + box->height);
    }
}

/* The name of a level touches its line where the curve leaves space; otherwise it is in the legend.
 */
static void test_level_name(void)
{
    double x[N], y[N];
    zigzag(x, y, 2.9, 3.6);
    const NsLevel level = {.y = 3.25, .text = "character frequencies only"};
    for (int covered = 0; covered < 2; covered++) {
        /* The curve comes to the level in the last third, or is everywhere all the time. */
        for (int i = 0; i < 40 && !covered; i++) y[i] = 5;
        if (covered) zigzag(x, y, 2, 5);
        y[0] = 5;
        const NsSeries series = {.label = "training", .n = N, .x = x, .y = y};
        NsPlot plot = plot_of(&series, 1, NS_LEGEND_ABOVE);
        plot.levels = &level;
        plot.n_levels = 1;
        for (double height = 160; height < 400; height += 40) {
            const NsStyle *style = ns_style_find("paper");
            g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 300, height, style);
            const NsLabel *name = label_of(layout, level.text);
            double line = ns_plot_y_to_pixel(layout, level.y);
            g_assert_nonnull(name);
            g_assert_cmpint(name->part, ==, covered ? NS_PART_LEGEND : NS_PART_LINE_NAME);
            if (covered) continue;
            g_assert_cmpfloat(name->box.y, <, line + style->text_size);
            g_assert_cmpfloat(name->box.y + name->box.height, >, line - style->text_size);
            /* The line does not go through its ink or edge. */
            bool above = name->box.y < line;
            double gap = above ? line - name->box.y - name->box.height : name->box.y - line;
            g_assert_cmpfloat(gap, >, style->axis_width);
        }
    }
}

/* A level outside the limits has neither a line nor a name. */
static void test_level_outside(void)
{
    double x[N], y[N];
    zigzag(x, y, 2.5, 2.6);
    const NsLevel level = {.y = 4.28, .text = "uniform guess"};
    const NsSeries series = {.label = "training", .n = N, .x = x, .y = y};
    for (int log = 0; log < 2; log++) {
        NsPlot plot = plot_of(&series, 1, NS_LEGEND_ABOVE);
        plot.left.scale = log ? NS_SCALE_LOG : NS_SCALE_LINEAR;
        plot.left.lo = 2;
        plot.left.hi = 4;
        plot.levels = &level;
        plot.n_levels = 1;
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 500, 310, ns_style_find("paper"));
        g_assert_null(label_of(layout, level.text));
    }
}

/* The name of a level is not drawn across a curve that stays at it, but listed in the legend. */
static void test_name_off_curve(void)
{
    double x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = i, y[i] = i < 6 ? 8 - 0.75 * i : 3.15 + 0.2 * (i % 2);
    y[N - 1] = 3;
    const NsLevel levels[] = {{.y = 3.25, .text = "character frequencies only"},
                              {.y = 4.17, .text = "uniform guess"}};
    /* Between two scatter marks there is space, too. */
    static const double at[] = {0, N - 1}, marks[] = {8, 3.25};
    const NsSeries series[] = {
        {.label = "training", .n = N, .x = x, .y = y},
        {.label = "validation", .kind = NS_SERIES_SCATTER, .n = 2, .x = at, .y = marks}};
    NsPlot plot = plot_of(series, 2, NS_LEGEND_ABOVE);
    plot.levels = levels;
    plot.n_levels = 2;
    for (int stuck = 1; stuck >= 0; stuck--) {
        for (int i = 6; i < N && !stuck; i++) y[i] = 2;
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 300, 280, ns_style_find("paper"));
        const NsLabel *name = label_of(layout, levels[0].text);
        g_assert_cmpint(name->part, ==, stuck ? NS_PART_LEGEND : NS_PART_LINE_NAME);
        g_assert_cmpint(label_of(layout, levels[1].text)->part, ==, NS_PART_LINE_NAME);
    }
    /* Without a place for the name, there is no line. */
    for (int i = 6; i < N; i++) y[i] = 3.15 + 0.2 * (i % 2);
    plot.legend = NS_LEGEND_NONE;
    g_autoptr(NsPlotLayout) bare = ns_plot_layout(&plot, 300, 280, ns_style_find("paper"));
    g_assert_null(label_of(bare, levels[0].text));
    g_assert_false(ns_level_is_shown(bare, 0));
    g_assert_true(ns_level_is_shown(bare, 1));
}

/* Plots side by side have areas with the same top and bottom, and a subscript in a title moves
 * nothing. */
static void test_rows_align(void)
{
    static const double x[] = {0, 9}, y[] = {1, 2}, more[] = {2, 3};
    static const float z[] = {1, 2, 3, 4};
    const NsSeries series[] = {{.label = "a", .n = 2, .x = x, .y = y},
                               {.label = "b", .n = 2, .x = x, .y = more}};
    const NsHeatmap map = {.z = z, .rows = 2, .columns = 2, .x1 = 2, .y1 = 2};
    NsPlot plain = plot_of(series, 2, NS_LEGEND_ABOVE), subscript = plain, cells = plain;
    plain.subtitle = subscript.subtitle = "Post-LN";
    cells.subtitle = "Pre-LN"; /* a sheet says what all have alike once */
    subscript.title = "Gradient of W_2";
    cells.series = NULL;
    cells.n_series = 0;
    cells.heatmap = &map;
    const NsPlot *plots[] = {&plain, &subscript, &plain, &cells};
    NsExport options = {.style = ns_style_find("paper"),
                        .width = 504,
                        .height = 360,
                        .columns = 2,
                        .legend = NS_LEGEND_ABOVE};
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, 4, &options);
    NsPlotLayout *layouts[4];
    for (size_t i = 0; i < 4; i++) layouts[i] = ns_plot_sheet_layout(&sheet, i);
    for (size_t i = 0; i < 4; i += 2) {
        const NsPlotLayout *a = layouts[i], *b = layouts[i + 1];
        g_assert_cmpfloat_with_epsilon(a->area.y, b->area.y, 1e-6);
        g_assert_cmpfloat_with_epsilon(a->area.height, b->area.height, 1e-6);
        const NsLabel *one = ns_layout_label(a, NS_PART_SUBTITLE);
        const NsLabel *other = ns_layout_label(b, NS_PART_SUBTITLE);
        g_assert_cmpfloat_with_epsilon(one->y, other->y, 1e-6);
    }
    for (size_t i = 0; i < 4; i++) ns_plot_layout_free(layouts[i]);
}

static unsigned numbers(const NsPlotSheet *sheet, size_t i)
{
    g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(sheet, i);
    unsigned n = 0;
    for (unsigned k = 0; k < layout->labels->len; k++)
        n += g_array_index(layout->labels, NsLabel, k).part == NS_PART_CELL;
    return n;
}

/* Maps of two lanes with the same colors both have numbers in their cells, or neither has. */
static void test_values_agree(void)
{
    static const float small[] = {1, 0.011F, 0.052F, 0.08F}, large[] = {1, 0.98F, 0.99F, -0.1F};
    unsigned seen[2] = {0};
    for (double width = 90; width < 400; width += 5) {
        NsHeatmap maps[2];
        NsPlot plots[2];
        for (int i = 0; i < 2; i++) {
            maps[i] = (NsHeatmap){.z = i ? large : small,
                                  .rows = 2,
                                  .columns = 2,
                                  .x1 = 2,
                                  .y1 = 2,
                                  .lo = -0.1,
                                  .hi = 1,
                                  .square = true,
                                  .values = true};
            plots[i] = (NsPlot){.x = axis("layer", NULL, NS_SCALE_LINEAR, true),
                                .left = axis("layer", NULL, NS_SCALE_LINEAR, true),
                                .heatmap = &maps[i]};
        }
        const NsPlot *both[] = {&plots[0], &plots[1]};
        NsExport options = {.style = ns_style_find("paper"),
                            .width = width,
                            .height = width / 2,
                            .columns = 2,
                            .legend = NS_LEGEND_ABOVE};
        g_auto(NsPlotSheet) sheet = ns_plot_sheet(both, 2, &options);
        unsigned n = numbers(&sheet, 0);
        g_assert_cmpuint(n, ==, numbers(&sheet, 1));
        seen[n > 0]++;
    }
    g_assert_cmpuint(seen[0], >, 0);
    g_assert_cmpuint(seen[1], >, 0);
}

/* Entries in several lines are in columns. */
static void test_legend_columns(void)
{
    static const double x[] = {0, 1, 2}, y[] = {1, 2, 3};
    NsSeries series[5];
    static const char *const names[] = {"A Post-LN, no warm-up", "B Pre-LN, no warm-up",
                                        "C DeepNorm", "D Post-LN, warm-up 100", "validation"};
    for (unsigned i = 0; i < 5; i++)
        series[i] = (NsSeries){.label = names[i], .style = i, .n = 3, .x = x, .y = y};
    NsPlot plot = plot_of(series, 5, NS_LEGEND_ABOVE);
    plot.lettered = true;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 250, 200, ns_style_find("paper"));
    const NsLegendSample *samples = (const void *)layout->legend->data;
    g_assert_cmpuint(layout->legend->len, ==, 5);
    for (unsigned i = 2; i < 5; i++) {
        g_assert_cmpfloat_with_epsilon(samples[i].box.x, samples[i - 2].box.x, 1e-6);
        g_assert_cmpfloat(samples[i].box.y, >, samples[i - 2].box.y);
    }
    g_assert_cmpfloat(samples[1].box.x, >, samples[0].box.x);
}

static unsigned listed(const NsPlotSheet *sheet, size_t i)
{
    g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(sheet, i);
    return layout->legend->len;
}

/* Entries that all charts of a sheet have are in one legend above them; each lists only its own. */
static void test_shared_legend(void)
{
    static const double x[] = {0, 1, 2}, y[] = {1, 2, 3}, z[] = {3, 2, 1};
    const NsSeries first[] = {{.label = "A", .n = 3, .x = x, .y = y},
                              {.label = "B", .style = 1, .n = 3, .x = x, .y = z}};
    NsSeries second[] = {{.label = "A", .kind = NS_SERIES_POINTS, .n = 3, .x = x, .y = z},
                         {.label = "B", .style = 1, .n = 3, .x = x, .y = y},
                         {.label = "mean", .style = 2, .n = 3, .x = x, .y = y}};
    NsPlot one = plot_of(first, 2, NS_LEGEND_OUTSIDE),
           other = plot_of(second, 3, NS_LEGEND_OUTSIDE);
    one.lettered = other.lettered = true;
    const NsPlot *const plots[] = {&one, &other};
    const NsExport options = {
        .style = ns_style_find("paper"), .width = 504, .height = 200, .columns = 2};
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, 2, &options);
    g_assert_nonnull(sheet.legend);
    g_assert_cmpuint(sheet.legend->legend->len, ==, 2);
    g_assert_true(sheet.shared->series[0].kind == NS_SERIES_POINTS);
    g_assert_cmpuint(listed(&sheet, 0), ==, 0);
    g_assert_cmpuint(listed(&sheet, 1), ==, 1);
    g_assert_cmpfloat(sheet.plots[0].cell.y, >, 0);
    g_assert_cmpfloat(sheet.plots[1].cell.y + sheet.plots[1].cell.height, <=, options.height);
    g_autoptr(GString) tex = ns_pgfplots_write(&sheet);
    g_auto(GStrv) names = g_strsplit(tex->str, "{B}", -1);
    g_assert_cmpuint(g_strv_length(names), ==, 2);
    /* The chart to which a state belongs says it. */
    second[1].state = "stuck";
    g_auto(NsPlotSheet) stuck = ns_plot_sheet(plots, 2, &options);
    g_assert_cmpuint(stuck.legend->legend->len, ==, 2);
    g_assert_cmpuint(listed(&stuck, 0), ==, 0);
    g_assert_cmpuint(listed(&stuck, 1), ==, 2);
    /* Unless a marker there says it. */
    const NsMarker marker = {.x = 1, .text = "B stuck", .style = 2};
    other.markers = &marker;
    other.n_markers = 1;
    g_auto(NsPlotSheet) marked = ns_plot_sheet(plots, 2, &options);
    g_assert_cmpuint(listed(&marked, 1), ==, 1);
    other.n_markers = 0;
    /* Another color for the same name, or names at the ends of curves: each has its own. */
    second[0].style = second[1].style = 3;
    g_auto(NsPlotSheet) differ = ns_plot_sheet(plots, 2, &options);
    g_assert_null(differ.legend);
    g_assert_cmpuint(listed(&differ, 0), ==, 2);
    second[0].style = 0;
    second[1].style = 1;
    const NsExport slide = {
        .style = ns_style_find("paper"), .width = 1000, .height = 400, .columns = 2};
    g_auto(NsPlotSheet) ends = ns_plot_sheet(plots, 2, &slide);
    g_assert_null(ends.legend);
    g_assert_cmpuint(listed(&ends, 0), ==, 2);
}

/* Four charts on a slide keep the names of their axes and all of their legends, but no lower plots.
 */
static void test_slide(void)
{
    static const double x[] = {1, 2, 3}, y[] = {1e-5, 1e-4, 1e-2}, z[] = {1, 1, 1};
    const NsSeries upper[] = {
        {.label = "A", .kind = NS_SERIES_POINTS, .n = 3, .x = x, .y = y},
        {.label = "B", .kind = NS_SERIES_POINTS, .style = 1, .n = 3, .x = x, .y = z}};
    const NsSeries ratio = {.label = "B / A", .style = 1, .n = 3, .x = x, .y = y};
    NsSeries keys[] = {{.label = "step 0", .previous = true, .style = 2},
                       {.label = "after the final norm", .kind = NS_SERIES_SCATTER, .style = 1}};
    NsPlot lower = plot_of(&ratio, 1, NS_LEGEND_NONE), one = plot_of(upper, 2, NS_LEGEND_OUTSIDE);
    one.lettered = true;
    one.lower = &lower;
    one.keys = keys;
    one.n_keys = 2;
    one.left.label = "‖∇W_2‖";
    one.left.scale = lower.left.scale = NS_SCALE_LOG;
    one.x.label = lower.x.label = "layer";
    NsPlot other = one;
    other.n_keys = 0;
    const NsPlot *const plots[] = {&other, &one, &one, &other};
    const NsExport options = {
        .style = ns_style_find("slide"), .width = 960, .height = 540, .columns = 2};
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, 4, &options);
    for (size_t i = 0; i < 4; i++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        g_assert_cmpint(!label_of(layout, "after the final norm"), ==, plots[i] == &other);
        g_assert_null(layout->lower); /* the rows are low */
        g_assert_nonnull(ns_layout_label(layout, NS_PART_X_LABEL));
        const NsLabel *left = ns_layout_label(layout, NS_PART_LEFT_LABEL);
        g_assert_cmpstr(ns_text_words(left->text), ==, one.left.label);
    }
}

/* A subscript in the first line of a title moves the second line, but not onto the subtitle. */
static void test_two_title_lines(void)
{
    static const double x[] = {0, 1, 2}, y[] = {1, 2, 3};
    const NsSeries series = {.label = "norm", .n = 3, .x = x, .y = y};
    NsPlot plot = plot_of(&series, 1, NS_LEGEND_ABOVE);
    plot.subtitle = "Post-LN";
    double gap[2];
    for (int subscript = 0; subscript < 2; subscript++) {
        plot.title = subscript ? "Gradient norm of W_2 over the steps of the run"
                               : "Gradient norm of WW over the steps of the run";
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 300, 400, ns_style(0));
        const NsLabel *title = ns_layout_label(layout, NS_PART_TITLE);
        g_assert_cmpint(pango_layout_get_line_count(title->text), ==, 2);
        const NsLabel *subtitle = ns_layout_label(layout, NS_PART_SUBTITLE);
        gap[subscript] = subtitle->y - title->box.y - title->box.height;
    }
    g_assert_cmpfloat(gap[1], >=, gap[0] - 1);
}

/* The heading of a tooltip has the name of the axis without what explains it. */
static void test_heading(void)
{
    static const double x[] = {0, 1, 2}, y[] = {1, 2, 3};
    static const float z[] = {1, 2, 3, 4};
    const NsSeries series = {.label = "norm", .n = 3, .x = x, .y = y};
    const NsHeatmap map = {
        .z = z, .rows = 2, .columns = 2, .x0 = -0.5, .x1 = 1.5, .y0 = -0.5, .y1 = 1.5};
    NsPlot plot = plot_of(&series, 1, NS_LEGEND_ABOVE);
    for (int cells = 0; cells < 2; cells++) {
        plot.x = plot.left = axis("layer (0: embedding)", NULL, NS_SCALE_LINEAR, true);
        plot.heatmap = cells ? &map : NULL;
        plot.n_series = cells ? 0 : 1;
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 300, 200, ns_style_find("paper"));
        NsReading reading;
        g_assert_true(ns_plot_pick(layout, ns_plot_x_to_pixel(layout, 1),
                                   ns_plot_row_to_pixel(layout, 1), &reading));
        g_assert_true(g_str_has_prefix(reading.text, cells ? "layer 1\nlayer 1\n" : "layer 1\n"));
        ns_reading_clear(&reading);
    }
}

/* A vertical axis has at least three labels where there is space for them. */
static void test_three_labels(void)
{
    static const struct {
        NsScaleKind kind;
        double lo, hi;
    } axes[] = {{NS_SCALE_LINEAR, 2.17, 4.7}, {NS_SCALE_LINEAR, 0, 0.0019},
                {NS_SCALE_LINEAR, 1.1, 2.9},  {NS_SCALE_LOG, 1.2e-5, 1.4},
                {NS_SCALE_LOG, 0.09, 1.1},    {NS_SCALE_LOG, 0.16, 0.9},
                {NS_SCALE_LOG, 0.02, 5},      {NS_SCALE_SYMLOG, -3, 700}};
    static const double x[] = {0, 1};
    for (size_t i = 0; i < G_N_ELEMENTS(axes); i++) {
        const double y[] = {axes[i].lo, axes[i].hi};
        const NsSeries series = {.n = 2, .x = x, .y = y};
        NsPlot plot = plot_of(&series, 1, NS_LEGEND_NONE);
        plot.left.scale = axes[i].kind;
        for (double height = 60; height < 400; height += 5) {
            g_autoptr(NsPlotLayout) layout =
                ns_plot_layout(&plot, 300, height, ns_style_find("paper"));
            unsigned n = ns_ticks_labeled(layout->y_ticks);
            g_test_message("%g to %g, %g high: %u", y[0], y[1], layout->area.height, n);
            if (layout->area.height >= 6 * layout->style->text_size) g_assert_cmpuint(n, >=, 3);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/places/legend-inside", test_legend_inside);
    g_test_add_func("/places/legend-spares-levels", test_legend_spares_levels);
    g_test_add_func("/places/level-name", test_level_name);
    g_test_add_func("/places/level-outside", test_level_outside);
    g_test_add_func("/places/name-off-curve", test_name_off_curve);
    g_test_add_func("/places/rows-align", test_rows_align);
    g_test_add_func("/places/shared-legend", test_shared_legend);
    g_test_add_func("/places/legend-columns", test_legend_columns);
    g_test_add_func("/places/slide", test_slide);
    g_test_add_func("/places/two-title-lines", test_two_title_lines);
    g_test_add_func("/places/heading", test_heading);
    g_test_add_func("/places/values-agree", test_values_agree);
    g_test_add_func("/places/three-labels", test_three_labels);
    return g_test_run();
}
