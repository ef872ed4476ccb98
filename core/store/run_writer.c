/* SPDX-License-Identifier: MIT */
#include "core/store/run_writer.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/thread.h"
#include "core/experiment/provenance.h"
#include "core/store/jsonl.h"
#include "core/store/run_schema-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#define COMMIT_MICROSECONDS 500000

/* What may wait for a disk that is too slow. */
#define MOST_WAITING ((size_t)256 << 20)

typedef enum { STEP, EVALUATION, EVENT } Kind;

/* Something that was measured, on its way to the disk. */
typedef struct {
    Kind kind;
    size_t lane;
    union {
        NsStep step;
        NsEvaluation evaluation;
        NsEvent event;
    } what;
    NsValues values; /* of a step */
} Item;

typedef struct {
    NsRecordLayout layout;
    size_t steps, evaluations, events;    /* taken */
    sqlite3_int64 ids[NS_QUANTITY_COUNT]; /* of quantities that the lane has */
} Lane;

struct NsRunWriter {
    char *path;
    size_t n;
    Lane lanes[NS_LANES_MAX];

    /* The thread's while it runs. */
    sqlite3 *db;
    sqlite3_stmt *insert[EVENT + 1], *insert_profile;

    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    GPtrArray *queue;
    size_t waiting; /* bytes in it */
    bool closing, failed;
    char *failure; /* until it is taken */
};

static void item_free(void *data)
{
    Item *item = data;
    ns_values_free(&item->values);
    g_free(item);
}

static GPtrArray *queue_new(void)
{
    return g_ptr_array_new_with_free_func(item_free);
}

/* ---- Statements ---- */

static bool run_statement(NsRunWriter *w, const char *sql)
{
    return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool prepare(NsRunWriter *w, const char *sql, sqlite3_stmt **statement)
{
    return sqlite3_prepare_v2(w->db, sql, -1, statement, NULL) == SQLITE_OK;
}

/* Whatever a parameter cannot take shows in the step. */
static bool finish_row(sqlite3_stmt *statement)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    return done;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
}

static bool write_step(sqlite3_stmt *statement, const NsStep *step)
{
    const double numbers[] = {step->loss, step->lr, step->grad_norm, step->seconds,
                              step->probe_seconds};
    sqlite3_bind_int64(statement, 2, step->step);
    for (int i = 0; i < (int)G_N_ELEMENTS(numbers); i++)
        sqlite3_bind_double(statement, 3 + i, numbers[i]);
    return finish_row(statement);
}

static bool write_evaluation(sqlite3_stmt *statement, const NsEvaluation *evaluation)
{
    sqlite3_bind_int64(statement, 2, evaluation->step);
    sqlite3_bind_double(statement, 3, evaluation->loss);
    return finish_row(statement);
}

static bool write_event(sqlite3_stmt *statement, const NsEvent *event)
{
    sqlite3_bind_int64(statement, 2, event->step);
    bind_text(statement, 3, ns_jsonl_event_word(event->kind));
    if (event->layer > 0)
        sqlite3_bind_int(statement, 4, event->layer);
    else
        sqlite3_bind_null(statement, 4);
    bind_text(statement, 5, event->what);
    bind_text(statement, 6, event->text);
    return finish_row(statement);
}

static bool write_item(NsRunWriter *w, const Item *item)
{
    sqlite3_stmt *statement = w->insert[item->kind];
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)item->lane + 1);
    switch (item->kind) {
    case STEP:
        return write_step(statement, &item->what.step);
    case EVALUATION:
        return write_evaluation(statement, &item->what.evaluation);
    case EVENT:
        return write_event(statement, &item->what.event);
    }
    return false;
}

/* ---- Profiles ---- */

/* How many of the n values an item has. */
static size_t count_present(const Item *item, size_t offset, size_t n)
{
    size_t there = 0;
    for (size_t i = 0; i < n; i++) there += item->values.has[offset + i];
    return there;
}

static bool write_block(NsRunWriter *w, const Lane *lane, NsQuantity quantity, Item *const *items,
                        size_t n)
{
    size_t size = lane->layout.count[quantity], offset = lane->layout.offset[quantity], there = 0;
    g_autofree float *data = g_new(float, n *size);
    g_autofree bool *present = g_new(bool, n *size);
    for (size_t i = 0; i < n; i++) {
        memcpy(data + i * size, items[i]->values.value + offset, size * sizeof *data);
        memcpy(present + i * size, items[i]->values.has + offset, size * sizeof *present);
        there += count_present(items[i], offset, size);
    }
    sqlite3_stmt *statement = w->insert_profile;
    sqlite3_bind_int64(statement, 1, lane->ids[quantity]);
    sqlite3_bind_int64(statement, 2, items[0]->what.step.step);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)n);
    sqlite3_bind_blob64(statement, 4, data, n * size * sizeof *data, SQLITE_STATIC);
    if (there < n * size)
        sqlite3_bind_blob64(statement, 5, present, n * size * sizeof *present, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, 5);
    bool written = finish_row(statement);
    sqlite3_clear_bindings(statement);
    return written;
}

/* A row for every stretch of steps that measured the quantity. */
static bool write_quantity(NsRunWriter *w, const Lane *lane, NsQuantity quantity,
                           const GPtrArray *steps)
{
    size_t size = lane->layout.count[quantity], offset = lane->layout.offset[quantity];
    Item *const *items = (Item *const *)(void *)steps->pdata;
    for (size_t first = 0, end; size && first < steps->len; first = end) {
        for (end = first; end < steps->len && end - first < NS_RUN_BLOCK; end++)
            if (count_present(items[end], offset, size) == 0) break;
        if (end > first && !write_block(w, lane, quantity, items + first, end - first))
            return false;
        if (end == first) end++;
    }
    return true;
}

static bool write_profiles(NsRunWriter *w, size_t lane, const GPtrArray *items)
{
    g_autoptr(GPtrArray) steps = g_ptr_array_new();
    for (guint i = 0; i < items->len; i++) {
        const Item *item = items->pdata[i];
        if (item->kind == STEP && item->lane == lane) g_ptr_array_add(steps, items->pdata[i]);
    }
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        if (!write_quantity(w, &w->lanes[lane], (NsQuantity)q, steps)) return false;
    return true;
}

static bool write_items(NsRunWriter *w, const GPtrArray *items)
{
    for (guint i = 0; i < items->len; i++)
        if (!write_item(w, items->pdata[i])) return false;
    for (size_t lane = 0; lane < w->n; lane++)
        if (!write_profiles(w, lane, items)) return false;
    return true;
}

/* ---- The thread ---- */

/* The sentence of what SQLite met last. */
static void explain(NsRunWriter *w, GError **error)
{
    int code = sqlite3_errcode(w->db) & 0xff, system = sqlite3_system_errno(w->db);
    int errno_ = code == SQLITE_FULL                              ? ENOSPC
                 : code == SQLITE_READONLY || code == SQLITE_PERM ? EACCES
                 : code == SQLITE_IOERR && system                 ? system
                                                                  : 0;
    if (errno_) {
        ns_file_error(w->path, errno_, error);
        return;
    }
    g_autofree char *name = g_filename_display_name(w->path);
    g_set_error(error, NS_ERROR, NS_ERROR_FILE, "Cannot write “%s”: %s; choose another file.", name,
                sqlite3_errstr(code));
}

static void fail(NsRunWriter *w, const char *sentence)
{
    if (w->failed) return;
    w->failed = true;
    w->failure = g_strdup_printf("%s  The run is recorded no further.", sentence);
}

/* All or nothing. */
static bool commit(NsRunWriter *w, const GPtrArray *items, GError **error)
{
    if (items->len == 0) return true;
    if (run_statement(w, "BEGIN IMMEDIATE") && write_items(w, items) && run_statement(w, "COMMIT"))
        return true;
    explain(w, error);
    run_statement(w, "ROLLBACK");
    return false;
}

static void *work(void *data)
{
    NsRunWriter *w = data;
    ns_thread_lower(NS_NICER_TRAINER);
    bool last = false;
    pthread_mutex_lock(&w->lock);
    while (!last) {
        int64_t until = g_get_monotonic_time() + COMMIT_MICROSECONDS;
        struct timespec time = ns_condition_time(until);
        while (!w->closing && g_get_monotonic_time() < until)
            pthread_cond_timedwait(&w->wake, &w->lock, &time);
        last = w->closing;
        bool failed = w->failed;
        g_autoptr(GPtrArray) items = w->queue;
        w->queue = queue_new();
        w->waiting = 0;
        pthread_mutex_unlock(&w->lock);
        g_autoptr(GError) error = NULL;
        bool written = failed || commit(w, items, &error);
        pthread_mutex_lock(&w->lock);
        if (!written) fail(w, error->message);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- Taking ---- */

static void enqueue(NsRunWriter *w, size_t lane, Item item, size_t bytes)
{
    item.lane = lane;
    pthread_mutex_lock(&w->lock);
    if (w->waiting > MOST_WAITING) fail(w, "The disk is too slow for the run file.");
    if (w->failed) {
        ns_values_free(&item.values);
    } else {
        g_ptr_array_add(w->queue, g_memdup2(&item, sizeof item));
        w->waiting += sizeof item + bytes;
    }
    pthread_mutex_unlock(&w->lock);
}

static void take_step(NsRunWriter *w, size_t i, const NsHistory *history, size_t record)
{
    const NsRecordLayout *layout = &w->lanes[i].layout;
    Item item = {.kind = STEP, .values = ns_values_new(layout->width)};
    item.what.step = *ns_history_step(history, record);
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        if (layout->count[q])
            ns_history_read(history, (NsQuantity)q, record, NULL,
                            item.values.value + layout->offset[q],
                            item.values.has + layout->offset[q]);
    enqueue(w, i, item, layout->width * (sizeof(float) + sizeof(bool)));
}

void ns_run_writer_add(NsRunWriter *w, NsLockstep *lockstep)
{
    for (size_t i = 0; i < w->n; i++) {
        const NsHistory *history = ns_run_history(ns_lockstep_lane(lockstep, i));
        Lane *lane = &w->lanes[i];
        for (; lane->steps < ns_history_steps(history); lane->steps++)
            take_step(w, i, history, lane->steps);
        for (; lane->evaluations < ns_history_evaluations(history); lane->evaluations++) {
            Item item = {.kind = EVALUATION};
            item.what.evaluation = *ns_history_evaluation(history, lane->evaluations);
            enqueue(w, i, item, 0);
        }
        for (; lane->events < ns_history_events(history); lane->events++) {
            Item item = {.kind = EVENT};
            item.what.event = *ns_history_event(history, lane->events);
            enqueue(w, i, item, 0);
        }
    }
}

char *ns_run_writer_take_failure(NsRunWriter *w)
{
    pthread_mutex_lock(&w->lock);
    char *failure = g_steal_pointer(&w->failure);
    pthread_mutex_unlock(&w->lock);
    return failure;
}

/* ---- Making ---- */

static char *experiment_line(NsLockstep *lockstep)
{
    const NsSettings *settings[NS_LANES_MAX];
    size_t n = ns_lockstep_lanes(lockstep);
    for (size_t i = 0; i < n; i++) settings[i] = ns_run_settings(ns_lockstep_lane(lockstep, i));
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    ns_experiment_set_lanes(&provenance.experiment, settings, n);
    return ns_provenance_line(&provenance);
}

static bool write_run(NsRunWriter *w, NsLockstep *lockstep)
{
    sqlite3_stmt *statement;
    if (!prepare(w, "INSERT INTO run VALUES (?, ?, ?)", &statement)) return false;
    g_autofree char *line = experiment_line(lockstep);
    bind_text(statement, 1, "normscope " NS_VERSION);
    bind_text(statement, 2, line);
    sqlite3_bind_int64(statement, 3, g_get_real_time() / G_USEC_PER_SEC);
    bool written = finish_row(statement);
    sqlite3_finalize(statement);
    return written;
}

static bool write_lane(NsRunWriter *w, size_t i, NsRun *run)
{
    sqlite3_stmt *statement;
    if (!prepare(w, "INSERT INTO lanes (lane, settings) VALUES (?, ?)", &statement)) return false;
    g_autofree char *line = ns_jsonl_settings(run);
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)i + 1);
    bind_text(statement, 2, line);
    bool written = finish_row(statement);
    sqlite3_finalize(statement);
    return written;
}

static bool write_quantities(NsRunWriter *w, size_t i)
{
    Lane *lane = &w->lanes[i];
    sqlite3_stmt *statement;
    if (!prepare(w, "INSERT INTO quantities (lane, key, size) VALUES (?, ?, ?)", &statement))
        return false;
    bool written = true;
    for (unsigned q = 0; written && q < NS_QUANTITY_COUNT; q++) {
        if (lane->layout.count[q] == 0) continue;
        sqlite3_bind_int64(statement, 1, (sqlite3_int64)i + 1);
        bind_text(statement, 2, ns_quantity((NsQuantity)q)->choice.key);
        sqlite3_bind_int64(statement, 3, (sqlite3_int64)lane->layout.count[q]);
        written = finish_row(statement);
        lane->ids[q] = sqlite3_last_insert_rowid(w->db);
    }
    sqlite3_finalize(statement);
    return written;
}

static bool write_head(NsRunWriter *w, NsLockstep *lockstep)
{
    g_autofree char *mark =
        g_strdup_printf("PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN",
                        NS_RUN_APPLICATION, NS_RUN_SCHEMA);
    if (!run_statement(w, mark)) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(ns_run_tables); i++)
        if (!run_statement(w, ns_run_tables[i])) return false;
    if (!write_run(w, lockstep)) return false;
    for (size_t i = 0; i < w->n; i++)
        if (!write_lane(w, i, ns_lockstep_lane(lockstep, i)) || !write_quantities(w, i))
            return false;
    return run_statement(w, "COMMIT");
}

static bool prepare_inserts(NsRunWriter *w)
{
    return prepare(w, "INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?)", &w->insert[STEP]) &&
           prepare(w, "INSERT INTO evaluations VALUES (?, ?, ?)", &w->insert[EVALUATION]) &&
           prepare(w, "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", &w->insert[EVENT]) &&
           prepare(w, "INSERT INTO profiles VALUES (?, ?, ?, ?, ?)", &w->insert_profile);
}

static void free_writer(NsRunWriter *w)
{
    for (size_t i = 0; i < G_N_ELEMENTS(w->insert); i++) sqlite3_finalize(w->insert[i]);
    sqlite3_finalize(w->insert_profile);
    sqlite3_close(w->db);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->wake);
    g_ptr_array_unref(w->queue);
    g_free(w->failure);
    g_free(w->path);
    g_free(w);
}

static bool make_file(const char *path, GError **error)
{
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file >= 0) return close(file) == 0;
    if (errno != EEXIST) {
        ns_file_error(path, errno, error);
        return false;
    }
    g_autofree char *name = g_filename_display_name(path);
    g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                "“%s” is there already and a run file is never written over; choose another name.",
                name);
    return false;
}

static bool begin(NsRunWriter *w, NsLockstep *lockstep, GError **error)
{
    if (sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        !write_head(w, lockstep) ||
        !run_statement(w, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL") ||
        !prepare_inserts(w)) {
        explain(w, error);
        return false;
    }
    if (ns_thread_start(&w->thread, work, w) == 0) return true;
    g_set_error_literal(error, NS_ERROR, NS_ERROR_MEMORY,
                        "The system refuses a thread for the run file; close other programs.");
    return false;
}

NsRunWriter *ns_run_writer_new(const char *path, NsLockstep *lockstep, GError **error)
{
    if (ns_lockstep_seeds(lockstep) > 1) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "A run file holds one seed, and setting “seeds” is %zu; set that to 1, and "
                    "record each value of “seed” in a file of its own.",
                    ns_lockstep_seeds(lockstep));
        return NULL;
    }
    if (!make_file(path, error)) return NULL;
    NsRunWriter *w = g_new0(NsRunWriter, 1);
    w->path = g_strdup(path);
    w->n = ns_lockstep_lanes(lockstep);
    for (size_t i = 0; i < w->n; i++)
        w->lanes[i].layout = *ns_history_layout(ns_run_history(ns_lockstep_lane(lockstep, i)));
    w->queue = queue_new();
    pthread_mutex_init(&w->lock, NULL);
    ns_condition_init(&w->wake);
    if (begin(w, lockstep, error)) return w;
    free_writer(w);
    unlink(path);
    return NULL;
}

/* ---- The end ---- */

static bool write_summaries(NsRunWriter *w, char *const *summaries)
{
    sqlite3_stmt *statement;
    if (!prepare(w, "UPDATE lanes SET summary = ? WHERE lane = ?", &statement)) return false;
    bool written = run_statement(w, "BEGIN IMMEDIATE");
    for (size_t i = 0; written && i < w->n; i++) {
        bind_text(statement, 1, summaries[i]);
        sqlite3_bind_int64(statement, 2, (sqlite3_int64)i + 1);
        written = finish_row(statement);
    }
    sqlite3_finalize(statement);
    return written && run_statement(w, "COMMIT");
}

bool ns_run_writer_close(NsRunWriter *w, char *const *summaries, GError **error)
{
    pthread_mutex_lock(&w->lock);
    w->closing = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);

    bool told = w->failed && !w->failure;
    if (!w->failed && !write_summaries(w, summaries)) {
        g_autoptr(GError) wrong = NULL;
        explain(w, &wrong);
        fail(w, wrong->message);
    }
    bool whole = !w->failed;
    if (!whole && !told) g_set_error_literal(error, NS_ERROR, NS_ERROR_FILE, w->failure);
    /* One file then holds all; where another reads it just now, the three stay. */
    for (size_t i = 0; i < G_N_ELEMENTS(w->insert); i++)
        g_clear_pointer(&w->insert[i], sqlite3_finalize);
    g_clear_pointer(&w->insert_profile, sqlite3_finalize);
    run_statement(w, "PRAGMA journal_mode = DELETE");
    free_writer(w);
    return whole;
}
