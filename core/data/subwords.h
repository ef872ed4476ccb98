/* Byte-pair encoding of words, in the layout of subword-nmt.  SPDX-License-Identifier: MIT
 *
 * Words are separated by spaces and line ends.  The symbols of a word are at first its characters,
 * the last of which carries the end-of-word mark "</w>"; merges join them.  A file of merges has
 * the line "#version: 0.2" and then one pair a line, in order of priority.  In a segmented text
 * every symbol of a word except the last ends in "@@".  Sennrich, Haddow, Birch 2016, arXiv
 * 1508.07909, 3.2. */
#pragma once

#include "core/data/merges.h"

typedef struct NsSubwords NsSubwords;

/* Reference-counted: ref adds a reference and free drops one. */
NsSubwords *ns_subwords_ref(NsSubwords *subwords);
void ns_subwords_free(NsSubwords *subwords);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSubwords, ns_subwords_free)

/* ---- Words ---- */

/* The next word of a text: its bytes, or one byte '\n' for a line end.  A CR before an LF belongs
 * to the line end.  NULL at the end. */
const char *ns_word_next(const char **at, const char *end, size_t *bytes);

/* An empty table of words and their counts.  Free with g_hash_table_unref. */
GHashTable *ns_words_new(void);

/* Adds the words of a UTF-8 text, counting each `weight` times; with weight 0 their characters
 * become symbols, but no merges are learned from them. */
void ns_words_add(GHashTable *words, const char *text, size_t bytes, size_t weight);

/* ---- Merges ---- */

/* Learns merges until there are `vocab` <= NS_TOKENS_MAX symbols or no pair occurs twice: joins the
 * most frequent pair; of equally frequent pairs the last one in the order of code points, as
 * subword-nmt does.  NS_ERROR_TEXT, which names the `source`, if the characters alone are more than
 * `vocab`. */
NsSubwords *ns_subwords_learn(GHashTable *words, size_t vocab, const char *source, GError **error);

/* Reads a file of merges.  NS_ERROR_FILE, NS_ERROR_MEMORY, or NS_ERROR_TEXT, which names the line.
 */
NsSubwords *ns_subwords_read(const char *path, GError **error);

/* Adds the characters of words as symbols, unless they are symbols already.  NS_ERROR_TEXT if there
 * would be more than NS_TOKENS_MAX symbols. */
bool ns_subwords_add_characters(NsSubwords *subwords, GHashTable *words, const char *source,
                                GError **error);

/* The contents of a file of merges.  Free with g_free. */
char *ns_subwords_file(const NsSubwords *subwords);

/* A table of all symbols except the line end in the order of their numbers, one a line, followed by
 * the contents of a file of merges.  Free with g_free. */
char *ns_subwords_table(const NsSubwords *subwords);

/* Reads such a table, which is UTF-8; NULL if it is malformed. */
NsSubwords *ns_subwords_new_from_table(const char *table);

/* ---- Symbols ---- */

/* The number of symbols, including the line end, which is number 0. */
size_t ns_subwords_size(const NsSubwords *subwords);

/* A symbol as written in a segmented text: "lo@@", "w".  Free with g_free. */
char *ns_subwords_text(const NsSubwords *subwords, size_t symbol);

/* Appends the characters of a symbol to a text; returns whether it ends a word.  The symbol is not
 * the line end. */
bool ns_subwords_append(const NsSubwords *subwords, size_t symbol, GString *text);

/* The words of a line without the characters that are not symbols, which are counted in *left_out.
 * Free with g_free. */
char *ns_subwords_keep_known(const NsSubwords *subwords, const char *line, size_t *left_out);

/* Appends the symbols (uint16_t) of a text, all of whose characters must be symbols. */
void ns_subwords_encode(const NsSubwords *subwords, const char *text, size_t bytes, GArray *tokens);
