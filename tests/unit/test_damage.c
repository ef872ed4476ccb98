/* A run file of which parts are missing or have changed.  SPDX-License-Identifier: MIT
 *
 * What is read of it, and that every refusal is a sentence, tests/fuzz/fuzz_run_file.c checks. */
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/unit/support.h"

#include <sqlite3.h>
#include <string.h>

#define FLIPS 4000
#define ODD_CUTS 200
#define STEPS 60
#define PATIENCE_S 120

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A run of two seeds, with a checkpoint. */
static GBytes *whole_run(void)
{
    char *bytes;
    gsize size;
    g_autoptr(GError) error = NULL;
    g_file_get_contents(NS_SMALL_RUN, &bytes, &size, &error);
    g_assert_no_error(error);
    return g_bytes_new_take(bytes, size);
}

static size_t page_size(const uint8_t *bytes)
{
    return (size_t)bytes[16] << 8 | bytes[17];
}

/* At every page, and between them. */
static void test_truncated(void)
{
    g_autoptr(GBytes) run = whole_run();
    gsize size;
    const uint8_t *bytes = g_bytes_get_data(run, &size);
    for (size_t n = 0, page = page_size(bytes); n < size; n += page)
        LLVMFuzzerTestOneInput(bytes, n);
    for (int i = 0; i < ODD_CUTS; i++)
        LLVMFuzzerTestOneInput(bytes, (size_t)g_test_rand_int_range(0, (gint32)size));
}

/* The head of every page. */
static void test_pages(void)
{
    enum { HEAD = 8 };
    g_autoptr(GBytes) run = whole_run();
    gsize size;
    const uint8_t *bytes = g_bytes_get_data(run, &size);
    g_autofree uint8_t *changed = g_memdup2(bytes, size);
    for (size_t at = 0, page = page_size(bytes); at < size; at += page) {
        memset(changed + at, 0, HEAD);
        LLVMFuzzerTestOneInput(changed, size);
        memcpy(changed + at, bytes + at, HEAD);
    }
}

/* One bit of one byte. */
static void test_flipped(void)
{
    g_autoptr(GBytes) run = whole_run();
    gsize size;
    const uint8_t *bytes = g_bytes_get_data(run, &size);
    g_autofree uint8_t *changed = g_memdup2(bytes, size);
    for (int i = 0; i < FLIPS; i++) {
        size_t at = (size_t)g_test_rand_int_range(0, (gint32)size);
        changed[at] ^= (uint8_t)(1u << g_test_rand_int_range(0, 8));
        LLVMFuzzerTestOneInput(changed, size);
        changed[at] = bytes[at];
    }
}

/* ---- Beside a file that is being written ---- */

static NsLockstep *start(void)
{
    NsSettings settings;
    g_autoptr(GError) error = NULL;
    ns_test_small_settings(&settings);
    g_auto(NsExperiment) experiment = {0};
    ns_experiment_set_lanes(&experiment, (const NsSettings *[]){&settings}, 1);
    NsLockstep *lockstep = ns_lockstep_new(&experiment, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    ns_settings_clear(&settings);
    return lockstep;
}

/* The newest step that others see in a file; -1: they see none. */
static int64_t newest(const char *path)
{
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, NULL);
    return reader ? ns_run_reader_lane(reader, 0, 0).last : -1;
}

static void step_until_committed(NsLockstep *lockstep, NsRunWriter *writer, const char *path,
                                 int64_t step)
{
    while (ns_lockstep_steps(lockstep) < step) {
        ns_lockstep_step(lockstep);
        ns_run_writer_step(writer, lockstep);
    }
    gint64 until = g_get_monotonic_time() + PATIENCE_S * G_USEC_PER_SEC;
    while (newest(path) < step) {
        g_assert_cmpint(g_get_monotonic_time(), <, until);
        g_usleep(10000);
    }
}

/* A copy of the file as it would be after a power cut, with so much of its newest part. */
static char *cut_copy(const NsTestFolder *folder, const char *path, const char *log, size_t n)
{
    g_autofree char *bytes = NULL;
    gsize size;
    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    char *copy = g_build_filename(folder, "cut.nsrun", NULL);
    g_autofree char *other = g_strconcat(copy, "-wal", NULL);
    g_assert_true(
        g_file_set_contents_full(copy, bytes, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
    g_assert_true(
        g_file_set_contents_full(other, log, (gssize)n, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
    return copy;
}

/* The run as far as it was committed there: no step is missing before the last one, and every value
 * is the measured one. */
static int64_t check_copy(const char *path, const NsHistory *history)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, &error);
    if (!reader) {
        g_assert_nonnull(strstr(error->message, "recorded yet"));
        return -1;
    }
    int64_t last = ns_run_reader_lane(reader, 0, 0).last;
    g_autoptr(NsHistory) read =
        ns_run_reader_history((NsRecorded){reader, 0, 0}, 0, last, (size_t)1 << 24, &error);
    g_assert_no_error(error);
    for (size_t i = 0; i <= (size_t)last; i++) {
        double now = ns_history_step(read, i)->loss, then = ns_history_step(history, i)->loss;
        g_assert_true(memcmp(&now, &then, sizeof now) == 0);
    }
    return last;
}

/* Wherever its newest part is cut off, or damaged, what was committed before is there. */
static void test_newest_part(void)
{
    enum { FRAME = 24, HEAD = 32 };
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *path = g_build_filename(folder, "a.nsrun", NULL);
    g_autofree char *beside = g_strconcat(path, "-wal", NULL), *log = NULL;
    g_autoptr(NsLockstep) lockstep = start();
    NsRunWriter *writer = ns_run_writer_new(path, lockstep, 0, NULL);
    g_assert_nonnull(writer);
    for (int64_t step = STEPS / 3; step <= STEPS; step += STEPS / 3)
        step_until_committed(lockstep, writer, path, step);
    gsize size;
    g_assert_true(g_file_get_contents(beside, &log, &size, NULL));
    const NsHistory *history = ns_lockstep_run(lockstep, 0, 0)->history;
    const guint8 *head = (const guint8 *)log;
    guint page = (guint)head[10] << 8 | head[11];
    g_assert_cmpuint(page, >=, 512);

    int64_t last = -1;
    for (size_t n = 0; n <= size; n += n < HEAD ? HEAD : FRAME + page) {
        g_autofree char *copy = cut_copy(folder, path, log, n);
        int64_t there = check_copy(copy, history);
        g_assert_cmpint(there, >=, last);
        last = there;
    }
    g_assert_cmpint(last, ==, STEPS);
    for (int i = 0; i < ODD_CUTS; i++) {
        size_t at = (size_t)g_test_rand_int_range(0, (gint32)size);
        g_autofree char *cut = cut_copy(folder, path, log, at);
        check_copy(cut, history);
        log[at] = (char)(log[at] ^ 1);
        g_autofree char *flipped = cut_copy(folder, path, log, size);
        check_copy(flipped, history);
        log[at] = (char)(log[at] ^ 1);
    }
    g_autofree char *summary = g_strdup("{\"summary\":{}}");
    g_assert_true(ns_run_writer_close(writer, &summary, NULL));
}

/* Numbers of a checkpoint that a run could not count on from. */
static void test_numbers(void)
{
    static const char *const changes[] = {
        "UPDATE tensors SET moments_since = -9223372036854775808",
        "UPDATE tensors SET moments_since = 9223372036854775807",
        "UPDATE checkpoints SET step = 9223372036854775807, updates = 9223372036854775807",
    };
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *path = g_build_filename(folder, "numbers.nsrun", NULL);
    gsize size;
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        g_autoptr(GBytes) run = whole_run();
        const char *bytes = g_bytes_get_data(run, &size);
        g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
        sqlite3 *db;
        g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
        g_assert_cmpint(sqlite3_exec(db, changes[i], NULL, NULL, NULL), ==, SQLITE_OK);
        sqlite3_close(db);
        g_autoptr(GError) error = NULL;
        g_autoptr(NsRunReader) reader = ns_run_reader_open(path, &error);
        g_assert_no_error(error);
        g_auto(NsExperiment) experiment = {0};
        NsCheckpoint *checkpoints[NS_LANES_MAX];
        int64_t step;
        g_assert_false(ns_run_reader_go_on(reader, &experiment, checkpoints, &step, &error));
        g_assert_nonnull(strstr(error->message, "a checkpoint is damaged"));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/damage/truncated", test_truncated);
    g_test_add_func("/damage/pages", test_pages);
    g_test_add_func("/damage/flipped", test_flipped);
    g_test_add_func("/damage/newest-part", test_newest_part);
    g_test_add_func("/damage/numbers", test_numbers);
    return g_test_run();
}
