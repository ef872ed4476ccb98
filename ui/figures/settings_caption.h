/* Settings in the words of a caption.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/settings/settings.h"

/* "Post-LN, 6 layers, lr 0.003, warm-up 1".  Free with g_free. */
char *ns_settings_words(const NsSettings *settings);

/* The same of several settings: what they have in common, "6 layers, lr 0.003, warm-up 1".  Free
 * with g_free. */
char *ns_settings_common_words(const NsSettings *const *settings, size_t n);

/* "Post-LN", or "mixture post*3,pre*9" where layers have placements of their own.  Free with
 * g_free.
 */
char *ns_settings_placement_words(const NsSettings *settings);

/* The settings of one lane that differ from the others: "Post-LN", or "" if none do.  A brief name
 * of one that differs in more than a few leaves out what most of them have, but for the placement,
 * and ends in an ellipsis if that is not enough.  Free with g_free. */
char *ns_settings_special_words(const NsSettings *const *settings, size_t n, size_t which,
                                bool brief);

/* What is different in `other`, in the same words: "Pre-LN, warm-up 100", or "same settings".
 * Free with g_free. */
char *ns_settings_difference(const NsSettings *other, const NsSettings *settings);
