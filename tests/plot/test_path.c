/* Reduction of series to points on the page.  SPDX-License-Identifier: MIT */
#include "ui/plot/path.h"

#include <math.h>

#define MOST 1000
#define COLUMN 0.875

static double any_value(GRand *random)
{
    int pick = g_rand_int_range(random, 0, 60);
    if (pick == 0) return (double)NAN;
    if (pick == 1) return (double)INFINITY;
    if (pick == 2) return -(double)INFINITY;
    if (pick == 3) return 0;
    if (pick == 4) return -g_rand_double_range(random, 0, 5);
    return exp(g_rand_double_range(random, -9, 3));
}

typedef struct {
    double x[MOST], y[MOST], lo[MOST], hi[MOST];
    NsSeries series;
    NsScale sx, sy;
} Case;

static void fill_points(Case *c, GRand *random)
{
    for (size_t i = 0; i < MOST; i++) {
        double before = i ? c->x[i - 1] : 0;
        c->x[i] = before + (g_rand_boolean(random) ? 1 : g_rand_double_range(random, 0, 5));
        c->y[i] = any_value(random);
        c->lo[i] = any_value(random);
        c->hi[i] = any_value(random);
    }
}

static Case *case_new(GRand *random)
{
    Case *c = g_new0(Case, 1);
    fill_points(c, random);
    c->series = (NsSeries){.n = MOST, .x = c->x, .y = c->y};
    if (g_rand_boolean(random)) {
        c->series.lo = c->lo;
        c->series.hi = c->hi;
    }
    double end = c->x[MOST - 1], a = 0, b = end;
    if (g_rand_boolean(random)) {
        a = g_rand_double_range(random, -0.2, 0.7) * end;
        b = a + g_rand_double_range(random, 0.05, 0.6) * end;
    }
    NsAxis x = {.lo = a, .hi = b};
    NsAxis y = {
        .scale = g_rand_boolean(random) ? NS_SCALE_LOG : NS_SCALE_LINEAR, .lo = NAN, .hi = NAN};
    ns_scale_fit(&c->sx, &x, a, b, 0);
    ns_scale_fit(&c->sy, &y, 1e-3, 25, 0.04);
    c->sx.p0 = 50;
    c->sx.p1 = 50 + g_rand_double_range(random, 20, 900);
    c->sy.p0 = 380;
    c->sy.p1 = 20;
    return c;
}

/* The lowest and highest value of every column are points of the path. */
static void test_extremes(void)
{
    for (guint32 seed = 0; seed < 50; seed++) {
        g_autoptr(GRand) random = g_rand_new_with_seed(seed);
        Case *c = case_new(random);
        NsPath path = {0};
        ns_path_build(&path, &c->series, &c->sx, &c->sy, COLUMN);
        enum { COLUMNS = 1200 };
        double low[COLUMNS], high[COLUMNS];
        for (int k = 0; k < COLUMNS; k++) {
            low[k] = INFINITY;
            high[k] = -INFINITY;
        }
        for (unsigned i = 0; i < path.points->len; i++) {
            const NsPoint *point = &g_array_index(path.points, NsPoint, i);
            double k = floor(point->x / COLUMN);
            if (k < 0 || k >= COLUMNS) continue;
            low[(int)k] = MIN(low[(int)k], point->y);
            high[(int)k] = MAX(high[(int)k], point->y);
        }
        for (size_t i = 0; i < MOST; i++) {
            double px = ns_scale_to_pixel(&c->sx, c->x[i]), py = ns_scale_to_pixel(&c->sy, c->y[i]);
            if (!(c->x[i] >= c->sx.lo && c->x[i] <= c->sx.hi) || isnan(py)) continue;
            g_assert_cmpfloat(py, >=, low[(int)(px / COLUMN)]);
            g_assert_cmpfloat(py, <=, high[(int)(px / COLUMN)]);
        }
        ns_path_clear(&path);
        g_free(c);
    }
}

/* A curve that leaves the area is not noise, even if it continues far beyond; a curve that fills it
 * is. */
static void test_noise(void)
{
    double x[40], far[40], full[40];
    for (int i = 0; i < 40; i++) {
        x[i] = i;
        far[i] = i < 2 ? 1 : pow(10, 3 + i % 7);
        full[i] = i % 2 ? 10 : 0;
    }
    NsScale sx, sy;
    ns_scale_fit(&sx, &(NsAxis){.lo = 0, .hi = 40}, 0, 40, 0);
    ns_scale_fit(&sy, &(NsAxis){.lo = 0, .hi = 10}, 0, 10, 0);
    sx.p0 = 0;
    sx.p1 = 400;
    sy.p0 = 100;
    sy.p1 = 0;
    NsSeries series = {.n = 40, .x = x, .y = far};
    for (int filled = 0; filled < 2; filled++) {
        NsPath path = {0};
        if (filled) series.y = full;
        ns_path_build(&path, &series, &sx, &sy, COLUMN);
        g_assert_cmpint(ns_path_is_noise(&path, 100), ==, filled);
        ns_path_clear(&path);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plot/path/extremes", test_extremes);
    g_test_add_func("/plot/path/noise", test_noise);
    return g_test_run();
}
