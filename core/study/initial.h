/* Statistics of a model before any update, over several seeds.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/probe/history.h"
#include "core/settings/settings.h"
#include "core/train/checkpoint.h"

/* Mean and sample standard deviation (0 for one seed) of every value of a record at step 0, over
 * seeds settings->seed .. + seeds - 1 (the batches stay the same).  Expensive quantities are
 * measured, too, regardless of probe-every; the mean gradient is over probe-batches batches. */
typedef struct {
    NsRecordLayout layout;
    int64_t *measured; /* [layout.width] number of seeds with a value, for mean and sd */
    double *mean, *sd; /* [layout.width] */
    double loss_mean, loss_sd;
    double grad_mean, grad_sd; /* norm of the whole gradient */
    int64_t seeds;
} NsInitial;

/* Called after every seed with the result so far, which it has to free; returns false to stop, and
 * `seeds` is then the number of seeds so far. */
typedef bool (*NsInitialProgress)(void *data, NsInitial *so_far, int64_t of);

/* `origin`: a checkpoint from which all seeds begin instead of their own initial weights, or NULL;
 * NS_ERROR_SETTING if it does not fit (ns_checkpoint_fits).  `progress`: may be NULL. */
NsInitial *ns_initial_new(const NsSettings *settings, NsCheckpoint *origin, int64_t seeds,
                          NsInitialProgress progress, void *data, GError **error);
void ns_initial_free(NsInitial *initial);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsInitial, ns_initial_free)

/* The result as one JSON object: {"settings", "arch", "layers", "seeds", "loss": {"mean", "sd"},
 * "grad_norm": {"total", "wq": {"mean": [L], "sd": [L]}, ...}, "hidden_norm": ..., "program",
 * "instructions"}.  Quantities have the same shapes as in JSON lines (core/store/jsonl.h).  A value
 * that no seed has is null; a quantity that no seed has is omitted.  Free with g_free. */
char *ns_initial_json(const NsInitial *initial, const NsSettings *settings);
