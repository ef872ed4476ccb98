/* A snapshot of single tokens and attention heads at one step.  SPDX-License-Identifier: MIT
 *
 * Too much to keep of every step: only the newest is there.
 *
 * Norms of tokens: for hidden states (all, or as many as layers are compared at), how many tokens
 * have which squared norm, in units of their mean over the tokens of that state (Xiong et al. 2020,
 * section 3.4).  Attention: the weights of the first sequence of the batch, of all heads of some
 * layers, and that sequence; of the task translation also how the model translates it. */
#pragma once

#include "core/data/corpus.h"
#include "core/probe/similarity.h"

#define NS_TOKEN_SNAPSHOT_BINS 61  /* of tokens */
#define NS_TOKEN_SNAPSHOT_BIN 0.05 /* width, in means: bin k is about k NS_TOKEN_SNAPSHOT_BIN */
#define NS_TOKEN_SNAPSHOT_MAPS 64  /* of self-attention, at the most */
#define NS_TOKEN_SNAPSHOT_CROSS 32 /* of cross-attention, at the most */
#define NS_TOKEN_SNAPSHOT_ALL (NS_TOKEN_SNAPSHOT_MAPS + NS_TOKEN_SNAPSHOT_CROSS)
#define NS_TOKEN_SNAPSHOT_TEXT 400     /* bytes of a sentence, the rest is cut */
#define NS_TOKEN_SNAPSHOT_POSITIONS 64 /* of the sequence, the first ones */

typedef struct {
    int64_t step;
    size_t states;
    unsigned state[NS_SIMILARITY_STATES]; /* [states] their numbers among the hidden states */
    double mean[NS_SIMILARITY_STATES]; /* of |x|^2 over the tokens; not finite where one is not */
    uint32_t tokens[NS_SIMILARITY_STATES];
    uint32_t beyond[NS_SIMILARITY_STATES]; /* tokens above the last bin, or not finite */
    uint32_t count[NS_SIMILARITY_STATES][NS_TOKEN_SNAPSHOT_BINS];
    size_t maps, cross_maps; /* those of cross-attention follow the others */
    size_t queries, keys;
    unsigned layer[NS_TOKEN_SNAPSHOT_ALL], head[NS_TOKEN_SNAPSHOT_ALL]; /* from 1, ascending */
    unsigned stack[NS_TOKEN_SNAPSHOT_ALL]; /* of the queries: 0, or 1 for the decoder behind an
                                            * encoder, whose cross-attention has its keys in 0 */
    char token[2][NS_TOKEN_SNAPSHOT_POSITIONS][NS_TOKEN_TEXT];
    /* [queries] of each stack; empty for padding, and where tokens are nameless */
    unsigned seen[NS_TOKEN_SNAPSHOT_ALL][NS_TOKEN_SNAPSHOT_POSITIONS];
    /* [queries] each: how many keys the query sees, always the first ones */
    float weight[NS_TOKEN_SNAPSHOT_ALL][NS_TOKEN_SNAPSHOT_POSITIONS * NS_TOKEN_SNAPSHOT_POSITIONS];
    /* [queries, keys] each; those of the keys that are not seen say nothing */
    bool translated;
    char source[NS_TOKEN_SNAPSHOT_TEXT], reference[NS_TOKEN_SNAPSHOT_TEXT];
    char translation[NS_TOKEN_SNAPSHOT_TEXT]; /* the model's own, greedy */
} NsTokenSnapshot;
