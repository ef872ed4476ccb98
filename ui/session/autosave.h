/* Records the run of a trainer into run files.  SPDX-License-Identifier: MIT
 *
 * Everything happens on the trainer's thread and the writer's own (core/store/run_writer.h).  A run
 * gets a file at its first step, a checkpoint whenever it pauses, and another file after a reset.
 * A run without a step leaves no file. */
#pragma once

#include "core/train/trainer.h"

typedef struct NsAutosave NsAutosave;

typedef struct {
    const char *folder;  /* created if missing; NULL: no recording yet */
    const char *goes_on; /* the file that the run continues from its newest checkpoint until a
                            reset; a new file if this is NULL or fails */
    const char *parent;  /* of a fork: the file of its parent, or NULL */
    int64_t fork_step;   /* the step of the fork */
} NsAutosavePlan;

/* The caller owns one reference. */
NsAutosave *ns_autosave_new(const NsAutosavePlan *plan);
void ns_autosave_unref(NsAutosave *autosave);

/* The observer to start a trainer with; takes a reference, which is released when the trainer's
 * thread ends. */
NsTrainerObserver ns_autosave_observer(NsAutosave *autosave);

/* From the next step on a run without a file gets one in this folder; NULL: no recording. */
void ns_autosave_set_folder(NsAutosave *autosave, const char *folder);

/* The file of the run whose first lane has this history, if it is the present run or the one before
 * the last reset; NULL if there is none yet.  Free with g_free. */
char *ns_autosave_path(NsAutosave *autosave, const NsHistory *history);

/* The number of files that were begun. */
unsigned ns_autosave_files(NsAutosave *autosave);

/* The newest message about recording, once: it waits for a lock, goes on, or has failed; otherwise
 * NULL.  Free with g_free. */
char *ns_autosave_take_message(NsAutosave *autosave);

/* Whether what is measured waits in memory, because another program has locked the file. */
bool ns_autosave_waits(NsAutosave *autosave);
