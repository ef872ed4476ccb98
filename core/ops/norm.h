/* The registry of norms.  SPDX-License-Identifier: MIT
 *
 * To add one, write its forward and backward in norm.c and add a row; it is then available for
 * every placement. */
#pragma once

#include "core/base/choice.h"
#include "core/base/real.h"

/* What forward keeps for backward: nothing, two elements a row, or two elements a feature. */
typedef enum { NS_STATS_NONE, NS_STATS_ROWS, NS_STATS_FEATURES } NsNormStats;

/* Which statistics a norm over the batch uses: those of the batch (NS_OF_BATCH); the same, while
 * the running averages move toward them (NS_OF_BATCH_KEPT); or the running averages (NS_RUNNING).
 */
typedef enum { NS_OF_BATCH, NS_OF_BATCH_KEPT, NS_RUNNING } NsStatistics;

/* The share of the batch's statistics in the running ones.  Ioffe and Szegedy 2015, as PyTorch. */
#define NS_BATCHNORM_MOMENTUM 0.1

/* The first rows of the registry.  `auto` is no norm: what it means is up to the placement
 * (core/model/wiring.h). */
enum { NS_NORM_AUTO, NS_NORM_LAYERNORM, NS_NORM_RMSNORM };

/* One use of a norm on R rows of C features. */
typedef struct {
    size_t R, C;
    ns_real eps;
    const ns_real *gain;  /* [C], or [1] where the norm has a scalar */
    const ns_real *bias;  /* [C] */
    const ns_real *alpha; /* [1] */
    ns_real *stats;       /* of ns_norm_stats_size(), written by forward and read by backward */
    /* For norms over the batch alone: */
    size_t stride;    /* elements from a row to the next; 0: C */
    const bool *live; /* [R] rows that are not padding; NULL if none is */
    ns_real *running; /* [2, C] mean and variance */
    NsStatistics statistics;
} NsNormPass;

/* Where the gradients of the parameters are added; NULL where the norm has none. */
typedef struct {
    ns_real *gain, *bias, *alpha;
} NsNormGradients;

typedef struct {
    NsChoice choice;
    bool gain, bias, alpha; /* which parameters it has */
    bool scalar;            /* the gain is one number, sqrt(C) at the start */
    NsNormStats stats;
    /* x, y: [R, C]; overwrites y, which must not overlap x. */
    void (*forward)(const NsNormPass *p, ns_real *y, const ns_real *x);
    /* Overwrites dx, which may be dy; x is that of forward.  Rows that are padding must have
     * dy = 0. */
    void (*backward)(const NsNormPass *p, const NsNormGradients *d, ns_real *dx, const ns_real *dy,
                     const ns_real *x);
} NsNorm;

/* NULL past the end.  The rows `auto` and `none` have no functions: places that would have the
 * latter stay empty. */
const NsNorm *ns_norm(size_t i);
const NsChoice *ns_norm_choice(size_t i);

/* Whether its statistics are over the rows of the batch, so that they must not be divided. */
bool ns_norm_over_batch(const NsNorm *norm);

/* Elements in its stats. */
size_t ns_norm_stats_size(const NsNorm *norm, size_t R, size_t C);

/* Mean of the sigma (or root mean square) that forward found, eps included: over `n` rows starting
 * at `row`, or over the features for a norm over the batch; NaN for one without. */
double ns_norm_sigma(const NsNorm *norm, const NsNormPass *p, size_t row, size_t n);
