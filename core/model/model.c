/* SPDX-License-Identifier: MIT */
#include "core/model/model.h"

#include "core/base/error.h"
#include "core/model/stack.h"
#include "core/ops/blas.h"
#include "core/ops/clones.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/embedding.h"
#include "core/ops/residual.h"

#include <math.h>
#include <string.h>

/* What one thread works on: a shard of the batch, its activations and its own gradients. */
typedef struct {
    NsShard shard;
    ns_real *activations;
    ns_real *gradients; /* the first worker adds straight into the model's */
    double loss;        /* sum over its tokens */
    double *sq, *norm;  /* [L + 2] sums over its tokens; the last is after the final norm */
} Worker;

struct NsModel {
    NsStack stack;
    uint64_t seed;
    size_t B;
    ns_real *weights, *gradients;
    Worker *workers;
    unsigned n_workers;
    double *sq, *norm; /* [L + 2] means over the batch */
};

static bool worker_init(Worker *w, const NsModel *model, const NsSettings *settings, unsigned i,
                        GError **error)
{
    const NsStack *stack = &model->stack;
    size_t first, n;
    ns_stack_shard_range(settings, i, &first, &n);
    w->shard.sublayers = g_new0(NsActivations, 2 * stack->L);
    w->sq = g_new0(double, stack->L + 2);
    w->norm = g_new0(double, stack->L + 2);
    NsCursor count = {0};
    ns_shard_take(&w->shard, stack, first, n, &count);
    w->activations = ns_real_new(count.used, "activations", error);
    if (!w->activations) return false;
    ns_shard_take(&w->shard, stack, first, n, &(NsCursor){.base = w->activations});
    w->gradients = i ? ns_real_new(stack->table.size, "gradients", error) : model->gradients;
    return w->gradients != NULL;
}

static void worker_clear(Worker *w, bool owns_gradients)
{
    ns_real_free(w->activations);
    if (owns_gradients) ns_real_free(w->gradients);
    g_free(w->shard.sublayers);
    g_free(w->sq);
    g_free(w->norm);
}

NsModel *ns_model_new_placed(const NsSettings *settings, const NsPlacement *placement, size_t vocab,
                             GError **error)
{
    if (!ns_settings_check(settings, error)) return NULL;
    ns_blas_init();
    g_autoptr(NsModel) model = g_new0(NsModel, 1);
    model->seed = (uint64_t)settings->seed;
    model->B = (size_t)settings->batch;
    ns_stack_init(&model->stack, settings, placement, vocab);
    size_t L = model->stack.L;
    model->sq = g_new0(double, L + 2);
    model->norm = g_new0(double, L + 2);
    model->weights = ns_real_new(model->stack.table.size, "weights", error);
    if (!model->weights) return NULL;
    model->gradients = ns_real_new(model->stack.table.size, "gradients", error);
    if (!model->gradients) return NULL;
    unsigned shards = ns_stack_shards(settings);
    model->workers = g_new0(Worker, shards);
    for (; model->n_workers < shards; model->n_workers++)
        if (!worker_init(&model->workers[model->n_workers], model, settings, model->n_workers,
                         error)) {
            worker_clear(&model->workers[model->n_workers], model->n_workers > 0);
            return NULL;
        }
    ns_model_reset(model);
    return g_steal_pointer(&model);
}

NsModel *ns_model_new(const NsSettings *settings, size_t vocab, GError **error)
{
    return ns_model_new_placed(settings, ns_placement(settings->placement), vocab, error);
}

void ns_model_free(NsModel *model)
{
    if (!model) return;
    for (unsigned i = 0; i < model->n_workers; i++) worker_clear(&model->workers[i], i > 0);
    g_free(model->workers);
    ns_real_free(model->weights);
    ns_real_free(model->gradients);
    g_free(model->sq);
    g_free(model->norm);
    ns_stack_clear(&model->stack);
    g_free(model);
}

const NsTensorTable *ns_model_tensors(const NsModel *model)
{
    return &model->stack.table;
}

size_t ns_model_layers(const NsModel *model)
{
    return model->stack.L;
}

ns_real *ns_model_weights(NsModel *model)
{
    return model->weights;
}

const ns_real *ns_model_gradients(NsModel *model)
{
    return model->gradients;
}

void ns_model_reset(NsModel *model)
{
    ns_tensor_table_init(&model->stack.table, model->weights, model->seed);
}

/* Sums over the rows of x [R, D] of |x|^2 and |x|. */
NS_CLONES static void sum_row_norms(double *sq, double *norm, const ns_real *x, size_t R, size_t D)
{
    *sq = *norm = 0;
    for (size_t r = 0; r < R; r++, x += D) {
        double row = 0;
#pragma omp simd reduction(+ : row)
        for (size_t c = 0; c < D; c++) row += (double)x[c] * (double)x[c];
        *sq += row;
        *norm += sqrt(row);
    }
}

/* What the head sees: the output of the last layer, or of the final norm. */
static const ns_real *top(const NsStack *stack, const NsShard *shard)
{
    return stack->final_norm.norm ? shard->final : shard->sublayers[2 * stack->L - 1].out;
}

/* From the tokens to the logits. */
static void forward(const NsStack *stack, Worker *w, const ns_real *weights, const NsBatch *batch)
{
    NsShard *shard = &w->shard;
    const NsShape *shape = &shard->shape;
    const int32_t *tokens = batch->tokens + shard->first * shape->T;
    ns_embedding_forward(shard->embedding, tokens, weights + stack->tok_emb,
                         weights + stack->pos_emb, shape->B, shape->T, shape->D);
    if (stack->embedding_norm.norm)
        ns_norm_place_forward(&stack->embedding_norm, shard->x0, shard->stats_embedding,
                              shard->embedding, weights, shape);
    for (size_t k = 0; k < 2 * stack->L; k++)
        ns_sublayer_forward(&stack->sublayers[k], shape, &shard->sublayers[k], weights);
    if (stack->final_norm.norm)
        ns_norm_place_forward(&stack->final_norm, shard->final, shard->stats_final,
                              shard->sublayers[2 * stack->L - 1].out, weights, shape);
    ns_linear_forward(shard->logits, top(stack, shard), weights + stack->head, NULL, shape->R,
                      shape->D, stack->V);
}

static void measure_hidden(const NsStack *stack, Worker *w)
{
    const NsShard *shard = &w->shard;
    size_t R = shard->shape.R, D = shard->shape.D, L = stack->L;
    sum_row_norms(&w->sq[0], &w->norm[0], shard->x0, R, D);
    for (size_t l = 0; l < L; l++)
        sum_row_norms(&w->sq[l + 1], &w->norm[l + 1], shard->sublayers[2 * l + 1].out, R, D);
    w->sq[L + 1] = w->norm[L + 1] = (double)NAN;
    if (stack->final_norm.norm) sum_row_norms(&w->sq[L + 1], &w->norm[L + 1], shard->final, R, D);
}

/* From the gradient of the logits, in their place, to that of every weight. */
static void backward(const NsStack *stack, Worker *w, const ns_real *weights, const NsBatch *batch)
{
    NsShard *shard = &w->shard;
    const NsShape *shape = &shard->shape;
    ns_linear_backward(shard->d, w->gradients + stack->head, NULL, shard->logits, top(stack, shard),
                       weights + stack->head, shape->R, shape->D, stack->V);
    if (stack->final_norm.norm)
        ns_norm_place_backward(&stack->final_norm, shard->d, NS_OVERWRITE, shard->d,
                               shard->sublayers[2 * stack->L - 1].out, shard->stats_final, weights,
                               w->gradients, shape);
    for (size_t k = 2 * stack->L; k-- > 0;)
        ns_sublayer_backward(&stack->sublayers[k], shape, &shard->sublayers[k], &shard->scratch,
                             weights, w->gradients, shard->d);
    if (stack->embedding_norm.norm)
        ns_norm_place_backward(&stack->embedding_norm, shard->d, NS_OVERWRITE, shard->d,
                               shard->embedding, shard->stats_embedding, weights, w->gradients,
                               shape);
    ns_embedding_backward(w->gradients + stack->tok_emb, w->gradients + stack->pos_emb, shard->d,
                          batch->tokens + shard->first * shape->T, shape->B, shape->T, shape->D);
}

static double shard_loss(const NsStack *stack, Worker *w, const NsBatch *batch, ns_real dscale)
{
    const NsShard *shard = &w->shard;
    return ns_cross_entropy(shard->logits, batch->targets + shard->first * shard->shape.T,
                            shard->shape.R, stack->V, dscale);
}

/* Reals of an arena that one thread sums at a time: small enough to stay in its cache. */
#define SUM_BLOCK ((size_t)1 << 14)

/* Adds the gradients of the other workers to the first one's, always in the same order. */
static void sum_gradients(NsModel *model)
{
    size_t n = model->stack.table.size;
#pragma omp for schedule(static)
    for (size_t start = 0; start < n; start += SUM_BLOCK)
        for (unsigned i = 1; i < model->n_workers; i++)
            ns_add_scaled(model->gradients + start, 1, model->workers[i].gradients + start,
                          MIN(SUM_BLOCK, n - start));
}

NsMeasure ns_model_measure(NsModel *model, const NsBatch *batch)
{
    const NsStack *stack = &model->stack;
    g_assert(batch->B == model->B && batch->T == stack->T);
    size_t L = stack->L;
    double tokens = (double)(batch->B * batch->T);
#pragma omp parallel num_threads((int)model->n_workers)
    {
#pragma omp for schedule(static, 1)
        for (unsigned i = 0; i < model->n_workers; i++) {
            Worker *w = &model->workers[i];
            memset(w->gradients, 0, stack->table.size * sizeof *w->gradients);
            forward(stack, w, model->weights, batch);
            measure_hidden(stack, w);
            w->loss = shard_loss(stack, w, batch, (ns_real)(1 / tokens));
            backward(stack, w, model->weights, batch);
        }
        sum_gradients(model);
    }

    double loss = 0;
    memset(model->sq, 0, (L + 2) * sizeof *model->sq);
    memset(model->norm, 0, (L + 2) * sizeof *model->norm);
    for (unsigned i = 0; i < model->n_workers; i++) {
        loss += model->workers[i].loss / tokens;
        for (size_t l = 0; l < L + 2; l++) {
            model->sq[l] += model->workers[i].sq[l] / tokens;
            model->norm[l] += model->workers[i].norm[l] / tokens;
        }
    }
    return (NsMeasure){.loss = loss,
                       .hidden_sq = model->sq,
                       .hidden_norm = model->norm,
                       .final_sq = model->sq[L + 1],
                       .final_norm = model->norm[L + 1]};
}

double ns_model_loss(NsModel *model, const NsBatch *batch)
{
    const NsStack *stack = &model->stack;
    g_assert(batch->B == model->B && batch->T == stack->T);
#pragma omp parallel for schedule(static, 1) num_threads((int)model->n_workers)
    for (unsigned i = 0; i < model->n_workers; i++) {
        Worker *w = &model->workers[i];
        forward(stack, w, model->weights, batch);
        w->loss = shard_loss(stack, w, batch, 0);
    }
    double loss = 0;
    for (unsigned i = 0; i < model->n_workers; i++) loss += model->workers[i].loss;
    return loss / (double)(batch->B * batch->T);
}
