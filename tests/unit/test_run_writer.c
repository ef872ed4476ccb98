/* Recording of runs that are killed, whose file is locked, and whose disk is slow.
 * SPDX-License-Identifier: MIT
 *
 * The writes and the clock of the writer are wrapped, so that they can be held up. */
#include "core/base/error.h"
#include "core/base/thread.h"
#include "core/store/recorded_run.h"
#include "core/store/run_notes.h"
#include "core/store/run_reader.h"
#include "core/store/run_rows-private.h"
#include "core/store/run_writer.h"
#include "tests/unit/support.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS (g_test_slow() ? 40 : 4)
#define READERS 2
#define PATIENCE_S 120

NsRowsWritten __real_ns_run_rows_write(NsRunRows *rows, const GPtrArray *items, GError **error);
NsRowsWritten __wrap_ns_run_rows_write(NsRunRows *rows, const GPtrArray *items, GError **error);
gint64 __real_g_get_monotonic_time(void);
gint64 __wrap_g_get_monotonic_time(void);
NsCheckpoint *__real_ns_lockstep_checkpoint(NsLockstep *lockstep, size_t lane, GError **error);
NsCheckpoint *__wrap_ns_lockstep_checkpoint(NsLockstep *lockstep, size_t lane, GError **error);
struct timespec __real_ns_condition_time(int64_t microseconds);
struct timespec __wrap_ns_condition_time(int64_t microseconds);

static _Atomic int64_t ahead;         /* of the clock, in microseconds */
static _Atomic int64_t writing_takes; /* of a checkpoint, by this clock */
static atomic_int checkpoints;        /* that were written */
static atomic_bool hold, held;        /* the next checkpoint is not written; it waits */
static atomic_bool descheduled;       /* the trainer stops after it has read the clock */
static _Thread_local bool trainer;    /* from the next checkpoint on */
static int report = -1; /* where each step that was committed is reported; -1: nowhere */

static void report_newest(const GPtrArray *items)
{
    int64_t newest = -1;
    for (guint i = 0; i < items->len; i++) {
        const NsRunItem *item = items->pdata[i];
        if (item->kind == NS_RUN_ITEM_STEP) newest = MAX(newest, item->what.step.step);
    }
    if (newest >= 0 && write(report, &newest, sizeof newest) != sizeof newest) _exit(1);
}

static void wait_for(atomic_bool *flag, bool value, double seconds)
{
    int64_t until = __real_g_get_monotonic_time() + (int64_t)(seconds * G_USEC_PER_SEC);
    while (atomic_load(flag) != value && __real_g_get_monotonic_time() < until) g_usleep(1000);
}

NsRowsWritten __wrap_ns_run_rows_write(NsRunRows *rows, const GPtrArray *items, GError **error)
{
    int taken = 0;
    for (guint i = 0; i < items->len; i++)
        taken += ((const NsRunItem *)items->pdata[i])->kind == NS_RUN_ITEM_CHECKPOINT;
    if (taken && atomic_load(&hold)) {
        atomic_store(&held, true);
        wait_for(&hold, false, PATIENCE_S);
    }
    if (taken) atomic_fetch_add(&ahead, atomic_load(&writing_takes));
    NsRowsWritten written = __real_ns_run_rows_write(rows, items, error);
    if (report >= 0 && written == NS_ROWS_WRITTEN) report_newest(items);
    atomic_fetch_add(&checkpoints, taken);
    atomic_store(&held, false);
    return written;
}

gint64 __wrap_g_get_monotonic_time(void)
{
    gint64 now = __real_g_get_monotonic_time() + atomic_load(&ahead);
    for (int i = 0; trainer && atomic_load(&descheduled) && i < 1000; i++) {
        bool written = atomic_load(&checkpoints) > 0;
        g_usleep(written ? 50000 : 1000);
        if (written) break;
    }
    return now;
}

struct timespec __wrap_ns_condition_time(int64_t microseconds)
{
    return __real_ns_condition_time(microseconds - atomic_load(&ahead));
}

NsCheckpoint *__wrap_ns_lockstep_checkpoint(NsLockstep *lockstep, size_t lane, GError **error)
{
    atomic_store(&descheduled, trainer);
    return __real_ns_lockstep_checkpoint(lockstep, lane, error);
}

/* ---- A run ---- */

static NsLockstep *start(void)
{
    NsSettings settings;
    g_autoptr(GError) error = NULL;
    g_auto(NsExperiment) experiment = {0};
    ns_test_small_settings(&settings);
    ns_experiment_set_lanes(&experiment, (const NsSettings *[]){&settings}, 1);
    NsLockstep *lockstep = ns_lockstep_new(&experiment, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    ns_settings_clear(&settings);
    return lockstep;
}

static NsRunWriter *record(const char *path, NsLockstep *lockstep, int64_t every)
{
    g_autoptr(GError) error = NULL;
    NsRunWriter *writer = ns_run_writer_new(path, lockstep, every, &error);
    g_assert_no_error(error);
    return writer;
}

static void step(NsRunWriter *writer, NsLockstep *lockstep, int n)
{
    for (int i = 0; i < n; i++) {
        ns_lockstep_step(lockstep);
        ns_run_writer_step(writer, lockstep);
    }
}

static void finish(NsRunWriter *writer)
{
    g_autoptr(GError) error = NULL;
    char *summary = g_strdup("{\"summary\":{}}");
    bool complete = ns_run_writer_close(writer, &summary, &error);
    g_assert_no_error(error);
    g_assert_true(complete);
    g_free(summary);
}

/* The newest step in a file, before which none is missing; -1: there is none. */
static int64_t newest(const char *path)
{
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, NULL);
    return reader ? ns_run_reader_lane(reader, 0, 0).last : -1;
}

static void set_up(NsTestFiles *files, gconstpointer data)
{
    ns_test_files_set_up(files, data);
    atomic_store(&checkpoints, 0);
    atomic_store(&writing_takes, 0);
}

G_NORETURN static void run_child(const char *path)
{
    while (report < 0) newest(path);
    NsLockstep *lockstep = start();
    NsRunWriter *writer = record(path, lockstep, 10);
    for (;;) {
        step(writer, lockstep, 1);
        newest(path);
        ns_database_file_is_locked(path);
    }
}

static pid_t start_child(const char *path, int to)
{
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    report = to;
    if (child == 0) run_child(path);
    report = -1;
    return child;
}

static void kill_child(pid_t child)
{
    g_assert_cmpint(kill(child, SIGKILL), ==, 0);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
}

/* The process that trains looks at its own file, and two others read it. */
static void test_killed(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    for (int round = 0; round < ROUNDS; round++) {
        g_autofree char *name = g_strdup_printf("%d.nsrun", round);
        g_autofree char *path = g_build_filename(files->folder, name, NULL);
        int ends[2];
        int64_t stored = -1, now;
        pid_t readers[READERS];
        g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
        pid_t writer = start_child(path, ends[1]);
        close(ends[1]);
        for (int i = 0; i < READERS; i++) readers[i] = start_child(path, -1);
        for (int i = 0; i < 2; i++)
            g_assert_cmpint(read(ends[0], &stored, sizeof stored), ==, sizeof stored);
        g_usleep((gulong)g_test_rand_int_range(0, 500000));
        kill_child(writer);
        while (read(ends[0], &now, sizeof now) == sizeof now) stored = now;
        close(ends[0]);
        for (int i = 0; i < READERS; i++) kill_child(readers[i]);
        g_assert_cmpint(newest(path), >=, stored);
    }
}

/* ---- A lock of another program ---- */

static void wait_for_message(NsRunWriter *writer, const char *words)
{
    int64_t until = __real_g_get_monotonic_time() + PATIENCE_S * G_USEC_PER_SEC;
    g_autofree char *message = NULL;
    while (!(message = ns_run_writer_take_message(writer))) {
        g_assert_cmpint(__real_g_get_monotonic_time(), <, until);
        g_usleep(10000);
    }
    g_assert_nonnull(strstr(message, words));
}

static void test_locked(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    g_autofree char *path = g_build_filename(files->folder, "a.nsrun", NULL);
    g_autoptr(NsLockstep) lockstep = start();
    NsRunWriter *writer = record(path, lockstep, 0);
    sqlite3 *db;
    NsDatabaseFile *file = NULL;
    g_assert_cmpint(ns_database_open(path, SQLITE_OPEN_READWRITE, &db, &file), ==, SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    {
        NS_AUTO_TRANSACTION other = ns_database_begin(db);
        g_assert_nonnull(other);
        step(writer, lockstep, 20);
        wait_for_message(writer, "is locked");
        g_assert_true(ns_run_writer_is_locked(writer));
        step(writer, lockstep, 20);
    }
    wait_for_message(writer, "no longer locked");
    g_assert_false(ns_run_writer_is_locked(writer));
    g_assert_cmpint(newest(path), >=, 20);

    /* A lock that begins before the end. */
    NS_AUTO_TRANSACTION last = ns_database_begin(db);
    step(writer, lockstep, 20);
    wait_for_message(writer, "is locked");
    ns_database_roll_back(&last);
    last = NULL;
    finish(writer);
    ns_database_close(db, file);
    g_assert_cmpint(newest(path), ==, 60);
}

/* ---- Checkpoints ---- */

/* While one is being written, another one is queued: no third is taken before both are written. */
static void test_checkpoint_count(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    g_autofree char *path = g_build_filename(files->folder, "a.nsrun", NULL);
    g_autoptr(NsLockstep) lockstep = start();
    NsRunWriter *writer = record(path, lockstep, 1);
    atomic_store(&hold, true);
    step(writer, lockstep, 1);
    wait_for(&held, true, PATIENCE_S);
    step(writer, lockstep, 1);
    g_assert_true(ns_run_writer_checkpoint(writer, lockstep));
    atomic_store(&hold, false);
    wait_for(&held, false, PATIENCE_S);
    g_usleep(50000);
    step(writer, lockstep, 1);
    finish(writer);
    g_assert_cmpint(atomic_load(&checkpoints), ==, 2);
}

/* A checkpoint that took a second to write is not followed by another one for 100 seconds, even if
 * the trainer continues only after it was written. */
static void test_checkpoint_time(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    g_autofree char *path = g_build_filename(files->folder, "a.nsrun", NULL);
    g_autoptr(NsLockstep) lockstep = start();
    NsRunWriter *writer = record(path, lockstep, 0);
    atomic_store(&writing_takes, G_USEC_PER_SEC);
    ns_lockstep_step(lockstep);
    trainer = true;
    g_assert_true(ns_run_writer_checkpoint(writer, lockstep));
    atomic_store(&descheduled, false);
    trainer = false;
    while (atomic_load(&checkpoints) == 0) g_usleep(1000);
    g_usleep(50000);
    atomic_fetch_add(&ahead, 50 * G_USEC_PER_SEC);
    step(writer, lockstep, 1);
    finish(writer);
    g_assert_cmpint(atomic_load(&checkpoints), ==, 1);
}

/* The inner product of weights and update is not stored, but follows from what is. */
static void test_checkpoint_updates(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    g_autofree char *path = g_build_filename(files->folder, "a.nsrun", NULL);
    g_autoptr(NsLockstep) lockstep = start();
    g_autoptr(GError) error = NULL;
    NsRunWriter *writer = record(path, lockstep, 1);
    step(writer, lockstep, 3);
    g_assert_true(ns_run_writer_checkpoint(writer, lockstep));
    finish(writer);
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, &error);
    g_assert_no_error(error);
    g_autoptr(NsCheckpoint) read = ns_run_reader_checkpoint(reader, 0, 3, &error);
    g_assert_no_error(error);
    for (size_t i = 0; i < read->table.n; i++) {
        const NsTensorUpdate *u = &read->updates[i];
        double expected = ns_lockstep_run(lockstep, 0, 0)->updates[i].inner;
        double whole = sqrt(u->weight_sq * u->update_sq);
        g_assert_cmpfloat_with_epsilon(u->inner, expected, 1e-4 * whole);
    }
}

/* ---- The first moments ---- */

/* The file of a run that was killed before its first records were stored. */
static void leave_head(const char *path)
{
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        g_autoptr(NsLockstep) lockstep = start();
        record(path, lockstep, 0);
        raise(SIGKILL);
    }
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
}

static void test_first_moments(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    g_autofree char *path = g_build_filename(files->folder, "a.nsrun", NULL);
    g_autoptr(GError) error = NULL;
    leave_head(path);
    g_assert_null(ns_run_reader_open(path, &error));
    g_assert_nonnull(strstr(error->message, "no step"));
    g_clear_error(&error);
    g_autoptr(NsRunReader) reader = ns_run_reader_open_to_resume(path, &error);
    g_assert_no_error(error);
    g_assert_cmpint(ns_run_reader_lane(reader, 0, 0).last, ==, -1);
    g_clear_pointer(&reader, ns_run_reader_free);
    g_autoptr(NsLockstep) lockstep = start();
    g_assert_null(ns_run_writer_new(path, lockstep, 0, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
    g_clear_error(&error);
    NsRunWriter *writer = ns_run_writer_resume(path, lockstep, 0, &error);
    g_assert_no_error(error);
    step(writer, lockstep, 5);
    finish(writer);
    g_assert_cmpint(newest(path), ==, 5);
}

/* A file without anything in it is replaced, no other one. */
static void test_empty(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    g_autoptr(GError) error = NULL;
    g_autofree char *empty = ns_test_folder_write(files->folder, "empty.nsrun", "");
    g_autofree char *text = ns_test_folder_write(files->folder, "text", "words"), *words = NULL;
    g_autoptr(NsLockstep) lockstep = start();
    NsRunWriter *writer = record(empty, lockstep, 0);
    step(writer, lockstep, 3);
    g_assert_null(ns_run_writer_new(empty, lockstep, 0, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
    g_clear_error(&error);
    finish(writer);
    g_assert_cmpint(newest(empty), ==, 3);
    g_assert_null(ns_run_writer_new(text, lockstep, 0, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
    g_assert_true(g_file_get_contents(text, &words, NULL, NULL));
    g_assert_cmpstr(words, ==, "words");
}

/* A run that is read has the losses to compare with, as while it trained; an old file has none. */
static void test_baselines(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(files->folder, "a.nsrun", NULL);
    g_autoptr(NsLockstep) lockstep = start();
    NsRunWriter *writer = record(path, lockstep, 0);
    step(writer, lockstep, 1);
    finish(writer);
    NsBaselines own = ns_history_baselines(ns_lockstep_run(lockstep, 0, 0)->history);
    g_assert_cmpfloat(own.uniform, >, 1);
    for (int old = 0; old < 2; old++) {
        if (old)
            for (int lane = 0; lane < 4; lane++) {
                g_autofree char *key = g_strdup_printf("baselines-%d", lane);
                g_assert_true(ns_run_note_write(path, key, NULL, &error));
            }
        g_autoptr(NsRecordedRun) run = ns_recorded_run_open(path, NULL, &error);
        g_assert_no_error(error);
        g_assert_true(ns_recorded_run_read(run, INT64_MAX, NULL, &error));
        NsBaselines read = ns_history_baselines(run->histories[0]);
        g_assert_true(old ? isnan(read.uniform) : read.uniform == own.uniform);
        g_assert_true(old ? isnan(read.frequencies)
                          : isnan(own.frequencies) || read.frequencies == own.frequencies);
        g_assert_true(read.letters == (!old && own.letters));
    }
}

static void add(const char *path, void (*function)(NsTestFiles *, gconstpointer))
{
    g_test_add(path, NsTestFiles, NULL, set_up, function, ns_test_files_tear_down);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add("/run-writer/killed", test_killed);
    add("/run-writer/first-moments", test_first_moments);
    add("/run-writer/locked", test_locked);
    add("/run-writer/checkpoint-count", test_checkpoint_count);
    add("/run-writer/checkpoint-time", test_checkpoint_time);
    add("/run-writer/checkpoint-updates", test_checkpoint_updates);
    add("/run-writer/empty", test_empty);
    add("/run-writer/baselines", test_baselines);
    return g_test_run();
}
