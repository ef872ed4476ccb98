/* Records the run of a trainer into run files.  SPDX-License-Identifier: MIT
 *
 * All of it is done on the trainer's thread and by the writer's own (core/store/run_writer.h): a
 * run gets a file with its first step, a checkpoint wherever it rests, and another file after a
 * reset. A run without a step leaves none. */
#pragma once

#include "core/train/trainer.h"

typedef struct NsAutosave NsAutosave;

typedef struct {
    const char *folder; /* is made where it is missing; NULL: nothing is recorded as yet */
    const char
        *goes_on;       /* the file whose newest checkpoint the lanes are made from: it is continued
                           until a reset; NULL, or where that is not possible: a new file */
    const char *parent; /* of a fork: the file of its run, or NULL */
    int64_t fork_step;  /* where it left that */
} NsAutosavePlan;

/* Starts with one reference. */
NsAutosave *ns_autosave_new(const NsAutosavePlan *plan);
void ns_autosave_unref(NsAutosave *autosave);

/* What a trainer that starts is to tell; takes a reference that the end of the trainer's thread
 * gives back. */
NsTrainerObserver ns_autosave_observer(NsAutosave *autosave);

/* From the next step on a run that has no file gets one in this folder; NULL: none does. */
void ns_autosave_set_folder(NsAutosave *autosave, const char *folder);

/* The file of the run whose first lane has this history; NULL: none, or not yet.  Free with g_free.
 */
char *ns_autosave_path(NsAutosave *autosave, const NsHistory *history);

/* How many files were begun. */
unsigned ns_autosave_files(NsAutosave *autosave);

/* One sentence, once, where a run cannot be recorded any more; else NULL.  Free with g_free. */
char *ns_autosave_take_failure(NsAutosave *autosave);
