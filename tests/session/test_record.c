/* Recording, listing and continuing runs.  SPDX-License-Identifier: MIT */
#include "tests/session/driver.h"

#include "core/store/database.h"
#include "core/store/run_notes.h"
#include "core/store/run_table.h"
#include "ui/session/session-private.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static char *folder; /* of the current test case */

/* ---- The system clock, which tests can set; the monotonic clock is not affected ---- */

static _Atomic int64_t clock_jump; /* seconds */

/* Replaces the function of the C library, also for other libraries. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    long failed = syscall(SYS_clock_gettime, clock, time);
    if (!failed && clock == CLOCK_REALTIME) time->tv_sec += clock_jump;
    return (int)failed;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

static void set_up(void)
{
    folder = g_dir_make_tmp("normscope-runs-XXXXXX", NULL);
    g_assert_nonnull(folder);
}

static void tear_down(void)
{
    remove_all(folder);
    g_clear_pointer(&folder, g_free);
}

static NsSession *record(const char *words, int64_t steps)
{
    NsSession *session = open_session(words, NULL);
    ns_session_set_recording(session, folder, 0);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    if (steps == 0) return session;
    ns_session_step(session, steps);
    wait_at_rest(session, steps);
    return session;
}

/* Whether a file is still being written, which locks it. */
static bool is_written(void)
{
    bool written = false;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        written |= ns_database_file_is_locked(path);
    }
    return written;
}

/* Ends a session, and waits until n runs are complete, with their summaries.  Background
 * computations of the session may hold a reference to it until the main loop has received their
 * results. */
static GPtrArray *close_and_list(NsSession *session, guint n)
{
    g_object_unref(session);
    for (int ms = 0; ms < SESSION_PATIENCE_S * 1000; ms++) {
        while (g_main_context_iteration(NULL, FALSE)) continue;
        bool written = is_written();
        g_autoptr(GPtrArray) runs = ns_library_list(folder, true);
        guint whole = 0;
        for (guint i = 0; i < runs->len; i++) whole += !((NsRecordedRun *)runs->pdata[i])->wrong;
        if (!written && whole == n && runs->len == n) return g_steal_pointer(&runs);
        g_usleep(1000);
    }
    g_assert_not_reached();
}

static void open_saved(NsSession *session, const char *path)
{
    g_autoptr(GError) error = NULL;
    NsPastRun *run = ns_past_run_read(path, NULL, &error);
    g_assert_no_error(error);
    ns_session_open_saved(session, run);
}

/* The file contains all measurements, and the list describes the run. */
static void test_file(void)
{
    set_up();
    NsSession *session = record("", 5);
    g_autoptr(NsHistory) history = ns_history_ref(session->view->history);
    g_autofree char *path = ns_session_path_on_view(session);
    g_assert_nonnull(path);
    g_autoptr(GPtrArray) runs = close_and_list(session, 1);
    const NsRecordedRun *run = runs->pdata[0];
    g_assert_cmpstr(run->path, ==, path);
    g_assert_cmpint(run->last, ==, 5);
    g_assert_cmpstr(run->title, ==, "Post-LN, 2 layers");
    g_assert_null(run->differs);
    g_assert_cmpfloat(run->loss[0], ==, ns_history_step(history, 5)->loss);
    g_autoptr(NsPastRun) saved = ns_past_run_read(path, NULL, NULL);
    assert_same_losses(history, saved->recorded->histories[0], 0, 5);
    tear_down();
}

/* Of several seeds the list has what the window says: their mean. */
static void test_seeds(void)
{
    set_up();
    NsSession *session = record("seeds=3", 4);
    double mean = ns_session_newest_loss(session, 0);
    double first = ns_history_step(session->view->history, 4)->loss;
    g_assert_cmpfloat(mean, !=, first);
    g_autoptr(GPtrArray) runs = close_and_list(session, 1);
    const NsRecordedRun *run = runs->pdata[0];
    g_assert_cmpfloat(run->loss[0], ==, mean);
    tear_down();
}

/* The recorded number of threads is the one that was set for the lanes that share them, so that a
 * later run does not differ in it. */
static void test_shared_threads(void)
{
    set_up();
    NsSession *session = open_session("threads=2", "threads=2 placement=pre");
    ns_session_set_recording(session, folder, 0);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    ns_session_step(session, 3);
    wait_at_rest(session, 3);
    /* The estimate of the time of a step is not about the speed that was chosen. */
    ns_session_set(session, "layers", "3");
    g_autofree char *free_size = NULL;
    SESSION_UNTIL(session, (free_size = ns_session_size(session)));
    ns_session_set_speed(session, 0.01);
    g_autofree char *limited = ns_session_size(session);
    g_assert_true(strstr(free_size, "per step") && g_str_equal(limited, free_size));
    ns_session_undo(session);
    g_autofree char *path = ns_session_path_on_view(session);
    g_autoptr(GPtrArray) listed = close_and_list(session, 1);
    session = open_session("", NULL);
    open_saved(session, path);
    g_autofree char *size = ns_session_size(session);
    g_assert_false(size && strstr(size, "changes"));
    const NsHistory *old = session->view->history;
    ns_session_set(session, "layers", "3");
    ns_session_restart(session);
    SESSION_UNTIL(session, session->view->history != old && session->state == NS_TRAINER_READY);
    size_t n;
    const NsSessionRun *runs = ns_session_runs(session, &n);
    g_assert_cmpstr(runs[n - 1].differs, ==, "Layers: 2 → 3");
    /* A file whose run is pinned already is unpinned, not read again. */
    size_t before = n;
    g_auto(GStrv) pinned = ns_session_pinned_files(session);
    g_assert_cmpstr(pinned[0], ==, path);
    g_assert_true(ns_session_pin_file(session, path, NULL));
    ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, before);
    g_auto(GStrv) files = ns_session_pinned_files(session);
    g_assert_null(files[0]);
    g_object_unref(session);
    tear_down();
}

/* A saved run whose curves are pinned is named as other runs are, not by its file. */
static void test_pinned_name(void)
{
    set_up();
    NsSession *session = record("placement=post", 3);
    g_autofree char *path = ns_session_path_on_view(session);
    g_autoptr(GPtrArray) listed = close_and_list(session, 1);
    session = open_session("placement=pre", NULL);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    g_assert_true(ns_session_pin_file(session, path, NULL));
    SESSION_UNTIL(session, session->view->n_pinned == 1);
    SESSION_UNTIL(session, g_str_has_suffix(session->view->pinned[0].name, " Post-LN"));
    g_assert_true(g_str_has_prefix(session->view->pinned[0].name, "run "));
    g_object_unref(session);
    tear_down();
}

/* A run without steps leaves no file; a reset starts a new file. */
static void test_reset(void)
{
    set_up();
    g_object_unref(record("", 0));
    NsSession *session = record("", 3);
    const NsHistory *old = session->view->history;
    ns_session_reset(session);
    SESSION_UNTIL(session, session->view->history != old && session->state == NS_TRAINER_READY);
    ns_session_step(session, 4);
    wait_at_rest(session, 4);
    g_autoptr(GPtrArray) runs = close_and_list(session, 2);
    const NsRecordedRun *second = runs->pdata[0], *first = runs->pdata[1];
    g_assert_cmpint(second->last, ==, 4);
    g_assert_cmpint(first->last, ==, 3);
    g_assert_null(second->differs); /* a run of the same settings has its title */
    tear_down();
}

static void reset_and_step(NsSession *session)
{
    const NsHistory *old = session->view->history;
    ns_session_reset(session);
    SESSION_UNTIL(session, session->view->history != old && session->state == NS_TRAINER_READY);
    ns_session_step(session, 2);
    wait_at_rest(session, 2);
}

/* The address of a history names a file only while the history exists. */
static void test_files(void)
{
    set_up();
    NsSession *session = record("", 2);
    const NsHistory *first = session->view->histories[0];
    g_autofree char *path = ns_autosave_path(session->autosave, first);
    g_assert_nonnull(path);
    reset_and_step(session);
    g_autofree char *same = ns_autosave_path(session->autosave, first);
    g_assert_cmpstr(same, ==, path);
    reset_and_step(session);
    g_assert_null(ns_autosave_path(session->autosave, first));
    g_autofree char *third = ns_session_path_on_view(session);
    g_assert_cmpstr(third, !=, path);
    g_autoptr(GPtrArray) runs = close_and_list(session, 3);
    tear_down();
}

static void count(NsSession *session, const char *sentence, unsigned *notices)
{
    (void)session;
    *notices += strstr(sentence, "locked") != NULL;
}

static bool has_status(NsSession *session, const char *words)
{
    g_autofree char *status = ns_session_status(session, NS_STATUS_WHOLE);
    return strstr(status, words) != NULL;
}

/* While another program has locked the file, the status says so; when the lock ends, everything is
 * recorded. */
static void test_locked(void)
{
    set_up();
    sqlite3 *db;
    NsDatabaseFile *file = NULL;
    unsigned notices = 0;
    NsSession *session = record("", 3);
    g_autofree char *path = ns_session_path_on_view(session);
    g_signal_connect(session, "notice", G_CALLBACK(count), &notices);
    g_assert_cmpint(ns_database_open(path, SQLITE_OPEN_READWRITE, &db, &file), ==, SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    sqlite3 *transaction = ns_database_begin(db);
    g_assert_nonnull(transaction);
    ns_session_step(session, 5);
    wait_at_rest(session, 8);
    SESSION_UNTIL(session, has_status(session, "the run file is locked"));
    g_assert_cmpuint(notices, ==, 1);
    ns_database_roll_back(&transaction);
    ns_database_close(db, file);
    SESSION_UNTIL(session, !has_status(session, "the run file is locked"));
    SESSION_UNTIL(session, notices == 2);
    g_autoptr(GPtrArray) runs = close_and_list(session, 1);
    g_assert_cmpint(((const NsRecordedRun *)runs->pdata[0])->last, ==, 8);
    tear_down();
}

/* A run from a file continues in the same file, with the same bits as one that was never
 * interrupted. */
static void test_go_on(void)
{
    set_up();
    g_autoptr(GPtrArray) first = close_and_list(record("", 4), 1);
    g_autofree char *path = g_strdup(((const NsRecordedRun *)first->pdata[0])->path);
    g_autoptr(NsSession) whole = open_at("", NULL, 9);

    NsSession *session = open_session("layers=3", NULL);
    ns_session_set_recording(session, folder, 0);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    open_saved(session, path);
    g_assert_cmpint(ns_session_steps(session), ==, 4);
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 2);
    g_assert_cmpint(ns_session_fork_step(session), ==, 4);
    ns_session_step(session, 5);
    wait_at_rest(session, 9);
    g_assert_cmpint(ns_session_first_step(session), ==, 0);
    assert_same_losses(whole->view->history, session->view->history, 0, 9);
    g_autoptr(GPtrArray) runs = close_and_list(session, 1);
    const NsRecordedRun *run = runs->pdata[0];
    g_assert_cmpstr(run->path, ==, path);
    g_assert_cmpint(run->last, ==, 9);
    g_autoptr(NsPastRun) saved = ns_past_run_read(path, NULL, NULL);
    assert_same_losses(whole->view->history, saved->recorded->histories[0], 0, 9);
    tear_down();
}

/* A run that was interrupted before its first checkpoint is not reported as finished. */
static void test_in_part(void)
{
    set_up();
    g_autoptr(GPtrArray) runs = close_and_list(record("steps=9", 4), 1);
    g_autoptr(NsSession) session = record("", 0);
    NsPastRun *saved = ns_past_run_read(((const NsRecordedRun *)runs->pdata[0])->path, NULL, NULL);
    g_assert_nonnull(saved);
    g_clear_pointer(&saved->recorded->checkpoints, ns_checkpoints_free);
    ns_session_open_saved(session, saved);
    g_autofree char *status = ns_session_status(session, NS_STATUS_WHOLE);
    g_assert_true(g_str_has_prefix(status, "recorded to step 4, loss "));
    tear_down();
}

/* The file of a fork contains the whole run and the name of the run that it was forked from. */
static void test_fork(void)
{
    set_up();
    NsSession *session = record("lr=0.001", 3);
    g_autoptr(NsHistory) parent = ns_history_ref(session->view->history);
    ns_session_step(session, 2);
    wait_at_rest(session, 5);
    ns_session_show_step(session, 3);
    ns_session_set(session, "optimizer", "sgd");
    ns_session_fork(session);
    SESSION_UNTIL(session, session->view->history != parent && session->state == NS_TRAINER_READY);
    g_assert_cmpint(ns_session_first_step(session), ==, 0);
    g_assert_cmpint(session->fork_step, ==, 3);
    g_assert_cmpint(ns_session_steps(session), ==, 3);
    ns_session_step(session, 4);
    wait_at_rest(session, 7);
    assert_same_losses(parent, session->view->history, 0, 3);
    size_t n;
    const NsSessionRun *told = ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpuint(told[1].parent, ==, 1);
    g_assert_cmpint(told[1].fork_step, ==, 3);
    g_assert_cmpstr(told[1].differs, ==, "Optimizer: Adam → SGD");
    /* ns_session_reset returns to the fork point, and ns_session_reset_to_start to the start. */
    const NsHistory *fork = session->view->history;
    ns_session_reset(session);
    SESSION_UNTIL(session, session->view->history != fork && session->state == NS_TRAINER_READY);
    g_assert_cmpint(ns_session_steps(session), ==, 3);
    fork = session->view->history;
    ns_session_reset_to_start(session);
    SESSION_UNTIL(session, session->view->history != fork && session->state == NS_TRAINER_READY);
    g_assert_cmpint(ns_session_steps(session), ==, 0);
    g_assert_cmpint(session->fork_step, ==, 0);

    g_autoptr(GPtrArray) runs = close_and_list(session, 2);
    const NsRecordedRun *run = runs->pdata[0], *first = runs->pdata[1];
    g_autofree char *base = g_path_get_basename(first->path);
    if (run->parent == NULL) { /* both started within the same second, so their order is
                                * undefined */
        run = runs->pdata[1];
        first = runs->pdata[0];
        g_free(base);
        base = g_path_get_basename(first->path);
    }
    g_assert_cmpstr(run->parent, ==, base);
    g_assert_cmpint(run->fork_step, ==, 3);
    g_assert_cmpint(run->last, ==, 7);
    g_assert_cmpstr(run->differs, ==, "Optimizer: Adam → SGD");
    g_autoptr(GPtrArray) columns = ns_run_columns(runs);
    g_assert_cmpuint(columns->len, ==, 1);
    g_assert_cmpstr(((const NsRunColumn *)columns->pdata[0])->key, ==, "optimizer");
    g_autofree char *value = ns_run_value(run, columns->pdata[0], ns_settings_get);
    g_assert_cmpstr(value, ==, "sgd");
    ((NsRecordedRun *)runs->pdata[0])->experiment.lane[0].steps = 12; /* not a column */
    g_autoptr(GPtrArray) same = ns_run_columns(runs);
    g_assert_cmpuint(same->len, ==, 1);
    g_assert_true(ns_library_matches(run, "sgd OPTIM"));
    g_assert_false(ns_library_matches(run, "sgd warm"));
    tear_down();
}

/* Committed steps are still in the file after the process was killed. */
static void test_killed(void)
{
    if (g_test_subprocess()) {
        folder = g_strdup(g_getenv("NORMSCOPE_TEST_RUNS"));
        NsSession *session = open_session("", NULL);
        ns_session_set_recording(session, folder, 0);
        SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
        ns_session_run(session);
        for (;;) {
            ns_session_poll(session);
            session_turn();
            g_autoptr(GPtrArray) runs = ns_library_list(folder, true);
            const NsRecordedRun *run = runs->len ? runs->pdata[0] : NULL;
            if (run && !run->wrong && run->last > 20) raise(SIGKILL);
        }
    }
    set_up();
    g_setenv("NORMSCOPE_TEST_RUNS", folder, TRUE);
    g_test_trap_subprocess(NULL, (guint64)SESSION_PATIENCE_S * G_USEC_PER_SEC, 0);
    g_assert_false(g_test_trap_has_passed());
    g_assert_false(g_test_trap_reached_timeout());
    g_autoptr(GPtrArray) runs = ns_library_list(folder, true);
    g_assert_cmpuint(runs->len, ==, 1);
    const NsRecordedRun *run = runs->pdata[0];
    g_assert_null(run->wrong);
    g_assert_cmpint(run->last, >, 20);
    g_autoptr(NsSession) whole = open_at("", NULL, run->last);
    g_autoptr(NsPastRun) saved = ns_past_run_read(run->path, NULL, NULL);
    assert_same_losses(whole->view->history, saved->recorded->histories[0], 0, run->last);
    tear_down();
}

/* The oldest runs are removed, except those with a tag and the newest. */
static void test_bound(void)
{
    set_up();
    g_autofree char *inside = g_build_filename(folder, "runs", NULL);
    char *whole = folder;
    folder = inside;
    for (guint i = 1; i <= 3; i++) g_ptr_array_unref(close_and_list(record("", 2), i));
    g_autoptr(GPtrArray) runs = ns_library_list(folder, true);
    const NsRecordedRun *oldest = runs->pdata[2];
    g_autofree char *tagged = g_strdup(oldest->path);
    g_assert_true(ns_run_note_write(tagged, NS_RUN_NOTE_TAGS, "lecture", NULL));
    g_autoptr(GPtrArray) spared = g_ptr_array_new();
    g_assert_cmpuint(ns_library_keep_bound(folder, ns_library_bytes(runs), spared), ==, 0);
    g_assert_cmpuint(ns_library_keep_bound(folder, 1, spared), ==, 1);
    g_autoptr(GPtrArray) left = ns_library_list(folder, true);
    g_assert_cmpuint(left->len, ==, 2);
    const NsRecordedRun *kept = left->pdata[1];
    g_assert_cmpstr(kept->path, ==, tagged);
    g_assert_cmpstr(kept->tags, ==, "lecture");
    folder = whole;
    tear_down();
}

static void test_unsaved(void)
{
    set_up();
    g_autoptr(GHashTable) none = g_hash_table_new(NULL, NULL);
    g_autoptr(NsSession) session = open_at("", NULL, 3);
    g_assert_cmpfloat(ns_session_unsaved_seconds(session, none), >, 0);
    NsHistory *exported = session->view->history;
    g_autoptr(GHashTable) saved = g_hash_table_new(NULL, NULL);
    g_hash_table_insert(saved, exported, GSIZE_TO_POINTER(ns_history_steps(exported)));
    g_assert_cmpfloat(ns_session_unsaved_seconds(session, saved), ==, 0);
    /* Earlier runs count, too. */
    const NsHistory *old = session->view->history;
    ns_session_reset(session);
    SESSION_UNTIL(session, session->view->history != old && session->state == NS_TRAINER_READY);
    double lost = ns_session_unsaved_seconds(session, none);
    g_assert_cmpfloat(lost, >, 0);
    ns_session_set_recording(session, folder, 0);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    ns_session_step(session, 3);
    wait_at_rest(session, 3);
    g_assert_cmpfloat(ns_session_unsaved_seconds(session, none), <=, lost);
    tear_down();
}

static void take_notice(NsSession *session, const char *sentence, char **last)
{
    (void)session;
    g_free(*last);
    *last = g_strdup(sentence);
}

/* A folder that cannot be written is reported once, and the run continues. */
static void test_failure(void)
{
    set_up();
    g_autofree char *file = g_build_filename(folder, "file", NULL), *last = NULL;
    g_assert_true(g_file_set_contents(file, "", 0, NULL));
    g_autoptr(NsSession) session = open_session("", NULL);
    g_signal_connect(session, "notice", G_CALLBACK(take_notice), &last);
    ns_session_set_recording(session, file, 0);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    ns_session_step(session, 3);
    wait_at_rest(session, 3);
    SESSION_UNTIL(session, last != NULL);
    g_assert_true(g_str_has_suffix(last, "The run is not recorded."));
    g_assert_null(ns_session_path_on_view(session));
    tear_down();
}

/* Every run has its own file and can be continued, regardless of the system clock. */
static void test_clock(void)
{
    static const int64_t jumps[] = {
        0, -3600, 3600, -60 * 365 * 86400ll, 90 * 365 * 86400ll, 9000 * 365 * 86400ll};
    set_up();
    g_autoptr(NsSession) whole = open_at("", NULL, 6);
    for (guint i = 0; i < G_N_ELEMENTS(jumps); i++) {
        NsSession *session = record("", 3);
        clock_jump = jumps[i]; /* during the run */
        ns_session_step(session, 3);
        wait_at_rest(session, 6);
        g_autoptr(GPtrArray) runs = close_and_list(session, i + 1);
        for (guint k = 0; k < runs->len; k++) {
            const NsRecordedRun *run = runs->pdata[k];
            g_autoptr(NsPastRun) saved = ns_past_run_read(run->path, NULL, NULL);
            assert_same_losses(whole->view->history, saved->recorded->histories[0], 0, 6);
        }
    }
    /* A new run also works while the clock remains wrong. */
    g_autoptr(GPtrArray) runs = close_and_list(record("", 1), G_N_ELEMENTS(jumps) + 1);
    g_assert_cmpuint(runs->len, ==, G_N_ELEMENTS(jumps) + 1);
    clock_jump = 0;
    tear_down();
}

/* All runs share one memory limit; checkpoints that were removed from memory are read from the file
 * of their run. */
static void test_checkpoint_memory(void)
{
    set_up();
    g_autofree char *last = NULL;
    g_autoptr(NsSession) whole = open_at("", NULL, 10);
    g_autoptr(NsSession) session = record("", 0);
    size_t most = 6 * ns_session_checkpoint_bytes(session), n;
    g_assert_cmpuint(most, >, 0);
    ns_session_set_checkpoint_bytes(session, most);
    for (int run = 1; run <= 3; run++) {
        for (int step = 1; step <= 8; step++) {
            ns_session_step(session, 1);
            wait_at_rest(session, step);
            g_assert_cmpuint(ns_session_checkpoint_bytes(session), <=, most);
        }
        const NsHistory *old = session->view->history;
        ns_session_reset(session);
        SESSION_UNTIL(session, session->view->history != old && session->state == NS_TRAINER_READY);
        g_assert_cmpuint(ns_session_checkpoint_bytes(session), <=, most);
    }
    const NsSessionRun *runs = ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 4);
    for (size_t i = 0; i < 3; i++) g_assert_cmpint(runs[i].checkpoint, ==, 8);

    g_signal_connect(session, "notice", G_CALLBACK(take_notice), &last);
    g_signal_connect(session, "housekeeping", G_CALLBACK(take_notice), &last);
    ns_session_open_run(session, 1);
    g_assert_true(last && g_str_has_prefix(last, "Reading "));
    SESSION_UNTIL(session, ns_session_steps(session) == 8);
    g_assert_cmpstr(last, ==, "Run 1 is shown again; press Run to continue it from step 8.");
    g_assert_cmpuint(ns_session_checkpoint_bytes(session), <=, most);
    ns_session_step(session, 2);
    wait_at_rest(session, 10);
    assert_same_losses(whole->view->history, session->view->history, 0, 10);
    g_assert_cmpuint(ns_session_checkpoint_bytes(session), <=, most);
    tear_down();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/record/file", test_file);
    g_test_add_func("/record/seeds", test_seeds);
    g_test_add_func("/record/shared-threads", test_shared_threads);
    g_test_add_func("/record/pinned-name", test_pinned_name);
    g_test_add_func("/record/reset", test_reset);
    g_test_add_func("/record/files", test_files);
    g_test_add_func("/record/locked", test_locked);
    g_test_add_func("/record/go-on", test_go_on);
    g_test_add_func("/record/in-part", test_in_part);
    g_test_add_func("/record/fork", test_fork);
    g_test_add_func("/record/killed", test_killed);
    g_test_add_func("/record/bound", test_bound);
    g_test_add_func("/record/unsaved", test_unsaved);
    g_test_add_func("/record/failure", test_failure);
    g_test_add_func("/record/clock", test_clock);
    g_test_add_func("/record/checkpoint-memory", test_checkpoint_memory);
    return g_test_run();
}
