/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/error.h"
#include "core/train/run.h"
#include "ui/figures/figures.h"
#include "ui/plot/export.h"

#include <math.h>
#include <string.h>

#define DEFAULT_STEPS 100
#define SHEET "all"

/* Points.  Heights follow from what the sheet holds. */
typedef struct {
    NsChoice choice;
    double width;
    double height; /* 0: in proportion */
} Size;

static const Size sizes[] = {
    {{.key = "column", .purpose = "one column of a paper, 3.25 in"}, 234, 0},
    {{.key = "text", .purpose = "the text width of a one-column paper, 5.5 in"}, 396, 0},
    {{.key = "wide", .purpose = "both columns, 7 in"}, 504, 0},
    {{.key = "slide", .purpose = "a 16:9 slide"}, 960, 540},
};

static const NsChoice *size_choice(size_t i)
{
    return i < G_N_ELEMENTS(sizes) ? &sizes[i].choice : NULL;
}

/* The command line as it was given, and what it means. */
typedef struct {
    char *figure, *out, *style, *size, *gradient, *hidden;
    gint dpi;
    gboolean linear;
    NsQuantity gradient_quantity, hidden_quantity;
    NsExport export;
} Chart;

static void chart_clear(Chart *chart)
{
    char *texts[] = {chart->figure, chart->out,      chart->style,
                     chart->size,   chart->gradient, chart->hidden};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Chart, chart_clear)

static bool is_sheet(const Chart *chart)
{
    return g_str_equal(chart->figure, SHEET);
}

/* “wq” is short for “grad-wq”. */
static bool find_quantity(const char *key, NsDomain domain, NsQuantity *quantity, GError **error)
{
    g_autofree char *whole = g_strconcat("grad-", key, NULL);
    int i = ns_choices_find(ns_quantity_choice, key);
    if (i < 0) i = ns_choices_find(ns_quantity_choice, whole);
    if (i < 0) {
        ns_options_unknown("quantity", key, ns_quantity_choice, error);
        return false;
    }
    *quantity = (NsQuantity)i;
    if (ns_quantity(*quantity)->domain == domain) return true;
    g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                "%s is not measured %s; “" NS_CLI " list quantities” shows where each is.",
                ns_quantity(*quantity)->choice.key,
                domain == NS_DOMAIN_LAYER ? "in every layer" : "on hidden states");
    return false;
}

static bool read_size(Chart *chart, GError **error)
{
    NsExport *export = &chart->export;
    const char *text = chart->size ? chart->size : is_sheet(chart) ? "wide" : "column";
    int i = ns_choices_find(size_choice, text);
    if (i >= 0) {
        export->width = sizes[i].width;
        export->height = sizes[i].height > 0 ? sizes[i].height : round(0.7 * sizes[i].width);
        return true;
    }
    char *end = NULL;
    export->width = g_ascii_strtod(text, &end);
    bool read = end > text && (*end == 'x' || *end == 'X');
    const char *second = read ? end + 1 : text;
    if (read) export->height = g_ascii_strtod(second, &end);
    /* The largest page that every reader of PDF opens is 200 in; below 72 pt nothing can be read.
     */
    if (read && end > second && !*end && export->width >= 72 && export->height >= 72 &&
        export->width <= 14400 && export->height <= 14400)
        return true;
    g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                "“%s” is no size; it is column, text, wide, slide or WIDTHxHEIGHT in points, 72 to "
                "14400 each.",
                text);
    return false;
}

static bool read_style(Chart *chart, GError **error)
{
    bool slide = chart->size && g_str_equal(chart->size, "slide");
    const char *key = chart->style ? chart->style : slide ? "slide" : "paper";
    chart->export.style = ns_style_find(key);
    if (!chart->export.style) ns_options_unknown("style", key, ns_style_choice, error);
    return chart->export.style;
}

/* Finds every mistake before the model is trained. */
static bool understand(Chart *chart, GError **error)
{
    if (!chart->figure || !chart->out) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE, "%s is missing.",
                    chart->figure ? "--out FILE" : "--figure NAME");
        return false;
    }
    if (!is_sheet(chart) && ns_choices_find(ns_figure_choice, chart->figure) < 0) {
        ns_options_unknown("figure", chart->figure, ns_figure_choice, error);
        return false;
    }
    if (chart->dpi < 36 || chart->dpi > 2400) {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_USAGE, "--dpi must lie between 36 and 2400.");
        return false;
    }
    chart->export.dpi = chart->dpi;
    return ns_format_from_path(chart->out, &chart->export.format, error) &&
           find_quantity(chart->gradient ? chart->gradient : "grad-w2", NS_DOMAIN_LAYER,
                         &chart->gradient_quantity, error) &&
           find_quantity(chart->hidden ? chart->hidden : "hidden-norm", NS_DOMAIN_HIDDEN,
                         &chart->hidden_quantity, error) &&
           read_size(chart, error) && read_style(chart, error) &&
           ns_output_check(chart->out, error);
}

static bool draw(Chart *chart, NsRun *run, GError **error)
{
    const NsFigureInput input = {.history = ns_run_history(run),
                                 .settings = ns_run_settings(run),
                                 .gradient = chart->gradient_quantity,
                                 .hidden = chart->hidden_quantity,
                                 .log = !chart->linear,
                                 .step = -1};
    size_t n = 0, kinds = 0;
    while (ns_figure_choice(kinds)) kinds++;
    g_autoptr(GPtrArray) figures = g_ptr_array_new_with_free_func((GDestroyNotify)ns_figure_free);
    g_autofree const NsPlot **plots = g_new(const NsPlot *, kinds);
    for (size_t i = 0; i < kinds; i++) {
        const char *key = ns_figure_choice(i)->key;
        if (!is_sheet(chart) && !g_str_equal(key, chart->figure)) continue;
        NsFigure *figure = ns_figure_new(key);
        g_ptr_array_add(figures, figure);
        plots[n++] = ns_figure_update(figure, &input);
    }
    g_autofree char *settings = ns_settings_line(ns_run_settings(run), true);
    chart->export.settings = settings;
    return ns_export(plots, n, is_sheet(chart) ? 2 : 1, &chart->export, chart->out, error);
}

int ns_cli_chart(int argc, char **argv, GError **error)
{
    g_auto(Chart) chart = {.dpi = 300};
    g_autofree char *steps = NULL;
    const GOptionEntry entries[] = {
        {"figure", 'f', 0, G_OPTION_ARG_STRING, &chart.figure,
         "loss, gradient-norm, hidden-norm, gradient-heatmap, or all as one lettered sheet",
         "NAME"},
        {"out", 'o', 0, G_OPTION_ARG_FILENAME, &chart.out,
         "The file; its ending png, svg, pdf or csv says the format", "FILE"},
        {"steps", 'n', 0, G_OPTION_ARG_STRING, &steps,
         "Steps to train before (default: setting “steps”, else 100)", "N"},
        {"gradient", 'g', 0, G_OPTION_ARG_STRING, &chart.gradient,
         "Which gradient, of “" NS_CLI " list quantities” (default: grad-w2)", "QUANTITY"},
        {"hidden", 0, 0, G_OPTION_ARG_STRING, &chart.hidden, "hidden-norm (default) or hidden-sq",
         "QUANTITY"},
        {"linear", 0, 0, G_OPTION_ARG_NONE, &chart.linear,
         "Linear axes for norms (default: logarithmic)", NULL},
        {"style", 0, 0, G_OPTION_ARG_STRING, &chart.style,
         "Of “" NS_CLI " list styles” (default: paper; slide for that size)", "KEY"},
        {"size", 0, 0, G_OPTION_ARG_STRING, &chart.size,
         "column, text, wide, slide, or points as 400x300 (default: column; wide for all)", "SIZE"},
        {"dpi", 0, 0, G_OPTION_ARG_INT, &chart.dpi, "Pixels per inch of a PNG (default: 300)", "N"},
        {0},
    };
    NsSettings settings;
    ns_settings_init(&settings);
    settings.steps = DEFAULT_STEPS;
    const NsOptions options = {
        .command = "chart",
        .summary = "Trains a model and draws a chart of what was measured.",
        .examples =
            NS_CLI " chart --figure gradient-norm --set placement=pre --out pre.pdf\n" NS_CLI
                   " chart --figure all --steps 300 --out run.png\n" NS_CLI
                   " chart --figure loss --out loss.csv",
        .entries = entries,
        .settings = &settings,
        .steps = (const char *const *)&steps,
    };
    bool go = ns_options_read(&options, &argc, &argv, error) && understand(&chart, error);
    gint64 limit = settings.steps;
    g_autoptr(NsRun) run = go ? ns_run_new(&settings, error) : NULL;
    ns_settings_clear(&settings);
    if (!run) return NS_EXIT_OK;

    NsProgress progress;
    ns_progress_start(&progress, true);
    while (ns_run_steps(run) < limit && ns_run_step(run))
        ns_progress_step(&progress, ns_run_steps(run), limit, (double)NAN);
    ns_progress_end(&progress);
    return draw(&chart, run, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
}
