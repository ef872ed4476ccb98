/* The predicted norms of hidden states beside those that models have at initialization.
 * SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"
#include "core/model/expected_norms.h"
#include "core/model/placement.h"
#include "core/study/initial.h"

#include <math.h>

#define SEEDS 12
#define TOLERANCE 0.07

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

/* Every state within the tolerance of the mean over the seeds. */
static void check(const char *line)
{
    NsSettings settings;
    ns_settings_init(&settings);
    assign(&settings, "threads=1 batch=4 probe-batches=1 layers=8 d-model=128 d-ff=128");
    assign(&settings, line);
    g_assert_cmpstr(ns_expected_norms_refused(&settings), ==, NULL);
    g_autoptr(NsInitial) initial = ns_initial_new(&settings, NULL, SEEDS, NULL, NULL, NULL);
    g_assert_nonnull(initial);
    size_t n = initial->layout.count[NS_QUANTITY_HIDDEN_SQ];
    size_t first[] = {0, (size_t)ns_settings_encoder_layers(&settings) + 1};
    NsTokenMoments start[2] = {{0, 0}, {0, 0}};
    for (int i = 0; i < 2 && first[i] < n; i++)
        start[i] = (NsTokenMoments){value(initial, NS_QUANTITY_HIDDEN_SQ, first[i]) / 128,
                                    value(initial, NS_QUANTITY_TOKEN_COSINE, first[i])};
    g_autofree double *square = g_new(double, n);
    ns_expected_norms(&settings, start, square);
    for (size_t l = 0; l < n; l++) {
        double measured = value(initial, NS_QUANTITY_HIDDEN_SQ, l);
        g_test_message("%s, state %zu: %.3f d, measured %.3f d", line, l, square[l] / 128,
                       measured / 128);
        g_assert_cmpfloat(fabs(square[l] / measured - 1), <, TOLERANCE);
    }
    ns_settings_clear(&settings);
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
        g_autofree char *wide = g_strconcat(placement, " d-ff=512", NULL);
        check(wide);
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
        "placement=pre norm=rmsnorm seq=96 batch=3",
        "placement=subln norm=scalenorm",
        "mixture=post*2,sandwich*2",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        if (chosen(i)) check(lines[i]);
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
    g_test_add_func("/expected-norms/placements", test_placements);
    g_test_add_func("/expected-norms/settings", test_settings);
    g_test_add_func("/expected-norms/refused", test_refused);
    return g_test_run();
}
