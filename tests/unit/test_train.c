/* A run without a thread.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/base/squares.h"
#include "core/base/tensor.h"
#include "core/experiment/assignment.h"
#include "core/optim/optimizer.h"
#include "core/optim/schedule.h"
#include "core/train/run.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define THREADS "2"

static void set(NsSettings *settings, const char *assignment)
{
    GError *error = NULL;
    ns_settings_assign(settings, assignment, &error);
    g_assert_no_error(error);
}

static void assert_close(double x, double expected, double relative)
{
    double scale = fabs(expected) > 0 ? fabs(expected) : 1;
    if (!(fabs(x - expected) <= relative * scale)) {
        g_test_message("%.17g, expected %.17g", x, expected);
        g_test_fail();
    }
}

/* ---- A run ---- */

static NsRun *tiny_run(const char *const *more)
{
    static const char *const tiny[] = {"layers=2",       "d-model=16",        "heads=2",
                                       "seq=12",         "batch=4",           "eval-every=4",
                                       "eval-batches=2", ("threads=" THREADS)};
    NsSettings settings;
    ns_settings_init(&settings);
    for (size_t i = 0; i < G_N_ELEMENTS(tiny); i++) set(&settings, tiny[i]);
    for (; more && *more; more++) set(&settings, *more);
    GError *error = NULL;
    NsRun *run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    ns_settings_clear(&settings);
    return run;
}

/* Loss, gradient norm and every value of every step: equal bit for bit (time is not). */
static void assert_same_history(const NsHistory *a, const NsHistory *b)
{
    const NsRecordLayout *layout = ns_history_layout(a);
    g_auto(NsValues) x = ns_values_new(layout->width), y = ns_values_new(layout->width);
    g_assert_cmpuint(ns_history_steps(a), ==, ns_history_steps(b));
    for (size_t step = 0; step < ns_history_steps(a); step++) {
        const NsStep *p = ns_history_step(a, step), *q = ns_history_step(b, step);
        g_assert_true(memcmp(p, q, offsetof(NsStep, seconds)) == 0);
        for (unsigned i = 0; i < NS_QUANTITY_COUNT; i++) {
            ns_history_read(a, i, step, x.value, NULL, x.has);
            ns_history_read(b, i, step, y.value, NULL, y.has);
            g_assert_true(memcmp(x.value, y.value, layout->count[i] * sizeof *x.value) == 0);
            g_assert_true(memcmp(x.has, y.has, layout->count[i] * sizeof *x.has) == 0);
        }
    }
    g_assert_cmpuint(ns_history_evaluations(a), ==, ns_history_evaluations(b));
    for (size_t i = 0; i < ns_history_evaluations(a); i++)
        g_assert_true(memcmp(ns_history_evaluation(a, i), ns_history_evaluation(b, i),
                             sizeof(NsEvaluation)) == 0);
}

static void test_run_record_0(void)
{
    g_autoptr(NsRun) run = tiny_run(NULL);
    const NsHistory *history = run->history;
    g_assert_cmpint(run->steps, ==, 0);
    g_assert_cmpuint(ns_history_steps(history), ==, 1);
    const NsStep *step = ns_history_step(history, 0);
    g_assert_cmpint(step->step, ==, 0);
    g_assert_cmpfloat(step->lr, ==, 0);
    g_assert_cmpfloat(step->seconds, >, 0);
    g_assert_cmpuint(ns_history_evaluations(history), ==, 1);

    /* The weights are as they were drawn, and the record is of the gradients that are there. */
    NsModel *model = run->model;
    const NsTensorTable *table = ns_model_tensors(model);
    ns_real *drawn = ns_real_new(table->size, "weights", NULL);
    ns_tensor_table_init(table, drawn, (uint64_t)run->settings.seed, NULL);
    g_assert_true(memcmp(drawn, ns_model_weights(model), table->size * sizeof *drawn) == 0);
    ns_real_free(drawn);

    double total = 0, layer[2] = {0};
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        float seen[2];
        double norm = ns_real_norm(ns_model_gradients(model) + t->offset, ns_tensor_size(t));
        ns_history_read(history, (NsQuantity)t->parameter, 0, seen, NULL, NULL);
        assert_close((double)seen[MAX(t->layer, 0)], norm, 1e-6);
        total += norm * norm;
        if (t->layer >= 0) layer[t->layer] += norm * norm;
    }
    float layers[2], ratio[2], hidden[3], hidden_sq[3];
    assert_close(step->grad_norm, sqrt(total), 1e-12);
    ns_history_read(history, NS_QUANTITY_GRAD_LAYER, 0, layers, NULL, NULL);
    ns_history_read(history, NS_QUANTITY_UPDATE_RATIO, 0, ratio, NULL, NULL);
    for (int l = 0; l < 2; l++) assert_close((double)layers[l], sqrt(layer[l]), 1e-6);
    for (int l = 0; l < 2; l++) g_assert_cmpfloat(ratio[l], ==, 0);

    NsNoise noise = ns_run_noise(run);
    NsMeasure again = ns_model_measure(model, &run->batch, &noise);
    g_assert_true(memcmp(&again.loss, &step->loss, sizeof again.loss) == 0);
    ns_history_read(history, NS_QUANTITY_HIDDEN_NORM, 0, hidden, NULL, NULL);
    ns_history_read(history, NS_QUANTITY_HIDDEN_SQ, 0, hidden_sq, NULL, NULL);
    for (size_t l = 0; l < 3; l++) {
        g_assert_cmpfloat(hidden[l], ==, (float)again.hidden[l].norm);
        g_assert_cmpfloat(hidden_sq[l], ==, (float)again.hidden[l].sq);
    }
}

/* The record of step k holds the update that led there and the state of the weights after it. */
static void test_run_steps(void)
{
    g_autoptr(NsRun) run = tiny_run((const char *const[]){"placement=pre", "warmup=5", NULL});
    NsModel *model = run->model;
    const NsTensorTable *table = ns_model_tensors(model);
    g_autofree ns_real *before = g_new(ns_real, table->size);
    for (int64_t k = 1; k <= 10; k++) {
        const ns_real *w = ns_model_weights(model);
        memcpy(before, w, table->size * sizeof *before);
        g_assert_true(ns_run_step(run));
        const NsHistory *history = run->history;
        g_assert_cmpint(run->steps, ==, k);
        g_assert_cmpuint(ns_history_steps(history), ==, (size_t)k + 1);
        const NsStep *step = ns_history_step(history, (size_t)k);
        g_assert_cmpfloat(step->lr, ==, ns_schedule_lr(&run->settings, k));

        double weight[2] = {0}, update[2] = {0}, after[2] = {0}, chord[2] = {0};
        for (size_t i = 0; i < table->n; i++) {
            const NsTensor *t = &table->tensors[i];
            for (size_t j = t->offset; t->layer >= 0 && j < t->offset + ns_tensor_size(t); j++) {
                double u = (double)w[j] - (double)before[j];
                weight[t->layer] += (double)before[j] * (double)before[j];
                update[t->layer] += u * u;
                after[t->layer] += (double)w[j] * (double)w[j];
            }
        }
        /* Weights before and after, each divided by its norm, are as far apart as the chord. */
        for (size_t i = 0; i < table->n; i++) {
            const NsTensor *t = &table->tensors[i];
            int l = t->layer;
            for (size_t j = t->offset; l >= 0 && j < t->offset + ns_tensor_size(t); j++)
                chord[l] +=
                    pow((double)w[j] / sqrt(after[l]) - (double)before[j] / sqrt(weight[l]), 2);
        }
        float ratio[2], weights[2], updates[2], angles[2];
        ns_history_read(history, NS_QUANTITY_UPDATE_RATIO, (size_t)k, ratio, NULL, NULL);
        ns_history_read(history, NS_QUANTITY_WEIGHT_NORM, (size_t)k, weights, NULL, NULL);
        ns_history_read(history, NS_QUANTITY_UPDATE_NORM, (size_t)k, updates, NULL, NULL);
        ns_history_read(history, NS_QUANTITY_UPDATE_ANGLE, (size_t)k, angles, NULL, NULL);
        for (int l = 0; l < 2; l++) {
            assert_close((double)ratio[l], sqrt(update[l] / weight[l]), 1e-3);
            assert_close((double)weights[l], sqrt(weight[l]), 1e-5);
            assert_close((double)updates[l], sqrt(update[l]), 1e-3);
            assert_close((double)angles[l], 2 * asin(sqrt(chord[l]) / 2), 1e-3);
        }
    }
    /* After steps 0, 4 and 8; and once more where one was made already. */
    g_assert_cmpuint(ns_history_evaluations(run->history), ==, 3);
    double last = ns_run_evaluate(run);
    g_assert_cmpfloat(ns_run_evaluate(run), ==, last);
    g_assert_cmpuint(ns_history_evaluations(run->history), ==, 4);
    g_assert_cmpint(ns_history_evaluation(run->history, 3)->step, ==, 10);
}

static void test_run_learns(void)
{
    g_autoptr(NsRun) run = tiny_run((const char *const[]){"placement=pre", "lr=0.01", NULL});
    double before = ns_run_evaluate(run);
    for (int i = 0; i < 100; i++) ns_run_step(run);
    g_assert_cmpfloat(ns_run_evaluate(run), <, before - 0.5);
}

static void test_run_reset(void)
{
    g_autoptr(NsRun) run = tiny_run(NULL);
    g_autoptr(NsRun) other = tiny_run(NULL);
    for (int i = 0; i < 9; i++) ns_run_step(run);
    for (int i = 0; i < 9; i++) ns_run_step(other);
    assert_same_history(run->history, other->history);

    g_autoptr(NsHistory) first = ns_history_ref(run->history);
    ns_run_reset(run);
    g_assert_true(run->history != first);
    g_assert_cmpuint(ns_history_steps(run->history), ==, 1);
    for (int i = 0; i < 9; i++) ns_run_step(run);
    assert_same_history(run->history, first);
}

/* A copy of the run's settings with some live ones changed, as a slider would. */
static void set_live(NsRun *run, const char *const *changes)
{
    NsSettings settings;
    ns_settings_copy(&settings, &run->settings);
    for (; *changes; changes++) set(&settings, *changes);
    ns_run_set_live(run, &settings);
    ns_settings_clear(&settings);
}

static const NsEvent *event_at(NsRun *run, size_t i)
{
    g_assert_cmpuint(ns_history_events(run->history), >, i);
    return ns_history_event(run->history, i);
}

static void test_run_live(void)
{
    g_autoptr(NsRun) run = tiny_run(NULL);
    ns_run_step(run);
    const NsSettings *settings = &run->settings;
    ns_run_set_live(run, settings);
    /* What needs a new run is left alone. */
    set_live(run, (const char *const[]){"layers=9", "seed=8", "optimizer=sgd", NULL});
    g_assert_cmpint(settings->layers, ==, 2);
    g_assert_cmpint(settings->seed, ==, 1);
    g_assert_cmpuint(ns_history_events(run->history), ==, 0);

    set_live(run, (const char *const[]){"lr=0.5", "warmup=10", NULL});
    g_assert_cmpuint(ns_history_events(run->history), ==, 2);
    const NsEvent *event = event_at(run, 0);
    g_assert_cmpint(event->kind, ==, NS_EVENT_SETTING);
    g_assert_cmpint(event->step, ==, 2);
    g_assert_cmpstr(event->what, ==, "lr");
    g_assert_nonnull(strstr(event->text, "0.003"));
    g_assert_nonnull(strstr(event->text, "0.5"));
    g_assert_cmpstr(event_at(run, 1)->what, ==, "warmup");
    g_assert_cmpstr(event_at(run, 1)->text, ==, "Warm-up changed from off to 10 at step 2.");
    ns_run_step(run);
    assert_close(ns_history_step(run->history, 2)->lr, 0.5 * 2 / 10, 1e-15);

    set_live(run, (const char *const[]){"lr=0.25", "warmup=1", "schedule=linear", "decay-start=1",
                                        "decay-steps=5", NULL});
    g_assert_cmpstr(event_at(run, 4)->what, ==, "schedule");
    g_assert_cmpstr(event_at(run, 5)->what, ==, "decay-start");
    g_assert_cmpstr(event_at(run, 6)->what, ==, "decay-steps");
    ns_run_step(run);
    assert_close(ns_history_step(run->history, 3)->lr, 0.25 / 2, 1e-15);

    /* A warm-up that would be over by now has no effect, and says so. */
    set_live(run, (const char *const[]){"warmup=4", NULL});
    g_assert_nonnull(strstr(event_at(run, 7)->text,
                            "Warm-up changed from off to 4 at step 4, when "
                            "it was over: the learning rate stays the same. Reset "));
    set_live(run, (const char *const[]){"warmup=10000", NULL});
    g_assert_cmpstr(event_at(run, 8)->text, ==, "Warm-up changed from 4 to 10,000 at step 4.");
    set_live(run, (const char *const[]){"warmup=1", NULL});

    /* Out of range, and no number at all. */
    NsSettings wild = *settings;
    wild.lr = 1e9;
    wild.warmup = -5;
    wild.schedule = 99;
    wild.clip = -1;
    unsigned linear = settings->schedule;
    ns_run_set_live(run, &wild);
    assert_close(settings->lr, 100, 0);
    g_assert_cmpint(settings->warmup, ==, 1);
    g_assert_cmpuint(settings->schedule, ==, linear);
    g_assert_cmpfloat(settings->clip, ==, 0);
    wild.lr = (double)NAN;
    ns_run_set_live(run, &wild);
    assert_close(settings->lr, 100, 0);
}

/* A run begins with what was set before its first step: nothing was changed. */
static void test_run_live_before_step(void)
{
    g_autoptr(NsRun) run = tiny_run(NULL);
    set_live(run, (const char *const[]){"lr=0.5", "warmup=10", NULL});
    g_assert_cmpint(run->settings.warmup, ==, 10);
    ns_run_step(run);
    g_assert_cmpuint(ns_history_events(run->history), ==, 0);
    assert_close(ns_history_step(run->history, 1)->lr, 0.5 / 10, 1e-15);
}

/* Decay and clipping act from the next step on, and measured norms are those before clipping. */
static void test_run_live_regularizers(void)
{
    const char *const sgd[] = {"optimizer=sgd", "lr=1", "schedule=constant", NULL};
    g_autoptr(NsRun) run = tiny_run(sgd);
    set_live(run, (const char *const[]){"clip=0.001", NULL});
    NsModel *model = run->model;
    const NsTensorTable *table = ns_model_tensors(model);
    double measured = ns_history_step(run->history, 0)->grad_norm;
    g_assert_cmpfloat(measured, >, 0.01);
    double update[2] = {0}, weight = 0;
    for (int k = 0; k < 2; k++) {
        g_autofree ns_real *before =
            g_memdup2(ns_model_weights(model), table->size * sizeof(ns_real));
        ns_run_step(run);
        for (size_t i = 0; i < table->size; i++) {
            double u = (double)ns_model_weights(model)[i] - (double)before[i];
            update[k] += u * u;
        }
        for (size_t i = 0; i < table->n; i++) {
            const NsTensor *t = &table->tensors[i];
            double norm = ns_real_norm(before + t->offset, ns_tensor_size(t));
            if (t->decay) weight += k ? norm * norm : 0;
        }
        set_live(run, (const char *const[]){"weight-decay=0.01", NULL});
    }
    g_assert_cmpfloat_with_epsilon(sqrt(update[0]), 0.001, 2e-5);
    g_assert_cmpfloat(weight, >, 0);
    g_assert_cmpfloat_with_epsilon(sqrt(update[1]), 0.01 * sqrt(weight),
                                   0.001 + 0.01 * sqrt(weight) * 0.01);
}

/* Every optimizer trains, and leaves the same bits the second time. */
static void test_run_optimizers(void)
{
    for (size_t i = 0; ns_optimizer_choice(i); i++) {
        const char *key = ns_optimizer_choice(i)->key;
        g_autofree char *choice = g_strdup_printf("optimizer=%s", key);
        const char *rate = g_str_equal(key, "sgd") ? "lr=0.2" : "lr=0.01";
        g_autoptr(NsRun) run = tiny_run((const char *const[]){
            "placement=pre", choice, rate, "momentum=0.9", "weight-decay=0.01", "clip=1", NULL});
        double before = ns_run_evaluate(run);
        for (int k = 0; k < 60; k++) g_assert_true(ns_run_step(run));
        double after = ns_run_evaluate(run);
        g_test_message("%s: %.3f to %.3f", key, before, after);
        g_assert_cmpfloat(after, <, before - 0.3);
        g_autoptr(NsHistory) first = ns_history_ref(run->history);
        ns_run_reset(run);
        for (int k = 0; k < 60; k++) ns_run_step(run);
        ns_run_evaluate(run);
        assert_same_history(first, run->history);
    }
}

/* ---- Divergence ---- */

static const NsEvent *divergence(NsRun *run, int64_t step)
{
    g_assert_true(run->diverged);
    g_assert_false(ns_run_step(run));
    NsHistory *history = run->history;
    g_assert_cmpuint(ns_history_steps(history), ==, (size_t)step + 1);
    const NsEvent *event = ns_history_event(history, ns_history_events(history) - 1);
    g_assert_cmpint(event->kind, ==, NS_EVENT_DIVERGED);
    g_assert_cmpint(event->step, ==, step);
    return event;
}

static void test_diverges(void)
{
    const char *const wild[] = {"placement=none", "layers=30", "lr=100", NULL};
    g_autoptr(NsRun) run = tiny_run(wild);
    for (int i = 0; i < 50 && ns_run_step(run);) i++;
    int64_t step = run->steps;
    const NsEvent *event = divergence(run, step);
    g_test_message("%s", event->text);
    g_assert_cmpstr(event->what, ==, "hidden state");
    g_assert_cmpint(event->layer, >=, 1);
    g_autofree char *expected =
        g_strdup_printf("Diverged at step %d: the hidden state after layer %d is not finite.",
                        (int)step, event->layer);
    g_assert_cmpstr(event->text, ==, expected);

    ns_run_reset(run);
    g_assert_false(run->diverged);
    g_assert_cmpuint(ns_history_events(run->history), ==, 1);
    g_assert_cmpint(ns_history_event(run->history, 0)->kind, ==, NS_EVENT_FIRST_LOSS);
}

/* A loss far above the start is not a divergence. */
static void test_bad_but_finite(void)
{
    g_autoptr(NsRun) run = tiny_run((const char *const[]){"lr=10", NULL});
    double start = ns_history_step(run->history, 0)->loss;
    for (int i = 0; i < 3; i++) g_assert_true(ns_run_step(run));
    g_assert_cmpfloat(ns_history_step(run->history, 3)->loss, >, 2 * start);
}

/* Fills a tensor with x and, at every third place, -x. */
static void overwrite(NsRun *run, const char *tensor, double x)
{
    NsModel *model = run->model;
    const NsTensor *t = ns_tensor_find(ns_model_tensors(model), tensor);
    g_assert_nonnull(t);
    for (size_t i = 0; i < ns_tensor_size(t); i++)
        ns_model_weights(model)[t->offset + i] = (ns_real)(i % 3 ? x : -x);
}

static void test_names(void)
{
    static const struct {
        const char *tensor, *what, *sentence;
        int layer;
    } rows[] = {
        {"tok_emb", "embedding", "the embedding is not finite", 0},
        {"blk1.ffn.w2", "hidden state", "the hidden state after layer 2 is not finite", 2},
        {"final_norm.gain", "hidden state", "the hidden state after the final norm is not finite",
         0},
        {"head", "loss", "the loss is not finite", 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(NsRun) run = tiny_run((const char *const[]){"placement=pre", "lr=0", NULL});
        overwrite(run, rows[i].tensor, (double)INFINITY);
        g_assert_false(ns_run_step(run));
        const NsEvent *event = divergence(run, 1);
        g_assert_cmpstr(event->what, ==, rows[i].what);
        g_assert_cmpint(event->layer, ==, rows[i].layer);
        g_assert_nonnull(strstr(event->text, rows[i].sentence));
    }
}

/* A finite loss whose gradient overflows on its way back through the head. */
static void test_names_gradient(void)
{
    g_autoptr(NsRun) run =
        tiny_run((const char *const[]){"placement=pre", "lr=0", "seq=1", "batch=1", NULL});
    overwrite(run, "final_norm.gain", 1e-30);
    overwrite(run, "head", 3e38);
    g_assert_false(ns_run_step(run));
    g_assert_true(isfinite(ns_history_step(run->history, 1)->loss));
    const NsEvent *event = divergence(run, 1);
    g_test_message("%s", event->text);
    g_assert_cmpstr(event->what, ==, "final_norm.bias");
    g_assert_cmpstr(event->text, ==, "Diverged at step 1: the gradient of β_final is not finite.");
}

/* Without an epsilon a weight that has no gradient is updated by 0 / 0. */
static void test_names_update(void)
{
    g_autoptr(NsRun) run = tiny_run((const char *const[]){"eps=0", "batch=1", NULL});
    g_assert_false(ns_run_step(run));
    const NsEvent *event = divergence(run, 1);
    g_assert_cmpstr(event->what, ==, "tok_emb");
    g_assert_cmpstr(event->text, ==, "Diverged at step 1: the update of W_tok is not finite.");
}

/* Fills the newest gradient of a tensor. */
static void push(NsRun *run, const char *tensor, double x)
{
    NsModel *model = run->model;
    const NsTensor *t = ns_tensor_find(ns_model_tensors(model), tensor);
    ns_real *gradients = (ns_real *)(uintptr_t)ns_model_gradients(model);
    g_assert_nonnull(t);
    for (size_t i = 0; i < ns_tensor_size(t); i++) gradients[t->offset + i] = (ns_real)x;
}

/* The square of a finite gradient overflows: the weight would stay where it is for ever. */
static void test_names_second_moment(void)
{
    static const char *const optimizers[] = {"optimizer=adam", "optimizer=adamw", "optimizer=radam",
                                             "optimizer=muon"};
    for (size_t i = 0; i < G_N_ELEMENTS(optimizers); i++) {
        g_autoptr(NsRun) run =
            tiny_run((const char *const[]){optimizers[i], "placement=none", "lr=0", NULL});
        /* The gradient is large in the first half of this network, and nowhere before it. */
        overwrite(run, "blk1.ffn.w1", 0);
        overwrite(run, "blk1.ffn.b1", 1);
        overwrite(run, "blk1.ffn.w2", 1e24);
        g_assert_true(ns_run_step(run));
        g_assert_false(ns_run_step(run));
        g_assert_true(isfinite(ns_history_step(run->history, 2)->loss));
        const NsEvent *event = divergence(run, 2);
        bool matrices = !g_str_equal(optimizers[i], "optimizer=muon");
        g_assert_cmpstr(event->what, ==, matrices ? "blk1.ffn.w1" : "blk1.ffn.b1");
        g_assert_cmpint(event->layer, ==, 2);
        g_autofree char *sentence = g_strdup_printf("Diverged at step 2: the second moment of %s "
                                                    "of layer 2 overflowed; some of its weights "
                                                    "are frozen.",
                                                    matrices ? "W1" : "b1");
        g_assert_cmpstr(event->text, ==, sentence);
        ns_run_reset(run);
        g_assert_true(ns_run_step(run) && ns_run_step(run));
    }
}

/* A model whose gradient becomes 1e21 and more while its loss is finite all the time: at step 6, or
 * later with instructions that round otherwise. */
static void test_frozen(void)
{
    g_autoptr(NsRun) run =
        tiny_run((const char *const[]){"placement=none", "layers=12", "d-model=64", "heads=4",
                                       "init-scale=2", "seq=8", "threads=1", NULL});
    for (int i = 0; i < 300 && ns_run_step(run);) i++;
    const NsEvent *event = divergence(run, run->steps);
    g_assert_nonnull(strstr(event->text, "the second moment of "));
}

/* Where a first moment overflows, so does the update. */
static void test_names_first_moment(void)
{
    static const struct {
        const char *optimizer, *tensor;
    } rows[] = {{"optimizer=sgd", "blk1.ffn.b1"}, {"optimizer=muon", "blk1.ffn.w1"}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(NsRun) run =
            tiny_run((const char *const[]){rows[i].optimizer, "momentum=0.9", "lr=1e-38", NULL});
        int steps = 0;
        do push(run, rows[i].tensor, 1e38);
        while (++steps < 20 && ns_run_step(run));
        const NsEvent *event = divergence(run, steps);
        g_assert_cmpstr(event->what, ==, rows[i].tensor);
        g_assert_nonnull(strstr(event->text, "the update of "));
    }
}

static void test_refused(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    set(&settings, "d-model=30");
    GError *error = NULL;
    g_assert_null(ns_run_new(&settings, &error));
    g_assert_nonnull(error);
    g_clear_error(&error);

    set(&settings, "d-model=8192");
    set(&settings, "layers=10000");
    g_assert_null(ns_run_new(&settings, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_MEMORY);
    g_clear_error(&error);
    ns_settings_clear(&settings);
}

/* Steps without a record lead to the same weights, and the next record to the same values. */
static void test_run_without_measuring(void)
{
    static const char *const clips[] = {"clip=0", "clip=0.5"};
    for (size_t i = 0; i < G_N_ELEMENTS(clips); i++) {
        const char *const more[] = {clips[i], "probe-every=2", NULL};
        g_autoptr(NsRun) all = tiny_run(more), some = tiny_run(more);
        for (int step = 1; step <= 9; step++) {
            ns_run_set_measuring(some, step < 3 || step > 6);
            g_assert_true(ns_run_step(all) && ns_run_step(some));
            if (step == 2) g_assert_cmpuint(ns_history_steps(some->history), ==, 3);
        }
        const NsHistory *history = some->history, *whole = all->history;
        g_assert_cmpint(some->steps, ==, 9);
        g_assert_cmpint(ns_history_first_step(history), ==, 7);
        g_assert_cmpuint(ns_history_steps(history), ==, 3);
        g_assert_cmpuint(ns_history_evaluations(history), ==, 1);
        for (size_t k = 0; k < 3; k++)
            g_assert_true(memcmp(ns_history_step(history, k), ns_history_step(whole, 7 + k),
                                 offsetof(NsStep, seconds)) == 0);
        size_t bytes = ns_model_tensors(all->model)->size * sizeof(ns_real);
        g_assert_true(memcmp(ns_model_weights(all->model), ns_model_weights(some->model), bytes) ==
                      0);
    }
}

static void check_sequences(NsRun *run, NsQuantity tokens, NsQuantity equal, const int32_t *token,
                            const int32_t *length, size_t T)
{
    const NsHistory *history = run->history;
    size_t B = run->batch.B;
    double all = 0, shares = 0;
    for (size_t b = 0; b < B; b++, token += T) {
        int32_t n = length[b], pairs = 0;
        for (int32_t i = 0; i < n * n; i++) pairs += i / n != i % n && token[i / n] == token[i % n];
        all += n;
        shares += (double)pairs / (n - 1);
    }
    float found[2];
    bool has[2] = {false, false};
    size_t last = ns_history_steps(history) - 1;
    ns_history_read(history, tokens, last, &found[0], NULL, &has[0]);
    ns_history_read(history, equal, last, &found[1], NULL, &has[1]);
    g_assert_true(has[0] && has[1]);
    assert_close((double)found[0], all / (double)B, 1e-6);
    assert_close((double)found[1], shares / all, 1e-6);
}

/* The tokens of every sequence, and how many pairs of them are equal. */
static void test_counted_tokens(void)
{
    static const char *const cases[][3] = {
        {"task=copy"},
        {"task=random", "vocab=2"},
        {"task=sort", "arch=encoder-decoder"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(NsRun) run = tiny_run(cases[i]);
        g_assert_true(ns_run_step(run));
        const NsBatch *batch = &run->batch;
        check_sequences(run, NS_QUANTITY_TOKENS, NS_QUANTITY_EQUAL_TOKENS, batch->tokens,
                        batch->length, batch->T);
        if (batch->S)
            check_sequences(run, NS_QUANTITY_SOURCE_TOKENS, NS_QUANTITY_EQUAL_SOURCE, batch->source,
                            batch->source_length, batch->S);
    }
}

/* What is not measured keeps its value, on a batch with another number of tokens, too. */
static void test_measures_kept(void)
{
    const char *const more[] = {"task=copy", "placement=pre", NULL};
    g_autoptr(NsRun) run = tiny_run(more);
    NsModel *model = run->model;
    NsBatch batch;
    ns_batch_init_for(&batch, &run->settings);
    ns_corpus_train_batch(run->corpus, 1, 0, &batch);
    NsMeasure all = ns_model_measure(model, &batch, NULL);
    double sq = all.hidden[1].sq, branch = all.sublayers[0].branch, gradient = all.grad_sq[0];
    for (size_t b = 0; b < batch.B; b++) batch.length[b] = 2;
    ns_model_set_measuring(model, NS_MEASURING_LOSS);
    NsMeasure loss = ns_model_measure(model, &batch, NULL);
    g_assert_true(loss.loss < all.loss || loss.loss > all.loss);
    g_assert_true(loss.hidden[1].sq == sq && loss.sublayers[0].branch == branch);
    g_assert_true(loss.final_sq == all.final_sq && loss.grad_sq[0] == gradient);
    ns_batch_clear(&batch);
}

/* Independent letters have nothing but their frequencies: the loss arrives there and stays, which
 * is noted once. */
static void test_stuck(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    GString *text = g_string_new(NULL);
    while (text->len < 20000) g_string_append_c(text, "aaab"[g_rand_int_range(random, 0, 4)]);
    g_autofree char *path = NULL;
    g_close(g_file_open_tmp("normscope-XXXXXX.txt", &path, NULL), NULL);
    g_assert_true(g_file_set_contents(path, text->str, -1, NULL));
    g_string_free(text, TRUE);
    g_autofree char *named = g_strconcat("text=", path, NULL);
    g_autoptr(NsRun) run = tiny_run((const char *const[]){named, "lr=0.003", NULL});
    g_unlink(path);
    const NsHistory *history = run->history;
    NsBaselines baselines = ns_history_baselines(history);
    g_assert_cmpfloat_with_epsilon(baselines.uniform, log(2), 1e-12);
    g_assert_cmpfloat_with_epsilon(baselines.frequencies, 0.75 * log(4.0 / 3) + 0.25 * log(4),
                                   0.01);
    g_assert_true(baselines.letters);
    for (int i = 0; i < 400; i++) g_assert_true(ns_run_step(run));
    size_t stuck = 0;
    for (size_t i = 0; i < ns_history_events(history); i++)
        stuck += ns_history_event(history, i)->kind == NS_EVENT_STUCK;
    g_assert_cmpuint(stuck, ==, 1);
    g_assert_nonnull(
        strstr(ns_history_event(history, 0)->text, "character frequencies alone give 0.56"));
}

/* A first loss far above that of a uniform guess is an event with both numbers; another is none. */
static void test_first_loss(void)
{
    g_autoptr(NsRun) usual = tiny_run(NULL);
    g_assert_cmpuint(ns_history_events(usual->history), ==, 0);
    g_autoptr(NsRun) high = tiny_run((const char *const[]){"placement=none", "layers=24", NULL});
    const NsHistory *history = high->history;
    g_assert_cmpuint(ns_history_events(history), ==, 1);
    const NsEvent *event = ns_history_event(history, 0);
    g_autofree char *uniform = g_strdup_printf("= %.2f", ns_history_baselines(history).uniform);
    g_autofree char *loss = g_strdup_printf("%.3g", ns_history_step(history, 0)->loss);
    g_test_message("%s", event->text);
    g_assert_cmpint(event->kind, ==, NS_EVENT_FIRST_LOSS);
    g_assert_nonnull(strstr(event->text, uniform));
    g_assert_true(strstr(event->text, loss) || strchr(event->text, ','));
    g_assert_true(g_str_has_suffix(event->text, "."));
    g_assert_true(ns_run_step(high));
    g_assert_cmpint(ns_history_event(history, 0)->step, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/train/run/record-0", test_run_record_0);
    g_test_add_func("/train/run/first-loss", test_first_loss);
    g_test_add_func("/train/run/steps", test_run_steps);
    g_test_add_func("/train/run/measures-kept", test_measures_kept);
    g_test_add_func("/train/run/counted-tokens", test_counted_tokens);
    g_test_add_func("/train/run/learns", test_run_learns);
    g_test_add_func("/train/run/reset", test_run_reset);
    g_test_add_func("/train/run/live", test_run_live);
    g_test_add_func("/train/run/live-before-step", test_run_live_before_step);
    g_test_add_func("/train/run/live-regularizers", test_run_live_regularizers);
    g_test_add_func("/train/run/optimizers", test_run_optimizers);
    g_test_add_func("/train/run/without-measuring", test_run_without_measuring);
    g_test_add_func("/train/run/diverges", test_diverges);
    g_test_add_func("/train/run/bad-but-finite", test_bad_but_finite);
    g_test_add_func("/train/run/names", test_names);
    g_test_add_func("/train/run/names-gradient", test_names_gradient);
    g_test_add_func("/train/run/names-update", test_names_update);
    g_test_add_func("/train/run/names-second-moment", test_names_second_moment);
    g_test_add_func("/train/run/names-first-moment", test_names_first_moment);
    g_test_add_func("/train/run/frozen", test_frozen);
    g_test_add_func("/train/run/refused", test_refused);
    g_test_add_func("/train/stuck", test_stuck);
    return g_test_run();
}
