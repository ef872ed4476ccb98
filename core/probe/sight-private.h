/* Looking at tokens and heads.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/probe/sight.h"
#include "core/probe/states.h"

/* Of the i-th of sight->states: writes mean, tokens, beyond and count. */
void ns_sight_tokens(NsSight *sight, size_t i, const NsModel *model, const NsStateSource *source);

/* Chooses the heads whose attention is kept, of a model with so many layers and heads; the layers
 * evenly spread, the first and the last included. */
void ns_sight_choose(NsSight *sight, size_t layers, size_t heads);

/* Copies the weights of a self-attention sub-layer into the maps that are of it.  Sub-layers may be
 * copied at once by several threads. */
void ns_sight_attention(NsSight *sight, const NsModel *model, size_t sublayer);
