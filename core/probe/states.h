/* Access to the hidden states of the last pass.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/model/model.h"

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
