/* The arena for the activations of layers.  SPDX-License-Identifier: MIT */
#include "core/model/stack.h"

#include <string.h>

/* Widths up to which computing a number of an FFN's hidden layer again, which takes as many
 * multiply-adds, costs less time than bringing it back from memory.  A norm is cheap at any. */
#define NARROW 48

/* Activations that are kept at a time, in bytes of all workers, and do not stay in the caches. */
#define WORTH_DERIVING ((size_t)32 << 20)

static NsDerived derived(const NsStack *stack, const NsSettings *settings)
{
    bool coupled = ns_norm_over_batch(ns_norm(settings->norm));
    if (stack->recompute || settings->probe_every > 0 || coupled) return NS_DERIVED_NOTHING;
    size_t sequences = (size_t)settings->batch / stack->parts;
    if (ns_shard_reals(stack, sequences) * sizeof(ns_real) < WORTH_DERIVING)
        return NS_DERIVED_NOTHING;
    return stack->D > NARROW ? NS_DERIVED_U : NS_DERIVED_FFN;
}

/* Sequences in a part of worker i. */
static size_t sequences_of(const NsStack *stack, size_t B, size_t i)
{
    size_t first, n;
    ns_stack_shard_range(stack, B, i, &first, &n);
    return n / stack->parts;
}

/* What a shard of so many sequences needs, in the arena and beside it. */
typedef struct {
    size_t beside, passing;
} Needs;

static Needs count_shard(const NsStack *stack, size_t sequences, NsPiece *pieces)
{
    g_autofree NsActivations *sublayers = g_new(NsActivations, 2 * stack->n_sublayers);
    NsShard shard = {.sublayers = sublayers}, pass = {.sublayers = sublayers + stack->n_sublayers};
    NsCursor cursor = {0};
    ns_shard_take(&shard, stack, 0, sequences, &cursor, &(NsPlaces){.pieces = pieces});
    return (Needs){.beside = cursor.used, .passing = ns_shard_pass(&pass, &shard, stack, NULL)};
}

/* All workers: shares differ by one sequence at most, so that most are like an earlier one. Returns
 * the end of what passes forward alone need. */
static size_t count(NsStack *stack, size_t B)
{
    NsRoom *room = &stack->room;
    g_autofree Needs *needs = g_new(Needs, stack->shards);
    size_t passing = 0;
    for (size_t i = 0; i < stack->shards; i++) {
        size_t n = sequences_of(stack, B, i), like = 0;
        NsPiece *pieces = room->pieces + i * stack->layers;
        while (sequences_of(stack, B, like) != n) like++;
        if (like < i) {
            memcpy(pieces, room->pieces + like * stack->layers, stack->layers * sizeof *pieces);
            needs[i] = needs[like];
        } else {
            needs[i] = count_shard(stack, n, pieces);
        }
        room->beside += stack->kept * needs[i].beside;
        room->passing[i] = passing;
        passing += needs[i].passing;
    }
    return passing;
}

/* Layer by layer, in each the workers one after another.  Returns the end. */
static size_t place(NsStack *stack)
{
    size_t end = 0;
    for (size_t l = 0; l < stack->layers; l++)
        for (size_t i = 0; i < stack->shards; i++) {
            NsPiece *piece = &stack->room.pieces[i * stack->layers + l];
            piece->at = end;
            end += stack->kept * piece->reals;
        }
    return end;
}

void ns_room_init(NsStack *stack, const NsSettings *settings)
{
    NsRoom *room = &stack->room;
    stack->derived = derived(stack, settings);
    room->pieces = g_new(NsPiece, stack->shards * stack->layers);
    room->passing = g_new(size_t, stack->shards);
    size_t passing = count(stack, (size_t)settings->batch), end = place(stack);
    room->size = MAX(passing, end);
}

void ns_room_clear(NsRoom *room)
{
    g_free(room->pieces);
    g_free(room->passing);
    *room = (NsRoom){0};
}
