/* Trains one to four lanes on a thread of their own.  SPDX-License-Identifier: MIT
 *
 * Lanes step together (core/train/lockstep.h).  Every call returns at once, without waiting for a
 * step.  Commands take effect at the next step boundary, in the order given; of several live
 * changes the last value wins.  The thread runs at a lower scheduling priority than its creator.
 *
 *     PREPARING -> READY -> RUNNING <-> PAUSED
 *         |                    |-> FINISHED   (`steps` of the first lane reached)
 *         |                    '-> DIVERGED   (every lane has a value that is not finite)
 *         '-> FAILED                          (the lanes could not be made; see the message)
 *
 * A model whose first record is not finite goes from PREPARING straight to DIVERGED.  Reset returns
 * to READY (or to that DIVERGED) from every state except PREPARING and FAILED; a fork returns to
 * where it began.  A command without an arrow from the current state is ignored; commands given
 * while PREPARING, except a reset, are executed afterwards.  A lane that has diverged stops while
 * the others continue. */
#pragma once

#include "core/model/model.h"
#include "core/probe/history.h"
#include "core/train/check.h"
#include "core/train/lockstep.h"

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

/* The events of which the observer is notified, between two steps. */
typedef enum {
    NS_TRAINER_BEGAN,   /* the lanes are at their beginning: they were prepared or reset */
    NS_TRAINER_STEPPED, /* a step was made */
    NS_TRAINER_RESTED,  /* after a step or a command: no further step will be made without one */
    NS_TRAINER_RESETS,  /* the lanes are about to be reset */
    NS_TRAINER_ENDED    /* the thread ends; always the last notification */
} NsTrainerMoment;

/* Called on the thread of the trainer, which waits for its return.  The lanes are borrowed; NULL if
 * they could not be made. */
typedef struct {
    void (*notify)(void *data, NsTrainerMoment moment, NsLockstep *lockstep); /* or NULL */
    void *data;
} NsTrainerObserver;

/* How a trainer starts; all zero: every lane at step 0. */
typedef struct {
    NsCheckpoint *const *origins; /* [lanes] as in ns_lockstep_new, referenced; NULL if all lanes
                                     begin at step 0 */
    NsHistory *const *pasts;      /* [lanes] as in ns_lockstep_new, referenced; or NULL */
    size_t checkpoint_bytes;      /* as ns_trainer_set_checkpoint_bytes; 0:
                                     NS_TRAINER_CHECKPOINT_BYTES */
    NsTrainerObserver observer;
} NsTrainerStart;

/* Starts the thread, which prepares the lanes of the experiment; the experiment is referenced.
 * NULL with NS_ERROR_SETTING if the settings of a lane, or the lanes (ns_lockstep_check), are
 * incompatible, or with NS_ERROR_MEMORY; the observer is not called then. */
NsTrainer *ns_trainer_start(const NsExperiment *experiment, const NsTrainerStart *start,
                            GError **error);

/* Releases the trainer: its thread ends at the next step boundary and frees everything.  Never
 * waits; the thread passes the exit barrier (core/base/exit_barrier.h).  Histories that are still
 * referenced are not freed. */
void ns_trainer_release(NsTrainer *trainer);

/* Releases the trainer and waits until its thread has ended. */
void ns_trainer_free(NsTrainer *trainer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsTrainer, ns_trainer_free)

/* ---- Commands ---- */

void ns_trainer_run(NsTrainer *trainer);             /* until the setting `steps`, or a pause */
void ns_trainer_step(NsTrainer *trainer, int64_t n); /* n more steps, then PAUSED */
void ns_trainer_pause(NsTrainer *trainer);
void ns_trainer_reset(NsTrainer *trainer);

/* The number of records over which the loss is averaged before it is compared. */
#define NS_UNTIL_RECORDS 10

typedef struct {
    int64_t step; /* 0: no limit */
    double loss;  /* training loss of any lane, mean over the last NS_UNTIL_RECORDS records and over
                     its seeds (core/probe/seeds.h); a lane with fewer records does not reach it;
                     0: no limit */
} NsTrainerUntil;

/* Runs until either is reached, and is then PAUSED; makes no step if one is reached already. */
void ns_trainer_run_until(NsTrainer *trainer, NsTrainerUntil until);

/* Copies every setting that may change while a model runs (ns_run_set_live) from the lanes of an
 * experiment, which is referenced, at the next step. */
void ns_trainer_set_live(NsTrainer *trainer, const NsExperiment *experiment);

/* Limits the speed to this many steps a second; 0, the default: no limit.  A command that starts a
 * run makes its first step at once, and commands do not wait until a step is due. */
void ns_trainer_set_speed(NsTrainer *trainer, double steps_per_second);

/* Whether the run is PAUSED when a lane diverges while others could continue, and when the loss or
 * the gradient norm of a lane jumps (core/train/spike.h), from the next step on; off by default.
 * The message of the lane then describes the event; a jump only until the run continues. */
void ns_trainer_set_pause_on_trouble(NsTrainer *trainer, bool pause);

/* ---- Checkpoints ---- */

/* The default budget for the checkpoints of a trainer.  If a quarter of the memory that is
 * available when the lanes are ready is less, that is the budget.  Two checkpoints are always
 * stored. */
#define NS_TRAINER_CHECKPOINT_BYTES ((size_t)1 << 30)

/* Checkpoints (core/train/checkpoints.h), from which the run can be forked, are taken at the
 * beginning, whenever the run pauses or finishes, and while it runs as often as takes 2 % of the
 * time, if there is memory for them.  A lane has none at the steps after it diverged. */

/* Copies the first `most` steps that have a checkpoint, ascending, and returns how many steps have
 * one. */
size_t ns_trainer_checkpoints(NsTrainer *trainer, int64_t *steps, size_t most);

/* Finds the newest checkpoints at or before `step`, as ns_checkpoints_find. */
bool ns_trainer_checkpoints_at(NsTrainer *trainer, int64_t step,
                               NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *at);

/* The bytes of the checkpoints that are not in `seen`, as ns_checkpoints_count. */
size_t ns_trainer_count_checkpoints(NsTrainer *trainer, GHashTable *seen);

/* Changes the budget for checkpoints, of which they use at most a quarter of the memory that was
 * available when the run was prepared. */
void ns_trainer_set_checkpoint_bytes(NsTrainer *trainer, size_t bytes);

/* ---- Gradient checks ---- */

/* Requests ns_gradient_check of a layer (from 1) of a lane, at the next step boundary; there is no
 * result if the trainer has FAILED.  A pause, a reset or the release of the trainer interrupts the
 * check. */
void ns_trainer_check(NsTrainer *trainer, size_t lane, unsigned layer);

/* Fetches the result of the newest check; false if there is none, or it was fetched already. */
bool ns_trainer_take_check(NsTrainer *trainer, NsGradientCheck *check);

/* ---- State ---- */

size_t ns_trainer_lanes(const NsTrainer *trainer);

/* The number of stages done in making the lanes: NS_RUN_STAGES for each seed of each lane. */
unsigned ns_trainer_prepared(const NsTrainer *trainer);
NsTrainerState ns_trainer_state(const NsTrainer *trainer);

/* NS_TRAINER_DIVERGED for a lane that has diverged, otherwise the state of the trainer. */
NsTrainerState ns_trainer_lane_state(const NsTrainer *trainer, size_t lane);

/* A sentence if the trainer has FAILED, a seed of the lane has diverged, or a jump in the lane made
 * the run pause; else NULL.  Free with g_free. */
char *ns_trainer_message(NsTrainer *trainer, size_t lane);

/* A new reference to the current history of a lane; NULL while PREPARING or FAILED.  A reset makes
 * a new history, so compare pointers to detect one. */
NsHistory *ns_trainer_history(NsTrainer *trainer, size_t lane);

/* The plan of a lane; false while PREPARING or FAILED. */
bool ns_trainer_plan(NsTrainer *trainer, size_t lane, NsPlan *plan);

/* Waits until the state is neither PREPARING nor RUNNING and all commands were executed (for tests
 * and the command line).  False after `timeout_ms`; a negative timeout waits forever. */
bool ns_trainer_wait(NsTrainer *trainer, int timeout_ms);
