/* Axes of live charts, and smoothing.  SPDX-License-Identifier: MIT */
#include "support.h"
#include "ui/figures/smooth.h"
#include "ui/plot/live_limits.h"

#include <glib.h>

/* Returns whether a limit moves. */
static bool follow(NsLimits *limits, const NsAxis *axis, double lo, double hi, double seconds)
{
    NsLimits before = *limits;
    ns_limits_follow(limits, axis, lo, hi, seconds);
    return limits->lo != before.lo || limits->hi != before.hi;
}

static void test_widen(void)
{
    NsAxis linear = axis("loss", NULL, NS_SCALE_LINEAR, false);
    NsLimits limits = {0};
    g_assert_false(follow(&limits, &linear, INFINITY, -INFINITY, 0));
    g_assert_true(follow(&limits, &linear, 1, 2, 0));
    g_assert_true(limits.lo < 1 && limits.hi > 2);
    /* Data inside the limits change nothing; data outside are shown at once, with padding. */
    NsLimits before = limits;
    g_assert_false(follow(&limits, &linear, 1.1, 2, 0.02));
    g_assert_cmpfloat(limits.lo, ==, before.lo);
    g_assert_true(follow(&limits, &linear, 1, 5, 0));
    g_assert_cmpfloat(limits.lo, ==, before.lo);
    g_assert_cmpfloat(limits.hi, >, 5.1);
    before = limits;
    g_assert_false(follow(&limits, &linear, 1, 5.1, 0.02));
    g_assert_cmpfloat(limits.hi, ==, before.hi);
}

static void test_shrink(void)
{
    NsAxis axes[] = {axis(NULL, NULL, NS_SCALE_LINEAR, false),
                     axis(NULL, NULL, NS_SCALE_LOG, false)};
    for (size_t i = 0; i < G_N_ELEMENTS(axes); i++) {
        NsLimits limits = {0};
        double spike = i ? 1e6 : 100;
        ns_limits_follow(&limits, &axes[i], 1, spike, 0);
        /* After the spike, no frame shrinks the axis by more than a few percent, and none
         * overshoots. */
        double hi = limits.hi, shown = i ? log10(limits.hi) : limits.hi;
        for (int frame = 0; frame < 600; frame++) {
            ns_limits_follow(&limits, &axes[i], 1, 2, 1 / 60.0);
            double now = i ? log10(limits.hi) : limits.hi;
            g_assert_cmpfloat(limits.hi, <=, hi);
            g_assert_cmpfloat(shown - now, <=, 0.04 * (shown + 1));
            g_assert_cmpfloat(limits.hi, >, 2);
            hi = limits.hi;
            shown = now;
        }
        g_assert_cmpfloat(limits.hi, <, 3);
        /* The axis has stopped shrinking. */
        g_assert_false(follow(&limits, &axes[i], 1, 2, 1));
    }
    /* A small empty part of the axis remains. */
    NsLimits limits = {0};
    ns_limits_follow(&limits, &axes[0], 0, 100, 0);
    g_assert_false(follow(&limits, &axes[0], 0, 85, 100));
}

/* Every value is always on the axis. */
static void test_always_inside(void)
{
    NsAxis axes[] = {axis(NULL, NULL, NS_SCALE_LINEAR, false),
                     axis(NULL, NULL, NS_SCALE_LOG, false),
                     axis(NULL, NULL, NS_SCALE_SYMLOG, false)};
    for (int i = 0; i < 3000; i++) {
        NsAxis *a = &axes[i % 3];
        NsLimits limits = {0};
        for (int k = 0; k < 10; k++) {
            double size = pow(10, g_test_rand_double_range(-6, 6));
            double lo = g_test_rand_double_range(a->scale == NS_SCALE_LOG ? 1e-9 : -1, 1) * size;
            double hi = lo + g_test_rand_double_range(0, 1) * size;
            ns_limits_follow(&limits, a, lo, hi, g_test_rand_double_range(0, 2));
            g_assert_true(limits.lo <= lo && limits.hi >= hi && limits.lo < limits.hi);
        }
    }
}

static void test_ahead(void)
{
    double end = 0;
    int changes = 0;
    for (int last = 0; last <= 100000; last++) {
        double ahead = ns_limits_ahead(0, last);
        g_assert_true(ahead > last && (last < 4 || ahead <= 1.34 * last + 1));
        changes += ahead > end;
        g_assert_cmpfloat(ahead, >=, end);
        end = ahead;
    }
    g_assert_cmpint(changes, <=, 60);
    g_assert_cmpfloat(ns_limits_ahead(1000, 1090), ==, 1100);
}

static void test_average(void)
{
    NsSmoother smoother;
    ns_smoother_init(&smoother, (NsSmoothing){NS_SMOOTH_EMA, 0.9});
    /* The average of a constant is the constant from the first value on, without a bias towards
     * zero. */
    for (int i = 0; i < 50; i++)
        g_assert_cmpfloat_with_epsilon(ns_smoother_next(&smoother, 3.5), 3.5, 1e-12);
    g_assert_true(isnan(ns_smoother_next(&smoother, INFINITY)));
    g_assert_cmpfloat_with_epsilon(ns_smoother_next(&smoother, 3.5), 3.5, 1e-12);
    ns_smoother_clear(&smoother);
    /* Two values have the weights w(1-w) and 1-w, divided by their sum. */
    ns_smoother_init(&smoother, (NsSmoothing){NS_SMOOTH_EMA, 0.5});
    ns_smoother_next(&smoother, 1);
    g_assert_cmpfloat_with_epsilon(ns_smoother_next(&smoother, 4), 3, 1e-12);
    ns_smoother_clear(&smoother);
}

static void test_mean(void)
{
    enum { N = 500 };
    double y[N];
    for (int i = 0; i < N; i++) y[i] = g_test_rand_double_range(-1, 1);
    y[40] = NAN;
    y[41] = -INFINITY;
    y[100] = 1e300;
    for (int window = 1; window <= 60; window += 7) {
        NsSmoother smoother;
        ns_smoother_init(&smoother, (NsSmoothing){NS_SMOOTH_MEAN, window});
        for (int i = 0; i < N; i++) {
            double found = ns_smoother_next(&smoother, y[i]), sum = 0;
            int n = 0;
            for (int k = MAX(0, i - window + 1); k <= i; k++)
                if (isfinite(y[k])) {
                    sum += y[k];
                    n++;
                }
            if (isfinite(y[i]))
                g_assert_cmpfloat_with_epsilon(found, sum / n, 1e-12 * (1 + fabs(sum)));
            else
                g_assert_true(isnan(found));
        }
        ns_smoother_clear(&smoother);
    }
    g_autofree char *ema = ns_smoothing_words((NsSmoothing){NS_SMOOTH_EMA, 0.9});
    g_autofree char *mean = ns_smoothing_words((NsSmoothing){NS_SMOOTH_MEAN, 20});
    g_assert_cmpstr(ema, ==, "EMA 0.9");
    g_assert_cmpstr(mean, ==, "mean of 20");
    g_assert_null(ns_smoothing_words((NsSmoothing){0}));
}

/* A restarted run has new axes; a run that continues keeps the space of its axes. */
static void test_anew(void)
{
    static const double x[] = {0, 1, 2}, high[] = {100, 80, 90}, low[] = {1, 0.8, 0.9};
    NsLiveAxes axes = {0};
    double ends[3];
    for (uint64_t i = 0; i < 3; i++) {
        NsSeries series = {.label = "loss", .grows = true, .n = 3, .x = x, .y = i ? low : high};
        NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                       .left = axis("loss", NULL, NS_SCALE_LINEAR, false),
                       .series = &series,
                       .n_series = 1,
                       .origin = i == 2};
        ns_live_axes_set(&axes, &plot, 0.02);
        ends[i] = plot.left.hi;
        g_assert_cmpfloat(plot.x.hi, >, 2);
    }
    g_assert_cmpfloat(ends[0], >=, 100);
    g_assert_cmpfloat(ends[1], >=, 80);
    g_assert_cmpfloat(ends[2], <, 2);
}

/* Values beyond a fixed end do not widen the other one. */
static void test_fixed(void)
{
    static const double x[] = {0, 1, 2}, y[] = {100, 3, 2};
    NsSeries series = {.label = "loss", .grows = true, .n = 3, .x = x, .y = y};
    NsLiveAxes axes = {0};
    NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("loss", NULL, NS_SCALE_LINEAR, false),
                   .series = &series,
                   .n_series = 1};
    plot.left.hi = 4;
    ns_live_axes_set(&axes, &plot, 0.02);
    g_assert_cmpfloat(plot.left.hi, ==, 4);
    g_assert_cmpfloat(plot.left.lo, >, 1.5);
}

/* The steps of a run with a known end do not extend beyond it. */
static void test_end(void)
{
    static const double x[] = {0, 250, 300}, y[] = {3, 2, 1};
    NsSeries series = {.label = "loss", .grows = true, .n = 3, .x = x, .y = y};
    for (size_t n = 1; n <= 3; n++) {
        NsLiveAxes axes = {0};
        NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                       .left = axis("loss", NULL, NS_SCALE_LINEAR, false),
                       .series = &series,
                       .n_series = 1,
                       .end = 300};
        series.n = n;
        ns_live_axes_set(&axes, &plot, 0.02);
        g_assert_cmpfloat(plot.x.hi, ==, 300);
        plot.x.hi = NAN;
        plot.end = n > 1 ? 200 : 500; /* the run was continued, or its beginning would be a dot */
        ns_live_axes_set(&axes, &plot, 0.02);
        g_assert_cmpfloat(plot.x.hi, ==, n > 2 ? 400 : n > 1 ? 300 : 50);
    }
}

/* The axis of a run that has just begun extends to where it will be, and shrinks to its data later
 * on. */
static void test_expected(void)
{
    static const double x[] = {0, 1}, y[] = {4.6, 4.5};
    NsSeries series = {.label = "loss", .grows = true, .n = 2, .x = x, .y = y};
    NsLiveAxes axes = {0};
    for (int i = 0; i < 500; i++) {
        NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                       .left = axis("loss", NULL, NS_SCALE_LINEAR, false),
                       .series = &series,
                       .n_series = 1,
                       .expected = i < 100 ? 2 : 0};
        ns_live_axes_set(&axes, &plot, 0.02);
        if (i < 100) g_assert_cmpfloat(plot.left.lo, <=, 2);
        if (i == 100) g_assert_cmpfloat(plot.left.lo, <, 2.5);
        if (i == 499) g_assert_cmpfloat(plot.left.lo, >, 4.3);
        g_assert_cmpfloat(plot.left.hi, <, 5);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/limits/widen", test_widen);
    g_test_add_func("/limits/shrink", test_shrink);
    g_test_add_func("/limits/always-inside", test_always_inside);
    g_test_add_func("/limits/ahead", test_ahead);
    g_test_add_func("/limits/anew", test_anew);
    g_test_add_func("/limits/fixed", test_fixed);
    g_test_add_func("/limits/end", test_end);
    g_test_add_func("/limits/expected", test_expected);
    g_test_add_func("/smooth/average", test_average);
    g_test_add_func("/smooth/mean", test_mean);
    return g_test_run();
}
