/* A study on a thread of its own.  SPDX-License-Identifier: MIT
 *
 * Below the priority of its creator.  No call waits for it. */
#pragma once

#include "core/study/paper.h"

typedef struct NsPaperJob NsPaperJob;

typedef enum { NS_JOB_RUN, NS_JOB_ESTIMATE } NsPaperJobKind;

/* Starts a study, which must outlive the job, or only finds out how long it would take. */
NsPaperJob *ns_paper_job_new(const NsPaperStudy *study, NsPaperJobKind kind);

/* Gives the job up: it ends at its next step. */
void ns_paper_job_free(NsPaperJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPaperJob, ns_paper_job_free)

/* TRUE once it has ended; `done` is the share that is, 0 .. 1. */
bool ns_paper_job_poll(NsPaperJob *job, double *done);

/* After the end: the result, once; NULL with the error, or with none of a job that found out how
 * long it takes. */
NsPaperResult *ns_paper_job_take(NsPaperJob *job, GError **error);

/* After the end of an estimate, in seconds; negative where it failed. */
double ns_paper_job_seconds(NsPaperJob *job);
