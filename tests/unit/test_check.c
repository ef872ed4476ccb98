/* Finite differences in a live run: what they find, and that they leave nothing behind.
 *
 * SPDX-License-Identifier: MIT */
#include "tests/unit/trainers.h"

#include "core/base/error.h"
#include "core/experiment/assignment.h"

#include <math.h>
#include <string.h>

static NsRun *run_with(const char *assignments, int steps)
{
    NsSettings settings;
    GError *error = NULL;
    g_auto(GStrv) words = g_strsplit(assignments, " ", -1);
    ns_test_tiny_settings(&settings, (const char *const *)words);
    NsRun *run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    ns_settings_clear(&settings);
    for (int i = 0; i < steps; i++) g_assert_true(ns_run_step(run));
    return run;
}

static void check_agrees(NsRun *run, unsigned layer)
{
    NsGradientCheck check;
    ns_gradient_check(run, layer, NULL, NULL, &check);
    g_assert_cmpstr(check.problem, ==, "");
    g_assert_cmpuint(check.layer, ==, layer);
    g_assert_cmpint(check.step, ==, run->steps);
    g_assert_cmpuint(check.skipped, ==, 0);
    double worst = 0, random = 0;
    for (size_t i = 0; i < check.n; i++) {
        const NsDerivative *a = &check.row[i].along, *r = &check.row[i].random;
        g_test_message("%s %g %g: %g +- %g, %g %g: %g +- %g", check.row[i].tensor, a->analytic,
                       a->numeric, a->error, a->unknown, r->analytic, r->numeric, r->error,
                       r->unknown);
        g_assert_cmpfloat(a->analytic, >=, 0);
        if (a->unknown <= 0.1) worst = MAX(worst, a->error);
        if (r->unknown <= 0.1) random = MAX(random, r->error);
    }
    g_assert_cmpfloat(check.worst, ==, worst);
    g_assert_cmpfloat(check.worst_random, ==, random);
    g_assert_cmpuint(check.known + check.unknown, ==, 2 * check.n);
    g_assert_cmpuint(check.known, >, check.n);
    g_assert_cmpfloat(check.seconds, >, 0);
    g_assert_true(check.agrees);
}

/* Every kind of tensor that a layer can have. */
static void test_agrees(gconstpointer data)
{
    g_autoptr(NsRun) run = run_with(data, 3);
    const NsTensorTable *table = ns_model_tensors(run->model);
    for (unsigned layer = 1; layer <= ns_model_layers(run->model); layer++) {
        size_t tensors = 0;
        for (size_t i = 0; i < table->n; i++) tensors += table->tensors[i].layer == (int)layer - 1;
        NsGradientCheck check;
        ns_gradient_check(run, layer, NULL, NULL, &check);
        g_assert_cmpuint(check.n, ==, tensors);
        g_assert_cmpuint(tensors, <=, NS_CHECK_ROWS);
        check_agrees(run, layer);
    }
}

/* Weights, gradients, statistics and the way of the run are those of a twin that nobody checked. */
static void test_leaves_nothing(gconstpointer data)
{
    g_autoptr(NsRun) run = run_with(data, 4), twin = run_with(data, 4);
    NsModel *a = run->model, *b = twin->model;
    size_t bytes = ns_model_tensors(a)->size * sizeof(ns_real), n;
    NsGradientCheck check;
    ns_gradient_check(run, 1, NULL, NULL, &check);
    g_assert_cmpuint(check.n, >, 0);
    g_assert_true(memcmp(ns_model_weights(a), ns_model_weights(b), bytes) == 0);
    g_assert_true(memcmp(ns_model_gradients(a), ns_model_gradients(b), bytes) == 0);
    const ns_real *state = ns_model_state(a, &n);
    g_assert_true(!n || memcmp(state, ns_model_state(b, &n), n * sizeof *state) == 0);
    g_assert_cmpuint(ns_history_steps(run->history), ==, 5);

    for (int i = 0; i < 4; i++) {
        ns_run_step(run);
        ns_run_step(twin);
        ns_gradient_check(run, 2, NULL, NULL, &check);
    }
    ns_run_evaluate(run);
    ns_run_evaluate(twin);
    ns_test_same_records(run->history, 0, twin->history);
    g_assert_true(memcmp(ns_model_weights(a), ns_model_weights(b), bytes) == 0);
    g_assert_cmpfloat(ns_history_evaluation(run->history, 0)->loss, ==,
                      ns_history_evaluation(twin->history, 0)->loss);
}

static bool count_down(void *data)
{
    int *left = data;
    return *left > 0 ? (--*left, false) : true;
}

static void test_broken_off(void)
{
    g_autoptr(NsRun) run = run_with("dropout=0.1", 2), twin = run_with("dropout=0.1", 2);
    NsGradientCheck check;
    int left = 6 + 5 * 7; /* the rounding, and two tensors and a half */
    ns_gradient_check(run, 1, count_down, &left, &check);
    g_assert_cmpuint(check.n, ==, 2);
    g_assert_cmpuint(check.skipped, >, 8);
    g_assert_nonnull(strstr(check.problem, "interrupted"));
    ns_run_step(run);
    ns_run_step(twin);
    ns_test_same_records(run->history, 0, twin->history);
}

/* The tensor whose gradient is to be wrong. */
typedef struct {
    NsRun *run;
    const char *tensor;
    double factor;
} Wrong;

/* Called first when all gradients have been computed and none has been looked at. */
static bool make_wrong(void *data)
{
    Wrong *wrong = data;
    NsModel *model = wrong->run->model;
    const NsTensorTable *table = ns_model_tensors(model);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        if (!g_str_equal(t->name, wrong->tensor)) continue;
        ns_real *g = (ns_real *)(guintptr)(ns_model_gradients(model) + t->offset);
        for (size_t k = 0; k < ns_tensor_size(t); k++) g[k] *= (ns_real)wrong->factor;
    }
    wrong->factor = 1;
    return false;
}

/* A gradient that is a fiftieth too long is found, and so is one that points elsewhere. */
static void test_finds(gconstpointer data)
{
    double factor = *(const double *)data;
    g_autoptr(NsRun) run = run_with("placement=pre activation=gelu", 3);
    Wrong wrong = {run, "blk0.ffn.w2", factor};
    NsGradientCheck check;
    ns_gradient_check(run, 1, make_wrong, &wrong, &check);
    g_assert_cmpstr(check.problem, ==, "");
    g_assert_false(check.agrees);
    /* Of the larger of the two. */
    double expected = factor < 0 ? 1 - factor : 1 - 1 / factor, half = MIN(0.02, expected / 2);
    for (size_t i = 0; i < check.n; i++) {
        const NsCheckRow *row = &check.row[i];
        bool right = !g_str_equal(row->tensor, wrong.tensor);
        g_assert_true(row->along.unknown > 0.1 || (row->along.error < half) == right);
        if (right) continue;
        g_assert_cmpfloat_with_epsilon(row->along.error, expected, half);
        g_assert_cmpfloat(check.worst, ==, row->along.error);
    }
}

/* The gradient of this Post-LN changes a hundredfold within the smallest step, as its attention is
 * about to flip: that says nothing against the gradient. */
static void test_rough(void)
{
    static const char *const words[] = {"placement=post", "warmup=1", "seed=2", "threads=1", NULL};
    NsSettings settings;
    ns_settings_init(&settings);
    for (size_t i = 0; words[i]; i++) g_assert_true(ns_settings_assign(&settings, words[i], NULL));
    g_autoptr(NsRun) run = ns_run_new(&settings, NULL);
    ns_settings_clear(&settings);
    for (int i = 0; i < 250; i++) g_assert_true(ns_run_step(run));
    NsGradientCheck check;
    ns_gradient_check(run, 1, NULL, NULL, &check);
    g_assert_cmpuint(check.unknown, >, 0);
    if (check.known > 0) g_assert_true(check.agrees);
}

static void test_refused(void)
{
    NsGradientCheck check;
    g_autoptr(NsRun) run = run_with("layers=3", 0);
    ns_gradient_check(run, 4, NULL, NULL, &check);
    g_assert_nonnull(strstr(check.problem, "no layer 4"));
    ns_gradient_check(run, 0, NULL, NULL, &check);
    g_assert_nonnull(strstr(check.problem, "from 1 to 3"));
    /* The loss does not move with anything: nothing is said, rather than that something is wrong.
     */
    g_autoptr(NsRun) still = run_with("placement=no-residual init-scale=0.001", 0);
    ns_gradient_check(still, 1, NULL, NULL, &check);
    g_assert_cmpuint(check.known, ==, 0);
    g_assert_nonnull(strstr(check.problem, "too small"));
    g_autoptr(NsRun) diverged = run_with("placement=none layers=400", 0);
    ns_gradient_check(diverged, 1, NULL, NULL, &check);
    g_assert_nonnull(strstr(check.problem, "diverged run"));
    g_assert_cmpuint(check.n, ==, 0);
}

static void test_trainer(void)
{
    static const char *const lanes[] = {"", "placement=pre"};
    g_autoptr(NsTrainer) trainer = ns_test_tiny_lanes("steps=30", lanes, 2, NULL);
    g_autoptr(NsTrainer) twin = ns_test_tiny_lanes("steps=30", lanes, 2, NULL);
    NsGradientCheck check;
    ns_trainer_run_until(trainer, (NsTrainerUntil){.step = 7});
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 7);
    g_assert_false(ns_trainer_take_check(trainer, &check));
    ns_trainer_check(trainer, 1, 2);
    ns_trainer_run(trainer);
    ns_trainer_run(twin);
    ns_test_expect(trainer, NS_TRAINER_FINISHED, 30);
    ns_test_expect(twin, NS_TRAINER_FINISHED, 30);
    g_assert_true(ns_trainer_take_check(trainer, &check));
    g_assert_false(ns_trainer_take_check(trainer, &check));
    g_assert_cmpuint(check.lane, ==, 1);
    g_assert_cmpuint(check.layer, ==, 2);
    g_assert_cmpint(check.step, ==, 7);
    g_assert_true(check.agrees);
    for (size_t i = 0; i < 2; i++) {
        g_autoptr(NsHistory) a = ns_trainer_history(trainer, i);
        g_autoptr(NsHistory) b = ns_trainer_history(twin, i);
        ns_test_same_records(a, 0, b);
    }

    /* Where there is no run nothing comes of it, and no end waits for it. */
    g_autoptr(NsTrainer) failed =
        ns_test_tiny_trainer((const char *const[]){"text=/there/is/no/such.txt", NULL});
    ns_trainer_check(failed, 0, 1);
    ns_test_expect(failed, NS_TRAINER_FAILED, -1);
    g_assert_false(ns_trainer_take_check(failed, &check));
    ns_trainer_check(trainer, 0, 1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *settings;
    } models[] = {
        {"post", "placement=post"},
        {"pre", "placement=pre activation=swiglu"},
        {"smoothing", "label-smoothing=0.2 dropout=0.3 drop-path=0.2 activation=gelu"},
        {"batchnorm", "norm=batchnorm placement=pre dropout=0.1 activation=gelu"},
        {"standardized", "weight-standardization=on activation=gelu"},
        {"admin", "placement=admin recompute=on"},
        {"deepnorm", "placement=deepnorm optimizer=sgd qk-norm=head"},
        {"encoder-decoder", "arch=encoder-decoder task=reverse activation=gelu"},
        {"uniform", "attention=uniform heads=1"},
    };
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
        g_autofree char *agrees = g_strdup_printf("/check/agrees/%s", models[i].name);
        g_autofree char *leaves = g_strdup_printf("/check/leaves-nothing/%s", models[i].name);
        g_test_add_data_func(agrees, models[i].settings, test_agrees);
        g_test_add_data_func(leaves, models[i].settings, test_leaves_nothing);
    }
    static const double factors[] = {1.1, -1, 1.02};
    g_test_add_data_func("/check/finds/length", &factors[0], test_finds);
    g_test_add_data_func("/check/finds/sign", &factors[1], test_finds);
    g_test_add_data_func("/check/finds/fiftieth", &factors[2], test_finds);
    g_test_add_func("/check/rough", test_rough);
    g_test_add_func("/check/broken-off", test_broken_off);
    g_test_add_func("/check/refused", test_refused);
    g_test_add_func("/check/trainer", test_trainer);
    return g_test_run();
}
