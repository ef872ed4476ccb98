/* A study on a thread of its own.  SPDX-License-Identifier: MIT */
#include "core/study/paper_job.h"

#include "core/base/exit_barrier.h"
#include "core/base/thread.h"

#include <stdatomic.h>

struct NsStudyJob {
    atomic_int refs; /* the owner and the thread */
    const NsStudy *study;
    NsStudyJobKind kind;
    atomic_bool given_up, ended;
    _Atomic double done;
    /* Written by the thread before it ends. */
    NsStudyResult *result;
    GError *error;
    double seconds;
};

static void unref(NsStudyJob *job)
{
    if (atomic_fetch_sub(&job->refs, 1) > 1) return;
    ns_study_result_unref(job->result);
    g_clear_error(&job->error);
    g_free(job);
}

static bool note_progress(void *data, double done)
{
    NsStudyJob *job = data;
    atomic_store(&job->done, done);
    return !atomic_load(&job->given_up);
}

static gpointer work(gpointer data)
{
    NsStudyJob *job = data;
    ns_thread_lower(NS_NICER_BACKGROUND);
    if (job->kind == NS_JOB_ESTIMATE)
        job->seconds = ns_study_seconds(job->study);
    else
        job->result = ns_study_run(job->study, note_progress, job, &job->error);
    atomic_store(&job->ended, true);
    unref(job);
    ns_exit_barrier_leave();
    return NULL;
}

NsStudyJob *ns_study_job_new(const NsStudy *study, NsStudyJobKind kind)
{
    NsStudyJob *job = g_new0(NsStudyJob, 1);
    atomic_init(&job->refs, 2);
    job->study = study;
    job->kind = kind;
    job->seconds = -1;
    ns_exit_barrier_enter();
    GThread *thread = g_thread_try_new("study", work, job, &job->error);
    if (thread) {
        g_thread_unref(thread);
        return job;
    }
    ns_exit_barrier_leave();
    atomic_store(&job->refs, 1);
    atomic_store(&job->ended, true);
    return job;
}

void ns_study_job_free(NsStudyJob *job)
{
    if (!job) return;
    atomic_store(&job->given_up, true);
    unref(job);
}

bool ns_study_job_poll(NsStudyJob *job, double *done)
{
    *done = atomic_load(&job->done);
    return atomic_load(&job->ended);
}

NsStudyResult *ns_study_job_take(NsStudyJob *job, GError **error)
{
    if (job->error) g_propagate_error(error, g_steal_pointer(&job->error));
    return g_steal_pointer(&job->result);
}

double ns_study_job_seconds(NsStudyJob *job)
{
    return job->seconds;
}
