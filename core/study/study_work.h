/* The threads that run the cells of a study.  SPDX-License-Identifier: MIT
 *
 * Each takes one cell after another and trains it by itself: threads never wait for one another, so
 * that a busy machine slows all down alike, and results do not depend on their number.  One more
 * thread opens the file of results, renews the leases of cells that run and looks what other
 * processes have found.  No call waits for a thread but ns_study_work_wait, nor for the file but
 * those that say so. */
#pragma once

#include "core/study/study_store.h"

typedef struct NsStudyWork NsStudyWork;

/* Takes the study, which is empty then.  Its cells are checked (ns_study_check_cells).  path: the
 * file of results, which is opened or made at the first start; NULL keeps them in memory.
 * options: NULL for all cells and a lease of a minute.  Starts nothing. */
NsStudyWork *ns_study_work_new(NsStudy *study, const char *path, const NsStoreOptions *options);
NsStudyWork *ns_study_work_ref(NsStudyWork *work);

/* The last reference but those of threads stops them at their next step; the last thread lets go of
 * what they stand on. */
void ns_study_work_unref(NsStudyWork *work);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsStudyWork, ns_study_work_unref)

const NsStudy *ns_study_work_study(const NsStudyWork *work);

/* NULL before the file was opened. */
NsStudyStore *ns_study_work_store(NsStudyWork *work);

/* Begins, or goes on, with so many threads for cells, fewer where there are fewer; 0: one for every
 * processor that the program may use but one.  FALSE with NS_ERROR_MEMORY where no thread could be
 * started; what else goes wrong is told by ns_study_work_take_failure. */
bool ns_study_work_start(NsStudyWork *work, unsigned jobs, GError **error);

/* Waits until no thread is left, but no longer than `timeout_ms`.  Whether none is left. */
bool ns_study_work_wait(NsStudyWork *work, int timeout_ms);

/* Returns at once; threads end at their next step, and their cells wait again. */
void ns_study_work_stop(NsStudyWork *work);

/* What ended the work: NS_ERROR_FILE, NS_ERROR_SETTING of a study that is not possible, or
 * NS_ERROR_MEMORY; once.  NULL where nothing did. */
GError *ns_study_work_take_failure(NsStudyWork *work);

/* ---- Cells as they stand; any thread ---- */

/* Cells that are known beforehand, as of a file that was read: [ns_study_cells]. */
void ns_study_work_set_cells(NsStudyWork *work, const NsStudyCell *cells);

/* A cell as it is; of one that runs here as far as it has come. */
NsStudyCell ns_study_work_cell(NsStudyWork *work, size_t i);

/* Another number than before, and never 0, whenever a cell has another state. */
unsigned ns_study_work_version(NsStudyWork *work);

typedef struct {
    size_t cells, ended, running; /* of those that are worked at, those of other processes too */
    bool going;                   /* there are threads, and they go on */
    double seconds_left;          /* at the pace so far; NaN before it is known */
} NsStudyWorkProgress;

NsStudyWorkProgress ns_study_work_progress(NsStudyWork *work);
