/* The gradients of batches that are used for measuring only.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe.  The batches are the same ones at every step, so that what changes
 * between two steps is the model.  A pass over them leaves the gradients and activations of its
 * last batch; the pass that follows overwrites them.  Running statistics are put back. */
#pragma once

#include "core/data/corpus.h"
#include "core/model/model.h"

typedef struct {
    size_t batches; /* K */
    NsBatch batch;
    double sequences; /* B, the mean over the batches */
    ns_real *mean;    /* arena: the mean gradient */
    double *mean_sq;  /* [tensors] squared norms of the mean gradient */
    ns_real *state;   /* running statistics to put back */
    double single_sq; /* mean over batches of |g|^2 */
    double whole_sq;  /* |mean g|^2 */
} NsProbeBatches;

/* NULL with NS_ERROR_MEMORY. */
NsProbeBatches *ns_probe_batches_new(NsModel *model, const NsSettings *settings, GError **error);
void ns_probe_batches_free(NsProbeBatches *probes);

/* Passes over all batches, and fills in mean and squares. */
void ns_probe_batches_run(NsProbeBatches *probes, NsModel *model, const NsCorpus *corpus,
                          const NsSettings *settings);

/* tr(S) / |G|^2 in sequences, from |G|^2 = (K whole - single) / (K - 1) and
 * tr(S) = B K (single - whole) / (K - 1).  FALSE where that |G|^2 is not positive.  McCandlish et
 * al. 2018, appendix A. */
bool ns_probe_batches_noise_scale(const NsProbeBatches *probes, double *scale);
