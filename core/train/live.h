/* Settings that may change while a model runs.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/settings/settings.h"

/* Copies every setting whose effect is NS_EFFECT_LIVE, within its range; a NaN and an unknown
 * choice leave what was there.  True if `to` differs afterwards.  Touches no text, so it may be
 * called under a lock. */
bool ns_live_copy(NsSettings *to, const NsSettings *from);

/* Whether any of them differs. */
bool ns_live_differs(const NsSettings *a, const NsSettings *b);

/* Whether they differ in live settings at most; the length of the run and what it measures do not
 * count. */
bool ns_live_only(const NsSettings *a, const NsSettings *b);
