/* SPDX-License-Identifier: MIT */
#include "core/model/block.h"

#include "core/ops/attention.h"
#include "core/ops/relu.h"
#include "core/ops/residual.h"

/* Reals on a cache line in single precision. */
#define LINE 16

ns_real *ns_cursor_take(NsCursor *cursor, size_t n)
{
    ns_real *piece = cursor->base ? cursor->base + cursor->used : NULL;
    cursor->used += (n + LINE - 1) / LINE * LINE;
    return piece;
}

static bool is_one(double x)
{
    return !(x < 1 || x > 1);
}

void ns_activations_take(NsActivations *a, const NsSublayer *s, const NsShape *shape,
                         const ns_real *x, NsCursor *cursor)
{
    size_t R = shape->R, D = shape->D;
    *a = (NsActivations){.x = x};
    if (s->in.norm || !is_one(s->c.s)) a->u = ns_cursor_take(cursor, R * D);
    if (s->in.norm) a->stats_in = ns_cursor_take(cursor, R * 2);
    a->hidden = ns_cursor_take(cursor, R * (s->kind == NS_ATTENTION ? 3 * D : shape->F));
    if (s->kind == NS_ATTENTION) {
        a->P = ns_cursor_take(cursor, shape->B * shape->H * shape->T * shape->T);
        a->context = ns_cursor_take(cursor, R * D);
    }
    /* Backward needs F(u) itself only under a branch norm; elsewhere the sum overwrites it. */
    a->f = ns_cursor_take(cursor, R * D);
    a->z = s->branch.norm ? ns_cursor_take(cursor, R * D) : a->f;
    if (s->branch.norm) a->stats_branch = ns_cursor_take(cursor, R * 2);
    a->out = s->out.norm ? ns_cursor_take(cursor, R * D) : a->z;
    if (s->out.norm) a->stats_out = ns_cursor_take(cursor, R * 2);
}

void ns_scratch_take(NsScratch *scratch, const NsShape *shape, NsCursor *cursor)
{
    size_t R = shape->R, D = shape->D;
    scratch->branch = ns_cursor_take(cursor, R * D);
    scratch->du = ns_cursor_take(cursor, R * D);
    scratch->hidden = ns_cursor_take(cursor, R * MAX(3 * D, shape->F));
    scratch->scores = ns_cursor_take(cursor, shape->T * shape->T);
}

void ns_norm_place_forward(const NsNormPlace *place, ns_real *y, ns_real *stats, const ns_real *x,
                           const ns_real *weights, const NsShape *shape)
{
    place->norm->forward(y, stats, x, place->norm->gain ? weights + place->gain : NULL,
                         place->norm->bias ? weights + place->bias : NULL, shape->eps, shape->R,
                         shape->D);
}

void ns_norm_place_backward(const NsNormPlace *place, ns_real *dx, NsInto into, const ns_real *dy,
                            const ns_real *x, const ns_real *stats, const ns_real *weights,
                            ns_real *gradients, const NsShape *shape)
{
    const NsNorm *norm = place->norm;
    norm->backward(dx, into, norm->gain ? gradients + place->gain : NULL,
                   norm->bias ? gradients + place->bias : NULL, dy, x, stats,
                   norm->gain ? weights + place->gain : NULL, shape->R, shape->D);
}

/* f = F(u) */
static void branch_forward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                           const ns_real *u, const ns_real *w)
{
    size_t R = shape->R, D = shape->D, F = shape->F;
    if (s->kind == NS_ATTENTION) {
        ns_linear_forward(a->hidden, u, w + s->w_in, w + s->b_in, R, D, 3 * D);
        ns_attention_forward(a->context, a->P, a->hidden, shape->B, shape->T, D, shape->H);
        ns_linear_forward(a->f, a->context, w + s->w_out, w + s->b_out, R, D, D);
    } else {
        ns_linear_forward(a->hidden, u, w + s->w_in, w + s->b_in, R, D, F);
        ns_relu_forward(a->hidden, R * F);
        ns_linear_forward(a->f, a->hidden, w + s->w_out, w + s->b_out, R, F, D);
    }
}

/* scratch->du = gradient of u, from df = gradient of F(u) */
static void branch_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                            const NsScratch *scratch, const ns_real *w, ns_real *g,
                            const ns_real *df)
{
    size_t R = shape->R, D = shape->D, F = shape->F;
    const ns_real *u = a->u ? a->u : a->x;
    if (s->kind == NS_ATTENTION) {
        ns_real *dcontext = scratch->du;
        ns_linear_backward(dcontext, g + s->w_out, g + s->b_out, df, a->context, w + s->w_out, R, D,
                           D);
        ns_attention_backward(scratch->hidden, scratch->scores, dcontext, a->hidden, a->P, shape->B,
                              shape->T, D, shape->H);
        ns_linear_backward(scratch->du, g + s->w_in, g + s->b_in, scratch->hidden, u, w + s->w_in,
                           R, D, 3 * D);
    } else {
        ns_linear_backward(scratch->hidden, g + s->w_out, g + s->b_out, df, a->hidden, w + s->w_out,
                           R, F, D);
        ns_relu_backward(scratch->hidden, a->hidden, R * F);
        ns_linear_backward(scratch->du, g + s->w_in, g + s->b_in, scratch->hidden, u, w + s->w_in,
                           R, D, F);
    }
}

void ns_sublayer_forward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                         const ns_real *weights)
{
    size_t n = shape->R * shape->D;
    ns_real in_scale = (ns_real)s->c.s;
    if (s->in.norm) {
        ns_norm_place_forward(&s->in, a->u, a->stats_in, a->x, weights, shape);
        if (!is_one(s->c.s)) ns_scale(a->u, in_scale, a->u, n);
    } else if (a->u) {
        ns_scale(a->u, in_scale, a->x, n);
    }
    branch_forward(s, shape, a, a->u ? a->u : a->x, weights);
    if (s->branch.norm)
        ns_norm_place_forward(&s->branch, a->z, a->stats_branch, a->f, weights, shape);
    ns_residual_forward(a->z, (ns_real)s->c.a, a->x, (ns_real)s->c.b, a->z, n);
    if (s->out.norm) ns_norm_place_forward(&s->out, a->out, a->stats_out, a->z, weights, shape);
}

void ns_sublayer_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                          const NsScratch *scratch, const ns_real *weights, ns_real *gradients,
                          ns_real *d)
{
    size_t n = shape->R * shape->D;
    if (s->out.norm)
        ns_norm_place_backward(&s->out, d, NS_OVERWRITE, d, a->z, a->stats_out, weights, gradients,
                               shape);

    /* z = a x + b y: the branch gets b dz, the stream a dz. */
    const ns_real *df = d;
    if (s->branch.norm || !is_one(s->c.b)) {
        ns_scale(scratch->branch, (ns_real)s->c.b, d, n);
        df = scratch->branch;
    }
    if (s->branch.norm)
        ns_norm_place_backward(&s->branch, scratch->branch, NS_OVERWRITE, scratch->branch, a->f,
                               a->stats_branch, weights, gradients, shape);
    branch_backward(s, shape, a, scratch, weights, gradients, df);

    if (!is_one(s->c.a)) ns_scale(d, (ns_real)s->c.a, d, n);
    if (s->in.norm) {
        if (!is_one(s->c.s)) ns_scale(scratch->du, (ns_real)s->c.s, scratch->du, n);
        ns_norm_place_backward(&s->in, d, NS_ADD, scratch->du, a->x, a->stats_in, weights,
                               gradients, shape);
    } else {
        ns_add_scaled(d, (ns_real)s->c.s, scratch->du, n);
    }
}
