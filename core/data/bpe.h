/* Byte-level byte-pair encoding, as GPT-2 has it.  SPDX-License-Identifier: MIT
 *
 * A text is cut into words: letters, digits or other signs, each with the space before them, and
 * the rest of a run of white space.  The bytes of a word are tokens at first; then, again and
 * again, the pair of neighbors that stands first in a list of merges is joined wherever it is in
 * the word. Sennrich, Haddow, Birch 2016; Radford et al. 2019, 2.2. */
#pragma once

#include "core/data/merges.h"

typedef struct NsBpe NsBpe;

/* Reads `vocab.json` (the number of every token) and `merges.txt` (the pairs, one a line, the first
 * to be joined first) of a folder, as GPT-2 publishes them.  NULL with NS_ERROR_FILE or
 * NS_ERROR_TEXT, which say what is wrong and where. */
NsBpe *ns_bpe_new(const char *folder, GError **error);
void ns_bpe_free(NsBpe *bpe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsBpe, ns_bpe_free)

/* How many tokens there are. */
size_t ns_bpe_size(const NsBpe *bpe);

/* The tokens of a text, which is UTF-8: uint16_t, free with g_array_unref. */
GArray *ns_bpe_encode(const NsBpe *bpe, const char *text, size_t bytes);

/* The bytes that a token stands for, with a zero after them; they need not be whole characters. */
const char *ns_bpe_bytes(const NsBpe *bpe, size_t token);
