/* How a text becomes tokens.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/bpe.h"
#include "core/data/subwords.h"
#include "core/settings/settings.h"

/* Number of tokens of a learned byte-pair encoding if the setting `vocab` is 0. */
#define NS_LEARNED_TOKENS 1000

/* At most one of bytes, subwords and learned is set; if none is, every character is a token. */
typedef struct {
    NsBpe *bytes;         /* the byte-level BPE of a folder in GPT-2's layout */
    size_t least;         /* number of its tokens, if more than its words */
    NsSubwords *subwords; /* the merges of a file */
    size_t learned;       /* number of tokens of a byte-pair encoding to be learned from the text */
} NsTokenizer;

/* Opens the tokenizer of the setting `tokenizer`: char or an empty value, bpe, or the path of a
 * folder or a file.  NS_ERROR_SETTING if it is none of these, and the errors of reading them. */
bool ns_tokenizer_open(NsTokenizer *tokenizer, const NsSettings *settings, GError **error);
void ns_tokenizer_clear(NsTokenizer *tokenizer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsTokenizer, ns_tokenizer_clear)

/* Whether a value of the setting `tokenizer` is a path. */
bool ns_tokenizer_is_path(const char *value);

/* The paths of the files that a value of the setting `tokenizer` refers to.  Free with g_strfreev.
 */
char **ns_tokenizer_files(const char *value);
