/* What stands where in a model of these settings.  SPDX-License-Identifier: MIT
 *
 * The rows of the placement registry with what mixture, norm kind and switches make of them.  The
 * model is built from this, and a diagram of it is drawn from this. */
#pragma once

#include "core/model/placement.h"
#include "core/settings/settings.h"

/* NS_ERROR_SETTING where these settings make no model: d-model is no multiple of heads, uniform
 * attention has several heads or norms on queries and keys, or the mixture cannot be read. */
bool ns_wiring_check(const NsSettings *settings, GError **error);

#define NS_STACKS_MAX 2
#define NS_LAYER_SUBLAYERS 3

/* An encoder or a decoder. */
typedef struct {
    bool decoder;
    bool cross; /* its layers look at the output of the stack before */
    bool dual;  /* it has a second stream */
    bool embedding_norm, final_norm;
    const NsNorm *norm; /* the kind of both, that of the last layer; NULL: there is none */
    unsigned first;     /* layer, numbered from 0 through all stacks */
    unsigned layers;
} NsStackWiring;

/* `placement` NULL: the settings' own, or their mixture.  Returns how many stacks there are. */
size_t ns_stacks_wiring(const NsSettings *settings, const NsPlacement *placement,
                        NsStackWiring stacks[NS_STACKS_MAX]);

typedef struct {
    NsPosition position;
    NsWiring c;
} NsSublayerWiring;

/* The sub-layers of a layer, numbered from 0 in its stack, from below; returns how many. */
size_t ns_layer_wiring(const NsSettings *settings, const NsPlacement *placement,
                       const NsStackWiring *stack, unsigned layer,
                       NsSublayerWiring sublayers[NS_LAYER_SUBLAYERS]);

/* The kind of the norms at a placement: what the settings say, or what its row says to `auto`; NULL
 * where there are none. */
const NsNorm *ns_norm_kind(const NsSettings *settings, const NsPlacement *placement);

/* The placement of a layer: that of the settings, or of their mixture. */
const NsPlacement *ns_placement_at(const NsSettings *settings, unsigned layer, unsigned layers);
