/* SPDX-License-Identifier: MIT */
#include "core/ops/activation.h"

#include "core/base/clones.h"
#include "core/ops/math.h"

/* max(a, 0); a NaN stays NaN. */
NS_CLONES(static, relu_forward,
          (ns_real *y, const ns_real *a, const ns_real *g, size_t n), (y, a, g, n))
{
    (void)g;
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] = a[i] < 0 ? 0 : a[i];
}

NS_CLONES(static, relu_backward,
          (ns_real *da, ns_real *dg, const ns_real *dy, const ns_real *y, const ns_real *g,
           size_t n),
          (da, dg, dy, y, g, n))
{
    (void)dg;
    (void)g;
#pragma omp simd
    for (size_t i = 0; i < n; i++) da[i] = y[i] > 0 ? dy[i] : 0;
}

#define DENSITY ((ns_real)0.39894228040143267794) /* of the standard normal at 0 */

/* a Phi(a), Phi the distribution function of the standard normal. */
NS_CLONES(static, gelu_forward,
          (ns_real *y, const ns_real *a, const ns_real *g, size_t n), (y, a, g, n))
{
    (void)g;
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        ns_real tail = ns_exp(-a[i] * a[i] / 2) * ns_mills(ns_abs(a[i]));
        y[i] = a[i] * (a[i] < 0 ? tail : 1 - tail);
    }
}

/* Phi(a) + a phi(a) */
NS_CLONES(static, gelu_backward,
          (ns_real *da, ns_real *dg, const ns_real *dy, const ns_real *a, const ns_real *g,
           size_t n),
          (da, dg, dy, a, g, n))
{
    (void)dg;
    (void)g;
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        ns_real e = ns_exp(-a[i] * a[i] / 2), tail = e * ns_mills(ns_abs(a[i]));
        da[i] = dy[i] * ((a[i] < 0 ? tail : 1 - tail) + a[i] * DENSITY * e);
    }
}

/* With u = sqrt(2 / pi) (a + 0.044715 a^3), (1 + tanh(u)) / 2 is computed as 1 / (1 + exp(-2 u)),
 * which stays accurate if a is far below 0. */
#define TWICE_ROOT ((ns_real)1.59576912160573071176) /* 2 sqrt(2 / pi) */
#define CUBIC ((ns_real)0.044715)

/* a (1 + tanh(u)) / 2 */
NS_CLONES(static, gelu_tanh_forward,
          (ns_real *y, const ns_real *a, const ns_real *g, size_t n), (y, a, g, n))
{
    (void)g;
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        ns_real twice_u = TWICE_ROOT * a[i] * (1 + CUBIC * a[i] * a[i]);
        y[i] = a[i] / (1 + ns_exp(-twice_u));
    }
}

/* With s = 1 / (1 + exp(-2 u)): s + a s (1 - s) 2 du/da. */
NS_CLONES(static, gelu_tanh_backward,
          (ns_real *da, ns_real *dg, const ns_real *dy, const ns_real *a, const ns_real *g,
           size_t n),
          (da, dg, dy, a, g, n))
{
    (void)dg;
    (void)g;
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        ns_real square = CUBIC * a[i] * a[i];
        ns_real s = 1 / (1 + ns_exp(-TWICE_ROOT * a[i] * (1 + square)));
        da[i] = dy[i] * (s + a[i] * s * (1 - s) * TWICE_ROOT * (1 + 3 * square));
    }
}

/* SiLU(a) g, SiLU(a) = a / (1 + exp(-a)). */
NS_CLONES(static, swiglu_forward,
          (ns_real *y, const ns_real *a, const ns_real *g, size_t n), (y, a, g, n))
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] = a[i] / (1 + ns_exp(-a[i])) * g[i];
}

/* With s = 1 / (1 + exp(-a)): dg = dy a s, da = dy g s (1 + a (1 - s)). */
NS_CLONES(static, swiglu_backward,
          (ns_real *da, ns_real *dg, const ns_real *dy, const ns_real *a, const ns_real *g,
           size_t n),
          (da, dg, dy, a, g, n))
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        ns_real s = 1 / (1 + ns_exp(-a[i])), d = dy[i];
        dg[i] = d * a[i] * s;
        da[i] = d * g[i] * s * (1 + a[i] * (1 - s));
    }
}

/* max(a, 0)^2; a NaN stays NaN. */
NS_CLONES(static, relu_squared_forward,
          (ns_real *y, const ns_real *a, const ns_real *g, size_t n), (y, a, g, n))
{
    (void)g;
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] = a[i] < 0 ? 0 : a[i] * a[i];
}

/* 2 max(a, 0) */
NS_CLONES(static, relu_squared_backward,
          (ns_real *da, ns_real *dg, const ns_real *dy, const ns_real *a, const ns_real *g,
           size_t n),
          (da, dg, dy, a, g, n))
{
    (void)dg;
    (void)g;
#pragma omp simd
    for (size_t i = 0; i < n; i++) da[i] = a[i] > 0 ? 2 * a[i] * dy[i] : 0;
}

static const NsActivation activations[] = {
    {.choice = {.key = "relu",
                .label = "ReLU",
                .formula = "max(0, x W_1 + b_1) W_2 + b_2",
                .reference = "Vaswani et al. 2017, eq. 2",
                .purpose = "The activation of the original Transformer and of the paper's theory."},
     .forward = relu_forward,
     .backward = relu_backward},
    {.choice = {.key = "gelu",
                .label = "GELU",
                .formula = "GELU(x W_1 + b_1) W_2 + b_2, GELU(a) = a Φ(a)",
                .reference = "Hendrycks and Gimpel 2016, arXiv 1606.08415",
                .purpose = "Smooth; used in BERT."},
     .forward = gelu_forward,
     .backward = gelu_backward,
     .keeps = true},
    {.choice = {.key = "gelu-tanh",
                .label = "GELU, by tanh",
                .formula = "GELU(x W_1 + b_1) W_2 + b_2, "
                           "GELU(a) = a (1 + tanh(√(2/π) (a + 0.044715 a^3))) / 2",
                .reference = "Hendrycks and Gimpel 2016, arXiv 1606.08415, section 2",
                .purpose = "The tanh approximation of GELU, as in the released code of GPT-2."},
     .forward = gelu_tanh_forward,
     .backward = gelu_tanh_backward,
     .keeps = true},
    {.choice = {.key = "swiglu",
                .label = "SwiGLU",
                .formula = "(SiLU(x W_1 + b_1) ⊙ x W_3) W_2 + b_2, SiLU(a) = a / (1 + e^{−a})",
                .reference = "Shazeer 2020, arXiv 2002.05202",
                .purpose = "Gated by a third matrix; used in most current language models."},
     .gated = true,
     .forward = swiglu_forward,
     .backward = swiglu_backward,
     .keeps = true},
    {.choice = {.key = "relu-squared",
                .label = "ReLU squared",
                .formula = "max(0, x W_1 + b_1)^2 W_2 + b_2",
                .reference = "So et al. 2021, arXiv 2109.08668",
                .purpose = "ReLU with its output squared, as in Primer and nanochat."},
     .forward = relu_squared_forward,
     .backward = relu_squared_backward,
     .keeps = true},
};

const NsActivation *ns_activation(size_t i)
{
    return i < G_N_ELEMENTS(activations) ? &activations[i] : NULL;
}

NS_CHOICES(ns_activation_choice, activations)
