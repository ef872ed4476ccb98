/* Theoretical values of a quantity by layer at initialization.  SPDX-License-Identifier: MIT
 *
 * For hidden states a prediction of every placement with a closed form; for gradients and for what
 * norms divide by statements that Xiong et al. 2020 prove or state, and only for models that they
 * cover. */
#pragma once

#include "ui/figures/figures.h"

#define NS_THEORY_CURVES 3

typedef struct {
    NsHistory *history; /* a reference; what the rest was computed from */
    NsQuantity quantity;
    size_t n_curves, n;
    double *x, *y[NS_THEORY_CURVES]; /* [n] */
    const char *label[NS_THEORY_CURVES];
    char *note; /* its conditions; without curves why there are none, or NULL where no theory
                 * speaks of the quantity */
    char *more; /* a second sentence: its bounds, or why it may miss what is measured; or NULL */
    char *measured; /* of gradients: their factor per layer at step 0 and its 95% interval; or NULL
                     */
} NsTheory;

/* Brings the curves up to date: none where `shown` is unset, where no theory speaks of the quantity
 * in this model, or before step 0 was measured.  TRUE if they changed.
 *
 * Squared norm of hidden states (and its root for the norm): ns_expected_norms from what enters
 * each stack at step 0.  For Pre-LN also Lemma 2: |x_0|^2 + c d l <= E|x_l|^2 <= |x_0|^2 + (1 + c)
 * d l with |x_0|^2 as measured and c = 2 d f / (d + f)^2, what a feed-forward network with ReLU and
 * Xavier's weights adds (1/2 where f = d, as in the paper).
 *
 * What norms divide by (Lemma 3), by Lemma 2: Post-LN sqrt(1 + c) after feed-forward networks, 1 to
 * sqrt(2) after attention; Pre-LN the root of the bounds above, over d, before attention.
 *
 * Norms of gradients, appendix F (called preliminary): Post-LN (2/3)^((L - l) / 2), Pre-LN the same
 * in every layer, both times what was measured in the last layer at step 0. */
bool ns_theory_follow(NsTheory *theory, NsQuantity quantity, const NsFigureInput *input,
                      bool shown);

/* What the legend calls all curves of a theory that has any. */
const char *ns_theory_name(const NsTheory *theory);
void ns_theory_clear(NsTheory *theory);
