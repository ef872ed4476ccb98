/* Settings as text in a caption.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/param.h"

/* Appends a setting in a short form that resembles its key: "6 layers", "no warm-up", "batch 16".
 */
void ns_settings_append_words(GString *words, const NsParam *param, const NsSettings *settings);

/* "Post-LN, 6 layers, lr 0.003, no warm-up".  Free with g_free. */
char *ns_settings_words(const NsSettings *settings);

/* The same for what several settings have in common: "6 layers, no warm-up".  Free with g_free. */
char *ns_settings_common_words(const NsSettings *const *settings, size_t n);

/* "Post-LN", a formula, or "mixture post*3,pre*9" if layers have different placements.  Free with
 * g_free. */
char *ns_settings_placement_words(const NsSettings *settings);

/* The settings of one lane that differ between lanes: "Post-LN", or "" if none do.  If more
 * than a few differ, settings in which the lane agrees with the majority are omitted, except for
 * those of ns_settings_words, and the list is cut with an ellipsis if it is still too long.
 * LayerNorm is named only if the placement is the same.  Free with g_free. */
char *ns_settings_special_words(const NsSettings *const *settings, size_t n, size_t which);

/* The settings of `other` that differ: "Pre-LN, warm-up 100", or "same settings".  Free with
 * g_free. */
char *ns_settings_difference(const NsSettings *other, const NsSettings *settings);
