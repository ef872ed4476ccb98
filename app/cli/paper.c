/* SPDX-License-Identifier: MIT */
#include "app/cli/study.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/store/bundled.h"
#include "core/store/output_file.h"
#include "core/study/paper.h"
#include "ui/figures/figures.h"
#include "ui/figures/handout.h"
#include "ui/plot/document.h"
#include "ui/plot/text.h"

#include <errno.h>
#include <gio/gio.h>
#include <stdio.h>

#define TITLE "The figures of the paper, measured"
#define REFERENCE                                                                                  \
    "Xiong et al. 2020, On Layer Normalization in the Transformer Architecture, and later papers"

/* ---- The report ---- */

/* A study of the report. */
typedef struct {
    NsPaperResult *result;
    NsPaperPanels panels;
    char *settings; /* the study in its text form */
} Entry;

static void clear_entry(void *data)
{
    Entry *entry = data;
    ns_paper_result_unref(entry->result);
    ns_paper_panels_clear(&entry->panels);
    g_free(entry->settings);
}

/* "Of 24 studies, 18 agree and 2 disagree with …; 3 are undecided, and 1 has no verdict. …" */
static char *summary(const GArray *entries)
{
    unsigned of[NS_VERDICTS] = {0};
    double seconds = 0;
    for (guint i = 0; i < entries->len; i++) {
        of[g_array_index(entries, Entry, i).result->verdict]++;
        seconds += g_array_index(entries, Entry, i).result->seconds;
    }
    g_autoptr(GString) hashes = g_string_new(NULL);
    for (unsigned i = 0; i < NS_PAPER_FIXINGS; i++) {
        const NsPaperFixing *fixing = ns_paper_fixing(i);
        g_autofree char *hash = ns_paper_fixing_hash(i);
        g_string_append_printf(hashes, "%sthe SHA-256 %s%s%s", i ? ", and " : "", hash,
                               g_str_equal(hash, fixing->hash) ? ", as fixed on "
                                                               : ", which is not that of ",
                               fixing->day);
    }
    return g_strdup_printf(
        "Of %u studies, %u agree and %u disagree with what was expected before they ran; %u are "
        "undecided, and %u have no verdict.  Their runs, one thread each, took %.1f minutes "
        "together.\n\nThe tables of claims, tolerances, seeds and steps have %s.  Each study "
        "states whether its claims were fixed before its seeds were seen.\n\n%s",
        entries->len, of[NS_VERDICT_AGREES], of[NS_VERDICT_DISAGREES], of[NS_VERDICT_UNDECIDED],
        of[NS_VERDICT_NONE], seconds / 60, hashes->str, ns_paper_history());
}

static void add_findings(GString *text, const NsPaperResult *result, const char *bullet)
{
    for (size_t i = 0; i < result->n_findings; i++) {
        g_autofree char *words = ns_finding_words(&result->findings[i]);
        g_string_append_printf(text, "%s%s\n", bullet, words);
    }
}

/* ---- Markdown ---- */

static bool write_markdown(const GArray *entries, const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, "report.md", NULL);
    g_autofree char *words = summary(entries);
    g_autoptr(GString) text = g_string_new("# " TITLE "\n\n" REFERENCE ".\n\n");
    g_string_append_printf(
        text, "%s\n\n| study | source | verdict | seconds |\n|---|---|---|---:|\n", words);
    for (guint i = 0; i < entries->len; i++) {
        const NsPaperResult *result = g_array_index(entries, Entry, i).result;
        g_string_append_printf(text, "| %s | %s | %s | %.1f |\n", result->study->choice.label,
                               result->study->choice.reference, ns_verdict_word(result->verdict),
                               result->seconds);
    }
    for (guint i = 0; i < entries->len; i++) {
        const Entry *entry = &g_array_index(entries, Entry, i);
        const NsPaperResult *result = entry->result;
        const NsPaperStudy *study = result->study;
        g_string_append_printf(text, "\n## %s\n\n%s\n\n![%s](%s.svg)\n\n%s  %s\n\n",
                               study->choice.label, study->choice.reference, study->choice.label,
                               study->choice.key, study->says, study->holds);
        add_findings(text, result, "- ");
        g_string_append_printf(
            text, "\nVerdict: **%s**; %s.  Its runs took %.1f s together.\n\n```\n%s```\n",
            ns_verdict_word(result->verdict), result->claims, result->seconds, entry->settings);
    }
    return ns_save(path, text->str, text->len, error);
}

/* ---- PDF ---- */

#define TITLE_SIZE 15.0 /* points */
#define TEXT_SIZE 9.0
#define PLOT_HEIGHT 300.0
#define LOWER_HEIGHT 220.0 /* if there are several plots */

/* Lines of plain text. */
static void write_words(NsDocument *document, const char *words)
{
    g_autofree char *literal = ns_text_literal(words);
    ns_document_write(document, literal, TEXT_SIZE, false, 0);
}

static bool write_pdf(const GArray *entries, const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, "report.pdf", NULL);
    g_autofree char *words = summary(entries);
    g_autoptr(GString) text = g_string_new(REFERENCE ".\n\n");
    g_string_append_printf(text, "%s\n", words);
    for (guint i = 0; i < entries->len; i++) {
        const NsPaperResult *result = g_array_index(entries, Entry, i).result;
        g_string_append_printf(text, "\n%s (%s): %s", result->study->choice.label,
                               result->study->choice.reference, ns_verdict_word(result->verdict));
    }
    NsDocument *document = ns_document_new(TITLE, NULL);
    ns_document_write(document, TITLE, TITLE_SIZE, true, 0);
    write_words(document, text->str);
    for (guint i = 0; i < entries->len; i++) {
        const Entry *entry = &g_array_index(entries, Entry, i);
        const NsPaperResult *result = entry->result;
        const NsPaperPanels *panels = &entry->panels;
        ns_document_begin_page(document);
        ns_document_write(document, result->study->choice.label, TITLE_SIZE, true, 0);
        for (size_t k = 0; k < panels->n; k++) {
            NsPlot plot = *panels->plots[k];
            if (k == 0) plot.title = NULL; /* it is the title of the page */
            ns_document_plot(document, &plot, panels->n > 1 ? LOWER_HEIGHT : PLOT_HEIGHT);
        }
        /* Every section of the settings is one paragraph. */
        g_auto(GStrv) sections = g_strsplit(entry->settings, "\n\n", -1);
        for (char **section = sections; *section; section++) {
            g_auto(GStrv) lines = g_strsplit(g_strstrip(*section), "\n", -1);
            g_free(*section);
            *section = g_strjoinv("; ", lines);
        }
        g_autofree char *settings = g_strjoinv("\n", sections);
        g_string_printf(text, "%s  %s\n\n", result->study->says, result->study->holds);
        add_findings(text, result, "→ ");
        g_string_append_printf(text, "\nVerdict: %s; %s.  Its runs took %.1f s together.\n\n%s",
                               ns_verdict_word(result->verdict), result->claims, result->seconds,
                               settings);
        write_words(document, text->str);
    }
    return ns_document_end(document, path, error);
}

/* ---- Output ---- */

typedef struct {
    const NsArguments *a;
    const char *folder; /* of --out or --report, or NULL */
    NsPaperScale scale;
    GArray *report;  /* Entry: the studies so far; NULL without --report */
    GPtrArray *rows; /* NsPaperStudy: studies at another scale than the small one */
} Paper;

static bool draw(Paper *paper, const NsStudy *study, NsPaperResult *result, GError **error)
{
    const NsFigureInput input = {.study = result->study, .result = result, .log = true, .step = -1};
    g_auto(NsPaperPanels) panels = ns_paper_panels(&input);
    g_autofree char *name =
        g_strconcat(result->study->choice.key, paper->report ? ".svg" : ".pdf", NULL);
    g_autofree char *path = g_build_filename(paper->folder, name, NULL);
    NsPicture picture = paper->a->picture;
    picture.out = path;
    if (!ns_picture_understand(&picture, error)) return false;
    g_auto(NsProvenance) provenance;
    ns_paper_provenance(result->study, study, &provenance);
    if (!ns_picture_write(&picture, panels.plots, panels.n, &provenance, NULL, error)) return false;
    if (!paper->report) return true;
    const Entry entry = {ns_paper_result_ref(result), panels, ns_study_write(study)};
    g_array_append_val(paper->report, entry);
    panels.n = 0; /* ownership moved to the report */
    return true;
}

/* ---- Studies ---- */

/* Runs one study and shows its result.  FALSE with an error, or without one after a signal. */
static bool run_study(Paper *paper, const NsPaperStudy *row, bool *agrees, GError **error)
{
    if (paper->scale == NS_PAPER_DESK && row->scale != NS_PAPER_DESK)
        return ns_refuse(error, NS_ERROR_USAGE, "The study “%s” has no sizes for --scale desk.",
                         row->choice.key);
    g_auto(NsStudy) study;
    g_autofree char *name = g_strconcat(row->choice.key, ".nsstudy", NULL);
    g_autofree char *path = paper->folder ? g_build_filename(paper->folder, name, NULL) : NULL;
    if (!ns_paper_make(row, &study, error)) return false;
    for (char **word = paper->a->set; word && *word; word++)
        if (!ns_study_set(&study, *word, error)) return false;
    if (paper->a->seeds > 0) study.seeds = paper->a->seeds;
    if (paper->scale == NS_PAPER_DESK && !*study.experiment.lane[0].source)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "--scale desk translates real sentence pairs: name their files with --set "
                         "source=FILE --set target=FILE.");
    if (!ns_study_check(&study, error)) return false;
    const char *const names[] = {".svg", ".pdf", "report.md", "report.pdf"};
    for (size_t i = 0; paper->folder && i < G_N_ELEMENTS(names); i++) {
        g_autofree char *file =
            g_strconcat(*names[i] == '.' ? row->choice.key : "", names[i], NULL);
        g_autofree char *out = g_build_filename(paper->folder, file, NULL);
        if (!ns_output_spares_data(out, &study.experiment.lane[0], error)) return false;
    }

    if (paper->a->print_jobs) {
        const NsStudyJobs jobs = {.study = &study, .out = path, .lease = NS_STUDY_LEASE};
        return ns_study_print_jobs(&jobs, error);
    }
    g_autoptr(NsStudyWork) work = ns_study_work_new(&study, path, NULL);
    if (!ns_study_train(work, (unsigned)paper->a->jobs, row->choice.key, error)) return false;
    g_autoptr(NsPaperResult) result = ns_paper_result_new(row, work, error);
    if (!result) return false;
    *agrees = *agrees && result->verdict != NS_VERDICT_DISAGREES;
    if (paper->a->json) {
        g_autofree char *line = ns_paper_json(result);
        puts(line);
    } else {
        printf("%s (%s)\n  %s\n  %s\n", row->choice.label, row->choice.reference, row->says,
               row->holds);
        for (size_t i = 0; i < result->n_findings; i++) {
            g_autofree char *words = ns_finding_words(&result->findings[i]);
            printf("  → %s\n", words);
        }
        printf("  %s; %s; its runs took %.1f s together\n\n", ns_verdict_word(result->verdict),
               result->claims, result->seconds);
    }
    if (fflush(stdout) != 0) {
        ns_output_error(NULL, errno, error);
        return false;
    }
    return !paper->folder || draw(paper, ns_study_work_study(work), result, error);
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
    return !paper->report || (write_markdown(paper->report, paper->folder, error) &&
                              write_pdf(paper->report, paper->folder, error));
}

static int run(NsArguments *a, GError **error)
{
    Paper paper = {.a = a,
                   .folder = a->report ? a->report : a->out,
                   .report = a->report ? g_array_new(FALSE, FALSE, sizeof(Entry)) : NULL,
                   .rows = g_ptr_array_new_with_free_func(g_free)};
    bool agrees = true;
    if (paper.report) g_array_set_clear_func(paper.report, clear_entry);
    run_all(&paper, &agrees, error);
    g_clear_pointer(&paper.report, g_array_unref);
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
        "Claims, tolerances, seeds and steps were fixed on the day that each study states;\n"
        "results of seeds from 1 on had been seen.  To test the claims on others:\n"
        "--set seed=1001 --set data-seed=1001.\n"
        "The report states the hash of the table and what was changed before.\n\n"
        "--scale desk trains fig2a and fig4 on the pairs of two files, such as those of\n"
        "Multi30k, overnight, with three seeds and BLEU of 1,014 held-out sentences.\n\n"
        "With --out, a run that has ended is never run again: after Ctrl-C the same command\n"
        "continues; so it does with --report.  “" NS_CLI
        " study show FOLDER/NAME.nsstudy --json” has the value of\n"
        "every single seed.\n\n"
        "JSON: study, title, reference, says, holds, verdict, agrees, claims (when they were\n"
        "fixed), day (of this result), seconds, findings (label, quantity: which result it is\n"
        "about, value, mean: arithmetic, geometric or median, error: the standard error,\n"
        "interval, seeds, diverged: how many of them, expected, range, counted, reason,\n"
        "verdict, agrees), series (label,\n"
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

/* ---- A lesson on paper ---- */

/* A signal is stored, or ends a step that takes too long. */
static bool on_step(void *data, size_t card, int64_t step, int64_t until, double loss)
{
    (void)card;
    ns_interrupt_end();
    ns_progress_step(data, step, until, loss);
    bool wanted = !ns_interrupt_signal();
    ns_interrupt_begin(NULL, NULL);
    return wanted;
}

static int print_lesson(NsArguments *a, GError **error)
{
    gint64 number;
    bool numbered = g_ascii_string_to_signed(a->files[0], 10, 0, 1000, &number, NULL);
    int i = numbered ? (int)number : ns_choices_find(ns_lesson_choice, a->files[0]);
    if (i < 0 || !ns_lesson_choice((size_t)i)) {
        ns_choices_unknown("lesson", a->files[0], ns_lesson_choice, error);
        return NS_EXIT_USAGE;
    }
    g_autofree char *lower = g_ascii_strdown(a->out, -1);
    if (!g_str_has_suffix(lower, ".pdf"))
        return ns_usage(error, "A handout is a PDF; end the name of --out in “.pdf”.");
    if (!ns_output_check(a->out, error)) return NS_EXIT_ERROR;
    g_autoptr(NsLesson) lesson = ns_lesson_open((size_t)i, error);
    if (!lesson) return NS_EXIT_ERROR;
    NsProgress progress;
    ns_interrupt_catch();
    ns_progress_start(&progress, true);
    ns_interrupt_begin(NULL, NULL);
    GError *problem = NULL;
    NsDocument *document = ns_handout_new(lesson, on_step, &progress, &problem);
    ns_interrupt_end();
    bool stopped = g_error_matches(problem, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    bool good = stopped;
    if (document)
        good = ns_document_end(document, ns_interrupt_signal() ? NULL : a->out, error);
    else if (stopped)
        g_error_free(problem);
    else
        g_propagate_error(error, problem);
    ns_progress_end(&progress);
    return good ? ns_interrupt_status() : NS_EXIT_ERROR;
}

const NsCommand ns_cli_handout = {
    .choice = {.key = "handout", .purpose = "Print a lesson with its charts and answers as a PDF"},
    .words = "LESSON",
    .least = 1,
    .most = 1,
    .wrong = "Name one lesson, by its number or its name.",
    .summary =
        "Trains what a lesson of the desktop trains, and writes its cards with the numbers and\n"
        "charts that were measured, its questions, and the answers on a separate page.\n"
        "\nLessons, "
        "from 0:",
    .lists = ns_lesson_choice,
    .examples = NS_CLI " handout 10 --out divergence.pdf",
    .run = print_lesson,
};
