/* Learning and applying byte-pair encodings.  SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/data/reader.h"
#include "core/data/tokenizer.h"

#include <string.h>

/* Concatenates the files of the command line. */
static GString *read_texts(char **paths, GError **error)
{
    g_autoptr(GString) all = g_string_new(NULL);
    for (char **path = paths; *path; path++) {
        size_t bytes;
        g_autofree char *text = ns_text_read(*path, &bytes, error);
        if (!text) return NULL;
        g_string_append_len(all, text, (gssize)bytes);
        /* Separates the last word of a text from the first word of the next. */
        if (all->len > 0 && all->str[all->len - 1] != '\n') g_string_append_c(all, '\n');
    }
    return g_steal_pointer(&all);
}

static char *learn(const GString *text, int64_t vocab, GError **error)
{
    g_autoptr(GHashTable) words = ns_words_new();
    ns_words_add(words, text->str, text->len, 1);
    g_autoptr(NsSubwords) subwords = ns_subwords_learn(words, (size_t)vocab, "The text", error);
    return subwords ? ns_subwords_file(subwords) : NULL;
}

/* Splits a text into symbols separated by spaces; line breaks stay. */
static char *cut(const char *merges, const GString *text, GError **error)
{
    g_autoptr(NsSubwords) subwords = ns_subwords_read(merges, error);
    g_autoptr(GHashTable) words = ns_words_new();
    ns_words_add(words, text->str, text->len, 0);
    if (!subwords || !ns_subwords_add_characters(subwords, words, "The text", error)) return NULL;
    g_autoptr(GArray) tokens = g_array_new(FALSE, FALSE, sizeof(uint16_t));
    ns_subwords_encode(subwords, text->str, text->len, tokens);
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < tokens->len; i++) {
        g_autofree char *symbol = ns_subwords_text(subwords, g_array_index(tokens, uint16_t, i));
        bool begins = out->len == 0 || out->str[out->len - 1] == '\n';
        g_string_append_printf(out, "%s%s", begins || *symbol == '\n' ? "" : " ", symbol);
    }
    return g_string_free(out, FALSE);
}

static int run(NsArguments *a, GError **error)
{
    if (a->out && !ns_output_check(a->out, error)) return NS_EXIT_USAGE;
    g_autoptr(GString) text = read_texts(a->files, error);
    if (!text) return NS_EXIT_ERROR;
    g_autofree char *written =
        a->merges ? cut(a->merges, text, error) : learn(text, a->vocab, error);
    NsLines *lines = written ? ns_lines_open(a->out ? a->out : "-", false, error) : NULL;
    if (!lines) return NS_EXIT_ERROR;
    bool good = ns_lines_write_bytes(lines, written, strlen(written), error);
    return ns_lines_close(lines, good, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
}

const NsCommand ns_cli_bpe = {
    .choice = {.key = "bpe", .purpose = "Learn a byte-pair encoding from texts, or apply one"},
    .words = "TEXT…",
    .least = 1,
    .most = INT_MAX,
    .wrong = "A text is missing; name one or more files.",
    .summary = "Learns a byte-pair encoding from texts and writes its merges, or cuts texts into "
               "symbols with\n"
               "--apply.  Several texts share one encoding.  Both files have the layout of "
               "subword-nmt, which\n"
               "learns the same merges from the same text; a file of merges can be used as the "
               "setting\n"
               "“tokenizer”.",
    .examples = NS_CLI " bpe --vocab 4000 --out both.bpe train.de train.en\n" NS_CLI
                       " bpe --apply both.bpe train.de\n" NS_CLI
                       " train --set text=train.en --set tokenizer=both.bpe",
    .run = run,
};
