/* Helpers for tests of sessions.  SPDX-License-Identifier: MIT */
#include "tests/session/driver.h"

#include "core/experiment/assignment.h"

#include <glib/gstdio.h>

#define TURN_MS 5

#define SMALL "layers=2 d-model=16 heads=2 seq=16 batch=4 eval-every=0 eval-batches=1 threads=2 "

static NsSettings settings_of(const char *words)
{
    NsSettings settings;
    g_autoptr(GError) error = NULL;
    g_autofree char *all = g_strconcat(SMALL, words, NULL);
    g_auto(GStrv) assignments = g_strsplit(all, " ", -1);
    ns_settings_init(&settings);
    for (size_t i = 0; assignments[i]; i++)
        if (*assignments[i]) ns_settings_assign(&settings, assignments[i], &error);
    g_assert_no_error(error);
    return settings;
}

static gboolean on_time(gpointer source)
{
    *(guint *)source = 0;
    return G_SOURCE_REMOVE;
}

void session_turn(void)
{
    guint source = g_timeout_add(TURN_MS, on_time, &source);
    g_main_context_iteration(NULL, TRUE);
    if (source) g_source_remove(source);
}

NsSession *open_session(const char *a, const char *b)
{
    NsSettings first = settings_of(a), second = settings_of(b ? b : a);
    const NsSettings *both[] = {&first, &second};
    g_auto(NsExperiment) experiment = {0};
    ns_experiment_set_lanes(&experiment, both, b ? 2 : 1);
    NsSession *session = ns_session_new(&experiment);
    ns_settings_clear(&first);
    ns_settings_clear(&second);
    return session;
}

void wait_at_rest(NsSession *session, int64_t step)
{
    SESSION_UNTIL(session, ns_session_steps(session) >= step &&
                               session->state == NS_TRAINER_PAUSED && !session->wants_run);
}

NsSession *open_at(const char *a, const char *b, int64_t step)
{
    NsSession *session = open_session(a, b);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    if (step > 0) {
        ns_session_step(session, step);
        wait_at_rest(session, step);
    }
    return session;
}

const NsHistory *history_of(NsSession *session, size_t lane)
{
    return session->view->histories[lane];
}

void assert_same_losses(const NsHistory *a, const NsHistory *b, int64_t first, int64_t last)
{
    for (int64_t step = first; step <= last; step++) {
        size_t i = (size_t)(step - ns_history_first_step(a));
        size_t k = (size_t)(step - ns_history_first_step(b));
        double left = ns_history_step(a, i)->loss, right = ns_history_step(b, k)->loss;
        g_assert_cmpint(ns_history_step(a, i)->step, ==, step);
        g_assert_cmpint(ns_history_step(b, k)->step, ==, step);
        g_assert_true(memcmp(&left, &right, sizeof left) == 0);
    }
}

void remove_all(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *inside = g_build_filename(path, name, NULL);
        remove_all(inside);
    }
    g_remove(path);
}
