/* Optimizers that update each element independently: Adam, AdamW, RAdam and SGD.
 * SPDX-License-Identifier: MIT */
#include "core/optim/optimizer-private.h"

#include "core/base/clones.h"
#include "core/base/share.h"
#include "core/base/vector_lanes.h"
#include "core/ops/math.h"

#include <tgmath.h>

/* m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
 * u = lr (m-hat / (sqrt(v-hat) + eps) + decay w),  m-hat = m / (1 - beta1^t),  v-hat alike.
 * Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019, algorithm 2. */
double ns_plain_adam(const NsPlainAdam *p, double *m, double *v)
{
    double g = p->g + p->l2 * p->w, t = (double)p->t;
    *m = p->beta1 * *m + (1 - p->beta1) * g;
    *v = p->beta2 * *v + (1 - p->beta2) * g * g;
    double m_hat = *m / (1 - pow(p->beta1, t)), v_hat = *v / (1 - pow(p->beta2, t));
    return p->lr * (m_hat / (sqrt(v_hat) + p->eps) + p->decay * p->w);
}

/* The constants of one step and tensor. */
typedef struct {
    ns_real clip;         /* factor on the gradient */
    ns_real l2;           /* factor on the weight that is added to the gradient */
    ns_real decay;        /* factor on the weight that is added to the update */
    ns_real beta1, rest1; /* m = beta1 m + rest1 g */
    ns_real beta2, rest2; /* v = beta2 v + rest2 g^2 */
    ns_real rate;         /* factor on m, including its bias correction */
    ns_real v_correction, eps;
    ns_real v_correction_before; /* for v before the update; 0 if v is still empty */
    ns_real least;               /* minimum square root of a ratio's divisor */
    ns_real least_square;
} Constants;

/* A contiguous range of elements. */
typedef struct {
    size_t n;
    ns_real *w, *m, *v; /* v: NULL for an optimizer with one moment */
    const ns_real *g;
} Span;

/* Range of roots whose squares, and the inverses of those squares, fit in single precision. */
#define LEAST_ROOT ((ns_real)0x1p-63)
#define MOST_ROOT ((ns_real)0x1p63)

/* Ratios are scaled by this factor, so that a gradient divided by a large root does not
 * underflow. */
#define LARGER ((ns_real)0x1p40)

static inline ns_real clamped(ns_real x, ns_real least, ns_real most)
{
    x = x > least ? x : least;
    return x < most ? x : most;
}

/* Bytes from the updated address to the prefetched one. */
#define PREFETCH_DISTANCE 1024

/* Prefetches a cache line of every array of a span.  The address may lie beyond the end, since a
 * prefetch never faults.  If a model fits into no cache, the processor's own prefetching is too
 * late: four streams are read and three written. */
NS_VECTOR_INLINE void prefetch(const Span *s)
{
    __builtin_prefetch((const void *)((uintptr_t)s->w + PREFETCH_DISTANCE), 1);
    __builtin_prefetch((const void *)((uintptr_t)s->m + PREFETCH_DISTANCE), 1);
    __builtin_prefetch((const void *)((uintptr_t)s->v + PREFETCH_DISTANCE), 1);
    __builtin_prefetch((const void *)((uintptr_t)s->g + PREFETCH_DISTANCE), 0);
}

/* Variants of the Adam kernel.  `plain`: the update is the first moment, not divided by the root of
 * the second.  `pulls`: weight decay is on.  (Without weight decay a nonfinite weight must not
 * reach the moments through 0 w.)  `looks`: gradients are compared with their moments
 * (NsTensorUpdate). */
typedef struct {
    bool plain, pulls, looks;
} Adam;

/* Lanes for the sums and maxima of a span, [NS_VECTOR_LANES] each. */
typedef struct {
    double *weight, *update, *inner, *ratio;
    ns_real *most;
} SpanVectors;

/* Updates the first `left` weights of a span.  The ratios use only values that are loaded for the
 * update anyway, and avoid divisions, since one square root and one division already keep the
 * divider busy.  They are computed as roots, so that they have the range of the gradient. */
NS_VECTOR_INLINE void adam_vector(const Constants *c, Span s, int left, const SpanVectors *lanes,
                                  const Adam adam)
{
    ns_real *restrict w = s.w, *restrict m = s.m, *restrict v = s.v;
    const ns_real *restrict g = s.g;
#pragma omp simd
    for (int l = 0; l < left; l++) {
        ns_real gradient = c->clip * g[l], before = v[l];
        if (adam.pulls) gradient += c->l2 * w[l];
        m[l] = c->beta1 * m[l] + c->rest1 * gradient;
        v[l] = c->beta2 * before + c->rest2 * (gradient * gradient);
        ns_real root = sqrt(v[l] * c->v_correction);
        lanes->weight[l] += (double)w[l] * (double)w[l];
        if (adam.looks) {
            ns_real size = LARGER * ns_abs(gradient), square = before * c->v_correction_before;
            ns_real after = size * ns_reciprocal(clamped(root, c->least, MOST_ROOT));
            ns_real score =
                size * ns_reciprocal_root(clamped(square, c->least_square, MOST_ROOT * MOST_ROOT));
            lanes->ratio[l] += (double)after * (double)after;
            lanes->most[l] = score > lanes->most[l] ? score : lanes->most[l];
        }
        ns_real u = c->rate * m[l];
        if (!adam.plain) u /= root + c->eps;
        if (adam.pulls) u += c->decay * w[l];
        lanes->update[l] += (double)u * (double)u;
        lanes->inner[l] += (double)w[l] * (double)u;
        w[l] -= u;
    }
}

NS_VECTOR_INLINE NsUpdateSums adam_span(const Constants *constants, Span s, const Adam adam)
{
    const Constants c = *constants;
    double weight[NS_VECTOR_LANES] = {0}, update[NS_VECTOR_LANES] = {0},
           inner[NS_VECTOR_LANES] = {0}, ratio[NS_VECTOR_LANES] = {0};
    ns_real most[NS_VECTOR_LANES] = {0};
    const SpanVectors lanes = {weight, update, inner, ratio, most};
    for (; s.n >= NS_VECTOR_LANES; s.n -= NS_VECTOR_LANES) {
        prefetch(&s);
        adam_vector(&c, s, NS_VECTOR_LANES, &lanes, adam);
        s.w += NS_VECTOR_LANES;
        s.m += NS_VECTOR_LANES;
        s.v += NS_VECTOR_LANES;
        s.g += NS_VECTOR_LANES;
    }
    if (s.n) adam_vector(&c, s, (int)s.n, &lanes, adam);
    NsUpdateSums sums = {.weight = ns_vector_lanes_sum(weight),
                         .update = ns_vector_lanes_sum(update),
                         .inner = ns_vector_lanes_sum(inner)};
    if (!adam.looks) return sums;
    const double smaller = 1 / (double)LARGER,
                 largest = smaller * (double)ns_vector_lanes_max(most);
    sums.ratio = smaller * smaller * ns_vector_lanes_sum(ratio);
    sums.most = largest * largest;
    return sums;
}

#define ADAM(name, ...)                                                                            \
    NS_CLONES_OF(static, NsUpdateSums, name, (const Constants *c, Span s), (c, s))                 \
    {                                                                                              \
        return adam_span(c, s, (Adam){__VA_ARGS__});                                               \
    }

ADAM(adam, .plain = false)
ADAM(adam_looking, .looks = true)
ADAM(adam_pulled, .pulls = true)
ADAM(adam_pulled_looking, .pulls = true, .looks = true)
ADAM(plain, .plain = true)
ADAM(plain_looking, .plain = true, .looks = true)
ADAM(plain_pulled, .plain = true, .pulls = true)
ADAM(plain_pulled_looking, .plain = true, .pulls = true, .looks = true)

NS_CLONES_OF(static, NsUpdateSums, momentum, (const Constants *c, Span s), (c, s))
{
    ns_real *restrict w = s.w, *restrict m = s.m;
    const ns_real *restrict g = s.g;
    const bool pulls = c->l2 > 0;
    double weight = 0, update = 0, inner = 0;
#pragma omp simd reduction(+ : weight, update, inner)
    for (size_t i = 0; i < s.n; i++) {
        m[i] = c->beta1 * m[i] + (c->clip * g[i] + (pulls ? c->l2 * w[i] : 0));
        ns_real u = c->rate * m[i];
        weight += (double)w[i] * (double)w[i];
        update += (double)u * (double)u;
        inner += (double)w[i] * (double)u;
        w[i] -= u;
    }
    return (NsUpdateSums){.weight = weight, .update = update, .inner = inner};
}

/* ---- All tensors ---- */

typedef NsUpdateSums (*Kernel)(const Constants *c, Span span);

/* How an optimizer treats tensors. */
typedef struct {
    bool (*takes)(const NsTensor *tensor); /* which tensors to update; NULL for all */
    /* Fills in the constants for a tensor whose moments are `age` updates old, and returns the
     * kernel that uses them. */
    Kernel (*choose)(const NsUpdate *u, int64_t age, Constants *c);
    bool apart; /* weight decay is decoupled from the gradient */
} Rule;

/* The kernel and constants for a tensor, and the values that they depend on.  They are cached,
 * since the next tensor often has the same values and computing powers is expensive. */
typedef struct {
    Kernel kernel; /* NULL if nothing is cached yet */
    Constants constants;
    double lr, eps;
    int64_t age;
} Chosen;

/* `latest`: one cache entry for tensors without weight decay, one for those with it. */
static const Chosen *choose(Chosen latest[2], const Rule *rule, const NsUpdate *u, size_t i)
{
    const NsTensor *t = &u->table->tensors[i];
    const NsSettings *s = u->settings;
    int64_t age = u->step - (u->moments_since ? u->moments_since[i] : 0);
    bool decays = ns_decays(t, s->decay_scope);
    Chosen *chosen = &latest[decays];
    bool alike =
        chosen->kernel && chosen->age == age && chosen->lr == t->lr && chosen->eps == t->eps;
    if (alike) return chosen;
    double decay = decays ? s->weight_decay : 0;
    *chosen = (Chosen){.lr = t->lr, .eps = t->eps, .age = age};
    chosen->constants = (Constants){
        .clip = (ns_real)ns_clip_factor(s->clip, u->grad_norm),
        .l2 = rule->apart ? 0 : (ns_real)decay,
        .decay = rule->apart ? (ns_real)(u->lr * t->lr * decay) : 0,
        .eps = (ns_real)(s->eps * t->eps),
        .rate = (ns_real)(u->lr * t->lr),
        .least = MAX((ns_real)(s->eps * t->eps), LEAST_ROOT),
    };
    chosen->constants.least_square = chosen->constants.least * chosen->constants.least;
    chosen->kernel = rule->choose(u, age, &chosen->constants);
    return chosen;
}

static void add(const NsUpdate *u, size_t i, NsUpdateSums sums)
{
    NsTensorUpdate *tensor = &u->tensors[i];
    tensor->weight_sq += sums.weight;
    tensor->update_sq += sums.update;
    tensor->inner += sums.inner;
    if (!u->ratios) return;
    tensor->ratio_sum += sums.ratio;
    tensor->ratio_max = MAX(tensor->ratio_max, sums.most);
}

/* The sums of blocks at the start of a share whose tensor begins in the share of an earlier
 * member. */
typedef struct {
    NsUpdateSums sums[NS_BLOCKS_MAX];
    size_t n, tensor;
} Late;

typedef struct {
    const NsUpdate *update;
    const Rule *rule;
} Updating;

/* Updates one member's share.  After all other sums, members add their late sums in the order of
 * their index. */
static void update_member(void *data, const NsMember *member)
{
    const NsUpdate *u = ((const Updating *)data)->update;
    const Rule *rule = ((const Updating *)data)->rule;
    NsShare share = ns_share(u->table, member->index, member->size);
    Chosen latest[2] = {0};
    NsBlock block;
    Late late = {.n = 0};
    while (ns_share_next(&share, &block)) {
        size_t i = block.tensor, o = block.offset;
        if (rule->takes && !rule->takes(&u->table->tensors[i])) continue;
        const Chosen *chosen = choose(latest, rule, u, i);
        Span span = {block.n, u->w + o, u->m + o, u->v ? u->v + o : NULL, u->g + o};
        NsUpdateSums sums = chosen->kernel(&chosen->constants, span);
        if (block.late) {
            late.tensor = i;
            late.sums[late.n++] = sums;
            continue;
        }
        double none = u->ratios ? 0 : -1;
        if (block.first) u->tensors[i] = (NsTensorUpdate){.ratio_sum = none, .ratio_max = none};
        add(u, i, sums);
    }
    for (unsigned k = 0; k < member->size; k++) {
        ns_team_barrier(member);
        if (k != member->index) continue;
        for (size_t j = 0; j < late.n; j++) add(u, late.tensor, late.sums[j]);
    }
}

/* A maximum ignores NaN, so it is set to the sum if that is NaN.  The first gradient has no moments
 * to be compared with. */
static void update_tensors(const NsUpdate *u, const Rule *rule)
{
    ns_team_run(u->team, ns_share_most(u->table), update_member, &(Updating){u, rule});
    for (size_t i = 0; u->ratios && i < u->table->n; i++) {
        NsTensorUpdate *tensor = &u->tensors[i];
        if (isnan(tensor->ratio_sum)) tensor->ratio_max = tensor->ratio_sum;
        if (u->step - (u->moments_since ? u->moments_since[i] : 0) <= 1) tensor->ratio_max = -1;
    }
}

bool ns_decays(const NsTensor *tensor, unsigned scope)
{
    switch (scope) {
    case NS_DECAY_MATRICES:
        return tensor->decay;
    case NS_DECAY_EMBEDDINGS:
        return tensor->decay || tensor->cols > 0;
    default:
        return true;
    }
}

double ns_clip_factor(double clip, double grad_norm)
{
    return clip > 0 ? MIN(1.0, clip / (grad_norm + 1e-6)) : 1.0;
}

/* ---- The rules ---- */

/* Indexed by [second moment divides][weight decay is on][ratios are requested]. */
static const Kernel adams[2][2][2] = {
    {{plain, plain_looking}, {plain_pulled, plain_pulled_looking}},
    {{adam, adam_looking}, {adam_pulled, adam_pulled_looking}},
};

static Kernel choose_adam_kernel(const NsUpdate *u, int64_t age, Constants *c, bool divides)
{
    double beta1 = u->settings->beta1, beta2 = u->settings->beta2;
    c->beta1 = (ns_real)beta1;
    c->beta2 = (ns_real)beta2;
    c->rest1 = (ns_real)(1 - beta1);
    c->rest2 = (ns_real)(1 - beta2);
    c->rate = (ns_real)((double)c->rate / (1 - pow(beta1, (double)age)));
    c->v_correction = (ns_real)(1 / (1 - pow(beta2, (double)age)));
    if (age > 1) c->v_correction_before = (ns_real)(1 / (1 - pow(beta2, (double)age - 1)));
    return adams[divides][c->l2 > 0 || c->decay > 0][u->ratios];
}

static Kernel choose_adam(const NsUpdate *u, int64_t age, Constants *c)
{
    return choose_adam_kernel(u, age, c, true);
}

double ns_radam_rectification(double beta2, int64_t t)
{
    double power = pow(beta2, (double)t), most = 2 / (1 - beta2) - 1;
    double rho = most - 2 * (double)t * power / (1 - power);
    if (!(rho > 4)) return 0;
    return sqrt((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho));
}

static Kernel choose_radam(const NsUpdate *u, int64_t age, Constants *c)
{
    double r = ns_radam_rectification(u->settings->beta2, age);
    if (r > 0) c->rate = (ns_real)((double)c->rate * r);
    return choose_adam_kernel(u, age, c, r > 0);
}

static Kernel choose_sgd(const NsUpdate *u, int64_t age, Constants *c)
{
    (void)age;
    c->beta1 = (ns_real)u->settings->momentum;
    return momentum;
}

void ns_adam_update(const NsUpdate *u)
{
    update_tensors(u, &(Rule){.choose = choose_adam});
}

void ns_adamw_update_where(const NsUpdate *u, bool (*takes)(const NsTensor *))
{
    update_tensors(u, &(Rule){.takes = takes, .choose = choose_adam, .apart = true});
}

void ns_adamw_update(const NsUpdate *u)
{
    ns_adamw_update_where(u, NULL);
}

void ns_sgd_update(const NsUpdate *u)
{
    update_tensors(u, &(Rule){.choose = choose_sgd});
}

void ns_radam_update(const NsUpdate *u)
{
    update_tensors(u, &(Rule){.choose = choose_radam});
}
