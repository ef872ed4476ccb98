/* The measurements of a pass.  SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Layers first to end - 1, numbered through all layers, from 0. */
typedef struct {
    size_t first, end;
} NsLayerRange;

/* Measurements of a hidden state.  Means are over the tokens of the batch that are not padding. */
typedef struct {
    double sq;   /* mean |x|^2 */
    double norm; /* mean |x| */
    double max;  /* largest |x_i| of any token and feature */
    double grad; /* Frobenius norm of dloss / dx over the whole batch */
} NsHiddenMeasure;

/* Measurements of a sub-layer: Frobenius norms over the batch. */
typedef struct {
    double tokens; /* processed in the batch, without padding */
    double stream; /* |a x| */
    double branch; /* |y| */
    /* The two parts of dloss / dx: the one through the residual connection, a times the gradient of
     * the input of N_out, and the one through the branch. */
    double skip_grad;
    double branch_grad;
    /* Mean sigma (or RMS) of the first norm of N_in, the one within F, N_br and N_out; NaN without
     * a norm. */
    double sigma;
} NsSublayerMeasure;

/* Results of forward and backward at the current weights.  The arrays belong to the model and are
 * valid until the next call.
 *
 * Hidden states are those of the first stack, x_0 .. x_L, then those of the second: L + 1 in total,
 * or N + M + 2 in an encoder-decoder.  Sub-layers are numbered through all layers. */
typedef struct {
    double loss;           /* nats per target, label smoothing included */
    double nll;            /* the same without label smoothing */
    double log_z;          /* log of the normalizer of the softmax, mean over targets */
    const double *grad_sq; /* [tensors] squared norm of the gradient */
    size_t n_hidden, n_sublayers;
    const NsHiddenMeasure *hidden;      /* [n_hidden] */
    const NsSublayerMeasure *sublayers; /* [n_sublayers] */
    double final_sq;   /* mean |x|^2 of the head's input; NaN without a final norm */
    double final_norm; /* mean |x| of the same */
} NsMeasure;
