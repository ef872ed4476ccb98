/* What counts as a jump of the loss or of the gradient norm.  SPDX-License-Identifier: MIT */
#include "core/train/spike.h"

#include "core/base/error.h"
#include "tests/unit/support.h"

#include <string.h>

/* The batch of the default settings. */
#define TARGETS ((size_t)512)

typedef struct {
    NsSpikes spikes;
    NsEvent event;
    int64_t step;
} Watch;

static bool see(Watch *watch, double loss, double norm)
{
    const NsStep step = {.step = watch->step++, .loss = loss, .grad_norm = norm};
    return ns_spikes_watch(&watch->spikes, &step, TARGETS, &watch->event);
}

/* Noise between -1 and 1 that is the same every time. */
static double noise(int64_t i)
{
    return (double)((i * 7919) % 101 - 50) / 50;
}

static void expect_quiet(Watch *watch, int n, double loss, double spread)
{
    for (int i = 0; i < n; i++)
        g_assert_false(see(watch, loss + spread * noise(watch->step), 0.5 + 0.2 * noise(i)));
}

static void test_loss(void)
{
    Watch watch = {0};
    expect_quiet(&watch, 410, 2.3, 0.01);
    g_assert_true(see(&watch, 5.02, 0.5));
    g_assert_cmpint(watch.event.step, ==, 410);
    g_assert_cmpint(watch.event.kind, ==, NS_EVENT_SPIKE);
    g_assert_cmpstr(watch.event.what, ==, "loss");
    /* From the loss before, which is not the median. */
    g_assert_true(g_str_has_prefix(watch.event.text, "The loss jumped from 2.29 "));
    g_assert_true(g_str_has_suffix(watch.event.text, " to 5.02 at step 410."));
    /* What follows is the same excursion, until the loss has come down and jumps again. */
    for (int i = 0; i < 10; i++) g_assert_false(see(&watch, 5 - 0.1 * i, 0.5));
    expect_quiet(&watch, 60, 2.3, 0.1);
    g_assert_true(see(&watch, 5.02, 0.5));
}

/* Each of the three floors by itself. */
static void test_floors(void)
{
    Watch watch = {0};
    expect_quiet(&watch, 60, 3.0, 0.02);
    g_assert_false(see(&watch, 3.4, 0.5)); /* less than 15 % */
    g_assert_true(see(&watch, 3.5, 0.5));

    watch = (Watch){0};
    expect_quiet(&watch, 60, 1.0, 0.15);
    g_assert_false(see(&watch, 1.4, 0.5)); /* within the spread */
    g_assert_true(see(&watch, 1.8, 0.5));

    watch = (Watch){0};
    expect_quiet(&watch, 60, 0.01, 0.001);
    g_assert_false(see(&watch, 0.2, 0.5)); /* what one batch may do */
    g_assert_true(see(&watch, 0.4, 0.5));
}

/* A run that fails at once: the third record is enough. */
static void test_early(void)
{
    Watch watch = {0};
    g_assert_false(see(&watch, 4.64, 4.86));
    g_assert_false(see(&watch, 3.89, 2.3));
    g_assert_false(see(&watch, 4.76, 2.0));
    g_assert_true(see(&watch, 5.82, 3.0));
    g_assert_cmpint(watch.event.step, ==, 3);
}

static void test_norm(void)
{
    Watch watch = {0};
    g_assert_false(see(&watch, 4.6, 5.0));
    expect_quiet(&watch, 60, 3.2, 0.05);
    g_assert_false(see(&watch, 3.2, 19)); /* not four times the first */
    g_assert_false(see(&watch, 3.2, 4));
    g_assert_true(see(&watch, 3.2, 80));
    g_assert_cmpstr(watch.event.what, ==, "gradient norm");
    g_assert_nonnull(strstr(watch.event.text, " to 80 at step 63."));
    /* Gradients of exactly nothing are no reason to fall over. */
    for (int i = 0; i < 40; i++) g_assert_false(see(&watch, 3.2, 0));
}

/* What has come down may jump again at once; how large a spike is hides none after it. */
static void test_one_after_another(void)
{
    static const double sizes[] = {5.02, 1e12};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        Watch watch = {0};
        expect_quiet(&watch, 60, 2.3, 0.01);
        for (int again = 0; again < 20; again++) {
            g_assert_true(see(&watch, sizes[i], 0.5));
            expect_quiet(&watch, 2, 2.3, 0.01);
        }
        g_assert_true(see(&watch, 3, 0.5));
        g_assert_nonnull(strstr(watch.event.text, "from 2.3 to 3 at step 120."));
    }
    Watch watch = {0};
    expect_quiet(&watch, 60, 2.3, 0.01);
    for (int again = 0; again < 20; again++) {
        g_assert_true(see(&watch, 2.3, again % 2 ? 1e30 : 10));
        g_assert_cmpstr(watch.event.what, ==, "gradient norm");
        expect_quiet(&watch, 2, 2.3, 0.01);
    }
}

/* Up to ten records that stay high are one excursion, and however they end one event. */
static void test_excursion(void)
{
    Watch watch = {0};
    expect_quiet(&watch, 60, 2.3, 0.01);
    g_assert_true(see(&watch, 5, 0.5));
    for (int i = 0; i < 8; i++) g_assert_false(see(&watch, i % 2 ? 1e9 : 2.55, 1e9));
    expect_quiet(&watch, 1, 2.3, 0.01);
    g_assert_true(see(&watch, 5, 0.5)); /* the baseline is what it was */
    g_assert_nonnull(strstr(watch.event.text, "from 2.29 "));
    for (int i = 0; i < 9; i++) g_assert_false(see(&watch, 5, 0.5));
    expect_quiet(&watch, 20, 5, 0); /* now it is another */
    g_assert_true(see(&watch, 9, 0.5));
    g_assert_nonnull(strstr(watch.event.text, "from 5 to 9 "));
    expect_quiet(&watch, 60, 2.3, 0.05);
    g_assert_true(see(&watch, 5, 0.5));
}

/* A loss that comes down slowly, noise and all, passes its limit once. */
static void test_slow_return(void)
{
    for (double noisy = 0; noisy < 0.15; noisy += 0.01) {
        Watch watch = {0};
        expect_quiet(&watch, 60, 2.3, 0.01);
        g_assert_true(see(&watch, 3, 0.5));
        for (int i = 1; i < 30; i++)
            g_assert_false(see(&watch, 2.3 + 0.7 * (1 - i / 30.0) + noisy * noise(i), 0.5));
    }
}

/* The default model, with the setting and so many steps; how many jumps there are, and in `first`
 * the first of them. */
static size_t jumps_of(const char *settings, int steps, NsEvent *first)
{
    g_auto(GStrv) words = g_strsplit(settings, " ", -1);
    g_autoptr(NsRun) run = ns_test_run_new("eval-every=0 threads=1", (const char *const *)words);
    for (int i = 0; i < steps; i++) g_assert_true(ns_run_step(run));
    const NsHistory *history = run->history;
    if (ns_history_events(history)) *first = *ns_history_event(history, 0);
    return ns_history_events(history);
}

static void test_models(void)
{
    NsEvent first;
    g_assert_cmpuint(jumps_of("placement=post", 60, &first), ==, 0);
    g_assert_cmpuint(jumps_of("placement=pre", 60, &first), ==, 0);
    static const char *const hot[] = {"placement=post lr=0.09", "placement=pre lr=0.09",
                                      "placement=post lr=0.09 seed=2",
                                      "placement=pre lr=0.09 seed=2"};
    for (size_t i = 0; i < G_N_ELEMENTS(hot); i++) {
        g_assert_cmpuint(jumps_of(hot[i], 10, &first), >=, 1);
        g_assert_cmpint(first.kind, ==, NS_EVENT_SPIKE);
        g_assert_true(g_str_has_prefix(first.text, "The loss jumped from "));
        g_assert_nonnull(strstr(first.text, "The largest gradient is that of "));
        g_assert_true(g_str_has_suffix(first.text, "."));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/spike/loss", test_loss);
    g_test_add_func("/spike/floors", test_floors);
    g_test_add_func("/spike/early", test_early);
    g_test_add_func("/spike/norm", test_norm);
    g_test_add_func("/spike/one-after-another", test_one_after_another);
    g_test_add_func("/spike/excursion", test_excursion);
    g_test_add_func("/spike/slow-return", test_slow_return);
    g_test_add_func("/spike/models", test_models);
    return g_test_run();
}
