/* Settings that may change while a model runs.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/settings/settings.h"

/* Copies every setting whose effect is NS_EFFECT_LIVE, clamped to its range; a NaN or an unknown
 * choice is not copied.  True if `to` has changed.  Copies no texts, so it may be called under a
 * lock. */
bool ns_live_copy(NsSettings *to, const NsSettings *from);

/* Whether any live setting differs. */
bool ns_live_differs(const NsSettings *a, const NsSettings *b);

/* Whether they differ only in live settings, in the length of the run and in what it measures. */
bool ns_live_only(const NsSettings *a, const NsSettings *b);
