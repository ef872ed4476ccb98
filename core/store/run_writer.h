/* Writes a run into a file while it trains.  SPDX-License-Identifier: MIT
 *
 * A run file, *.nsrun, holds one seed of every lane, and no weights.  It is a database of SQLite
 * with application id 0x4e735275 and its version of the schema, 1, as user_version:
 *
 *     run          program, experiment (core/experiment/provenance.h), began (Unix time)
 *     lanes        lane (from 1), settings and summary as in core/store/jsonl.h; no summary while
 *                  the run goes on, or where it was killed
 *     steps        lane, step, loss, lr, grad_norm, seconds, probe_seconds: a row for every record;
 *                  NULL for NaN
 *     quantities   id, lane, key of the registry, size: values a step
 *     profiles     quantity (its id), first, steps: of consecutive steps that measured it, data:
 *                  float32[steps][size], little-endian, present: uint8[steps][size], 1 where there
 *                  is a value; NULL where all are there
 *     evaluations  lane, step, loss: on held-out text
 *     events       lane, step, kind, layer (from 1, or NULL), what, text
 *
 * A thread of its own writes what was added, and commits it twice a second with every step whole:
 * the trainer never waits for the disk.  While it does, the newest part is in two files beside it,
 * -wal and -shm; others can read it. */
#pragma once

#include "core/train/lockstep.h"

typedef struct NsRunWriter NsRunWriter;

/* Makes a file for the run of these lanes, to be recorded from here on.  NULL with NS_ERROR_FILE
 * or NS_ERROR_MEMORY; with NS_ERROR_USAGE where lanes have several seeds, or where
 * there is a file of this name, which stays as it is. */
NsRunWriter *ns_run_writer_new(const char *path, NsLockstep *lockstep, GError **error);

/* Takes what the lanes have measured since the last call.  To be called after every step, because
 * histories thin what is older. */
void ns_run_writer_add(NsRunWriter *writer, NsLockstep *lockstep);

/* One sentence, once, where nothing can be written any more; else NULL.  What was committed before
 * stays.  Free with g_free. */
char *ns_run_writer_take_failure(NsRunWriter *writer);

/* Writes the rest, with a summary of each lane, and frees.  False where anything was lost, with
 * NS_ERROR_FILE unless that was told by ns_run_writer_take_failure. */
bool ns_run_writer_close(NsRunWriter *writer, char *const *summaries, GError **error);
