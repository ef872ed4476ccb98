/* Labeled pairs of sentences for fine-tuning.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"
#include "core/data/grammar.h"

/* The format of a table of pairs, which has tab-separated columns after a header line.  MRPC: label
 * (1: both mean the same), two numbers, two sentences.  RTE, in the layout of GLUE: number, two
 * sentences, label (entailment or not_entailment). */
typedef enum { NS_LABELED_MRPC, NS_LABELED_RTE } NsLabeledFormat;

/* How much of a table was left out. */
typedef struct {
    size_t characters; /* that have no token */
    size_t blank;      /* lines without any text */
    size_t empty;      /* pairs with an empty sentence */
} NsLabeledLeftOut;

/* Builds a corpus of the pairs of a file, plain or compressed by gzip, in the vocabulary of another
 * corpus; every fifth pair is held out.  NS_ERROR_TEXT, which names file and line, if a line is not
 * a pair of the format, and the errors of reading. */
NsCorpus *ns_labeled_new_from_file(const NsCorpus *vocabulary, const char *path,
                                   NsLabeledFormat format, NsLabeledLeftOut *left_out,
                                   GError **error);

/* Builds a corpus of generated pairs (core/data/grammar.h): n for training, which depend on
 * the seed, and NS_LABELED_HELD_OUT held-out pairs, which are always the same.  The vocabulary must
 * contain the line end. */
NsCorpus *ns_labeled_new_generated(const NsCorpus *vocabulary, NsPairRelation relation,
                                   uint64_t seed, size_t n, NsLabeledLeftOut *left_out);
#define NS_LABELED_HELD_OUT ((size_t)1000)

/* Fills a batch with the held-out pairs from `first` on, and returns how many there are; further
 * sequences repeat pairs from the beginning.  The target of the first token is the label. */
size_t ns_labeled_held_out(const NsCorpus *corpus, size_t first, NsBatch *batch);
