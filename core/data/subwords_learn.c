/* Learns merges from words.  SPDX-License-Identifier: MIT
 *
 * Every pair of adjacent symbols has a count and a list of the words that may contain it.  Joining
 * a pair changes only these words, so the cost of a merge is about that of reading all counts. */
#include "core/base/error.h"
#include "core/data/subwords-private.h"

#include <string.h>

/* A pair that occurs once is not worth a merge.  subword-nmt has the same value. */
#define LEAST_COUNT 2

typedef struct {
    uint16_t *symbols;
    size_t n;
    int64_t count;
} Word;

typedef struct {
    uint16_t left, right;
    GArray *words; /* guint: indices of words, some of which may no longer contain the pair */
} Pair;

typedef struct {
    NsSubwords *subwords;
    GArray *words;  /* Word */
    GArray *pairs;  /* Pair */
    GArray *counts; /* int64_t: of each pair, in an array of its own, which every merge reads */
    GHashTable *numbers; /* from a pair to its index */
} Learner;

static void clear_word(void *word)
{
    g_free(((Word *)word)->symbols);
}

static void clear_pair(void *pair)
{
    g_array_unref(((Pair *)pair)->words);
}

static size_t pair_number(Learner *learner, uint16_t left, uint16_t right)
{
    gpointer key = GUINT_TO_POINTER((guint)left << 16 | right), number;
    if (g_hash_table_lookup_extended(learner->numbers, key, NULL, &number))
        return GPOINTER_TO_SIZE(number);
    static const int64_t none = 0;
    Pair pair = {left, right, g_array_new(FALSE, FALSE, sizeof(guint))};
    g_array_append_val(learner->pairs, pair);
    g_array_append_val(learner->counts, none);
    g_hash_table_insert(learner->numbers, key, GSIZE_TO_POINTER(learner->pairs->len - 1));
    return learner->pairs->len - 1;
}

/* Adds the pairs of a word to the counts, or subtracts them if `sign` is -1. */
static void count_pairs(Learner *learner, guint number, int64_t sign)
{
    const Word *word = &g_array_index(learner->words, Word, number);
    for (size_t i = 0; i + 1 < word->n; i++) {
        size_t at = pair_number(learner, word->symbols[i], word->symbols[i + 1]);
        g_array_index(learner->counts, int64_t, at) += sign * word->count;
    }
}

/* Adds a word to the lists of its pairs: of all pairs, or of those that contain `new_symbol`. */
static void note_pairs(Learner *learner, guint number, const uint16_t *new_symbol)
{
    const Word *word = &g_array_index(learner->words, Word, number);
    for (size_t i = 0; i + 1 < word->n; i++) {
        uint16_t left = word->symbols[i], right = word->symbols[i + 1];
        if (new_symbol && left != *new_symbol && right != *new_symbol) continue;
        size_t at = pair_number(learner, left, right);
        g_array_append_val(g_array_index(learner->pairs, Pair, at).words, number);
    }
}

static const char *text_of(const Learner *learner, uint16_t symbol)
{
    return g_ptr_array_index(learner->subwords->symbols, symbol);
}

/* Whether pair a comes after pair b in the order of code points. */
static bool is_after(const Learner *learner, size_t a, size_t b)
{
    const Pair *one = &g_array_index(learner->pairs, Pair, a);
    const Pair *other = &g_array_index(learner->pairs, Pair, b);
    int order = strcmp(text_of(learner, one->left), text_of(learner, other->left));
    if (order == 0) order = strcmp(text_of(learner, one->right), text_of(learner, other->right));
    return order > 0;
}

/* Finds the pair to be joined next; false if no pair is frequent enough. */
static bool find_pair(const Learner *learner, size_t *found)
{
    const int64_t *counts = (const int64_t *)(void *)learner->counts->data;
    int64_t most = LEAST_COUNT - 1;
    for (size_t i = 0; i < learner->counts->len; i++) {
        if (counts[i] < most || counts[i] < LEAST_COUNT) continue;
        if (counts[i] > most || is_after(learner, i, *found)) *found = i;
        most = counts[i];
    }
    return most >= LEAST_COUNT;
}

static void join_pair(Learner *learner, size_t at)
{
    Pair pair = g_array_index(learner->pairs, Pair, at);
    g_autofree char *text =
        g_strconcat(text_of(learner, pair.left), text_of(learner, pair.right), NULL);
    uint16_t joined = (uint16_t)ns_subwords_symbol(learner->subwords, text);
    NsMerge merge = {pair.left, pair.right, joined};
    ns_merges_add(learner->subwords->merges, merge);
    g_autoptr(GArray) words = g_array_ref(pair.words);
    for (guint i = 0; i < words->len; i++) {
        guint number = g_array_index(words, guint, i);
        Word *word = &g_array_index(learner->words, Word, number);
        count_pairs(learner, number, -1);
        size_t n = ns_merge_apply(merge, word->symbols, word->n);
        bool changed = n < word->n;
        word->n = n;
        count_pairs(learner, number, 1);
        if (changed) note_pairs(learner, number, &joined);
    }
}

NsSubwords *ns_subwords_learn(GHashTable *words, size_t vocab, const char *source, GError **error)
{
    g_autoptr(NsSubwords) subwords = ns_subwords_new();
    if (!ns_subwords_add_characters(subwords, words, source, error)) return NULL;
    size_t least = ns_subwords_size(subwords);
    if (least > vocab)
        return ns_refuse_null(
            error, NS_ERROR_TEXT,
            "“%s” needs %zu symbols for its characters (inside words and at their ends) and "
            "for the newline, but vocab is %zu; increase vocab.",
            source, least, vocab);
    Learner learner = {
        .subwords = subwords,
        .words = g_array_new(FALSE, FALSE, sizeof(Word)),
        .pairs = g_array_new(FALSE, FALSE, sizeof(Pair)),
        .counts = g_array_new(FALSE, FALSE, sizeof(int64_t)),
        .numbers = g_hash_table_new(NULL, NULL),
    };
    g_array_set_clear_func(learner.words, clear_word);
    g_array_set_clear_func(learner.pairs, clear_pair);
    GHashTableIter iter;
    gpointer text, count;
    g_hash_table_iter_init(&iter, words);
    while (g_hash_table_iter_next(&iter, &text, &count)) {
        size_t bytes = strlen(text);
        Word word = {.symbols = g_new(uint16_t, bytes), .count = (int64_t)GPOINTER_TO_SIZE(count)};
        word.n = ns_subwords_spell(learner.subwords, text, bytes, word.symbols);
        g_array_append_val(learner.words, word);
        count_pairs(&learner, learner.words->len - 1, 1);
        note_pairs(&learner, learner.words->len - 1, NULL);
    }
    size_t pair = 0;
    while (ns_subwords_size(subwords) < vocab && find_pair(&learner, &pair))
        join_pair(&learner, pair);
    g_array_unref(learner.words);
    g_array_unref(learner.pairs);
    g_array_unref(learner.counts);
    g_hash_table_unref(learner.numbers);
    return g_steal_pointer(&subwords);
}
