/* Live runs of other programs.  SPDX-License-Identifier: MIT
 *
 * Such a run is a run of the session without settings and without a trainer.  A thread of its own
 * reads it (core/store/outside_watch.h), even while another run is on view, so that it stays live
 * as a pinned run. */
#include "ui/session/session-private.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/words.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* How often an idle window polls for new records, in milliseconds. */
#define LOOK_MS 200

/* The session counts as busy for this long after new records, in microseconds. */
#define BUSY_US 500000

/* The status mentions silence in multiples of this time, in microseconds. */
#define QUIET_US (60 * G_USEC_PER_SEC)

/* Sentences about a run that stay readable. */
#define MESSAGES_MOST 50

/* ---- New records ---- */

/* Takes over what has been read; FALSE if nothing is new.  *others: a lane was added or has another
 * history. */
static bool take_lanes(NsPastRun *run, bool *others)
{
    NsRecordedRun *recorded = run->recorded;
    if (!ns_outside_watch_update(run->watch, recorded, others)) return false;
    run->listed.measured = false;
    run->listed.last_step = 0;
    for (size_t i = 0; i < recorded->lanes; i++) {
        const NsHistory *history = recorded->histories[i];
        size_t records = history ? ns_history_steps(history) : 0;
        run->listed.loss[i] = records ? ns_history_step(history, records - 1)->loss : (double)NAN;
        if (!records) continue;
        run->listed.measured = true;
        run->listed.last_step = MAX(run->listed.last_step, ns_history_last_step(history));
    }
    if (recorded->lanes != run->listed.lanes) {
        ns_experiment_resize(&recorded->experiment, recorded->lanes, 0);
        ns_experiment_resize(&run->settings, recorded->lanes, 0);
    }
    run->listed.lanes = recorded->lanes;
    run->listed.names = recorded->names;
    return true;
}

static void show_lanes(NsSession *session)
{
    const NsPastRun *run = session->opened;
    NsView *view = session->view;
    const char *only = run->sources[1] ? NULL : run->saved ? run->saved : run->sources[0];
    ns_view_set_source(view, only && g_str_equal(only, "-") ? NULL : only);
    ns_view_set_lanes(view, (unsigned)run->listed.lanes);
    for (unsigned lane = 0; lane < run->listed.lanes; lane++) {
        const NsRecordedRun *recorded = run->recorded;
        if (view->histories[lane] != recorded->histories[lane])
            ns_view_set_history(view, lane, recorded->histories[lane],
                                &recorded->experiment.lane[lane]);
        ns_view_set_name(view, lane, recorded->names[lane]);
    }
    ns_view_set_active(view, view->active);
    ns_view_show_recorded(view);
}

/* A run of the files of a watch, or of none if these are `n` = 0; takes the title.  `path`: the
 * file in which its records are, or NULL if they could be lost. */
static NsPastRun *run_of(NsOutsideWatch *watch, const char *path, char *title, size_t n)
{
    NsRecordedRun *recorded = ns_recorded_run_new(path);
    recorded->kind = NS_RECORDED_LOG;
    recorded->title = title;
    ns_experiment_init(&recorded->experiment);
    NsPastRun *run = ns_past_run_new(recorded, &recorded->experiment);
    run->watch = watch;
    run->sources = g_new0(char *, n + 2);
    run->messages = g_ptr_array_new_with_free_func(g_free);
    run->listed.outside = true;
    run->listed.checkpoint = -1;
    run->news_at = g_get_monotonic_time();
    bool others;
    take_lanes(run, &others);
    return run;
}

/* The news of the runs that were polled. */
typedef struct {
    bool busy, view, pins,
        lanes; /* lanes: a run has others; view: that on view; pins: a pinned one */
    GPtrArray *messages, *earlier; /* earlier: NsPastRun, to be filed */
} News;

/* The file of a run has another run now, which gets a new number. */
static void leave_earlier(NsSession *session, NsPastRun *run, NsPastRun *earlier, News *news)
{
    earlier->listed.id = run->listed.id;
    run->listed.id = ++session->last_id;
    g_ptr_array_add(news->earlier, earlier);
    if (run == session->opened) {
        session->id = run->listed.id;
        if (session->view->history) ns_view_leave_previous(session->view);
        ns_session_pin_before(session, earlier, run->listed.lanes);
        news->pins = true;
    }
    g_autofree char *step = ns_group_digits(earlier->listed.last_step);
    g_queue_push_tail(
        &run->recorded->messages,
        g_strdup_printf(_("%s began a new run; the one before, to step %s, stays here as run %u."),
                        earlier->recorded->title, step, earlier->listed.id));
}

static void poll_run(NsSession *session, NsPastRun *run, News *news)
{
    gint64 now = g_get_monotonic_time();
    char *title, *message;
    bool others;
    for (NsOutsideWatch *w; (w = ns_outside_watch_take_earlier(run->watch, &title));)
        leave_earlier(session, run, run_of(w, NULL, title, 0), news);
    if (take_lanes(run, &others)) {
        run->news_at = now;
        if (others && run == session->opened) show_lanes(session);
        news->view |= others && run == session->opened;
        news->pins |= others && run != session->opened && run->listed.pinned;
        news->lanes |= others;
    }
    while ((message = g_queue_pop_head(&run->recorded->messages))) {
        if (run->messages->len < MESSAGES_MOST) g_ptr_array_add(run->messages, g_strdup(message));
        g_ptr_array_add(news->messages, message);
    }
    news->busy |= now - run->news_at < BUSY_US;
}

/* A handler of a signal may free a run, so signals follow when all runs have been polled. */
bool ns_session_poll_watched(NsSession *session)
{
    g_autoptr(GPtrArray) messages = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) earlier = g_ptr_array_new();
    News news = {.messages = messages, .earlier = earlier};
    if (session->opened && session->opened->watch) poll_run(session, session->opened, &news);
    for (guint i = 0; i < session->runs->len; i++) {
        NsPastRun *run = ns_session_past_run(session, i);
        if (run->watch) poll_run(session, run, &news);
    }
    for (guint i = 0; i < earlier->len; i++) ns_session_add_earlier(session, earlier->pdata[i]);
    if (news.pins) ns_session_show_pinned(session);
    if (news.view) g_signal_emit_by_name(session, "view-changed");
    if (news.lanes) g_signal_emit_by_name(session, "runs-changed");
    for (guint i = 0; i < messages->len; i++) ns_session_report(session, messages->pdata[i]);
    return news.busy;
}

/* The status of a run without news counts the minutes, so it changes every minute. */
static gboolean look(gpointer data)
{
    NsSession *session = data;
    bool busy = ns_session_poll_watched(session);
    gint64 minute = g_get_monotonic_time() / QUIET_US;
    if (busy || (ns_session_is_watching(session) && minute != session->watch_minute))
        g_signal_emit_by_name(session, "status-changed");
    session->watch_minute = minute;
    bool has = session->opened && session->opened->watch;
    for (guint i = 0; !has && i < session->runs->len; i++)
        has = ns_session_past_run(session, i)->watch != NULL;
    if (has) return G_SOURCE_CONTINUE;
    session->watch_source = 0;
    return G_SOURCE_REMOVE;
}

static void keep_looking(NsSession *session)
{
    if (!session->watch_source) session->watch_source = g_timeout_add(LOOK_MS, look, session);
}

/* ---- On view ---- */

void ns_session_show_watched(NsSession *session, NsPastRun *run)
{
    ns_session_leave_trainer(session);
    session->wants_run = false;
    session->forking_from = 0;
    session->origin_step = 0;
    ns_session_adopt(session, run->recorded->histories, &run->recorded->experiment);
    ns_session_put_past(session, run, NS_TRAINER_PAUSED);
    show_lanes(session);
    ns_session_set_problem(session, NULL, NULL, false);
    ns_session_show_pinned(session);
    keep_looking(session);
    ns_session_notify_settings(session, NULL);
    g_signal_emit_by_name(session, "view-changed");
    g_signal_emit_by_name(session, "runs-changed");
    g_signal_emit_by_name(session, "status-changed");
}

/* The file for standard input; NULL if runs are not recorded, with an error if its folder cannot be
 * created. */
static char *save_path(NsSession *session, GError **error)
{
    if (!session->folder || !ns_folder_make(session->folder, error)) return NULL;
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *name = g_date_time_format(now, "watched-%Y%m%d-%H%M%S.jsonl");
    return g_build_filename(session->folder, name, NULL);
}

static NsPastRun *watched_run_new(const char *const *paths, const char *save, GError **error)
{
    bool input = g_strv_contains(paths, "-");
    size_t n = 0;
    while (paths[n]) n++;
    NsOutsideWatch *watch = ns_outside_watch_new(paths, n, save, error);
    if (!watch) return NULL;
    g_auto(GStrv) names = ns_recorded_run_names(paths, n, true);
    NsPastRun *run = run_of(watch, input ? save : paths[0], g_strjoinv(", ", names), n);
    for (size_t i = 0; i < n; i++) run->sources[i] = g_strdup(paths[i]);
    run->saved = g_strdup(save);
    return run;
}

bool ns_session_watch(NsSession *session, const char *const *paths, GError **error)
{
    g_autoptr(GError) wrong = NULL;
    g_autofree char *save = g_strv_contains(paths, "-") ? save_path(session, &wrong) : NULL;
    if (wrong) {
        g_propagate_error(error, g_steal_pointer(&wrong));
        return false;
    }
    NsPastRun *run = watched_run_new(paths, save, error);
    if (!run) return false;
    ns_session_leave_experiment(session);
    ns_session_show_watched(session, run);
    if (!save) return true;
    g_autofree char *where = g_filename_display_name(save);
    g_autofree char *words =
        g_strdup_printf(_("Standard input is saved in %s while it is watched."), where);
    ns_session_report(session, words);
    return true;
}

bool ns_session_pin_file(NsSession *session, const char *path, GError **error)
{
    for (guint i = 0; i < session->runs->len; i++) {
        const NsPastRun *earlier = ns_session_past_run(session, i);
        if (g_strcmp0(ns_past_run_path(earlier), path) != 0) continue;
        ns_session_pin_run(session, earlier->listed.id, !earlier->listed.pinned);
        return true;
    }
    size_t pinned = 0; /* the lanes of a run that is still being read count as well */
    for (guint i = 0; i < session->runs->len; i++) {
        const NsPastRun *earlier = ns_session_past_run(session, i);
        if (earlier->listed.pinned) pinned += earlier->listed.lanes;
    }
    if (pinned >= NS_FIGURE_PINNED)
        return ns_refuse(
            error, NS_ERROR_USAGE,
            N_("At most %d curves of earlier runs can be shown; unpin another run first."),
            NS_FIGURE_PINNED);
    NsPastRun *run = watched_run_new((const char *const[]){path, NULL}, NULL, error);
    if (!run) return false;
    run->listed.id = ++session->last_id;
    run->listed.pinned = true;
    g_ptr_array_add(session->runs, run);
    keep_looking(session);
    ns_session_show_pinned(session);
    g_signal_emit_by_name(session, "runs-changed");
    g_signal_emit_by_name(session, "view-changed");
    return true;
}

char **ns_session_pinned_files(NsSession *session)
{
    g_autoptr(GStrvBuilder) paths = g_strv_builder_new();
    for (guint i = 0; i < session->runs->len; i++) {
        const NsPastRun *earlier = ns_session_past_run(session, i);
        const char *path = ns_past_run_path(earlier);
        if (path && earlier->listed.pinned) g_strv_builder_add(paths, path);
    }
    return g_strv_builder_end(paths);
}

const char *ns_session_source(NsSession *session, size_t i)
{
    bool there = ns_session_is_watching(session) && i < g_strv_length(session->opened->sources);
    return there ? session->opened->sources[i] : NULL;
}

NsOutsideReading *ns_session_reading(NsSession *session, size_t i)
{
    bool there = ns_session_source(session, i) != NULL;
    return there ? ns_outside_watch_reading(session->opened->watch, i) : NULL;
}

const GPtrArray *ns_session_watch_messages(NsSession *session)
{
    return session->opened->messages;
}

void ns_session_map_columns(NsSession *session, size_t i, const char *map)
{
    if (!ns_session_source(session, i)) return;
    g_ptr_array_set_size(session->opened->messages, 0);
    ns_outside_watch_map(session->opened->watch, i, map);
}

bool ns_session_watches(NsSession *session, const char *path)
{
    return ns_session_is_watching(session) &&
           g_strv_contains((const char *const *)session->opened->sources, path);
}

void ns_session_stop_watching(NsSession *session)
{
    if (!ns_session_is_watching(session)) return;
    NsPastRun *run = session->opened;
    run->listed.pinned = session->view->n_pinned + run->listed.lanes <= NS_FIGURE_PINNED;
    session->forking_from = 0;
    ns_session_start(session, NULL, NULL);
}

/* ---- In words ---- */

char *ns_session_watch_words(NsSession *session)
{
    const NsPastRun *run = session->opened;
    if (run->recorded->state == NS_OUTSIDE_ABSENT) {
        /* The whole path, because a missing file may be expected in the wrong folder. */
        g_autofree char *path = g_canonicalize_filename(run->sources[0], NULL);
        g_autofree char *what =
            run->sources[1] ? g_strdup(run->recorded->title) : g_filename_display_name(path);
        return g_strdup_printf(_("waiting for %s"), what);
    }
    if (!run->listed.measured)
        return g_strdup_printf(_("%s has no step yet"), run->recorded->title);
    g_autofree char *step = ns_group_digits(ns_session_steps(session));
    NsOutsideState state = run->recorded->state;
    GStatBuf info;
    bool empty = !run->sources[1] && g_stat(run->sources[0], &info) == 0 && !info.st_size;
    g_autofree char *words =
        state == NS_OUTSIDE_AGAIN
            ? g_strdup_printf(empty ? _("waiting: the file is empty, step %s")
                                    : _("waiting: the file began again, nothing new yet, step %s"),
                              step)
        : state == NS_OUTSIDE_OPEN ? g_strdup_printf(_("watching, step %s"), step)
        : state == NS_OUTSIDE_GONE
            ? g_strdup_printf(run->sources[1] ? _("waiting: a file is gone, step %s")
                                              : _("waiting: the file is gone, step %s"),
                              step)
            : g_strdup_printf(_("ended at step %s"), step);
    gint64 minutes = (g_get_monotonic_time() - run->news_at) / QUIET_US;
    if (state != NS_OUTSIDE_OPEN || minutes < 1) return g_steal_pointer(&words);
    g_autofree char *quiet = g_strdup_printf(
        ns_plural("nothing new for %d minute", "nothing new for %d minutes", minutes),
        (int)minutes);
    return g_strdup_printf("%s, %s", words, quiet);
}
