/* The vocabulary of a corpus of pairs as a text, which is stored in run files.
 * SPDX-License-Identifier: MIT
 *
 * A separate vocabulary of the sources comes first, after a line "source N" with its length in
 * bytes.  The first line of a vocabulary is "characters" or "subwords".  It is followed by the
 * characters without gaps, or by every symbol except the line end on a line of its own and the
 * contents of a file of merges (core/data/subwords.h). */
#pragma once

#include "core/data/corpus.h"

/* The vocabulary of a corpus; NULL if it is not a corpus of translations.  Free with g_free. */
char *ns_vocabulary_write(const NsCorpus *corpus);

/* A corpus of these tokens without any sentence.  NS_ERROR_TEXT if the text is not a vocabulary;
 * `name` is its name in the message. */
NsCorpus *ns_vocabulary_read(const char *text, const char *name, GError **error);
