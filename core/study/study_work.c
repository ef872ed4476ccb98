/* SPDX-License-Identifier: MIT */
#include "core/study/study_work.h"

#include "core/base/error.h"
#include "core/base/exit_barrier.h"
#include "core/base/processors.h"
#include "core/base/thread.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>

/* Milliseconds between checks whether a cell of another process has become available, and for the
 * results of other processes. */
#define LOOK_MS 500

/* Number of renewals during the time of a lease. */
#define RENEWALS 4

struct NsStudyWork {
    NsStudy study;
    char *path;
    NsStoreOptions options;
    _Atomic(NsStudyStore *) store;
    atomic_uint version;

    pthread_mutex_t mutex;  /* protects the fields below */
    pthread_cond_t changed; /* a thread has ended, or the threads should stop */
    unsigned refs;          /* references, not counting threads */
    unsigned wanted;        /* desired number of threads for cells */
    unsigned working;       /* actual number of these threads */
    bool keeping;           /* the thread for the file is running */
    bool stopped, again;    /* again: that thread should start missing threads */
    GError *failure;
    NsStudyCell *cells;
    size_t ended, in_work; /* of the cells to run: how many ended, and how many are running */
    double parts;          /* total progress of the running cells, in cells */
    gint64 started;
    double done_before; /* number of cells done when it began */
};

/* Stops the work with an error; only the first error is stored. */
static void fail(NsStudyWork *work, GError *error)
{
    NS_HELD held = ns_hold(&work->mutex);
    if (!work->failure)
        work->failure = error;
    else
        g_error_free(error);
    work->stopped = true;
    pthread_cond_broadcast(&work->changed);
}

/* ---- Cells ---- */

/* Adds a cell to the counts or, with sign -1, removes it. */
static void count(NsStudyWork *work, size_t i, int sign)
{
    const NsStudyCell *cell = &work->cells[i];
    if (i < work->options.first || i >= work->options.end) return;
    if (cell->state > NS_CELL_RUNNING) work->ended += (size_t)sign;
    if (cell->state != NS_CELL_RUNNING) return;
    size_t lane = ns_study_place(&work->study, i).lane;
    work->in_work += (size_t)sign;
    work->parts +=
        sign * (double)cell->step / (double)MAX(work->study.experiment.lane[lane].steps, 1);
    if (work->in_work == 0) work->parts = 0; /* removes rounding errors */
}

/* The caller holds the mutex. */
static void put_cell(NsStudyWork *work, size_t i, const NsStudyCell *cell)
{
    bool counts = work->cells[i].state != cell->state;
    count(work, i, -1);
    work->cells[i] = *cell;
    count(work, i, 1);
    if (counts) atomic_fetch_add(&work->version, 1);
}

void ns_study_work_set_cells(NsStudyWork *work, const NsStudyCell *cells)
{
    NS_HELD held = ns_hold(&work->mutex);
    for (size_t i = 0; i < ns_study_cells(&work->study); i++) put_cell(work, i, &cells[i]);
}

NsStudyCell ns_study_work_cell(NsStudyWork *work, size_t i)
{
    NS_HELD held = ns_hold(&work->mutex);
    return work->cells[i];
}

unsigned ns_study_work_version(NsStudyWork *work)
{
    return atomic_load(&work->version);
}

/* The cell that a thread is running. */
typedef struct {
    NsStudyWork *work;
    size_t i;
} Place;

static bool keep_step(void *data, const NsStudyCell *cell)
{
    const Place *place = data;
    NS_HELD held = ns_hold(&place->work->mutex);
    put_cell(place->work, place->i, cell);
    return !place->work->stopped;
}

static bool run_cell(NsStudyWork *work, size_t i, GError **error)
{
    Place place = {work, i};
    g_autoptr(GArray) curve = g_array_new(FALSE, FALSE, sizeof(double));
    NsCellWork how = {.results = work->study.results,
                      .stop = work->study.stop,
                      .progress = keep_step,
                      .data = &place,
                      .curve = curve};
    const NsStudyCell begun = ns_cell_in(NS_CELL_RUNNING);
    g_auto(NsSettings) settings;
    ns_study_cell_settings(&work->study, i, &settings);
    keep_step(&place, &begun);
    NsStudyCell cell = ns_cell_train(&settings, &how);
    bool ended = cell.state > NS_CELL_RUNNING && curve->len > 0;
    bool good =
        (!ended || ns_study_store_keep_curve(work->store, i, (const double *)(void *)curve->data,
                                             curve->len, error)) &&
        ns_study_store_keep(work->store, i, &cell, error);
    const NsStudyCell waits = ns_cell_in(NS_CELL_WAITING);
    keep_step(&place, good ? &cell : &waits);
    return good;
}

/* ---- Threads ---- */

/* Runs the next cell; returns false if the thread should end. */
static bool run_next(NsStudyWork *work)
{
    size_t i;
    GError *error = NULL;
    bool good = true;
    {
        NS_HELD held = ns_hold(&work->mutex);
        if (work->stopped) return false;
    }
    NsClaimed claimed = ns_study_store_claim(work->store, &i, &error);
    if (claimed == NS_CLAIMED_LAST) return false;
    if (claimed == NS_CLAIMED_NONE) {
        struct timespec until = ns_condition_time(g_get_monotonic_time() + LOOK_MS * (int64_t)1000);
        NS_HELD held = ns_hold(&work->mutex);
        if (!work->stopped) pthread_cond_timedwait(&work->changed, &work->mutex, &until);
    }
    if (claimed == NS_CLAIMED_CELL) good = run_cell(work, i, &error);
    if (error) fail(work, error);
    return good && claimed != NS_CLAIMED_FAILED;
}

static void free_work(NsStudyWork *work)
{
    ns_study_store_close(work->store);
    ns_study_clear(&work->study);
    pthread_cond_destroy(&work->changed);
    pthread_mutex_destroy(&work->mutex);
    g_clear_error(&work->failure);
    g_free(work->cells);
    g_free(work->path);
    g_free(work);
}

/* Whether the memory can be freed: there are neither owners nor threads. */
static bool is_abandoned(const NsStudyWork *work)
{
    return work->refs == 0 && work->working == 0 && !work->keeping;
}

/* Ends a thread.  The caller holds the mutex, which is unlocked here. */
static void leave(NsStudyWork *work)
{
    pthread_cond_broadcast(&work->changed);
    bool last = is_abandoned(work);
    pthread_mutex_unlock(&work->mutex);
    if (last) free_work(work);
    ns_exit_barrier_leave();
}

static void *run_cells(void *data)
{
    NsStudyWork *work = data;
    ns_thread_lower(NS_NICER_BACKGROUND);
    while (run_next(work)) continue;
    pthread_mutex_lock(&work->mutex);
    work->working--;
    leave(work);
    return NULL;
}

/* Starts a thread; returns 0 or an error number. */
static int start_thread(NsStudyWork *work, void *(*run)(void *))
{
    pthread_t thread;
    ns_exit_barrier_enter();
    int failure = ns_thread_start(&thread, run, work);
    if (failure)
        ns_exit_barrier_leave();
    else
        pthread_detach(thread);
    return failure;
}

static bool refuse_thread(int failure, GError **error)
{
    return ns_refuse(error, NS_ERROR_MEMORY,
                     "No thread could be started for the study: %s; close other programs and try "
                     "again.",
                     g_strerror(failure));
}

/* ---- The thread for the file ---- */

/* Reads the cells from the file, except those running here, whose progress is more recent. */
static bool read_cells(NsStudyWork *work, GError **error)
{
    g_auto(NsStudyResults) file = {0};
    if (!ns_study_store_results(work->store, &file, error)) return false;
    NS_HELD held = ns_hold(&work->mutex);
    for (size_t i = 0; i < ns_study_cells(&work->study); i++)
        if (work->cells[i].state != NS_CELL_RUNNING || file.cells[i].state > NS_CELL_RUNNING ||
            work->working == 0)
            put_cell(work, i, &file.cells[i]);
    return true;
}

/* The number of cells that are done, counting running ones in part.  The caller holds the mutex. */
static double done(const NsStudyWork *work)
{
    return (double)work->ended + work->parts;
}

static bool start_cells(NsStudyWork *work, GError **error)
{
    int failure = 0;
    NS_HELD held = ns_hold(&work->mutex);
    work->done_before = done(work);
    work->started = g_get_monotonic_time();
    size_t open = work->options.end - work->options.first - work->ended;
    unsigned wanted = (unsigned)MIN(work->wanted, open);
    while (!failure && work->working < wanted) {
        work->working++;
        failure = start_thread(work, run_cells);
        if (failure) work->working--;
    }
    atomic_fetch_add(&work->version, 1);
    return work->working > 0 || open == 0 || refuse_thread(failure, error);
}

/* Waits until a thread has ended or some time has passed; returns whether there are threads. */
static bool look_on(NsStudyWork *work)
{
    struct timespec until = ns_condition_time(g_get_monotonic_time() + LOOK_MS * (int64_t)1000);
    NS_HELD held = ns_hold(&work->mutex);
    if (work->working > 0) pthread_cond_timedwait(&work->changed, &work->mutex, &until);
    return work->working > 0;
}

/* Whether threads should be started: at the beginning, or if work continues after a stop. */
static bool take_again(NsStudyWork *work)
{
    NS_HELD held = ns_hold(&work->mutex);
    bool again = work->again && !work->stopped;
    work->again = false;
    return again;
}

static bool keep_file(NsStudyWork *work, GError **error)
{
    bool good = work->store || ns_study_check(&work->study, error);
    if (good && !work->store)
        work->store = ns_study_store_open(work->path ? work->path : ":memory:", &work->study,
                                          &work->options, error);
    good = good && work->store && read_cells(work, error);
    gint64 renewed = g_get_monotonic_time();
    bool start;
    while ((start = good && take_again(work)) || look_on(work)) {
        gint64 now = g_get_monotonic_time();
        if (!good) continue; /* wait until the threads have stopped */
        /* Reads the cells if other processes have changed the file. */
        good = (!ns_study_store_changed(work->store) || read_cells(work, error)) &&
               (!start || start_cells(work, error));
        if (good && (double)(now - renewed) >= work->options.lease * 1e6 / RENEWALS) {
            good = ns_study_store_renew(work->store, error);
            renewed = now;
        }
        if (!good) ns_study_work_stop(work);
    }
    /* Cells with identical settings share a result, so all of them are read at the end. */
    return good && read_cells(work, error);
}

static void *keep(void *data)
{
    NsStudyWork *work = data;
    bool good = true;
    ns_thread_lower(NS_NICER_BACKGROUND);
    pthread_mutex_lock(&work->mutex);
    while (good && work->again && !work->stopped) {
        GError *error = NULL;
        pthread_mutex_unlock(&work->mutex);
        good = keep_file(work, &error);
        if (!good) fail(work, error);
        pthread_mutex_lock(&work->mutex);
    }
    work->keeping = false;
    atomic_fetch_add(&work->version, 1);
    leave(work);
    return NULL;
}

/* ---- Life cycle ---- */

NsStudyWork *ns_study_work_new(NsStudy *study, const char *path, const NsStoreOptions *options)
{
    NsStudyWork *work = g_new0(NsStudyWork, 1);
    size_t n = ns_study_cells(study);
    work->study = *study;
    ns_study_init(study);
    work->path = g_strdup(path);
    work->options = options ? *options : (NsStoreOptions){.end = n, .lease = NS_STUDY_LEASE};
    work->refs = 1;
    atomic_init(&work->version, 1);
    pthread_mutex_init(&work->mutex, NULL);
    ns_condition_init(&work->changed);
    work->cells = g_new(NsStudyCell, n);
    for (size_t i = 0; i < n; i++) work->cells[i] = ns_cell_in(NS_CELL_WAITING);
    return work;
}

NsStudyWork *ns_study_work_ref(NsStudyWork *work)
{
    NS_HELD held = ns_hold(&work->mutex);
    work->refs++;
    return work;
}

void ns_study_work_unref(NsStudyWork *work)
{
    if (!work) return;
    pthread_mutex_lock(&work->mutex);
    work->refs--;
    if (work->refs == 0) work->stopped = true;
    pthread_cond_broadcast(&work->changed);
    bool last = is_abandoned(work);
    pthread_mutex_unlock(&work->mutex);
    if (last) free_work(work);
}

const NsStudy *ns_study_work_study(const NsStudyWork *work)
{
    return &work->study;
}

NsStudyStore *ns_study_work_store(NsStudyWork *work)
{
    return work->store;
}

/* Work that was stopped and has not ended yet continues. */
bool ns_study_work_start(NsStudyWork *work, unsigned jobs, GError **error)
{
    int failure = 0;
    NS_HELD held = ns_hold(&work->mutex);
    work->wanted = jobs ? jobs : MAX(ns_processors(), 2) - 1;
    work->stopped = false;
    work->again = true;
    g_clear_error(&work->failure);
    if (!work->keeping) {
        work->keeping = true;
        failure = start_thread(work, keep);
        if (failure) work->keeping = false;
    }
    atomic_fetch_add(&work->version, 1);
    return !failure || refuse_thread(failure, error);
}

bool ns_study_work_wait(NsStudyWork *work, int timeout_ms)
{
    struct timespec until = ns_condition_time(g_get_monotonic_time() + timeout_ms * (int64_t)1000);
    int failure = 0;
    NS_HELD held = ns_hold(&work->mutex);
    while ((work->working > 0 || work->keeping) && failure != ETIMEDOUT)
        failure = pthread_cond_timedwait(&work->changed, &work->mutex, &until);
    return work->working == 0 && !work->keeping;
}

void ns_study_work_stop(NsStudyWork *work)
{
    NS_HELD held = ns_hold(&work->mutex);
    work->stopped = true;
    pthread_cond_broadcast(&work->changed);
}

GError *ns_study_work_take_failure(NsStudyWork *work)
{
    NS_HELD held = ns_hold(&work->mutex);
    return g_steal_pointer(&work->failure);
}

NsStudyWorkProgress ns_study_work_progress(NsStudyWork *work)
{
    NsStudyWorkProgress progress = {.cells = work->options.end - work->options.first};
    NS_HELD held = ns_hold(&work->mutex);
    double part = done(work);
    progress.ended = work->ended;
    progress.running = work->in_work;
    double more = part - work->done_before, left = (double)progress.cells - part;
    double seconds = (double)(g_get_monotonic_time() - work->started) / 1e6;
    progress.going = (work->working > 0 || work->keeping) && !work->stopped;
    progress.seconds_left = more > 0 ? left * seconds / more : left > 0 ? (double)NAN : 0;
    return progress;
}
