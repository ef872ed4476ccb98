/* Charts to files, off the main thread.  SPDX-License-Identifier: MIT */
#include "ui/widgets/export_job.h"

#include "core/base/error.h"
#include "core/store/experiment.h"

#include <glib/gstdio.h>
#include <unistd.h>

#define SHEET_COLUMNS 2

typedef struct {
    NsView *view;
    NsExportRequest request;
    char *path;
} Job;

static void job_free(gpointer data)
{
    Job *job = data;
    ns_view_free(job->view);
    g_free(job->path);
    g_free(job);
}

static bool write_files(const Job *job, GError **error)
{
    const NsExportRequest *request = &job->request;
    g_autoptr(GPtrArray) figures = g_ptr_array_new_with_free_func((GDestroyNotify)ns_figure_free);
    g_autoptr(GPtrArray) plots = g_ptr_array_new();
    g_autoptr(GPtrArray) keys = g_ptr_array_new();
    g_auto(NsExperiment) experiment = {.step = job->view->step};
    ns_settings_copy(&experiment.settings, &job->view->settings);
    g_autofree char *line = ns_experiment_line(&experiment);
    NsFigureInput input = ns_view_input(job->view);
    for (size_t i = 0; ns_figure_kind(i); i++) {
        const NsFigureKind *kind = ns_figure_kind(i);
        if (request->what == NS_EXPORT_ONE ? kind != request->kind : !kind->overview) continue;
        NsFigure *figure = kind->create();
        g_ptr_array_add(figures, figure);
        g_ptr_array_add(plots, (gpointer)(guintptr)ns_figure_update(figure, &input));
        g_ptr_array_add(keys, (gpointer)(guintptr)kind->choice.key);
    }
    const NsPlot *const *all = (const NsPlot *const *)plots->pdata;
    NsExport options = {
        .format = request->format,
        .style = request->style,
        .width = request->width,
        .height = request->height,
        .dpi = request->dpi,
        .experiment = line,
    };
    if (request->what != NS_EXPORT_SEPARATE)
        return ns_export(all, plots->len, plots->len > 1 ? SHEET_COLUMNS : 1, &options, job->path,
                         error);
    for (guint i = 0; i < plots->len; i++) {
        g_autofree char *path = ns_export_path(job->path, g_ptr_array_index(keys, i));
        if (!ns_export(all + i, 1, 1, &options, path, error)) return false;
    }
    return true;
}

static void work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    (void)source, (void)cancellable;
    const Job *job = data;
    GError *error = NULL;
    if (!write_files(job, &error)) {
        g_task_return_error(task, error);
        return;
    }
    g_autofree char *name = g_path_get_basename(job->path);
    if (job->request.what == NS_EXPORT_SEPARATE) {
        g_autofree char *pattern = ns_export_path(name, "*");
        g_task_return_pointer(task, g_steal_pointer(&pattern), g_free);
        return;
    }
    g_task_return_pointer(task, g_steal_pointer(&name), g_free);
}

void ns_export_async(const NsView *view, const NsExportRequest *request, const char *path,
                     GAsyncReadyCallback callback, gpointer user_data)
{
    Job *job = g_new0(Job, 1);
    job->view = ns_view_copy(view);
    job->request = *request;
    job->path = g_strdup(path);
    g_autoptr(GTask) task = g_task_new(NULL, NULL, callback, user_data);
    g_task_set_task_data(task, job, job_free);
    g_task_run_in_thread(task, work);
}

char *ns_export_finish(GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}

char *ns_plot_csv(const NsPlot *plot, GError **error)
{
    g_autofree char *path = NULL;
    char *text = NULL;
    int file = g_file_open_tmp("normscope-XXXXXX.csv", &path, error);
    if (file < 0) return NULL;
    close(file);
    NsExport options = {.format = NS_FORMAT_CSV};
    if (ns_export(&plot, 1, 1, &options, path, error))
        g_file_get_contents(path, &text, NULL, error);
    g_unlink(path);
    return text;
}
