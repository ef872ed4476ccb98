/* SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

#include "core/base/error.h"

#include <math.h>
#include <stdio.h>

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

static void settings_of(const NsLaneOptions *lanes, const NsSettings *settings[NS_LANES_MAX])
{
    for (size_t i = 0; i < lanes->n; i++) settings[i] = &lanes->settings[i];
}

static void take(NsLaneOptions *lanes, const NsSettings *const *settings, size_t n)
{
    g_auto(NsExperiment) experiment = {0};
    ns_experiment_set_lanes(&experiment, settings, n);
    lanes->words = g_new0(char *, n + 1);
    for (; lanes->n < n; lanes->n++) {
        ns_settings_copy(&lanes->settings[lanes->n], settings[lanes->n]);
        lanes->words[lanes->n] = ns_experiment_lane_words(&experiment, lanes->n);
    }
}

/* `named`: the words are a person's, who has named these already; NULL for those of a file. */
static bool take_words(NsLaneOptions *lanes, const NsSettings *common, const NsNamed *named,
                       GError **error)
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
        NsNamed below = named ? ns_named_below(named) : (NsNamed){0};
        const char *words = lanes->words[lanes->n];
        bool good = named ? ns_settings_name_all(settings, &below, words, error)
                          : ns_settings_assign_all(settings, words, error);
        if (good && ns_settings_check(settings, error)) continue;
        ns_settings_clear(settings);
        return false;
    }
    return true;
}

bool ns_lane_options_read(NsLaneOptions *lanes, const NsSettings *common, const NsNamed *named,
                          const NsPreset *preset, const NsProvenance *from, GError **error)
{
    const NsSettings *settings[NS_LANES_MAX];
    bool given = lanes->words && *lanes->words;
    bool several = preset && preset->experiment.n > 1;
    if (given && several) {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_USAGE,
                            "The preset has lanes of its own; leave out --lane, or name a preset "
                            "of one lane.");
        return false;
    }
    if (several) {
        for (size_t i = 0; i < preset->experiment.n; i++) settings[i] = &preset->experiment.lane[i];
        take(lanes, settings, preset->experiment.n);
        return true;
    }
    if (!given && from && from->experiment.n > 1) {
        for (size_t i = 0; i < from->experiment.n; i++) settings[i] = &from->experiment.lane[i];
        take(lanes, settings, from->experiment.n);
        return true;
    }
    if (given) return take_words(lanes, common, named, error);
    ns_settings_copy(&lanes->settings[lanes->n++], common);
    return true;
}

static NsLockstep *start(const NsSettings *const *settings, size_t n, const char *out,
                         GError **error)
{
    for (size_t i = 0; i < n; i++)
        if (!ns_output_spares(out, settings[i]->text, error)) return NULL;
    return ns_lockstep_new(settings, NULL, n, error);
}

NsLockstep *ns_lane_options_start(const NsLaneOptions *lanes, const char *out, GError **error)
{
    const NsSettings *settings[NS_LANES_MAX];
    settings_of(lanes, settings);
    return start(settings, lanes->n, out, error);
}

NsLockstep *ns_lane_start(const NsSettings *settings, const char *out, GError **error)
{
    return start(&settings, 1, out, error);
}

gint64 ns_lanes_steps(NsLockstep *lockstep)
{
    gint64 steps = 0;
    for (size_t i = 0; i < ns_lockstep_lanes(lockstep); i++) {
        const NsHistory *history = ns_run_history(ns_lockstep_lane(lockstep, i));
        steps = MAX(steps, ns_history_step(history, ns_history_steps(history) - 1)->step);
    }
    return steps;
}

void ns_lanes_train(NsLockstep *lockstep, gint64 limit, NsInterruptFinish *finish, void *data)
{
    NsProgress progress;
    ns_progress_start(&progress, limit > 0);
    ns_interrupt_catch();
    bool go = true;
    while (go && !ns_interrupt_signal() && ns_lanes_steps(lockstep) < limit) {
        ns_interrupt_begin(finish, data);
        go = ns_lockstep_step(lockstep);
        ns_interrupt_end();
        if (go) ns_progress_step(&progress, ns_lanes_steps(lockstep), limit, (double)NAN);
    }
    ns_progress_end(&progress);
}

void ns_lanes_tell_end(NsLockstep *lockstep, gint64 limit)
{
    gint64 step = ns_lanes_steps(lockstep);
    if (step >= limit) return;
    const char *why = ns_interrupt_signal()             ? "Interrupted"
                      : ns_lockstep_lanes(lockstep) > 1 ? "The last lane diverged"
                                                        : "The run diverged";
    fprintf(stderr,
            NS_CLI ": %s at step %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                   "; what there was until then has been written.\n",
            why, step, limit);
}
