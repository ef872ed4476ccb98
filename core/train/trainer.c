/* The caller's side appends commands to a queue; the thread takes the whole queue at every step
 * boundary and obeys it in order.  Everything both sides touch is guarded by one mutex that nobody
 * holds for longer than a few assignments; the run itself belongs to the thread alone.
 *
 * SPDX-License-Identifier: MIT */
#include "core/train/trainer.h"

#include "core/base/error.h"
#include "core/train/live.h"
#include "core/train/run.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Deep stacks of calls in BLAS and OpenMP have room in this. */
#define STACK_BYTES ((size_t)8 << 20)

/* How much nicer the thread is than its creator. */
#define NICER 10

typedef enum {
    COMMAND_RUN,
    COMMAND_STEP,
    COMMAND_PAUSE,
    COMMAND_STOP,
    COMMAND_RESET,
    COMMAND_SNAPSHOT,
} CommandKind;

typedef struct {
    CommandKind kind;
    int64_t steps; /* STEP */
} Command;

struct NsTrainer {
    atomic_int refs; /* the owner and the thread */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake; /* for the thread: a command, or the end */
    pthread_cond_t idle; /* for those who wait: nothing left to do */

    /* Guarded by the mutex; the state is also read without it. */
    _Atomic NsTrainerState state;
    bool quit;
    bool given_up;    /* counted in `released`; set before `quit` */
    bool busy;        /* the thread is obeying commands or computing */
    GArray *commands; /* Command */
    NsSettings live;  /* as last asked for */
    bool live_changed;
    NsSnapshot *snapshot; /* not fetched yet */
    GError *snapshot_error;
    char *message;
    NsHistory *history;
    bool planned;
    NsPlan plan;

    /* The thread's. */
    NsSettings settings;
    NsSnapshot *origin; /* of a fork, or NULL */
    NsRun *run;
    int64_t left; /* steps until PAUSED; negative for as many as the settings say */
};

/* ---- Threads that were given up ---- */

/* When a program ends, libraries take down what a step still works with; so the end of the program
 * waits for the end of the step that a released trainer is in. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t released_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released_gone = PTHREAD_COND_INITIALIZER;
static unsigned released; /* threads that are still there */

static void wait_for_released(void)
{
    pthread_mutex_lock(&released_mutex);
    while (released) pthread_cond_wait(&released_gone, &released_mutex);
    pthread_mutex_unlock(&released_mutex);
}

static void wait_at_exit(void)
{
    atexit(wait_for_released);
}

static void count_released(void)
{
    pthread_mutex_lock(&released_mutex);
    released++;
    pthread_mutex_unlock(&released_mutex);
}

static void released_is_gone(void)
{
    pthread_mutex_lock(&released_mutex);
    if (--released == 0) pthread_cond_broadcast(&released_gone);
    pthread_mutex_unlock(&released_mutex);
}

/* ---- The thread's side ---- */

static void set_state(NsTrainer *t, NsTrainerState state, const char *message)
{
    pthread_mutex_lock(&t->mutex);
    g_free(t->message);
    t->message = g_strdup(message);
    atomic_store(&t->state, state);
    pthread_mutex_unlock(&t->mutex);
}

static void show_history(NsTrainer *t)
{
    NsHistory *shown = ns_history_ref(ns_run_history(t->run));
    pthread_mutex_lock(&t->mutex);
    NsHistory *replaced = t->history;
    t->history = shown;
    pthread_mutex_unlock(&t->mutex);
    ns_history_unref(replaced);
}

/* The state after weights were measured: diverged with its sentence, or `otherwise`. */
static void settle(NsTrainer *t, NsTrainerState otherwise)
{
    if (!ns_run_diverged(t->run)) {
        set_state(t, otherwise, NULL);
        return;
    }
    const NsHistory *history = ns_run_history(t->run);
    const NsEvent *last = ns_history_event(history, ns_history_events(history) - 1);
    set_state(t, NS_TRAINER_DIVERGED, last->text);
}

static void prepare(NsTrainer *t)
{
    g_autoptr(GError) error = NULL;
    t->run =
        t->origin ? ns_run_fork(t->origin, &t->settings, &error) : ns_run_new(&t->settings, &error);
    g_clear_pointer(&t->origin, ns_snapshot_unref);
    if (!t->run) {
        set_state(t, NS_TRAINER_FAILED, error->message);
        return;
    }
    show_history(t);
    pthread_mutex_lock(&t->mutex);
    t->plan = ns_run_plan(t->run);
    t->planned = true;
    pthread_mutex_unlock(&t->mutex);
    settle(t, NS_TRAINER_READY);
}

/* Live changes wait for the step that they act on, so that a slider leaves one event a step. */
static void apply_live(NsTrainer *t)
{
    NsSettings live;
    pthread_mutex_lock(&t->mutex);
    bool changed = t->live_changed;
    t->live_changed = false;
    live = t->live; /* borrows the texts, which nobody writes */
    pthread_mutex_unlock(&t->mutex);
    if (changed) ns_run_set_live(t->run, &live);
}

/* One that was not fetched gives way to the newer one. */
static void take_snapshot(NsTrainer *t)
{
    GError *error = NULL;
    NsSnapshot *taken = ns_snapshot_take(t->run, &error);
    pthread_mutex_lock(&t->mutex);
    NsSnapshot *replaced = t->snapshot;
    t->snapshot = taken;
    g_clear_error(&t->snapshot_error);
    t->snapshot_error = error;
    pthread_mutex_unlock(&t->mutex);
    ns_snapshot_unref(replaced);
}

static void finish(NsTrainer *t)
{
    ns_run_evaluate(t->run);
    set_state(t, NS_TRAINER_FINISHED, NULL);
}

/* Whether the settings allow no more steps. */
static bool at_end(const NsTrainer *t)
{
    return t->settings.steps > 0 && ns_run_steps(t->run) >= t->settings.steps;
}

static void obey(NsTrainer *t, const Command *command)
{
    NsTrainerState state = atomic_load(&t->state);
    bool can_go = state == NS_TRAINER_READY || state == NS_TRAINER_PAUSED;
    bool going = state == NS_TRAINER_RUNNING;
    switch (command->kind) {
    case COMMAND_RUN:
    case COMMAND_STEP:
        if (!can_go && !going) return;
        if (at_end(t)) {
            finish(t);
            return;
        }
        if (command->kind == COMMAND_RUN) {
            t->left = -1;
            set_state(t, NS_TRAINER_RUNNING, NULL);
            return;
        }
        t->left = going && t->left > 0 ? t->left + command->steps : command->steps;
        set_state(t, NS_TRAINER_RUNNING, NULL);
        return;
    case COMMAND_PAUSE:
        if (going) set_state(t, NS_TRAINER_PAUSED, NULL);
        return;
    case COMMAND_STOP:
        if (can_go || going) finish(t);
        return;
    case COMMAND_RESET:
        if (!t->run) return;
        apply_live(t);
        ns_run_reset(t->run);
        show_history(t);
        settle(t, NS_TRAINER_READY);
        return;
    case COMMAND_SNAPSHOT:
        if (t->run) take_snapshot(t);
        return;
    }
}

static void advance(NsTrainer *t)
{
    apply_live(t);
    ns_run_step(t->run);
    if (t->left > 0) t->left--;
    settle(t, NS_TRAINER_RUNNING);
    if (atomic_load(&t->state) != NS_TRAINER_RUNNING) return;
    if (at_end(t))
        finish(t);
    else if (t->left == 0)
        set_state(t, NS_TRAINER_PAUSED, NULL);
}

/* Blocks until there is something to do, and takes the commands.  False at the end. */
static bool take_commands(NsTrainer *t, GArray **commands)
{
    pthread_mutex_lock(&t->mutex);
    while (!t->quit && t->commands->len == 0 && atomic_load(&t->state) != NS_TRAINER_RUNNING) {
        t->busy = false;
        pthread_cond_broadcast(&t->idle);
        pthread_cond_wait(&t->wake, &t->mutex);
    }
    t->busy = true;
    GArray *empty = *commands;
    *commands = t->commands;
    t->commands = empty;
    bool quit = t->quit;
    pthread_mutex_unlock(&t->mutex);
    return !quit;
}

static void unref(NsTrainer *t)
{
    if (atomic_fetch_sub(&t->refs, 1) > 1) return;
    pthread_cond_destroy(&t->wake);
    pthread_cond_destroy(&t->idle);
    pthread_mutex_destroy(&t->mutex);
    g_array_unref(t->commands);
    g_free(t->message);
    g_clear_error(&t->snapshot_error);
    ns_snapshot_unref(t->snapshot);
    ns_snapshot_unref(t->origin);
    ns_history_unref(t->history);
    ns_settings_clear(&t->live);
    ns_settings_clear(&t->settings);
    g_free(t);
}

static void *thread_main(void *data)
{
    NsTrainer *t = data;
    /* On Linux this is the priority of the thread, and of those that it will start.  Where it is
     * refused the run only competes harder with the desktop. */
    id_t self = (id_t)gettid();
    setpriority(PRIO_PROCESS, self, MIN(getpriority(PRIO_PROCESS, self) + NICER, 19));

    prepare(t);
    GArray *commands = g_array_new(FALSE, FALSE, sizeof(Command));
    while (take_commands(t, &commands)) {
        for (guint i = 0; i < commands->len; i++) obey(t, &g_array_index(commands, Command, i));
        g_array_set_size(commands, 0);
        if (atomic_load(&t->state) == NS_TRAINER_RUNNING) advance(t);
    }
    g_array_unref(commands);
    ns_run_free(t->run);
    bool given_up = t->given_up;
    unref(t);
    if (given_up) released_is_gone();
    return NULL;
}

/* ---- The caller's side ---- */

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static NsTrainer *new_trainer(const NsSettings *settings, NsSnapshot *origin, GError **error)
{
    if (!ns_settings_check(settings, error)) return NULL;
    NsTrainer *t = g_new0(NsTrainer, 1);
    atomic_init(&t->refs, 2);
    atomic_init(&t->state, NS_TRAINER_PREPARING);
    pthread_mutex_init(&t->mutex, NULL);
    init_condition(&t->wake);
    init_condition(&t->idle);
    t->busy = true;
    t->commands = g_array_new(FALSE, FALSE, sizeof(Command));
    ns_settings_copy(&t->settings, settings);
    ns_settings_copy(&t->live, settings);
    t->origin = origin ? ns_snapshot_ref(origin) : NULL;

    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int failure = pthread_create(&t->thread, &attributes, thread_main, t);
    pthread_attr_destroy(&attributes);
    if (failure) {
        g_set_error(error, NS_ERROR, NS_ERROR_MEMORY,
                    "No thread could be started for the run: %s; close other programs and try "
                    "again.",
                    g_strerror(failure));
        atomic_store(&t->refs, 1);
        unref(t);
        return NULL;
    }
    return t;
}

NsTrainer *ns_trainer_new(const NsSettings *settings, GError **error)
{
    return new_trainer(settings, NULL, error);
}

NsTrainer *ns_trainer_new_fork(NsSnapshot *snapshot, const NsSettings *settings, GError **error)
{
    return new_trainer(settings, snapshot, error);
}

static void quit(NsTrainer *t)
{
    pthread_mutex_lock(&t->mutex);
    t->quit = true;
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->mutex);
}

void ns_trainer_release(NsTrainer *t)
{
    if (!t) return;
    pthread_once(&once, wait_at_exit);
    count_released();
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

static void post(NsTrainer *t, CommandKind kind, int64_t steps)
{
    pthread_mutex_lock(&t->mutex);
    /* What was asked for before a reset would leave no trace. */
    if (kind == COMMAND_RESET) g_array_set_size(t->commands, 0);
    bool ignored = kind == COMMAND_RESET && atomic_load(&t->state) == NS_TRAINER_PREPARING;
    if (!ignored) g_array_append_val(t->commands, ((Command){kind, steps}));
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->mutex);
}

void ns_trainer_run(NsTrainer *trainer)
{
    post(trainer, COMMAND_RUN, 0);
}

void ns_trainer_step(NsTrainer *trainer, int64_t n)
{
    if (n > 0) post(trainer, COMMAND_STEP, n);
}

void ns_trainer_pause(NsTrainer *trainer)
{
    post(trainer, COMMAND_PAUSE, 0);
}

void ns_trainer_stop(NsTrainer *trainer)
{
    post(trainer, COMMAND_STOP, 0);
}

void ns_trainer_reset(NsTrainer *trainer)
{
    post(trainer, COMMAND_RESET, 0);
}

void ns_trainer_snapshot(NsTrainer *trainer)
{
    post(trainer, COMMAND_SNAPSHOT, 0);
}

void ns_trainer_set_live(NsTrainer *t, const NsSettings *settings)
{
    pthread_mutex_lock(&t->mutex);
    ns_live_copy(&t->live, settings);
    t->live_changed = true;
    pthread_mutex_unlock(&t->mutex);
}

/* ---- What others may ask ---- */

const char *ns_trainer_state_word(NsTrainerState state)
{
    static const char *const words[] = {
#define WORD(ID, word) [NS_TRAINER_##ID] = word,
        NS_TRAINER_STATES(WORD)
#undef WORD
    };
    return words[state];
}

NsTrainerState ns_trainer_state(const NsTrainer *trainer)
{
    return atomic_load(&trainer->state);
}

char *ns_trainer_message(NsTrainer *t)
{
    pthread_mutex_lock(&t->mutex);
    char *message = g_strdup(t->message);
    pthread_mutex_unlock(&t->mutex);
    return message;
}

NsHistory *ns_trainer_history(NsTrainer *t)
{
    pthread_mutex_lock(&t->mutex);
    NsHistory *history = t->history ? ns_history_ref(t->history) : NULL;
    pthread_mutex_unlock(&t->mutex);
    return history;
}

NsSnapshot *ns_trainer_take_snapshot(NsTrainer *t, GError **error)
{
    pthread_mutex_lock(&t->mutex);
    NsSnapshot *snapshot = g_steal_pointer(&t->snapshot);
    GError *problem = g_steal_pointer(&t->snapshot_error);
    pthread_mutex_unlock(&t->mutex);
    if (problem) g_propagate_error(error, problem);
    return snapshot;
}

bool ns_trainer_plan(NsTrainer *t, NsPlan *plan)
{
    pthread_mutex_lock(&t->mutex);
    bool planned = t->planned;
    if (planned) *plan = t->plan;
    pthread_mutex_unlock(&t->mutex);
    return planned;
}

bool ns_trainer_wait(NsTrainer *t, int timeout_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += timeout_ms % 1000 * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;

    int result = 0;
    pthread_mutex_lock(&t->mutex);
    while ((t->busy || t->commands->len) && result != ETIMEDOUT)
        result = timeout_ms < 0 ? pthread_cond_wait(&t->idle, &t->mutex)
                                : pthread_cond_timedwait(&t->idle, &t->mutex, &until);
    bool idle = !t->busy && !t->commands->len;
    pthread_mutex_unlock(&t->mutex);
    return idle;
}
