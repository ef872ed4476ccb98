/* SPDX-License-Identifier: MIT */
#include "core/probe/sweep.h"

#include "core/base/squares.h"
#include "core/ops/residual.h"
#include "core/probe/quantity.h"

#include <math.h>
#include <string.h>

/* Batches and noise of this number and above: no run trains on them. */
#define APART (UINT64_C(1) << 40)

NsSweep *ns_sweep_new(NsModel *model, const NsSettings *s, GError **error)
{
    const NsTensorTable *table = ns_model_tensors(model);
    size_t n;
    ns_model_state(model, &n);
    NsSweep *sweep = g_new0(NsSweep, 1);
    *sweep = (NsSweep){.batches = (size_t)s->probe_batches, .sequences = (size_t)s->batch};
    ns_batch_init(&sweep->batch, (size_t)s->batch, (size_t)s->seq,
                  (size_t)ns_settings_source_seq(s));
    sweep->mean_sq = g_new0(double, table->n);
    sweep->state = g_new0(ns_real, n);
    sweep->mean = ns_real_new(table->size, "mean gradient", error);
    if (sweep->mean) return sweep;
    ns_sweep_free(sweep);
    return NULL;
}

void ns_sweep_free(NsSweep *sweep)
{
    if (!sweep) return;
    ns_batch_clear(&sweep->batch);
    ns_real_free(sweep->mean);
    g_free(sweep->mean_sq);
    g_free(sweep->state);
    g_free(sweep);
}

static double square(const ns_real *x, size_t n)
{
    double norm = ns_real_norm(x, n);
    return norm * norm;
}

/* Tensor by tensor: what lies in the gaps between them is nobody's. */
static void add_gradient(NsSweep *sweep, NsModel *model)
{
    const NsTensorTable *table = ns_model_tensors(model);
    const ns_real *g = ns_model_gradients(model);
    ns_real share = (ns_real)(1 / (double)sweep->batches);
    for (size_t i = 0; i < table->n; i++) {
        size_t at = table->tensors[i].offset, n = ns_tensor_size(&table->tensors[i]);
        sweep->single_sq += square(g + at, n) / (double)sweep->batches;
        ns_add_scaled(sweep->mean + at, share, g + at, n);
    }
}

void ns_sweep_run(NsSweep *sweep, NsModel *model, const NsCorpus *corpus, const NsSettings *s)
{
    const NsTensorTable *table = ns_model_tensors(model);
    size_t n;
    ns_real *state = ns_model_state(model, &n);
    if (n) memcpy(sweep->state, state, n * sizeof *state);
    memset(sweep->mean, 0, table->size * sizeof *sweep->mean);
    sweep->single_sq = sweep->whole_sq = 0;

    for (size_t k = 0; k < sweep->batches; k++) {
        ns_corpus_train_batch(corpus, (uint64_t)s->data_seed, APART + k, &sweep->batch);
        NsNoise noise = {.training = true, .seed = (uint64_t)s->seed, .step = APART + k};
        ns_model_measure(model, &sweep->batch, &noise);
        add_gradient(sweep, model);
    }
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        sweep->mean_sq[i] = square(sweep->mean + t->offset, ns_tensor_size(t));
        sweep->whole_sq += sweep->mean_sq[i];
    }
    if (n) memcpy(state, sweep->state, n * sizeof *state);
}

float ns_sweep_noise_scale(const NsSweep *sweep)
{
    double K = (double)sweep->batches, B = (double)sweep->sequences;
    double signal = (K * sweep->whole_sq - sweep->single_sq) / (K - 1);
    double noise = B * K * (sweep->single_sq - sweep->whole_sq) / (K - 1);
    return signal <= 0 ? ns_blank() : (float)(noise / signal);
}
