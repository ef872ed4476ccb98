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
