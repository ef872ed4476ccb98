/* A run file whose run goes on.  Internal to run_*.c.  SPDX-License-Identifier: MIT
 *
 * All of it inside a transaction of the caller; false where SQLite fails. */
#pragma once

#include "core/train/run.h"

#include <sqlite3.h>

/* The step of the newest checkpoint; -1: there is none. */
bool ns_run_newest_checkpoint(sqlite3 *db, int64_t *step);

/* Whether a run that stands at the newest checkpoint, or at step 0 where there is none (-1), will
 * measure again what the file has of it beyond: it has the same live settings there, no setting was
 * changed later, and its record there is the same to the bit. */
bool ns_run_repeats(sqlite3 *db, int64_t checkpoint, int64_t lane, NsRun *run);

/* Makes the file that of a run which goes on from there, as long as these settings say.  What it
 * has beyond goes unless it is kept. */
bool ns_run_go_back(sqlite3 *db, int64_t checkpoint, const NsSettings *settings, bool keep);

/* What the file has of one seed of a lane beyond a step: the newest step, that one where there is
 * none, and how many events. */
bool ns_run_find_tail(sqlite3 *db, int64_t after, int64_t lane, int64_t seed, int64_t *newest,
                      int64_t *events);

/* Drops what was measured after a step. */
bool ns_run_drop_after(sqlite3 *db, int64_t step);
