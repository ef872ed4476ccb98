/* SPDX-License-Identifier: MIT */
#include "core/probe/probe_batches.h"

#include "core/base/squares.h"
#include "core/ops/residual.h"

#include <string.h>

/* Probe batches have this index and above, which no run reaches in training. */
#define APART (UINT64_C(1) << 40)

NsProbeBatches *ns_probe_batches_new(NsModel *model, const NsSettings *s, GError **error)
{
    const NsTensorTable *table = ns_model_tensors(model);
    size_t n;
    ns_model_state(model, &n);
    NsProbeBatches *probes = g_new0(NsProbeBatches, 1);
    probes->batches = (size_t)s->probe_batches;
    ns_batch_init_for(&probes->batch, s);
    probes->mean_sq = g_new0(double, table->n);
    probes->state = g_new0(ns_real, n);
    probes->mean = ns_real_new(table->size, "mean gradient", error);
    if (probes->mean) return probes;
    ns_probe_batches_free(probes);
    return NULL;
}

void ns_probe_batches_free(NsProbeBatches *probes)
{
    if (!probes) return;
    ns_batch_clear(&probes->batch);
    ns_real_free(probes->mean);
    g_free(probes->mean_sq);
    g_free(probes->state);
    g_free(probes);
}

static double square(const ns_real *x, size_t n)
{
    double norm = ns_real_norm(x, n);
    return norm * norm;
}

void ns_probe_batches_run(NsProbeBatches *probes, NsModel *model, const NsCorpus *corpus,
                          const NsSettings *s)
{
    const NsTensorTable *table = ns_model_tensors(model);
    size_t n;
    ns_real *state = ns_model_state(model, &n);
    if (n) memcpy(probes->state, state, n * sizeof *state);
    memset(probes->mean, 0, table->size * sizeof *probes->mean);
    probes->single_sq = probes->whole_sq = probes->sequences = 0;

    for (size_t k = 0; k < probes->batches; k++) {
        ns_corpus_train_batch(corpus, (uint64_t)s->data_seed, APART + k, &probes->batch);
        NsNoise noise = {.training = true, .seed = (uint64_t)s->seed, .step = APART + k};
        probes->sequences += (double)probes->batch.B / (double)probes->batches;
        ns_model_measure(model, &probes->batch, &noise);
        /* Tensor by tensor, because the gaps between them are not part of the gradient. */
        const ns_real *g = ns_model_gradients(model);
        ns_real share = (ns_real)(1 / (double)probes->batches);
        for (size_t i = 0; i < table->n; i++) {
            size_t at = table->tensors[i].offset, size = ns_tensor_size(&table->tensors[i]);
            probes->single_sq += square(g + at, size) / (double)probes->batches;
            ns_add_scaled(probes->mean + at, share, g + at, size);
        }
    }
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        probes->mean_sq[i] = square(probes->mean + t->offset, ns_tensor_size(t));
        probes->whole_sq += probes->mean_sq[i];
    }
    if (n) memcpy(state, probes->state, n * sizeof *state);
}

bool ns_probe_batches_noise_scale(const NsProbeBatches *probes, double *scale)
{
    double K = (double)probes->batches, B = probes->sequences;
    double signal = (K * probes->whole_sq - probes->single_sq) / (K - 1);
    double noise = B * K * (probes->single_sq - probes->whole_sq) / (K - 1);
    *scale = noise / signal;
    return !(signal <= 0);
}
