/* Charts to files, off the main thread.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/export_job.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "ui/plot/text.h"

typedef struct {
    NsView *view;
    NsExportRequest request;
    NsSheet sheet;
    char *path;
} Job;

static void job_free(gpointer data)
{
    Job *job = data;
    ns_view_free(job->view);
    ns_sheet_clear(&job->sheet);
    g_free(job->path);
    g_free(job);
}

/* The charts to write into the file or files. */
static guint first_chart(const NsExportRequest *request)
{
    return request->what == NS_EXPORT_ONE ? request->current : 0;
}

static guint n_charts(const NsExportRequest *request)
{
    return request->what == NS_EXPORT_ONE ? 1 : request->sheet->charts->len;
}

static NsFigureInput input_of(const Job *job)
{
    NsFigureInput input = ns_view_input(job->view);
    /* The layer that the window points out is no part of a figure. */
    input.marked_layer = 0;
    return input;
}

/* The plots of a chart, one for every copy; a table has all data, also beyond the view. */
static bool add_chart(const Job *job, guint i, GPtrArray *figures, GPtrArray *plots, GError **error)
{
    const NsSheetChart *chart = ns_sheet_chart(&job->sheet, i);
    NsFigureInput input = input_of(job);
    ns_view_look_closer(job->view, &chart->spec, &input);
    NsSheetChart whole = {.spec = chart->spec};
    ns_view_state_init(&whole.view);
    for (unsigned copy = 0; copy < ns_sheet_copies(chart, job->view->started.n); copy++) {
        NsFigureInput own = ns_sheet_input(&job->sheet, chart, copy, &input);
        NsFigure *figure = ns_figure_create(chart->spec.kind);
        g_ptr_array_add(figures, figure);
        NsPlot *plot = ns_sheet_plot(job->request.format == NS_FORMAT_CSV ? &whole : chart,
                                     ns_figure_update(figure, &own), error);
        if (!plot) return false;
        g_ptr_array_add(plots, plot);
    }
    return true;
}

/* ---- the experiment ---- */

/* "step 40: lr 0.001": the settings that were changed while it ran; "B, step 40: ..." in a lane. */
static char *changes_of(const NsView *view)
{
    GString *text = g_string_new(NULL);
    for (unsigned lane = 0; lane < view->started.n; lane++) {
        const NsHistory *history = view->histories[lane];
        for (size_t i = 0; history && i < ns_history_events(history); i++) {
            const NsEvent *event = ns_history_event(history, i);
            if (event->kind != NS_EVENT_SETTING) continue;
            if (text->len) g_string_append(text, "; ");
            if (view->started.n > 1) g_string_append_printf(text, "%s, ", ns_lane_letter(lane));
            g_string_append_printf(text, "step %" G_GINT64_FORMAT ": %s", event->step, event->text);
        }
    }
    return g_string_free(text, text->len == 0);
}

static NsProvenance provenance_of(const NsView *view, const NsExportRequest *request, guint first,
                                  guint n)
{
    NsFigureInput input = ns_view_input(view);
    int64_t newest = MAX(ns_view_newest_step(view), 0);
    /* The settings that the run began with, from which it can be repeated. */
    NsProvenance provenance =
        ns_sheet_provenance(request->sheet, first, n, &input, newest, &view->started);
    provenance.changes = changes_of(view);
    return provenance;
}

static void append_quoted(GString *command, const char *option, const char *word)
{
    g_autofree char *quoted = ns_shell_word(word, "");
    g_string_append_printf(command, " %s %s", option, quoted);
}

void ns_export_provenance(const NsView *view, const NsExportRequest *request,
                          NsProvenance *provenance)
{
    *provenance = provenance_of(view, request, first_chart(request), n_charts(request));
}

char *ns_export_command(const NsView *view, const NsExportRequest *request, const char *name)
{
    bool outside = ns_view_is_outside(view);
    g_auto(NsProvenance) provenance;
    ns_export_provenance(view, request, &provenance);
    if (outside && !view->source) return g_strdup("");
    GString *command = g_string_new("normscope-cli chart");
    if (outside) append_quoted(command, "--from", view->source);
    append_quoted(command, "--figure", provenance.figure);
    if (provenance.names) append_quoted(command, "--names", provenance.names);
    if (request->what == NS_EXPORT_SEPARATE) g_string_append(command, " --each");
    if (!view->log) g_string_append(command, " --linear");
    if (!g_str_equal(provenance.smooth, "none"))
        g_string_append_printf(command, " --smooth %s", provenance.smooth);
    if (view->theory) g_string_append(command, " --theory on");
    g_string_append_printf(command, " --step %" G_GINT64_FORMAT, provenance.step);
    if (provenance.until > 0)
        g_string_append_printf(command, " --until %" G_GINT64_FORMAT, provenance.until);
    const NsExperiment *experiment = &provenance.experiment;
    const NsParam *param;
    for (size_t i = 0; !outside && (param = ns_param(i)); i++) {
        bool endless = g_str_equal(param->key, "steps"); /* 0 here, 100 in the command */
        if (!endless && ns_settings_is_default(&experiment->lane[0], param)) continue;
        g_autofree char *value = ns_settings_get(&experiment->lane[0], param);
        g_autofree char *word = g_strconcat(param->key, "=", value, NULL);
        append_quoted(command, "--set", word);
    }
    for (size_t i = 0; !outside && experiment->n > 1 && i < experiment->n; i++) {
        g_autofree char *words = ns_experiment_lane_words(experiment, i);
        append_quoted(command, "--lane", words);
    }
    if (g_strcmp0(provenance.heat, "ratio") == 0) g_string_append(command, " --heat ratio");
    /* A table has no style. */
    NsExportChoices choices = request->choices, bare;
    ns_export_choices_init(&bare);
    bare.experiment = choices.experiment;
    if (request->format == NS_FORMAT_CSV) choices = bare;
    g_autofree char *flags = ns_export_choices_flags(&choices);
    if (*flags) g_string_append_printf(command, " %s", flags);
    append_quoted(command, "--out", name);
    return g_string_free(command, FALSE);
}

const char *ns_export_command_gap(const NsView *view, const NsExportRequest *request)
{
    bool curves = false, profiles = false, maps = false; /* over steps, over layers, of layers */
    bool pinned = false;                                 /* profiles that draw pinned runs */
    bool newer = false; /* a measurement that only the window has, after the shown step */
    int64_t newest = ns_view_newest_step(view), step = ns_view_input(view).step;
    for (guint i = first_chart(request); i < first_chart(request) + n_charts(request); i++) {
        const NsFigureSpec *spec = &ns_sheet_chart(request->sheet, i)->spec;
        const NsFigureKind *kind = spec->kind;
        bool one =
            kind->expensive || kind->of_curvature; /* only the newest measurement is stored */
        const NsParam *every = one ? ns_param_find(ns_figure_spec_every(spec)) : NULL;
        double n = every ? ns_settings_get_number(&view->started.lane[0], every) : 0;
        newer |= n > 0 && step >= 0 && newest / (int64_t)n > step / (int64_t)n;
        maps |= kind->rows_are_layers;
        curves |= kind->abscissa == NS_OVER_STEPS && !kind->rows_are_layers;
        profiles |= kind->abscissa == NS_OVER_LAYERS;
        pinned |= kind->abscissa == NS_OVER_LAYERS && !kind->two_runs && !kind->one_model;
    }
    if (ns_view_is_outside(view) && !view->source)
        return _("No single command can draw the files of several other programs in one figure.");
    g_autofree char *changes = changes_of(view);
    if (changes) return _("Settings changed during the run are not reproduced.");
    if (view->previous.history && (curves || profiles))
        return _("The command does not repeat the previous run, which is drawn in gray.");
    if (view->n_pinned && (curves || pinned))
        return _("The command does not repeat earlier runs, which are drawn faintly.");
    for (unsigned i = 0; i < view->started.n; i++) {
        const NsHistory *history = view->histories[i];
        if (history && !view->names[i] && ns_history_first_step(history) > 0)
            return _(
                "The command trains from step 0, not from the step at which this run was forked.");
    }
    if (newer) return _("The command draws the measurement of the shown step, not the newest one.");
    if (view->started.n > 1 && view->heat == NS_HEAT_LANE && maps)
        return _("The command draws heatmaps of all lanes, not of one.");
    return NULL;
}

/* ---- the job ---- */

static bool write_file(const Job *job, guint first, guint n, const char *path, GError **error)
{
    const NsExportRequest *request = &job->request;
    g_autoptr(GPtrArray) figures = g_ptr_array_new_with_free_func((GDestroyNotify)ns_figure_free);
    g_autoptr(GPtrArray) plots = g_ptr_array_new_with_free_func((GDestroyNotify)ns_sheet_plot_free);
    for (guint i = first; i < first + n; i++)
        if (!add_chart(job, i, figures, plots, error)) return false;
    g_auto(NsProvenance) provenance = provenance_of(job->view, request, first, n);
    const NsProvenance *recorded = ns_view_is_outside(job->view) ? NULL : &provenance;
    const NsSheetFile file = {&request->choices, request->format, recorded, path,
                              request->watch,    request->remark};
    const NsFigureInput input = input_of(job);
    if (request->format != NS_FORMAT_CSV && request->choices.seconds > 0)
        return ns_sheet_write_film(&job->sheet, first, n, &input, &file, error);
    return ns_sheet_write((const NsPlot *const *)plots->pdata, plots->len, &file, error);
}

char **ns_export_paths(const NsExportRequest *request, const char *path)
{
    g_autoptr(GStrvBuilder) paths = g_strv_builder_new();
    bool separate = request->what == NS_EXPORT_SEPARATE;
    if (!separate) g_strv_builder_add(paths, path);
    for (guint i = 0; separate && i < request->sheet->charts->len; i++) {
        g_autofree char *word = ns_sheet_word(request->sheet, i);
        g_autofree char *own = ns_export_path(path, word);
        g_strv_builder_add(paths, own);
    }
    return g_strv_builder_end(paths);
}

/* The path of the first file, or NULL. */
static char *write_files(const Job *job, GError **error)
{
    const NsExportRequest *request = &job->request;
    guint first = first_chart(request), n = n_charts(request);
    g_auto(GStrv) paths = ns_export_paths(request, job->path);
    guint files = g_strv_length(paths);
    for (guint i = 0; i < files; i++)
        if (!write_file(job, first + i, files > 1 ? 1 : n, paths[i], error)) return NULL;
    return g_strdup(paths[0]);
}

static void work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    (void)source, (void)cancellable;
    GError *error = NULL;
    char *path = write_files(data, &error);
    if (path)
        g_task_return_pointer(task, path, g_free);
    else
        g_task_return_error(task, error);
}

static void start(const NsView *view, const NsExportRequest *request, const char *path, GTask *task,
                  GTaskThreadFunc function)
{
    Job *job = g_new0(Job, 1);
    job->view = ns_view_copy(view);
    job->request = *request;
    ns_sheet_copy(&job->sheet, request->sheet);
    job->request.sheet = &job->sheet;
    job->path = g_strdup(path);
    g_task_set_task_data(task, job, job_free);
    g_task_run_in_thread(task, function);
    g_object_unref(task);
}

void ns_export_async(const NsView *view, const NsExportRequest *request, const char *path,
                     GAsyncReadyCallback callback, gpointer user_data)
{
    start(view, request, path, g_task_new(NULL, NULL, callback, user_data), work);
}

/* ---- facts ---- */

void ns_export_facts_free(NsExportFacts *facts)
{
    if (!facts) return;
    g_free(facts->title);
    g_ptr_array_unref(facts->curves);
    for (int i = 0; i < NS_VIEW_STATE_AXES; i++) g_free(facts->axis[i]);
    g_free(facts);
}

static void find_facts(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    (void)source, (void)cancellable;
    const Job *job = data;
    const NsSheetChart *chart = ns_sheet_chart(&job->sheet, job->request.current);
    const NsFigureInput input = input_of(job);
    NsFigureInput own = ns_sheet_input(&job->sheet, chart, 0, &input);
    g_autoptr(NsFigure) figure = ns_figure_create(chart->spec.kind);
    const NsPlot *plot = ns_figure_update(figure, &own);
    NsExportFacts *facts = g_new0(NsExportFacts, 1);
    const NsAxis *axes[NS_VIEW_STATE_AXES] = {&plot->x, &plot->left};
    facts->title = ns_text_plain(plot->title);
    facts->curves = g_ptr_array_new_with_free_func(g_free);
    const char *name;
    for (unsigned i = 0; (name = ns_plot_curve(plot, i)); i++)
        g_ptr_array_add(facts->curves, ns_text_plain(name));
    for (NsViewStateAxis i = 0; i < NS_VIEW_STATE_AXES; i++) {
        if (!plot->drawing && ns_plot_has_axis(plot, i))
            facts->axis[i] = ns_text_plain(axes[i]->label);
        facts->scale[i] = axes[i]->scale;
    }
    g_task_return_pointer(task, facts, (GDestroyNotify)ns_export_facts_free);
}

void ns_export_facts_async(const NsView *view, const NsExportRequest *request,
                           GAsyncReadyCallback callback, gpointer user_data)
{
    start(view, request, NULL, g_task_new(NULL, NULL, callback, user_data), find_facts);
}
