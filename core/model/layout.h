/* The layout of a model, computed before any memory is allocated: tensors, sub-layers, shards,
 * sizes.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model: model.c allocates it, plan.c only counts it. */
#pragma once

#include "core/data/batch.h"
#include "core/model/block.h"
#include "core/model/parameter_kind.h"
#include "core/model/wiring.h"

/* An encoder or a decoder. */
typedef struct {
    const char *prefix; /* of the names of its tensors */
    bool decoder;
    bool cross;         /* its layers attend to the output of the previous stack */
    bool dual;          /* it has a second stream */
    size_t L, T, S;     /* layers, tokens, keys of cross-attention (0 if none) */
    size_t first_layer; /* layers are numbered through all stacks */
    size_t first, n;    /* its sub-layers are [first, first + n) of all sub-layers */
    NsNormPlace embedding_norm, final_norm;
    size_t tok_emb, pos_emb, seg_emb; /* offsets; seg_emb is 0 if there is none */
} NsStack;

/* Where the arena stores the activations of a layer of one worker: the offset of its first part,
 * and the number of elements of each part.  The parts are contiguous. */
typedef struct {
    size_t at, elements;
} NsPiece;

/* Where a shard stores the activations of its layers for backward. */
typedef struct {
    ns_real *arena;  /* NULL while only counting */
    NsPiece *pieces; /* [layers] pieces of the shard's worker */
    size_t part;
} NsPlaces;

/* The plan of the arena for the activations of layers (arena_plan.c).  A forward-only pass uses the
 * same arena. */
typedef struct {
    NsPiece *pieces;      /* [shards, layers] */
    size_t *forward_only; /* [shards] offset of the activations of a forward-only pass */
    size_t size;          /* elements */
    size_t outside;       /* elements that all shards allocate outside the arena */
} NsArenaPlan;

/* A range of an arena, in elements, and the tensors in it. */
typedef struct {
    size_t begin, end;
    size_t first, n; /* indices in the table */
} NsSpan;

/* Which activations are not stored in forward: backward recomputes them (ns_sublayer_derive).
 * NS_DERIVED_FFN: both u and the hidden layer of an FFN. */
typedef enum { NS_DERIVED_NOTHING, NS_DERIVED_U, NS_DERIVED_FFN } NsDerived;

typedef struct {
    size_t V, D, H, F; /* V: number of logits of a token */
    size_t KV;         /* features of the keys of a token */
    size_t shards;
    size_t parts;    /* consecutive parts into which the batch share of each worker is divided */
    size_t spare;    /* full-length sequences that a part may hold beyond its share of a batch */
    size_t retained; /* number of parts with stored activations: all if probes read them, else 1 */
    NsArenaPlan arena_plan;
    ns_real eps;
    ns_real embedding_scale; /* factor on token embeddings */
    bool standardize, sinusoids, learned_positions, rotary;
    bool recompute; /* only the output of each layer is stored for backward (checkpointing) */
    NsDerived derived;
    double dropout, label_smoothing, z_loss;
    NsTensorTable table;
    size_t layers;
    NsSpan *spans;                        /* [layers] */
    NsSpan vocabulary[NS_STACKS_MAX + 1]; /* token embeddings and the head, one matrix each */
    size_t n_vocabulary;
    NsSpan outside[2 * NS_STACKS_MAX]; /* all other tensors, which are small */
    size_t n_outside;
    NsStack stacks[NS_STACKS_MAX];
    size_t n_stacks;
    NsSublayer *sublayers; /* [n_sublayers] */
    size_t n_sublayers;
    size_t classes;    /* classes of a sequence; 0 if there is no class head */
    size_t class_head; /* offset */
    size_t head;       /* offset; same as the last stack's token embedding if they are tied */
    size_t state_size; /* elements of the running statistics */
} NsModelLayout;

/* The activations of one stack in a shard, from the embedding upward. */
typedef struct {
    NsShape self, cross;
    ns_real *embedding; /* [R, D] sum of the embeddings */
    ns_real *stats_embedding;
    ns_real *x0;                  /* [R, D] input of the first layer */
    ns_real *dual;                /* [R, D] second stream, or NULL */
    ns_real *final, *stats_final; /* [R, D] output of the final norm */
    ns_real *top;                 /* [R, D] output of the stack */
    ns_real *d;                   /* [R, D] gradient of the current hidden state in backward */
    ns_real *ddual;               /* [R, D] gradient of the second stream, or NULL */
} NsStackShard;

typedef struct {
    size_t first, B; /* its sequences in the batch are [first, first + B) */
    size_t capacity; /* sequences of full length that fit in its memory */
    const int32_t
        *length[NS_STACKS_MAX]; /* [B] tokens of each sequence of the last batch, borrowed */
    size_t present;             /* with recompute: the layer whose activations are in memory */
    NsStackShard stacks[NS_STACKS_MAX];
    NsActivations *sublayers; /* [n_sublayers] */
    ns_real *common;  /* with recompute: memory for the activations of one layer at a time */
    ns_real *derived; /* memory for the derived activations of one sub-layer at a time */
    ns_real *logits;  /* [R, V] */
    /* The class head: its input, which is the hidden state of the first token; the gradient of its
     * input; its logits. */
    ns_real *first_token, *dfirst_token, *class_logits; /* [B, D], [B, D], [B, classes] */
    NsScratch scratch;
} NsShard;

/* The settings must have been checked.  `placement`: NULL for the placement or mixture of the
 * settings. */
void ns_model_layout_init(NsModelLayout *layout, const NsSettings *settings,
                          const NsPlacement *placement, NsVocab vocab);
void ns_model_layout_clear(NsModelLayout *layout);

/* Elements of the parameter arena that belong to layout->outside. */
size_t ns_model_layout_outside(const NsModelLayout *layout);

/* Worker i processes the sequences [first, first + n) of a batch of B, in `parts` parts.  The parts
 * are equal if all batches have B sequences; otherwise they differ by at most one. */
void ns_model_layout_shard_range(const NsModelLayout *layout, size_t B, size_t i, size_t *first,
                                 size_t *n);

/* Number of sequences of full length that a part of worker i has memory for, if a batch has B of
 * them.  A batch by tokens may contain more, shorter sequences. */
size_t ns_model_layout_capacity(const NsModelLayout *layout, size_t B, size_t i);

/* The number of parts into which the share of each worker is divided.  It is 1 if parts would save
 * little memory or cost much time, or if a norm needs the whole batch at once.  The rounding of
 * sums depends on this number; so it does not depend on probes or on recompute, which must not
 * change a bit. */
size_t ns_model_layout_parts(const NsModelLayout *layout, const NsSettings *settings);

/* The shape of passes over B sequences of T positions that attend to S. */
NsShape ns_layout_shape(const NsModelLayout *layout, size_t B, size_t T, size_t S);

/* Takes all memory of one shard from the cursor, and fills in the sizes of the pieces.  With a
 * cursor that only counts, the offsets of the pieces need not be known.  shard->sublayers must have
 * space for [n_sublayers]. */
void ns_shard_take(NsShard *shard, const NsModelLayout *layout, size_t sequences, NsCursor *cursor,
                   const NsPlaces *places);

/* Initializes a shard for forward-only passes, in which every layer overwrites the activations of
 * the previous one; it shares everything else with `shard`, which must be initialized.
 * forward_only->sublayers must have space for [n_sublayers].  Returns the number of elements needed
 * at `base`, which is NULL while only counting. */
size_t ns_shard_take_forward_only(NsShard *forward_only, const NsShard *shard,
                                  const NsModelLayout *layout, ns_real *base);

/* Number of elements of one shard of B sequences if every activation is stored for backward. */
size_t ns_shard_elements(const NsModelLayout *layout, size_t B);

/* The first sub-layer of a layer; both are numbered through all stacks. */
size_t ns_stack_sublayer(const NsStack *stack, size_t layer);

/* Plans the arena of a layout, and decides what is derived; all other fields must be set. */
void ns_arena_plan_init(NsModelLayout *layout, const NsSettings *settings);
void ns_arena_plan_clear(NsArenaPlan *plan);

/* The sizes with which the operators of a sub-layer of this stack are called. */
const NsShape *ns_stack_shape(const NsStackShard *stack, const NsSublayer *s);
