/* SPDX-License-Identifier: MIT */
#include "core/settings/settings.h"

#define NO_TEXT(...)

const char *ns_lane_letter(size_t lane)
{
    static const char *const letters[NS_LANES_MAX] = {"A", "B", "C", "D"};
    return letters[lane];
}

size_t ns_lane_find(const char *letter)
{
    size_t lane = 0;
    while (lane < NS_LANES_MAX && !g_str_equal(letter, ns_lane_letter(lane))) lane++;
    return lane;
}

void ns_settings_copy(NsSettings *to, const NsSettings *from)
{
    *to = *from;
#define COPY_TEXT(field, ...) to->field = g_strdup(from->field);
    NS_PARAMS(NO_TEXT, NO_TEXT, NO_TEXT, COPY_TEXT)
#undef COPY_TEXT
}

void ns_settings_clear(NsSettings *settings)
{
#define CLEAR_TEXT(field, ...) g_clear_pointer(&settings->field, g_free);
    NS_PARAMS(NO_TEXT, NO_TEXT, NO_TEXT, CLEAR_TEXT)
#undef CLEAR_TEXT
}

int64_t ns_settings_kv_heads(const NsSettings *settings)
{
    return settings->kv_heads ? settings->kv_heads : settings->heads;
}

double ns_settings_width_ratio(const NsSettings *settings)
{
    return settings->base_width ? (double)settings->d_model / (double)settings->base_width : 1;
}

void ns_settings_measure_nothing(NsSettings *settings)
{
    settings->probe_every = settings->ablation_every = 0;
    settings->curvature_every = settings->sharpness_every = 0;
}

int64_t ns_settings_d_ff(const NsSettings *settings)
{
    return settings->d_ff ? settings->d_ff : 4 * settings->d_model;
}

int64_t ns_settings_encoder_layers(const NsSettings *settings)
{
    return settings->arch == NS_ARCH_DECODER ? 0 : settings->layers;
}

int64_t ns_settings_decoder_layers(const NsSettings *settings)
{
    switch (settings->arch) {
    case NS_ARCH_ENCODER:
        return 0;
    case NS_ARCH_ENCODER_DECODER:
        return settings->decoder_layers ? settings->decoder_layers : settings->layers;
    default:
        return settings->layers;
    }
}

int64_t ns_settings_source_seq(const NsSettings *settings)
{
    if (settings->arch != NS_ARCH_ENCODER_DECODER) return 0;
    return settings->source_seq ? settings->source_seq : settings->seq;
}

int64_t ns_settings_batch(const NsSettings *settings)
{
    if (settings->batch_tokens == 0) return settings->batch;
    return MAX(settings->batch_tokens / MAX(settings->seq, ns_settings_source_seq(settings)), 1);
}
