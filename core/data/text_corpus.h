/* A text as tokens.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"
#include "core/data/reader.h"
#include "core/data/tokenizer.h"

/* More distinct characters than this are refused; a token fits into 16 bits. */
#define NS_SYMBOLS_MAX ((size_t)20000)

/* A UTF-8 text; `source` is its name in messages.  A byte-pair encoding is learned from its first
 * `training` bytes, which end between two words. */
typedef struct {
    const char *begin, *source;
    size_t bytes, training;
} NsText;

/* A corpus of the tokens of a text (without a tokenizer: its characters), whose n_train is still to
 * be set.  NS_ERROR_TEXT if it has only one distinct character or too many. */
NsCorpus *ns_text_tokens(const NsText *text, const NsTokenizer *tokenizer, GError **error);

/* Builds a corpus from a text, of its characters or of the tokens of a tokenizer (NULL:
 * characters).  A byte-pair encoding is learned from the training part only.  A leading byte-order
 * mark is dropped, CR LF becomes LF.  `source` is the name of the text and of the corpus.
 * NS_ERROR_TEXT if the text is not UTF-8 or contains a zero byte (with the byte and line, counted
 * from 1), is empty, has only one distinct character or too many, or is too short for one sequence
 * of `seq` tokens in each part (with the present and the required number of tokens).  In an
 * encoder-decoder `seq` is the sum of the source and target lengths. */
NsCorpus *ns_corpus_new_from_text(const char *text, size_t bytes, const char *source, size_t seq,
                                  const NsTokenizer *tokenizer, GError **error);

/* Reads a file, plain or compressed by gzip, and builds a corpus from it, named after the file.
 * NS_ERROR_FILE if it cannot be read, is a directory, pipe or device, or exceeds NS_TEXT_MAX. */
NsCorpus *ns_corpus_new_from_file(const char *path, size_t seq, const NsTokenizer *tokenizer,
                                  GError **error);
