/* Fine-tuning an encoder on labeled pairs.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/labeled.h"
#include "core/train/checkpoint.h"

/* On the held-out pairs; F1 is that of class 1, 0 where no pair of that class was found. */
typedef struct {
    double accuracy, f1;
    bool diverged;
} NsFinetuned;

/* Trains an encoder with a linear head of two classes on its first token for settings->steps steps,
 * and tests it.  Every tensor of the checkpoint that the model has, too, is its start; the head, or
 * without a checkpoint (NULL) everything, is drawn from settings->seed.  Moments and steps start at
 * 0.  Devlin et al. 2018, section 4.1. */
bool ns_finetune(const NsSettings *settings, NsCorpus *corpus, NsCheckpoint *pretrained,
                 NsFinetuned *result, GError **error);

/* The share of the more frequent label among the held-out pairs, and the F1 of answering 1 always.
 */
NsFinetuned ns_finetune_majority(const NsCorpus *corpus);
