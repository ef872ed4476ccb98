/* The registry of norms.  SPDX-License-Identifier: MIT
 *
 * Every norm works row by row over the C features.  To add one, write its forward and backward here
 * and add a row; every placement then has it. */
#pragma once

#include "core/base/choice.h"
#include "core/ops/linear.h"

typedef struct {
    NsChoice choice;
    bool gain, bias; /* which parameters it has */
    /* y = norm(x) gain + bias.  x, y: [R, C]; stats: [R, 2], kept for backward.  Overwrites y and
     * stats; y must not overlap x.  gain and bias: [C], NULL where the norm has none. */
    void (*forward)(ns_real *y, ns_real *stats, const ns_real *x, const ns_real *gain,
                    const ns_real *bias, ns_real eps, size_t R, size_t C);
    /* dx as `into` says, dgain += and dbias += (NULL where there is none).  x, stats: of forward.
     * dx may be dy. */
    void (*backward)(ns_real *dx, NsInto into, ns_real *dgain, ns_real *dbias, const ns_real *dy,
                     const ns_real *x, const ns_real *stats, const ns_real *gain, size_t R,
                     size_t C);
} NsNorm;

/* NULL past the end.  The row `none` has no functions: places that would have it stay empty. */
const NsNorm *ns_norm(size_t i);
const NsChoice *ns_norm_choice(size_t i);
