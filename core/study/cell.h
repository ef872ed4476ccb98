/* A run of a study.  SPDX-License-Identifier: MIT
 *
 * A cell is trained by one thread, so its numbers do not depend on how many cells run at a time. */
#pragma once

#include "core/probe/quantity.h"
#include "core/settings/settings.h"

#define NS_CELL_LAST 10  /* number of records whose mean is the loss of a cell */
#define NS_RESULTS_MAX 3 /* per cell */

/* The first bin of NsTokenSnapshot that counts as above 1.1 times the mean: the one that contains
 * 1.1. */
#define NS_CELL_BEYOND_BIN ((size_t)22)

/* Fine-tuning in a cell: the default number of steps, and the number of generated pairs. */
#define NS_CELL_FINETUNE_STEPS 400
#define NS_CELL_FINETUNE_PAIRS 2000

typedef enum {
    NS_RESULT_LOSS,       /* training loss */
    NS_RESULT_VALIDATION, /* loss on held-out text */
    NS_RESULT_GRADIENT,   /* norm of the whole gradient */
    NS_RESULT_QUANTITY,   /* one value of a quantity of the registry */
    NS_RESULT_SECONDS,    /* wall time of a step */
    NS_RESULT_TOKENS,     /* fraction of tokens whose squared norm of the last hidden state is above
                           * 1.1 times the mean; the bin that contains 1.1 counts completely */
    NS_RESULT_MEMORY,     /* memory of the run in bytes: weights, gradients, moments, activations */
    NS_RESULT_ENTAILMENT, /* accuracy, from 0 to 1, on held-out pairs after fine-tuning an encoder's
                           * weights on generated pairs (core/train/finetune.h) */
    NS_RESULT_PARAPHRASE, /* the same for the other kind of pairs */
} NsResultKind;

typedef enum {
    NS_RESULT_LAST,    /* mean over the last `n` records that have a value */
    NS_RESULT_STEP,    /* at step `n` */
    NS_RESULT_MINIMUM, /* over all records */
    NS_RESULT_EVERY,   /* at every step, as a curve; as one number, the mean over the last `n`.  For
                        * validated results: at every evaluation on held-out text */
} NsResultAt;

#define NS_LAYER_ALL (-2)

/* Specifies which number of a run is a result. */
typedef struct {
    NsResultKind kind;
    NsQuantity quantity;
    int64_t layer; /* from 1; for hidden states from 0, the embedding; -1: the last; NS_LAYER_ALL:
                    * all of them as a curve, and as one number the last */
    int64_t head;  /* from 1; for quantities of heads */
    NsResultAt at;
    int64_t n;
    int64_t finetune; /* steps of fine-tuning; 0: NS_CELL_FINETUNE_STEPS */
    int better; /* set by the study: -1 if lower results are better, 1 if higher ones are, 0 if
                 * neither; 0 if ns_result_direction decides */
} NsResult;

/* The results of one run; lanes are compared by the first. */
typedef struct {
    NsResult of[NS_RESULTS_MAX];
    size_t n;
} NsResults;

/* The default result: the training loss, mean over the last records. */
#define NS_RESULT_USUAL                                                                            \
    ((NsResult){.layer = -1, .head = 1, .at = NS_RESULT_LAST, .n = NS_CELL_LAST})

/* Whether it is a training loss or the loss on held-out text. */
bool ns_result_is_loss(const NsResult *result);

/* Whether it is the accuracy on a downstream task. */
bool ns_result_is_downstream(const NsResult *result);

/* Whether it is measured together with the loss on held-out text: this loss, BLEU, and downstream
 * tasks. */
bool ns_result_is_validated(const NsResult *result);

/* Whether the setting of this key determines how often it is measured: “curvature-every”. */
bool ns_result_is_measured_every(const NsResult *result, const char *key);
bool ns_results_are_validated(const NsResults *results); /* any of the results */

/* Which values are better: -1 lower ones, as for a loss; 1 higher ones, as for BLEU and accuracies;
 * 0 if the study has to specify it. */
int ns_result_direction(const NsResult *result);

/* Training losses at which a run ends before its last step; NaN: never.  Divergence always ends a
 * run. */
typedef struct {
    double loss_below, loss_above;
} NsStopRules;

typedef enum {
    NS_CELL_WAITING,
    NS_CELL_RUNNING,
    NS_CELL_DONE,
    NS_CELL_DIVERGED, /* a value was not finite */
    NS_CELL_FAILED,   /* the run could not be created, or it does not have this result */
} NsCellState;

const char *ns_cell_state_word(NsCellState state);

typedef struct {
    NsCellState state;
    int64_t step;      /* number of updates; for DIVERGED, the one that made a value not finite */
    double first;      /* training loss before any update; NaN until it is known */
    double loss;       /* training loss, mean over the last NS_CELL_LAST records; NaN unless DONE */
    double validation; /* final loss on held-out text; NaN unless DONE after a step */
    double value;      /* the first result; NaN if the run has none */
    double seconds;    /* duration */
    char text[400];    /* a message for DIVERGED and FAILED, and if a rule ended the run */
} NsStudyCell;

/* A new cell in this state, without results. */
NsStudyCell ns_cell_in(NsCellState state);

/* Called after every step, including those of fine-tuning; returns false to end the run. */
typedef bool (*NsCellProgress)(void *data, const NsStudyCell *cell);

typedef struct {
    NsResults results;
    NsStopRules stop;
    NsCellProgress progress; /* NULL for none */
    void *data;
    GArray
        *curve; /* NULL, or an empty array of double that receives the curve of a result, if it has
                 * one; NaN for missing values.  For several results (without layers and bins), the
                 * values of each point are adjacent, and results with one number have one point */
} NsCellWork;

/* Trains a run for settings->steps steps.  The settings threads, eval-every and probe-every are
 * replaced by what the results require.  The state is WAITING if `progress` ended the run.  Any
 * thread. */
NsStudyCell ns_cell_train(const NsSettings *settings, const NsCellWork *work);
