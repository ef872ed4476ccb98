/* Planning the arena for the activations of layers.  SPDX-License-Identifier: MIT */
#include "core/model/layout.h"

#include <string.h>

/* Width up to which recomputing an element of an FFN's hidden layer, with as many multiply-adds as
 * the width, is faster than reading it from memory.  A norm is cheap at any width. */
#define NARROW 48

/* Bytes of stored activations, of all workers, from which they no longer stay in the caches. */
#define WORTH_DERIVING ((size_t)32 << 20)

static NsDerived derived(const NsModelLayout *layout, const NsSettings *settings)
{
    bool coupled = ns_norm_over_batch(ns_norm(settings->norm));
    if (layout->recompute || settings->probe_every > 0 || coupled) return NS_DERIVED_NOTHING;
    size_t sequences = (size_t)ns_settings_batch(settings) / layout->parts;
    if (ns_shard_elements(layout, sequences) * sizeof(ns_real) < WORTH_DERIVING)
        return NS_DERIVED_NOTHING;
    return layout->D > NARROW ? NS_DERIVED_U : NS_DERIVED_FFN;
}

/* Elements that a shard needs outside the arena, and inside it for forward-only passes. */
typedef struct {
    size_t outside, forward_only;
} Needs;

static Needs count_shard(const NsModelLayout *layout, size_t sequences, NsPiece *pieces)
{
    g_autofree NsActivations *sublayers = g_new(NsActivations, 2 * layout->n_sublayers);
    NsShard shard = {.sublayers = sublayers};
    NsShard forward_only = {.sublayers = sublayers + layout->n_sublayers};
    NsCursor cursor = {0};
    ns_shard_take(&shard, layout, sequences, &cursor, &(NsPlaces){.pieces = pieces});
    return (Needs){.outside = cursor.used,
                   .forward_only = ns_shard_take_forward_only(&forward_only, &shard, layout, NULL)};
}

/* Counts the memory of all workers.  Their shares differ by at most one sequence, so that most
 * workers need the same as an earlier one.  Returns the number of elements of forward-only
 * passes. */
static size_t count(NsModelLayout *layout, size_t B)
{
    NsArenaPlan *plan = &layout->arena_plan;
    g_autofree Needs *needs = g_new(Needs, layout->shards);
    size_t forward_only = 0;
    for (size_t i = 0; i < layout->shards; i++) {
        size_t n = ns_model_layout_capacity(layout, B, i), like = 0;
        NsPiece *pieces = plan->pieces + i * layout->layers;
        while (ns_model_layout_capacity(layout, B, like) != n) like++;
        if (like < i) {
            memcpy(pieces, plan->pieces + like * layout->layers, layout->layers * sizeof *pieces);
            needs[i] = needs[like];
        } else {
            needs[i] = count_shard(layout, n, pieces);
        }
        plan->outside += layout->retained * needs[i].outside;
        plan->forward_only[i] = forward_only;
        forward_only += needs[i].forward_only;
    }
    return forward_only;
}

void ns_arena_plan_init(NsModelLayout *layout, const NsSettings *settings)
{
    NsArenaPlan *plan = &layout->arena_plan;
    layout->derived = derived(layout, settings);
    plan->pieces = g_new(NsPiece, layout->shards * layout->layers);
    plan->forward_only = g_new(size_t, layout->shards);
    size_t forward_only = count(layout, (size_t)ns_settings_batch(settings)), end = 0;
    /* Place the activations: layer by layer, and worker by worker within each layer. */
    for (size_t l = 0; l < layout->layers; l++)
        for (size_t i = 0; i < layout->shards; i++) {
            NsPiece *piece = &plan->pieces[i * layout->layers + l];
            piece->at = end;
            end += layout->retained * piece->elements;
        }
    plan->size = MAX(forward_only, end);
}

void ns_arena_plan_clear(NsArenaPlan *plan)
{
    g_free(plan->pieces);
    g_free(plan->forward_only);
    *plan = (NsArenaPlan){0};
}
