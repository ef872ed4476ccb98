/* SPDX-License-Identifier: MIT */
#include "app/cli/study.h"

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/processors.h"
#include "core/experiment/assignment.h"
#include "core/study/phase.h"
#include "ui/figures/figures.h"

#include <stdio.h>

#define DEFAULT_STEPS 200

/* The command line as given, and its parsed values. */
typedef struct {
    char *x, *y, *steps, *results;
    gint64 workers, seeds;
    gboolean json, linear;
    NsPicture picture;
    NsExperiment experiment; /* one lane */
    NsNamed named;           /* by --set and --steps */
    NsProvenance from;       /* file of --from; options are applied to `experiment` */
} Sweep;

static void sweep_clear(Sweep *sweep)
{
    g_free(sweep->x);
    g_free(sweep->y);
    g_free(sweep->steps);
    g_free(sweep->results);
    ns_picture_clear(&sweep->picture);
    ns_experiment_clear(&sweep->experiment);
    ns_provenance_clear(&sweep->from);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sweep, sweep_clear)

/* Refuses an axis whose setting, or one that excludes it, was named elsewhere. */
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

/* Options override the axes in the file of --from. */
static bool read_axes(Sweep *sweep, NsStudyAxis *x, NsStudyAxis *y, GError **error)
{
    const char *x_text = sweep->x ? sweep->x : sweep->from.x;
    const char *y_text = sweep->y ? sweep->y : sweep->from.y;
    if (!x_text || !y_text)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "--%s KEY=VALUES is missing, such as --x lr=1e-4:1e-1:7 --y "
                         "warmup=1,10,100.",
                         x_text ? "y" : "x");
    return ns_study_axis_read(x, x_text, error) && ns_study_axis_read(y, y_text, error) &&
           check_axis(sweep, x, error) && check_axis(sweep, y, error);
}

static bool understand_picture(Sweep *sweep, GError **error)
{
    if (g_strcmp0(sweep->from.axes, "linear") == 0) sweep->linear = true;
    if (!sweep->picture.out) return ns_picture_unused(&sweep->picture, error);
    return ns_picture_understand(&sweep->picture, error) &&
           ns_picture_check(&sweep->picture, NULL, NULL, error) &&
           ns_output_spares_data(sweep->picture.out, &sweep->experiment, error);
}

/* Results are stored in the requested file, or next to the figure; otherwise only in memory. */
static bool find_results(Sweep *sweep, GError **error)
{
    if (!sweep->results && sweep->picture.out)
        sweep->results = ns_study_results_path(sweep->picture.out);
    return !sweep->results || (ns_output_spares_data(sweep->results, &sweep->experiment, error) &&
                               ns_outputs_differ(sweep->results, sweep->picture.out, error) &&
                               ns_output_check_place(sweep->results, error));
}

static NsStudyWork *understand(Sweep *sweep, GError **error)
{
    g_auto(NsStudyAxis) x = {0}, y = {0};
    g_auto(NsStudy) study;
    ns_study_init(&study);
    NsSettings *settings = &sweep->experiment.lane[0];
    gint64 most_seeds = (gint64)ns_param_find("seeds")->most;
    if (!ns_option_check("workers", sweep->workers, 1, NS_STUDY_JOBS_MOST, error) ||
        !ns_option_check("seeds", sweep->seeds, 0, most_seeds, error))
        return NULL;
    if (sweep->seeds > 0) settings->seeds = sweep->seeds;
    if (!understand_picture(sweep, error) || !read_axes(sweep, &x, &y, error) ||
        !ns_phase_study(&study, (const NsSettings *[]){settings}, 1, &x, &y, settings->steps,
                        error) ||
        !find_results(sweep, error))
        return NULL;
    return ns_study_work_new(&study, sweep->results, NULL);
}

static bool draw(const Sweep *sweep, NsPhase *phase, GError **error)
{
    g_autoptr(NsFigure) figure = ns_figure_create(&ns_phase_kind);
    const NsFigureInput input = {.phase = phase, .log = !sweep->linear, .step = -1};
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_auto(NsProvenance) provenance;
    ns_phase_provenance(phase, &provenance);
    provenance.axes = g_strdup(sweep->linear ? "linear" : "log");
    return ns_picture_write(&sweep->picture, &plot, 1, &provenance, NULL, error);
}

/* ---- Table ---- */

#define CELL 14

static char *cell_words(const NsStudyCell *cell)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_autofree char *step = ns_group_digits(cell->step);
    switch (cell->state) {
    case NS_CELL_DONE:
        return g_strdup(g_ascii_formatd(number, sizeof number, "%.5g", cell->loss));
    case NS_CELL_DIVERGED:
        return g_strdup_printf("diverged %s", step);
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
    int64_t seeds = ns_phase_of(phase)->seeds;
    g_autofree char *after = ns_group_digits(steps);
    printf("training loss after %s %s, mean of the last %" G_GINT64_FORMAT
           "; columns %s, rows %s\n\n",
           after, steps == 1 ? "step" : "steps", last, x->param->key, y->param->key);
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
    if (seeds > 1) printf("\nmeans of %" G_GINT64_FORMAT " seeds; --json has each\n", seeds);
    const char *gap = "\n";
    for (size_t i = 0; i < ns_phase_cells(phase); i++) {
        NsStudyCell cell = ns_phase_cell(phase, i);
        if (!*cell.text) continue;
        printf("%s%s=%s %s=%s: %s\n", gap, x->param->key, x->values[i % x->n], y->param->key,
               y->values[i / x->n], cell.text);
        gap = "";
    }
}

static int show(const Sweep *sweep, NsPhase *phase, GError **error)
{
    if (sweep->json) {
        g_autofree char *text = ns_phase_json(phase);
        puts(text);
    } else
        show_table(phase);
    if (sweep->picture.out && !draw(sweep, phase, error)) return NS_EXIT_ERROR;
    for (size_t i = 0; i < ns_phase_cells(phase); i++)
        if (ns_phase_cell(phase, i).state == NS_CELL_FAILED) return NS_EXIT_ERROR;
    return ns_interrupt_status();
}

static GOptionEntry *make_entries(Sweep *sweep)
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
        {"seeds", 0, 0, G_OPTION_ARG_INT64, &sweep->seeds,
         "Seeds of every cell, whose mean is shown (default: setting “seeds”)", "N"},
        {"results", 0, 0, G_OPTION_ARG_FILENAME, &sweep->results,
         "Keep the result of every run in this file, *.nsstudy; the same command runs only what is "
         "missing there (default: beside the file of --out)",
         "FILE"},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &sweep->json, "One JSON object with every cell", NULL},
        {"linear", 0, 0, G_OPTION_ARG_NONE, &sweep->linear, "Linear colors (default: logarithmic)",
         NULL},
    };
    static const char *const without[] = {"film", NULL};
    return ns_picture_entries(&sweep->picture, own, G_N_ELEMENTS(own), without);
}

int ns_cli_sweep(int argc, char **argv, GError **error)
{
    g_auto(Sweep) sweep = {.workers = MIN(ns_processors(), NS_STUDY_JOBS_MOST)};
    ns_picture_init(&sweep.picture);
    ns_experiment_init(&sweep.experiment);
    sweep.experiment.lane[0].steps = DEFAULT_STEPS;
    ns_provenance_init(&sweep.from);
    g_autofree GOptionEntry *entries = make_entries(&sweep);
    const NsOptions options = {
        .command = "sweep",
        .summary =
            "Trains short runs for every pair of values of two settings and shows the final loss\n"
            "of each; runs that diverge are listed.  Every run has one seed and one thread, so "
            "the\n"
            "results do not depend on the number of workers.  --out also draws them, in a figure\n"
            "that --from repeats, and keeps the results beside it: the same command then runs\n"
            "only what is missing, after Ctrl-C too, which shows the runs that are finished.  A\n"
            "sweep is a study of one lane and two settings; “" NS_CLI " study” trains others,\n"
            "and shows and draws the file of results.\n\n"
            "JSON: settings, steps, seeds, x and y (key and values), and cells, row by row: x, y,\n"
            "state, step, loss (nats per token, mean of the last ten steps), validation_loss,\n"
            "seeds (the loss of each), seconds and, if there is one, a message; program,\n"
            "instructions.  The exit status is 1 if a run could not be made.",
        .examples =
            NS_CLI " sweep --x lr=1e-4:1e-1:7 --y warmup=1,10,100 --out phase.pdf\n" NS_CLI
                   " sweep --x layers=2,4,8,16 --y placement=post,pre --steps 100 --json\n" NS_CLI
                   " sweep --from phase.pdf --set placement=pre --out pre.pdf",
        .entries = entries,
        .experiment = &sweep.experiment,
        .named = &sweep.named,
        .from = &sweep.from,
        .steps = &sweep.steps,
    };
    bool go = ns_options_read(&options, &argc, &argv, error);
    g_autoptr(NsStudyWork) work = go ? understand(&sweep, error) : NULL;
    if (!work || !ns_study_train(work, (unsigned)sweep.workers, NULL, error)) return NS_EXIT_OK;
    g_autoptr(NsPhase) phase = ns_phase_new(work, 0, 0, 1, error);
    return show(&sweep, phase, error);
}
