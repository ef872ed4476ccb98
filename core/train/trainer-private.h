/* The state that the caller and the thread of a trainer share.  Internal to core/train.
 * SPDX-License-Identifier: MIT
 *
 * The caller appends commands to a queue; the thread takes the whole queue at every step boundary
 * and executes it in order.  Shared data is guarded by one mutex, which is held only for a few
 * assignments; only the thread uses the lanes themselves. */
#pragma once

#include "core/train/checkpoints.h"
#include "core/train/trainer.h"

#include <pthread.h>
#include <stdatomic.h>

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
