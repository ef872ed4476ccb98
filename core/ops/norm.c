/* SPDX-License-Identifier: MIT */
#include "core/ops/norm.h"

#include "core/ops/clones.h"
#include "core/ops/math.h"

/* LayerNorm: y = gain (x - mean) / sigma + bias, sigma^2 = mean (x - mean)^2 + eps.
 * stats = (mean, 1 / sigma).  Ba, Kiros, Hinton 2016, eq. 4. */
NS_CLONES static void layernorm_forward(const NsNormPass *p, ns_real *y, const ns_real *x)
{
    size_t C = p->C;
    const ns_real *gain = p->gain, *bias = p->bias;
    ns_real *stats = p->stats;
    for (size_t r = 0; r < p->R; r++, x += C, y += C, stats += 2) {
        double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t c = 0; c < C; c++) sum += (double)x[c];
        double mean = sum / (double)C;
#pragma omp simd reduction(+ : squares)
        for (size_t c = 0; c < C; c++) squares += ((double)x[c] - mean) * ((double)x[c] - mean);
        ns_real m = (ns_real)mean;
        ns_real rsigma = (ns_real)(1 / sqrt(squares / (double)C + (double)p->eps));
#pragma omp simd
        for (size_t c = 0; c < C; c++) y[c] = (x[c] - m) * rsigma * gain[c] + bias[c];
        stats[0] = m;
        stats[1] = rsigma;
    }
}

/* With xhat = (x - mean) / sigma and g = dy gain: dx = (g - mean(g) - xhat mean(g xhat)) / sigma.
 */
NS_CLONES static void layernorm_backward(const NsNormPass *p, const NsNormGradients *d, ns_real *dx,
                                         const ns_real *dy, const ns_real *x)
{
    size_t C = p->C;
    const ns_real *gain = p->gain, *stats = p->stats;
    ns_real *dgain = d->gain, *dbias = d->bias;
    for (size_t r = 0; r < p->R; r++, x += C, dy += C, dx += C, stats += 2) {
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
#pragma omp simd
        for (size_t c = 0; c < C; c++)
            dx[c] = (dy[c] * gain[c] - mean_g - (x[c] - m) * rsigma * mean_gx) * rsigma;
    }
}

/* RMSNorm: y = gain x / rms, rms^2 = mean x^2 + eps.  stats[1] = 1 / rms.
 * Zhang and Sennrich 2019, eq. 4. */
NS_CLONES static void rmsnorm_forward(const NsNormPass *p, ns_real *y, const ns_real *x)
{
    size_t C = p->C;
    const ns_real *gain = p->gain;
    ns_real *stats = p->stats;
    for (size_t r = 0; r < p->R; r++, x += C, y += C, stats += 2) {
        double squares = 0;
#pragma omp simd reduction(+ : squares)
        for (size_t c = 0; c < C; c++) squares += (double)x[c] * (double)x[c];
        ns_real rrms = (ns_real)(1 / sqrt(squares / (double)C + (double)p->eps));
#pragma omp simd
        for (size_t c = 0; c < C; c++) y[c] = x[c] * rrms * gain[c];
        stats[0] = 0;
        stats[1] = rrms;
    }
}

/* With xhat = x / rms and g = dy gain: dx = (g - xhat mean(g xhat)) / rms. */
NS_CLONES static void rmsnorm_backward(const NsNormPass *p, const NsNormGradients *d, ns_real *dx,
                                       const ns_real *dy, const ns_real *x)
{
    size_t C = p->C;
    const ns_real *gain = p->gain, *stats = p->stats;
    ns_real *dgain = d->gain;
    for (size_t r = 0; r < p->R; r++, x += C, dy += C, dx += C, stats += 2) {
        ns_real rrms = stats[1];
        double sum_gx = 0;
#pragma omp simd reduction(+ : sum_gx)
        for (size_t c = 0; c < C; c++) {
            ns_real xhat = x[c] * rrms;
            dgain[c] += dy[c] * xhat;
            sum_gx += (double)(dy[c] * gain[c]) * (double)xhat;
        }
        ns_real mean_gx = (ns_real)(sum_gx / (double)C);
#pragma omp simd
        for (size_t c = 0; c < C; c++) dx[c] = (dy[c] * gain[c] - x[c] * rrms * mean_gx) * rrms;
    }
}

/* ScaleNorm: y = g x / |x|, with |x| at least eps.  stats = (whether |x| counts, sqrt(C) / |x|), so
 * that a division by the latter gives the root mean square.  Nguyen and Salazar 2019, eq. 3. */
NS_CLONES static void scalenorm_forward(const NsNormPass *p, ns_real *y, const ns_real *x)
{
    size_t C = p->C;
    ns_real *stats = p->stats;
    double root = sqrt((double)C);
    for (size_t r = 0; r < p->R; r++, x += C, y += C, stats += 2) {
        double squares = 0;
#pragma omp simd reduction(+ : squares)
        for (size_t c = 0; c < C; c++) squares += (double)x[c] * (double)x[c];
        double length = sqrt(squares);
        bool small = length < (double)p->eps;
        stats[0] = small ? 0 : 1;
        stats[1] = (ns_real)(root / (small ? (double)p->eps : length));
        ns_real scale = (ns_real)((double)p->gain[0] / root) * stats[1];
#pragma omp simd
        for (size_t c = 0; c < C; c++) y[c] = x[c] * scale;
    }
}

/* With k = g / |x|: dx = k (dy - x <dy, x> / |x|^2), dg = <dy, x> / |x|; where |x| is cut off, the
 * second term is absent. */
NS_CLONES static void scalenorm_backward(const NsNormPass *p, const NsNormGradients *d, ns_real *dx,
                                         const ns_real *dy, const ns_real *x)
{
    size_t C = p->C;
    const ns_real *stats = p->stats;
    double root = sqrt((double)C), dgain = 0;
    for (size_t r = 0; r < p->R; r++, x += C, dy += C, dx += C, stats += 2) {
        double dot = 0, inverse = (double)stats[1] / root;
#pragma omp simd reduction(+ : dot)
        for (size_t c = 0; c < C; c++) dot += (double)dy[c] * (double)x[c];
        dgain += dot * inverse;
        ns_real along = (ns_real)((double)stats[0] * dot * inverse * inverse);
        ns_real scale = (ns_real)((double)p->gain[0] * inverse);
#pragma omp simd
        for (size_t c = 0; c < C; c++) dx[c] = (dy[c] - x[c] * along) * scale;
    }
    d->gain[0] += (ns_real)dgain;
}

/* DyT: y = gain tanh(alpha x) + bias.  Zhu et al. 2025, eq. 1. */
NS_CLONES static void dyt_forward(const NsNormPass *p, ns_real *y, const ns_real *x)
{
    size_t C = p->C;
    const ns_real *gain = p->gain, *bias = p->bias;
    ns_real alpha = p->alpha[0];
    for (size_t r = 0; r < p->R; r++, x += C, y += C)
        for (size_t c = 0; c < C; c++) y[c] = gain[c] * ns_tanh(alpha * x[c]) + bias[c];
}

/* With t = tanh(alpha x) and g = dy gain (1 - t^2): dx = alpha g, dalpha = <g, x>. */
NS_CLONES static void dyt_backward(const NsNormPass *p, const NsNormGradients *d, ns_real *dx,
                                   const ns_real *dy, const ns_real *x)
{
    size_t C = p->C;
    const ns_real *gain = p->gain;
    ns_real alpha = p->alpha[0];
    double dalpha = 0;
    for (size_t r = 0; r < p->R; r++, x += C, dy += C, dx += C)
        for (size_t c = 0; c < C; c++) {
            ns_real t = ns_tanh(alpha * x[c]), g = dy[c] * gain[c] * (1 - t * t);
            d->gain[c] += dy[c] * t;
            d->bias[c] += dy[c];
            dalpha += (double)g * (double)x[c];
            dx[c] = alpha * g;
        }
    d->alpha[0] += (ns_real)dalpha;
}

static bool is_live(const NsNormPass *p, size_t r)
{
    return !p->live || p->live[r];
}

static double live_rows(const NsNormPass *p)
{
    size_t n = 0;
    for (size_t r = 0; r < p->R; r++) n += is_live(p, r);
    return (double)n;
}

/* stats = (mean, 1 / sigma) of every feature over the live rows. */
static void batch_statistics(const NsNormPass *p, const ns_real *x)
{
    size_t C = p->C;
    double n = live_rows(p);
    for (size_t c = 0; c < C; c++) {
        double sum = 0, squares = 0;
        for (size_t r = 0; r < p->R; r++)
            if (is_live(p, r)) sum += (double)x[r * C + c];
        double mean = sum / n;
        for (size_t r = 0; r < p->R; r++)
            if (is_live(p, r))
                squares += ((double)x[r * C + c] - mean) * ((double)x[r * C + c] - mean);
        p->stats[2 * c] = (ns_real)mean;
        p->stats[2 * c + 1] = (ns_real)(1 / sqrt(squares / n + (double)p->eps));
        if (p->statistics != NS_OF_BATCH_KEPT) continue;
        /* The running variance is the unbiased one. */
        double variance = n > 1 ? squares / (n - 1) : 0, k = NS_BATCHNORM_MOMENTUM;
        p->running[c] = (ns_real)((1 - k) * (double)p->running[c] + k * mean);
        p->running[C + c] = (ns_real)((1 - k) * (double)p->running[C + c] + k * variance);
    }
}

/* BatchNorm: y = gain (x - mean) / sigma + bias with the mean and variance of each feature over the
 * rows.  Ioffe and Szegedy 2015, algorithm 1. */
static void batchnorm_forward(const NsNormPass *p, ns_real *y, const ns_real *x)
{
    size_t C = p->C;
    if (p->statistics == NS_RUNNING) {
        for (size_t c = 0; c < C; c++) {
            p->stats[2 * c] = p->running[c];
            p->stats[2 * c + 1] = (ns_real)(1 / sqrt((double)p->running[C + c] + (double)p->eps));
        }
    } else {
        batch_statistics(p, x);
    }
    for (size_t r = 0; r < p->R; r++, x += C, y += C)
        for (size_t c = 0; c < C; c++)
            y[c] = (x[c] - p->stats[2 * c]) * p->stats[2 * c + 1] * p->gain[c] + p->bias[c];
}

/* As LayerNorm, with means over the live rows of a feature in place of those over the features. */
static void batchnorm_backward(const NsNormPass *p, const NsNormGradients *d, ns_real *dx,
                               const ns_real *dy, const ns_real *x)
{
    size_t C = p->C;
    double n = live_rows(p);
    for (size_t c = 0; c < C; c++) {
        double sum = 0, along = 0;
        ns_real m = p->stats[2 * c], rsigma = p->stats[2 * c + 1];
        for (size_t r = 0; r < p->R; r++) {
            sum += (double)dy[r * C + c];
            along += (double)dy[r * C + c] * (double)((x[r * C + c] - m) * rsigma);
        }
        d->bias[c] += (ns_real)sum;
        d->gain[c] += (ns_real)along;
        ns_real mean = (ns_real)(sum / n), mean_along = (ns_real)(along / n);
        ns_real scale = p->gain[c] * rsigma;
        for (size_t r = 0; r < p->R; r++) {
            size_t i = r * C + c;
            dx[i] = is_live(p, r) ? (dy[i] - mean - (x[i] - m) * rsigma * mean_along) * scale : 0;
        }
    }
}

enum { LAYERNORM };

static const NsNorm norms[] = {
    [LAYERNORM] = {.choice = {.key = "layernorm",
                              .label = "LayerNorm",
                              .formula = "γ (x − μ) / √(σ² + ε) + β",
                              .reference = "Ba, Kiros, Hinton 2016, arXiv 1607.06450",
                              .purpose = "Centres and scales the features of each token."},
                   .gain = true,
                   .bias = true,
                   .stats = NS_STATS_ROWS,
                   .forward = layernorm_forward,
                   .backward = layernorm_backward},
    {.choice = {.key = "rmsnorm",
                .label = "RMSNorm",
                .formula = "γ x / √(mean x² + ε)",
                .reference = "Zhang and Sennrich 2019, arXiv 1910.07467",
                .purpose = "Scales the features of each token without centring them."},
     .gain = true,
     .stats = NS_STATS_ROWS,
     .forward = rmsnorm_forward,
     .backward = rmsnorm_backward},
    {.choice = {.key = "batchnorm",
                .label = "BatchNorm",
                .formula =
                    "γ (x − μ_B) / √(σ_B² + ε) + β, μ_B and σ_B over the tokens of the batch",
                .reference = "Ioffe and Szegedy 2015, arXiv 1502.03167",
                .purpose = "Centres and scales each feature over the whole batch, which one thread "
                           "then trains; validation uses running averages."},
     .gain = true,
     .bias = true,
     .stats = NS_STATS_FEATURES,
     .forward = batchnorm_forward,
     .backward = batchnorm_backward},
    {.choice = {.key = "scalenorm",
                .label = "ScaleNorm",
                .formula = "g x / max(‖x‖, ε), g = √d at the start",
                .reference = "Nguyen and Salazar 2019, arXiv 1910.05895",
                .purpose = "Gives every token the same length, one learned number."},
     .gain = true,
     .scalar = true,
     .stats = NS_STATS_ROWS,
     .forward = scalenorm_forward,
     .backward = scalenorm_backward},
    {.choice = {.key = "dyt",
                .label = "DyT",
                .formula = "γ tanh(α x) + β, α = 0.5 at the start",
                .reference = "Zhu et al. 2025, arXiv 2503.10622",
                .purpose = "No norm at all: squashes every feature by itself."},
     .gain = true,
     .bias = true,
     .alpha = true,
     .stats = NS_STATS_NONE,
     .forward = dyt_forward,
     .backward = dyt_backward},
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

bool ns_norm_over_batch(const NsNorm *norm)
{
    return norm->stats == NS_STATS_FEATURES;
}

const NsNorm *ns_norm_of_head(const NsNorm *norm)
{
    return ns_norm_over_batch(norm) ? &norms[LAYERNORM] : norm;
}

size_t ns_norm_stats_size(const NsNorm *norm, size_t R, size_t C)
{
    switch (norm->stats) {
    case NS_STATS_ROWS:
        return 2 * R;
    case NS_STATS_FEATURES:
        return 2 * C;
    case NS_STATS_NONE:
        break;
    }
    return 0;
}

double ns_norm_sigma(const NsNorm *norm, const NsNormPass *p, size_t row, size_t n)
{
    if (norm->stats == NS_STATS_NONE) return (double)NAN;
    bool features = norm->stats == NS_STATS_FEATURES;
    size_t first = features ? 0 : row, count = features ? p->C : n;
    double sum = 0;
    for (size_t i = first; i < first + count; i++) sum += 1 / (double)p->stats[2 * i + 1];
    return sum / (double)count;
}
