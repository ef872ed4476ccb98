/* SPDX-License-Identifier: MIT */
#include "core/probe/curvature.h"

#include "core/probe/spectrum.h"

#include <math.h>
#include <string.h>

/* The search for the critical rate begins at this part of the learning rate, doubles or halves it
 * at most this often, and then bisects the factor of 2 down to 2^(1/32). */
#define FIRST_PART (1.0 / 16)
#define DOUBLINGS 40
#define BISECTIONS 5

/* The largest number of Hessian-vector products for an eigenvalue. */
#define PRODUCTS 48

/* A Hessian-vector product moves the weights by this fraction of their norm.  Errors of eigenvalues
 * beside PyTorch in double precision (tests/reference/check_curvature.py), in the worst of six
 * models: 1e-3: 0.02; 1e-4: 0.004, and 0.002 where P divides; 3e-5: 0.0004, but where P divides,
 * the rounding errors of tiny gradients, which it amplifies, keep the iteration from converging. */
#define DISPLACEMENT 3e-5
#define DISPLACEMENT_DIVIDED 1e-4

struct NsCurvatureProbe {
    const NsTensorTable *table;
    ns_real *before, *after;       /* weights before and after the update */
    ns_real *root;                 /* P^-1/2 */
    ns_real *q, *previous, *image; /* Lanczos vectors and the newest product */
    bool *gates;                   /* the open units of ReLU before the update */
    double displacement;
    NsLossAlong along;
};

NsCurvatureProbe *ns_curvature_probe_new(const NsModel *model, const NsSettings *settings,
                                         GError **error)
{
    NsCurvatureProbe *p = g_new0(NsCurvatureProbe, 1);
    p->table = ns_model_tensors(model);
    ns_real **arenas[NS_CURVATURE_ARENAS] = {&p->before, &p->after,    &p->root,
                                             &p->q,      &p->previous, &p->image};
    for (size_t i = 0; i < NS_CURVATURE_ARENAS; i++) {
        *arenas[i] = ns_real_new(p->table->size, "curvature", error);
        if (*arenas[i]) continue;
        ns_curvature_probe_free(p);
        return NULL;
    }
    p->gates = g_new0(bool, MAX(ns_plan_gates(settings), 1));
    return p;
}

void ns_curvature_probe_free(NsCurvatureProbe *p)
{
    if (!p) return;
    ns_real_free(p->before);
    ns_real_free(p->after);
    ns_real_free(p->root);
    ns_real_free(p->q);
    ns_real_free(p->previous);
    ns_real_free(p->image);
    g_free(p->gates);
    g_free(p);
}

/* The elements of all tensors, without the gaps between them. */
#define EACH(table, i)                                                                             \
    for (const NsTensor *t = (table)->tensors; t < (table)->tensors + (table)->n; t++)             \
        for (size_t i = t->offset, end = i + ns_tensor_size(t); i < end; i++)

static double dot(const NsTensorTable *table, const ns_real *x, const ns_real *y)
{
    double sum = 0;
    EACH(table, i) sum += (double)x[i] * (double)y[i];
    return sum;
}

/* ---- Critical rate ---- */

/* The loss after this part of the update. */
static double loss_after(NsCurvatureProbe *p, NsModel *model, const NsBatch *batch, double part)
{
    ns_real *w = ns_model_weights(model);
    EACH(p->table, i)
    {
        double before = (double)p->before[i];
        w[i] = (ns_real)(before + part * ((double)p->after[i] - before));
    }
    return ns_model_plain_loss(model, batch);
}

/* The critical rate over that of the update; NaN if no rate lowers the loss, or if all do.  The
 * weights must be those before the update. */
static double critical_part(NsCurvatureProbe *p, NsModel *model, const NsBatch *batch)
{
    double loss = ns_model_plain_loss(model, batch), part = FIRST_PART, factor = 2;
    bool rose = !(loss_after(p, model, batch, part) < loss), crossed = false;
    for (int i = 0; i < DOUBLINGS && !crossed; i++) {
        double next = rose ? part / 2 : part * 2;
        crossed = !(loss_after(p, model, batch, next) < loss) != rose;
        if (rose || !crossed) part = next;
    }
    if (!crossed) return (double)NAN;
    /* Now the loss falls at `part`, and rises at twice that. */
    for (int i = 0; i < BISECTIONS; i++) {
        factor = sqrt(factor);
        if (loss_after(p, model, batch, part * factor) < loss) part *= factor;
    }
    return part * sqrt(factor);
}

/* ---- Preconditioner ---- */

bool ns_curvature_has_preconditioner(const NsSettings *s)
{
    const NsOptimizer *optimizer = ns_optimizer(s->optimizer);
    return optimizer->adam_moments || optimizer->moments == 1;
}

double ns_curvature_edge(const NsSettings *s)
{
    if (!ns_curvature_has_preconditioner(s)) return (double)NAN;
    if (ns_optimizer(s->optimizer)->adam_moments) return 2 * (1 + s->beta1) / (1 - s->beta1);
    return 2 * (1 + s->momentum);
}

/* Sets p->root to P^-1/2.  RAdam multiplies its step by a rectification, and does not divide by the
 * second moment while that is 0.  True if P is not 1 everywhere. */
static bool find_roots(NsCurvatureProbe *p, const NsUpdate *u)
{
    const NsSettings *s = u->settings;
    const NsOptimizer *optimizer = ns_optimizer(s->optimizer);
    bool radam = g_str_equal(optimizer->choice.key, "radam"), any = false;
    for (size_t k = 0; k < p->table->n; k++) {
        const NsTensor *t = &p->table->tensors[k];
        double age = (double)(u->step - (u->moments_since ? u->moments_since[k] : 0)),
               factor = t->lr;
        bool divides = optimizer->adam_moments;
        if (radam) {
            double r = ns_radam_rectification(s->beta2, (int64_t)age);
            divides = r > 0;
            if (divides) factor *= r;
        }
        if (optimizer->adam_moments) factor /= 1 - pow(s->beta1, age);
        double correction = 1 / (1 - pow(s->beta2, age));
        for (size_t i = t->offset, end = i + ns_tensor_size(t); i < end; i++) {
            double divisor = divides ? sqrt((double)u->v[i] * correction) + s->eps * t->eps : 1;
            p->root[i] = (ns_real)sqrt(factor / divisor);
        }
        any |= divides || factor < 1 || factor > 1;
    }
    return any;
}

/* ---- Largest eigenvalue ---- */

/* p->image = R H R q for R = P^-1/2, by central differences of the gradient. */
static void multiply(NsCurvatureProbe *p, NsModel *model, const NsBatch *batch)
{
    const NsTensorTable *table = p->table;
    ns_real *w = ns_model_weights(model), *image = p->image;
    double moved = 0;
    EACH(table, i) moved += pow((double)p->root[i] * (double)p->q[i], 2);
    double h = p->displacement * sqrt(dot(table, p->before, p->before) / moved);
    for (int sign = 1; sign >= -1; sign -= 2) {
        EACH(table, i)
        w[i] = (ns_real)((double)p->before[i] + sign * h * (double)p->root[i] * (double)p->q[i]);
        ns_model_measure(model, batch, NULL);
        const ns_real *g = ns_model_gradients(model);
        EACH(table, i)
        image[i] =
            sign > 0 ? g[i]
                     : (ns_real)(((double)image[i] - (double)g[i]) / (2 * h) * (double)p->root[i]);
    }
}

/* Lanczos iteration on R H R from the unit vector along p->q; three vectors suffice, since only the
 * eigenvalue is needed, and lost orthogonality repeats eigenvalues but does not change them.
 * Paige 1972.  Returns the largest eigenvalue; NaN if its residual is too large at the end. */
static double find_largest(NsCurvatureProbe *p, NsModel *model, const NsBatch *batch,
                           double *residual)
{
    const NsTensorTable *table = p->table;
    double diagonal[PRODUCTS], off[PRODUCTS], length = sqrt(dot(table, p->q, p->q));
    memset(p->previous, 0, table->size * sizeof *p->previous);
    *residual = (double)NAN;
    EACH(table, i) p->q[i] = (ns_real)((double)p->q[i] / length);
    for (size_t n = 0; n < PRODUCTS; n++) {
        multiply(p, model, batch);
        double last, before = n > 0 ? off[n - 1] : 0;
        diagonal[n] = dot(table, p->q, p->image);
        EACH(table, i)
        p->image[i] = (ns_real)((double)p->image[i] - diagonal[n] * (double)p->q[i] -
                                before * (double)p->previous[i]);
        off[n] = sqrt(dot(table, p->image, p->image));
        if (!isfinite(off[n])) break;
        double eigenvalue = ns_tridiagonal_largest(diagonal, off, n + 1, &last);
        *residual = off[n] * last / fabs(eigenvalue);
        if (*residual <= NS_CURVATURE_RESIDUAL && eigenvalue > 0) return eigenvalue;
        EACH(table, i)
        {
            p->previous[i] = p->q[i];
            p->q[i] = (ns_real)((double)p->image[i] / off[n]);
        }
    }
    return (double)NAN;
}

/* Holds the open units of ReLU, and computes the gradient, at the present weights. */
static void record_gates(NsCurvatureProbe *p, NsModel *model, const NsBatch *batch)
{
    ns_model_set_gates(model, p->gates, true);
    ns_model_measure(model, batch, NULL);
    ns_model_set_gates(model, p->gates, false);
}

void ns_curvature_by_layer(NsCurvatureProbe *p, NsModel *model, const NsBatch *batch,
                           double *sharpness)
{
    const NsTensorTable *complete = p->table;
    NsTensorTable part = *complete;
    ns_real *w = ns_model_weights(model), *gradient = p->after;
    double residual;
    ns_curvature_begin(p, model);
    ns_model_set_measuring(model, NS_MEASURING_LOSS);
    record_gates(p, model, batch);
    memcpy(gradient, ns_model_gradients(model), complete->size * sizeof *gradient);
    p->displacement = DISPLACEMENT;
    p->table = &part; /* whose tensors are those of a layer, which are contiguous */
    for (size_t l = 0; l < ns_model_layers(model); l++) {
        part.n = 0;
        for (size_t k = 0; k < complete->n; k++)
            if (ns_tensor_in_layer(&complete->tensors[k], l) && part.n++ == 0)
                part.tensors = complete->tensors + k;
        EACH(&part, i)
        {
            p->root[i] = 1;
            p->q[i] = gradient[i];
        }
        /* Tied layers have the tensors of the layer before. */
        sharpness[l] = part.tensors->layer < (int)l ? sharpness[l - 1]
                                                    : find_largest(p, model, batch, &residual);
        EACH(&part, i) w[i] = p->before[i];
    }
    p->table = complete;
    ns_model_set_gates(model, NULL, false);
    ns_model_set_measuring(model, NS_MEASURING_ALL);
}

/* ---- One update ---- */

const NsLossAlong *ns_curvature_along(const NsCurvatureProbe *probe)
{
    return &probe->along;
}

void ns_curvature_begin(NsCurvatureProbe *p, NsModel *model)
{
    memcpy(p->before, ns_model_weights(model), p->table->size * sizeof *p->before);
}

NsCurvature ns_curvature_measure(NsCurvatureProbe *p, NsModel *model, const NsBatch *batch,
                                 const NsUpdate *u)
{
    int64_t started = g_get_monotonic_time();
    const NsTensorTable *table = p->table;
    ns_real *w = ns_model_weights(model);
    size_t bytes = table->size * sizeof *w;
    NsCurvature c = {.measured = true};
    memcpy(p->after, w, bytes);
    memcpy(w, p->before, bytes);
    ns_model_set_measuring(model, NS_MEASURING_LOSS);
    double critical = critical_part(p, model, batch), unit = isnan(critical) ? 1 : critical;
    double first = MIN(unit / 64, 1);
    c.critical_rate = u->lr * critical;
    p->along = (NsLossAlong){.step = u->step, .lr = u->lr, .critical_rate = c.critical_rate};
    for (size_t i = 0; i < NS_ALONG_POINTS; i++) {
        double part =
            i ? first * pow(2 * unit / first, (double)(i - 1) / (NS_ALONG_POINTS - 2)) : 0;
        p->along.rate[i] = u->lr * part;
        p->along.loss[i] = loss_after(p, model, batch, part);
    }

    memcpy(w, p->before, bytes);
    record_gates(p, model, batch);
    /* Both iterations start from the update: it is at hand, and the same run finds it again. */
    EACH(table, i)
    {
        p->root[i] = 1;
        p->q[i] = p->before[i] - p->after[i];
    }
    p->displacement = DISPLACEMENT;
    c.sharpness = find_largest(p, model, batch, &c.residual);
    c.preconditioned = c.sharpness;
    c.preconditioned_residual = c.residual;
    if (find_roots(p, u)) {
        EACH(table, i) p->q[i] = (p->before[i] - p->after[i]) / p->root[i];
        p->displacement = DISPLACEMENT_DIVIDED;
        c.preconditioned = find_largest(p, model, batch, &c.preconditioned_residual);
    }
    ns_model_set_gates(model, NULL, false);
    ns_model_set_measuring(model, NS_MEASURING_ALL);
    memcpy(w, p->after, bytes);
    c.seconds = (double)(g_get_monotonic_time() - started) / 1e6;
    return c;
}
