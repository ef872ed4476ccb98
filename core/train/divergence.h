/* Finds where a run diverged.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/model/model.h"
#include "core/optim/optimizer.h"
#include "core/probe/history.h"

typedef struct {
    const NsTensorTable *table;
    const NsMeasure *seen;
    const NsTensorUpdate *updates; /* [tensors] */
    const ns_real *v;   /* second moments after the update; NULL if none can have overflowed */
    size_t first_stack; /* number of layers of the first stack */
    bool final_norm;    /* the last stack has a final norm */
    int64_t step;
} NsWatch;

/* Finds the first value that is not finite, in the order in which a step computes them: the update,
 * the second moments after it, hidden states, loss, and the gradients from the last tensor back to
 * the first.  A second moment overflows long before a loss, at gradients of 1e19 in single
 * precision; its weight can no longer change then, so the run has to stop.  Fills in an
 * NS_EVENT_DIVERGED and returns true; false if all values are finite. */
bool ns_watch(const NsWatch *watch, NsEvent *event);

/* The display name of a tensor: "W1 of layer 4", "β_final".  Free with g_free. */
char *ns_tensor_words(const NsTensor *tensor);
