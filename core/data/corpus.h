/* What a model learns from: a text as tokens, split into training and held-out parts, or a task
 * that makes its sequences as they are asked for.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/rng.h"
#include "core/data/batch.h"
#include "core/settings/settings.h"

#include <stdbool.h>

/* How sequences are made from a corpus: a row of core/data/sampler.h. */
typedef struct NsSampler NsSampler;

/* A sentence and its translation in the tokens of a corpus: where they begin, and how many tokens
 * they have with their ends. */
typedef struct {
    size_t source, target;
    size_t source_length, target_length;
    int label; /* the class of a labeled pair */
} NsPair;

/* Immutable once made; counted references, from any thread. */
typedef struct NsCorpus {
    char *name;        /* for people: "generated text", or the file's base name */
    gunichar *symbols; /* [V] code point of each token, ascending; NULL where it is none */
    char **words;      /* [V] the bytes of each token of a tokenizer's vocabulary; or NULL */
    struct NsSubwords *subwords; /* whose symbols these are, or NULL */
    size_t V;                    /* symbols that are predicted */
    uint16_t *tokens;            /* [n]; NULL without a text */
    size_t n;                    /* all tokens of the text; 0 without one */
    size_t n_train; /* the first n_train are for training, the rest (a tenth) is held out */
    NsPair *pairs;  /* of sentences; NULL where the text has none */
    size_t n_pairs, n_train_pairs; /* the first n_train_pairs are for training */
    struct NsPairLengths *lengths; /* of pairs for training, or NULL */
    struct NsCorpus *source; /* the tokens of sources where their vocabulary is another; or NULL */
    const NsSampler *sampler;
    unsigned arch;      /* whose batches these are: NS_ARCH_DECODER, ... */
    bool next_sentence; /* of the task mlm: there are labels */
    uint64_t data_seed; /* of what is held out where the batches are made */
    gatomicrefcount refs;
} NsCorpus;

/* All functions are pure: the same arguments give the same batch at any time, on any thread.  Every
 * function overwrites the whole batch. */
struct NsSampler {
    const char *special[3]; /* how the symbol V is written, by architecture, where there is one */
    const char *further[2]; /* how the symbols V + 1 and V + 2 are written, where they exist */
    bool nameless;          /* tokens are told apart by their positions alone */
    /* NULL: the model predicts V symbols, and reads these and the special one. */
    NsVocab (*vocab)(const NsCorpus *corpus, const NsSettings *settings);
    /* Of a task that makes its sequences: makes number b of a batch from a stream of random
     * numbers; and the names of the streams of training and of validation. */
    void (*make)(const NsCorpus *corpus, NsRng *rng, NsBatch *batch, size_t b);
    const char *stream, *held_out_stream;
    /* Of a text: batches of its two parts.  `validate` reads what `train` never does. */
    void (*train)(const NsCorpus *corpus, uint64_t data_seed, uint64_t index, NsBatch *batch);
    void (*validate)(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch);
    /* Of the symbol tasks: what is to be made of n symbols; no overlap. */
    void (*answer)(int32_t *answer, const int32_t *symbols, size_t n);
};

/* A corpus without symbols and text. */
NsCorpus *ns_corpus_new(const char *name, const NsSampler *sampler, size_t V);

/* A corpus without a text: `name` for people, V symbols to predict, called a, b, c ... where
 * `letters` (V <= 26). */
NsCorpus *ns_corpus_new_made(const char *name, const NsSampler *sampler, size_t V, bool letters);

NsCorpus *ns_corpus_ref(NsCorpus *corpus);
void ns_corpus_unref(NsCorpus *corpus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsCorpus, ns_corpus_unref)

/* The corpus whose tokens sources of sentence pairs have: it or its source. */
const NsCorpus *ns_corpus_source(const NsCorpus *corpus);

/* What a model must read and predict.  Symbols that are predicted have the same numbers where they
 * are read; a mask, separator or begin symbol comes after them, as number `out`. */
NsVocab ns_corpus_vocab(const NsCorpus *corpus, const NsSettings *settings);

/* Room for a token as text. */
#define NS_TOKEN_TEXT 12

/* How a token is written: its character, with a sign for a space, a tab and a line's end and the
 * number of a code point that cannot be seen alone; the beginning of its word, likewise; a number
 * where symbols have no characters;
 * "[M]" for a mask, "⟨s⟩" for the beginning, "|" for a separator.  Empty where tokens are nameless.
 */
void ns_corpus_token_text(const NsCorpus *corpus, int32_t token, char text[NS_TOKEN_TEXT]);

/* Training batch number `index`, a function of (data_seed, index, B, T, S, room) alone, so that any
 * batch can be made again at any time: windows of a text, drawn uniformly, or new sequences of the
 * task.  In a batch with room, translations choose B, T and S. */
void ns_corpus_train_batch(const NsCorpus *corpus, uint64_t data_seed, uint64_t index,
                           NsBatch *batch);

/* Validation batch `index` of `count`, always the same ones: count * B windows spread evenly over
 * the held-out part, or sequences of the task from streams that training never opens. */
void ns_corpus_validation_batch(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch);
