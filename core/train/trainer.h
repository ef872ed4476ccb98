/* A run on a thread of its own.  SPDX-License-Identifier: MIT
 *
 * Every call returns at once; none waits for a step.  Commands take effect at the next step
 * boundary, in the order given; of several live changes the last value wins.  The thread runs at a
 * lower scheduling priority than its creator.
 *
 *     PREPARING -> READY -> RUNNING <-> PAUSED
 *         |                    |-> FINISHED   (`steps` reached, or stop)
 *         |                    '-> DIVERGED   (a value is not finite)
 *         '-> FAILED                          (no run could be made; the message says why)
 *
 * Stop also finishes a run that is READY or PAUSED.  A model whose very first record is not finite
 * goes from PREPARING straight to DIVERGED.  Reset leads back to READY (or to that DIVERGED) from
 * every state but PREPARING and FAILED; a fork goes back to where it began.  A command that a state
 * has no arrow for is ignored; those given while PREPARING, a reset excepted, are obeyed
 * afterwards. */
#pragma once

#include "core/model/model.h"
#include "core/model/settings.h"
#include "core/probe/history.h"
#include "core/train/snapshot.h"

#define NS_TRAINER_STATES(X)                                                                       \
    X(PREPARING, "preparing")                                                                      \
    X(READY, "ready")                                                                              \
    X(RUNNING, "running")                                                                          \
    X(PAUSED, "paused")                                                                            \
    X(FINISHED, "finished")                                                                        \
    X(DIVERGED, "diverged")                                                                        \
    X(FAILED, "failed")

typedef enum {
#define NS_TRAINER_STATE_ID(ID, word) NS_TRAINER_##ID,
    NS_TRAINER_STATES(NS_TRAINER_STATE_ID)
#undef NS_TRAINER_STATE_ID
} NsTrainerState;

const char *ns_trainer_state_word(NsTrainerState state);

typedef struct NsTrainer NsTrainer;

/* Starts the thread, which prepares the run.  NULL with NS_ERROR_SETTING if the settings do not go
 * together. */
NsTrainer *ns_trainer_new(const NsSettings *settings, GError **error);

/* The same for a fork of the snapshot (ns_run_fork), which is referenced, not taken. */
NsTrainer *ns_trainer_new_fork(NsSnapshot *snapshot, const NsSettings *settings, GError **error);

/* Gives the trainer up: the thread ends at the next step boundary and frees everything.  Never
 * waits, but the end of the program then does.  Histories that are still referenced live on. */
void ns_trainer_release(NsTrainer *trainer);

/* The same, and waits for the end. */
void ns_trainer_free(NsTrainer *trainer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsTrainer, ns_trainer_free)

void ns_trainer_run(NsTrainer *trainer);             /* until `steps`, or a pause */
void ns_trainer_step(NsTrainer *trainer, int64_t n); /* n more steps, then PAUSED */
void ns_trainer_pause(NsTrainer *trainer);
void ns_trainer_stop(NsTrainer *trainer); /* evaluates once more and ends as FINISHED */
void ns_trainer_reset(NsTrainer *trainer);

/* Takes over every setting that may change while a model runs, as ns_run_set_live. */
void ns_trainer_set_live(NsTrainer *trainer, const NsSettings *settings);

/* Asks for a snapshot at the step boundary where the command is reached; nothing comes of it while
 * there is no run. */
void ns_trainer_snapshot(NsTrainer *trainer);

/* The newest snapshot that was asked for, once: the caller owns it.  NULL while there is none;
 * NULL with NS_ERROR_MEMORY, once, if the last one could not be made. */
NsSnapshot *ns_trainer_take_snapshot(NsTrainer *trainer, GError **error);

NsTrainerState ns_trainer_state(const NsTrainer *trainer);

/* One sentence for FAILED and DIVERGED, else NULL.  Free with g_free. */
char *ns_trainer_message(NsTrainer *trainer);

/* A new reference to the present history; NULL while PREPARING or FAILED.  Compare pointers to
 * notice a reset. */
NsHistory *ns_trainer_history(NsTrainer *trainer);

/* The plan of the run; false while PREPARING or FAILED. */
bool ns_trainer_plan(NsTrainer *trainer, NsPlan *plan);

/* Waits until the state is neither PREPARING nor RUNNING and no command waits (tests, the command
 * line).  FALSE after `timeout_ms`; negative waits for ever. */
bool ns_trainer_wait(NsTrainer *trainer, int timeout_ms);
