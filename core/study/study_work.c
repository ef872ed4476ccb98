/* SPDX-License-Identifier: MIT */
#include "core/study/study_work.h"

#include "core/base/error.h"
#include "core/base/exit_barrier.h"
#include "core/base/thread.h"

#include <errno.h>
#include <math.h>

/* How often a thread looks whether a cell of another process has come back, in milliseconds. */
#define LOOK_MS 500

/* Leases are renewed so often in their time. */
#define RENEWALS 4

struct NsStudyWork {
    NsStudyStore *store;
    const NsStudy *study;
    double lease;
    gint64 renewed, started; /* of the thread that waits */
    size_t ended_before;     /* cells, when it began */

    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t idle;   /* no thread is left, or they should stop */
    unsigned working;
    bool stopped;
    GError *failure;
};

static bool is_stopped(NsStudyWork *work)
{
    pthread_mutex_lock(&work->mutex);
    bool stopped = work->stopped;
    pthread_mutex_unlock(&work->mutex);
    return stopped;
}

static bool go_on(void *data, const NsStudyCell *cell)
{
    (void)cell;
    return !is_stopped(data);
}

/* The first one counts. */
static void fail(NsStudyWork *work, GError *error)
{
    pthread_mutex_lock(&work->mutex);
    if (!work->failure)
        work->failure = error;
    else
        g_error_free(error);
    work->stopped = true;
    pthread_cond_broadcast(&work->idle);
    pthread_mutex_unlock(&work->mutex);
}

static bool run_cell(NsStudyWork *work, size_t i, GError **error)
{
    NsCellWork how = {
        .result = work->study->result, .stop = work->study->stop, .progress = go_on, .data = work};
    NsSettings settings;
    ns_study_cell_settings(work->study, i, &settings);
    NsStudyCell cell = ns_cell_train(&settings, &how);
    ns_settings_clear(&settings);
    return ns_study_store_keep(work->store, i, &cell, error);
}

static void wait_for_others(NsStudyWork *work)
{
    struct timespec until = ns_condition_time(g_get_monotonic_time() + LOOK_MS * (int64_t)1000);
    pthread_mutex_lock(&work->mutex);
    if (!work->stopped) pthread_cond_timedwait(&work->idle, &work->mutex, &until);
    pthread_mutex_unlock(&work->mutex);
}

/* FALSE where the thread should end. */
static bool run_next(NsStudyWork *work)
{
    size_t i;
    GError *error = NULL;
    bool good = true;
    if (is_stopped(work)) return false;
    NsClaimed claimed = ns_study_store_claim(work->store, &i, &error);
    if (claimed == NS_CLAIMED_LAST) return false;
    if (claimed == NS_CLAIMED_NONE) wait_for_others(work);
    if (claimed == NS_CLAIMED_CELL) good = run_cell(work, i, &error);
    if (error) fail(work, error);
    return good && claimed != NS_CLAIMED_FAILED;
}

static void *run_cells(void *data)
{
    NsStudyWork *work = data;
    ns_thread_lower(NS_NICER_BACKGROUND);
    while (run_next(work)) continue;
    pthread_mutex_lock(&work->mutex);
    work->working--;
    pthread_cond_broadcast(&work->idle);
    pthread_mutex_unlock(&work->mutex);
    ns_exit_barrier_leave();
    return NULL;
}

NsStudyWork *ns_study_work_new(NsStudyStore *store, const NsStudy *study)
{
    NsStudyWork *work = g_new0(NsStudyWork, 1);
    work->store = store;
    work->study = study;
    work->lease = ns_study_store_lease(store);
    pthread_mutex_init(&work->mutex, NULL);
    ns_condition_init(&work->idle);
    return work;
}

void ns_study_work_free(NsStudyWork *work)
{
    if (!work) return;
    ns_study_store_close(work->store);
    pthread_cond_destroy(&work->idle);
    pthread_mutex_destroy(&work->mutex);
    g_clear_error(&work->failure);
    g_free(work);
}

NsStudyStore *ns_study_work_store(NsStudyWork *work)
{
    return work->store;
}

static int start_one(NsStudyWork *work)
{
    pthread_t thread;
    ns_exit_barrier_enter();
    int failure = ns_thread_start(&thread, run_cells, work);
    if (failure)
        ns_exit_barrier_leave();
    else
        pthread_detach(thread);
    return failure;
}

bool ns_study_work_start(NsStudyWork *work, unsigned jobs, GError **error)
{
    NsStoreCounts counts;
    if (!ns_study_store_count(work->store, &counts, error)) return false;
    work->ended_before = counts.ended;
    work->started = work->renewed = g_get_monotonic_time();
    unsigned n = (unsigned)MIN(jobs, counts.cells - counts.ended), started = 0;
    int failure = 0;
    pthread_mutex_lock(&work->mutex);
    for (; started < n && !failure; started += !failure) {
        work->working++;
        failure = start_one(work);
        if (failure) work->working--;
    }
    pthread_mutex_unlock(&work->mutex);
    return started > 0 || n == 0 ||
           ns_refuse(error, NS_ERROR_MEMORY,
                     "No thread could be started for the study: %s; close other programs and try "
                     "again.",
                     g_strerror(failure));
}

bool ns_study_work_wait(NsStudyWork *work, int timeout_ms)
{
    struct timespec until = ns_condition_time(g_get_monotonic_time() + timeout_ms * (int64_t)1000);
    int failure = 0;
    pthread_mutex_lock(&work->mutex);
    while (work->working > 0 && failure != ETIMEDOUT)
        failure = pthread_cond_timedwait(&work->idle, &work->mutex, &until);
    bool idle = work->working == 0;
    pthread_mutex_unlock(&work->mutex);
    gint64 now = g_get_monotonic_time();
    if (!idle && (double)(now - work->renewed) >= work->lease * 1e6 / RENEWALS) {
        GError *error = NULL;
        if (!ns_study_store_renew(work->store, &error)) fail(work, error);
        work->renewed = now;
    }
    return idle;
}

void ns_study_work_stop(NsStudyWork *work)
{
    pthread_mutex_lock(&work->mutex);
    work->stopped = true;
    pthread_cond_broadcast(&work->idle);
    pthread_mutex_unlock(&work->mutex);
}

GError *ns_study_work_take_failure(NsStudyWork *work)
{
    pthread_mutex_lock(&work->mutex);
    GError *failure = g_steal_pointer(&work->failure);
    pthread_mutex_unlock(&work->mutex);
    return failure;
}

bool ns_study_work_progress(NsStudyWork *work, NsStudyWorkProgress *progress, GError **error)
{
    if (!ns_study_store_count(work->store, &progress->counts, error)) return false;
    double done = (double)(progress->counts.ended - work->ended_before);
    double left = (double)(progress->counts.cells - progress->counts.ended);
    double seconds = (double)(g_get_monotonic_time() - work->started) / 1e6;
    progress->seconds_left = done > 0 ? left * seconds / done : (double)NAN;
    return true;
}
