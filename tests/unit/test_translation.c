/* Pairs of sentences: the generated ones, those of files, and batches of both.
 * SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/data/corpus.h"
#include "core/data/grammar.h"
#include "core/data/pair_corpus.h"
#include "core/data/task.h"
#include "core/data/vocabulary.h"
#include "core/experiment/param.h"
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

typedef struct {
    NsSettings settings;
    NsTestFolder *folder;
    NsBatch batch;
} Fixture;

static void set(Fixture *f, const char *key, const char *value)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_settings_set(&f->settings, key, value, &error));
    g_assert_no_error(error);
}

static void set_file(Fixture *f, const char *key, const char *contents)
{
    g_autofree char *path = ns_test_folder_write(f->folder, key, contents);
    set(f, key, path);
}

static void begin(Fixture *f, gconstpointer data)
{
    (void)data;
    ns_settings_init(&f->settings);
    f->folder = ns_test_folder_new();
    set(f, "task", "translation");
    set(f, "arch", "encoder-decoder");
    set(f, "seq", "5");
    set(f, "source-seq", "4");
    ns_batch_init(&f->batch, 3, 5, 4);
}

static void end(Fixture *f, gconstpointer data)
{
    (void)data;
    ns_batch_clear(&f->batch);
    ns_test_folder_free(f->folder);
    ns_settings_clear(&f->settings);
}

/* The characters of n tokens; "<" is the begin symbol, "$" a line end. */
static char *letters(const NsCorpus *corpus, const int32_t *tokens, int32_t n)
{
    GString *text = g_string_new(NULL);
    for (int32_t i = 0; i < n; i++) {
        bool known = tokens[i] < (int32_t)corpus->V;
        gunichar c = known ? corpus->symbols[tokens[i]] : '<';
        g_string_append_unichar(text, c == '\n' ? '$' : c);
    }
    return g_string_free(text, FALSE);
}

/* Every sequence of the batch is one of the pairs, "source|read|written", with its padding. */
static void assert_batch(Fixture *f, const NsCorpus *corpus, const char *const *pairs)
{
    const NsBatch *batch = &f->batch;
    for (size_t b = 0; b < batch->B; b++) {
        int32_t n = batch->length[b], m = batch->source_length[b];
        g_autofree char *source =
            letters(ns_corpus_source(corpus), batch->source + b * batch->S, m);
        g_autofree char *read = letters(corpus, batch->tokens + b * batch->T, n);
        g_autofree char *written = letters(corpus, batch->targets + b * batch->T, n);
        g_autofree char *all = g_strdup_printf("%s|%s|%s", source, read, written);
        if (!g_strv_contains(pairs, all)) g_error("There is no pair %s.", all);
        for (size_t t = (size_t)n; t < batch->T; t++) {
            g_assert_cmpint(batch->targets[b * batch->T + t], ==, NS_NO_TARGET);
            g_assert_cmpint(batch->tokens[b * batch->T + t], ==, 0);
        }
        for (size_t s = (size_t)m; s < batch->S; s++)
            g_assert_cmpint(batch->source[b * batch->S + s], ==, 0);
    }
}

static NsCorpus *open_corpus(const Fixture *f)
{
    g_autoptr(GError) error = NULL;
    NsCorpus *corpus = ns_corpus_open(&f->settings, &error);
    g_assert_no_error(error);
    return corpus;
}

static void assert_refused(const Fixture *f, int code, const char *says)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_corpus_open(&f->settings, &error));
    g_assert_error(error, NS_ERROR, code);
    if (!strstr(error->message, says)) g_error("“%s” does not say “%s”.", error->message, says);
}

static void assert_batches(Fixture *f, const NsCorpus *corpus, const char *const *training,
                           const char *const *held_out)
{
    for (uint64_t i = 0; i < 20; i++) {
        ns_corpus_train_batch(corpus, 1, i, &f->batch);
        assert_batch(f, corpus, training);
        ns_corpus_validation_batch(corpus, i, 20, &f->batch);
        assert_batch(f, corpus, held_out);
    }
}

/* Some fill source and target to the last place, are shorter or empty; two are left out. */
static void set_seven_pairs(Fixture *f)
{
    set_file(f, "source", "abc\nb\n\nabcd\na\r\n");
    set_file(f, "target", "xyzx\ny\nz\nx\nxxxxx\n");
    set_file(f, "valid-source", "cc\na");
    set_file(f, "valid-target", "zz\nx");
}

static void assert_seven_pairs(Fixture *f, const NsCorpus *corpus)
{
    static const char *const training[] = {"abc$|<xyzx|xyzx$", "b$|<y|y$", "$|<z|z$", NULL};
    static const char *const held_out[] = {"cc$|<zz|zz$", "a$|<x|x$", NULL};
    g_assert_cmpuint(corpus->n_train_pairs, ==, 3);
    g_assert_cmpuint(corpus->n_pairs, ==, 5);
    assert_batches(f, corpus, training, held_out);
}

static void test_files(Fixture *f, gconstpointer data)
{
    (void)data;
    set_seven_pairs(f);
    g_autoptr(NsCorpus) corpus = open_corpus(f);
    g_assert_nonnull(strstr(corpus->name, "5 of 7 pairs"));
    NsVocab vocab = ns_corpus_vocab(corpus, &f->settings);
    g_assert_cmpuint(vocab.out, ==, 8); /* the line end, a to d, x to z */
    g_assert_cmpuint(vocab.in, ==, 9);
    assert_seven_pairs(f, corpus);
}

/* With a vocabulary each the pairs are the same, of fewer symbols; a file of merges is one. */
static void test_separate(Fixture *f, gconstpointer data)
{
    (void)data;
    set_seven_pairs(f);
    set(f, "vocabularies", "separate");
    g_autoptr(NsCorpus) corpus = open_corpus(f);
    NsVocab vocab = ns_corpus_vocab(corpus, &f->settings);
    g_assert_cmpuint(vocab.out, ==, 4); /* the line end, x to z */
    g_assert_cmpuint(vocab.in, ==, 5);
    g_assert_cmpuint(vocab.source, ==, 5); /* the line end, a to d */
    assert_seven_pairs(f, corpus);
    set_file(f, "tokenizer", "#version: 0.2\na b\n");
    assert_refused(f, NS_ERROR_SETTING, "vocabularies=separate");
}

/* Without files for validation the last tenth is held out. */
static void test_held_out(Fixture *f, gconstpointer data)
{
    (void)data;
    g_autoptr(GString) source = g_string_new(NULL), target = g_string_new(NULL);
    for (size_t i = 0; i < 20; i++) {
        g_string_append(source, i < 18 ? "a\n" : "b\n");
        g_string_append(target, i < 18 ? "x\n" : "y\n");
    }
    set_file(f, "source", source->str);
    set_file(f, "target", target->str);
    g_autoptr(NsCorpus) corpus = open_corpus(f);
    static const char *const training[] = {"a$|<x|x$", NULL}, *const held_out[] = {"b$|<y|y$",
                                                                                   NULL};
    assert_batches(f, corpus, training, held_out);
}

static void test_refused(Fixture *f, gconstpointer data)
{
    (void)data;
    set_file(f, "source", "a\nb\n");
    assert_refused(f, NS_ERROR_SETTING, "two files");
    set_file(f, "target", "x\n");
    assert_refused(f, NS_ERROR_TEXT, "has 2 lines");
    set_file(f, "target", "x\ny\n");
    assert_refused(f, NS_ERROR_TEXT, "2 are short enough for training and 0 for validation");
    set_file(f, "valid-source", "a\n");
    assert_refused(f, NS_ERROR_SETTING, "all four");
    set_file(f, "valid-target", "xyzxyz\n");
    assert_refused(f, NS_ERROR_TEXT, "0 for validation");
    set_file(f, "valid-target", "");
    assert_refused(f, NS_ERROR_TEXT, "has 0");
    set_file(f, "valid-target", "\xFF\n");
    assert_refused(f, NS_ERROR_TEXT, "UTF-8");
    set(f, "arch", "decoder");
    assert_refused(f, NS_ERROR_SETTING, "arch=encoder-decoder");
}

/* ---- Sentences ---- */

/* A line becomes tokens and the same line again, without the characters that are none. */
static void assert_line(const NsCorpus *corpus, const char *line, const char *expected,
                        size_t expected_out)
{
    size_t left_out;
    g_autoptr(GArray) tokens = ns_sentence_encode(corpus, line, &left_out);
    g_assert_cmpuint(left_out, ==, expected_out);
    size_t n = tokens->len - 1;
    g_assert_cmpint(g_array_index(tokens, uint16_t, n), ==, ns_sentence_end(corpus));
    g_autofree int32_t *wide = g_new(int32_t, tokens->len);
    for (size_t i = 0; i < n; i++) wide[i] = g_array_index(tokens, uint16_t, i);
    g_autofree char *text = ns_sentence_text(corpus, wide, n);
    g_assert_cmpstr(text, ==, expected);
}

/* Two vocabularies of a run are kept as one text; a part of it is none. */
static void assert_kept_apart(const Fixture *f, const char *line)
{
    g_autoptr(NsCorpus) made = open_corpus(f);
    g_autofree char *kept = ns_vocabulary_write(made);
    g_autoptr(NsCorpus) read = ns_vocabulary_read(kept, "a", NULL);
    g_assert_cmpuint(read->V, ==, made->V);
    g_assert_cmpuint(ns_corpus_source(read)->V, ==, made->source->V);
    g_assert_true(read->source && made->V != made->source->V);
    size_t left_out;
    g_autoptr(GArray) tokens = ns_sentence_encode(made->source, line, &left_out);
    g_autoptr(GArray) again = ns_sentence_encode(read->source, line, &left_out);
    g_assert_cmpuint(tokens->len, ==, again->len);
    g_assert_true(memcmp(tokens->data, again->data, tokens->len * sizeof(uint16_t)) == 0);
    for (size_t n = 0; n < strlen(kept); n++) {
        g_autofree char *part = g_strndup(kept, n);
        g_autoptr(NsCorpus) less = ns_vocabulary_read(part, "a", NULL);
        g_assert_true(!less || (less->source && less->V < made->V) || less->subwords);
    }
}

/* Also with the vocabulary as a run keeps it, which has the same numbers. */
static void test_sentences(Fixture *f, gconstpointer tokenizer)
{
    set_file(f, "source", "ab bä\nb\nab ab\n");
    set_file(f, "target", "xy y\ny\nxy xy\n");
    set_file(f, "valid-source", "ab\n");
    set_file(f, "valid-target", "xy\n");
    set(f, "seq", "12");
    set(f, "source-seq", "12");
    set(f, "tokenizer", tokenizer);
    set(f, "vocab", "16");
    bool characters = g_str_equal(tokenizer, "char");
    g_autoptr(GError) error = NULL;
    g_autoptr(NsCorpus) made = open_corpus(f);
    g_autofree char *kept = ns_vocabulary_write(made);
    g_autoptr(NsCorpus) read = ns_vocabulary_read(kept, "a", &error);
    g_assert_no_error(error);
    g_assert_cmpuint(read->V, ==, made->V);
    const NsCorpus *const both[] = {made, read};
    GArray *tokens[2];
    for (size_t i = 0; i < G_N_ELEMENTS(both); i++) {
        size_t left_out;
        assert_line(both[i], "", "", 0);
        assert_line(both[i], "ab xy bä", "ab xy bä", 0);
        assert_line(both[i], "?b☃", "b", 2);
        /* Characters that end no word of the texts. */
        assert_line(both[i], "☃ xa", characters ? " xa" : "", characters ? 1 : 3);
        tokens[i] = ns_sentence_encode(both[i], "ab xy xy y", &left_out);
    }
    g_assert_cmpuint(tokens[0]->len, ==, tokens[1]->len);
    for (guint i = 0; i < tokens[0]->len; i++)
        g_assert_cmpint(g_array_index(tokens[0], uint16_t, i), ==,
                        g_array_index(tokens[1], uint16_t, i));
    for (size_t i = 0; i < 2; i++) g_array_unref(tokens[i]);
    /* Whatever is missing is found, and nothing crashes. */
    size_t refused = 0;
    for (size_t n = 0; n < strlen(kept); n++) {
        g_autofree char *part = g_strndup(kept, n);
        g_autoptr(NsCorpus) less = ns_vocabulary_read(part, "a", NULL);
        refused += !less;
    }
    g_assert_cmpuint(refused, >, 10);
    set(f, "vocabularies", "separate");
    assert_kept_apart(f, "ab bä ab");
}

/* ---- Generated pairs ---- */

static const char *const finite_verbs[] = {
    "hilft",  "helfen",   "dankt",     "danken", "glaubt", "glauben", "sieht",  "sehen",  "hört",
    "hören",  "kennt",    "kennen",    "liebt",  "lieben", "ruft",    "rufen",  "kauft",  "kaufen",
    "findet", "finden",   "sucht",     "suchen", "trägt",  "tragen",  "malt",   "malen",  "nimmt",
    "nehmen", "verliert", "verlieren", "gibt",   "geben",  "zeigt",   "zeigen", "bringt", "bringen",
    "hat",    "haben",    "kann",      "können", "muss",   "müssen",  "wird",   "werden", NULL};

static const char *last_word(char *sentence)
{
    g_strdelimit(sentence, ".", '\0');
    return strrchr(sentence, ' ') + 1;
}

static void test_generated(void)
{
    const size_t n = 2000;
    g_autoptr(GString) german = g_string_new(NULL), english = g_string_new(NULL);
    g_autoptr(GString) again = g_string_new(NULL), other = g_string_new(NULL);
    ns_grammar_pairs(7, n, german, english);
    ns_grammar_pairs(7, n, again, other);
    g_assert_cmpstr(german->str, ==, again->str);
    ns_grammar_pairs(8, 1, again, other);
    g_auto(GStrv) sources = g_strsplit(german->str, "\n", -1);
    g_auto(GStrv) targets = g_strsplit(english->str, "\n", -1);
    g_assert_cmpuint(g_strv_length(sources), ==, n + 1);
    g_assert_cmpuint(g_strv_length(targets), ==, n + 1);
    size_t that = 0, perfect = 0;
    for (size_t i = 0; i < n; i++) {
        g_assert_true(g_ascii_isupper(*sources[i]) && g_ascii_isupper(*targets[i]));
        g_assert_true(g_str_has_suffix(sources[i], ".") && g_str_has_suffix(targets[i], "."));
        /* No article before a noun of another gender. */
        g_assert_null(strstr(sources[i], "die Mann "));
        g_assert_null(strstr(sources[i], "der Mädchen"));
        bool subordinate = strstr(sources[i], ", dass ") != NULL;
        g_assert_true(subordinate == (strstr(targets[i], " that ") != NULL));
        bool comma = strchr(sources[i], ',') != NULL;
        bool past = strstr(sources[i], " hat ") || strstr(sources[i], " haben ");
        const char *last = last_word(sources[i]);
        /* The verb of a subordinate clause is last; in a main clause in the past it is second. */
        if (subordinate) g_assert_true(g_strv_contains(finite_verbs, last));
        if (!comma && past) g_assert_false(g_strv_contains(finite_verbs, last));
        that += subordinate;
        perfect += !comma && past;
    }
    g_assert_cmpuint(that, >, n / 8);
    g_assert_cmpuint(perfect, >, n / 20);
}

/* The three sequences of a batch of generated pairs end in line ends. */
static void test_generated_corpus(Fixture *f, gconstpointer data)
{
    (void)data;
    set(f, "tokenizer", "bpe");
    set(f, "vocab", "400");
    set(f, "seq", "48");
    set(f, "source-seq", "0");
    g_autoptr(NsCorpus) corpus = open_corpus(f);
    g_assert_cmpuint(corpus->V, ==, 400);
    g_assert_cmpuint(corpus->n_pairs, >, 19900);
    NsBatch batch;
    ns_batch_init(&batch, 3, 48, 48);
    ns_corpus_train_batch(corpus, 1, 0, &batch);
    for (size_t b = 0; b < 3; b++) {
        g_assert_cmpint(batch.tokens[b * 48], ==, 400);
        g_assert_cmpint(batch.targets[(int32_t)b * 48 + batch.length[b] - 1], ==, 0);
        g_assert_cmpint(batch.source[(int32_t)b * 48 + batch.source_length[b] - 1], ==, 0);
    }
    ns_batch_clear(&batch);
}

/* ---- Batches by tokens ---- */

static size_t padding_of(const NsBatch *batch)
{
    size_t n = batch->B * (batch->S + batch->T);
    for (size_t b = 0; b < batch->B; b++) n -= (size_t)(batch->source_length[b] + batch->length[b]);
    return n;
}

#define DRAWN 8000

/* How much of many batches is padding; `least` and `most`: how often they have the pairs. */
static double drawn_padding(const NsCorpus *corpus, NsBatch *batch, double *least, double *most)
{
    double padding = 0, positions = 0, pairs = 0;
    g_autoptr(GHashTable) times = g_hash_table_new(NULL, NULL); /* by length of source and target */
    g_autoptr(GHashTable) there = g_hash_table_new(NULL, NULL);
    for (uint64_t i = 0; i < DRAWN; i++) {
        ns_corpus_train_batch(corpus, 1, i, batch);
        g_assert_true(!batch->capacity || batch->B * MAX(batch->S, batch->T) <= batch->capacity);
        g_assert_true(!batch->capacity ||
                      (batch->B + 1) * MAX(batch->S, batch->T) > batch->capacity);
        padding += (double)padding_of(batch);
        positions += (double)(batch->B * (batch->S + batch->T));
        pairs += (double)batch->B;
        for (size_t b = 0; b < batch->B; b++) {
            gpointer key = GINT_TO_POINTER(MAX(batch->source_length[b], batch->length[b]));
            guint n = GPOINTER_TO_UINT(g_hash_table_lookup(times, key));
            g_hash_table_insert(times, key, GUINT_TO_POINTER(n + 1));
        }
    }
    for (size_t i = 0; i < corpus->n_train_pairs; i++) {
        const NsPair *pair = &corpus->pairs[i];
        gpointer key = GUINT_TO_POINTER(MAX(pair->source_length, pair->target_length));
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(there, key));
        g_hash_table_insert(there, key, GUINT_TO_POINTER(n + 1));
    }
    *least = (double)INFINITY;
    *most = 0;
    GHashTableIter iter;
    gpointer key, n;
    g_hash_table_iter_init(&iter, there);
    while (g_hash_table_iter_next(&iter, &key, &n)) {
        double expected = pairs * GPOINTER_TO_UINT(n) / (double)corpus->n_train_pairs;
        if (expected < 4000) continue;
        double seen = GPOINTER_TO_UINT(g_hash_table_lookup(times, key)) / expected;
        *least = MIN(*least, seen);
        *most = MAX(*most, seen);
    }
    return padding / positions;
}

/* Batches by tokens have less than a third of the padding, as much as is said, and pairs of every
 * length as often as the corpus; each is the same again. */
static void test_batch_tokens(Fixture *f, gconstpointer data)
{
    (void)data;
    set(f, "tokenizer", "bpe");
    set(f, "vocab", "400");
    set(f, "seq", "48");
    set(f, "source-seq", "0");
    double least, most;
    g_autoptr(NsCorpus) corpus = open_corpus(f);
    ns_batch_clear(&f->batch);
    ns_batch_init_for(&f->batch, &f->settings);
    double fixed = drawn_padding(corpus, &f->batch, &least, &most);
    g_assert_cmpfloat_with_epsilon(fixed, ns_pair_lengths_padding(corpus->lengths, &f->batch),
                                   0.01);
    set(f, "batch-tokens", "600");
    NsBatch again;
    ns_batch_clear(&f->batch);
    ns_batch_init_for(&f->batch, &f->settings);
    ns_batch_init_for(&again, &f->settings);
    g_assert_cmpuint(f->batch.B, ==, 12);
    double padding = drawn_padding(corpus, &f->batch, &least, &most);
    g_test_message("padding %.1f%% and %.1f%%, frequencies %.3f to %.3f", 100 * fixed,
                   100 * padding, least, most);
    g_assert_cmpfloat(padding, <, fixed / 3);
    g_assert_cmpfloat_with_epsilon(padding, ns_pair_lengths_padding(corpus->lengths, &f->batch),
                                   0.01);
    g_assert_cmpfloat(least, >, 0.75);
    g_assert_cmpfloat(most, <, 1.25);
    ns_corpus_train_batch(corpus, 1, DRAWN - 1, &again);
    g_assert_cmpuint(again.B, ==, f->batch.B);
    size_t bytes = again.B * again.T * sizeof *again.tokens;
    g_assert_true(memcmp(again.tokens, f->batch.tokens, bytes) == 0);
    ns_batch_clear(&again);
}

/* One pair that is longer than a batch has positions is a batch; of few pairs there is one group.
 */
static void test_batch_tokens_few(Fixture *f, gconstpointer data)
{
    (void)data;
    set_file(f, "source", "abc\nb\n\n");
    set_file(f, "target", "xyzx\ny\nz\n");
    set_file(f, "valid-source", "cc");
    set_file(f, "valid-target", "zz");
    static const char *const training[] = {"abc$|<xyzx|xyzx$", "b$|<y|y$", "$|<z|z$", NULL};
    for (int tokens = 1; tokens < 40; tokens++) {
        g_autofree char *value = g_strdup_printf("%d", tokens);
        set(f, "batch-tokens", value);
        ns_batch_clear(&f->batch);
        ns_batch_init_for(&f->batch, &f->settings);
        g_autoptr(NsCorpus) corpus = open_corpus(f);
        for (uint64_t i = 0; i < 20; i++) {
            ns_corpus_train_batch(corpus, 1, i, &f->batch);
            g_assert_cmpuint(f->batch.B, ==, MAX((size_t)tokens / MAX(f->batch.S, f->batch.T), 1));
            assert_batch(f, corpus, training);
        }
    }
}

#define ADD(path, test) g_test_add("/translation/" path, Fixture, NULL, begin, test, end)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("files", test_files);
    ADD("separate", test_separate);
    ADD("held-out", test_held_out);
    ADD("refused", test_refused);
    g_test_add("/translation/sentences/characters", Fixture, "char", begin, test_sentences, end);
    g_test_add("/translation/sentences/subwords", Fixture, "bpe", begin, test_sentences, end);
    ADD("generated-corpus", test_generated_corpus);
    ADD("batch-tokens", test_batch_tokens);
    ADD("batch-tokens-few", test_batch_tokens_few);
    g_test_add_func("/translation/generated", test_generated);
    return g_test_run();
}
