/* F of the block equation: attention or the feed-forward network.  SPDX-License-Identifier: MIT */
#include "core/model/branch.h"

#include "core/base/clock.h"
#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "core/ops/residual.h"

#include <string.h>

#define NO_BIAS SIZE_MAX

NsHeads ns_heads(const NsSublayer *s, const NsShape *shape, ns_real *base)
{
    size_t D = shape->D, KV = shape->KV, joined = D + 2 * KV;
    if (s->uniform) return (NsHeads){.V = base, .q_stride = D, .k_stride = D};
    if (s->kind == NS_SELF_ATTENTION)
        return (NsHeads){
            .Q = base, .K = base + D, .V = base + D + KV, .q_stride = joined, .k_stride = joined};
    ns_real *K = base + shape->R * D;
    return (NsHeads){.Q = base, .K = K, .V = K + KV, .q_stride = D, .k_stride = 2 * KV};
}

static size_t heads_size(const NsSublayer *s, const NsShape *shape)
{
    return (s->uniform ? 0 : shape->R * shape->D + shape->RS * shape->KV) + shape->RS * shape->KV;
}

static bool head_norms(const NsSublayer *s)
{
    return s->q.norm || s->k.norm || s->v.norm;
}

/* Allocates the statistics of a norm over `width` features of each row.  A norm over heads has one
 * entry for each head of a row. */
static ns_real *take_stats(const NsNormPlace *place, size_t width, size_t rows, NsCursor *cursor)
{
    if (!place->norm) return NULL;
    size_t n = ns_norm_stats_size(place->norm, rows * (width / place->C), place->C);
    return ns_cursor_take(cursor, n);
}

void ns_branch_take(NsActivations *a, const NsSublayer *s, const NsShape *shape,
                    const NsSources *from)
{
    NsCursor *cursor = s->kind == NS_FFN ? from->ffn : from->retained;
    size_t R = shape->R, D = shape->D, F = shape->F;
    if (s->kind == NS_FFN) {
        a->raw = a->hidden = ns_cursor_take(cursor, R * F);
        if (s->activation->keeps) a->hidden = ns_cursor_take(cursor, R * F);
        if (s->activation->gated) a->gate = ns_cursor_take(cursor, R * F);
        a->mid = s->mid.norm ? ns_cursor_take(cursor, R * F) : a->hidden;
    } else {
        a->raw = a->hidden = ns_cursor_take(cursor, heads_size(s, shape));
        if (head_norms(s)) a->hidden = ns_cursor_take(cursor, heads_size(s, shape));
        a->stats_q = take_stats(&s->q, D, R, cursor);
        a->stats_k = take_stats(&s->k, shape->KV, shape->RS, cursor);
        a->stats_v = take_stats(&s->v, shape->KV, shape->RS, cursor);
        a->P = ns_cursor_take(cursor, shape->B * shape->H * shape->T * shape->S);
        a->context = a->scaled = ns_cursor_take(cursor, R * D);
        if (s->c.head_scale) a->scaled = ns_cursor_take(cursor, R * D);
        a->mid = s->mid.norm ? ns_cursor_take(cursor, R * D) : a->scaled;
    }
    a->stats_mid = take_stats(&s->mid, s->mid.C, R, cursor);
}

/* The rows of queries, keys or values, of `width` features, `stride` elements apart; `live` is true
 * for rows that are not padding, or NULL. */
typedef struct {
    size_t rows, width, stride;
    const bool *live;
} HeadRows;

static HeadRows queries_of(const NsShape *shape, const NsPass *pass, const NsHeads *heads)
{
    return (HeadRows){shape->R, shape->D, heads->q_stride, pass->live};
}

static HeadRows keys_of(const NsSublayer *s, const NsShape *shape, const NsPass *pass,
                        const NsHeads *heads)
{
    bool cross = s->kind == NS_CROSS_ATTENTION;
    return (HeadRows){shape->RS, shape->KV, heads->k_stride,
                      cross ? pass->memory_live : pass->live};
}

/* The arguments of a norm over all rows at once (norms over the batch), or over the heads of one
 * row. */
static NsNormPass head_norm_pass(const NsNormPlace *place, const NsShape *shape, const NsPass *pass,
                                 ns_real *stats, HeadRows at)
{
    bool batch = ns_norm_over_batch(place->norm);
    NsNormPass p =
        ns_norm_place_pass(place, pass, stats, batch ? at.rows : at.width / place->C, shape->eps);
    if (batch) {
        p.stride = at.stride;
        p.live = at.live;
    }
    return p;
}

static void head_norm_forward(const NsNormPlace *place, const NsShape *shape, const NsPass *pass,
                              ns_real *y, ns_real *stats, const ns_real *x, HeadRows at)
{
    if (!place->norm || at.rows == 0) return;
    NsClockMark mark = ns_clock_begin();
    NsNormPass p = head_norm_pass(place, shape, pass, stats, at);
    size_t calls = ns_norm_over_batch(place->norm) ? 1 : at.rows;
    for (size_t r = 0; r < calls; r++) {
        place->norm->forward(&p, y + r * at.stride, x + r * at.stride);
        p.stats += ns_norm_stats_size(place->norm, p.R, place->C);
    }
    ns_clock_end(mark, NS_OP_NORM);
}

static void head_norm_backward(const NsNormPlace *place, const NsShape *shape, const NsPass *pass,
                               ns_real *d, ns_real *stats, const ns_real *x, HeadRows at)
{
    if (!place->norm) return;
    NsClockMark mark = ns_clock_begin();
    NsNormPass p = head_norm_pass(place, shape, pass, stats, at);
    NsNormGradients gradients = ns_norm_place_gradients(place, pass);
    size_t calls = ns_norm_over_batch(place->norm) ? 1 : at.rows;
    for (size_t r = 0; r < calls; r++) {
        ns_real *row = d + r * at.stride;
        place->norm->backward(&p, &gradients, row, row, x + r * at.stride);
        p.stats += ns_norm_stats_size(place->norm, p.R, place->C);
    }
    ns_clock_end(mark, NS_OP_NORM);
}

static NsAttention attention_of(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                                const NsPass *pass)
{
    NsHeads heads = ns_heads(s, shape, a->hidden);
    return (NsAttention){
        .B = shape->B,
        .T = shape->T,
        .S = shape->S,
        .H = shape->H,
        .d = shape->D / shape->H,
        .kv_heads = shape->KV / (shape->D / shape->H),
        .causal = s->causal,
        .uniform = s->uniform,
        .key_length = s->kind == NS_CROSS_ATTENTION ? pass->memory_length : pass->length,
        .Q = heads.Q,
        .K = heads.K,
        .V = heads.V,
        .q_stride = heads.q_stride,
        .k_stride = heads.k_stride,
    };
}

/* A linear map: the offsets of its matrix and its bias (or NO_BIAS), and its rows and features. */
typedef struct {
    size_t w, b;
    size_t R, I, O;
} Map;

static NsLinear linear_of(const NsPass *pass, Map m)
{
    return (NsLinear){.R = m.R,
                      .I = m.I,
                      .O = m.O,
                      .w = pass->weights + m.w,
                      .b = m.b == NO_BIAS ? NULL : pass->weights + m.b};
}

/* y = x w^T + b */
static void map_forward(const NsPass *pass, Map m, ns_real *y, const ns_real *x)
{
    if (m.R == 0) return;
    NsClockMark mark = ns_clock_begin();
    const NsLinear map = linear_of(pass, m);
    ns_linear_forward(&map, y, x);
    ns_clock_end(mark, NS_OP_MATMUL);
}

/* Computes dx from dy, and the gradients of the matrix and of the bias. */
static void map_backward(const NsPass *pass, Map m, ns_real *dx, const ns_real *dy,
                         const ns_real *x)
{
    NsClockMark mark = ns_clock_begin();
    const NsLinear map = linear_of(pass, m);
    const NsLinearGradients to = {.dx = dx,
                                  .dw = ns_pass_gradient(pass, m.w),
                                  .db = m.b == NO_BIAS ? NULL : ns_pass_gradient(pass, m.b),
                                  .over = !pass->adds};
    ns_linear_backward(&map, &to, dy, x);
    ns_clock_end(mark, NS_OP_MATMUL);
}

static void project(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                    const NsPass *pass)
{
    size_t D = shape->D, KV = shape->KV;
    const ns_real *u = a->u ? a->u : a->x;
    const ns_real *memory = s->kind == NS_CROSS_ATTENTION ? pass->memory : u;
    NsHeads heads = ns_heads(s, shape, a->raw);
    if (s->uniform) {
        map_forward(pass, (Map){s->w_memory, s->b_memory, shape->RS, D, D}, heads.V, memory);
    } else if (s->kind == NS_SELF_ATTENTION) {
        map_forward(pass, (Map){s->w_in, s->b_in, shape->R, D, D + 2 * KV}, a->raw, u);
    } else {
        map_forward(pass, (Map){s->w_in, s->b_in, shape->R, D, D}, heads.Q, u);
        map_forward(pass, (Map){s->w_memory, s->b_memory, shape->RS, D, 2 * KV}, heads.K, memory);
    }
}

/* Rotates the queries and keys of self-attention, which are adjacent, by their positions, or back.
 */
static void rotate_heads(const NsSublayer *s, const NsShape *shape, const NsPass *pass,
                         const NsHeads *heads, bool back)
{
    if (!pass->waves || s->kind != NS_SELF_ATTENTION) return;
    size_t h = shape->D / shape->H;
    NsClockMark mark = ns_clock_begin();
    ns_rotate(heads->Q,
              &(NsRotary){.rows = shape->R,
                          .T = shape->T,
                          .heads = (shape->D + shape->KV) / h,
                          .h = h,
                          .stride = heads->q_stride,
                          .waves = pass->waves + pass->position * h},
              back);
    ns_clock_end(mark, NS_OP_ATTENTION);
}

/* Computes Q, K and V, applies their norms, and rotates Q and K. */
static void project_heads(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                          const NsPass *pass)
{
    project(s, shape, a, pass);
    NsHeads raw = ns_heads(s, shape, a->raw), heads = ns_heads(s, shape, a->hidden);
    if (head_norms(s)) {
        memcpy(a->hidden, a->raw, heads_size(s, shape) * sizeof *a->hidden);
        HeadRows queries = queries_of(shape, pass, &raw), keys = keys_of(s, shape, pass, &raw);
        head_norm_forward(&s->q, shape, pass, heads.Q, a->stats_q, raw.Q, queries);
        head_norm_forward(&s->k, shape, pass, heads.K, a->stats_k, raw.K, keys);
        head_norm_forward(&s->v, shape, pass, heads.V, a->stats_v, raw.V, keys);
    }
    rotate_heads(s, shape, pass, &heads, false);
}

size_t ns_keys_width(const NsSublayer *s, size_t KV)
{
    return s->uniform ? KV : 2 * KV;
}

/* Copies the keys and values of `rows` tokens to the cache, where they are `stride` elements
 * apart. */
static void keep_keys(const NsSublayer *s, const NsShape *shape, const NsHeads *heads, size_t rows,
                      ns_real *to, size_t stride)
{
    size_t width = ns_keys_width(s, shape->KV);
    const ns_real *from = s->uniform ? heads->V : heads->K;
    for (size_t r = 0; r < rows; r++)
        memcpy(to + r * stride, from + r * heads->k_stride, width * sizeof *to);
}

void ns_branch_read_memory(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                           const NsPass *pass)
{
    project_heads(s, shape, a, pass);
    NsHeads heads = ns_heads(s, shape, a->hidden);
    keep_keys(s, shape, &heads, shape->RS, pass->keys, ns_keys_width(s, shape->KV));
}

static void attention_forward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                              const NsPass *pass)
{
    size_t R = shape->R, D = shape->D;
    project_heads(s, shape, a, pass);
    NsAttention attention = attention_of(s, shape, a, pass);
    if (pass->keys) {
        NsHeads heads = ns_heads(s, shape, a->hidden);
        /* Cache the new keys and values of self-attention, and make attention read the whole
         * cache.  The last key is the query's own, so no causal mask is needed. */
        size_t width = ns_keys_width(s, shape->KV);
        if (s->kind == NS_SELF_ATTENTION)
            keep_keys(s, shape, &heads, shape->R, pass->keys + pass->position * width,
                      shape->S * width);
        attention.causal = false;
        attention.K = pass->keys;
        attention.V = pass->keys + width - shape->KV;
        attention.k_stride = width;
    }
    NsClockMark mark = ns_clock_begin();
    ns_attention_forward(&attention, a->context, a->P);
    ns_clock_end(mark, NS_OP_ATTENTION);
    if (s->c.head_scale) {
        ns_real *y = a->scaled;
        const ns_real *x = a->context;
        size_t d = shape->D / shape->H;
        const ns_real *scale = pass->weights + s->head_scale;
        for (size_t r = 0; r < shape->R; r++)
            for (size_t h = 0; h < shape->H; h++, x += d, y += d) ns_scale(y, scale[h], x, d);
    }
    if (s->mid.norm) ns_norm_place_forward(&s->mid, shape, pass, a->mid, a->stats_mid, a->scaled);
    if (s->uniform)
        memcpy(a->f, a->mid, R * D * sizeof *a->f);
    else
        map_forward(pass, (Map){s->w_out, s->b_out, R, D, D}, a->f, a->mid);
}

/* Computes the gradients of the weights, of u and, in cross-attention, of the memory, from the
 * gradients of Q, K and V before their norms, which are in scratch->hidden. */
static void project_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                             const NsScratch *scratch, const NsPass *pass)
{
    size_t D = shape->D, KV = shape->KV;
    bool cross = s->kind == NS_CROSS_ATTENTION;
    const ns_real *u = a->u ? a->u : a->x;
    ns_real *dmemory = cross ? scratch->memory : scratch->du;
    NsHeads d = ns_heads(s, shape, scratch->hidden);
    if (s->uniform) {
        if (cross) memset(scratch->du, 0, shape->R * D * sizeof *scratch->du);
        map_backward(pass, (Map){s->w_memory, s->b_memory, shape->RS, D, D}, dmemory, d.V,
                     cross ? pass->memory : u);
    } else if (!cross) {
        map_backward(pass, (Map){s->w_in, s->b_in, shape->R, D, D + 2 * KV}, scratch->du,
                     scratch->hidden, u);
    } else {
        map_backward(pass, (Map){s->w_in, s->b_in, shape->R, D, D}, scratch->du, d.Q, u);
        map_backward(pass, (Map){s->w_memory, s->b_memory, shape->RS, D, 2 * KV}, dmemory, d.K,
                     pass->memory);
    }
    if (cross) ns_add_scaled(pass->dmemory, 1, dmemory, shape->RS * D);
}

static void attention_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                               const NsScratch *scratch, const NsPass *pass, const ns_real *df)
{
    size_t R = shape->R, D = shape->D;
    ns_real *dcontext = scratch->context;
    if (s->uniform)
        memcpy(dcontext, df, R * D * sizeof *dcontext);
    else
        map_backward(pass, (Map){s->w_out, s->b_out, R, D, D}, dcontext, df, a->mid);
    if (s->mid.norm)
        ns_norm_place_backward(&s->mid, shape, pass, dcontext, dcontext, a->scaled, a->stats_mid);
    if (s->c.head_scale) {
        ns_real *d = dcontext;
        size_t features = shape->D / shape->H;
        ns_real *g = ns_pass_gradient(pass, s->head_scale);
        const ns_real *x = a->context;
        for (size_t r = 0; r < shape->R; r++)
            for (size_t h = 0; h < shape->H; h++, x += features, d += features) {
                g[h] += (ns_real)ns_inner(d, x, features);
                ns_scale(d, pass->weights[s->head_scale + h], d, features);
            }
    }

    NsAttention attention = attention_of(s, shape, a, pass);
    NsHeads d = ns_heads(s, shape, scratch->hidden), raw = ns_heads(s, shape, a->raw);
    NsClockMark mark = ns_clock_begin();
    ns_attention_backward(&attention, &(NsAttentionGradients){.dO = dcontext,
                                                              .P = a->P,
                                                              .dQ = d.Q,
                                                              .dK = d.K,
                                                              .dV = d.V,
                                                              .scratch = scratch->scores});
    ns_clock_end(mark, NS_OP_ATTENTION);
    rotate_heads(s, shape, pass, &d, true);
    HeadRows queries = queries_of(shape, pass, &d), keys = keys_of(s, shape, pass, &d);
    head_norm_backward(&s->q, shape, pass, d.Q, a->stats_q, raw.Q, queries);
    head_norm_backward(&s->k, shape, pass, d.K, a->stats_k, raw.K, keys);
    head_norm_backward(&s->v, shape, pass, d.V, a->stats_v, raw.V, keys);
    project_backward(s, shape, a, scratch, pass);
}

/* The gates of the FFN's units for the rows of this pass; NULL if it has none. */
static bool *gates_of(const NsSublayer *s, const NsShape *shape, const NsPass *pass)
{
    if (!pass->gates || s->activation->keeps) return NULL;
    return pass->gates + s->layer * pass->layer_gates + pass->first * shape->T * shape->F;
}

/* Computes an FFN up to the input of its last matrix product. */
static void ffn_enter(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                      const NsPass *pass)
{
    size_t R = shape->R, D = shape->D, F = shape->F;
    const ns_real *u = a->u ? a->u : a->x;
    map_forward(pass, (Map){s->w_in, s->b_in, R, D, F}, a->raw, u);
    if (s->activation->gated) map_forward(pass, (Map){s->w_gate, NO_BIAS, R, D, F}, a->gate, u);
    NsClockMark mark = ns_clock_begin();
    bool *gates = gates_of(s, shape, pass);
    for (size_t i = 0; gates && pass->records && i < R * F; i++) gates[i] = a->raw[i] > 0;
    if (gates)
        for (size_t i = 0; i < R * F; i++) a->hidden[i] = gates[i] ? a->raw[i] : 0;
    else
        s->activation->forward(a->hidden, a->raw, a->gate, R * F);
    ns_clock_end(mark, NS_OP_ACTIVATION);
    if (s->mid.norm) ns_norm_place_forward(&s->mid, shape, pass, a->mid, a->stats_mid, a->hidden);
}

static void ffn_forward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                        const NsPass *pass)
{
    ffn_enter(s, shape, a, pass);
    map_forward(pass, (Map){s->w_out, s->b_out, shape->R, shape->F, shape->D}, a->f, a->mid);
}

static void ffn_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                         const NsScratch *scratch, const NsPass *pass, const ns_real *df)
{
    size_t R = shape->R, D = shape->D, F = shape->F;
    const ns_real *u = a->u ? a->u : a->x;
    ns_real *d = scratch->hidden;
    map_backward(pass, (Map){s->w_out, s->b_out, R, F, D}, d, df, a->mid);
    if (s->mid.norm) ns_norm_place_backward(&s->mid, shape, pass, d, d, a->hidden, a->stats_mid);
    NsClockMark mark = ns_clock_begin();
    const bool *gates = gates_of(s, shape, pass);
    if (gates)
        for (size_t i = 0; i < R * F; i++) d[i] = gates[i] ? d[i] : 0;
    else
        s->activation->backward(d, scratch->gate, d, a->raw, a->gate, R * F);
    ns_clock_end(mark, NS_OP_ACTIVATION);
    map_backward(pass, (Map){s->w_in, s->b_in, R, D, F}, scratch->du, d, u);
    if (!s->activation->gated) return;
    map_backward(pass, (Map){s->w_gate, NO_BIAS, R, D, F}, scratch->context, scratch->gate, u);
    ns_add_scaled(scratch->du, 1, scratch->context, R * D);
}

void ns_branch_forward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                       const NsPass *pass)
{
    (s->kind == NS_FFN ? ffn_forward : attention_forward)(s, shape, a, pass);
}

void ns_branch_derive(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                      const NsPass *pass)
{
    if (s->kind == NS_FFN) ffn_enter(s, shape, a, pass);
}

void ns_branch_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                        const NsScratch *scratch, const NsPass *pass, const ns_real *df)
{
    (s->kind == NS_FFN ? ffn_backward : attention_backward)(s, shape, a, scratch, pass, df);
}
