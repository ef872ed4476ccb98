/* The registry of optimizers, over the tensor table.  SPDX-License-Identifier: MIT
 *
 * To add one, write its update in elementwise.c or in its own file, and add its row in optimizer.c.
 *
 * All of them use the clipped gradient, g' = min(1, clip / (|g| + 1e-6)) g, and each tensor's
 * factors on learning rate and epsilon.  If a tensor decays (ns_decays), weight decay is either
 * added to the gradient (Adam, SGD, RAdam) or decoupled from it (AdamW, Muon). */
#pragma once

#include "core/base/choice.h"
#include "core/base/team.h"
#include "core/base/tensor.h"
#include "core/settings/settings.h"

/* The measurements of an update of a tensor. */
typedef struct {
    /* Sums of squares of the weights before the update, and of the update, which is subtracted from
     * them; and the inner product of both. */
    double weight_sq, update_sq, inner;
    /* Only for an optimizer with Adam's moments and if requested, else -1.  ratio_sum: the sum of
     * g^2 / max(v, eps^2), with v after g is added to it.  ratio_max: the maximum of g^2 / max(v,
     * eps^2), with v before g is added to it; -1 if v is still empty.  g is the gradient as added
     * to the moments, v the bias-corrected second moment; the root of the divisor is clamped to
     * 2^-63 ... 2^63.  A NaN in g makes both NaN. */
    double ratio_sum, ratio_max;
} NsTensorUpdate;

/* An update, number step >= 1. */
typedef struct {
    const NsSettings *settings; /* beta1, beta2, eps, momentum, weight-decay, decay-scope, clip */
    const NsTensorTable *table;
    ns_real *w, *m, *v; /* arenas; m and v are owned by the optimizer, NULL if it has none */
    ns_real *scratch;   /* number of elements: NsOptimizer.scratch */
    const ns_real *g;   /* gradients before clipping */
    double lr; /* of this step; multiplied by the lr factor of a tensor, as eps by its eps factor */
    double grad_norm; /* of the whole gradient, for clipping */
    int64_t step;
    /* [table->n] the step at which the moments of a tensor were zero; NULL means 0 for all. */
    const int64_t *moments_since;
    NsTeam *team;            /* shares the work; the result does not depend on its size */
    NsTensorUpdate *tensors; /* [table->n], overwritten */
    bool ratios;             /* ratios are requested; only for Adam's moments */
} NsUpdate;

typedef struct {
    NsChoice choice;
    unsigned moments; /* number of arenas: 1 for m, 2 for m and v */
    /* The moments are those of Adam, so that such optimizers can continue from each other's
     * moments. */
    bool adam_moments;
    /* Number of scratch elements, of which each member of a team uses a separate part; NULL for
     * none. */
    size_t (*scratch)(const NsTensorTable *table, unsigned threads);
    /* Overwrites w, m, v.  Allocates nothing and cannot fail; nonfinite values propagate to the
     * sums. */
    void (*step)(const NsUpdate *update);
} NsOptimizer;

/* NULL past the end: adam, adamw, sgd, radam, muon, adamh, muonh. */
const NsOptimizer *ns_optimizer(size_t i);
const NsChoice *ns_optimizer_choice(size_t i);

/* Bytes of the moments and of the scratch memory. */
size_t ns_optimizer_bytes(const NsOptimizer *optimizer, const NsTensorTable *table,
                          unsigned threads);

/* min(1, clip / (grad_norm + 1e-6)), or 1 if clip is 0.  Pascanu et al. 2013. */
double ns_clip_factor(double clip, double grad_norm);

/* Whether weight decay of this scope (NS_DECAY_MATRICES and so on) covers the tensor. */
bool ns_decays(const NsTensor *tensor, unsigned scope);

/* The rectification r_t of RAdam's update number t >= 1.  It is 0 while rho_t <= 4, that is, while
 * the variance of the adaptive learning rate is not bounded; the update is then lr m.  Liu et al.
 * 2020, arXiv 1908.03265, algorithm 2. */
double ns_radam_rectification(double beta2, int64_t t);
