/* The values of the settings of a run.  SPDX-License-Identifier: MIT
 *
 * They are plain numbers, so that every library of core can read them.  The registries of the
 * choices belong to other libraries; core/experiment/param.h, which sees them all, gives access to
 * settings by key and as text. */
#pragma once

#include "core/settings/choices.h"
#include "core/settings/params.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lanes: experiments that train side by side, on the same batches. */
#define NS_LANES_MAX 4

/* Runs of a lane, which differ in their seed. */
#define NS_SEEDS_MAX 10

/* "A" .. "D"; lane < NS_LANES_MAX. */
const char *ns_lane_letter(size_t lane);

/* Returns the lane with this letter, or NS_LANES_MAX if there is none. */
size_t ns_lane_find(const char *letter);

/* Integers are int64_t; choices are row numbers of their registries; texts are owned and never
 * NULL. */
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

void ns_settings_copy(NsSettings *to, const NsSettings *from); /* `to` may be uninitialized */
void ns_settings_clear(NsSettings *settings);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsSettings, ns_settings_clear)

/* Sets the intervals of all measurements of the model to 0, for a model that is only used. */
void ns_settings_measure_nothing(NsSettings *settings);

/* Number of layers of the encoder and of the decoder; 0 if the architecture has none. */
int64_t ns_settings_encoder_layers(const NsSettings *settings);
int64_t ns_settings_decoder_layers(const NsSettings *settings);

/* Tokens in a source; 0 if the architecture has no source. */
int64_t ns_settings_source_seq(const NsSettings *settings);

/* Sequences of full length in a batch: `batch`, or as many as fit in batch-tokens. */
int64_t ns_settings_batch(const NsSettings *settings);

/* Heads of keys and values: kv-heads, or as many as heads if kv-heads is 0. */
int64_t ns_settings_kv_heads(const NsSettings *settings);

/* The width of the feed-forward network: d-ff, or 4 d if d-ff is 0. */
int64_t ns_settings_d_ff(const NsSettings *settings);

/* m of μP: d-model over base-width, or 1 if base-width is 0. */
double ns_settings_width_ratio(const NsSettings *settings);
