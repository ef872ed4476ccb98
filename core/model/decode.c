/* SPDX-License-Identifier: MIT */
#include "core/model/decode.h"

#include "core/model/branch.h"
#include "core/model/model-private.h"
#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "core/ops/residual.h"

#include <string.h>

/* A sub-layer's output differs from its input and from its layer's input, so three buffers
 * suffice. */
#define STREAMS 3

/* Approximate number of source tokens that are translated together, and maximum of sentences. */
#define TOGETHER_TOKENS 1024
#define TOGETHER 32

struct NsDecoder {
    NsModelParts model;
    size_t most, beam; /* most sequences; rows of each */
    size_t n, S;       /* number and length of the current sources */
    size_t position;   /* of the next token */
    ns_real *arena;
    ns_real *stream[STREAMS];
    ns_real *dual, *top;
    ns_real *memory;  /* [n, S, D] output of the encoder */
    ns_real **keys;   /* [sub-layers of the decoder] cached keys and values; NULL for an FFN */
    ns_real *spare;   /* as large as the largest cache of a self-attention */
    ns_real *scratch; /* activations of one sub-layer, or statistics of a norm */
    ns_real *logits;
    int32_t *row_length;   /* [most beam] positions so far */
    const int32_t *length; /* [n] of the sources */
};

static const NsStack *decoder_stack(const NsDecoder *d)
{
    return &d->model.layout->stacks[d->model.layout->n_stacks - 1];
}

/* ---- Shapes ---- */

static NsShape shape_of(const NsDecoder *d, size_t B, size_t T, size_t S)
{
    return ns_layout_shape(d->model.layout, B, T, S);
}

static NsShape encoder_shape(const NsDecoder *d)
{
    return shape_of(d, d->n, d->S, d->S);
}

/* A pass over a single position of every row, whose keys and values are computed; those of all
 * earlier positions are cached. */
static NsShape self_shape(const NsDecoder *d)
{
    NsShape shape = shape_of(d, d->n * d->beam, 1, decoder_stack(d)->T);
    shape.RS = shape.R;
    return shape;
}

/* The rows of a sequence read the same memory, so they are treated as its queries. */
static NsShape cross_shape(const NsDecoder *d)
{
    NsShape shape = shape_of(d, d->n, d->beam, d->S);
    shape.RS = 0;
    return shape;
}

/* The encoder's output without queries. */
static NsShape memory_shape(const NsDecoder *d)
{
    return shape_of(d, d->n, 0, d->S);
}

/* ---- Memory ---- */

static NsActivations take_sublayer(const NsSublayer *s, const NsShape *shape, const ns_real *x,
                                   const ns_real *layer, ns_real *out, NsCursor *cursor)
{
    NsActivations a;
    ns_activations_take(&a, s, shape, x, layer, out, &(NsSources){cursor, cursor, cursor});
    return a;
}

static size_t sublayer_elements(const NsSublayer *s, const NsShape *shape)
{
    NsCursor count = {0};
    take_sublayer(s, shape, NULL, NULL, NULL, &count);
    return count.used;
}

static size_t norm_elements(const NsNormPlace *place, size_t R)
{
    return place->norm ? ns_norm_stats_size(place->norm, R, place->C) : 0;
}

/* Elements for the activations of any sub-layer, and for the statistics of any outer norm. */
static size_t scratch_elements(const NsDecoder *d)
{
    const NsModelLayout *layout = d->model.layout;
    NsShape self = self_shape(d), cross = cross_shape(d);
    NsShape memory = memory_shape(d), encoder = encoder_shape(d);
    size_t most = 0;
    for (size_t i = 0; i < layout->n_stacks; i++) {
        const NsStack *stack = &layout->stacks[i];
        const NsShape *own = stack == decoder_stack(d) ? &self : &encoder;
        most = MAX(most, norm_elements(&stack->embedding_norm, own->R));
        most = MAX(most, norm_elements(&stack->final_norm, own->R));
        for (size_t k = stack->first; k < stack->first + stack->n; k++) {
            const NsSublayer *s = &layout->sublayers[k];
            bool is_cross = s->kind == NS_CROSS_ATTENTION;
            most = MAX(most, sublayer_elements(s, is_cross ? &cross : own));
            if (is_cross) most = MAX(most, sublayer_elements(s, &memory));
        }
    }
    return most;
}

/* Elements that a sub-layer caches from one position to the next. */
static size_t cached_elements(const NsDecoder *d, const NsSublayer *s)
{
    const NsStack *stack = decoder_stack(d);
    size_t width = ns_keys_width(s, d->model.layout->KV);
    if (s->kind == NS_FFN) return 0;
    return width * d->most * (s->kind == NS_CROSS_ATTENTION ? stack->S : d->beam * stack->T);
}

static void take(NsDecoder *d, NsCursor *cursor)
{
    const NsModelLayout *layout = d->model.layout;
    const NsStack *stack = decoder_stack(d);
    size_t rows = d->most * d->beam, memory = stack->cross ? d->most * stack->S : 0;
    size_t n = MAX(rows, memory) * layout->D;
    for (size_t i = 0; i < STREAMS; i++) d->stream[i] = ns_cursor_take(cursor, n);
    d->dual = ns_cursor_take(cursor, n);
    d->top = ns_cursor_take(cursor, n);
    d->memory = ns_cursor_take(cursor, memory * layout->D);
    size_t most = 0;
    for (size_t k = 0; k < stack->n; k++) {
        const NsSublayer *s = &layout->sublayers[stack->first + k];
        size_t cached = cached_elements(d, s);
        d->keys[k] = cached > 0 ? ns_cursor_take(cursor, cached) : NULL;
        if (s->kind == NS_SELF_ATTENTION) most = cached;
    }
    d->spare = ns_cursor_take(cursor, most);
    d->scratch = ns_cursor_take(cursor, scratch_elements(d));
    d->logits = ns_cursor_take(cursor, rows * layout->V);
}

size_t ns_decoder_elements(const NsModelLayout *layout, size_t sequences, size_t beam)
{
    NsDecoder d = {.model.layout = layout, .most = sequences, .n = sequences, .beam = beam};
    NsCursor count = {0};
    d.S = ns_decoder_size(&d).source;
    d.keys = g_new0(ns_real *, decoder_stack(&d)->n);
    take(&d, &count);
    g_free(d.keys);
    return count.used;
}

size_t ns_decoder_together(size_t source)
{
    return CLAMP(TOGETHER_TOKENS / source, 1, TOGETHER);
}

NsDecoder *ns_decoder_new(NsModel *model, size_t sequences, size_t beam, GError **error)
{
    g_autoptr(NsDecoder) d = g_new0(NsDecoder, 1);
    d->model = ns_model_parts(model);
    /* Start with the largest shapes. */
    d->most = d->n = sequences;
    d->beam = beam;
    d->S = ns_decoder_size(d).source;
    g_assert(decoder_stack(d)->decoder);
    d->keys = g_new0(ns_real *, decoder_stack(d)->n);
    d->row_length = g_new0(int32_t, sequences * beam);
    size_t elements = ns_decoder_elements(d->model.layout, sequences, beam);
    d->arena = ns_real_new(elements, "decoding", error);
    if (!d->arena) return NULL;
    take(d, &(NsCursor){.base = d->arena});
    return g_steal_pointer(&d);
}

void ns_decoder_free(NsDecoder *d)
{
    if (!d) return;
    ns_real_free(d->arena);
    g_free(d->keys);
    g_free(d->row_length);
    g_free(d);
}

NsDecoderSize ns_decoder_size(const NsDecoder *d)
{
    const NsStack *stack = decoder_stack(d);
    return (NsDecoderSize){.positions = stack->T,
                           .source = stack->cross ? stack->S : 0,
                           .vocabulary = d->model.layout->V,
                           .beam = d->beam,
                           .sequences = d->n};
}

/* ---- Passes ---- */

static NsPass pass_of(const NsDecoder *d, const int32_t *length)
{
    return (NsPass){.weights = d->model.weights,
                    .state = d->model.state,
                    .statistics = NS_RUNNING,
                    .length = length,
                    .memory = d->memory,
                    .memory_length = d->length,
                    .waves = d->model.layout->rotary ? d->model.sinusoids : NULL};
}

/* Runs a stack and writes its output to d->top. */
static void run_stack(NsDecoder *d, const NsStack *stack, const NsShape *shape,
                      const NsShape *cross, NsPass *pass, const int32_t *tokens)
{
    const NsModelLayout *layout = d->model.layout;
    size_t n = shape->R * shape->D;
    /* The sum of the embeddings, starting at the position of the pass, and its norm. */
    const ns_real *at = layout->learned_positions ? pass->weights + stack->pos_emb
                        : layout->rotary          ? NULL
                                                  : d->model.sinusoids;
    bool norm = stack->embedding_norm.norm;
    ns_real *sum = d->stream[norm ? 1 : 0];
    ns_embedding_forward(
        sum, tokens, pass->weights + stack->tok_emb, at ? at + pass->position * layout->D : NULL,
        &(NsEmbeddingShape){shape->B, shape->T, layout->D, layout->embedding_scale});
    if (norm)
        ns_norm_place_forward(&stack->embedding_norm, shape, pass, d->stream[0], d->scratch, sum);
    const ns_real *x = d->stream[0], *layer = x;
    if (stack->dual) pass->dual = memcpy(d->dual, x, n * sizeof *x);
    for (size_t k = 0; k < stack->n; k++) {
        const NsSublayer *s = &layout->sublayers[stack->first + k];
        const NsShape *own = s->kind == NS_CROSS_ATTENTION ? cross : shape;
        if (s->first) layer = x;
        NsCursor cursor = {.base = d->scratch};
        /* A stream that is neither the input nor that of the layer. */
        size_t i = 0;
        while (d->stream[i] == x || d->stream[i] == layer) i++;
        NsActivations a = take_sublayer(s, own, x, layer, d->stream[i], &cursor);
        if (stack == decoder_stack(d)) pass->keys = d->keys[k];
        ns_sublayer_forward(s, own, &a, pass, NULL);
        x = a.out;
    }
    const ns_real *last = stack->dual ? d->dual : x;
    if (stack->final_norm.norm)
        ns_norm_place_forward(&stack->final_norm, shape, pass, d->top, d->scratch, last);
    else
        memcpy(d->top, last, n * sizeof *x);
    if (stack->dual) ns_add_scaled(d->top, 1, x, n);
}

void ns_decoder_begin(NsDecoder *d, const NsSourceBatch *source)
{
    g_assert(source->n <= d->most);
    d->n = source->n;
    d->position = 0;
    if (!decoder_stack(d)->cross) return;
    g_assert(source->S <= ns_decoder_size(d).source);
    d->S = source->S;
    d->length = source->length;
    NsPass pass = pass_of(d, d->length);
    NsShape shape = encoder_shape(d);
    run_stack(d, &d->model.layout->stacks[0], &shape, NULL, &pass, source->tokens);
    memcpy(d->memory, d->top, shape.R * shape.D * sizeof *d->memory);
    pass.dual = NULL;
    const NsStack *stack = decoder_stack(d);
    shape = memory_shape(d);
    for (size_t k = 0; k < stack->n; k++) {
        const NsSublayer *s = &d->model.layout->sublayers[stack->first + k];
        if (s->kind != NS_CROSS_ATTENTION) continue;
        NsCursor cursor = {.base = d->scratch};
        NsActivations a = take_sublayer(s, &shape, NULL, NULL, d->stream[0], &cursor);
        pass.keys = d->keys[k];
        ns_branch_read_memory(s, &shape, &a, &pass);
    }
}

const ns_real *ns_decoder_step(NsDecoder *d, const int32_t *tokens)
{
    const NsModelLayout *layout = d->model.layout;
    g_assert(d->position < ns_decoder_size(d).positions);
    NsShape self = self_shape(d), cross = cross_shape(d);
    for (size_t r = 0; r < self.R; r++) d->row_length[r] = (int32_t)d->position + 1;
    NsPass pass = pass_of(d, d->row_length);
    pass.position = d->position++;
    run_stack(d, decoder_stack(d), &self, &cross, &pass, tokens);
    const NsLinear head = {
        .R = self.R, .I = layout->D, .O = layout->V, .w = pass.weights + layout->head};
    ns_linear_forward(&head, d->logits, d->top);
    return d->logits;
}

void ns_decoder_reorder(NsDecoder *d, const size_t *parent)
{
    const NsStack *stack = decoder_stack(d);
    for (size_t k = 0; k < stack->n; k++) {
        const NsSublayer *s = &d->model.layout->sublayers[stack->first + k];
        if (s->kind != NS_SELF_ATTENTION) continue;
        size_t width = ns_keys_width(s, d->model.layout->KV), row = stack->T * width;
        for (size_t r = 0; r < d->n * d->beam; r++)
            memcpy(d->spare + r * row, d->keys[k] + parent[r] * row,
                   d->position * width * sizeof *d->spare);
        ns_real *cached = d->spare;
        d->spare = d->keys[k];
        d->keys[k] = cached;
    }
}
