/* Types and functions that the optimizers share; internal to core/optim.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/optim/optimizer.h"

typedef struct {
    double weight, update; /* sums of squares */
    double inner;          /* their inner product */
    double ratio, most;    /* sum and maximum, as in NsTensorUpdate; 0 if not requested */
} NsUpdateSums;

/* A weight and its gradient, for the formula of Adam; in double. */
typedef struct {
    double beta1, beta2, eps, lr;
    double l2, decay; /* weight decay: added to the gradient (Adam); decoupled from it (AdamW) */
    int64_t t;        /* updates of the moments, including this one */
    double w, g;
} NsPlainAdam;

/* Updates m and v, and returns what is subtracted from the weight. */
double ns_plain_adam(const NsPlainAdam *p, double *m, double *v);

/* Adam, AdamW, RAdam and SGD, on all tensors. */
void ns_adam_update(const NsUpdate *update);
void ns_adamw_update(const NsUpdate *update);
void ns_radam_update(const NsUpdate *update);
void ns_sgd_update(const NsUpdate *update);

/* AdamW on the tensors that `takes` accepts (NULL: all). */
void ns_adamw_update_where(const NsUpdate *update, bool (*takes)(const NsTensor *));

/* Muon on the matrices of the layers, AdamW on the rest. */
size_t ns_muon_scratch(const NsTensorTable *table, unsigned threads);
void ns_muon_update(const NsUpdate *update);

/* The same with the norm of the matrices held, W = |W| normalize(W - lr |W| u / |u|), where u is
 * the direction of Adam or of Muon.  Wen et al. 2026, arXiv 2606.16899; the scratch memory is
 * Muon's. */
void ns_adamh_update(const NsUpdate *update);
void ns_muonh_update(const NsUpdate *update);

/* Approximates the orthogonal factor of a matrix by five steps of a Newton-Schulz iteration: x
 * [rows, cols] = U S V^T becomes U S' V^T, where S' is close to 1 (0.7 to 1.2).  scratch:
 * ns_orthogonal_scratch elements. */
void ns_orthogonalize(ns_real *x, size_t rows, size_t cols, ns_real *scratch);
size_t ns_orthogonal_scratch(size_t rows, size_t cols);
