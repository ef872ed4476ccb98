/* Line-aligned texts in two languages.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"

/* Builds a corpus of the files `source` and `target`, or of generated pairs where both settings are
 * empty.  Held out are the pairs of `valid-source` and `valid-target`, or every tenth of the others
 * from the end.  Both languages share one vocabulary.  Pairs that do not fit into source-seq and
 * seq are left out, which the name of the corpus says.  NS_ERROR_SETTING where files are missing or
 * the settings do not go together, NS_ERROR_TEXT where two files do not have the same number of
 * lines or too few pairs fit, and the errors of reading. */
NsCorpus *ns_corpus_new_from_pairs(const NsSettings *settings, GError **error);

/* Builds a corpus of generated sentences that follow one another (core/data/fact_grammar.h), in
 * pairs, of which every tenth from the end is held out.  Longer ones than seq are cut in batches.
 */
NsCorpus *ns_corpus_new_from_facts(const NsSettings *settings, GError **error);
