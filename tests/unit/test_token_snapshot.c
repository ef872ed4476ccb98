/* What is seen of tokens and heads.  SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"
#include "core/experiment/param.h"
#include "core/probe/token_snapshot.h"
#include "core/train/run.h"
#include "core/train/translate.h"

#include <math.h>
#include <string.h>

/* A run of three updates whose newest record was measured in full. */
static NsRun *run_on(const char *task, const char *arch, const char *layers, const char *heads,
                     const char *recompute)
{
    const char *const set[][2] = {{"arch", arch},   {"layers", layers}, {"decoder-layers", "2"},
                                  {"heads", heads}, {"d-model", "16"},  {"d-ff", "32"},
                                  {"seq", "12"},    {"batch", "5"},     {"probe-every", "3"},
                                  {"threads", "2"}, {"task", task},     {"recompute", recompute}};
    NsSettings settings;
    ns_settings_init(&settings);
    g_autoptr(GError) error = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(set); i++) {
        ns_settings_set(&settings, set[i][0], set[i][1], &error);
        g_assert_no_error(error);
    }
    NsRun *run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    for (int i = 0; i < 3; i++) ns_run_step(run);
    ns_settings_clear(&settings);
    return run;
}

static NsRun *run_of(const char *arch, const char *layers, const char *heads, const char *recompute)
{
    return run_on("reverse", arch, layers, heads, recompute);
}

static void check_tokens(NsRun *run, const NsTokenSnapshot *snapshot)
{
    const NsHistory *history = run->history;
    const NsRecordLayout *layout = ns_history_layout(history);
    g_autofree float *squares = g_new(float, layout->hidden);
    ns_history_read(history, NS_QUANTITY_HIDDEN_SQ, 3, NULL, squares, NULL);
    g_assert_cmpuint(snapshot->states, ==, layout->hidden);
    for (size_t i = 0; i < snapshot->states; i++) {
        double sum = 0, counted = snapshot->beyond[i];
        for (size_t k = 0; k < NS_TOKEN_SNAPSHOT_BINS; k++) {
            sum += (double)snapshot->count[i][k] * (double)k * NS_TOKEN_SNAPSHOT_BIN;
            counted += (double)snapshot->count[i][k];
        }
        g_assert_cmpuint(snapshot->state[i], ==, i);
        g_assert_cmpfloat(counted, ==, snapshot->tokens[i]);
        g_assert_cmpuint(snapshot->tokens[i], >, 0);
        /* The mean is the quantity that the record has; in units of it the bins have the mean 1. */
        g_assert_cmpfloat_with_epsilon(snapshot->mean[i] / (double)squares[i], 1, 1e-4);
        if (!snapshot->beyond[i])
            g_assert_cmpfloat_with_epsilon(sum / counted, 1, NS_TOKEN_SNAPSHOT_BIN / 2);
    }
}

static void check_attention(const NsTokenSnapshot *snapshot, bool causal, size_t layers,
                            size_t heads)
{
    g_assert_cmpuint(snapshot->maps, ==, layers * heads);
    for (size_t m = 0; m < snapshot->maps; m++) {
        g_assert_cmpuint(snapshot->layer[m], ==, m / heads + 1);
        g_assert_cmpuint(snapshot->head[m], ==, m % heads + 1);
        for (size_t t = 0; t < snapshot->queries; t++) {
            const float *row = snapshot->weight[m] + t * snapshot->keys;
            double sum = 0;
            size_t seen = 0;
            for (size_t j = 0; j < snapshot->keys; j++) {
                if (j >= snapshot->seen[m][t]) continue;
                g_assert_true(row[j] >= 0 && row[j] <= 1);
                g_assert_true(!causal || j <= t);
                sum += (double)row[j];
                seen++;
            }
            if (seen) g_assert_cmpfloat_with_epsilon(sum, 1, 1e-5);
        }
    }
}

static void test_run(gconstpointer recompute)
{
    g_autofree NsTokenSnapshot *snapshot = g_new(NsTokenSnapshot, 1);
    g_autoptr(NsRun) decoder = run_of("decoder", "3", "4", recompute);
    g_assert_true(ns_history_token_snapshot(decoder->history, snapshot));
    g_assert_cmpint(snapshot->step, ==, 3);
    check_tokens(decoder, snapshot);
    check_attention(snapshot, true, 3, 4);
    /* The first position of a causal model sees itself alone. */
    g_assert_cmpfloat((double)snapshot->weight[5][0], ==, 1);
    g_assert_cmpuint(snapshot->seen[5][0], ==, 1);
    /* Heads differ. */
    g_assert_cmpint(memcmp(snapshot->weight[4], snapshot->weight[5], sizeof snapshot->weight[4]),
                    !=, 0);

    g_autoptr(NsRun) both = run_of("encoder-decoder", "2", "2", recompute);
    g_assert_true(ns_history_token_snapshot(both->history, snapshot));
    check_tokens(both, snapshot);
    check_attention(snapshot, false, 4, 2);
}

static void take(NsTokenSnapshot *snapshot, const char *task, const char *arch)
{
    g_autoptr(NsRun) run = run_on(task, arch, "2", "2", "off");
    g_assert_true(ns_history_token_snapshot(run->history, snapshot));
}

/* The sequence whose attention is there, as its task writes it. */
static void test_sequence(void)
{
    g_autofree NsTokenSnapshot *snapshot = g_new(NsTokenSnapshot, 1);
    take(snapshot, "reverse", "decoder");
    size_t n = 0;
    while (n < 12 && !g_str_equal(snapshot->token[0][n], "|")) n++;
    g_assert_true(n >= 3 && n <= 6);
    /* After the separator the symbols follow backwards, without the last; then padding. */
    for (size_t t = 0; t + 1 < n; t++)
        g_assert_cmpstr(snapshot->token[0][n + 1 + t], ==, snapshot->token[0][n - 1 - t]);
    g_assert_true(g_ascii_islower(snapshot->token[0][0][0]));
    for (size_t t = 2 * n; t < 12; t++) g_assert_cmpstr(snapshot->token[0][t], ==, "");

    take(snapshot, "copy", "encoder-decoder");
    g_assert_cmpuint(snapshot->stack[0], ==, 0);
    g_assert_cmpuint(snapshot->stack[snapshot->maps - 1], ==, 1);
    g_assert_cmpstr(snapshot->token[1][0], ==, "⟨s⟩");
    for (size_t t = 0; t + 1 < 6; t++)
        g_assert_cmpstr(snapshot->token[0][t], ==, snapshot->token[1][t + 1]);

    take(snapshot, "grammar", "encoder");
    bool masked = false;
    for (size_t t = 0; t < 12; t++) masked |= g_str_equal(snapshot->token[0][t], "[M]");
    g_assert_true(masked);
    take(snapshot, "gaussian", "decoder");
    g_assert_cmpstr(snapshot->token[0][0], ==, "");
    take(snapshot, "random", "decoder");
    g_assert_true(g_ascii_isdigit(snapshot->token[0][0][0]));
}

/* The sums of a map's rows over the keys that the queries see, and how many those are: all tokens
 * of the source. */
static void check_cross(const NsTokenSnapshot *snapshot, size_t m)
{
    size_t keys = 0, queries = 0;
    while (keys < snapshot->keys && *snapshot->token[0][keys]) keys++;
    while (queries < snapshot->queries && *snapshot->token[1][queries]) queries++;
    g_assert_cmpuint(keys, >, 1);
    for (size_t t = 0; t < snapshot->queries; t++) {
        double sum = 0;
        g_assert_cmpuint(snapshot->seen[m][t], ==, t < queries ? keys : 0);
        for (size_t j = 0; j < snapshot->seen[m][t]; j++)
            sum += (double)snapshot->weight[m][t * snapshot->keys + j];
        if (t < queries) g_assert_cmpfloat_with_epsilon(sum, 1, 1e-5);
    }
}

/* Behind an encoder, the decoder's attention to the source, and a translation of the task that has
 * sentences. */
static void test_cross(void)
{
    g_autofree NsTokenSnapshot *snapshot = g_new(NsTokenSnapshot, 1);
    take(snapshot, "reverse", "decoder");
    g_assert_cmpuint(snapshot->cross_maps, ==, 0);
    take(snapshot, "reverse", "encoder-decoder");
    g_assert_cmpuint(snapshot->maps, ==, 8);
    g_assert_cmpuint(snapshot->cross_maps, ==, 4);
    for (size_t i = 0; i < 4; i++) {
        size_t m = 8 + i;
        g_assert_cmpuint(snapshot->layer[m], ==, 3 + i / 2);
        g_assert_cmpuint(snapshot->head[m], ==, 1 + i % 2);
        g_assert_cmpuint(snapshot->stack[m], ==, 1);
        check_cross(snapshot, m);
    }
    g_assert_false(snapshot->translated);
}

static void test_translation(void)
{
    g_autofree NsTokenSnapshot *snapshot = g_new(NsTokenSnapshot, 1);
    NsSettings settings;
    ns_settings_init(&settings);
    g_assert_true(ns_settings_assign_all(&settings,
                                         "task=translation arch=encoder-decoder layers=1 heads=2 "
                                         "d-model=16 seq=80 batch=2 probe-every=2 threads=1",
                                         NULL));
    g_autoptr(GError) error = NULL;
    g_autoptr(NsRun) run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    for (int i = 0; i < 2; i++) ns_run_step(run);
    g_assert_true(ns_history_token_snapshot(run->history, snapshot));
    g_assert_cmpint(snapshot->step, ==, 2);
    g_assert_true(snapshot->translated);
    /* Characters are tokens here. */
    g_autofree char *first = g_utf8_substring(snapshot->source, 0, 1);
    g_assert_cmpstr(first, ==, snapshot->token[0][0]);
    first = (g_free(first), g_utf8_substring(snapshot->reference, 0, 1));
    g_assert_cmpstr(first, ==, snapshot->token[1][1]);
    g_assert_true(g_str_has_suffix(snapshot->reference, "."));
    g_autofree char *again = ns_translate_sentence(run->model, run->corpus, run->batch.source,
                                                   (size_t)run->batch.source_length[0]);
    g_assert_true(g_str_has_prefix(again, snapshot->translation));
    ns_settings_clear(&settings);
}

/* Of many layers some are kept, the first and the last with them. */
static void test_many(void)
{
    g_autofree NsTokenSnapshot *snapshot = g_new(NsTokenSnapshot, 1);
    g_autoptr(NsRun) run = run_of("decoder", "40", "4", "off");
    g_assert_true(ns_history_token_snapshot(run->history, snapshot));
    g_assert_cmpuint(snapshot->maps, ==, NS_TOKEN_SNAPSHOT_MAPS);
    g_assert_cmpuint(snapshot->layer[0], ==, 1);
    g_assert_cmpuint(snapshot->layer[NS_TOKEN_SNAPSHOT_MAPS - 1], ==, 40);
    for (size_t m = 4; m < snapshot->maps; m++)
        g_assert_cmpuint(snapshot->layer[m], >, snapshot->layer[m - 4]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/token-snapshot/kept", "off", test_run);
    g_test_add_data_func("/token-snapshot/recomputed", "on", test_run);
    g_test_add_func("/token-snapshot/sequence", test_sequence);
    g_test_add_func("/token-snapshot/cross", test_cross);
    g_test_add_func("/token-snapshot/translation", test_translation);
    g_test_add_func("/token-snapshot/many", test_many);
    return g_test_run();
}
