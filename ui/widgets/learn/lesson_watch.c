/* SPDX-License-Identifier: MIT */
#include "ui/widgets/learn/lesson_watch.h"

#include "core/probe/seeds.h"
#include "core/store/lesson_measure.h"
#include "ui/figures/spec.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

static const NsSessionRun *present(NsSession *session)
{
    size_t n;
    const NsSessionRun *runs = ns_session_runs(session, &n);
    for (size_t i = 0; i < n; i++)
        if (runs[i].present) return &runs[i];
    return NULL;
}

unsigned ns_lesson_present_run(NsSession *session)
{
    const NsSessionRun *run = present(session);
    return run ? run->id : 0;
}

unsigned ns_lesson_run_before(const NsCard *card, NsSession *session)
{
    const NsExperiment *started = &session->view->started;
    bool asks = false, began = true;
    for (size_t i = 0; i < card->conditions.n; i++) {
        const NsLessonCondition *wait = &card->conditions.term[i];
        if (wait->kind != NS_CONDITION_SETTING) continue;
        asks = true;
        began &= wait->lane < started->n &&
                 ns_lesson_condition_setting(wait, &started->lane[wait->lane]);
    }
    return asks && began ? 0 : ns_lesson_present_run(session);
}

bool ns_lesson_is_prepared(NsSession *session)
{
    return session->state != NS_TRAINER_PREPARING;
}

int64_t ns_lesson_steps(NsSession *session)
{
    return ns_lesson_is_prepared(session) ? ns_session_steps(session) : 0;
}

static NsHistory *history_of(void *data, size_t lane, int64_t step)
{
    (void)step;
    const NsSession *session = data;
    return session->view->histories[lane];
}

static char *number_words(double value)
{
    return isfinite(value) ? ns_text_value(value, 3) : g_strdup("…");
}

char *ns_lesson_words(const char *text, NsSession *session)
{
    const NsMeasureSource source = {session->view->started.n, history_of, session, NULL};
    return ns_measure_fill(&source, text, number_words);
}

static bool is_other_run(NsSession *session, const NsLessonSituation *situation, bool fork)
{
    const NsSessionRun *run = present(session);
    return run && run->id != situation->run && (!fork || run->parent != 0);
}

static bool holds(const NsLessonCondition *wait, NsSession *session,
                  const NsLessonSituation *situation)
{
    switch (wait->kind) {
    case NS_CONDITION_STEP:
        return ns_lesson_condition_compare(wait, (double)ns_lesson_steps(session));
    case NS_CONDITION_SHOWN:
        return ns_lesson_is_prepared(session) &&
               ns_lesson_condition_compare(wait, (double)ns_session_shown_step(session));
    case NS_CONDITION_LANES:
        return ns_lesson_condition_compare(wait, (double)session->experiment.n);
    case NS_CONDITION_PAGE:
        return g_strcmp0(situation->page, wait->word) == 0;
    case NS_CONDITION_LAYER:
        return session->view->layer > 0;
    case NS_CONDITION_SETTING:
        return wait->lane < session->experiment.n &&
               ns_lesson_condition_setting(wait, &session->experiment.lane[wait->lane]);
    case NS_CONDITION_LOSS: {
        const NsView *view = session->view;
        NsHistory *history = wait->lane < view->started.n ? view->histories[wait->lane] : NULL;
        size_t records = history ? ns_seeds_records(history) : 0;
        return ns_lesson_is_prepared(session) && records > 0 &&
               ns_lesson_condition_compare(wait, ns_seeds_step(history, records - 1).loss);
    }
    case NS_CONDITION_DIVERGED:
        return wait->lane < session->view->started.n &&
               ns_session_lane_state(session, wait->lane) == NS_TRAINER_DIVERGED;
    case NS_CONDITION_APPLIED:
        return !ns_session_differs(session) && ns_lesson_is_prepared(session);
    case NS_CONDITION_NEW_RUN:
        return is_other_run(session, situation, false);
    case NS_CONDITION_FORK:
        return is_other_run(session, situation, true);
    case NS_CONDITION_ANSWERED:
        return situation->answered;
    case NS_CONDITION_DRAWN:
        return situation->sketched;
    case NS_CONDITION_RUNNING:
        return session->wants_run;
    case NS_CONDITION_PAUSED:
        return !session->wants_run;
    }
    return false;
}

bool ns_lesson_is_done(const NsLessonConditions *conditions, NsSession *session,
                       const NsLessonSituation *situation)
{
    for (size_t i = 0; i < conditions->n; i++)
        if (!holds(&conditions->term[i], session, situation)) return false;
    return true;
}

bool ns_lesson_is_set(const NsLessonConditions *conditions, NsSession *session)
{
    for (size_t i = 0; i < conditions->n; i++)
        if (conditions->term[i].kind == NS_CONDITION_SETTING &&
            !holds(&conditions->term[i], session, NULL))
            return false;
    return true;
}

bool ns_lesson_needs_new_run(const NsCard *card, NsSession *session,
                             const NsLessonSituation *situation)
{
    return card->asks_for_settings && ns_session_steps(session) > 0 &&
           ns_lesson_present_run(session) == situation->run;
}

bool ns_lesson_has_data(const NsLesson *lesson, size_t at, NsSession *session,
                        const NsLessonSituation *situation)
{
    const NsCard *card = &lesson->card[at];
    bool numbers = card->change > 0;
    for (char **text = card->texts; *text; text++) numbers |= strchr(*text, '{') != NULL;
    if (!numbers) return true;
    if (ns_lesson_steps(session) >= ns_lesson_data_step(lesson, at)) return true;
    if (card->data == SIZE_MAX) return false;
    const NsLessonConditions *done = &lesson->card[card->data].conditions;
    for (size_t i = 0; i < done->n; i++)
        if (done->term[i].kind == NS_CONDITION_STEP) return false;
    return done->n > 0 && ns_lesson_is_done(done, session, situation);
}

int64_t ns_lesson_step(const NsLesson *lesson, size_t at, NsSession *session)
{
    const NsCard *card = &lesson->card[at];
    int64_t step = ns_lesson_data_step(lesson, at);
    g_autoptr(GArray) specs = g_array_new(FALSE, FALSE, sizeof(NsFigureSpec));
    const char *chart = card->chart ? card->chart : card->highlight;
    bool runs = card->run || card->tries || ns_lesson_steps(session) <= step;
    if (runs || !chart || !ns_figure_specs_read(specs, chart, NULL)) return -1;
    return g_array_index(specs, NsFigureSpec, 0).kind->abscissa == NS_OVER_STEPS ? -1 : step;
}

double *ns_lesson_measured(const NsCard *card, NsSession *session, size_t *n)
{
    const NsView *view = session->view;
    NsHistory *history =
        card->draw_lane < view->started.n ? view->histories[card->draw_lane] : NULL;
    int64_t record = history ? ns_history_record(history, card->draw_step) : -1;
    if (record < 0 || ns_history_step(history, (size_t)record)->step != card->draw_step)
        return NULL;
    *n = ns_history_layout(history)->count[card->quantity];
    g_autofree float *values = g_new(float, *n);
    double *measured = g_new(double, *n);
    ns_history_read(history, card->quantity, (size_t)record, values, NULL, NULL);
    for (size_t i = 0; i < *n; i++) measured[i] = (double)values[i];
    return measured;
}

/* Whether all settings that a lesson can be about are equal, except these; threads and recomputed
 * activations change no curve. */
static bool is_same(const NsSettings *a, const NsSettings *b, char **except)
{
    const NsParam *param;
    for (size_t i = 0; (param = ns_param(i)); i++) {
        bool counts = !g_str_equal(param->key, "threads") && !g_str_equal(param->key, "recompute");
        counts &= !except || !g_strv_contains((const char *const *)except, param->key);
        if (counts && !ns_settings_same(a, b, param)) return false;
    }
    return true;
}

static bool has_settings(NsSession *session, const NsExperiment *wanted, char **except)
{
    bool same = session->experiment.n == wanted->n;
    for (size_t i = 0; same && i < wanted->n; i++)
        same = is_same(&session->experiment.lane[i], &wanted->lane[i], except);
    return same;
}

bool ns_lesson_has_settings(NsSession *session, const NsExperiment *wanted)
{
    return has_settings(session, wanted, NULL);
}

bool ns_lesson_has_tried(NsSession *session, const NsCard *card)
{
    return card->tries && has_settings(session, &card->end, card->tries) &&
           !has_settings(session, &card->end, NULL);
}

bool ns_lesson_is_run_of(NsSession *session, const NsExperiment *began, const NsExperiment *wanted)
{
    const NsExperiment *started = &session->view->started;
    bool same = !ns_session_pending(session) && ns_lesson_has_settings(session, wanted) &&
                started->n == began->n;
    for (size_t i = 0; same && i < began->n; i++)
        same = is_same(&started->lane[i], &began->lane[i], NULL);
    return same;
}

size_t ns_lesson_origin(const NsLesson *lesson, size_t at)
{
    while (at > 0 && !lesson->card[at].begin.n && !lesson->card[at].asks_for_settings) at--;
    return at;
}

/* Whether any lane has a setting that changed from this step on. */
static bool has_change(NsSession *session, int64_t step)
{
    const NsView *view = session->view;
    for (size_t lane = 0; lane < view->started.n; lane++) {
        const NsHistory *history = view->histories[lane];
        for (size_t i = 0; history && i < ns_history_events(history); i++) {
            const NsEvent *event = ns_history_event(history, i);
            if (event->kind == NS_EVENT_SETTING && event->step == step) return true;
        }
    }
    return false;
}

int64_t ns_lesson_missed_change(const NsLesson *lesson, size_t at, NsSession *session)
{
    for (size_t i = ns_lesson_origin(lesson, at) + 1; i <= at; i++) {
        int64_t step = lesson->card[i].change;
        if (step && ns_lesson_steps(session) > step && !has_change(session, step + 1)) return step;
    }
    return 0;
}
