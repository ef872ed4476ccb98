/* Asks the models of a step which token follows a prompt.  SPDX-License-Identifier: MIT
 *
 * A thread makes the models again from the checkpoints of the step, so that the run is not
 * affected. */
#include "ui/session/session-private.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/train/run.h"

#include <gio/gio.h>

typedef struct {
    char *prompt;
    NsCheckpoint *checkpoints[NS_LANES_MAX]; /* NULL for a lane that has diverged */
    NsAnswer answer;
} Question;

static void question_free(gpointer data)
{
    Question *question = data;
    ns_session_drop_checkpoints(question->checkpoints);
    g_free(question->prompt);
    g_free(question);
}

static bool ask_lane(Question *question, size_t lane, GError **error)
{
    NsCheckpoint *checkpoint = question->checkpoints[lane];
    NsSettings settings = checkpoint->settings; /* borrows the texts */
    /* The record of the step was measured by the run. */
    settings.batch = 1;
    settings.batch_tokens = settings.eval_every = settings.sample_every = 0;
    ns_settings_measure_nothing(&settings);
    g_autoptr(NsRun) run = ns_run_fork(checkpoint, &settings, error);
    if (!run) return false;
    const NsCorpus *corpus = run->corpus;
    if (!ns_continuation_is_possible(corpus))
        return ns_refuse(error, NS_ERROR_SETTING,
                         N_("Models trained on this task cannot continue a text."));
    const char *text = question->prompt ? question->prompt : settings.prompt;
    g_autoptr(GArray) prompt = ns_prompt_tokens(corpus, &settings, text);
    if (!question->prompt && corpus->arch == NS_ARCH_DECODER && !corpus->sampler->answer)
        g_array_set_size(prompt, 1 + (guint)(question->answer.step % prompt->len));
    ns_prompt_text(corpus, prompt, question->answer.prompt[lane], NS_ANSWER_PROMPT);
    GError *failure = NULL;
    question->answer.n[lane] =
        ns_next_tokens(run->model, corpus, prompt, question->answer.next[lane], &failure);
    if (failure) g_propagate_error(error, failure);
    return !failure;
}

static void work(GTask *task, gpointer session, gpointer data, GCancellable *cancellable)
{
    (void)session, (void)cancellable;
    Question *question = data;
    GError *error = NULL;
    for (size_t lane = 0; lane < question->answer.lanes; lane++)
        if (question->checkpoints[lane] && !ask_lane(question, lane, &error)) {
            g_task_return_error(task, error);
            return;
        }
    g_task_return_pointer(task, g_memdup2(&question->answer, sizeof question->answer), g_free);
}

void ns_session_ask(NsSession *session, const char *prompt, GAsyncReadyCallback done, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(session, NULL, done, data);
    Question *question = g_new0(Question, 1);
    question->prompt = g_strdup(prompt);
    question->answer.lanes = session->view->started.n;
    bool found = ns_session_checkpoints_at(session, ns_session_shown_step(session),
                                           question->checkpoints, &question->answer.step);
    g_task_set_task_data(task, question, question_free);
    if (found)
        g_task_run_in_thread(task, work);
    else
        g_task_return_new_error(task, NS_ERROR, NS_ERROR_USAGE, "%s",
                                _("The weights of this step are not stored; pause the run here."));
}
