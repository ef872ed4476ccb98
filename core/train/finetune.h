/* Fine-tuning an encoder on labeled pairs.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/labeled.h"
#include "core/train/checkpoint.h"

/* Results on the held-out pairs.  F1 is that of class 1; 0 if no pair of that class was found. */
typedef struct {
    double accuracy, f1;
    bool diverged;
} NsFinetuned;

/* Whether pairs of sentences can be encoded with the vocabulary of a corpus of the task mlm: its
 * tokens must be characters or subwords, and contain the line end. */
bool ns_finetune_can(const NsCorpus *vocabulary);

/* Fills in `settings`, which need not be initialized, with those of the pre-training, but with
 * `steps` steps, a tenth of them as warm-up, linear decay and a learning rate of 1e-3. */
void ns_finetune_settings(NsSettings *settings, const NsSettings *pretraining, int64_t steps);

typedef struct {
    const NsSettings *settings;
    NsCorpus *pairs;
    NsCheckpoint *pretrained;      /* NULL for none */
    bool (*continues)(void *data); /* called after every step; false ends the training; or NULL */
    void *data;
} NsFinetuning;

/* Trains an encoder with a linear head of two classes on its first token for settings->steps steps,
 * and tests it.  Tensors that the checkpoint has, too, start with its weights; the head, or without
 * a checkpoint everything, is drawn from settings->seed.  Moments and steps start at 0.  False with
 * an error, or without one if continues ended it.  Devlin et al. 2018, section 4.1. */
bool ns_finetune(const NsFinetuning *finetuning, NsFinetuned *result, GError **error);

/* The share of the more frequent label among the held-out pairs, and the F1 of always answering 1.
 */
NsFinetuned ns_finetune_majority(const NsCorpus *corpus);
