/* The registry of norms.  SPDX-License-Identifier: MIT
 *
 * To add one, write its forward and backward in norm.c and add a row; it is then available for
 * every placement. */
#pragma once

#include "core/base/choice.h"
#include "core/base/real.h"

/* The statistics that forward stores for backward: nothing, two elements per row, or two elements
 * per feature. */
typedef enum { NS_STATS_NONE, NS_STATS_ROWS, NS_STATS_FEATURES } NsNormStats;

/* Which statistics a norm over the batch uses: those of the batch (NS_OF_BATCH); those of the
 * batch, which also update the running averages (NS_OF_BATCH_KEPT); or the running averages
 * (NS_RUNNING). */
typedef enum { NS_OF_BATCH, NS_OF_BATCH_KEPT, NS_RUNNING } NsStatistics;

/* Weight of the batch's statistics in an update of the running ones.  Ioffe and Szegedy 2015; same
 * value as in PyTorch. */
#define NS_BATCHNORM_MOMENTUM 0.1

/* The first rows of the registry.  `auto` is not a norm: each placement defines what it means
 * (core/model/wiring.h). */
enum { NS_NORM_AUTO, NS_NORM_LAYERNORM, NS_NORM_RMSNORM };

/* The use of a norm on R rows of C features. */
typedef struct {
    size_t R, C;
    ns_real eps;
    const ns_real *gain;  /* [C], or [1] if the norm has a scalar gain */
    const ns_real *bias;  /* [C] */
    const ns_real *alpha; /* [1] */
    ns_real *stats;       /* ns_norm_stats_size() elements, written by forward, read by backward */
    /* Only for norms over the batch: */
    size_t stride;    /* elements from one row to the next; 0 means C */
    const bool *live; /* [R] true for rows that are not padding; NULL if no row is padding */
    ns_real *running; /* [2, C] mean and variance */
    NsStatistics statistics;
} NsNormPass;

/* The gradients of the parameters are added here; NULL if the norm does not have the parameter. */
typedef struct {
    ns_real *gain, *bias, *alpha;
} NsNormGradients;

typedef struct {
    NsChoice choice;
    bool gain, bias, alpha; /* which parameters it has */
    bool scalar;            /* the gain is one number, initially sqrt(C) */
    NsNormStats stats;
    /* x, y: [R, C]; overwrites y, which must not overlap x. */
    void (*forward)(const NsNormPass *p, ns_real *y, const ns_real *x);
    /* Overwrites dx, which may be dy; x is the input of forward.  Padding rows must have dy = 0. */
    void (*backward)(const NsNormPass *p, const NsNormGradients *d, ns_real *dx, const ns_real *dy,
                     const ns_real *x);
} NsNorm;

/* Returns NULL past the end.  The rows `auto` and `none` have no functions; a model with `none`
 * omits its norms. */
const NsNorm *ns_norm(size_t i);
const NsChoice *ns_norm_choice(size_t i);

/* Whether the statistics are over the rows of the batch, so that threads cannot divide the
 * batch. */
bool ns_norm_over_batch(const NsNorm *norm);

/* Number of elements in stats. */
size_t ns_norm_stats_size(const NsNorm *norm, size_t R, size_t C);

/* Mean of the sigma (or root mean square) that forward computed, eps included: over `n` rows
 * starting at `row`, or over the features for a norm over the batch.  NaN for a norm without
 * statistics. */
double ns_norm_sigma(const NsNorm *norm, const NsNormPass *p, size_t row, size_t n);
