/* Lanes, settings and links of a lab, and the way back to what they were.
 * SPDX-License-Identifier: MIT */
#include "ui/widgets/lab-private.h"

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

void ns_lab_init_undo(NsLab *lab)
{
    lab->undo = g_ptr_array_new_with_free_func(entry_free);
    lab->redo = g_ptr_array_new_with_free_func(entry_free);
}

static void settle(GPtrArray *entries, size_t n)
{
    for (guint i = 0; i < entries->len; i++) {
        Entry *entry = g_ptr_array_index(entries, i);
        ns_lanes_settle(&entry->lanes, n);
    }
}

void ns_lab_settle_undo(NsLab *lab)
{
    settle(lab->undo, lab->lanes.n);
    settle(lab->redo, lab->lanes.n);
}

/* ---- Changes ---- */

/* A problem of one of several lanes says whose. */
static void set_lane_problem(NsLab *lab, size_t lane, const char *sentence, const char *key)
{
    g_autofree char *words =
        lab->lanes.n > 1 ? g_strdup_printf(_("Lane %s: %s"), ns_lane_letter(lane), sentence) : NULL;
    ns_lab_set_problem(lab, words ? words : sentence, key, false);
}

/* Lets the settings act, or says why they cannot. */
static void settings_differ(NsLab *lab, const char *key)
{
    g_autoptr(GError) error = NULL;
    size_t lane = 0;
    lab->serial++;
    while (lane < lab->lanes.n && ns_settings_check(&lab->lanes.settings[lane], &error)) lane++;
    if (lane < lab->lanes.n) {
        g_clear_handle_id(&lab->restart_source, g_source_remove);
        set_lane_problem(lab, lane, error->message, key);
    } else {
        ns_lab_clear_problem(lab);
        ns_lab_apply(lab);
        if (ns_lab_differs(lab)) ns_lab_estimate(lab);
    }
    lab->active = MIN(lab->active, lab->lanes.n - 1);
    ns_view_set_active(lab->view, (unsigned)lab->lanes.from[lab->active]);
    ns_lab_emit(lab, NS_LAB_SETTINGS_CHANGED);
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

/* A movement of a hand goes on: what there was before it is known already. */
static bool slides_on(NsLab *lab, const NsParam *slid)
{
    if (!slid || lab->undo->len == 0 || lab->redo->len > 0) return false;
    Entry *last = g_ptr_array_index(lab->undo, lab->undo->len - 1);
    gint64 now = g_get_monotonic_time(), rested = now - last->at;
    if (last->slid != slid || rested > SLIDE_US) return false;
    last->at = now;
    return true;
}

/* Takes `before` as what undo leads back to. */
static void remember(NsLab *lab, NsLanes *before, const NsParam *slid)
{
    if (ns_lanes_equal(before, &lab->lanes) || slides_on(lab, slid)) {
        ns_lanes_clear(before);
        return;
    }
    Entry *entry = g_new0(Entry, 1);
    *entry = (Entry){*before, slid, g_get_monotonic_time()};
    g_ptr_array_set_size(lab->redo, 0);
    g_ptr_array_add(lab->undo, entry);
    if (lab->undo->len > UNDO_MOST) g_ptr_array_remove_index(lab->undo, 0);
}

static void refuse(NsLab *lab, const GError *error, const char *key)
{
    ns_lab_set_problem(lab, error->message, key, false);
    ns_lab_emit(lab, NS_LAB_SETTINGS_CHANGED);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

typedef struct {
    size_t lane;
    bool own; /* of this lane alone */
    const char *key, *value;
    bool slides;
} Change;

static bool change(NsLab *lab, Change wanted)
{
    g_autoptr(GError) error = NULL;
    const NsParam *param = ns_param_find(wanted.key);
    NsLanes before;
    ns_lanes_copy(&before, &lab->lanes);
    if (wanted.own && param) ns_lanes_set_linked(&lab->lanes, wanted.lane, param, false);
    if (!ns_lanes_set(&lab->lanes, wanted.lane, wanted.key, wanted.value, &error)) {
        ns_lanes_assign(&lab->lanes, &before);
        ns_lanes_clear(&before);
        refuse(lab, error, wanted.key);
        return false;
    }
    remember(lab, &before, wanted.slides ? param : NULL);
    settings_differ(lab, wanted.key);
    return true;
}

bool ns_lab_set(NsLab *lab, const char *key, const char *value)
{
    return change(lab, (Change){.lane = lab->active, .key = key, .value = value});
}

bool ns_lab_slide(NsLab *lab, const char *key, const char *value)
{
    return change(lab, (Change){lab->active, false, key, value, true});
}

bool ns_lab_set_lane(NsLab *lab, size_t lane, const char *key, const char *value)
{
    if (lane >= lab->lanes.n) return false;
    return change(lab, (Change){.lane = lane, .own = true, .key = key, .value = value});
}

void ns_lab_set_default(NsLab *lab, const NsParam *param)
{
    NsLanes before;
    ns_lanes_copy(&before, &lab->lanes);
    ns_lanes_set(&lab->lanes, lab->active, param->key, param->default_text, NULL);
    remember(lab, &before, NULL);
    settings_differ(lab, param->key);
}

void ns_lab_set_defaults(NsLab *lab)
{
    NsLanes before;
    ns_lanes_copy(&before, &lab->lanes);
    for (size_t i = 0; ns_param(i); i++)
        ns_lanes_set(&lab->lanes, lab->active, ns_param(i)->key, ns_param(i)->default_text, NULL);
    remember(lab, &before, NULL);
    settings_differ(lab, NULL);
}

void ns_lab_open(NsLab *lab, const NsSettings *const *settings, size_t n)
{
    NsLanes before = lab->lanes;
    ns_lanes_init(&lab->lanes, settings, n);
    for (size_t lane = 0; lane < n; lane++) lab->lanes.from[lane] = MIN(lane, lab->run.n - 1);
    remember(lab, &before, NULL);
    settings_differ(lab, NULL);
}

void ns_lab_drop_pending(NsLab *lab)
{
    NsLanes before;
    ns_lanes_copy(&before, &lab->lanes);
    ns_lanes_take_back(&lab->lanes, &lab->run);
    remember(lab, &before, NULL);
    settings_differ(lab, NULL);
}

/* ---- Lanes and links ---- */

size_t ns_lab_lanes(NsLab *lab)
{
    return lab->lanes.n;
}

size_t ns_lab_active(NsLab *lab)
{
    return lab->active;
}

void ns_lab_set_active(NsLab *lab, size_t lane)
{
    lane = MIN(lane, lab->lanes.n - 1);
    if (lane == lab->active) return;
    lab->active = lane;
    ns_view_set_active(lab->view, (unsigned)lab->lanes.from[lane]);
    ns_lab_emit(lab, NS_LAB_SETTINGS_CHANGED);
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
}

void ns_lab_set_lanes(NsLab *lab, size_t n)
{
    NsLanes before;
    ns_lanes_copy(&before, &lab->lanes);
    ns_lanes_resize(&lab->lanes, n, lab->active);
    remember(lab, &before, NULL);
    settings_differ(lab, NULL);
}

void ns_lab_remove_lane(NsLab *lab, size_t lane)
{
    NsLanes before;
    ns_lanes_copy(&before, &lab->lanes);
    ns_lanes_remove(&lab->lanes, lane);
    if (lab->active > lane) lab->active--;
    remember(lab, &before, NULL);
    settings_differ(lab, NULL);
}

const NsSettings *ns_lab_settings(NsLab *lab)
{
    return &lab->lanes.settings[lab->active];
}

const NsSettings *ns_lab_lane_settings(NsLab *lab, size_t lane)
{
    return &lab->lanes.settings[lane];
}

const NsLanes *ns_lab_all_settings(NsLab *lab)
{
    return &lab->lanes;
}

bool ns_lab_can_split(const NsParam *param)
{
    return ns_lanes_can_split(param);
}

bool ns_lab_is_linked(NsLab *lab, const NsParam *param)
{
    return ns_lanes_is_linked(&lab->lanes, param);
}

void ns_lab_set_linked(NsLab *lab, const NsParam *param, bool linked)
{
    NsLanes before;
    ns_lanes_copy(&before, &lab->lanes);
    ns_lanes_set_linked(&lab->lanes, lab->active, param, linked);
    remember(lab, &before, NULL);
    settings_differ(lab, param->key);
}

/* ---- Undo ---- */

/* Moves the newest entry of one list, as the other will need it, to the other. */
static void go(NsLab *lab, GPtrArray *from, GPtrArray *to)
{
    if (from->len == 0) return;
    Entry *entry = g_ptr_array_steal_index(from, from->len - 1);
    NsLanes present = lab->lanes;
    lab->lanes = entry->lanes;
    *entry = (Entry){.lanes = present};
    g_ptr_array_add(to, entry);
    settings_differ(lab, NULL);
}

void ns_lab_undo(NsLab *lab)
{
    go(lab, lab->undo, lab->redo);
}

void ns_lab_redo(NsLab *lab)
{
    go(lab, lab->redo, lab->undo);
}

bool ns_lab_can_undo(NsLab *lab)
{
    return lab->undo->len > 0;
}

bool ns_lab_can_redo(NsLab *lab)
{
    return lab->redo->len > 0;
}

static char *words_of(GPtrArray *entries, const NsLab *lab, bool back)
{
    if (entries->len == 0) return NULL;
    const Entry *entry = g_ptr_array_index(entries, entries->len - 1);
    return back ? ns_lanes_change(&entry->lanes, &lab->lanes)
                : ns_lanes_change(&lab->lanes, &entry->lanes);
}

char *ns_lab_undo_words(NsLab *lab)
{
    return words_of(lab->undo, lab, true);
}

char *ns_lab_redo_words(NsLab *lab)
{
    return words_of(lab->redo, lab, false);
}
