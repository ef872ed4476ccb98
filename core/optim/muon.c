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

/* x = m-hat / (sqrt(v-hat) + eps), Adam's direction, and its moments. */
static void adam_direction(const NsUpdate *u, size_t i, ns_real clip, ns_real *x)
{
    const NsTensor *t = &u->table->tensors[i];
    const NsSettings *s = u->settings;
    const ns_real *g = u->g + t->offset, one = 1;
    ns_real *m = u->m + t->offset, *v = u->v + t->offset, eps = (ns_real)(s->eps * t->eps);
    ns_real beta1 = (ns_real)s->beta1, beta2 = (ns_real)s->beta2;
    double age = (double)(u->step - (u->moments_since ? u->moments_since[i] : 0));
    ns_real first = (ns_real)(1 / (1 - pow(s->beta1, age)));
    ns_real second = (ns_real)(1 / (1 - pow(s->beta2, age)));
    for (size_t k = 0; k < ns_tensor_size(t); k++) {
        ns_real gradient = clip * g[k];
        m[k] = beta1 * m[k] + (one - beta1) * gradient;
        v[k] = beta2 * v[k] + (one - beta2) * (gradient * gradient);
        x[k] = first * m[k] / ((ns_real)sqrt((double)(second * v[k])) + eps);
    }
}

/* w = |w| normalize(w - rate |w| x / |x|). */
static NsUpdateSums turn(ns_real *w, const ns_real *x, double rate, size_t n)
{
    double norm = ns_real_norm(w, n), size = ns_real_norm(x, n);
    double square = 0, update = 0, inner = 0;
    double by = size == 0 ? 0 : rate * norm / size;
    for (size_t i = 0; i < n; i++) {
        double moved = (double)w[i] - by * (double)x[i];
        square += moved * moved;
    }
    double back = square == 0 ? 1 : norm / sqrt(square);
    for (size_t i = 0; i < n; i++) {
        double before = (double)w[i];
        w[i] = (ns_real)(back * (before - by * (double)x[i]));
        update += ((double)w[i] - before) * ((double)w[i] - before);
        inner += before * (before - (double)w[i]);
    }
    return (NsUpdateSums){.weight = norm * norm, .update = update, .inner = inner};
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
    double weight = 0, update = 0, inner = 0;
#pragma omp simd reduction(+ : weight, update, inner)
    for (size_t i = 0; i < n; i++) {
        ns_real u = rate * x[i] + (pulls ? decay * w[i] : 0);
        weight += (double)w[i] * (double)w[i];
        update += (double)u * (double)u;
        inner += (double)w[i] * (double)u;
        w[i] -= u;
    }
    return (NsUpdateSums){.weight = weight, .update = update, .inner = inner};
}

/* How the direction of a matrix is found, and whether its norm is held. */
typedef struct {
    bool adam, turns;
} Way;

static void update_matrix(const NsUpdate *u, size_t i, Way way, ns_real *scratch)
{
    const NsTensor *t = &u->table->tensors[i];
    size_t n = ns_tensor_size(t), o = t->offset;
    double lr = u->lr * t->lr, shape = sqrt(MAX(1.0, (double)t->rows / (double)t->cols));
    double decay = ns_decays(t, u->settings->decay_scope) ? lr * u->settings->weight_decay : 0;
    double clip = ns_clip_factor(u->settings->clip, u->grad_norm);
    ns_real *x = scratch;
    if (way.adam) {
        adam_direction(u, i, (ns_real)clip, x);
    } else {
        look_ahead(x, u->m + o, u->g + o, (ns_real)clip, (ns_real)u->settings->momentum, n);
        ns_orthogonalize(x, t->rows, t->cols, scratch + ns_real_lines(n));
    }
    NsUpdateSums sums = way.turns ? turn(u->w + o, x, lr, n)
                                  : apply(u->w + o, x, (ns_real)(lr * shape), (ns_real)decay, n);
    u->tensors[i] = (NsTensorUpdate){.weight_sq = sums.weight,
                                     .update_sq = sums.update,
                                     .inner = sums.inner,
                                     .ratio_sum = -1,
                                     .ratio_max = -1};
}

typedef struct {
    const NsUpdate *update;
    Way way;
    size_t scratch; /* elements of each member */
} Updating;

/* Updates a matrix with a single member of the team. */
static void update_tensor(void *data, size_t i, unsigned member)
{
    const Updating *updating = data;
    const NsUpdate *u = updating->update;
    if (is_matrix(&u->table->tensors[i]))
        update_matrix(u, i, updating->way, u->scratch + member * updating->scratch);
}

static void update_all(const NsUpdate *u, Way way)
{
    Updating updating = {u, way, member_scratch(u->table)};
    ns_team_each(u->team, u->table->n, update_tensor, &updating);
    ns_adamw_update_where(u, is_rest);
}

void ns_muon_update(const NsUpdate *u)
{
    update_all(u, (Way){0});
}

void ns_adamh_update(const NsUpdate *u)
{
    update_all(u, (Way){.adam = true, .turns = true});
}

void ns_muonh_update(const NsUpdate *u)
{
    update_all(u, (Way){.turns = true});
}
