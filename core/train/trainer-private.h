/* The state that the caller and the thread of a trainer share.  Internal to core/train.
 * SPDX-License-Identifier: MIT
 *
 * The caller's side appends commands to a queue; the thread takes the whole queue at every step
 * boundary and obeys it in order.  Everything both sides touch is guarded by one mutex that nobody
 * holds for longer than a few assignments; the lanes themselves belong to the thread alone. */
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
    atomic_bool diverged; /* every seed */

    /* Guarded by the mutex. */
    char *message;
    NsHistory *history;
    NsPlan plan;

    /* The thread's. */
    size_t events[NS_SEEDS_MAX]; /* of each seed's history that the thread has seen */
    size_t diverged_seeds;       /* that the message tells of */
} NsLaneState;

struct NsTrainer {
    atomic_int refs; /* the owner and the thread */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;                 /* for the thread: a command, another speed, or the end */
    pthread_cond_t idle;                 /* for those who wait: nothing left to do */
    const NsExperiment *experiment;      /* as it began; a reference */
    NsCheckpoint *origins[NS_LANES_MAX]; /* of a fork; NULL for a lane that begins at step 0 */
    NsHistory *pasts[NS_LANES_MAX];      /* NULL for a lane that has none */
    NsTrainerObserver observer;
    NsLaneState lanes[NS_LANES_MAX]; /* [experiment->n] */

    /* Guarded by the mutex; the state is also read without it. */
    _Atomic NsTrainerState state;
    bool quit;
    bool given_up;              /* the thread is inside the exit barrier; set before `quit` */
    bool busy;                  /* the thread is obeying commands or computing */
    bool planned;               /* the lanes have their plans */
    const NsExperiment *live;   /* whose live settings wait for the next step; NULL: none */
    GArray *commands;           /* NsCommand */
    double speed;               /* steps a second; 0: without a limit */
    size_t checkpoint_bytes;    /* the most that is kept */
    NsCheckpoints *checkpoints; /* made when the lanes are; NULL before */
    bool checked;               /* nobody has taken the check yet */
    NsGradientCheck check;

    atomic_uint prepared; /* stages of making the lanes */
    atomic_bool pause_on_trouble;

    /* The thread's. */
    NsLockstep *lockstep;
    int64_t left; /* steps until PAUSED; negative for as many as the settings say */
    NsTrainerUntil until;
    int64_t paced;           /* when the last step was due, in microseconds; 0: the next one is */
    int64_t checkpoint_at;   /* when the last one was taken, in microseconds */
    int64_t checkpoint_took; /* how long that took */
};
