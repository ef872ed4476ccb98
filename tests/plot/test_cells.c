/* Cells of a heatmap: summary, levels, pixels.  SPDX-License-Identifier: MIT */
#include "ui/plot/colormap.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#define MOST 200

static float any_cell(GRand *random)
{
    switch (g_rand_int_range(random, 0, 12)) {
    case 0:
        return NAN;
    case 1:
        return INFINITY;
    case 2:
        return -INFINITY;
    case 3:
        return 0;
    case 4:
        return -(float)g_rand_double(random);
    case 5:
        return FLT_MIN * (float)g_rand_double(random); /* subnormal */
    case 6:
        return FLT_MAX * (float)g_rand_double(random);
    default:
        return (float)exp(g_rand_double_range(random, -20, 5));
    }
}

static void test_summary(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    for (int trial = 0; trial < 2000; trial++) {
        float z[MOST], lo = INFINITY, hi = -INFINITY;
        size_t n = (size_t)g_rand_int_range(random, 0, MOST), bad = 0, unshown = 0;
        bool log = g_rand_boolean(random);
        NsCellSummary summary = {.lo = INFINITY, .hi = -INFINITY};
        for (size_t i = 0; i < n; i++) {
            float v = z[i] = any_cell(random);
            if (v < 0 && isinf(v)) continue;
            if (!isfinite(v)) bad++;
            if (!isfinite(v)) continue;
            if (log && v <= 0) unshown++;
            if (log && v <= 0) continue;
            lo = fminf(lo, v);
            hi = fmaxf(hi, v);
        }
        /* The same in two calls. */
        size_t first = n ? (size_t)g_rand_int_range(random, 0, (gint32)n) : 0;
        ns_cells_summarize(&summary, z, first, log);
        ns_cells_summarize(&summary, z + first, n - first, log);
        g_assert_true(summary.lo == lo && summary.hi == hi);
        g_assert_cmpuint(summary.bad, ==, bad);
        g_assert_cmpuint(summary.unshown, ==, unshown);
    }
}

static void test_levels(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(2);
    for (int trial = 0; trial < 2000; trial++) {
        float z[MOST];
        uint8_t level[MOST];
        bool log = g_rand_boolean(random);
        double from = log ? g_rand_double_range(random, -9, 0) : g_rand_double_range(random, -1, 1);
        double scale = g_rand_double_range(random, 5, 500);
        size_t n = (size_t)g_rand_int_range(random, 0, MOST);
        for (size_t i = 0; i < n; i++) z[i] = any_cell(random);
        ns_cells_levels(level, z, n, log, from, scale);
        for (size_t i = 0; i < n; i++) {
            double v = (double)z[i], t = ((log ? log10(v) : v) - from) * scale + NS_LEVEL_LOW;
            if (isnan(v) || (isinf(v) && v > 0)) {
                g_assert_cmpuint(level[i], ==, NS_LEVEL_BAD);
            } else if (isinf(v)) {
                g_assert_cmpuint(level[i], ==, NS_LEVEL_BLANK);
            } else if (log && v <= 0) {
                g_assert_cmpuint(level[i], ==, NS_LEVEL_NONE);
            } else {
                double held = CLAMP(t, NS_LEVEL_LOW, NS_LEVEL_HIGH);
                g_assert_cmpfloat(fabs(level[i] - held), <=, 0.5 + 1e-5 * scale);
                g_assert_cmpuint(level[i], >=, NS_LEVEL_LOW);
                g_assert_cmpuint(level[i], <=, NS_LEVEL_HIGH);
            }
        }
    }
}

static void test_paint(void)
{
    static const uint8_t level[] = {3, 9, 20, 255, 7, 8, 0, 1};
    static const size_t first[] = {0, 1, 3, 4, 7, 8};
    uint32_t palette[256], pixels[5];
    for (uint32_t i = 0; i < 256; i++) palette[i] = 1000 + i;
    ns_cells_paint(pixels, 5, level, first, palette);
    static const uint32_t largest[] = {1003, 1020, 1255, 1008, 1001};
    g_assert_cmpint(memcmp(pixels, largest, sizeof pixels), ==, 0);
    /* Pixels that are smaller than cells. */
    static const size_t fine[] = {0, 0, 1, 1, 2, 3};
    ns_cells_paint(pixels, 5, level, fine, palette);
    static const uint32_t repeated[] = {1003, 1003, 1009, 1009, 1020};
    g_assert_cmpint(memcmp(pixels, repeated, sizeof pixels), ==, 0);
    uint8_t joined[] = {4, 4, 4, 4, 4, 4, 4, 4};
    ns_cells_join(joined, level, sizeof joined);
    static const uint8_t greater[] = {4, 9, 20, 255, 7, 8, 4, 4};
    g_assert_cmpint(memcmp(joined, greater, sizeof joined), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plot/cells/summary", test_summary);
    g_test_add_func("/plot/cells/levels", test_levels);
    g_test_add_func("/plot/cells/paint", test_paint);
    return g_test_run();
}
