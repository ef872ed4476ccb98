/* SPDX-License-Identifier: MIT */
#include "core/data/bleu.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- Words ---- */

/* White space as Python's str.split defines it. */
static bool is_space(gunichar c)
{
    return g_unichar_isspace(c) || c == '\v' || (c >= 0x1C && c <= 0x1F) || c == 0x85;
}

static GPtrArray *words_of(const char *sentence)
{
    static const char *const replaced[][2] = {{"<skipped>", ""}, {"-\n", ""},    {"\n", " "},
                                              {"&quot;", "\""},  {"&amp;", "&"}, {"&lt;", "<"},
                                              {"&gt;", ">"}};
    /* The rules of the tokenizer, which are applied one after another, to bytes.  Apostrophe,
     * hyphen, period and comma are not always words of their own. */
    static const char *const rules[][2] = {{"([{-~\\[-` -&(-+:-@/])", " \\1 "},
                                           {"([^0-9])([.,])", "\\1 \\2 "},
                                           {"([.,])([^0-9])", " \\1 \\2"},
                                           {"([0-9])(-)", "\\1 \\2 "}};
    static GRegex *compiled[G_N_ELEMENTS(rules)];
    static gsize once;
    if (g_once_init_enter(&once)) {
        for (size_t i = 0; i < G_N_ELEMENTS(rules); i++)
            compiled[i] = g_regex_new(rules[i][0], G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, NULL);
        g_once_init_leave(&once, 1);
    }
    g_autofree char *whole = g_strchomp(g_strdup(sentence));
    g_autoptr(GString) text = g_string_new(whole);
    for (size_t i = 0; i < G_N_ELEMENTS(replaced); i++)
        g_string_replace(text, replaced[i][0], replaced[i][1], 0);
    g_string_prepend_c(text, ' ');
    g_string_append_c(text, ' ');
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        g_autofree char *next =
            g_regex_replace(compiled[i], text->str, -1, 0, rules[i][1], 0, NULL);
        g_string_assign(text, next);
    }
    /* Split at white space. */
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    const char *begin = NULL;
    for (const char *p = text->str;; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        bool ends = c == 0 || is_space(c);
        if (ends && begin) g_ptr_array_add(words, g_strndup(begin, (gsize)(p - begin)));
        if (ends)
            begin = NULL;
        else if (!begin)
            begin = p;
        if (c == 0) return words;
    }
}

/* ---- n-grams ---- */

/* Counts the n-grams of an order; the key is the words of an n-gram, joined by spaces. */
static GHashTable *count_ngrams(const GPtrArray *words, size_t order)
{
    GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i + order <= words->len; i++) {
        GString *ngram = g_string_new(g_ptr_array_index(words, i));
        for (guint k = 1; k < order; k++)
            g_string_append_printf(ngram, " %s", (char *)g_ptr_array_index(words, i + k));
        char *text = g_string_free(ngram, FALSE);
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, text));
        g_hash_table_insert(counts, text, GUINT_TO_POINTER(count + 1));
    }
    return counts;
}

void ns_bleu_add(NsBleu *bleu, const char *hypothesis, const char *const *references, size_t n)
{
    g_autoptr(GPtrArray) words = words_of(hypothesis);
    GPtrArray **others = g_new(GPtrArray *, n);
    for (size_t r = 0; r < n; r++) others[r] = words_of(references[r]);
    for (size_t i = 0; i < NS_BLEU_ORDERS; i++) {
        /* The largest count of each n-gram in any single reference. */
        g_autoptr(GHashTable) most = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (size_t r = 0; r < n; r++) {
            g_autoptr(GHashTable) counts = count_ngrams(others[r], i + 1);
            GHashTableIter iter;
            gpointer ngram, count;
            g_hash_table_iter_init(&iter, counts);
            while (g_hash_table_iter_next(&iter, &ngram, &count))
                if (GPOINTER_TO_UINT(count) > GPOINTER_TO_UINT(g_hash_table_lookup(most, ngram)))
                    g_hash_table_insert(most, g_strdup(ngram), count);
        }

        g_autoptr(GHashTable) counts = count_ngrams(words, i + 1);
        int64_t matches = 0;
        GHashTableIter iter;
        gpointer ngram, count;
        g_hash_table_iter_init(&iter, counts);
        while (g_hash_table_iter_next(&iter, &ngram, &count))
            matches +=
                MIN(GPOINTER_TO_UINT(count), GPOINTER_TO_UINT(g_hash_table_lookup(most, ngram)));
        bleu->matches[i] += matches;

        bleu->ngrams[i] += MAX((int64_t)words->len - (int64_t)i, 0);
    }
    bleu->hypothesis_words += words->len;
    guint nearest = n > 0 ? others[0]->len : 0;
    for (size_t r = 1; r < n; r++) {
        guint other = others[r]->len;
        int64_t gain = ABS((int64_t)nearest - words->len) - ABS((int64_t)other - words->len);
        if (gain > 0 || (gain == 0 && other < nearest)) nearest = other;
    }
    bleu->reference_words += nearest;

    for (size_t r = 0; r < n; r++) g_ptr_array_unref(others[r]);
    g_free(others);
}

/* ---- The score ---- */

NsBleuScore ns_bleu_score(const NsBleu *bleu)
{
    NsBleuScore score = {.brevity = 1};
    double c = (double)bleu->hypothesis_words, r = (double)bleu->reference_words;
    if (c < r) score.brevity = c > 0 ? exp(1 - r / c) : 0;
    if (bleu->matches[0] == 0) return score; /* longer n-grams have no match either */
    double logarithms = 0, unmatched = 1;
    for (size_t i = 0; i < NS_BLEU_ORDERS; i++) {
        if (bleu->ngrams[i] == 0) return score;
        double matches = (double)bleu->matches[i];
        if (bleu->matches[i] == 0) matches = 1 / (unmatched *= 2);
        score.precision[i] = 100 * matches / (double)bleu->ngrams[i];
        logarithms += log(score.precision[i]);
    }
    score.score = score.brevity * exp(logarithms / NS_BLEU_ORDERS);
    return score;
}
