/* The vocabulary of a corpus of pairs as a text, which a run keeps.  SPDX-License-Identifier: MIT
 *
 * Where sources have a vocabulary of their own, it stands first, after a line "source" with its
 * bytes.  The first line of each is "characters" or "subwords".  Then come the characters without
 * gaps, or every symbol but the line end on a line of its own and, after them, a file of merges
 * (core/data/subwords.h). */
#pragma once

#include "core/data/corpus.h"

/* NULL where the corpus is not one of translations.  Free with g_free. */
char *ns_vocabulary_write(const NsCorpus *corpus);

/* A corpus of these tokens without any sentence.  NS_ERROR_TEXT where the text, which is called by
 * `name`, is no vocabulary. */
NsCorpus *ns_vocabulary_read(const char *text, const char *name, GError **error);
