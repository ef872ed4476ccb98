/* The parts of a model that decoding uses.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model. */
#pragma once

#include "core/model/layout.h"
#include "core/model/model.h"

/* Borrowed from the model. */
typedef struct {
    const NsModelLayout *layout;
    const ns_real *weights;   /* standardized if the settings require it */
    const ns_real *sinusoids; /* as in NsCall */
    ns_real *state;
} NsModelParts;

/* Standardizes the current weights if the settings require it. */
NsModelParts ns_model_parts(NsModel *model);

/* Elements that a decoder of such a model allocates (decode.h). */
size_t ns_decoder_elements(const NsModelLayout *layout, size_t sequences, size_t beam);
