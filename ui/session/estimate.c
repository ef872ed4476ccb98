/* Estimates the memory of a run from its plan.  SPDX-License-Identifier: MIT
 *
 * The trainer has the plan of its own run.  For settings that no run has yet, a thread makes the
 * plan, because it has to open the data to count the tokens, and thousands of layers take a
 * while. */
#include "core/data/task.h"
#include "core/model/model.h"
#include "ui/session/session-private.h"

#include <gio/gio.h>

/* Input and output of the thread. */
typedef struct {
    NsExperiment experiment;
    guint64 serial;
    NsCorpus *corpus; /* the data opened last for the first lane, or NULL */
    NsSettings data;  /* the settings for which it was opened */
    NsPlan plan;
    bool planned; /* otherwise the data cannot be used, and a start reports why */
} Estimate;

static void estimate_free(gpointer data)
{
    Estimate *estimate = data;
    if (!estimate) return;
    ns_experiment_clear(&estimate->experiment);
    ns_settings_clear(&estimate->data);
    g_clear_pointer(&estimate->corpus, ns_corpus_unref);
    g_free(estimate);
}

static void work_out(GTask *task, gpointer session, gpointer data, GCancellable *cancellable)
{
    (void)session, (void)cancellable;
    Estimate *estimate = data;
    const NsExperiment *experiment = &estimate->experiment;
    if (!estimate->corpus || !ns_settings_same_data(&estimate->data, &experiment->lane[0])) {
        g_clear_pointer(&estimate->corpus, ns_corpus_unref);
        estimate->corpus = ns_corpus_open(&experiment->lane[0], NULL);
        ns_settings_clear(&estimate->data);
        ns_settings_copy(&estimate->data, &experiment->lane[0]);
    }
    for (size_t lane = 0; estimate->corpus && lane < experiment->n; lane++) {
        const NsSettings *settings = &experiment->lane[lane];
        NsPlan plan = ns_model_plan(settings, ns_corpus_vocab(estimate->corpus, settings));
        ns_plan_add(&estimate->plan, &plan, (size_t)settings->seeds);
    }
    estimate->planned = estimate->corpus != NULL;
    g_task_return_boolean(task, TRUE);
}

static void on_worked_out(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)object;
    NsSession *session = data;
    Estimate *estimate = g_task_get_task_data(G_TASK(result));
    session->estimating = false;
    /* The task owns its data, so a copy is stored. */
    Estimate *kept = g_memdup2(estimate, sizeof *estimate);
    ns_experiment_copy(&kept->experiment, &estimate->experiment);
    ns_settings_copy(&kept->data, &estimate->data);
    if (kept->corpus) ns_corpus_ref(kept->corpus);
    estimate_free(session->estimate);
    session->estimate = kept;
    if (kept->serial != session->serial) ns_session_estimate(session);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_estimate(NsSession *session)
{
    if (session->estimating || (session->problem && !session->problem_is_run)) return;
    const Estimate *last = session->estimate;
    Estimate *wanted = g_new0(Estimate, 1);
    ns_experiment_copy(&wanted->experiment, &session->experiment);
    wanted->serial = session->serial;
    if (last && last->corpus) wanted->corpus = ns_corpus_ref(last->corpus);
    if (last)
        ns_settings_copy(&wanted->data, &last->data);
    else
        ns_settings_init(&wanted->data);
    g_autoptr(GTask) task = g_task_new(session, NULL, on_worked_out, session);
    g_task_set_task_data(task, wanted, estimate_free);
    session->estimating = true;
    g_task_run_in_thread(task, work_out);
}

void ns_session_free_estimate(NsSession *session)
{
    estimate_free(session->estimate);
    session->estimate = NULL;
}

bool ns_session_estimated(const NsSession *session, NsPlan *plan)
{
    const Estimate *estimate = session->estimate;
    if (!estimate || estimate->serial != session->serial || !estimate->planned) return false;
    *plan = estimate->plan;
    return true;
}

bool ns_session_plan(NsSession *session, NsPlan *plan)
{
    *plan = (NsPlan){0};
    for (size_t lane = 0; session->trainer && lane < session->run->n; lane++) {
        NsPlan own;
        if (!ns_trainer_plan(session->trainer, lane, &own)) return false;
        ns_plan_add(plan, &own, 1);
    }
    return session->trainer != NULL;
}
