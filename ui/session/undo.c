/* Undo and redo of changes to lanes, settings and links. SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

/* The most steps of undo; older ones are dropped. */
#define UNDO_MOST 200

/* Pauses shorter than this belong to the same movement of a slider. */
#define SLIDE_US G_USEC_PER_SEC

/* The experiment before a change. */
typedef struct {
    NsExperiment experiment;
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

/* Whether the same slider is still being dragged, so that the entry before the movement exists. */
static bool slides_on(NsSession *session, const NsParam *slid)
{
    if (!slid || session->undo->len == 0 || session->redo->len > 0) return false;
    Entry *last = g_ptr_array_index(session->undo, session->undo->len - 1);
    gint64 now = g_get_monotonic_time(), rested = now - last->at;
    if (last->slid != slid || rested > SLIDE_US) return false;
    last->at = now;
    return true;
}

void ns_session_remember(NsSession *session, const NsParam *slid)
{
    if (ns_experiment_equal(&session->told, &session->experiment) || slides_on(session, slid))
        return;
    Entry *entry = g_new0(Entry, 1);
    ns_experiment_copy(&entry->experiment, &session->told);
    entry->slid = slid;
    entry->at = g_get_monotonic_time();
    g_ptr_array_set_size(session->redo, 0);
    g_ptr_array_add(session->undo, entry);
    if (session->undo->len > UNDO_MOST) g_ptr_array_remove_index(session->undo, 0);
}

bool ns_session_exchange(NsSession *session, bool back)
{
    GPtrArray *from = back ? session->undo : session->redo;
    if (from->len == 0) return false;
    Entry *entry = g_ptr_array_steal_index(from, from->len - 1);
    NsExperiment present = session->experiment;
    session->experiment = entry->experiment;
    *entry = (Entry){.experiment = present};
    g_ptr_array_add(back ? session->redo : session->undo, entry);
    return true;
}

void ns_session_forget_undo(NsSession *session)
{
    g_ptr_array_set_size(session->undo, 0);
    g_ptr_array_set_size(session->redo, 0);
    g_signal_emit_by_name(session, "settings-changed");
}

static char *words_of(GPtrArray *entries, const NsSession *session, bool back)
{
    if (entries->len == 0) return NULL;
    const Entry *entry = g_ptr_array_index(entries, entries->len - 1);
    return back ? ns_experiment_change_words(&entry->experiment, &session->experiment)
                : ns_experiment_change_words(&session->experiment, &entry->experiment);
}

char *ns_session_undo_words(NsSession *session)
{
    return words_of(session->undo, session, true);
}

char *ns_session_redo_words(NsSession *session)
{
    return words_of(session->redo, session, false);
}
