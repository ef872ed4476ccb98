/* Sweeps over two settings.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/param.h"
#include "core/study/phase.h"
#include "core/train/run.h"
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

static NsPhase *make(const char *x_text, const char *y_text, int64_t steps, GError **error)
{
    NsSettings settings;
    ns_test_small_settings(&settings);
    settings.threads = 2; /* which a cell does not have */
    settings.optimizer = (unsigned)ns_choices_find(ns_param_find("optimizer")->choices, "sgd");
    g_auto(NsStudyAxis) x = {0}, y = {0};
    g_assert_true(ns_study_axis_read(&x, x_text, error) && ns_study_axis_read(&y, y_text, error));
    NsPhase *phase = ns_phase_new(&settings, &x, &y, steps, error);
    ns_settings_clear(&settings);
    return phase;
}

static void start(NsPhase *phase, unsigned workers)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_phase_start(phase, workers, &error));
    g_assert_no_error(error);
}

static void assert_same(double a, double b)
{
    g_assert_true(a == b || (isnan(a) && isnan(b)));
}

static void assert_same_cells(NsPhase *a, NsPhase *b)
{
    for (size_t i = 0; i < ns_phase_cells(a); i++) {
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
    ns_phase_cell_settings(phase, i, &settings);
    settings.threads = 1;
    settings.eval_every = 0;
    settings.steps = STEPS;
    g_autoptr(NsRun) run = ns_run_new(&settings, &error);
    ns_settings_clear(&settings);
    g_assert_no_error(error);
    while (ns_run_steps(run) < STEPS && ns_run_step(run)) continue;
    g_assert_cmpint(cell.step, ==, ns_run_steps(run));
    g_assert_cmpint(cell.state, ==, ns_run_diverged(run) ? NS_CELL_DIVERGED : NS_CELL_DONE);
    g_assert_true(cell.first == ns_history_step(ns_run_history(run), 0)->loss);
    if (ns_run_diverged(run)) {
        g_assert_true(isnan(cell.loss) && isnan(cell.validation));
        g_assert_true(g_str_has_prefix(cell.text, "Diverged at step"));
        return;
    }
    double sum = 0;
    for (size_t k = STEPS + 1 - NS_CELL_LAST; k <= STEPS; k++)
        sum += ns_history_step(ns_run_history(run), k)->loss;
    g_assert_cmpfloat_with_epsilon(cell.loss, sum / NS_CELL_LAST, 1e-12);
    g_assert_true(cell.validation == ns_run_evaluate(run));
}

static void test_cells(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsPhase) one = make("lr=0.01,0.1,100", "warmup=1,10", STEPS, &error);
    g_autoptr(NsPhase) three = make("lr=0.01,0.1,100", "warmup=1,10", STEPS, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ns_phase_progress(one).finished, ==, 0);
    g_assert_true(isnan(ns_phase_progress(one).seconds_left));
    unsigned version = ns_phase_version(one);
    start(one, 1);
    start(three, 3);
    g_assert_true(ns_phase_wait(one, WAIT_MS) && ns_phase_wait(three, WAIT_MS));
    assert_same_cells(one, three);
    for (size_t i = 0; i < ns_phase_cells(one); i++) assert_cell(one, i);
    g_assert_cmpint(ns_phase_cell(one, 0).state, ==, NS_CELL_DONE);
    g_assert_cmpint(ns_phase_cell(one, 2).state, ==, NS_CELL_DIVERGED);
    NsPhaseProgress progress = ns_phase_progress(one);
    g_assert_cmpuint(progress.finished, ==, 6);
    g_assert_cmpuint(ns_phase_version(one) - version, >=, 2 * 6);
    g_assert_cmpuint(progress.cells, ==, 6);
    g_assert_false(progress.going);
    g_assert_cmpfloat(progress.seconds_left, ==, 0);
}

/* Stopped in the middle of a cell and begun again, the result is the same. */
static void test_stop(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsPhase) whole = make("lr=0.01,0.1", "seed=1,2", 300, &error);
    g_autoptr(NsPhase) halved = make("lr=0.01,0.1", "seed=1,2", 300, &error);
    g_assert_no_error(error);
    start(halved, 1);
    while (ns_phase_cell(halved, 1).step < 5) g_usleep(200);
    ns_phase_stop(halved);
    g_assert_true(ns_phase_wait(halved, WAIT_MS));
    g_assert_cmpint(ns_phase_cell(halved, 0).state, ==, NS_CELL_DONE);
    NsStudyCell stopped = ns_phase_cell(halved, 1);
    g_assert_cmpint(stopped.state, ==, NS_CELL_WAITING);
    g_assert_cmpint(stopped.step, ==, 0);
    g_assert_cmpint(ns_phase_cell(halved, 2).state, ==, NS_CELL_WAITING);
    unsigned version = ns_phase_version(halved);
    start(halved, 2);
    start(whole, 1);
    g_assert_true(ns_phase_wait(halved, WAIT_MS) && ns_phase_wait(whole, WAIT_MS));
    assert_same_cells(whole, halved);
    g_assert_cmpuint(ns_phase_version(halved), !=, version);
}

/* A sweep that its owner gives up ends by itself. */
static void test_abandoned(void)
{
    g_autoptr(GError) error = NULL;
    NsPhase *phase = make("lr=0.01,0.1", "seed=1,2", 1000000, &error);
    g_assert_no_error(error);
    start(phase, 2);
    while (ns_phase_cell(phase, 0).step < 2) g_usleep(200);
    ns_phase_unref(phase);
}

static void test_refused(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(make("lr=0.1,1", "lr=1,2", STEPS, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_clear_error(&error);
    g_assert_null(make("lr=0.1,1", "warmup=1,2", 0, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_clear_error(&error);
    /* The third column is impossible: 16 features are not shared by 3 heads. */
    g_assert_null(make("heads=1,2,3", "warmup=1,2", STEPS, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_assert_nonnull(strstr(error->message, "heads=3"));
}

static void test_json(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsPhase) phase = make("lr=0.01,100", "warmup=1", STEPS, &error);
    start(phase, 1);
    g_assert_true(ns_phase_wait(phase, WAIT_MS));
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
    g_test_add_func("/study/phase/abandoned", test_abandoned);
    g_test_add_func("/study/phase/refused", test_refused);
    g_test_add_func("/study/phase/json", test_json);
    return g_test_run();
}
