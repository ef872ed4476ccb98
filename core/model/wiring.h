/* The wiring of a model: which norms, factors and skips its settings put where.
 * SPDX-License-Identifier: MIT
 *
 * This applies the mixture, the norm kind and the switches to the rows of the placement registry.
 * The model is built from it, and its diagram is drawn from it. */
#pragma once

#include "core/model/placement.h"
#include "core/settings/settings.h"

/* Sets NS_ERROR_SETTING if no model can be built from these settings: d-model is not a multiple of
 * heads, uniform attention has several heads or norms on queries and keys, or the mixture cannot be
 * parsed. */
bool ns_wiring_check(const NsSettings *settings, GError **error);

#define NS_STACKS_MAX 2
#define NS_LAYER_SUBLAYERS 3

/* An encoder or a decoder. */
typedef struct {
    bool decoder;
    bool cross; /* its layers attend to the output of the previous stack */
    bool dual;  /* it has a second stream */
    bool embedding_norm, final_norm;
    const NsNorm *norm; /* the kind of both norms, that of the last layer; NULL without norms */
    unsigned first;     /* its first layer, numbered from 0 through all stacks */
    unsigned layers;
} NsStackWiring;

/* `placement`: NULL for the placement or mixture of the settings.  Returns the number of stacks. */
size_t ns_stacks_wiring(const NsSettings *settings, const NsPlacement *placement,
                        NsStackWiring stacks[NS_STACKS_MAX]);

typedef struct {
    NsPosition position;
    NsWiring c;
} NsSublayerWiring;

/* Fills in the sub-layers of a layer, from its input upward, and returns their number.  Layers are
 * numbered from 0 in their stack. */
size_t ns_layer_wiring(const NsSettings *settings, const NsPlacement *placement,
                       const NsStackWiring *stack, unsigned layer,
                       NsSublayerWiring sublayers[NS_LAYER_SUBLAYERS]);

/* The norm kind at a placement: that of the settings or, if it is `auto`, that of the placement's
 * row; NULL without norms. */
const NsNorm *ns_norm_kind(const NsSettings *settings, const NsPlacement *placement);

/* Whether layers can differ in their placement. */
bool ns_settings_are_mixed(const NsSettings *settings);

/* The placement of a layer: that of the settings, or of their mixture. */
const NsPlacement *ns_placement_at(const NsSettings *settings, unsigned layer, unsigned layers);
