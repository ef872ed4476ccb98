/* Measurements over the activations of the last pass: hidden states, sub-layers and attention
 * heads. SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/model/model.h"

/* ---- Hidden states ---- */

/* Where a hidden state is stored: as the input or the output of a sub-layer. */
typedef struct {
    size_t sublayer;
    bool input;
    unsigned stack; /* 0, or 1 for the decoder of an encoder-decoder */
} NsStateSource;

/* The part of a hidden state that one shard holds. */
typedef struct {
    const ns_real *x; /* [B, T, D] */
    size_t B, T, D;
    const int32_t *length; /* [B] */
} NsStateView;

/* Fills in sources[hidden].  `first`: number of layers of the first stack. */
void ns_states_find(NsStateSource *sources, const NsModel *model, size_t first);

NsStateView ns_state_view(const NsModel *model, const NsStateSource *source, size_t shard);

/* The i-th of `chosen` >= 2 evenly spread numbers below n, which include 0 and n - 1. */
static inline size_t ns_evenly_spread(size_t i, size_t chosen, size_t n)
{
    return (i * (n - 1) + (chosen - 1) / 2) / (chosen - 1);
}

/* The number of keys that the query at position t of a sequence of the shard attends to, which are
 * always the first ones. */
static inline size_t ns_visible_keys(const NsActivationView *view, size_t sequence, size_t t)
{
    size_t keys = (size_t)view->key_length[sequence];
    return view->causal ? MIN(t + 1, keys) : keys;
}

/* ---- Tokens ---- */

/* The mean, over sequences of two tokens or more, of the mean cosine between two different tokens:
 * (|s|^2 - sum |e_i|^2) / (n (n - 1)) with e_i = x_i / |x_i| (0 if x_i = 0) and s = sum e_i.
 * False if no sequence has two tokens.  sum: [D], scratch.  Dong et al. 2021. */
bool ns_token_cosine(double *cosine, const NsModel *model, const NsStateSource *source,
                     double *sum);

/* The features of the tokens of a sub-layer at one place. */
typedef enum {
    NS_PLACE_INPUT,  /* x */
    NS_PLACE_BRANCH, /* u, the input of F */
    NS_PLACE_LAST,   /* the input of the last matrix of F */
} NsPlace;

/* The median, the 99th percentile and the largest of the absolute values at a place, over the
 * features of all tokens; a percentile is the smallest value that so many do not exceed.  In single
 * precision; not finite if the value is not, where a NaN is larger than any number. */
void ns_token_sizes(float sizes[3], const NsModel *model, size_t sublayer, NsPlace place);

/* The share of the units of a feed-forward sub-layer that are 0 for every token.  seen: [F],
 * scratch. */
float ns_dead_units(const NsModel *model, size_t sublayer, ns_real *seen);

/* ---- Attention heads ---- */

/* The measurements of one head over a batch. */
typedef struct {
    bool has_entropy; /* some query sees two keys or more */
    float entropy;    /* mean over the queries that see n >= 2 keys of -sum P ln P / ln n */
    float first;      /* mean weight of the first key over the same queries */
    bool has_logit;   /* false for uniform attention, which has no queries and keys */
    float logit;      /* max |q.k| / sqrt(d_head) over visible pairs */
} NsHeadMeasure;

/* Measures the heads of an attention sub-layer.  heads: [H], overwritten; scratch: [T, S]. */
void ns_heads_measure(NsHeadMeasure *heads, const NsModel *model, size_t sublayer,
                      ns_real *scratch);
