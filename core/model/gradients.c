/* SPDX-License-Identifier: MIT */
#include "core/model/gradients.h"

#include "core/base/clock.h"
#include "core/base/squares.h"
#include "core/ops/residual.h"

#include <string.h>

/* Elements that one member sums at a time, so few that they stay in its cache. */
#define BLOCK ((size_t)1 << 14)

static size_t largest_layer(const NsModelLayout *layout)
{
    size_t most = 0;
    for (size_t i = 0; i < layout->layers; i++)
        most = MAX(most, layout->spans[i].end - layout->spans[i].begin);
    return most;
}

static size_t buffer_elements(const NsModelLayout *layout)
{
    return largest_layer(layout) + ns_model_layout_outside(layout);
}

size_t ns_gradients_elements(const NsModelLayout *layout)
{
    return (layout->shards - 1) * buffer_elements(layout);
}

static NsGradientBlocks divide(const NsGradients *g, GArray *blocks, const NsSpan *span,
                               size_t origin)
{
    NsGradientBlocks all = {.first = blocks->len, .origin = origin};
    for (size_t i = span->first; i < span->first + span->n; i++) {
        const NsTensor *t = &g->layout->table.tensors[i];
        size_t size = ns_tensor_size(t);
        for (size_t at = 0; at < size; at += BLOCK) {
            NsGradientBlock block = {
                .tensor = i, .offset = t->offset + at, .n = MIN(BLOCK, size - at)};
            g_array_append_val(blocks, block);
        }
    }
    all.n = blocks->len - all.first;
    return all;
}

NsGradients *ns_gradients_new(const NsModelLayout *layout, ns_real *arena, GError **error)
{
    NsGradients *g = g_new0(NsGradients, 1);
    g->layout = layout;
    g->arena = arena;
    g->squares = g_new0(double, layout->table.n);
    g->buffers = g_new0(ns_real *, layout->shards);
    g->outside = g_new0(ns_real *, layout->shards);
    GArray *blocks = g_array_new(FALSE, FALSE, sizeof(NsGradientBlock));
    g->layers = g_new(NsGradientBlocks, layout->layers);
    for (size_t i = 0; i < layout->layers; i++)
        g->layers[i] = divide(g, blocks, &layout->spans[i], layout->spans[i].begin);
    for (size_t i = 0; i < layout->n_vocabulary; i++)
        g->vocabulary[i] = divide(g, blocks, &layout->vocabulary[i], 0);
    for (size_t i = 0, before = 0; i < layout->n_outside; i++) {
        const NsSpan *span = &layout->outside[i];
        g->rest[i] = divide(g, blocks, span, span->begin - before);
        before += span->end - span->begin;
    }
    g->n_blocks = blocks->len;
    g->blocks = (NsGradientBlock *)(void *)g_array_free(blocks, FALSE);
    for (size_t i = 1; i < layout->shards; i++) {
        g->buffers[i] = ns_real_new(buffer_elements(layout), "gradients", error);
        if (!g->buffers[i]) {
            ns_gradients_free(g);
            return NULL;
        }
        g->outside[i] = g->buffers[i] + largest_layer(layout);
    }
    return g;
}

void ns_gradients_free(NsGradients *g)
{
    if (!g) return;
    for (size_t i = 1; i < g->layout->shards; i++) ns_real_free(g->buffers[i]);
    g_free(g->buffers);
    g_free(g->outside);
    g_free(g->blocks);
    g_free(g->layers);
    g_free(g->squares);
    g_free(g);
}

/* ---- Gradients of one shard ---- */

/* Whether two layers, which may not exist, are tied. */
static bool are_tied(const NsModelLayout *layout, size_t layer, size_t other)
{
    return MAX(layer, other) < layout->layers &&
           layout->spans[layer].begin == layout->spans[other].begin;
}

NsLayerGradients ns_gradients_layer(NsGradients *g, size_t shard, size_t layer, bool more)
{
    const NsSpan *span = &g->layout->spans[layer];
    NsLayerGradients at = {.base = shard == 0 ? g->arena + span->begin : g->buffers[shard],
                           .origin = span->begin,
                           .adds = shard == 0 && (more || are_tied(g->layout, layer, layer + 1))};
    if (!at.adds) {
        /* Set a span to 0 except for its matrices, including the gaps between tensors. */
        const NsTensor *t = g->layout->table.tensors + span->first;
        for (size_t i = 0; i < span->n; i++, t++) {
            size_t from = t->cols ? t->offset + ns_tensor_size(t) : t->offset;
            size_t to = i + 1 < span->n ? t[1].offset : span->end;
            if (to > from) memset(at.base + (from - span->begin), 0, (to - from) * sizeof *at.base);
        }
    }
    return at;
}

/* Where a shard writes the gradient of the tensor at an offset in layout->outside[i]. */
static ns_real *outside_at(NsGradients *g, size_t shard, size_t i, size_t offset)
{
    return shard == 0 ? g->arena + offset : g->outside[shard] + (offset - g->rest[i].origin);
}

void ns_gradients_clear_outside(NsGradients *g, size_t shard)
{
    for (size_t i = 0; i < g->layout->n_outside; i++) {
        const NsSpan *span = &g->layout->outside[i];
        memset(outside_at(g, shard, i, span->begin), 0,
               (span->end - span->begin) * sizeof(ns_real));
    }
}

ns_real *ns_gradients_outside(NsGradients *g, size_t shard, size_t offset)
{
    size_t i = 0;
    while (offset >= g->layout->outside[i].end) i++;
    return outside_at(g, shard, i, offset);
}

/* ---- Rows of one worker ---- */

NsGradientRows ns_gradients_rows(NsGradients *g, size_t worker, size_t offset)
{
    const NsModelLayout *layout = g->layout;
    const NsSpan *span = layout->vocabulary;
    while (span->begin != offset) span++;
    const NsTensor *t = &layout->table.tensors[span->first];
    size_t first = t->rows * worker / layout->shards, end = t->rows * (worker + 1) / layout->shards;
    return (NsGradientRows){
        .gradient = g->arena + offset + first * t->cols, .first = first, .n = end - first};
}

/* ---- Sums ---- */

/* `buffers`: NULL if the arena already holds the sums. */
static void sum_blocks(NsGradients *g, const NsMember *member, const NsGradientBlocks *blocks,
                       ns_real *const *buffers, bool last)
{
    size_t n = buffers ? g->layout->shards - 1 : 0;
    bool squaring = g->squaring && last;
    if (n == 0 && !squaring) return;
    NsClockMark mark = ns_clock_begin();
    NsGradientBlock *first = g->blocks + blocks->first;
    size_t end = ns_member_end(member, blocks->n);
    for (size_t b = ns_member_begin(member, blocks->n); b < end; b++) {
        /* Add n buffers, starting with buffers[1], to the arena. */
        size_t from = first[b].offset - blocks->origin;
        ns_real *sum = g->arena + first[b].offset;
        for (size_t i = 1; i + squaring <= n; i++)
            ns_add_scaled(sum, 1, buffers[i] + from, first[b].n);
        if (squaring) {
            first[b].squares = n > 0 ? ns_add_squares(sum, buffers[n] + from, first[b].n)
                                     : ns_real_squares(sum, first[b].n);
        }
    }
    ns_clock_end(mark, n == 0 ? NS_OP_MEASURE : NS_OP_GRADIENT_SUM);
}

void ns_gradients_end_layer(NsGradients *g, const NsMember *member, size_t layer, bool last)
{
    bool sums_end = last && !are_tied(g->layout, layer, layer - 1);
    ns_team_barrier(member);
    sum_blocks(g, member, &g->layers[layer], g->buffers, sums_end);
    ns_team_barrier(member);
}

void ns_gradients_end(NsGradients *g, const NsMember *member)
{
    ns_team_barrier(member);
    for (size_t i = 0; i < g->layout->n_outside; i++)
        sum_blocks(g, member, &g->rest[i], g->outside, true);
    for (size_t i = 0; i < g->layout->n_vocabulary; i++)
        sum_blocks(g, member, &g->vocabulary[i], NULL, true);
    ns_team_barrier(member);
    if (!g->squaring || member->index > 0) return;
    memset(g->squares, 0, g->layout->table.n * sizeof *g->squares);
    for (size_t b = 0; b < g->n_blocks; b++)
        g->squares[g->blocks[b].tensor] += g->blocks[b].squares;
}
