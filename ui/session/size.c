/* What a run takes: memory and time.  SPDX-License-Identifier: MIT
 *
 * Of a run that is there its trainer knows.  Of settings that no run has yet a thread works it out:
 * the data tell how many symbols there are, and a plan of thousands of layers takes its time. */
#include "core/base/words.h"
#include "core/data/task.h"
#include "core/experiment/param.h"
#include "core/model/model.h"
#include "ui/session/session-private.h"

#include <gio/gio.h>

/* What the thread is given, and what it gives back. */
typedef struct {
    NsLanes lanes;
    guint64 serial;
    NsCorpus *corpus; /* of the first lane's data as they were last opened, or NULL */
    NsSettings data;  /* what it was opened for */
    NsPlan plan;
    bool planned; /* else the data cannot be used, and a start will say so */
} Estimate;

static void add_plan(NsPlan *sum, const NsPlan *plan)
{
    sum->parameters += plan->parameters;
    sum->weight_bytes += plan->weight_bytes;
    sum->gradient_bytes += plan->gradient_bytes;
    sum->moment_bytes += plan->moment_bytes;
    sum->activation_bytes += plan->activation_bytes;
    sum->total_bytes += plan->total_bytes;
    sum->gflop_per_step += plan->gflop_per_step;
    sum->threads += plan->threads;
}

/* ---- Of settings that no run has ---- */

static void estimate_free(gpointer data)
{
    Estimate *estimate = data;
    if (!estimate) return;
    ns_lanes_clear(&estimate->lanes);
    ns_settings_clear(&estimate->data);
    g_clear_pointer(&estimate->corpus, ns_corpus_unref);
    g_free(estimate);
}

static void work_out(GTask *task, gpointer session, gpointer data, GCancellable *cancellable)
{
    (void)session, (void)cancellable;
    Estimate *estimate = data;
    const NsLanes *lanes = &estimate->lanes;
    if (!estimate->corpus || !ns_settings_same_data(&estimate->data, &lanes->settings[0])) {
        g_clear_pointer(&estimate->corpus, ns_corpus_unref);
        estimate->corpus = ns_corpus_open(&lanes->settings[0], NULL);
        ns_settings_clear(&estimate->data);
        ns_settings_copy(&estimate->data, &lanes->settings[0]);
    }
    for (size_t lane = 0; estimate->corpus && lane < lanes->n; lane++) {
        const NsSettings *settings = &lanes->settings[lane];
        NsPlan plan = ns_model_plan(settings, ns_corpus_vocab(estimate->corpus, settings));
        add_plan(&estimate->plan, &plan);
    }
    estimate->planned = estimate->corpus != NULL;
    g_task_return_boolean(task, TRUE);
}

static void on_worked_out(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)data;
    NsSession *session = NS_SESSION(object);
    Estimate *estimate = g_task_get_task_data(G_TASK(result));
    session->estimating = false;
    /* The task owns what it was given, so what is kept is a copy. */
    Estimate *kept = g_memdup2(estimate, sizeof *estimate);
    ns_lanes_copy(&kept->lanes, &estimate->lanes);
    ns_settings_copy(&kept->data, &estimate->data);
    if (kept->corpus) ns_corpus_ref(kept->corpus);
    estimate_free(session->estimate);
    session->estimate = kept;
    if (kept->serial != session->serial) ns_session_estimate(session);
    ns_session_emit(session, NS_SESSION_STATUS_CHANGED);
}

void ns_session_estimate(NsSession *session)
{
    if (session->estimating || (session->problem && !session->problem_is_run)) return;
    const Estimate *last = session->estimate;
    Estimate *wanted = g_new0(Estimate, 1);
    ns_lanes_copy(&wanted->lanes, &session->lanes);
    wanted->serial = session->serial;
    if (last && last->corpus) wanted->corpus = ns_corpus_ref(last->corpus);
    if (last)
        ns_settings_copy(&wanted->data, &last->data);
    else
        ns_settings_init(&wanted->data);
    g_autoptr(GTask) task = g_task_new(session, NULL, on_worked_out, NULL);
    g_task_set_task_data(task, wanted, estimate_free);
    session->estimating = true;
    g_task_run_in_thread(task, work_out);
}

void ns_session_free_estimate(NsSession *session)
{
    estimate_free(session->estimate);
    session->estimate = NULL;
}

/* ---- Of the run ---- */

bool ns_session_plan(NsSession *session, NsPlan *plan)
{
    *plan = (NsPlan){0};
    for (size_t lane = 0; session->trainer && lane < session->run.n; lane++) {
        NsPlan own;
        if (!ns_trainer_plan(session->trainer, lane, &own)) return false;
        add_plan(plan, &own);
    }
    return session->trainer != NULL;
}

/* All digits, or millions from a million on: "311,296", "1.21 M". */
static char *short_count(size_t n)
{
    if (n < 1000000) return ns_group_digits((int64_t)n);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    const char *format = n < 100000000 ? "%.3g" : "%.0f";
    return g_strconcat(g_ascii_formatd(number, sizeof number, format, (double)n / 1e6), " M", NULL);
}

/* With two digits that say something: "3.1 ms", "48 ms", "1.4 s". */
static char *duration(double seconds)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    if (seconds < 0.9995) {
        const char *format = seconds < 0.00995 ? "%.1f" : "%.0f";
        return g_strdup_printf(_("%s ms"),
                               g_ascii_formatd(number, sizeof number, format, seconds * 1e3));
    }
    const char *format = seconds < 9.95 ? "%.1f" : "%.0f";
    return g_strdup_printf(_("%s s"), g_ascii_formatd(number, sizeof number, format, seconds));
}

/* Of the slowest lane; 0 where it is not known. */
static double first_seconds(NsSession *session)
{
    double seconds = 0.0;
    for (size_t lane = 0; lane < session->view->n_lanes; lane++) {
        if (ns_session_records(session, lane) == 0) return 0.0;
        const NsStep *first = ns_history_step(session->view->lanes[lane].history, 0);
        seconds = MAX(seconds, first->seconds);
    }
    return seconds;
}

/* Of the settings that the controls show, from how fast the run is or was at its first step; 0
 * where there is nothing to go by. */
static double expected_seconds(NsSession *session, const NsPlan *plan)
{
    NsPlan run;
    if (!ns_session_plan(session, &run) || run.gflop_per_step <= 0.0) return 0.0;
    double pace = ns_session_pace(session).steps_per_second;
    double seconds = pace > 0.0 ? 1.0 / pace : first_seconds(session);
    return seconds * plan->gflop_per_step / run.gflop_per_step;
}

/* "37.3 MiB", with a point in every language, as all numbers here have. */
static char *memory_words(size_t bytes)
{
    return g_strdelimit(g_format_size_full(bytes, G_FORMAT_SIZE_IEC_UNITS), ",", '.');
}

static char *words_of_estimate(NsSession *session, const NsPlan *plan)
{
    g_autoptr(GError) error = NULL;
    if (!ns_plan_check(plan, &error)) return g_strdup(error->message);
    g_autofree char *parameters = short_count(plan->parameters);
    g_autofree char *memory = memory_words(plan->total_bytes);
    double seconds = expected_seconds(session, plan);
    if (seconds <= 0.0)
        return g_strdup_printf(_("It will take %s parameters, %s."), parameters, memory);
    g_autofree char *time = duration(seconds);
    return g_strdup_printf(_("It will take %s parameters, %s, about %s a step."), parameters,
                           memory, time);
}

static char *words_of_run(NsSession *session, const NsPlan *plan)
{
    g_autofree char *parameters = short_count(plan->parameters);
    g_autofree char *memory = memory_words(plan->total_bytes);
    double seconds = first_seconds(session);
    if (seconds <= 0.0 || ns_session_first_step(session) > 0)
        return g_strdup_printf(_("%s parameters, %s"), parameters, memory);
    g_autofree char *time = duration(seconds);
    return g_strdup_printf(_("%s parameters, %s, step 0 in %s"), parameters, memory, time);
}

char *ns_session_size(NsSession *session)
{
    NsPlan plan;
    const Estimate *estimate = session->estimate;
    if (!ns_session_differs(session) && ns_session_plan(session, &plan))
        return words_of_run(session, &plan);
    if (!estimate || estimate->serial != session->serial || !estimate->planned) return NULL;
    return words_of_estimate(session, &estimate->plan);
}
