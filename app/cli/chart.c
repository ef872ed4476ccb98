/* SPDX-License-Identifier: MIT */
#include "app/cli/picture.h"

#include "core/base/error.h"
#include "core/probe/similarity.h"
#include "core/store/experiment.h"
#include "core/train/run.h"
#include "ui/figures/spec.h"

#include <math.h>
#include <string.h>

#define DEFAULT_STEPS 100

/* The command line as it was given, and what it means. */
typedef struct {
    char *smooth, *theory;
    char *figure, *step, *gradient, *hidden, *quantity, *similarity;
    gboolean linear;
    gboolean each;       /* a file for every figure */
    GArray *specs;       /* NsFigureSpec */
    NsFigureInput input; /* how they are drawn; without a history as yet */
    int64_t limit;       /* updates before the record that is drawn */
    NsPicture picture;
    NsExperiment from; /* the settings are where the options put them */
} Chart;

static void chart_init(Chart *chart)
{
    *chart = (Chart){.specs = g_array_new(FALSE, FALSE, sizeof(NsFigureSpec))};
    ns_experiment_init(&chart->from);
    ns_picture_init(&chart->picture);
}

static void chart_clear(Chart *chart)
{
    char *texts[] = {chart->figure,   chart->step,       chart->gradient, chart->hidden,
                     chart->quantity, chart->similarity, chart->smooth,   chart->theory};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
    ns_picture_clear(&chart->picture);
    g_array_unref(chart->specs);
    ns_experiment_clear(&chart->from);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Chart, chart_clear)

static NsFigureSpec *spec_at(const Chart *chart, guint i)
{
    return &g_array_index(chart->specs, NsFigureSpec, i);
}

/* ---- what is drawn ---- */

/* One of the options that choose what all figures of a sort show. */
static bool show(Chart *chart, NsSubject subject, const char *option, const char *key,
                 GError **error)
{
    bool any = false;
    if (!key) return true;
    for (guint i = 0; i < chart->specs->len; i++) {
        NsFigureSpec *spec = spec_at(chart, i);
        if (spec->kind->subject != subject) continue;
        if (!ns_figure_spec_show(spec, key, error)) return false;
        any = true;
    }
    if (!any)
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "--%s does not go with the figure %s; “" NS_CLI
                    " chart --help” shows which it goes with.",
                    option, chart->figure);
    return any;
}

static bool read_figures(Chart *chart, GError **error)
{
    const char *names = chart->figure;
    if (!names) names = chart->figure = g_strdup(chart->from.figure);
    if (!names) {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_USAGE, "--figure NAME is missing.");
        return false;
    }
    return ns_figure_specs_read(chart->specs, names, error) &&
           show(chart, NS_SUBJECT_GRADIENT, "gradient", chart->gradient, error) &&
           show(chart, NS_SUBJECT_HIDDEN, "hidden", chart->hidden, error) &&
           show(chart, NS_SUBJECT_QUANTITY, "quantity", chart->quantity, error) &&
           show(chart, NS_SUBJECT_SIMILARITY, "similarity", chart->similarity, error);
}

/* The option where there is one, else what the file of --from says. */
static const char *given(const char *option, const char *from, const char *usual)
{
    return option ? option : from ? from : usual;
}

static bool read_looks(Chart *chart, GError **error)
{
    const NsExperiment *from = &chart->from;
    NsFigureInput *input = &chart->input;
    const char *theory = given(chart->theory, from->theory, "on");
    input->log = !chart->linear && g_strcmp0(from->axes, "linear") != 0;
    input->step = -1;
    input->theory = g_str_equal(theory, "on");
    if (!input->theory && !g_str_equal(theory, "off")) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE, "“%s” is no switch; --theory is on or off.",
                    theory);
        return false;
    }
    return ns_smoothing_read(&input->smoothing, given(chart->smooth, from->smooth, "none"), error);
}

/* How far to train.  Without --steps, a figure that is drawn again says it. */
static bool read_limit(Chart *chart, const NsSettings *settings, bool steps, GError **error)
{
    gint64 step = chart->from.step;
    if (chart->step && !g_ascii_string_to_signed(chart->step, 10, 0, 1000000000, &step, NULL)) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "“%s” is no step; it is a whole number from 0 to 1000000000.", chart->step);
        return false;
    }
    bool known = step >= 0 && (chart->step || !steps);
    chart->limit = known ? step : settings->steps;
    return true;
}

/* What is dear must be measured now and then, if it is to be drawn: where the settings say never,
 * about MEASURED times. */
#define MEASURED 20

static void provide_probes(const Chart *chart, NsSettings *settings)
{
    bool dear = false;
    for (guint i = 0; i < chart->specs->len; i++)
        dear = dear || ns_figure_spec_is_dear(spec_at(chart, i));
    if (dear && settings->probe_every == 0) settings->probe_every = MAX(1, chart->limit / MEASURED);
}

/* Whether the model has what is to be drawn. */
static bool check_exists(const Chart *chart, NsRun *run, GError **error)
{
    const NsRecordLayout *layout = ns_history_layout(ns_run_history(run));
    for (guint i = 0; i < chart->specs->len; i++) {
        const NsFigureSpec *spec = spec_at(chart, i);
        bool any = spec->kind->subject == NS_SUBJECT_NONE ||
                   spec->kind->subject == NS_SUBJECT_SIMILARITY ||
                   layout->count[spec->quantity] > 0;
        if (any) continue;
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "This model has no %s to draw; choose another quantity "
                    "or other settings.",
                    ns_quantity(spec->quantity)->choice.key);
        return false;
    }
    return true;
}

/* Finds every mistake before the model is trained. */
static bool understand(Chart *chart, const NsSettings *settings, bool steps, GError **error)
{
    return read_figures(chart, error) && ns_picture_understand(&chart->picture, error) &&
           read_looks(chart, error) && read_limit(chart, settings, steps, error);
}

/* ---- drawing ---- */

/* The figures of these specs in one file. */
static bool draw(const Chart *chart, NsRun *run, guint first, guint n, GError **error)
{
    g_autoptr(GPtrArray) figures = g_ptr_array_new_with_free_func((GDestroyNotify)ns_figure_free);
    g_autofree const NsPlot **plots = g_new(const NsPlot *, MAX(n, 1));
    NsFigureInput input = chart->input;
    input.history = ns_run_history(run);
    input.settings = ns_run_settings(run);
    for (guint i = 0; i < n; i++) {
        const NsFigureSpec *spec = spec_at(chart, first + i);
        ns_figure_spec_apply(spec, &input);
        NsFigure *figure = ns_figure_new(spec->kind->choice.key);
        g_ptr_array_add(figures, figure);
        plots[i] = ns_figure_update(figure, &input);
    }
    g_auto(NsExperiment) experiment = {.step = ns_run_steps(run)};
    ns_settings_copy(&experiment.settings, ns_run_settings(run));
    experiment.figure = ns_figure_specs_text(spec_at(chart, first), n);
    experiment.axes = g_strdup(input.log ? "log" : "linear");
    experiment.smooth = ns_smoothing_text(input.smoothing);
    experiment.theory = g_strdup(input.theory ? "on" : "off");
    g_autofree char *key = chart->each ? ns_figure_specs_word(spec_at(chart, 0), first) : NULL;
    return ns_picture_write(&chart->picture, plots, n, &experiment, key, error);
}

static bool draw_all(const Chart *chart, NsRun *run, GError **error)
{
    if (!chart->each) return draw(chart, run, 0, chart->specs->len, error);
    for (guint i = 0; i < chart->specs->len; i++)
        if (!draw(chart, run, i, 1, error)) return false;
    return true;
}

static GArray *make_entries(Chart *chart, char **steps)
{
    const GOptionEntry own[] = {
        {"figure", 'f', 0, G_OPTION_ARG_STRING, &chart->figure,
         "Of “" NS_CLI " list figures”, with commas between several, which become one lettered "
         "sheet; NAME:QUANTITY chooses what it shows.  all: loss, gradient-norm, hidden-norm and "
         "gradient-heatmap",
         "NAME"},
        {"each", 0, 0, G_OPTION_ARG_NONE, &chart->each,
         "A file for every figure, with its name before the ending", NULL},
        {"steps", 'n', 0, G_OPTION_ARG_STRING, steps,
         "Steps to train before (default: setting “steps”, else 100)", "N"},
        {"step", 0, 0, G_OPTION_ARG_STRING, &chart->step,
         "The step to show, where the run is to go on after it (default: its last)", "N"},
        {"quantity", 'q', 0, G_OPTION_ARG_STRING, &chart->quantity,
         "What profile, steps, heatmap and heads show, of “" NS_CLI " list quantities”",
         "QUANTITY"},
        {"gradient", 'g', 0, G_OPTION_ARG_STRING, &chart->gradient,
         "What gradient-norm and gradient-heatmap show (default: grad-w2)", "QUANTITY"},
        {"hidden", 0, 0, G_OPTION_ARG_STRING, &chart->hidden,
         "What hidden-norm shows (default: hidden-norm)", "QUANTITY"},
        {"similarity", 0, 0, G_OPTION_ARG_STRING, &chart->similarity,
         "What similarity shows: cka (default), cosine or angle", "KEY"},
        {"linear", 0, 0, G_OPTION_ARG_NONE, &chart->linear,
         "Linear axes for norms (default: logarithmic)", NULL},
        {"smooth", 0, 0, G_OPTION_ARG_STRING, &chart->smooth,
         "Smooth curves over steps: none (default), ema:WEIGHT or mean:STEPS; what was measured "
         "stays behind them",
         "HOW"},
        {"theory", 0, 0, G_OPTION_ARG_STRING, &chart->theory,
         "What is computed beside what is measured, where there is any (default: on)", "on|off"},
    };
    GArray *entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
    g_array_append_vals(entries, own, G_N_ELEMENTS(own));
    ns_picture_add_entries(&chart->picture, entries, NULL);
    return entries;
}

int ns_cli_chart(int argc, char **argv, GError **error)
{
    g_auto(Chart) chart;
    chart_init(&chart);
    g_autofree char *steps = NULL;
    g_autoptr(GArray) entries = make_entries(&chart, &steps);
    NsSettings settings;
    ns_settings_init(&settings);
    settings.steps = DEFAULT_STEPS;
    const NsOptions options = {
        .command = "chart",
        .summary =
            "Trains a model and draws a chart of what was measured.  Where the chart needs a\n"
            "quantity that is too dear for every step and setting “probe-every” is 0, it is\n"
            "measured about twenty times.  The same command gives the same bytes.",
        .examples =
            NS_CLI " chart --figure gradient-norm --set placement=pre --out pre.pdf\n" NS_CLI
                   " chart --figure all --steps 300 --size slide --out run.png\n" NS_CLI
                   " chart --figure heatmap:token-cosine,loss --title off --out cosine.svg\n" NS_CLI
                   " chart --figure loss --out loss.csv\n" NS_CLI
                   " chart --from pre.pdf --set placement=post --out post.pdf",
        .entries = (const GOptionEntry *)(void *)entries->data,
        .settings = &settings,
        .from = &chart.from,
        .steps = (const char *const *)&steps,
    };
    bool go = ns_options_read(&options, &argc, &argv, error) &&
              understand(&chart, &settings, steps != NULL, error);
    if (go) provide_probes(&chart, &settings);
    g_autoptr(NsRun) run = go ? ns_run_new(&settings, error) : NULL;
    ns_settings_clear(&settings);
    if (!run || !check_exists(&chart, run, error)) return NS_EXIT_OK;

    NsProgress progress;
    ns_progress_start(&progress, true);
    while (ns_run_steps(run) < chart.limit && ns_run_step(run))
        ns_progress_step(&progress, ns_run_steps(run), chart.limit, (double)NAN);
    ns_progress_end(&progress);
    return draw_all(&chart, run, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
}
