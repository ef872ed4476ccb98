/* SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

#include "core/base/error.h"
#include "core/experiment/assignment.h"
#include "core/experiment/provenance.h"
#include "core/store/recorded_run.h"
#include "ui/figures/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The figures of a command line, and the runs that they show. */
typedef struct {
    NsArguments *a;
    bool placed;         /* layers and heads come from --figure, not from a file */
    NsSheet sheet;       /* parsed from --figure and --names */
    NsFigureInput input; /* options of all figures; histories are added later */
    int64_t limit;       /* the last step to train */
    int64_t recorded_to; /* the last step of a recorded run; -1: the run is trained */
    bool outside;        /* recorded by another program, or several runs side by side: there are no
                            settings */
    GPtrArray *runs;     /* NsRecordedRun: that of --from and those of --beside */
} Chart;

static void chart_clear(Chart *chart)
{
    g_ptr_array_unref(chart->runs);
    ns_sheet_clear(&chart->sheet);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Chart, chart_clear)

static NsFigureSpec *spec_at(const Chart *chart, guint i)
{
    return &ns_sheet_chart(&chart->sheet, i)->spec;
}

/* ---- Options of figures ---- */

/* Applies an option that chooses what all figures with this subject show. */
static bool show(Chart *chart, NsSubject subject, const char *option, const char *key,
                 GError **error)
{
    bool any = false;
    if (!key) return true;
    for (guint i = 0; i < chart->sheet.charts->len; i++) {
        NsFigureSpec *spec = spec_at(chart, i);
        if (spec->kind->subject != subject) continue;
        if (!ns_figure_spec_show(spec, key, error)) return false;
        any = true;
    }
    return any || ns_refuse(error, NS_ERROR_USAGE,
                            "--%s does not go with the figure %s; “" NS_CLI
                            " chart --help” shows which it goes with.",
                            option, chart->a->figure);
}

/* The option if given, otherwise the value in the file of --from. */
static const char *given(const char *option, const char *from, const char *usual)
{
    return option ? option : from ? from : usual;
}

static bool read_looks(Chart *chart, GError **error)
{
    const NsProvenance *from = &chart->a->recorded;
    NsFigureInput *input = &chart->input;
    const char *theory = given(chart->a->theory, from->theory, "off");
    input->log = !chart->a->linear && g_strcmp0(from->axes, "linear") != 0;
    input->step = -1;
    input->theory = g_str_equal(theory, "on");
    if (!input->theory && !g_str_equal(theory, "off"))
        return ns_refuse(error, NS_ERROR_USAGE, "“%s” is not a switch; --theory is on or off.",
                         theory);
    const char *heat = given(chart->a->heat, from->heat, "stacked");
    input->heat = g_str_equal(heat, "ratio") ? NS_HEAT_RATIO : NS_HEAT_STACKED;
    if (input->heat == NS_HEAT_STACKED && !g_str_equal(heat, "stacked"))
        return ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” is not a way to show lanes; --heat is stacked or ratio.", heat);
    return ns_smoothing_read(&input->smoothing, given(chart->a->smooth, from->smooth, "none"),
                             error);
}

/* Leaves the step unchanged if there is no text. */
static bool read_step(const char *text, gint64 *step, GError **error)
{
    if (!text || g_ascii_string_to_signed(text, 10, 0, 1000000000, step, NULL)) return true;
    return ns_refuse(error, NS_ERROR_USAGE,
                     "“%s” is not a step; a step is a whole number from 0 to 1000000000.", text);
}

/* FALSE with NS_ERROR_USAGE if a step lies beyond the last step of the run. */
static bool check_within(const char *option, const char *text, gint64 step, int64_t steps,
                         GError **error)
{
    if (!text || step <= steps) return true;
    return ns_refuse(error, NS_ERROR_USAGE,
                     "--%s %s is beyond --steps %" PRId64
                     "; train at least that far, or omit one of them.",
                     option, text, steps);
}

/* Expensive quantities that are drawn must be measured.  If the settings say never, they are
 * measured about this many times. */
#define MEASURED 20

static int64_t shown_step(const Chart *chart)
{
    return chart->input.step >= 0 ? chart->input.step : chart->limit;
}

/* The steps between two measurements.  The shown step must be a multiple of it for figures of one
 * step, so the divisor of that step nearest to the usual interval is taken. */
static int64_t interval(const Chart *chart, bool one_step)
{
    int64_t usual = MAX(1, chart->limit / MEASURED), shown = shown_step(chart), best = 1;
    if (!one_step || shown == 0) return usual;
    for (int64_t d = 2; d <= shown; d++) {
        bool nearer = MAX(d, usual) * MIN(best, usual) < MAX(best, usual) * MIN(d, usual);
        if (shown % d == 0 && nearer) best = d;
    }
    return best;
}

/* Whether any figure shows expensive quantities, and whether one of these shows a single step. */
static void find_expensive(const Chart *chart, bool *any, bool *one_step)
{
    *any = *one_step = false;
    for (guint i = 0; i < chart->sheet.charts->len; i++) {
        const NsFigureSpec *spec = spec_at(chart, i);
        if (!ns_figure_spec_is_expensive(spec)) continue;
        *any = true;
        *one_step = *one_step || spec->kind->abscissa != NS_OVER_STEPS;
    }
}

/* Checks that figures that compare two runs have two. */
static bool check_runs(const Chart *chart, GError **error)
{
    for (guint i = 0; i < chart->sheet.charts->len; i++) {
        const NsFigureKind *kind = spec_at(chart, i)->kind;
        if (!kind->two_runs || chart->a->experiment.n > 1) continue;
        return ns_refuse(error, NS_ERROR_USAGE,
                         "The figure %s compares two runs, but there is only one; give a --lane "
                         "for each, such as --lane placement=post --lane placement=pre.",
                         kind->choice.key);
    }
    return true;
}

/* The history of a lane among those of all recorded runs. */
static NsHistory *recorded_history(const Chart *chart, size_t lane)
{
    for (guint i = 0;; i++) {
        const NsRecordedRun *run = chart->runs->pdata[i];
        if (lane < run->lanes) return run->histories[lane];
        lane -= run->lanes;
    }
}

/* Checks that the requested layers, heads and lanes exist in some lane.  Layers and heads in a file
 * that is drawn again are not checked, because figures clamp them. */
static bool check_places(const Chart *chart, GError **error)
{
    int64_t layers = 1, heads = 1;
    for (size_t i = 0; i < chart->a->experiment.n; i++) {
        const NsSettings *settings = &chart->a->experiment.lane[i];
        const NsRecordLayout *own =
            chart->outside ? ns_history_layout(recorded_history(chart, i)) : NULL;
        layers = MAX(layers, own ? (int64_t)own->layers
                                 : ns_settings_encoder_layers(settings) +
                                       ns_settings_decoder_layers(settings));
        heads = MAX(heads, own ? (int64_t)own->heads : settings->heads);
    }
    for (guint i = 0; i < chart->sheet.charts->len; i++) {
        const NsFigureSpec *spec = spec_at(chart, i);
        if (ns_sheet_chart(&chart->sheet, i)->lane >= (int)chart->a->experiment.n)
            return ns_refuse(
                error, NS_ERROR_USAGE,
                "The figure %s cannot show lane %s; there are %zu lanes, counted from A.",
                spec->kind->choice.key,
                ns_lane_letter((size_t)ns_sheet_chart(&chart->sheet, i)->lane),
                chart->a->experiment.n);
        if (!chart->placed) continue;
        if (spec->layer <= layers && spec->head <= heads) continue;
        return ns_refuse(error, NS_ERROR_USAGE,
                         "The figure %s cannot show %s %u; there are %" PRId64 ", counted from 1.",
                         spec->kind->choice.key, spec->layer > layers ? "layer" : "head",
                         spec->layer > layers ? spec->layer : spec->head,
                         spec->layer > layers ? layers : heads);
    }
    return true;
}

/* ---- Recorded and trained runs ---- */

/* Whether the experiment of --from is unchanged except for the number of steps. */
static bool is_same(const Chart *chart)
{
    g_auto(NsExperiment) same;
    ns_experiment_copy(&same, &chart->a->recorded.experiment);
    for (size_t i = 0; i < same.n; i++) same.lane[i].steps = chart->a->experiment.lane[0].steps;
    ns_experiment_link(&same);
    return ns_experiment_equal(&same, &chart->a->experiment);
}

/* Opens a run, and adds its lanes and its steps to those that are recorded. */
static bool add_run(Chart *chart, const char *path, size_t *lanes, GError **error)
{
    NsRecordedRun *run = ns_recorded_run_open(path, NULL, error);
    if (!run) return false;
    g_ptr_array_add(chart->runs, run);
    ns_output_messages(&run->messages);
    chart->recorded_to = MAX(chart->recorded_to, run->last);
    *lanes += run->lanes;
    return *lanes <= NS_LANES_MAX ||
           ns_refuse(error, NS_ERROR_USAGE,
                     "With “%s” there are more than %d lanes; name fewer runs.", run->name,
                     NS_LANES_MAX);
}

/* Opens the recorded run of --from if no option changes its experiment, and those of --beside. */
static bool open_recorded(Chart *chart, bool steps, GError **error)
{
    const char *path = chart->a->from;
    size_t lanes = 0;
    if (chart->a->alongside && (steps || !is_same(chart)))
        return ns_refuse(error, NS_ERROR_USAGE,
                         "--beside shows runs as they were recorded; omit --set, --steps, --preset "
                         "and --lane.");
    NsRecordedKind kind = path ? ns_recorded_kind(path) : NS_RECORDED_NONE;
    if (!chart->a->alongside && kind == NS_RECORDED_NONE) return true;
    chart->outside = chart->a->alongside || kind == NS_RECORDED_LOG;
    if (!is_same(chart)) {
        if (!chart->outside) return true;
        g_autofree char *name = g_filename_display_basename(path);
        return ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” is a run of another program, so it has no settings or lanes to "
                         "change; omit --set, --preset and --lane.",
                         name);
    }
    if (!add_run(chart, path, &lanes, error)) return false;
    for (char **other = chart->a->alongside; other && *other; other++)
        if (!add_run(chart, *other, &lanes, error)) return false;
    if (chart->outside) ns_experiment_resize(&chart->a->experiment, lanes, 0);
    for (size_t i = 0; !steps && i < lanes; i++)
        chart->a->experiment.lane[i].steps = chart->recorded_to;
    if (chart->a->alongside && !chart->a->names) {
        /* Names of the files if each has one lane and they differ and are short, otherwise NULL. */
        const char *paths[NS_LANES_MAX] = {path};
        guint n = g_strv_length(chart->a->alongside) + 1;
        bool apart = lanes == n;
        for (guint i = 1; i < n && apart; i++) {
            paths[i] = chart->a->alongside[i - 1];
            for (guint k = 0; k < i; k++) apart &= !g_str_equal(paths[i], paths[k]);
        }
        if (!apart) return true;
        g_auto(GStrv) names = ns_recorded_run_names(paths, n, false);
        for (guint i = 0; i < n; i++)
            apart &= g_utf8_strlen(g_strdelimit(names[i], ";", ','), -1) <= NS_NAME_MOST;
        chart->a->names = apart ? g_strjoinv(";", names) : NULL;
    }
    return true;
}

/* Reads what was recorded up to the last requested step. */
static bool read_recorded(Chart *chart, GError **error)
{
    if (chart->runs->len && chart->limit > chart->recorded_to)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "Step %" PRId64 " was not recorded; the run ends with step %" PRId64
                         ".  “" NS_CLI " resume” continues a run file.",
                         chart->limit, chart->recorded_to);
    for (guint i = 0; i < chart->runs->len; i++)
        if (!ns_recorded_run_read(chart->runs->pdata[i], chart->limit, NULL, error)) return false;
    return true;
}

/* The plots, and the runs that they show. */
typedef struct {
    const Chart *chart;
    NsLockstep *lockstep; /* NULL for recorded runs */
    /* Ordered by chart and, for figures of one model, by lane. */
    GPtrArray *figures, *plots;
    int64_t done; /* the last step of any lane */
} Drawing;

static void drawing_clear(Drawing *drawing)
{
    g_ptr_array_unref(drawing->figures);
    g_ptr_array_unref(drawing->plots);
    ns_lockstep_free(drawing->lockstep);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Drawing, drawing_clear)

/* Takes ownership of the lockstep. */
static Drawing drawing_of(const Chart *chart, NsLockstep *lockstep)
{
    return (Drawing){.chart = chart,
                     .lockstep = lockstep,
                     .figures = g_ptr_array_new_with_free_func((GDestroyNotify)ns_figure_free),
                     .plots = g_ptr_array_new()};
}

static NsHistory *history_of(const Drawing *drawing, size_t lane)
{
    return drawing->lockstep ? ns_lockstep_run(drawing->lockstep, lane, 0)->history
                             : recorded_history(drawing->chart, lane);
}

/* Without a choice, figures of the logs of other programs show a quantity that these have. */
static void show_recorded(const Chart *chart)
{
    const NsArguments *a = chart->a;
    NsHistory *histories[NS_LANES_MAX];
    size_t n = a->experiment.n;
    for (size_t k = 0; k < n; k++) histories[k] = recorded_history(chart, k);
    for (guint i = 0; chart->outside && i < chart->sheet.charts->len; i++) {
        NsFigureSpec *spec = spec_at(chart, i);
        bool gradient = spec->kind->subject == NS_SUBJECT_GRADIENT && !a->gradient;
        bool hidden = spec->kind->subject == NS_SUBJECT_HIDDEN && !a->hidden;
        if (!gradient && !hidden) continue;
        NsQuantity found = ns_history_recorded(histories, n, spec->quantity);
        if (found == spec->quantity) continue;
        fprintf(stderr, NS_CLI ": %s shows %s, because this run did not record %s.\n",
                spec->kind->choice.key, ns_quantity(found)->choice.key,
                ns_quantity(spec->quantity)->choice.key);
        spec->quantity = found;
    }
}

/* Checks that for each figure some lane has the quantity that it shows. */
static bool check_exists(const Drawing *drawing, GError **error)
{
    const Chart *chart = drawing->chart;
    for (guint i = 0; i < chart->sheet.charts->len; i++) {
        const NsFigureSpec *spec = spec_at(chart, i);
        bool any = spec->kind->subject == NS_SUBJECT_NONE ||
                   spec->kind->subject == NS_SUBJECT_PLACE ||
                   spec->kind->subject == NS_SUBJECT_SIMILARITY;
        for (size_t k = 0; k < chart->a->experiment.n; k++)
            any = any || ns_history_layout(history_of(drawing, k))->count[spec->quantity] > 0;
        if (any) continue;
        if (chart->outside)
            return ns_refuse(error, NS_ERROR_USAGE,
                             "This run did not record %s; choose another quantity.",
                             ns_quantity(spec->quantity)->choice.key);
        return ns_refuse(error, NS_ERROR_USAGE,
                         "This model has no %s to draw; choose another quantity "
                         "or other settings.",
                         ns_quantity(spec->quantity)->choice.key);
    }
    return true;
}

/* The part of the file name that identifies the i-th figure; NULL if all figures share one file. */
static char *key_of(const Chart *chart, guint i)
{
    return chart->a->each ? ns_sheet_word(&chart->sheet, i) : NULL;
}

/* Finds every error in the options before the model is trained. */
static bool understand(Chart *chart, const NsSettings *settings, GError **error)
{
    /* A length of 0 steps means no limit if --step is given. */
    bool steps =
        ns_named_has(&chart->a->named, "steps") && (settings->steps > 0 || !chart->a->shown);

    const char *names = chart->a->figure;
    if (!names &&
        (chart->a->recorded.x || chart->a->recorded.study || chart->a->recorded.study_text))
        return ns_refuse(error, NS_ERROR_USAGE,
                         "The figure of --from shows more runs than lanes; “" NS_CLI
                         " show” prints what repeats it, and --figure NAME draws another figure "
                         "with its settings.");
    chart->placed = names != NULL;
    if (!names) names = chart->a->figure = g_strdup(chart->a->recorded.figure);
    if (!names) return ns_refuse(error, NS_ERROR_USAGE, "--figure NAME is missing.");
    const char *lanes = chart->a->names ? chart->a->names : chart->a->recorded.names;
    if (!ns_sheet_read(&chart->sheet, names, error) ||
        !ns_sheet_read_names(&chart->sheet, lanes, chart->a->experiment.n, error) ||
        !show(chart, NS_SUBJECT_GRADIENT, "gradient", chart->a->gradient, error) ||
        !show(chart, NS_SUBJECT_HIDDEN, "hidden", chart->a->hidden, error) ||
        !show(chart, NS_SUBJECT_QUANTITY, "quantity", chart->a->quantity, error) ||
        !show(chart, NS_SUBJECT_SIMILARITY, "similarity", chart->a->similarity, error) ||
        !ns_picture_understand(&chart->a->picture, error) || !read_looks(chart, error))
        return false;
    /* How far to train, and which step to show.  steps: --steps or setting “steps” sets the
     * length of the run; otherwise a figure that is drawn again sets it. */
    gint64 step = chart->a->recorded.step, until = steps ? 0 : chart->a->recorded.until;
    if (!read_step(chart->a->shown, &step, error) || !read_step(chart->a->until, &until, error) ||
        (steps && !check_within("step", chart->a->shown, step, settings->steps, error)) ||
        (steps && !check_within("until", chart->a->until, until, settings->steps, error)))
        return false;
    bool known = step >= 0 && (chart->a->shown || !steps);
    if (chart->a->until && !(known && until >= step))
        return ns_refuse(error, NS_ERROR_USAGE,
                         known ? "--until %s is before the step to show; train at least that far."
                               : "--until %s needs --step, the step to show.",
                         chart->a->until);
    chart->limit = known ? MAX(step, until) : settings->steps;
    if (known && chart->limit > step) chart->input.step = step;

    return (!(chart->a->picture.choices.seconds > 0) ||
            ns_sheet_check_film(&chart->sheet, 0, chart->sheet.charts->len, error));
}

/* ---- Drawing ---- */

/* The input of all figures, with the histories of all lanes. */
static NsFigureInput input_of(const Drawing *drawing)
{
    const Chart *chart = drawing->chart;
    NsLockstep *lockstep = drawing->lockstep;
    NsFigureInput input = chart->input;
    input.n_lanes = chart->a->experiment.n > 1 ? (unsigned)chart->a->experiment.n : 0;
    for (size_t i = 0; i < chart->a->experiment.n; i++) {
        const NsSettings *settings = lockstep         ? &ns_lockstep_run(lockstep, i, 0)->settings
                                     : chart->outside ? NULL
                                                      : &chart->a->experiment.lane[i];
        input.lanes[i] =
            (NsFigureRun){history_of(drawing, i), settings, ns_lane_letter(i), .lane = (unsigned)i};
    }
    input.history = input.lanes[0].history;
    input.settings = input.lanes[0].settings;
    return input;
}

static guint copies_of(const Chart *chart, guint i)
{
    return ns_sheet_copies(ns_sheet_chart(&chart->sheet, i), chart->a->experiment.n);
}

/* Adds the plots of everything trained so far.  newest: only plots of expensive quantities, of
 * which only the newest measurement is stored; the other plots stay NULL for now. */
static void add_charts(Drawing *drawing, bool newest)
{
    const Chart *chart = drawing->chart;
    GPtrArray *plots = drawing->plots;
    NsFigureInput input = input_of(drawing);
    guint at = 0;
    for (guint i = 0; i < chart->sheet.charts->len; i++) {
        const NsSheetChart *one = ns_sheet_chart(&chart->sheet, i);
        for (unsigned copy = 0; copy < copies_of(chart, i); copy++, at++) {
            if (at == plots->len) g_ptr_array_add(plots, NULL);
            bool only_newest = one->spec.kind->expensive || one->spec.kind->of_curvature;
            if (plots->pdata[at] || (newest && !only_newest)) continue;
            NsFigureInput own = ns_sheet_input(&chart->sheet, one, copy, &input);
            NsFigure *figure = ns_figure_create(one->spec.kind);
            g_ptr_array_add(drawing->figures, figure);
            plots->pdata[at] = (gpointer)(guintptr)ns_figure_update(figure, &own);
        }
    }
    drawing->done = drawing->lockstep ? ns_lanes_steps(drawing->lockstep) : 0;
    for (guint i = 0; i < chart->runs->len; i++)
        drawing->done = MAX(drawing->done, ((NsRecordedRun *)chart->runs->pdata[i])->read_to);
}

/* Refuses to draw a quantity that was not recorded: it may not have been measured, and of maps only
 * the newest are stored.  Another interval makes it a different run, which is trained. */
static bool refuse_recorded(const Chart *chart, const NsPlot *plot, GError **error)
{
    bool any, one_step;
    find_expensive(chart, &any, &one_step);
    int64_t there = chart->a->experiment.lane[0].probe_every, every = interval(chart, one_step);
    if (every == there) every = there == 1 ? 2 : 1;
    g_autofree char *name = g_filename_display_basename(chart->a->from);
    return ns_refuse(error, NS_ERROR_SETTING,
                     "“%s” does not contain what “%s” shows; --set probe-every=%" PRId64
                     " trains the run again and measures it.",
                     name, plot->title, every);
}

/* A plot with the title, axes and other choices of its sheet; CSV contains all data instead. */
static NsPlot *sheet_plot(const Chart *chart, const NsSheetChart *one, const NsPlot *plot,
                          GError **error)
{
    NsSheetChart whole = {.spec = one->spec};
    ns_view_state_init(&whole.view);
    if (!ns_plot_has_data(plot)) { /* a figure should not contain an explanation */
        if (chart->recorded_to >= 0 && !chart->outside && ns_figure_spec_is_expensive(&one->spec))
            refuse_recorded(chart, plot, error);
        else
            ns_refuse(error, NS_ERROR_SETTING, "There is nothing to draw for “%s”: %s", plot->title,
                      plot->empty ? plot->empty : "it has no data.");
        return NULL;
    }
    return ns_sheet_plot(chart->a->picture.format == NS_FORMAT_CSV ? &whole : one, plot, error);
}

/* Draws n charts, from `first` on, into one file; figures of one model once for every lane. */
static bool draw(const Drawing *drawing, guint first, guint n, GError **error)
{
    const Chart *chart = drawing->chart;
    g_autoptr(GPtrArray) plots = g_ptr_array_new_with_free_func((GDestroyNotify)ns_sheet_plot_free);
    for (guint i = 0, at = 0; i < first + n; i++)
        for (guint copy = 0; copy < copies_of(chart, i); copy++, at++) {
            if (i < first) continue;
            const NsPlot *whole = drawing->plots->pdata[at];
            NsPlot *plot = sheet_plot(chart, ns_sheet_chart(&chart->sheet, i), whole, error);
            if (!plot) return false;
            g_ptr_array_add(plots, plot);
        }
    const NsFigureInput input = input_of(drawing);
    g_auto(NsProvenance) provenance =
        ns_sheet_provenance(&chart->sheet, first, n, &input, drawing->done, &chart->a->experiment);
    /* A run of another program has no settings to store. */
    const NsProvenance *stamp = chart->outside ? NULL : &provenance;
    g_autofree char *key = key_of(chart, first);
    g_autofree char *path = ns_picture_path(&chart->a->picture, key);
    if (!(chart->a->picture.choices.seconds > 0))
        return ns_picture_write(&chart->a->picture, (const NsPlot *const *)plots->pdata, plots->len,
                                stamp, key, error);
    const NsSheetFile file = {&chart->a->picture.choices, NS_FORMAT_GIF, stamp, path, NULL, NULL};
    return ns_sheet_write_film(&chart->sheet, first, n, &input, &file, error);
}

static bool draw_all(const Drawing *drawing, GError **error)
{
    const Chart *chart = drawing->chart;
    if (!chart->a->each) return draw(drawing, 0, chart->sheet.charts->len, error);
    for (guint i = 0; i < chart->sheet.charts->len; i++)
        if (!draw(drawing, i, 1, error)) return false;
    return true;
}

/* Draws what was trained, and reports if that is less than requested. */
static bool finish(Drawing *drawing, GError **error)
{
    add_charts(drawing, false);
    if (!draw_all(drawing, error)) return false;
    ns_lanes_report_end(drawing->lockstep, drawing->chart->limit);
    return true;
}

static void finish_early(void *data)
{
    g_autoptr(GError) error = NULL;
    if (!finish(data, &error)) fprintf(stderr, NS_CLI ": %s\n", error->message);
}

static bool train_and_draw(Chart *chart, GError **error)
{
    NsLockstep *lockstep = ns_lanes_start(&chart->a->experiment, NULL, error);
    if (!lockstep) return false;
    g_auto(Drawing) drawing = drawing_of(chart, lockstep);
    if (!check_exists(&drawing, error)) return false;
    ns_interrupt_catch();
    ns_lanes_train(lockstep, shown_step(chart), finish_early, &drawing);
    if (chart->limit > shown_step(chart)) {
        add_charts(&drawing, true);
        ns_lanes_train(lockstep, chart->limit, finish_early, &drawing);
    }
    if (ns_lanes_steps(lockstep) == chart->a->experiment.lane[0].steps) {
        ns_interrupt_begin(finish_early, &drawing);
        ns_lockstep_evaluate(lockstep);
        ns_interrupt_end();
    }
    return finish(&drawing, error);
}

static bool draw_recorded(Chart *chart, GError **error)
{
    g_auto(Drawing) drawing = drawing_of(chart, NULL);
    show_recorded(chart);
    if (!check_exists(&drawing, error)) return false;
    add_charts(&drawing, false);
    return draw_all(&drawing, error);
}

static int run(NsArguments *a, GError **error)
{
    g_auto(Chart)
        chart = {.a = a,
                 .recorded_to = -1,
                 .runs = g_ptr_array_new_with_free_func((GDestroyNotify)ns_recorded_run_free)};
    ns_sheet_init(&chart.sheet);
    if (!open_recorded(&chart, ns_named_has(&a->named, "steps"), error) ||
        !understand(&chart, &a->experiment.lane[0], error) || !read_recorded(&chart, error) ||
        !check_runs(&chart, error) || !check_places(&chart, error))
        return NS_EXIT_USAGE;
    /* Find every error about output files, once the lanes and their input files are known. */
    for (guint i = 0; i < (chart.a->each ? chart.sheet.charts->len : 1); i++) {
        g_autofree char *key = key_of(&chart, i);
        g_autofree char *path = ns_picture_path(&chart.a->picture, key);
        if (!ns_output_spares_inputs(path, chart.a, error) ||
            !ns_picture_check(&chart.a->picture, key, error))
            return NS_EXIT_USAGE;
    }

    bool recorded = chart.recorded_to >= 0;
    if (!recorded) {
        bool any, one_step;
        for (guint i = 0; i < chart.sheet.charts->len; i++) {
            const char *every = ns_figure_spec_every(spec_at(&chart, i));
            bool step = spec_at(&chart, i)->kind->abscissa != NS_OVER_STEPS;
            for (size_t k = 0; k < chart.a->experiment.n; k++) {
                NsSettings *settings = &chart.a->experiment.lane[k];
                if (g_strcmp0(every, "curvature-every") == 0 && settings->curvature_every == 0)
                    settings->curvature_every = interval(&chart, false);
                if (g_strcmp0(every, "layer-sharpness-every") == 0 &&
                    settings->sharpness_every == 0)
                    settings->sharpness_every = interval(&chart, step);
                if (g_strcmp0(every, "ablation-every") == 0 && settings->ablation_every == 0)
                    settings->ablation_every = interval(&chart, step);
            }
        }
        find_expensive(&chart, &any, &one_step);
        for (size_t i = 0; any && i < chart.a->experiment.n; i++) {
            NsSettings *settings = &chart.a->experiment.lane[i];
            int64_t shown = shown_step(&chart);
            if (settings->probe_every == 0)
                settings->probe_every = interval(&chart, one_step);
            else if (one_step && shown % settings->probe_every != 0 &&
                     (i == 0 || settings->probe_every != settings[-1].probe_every))
                fprintf(stderr,
                        NS_CLI ": Step %" PRId64 " is not measured with probe-every=%" PRId64
                               "; the figure shows step %" PRId64 ".\n",
                        shown, settings->probe_every, shown - shown % settings->probe_every);
        }
    }
    return (recorded ? draw_recorded : train_and_draw)(&chart, error) ? ns_interrupt_status()
                                                                      : NS_EXIT_ERROR;
}

const NsCommand ns_cli_chart = {
    .choice = {.key = "chart",
               .purpose = "Train a model and draw a chart as PDF, SVG, PNG, GIF, CSV or TeX"},
    .settings = "steps=100",
    .summary =
        "Trains a model and draws a chart of what was measured.  A chart may need a quantity\n"
        "that is too expensive to measure at every step; where the setting “probe-every” is "
        "0,\n"
        "such a quantity is measured about twenty times, and at the step shown.  With --lane,\n"
        "two to four models are trained in lockstep, as by “compare”, and drawn in one chart,\n"
        "or side by side if a chart shows one model.  The same command gives the same "
        "bytes.\n\n"
        "A CSV file has a row for every point: figure, series, x, y, and lo and hi of a band;\n"
        "or figure, the names of both axes, and value.  Numbers are in the units of the "
        "axes.\n"
        "A name that a spreadsheet would take for a formula begins with '.\n\n"
        "With --set seeds=K every lane is trained K times, and curves show the mean over the\n"
        "seeds with one standard deviation as a band; a CSV file also contains each seed.\n\n"
        "Ctrl-C ends the training, and the chart is drawn up to that step.\n\n"
        "With --from FILE.nsrun, or the JSON lines of a run, the recorded run is drawn "
        "without\n"
        "training, unless a setting or a lane asks for a different run, which starts at step "
        "0.",
    .examples = NS_CLI
    " chart --figure gradient-norm --set placement=pre --out pre.pdf\n" NS_CLI
    " chart --figure all --steps 300 --size slide --out run.png\n" NS_CLI
    " chart --figure heatmap:token-cosine,loss --title off --out cosine.svg\n" NS_CLI
    " chart --figure loss --out loss.csv\n" NS_CLI
    " chart --figure gradient-norm --lane placement=post --lane placement=pre --out "
    "both.pdf\n" NS_CLI " chart --figure hidden-norm --set seeds=5 --out seeds.pdf\n" NS_CLI
    " chart --from pre.pdf --set placement=post --out post.pdf\n" NS_CLI
    " chart --from a.nsrun --figure loss --out loss.pdf\n" NS_CLI
    " chart --from a.nsrun --beside mine.jsonl --figure loss,gradient-norm --out both.pdf",
    .run = run,
};
