/* A text as tokens.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"
#include "core/data/text_file.h"
#include "core/data/tokenizer.h"

/* More distinct characters than this are refused; a token fits into 16 bits. */
#define NS_SYMBOLS_MAX ((size_t)20000)

/* A text, which is UTF-8; `source` names it.  A byte-pair encoding is learned from its first
 * `training` bytes, which end between words. */
typedef struct {
    const char *begin, *source;
    size_t bytes, training;
} NsText;

/* A corpus of the tokens of a text (NULL: its characters), of which n_train is still to be set.
 * NS_ERROR_TEXT where it has one distinct character only or too many. */
NsCorpus *ns_text_tokens(const NsText *text, const NsTokenizer *tokenizer, GError **error);

/* Builds a corpus for a decoder from text, of its characters or of the tokens of a tokenizer
 * (NULL: characters).  A byte-pair encoding is learned from the training part alone.  A leading
 * byte-order mark is dropped, CR LF becomes LF. `source` names it in messages and becomes the name.
 * NS_ERROR_TEXT where the text is not UTF-8 or contains a zero byte (says at which byte and line,
 * counted from 1), is empty, has one distinct character only or too many, or is too short for one
 * sequence of `seq` characters in each part (says how many characters there are and how many are
 * needed); with a source, `seq` counts both.
 */
NsCorpus *ns_corpus_new_from_text(const char *text, size_t bytes, const char *source, size_t seq,
                                  const NsTokenizer *tokenizer, GError **error);

/* Reads a file, plain or compressed by gzip, and builds a corpus from it, named by its base name.
 * NS_ERROR_FILE where it cannot be read, is a directory, pipe or device, or exceeds NS_TEXT_MAX. */
NsCorpus *ns_corpus_new_from_file(const char *path, size_t seq, const NsTokenizer *tokenizer,
                                  GError **error);
