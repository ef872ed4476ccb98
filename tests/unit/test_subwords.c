/* Byte-pair encoding of words.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/data/task.h"
#include "core/data/text_corpus.h"
#include "core/experiment/param.h"

#include <glib/gstdio.h>
#include <string.h>

static char *write_file(const char *contents)
{
    char *path = NULL;
    int fd = g_file_open_tmp("normscope-merges-XXXXXX", &path, NULL);
    g_assert_cmpint(fd, >=, 0);
    g_close(fd, NULL);
    g_assert_true(g_file_set_contents(path, contents, -1, NULL));
    return path;
}

static GHashTable *words_of(const char *text)
{
    GHashTable *words = ns_words_new();
    ns_words_add(words, text, strlen(text), 1);
    return words;
}

static char *segmented(const NsSubwords *subwords, const char *text)
{
    g_autoptr(GArray) tokens = g_array_new(FALSE, FALSE, sizeof(uint16_t));
    ns_subwords_encode(subwords, text, strlen(text), tokens);
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < tokens->len; i++) {
        g_autofree char *symbol = ns_subwords_text(subwords, g_array_index(tokens, uint16_t, i));
        g_string_append_printf(out, "%s%s", i ? " " : "", symbol);
    }
    return g_string_free(out, FALSE);
}

/* The dictionary of Sennrich, Haddow, Birch 2016, Algorithm 1: low 5, lower 2, newest 6, widest 3,
 * with the mark of the word's end at its last character. */
static const char example[] = "low low low low low lower lower newest newest newest newest newest "
                              "newest widest widest widest";

/* Its 10 merges; where counts are equal, the pair that comes last in the order of code points. */
static void test_published(void)
{
    g_autoptr(GHashTable) words = words_of(example);
    g_autoptr(GError) error = NULL;
    /* l, o, w, e, n, s, i, d; w, r and t at the end; the line end; 10 merges. */
    g_autoptr(NsSubwords) subwords = ns_subwords_learn(words, 12 + 10, "x", &error);
    g_assert_no_error(error);
    g_autofree char *file = ns_subwords_file(subwords);
    g_assert_cmpstr(file, ==,
                    "#version: 0.2\ns t</w>\ne st</w>\nl o\nw est</w>\nn e\nne west</w>\n"
                    "lo w</w>\nw i\nwi d\nwid est</w>\n");
    g_autofree char *text = segmented(subwords, "low lower\nnewest  widest\r\n");
    g_assert_cmpstr(text, ==, "low lo@@ w@@ e@@ r \n newest widest \n");
    /* The lowest comes from words that were seen. */
    g_autofree char *other = segmented(subwords, "lowest");
    g_assert_cmpstr(other, ==, "lo@@ west");
}

/* The figure of the paper: with the merges that its dictionary {low, lowest, newer, wider} gives,
 * the unknown word “lower” is “low er”. */
static void test_unknown_word(void)
{
    g_autofree char *path = write_file("#version: 0.2\ne r</w>\nl o\nlo w\n");
    g_autoptr(GError) error = NULL;
    g_autoptr(NsSubwords) subwords = ns_subwords_read(path, &error);
    g_assert_no_error(error);
    g_autoptr(GHashTable) words = words_of("low lowest newer wider lower");
    g_assert_true(ns_subwords_add_characters(subwords, words, "x", &error));
    g_autofree char *text = segmented(subwords, "lower newer low");
    g_assert_cmpstr(text, ==, "low@@ er n@@ e@@ w@@ er lo@@ w");
    g_remove(path);
}

/* What is read is what was written. */
static void test_file(void)
{
    g_autoptr(GHashTable) words = words_of(example);
    g_autoptr(NsSubwords) learned = ns_subwords_learn(words, 22, "x", NULL);
    g_autofree char *file = ns_subwords_file(learned), *path = write_file(file);
    g_autoptr(NsSubwords) read = ns_subwords_read(path, NULL);
    g_autofree char *again = ns_subwords_file(read);
    g_assert_cmpstr(again, ==, file);
    g_remove(path);
}

/* A symbol may contain a tab, and a line end of another system is none. */
static void test_white_space(void)
{
    g_autoptr(GHashTable) words = words_of("\tif \tif a\t\t a\t\t \v\tb \v\tb x\f x\f x\rx x\rx");
    g_autoptr(NsSubwords) learned = ns_subwords_learn(words, 60, "x", NULL);
    g_autofree char *file = ns_subwords_file(learned);
    g_assert_nonnull(strstr(file, "\t\n"));
    g_auto(GStrv) lines = g_strsplit(file, "\n", -1);
    g_autofree char *other = g_strjoinv("\r\n", lines), *marked = g_strconcat("\uFEFF", file, NULL);
    const char *const contents[] = {file, other, marked};
    for (size_t i = 0; i < G_N_ELEMENTS(contents); i++) {
        g_autofree char *path = write_file(contents[i]);
        g_autoptr(GError) error = NULL;
        g_autoptr(NsSubwords) read = ns_subwords_read(path, &error);
        g_assert_no_error(error);
        g_autofree char *again = ns_subwords_file(read);
        g_assert_cmpstr(again, ==, file);
        g_remove(path);
    }
}

static void refused(const char *contents, const char *says)
{
    g_autofree char *path = write_file(contents);
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_subwords_read(path, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_TEXT);
    g_assert_nonnull(strstr(error->message, says));
    g_remove(path);
}

static void test_refused(void)
{
    refused("", "first line");
    refused("l o\n", "first line");
    refused("#version: 0.2\nl o\nlo\n", "Line 3");
    refused("#version: 0.2\nl o w\n", "Line 2");
    refused("#version: 0.2\n\xFF o\n", "first line");
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_subwords_read("/nowhere", &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
    g_clear_error(&error);
    g_autoptr(GHashTable) words = words_of(example);
    g_assert_null(ns_subwords_learn(words, 11, "play.txt", &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_TEXT);
    g_assert_nonnull(strstr(error->message, "play.txt"));
    g_assert_nonnull(strstr(error->message, "12 symbols"));
}

/* The generated play in every architecture; the number of tokens is the one asked for. */
static void test_tasks(void)
{
    static const char *const architectures[] = {"decoder", "encoder", "encoder-decoder"};
    for (size_t i = 0; i < G_N_ELEMENTS(architectures); i++) {
        NsSettings settings;
        ns_settings_init(&settings);
        g_assert_true(ns_settings_set(&settings, "arch", architectures[i], NULL));
        g_assert_true(ns_settings_set(&settings, "tokenizer", "bpe", NULL));
        g_assert_true(ns_settings_set(&settings, "vocab", "300", NULL));
        g_autoptr(GError) error = NULL;
        g_autoptr(NsCorpus) corpus = ns_corpus_open(&settings, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(corpus->V, ==, 300);
        char text[NS_TOKEN_TEXT];
        ns_corpus_token_text(corpus, 0, text);
        g_assert_cmpstr(text, ==, "↵");
        NsBatch batch;
        ns_batch_init(&batch, 2, 8, (size_t)ns_settings_source_seq(&settings));
        ns_corpus_train_batch(corpus, 1, 0, &batch);
        NsVocab vocab = ns_corpus_vocab(corpus, &settings);
        for (size_t t = 0; t < 2 * 8; t++) {
            g_assert_cmpint(batch.tokens[t], <, (int)vocab.in);
            g_assert_cmpint(batch.targets[t], <, 300);
        }
        ns_batch_clear(&batch);
        ns_settings_clear(&settings);
    }
}

/* Merges come from the training part: a word that is frequent in the held-out tenth alone stays
 * in characters, which are known all the same. */
static void test_held_out(void)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < 900; i++) g_string_append(text, "ab \n");
    for (size_t i = 0; i < 100; i++) g_string_append(text, "xy \n");
    const NsTokenizer tokenizer = {.learned = 100};
    g_autoptr(GError) error = NULL;
    g_autoptr(NsCorpus) corpus =
        ns_corpus_new_from_text(text->str, text->len, "x", 4, &tokenizer, &error);
    g_assert_no_error(error);
    static const char *const expected[] = {"\n", "a@@", "b", "x@@", "y", "ab"};
    g_assert_cmpuint(corpus->V, ==, G_N_ELEMENTS(expected));
    for (size_t i = 0; i < corpus->V; i++) g_assert_cmpstr(corpus->words[i], ==, expected[i]);
}

static void test_setting(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    g_auto(NsTokenizer) tokenizer = {0};
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_tokenizer_open(&tokenizer, &settings, NULL));
    g_assert_true(!tokenizer.bytes && !tokenizer.subwords && !tokenizer.learned);
    g_assert_true(ns_settings_set(&settings, "tokenizer", "char", NULL));
    g_assert_true(ns_tokenizer_open(&tokenizer, &settings, NULL));
    g_assert_true(!tokenizer.bytes && !tokenizer.subwords && !tokenizer.learned);
    g_assert_true(ns_settings_set(&settings, "tokenizer", "bpe", NULL));
    g_assert_true(ns_tokenizer_open(&tokenizer, &settings, NULL));
    g_assert_cmpuint(tokenizer.learned, ==, NS_LEARNED_TOKENS);
    g_autofree char *path = write_file("#version: 0.2\nl o\n");
    g_assert_true(ns_settings_set(&settings, "tokenizer", path, NULL));
    g_assert_true(ns_tokenizer_open(&tokenizer, &settings, NULL));
    g_autofree char *merges = ns_subwords_file(tokenizer.subwords);
    g_assert_cmpstr(merges, ==, "#version: 0.2\nl o\n");
    g_remove(path);
    ns_tokenizer_clear(&tokenizer);
    g_assert_false(ns_tokenizer_open(&tokenizer, &settings, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_assert_nonnull(strstr(error->message, path));
    ns_settings_clear(&settings);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/subwords/published", test_published);
    g_test_add_func("/subwords/unknown-word", test_unknown_word);
    g_test_add_func("/subwords/file", test_file);
    g_test_add_func("/subwords/white-space", test_white_space);
    g_test_add_func("/subwords/refused", test_refused);
    g_test_add_func("/subwords/tasks", test_tasks);
    g_test_add_func("/subwords/held-out", test_held_out);
    g_test_add_func("/subwords/setting", test_setting);
    return g_test_run();
}
