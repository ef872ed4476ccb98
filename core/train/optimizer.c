/* SPDX-License-Identifier: MIT */
#include "core/train/optimizer-private.h"

#include "core/base/flush.h"
#include "core/base/share.h"
#include "core/ops/clones.h"

#include <omp.h>
#include <tgmath.h>

/* The constants of one step and tensor. */
typedef struct {
    ns_real clip;         /* multiplies the gradient */
    ns_real l2;           /* times the weight is added to the gradient */
    ns_real decay;        /* times the weight is part of the update */
    ns_real beta1, rest1; /* m = beta1 m + rest1 g */
    ns_real beta2, rest2; /* v = beta2 v + rest2 g^2 */
    ns_real rate;         /* on m, its correction included */
    ns_real v_correction, eps;
} Constants;

/* A run of elements that lie side by side. */
typedef struct {
    size_t n;
    ns_real *w, *m, *v; /* v: NULL where there is one moment */
    const ns_real *g;
} Span;

/* Adam's moments and update; `pulls`: some weight decay is on.  (Without it a weight that is not
 * finite must not reach the moments through 0 w.) */
__attribute__((always_inline)) static inline NsUpdateSums adam_span(const Constants *c, Span s,
                                                                    const bool pulls)
{
    ns_real *restrict w = s.w, *restrict m = s.m, *restrict v = s.v;
    const ns_real *restrict g = s.g;
    const ns_real beta1 = c->beta1, beta2 = c->beta2, rest1 = c->rest1, rest2 = c->rest2;
    const ns_real rate = c->rate, v_correction = c->v_correction, eps = c->eps;
    const ns_real clip = c->clip, l2 = c->l2, decay = c->decay;
    double weight = 0, update = 0;
#pragma omp simd reduction(+ : weight, update)
    for (size_t i = 0; i < s.n; i++) {
        ns_real gradient = clip * g[i];
        if (pulls) gradient += l2 * w[i];
        m[i] = beta1 * m[i] + rest1 * gradient;
        v[i] = beta2 * v[i] + rest2 * (gradient * gradient);
        ns_real u = rate * m[i] / (sqrt(v[i] * v_correction) + eps);
        if (pulls) u += decay * w[i];
        weight += (double)w[i] * (double)w[i];
        update += (double)u * (double)u;
        w[i] -= u;
    }
    return (NsUpdateSums){weight, update};
}

NS_CLONES static NsUpdateSums adam(const Constants *c, Span s)
{
    return adam_span(c, s, false);
}

NS_CLONES static NsUpdateSums adam_pulled(const Constants *c, Span s)
{
    return adam_span(c, s, true);
}

/* Adam's moments alone. */
NS_CLONES static NsUpdateSums gather(const Constants *c, Span s)
{
    ns_real *restrict m = s.m, *restrict v = s.v;
    const ns_real *restrict w = s.w, *restrict g = s.g;
    const bool pulls = c->l2 > 0;
    double weight = 0;
#pragma omp simd reduction(+ : weight)
    for (size_t i = 0; i < s.n; i++) {
        ns_real gradient = c->clip * g[i] + (pulls ? c->l2 * w[i] : 0);
        m[i] = c->beta1 * m[i] + c->rest1 * gradient;
        v[i] = c->beta2 * v[i] + c->rest2 * (gradient * gradient);
        weight += (double)w[i] * (double)w[i];
    }
    return (NsUpdateSums){weight, 0};
}

NS_CLONES static NsUpdateSums momentum(const Constants *c, Span s)
{
    ns_real *restrict w = s.w, *restrict m = s.m;
    const ns_real *restrict g = s.g;
    const bool pulls = c->l2 > 0;
    double weight = 0, update = 0;
#pragma omp simd reduction(+ : weight, update)
    for (size_t i = 0; i < s.n; i++) {
        m[i] = c->beta1 * m[i] + (c->clip * g[i] + (pulls ? c->l2 * w[i] : 0));
        ns_real u = c->rate * m[i];
        weight += (double)w[i] * (double)w[i];
        update += (double)u * (double)u;
        w[i] -= u;
    }
    return (NsUpdateSums){weight, update};
}

/* ---- All tensors ---- */

typedef NsUpdateSums (*Kernel)(const Constants *c, Span span);

/* How an optimizer treats tensors. */
typedef struct {
    bool (*takes)(const NsTensor *tensor); /* NULL: all */
    /* Fills in the constants for a tensor whose moments are `age` updates old, and says what to do
     * with them. */
    Kernel (*choose)(const NsUpdate *u, int64_t age, Constants *c);
    bool apart; /* weight decay acts apart from the gradient */
} Rule;

/* What is to be done with a tensor, and what that was found for: the next tensor is often alike,
 * and powers are dear. */
typedef struct {
    Kernel kernel; /* NULL: nothing was chosen yet */
    Constants constants;
    double lr, eps;
    bool decay;
    int64_t age;
} Chosen;

static void choose(Chosen *chosen, const Rule *rule, const NsUpdate *u, size_t i)
{
    const NsTensor *t = &u->table->tensors[i];
    const NsSettings *s = u->settings;
    int64_t age = u->step - (u->born ? u->born[i] : 0);
    bool alike = chosen->kernel && chosen->age == age && chosen->decay == t->decay &&
                 chosen->lr == t->lr && chosen->eps == t->eps;
    if (alike) return;
    double decay = t->decay ? s->weight_decay : 0;
    *chosen = (Chosen){.lr = t->lr, .eps = t->eps, .decay = t->decay, .age = age};
    chosen->constants = (Constants){
        .clip = (ns_real)ns_clip_factor(s->clip, u->grad_norm),
        .l2 = rule->apart ? 0 : (ns_real)decay,
        .decay = rule->apart ? (ns_real)(u->lr * t->lr * decay) : 0,
        .eps = (ns_real)(s->eps * t->eps),
        .rate = (ns_real)(u->lr * t->lr),
    };
    chosen->kernel = rule->choose(u, age, &chosen->constants);
}

static Span span(const NsUpdate *u, const NsBlock *block)
{
    size_t o = block->offset;
    return (Span){block->n, u->w + o, u->m + o, u->v ? u->v + o : NULL, u->g + o};
}

static void add(const NsUpdate *u, size_t i, NsUpdateSums sums)
{
    u->weight_sq[i] += sums.weight;
    u->update_sq[i] += sums.update;
}

/* What a thread does with its share.  The blocks of a tensor that an earlier thread began are the
 * first of the share; their sums go to `late`, and how many those are is returned. */
static size_t update_share(const NsUpdate *u, const Rule *rule, NsShare share, NsUpdateSums *late,
                           size_t *late_tensor)
{
    Chosen chosen = {0};
    NsBlock block;
    size_t n = 0;
    while (ns_share_next(&share, &block)) {
        size_t i = block.tensor;
        if (rule->takes && !rule->takes(&u->table->tensors[i])) continue;
        choose(&chosen, rule, u, i);
        NsUpdateSums sums = chosen.kernel(&chosen.constants, span(u, &block));
        if (block.late) {
            *late_tensor = i;
            late[n++] = sums;
            continue;
        }
        if (block.first) u->weight_sq[i] = u->update_sq[i] = 0;
        add(u, i, sums);
    }
    return n;
}

static void update_tensors(const NsUpdate *u, const Rule *rule)
{
#pragma omp parallel num_threads(ns_share_threads(u->table, u->threads))
    {
        uint64_t mode = ns_flush_begin();
        int threads = omp_get_num_threads();
        NsUpdateSums late[NS_BLOCKS_MAX];
        size_t tensor = 0,
               n = update_share(u, rule, ns_share(u->table, omp_get_thread_num(), threads), late,
                                &tensor);
#pragma omp for ordered schedule(static, 1)
        for (int k = 0; k < threads; k++) {
#pragma omp ordered
            for (size_t j = 0; j < n; j++) add(u, tensor, late[j]);
        }
        ns_flush_end(mode);
    }
}

double ns_clip_factor(double clip, double grad_norm)
{
    return clip > 0 ? MIN(1.0, clip / (grad_norm + 1e-6)) : 1.0;
}

/* ---- The rules ---- */

static Kernel choose_adam(const NsUpdate *u, int64_t age, Constants *c)
{
    double beta1 = u->settings->beta1, beta2 = u->settings->beta2;
    c->beta1 = (ns_real)beta1;
    c->beta2 = (ns_real)beta2;
    c->rest1 = (ns_real)(1 - beta1);
    c->rest2 = (ns_real)(1 - beta2);
    c->rate = (ns_real)((double)c->rate / (1 - pow(beta1, (double)age)));
    c->v_correction = (ns_real)(1 / (1 - pow(beta2, (double)age)));
    return c->l2 > 0 || c->decay > 0 ? adam_pulled : adam;
}

double ns_radam_rectification(double beta2, int64_t t)
{
    double power = pow(beta2, (double)t), most = 2 / (1 - beta2) - 1;
    double rho = most - 2 * (double)t * power / (1 - power);
    if (!(rho >= 5)) return 0;
    return sqrt((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho));
}

static Kernel choose_radam(const NsUpdate *u, int64_t age, Constants *c)
{
    Kernel kernel = choose_adam(u, age, c);
    double r = ns_radam_rectification(u->settings->beta2, age);
    c->rate = (ns_real)((double)c->rate * r);
    return r > 0 ? kernel : gather;
}

static Kernel choose_sgd(const NsUpdate *u, int64_t age, Constants *c)
{
    (void)age;
    c->beta1 = (ns_real)u->settings->momentum;
    return momentum;
}

static void step_adam(const NsUpdate *u)
{
    update_tensors(u, &(Rule){.choose = choose_adam});
}

void ns_adamw_update(const NsUpdate *u, bool (*takes)(const NsTensor *))
{
    update_tensors(u, &(Rule){.takes = takes, .choose = choose_adam, .apart = true});
}

static void step_adamw(const NsUpdate *u)
{
    ns_adamw_update(u, NULL);
}

static void step_sgd(const NsUpdate *u)
{
    update_tensors(u, &(Rule){.choose = choose_sgd});
}

static void step_radam(const NsUpdate *u)
{
    update_tensors(u, &(Rule){.choose = choose_radam});
}

static const NsOptimizer optimizers[] = {
    {{.key = "adam",
      .label = "Adam",
      .formula = "w −= lr m̂ / (√v̂ + ε)",
      .reference = "Kingma and Ba 2015",
      .purpose = "Rates of its own for every weight; weight decay, if any, is part of the "
                 "gradient."},
     .moments = 2,
     .adam_moments = true,
     .step = step_adam},
    {{.key = "adamw",
      .label = "AdamW",
      .formula = "w −= lr (m̂ / (√v̂ + ε) + λ w)",
      .reference = "Loshchilov and Hutter 2019, arXiv 1711.05101",
      .purpose = "Adam whose weight decay pulls on the weights apart from the gradient."},
     .moments = 2,
     .adam_moments = true,
     .step = step_adamw},
    {{.key = "sgd",
      .label = "SGD",
      .formula = "m = μ m + g,  w −= lr m",
      .reference = "Sutskever et al. 2013",
      .purpose =
          "Plain descent, with momentum if that is above 0; each layer moves as its gradient "
          "is large."},
     .moments = 1,
     .step = step_sgd},
    {{.key = "radam",
      .label = "RAdam",
      .formula = "w −= lr r_t m̂ / (√v̂ + ε), none while ρ_t < 5",
      .reference = "Liu et al. 2020, arXiv 1908.03265",
      .purpose = "Adam with a warm-up of its own: no update while the second moment rests on too "
                 "few gradients, then smaller ones."},
     .moments = 2,
     .adam_moments = true,
     .step = step_radam},
    {{.key = "muon",
      .label = "Muon",
      .formula = "m = μ m + g,  W −= lr √max(1, rows / cols) U Vᵀ of g + μ m",
      .reference = "Jordan et al. 2024, kellerjordan.github.io/posts/muon",
      .purpose = "Moves the matrices of the layers by the same amount in every direction, "
                 "Newton–Schulz in five steps; AdamW moves the rest."},
     .moments = 2,
     .scratch = ns_muon_scratch,
     .step = ns_muon_update},
};

const NsOptimizer *ns_optimizer(size_t i)
{
    return i < G_N_ELEMENTS(optimizers) ? &optimizers[i] : NULL;
}

const NsChoice *ns_optimizer_choice(size_t i)
{
    return i < G_N_ELEMENTS(optimizers) ? &optimizers[i].choice : NULL;
}

size_t ns_optimizer_bytes(const NsOptimizer *optimizer, const NsTensorTable *table,
                          unsigned threads)
{
    size_t scratch = optimizer->scratch ? optimizer->scratch(table, threads) : 0;
    return (optimizer->moments * table->size + scratch) * sizeof(ns_real);
}
