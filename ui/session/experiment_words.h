/* An experiment in words.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/experiment.h"

/* The result of undo or redo: "Layers is 6 again", "Norm placement of B is Post-LN again", "3
 * settings are as they were", "Lane C is back".  Free with g_free. */
char *ns_experiment_again_words(const NsExperiment *from, const NsExperiment *to);

/* The difference between two runs, setting by setting: "Layers 6 → 12, Warm-up 1 → 100", "Layers 6
 * → 12 and 4 more settings"; the title of `to` if the numbers of lanes differ; NULL if all settings
 * are the same.  Free with g_free. */
char *ns_experiment_difference_words(const NsExperiment *from, const NsExperiment *to);

/* A value for display: the label of a choice, the base name of a file, "off".  Free with g_free. */
char *ns_settings_value_words(const NsSettings *settings, const NsParam *param);

/* The number of settings that differ between lanes. */
size_t ns_experiment_differences(const NsExperiment *experiment);

/* "Post-LN, 6 layers", "Post-LN vs Pre-LN, 6 layers".  Free with g_free. */
char *ns_experiment_title(const NsExperiment *experiment);

/* Of these, the part that differs: "Post-LN vs Pre-LN", "6 layers vs 12 layers".  Free with g_free.
 */
char *ns_experiment_brief_title(const NsExperiment *experiment);
