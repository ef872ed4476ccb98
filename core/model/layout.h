/* The layout of a model before any memory: tensors, sub-layers, shards, sizes.
 * SPDX-License-Identifier: MIT
 *
 * Internal to core/model: what model.c allocates and plan.c only counts. */
#pragma once

#include "core/data/batch.h"
#include "core/model/block.h"
#include "core/model/parameter_kind.h"
#include "core/model/wiring.h"

/* An encoder or a decoder. */
typedef struct {
    const char *prefix; /* of its tensors' names */
    bool decoder;
    bool cross;         /* its layers look at the output of the stack before */
    bool dual;          /* it has a second stream */
    size_t L, T, S;     /* S: keys of cross-attention, else 0 */
    size_t first_layer; /* through all stacks */
    size_t first, n;    /* its sub-layers among those of the model */
    NsNormPlace embedding_norm, final_norm;
    size_t tok_emb, pos_emb; /* offsets */
    size_t tok_span;         /* of tok_emb, among those of the model layout */
} NsStack;

/* Where a worker keeps the activations of a layer: offset and elements of those of one part of its
 * share of the batch, which those of the others follow. */
typedef struct {
    size_t at, elements;
} NsPiece;

/* Where a shard puts what its layers keep for backward. */
typedef struct {
    ns_real *arena;  /* NULL while only counting */
    NsPiece *pieces; /* [layers] of its worker */
    size_t part;
} NsPlaces;

/* The plan of the arena for the activations of layers (arena_plan.c); a pass forward alone uses it,
 * too. */
typedef struct {
    NsPiece *pieces; /* [shards, layers] */
    size_t *passing; /* [shards] offset of what a pass forward alone needs */
    size_t size;     /* elements */
    size_t beside;   /* elements that all shards take elsewhere */
} NsArenaPlan;

/* A part of an arena, in elements, and the tensors that lie there. */
typedef struct {
    size_t begin, end;
    size_t first, n; /* indices in the table */
} NsSpan;

/* What ns_sublayer_derive brings back in backward, instead of its being kept. */
typedef enum { NS_DERIVED_NOTHING, NS_DERIVED_U, NS_DERIVED_FFN /* and u */ } NsDerived;

typedef struct {
    size_t V, D, H, F; /* V: what comes out */
    size_t shards;
    size_t parts; /* in which a worker walks its share of the batch, one after the other */
    size_t kept;  /* parts whose activations are there together: all, for who looks at them, or 1 */
    NsArenaPlan arena_plan;
    ns_real eps;
    bool standardize, sinusoids, learned_positions;
    bool recompute; /* of a layer only what it gives out is kept for backward */
    NsDerived derived;
    double dropout, label_smoothing;
    NsTensorTable table;
    size_t layers;
    NsSpan *spans; /* [n_spans] of each layer, then of each matrix over the vocabulary */
    size_t n_spans;
    NsSpan outside[2 * NS_STACKS_MAX]; /* all other tensors, which are small */
    size_t n_outside;
    NsStack stacks[NS_STACKS_MAX];
    size_t n_stacks;
    NsSublayer *sublayers; /* [n_sublayers] */
    size_t n_sublayers;
    size_t head;       /* offset */
    size_t head_span;  /* that of the first embedding where they are tied */
    size_t state_size; /* elements of running statistics */
} NsModelLayout;

/* The activations of one stack in a shard, from the embedding up. */
typedef struct {
    NsShape self, cross;
    ns_real *embedding; /* [R, D] sum of the embeddings */
    ns_real *stats_embedding;
    ns_real *x0;                  /* [R, D] what the first layer sees */
    ns_real *dual;                /* [R, D] second stream, or NULL */
    ns_real *final, *stats_final; /* [R, D] after the final norm */
    ns_real *top;                 /* [R, D] what comes out of the stack */
    ns_real *d;                   /* [R, D] the gradient that travels down */
    ns_real *ddual;               /* [R, D] that of the second stream, or NULL */
} NsStackShard;

typedef struct {
    size_t first, B;                      /* its sequences in the batch: a part of the worker's */
    const int32_t *length[NS_STACKS_MAX]; /* [B] of the last batch, borrowed */
    size_t present; /* where layers are run again: the one whose activations are there */
    NsStackShard stacks[NS_STACKS_MAX];
    NsActivations *sublayers; /* [n_sublayers] */
    ns_real *common;          /* activations that all layers share, where they are run again */
    ns_real *derived;         /* those that all sub-layers share, where they are derived again */
    ns_real *logits;          /* [R, V] */
    NsScratch scratch;
} NsShard;

/* `placement` NULL: the settings' own, or their mixture.  The settings have been checked. */
void ns_model_layout_init(NsModelLayout *layout, const NsSettings *settings,
                          const NsPlacement *placement, NsVocab vocab);
void ns_model_layout_clear(NsModelLayout *layout);

/* Reals of an arena that lie in layout->outside. */
size_t ns_model_layout_outside(const NsModelLayout *layout);

/* The sequences [first, first + n) of a batch of B that worker i walks in `parts` equal parts. */
void ns_model_layout_shard_range(const NsModelLayout *layout, size_t B, size_t i, size_t *first,
                                 size_t *n);

/* Into how many parts the share of every worker should be divided: 1 where that saves little memory
 * or takes much time, or where the whole batch is wanted at once.  What sums are rounded to depends
 * on it, and so it does not depend on who looks at activations or whether they are recomputed. */
size_t ns_model_layout_parts(const NsModelLayout *layout, const NsSettings *settings);

/* Takes everything that one shard needs.  The sizes of the pieces are filled in; their offsets need
 * not be known while all is only counted.  shard->sublayers must hold all of them. */
void ns_shard_take(NsShard *shard, const NsModelLayout *layout, size_t first, size_t sequences,
                   NsCursor *cursor, const NsPlaces *places);

/* A shard for passes forward alone, where every layer overwrites what the one before has left, and
 * all else is that of a `shard` that was taken.  passing->sublayers must hold all of them.
 * Without a base, returns how many elements it will need there. */
size_t ns_shard_pass(NsShard *passing, const NsShard *shard, const NsModelLayout *layout,
                     ns_real *base);

/* Reals that all layers and all else keep for backward if they keep everything, in one shard of B
 * sequences. */
size_t ns_shard_elements(const NsModelLayout *layout, size_t B);

/* The first sub-layer of a layer, both numbered through all stacks. */
size_t ns_stack_sublayer(const NsStack *stack, size_t layer);

/* Plans the arena of a model layout that is complete but for it and for what that decides. */
void ns_arena_plan_init(NsModelLayout *layout, const NsSettings *settings);
void ns_arena_plan_clear(NsArenaPlan *plan);

/* The sizes with which a sub-layer of this stack is called. */
const NsShape *ns_stack_shape(const NsStackShard *stack, const NsSublayer *s);
