/* SPDX-License-Identifier: MIT */
#include "app/cli/picture.h"

#include "core/base/file.h"
#include "core/study/paper.h"
#include "ui/figures/figures.h"

#include <errno.h>
#include <stdio.h>

/* The command line as it was given. */
typedef struct {
    char *out;
    gboolean json;
    NsPicture picture;
} Paper;

/* A study as it goes on. */
typedef struct {
    const NsPaperStudy *study;
    NsProgress progress;
} Going;

static bool show_progress(void *data, double done)
{
    Going *going = data;
    ns_progress_share(&going->progress, going->study->choice.key, done);
    return !ns_interrupt_signal();
}

/* ---- Output ---- */

static void show(const NsPaperResult *result)
{
    const NsPaperStudy *study = result->study;
    printf("%s (%s)\n  %s\n  %s\n", study->choice.label, study->choice.reference, study->says,
           study->holds);
    for (size_t i = 0; i < result->n_findings; i++) {
        g_autofree char *words = ns_finding_words(&result->findings[i]);
        printf("  → %s\n", words);
    }
    printf("  %s in %.1f s\n\n", ns_verdict_word(result->verdict), result->seconds);
}

static bool draw(Paper *paper, NsPaperResult *result, GError **error)
{
    g_autoptr(NsFigure) figure = ns_figure_create(ns_paper_kind());
    const NsFigureInput input = {.study = result->study, .result = result, .log = true, .step = -1};
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_autofree char *name = g_strconcat(result->study->choice.key, ".pdf", NULL);
    g_free(paper->picture.out);
    paper->picture.out = g_build_filename(paper->out, name, NULL);
    if (!ns_picture_understand(&paper->picture, error)) return false;
    g_auto(NsProvenance) provenance;
    ns_paper_provenance(result->study, &provenance);
    return ns_picture_write(&paper->picture, &plot, 1, &provenance, NULL, error);
}

/* ---- Studies ---- */

/* What it has found is told before the next one begins.  FALSE where it could not be run, or
 * somebody interrupted it. */
static bool run(Paper *paper, const NsPaperStudy *study, bool *agrees, GError **error)
{
    Going going = {.study = study};
    ns_progress_start(&going.progress, true);
    ns_interrupt_begin(NULL, NULL); /* what the studies before have found is written */
    g_autoptr(NsPaperResult) result = ns_paper_run(study, show_progress, &going, error);
    ns_interrupt_end();
    ns_progress_end(&going.progress);
    if (!result) return false;
    *agrees = *agrees && result->verdict != NS_VERDICT_DISAGREES;
    if (paper->json) {
        g_autofree char *line = ns_paper_json(result);
        puts(line);
    } else
        show(result);
    if (fflush(stdout) != 0) {
        ns_output_error(NULL, errno, error);
        return false;
    }
    return !paper->out || draw(paper, result, error);
}

static bool run_all(Paper *paper, char **names, int n, bool *agrees, GError **error)
{
    for (int i = 0; i < n; i++) {
        if (ns_choices_find(ns_paper_choice, names[i]) >= 0) continue;
        ns_choices_unknown("study", names[i], ns_paper_choice, error);
        return false;
    }
    if (paper->out && !ns_folder_make(paper->out, error)) return false;
    ns_interrupt_catch();
    bool go = true;
    for (size_t k = 0; go && ns_paper_study(k); k++) {
        bool wanted = n == 0;
        for (int i = 0; i < n; i++) wanted |= g_str_equal(names[i], ns_paper_study(k)->choice.key);
        if (wanted) go = run(paper, ns_paper_study(k), agrees, error);
    }
    return go;
}

int ns_cli_paper(int argc, char **argv, GError **error)
{
    Paper paper = {0};
    ns_picture_init(&paper.picture);
    const GOptionEntry entries[] = {
        {"json", 'j', 0, G_OPTION_ARG_NONE, &paper.json,
         "One JSON object per line for every study, with its curves", NULL},
        {"out", 'o', 0, G_OPTION_ARG_FILENAME, &paper.out,
         "Draw every study as NAME.pdf into this folder, which is created if it is missing",
         "FOLDER"},
        {0},
    };
    const NsOptions options = {
        .command = "paper",
        .words = "[STUDY…]",
        .summary =
            "Repeats figures of the paper with small models and reports for each whether the\n"
            "paper's claim holds here: all of them, or those named.  “" NS_CLI
            " list\nstudies” lists "
            "them.  The exit status is 1 if one disagrees.\n"
            "The verdict comes from the 95% confidence interval over seeds: “agrees” if it lies\n"
            "within the tolerance, “disagrees” if it lies outside, “undecided” if it crosses a\n"
            "limit.\n\n"
            "JSON: study, title, reference, says, holds, verdict, agrees, seconds, findings\n"
            "(label, value, error: the standard error, reach: half the interval, expected, range,\n"
            "verdict, agrees), series (label, theory, x, y, and lo and hi: the mean minus and "
            "plus\n"
            "the standard deviation over seeds), program, instructions.",
        .examples = NS_CLI " paper\n" NS_CLI " paper depth hidden --out figures\n" NS_CLI
                           " paper warmup --json > warmup.json",
        .entries = entries,
    };
    bool agrees = true;
    if (ns_options_read(&options, &argc, &argv, error))
        run_all(&paper, argv + 1, argc - 1, &agrees, error);
    g_free(paper.out);
    ns_picture_clear(&paper.picture);
    return ns_interrupt_signal() || agrees ? ns_interrupt_status() : NS_EXIT_ERROR;
}
