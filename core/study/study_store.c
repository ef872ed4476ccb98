/* SPDX-License-Identifier: MIT */
#include "core/study/study_store.h"

#include "core/base/copy.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/instructions.h"
#include "core/base/words.h"
#include "core/store/database.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define SCHEMA 2
#define TABLES_OF_1 3 /* number of statements for a file of version 1 */

/* How long to wait while another process has locked the file. */
#define BUSY_MILLISECONDS 60000

static const char *const tables[] = {
    "CREATE TABLE study (text TEXT, program TEXT, began INTEGER)",
    "CREATE TABLE cells (hash TEXT PRIMARY KEY, place INTEGER, state TEXT, owner TEXT, lease REAL, "
    "step INTEGER, first REAL, loss REAL, validation REAL, value REAL, seconds REAL, message TEXT, "
    "program TEXT, instructions TEXT) WITHOUT ROWID",
    "CREATE INDEX cells_by_state ON cells (state, place)",
    "CREATE TABLE curves (hash TEXT PRIMARY KEY, points BLOB) WITHOUT ROWID",
};

struct NsStudyStore {
    char *path;
    sqlite3 *db;
    NsDatabaseFile *file;
    GMutex mutex; /* protects db between the threads of this process */
    const NsStudy *study;
    NsStoreOptions options;
    char *owner;         /* identifies this store in leases */
    GStringChunk *texts; /* texts of origins */
    int64_t seen;        /* the last data_version */
};

/* ---- Errors ---- */

static bool refuse(const char *path, const char *why, GError **error)
{
    g_autofree char *name = g_filename_display_name(path);
    return ns_refuse(error, NS_ERROR_FILE, "“%s” cannot be used as results of a study: %s.", name,
                     _(why));
}

/* Turns the last error of SQLite into a GError. */
static bool complain(const NsStudyStore *store, GError **error)
{
    int code = sqlite3_errcode(store->db), system = sqlite3_system_errno(store->db);
    switch (code & 0xff) {
    case SQLITE_FULL:
        return ns_file_error(store->path, ENOSPC, error);
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
        /* SQLite usually no longer knows the system's error here. */
        if (!system && sqlite3_extended_errcode(store->db) == SQLITE_IOERR_WRITE) {
            g_autofree char *name = g_filename_display_name(store->path);
            return ns_refuse(error, NS_ERROR_FILE,
                             "Cannot write “%s”: the disk is full or failing; free some space or "
                             "choose another disk.",
                             name);
        }
        return ns_file_error(store->path, system ? system : EIO, error);
    case SQLITE_READONLY:
        return ns_file_error(store->path, EACCES, error);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return refuse(store->path, "it is damaged, or there is no such file", error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return refuse(store->path, "another program has locked it; try again", error);
    default:
        break;
    }
    g_autofree char *why = ns_database_error(store->db);
    return refuse(store->path, why, error);
}

static bool execute(NsStudyStore *store, const char *sql, GError **error)
{
    return ns_database_run(store->db, sql) || complain(store, error);
}

static bool begin(NsStudyStore *store, sqlite3 **transaction, GError **error)
{
    *transaction = ns_database_begin(store->db);
    return *transaction || complain(store, error);
}

static bool commit(NsStudyStore *store, sqlite3 **transaction, GError **error)
{
    return ns_database_commit(transaction) || complain(store, error);
}

static double now(void)
{
    return (double)g_get_real_time() / G_USEC_PER_SEC;
}

/* ---- Opening ---- */

static bool read_number(NsStudyStore *store, const char *sql, int64_t *value, GError **error)
{
    return ns_database_find_number(store->db, sql, value) || complain(store, error);
}

/* Only the tables of a study are allowed, because a view or a trigger could execute anything.
 * `schema` is "main" or the name of an attached file. */
static bool check_tables(NsStudyStore *store, const char *schema, const char *path, GError **error)
{
    g_autofree char *id = g_strdup_printf("PRAGMA %s.application_id", schema);
    g_autofree char *version = g_strdup_printf("PRAGMA %s.user_version", schema);
    int64_t application = 0, user_version = 0;
    if (!read_number(store, id, &application, error) ||
        !read_number(store, version, &user_version, error))
        return false;
    if (application != NS_DATABASE_STUDY) return refuse(path, "it is another kind of file", error);
    if (user_version != 1 && user_version != SCHEMA)
        return refuse(path, "another version of the program has written it", error);
    size_t n, others;
    if (!ns_database_count(store->db, schema, tables, G_N_ELEMENTS(tables), &n, &others))
        return complain(store, error);
    size_t wanted = user_version == 1 ? TABLES_OF_1 : G_N_ELEMENTS(tables);
    return (n == wanted && others == 0) || refuse(path, "it is damaged", error);
}

/* Two processes may create the file at the same time; the second one finds the tables. */
static bool make_tables(NsStudyStore *store, GError **error)
{
    int64_t n = 0, version = 0, application = 0;
    NS_AUTO_TRANSACTION transaction = NULL;
    if (!begin(store, &transaction, error)) return false;
    bool good = read_number(store, "SELECT COUNT(*) FROM sqlite_schema", &n, error) &&
                read_number(store, "PRAGMA user_version", &version, error) &&
                read_number(store, "PRAGMA application_id", &application, error);
    bool older = application == NS_DATABASE_STUDY && version == 1;
    if (good && (n == 0 || older)) {
        g_autofree char *mark = g_strdup_printf(
            "PRAGMA application_id = %d; PRAGMA user_version = %d", NS_DATABASE_STUDY, SCHEMA);
        good = execute(store, mark, error);
        for (size_t i = older ? TABLES_OF_1 : 0; good && i < G_N_ELEMENTS(tables); i++)
            good = execute(store, tables[i], error);
    }
    return good && commit(store, &transaction, error);
}

bool ns_study_store_changed(NsStudyStore *store)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&store->mutex);
    int64_t version = 0;
    bool changed =
        read_number(store, "PRAGMA data_version", &version, NULL) && version != store->seen;
    store->seen = version;
    return changed;
}

static NsStudyStore *open_file(const char *path, int flags, GError **error)
{
    NsStudyStore *store = g_new0(NsStudyStore, 1);
    store->path = g_strdup(path);
    store->owner = g_uuid_string_random();
    store->texts = g_string_chunk_new(256);
    g_mutex_init(&store->mutex);
    int code = ns_database_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags,
                                &store->db, &store->file);
    /* SQLite takes the refusal of a lock for the lock of another program, and waits for its end. */
    if (store->file && !ns_database_file_can_lock(store->file))
        refuse(path, "its file system has no locks; copy it to a local disk", error);
    else if (code == SQLITE_OK && sqlite3_busy_timeout(store->db, BUSY_MILLISECONDS) == SQLITE_OK &&
             execute(store, "PRAGMA trusted_schema = OFF", error))
        return store;
    if (error && !*error) complain(store, error);
    ns_study_store_close(store);
    return NULL;
}

/* Only cells of the current study are waiting.  Cells that have run or are running are kept, with a
 * place of -1 if they are no longer in the study. */
static bool add_cells(NsStudyStore *store, GError **error)
{
    bool all = store->options.first == 0 && store->options.end == ns_study_cells(store->study);
    g_autofree char *range = all ? g_strdup("place >= 0")
                                 : g_strdup_printf("place >= %zu AND place < %zu",
                                                   store->options.first, store->options.end);
    g_autofree char *forget =
        g_strdup_printf("DELETE FROM cells WHERE state IN ('waiting', 'failed') AND %s; "
                        "UPDATE cells SET place = -1 WHERE %s",
                        range, range);
    NS_AUTO_STATEMENT add = ns_database_prepare(
        store->db, "INSERT INTO cells (hash, place, state) VALUES (?, ?, 'waiting') "
                   "ON CONFLICT (hash) DO UPDATE SET place = excluded.place");
    if (!execute(store, forget, error)) return false;
    for (size_t i = store->options.first; i < store->options.end; i++) {
        char hash[NS_STUDY_HASH + 1];
        ns_study_hash(store->study, i, hash);
        if (!ns_database_bind(add, "ti", hash, (int64_t)i) || !ns_database_finish(add))
            return complain(store, error);
    }
    return true;
}

NsStudyStore *ns_study_store_open(const char *path, const NsStudy *study,
                                  const NsStoreOptions *options, GError **error)
{
    g_autoptr(NsStudyStore) store = open_file(path, SQLITE_OPEN_CREATE, error);
    if (!store) return NULL;
    store->study = study;
    store->options = options ? *options : (NsStoreOptions){.end = ns_study_cells(study)};
    /* After a power failure, at most the last results are missing from the log; their cells are run
     * again. */
    const char *journal = store->options.network
                              ? "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL"
                              : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL";
    int64_t application = 0, n = 0;
    /* The tables first: another process may create them and the application_id, in one transaction,
     * between the two readings. */
    if (!read_number(store, "SELECT COUNT(*) FROM sqlite_schema", &n, error) ||
        !read_number(store, "PRAGMA application_id", &application, error))
        return NULL;
    /* A database of another kind is not even given another journal. */
    if (n > 0 && application != NS_DATABASE_STUDY) {
        refuse(path, "it is another kind of file", error);
        return NULL;
    }
    /* SQLite does not wait for a process that creates the same file when it changes the journal. */
    int64_t end = g_get_monotonic_time() + BUSY_MILLISECONDS * 1000LL;
    bool set = ns_database_run(store->db, journal);
    while (!set && sqlite3_errcode(store->db) == SQLITE_BUSY && g_get_monotonic_time() < end) {
        g_usleep(10000);
        set = ns_database_run(store->db, journal);
    }
    if (!set) complain(store, error);
    if (!set || !make_tables(store, error) || !check_tables(store, "main", path, error))
        return NULL;
    NS_AUTO_TRANSACTION transaction = NULL;
    if (!begin(store, &transaction, error) || !execute(store, "DELETE FROM study", error))
        return NULL;
    /* The text of the current study makes the file self-contained. */
    g_autofree char *text = ns_study_write(study);
    bool good = (ns_database_write(store->db, "INSERT INTO study VALUES (?, ?, ?)", "tti", text,
                                   "normscope " NS_VERSION,
                                   (int64_t)(g_get_real_time() / G_USEC_PER_SEC)) ||
                 complain(store, error)) &&
                add_cells(store, error) && commit(store, &transaction, error);
    return good ? g_steal_pointer(&store) : NULL;
}

static bool read_study(NsStudyStore *store, NsStudy *study, GError **error)
{
    NS_AUTO_STATEMENT statement = ns_database_prepare(store->db, "SELECT text FROM study LIMIT 1");
    if (!statement) return complain(store, error);
    const char *text = sqlite3_step(statement) == SQLITE_ROW
                           ? (const char *)sqlite3_column_text(statement, 0)
                           : NULL;
    if (!text) return refuse(store->path, "it has no study", error);
    g_autoptr(GError) wrong = NULL;
    if (ns_study_read(study, text, strlen(text), &wrong) && ns_study_check(study, &wrong))
        return true;
    g_autofree char *why = g_strdup_printf(_("its study is not valid (%s)"), wrong->message);
    return refuse(store->path, why, error);
}

NsStudyStore *ns_study_store_look(const char *path, const NsStudy *study, GError **error)
{
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        refuse(path, "there is no such file", error);
        return NULL;
    }
    g_autoptr(NsStudyStore) store = open_file(path, 0, error);
    if (!store || !check_tables(store, "main", path, error)) return NULL;
    store->study = study;
    store->options = (NsStoreOptions){.end = ns_study_cells(study)};
    return g_steal_pointer(&store);
}

NsStudyStore *ns_study_store_read(const char *path, NsStudy *study, GError **error)
{
    g_autoptr(NsStudyStore) store = ns_study_store_look(path, study, error);
    if (!store || !read_study(store, study, error)) return NULL;
    store->options.end = ns_study_cells(study);
    return g_steal_pointer(&store);
}

bool ns_study_open(NsStudy *study, const char *path, GError **error)
{
    if (!ns_study_store_is(path)) return ns_study_load(study, path, error);
    g_autoptr(NsStudyStore) store = ns_study_store_read(path, study, error);
    return store != NULL;
}

char *ns_study_results_path(const char *path)
{
    if (ns_study_store_is(path)) return g_strdup(path);
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    bool ends = dot && (!slash || dot > slash + 1) && dot > path;
    return g_strdup_printf("%.*s.nsstudy", ends ? (int)(dot - path) : (int)strlen(path), path);
}

void ns_study_store_release(NsStudyStore *store)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&store->mutex);
    NS_AUTO_STATEMENT release =
        ns_database_prepare(store->db, "UPDATE cells SET state = 'waiting', owner = NULL, lease = "
                                       "NULL WHERE owner = ? AND state = 'running'");
    if (ns_database_bind(release, "t", store->owner)) sqlite3_step(release);
}

void ns_study_store_close(NsStudyStore *store)
{
    if (!store) return;
    if (store->options.lease > 0) ns_study_store_release(store);
    ns_database_close(store->db, store->file);
    g_mutex_clear(&store->mutex);
    g_string_chunk_free(store->texts);
    g_free(store->owner);
    g_free(store->path);
    g_free(store);
}

bool ns_study_store_is(const char *path)
{
    return ns_database_is(path, NS_DATABASE_STUDY);
}

bool ns_study_store_is_unfinished(const char *path)
{
    g_autoptr(NsStudyStore) store = open_file(path, 0, NULL);
    int64_t tables_made = 1, studies = 1;
    if (!store || !read_number(store, "SELECT COUNT(*) FROM sqlite_schema", &tables_made, NULL))
        return false;
    return tables_made == 0 ||
           (read_number(store, "SELECT COUNT(*) FROM study", &studies, NULL) && studies == 0);
}

/* ---- Running cells ---- */

/* Finds the first waiting cell or, if there is none, one whose lease has expired. */
static NsClaimed find_cell(NsStudyStore *store, char *hash, size_t *i, GError **error)
{
    static const char *const choices[] = {
        "SELECT hash, place FROM cells WHERE state = 'waiting' AND place >= ?1 AND place < ?2 "
        "ORDER BY place LIMIT 1",
        "SELECT hash, place FROM cells WHERE state = 'running' AND place >= ?1 AND place < ?2 AND "
        "lease < ?3 ORDER BY place LIMIT 1",
        "SELECT hash, place FROM cells WHERE state = 'running' AND place >= ?1 AND place < ?2 "
        "LIMIT 1",
    };
    for (size_t k = 0; k < G_N_ELEMENTS(choices); k++) {
        NS_AUTO_STATEMENT statement = ns_database_prepare(store->db, choices[k]);
        bool bound =
            ns_database_bind(statement, k == 1 ? "iid" : "ii", (int64_t)store->options.first,
                             (int64_t)store->options.end, now());
        int code = bound ? sqlite3_step(statement) : SQLITE_ERROR;
        if (code == SQLITE_ROW) {
            ns_copy_text(hash, NS_STUDY_HASH + 1, (const char *)sqlite3_column_text(statement, 0));
            *i = (size_t)sqlite3_column_int64(statement, 1);
            return k < 2 ? NS_CLAIMED_CELL : NS_CLAIMED_NONE;
        }
        if (code != SQLITE_DONE) return complain(store, error), NS_CLAIMED_FAILED;
    }
    return NS_CLAIMED_LAST;
}

NsClaimed ns_study_store_claim(NsStudyStore *store, size_t *i, GError **error)
{
    char hash[NS_STUDY_HASH + 1], own[NS_STUDY_HASH + 1];
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&store->mutex);
    NS_AUTO_TRANSACTION transaction = NULL;
    if (!begin(store, &transaction, error)) return NS_CLAIMED_FAILED;
    NsClaimed claimed = find_cell(store, hash, i, error);
    bool good = claimed != NS_CLAIMED_FAILED;
    if (claimed == NS_CLAIMED_CELL) {
        ns_study_hash(store->study, *i, own);
        if (!g_str_equal(hash, own))
            good = refuse(store->path,
                          "another process has meanwhile begun a different study in it; "
                          "give each study a file of its own",
                          error);
        else
            good = ns_database_write(
                       store->db,
                       "UPDATE cells SET state = 'running', owner = ?, lease = ? WHERE hash = ?",
                       "tdt", store->owner, now() + store->options.lease, hash) ||
                   complain(store, error);
    }
    return good && commit(store, &transaction, error) ? claimed : NS_CLAIMED_FAILED;
}

bool ns_study_store_keep(NsStudyStore *store, size_t i, const NsStudyCell *cell, GError **error)
{
    char hash[NS_STUDY_HASH + 1];
    ns_study_hash(store->study, i, hash);
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&store->mutex);
    bool ended = cell->state > NS_CELL_RUNNING;
    const char *instructions =
        ended ? ns_instructions_choice((size_t)ns_instructions())->key : NULL;
    return ns_database_write(
               store->db,
               "UPDATE cells SET state = ?, step = ?, first = ?, loss = ?, validation = ?, "
               "value = ?, seconds = ?, message = ?, program = ?, instructions = ?, owner = NULL, "
               "lease = NULL WHERE hash = ? AND state NOT IN ('done', 'diverged')",
               "tidddddtttt", ns_cell_state_word(cell->state), cell->step, cell->first, cell->loss,
               cell->validation, cell->value, cell->seconds, *cell->text ? cell->text : NULL,
               ended ? "normscope " NS_VERSION : NULL, instructions, hash) ||
           complain(store, error);
}

bool ns_study_store_keep_curve(NsStudyStore *store, size_t i, const double *points, size_t n,
                               GError **error)
{
    char hash[NS_STUDY_HASH + 1];
    ns_study_hash(store->study, i, hash);
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&store->mutex);
    return ns_database_write(store->db, "INSERT OR IGNORE INTO curves VALUES (?, ?)", "tb", hash,
                             points, n * sizeof *points) ||
           complain(store, error);
}

double *ns_study_store_curve(NsStudyStore *store, size_t i, size_t *n)
{
    char hash[NS_STUDY_HASH + 1];
    *n = 0;
    ns_study_hash(store->study, i, hash);
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&store->mutex);
    NS_AUTO_STATEMENT row =
        ns_database_prepare(store->db, "SELECT points FROM curves WHERE hash = ?");
    if (!ns_database_bind(row, "t", hash) || sqlite3_step(row) != SQLITE_ROW) return NULL;
    const void *blob = sqlite3_column_blob(row, 0);
    *n = (size_t)sqlite3_column_bytes(row, 0) / sizeof(double);
    return blob ? g_memdup2(blob, *n * sizeof(double)) : NULL;
}

bool ns_study_store_renew(NsStudyStore *store, GError **error)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&store->mutex);
    return ns_database_write(store->db,
                             "UPDATE cells SET lease = ? WHERE owner = ? AND state = 'running'",
                             "dt", now() + store->options.lease, store->owner) ||
           complain(store, error);
}

/* ---- Reading ---- */

static NsStudyCell read_cell(sqlite3_stmt *row)
{
    const char *word = (const char *)sqlite3_column_text(row, 1);
    NsStudyCell cell = ns_cell_in(NS_CELL_WAITING);
    for (unsigned state = NS_CELL_WAITING; word && state <= NS_CELL_FAILED; state++)
        if (g_str_equal(word, ns_cell_state_word((NsCellState)state)))
            cell.state = (NsCellState)state;
    if (cell.state <= NS_CELL_RUNNING) return cell;
    const char *message = (const char *)sqlite3_column_text(row, 8);
    cell.step = sqlite3_column_int64(row, 2);
    cell.first = ns_database_number(row, 3);
    cell.loss = ns_database_number(row, 4);
    cell.validation = ns_database_number(row, 5);
    cell.value = ns_database_number(row, 6);
    cell.seconds = ns_database_number(row, 7);
    ns_copy_text(cell.text, sizeof cell.text, message);
    return cell;
}

static const char *keep_text(NsStudyStore *store, sqlite3_stmt *row, int column)
{
    const char *text = ns_database_text(row, column);
    return text ? g_string_chunk_insert_const(store->texts, text) : NULL;
}

bool ns_study_store_results(NsStudyStore *store, NsStudyResults *results, GError **error)
{
    size_t n = ns_study_cells(store->study);
    g_autofree size_t *next = g_new(size_t, n); /* 1 + the previous cell with the same hash, or 0 */
    /* Map each hash to a linked list of cells, because two draws may have the same values. */
    g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < ns_study_cells(store->study); i++) {
        char hash[NS_STUDY_HASH + 1];
        ns_study_hash(store->study, i, hash);
        next[i] = GPOINTER_TO_SIZE(g_hash_table_lookup(places, hash));
        g_hash_table_insert(places, g_strdup(hash), GSIZE_TO_POINTER(i + 1));
    }

    *results = (NsStudyResults){
        .study = store->study, .cells = g_new(NsStudyCell, n), .origins = g_new0(NsCellOrigin, n)};
    for (size_t i = 0; i < n; i++) results->cells[i] = ns_cell_in(NS_CELL_WAITING);
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&store->mutex);
    NS_AUTO_STATEMENT row = ns_database_prepare(
        store->db, "SELECT hash, state, step, first, loss, validation, value, seconds, message, "
                   "program, instructions FROM cells");
    int code = SQLITE_ERROR;
    while (row && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *hash = (const char *)sqlite3_column_text(row, 0);
        size_t at = hash ? GPOINTER_TO_SIZE(g_hash_table_lookup(places, hash)) : 0;
        for (; at; at = next[at - 1]) {
            results->cells[at - 1] = read_cell(row);
            results->origins[at - 1] =
                (NsCellOrigin){keep_text(store, row, 9), keep_text(store, row, 10)};
        }
    }
    for (size_t i = 0; i < n; i++) {
        const NsStudyCell *cell = &results->cells[i];
        results->ended += cell->state > NS_CELL_RUNNING;
        results->diverged += cell->state == NS_CELL_DIVERGED;
        results->failed += cell->state == NS_CELL_FAILED;
        if (cell->state == NS_CELL_FAILED && !results->failure) results->failure = cell->text;
    }
    return code == SQLITE_DONE || complain(store, error);
}

void ns_study_results_clear(NsStudyResults *results)
{
    g_free(results->cells);
    g_free(results->origins);
}

/* ---- Merging ---- */

#define ENDED "state IN ('done', 'diverged')"

static bool merge(NsStudyStore *store, NsMerged *merged, GError **error)
{
    int64_t known = 0, differs = 0;
    NS_AUTO_TRANSACTION transaction = NULL;
    if (!begin(store, &transaction, error) ||
        !read_number(store,
                     "SELECT COUNT(*) FROM part.cells JOIN main.cells USING (hash) WHERE "
                     "part.cells." ENDED " AND main.cells." ENDED,
                     &known, error) ||
        !read_number(store,
                     "SELECT COUNT(*) FROM part.cells JOIN main.cells USING (hash) WHERE "
                     "part.cells." ENDED " AND main.cells." ENDED
                     " AND (part.cells.value IS NOT main.cells.value OR part.cells.state <> "
                     "main.cells.state)",
                     &differs, error) ||
        !execute(store,
                 "INSERT INTO main.cells SELECT hash, -1, state, NULL, NULL, step, first, loss, "
                 "validation, value, seconds, message, program, instructions FROM part.cells "
                 "WHERE " ENDED
                 " ON CONFLICT (hash) DO UPDATE SET state = excluded.state, step = excluded.step, "
                 "first = excluded.first, loss = excluded.loss, validation = excluded.validation, "
                 "value = excluded.value, seconds = excluded.seconds, message = excluded.message, "
                 "program = excluded.program, instructions = excluded.instructions, owner = NULL, "
                 "lease = NULL WHERE main.cells.state NOT IN ('done', 'diverged')",
                 error))
        return false;
    merged->added = (size_t)sqlite3_changes64(store->db);
    int64_t curves = 0;
    if (!read_number(store, "PRAGMA part.user_version", &curves, error) ||
        (curves == SCHEMA &&
         !execute(store, "INSERT OR IGNORE INTO main.curves SELECT * FROM part.curves", error)))
        return false;
    merged->known = (size_t)known;
    merged->differs = (size_t)differs;
    return commit(store, &transaction, error);
}

bool ns_study_store_merge(NsStudyStore *store, const char *path, NsMerged *merged, GError **error)
{
    if (!ns_study_store_is(path))
        return refuse(path, "it is missing, or another kind of file", error);
    if (ns_database_file_is_at(store->file, path))
        return refuse(path, "it is the file that they are merged into; name another one", error);
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&store->mutex);
    NsDatabaseFile *part = ns_database_file_open(path, 0);
    bool attached = part && (ns_database_write(store->db, "ATTACH ? AS part", "t", path) ||
                             complain(store, error));
    bool good = attached && check_tables(store, "part", path, error) && merge(store, merged, error);
    if (attached) ns_database_run(store->db, "DETACH part");
    ns_database_file_close(part);
    return good || (error && !*error && refuse(path, "it cannot be read", error));
}
