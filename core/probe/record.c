/* SPDX-License-Identifier: MIT */
#include "core/probe/record.h"

#include "core/base/flush.h"
#include "core/base/share.h"
#include "core/data/task.h"
#include "core/ops/activation.h"
#include "core/optim/optimizer.h"
#include "core/probe/expensive.h"

#include <math.h>
#include <string.h>

/* Where the norm of a tensor's gradient is stored.  This array is small enough to be read quickly
 * with 16,000 tensors, whose table has much more data. */
typedef struct {
    size_t norm;             /* index in a record */
    size_t root_mean_square; /* index in a record, if has_root */
    bool has_root;
    unsigned parameter;
    double elements;
} TensorPlace;

/* A range of consecutive tensors of the same layer, or outside the layers. */
typedef struct {
    int layer;     /* -1 outside */
    size_t layers; /* from that one on, which use them */
    size_t first, end;
    double elements;
} TensorRun;

typedef struct {
    NsSublayerKind kind;
    size_t layer;
} SublayerPlace;

/* With fewer tensors, one thread fills in a record faster than another one wakes up. */
#define WORTH_SHARING ((size_t)1000)

struct NsRecorder {
    NsRecordLayout layout;
    NsValues values;      /* [layout.width] */
    TensorPlace *tensors; /* [n_tensors] */
    size_t n_tensors;
    SublayerPlace *sublayers; /* [sublayers of the model] */
    size_t *seen;             /* [tokens of the larger vocabulary] scratch, 0 between its uses */
    TensorRun *runs;          /* [n_runs] in the order of the table */
    size_t n_runs;
    NsExpensiveProbes *expensive; /* NULL if expensive quantities are never measured */
    double *without;              /* [layers] loss without a layer minus that of the model, and */
    NsPredicted *lens;            /* [layers] of the logit lens; NULL if never measured */
    size_t encoder;               /* layers that the head does not read */
    int64_t extra_us;             /* time for the passes before that of this step, microseconds */
};

static unsigned needs_met(const NsTensorTable *table, const NsSettings *settings)
{
    unsigned has = 0;
    for (size_t i = 0; i < table->n; i++) {
        if (table->tensors[i].parameter == NS_PARAMETER_FINAL_NORM_GAIN) has |= NS_NEED_FINAL_NORM;
        if (table->tensors[i].parameter == NS_PARAMETER_CROSS_WV) has |= NS_NEED_CROSS;
    }
    if (g_str_equal(ns_activation_choice(settings->activation)->key, "relu")) has |= NS_NEED_RELU;
    if (ns_optimizer(settings->optimizer)->adam_moments) has |= NS_NEED_MOMENTS;
    if (settings->probe_batches > 1) has |= NS_NEED_BATCHES;
    if (settings->bleu_sentences > 0 && ns_task_translates(settings)) has |= NS_NEED_TRANSLATION;
    if (settings->curvature_every > 0) has |= NS_NEED_CURVATURE;
    if (settings->sharpness_every > 0) has |= NS_NEED_SHARPNESS;
    if (settings->ablation_every > 0) has |= NS_NEED_ABLATION;
    if (ns_curvature_has_preconditioner(settings)) has |= NS_NEED_PRECONDITIONER;
    return has;
}

void ns_record_layout_of(NsRecordLayout *layout, const NsTensorTable *table,
                         const NsSettings *settings)
{
    int64_t encoder = ns_settings_encoder_layers(settings);
    int64_t decoder = ns_settings_decoder_layers(settings);
    size_t L = (size_t)(encoder + decoder);
    ns_record_layout_init(layout, &(NsRecordShape){.table = table,
                                                   .layers = L,
                                                   .hidden = L + (encoder && decoder ? 2 : 1),
                                                   .heads = (size_t)settings->heads,
                                                   .has = needs_met(table, settings),
                                                   .probe_every = settings->probe_every,
                                                   .ablation_every = settings->ablation_every});
}

static void put(NsRecorder *r, NsQuantity quantity, size_t i, double value)
{
    ns_record_put(&r->layout, r->values, quantity, i, value);
}

/* Leaves the ratio unmeasured if the denominator is 0. */
static void put_ratio(NsRecorder *r, NsQuantity quantity, size_t i, double part, double complete)
{
    if (complete != 0) put(r, quantity, i, part / complete);
}

NsRecorder *ns_recorder_new(NsModel *model, const NsSettings *settings, GError **error)
{
    const NsTensorTable *table = ns_model_tensors(model);
    NsRecorder *r = g_new0(NsRecorder, 1);
    ns_record_layout_of(&r->layout, table, settings);
    r->values = ns_values_new(r->layout.width);
    static const NsQuantity means[NS_PARAMETER_COUNT] = {
        [NS_PARAMETER_WV] = NS_QUANTITY_GRAD_RMS_WV,
        [NS_PARAMETER_W1] = NS_QUANTITY_GRAD_RMS_W1,
        [NS_PARAMETER_W2] = NS_QUANTITY_GRAD_RMS_W2};
    r->n_tensors = table->n;
    r->tensors = g_new0(TensorPlace, table->n);
    r->runs = g_new0(TensorRun, table->n);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        size_t layer = (size_t)MAX(t->layer, 0);
        TensorPlace *place = &r->tensors[i];
        *place = (TensorPlace){.norm = r->layout.offset[t->parameter] + layer,
                               .root_mean_square = r->layout.offset[means[t->parameter]] + layer,
                               .has_root = means[t->parameter] != 0,
                               .parameter = t->parameter,
                               .elements = (double)ns_tensor_size(t)};
        if (i == 0 || t->layer != t[-1].layer)
            r->runs[r->n_runs++] = (TensorRun){.layer = t->layer, .layers = t->layers, .first = i};
        TensorRun *run = &r->runs[r->n_runs - 1];
        run->end = i + 1;
        run->elements += place->elements;
    }
    size_t n = ns_model_sublayers(model);
    r->sublayers = g_new(SublayerPlace, n);
    for (size_t s = 0; s < n; s++) {
        NsActivationView view = ns_model_activation_view(model, 0, s);
        r->sublayers[s] = (SublayerPlace){view.kind, view.layer};
    }
    size_t vocabulary = 0;
    for (size_t i = 0; i < table->n; i++)
        if (table->tensors[i].parameter == NS_PARAMETER_TOK_EMB)
            vocabulary = MAX(vocabulary, table->tensors[i].rows);
    r->seen = g_new0(size_t, vocabulary);
    if (settings->ablation_every > 0) {
        r->without = g_new0(double, r->layout.layers);
        r->lens = g_new0(NsPredicted, r->layout.layers);
    }
    if (settings->arch == NS_ARCH_ENCODER_DECODER)
        r->encoder = (size_t)ns_settings_encoder_layers(settings);
    if (settings->probe_every < 1) return r;
    r->expensive = ns_expensive_probes_new(model, settings, &r->layout, error);
    if (r->expensive) return r;
    ns_recorder_free(r);
    return NULL;
}

void ns_recorder_free(NsRecorder *recorder)
{
    if (!recorder) return;
    ns_expensive_probes_free(recorder->expensive);
    ns_values_free(&recorder->values);
    g_free(recorder->tensors);
    g_free(recorder->runs);
    g_free(recorder->sublayers);
    g_free(recorder->seen);
    g_free(recorder->without);
    g_free(recorder->lens);
    g_free(recorder);
}

const NsRecordLayout *ns_recorder_layout(const NsRecorder *recorder)
{
    return &recorder->layout;
}

static bool is_due(const NsRecorder *r, const NsRecordInput *input)
{
    return r->expensive && input->step % r->layout.probe_every == 0;
}

static bool is_ablation_due(const NsRecorder *r, const NsRecordInput *input)
{
    return r->without && input->step % r->layout.ablation_every == 0;
}

/* All members of a team call the functions below, and each writes the values of its own layers. */

/* ---- Tensors ---- */

/* Adds up the tensors of each layer before the layers. */
double ns_record_gradient_norm(const NsTensorTable *table, const double *grad_sq)
{
    double total = 0, layer = 0;
    for (size_t i = 0; i < table->n; i++) {
        if (i > 0 && table->tensors[i].layer != table->tensors[i - 1].layer) {
            total += layer;
            layer = 0;
        }
        layer += grad_sq[i];
    }
    return sqrt(total + layer);
}

/* Records the gradients, the last update and the moments of one of the layers of a run, which share
 * the tensors; `offset`: the number of layers of the run before it.  ADAM_RMS and SPIKE_SCORE
 * are not measured if no tensor of the layer has a second moment, or one before the update. */
static void record_layer(NsRecorder *r, const TensorRun *run, size_t offset,
                         const NsRecordInput *input, double complete)
{
    const double *grad_sq = input->seen->grad_sq;
    size_t layer = (size_t)run->layer + offset;
    double gradient = 0, weight = 0, update = 0, inner = 0, ratios = 0, score = -1, elements = 0;
    for (size_t i = run->first; i < run->end; i++) {
        const TensorPlace *t = &r->tensors[i];
        gradient += grad_sq[i];
        ns_values_put(r->values, t->norm + offset, sqrt(grad_sq[i]));
        if (t->has_root)
            ns_values_put(r->values, t->root_mean_square + offset, sqrt(grad_sq[i] / t->elements));
        const NsTensorUpdate *last = &input->updates[i];
        weight += last->weight_sq;
        update += last->update_sq;
        inner += last->inner;
        if (last->ratio_sum < 0) continue;
        ratios += last->ratio_sum;
        elements += t->elements;
        if (last->ratio_max > score || isnan(last->ratio_max)) score = last->ratio_max;
    }
    put(r, NS_QUANTITY_GRAD_LAYER, layer, sqrt(gradient));
    put(r, NS_QUANTITY_GRAD_RMS_LAYER, layer, sqrt(gradient / run->elements));
    put_ratio(r, NS_QUANTITY_GRAD_SHARE, layer, gradient / (double)run->layers, complete);
    put(r, NS_QUANTITY_UPDATE_RATIO, layer, input->updated ? sqrt(update / weight) : 0);
    if (input->updated) {
        /* The squared area that weights and update span; rounding may make it negative. */
        double area = weight * update - inner * inner;
        put(r, NS_QUANTITY_WEIGHT_NORM, layer, sqrt(weight));
        put(r, NS_QUANTITY_UPDATE_NORM, layer, sqrt(update));
        put(r, NS_QUANTITY_UPDATE_ANGLE, layer, atan2(area < 0 ? 0 : sqrt(area), weight - inner));
    }
    if (elements > 0) put(r, NS_QUANTITY_ADAM_RMS, layer, sqrt(ratios / elements));
    if (!(score < 0)) put(r, NS_QUANTITY_SPIKE_SCORE, layer, score);
}

/* ---- Hidden states and sub-layers ---- */

/* The tokens of B sequences of at most T: how many there are, and how many pairs of them are
 * equal. */
static void record_tokens(NsRecorder *r, size_t B, size_t T, const int32_t *tokens,
                          const int32_t *length, NsQuantity count, NsQuantity equal)
{
    size_t *seen = r->seen;
    double all = 0, paired = 0, shares = 0;
    for (size_t b = 0; b < B; b++, tokens += T) {
        size_t n = (size_t)length[b], pairs = 0;
        for (size_t t = 0; t < n; t++) pairs += 2 * seen[tokens[t]]++;
        for (size_t t = 0; t < n; t++) seen[tokens[t]] = 0;
        all += (double)n;
        if (n < 2) continue;
        paired += (double)n;
        shares += (double)pairs / (double)(n - 1);
    }
    put(r, count, 0, all / (double)B);
    if (paired > 0) put(r, equal, 0, shares / paired);
}

/* ---- The whole record ---- */

void ns_recorder_run_probe_batches(NsRecorder *r, const NsRecordInput *input)
{
    int64_t started = g_get_monotonic_time();
    r->extra_us = 0;
    if (!is_due(r, input) && !is_ablation_due(r, input)) return;
    if (is_due(r, input))
        ns_probe_batches_run(r->expensive->batches, input->model, input->corpus, input->settings);
    if (is_ablation_due(r, input)) {
        const size_t L = r->layout.layers;
        double loss = ns_model_loss(input->model, input->batch);
        for (size_t l = 0; l < L; l++) {
            NsLayerRange layer = {l, l + 1};
            r->without[l] = ns_model_predict_without(input->model, input->batch, layer).loss - loss;
        }
        for (size_t l = r->encoder; l < L; l++)
            r->lens[l] =
                ns_model_predict_without(input->model, input->batch, (NsLayerRange){l + 1, L});
    }
    r->extra_us = g_get_monotonic_time() - started;
}

typedef struct {
    NsRecorder *recorder;
    const NsRecordInput *input;
    double grad_norm; /* of the whole gradient */
} Filling;

static void fill_share(void *data, const NsMember *member)
{
    const Filling *filling = data;
    NsRecorder *r = filling->recorder;
    const NsRecordInput *input = filling->input;
    const NsMeasure *seen = input->seen;
    if (member->index == 0) {
        /* Record the tensors outside the layers.  Parameters that encoder and decoder have one each
         * of share one value. */
        double outside[NS_PARAMETER_COUNT] = {0};
        for (size_t k = 0; k < r->n_runs; k++) {
            const TensorRun *run = &r->runs[k];
            if (run->layer >= 0) continue;
            for (size_t i = run->first; i < run->end; i++) {
                const TensorPlace *t = &r->tensors[i];
                outside[t->parameter] += seen->grad_sq[i];
                ns_values_put(r->values, t->norm, sqrt(outside[t->parameter]));
            }
        }
    }
    size_t end = ns_member_end(member, r->n_runs);
    for (size_t k = ns_member_begin(member, r->n_runs); k < end; k++)
        for (size_t l = 0; r->runs[k].layer >= 0 && l < r->runs[k].layers; l++)
            record_layer(r, &r->runs[k], l, input, filling->grad_norm * filling->grad_norm);
    end = ns_member_end(member, r->layout.hidden);
    for (size_t l = ns_member_begin(member, r->layout.hidden); l < end; l++) {
        const NsHiddenMeasure *hidden = &seen->hidden[l];
        double rms = sqrt(hidden->sq / (double)input->settings->d_model);
        put(r, NS_QUANTITY_HIDDEN_NORM, l, hidden->norm);
        put(r, NS_QUANTITY_HIDDEN_SQ, l, hidden->sq);
        put(r, NS_QUANTITY_HIDDEN_GRAD, l, hidden->grad);
        put(r, NS_QUANTITY_HIDDEN_RMS, l, rms);
        put(r, NS_QUANTITY_HIDDEN_MAX, l, hidden->max);
        put_ratio(r, NS_QUANTITY_HIDDEN_PEAK, l, hidden->max, rms);
    }
    bool finite = true;
    for (size_t i = 0; i < seen->n_hidden; i++) finite &= isfinite(seen->hidden[i].sq) != 0;
    end = ns_member_end(member, seen->n_sublayers);
    for (size_t k = ns_member_begin(member, seen->n_sublayers); k < end; k++) {
        const NsSublayerMeasure *s = &seen->sublayers[k];
        const NsSublayerQuantities *q = &ns_sublayer_quantities[r->sublayers[k].kind];
        size_t l = r->sublayers[k].layer;
        double skip = s->skip_grad * s->skip_grad, branch = s->branch_grad * s->branch_grad;
        double root = sqrt(s->tokens);
        put_ratio(r, q->branch_ratio, l, s->branch, s->stream);
        put_ratio(r, q->skip_share, l, skip, skip + branch);
        put_ratio(r, q->branch_share, l, branch, skip + branch);
        put_ratio(r, q->skip_signal, l, s->stream, root);
        put_ratio(r, q->branch_signal, l, s->branch, root);
        put(r, q->skip_grad, l, s->skip_grad);
        put(r, q->branch_grad, l, s->branch_grad);
        /* If the states are finite, a NaN means that the sub-layer has no norm. */
        if (!isnan(s->sigma) || !finite) put(r, q->norm_sigma, l, s->sigma);
    }
}

NsRecord ns_recorder_fill(NsRecorder *r, const NsRecordInput *input)
{
    bool due = is_due(r, input);
    double grad_norm =
        ns_record_gradient_norm(ns_model_tensors(input->model), input->seen->grad_sq);
    ns_values_reset(r->values, r->layout.width);
    ns_team_run(ns_model_team(input->model), r->n_tensors < WORTH_SHARING ? 1 : G_MAXSIZE,
                fill_share, &(Filling){r, input, grad_norm});
    put(r, NS_QUANTITY_FINAL_NORM, 0, input->seen->final_norm);
    put(r, NS_QUANTITY_FINAL_SQ, 0, input->seen->final_sq);
    const NsBatch *batch = input->batch;
    record_tokens(r, batch->B, batch->T, batch->tokens, batch->length, NS_QUANTITY_TOKENS,
                  NS_QUANTITY_EQUAL_TOKENS);
    if (batch->S)
        record_tokens(r, batch->B, batch->S, batch->source, batch->source_length,
                      NS_QUANTITY_SOURCE_TOKENS, NS_QUANTITY_EQUAL_SOURCE);
    put(r, NS_QUANTITY_LOG_Z, 0, input->seen->log_z);
    if (input->bleu) put(r, NS_QUANTITY_BLEU, 0, *input->bleu);
    if (input->curvature->measured) {
        /* Leave a value unmeasured if it is not a number. */
        const NsCurvature *c = input->curvature;
        const struct {
            NsQuantity quantity;
            double value;
        } values[] = {
            {NS_QUANTITY_CRITICAL_RATE, c->critical_rate},
            {NS_QUANTITY_CRITICAL_RATIO, input->lr / c->critical_rate},
            {NS_QUANTITY_CRITICAL_SHARPNESS, 2 / c->critical_rate},
            {NS_QUANTITY_SHARPNESS, c->sharpness},
            {NS_QUANTITY_SHARPNESS_RESIDUAL, c->residual},
            {NS_QUANTITY_PRECONDITIONED_SHARPNESS, c->preconditioned},
            {NS_QUANTITY_PRECONDITIONED_RESIDUAL, c->preconditioned_residual},
            {NS_QUANTITY_RATE_SHARPNESS, input->lr * c->preconditioned},
        };
        for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
            if (isfinite(values[i].value)) put(r, values[i].quantity, 0, values[i].value);
    }
    for (size_t l = 0; input->sharpness && l < r->layout.layers; l++)
        if (isfinite(input->sharpness[l]))
            put(r, NS_QUANTITY_LAYER_SHARPNESS, l, input->sharpness[l]);
    NsRecord record = {.values = r->values,
                       .grad_norm = grad_norm,
                       .probe_seconds =
                           (double)r->extra_us / 1e6 + input->sharpness_seconds +
                           (input->curvature->measured ? input->curvature->seconds : 0)};
    if (is_ablation_due(r, input)) {
        for (size_t l = 0; l < r->layout.layers; l++)
            put(r, NS_QUANTITY_LAYER_ABLATION, l, r->without[l]);
        for (size_t l = r->encoder; l < r->layout.layers; l++) {
            put(r, NS_QUANTITY_LOGIT_LENS, l, r->lens[l].loss);
            put(r, NS_QUANTITY_LENS_ENTROPY, l, r->lens[l].entropy);
            put(r, NS_QUANTITY_LENS_LOG_Z, l, r->lens[l].log_z);
        }
    }
    if (!due) return record;

    int64_t started = g_get_monotonic_time();
    ns_expensive_probes_fill(r->expensive, input, r->values);
    record.similarity = &r->expensive->similarity;
    record.token_snapshot = r->expensive->snapshot;
    record.probe_seconds += (double)(g_get_monotonic_time() - started) / 1e6;
    return record;
}
