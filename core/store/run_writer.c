/* SPDX-License-Identifier: MIT */
#include "core/store/run_writer.h"

#include "core/base/error.h"
#include "core/base/thread.h"
#include "core/base/words.h"
#include "core/store/run_rows-private.h"

#include <string.h>
#include <unistd.h>

#define COMMIT_MICROSECONDS 500000

/* Maximum size of the queue in bytes; if the disk is too slow for it, or the file is locked for too
 * long, recording fails. */
#define MOST_WAITING ((size_t)256 << 20)

/* How long to wait for another program's lock at the end, in microseconds. */
#define LOCKED_MICROSECONDS ((int64_t)60 * G_USEC_PER_SEC)

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
    size_t waiting; /* bytes in the queue or being written */
    bool closing, failed;
    bool locked;          /* by another program: what is queued is written again and again */
    size_t checkpoints;   /* in the queue or being written */
    int64_t taking_took;  /* duration of the newest checkpoint in microseconds: taking it */
    int64_t writing_took; /* and writing it */
    char *message;        /* until it is taken */
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
    g_free(w->message);
    w->message = g_strdup_printf(_("%s  Recording of the run has stopped."), sentence);
}

/* The message replaces one that was not taken. */
static void set_locked(NsRunWriter *w, bool locked)
{
    if (locked == w->locked) return;
    g_autofree char *name = g_filename_display_basename(w->rows.path);
    w->locked = locked;
    g_free(w->message);
    w->message = g_strdup_printf(
        locked ? _("“%s” is locked by another program; new measurements are held in memory until "
                   "it is unlocked.")
               : _("“%s” is no longer locked; all measurements have been written to it."),
        name);
}

static void fail_locked(NsRunWriter *w)
{
    g_autofree char *name = g_filename_display_name(w->rows.path);
    g_autofree char *sentence = g_strdup_printf(
        _("“%s” was locked by another program for too long; its newest steps are missing."), name);
    fail(w, sentence);
}

static void *work(void *data)
{
    NsRunWriter *w = data;
    ns_thread_lower(NS_NICER_TRAINER);
    g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(item_free);
    bool last = false;
    int64_t give_up = INT64_MAX;
    pthread_mutex_lock(&w->mutex);
    while (!last) {
        int64_t until = g_get_monotonic_time() + COMMIT_MICROSECONDS;
        struct timespec time = ns_condition_time(until);
        while (!w->closing && g_get_monotonic_time() < until)
            pthread_cond_timedwait(&w->wake, &w->mutex, &time);
        last = w->closing;
        if (last) give_up = MIN(give_up, g_get_monotonic_time() + LOCKED_MICROSECONDS);
        size_t bytes = w->waiting, checkpoints = w->checkpoints;
        bool failed = w->failed;
        g_ptr_array_extend_and_steal(items, w->queue);
        w->queue = g_ptr_array_new_with_free_func(item_free);
        pthread_mutex_unlock(&w->mutex);
        g_autoptr(GError) error = NULL;
        int64_t started = g_get_monotonic_time();
        NsRowsWritten written =
            failed ? NS_ROWS_WRITTEN : ns_run_rows_write(&w->rows, items, &error);
        int64_t took = g_get_monotonic_time() - started;
        pthread_mutex_lock(&w->mutex);
        if (written == NS_ROWS_FAILED) fail(w, error->message);
        if (!failed && !w->failed) set_locked(w, written == NS_ROWS_LOCKED);
        if (written == NS_ROWS_LOCKED && !w->failed) {
            last = started + took >= give_up;
            if (last) fail_locked(w);
            continue;
        }
        g_ptr_array_set_size(items, 0);
        w->waiting -= bytes;
        w->checkpoints -= checkpoints;
        if (checkpoints) w->writing_took = took;
        pthread_cond_broadcast(&w->written);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

/* ---- Queueing ---- */

/* The caller holds the mutex until a step and its validation loss and events are queued: one commit
 * stores them, so that a program that is killed leaves no step without its validation loss. */
static void enqueue(NsRunWriter *w, size_t run, NsRunItem item, size_t bytes)
{
    item.run = run;
    NsRunItem *own = g_memdup2(&item, sizeof item);
    if (w->waiting > MOST_WAITING && w->locked)
        fail_locked(w);
    else if (w->waiting > MOST_WAITING)
        fail(w, "The disk is too slow for the run file.");
    if (w->failed) {
        item_free(own);
        return;
    }
    g_ptr_array_add(w->queue, own);
    w->waiting += sizeof item + bytes;
    w->checkpoints += item.kind == NS_RUN_ITEM_CHECKPOINT;
}

void ns_run_writer_add(NsRunWriter *w, NsLockstep *lockstep)
{
    NS_HELD held = ns_hold(&w->mutex);
    for (size_t i = 0; i < w->rows.n; i++) {
        const NsHistory *history = ns_lockstep_nth_run(lockstep, i)->history;
        NsRunSeed *run = &w->rows.runs[i];
        bool past = ns_history_steps(history) - run->steps > PAST_STEPS;
        for (; run->steps < ns_history_steps(history); run->steps++) {
            int64_t step = ns_history_step(history, run->steps)->step;
            w->reached = MAX(w->reached, step);
            if (w->rows.resumed && step <= run->newest) continue; /* already in the file */
            /* A long earlier history is queued all at once: half of it is waited for. */
            while (past && w->waiting > MOST_WAITING / 2 && !w->failed && !w->locked) {
                struct timespec until =
                    ns_condition_time(g_get_monotonic_time() + COMMIT_MICROSECONDS);
                pthread_cond_timedwait(&w->written, &w->mutex, &until);
            }
            size_t record = run->steps;
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
        for (; run->evaluations < ns_history_evaluations(history); run->evaluations++) {
            NsRunItem item = {.kind = NS_RUN_ITEM_EVALUATION};
            item.what.evaluation = *ns_history_evaluation(history, run->evaluations);
            enqueue(w, i, item, 0);
        }
        for (; run->continuations < ns_history_continuations(history); run->continuations++) {
            NsRunItem item = {.kind = NS_RUN_ITEM_CONTINUATION};
            item.what.continuation = *ns_history_continuation(history, run->continuations);
            enqueue(w, i, item, 0);
        }
        for (; run->events < ns_history_events(history); run->events++) {
            NsRunItem item = {.kind = NS_RUN_ITEM_EVENT};
            item.what.event = *ns_history_event(history, run->events);
            bool retained = run->retained_events > 0 && item.what.event.step > w->rows.from;
            if (retained)
                run->retained_events--;
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
    bool taken = ns_lockstep_fits_memory(lockstep);
    for (size_t i = 0; taken && i < lanes; i++)
        taken = (checkpoints[i] = ns_lockstep_checkpoint(lockstep, i, NULL)) != NULL;
    w->checkpoint_at = g_get_monotonic_time();
    NS_HELD held = ns_hold(&w->mutex);
    if (taken) w->taking_took = w->checkpoint_at - started;
    for (size_t i = 0; i < lanes; i++) {
        NsRunItem item = {
            .kind = NS_RUN_ITEM_CHECKPOINT, .what.clock = step, .checkpoint = checkpoints[i]};
        if (taken)
            enqueue(w, i, item, 0);
        else
            ns_checkpoint_unref(checkpoints[i]);
    }
    if (taken) w->checkpoint_step = step;
    return taken;
}

/* There is at most one checkpoint in the queue, because each is as large as the model. */
static bool is_due(NsRunWriter *w, NsLockstep *lockstep)
{
    if (w->every > 0 && ns_lockstep_steps(lockstep) - MAX(w->checkpoint_step, 0) < w->every)
        return false;
    NS_HELD held = ns_hold(&w->mutex);
    bool busy = w->checkpoints > 0 || w->failed;
    int64_t pause =
        MAX(CHECKPOINT_MICROSECONDS, CHECKPOINT_SHARE * (w->taking_took + w->writing_took));
    return !busy && (w->every > 0 || g_get_monotonic_time() - w->checkpoint_at >= pause);
}

void ns_run_writer_step(NsRunWriter *w, NsLockstep *lockstep)
{
    ns_run_writer_add(w, lockstep);
    if (is_due(w, lockstep)) ns_run_writer_checkpoint(w, lockstep);
}

char *ns_run_writer_take_message(NsRunWriter *w)
{
    NS_HELD held = ns_hold(&w->mutex);
    return g_steal_pointer(&w->message);
}

bool ns_run_writer_is_locked(NsRunWriter *w)
{
    NS_HELD held = ns_hold(&w->mutex);
    return w->locked && !w->failed;
}

/* ---- Life cycle ---- */

static void free_writer(NsRunWriter *w)
{
    ns_run_rows_close(&w->rows);
    pthread_mutex_destroy(&w->mutex);
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->written);
    g_ptr_array_unref(w->queue);
    g_free(w->message);
    g_free(w);
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
        rows->runs[i].seed = run->settings.seed;
        rows->runs[i].layout = *ns_history_layout(run->history);
    }
    w->every = every;
    w->checkpoint_step = -1;
    w->checkpoint_at = g_get_monotonic_time();
    w->queue = g_ptr_array_new_with_free_func(item_free);
    pthread_mutex_init(&w->mutex, NULL);
    ns_condition_init(&w->wake);
    ns_condition_init(&w->written);
    bool open = ns_run_rows_open(&w->rows, lockstep, error);
    if (open && ns_thread_start(&w->thread, work, w) == 0) return w;
    if (open)
        ns_refuse(
            error, NS_ERROR_MEMORY,
            "No thread could be started for the run file; close other programs and try again.");
    if (rows->locked && !rows->existed) unlink(path);
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

    bool reported = w->failed && !w->message;
    g_autoptr(GError) wrong = NULL;
    int64_t give_up = g_get_monotonic_time() + LOCKED_MICROSECONDS;
    NsRowsWritten ended = NS_ROWS_LOCKED;
    while (!w->failed && ended == NS_ROWS_LOCKED && g_get_monotonic_time() < give_up)
        ended = ns_run_rows_end(&w->rows, summaries, w->reached, &wrong);
    if (ended == NS_ROWS_FAILED) fail(w, wrong->message);
    if (ended == NS_ROWS_LOCKED) fail_locked(w);
    bool whole = !w->failed;
    if (!whole && !reported) g_set_error_literal(error, NS_ERROR, NS_ERROR_FILE, w->message);
    free_writer(w);
    return whole;
}
