/* SPDX-License-Identifier: MIT */
#include "core/base/team.h"

#include "core/base/flush.h"
#include "core/base/thread.h"

#include <glib.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Number of polls before the clock is read: about the time in which a running member catches up. */
#define LOOKS 1000

/* Nanoseconds after which a waiting thread goes to sleep.  Waking it takes tens of microseconds,
 * which between two layers of a small model would be most of the time. */
#define PATIENCE 200000

/* Nanoseconds of runs over which the team measures how many processors it gets. */
#define WINDOW 50000000

/* If the team gets fewer processors than members in two consecutive windows, so that it is not a
 * passing disturbance, it stays smaller for this many windows: at first for a short time, then
 * twice as long each time, until trying all members, which may take twice the time of one, costs
 * little. */
#define LEAST_REST 2
#define MOST_REST 64

/* The word `run` holds the number of a run in the upper bits and its number of members in the lower
 * bits. */
#define RUN ((uint64_t)1 << 16)

/* A word that one thread writes while others poll it, on a cache line of its own. */
typedef struct {
    _Alignas(64) _Atomic uint64_t value;
} Word;

typedef struct {
    NsTeam *team;
    unsigned index;
    pthread_t thread;
} Helper;

struct NsTeam {
    unsigned threads; /* started threads and the caller */
    Helper *helpers;  /* [threads - 1] */
    /* The current run; written before `run`. */
    NsTeamWork work;
    void *data;
    Word run;      /* number of the run and its number of members */
    Word done;     /* number of the last run that all helpers have finished */
    Word finished; /* number of helpers that have finished the current run */
    Word arrived;  /* number of members at the barrier */
    Word passed;   /* number of barriers that all members have passed */
    Word computed; /* CPU time in nanoseconds, without waiting, of all members in this window */

    Word sleeping; /* number of sleeping threads */
    pthread_mutex_t mutex;
    pthread_cond_t change;

    /* Used only by the caller: */
    unsigned size;   /* number of members of the next run */
    int64_t elapsed; /* wall time in nanoseconds of the runs in this window */
    int64_t rest;    /* nanoseconds for which the team stays smaller */
    int64_t windows; /* length of the next rest, in windows */
    bool disturbed;  /* whether the previous full-size window got too few processors */
};

/* For the calling thread: the number of members of its run, and the CPU time in nanoseconds that it
 * spent waiting. */
static _Thread_local unsigned members = 1;
static _Thread_local int64_t waited;

unsigned ns_team_members(void)
{
    return members;
}

unsigned ns_team_threads(const NsTeam *team)
{
    return team ? team->threads : 1;
}

/* ---- Waiting ---- */

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void pause_core(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static bool has_changed(const Word *word, uint64_t old)
{
    return atomic_load_explicit(&word->value, memory_order_acquire) != old;
}

/* Waits until the word is no longer `old`. */
static void wait_for_change(NsTeam *team, const Word *word, uint64_t old)
{
    for (unsigned i = 0; i < LOOKS; i++) {
        if (has_changed(word, old)) return;
        pause_core();
    }
    int64_t began = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    int64_t end = nanoseconds(CLOCK_MONOTONIC) + PATIENCE;
    while (!has_changed(word, old)) {
        if (nanoseconds(CLOCK_MONOTONIC) > end) {
            pthread_mutex_lock(&team->mutex);
            atomic_fetch_add(&team->sleeping.value, 1);
            while (atomic_load(&word->value) == old) pthread_cond_wait(&team->change, &team->mutex);
            atomic_fetch_sub(&team->sleeping.value, 1);
            pthread_mutex_unlock(&team->mutex);
        }
        pause_core();
    }
    waited += nanoseconds(CLOCK_THREAD_CPUTIME_ID) - began;
}

/* A thread increments `sleeping` before it reads the word for the last time, so that no wake-up is
 * lost. */
static void change(NsTeam *team, Word *word, uint64_t value)
{
    atomic_store(&word->value, value);
    if (!atomic_load(&team->sleeping.value)) return;
    NS_HELD held = ns_hold(&team->mutex);
    pthread_cond_broadcast(&team->change);
}

void ns_team_barrier(const NsMember *member)
{
    if (member->size == 1) return;
    NsTeam *team = member->team;
    uint64_t passed = atomic_load_explicit(&team->passed.value, memory_order_acquire);
    if (atomic_fetch_add(&team->arrived.value, 1) + 1 < member->size) {
        wait_for_change(team, &team->passed, passed);
        return;
    }
    atomic_store_explicit(&team->arrived.value, 0, memory_order_relaxed);
    change(team, &team->passed, passed + 1);
}

/* ---- The helpers ---- */

/* Runs one member's part and adds its CPU time to the team's. */
static void take_part(NsTeam *team, unsigned index, unsigned size)
{
    int64_t began = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    waited = 0;
    members = size;
    uint64_t mode = ns_flush_begin();
    team->work(team->data, &(NsMember){team, index, size});
    ns_flush_end(mode);
    members = 1;
    int64_t computed = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - began - waited;
    atomic_fetch_add(&team->computed.value, (uint64_t)MAX(computed, 0));
}

static void *help(void *data)
{
    Helper *helper = data;
    NsTeam *team = helper->team;
    for (uint64_t seen = 0;;) {
        wait_for_change(team, &team->run, seen);
        seen = atomic_load_explicit(&team->run.value, memory_order_acquire);
        unsigned size = (unsigned)(seen % RUN);
        if (size == 0) return NULL;
        if (helper->index >= size) continue;
        take_part(team, helper->index, size);
        if (atomic_fetch_add(&team->finished.value, 1) + 2 == size)
            change(team, &team->done, seen / RUN);
    }
}

NsTeam *ns_team_new(unsigned threads)
{
    NsTeam *team = g_aligned_alloc0(1, sizeof *team, _Alignof(NsTeam));
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->change, NULL);
    team->helpers = g_new0(Helper, threads);
    for (team->threads = 1; team->threads < threads; team->threads++) {
        Helper *helper = &team->helpers[team->threads - 1];
        *helper = (Helper){.team = team, .index = team->threads};
        if (ns_thread_start(&helper->thread, help, helper)) break;
    }
    team->size = team->threads;
    team->windows = LEAST_REST;
    return team;
}

void ns_team_free(NsTeam *team)
{
    if (!team) return;
    uint64_t last = atomic_load(&team->run.value);
    change(team, &team->run, (last / RUN + 1) * RUN);
    for (unsigned i = 1; i < team->threads; i++) pthread_join(team->helpers[i - 1].thread, NULL);
    pthread_cond_destroy(&team->change);
    pthread_mutex_destroy(&team->mutex);
    g_free(team->helpers);
    g_aligned_free(team);
}

/* ---- Runs ---- */

/* Called after a run with a smaller team. */
static void rest(NsTeam *team, int64_t elapsed)
{
    team->rest -= elapsed;
    if (team->rest > 0) return;
    team->size = team->threads;
    atomic_store(&team->computed.value, 0);
}

static void run_alone(NsTeamWork work, void *data)
{
    uint64_t mode = ns_flush_begin();
    work(data, &(NsMember){.size = 1});
    ns_flush_end(mode);
}

void ns_team_run(NsTeam *team, size_t most, NsTeamWork work, void *data)
{
    if (!team || team->threads == 1 || most <= 1) {
        run_alone(work, data);
        return;
    }
    int64_t began = nanoseconds(CLOCK_MONOTONIC);
    unsigned size = (unsigned)MIN((size_t)team->size, most);
    if (size > 1) {
        uint64_t number = atomic_load_explicit(&team->run.value, memory_order_relaxed) / RUN + 1;
        team->work = work;
        team->data = data;
        atomic_store_explicit(&team->finished.value, 0, memory_order_relaxed);
        change(team, &team->run, number * RUN + size);
        take_part(team, 0, size);
        wait_for_change(team, &team->done, number - 1);
    } else {
        run_alone(work, data);
    }
    int64_t elapsed = nanoseconds(CLOCK_MONOTONIC) - began;
    if (team->size < team->threads)
        rest(team, elapsed);
    else if (size == team->threads) {
        /* At the end of a window, decide how many members the next runs have. */
        team->elapsed += elapsed;
        if (team->elapsed >= WINDOW) {
            double given = (double)atomic_load(&team->computed.value) / (double)team->elapsed;
            bool disturbed = given <= (double)team->threads - 1;
            if (disturbed && team->disturbed) {
                team->size = MAX(1, (unsigned)ceil(given));
                team->rest = team->windows * team->elapsed;
                team->windows = MIN(2 * team->windows, MOST_REST);
            } else if (!disturbed) {
                team->windows = LEAST_REST;
            }
            team->disturbed = disturbed;
            team->elapsed = 0;
            atomic_store(&team->computed.value, 0);
        }
    }
}

typedef struct {
    NsTeamItem work;
    void *data;
    size_t n;
    _Atomic size_t next;
} Items;

static void take_items(void *data, const NsMember *member)
{
    Items *items = data;
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&items->next, 1, memory_order_relaxed);
        if (i >= items->n) return;
        items->work(items->data, i, member->index);
    }
}

void ns_team_each(NsTeam *team, size_t n, NsTeamItem work, void *data)
{
    Items items = {.work = work, .data = data, .n = n};
    ns_team_run(team, n, take_items, &items);
}
