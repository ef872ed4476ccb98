/* SPDX-License-Identifier: MIT */
#include "core/base/squares.h"
#include "core/optim/optimizer-private.h"

#include "core/base/clones.h"
#include "core/ops/gemm.h"
#include "core/ops/residual.h"

#include <math.h>
#include <string.h>

/* The polynomial a s + b s^3 + c s^5, which, applied five times, maps every s in (0.004, 1] close
 * to 1.  Jordan et al. 2024. */
static const double quintic[] = {3.4445, -4.7750, 2.0315};
#define ITERATIONS 5

size_t ns_orthogonal_scratch(size_t rows, size_t cols)
{
    size_t side = MIN(rows, cols);
    return ns_real_lines(rows * cols) + 2 * ns_real_lines(side * side);
}

void ns_orthogonalize(ns_real *x, size_t rows, size_t cols, ns_real *scratch)
{
    bool tall = rows > cols;
    size_t n = rows * cols, side = MIN(rows, cols), length = MAX(rows, cols);
    ns_real *y = scratch, *gram = y + ns_real_lines(n), *poly = gram + ns_real_lines(side * side);
    ns_scale(x, (ns_real)(1 / (ns_real_norm(x, n) + 1e-7)), x, n);

    for (int k = 0; k < ITERATIONS; k++) {
        /* If rows <= cols: A = X X^T, B = b A + c A A, X' = a X + B X; else the transpose of
         * this. */
        ns_gemm(&(NsGemm){.ta = tall,
                          .tb = !tall,
                          .M = side,
                          .N = side,
                          .K = length,
                          .alpha = 1,
                          .A = x,
                          .lda = cols,
                          .B = x,
                          .ldb = cols,
                          .C = gram,
                          .ldc = side});
        memcpy(poly, gram, side * side * sizeof *poly);
        ns_gemm(&(NsGemm){.M = side,
                          .N = side,
                          .K = side,
                          .alpha = (ns_real)quintic[2],
                          .A = gram,
                          .lda = side,
                          .B = gram,
                          .ldb = side,
                          .beta = (ns_real)quintic[1],
                          .C = poly,
                          .ldc = side});
        memcpy(y, x, n * sizeof *y);
        ns_gemm(&(NsGemm){.M = rows,
                          .N = cols,
                          .K = side,
                          .alpha = 1,
                          .A = tall ? y : poly,
                          .lda = tall ? cols : side,
                          .B = tall ? poly : y,
                          .ldb = tall ? side : cols,
                          .beta = (ns_real)quintic[0],
                          .C = x,
                          .ldc = cols});
    }
}

/* ---- The update ---- */

static bool is_matrix(const NsTensor *tensor)
{
    return tensor->layer >= 0 && tensor->cols > 0;
}

static bool is_rest(const NsTensor *tensor)
{
    return !is_matrix(tensor);
}

/* Scratch elements of one thread: the direction of a matrix, and what ns_orthogonalize needs. */
static size_t member_scratch(const NsTensorTable *table)
{
    size_t most = 0;
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        if (!is_matrix(t)) continue;
        size_t elements =
            ns_real_lines(ns_tensor_size(t)) + ns_orthogonal_scratch(t->rows, t->cols);
        most = MAX(most, elements);
    }
    return most;
}

size_t ns_muon_scratch(const NsTensorTable *table, unsigned threads)
{
    return MAX(threads, 1) * member_scratch(table);
}

/* m = momentum m + g, x = g + momentum m (Nesterov). */
NS_CLONES(static, look_ahead,
          (ns_real *restrict x, ns_real *restrict m, const ns_real *restrict g, ns_real clip,
           ns_real momentum, size_t n),
          (x, m, g, clip, momentum, n))
{
    for (size_t i = 0; i < n; i++) {
        ns_real gradient = clip * g[i];
        m[i] = momentum * m[i] + gradient;
        x[i] = gradient + momentum * m[i];
    }
}

NS_CLONES_OF(static, NsUpdateSums, apply,
             (ns_real *restrict w, const ns_real *restrict x, ns_real rate, ns_real decay,
              size_t n),
             (w, x, rate, decay, n))
{
    const bool pulls = decay > 0;
    double weight = 0, update = 0;
#pragma omp simd reduction(+ : weight, update)
    for (size_t i = 0; i < n; i++) {
        ns_real u = rate * x[i] + (pulls ? decay * w[i] : 0);
        weight += (double)w[i] * (double)w[i];
        update += (double)u * (double)u;
        w[i] -= u;
    }
    return (NsUpdateSums){.weight = weight, .update = update};
}

static void update_matrix(const NsUpdate *u, size_t i, ns_real *scratch)
{
    const NsTensor *t = &u->table->tensors[i];
    size_t n = ns_tensor_size(t), o = t->offset;
    double lr = u->lr * t->lr, shape = sqrt(MAX(1.0, (double)t->rows / (double)t->cols));
    double decay = ns_decays(t, u->settings->decay_scope) ? lr * u->settings->weight_decay : 0;
    double clip = ns_clip_factor(u->settings->clip, u->grad_norm);
    ns_real *x = scratch;
    look_ahead(x, u->m + o, u->g + o, (ns_real)clip, (ns_real)u->settings->momentum, n);
    ns_orthogonalize(x, t->rows, t->cols, scratch + ns_real_lines(n));
    NsUpdateSums sums = apply(u->w + o, x, (ns_real)(lr * shape), (ns_real)decay, n);
    u->tensors[i] = (NsTensorUpdate){
        .weight_sq = sums.weight, .update_sq = sums.update, .ratio_sum = -1, .ratio_max = -1};
}

typedef struct {
    const NsUpdate *update;
    size_t scratch; /* elements of each member */
} Updating;

/* One member updates a whole matrix. */
static void update_tensor(void *data, size_t i, unsigned member)
{
    const Updating *updating = data;
    const NsUpdate *u = updating->update;
    if (is_matrix(&u->table->tensors[i]))
        update_matrix(u, i, u->scratch + member * updating->scratch);
}

void ns_muon_update(const NsUpdate *u)
{
    Updating updating = {u, member_scratch(u->table)};
    ns_team_each(u->team, u->table->n, update_tensor, &updating);
    ns_adamw_update_where(u, is_rest);
}
