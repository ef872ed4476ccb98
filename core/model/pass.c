/* SPDX-License-Identifier: MIT */
#include "core/model/pass.h"

#include "core/base/clock.h"
#include "core/ops/dropout.h"
#include "core/ops/embedding.h"
#include "core/ops/gemm.h"
#include "core/ops/linear.h"
#include "core/ops/prefetch.h"
#include "core/ops/residual.h"

#include <math.h>
#include <string.h>

/* Most bytes of a layer that are prefetched during the previous layer: both should fit in the
 * second-level cache. */
#define PREFETCH_BYTES ((size_t)1 << 20)

size_t ns_model_layout_hidden(const NsModelLayout *layout)
{
    return layout->layers + layout->n_stacks;
}

size_t ns_stack_hidden(const NsModelLayout *layout, size_t stack)
{
    return layout->stacks[stack].first_layer + stack;
}

/* The tokens that stack i of a shard reads; the encoder of an encoder-decoder reads the source. */
static const int32_t *tokens_of(const NsModelLayout *layout, const NsWorker *w,
                                const NsBatch *batch, size_t i)
{
    size_t first = w->shard->first;
    if (i + 1 < layout->n_stacks) return batch->source + first * batch->S;
    return batch->tokens + first * batch->T;
}

static const int32_t *length_of(const NsModelLayout *layout, const NsWorker *w,
                                const NsBatch *batch, size_t i)
{
    return (i + 1 < layout->n_stacks ? batch->source_length : batch->length) + w->shard->first;
}

static NsPass pass_of(const NsModelLayout *layout, const NsWorker *w, const NsCall *call, size_t i)
{
    const NsStack *stack = &layout->stacks[i];
    const NsStackShard *t = &w->shard->stacks[i], *below = t - 1;
    return (NsPass){
        .weights = call->weights,
        .state = call->state,
        .statistics = call->statistics,
        .profiling = call->profiling,
        .noisy = call->noise.training,
        .noise = call->noise,
        .dropout = layout->dropout,
        .first = w->shard->first,
        .gates = call->gates,
        .layer_gates = call->batch->B * MAX(call->batch->T, call->batch->S) * layout->F,
        .records = call->records,
        .length = length_of(layout, w, call->batch, i),
        .memory_length = stack->cross ? length_of(layout, w, call->batch, i - 1) : NULL,
        .live = w->padded[i] ? w->live[i] : NULL,
        .memory_live = stack->cross && w->padded[i - 1] ? w->live[i - 1] : NULL,
        .memory = stack->cross ? below->top : NULL,
        .dmemory = stack->cross ? below->d : NULL,
        .dual = t->dual,
        .ddual = t->ddual,
        .waves = layout->rotary ? call->sinusoids : NULL,
    };
}

/* Applies dropout to the sum of the embeddings.  The number of the stack selects separate noise for
 * it. */
static void drop_embedding(const NsShape *shape, const NsPass *pass, size_t i, ns_real *x)
{
    if (!pass->noisy || !(pass->dropout > 0)) return;
    size_t n = shape->T * shape->D;
    for (size_t b = 0; b < shape->B; b++)
        ns_dropout(x + b * n, n, pass->dropout,
                   &(NsNoiseKey){.seed = pass->noise.seed,
                                 .step = pass->noise.step,
                                 .place = UINT32_MAX - (uint32_t)i,
                                 .sequence = (uint32_t)(pass->first + b)});
}

void ns_worker_select(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t part)
{
    size_t first, n, parts = layout->parts;
    ns_model_layout_shard_range(layout, call->batch->B, w->number, &first, &n);
    w->part = part;
    w->shard = call->forward_only ? &w->forward_only : &w->shards[part % layout->retained];
    w->shard->first = first + n * part / parts;
    w->shard->B = n * (part + 1) / parts - n * part / parts;
    /* Set the shapes for a part of the batch.  Fewer or shorter sequences use the beginning of the
     * memory of their activations. */
    for (size_t i = 0; i < layout->n_stacks; i++) {
        bool source = i + 1 < layout->n_stacks;
        size_t T = source ? call->batch->S : call->batch->T, most = layout->stacks[i].T;
        g_assert(T <= most && w->shard->B * T <= w->shard->capacity * most);
        w->shard->stacks[i].self = ns_layout_shape(layout, w->shard->B, T, T);
        w->shard->stacks[i].cross = ns_layout_shape(layout, w->shard->B, T, call->batch->S);
    }

    for (size_t i = 0; i < layout->n_stacks; i++) {
        const int32_t *length = length_of(layout, w, call->batch, i);
        size_t T = w->shard->stacks[i].self.T;
        w->shard->length[i] = length;
        w->padded[i] = false;
        for (size_t b = 0; b < w->shard->B; b++)
            for (size_t t = 0; t < T; t++) {
                bool live = t < (size_t)length[b];
                w->live[i][b * T + t] = live;
                w->padded[i] |= !live;
            }
    }
}

void ns_worker_begin(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t part)
{
    ns_worker_select(layout, w, call, part);
    if (part > 0) return;
    w->loss = (NsCrossEntropy){0};
    w->class_nll = 0;
    if (!call->measuring) return;
    memset(w->sums, 0, layout->n_sublayers * sizeof *w->sums);
    memset(w->hidden, 0, ns_model_layout_hidden(layout) * sizeof *w->hidden);
    bool norm = layout->stacks[layout->n_stacks - 1].final_norm.norm;
    w->final_sq = w->final_norm = norm ? 0 : (double)NAN;
}

static void add_sums(NsSums *to, const NsSums *sums)
{
    to->stream += sums->stream;
    to->branch += sums->branch;
    to->branch_sum += sums->branch_sum;
    to->skip_grad += sums->skip_grad;
    to->branch_grad += sums->branch_grad;
    to->sigma += sums->sigma;
}

/* Adds the rows of x that are not padding to the sums. */
static void sum_rows(const NsShape *shape, const NsPass *pass, const ns_real *x, NsRowSums *sums)
{
    if (!pass->live) {
        ns_row_sums_add(sums, x, shape->R, shape->D);
        return;
    }
    for (size_t b = 0; b < shape->B; b++)
        ns_row_sums_add(sums, x + b * shape->T * shape->D, (size_t)pass->length[b], shape->D);
}

static void measure_hidden(NsWorker *w, const NsShape *shape, const NsPass *pass, size_t k,
                           const ns_real *x)
{
    NsClockMark mark = ns_clock_begin();
    NsHiddenMeasure *hidden = &w->hidden[k];
    NsRowSums sums = {hidden->sq, hidden->norm, hidden->max};
    sum_rows(shape, pass, x, &sums);
    hidden->sq = sums.squares;
    hidden->norm = sums.norms;
    hidden->max = sums.largest;
    ns_clock_end(mark, NS_OP_MEASURE);
}

/* Called when a layer begins: prefetches weights and activations of the layer after it. */
static void prefetch_layer(const NsModelLayout *layout, const NsWorker *w, const NsCall *call,
                           const NsStack *stack, size_t layer, bool backward)
{
    ns_prefetch_clear();
    if (layer < stack->first_layer || layer >= stack->first_layer + stack->L) return;
    const NsSpan *span = &layout->spans[layer];
    size_t first = ns_stack_sublayer(stack, layer), last = ns_stack_sublayer(stack, layer + 1) - 1;
    const ns_real *begin = w->shard->sublayers[first].begin, *end = w->shard->sublayers[last].end;
    size_t weights = span->end - span->begin, activations = (size_t)(end - begin);
    if ((2 * weights + activations) * sizeof(ns_real) > PREFETCH_BYTES) return;
    ns_prefetch_add(call->weights + span->begin, call->weights + span->end);
    ns_prefetch_add(begin, end);
    if (!backward || w->number > 0) return;
    begin = w->gradients->arena + span->begin;
    ns_prefetch_add(begin, begin + weights);
}

static void stack_forward(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t i)
{
    const NsStack *stack = &layout->stacks[i];
    const NsStackShard *t = &w->shard->stacks[i];
    const NsShape *shape = &t->self;
    NsPass pass = pass_of(layout, w, call, i);
    const ns_real *pos = layout->learned_positions ? call->weights + stack->pos_emb
                         : layout->rotary          ? NULL
                                                   : call->sinusoids;
    NsClockMark mark = ns_clock_begin();
    ns_embedding_forward(
        t->embedding, tokens_of(layout, w, call->batch, i), call->weights + stack->tok_emb, pos,
        &(NsEmbeddingShape){shape->B, shape->T, shape->D, layout->embedding_scale});
    if (stack->seg_emb)
        ns_segments_forward(t->embedding, call->batch->second + w->shard->first,
                            call->weights + stack->seg_emb, shape->B, shape->T, shape->D);
    drop_embedding(shape, &pass, i, t->embedding);
    ns_clock_end(mark, NS_OP_EMBEDDING);
    if (stack->embedding_norm.norm)
        ns_norm_place_forward(&stack->embedding_norm, shape, &pass, t->x0, t->stats_embedding,
                              t->embedding);
    size_t n = shape->R * shape->D, hidden = ns_stack_hidden(layout, i);
    if (stack->dual) memcpy(t->dual, t->x0, n * sizeof *t->dual);
    if (call->measuring) measure_hidden(w, shape, &pass, hidden, t->x0);

    for (size_t k = stack->first; k < stack->first + stack->n; k++) {
        const NsSublayer *s = &layout->sublayers[k];
        const NsActivations *a = &w->shard->sublayers[k];
        if (s->layer >= call->without.first && s->layer < call->without.end) {
            /* The input of the next sub-layer is the output of this one. */
            memmove(a->out, a->x, n * sizeof *a->out);
            continue;
        }
        if (s->first) prefetch_layer(layout, w, call, stack, s->layer + 1, false);
        NsSums sums = {0};
        ns_sublayer_forward(s, ns_stack_shape(t, s), a, &pass, call->measuring ? &sums : NULL);
        if (call->measuring) add_sums(&w->sums[k], &sums);
        if (s->last && call->measuring) measure_hidden(w, shape, &pass, ++hidden, a->out);
        w->shard->present = s->layer;
    }

    const ns_real *out = w->shard->sublayers[stack->first + stack->n - 1].out;
    bool norm = stack->final_norm.norm;
    if (norm)
        ns_norm_place_forward(&stack->final_norm, shape, &pass, t->final, t->stats_final,
                              stack->dual ? t->dual : out);
    if (stack->dual) ns_residual_forward(t->top, 1, out, 1, norm ? t->final : t->dual, n);
    if (i + 1 < layout->n_stacks || !norm || !call->measuring) return;
    NsRowSums sums = {.squares = w->final_sq, .norms = w->final_norm};
    sum_rows(shape, &pass, t->top, &sums);
    w->final_sq = sums.squares;
    w->final_norm = sums.norms;
}

/* The linear map from the last hidden states to the logits. */
static NsLinear head_map(const NsModelLayout *layout, const NsStackShard *last, const NsCall *call)
{
    return (NsLinear){
        .R = last->self.R, .I = layout->D, .O = layout->V, .w = call->weights + layout->head};
}

/* The linear map from the hidden states of the first tokens to the logits of the classes. */
static NsLinear class_map(const NsModelLayout *layout, const NsWorker *w, const NsCall *call)
{
    return (NsLinear){.R = w->shard->B,
                      .I = layout->D,
                      .O = layout->classes,
                      .w = call->weights + layout->class_head};
}

void ns_worker_forward(const NsModelLayout *layout, NsWorker *w, const NsCall *call)
{
    for (size_t i = 0; i < layout->n_stacks; i++) stack_forward(layout, w, call, i);
    const NsStackShard *last = &w->shard->stacks[layout->n_stacks - 1];
    NsClockMark mark = ns_clock_begin();
    const NsLinear head = head_map(layout, last, call);
    ns_linear_forward(&head, w->shard->logits, last->top);
    if (layout->classes > 0) {
        size_t D = layout->D, stride = last->self.T * D;
        for (size_t b = 0; b < w->shard->B; b++)
            memcpy(w->shard->first_token + b * D, last->top + b * stride, D * sizeof *last->top);
        const NsLinear map = class_map(layout, w, call);
        ns_linear_forward(&map, w->shard->class_logits, w->shard->first_token);
    }
    ns_clock_end(mark, NS_OP_MATMUL);
}

void ns_worker_loss(const NsModelLayout *layout, NsWorker *w, const NsCall *call, double smoothing)
{
    const NsShape *shape = &w->shard->stacks[layout->n_stacks - 1].self;
    NsClockMark mark = ns_clock_begin();
    NsCrossEntropy loss = ns_cross_entropy(
        w->shard->logits, call->batch->targets + w->shard->first * shape->T, shape->R, layout->V,
        smoothing, layout->z_loss, call->forward_only ? 0 : call->per_target);
    w->loss.nll += loss.nll;
    w->loss.log_z += loss.log_z;
    w->loss.entropy += loss.entropy;
    w->loss.loss += loss.loss;
    if (layout->classes > 0)
        w->class_nll += ns_cross_entropy(
                            w->shard->class_logits, call->batch->labels + w->shard->first, shape->B,
                            layout->classes, 0, 0, call->forward_only ? 0 : call->per_label)
                            .nll;
    ns_clock_end(mark, NS_OP_LOSS);
}

static size_t stack_of(const NsModelLayout *layout, size_t layer)
{
    return layout->n_stacks > 1 && layer >= layout->stacks[1].first_layer ? 1 : 0;
}

void ns_worker_revisit(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t layer)
{
    if (!layout->recompute || w->shard->present == layer) return;
    size_t i = stack_of(layout, layer);
    const NsStack *stack = &layout->stacks[i];
    NsPass pass = pass_of(layout, w, call, i);
    /* The first pass already updated the running statistics and the second stream. */
    if (pass.statistics == NS_OF_BATCH_KEPT) pass.statistics = NS_OF_BATCH;
    pass.dual = NULL;
    size_t end = ns_stack_sublayer(stack, layer + 1);
    for (size_t k = ns_stack_sublayer(stack, layer); k < end; k++) {
        const NsSublayer *s = &layout->sublayers[k];
        ns_sublayer_forward(s, ns_stack_shape(&w->shard->stacks[i], s), &w->shard->sublayers[k],
                            &pass, NULL);
    }
    w->shard->present = layer;
}

/* Where a worker adds the gradient of a small tensor. */
static ns_real *gradient_at(NsWorker *w, size_t offset)
{
    return ns_gradients_outside(w->gradients, w->number, offset);
}

/* A worker's rows in the gradient of a matrix over the vocabulary.  `more`: an earlier part, or
 * another use of the matrix, has started the sum. */
static NsGradientRows rows_of(const NsModelLayout *layout, NsWorker *w, size_t offset, bool more)
{
    NsGradientRows rows = ns_gradients_rows(w->gradients, w->number, offset);
    if (!more) memset(rows.gradient, 0, rows.n * layout->D * sizeof *rows.gradient);
    return rows;
}

/* Backward of an embedding norm or of a final norm. */
static void outer_norm_backward(const NsNormPlace *place, NsWorker *w, NsPass *pass,
                                const NsShape *shape, ns_real *d, const ns_real *x, ns_real *stats)
{
    pass->origin = place->gain;
    pass->gradients = gradient_at(w, place->gain);
    ns_norm_place_backward(place, shape, pass, d, d, x, stats);
}

void ns_worker_backward_head(const NsModelLayout *layout, NsWorker *w, const NsCall *call)
{
    const NsStackShard *last = &w->shard->stacks[layout->n_stacks - 1];
    if (w->part == 0) ns_gradients_clear_outside(w->gradients, w->number);
    NsClockMark mark = ns_clock_begin();
    const NsLinear head = head_map(layout, last, call);
    ns_linear_backward(&head, &(NsLinearGradients){.dx = last->d}, w->shard->logits, NULL);
    if (layout->classes > 0) {
        /* Backward of the class head, which adds to the gradient of the hidden states of the first
         * tokens. */
        size_t D = layout->D, stride = last->self.T * D;
        const NsLinear map = class_map(layout, w, call);
        const NsLinearGradients to = {.dx = w->shard->dfirst_token,
                                      .dw = gradient_at(w, layout->class_head)};
        ns_linear_backward(&map, &to, w->shard->class_logits, w->shard->first_token);
        for (size_t b = 0; b < w->shard->B; b++)
            ns_add_scaled(last->d + b * stride, 1, w->shard->dfirst_token + b * D, D);
    }
    ns_clock_end(mark, NS_OP_MATMUL);
}

void ns_worker_add_head(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t part)
{
    NsClockMark mark = ns_clock_begin();
    NsGradientRows rows = rows_of(layout, w, layout->head, part > 0);
    /* The last rows of a tied embedding have no logits. */
    size_t end = MIN(rows.first + rows.n, layout->V), first = MIN(rows.first, end);
    for (size_t i = 0; i < layout->shards; i++) {
        const NsShard *shard = call->workers[i].shard;
        const NsStackShard *last = &shard->stacks[layout->n_stacks - 1];
        ns_gemm(&(NsGemm){.ta = true,
                          .M = end - first,
                          .N = layout->D,
                          .K = last->self.R,
                          .alpha = 1,
                          .beta = 1,
                          .A = shard->logits + first,
                          .lda = layout->V,
                          .B = last->top,
                          .ldb = layout->D,
                          .C = rows.gradient,
                          .ldc = layout->D});
    }
    ns_clock_end(mark, NS_OP_MATMUL);
}

void ns_worker_backward_top(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t i)
{
    const NsStack *stack = &layout->stacks[i];
    const NsStackShard *t = &w->shard->stacks[i];
    const NsShape *shape = &t->self;
    NsPass pass = pass_of(layout, w, call, i);
    size_t n = shape->R * shape->D;
    if (stack->cross) memset(pass.dmemory, 0, t->cross.RS * shape->D * sizeof *pass.dmemory);

    /* With a second stream, the input of the final norm is that stream, and the input of the head
     * is the sum of both. */
    ns_real *d = stack->dual ? t->ddual : t->d;
    if (stack->dual) memcpy(t->ddual, t->d, n * sizeof *d);
    const ns_real *out = w->shard->sublayers[stack->first + stack->n - 1].out;
    if (stack->final_norm.norm)
        outer_norm_backward(&stack->final_norm, w, &pass, shape, d, stack->dual ? t->dual : out,
                            t->stats_final);
    w->down = (NsDescent){.pass = pass,
                          .squares = ns_live_squares(shape, &pass, t->d),
                          .hidden = w->hidden + ns_stack_hidden(layout, i) + stack->L};
}

void ns_worker_backward_layer(const NsModelLayout *layout, NsWorker *w, const NsCall *call,
                              size_t layer)
{
    size_t i = stack_of(layout, layer);
    const NsStack *stack = &layout->stacks[i];
    const NsStackShard *t = &w->shard->stacks[i];
    const NsShape *shape = &t->self;
    NsDescent *down = &w->down;
    NsPass *pass = &down->pass;
    if (call->measuring) down->hidden->grad += down->squares;
    down->hidden--;
    ns_worker_revisit(layout, w, call, layer);
    NsLayerGradients at = ns_gradients_layer(w->gradients, w->number, layer, w->part > 0);
    pass->gradients = at.base;
    pass->origin = at.origin;
    pass->adds = at.adds;
    prefetch_layer(layout, w, call, stack, layer - 1, true);
    bool skip = false; /* scratch.skip holds a gradient of the layer's input */
    for (size_t k = ns_stack_sublayer(stack, layer + 1); k-- > ns_stack_sublayer(stack, layer);) {
        const NsSublayer *s = &layout->sublayers[k];
        const NsShape *own = ns_stack_shape(t, s);
        const NsActivations *a = &w->shard->sublayers[k];
        if (layout->derived) ns_sublayer_derive(s, own, a, pass, layout->derived == NS_DERIVED_FFN);
        NsSums sums = {.grad = down->squares};
        ns_sublayer_backward(s, own, a, &w->shard->scratch, pass, call->measuring ? &sums : NULL,
                             t->d);
        if (call->measuring) add_sums(&w->sums[k], &sums);
        down->squares = sums.grad;
        skip |= s->c.skip_layer;
    }
    if (!skip) return;
    ns_add_scaled(t->d, 1, w->shard->scratch.skip, shape->R * shape->D);
    down->squares = ns_live_squares(shape, pass, t->d);
}

void ns_worker_backward_embedding(const NsModelLayout *layout, NsWorker *w, const NsCall *call,
                                  size_t i)
{
    const NsStack *stack = &layout->stacks[i];
    const NsStackShard *t = &w->shard->stacks[i];
    const NsShape *shape = &t->self;
    NsPass *pass = &w->down.pass;
    double squares = w->down.squares;
    if (stack->dual) {
        ns_add_scaled(t->d, 1, t->ddual, shape->R * shape->D);
        squares = ns_live_squares(shape, pass, t->d);
    }
    if (call->measuring) w->down.hidden->grad += squares;
    if (stack->embedding_norm.norm)
        outer_norm_backward(&stack->embedding_norm, w, pass, shape, t->d, t->embedding,
                            t->stats_embedding);
    NsClockMark mark = ns_clock_begin();
    drop_embedding(shape, pass, i, t->d);
    if (layout->learned_positions)
        ns_positions_backward(gradient_at(w, stack->pos_emb), t->d, shape->B, shape->T, shape->D);
    if (stack->seg_emb)
        ns_segments_backward(gradient_at(w, stack->seg_emb), t->d,
                             call->batch->second + w->shard->first, shape->B, shape->T, shape->D);
    ns_clock_end(mark, NS_OP_EMBEDDING);
}

void ns_worker_add_embedding(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t i)
{
    NsClockMark mark = ns_clock_begin();
    size_t offset = layout->stacks[i].tok_emb;
    NsGradientRows rows = rows_of(layout, w, offset, offset == layout->head || w->part > 0);
    for (size_t k = 0; k < layout->shards; k++) {
        const NsWorker *other = &call->workers[k];
        const NsStackShard *t = &other->shard->stacks[i];
        ns_embedding_backward(
            rows.gradient, rows.first, rows.n, t->d, tokens_of(layout, other, call->batch, i),
            &(NsEmbeddingShape){t->self.B, t->self.T, layout->D, layout->embedding_scale});
    }
    ns_clock_end(mark, NS_OP_EMBEDDING);
}
