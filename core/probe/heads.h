/* Measurements of attention heads.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/model/model.h"

/* The measurements of one head over a batch. */
typedef struct {
    bool has_entropy; /* some query sees two keys or more */
    float entropy;    /* mean over the queries that see n >= 2 keys of -sum P ln P / ln n */
    float first;      /* mean weight of the first key over the same queries */
    bool has_logit;   /* false for uniform attention, which has no queries and keys */
    float logit;      /* max |q.k| / sqrt(d_head) over visible pairs */
} NsHeadMeasure;

/* Measures the heads of an attention sub-layer.  heads: [H], overwritten; scratch: [T, S]. */
void ns_heads_measure(NsHeadMeasure *heads, const NsModel *model, size_t sublayer,
                      ns_real *scratch);
