/* The learning rate over the steps.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/assignment.h"
#include "core/optim/schedule.h"

#include <math.h>
#include <string.h>

static NsSettings scheduled(const char *schedule, int64_t warmup, int64_t start, int64_t end)
{
    int row = ns_choices_find(ns_schedule_choice, schedule);
    g_assert_cmpint(row, >=, 0);
    return (NsSettings){.lr = 0.008,
                        .warmup = warmup,
                        .schedule = (unsigned)row,
                        .decay_start = start,
                        .decay_steps = end};
}

static void test_schedule(void)
{
    static const struct {
        const char *schedule;
        int64_t warmup, start, end, step;
        double factor;
    } rows[] = {
        {"constant", 1, 100, 0, 0, 0},
        {"constant", 1, 100, 0, 1, 1},
        {"constant", 1, 5, 7, 77, 1},
        {"constant", 100, 100, 0, 25, 0.25},
        {"constant", 100, 100, 0, 100, 1},
        {"constant", 100, 100, 0, 100000, 1},
        {"inverse-sqrt", 1, 100, 0, 0, 0},
        {"inverse-sqrt", 1, 100, 0, 1, 1},
        {"inverse-sqrt", 1, 100, 0, 100, 1},
        {"inverse-sqrt", 1, 100, 0, 400, 0.5},
        {"inverse-sqrt", 1, 1, 0, 1, 1},
        {"inverse-sqrt", 1, 1, 0, 100, 0.1},
        {"inverse-sqrt", 100, 100, 0, 0, 0},
        {"inverse-sqrt", 100, 100, 0, 1, 0.01},
        {"inverse-sqrt", 100, 100, 0, 50, 0.5},
        {"inverse-sqrt", 100, 100, 0, 100, 1},
        {"inverse-sqrt", 100, 100, 0, 400, 0.5},
        {"inverse-sqrt", 400, 100, 0, 50, 0.125},
        {"inverse-sqrt", 400, 100, 0, 225, 0.375},
        {"inverse-sqrt", 400, 100, 0, 400, 0.5},
        {"linear", 1, 1, 101, 0, 0},
        {"linear", 1, 1, 101, 1, 1},
        {"linear", 1, 1, 101, 51, 0.5},
        {"linear", 1, 1, 101, 76, 0.25},
        {"linear", 1, 1, 101, 101, 0},
        {"linear", 1, 1, 101, 500, 0},
        {"linear", 1, 20, 120, 20, 1},
        {"linear", 1, 20, 120, 70, 0.5},
        {"linear", 20, 20, 120, 10, 0.5},
        {"linear", 20, 20, 120, 20, 1},
        {"linear", 20, 20, 120, 70, 0.5},
        {"linear", 20, 20, 120, 120, 0},
        {"linear", 140, 20, 120, 70, 0.25},
        {"linear", 140, 20, 120, 130, 0},
        {"linear", 1, 100, 0, 550, 0.5},
        {"linear", 1, 100, 0, 1000, 0},
        {"cosine", 1, 1, 121, 1, 1},
        {"cosine", 1, 1, 121, 61, 0.5},
        {"cosine", 1, 1, 121, 41, 0.75},
        {"cosine", 1, 1, 121, 81, 0.25},
        {"cosine", 1, 1, 121, 121, 0},
        {"cosine", 1, 1, 121, 999, 0},
        {"cosine", 30, 30, 90, 15, 0.5},
        {"cosine", 30, 30, 90, 30, 1},
        {"cosine", 30, 30, 90, 60, 0.5},
        {"cosine", 30, 30, 90, 90, 0},
        {"cosine", 120, 30, 90, 60, 0.25},
        {"step", 1, 100, 90, 1, 1},
        {"step", 1, 100, 90, 30, 1},
        {"step", 1, 100, 90, 31, 0.1},
        {"step", 1, 100, 90, 60, 0.1},
        {"step", 1, 100, 90, 61, 0.01},
        {"step", 1, 100, 90, 9999, 0.01},
        {"step", 50, 100, 90, 25, 0.5},
        {"step", 50, 100, 90, 40, 0.08},
        {"step", 50, 100, 90, 50, 0.1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        NsSettings settings =
            scheduled(rows[i].schedule, rows[i].warmup, rows[i].start, rows[i].end);
        double lr = ns_schedule_lr(&settings, rows[i].step);
        if (!(fabs(lr - 0.008 * rows[i].factor) <= 1e-15)) {
            g_test_message("%s, warm-up %d, decay from %d to %d, step %d: %.17g", rows[i].schedule,
                           (int)rows[i].warmup, (int)rows[i].start, (int)rows[i].end,
                           (int)rows[i].step, lr / 0.008);
            g_test_fail();
        }
    }
}

/* After the longer of two warm-ups there is no difference between them, and before its end a
 * warm-up is a factor of its own, under every schedule. */
static void test_schedule_independent(void)
{
    static const int64_t warmups[] = {1, 2, 7, 50, 100, 101, 300, 1500};
    for (size_t k = 0; ns_schedule(k); k++) {
        const char *key = ns_schedule_choice(k)->key;
        for (size_t w = 1; w < G_N_ELEMENTS(warmups); w++) {
            NsSettings none = scheduled(key, 1, 100, 900), some = none;
            some.warmup = warmups[w];
            for (int64_t step = 1; step <= 2000; step++) {
                double share = MIN(1.0, (double)step / (double)some.warmup);
                double expected = share * ns_schedule_lr(&none, step);
                if (fabs(ns_schedule_lr(&some, step) - expected) <= 1e-17) continue;
                g_test_message("%s, warm-up %d, step %d: %g for %g", key, (int)some.warmup,
                               (int)step, ns_schedule_lr(&some, step), expected);
                g_test_fail();
                break;
            }
        }
    }
}

/* Warm-up alone decides in the defaults: after it the rate is the same for all. */
static void test_schedule_default(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    g_assert_cmpfloat(ns_schedule_lr(&settings, 1), ==, settings.lr);
    g_assert_cmpfloat(ns_schedule_lr(&settings, 300), ==, settings.lr);
    settings.warmup = 100;
    g_assert_cmpfloat(ns_schedule_lr(&settings, 50), ==, settings.lr / 2);
    g_assert_cmpfloat(ns_schedule_lr(&settings, 300), ==, settings.lr);
    ns_settings_clear(&settings);
}

/* A decay that would end before it starts is an error, which says what to change; a schedule that
 * has no start or no end does not mind. */
static void test_schedule_possible(void)
{
    static const struct {
        const char *settings;
        bool possible;
    } rows[] = {
        {"schedule=linear decay-start=100 decay-steps=101", true},
        {"schedule=linear decay-start=100 decay-steps=100", false},
        {"schedule=cosine decay-start=100 decay-steps=99", false},
        {"schedule=linear decay-start=999", true},
        {"schedule=linear decay-start=1000", false},
        {"schedule=cosine steps=50", false},
        {"schedule=cosine steps=50 decay-start=10", true},
        {"schedule=cosine steps=50 decay-steps=200", true},
        {"schedule=linear warmup=500 decay-start=100 decay-steps=200", true},
        {"schedule=constant decay-start=100 decay-steps=7", true},
        {"schedule=inverse-sqrt decay-start=100 decay-steps=7", true},
        {"schedule=step decay-start=100 decay-steps=7", true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        NsSettings settings;
        g_autoptr(GError) error = NULL;
        ns_settings_init(&settings);
        g_test_message("%s", rows[i].settings);
        g_assert_true(ns_settings_assign_all(&settings, rows[i].settings, NULL));
        g_assert_cmpint(ns_settings_check(&settings, &error), ==, rows[i].possible);
        if (!rows[i].possible) {
            g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
            g_assert_nonnull(strstr(error->message, "set decay-start below"));
        }
        ns_settings_clear(&settings);
    }
}

/* decay-steps, or the steps of the run, or 1,000. */
static void test_schedule_end(void)
{
    g_assert_cmpint(ns_schedule_end(&(NsSettings){.decay_steps = 7, .steps = 9}), ==, 7);
    g_assert_cmpint(ns_schedule_end(&(NsSettings){.steps = 9}), ==, 9);
    g_assert_cmpint(ns_schedule_end(&(NsSettings){0}), ==, 1000);
}
int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/schedule/table", test_schedule);
    g_test_add_func("/schedule/independent", test_schedule_independent);
    g_test_add_func("/schedule/default", test_schedule_default);
    g_test_add_func("/schedule/possible", test_schedule_possible);
    g_test_add_func("/schedule/end", test_schedule_end);
    return g_test_run();
}
