/* SPDX-License-Identifier: MIT */
#include "app/cli/study.h"

#include "core/base/digits.h"
#include "core/experiment/assignment.h"
#include "core/study/phase.h"
#include "ui/figures/figures.h"

#include <stdio.h>
#include <string.h>

/* Refuses an axis whose setting, or one that excludes it, was named elsewhere. */
static bool check_axis(const NsArguments *a, const NsStudyAxis *axis, GError **error)
{
    NsSettings settings;
    NsNamed named = a->named;
    ns_settings_copy(&settings, &a->experiment.lane[0]);
    bool good = true;
    for (size_t i = 0; good && i < axis->n; i++) {
        memcpy(named.here, a->named.here, sizeof named.here);
        good = ns_settings_name(&settings, &named, axis->param->key, axis->values[i], error);
    }
    ns_settings_clear(&settings);
    return good;
}

/* The study of a sweep; options override what the file of --from says. */
static NsStudyWork *understand(NsArguments *a, GError **error)
{
    g_auto(NsStudyAxis) x = {0}, y = {0};
    g_auto(NsStudy) study;
    ns_study_init(&study);
    NsSettings *settings = &a->experiment.lane[0];
    if (a->seeds > 0) settings->seeds = a->seeds;
    if (g_strcmp0(a->recorded.axes, "linear") == 0) a->linear = true;
    if (a->out ? !ns_picture_understand(&a->picture, error) ||
                     !ns_picture_check(&a->picture, NULL, error)
               : !ns_picture_unused(&a->picture, error))
        return NULL;
    const char *x_text = a->x ? a->x : a->recorded.x, *y_text = a->y ? a->y : a->recorded.y;
    if (!x_text || !y_text) {
        ns_usage(error,
                 "--%s KEY=VALUES is missing, such as --x lr=1e-4:1e-1:7 --y warmup=1,10,100.",
                 x_text ? "y" : "x");
        return NULL;
    }
    if (!ns_study_axis_read(&x, x_text, error) || !ns_study_axis_read(&y, y_text, error) ||
        !check_axis(a, &x, error) || !check_axis(a, &y, error) ||
        !ns_phase_study(&study, (const NsSettings *[]){settings}, 1, &x, &y, settings->steps,
                        error))
        return NULL;
    /* Results are stored in the requested file, or next to the figure; otherwise only in memory. */
    if (!a->results && a->out) a->results = ns_study_results_path(a->out);
    if (a->results && (!ns_outputs_differ(a->results, a->out, error) ||
                       !ns_output_check_place(a->results, error)))
        return NULL;
    return ns_study_work_new(&study, a->results, NULL);
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

/* Draws the sweep as a figure that --from repeats. */
static bool draw(const NsArguments *a, NsPhase *phase, GError **error)
{
    g_autoptr(NsFigure) figure = ns_figure_create(&ns_phase_kind);
    const NsFigureInput input = {.phase = phase, .log = !a->linear, .step = -1};
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_auto(NsProvenance) provenance;
    ns_phase_provenance(phase, &provenance);
    provenance.axes = g_strdup(a->linear ? "linear" : "log");
    return ns_picture_write(&a->picture, &plot, 1, &provenance, NULL, error);
}

static int run(NsArguments *a, GError **error)
{
    g_autoptr(NsStudyWork) work = understand(a, error);
    if (!work || !ns_study_train(work, (unsigned)a->jobs, NULL, error)) return NS_EXIT_OK;
    g_autoptr(NsPhase) phase = ns_phase_new(work, 0, 0, 1, error);
    g_autofree char *json = a->json ? ns_phase_json(phase) : NULL;
    if (json)
        puts(json);
    else {
        const NsStudyAxis *x = phase->x, *y = phase->y;
        int64_t steps = phase->settings->steps, last = MIN(steps + 1, NS_CELL_LAST);
        int64_t seeds = phase->study->seeds;
        g_autofree char *after = ns_group_digits(steps);
        printf("training loss after %s %s, mean of the last %" G_GINT64_FORMAT
               "; columns %s, rows %s\n\n",
               after, steps == 1 ? "step" : "steps", last, x->param->key, y->param->key);
        g_autoptr(GString) line = g_string_new(NULL);
        ns_row_add(line, CELL, "%s", "");
        for (size_t column = 0; column < x->n; column++)
            ns_row_add(line, CELL, "%s", x->values[column]);
        ns_row_print(line);
        for (size_t row = 0; row < y->n; row++) {
            ns_row_add(line, CELL, "%s", y->values[row]);
            for (size_t column = 0; column < x->n; column++) {
                NsStudyCell cell = ns_phase_cell(phase, row * x->n + column);
                g_autofree char *words = cell_words(&cell);
                ns_row_add(line, CELL, "%s", words);
            }
            ns_row_print(line);
        }
        if (seeds > 1) printf("\nmeans of %" G_GINT64_FORMAT " seeds; --json has each\n", seeds);
        const char *gap = "\n";
        for (size_t i = 0; i < phase->cells; i++) {
            NsStudyCell cell = ns_phase_cell(phase, i);
            if (!*cell.text) continue;
            printf("%s%s=%s %s=%s: %s\n", gap, x->param->key, x->values[i % x->n], y->param->key,
                   y->values[i / x->n], cell.text);
            gap = "";
        }
    }
    if (a->out && !draw(a, phase, error)) return NS_EXIT_ERROR;
    for (size_t i = 0; i < phase->cells; i++)
        if (ns_phase_cell(phase, i).state == NS_CELL_FAILED) return NS_EXIT_ERROR;
    return ns_interrupt_status();
}

const NsCommand ns_cli_sweep = {
    .choice = {.key = "sweep",
               .purpose =
                   "Train a grid of runs over two settings and show which learn and which diverge"},
    .settings = "steps=200",
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
    .run = run,
};
