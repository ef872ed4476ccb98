/* The registry of optimizers, over the tensor table.  SPDX-License-Identifier: MIT
 *
 * To add one, write its update in optimizer.c and add its row. */
#pragma once

#include "core/base/choice.h"
#include "core/base/tensor.h"
#include "core/model/settings.h"

/* One update, number step >= 1. */
typedef struct {
    const NsSettings *settings; /* beta1, beta2, eps, momentum, weight-decay, clip */
    const NsTensorTable *table;
    ns_real *w, *m, *v;  /* arenas; m and v are the optimizer's own */
    const ns_real *g;    /* gradients as measured */
    double lr;           /* of this step; a tensor's lr factor multiplies it, its eps factor multiplies eps */
    double grad_norm;    /* of the whole gradient, for clipping */
    int64_t step;
    unsigned threads; /* the result does not depend on it */
    double *weight_sq, *update_sq; /* [table->n], overwritten: sums of squares of the weights before the
                                    * update and of the update itself */
} NsUpdate;

typedef struct {
    NsChoice choice;
    void (*step)(const NsUpdate *update);
} NsOptimizer;

const NsOptimizer *ns_optimizer(size_t i); /* NULL past the end: adam, adamw, sgd, radam, muon */
const NsChoice *ns_optimizer_choice(size_t i);
