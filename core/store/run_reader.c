/* SPDX-License-Identifier: MIT */
#include "core/store/run_reader.h"

#include "core/base/copy.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/probe/record.h"
#include "core/store/jsonl.h"
#include "core/store/run_checkpoint-private.h"
#include "core/store/run_notes.h"
#include "core/store/run_schema-private.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Bytes of records that are read at once. */
#define WINDOW ((size_t)16 << 20)

/* Maximum bytes of a text or blob. */
#define LARGEST (1 << 30)

/* How long to wait while another program has locked the file. */
#define BUSY_MILLISECONDS 2000

/* A seed of a lane. */
typedef struct {
    int64_t lane, seed; /* as in the file */
    NsRecordLayout layout;
    bool has[NS_QUANTITY_COUNT];    /* the file has the quantity with the size of the layout */
    int64_t ids[NS_QUANTITY_COUNT]; /* its number in the file */
    int64_t first, last;
    char *settings, *summary;
} Run;

struct NsRunReader {
    char *name;     /* display name in messages */
    bool to_resume; /* a run without a step is accepted */
    sqlite3 *db;
    NsDatabaseFile *file;
    NsProvenance provenance;
    int64_t version; /* “data_version” when the runs were read */
    Run runs[NS_LANES_MAX][NS_SEEDS_MAX];
};

static bool refuse(const NsRunReader *r, const char *why, GError **error)
{
    return ns_refuse(error, NS_ERROR_FILE, N_("“%s” cannot be read as a run: %s."), r->name,
                     _(why));
}

static bool refuse_damaged(const NsRunReader *r, GError **error)
{
    return refuse(r, "the file is damaged", error);
}

/* Turns the last error of SQLite into a GError. */
static bool complain(const NsRunReader *r, GError **error)
{
    int code = sqlite3_errcode(r->db) & 0xff;
    if (code == SQLITE_CORRUPT) return refuse_damaged(r, error);
    if (code == SQLITE_NOTADB)
        return refuse(r, N_("it is not a run file, or its beginning is damaged"), error);
    if (code == SQLITE_BUSY && r->file && !ns_database_file_can_lock(r->file))
        return refuse(r, "its file system has no locks; copy it to a local disk", error);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return refuse(r, "another program has locked it; try again", error);
    if (code == SQLITE_CANTOPEN) {
        /* The newest part is in the separate log file if the writer was killed. */
        const char *path = sqlite3_db_filename(r->db, "main");
        if (path && g_file_test(sqlite3_filename_wal(path), G_FILE_TEST_EXISTS))
            return refuse(
                r,
                "its newest part is in a file beside it, with -wal at its end, and both can "
                "only be read in a folder that can be written; copy them to one",
                error);
    }
    g_autofree char *why = ns_database_error(r->db);
    return refuse(r, why, error);
}

/* ---- Rows ---- */

static sqlite3_stmt *prepare(NsRunReader *r, const char *sql, GError **error)
{
    sqlite3_stmt *statement = ns_database_prepare(r->db, sql);
    if (!statement) complain(r, error);
    return statement;
}

typedef enum { ROW, END, FAILED } Fetched;

static Fetched fetch(NsRunReader *r, sqlite3_stmt *statement, GError **error)
{
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) return ROW;
    if (code == SQLITE_DONE) return END;
    complain(r, error);
    return FAILED;
}

/* Fetches the only row of a statement; it is an error if there is none. */
static bool fetch_one(NsRunReader *r, sqlite3_stmt *statement, GError **error)
{
    Fetched fetched = fetch(r, statement, error);
    return fetched == ROW || (fetched == END && refuse_damaged(r, error));
}

/* ---- The head of the file ---- */

static bool check_head(NsRunReader *r, GError **error)
{
    int64_t application, schema;
    if (!ns_database_find_number(r->db, "PRAGMA application_id", &application) ||
        !ns_database_find_number(r->db, "PRAGMA user_version", &schema))
        return complain(r, error);
    if (application == NS_DATABASE_RUN && schema > NS_RUN_SCHEMA)
        return refuse(r, "it was written by a newer Normscope", error);
    if (application == NS_DATABASE_RUN && schema > 0 && schema < NS_RUN_SCHEMA_LEAST)
        return refuse(r, "it was written by an older Normscope without checkpoints", error);
    if (application != NS_DATABASE_RUN && application != 0)
        return refuse(r, "it is a database of another program", error);
    /* Only the tables of a run are allowed, because a view or a trigger could execute anything. */
    size_t n, others, all = G_N_ELEMENTS(ns_run_tables);
    if (!ns_database_count(r->db, "main", ns_run_tables, all, &n, &others))
        return complain(r, error);
    if (n + others == 0) return refuse(r, "nothing has been recorded yet", error);
    return (others == 0 && n + NS_RUN_LATER_TABLES >= all) || refuse_damaged(r, error);
}

static bool read_provenance(NsRunReader *r, NsProvenance *provenance, GError **error)
{
    NS_AUTO_STATEMENT statement = prepare(r, "SELECT experiment FROM run", error);
    if (!statement || !fetch_one(r, statement, error)) return false;
    const char *line = ns_database_text(statement, 0);
    if (!line) return refuse_damaged(r, error);
    if (ns_provenance_read(provenance, line, error)) return true;
    g_prefix_error(error, "“%s”: ", r->name);
    return false;
}

/* Prepares a statement whose first two parameters are a lane and a seed. */
static sqlite3_stmt *prepare_of(NsRunReader *r, const Run *run, const char *sql, GError **error)
{
    sqlite3_stmt *statement = prepare(r, sql, error);
    return ns_database_bind(statement, "ii", run->lane, run->seed) ? statement : NULL;
}

static bool read_range(NsRunReader *r, Run *run, GError **error)
{
    NS_AUTO_STATEMENT statement = prepare_of(
        r, run, "SELECT min(step), max(step), count(*) FROM steps WHERE lane = ? AND seed = ?",
        error);
    if (!statement || !fetch_one(r, statement, error)) return false;
    bool none = sqlite3_column_int64(statement, 2) == 0;
    if (none && !r->to_resume) return refuse(r, "no step has been recorded yet", error);
    run->first = sqlite3_column_int64(statement, 0);
    run->last = none ? -1 : sqlite3_column_int64(statement, 1);
    bool whole = run->first >= 0 && run->last <= NS_JSON_LAST_INTEGER &&
                 run->last - run->first + 1 == sqlite3_column_int64(statement, 2);
    return whole || refuse_damaged(r, error);
}

/* The gradients of parameters that the file has show which parameters the model has. */
static bool read_layout(NsRunReader *r, Run *run, const NsSettings *settings, GError **error)
{
    NsTensor tensors[NS_PARAMETER_COUNT];
    NsTensorTable table = {.tensors = tensors};
    NS_AUTO_STATEMENT statement = prepare_of(
        r, run, "SELECT id, key, size FROM quantities WHERE lane = ? AND seed = ? ORDER BY id",
        error);
    if (!statement) return false;
    size_t sizes[NS_QUANTITY_COUNT] = {0};
    Fetched fetched;
    while ((fetched = fetch(r, statement, error)) == ROW) {
        const char *key = ns_database_text(statement, 1);
        int q = key ? ns_choices_find(ns_quantity_choice, key) : -1;
        if (q < 0 || sizes[q]) continue;
        run->ids[q] = sqlite3_column_int64(statement, 0);
        sizes[q] = (size_t)sqlite3_column_int64(statement, 2);
        if (sizes[q] && q < NS_PARAMETER_COUNT)
            tensors[table.n++] = (NsTensor){.parameter = (unsigned)q};
    }
    if (fetched == FAILED) return false;
    ns_record_layout_of(&run->layout, &table, settings);
    if (run->layout.width == 0 || run->layout.width > NS_RECORDED_WIDEST)
        return refuse_damaged(r, error);
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        run->has[q] = sizes[q] && sizes[q] == run->layout.count[q];
    return true;
}

static bool read_runs(NsRunReader *r, GError **error)
{
    NsProvenance *provenance = &r->provenance;
    if (!ns_database_find_number(r->db, "PRAGMA data_version", &r->version))
        return complain(r, error);
    for (size_t i = 0; i < provenance->experiment.n; i++) {
        const NsSettings *settings = &provenance->experiment.lane[i];
        if (settings->seeds != provenance->experiment.lane[0].seeds)
            return refuse_damaged(r, error);
        for (int64_t k = 0; k < settings->seeds; k++) {
            Run *run = &r->runs[i][k];
            run->lane = (int64_t)i + 1;
            run->seed = settings->seed + k;
            NS_AUTO_STATEMENT statement = prepare_of(
                r, run, "SELECT settings, summary FROM lanes WHERE lane = ? AND seed = ?", error);
            if (!statement || !fetch_one(r, statement, error)) return false;
            g_free(run->settings);
            g_free(run->summary);
            run->settings = g_strdup(ns_database_text(statement, 0));
            run->summary = g_strdup(ns_database_text(statement, 1));
            if (!run->settings) return refuse_damaged(r, error);
            if (!read_range(r, run, error) || !read_layout(r, run, settings, error)) return false;

            provenance->step = MAX(provenance->step, run->last);
        }
    }
    return true;
}

/* ---- Opening ---- */

/* An empty file is just being created by a writer. */
bool ns_run_file_is(const char *path)
{
    GStatBuf file;
    bool empty = g_stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0;
    return empty ? g_str_has_suffix(path, NS_RUN_SUFFIX) : ns_database_is(path, NS_DATABASE_RUN);
}

/* The transaction lasts as long as the reader, so that all queries see the file as it is now. */
static bool open_database(NsRunReader *r, const char *path, GError **error)
{
    /* Write access is needed because, after a writer was killed, SQLite merges the log file into
     * the database when it opens it. */
    bool good = ns_database_open(path, SQLITE_OPEN_READWRITE, &r->db, &r->file) == SQLITE_OK;
    if (good) {
        sqlite3_busy_timeout(r->db, BUSY_MILLISECONDS);
        sqlite3_limit(r->db, SQLITE_LIMIT_LENGTH, LARGEST);
        good = ns_database_run(r->db, "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; BEGIN");
    }
    return good ? check_head(r, error) : complain(r, error);
}

static NsRunReader *open_file(const char *path, GError **error)
{
    NsRunReader *r = g_new0(NsRunReader, 1);
    ns_provenance_init(&r->provenance);
    r->name = g_filename_display_basename(path);
    /* Causes that SQLite does not report when it cannot open a file. */
    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        refuse(r, "there is no such file", error);
    else if (g_file_test(path, G_FILE_TEST_IS_DIR))
        refuse(r, N_("it is a folder"), error);
    else if (open_database(r, path, error))
        return r;
    ns_run_reader_free(r);
    return NULL;
}

static NsRunReader *open_run(const char *path, bool to_resume, GError **error)
{
    g_autoptr(NsRunReader) r = open_file(path, error);
    if (r) r->to_resume = to_resume;
    if (!r || !read_provenance(r, &r->provenance, error) || !read_runs(r, error)) return NULL;
    return g_steal_pointer(&r);
}

NsRunReader *ns_run_reader_open(const char *path, GError **error)
{
    return open_run(path, false, error);
}

NsRunReader *ns_run_reader_open_to_resume(const char *path, GError **error)
{
    return open_run(path, true, error);
}

void ns_run_reader_release(NsRunReader *r)
{
    if (!sqlite3_get_autocommit(r->db)) ns_database_run(r->db, "COMMIT");
}

bool ns_run_reader_refresh(NsRunReader *r, bool *changed, GError **error)
{
    int64_t version;
    ns_run_reader_release(r);
    if (!ns_database_run(r->db, "BEGIN") ||
        !ns_database_find_number(r->db, "PRAGMA data_version", &version))
        return complain(r, error);
    *changed = version != r->version;
    return !*changed || read_runs(r, error);
}

bool ns_run_reader_is_at(const NsRunReader *r, const char *path)
{
    return ns_database_file_is_at(r->file, path);
}

void ns_run_reader_free(NsRunReader *r)
{
    if (!r) return;
    for (size_t i = 0; i < NS_LANES_MAX * NS_SEEDS_MAX; i++) {
        Run *run = &r->runs[i / NS_SEEDS_MAX][i % NS_SEEDS_MAX];
        g_free(run->settings);
        g_free(run->summary);
    }
    ns_database_close(r->db, r->file);
    ns_provenance_clear(&r->provenance);
    g_free(r->name);
    g_free(r);
}

bool ns_run_file_read_provenance(NsProvenance *provenance, const char *path, GError **error)
{
    g_autoptr(NsRunReader) r = open_file(path, error);
    return r && read_provenance(r, provenance, error);
}

const NsProvenance *ns_run_reader_provenance(const NsRunReader *r)
{
    return &r->provenance;
}

size_t ns_run_reader_seeds(const NsRunReader *r)
{
    return (size_t)r->provenance.experiment.lane[0].seeds;
}

NsRunLane ns_run_reader_lane(const NsRunReader *r, size_t lane, size_t seed)
{
    const Run *run = &r->runs[lane][seed];
    return (NsRunLane){run->first, run->last, run->layout.width, run->settings, run->summary};
}

/* ---- Records ---- */

/* Records of consecutive steps. */
typedef struct {
    int64_t first;
    size_t n;
    NsStep *steps;
    NsValues values;             /* [n][width] */
    const NsRecordLayout *where; /* the width and the offsets of the quantities */
} Window;

static bool read_steps(NsRunReader *r, const Run *run, Window *window, GError **error)
{
    NS_AUTO_STATEMENT statement =
        prepare(r,
                "SELECT step, loss, lr, grad_norm, seconds, probe_seconds FROM steps "
                "WHERE lane = ? AND seed = ? AND step >= ? ORDER BY step LIMIT ?",
                error);
    if (!ns_database_bind(statement, "iiii", run->lane, run->seed, window->first,
                          (int64_t)window->n))
        return false;
    for (size_t i = 0; i < window->n; i++) {
        if (!fetch_one(r, statement, error)) return false;
        NsStep step = {
            .step = sqlite3_column_int64(statement, 0),
            .loss = ns_database_number(statement, 1),
            .lr = ns_database_number(statement, 2),
            .grad_norm = ns_database_number(statement, 3),
            .seconds = ns_database_number(statement, 4),
            .probe_seconds = ns_database_number(statement, 5),
        };
        if (step.step != window->first + (int64_t)i) return refuse_damaged(r, error);
        window->steps[i] = step;
    }
    return true;
}

/* Copies the part of a row of profiles that overlaps the window. */
static bool take_profile(const Run *run, const Window *window, sqlite3_stmt *row)
{
    int64_t id = sqlite3_column_int64(row, 0), first = sqlite3_column_int64(row, 1);
    int64_t steps = sqlite3_column_int64(row, 2);
    unsigned q = 0;
    while (q < NS_QUANTITY_COUNT && !(run->has[q] && run->ids[q] == id)) q++;
    if (q == NS_QUANTITY_COUNT) return true; /* a quantity of another version */
    size_t size = run->layout.count[q], offset = window->where->offset[q];
    if (steps < 1 || steps > NS_RUN_BLOCK) return false;

    const float *data = sqlite3_column_blob(row, 3);
    const uint8_t *present = sqlite3_column_blob(row, 4);
    size_t n = size * (size_t)steps;
    if ((size_t)sqlite3_column_bytes(row, 3) != n * sizeof *data) return false;
    if (present && (size_t)sqlite3_column_bytes(row, 4) != n) return false;
    int64_t end = MIN(first + steps, window->first + (int64_t)window->n);
    for (int64_t step = MAX(first, window->first); step < end; step++) {
        size_t from = (size_t)(step - first) * size;
        size_t to = (size_t)(step - window->first) * window->where->width + offset;
        memcpy(window->values.value + to, data + from, size * sizeof *data);
        for (size_t i = 0; i < size; i++)
            window->values.has[to + i] = !present || present[from + i];
    }
    return true;
}

/* Reads all quantities if `only` is NS_QUANTITY_COUNT, otherwise this one. */
static bool read_profiles(NsRunReader *r, const Run *run, const Window *window, NsQuantity only,
                          GError **error)
{
    bool all = (unsigned)only == NS_QUANTITY_COUNT;
    ns_values_reset(window->values, window->n * window->where->width);
    if (!all && !run->has[only]) return true;
    NS_AUTO_STATEMENT statement =
        prepare(r,
                "SELECT quantity, first, steps, data, present FROM profiles WHERE quantity IN "
                "(SELECT id FROM quantities WHERE lane = ? AND seed = ? AND (?5 OR id = ?6)) "
                "AND first BETWEEN ?3 AND ?4",
                error);
    if (!ns_database_bind(statement, "iiiiii", run->lane, run->seed,
                          window->first - NS_RUN_BLOCK + 1, window->first + (int64_t)window->n - 1,
                          (int64_t)all, all ? (int64_t)0 : run->ids[only]))
        return false;
    Fetched fetched;
    while ((fetched = fetch(r, statement, error)) == ROW)
        if (!take_profile(run, window, statement)) return refuse_damaged(r, error);
    return fetched == END;
}

static void take_evaluation(NsHistory *history, sqlite3_stmt *row)
{
    ns_history_append_evaluation(
        history, &(NsEvaluation){sqlite3_column_int64(row, 0), ns_database_number(row, 1)});
}

static void take_continuation(NsHistory *history, sqlite3_stmt *row)
{
    NsContinuation continuation = {.step = sqlite3_column_int64(row, 0)};
    ns_copy_text(continuation.prompt, sizeof continuation.prompt, ns_database_text(row, 1));
    ns_copy_text(continuation.text, sizeof continuation.text, ns_database_text(row, 2));
    ns_history_append_continuation(history, &continuation);
}

static void take_event(NsHistory *history, sqlite3_stmt *row)
{
    NsEvent event = {.step = sqlite3_column_int64(row, 0)};
    const char *word = ns_database_text(row, 1);
    int64_t layer = sqlite3_column_int64(row, 2);
    int64_t layers = (int64_t)ns_history_layout(history)->layers;
    if (!word || !ns_jsonl_find_event(word, &event.kind)) return;
    event.layer = layer >= 1 && layer <= layers ? (int)layer : 0;
    ns_copy_text(event.what, sizeof event.what, ns_database_text(row, 3));
    ns_copy_text(event.text, sizeof event.text, ns_database_text(row, 4));
    ns_history_append_event(history, &event);
}

/* Appends the evaluations, continuations and events up to a step, in the order in which they were
 * written, without those that the history has. */
static bool append_marks(NsRunReader *r, const Run *run, NsHistory *history, int64_t last,
                         GError **error)
{
    static const struct {
        const char *sql;
        void (*take)(NsHistory *history, sqlite3_stmt *row);
        size_t (*count)(const NsHistory *history);
    } marks[] = {
        {"SELECT step, loss FROM evaluations WHERE lane = ? AND seed = ? AND step BETWEEN ? AND ? "
         "ORDER BY step LIMIT -1 OFFSET ?",
         take_evaluation, ns_history_evaluations},
        {"SELECT step, kind, layer, what, text FROM events WHERE lane = ? AND seed = ? "
         "AND step BETWEEN ? AND ? ORDER BY step, rowid LIMIT -1 OFFSET ?",
         take_event, ns_history_events},
        {"SELECT step, prompt, text FROM continuations WHERE lane = ? AND seed = ? "
         "AND step BETWEEN ? AND ? ORDER BY step LIMIT -1 OFFSET ?",
         take_continuation, ns_history_continuations},
    };
    int64_t later; /* a file of an older version has no continuations */
    if (!ns_database_find_number(
            r->db, "SELECT count(*) FROM sqlite_schema WHERE name = 'continuations'", &later))
        return complain(r, error);
    for (size_t i = 0; i < G_N_ELEMENTS(marks) - !later; i++) {
        NS_AUTO_STATEMENT row = prepare(r, marks[i].sql, error);
        if (!ns_database_bind(row, "iiiii", run->lane, run->seed, ns_history_first_step(history),
                              last, (int64_t)marks[i].count(history)))
            return false;
        Fetched fetched;
        while ((fetched = fetch(r, row, error)) == ROW) marks[i].take(history, row);
        if (fetched == FAILED) return false;
    }
    return true;
}

bool ns_run_reader_steps(NsRecorded of, int64_t first, size_t n, NsStep *steps, GError **error)
{
    Window window = {.first = first, .n = n, .steps = steps};
    return read_steps(of.reader, &of.reader->runs[of.lane][of.seed], &window, error);
}

const NsRecordLayout *ns_run_reader_layout(NsRecorded of)
{
    return &of.reader->runs[of.lane][of.seed].layout;
}

bool ns_run_reader_values(NsRecorded of, NsQuantity quantity, int64_t first, size_t n,
                          NsValues values, GError **error)
{
    const Run *run = &of.reader->runs[of.lane][of.seed];
    NsRecordLayout own = {.width = run->layout.count[quantity]};
    Window window = {.first = first, .n = n, .values = values, .where = &own};
    return read_profiles(of.reader, run, &window, quantity, error);
}

bool ns_run_reader_has_all(NsRecorded of, NsQuantity quantity, bool *all, GError **error)
{
    const Run *run = &of.reader->runs[of.lane][of.seed];
    *all = false;
    if (!run->has[quantity]) return true;
    NS_AUTO_STATEMENT statement = prepare(
        of.reader, "SELECT total(steps), count(present) FROM profiles WHERE quantity = ?", error);
    if (!ns_database_bind(statement, "i", run->ids[quantity]) ||
        !fetch_one(of.reader, statement, error))
        return false;
    *all = sqlite3_column_int64(statement, 0) == run->last - run->first + 1 &&
           sqlite3_column_int64(statement, 1) == 0;
    return true;
}

NsHistory *ns_run_reader_marks(NsRecorded of, GError **error)
{
    const Run *run = &of.reader->runs[of.lane][of.seed];
    g_autoptr(NsHistory) history = ns_history_new(&run->layout, 0, run->first);
    bool good = append_marks(of.reader, run, history, run->last, error);
    return good ? g_steal_pointer(&history) : NULL;
}

bool ns_run_reader_append(NsRecorded of, NsHistory *history, int64_t last, GError **error)
{
    const Run *run = &of.reader->runs[of.lane][of.seed];
    size_t width = run->layout.width;
    size_t most = CLAMP(WINDOW / (width * (sizeof(float) + sizeof(bool))), 1, NS_RUN_BLOCK);
    g_autofree NsStep *steps = g_new(NsStep, most);
    g_auto(NsValues) values = ns_values_new(most * width);
    bool good = true;
    int64_t first = MAX(ns_history_first_step(history), ns_history_last_step(history) + 1);
    for (int64_t at = first; good && at <= last; at += (int64_t)most) {
        Window window = {at, MIN(most, (size_t)(last - at) + 1), steps, values, &run->layout};
        good = read_steps(of.reader, run, &window, error) &&
               read_profiles(of.reader, run, &window, NS_QUANTITY_COUNT, error);
        for (size_t i = 0; good && i < window.n; i++)
            ns_history_append(history, &steps[i],
                              (NsValues){values.value + i * width, values.has + i * width});
    }
    return good && append_marks(of.reader, run, history, last, error);
}

NsBaselines ns_run_reader_baselines(NsRecorded of)
{
    const Run *run = &of.reader->runs[of.lane][of.seed];
    NsBaselines baselines = {.uniform = (double)NAN, .frequencies = (double)NAN};
    g_autofree char *key = g_strdup_printf(NS_RUN_NOTE_BASELINES "-%" G_GINT64_FORMAT, run->lane);
    g_autofree char *text = ns_run_reader_note(of.reader, key);
    if (!text) return baselines;
    char *end;
    baselines.uniform = g_ascii_strtod(text, &end);
    baselines.frequencies = g_ascii_strtod(end, &end);
    baselines.letters = g_ascii_strtoll(end, NULL, 10) != 0;
    return baselines;
}

NsHistory *ns_run_reader_history(NsRecorded of, int64_t first, int64_t last, size_t budget,
                                 GError **error)
{
    const NsRecordLayout *layout = ns_run_reader_layout(of);
    g_autoptr(NsHistory) history = ns_history_new(layout, budget, first);
    ns_history_set_baselines(history, ns_run_reader_baselines(of));
    bool good = ns_run_reader_append(of, history, last, error);
    return good ? g_steal_pointer(&history) : NULL;
}

/* ---- Checkpoints ---- */

GArray *ns_run_reader_checkpoint_steps(NsRunReader *r, GError **error)
{
    NS_AUTO_STATEMENT statement =
        prepare(r, "SELECT DISTINCT step FROM checkpoints ORDER BY step", error);
    if (!statement) return NULL;
    g_autoptr(GArray) steps = g_array_new(FALSE, FALSE, sizeof(int64_t));
    Fetched fetched;
    while ((fetched = fetch(r, statement, error)) == ROW) {
        int64_t step = sqlite3_column_int64(statement, 0);
        g_array_append_val(steps, step);
    }
    return fetched == END ? g_steal_pointer(&steps) : NULL;
}

NsCheckpoint *ns_run_reader_checkpoint(NsRunReader *r, size_t lane, int64_t step, GError **error)
{
    g_autoptr(NsCheckpoint) first = NULL;
    for (size_t k = 0; k < ns_run_reader_seeds(r); k++) {
        const Run *run = &r->runs[lane][k];
        NsCheckpoint *taken = ns_run_checkpoint_read(r->db, step, run->lane, run->seed);
        if (!taken) {
            refuse(r, "a checkpoint is damaged, or too large for the memory", error);
            return NULL;
        }
        if (first)
            ns_checkpoint_add_seed(first, taken);
        else
            first = taken;
    }
    return g_steal_pointer(&first);
}

bool ns_run_reader_checkpoints_at(NsRunReader *r, int64_t step,
                                  NsCheckpoint *checkpoints[NS_LANES_MAX], GError **error)
{
    bool good = true;
    for (size_t i = 0; i < NS_LANES_MAX; i++) checkpoints[i] = NULL;
    for (size_t i = 0; good && i < r->provenance.experiment.n; i++)
        good = (checkpoints[i] = ns_run_reader_checkpoint(r, i, step, error)) != NULL;
    for (size_t i = 0; !good && i < NS_LANES_MAX; i++)
        g_clear_pointer(&checkpoints[i], ns_checkpoint_unref);
    return good;
}

bool ns_run_reader_go_on(NsRunReader *r, NsExperiment *experiment,
                         NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *step, GError **error)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) checkpoints[i] = NULL;
    g_autoptr(GArray) steps = ns_run_reader_checkpoint_steps(r, error);
    if (!steps) return false;
    *step = steps->len ? g_array_index(steps, int64_t, steps->len - 1) : 0;
    if (steps->len && !ns_run_reader_checkpoints_at(r, *step, checkpoints, error)) return false;
    const NsExperiment *begun = &r->provenance.experiment;
    const NsSettings *lanes[NS_LANES_MAX];
    for (size_t i = 0; i < begun->n; i++)
        lanes[i] = checkpoints[i] ? &checkpoints[i]->settings : &begun->lane[i];
    ns_experiment_set_lanes(experiment, lanes, begun->n);
    for (size_t i = 0; i < begun->n; i++) experiment->lane[i].steps = begun->lane[i].steps;
    /* Each lane is recorded with its share of the threads (core/train/lockstep.h); the sum is
     * restored for all of them. */
    int64_t threads = 0;
    for (size_t i = 0; i < experiment->n; i++) threads += experiment->lane[i].threads;
    for (size_t i = 0; i < experiment->n; i++) experiment->lane[i].threads = threads;
    return true;
}

/* ---- The time and notes of a run ---- */

int64_t ns_run_reader_began(NsRunReader *r)
{
    int64_t began;
    return ns_database_find_number(r->db, "SELECT began FROM run", &began) ? began : 0;
}

char *ns_run_reader_note(NsRunReader *r, const char *key)
{
    /* A file of an older version does not have this table. */
    NS_AUTO_STATEMENT statement = prepare(r, "SELECT value FROM notes WHERE key = ?", NULL);
    bool found = ns_database_bind(statement, "t", key) && fetch(r, statement, NULL) == ROW;
    return found ? g_strdup(ns_database_text(statement, 0)) : NULL;
}
