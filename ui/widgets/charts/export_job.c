/* Charts to files, off the main thread.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/export_job.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "ui/plot/csv.h"

typedef struct {
    NsView *view;
    NsExportRequest request;
    GArray *tiles;
    char *path;
} Job;

static void job_free(gpointer data)
{
    Job *job = data;
    ns_view_free(job->view);
    g_array_unref(job->tiles);
    g_free(job->path);
    g_free(job);
}

static gpointer copy_label(gconstpointer label, gpointer data)
{
    (void)data;
    return g_strdup(label);
}

NsViewState ns_export_view_state(const NsViewState *view_state)
{
    NsViewState copy = *view_state;
    if (copy.hidden) {
        copy.hidden = g_ptr_array_copy(view_state->hidden, (GCopyFunc)copy_label, NULL);
        g_ptr_array_set_free_func(copy.hidden, g_free);
    }
    return copy;
}

static void clear_tile(gpointer tile)
{
    ns_view_state_clear(&((NsExportTile *)tile)->view_state);
}

GArray *ns_export_tiles_new(void)
{
    GArray *tiles = g_array_new(FALSE, FALSE, sizeof(NsExportTile));
    g_array_set_clear_func(tiles, clear_tile);
    return tiles;
}

/* ---- figures ---- */

/* The figures that go together into one file. */
typedef struct {
    GPtrArray *figures; /* NsFigure */
    GArray *plots;      /* NsPlot, under their view states */
    GPtrArray *series;  /* of these; GArray */
    GPtrArray *borrowed;
} Sheet;

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

static Sheet sheet_new(void)
{
    return (Sheet){g_ptr_array_new_with_free_func((GDestroyNotify)ns_figure_free),
                   g_array_new(FALSE, FALSE, sizeof(NsPlot)),
                   g_ptr_array_new_with_free_func(unref_array), g_ptr_array_new()};
}

static void sheet_clear(Sheet *sheet)
{
    g_ptr_array_unref(sheet->borrowed);
    g_array_unref(sheet->plots);
    g_ptr_array_unref(sheet->series);
    g_ptr_array_unref(sheet->figures);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sheet, sheet_clear)

static void add_figure(Sheet *sheet, const Job *job, const NsExportTile *tile)
{
    NsFigureInput input = ns_view_input(job->view);
    ns_figure_spec_apply(&tile->spec, &input);
    /* What is pointed out in the window is no part of a figure. */
    input.marked_layer = 0;
    if (tile->lane >= 0 && tile->lane < (int)input.n_lanes)
        input = ns_figure_input_of(&input, (unsigned)tile->lane);
    NsFigure *figure = tile->spec.kind->create();
    g_ptr_array_add(sheet->figures, figure);
    NsPlot plot = *ns_figure_update(figure, &input);
    if (job->request.format != NS_FORMAT_CSV) {
        NsPlot whole = plot;
        GArray *series = g_array_new(FALSE, FALSE, sizeof(NsSeries));
        ns_view_state_apply(&tile->view_state, &whole, &plot, series);
        /* What is hidden is struck out in a window; on paper it is not there. */
        for (guint i = series->len; i-- > 0;)
            if (g_array_index(series, NsSeries, i).hidden) g_array_remove_index(series, i);
        plot.series = (const NsSeries *)(const void *)series->data;
        plot.n_series = series->len;
        g_ptr_array_add(sheet->series, series);
    }
    g_array_append_val(sheet->plots, plot);
}

/* ---- the experiment ---- */

/* The tiles that go into the file, or the files. */
static guint first_tile(const NsExportRequest *request)
{
    return request->what == NS_EXPORT_ONE ? request->current : 0;
}

static guint n_tiles(const NsExportRequest *request)
{
    return request->what == NS_EXPORT_ONE ? 1 : request->tiles->len;
}

static const NsExportTile *tile_at(const NsExportRequest *request, guint i)
{
    return &g_array_index(request->tiles, NsExportTile, i);
}

static char *specs_text(const NsExportRequest *request, guint first, guint n)
{
    g_autofree NsFigureSpec *specs = g_new(NsFigureSpec, MAX(n, 1));
    size_t told = 0;
    /* A figure of one model is drawn for every lane where it is named once. */
    for (guint i = 0; i < n; i++)
        if (n < 2 || tile_at(request, first + i)->lane <= 0)
            specs[told++] = tile_at(request, first + i)->spec;
    return ns_figure_specs_text(specs, told);
}

static char *specs_word(const NsExportRequest *request, guint i)
{
    g_autofree NsFigureSpec *specs = g_new(NsFigureSpec, request->tiles->len);
    for (guint k = 0; k < request->tiles->len; k++) specs[k] = tile_at(request, k)->spec;
    return ns_figure_specs_word(specs, i);
}

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

/* The newest step of all lanes. */
static int64_t newest_of(const NsView *view)
{
    int64_t newest = 0;
    for (unsigned i = 0; i < view->started.n; i++) {
        const NsHistory *history = view->histories[i];
        size_t records = history ? ns_history_steps(history) : 0;
        if (records) newest = MAX(newest, ns_history_step(history, records - 1)->step);
    }
    return newest;
}

static void make_provenance(const NsView *view, const NsExportRequest *request, guint first,
                            guint n, NsProvenance *provenance)
{
    int64_t newest = newest_of(view);
    bool before = view->step >= 0 && view->step < newest;
    *provenance = (NsProvenance){
        .step = before ? view->step : newest,
        .until = before ? newest : 0,
        .figure = specs_text(request, first, n),
        .axes = g_strdup(view->log ? "log" : "linear"),
        .smooth = ns_smoothing_text(view->smoothing),
        .theory = g_strdup(view->theory ? "on" : "off"),
        .changes = changes_of(view),
    };
    /* What the run began with: from there it can be repeated. */
    ns_experiment_copy(&provenance->experiment, &view->started);
    if (view->started.n > 1)
        provenance->heat = g_strdup(view->heat == NS_HEAT_RATIO ? "ratio" : "stacked");
}

static void append_quoted(GString *command, const char *option, const char *word)
{
    bool plain = *word && !strpbrk(word, " \t\n\\'\"`$&|;<>()*?[]#~%!{}");
    g_autofree char *quoted = plain ? g_strdup(word) : g_shell_quote(word);
    g_string_append_printf(command, " %s %s", option, quoted);
}

void ns_export_provenance(const NsView *view, const NsExportRequest *request,
                          NsProvenance *provenance)
{
    make_provenance(view, request, first_tile(request), n_tiles(request), provenance);
}

char *ns_export_command(const NsView *view, const NsExportRequest *request, const char *name)
{
    g_auto(NsProvenance) provenance;
    ns_export_provenance(view, request, &provenance);
    GString *command = g_string_new("normscope-cli chart --figure ");
    g_string_append(command, provenance.figure);
    if (request->what == NS_EXPORT_SEPARATE) g_string_append(command, " --each");
    if (!view->log) g_string_append(command, " --linear");
    if (view->smoothing.kind != NS_SMOOTH_NONE)
        g_string_append_printf(command, " --smooth %s", provenance.smooth);
    if (!view->theory) g_string_append(command, " --theory off");
    g_string_append_printf(command, " --step %" G_GINT64_FORMAT, provenance.step);
    if (provenance.until > 0)
        g_string_append_printf(command, " --until %" G_GINT64_FORMAT, provenance.until);
    const NsExperiment *experiment = &provenance.experiment;
    const NsParam *param;
    for (size_t i = 0; (param = ns_param(i)); i++) {
        bool endless = g_str_equal(param->key, "steps"); /* 0 here, 100 for the command */
        if (!endless && ns_settings_is_default(&experiment->lane[0], param)) continue;
        g_autofree char *value = ns_settings_get(&experiment->lane[0], param);
        g_autofree char *word = g_strconcat(param->key, "=", value, NULL);
        append_quoted(command, "--set", word);
    }
    for (size_t i = 0; experiment->n > 1 && i < experiment->n; i++) {
        g_autofree char *words = ns_experiment_lane_words(experiment, i);
        append_quoted(command, "--lane", words);
    }
    if (g_strcmp0(provenance.heat, "ratio") == 0) g_string_append(command, " --heat ratio");
    /* A table has no looks. */
    NsExportChoices choices = request->choices, bare;
    ns_export_choices_init(&bare);
    bare.experiment = choices.experiment;
    if (request->format == NS_FORMAT_CSV) choices = bare;
    g_autofree char *flags = ns_export_choices_flags(&choices);
    if (*flags) g_string_append_printf(command, " %s", flags);
    g_autofree char *quoted = strpbrk(name, " '\"\\$&;()") ? g_shell_quote(name) : g_strdup(name);
    g_string_append_printf(command, " --out %s", quoted);
    return g_string_free(command, FALSE);
}

const char *ns_export_command_gap(const NsView *view, const NsExportRequest *request)
{
    g_autofree char *changes = changes_of(view);
    if (changes) return _("It does not repeat the settings that were changed during the run.");
    if (view->previous) return _("It does not repeat the run before, which is drawn in gray.");
    if (view->n_pinned) return _("It does not repeat earlier runs, which are drawn faintly.");
    for (unsigned i = 0; i < view->started.n; i++) {
        const NsHistory *history = view->histories[i];
        if (history && ns_history_first_step(history) > 0)
            return _("It trains from step 0, not from where this run was forked.");
    }
    if (view->started.n > 1 && view->heat == NS_HEAT_LANE)
        return _("It draws heatmaps of all lanes, not of one.");
    for (guint i = 0; i < n_tiles(request); i++) {
        const NsViewState *view_state = &tile_at(request, first_tile(request) + i)->view_state;
        if (!ns_view_state_is_fitted(view_state) || (view_state->hidden && view_state->hidden->len))
            return _("It draws whole charts: limits and hidden curves are left out.");
    }
    return NULL;
}

/* ---- the job ---- */

static bool write_file(const Job *job, guint first, guint n, const char *path, GError **error)
{
    const NsExportRequest *request = &job->request;
    g_auto(Sheet) sheet = sheet_new();
    for (guint i = 0; i < n; i++) add_figure(&sheet, job, tile_at(request, first + i));
    for (guint i = 0; i < n; i++)
        g_ptr_array_add(sheet.borrowed, &g_array_index(sheet.plots, NsPlot, i));
    g_auto(NsProvenance) provenance;
    make_provenance(job->view, request, first, n, &provenance);
    g_autofree char *line = ns_provenance_line(&provenance);
    g_autofree char *caption = ns_provenance_caption(&provenance);
    NsStyle style;
    NsExport options = {.format = request->format,
                        .experiment = request->choices.experiment ? line : NULL,
                        .caption = request->choices.caption ? caption : NULL};
    size_t columns = ns_export_choices_apply(&request->choices, n, &style, &options);
    return ns_export((const NsPlot *const *)sheet.borrowed->pdata, n, columns, &options, path,
                     error);
}

/* The path of the first file, or NULL. */
static char *write_files(const Job *job, GError **error)
{
    const NsExportRequest *request = &job->request;
    guint first = first_tile(request), n = n_tiles(request);
    if (request->what != NS_EXPORT_SEPARATE)
        return write_file(job, first, n, job->path, error) ? g_strdup(job->path) : NULL;
    g_autofree char *written = NULL;
    for (guint i = 0; i < n; i++) {
        g_autofree char *word = specs_word(request, i);
        g_autofree char *path = ns_export_path(job->path, word);
        if (!write_file(job, i, 1, path, error)) return NULL;
        if (!written) written = g_steal_pointer(&path);
    }
    return g_steal_pointer(&written);
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

void ns_export_async(const NsView *view, const NsExportRequest *request, const char *path,
                     GAsyncReadyCallback callback, gpointer user_data)
{
    Job *job = g_new0(Job, 1);
    job->view = ns_view_copy(view);
    job->request = *request;
    job->tiles = g_array_ref((GArray *)(guintptr)request->tiles);
    job->path = g_strdup(path);
    g_autoptr(GTask) task = g_task_new(NULL, NULL, callback, user_data);
    g_task_set_task_data(task, job, job_free);
    g_task_run_in_thread(task, work);
}

char *ns_export_finish(GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}

char *ns_plot_csv(const NsPlot *plot)
{
    return g_string_free(ns_csv_write(&plot, 1, NULL), FALSE);
}
