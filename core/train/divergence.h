/* Where the first value of a run that is not finite came from.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/model/model.h"
#include "core/optim/optimizer.h"
#include "core/probe/history.h"

typedef struct {
    const NsTensorTable *table;
    const NsMeasure *seen;
    const NsTensorUpdate *updates; /* [tensors] */
    const ns_real *v;   /* second moments after that update, NULL where none can have overflowed */
    size_t first_stack; /* layers of the first stack */
    bool final_norm;    /* the last stack has one */
    int64_t step;
} NsWatch;

/* Finds the first value that is not finite, in the order in which a step computes them: the update,
 * the second moments after it, hidden states, loss, gradients from the last tensor back to the
 * first.  A second moment overflows long before a loss does, at gradients of
 * 1e19 in single precision, and from then on its weight can no longer move, so the lane has to
 * stop.  Fills in an NS_EVENT_DIVERGED and returns true; false where all are finite. */
bool ns_watch(const NsWatch *watch, NsEvent *event);

/* "W1 of layer 4", "β_final": what people call a tensor.  Free with g_free. */
char *ns_tensor_words(const NsTensor *tensor);
