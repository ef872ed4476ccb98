/* A study on a thread of its own.  SPDX-License-Identifier: MIT */
#include "core/study/paper_job.h"

#include "core/base/exit_barrier.h"
#include "core/base/thread.h"

#include <stdatomic.h>

struct NsPaperJob {
    atomic_int refs; /* the owner and the thread */
    const NsPaperStudy *study;
    NsPaperJobKind kind;
    atomic_bool given_up, ended;
    _Atomic double done;
    /* Written by the thread before it ends. */
    NsPaperResult *result;
    GError *error;
    double seconds;
};

static void unref(NsPaperJob *job)
{
    if (atomic_fetch_sub(&job->refs, 1) > 1) return;
    ns_paper_result_unref(job->result);
    g_clear_error(&job->error);
    g_free(job);
}

static bool note_progress(void *data, double done)
{
    NsPaperJob *job = data;
    atomic_store(&job->done, done);
    return !atomic_load(&job->given_up);
}

static gpointer work(gpointer data)
{
    NsPaperJob *job = data;
    ns_thread_lower(NS_NICER_BACKGROUND);
    if (job->kind == NS_JOB_ESTIMATE)
        job->seconds = ns_paper_seconds(job->study);
    else
        job->result = ns_paper_run(job->study, note_progress, job, &job->error);
    atomic_store(&job->ended, true);
    unref(job);
    ns_exit_barrier_leave();
    return NULL;
}

NsPaperJob *ns_paper_job_new(const NsPaperStudy *study, NsPaperJobKind kind)
{
    NsPaperJob *job = g_new0(NsPaperJob, 1);
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

void ns_paper_job_free(NsPaperJob *job)
{
    if (!job) return;
    atomic_store(&job->given_up, true);
    unref(job);
}

bool ns_paper_job_poll(NsPaperJob *job, double *done)
{
    *done = atomic_load(&job->done);
    return atomic_load(&job->ended);
}

NsPaperResult *ns_paper_job_take(NsPaperJob *job, GError **error)
{
    if (job->error) g_propagate_error(error, g_steal_pointer(&job->error));
    return g_steal_pointer(&job->result);
}

double ns_paper_job_seconds(NsPaperJob *job)
{
    return job->seconds;
}
