/* How a text becomes tokens.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/bpe.h"
#include "core/data/subwords.h"
#include "core/settings/settings.h"

/* Tokens that are learned from a text unless the setting `vocab` says how many. */
#define NS_LEARNED_TOKENS 1000

/* At most one of the three; none of them: character by character. */
typedef struct {
    NsBpe *bytes;         /* the byte-level BPE of a folder in GPT-2's layout */
    NsSubwords *subwords; /* the merges of a file */
    size_t learned;       /* so many tokens of a byte-pair encoding are learned from the text */
} NsTokenizer;

/* As the setting `tokenizer` says: char or nothing, bpe, or the path of a folder or a file.
 * NS_ERROR_SETTING where it is none of these, and the errors of reading them. */
bool ns_tokenizer_open(NsTokenizer *tokenizer, const NsSettings *settings, GError **error);
void ns_tokenizer_clear(NsTokenizer *tokenizer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsTokenizer, ns_tokenizer_clear)

/* Whether a value of the setting is a path, not a word. */
bool ns_tokenizer_is_path(const char *value);

/* The files that a value of the setting names, for who wants to know what is in them.  Free with
 * g_strfreev. */
char **ns_tokenizer_files(const char *value);
