/* Spikes and divergences with their remedies, and checks of gradients.
 * SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "core/model/placement.h"
#include "core/probe/seeds.h"
#include "core/train/spike.h"
#include "ui/session/session-private.h"

#include <float.h>
#include <math.h>

/* The number of records before a spike whose mean it is compared with. */
#define BEFORE 10

/* A trouble up to this step is early: training from the beginning takes a moment. */
#define EARLY_STEP 200

static double jumping(const NsStep *step, const NsEvent *event)
{
    return g_str_equal(event->what, "loss") ? step->loss : step->grad_norm;
}

/* The size of a spike, as a multiple of the mean before it. */
static double size_of(const NsHistory *history, const NsEvent *event)
{
    size_t at = (size_t)MAX(ns_history_record(history, event->step), 0);
    size_t first = at > BEFORE ? at - BEFORE : 0;
    double sum = 0.0;
    for (size_t i = first; i < at; i++) sum += jumping(ns_history_step(history, i), event);
    return at ? jumping(ns_history_step(history, at), event) * (double)(at - first) / sum : 0.0;
}

static const NsHistory *history_of(NsSession *session, const NsTrouble *trouble)
{
    return ns_history_seed(session->view->histories[trouble->lane], (size_t)trouble->seed);
}

/* The later trouble matters more; in one step a divergence, then the larger spike, then the first
 * lane. */
static bool matters_more(NsSession *session, const NsTrouble *news, const NsTrouble *known)
{
    if (!known->event || news->step != known->step)
        return !known->event || news->step > known->step;
    if (news->spike != known->spike) return known->spike;
    if (!news->spike) return news->lane < known->lane;
    double left = size_of(history_of(session, news), news->event);
    double right = size_of(history_of(session, known), known->event);
    return left != right ? left > right : news->lane < known->lane;
}

/* Step 0, before any update, shows the forward pass alone.  A run whose loss came down from there
 * has got over it, and a later trouble has another cause. */
static const NsEvent *forward_event(const NsHistory *history, int64_t step)
{
    double near = NS_FAR_FROM_UNIFORM * ns_history_baselines(history).uniform;
    int64_t before = ns_history_record(history, step - 1);
    for (int64_t i = 0; i <= before; i++)
        if (ns_history_step(history, (size_t)i)->loss <= near) return NULL;
    for (size_t i = 0; i < ns_history_events(history); i++)
        if (ns_history_event(history, i)->kind == NS_EVENT_FIRST_LOSS)
            return ns_history_event(history, i);
    return NULL;
}

void ns_session_poll_trouble(NsSession *session)
{
    bool news = false;
    for (size_t lane = 0; lane < session->view->started.n; lane++) {
        NsHistory *all = session->view->histories[lane];
        for (size_t seed = 0; all && seed < ns_history_seeds(all); seed++) {
            NsHistory *history = ns_history_seed(all, seed);
            size_t n = ns_history_events(history);
            for (size_t i = session->events_seen[lane][seed]; i < n; i++) {
                const NsEvent *event = ns_history_event(history, i);
                bool diverged = event->kind == NS_EVENT_DIVERGED;
                if (event->kind == NS_EVENT_SETTING) {
                    /* The row of the setting says what the change did once a step was made. */
                    if (event->step > ns_history_last_step(history)) {
                        n = i;
                        break;
                    }
                    news = true;
                }
                if (event->kind != NS_EVENT_SPIKE && !diverged) continue;
                /* The first update is impossible if the squares of the gradients at step 0 overflow
                 * single precision. */
                int64_t first = ns_history_record(history, 0);
                NsTrouble trouble = {.lane = (int)lane,
                                     .seed = (int)seed,
                                     .step = event->step,
                                     .spike = !diverged,
                                     .first = event->step == 0,
                                     .huge = diverged && event->step == 1 && first >= 0 &&
                                             ns_history_step(history, (size_t)first)->grad_norm >
                                                 sqrt((double)FLT_MAX),
                                     .event = event,
                                     .forward = forward_event(history, event->step)};
                if (!matters_more(session, &trouble, &session->trouble)) continue;
                session->trouble = trouble;
                news = true;
            }
            session->events_seen[lane][seed] = n;
        }
    }
    if (news) g_signal_emit_by_name(session, "status-changed");
}

bool ns_session_trouble(NsSession *session, NsTrouble *trouble)
{
    *trouble = session->trouble;
    return session->trouble.event != NULL;
}

void ns_session_clear_trouble(NsSession *session)
{
    session->trouble = (NsTrouble){0};
    session->n_remedies = 0;
    g_clear_pointer(&session->trial, ns_trainer_release);
}

void ns_session_dismiss_trouble(NsSession *session)
{
    ns_session_clear_trouble(session);
    g_signal_emit_by_name(session, "status-changed");
}

/* ---- Remedies ---- */

static void add_remedy(NsSession *session, const char *key, const char *value)
{
    NsRemedy *remedy = &session->remedies[session->n_remedies++];
    *remedy = (NsRemedy){.key = key};
    g_strlcpy(remedy->value, value, sizeof remedy->value);
}

/* Starts the trial of a remedy; false if its settings are refused. */
static bool begin_trial(NsSession *session, NsRemedy *remedy)
{
    const NsTrouble *trouble = &session->trouble;
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    size_t from = session->experiment.from[trouble->lane];
    const NsSettings *settings = &session->experiment.lane[trouble->lane];
    g_auto(NsExperiment) lane;
    ns_experiment_init(&lane);
    ns_experiment_set_lanes(&lane, &settings, 1);
    ns_experiment_settle(&lane, 1);
    if (!trouble->first &&
        ns_session_find_checkpoints(session, session->remedies_before, checkpoints) < 0)
        return false;
    session->remedies_start = trouble->first ? 0 : checkpoints[from]->step;
    const NsTrainerStart start = {.origins = trouble->first ? NULL : &checkpoints[from],
                                  .checkpoint_bytes = 1};
    if (ns_experiment_set(&lane, 0, remedy->key, remedy->value, NULL))
        session->trial = ns_trainer_start(&lane, &start, NULL);
    ns_session_drop_checkpoints(checkpoints);
    if (!session->trial) return false;
    remedy->state = NS_REMEDY_IN_TRIAL;
    remedy->step = trouble->step + NS_REMEDY_STEPS;
    ns_trainer_set_pause_on_trouble(session->trial, trouble->spike);
    ns_trainer_run_until(session->trial, (NsTrainerUntil){.step = remedy->step});
    return true;
}

/* Judges the trial that has ended. */
static void end_trial(NsSession *session, NsRemedy *remedy)
{
    g_autoptr(NsHistory) history = ns_trainer_history(session->trial, 0);
    size_t records = history ? ns_seeds_records(history) : 0;
    bool diverged = ns_trainer_lane_state(session->trial, 0) == NS_TRAINER_DIVERGED;
    g_clear_pointer(&session->trial, ns_trainer_release);
    remedy->state = NS_REMEDY_FAILS;
    if (diverged || records == 0) return;
    NsStep last = ns_seeds_step(history, records - 1);
    double most = NS_FAR_FROM_UNIFORM * ns_history_baselines(history).uniform;
    bool whole = last.step == remedy->step || last.step == session->experiment.lane[0].steps;
    remedy->step = last.step;
    remedy->loss = last.loss;
    if (whole && isfinite(last.loss) && !(last.loss > most)) remedy->state = NS_REMEDY_HELPS;
}

/* Where nothing helps right before an early trouble, the damage may be done already: tries again
 * from the first checkpoint. */
static bool try_again(NsSession *session)
{
    bool early =
        session->remedies_start > session->fork_step && session->trouble.step <= EARLY_STEP;
    for (size_t i = 0; i < session->n_remedies; i++)
        early &= session->remedies[i].state == NS_REMEDY_FAILS;
    if (!early) return false;
    session->remedies_before = session->fork_step;
    for (size_t i = 0; i < session->n_remedies; i++) session->remedies[i].state = NS_REMEDY_WAITS;
    return true;
}

/* Whether there are remedies for the run on view; forgets those for another. */
static bool has_remedies(NsSession *session)
{
    if (session->n_remedies && session->remedies_for == session->serial) return true;
    session->n_remedies = 0;
    g_clear_pointer(&session->trial, ns_trainer_release);
    return false;
}

bool ns_session_poll_remedies(NsSession *session)
{
    if (!has_remedies(session)) return false;
    size_t at = 0;
    while (at < session->n_remedies && session->remedies[at].state > NS_REMEDY_IN_TRIAL) at++;
    if (at == session->n_remedies && try_again(session)) at = 0;
    if (at == session->n_remedies) return false;
    NsRemedy *remedy = &session->remedies[at];
    if (remedy->state == NS_REMEDY_WAITS && !begin_trial(session, remedy))
        remedy->state = NS_REMEDY_FAILS;
    else if (session->trial && ns_trainer_wait(session->trial, 0))
        end_trial(session, remedy);
    if (remedy->state > NS_REMEDY_IN_TRIAL) g_signal_emit_by_name(session, "status-changed");
    return true;
}

const NsRemedy *ns_session_remedies(NsSession *session, size_t *n, int64_t *from)
{
    bool lane = session->trouble.event && (size_t)session->trouble.lane < session->experiment.n;
    if (!has_remedies(session) && lane &&
        (session->trouble.first || ns_session_can_fork(session))) {
        session->remedies_for = session->serial;
        session->remedies_before = session->trouble.step - 1;
        /* Lists what may help: where the forward pass is at fault only what acts on it, and where
         * the squares of the first gradients overflow nothing that acts on the learning rate. */
        const NsTrouble *trouble = &session->trouble;
        const NsSettings *settings = &session->experiment.lane[(size_t)trouble->lane];
        bool updates = !trouble->first && !trouble->forward, rates = updates && !trouble->huge;
        char value[G_ASCII_DTOSTR_BUF_SIZE];
        for (double by = 10.0; rates && by < 1000.0; by *= 10.0)
            add_remedy(session, "lr",
                       g_ascii_formatd(value, sizeof value, "%.3g", settings->lr / by));
        /* Ten times as long, and long enough to matter at the step of the trouble. */
        int64_t warmup = MAX(settings->warmup, 1) * 10;
        while (warmup <= trouble->step) warmup *= 10;
        g_snprintf(value, sizeof value, "%" G_GINT64_FORMAT, warmup);
        if (rates) add_remedy(session, "warmup", value);
        if (updates && !(settings->clip > 0.0 && settings->clip <= 1.0))
            add_remedy(session, "clip", "1");
        if ((int)settings->placement != ns_choices_find(ns_placement_choice, "pre"))
            add_remedy(session, "placement", "pre");
        if (trouble->forward && settings->final_norm == NS_SWITCH_OFF)
            add_remedy(session, "final-norm", "on");
        if (!rates && settings->init_scale > 1.0) add_remedy(session, "init-scale", "1");
    }
    *n = session->n_remedies;
    *from = session->remedies_start;
    return session->remedies;
}

bool ns_session_remedy(NsSession *session, size_t lane, const char *key, const char *value)
{
    NsTrouble trouble = session->trouble;
    int64_t before = session->n_remedies ? session->remedies_before
                     : trouble.event     ? trouble.step - 1
                                         : ns_session_shown_step(session);
    /* An entry that cannot be used must not disable the remedy. */
    if (!ns_session_can_restart(session)) ns_session_drop_pending(session);
    if (!(trouble.first || ns_session_can_fork(session)) ||
        !ns_session_set_lane(session, lane, key, value))
        return false;
    session->wants_run = ns_session_can_restart(session);
    if (trouble.first) ns_session_restart(session);
    if (trouble.first) return session->wants_run;
    if (session->wants_run && ns_session_start_at(session, before)) return true;
    session->wants_run = false;
    return false;
}

/* ---- Gradient checks ---- */

void ns_session_check(NsSession *session, size_t lane, unsigned layer)
{
    if (ns_session_is_watching(session))
        ns_session_report(session,
                          _("Another program trains this run; only gradients of a run that "
                            "is trained here can be checked."));
    else if (ns_session_is_past(session))
        ns_session_report(
            session,
            _("An earlier run is shown; press Run to continue it, then check its gradients."));
    if (!session->trainer || lane >= session->run->n || session->state == NS_TRAINER_FAILED) return;
    session->checking = true;
    ns_trainer_check(session->trainer, lane, layer);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_drop_check(NsSession *session)
{
    bool had = session->checking || session->check;
    session->checking = false;
    g_clear_pointer(&session->check, g_free);
    if (had) g_signal_emit_by_name(session, "checked");
}

bool ns_session_poll_check(NsSession *session)
{
    if (!session->checking) return false;
    NsGradientCheck check;
    bool rests = ns_trainer_wait(session->trainer, 0); /* queried first, so that its result is
                                                          complete */
    if (ns_trainer_take_check(session->trainer, &check)) {
        g_free(session->check);
        session->check = g_memdup2(&check, sizeof check);
    } else if (!rests) {
        return true;
    }
    /* The trainer is idle without a result: the check was canceled. */
    session->checking = false;
    g_signal_emit_by_name(session, "checked");
    return false;
}
