/* SPDX-License-Identifier: MIT */
#include "core/train/optimizer.h"

#include "core/ops/clones.h"

#include <tgmath.h>

/* A tensor up to WHOLE elements is one thread's work; a larger one is cut into at most BLOCKS
 * blocks that all threads share.  The cuts depend on the tensor alone, and each sum is closed in
 * the order of its blocks, so the threads cannot be seen in the result. */
#define WHOLE ((size_t)1 << 16)
#define BLOCKS ((size_t)256)

/* Below this many elements one thread needs half a millisecond: less than it costs to wait for
 * another one that the desktop has just pushed off its core. */
#define WORTH_SHARING ((size_t)1 << 20)

/* The constants of one step: w -= rate * m / (sqrt(v * v_correction) + eps). */
typedef struct {
    ns_real beta1, beta2, rest1, rest2, rate, v_correction, eps;
} Constants;

typedef struct {
    double weight, update;
} Sums;

NS_CLONES static Sums adam(const Constants *c, size_t n, ns_real *restrict w, ns_real *restrict m,
                           ns_real *restrict v, const ns_real *restrict g)
{
    const ns_real beta1 = c->beta1, beta2 = c->beta2, rest1 = c->rest1, rest2 = c->rest2;
    const ns_real rate = c->rate, v_correction = c->v_correction, eps = c->eps;
    double weight = 0, update = 0;
#pragma omp simd reduction(+ : weight, update)
    for (size_t i = 0; i < n; i++) {
        m[i] = beta1 * m[i] + rest1 * g[i];
        v[i] = beta2 * v[i] + rest2 * (g[i] * g[i]);
        ns_real u = rate * m[i] / (sqrt(v[i] * v_correction) + eps);
        weight += (double)w[i] * (double)w[i];
        update += (double)u * (double)u;
        w[i] -= u;
    }
    return (Sums){weight, update};
}

/* Elements in a block of a large tensor: whole cache lines. */
static size_t block_size(size_t size)
{
    return ((size + BLOCKS - 1) / BLOCKS + 15) & ~(size_t)15;
}

void ns_adam_step(const NsAdam *a, const NsTensorTable *table, ns_real *w, ns_real *m, ns_real *v,
                  const ns_real *g, double lr, int64_t step, unsigned threads, double *weight_sq,
                  double *update_sq)
{
    const Constants c = {
        .beta1 = (ns_real)a->beta1,
        .beta2 = (ns_real)a->beta2,
        .rest1 = (ns_real)(1 - a->beta1),
        .rest2 = (ns_real)(1 - a->beta2),
        .rate = (ns_real)(lr / (1 - pow(a->beta1, (double)step))),
        .v_correction = (ns_real)(1 / (1 - pow(a->beta2, (double)step))),
        .eps = (ns_real)a->eps,
    };
    if (table->elements < WORTH_SHARING) threads = 1;
    Sums sums[BLOCKS];

#pragma omp parallel num_threads((int)MAX(threads, 1))
    {
#pragma omp for schedule(dynamic, 4)
        for (size_t i = 0; i < table->n; i++) {
            const NsTensor *t = &table->tensors[i];
            size_t size = ns_tensor_size(t), o = t->offset;
            if (size > WHOLE) continue;
            Sums s = adam(&c, size, w + o, m + o, v + o, g + o);
            weight_sq[i] = s.weight;
            update_sq[i] = s.update;
        }

        for (size_t i = 0; i < table->n; i++) {
            const NsTensor *t = &table->tensors[i];
            size_t size = ns_tensor_size(t), block = block_size(size);
            if (size <= WHOLE) continue;
            size_t blocks = (size + block - 1) / block;
#pragma omp for schedule(static)
            for (size_t k = 0; k < blocks; k++) {
                size_t o = t->offset + k * block, n = MIN(block, size - k * block);
                sums[k] = adam(&c, n, w + o, m + o, v + o, g + o);
            }
#pragma omp single
            {
                weight_sq[i] = update_sq[i] = 0;
                for (size_t k = 0; k < blocks; k++) {
                    weight_sq[i] += sums[k].weight;
                    update_sq[i] += sums[k].update;
                }
            }
        }
    }
}
