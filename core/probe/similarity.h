/* Similarity between the hidden states of different layers.  SPDX-License-Identifier: MIT
 *
 * All measures compare two states at the same tokens of the batch, without padding: all of them, or
 * NS_SIMILARITY_TOKENS evenly spread ones if there are more.  X and Y are [tokens, D].
 *
 *     cka      |Y^T X|_F^2 / (|X^T X|_F |Y^T Y|_F), columns centered over the tokens
 *     cosine   mean over tokens of cos(x, y)
 *     angle    mean over tokens of arccos(cos(x, y)) / pi */
#pragma once

#include "core/base/choice.h"
#include "core/base/team.h"

#include "core/base/real.h"

/* The number of states that are compared: in deeper models evenly spread ones, including the first
 * and the last. */
#define NS_SIMILARITY_STATES ((size_t)49)

#define NS_SIMILARITY_TOKENS ((size_t)512)

typedef enum {
    NS_SIMILARITY_CKA,
    NS_SIMILARITY_COSINE,
    NS_SIMILARITY_ANGLE,
    NS_SIMILARITY_COUNT
} NsSimilarityKind;

/* The kinds as a registry: key, label, formula, reference, purpose. */
const NsChoice *ns_similarity_choice(size_t i);

typedef struct {
    int64_t step;
    size_t n;                             /* number of states compared */
    size_t tokens;                        /* number of tokens compared; the larger of two stacks */
    unsigned state[NS_SIMILARITY_STATES]; /* [n] their indices among the hidden states */
    float value[NS_SIMILARITY_COUNT][NS_SIMILARITY_STATES * NS_SIMILARITY_STATES];
    bool has[NS_SIMILARITY_COUNT][NS_SIMILARITY_STATES * NS_SIMILARITY_STATES];
    /* [n, n] each, symmetric.  `has` is false between states of different stacks, which have
     * different tokens, and for a state of zeros or, with CKA, without variance */
} NsSimilarity;

/* States to be compared, all of the same D. */
typedef struct {
    size_t n, D;
    const unsigned *stack;      /* [n] stack of each state: 0 or 1 */
    size_t tokens[2];           /* of each stack, at most NS_SIMILARITY_TOKENS */
    const ns_real *const *rows; /* [n, NS_SIMILARITY_TOKENS] where each token's features begin */
    NsTeam *team;
    ns_real *scratch; /* [ns_similarity_scratch()] */
    double *norms;    /* [n, NS_SIMILARITY_TOKENS], scratch */
    /* [n] overwritten with (sum lambda)^2 / sum lambda^2 of the eigenvalues of the covariance of
     * each state; 0 for a state without variance */
    double *participation;
} NsSimilarityInput;

/* Elements of scratch for n states of D features over at most `tokens` tokens. */
size_t ns_similarity_scratch(size_t n, size_t tokens, size_t D);

/* Overwrites n, tokens and the values of `similarity`. */
void ns_similarity_measure(NsSimilarity *similarity, const NsSimilarityInput *input);
