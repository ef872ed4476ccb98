/* Line-aligned texts in two languages.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"

/* Builds a corpus of the files `source` and `target`, or of generated pairs if both settings are
 * empty.  The pairs of `valid-source` and `valid-target`, or else the last tenth of the others, are
 * held out.  Both languages share one vocabulary unless vocabularies=separate.  Pairs that do not
 * fit into source-seq and seq are left out, and the name of the corpus contains how many are used.
 * NS_ERROR_SETTING if a file is not named or the settings are incompatible, NS_ERROR_TEXT if two
 * files do not have the same number of lines or too few pairs fit, and the errors of reading. */
NsCorpus *ns_corpus_new_from_pairs(const NsSettings *settings, GError **error);

/* Builds a corpus of generated pairs of consecutive sentences (core/data/grammar.h), of which
 * the last tenth is held out.  Pairs that are longer than seq are cut when batches are made. */
NsCorpus *ns_corpus_new_from_facts(const NsSettings *settings, GError **error);

/* Training pairs by length, for batches of pairs of similar length. */
typedef struct NsPairLengths NsPairLengths;

void ns_pair_lengths_free(NsPairLengths *lengths);

/* The average share of padding among the source and target positions of training batches that have
 * the sizes of this one. */
double ns_pair_lengths_padding(const NsPairLengths *lengths, const NsBatch *batch);
