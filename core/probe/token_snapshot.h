/* A snapshot of single tokens and attention heads at one step.  SPDX-License-Identifier: MIT
 *
 * It is too large to be stored for every step, so only the newest is available.
 *
 * Norms of tokens: for the hidden states that are compared (core/probe/similarity.h), a histogram
 * of the squared norm of a token in units of the mean over the tokens of that state (Xiong et al.
 * 2020, section 3.4).  Attention: the attention weights of all heads of some layers on the first
 * sequence of the batch, and the tokens of that sequence; for the task translation also its
 * translation by the model. */
#pragma once

#include "core/data/corpus.h"
#include "core/probe/similarity.h"

#define NS_TOKEN_SNAPSHOT_BINS 61  /* of the histogram */
#define NS_TOKEN_SNAPSHOT_BIN 0.05 /* width in means; bin k is centered at k times the width */
#define NS_TOKEN_SNAPSHOT_MAPS 64  /* largest number of self-attention maps */
#define NS_TOKEN_SNAPSHOT_CROSS 32 /* largest number of cross-attention maps */
#define NS_TOKEN_SNAPSHOT_ALL (NS_TOKEN_SNAPSHOT_MAPS + NS_TOKEN_SNAPSHOT_CROSS)
#define NS_TOKEN_SNAPSHOT_TEXT 400     /* bytes of a sentence; the rest is cut off */
#define NS_TOKEN_SNAPSHOT_POSITIONS 64 /* the first positions of the sequence */

typedef struct {
    int64_t step;
    size_t states;
    unsigned state[NS_SIMILARITY_STATES]; /* [states] their indices among the hidden states */
    double mean[NS_SIMILARITY_STATES];    /* of |x|^2 over the tokens; not finite if any is not */
    uint32_t tokens[NS_SIMILARITY_STATES];
    uint32_t beyond[NS_SIMILARITY_STATES]; /* tokens above the last bin, or not finite */
    uint32_t count[NS_SIMILARITY_STATES][NS_TOKEN_SNAPSHOT_BINS];
    size_t maps, cross_maps; /* those of cross-attention follow the others */
    size_t queries, keys;
    unsigned layer[NS_TOKEN_SNAPSHOT_ALL], head[NS_TOKEN_SNAPSHOT_ALL]; /* from 1, ascending */
    unsigned stack[NS_TOKEN_SNAPSHOT_ALL]; /* of the queries: 0, or 1 for the decoder of an encoder-
                                            * decoder, whose cross-attention has keys in stack 0 */
    char token[2][NS_TOKEN_SNAPSHOT_POSITIONS][NS_TOKEN_TEXT];
    /* [queries] of each stack; empty for padding, and if tokens are nameless */
    unsigned seen[NS_TOKEN_SNAPSHOT_ALL][NS_TOKEN_SNAPSHOT_POSITIONS];
    /* [queries] each: number of keys that the query attends to, always the first ones */
    float weight[NS_TOKEN_SNAPSHOT_ALL][NS_TOKEN_SNAPSHOT_POSITIONS * NS_TOKEN_SNAPSHOT_POSITIONS];
    /* [queries, keys] each; undefined for keys beyond `seen` */
    bool translated;
    char source[NS_TOKEN_SNAPSHOT_TEXT], reference[NS_TOKEN_SNAPSHOT_TEXT];
    char translation[NS_TOKEN_SNAPSHOT_TEXT]; /* by the model, with greedy decoding */
} NsTokenSnapshot;
