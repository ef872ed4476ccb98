/* The first lane steps on the caller's thread, each other one on a thread of its own, which waits
 * for the clock to tick.  What a lane computes depends on nothing outside it but the clock.
 *
 * SPDX-License-Identifier: MIT */
#include "core/train/lockstep.h"

#include "core/base/error.h"
#include "core/base/processors.h"
#include "core/base/thread.h"
#include "core/train/run-private.h"

typedef struct {
    NsLockstep *lockstep;
    NsRun *run;
    pthread_t thread;
    bool threaded; /* all but the first are */
} Lane;

struct NsLockstep {
    Lane lanes[NS_LANES_MAX];
    size_t n;

    pthread_mutex_t mutex;
    pthread_cond_t tick, tock;
    /* Guarded by the mutex. */
    uint64_t ticks;
    size_t busy; /* lanes that have not finished the step */
    bool quit;
};

static void *lane_main(void *data)
{
    Lane *lane = data;
    NsLockstep *lockstep = lane->lockstep;
    uint64_t seen = 0;
    pthread_mutex_lock(&lockstep->mutex);
    for (;;) {
        while (!lockstep->quit && lockstep->ticks == seen)
            pthread_cond_wait(&lockstep->tick, &lockstep->mutex);
        if (lockstep->quit) break;
        seen = lockstep->ticks;
        pthread_mutex_unlock(&lockstep->mutex);
        ns_run_step(lane->run);
        pthread_mutex_lock(&lockstep->mutex);
        if (--lockstep->busy == 0) pthread_cond_signal(&lockstep->tock);
    }
    pthread_mutex_unlock(&lockstep->mutex);
    return NULL;
}

/* ---- Life ---- */

static bool check_shared(const NsExperiment *experiment, GError **error)
{
    const NsParam *param;
    const NsSettings *lane = experiment->lane;
    for (size_t k = 0; (param = ns_param(k)); k++) {
        for (size_t i = 1; param->shared && i < experiment->n; i++) {
            if (ns_settings_same(&lane[0], &lane[i], param)) continue;
            g_autofree char *first = ns_settings_get(&lane[0], param);
            g_autofree char *other = ns_settings_get(&lane[i], param);
            g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                        "Lanes share every batch and one clock, but %s is %s in lane A and %s in "
                        "lane %s; give them the same.",
                        param->key, *first ? first : "empty", *other ? other : "empty",
                        ns_lane_letter(i));
            return false;
        }
    }
    return true;
}

static int64_t first_step(NsCheckpoint *const *origins, size_t lane)
{
    return origins && origins[lane] ? ns_checkpoint_step(origins[lane]) : 0;
}

static bool same_beginning(NsCheckpoint *const *origins, size_t lanes, GError **error)
{
    for (size_t i = 1; i < lanes; i++) {
        if (first_step(origins, i) == first_step(origins, 0)) continue;
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "Lanes run on one clock, but lane A begins at step %" G_GINT64_FORMAT
                    " and lane %s at step %" G_GINT64_FORMAT "; fork them from the same step.",
                    first_step(origins, 0), ns_lane_letter(i), first_step(origins, i));
        return false;
    }
    return true;
}

bool ns_lockstep_check(const NsExperiment *experiment, NsCheckpoint *const *origins, GError **error)
{
    if (experiment->n < 1 || experiment->n > NS_LANES_MAX) {
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "%zu lanes cannot run side by side; choose one to %d.", experiment->n,
                    NS_LANES_MAX);
        return false;
    }
    return check_shared(experiment, error) && same_beginning(origins, experiment->n, error);
}

/* The processors that the program may use, or the most that a lane asks for, dealt out to the
 * lanes. */
static int64_t threads_of(const NsExperiment *experiment, size_t lane)
{
    if (experiment->n == 1) return experiment->lane[0].threads;
    int64_t total = 0, n = (int64_t)experiment->n;
    for (size_t i = 0; i < experiment->n; i++) {
        int64_t wanted = experiment->lane[i].threads;
        total = MAX(total, wanted > 0 ? wanted : (int64_t)ns_processors());
    }
    return MAX(1, total / n + ((int64_t)lane < total % n ? 1 : 0));
}

static bool add_lane(NsLockstep *lockstep, const NsSettings *settings, NsCheckpoint *origin,
                     int64_t threads, atomic_uint *done, GError **error)
{
    Lane *first = &lockstep->lanes[0], *lane = &lockstep->lanes[lockstep->n];
    NsSettings own = *settings; /* borrows the texts */
    own.threads = threads;
    NsCorpus *corpus = origin ? ns_checkpoint_corpus(origin, &own) : NULL;
    if (lockstep->n && ns_settings_same_data(ns_run_settings(first->run), &own))
        corpus = first->run->corpus;
    lane->run = ns_run_new_from(&own, corpus, origin, done, error);
    if (!lane->run) return false;
    lane->lockstep = lockstep;
    lockstep->n++;
    if (lane == first) return true;

    int failure = ns_thread_start(&lane->thread, lane_main, lane);
    lane->threaded = !failure;
    if (!failure) return true;
    g_set_error(error, NS_ERROR, NS_ERROR_MEMORY,
                "No thread could be started for lane %s: %s; close other programs and try again.",
                ns_lane_letter(lockstep->n - 1), g_strerror(failure));
    return false;
}

NsLockstep *ns_lockstep_new(const NsExperiment *experiment, NsCheckpoint *const *origins,
                            GError **error)
{
    return ns_lockstep_new_telling(experiment, origins, NULL, error);
}

NsLockstep *ns_lockstep_new_telling(const NsExperiment *experiment, NsCheckpoint *const *origins,
                                    atomic_uint *done, GError **error)
{
    if (!ns_lockstep_check(experiment, origins, error)) return NULL;
    g_autoptr(NsLockstep) lockstep = g_new0(NsLockstep, 1);
    pthread_mutex_init(&lockstep->mutex, NULL);
    pthread_cond_init(&lockstep->tick, NULL);
    pthread_cond_init(&lockstep->tock, NULL);
    for (size_t i = 0; i < experiment->n; i++)
        if (!add_lane(lockstep, &experiment->lane[i], origins ? origins[i] : NULL,
                      threads_of(experiment, i), done, error))
            return NULL;
    return g_steal_pointer(&lockstep);
}

void ns_lockstep_free(NsLockstep *lockstep)
{
    if (!lockstep) return;
    pthread_mutex_lock(&lockstep->mutex);
    lockstep->quit = true;
    pthread_cond_broadcast(&lockstep->tick);
    pthread_mutex_unlock(&lockstep->mutex);
    for (size_t i = 0; i < lockstep->n; i++) {
        if (lockstep->lanes[i].threaded) pthread_join(lockstep->lanes[i].thread, NULL);
        ns_run_free(lockstep->lanes[i].run);
    }
    pthread_cond_destroy(&lockstep->tick);
    pthread_cond_destroy(&lockstep->tock);
    pthread_mutex_destroy(&lockstep->mutex);
    g_free(lockstep);
}

/* ---- The clock ---- */

bool ns_lockstep_step(NsLockstep *lockstep)
{
    pthread_mutex_lock(&lockstep->mutex);
    lockstep->ticks++;
    lockstep->busy = lockstep->n - 1;
    pthread_cond_broadcast(&lockstep->tick);
    pthread_mutex_unlock(&lockstep->mutex);

    ns_run_step(lockstep->lanes[0].run);

    pthread_mutex_lock(&lockstep->mutex);
    while (lockstep->busy > 0) pthread_cond_wait(&lockstep->tock, &lockstep->mutex);
    pthread_mutex_unlock(&lockstep->mutex);

    bool on = false;
    for (size_t i = 0; i < lockstep->n; i++) on |= !ns_run_diverged(lockstep->lanes[i].run);
    return on;
}

void ns_lockstep_reset(NsLockstep *lockstep)
{
    for (size_t i = 0; i < lockstep->n; i++) ns_run_reset(lockstep->lanes[i].run);
}

int64_t ns_lockstep_steps(NsLockstep *lockstep)
{
    int64_t steps = 0;
    for (size_t i = 0; i < lockstep->n; i++)
        steps = MAX(steps, ns_run_steps(lockstep->lanes[i].run));
    return steps;
}

size_t ns_lockstep_lanes(const NsLockstep *lockstep)
{
    return lockstep->n;
}

NsRun *ns_lockstep_lane(NsLockstep *lockstep, size_t lane)
{
    return lockstep->lanes[lane].run;
}
