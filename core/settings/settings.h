/* The values of the settings of a run.  SPDX-License-Identifier: MIT
 *
 * They are plain numbers, so that every room of core can read them.  The registries of the choices
 * belong to those rooms; core/experiment/param.h, above them all, gives access to settings by key
 * and as text. */
#pragma once

#include "core/settings/choices.h"
#include "core/settings/params.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Experiments that train side by side, on the same batches. */
#define NS_LANES_MAX 4

/* Runs of a lane that differ in their seed. */
#define NS_SEEDS_MAX 10

/* "A" .. "D"; lane < NS_LANES_MAX. */
const char *ns_lane_letter(size_t lane);

/* The lane of a letter; NS_LANES_MAX for a word that is none. */
size_t ns_lane_find(const char *letter);

/* Integers are int64_t, choices are the number of a row of their registry, texts are owned and
 * never NULL. */
typedef struct {
#define NS_INT_FIELD(field, ...) int64_t field;
#define NS_REAL_FIELD(field, ...) double field;
#define NS_CHOICE_FIELD(field, ...) unsigned field;
#define NS_TEXT_FIELD(field, ...) char *field;
    NS_PARAMS(NS_INT_FIELD, NS_REAL_FIELD, NS_CHOICE_FIELD, NS_TEXT_FIELD)
#undef NS_INT_FIELD
#undef NS_REAL_FIELD
#undef NS_CHOICE_FIELD
#undef NS_TEXT_FIELD
} NsSettings;

void ns_settings_copy(NsSettings *to, const NsSettings *from); /* `to` is not initialized */
void ns_settings_clear(NsSettings *settings);

/* Layers of the encoder and of the decoder; 0 where the architecture has none. */
int64_t ns_settings_encoder_layers(const NsSettings *settings);
int64_t ns_settings_decoder_layers(const NsSettings *settings);

/* Tokens in a source; 0 where the architecture has none. */
int64_t ns_settings_source_seq(const NsSettings *settings);

/* Sequences of full length in a batch: `batch`, or as many as have batch-tokens. */
int64_t ns_settings_batch(const NsSettings *settings);

/* The width of the feed-forward network: d-ff, or 4 d where that is 0. */
int64_t ns_settings_d_ff(const NsSettings *settings);
