/* SPDX-License-Identifier: MIT */
#include "app/cli/study.h"

#include "core/base/error.h"
#include "core/base/processors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOOK_MS 100
#define COUNT_US 500000
#define STOP_MS 300 /* time for running steps to end after a signal */

/* The command line as given. */
typedef struct {
    char *out, *csv, *cells;
    char **set;
    gint64 seeds, jobs, chunk;
    double lease;
    gboolean json, network, print_jobs, slurm;
    char *figure, *x, *y;
    NsPicture picture;
} Request;

static void request_clear(Request *request)
{
    g_free(request->out);
    g_free(request->csv);
    g_free(request->cells);
    g_strfreev(request->set);
    g_free(request->figure);
    g_free(request->x);
    g_free(request->y);
    ns_picture_clear(&request->picture);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Request, request_clear)

/* ---- The study ---- */

static bool load(const Request *request, const char *path, NsStudy *study, GError **error)
{
    if (!ns_study_open(study, path, error)) return false;
    for (char **word = request->set; word && *word; word++)
        if (!ns_study_set(study, *word, error)) return false;
    if (request->seeds > 0) study->seeds = request->seeds;
    bool changed = request->set || request->seeds > 0;
    return !changed || ns_study_check(study, error);
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

static bool read_results(NsStudyResults *results, const NsStudy *study, NsStudyStore *store,
                         GError **error)
{
    size_t n = ns_study_cells(study);
    *results = (NsStudyResults){
        .study = study, .cells = g_new(NsStudyCell, n), .origins = g_new0(NsCellOrigin, n)};
    if (!ns_study_store_cells(store, results->cells, results->origins, error)) return false;
    for (size_t i = 0; i < n; i++) {
        const NsStudyCell *cell = &results->cells[i];
        results->ended += cell->state > NS_CELL_RUNNING;
        results->diverged += cell->state == NS_CELL_DIVERGED;
        results->failed += cell->state == NS_CELL_FAILED;
        if (cell->state == NS_CELL_FAILED && !results->failure) results->failure = cell->text;
    }
    return true;
}

void ns_study_results_clear(NsStudyResults *results)
{
    g_free(results->cells);
    g_free(results->origins);
}

/* ---- Running ---- */

static void show_progress(NsProgress *progress, NsStudyWork *work, const char *what,
                          gint64 *counted)
{
    if (!progress->on || g_get_monotonic_time() - *counted < COUNT_US) return;
    NsStudyWorkProgress now = ns_study_work_progress(work);
    ns_progress_cells(progress, what, now.ended, now.cells, now.seconds_left);
    *counted = g_get_monotonic_time();
}

bool ns_study_train(NsStudyWork *work, unsigned jobs, const char *what, GError **error)
{
    NsProgress progress;
    gint64 counted = 0;
    ns_interrupt_catch();
    if (!ns_study_work_start(work, jobs, error)) return false;
    ns_progress_start(&progress, true);
    do show_progress(&progress, work, what, &counted);
    while (!ns_interrupt_signal() && !ns_study_work_wait(work, LOOK_MS));
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
static bool show(const Request *request, const NsStudyResults *results, GError **error)
{
    if (request->json)
        ns_study_show_json(results);
    else if (request->cells)
        printf("%zu cells of %s have ended\n", results->ended, request->out);
    else
        ns_study_show_table(results);
    return !request->csv || ns_study_write_csv(results, request->csv, error);
}

static int status_of(const NsStudyResults *results)
{
    return results->failed ? NS_EXIT_ERROR : ns_interrupt_status();
}

/* Takes ownership of the contents of `study`. */
static int run(const Request *request, NsStudy *study, const NsStoreOptions *options,
               GError **error)
{
    g_autoptr(NsStudyWork) work = ns_study_work_new(study, request->out, options);
    g_auto(NsStudyResults) results = {0};
    if (!ns_study_train(work, (unsigned)request->jobs, NULL, error)) return NS_EXIT_ERROR;
    if (!ns_study_work_store(work)) return ns_interrupt_status(); /* interrupted immediately */
    bool good =
        read_results(&results, ns_study_work_study(work), ns_study_work_store(work), error) &&
        show(request, &results, error);
    return good ? status_of(&results) : NS_EXIT_ERROR;
}

static int study_run(Request *request, const char *path, GError **error)
{
    g_auto(NsStudy) study;
    ns_study_init(&study);
    if (!load(request, path, &study, error)) return NS_EXIT_ERROR;
    if (!request->out) request->out = ns_study_results_path(path);
    NsStoreOptions options = {
        .end = ns_study_cells(&study), .network = request->network, .lease = request->lease};
    if (request->cells && !read_range(request->cells, options.end, &options, error))
        return NS_EXIT_USAGE;
    if (!ns_output_spares(request->csv, path, error) ||
        (!ns_study_store_is(path) && !ns_output_spares(request->out, path, error)) ||
        !ns_output_check_place(request->out, error) ||
        !ns_outputs_differ(request->csv, request->out, error) ||
        (request->csv && !ns_output_check(request->csv, error)))
        return NS_EXIT_ERROR;
    NsStudyJobs jobs = {&study, request->out, (size_t)request->chunk, request->lease};
    if (request->print_jobs) return ns_study_print_jobs(&jobs, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
    if (!request->slurm) return run(request, &study, &options, error);
    if (!ns_study_run_slurm(&jobs, error)) return NS_EXIT_ERROR;
    g_auto(NsStudyResults) results = {0};
    g_autoptr(NsStudyStore) store = ns_study_store_open(request->out, &study, &options, error);
    bool good =
        store && read_results(&results, &study, store, error) && show(request, &results, error);
    return good ? status_of(&results) : NS_EXIT_ERROR;
}

/* ---- Files of results ---- */

/* Checks the options of the chart before anything is read. */
static bool understand_figure(Request *request, const char *path, GError **error)
{
    if (!request->figure && (request->x || request->y))
        return ns_refuse(error, NS_ERROR_USAGE,
                         "--x and --y choose the axes of --figure phase; omit them.");
    if (!request->out && !request->figure) return ns_picture_unused(&request->picture, error);
    if (!request->out || !request->figure)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "A chart needs --figure NAME and --out FILE; “%s” "
                         "is missing.",
                         request->out ? "--figure" : "--out");
    request->picture.out = g_strdup(request->out);
    return ns_choices_require("figure of a study", request->figure, ns_study_figure_choice,
                              error) >= 0 &&
           ns_picture_understand(&request->picture, error) &&
           ns_picture_check(&request->picture, NULL, path, error);
}

static int study_show(Request *request, const char *path, GError **error)
{
    if (!understand_figure(request, path, error) ||
        (request->csv && !ns_output_check(request->csv, error)))
        return NS_EXIT_USAGE;
    g_auto(NsStudy) study;
    ns_study_init(&study);
    g_autoptr(NsStudyStore) store = ns_study_store_read(path, &study, error);
    g_auto(NsStudyResults) results = {0};
    const NsStudyFigure figure = {request->figure, request->x, request->y, &request->picture};
    bool good = store && read_results(&results, &study, store, error) &&
                (request->figure ? ns_study_draw(&results, &figure, error)
                                 : show(request, &results, error));
    return good ? NS_EXIT_OK : NS_EXIT_ERROR;
}

/* If the first file is new, it gets the study of the second. */
static int study_merge(const Request *request, char **files, GError **error)
{
    g_auto(NsStudy) study;
    ns_study_init(&study);
    bool there =
        g_file_test(files[0], G_FILE_TEST_EXISTS) && !ns_study_store_is_unfinished(files[0]);
    if (!load(request, files[there ? 0 : 1], &study, error)) return NS_EXIT_ERROR;
    const NsStudyJobs jobs = {.study = &study, .out = files[0]};
    bool good = ns_study_gather(&jobs, files + 1, error);
    return good ? NS_EXIT_OK : NS_EXIT_ERROR;
}

/* ---- The command line ---- */

static bool understand(Request *request, GError **error)
{
    if (!ns_option_check("jobs", request->jobs, 1, NS_STUDY_JOBS_MOST, error) ||
        !ns_option_check("chunk", request->chunk, 0, NS_STUDY_CELLS_MAX, error) ||
        !ns_option_check("seeds", request->seeds, 0, NS_STUDY_SEEDS, error))
        return false;
    if (!(request->lease >= 1))
        return ns_refuse(error, NS_ERROR_USAGE, "--lease must be at least 1 second.");
    if (request->print_jobs + request->slurm + (request->cells != NULL) > 1)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "--cells, --print-jobs and --slurm each say how the cells are run; give "
                         "only one of them.");
    return true;
}

static int dispatch(Request *request, int argc, char **argv, GError **error)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (argc == 3 && g_str_equal(word, "show")) return study_show(request, argv[2], error);
    if (argc >= 4 && g_str_equal(word, "merge")) return study_merge(request, argv + 2, error);
    if (argc == 2) return study_run(request, word, error);
    return ns_usage(error,
                    "One study is needed: FILE, or “show FILE.nsstudy”, or “merge OUT.nsstudy "
                    "FILE.nsstudy…”.");
}

static const char summary[] =
    "Trains the runs of a study, a text that says which settings vary, and shows their results:\n"
    "the mean over seeds of every configuration, and a fair comparison of the lanes.\n\n"
    "Every cell of a study (a lane in one configuration with one seed) is trained by one thread\n"
    "and kept in FILE.nsstudy, an SQLite database, as soon as it has ended.  A cell that is in\n"
    "there is never run again: the same command continues an interrupted study and runs only\n"
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
    "  [result-2] [result-3]   other results of the same runs, kept beside it\n"
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

static GOptionEntry *make_entries(Request *request)
{
    const GOptionEntry own[] = {
        {"out", 'o', 0, G_OPTION_ARG_FILENAME, &request->out,
         "The file of results (default: the name of the study with the extension nsstudy); with "
         "show the file of a chart, whose extension sets the format",
         "FILE"},
        {"set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &request->set,
         "A setting of all lanes; repeatable", "KEY=VALUE"},
        {"seeds", 0, 0, G_OPTION_ARG_INT64, &request->seeds, "Seeds of every configuration", "N"},
        {"jobs", 'J', 0, G_OPTION_ARG_INT64, &request->jobs,
         "Number of runs at a time, one thread each (default: one per processor)", "N"},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &request->json, "One JSON object with every cell",
         NULL},
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &request->csv,
         "Write a table with a row for every cell; a name that a spreadsheet would take for a "
         "formula begins with '",
         "FILE"},
        {"print-jobs", 0, 0, G_OPTION_ARG_NONE, &request->print_jobs,
         "Print one command per part of the study, for GNU parallel or a scheduler; “merge” "
         "gathers their results",
         NULL},
        {"slurm", 0, 0, G_OPTION_ARG_NONE, &request->slurm,
         "Submit a job array to Slurm, wait for it and gather the results", NULL},
        {"chunk", 0, 0, G_OPTION_ARG_INT64, &request->chunk,
         "Cells per part (default: 1; with --slurm as many as it takes to have at most 1,000 "
         "parts)",
         "N"},
        {"cells", 0, 0, G_OPTION_ARG_STRING, &request->cells, "Run only these cells, from 0",
         "FIRST-LAST"},
        {"network", 0, 0, G_OPTION_ARG_NONE, &request->network,
         "The file of results is on a network file system", NULL},
        {"lease", 0, 0, G_OPTION_ARG_DOUBLE, &request->lease,
         "Time after which others take the cell of a process that was killed (default: 60)",
         "SECONDS"},
        {"figure", 0, 0, G_OPTION_ARG_STRING, &request->figure,
         "With show, the chart to draw: best-of, lr-sensitivity or phase", "NAME"},
        {"x", 'x', 0, G_OPTION_ARG_STRING, &request->x,
         "With --figure phase, the setting of the columns (default: the first of the section "
         "[grid])",
         "KEY"},
        {"y", 'y', 0, G_OPTION_ARG_STRING, &request->y,
         "The setting of the rows (default: the next one); every cell has the best over the other "
         "settings",
         "KEY"},
    };
    static const char *const without[] = {"out", "film", NULL};
    return ns_picture_entries(&request->picture, own, G_N_ELEMENTS(own), without);
}

int ns_cli_study(int argc, char **argv, GError **error)
{
    g_auto(Request)
        request = {.jobs = MIN(ns_processors(), NS_STUDY_JOBS_MOST), .lease = NS_STUDY_LEASE};
    ns_picture_init(&request.picture);
    g_autofree GOptionEntry *entries = make_entries(&request);
    const NsOptions options = {
        .command = "study",
        .words = "FILE…",
        .summary = summary,
        .examples = NS_CLI
        " study post-pre.study\n" NS_CLI " study post-pre.study --seeds 3 --csv cells.csv\n" NS_CLI
        " study show post-pre.nsstudy --figure best-of --out best-of.pdf\n" NS_CLI
        " study post-pre.study --print-jobs --chunk 8 | parallel\n" NS_CLI
        " study merge post-pre.nsstudy post-pre.parts/*.nsstudy\n" NS_CLI
        " study post-pre.study --slurm",
        .entries = entries,
    };
    if (!ns_options_read(&options, &argc, &argv, error) || !understand(&request, error))
        return NS_EXIT_OK;
    return dispatch(&request, argc, argv, error);
}
