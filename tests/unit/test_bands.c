/* What left its usual range first: a fault that is injected into a model is named.
 * SPDX-License-Identifier: MIT */
#include "core/train/bands.h"

#include "core/base/error.h"
#include "core/train/run.h"
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

static NsRun *run_new(const char *settings)
{
    g_auto(GStrv) words = g_strsplit(settings, " ", -1);
    return ns_test_run_new("eval-every=0 probe-every=0 threads=1", (const char *const *)words);
}

typedef enum { GRADIENT, WEIGHT, EMBEDDING, FAULTS } Fault;

/* Multiplies the gradient or the weights of a tensor, or the embeddings of a quarter of the tokens,
 * between two steps. */
static void inject(NsRun *run, Fault fault, const NsTensor *tensor)
{
    union {
        const ns_real *read;
        ns_real *write;
    } gradients = {.read = ns_model_gradients(run->model)};
    ns_real *values = fault == GRADIENT ? gradients.write : ns_model_weights(run->model);
    size_t n = ns_tensor_size(tensor) / (fault == EMBEDDING ? 4 : 1);
    for (size_t i = 0; i < n; i++) values[tensor->offset + i] *= fault == GRADIENT ? 10000 : 30;
}

static NsBandKind find(const NsRun *run, NsBandExit *first)
{
    NsBandExit exits[NS_BAND_KINDS];
    NsBandKind kind = ns_bands_find(&run->bands, exits);
    if (kind < NS_BAND_KINDS) *first = exits[kind];
    return kind;
}

/* A number of quiet steps, a fault in a known tensor, and the step after it. */
static void check_named(const char *settings, int quiet, Fault fault, const char *name)
{
    NsRun *run = run_new(settings);
    NsBandExit first;
    for (int i = 0; i < quiet; i++) {
        g_assert_true(ns_run_step(run));
        g_assert_cmpint(find(run, &first), ==, NS_BAND_KINDS);
    }
    const NsTensorTable *table = ns_model_tensors(run->model);
    const NsTensor *tensor = ns_tensor_find(table, name);
    inject(run, fault, tensor);
    ns_run_step(run);
    NsBandKind kind = find(run, &first);
    if (fault != GRADIENT)
        g_assert_cmpint(kind, ==, NS_BAND_WEIGHT);
    else
        g_assert_cmpint(kind, ==, run->optimizer->adam_moments ? NS_BAND_RATIO : NS_BAND_UPDATE);
    g_assert_cmpstr(table->tensors[first.which].name, ==, name);
    g_assert_cmpint(first.before, ==, 0);
    g_assert_cmpuint(first.others, ==, 0);
    ns_run_free(run);
}

/* Faults of three kinds in tensors of every layer, in models that train quietly before. */
static void test_named(void)
{
    static const char *const models[] = {"placement=pre layers=6", "placement=post layers=6",
                                         "placement=pre layers=12 optimizer=sgd lr=0.1"};
    static const char *const roles[] = {"attn.wv", "ffn.w1", "attn.wo", "attn.wq"};
    for (size_t m = 0; m < (g_test_slow() ? G_N_ELEMENTS(models) : 1); m++)
        for (int i = 0; i < (g_test_slow() ? 8 : 3); i++) {
            g_autofree char *name = g_strdup_printf("blk%d.%s", i % 6, roles[i % 4]);
            Fault fault = (Fault)(i % FAULTS);
            check_named(models[m], 110 + 10 * i, fault, fault == EMBEDDING ? "tok_emb" : name);
        }
}

/* The event of a jump says what left first and what followed; a run that continues from a
 * checkpoint shortly before says the same. */
static void test_event(void)
{
    NsRun *run = run_new("placement=pre layers=6");
    for (int i = 0; i < 150; i++) ns_run_step(run);
    inject(run, WEIGHT, ns_tensor_find(ns_model_tensors(run->model), "blk3.attn.wo"));
    GError *error = NULL;
    g_autoptr(NsCheckpoint) checkpoint = ns_run_checkpoint(run, &error);
    g_assert_no_error(error);
    NsRun *again = ns_run_fork(checkpoint, &checkpoint->settings, &error);
    g_assert_no_error(error);
    NsRun *const runs[] = {run, again};
    const NsEvent *event[2];
    for (size_t i = 0; i < 2; i++) {
        ns_run_step(runs[i]);
        const NsHistory *history = runs[i]->history;
        event[i] = ns_history_event(history, ns_history_events(history) - 1);
        g_assert_cmpint(event[i]->kind, ==, NS_EVENT_SPIKE);
        g_assert_cmpint(event[i]->layer, ==, 4);
    }
    g_assert_nonnull(strstr(event[0]->text, " The first to leave its usual range was the weight "
                                            "norm of WO of layer 4 at step 151: 30"));
    g_assert_nonnull(
        strstr(event[0]->text, " Then came the hidden state after layer 4 (step 151)"));
    ns_run_free(run);
    ns_run_free(again);
}

/* A ring of other tensors and states, as a damaged file may have, is left out although a record has
 * as many numbers. */
static void test_shape(void)
{
    NsRun *run = run_new("placement=pre layers=6");
    for (int i = 0; i < 25; i++) ns_run_step(run);
    GError *error = NULL;
    g_autoptr(NsCheckpoint) checkpoint = ns_run_checkpoint(run, &error);
    g_assert_no_error(error);
    checkpoint->bands.tensors++;
    checkpoint->bands.hidden -= 2;
    NsRun *again = ns_run_fork(checkpoint, &checkpoint->settings, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(again->bands.tensors, ==, run->bands.tensors);
    g_assert_cmpuint(again->bands.n, ==, 1);
    ns_run_free(run);
    ns_run_free(again);
}

/* Too few records, and numbers that are 0, infinite or not measured. */
static void test_edges(void)
{
    NsBands bands;
    NsBandExit exits[NS_BAND_KINDS];
    double gradient = 0;
    NsHiddenMeasure hidden = {.sq = 1, .max = 1};
    NsMeasure seen = {.loss = 2, .grad_sq = &gradient, .n_hidden = 1, .hidden = &hidden};
    NsTensorUpdate update = {.ratio_sum = -1, .ratio_max = -1};
    ns_bands_init(&bands, 1, 1);
    for (int i = 0; i < 20; i++) ns_bands_add(&bands, &seen, &update);
    hidden.sq = 1e12;
    g_assert_cmpint(ns_bands_find(&bands, exits), ==, NS_BAND_KINDS);
    ns_bands_add(&bands, &seen, &update);
    g_assert_cmpint(ns_bands_find(&bands, exits), ==, NS_BAND_HIDDEN);
    g_assert_cmpfloat_with_epsilon(exits[NS_BAND_HIDDEN].times, 1e6, 1);
    /* The loss is next, and is not finite. */
    seen.loss = (double)NAN;
    ns_bands_add(&bands, &seen, &update);
    g_assert_cmpint(ns_bands_find(&bands, exits), ==, NS_BAND_HIDDEN);
    g_assert_cmpint(exits[NS_BAND_HIDDEN].before, ==, 1);
    g_assert_true(exits[NS_BAND_LOSS].left && isinf(exits[NS_BAND_LOSS].times));
    ns_bands_clear(&bands);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/bands/named", test_named);
    g_test_add_func("/bands/event", test_event);
    g_test_add_func("/bands/shape", test_shape);
    g_test_add_func("/bands/edges", test_edges);
    return g_test_run();
}
