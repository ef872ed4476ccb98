/* SPDX-License-Identifier: MIT */
#include "app/cli/paper_report.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/study/paper.h"
#include "ui/figures/figures.h"

#include <errno.h>
#include <stdio.h>

typedef struct {
    const NsArguments *a;
    const char *folder; /* of --out or --report, or NULL */
    NsPaperScale scale;
    NsPicture picture;
    NsPaperReport *reported; /* NULL without --report */
    GPtrArray *rows;         /* NsPaperStudy: studies at another scale than the small one */
} Paper;

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
    printf("  %s; %s; its runs took %.1f s together\n\n", ns_verdict_word(result->verdict),
           result->claims, result->seconds);
}

static bool draw(Paper *paper, const NsStudy *study, NsPaperResult *result, GError **error)
{
    const NsFigureInput input = {.study = result->study, .result = result, .log = true, .step = -1};
    g_auto(NsPaperPanels) panels = ns_paper_panels(&input);
    g_autofree char *name =
        g_strconcat(result->study->choice.key, paper->reported ? ".svg" : ".pdf", NULL);
    g_autofree char *path = g_build_filename(paper->folder, name, NULL);
    paper->picture.out = path;
    if (!ns_picture_understand(&paper->picture, error)) return false;
    g_auto(NsProvenance) provenance;
    ns_paper_provenance(result->study, study, &provenance);
    if (!ns_picture_write(&paper->picture, panels.plots, panels.n, &provenance, NULL, error))
        return false;
    if (!paper->reported) return true;
    ns_paper_report_add(paper->reported, study, result, panels);
    panels.n = 0; /* ownership moved to the report */
    return true;
}

/* ---- Studies ---- */

static bool make(const Paper *paper, const NsPaperStudy *row, NsStudy *study, GError **error)
{
    if (!ns_paper_make(row, study, error)) return false;
    for (char **word = paper->a->set; word && *word; word++)
        if (!ns_study_set(study, *word, error)) return false;
    if (paper->a->seeds > 0) study->seeds = paper->a->seeds;
    if (paper->scale == NS_PAPER_DESK && !*study->experiment.lane[0].source)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "--scale desk translates real sentence pairs: name their files with --set "
                         "source=FILE --set target=FILE.");
    return ns_study_check(study, error);
}

static bool tell(Paper *paper, const NsStudy *study, NsPaperResult *result, bool *agrees,
                 GError **error)
{
    *agrees = *agrees && result->verdict != NS_VERDICT_DISAGREES;
    if (paper->a->json) {
        g_autofree char *line = ns_paper_json(result);
        puts(line);
    } else
        show(result);
    if (fflush(stdout) != 0) {
        ns_output_error(NULL, errno, error);
        return false;
    }
    return !paper->folder || draw(paper, study, result, error);
}

/* Runs one study and shows its result.  FALSE with an error, or without one after a signal. */
static bool run_study(Paper *paper, const NsPaperStudy *row, bool *agrees, GError **error)
{
    if (paper->scale == NS_PAPER_DESK && row->scale != NS_PAPER_DESK)
        return ns_refuse(error, NS_ERROR_USAGE, "The study “%s” has no sizes for --scale desk.",
                         row->choice.key);
    g_auto(NsStudy) study;
    g_autofree char *name = g_strconcat(row->choice.key, ".nsstudy", NULL);
    g_autofree char *path = paper->folder ? g_build_filename(paper->folder, name, NULL) : NULL;
    if (!make(paper, row, &study, error)) return false;
    if (paper->a->print_jobs) {
        const NsStudyJobs jobs = {.study = &study, .out = path, .lease = NS_STUDY_LEASE};
        return ns_study_print_jobs(&jobs, error);
    }
    g_autoptr(NsStudyWork) work = ns_study_work_new(&study, path, NULL);
    if (!ns_study_train(work, (unsigned)paper->a->jobs, row->choice.key, error)) return false;
    g_autoptr(NsPaperResult) result = ns_paper_result_new(row, work, error);
    return result && tell(paper, ns_study_work_study(work), result, agrees, error);
}

static bool run_all(Paper *paper, bool *agrees, GError **error)
{
    char **names = paper->a->files;
    for (char **name = names; *name; name++)
        if (ns_choices_require("study", *name, ns_paper_choice, error) < 0) return false;
    const char *scale = paper->a->scale;
    while (scale && g_strcmp0(scale, ns_paper_scale_key(paper->scale)) != 0)
        if (!ns_paper_scale_key(++paper->scale))
            return ns_refuse(error, NS_ERROR_USAGE, "--scale is small, desk or paper, not “%s”.",
                             scale);
    if (paper->a->report) paper->reported = ns_paper_report_new();
    if (paper->folder && !ns_folder_make(paper->folder, error)) return false;
    ns_interrupt_catch();
    for (size_t k = 0; ns_paper_study(k); k++) {
        const NsPaperStudy *row = ns_paper_study(k);
        bool named = g_strv_contains((const char *const *)names, row->choice.key);
        if (!named && (*names || (paper->scale == NS_PAPER_DESK && !row->desk))) continue;
        if (paper->scale != NS_PAPER_SMALL) {
            NsPaperStudy *scaled = g_new(NsPaperStudy, 1);
            *scaled = ns_paper_at_scale(row, paper->scale);
            g_ptr_array_add(paper->rows, scaled);
            row = scaled;
        }
        if (!run_study(paper, row, agrees, error)) return false;
    }
    return !paper->reported || ns_paper_report_write(paper->reported, paper->folder, error);
}

static int run(NsArguments *a, GError **error)
{
    Paper paper = {.a = a,
                   .folder = a->report ? a->report : a->out,
                   .rows = g_ptr_array_new_with_free_func(g_free)};
    ns_picture_init(&paper.picture);
    bool agrees = true;
    run_all(&paper, &agrees, error);
    ns_paper_report_free(paper.reported);
    g_ptr_array_unref(paper.rows);
    return ns_interrupt_signal() || agrees ? ns_interrupt_status() : NS_EXIT_ERROR;
}

const NsCommand ns_cli_paper = {
    .choice = {.key = "paper",
               .purpose = "Repeat figures of the paper and report whether they hold here"},
    .words = "[STUDY…]",
    .summary =
        "Repeats figures of the paper with small models and reports for each whether the\n"
        "paper's claim holds here: all of them, or those named.  “" NS_CLI " list\nstudies” lists "
        "them.  The exit status is 1 if one disagrees.\n"
        "The verdict comes from the 95% confidence interval over seeds: “agrees” if it lies\n"
        "within the tolerance, “disagrees” if it lies outside, “undecided” if it crosses a\n"
        "limit.  The interval is Student’s, for ratios that of their logarithms.  A run that\n"
        "diverged counts as worse than any other: then the median decides, whose interval\n"
        "needs six seeds.  One seed has no verdict; claims that are true by construction,\n"
        "and BLEU of generated pairs or below 10, do not count.\n\n"
        "Claims, tolerances, seeds and steps were fixed on " NS_PAPER_FIXED
        "; results of seeds from 1\n"
        "on had been seen.  To test the claims on others: --set seed=1001 --set "
        "data-seed=1001.\n"
        "The report states the hash of the table and what was changed before.\n\n"
        "--scale desk trains fig2a and fig4 on the pairs of two files, such as those of\n"
        "Multi30k, overnight, with three seeds and BLEU of 1,014 held-out sentences.\n\n"
        "With --out, a run that has ended is never run again: after Ctrl-C the same command\n"
        "continues; so it does with --report.  “" NS_CLI
        " study show FOLDER/NAME.nsstudy --json” has the value of\n"
        "every single seed.\n\n"
        "JSON: study, title, reference, says, holds, verdict, agrees, claims (when they were\n"
        "fixed), seconds, findings (label, quantity: which result it is about, value, mean:\n"
        "arithmetic, geometric or median, error: the standard error, interval, seeds, "
        "diverged:\n"
        "how many of them, expected, range, counted, reason, verdict, agrees), series (label,\n"
        "quantity, theory, x, y, lo and hi: the 16% and 84% quantiles over seeds, diverged,\n"
        "seeds: the values of each), program, instructions.",
    .examples =
        NS_CLI " paper\n" NS_CLI " paper fig3a fig3b --out figures\n" NS_CLI
               " paper --report report\n" NS_CLI " paper fig3c --seeds 20 --out figures\n" NS_CLI
               " paper fig4 --scale desk --set source=train.de.gz --set "
               "target=train.en.gz --out desk\n" NS_CLI
               " paper fig4 --scale paper --set source=train.de --set target=train.en "
               "--out large\n" NS_CLI " paper warmup --json > warmup.json",
    .run = run,
};
