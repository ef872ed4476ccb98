/* SPDX-License-Identifier: MIT */
#include "core/model/sublayer.h"

#include "core/base/clock.h"
#include "core/base/squares.h"

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
