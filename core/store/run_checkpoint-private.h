/* Checkpoints in a run file.  Internal to run_*.c.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/train/checkpoint.h"

#include <sqlite3.h>

/* Writes the checkpoint of a lane (counted from 1) with all its seeds at a step of the run, within
 * a transaction of the caller.  Returns false if SQLite fails. */
bool ns_run_checkpoint_write(sqlite3 *db, int64_t step, int64_t lane, const NsCheckpoint *first);

/* Deletes checkpoints until they fit into the budget in bytes, by the rule of
 * core/train/checkpoints.h; the newest is never deleted.  Returns false if SQLite fails. */
bool ns_run_checkpoints_thin(sqlite3 *db, int64_t budget);

/* Reads the checkpoint of one seed of a lane.  Returns NULL if it is damaged or memory runs out. */
NsCheckpoint *ns_run_checkpoint_read(sqlite3 *db, int64_t step, int64_t lane, int64_t seed);

/* Replaces the settings in the checkpoint of one seed of a lane. */
bool ns_run_change_checkpoint(sqlite3 *db, int64_t step, int64_t lane, const NsSettings *settings);
