/* The memory and work of a run, counted before anything is allocated by the same code that
 * allocates it.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/batch.h"
#include "core/settings/settings.h"

typedef struct {
    size_t parameters;       /* elements */
    size_t weight_bytes;     /* weights */
    size_t gradient_bytes;   /* gradients, and another arena for the mean gradient of probes */
    size_t moment_bytes;     /* Adam's two moments */
    size_t activation_bytes; /* of all threads */
    size_t total_bytes;
    double gflop_per_step; /* forward and backward, matrix products only */
    unsigned threads;      /* threads that will share a batch; one if a norm is over the batch */
} NsPlan;

NsPlan ns_model_plan(const NsSettings *settings, NsVocab vocab);

/* Adds a plan to a sum the given number of times; the sum starts as all zero. */
void ns_plan_add(NsPlan *sum, const NsPlan *plan, size_t times);

/* Sets NS_ERROR_MEMORY, with the numbers, if the plan exceeds the available memory. */
bool ns_plan_check(const NsPlan *plan, GError **error);
