/* The registry of activations of the feed-forward network.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/choice.h"
#include "core/base/real.h"

typedef struct {
    NsChoice choice;
    bool gated; /* a second product of the input multiplies the result */
    /* y = f(a), times g if the activation is gated; all [n].  Overwrites y, which may be a if
     * `keeps` is false. */
    void (*forward)(ns_real *y, const ns_real *a, const ns_real *g, size_t n);
    /* Computes da and dg from dy.  da may be dy; dg is NULL if the activation is not gated.  If
     * `keeps` is false, `a` is the y of forward. */
    void (*backward)(ns_real *da, ns_real *dg, const ns_real *dy, const ns_real *a,
                     const ns_real *g, size_t n);
    bool keeps; /* backward needs a itself */
} NsActivation;

const NsActivation *ns_activation(size_t i); /* NULL past the end */
const NsChoice *ns_activation_choice(size_t i);
