/* Theoretical values of a quantity by layer at initialization.  SPDX-License-Identifier: MIT
 *
 * For hidden states, a prediction for every placement that has a closed form; for gradients and for
 * the divisors of norms, results that Xiong et al. 2020 prove or state, and only for models that
 * the paper covers. */
#pragma once

#include "ui/figures/figure.h"

#define NS_THEORY_CURVES 3

typedef struct {
    NsSource source; /* the source of all other fields */
    NsQuantity quantity;
    size_t n_curves, n;
    double *x, *y[NS_THEORY_CURVES]; /* [n] */
    const char *label[NS_THEORY_CURVES];
    char *note; /* the conditions of the theory; without curves, the reason why there are none; NULL
                 * if there is no theory of the quantity */
    char *more; /* a second sentence: the bounds, or why measurements may differ; or NULL */
    char *measured; /* for gradients: the measured factor per layer at step 0 with its 95% interval;
                     * or NULL */
} NsTheory;

/* Updates the curves.  There are none if `shown` is FALSE, if there is no theory of the quantity in
 * this model, or before step 0 has been measured.  TRUE if the curves changed.
 *
 * Squared norm of hidden states (and its root for the norm): ns_expected_norms from the input and
 * the tokens of each stack at step 0; an approximation if a run of an older version does not have
 * the tokens.  For Pre-LN also Lemma 2: |x_0|^2 + c d l <= E|x_l|^2 <= |x_0|^2 + (1 + c)
 * d l with |x_0|^2 as measured and c = 2 d f / (d + f)^2, the contribution of a feed-forward
 * network with ReLU and Xavier initialization (1/2 for f = d, as in the paper).
 *
 * Divisors of norms (Lemma 3), from Lemma 2: Post-LN sqrt(1 + c) after feed-forward networks, 1 to
 * sqrt(2) after attention; Pre-LN the root of the bounds above, divided by d, before attention.
 *
 * Norms of gradients, appendix F (which the paper calls preliminary): Post-LN (2/3)^((L - l) / 2),
 * Pre-LN equal in every layer, both times the value measured in the last layer at step 0. */
bool ns_theory_follow(NsTheory *theory, NsQuantity quantity, const NsFigureInput *input,
                      bool shown);

/* The legend entry of all curves of a theory, which must have at least one. */
const char *ns_theory_name(const NsTheory *theory);
void ns_theory_clear(NsTheory *theory);
