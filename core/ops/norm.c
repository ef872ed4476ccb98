/* SPDX-License-Identifier: MIT */
#include "core/ops/norm.h"

#include "core/ops/clones.h"

#include <math.h>

/* LayerNorm: y = gain (x - mean) / sigma + bias, sigma^2 = mean (x - mean)^2 + eps.
 * stats = (mean, 1 / sigma).  Ba, Kiros, Hinton 2016, eq. 4. */
NS_CLONES static void layernorm_forward(ns_real *y, ns_real *stats, const ns_real *x,
                                        const ns_real *gain, const ns_real *bias, ns_real eps,
                                        size_t R, size_t C)
{
    for (size_t r = 0; r < R; r++, x += C, y += C, stats += 2) {
        double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t c = 0; c < C; c++) sum += (double)x[c];
        double mean = sum / (double)C;
#pragma omp simd reduction(+ : squares)
        for (size_t c = 0; c < C; c++) squares += ((double)x[c] - mean) * ((double)x[c] - mean);
        ns_real m = (ns_real)mean;
        ns_real rsigma = (ns_real)(1 / sqrt(squares / (double)C + (double)eps));
#pragma omp simd
        for (size_t c = 0; c < C; c++) y[c] = (x[c] - m) * rsigma * gain[c] + bias[c];
        stats[0] = m;
        stats[1] = rsigma;
    }
}

/* With xhat = (x - mean) / sigma and g = dy gain: dx = (g - mean(g) - xhat mean(g xhat)) / sigma.
 */
NS_CLONES static void layernorm_backward(ns_real *dx, NsInto into, ns_real *dgain, ns_real *dbias,
                                         const ns_real *dy, const ns_real *x, const ns_real *stats,
                                         const ns_real *gain, size_t R, size_t C)
{
    for (size_t r = 0; r < R; r++, x += C, dy += C, dx += C, stats += 2) {
        ns_real m = stats[0], rsigma = stats[1];
        double sum_g = 0, sum_gx = 0;
#pragma omp simd reduction(+ : sum_g, sum_gx)
        for (size_t c = 0; c < C; c++) {
            ns_real xhat = (x[c] - m) * rsigma;
            ns_real g = dy[c] * gain[c];
            dgain[c] += dy[c] * xhat;
            dbias[c] += dy[c];
            sum_g += (double)g;
            sum_gx += (double)g * (double)xhat;
        }
        ns_real mean_g = (ns_real)(sum_g / (double)C), mean_gx = (ns_real)(sum_gx / (double)C);
        ns_real keep = into == NS_ADD ? 1 : 0;
#pragma omp simd
        for (size_t c = 0; c < C; c++) {
            ns_real xhat = (x[c] - m) * rsigma;
            ns_real d = (dy[c] * gain[c] - mean_g - xhat * mean_gx) * rsigma;
            dx[c] = keep != 0 ? dx[c] + d : d;
        }
    }
}

/* RMSNorm: y = gain x / rms, rms^2 = mean x^2 + eps.  stats[1] = 1 / rms.
 * Zhang and Sennrich 2019, eq. 4. */
NS_CLONES static void rmsnorm_forward(ns_real *y, ns_real *stats, const ns_real *x,
                                      const ns_real *gain, const ns_real *bias, ns_real eps,
                                      size_t R, size_t C)
{
    (void)bias;
    for (size_t r = 0; r < R; r++, x += C, y += C, stats += 2) {
        double squares = 0;
#pragma omp simd reduction(+ : squares)
        for (size_t c = 0; c < C; c++) squares += (double)x[c] * (double)x[c];
        ns_real rrms = (ns_real)(1 / sqrt(squares / (double)C + (double)eps));
#pragma omp simd
        for (size_t c = 0; c < C; c++) y[c] = x[c] * rrms * gain[c];
        stats[0] = 0;
        stats[1] = rrms;
    }
}

/* With xhat = x / rms and g = dy gain: dx = (g - xhat mean(g xhat)) / rms. */
NS_CLONES static void rmsnorm_backward(ns_real *dx, NsInto into, ns_real *dgain, ns_real *dbias,
                                       const ns_real *dy, const ns_real *x, const ns_real *stats,
                                       const ns_real *gain, size_t R, size_t C)
{
    (void)dbias;
    for (size_t r = 0; r < R; r++, x += C, dy += C, dx += C, stats += 2) {
        ns_real rrms = stats[1];
        double sum_gx = 0;
#pragma omp simd reduction(+ : sum_gx)
        for (size_t c = 0; c < C; c++) {
            ns_real xhat = x[c] * rrms;
            dgain[c] += dy[c] * xhat;
            sum_gx += (double)(dy[c] * gain[c]) * (double)xhat;
        }
        ns_real mean_gx = (ns_real)(sum_gx / (double)C);
        ns_real keep = into == NS_ADD ? 1 : 0;
#pragma omp simd
        for (size_t c = 0; c < C; c++) {
            ns_real d = (dy[c] * gain[c] - x[c] * rrms * mean_gx) * rrms;
            dx[c] = keep != 0 ? dx[c] + d : d;
        }
    }
}

static const NsNorm norms[] = {
    {.choice = {.key = "layernorm",
                .label = "LayerNorm",
                .formula = "γ (x − μ) / √(σ² + ε) + β",
                .reference = "Ba, Kiros, Hinton 2016, arXiv 1607.06450",
                .purpose = "Centres and scales the features of each token."},
     .gain = true,
     .bias = true,
     .forward = layernorm_forward,
     .backward = layernorm_backward},
    {.choice = {.key = "rmsnorm",
                .label = "RMSNorm",
                .formula = "γ x / √(mean x² + ε)",
                .reference = "Zhang and Sennrich 2019, arXiv 1910.07467",
                .purpose = "Scales the features of each token without centring them."},
     .gain = true,
     .forward = rmsnorm_forward,
     .backward = rmsnorm_backward},
    {.choice = {.key = "none",
                .label = "None",
                .formula = "x",
                .reference = NULL,
                .purpose = "Leaves every norm of the placement out."}},
};

const NsNorm *ns_norm(size_t i)
{
    return i < G_N_ELEMENTS(norms) ? &norms[i] : NULL;
}

const NsChoice *ns_norm_choice(size_t i)
{
    return i < G_N_ELEMENTS(norms) ? &norms[i].choice : NULL;
}
