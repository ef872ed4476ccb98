/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/handout.h"

#include "core/base/exit_barrier.h"
#include "core/base/thread.h"
#include "core/base/words.h"
#include "core/store/bundled.h"
#include "core/store/output_file.h"
#include "ui/figures/handout.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"

#define LESSON "ns-handout-lesson"
#define JOB "ns-handout-job"
#define SHOW_MS 200

typedef struct {
    NsWindow *window; /* NULL once it has closed */
    NsLesson *lesson;
    char *path;
    char *shown;                 /* the newest sentence */
    int card, step, until, stop; /* atomic */
} Job;

static void job_free(gpointer data)
{
    Job *job = data;
    ns_lesson_free(job->lesson);
    g_free(job->path);
    g_free(job->shown);
    g_free(job);
}

/* ---- The thread that trains ---- */

static bool on_step(void *data, size_t card, int64_t step, int64_t until, double loss)
{
    Job *job = data;
    (void)loss;
    g_atomic_int_set(&job->card, (int)card + 1);
    g_atomic_int_set(&job->step, (int)step);
    g_atomic_int_set(&job->until, (int)until);
    return !g_atomic_int_get(&job->stop);
}

static void *work(void *task)
{
    Job *job = g_task_get_task_data(task);
    GError *error = NULL;
    ns_thread_lower(NS_NICER_BACKGROUND);
    NsDocument *document = ns_handout_new(job->lesson, on_step, job, &error);
    bool stop = g_atomic_int_get(&job->stop);
    if (document) ns_document_end(document, stop ? NULL : job->path, &error);
    if (error)
        g_task_return_error(task, error);
    else
        g_task_return_boolean(task, !stop);
    g_object_unref(task);
    ns_exit_barrier_leave();
    return NULL;
}

/* ---- What the window shows ---- */

static void stop(NsWindow *window)
{
    Job *job = g_object_get_data(G_OBJECT(window), JOB);
    if (job) g_atomic_int_set(&job->stop, 1);
}

static void on_stop(gpointer data, gpointer toast)
{
    (void)data;
    stop(NS_WINDOW(gtk_widget_get_root(toast)));
}

/* Another toast is shown to its end. */
static gboolean show(gpointer data)
{
    Job *job = data;
    const char *now = ns_toast_text(job->window->toast);
    if (g_atomic_int_get(&job->stop) || (now && g_strcmp0(now, job->shown) != 0))
        return G_SOURCE_CONTINUE;
    int card = g_atomic_int_get(&job->card), until = g_atomic_int_get(&job->until);
    g_free(job->shown);
    job->shown = until ? g_strdup_printf(_("Handout: card %d of %d, step %d of %d"), card,
                                         (int)job->lesson->n, g_atomic_int_get(&job->step), until)
                       : g_strdup(_("Handout: preparing"));
    ns_toast_show(job->window->toast, job->shown, _("Stop"), on_stop, NULL);
    return G_SOURCE_CONTINUE;
}

static void on_made(GObject *source, GAsyncResult *result, gpointer user_data)
{
    (void)source, (void)user_data;
    g_autoptr(GError) error = NULL;
    Job *job = g_task_get_task_data(G_TASK(result));
    NsWindow *window = job->window;
    bool made = g_task_propagate_boolean(G_TASK(result), &error);
    if (!window) return;
    g_source_remove_by_user_data(job);
    g_object_set_data(G_OBJECT(window), JOB, NULL);
    ns_window_enable(window, "handout", true);
    g_autofree char *name = g_filename_display_basename(job->path);
    g_autofree char *saved = g_strdup_printf(_("Saved %s"), name);
    if (made)
        ns_window_toast_file(window, saved, job->path);
    else if (error && !g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        ns_window_toast(window, error->message);
}

static void on_destroy(NsWindow *window)
{
    Job *job = g_object_get_data(G_OBJECT(window), JOB);
    stop(window);
    if (!job) return;
    g_source_remove_by_user_data(job);
    job->window = NULL;
    g_object_set_data(G_OBJECT(window), JOB, NULL);
}

/* ---- The beginning ---- */

void ns_handout_save(NsWindow *window, const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *lower = g_ascii_strdown(path, -1);
    bool ended = g_str_has_suffix(lower, ".pdf");
    g_autofree char *full = ended ? g_strdup(path) : g_strconcat(path, ".pdf", NULL);
    g_autofree char *name = g_filename_display_basename(full);
    if (!ended && g_file_test(full, G_FILE_TEST_EXISTS)) {
        g_autofree char *words =
            g_strdup_printf(_("%s exists already, and nothing was saved."), name);
        ns_window_toast(window, words);
        return;
    }
    size_t i = GPOINTER_TO_SIZE(g_object_get_data(G_OBJECT(window), LESSON));
    NsLesson *lesson = ns_output_file_check(full, &error) ? ns_lesson_open(i, &error) : NULL;
    if (!lesson) {
        ns_window_toast(window, error->message);
        return;
    }
    /* The processors belong to the window and its run. */
    for (size_t card = 0; card < lesson->n; card++)
        for (size_t lane = 0; lane < lesson->card[card].end.n; lane++)
            lesson->card[card].end.lane[lane].threads = 1;
    Job *job = g_new0(Job, 1);
    *job = (Job){.window = window, .lesson = lesson, .path = g_steal_pointer(&full), .card = 1};
    GTask *task = g_task_new(NULL, NULL, on_made, NULL);
    g_task_set_task_data(task, job, job_free);
    g_object_set_data(G_OBJECT(window), JOB, job);
    ns_window_enable(window, "handout", false);
    g_timeout_add(SHOW_MS, show, job);
    pthread_t thread;
    ns_exit_barrier_enter();
    int failure = ns_thread_start(&thread, work, task);
    if (failure == 0) {
        pthread_detach(thread);
        return;
    }
    ns_exit_barrier_leave();
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_FAILED, "%s", g_strerror(failure));
    g_object_unref(task);
}

static void on_path(const char *path, gpointer window)
{
    ns_handout_save(window, path);
}

static void on_handout(GSimpleAction *action, GVariant *key, gpointer window)
{
    (void)action;
    int i = ns_choices_find(ns_lesson_choice, g_variant_get_string(key, NULL));
    if (i < 0) return;
    g_autofree char *name = g_strconcat(ns_lesson_choice((size_t)i)->key, ".pdf", NULL);
    g_object_set_data(window, LESSON, GSIZE_TO_POINTER((size_t)i));
    ns_file_dialog_save(window, _("Save the handout of the lesson"), name, on_path, window);
}

void ns_handout_add(NsWindow *window)
{
    static const GActionEntry action = {
        .name = "handout", .parameter_type = "s", .activate = on_handout};
    g_action_map_add_action_entries(G_ACTION_MAP(window), &action, 1, window);
    g_signal_connect(window, "destroy", G_CALLBACK(on_destroy), NULL);
}
