/* SPDX-License-Identifier: MIT */
#include "core/data/subwords.h"

#include "core/base/error.h"
#include "core/data/reader.h"

#include <string.h>

#define VERSION "#version: 0.2"
#define END_OF_WORD "</w>"
#define JOINER "@@"
#define LINE_END 0

/* Longer files of merges are refused. */
#define MOST_BYTES ((size_t)64 << 20)

/* Bytes of a symbol that is one character with the end-of-word mark. */
#define CHARACTER_BYTES (6 + sizeof END_OF_WORD)

struct NsSubwords {
    GPtrArray *symbols;  /* as written in a file of merges: "lo", "w</w>"; number 0 is "\n" */
    GHashTable *numbers; /* from a symbol to its number */
    NsMerges *merges;
    gatomicrefcount refs;
};

/* The number of a symbol, which is added if it is new; NS_TOKENS_MAX if the vocabulary is full. */
static size_t symbol_number(NsSubwords *subwords, const char *symbol)
{
    gpointer number;
    if (g_hash_table_lookup_extended(subwords->numbers, symbol, NULL, &number))
        return GPOINTER_TO_SIZE(number);
    size_t next = subwords->symbols->len;
    if (next == NS_TOKENS_MAX) return next;
    char *own = g_strdup(symbol);
    g_ptr_array_add(subwords->symbols, own);
    g_hash_table_insert(subwords->numbers, own, GSIZE_TO_POINTER(next));
    return next;
}

/* A vocabulary with the line end as its only symbol. */
static NsSubwords *subwords_new(void)
{
    NsSubwords *subwords = g_new(NsSubwords, 1);
    subwords->symbols = g_ptr_array_new_with_free_func(g_free);
    subwords->numbers = g_hash_table_new(g_str_hash, g_str_equal);
    subwords->merges = ns_merges_new();
    g_atomic_ref_count_init(&subwords->refs);
    symbol_number(subwords, "\n");
    return subwords;
}

NsSubwords *ns_subwords_ref(NsSubwords *subwords)
{
    g_atomic_ref_count_inc(&subwords->refs);
    return subwords;
}

void ns_subwords_free(NsSubwords *subwords)
{
    if (!subwords || !g_atomic_ref_count_dec(&subwords->refs)) return;
    g_hash_table_unref(subwords->numbers);
    g_ptr_array_unref(subwords->symbols);
    ns_merges_free(subwords->merges);
    g_free(subwords);
}

size_t ns_subwords_size(const NsSubwords *subwords)
{
    return subwords->symbols->len;
}

/* ---- Words ---- */

static size_t line_end(const char *p, const char *end)
{
    if (*p == '\n') return 1;
    return *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 0;
}

const char *ns_word_next(const char **at, const char *end, size_t *bytes)
{
    const char *begin = *at;
    while (begin < end && *begin == ' ') begin++;
    if (begin == end) return NULL;
    size_t n = line_end(begin, end);
    if (n > 0) {
        *at = begin + n;
        *bytes = 1;
        return *at - 1;
    }
    const char *p = begin;
    while (p < end && *p != ' ' && !line_end(p, end)) p++;
    *at = p;
    *bytes = (size_t)(p - begin);
    return begin;
}

GHashTable *ns_words_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void ns_words_add(GHashTable *words, const char *text, size_t bytes, size_t weight)
{
    const char *at = text, *end = text + bytes, *begin;
    size_t n;
    while ((begin = ns_word_next(&at, end, &n))) {
        if (*begin == '\n') continue;
        char *word = g_strndup(begin, n);
        size_t count = GPOINTER_TO_SIZE(g_hash_table_lookup(words, word));
        g_hash_table_insert(words, word, GSIZE_TO_POINTER(count + weight));
    }
}

/* Writes the character at p as a symbol; returns where the next one begins. */
static const char *spell_character(const char *p, const char *end, char symbol[CHARACTER_BYTES])
{
    size_t n = (size_t)(g_utf8_next_char(p) - p);
    memcpy(symbol, p, n);
    bool last = p + n == end;
    memcpy(symbol + n, last ? END_OF_WORD : "", last ? sizeof END_OF_WORD : 1);
    return p + n;
}

/* Writes the characters of a word as symbols, at most one for each of its bytes; returns how many.
 */
static size_t spell(const NsSubwords *subwords, const char *word, size_t bytes, uint16_t *symbols)
{
    size_t n = 0;
    char symbol[CHARACTER_BYTES];
    for (const char *p = word, *end = word + bytes; p < end; n++) {
        p = spell_character(p, end, symbol);
        symbols[n] = (uint16_t)GPOINTER_TO_SIZE(g_hash_table_lookup(subwords->numbers, symbol));
    }
    return n;
}

static int compare(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b);
}

bool ns_subwords_add_characters(NsSubwords *subwords, GHashTable *words, const char *source,
                                GError **error)
{
    g_autoptr(GHashTable) characters = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GHashTableIter iter;
    gpointer word;
    char symbol[CHARACTER_BYTES];
    g_hash_table_iter_init(&iter, words);
    while (g_hash_table_iter_next(&iter, &word, NULL))
        for (const char *p = word, *end = p + strlen(p); p < end;) {
            p = spell_character(p, end, symbol);
            if (!g_hash_table_contains(characters, symbol))
                g_hash_table_add(characters, g_strdup(symbol));
        }
    /* The order of a hash table may vary; sorting makes the numbers of symbols reproducible. */
    g_autoptr(GList) sorted = g_list_sort(g_hash_table_get_keys(characters), compare);
    for (GList *c = sorted; c; c = c->next)
        if (symbol_number(subwords, c->data) == NS_TOKENS_MAX)
            return ns_refuse(
                error, NS_ERROR_TEXT,
                "“%s” has too many distinct characters: with the merges there would be "
                "more than %zu symbols; use fewer merges, or a text in fewer scripts.",
                source, NS_TOKENS_MAX);
    return true;
}

/* ---- Files ---- */

/* Reads a line such as "lo w</w>". */
static bool read_merge(NsSubwords *subwords, const char *line)
{
    g_auto(GStrv) parts = g_strsplit(line, " ", 3);
    if (g_strv_length(parts) != 2 || !*parts[0] || !*parts[1]) return false;
    g_autofree char *joined = g_strconcat(parts[0], parts[1], NULL);
    size_t left = symbol_number(subwords, parts[0]);
    size_t right = symbol_number(subwords, parts[1]);
    size_t merged = symbol_number(subwords, joined);
    if (MAX(MAX(left, right), merged) == NS_TOKENS_MAX) return false;
    ns_merges_add(subwords->merges, (NsMerge){(uint16_t)left, (uint16_t)right, (uint16_t)merged});
    return true;
}

NsSubwords *ns_subwords_read(const char *path, GError **error)
{
    size_t size;
    g_autofree char *text = ns_read_file(path, MOST_BYTES, &size, error);
    if (!text) return NULL;
    g_autofree char *name = g_filename_display_name(path);
    g_auto(GStrv) lines = g_strsplit(text + ns_byte_order_mark(text, size), "\n", -1);
    /* A symbol may contain a tab or another white space, so that nothing else may be removed from
     * the end of a line. */
    const char *end = lines[0] && g_str_has_suffix(lines[0], "\r") ? "\r" : "";
    for (size_t i = 0; lines[i]; i++)
        if (g_str_has_suffix(lines[i], end)) lines[i][strlen(lines[i]) - strlen(end)] = '\0';
    if (!lines[0] || !g_str_equal(g_strchomp(lines[0]), VERSION) ||
        !g_utf8_validate_len(text, size, NULL))
        return ns_refuse_null(
            error, NS_ERROR_TEXT,
            "“%s” is not a merges file: its first line is not “%s”; learn the merges with "
            "“normscope-cli bpe” or with subword-nmt 0.3 or later.",
            name, VERSION);
    g_autoptr(NsSubwords) subwords = subwords_new();
    for (size_t i = 1; lines[i]; i++) {
        if (!*lines[i] || read_merge(subwords, lines[i])) continue;
        ns_refuse(error, NS_ERROR_TEXT,
                  "Line %zu of “%s” is not a pair of symbols, such as “lo w</w>”, or there are "
                  "more than %zu symbols; use another merges file.",
                  i + 1, name, NS_TOKENS_MAX);
        return NULL;
    }
    return g_steal_pointer(&subwords);
}

char *ns_subwords_file(const NsSubwords *subwords)
{
    GString *file = g_string_new(VERSION "\n");
    for (size_t i = 0; i < ns_merges_count(subwords->merges); i++) {
        NsMerge merge = ns_merges_at(subwords->merges, i);
        g_string_append_printf(file, "%s %s\n",
                               (char *)g_ptr_array_index(subwords->symbols, merge.left),
                               (char *)g_ptr_array_index(subwords->symbols, merge.right));
    }
    return g_string_free(file, FALSE);
}

char *ns_subwords_table(const NsSubwords *subwords)
{
    g_autofree char *merges = ns_subwords_file(subwords);
    GString *table = g_string_new(NULL);
    for (size_t i = LINE_END + 1; i < subwords->symbols->len; i++)
        g_string_append_printf(table, "%s\n", (char *)g_ptr_array_index(subwords->symbols, i));
    g_string_append(table, merges);
    return g_string_free(table, FALSE);
}

NsSubwords *ns_subwords_new_from_table(const char *table)
{
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    g_autoptr(NsSubwords) subwords = subwords_new();
    size_t i = 0;
    for (; lines[i] && !g_str_equal(lines[i], VERSION); i++)
        if (!*lines[i] || symbol_number(subwords, lines[i]) != i + 1) return NULL;
    if (!lines[i] || i + 1 > NS_TOKENS_MAX - 1) return NULL;
    size_t symbols = subwords->symbols->len;
    for (i++; lines[i]; i++)
        if (*lines[i] && !read_merge(subwords, lines[i])) return NULL;
    return subwords->symbols->len == symbols ? g_steal_pointer(&subwords) : NULL;
}

/* ---- Texts ---- */

char *ns_subwords_text(const NsSubwords *subwords, size_t symbol)
{
    const char *text = g_ptr_array_index(subwords->symbols, symbol);
    if (symbol == LINE_END) return g_strdup(text);
    if (!g_str_has_suffix(text, END_OF_WORD)) return g_strconcat(text, JOINER, NULL);
    return g_strndup(text, strlen(text) - strlen(END_OF_WORD));
}

bool ns_subwords_append(const NsSubwords *subwords, size_t symbol, GString *text)
{
    const char *own = g_ptr_array_index(subwords->symbols, symbol);
    bool last = g_str_has_suffix(own, END_OF_WORD);
    g_string_append_len(text, own, (gssize)(strlen(own) - (last ? strlen(END_OF_WORD) : 0)));
    return last;
}

/* Appends the characters of a word that are symbols; returns how many are not.  The word is scanned
 * backward, because the last character that remains carries the end-of-word mark. */
static size_t keep_known(const NsSubwords *subwords, const char *word, size_t bytes, GString *known)
{
    size_t begin = known->len, left_out = 0;
    char symbol[CHARACTER_BYTES];
    for (const char *p = word + bytes, *from; p > word; p = from) {
        from = g_utf8_prev_char(p);
        bool last = known->len == begin;
        spell_character(from, last ? p : p + 1, symbol);
        if (g_hash_table_contains(subwords->numbers, symbol))
            g_string_insert_len(known, (gssize)begin, from, p - from);
        else
            left_out++;
    }
    if (known->len > begin) g_string_append_c(known, ' ');
    return left_out;
}

char *ns_subwords_keep_known(const NsSubwords *subwords, const char *line, size_t *left_out)
{
    GString *known = g_string_new(NULL);
    const char *at = line, *end = line + strlen(line), *word;
    size_t n;
    *left_out = 0;
    while ((word = ns_word_next(&at, end, &n))) *left_out += keep_known(subwords, word, n, known);
    return g_string_free(known, FALSE);
}

void ns_subwords_encode(const NsSubwords *subwords, const char *text, size_t bytes, GArray *tokens)
{
    static const uint16_t ends_line = LINE_END;
    const char *at = text, *word;
    size_t n;
    while ((word = ns_word_next(&at, text + bytes, &n))) {
        if (*word == '\n') {
            g_array_append_val(tokens, ends_line);
            continue;
        }
        size_t before = tokens->len;
        g_array_set_size(tokens, (guint)(before + n));
        uint16_t *symbols = &g_array_index(tokens, uint16_t, before);
        n = ns_merges_join(subwords->merges, symbols, spell(subwords, word, n, symbols));
        g_array_set_size(tokens, (guint)(before + n));
    }
}

/* ---- Learning merges ----
 *
 * Every pair of adjacent symbols has a count and a list of the words that may contain it.  Joining
 * a pair changes only these words, so the cost of a merge is about that of reading all counts. */

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
    uint16_t joined = (uint16_t)symbol_number(learner->subwords, text);
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
    g_autoptr(NsSubwords) subwords = subwords_new();
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
        word.n = spell(learner.subwords, text, bytes, word.symbols);
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
