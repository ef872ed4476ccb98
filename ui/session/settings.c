/* Lanes, settings and links of a session, and the way back to what they were.
 * SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/base/words.h"
#include "core/experiment/param.h"

/* More steps of undo than this are forgotten, the oldest first. */
#define UNDO_MOST 200

/* The hand moves on as long as it rests for less than this. */
#define SLIDE_US G_USEC_PER_SEC

/* What there was before a change. */
typedef struct {
    NsLanes lanes;
    const NsParam *slid; /* that a hand is moving, or NULL */
    gint64 at;           /* when it was last moved */
} Entry;

static void entry_free(gpointer data)
{
    Entry *entry = data;
    ns_lanes_clear(&entry->lanes);
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
        ns_lanes_settle(&entry->lanes, n);
    }
}

void ns_session_settle_undo(NsSession *session)
{
    settle(session->undo, session->lanes.n);
    settle(session->redo, session->lanes.n);
}

/* ---- Changes ---- */

/* A problem of one of several lanes says whose. */
static void set_lane_problem(NsSession *session, size_t lane, const char *sentence, const char *key)
{
    g_autofree char *words = session->lanes.n > 1
                                 ? g_strdup_printf(_("Lane %s: %s"), ns_lane_letter(lane), sentence)
                                 : NULL;
    ns_session_set_problem(session, words ? words : sentence, key, false);
}

/* Lets the settings act, or says why they cannot. */
static void settings_differ(NsSession *session, const char *key)
{
    g_autoptr(GError) error = NULL;
    size_t lane = 0;
    session->serial++;
    while (lane < session->lanes.n && ns_settings_check(&session->lanes.settings[lane], &error))
        lane++;
    if (lane < session->lanes.n) {
        g_clear_handle_id(&session->restart_source, g_source_remove);
        set_lane_problem(session, lane, error->message, key);
    } else {
        ns_session_clear_problem(session);
        ns_session_apply(session);
        if (ns_session_differs(session)) ns_session_estimate(session);
    }
    session->active = MIN(session->active, session->lanes.n - 1);
    ns_view_set_active(session->view, (unsigned)session->lanes.from[session->active]);
    ns_session_emit(session, NS_SESSION_SETTINGS_CHANGED);
    ns_session_emit(session, NS_SESSION_VIEW_CHANGED);
    ns_session_emit(session, NS_SESSION_STATUS_CHANGED);
}

/* A movement of a hand goes on: what there was before it is known already. */
static bool slides_on(NsSession *session, const NsParam *slid)
{
    if (!slid || session->undo->len == 0 || session->redo->len > 0) return false;
    Entry *last = g_ptr_array_index(session->undo, session->undo->len - 1);
    gint64 now = g_get_monotonic_time(), rested = now - last->at;
    if (last->slid != slid || rested > SLIDE_US) return false;
    last->at = now;
    return true;
}

/* Takes `before` as what undo leads back to. */
static void remember(NsSession *session, NsLanes *before, const NsParam *slid)
{
    if (ns_lanes_equal(before, &session->lanes) || slides_on(session, slid)) {
        ns_lanes_clear(before);
        return;
    }
    Entry *entry = g_new0(Entry, 1);
    *entry = (Entry){*before, slid, g_get_monotonic_time()};
    g_ptr_array_set_size(session->redo, 0);
    g_ptr_array_add(session->undo, entry);
    if (session->undo->len > UNDO_MOST) g_ptr_array_remove_index(session->undo, 0);
}

static void refuse(NsSession *session, const GError *error, const char *key)
{
    ns_session_set_problem(session, error->message, key, false);
    ns_session_emit(session, NS_SESSION_SETTINGS_CHANGED);
    ns_session_emit(session, NS_SESSION_STATUS_CHANGED);
}

typedef struct {
    size_t lane;
    bool own; /* of this lane alone */
    const char *key, *value;
    bool slides;
} Change;

static bool change(NsSession *session, Change wanted)
{
    g_autoptr(GError) error = NULL;
    const NsParam *param = ns_param_find(wanted.key);
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    if (wanted.own && param) ns_lanes_set_linked(&session->lanes, wanted.lane, param, false);
    if (!ns_lanes_set(&session->lanes, wanted.lane, wanted.key, wanted.value, &error)) {
        ns_lanes_assign(&session->lanes, &before);
        ns_lanes_clear(&before);
        refuse(session, error, wanted.key);
        return false;
    }
    remember(session, &before, wanted.slides ? param : NULL);
    settings_differ(session, wanted.key);
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
    if (lane >= session->lanes.n) return false;
    return change(session, (Change){.lane = lane, .own = true, .key = key, .value = value});
}

void ns_session_set_default(NsSession *session, const NsParam *param)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    ns_lanes_set(&session->lanes, session->active, param->key, param->default_text, NULL);
    remember(session, &before, NULL);
    settings_differ(session, param->key);
}

void ns_session_set_defaults(NsSession *session)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    for (size_t i = 0; ns_param(i); i++)
        ns_lanes_set(&session->lanes, session->active, ns_param(i)->key, ns_param(i)->default_text,
                     NULL);
    remember(session, &before, NULL);
    settings_differ(session, NULL);
}

void ns_session_open(NsSession *session, const NsSettings *const *settings, size_t n)
{
    NsLanes before = session->lanes;
    ns_lanes_init(&session->lanes, settings, n);
    for (size_t lane = 0; lane < n; lane++)
        session->lanes.from[lane] = MIN(lane, session->run.n - 1);
    remember(session, &before, NULL);
    settings_differ(session, NULL);
}

void ns_session_drop_pending(NsSession *session)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    ns_lanes_take_back(&session->lanes, &session->run);
    remember(session, &before, NULL);
    settings_differ(session, NULL);
}

/* ---- Lanes and links ---- */

size_t ns_session_lanes(NsSession *session)
{
    return session->lanes.n;
}

size_t ns_session_active(NsSession *session)
{
    return session->active;
}

void ns_session_set_active(NsSession *session, size_t lane)
{
    lane = MIN(lane, session->lanes.n - 1);
    if (lane == session->active) return;
    session->active = lane;
    ns_view_set_active(session->view, (unsigned)session->lanes.from[lane]);
    ns_session_emit(session, NS_SESSION_SETTINGS_CHANGED);
    ns_session_emit(session, NS_SESSION_VIEW_CHANGED);
}

void ns_session_set_lanes(NsSession *session, size_t n)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    ns_lanes_resize(&session->lanes, n, session->active);
    remember(session, &before, NULL);
    settings_differ(session, NULL);
}

void ns_session_remove_lane(NsSession *session, size_t lane)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    ns_lanes_remove(&session->lanes, lane);
    if (session->active > lane) session->active--;
    remember(session, &before, NULL);
    settings_differ(session, NULL);
}

const NsSettings *ns_session_settings(NsSession *session)
{
    return &session->lanes.settings[session->active];
}

const NsSettings *ns_session_lane_settings(NsSession *session, size_t lane)
{
    return &session->lanes.settings[lane];
}

const NsLanes *ns_session_all_settings(NsSession *session)
{
    return &session->lanes;
}

bool ns_session_can_split(const NsParam *param)
{
    return ns_lanes_can_split(param);
}

bool ns_session_is_linked(NsSession *session, const NsParam *param)
{
    return ns_lanes_is_linked(&session->lanes, param);
}

void ns_session_set_linked(NsSession *session, const NsParam *param, bool linked)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    ns_lanes_set_linked(&session->lanes, session->active, param, linked);
    remember(session, &before, NULL);
    settings_differ(session, param->key);
}

/* ---- Undo ---- */

/* Moves the newest entry of one list, as the other will need it, to the other. */
static void go(NsSession *session, GPtrArray *from, GPtrArray *to)
{
    if (from->len == 0) return;
    Entry *entry = g_ptr_array_steal_index(from, from->len - 1);
    NsLanes present = session->lanes;
    session->lanes = entry->lanes;
    *entry = (Entry){.lanes = present};
    g_ptr_array_add(to, entry);
    settings_differ(session, NULL);
}

void ns_session_undo(NsSession *session)
{
    go(session, session->undo, session->redo);
}

void ns_session_redo(NsSession *session)
{
    go(session, session->redo, session->undo);
}

bool ns_session_can_undo(NsSession *session)
{
    return session->undo->len > 0;
}

bool ns_session_can_redo(NsSession *session)
{
    return session->redo->len > 0;
}

static char *words_of(GPtrArray *entries, const NsSession *session, bool back)
{
    if (entries->len == 0) return NULL;
    const Entry *entry = g_ptr_array_index(entries, entries->len - 1);
    return back ? ns_lanes_change(&entry->lanes, &session->lanes)
                : ns_lanes_change(&session->lanes, &entry->lanes);
}

char *ns_session_undo_words(NsSession *session)
{
    return words_of(session->undo, session, true);
}

char *ns_session_redo_words(NsSession *session)
{
    return words_of(session->redo, session, false);
}
