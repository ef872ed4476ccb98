/* A study on a thread of its own.  SPDX-License-Identifier: MIT
 *
 * Below the priority of its creator.  No call waits for it. */
#pragma once

#include "core/study/paper.h"

typedef struct NsStudyJob NsStudyJob;

typedef enum { NS_JOB_RUN, NS_JOB_ESTIMATE } NsStudyJobKind;

/* Starts a study, which must outlive the job, or only finds out how long it would take. */
NsStudyJob *ns_study_job_new(const NsStudy *study, NsStudyJobKind kind);

/* Gives the job up: it ends at its next step. */
void ns_study_job_free(NsStudyJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsStudyJob, ns_study_job_free)

/* TRUE once it has ended; `done` is the share that is, 0 .. 1. */
bool ns_study_job_poll(NsStudyJob *job, double *done);

/* After the end: the result, once; NULL with the error, or with none of a job that found out how
 * long it takes. */
NsStudyResult *ns_study_job_take(NsStudyJob *job, GError **error);

/* After the end of an estimate, in seconds; negative where it failed. */
double ns_study_job_seconds(NsStudyJob *job);
