/* The threads that run the cells of a study.  SPDX-License-Identifier: MIT
 *
 * Each takes one cell after another and trains it by itself: threads never wait for one another, so
 * that a busy machine slows all down alike, and results do not depend on their number. */
#pragma once

#include "core/study/study_store.h"

typedef struct NsStudyWork NsStudyWork;

/* Takes the store over; the study is borrowed.  Starts nothing. */
NsStudyWork *ns_study_work_new(NsStudyStore *store, const NsStudy *study);

/* To be called when no thread is left (ns_study_work_wait). */
void ns_study_work_free(NsStudyWork *work);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsStudyWork, ns_study_work_free)

NsStudyStore *ns_study_work_store(NsStudyWork *work);

/* Begins with so many threads, fewer where there are fewer cells.  FALSE with NS_ERROR_MEMORY where
 * not even one could be started. */
bool ns_study_work_start(NsStudyWork *work, unsigned jobs, GError **error);

/* Waits until no thread is left, but no longer than `timeout_ms`, and renews the leases of their
 * cells: to be called again and again.  Whether none is left. */
bool ns_study_work_wait(NsStudyWork *work, int timeout_ms);

/* Returns at once; threads end at their next step, and their cells wait again. */
void ns_study_work_stop(NsStudyWork *work);

/* What ended the work: NS_ERROR_FILE, once; NULL where nothing did. */
GError *ns_study_work_take_failure(NsStudyWork *work);

typedef struct {
    NsStoreCounts counts; /* of all processes */
    double seconds_left;  /* at their pace so far; NaN before it is known */
} NsStudyWorkProgress;

bool ns_study_work_progress(NsStudyWork *work, NsStudyWorkProgress *progress, GError **error);
