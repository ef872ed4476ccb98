/* Files that are opened in a window or dropped on it.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/open_file.h"

#include "core/base/database_file.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/task.h"
#include "core/store/figure_file.h"
#include "core/store/lecture.h"
#include "core/store/recorded_run.h"
#include "core/study/study_store.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/pages/phase_page.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/lecture.h"
#include "ui/widgets/shell/saved_runs.h"

#include <string.h>

/* ---- Sentences for the user ---- */

static void add_sentence(GString *words, char *sentence)
{
    g_string_append_printf(words, "%s%s", words->len ? " " : "", sentence);
    g_free(sentence);
}

/* Reports why a file cannot be used, until that is closed: who named it on a command line may look
 * elsewhere while the window opens. */
static void refuse(NsWindow *window, const char *sentence)
{
    g_autofree char *words = g_strdup_printf(_("%s Nothing was changed."), sentence);
    ns_toast_show(window->toast, words, _("Close"), NULL, NULL);
}

/* ---- Reading in a thread ---- */

typedef struct Reading Reading;

/* A file, functions that read it in a thread and then use it in the main thread, where `error` is
 * NULL if reading succeeded, and its contents. */
struct Reading {
    char *path, *name;
    bool run; /* start training when it was read */
    bool (*read)(Reading *reading, GCancellable *cancellable, GError **error);
    void (*done)(NsWindow *window, Reading *reading, const GError *error);
    NsSettings settings; /* of the first lane, with a text to learn */
    NsStudyWork *work;   /* of a study, with its results */
    NsPastRun *saved;    /* a run of this program */
};

static void reading_free(gpointer data)
{
    Reading *reading = data;
    ns_settings_clear(&reading->settings);
    ns_study_work_unref(reading->work);
    ns_past_run_free(reading->saved);
    g_free(reading->path);
    g_free(reading->name);
    g_free(reading);
}

static void read_file(GTask *task, gpointer window, gpointer data, GCancellable *cancellable)
{
    (void)window;
    Reading *reading = data;
    GError *error = NULL;
    if (reading->read(reading, cancellable, &error))
        g_task_return_boolean(task, TRUE);
    else
        g_task_return_error(task, error);
}

static void on_read(GObject *window, GAsyncResult *result, gpointer data)
{
    (void)data;
    Reading *reading = g_task_get_task_data(G_TASK(result));
    g_autoptr(GError) error = NULL;
    g_task_propagate_boolean(G_TASK(result), &error);
    if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        reading->done(NS_WINDOW(window), reading, error);
}

/* Takes the reading.  It is canceled when the window is destroyed; then `done` is not called. */
static void start(NsWindow *window, Reading *reading, const char *path)
{
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    g_autoptr(GTask) task = g_task_new(window, cancellable, on_read, NULL);
    reading->path = g_strdup(path);
    reading->name = g_filename_display_basename(path);
    ns_connect(window, "destroy", G_CALLBACK(g_cancellable_cancel), cancellable);
    g_task_set_task_data(task, reading, reading_free);
    g_task_run_in_thread(task, read_file);
}

/* ---- Texts to learn ---- */

static bool try_text(Reading *reading, GCancellable *cancellable, GError **error)
{
    (void)cancellable;
    /* A table or JSON would be a useless text to train on. */
    static const char *const suffixes[] = {".csv", ".tsv", ".json", ".jsonl", ".ndjson"};
    g_autofree char *lower = g_ascii_strdown(reading->path, -1);
    char head[2];
    bool data = ns_database_file_head(reading->path, head, sizeof head) == sizeof head &&
                memcmp(head, "{\"", sizeof head) == 0;
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++)
        data |= g_str_has_suffix(lower, suffixes[i]);
    if (data)
        return ns_refuse(
            error, NS_ERROR_FILE,
            N_("“%s” is neither a Normscope figure, run or preset nor a text to train on."),
            reading->name);
    NsCorpus *corpus = ns_corpus_open(&reading->settings, error);
    if (!corpus) return false;
    ns_corpus_unref(corpus);
    return true;
}

static void on_tried(NsWindow *window, Reading *reading, const GError *error)
{
    NsSession *session = window->session;
    if (error)
        refuse(window, error->message);
    else if (ns_session_set(session, "text", reading->path) && reading->run)
        ns_session_run(session);
}

/* ---- Experiments ---- */

static void open_other(NsWindow *window, const NsExperiment *experiment)
{
    ns_session_open(window->session, experiment);
    ns_session_leave_experiment(window->session);
}

static void on_run_to(gpointer step, gpointer toast)
{
    NsWindow *window = NS_WINDOW(gtk_widget_get_root(toast));
    ns_session_run_again_to(window->session, *(const int64_t *)step);
}

static void report_experiment(NsWindow *window, const NsProvenance *provenance, const char *name)
{
    g_autofree char *offer = NULL;
    GString *words = g_string_new(NULL);
    add_sentence(words, g_strdup_printf(_("Set up as in %s."), name));
    if (provenance->x)
        add_sentence(words, g_strdup(_("Press Start to train the runs of its sweep.")));
    if (provenance->step > 0) {
        g_autofree char *step = ns_group_digits(provenance->step);
        add_sentence(words, g_strdup_printf(_("The figure shows step %s."), step));
        offer = g_strdup_printf(_("Run to step %s"), step);
    }
    if (provenance->changes)
        add_sentence(words, g_strdup(_("Settings were changed before that step.")));
    if (offer)
        ns_toast_show(window->toast, words->str, offer, on_run_to,
                      g_memdup2(&provenance->step, sizeof provenance->step));
    else
        ns_window_toast(window, words->str);
    g_string_free(words, TRUE);
}

/* FALSE if the file was not written by Normscope. */
static bool open_experiment(NsWindow *window, const char *path)
{
    NsFileKind kind;
    g_auto(NsProvenance) provenance;
    g_auto(NsPreset) preset;
    g_autoptr(GError) error = NULL;
    g_autofree char *name = g_filename_display_basename(path);
    ns_provenance_init(&provenance);
    ns_preset_init(&preset);
    if (ns_figure_file_read(&provenance, &preset, path, &kind, &error)) {
        if (kind == NS_FILE_PRESET)
            ns_window_open_preset(window, &preset);
        else
            open_other(window, &provenance.experiment);
        /* Shows the page that the figure was saved from, with the axes of its sweep. */
        NsPageStack *pages = window->pages;
        bool sweep = provenance.x && provenance.y;
        if (provenance.study) ns_page_stack_show(pages, "paper");
        if (sweep) ns_page_stack_show(pages, "phase");
        if (provenance.figure) ns_window_show_figure(window, provenance.figure);
        if (sweep &&
            !ns_phase_page_set_axes(NS_PHASE_PAGE(ns_page_stack_page(pages)), provenance.x,
                                    provenance.y, provenance.experiment.lane[0].steps, &error))
            ns_window_toast(window, error->message);
        else if (!preset.note) /* which is shown */
            report_experiment(window, &provenance, name);
    } else if (kind != NS_FILE_OTHER || error) {
        refuse(window, error->message);
    } else {
        return false;
    }
    return true;
}

/* ---- Runs of this program ---- */

static bool read_run(Reading *reading, GCancellable *cancellable, GError **error)
{
    reading->saved = ns_past_run_read(reading->path, cancellable, error);
    return reading->saved != NULL;
}

static void on_run_read(NsWindow *window, Reading *reading, const GError *error)
{
    NsSession *session = window->session;
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    if (!error) {
        ns_session_leave_experiment(session);
        g_autofree char *message = ns_past_run_take_message(reading->saved);
        ns_session_open_saved(session, g_steal_pointer(&reading->saved));
        int64_t from = ns_session_continues_from(session);
        g_autofree char *title = ns_session_title(session);
        g_autofree char *last = ns_group_digits(ns_session_steps(session));
        g_autofree char *step = ns_group_digits(from);
        g_autofree char *words =
            from < 0 ? g_strdup_printf(_("“%s” opened at step %s. Run restarts it."), title, last)
            : from == ns_session_steps(session)
                ? g_strdup_printf(_("“%s” opened at step %s. Run continues it."), title, last)
                : g_strdup_printf(_("“%s” opened at step %s. Run continues it from step %s."),
                                  title, last, step);
        ns_window_toast(window, message ? message : words);
    } else if (g_error_matches(error, NS_ERROR, NS_ERROR_EMPTY) &&
               ns_figure_file_read(&provenance, NULL, reading->path, NULL, NULL)) {
        /* A file with settings only is an experiment that can be run. */
        open_other(window, &provenance.experiment);
        ns_window_toast(window, error->message);
    } else {
        refuse(window, error->message);
        return;
    }
    if (reading->run) ns_session_run(session);
}

static void open_run(NsWindow *window, const char *path, bool run)
{
    g_autofree char *shown = ns_session_path_on_view(window->session);
    if (g_strcmp0(shown, path) == 0 && ns_recorded_kind(path) == NS_RECORDED_FILE) {
        ns_window_toast(window, _("This run is shown already."));
        return;
    }
    Reading *reading = g_new0(Reading, 1);
    *reading = (Reading){.run = run, .read = read_run, .done = on_run_read};
    g_autofree char *name = g_filename_display_basename(path);
    g_autofree char *words = g_strdup_printf(_("Reading %s…"), name);
    ns_window_toast(window, words);
    start(window, reading, path);
}

/* ---- Studies and their results ---- */

static bool read_results(Reading *reading, GCancellable *cancellable, GError **error)
{
    (void)cancellable;
    g_auto(NsStudy) study;
    ns_study_init(&study);
    if (!ns_study_open(&study, reading->path, error) || !ns_study_check(&study, error))
        return false;
    g_autofree char *out = ns_study_results_path(reading->path);
    reading->work = ns_study_work_new(&study, out, NULL);
    if (!ns_study_store_is(out)) return true; /* no results yet */
    g_autoptr(NsStudyStore) store =
        ns_study_store_look(out, ns_study_work_study(reading->work), error);
    g_auto(NsStudyResults) results = {0};
    if (!store || !ns_study_store_results(store, &results, error)) return false;
    ns_study_work_set_cells(reading->work, results.cells);
    return true;
}

static void on_results(NsWindow *window, Reading *reading, const GError *error)
{
    g_autoptr(GError) unfit = NULL;
    /* Checks whether it can be shown before anything changes. */
    g_autoptr(NsPhase) phase = error ? NULL : ns_phase_new(reading->work, 0, 0, 1, &unfit);
    NsPageStack *pages = window->pages;
    if (phase) open_other(window, &phase->study->experiment);
    if (phase) ns_page_stack_show(pages, "phase");
    if (!phase || !ns_phase_page_show_study(NS_PHASE_PAGE(ns_page_stack_page(pages)), reading->work,
                                            &unfit)) {
        refuse(window, error ? error->message : unfit->message);
        return;
    }
    g_autofree char *words = g_strdup_printf(
        _("%s is shown; press Start to train the runs that are missing."), reading->name);
    ns_window_toast(window, words);
}

/* ---- Runs of other programs, which may go on ---- */

bool ns_window_watch(NsWindow *window, const char *const *paths)
{
    g_autoptr(GError) error = NULL;
    bool good = ns_session_watch(window->session, paths, &error);
    if (!good) refuse(window, error->message);
    return good;
}

static void watch_file(NsWindow *window, const char *path)
{
    NsSession *session = window->session;
    g_autofree char *name = g_filename_display_basename(path);
    g_autoptr(GError) error = NULL;
    bool whole;
    g_autoptr(NsOutside) head = ns_outside_file_head(path, &whole);
    bool empty = head && whole && !ns_outside_lanes(head);
    if (ns_session_watches(session, path)) {
        ns_window_toast(window, _("This run is shown already."));
    } else if (empty && !ns_outside_may_be_mapped(head)) {
        ns_outside_refuse_empty(head, name, false, &error);
        refuse(window, error->message);
    } else if (ns_window_watch(window, (const char *const[]){path, NULL})) {
        g_autofree char *words = g_strdup_printf(
            empty ? _("No training loss was recognized in %s; choose its column on the left.")
                  : _("%s is written by another program; new steps are shown live."),
            name);
        ns_window_toast(window, words);
    }
}

void ns_window_open(NsWindow *window, const char *path, bool run)
{
    g_autoptr(GError) error = NULL;
    NsRecordedKind kind = ns_recorded_kind(path);
    bool folder = g_file_test(path, G_FILE_TEST_IS_DIR);
    if (folder && (kind != NS_RECORDED_LOG || ns_outside_file_left_out(path))) {
        g_autofree char *whole = g_canonicalize_filename(path, NULL);
        ns_run_library_show(ns_saved_runs_present(window), whole);
    } else if (kind == NS_RECORDED_FILE || kind == NS_RECORDED_LINES)
        open_run(window, path, run);
    else if (ns_study_store_is(path) || g_str_has_suffix(path, ".study")) {
        Reading *reading = g_new0(Reading, 1);
        *reading = (Reading){.read = read_results, .done = on_results};
        start(window, reading, path);
    } else if (ns_lecture_is(path))
        ns_lecture_show_file(window, path, &error);
    else if (kind == NS_RECORDED_LOG)
        watch_file(window, path);
    else if (!open_experiment(window, path)) {
        Reading *reading = g_new0(Reading, 1);
        *reading = (Reading){.run = run, .read = try_text, .done = on_tried};
        ns_settings_copy(&reading->settings, ns_session_settings(window->session));
        ns_settings_set(&reading->settings, "text", path, NULL);
        start(window, reading, path);
    } else if (run)
        ns_session_run(window->session);
    if (error) refuse(window, error->message);
}

static gboolean on_drop(GtkDropTarget *target, const GValue *value, double x, double y,
                        NsWindow *window)
{
    (void)target, (void)x, (void)y;
    g_autofree char *path = g_file_get_path(g_value_get_object(value));
    if (path) ns_window_open(window, path, false);
    return path != NULL;
}

void ns_window_add_drop(NsWindow *window)
{
    GtkDropTarget *drop = gtk_drop_target_new(G_TYPE_FILE, GDK_ACTION_COPY);
    g_signal_connect(drop, "drop", G_CALLBACK(on_drop), window);
    gtk_widget_add_controller(GTK_WIDGET(window), GTK_EVENT_CONTROLLER(drop));
}
