/* The memory and work of a run, counted before anything is allocated by the same code that
 * allocates it.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/batch.h"
#include "core/settings/settings.h"

typedef struct {
    size_t parameters;       /* elements */
    size_t weight_bytes;     /* weights */
    size_t gradient_bytes;   /* gradients, and arenas for the mean gradient and for curvature */
    size_t moment_bytes;     /* Adam's two moments */
    size_t activation_bytes; /* of all threads */
    size_t total_bytes;
    double gflop_per_step; /* forward and backward, matrix products only */
    unsigned threads;      /* threads that will share a batch; one if a norm is over the batch */
} NsPlan;

/* Arenas of the tensor table that measuring curvature takes (core/probe/curvature.h). */
enum { NS_CURVATURE_ARENAS = 6 };

/* The gates that measuring curvature takes, a byte each: of every unit of ReLU, for every position
 * of a batch. */
size_t ns_plan_gates(const NsSettings *settings);

NsPlan ns_model_plan(const NsSettings *settings, NsVocab vocab);

/* Adds a plan to a sum the given number of times; the sum starts as all zero. */
void ns_plan_add(NsPlan *sum, const NsPlan *plan, size_t times);

/* Sets NS_ERROR_MEMORY, with the numbers, if the plan exceeds the available memory. */
bool ns_plan_check(const NsPlan *plan, GError **error);
