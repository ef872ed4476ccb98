/* The data of a task: a text as tokens, split into a training and a held-out part, or a generator
 * that makes sequences on demand.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/rng.h"
#include "core/data/batch.h"
#include "core/settings/settings.h"

#include <stdbool.h>

/* How sequences are made from a corpus: a row of core/data/sampler.h. */
typedef struct NsSampler NsSampler;

/* A sentence and its translation: where they begin in the tokens of a corpus, and their lengths
 * with the token that ends a sentence. */
typedef struct {
    size_t source, target;
    size_t source_length, target_length;
    int label; /* the class of a labeled pair */
} NsPair;

/* Immutable once made, and reference-counted; usable from any thread. */
typedef struct NsCorpus {
    char *name;        /* display name: "generated text", or the file's base name */
    gunichar *symbols; /* [V] code point of each token, ascending; NULL if tokens have none */
    char **words;      /* [V] the bytes of each token of a tokenizer's vocabulary; or NULL */
    struct NsSubwords *subwords; /* the merges that give these tokens, or NULL */
    size_t V;                    /* number of symbols that a model predicts */
    uint16_t *tokens;            /* [n]; NULL without a text */
    size_t n;                    /* number of tokens of the text; 0 without one */
    size_t n_train; /* the first n_train are for training, the rest (a tenth) is held out */
    NsPair *pairs;  /* pairs of sentences; NULL if the data has none */
    size_t n_pairs, n_train_pairs; /* the first n_train_pairs are for training */
    struct NsPairLengths *lengths; /* training pairs by length, or NULL */
    struct NsCorpus *source; /* the source sentences if they have a separate vocabulary; or NULL */
    const NsSampler *sampler;
    unsigned arch;      /* the architecture that batches are made for: NS_ARCH_DECODER, ... */
    bool next_sentence; /* task mlm: sequences have a label for next-sentence prediction */
    uint64_t data_seed; /* seed of generated validation batches */
    gatomicrefcount refs;
} NsCorpus;

/* How a kind of corpus makes batches.  All functions are pure: the same arguments give the same
 * batch at any time, on any thread.  Every function overwrites the whole batch. */
struct NsSampler {
    const char *special[3]; /* text of symbol V for each architecture; NULL: no such symbol */
    const char *further[2]; /* text of the symbols V + 1 and V + 2; NULL: no such symbol */
    bool nameless;          /* tokens have no text; only their positions distinguish them */
    /* NULL: the model predicts V symbols, and reads these and the special one. */
    NsVocab (*vocab)(const NsCorpus *corpus, const NsSettings *settings);
    /* For generated sequences: makes sequence b of a batch from a stream of random numbers; and the
     * names of the streams for training and for validation. */
    void (*make)(const NsCorpus *corpus, NsRng *rng, NsBatch *batch, size_t b);
    const char *stream, *held_out_stream;
    /* For a text: make batches from its training and from its held-out part. */
    void (*train)(const NsCorpus *corpus, uint64_t data_seed, uint64_t index, NsBatch *batch);
    void (*validate)(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch);
    /* For the symbol tasks: writes the correct answer to n symbols; the arrays do not overlap. */
    void (*answer)(int32_t *answer, const int32_t *symbols, size_t n);
};

/* A corpus without symbols and text. */
NsCorpus *ns_corpus_new(const char *name, const NsSampler *sampler, size_t V);

/* A corpus without a text: display name, and V symbols to predict, which are named a, b, c ... if
 * `letters` (V <= 26). */
NsCorpus *ns_corpus_new_made(const char *name, const NsSampler *sampler, size_t V, bool letters);

NsCorpus *ns_corpus_ref(NsCorpus *corpus);
void ns_corpus_unref(NsCorpus *corpus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsCorpus, ns_corpus_unref)

/* The corpus that contains the source sentences of pairs: corpus->source, or the corpus itself. */
const NsCorpus *ns_corpus_source(const NsCorpus *corpus);

/* The numbers of symbols that a model reads and predicts.  A predicted symbol has the same number
 * as an input; a mask, separator or begin symbol comes after them, as number `out`. */
NsVocab ns_corpus_vocab(const NsCorpus *corpus, const NsSettings *settings);

/* The losses of models that ignore the context, in nats a token: a uniform guess, the logarithm of
 * the number of symbols; and the frequencies of the tokens, the entropy of the training part of a
 * text, NaN without one. */
typedef struct {
    double uniform, frequencies;
    bool letters; /* the tokens are characters */
} NsBaselines;
NsBaselines ns_corpus_baselines(const NsCorpus *corpus, const NsSettings *settings);

/* Size of the buffer for the text of a token, in bytes. */
#define NS_TOKEN_TEXT 12

/* Writes a token as text: its character, or as much of its word as fits, with a visible sign for a
 * space, a tab and a line end; "U+1234" for a character that is not visible by itself; a number if
 * tokens are neither characters nor words; "[M]" for a mask, "⟨s⟩" for the begin symbol, "|" for a
 * separator; an empty text if tokens are nameless. */
void ns_corpus_token_text(const NsCorpus *corpus, int32_t token, char text[NS_TOKEN_TEXT]);

/* The tokens (uint16_t) of a UTF-8 text, for a corpus of characters or of subwords.  Characters
 * without a token are left out and counted in *left_out; the text of a special symbol is that
 * symbol.  Free with g_array_unref. */
GArray *ns_text_encode(const NsCorpus *corpus, const char *text, size_t *left_out);

/* Appends the text of n tokens.  *space, false before the first token, is whether the word before
 * them has ended, so that a text can be appended in parts.  The bytes of a byte-level encoding may
 * end within a character. */
void ns_tokens_append(const NsCorpus *corpus, const int32_t *tokens, size_t n, bool *space,
                      GString *text);

/* The token that ends a sentence: the line end.  (Token corpus->V begins one.) */
int32_t ns_sentence_end(const NsCorpus *corpus);

/* ns_text_encode of a line, followed by ns_sentence_end; pass ns_corpus_source for a source
 * sentence.  The line has no line end. */
GArray *ns_sentence_encode(const NsCorpus *corpus, const char *line, size_t *left_out);

/* The text of n tokens, which do not include the sentence end; words are separated by one space.
 * Free with g_free. */
char *ns_sentence_text(const NsCorpus *corpus, const int32_t *tokens, size_t n);

/* Makes training batch `index`: windows of a text, drawn uniformly, or new sequences of the task.
 * It depends on (data_seed, index, B, T, S, capacity) only, so any batch can be made again at any
 * time.  If batch->capacity is not 0, translations choose B, T and S. */
void ns_corpus_train_batch(const NsCorpus *corpus, uint64_t data_seed, uint64_t index,
                           NsBatch *batch);

/* Makes validation batch `index` of `count`, which is the same every time: count * B windows spread
 * evenly over the held-out part, or sequences of the task from random streams that training does
 * not use. */
void ns_corpus_validation_batch(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch);
