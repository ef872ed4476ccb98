/* The task of masked tokens, and the sentences that it reads.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/data/grammar.h"
#include "core/data/sampler.h"
#include "core/data/task.h"
#include "core/experiment/assignment.h"

#include <glib/gstdio.h>
#include <string.h>

#define B ((size_t)8)
#define T ((size_t)44)

static NsCorpus *open_corpus(NsSettings *settings, const char *more, GError **error)
{
    ns_settings_init(settings);
    g_assert_true(ns_settings_assign_all(
        settings, "task=mlm arch=encoder tokenizer=bpe vocab=500 seq=44", error));
    g_assert_true(ns_settings_assign_all(settings, more, error));
    return ns_corpus_open(settings, error);
}

static NsCorpus *opened(NsSettings *settings, const char *more)
{
    g_autoptr(GError) error = NULL;
    NsCorpus *corpus = open_corpus(settings, more, &error);
    g_assert_no_error(error);
    return corpus;
}

/* The tokens of a sequence before they were masked. */
static int32_t truth(const NsBatch *batch, size_t i)
{
    return batch->targets[i] == NS_NO_TARGET ? batch->tokens[i] : batch->targets[i];
}

/* Every sequence is [CLS] A [SEP] B [SEP] and padding, and the second segment begins at B. */
static void assert_form(const NsCorpus *corpus, const NsBatch *batch)
{
    int32_t V = (int32_t)corpus->V, mask = V, cls = V + 1, sep = V + 2;
    for (size_t b = 0; b < B; b++) {
        const int32_t *tokens = batch->tokens + b * T;
        int32_t n = batch->length[b], second = batch->second[b], ordinary = 0, targets = 0;
        g_assert_cmpint(tokens[0], ==, cls);
        g_assert_cmpint(tokens[second - 1], ==, sep);
        g_assert_cmpint(tokens[n - 1], ==, sep);
        for (int32_t t = 1; t < n; t++) {
            if (t == second - 1 || t == n - 1) continue;
            ordinary++;
            g_assert_cmpint(truth(batch, b * T + (size_t)t), <, V);
            if (batch->targets[b * T + (size_t)t] != NS_NO_TARGET)
                targets++;
            else
                g_assert_cmpint(tokens[t], <, mask);
        }
        g_assert_cmpint(targets, ==, MAX(1, (ordinary * 15 + 50) / 100));
        for (size_t t = (size_t)n; t < T; t++) {
            g_assert_cmpint(tokens[t], ==, 0);
            g_assert_cmpint(batch->targets[b * T + t], ==, NS_NO_TARGET);
        }
    }
}

static void test_form(gconstpointer data)
{
    NsSettings settings;
    g_autoptr(NsCorpus) corpus = opened(&settings, data);
    bool labels = settings.next_sentence == NS_TOGGLE_ON;
    NsVocab vocab = ns_corpus_vocab(corpus, &settings);
    g_assert_cmpuint(vocab.in, ==, corpus->V + 3);
    g_assert_cmpuint(vocab.out, ==, corpus->V);
    g_assert_cmpuint(vocab.segments, ==, 2);
    g_assert_cmpuint(vocab.classes, ==, labels ? 2 : 0);
    NsBatch batch, again;
    ns_batch_init(&batch, B, T, 0);
    ns_batch_init(&again, B, T, 0);
    for (uint64_t i = 0; i < 50; i++) {
        ns_corpus_train_batch(corpus, 1, i, &batch);
        assert_form(corpus, &batch);
        g_assert_cmpuint(ns_batch_labels(&batch), ==, labels ? B : 0);
        ns_corpus_train_batch(corpus, 1, i, &again);
        g_assert_cmpint(memcmp(batch.tokens, again.tokens, B * T * sizeof *batch.tokens), ==, 0);
        ns_corpus_train_batch(corpus, 2, i, &again);
        g_assert_cmpint(memcmp(batch.tokens, again.tokens, B * T * sizeof *batch.tokens), !=, 0);
        ns_corpus_validation_batch(corpus, i, 50, &batch);
        assert_form(corpus, &batch);
    }
    ns_batch_clear(&batch);
    ns_batch_clear(&again);
    ns_settings_clear(&settings);
}

/* 15 % of the tokens have a target; of these 80 % show the mask, 10 % another token, which may be
 * the true one, and 10 % the true one.  Half of the labels are 1. */
static void test_shares(void)
{
    NsSettings settings;
    g_autoptr(NsCorpus) corpus = opened(&settings, "seq=120 tokenizer=char");
    double all = 0, targets = 0, masks = 0, truths = 0, follows = 0;
    const unsigned batches = 600;
    NsBatch batch;
    ns_batch_init(&batch, B, 120, 0);
    for (uint64_t i = 0; i < batches; i++) {
        ns_corpus_train_batch(corpus, 1, i, &batch);
        for (size_t k = 0; k < B; k++) {
            all += batch.length[k] - 3;
            follows += batch.labels[k];
        }
        for (size_t k = 0; k < B * 120; k++) {
            if (batch.targets[k] == NS_NO_TARGET) continue;
            targets++;
            masks += batch.tokens[k] == (int32_t)corpus->V;
            truths += batch.tokens[k] == batch.targets[k];
        }
    }
    g_assert_cmpfloat_with_epsilon(targets / all, 0.15, 0.002);
    g_assert_cmpfloat_with_epsilon(masks / targets, 0.8, 0.006);
    g_assert_cmpfloat_with_epsilon(truths / targets, 0.1 + 0.1 / (double)corpus->V, 0.005);
    g_assert_cmpfloat_with_epsilon(follows / (double)(B * batches), 0.5, 0.03);
    ns_batch_clear(&batch);
    ns_settings_clear(&settings);
}

/* With label 1 the second segment continues the first, with 0 it may be from anywhere. */
static void test_next(void)
{
    NsSettings settings;
    g_autofree char *path = NULL;
    g_autoptr(GError) error = NULL;
    int file = g_file_open_tmp("normscope-mlm-XXXXXX", &path, &error);
    g_assert_no_error(error);
    g_assert_true(g_close(file, NULL));
    g_autoptr(GString) text = g_string_new(NULL);
    for (gunichar c = 0; c < 2000; c++) g_string_append_unichar(text, 0x4e00 + c);
    g_assert_true(g_file_set_contents(path, text->str, (gssize)text->len, NULL));
    g_autofree char *more = g_strdup_printf("text=%s tokenizer=char", path);
    g_autoptr(NsCorpus) corpus = opened(&settings, more);
    NsBatch batch;
    ns_batch_init(&batch, B, T, 0);
    unsigned elsewhere = 0;
    for (uint64_t i = 0; i < 100; i++) {
        ns_corpus_train_batch(corpus, 1, i, &batch);
        for (size_t b = 0; b < B; b++) {
            size_t second = b * T + (size_t)batch.second[b];
            bool continues = truth(&batch, second) == truth(&batch, second - 2) + 1;
            if (batch.labels[b]) g_assert_true(continues);
            elsewhere += !continues;
            g_assert_cmpint(truth(&batch, second), <, (int32_t)corpus->n_train);
        }
    }
    g_assert_cmpfloat_with_epsilon(elsewhere / 800.0, 0.5, 0.06);
    ns_batch_clear(&batch);
    ns_settings_clear(&settings);
    g_unlink(path);
}

static void test_refused(void)
{
    static const char *const cases[][2] = {{"arch=decoder", "arch=encoder"}, {"seq=7", "seq to 8"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        NsSettings settings;
        g_autoptr(GError) error = NULL;
        g_assert_null(open_corpus(&settings, cases[i][0], &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
        g_assert_nonnull(strstr(error->message, cases[i][1]));
        ns_settings_clear(&settings);
    }
}

/* Whether a sentence names the same noun as agent and as patient, which no label-1 pair does. */
static bool names_one_twice(const char *sentence)
{
    static const char *const nouns[][2] = {
        {"dog", "hound"}, {"cat", "feline"},       {"horse", "steed"},   {"rabbit", "bunny"},
        {"boy", "lad"},   {"doctor", "physician"}, {"teacher", "tutor"}, {"king", "monarch"},
    };
    g_auto(GStrv) words = g_strsplit(sentence, " ", -1);
    for (size_t i = 0; i < G_N_ELEMENTS(nouns); i++) {
        unsigned n = 0;
        for (char **word = words; *word; word++)
            n += g_str_equal(*word, nouns[i][0]) || g_str_equal(*word, nouns[i][1]);
        if (n > 1) return true;
    }
    return false;
}

/* Both labels are equally frequent, every sentence ends, and agent and patient differ. */
static void test_facts(void)
{
    NsRng rng;
    ns_rng_init(&rng, 3, 0);
    for (NsPairRelation relation = NS_PARAPHRASE; relation <= NS_ENTAILMENT; relation++) {
        int ones = 0;
        for (int i = 0; i < 2000; i++) {
            g_autoptr(GString) first = g_string_new(NULL), second = g_string_new(NULL);
            ones += ns_fact_pair(&rng, relation, first, second);
            g_assert_true(g_str_has_prefix(second->str, "the ") || strstr(second->str, " the "));
            g_assert_true(g_str_has_suffix(first->str, " .") &&
                          g_str_has_suffix(second->str, " ."));
            g_assert_false(names_one_twice(first->str) || names_one_twice(second->str));
        }
        g_assert_cmpint(ABS(ones - 1000), <, 100);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/mlm/form", "", test_form);
    g_test_add_data_func("/mlm/form/alone", "next-sentence=off", test_form);
    g_test_add_func("/mlm/shares", test_shares);
    g_test_add_func("/mlm/next", test_next);
    g_test_add_func("/mlm/refused", test_refused);
    g_test_add_func("/mlm/facts", test_facts);
    return g_test_run();
}
