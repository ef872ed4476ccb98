/* One to four lanes on a thread of their own.  SPDX-License-Identifier: MIT
 *
 * A lane is one model on the common clock (core/train/lockstep.h).  Every call returns at once;
 * none waits for a step.  Commands take effect at the next step boundary, in the order given; of
 * several live changes the last value wins.  The thread runs at a lower scheduling priority than
 * its creator.
 *
 *     PREPARING -> READY -> RUNNING <-> PAUSED
 *         |                    |-> FINISHED   (`steps` of the first lane reached)
 *         |                    '-> DIVERGED   (in every lane a value is not finite)
 *         '-> FAILED                          (no run could be made; the message says why)
 *
 * A model whose very first record is not finite goes from PREPARING straight to DIVERGED.  Reset
 * leads back to READY (or to that DIVERGED) from every state but PREPARING and FAILED; a fork goes
 * back to where it began.  A command that a state has no arrow for is ignored; those given while
 * PREPARING, a reset excepted, are obeyed afterwards.  A lane that has diverged stands still while
 * the others go on. */
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

/* What the thread tells of, between two steps. */
typedef enum {
    NS_TRAINER_BEGAN,   /* the lanes stand where they begin: they were prepared, or reset */
    NS_TRAINER_STEPPED, /* a step was made */
    NS_TRAINER_RESTED,  /* after that, or a command: it goes no further by itself */
    NS_TRAINER_RESETS,  /* the lanes are about to be reset, and to begin */
    NS_TRAINER_ENDED    /* the last of all, in any case: the thread ends */
} NsTrainerMoment;

/* Is called on the thread of the trainer, which waits meanwhile.  The lanes are borrowed; NULL
 * where none could be made. */
typedef struct {
    void (*tell)(void *data, NsTrainerMoment moment, NsLockstep *lockstep); /* NULL: nobody */
    void *data;
} NsTrainerObserver;

/* How a trainer starts; all zero: every lane at step 0. */
typedef struct {
    NsCheckpoint *const *origins; /* [lanes] of a fork (ns_run_fork), which are referenced, NULL for
                                     a lane that begins at step 0; NULL where all begin there */
    NsHistory *const *pasts;      /* [lanes], as in ns_lockstep_new; referenced */
    size_t checkpoint_bytes;      /* the most that is kept; 0: NS_TRAINER_CHECKPOINT_BYTES */
    NsTrainerObserver observer;
} NsTrainerStart;

/* Starts the thread, which prepares the lanes of the experiment and references it.  NULL with
 * NS_ERROR_SETTING if the settings of a lane, or the lanes (ns_lockstep_check), do not go together,
 * and with NS_ERROR_MEMORY; the observer is told nothing then. */
NsTrainer *ns_trainer_start(const NsExperiment *experiment, const NsTrainerStart *start,
                            GError **error);

/* Releases the trainer: its thread ends at the next step boundary and frees everything.  Never
 * waits; the thread passes the exit barrier (core/base/exit_barrier.h).  Histories that are still
 * referenced live on. */
void ns_trainer_release(NsTrainer *trainer);

/* Releases the trainer and waits until its thread has ended. */
void ns_trainer_free(NsTrainer *trainer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsTrainer, ns_trainer_free)

/* ---- Commands ---- */

void ns_trainer_run(NsTrainer *trainer);             /* until `steps`, or a pause */
void ns_trainer_step(NsTrainer *trainer, int64_t n); /* n more steps, then PAUSED */
void ns_trainer_pause(NsTrainer *trainer);
void ns_trainer_reset(NsTrainer *trainer);

/* Records over which the loss is averaged before it is compared. */
#define NS_UNTIL_RECORDS 10

typedef struct {
    int64_t step; /* 0: none */
    double loss;  /* training loss of any lane, mean of the last NS_UNTIL_RECORDS records and of
                     its seeds (core/probe/seeds.h); a lane with fewer records never reaches it;
                     0: none */
} NsTrainerUntil;

/* Runs, and is PAUSED when either is reached; where that is so already, no step is made. */
void ns_trainer_run_until(NsTrainer *trainer, NsTrainerUntil until);

/* Takes over every setting that may change while a model runs (ns_run_set_live) from the lanes of
 * an experiment, which it references. */
void ns_trainer_set_live(NsTrainer *trainer, const NsExperiment *experiment);

/* At most so many steps a second, from now on; 0 (which it is at first): as fast as they come.  A
 * command that starts a run makes its first step at once, and none waits for a step's time. */
void ns_trainer_set_speed(NsTrainer *trainer, double steps_per_second);

/* Whether the run is PAUSED when a lane diverges while others could go on, and when the loss or the
 * gradient norm of one jumps (core/train/spike.h), from the next step on; off at first.  The
 * message of the lane says what happened, of a jump until the run goes on. */
void ns_trainer_set_pause_on_trouble(NsTrainer *trainer, bool pause);

/* ---- Checkpoints ---- */

/* The most bytes of checkpoints that a trainer keeps: this, or a quarter of the memory that is
 * available when its lanes are ready, if that is less.  Two are kept in any case. */
#define NS_TRAINER_CHECKPOINT_BYTES ((size_t)1 << 30)

/* Checkpoints are taken (core/train/checkpoints.h) so that the run can be forked from them: the one
 * where it begins, every one where it comes to rest, and while it runs as many as take 2 % of its
 * time, where there is memory for them.  A lane has none at the steps after it diverged. */

/* Copies the first `most` steps that have a checkpoint, ascending, and returns how many there are.
 */
size_t ns_trainer_checkpoints(NsTrainer *trainer, int64_t *steps, size_t most);

/* The checkpoints of the newest step that has them, at or before `step`: new references, NULL for a
 * lane that has none there; and its step where `at` is not NULL.  False where there is none. */
bool ns_trainer_checkpoints_at(NsTrainer *trainer, int64_t step,
                               NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *at);

/* The bytes of the checkpoints that are not in `seen`; adds them to it (ns_checkpoints_count). */
size_t ns_trainer_count_checkpoints(NsTrainer *trainer, GHashTable *seen);

/* Another bound for them, from now on. */
void ns_trainer_set_checkpoint_bytes(NsTrainer *trainer, size_t bytes);

/* ---- Gradient checks ---- */

/* Asks for ns_gradient_check of a layer (from 1) of a lane at the step boundary where the command
 * is reached; nothing comes of it where no run could be made.  A pause, a reset or the end breaks
 * it off. */
void ns_trainer_check(NsTrainer *trainer, size_t lane, unsigned layer);

/* The newest check that was asked for, once; false while there is none. */
bool ns_trainer_take_check(NsTrainer *trainer, NsGradientCheck *check);

/* ---- State ---- */

size_t ns_trainer_lanes(const NsTrainer *trainer);

/* How many stages of making the lanes are done, of NS_RUN_STAGES for each seed, one lane after the
 * other. */
unsigned ns_trainer_prepared(const NsTrainer *trainer);
NsTrainerState ns_trainer_state(const NsTrainer *trainer);

/* The state of the trainer; that of a lane that has diverged is NS_TRAINER_DIVERGED. */
NsTrainerState ns_trainer_lane_state(const NsTrainer *trainer, size_t lane);

/* One sentence for FAILED, for a lane that has diverged, and for one whose jump made the run pause;
 * else NULL.  Free with g_free. */
char *ns_trainer_message(NsTrainer *trainer, size_t lane);

/* A new reference to the present history of a lane; NULL while PREPARING or FAILED.  Compare
 * pointers to notice a reset. */
NsHistory *ns_trainer_history(NsTrainer *trainer, size_t lane);

/* The plan of a lane; false while PREPARING or FAILED. */
bool ns_trainer_plan(NsTrainer *trainer, size_t lane, NsPlan *plan);

/* Waits until the state is neither PREPARING nor RUNNING and no command waits (tests, the command
 * line).  FALSE after `timeout_ms`; negative waits for ever. */
bool ns_trainer_wait(NsTrainer *trainer, int timeout_ms);
