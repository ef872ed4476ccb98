/* Writes a run into a file while it trains.  SPDX-License-Identifier: MIT
 *
 * A run file, *.nsrun, contains every seed of every lane.  It is an SQLite database with the
 * application_id 0x4e735275 and the version of the schema, 4, as user_version.  Lanes count from 1,
 * and a seed is the value of the setting “seed”:
 *
 *     run          program, experiment (core/experiment/provenance.h), began (Unix time)
 *     lanes        lane, seed, settings and summary as in core/store/jsonl.h; the summary is NULL
 *                  while the run continues, or if it was killed
 *     steps        lane, seed, step, loss, lr, grad_norm, seconds, probe_seconds: a row for every
 *                  record; NULL for NaN
 *     quantities   id, lane, seed, key of the registry, size: values per step
 *     profiles     quantity (its id), first, steps: of consecutive steps that measured it, data:
 *                  float32[steps][size], little-endian, present: uint8[steps][size], 1 for each
 *                  value that exists; NULL if all exist
 *     evaluations  lane, seed, step, loss: on held-out text
 *     continuations  lane, seed, step, prompt, text (core/train/continuation.h)
 *     events       lane, seed, step, kind, layer (from 1, or NULL), what, text
 *     checkpoints  id, step of the run, lane, seed, updates: fewer than steps if it had diverged,
 *                  diverged, settings at this step (a line as the experiment), lr of the last
 *                  update; spikes: float64[], the state of core/train/spike.h, state: float32[],
 *                  the running statistics; both from before the record of the step was measured
 *     tensors      checkpoint (its id), place, name, rows, columns (0 for a vector), weights,
 *                  first_moments, second_moments: float32[rows][columns], NULL if the optimizer has
 *                  none; the others as in core/optim/optimizer.h
 *     notes        key, value: notes on the run (core/store/run_notes.h), and for every lane that
 *                  trains on sentence pairs its vocabulary (core/data/vocabulary.h)
 *
 * A checkpoint is taken at the end, and before that every ten seconds, or less often so that it
 * takes at most 1 % of the time.  When they exceed 64 MiB, older ones are deleted as in
 * core/train/checkpoints.h.
 *
 * A separate thread writes the queued records and commits complete steps twice a second, so the
 * trainer does not wait for the disk or for the lock of another program.  Meanwhile the newest part
 * is in two additional files, with the suffixes -wal and -shm; other programs can read it. */
#pragma once

#include "core/train/lockstep.h"

typedef struct NsRunWriter NsRunWriter;

/* Creates a file for the run of these lanes, with all records in their histories, and records the
 * run from now on.  `every`: steps between checkpoints; 0: as described above.  Returns NULL with
 * NS_ERROR_FILE or NS_ERROR_MEMORY, or with NS_ERROR_USAGE if the file exists, which is then not
 * changed. */
NsRunWriter *ns_run_writer_new(const char *path, NsLockstep *lockstep, int64_t every,
                               GError **error);

/* Continues a file from its newest checkpoint, from which the lanes were restored, or from step 0
 * if it has none.  Later records are kept if the run will reproduce them, that is if no live
 * setting differs and the record at this step has the same bits; those that the run does not reach
 * are deleted at the end.  Otherwise later records are deleted now.  Returns NULL with
 * NS_ERROR_FILE, also if another program is writing the file or its newest checkpoint is that of
 * another step, or with NS_ERROR_MEMORY; the file is then not changed. */
NsRunWriter *ns_run_writer_resume(const char *path, NsLockstep *lockstep, int64_t every,
                                  GError **error);

/* Queues what the lanes have measured since the last call, also while a step is being computed. */
void ns_run_writer_add(NsRunWriter *writer, NsLockstep *lockstep);

/* Between two steps: the same, with a checkpoint; returns false if there is not enough memory for
 * it. */
bool ns_run_writer_checkpoint(NsRunWriter *writer, NsLockstep *lockstep);

/* Between two steps: the same, with a checkpoint if one is due.  Has to be called after every step,
 * because histories thin older records. */
void ns_run_writer_step(NsRunWriter *writer, NsLockstep *lockstep);

/* Returns the newest message, once: another program has locked the file, the lock has ended, or
 * recording has failed and stopped.  Otherwise NULL.  What was committed before remains in the
 * file. Free with g_free. */
char *ns_run_writer_take_message(NsRunWriter *writer);

/* Whether the records wait in memory, at most 256 MiB, because another program has locked the file.
 * Everything is written when the lock ends. */
bool ns_run_writer_is_locked(NsRunWriter *writer);

/* Writes the rest and the summaries (all seeds of the first lane, then of the next), and frees the
 * writer; waits at most a minute for a lock.  Returns false if anything was lost, with
 * NS_ERROR_FILE unless ns_run_writer_take_message has already reported it. */
bool ns_run_writer_close(NsRunWriter *writer, char *const *summaries, GError **error);
