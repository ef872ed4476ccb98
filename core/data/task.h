/* The registry of tasks.  SPDX-License-Identifier: MIT
 *
 * To add one, add a row in task.c; its corpus brings the sampler (core/data/sampler.h) that makes
 * training and validation batches for every architecture. */
#pragma once

#include "core/data/corpus.h"

typedef struct NsTask {
    NsChoice choice;
    NsCorpus *(*open)(const struct NsTask *task, const NsSettings *settings, GError **error);
    const NsSampler *sampler; /* of the corpus */
    size_t V; /* symbols to predict unless the setting `vocab` says; 0 where a text decides */
} NsTask;

const NsTask *ns_task(size_t i); /* NULL past the end */
const NsChoice *ns_task_choice(size_t i);

/* Whether the task is to translate sentences. */
bool ns_task_translates(const NsSettings *settings);

/* The corpus that settings->task names, for settings->arch.  NS_ERROR_SETTING too where `seq`
 * leaves no room for the task. */
NsCorpus *ns_corpus_open(const NsSettings *settings, GError **error);
