/* Byte-pair encoding of words, in the layout of subword-nmt.  SPDX-License-Identifier: MIT
 *
 * Words are what stands between spaces and line ends.  The symbols of a word are at first its
 * characters, the last of which carries the mark "</w>"; merges join them.  A file of merges has
 * the line "#version: 0.2" and then one pair a line, the first to be joined first.  In a segmented
 * text all symbols of a word but the last end in "@@". Sennrich, Haddow, Birch 2016, arXiv
 * 1508.07909, 3.2. */
#pragma once

#include "core/data/merges.h"

typedef struct NsSubwords NsSubwords;

/* Counted references.  free: gives one back. */
NsSubwords *ns_subwords_ref(NsSubwords *subwords);
void ns_subwords_free(NsSubwords *subwords);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSubwords, ns_subwords_free)

/* ---- Words ---- */

/* The next word of a text: its bytes, or one byte '\n' for a line end.  A CR before an LF belongs
 * to the line end.  NULL at the end. */
const char *ns_word_next(const char **at, const char *end, size_t *bytes);

/* The words of texts with their numbers; free with g_hash_table_unref. */
GHashTable *ns_words_new(void);

/* Adds those of a text, which is UTF-8, `weight` times each; with 0 their characters become
 * symbols, but nothing is learned from them. */
void ns_words_add(GHashTable *words, const char *text, size_t bytes, size_t weight);

/* ---- Merges ---- */

/* Learns merges until there are `vocab` symbols or no pair occurs twice: joins the most frequent
 * pair; of pairs that are equally frequent the last one in the order of code points, as subword-nmt
 * does.  NS_ERROR_TEXT, which names the `source`, where the characters alone are more than `vocab`,
 * which is at most NS_TOKENS_MAX. */
NsSubwords *ns_subwords_learn(GHashTable *words, size_t vocab, const char *source, GError **error);

/* Reads a file of merges.  NS_ERROR_FILE, or NS_ERROR_TEXT which names the line. */
NsSubwords *ns_subwords_read(const char *path, GError **error);

/* Makes symbols of the characters of words, where they are none yet.  NS_ERROR_TEXT where there
 * would be more than NS_TOKENS_MAX. */
bool ns_subwords_add_characters(NsSubwords *subwords, GHashTable *words, const char *source,
                                GError **error);

/* The file of merges.  Free with g_free. */
char *ns_subwords_file(const NsSubwords *subwords);

/* All symbols but the line end in the order of their numbers, a line each, and then the file of
 * merges.  Free with g_free. */
char *ns_subwords_table(const NsSubwords *subwords);

/* The same again, from UTF-8; NULL where it is none. */
NsSubwords *ns_subwords_new_from_table(const char *table);

/* ---- Symbols ---- */

/* How many symbols there are with the line end, which is number 0. */
size_t ns_subwords_size(const NsSubwords *subwords);

/* How a symbol stands in a segmented text: "lo@@", "w".  Free with g_free. */
char *ns_subwords_text(const NsSubwords *subwords, size_t symbol);

/* Appends what a symbol adds to a text; returns whether its word ends there.  Not for a line end.
 */
bool ns_subwords_append(const NsSubwords *subwords, size_t symbol, GString *text);

/* The words of a line without the characters that are no symbols, which are counted in *left_out.
 * Free with g_free. */
char *ns_subwords_keep_known(const NsSubwords *subwords, const char *line, size_t *left_out);

/* Appends the symbols (uint16_t) of a text.  All its characters are symbols. */
void ns_subwords_encode(const NsSubwords *subwords, const char *text, size_t bytes, GArray *tokens);
