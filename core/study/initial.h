/* What a model looks like before any update, over several seeds.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/probe/history.h"
#include "core/settings/settings.h"
#include "core/train/checkpoint.h"

/* Mean and sample standard deviation (0 for one seed) of every value of a record at step 0, over
 * seeds settings->seed .. + seeds - 1 (the batches stay the same).  Expensive quantities are
 * measured too, whatever probe-every says; the mean gradient is that over probe-batches batches. */
typedef struct {
    NsRecordLayout layout;
    int64_t
        *measured; /* [layout.width] seeds at which the value exists; mean and sd are over these */
    double *mean, *sd; /* [layout.width] */
    double loss_mean, loss_sd;
    double grad_mean, grad_sd; /* all tensors together */
    int64_t seeds;
} NsInitial;

/* Called after every seed with the result of those there are, which it is to free; FALSE ends it,
 * and `seeds` says how many there are. */
typedef bool (*NsInitialProgress)(void *data, NsInitial *so_far, int64_t of);

/* origin: where all begin instead of at weights of their own, NULL for none; NS_ERROR_SETTING where
 * it does not fit (ns_checkpoint_fits).  progress: NULL for none. */
NsInitial *ns_initial_new(const NsSettings *settings, NsCheckpoint *origin, int64_t seeds,
                          NsInitialProgress progress, void *data, GError **error);
void ns_initial_free(NsInitial *initial);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsInitial, ns_initial_free)

/* As one JSON object: {"settings", "arch", "layers", "seeds", "loss": {"mean", "sd"}, "grad_norm":
 * {"total", "wq": {"mean": [L], "sd": [L]}, ...}, "hidden_norm": ...}, every quantity in the shape
 * that it has in JSON lines (core/store/jsonl.h).  Null where no seed has the value; a quantity
 * that no seed has is left out; "program" and "instructions" are last.  Free with g_free. */
char *ns_initial_json(const NsInitial *initial, const NsSettings *settings);
