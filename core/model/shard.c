/* The memory that one shard of a batch takes.  SPDX-License-Identifier: MIT */
#include "core/model/stack.h"

/* Activations worth dividing, in bytes of all workers together. */
#define WORTH_DIVIDING ((size_t)64 << 20)

/* Weights that parts may read, in bytes.  Every part packs all of them and adds to all gradients,
 * which is an eighth more of a step, and of the memory a third less, where they do not stay in the
 * caches.  Of larger models weights, gradients and moments are most: parts would spare too little.
 */
#define WORTH_READING ((size_t)64 << 20)

/* Rows of a part, with fewer of which the products would lose more than the caches gain. */
#define PART_ROWS 64

void ns_stack_shard_range(const NsStack *stack, size_t B, size_t i, size_t *first, size_t *n)
{
    *first = B * i / stack->shards;
    *n = B * (i + 1) / stack->shards - *first;
}

static NsShape shape_of(const NsStack *stack, size_t B, size_t T, size_t S)
{
    return (NsShape){.B = B,
                     .T = T,
                     .S = S,
                     .R = B * T,
                     .RS = B * S,
                     .D = stack->D,
                     .H = stack->H,
                     .F = stack->F,
                     .eps = stack->eps};
}

static ns_real *take_norm(const NsNormPlace *place, const NsShape *shape, ns_real **stats,
                          NsCursor *cursor)
{
    *stats = ns_cursor_take(cursor, ns_norm_stats_size(place->norm, shape->R, place->C));
    return ns_cursor_take(cursor, shape->R * shape->D);
}

/* Returns the reals that the largest layer takes of the common ones. */
static size_t take_tower(NsShard *shard, const NsStack *stack, size_t i, NsCursor *cursor)
{
    const NsTower *tower = &stack->towers[i];
    NsTowerShard *t = &shard->towers[i];
    t->self = shape_of(stack, shard->B, tower->T, tower->T);
    t->cross = shape_of(stack, shard->B, tower->T, tower->S);
    size_t n = t->self.R * stack->D;
    t->embedding = t->x0 = ns_cursor_take(cursor, n);
    if (tower->embedding_norm.norm)
        t->x0 = take_norm(&tower->embedding_norm, &t->self, &t->stats_embedding, cursor);

    /* Where layers are run again, they share their activations, all but what each gives out. */
    NsCursor common = {.base = shard->common}, *inner = stack->recompute ? &common : cursor;
    const ns_real *x = t->x0, *layer = x;
    size_t most = 0;
    for (size_t k = tower->first; k < tower->first + tower->n; k++) {
        const NsSublayer *s = &stack->sublayers[k];
        if (s->first) {
            layer = x;
            common.used = 0;
        }
        NsActivations *a = &shard->sublayers[k];
        const ns_real *begin = ns_cursor_at(cursor);
        ns_real *out = ns_cursor_take(s->last ? cursor : inner, n);
        ns_activations_take(a, s, ns_tower_shape(t, s), x, layer, out, inner);
        a->begin = begin;
        a->end = ns_cursor_at(cursor);
        x = out;
        most = MAX(most, common.used);
    }
    t->top = shard->sublayers[tower->first + tower->n - 1].out;
    if (tower->dual) {
        t->dual = ns_cursor_take(cursor, n);
        t->ddual = ns_cursor_take(cursor, n);
        t->top = ns_cursor_take(cursor, n);
    }
    if (tower->final_norm.norm) {
        t->final = take_norm(&tower->final_norm, &t->self, &t->stats_final, cursor);
        if (!tower->dual) t->top = t->final;
    }
    t->d = ns_cursor_take(cursor, n);
    return most;
}

/* What the largest layer of all needs, found without taking anything. */
static size_t common_reals(NsShard *shard, const NsStack *stack)
{
    size_t most = 0;
    shard->common = NULL;
    for (size_t i = 0; i < stack->n_towers && stack->recompute; i++)
        most = MAX(most, take_tower(shard, stack, i, &(NsCursor){0}));
    return most;
}

const NsShape *ns_tower_shape(const NsTowerShard *tower, const NsSublayer *s)
{
    return s->kind == NS_CROSS_ATTENTION ? &tower->cross : &tower->self;
}

void ns_shard_take(NsShard *shard, const NsStack *stack, size_t first, size_t sequences,
                   NsCursor *cursor)
{
    shard->first = first;
    shard->B = sequences;
    size_t T = 0;
    shard->common = ns_cursor_take(cursor, common_reals(shard, stack));
    for (size_t i = 0; i < stack->n_towers; i++) {
        take_tower(shard, stack, i, cursor);
        T = MAX(T, stack->towers[i].T);
    }
    size_t last = stack->towers[stack->n_towers - 1].T;
    shard->logits = ns_cursor_take(cursor, sequences * last * stack->V);
    NsShape largest = shape_of(stack, sequences, T, T);
    ns_scratch_take(&shard->scratch, &largest, cursor);
}

/* Of a whole batch, all kept. */
static size_t activation_bytes(const NsStack *stack, size_t B)
{
    NsStack keeping = *stack;
    keeping.recompute = false;
    g_autofree NsActivations *room = g_new(NsActivations, stack->n_sublayers);
    NsShard shard = {.sublayers = room};
    NsCursor cursor = {0};
    ns_shard_take(&shard, &keeping, 0, B, &cursor);
    return cursor.used * sizeof(ns_real);
}

/* Whether every worker's share falls into so many equal parts of rows enough. */
static bool divides(const NsStack *stack, size_t B, size_t parts)
{
    for (size_t i = 0; i < stack->shards; i++) {
        size_t first, n;
        ns_stack_shard_range(stack, B, i, &first, &n);
        if (n % parts) return false;
        for (size_t k = 0; k < stack->n_towers; k++)
            if (n / parts * stack->towers[k].T < PART_ROWS) return false;
    }
    return true;
}

size_t ns_stack_parts(const NsStack *stack, const NsSettings *settings)
{
    size_t B = (size_t)settings->batch;
    bool whole = ns_norm_over_batch(ns_norm(settings->norm)) ||
                 stack->table.size * sizeof(ns_real) > WORTH_READING;
    if (whole || activation_bytes(stack, B) < WORTH_DIVIDING) return 1;
    size_t parts = B / stack->shards;
    while (parts > 1 && !divides(stack, B, parts)) parts--;
    return MAX(parts, 1);
}
