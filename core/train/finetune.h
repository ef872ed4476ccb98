/* Fine-tuning an encoder on labeled pairs.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/labeled.h"
#include "core/train/checkpoint.h"

/* On the held-out pairs; F1 is that of class 1, 0 where no pair of that class was found. */
typedef struct {
    double accuracy, f1;
    bool diverged;
} NsFinetuned;

/* Whether pairs of sentences can be cut into the tokens of a corpus of the task mlm: those are
 * characters or subwords, of a text with line ends. */
bool ns_finetune_can(const NsCorpus *vocabulary);

/* Fills in `settings`, which need not be initialized: those of the pre-training, with `steps`
 * steps, a tenth of them as warm-up, linear decay and a learning rate of 1e-3. */
void ns_finetune_settings(NsSettings *settings, const NsSettings *pretraining, int64_t steps);

typedef struct {
    const NsSettings *settings;
    NsCorpus *pairs;
    NsCheckpoint *pretrained;    /* NULL for none */
    bool (*goes_on)(void *data); /* called after every step; FALSE ends it.  NULL for none */
    void *data;
} NsFinetuning;

/* Trains an encoder with a linear head of two classes on its first token for settings->steps steps,
 * and tests it.  Every tensor of the checkpoint that the model has, too, is its start; the head, or
 * without a checkpoint everything, is drawn from settings->seed.  Moments and steps start at 0.
 * FALSE with an error, or without one where it was ended.  Devlin et al. 2018, section 4.1. */
bool ns_finetune(const NsFinetuning *finetuning, NsFinetuned *result, GError **error);

/* The share of the more frequent label among the held-out pairs, and the F1 of answering 1 always.
 */
NsFinetuned ns_finetune_majority(const NsCorpus *corpus);
