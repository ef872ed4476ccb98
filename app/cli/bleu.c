/* BLEU scores of translations.  SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/error.h"
#include "core/data/bleu.h"
#include "core/data/reader.h"

#include <stdio.h>
#include <string.h>

/* The signature of sacreBLEU, by which others can reproduce the score. */
#define SIGNATURE "nrefs:%zu|case:mixed|eff:no|tok:13a|smooth:exp|version:normscope-%s"

/* The lines of a file; the last one may lack a newline. */
static char **read_lines(const char *path, GError **error)
{
    size_t bytes;
    g_autofree char *text = ns_text_read(path, &bytes, error);
    if (!text) return NULL;
    char **lines = g_strsplit(text, "\n", -1);
    guint n = g_strv_length(lines);
    if (n > 0 && !*lines[n - 1]) g_clear_pointer(&lines[n - 1], g_free);
    return lines;
}

static int run(NsArguments *a, GError **error)
{
    NsBleu bleu = {0};
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    g_auto(GStrv) hypotheses = read_lines(a->files[0], error);
    if (!hypotheses) return NS_EXIT_ERROR;
    guint expected = g_strv_length(hypotheses);
    for (char **path = a->references; *path; path++) {
        char **read = read_lines(*path, error);
        if (!read) return NS_EXIT_ERROR;
        g_ptr_array_add(lines, read);
        guint n = g_strv_length(read);
        if (n == expected) continue;
        g_autofree char *name = g_filename_display_name(*path);
        g_autofree char *other = g_filename_display_name(a->files[0]);
        ns_refuse(error, NS_ERROR_TEXT,
                  "“%s” has %u lines and “%s” has %u; both must have one line per sentence.", name,
                  n, other, expected);
        return NS_EXIT_ERROR;
    }
    size_t references = lines->len;
    g_autofree const char **of = g_new(const char *, references);
    for (size_t i = 0; hypotheses[i]; i++) {
        for (guint r = 0; r < references; r++) of[r] = ((char **)g_ptr_array_index(lines, r))[i];
        ns_bleu_add(&bleu, hypotheses[i], of, references);
    }
    NsBleuScore score = ns_bleu_score(&bleu);
    g_autofree char *signature = g_strdup_printf(SIGNATURE, references, NS_VERSION);
    double ratio =
        bleu.reference_words > 0 ? (double)bleu.hypothesis_words / (double)bleu.reference_words : 0;
    if (a->json)
        printf("{\"bleu\":%.17g,\"precisions\":[%.17g,%.17g,%.17g,%.17g],\"brevity_penalty\":%.17g,"
               "\"hypothesis_words\":%" G_GINT64_FORMAT ",\"reference_words\":%" G_GINT64_FORMAT
               ",\"signature\":\"%s\"}\n",
               score.score, score.precision[0], score.precision[1], score.precision[2],
               score.precision[3], score.brevity, bleu.hypothesis_words, bleu.reference_words,
               signature);
    else
        printf("BLEU|%s = %.2f %.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = "
               "%" G_GINT64_FORMAT " ref_len = %" G_GINT64_FORMAT ")\n",
               signature, score.score, score.precision[0], score.precision[1], score.precision[2],
               score.precision[3], score.brevity, ratio, bleu.hypothesis_words,
               bleu.reference_words);

    return NS_EXIT_OK;
}

const NsCommand ns_cli_bleu = {
    .choice = {.key = "bleu", .purpose = "Score translations as sacreBLEU does"},
    .words = "HYPOTHESES",
    .least = 1,
    .most = 1,
    .wrong = "Name one file of translations, after the options.",
    .summary =
        "Shows the BLEU score of translations, one per line, computed like sacreBLEU with its "
        "default\n"
        "settings (tokenizer 13a, case-sensitive, exponential smoothing), with its signature.",
    .examples = NS_CLI " bleu --reference test.en hypotheses.en",
    .run = run,
};
