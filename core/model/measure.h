/* What a pass measures.  SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* A hidden state.  Means are over the tokens of the batch that are not padding. */
typedef struct {
    double sq;   /* mean |x|^2 */
    double norm; /* mean |x| */
    double max;  /* largest |x_i| of any token and feature */
    double grad; /* Frobenius norm of dloss / dx over the whole batch */
} NsHiddenMeasure;

/* A sub-layer: Frobenius norms over the batch. */
typedef struct {
    double tokens; /* that it processed in the batch, without padding */
    double stream; /* |a x| */
    double branch; /* |y| */
    /* The two parts of dloss / dx: the one through the skip path, a times the gradient of the input
     * of N_out, and the one through the branch. */
    double skip_grad;
    double branch_grad;
    /* Mean sigma (or RMS) that the first norm of N_in, the one within F, N_br and N_out divided by;
     * NaN without one. */
    double sigma;
} NsSublayerMeasure;

/* What forward and backward measured at the present weights.  The arrays belong to the model and
 * stay valid until the next call.
 *
 * Hidden states are those of the first stack, x_0 .. x_L, then those of the second: L + 1 of them,
 * or N + M + 2 in an encoder-decoder.  Sub-layers are counted through all layers. */
typedef struct {
    double loss;           /* nats a target, label smoothing included */
    double nll;            /* the same without label smoothing */
    const double *grad_sq; /* [tensors] squared norm of the gradient */
    size_t n_hidden, n_sublayers;
    const NsHiddenMeasure *hidden;      /* [n_hidden] */
    const NsSublayerMeasure *sublayers; /* [n_sublayers] */
    double final_sq;   /* mean |x|^2 of the head's input; NaN without a final norm */
    double final_norm; /* mean |x| of the same */
} NsMeasure;
