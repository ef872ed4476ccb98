/* SPDX-License-Identifier: MIT */
#include "app/cli/picture.h"

#include "core/base/error.h"
#include "core/base/processors.h"
#include "core/experiment/assignment.h"
#include "core/study/phase.h"
#include "ui/figures/figures.h"

#include <stdio.h>

#define DEFAULT_STEPS 200
#define MOST_WORKERS 256
#define LOOK_MS 100
#define STOP_MS 300 /* for steps to end after a signal */

/* The command line as it was given, and what it means. */
typedef struct {
    char *x, *y, *steps;
    gint64 workers;
    gboolean json, linear;
    NsPicture picture;
    NsExperiment experiment; /* of one lane */
    NsNamed named;           /* by --set and --steps */
    NsProvenance from;       /* the experiment is where the options put it */
} Sweep;

static void sweep_clear(Sweep *sweep)
{
    g_free(sweep->x);
    g_free(sweep->y);
    g_free(sweep->steps);
    ns_picture_clear(&sweep->picture);
    ns_experiment_clear(&sweep->experiment);
    ns_provenance_clear(&sweep->from);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sweep, sweep_clear)

/* What is on an axis is set nowhere else, nor what excludes it. */
static bool check_axis(const Sweep *sweep, const NsStudyAxis *axis, GError **error)
{
    NsSettings settings;
    NsNamed named = sweep->named;
    ns_settings_copy(&settings, &sweep->experiment.lane[0]);
    bool good = true;
    for (size_t i = 0; good && i < axis->n; i++) {
        named.here = sweep->named.here;
        good = ns_settings_name(&settings, &named, axis->param->key, axis->values[i], error);
    }
    ns_settings_clear(&settings);
    return good;
}

static NsPhase *understand(Sweep *sweep, GError **error)
{
    /* The options have the last word on what the file of --from says. */
    const char *x_text = sweep->x ? sweep->x : sweep->from.x;
    const char *y_text = sweep->y ? sweep->y : sweep->from.y;
    if (g_strcmp0(sweep->from.axes, "linear") == 0) sweep->linear = true;
    if (!x_text || !y_text) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "--%s KEY=VALUES is missing, such as --x lr=1e-4:1e-1:7 --y warmup=1,10,100.",
                    x_text ? "y" : "x");
        return NULL;
    }
    if (sweep->workers < 1 || sweep->workers > MOST_WORKERS) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE, "--workers must lie between 1 and %d.",
                    MOST_WORKERS);
        return NULL;
    }
    if (!sweep->picture.out && !ns_picture_unused(&sweep->picture, error)) return NULL;
    if (sweep->picture.out &&
        (!ns_picture_understand(&sweep->picture, error) ||
         !ns_picture_check(&sweep->picture, NULL, sweep->experiment.lane[0].text, error)))
        return NULL;
    g_auto(NsStudyAxis) x = {0}, y = {0};
    if (!ns_study_axis_read(&x, x_text, error) || !ns_study_axis_read(&y, y_text, error) ||
        !check_axis(sweep, &x, error) || !check_axis(sweep, &y, error))
        return NULL;
    const NsSettings *settings = &sweep->experiment.lane[0];
    return ns_phase_new(settings, &x, &y, settings->steps, error);
}

/* Until all is done or somebody interrupts it. */
static bool train(NsPhase *phase, unsigned workers, GError **error)
{
    NsProgress progress;
    ns_progress_start(&progress, true);
    ns_interrupt_catch();
    if (!ns_phase_start(phase, workers, error)) return false;
    while (!ns_interrupt_signal() && !ns_phase_wait(phase, LOOK_MS)) {
        NsPhaseProgress now = ns_phase_progress(phase);
        ns_progress_cells(&progress, now.finished, now.cells, now.seconds_left);
    }
    if (ns_interrupt_signal()) {
        ns_phase_stop(phase);
        ns_phase_wait(phase, STOP_MS);
    }
    ns_progress_end(&progress);
    return true;
}

static bool draw(const Sweep *sweep, NsPhase *phase, GError **error)
{
    g_autoptr(NsFigure) figure = ns_figure_create(ns_phase_kind());
    const NsFigureInput input = {.phase = phase, .log = !sweep->linear, .step = -1};
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_auto(NsProvenance) provenance;
    ns_phase_provenance(phase, &provenance);
    provenance.axes = g_strdup(sweep->linear ? "linear" : "log");
    return ns_picture_write(&sweep->picture, &plot, 1, &provenance, NULL, error);
}

/* ---- The table for people ---- */

#define CELL 14

static char *cell_words(const NsStudyCell *cell)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    switch (cell->state) {
    case NS_CELL_DONE:
        return g_strdup(g_ascii_formatd(number, sizeof number, "%.5g", cell->loss));
    case NS_CELL_DIVERGED:
        return g_strdup_printf("diverged %" G_GINT64_FORMAT, cell->step);
    case NS_CELL_WAITING:
    case NS_CELL_RUNNING:
    case NS_CELL_FAILED:
        break;
    }
    return g_strdup(ns_cell_state_word(cell->state));
}

static void show_table(NsPhase *phase)
{
    const NsStudyAxis *x = ns_phase_x(phase), *y = ns_phase_y(phase);
    int64_t steps = ns_phase_steps(phase), last = MIN(steps + 1, NS_CELL_LAST);
    printf("training loss after %" G_GINT64_FORMAT " %s, mean of the last %" G_GINT64_FORMAT
           "; columns %s, rows %s\n\n",
           steps, steps == 1 ? "step" : "steps", last, x->param->key, y->param->key);
    for (size_t row = 0; row <= y->n; row++) {
        g_autoptr(GString) line = g_string_new(NULL);
        ns_output_pad(line, row ? y->values[row - 1] : "", CELL);
        for (size_t column = 0; column < x->n; column++) {
            NsStudyCell cell = {0};
            if (row) cell = ns_phase_cell(phase, (row - 1) * x->n + column);
            g_autofree char *words = row ? cell_words(&cell) : g_strdup(x->values[column]);
            ns_output_pad(line, words, CELL);
        }
        puts(line->str);
    }
    const char *gap = "\n";
    for (size_t i = 0; i < ns_phase_cells(phase); i++) {
        NsStudyCell cell = ns_phase_cell(phase, i);
        if (!*cell.text) continue;
        printf("%s%s=%s %s=%s: %s\n", gap, x->param->key, x->values[i % x->n], y->param->key,
               y->values[i / x->n], cell.text);
        gap = "";
    }
}

static GArray *make_entries(Sweep *sweep)
{
    const GOptionEntry own[] = {
        {"x", 'x', 0, G_OPTION_ARG_STRING, &sweep->x,
         "The setting of the columns: KEY=FROM:TO:COUNT or KEY=VALUE,VALUE,…", "KEY=VALUES"},
        {"y", 'y', 0, G_OPTION_ARG_STRING, &sweep->y, "The setting of the rows, likewise",
         "KEY=VALUES"},
        {"steps", 'n', 0, G_OPTION_ARG_STRING, &sweep->steps,
         "Steps per run (default: setting “steps”, else 200)", "N"},
        {"workers", 'w', 0, G_OPTION_ARG_INT64, &sweep->workers,
         "Number of runs at a time, one thread each (default: one per processor)", "N"},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &sweep->json, "One JSON object with every cell", NULL},
        {"linear", 0, 0, G_OPTION_ARG_NONE, &sweep->linear, "Linear colors (default: logarithmic)",
         NULL},
    };
    GArray *entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
    g_array_append_vals(entries, own, G_N_ELEMENTS(own));
    static const char *const without[] = {"film", NULL};
    ns_picture_add_entries(&sweep->picture, entries, without);
    return entries;
}

int ns_cli_sweep(int argc, char **argv, GError **error)
{
    g_auto(Sweep) sweep = {.workers = MIN(ns_processors(), MOST_WORKERS)};
    ns_picture_init(&sweep.picture);
    ns_experiment_init(&sweep.experiment);
    sweep.experiment.lane[0].steps = DEFAULT_STEPS;
    ns_provenance_init(&sweep.from);
    g_autoptr(GArray) entries = make_entries(&sweep);
    const NsOptions options = {
        .command = "sweep",
        .summary =
            "Trains one short run for every pair of values of two settings and shows the final "
            "loss\n"
            "of each; runs that diverge are listed.  Every run has one seed and one thread, so "
            "the\n"
            "results do not depend on the number of workers.  --out also draws them, in a figure\n"
            "that --from repeats.\n\n"
            "JSON: settings, steps, x and y (key and values), and cells, row by row: x, y,\n"
            "state, step, loss (nats per token, mean of the last ten steps), validation_loss,\n"
            "seconds and, if there is one, a message; program, instructions.  Ctrl-C shows the "
            "runs\n"
            "that are finished.  The exit status is 1 if a run could not be made.",
        .examples =
            NS_CLI " sweep --x lr=1e-4:1e-1:7 --y warmup=1,10,100 --out phase.pdf\n" NS_CLI
                   " sweep --x layers=2,4,8,16 --y placement=post,pre --steps 100 --json\n" NS_CLI
                   " sweep --from phase.pdf --set placement=pre --out pre.pdf",
        .entries = (const GOptionEntry *)(void *)entries->data,
        .experiment = &sweep.experiment,
        .named = &sweep.named,
        .from = &sweep.from,
        .steps = (const char *const *)&sweep.steps,
    };
    bool go = ns_options_read(&options, &argc, &argv, error);
    g_autoptr(NsPhase) phase = go ? understand(&sweep, error) : NULL;
    if (!phase || !train(phase, (unsigned)sweep.workers, error)) return NS_EXIT_OK;
    if (sweep.json) {
        g_autofree char *text = ns_phase_json(phase);
        puts(text);
    } else
        show_table(phase);
    if (sweep.picture.out && !draw(&sweep, phase, error)) return NS_EXIT_ERROR;
    for (size_t i = 0; i < ns_phase_cells(phase); i++)
        if (ns_phase_cell(phase, i).state == NS_CELL_FAILED) return NS_EXIT_ERROR;
    return ns_interrupt_status();
}
