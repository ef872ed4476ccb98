/* SPDX-License-Identifier: MIT */
#include "core/probe/record.h"

#include <math.h>
#include <string.h>

struct NsRecorder {
    NsRecordLayout layout;
    float *values;    /* [layout.width] */
    double *grad_sq;  /* [tensors] */
    double *layer_sq; /* [2, L] */
};

NsRecorder *ns_recorder_new(const NsModel *model, const NsSettings *settings)
{
    (void)settings;
    const NsTensorTable *table = ns_model_tensors(model);
    NsRecorder *r = g_new0(NsRecorder, 1);
    bool final_norm = ns_tensor_find(table, "final_norm.gain") != NULL;
    ns_record_layout_init(&r->layout, table, ns_model_layers(model), final_norm);
    r->values = g_new(float, r->layout.width);
    for (size_t i = 0; i < r->layout.width; i++) r->values[i] = NAN;
    r->grad_sq = g_new0(double, table->n);
    r->layer_sq = g_new0(double, 2 * r->layout.layers);
    return r;
}

void ns_recorder_free(NsRecorder *recorder)
{
    if (!recorder) return;
    g_free(recorder->values);
    g_free(recorder->grad_sq);
    g_free(recorder->layer_sq);
    g_free(recorder);
}

const NsRecordLayout *ns_recorder_layout(const NsRecorder *recorder)
{
    return &recorder->layout;
}

static float *values_of(NsRecorder *r, NsQuantity quantity)
{
    return r->values + r->layout.offset[quantity];
}

/* Fewer gradients than this are squared before a second thread has woken. */
#define WORTH_SHARING ((size_t)1 << 20)

/* Squared gradient norms of all tensors; each is one thread's work. */
static void square_gradients(NsRecorder *r, const NsRecordInput *input)
{
    const NsTensorTable *table = ns_model_tensors(input->model);
    const ns_real *gradients = ns_model_gradients(input->model);
    int threads = table->elements < WORTH_SHARING ? 1 : (int)input->threads;
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        double norm = ns_real_norm(gradients + t->offset, ns_tensor_size(t));
        r->grad_sq[i] = norm * norm;
    }
}

/* Fills in the gradient norms, and returns the norm of all tensors together. */
static double record_gradients(NsRecorder *r, const NsTensorTable *table)
{
    double total = 0, *layer_sq = r->layer_sq;
    memset(layer_sq, 0, r->layout.layers * sizeof *layer_sq);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        size_t l = t->layer < 0 ? 0 : (size_t)t->layer;
        values_of(r, (NsQuantity)t->role)[l] = (float)sqrt(r->grad_sq[i]);
        total += r->grad_sq[i];
        if (t->layer >= 0) layer_sq[l] += r->grad_sq[i];
    }
    float *layers = values_of(r, NS_QUANTITY_GRAD_LAYER);
    for (size_t l = 0; l < r->layout.layers; l++) layers[l] = (float)sqrt(layer_sq[l]);
    return sqrt(total);
}

static void record_updates(NsRecorder *r, const NsTensorTable *table, const NsRecordInput *input)
{
    size_t L = r->layout.layers;
    float *ratio = values_of(r, NS_QUANTITY_UPDATE_RATIO);
    if (!input->updated) {
        memset(ratio, 0, L * sizeof *ratio);
        return;
    }
    double *weight = r->layer_sq, *update = r->layer_sq + L;
    memset(r->layer_sq, 0, 2 * L * sizeof *r->layer_sq);
    for (size_t i = 0; i < table->n; i++) {
        int l = table->tensors[i].layer;
        if (l < 0) continue;
        weight[l] += input->weight_sq[i];
        update[l] += input->update_sq[i];
    }
    for (size_t l = 0; l < L; l++) ratio[l] = (float)sqrt(update[l] / weight[l]);
}

static void record_hidden(NsRecorder *r, const NsMeasure *seen)
{
    float *norm = values_of(r, NS_QUANTITY_HIDDEN_NORM), *sq = values_of(r, NS_QUANTITY_HIDDEN_SQ);
    for (size_t l = 0; l < r->layout.count[NS_QUANTITY_HIDDEN_NORM]; l++) {
        norm[l] = (float)seen->hidden_norm[l];
        sq[l] = (float)seen->hidden_sq[l];
    }
    if (r->layout.count[NS_QUANTITY_FINAL_SQ]) {
        *values_of(r, NS_QUANTITY_FINAL_NORM) = (float)seen->final_norm;
        *values_of(r, NS_QUANTITY_FINAL_SQ) = (float)seen->final_sq;
    }
}

NsRecord ns_recorder_fill(NsRecorder *r, const NsRecordInput *input)
{
    const NsTensorTable *table = ns_model_tensors(input->model);
    square_gradients(r, input);
    double grad_norm = record_gradients(r, table);
    record_hidden(r, input->seen);
    record_updates(r, table, input);
    return (NsRecord){.values = r->values, .grad_sq = r->grad_sq, .grad_norm = grad_norm};
}
