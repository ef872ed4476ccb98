/* SPDX-License-Identifier: MIT */
#include "app/cli/paper_report.h"

#include "core/store/output_file.h"
#include "ui/plot/document.h"

#define TITLE "The figures of the paper, measured"
#define REFERENCE                                                                                  \
    "Xiong et al. 2020, On Layer Normalization in the Transformer Architecture, and later papers"

typedef struct {
    NsPaperResult *result;
    NsPaperPanels panels;
    char *settings; /* the study in its text form */
} Entry;

struct NsPaperReport {
    GArray *entries; /* Entry */
};

static void clear_entry(void *data)
{
    Entry *entry = data;
    ns_paper_result_unref(entry->result);
    ns_paper_panels_clear(&entry->panels);
    g_free(entry->settings);
}

NsPaperReport *ns_paper_report_new(void)
{
    NsPaperReport *report = g_new0(NsPaperReport, 1);
    report->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
    g_array_set_clear_func(report->entries, clear_entry);
    return report;
}

void ns_paper_report_free(NsPaperReport *report)
{
    if (!report) return;
    g_array_unref(report->entries);
    g_free(report);
}

void ns_paper_report_add(NsPaperReport *report, const NsStudy *study, NsPaperResult *result,
                         NsPaperPanels panels)
{
    const Entry entry = {ns_paper_result_ref(result), panels, ns_study_write(study)};
    g_array_append_val(report->entries, entry);
}

static const Entry *entry_at(const NsPaperReport *report, guint i)
{
    return &g_array_index(report->entries, Entry, i);
}

/* "Of 24 studies, 18 agree and 2 disagree with …; 3 are undecided, and 1 has no verdict. …" */
static char *summary(const NsPaperReport *report)
{
    unsigned of[NS_VERDICTS] = {0};
    double seconds = 0;
    for (guint i = 0; i < report->entries->len; i++) {
        of[entry_at(report, i)->result->verdict]++;
        seconds += entry_at(report, i)->result->seconds;
    }
    g_autofree char *hash = ns_paper_table_hash();
    return g_strdup_printf(
        "Of %u studies, %u agree and %u disagree with what was expected before they ran; %u are "
        "undecided, and %u have no verdict.  Their runs, one thread each, took %.1f minutes "
        "together.\n\nThe table of claims, tolerances, seeds and steps has the SHA-256 %s%s.  Each "
        "study states whether its claims were fixed before its seeds were seen.\n\n%s",
        report->entries->len, of[NS_VERDICT_AGREES], of[NS_VERDICT_DISAGREES],
        of[NS_VERDICT_UNDECIDED], of[NS_VERDICT_NONE], seconds / 60, hash,
        g_str_equal(hash, NS_PAPER_FIXED_HASH) ? ", as fixed on " NS_PAPER_FIXED
                                               : ", which is not that of " NS_PAPER_FIXED,
        ns_paper_history());
}

static void add_findings(GString *text, const NsPaperResult *result, const char *bullet)
{
    for (size_t i = 0; i < result->n_findings; i++) {
        g_autofree char *words = ns_finding_words(&result->findings[i]);
        g_string_append_printf(text, "%s%s\n", bullet, words);
    }
}

/* ---- Markdown ---- */

static void add_section(GString *text, const Entry *entry)
{
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

static bool write_markdown(const NsPaperReport *report, const char *path, GError **error)
{
    g_autofree char *words = summary(report);
    g_autoptr(GString) text = g_string_new("# " TITLE "\n\n" REFERENCE ".\n\n");
    g_string_append_printf(
        text, "%s\n\n| study | source | verdict | seconds |\n|---|---|---|---:|\n", words);
    for (guint i = 0; i < report->entries->len; i++) {
        const NsPaperResult *result = entry_at(report, i)->result;
        g_string_append_printf(text, "| %s | %s | %s | %.1f |\n", result->study->choice.label,
                               result->study->choice.reference, ns_verdict_word(result->verdict),
                               result->seconds);
    }
    for (guint i = 0; i < report->entries->len; i++) add_section(text, entry_at(report, i));
    return ns_save(path, text->str, text->len, error);
}

/* ---- PDF ---- */

static char *first_page(const NsPaperReport *report)
{
    g_autofree char *words = summary(report);
    GString *text = g_string_new(REFERENCE ".\n\n");
    g_string_append_printf(text, "%s\n", words);
    for (guint i = 0; i < report->entries->len; i++) {
        const NsPaperResult *result = entry_at(report, i)->result;
        g_string_append_printf(text, "\n%s (%s): %s", result->study->choice.label,
                               result->study->choice.reference, ns_verdict_word(result->verdict));
    }
    return g_string_free(text, FALSE);
}

/* Turns every section of the settings into one paragraph. */
static char *paragraphs(const char *settings)
{
    g_auto(GStrv) sections = g_strsplit(settings, "\n\n", -1);
    for (char **section = sections; *section; section++) {
        g_auto(GStrv) lines = g_strsplit(g_strstrip(*section), "\n", -1);
        g_free(*section);
        *section = g_strjoinv("; ", lines);
    }
    return g_strjoinv("\n", sections);
}

static char *words_of(const Entry *entry)
{
    const NsPaperResult *result = entry->result;
    g_autofree char *settings = paragraphs(entry->settings);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s  %s\n\n", result->study->says, result->study->holds);
    add_findings(text, result, "→ ");
    g_string_append_printf(text, "\nVerdict: %s; %s.  Its runs took %.1f s together.\n\n%s",
                           ns_verdict_word(result->verdict), result->claims, result->seconds,
                           settings);
    return g_string_free(text, FALSE);
}

static bool write_pdf(const NsPaperReport *report, const char *path, GError **error)
{
    guint n = report->entries->len;
    g_autofree NsDocumentPart *parts = g_new0(NsDocumentPart, n + 1);
    g_auto(GStrv) words = g_new0(char *, n + 2);
    words[0] = first_page(report);
    parts[0] = (NsDocumentPart){.title = TITLE, .words = words[0]};
    for (guint i = 0; i < n; i++) {
        const Entry *entry = entry_at(report, i);
        words[i + 1] = words_of(entry);
        parts[i + 1] = (NsDocumentPart){.title = entry->result->study->choice.label,
                                        .plots = entry->panels.plots,
                                        .n_plots = entry->panels.n,
                                        .words = words[i + 1]};
    }
    return ns_document_write(parts, n + 1, TITLE, path, error);
}

bool ns_paper_report_write(const NsPaperReport *report, const char *folder, GError **error)
{
    g_autofree char *markdown = g_build_filename(folder, "report.md", NULL);
    g_autofree char *pdf = g_build_filename(folder, "report.pdf", NULL);
    return write_markdown(report, markdown, error) && write_pdf(report, pdf, error);
}
