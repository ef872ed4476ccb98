/* The memory layout of one shard of a batch.  SPDX-License-Identifier: MIT */
#include "core/model/layout.h"

/* Bytes of activations of all workers together, from which dividing into parts is worth the
 * time. */
#define WORTH_DIVIDING ((size_t)64 << 20)

/* Bytes of weights up to which small parts are cheap.  Each part packs all weights and adds to all
 * gradients, which is slow if they do not stay in the caches.  In larger models weights, gradients
 * and moments take most of the memory, so these models use the fewest parts for which the
 * activations of a part are at most 5/4 of the weights (tests/bench/README.md reports the cost of
 * an additional part). */
#define WORTH_READING ((size_t)64 << 20)

/* Minimum number of rows of a part.  Every part packs the weights again, which at 64 to 128 rows
 * takes a few percent of a step of a small model; 256 rows still need far less memory than a batch
 * in one part. */
#define PART_ROWS 256

void ns_model_layout_shard_range(const NsModelLayout *layout, size_t B, size_t i, size_t *first,
                                 size_t *n)
{
    *first = B * i / layout->shards;
    *n = B * (i + 1) / layout->shards - *first;
}

size_t ns_model_layout_capacity(const NsModelLayout *layout, size_t B, size_t i)
{
    size_t first, n;
    ns_model_layout_shard_range(layout, B, i, &first, &n);
    return n / layout->parts + layout->spare;
}

NsShape ns_layout_shape(const NsModelLayout *layout, size_t B, size_t T, size_t S)
{
    return (NsShape){.B = B,
                     .T = T,
                     .S = S,
                     .R = B * T,
                     .RS = B * S,
                     .D = layout->D,
                     .H = layout->H,
                     .F = layout->F,
                     .KV = layout->KV,
                     .eps = layout->eps};
}

static ns_real *take_norm(const NsNormPlace *place, const NsShape *shape, ns_real **stats,
                          NsCursor *cursor)
{
    *stats = ns_cursor_take(cursor, ns_norm_stats_size(place->norm, shape->R, place->C));
    return ns_cursor_take(cursor, shape->R * shape->D);
}

/* The cursors from which the activations of a layer are allocated. */
typedef struct {
    NsCursor *out;     /* the output of the layer */
    NsCursor *inner;   /* the other activations that backward needs */
    NsCursor *derived; /* those that are not stored; sub-layers share this memory */
} LayerSources;

/* Allocates the layer whose first sub-layer has index k and whose input is x; returns its
 * output. */
static const ns_real *take_layer(NsShard *shard, const NsModelLayout *layout,
                                 const NsStackShard *stack, size_t k, const ns_real *x,
                                 const LayerSources *from)
{
    const NsSources sources = {
        .retained = from->inner,
        .u = layout->derived ? from->derived : from->inner,
        .ffn = layout->derived == NS_DERIVED_FFN ? from->derived : from->inner,
    };
    const ns_real *layer = x;
    size_t most = 0;
    for (bool last = false; !last; k++) {
        const NsSublayer *s = &layout->sublayers[k];
        NsActivations *a = &shard->sublayers[k];
        const ns_real *begin = ns_cursor_at(from->out);
        last = s->last;
        from->derived->used = 0;
        ns_real *out = ns_cursor_take(last ? from->out : from->inner, stack->self.R * layout->D);
        ns_activations_take(a, s, ns_stack_shape(stack, s), x, layer, out, &sources);
        a->begin = begin;
        a->end = ns_cursor_at(from->out);
        x = out;
        most = MAX(most, from->derived->used);
    }
    from->derived->used = most;
    return x;
}

/* Without a final norm the output of a stack is the output of its last layer. */
static void find_top(const NsModelLayout *layout, NsShard *shard, size_t i)
{
    const NsStack *stack = &layout->stacks[i];
    if (!stack->dual && !stack->final_norm.norm)
        shard->stacks[i].top = shard->sublayers[stack->first + stack->n - 1].out;
}

/* Elements of the memory that layers (common) and sub-layers (derived) use one after another: the
 * maximum over all of them. */
typedef struct {
    size_t common, derived;
} Shared;

static Shared take_layers(NsShard *shard, const NsModelLayout *layout, const NsPlaces *places)
{
    Shared most = {0};
    for (size_t i = 0; i < layout->n_stacks; i++) {
        const NsStack *stack = &layout->stacks[i];
        const ns_real *x = shard->stacks[i].x0;
        for (size_t l = 0; l < stack->L; l++) {
            NsPiece *piece = &places->pieces[stack->first_layer + l];
            ns_real *begin = places->arena;
            if (begin) begin += piece->at + places->part * piece->elements;
            NsCursor own = {.base = begin};
            NsCursor common = {.base = shard->common}, derived = {.base = shard->derived};
            NsCursor *inner = layout->recompute ? &common : &own;
            const LayerSources from = {&own, inner, &derived};
            size_t first = ns_stack_sublayer(stack, stack->first_layer + l);
            x = take_layer(shard, layout, &shard->stacks[i], first, x, &from);
            piece->elements = own.used;
            most.common = MAX(most.common, common.used);
            most.derived = MAX(most.derived, derived.used);
        }
        find_top(layout, shard, i);
    }
    return most;
}

size_t ns_shard_take_forward_only(NsShard *forward_only, const NsShard *shard,
                                  const NsModelLayout *layout, ns_real *base)
{
    NsActivations *sublayers = forward_only->sublayers;
    *forward_only = *shard;
    forward_only->sublayers = sublayers;
    NsCursor cursor = {.base = base};
    size_t most = 0;
    /* A layer reads the output of the previous layer, and layers of a decoder also that of the
     * encoder. */
    ns_real *outs[NS_STACKS_MAX][2];
    for (size_t i = 0; i < layout->n_stacks; i++)
        for (size_t k = 0; k < 2; k++)
            outs[i][k] = ns_cursor_take(&cursor, shard->stacks[i].self.R * layout->D);
    for (size_t i = 0; i < layout->n_stacks; i++) {
        const NsStack *stack = &layout->stacks[i];
        const ns_real *x = shard->stacks[i].x0;
        for (size_t l = 0; l < stack->L; l++) {
            NsCursor out = {.base = outs[i][l % 2]}, inner = {.base = ns_cursor_at(&cursor)};
            NsCursor derived = {.base = shard->derived};
            const LayerSources from = {&out, &inner, &derived};
            size_t first = ns_stack_sublayer(stack, stack->first_layer + l);
            x = take_layer(forward_only, layout, &forward_only->stacks[i], first, x, &from);
            most = MAX(most, inner.used);
        }
        find_top(layout, forward_only, i);
    }
    return cursor.used + most;
}

size_t ns_stack_sublayer(const NsStack *stack, size_t layer)
{
    return stack->first + (layer - stack->first_layer) * (stack->n / stack->L);
}

const NsShape *ns_stack_shape(const NsStackShard *stack, const NsSublayer *s)
{
    return s->kind == NS_CROSS_ATTENTION ? &stack->cross : &stack->self;
}

void ns_shard_take(NsShard *shard, const NsModelLayout *layout, size_t sequences, NsCursor *cursor,
                   const NsPlaces *places)
{
    shard->B = shard->capacity = sequences;
    shard->common = shard->derived = NULL;
    size_t T = 0;
    for (size_t i = 0; i < layout->n_stacks; i++) {
        const NsStack *stack = &layout->stacks[i];
        NsStackShard *t = &shard->stacks[i];
        t->self = ns_layout_shape(layout, shard->B, stack->T, stack->T);
        t->cross = ns_layout_shape(layout, shard->B, stack->T, stack->S);
        size_t n = t->self.R * layout->D;
        t->embedding = t->x0 = ns_cursor_take(cursor, n);
        if (stack->embedding_norm.norm)
            t->x0 = take_norm(&stack->embedding_norm, &t->self, &t->stats_embedding, cursor);
        if (stack->dual) {
            t->dual = ns_cursor_take(cursor, n);
            t->ddual = ns_cursor_take(cursor, n);
            t->top = ns_cursor_take(cursor, n);
        }
        if (stack->final_norm.norm) {
            t->final = take_norm(&stack->final_norm, &t->self, &t->stats_final, cursor);
            if (!stack->dual) t->top = t->final;
        }
        t->d = ns_cursor_take(cursor, n);

        T = MAX(T, layout->stacks[i].T);
    }
    Shared most = take_layers(shard, layout, &(NsPlaces){.pieces = places->pieces});
    shard->common = ns_cursor_take(cursor, most.common);
    shard->derived = ns_cursor_take(cursor, most.derived);
    if (places->arena) take_layers(shard, layout, places);
    size_t last = layout->stacks[layout->n_stacks - 1].T;
    shard->logits = ns_cursor_take(cursor, sequences * last * layout->V);
    if (layout->classes > 0) {
        shard->first_token = ns_cursor_take(cursor, sequences * layout->D);
        shard->dfirst_token = ns_cursor_take(cursor, sequences * layout->D);
        shard->class_logits = ns_cursor_take(cursor, sequences * layout->classes);
    }
    NsShape largest = ns_layout_shape(layout, sequences, T, T);
    ns_scratch_take(&shard->scratch, &largest, cursor);
}

size_t ns_shard_elements(const NsModelLayout *layout, size_t B)
{
    NsModelLayout keeping = *layout;
    keeping.recompute = false;
    keeping.derived = NS_DERIVED_NOTHING;
    g_autofree NsActivations *sublayers = g_new(NsActivations, layout->n_sublayers);
    g_autofree NsPiece *pieces = g_new(NsPiece, layout->layers);
    NsShard shard = {.sublayers = sublayers};
    NsCursor cursor = {0};
    ns_shard_take(&shard, &keeping, B, &cursor, &(NsPlaces){.pieces = pieces});
    for (size_t l = 0; l < layout->layers; l++) cursor.used += pieces[l].elements;
    return cursor.used;
}

/* Whether the share of every worker can be divided into this many equal parts with enough rows. */
static bool divides(const NsModelLayout *layout, size_t B, size_t parts)
{
    for (size_t i = 0; i < layout->shards; i++) {
        size_t first, n;
        ns_model_layout_shard_range(layout, B, i, &first, &n);
        if (n % parts) return false;
        for (size_t k = 0; k < layout->n_stacks; k++)
            if (n / parts * layout->stacks[k].T < PART_ROWS) return false;
    }
    return true;
}

size_t ns_model_layout_parts(const NsModelLayout *layout, const NsSettings *settings)
{
    size_t B = (size_t)ns_settings_batch(settings);
    size_t activations = ns_shard_elements(layout, B) * sizeof(ns_real);
    size_t weights = layout->table.size * sizeof(ns_real);
    if (ns_norm_over_batch(ns_norm(settings->norm)) || activations < WORTH_DIVIDING) return 1;
    size_t enough = weights > WORTH_READING ? weights / 4 * 5 : 0, parts = 1;
    for (size_t n = 2; n <= B / layout->shards && activations / parts > enough; n++)
        if (divides(layout, B, n)) parts = n;
    return parts;
}
