/* One chart for several seeds.  SPDX-License-Identifier: MIT */
#include "ui/figures/mean.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define POINTS 3

static const double steps[] = {0, 1, 2};

static NsPlot plot_of(const NsSeries *series, size_t n)
{
    return (NsPlot){.title = "loss",
                    .subtitle = "Post-LN, step 2",
                    .moment = "step 2",
                    .series = series,
                    .n_series = n};
}

static NsSeries curve(const double *y, size_t n, const char *label)
{
    return (NsSeries){.label = label, .n = n, .x = steps, .y = y};
}

static NsMeanPlot *mean_of(const NsPlot *a, const NsPlot *b, const NsPlot *c, const char *diverged)
{
    const NsPlot *plots[] = {a, b, c};
    return ns_mean_plot_new(plots, c ? 3 : 2, 3, diverged);
}

static void test_deviation(void)
{
    static const double y[][POINTS] = {{1, 2, 3}, {2, 2, 5}, {3, 2, 10}};
    NsSeries series[3];
    NsPlot plots[3];
    for (size_t i = 0; i < 3; i++) {
        series[i] = curve(y[i], POINTS, "training");
        plots[i] = plot_of(&series[i], 1);
    }
    NsMeanPlot *mean = mean_of(&plots[0], &plots[1], &plots[2], NULL);
    const NsPlot *plot = &mean->plot;
    const NsSeries *one = plot->series;
    static const double expected[] = {2, 2, 6}, deviation[] = {1, 0, 3.605551275463989};
    g_assert_cmpuint(plot->n_series, ==, 1);
    g_assert_cmpuint(one->n, ==, POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        g_assert_cmpfloat(one->x[i], ==, steps[i]);
        g_assert_cmpfloat_with_epsilon(one->y[i], expected[i], 1e-12);
        g_assert_cmpfloat_with_epsilon(one->lo[i], expected[i] - deviation[i], 1e-12);
        g_assert_cmpfloat_with_epsilon(one->hi[i], expected[i] + deviation[i], 1e-12);
    }
    g_assert_cmpstr(plot->moment, ==, "step 2");
    g_assert_cmpstr(plot->averaged, ==, "mean and s.d. of 3 seeds");
    /* The legend explains the bands once. */
    g_assert_cmpstr(plot->keys[0].label, ==, "mean ± s.d. of 3 seeds");
    g_assert_null(plot->note);
    /* So does the description, and the subtitle where there is no legend. */
    g_autofree char *words = ns_plot_describe(plot);
    g_assert_nonnull(strstr(words, plot->averaged));
    NsPlot shown = *plot;
    shown.title = "Loss";
    for (int legend = 0; legend < 2; legend++) {
        shown.legend = legend ? NS_LEGEND_ABOVE : NS_LEGEND_NONE;
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&shown, 500, 400, ns_style(0));
        const char *subtitle = ns_text_words(ns_layout_label(layout, NS_PART_SUBTITLE)->text);
        g_assert_cmpstr(subtitle, ==,
                        legend ? "Post-LN, step 2" : "Post-LN, step 2, mean and s.d. of 3 seeds");
        g_assert_cmpint(layout->legend->len > 0, ==, legend);
    }
    ns_mean_plot_free(mean);
}

/* Computed or planned curves are equal for all seeds. */
static void test_equal_curves_have_no_band(void)
{
    static const double rate[] = {0.1, 0.1, 0.1};
    const NsSeries series = curve(rate, POINTS, "learning rate");
    NsPlot plot = plot_of(&series, 1);
    plot.note = "Markers: validation loss.";
    NsMeanPlot *mean = mean_of(&plot, &plot, &plot, NULL);
    const NsSeries *one = mean->plot.series;
    for (size_t i = 0; i < POINTS; i++) g_assert_cmpfloat(one->y[i], ==, rate[i]);
    g_assert_null(one->lo);
    g_assert_null(one->hi);
    g_assert_cmpstr(mean->plot.note, ==, "Markers: validation loss.");
    ns_mean_plot_free(mean);
}

static void test_theory_has_no_band(void)
{
    static const double low[] = {1, 1, 1}, high[] = {3, 3, 3};
    NsSeries a = curve(low, POINTS, "theory"), b = curve(high, POINTS, "theory");
    a.theory = b.theory = true;
    const NsPlot first = plot_of(&a, 1), second = plot_of(&b, 1);
    NsMeanPlot *mean = mean_of(&first, &second, NULL, NULL);
    g_assert_cmpfloat(mean->plot.series->y[0], ==, 2);
    g_assert_null(mean->plot.series->lo);
    g_assert_cmpuint(mean->plot.n_keys, ==, 0);
    ns_mean_plot_free(mean);
}

static void test_marks_have_no_band(void)
{
    static const double low[] = {1, 1, 1}, high[] = {3, 3, 3};
    NsSeries a = curve(low, POINTS, "validation"), b = curve(high, POINTS, "validation");
    a.kind = b.kind = NS_SERIES_SCATTER;
    const NsPlot first = plot_of(&a, 1), second = plot_of(&b, 1);
    NsMeanPlot *mean = mean_of(&first, &second, NULL, NULL);
    const NsSeries *one = mean->plot.series;
    g_assert_cmpfloat(one->y[1], ==, 2);
    g_assert_null(one->lo);
    g_assert_null(one->hi);
    ns_mean_plot_free(mean);
}

/* A seed that is a step behind ends the mean.  A curve that only one seed has is its own mean.
 * Seeds without a plot are named. */
static void test_shorter(void)
{
    static const double shorter[] = {2, INFINITY}, longer[] = {4, 6, 8}, other[] = {1, 1, 1};
    const NsSeries a[] = {curve(longer, POINTS, "A"), curve(other, POINTS, "B")};
    const NsSeries b[] = {curve(shorter, 2, "A")};
    const NsMarker marker = {.x = 1, .text = "warm-up 100"};
    NsPlot first = plot_of(a, 2), second = plot_of(b, 1);
    first.markers = &marker;
    first.n_markers = 1;
    NsMeanPlot *mean = mean_of(&first, &second, NULL, "1 of 3 seeds diverged");
    const NsPlot *plot = &mean->plot;
    g_assert_cmpuint(plot->series[0].n, ==, 2);
    g_assert_cmpfloat(plot->series[0].y[0], ==, 3);
    g_assert_true(isinf(plot->series[0].y[1]) && plot->series[0].y[1] > 0);
    g_assert_cmpuint(plot->series[1].n, ==, POINTS);
    g_assert_cmpuint(plot->n_markers, ==, 1);
    g_assert_true(g_str_has_suffix(plot->subtitle, "step 2 (1 of 3 seeds diverged)"));
    g_assert_true(g_str_has_suffix(plot->moment, "step 2 (1 of 3 seeds diverged)"));
    g_assert_nonnull(strstr(plot->note, "1 of 3 seeds diverged; the mean is over the others."));
    ns_mean_plot_free(mean);
}

/* A state that only some seeds have takes no seed out of the mean. */
static void test_states(void)
{
    static const double y[][POINTS] = {{1, 1, 1}, {2, 2, 2}, {6, 6, 6}};
    static const struct {
        const char *states[3], *words;
    } cases[] = {
        {{NULL, NULL, NULL}, NULL},
        {{NULL, "stuck", NULL}, "1 of 3 seeds stuck"},
        {{"stuck", "stuck", "stuck"}, "stuck"},
    };
    for (size_t c = 0; c < G_N_ELEMENTS(cases); c++) {
        NsSeries series[3];
        NsPlot plots[3];
        for (size_t i = 0; i < 3; i++) {
            series[i] = curve(y[i], POINTS, "training");
            series[i].state = cases[c].states[i];
            plots[i] = plot_of(&series[i], 1);
        }
        NsMeanPlot *mean = mean_of(&plots[0], &plots[1], &plots[2], NULL);
        g_assert_cmpfloat(mean->plot.series->y[1], ==, 3);
        g_assert_cmpstr(mean->plot.series->state, ==, cases[c].words);
        ns_mean_plot_free(mean);
    }
}

/* Curves A and B of each seed, and their ratio below. */
typedef struct {
    double ratios[3][POINTS];
    NsSeries series[3][2], quotient[3];
    NsPlot plots[3], lower[3];
} Pairs;

static void pair_up(Pairs *pairs, const double a[][POINTS], const double b[][POINTS], size_t n,
                    NsScaleKind scale)
{
    for (size_t i = 0; i < n; i++) {
        NsSeries *series = pairs->series[i], *quotient = &pairs->quotient[i];
        for (size_t k = 0; k < POINTS; k++) pairs->ratios[i][k] = b[i][k] / a[i][k];
        series[0] = curve(a[i], POINTS, "A");
        series[1] = curve(b[i], POINTS, "B");
        *quotient = curve(pairs->ratios[i], POINTS, "B / A");
        series[0].kind = series[1].kind = quotient->kind = NS_SERIES_POINTS;
        series[1].style = quotient->style = 1;
        pairs->plots[i] = plot_of(series, 2);
        pairs->lower[i] = plot_of(quotient, 1);
        pairs->lower[i].denominator = 1;
        pairs->plots[i].lower = &pairs->lower[i];
        pairs->plots[i].left.scale = pairs->lower[i].left.scale = scale;
    }
}

/* One seed with a small denominator does not decide the ratio below two curves. */
static void test_ratio_of_means(void)
{
    static const double a[][POINTS] = {{1, 1, 1}, {1e-6, 1, 3}},
                        b[][POINTS] = {{2, 4, 6}, {4, 4, 6}};
    Pairs pairs;
    pair_up(&pairs, a, b, 2, NS_SCALE_LINEAR);
    const NsSeries key = {.label = "step 0"};
    for (size_t i = 0; i < 2; i++) {
        pairs.plots[i].keys = &key;
        pairs.plots[i].n_keys = 1;
    }
    NsMeanPlot *mean = mean_of(&pairs.plots[0], &pairs.plots[1], NULL, NULL);
    const NsSeries *ratio = mean->plot.lower->series;
    for (size_t i = 0; i < POINTS; i++)
        g_assert_cmpfloat_with_epsilon(
            ratio->y[i], mean->plot.series[1].y[i] / mean->plot.series[0].y[i], 1e-12);
    g_assert_null(ratio->lo);
    g_assert_nonnull(strstr(mean->plot.note, "The ratio is that of the means."));
    /* The entries of the chart itself remain beside that of the bands. */
    g_assert_cmpuint(mean->plot.n_keys, ==, 2);
    g_assert_cmpstr(mean->plot.keys[1].label, ==, "step 0");
    ns_mean_plot_free(mean);
}

/* On a logarithmic axis one large value does not decide mean and band, nor the ratio, which has a
 * band then. */
static void test_geometric(void)
{
    static const double a[][POINTS] = {{1e-4, 0.1, 0}, {1e-4, 0.1, 1}, {1e2, 0.1, 1}};
    static const double b[][POINTS] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    Pairs pairs;
    pair_up(&pairs, a, b, 3, NS_SCALE_LOG);
    NsMeanPlot *mean = mean_of(&pairs.plots[0], &pairs.plots[1], &pairs.plots[2], NULL);
    const NsSeries *one = mean->plot.series, *ratio = mean->plot.lower->series;
    double factor = pow(10, sqrt(12)); /* the logarithms are -4, -4 and 2 */
    g_assert_cmpfloat_with_epsilon(one->y[0], 1e-2, 1e-12);
    g_assert_cmpfloat_with_epsilon(one->lo[0], 1e-2 / factor, 1e-12);
    g_assert_cmpfloat_with_epsilon(one->hi[0], 1e-2 * factor, 1e-8);
    g_assert_true(one->deviates && one->geometric);
    g_assert_cmpfloat(one->y[1], ==, 0.1); /* equal values have exactly that value */
    g_assert_cmpfloat(one->y[2], ==, 0);   /* and is not drawn */
    g_assert_cmpfloat_with_epsilon(ratio->y[0], 1e2, 1e-8);
    g_assert_cmpfloat_with_epsilon(ratio->hi[0], 1e2 * factor, 1e-4);
    g_assert_cmpstr(mean->plot.averaged, ==, "geometric mean and s.d. of 3 seeds");
    g_assert_cmpstr(mean->plot.keys[0].label, ==, "geometric mean ×/÷ s.d. of 3 seeds");
    ns_mean_plot_free(mean);
}

/* A negative value has no logarithm: its mean is that of a linear axis, and says so. */
static void test_negative(void)
{
    static const double a[][POINTS] = {{-1, 1, 1}, {3, 1, 1}}, b[][POINTS] = {{1, 1, 1}, {1, 1, 1}};
    Pairs pairs;
    pair_up(&pairs, a, b, 2, NS_SCALE_LOG);
    NsMeanPlot *mean = mean_of(&pairs.plots[0], &pairs.plots[1], NULL, NULL);
    g_assert_cmpfloat(mean->plot.series->y[0], ==, 1);
    g_assert_cmpfloat(mean->plot.lower->series->y[0], ==, 1);
    g_assert_false(mean->plot.series->geometric);
    g_assert_true(g_str_has_prefix(mean->plot.averaged, "mean "));
    ns_mean_plot_free(mean);
}

/* A logarithmic axis has no place for values below 0, which a norm cannot have either. */
static void test_band_of_norms_stays_above_zero(void)
{
    static const double y[][POINTS] = {{1, 10, 1}, {1e-3, 11, -1}, {2e-3, 12, 0}};
    NsSeries series[3];
    NsPlot plots[3];
    for (size_t i = 0; i < 3; i++) {
        series[i] = curve(y[i], POINTS, "norm");
        plots[i] = plot_of(&series[i], 1);
    }
    NsMeanPlot *mean = mean_of(&plots[0], &plots[1], &plots[2], NULL);
    const NsSeries *one = mean->plot.series;
    g_assert_cmpfloat(one->lo[0], ==, 1e-3);
    g_assert_cmpfloat_with_epsilon(one->lo[1], 10, 1e-12);
    g_assert_cmpfloat_with_epsilon(one->lo[2], -1, 1e-12);
    g_assert_nonnull(strstr(mean->plot.note, "smallest"));
    ns_mean_plot_free(mean);
}

/* Bands within a run remain bands; a lower plot has its own mean. */
static void test_bands_and_lower_plots(void)
{
    static const double y[][POINTS] = {{1, 2, 3}, {3, 4, 5}};
    static const double lo[][POINTS] = {{0, 1, 2}, {0, 3, 4}},
                        hi[][POINTS] = {{2, 3, 4}, {4, 5, 6}};
    NsSeries ranges[2], ratios[2];
    NsPlot plots[2], lowers[2];
    for (size_t i = 0; i < 2; i++) {
        ranges[i] = curve(y[i], POINTS, "range");
        ranges[i].lo = lo[i];
        ranges[i].hi = hi[i];
        ratios[i] = curve(y[i], POINTS, "ratio");
        plots[i] = plot_of(&ranges[i], 1);
        lowers[i] = plot_of(&ratios[i], 1);
        plots[i].lower = &lowers[i];
    }
    NsMeanPlot *mean = mean_of(&plots[0], &plots[1], NULL, NULL);
    const NsPlot *plot = &mean->plot;
    g_assert_cmpfloat(plot->series->lo[0], ==, 0);
    g_assert_cmpfloat(plot->series->hi[2], ==, 5);
    g_assert_cmpfloat(plot->lower->series->y[1], ==, 3);
    g_assert_cmpfloat_with_epsilon(plot->lower->series->hi[1], 3 + sqrt(2), 1e-12);
    g_assert_null(plot->lower->note);
    g_assert_null(plot->note);
    ns_mean_plot_free(mean);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mean/deviation", test_deviation);
    g_test_add_func("/mean/equal-curves", test_equal_curves_have_no_band);
    g_test_add_func("/mean/theory", test_theory_has_no_band);
    g_test_add_func("/mean/marks", test_marks_have_no_band);
    g_test_add_func("/mean/shorter", test_shorter);
    g_test_add_func("/mean/states", test_states);
    g_test_add_func("/mean/ratio", test_ratio_of_means);
    g_test_add_func("/mean/geometric", test_geometric);
    g_test_add_func("/mean/negative", test_negative);
    g_test_add_func("/mean/above-zero", test_band_of_norms_stays_above_zero);
    g_test_add_func("/mean/bands-and-lower-plots", test_bands_and_lower_plots);
    return g_test_run();
}
