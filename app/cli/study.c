/* SPDX-License-Identifier: MIT */
#include "app/cli/study.h"

#include "core/base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOOK_MS 100
#define COUNT_US 500000
#define STOP_MS 300 /* time for running steps to end after a signal */

/* ---- The study ---- */

/* Whether no output replaces a text of the study. */
static bool spares_data(const NsArguments *a, const NsStudy *study, GError **error)
{
    for (size_t i = 0; i < study->experiment.n; i++)
        if (!ns_output_spares_data(a->out, &study->experiment.lane[i], error) ||
            !ns_output_spares_data(a->csv, &study->experiment.lane[i], error))
            return false;
    return true;
}

static bool load(const NsArguments *a, const char *path, NsStudy *study, GError **error)
{
    if (!ns_study_open(study, path, error)) return false;
    for (char **word = a->set; word && *word; word++)
        if (!ns_study_set(study, *word, error)) return false;
    if (a->seeds > 0) study->seeds = a->seeds;
    return spares_data(a, study, error) && ns_study_check(study, error);
}

/* "0-99" */
static bool read_range(const char *text, size_t cells, NsStoreOptions *options, GError **error)
{
    g_auto(GStrv) ends = g_strsplit(text, "-", 2);
    guint64 first, last;
    if (!ends[0] || !ends[1] ||
        !g_ascii_string_to_unsigned(ends[0], 10, 0, G_MAXINT64, &first, NULL) ||
        !g_ascii_string_to_unsigned(ends[1], 10, first, G_MAXINT64, &last, NULL) || first >= cells)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "--cells is “%s”; write it as FIRST-LAST, such as 0-%zu for all cells of "
                         "this study.",
                         text, cells - 1);
    options->first = (size_t)first;
    options->end = (size_t)MIN(last + 1, cells);
    return true;
}

/* ---- Running ---- */

bool ns_study_train(NsStudyWork *work, unsigned jobs, const char *what, GError **error)
{
    NsProgress progress;
    gint64 counted = 0;
    ns_interrupt_catch();
    if (!ns_study_work_start(work, jobs, error)) return false;
    ns_progress_start(&progress, true);
    do {
        if (!progress.on || g_get_monotonic_time() - counted < COUNT_US) continue;
        NsStudyWorkProgress now = ns_study_work_progress(work);
        ns_progress_cells(&progress, what, now.ended, now.cells, now.seconds_left);
        counted = g_get_monotonic_time();
    } while (!ns_interrupt_signal() && !ns_study_work_wait(work, LOOK_MS));
    ns_study_work_stop(work);
    /* A thread in a long step uses the store until the program ends, so it stays open. */
    if (!ns_study_work_wait(work, STOP_MS) && ns_study_work_store(work))
        ns_study_store_release(ns_study_work_store(work));
    ns_progress_end(&progress);
    GError *failure = ns_study_work_take_failure(work);
    if (failure) g_propagate_error(error, failure);
    return !failure;
}

/* Shows the results; for part of a study only the number of finished cells. */
static bool show(const NsArguments *a, const NsStudyResults *results, GError **error)
{
    if (a->json)
        ns_study_show_json(results);
    else if (a->cells)
        printf("%zu cells of %s have ended\n", results->ended, a->out);
    else
        ns_study_show_table(results);
    return !a->csv || ns_study_write_csv(results, a->csv, error);
}

static int status_of(const NsStudyResults *results)
{
    return results->failed ? NS_EXIT_ERROR : ns_interrupt_status();
}

static int study_run(NsArguments *a, const char *path, GError **error)
{
    g_auto(NsStudy) study;
    ns_study_init(&study);
    if (!load(a, path, &study, error)) return NS_EXIT_ERROR;
    if (!a->out) a->out = ns_study_results_path(path);
    NsStoreOptions options = {
        .end = ns_study_cells(&study), .network = a->network, .lease = a->lease};
    if (a->cells && !read_range(a->cells, options.end, &options, error)) return NS_EXIT_USAGE;
    if (!ns_output_check_place(a->out, error) || !ns_outputs_differ(a->csv, a->out, error) ||
        (a->csv && !ns_output_check(a->csv, error)))
        return NS_EXIT_ERROR;
    NsStudyJobs jobs = {&study, a->out, (size_t)a->chunk, a->lease};
    if (a->print_jobs) return ns_study_print_jobs(&jobs, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
    if (!a->slurm) {
        g_autoptr(NsStudyWork) work = ns_study_work_new(&study, a->out, &options);
        g_auto(NsStudyResults) results = {0};
        if (!ns_study_train(work, (unsigned)a->jobs, NULL, error)) return NS_EXIT_ERROR;
        if (!ns_study_work_store(work)) return ns_interrupt_status(); /* interrupted immediately */
        bool good = ns_study_store_results(ns_study_work_store(work), &results, error) &&
                    show(a, &results, error);
        return good ? status_of(&results) : NS_EXIT_ERROR;
    }
    if (!ns_study_run_slurm(&jobs, error)) return NS_EXIT_ERROR;
    g_auto(NsStudyResults) results = {0};
    g_autoptr(NsStudyStore) store = ns_study_store_open(a->out, &study, &options, error);
    bool good = store && ns_study_store_results(store, &results, error) && show(a, &results, error);
    return good ? status_of(&results) : NS_EXIT_ERROR;
}

/* ---- Files of results ---- */

/* Checks the options of the chart before anything is read. */
static bool understand_figure(NsArguments *a, GError **error)
{
    if (!a->out && !a->figure) return ns_picture_unused(&a->picture, error);
    if (!a->out || !a->figure)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "A chart needs --figure NAME and --out FILE; “%s” "
                         "is missing.",
                         a->out ? "--figure" : "--out");
    return ns_choices_require("figure of a study", a->figure, ns_study_figure_choice, error) >= 0 &&
           ns_picture_understand(&a->picture, error) && ns_picture_check(&a->picture, NULL, error);
}

static int study_show(NsArguments *a, const char *path, GError **error)
{
    if (!understand_figure(a, error) || (a->csv && !ns_output_check(a->csv, error)))
        return NS_EXIT_USAGE;
    g_auto(NsStudy) study;
    ns_study_init(&study);
    g_autoptr(NsStudyStore) store = ns_study_store_read(path, &study, error);
    g_auto(NsStudyResults) results = {0};
    const NsStudyFigure figure = {a->figure, a->x, a->y, &a->picture};
    bool good = store && spares_data(a, &study, error) &&
                ns_study_store_results(store, &results, error) &&
                (a->figure ? ns_study_draw(&results, &figure, error) : show(a, &results, error));
    return good ? NS_EXIT_OK : NS_EXIT_ERROR;
}

/* ---- The command line ---- */

static const char summary[] =
    "Trains the runs of a study, a file that lists which settings vary, and shows their results:\n"
    "the mean over seeds of every configuration, and a fair comparison of the lanes.\n\n"
    "Every cell of a study (a lane in one configuration with one seed) is trained by one thread\n"
    "and stored in FILE.nsstudy, an SQLite database, as soon as it has finished.  A stored cell\n"
    "is never run again: the same command continues an interrupted study and runs only\n"
    "what a changed study has added.  Several processes share the work.  Ctrl-C loses only the\n"
    "cells that are running.\n\n"
    "“show FILE.nsstudy” shows the results so far, or draws them as a chart.\n"
    "“merge OUT.nsstudy FILE.nsstudy…” adds the results of files to OUT; the first result of a\n"
    "cell stays.  With --slurm, Ctrl-C leaves the jobs to Slurm: the same command waits for them,\n"
    "gathers their results and submits only what is missing, so that no cell is run twice.\n\n"
    "A study is lines of “key = value”: settings of all runs, title, note and seeds, then the\n"
    "sections\n"
    "  [grid]    KEY = FROM:TO:COUNT or VALUE, VALUE, …: every combination\n"
    "  [random]  draws = COUNT, draw-seed = N, KEY = FROM:TO[:log|linear] or VALUE, VALUE, …\n"
    "  [stop]    loss-below, loss-above: the training loss at which a run ends\n"
    "  [result]  quantity = loss, validation-loss, grad-norm, memory, entailment-accuracy or\n"
    "            paraphrase-accuracy (after fine-tuning), or a quantity, with layer and head;\n"
    "            at = last 10 (a mean), last, minimum or step N; better = lower or higher,\n"
    "            where lanes are compared by what is neither a loss, BLEU nor an accuracy\n"
    "  [result-2] [result-3]   further results of the same runs\n"
    "  [A] [B]   lanes: name and settings\n\n"
    "JSON: title, result, lanes, cells (lane, configuration, seed, state, step, first: the\n"
    "training loss at step 0, value: the result, loss: the mean of the last ten steps,\n"
    "validation_loss, seconds, program, instructions, and a message where there is one),\n"
    "comparison (configurations; better: lower or higher; best_of_k: lane, k, best; pairs: a, b,\n"
    "verdict, and for each k the difference, a_wins, and better at this k alone), sensitivity\n"
    "(lane, sensitivity, lr, best), differences, best results and sensitivities with the ends lo\n"
    "and hi of their intervals, which need several seeds, program, instructions.  The exit status "
    "is 1 if a run could\n"
    "not be made.";

static int run(NsArguments *a, GError **error)
{
    const char *word = a->n_files ? a->files[0] : "";
    if (a->n_files == 2 && g_str_equal(word, "show")) return study_show(a, a->files[1], error);
    if (a->n_files >= 3 && g_str_equal(word, "merge")) {
        /* If the first file is new, it gets the study of the second. */
        g_auto(NsStudy) study;
        ns_study_init(&study);
        bool there = g_file_test(a->files[1], G_FILE_TEST_EXISTS) &&
                     !ns_study_store_is_unfinished(a->files[1]);
        if (!load(a, a->files[there ? 1 : 2], &study, error)) return NS_EXIT_ERROR;
        const NsStudyJobs jobs = {.study = &study, .out = a->files[1]};
        bool good = ns_study_gather(&jobs, a->files + 2, error);
        return good ? NS_EXIT_OK : NS_EXIT_ERROR;
    }
    if (a->n_files == 1) return study_run(a, word, error);
    return ns_usage(error,
                    "One study is needed: FILE, or “show FILE.nsstudy”, or “merge OUT.nsstudy "
                    "FILE.nsstudy…”.");
}

const NsCommand ns_cli_study = {
    .choice = {.key = "study",
               .purpose =
                   "Train the many runs of a study: grids, random search, seeds, fair comparison"},
    .words = "FILE…",
    .summary = summary,
    .examples = NS_CLI " study post-pre.study\n" NS_CLI
                       " study post-pre.study --seeds 3 --csv cells.csv\n" NS_CLI
                       " study show post-pre.nsstudy --figure best-of --out best-of.pdf\n" NS_CLI
                       " study post-pre.study --print-jobs --chunk 8 | parallel\n" NS_CLI
                       " study merge post-pre.nsstudy post-pre.parts/*.nsstudy\n" NS_CLI
                       " study post-pre.study --slurm",
    .run = run,
};
