/* One run of a study.  SPDX-License-Identifier: MIT
 *
 * A cell is trained by one thread, so that its numbers do not depend on how many run at a time. */
#pragma once

#include "core/probe/quantity.h"
#include "core/settings/settings.h"

#define NS_CELL_LAST 10  /* records whose mean is the loss of a cell */
#define NS_RESULTS_MAX 3 /* of a cell */

/* Bin of NsTokenSnapshot from which on tokens count as above 1.1 means: the one that holds 1.1. */
#define NS_CELL_BEYOND_BIN ((size_t)22)

/* Fine-tuning in a cell: how many steps unless the study says it, and generated pairs. */
#define NS_CELL_FINETUNE_STEPS 400
#define NS_CELL_FINETUNE_PAIRS 2000

typedef enum {
    NS_RESULT_LOSS,       /* training loss */
    NS_RESULT_VALIDATION, /* loss on held-out text */
    NS_RESULT_GRADIENT,   /* norm of the whole gradient */
    NS_RESULT_QUANTITY,   /* one value of a quantity of the registry */
    NS_RESULT_SECONDS,    /* wall time of a step */
    NS_RESULT_TOKENS,     /* share of tokens whose squared norm of the last hidden state is above
                           * 1.1 times the mean, from above: the whole bin counts */
    NS_RESULT_MEMORY,     /* bytes that the run takes: weights, gradients, moments, activations */
    NS_RESULT_ENTAILMENT, /* accuracy, from 0 to 1, on held-out pairs of what is fine-tuned from the
                           * weights of an encoder (core/train/finetune.h) on generated ones */
    NS_RESULT_PARAPHRASE, /* the same on the other kind of pairs */
} NsResultKind;

typedef enum {
    NS_RESULT_LAST,    /* mean over the last `n` records that have a value */
    NS_RESULT_STEP,    /* at step `n` */
    NS_RESULT_MINIMUM, /* over all records */
    NS_RESULT_EVERY,   /* at every step, as a curve; as one number the mean over the last `n`.  Of
                        * what is validated: whenever the loss on held-out text is measured */
} NsResultAt;

#define NS_LAYER_ALL (-2)

/* Which number of a run is its result. */
typedef struct {
    NsResultKind kind;
    NsQuantity quantity;
    int64_t layer; /* from 1; of hidden states from 0, the embedding; -1: the last; NS_LAYER_ALL:
                    * every one, as a curve, and as one number the last */
    int64_t head;  /* from 1; of quantities of heads */
    NsResultAt at;
    int64_t n;
    int64_t finetune; /* steps of fine-tuning; 0: NS_CELL_FINETUNE_STEPS */
    int better; /* which results are better, as the study says it: -1 lower ones, 1 higher ones, 0
                 * none; 0 where ns_result_direction says it */
} NsResult;

/* The results of one run; lanes are compared by the first. */
typedef struct {
    NsResult of[NS_RESULTS_MAX];
    size_t n;
} NsResults;

/* The result of a study that names none: the training loss, mean of the last records. */
#define NS_RESULT_USUAL                                                                            \
    ((NsResult){.layer = -1, .head = 1, .at = NS_RESULT_LAST, .n = NS_CELL_LAST})

/* Whether it is a loss, be it of training or on held-out text. */
bool ns_result_is_loss(const NsResult *result);

/* The accuracy on a task downstream. */
bool ns_result_is_downstream(const NsResult *result);

/* Whether it is measured where the loss on held-out text is: that, BLEU, and tasks downstream. */
bool ns_result_is_validated(const NsResult *result);
bool ns_results_are_validated(const NsResults *results); /* any of them */

/* Which results are better by themselves: -1 the lower ones, as of a loss, 1 the higher ones, as of
 * BLEU and accuracies; 0 where a study has to say it. */
int ns_result_direction(const NsResult *result);

/* When a run ends before its last step; NaN: never.  Divergence always ends it. */
typedef struct {
    double loss_below, loss_above;
} NsStopRules;

typedef enum {
    NS_CELL_WAITING,
    NS_CELL_RUNNING,
    NS_CELL_DONE,
    NS_CELL_DIVERGED, /* a value was not finite */
    NS_CELL_FAILED,   /* no run could be made, or it has no such result */
} NsCellState;

const char *ns_cell_state_word(NsCellState state);

typedef struct {
    NsCellState state;
    int64_t step;      /* updates done: of DIVERGED the one that led to what is not finite */
    double first;      /* training loss before any update; NaN before it is known */
    double loss;       /* training loss, mean of the last NS_CELL_LAST records; NaN but for DONE */
    double validation; /* loss on held-out text at the end; NaN but for DONE of a step or more */
    double value;      /* the result; NaN where the run has none */
    double seconds;    /* that it took */
    char text[400];    /* of DIVERGED, FAILED and where a rule ended it: a sentence */
} NsStudyCell;

/* A cell that has not begun, or is at its beginning. */
NsStudyCell ns_cell_in(NsCellState state);

/* Called after every step, those of fine-tuning included; FALSE ends it. */
typedef bool (*NsCellProgress)(void *data, const NsStudyCell *cell);

typedef struct {
    NsResults results;
    NsStopRules stop;
    NsCellProgress progress; /* NULL for none */
    void *data;
    GArray
        *curve; /* NULL, or of double, empty: gets the curve of a result that has one; NaN where
                 * there is no value.  Of several results, which have no layers and no bins, it
                 * has all values of each point one after another, of one number a single point */
} NsCellWork;

/* Trains settings->steps steps of a run whose settings but for those that say how it is made:
 * threads, eval-every and probe-every, which follow from the result.  WAITING where `progress`
 * ended it.  Any thread. */
NsStudyCell ns_cell_train(const NsSettings *settings, const NsCellWork *work);
