/* The threads that run the cells of a study.  SPDX-License-Identifier: MIT
 *
 * Each thread trains one cell after another by itself.  Threads never wait for each other, so a
 * busy machine slows all of them down alike, and results do not depend on their number.  An
 * additional thread opens the results file, renews the leases of running cells and reads the
 * results of other processes.  No function waits for a thread except ns_study_work_wait. */
#pragma once

#include "core/study/study_store.h"

typedef struct NsStudyWork NsStudyWork;

/* Takes over the contents of the study, which is reset.  Its cells must have been checked
 * (ns_study_check_cells).  `path` is the results file, which is opened or created at the first
 * start; NULL keeps the results in memory.  `options` is NULL for all cells and the default lease.
 * Does not start anything. */
NsStudyWork *ns_study_work_new(NsStudy *study, const char *path, const NsStoreOptions *options);
NsStudyWork *ns_study_work_ref(NsStudyWork *work);

/* Releasing the last reference stops the threads at their next step; the last thread frees the
 * memory. */
void ns_study_work_unref(NsStudyWork *work);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsStudyWork, ns_study_work_unref)

const NsStudy *ns_study_work_study(const NsStudyWork *work);

/* The store; NULL before the file has been opened. */
NsStudyStore *ns_study_work_store(NsStudyWork *work);

/* Begins or continues with this number of threads for cells, or fewer if there are fewer cells; 0:
 * the number of available processors minus one.  Returns false with NS_ERROR_MEMORY if no thread
 * could be started; other errors are reported by ns_study_work_take_failure. */
bool ns_study_work_start(NsStudyWork *work, unsigned jobs, GError **error);

/* Waits until no thread is left, at most `timeout_ms`.  Returns whether none is left. */
bool ns_study_work_wait(NsStudyWork *work, int timeout_ms);

/* Stops the threads at their next step, and returns immediately; their cells wait again. */
void ns_study_work_stop(NsStudyWork *work);

/* Returns, once, the error that ended the work: NS_ERROR_FILE, NS_ERROR_SETTING for an invalid
 * study, or NS_ERROR_MEMORY.  NULL if there was none. */
GError *ns_study_work_take_failure(NsStudyWork *work);

/* ---- The current cells; any thread ---- */

/* Sets the cells to known results, for example from a file: [ns_study_cells]. */
void ns_study_work_set_cells(NsStudyWork *work, const NsStudyCell *cells);

/* The current state of a cell, including the progress of one that is running here. */
NsStudyCell ns_study_work_cell(NsStudyWork *work, size_t i);

/* A number that changes whenever a cell changes its state; never 0. */
unsigned ns_study_work_version(NsStudyWork *work);

typedef struct {
    size_t cells, ended, running; /* of the cells to run, including those of other processes */
    bool going;                   /* threads are running and have not been stopped */
    double seconds_left;          /* estimated from the progress so far; NaN until it is known */
} NsStudyWorkProgress;

NsStudyWorkProgress ns_study_work_progress(NsStudyWork *work);
