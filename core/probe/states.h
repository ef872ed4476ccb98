/* The hidden states that a pass left behind.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/model/model.h"

/* Where a hidden state is found: what a sub-layer saw, or what it gave. */
typedef struct {
    size_t sublayer;
    bool input;
    unsigned stack; /* 0, or 1 for the decoder behind an encoder */
} NsStateSource;

/* One shard of a state. */
typedef struct {
    const ns_real *x; /* [B, T, D] */
    size_t B, T, D;
    const int32_t *length; /* [B] */
} NsStateView;

/* Fills in sources[hidden].  `first`: layers of the first stack. */
void ns_states_find(NsStateSource *sources, const NsModel *model, size_t first);

NsStateView ns_state_view(const NsModel *model, const NsStateSource *source, size_t shard);
