/* Changes to lanes, settings and links: pending ones, undo, and how they reach the trainer.
 * SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "core/experiment/param.h"
#include "core/model/placement.h"
#include "ui/session/session-private.h"

/* ---- Pending changes ---- */

/* The settings of a new lane are not counted beside the lane itself. */
static bool lane_differs(const NsSession *session, size_t lane, const NsParam *param)
{
    if (param->effect == NS_EFFECT_LIVE || ns_experiment_is_new(&session->experiment, lane))
        return false;
    const NsSettings *run = &session->run->lane[session->experiment.from[lane]];
    return !ns_settings_same(&session->experiment.lane[lane], run, param);
}

static bool param_differs(const NsSession *session, const NsParam *param)
{
    for (size_t lane = 0; lane < session->experiment.n; lane++)
        if (lane_differs(session, lane, param)) return true;
    return false;
}

/* How many lanes would be added, how many lanes of the run removed, and how many settings differ.
 */
static size_t count(const NsSession *session)
{
    size_t n = 0;
    for (size_t lane = 0; lane < session->experiment.n; lane++)
        n += ns_experiment_is_new(&session->experiment, lane);
    for (size_t lane = 0; lane < session->run->n; lane++)
        n += ns_experiment_is_gone(&session->experiment, lane);
    for (size_t i = 0; ns_param(i); i++) n += param_differs(session, ns_param(i));
    return n;
}

bool ns_session_differs(NsSession *session)
{
    return count(session) > 0;
}

size_t ns_session_pending(NsSession *session)
{
    return ns_session_has_begun(session) ? count(session) : 0;
}

bool ns_session_is_pending(NsSession *session, const NsParam *param)
{
    return ns_session_has_begun(session) && param_differs(session, param);
}

/* "Norm placement of B" if the setting is split, "Layers" if it is linked. */
static char *name_of(const NsSession *session, const NsParam *param)
{
    if (ns_experiment_is_linked(&session->experiment, param) || session->experiment.n == 1)
        return g_strdup(_(param->label));
    g_autoptr(GString) lanes = g_string_new(NULL);
    for (size_t lane = 0; lane < session->experiment.n; lane++)
        if (lane_differs(session, lane, param))
            g_string_append_printf(lanes, "%s%s", lanes->len ? ", " : "", ns_lane_letter(lane));
    return g_strdup_printf(_("%s of %s"), _(param->label), lanes->str);
}

char *ns_session_pending_words(NsSession *session)
{
    size_t n = ns_session_pending(session);
    if (n == 0) return NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (size_t lane = 0; lane < session->experiment.n; lane++)
        if (ns_experiment_is_new(&session->experiment, lane))
            g_ptr_array_add(names, g_strdup_printf(_("Lane %s (new)"), ns_lane_letter(lane)));
    for (size_t lane = 0; lane < session->run->n; lane++)
        if (ns_experiment_is_gone(&session->experiment, lane))
            g_ptr_array_add(names, g_strdup_printf(_("Lane %s (removed)"), ns_lane_letter(lane)));
    for (size_t i = 0; ns_param(i); i++)
        if (param_differs(session, ns_param(i)))
            g_ptr_array_add(names, name_of(session, ns_param(i)));
    g_ptr_array_add(names, NULL);
    g_autofree char *list = g_strjoinv(", ", (char **)names->pdata);
    return g_strdup_printf(session->wants_run
                               ? ns_plural("Running without %zu pending change: %s",
                                           "Running without %zu pending changes: %s", n)
                               : ns_plural("%zu pending change: %s", "%zu pending changes: %s", n),
                           n, list);
}

bool ns_session_can_restart(NsSession *session)
{
    return !session->problem || session->problem_is_run;
}

void ns_session_report_placement(NsSession *session)
{
    const NsParam *placement = ns_param_find("placement");
    bool waits = ns_session_pending(session);
    const char *lane = ns_lane_letter(session->active);
    g_autofree char *name = ns_settings_value_words(ns_session_settings(session), placement);
    g_autofree char *words = NULL;
    if (session->experiment.n == 1)
        words = g_strdup_printf(waits ? _("The placement becomes %s with Restart or Fork.")
                                      : _("The placement is now %s."),
                                name);
    else if (ns_experiment_is_linked(&session->experiment, placement))
        words = g_strdup_printf(waits ? _("All lanes become %s with Restart or Fork.")
                                      : _("All lanes are now %s."),
                                name);
    else
        words = g_strdup_printf(
            waits ? _("%s becomes %s with Restart or Fork.") : _("%s is now %s."), lane, name);
    ns_session_report(session, words);
}

/* ---- Undo and redo ---- */

/* The most steps of undo; older ones are dropped. */
#define UNDO_MOST 200

/* Pauses shorter than this belong to the same movement of a slider. */
#define SLIDE_US G_USEC_PER_SEC

/* The experiment before a change. */
typedef struct {
    NsExperiment experiment;
    size_t active;       /* the lane, which becomes active again with its lanes */
    const NsParam *slid; /* the setting whose slider was dragged, or NULL */
    gint64 at;           /* when it was last dragged */
} Entry;

static void entry_free(gpointer data)
{
    Entry *entry = data;
    ns_experiment_clear(&entry->experiment);
    g_free(entry);
}

void ns_session_init_undo(NsSession *session)
{
    session->undo = g_ptr_array_new_with_free_func(entry_free);
    session->redo = g_ptr_array_new_with_free_func(entry_free);
}

static void settle(GPtrArray *entries, size_t n)
{
    for (guint i = 0; i < entries->len; i++) {
        Entry *entry = g_ptr_array_index(entries, i);
        ns_experiment_settle(&entry->experiment, n);
    }
}

void ns_session_settle_undo(NsSession *session)
{
    settle(session->undo, session->experiment.n);
    settle(session->redo, session->experiment.n);
}

/* Adds a step of undo if the experiment differs from the one that rows were last notified of. All
 * changes during a drag of the slider of `slid` (NULL: no slider) are one step. */
static void remember(NsSession *session, const NsParam *slid)
{
    if (ns_experiment_equal(&session->notified, &session->experiment)) return;
    gint64 now = g_get_monotonic_time();
    if (slid && session->undo->len > 0 && session->redo->len == 0) {
        Entry *last = g_ptr_array_index(session->undo, session->undo->len - 1);
        if (last->slid == slid && now - last->at <= SLIDE_US) {
            last->at = now;
            return;
        }
    }
    Entry *entry = g_new0(Entry, 1);
    ns_experiment_copy(&entry->experiment, &session->notified);
    entry->active = session->reported_active;
    entry->slid = slid;
    entry->at = now;
    g_ptr_array_set_size(session->redo, 0);
    g_ptr_array_add(session->undo, entry);
    if (session->undo->len > UNDO_MOST) g_ptr_array_remove_index(session->undo, 0);
}

/* Swaps the experiment with the last entry of undo (`back`) or redo.  FALSE if there is none. */
static bool exchange(NsSession *session, bool back)
{
    GPtrArray *from = back ? session->undo : session->redo;
    if (from->len == 0) return false;
    Entry *entry = g_ptr_array_steal_index(from, from->len - 1);
    Entry present = {.experiment = session->experiment, .active = session->active};
    session->experiment = entry->experiment;
    if (present.experiment.n != session->experiment.n) session->active = entry->active;
    *entry = present;
    g_ptr_array_add(back ? session->redo : session->undo, entry);
    return true;
}

void ns_session_forget_undo(NsSession *session)
{
    g_ptr_array_set_size(session->undo, 0);
    g_ptr_array_set_size(session->redo, 0);
    g_signal_emit_by_name(session, "settings-changed");
}

static char *words_of(GPtrArray *entries, const NsSession *session)
{
    if (entries->len == 0) return NULL;
    const Entry *last = g_ptr_array_index(entries, entries->len - 1);
    return ns_experiment_again_words(&session->experiment, &last->experiment);
}

char *ns_session_undo_words(NsSession *session)
{
    return words_of(session->undo, session);
}

char *ns_session_redo_words(NsSession *session)
{
    return words_of(session->redo, session);
}

/* ---- Applying changes ---- */

/* Whether there is no run here that could be continued. */
static bool needs_trainer(NsSession *session)
{
    return session->state == NS_TRAINER_FAILED || ns_session_is_watching(session);
}

static gboolean restart_now(gpointer data)
{
    NsSession *session = data;
    session->restart_source = 0;
    bool fork = session->origins[0] != NULL;
    if (needs_trainer(session) || ns_session_differs(session))
        ns_session_start(session, fork ? session->origins : NULL, session->pasts);
    return G_SOURCE_REMOVE;
}

static void send_live(NsSession *session)
{
    NsExperiment *run = ns_experiment_new_shared(session->run);
    session->live_at = g_get_monotonic_time();
    session->preparing_to = -1; /* it is not as it was prepared any more */
    for (size_t i = 0; i < session->experiment.n; i++)
        if (!ns_experiment_is_new(&session->experiment, i))
            ns_live_copy(&run->lane[session->experiment.from[i]], &session->experiment.lane[i]);
    ns_session_set_run(session, run);
    if (session->trainer) ns_trainer_set_live(session->trainer, run);
    ns_session_show_started(session);
    g_signal_emit_by_name(session, "status-changed");
}

static gboolean live_now(gpointer data)
{
    NsSession *session = data;
    session->live_source = 0;
    send_live(session);
    return G_SOURCE_REMOVE;
}

void ns_session_apply_now(NsSession *session)
{
    bool live = session->live_source != 0, restart = session->restart_source != 0;
    g_clear_handle_id(&session->live_source, g_source_remove);
    g_clear_handle_id(&session->restart_source, g_source_remove);
    if (live) send_live(session);
    if (restart) restart_now(session);
}

/* ---- Changing settings ---- */

/* Applies the changed settings, or reports why they cannot be used. */
static void settings_differ(NsSession *session, const char *key, bool slides)
{
    g_autoptr(GError) error = NULL;
    size_t lane;
    session->serial++;
    if (!ns_experiment_check(&session->experiment, &lane, &error)) {
        g_clear_handle_id(&session->restart_source, g_source_remove);
        /* With several lanes, the sentence begins with the lane. */
        const char *sentence = error->message;
        g_autofree char *words =
            session->experiment.n > 1
                ? g_strdup_printf(_("Lane %s: %s"), ns_lane_letter(lane), sentence)
                : NULL;
        ns_session_set_problem(session, words ? words : sentence, key, false);
    } else {
        ns_session_clear_problem(session);
        gint64 rested = (g_get_monotonic_time() - session->live_at) / 1000;
        const NsExperiment *now = &session->experiment;
        bool live = false; /* a live setting differs in a lane of the run */
        for (size_t i = 0; i < now->n && !live; i++)
            live = !ns_experiment_is_new(now, i) &&
                   ns_live_differs(&now->lane[i], &session->run->lane[now->from[i]]);
        /* A drag is one change, and one event of the run. */
        if (slides) g_clear_handle_id(&session->live_source, g_source_remove);
        guint wait = slides ? NS_SESSION_REST_MS : NS_SESSION_SETTLE_MS;
        live = live && !session->live_source;
        if (live && !slides && rested >= NS_SESSION_SETTLE_MS)
            send_live(session);
        else if (live)
            session->live_source = g_timeout_add(wait, live_now, session);
        g_clear_handle_id(&session->restart_source, g_source_remove);
        if (!ns_session_has_begun(session) &&
            (needs_trainer(session) || ns_session_differs(session)))
            session->restart_source = g_timeout_add(NS_SESSION_SETTLE_MS, restart_now, session);
        if (ns_session_differs(session)) ns_session_estimate(session);
    }
    session->active = MIN(session->active, session->experiment.n - 1);
    ns_view_set_active(session->view, (unsigned)session->experiment.from[session->active]);
    ns_session_notify_settings(session, key);
    g_signal_emit_by_name(session, "view-changed");
    g_signal_emit_by_name(session, "status-changed");
}

static void changed(NsSession *session, const char *key)
{
    remember(session, NULL);
    settings_differ(session, key, false);
}

typedef struct {
    size_t lane;
    bool own; /* for this lane only, which splits the setting */
    const char *key, *value;
    bool slides;
} Change;

static bool change(NsSession *session, Change wanted)
{
    g_autoptr(GError) error = NULL;
    const NsParam *param = ns_param_find(wanted.key);
    if (wanted.own && param)
        ns_experiment_set_linked(&session->experiment, wanted.lane, param, false);
    if (!ns_experiment_set(&session->experiment, wanted.lane, wanted.key, wanted.value, &error)) {
        ns_experiment_assign(&session->experiment, &session->notified);
        ns_session_set_problem(session, error->message, wanted.key, false);
        ns_session_notify_settings(session, wanted.key);
        g_signal_emit_by_name(session, "status-changed");
        return false;
    }
    remember(session, wanted.slides ? param : NULL);
    settings_differ(session, wanted.key, wanted.slides);
    return true;
}

bool ns_session_set(NsSession *session, const char *key, const char *value)
{
    return change(session, (Change){.lane = session->active, .key = key, .value = value});
}

bool ns_session_slide(NsSession *session, const char *key, const char *value)
{
    return change(session, (Change){session->active, false, key, value, true});
}

bool ns_session_set_lane(NsSession *session, size_t lane, const char *key, const char *value)
{
    if (lane >= session->experiment.n) return false;
    return change(session, (Change){.lane = lane, .own = true, .key = key, .value = value});
}

void ns_session_set_default(NsSession *session, const NsParam *param)
{
    ns_experiment_set(&session->experiment, session->active, param->key, param->default_text, NULL);
    changed(session, param->key);
}

const char *const ns_first_lanes[NS_FIRST_LANES] = {"placement=post", "placement=pre"};

void ns_session_first_experiment(NsExperiment *experiment)
{
    ns_experiment_init(experiment);
    ns_experiment_read_lanes(experiment, ns_first_lanes, NS_FIRST_LANES, NULL, NULL);
}

void ns_session_set_defaults(NsSession *session)
{
    g_auto(NsExperiment) first;
    ns_session_first_experiment(&first);
    ns_session_open(session, &first);
}

void ns_session_open(NsSession *session, const NsExperiment *experiment)
{
    ns_experiment_assign(&session->experiment, experiment);
    ns_experiment_share(&session->experiment);
    for (size_t lane = 0; lane < experiment->n; lane++)
        session->experiment.from[lane] = MIN(lane, session->run->n - 1);
    changed(session, NULL);
}

void ns_session_drop_pending(NsSession *session)
{
    ns_experiment_take_back(&session->experiment, session->run);
    changed(session, NULL);
}

void ns_session_undo(NsSession *session)
{
    if (exchange(session, true)) settings_differ(session, NULL, false);
}

void ns_session_redo(NsSession *session)
{
    if (exchange(session, false)) settings_differ(session, NULL, false);
}

/* ---- Lanes and links ---- */

void ns_session_set_active(NsSession *session, size_t lane)
{
    lane = MIN(lane, session->experiment.n - 1);
    if (lane == session->active) return;
    session->active = lane;
    ns_view_set_active(session->view, (unsigned)session->experiment.from[lane]);
    ns_session_notify_settings(session, NULL);
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_set_lanes(NsSession *session, size_t n)
{
    ns_experiment_resize(&session->experiment, n, session->active);
    changed(session, NULL);
}

void ns_session_add_lane(NsSession *session)
{
    NsExperiment *experiment = &session->experiment;
    size_t lane = experiment->n;
    if (lane == NS_LANES_MAX) return;
    ns_experiment_resize(experiment, lane + 1, session->active);
    unsigned placement = experiment->lane[lane].placement;
    for (size_t i = 0; i < lane && ns_placement_choice(placement + 1); i++) {
        if (experiment->lane[i].placement != placement) continue;
        placement++;
        /* Its first loss would flatten the others. */
        if (g_str_equal(ns_placement_choice(placement)->key, "none")) placement++;
        i = SIZE_MAX; /* from the first lane again */
    }
    ns_settings_set(&experiment->lane[lane], "placement", ns_placement_choice(placement)->key,
                    NULL);
    session->active = lane;
    changed(session, NULL);
}

void ns_session_remove_lane(NsSession *session, size_t lane)
{
    ns_experiment_remove(&session->experiment, lane);
    if (session->active > lane) session->active--;
    changed(session, NULL);
}

void ns_session_set_linked(NsSession *session, const NsParam *param, bool linked)
{
    ns_experiment_set_linked(&session->experiment, session->active, param, linked);
    changed(session, param->key);
}
