/* Tiny models with a batch of every kind of trouble.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/model/model.h"
#include "core/model/placement.h"

#define NS_CASE_VOCAB 11

/* Two layers in every stack, one thread. */
#define NS_TINY                                                                                    \
    "layers=2 d-model=6 heads=2 d-ff=7 seq=5 source-seq=4 batch=3 threads=1 norm-eps=1e-5 "

typedef struct {
    NsSettings settings;
    NsModel *model;
    NsBatch batch;
    NsNoise noise;
} NsCase;

/* Settings from "key=value key=value" on top of NS_TINY; `placement` NULL: the settings' own.
 * Sequences have different lengths, and some positions no target.  With task=mlm there are segments
 * and labels, which some sequences lack. */
void ns_case_init(NsCase *c, const char *assignments, const NsPlacement *placement);
void ns_case_clear(NsCase *c);

/* Moves every weight away from the initial ones and zeros, where gains and biases would hide
 * mistakes. */
void ns_case_stir(NsCase *c, double std);

/* Makes every position of the batch count. */
void ns_case_fill(NsCase *c);

/* Forward, backward and the loss, with the noise of the case. */
NsMeasure ns_case_measure(NsCase *c);

/* Finite differences of the loss along every tensor against its gradient. */
void ns_case_check(NsCase *c, int directions);

/* <gradient of the tensor, the tensor>, and the norm of its gradient. */
double ns_case_along(NsCase *c, const char *name);
double ns_case_gradient(NsCase *c, const char *name);

/* The row of a registry. */
const NsPlacement *ns_placement_named(const char *key);

/* Everything that a wiring can have, at once: what the registry's rows choose from. */
void ns_case_wire_everything(NsWiring *w, const NsPosition *p);
