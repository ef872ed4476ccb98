/* SPDX-License-Identifier: MIT */
#include "core/model/model.h"

#include "core/base/error.h"
#include "core/base/processors.h"
#include "core/base/squares.h"
#include "core/base/tensor.h"
#include "core/base/words.h"
#include "core/model/branch.h"
#include "core/model/model-private.h"
#include "core/model/pass.h"
#include "core/ops/embedding.h"
#include "core/ops/gemm.h"
#include "core/ops/residual.h"
#include "core/ops/standardize.h"

#include <math.h>
#include <string.h>

struct NsModel {
    NsModelLayout layout;
    uint64_t seed;
    size_t B;
    ns_real *weights;
    ns_real *activations; /* of the layers */
    ns_real *arena;       /* gradients */
    NsGradients *gradients;
    ns_real *standardized; /* the standardized weights, or NULL */
    ns_real *sinusoids;    /* or NULL */
    ns_real *state;        /* running mean and variance of each norm over the batch */
    NsTeam *team;
    NsWorker *workers; /* one for each shard; the team may have fewer members */
    unsigned n_workers;
    NsHiddenMeasure *hidden; /* the arrays of `measure` */
    NsSublayerMeasure *sublayers;
    NsMeasure measure; /* what ns_model_measure returned last */
    NsCall call;       /* of the last ns_model_measure */
    NsMeasuring measuring;
    bool *gates; /* ns_model_set_gates */
    bool records;
};

/* Allocates the shards of worker i, each for at most n sequences of full length. */
static void take_shards(NsWorker *w, const NsModel *model, size_t i, size_t n, NsCursor *cursor)
{
    const NsModelLayout *layout = &model->layout;
    NsPlaces places = {.arena = cursor->base ? model->activations : NULL,
                       .pieces = layout->arena_plan.pieces + i * layout->layers};
    for (; places.part < layout->retained; places.part++)
        ns_shard_take(&w->shards[places.part], layout, n, cursor, &places);
}

static bool worker_init(NsWorker *w, const NsModel *model, unsigned i, GError **error)
{
    const NsModelLayout *layout = &model->layout;
    size_t n = ns_model_layout_capacity(layout, model->B, i);
    w->shards = w->shard = g_new0(NsShard, layout->retained);
    for (size_t k = 0; k < layout->retained; k++)
        w->shards[k].sublayers = g_new0(NsActivations, layout->n_sublayers);
    w->forward_only.sublayers = g_new0(NsActivations, layout->n_sublayers);
    w->sums = g_new0(NsSums, layout->n_sublayers);
    w->hidden = g_new0(NsHiddenMeasure, ns_model_layout_hidden(layout));
    for (size_t k = 0; k < layout->n_stacks; k++)
        w->live[k] = g_new0(bool, n * layout->stacks[k].T);
    NsCursor count = {0};
    take_shards(w, model, i, n, &count);
    w->activations = ns_real_new(count.used, "activations", error);
    if (!w->activations) return false;
    take_shards(w, model, i, n, &(NsCursor){.base = w->activations});
    ns_shard_take_forward_only(&w->forward_only, w->shards, layout,
                               model->activations + layout->arena_plan.forward_only[i]);
    w->gradients = model->gradients;
    w->number = i;
    return true;
}

static void worker_clear(NsWorker *w, const NsModelLayout *layout)
{
    ns_real_free(w->activations);
    for (size_t k = 0; w->shards && k < layout->retained; k++) g_free(w->shards[k].sublayers);
    g_free(w->shards);
    g_free(w->forward_only.sublayers);
    g_free(w->sums);
    g_free(w->hidden);
    for (size_t k = 0; k < NS_STACKS_MAX; k++) g_free(w->live[k]);
}

static bool make_sinusoids(NsModel *model, GError **error)
{
    const NsModelLayout *layout = &model->layout;
    size_t T = 0, width = layout->rotary ? layout->D / layout->H : layout->D;
    for (size_t i = 0; i < layout->n_stacks; i++) T = MAX(T, layout->stacks[i].T);
    model->sinusoids = ns_real_new(T * width, "positions", error);
    if (model->sinusoids) ns_sinusoids(model->sinusoids, T, width);
    return model->sinusoids != NULL;
}

static bool check_vocab(const NsSettings *settings, NsVocab vocab, GError **error)
{
    if (settings->tie_embeddings != NS_TOGGLE_ON || vocab.in >= vocab.out) return true;
    return ns_refuse(
        error, NS_ERROR_SETTING,
        N_("Tied embeddings need a row for every symbol that is predicted, and this task reads "
           "%zu symbols and predicts %zu; set tie-embeddings=off."),
        vocab.in, vocab.out);
}

NsModel *ns_model_new_placed(const NsSettings *settings, const NsPlacement *placement,
                             NsVocab vocab, GError **error)
{
    if (!ns_wiring_check(settings, error) || !check_vocab(settings, vocab, error)) return NULL;
    if (!ns_gemm_init(error)) return NULL;
    g_autoptr(NsModel) model = g_new0(NsModel, 1);
    NsModelLayout *layout = &model->layout;
    model->seed = (uint64_t)settings->seed;
    model->B = (size_t)ns_settings_batch(settings);
    ns_model_layout_init(layout, settings, placement, vocab);
    model->hidden = g_new0(NsHiddenMeasure, ns_model_layout_hidden(layout));
    model->sublayers = g_new0(NsSublayerMeasure, layout->n_sublayers);
    model->weights = ns_real_new(layout->table.size, "weights", error);
    if (!model->weights) return NULL;
    model->activations = ns_real_new(layout->arena_plan.size, "activations", error);
    if (!model->activations) return NULL;
    model->arena = ns_real_new(layout->table.size, "gradients", error);
    if (!model->arena) return NULL;
    model->gradients = ns_gradients_new(layout, model->arena, error);
    if (!model->gradients) return NULL;
    model->measure = (NsMeasure){.grad_sq = model->gradients->squares,
                                 .n_hidden = ns_model_layout_hidden(layout),
                                 .n_sublayers = layout->n_sublayers,
                                 .hidden = model->hidden,
                                 .sublayers = model->sublayers};
    model->state = ns_real_new(layout->state_size, "running statistics", error);
    if (!model->state) return NULL;
    if (layout->standardize) {
        model->standardized = ns_real_new(layout->table.size, "standardized weights", error);
        if (!model->standardized) return NULL;
    }
    if ((layout->sinusoids || layout->rotary) && !make_sinusoids(model, error)) return NULL;
    model->workers = g_new0(NsWorker, layout->shards);
    for (; model->n_workers < layout->shards; model->n_workers++)
        if (!worker_init(&model->workers[model->n_workers], model, model->n_workers, error)) {
            worker_clear(&model->workers[model->n_workers], layout);
            return NULL;
        }
    model->team = ns_team_new(MIN(model->n_workers, ns_processors()));
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
    ns_team_free(model->team);
    for (unsigned i = 0; i < model->n_workers; i++)
        worker_clear(&model->workers[i], &model->layout);
    g_free(model->workers);
    ns_real_free(model->weights);
    ns_gradients_free(model->gradients);
    ns_real_free(model->activations);
    ns_real_free(model->arena);
    ns_real_free(model->standardized);
    ns_real_free(model->sinusoids);
    ns_real_free(model->state);
    g_free(model->hidden);
    g_free(model->sublayers);
    ns_model_layout_clear(&model->layout);
    g_free(model);
}

const NsTensorTable *ns_model_tensors(const NsModel *model)
{
    return &model->layout.table;
}

size_t ns_model_layers(const NsModel *model)
{
    return model->layout.layers;
}

size_t ns_model_source(const NsModel *model)
{
    return model->layout.stacks[model->layout.n_stacks - 1].S * (model->layout.n_stacks > 1);
}

ns_real *ns_model_weights(NsModel *model)
{
    return model->weights;
}

const ns_real *ns_model_gradients(NsModel *model)
{
    return model->arena;
}

ns_real *ns_model_state(NsModel *model, size_t *n)
{
    *n = model->layout.state_size;
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
    const NsModelLayout *layout = &model->layout;
    ns_tensor_table_init(&layout->table, model->weights, model->seed, model->team);
    for (size_t i = 0; i < layout->n_stacks; i++) {
        reset_statistics(model, &layout->stacks[i].embedding_norm);
        reset_statistics(model, &layout->stacks[i].final_norm);
    }
    for (size_t k = 0; k < layout->n_sublayers; k++) {
        const NsSublayer *s = &layout->sublayers[k];
        const NsNormPlace *const places[] = {&s->in, &s->mid, &s->branch, &s->out,
                                             &s->q,  &s->k,   &s->v};
        for (size_t i = 0; i < G_N_ELEMENTS(places); i++) reset_statistics(model, places[i]);
    }
}

static bool is_standardized(const NsTensor *tensor)
{
    return tensor->layer >= 0 && tensor->cols > 0;
}

static void standardize_tensor(void *data, size_t i, unsigned member)
{
    (void)member;
    NsModel *model = data;
    const NsTensor *t = &model->layout.table.tensors[i];
    if (is_standardized(t))
        ns_standardize_forward(model->standardized + t->offset, model->weights + t->offset, t->rows,
                               t->cols);
}

/* Returns the weights that a pass uses, which are standardized if the settings require it. */
static const ns_real *used_weights(NsModel *model)
{
    const NsTensorTable *table = &model->layout.table;
    if (!model->standardized) return model->weights;
    memcpy(model->standardized, model->weights, table->size * sizeof *model->weights);
    ns_team_each(model->team, table->n, standardize_tensor, model);
    return model->standardized;
}

/* Replaces the gradient of standardized weights by that of the weights, in place. */
static void gradient_of_weights(void *data, size_t i, unsigned member)
{
    (void)member;
    NsModel *model = data;
    const NsTensor *t = &model->layout.table.tensors[i];
    if (!is_standardized(t)) return;
    ns_real *g = model->arena + t->offset;
    ns_standardize_backward(g, model->weights + t->offset, t->rows, t->cols);
    model->gradients->squares[i] = ns_real_squares(g, ns_tensor_size(t));
}

NsModelParts ns_model_parts(NsModel *model)
{
    return (NsModelParts){.layout = &model->layout,
                          .weights = used_weights(model),
                          .sinusoids = model->sinusoids,
                          .state = model->state};
}

/* Number of tokens of a stack in the batch that are not padding. */
static double tokens_of(const NsModel *model, const NsBatch *batch, size_t stack)
{
    bool source = stack + 1 < model->layout.n_stacks;
    double sum = 0;
    for (size_t b = 0; b < batch->B; b++)
        sum += (double)(source ? batch->source_length : batch->length)[b];
    return sum;
}

/* The weight of each of n targets in a mean loss.  For n = 0 the value does not matter. */
static double share_of(size_t n)
{
    return 1 / (double)MAX(n, 1);
}

static void collect_sublayers(NsModel *model, const NsBatch *batch)
{
    const NsModelLayout *layout = &model->layout;
    for (size_t i = 0; i < layout->n_stacks; i++) {
        const NsStack *stack = &layout->stacks[i];
        double tokens = tokens_of(model, batch, i);
        for (size_t k = stack->first; k < stack->first + stack->n; k++) {
            NsSums all = {0};
            for (unsigned j = 0; j < model->n_workers; j++) {
                const NsSums *part = &model->workers[j].sums[k];
                all.stream += part->stream;
                all.branch += part->branch;
                all.skip_grad += part->skip_grad;
                all.branch_grad += part->branch_grad;
                all.sigma += part->sigma / tokens;
            }
            model->sublayers[k] = (NsSublayerMeasure){.tokens = tokens,
                                                      .stream = sqrt(all.stream),
                                                      .branch = sqrt(all.branch),
                                                      .skip_grad = sqrt(all.skip_grad),
                                                      .branch_grad = sqrt(all.branch_grad),
                                                      .sigma = all.sigma};
        }
    }
}

/* The arguments of a pass over a batch without noise and without measuring. */
static NsCall call_of(NsModel *model, const NsBatch *batch, NsStatistics statistics)
{
    const NsModelLayout *layout = &model->layout;
    size_t last = layout->n_stacks - 1;
    bool varies = layout->spare > 0;
    g_assert(varies || (batch->B == model->B && batch->T == layout->stacks[last].T));
    g_assert(varies || last == 0 || batch->S == layout->stacks[0].T);
    g_assert(batch->B >= layout->shards * layout->parts);
    return (NsCall){.workers = model->workers,
                    .batch = batch,
                    .per_target = (ns_real)share_of(ns_batch_targets(batch)),
                    .per_label = (ns_real)share_of(ns_batch_labels(batch)),
                    .weights = used_weights(model),
                    .sinusoids = model->sinusoids,
                    .state = model->state,
                    .statistics = statistics};
}

typedef void (*WorkerStep)(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t i);

/* Takes a step with every worker that belongs to this member. */
static void step(NsModel *model, const NsMember *member, WorkerStep step_of, size_t i)
{
    for (unsigned k = member->index; k < model->n_workers; k += member->size)
        step_of(&model->layout, &model->workers[k], &model->call, i);
}

/* Takes a step that requires all workers to have finished the previous one. */
static void step_after_all(NsModel *model, const NsMember *member, WorkerStep step_of, size_t i)
{
    ns_team_barrier(member);
    step(model, member, step_of, i);
    ns_team_barrier(member);
}

/* Forward, loss, and backward of the head for one part. */
static void step_forward(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t part)
{
    ns_worker_begin(layout, w, call, part);
    ns_worker_forward(layout, w, call);
    ns_worker_loss(layout, w, call, layout->label_smoothing);
    ns_worker_backward_head(layout, w, call);
}

static void measure_parts(void *data, const NsMember *member)
{
    NsModel *model = data;
    for (size_t part = 0; part < model->layout.parts; part++) {
        const NsModelLayout *layout = &model->layout;
        bool last = part + 1 == layout->parts;
        step(model, member, step_forward, part);
        step_after_all(model, member, ns_worker_add_head, part);
        for (size_t i = layout->n_stacks; i-- > 0;) {
            const NsStack *stack = &layout->stacks[i];
            step(model, member, ns_worker_backward_top, i);
            for (size_t l = stack->first_layer + stack->L; l-- > stack->first_layer;) {
                step(model, member, ns_worker_backward_layer, l);
                ns_gradients_end_layer(model->gradients, member, l, last);
            }
            step(model, member, ns_worker_backward_embedding, i);
            step_after_all(model, member, ns_worker_add_embedding, i);
        }
    }
    ns_gradients_end(model->gradients, member);
}

NsMeasure ns_model_measure(NsModel *model, const NsBatch *batch, const NsNoise *noise)
{
    const NsModelLayout *layout = &model->layout;
    bool training = noise && noise->training;
    NsCall call = call_of(model, batch, training ? NS_OF_BATCH_KEPT : NS_OF_BATCH);
    if (noise) call.noise = *noise;
    call.measuring = model->measuring == NS_MEASURING_ALL;
    call.gates = model->gates;
    call.records = model->records;
    model->call = call;
    model->gradients->squaring = model->measuring != NS_MEASURING_LOSS;
    ns_team_run(model->team, model->n_workers, measure_parts, model);
    if (model->standardized) ns_team_each(model->team, layout->table.n, gradient_of_weights, model);

    double share = share_of(ns_batch_targets(batch)),
           class_share = share_of(ns_batch_labels(batch));
    NsMeasure *measure = &model->measure;
    measure->loss = measure->nll = measure->log_z = 0;
    for (unsigned i = 0; i < model->n_workers; i++) {
        const NsWorker *w = &model->workers[i];
        measure->loss += w->loss.loss * share + w->class_nll * class_share;
        measure->nll += w->loss.nll * share + w->class_nll * class_share;
        measure->log_z += w->loss.log_z * share;
    }
    if (!call.measuring) return *measure;
    double tokens = tokens_of(model, batch, layout->n_stacks - 1);
    measure->final_sq = measure->final_norm = 0;
    for (unsigned i = 0; i < model->n_workers; i++) {
        measure->final_sq += model->workers[i].final_sq / tokens;
        measure->final_norm += model->workers[i].final_norm / tokens;
    }
    for (size_t i = 0; i < layout->n_stacks; i++) {
        size_t first = ns_stack_hidden(layout, i);
        tokens = tokens_of(model, batch, i);
        for (size_t k = first; k <= first + layout->stacks[i].L; k++) {
            NsHiddenMeasure all = {0};
            for (unsigned j = 0; j < model->n_workers; j++) {
                const NsHiddenMeasure *part = &model->workers[j].hidden[k];
                all.sq += part->sq / tokens;
                all.norm += part->norm / tokens;
                all.grad += part->grad;
                if (!(part->max <= all.max)) all.max = part->max;
            }
            if (isnan(all.sq)) all.max = (double)NAN;
            all.grad = sqrt(all.grad);
            model->hidden[k] = all;
        }
    }
    collect_sublayers(model, batch);
    return *measure;
}

/* The arguments of a forward-only pass. */
typedef struct {
    NsModel *model;
    NsCall *call;
    double smoothing;
    int32_t *answers; /* [B], or NULL */
} Forward;

static void forward_worker(void *data, size_t i, unsigned member)
{
    (void)member;
    const Forward *f = data;
    const NsModelLayout *layout = &f->model->layout;
    NsWorker *w = &f->model->workers[i];
    for (size_t part = 0; part < layout->parts; part++) {
        ns_worker_begin(layout, w, f->call, part);
        ns_worker_forward(layout, w, f->call);
        if (f->answers) {
            /* Find the answers for the sequences of the current part. */
            size_t V = layout->V, stride = w->shard->stacks[layout->n_stacks - 1].self.T * V;
            for (size_t b = 0; b < w->shard->B; b++) {
                const ns_real *logits = w->shard->logits + b * stride;
                size_t best = 0;
                for (size_t v = 1; v < V; v++)
                    if (logits[v] > logits[best]) best = v;
                f->answers[w->shard->first + b] = (int32_t)best;
            }
        }
        ns_worker_loss(layout, w, f->call, f->smoothing);
    }
}

/* `answers`: [B], or NULL. */
static void forward(NsModel *model, NsCall *call, double smoothing, int32_t *answers)
{
    call->forward_only = true;
    Forward f = {model, call, smoothing, answers};
    ns_team_each(model->team, model->n_workers, forward_worker, &f);
}

NsPredicted ns_model_predict_without(NsModel *model, const NsBatch *batch, NsLayerRange layers)
{
    NsCall call = call_of(model, batch, NS_RUNNING);
    call.without = layers;
    forward(model, &call, 0, NULL);
    NsCrossEntropy sum = {0};
    double class_nll = 0, share = share_of(ns_batch_targets(batch));
    for (unsigned i = 0; i < model->n_workers; i++) {
        const NsWorker *w = &model->workers[i];
        sum.nll += w->loss.nll;
        sum.entropy += w->loss.entropy;
        sum.log_z += w->loss.log_z;
        class_nll += w->class_nll;
    }
    return (NsPredicted){.loss = sum.nll * share + class_nll * share_of(ns_batch_labels(batch)),
                         .entropy = sum.entropy * share,
                         .log_z = sum.log_z * share};
}

double ns_model_loss(NsModel *model, const NsBatch *batch)
{
    return ns_model_predict_without(model, batch, (NsLayerRange){0, 0}).loss;
}

void ns_model_answers(NsModel *model, const NsBatch *batch, int32_t *answers)
{
    NsCall call = call_of(model, batch, NS_RUNNING);
    forward(model, &call, 0, answers);
}

double ns_model_plain_loss(NsModel *model, const NsBatch *batch)
{
    NsCall call = call_of(model, batch, NS_OF_BATCH);
    forward(model, &call, model->layout.label_smoothing, NULL);
    double loss = 0, class_nll = 0;
    for (unsigned i = 0; i < model->n_workers; i++) {
        loss += model->workers[i].loss.loss;
        class_nll += model->workers[i].class_nll;
    }
    return loss * share_of(ns_batch_targets(batch)) + class_nll * share_of(ns_batch_labels(batch));
}

bool ns_model_needs_profile(const NsModel *model)
{
    for (size_t k = 0; k < model->layout.n_sublayers; k++)
        if (model->layout.sublayers[k].c.stream_gain) return true;
    return false;
}

static void set_omega(NsModel *model, const NsSublayer *s, double omega)
{
    if (!s->c.stream_gain) return;
    ns_real *x = model->weights + s->stream_gain;
    for (size_t i = 0; i < model->layout.D; i++) x[i] = (ns_real)omega;
}

void ns_model_profile(NsModel *model, const NsBatch *batch)
{
    const NsModelLayout *layout = &model->layout;
    for (size_t k = 0; k < layout->n_sublayers; k++) set_omega(model, &layout->sublayers[k], 1);
    NsCall call = call_of(model, batch, NS_OF_BATCH);
    call.profiling = call.measuring = true;
    forward(model, &call, 0, NULL);
    for (size_t i = 0; i < layout->n_stacks; i++) {
        const NsStack *stack = &layout->stacks[i];
        double elements = tokens_of(model, batch, i) * (double)layout->D, variance = 1;
        for (size_t k = stack->first; k < stack->first + stack->n; k++) {
            set_omega(model, &layout->sublayers[k], sqrt(variance));
            /* The variance, over all elements, of the output of a sub-layer's branch in the last
             * pass. */
            double sum = 0, squares = 0;
            for (unsigned j = 0; j < model->n_workers; j++) {
                sum += model->workers[j].sums[k].branch_sum;
                squares += model->workers[j].sums[k].branch;
            }
            double mean = sum / elements;
            variance += squares / elements - mean * mean;
        }
    }
}

/* The arguments of revisit_worker. */
typedef struct {
    NsModel *model;
    size_t layer;
} Revisit;

static void revisit_worker(void *data, size_t i, unsigned member)
{
    (void)member;
    const Revisit *r = data;
    NsModel *model = r->model;
    const NsModelLayout *layout = &model->layout;
    for (size_t part = layout->parts - layout->retained; part < layout->parts; part++) {
        ns_worker_select(layout, &model->workers[i], &model->call, part);
        ns_worker_revisit(layout, &model->workers[i], &model->call, r->layer);
    }
}

void ns_model_revisit(NsModel *model, size_t layer)
{
    Revisit r = {model, layer};
    if (model->layout.recompute) ns_team_each(model->team, model->n_workers, revisit_worker, &r);
}

void ns_model_set_measuring(NsModel *model, NsMeasuring measuring)
{
    model->measuring = measuring;
}

void ns_model_set_gates(NsModel *model, bool *gates, bool record)
{
    model->gates = gates;
    model->records = record;
}

bool ns_model_keeps(const NsModel *model)
{
    return !model->layout.recompute;
}

size_t ns_model_shards(const NsModel *model)
{
    return model->n_workers * model->layout.retained;
}

NsTeam *ns_model_team(const NsModel *model)
{
    return model->team;
}

size_t ns_model_sublayers(const NsModel *model)
{
    return model->layout.n_sublayers;
}

NsActivationView ns_model_activation_view(const NsModel *model, size_t shard, size_t sublayer)
{
    const NsModelLayout *layout = &model->layout;
    const NsShard *part =
        &model->workers[shard / layout->retained].shards[shard % layout->retained];
    const NsSublayer *s = &layout->sublayers[sublayer];
    const NsActivations *a = &part->sublayers[sublayer];
    size_t stack = layout->n_stacks > 1 && sublayer >= layout->stacks[1].first ? 1 : 0;
    const NsShape *shape = ns_stack_shape(&part->stacks[stack], s);
    NsActivationView view = {
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
        .group = shape->D / shape->KV,
        .F = shape->F,
        .length = part->length[stack],
        .key_length = part->length[s->kind == NS_CROSS_ATTENTION ? stack - 1 : stack],
        .x = a->x,
        .u = a->u ? a->u : a->x,
        .out = a->out,
        .mid = a->mid,
    };
    if (s->kind == NS_FFN) {
        view.key_length = NULL;
        view.hidden = a->hidden;
        return view;
    }
    NsHeads heads = ns_heads(s, shape, a->hidden);
    view.Q = heads.Q;
    view.K = heads.K;
    view.V = heads.V;
    view.q_stride = heads.q_stride;
    view.k_stride = heads.k_stride;
    view.P = a->P;
    return view;
}
