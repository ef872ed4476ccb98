/* The squared norms of hidden states that theory predicts at initialization.
 * SPDX-License-Identifier: MIT
 *
 * Two moments describe the states of a stack: the mean of |x_i|^2 / d over the tokens of a
 * sequence, and the mean of <x_i, x_j> / d over pairs of tokens.  Weights are independent between
 * layers, so a branch is uncorrelated with the stream that it is added to, and the moments of a
 * layer follow from those of the layer below:
 *
 *   norm         divides both by the first
 *   matrix       multiplies both by n_in sigma^2
 *   ReLU         halves the first, and maps the second by the arc-cosine kernel of order 1
 *                (Cho and Saul 2009, eq. 6)
 *   attention    over m visible keys gives the query a mean share e / (e + m - 1) of one key with
 *                itself, where e = exp(variance of a logit - covariance of two logits of one
 *                query); for two queries e is exp of the same difference times their cosine.
 *                Uniform attention has e = 1, which is exact; for softmax the mean of the share
 *                is approximated by the ratio of the means
 *   y added      adds its moments, times b^2, to those of the stream, times a^2
 *
 * With Xavier initialization a feed-forward network thus adds 2 d f / (d + f)^2 of |N(x)|^2, which
 * is the d / 2 of Xiong et al. 2020, Lemma 2, if f = d.  The prediction assumes a large width: the
 * norms of a single model of width d deviate from it by about 1 / sqrt(d) per layer. */
#pragma once

#include "core/settings/settings.h"

/* The input of a stack: the mean of |x_0|^2 / d, and the mean cosine of two tokens. */
typedef struct {
    double square, cosine;
} NsTokenMoments;

/* Returns a sentence for the user that explains why there is no prediction for these settings, or
 * NULL if there is one. */
const char *ns_expected_norms_refused(const NsSettings *settings);

/* Fills square[] with E|x_l|^2 for the input and then every layer of each stack, in the order of
 * the hidden states of a record.  `start`: one for each stack.  Only for settings that are not
 * refused. */
void ns_expected_norms(const NsSettings *settings, const NsTokenMoments *start, double *square);
