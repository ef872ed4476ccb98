/* Checkpoints in a run file.  Internal to run_*.c.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/train/checkpoint.h"

#include <sqlite3.h>

/* Writes the checkpoint of a lane (from 1) with all its seeds at a step of the clock, inside a
 * transaction of the caller.  SQLITE_OK, or what SQLite says. */
int ns_run_checkpoint_write(sqlite3 *db, int64_t step, int64_t lane, const NsCheckpoint *first);

/* Drops checkpoints until the budget holds, by the rule of core/train/checkpoints.h; the newest
 * always stays, however large it is.  The same. */
int ns_run_checkpoints_thin(sqlite3 *db, int64_t budget);

/* The checkpoint of one seed of a lane.  NULL where it is damaged or does not fit into the memory.
 */
NsCheckpoint *ns_run_checkpoint_read(sqlite3 *db, int64_t step, int64_t lane, int64_t seed);

/* Gives the checkpoint of one seed of a lane the settings that hold from there on. */
bool ns_run_change_checkpoint(sqlite3 *db, int64_t step, int64_t lane, const NsSettings *settings);
