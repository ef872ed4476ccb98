/* Pairs of sentences with a label, which fine-tuning learns.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"
#include "core/data/fact_grammar.h"

/* How a table of pairs is written: tab-separated columns after a head line.  MRPC: label (1: both
 * mean the same), two numbers, two sentences.  RTE, in the layout of GLUE: number, two sentences,
 * label (entailment or not_entailment). */
typedef enum { NS_LABELED_MRPC, NS_LABELED_RTE } NsLabeledFormat;

/* Builds a corpus of the pairs of a file, plain or compressed by gzip, in the vocabulary of another
 * corpus; every fifth pair is held out.  Characters without a token are left out and counted.
 * NS_ERROR_TEXT, which names file and line, where a line is no pair of the format, and the errors
 * of reading. */
NsCorpus *ns_labeled_new_from_file(const NsCorpus *vocabulary, const char *path,
                                   NsLabeledFormat format, size_t *left_out, GError **error);

/* Builds one of generated pairs (core/data/fact_grammar.h): n for training, from the seed, and
 * NS_LABELED_HELD_OUT others, which are always the same.  The vocabulary must have line ends. */
NsCorpus *ns_labeled_new_generated(const NsCorpus *vocabulary, NsPairRelation relation,
                                   uint64_t seed, size_t n, size_t *left_out);
#define NS_LABELED_HELD_OUT ((size_t)1000)

/* The held-out pairs from `first` on, as sequences of a batch, as many as there are: returns their
 * number.  The target of each first token is its label. */
size_t ns_labeled_held_out(const NsCorpus *corpus, size_t first, NsBatch *batch);
