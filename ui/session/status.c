/* A session in words: the status in the title bar, and what a run takes.
 * SPDX-License-Identifier: MIT
 *
 * The trainer has the plan of its own run.  For settings that no run has yet, a thread makes the
 * plan, because it has to open the data to count the tokens, and thousands of layers take a
 * while. */
#include "core/base/words.h"
#include "core/data/task.h"
#include "core/experiment/param.h"
#include "core/model/model.h"
#include "ui/figures/settings_caption.h"
#include "ui/plot/text.h"
#include "ui/session/session-private.h"

#include <gio/gio.h>
#include <inttypes.h>
#include <math.h>

/* ---- The plan of a run ---- */

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
    g_task_return_pointer(task, estimate, estimate_free);
}

static void on_worked_out(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)object;
    NsSession *session = data;
    Estimate *estimate = g_task_propagate_pointer(G_TASK(result), NULL);
    session->estimating = false;
    estimate_free(session->estimate);
    session->estimate = estimate;
    if (estimate->serial != session->serial) ns_session_estimate(session);
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
    g_task_set_task_data(task, wanted, NULL); /* it is the result, too */
    session->estimating = true;
    g_task_run_in_thread(task, work_out);
}

void ns_session_free_estimate(NsSession *session)
{
    estimate_free(session->estimate);
    session->estimate = NULL;
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

/* The speed is averaged over this time. */
#define SPEED_WINDOW_S 1.0

/* The names of lanes that differ in more settings than this list only some of them. */
#define DIFFERENCES_NAMED 3

/* ---- Titles ---- */

static const NsExperiment *titled(NsSession *session)
{
    return ns_session_pending(session) ? session->run : &session->experiment;
}

char *ns_session_title(NsSession *session)
{
    if (ns_session_is_watching(session)) return g_strdup(session->opened->recorded->title);
    return ns_experiment_title(titled(session));
}

char *ns_session_brief_title(NsSession *session)
{
    size_t n = session->view->started.n;
    if (n <= 2 && !ns_session_is_watching(session))
        return ns_experiment_brief_title(titled(session));
    return g_strdup_printf(ns_plural("%zu lane", "%zu lanes", n), n);
}

char *ns_session_differences(NsSession *session)
{
    const NsExperiment *experiment = &session->experiment;
    if (experiment->n < 2) return NULL;
    size_t n = ns_experiment_differences(experiment);
    if (n == 0)
        return g_strdup(ns_session_pending(session) ? _("All lanes will be identical.")
                                                    : _("All lanes are identical."));
    const NsSettings *lanes[NS_LANES_MAX];
    for (size_t i = 0; i < experiment->n; i++) lanes[i] = &experiment->lane[i];
    const NsParam *param = ns_param(0);
    while (!ns_experiment_differs(experiment, param)) param++;
    /* "A Post-LN, B Pre-LN", "Final norm: A Automatic, B Off", "A Post-LN, lr 0.001; B DeepNorm";
     * "A Peri-LN, RMSNorm; B Pre-LN", where the placement brings the kind of norm. */
    bool alone = n == 1 && !g_str_equal(param->key, "placement"), lists = n > 1;
    g_auto(GStrv) lane = g_new0(char *, experiment->n + 1);
    for (size_t i = 0; i < experiment->n; i++) {
        g_autofree char *own = alone ? ns_settings_value_words(lanes[i], param)
                                     : ns_settings_special_words(lanes, experiment->n, i);
        lists |= strchr(own, ',') != NULL;
        lane[i] = g_strdup_printf("%s %s", ns_lane_letter(i), own);
    }
    g_autofree char *all = g_strjoinv(lists ? "; " : ", ", lane);
    /* The charts have the names of the lanes that run. */
    g_autofree char *text = g_strconcat(ns_session_pending(session) ? _("Pending: ") : "",
                                        alone ? _(param->label) : "", alone ? ": " : "", all, NULL);
    return n > DIFFERENCES_NAMED ? g_strdup_printf("%s.", text)
                                 : g_strdup_printf(_("%s; all else equal."), text);
}

/* ---- Speed ---- */

/* The time of one record over all seeds, which run one after another. */
static NsStep time_of(NsHistory *history, size_t record)
{
    NsStep sum = {0};
    for (size_t k = 0; k < ns_history_seeds(history); k++) {
        const NsHistory *seed = ns_history_seed(history, k);
        if (record >= ns_history_steps(seed)) continue;
        sum.seconds += ns_history_step(seed, record)->seconds;
        sum.probe_seconds += ns_history_step(seed, record)->probe_seconds;
    }
    return sum;
}

/* The pace of the slowest lane, without the chosen limit, over the last second or, if expensive
 * quantities are measured, over at least one interval between probes.  The number of records is
 * limited, because this runs once per frame. */
static NsPace free_pace(NsSession *session)
{
    const NsView *view = session->view;
    NsPace slowest = {(double)NAN, 0.0, 0};
    for (size_t lane = 0; lane < view->started.n && !session->slow; lane++) {
        NsHistory *history = view->histories[lane];
        int64_t probe_every = view->now.lane[lane].probe_every;
        size_t n = 0;
        double seconds = 0.0, probes = 0.0;
        if (!history) continue;
        for (size_t i = ns_history_steps(history); i > 1; i--, n++) {
            bool enough = probe_every <= 0 || (int64_t)n >= probe_every;
            if ((seconds >= SPEED_WINDOW_S || n >= NS_PACE_RECORDS) && enough) break;
            NsStep step = time_of(history, i - 1);
            seconds += step.seconds;
            probes += step.probe_seconds;
        }
        NsPace pace = {(double)NAN, 0.0, n};
        if (seconds > 0.0) pace = (NsPace){(double)n / seconds, probes / seconds, n};
        if (!(slowest.steps_per_second <= pace.steps_per_second)) slowest = pace;
    }
    return slowest;
}

NsPace ns_session_pace(NsSession *session)
{
    NsPace slowest = free_pace(session);
    double limit = session->speed;
    if (limit > 0.0 && slowest.steps_per_second > limit) slowest.steps_per_second = limit;
    return slowest;
}

/* ---- Status ---- */

/* "2.31", or "A 3.1, B 2.2 (mean of 5 seeds)"; NULL if no lane has a finite loss. */
static char *losses(NsSession *session)
{
    const NsView *view = session->view;
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t lane = 0; lane < view->started.n; lane++) {
        double loss = ns_session_newest_loss(session, lane);
        if (!isfinite(loss)) continue;
        g_autofree char *number = ns_text_value(loss, 3);
        if (text->len) g_string_append(text, ", ");
        if (view->started.n > 1) g_string_append_printf(text, "%s ", ns_view_lane_name(view, lane));
        g_string_append(text, number);
    }
    size_t seeds = view->history ? ns_history_seeds(view->history) : 1;
    if (text->len && seeds > 1) g_string_append_printf(text, _(" (mean of %zu seeds)"), seeds);
    return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}

/* Whether the file of the run ends before the run did: training was interrupted, or goes on in
 * another program. */
static bool is_recorded_in_part(NsSession *session, NsTrainerState state)
{
    return state == NS_TRAINER_FINISHED && ns_session_is_past(session) &&
           ns_session_steps(session) < ns_session_end_step(session);
}

/* "paused at step 1,240", "step 1,240". */
static void append_state(GString *text, NsSession *session, NsTrainerState state, bool brief)
{
    const char *word = _(ns_trainer_state_word(state));
    int64_t step = ns_session_steps(session);
    g_autofree char *count = ns_group_digits(step);
    g_autofree char *watched =
        ns_session_is_watching(session) ? ns_session_watch_words(session) : NULL;
    if (watched && !brief)
        g_string_append(text, watched);
    else if (brief)
        g_string_append_printf(text, _("step %s"), count);
    else if (session->slow && session->wants_run)
        g_string_append_printf(text, _("in slow motion at step %s"), count);
    else if (is_recorded_in_part(session, state))
        g_string_append_printf(text, _("recorded to step %s"), count);
    else if (step > 0)
        g_string_append_printf(text, _("%s at step %s"), word, count);
    else
        g_string_append_printf(text, _("%s, step %s"), word, count);
}

/* "preparing B, stage 3 of 4: initializing the weights, 7 s": a long preparation shows its
 * progress. */
static char *preparing(NsSession *session)
{
    static const char *const stages[NS_RUN_STAGES] = {N_("initializing the weights"),
                                                      N_("measuring the first step")};
    const char *word = _(ns_trainer_state_word(NS_TRAINER_PREPARING));
    gint64 seconds = (g_get_monotonic_time() - session->launched) / G_USEC_PER_SEC;
    unsigned done = session->trainer ? ns_trainer_prepared(session->trainer) : 0;
    unsigned of_lane = NS_RUN_STAGES * (unsigned)session->run->lane[0].seeds;
    unsigned all = of_lane * (unsigned)session->run->n;
    if (seconds < 1 || done >= all) return g_strdup(word);
    const char *lane = session->run->n > 1 ? ns_lane_letter(done / of_lane) : "";
    return g_strdup_printf(_("%s%s%s, stage %u of %u: %s, %" PRId64 " s"), word, *lane ? " " : "",
                           lane, done + 1, all, _(stages[done % NS_RUN_STAGES]), seconds);
}

char *ns_session_preparing_words(NsSession *session)
{
    int64_t layers = session->run->lane[0].layers;
    for (size_t i = 1; i < session->run->n; i++)
        if (session->run->lane[i].layers != layers) return g_strdup(_("Preparing the models…"));
    g_autofree char *digits = ns_group_digits(layers);
    return g_strdup_printf(ns_plural("Preparing %s layer…", "Preparing %s layers…", layers),
                           digits);
}

char *ns_session_status(NsSession *session, NsStatusLength length)
{
    NsTrainerState state = session->state;
    const char *word = _(ns_trainer_state_word(state));
    const NsHistory *history = session->view->history;
    bool brief = length >= NS_STATUS_BRIEF;
    if (state == NS_TRAINER_PREPARING && !brief) return preparing(session);
    if (!history && ns_session_is_watching(session)) return ns_session_watch_words(session);
    if (state == NS_TRAINER_PREPARING || state == NS_TRAINER_FAILED || !history)
        return g_strdup(word);

    g_autoptr(GString) text = g_string_new(NULL);
    append_state(text, session, state, brief);
    g_autofree char *loss = length == NS_STATUS_STEP ? NULL : losses(session);
    if (loss) g_string_append_printf(text, _(", loss %s"), loss);
    if (length == NS_STATUS_WHOLE && ns_session_is_watching(session)) {
        double speed = ns_session_pace(session).steps_per_second;
        g_autofree char *number = ns_text_fixed(speed, speed < 9.95);
        if (state != NS_TRAINER_DIVERGED && isfinite(speed))
            g_string_append_printf(text, _(", %s steps/s"), number);
    }
    /* Lists the lanes that diverged while others continue. */
    const NsView *view = session->view;
    for (size_t lane = 0; view->started.n > 1 && lane < view->started.n; lane++) {
        if (ns_session_lane_state(session, lane) != NS_TRAINER_DIVERGED) continue;
        /* The log of another program may go on after it. */
        const NsHistory *own = view->histories[lane];
        const NsEvent *event = own ? ns_history_divergence(own) : NULL;
        int64_t at = event ? event->step : own ? ns_history_last_step(own) : 0;
        g_autofree char *digits = ns_group_digits(MAX(at, 0));
        g_autofree char *words =
            g_strdup_printf(_("%s diverged at step %s"), ns_view_lane_name(view, lane), digits);
        g_string_append_printf(text, "; %s", words);
    }
    if (session->autosave && ns_autosave_waits(session->autosave))
        g_string_append(text, _("; the run file is locked"));
    g_autofree char *past = length == NS_STATUS_STEP ? NULL : ns_session_past_words(session);
    if (past) g_string_append_printf(text, "; %s", past);
    int64_t pinned = session->view->step;
    if (pinned >= 0) {
        g_autofree char *shown = ns_group_digits(pinned);
        g_string_append_printf(text, _("; showing step %s"), shown);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* ---- Memory and time ---- */

/* All digits below a million, else millions: "311,296", "1.21 M". */
static char *short_count(size_t n)
{
    if (n < 10000) return ns_group_digits((int64_t)n);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    double millions = (double)n / 1e6;
    if (n < 1000000)
        return g_strconcat(g_ascii_formatd(number, sizeof number, "%.0f", millions * 1e3), "k",
                           NULL);
    const char *format = n < 100000000 ? "%.3g" : "%.0f";
    return g_strconcat(g_ascii_formatd(number, sizeof number, format, millions), "M", NULL);
}

/* Two significant digits: "3.1 ms", "48 ms", "1.4 s". */
static char *duration(double seconds)
{
    bool brief = seconds < 0.9995;
    double value = brief ? seconds * 1e3 : seconds;
    g_autofree char *number = ns_text_fixed(value, value < 9.95);
    return g_strdup_printf(brief ? _("%s ms") : _("%s s"), number);
}

char *ns_session_size(NsSession *session)
{
    NsPlan plan;
    g_autoptr(GError) error = NULL;
    bool differs = ns_session_differs(session);
    if (ns_session_is_watching(session)) return g_strdup("");
    bool of_run = !differs && ns_session_plan(session, &plan);
    const Estimate *estimate = session->estimate;
    bool known_yet = estimate && estimate->serial == session->serial && estimate->planned;
    if (!of_run && !known_yet) return NULL;
    if (!of_run) plan = estimate->plan;
    if (!of_run && !ns_plan_check(&plan, &error)) return g_strdup(error->message);
    g_autofree char *parameters = short_count(plan.parameters);
    /* With a decimal point in every language, like all numbers here. */
    g_autofree char *memory =
        g_strdelimit(g_format_size_full(plan.total_bytes, G_FORMAT_SIZE_IEC_UNITS), ",", '.');
    const NsExperiment *experiment = &session->experiment;
    bool several = experiment->n > 1 || experiment->lane[0].seeds > 1;
    if (!differs)
        return g_strdup_printf(several ? _("All models: %s parameters, %s")
                                       : _("%s parameters, %s"),
                               parameters, memory);
    /* Scaled from the speed of the run: its first step alone takes several times as long. */
    NsPlan run;
    double pace = free_pace(session).steps_per_second;
    bool known = pace > 0.0 && ns_session_plan(session, &run) && run.gflop_per_step > 0.0;
    if (!known)
        return g_strdup_printf(_("With the changes: %s parameters, %s."), parameters, memory);
    g_autofree char *time = duration(plan.gflop_per_step / run.gflop_per_step / pace);
    return g_strdup_printf(_("With the changes: %s parameters, %s, about %s per step."), parameters,
                           memory, time);
}
