/* SPDX-License-Identifier: MIT */
#include "core/data/bpe.h"

#include "core/base/error.h"
#include "core/data/json_object.h"
#include "core/data/reader.h"

#include <string.h>

/* Longer files are refused; the files of GPT-2 have 1 MB and 0.5 MB. */
#define MOST_BYTES ((size_t)64 << 20)

/* In the files a byte is written as a visible character: as itself where it is one, otherwise as
 * the next unused code point from here on. */
#define FIRST_FREE 256

struct NsBpe {
    size_t n;           /* tokens */
    char **bytes;       /* [n] the bytes of each token */
    uint16_t byte[256]; /* the token of a single byte */
    NsMerges *merges;
};

/* ---- How bytes are written ---- */

static bool is_written_as_itself(unsigned byte)
{
    return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/* Sets the character that each byte is written as. */
static void write_bytes(gunichar characters[256])
{
    gunichar next = FIRST_FREE;
    for (unsigned byte = 0; byte < 256; byte++)
        characters[byte] = is_written_as_itself(byte) ? byte : next++;
}

/* The bytes that a word of a file stands for; NULL if a character stands for no byte. */
static char *read_bytes(const char *word)
{
    gunichar characters[256];
    write_bytes(characters);
    g_autoptr(GString) bytes = g_string_new(NULL);
    for (const char *p = word; *p; p = g_utf8_next_char(p)) {
        unsigned byte = 0;
        gunichar c = g_utf8_get_char(p);
        while (byte < 256 && characters[byte] != c) byte++;
        if (byte == 256) return NULL;
        g_string_append_c(bytes, (char)byte);
    }
    return g_string_free(g_steal_pointer(&bytes), FALSE);
}

/* ---- Files ---- */

static bool refuse(const char *path, const char *why, GError **error)
{
    g_autofree char *name = g_filename_display_name(path);
    return ns_refuse(error, NS_ERROR_TEXT, "“%s” is not the vocabulary of a byte-level BPE: %s.",
                     name, why);
}

/* Reads the number of every token: `numbers` maps a word to its number + 1. */
static bool read_vocabulary(NsBpe *bpe, const char *path, GHashTable *numbers, GError **error)
{
    size_t size;
    g_autofree char *text = ns_read_file(path, MOST_BYTES, &size, error);
    if (!text) return false;
    g_autoptr(JsonNode) root = ns_json_parse(text, size);
    if (!root) return refuse(path, "it is not a JSON object that maps words to numbers", error);
    JsonObject *words = json_node_get_object(root);
    bpe->n = json_object_get_size(words);
    if (bpe->n > NS_TOKENS_MAX) return refuse(path, "it has more than 65,536 words", error);
    bpe->bytes = g_new0(char *, bpe->n + 1);
    JsonObjectIter iter;
    const char *word;
    JsonNode *number;
    json_object_iter_init(&iter, words);
    while (json_object_iter_next(&iter, &word, &number)) {
        int64_t at;
        if (!ns_json_whole_of(number, &at) || at < 0 || (size_t)at >= bpe->n || bpe->bytes[at])
            return refuse(path, "its numbers are not 0, 1, 2 …, each once", error);
        bpe->bytes[at] = read_bytes(word);
        if (!bpe->bytes[at])
            return refuse(path, "a word has a character that stands for no byte", error);
        g_hash_table_insert(numbers, g_strdup(word), GUINT_TO_POINTER((guint)at + 1));
    }
    return true;
}

/* Every byte must be a token, so that any text can be encoded. */
static bool find_bytes(NsBpe *bpe, const char *path, GHashTable *numbers, GError **error)
{
    gunichar characters[256];
    write_bytes(characters);
    for (unsigned byte = 0; byte < 256; byte++) {
        char word[7] = "";
        g_unichar_to_utf8(characters[byte], word);
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, word));
        if (!number) return refuse(path, "not every byte has a word of its own", error);
        bpe->byte[byte] = (uint16_t)(number - 1);
    }
    return true;
}

/* Reads a line such as "Ġ t". */
static bool read_merge(NsBpe *bpe, const char *line, GHashTable *numbers)
{
    g_auto(GStrv) parts = g_strsplit(line, " ", 3);
    if (g_strv_length(parts) != 2) return false;
    g_autofree char *joined = g_strconcat(parts[0], parts[1], NULL);
    guint left = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, parts[0]));
    guint right = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, parts[1]));
    guint whole = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, joined));
    if (!left || !right || !whole) return false;
    NsMerge merge = {(uint16_t)(left - 1), (uint16_t)(right - 1), (uint16_t)(whole - 1)};
    ns_merges_add(bpe->merges, merge);
    return true;
}

static bool read_merges(NsBpe *bpe, const char *path, GHashTable *numbers, GError **error)
{
    size_t size;
    g_autofree char *text = ns_read_file(path, MOST_BYTES, &size, error);
    if (!text) return false;
    bpe->merges = ns_merges_new();
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (size_t i = 0; lines[i]; i++) {
        const char *line = g_strchomp(lines[i]);
        bool comment = i == 0 && g_str_has_prefix(line, "#version");
        if (!*line || comment || read_merge(bpe, line, numbers)) continue;
        g_autofree char *name = g_filename_display_name(path);
        return ns_refuse(error, NS_ERROR_TEXT,
                         "Line %zu of “%s” is not a pair of words that vocab.json has, together "
                         "with the joined word; "
                         "take both files from the same model.",
                         i + 1, name);
    }
    return true;
}

NsBpe *ns_bpe_new(const char *folder, GError **error)
{
    g_autofree char *vocabulary = g_build_filename(folder, "vocab.json", NULL);
    g_autofree char *merges = g_build_filename(folder, "merges.txt", NULL);
    g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(NsBpe) bpe = g_new0(NsBpe, 1);
    bool good = read_vocabulary(bpe, vocabulary, numbers, error) &&
                find_bytes(bpe, vocabulary, numbers, error) &&
                read_merges(bpe, merges, numbers, error);
    return good ? g_steal_pointer(&bpe) : NULL;
}

void ns_bpe_free(NsBpe *bpe)
{
    if (!bpe) return;
    for (size_t i = 0; bpe->bytes && i < bpe->n; i++) g_free(bpe->bytes[i]);
    g_free(bpe->bytes);
    ns_merges_free(bpe->merges);
    g_free(bpe);
}

size_t ns_bpe_size(const NsBpe *bpe)
{
    return bpe->n;
}

const char *ns_bpe_bytes(const NsBpe *bpe, size_t token)
{
    return bpe->bytes[token];
}

/* ---- Words ---- */

typedef enum { LETTERS, DIGITS, SPACES, SIGNS } Kind;

/* White space as Unicode defines it. */
static bool is_space(gunichar c)
{
    return c == '\v' || c == 0x85 || g_unichar_isspace(c);
}

static Kind kind_of(gunichar c)
{
    GUnicodeType type = g_unichar_type(c);
    bool digit = type == G_UNICODE_DECIMAL_NUMBER || type == G_UNICODE_LETTER_NUMBER ||
                 type == G_UNICODE_OTHER_NUMBER;
    if (digit) return DIGITS;
    return g_unichar_isalpha(c) ? LETTERS : is_space(c) ? SPACES : SIGNS;
}

/* Returns the end of the run of characters of one kind that begins at p, and its last character in
 * *last. */
static const char *run_end(const char *p, const char *end, const char **last)
{
    Kind kind = kind_of(g_utf8_get_char(p));
    while (p < end && kind_of(g_utf8_get_char(p)) == kind) {
        *last = p;
        p = g_utf8_next_char(p);
    }
    return p;
}

/* Where the word that begins at p ends, by the published pattern
 *
 *     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
static const char *word_end(const char *p, const char *end)
{
    static const char *const endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        size_t n = strlen(endings[i]);
        if ((size_t)(end - p) >= n && memcmp(p, endings[i], n) == 0) return p + n;
    }
    const char *begin = *p == ' ' && p + 1 < end ? p + 1 : p, *last;
    if (kind_of(g_utf8_get_char(begin)) != SPACES) return run_end(begin, end, &last);
    /* The last character of a run of white space belongs to the next word, unless the run is that
     * character alone or ends the text. */
    const char *after = run_end(p, end, &last);
    return after == end || last == p ? after : last;
}

GArray *ns_bpe_encode(const NsBpe *bpe, const char *text, size_t bytes)
{
    GArray *tokens = g_array_new(FALSE, FALSE, sizeof(uint16_t));
    const char *end = text + bytes;
    for (const char *p = text, *next; p < end; p = next) {
        next = word_end(p, end);
        size_t n = (size_t)(next - p), at = tokens->len;
        g_array_set_size(tokens, (guint)(at + n));
        uint16_t *word = &g_array_index(tokens, uint16_t, at);
        for (size_t i = 0; i < n; i++) word[i] = bpe->byte[(unsigned char)p[i]];
        g_array_set_size(tokens, (guint)(at + ns_merges_join(bpe->merges, word, n)));
    }
    return tokens;
}
