/* The quantities that are not measured at every step.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/probe/activations.h"
#include "core/probe/probe_batches.h"
#include "core/probe/quantity.h"
#include "core/probe/record.h"
#include "core/probe/token_snapshot.h"

/* Buffers and results of the measurements. */
typedef struct {
    NsRecordLayout layout;
    NsProbeBatches *batches;
    NsStateSource *sources; /* [hidden] */
    size_t D;               /* width */
    NsTeam *team;
    size_t work_size; /* elements of `work` for each team member */
    ns_real *work;    /* [members, work_size] */
    double *sums;     /* [members, D] */
    double *vectors;  /* [members, vectors_size] of the singular values */
    size_t vectors_size;
    NsHeadMeasure *heads; /* [members, H] */
    const ns_real **rows; /* [states, NS_SIMILARITY_TOKENS] */
    double *norms;        /* [states, NS_SIMILARITY_TOKENS] */
    ns_real *grams;       /* scratch of the similarity */
    NsSimilarity similarity;
    NsTokenSnapshot *snapshot;
} NsExpensiveProbes;

/* NULL with NS_ERROR_MEMORY. */
NsExpensiveProbes *ns_expensive_probes_new(NsModel *model, const NsSettings *settings,
                                           const NsRecordLayout *layout, GError **error);
void ns_expensive_probes_free(NsExpensiveProbes *probes);

/* Call after the forward and backward pass of a step.  Writes all expensive values into a record,
 * probes->similarity and probes->snapshot. */
void ns_expensive_probes_fill(NsExpensiveProbes *probes, const NsRecordInput *input,
                              NsValues values);
