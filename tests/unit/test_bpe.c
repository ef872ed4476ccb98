/* Byte-level byte-pair encoding.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/data/bpe.h"
#include "core/data/task.h"
#include "core/experiment/param.h"
#include "core/model/model.h"

#include <glib/gstdio.h>
#include <string.h>

/* Pairs in the order in which they are joined, as merges.txt has them. */
static const char *const merges[] = {"e s",     "es t",  "l o", "lo w", "n e", "ne w",
                                     "new est", "Ġ low", "' s", "Ġ Ġ",  "1 2", "! !"};

/* A folder with the two files: all bytes, what the pairs join to, and a word that no text gives. */
static char *make_folder(const char *more_merges)
{
    char *folder = g_dir_make_tmp("normscope-bpe-XXXXXX", NULL);
    g_autoptr(GString) vocabulary = g_string_new("{"), pairs = g_string_new("#version: 0.2\n");
    guint n = 0;
    gunichar next = 256;
    for (unsigned byte = 0; byte < 256; byte++) {
        bool seen = (byte > ' ' && byte < 127) || (byte > 160 && byte != 173);
        char word[7] = "";
        g_unichar_to_utf8(seen ? byte : next++, word);
        bool escaped = byte == '"' || byte == '\\';
        g_string_append_printf(vocabulary, "\"%s%s\": %u, ", escaped ? "\\" : "", word, n++);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(merges); i++) {
        g_auto(GStrv) parts = g_strsplit(merges[i], " ", 2);
        g_string_append_printf(vocabulary, "\"%s%s\": %u, ", parts[0], parts[1], n++);
        g_string_append_printf(pairs, "%s\n", merges[i]);
    }
    g_string_append_printf(vocabulary, "\"<|endoftext|>\": %u}", n);
    g_string_append(pairs, more_merges);
    g_autofree char *words = g_build_filename(folder, "vocab.json", NULL);
    g_autofree char *order = g_build_filename(folder, "merges.txt", NULL);
    g_assert_true(g_file_set_contents(words, vocabulary->str, -1, NULL));
    g_assert_true(g_file_set_contents(order, pairs->str, -1, NULL));
    return folder;
}

static void remove_folder(char *folder)
{
    const char *const names[] = {"vocab.json", "merges.txt"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);
        g_remove(path);
    }
    g_rmdir(folder);
    g_free(folder);
}

/* How a text is cut; all tokens together are the text again. */
static void test_words(void)
{
    static const char *const table[][2] = {
        /* The order of the pairs, not that of the text. */
        {"lowest", "low|est"},
        {"newest", "newest"},
        {"lonest", "lo|n|est"},
        /* A space belongs to the word after it. */
        {"low low", "low| low"},
        {" low", " low"},
        {"low  low", "low| | low"},
        {"low   low", "low|  | low"},
        {"low  ", "low|  "},
        {"low \n low", "low| |\n| low"},
        {"low\n\nlow", "low|\n|\n|low"},
        /* Letters, digits, other signs and endings are words of their own. */
        {"low12", "low|12"},
        {"1 2", "1| |2"},
        {"low!!low", "low|!!|low"},
        {"low's", "low|'s"},
        {"!'s", "!|'|s"},
        {" 's", " |'|s"},
        /* Bytes of characters that no pair joins. */
        {"\xC3\xA9", "\xC3|\xA9"},
        {"", ""},
    };
    char *folder = make_folder("");
    g_autoptr(GError) error = NULL;
    g_autoptr(NsBpe) bpe = ns_bpe_new(folder, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ns_bpe_size(bpe), ==, 256 + G_N_ELEMENTS(merges) + 1);
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_autoptr(GArray) tokens = ns_bpe_encode(bpe, table[i][0], strlen(table[i][0]));
        g_autoptr(GString) words = g_string_new(NULL);
        for (guint k = 0; k < tokens->len; k++)
            g_string_append_printf(words, "%s%s", k ? "|" : "",
                                   ns_bpe_bytes(bpe, g_array_index(tokens, uint16_t, k)));
        g_assert_cmpstr(words->str, ==, table[i][1]);
    }
    remove_folder(folder);
}

/* A model learns a text in tokens, and says how they are written. */
static void test_corpus(void)
{
    char *folder = make_folder("");
    NsSettings settings;
    ns_settings_init(&settings);
    g_assert_true(ns_settings_set(&settings, "tokenizer", folder, NULL));
    g_autoptr(GError) error = NULL;
    g_autoptr(NsCorpus) corpus = ns_corpus_open(&settings, &error);
    g_assert_no_error(error);
    NsVocab vocab = ns_corpus_vocab(corpus, &settings);
    g_assert_cmpuint(vocab.in, ==, 256 + G_N_ELEMENTS(merges) + 1);
    g_assert_cmpuint(vocab.out, ==, vocab.in);
    char text[NS_TOKEN_TEXT];
    ns_corpus_token_text(corpus, 256 + 7, text);
    g_assert_cmpstr(text, ==, "␣low");
    ns_corpus_token_text(corpus, (int32_t)vocab.in - 1, text);
    g_assert_cmpstr(text, ==, "<|endoftext");
    ns_settings_clear(&settings);
    remove_folder(folder);
}

/* Special tokens may have any characters, and numbers without a word are tokens, too; no text has
 * either. */
static void test_special(void)
{
    char *folder = make_folder("");
    g_autofree char *path = g_build_filename(folder, "vocab.json", NULL), *words = NULL;
    g_assert_true(g_file_get_contents(path, &words, NULL, NULL));
    g_autofree char *more = g_strndup(words, strlen(words) - 1);
    g_autofree char *special = g_strconcat(more, ", \"〈low〉 low\": 272}", NULL);
    g_assert_true(g_file_set_contents(path, special, -1, NULL));
    g_autoptr(GError) error = NULL;
    g_autoptr(NsBpe) bpe = ns_bpe_new(folder, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ns_bpe_size(bpe), ==, 273);
    g_assert_cmpstr(ns_bpe_bytes(bpe, 270), ==, "<|270|>");
    g_assert_cmpstr(ns_bpe_bytes(bpe, 272), ==, "〈low〉 low");
    NsSettings settings;
    ns_settings_init(&settings);
    g_assert_true(ns_settings_set(&settings, "tokenizer", folder, NULL));
    g_assert_true(ns_settings_set(&settings, "vocab", "300", NULL));
    g_autoptr(NsCorpus) corpus = ns_corpus_open(&settings, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(corpus->V, ==, 300);
    g_assert_cmpstr(corpus->words[299], ==, "<|299|>");
    ns_settings_clear(&settings);
    remove_folder(folder);
}

static void refused(const char *vocabulary, const char *pairs, GQuark domain, const char *says)
{
    char *folder = make_folder(pairs);
    g_autofree char *path = g_build_filename(folder, "vocab.json", NULL);
    if (vocabulary) g_assert_true(g_file_set_contents(path, vocabulary, -1, NULL));
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_bpe_new(folder, &error));
    g_assert_true(error->domain == domain);
    g_assert_nonnull(strstr(error->message, says));
    remove_folder(folder);
}

static void test_refused(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_bpe_new("/nowhere", &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
    refused("[]", "", NS_ERROR, "a JSON object");
    refused("{\"a\": 0", "", NS_ERROR, "a JSON object");
    refused("{\"a\": 0, \"b\": 2}", "", NS_ERROR, "not every byte");
    refused("{\"a\": 0, \"b\": 0}", "", NS_ERROR, "two words");
    refused("{\"a\": \"0\"}", "", NS_ERROR, "no number");
    refused("{\"a\": 65536}", "", NS_ERROR, "no number");
    refused("{\"a\": 0, \"b\": 1}", "", NS_ERROR, "not every byte");
    refused(NULL, "x y\n", NS_ERROR, "Line 14");
    refused(NULL, "xy\n", NS_ERROR, "Line 14");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/bpe/words", test_words);
    g_test_add_func("/bpe/corpus", test_corpus);
    g_test_add_func("/bpe/special", test_special);
    g_test_add_func("/bpe/refused", test_refused);
    return g_test_run();
}
