/* SPDX-License-Identifier: MIT */
#include "core/ops/norm.h"

#include "core/base/clones.h"
#include "core/base/vector_lanes.h"
#include "core/ops/math.h"
#include "core/ops/plain.h"

enum {
    CHUNK = 16,                 /* rows whose square roots are computed together */
    GROUP = 4,                  /* rows that share one pass over the gradients of gain and bias */
    BLOCK = 4 * NS_VECTOR_LANES /* features that are summed in single precision */
};

/* ---- The formulas ---- */

/* mean, and sigma with sigma^2 = mean (x - mean)^2 + eps. */
static void plain_statistics(const NsPlainNorm *p, double *mean, double *sigma)
{
    double sum = 0, squares = 0, n = (double)p->n;
    for (size_t i = 0; i < p->n && p->centered; i++) sum += p->x[i];
    *mean = sum / n;
    for (size_t i = 0; i < p->n; i++) squares += (p->x[i] - *mean) * (p->x[i] - *mean);
    *sigma = sqrt(squares / n + p->eps);
}

/* y = gain xhat + bias,  xhat = (x - mean) / sigma */
void ns_plain_norm(const NsPlainNorm *p, double *y)
{
    double mean, sigma;
    plain_statistics(p, &mean, &sigma);
    for (size_t i = 0; i < p->n; i++)
        y[i] = p->gain[i] * (p->x[i] - mean) / sigma + (p->bias ? p->bias[i] : 0);
}

/* dgain = dy xhat;  dx = (g - mean(g) - xhat mean(g xhat)) / sigma,  g = dy gain; without mean(g)
 * if the mean is taken as 0. */
void ns_plain_norm_backward(const NsPlainNorm *p, const double *dy, double *dx, double *dgain)
{
    double mean, sigma, g = 0, along = 0, n = (double)p->n;
    plain_statistics(p, &mean, &sigma);
    for (size_t i = 0; i < p->n; i++) {
        dgain[i] = dy[i] * (p->x[i] - mean) / sigma;
        g += p->centered ? dy[i] * p->gain[i] / n : 0;
        along += dgain[i] * p->gain[i] / n;
    }
    for (size_t i = 0; i < p->n; i++)
        dx[i] = (dy[i] * p->gain[i] - g - (p->x[i] - mean) / sigma * along) / sigma;
}

/* ---- Kernels: LayerNorm and RMSNorm ---- */

/* Sums over a row of x - x[0] and of its square.  |x[0] - mean| is at most sqrt(C) sigma, so that
 * the variance stays accurate even if the row is far from 0. */
NS_VECTOR_INLINE void sum_row(const ns_real *x, size_t C, double *sum, double *squares)
{
    double s[NS_VECTOR_LANES] = {0}, q[NS_VECTOR_LANES] = {0}, origin = (double)x[0];
    size_t c = 0;
    for (; c + NS_VECTOR_LANES <= C; c += NS_VECTOR_LANES)
#pragma omp simd
        for (int l = 0; l < NS_VECTOR_LANES; l++) {
            double v = (double)x[c + (size_t)l] - origin;
            s[l] += v;
            q[l] += v * v;
        }
    int left = (int)(C - c);
    if (left)
#pragma omp simd
        for (int l = 0; l < NS_VECTOR_LANES; l++) {
            double v = l < left ? (double)x[c + (size_t)l] - origin : 0;
            s[l] += v;
            q[l] += v * v;
        }
    *sum = ns_vector_lanes_sum(s);
    *squares = ns_vector_lanes_sum(q);
}

/* LayerNorm: y = gain (x - mean) / sigma + bias, sigma^2 = mean (x - mean)^2 + eps.
 * stats = (mean, 1 / sigma).  Ba, Kiros, Hinton 2016, eq. 4. */
NS_CLONES(static, layernorm_forward, (const NsNormPass *p, ns_real *y, const ns_real *x), (p, y, x))
{
    size_t C = p->C;
    const ns_real *gain = p->gain, *bias = p->bias;
    double part = 1 / (double)C, eps = (double)p->eps;
    for (size_t first = 0; first < p->R; first += CHUNK) {
        size_t rows = MIN(CHUNK, p->R - first);
        double sum[CHUNK] = {0}, squares[CHUNK] = {0}, rsigma[CHUNK];
        for (size_t r = 0; r < rows; r++) sum_row(x + (first + r) * C, C, &sum[r], &squares[r]);
#pragma omp simd
        for (int r = 0; r < CHUNK; r++) {
            sum[r] *= part;
            double variance = squares[r] * part - sum[r] * sum[r];
            rsigma[r] = 1 / sqrt((variance < 0 ? 0 : variance) + eps);
        }
        for (size_t r = first; r < first + rows; r++) {
            const ns_real *from = x + r * C;
            ns_real *to = y + r * C, m = (ns_real)((double)from[0] + sum[r - first]);
            ns_real k = (ns_real)rsigma[r - first];
#pragma omp simd
            for (size_t c = 0; c < C; c++) to[c] = (from[c] - m) * k * gain[c] + bias[c];
            p->stats[2 * r] = m;
            p->stats[2 * r + 1] = k;
        }
    }
}

/* RMSNorm: y = gain x / rms, rms^2 = mean x^2 + eps.  stats = (0, 1 / rms).
 * Zhang and Sennrich 2019, eq. 4. */
NS_CLONES(static, rmsnorm_forward, (const NsNormPass *p, ns_real *y, const ns_real *x), (p, y, x))
{
    size_t C = p->C;
    const ns_real *gain = p->gain;
    double part = 1 / (double)C, eps = (double)p->eps;
    for (size_t first = 0; first < p->R; first += CHUNK) {
        size_t rows = MIN(CHUNK, p->R - first);
        double squares[CHUNK] = {0};
        for (size_t r = 0; r < rows; r++) {
            const ns_real *row = x + (first + r) * C;
            squares[r] = ns_vector_lanes_dot(row, row, C);
        }
#pragma omp simd
        for (int r = 0; r < CHUNK; r++) squares[r] = 1 / sqrt(squares[r] * part + eps);
        for (size_t r = first; r < first + rows; r++) {
            const ns_real *from = x + r * C;
            ns_real *to = y + r * C, k = (ns_real)squares[r - first];
#pragma omp simd
            for (size_t c = 0; c < C; c++) to[c] = from[c] * k * gain[c];
            p->stats[2 * r] = 0;
            p->stats[2 * r + 1] = k;
        }
    }
}

/* Some rows of a backward pass.  If not `centered` (RMSNorm), there is no bias and the mean is
 * 0. */
typedef struct {
    const NsNormPass *p;
    const NsNormGradients *d;
    const ns_real *x, *dy, *stats;
    bool centered;
} Rows;

/* With xhat = (x - mean) / sigma and g = dy gain, for `left` features starting at c: adds dy xhat
 * to dgain, dy to dbias, and g and g xhat to the lanes. */
NS_VECTOR_INLINE void add_features(const Rows *w, size_t rows, size_t c, int left,
                                   ns_real g_lane[GROUP][NS_VECTOR_LANES],
                                   ns_real gx_lane[GROUP][NS_VECTOR_LANES])
{
    const ns_real *gain = w->p->gain + c;
    ns_real *dgain = w->d->gain + c, *dbias = w->centered ? w->d->bias + c : NULL;
    ns_real gain_sum[NS_VECTOR_LANES], bias_sum[NS_VECTOR_LANES];
#pragma omp simd
    for (int l = 0; l < NS_VECTOR_LANES; l++) {
        gain_sum[l] = l < left ? dgain[l] : 0;
        bias_sum[l] = w->centered && l < left ? dbias[l] : 0;
    }
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++) {
        const ns_real *x = w->x + r * w->p->C + c, *dy = w->dy + r * w->p->C + c;
        ns_real m = w->centered ? w->stats[2 * r] : 0, k = w->stats[2 * r + 1];
#pragma omp simd
        for (int l = 0; l < NS_VECTOR_LANES; l++) {
            ns_real xhat = l < left ? (x[l] - m) * k : 0, dyl = l < left ? dy[l] : 0;
            ns_real g = l < left ? dyl * gain[l] : 0;
            gain_sum[l] += dyl * xhat;
            bias_sum[l] += dyl;
            g_lane[r][l] += g;
            gx_lane[r][l] += g * xhat;
        }
    }
#pragma omp simd
    for (int l = 0; l < NS_VECTOR_LANES; l++)
        if (l < left) dgain[l] = gain_sum[l];
    if (w->centered)
#pragma omp simd
        for (int l = 0; l < NS_VECTOR_LANES; l++)
            if (l < left) dbias[l] = bias_sum[l];
}

/* dx = (g - mean(g) - xhat mean(g xhat)) / sigma; mean(g) is 0 if rows are not centered.  A lane
 * adds at most four features before it is added to a sum in double, so that the sum is rounded no
 * more than its terms. */
NS_VECTOR_INLINE void rows_backward(const Rows *w, size_t rows, ns_real *dx)
{
    size_t C = w->p->C;
    const ns_real *gain = w->p->gain;
    double g_sum[GROUP] = {0}, gx_sum[GROUP] = {0};
    for (size_t start = 0; start < C; start += BLOCK) {
        ns_real g_lane[GROUP][NS_VECTOR_LANES] = {0}, gx_lane[GROUP][NS_VECTOR_LANES] = {0};
        size_t end = MIN(start + BLOCK, C), c = start;
        for (; c + NS_VECTOR_LANES <= end; c += NS_VECTOR_LANES)
            add_features(w, rows, c, NS_VECTOR_LANES, g_lane, gx_lane);
        if (c < end) add_features(w, rows, c, (int)(end - c), g_lane, gx_lane);
#pragma GCC unroll 4
        for (size_t r = 0; r < rows; r++) {
            double g[NS_VECTOR_LANES], gx[NS_VECTOR_LANES];
#pragma omp simd
            for (int l = 0; l < NS_VECTOR_LANES; l++) {
                g[l] = (double)g_lane[r][l];
                gx[l] = (double)gx_lane[r][l];
            }
            g_sum[r] += w->centered ? ns_vector_lanes_sum(g) : 0;
            gx_sum[r] += ns_vector_lanes_sum(gx);
        }
    }
    const double part = 1 / (double)C;
    for (size_t r = 0; r < rows; r++) {
        const ns_real *x = w->x + r * C, *dy = w->dy + r * C;
        ns_real *out = dx + r * C, m = w->centered ? w->stats[2 * r] : 0, k = w->stats[2 * r + 1];
        ns_real mean_g = w->centered ? (ns_real)(g_sum[r] * part) : 0;
        ns_real mean_gx = (ns_real)(gx_sum[r] * part);
#pragma omp simd
        for (size_t c = 0; c < C; c++)
            out[c] = (dy[c] * gain[c] - mean_g - (x[c] - m) * k * mean_gx) * k;
    }
}

NS_VECTOR_INLINE void all_backward(Rows w, ns_real *dx)
{
    size_t C = w.p->C, r = 0;
    const ns_real *x = w.x, *dy = w.dy, *stats = w.stats;
    for (; r + GROUP <= w.p->R; r += GROUP) {
        w.x = x + r * C;
        w.dy = dy + r * C;
        w.stats = stats + 2 * r;
        rows_backward(&w, GROUP, dx + r * C);
    }
    for (; r < w.p->R; r++) {
        w.x = x + r * C;
        w.dy = dy + r * C;
        w.stats = stats + 2 * r;
        rows_backward(&w, 1, dx + r * C);
    }
}

NS_CLONES(static, layernorm_backward,
          (const NsNormPass *p, const NsNormGradients *d, ns_real *dx, const ns_real *dy,
           const ns_real *x),
          (p, d, dx, dy, x))
{
    all_backward((Rows){p, d, x, dy, p->stats, true}, dx);
}

NS_CLONES(static, rmsnorm_backward,
          (const NsNormPass *p, const NsNormGradients *d, ns_real *dx, const ns_real *dy,
           const ns_real *x),
          (p, d, dx, dy, x))
{
    all_backward((Rows){p, d, x, dy, p->stats, false}, dx);
}

/* ScaleNorm: y = g x / max(|x|, eps).  stats = (whether |x| >= eps, sqrt(C) / max(|x|, eps)), so
 * that 1 / stats[1] is the root mean square.  Nguyen and Salazar 2019, eq. 3. */
NS_CLONES(static, scalenorm_forward, (const NsNormPass *p, ns_real *y, const ns_real *x), (p, y, x))
{
    size_t C = p->C;
    ns_real *stats = p->stats;
    double root = sqrt((double)C);
    for (size_t r = 0; r < p->R; r++, x += C, y += C, stats += 2) {
        double length = sqrt(ns_vector_lanes_dot(x, x, C));
        bool small = length < (double)p->eps;
        stats[0] = small ? 0 : 1;
        stats[1] = (ns_real)(root / (small ? (double)p->eps : length));
        ns_real scale = (ns_real)((double)p->gain[0] / root) * stats[1];
#pragma omp simd
        for (size_t c = 0; c < C; c++) y[c] = x[c] * scale;
    }
}

/* With k = g / |x|: dx = k (dy - x <dy, x> / |x|^2), dg = <dy, x> / |x|; the second term of dx is
 * absent if |x| < eps. */
NS_CLONES(static, scalenorm_backward,
          (const NsNormPass *p, const NsNormGradients *d, ns_real *dx, const ns_real *dy,
           const ns_real *x),
          (p, d, dx, dy, x))
{
    size_t C = p->C;
    const ns_real *stats = p->stats;
    double root = sqrt((double)C), dgain = 0;
    for (size_t r = 0; r < p->R; r++, x += C, dy += C, dx += C, stats += 2) {
        double inverse = (double)stats[1] / root, dot = ns_vector_lanes_dot(dy, x, C);
        dgain += dot * inverse;
        ns_real along = (ns_real)((double)stats[0] * dot * inverse * inverse);
        ns_real scale = (ns_real)((double)p->gain[0] * inverse);
#pragma omp simd
        for (size_t c = 0; c < C; c++) dx[c] = (dy[c] - x[c] * along) * scale;
    }
    d->gain[0] += (ns_real)dgain;
}

/* DyT: y = gain tanh(alpha x) + bias.  Zhu et al. 2025, eq. 1. */
NS_CLONES(static, dyt_forward, (const NsNormPass *p, ns_real *y, const ns_real *x), (p, y, x))
{
    size_t C = p->C;
    const ns_real *gain = p->gain, *bias = p->bias;
    ns_real alpha = p->alpha[0];
    for (size_t r = 0; r < p->R; r++, x += C, y += C)
#pragma omp simd
        for (size_t c = 0; c < C; c++) y[c] = gain[c] * ns_tanh(alpha * x[c]) + bias[c];
}

/* With t = tanh(alpha x) and g = dy gain (1 - t^2): dx = alpha g, dalpha = <g, x>. */
NS_CLONES(static, dyt_backward,
          (const NsNormPass *p, const NsNormGradients *d, ns_real *dx, const ns_real *dy,
           const ns_real *x),
          (p, d, dx, dy, x))
{
    size_t C = p->C;
    const ns_real *gain = p->gain;
    ns_real *dgain = d->gain, *dbias = d->bias, alpha = p->alpha[0];
    double dalpha = 0;
    for (size_t r = 0; r < p->R; r++, x += C, dy += C, dx += C)
#pragma omp simd reduction(+ : dalpha)
        for (size_t c = 0; c < C; c++) {
            ns_real t = ns_tanh(alpha * x[c]), g = dy[c] * gain[c] * (1 - t * t);
            dgain[c] += dy[c] * t;
            dbias[c] += dy[c];
            dalpha += (double)g * (double)x[c];
            dx[c] = alpha * g;
        }
    d->alpha[0] += (ns_real)dalpha;
}

static bool is_live(const NsNormPass *p, size_t r)
{
    return !p->live || p->live[r];
}

static size_t stride_of(const NsNormPass *p)
{
    return p->stride ? p->stride : p->C;
}

static double live_rows(const NsNormPass *p)
{
    size_t n = 0;
    for (size_t r = 0; r < p->R; r++) n += is_live(p, r);
    return (double)n;
}

/* stats = (mean, 1 / sigma) of `left` features starting at c, over the live rows.  As in sum_row,
 * the first live row is subtracted before summing. */
NS_VECTOR_INLINE void feature_statistics(const NsNormPass *p, const ns_real *x, double n, size_t c,
                                         size_t left)
{
    size_t C = p->C, stride = stride_of(p), r = 0;
    while (r + 1 < p->R && !is_live(p, r)) r++;
    const ns_real *origin = x + r * stride + c;
    double sum[NS_VECTOR_LANES] = {0}, squares[NS_VECTOR_LANES] = {0};
    for (; r < p->R; r++) {
        if (!is_live(p, r)) continue;
        const ns_real *row = x + r * stride + c;
#pragma omp simd
        for (size_t l = 0; l < left; l++) {
            double v = (double)row[l] - (double)origin[l];
            sum[l] += v;
            squares[l] += v * v;
        }
    }
    for (size_t l = 0; l < left; l++) {
        double shift = sum[l] / n, variance = squares[l] / n - shift * shift;
        double mean = (double)origin[l] + shift;
        if (variance < 0) variance = 0;
        p->stats[2 * (c + l)] = (ns_real)mean;
        p->stats[2 * (c + l) + 1] = (ns_real)(1 / sqrt(variance + (double)p->eps));
        if (p->statistics != NS_OF_BATCH_KEPT) continue;
        /* The running variance is the unbiased one. */
        double k = NS_BATCHNORM_MOMENTUM, unbiased = n > 1 ? variance * n / (n - 1) : 0;
        ns_real *running = p->running + c + l;
        running[0] = (ns_real)((1 - k) * (double)running[0] + k * mean);
        running[C] = (ns_real)((1 - k) * (double)running[C] + k * unbiased);
    }
}

NS_VECTOR_INLINE void features_forward(const NsNormPass *p, ns_real *y, const ns_real *x, double n,
                                       size_t c, size_t left)
{
    size_t C = p->C, stride = stride_of(p);
    ns_real m[NS_VECTOR_LANES], scale[NS_VECTOR_LANES];
    if (p->statistics != NS_RUNNING) feature_statistics(p, x, n, c, left);
    for (size_t l = 0; l < left; l++) {
        ns_real *stats = p->stats + 2 * (c + l);
        if (p->statistics == NS_RUNNING) {
            stats[0] = p->running[c + l];
            stats[1] = (ns_real)(1 / sqrt((double)p->running[C + c + l] + (double)p->eps));
        }
        m[l] = stats[0];
        scale[l] = stats[1];
    }
    const ns_real *gain = p->gain + c, *bias = p->bias + c;
    for (size_t r = 0; r < p->R; r++) {
        const ns_real *from = x + r * stride + c;
        ns_real *to = y + r * stride + c;
#pragma omp simd
        for (size_t l = 0; l < left; l++) to[l] = (from[l] - m[l]) * scale[l] * gain[l] + bias[l];
    }
}

/* Same as LayerNorm, with means over the live rows of a feature in place of means over the
 * features. */
NS_VECTOR_INLINE void features_backward(const Rows *w, ns_real *dx, double n, size_t c, size_t left)
{
    const NsNormPass *p = w->p;
    size_t stride = stride_of(p);
    double sum[NS_VECTOR_LANES] = {0}, along[NS_VECTOR_LANES] = {0};
    ns_real m[NS_VECTOR_LANES], rsigma[NS_VECTOR_LANES], mean[NS_VECTOR_LANES],
        mean_along[NS_VECTOR_LANES], scale[NS_VECTOR_LANES];
    for (size_t l = 0; l < left; l++) {
        m[l] = p->stats[2 * (c + l)];
        rsigma[l] = p->stats[2 * (c + l) + 1];
        scale[l] = p->gain[c + l] * rsigma[l];
    }
    for (size_t r = 0; r < p->R; r++) {
        const ns_real *x = w->x + r * stride + c, *dy = w->dy + r * stride + c;
#pragma omp simd
        for (size_t l = 0; l < left; l++) {
            sum[l] += (double)dy[l];
            along[l] += (double)dy[l] * (double)((x[l] - m[l]) * rsigma[l]);
        }
    }
    for (size_t l = 0; l < left; l++) {
        w->d->bias[c + l] += (ns_real)sum[l];
        w->d->gain[c + l] += (ns_real)along[l];
        mean[l] = (ns_real)(sum[l] / n);
        mean_along[l] = (ns_real)(along[l] / n);
    }
    for (size_t r = 0; r < p->R; r++) {
        const ns_real *x = w->x + r * stride + c, *dy = w->dy + r * stride + c;
        ns_real *out = dx + r * stride + c;
        if (!is_live(p, r)) {
            memset(out, 0, left * sizeof *out);
            continue;
        }
#pragma omp simd
        for (size_t l = 0; l < left; l++)
            out[l] = (dy[l] - mean[l] - (x[l] - m[l]) * rsigma[l] * mean_along[l]) * scale[l];
    }
}

/* BatchNorm: y = gain (x - mean) / sigma + bias, with the mean and variance of each feature over
 * the rows.  Ioffe and Szegedy 2015, algorithm 1. */
NS_CLONES(static, batchnorm_forward, (const NsNormPass *p, ns_real *y, const ns_real *x), (p, y, x))
{
    double n = live_rows(p);
    size_t c = 0;
    for (; c + NS_VECTOR_LANES <= p->C; c += NS_VECTOR_LANES)
        features_forward(p, y, x, n, c, NS_VECTOR_LANES);
    if (c < p->C) features_forward(p, y, x, n, c, p->C - c);
}

NS_CLONES(static, batchnorm_backward,
          (const NsNormPass *p, const NsNormGradients *d, ns_real *dx, const ns_real *dy,
           const ns_real *x),
          (p, d, dx, dy, x))
{
    const Rows w = {.p = p, .d = d, .x = x, .dy = dy};
    double n = live_rows(p);
    size_t c = 0;
    for (; c + NS_VECTOR_LANES <= p->C; c += NS_VECTOR_LANES)
        features_backward(&w, dx, n, c, NS_VECTOR_LANES);
    if (c < p->C) features_backward(&w, dx, n, c, p->C - c);
}

static const NsNorm norms[] = {
    [NS_NORM_AUTO] =
        {.choice = {.key = "auto",
                    .label = "Automatic",
                    .purpose = "The norm used in the placement's paper, RMSNorm or LayerNorm."}},
    [NS_NORM_LAYERNORM] = {.choice = {.key = "layernorm",
                                      .label = "LayerNorm",
                                      .formula = "γ (x − μ) / √(σ² + ε) + β",
                                      .reference = "Ba, Kiros, Hinton 2016, arXiv 1607.06450",
                                      .purpose = "Centers and scales the features of each token."},
                           .gain = true,
                           .bias = true,
                           .stats = NS_STATS_ROWS,
                           .forward = layernorm_forward,
                           .backward = layernorm_backward},
    [NS_NORM_RMSNORM] = {.choice = {.key = "rmsnorm",
                                    .label = "RMSNorm",
                                    .formula = "γ x / √(mean x² + ε)",
                                    .reference = "Zhang and Sennrich 2019, arXiv 1910.07467",
                                    .purpose =
                                        "Scales the features of each token without centering them.",
                                    .differs = "The paper has no ε and its code adds one to the "
                                               "root; here, as in LLaMA, ε is inside the root."},
                         .gain = true,
                         .stats = NS_STATS_ROWS,
                         .forward = rmsnorm_forward,
                         .backward = rmsnorm_backward},
    {.choice = {.key = "batchnorm",
                .label = "BatchNorm",
                .formula =
                    "γ (x − μ_B) / √(σ_B² + ε) + β, μ_B and σ_B over the tokens of the batch",
                .reference = "Ioffe and Szegedy 2015, arXiv 1502.03167",
                .purpose = "Centers and scales each feature over the whole batch, so that such a "
                           "model trains on one thread; validation uses running averages.",
                .differs =
                    "Padding is excluded. Queries, keys and values are normalized per feature as "
                    "well, so that a norm per head and one over the full width are the same."},
     .gain = true,
     .bias = true,
     .stats = NS_STATS_FEATURES,
     .forward = batchnorm_forward,
     .backward = batchnorm_backward},
    {.choice = {.key = "scalenorm",
                .label = "ScaleNorm",
                .formula = "g x / max(‖x‖, ε), g = √d at the start",
                .reference = "Nguyen and Salazar 2019, arXiv 1910.05895",
                .purpose = "Scales every token to the same length, a learned number.",
                .differs = "The paper also fixes the length of the embeddings (FixNorm), which is "
                           "omitted here."},
     .gain = true,
     .scalar = true,
     .stats = NS_STATS_ROWS,
     .forward = scalenorm_forward,
     .backward = scalenorm_backward},
    {.choice = {.key = "dyt",
                .label = "DyT",
                .formula = "γ tanh(α x) + β, α = 0.5 at the start",
                .reference = "Zhu et al. 2025, arXiv 2503.10622",
                .purpose = "Not a norm: it squashes every feature separately.",
                .differs =
                    "α starts at 0.5 in every norm; for language models the paper also tunes α by "
                    "place and width and scales the embedding, which is omitted here."},
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
                .purpose = "Omits every norm of the placement."}},
};

const NsNorm *ns_norm(size_t i)
{
    return i < G_N_ELEMENTS(norms) ? &norms[i] : NULL;
}

NS_CHOICES(ns_norm_choice, norms)

bool ns_norm_over_batch(const NsNorm *norm)
{
    return norm->stats == NS_STATS_FEATURES;
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
