/* Resuming the run of a run file.  Internal to run_*.c.  SPDX-License-Identifier: MIT
 *
 * All functions run within a transaction of the caller and return false if SQLite fails. */
#pragma once

#include "core/train/run.h"

#include <sqlite3.h>

/* Finds the step of the newest checkpoint; -1 if there is none. */
bool ns_run_newest_checkpoint(sqlite3 *db, int64_t *step);

/* Whether a run at the newest checkpoint (-1: at step 0, there is none) will reproduce the later
 * records of the file: its live settings are the same, no setting was changed later, and its record
 * at this step has the same bits. */
bool ns_run_repeats(sqlite3 *db, int64_t checkpoint, int64_t lane, NsRun *run);

/* Prepares the file for a run that is resumed at the checkpoint and has the length of these
 * settings.  Later records are deleted unless `keep`. */
bool ns_run_go_back(sqlite3 *db, int64_t checkpoint, const NsSettings *settings, bool keep);

/* Finds what the file has of one seed of a lane after a step: the newest step (`after` if there is
 * none) and the number of events. */
bool ns_run_find_tail(sqlite3 *db, int64_t after, int64_t lane, int64_t seed, int64_t *newest,
                      int64_t *events);

/* Deletes everything measured after a step. */
bool ns_run_drop_after(sqlite3 *db, int64_t step);
