/* Filling in the record of a step.  SPDX-License-Identifier: MIT
 *
 * Cheap quantities come from the pass that training makes anyway.  Expensive ones are measured at
 * the multiples of `probe-every`; the record holds the time that they took. */
#pragma once

#include "core/probe/quantity.h"
#include "core/probe/record_input.h"
#include "core/probe/similarity.h"
#include "core/probe/token_snapshot.h"

/* The layout of the records of a model; of the table only the parameters count. */
void ns_record_layout_of(NsRecordLayout *layout, const NsTensorTable *table,
                         const NsSettings *settings);

/* The norm of the whole gradient, from the squared norm of each tensor's. */
double ns_record_gradient_norm(const NsTensorTable *table, const double *grad_sq);

typedef struct NsRecorder NsRecorder;

/* Allocates all that a record needs.  NULL with NS_ERROR_MEMORY. */
NsRecorder *ns_recorder_new(NsModel *model, const NsSettings *settings, GError **error);
void ns_recorder_free(NsRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsRecorder, ns_recorder_free)

const NsRecordLayout *ns_recorder_layout(const NsRecorder *recorder);

/* Before the pass of a step: where expensive quantities are due, makes the passes over the probe
 * batches that they need.  input->seen is not read.  Overwrites the gradients and activations
 * of the model; weights, moments and running statistics stay as they are. */
void ns_recorder_run_probe_batches(NsRecorder *recorder, const NsRecordInput *input);

typedef struct {
    NsValues values;      /* [layout->width], borrowed like the rest */
    double grad_norm;     /* of all tensors together */
    double probe_seconds; /* what the expensive quantities took, probe batches included; 0 where
                             none was due */
    const NsSimilarity *similarity;        /* NULL where it was not measured */
    const NsTokenSnapshot *token_snapshot; /* likewise */
} NsRecord;

/* After the pass.  Borrowed until the next call.  Allocates nothing. */
NsRecord ns_recorder_fill(NsRecorder *recorder, const NsRecordInput *input);
