/* Recorded runs, drawn without training: run files, and JSON lines of this program or another.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/probe/history.h"
#include "core/settings/settings.h"

/* Whether the file contains a recorded run. */
bool ns_recorded_is(const char *path);

/* Reads the history of each lane, with its seeds, up to step `limit`, and the last step of the run.
 * Negative limit: the last step is read, and histories may stay NULL.  Replaces histories, which
 * the caller initializes with NULL and releases. */
bool ns_recorded_read(const char *path, int64_t limit, NsHistory *histories[NS_LANES_MAX],
                      int64_t *last, GError **error);

/* Appends the lanes of a run, up to step `limit`, to the histories.  *last becomes the last step of
 * that run if it is larger. */
bool ns_recorded_add(const char *path, int64_t limit, NsHistory *histories[NS_LANES_MAX],
                     int64_t *last, GError **error);
