/* Databases that several processes use, one of which is killed.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/data/reader.h"
#include "core/store/database.h"
#include "core/store/output_file.h"
#include "core/store/outside_file.h"
#include "core/store/run_reader.h"
#include "core/store/run_record.h"
#include "core/store/safetensors.h"
#include "tests/unit/support.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS (g_test_slow() ? 60 : 8)
#define READERS 2

static sqlite3 *open_database(const char *path, int flags, NsDatabaseFile **file)
{
    sqlite3 *db;
    *file = NULL;
    g_assert_cmpint(ns_database_open(path, SQLITE_OPEN_READWRITE | flags, &db, file), ==,
                    SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    return db;
}

/* Everything that looks at a file which a person names. */
static void look_at(const char *path)
{
    char head[16];
    size_t n;
    g_assert_true(ns_database_is(path, NS_DATABASE_RUN));
    g_assert_true(ns_database_is_there(path));
    g_assert_true(ns_database_file_is_locked(path));
    g_assert_cmpuint(ns_database_file_head(path, head, sizeof head), ==, sizeof head);
    g_assert_null(ns_read_file(path, 1 << 20, &n, NULL));
    g_assert_null(ns_safetensors_open(path, NULL));
    g_assert_null(ns_outside_file_open(path, 1 << 20, NULL));
    g_assert_false(ns_outside_file_is(path));
    g_assert_false(ns_run_record_is(path));
    g_assert_null(ns_run_reader_open(path, NULL));
}

/* Commits rows until it is killed, looks at the file meanwhile, and reports each row as stored. */
G_NORETURN static void write_rows(const char *path, int report)
{
    NsDatabaseFile *file;
    sqlite3 *db = open_database(path, SQLITE_OPEN_CREATE, &file);
    g_autofree char *mark = g_strdup_printf("PRAGMA application_id = %d", NS_DATABASE_RUN);
    g_assert_true(ns_database_file_lock(file));
    g_assert_true(ns_database_run(db, mark));
    g_assert_true(ns_database_run(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                                      "CREATE TABLE rows (n INTEGER)"));
    for (int n = 1;; n++) {
        g_autofree char *insert = g_strdup_printf("INSERT INTO rows VALUES (%d)", n);
        g_assert_true(ns_database_run(db, insert));
        if (write(report, &n, sizeof n) != sizeof n) _exit(1);
        look_at(path);
    }
}

static int64_t newest(const char *path)
{
    NsDatabaseFile *file;
    int64_t n = 0;
    sqlite3 *db = open_database(path, 0, &file);
    ns_database_find_number(db, "SELECT max(n) FROM rows", &n);
    ns_database_close(db, file);
    return n;
}

static pid_t start(const char *path, int report)
{
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child > 0) return child;
    if (report >= 0) write_rows(path, report);
    for (;;) newest(path);
}

static void kill_child(pid_t child)
{
    g_assert_cmpint(kill(child, SIGKILL), ==, 0);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
}

static int reported(int from, int rows)
{
    int n = 0, last = 0;
    while (last < rows && read(from, &n, sizeof n) == sizeof n) last = n;
    return last;
}

/* Two other processes open, read and close the file, and would delete its log if they could. */
static void test_killed(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    for (int round = 0; round < ROUNDS; round++) {
        g_autofree char *name = g_strdup_printf("%d.nsrun", round);
        g_autofree char *path = g_build_filename(files->folder, name, NULL);
        int report[2];
        pid_t readers[READERS];
        g_assert_cmpint(pipe2(report, O_CLOEXEC), ==, 0);
        pid_t writer = start(path, report[1]);
        close(report[1]);
        reported(report[0], 1);
        for (int i = 0; i < READERS; i++) readers[i] = start(path, -1);
        reported(report[0], 20 + round);
        kill_child(writer);
        int stored = MAX(reported(report[0], INT_MAX), 20 + round);
        close(report[0]);
        for (int i = 0; i < READERS; i++) kill_child(readers[i]);
        g_assert_false(ns_database_file_is_locked(path));
        g_assert_cmpint(newest(path), >=, stored);
    }
}

/* A database that another program has created while an output was being written stays. */
static void test_output(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    NsOutputFile output;
    NsDatabaseFile *file;
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(files->folder, "figure.csv", NULL);
    g_assert_true(ns_output_file_open(&output, path, &error));
    g_assert_true(ns_write_all(output.fd, "x,y\n", 4));
    sqlite3 *db = open_database(path, SQLITE_OPEN_CREATE, &file);
    g_assert_true(ns_database_run(db, "CREATE TABLE rows (n INTEGER)"));
    ns_database_close(db, file);
    g_assert_false(ns_output_file_close(&output, 0, &error));
    g_assert_nonnull(strstr(error->message, "figure.csv"));
    g_assert_true(ns_database_is_there(path));
    g_autoptr(GDir) folder = g_dir_open(files->folder, 0, NULL);
    g_assert_cmpstr(g_dir_read_name(folder), ==, "figure.csv");
    g_assert_null(g_dir_read_name(folder)); /* no part is left */
}

/* The header of a database in its first moments is in the log alone. */
static void test_kinds(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    NsDatabaseFile *file;
    g_autofree char *path = g_build_filename(files->folder, "new", NULL);
    g_autofree char *text = ns_test_folder_write(files->folder, "text", "words");
    g_autofree char *empty = ns_test_folder_write(files->folder, "a.nsrun", "");
    g_autofree char *mark = g_strdup_printf("PRAGMA application_id = %d", NS_DATABASE_STUDY);
    sqlite3 *db = open_database(path, SQLITE_OPEN_CREATE, &file);
    g_assert_false(ns_database_is_there(path));
    g_assert_true(ns_database_run(db, "PRAGMA journal_mode = WAL; CREATE TABLE rows (n INTEGER)"));
    g_assert_true(ns_database_is_there(path) && !ns_database_is(path, NS_DATABASE_STUDY));
    g_assert_true(ns_database_run(db, mark));
    g_assert_true(ns_database_is(path, NS_DATABASE_STUDY));
    g_assert_true(ns_database_is_there(path));
    ns_database_close(db, file);
    g_assert_true(ns_database_is_there(path));
    g_assert_true(ns_database_is_there(empty));
    g_assert_false(ns_database_is_there(text));
    g_assert_false(ns_database_is_there(files->folder));
    g_assert_false(ns_database_is_there("/dev/null"));
    db = open_database(":memory:", SQLITE_OPEN_CREATE, &file);
    g_assert_null(file);
    ns_database_close(db, file);
    g_assert_false(g_file_test(":memory:", G_FILE_TEST_EXISTS));
}

static void test_locks(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    g_autofree char *path = ns_test_folder_write(files->folder, "a", "");
    g_assert_false(ns_database_file_is_locked(path));
    NsDatabaseFile *writer = ns_database_file_open(path, 0);
    g_assert_true(ns_database_file_lock(writer));
    NsDatabaseFile *other = ns_database_file_open(path, 0);
    g_assert_false(ns_database_file_lock(other));
    g_assert_cmpint(errno, ==, EWOULDBLOCK);
    g_assert_true(ns_database_file_is_locked(path));
    g_assert_true(ns_database_file_is_at(writer, path));
    ns_database_file_unlock(writer);
    ns_database_file_close(writer);
    g_assert_false(ns_database_file_is_locked(path));
    g_assert_true(ns_database_file_lock(other));
    ns_database_file_close(other);
    g_assert_false(ns_database_file_is_locked(path));
    g_unlink(path);
    g_assert_null(ns_database_file_open(path, 0));
    g_assert_cmpint(errno, ==, ENOENT);
    g_assert_null(ns_database_file_open(files->folder, 0));
    g_assert_cmpint(errno, ==, EISDIR);
}

static bool insert(sqlite3 *db, const char *text, bool complete)
{
    NS_AUTO_TRANSACTION transaction = ns_database_begin(db);
    NS_AUTO_STATEMENT statement = ns_database_prepare(db, "INSERT INTO texts VALUES (?)");
    g_assert_true(transaction && statement);
    return ns_database_bind(statement, "t", text) && ns_database_finish(statement) && complete &&
           ns_database_commit(&transaction);
}

/* What is not committed is rolled back, and no NULL takes the place of a value that cannot be
 * bound. */
static void test_transactions(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    NsDatabaseFile *file;
    int64_t n;
    g_autofree char *path = g_build_filename(files->folder, "a", NULL), *large = NULL;
    sqlite3 *db = open_database(path, SQLITE_OPEN_CREATE, &file);
    g_assert_true(ns_database_run(db, "CREATE TABLE texts (text TEXT)"));
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000);
    large = g_strnfill(2000, 'a');
    g_assert_true(insert(db, "a", true));
    g_assert_false(insert(db, "b", false));
    g_assert_false(insert(db, large, true));
    g_assert_true(sqlite3_get_autocommit(db));
    g_assert_true(insert(db, "c", true));
    g_assert_true(ns_database_find_number(db, "SELECT count(*) FROM texts", &n) && n == 2);
    g_assert_true(
        ns_database_find_number(db, "SELECT count(*) FROM texts WHERE text IS NULL", &n) && n == 0);

    g_assert_false(ns_database_run(db, "INSERT INTO nowhere VALUES (1)"));
    g_autofree char *words = ns_database_error(db);
    g_assert_cmpstr(words, ==,
                    "no such table: nowhere (1: no such table: nowhere in \"INSERT INTO nowhere "
                    "VALUES (1)\")");
    ns_database_close(db, file);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/database/killed", NsTestFiles, NULL, ns_test_files_set_up, test_killed,
               ns_test_files_tear_down);
    g_test_add("/database/output", NsTestFiles, NULL, ns_test_files_set_up, test_output,
               ns_test_files_tear_down);
    g_test_add("/database/kinds", NsTestFiles, NULL, ns_test_files_set_up, test_kinds,
               ns_test_files_tear_down);
    g_test_add("/database/locks", NsTestFiles, NULL, ns_test_files_set_up, test_locks,
               ns_test_files_tear_down);
    g_test_add("/database/transactions", NsTestFiles, NULL, ns_test_files_set_up, test_transactions,
               ns_test_files_tear_down);
    return g_test_run();
}
