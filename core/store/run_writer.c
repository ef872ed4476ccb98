/* SPDX-License-Identifier: MIT */
#include "core/store/run_writer.h"

#include "core/base/error.h"
#include "core/base/thread.h"
#include "core/store/run_rows-private.h"

#include <string.h>
#include <unistd.h>

#define COMMIT_MICROSECONDS 500000

/* Maximum size of the queue in bytes; if the disk is too slow for it, recording fails. */
#define MOST_WAITING ((size_t)256 << 20)

/* More new steps than this at once are earlier history, such as that of a fork. */
#define PAST_STEPS 16

/* Minimum time between checkpoints: in microseconds, and as a multiple of the time for one. */
#define CHECKPOINT_MICROSECONDS 10000000
#define CHECKPOINT_SHARE 100

struct NsRunWriter {
    NsRunRows rows; /* used only by the thread while it runs, but for the numbers of items */
    int64_t every;  /* steps between checkpoints; 0: by time */
    int64_t checkpoint_step; /* step of the newest checkpoint; -1: none */
    int64_t checkpoint_at;   /* when that was taken, in microseconds */
    int64_t reached;         /* the newest step queued */

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
    NsRunItem *item = data;
    ns_values_free(&item->values);
    ns_checkpoint_unref(item->checkpoint);
    g_free(item);
}

/* ---- The thread ---- */

static void fail(NsRunWriter *w, const char *sentence)
{
    if (w->failed) return;
    w->failed = true;
    w->failure = g_strdup_printf("%s  Recording of the run has stopped.", sentence);
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
        bool written = failed || ns_run_rows_write(&w->rows, items, &error);
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

static void enqueue(NsRunWriter *w, size_t run, NsRunItem item, size_t bytes)
{
    item.run = run;
    NsRunItem *own = g_memdup2(&item, sizeof item);
    NS_HELD held = ns_hold(&w->mutex);
    if (w->waiting > MOST_WAITING) fail(w, "The disk is too slow for the run file.");
    if (w->failed) {
        item_free(own);
        return;
    }
    g_ptr_array_add(w->queue, own);
    w->waiting += sizeof item + bytes;
    w->checkpoints += item.kind == NS_RUN_ITEM_CHECKPOINT;
}

static void take_step(NsRunWriter *w, size_t i, const NsHistory *history, size_t record)
{
    const NsRecordLayout *layout = &w->rows.runs[i].layout;
    NsRunItem item = {.kind = NS_RUN_ITEM_STEP, .values = ns_values_new(layout->width)};
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
    NS_HELD held = ns_hold(&w->mutex);
    while (w->waiting > MOST_WAITING / 2 && !w->failed) {
        struct timespec until = ns_condition_time(g_get_monotonic_time() + COMMIT_MICROSECONDS);
        pthread_cond_timedwait(&w->written, &w->mutex, &until);
    }
}

void ns_run_writer_add(NsRunWriter *w, NsLockstep *lockstep)
{
    for (size_t i = 0; i < w->rows.n; i++) {
        const NsHistory *history = ns_run_history(ns_lockstep_nth_run(lockstep, i));
        NsRunSeed *run = &w->rows.runs[i];
        bool past = ns_history_steps(history) - run->steps > PAST_STEPS;
        for (; run->steps < ns_history_steps(history); run->steps++) {
            int64_t step = ns_history_step(history, run->steps)->step;
            w->reached = MAX(w->reached, step);
            if (w->rows.resumed && step <= run->newest) continue; /* already in the file */
            if (past) wait_for_disk(w);
            take_step(w, i, history, run->steps);
        }
        for (; run->evaluations < ns_history_evaluations(history); run->evaluations++) {
            NsRunItem item = {.kind = NS_RUN_ITEM_EVALUATION};
            item.what.evaluation = *ns_history_evaluation(history, run->evaluations);
            enqueue(w, i, item, 0);
        }
        for (; run->events < ns_history_events(history); run->events++) {
            NsRunItem item = {.kind = NS_RUN_ITEM_EVENT};
            item.what.event = *ns_history_event(history, run->events);
            bool kept = run->kept_events > 0 && item.what.event.step > w->rows.from;
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
        NsRunItem item = {
            .kind = NS_RUN_ITEM_CHECKPOINT, .what.clock = step, .checkpoint = checkpoints[i]};
        if (taken)
            enqueue(w, i, item, 0);
        else
            ns_checkpoint_unref(checkpoints[i]);
    }
    w->checkpoint_at = g_get_monotonic_time();
    if (!taken) return false;
    w->checkpoint_step = step;
    NS_HELD held = ns_hold(&w->mutex);
    w->checkpoint_took = w->checkpoint_at - started;
    return true;
}

/* There is at most one checkpoint in the queue, because each is as large as the model. */
static bool is_due(NsRunWriter *w, NsLockstep *lockstep)
{
    if (w->every > 0 && ns_lockstep_steps(lockstep) - MAX(w->checkpoint_step, 0) < w->every)
        return false;
    NS_HELD held = ns_hold(&w->mutex);
    bool busy = w->checkpoints > 0 || w->failed;
    int64_t pause = MAX(CHECKPOINT_MICROSECONDS, CHECKPOINT_SHARE * w->checkpoint_took);
    return !busy && (w->every > 0 || g_get_monotonic_time() - w->checkpoint_at >= pause);
}

void ns_run_writer_step(NsRunWriter *w, NsLockstep *lockstep)
{
    ns_run_writer_add(w, lockstep);
    if (is_due(w, lockstep)) ns_run_writer_checkpoint(w, lockstep);
}

char *ns_run_writer_take_failure(NsRunWriter *w)
{
    NS_HELD held = ns_hold(&w->mutex);
    return g_steal_pointer(&w->failure);
}

/* ---- Life cycle ---- */

static void free_writer(NsRunWriter *w)
{
    ns_run_rows_close(&w->rows);
    pthread_mutex_destroy(&w->mutex);
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->written);
    g_ptr_array_unref(w->queue);
    g_free(w->failure);
    g_free(w);
}

static bool begin(NsRunWriter *w, NsLockstep *lockstep, GError **error)
{
    if (!ns_run_rows_open(&w->rows, lockstep, error)) return false;
    return ns_thread_start(&w->thread, work, w) == 0 ||
           ns_refuse(error, NS_ERROR_MEMORY,
                     "The system refused a thread for the run file; close other programs.");
}

static NsRunWriter *writer_new(const char *path, NsLockstep *lockstep, int64_t every, bool resumed,
                               GError **error)
{
    NsRunWriter *w = g_new0(NsRunWriter, 1);
    NsRunRows *rows = &w->rows;
    rows->path = g_strdup(path);
    rows->resumed = resumed;
    rows->n = ns_lockstep_lanes(lockstep) * ns_lockstep_seeds(lockstep);
    for (size_t i = 0; i < rows->n; i++) {
        NsRun *run = ns_lockstep_nth_run(lockstep, i);
        rows->runs[i].lane = (int64_t)(i / ns_lockstep_seeds(lockstep)) + 1;
        rows->runs[i].seed = ns_run_settings(run)->seed;
        rows->runs[i].layout = *ns_history_layout(ns_run_history(run));
    }
    w->every = every;
    w->checkpoint_step = -1;
    w->checkpoint_at = g_get_monotonic_time();
    w->queue = g_ptr_array_new_with_free_func(item_free);
    pthread_mutex_init(&w->mutex, NULL);
    ns_condition_init(&w->wake);
    ns_condition_init(&w->written);
    if (begin(w, lockstep, error)) return w;
    if (rows->made) unlink(path);
    free_writer(w);
    return NULL;
}

NsRunWriter *ns_run_writer_new(const char *path, NsLockstep *lockstep, int64_t every,
                               GError **error)
{
    return writer_new(path, lockstep, every, false, error);
}

NsRunWriter *ns_run_writer_resume(const char *path, NsLockstep *lockstep, int64_t every,
                                  GError **error)
{
    NsRunWriter *w = writer_new(path, lockstep, every, true, error);
    if (!w) return NULL;
    w->checkpoint_step = w->reached = w->rows.from;
    /* Changed settings are stored in checkpoints only, so the first one is taken soon. */
    if (w->checkpoint_step < 0) w->checkpoint_at = 0;
    return w;
}

/* ---- The end ---- */

bool ns_run_writer_close(NsRunWriter *w, char *const *summaries, GError **error)
{
    pthread_mutex_lock(&w->mutex);
    w->closing = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);

    bool told = w->failed && !w->failure;
    g_autoptr(GError) wrong = NULL;
    if (!w->failed && !ns_run_rows_end(&w->rows, summaries, w->reached, &wrong))
        fail(w, wrong->message);
    bool whole = !w->failed;
    if (!whole && !told) g_set_error_literal(error, NS_ERROR, NS_ERROR_FILE, w->failure);
    free_writer(w);
    return whole;
}
