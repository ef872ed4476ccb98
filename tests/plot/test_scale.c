/* Scales, ticks and numbers as text.  SPDX-License-Identifier: MIT */
#include "support.h"

#include "core/base/digits.h"
#include "ui/plot/scale.h"
#include "ui/plot/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

static NsScale fitted(NsScaleKind kind, bool integer, double lo, double hi)
{
    NsAxis shape = axis(NULL, NULL, kind, integer);
    NsScale scale = {.p0 = 0, .p1 = 1000};
    shape.lo = lo;
    shape.hi = hi;
    ns_scale_fit(&scale, &shape, lo, hi, 0);
    return scale;
}

/* The labels, "1
 * 2
 * 5", in ASCII. */
static char *labels(const NsScale *scale, unsigned most)
{
    g_autoptr(GArray) ticks = ns_scale_ticks(scale, most);
    GString *out = g_string_new(NULL);
    for (unsigned i = 0; i < ticks->len; i++) {
        const char *label = g_array_index(ticks, NsTick, i).label;
        if (label) g_string_append_printf(out, "%s%s", out->len ? " | " : "", label);
    }
    g_string_replace(out, "\u2212", "-", 0);
    g_string_replace(out, ",", "'", 0);
    g_string_replace(out, "\u00d7", "x", 0);
    return g_string_free(out, FALSE);
}

static void test_tables(void)
{
    static const struct {
        NsScaleKind kind;
        bool integer;
        double lo, hi;
        unsigned most;
        const char *labels;
    } rows[] = {
        {NS_SCALE_LINEAR, false, 0, 1, 6, "0.0 | 0.2 | 0.4 | 0.6 | 0.8 | 1.0"},
        {NS_SCALE_LINEAR, false, -1.2, 3.9, 6, "-1 | 0 | 1 | 2 | 3"},
        {NS_SCALE_LINEAR, false, 0, 3e-3, 4, "0.000 | 0.001 | 0.002 | 0.003"},
        {NS_SCALE_LINEAR, false, 0, 3e-7, 4, "0 | 1x10^{-7} | 2x10^{-7} | 3x10^{-7}"},
        {NS_SCALE_LINEAR, false, 0, 2.6e10, 3, "0 | 1x10^{10} | 2x10^{10}"},
        {NS_SCALE_LINEAR, true, 0, 1240, 4, "0 | 500 | 1'000"},
        {NS_SCALE_LINEAR, true, 1, 6, 10, "1 | 2 | 3 | 4 | 5 | 6"},
        {NS_SCALE_LINEAR, true, 0, 1, 10, "0 | 1"},
        {NS_SCALE_LINEAR, true, 0, 2500000, 4, "0 | 1'000'000 | 2'000'000"},
        {NS_SCALE_LOG, false, 1e-3, 1e2, 8,
         "10^{-3} | 10^{-2} | 10^{-1} | 10^{0} | 10^{1} | 10^{2}"},
        {NS_SCALE_LOG, false, 1e-12, 1e12, 5, "10^{-10} | 10^{-5} | 10^{0} | 10^{5} | 10^{10}"},
        {NS_SCALE_LOG, false, 0.03, 30, 8, "10^{-1} | 10^{0} | 10^{1}"},
        {NS_SCALE_LOG, false, 1.5, 60, 8, "2 | 5 | 10 | 20 | 50"},
        {NS_SCALE_LOG, false, 1.5, 60, 3, "3 | 10 | 30"},
        {NS_SCALE_LOG, false, 0.31, 0.49, 4, "0.35 | 0.40 | 0.45"},
        {NS_SCALE_LOG, false, 2e-7, 6e-7, 4, "2x10^{-7} | 4x10^{-7} | 6x10^{-7}"},
        {NS_SCALE_SYMLOG, false, -300, 1000, 12,
         "-10^{2} | -10^{1} | -10^{0} | 0 | 10^{0} | 10^{1} | 10^{2} | 10^{3}"},
        {NS_SCALE_SYMLOG, false, -300, 1000, 5, "-10^{2} | -10^{0} | 0 | 10^{0} | 10^{2}"},
        {NS_SCALE_SYMLOG, false, 0, 0.02, 6, "0 | 10^{-5} | 10^{-4} | 10^{-3} | 10^{-2}"},
        {NS_SCALE_SYMLOG, false, -0.02, -0.001, 6, "-10^{-2} | -10^{-3}"},
        {NS_SCALE_SYMLOG, false, 300, 700, 6, "300 | 400 | 500 | 600 | 700"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        NsScale scale = fitted(rows[i].kind, rows[i].integer, rows[i].lo, rows[i].hi);
        g_autofree char *found = labels(&scale, rows[i].most);
        g_assert_cmpstr(found, ==, rows[i].labels);
    }
}

/* Labels have a minimum distance, and at least two remain on an axis of one decade or more that has
 * space for them. */
static void check_parted(const NsScale *scale, unsigned most)
{
    g_autoptr(GArray) ticks = ns_scale_ticks(scale, most);
    double length = scale->p1 - scale->p0, apart = 0.4 * length, before = -INFINITY;
    ns_scale_part_labels(scale, ticks, apart);
    unsigned labeled = ns_ticks_labeled(ticks);
    for (unsigned i = 0; i < ticks->len; i++) {
        const NsTick *tick = &g_array_index(ticks, NsTick, i);
        double p = ns_scale_to_pixel(scale, tick->value);
        if (!tick->label) continue;
        g_assert_cmpfloat(p - before, >=, 0.8 * apart);
        before = p;
    }
    if (scale->kind == NS_SCALE_LOG && scale->hi > 10 * scale->lo) g_assert_cmpuint(labeled, >=, 2);
    /* Labels are all powers, or none is: never 10⁰ beside 90. */
    unsigned powers = 0;
    for (unsigned i = 0; i < ticks->len; i++) {
        const char *label = g_array_index(ticks, NsTick, i).label;
        powers += label && g_str_has_prefix(label, "10^");
    }
    bool small = scale->lo >= 1e-3 && scale->hi < 1e5;
    if (scale->kind == NS_SCALE_LOG && small) g_assert_true(powers == 0 || powers == labeled);
}

static void check_ticks(const NsScale *scale, unsigned most)
{
    g_autoptr(GArray) ticks = ns_scale_ticks(scale, most);
    unsigned labeled = ns_ticks_labeled(ticks);
    g_autofree char *shown = labels(scale, most);
    g_test_message("%.17g to %.17g: %s", scale->lo, scale->hi, shown);
    g_assert_cmpuint(labeled, <=, most + 1);
    if (scale->kind != NS_SCALE_LINEAR) g_assert_cmpuint(labeled, >=, 2);
    check_parted(scale, most);
    double slack = 1e-6 * (scale->p1 - scale->p0), before = -INFINITY;
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (unsigned i = 0; i < ticks->len; i++) {
        const NsTick *tick = &g_array_index(ticks, NsTick, i);
        double p = ns_scale_to_pixel(scale, tick->value);
        g_assert_true(p >= scale->p0 - slack && p <= scale->p1 + slack);
        g_assert_cmpfloat(p, >, before);
        before = p;
        if (scale->integer) g_assert_cmpfloat(tick->value, ==, round(tick->value));
        /* No two ticks have the same label. */
        if (tick->label) g_assert_true(g_hash_table_add(seen, tick->label));
    }
}

static void test_any_range(void)
{
    for (int i = 0; i < 4000; i++) {
        double size = pow(10, g_test_rand_double_range(-30, 30));
        double lo = g_test_rand_double_range(-1, 1) * size;
        double hi = lo + size * pow(10, g_test_rand_double_range(-7, 1));
        unsigned most = (unsigned)g_test_rand_int_range(2, 12);
        NsScale linear = fitted(NS_SCALE_LINEAR, false, lo, hi);
        check_ticks(&linear, most);
        double ratio = pow(10, pow(10, g_test_rand_double_range(-4, 1.4)));
        NsScale log = fitted(NS_SCALE_LOG, false, size, size * ratio);
        check_ticks(&log, most);
        double first = g_test_rand_int_range(0, 1000);
        double last = first + floor(pow(10, g_test_rand_double_range(0, 7)));
        NsScale symlog = fitted(NS_SCALE_SYMLOG, false, lo, hi);
        check_ticks(&symlog, most);
        NsScale integer = fitted(NS_SCALE_LINEAR, true, first, last);
        check_ticks(&integer, most);
    }
}

static void test_extremes(void)
{
    static const double ends[][2] = {
        {-DBL_MAX, DBL_MAX}, {0, DBL_MAX},     {-DBL_MAX, -1},    {0, DBL_TRUE_MIN},
        {1, 1 + 1e-15},      {1e15, 1e15 + 1}, {-1e-300, 1e-300}, {DBL_TRUE_MIN, DBL_MAX},
        {DBL_MIN, 1e-300},   {1e300, DBL_MAX}};
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++)
        for (unsigned most = 2; most < 12; most++) {
            NsScale linear = fitted(NS_SCALE_LINEAR, i % 2, ends[i][0], ends[i][1]);
            g_assert_true(isfinite(linear.hi - linear.lo) && linear.hi > linear.lo);
            g_autoptr(GArray) ticks = ns_scale_ticks(&linear, most);
            g_assert_cmpuint(ticks->len, <=, 1000);
            if (ends[i][0] <= 0) continue;
            NsScale log = fitted(NS_SCALE_LOG, false, ends[i][0], ends[i][1]);
            g_autoptr(GArray) decades = ns_scale_ticks(&log, most);
            g_assert_cmpuint(ns_ticks_labeled(decades), >=, 2);
        }
}

static void test_inverse(void)
{
    for (int i = 0; i < 1000; i++) {
        double t = g_test_rand_double();
        NsScale linear = fitted(NS_SCALE_LINEAR, false, -3, 8);
        double value = -3 + 11 * t;
        g_assert_cmpfloat_with_epsilon(ns_scale_to_pixel(&linear, value), 1000 * t, 1e-9);
        g_assert_cmpfloat_with_epsilon(ns_scale_to_value(&linear, 1000 * t), value, 1e-12);
        NsScale log = fitted(NS_SCALE_LOG, false, 1e-8, 1e4);
        value = pow(10, -8 + 12 * t);
        g_assert_cmpfloat_with_epsilon(ns_scale_to_pixel(&log, value), 1000 * t, 1e-9);
        g_assert_cmpfloat_with_epsilon(ns_scale_to_value(&log, 1000 * t) / value, 1, 1e-12);
    }
    NsScale log = fitted(NS_SCALE_LOG, false, 1, 10);
    g_assert_true(isnan(ns_scale_to_pixel(&log, 0)));
    g_assert_true(isnan(ns_scale_to_pixel(&log, -1)));
    g_assert_true(isnan(ns_scale_to_pixel(&log, NAN)));
    g_assert_true(isnan(ns_scale_to_pixel(&log, INFINITY)));
}

static void test_fit(void)
{
    NsAxis linear = axis(NULL, NULL, NS_SCALE_LINEAR, false);
    NsAxis log = axis(NULL, NULL, NS_SCALE_LOG, false);
    NsScale scale = {.p1 = 1};
    ns_scale_fit(&scale, &linear, 0, 10, 0.05);
    g_assert_cmpfloat(scale.lo, ==, 0); /* a padded end does not cross zero */
    g_assert_cmpfloat_with_epsilon(scale.hi, 10.5, 1e-12);
    ns_scale_fit(&scale, &linear, 5, 5, 0.05);
    g_assert_true(scale.lo < 5 && scale.hi > 5 && !scale.blank);
    ns_scale_fit(&scale, &log, 5, 5, 0.05);
    g_assert_true(scale.lo > 0 && scale.lo < 5 && scale.hi > 5);
    ns_scale_fit(&scale, &linear, 7.99996, 7.99997, 0.05); /* rounding errors are not a result */
    g_assert_true(scale.lo < 7.9 && scale.hi > 8.1);
    ns_scale_fit(&scale, &log, 7.99996, 7.99997, 0.05);
    g_assert_true(scale.lo < 7.9 && scale.hi > 8.1);
    ns_scale_fit(&scale, &linear, 3.2, 3.3, 0);
    g_assert_true(scale.lo > 3.19 && scale.hi < 3.31);
    ns_scale_fit(&scale, &log, 0.8, 1.25, 0.05); /* nearly equal */
    g_assert_cmpfloat_with_epsilon(scale.lo * scale.hi, 1, 1e-12);
    g_assert_cmpfloat_with_epsilon(scale.hi / scale.lo, 2, 1e-12);
    ns_scale_fit(&scale, &log, INFINITY, -INFINITY, 0.05);
    g_assert_true(scale.blank);
    g_autoptr(GArray) none = ns_scale_ticks(&scale, 5);
    g_assert_cmpuint(none->len, ==, 0);
    log.lo = 0; /* a limit that the axis cannot show is ignored */
    log.hi = 100;
    scale.blank = false;
    ns_scale_fit(&scale, &log, 1, 10, 0);
    g_assert_cmpfloat(scale.lo, ==, 1);
    g_assert_cmpfloat(scale.hi, ==, 100);
    linear.lo = 5; /* a limit beyond all data is an end of the axis */
    ns_scale_fit(&scale, &linear, 3, 4, 0.05);
    g_assert_true(scale.lo >= 5 && scale.lo <= 5 && scale.hi > 5);
    linear = axis(NULL, NULL, NS_SCALE_LINEAR, false);
    linear.hi = 2;
    ns_scale_fit(&scale, &linear, 3, 4, 0.05);
    g_assert_true(scale.hi >= 2 && scale.hi <= 2 && scale.lo < 2);
}

static void test_numbers(void)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {2.30649, "2.306"},
        {9.9996, "10.00"},
        {1240, "1,240"},
        {-0.01234567, "\u22120.01235"},
        {0, "0"},
        {1.20449e-5, "1.204\u00d710^{\u22125}"},
        {NAN, "not a number"},
        {-INFINITY, "\u2212\u221e"},
        {123456, "123,456"},
        {1e9, "1.000\u00d710^{9}"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = ns_text_number(rows[i].value, 4);
        g_assert_cmpstr(text, ==, rows[i].text);
    }
    /* As it is typed: it can be parsed again, and has no redundant digits. */
    static const struct {
        double value;
        int digits;
        const char *text;
    } typed[] = {
        {0.003, 6, "0.003"}, {0.001, 6, "0.001"},
        {3e-4, 6, "3e-4"},   {3.16e-5, 6, "3.16e-5"},
        {100, 6, "100"},     {123456.7, 6, "123457"},
        {12345, 2, "12000"}, {2.5e7, 3, "2.5e7"},
        {-0.25, 3, "-0.25"}, {0, 4, "0"},
        {9.9996, 4, "10"},   {1e-38, 6, "1e-38"},
        {0.9999999, 3, "1"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(typed); i++) {
        g_autofree char *text = ns_text_input(typed[i].value, typed[i].digits);
        g_assert_cmpstr(text, ==, typed[i].text);
    }
    g_autofree char *label = ns_text_value(-1.20449e-5, 4);
    g_assert_cmpstr(label, ==, "\u22121.204\u00d710⁻⁵");
    g_autofree char *fixed = ns_text_fixed(-1234567.891, 2);
    g_assert_cmpstr(fixed, ==, "\u22121,234,567.89");
    g_autofree char *count = ns_group_digits(-1234567);
    g_assert_true(g_str_has_prefix(fixed, count)); /* the format of the window */
    g_autofree char *zero = ns_text_fixed(-0.001, 1);
    g_assert_cmpstr(zero, ==, "0.0");
}

/* A name is drawn as it is, with all of its characters. */
static void test_literal(void)
{
    static const char *const names[] = {"lr_1e-3", "a^2_{b}", "_x",      "^",
                                        "x_",      "{}_{}",   "a__b^^c", "Post-LN"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *literal = ns_text_literal(names[i]);
        g_autofree char *plain = ns_text_plain(literal), *label = ns_text_label(literal);
        g_assert_cmpstr(plain, ==, names[i]);
        g_assert_cmpstr(label, ==, names[i]);
        g_autofree char *markup = ns_text_markup(literal, 10);
        g_assert_cmpstr(markup, ==, names[i]);
        g_assert_cmpstr(ns_text_literal_name(names[i]), ==, literal);
        g_autofree char *both = g_strconcat(literal, " W_2", NULL),
                        *drawn = ns_text_markup(both, 10);
        g_assert_true(g_str_has_prefix(drawn, names[i]));
        g_assert_nonnull(strstr(drawn, "rise=")); /* labels of the program have markup */
    }
    g_assert_null(ns_text_literal_name(NULL));
}

static void test_markup(void)
{
    static const char *const texts[] = {
        "W_2",  "10^{-3}", "a_{b^{c}}",   "<b>&amp;</b>",    "x_", "x^",    "x_{", "x_{}}",
        "_^_^", "{}",      "x_{unclosed", "\xff\xfe broken", "",   "‖g‖_F",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *markup = ns_text_markup(texts[i], 12);
        g_autoptr(GError) error = NULL;
        pango_parse_markup(markup, -1, 0, NULL, NULL, NULL, &error);
        g_assert_no_error(error);
    }
    g_autofree char *plain = ns_text_plain("‖∂L/∂W_2‖_{F} < 10^{-3}");
    g_assert_cmpstr(plain, ==, "‖∂L/∂W2‖F < 10^-3");
    g_autofree char *power = ns_text_plain("x^2, x^{}, 2^{−4}, (2/3)^{(L−l)/2}");
    g_assert_cmpstr(power, ==, "x^2, x, 2^−4, (2/3)^((L−l)/2)");
    g_autofree char *whole = ns_text_unbroken("x (8 L)^{−1/4} y");
    g_assert_cmpstr(whole, ==, "x (8\u00a0L)\ufeff^{−1/4} y");
    g_autofree char *raised = ns_text_markup("10^{-3}", 10);
    g_assert_nonnull(strstr(raised, ">-3</span>"));
}

/* On a low axis of many decades only powers of ten are left, without minor ticks. */
static void test_decades(void)
{
    const NsAxis axis = {.scale = NS_SCALE_LOG, .lo = NAN, .hi = NAN};
    NsScale scale = {0};
    ns_scale_fit(&scale, &axis, 1e-40, 1e40, 0);
    for (double height = 10; height <= 60; height += 5) {
        scale.p0 = height;
        GArray *ticks = ns_scale_ticks(&scale, 3);
        ns_scale_part_labels(&scale, ticks, height < 30 ? 30 : 15);
        g_assert_cmpuint(ticks->len, >=, 1);
        for (unsigned i = 0; i < ticks->len; i++) {
            const char *label = g_array_index(ticks, NsTick, i).label;
            g_assert_nonnull(label);
            g_assert_true(g_str_has_prefix(label, "10"));
        }
        g_array_unref(ticks);
    }
}

/* An axis of ratios keeps the label of 1 when labels are left out. */
static void test_ratios(void)
{
    const NsAxis axis = {.scale = NS_SCALE_LOG, .lo = NAN, .hi = NAN};
    NsScale scale = {0};
    for (double lo = 0.3; lo < 1.62; lo += 0.01) {
        bool low = lo > 0.96; /* an axis with two labels, of which 1 is the second */
        scale.p0 = low ? 63 : 200;
        ns_scale_fit(&scale, &axis, low ? lo - 0.66 : lo, low ? 1600 : 1.05, 0);
        g_autoptr(GArray) ticks = ns_scale_ticks_apart(&scale, low ? 2 : 6, 30);
        bool one = false;
        for (unsigned i = 0; i < ticks->len; i++) {
            const NsTick *tick = &g_array_index(ticks, NsTick, i);
            one |= tick->label && fabs(tick->value - 1) < 1e-9;
        }
        g_assert_true(one);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scale/tick-tables", test_tables);
    g_test_add_func("/scale/any-range", test_any_range);
    g_test_add_func("/scale/extremes", test_extremes);
    g_test_add_func("/scale/inverse", test_inverse);
    g_test_add_func("/scale/fit", test_fit);
    g_test_add_func("/scale/decades", test_decades);
    g_test_add_func("/scale/ratios", test_ratios);
    g_test_add_func("/text/numbers", test_numbers);
    g_test_add_func("/text/markup", test_markup);
    g_test_add_func("/scale/literal", test_literal);
    return g_test_run();
}
