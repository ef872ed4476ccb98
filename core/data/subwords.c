/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/data/reader.h"
#include "core/data/subwords-private.h"

#include <string.h>

#define VERSION "#version: 0.2"
#define END_OF_WORD "</w>"
#define JOINER "@@"
#define LINE_END 0

/* Longer files of merges are refused. */
#define MOST_BYTES ((size_t)64 << 20)

/* Bytes of a symbol that is one character with the end-of-word mark. */
#define CHARACTER_BYTES (6 + sizeof END_OF_WORD)

NsSubwords *ns_subwords_new(void)
{
    NsSubwords *subwords = g_new(NsSubwords, 1);
    subwords->symbols = g_ptr_array_new_with_free_func(g_free);
    subwords->numbers = g_hash_table_new(g_str_hash, g_str_equal);
    subwords->merges = ns_merges_new();
    g_atomic_ref_count_init(&subwords->refs);
    ns_subwords_symbol(subwords, "\n");
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

size_t ns_subwords_symbol(NsSubwords *subwords, const char *symbol)
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

size_t ns_subwords_spell(const NsSubwords *subwords, const char *word, size_t bytes,
                         uint16_t *symbols)
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
        if (ns_subwords_symbol(subwords, c->data) == NS_TOKENS_MAX)
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
    size_t left = ns_subwords_symbol(subwords, parts[0]);
    size_t right = ns_subwords_symbol(subwords, parts[1]);
    size_t merged = ns_subwords_symbol(subwords, joined);
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
    g_autoptr(NsSubwords) subwords = ns_subwords_new();
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
    g_autoptr(NsSubwords) subwords = ns_subwords_new();
    size_t i = 0;
    for (; lines[i] && !g_str_equal(lines[i], VERSION); i++)
        if (!*lines[i] || ns_subwords_symbol(subwords, lines[i]) != i + 1) return NULL;
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
        n = ns_merges_join(subwords->merges, symbols,
                           ns_subwords_spell(subwords, word, n, symbols));
        g_array_set_size(tokens, (guint)(before + n));
    }
}
