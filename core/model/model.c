/* SPDX-License-Identifier: MIT */
#include "core/model/model.h"

#include "core/base/error.h"
#include "core/base/flush.h"
#include "core/model/pass.h"
#include "core/ops/blas.h"
#include "core/ops/embedding.h"
#include "core/ops/residual.h"
#include "core/ops/standardize.h"

#include <math.h>
#include <string.h>

struct NsModel {
    NsStack stack;
    uint64_t seed;
    size_t B;
    ns_real *weights;
    ns_real *room; /* activations of layers, and gradients */
    NsGradients *gradients;
    ns_real *standardized; /* the weights as they are used, or NULL where those are the weights */
    ns_real *sinusoids;    /* or NULL */
    ns_real *state;        /* running statistics: mean and variance of each norm over the batch */
    NsWorker *workers;
    unsigned n_workers;
    double *seen; /* the arrays of NsMeasure, one after another */
    NsCall call;  /* the last one to measure */
    bool unmeasured;
};

enum { HIDDEN_ARRAYS = 4, SUBLAYER_ARRAYS = 6 };

/* Those of worker i, of n sequences each. */
static void take_shards(NsWorker *w, const NsModel *model, size_t i, size_t n, NsCursor *cursor)
{
    const NsStack *stack = &model->stack;
    NsPlaces places = {.arena = cursor->base ? model->room : NULL,
                       .pieces = stack->room.pieces + i * stack->layers};
    for (; places.part < stack->kept; places.part++)
        ns_shard_take(&w->shards[places.part], stack, w->first + places.part * n, n, cursor,
                      &places);
}

static bool worker_init(NsWorker *w, const NsModel *model, unsigned i, GError **error)
{
    const NsStack *stack = &model->stack;
    size_t n, hidden = ns_stack_hidden(stack);
    ns_stack_shard_range(stack, model->B, i, &w->first, &n);
    n /= stack->parts;
    w->shards = w->shard = g_new0(NsShard, stack->kept);
    for (size_t k = 0; k < stack->kept; k++)
        w->shards[k].sublayers = g_new0(NsActivations, stack->n_sublayers);
    w->pass.sublayers = g_new0(NsActivations, stack->n_sublayers);
    w->sums = g_new0(NsSums, stack->n_sublayers);
    w->hidden_sq = g_new0(double, hidden);
    w->hidden_norm = g_new0(double, hidden);
    w->hidden_max = g_new0(double, hidden);
    w->hidden_grad = g_new0(double, hidden);
    for (size_t k = 0; k < stack->n_towers; k++) w->live[k] = g_new0(bool, n * stack->towers[k].T);
    NsCursor count = {0};
    take_shards(w, model, i, n, &count);
    w->activations = ns_real_new(count.used, "activations", error);
    if (!w->activations) return false;
    take_shards(w, model, i, n, &(NsCursor){.base = w->activations});
    ns_shard_pass(&w->pass, w->shards, stack, model->room + stack->room.passing[i]);
    w->gradients = model->gradients;
    w->number = i;
    return true;
}

static void worker_clear(NsWorker *w, const NsStack *stack)
{
    ns_real_free(w->activations);
    for (size_t k = 0; w->shards && k < stack->kept; k++) g_free(w->shards[k].sublayers);
    g_free(w->shards);
    g_free(w->pass.sublayers);
    g_free(w->sums);
    g_free(w->hidden_sq);
    g_free(w->hidden_norm);
    g_free(w->hidden_max);
    g_free(w->hidden_grad);
    for (size_t k = 0; k < NS_TOWERS_MAX; k++) g_free(w->live[k]);
}

static bool make_sinusoids(NsModel *model, GError **error)
{
    const NsStack *stack = &model->stack;
    size_t T = 0;
    for (size_t i = 0; i < stack->n_towers; i++) T = MAX(T, stack->towers[i].T);
    model->sinusoids = ns_real_new(T * stack->D, "positions", error);
    if (model->sinusoids) ns_sinusoids(model->sinusoids, T, stack->D);
    return model->sinusoids != NULL;
}

static bool check_vocab(const NsSettings *settings, NsVocab vocab, GError **error)
{
    if (settings->tie_embeddings != NS_TOGGLE_ON || vocab.in >= vocab.out) return true;
    g_set_error(
        error, NS_ERROR, NS_ERROR_SETTING,
        "Tied embeddings need a row for every symbol that is predicted, and this task reads "
        "%zu symbols and predicts %zu; set tie-embeddings=off.",
        vocab.in, vocab.out);
    return false;
}

NsModel *ns_model_new_placed(const NsSettings *settings, const NsPlacement *placement,
                             NsVocab vocab, GError **error)
{
    if (!ns_settings_check(settings, error) || !check_vocab(settings, vocab, error)) return NULL;
    ns_blas_init();
    g_autoptr(NsModel) model = g_new0(NsModel, 1);
    NsStack *stack = &model->stack;
    model->seed = (uint64_t)settings->seed;
    model->B = (size_t)settings->batch;
    ns_stack_init(stack, settings, placement, vocab);
    model->seen = g_new0(double, HIDDEN_ARRAYS *ns_stack_hidden(stack) +
                                     SUBLAYER_ARRAYS * stack->n_sublayers);
    model->weights = ns_real_new(stack->table.size, "weights", error);
    if (!model->weights) return NULL;
    model->room = ns_real_new(stack->room.size, "activations and gradients", error);
    if (!model->room) return NULL;
    model->gradients = ns_gradients_new(stack, model->room + stack->room.gradients, error);
    if (!model->gradients) return NULL;
    model->state = ns_real_new(stack->state_size, "running statistics", error);
    if (!model->state) return NULL;
    if (stack->standardize) {
        model->standardized = ns_real_new(stack->table.size, "standardized weights", error);
        if (!model->standardized) return NULL;
    }
    if (stack->sinusoids && !make_sinusoids(model, error)) return NULL;
    model->workers = g_new0(NsWorker, stack->shards);
    for (; model->n_workers < stack->shards; model->n_workers++)
        if (!worker_init(&model->workers[model->n_workers], model, model->n_workers, error)) {
            worker_clear(&model->workers[model->n_workers], stack);
            return NULL;
        }
    ns_model_reset(model);
    return g_steal_pointer(&model);
}

NsModel *ns_model_new(const NsSettings *settings, NsVocab vocab, GError **error)
{
    return ns_model_new_placed(settings, NULL, vocab, error);
}

void ns_model_free(NsModel *model)
{
    if (!model) return;
    for (unsigned i = 0; i < model->n_workers; i++) worker_clear(&model->workers[i], &model->stack);
    g_free(model->workers);
    ns_real_free(model->weights);
    ns_gradients_free(model->gradients);
    ns_real_free(model->room);
    ns_real_free(model->standardized);
    ns_real_free(model->sinusoids);
    ns_real_free(model->state);
    g_free(model->seen);
    ns_stack_clear(&model->stack);
    g_free(model);
}

const NsTensorTable *ns_model_tensors(const NsModel *model)
{
    return &model->stack.table;
}

size_t ns_model_layers(const NsModel *model)
{
    return model->stack.layers;
}

ns_real *ns_model_weights(NsModel *model)
{
    return model->weights;
}

const ns_real *ns_model_gradients(NsModel *model)
{
    return ns_gradients_arena(model->gradients);
}

ns_real *ns_model_state(NsModel *model, size_t *n)
{
    *n = model->stack.state_size;
    return model->state;
}

static void reset_statistics(NsModel *model, const NsNormPlace *place)
{
    if (!place->norm || !ns_norm_over_batch(place->norm)) return;
    ns_real *mean = model->state + place->running, *variance = mean + place->C;
    for (size_t c = 0; c < place->C; c++) {
        mean[c] = 0;
        variance[c] = 1;
    }
}

void ns_model_reset(NsModel *model)
{
    const NsStack *stack = &model->stack;
    ns_tensor_table_init(&stack->table, model->weights, model->seed, model->n_workers);
    for (size_t i = 0; i < stack->n_towers; i++) {
        reset_statistics(model, &stack->towers[i].embedding_norm);
        reset_statistics(model, &stack->towers[i].final_norm);
    }
    for (size_t k = 0; k < stack->n_sublayers; k++) {
        const NsSublayer *s = &stack->sublayers[k];
        const NsNormPlace *const places[] = {&s->in, &s->mid, &s->branch, &s->out};
        for (size_t i = 0; i < G_N_ELEMENTS(places); i++) reset_statistics(model, places[i]);
    }
}

static bool is_standardized(const NsTensor *tensor)
{
    return tensor->layer >= 0 && tensor->cols > 0;
}

/* The weights as the pass uses them. */
static const ns_real *used_weights(NsModel *model)
{
    const NsTensorTable *table = &model->stack.table;
    if (!model->standardized) return model->weights;
    memcpy(model->standardized, model->weights, table->size * sizeof *model->weights);
#pragma omp parallel for num_threads((int)model->n_workers)
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        if (is_standardized(t))
            ns_standardize_forward(model->standardized + t->offset, model->weights + t->offset,
                                   t->rows, t->cols);
    }
    return model->standardized;
}

/* Turns the gradients of the weights as used into those of the weights. */
static void gradients_of_weights(NsModel *model)
{
    const NsTensorTable *table = &model->stack.table;
    ns_real *gradients = ns_gradients_arena(model->gradients);
    if (!model->standardized) return;
#pragma omp parallel for num_threads((int)model->n_workers)
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        if (!is_standardized(t)) continue;
        ns_real *g = gradients + t->offset;
        ns_standardize_backward(g, model->weights + t->offset, t->rows, t->cols);
        ns_gradients_squares(model->gradients)[i] = ns_real_squares(g, ns_tensor_size(t));
    }
}

static void assert_fits(const NsModel *model, const NsBatch *batch)
{
    const NsTower *towers = model->stack.towers;
    size_t last = model->stack.n_towers - 1;
    g_assert(batch->B == model->B && batch->T == towers[last].T);
    g_assert(last == 0 || batch->S == towers[0].T);
}

static double sum_lengths(const int32_t *length, size_t B)
{
    double sum = 0;
    for (size_t b = 0; b < B; b++) sum += (double)length[b];
    return sum;
}

/* Tokens of a tower in the batch that are not padding. */
static double tokens_of(const NsModel *model, const NsBatch *batch, size_t tower)
{
    bool source = tower + 1 < model->stack.n_towers;
    return sum_lengths(source ? batch->source_length : batch->length, batch->B);
}

/* Without a target in the batch there is no loss, and no gradient. */
static double per_target(const NsBatch *batch)
{
    return 1 / (double)MAX(ns_batch_targets(batch), 1);
}

static void collect_hidden(const NsModel *model, const NsBatch *batch, NsMeasure *measure,
                           double *sq)
{
    const NsStack *stack = &model->stack;
    size_t n = ns_stack_hidden(stack);
    double *norm = sq + n, *max = norm + n, *grad = max + n;
    for (size_t i = 0; i < stack->n_towers; i++) {
        double tokens = tokens_of(model, batch, i);
        size_t first = ns_tower_hidden(stack, i);
        for (size_t k = first; k <= first + stack->towers[i].L; k++) {
            sq[k] = norm[k] = max[k] = grad[k] = 0;
            for (unsigned j = 0; j < model->n_workers; j++) {
                const NsWorker *w = &model->workers[j];
                sq[k] += w->hidden_sq[k] / tokens;
                norm[k] += w->hidden_norm[k] / tokens;
                grad[k] += w->hidden_grad[k];
                if (!(w->hidden_max[k] <= max[k])) max[k] = w->hidden_max[k];
            }
            if (isnan(sq[k])) max[k] = (double)NAN;
            grad[k] = sqrt(grad[k]);
        }
    }
    measure->hidden = n;
    measure->hidden_sq = sq;
    measure->hidden_norm = norm;
    measure->hidden_max = max;
    measure->hidden_grad = grad;
}

static void collect_sublayers(const NsModel *model, const NsBatch *batch, NsMeasure *measure,
                              double *tokens)
{
    const NsStack *stack = &model->stack;
    size_t n = stack->n_sublayers;
    double *stream = tokens + n, *branch = stream + n, *skip_grad = branch + n,
           *branch_grad = skip_grad + n;
    double *sigma = branch_grad + n;
    for (size_t i = 0; i < stack->n_towers; i++) {
        const NsTower *tower = &stack->towers[i];
        double live = tokens_of(model, batch, i);
        for (size_t k = tower->first; k < tower->first + tower->n; k++) {
            NsSums all = {0};
            for (unsigned j = 0; j < model->n_workers; j++) {
                const NsWorker *w = &model->workers[j];
                const NsSums *sums = &w->sums[k];
                all.stream += sums->stream;
                all.branch += sums->branch;
                all.skip_grad += sums->skip_grad;
                all.branch_grad += sums->branch_grad;
                all.sigma += sums->sigma / live;
            }
            tokens[k] = live;
            stream[k] = sqrt(all.stream);
            branch[k] = sqrt(all.branch);
            skip_grad[k] = sqrt(all.skip_grad);
            branch_grad[k] = sqrt(all.branch_grad);
            sigma[k] = all.sigma;
        }
    }
    measure->sublayers = n;
    measure->tokens = tokens;
    measure->stream = stream;
    measure->branch = branch;
    measure->skip_grad = skip_grad;
    measure->branch_grad = branch_grad;
    measure->norm_sigma = sigma;
}

/* A pass over this batch, without noise and without measuring. */
static NsCall call_of(NsModel *model, const NsBatch *batch, NsStatistics statistics)
{
    assert_fits(model, batch);
    return (NsCall){.batch = batch,
                    .weights = used_weights(model),
                    .sinusoids = model->sinusoids,
                    .state = model->state,
                    .statistics = statistics};
}

NsMeasure ns_model_measure(NsModel *model, const NsBatch *batch, const NsNoise *noise)
{
    const NsStack *stack = &model->stack;
    bool training = noise && noise->training;
    NsCall call = call_of(model, batch, training ? NS_OF_BATCH_KEPT : NS_OF_BATCH);
    if (noise) call.noise = *noise;
    call.measuring = !model->unmeasured;
    model->call = call;
    double share = per_target(batch);
    ns_gradients_begin(model->gradients, call.measuring);
#pragma omp parallel num_threads((int)model->n_workers)
    {
        uint64_t mode = ns_flush_begin();
#pragma omp for schedule(static, 1)
        for (unsigned i = 0; i < model->n_workers; i++) {
            NsWorker *w = &model->workers[i];
            for (size_t part = 0; part < stack->parts; part++) {
                ns_worker_begin(stack, w, &call, part);
                ns_worker_forward(stack, w, &call);
                ns_worker_loss(stack, w, &call, stack->label_smoothing, (ns_real)share);
                ns_worker_backward(stack, w, &call);
            }
        }
        ns_gradients_sum_outside(model->gradients);
        ns_flush_end(mode);
    }
    gradients_of_weights(model);

    NsMeasure measure = {.grad_sq = ns_gradients_squares(model->gradients)};
    double tokens = tokens_of(model, batch, stack->n_towers - 1);
    for (unsigned i = 0; i < model->n_workers; i++) {
        const NsWorker *w = &model->workers[i];
        measure.loss += w->loss.loss * share;
        measure.nll += w->loss.nll * share;
        measure.final_sq += w->final_sq / tokens;
        measure.final_norm += w->final_norm / tokens;
    }
    collect_hidden(model, batch, &measure, model->seen);
    collect_sublayers(model, batch, &measure, model->seen + HIDDEN_ARRAYS * ns_stack_hidden(stack));
    return measure;
}

static void forward(NsModel *model, NsCall *call, double smoothing)
{
    call->passing = true;
#pragma omp parallel for schedule(static, 1) num_threads((int)model->n_workers)
    for (unsigned i = 0; i < model->n_workers; i++) {
        NsWorker *w = &model->workers[i];
        uint64_t mode = ns_flush_begin();
        for (size_t part = 0; part < model->stack.parts; part++) {
            ns_worker_begin(&model->stack, w, call, part);
            ns_worker_forward(&model->stack, w, call);
            ns_worker_loss(&model->stack, w, call, smoothing, 0);
        }
        ns_flush_end(mode);
    }
}

double ns_model_loss(NsModel *model, const NsBatch *batch)
{
    NsCall call = call_of(model, batch, NS_RUNNING);
    forward(model, &call, 0);
    double nll = 0;
    for (unsigned i = 0; i < model->n_workers; i++) nll += model->workers[i].loss.nll;
    return nll * per_target(batch);
}

double ns_model_plain_loss(NsModel *model, const NsBatch *batch)
{
    NsCall call = call_of(model, batch, NS_OF_BATCH);
    forward(model, &call, model->stack.label_smoothing);
    double loss = 0;
    for (unsigned i = 0; i < model->n_workers; i++) loss += model->workers[i].loss.loss;
    return loss * per_target(batch);
}

bool ns_model_needs_profile(const NsModel *model)
{
    for (size_t k = 0; k < model->stack.n_sublayers; k++)
        if (model->stack.sublayers[k].c.stream_gain) return true;
    return false;
}

static void set_omega(NsModel *model, const NsSublayer *s, double omega)
{
    if (!s->c.stream_gain) return;
    ns_real *x = model->weights + s->stream_gain;
    for (size_t i = 0; i < model->stack.D; i++) x[i] = (ns_real)omega;
}

/* Variance of what a sub-layer's branch added in the last pass, over all elements. */
static double branch_variance(const NsModel *model, size_t k, double elements)
{
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < model->n_workers; i++) {
        sum += model->workers[i].sums[k].branch_sum;
        squares += model->workers[i].sums[k].branch;
    }
    double mean = sum / elements;
    return squares / elements - mean * mean;
}

void ns_model_profile(NsModel *model, const NsBatch *batch)
{
    const NsStack *stack = &model->stack;
    for (size_t k = 0; k < stack->n_sublayers; k++) set_omega(model, &stack->sublayers[k], 1);
    NsCall call = call_of(model, batch, NS_OF_BATCH);
    call.profiling = call.measuring = true;
    forward(model, &call, 0);
    for (size_t i = 0; i < stack->n_towers; i++) {
        const NsTower *tower = &stack->towers[i];
        double elements = tokens_of(model, batch, i) * (double)stack->D, variance = 1;
        for (size_t k = tower->first; k < tower->first + tower->n; k++) {
            set_omega(model, &stack->sublayers[k], sqrt(variance));
            variance += branch_variance(model, k, elements);
        }
    }
}

void ns_model_revisit(NsModel *model, size_t layer)
{
    const NsStack *stack = &model->stack;
    if (!stack->recompute) return;
#pragma omp parallel for schedule(static, 1) num_threads((int)model->n_workers)
    for (unsigned i = 0; i < model->n_workers; i++) {
        uint64_t mode = ns_flush_begin();
        for (size_t part = stack->parts - stack->kept; part < stack->parts; part++) {
            ns_worker_turn(stack, &model->workers[i], &model->call, part);
            ns_worker_revisit(stack, &model->workers[i], &model->call, layer);
        }
        ns_flush_end(mode);
    }
}

void ns_model_set_measuring(NsModel *model, bool measuring)
{
    model->unmeasured = !measuring;
}

bool ns_model_keeps(const NsModel *model)
{
    return !model->stack.recompute;
}

size_t ns_model_shards(const NsModel *model)
{
    return model->n_workers * model->stack.kept;
}

unsigned ns_model_threads(const NsModel *model)
{
    return model->n_workers;
}

size_t ns_model_sublayers(const NsModel *model)
{
    return model->stack.n_sublayers;
}

NsTap ns_model_tap(const NsModel *model, size_t shard, size_t sublayer)
{
    const NsStack *stack = &model->stack;
    const NsShard *part = &model->workers[shard / stack->kept].shards[shard % stack->kept];
    const NsSublayer *s = &stack->sublayers[sublayer];
    const NsActivations *a = &part->sublayers[sublayer];
    size_t tower = stack->n_towers > 1 && sublayer >= stack->towers[1].first ? 1 : 0;
    const NsShape *shape = ns_tower_shape(&part->towers[tower], s);
    NsTap tap = {
        .kind = s->kind,
        .layer = s->layer,
        .last = s->last,
        .causal = s->causal,
        .first = part->first,
        .B = shape->B,
        .T = shape->T,
        .S = shape->S,
        .D = shape->D,
        .H = shape->H,
        .F = shape->F,
        .length = part->length[tower],
        .key_length = part->length[s->kind == NS_CROSS_ATTENTION ? tower - 1 : tower],
        .x = a->x,
        .u = a->u ? a->u : a->x,
        .out = a->out,
    };
    if (s->kind == NS_FFN) {
        tap.key_length = NULL;
        tap.hidden = a->hidden;
        return tap;
    }
    NsHeads heads = ns_heads(s, shape, a->hidden);
    tap.Q = heads.Q;
    tap.K = heads.K;
    tap.V = heads.V;
    tap.q_stride = heads.q_stride;
    tap.k_stride = heads.k_stride;
    tap.P = a->P;
    return tap;
}
