/* SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

#include "core/base/error.h"

void ns_lane_options_clear(NsLaneOptions *lanes)
{
    for (size_t i = 0; i < lanes->n; i++) ns_settings_clear(&lanes->settings[i]);
    g_strfreev(lanes->words);
    *lanes = (NsLaneOptions){0};
}

GOptionEntry ns_lane_options_entry(NsLaneOptions *lanes)
{
    return (GOptionEntry){"lane",
                          'l',
                          0,
                          G_OPTION_ARG_FILENAME_ARRAY,
                          &lanes->words,
                          "What is special about a lane, settings with spaces between; two to four "
                          "times",
                          "SETTINGS"};
}

/* The lanes of a preset; each is called by what is special about it. */
static void take_preset(NsLaneOptions *lanes, const NsPreset *preset)
{
    lanes->words = g_new0(char *, preset->lanes + 1);
    for (; lanes->n < preset->lanes; lanes->n++) {
        const NsSettings *lane = &preset->lane[lanes->n];
        ns_settings_copy(&lanes->settings[lanes->n], lane);
        lanes->words[lanes->n] = ns_settings_line(lane, false);
    }
}

static bool take_words(NsLaneOptions *lanes, const NsSettings *common, GError **error)
{
    size_t n = g_strv_length(lanes->words);
    if (n > NS_LANES_MAX) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "There are %zu lanes; give --lane at most %d times.", n, NS_LANES_MAX);
        return false;
    }
    for (; lanes->n < n; lanes->n++) {
        NsSettings *settings = &lanes->settings[lanes->n];
        ns_settings_copy(settings, common);
        if (ns_settings_assign_all(settings, lanes->words[lanes->n], error) &&
            ns_settings_check(settings, error))
            continue;
        ns_settings_clear(settings);
        return false;
    }
    return true;
}

bool ns_lane_options_read(NsLaneOptions *lanes, const NsSettings *common, const NsPreset *preset,
                          const NsExperiment *from, GError **error)
{
    bool given = lanes->words && *lanes->words;
    bool several = preset && preset->lanes > 1;
    if (given && several) {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_USAGE,
                            "The preset has lanes of its own; leave out --lane, or name a preset "
                            "of one lane.");
        return false;
    }
    if (several) {
        take_preset(lanes, preset);
        return true;
    }
    if (!given && from && from->n_lanes > 1) {
        g_strfreev(lanes->words);
        lanes->words = g_new0(char *, from->n_lanes + 1);
        for (size_t i = 0; i < from->n_lanes; i++) lanes->words[i] = g_strdup(from->lanes[i]);
        given = true;
    }
    if (given) return take_words(lanes, common, error);
    ns_settings_copy(&lanes->settings[lanes->n++], common);
    return true;
}

NsLockstep *ns_lane_options_start(const NsLaneOptions *lanes, GError **error)
{
    const NsSettings *settings[NS_LANES_MAX];
    for (size_t i = 0; i < lanes->n; i++) settings[i] = &lanes->settings[i];
    return ns_lockstep_new(settings, NULL, lanes->n, error);
}
