/* SPDX-License-Identifier: MIT */
#include "core/store/run_writer.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/thread.h"
#include "core/data/vocabulary.h"
#include "core/experiment/provenance.h"
#include "core/store/jsonl.h"
#include "core/store/run_checkpoint-private.h"
#include "core/store/run_notes.h"
#include "core/store/run_resume-private.h"
#include "core/store/run_schema-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMIT_MICROSECONDS 500000

/* Maximum size of the queue in bytes; if the disk is too slow for it, recording fails. */
#define MOST_WAITING ((size_t)256 << 20)

/* More new steps than this at once are earlier history, such as that of a fork. */
#define PAST_STEPS 16

/* How long to wait for readers of the file when it is opened for writing. */
#define BUSY_MILLISECONDS 2000

/* Maximum size of all checkpoints in the file, in bytes. */
#define CHECKPOINT_BYTES ((int64_t)64 << 20)

/* Minimum time between checkpoints: in microseconds, and as a multiple of the time for one. */
#define CHECKPOINT_MICROSECONDS 10000000
#define CHECKPOINT_SHARE 100

typedef enum { STEP, EVALUATION, EVENT, CHECKPOINT } Kind;

/* An item in the queue. */
typedef struct {
    Kind kind;
    size_t run; /* index of the run; for a checkpoint, of the lane */
    union {
        NsStep step;
        NsEvaluation evaluation;
        NsEvent event;
        int64_t clock; /* step of a checkpoint */
    } what;
    NsValues values;          /* values of a step */
    NsCheckpoint *checkpoint; /* NULL for other kinds */
} Item;

/* One seed of a lane. */
typedef struct {
    int64_t lane, seed; /* as in the file */
    NsRecordLayout layout;
    size_t steps, evaluations, events;    /* numbers of items queued so far */
    int64_t newest, kept_events;          /* of a resumed run: what the file already contains */
    sqlite3_int64 ids[NS_QUANTITY_COUNT]; /* of the quantities of the model */
} Run;

struct NsRunWriter {
    char *path;
    int lock; /* descriptor of the file with an exclusive lock */
    size_t n;
    Run runs[NS_LANES_MAX * NS_SEEDS_MAX]; /* [n], lane by lane */
    int64_t every;                         /* steps between checkpoints; 0: by time */
    int64_t checkpoint_step;               /* step of the newest checkpoint; -1: none */
    int64_t checkpoint_at;                 /* when that was taken, in microseconds */
    bool resumed;
    int64_t from;    /* the step of the checkpoint where it was resumed; -1: from the beginning */
    int64_t reached; /* the newest step queued */
    bool other_step; /* the lanes are not at the newest checkpoint of the file */

    /* Used only by the thread while it runs. */
    sqlite3 *db;
    sqlite3_stmt *insert[CHECKPOINT], *insert_profile;
    int code; /* error of a failed checkpoint; SQLITE_OK: see sqlite3_errcode */

    pthread_t thread;
    pthread_mutex_t mutex;  /* protects the fields below */
    pthread_cond_t wake;    /* wakes the thread */
    pthread_cond_t written; /* signals that the queue was written */
    GPtrArray *queue;
    size_t waiting; /* bytes in the queue */
    bool closing, failed;
    size_t checkpoints;      /* in the queue or being written */
    int64_t checkpoint_took; /* duration of the newest in microseconds, including writing */
    char *failure;           /* message, until it is taken */
};

static void item_free(void *data)
{
    Item *item = data;
    ns_values_free(&item->values);
    ns_checkpoint_unref(item->checkpoint);
    g_free(item);
}

/* ---- Statements ---- */

static bool run_statement(NsRunWriter *w, const char *sql)
{
    return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* Errors of binding the parameters show up in this step, too. */
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
    sqlite3_bind_int64(statement, 3, step->step);
    for (int i = 0; i < (int)G_N_ELEMENTS(numbers); i++)
        sqlite3_bind_double(statement, 4 + i, numbers[i]);
    return finish_row(statement);
}

static bool write_evaluation(sqlite3_stmt *statement, const NsEvaluation *evaluation)
{
    sqlite3_bind_int64(statement, 3, evaluation->step);
    sqlite3_bind_double(statement, 4, evaluation->loss);
    return finish_row(statement);
}

static bool write_event(sqlite3_stmt *statement, const NsEvent *event)
{
    sqlite3_bind_int64(statement, 3, event->step);
    bind_text(statement, 4, ns_jsonl_event_word(event->kind));
    if (event->layer > 0)
        sqlite3_bind_int(statement, 5, event->layer);
    else
        sqlite3_bind_null(statement, 5);
    bind_text(statement, 6, event->what);
    bind_text(statement, 7, event->text);
    return finish_row(statement);
}

/* Binds the first two parameters. */
static void bind_run(sqlite3_stmt *statement, const Run *run)
{
    sqlite3_bind_int64(statement, 1, run->lane);
    sqlite3_bind_int64(statement, 2, run->seed);
}

static bool write_checkpoint(NsRunWriter *w, const Item *item)
{
    w->code =
        ns_run_checkpoint_write(w->db, item->what.clock, (int64_t)item->run + 1, item->checkpoint);
    if (w->code == SQLITE_OK) w->code = ns_run_checkpoints_thin(w->db, CHECKPOINT_BYTES);
    return w->code == SQLITE_OK;
}

static bool write_item(NsRunWriter *w, const Item *item)
{
    if (item->kind == CHECKPOINT) return write_checkpoint(w, item);
    sqlite3_stmt *statement = w->insert[item->kind];
    bind_run(statement, &w->runs[item->run]);
    switch (item->kind) {
    case STEP:
        return write_step(statement, &item->what.step);
    case EVALUATION:
        return write_evaluation(statement, &item->what.evaluation);
    case EVENT:
        return write_event(statement, &item->what.event);
    case CHECKPOINT:
        break;
    }
    return false;
}

/* ---- Profiles ---- */

/* The number of values that are present among n. */
static size_t count_present(const Item *item, size_t offset, size_t n)
{
    size_t there = 0;
    for (size_t i = 0; i < n; i++) there += item->values.has[offset + i];
    return there;
}

static bool write_block(NsRunWriter *w, const Run *run, NsQuantity quantity, Item *const *items,
                        size_t n)
{
    size_t size = run->layout.count[quantity], offset = run->layout.offset[quantity], there = 0;
    g_autofree float *data = g_new(float, n *size);
    g_autofree bool *present = g_new(bool, n *size);
    for (size_t i = 0; i < n; i++) {
        memcpy(data + i * size, items[i]->values.value + offset, size * sizeof *data);
        memcpy(present + i * size, items[i]->values.has + offset, size * sizeof *present);
        there += count_present(items[i], offset, size);
    }
    sqlite3_stmt *statement = w->insert_profile;
    sqlite3_bind_int64(statement, 1, run->ids[quantity]);
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

/* Writes a row for every block of consecutive steps that measured the quantity. */
static bool write_quantity(NsRunWriter *w, const Run *run, NsQuantity quantity,
                           const GPtrArray *steps)
{
    size_t size = run->layout.count[quantity], offset = run->layout.offset[quantity];
    Item *const *items = (Item *const *)(void *)steps->pdata;
    for (size_t first = 0, end; size && first < steps->len; first = end) {
        for (end = first; end < steps->len && end - first < NS_RUN_BLOCK; end++)
            if (count_present(items[end], offset, size) == 0) break;
        if (end > first && !write_block(w, run, quantity, items + first, end - first)) return false;
        if (end == first) end++;
    }
    return true;
}

static bool write_profiles(NsRunWriter *w, size_t run, const GPtrArray *items)
{
    g_autoptr(GPtrArray) steps = g_ptr_array_new();
    for (guint i = 0; i < items->len; i++) {
        const Item *item = items->pdata[i];
        if (item->kind == STEP && item->run == run) g_ptr_array_add(steps, items->pdata[i]);
    }
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        if (!write_quantity(w, &w->runs[run], (NsQuantity)q, steps)) return false;
    return true;
}

static bool write_items(NsRunWriter *w, const GPtrArray *items)
{
    for (guint i = 0; i < items->len; i++)
        if (!write_item(w, items->pdata[i])) return false;
    for (size_t run = 0; run < w->n; run++)
        if (!write_profiles(w, run, items)) return false;
    return true;
}

/* ---- The thread ---- */

/* Turns the last error of SQLite into a GError. */
static void explain(NsRunWriter *w, GError **error)
{
    int code = (w->code ? w->code : sqlite3_errcode(w->db)) & 0xff;
    int said = sqlite3_system_errno(w->db), system = said ? said : ns_file_size_limit();
    int errno_ = code == SQLITE_FULL                              ? ENOSPC
                 : code == SQLITE_READONLY || code == SQLITE_PERM ? EACCES
                 : code == SQLITE_IOERR && system                 ? system
                                                                  : 0;
    if (errno_) {
        ns_file_error(w->path, errno_, error);
        return;
    }
    g_autofree char *name = g_filename_display_name(w->path);
    const char *why = code >= SQLITE_ROW ? "it is damaged" : sqlite3_errstr(code);
    g_set_error(error, NS_ERROR, NS_ERROR_FILE, "Cannot write “%s”: %s; choose another file.", name,
                why);
}

static void fail(NsRunWriter *w, const char *sentence)
{
    if (w->failed) return;
    w->failed = true;
    w->failure = g_strdup_printf("%s  Recording of the run has stopped.", sentence);
}

/* Writing to a file that was deleted or replaced meanwhile would lose the data. */
static bool is_in_place(const NsRunWriter *w)
{
    struct stat own, there;
    return fstat(w->lock, &own) == 0 && stat(w->path, &there) == 0 && own.st_ino == there.st_ino &&
           own.st_dev == there.st_dev;
}

/* Writes all items in one transaction. */
static bool commit(NsRunWriter *w, const GPtrArray *items, GError **error)
{
    if (!is_in_place(w)) {
        g_autofree char *name = g_filename_display_name(w->path);
        return ns_refuse(error, NS_ERROR_FILE,
                         "“%s” was removed or replaced while it was being written.", name);
    }
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
    pthread_mutex_lock(&w->mutex);
    while (!last) {
        int64_t until = g_get_monotonic_time() + COMMIT_MICROSECONDS;
        struct timespec time = ns_condition_time(until);
        while (!w->closing && g_get_monotonic_time() < until)
            pthread_cond_timedwait(&w->wake, &w->mutex, &time);
        last = w->closing;
        bool failed = w->failed;
        g_autoptr(GPtrArray) items = w->queue;
        w->queue = g_ptr_array_new_with_free_func(item_free);
        w->waiting = 0;
        pthread_mutex_unlock(&w->mutex);
        g_autoptr(GError) error = NULL;
        int64_t started = g_get_monotonic_time();
        bool written = failed || commit(w, items, &error);
        pthread_mutex_lock(&w->mutex);
        if (!written) fail(w, error->message);
        if (w->checkpoints) w->checkpoint_took += g_get_monotonic_time() - started;
        w->checkpoints = 0;
        pthread_cond_broadcast(&w->written);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

/* ---- Queueing ---- */

static void enqueue(NsRunWriter *w, size_t run, Item item, size_t bytes)
{
    item.run = run;
    Item *own = g_memdup2(&item, sizeof item);
    pthread_mutex_lock(&w->mutex);
    if (w->waiting > MOST_WAITING) fail(w, "The disk is too slow for the run file.");
    bool taken = !w->failed;
    if (taken) {
        g_ptr_array_add(w->queue, own);
        w->waiting += sizeof item + bytes;
        w->checkpoints += item.kind == CHECKPOINT;
    }
    pthread_mutex_unlock(&w->mutex);
    if (!taken) item_free(own);
}

static void take_step(NsRunWriter *w, size_t i, const NsHistory *history, size_t record)
{
    const NsRecordLayout *layout = &w->runs[i].layout;
    Item item = {.kind = STEP, .values = ns_values_new(layout->width)};
    item.what.step = *ns_history_step(history, record);
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
        if (layout->count[q] == 0) continue;
        bool *has = item.values.has + layout->offset[q];
        NsBucket bucket = ns_history_read(history, (NsQuantity)q, record, NULL,
                                          item.values.value + layout->offset[q], has);
        /* Thinned records from before a fork are not values of one step. */
        if (bucket.first < bucket.last) memset(has, 0, layout->count[q] * sizeof *has);
    }
    enqueue(w, i, item, layout->width * (sizeof(float) + sizeof(bool)));
}

/* A long earlier history is queued all at once: the caller waits for half of it to be written. */
static void wait_for_disk(NsRunWriter *w)
{
    pthread_mutex_lock(&w->mutex);
    while (w->waiting > MOST_WAITING / 2 && !w->failed) {
        struct timespec until = ns_condition_time(g_get_monotonic_time() + COMMIT_MICROSECONDS);
        pthread_cond_timedwait(&w->written, &w->mutex, &until);
    }
    pthread_mutex_unlock(&w->mutex);
}

static NsRun *run_at(NsLockstep *lockstep, size_t i)
{
    size_t seeds = ns_lockstep_seeds(lockstep);
    return ns_lockstep_run(lockstep, i / seeds, i % seeds);
}

void ns_run_writer_add(NsRunWriter *w, NsLockstep *lockstep)
{
    for (size_t i = 0; i < w->n; i++) {
        const NsHistory *history = ns_run_history(run_at(lockstep, i));
        Run *run = &w->runs[i];
        bool past = ns_history_steps(history) - run->steps > PAST_STEPS;
        for (; run->steps < ns_history_steps(history); run->steps++) {
            int64_t step = ns_history_step(history, run->steps)->step;
            w->reached = MAX(w->reached, step);
            if (w->resumed && step <= run->newest) continue; /* already in the file */
            if (past) wait_for_disk(w);
            take_step(w, i, history, run->steps);
        }
        for (; run->evaluations < ns_history_evaluations(history); run->evaluations++) {
            Item item = {.kind = EVALUATION};
            item.what.evaluation = *ns_history_evaluation(history, run->evaluations);
            enqueue(w, i, item, 0);
        }
        for (; run->events < ns_history_events(history); run->events++) {
            Item item = {.kind = EVENT};
            item.what.event = *ns_history_event(history, run->events);
            bool kept = run->kept_events > 0 && item.what.event.step > w->from;
            if (kept)
                run->kept_events--;
            else
                enqueue(w, i, item, 0);
        }
    }
}

bool ns_run_writer_checkpoint(NsRunWriter *w, NsLockstep *lockstep)
{
    ns_run_writer_add(w, lockstep);
    int64_t step = ns_lockstep_steps(lockstep), started = g_get_monotonic_time();
    if (step == w->checkpoint_step) return true;
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    size_t lanes = ns_lockstep_lanes(lockstep);
    bool taken = ns_lockstep_has_room(lockstep);
    for (size_t i = 0; taken && i < lanes; i++)
        taken = (checkpoints[i] = ns_lockstep_checkpoint(lockstep, i, NULL)) != NULL;
    for (size_t i = 0; i < lanes; i++) {
        Item item = {.kind = CHECKPOINT, .what.clock = step, .checkpoint = checkpoints[i]};
        if (taken)
            enqueue(w, i, item, 0);
        else
            ns_checkpoint_unref(checkpoints[i]);
    }
    w->checkpoint_at = g_get_monotonic_time();
    if (!taken) return false;
    w->checkpoint_step = step;
    pthread_mutex_lock(&w->mutex);
    w->checkpoint_took = w->checkpoint_at - started;
    pthread_mutex_unlock(&w->mutex);
    return true;
}

/* There is at most one checkpoint in the queue, because each is as large as the model. */
static bool is_due(NsRunWriter *w, NsLockstep *lockstep)
{
    if (w->every > 0 && ns_lockstep_steps(lockstep) - MAX(w->checkpoint_step, 0) < w->every)
        return false;
    pthread_mutex_lock(&w->mutex);
    bool busy = w->checkpoints > 0 || w->failed;
    int64_t took = w->checkpoint_took;
    pthread_mutex_unlock(&w->mutex);
    int64_t pause = MAX(CHECKPOINT_MICROSECONDS, CHECKPOINT_SHARE * took);
    return !busy && (w->every > 0 || g_get_monotonic_time() - w->checkpoint_at >= pause);
}

void ns_run_writer_step(NsRunWriter *w, NsLockstep *lockstep)
{
    ns_run_writer_add(w, lockstep);
    if (is_due(w, lockstep)) ns_run_writer_checkpoint(w, lockstep);
}

char *ns_run_writer_take_failure(NsRunWriter *w)
{
    pthread_mutex_lock(&w->mutex);
    char *failure = g_steal_pointer(&w->failure);
    pthread_mutex_unlock(&w->mutex);
    return failure;
}

/* ---- Creating the file ---- */

static char *experiment_line(NsLockstep *lockstep)
{
    const NsSettings *settings[NS_LANES_MAX];
    size_t n = ns_lockstep_lanes(lockstep);
    for (size_t i = 0; i < n; i++) settings[i] = ns_run_settings(ns_lockstep_run(lockstep, i, 0));
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    ns_experiment_set_lanes(&provenance.experiment, settings, n);
    return ns_provenance_line(&provenance);
}

static bool write_run(NsRunWriter *w, NsLockstep *lockstep)
{
    NS_AUTO_STATEMENT statement = ns_database_prepare(w->db, "INSERT INTO run VALUES (?, ?, ?)");
    if (!statement) return false;
    g_autofree char *line = experiment_line(lockstep);
    bind_text(statement, 1, "normscope " NS_VERSION);
    bind_text(statement, 2, line);
    sqlite3_bind_int64(statement, 3, g_get_real_time() / G_USEC_PER_SEC);
    return finish_row(statement);
}

static bool write_lane(NsRunWriter *w, const Run *own, NsRun *run)
{
    NS_AUTO_STATEMENT statement =
        ns_database_prepare(w->db, "INSERT INTO lanes (lane, seed, settings) VALUES (?, ?, ?)");
    if (!statement) return false;
    g_autofree char *line = ns_jsonl_settings(run);
    bind_run(statement, own);
    bind_text(statement, 3, line);
    return finish_row(statement);
}

static bool write_quantities(NsRunWriter *w, Run *run)
{
    NS_AUTO_STATEMENT statement = ns_database_prepare(
        w->db, "INSERT INTO quantities (lane, seed, key, size) VALUES (?, ?, ?, ?)");
    if (!statement) return false;
    bool written = true;
    bind_run(statement, run);
    for (unsigned q = 0; written && q < NS_QUANTITY_COUNT; q++) {
        if (run->layout.count[q] == 0) continue;
        bind_text(statement, 3, ns_quantity((NsQuantity)q)->choice.key);
        sqlite3_bind_int64(statement, 4, (sqlite3_int64)run->layout.count[q]);
        written = finish_row(statement);
        run->ids[q] = sqlite3_last_insert_rowid(w->db);
    }
    return written;
}

/* Stores the vocabulary, so that a trained lane can translate without its training texts. */
static bool write_vocabulary(NsRunWriter *w, const Run *run, NsRun *of)
{
    g_autofree char *text = ns_vocabulary_write(ns_run_corpus(of));
    NS_AUTO_STATEMENT row = ns_database_prepare(
        w->db, "INSERT OR REPLACE INTO notes VALUES ('" NS_RUN_NOTE_VOCABULARY "-' || ?, ?)");
    if (!row || !text) return row != NULL;
    sqlite3_bind_int64(row, 1, run->lane);
    bind_text(row, 2, text);
    return finish_row(row);
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
        if (!write_lane(w, &w->runs[i], run_at(lockstep, i)) || !write_quantities(w, &w->runs[i]) ||
            !write_vocabulary(w, &w->runs[i], run_at(lockstep, i)))
            return false;
    return run_statement(w, "COMMIT");
}

/* ---- Resuming ---- */

/* Reads the numbers of the quantities of a run in the file. */
static bool find_quantities(NsRunWriter *w, Run *run)
{
    NS_AUTO_STATEMENT statement = ns_database_prepare(
        w->db, "SELECT id FROM quantities WHERE lane = ? AND seed = ? AND key = ?");
    if (!statement) return false;
    bool found = true;
    bind_run(statement, run);
    for (unsigned q = 0; found && q < NS_QUANTITY_COUNT; q++) {
        if (run->layout.count[q] == 0) continue;
        bind_text(statement, 3, ns_quantity((NsQuantity)q)->choice.key);
        found = sqlite3_step(statement) == SQLITE_ROW;
        run->ids[q] = sqlite3_column_int64(statement, 0);
        sqlite3_reset(statement);
    }
    return found;
}

/* Whether every run will reproduce what the file has after the checkpoint. */
static bool repeats(NsRunWriter *w, NsLockstep *lockstep)
{
    for (size_t i = 0; i < w->n; i++)
        if (!ns_run_repeats(w->db, w->from, w->runs[i].lane, run_at(lockstep, i))) return false;
    return true;
}

static bool go_on(NsRunWriter *w, NsLockstep *lockstep)
{
    const NsSettings *settings = ns_run_settings(ns_lockstep_run(lockstep, 0, 0));
    if (!run_statement(w, "BEGIN IMMEDIATE") || !ns_run_newest_checkpoint(w->db, &w->from))
        return false;
    w->checkpoint_step = w->reached = w->from;
    /* Another program may have added a checkpoint since the lanes were restored. */
    w->other_step = MAX(w->from, 0) != ns_lockstep_steps(lockstep);
    if (w->other_step) return false;
    bool good = ns_run_go_back(w->db, w->from, settings, repeats(w, lockstep));
    for (size_t i = 0; good && i < w->n; i++) {
        Run *run = &w->runs[i];
        NsRun *own = run_at(lockstep, i);
        const NsHistory *history = ns_run_history(own);
        good =
            find_quantities(w, run) &&
            ns_run_change_checkpoint(w->db, w->from, run->lane, ns_run_settings(own)) &&
            ns_run_find_tail(w->db, w->from, run->lane, run->seed, &run->newest, &run->kept_events);
        if (w->from < 0) continue;
        run->steps = (size_t)(ns_run_steps(own) - ns_history_first_step(history)) + 1;
        while (run->evaluations < ns_history_evaluations(history) &&
               ns_history_evaluation(history, run->evaluations)->step < w->from)
            run->evaluations++;
        while (run->events < ns_history_events(history) &&
               ns_history_event(history, run->events)->step <= w->from)
            run->events++;
    }
    return good && run_statement(w, "COMMIT");
}

/* ---- Life cycle ---- */

/* A resumed run may evaluate at a step for which the file already has the validation loss. */
static bool prepare_inserts(NsRunWriter *w)
{
    const char *const sql[] = {
        [STEP] = "INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [EVALUATION] = w->resumed
                           ? "INSERT INTO evaluations SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS "
                             "(SELECT 1 FROM evaluations WHERE lane = ?1 AND seed = ?2 AND "
                             "step = ?3)"
                           : "INSERT INTO evaluations VALUES (?, ?, ?, ?)",
        [EVENT] = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(sql); i++)
        if (!(w->insert[i] = ns_database_prepare(w->db, sql[i]))) return false;
    w->insert_profile = ns_database_prepare(w->db, "INSERT INTO profiles VALUES (?, ?, ?, ?, ?)");
    return w->insert_profile != NULL;
}

static void free_writer(NsRunWriter *w)
{
    for (size_t i = 0; i < G_N_ELEMENTS(w->insert); i++) sqlite3_finalize(w->insert[i]);
    sqlite3_finalize(w->insert_profile);
    sqlite3_close(w->db);
    if (w->lock >= 0) close(w->lock);
    pthread_mutex_destroy(&w->mutex);
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->written);
    g_ptr_array_unref(w->queue);
    g_free(w->failure);
    g_free(w->path);
    g_free(w);
}

/* Creates or opens the file and locks it for this program. */
static bool take_file(NsRunWriter *w, int how, GError **error)
{
    w->lock = open(w->path, how | O_RDWR | O_CLOEXEC, 0666);
    if (w->lock >= 0 && flock(w->lock, LOCK_EX | LOCK_NB) == 0) return true;
    int why = errno;
    g_autofree char *name = g_filename_display_name(w->path);
    if (w->lock >= 0)
        g_set_error(error, NS_ERROR, NS_ERROR_FILE,
                    "“%s” is being written by another program; wait until it has finished.", name);
    else if (why == EEXIST)
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "“%s” exists already, and a run file is never overwritten; choose another "
                    "name, or continue it with “resume”.",
                    name);
    else
        ns_file_error(w->path, why, error);
    return false;
}

static void refuse_step(NsRunWriter *w, NsLockstep *lockstep, GError **error)
{
    g_autofree char *name = g_filename_display_name(w->path);
    g_set_error(error, NS_ERROR, NS_ERROR_FILE,
                "“%s” cannot be continued from step %" G_GINT64_FORMAT
                ": its newest checkpoint is that of step %" G_GINT64_FORMAT ".",
                name, ns_lockstep_steps(lockstep), w->checkpoint_step);
}

static bool begin(NsRunWriter *w, NsLockstep *lockstep, GError **error)
{
    if (sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_busy_timeout(w->db, BUSY_MILLISECONDS) != SQLITE_OK ||
        !(w->resumed ? go_on : write_head)(w, lockstep) ||
        !run_statement(w, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                          "PRAGMA secure_delete = OFF; PRAGMA journal_size_limit = 67108864") ||
        !prepare_inserts(w)) {
        if (w->other_step)
            refuse_step(w, lockstep, error);
        else
            explain(w, error);
        return false;
    }
    if (ns_thread_start(&w->thread, work, w) == 0) return true;
    g_set_error_literal(error, NS_ERROR, NS_ERROR_MEMORY,
                        "The system refused a thread for the run file; close other programs.");
    return false;
}

static NsRunWriter *writer_new(const char *path, NsLockstep *lockstep, int64_t every)
{
    NsRunWriter *w = g_new0(NsRunWriter, 1);
    w->path = g_strdup(path);
    w->every = every;
    w->checkpoint_step = -1;
    w->checkpoint_at = g_get_monotonic_time();
    w->n = ns_lockstep_lanes(lockstep) * ns_lockstep_seeds(lockstep);
    for (size_t i = 0; i < w->n; i++) {
        NsRun *run = run_at(lockstep, i);
        w->runs[i].lane = (int64_t)(i / ns_lockstep_seeds(lockstep)) + 1;
        w->runs[i].seed = ns_run_settings(run)->seed;
        w->runs[i].layout = *ns_history_layout(ns_run_history(run));
    }
    w->queue = g_ptr_array_new_with_free_func(item_free);
    pthread_mutex_init(&w->mutex, NULL);
    ns_condition_init(&w->wake);
    ns_condition_init(&w->written);
    return w;
}

NsRunWriter *ns_run_writer_new(const char *path, NsLockstep *lockstep, int64_t every,
                               GError **error)
{
    NsRunWriter *w = writer_new(path, lockstep, every);
    bool made = take_file(w, O_CREAT | O_EXCL, error);
    if (made && begin(w, lockstep, error)) return w;
    if (made) unlink(path);
    free_writer(w);
    return NULL;
}

NsRunWriter *ns_run_writer_resume(const char *path, NsLockstep *lockstep, int64_t every,
                                  GError **error)
{
    NsRunWriter *w = writer_new(path, lockstep, every);
    w->resumed = true;
    if (take_file(w, 0, error) && begin(w, lockstep, error)) {
        /* Changed settings are stored in checkpoints only, so the first one is taken soon. */
        if (w->checkpoint_step < 0) w->checkpoint_at = 0;
        return w;
    }
    free_writer(w);
    return NULL;
}

/* ---- The end ---- */

/* The summary of a resumed run covers only the part after it was resumed.  The values for the whole
 * run are computed from the file. */
#define WHOLE_VALIDATION                                                                           \
    "UPDATE lanes SET summary = json_set(summary, '$.summary.validation_loss', "                   \
    "json(format('%!.17g', e.loss)), '$.summary.validation_step', e.step) FROM (SELECT lane, "     \
    "seed, max(step) AS step, loss FROM evaluations GROUP BY lane, seed) AS e "                    \
    "WHERE e.lane = lanes.lane AND e.seed = lanes.seed AND e.loss NOT NULL "                       \
    "AND json_extract(summary, '$.summary.validation_step') IS NULL;"
#define WHOLE_TIME                                                                                 \
    "UPDATE lanes SET summary = json_set(summary, '$.summary.seconds', t.seconds, "                \
    "'$.summary.ms_per_step', t.mean) FROM (SELECT lane, seed, sum(seconds) AS seconds, "          \
    "1e3 * avg(seconds) AS mean FROM steps WHERE step > 0 GROUP BY lane, seed) AS t "              \
    "WHERE t.lane = lanes.lane AND t.seed = lanes.seed"

static bool write_summaries(NsRunWriter *w, char *const *summaries)
{
    NS_AUTO_STATEMENT statement =
        ns_database_prepare(w->db, "UPDATE lanes SET summary = ?3 WHERE lane = ?1 AND seed = ?2");
    if (!statement) return false;
    bool written = run_statement(w, "BEGIN IMMEDIATE");
    for (size_t i = 0; written && i < w->n; i++) {
        bind_run(statement, &w->runs[i]);
        bind_text(statement, 3, summaries[i]);
        written = finish_row(statement);
    }
    if (w->resumed)
        written = written && ns_run_drop_after(w->db, w->reached) &&
                  run_statement(w, WHOLE_VALIDATION WHOLE_TIME);
    return written && run_statement(w, "COMMIT");
}

bool ns_run_writer_close(NsRunWriter *w, char *const *summaries, GError **error)
{
    pthread_mutex_lock(&w->mutex);
    w->closing = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);

    bool told = w->failed && !w->failure;
    if (!w->failed && !write_summaries(w, summaries)) {
        g_autoptr(GError) wrong = NULL;
        explain(w, &wrong);
        fail(w, wrong->message);
    }
    bool whole = !w->failed;
    if (!whole && !told) g_set_error_literal(error, NS_ERROR, NS_ERROR_FILE, w->failure);
    /* This merges the log into the run file, unless another program is reading it now. */
    for (size_t i = 0; i < G_N_ELEMENTS(w->insert); i++)
        g_clear_pointer(&w->insert[i], sqlite3_finalize);
    g_clear_pointer(&w->insert_profile, sqlite3_finalize);
    run_statement(w, "PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
    free_writer(w);
    return whole;
}
