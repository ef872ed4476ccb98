/* The registry of tasks.  SPDX-License-Identifier: MIT
 *
 * To add a task, add a row in task.c; its corpus has a sampler (core/data/sampler.h), which makes
 * training and validation batches for every architecture. */
#pragma once

#include "core/data/corpus.h"

typedef struct NsTask {
    NsChoice choice;
    NsCorpus *(*open)(const struct NsTask *task, const NsSettings *settings, GError **error);
    const NsSampler *sampler; /* of the corpus */
    size_t V; /* symbols to predict if the setting `vocab` is 0; 0 if they depend on a text */
} NsTask;

const NsTask *ns_task(size_t i); /* NULL past the end */
const NsChoice *ns_task_choice(size_t i);

/* Whether the task is to translate sentences. */
bool ns_task_translates(const NsSettings *settings);

/* Opens the corpus of settings->task for settings->arch.  NS_ERROR_SETTING if a setting is missing
 * or does not suit the task (for instance a `seq` that is too short), and the errors of reading. */
NsCorpus *ns_corpus_open(const NsSettings *settings, GError **error);
