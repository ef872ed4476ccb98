/* Everything another framework needs to repeat one step.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/train/run.h"

/* Writes params.safetensors, grads.safetensors, batch.safetensors (tokens, targets: int64 [B, T])
 * and meta.json (settings, step, loss in full precision) into a directory, which is made if it is
 * not there: the weights, the gradient of the loss at these weights and the batch, as of the run's
 * newest record. */
bool ns_dump(NsRun *run, const char *directory, GError **error);
