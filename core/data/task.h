/* The registry of tasks.  SPDX-License-Identifier: MIT
 *
 * To add one, add a row in task.c and a file that opens its corpus. */
#pragma once

#include "core/data/corpus.h"

typedef struct {
    NsChoice choice;
    NsCorpus *(*open)(const NsSettings *settings, GError **error);
} NsTask;

const NsTask *ns_task(size_t i); /* NULL past the end */
const NsChoice *ns_task_choice(size_t i);
