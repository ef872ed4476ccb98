/* A run that was written as JSON lines comes back.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/assignment.h"
#include "core/store/jsonl.h"
#include "core/store/run_record.h"
#include "core/train/lockstep.h"
#include "tests/unit/support.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static bool read_text(NsRecordedRun *record, const char *text, GError **error)
{
    g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data(text, -1, NULL);
    return ns_run_record_read(record, G_MAXINT64, stream, NULL, error);
}

/* What the command line writes of lanes that are at rest after so many steps. */
static char *write_lanes(NsLockstep *lockstep)
{
    GString *text = g_string_new(NULL);
    size_t n = ns_lockstep_lanes(lockstep);
    for (size_t i = 0; i < n; i++) {
        g_autofree char *line = ns_jsonl_settings(ns_lockstep_run(lockstep, i, 0));
        g_autofree char *own = ns_jsonl_of(n > 1 ? i + 1 : 0, -1, line);
        g_string_append_printf(text, "%s\n", own);
    }
    size_t steps = ns_history_steps(ns_lockstep_run(lockstep, 0, 0)->history);
    for (size_t record = 0; record < steps; record++) {
        for (size_t i = 0; i < n * ns_lockstep_seeds(lockstep); i++) {
            NsRun *run = ns_lockstep_run(lockstep, i % n, i / n);
            g_autofree char *line = ns_jsonl_record(run->history, record);
            int64_t seed = ns_lockstep_seeds(lockstep) > 1 ? run->settings.seed : -1;
            g_autofree char *own = ns_jsonl_of(n > 1 ? i % n + 1 : 0, seed, line);
            g_string_append_printf(text, "%s\n", own);
        }
    }
    for (size_t i = 0; i < n; i++) {
        g_autofree char *line = ns_jsonl_summary(ns_lockstep_run(lockstep, i, 0), "finished");
        g_string_append_printf(text, "%s\n", line);
    }
    return g_string_free(text, FALSE);
}

static NsLockstep *make_lanes(const char *const *words, size_t n, size_t steps)
{
    NsSettings settings[NS_LANES_MAX];
    const NsSettings *each[NS_LANES_MAX];
    g_autoptr(GError) error = NULL;
    for (size_t i = 0; i < n; i++) {
        ns_test_small_settings(&settings[i]);
        ns_settings_assign_all(&settings[i], words[i], &error);
        g_assert_no_error(error);
        each[i] = &settings[i];
    }
    g_auto(NsExperiment) experiment = {0};
    ns_experiment_set_lanes(&experiment, each, n);
    NsLockstep *lockstep = ns_lockstep_new(&experiment, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    for (size_t i = 0; i < steps; i++) g_assert_true(ns_lockstep_step(lockstep));
    for (size_t i = 0; i < n; i++) ns_settings_clear(&settings[i]);
    return lockstep;
}

static bool same_values(NsValues a, NsValues b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool nan = isnan(a.value[i]);
        if (a.has[i] != b.has[i] || nan != isnan(b.value[i])) return false;
        if (!nan && memcmp(&a.value[i], &b.value[i], sizeof *a.value) != 0) return false;
    }
    return true;
}

static void assert_same(const NsHistory *a, const NsHistory *b)
{
    const NsRecordLayout *layout = ns_history_layout(a);
    g_assert_true(memcmp(layout, ns_history_layout(b), sizeof *layout) == 0);
    g_assert_cmpuint(ns_history_steps(a), ==, ns_history_steps(b));
    g_auto(NsValues) left = ns_values_new(layout->width), right = ns_values_new(layout->width);
    for (size_t i = 0; i < ns_history_steps(a); i++) {
        const NsStep *one = ns_history_step(a, i), *other = ns_history_step(b, i);
        g_assert_cmpint(one->step, ==, other->step);
        g_assert_cmpfloat(one->loss, ==, other->loss);
        g_assert_cmpfloat(one->lr, ==, other->lr);
        g_assert_cmpfloat(one->seconds, ==, other->seconds);
        g_assert_cmpfloat(one->probe_seconds, ==, other->probe_seconds);
        g_assert_cmpfloat(one->grad_norm, ==, other->grad_norm);
        for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
            ns_history_read(a, (NsQuantity)q, i, NULL, left.value, left.has);
            ns_history_read(b, (NsQuantity)q, i, NULL, right.value, right.has);
            if (!same_values(left, right, layout->count[q]))
                g_error("%s differs at step %zu", ns_quantity((NsQuantity)q)->choice.key, i);
        }
    }
    g_assert_cmpuint(ns_history_evaluations(a), ==, ns_history_evaluations(b));
    for (size_t i = 0; i < ns_history_evaluations(a); i++) {
        const NsEvaluation *one = ns_history_evaluation(a, i);
        g_assert_cmpint(one->step, ==, ns_history_evaluation(b, i)->step);
        g_assert_cmpfloat(one->loss, ==, ns_history_evaluation(b, i)->loss);
    }
}

static void test_one_lane(void)
{
    static const char *const words[] = {
        "placement=sandwich probe-every=2 eval-every=2 qk-norm=head clip=1",
        "arch=encoder-decoder decoder-layers=3 source-seq=4 probe-every=3 placement=pre",
        "optimizer=sgd activation=gelu final-norm=off placement=none",
        "layers=1 embedding-norm=on probe-every=1",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        g_autoptr(NsLockstep) lockstep = make_lanes(&words[i], 1, 5);
        g_autofree char *text = write_lanes(lockstep);
        g_autoptr(NsRecordedRun) record = ns_recorded_run_new("run.jsonl");
        g_autoptr(GError) error = NULL;
        read_text(record, text, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(record->experiment.n, ==, 1);
        g_assert_cmpuint(record->messages.length, ==, 0);
        assert_same(ns_lockstep_run(lockstep, 0, 0)->history, record->histories[0]);
    }
}

static void test_lanes(void)
{
    static const char *const words[] = {"placement=post layers=3", "placement=pre layers=2",
                                        "placement=deepnorm layers=3"};
    g_autoptr(NsLockstep) lockstep = make_lanes(words, 3, 4);
    g_autofree char *text = write_lanes(lockstep);
    g_autoptr(NsRecordedRun) record = ns_recorded_run_new("run.jsonl");
    g_autoptr(GError) error = NULL;
    read_text(record, text, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(record->experiment.n, ==, 3);
    for (size_t i = 0; i < 3; i++) {
        NsRun *run = ns_lockstep_run(lockstep, i, 0);
        const NsSettings *settings = &record->experiment.lane[i];
        g_assert_cmpint(settings->placement, ==, run->settings.placement);
        g_assert_cmpint(settings->layers, ==, run->settings.layers);
        assert_same(run->history, record->histories[i]);
    }
}

static void test_seeds(void)
{
    static const char *const words[] = {"seed=5 seeds=3 placement=pre", "seeds=3"};
    g_autoptr(NsLockstep) lockstep = make_lanes(words, 2, 3);
    g_autofree char *text = write_lanes(lockstep);
    g_autoptr(NsRecordedRun) record = ns_recorded_run_new("run.jsonl");
    g_autoptr(GError) error = NULL;
    read_text(record, text, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(record->messages.length, ==, 0);
    g_assert_cmpuint(record->experiment.n, ==, 2);
    for (size_t i = 0; i < 2; i++) {
        g_assert_cmpuint(ns_history_seeds(record->histories[i]), ==, 3);
        for (size_t k = 0; k < 3; k++)
            assert_same(ns_lockstep_run(lockstep, i, k)->history,
                        ns_history_seed(record->histories[i], k));
    }
    /* A seed without a line has no curve. */
    g_autoptr(NsRecordedRun) part = ns_recorded_run_new("run.jsonl");
    g_autofree char *cut = g_strndup(text, (size_t)(strstr(text, "\"seed\":7") - text));
    g_assert_false(read_text(part, cut, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
}

/* ---- Texts by hand ---- */

#define HEAD "{\"settings\":{\"layers\":2,\"heads\":2,\"d-model\":8},\"layers\":2}\n"
#define REST ",\"grad_norm\":{\"total\":2,\"w1\":[1,\"NaN\"]},\"grad_layer\":[1e300,null]"
#define STEP(n) "{\"step\":" #n ",\"loss\":\"Infinity\",\"lr\":1e-3,\"seconds\":1" REST "}\n"

static void test_special_values(void)
{
    static const char text[] = HEAD
        "\r\n{\"step\":7,\"loss\":1,\"new\":[[[1]]]" REST ",\"validation_loss\":\"NaN\",\"events\":"
        "[{\"kind\":\"spike\",\"layer\":2,\"what\":\"w1\",\"text\":\"It jumped.\"},"
        "{\"kind\":\"new\"},7,{\"kind\":\"diverged\",\"layer\":99,\"what\":3}]}\n" STEP(8);
    g_autoptr(NsRecordedRun) record = ns_recorded_run_new("run.jsonl");
    g_autoptr(GError) error = NULL;
    read_text(record, text, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(record->messages.length, ==, 0);
    const NsHistory *history = record->histories[0];
    g_assert_cmpint(ns_history_first_step(history), ==, 7);
    g_assert_cmpuint(ns_history_steps(history), ==, 2);
    g_assert_true(isinf(ns_history_step(history, 1)->loss));
    float values[2];
    bool has[3];
    ns_history_read(history, NS_QUANTITY_GRAD_W1, 0, NULL, values, has);
    g_assert_true(has[0] && has[1] && values[0] == 1.0F && isnan(values[1]));
    ns_history_read(history, NS_QUANTITY_GRAD_LAYER, 0, NULL, values, has);
    g_assert_true(has[0] && isinf(values[0]) && !has[1]);
    g_assert_cmpuint(ns_history_layout(history)->count[NS_QUANTITY_GRAD_WQ], ==, 0);
    ns_history_read(history, NS_QUANTITY_HIDDEN_NORM, 0, NULL, NULL, has);
    g_assert_true(!has[0] && !has[2]);
    g_assert_true(isnan(ns_history_evaluation(history, 0)->loss));
    g_assert_cmpuint(ns_history_events(history), ==, 2);
    const NsEvent *spike = ns_history_event(history, 0), *end = ns_history_event(history, 1);
    g_assert_cmpint(spike->kind, ==, NS_EVENT_SPIKE);
    g_assert_cmpint(spike->layer, ==, 2);
    g_assert_cmpint(spike->step, ==, 7);
    g_assert_cmpstr(spike->text, ==, "It jumped.");
    g_assert_cmpint(end->kind, ==, NS_EVENT_DIVERGED);
    g_assert_cmpint(end->layer, ==, 0);
    g_assert_cmpstr(end->what, ==, "");
}

/* A long text of an event is cut between two characters. */
static void test_long_text(void)
{
    GString *text = g_string_new(HEAD "{\"step\":0,\"loss\":1" REST
                                      ",\"events\":[{\"kind\":\"spike\",\"text\":\"x");
    for (int i = 0; i < 400; i++) g_string_append(text, "é");
    g_string_append(text, "\"}]}");
    g_autoptr(NsRecordedRun) record = ns_recorded_run_new("run.jsonl");
    g_autoptr(GError) error = NULL;
    read_text(record, text->str, &error);
    g_string_free(text, TRUE);
    g_assert_no_error(error);
    const NsEvent *event = ns_history_event(record->histories[0], 0);
    g_assert_true(g_utf8_validate(event->text, -1, NULL));
    g_assert_cmpuint(strlen(event->text), ==, sizeof event->text - 1);
}

/* What was whole before the first wrong line is there. */
static void test_wrong_lines(void)
{
    static const struct {
        const char *text;
        size_t steps, wrong_line;
        bool cut;
    } table[] = {
        {HEAD STEP(0) STEP(1) "{\"summary\":{}}\n", 2, 0, false},
        {HEAD STEP(0) "{\"step\":1,\"loss\":2", 1, 3, true},
        {HEAD STEP(0) "{\"step\":1,\"loss\":2}", 1, 3, true},
        {HEAD STEP(0) "garbage\n" STEP(1), 1, 3, false},
        {HEAD STEP(0) STEP(2), 1, 3, false},
        {HEAD STEP(0) STEP(0), 1, 3, false},
        {HEAD STEP(0) HEAD STEP(1), 1, 3, false},
        {HEAD STEP(0) "{\"lane\":2,\"step\":1}\n", 1, 3, false},
        {HEAD STEP(0) "{\"step\":1,\"loss\":1,\"grad_norm\":{\"w1\":[1,2,3]}}\n", 1, 3, false},
        {HEAD STEP(0) "{\"step\":1,\"loss\":1,\"grad_norm\":{\"w1\":[1,true]}}\n", 1, 3, false},
        {HEAD STEP(0) "{\"step\":\"1\",\"loss\":1,\"grad_norm\":{}}\n", 1, 3, false},
        {HEAD STEP(0) "{\"step\":1,\"grad_norm\":{}}\n", 1, 3, false},
        {HEAD STEP(0) "{\"step\":1,\"loss\":1,\"grad_norm\":{},\"final_hidden_norm\":[1]}\n", 1, 0,
         false}, /* the model of this table has no final norm, and so no such quantity */
        {HEAD STEP(0) STEP(9223372036854775807), 1, 3, false},
        {HEAD STEP(9007199254740992) STEP(9007199254740993), 1, 3, false},
        {HEAD STEP(0) "[[[[[[[[[[[[[[[[[[[[", 1, 3, true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_autoptr(NsRecordedRun) record = ns_recorded_run_new("run.jsonl");
        g_autoptr(GError) error = NULL;
        g_test_message("%zu: %s", i, table[i].text);
        read_text(record, table[i].text, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(ns_history_steps(record->histories[0]), >=, table[i].steps);
        g_autofree char *words =
            table[i].cut ? g_strdup_printf("run.jsonl is cut off in line %zu;", table[i].wrong_line)
                         : g_strdup_printf("Line %zu of run.jsonl", table[i].wrong_line);
        const char *message = g_queue_peek_head(&record->messages);
        g_assert_true(table[i].wrong_line ? g_str_has_prefix(message, words) : !message);
        if (table[i].wrong_line)
            g_assert_cmpuint(ns_history_steps(record->histories[0]), ==, table[i].steps);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *text, *words;
    } table[] = {
        {"", "“run.jsonl”: it does not begin with the settings"},
        {STEP(0), "“run.jsonl”: it does not begin with the settings"},
        {HEAD, "“run.jsonl”: it contains no complete step of lane 1"},
        {HEAD STEP(9223372036854775807), "“run.jsonl”: it contains no complete step of lane 1"},
        {HEAD "{\"step\":0", "“run.jsonl”: it contains no complete step of lane 1"},
        {"{\"settings\":{\"layers\":0}}\n" STEP(0), "“run.jsonl”: Layers is 0"},
        {"{\"settings\":{\"layers\":1000,\"heads\":256,\"d-model\":256,\"probe-every\":1}}\n" STEP(
             0),
         "“run.jsonl”: it contains no complete step of lane 1"},
        {"{\"lane\":1,\"settings\":{\"placement\":\"post\"}}\n"
         "{\"lane\":2,\"settings\":{\"placement\":\"pre\"}}\n"
         "{\"lane\":1,\"step\":0}\n",
         "“run.jsonl”: it contains no complete step of lane 1"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_autoptr(NsRecordedRun) record = ns_recorded_run_new("run.jsonl");
        g_autoptr(GError) error = NULL;
        g_assert_false(read_text(record, table[i].text, &error));
        g_assert_nonnull(error);
        if (!g_str_has_prefix(error->message, table[i].words))
            g_error("%zu: %s", i, error->message);
    }
}

/* Lines of this program and a log of another one are opened, read to a step and refused alike. */
static void test_files(void)
{
    static const struct {
        const char *name, *text;
        NsRecordedKind kind;
        size_t lanes;
    } table[] = {
        {"a.jsonl", HEAD STEP(0) STEP(1), NS_RECORDED_LINES, 1},
        {"a.csv", "step,loss\n0,2\n1,1\n", NS_RECORDED_LOG, 0},
    };
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *path = ns_test_folder_write(folder, table[i].name, table[i].text);
        g_assert_cmpint(ns_recorded_kind(path), ==, table[i].kind);
        g_autoptr(NsRecordedRun) run = ns_recorded_run_open(path, NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(run->lanes, ==, 1);
        g_assert_cmpuint(run->experiment.n, ==, table[i].lanes);
        g_assert_cmpint(run->last, ==, 1);
        g_assert_cmpuint(ns_history_steps(run->histories[0]), ==, 2);
        for (int64_t until = 0; until < 3; until++) {
            g_assert_true(ns_recorded_run_read(run, until, NULL, &error));
            g_assert_cmpint(ns_history_last_step(run->histories[0]), ==, MIN(until, 1));
            g_assert_cmpint(run->read_to, ==, MIN(until, 1));
            g_assert_cmpint(run->last, ==, 1);
        }
        g_autoptr(GCancellable) canceled = g_cancellable_new();
        g_cancellable_cancel(canceled);
        g_assert_null(ns_recorded_run_open(path, canceled, &error));
        g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
        g_clear_error(&error);
        g_remove(path);
        g_assert_null(ns_recorded_run_open(path, NULL, &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
    }
    g_assert_cmpint(ns_recorded_kind(folder), ==, NS_RECORDED_NONE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/run-record/one-lane", test_one_lane);
    g_test_add_func("/run-record/lanes", test_lanes);
    g_test_add_func("/run-record/seeds", test_seeds);
    g_test_add_func("/run-record/special-values", test_special_values);
    g_test_add_func("/run-record/long-text", test_long_text);
    g_test_add_func("/run-record/wrong-lines", test_wrong_lines);
    g_test_add_func("/run-record/refused", test_refused);
    g_test_add_func("/run-record/files", test_files);
    return g_test_run();
}
