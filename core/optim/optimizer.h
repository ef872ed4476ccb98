/* The registry of optimizers, over the tensor table.  SPDX-License-Identifier: MIT
 *
 * To add one, write its update in elementwise.c or a file of its own, and add its row in
 * optimizer.c.
 *
 * All of them use the gradient after clipping, g' = min(1, clip / (|g| + 1e-6)) g, and a
 * tensor's own learning rate and epsilon.  Where a tensor decays (ns_decays), weight decay is
 * either added to the gradient (Adam, SGD, RAdam) or pulls on the weight apart from it (AdamW,
 * Muon). */
#pragma once

#include "core/base/choice.h"
#include "core/base/team.h"
#include "core/base/tensor.h"
#include "core/settings/settings.h"

/* What an update did to a tensor. */
typedef struct {
    double weight_sq, update_sq; /* sums of squares of its weights before, and of the update */
    /* For an optimizer with Adam's moments, where they are asked for, else -1.  ratio_sum: the sum
     * of g^2 / max(v, eps^2), with v after g has entered it.  ratio_max: the largest g^2 / max(v,
     * eps^2), with v before g enters it; -1 where v is still empty.  g is the gradient as it enters
     * the moments, v the bias-corrected second moment; the root of the divisor is kept between
     * 2^-63 and 2^63.  A NaN reaches both. */
    double ratio_sum, ratio_max;
} NsTensorUpdate;

/* One update, number step >= 1. */
typedef struct {
    const NsSettings *settings; /* beta1, beta2, eps, momentum, weight-decay, decay-scope, clip */
    const NsTensorTable *table;
    ns_real *w, *m, *v; /* arenas; m and v are the optimizer's own, NULL where it has none */
    ns_real *scratch;   /* as many elements as its row asks for */
    const ns_real *g;   /* gradients as measured */
    double lr; /* of this step; a tensor's lr factor multiplies it, its eps factor multiplies eps */
    double grad_norm; /* of the whole gradient, for clipping */
    int64_t step;
    const int64_t *moments_since; /* [table->n]: the step at which a tensor's moments were zero;
                                     NULL: 0 for all */
    NsTeam *team;                 /* that shares the work; the result does not depend on its size */
    NsTensorUpdate *tensors;      /* [table->n], overwritten */
    bool ratios;                  /* their ratios are asked for: of Adam's moments alone */
} NsUpdate;

typedef struct {
    NsChoice choice;
    unsigned moments; /* arenas it keeps: 1, m; 2, m and v */
    /* Whether its moments mean what Adam's do, so that these optimizers can continue each other's.
     */
    bool adam_moments;
    /* Elements of scratch memory, of which each member of a team has a part of its own; NULL: none.
     */
    size_t (*scratch)(const NsTensorTable *table, unsigned threads);
    /* Overwrites w, m, v.  Allocates nothing, cannot fail: what is not finite spreads to the sums.
     */
    void (*step)(const NsUpdate *update);
} NsOptimizer;

const NsOptimizer *ns_optimizer(size_t i); /* NULL past the end: adam, adamw, sgd, radam, muon */
const NsChoice *ns_optimizer_choice(size_t i);

/* The bytes of its moments and its scratch memory. */
size_t ns_optimizer_bytes(const NsOptimizer *optimizer, const NsTensorTable *table,
                          unsigned threads);

/* min(1, clip / (grad_norm + 1e-6)), or 1 where clip is 0.  Pascanu et al. 2013. */
double ns_clip_factor(double clip, double grad_norm);

/* Whether weight decay of this scope (NS_DECAY_MATRICES and so on) covers the tensor. */
bool ns_decays(const NsTensor *tensor, unsigned scope);

/* The rectification of RAdam's update number t >= 1: r_t, or 0 while rho_t <= 4 says that the
 * variance of the second moment's inverse root is not bounded yet, so that the update is lr m.
 * Liu et al. 2020, arXiv 1908.03265, algorithm 2. */
double ns_radam_rectification(double beta2, int64_t t);
