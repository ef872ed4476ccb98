/* SPDX-License-Identifier: MIT
 *
 * The caller appends commands to a queue; the thread takes the whole queue at every step boundary
 * and executes it in order.  Shared data is guarded by one mutex, which is held only for a few
 * assignments; only the thread uses the lanes themselves. */
#include "core/train/trainer.h"

#include "core/base/error.h"
#include "core/base/exit_barrier.h"
#include "core/base/memory.h"
#include "core/base/thread.h"
#include "core/base/words.h"
#include "core/probe/seeds.h"
#include "core/train/checkpoints.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* While training, the time between two checkpoints is this many times the time that one takes. */
#define CHECKPOINT_SHARE 50

/* The lowest speed limit, steps a second; lower ones would wait for hours. */
#define SLOWEST 1e-3

typedef enum {
    NS_COMMAND_RUN,
    NS_COMMAND_STEP,
    NS_COMMAND_PAUSE,
    NS_COMMAND_RESET,
    NS_COMMAND_CHECK,
} NsCommandKind;

typedef struct {
    NsCommandKind kind;
    int64_t steps;        /* STEP */
    NsTrainerUntil until; /* RUN */
    size_t lane;          /* CHECK */
    unsigned layer;       /* CHECK */
} NsCommand;

typedef struct {
    atomic_bool diverged; /* every seed has diverged */

    /* Guarded by the mutex. */
    char *message;
    NsHistory *history;
    NsPlan plan;

    /* Used by the thread only. */
    size_t events[NS_SEEDS_MAX]; /* number of events of each seed that were processed */
    size_t diverged_seeds;       /* number of diverged seeds that were processed */
} NsLaneState;

struct NsTrainer {
    atomic_int refs; /* the owner and the thread */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;                 /* wakes the thread: a command, a new speed, or the end */
    pthread_cond_t idle;                 /* wakes ns_trainer_wait: there is nothing left to do */
    const NsExperiment *experiment;      /* as at the start; a reference */
    NsCheckpoint *origins[NS_LANES_MAX]; /* of a fork; NULL for a lane that begins at step 0 */
    NsHistory *pasts[NS_LANES_MAX];      /* NULL for a lane that has none */
    NsTrainerObserver observer;
    NsLaneState lanes[NS_LANES_MAX]; /* [experiment->n] */

    /* Guarded by the mutex; the state is also read without it. */
    _Atomic NsTrainerState state;
    bool quit;
    bool given_up;              /* the thread is inside the exit barrier; set before `quit` */
    bool busy;                  /* the thread is executing commands or computing */
    bool planned;               /* the plans of the lanes are set */
    const NsExperiment *live;   /* its live settings take effect at the next step; NULL: none */
    GArray *commands;           /* NsCommand */
    double speed;               /* steps a second; 0: without a limit */
    size_t checkpoint_bytes;    /* budget for checkpoints */
    size_t checkpoint_most;     /* a quarter of the memory available at preparation */
    NsCheckpoints *checkpoints; /* NULL until the lanes are made */
    bool checked;               /* `check` holds a result that was not fetched yet */
    NsGradientCheck check;

    atomic_uint prepared; /* number of stages done in making the lanes */
    atomic_bool pause_on_trouble;

    /* Used by the thread only. */
    NsLockstep *lockstep;
    int64_t left; /* steps until PAUSED; negative: until the setting `steps` */
    NsTrainerUntil until;
    int64_t paced;           /* when the last step was due, in microseconds; 0: step at once */
    int64_t checkpoint_at;   /* when the last checkpoint was taken, in microseconds */
    int64_t checkpoint_took; /* how long that took, in microseconds */
};

/* ---- Commands ---- */

static void post(NsTrainer *t, NsCommand command)
{
    NS_HELD held = ns_hold(&t->mutex);
    /* Commands before a reset would have no effect. */
    bool reset = command.kind == NS_COMMAND_RESET;
    if (reset) g_array_set_size(t->commands, 0);
    bool ignored = reset && atomic_load(&t->state) == NS_TRAINER_PREPARING;
    if (!ignored) g_array_append_val(t->commands, command);
    pthread_cond_signal(&t->wake);
}

void ns_trainer_run(NsTrainer *trainer)
{
    post(trainer, (NsCommand){.kind = NS_COMMAND_RUN});
}

void ns_trainer_run_until(NsTrainer *trainer, NsTrainerUntil until)
{
    post(trainer, (NsCommand){.kind = NS_COMMAND_RUN, .until = until});
}

void ns_trainer_step(NsTrainer *trainer, int64_t n)
{
    if (n > 0) post(trainer, (NsCommand){.kind = NS_COMMAND_STEP, .steps = n});
}

void ns_trainer_pause(NsTrainer *trainer)
{
    post(trainer, (NsCommand){.kind = NS_COMMAND_PAUSE});
}

void ns_trainer_reset(NsTrainer *trainer)
{
    post(trainer, (NsCommand){.kind = NS_COMMAND_RESET});
}

void ns_trainer_check(NsTrainer *trainer, size_t lane, unsigned layer)
{
    post(trainer, (NsCommand){.kind = NS_COMMAND_CHECK, .lane = lane, .layer = layer});
}

bool ns_trainer_take_check(NsTrainer *t, NsGradientCheck *check)
{
    NS_HELD held = ns_hold(&t->mutex);
    bool checked = t->checked;
    if (checked) *check = t->check;
    t->checked = false;
    return checked;
}

void ns_trainer_set_speed(NsTrainer *t, double steps_per_second)
{
    bool limit = steps_per_second > 0 && isfinite(steps_per_second);
    NS_HELD held = ns_hold(&t->mutex);
    t->speed = limit ? MAX(steps_per_second, SLOWEST) : 0;
    pthread_cond_signal(&t->wake);
}

void ns_trainer_set_pause_on_trouble(NsTrainer *trainer, bool pause)
{
    atomic_store(&trainer->pause_on_trouble, pause);
}

/* ---- Checkpoints ---- */

static NsCheckpoints *checkpoints_of(NsTrainer *t)
{
    NS_HELD held = ns_hold(&t->mutex);
    return t->checkpoints;
}

size_t ns_trainer_checkpoints(NsTrainer *trainer, int64_t *steps, size_t most)
{
    NsCheckpoints *checkpoints = checkpoints_of(trainer);
    return checkpoints ? ns_checkpoints_steps(checkpoints, steps, most) : 0;
}

bool ns_trainer_checkpoints_at(NsTrainer *trainer, int64_t step,
                               NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *at)
{
    NsCheckpoints *all = checkpoints_of(trainer);
    return all && ns_checkpoints_find(all, step, checkpoints, at);
}

size_t ns_trainer_count_checkpoints(NsTrainer *trainer, GHashTable *seen)
{
    NsCheckpoints *checkpoints = checkpoints_of(trainer);
    return checkpoints ? ns_checkpoints_count(checkpoints, seen) : 0;
}

void ns_trainer_set_checkpoint_bytes(NsTrainer *t, size_t bytes)
{
    pthread_mutex_lock(&t->mutex);
    t->checkpoint_bytes = bytes;
    NsCheckpoints *checkpoints = t->checkpoints;
    size_t most = t->checkpoint_most;
    pthread_mutex_unlock(&t->mutex);
    if (checkpoints) ns_checkpoints_set_budget(checkpoints, MIN(bytes, most));
}

/* ---- State ---- */

const char *ns_trainer_state_word(NsTrainerState state)
{
    static const char *const words[] = {
#define WORD(ID, word) [NS_TRAINER_##ID] = word,
        NS_TRAINER_STATES(WORD)
#undef WORD
    };
    return words[state];
}

unsigned ns_trainer_prepared(const NsTrainer *trainer)
{
    return atomic_load(&trainer->prepared);
}

size_t ns_trainer_lanes(const NsTrainer *trainer)
{
    return trainer->experiment->n;
}

NsTrainerState ns_trainer_state(const NsTrainer *trainer)
{
    return atomic_load(&trainer->state);
}

NsTrainerState ns_trainer_lane_state(const NsTrainer *trainer, size_t lane)
{
    bool diverged = atomic_load(&trainer->lanes[lane].diverged);
    return diverged ? NS_TRAINER_DIVERGED : ns_trainer_state(trainer);
}

char *ns_trainer_message(NsTrainer *t, size_t lane)
{
    NS_HELD held = ns_hold(&t->mutex);
    return g_strdup(t->lanes[lane].message);
}

NsHistory *ns_trainer_history(NsTrainer *t, size_t lane)
{
    NS_HELD held = ns_hold(&t->mutex);
    NsHistory *history = t->lanes[lane].history;
    return history ? ns_history_ref(history) : NULL;
}

bool ns_trainer_plan(NsTrainer *t, size_t lane, NsPlan *plan)
{
    NS_HELD held = ns_hold(&t->mutex);
    if (t->planned) *plan = t->lanes[lane].plan;
    return t->planned;
}

bool ns_trainer_wait(NsTrainer *t, int timeout_ms)
{
    struct timespec until = ns_condition_time(g_get_monotonic_time() + timeout_ms * (int64_t)1000);
    int result = 0;
    NS_HELD held = ns_hold(&t->mutex);
    while ((t->busy || t->commands->len) && result != ETIMEDOUT)
        result = timeout_ms < 0 ? pthread_cond_wait(&t->idle, &t->mutex)
                                : pthread_cond_timedwait(&t->idle, &t->mutex, &until);
    return !t->busy && !t->commands->len;
}

/* ---- The thread ---- */

static NsHistory *history_of(const NsTrainer *t, size_t lane, size_t seed)
{
    return ns_lockstep_run(t->lockstep, lane, seed)->history;
}

/* ---- What callers see ---- */

static void set_state(NsTrainer *t, NsTrainerState state)
{
    NS_HELD held = ns_hold(&t->mutex);
    atomic_store(&t->state, state);
}

static void set_message(NsTrainer *t, size_t lane, const char *message)
{
    NS_HELD held = ns_hold(&t->mutex);
    g_free(t->lanes[lane].message);
    t->lanes[lane].message = g_strdup(message);
}

/* Puts "Seed 3 of 5: " before a sentence about one of several seeds. */
static char *sentence_of_seed(NsTrainer *t, size_t seed, const char *text)
{
    size_t seeds = ns_lockstep_seeds(t->lockstep);
    return seeds == 1 ? g_strdup(text)
                      : g_strdup_printf(_("Seed %d of %zu: %s"), (int)seed + 1, seeds, text);
}

/* Whether a lane has diverged or had a jump since the last call; with `notify`, a jump becomes the
 * message of the lane. */
static bool note_trouble(NsTrainer *t, bool notify)
{
    /* Set the message of every lane with a diverged seed. */
    bool trouble = false;
    for (size_t i = 0; i < t->experiment->n; i++) {
        size_t seeds = ns_lockstep_seeds(t->lockstep), n = ns_lockstep_diverged(t->lockstep, i);
        if (n == t->lanes[i].diverged_seeds) continue;
        for (size_t k = 0; k < seeds; k++) {
            if (!ns_lockstep_run(t->lockstep, i, k)->diverged) continue;
            /* The sentence of the last event of a seed that diverged. */
            const NsHistory *history = history_of(t, i, k);
            g_autofree char *message = sentence_of_seed(
                t, k, ns_history_event(history, ns_history_events(history) - 1)->text);
            set_message(t, i, message);
            break;
        }
        t->lanes[i].diverged_seeds = n;
        atomic_store(&t->lanes[i].diverged, n == seeds);
        trouble = true;
    }

    for (size_t i = 0; i < t->experiment->n; i++) {
        /* The sentence of a new spike, of the first seed that has one. */
        g_autofree char *words = NULL;
        for (size_t seed = 0; seed < ns_lockstep_seeds(t->lockstep); seed++) {
            const NsHistory *history = history_of(t, i, seed);
            const char *spike = NULL; /* the newest among the unprocessed events of the seed */
            for (size_t *e = &t->lanes[i].events[seed]; *e < ns_history_events(history); ++*e)
                if (ns_history_event(history, *e)->kind == NS_EVENT_SPIKE)
                    spike = ns_history_event(history, *e)->text;
            if (spike && !words) words = sentence_of_seed(t, seed, spike);
        }
        if (!words || atomic_load(&t->lanes[i].diverged)) continue;
        if (notify) set_message(t, i, words);
        trouble = true;
    }
    return trouble;
}

static bool all_diverged(const NsTrainer *t)
{
    for (size_t i = 0; i < t->experiment->n; i++)
        if (!atomic_load(&t->lanes[i].diverged)) return false;
    return true;
}

/* ---- Checkpoints ---- */

static bool take_all(NsTrainer *t, NsCheckpoint *checkpoints[], bool beginning)
{
    bool taken = ns_lockstep_fits_memory(t->lockstep);
    for (size_t i = 0; taken && i < t->experiment->n; i++) {
        if (beginning && t->origins[i])
            checkpoints[i] = ns_checkpoint_ref(t->origins[i]);
        else if (beginning || !atomic_load(&t->lanes[i].diverged))
            taken = (checkpoints[i] = ns_lockstep_checkpoint(t->lockstep, i, NULL)) != NULL;
    }
    if (taken) return true;
    for (size_t i = 0; i < t->experiment->n; i++)
        g_clear_pointer(&checkpoints[i], ns_checkpoint_unref);
    return false;
}

static void keep(NsTrainer *t, bool beginning)
{
    if (ns_checkpoints_newest(t->checkpoints) == ns_lockstep_steps(t->lockstep)) return;
    int64_t started = g_get_monotonic_time();
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    bool taken = take_all(t, checkpoints, beginning);
    if (!taken) {
        ns_checkpoints_trim(t->checkpoints);
        taken = take_all(t, checkpoints, beginning);
    }
    if (taken) ns_checkpoints_add(t->checkpoints, ns_lockstep_steps(t->lockstep), checkpoints);
    for (size_t i = 0; i < t->experiment->n; i++) ns_checkpoint_unref(checkpoints[i]);
    t->checkpoint_at = g_get_monotonic_time();
    t->checkpoint_took = t->checkpoint_at - started;
}

/* ---- Transitions between states ---- */

static void notify(NsTrainer *t, NsTrainerMoment moment)
{
    if (t->observer.notify) t->observer.notify(t->observer.data, moment, t->lockstep);
}

/* Called when the lanes are at their beginning. */
static void begin(NsTrainer *t)
{
    for (size_t k = 0; k < t->experiment->n; k++) {
        NsHistory *shown = ns_history_ref(history_of(t, k, 0));
        g_autoptr(NsHistory) replaced = NULL; /* is freed after the mutex is unlocked */
        NS_HELD held = ns_hold(&t->mutex);
        replaced = t->lanes[k].history;
        t->lanes[k].history = shown;
    }
    notify(t, NS_TRAINER_BEGAN);
    for (size_t i = 0; i < t->experiment->n; i++)
        memset(t->lanes[i].events, 0, sizeof t->lanes[i].events);
    note_trouble(t, false);
    keep(t, true);
    set_state(t, all_diverged(t) ? NS_TRAINER_DIVERGED : NS_TRAINER_READY);
}

static void prepare(NsTrainer *t)
{
    g_autoptr(GError) error = NULL;
    t->lockstep = ns_lockstep_new(t->experiment, t->origins, t->pasts, &t->prepared, &error);
    if (!t->lockstep) {
        for (size_t i = 0; i < t->experiment->n; i++) set_message(t, i, error->message);
        set_state(t, NS_TRAINER_FAILED);
        return;
    }
    size_t available = ns_memory_available();
    pthread_mutex_lock(&t->mutex);
    t->checkpoint_most = available ? available / 4 : SIZE_MAX;
    t->checkpoints =
        ns_checkpoints_new(t->experiment->n, MIN(t->checkpoint_bytes, t->checkpoint_most));
    for (size_t i = 0; i < t->experiment->n; i++) {
        NsPlan plan = ns_lockstep_run(t->lockstep, i, 0)->plan;
        ns_plan_add(&t->lanes[i].plan, &plan, ns_lockstep_seeds(t->lockstep));
    }
    t->planned = true;
    pthread_mutex_unlock(&t->mutex);
    begin(t);
}

/* ---- Live settings ---- */

void ns_trainer_set_live(NsTrainer *t, const NsExperiment *experiment)
{
    const NsExperiment *live = ns_experiment_ref(experiment);
    pthread_mutex_lock(&t->mutex);
    const NsExperiment *overtaken = t->live;
    t->live = live;
    pthread_mutex_unlock(&t->mutex);
    ns_experiment_unref(overtaken);
}

/* Live changes are applied only when a step is made, so that moving a slider leaves one event a
 * step. */
static void apply_live(NsTrainer *t)
{
    pthread_mutex_lock(&t->mutex);
    const NsExperiment *live = t->live;
    t->live = NULL;
    pthread_mutex_unlock(&t->mutex);
    if (live) ns_lockstep_set_live(t->lockstep, live);
    ns_experiment_unref(live);
}

/* ---- Execution of commands ---- */

static void rest(NsTrainer *t, NsTrainerState state)
{
    keep(t, false);
    notify(t, NS_TRAINER_RESTED);
    set_state(t, state);
}

static void finish(NsTrainer *t)
{
    ns_lockstep_evaluate(t->lockstep);
    rest(t, NS_TRAINER_FINISHED);
}

static void reset(NsTrainer *t)
{
    apply_live(t);
    notify(t, NS_TRAINER_RESETS);
    ns_lockstep_reset(t->lockstep);
    for (size_t i = 0; i < t->experiment->n; i++) {
        atomic_store(&t->lanes[i].diverged, false);
        t->lanes[i].diverged_seeds = 0;
        set_message(t, i, NULL);
    }
    ns_checkpoints_clear(t->checkpoints);
    begin(t);
}

/* Whether the settings allow no more steps. */
static bool at_end(const NsTrainer *t)
{
    int64_t steps = t->experiment->lane[0].steps;
    return steps > 0 && ns_lockstep_steps(t->lockstep) >= steps;
}

static bool is_reached(const NsTrainer *t, NsTrainerUntil until)
{
    if (until.step > 0 && ns_lockstep_steps(t->lockstep) >= until.step) return true;
    if (until.loss <= 0) return false;
    for (size_t i = 0; i < t->experiment->n; i++) {
        NsHistory *history = history_of(t, i, 0);
        size_t n = ns_seeds_records(history);
        double sum = 0;
        if (n < NS_UNTIL_RECORDS) continue;
        for (size_t k = n - NS_UNTIL_RECORDS; k < n; k++) sum += ns_seeds_step(history, k).loss;
        if (sum / NS_UNTIL_RECORDS < until.loss) return true;
    }
    return false;
}

/* Starts `steps` more steps, or if that is negative, as many as the setting `steps` allows. */
static void go(NsTrainer *t, int64_t steps, NsTrainerUntil until)
{
    for (size_t i = 0; i < t->experiment->n; i++)
        if (!atomic_load(&t->lanes[i].diverged)) set_message(t, i, NULL);
    t->left = steps;
    t->until = until;
    t->paced = 0;
    set_state(t, NS_TRAINER_RUNNING);
}

/* Whether a pause, a reset or the end is waiting, which interrupts a gradient check. */
static bool is_called_off(void *data)
{
    NsTrainer *t = data;
    NS_HELD held = ns_hold(&t->mutex);
    bool off = t->quit;
    for (guint i = 0; i < t->commands->len; i++) {
        NsCommandKind kind = g_array_index(t->commands, NsCommand, i).kind;
        off |= kind == NS_COMMAND_PAUSE || kind == NS_COMMAND_RESET;
    }
    return off;
}

static void check(NsTrainer *t, size_t lane, unsigned layer)
{
    NsGradientCheck check;
    ns_gradient_check(ns_lockstep_run(t->lockstep, lane, 0), layer, is_called_off, t, &check);
    check.lane = (unsigned)lane;
    NS_HELD held = ns_hold(&t->mutex);
    t->check = check;
    t->checked = true;
}

static void obey(NsTrainer *t, const NsCommand *command)
{
    NsTrainerState state = atomic_load(&t->state);
    bool going = state == NS_TRAINER_RUNNING;
    bool can_go = going || state == NS_TRAINER_READY || state == NS_TRAINER_PAUSED;
    switch (command->kind) {
    case NS_COMMAND_RUN:
    case NS_COMMAND_STEP:
        if (!can_go) return;
        if (at_end(t))
            finish(t);
        else if (command->kind == NS_COMMAND_STEP)
            go(t, command->steps + (going ? MAX(t->left, 0) : 0), (NsTrainerUntil){0});
        else if (!is_reached(t, command->until))
            go(t, -1, command->until);
        else if (going)
            rest(t, NS_TRAINER_PAUSED);
        return;
    case NS_COMMAND_PAUSE:
        if (going) rest(t, NS_TRAINER_PAUSED);
        return;
    case NS_COMMAND_RESET:
        if (t->lockstep) reset(t);
        return;
    case NS_COMMAND_CHECK:
        if (t->lockstep) check(t, command->lane, command->layer);
        return;
    }
}

/* ---- The loop ---- */

/* Under the mutex: when the next step is due, in microseconds; 0 if there is no limit. */
static int64_t due_at(const NsTrainer *t)
{
    bool limit = t->speed > 0 && t->paced > 0;
    return limit ? t->paced + (int64_t)(G_USEC_PER_SEC / t->speed) : 0;
}

/* Blocks until there is something to do, and takes the commands.  False at the end. */
static bool take_commands(NsTrainer *t, GArray **commands)
{
    NS_HELD held = ns_hold(&t->mutex);
    while (!t->quit && t->commands->len == 0) {
        if (atomic_load(&t->state) != NS_TRAINER_RUNNING) {
            t->busy = false;
            pthread_cond_broadcast(&t->idle);
            pthread_cond_wait(&t->wake, &t->mutex);
            continue;
        }
        int64_t due = due_at(t);
        if (due <= g_get_monotonic_time()) break;
        struct timespec until = ns_condition_time(due);
        pthread_cond_timedwait(&t->wake, &t->mutex, &until);
    }
    t->busy = true;
    GArray *empty = *commands;
    *commands = t->commands;
    t->commands = empty;
    return !t->quit;
}

/* Whether a step is due; the thread may have been woken earlier by a command. */
static bool take_step(NsTrainer *t)
{
    if (atomic_load(&t->state) != NS_TRAINER_RUNNING) return false;
    NS_HELD held = ns_hold(&t->mutex);
    int64_t at = due_at(t), now = g_get_monotonic_time();
    bool due = at <= now, on_time = at && now - at < (int64_t)(G_USEC_PER_SEC / t->speed);
    /* A step that is late by a whole interval or more is not made up for. */
    if (due) t->paced = on_time ? at : now;
    return due;
}

static void unref(NsTrainer *t)
{
    if (atomic_fetch_sub(&t->refs, 1) > 1) return;
    pthread_cond_destroy(&t->wake);
    pthread_cond_destroy(&t->idle);
    pthread_mutex_destroy(&t->mutex);
    g_array_unref(t->commands);
    ns_checkpoints_free(t->checkpoints);
    for (size_t i = 0; i < t->experiment->n; i++) {
        g_free(t->lanes[i].message);
        ns_history_unref(t->lanes[i].history);
        ns_checkpoint_unref(t->origins[i]);
        ns_history_unref(t->pasts[i]);
    }
    ns_experiment_unref(t->experiment);
    ns_experiment_unref(t->live);
    g_free(t);
}

static void *trainer_main(void *data)
{
    NsTrainer *t = data;
    ns_thread_lower(NS_NICER_TRAINER);
    prepare(t);
    GArray *commands = g_array_new(FALSE, FALSE, sizeof(NsCommand));
    while (take_commands(t, &commands)) {
        for (guint i = 0; i < commands->len; i++) obey(t, &g_array_index(commands, NsCommand, i));
        g_array_set_size(commands, 0);
        if (take_step(t)) {
            apply_live(t);
            ns_lockstep_step(t->lockstep);
            notify(t, NS_TRAINER_STEPPED);
            if (t->left > 0) t->left--;
            bool careful = atomic_load(&t->pause_on_trouble), trouble = note_trouble(t, careful);
            if (all_diverged(t)) {
                notify(t, NS_TRAINER_RESTED);
                set_state(t, NS_TRAINER_DIVERGED);
            } else if (at_end(t)) {
                finish(t);
            } else if (t->left == 0 || is_reached(t, t->until) || (trouble && careful)) {
                rest(t, NS_TRAINER_PAUSED);
            } else if (g_get_monotonic_time() - t->checkpoint_at >=
                       CHECKPOINT_SHARE * t->checkpoint_took) {
                keep(t, false);
            }
        }
    }
    g_array_unref(commands);
    notify(t, NS_TRAINER_ENDED);
    ns_lockstep_free(t->lockstep);
    bool given_up = t->given_up;
    unref(t);
    if (given_up) ns_exit_barrier_leave();
    return NULL;
}

/* ---- Life ---- */

NsTrainer *ns_trainer_start(const NsExperiment *experiment, const NsTrainerStart *start,
                            GError **error)
{
    if (!ns_experiment_check(experiment, NULL, error) ||
        !ns_lockstep_check(experiment, start->origins, error))
        return NULL;
    NsTrainer *t = g_new0(NsTrainer, 1);
    atomic_init(&t->refs, 2);
    atomic_init(&t->state, NS_TRAINER_PREPARING);
    pthread_mutex_init(&t->mutex, NULL);
    ns_condition_init(&t->wake);
    ns_condition_init(&t->idle);
    t->busy = true;
    t->commands = g_array_new(FALSE, FALSE, sizeof(NsCommand));
    t->experiment = ns_experiment_ref(experiment);
    for (size_t i = 0; i < experiment->n; i++) {
        if (start->origins && start->origins[i])
            t->origins[i] = ns_checkpoint_ref(start->origins[i]);
        if (start->pasts && start->pasts[i]) t->pasts[i] = ns_history_ref(start->pasts[i]);
    }
    t->checkpoint_bytes =
        start->checkpoint_bytes ? start->checkpoint_bytes : NS_TRAINER_CHECKPOINT_BYTES;
    t->observer = start->observer;

    int failure = ns_thread_start(&t->thread, trainer_main, t);
    if (failure) {
        ns_refuse(error, NS_ERROR_MEMORY,
                  "No thread could be started for the run: %s; close other programs and try "
                  "again.",
                  g_strerror(failure));
        atomic_store(&t->refs, 1);
        unref(t);
        return NULL;
    }
    return t;
}

static void quit(NsTrainer *t)
{
    NS_HELD held = ns_hold(&t->mutex);
    t->quit = true;
    pthread_cond_signal(&t->wake);
}

void ns_trainer_release(NsTrainer *t)
{
    if (!t) return;
    ns_exit_barrier_enter();
    t->given_up = true;
    quit(t);
    pthread_detach(t->thread);
    unref(t);
}

void ns_trainer_free(NsTrainer *t)
{
    if (!t) return;
    quit(t);
    pthread_join(t->thread, NULL);
    unref(t);
}
