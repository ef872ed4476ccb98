/* Byte-level byte-pair encoding, as in GPT-2.  SPDX-License-Identifier: MIT
 *
 * A text is split into words: runs of letters, digits or other signs, each with the space before
 * it, and the remaining white space.  At first every byte of a word is a token; then the pair of
 * adjacent tokens that comes first in the list of merges is joined wherever it occurs in the word,
 * until no listed pair is left.  Sennrich, Haddow, Birch 2016; Radford et al. 2019, 2.2. */
#pragma once

#include "core/data/merges.h"

typedef struct NsBpe NsBpe;

/* Reads the files of a folder, as published for GPT-2: `vocab.json` (the number of every token),
 * `merges.txt` (one pair a line, in order of priority) and, if there is one, `added_tokens.json`;
 * or `tokenizer.json` if one of the first two is missing.  Special tokens may have characters that
 * stand for no byte; a number without a word is a token that no text has.  NULL with NS_ERROR_FILE
 * or NS_ERROR_TEXT, whose message names the file, and the line of a wrong merge. */
NsBpe *ns_bpe_new(const char *folder, GError **error);

/* The paths of the files that ns_bpe_new reads.  Free with g_strfreev. */
char **ns_bpe_files(const char *folder);

/* Whether a folder has any of these files. */
bool ns_bpe_is(const char *folder);

void ns_bpe_free(NsBpe *bpe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsBpe, ns_bpe_free)

/* The number of tokens in the vocabulary. */
size_t ns_bpe_size(const NsBpe *bpe);

/* The tokens (uint16_t) of a UTF-8 text.  Free with g_array_unref. */
GArray *ns_bpe_encode(const NsBpe *bpe, const char *text, size_t bytes);

/* The zero-terminated bytes of a token, which may be a part of a UTF-8 character. */
const char *ns_bpe_bytes(const NsBpe *bpe, size_t token);
