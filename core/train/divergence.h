/* Where a run ceased to be finite.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/model/model.h"
#include "core/probe/history.h"

typedef struct {
    const NsTensorTable *table;
    const NsMeasure *seen;
    const double *update_sq, *grad_sq; /* [tensors] squared norms */
    size_t first_stack;                /* layers of the first stack */
    bool final_norm;                   /* there is one after the last stack */
    int64_t step;
} NsWatch;

/* The first value that is not finite, in the order in which a step computes them: the update that
 * led here, hidden states, loss, gradients from the last tensor back to the first.  Fills in an
 * NS_EVENT_DIVERGED and returns true; false where all are finite. */
bool ns_watch(const NsWatch *watch, NsEvent *event);
