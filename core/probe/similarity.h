/* How alike the hidden states of different layers are.  SPDX-License-Identifier: MIT
 *
 * All measures compare two states token by token over the same tokens: those of the batch that are
 * not padding, or NS_SIMILARITY_TOKENS of them, evenly spread, where there are more.  X and Y are
 * [tokens, D].
 *
 *     cka      |Y^T X|_F^2 / (|X^T X|_F |Y^T Y|_F), columns centered over the tokens
 *     cosine   mean over tokens of cos(x, y)
 *     angle    mean over tokens of arccos(cos(x, y)) / pi */
#pragma once

#include "core/base/choice.h"
#include "core/base/team.h"

#include "core/base/real.h"

/* Deeper models are compared at this many states, evenly spread, the first and the last included.
 */
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
    size_t n;                             /* states that were compared */
    size_t tokens;                        /* that each was compared over, at the most */
    unsigned state[NS_SIMILARITY_STATES]; /* [n] their numbers among the hidden states */
    float value[NS_SIMILARITY_COUNT][NS_SIMILARITY_STATES * NS_SIMILARITY_STATES];
    bool has[NS_SIMILARITY_COUNT][NS_SIMILARITY_STATES * NS_SIMILARITY_STATES];
    /* [n, n] each, symmetric.  There is none between states of different stacks, which see
     * different tokens, and where a state has no direction or no variance */
} NsSimilarity;

/* States side by side, of the same D. */
typedef struct {
    size_t n, D;
    const unsigned *stack;      /* [n] which stack a state is of */
    size_t tokens[2];           /* of each stack, at most NS_SIMILARITY_TOKENS */
    const ns_real *const *rows; /* [n, NS_SIMILARITY_TOKENS] where each token's features begin */
    NsTeam *team;
    ns_real *scratch; /* [ns_similarity_scratch()] */
    double *norms;    /* [n, NS_SIMILARITY_TOKENS], scratch */
} NsSimilarityInput;

/* Elements of scratch for n states of D features over at most `tokens` tokens. */
size_t ns_similarity_scratch(size_t n, size_t tokens, size_t D);

/* Overwrites n, tokens and the values of `similarity`. */
void ns_similarity_measure(NsSimilarity *similarity, const NsSimilarityInput *input);
