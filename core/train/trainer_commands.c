/* The commands and the state of a trainer.  SPDX-License-Identifier: MIT */
#include "core/train/trainer-private.h"

#include "core/base/thread.h"

#include <errno.h>
#include <math.h>

/* The lowest speed limit, steps a second; lower ones would wait for hours. */
#define SLOWEST 1e-3

/* ---- Commands ---- */

static void post(NsTrainer *t, NsCommand command)
{
    pthread_mutex_lock(&t->mutex);
    /* Commands before a reset would have no effect. */
    bool reset = command.kind == NS_COMMAND_RESET;
    if (reset) g_array_set_size(t->commands, 0);
    bool ignored = reset && atomic_load(&t->state) == NS_TRAINER_PREPARING;
    if (!ignored) g_array_append_val(t->commands, command);
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->mutex);
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
    pthread_mutex_lock(&t->mutex);
    bool checked = t->checked;
    if (checked) *check = t->check;
    t->checked = false;
    pthread_mutex_unlock(&t->mutex);
    return checked;
}

void ns_trainer_set_speed(NsTrainer *t, double steps_per_second)
{
    bool limit = steps_per_second > 0 && isfinite(steps_per_second);
    pthread_mutex_lock(&t->mutex);
    t->speed = limit ? MAX(steps_per_second, SLOWEST) : 0;
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->mutex);
}

void ns_trainer_set_pause_on_trouble(NsTrainer *trainer, bool pause)
{
    atomic_store(&trainer->pause_on_trouble, pause);
}

/* ---- Checkpoints ---- */

static NsCheckpoints *checkpoints_of(NsTrainer *t)
{
    pthread_mutex_lock(&t->mutex);
    NsCheckpoints *checkpoints = t->checkpoints;
    pthread_mutex_unlock(&t->mutex);
    return checkpoints;
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
    pthread_mutex_lock(&t->mutex);
    char *message = g_strdup(t->lanes[lane].message);
    pthread_mutex_unlock(&t->mutex);
    return message;
}

NsHistory *ns_trainer_history(NsTrainer *t, size_t lane)
{
    pthread_mutex_lock(&t->mutex);
    NsHistory *history = t->lanes[lane].history;
    if (history) ns_history_ref(history);
    pthread_mutex_unlock(&t->mutex);
    return history;
}

bool ns_trainer_plan(NsTrainer *t, size_t lane, NsPlan *plan)
{
    pthread_mutex_lock(&t->mutex);
    bool planned = t->planned;
    if (planned) *plan = t->lanes[lane].plan;
    pthread_mutex_unlock(&t->mutex);
    return planned;
}

bool ns_trainer_wait(NsTrainer *t, int timeout_ms)
{
    struct timespec until = ns_condition_time(g_get_monotonic_time() + timeout_ms * (int64_t)1000);
    int result = 0;
    pthread_mutex_lock(&t->mutex);
    while ((t->busy || t->commands->len) && result != ETIMEDOUT)
        result = timeout_ms < 0 ? pthread_cond_wait(&t->idle, &t->mutex)
                                : pthread_cond_timedwait(&t->idle, &t->mutex, &until);
    bool idle = !t->busy && !t->commands->len;
    pthread_mutex_unlock(&t->mutex);
    return idle;
}
