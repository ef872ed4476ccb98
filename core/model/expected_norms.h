/* The squared norms of hidden states that theory predicts at initialization.
 * SPDX-License-Identifier: MIT
 *
 * Three moments describe the states of a stack, per feature: the mean of |x_i|^2 over the tokens of
 * a sequence, and the mean of <x_i, x_j> over its pairs of different positions, separately for
 * equal tokens and for unequal ones.  Weights are independent between layers, so a branch is
 * uncorrelated with the stream that it is added to, and the moments of a layer follow from those of
 * the layer below:
 *
 *   norm         divides all by the first, from all of which LayerNorm subtracts the square of the
 *                mean over the features (0 but for sinusoids)
 *   matrix       multiplies all by n_in sigma^2
 *   ReLU         halves the first, and maps the others by the arc-cosine kernel of order 1
 *                (Cho and Saul 2009, eq. 6)
 *   attention    over m visible keys, of which two are equal with probability q: as if they were
 *                drawn from 1 / q equally frequent tokens, of which n = (1 - (1 - q)^m) / q occur,
 *                with lognormal frequencies.  The logits of a query are normal; p_k is the softmax
 *                over these n classes, and p_j that within a class of 1 + (m - 1) q equal tokens.
 *                Of the products of the values the share sum_k E p_k p'_k is that of equal tokens,
 *                where p' is the same query (for |y|^2) or another one, and of these the share
 *                sum_j E p_j p'_j that of a token with itself.  With the exponentials of the n - 1
 *                other logits summed to a lognormal one (Fenton 1960), each p is the logistic
 *                function of a normal variable.  Uniform attention is exact: (1 + (m - 1) q) / m
 *   y added      adds its moments, times b^2, to those of the stream, times a^2
 *
 * With Xavier initialization a feed-forward network thus adds 2 d f / (d + f)^2 of |N(x)|^2, which
 * is the d / 2 of Xiong et al. 2020, Lemma 2, if f = d.  The prediction assumes a large width: the
 * norms of a single model of width d deviate from it by about 1 / sqrt(d) per layer. */
#pragma once

#include "core/settings/settings.h"

/* The input of a stack: the mean of |x_0|^2 / d, the mean number of tokens of a sequence, and the
 * share of equal tokens among the pairs of different positions of a sequence. */
typedef struct {
    double square, tokens, equal;
} NsTokenMoments;

/* Returns a sentence for the user that explains why there is no prediction for these settings, or
 * NULL if there is one. */
const char *ns_expected_norms_refused(const NsSettings *settings);

/* Fills square[] with E|x_l|^2 for the input and then every layer of each stack, in the order of
 * the hidden states of a record.  `start`: one for each stack.  Only for settings that are not
 * refused. */
void ns_expected_norms(const NsSettings *settings, const NsTokenMoments *start, double *square);
