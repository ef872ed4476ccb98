/* Settings in the words of a caption.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/model/settings.h"

/* "Post-LN, 6 layers, lr 0.003, warm-up 1".  Free with g_free. */
char *ns_settings_words(const NsSettings *settings);

/* What is different in `other`, in the same words: "Pre-LN, warm-up 100", or "same settings".
 * Free with g_free. */
char *ns_settings_difference(const NsSettings *other, const NsSettings *settings);
