/* Measurements over the tokens of a hidden state or a sub-layer.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/probe/states.h"

/* The mean, over sequences of two tokens or more, of the mean cosine between two different tokens:
 * (|s|^2 - sum |e_i|^2) / (n (n - 1)) with e_i = x_i / |x_i| (0 if x_i = 0) and s = sum e_i.
 * False if no sequence has two tokens.  sum: [D], scratch.  Dong et al. 2021. */
bool ns_token_cosine(double *cosine, const NsModel *model, const NsStateSource *source,
                     double *sum);

/* The share of the units of a feed-forward sub-layer that are 0 for every token.  seen: [F],
 * scratch. */
float ns_dead_units(const NsModel *model, size_t sublayer, ns_real *seen);
