/* What a model learns from: a text as tokens, split into training and held-out parts, or a task
 * that makes its sequences as they are asked for.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/batch.h"
#include "core/settings/settings.h"

/* Larger files are refused. */
#define NS_TEXT_MAX ((size_t)256 << 20)

/* More distinct characters than this are refused; a token fits into 16 bits. */
#define NS_SYMBOLS_MAX ((size_t)20000)

/* How sequences are made from a corpus: core/data/sampler.h. */
typedef struct NsSampler NsSampler;

/* Immutable once made; counted references, from any thread. */
typedef struct {
    char *name;        /* for people: "generated text", or the file's base name */
    gunichar *symbols; /* [V] code point of each token, ascending; NULL where they have no names */
    size_t V;          /* symbols that are predicted */
    uint16_t *tokens;  /* [n]; NULL without a text */
    size_t n;          /* all tokens of the text; 0 without one */
    size_t n_train;    /* the first n_train are for training, the rest (a tenth) is held out */
    const NsSampler *sampler;
    unsigned arch;      /* whose batches these are: NS_ARCH_DECODER, ... */
    uint64_t data_seed; /* of what is held out where the batches are made */
    gatomicrefcount refs;
} NsCorpus;

/* Builds a corpus for a decoder from text.  A leading byte-order mark is dropped, CR LF becomes LF.
 * `source` names it in messages and becomes the name.  NS_ERROR_TEXT where the text is not UTF-8 or
 * contains a zero byte (says at which byte and line, counted from 1), is empty, has one distinct
 * character only or too many, or is too short for one sequence of `seq` characters in each part
 * (says how many characters there are and how many are needed); with a source, `seq` counts both.
 */
NsCorpus *ns_corpus_new_from_text(const char *text, size_t bytes, const char *source, size_t seq,
                                  GError **error);

/* Reads a file and builds a corpus from it, named by its base name.  NS_ERROR_FILE where it cannot
 * be read, is a directory, pipe or device, or exceeds NS_TEXT_MAX. */
NsCorpus *ns_corpus_new_from_file(const char *path, size_t seq, GError **error);

/* The corpus that settings->task names, for settings->arch.  NS_ERROR_SETTING too where `seq`
 * leaves no room for the task. */
NsCorpus *ns_corpus_open(const NsSettings *settings, GError **error);

NsCorpus *ns_corpus_ref(NsCorpus *corpus);
void ns_corpus_unref(NsCorpus *corpus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsCorpus, ns_corpus_unref)

/* What a model must read and predict.  Symbols that are predicted have the same numbers where they
 * are read; a mask, separator or begin symbol comes after them, as number `out`. */
NsVocab ns_corpus_vocab(const NsCorpus *corpus, const NsSettings *settings);

/* Training batch number `index`, a function of (data_seed, index, B, T, S) alone, so that any batch
 * can be made again at any time: windows of a text, drawn uniformly, or new sequences of the task.
 */
void ns_corpus_train_batch(const NsCorpus *corpus, uint64_t data_seed, uint64_t index,
                           NsBatch *batch);

/* Validation batch `index` of `count`, always the same ones: count * B windows spread evenly over
 * the held-out part, or sequences of the task from streams that training never opens. */
void ns_corpus_validation_batch(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch);
