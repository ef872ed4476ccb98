/* The quantities that are not measured at every step.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/model/model.h"
#include "core/probe/probe_batches.h"
#include "core/probe/quantity.h"
#include "core/probe/record.h"
#include "core/probe/token_snapshot.h"

/* Where a hidden state is stored: as the input or the output of a sub-layer. */
typedef struct {
    size_t sublayer;
    bool input;
    unsigned stack; /* 0, or 1 for the decoder of an encoder-decoder */
} NsStateSource;

/* The measurements of one head over a batch. */
typedef struct {
    bool has_entropy; /* some query sees two keys or more */
    float entropy;    /* mean over the queries that see n >= 2 keys of -sum P ln P / ln n */
    float first;      /* mean weight of the first key over the same queries */
    bool has_logit;   /* false for uniform attention, which has no queries and keys */
    float logit;      /* max |q.k| / sqrt(d_head) over visible pairs */
} NsHeadMeasure;

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
