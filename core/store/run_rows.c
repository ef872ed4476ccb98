/* SPDX-License-Identifier: MIT */
#include "core/store/run_rows-private.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/data/vocabulary.h"
#include "core/experiment/provenance.h"
#include "core/store/jsonl.h"
#include "core/store/run_checkpoint-private.h"
#include "core/store/run_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

/* How long to wait for readers of the file when it is opened for writing. */
#define BUSY_MILLISECONDS 2000

/* Maximum size of all checkpoints in the file, in bytes. */
#define CHECKPOINT_BYTES ((int64_t)64 << 20)

/* ---- What was measured ---- */

static bool write_item(NsRunRows *rows, const NsRunItem *item)
{
    if (item->kind == NS_RUN_ITEM_CHECKPOINT)
        return ns_run_checkpoint_write(rows->db, item->what.clock, (int64_t)item->run + 1,
                                       item->checkpoint) &&
               ns_run_checkpoints_thin(rows->db, CHECKPOINT_BYTES);
    sqlite3_stmt *statement = rows->insert[item->kind];
    const NsRunSeed *run = &rows->runs[item->run];
    const NsStep *step = &item->what.step;
    const NsEvent *event = &item->what.event;
    bool bound = false;
    switch (item->kind) {
    case NS_RUN_ITEM_STEP:
        bound =
            ns_database_bind(statement, "iiiddddd", run->lane, run->seed, step->step, step->loss,
                             step->lr, step->grad_norm, step->seconds, step->probe_seconds);
        break;
    case NS_RUN_ITEM_EVALUATION:
        bound = ns_database_bind(statement, "iiid", run->lane, run->seed,
                                 item->what.evaluation.step, item->what.evaluation.loss);
        break;
    case NS_RUN_ITEM_CONTINUATION:
        bound =
            ns_database_bind(statement, "iiitt", run->lane, run->seed, item->what.continuation.step,
                             item->what.continuation.prompt, item->what.continuation.text);
        break;
    case NS_RUN_ITEM_EVENT:
        bound = ns_database_bind(statement, "iiititt", run->lane, run->seed, event->step,
                                 ns_jsonl_event_word(event->kind), (int64_t)event->layer,
                                 event->what, event->text);
        if (event->layer <= 0) sqlite3_bind_null(statement, 5);
        break;
    case NS_RUN_ITEM_CHECKPOINT:
        break;
    }
    return bound && ns_database_finish(statement);
}

/* ---- Profiles ---- */

/* The number of values that are present among n. */
static size_t count_present(const NsRunItem *item, size_t offset, size_t n)
{
    size_t there = 0;
    for (size_t i = 0; i < n; i++) there += item->values.has[offset + i];
    return there;
}

static bool write_block(NsRunRows *rows, const NsRunSeed *run, NsQuantity quantity,
                        NsRunItem *const *items, size_t n)
{
    size_t size = run->layout.count[quantity], offset = run->layout.offset[quantity], there = 0;
    g_autofree float *data = g_new(float, n *size);
    g_autofree bool *present = g_new(bool, n *size);
    for (size_t i = 0; i < n; i++) {
        memcpy(data + i * size, items[i]->values.value + offset, size * sizeof *data);
        memcpy(present + i * size, items[i]->values.has + offset, size * sizeof *present);
        there += count_present(items[i], offset, size);
    }
    sqlite3_stmt *statement = rows->insert_profile;
    bool all = there == n * size;
    bool written =
        ns_database_bind(statement, "iiibb", run->ids[quantity], items[0]->what.step.step,
                         (int64_t)n, data, n * size * sizeof *data, all ? NULL : present,
                         n * size * sizeof *present) &&
        ns_database_finish(statement);
    sqlite3_clear_bindings(statement);
    return written;
}

/* Writes a row for every block of consecutive steps that measured the quantity. */
static bool write_quantity(NsRunRows *rows, const NsRunSeed *run, NsQuantity quantity,
                           const GPtrArray *steps)
{
    size_t size = run->layout.count[quantity], offset = run->layout.offset[quantity];
    NsRunItem *const *items = (NsRunItem *const *)(void *)steps->pdata;
    for (size_t first = 0, end; size && first < steps->len; first = end) {
        for (end = first; end < steps->len && end - first < NS_RUN_BLOCK; end++)
            if (count_present(items[end], offset, size) == 0) break;
        if (end > first && !write_block(rows, run, quantity, items + first, end - first))
            return false;
        if (end == first) end++;
    }
    return true;
}

static bool write_profiles(NsRunRows *rows, size_t run, const GPtrArray *items)
{
    g_autoptr(GPtrArray) steps = g_ptr_array_new();
    for (guint i = 0; i < items->len; i++) {
        const NsRunItem *item = items->pdata[i];
        if (item->kind == NS_RUN_ITEM_STEP && item->run == run)
            g_ptr_array_add(steps, items->pdata[i]);
    }
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        if (!write_quantity(rows, &rows->runs[run], (NsQuantity)q, steps)) return false;
    return true;
}

/* ---- Transactions ---- */

/* Turns the last error of SQLite into a GError. */
static bool explain(const NsRunRows *rows, GError **error)
{
    int code = sqlite3_errcode(rows->db) & 0xff;
    int said = sqlite3_system_errno(rows->db), system = said ? said : ns_file_size_limit();
    int errno_ = code == SQLITE_FULL                              ? ENOSPC
                 : code == SQLITE_READONLY || code == SQLITE_PERM ? EACCES
                 : code == SQLITE_IOERR && system                 ? system
                                                                  : 0;
    if (errno_) return ns_file_error(rows->path, errno_, error);
    g_autofree char *name = g_filename_display_name(rows->path);
    g_autofree char *why = ns_database_error(rows->db);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return ns_refuse(error, NS_ERROR_FILE,
                         "Cannot write “%s”: another program has locked it; try again.", name);
    return ns_refuse(error, NS_ERROR_FILE, "Cannot write “%s”: %s; choose another file.", name,
                     code >= SQLITE_ROW ? "it is damaged" : why);
}

/* The result of a transaction that failed just now. */
static NsRowsWritten failed(const NsRunRows *rows, GError **error)
{
    int code = sqlite3_errcode(rows->db) & 0xff;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) return NS_ROWS_LOCKED;
    explain(rows, error);
    return NS_ROWS_FAILED;
}

/* Writes all items in one transaction. */
NsRowsWritten ns_run_rows_write(NsRunRows *rows, const GPtrArray *items, GError **error)
{
    /* Records written to a file that was deleted or replaced would be lost. */
    if (!ns_database_file_is_at(rows->file, rows->path)) {
        g_autofree char *name = g_filename_display_name(rows->path);
        ns_refuse(error, NS_ERROR_FILE, "“%s” was removed or replaced while it was being written.",
                  name);
        return NS_ROWS_FAILED;
    }
    if (items->len == 0) return NS_ROWS_WRITTEN;
    NS_AUTO_TRANSACTION transaction = ns_database_begin(rows->db);
    bool written = transaction;
    for (guint i = 0; written && i < items->len; i++) written = write_item(rows, items->pdata[i]);
    for (size_t run = 0; written && run < rows->n; run++)
        written = write_profiles(rows, run, items);
    written = written && ns_database_commit(&transaction);
    return written ? NS_ROWS_WRITTEN : failed(rows, error);
}

/* ---- Creating the file ---- */

static bool write_lane(NsRunRows *rows, const NsRunSeed *own, NsRun *run)
{
    g_autofree char *line = ns_jsonl_settings(run);
    return ns_database_write(rows->db, "INSERT INTO lanes (lane, seed, settings) VALUES (?, ?, ?)",
                             "iit", own->lane, own->seed, line);
}

bool ns_run_write_quantities(NsRunRows *rows, NsRunSeed *run)
{
    NS_AUTO_STATEMENT find = ns_database_prepare(
        rows->db, "SELECT id FROM quantities WHERE lane = ? AND seed = ? AND key = ?");
    NS_AUTO_STATEMENT add = ns_database_prepare(
        rows->db, "INSERT INTO quantities (lane, seed, key, size) VALUES (?, ?, ?, ?)");
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
        const char *key = ns_quantity((NsQuantity)q)->choice.key;
        if (run->layout.count[q] == 0) continue;
        if (!ns_database_bind(find, "iit", run->lane, run->seed, key)) return false;
        int found = sqlite3_step(find);
        run->ids[q] = sqlite3_column_int64(find, 0);
        sqlite3_reset(find);
        if (found == SQLITE_ROW) continue;
        if (found != SQLITE_DONE ||
            !ns_database_bind(add, "iiti", run->lane, run->seed, key,
                              (int64_t)run->layout.count[q]) ||
            !ns_database_finish(add))
            return false;
        run->ids[q] = sqlite3_last_insert_rowid(rows->db);
    }
    return true;
}

/* Stores the vocabulary, so that a trained lane can translate without its training texts; and the
 * losses to compare with as "4.27 3.26 1": of a uniform guess, of the frequencies (NaN: none), and
 * whether these are of letters. */
static bool write_notes(NsRunRows *rows, const NsRunSeed *run, NsRun *of)
{
    g_autofree char *vocabulary = ns_vocabulary_write(of->corpus);
    NsBaselines baselines = ns_history_baselines(of->history);
    char uniform[G_ASCII_DTOSTR_BUF_SIZE], frequencies[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(uniform, sizeof uniform, baselines.uniform);
    g_ascii_dtostr(frequencies, sizeof frequencies, baselines.frequencies);
    g_autofree char *text =
        g_strdup_printf("%s %s %d", uniform, frequencies, baselines.letters ? 1 : 0);
    static const char sql[] = "INSERT OR REPLACE INTO notes VALUES (? || '-' || ?, ?)";
    return ns_database_write(rows->db, sql, "tit", NS_RUN_NOTE_BASELINES, run->lane, text) &&
           (!vocabulary ||
            ns_database_write(rows->db, sql, "tit", NS_RUN_NOTE_VOCABULARY, run->lane, vocabulary));
}

static bool write_head(NsRunRows *rows, NsLockstep *lockstep)
{
    g_autofree char *mark = g_strdup_printf("PRAGMA application_id = %d; PRAGMA user_version = %d",
                                            NS_DATABASE_RUN, NS_RUN_SCHEMA);
    if (!ns_database_run(rows->db, mark)) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(ns_run_tables); i++)
        if (!ns_database_run(rows->db, ns_run_tables[i])) return false;
    const NsSettings *settings[NS_LANES_MAX];
    size_t n = ns_lockstep_lanes(lockstep);
    for (size_t i = 0; i < n; i++) settings[i] = &ns_lockstep_run(lockstep, i, 0)->settings;
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    ns_experiment_set_lanes(&provenance.experiment, settings, n);
    g_autofree char *line = ns_provenance_line(&provenance);
    if (!ns_database_write(rows->db, "INSERT INTO run VALUES (?, ?, ?)", "tti",
                           "normscope " NS_VERSION, line,
                           (int64_t)(g_get_real_time() / G_USEC_PER_SEC)))
        return false;

    for (size_t i = 0; i < rows->n; i++)
        if (!write_lane(rows, &rows->runs[i], ns_lockstep_nth_run(lockstep, i)) ||
            !ns_run_write_quantities(rows, &rows->runs[i]) ||
            !write_notes(rows, &rows->runs[i], ns_lockstep_nth_run(lockstep, i)))
            return false;
    return true;
}

/* ---- Life ---- */

/* A resumed run may evaluate at a step for which the file already has the validation loss. */
static bool prepare_inserts(NsRunRows *rows)
{
    const char *const sql[] = {
        [NS_RUN_ITEM_STEP] = "INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [NS_RUN_ITEM_EVALUATION] =
            rows->resumed ? "INSERT INTO evaluations SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS "
                            "(SELECT 1 FROM evaluations WHERE lane = ?1 AND seed = ?2 AND "
                            "step = ?3)"
                          : "INSERT INTO evaluations VALUES (?, ?, ?, ?)",
        [NS_RUN_ITEM_CONTINUATION] =
            rows->resumed ? "INSERT OR IGNORE INTO continuations VALUES (?, ?, ?, ?, ?)"
                          : "INSERT INTO continuations VALUES (?, ?, ?, ?, ?)",
        [NS_RUN_ITEM_EVENT] = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(sql); i++)
        if (!(rows->insert[i] = ns_database_prepare(rows->db, sql[i]))) return false;
    rows->insert_profile =
        ns_database_prepare(rows->db, "INSERT INTO profiles VALUES (?, ?, ?, ?, ?)");
    return rows->insert_profile != NULL;
}

static bool refuse_existing(const NsRunRows *rows, GError **error)
{
    g_autofree char *name = g_filename_display_name(rows->path);
    return ns_refuse(error, NS_ERROR_USAGE,
                     "“%s” exists already, and a run file is never overwritten; choose another "
                     "name, or continue it with “resume”.",
                     name);
}

/* Creates or opens the file and locks it for this program.  A file that exists may be empty. */
static bool take_file(NsRunRows *rows, GError **error)
{
    rows->file = ns_database_file_open(rows->path, rows->resumed ? 0 : O_CREAT | O_EXCL);
    int why = errno;
    rows->existed = rows->resumed || (!rows->file && why == EEXIST);
    if (!rows->file && rows->existed) rows->file = ns_database_file_open(rows->path, 0);
    if (!rows->file && rows->existed && errno == EISDIR)
        return ns_file_error(rows->path, EISDIR, error);
    rows->locked = rows->file && ns_database_file_lock(rows->file);
    if (rows->locked) return true;
    if (rows->file) why = errno;
    if (!rows->resumed && (rows->existed || why == EWOULDBLOCK))
        return refuse_existing(rows, error);
    g_autofree char *name = g_filename_display_name(rows->path);
    if (rows->file && why == EWOULDBLOCK)
        return ns_refuse(error, NS_ERROR_FILE,
                         "“%s” is being written by another program; wait until it has finished.",
                         name);
    return ns_file_error(rows->path, why, error);
}

bool ns_run_rows_open(NsRunRows *rows, NsLockstep *lockstep, GError **error)
{
    if (!take_file(rows, error)) return false;
    if (ns_database_open(rows->path, SQLITE_OPEN_READWRITE, &rows->db, &rows->file) != SQLITE_OK)
        return explain(rows, error);
    sqlite3_busy_timeout(rows->db, BUSY_MILLISECONDS);
    if (rows->existed && !rows->resumed) {
        /* A writer that was killed while it created the file leaves it without tables. */
        int64_t tables = 1;
        if (!ns_database_find_number(rows->db, "SELECT count(*) FROM sqlite_schema", &tables) ||
            tables > 0)
            return refuse_existing(rows, error);
    }
    NS_AUTO_TRANSACTION transaction = ns_database_begin(rows->db);
    rows->open =
        transaction && (rows->resumed ? ns_run_go_on : write_head)(rows, lockstep) &&
        ns_database_commit(&transaction) &&
        ns_database_run(rows->db,
                        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                        "PRAGMA secure_delete = OFF; PRAGMA journal_size_limit = 67108864") &&
        prepare_inserts(rows);
    if (rows->open) return true;
    if (!rows->other_step) return explain(rows, error);
    g_autofree char *name = g_filename_display_name(rows->path);
    return ns_refuse(error, NS_ERROR_FILE,
                     "“%s” cannot be continued from step %" PRId64
                     ": its newest checkpoint is that of step %" PRId64 ".",
                     name, ns_lockstep_steps(lockstep), rows->from);
}

/* ---- The end ---- */

/* The summary of a resumed run covers only the part after it was resumed.  The values for the whole
 * run are computed from the file. */
#define COMPLETE_VALIDATION                                                                        \
    "UPDATE lanes SET summary = json_set(summary, '$.summary.validation_loss', "                   \
    "json(format('%!.17g', e.loss)), '$.summary.validation_step', e.step) FROM (SELECT lane, "     \
    "seed, max(step) AS step, loss FROM evaluations GROUP BY lane, seed) AS e "                    \
    "WHERE e.lane = lanes.lane AND e.seed = lanes.seed AND e.loss NOT NULL "                       \
    "AND json_extract(summary, '$.summary.validation_step') IS NULL;"
#define COMPLETE_TIME                                                                              \
    "UPDATE lanes SET summary = json_set(summary, '$.summary.seconds', t.seconds, "                \
    "'$.summary.ms_per_step', t.mean) FROM (SELECT lane, seed, sum(seconds) AS seconds, "          \
    "1e3 * avg(seconds) AS mean FROM steps WHERE step > 0 GROUP BY lane, seed) AS t "              \
    "WHERE t.lane = lanes.lane AND t.seed = lanes.seed"

static bool write_summaries(NsRunRows *rows, char *const *summaries, int64_t reached)
{
    bool written = true;
    for (size_t i = 0; written && i < rows->n; i++)
        written = ns_database_write(rows->db,
                                    "UPDATE lanes SET summary = ?3 WHERE lane = ?1 AND seed = ?2",
                                    "iit", rows->runs[i].lane, rows->runs[i].seed, summaries[i]);
    return written &&
           (!rows->resumed || (ns_run_drop_after(rows->db, reached) &&
                               ns_database_run(rows->db, COMPLETE_VALIDATION COMPLETE_TIME)));
}

NsRowsWritten ns_run_rows_end(NsRunRows *rows, char *const *summaries, int64_t reached,
                              GError **error)
{
    NS_AUTO_TRANSACTION transaction = ns_database_begin(rows->db);
    bool written = transaction && write_summaries(rows, summaries, reached) &&
                   ns_database_commit(&transaction);
    return written ? NS_ROWS_WRITTEN : failed(rows, error);
}

void ns_run_rows_close(NsRunRows *rows)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows->insert); i++) sqlite3_finalize(rows->insert[i]);
    sqlite3_finalize(rows->insert_profile);
    /* This merges the log into the run file, unless another program is reading it now. */
    if (rows->open)
        ns_database_run(rows->db, "PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
    sqlite3_close(rows->db);
    if (rows->locked) ns_database_file_unlock(rows->file);
    ns_database_file_close(rows->file);
    g_free(rows->path);
}
