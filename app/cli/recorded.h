/* Runs that are drawn without training: run files, and JSON lines of this program or another.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/probe/history.h"
#include "core/settings/settings.h"

/* Whether a file is that of a run. */
bool ns_recorded_is(const char *path);

/* Its last step, and the history of each lane with those of its seeds up to a step; negative: there
 * may be none yet.  They take the place of those that are there, which begin as NULL. */
bool ns_recorded_read(const char *path, int64_t limit, NsHistory *histories[NS_LANES_MAX],
                      int64_t *last, GError **error);

/* Adds the lanes of a run up to a step to those that are there; *last becomes its last step if that
 * is later. */
bool ns_recorded_add(const char *path, int64_t limit, NsHistory *histories[NS_LANES_MAX],
                     int64_t *last, GError **error);
