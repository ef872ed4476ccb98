/* Sweeps over two settings.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/param.h"
#include "core/study/phase.h"
#include "core/train/run.h"
#include "tests/unit/studies.h"
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

#define STEPS 12
#define WAIT_MS 600000

static void assert_axis(const char *text, const char *back)
{
    g_auto(NsStudyAxis) axis = {0};
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_study_axis_read(&axis, text, &error));
    g_assert_no_error(error);
    g_autofree char *read = ns_study_axis_text(&axis);
    g_assert_cmpstr(read, ==, back);
    g_auto(NsStudyAxis) again = {0};
    g_assert_true(ns_study_axis_read(&again, read, &error));
    g_assert_cmpuint(again.n, ==, axis.n);
}

static void test_axes(void)
{
    assert_axis("lr=1e-4:1e-1:7", "lr=0.0001,0.000316,0.001,0.00316,0.01,0.0316,0.1");
    assert_axis("warmup=1,10,100", "warmup=1,10,100");
    assert_axis(" layers = 2 , 4", "layers=2,4");
    assert_axis("layers=1:4:9", "layers=1,2,3,4"); /* whole numbers, each once */
    assert_axis("dropout=0:0.3:4", "dropout=0,0.1,0.2,0.3");
    assert_axis("dropout=0.1:0.9:5", "dropout=0.1,0.3,0.5,0.7,0.9"); /* a linear slider */
    assert_axis("lr=1e-3:5e-3:5:linear", "lr=0.001,0.002,0.003,0.004,0.005");
    assert_axis("dropout=0.001:0.1:3:log", "dropout=0.001,0.01,0.1");
    assert_axis("placement=post,pre", "placement=post,pre");
    assert_axis("lr=1e-3,0.001", "lr=0.001");
    static const char *const wrong[] = {
        "",           "lr",          "nothing=1,2", "lr=",
        "lr=1,x",     "lr=1:2",      "lr=1:2:1",    "lr=1:2:65",
        "lr=1:2:2.5", "lr=1:2:3:4",  "lr=-1:2:3",   "layers=1.5,2",
        "steps=1,2",  "threads=1,2", "text=a,b",    "placement=post:pre:2"};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_auto(NsStudyAxis) axis = {0};
        g_assert_false(ns_study_axis_read(&axis, wrong[i], &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    }
}

/* The view of a sweep of one lane, whose work it keeps. */
static NsPhase *make(const char *x_text, const char *y_text, int64_t steps, NsStudyWork **work,
                     GError **error)
{
    NsSettings settings;
    ns_test_small_settings(&settings);
    settings.threads = 2; /* which a cell does not have */
    settings.optimizer = (unsigned)ns_choices_find(ns_param_find("optimizer")->choices, "sgd");
    g_auto(NsStudyAxis) x = {0}, y = {0};
    g_auto(NsStudy) study;
    ns_study_init(&study);
    g_assert_true(ns_study_axis_read(&x, x_text, error) && ns_study_axis_read(&y, y_text, error));
    bool good = ns_phase_study(&study, (const NsSettings *[]){&settings}, 1, &x, &y, steps, error);
    ns_settings_clear(&settings);
    if (!good) return NULL;
    *work = ns_study_work_new(&study, NULL, NULL);
    return ns_phase_new(*work, 0, 0, 1, error);
}

static void start(NsStudyWork *work, unsigned jobs)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_study_work_start(work, jobs, &error));
    g_assert_no_error(error);
}

static void assert_same(double a, double b)
{
    g_assert_true(a == b || (isnan(a) && isnan(b)));
}

static void assert_same_cells(NsPhase *a, NsPhase *b)
{
    for (size_t i = 0; i < a->cells; i++) {
        NsStudyCell p = ns_phase_cell(a, i), q = ns_phase_cell(b, i);
        g_assert_cmpint(p.state, ==, q.state);
        g_assert_cmpint(p.step, ==, q.step);
        assert_same(p.first, q.first);
        assert_same(p.loss, q.loss);
        assert_same(p.validation, q.validation);
        g_assert_cmpstr(p.text, ==, q.text);
    }
}

/* A cell is what a run of its own gives. */
static void assert_cell(NsPhase *phase, size_t i)
{
    g_autoptr(GError) error = NULL;
    NsStudyCell cell = ns_phase_cell(phase, i);
    NsSettings settings;
    ns_settings_copy(&settings, phase->settings);
    const NsStudyAxis *x = phase->x, *y = phase->y;
    ns_settings_set(&settings, x->param->key, x->values[i % x->n], NULL);
    ns_settings_set(&settings, y->param->key, y->values[i / x->n], NULL);
    settings.threads = 1;
    settings.eval_every = 0;
    settings.steps = STEPS;
    g_autoptr(NsRun) run = ns_run_new(&settings, &error);
    ns_settings_clear(&settings);
    g_assert_no_error(error);
    while (run->steps < STEPS && ns_run_step(run)) continue;
    g_assert_cmpint(cell.step, ==, run->steps);
    g_assert_cmpint(cell.state, ==, run->diverged ? NS_CELL_DIVERGED : NS_CELL_DONE);
    g_assert_true(cell.first == ns_history_step(run->history, 0)->loss);
    if (run->diverged) {
        g_assert_true(isnan(cell.loss) && isnan(cell.validation));
        g_assert_true(g_str_has_prefix(cell.text, "Diverged at step"));
        return;
    }
    double sum = 0;
    for (size_t k = STEPS + 1 - NS_CELL_LAST; k <= STEPS; k++)
        sum += ns_history_step(run->history, k)->loss;
    g_assert_cmpfloat_with_epsilon(cell.loss, sum / NS_CELL_LAST, 1e-12);
    g_assert_true(cell.validation == ns_run_evaluate(run));
}

static void test_cells(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsStudyWork) first = NULL, second = NULL;
    g_autoptr(NsPhase) one = make("lr=0.01,0.1,100", "warmup=1,10", STEPS, &first, &error);
    g_autoptr(NsPhase) three = make("lr=0.01,0.1,100", "warmup=1,10", STEPS, &second, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ns_study_work_progress(first).ended, ==, 0);
    g_assert_true(isnan(ns_study_work_progress(first).seconds_left));
    unsigned version = ns_study_work_version(one->work);
    start(first, 1);
    start(second, 3);
    g_assert_true(ns_study_work_wait(first, WAIT_MS) && ns_study_work_wait(second, WAIT_MS));
    assert_same_cells(one, three);
    for (size_t i = 0; i < one->cells; i++) assert_cell(one, i);
    g_assert_cmpint(ns_phase_cell(one, 0).state, ==, NS_CELL_DONE);
    g_assert_cmpint(ns_phase_cell(one, 2).state, ==, NS_CELL_DIVERGED);
    NsStudyWorkProgress progress = ns_study_work_progress(first);
    g_assert_cmpuint(progress.ended, ==, 6);
    g_assert_cmpuint(ns_study_work_version(one->work) - version, >=, 2 * 6);
    g_assert_cmpuint(progress.cells, ==, 6);
    g_assert_false(progress.going);
    g_assert_cmpfloat(progress.seconds_left, ==, 0);
}

/* Stopped in the middle of a cell and begun again, the result is the same. */
static void test_stop(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsStudyWork) first = NULL, second = NULL;
    g_autoptr(NsPhase) whole = make("lr=0.01,0.1", "seed=1,2", 300, &first, &error);
    g_autoptr(NsPhase) halved = make("lr=0.01,0.1", "seed=1,2", 300, &second, &error);
    g_assert_no_error(error);
    start(second, 1);
    while (ns_phase_cell(halved, 1).step < 5) g_usleep(200);
    ns_study_work_stop(second);
    g_assert_true(ns_study_work_wait(second, WAIT_MS));
    g_assert_cmpint(ns_phase_cell(halved, 0).state, ==, NS_CELL_DONE);
    NsStudyCell stopped = ns_phase_cell(halved, 1);
    g_assert_cmpint(stopped.state, ==, NS_CELL_WAITING);
    g_assert_cmpint(stopped.step, ==, 0);
    g_assert_cmpint(ns_phase_cell(halved, 2).state, ==, NS_CELL_WAITING);
    double seconds = ns_phase_cell(halved, 0).seconds;
    unsigned version = ns_study_work_version(halved->work);
    start(second, 2);
    start(first, 1);
    g_assert_true(ns_study_work_wait(first, WAIT_MS) && ns_study_work_wait(second, WAIT_MS));
    assert_same_cells(whole, halved);
    g_assert_cmpuint(ns_study_work_version(halved->work), !=, version);
    g_assert_true(ns_phase_cell(halved, 0).seconds == seconds); /* it did not run again */
}

/* Stopped and begun again at once, while threads are at their last step or have seen the stop. */
static void test_stop_start(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsStudyWork) work = NULL;
    g_autoptr(NsPhase) phase = make("lr=0.01,0.1", "seed=1,2", 100, &work, &error);
    for (int i = 0; i < 30; i++) {
        start(work, 2);
        if (i % 2) g_usleep((gulong)i * 300);
        ns_study_work_stop(work);
    }
    start(work, 2);
    g_assert_true(ns_study_work_wait(work, WAIT_MS));
    g_assert_null(ns_study_work_take_failure(work));
    for (size_t i = 0; i < 4; i++) g_assert_cmpint(ns_phase_cell(phase, i).state, ==, NS_CELL_DONE);
}

/* Work that its owner gives up ends by itself. */
static void test_abandoned(void)
{
    g_autoptr(GError) error = NULL;
    NsStudyWork *work = NULL;
    NsPhase *phase = make("lr=0.01,0.1", "seed=1,2", 1000000, &work, &error);
    g_assert_no_error(error);
    start(work, 2);
    while (ns_phase_cell(phase, 0).step < 2) g_usleep(200);
    ns_phase_unref(phase);
    ns_study_work_unref(work);
}

static void assert_refused(const char *x, const char *y, int64_t steps, const char *word)
{
    g_autoptr(GError) error = NULL;
    NsStudyWork *work = NULL;
    g_assert_null(make(x, y, steps, &work, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_assert_nonnull(strstr(error->message, word));
}

static void test_refused(void)
{
    assert_refused("lr=0.1,1", "lr=1,2", STEPS, "Both axes are lr");
    assert_refused("lr=0.1,1", "warmup=1,2", 0, "0 steps");
    /* The third column is impossible: 16 features are not shared by 3 heads. */
    assert_refused("heads=1,2,3", "warmup=1,2", STEPS, "heads=3");
}

/* Made-up results: a cell is the mean of its seeds, and the best over the axis not shown. */
static void test_view(void)
{
    static const char text[] = "steps = 5\nseeds = 2\n[grid]\nlr = 0.1,0.2\nwarmup = 1,5\n"
                               "clip = 0,1,2\n";
    g_autoptr(GError) error = NULL;
    NsStudy study;
    ns_test_read_study(&study, text);
    size_t n = ns_study_cells(&study);
    g_assert_cmpuint(n, ==, 24);
    g_autofree NsStudyCell *cells = g_new(NsStudyCell, n);
    for (size_t i = 0; i < n; i++) {
        NsSettings settings;
        ns_study_cell_settings(&study, i, &settings);
        cells[i] = ns_cell_in(NS_CELL_DONE);
        cells[i].value = settings.lr * 10 + (double)settings.warmup + settings.clip * 100 +
                         0.5 * (double)ns_study_place(&study, i).seed;
        ns_settings_clear(&settings);
    }
    g_autoptr(NsStudyWork) work = ns_study_work_new(&study, NULL, NULL);
    ns_study_work_set_cells(work, cells);
    g_assert_null(ns_phase_new(work, 0, 1, 1, NULL));
    g_assert_null(ns_phase_new(work, 0, 0, 3, NULL));
    g_autoptr(NsPhase) phase = ns_phase_new(work, 0, 2, 0, &error);
    g_assert_cmpuint(phase->cells, ==, 6);
    double seeds[2];
    for (size_t i = 0; i < 6; i++) {
        double best = 100.0 * (double)(i % 3) + (i / 3 ? 2 : 1) + 1; /* warmup = 1 */
        g_assert_cmpfloat_with_epsilon(ns_phase_cell(phase, i).value, best + 0.25, 1e-9);
        ns_phase_seeds(phase, i, seeds);
        g_assert_cmpfloat_with_epsilon(seeds[0], best, 1e-9);
        g_assert_cmpfloat_with_epsilon(seeds[1], best + 0.5, 1e-9);
    }
}

static void test_json(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsStudyWork) work = NULL;
    g_autoptr(NsPhase) phase = make("lr=0.01,100", "warmup=1", STEPS, &work, &error);
    start(work, 1);
    g_assert_true(ns_study_work_wait(work, WAIT_MS));
    g_autofree char *text = ns_phase_json(phase);
    g_autoptr(JsonNode) node = ns_test_parse(text);
    JsonObject *object = json_node_get_object(node);
    g_assert_cmpint(json_object_get_int_member(object, "steps"), ==, STEPS);
    JsonArray *cells = json_object_get_array_member(object, "cells");
    g_assert_cmpuint(json_array_get_length(cells), ==, 2);
    JsonObject *done = json_array_get_object_element(cells, 0);
    JsonObject *diverged = json_array_get_object_element(cells, 1);
    g_assert_cmpstr(json_object_get_string_member(done, "state"), ==, "done");
    g_assert_true(json_object_get_double_member(done, "loss") == ns_phase_cell(phase, 0).loss);
    g_assert_cmpstr(json_object_get_string_member(diverged, "state"), ==, "diverged");
    g_assert_true(json_object_get_null_member(diverged, "loss"));
    g_assert_cmpstr(json_object_get_string_member(diverged, "x"), ==, "100");
    g_assert_nonnull(json_object_get_string_member(diverged, "message"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/study/phase/axes", test_axes);
    g_test_add_func("/study/phase/cells", test_cells);
    g_test_add_func("/study/phase/stop", test_stop);
    g_test_add_func("/study/phase/stop-start", test_stop_start);
    g_test_add_func("/study/phase/abandoned", test_abandoned);
    g_test_add_func("/study/phase/view", test_view);
    g_test_add_func("/study/phase/refused", test_refused);
    g_test_add_func("/study/phase/json", test_json);
    return g_test_run();
}
