/* Watching runs of other programs.  SPDX-License-Identifier: MIT */
#include "tests/session/driver.h"

#include "core/base/error.h"
#include "core/store/outside_watch.h"
#include "ui/session/session-private.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char *folder; /* of the current test case */

static char *path_of(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

static void set_up(void)
{
    folder = g_dir_make_tmp("normscope-watching-XXXXXX", NULL);
    g_assert_nonnull(folder);
}

static void tear_down(void)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = path_of(name);
        g_remove(path);
    }
    g_rmdir(folder);
    g_clear_pointer(&folder, g_free);
}

/* Writes lines for steps first .. last, with two layers, of a run whose loss begins there. */
static void write_run(const char *path, const char *mode, int first, int last, double loss)
{
    FILE *file = fopen(path, mode);
    g_assert_nonnull(file);
    for (int step = first; step <= last; step++)
        fprintf(file, "{\"step\":%d,\"loss\":%.3f,\"grad_norm\":{\"w2\":[1,2]}}\n", step,
                loss - 0.01 * step);
    g_assert_cmpint(fclose(file), ==, 0);
}

static void append(const char *path, int first, int last)
{
    write_run(path, "a", first, last, 3);
}

static void watch(NsSession *session, const char *const *paths)
{
    g_autoptr(GError) error = NULL;
    ns_session_watch(session, paths, &error);
    g_assert_no_error(error);
}

static void assert_status(NsSession *session, const char *expected)
{
    g_autofree char *status = ns_session_status(session, NS_STATUS_WHOLE);
    g_assert_cmpstr(status, ==, expected);
}

/* Eight runs are drawn beside the one that trains, live, and no ninth. */
static void test_pinned_files(void)
{
    set_up();
    NsSession *session = open_session("warmup=1", NULL);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    ns_session_step(session, 2);
    wait_at_rest(session, 2);
    g_autoptr(GError) error = NULL;
    char *paths[NS_FIGURE_PINNED + 1];
    for (int i = 0; i <= NS_FIGURE_PINNED; i++) {
        g_autofree char *name = g_strdup_printf("run%d.jsonl", i);
        paths[i] = path_of(name);
        append(paths[i], 0, 3);
        g_assert_true(ns_session_pin_file(session, paths[i], &error) == (i < NS_FIGURE_PINNED));
    }
    g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
    g_clear_error(&error);
    const NsView *view = session->view;
    SESSION_UNTIL(session, view->n_pinned == NS_FIGURE_PINNED);
    g_assert_cmpint(ns_session_steps(session), ==, 2); /* the run on view is the same */
    append(paths[0], 4, 5);
    SESSION_UNTIL(session, ns_history_last_step(view->pinned[0].history) == 5);
    size_t n;
    ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, NS_FIGURE_PINNED + 1);
    /* A second time unpins it, and another one has its place. */
    g_assert_true(ns_session_pin_file(session, paths[0], &error));
    g_assert_cmpuint(view->n_pinned, ==, NS_FIGURE_PINNED - 1);
    g_assert_true(ns_session_pin_file(session, paths[NS_FIGURE_PINNED], &error));
    SESSION_UNTIL(session, view->n_pinned == NS_FIGURE_PINNED);
    for (int i = 0; i <= NS_FIGURE_PINNED; i++) g_free(paths[i]);
    g_object_unref(session);
    tear_down();
}

/* A file that does not exist at first, grows, has an incomplete line and starts again. */
static void test_file(void)
{
    set_up();
    g_autofree char *path = path_of("mine.jsonl");
    NsSession *session = open_session("", NULL);
    watch(session, (const char *const[]){path, NULL});
    g_assert_true(ns_session_is_watching(session) && ns_session_watches(session, path));
    g_autofree char *waiting = g_strdup_printf("waiting for %s", path);
    assert_status(session, waiting);
    append(path, 0, 9);
    SESSION_UNTIL(session, ns_session_steps(session) == 9);
    assert_status(session, "watching, step 9, loss 2.91");
    g_autofree char *title = ns_session_title(session);
    g_assert_cmpstr(title, ==, "mine.jsonl");
    const NsView *view = session->view;
    g_assert_cmpuint(view->started.n, ==, 1);
    g_assert_null(ns_view_input(view).settings);
    g_assert_cmpuint(ns_history_layout(view->history)->layers, ==, 2);

    /* Actions that need a trainer are not available. */
    g_assert_false(ns_session_can_run(session) || ns_session_can_reset(session) ||
                   ns_session_can_fork(session));
    ns_session_run(session);
    ns_session_reset(session);
    ns_session_fork(session);
    ns_session_step(session, 1);
    g_assert_true(ns_session_is_watching(session) && !session->wants_run);

    FILE *file = fopen(path, "a");
    fputs("{\"step\":10,\"lo", file);
    fflush(file);
    append(path, 11, 11); /* within the incomplete line: neither line is valid */
    fclose(file);
    append(path, 12, 20);
    SESSION_UNTIL(session, ns_session_steps(session) == 20);
    g_assert_cmpuint(ns_history_steps(view->history), ==, 19);
    append(path, 5, 6); /* starts again at step 5 */
    SESSION_UNTIL(session, ns_session_steps(session) == 6);
    g_assert_cmpuint(ns_history_steps(view->history), ==, 7);
    g_object_unref(session);
    tear_down();
}

static void take_notice(NsSession *session, const char *sentence, GString *notices)
{
    (void)session;
    g_string_append_printf(notices, "%s|", sentence);
}

static void assert_notices(GString *notices, const char *expected)
{
    g_assert_cmpstr(notices->str, ==, expected);
    g_string_truncate(notices, 0);
}

/* The run of a file that another run replaces is an earlier run, which can be shown, pinned and
 * removed like others; a file that is only written again has no other run. */
static void test_replaced(void)
{
    set_up();
    g_autofree char *path = path_of("mine.jsonl"), *other = path_of("other.jsonl");
    g_autoptr(GString) notices = g_string_new(NULL);
    NsSession *session = open_session("", NULL);
    g_signal_connect(session, "notice", G_CALLBACK(take_notice), notices);
    append(path, 0, 9);
    watch(session, (const char *const[]){path, NULL});
    const NsView *view = session->view;
    SESSION_UNTIL(session, ns_session_steps(session) == 9);
    g_autoptr(NsHistory) first = ns_history_ref(view->history);
    g_remove(path); /* the records read so far remain */
    SESSION_UNTIL(session, session->opened->recorded->state == NS_OUTSIDE_GONE);
    assert_status(session, "waiting: the file is gone, step 9, loss 2.91");
    g_assert_true(g_file_set_contents(path, "", 0, NULL));
    SESSION_UNTIL(session, session->opened->recorded->state == NS_OUTSIDE_AGAIN);
    assert_status(session, "waiting: the file is empty, step 9, loss 2.91");
    append(path, 0, 4); /* as the first of the same values come again */
    assert_status(session, "waiting: the file began again, nothing new yet, step 9, loss 2.91");
    g_assert_true(session->opened->recorded->state == NS_OUTSIDE_AGAIN);
    g_assert_true(view->history == first);
    append(path, 5, 11);
    SESSION_UNTIL(session, ns_session_steps(session) == 11);
    append(other, 0, 12);
    g_assert_cmpint(g_rename(other, path), ==, 0);
    SESSION_UNTIL(session, ns_session_steps(session) == 12);
    size_t n;
    ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 1);
    assert_notices(notices, "");

    write_run(path, "w", 0, 2, 4);
    SESSION_UNTIL(session, ns_session_steps(session) == 2);
    assert_notices(notices,
                   "mine.jsonl began a new run; the one before, to step 12, stays here as run 1.|");
    g_assert_cmpuint(ns_session_watch_messages(session)->len, ==, 1);
    const NsSessionRun *runs = ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 2);
    g_assert_true(runs[0].id == 1 && runs[0].outside && !runs[0].present);
    g_assert_cmpint(runs[0].last_step, ==, 12);
    g_assert_cmpfloat(fabs(runs[0].loss[0] - 2.88), <, 1e-9);
    g_assert_cmpstr(runs[0].title, ==, "mine.jsonl");
    g_assert_true(runs[1].id == 2 && runs[1].present && session->id == 2);
    /* It is the previous run of a single lane, as one that was trained here. */
    g_assert_cmpint(ns_history_last_step(view->previous.history), ==, 12);
    g_assert_null(ns_view_input(view).previous_settings);
    ns_session_pin_run(session, 1, true);
    g_assert_cmpuint(view->n_pinned, ==, 1);
    g_assert_cmpstr(view->pinned[0].name, ==, "run 1, mine");
    ns_session_open_run(session, 1);
    assert_status(session, "ended at step 12, loss 2.88");
    g_assert_null(ns_session_source(session, 0));
    append(path, 3, 5);
    ns_session_open_run(session, 2);
    SESSION_UNTIL(session, ns_session_steps(session) == 5);
    assert_status(session, "watching, step 5, loss 2.95");

    /* Not while it is on view: its number is the newest again. */
    ns_session_stop_watching(session);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    write_run(path, "w", 0, 3, 6);
    SESSION_UNTIL(session, ns_session_runs(session, &n) && n == 4);
    runs = ns_session_runs(session, &n);
    g_assert_true(runs[1].id == 2 && runs[1].last_step == 5 && !runs[1].pinned);
    g_assert_true(runs[3].id == 4 && runs[3].last_step == 3 && runs[3].pinned);
    assert_notices(notices,
                   "mine.jsonl began a new run; the one before, to step 5, stays here as run 2.|");
    g_object_unref(session);
    tear_down();
}

/* The lanes of a run are pinned when another run of as many lanes replaces it, and those of the
 * run before it no longer are.  The oldest runs are removed, which is reported. */
static void test_replaced_often(void)
{
    set_up();
    g_autofree char *path = path_of("mine.jsonl");
    g_autoptr(GString) notices = g_string_new(NULL);
    NsSession *session = open_session("", NULL);
    const NsView *view = session->view;
    g_signal_connect(session, "housekeeping", G_CALLBACK(take_notice), notices);
    for (int k = 0; k < 15; k++) {
        FILE *file = fopen(path, "w");
        for (int lane = 1; lane <= 2; lane++)
            fprintf(file,
                    "{\"step\":0,\"loss\":%d,\"lane\":%d}\n{\"step\":%d,\"loss\":1,\"lane\":%d}\n",
                    k + 3, lane, k + 1, lane);
        g_assert_cmpint(fclose(file), ==, 0);
        if (!k) watch(session, (const char *const[]){path, NULL});
        SESSION_UNTIL(session, ns_session_steps(session) == k + 1);
        g_assert_cmpuint(view->n_pinned, ==, k ? 2 : 0);
        g_autofree char *name = g_strdup_printf("run %d, mine 2", k);
        if (k) g_assert_cmpstr(view->pinned[1].name, ==, name);
    }
    size_t n;
    const NsSessionRun *runs = ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 13);
    g_assert_true(runs[0].id == 3 && runs[11].id == 14 && runs[11].pinned && !runs[10].pinned);
    g_assert_true(
        g_str_has_prefix(notices->str, "Run 1, which was not saved, was removed: the 12 "));
    g_object_unref(session);
    tear_down();
}

/* Several files are lanes in the order in which they were named, regardless of which has records
 * first. */
static void test_lanes(void)
{
    set_up();
    g_autofree char *a = path_of("a.jsonl"), *b = path_of("b.jsonl");
    NsSession *session = open_session("", "layers=3");
    append(b, 0, 4);
    watch(session, (const char *const[]){a, b, NULL});
    const NsView *view = session->view;
    SESSION_UNTIL(session, ns_session_steps(session) == 4);
    g_assert_null(view->histories[0]);
    append(a, 0, 7);
    SESSION_UNTIL(session, ns_session_steps(session) == 7 && view->histories[0]);
    NsFigureInput input = ns_view_input(view);
    g_assert_cmpuint(input.n_lanes, ==, 2);
    g_assert_cmpstr(input.lanes[0].name, ==, "a");
    g_assert_cmpstr(input.lanes[1].name, ==, "b");
    /* A file with a second lane takes two lanes, and the next file moves up. */
    FILE *file = fopen(a, "a");
    fputs("{\"step\":3,\"loss\":2,\"lane\":2}\n", file);
    fclose(file);
    SESSION_UNTIL(session, view->started.n == 3);
    input = ns_view_input(view);
    g_assert_cmpstr(input.lanes[0].name, ==, "a 1");
    g_assert_cmpstr(input.lanes[1].name, ==, "a 2");
    g_assert_cmpstr(input.lanes[2].name, ==, "b");
    /* A lane that diverged has the step of that, wherever its log goes on to. */
    file = fopen(b, "a");
    fputs("{\"step\":61,\"loss\":\"nan\"}\n{\"step\":89,\"loss\":\"nan\"}\n", file);
    fclose(file);
    SESSION_UNTIL(session, ns_session_steps(session) == 89);
    g_autofree char *status = ns_session_status(session, NS_STATUS_WHOLE);
    g_assert_nonnull(strstr(status, "; b diverged at step 61"));
    g_object_unref(session);
    tear_down();
}

/* Charts show what a log has; a single NaN is no divergence while the loss goes on after it. */
static void test_recorded(void)
{
    set_up();
    g_autofree char *path = path_of("mine.jsonl");
    FILE *file = fopen(path, "w");
    for (int step = 0; step < 9; step++)
        fprintf(file, "{\"step\":%d,\"loss\":%s,\"gradients/0\":1,\"gradients/1\":2}\n", step,
                step == 5 ? "NaN" : "3.5");
    fclose(file);
    NsSession *session = open_at("", NULL, 2);
    const NsView *view = session->view;
    watch(session, (const char *const[]){path, NULL});
    SESSION_UNTIL(session, ns_session_steps(session) == 8);
    g_assert_cmpstr(ns_quantity(view->gradient)->choice.key, ==, "gradients");
    g_assert_cmpint((int)view->hidden, ==, NS_QUANTITY_HIDDEN_NORM);
    g_assert_nonnull(ns_history_last_event(view->histories[0], NS_EVENT_DIVERGED));
    g_assert_cmpint((int)ns_session_lane_state(session, 0), !=, NS_TRAINER_DIVERGED);
    NsFigure *figure = ns_figure_create(ns_figure_find("loss"));
    NsFigureInput input = ns_view_input(view);
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->n_markers, ==, 1);
    g_assert_cmpstr(plot->markers[0].text, ==, "not finite");
    ns_figure_free(figure);
    ns_session_stop_watching(session);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    g_assert_cmpint((int)view->gradient, ==, NS_QUANTITY_GRAD_W2);
    /* In place of one of a step, there is never one of a layer. */
    NsQuantity other = ns_quantity_name("not_here", NS_DOMAIN_STEP);
    other = ns_history_recorded(view->histories, 1, other);
    g_assert_cmpint((int)ns_quantity(other)->domain, ==, NS_DOMAIN_STEP);
    g_object_unref(session);
    tear_down();
}

/* A run of this program beside a watched run, which is still updated. */
static void test_beside(void)
{
    set_up();
    g_autofree char *path = path_of("mine.jsonl");
    append(path, 0, 5);
    NsSession *session = open_at("", NULL, 3);
    const NsHistory *own = history_of(session, 0);
    watch(session, (const char *const[]){path, NULL});
    SESSION_UNTIL(session, ns_session_steps(session) == 5);
    size_t n;
    const NsSessionRun *runs = ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 2);
    g_assert_true(!runs[0].outside && !runs[0].present && runs[1].outside && runs[1].present);
    g_assert_cmpstr(runs[1].title, ==, "mine.jsonl");
    g_assert_null(runs[1].differs);
    ns_session_pin_run(session, runs[0].id, true);
    g_assert_true(session->view->pinned[0].history == own);

    ns_session_stop_watching(session);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    g_assert_false(ns_session_is_watching(session));
    const NsView *view = session->view;
    g_assert_cmpuint(view->n_pinned, ==, 2);
    g_assert_cmpstr(view->pinned[1].name, ==, "mine");
    g_assert_null(ns_view_input(view).pinned[1].settings);
    g_assert_null(ns_view_input(view).previous_settings);
    g_assert_nonnull(ns_view_input(view).settings);
    append(path, 6, 30);
    SESSION_UNTIL(session, ns_history_last_step(view->pinned[1].history) == 30);
    ns_session_step(session, 2);
    wait_at_rest(session, 2);
    runs = ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 3);
    g_assert_true(runs[1].outside && runs[1].last_step == 30);
    ns_session_open_run(session, runs[1].id);
    g_assert_true(ns_session_is_watching(session));
    g_assert_cmpint(ns_session_steps(session), ==, 30);
    /* The session's own run can be continued like any earlier run. */
    ns_session_open_run(session, runs[0].id);
    g_assert_true(!ns_session_is_watching(session) && ns_session_can_run(session));
    g_assert_cmpint(ns_session_steps(session), ==, 3);
    g_object_unref(session);
    tear_down();
}

/* Setting the experiment ends watching. */
static void test_left(void)
{
    set_up();
    g_autofree char *path = path_of("mine.jsonl");
    NsSession *session = open_session("", NULL);
    watch(session, (const char *const[]){path, NULL});
    g_auto(NsExperiment) same = {0};
    ns_experiment_copy(&same, &session->experiment);
    ns_session_open(session, &same);
    SESSION_UNTIL(session, !ns_session_is_watching(session) && session->state == NS_TRAINER_READY);
    g_assert_cmpint(ns_session_steps(session), ==, 0);
    g_assert_null(session->view->names[0]);
    g_assert_cmpuint(session->watch_source, !=, 0); /* the run stays live as an earlier one */
    g_ptr_array_set_size(session->runs, 0);
    SESSION_UNTIL(session, session->watch_source == 0); /* nothing is left to poll */
    watch(session, (const char *const[]){path, NULL});
    g_assert_cmpuint(session->watch_source, !=, 0);
    g_object_unref(session);
    tear_down();
}

static void watch_other(NsSession *session, char *other)
{
    g_signal_handlers_disconnect_by_data(session, other);
    watch(session, (const char *const[]){other, NULL});
    g_ptr_array_set_size(session->runs, 0);
    ns_session_show_pinned(session);
}

/* A handler of a signal frees the run that has just been polled. */
static void test_dropped(void)
{
    set_up();
    g_autofree char *path = path_of("mine.jsonl"), *other = path_of("other.jsonl");
    NsSession *session = open_session("", NULL);
    watch(session, (const char *const[]){path, NULL});
    g_signal_connect(session, "view-changed", G_CALLBACK(watch_other), other);
    append(path, 0, 9);
    SESSION_UNTIL(session, ns_session_watches(session, other));
    g_object_unref(session);
    tear_down();
}

/* Standard input is not watched where it cannot be saved. */
static void test_no_folder(void)
{
    set_up();
    g_autoptr(GError) error = NULL;
    g_autofree char *file = path_of("file"), *inside = g_build_filename(file, "runs", NULL);
    append(file, 0, 0);
    NsSession *session = open_session("", NULL);
    ns_session_set_recording(session, inside, 0);
    g_assert_false(ns_session_watch(session, (const char *const[]){"-", NULL}, &error));
    g_assert_nonnull(strstr(error->message, "cannot be created"));
    g_assert_false(ns_session_is_watching(session));
    g_object_unref(session);
    tear_down();
}

static void test_refused(void)
{
    g_autoptr(GError) error = NULL;
    NsSession *session = open_session("", NULL);
    g_autofree char *empty = g_dir_make_tmp("normscope-refused-XXXXXX", NULL);
    g_autofree char *notes = g_build_filename(empty, "notes.txt", NULL);
    g_autofree char *sentence =
        g_strdup_printf("“%s” cannot be read: it is a folder without an event file or a log; "
                        "choose another file.",
                        empty);
    g_assert_true(g_file_set_contents(notes, "notes", -1, NULL));
    g_assert_false(ns_session_watch(session, (const char *const[]){empty, NULL}, &error));
    g_assert_cmpstr(error->message, ==, sentence);
    g_remove(notes);
    g_rmdir(empty);
    g_assert_false(ns_session_is_watching(session));
    g_object_unref(session);
}

/* Standard input is saved until it ends, even after the session was closed. */
static void test_pipe(void)
{
    set_up();
    int ends[2], own = dup(STDIN_FILENO);
    g_assert_cmpint(pipe(ends), ==, 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    NsSession *session = open_session("", NULL);
    ns_session_set_recording(session, folder, 0);
    watch(session, (const char *const[]){"-", NULL});
    static const char first[] = "{\"step\":1,\"loss\":2}\n", second[] = "{\"step\":2,\"loss\":1}\n";
    g_assert_cmpint(write(ends[1], first, strlen(first)), ==, (ssize_t)strlen(first));
    SESSION_UNTIL(session, ns_session_steps(session) == 1);
    assert_status(session, "watching, step 1, loss 2.00");
    g_object_unref(session);
    g_assert_true(ns_outside_watch_is_saving());
    g_assert_cmpint(write(ends[1], second, strlen(second)), ==, (ssize_t)strlen(second));
    close(ends[1]);
    ns_outside_watch_wait_saved();
    g_assert_false(ns_outside_watch_is_saving());
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    g_autofree char *text = NULL;
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = path_of(name);
        if (g_str_has_prefix(name, "watched-")) g_file_get_contents(path, &text, NULL, NULL);
    }
    g_assert_cmpstr(text, ==, "{\"step\":1,\"loss\":2}\n{\"step\":2,\"loss\":1}\n");
    dup2(own, STDIN_FILENO);
    close(own);
    tear_down();
}

/* The pace is computed in every frame, so it reads only few records of a long run, whether its
 * lines contain times or not. */
static void test_long(void)
{
    enum { LINES = 50000 };
    set_up();
    for (int told = 0; told < 2; told++) {
        g_autofree char *path = path_of(told ? "times.jsonl" : "no-times.jsonl");
        FILE *file = fopen(path, "w");
        for (int step = 0; step < LINES; step++)
            fprintf(file, "{\"step\":%d,\"loss\":2%s}\n", step, told ? ",\"seconds\":1e-6" : "");
        g_assert_cmpint(fclose(file), ==, 0);
        g_autoptr(NsSession) session = open_session("", NULL);
        watch(session, (const char *const[]){path, NULL});
        SESSION_UNTIL(session, ns_session_steps(session) == LINES - 1);
        NsPace pace = ns_session_pace(session);
        g_assert_cmpuint(pace.records, <=, NS_PACE_RECORDS);
        if (told)
            g_assert_cmpfloat(fabs(pace.steps_per_second - 1e6), <, 1);
        else
            g_assert_true(isnan(pace.steps_per_second));
    }
    tear_down();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/watching/pinned-files", test_pinned_files);
    g_test_add_func("/watching/file", test_file);
    g_test_add_func("/watching/replaced", test_replaced);
    g_test_add_func("/watching/replaced-often", test_replaced_often);
    g_test_add_func("/watching/lanes", test_lanes);
    g_test_add_func("/watching/recorded", test_recorded);
    g_test_add_func("/watching/beside", test_beside);
    g_test_add_func("/watching/left", test_left);
    g_test_add_func("/watching/dropped", test_dropped);
    g_test_add_func("/watching/no-folder", test_no_folder);
    g_test_add_func("/watching/refused", test_refused);
    g_test_add_func("/watching/pipe", test_pipe);
    g_test_add_func("/watching/long", test_long);
    return g_test_run();
}
