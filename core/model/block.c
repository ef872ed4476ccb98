/* SPDX-License-Identifier: MIT */
#include "core/model/block.h"

#include "core/base/clock.h"
#include "core/base/squares.h"
#include "core/model/branch.h"
#include "core/ops/dropout.h"
#include "core/ops/residual.h"

#include <math.h>
#include <string.h>

ns_real *ns_cursor_at(const NsCursor *cursor)
{
    return cursor->base ? cursor->base + cursor->used : NULL;
}

ns_real *ns_cursor_take(NsCursor *cursor, size_t n)
{
    ns_real *piece = ns_cursor_at(cursor);
    cursor->used += ns_real_lines(n);
    return piece;
}

NsNormPass ns_norm_place_pass(const NsNormPlace *place, const NsPass *pass, ns_real *stats,
                              size_t R, ns_real eps)
{
    const NsNorm *norm = place->norm;
    return (NsNormPass){
        .R = R,
        .C = place->C,
        .eps = eps,
        .gain = norm->gain ? pass->weights + place->gain : NULL,
        .bias = norm->bias ? pass->weights + place->bias : NULL,
        .alpha = norm->alpha ? pass->weights + place->alpha : NULL,
        .stats = stats,
        .live = pass->live,
        .running = ns_norm_over_batch(norm) ? pass->state + place->running : NULL,
        .statistics = pass->statistics,
    };
}

ns_real *ns_pass_gradient(const NsPass *pass, size_t offset)
{
    return pass->gradients + (offset - pass->origin);
}

NsNormGradients ns_norm_place_gradients(const NsNormPlace *place, const NsPass *pass)
{
    const NsNorm *norm = place->norm;
    return (NsNormGradients){
        .gain = norm->gain ? ns_pass_gradient(pass, place->gain) : NULL,
        .bias = norm->bias ? ns_pass_gradient(pass, place->bias) : NULL,
        .alpha = norm->alpha ? ns_pass_gradient(pass, place->alpha) : NULL,
    };
}

void ns_norm_place_forward(const NsNormPlace *place, const NsShape *shape, const NsPass *pass,
                           ns_real *y, ns_real *stats, const ns_real *x)
{
    NsClockMark mark = ns_clock_begin();
    NsNormPass p = ns_norm_place_pass(place, pass, stats, shape->R, shape->eps);
    place->norm->forward(&p, y, x);
    ns_clock_end(mark, NS_OP_NORM);
}

void ns_norm_place_backward(const NsNormPlace *place, const NsShape *shape, const NsPass *pass,
                            ns_real *dx, const ns_real *dy, const ns_real *x, ns_real *stats)
{
    NsClockMark mark = ns_clock_begin();
    NsNormPass p = ns_norm_place_pass(place, pass, stats, shape->R, shape->eps);
    NsNormGradients gradients = ns_norm_place_gradients(place, pass);
    place->norm->backward(&p, &gradients, dx, dy, x);
    ns_clock_end(mark, NS_OP_NORM);
}

double ns_live_squares(const NsShape *shape, const NsPass *pass, const ns_real *x)
{
    double sum = 0;
    for (size_t b = 0; b < shape->B; b++)
        sum += ns_real_squares(x + b * shape->T * shape->D, (size_t)pass->length[b] * shape->D);
    return sum;
}

static bool is_one(double x)
{
    return !(x < 1 || x > 1);
}

static ns_real *take_stats(const NsNormPlace *place, const NsShape *shape, NsCursor *cursor)
{
    return place->norm ? ns_cursor_take(cursor, ns_norm_stats_size(place->norm, shape->R, place->C))
                       : NULL;
}

void ns_activations_take(NsActivations *a, const NsSublayer *s, const NsShape *shape,
                         const ns_real *x, const ns_real *layer, ns_real *out,
                         const NsSources *from)
{
    size_t n = shape->R * shape->D;
    NsCursor *cursor = from->retained;
    *a = (NsActivations){.x = x, .layer = layer};
    if (s->in.norm || !is_one(s->c.s)) a->u = ns_cursor_take(from->u, n);
    a->stats_in = take_stats(&s->in, shape, cursor);
    ns_branch_take(a, s, shape, from);
    /* Backward needs F(u) only if a norm follows, and the input of a learned gain only if there is
     * a gain; otherwise the sum overwrites them. */
    a->out = out;
    a->z = s->out.norm ? ns_cursor_take(cursor, n) : a->out;
    a->stats_out = take_stats(&s->out, shape, cursor);
    a->v = s->c.gain != NS_GAIN_NONE ? ns_cursor_take(cursor, n) : a->z;
    a->f = s->branch.norm ? ns_cursor_take(cursor, n) : a->v;
    a->stats_branch = take_stats(&s->branch, shape, cursor);
}

void ns_scratch_take(NsScratch *scratch, const NsShape *shape, NsCursor *cursor)
{
    size_t R = shape->R, RS = shape->RS, D = shape->D, F = shape->F;
    scratch->branch = ns_cursor_take(cursor, R * D);
    scratch->du = ns_cursor_take(cursor, R * D);
    scratch->skip = ns_cursor_take(cursor, R * D);
    scratch->hidden = ns_cursor_take(cursor, MAX(R * D + 2 * RS * shape->KV, R * F));
    scratch->gate = ns_cursor_take(cursor, R * F);
    scratch->context = ns_cursor_take(cursor, R * D);
    scratch->memory = ns_cursor_take(cursor, RS * D);
    scratch->scores = ns_cursor_take(cursor, shape->T * MAX(shape->T, shape->S));
}

/* The sum of squares of a x; a may include a learned vector. */
static double stream_squares(const NsSublayer *s, const NsShape *shape, const NsPass *pass,
                             const ns_real *x)
{
    double squares = s->c.a * s->c.a;
    if (!s->c.stream_gain) return squares > 0 ? squares * ns_live_squares(shape, pass, x) : 0;
    double sum = 0;
    for (size_t b = 0; b < shape->B; b++)
        sum += ns_gain_squares(pass->weights + s->stream_gain, x + b * shape->T * shape->D,
                               (size_t)pass->length[b], shape->D);
    return squares * sum;
}

static double live_sum(const NsShape *shape, const NsPass *pass, const ns_real *x)
{
    double sum = 0;
    for (size_t b = 0; b < shape->B; b++)
        for (size_t i = 0; i < (size_t)pass->length[b] * shape->D; i++)
            sum += (double)x[b * shape->T * shape->D + i];
    return sum;
}

/* The sum of sigma over the rows that are not padding, for the first norm of the sub-layer. */
static double norm_sigma(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                         const NsPass *pass)
{
    const NsNormPlace *place = &s->out;
    ns_real *stats = a->stats_out;
    if (s->in.norm) {
        place = &s->in;
        stats = a->stats_in;
    } else if (s->mid.norm) {
        place = &s->mid;
        stats = a->stats_mid;
    } else if (s->branch.norm) {
        place = &s->branch;
        stats = a->stats_branch;
    }
    if (!place->norm) return (double)NAN;
    NsNormPass p = ns_norm_place_pass(place, pass, stats, shape->R, shape->eps);
    double sum = 0;
    for (size_t b = 0; b < shape->B; b++) {
        size_t n = (size_t)pass->length[b];
        sum += (double)n * ns_norm_sigma(place->norm, &p, b * shape->T, n);
    }
    return sum;
}

static bool is_noisy(const NsSublayer *s, const NsPass *pass)
{
    return pass->noisy && (pass->dropout > 0 || s->drop_path > 0);
}

/* Applies dropout and stochastic depth, with the same noise in forward and backward. */
static void add_noise(const NsSublayer *s, const NsShape *shape, const NsPass *pass, ns_real *y)
{
    size_t n = shape->T * shape->D;
    for (size_t b = 0; b < shape->B; b++, y += n) {
        NsNoiseKey key = {.seed = pass->noise.seed,
                          .step = pass->noise.step,
                          .place = s->number,
                          .sequence = (uint32_t)(pass->first + b)};
        double keep = s->drop_path > 0 ? ns_drop_path(s->drop_path, &key) : 1;
        if (!(keep > 0)) {
            memset(y, 0, n * sizeof *y);
            continue;
        }
        if (pass->dropout > 0) ns_dropout(y, n, pass->dropout, &key);
        if (!is_one(keep)) ns_scale(y, (ns_real)keep, y, n);
    }
}

/* b times the learned gain, if the gain is a scalar. */
static ns_real branch_factor(const NsSublayer *s, const NsPass *pass)
{
    bool number = s->c.gain == NS_GAIN_LAYER || s->c.gain == NS_GAIN_SCALAR;
    return (ns_real)s->c.b * (number ? pass->weights[s->branch_gain] : 1);
}

/* Computes dv from dy, in place in d. */
static void branch_strength_backward(const NsSublayer *s, const NsShape *shape,
                                     const NsActivations *a, const NsPass *pass, ns_real *d)
{
    size_t R = shape->R, D = shape->D;
    ns_real b = (ns_real)s->c.b;
    if (is_noisy(s, pass)) add_noise(s, shape, pass, d);
    switch (s->c.gain) {
    case NS_GAIN_NONE:
        break;
    case NS_GAIN_LAYER:
    case NS_GAIN_SCALAR:
        *ns_pass_gradient(pass, s->branch_gain) += b * (ns_real)ns_inner(d, a->v, R * D);
        break;
    case NS_GAIN_VECTOR:
        ns_gain_backward(ns_pass_gradient(pass, s->branch_gain), b, d, a->v, R, D);
        ns_gain_forward(d, b, pass->weights + s->branch_gain, d, R, D);
        return;
    }
    if (!is_one((double)branch_factor(s, pass))) ns_scale(d, branch_factor(s, pass), d, R * D);
}

/* The operands of z = a x + b y. */
typedef struct {
    ns_real *z;
    ns_real a, b;
    const ns_real *x, *y;
} Join;

/* Computes n elements of z, starting at `from`. */
static NsJointSquares join_rows(const Join *j, size_t from, size_t n, unsigned asked)
{
    return ns_join_streams(j->z + from, j->a, j->x + from, j->b, j->y + from, n, asked);
}

/* Computes z.  If `sums` is not NULL, also computes the squares, without padding. */
static void join(const NsShape *shape, const NsPass *pass, const Join *j, NsSums *sums)
{
    size_t D = shape->D, T = shape->T;
    unsigned asked = sums ? NS_SQUARES_STREAM | NS_SQUARES_BRANCH : 0;
    if (!sums || !pass->live) {
        NsJointSquares squares = join_rows(j, 0, shape->R * D, asked);
        if (!sums) return;
        sums->stream = squares.stream;
        sums->branch = squares.branch;
        return;
    }
    sums->stream = sums->branch = 0;
    for (size_t i = 0; i < shape->B; i++) {
        size_t at = i * T * D, live = (size_t)pass->length[i] * D, end = at + live;
        NsJointSquares squares = join_rows(j, at, live, asked);
        sums->stream += squares.stream;
        sums->branch += squares.branch;
        join_rows(j, end, T * D - live, 0);
    }
}

/* u = s N_in(x) */
static void enter(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                  const NsPass *pass)
{
    size_t n = shape->R * shape->D;
    ns_real in_scale = (ns_real)s->c.s;
    if (s->in.norm) {
        ns_norm_place_forward(&s->in, shape, pass, a->u, a->stats_in, a->x);
        if (!is_one(s->c.s)) ns_scale(a->u, in_scale, a->u, n);
    } else if (a->u) {
        ns_scale(a->u, in_scale, a->x, n);
    }
}

void ns_sublayer_derive(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                        const NsPass *pass, bool ffn)
{
    enter(s, shape, a, pass);
    if (ffn) ns_branch_derive(s, shape, a, pass);
}

void ns_sublayer_forward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                         const NsPass *pass, NsSums *sums)
{
    size_t n = shape->R * shape->D;
    enter(s, shape, a, pass);
    ns_branch_forward(s, shape, a, pass);
    if (s->branch.norm) ns_norm_place_forward(&s->branch, shape, pass, a->v, a->stats_branch, a->f);

    NsClockMark mark = ns_clock_begin();
    /* plain: y is simply v times branch_factor. */
    bool plain = s->c.gain != NS_GAIN_VECTOR && !is_noisy(s, pass) && !s->c.stream_gain;
    ns_real factor = plain ? branch_factor(s, pass) : 1;
    const ns_real *y = plain ? a->v : a->z;
    if (!plain) {
        /* z = y = noise(b g v), where g is the learned gain. */
        size_t R = shape->R, D = shape->D;
        if (s->c.gain == NS_GAIN_VECTOR)
            ns_gain_forward(a->z, (ns_real)s->c.b, pass->weights + s->branch_gain, a->v, R, D);
        else
            ns_scale(a->z, branch_factor(s, pass), a->v, R * D);
        if (is_noisy(s, pass)) add_noise(s, shape, pass, a->z);
    }
    if (pass->dual) ns_add_scaled(pass->dual, factor, y, n);
    if (s->c.stream_gain) {
        /* z += a omega x, where omega is the learned gain of the stream. */
        const ns_real skip = (ns_real)s->c.a, *omega = pass->weights + s->stream_gain, *x = a->x;
        if (sums) {
            sums->branch = ns_live_squares(shape, pass, a->z);
            sums->branch_sum = pass->profiling ? live_sum(shape, pass, a->z) : 0;
            sums->stream = stream_squares(s, shape, pass, x);
        }
        ns_real *z = a->z;
        for (size_t r = 0; r < shape->R; r++, x += shape->D, z += shape->D)
            for (size_t i = 0; i < shape->D; i++) z[i] += skip * omega[i] * x[i];
    } else
        join(shape, pass, &(Join){.z = a->z, .a = (ns_real)s->c.a, .x = a->x, .b = factor, .y = y},
             sums);
    if (s->c.skip_layer) ns_add_scaled(a->z, 1, a->layer, n);
    ns_clock_end(mark, NS_OP_RESIDUAL);
    if (s->out.norm) ns_norm_place_forward(&s->out, shape, pass, a->out, a->stats_out, a->z);
    if (sums) sums->sigma = norm_sigma(s, shape, a, pass);
}

/* Returns the gradient of F's output, computed from d, the gradient of the sum: d itself if the two
 * are equal, otherwise scratch->branch. */
static const ns_real *branch_gradient(const NsSublayer *s, const NsShape *shape,
                                      const NsActivations *a, const NsScratch *scratch,
                                      const NsPass *pass, const ns_real *d)
{
    bool same = s->c.gain == NS_GAIN_NONE && is_one(s->c.b) && !is_noisy(s, pass) && !pass->ddual;
    ns_real *df = scratch->branch;
    if (!same) {
        memcpy(df, d, shape->R * shape->D * sizeof *d);
        if (pass->ddual) ns_add_scaled(df, 1, pass->ddual, shape->R * shape->D);
        branch_strength_backward(s, shape, a, pass, df);
        d = df;
    }
    if (!s->branch.norm) return d;
    ns_norm_place_backward(&s->branch, shape, pass, df, d, a->f, a->stats_branch);
    return df;
}

void ns_sublayer_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                          const NsScratch *scratch, const NsPass *pass, NsSums *sums, ns_real *d)
{
    size_t R = shape->R, D = shape->D, n = R * D;
    if (s->out.norm) ns_norm_place_backward(&s->out, shape, pass, d, d, a->z, a->stats_out);

    /* z = a x + r + y: the gradient of the branch is dz, of the stream a dz, of the layer's input
     * dz. */
    NsClockMark mark = ns_clock_begin();
    if (s->c.skip_layer) memcpy(scratch->skip, d, n * sizeof *d);
    const ns_real *df = branch_gradient(s, shape, a, scratch, pass, d);
    ns_clock_end(mark, NS_OP_RESIDUAL);
    ns_branch_backward(s, shape, a, scratch, pass, df);

    ns_real *du = scratch->du;
    if (!is_one(s->c.s)) ns_scale(du, (ns_real)s->c.s, du, n);
    if (s->in.norm) ns_norm_place_backward(&s->in, shape, pass, du, du, a->x, a->stats_in);

    mark = ns_clock_begin();
    ns_real skip = (ns_real)s->c.a;
    /* Whether sums->grad is the squared norm of d.  Not used if a is 0, since 0 times infinity is
     * NaN. */
    bool known = !s->out.norm && !s->c.stream_gain && skip != 0;
    if (s->c.stream_gain) {
        ns_gain_backward(ns_pass_gradient(pass, s->stream_gain), skip, d, a->x, R, D);
        ns_gain_forward(d, skip, pass->weights + s->stream_gain, d, R, D);
        skip = 1;
    }
    /* The gradients of padding are 0. */
    unsigned asked = sums ? NS_SQUARES_BRANCH | NS_SQUARES_SUM : 0;
    if (sums && !known) asked |= NS_SQUARES_STREAM;
    NsJointSquares squares = ns_join_streams(d, skip, d, 1, du, n, asked);
    if (sums) {
        sums->skip_grad = known ? (double)skip * (double)skip * sums->grad : squares.stream;
        sums->branch_grad = squares.branch;
        sums->grad = squares.sum;
    }
    ns_clock_end(mark, NS_OP_RESIDUAL);
}
