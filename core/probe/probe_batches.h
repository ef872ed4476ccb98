/* The gradients of batches that are used for measuring only.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe.  The batches are the same at every step, so that differences between two
 * steps come from the model alone.  A pass over them overwrites the gradients and activations of
 * the model and restores its running statistics. */
#pragma once

#include "core/data/corpus.h"
#include "core/model/model.h"

typedef struct {
    size_t batches; /* K */
    NsBatch batch;
    double sequences; /* B, sequences in a batch, mean over the batches */
    ns_real *mean;    /* the mean gradient, in the layout of the tensor table */
    double *mean_sq;  /* [tensors] squared norms of the mean gradient */
    ns_real *state;   /* copy of the running statistics */
    double single_sq; /* mean over batches of |g|^2 */
    double whole_sq;  /* |mean g|^2 */
} NsProbeBatches;

/* NULL with NS_ERROR_MEMORY. */
NsProbeBatches *ns_probe_batches_new(NsModel *model, const NsSettings *settings, GError **error);
void ns_probe_batches_free(NsProbeBatches *probes);

/* Makes a forward and backward pass over every batch, and sets mean, mean_sq, single_sq, whole_sq
 * and sequences. */
void ns_probe_batches_run(NsProbeBatches *probes, NsModel *model, const NsCorpus *corpus,
                          const NsSettings *settings);

/* The gradient noise scale tr(S) / |G|^2 in sequences, from
 * |G|^2 = (K whole - single) / (K - 1) and tr(S) = B K (single - whole) / (K - 1).
 * False if that estimate of |G|^2 is not positive.  McCandlish et al. 2018, appendix A. */
bool ns_probe_batches_noise_scale(const NsProbeBatches *probes, double *scale);
