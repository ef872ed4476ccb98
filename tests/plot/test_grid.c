/* Small multiples stand in line.  SPDX-License-Identifier: MIT */
#include "random.h"
#include "support.h"
#include "ui/plot/grid.h"
#include "ui/plot/labels.h"
#include "ui/plot/layout-private.h"

#include <glib.h>

#define MOST 7

static void check_near(double a, double b)
{
    g_assert_cmpfloat_with_epsilon(a, b, 1.5); /* areas begin on whole pixels */
}

/* Areas of a column have the same left and right, those of a row the same top and bottom. */
static void check_lines(const NsGridLayout *layout, const NsPlotGrid *grid, double width,
                        double height)
{
    for (size_t i = 0; i < grid->n; i++) {
        NsBox place, above, before;
        NsBox area = ns_plot_area(ns_grid_cell(layout, i, &place));
        g_assert_true(place.x >= 0 && place.y >= 0);
        g_assert_cmpfloat(place.x + place.width, <=, width + 1e-6);
        g_assert_cmpfloat(place.y + place.height, <=, height + 1e-6);
        g_assert_true(area.x >= 0 && area.x + area.width <= place.width);
        if (i >= grid->columns) {
            NsBox other = ns_plot_area(ns_grid_cell(layout, i - grid->columns, &above));
            check_near(place.x + area.x, above.x + other.x);
            check_near(area.width, other.width);
            g_assert_cmpfloat(above.y + above.height, <=, place.y + 1e-6);
        }
        if (i % grid->columns) {
            NsBox other = ns_plot_area(ns_grid_cell(layout, i - 1, &before));
            check_near(place.y + area.y, before.y + other.y);
            check_near(area.height, other.height);
        }
    }
}

static void test_lines(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    RandomPlot *random = g_new0(RandomPlot, MOST);
    for (int round = 0; round < 60; round++) {
        const NsPlot *plots[MOST];
        for (int i = 0; i < MOST; i++) {
            random_plot(&random[i], rand);
            /* Square cells and lower plots are areas of their own shape. */
            random[i].map.square = false;
            random[i].plot.lower = NULL;
            plots[i] = &random[i].plot;
        }
        NsPlotGrid grid = {.title = round % 2 ? "All of them" : NULL,
                           .plots = plots,
                           .n = (size_t)g_rand_int_range(rand, 0, MOST + 1),
                           .columns = (size_t)g_rand_int_range(rand, 1, 4),
                           .share_x = round % 3 == 0,
                           .share_y = round % 5 == 0,
                           .share_colors = round % 7 == 0,
                           .one_legend = round % 2};
        grid.columns = MIN(grid.columns, MAX(grid.n, 1));
        const NsStyle *style = ns_style((size_t)round % 6);
        g_autoptr(NsGridLayout) layout = ns_grid_layout(&grid, 1100, 1200, style);
        check_lines(layout, &grid, 1100, 1200);
        cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 110, 120);
        cairo_t *cr = cairo_create(image);
        cairo_scale(cr, 0.1, 0.1);
        ns_grid_draw(layout, cr);
        g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
        cairo_destroy(cr);
        cairo_surface_destroy(image);
    }
    g_free(random);
}

static void test_shared(void)
{
    NsPlot one = *sample(PROFILE), two = *sample(PROFILE);
    double y[6] = {10, 20, 30, 40, 50, 1000}, x[6] = {1, 2, 3, 4, 5, 6};
    NsSeries other = {.label = "step 0", .kind = NS_SERIES_POINTS, .n = 6, .x = x, .y = y};
    two.series = &other;
    two.n_series = 1;
    const NsPlot *plots[] = {&one, &two};
    const NsPlotGrid grid = {
        .plots = plots, .n = 2, .columns = 2, .share_x = true, .share_y = true, .one_legend = true};
    g_autoptr(NsGridLayout) layout = ns_grid_layout(&grid, 800, 300, ns_style(0));
    NsBox place;
    const NsPlotLayout *first = ns_grid_cell(layout, 0, &place);
    const NsPlotLayout *second = ns_grid_cell(layout, 1, &place);
    for (double value = 1e-3; value < 100; value *= 10)
        g_assert_cmpfloat_with_epsilon(ns_plot_y_to_pixel(first, NS_AXIS_LEFT, value),
                                       ns_plot_y_to_pixel(second, NS_AXIS_LEFT, value), 0.5);
    /* Only the leftmost tells the range, and no plot has a legend of its own. */
    for (unsigned i = 0; i < second->labels->len; i++) {
        NsPart part = g_array_index(second->labels, NsLabel, i).part;
        g_assert_true(part != NS_PART_LEFT_TICK && part != NS_PART_LEFT_LABEL);
    }
    g_assert_cmpuint(first->legend->len + second->legend->len, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/grid/lines", test_lines);
    g_test_add_func("/grid/shared", test_shared);
    return g_test_run();
}
