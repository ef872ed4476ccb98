/* The squared norms of hidden states that theory predicts at initialization.
 * SPDX-License-Identifier: MIT
 *
 * Two moments describe the states of a stack: the mean of |x_i|^2 / d over the tokens of a
 * sequence, and the mean of <x_i, x_j> / d over pairs of them.  Weights are fresh in every layer,
 * so a branch is uncorrelated with the stream that it is added to, and the moments of a layer
 * follow from those of the layer below:
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
 * With Xavier's weights a feed-forward network thus adds 2 d f / (d + f)^2 of |N(x)|^2: the d / 2
 * of Xiong et al. 2020, Lemma 2, where f = d.  The width is taken as large: what a single model of
 * width d measures varies around the prediction, by about 1 / sqrt(d) a layer. */
#pragma once

#include "core/settings/settings.h"

/* What enters a stack: the mean of |x_0|^2 / d, and the mean cosine of two tokens. */
typedef struct {
    double square, cosine;
} NsTokenMoments;

/* Why nothing can be predicted for these settings, as a sentence for people; NULL if it can. */
const char *ns_expected_norms_refused(const NsSettings *settings);

/* Fills square[] with E|x_l|^2: of every layer of every stack, each preceded by what enters it, as
 * a record has the hidden states.  `start`: one for each stack.  Only for settings that are not
 * refused. */
void ns_expected_norms(const NsSettings *settings, const NsTokenMoments *start, double *square);
