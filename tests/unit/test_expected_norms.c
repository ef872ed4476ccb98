/* The predicted norms of hidden states beside those that models have at initialization.
 * SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"
#include "core/model/expected_norms.h"
#include "core/model/placement.h"
#include "core/study/initial.h"

#include <math.h>

#define SEEDS 12
#define TOLERANCE 0.03

static void assign(NsSettings *settings, const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    for (char **word = words; *word; word++)
        g_assert_true(ns_settings_assign(settings, *word, NULL));
}

static double value(const NsInitial *initial, NsQuantity quantity, size_t i)
{
    return initial->mean[initial->layout.offset[quantity] + i];
}

/* Every state within 3 % of the mean over the seeds, but for twice the standard error of this mean.
 * The norms of one model scatter by more than 1 / sqrt(d) of themselves, most where there are few
 * different tokens. */
static void check(const char *sizes, const char *line, int seeds)
{
    NsSettings settings;
    ns_settings_init(&settings);
    g_autofree char *all = g_strconcat(sizes, " ", line, NULL);
    assign(&settings, all);
    g_assert_cmpstr(ns_expected_norms_refused(&settings), ==, NULL);
    g_autoptr(NsInitial) initial = ns_initial_new(&settings, NULL, seeds, NULL, NULL, NULL);
    g_assert_nonnull(initial);
    const NsRecordLayout *layout = &initial->layout;
    size_t n = layout->count[NS_QUANTITY_HIDDEN_SQ];
    double d = (double)settings.d_model, worst = 0;
    bool two = settings.arch == NS_ARCH_ENCODER_DECODER, close = true;
    size_t first[] = {0, (size_t)ns_settings_encoder_layers(&settings) + 1};
    NsTokenMoments start[2];
    for (int i = 0; i < 1 + two; i++) {
        bool source = i < two;
        start[i] = (NsTokenMoments){
            value(initial, NS_QUANTITY_HIDDEN_SQ, first[i]) / d,
            value(initial, source ? NS_QUANTITY_SOURCE_TOKENS : NS_QUANTITY_TOKENS, 0),
            value(initial, source ? NS_QUANTITY_EQUAL_SOURCE : NS_QUANTITY_EQUAL_TOKENS, 0)};
    }
    g_autofree double *square = g_new(double, n);
    ns_expected_norms(&settings, start, square);
    for (size_t l = 0; l < n; l++) {
        double measured = value(initial, NS_QUANTITY_HIDDEN_SQ, l);
        double sd = initial->sd[layout->offset[NS_QUANTITY_HIDDEN_SQ] + l];
        double error = square[l] / measured - 1, noise = sd / measured / sqrt(seeds);
        g_test_message("state %zu: %.3f d, measured %.3f d (%+.1f %%, standard error %.1f %%)", l,
                       square[l] / d, measured / d, 100 * error, 100 * noise);
        close = close && fabs(error) < TOLERANCE + 2 * noise;
        if (fabs(error) > fabs(worst)) worst = error;
    }
    g_test_message("worst %+.1f %%: %s", 100 * worst, all);
    if (!close) g_test_fail_printf("%+.1f %%: %s", 100 * worst, all);
    ns_settings_clear(&settings);
}

#define COMMON "threads=1 batch=4 probe-batches=1 "
#define SMALL COMMON "d-model=256 d-ff=256"
#define LARGE COMMON "d-model=512 d-ff=512"

/* How often tokens are equal, and how long sequences are, differs between tasks. */
static void test_tasks(void)
{
    static const char *const lines[] = {
        "task=random vocab=10",
        "task=mlm arch=encoder",
        "task=translation arch=encoder-decoder layers=3",
        "task=grammar",
        "task=random vocab=2",
        "task=random vocab=2 arch=encoder",
        "task=random",
        "task=gaussian",
        "task=copy",
        "task=reverse arch=encoder",
        "task=sort arch=encoder-decoder",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_autofree char *line = g_strdup_printf("placement=pre %s", lines[i]);
        if (g_test_slow() || i < 3) check(g_test_slow() ? LARGE : SMALL, line, SEEDS);
    }
}

/* Placements and settings whose states are measured: a third of them, all if slow. */
static bool chosen(size_t i)
{
    return g_test_slow() || i % 3 == 0;
}

/* Every placement with a closed form, with feed-forward networks four times as wide as the stream;
 * in the other tests they are as wide. */
static void test_placements(void)
{
    for (size_t i = 0; ns_placement(i); i++) {
        const char *key = ns_placement(i)->choice.key;
        NsSettings settings;
        ns_settings_init(&settings);
        g_autofree char *placement = g_strdup_printf("placement=%s", key);
        assign(&settings, placement);
        bool refused = ns_expected_norms_refused(&settings) != NULL;
        ns_settings_clear(&settings);
        g_assert_cmpint(refused, ==,
                        g_str_equal(key, "none") || g_str_equal(key, "t-fixup") ||
                            g_str_equal(key, "admin"));
        if (refused || !chosen(i)) continue;
        g_autofree char *line = g_strconcat(placement, " task=random vocab=10", NULL);
        check(g_test_slow() ? COMMON "d-model=512 d-ff=2048" : COMMON "d-model=128 d-ff=512", line,
              SEEDS);
    }
}

static void test_settings(void)
{
    static const char *const lines[] = {
        "placement=pre arch=encoder",
        "placement=pre attention=uniform heads=1",
        "placement=pre arch=encoder attention=uniform heads=1",
        "placement=pre arch=encoder-decoder layers=4",
        "placement=pre init=kaiming-normal qk-norm=head",
        "placement=pre init-scale=0.5",
        "placement=pre init=gpt2",
        "placement=pre positions=sinusoidal",
        "placement=pre positions=none",
        "placement=pre positions=rotary",
        "placement=pre norm=rmsnorm seq=96 batch=3",
        "placement=subln norm=scalenorm",
        "mixture=post*2,sandwich*2",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        if (chosen(i)) check(g_test_slow() ? LARGE : SMALL, lines[i], SEEDS);
}

/* What it says no to, with a sentence. */
static void test_refused(void)
{
    static const char *const lines[] = {
        "activation=gelu",
        "init=kaiming-normal",
        "norm=batchnorm",
        "placement=none",
        "norm=none",
        "dropout=0.1",
        "weight-standardization=on",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        NsSettings settings;
        ns_settings_init(&settings);
        assign(&settings, lines[i]);
        const char *why = ns_expected_norms_refused(&settings);
        g_assert_nonnull(why);
        g_assert_true(g_str_has_prefix(why, "No prediction: ") && g_str_has_suffix(why, "."));
        ns_settings_clear(&settings);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/expected-norms/tasks", test_tasks);
    g_test_add_func("/expected-norms/placements", test_placements);
    g_test_add_func("/expected-norms/settings", test_settings);
    g_test_add_func("/expected-norms/refused", test_refused);
    return g_test_run();
}
