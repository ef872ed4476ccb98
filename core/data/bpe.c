/* SPDX-License-Identifier: MIT */
#include "core/data/bpe.h"

#include "core/base/error.h"
#include "core/base/words.h"
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
    char **bytes;       /* [NS_TOKENS_MAX] the bytes of the first n tokens */
    uint16_t byte[256]; /* the token of a single byte */
    NsMerges *merges;
};

/* ---- How bytes are written ---- */

/* Sets the character that each byte is written as. */
static void write_bytes(gunichar characters[256])
{
    gunichar next = FIRST_FREE;
    for (unsigned byte = 0; byte < 256; byte++) {
        /* Latin-1 has a visible character for these. */
        bool visible =
            (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        characters[byte] = visible ? byte : next++;
    }
}

/* The bytes that a word of a file stands for.  A special token may have characters that stand for
 * no byte; it is never a part of a text and retains its characters. */
static char *read_bytes(const char *word)
{
    gunichar characters[256];
    write_bytes(characters);
    g_autoptr(GString) bytes = g_string_new(NULL);
    for (const char *p = word; *p; p = g_utf8_next_char(p)) {
        unsigned byte = 0;
        gunichar c = g_utf8_get_char(p);
        while (byte < 256 && characters[byte] != c) byte++;
        if (byte == 256) return g_strdup(word);
        g_string_append_c(bytes, (char)byte);
    }
    return g_string_free(g_steal_pointer(&bytes), FALSE);
}

/* ---- Files ---- */

static bool refuse(const char *path, const char *why, GError **error)
{
    g_autofree char *name = g_filename_display_name(path);
    return ns_refuse(error, NS_ERROR_TEXT, "“%s” is not the vocabulary of a byte-level BPE: %s.",
                     name, _(why));
}

static JsonNode *read_object(const char *path, GError **error)
{
    size_t size;
    g_autofree char *text = ns_read_file(path, MOST_BYTES, &size, error);
    if (!text) return NULL;
    JsonNode *root = ns_json_parse(text, size);
    if (!root) refuse(path, "it is not a JSON object", error);
    return root;
}

/* The words that are read: where from, and from a word to its number + 1. */
typedef struct {
    NsBpe *bpe;
    const char *path;
    GHashTable *numbers;
} Words;

static bool add_word(const Words *w, const char *word, JsonNode *number, GError **error)
{
    int64_t at;
    if (!ns_json_integer_of(number, &at) || at < 0 || at >= (int64_t)NS_TOKENS_MAX)
        return refuse(w->path, "a word has no number from 0 to 65,535", error);
    gpointer value = GUINT_TO_POINTER((guint)at + 1);
    if (g_hash_table_lookup(w->numbers, word) == value) return true; /* as a special token again */
    if (w->bpe->bytes[at] || g_hash_table_contains(w->numbers, word))
        return refuse(w->path, "a number has two words, or a word has two numbers", error);
    w->bpe->bytes[at] = read_bytes(word);
    w->bpe->n = MAX(w->bpe->n, (size_t)at + 1);
    g_hash_table_insert(w->numbers, g_strdup(word), value);
    return true;
}

static bool add_words(const Words *w, JsonNode *node, GError **error)
{
    JsonObject *words = ns_json_object_of(node);
    if (!words) return refuse(w->path, "it has no object that maps words to numbers", error);
    JsonObjectIter iter;
    const char *word;
    JsonNode *number;
    json_object_iter_init(&iter, words);
    while (json_object_iter_next(&iter, &word, &number))
        if (!add_word(w, word, number, error)) return false;
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

static bool add_merge(NsBpe *bpe, const char *first, const char *second, GHashTable *numbers)
{
    if (!first || !second) return false;
    g_autofree char *joined = g_strconcat(first, second, NULL);
    guint left = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, first));
    guint right = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, second));
    guint merged = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, joined));
    if (!left || !right || !merged) return false;
    NsMerge merge = {(uint16_t)(left - 1), (uint16_t)(right - 1), (uint16_t)(merged - 1)};
    ns_merges_add(bpe->merges, merge);
    return true;
}

/* Reads a line such as "Ġ t". */
static bool read_merge(NsBpe *bpe, const char *line, GHashTable *numbers)
{
    g_auto(GStrv) parts = g_strsplit(line, " ", 3);
    return g_strv_length(parts) == 2 && add_merge(bpe, parts[0], parts[1], numbers);
}

static bool read_merges(NsBpe *bpe, const char *path, GHashTable *numbers, GError **error)
{
    size_t size;
    g_autofree char *text = ns_read_file(path, MOST_BYTES, &size, error);
    if (!text) return false;
    g_auto(GStrv) lines = g_strsplit(text + ns_byte_order_mark(text, size), "\n", -1);
    for (size_t i = 0; lines[i]; i++) {
        const char *line = g_strchomp(lines[i]);
        bool comment = i == 0 && g_str_has_prefix(line, "#version");
        if (!*line || comment || read_merge(bpe, line, numbers)) continue;
        g_autofree char *name = g_filename_display_name(path);
        return ns_refuse(error, NS_ERROR_TEXT,
                         "Line %zu of “%s” is not a merge whose two parts and result are all in "
                         "vocab.json; take both files from the same model.",
                         i + 1, name);
    }
    return true;
}

/* ---- One file for all ---- */

/* Whether texts are cut into words and bytes as GPT-2 does. */
static bool is_byte_level(JsonObject *root)
{
    JsonObject *step = ns_json_object_of(json_object_get_member(root, "pre_tokenizer"));
    JsonArray *steps =
        step ? ns_json_array_of(json_object_get_member(step, "pretokenizers")) : NULL;
    if (steps && json_array_get_length(steps) == 1)
        step = ns_json_object_of(json_array_get_element(steps, 0));
    if (!step || g_strcmp0(ns_json_text_of(json_object_get_member(step, "type")), "ByteLevel") != 0)
        return false;
    JsonNode *normalizer = json_object_get_member(root, "normalizer");
    return json_object_get_boolean_member_with_default(step, "use_regex", TRUE) &&
           (!normalizer || JSON_NODE_HOLDS_NULL(normalizer));
}

static bool read_tokenizer(const Words *w, GError **error)
{
    g_autoptr(JsonNode) node = read_object(w->path, error);
    if (!node) return false;
    JsonObject *root = json_node_get_object(node);
    JsonObject *model = ns_json_object_of(json_object_get_member(root, "model"));
    const char *type = model ? ns_json_text_of(json_object_get_member(model, "type")) : "";
    if (!model || (type && !g_str_equal(type, "BPE")) || !is_byte_level(root))
        return refuse(w->path, "it cuts texts in another way than GPT-2 does", error);
    if (!add_words(w, json_object_get_member(model, "vocab"), error)) return false;
    JsonArray *added = ns_json_array_of(json_object_get_member(root, "added_tokens"));
    for (guint i = 0; added && i < json_array_get_length(added); i++) {
        JsonObject *token = ns_json_object_of(json_array_get_element(added, i));
        const char *word = token ? ns_json_text_of(json_object_get_member(token, "content")) : NULL;
        if (!word) return refuse(w->path, "an added token has no text", error);
        if (!add_word(w, word, json_object_get_member(token, "id"), error)) return false;
    }
    /* The merges are lines, or pairs of words. */
    JsonArray *merges = ns_json_array_of(json_object_get_member(model, "merges"));
    guint n = merges ? json_array_get_length(merges) : 0;
    for (guint i = 0; i < n; i++) {
        JsonNode *merge = json_array_get_element(merges, i);
        JsonArray *pair = ns_json_array_of(merge);
        const char *line = ns_json_text_of(merge);
        if (i == 0 && line && g_str_has_prefix(line, "#version")) continue;
        bool good =
            line ? read_merge(w->bpe, line, w->numbers)
                 : pair && json_array_get_length(pair) == 2 &&
                       add_merge(w->bpe, ns_json_text_of(json_array_get_element(pair, 0)),
                                 ns_json_text_of(json_array_get_element(pair, 1)), w->numbers);
        if (good) continue;
        g_autofree char *why = g_strdup_printf(
            "merge %u is not a pair of its words, together with the joined word", i + 1);
        return refuse(w->path, why, error);
    }
    return merges || refuse(w->path, "it has no list of merges", error);
}

/* ---- The folder ---- */

static bool has(const char *folder, const char *file)
{
    g_autofree char *path = g_build_filename(folder, file, NULL);
    return g_file_test(path, G_FILE_TEST_EXISTS);
}

char **ns_bpe_files(const char *folder)
{
    bool both = has(folder, "vocab.json") && has(folder, "merges.txt");
    bool one = !both && has(folder, "tokenizer.json");
    GPtrArray *files = g_ptr_array_new();
    g_ptr_array_add(files, g_build_filename(folder, one ? "tokenizer.json" : "vocab.json", NULL));
    if (!one) g_ptr_array_add(files, g_build_filename(folder, "merges.txt", NULL));
    if (both && has(folder, "added_tokens.json"))
        g_ptr_array_add(files, g_build_filename(folder, "added_tokens.json", NULL));
    g_ptr_array_add(files, NULL);
    return (char **)g_ptr_array_free(files, FALSE);
}

bool ns_bpe_is(const char *folder)
{
    return has(folder, "vocab.json") || has(folder, "merges.txt") || has(folder, "tokenizer.json");
}

static bool read_words(Words *w, const char *path, GError **error)
{
    w->path = path;
    g_autoptr(JsonNode) root = read_object(path, error);
    return root && add_words(w, root, error);
}

NsBpe *ns_bpe_new(const char *folder, GError **error)
{
    g_auto(GStrv) files = ns_bpe_files(folder);
    g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(NsBpe) bpe = g_new0(NsBpe, 1);
    bpe->bytes = g_new0(char *, NS_TOKENS_MAX);
    bpe->merges = ns_merges_new();
    Words w = {bpe, files[0], numbers};
    bool good = files[1] ? read_words(&w, files[0], error) : read_tokenizer(&w, error);
    if (good && files[1] && files[2]) good = read_words(&w, files[2], error);
    good = good && find_bytes(bpe, files[0], numbers, error) &&
           (!files[1] || read_merges(bpe, files[1], numbers, error));
    for (size_t i = 0; i < bpe->n; i++)
        if (!bpe->bytes[i]) bpe->bytes[i] = g_strdup_printf("<|%zu|>", i);
    return good ? g_steal_pointer(&bpe) : NULL;
}

void ns_bpe_free(NsBpe *bpe)
{
    if (!bpe) return;
    for (size_t i = 0; i < bpe->n; i++) g_free(bpe->bytes[i]);
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
