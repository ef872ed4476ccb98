/* SPDX-License-Identifier: MIT */
#include "app/cli/picture.h"

#include "core/base/error.h"
#include "core/probe/similarity.h"
#include "core/train/run.h"
#include "ui/figures/figures.h"

#include <math.h>
#include <string.h>

#define DEFAULT_STEPS 100
#define SHEET "all"

/* The command line as it was given, and what it means. */
typedef struct {
    char *figure, *gradient, *hidden, *quantity, *similarity;
    gboolean linear;
    NsFigureInput input; /* what the figures show; without a history as yet */
    NsPicture picture;
} Chart;

static void chart_clear(Chart *chart)
{
    char *texts[] = {chart->figure, chart->gradient, chart->hidden, chart->quantity,
                     chart->similarity};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
    ns_picture_clear(&chart->picture);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Chart, chart_clear)

static bool is_sheet(const Chart *chart)
{
    return g_str_equal(chart->figure, SHEET);
}

/* The figure's row, or NULL where it shows what --quantity does not choose. */
static const NsFigureKind *subject_of(const Chart *chart)
{
    int i = ns_choices_find(ns_figure_choice, chart->figure);
    const NsFigureKind *kind = i < 0 ? NULL : ns_figure_kind((size_t)i);
    return kind && kind->subject == NS_SUBJECT_QUANTITY ? kind : NULL;
}

/* “wq” is short for “grad-wq”. */
static bool find_quantity(const char *key, unsigned domains, NsQuantity *quantity, GError **error)
{
    static const char *const places[] = {
        [NS_DOMAIN_STEP] = "once a step",
        [NS_DOMAIN_LAYER] = "in every layer",
        [NS_DOMAIN_HIDDEN] = "on hidden states",
        [NS_DOMAIN_HEAD] = "in every head",
    };
    g_autofree char *whole = g_strconcat("grad-", key, NULL);
    int i = ns_choices_find(ns_quantity_choice, key);
    if (i < 0) i = ns_choices_find(ns_quantity_choice, whole);
    if (i < 0) {
        ns_options_unknown("quantity", key, ns_quantity_choice, error);
        return false;
    }
    *quantity = (NsQuantity)i;
    NsDomain domain = ns_quantity(*quantity)->domain;
    if (domains & 1u << domain) return true;
    g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                "%s is measured %s, which this figure does not show; “" NS_CLI
                " list quantities” shows where each is, and the figure steps takes every one.",
                ns_quantity(*quantity)->choice.key, places[domain]);
    return false;
}

static bool read_quantities(Chart *chart, GError **error)
{
    const NsFigureKind *subject = subject_of(chart);
    if (chart->quantity && !subject) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "The figure %s has its own quantities; --quantity goes with profile, steps, "
                    "heatmap and heads.",
                    chart->figure);
        return false;
    }
    const char *similarity = chart->similarity ? chart->similarity : "cka";
    int kind = ns_choices_find(ns_similarity_choice, similarity);
    if (kind < 0) {
        ns_options_unknown("similarity", similarity, ns_similarity_choice, error);
        return false;
    }
    NsFigureInput *input = &chart->input;
    input->similarity = (NsSimilarityKind)kind;
    input->quantity = NS_QUANTITY_GRAD_W2;
    const char *initial = subject ? ns_quantity(subject->initial)->choice.key : NULL;
    return find_quantity(chart->gradient ? chart->gradient : "grad-w2", 1u << NS_DOMAIN_LAYER,
                         &input->gradient, error) &&
           find_quantity(chart->hidden ? chart->hidden : "hidden-norm", 1u << NS_DOMAIN_HIDDEN,
                         &input->hidden, error) &&
           (!subject || find_quantity(chart->quantity ? chart->quantity : initial, subject->domains,
                                      &input->quantity, error));
}

/* The quantities that the figure will show: at most three. */
static size_t shown(const Chart *chart, NsQuantity *quantities)
{
    const NsFigureInput *input = &chart->input;
    size_t n = 0;
    if (subject_of(chart)) quantities[n++] = input->quantity;
    if (is_sheet(chart) || g_str_has_prefix(chart->figure, "gradient-"))
        quantities[n++] = input->gradient;
    if (is_sheet(chart) || g_str_equal(chart->figure, "hidden-norm"))
        quantities[n++] = input->hidden;
    return n;
}

/* What is dear must be measured now and then, if it is to be drawn: where the settings say never,
 * about MEASURED times. */
#define MEASURED 20

static void provide_probes(const Chart *chart, NsSettings *settings)
{
    NsQuantity quantities[3];
    bool dear = g_str_equal(chart->figure, "similarity");
    for (size_t n = shown(chart, quantities); n > 0; n--)
        dear = dear || ns_quantity(quantities[n - 1])->dear;
    if (dear && settings->probe_every == 0)
        settings->probe_every = MAX(1, settings->steps / MEASURED);
}

/* Whether the model has what is to be drawn. */
static bool check_exists(const Chart *chart, NsRun *run, GError **error)
{
    const NsRecordLayout *layout = ns_history_layout(ns_run_history(run));
    NsQuantity quantities[3];
    for (size_t n = shown(chart, quantities); n > 0; n--) {
        NsQuantity quantity = quantities[n - 1];
        if (layout->count[quantity] > 0) continue;
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "This model has no %s to draw; choose another quantity "
                    "or other settings.",
                    ns_quantity(quantity)->choice.key);
        return false;
    }
    return true;
}

/* Finds every mistake before the model is trained. */
static bool understand(Chart *chart, GError **error)
{
    if (!chart->figure) {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_USAGE, "--figure NAME is missing.");
        return false;
    }
    if (!is_sheet(chart) && ns_choices_find(ns_figure_choice, chart->figure) < 0) {
        ns_options_unknown("figure", chart->figure, ns_figure_choice, error);
        return false;
    }
    return ns_picture_understand(&chart->picture, is_sheet(chart), error) &&
           read_quantities(chart, error);
}

static bool draw(Chart *chart, NsRun *run, GError **error)
{
    NsFigureInput *input = &chart->input;
    input->history = ns_run_history(run);
    input->settings = ns_run_settings(run);
    input->log = !chart->linear;
    input->step = -1;
    size_t n = 0, kinds = 0;
    while (ns_figure_choice(kinds)) kinds++;
    g_autoptr(GPtrArray) figures = g_ptr_array_new_with_free_func((GDestroyNotify)ns_figure_free);
    g_autofree const NsPlot **plots = g_new(const NsPlot *, kinds);
    for (size_t i = 0; i < kinds; i++) {
        const char *key = ns_figure_choice(i)->key;
        bool wanted =
            is_sheet(chart) ? ns_figure_kind(i)->overview : g_str_equal(key, chart->figure);
        if (!wanted) continue;
        NsFigure *figure = ns_figure_new(key);
        g_ptr_array_add(figures, figure);
        plots[n++] = ns_figure_update(figure, input);
    }
    g_autofree char *settings = ns_settings_line(ns_run_settings(run), true);
    return ns_picture_write(&chart->picture, plots, n, is_sheet(chart) ? 2 : 1, settings, error);
}

int ns_cli_chart(int argc, char **argv, GError **error)
{
    g_auto(Chart) chart = {.picture.dpi = 300};
    g_autofree char *steps = NULL;
    const GOptionEntry entries[] = {
        {"figure", 'f', 0, G_OPTION_ARG_STRING, &chart.figure,
         "Of “" NS_CLI " list figures”, or all: loss, gradient-norm, hidden-norm and "
         "gradient-heatmap as one lettered sheet",
         "NAME"},
        NS_PICTURE_ENTRIES(&chart.picture),
        {"steps", 'n', 0, G_OPTION_ARG_STRING, &steps,
         "Steps to train before (default: setting “steps”, else 100)", "N"},
        {"quantity", 'q', 0, G_OPTION_ARG_STRING, &chart.quantity,
         "What profile, steps, heatmap and heads show, of “" NS_CLI " list quantities”",
         "QUANTITY"},
        {"gradient", 'g', 0, G_OPTION_ARG_STRING, &chart.gradient,
         "What gradient-norm and gradient-heatmap show (default: grad-w2)", "QUANTITY"},
        {"hidden", 0, 0, G_OPTION_ARG_STRING, &chart.hidden,
         "What hidden-norm shows (default: hidden-norm)", "QUANTITY"},
        {"similarity", 0, 0, G_OPTION_ARG_STRING, &chart.similarity,
         "What similarity shows: cka (default), cosine or angle", "KEY"},
        {"linear", 0, 0, G_OPTION_ARG_NONE, &chart.linear,
         "Linear axes for norms (default: logarithmic)", NULL},
        {0},
    };
    NsSettings settings;
    ns_settings_init(&settings);
    settings.steps = DEFAULT_STEPS;
    const NsOptions options = {
        .command = "chart",
        .summary =
            "Trains a model and draws a chart of what was measured.  Where the chart needs a\n"
            "quantity that is too dear for every step and setting “probe-every” is 0, it is\n"
            "measured about twenty times.",
        .examples =
            NS_CLI " chart --figure gradient-norm --set placement=pre --out pre.pdf\n" NS_CLI
                   " chart --figure all --steps 300 --out run.png\n" NS_CLI
                   " chart --figure heatmap --quantity token-cosine --out cosine.svg\n" NS_CLI
                   " chart --figure loss --out loss.csv",
        .entries = entries,
        .settings = &settings,
        .steps = (const char *const *)&steps,
    };
    bool go = ns_options_read(&options, &argc, &argv, error) && understand(&chart, error);
    gint64 limit = settings.steps;
    if (go) provide_probes(&chart, &settings);
    g_autoptr(NsRun) run = go ? ns_run_new(&settings, error) : NULL;
    ns_settings_clear(&settings);
    if (!run || !check_exists(&chart, run, error)) return NS_EXIT_OK;

    NsProgress progress;
    ns_progress_start(&progress, true);
    while (ns_run_steps(run) < limit && ns_run_step(run))
        ns_progress_step(&progress, ns_run_steps(run), limit, (double)NAN);
    ns_progress_end(&progress);
    return draw(&chart, run, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
}
