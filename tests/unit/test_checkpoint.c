/* Checkpoints, forks and lanes in lockstep.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/assignment.h"
#include "core/optim/optimizer.h"
#include "core/train/lockstep.h"
#include "core/train/run.h"

#include <math.h>
#include <string.h>

#define THREADS "threads=2"
#define ALL_THREADS 4

static void assign(NsSettings *settings, const char *assignments)
{
    g_auto(GStrv) words = g_strsplit(assignments, " ", -1);
    GError *error = NULL;
    for (char **word = words; *word; word++)
        if (**word) ns_settings_assign(settings, *word, &error);
    g_assert_no_error(error);
}

static void tiny_settings(NsSettings *settings, const char *assignments)
{
    ns_settings_init(settings);
    assign(settings, "layers=2 d-model=16 heads=2 seq=12 batch=4 eval-every=4 eval-batches=2 "
                     "momentum=0.9 " THREADS);
    assign(settings, assignments);
}

static NsRun *tiny_run(const char *assignments)
{
    NsSettings settings;
    GError *error = NULL;
    tiny_settings(&settings, assignments);
    NsRun *run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    ns_settings_clear(&settings);
    return run;
}

static NsCheckpoint *take(NsRun *run)
{
    GError *error = NULL;
    NsCheckpoint *checkpoint = ns_run_checkpoint(run, &error);
    g_assert_no_error(error);
    return checkpoint;
}

/* A fork with these changes to the checkpoint's own settings. */
static NsRun *fork_of(NsCheckpoint *checkpoint, const char *assignments)
{
    NsSettings settings;
    GError *error = NULL;
    ns_settings_copy(&settings, &checkpoint->settings);
    assign(&settings, assignments);
    NsRun *run = ns_run_fork(checkpoint, &settings, &error);
    g_assert_no_error(error);
    ns_settings_clear(&settings);
    return run;
}

static void steps(NsRun *run, int n)
{
    for (int i = 0; i < n; i++) g_assert_true(ns_run_step(run));
}

/* Records from..end of one history are those of the other from its first, bit for bit but for the
 * time they took. */
static void assert_continues(const NsHistory *whole, size_t from, const NsHistory *rest)
{
    const NsRecordLayout *layout = ns_history_layout(whole);
    g_auto(NsValues) x = ns_values_new(layout->width), y = ns_values_new(layout->width);
    g_assert_cmpuint(ns_history_steps(whole), ==, from + ns_history_steps(rest));
    for (size_t i = 0; i < ns_history_steps(rest); i++) {
        const NsStep *a = ns_history_step(whole, from + i), *b = ns_history_step(rest, i);
        g_assert_true(memcmp(a, b, offsetof(NsStep, seconds)) == 0);
        for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
            NsBucket p = ns_history_read(whole, q, from + i, x.value, NULL, x.has);
            NsBucket r = ns_history_read(rest, q, i, y.value, NULL, y.has);
            g_assert_cmpint(p.first, ==, r.first);
            g_assert_cmpint(p.last, ==, r.last);
            if (memcmp(x.value, y.value, layout->count[q] * sizeof *x.value) == 0 &&
                memcmp(x.has, y.has, layout->count[q] * sizeof *x.has) == 0)
                continue;
            g_test_message("%s differs at step %d", ns_quantity(q)->choice.key, (int)a->step);
            g_test_fail();
        }
    }
    size_t n = ns_history_evaluations(whole), m = ns_history_evaluations(rest);
    for (size_t i = 0; i < m; i++) {
        const NsEvaluation *a = ns_history_evaluation(whole, n - m + i);
        const NsEvaluation *b = ns_history_evaluation(rest, i);
        g_assert_cmpint(a->step, ==, b->step);
        g_assert_true(memcmp(&a->loss, &b->loss, sizeof a->loss) == 0);
    }
}

static void assert_same_arena(NsRun *a, NsRun *b)
{
    size_t n = ns_model_tensors(a->model)->size;
    g_assert_cmpuint(n, ==, ns_model_tensors(b->model)->size);
    g_assert_true(
        memcmp(ns_model_weights(a->model), ns_model_weights(b->model), n * sizeof(ns_real)) == 0);
}

static void assert_same_weights(NsRun *a, NsRun *b)
{
    size_t na, nb;
    assert_same_arena(a, b);
    const ns_real *x = ns_model_state(a->model, &na);
    const ns_real *y = ns_model_state(b->model, &nb);
    g_assert_cmpuint(na, ==, nb);
    g_assert_true(!na || memcmp(x, y, na * sizeof *x) == 0);
}

/* ---- Without a change ---- */

static void test_continues(gconstpointer data)
{
    for (int at = 0; at <= 8; at += 4) {
        g_autoptr(NsRun) run = tiny_run(data);
        steps(run, at);
        g_autoptr(NsCheckpoint) checkpoint = take(run);
        g_assert_cmpint(checkpoint->step, ==, at);
        steps(run, 7);

        g_autoptr(NsRun) fork = fork_of(checkpoint, "");
        g_assert_cmpint(fork->steps, ==, at);
        g_assert_cmpint(ns_history_first_step(fork->history), ==, at);
        g_assert_cmpuint(ns_history_events(fork->history), ==, 0);
        steps(fork, 7);
        assert_continues(run->history, (size_t)at, fork->history);
        assert_same_weights(run, fork);

        /* Back to its beginning, and a fork of the fork. */
        ns_run_reset(fork);
        steps(fork, 3);
        g_autoptr(NsCheckpoint) second = take(fork);
        g_autoptr(NsRun) grandchild = fork_of(second, "");
        steps(fork, 4);
        steps(grandchild, 4);
        assert_continues(run->history, (size_t)at, fork->history);
        assert_continues(run->history, (size_t)at + 3, grandchild->history);
    }
}

static void test_outlives(void)
{
    NsRun *run = tiny_run("");
    steps(run, 3);
    NsCheckpoint *checkpoint = take(run);
    g_assert_cmpuint(ns_checkpoint_bytes(checkpoint), >=,
                     3 * ns_model_tensors(run->model)->elements * sizeof(ns_real));
    steps(run, 1);
    double loss = ns_history_step(run->history, 4)->loss;
    ns_run_free(run);
    NsRun *fork = fork_of(checkpoint, "");
    ns_checkpoint_unref(checkpoint);
    steps(fork, 1);
    g_assert_cmpfloat(ns_history_step(fork->history, 1)->loss, ==, loss);
    ns_run_free(fork);
}

/* Live changes belong to what is kept. */
static void test_live(void)
{
    g_autoptr(NsRun) run = tiny_run("warmup=3");
    steps(run, 4);
    NsSettings settings;
    ns_settings_copy(&settings, &run->settings);
    assign(&settings, "lr=0.02 clip=0.5 schedule=cosine decay-start=2 decay-steps=20");
    ns_run_set_live(run, &settings);
    ns_settings_clear(&settings);
    steps(run, 1); /* that they act on */
    g_autoptr(NsCheckpoint) checkpoint = take(run);
    g_autoptr(NsRun) fork = fork_of(checkpoint, "");
    steps(run, 5);
    steps(fork, 5);
    assert_continues(run->history, 5, fork->history);
}

static void test_diverged(void)
{
    g_autoptr(NsRun) run = tiny_run("placement=none layers=30 lr=100");
    while (ns_run_step(run)) g_assert_cmpint(run->steps, <, 50);
    g_autoptr(NsCheckpoint) checkpoint = take(run);
    g_autoptr(NsRun) fork = fork_of(checkpoint, "");
    g_assert_true(fork->diverged);
    /* The run has an event of its first loss, which is before the fork. */
    const NsHistory *history = run->history;
    const NsEvent *a = ns_history_event(history, ns_history_events(history) - 1);
    const NsEvent *b = ns_history_event(fork->history, 0);
    g_assert_cmpstr(a->text, ==, b->text);
}

/* ---- With changes ---- */

static const ns_real *tensor_of(NsRun *run, const char *name, size_t *n)
{
    const NsTensor *t = ns_tensor_find(ns_model_tensors(run->model), name);
    g_assert_nonnull(t);
    *n = ns_tensor_size(t);
    return ns_model_weights(run->model) + t->offset;
}

static void assert_same_tensor(NsRun *a, NsRun *b, const char *name)
{
    size_t n, m;
    const ns_real *x = tensor_of(a, name, &n), *y = tensor_of(b, name, &m);
    g_assert_cmpuint(n, ==, m);
    g_assert_true(memcmp(x, y, n * sizeof *x) == 0);
}

/* To another placement: what both have goes on, what is new is as drawn. */
static void test_placement(void)
{
    g_autoptr(NsRun) run = tiny_run("placement=post");
    steps(run, 6);
    g_autoptr(NsCheckpoint) checkpoint = take(run);
    g_autoptr(NsRun) fork = fork_of(checkpoint, "placement=pre");
    g_autoptr(NsRun) fresh = tiny_run("placement=pre");
    assert_same_tensor(run, fork, "tok_emb");
    assert_same_tensor(run, fork, "blk1.attn.wq");
    assert_same_tensor(run, fork, "blk0.norm1.gain");
    assert_same_tensor(fresh, fork, "final_norm.gain");
    const NsHistory *history = fork->history;
    g_assert_cmpint(ns_history_step(history, 0)->step, ==, 6);
    g_assert_cmpuint(ns_history_events(history), ==, 1);
    const NsEvent *event = ns_history_event(history, 0);
    g_assert_cmpint(event->kind, ==, NS_EVENT_SETTING);
    g_assert_cmpint(event->step, ==, 6);
    g_assert_cmpstr(event->what, ==, "placement");

    /* The same measured with a model that was given these weights. */
    GError *error = NULL;
    NsVocab vocab = ns_corpus_vocab(fork->corpus, &fork->settings);
    g_autoptr(NsModel) model = ns_model_new(&fork->settings, vocab, &error);
    g_assert_no_error(error);
    memcpy(ns_model_weights(model), ns_model_weights(fork->model),
           ns_model_tensors(model)->size * sizeof(ns_real));
    NsNoise noise = {.training = true, .seed = 1, .step = 6};
    NsMeasure seen = ns_model_measure(model, &fork->batch, &noise);
    g_assert_cmpfloat(seen.loss, ==, ns_history_step(history, 0)->loss);
    steps(fork, 3);
}

static void test_shapes(void)
{
    g_autoptr(NsRun) run = tiny_run("placement=pre");
    steps(run, 5);
    g_autoptr(NsCheckpoint) checkpoint = take(run);
    g_autoptr(NsRun) deep = fork_of(checkpoint, "layers=4");
    g_autoptr(NsRun) fresh = tiny_run("placement=pre layers=4");
    assert_same_tensor(run, deep, "blk1.ffn.w2");
    assert_same_tensor(fresh, deep, "blk3.ffn.w2");
    steps(deep, 3);

    g_autoptr(NsRun) shallow = fork_of(checkpoint, "layers=1");
    assert_same_tensor(run, shallow, "blk0.ffn.w2");
    steps(shallow, 3);

    /* Another width fits nothing but what has none. */
    g_autoptr(NsRun) wide = fork_of(checkpoint, "d-model=24 d-ff=64");
    g_autoptr(NsRun) fresh_wide = tiny_run("placement=pre d-model=24 d-ff=64");
    assert_same_tensor(fresh_wide, wide, "tok_emb");
    assert_same_tensor(fresh_wide, wide, "blk0.norm1.gain");
    assert_same_tensor(run, wide, "blk0.ffn.b1");
    steps(wide, 3);
}

/* What Admin derives from a pass is there in every new run and fork, and the same after a reset. */
static void test_profiled(void)
{
    g_autoptr(NsRun) fresh = tiny_run("placement=admin");
    size_t n;
    const ns_real *gain = tensor_of(fresh, "blk1.ffn.stream_gain", &n);
    g_assert_cmpfloat((double)gain[0], >, 1.01);
    g_autoptr(NsRun) again = tiny_run("placement=admin");
    steps(again, 3);
    ns_run_reset(again);
    assert_same_weights(fresh, again);

    g_autoptr(NsRun) run = tiny_run("placement=post");
    steps(run, 5);
    g_autoptr(NsCheckpoint) checkpoint = take(run);
    g_autoptr(NsRun) fork = fork_of(checkpoint, "placement=admin");
    assert_same_tensor(fresh, fork, "blk1.ffn.stream_gain");
    assert_same_tensor(run, fork, "blk1.ffn.w1");
}

/* Moments that begin with the fork are corrected from there on: the first update of a new tensor
 * is as large as the first of a new run, its rate. */
static void test_new_moments(void)
{
    g_autoptr(NsRun) run = tiny_run("optimizer=sgd lr=0.05 schedule=constant");
    steps(run, 30);
    g_autoptr(NsCheckpoint) checkpoint = take(run);
    g_autoptr(NsRun) fork = fork_of(checkpoint, "optimizer=adam lr=0.001");
    size_t n;
    const ns_real *w = tensor_of(fork, "blk0.ffn.w1", &n);
    g_autofree ns_real *before = g_memdup2(w, n * sizeof *w);
    steps(fork, 1);
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs((double)(w[i] - before[i])));
    g_assert_cmpfloat_with_epsilon(largest, 0.001, 2e-5);

    /* Adam's kin take its moments over. */
    g_autoptr(NsRun) adam = tiny_run("optimizer=adam");
    steps(adam, 10);
    g_autoptr(NsCheckpoint) kept = take(adam);
    g_autoptr(NsRun) adamw = fork_of(kept, "optimizer=adamw");
    steps(adam, 5);
    steps(adamw, 5);
    assert_same_weights(adam, adamw);
}

/* Another value of a setting, whatever it is. */
static char *changed(const NsSettings *settings, const NsParam *param)
{
    if (param->type == NS_PARAM_TEXT) return g_strdup_printf("%s=other", param->key);
    double value = ns_settings_get_number(settings, param);
    if (param->type == NS_PARAM_INT) return g_strdup_printf("%s=%.0f", param->key, value + 1);
    if (param->type == NS_PARAM_REAL) return g_strdup_printf("%s=%g", param->key, value / 2 + 0.05);
    const NsChoice *next = param->choices((size_t)value + 1);
    return g_strdup_printf("%s=%s", param->key, (next ? next : param->choices(0))->key);
}

/* What NS_EFFECT_FORK says: other values of these settings ask for the same tensors, with the same
 * initial values, and a fork takes them over. */
static void test_effect(void)
{
    static const char *const placements[] = {"post", "pre", "deepnorm", "admin"};
    for (size_t k = 0; k < G_N_ELEMENTS(placements); k++) {
        g_autofree char *placed = g_strdup_printf("placement=%s norm=batchnorm", placements[k]);
        g_autoptr(NsRun) run = tiny_run(placed);
        g_autoptr(NsCheckpoint) fresh = take(run);
        steps(run, 2);
        g_autoptr(NsCheckpoint) later = take(run);
        for (size_t i = 0; ns_param(i); i++) {
            if (ns_param(i)->effect != NS_EFFECT_FORK) continue;
            g_autofree char *change = changed(&run->settings, ns_param(i));
            g_test_message("%s", change);
            g_autofree char *both = g_strconcat(placed, " ", change, NULL);
            g_autoptr(NsRun) new_run = tiny_run(both);
            g_autoptr(NsRun) fork = fork_of(fresh, change);
            /* A profile is taken with what the settings are; a fork keeps that of the other. */
            bool profiled = ns_model_needs_profile(run->model);
            if (!profiled) assert_same_arena(new_run, fork);
            g_autoptr(NsRun) later_fork = fork_of(later, change);
            assert_same_arena(run, later_fork);
        }
    }
}

static size_t jumps_of(NsRun *run)
{
    const NsHistory *history = run->history;
    size_t jumps = 0;
    for (size_t i = 0; i < ns_history_events(history); i++)
        jumps += ns_history_event(history, i)->kind == NS_EVENT_SPIKE;
    return jumps;
}

/* What a fork has learnt is compared with what it has learnt, not with another loss. */
static void test_jumps(void)
{
    g_autoptr(NsRun) run = tiny_run("batch=16 seq=32 lr=0.01 warmup=1");
    steps(run, 16);
    g_assert_cmpuint(jumps_of(run), ==, 0);
    g_autoptr(NsCheckpoint) checkpoint = take(run);
    /* The same loss, from weights that are far worse. */
    NsRun *spoilt = fork_of(checkpoint, "");
    ns_real *w = ns_model_weights(spoilt->model);
    for (size_t i = 0; i < ns_model_tensors(spoilt->model)->size; i++) w[i] *= 8;
    steps(spoilt, 1);
    g_assert_cmpuint(jumps_of(spoilt), ==, 1);
    ns_run_free(spoilt);
    /* Another loss, from the same weights. */
    g_autoptr(NsRun) other = fork_of(checkpoint, "label-smoothing=0.9");
    const NsHistory *before = run->history, *after = other->history;
    g_assert_cmpfloat(ns_history_step(after, 0)->loss, >, 1.25 * ns_history_step(before, 16)->loss);
    steps(other, 3);
    g_assert_cmpuint(jumps_of(other), ==, 0);
}

static void test_refused(void)
{
    g_autoptr(NsRun) run = tiny_run("");
    g_autoptr(NsCheckpoint) checkpoint = take(run);
    NsSettings settings;
    GError *error = NULL;
    ns_settings_copy(&settings, &checkpoint->settings);
    assign(&settings, "d-model=15");
    g_assert_null(ns_run_fork(checkpoint, &settings, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_clear_error(&error);
    ns_settings_clear(&settings);
}

/* ---- Lockstep ---- */

static void experiment_of(NsExperiment *experiment, const char *const *lanes, size_t n)
{
    NsSettings settings[NS_LANES_MAX];
    const NsSettings *borrowed[NS_LANES_MAX] = {0};
    for (size_t i = 0; i < n; i++) {
        tiny_settings(&settings[i], lanes[i]);
        borrowed[i] = &settings[i];
    }
    ns_experiment_set_lanes(experiment, borrowed, n);
    for (size_t i = 0; i < n; i++) ns_settings_clear(&settings[i]);
}

static NsLockstep *lanes_of(const char *const *lanes, size_t n, GError **error)
{
    g_auto(NsExperiment) experiment = {0};
    experiment_of(&experiment, lanes, n);
    return ns_lockstep_new(&experiment, NULL, NULL, NULL, error);
}

static void test_lockstep(void)
{
    static const char *const lanes[] = {
        "threads=" G_STRINGIFY(ALL_THREADS) " placement=post",
        "threads=" G_STRINGIFY(ALL_THREADS) " placement=pre",
        "threads=1 placement=post layers=5 dropout=0.1",
        "threads=1 placement=sandwich optimizer=sgd lr=0.1",
    };
    for (size_t n = 1; n <= G_N_ELEMENTS(lanes); n++) {
        GError *error = NULL;
        g_autoptr(NsLockstep) lockstep = lanes_of(lanes, n, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(ns_lockstep_lanes(lockstep), ==, n);
        int64_t threads = 0;
        for (int k = 0; k < 6; k++) g_assert_true(ns_lockstep_step(lockstep));
        ns_lockstep_reset(lockstep);
        for (int k = 0; k < 9; k++) g_assert_true(ns_lockstep_step(lockstep));
        for (size_t i = 0; i < n; i++) {
            NsRun *lane = ns_lockstep_run(lockstep, i, 0);
            g_assert_cmpint(lane->steps, ==, 9);
            threads += lane->settings.threads;
            g_autoptr(NsRun) alone = ns_run_new(&lane->settings, &error);
            g_assert_no_error(error);
            steps(alone, 9);
            assert_continues(alone->history, 0, lane->history);
            g_assert_true(memcmp(lane->batch.tokens, ns_lockstep_run(lockstep, 0, 0)->batch.tokens,
                                 4 * 12 * sizeof(int32_t)) == 0);
        }
        g_assert_cmpint(threads, ==, MAX(ALL_THREADS, (int)n));
        if (n > 1) {
            ns_lockstep_reset(lockstep);
            assert_same_tensor(ns_lockstep_run(lockstep, 0, 0), ns_lockstep_run(lockstep, 1, 0),
                               "blk1.attn.wq");
        }
    }
}

/* Every seed is the run that it is alone, a fork of all goes on as they do, and they share the
 * batches. */
static void test_lockstep_seeds(void)
{
    static const char *const lanes[] = {"threads=1 seed=4 seeds=3 placement=pre",
                                        "threads=1 seeds=3 optimizer=sgd lr=0.1"};
    GError *error = NULL;
    g_autoptr(NsLockstep) lockstep = lanes_of(lanes, 2, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ns_lockstep_seeds(lockstep), ==, 3);
    for (int k = 0; k < 3; k++) g_assert_true(ns_lockstep_step(lockstep));
    NsCheckpoint *origins[2];
    for (size_t i = 0; i < 2; i++) {
        origins[i] = ns_lockstep_checkpoint(lockstep, i, &error);
        g_assert_cmpuint(ns_checkpoint_seeds(origins[i]), ==, 3);
        size_t size = 0;
        for (size_t k = 0; k < 3; k++)
            size += ns_run_checkpoint_size(ns_lockstep_run(lockstep, i, k));
        g_assert_cmpuint(ns_checkpoint_bytes(origins[i]), ==, size);
    }
    ns_lockstep_reset(lockstep);
    for (int k = 0; k < 7; k++) g_assert_true(ns_lockstep_step(lockstep));
    g_auto(NsExperiment) experiment = {0};
    experiment_of(&experiment, lanes, 2);
    g_autoptr(NsLockstep) fork = ns_lockstep_new(&experiment, origins, NULL, NULL, &error);
    g_assert_no_error(error);
    for (int k = 0; k < 4; k++) g_assert_true(ns_lockstep_step(fork));
    for (size_t i = 0; i < 2; i++) {
        NsHistory *first = ns_lockstep_run(lockstep, i, 0)->history;
        g_assert_cmpuint(ns_history_seeds(first), ==, 3);
        for (size_t k = 0; k < 3; k++) {
            NsRun *run = ns_lockstep_run(lockstep, i, k);
            g_assert_cmpint(run->settings.seed, ==, (i ? 1 : 4) + (int64_t)k);
            g_assert_true(ns_history_seed(first, k) == run->history);
            g_autoptr(NsRun) alone = ns_run_new(&run->settings, &error);
            g_assert_no_error(error);
            steps(alone, 7);
            assert_continues(alone->history, 0, run->history);
            assert_continues(run->history, 3, ns_lockstep_run(fork, i, k)->history);
            g_assert_true(memcmp(run->batch.tokens, ns_lockstep_run(lockstep, 0, 0)->batch.tokens,
                                 4 * 12 * sizeof(int32_t)) == 0);
        }
    }
    experiment.lane[0].seeds = experiment.lane[1].seeds = 2;
    g_assert_null(ns_lockstep_new(&experiment, origins, NULL, NULL, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_clear_error(&error);
    for (size_t i = 0; i < 2; i++) ns_checkpoint_unref(origins[i]);
}

static void test_lockstep_diverges(void)
{
    static const char *const lanes[] = {"placement=pre", "placement=none layers=30 lr=100"};
    GError *error = NULL;
    g_autoptr(NsLockstep) lockstep = lanes_of(lanes, 2, &error);
    g_assert_no_error(error);
    for (int k = 0; k < 50; k++) g_assert_true(ns_lockstep_step(lockstep));
    g_assert_cmpint(ns_lockstep_run(lockstep, 0, 0)->steps, ==, 50);
    g_assert_true(ns_lockstep_run(lockstep, 1, 0)->diverged);
    g_assert_cmpint(ns_lockstep_run(lockstep, 1, 0)->steps, <, 50);

    static const char *const both[] = {"placement=none layers=400", "placement=none layers=401"};
    g_autoptr(NsLockstep) dead = lanes_of(both, 2, &error);
    g_assert_no_error(error);
    g_assert_false(ns_lockstep_step(dead));
}

static void test_lockstep_refused(void)
{
    static const struct {
        const char *second, *named;
    } rows[] = {
        {"batch=5", "batch"},  {"seq=13", "seq is"},     {"data-seed=2", "data-seed"},
        {"task=copy", "task"}, {"arch=encoder", "arch"}, {"d-model=15", "d-model"},
        {"vocab=9", "vocab"},  {"steps=9", "steps"},     {"eval-batches=9", "eval-batches"}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        GError *error = NULL;
        g_assert_null(lanes_of((const char *const[]){"", rows[i].second}, 2, &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
        g_assert_nonnull(strstr(error->message, rows[i].named));
        g_clear_error(&error);
    }
    GError *error = NULL;
    g_assert_null(ns_lockstep_new(&(NsExperiment){0}, NULL, NULL, NULL, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_clear_error(&error);
}

/* Lanes may differ in every setting but those that the table calls shared. */
static void test_lockstep_shared(void)
{
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        NsSettings a, b;
        ns_settings_init(&a);
        ns_settings_init(&b);
        double number = ns_settings_get_number(&a, param);
        bool choice = param->type == NS_PARAM_CHOICE;
        g_autofree char *other = param->type == NS_PARAM_TEXT ? g_strdup("post*2")
                                 : choice ? g_strdup(param->choices(number < 1 ? 1 : 0)->key)
                                 : number < param->most ? g_strdup_printf("%.17g", param->most)
                                                        : g_strdup_printf("%.17g", param->least);
        GError *error = NULL;
        ns_settings_set(&b, param->key, other, &error);
        g_assert_no_error(error);
        g_auto(NsExperiment) both = {0};
        ns_experiment_set_lanes(&both, (const NsSettings *[]){&a, &b}, 2);
        g_assert_true(ns_lockstep_check(&both, NULL, &error) == !param->shared);
        if (error) g_assert_nonnull(strstr(error->message, "give them the same"));
        g_clear_error(&error);
        ns_settings_clear(&a);
        ns_settings_clear(&b);
    }
}

/* A run that begins with the weights only has made no update. */
static void test_weights_only(void)
{
    g_autoptr(NsRun) run = tiny_run("placement=pre");
    for (int step = 0; step < 3; step++) g_assert_true(ns_run_step(run));
    g_autoptr(NsCheckpoint) trained = take(run);
    g_autoptr(NsCheckpoint) weights = ns_checkpoint_of_weights(trained, NULL);
    g_autoptr(NsRun) tuned = fork_of(weights, "");
    g_assert_cmpint(tuned->steps, ==, 0);
    g_assert_true(memcmp(ns_model_weights(tuned->model), trained->w,
                         trained->table.size * sizeof *trained->w) == 0);
    float value[2];
    bool has[2] = {true, true};
    ns_history_read(tuned->history, NS_QUANTITY_ADAM_RMS, 0, value, NULL, has);
    g_assert_false(has[0] || has[1]);
    g_assert_true(ns_run_step(tuned));
    ns_history_read(tuned->history, NS_QUANTITY_ADAM_RMS, 1, value, NULL, has);
    g_assert_true(has[0] && has[1]);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *settings;
    } continued[] = {
        {"adam", ""},
        {"sgd", "optimizer=sgd lr=0.1 clip=0.5 weight-decay=0.001"},
        {"radam", "optimizer=radam beta2=0.9 placement=pre"},
        {"muon", "optimizer=muon weight-decay=0.01"},
        {"dropout", "dropout=0.2 drop-path=0.3 label-smoothing=0.1"},
        {"batchnorm", "norm=batchnorm placement=pre"},
        {"admin", "placement=admin"},
        {"probes", "placement=pre probe-every=4 probe-batches=2 norm=batchnorm"},
        {"curvature", "curvature-every=4 threads=2"},
        {"schedule", "warmup=6 schedule=cosine decay-start=6 decay-steps=12"},
        {"encoder", "arch=encoder"},
        {"encoder-decoder", "arch=encoder-decoder task=reverse dropout=0.1 tie-embeddings=off"},
        {"batch-tokens", "arch=encoder-decoder task=translation tokenizer=bpe vocab=300 seq=40 "
                         "batch-tokens=160 probe-every=4 probe-batches=2 bleu-sentences=2"},
    };
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(continued); i++) {
        g_autofree char *path = g_strdup_printf("/checkpoint/continues/%s", continued[i].name);
        g_test_add_data_func(path, continued[i].settings, test_continues);
    }
    g_test_add_func("/checkpoint/outlives", test_outlives);
    g_test_add_func("/checkpoint/weights-only", test_weights_only);
    g_test_add_func("/checkpoint/live", test_live);
    g_test_add_func("/checkpoint/diverged", test_diverged);
    g_test_add_func("/fork/placement", test_placement);
    g_test_add_func("/fork/shapes", test_shapes);
    g_test_add_func("/fork/profiled", test_profiled);
    g_test_add_func("/fork/new-moments", test_new_moments);
    g_test_add_func("/fork/effect", test_effect);
    g_test_add_func("/fork/jumps", test_jumps);
    g_test_add_func("/fork/refused", test_refused);
    g_test_add_func("/lockstep/alone", test_lockstep);
    g_test_add_func("/lockstep/seeds", test_lockstep_seeds);
    g_test_add_func("/lockstep/diverges", test_lockstep_diverges);
    g_test_add_func("/lockstep/refused", test_lockstep_refused);
    g_test_add_func("/lockstep/shared", test_lockstep_shared);
    return g_test_run();
}
