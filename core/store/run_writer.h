/* Writes a run into a file while it trains.  SPDX-License-Identifier: MIT
 *
 * A run file, *.nsrun, holds every seed of every lane.  It is a database of SQLite with
 * application id 0x4e735275 and its version of the schema, 3, as user_version.  Lanes count from 1,
 * and a seed is the value of setting “seed”:
 *
 *     run          program, experiment (core/experiment/provenance.h), began (Unix time)
 *     lanes        lane, seed, settings and summary as in core/store/jsonl.h; no summary while
 *                  the run goes on, or where it was killed
 *     steps        lane, seed, step, loss, lr, grad_norm, seconds, probe_seconds: a row for every
 *                  record; NULL for NaN
 *     quantities   id, lane, seed, key of the registry, size: values a step
 *     profiles     quantity (its id), first, steps: of consecutive steps that measured it, data:
 *                  float32[steps][size], little-endian, present: uint8[steps][size], 1 where there
 *                  is a value; NULL where all are there
 *     evaluations  lane, seed, step, loss: on held-out text
 *     events       lane, seed, step, kind, layer (from 1, or NULL), what, text
 *     checkpoints  id, step of the run, lane, seed, updates: fewer than step where it had diverged,
 *                  diverged, settings by then (a line as the experiment), lr of the last update;
 *                  spikes: float64[], the state of core/train/spike.h, state: float32[], the
 * running statistics; both before the record of the step was measured tensors      checkpoint (its
 * id), place, name, rows, columns (0 of a vector), weights, first_moments, second_moments:
 * float32[rows][columns], NULL where the optimizer has none; the others as in
 * core/optim/optimizer.h
 *     notes        key, value: what is noted of the run (core/store/run_notes.h), and of every lane
 *                  of sentence pairs the vocabulary (core/data/vocabulary.h)
 *
 * A checkpoint is taken at the end, and on the way once in ten seconds, or as seldom as takes 1 %
 * of the time.  When they take more than 64 MiB, older ones are dropped as in
 * core/train/checkpoints.h.
 *
 * A thread of its own writes what was added, and commits it twice a second with every step whole:
 * the trainer never waits for the disk.  While it does, the newest part is in two files beside it,
 * -wal and -shm; others can read it. */
#pragma once

#include "core/train/lockstep.h"

typedef struct NsRunWriter NsRunWriter;

/* Makes a file for the run of these lanes, with all that their histories have, to be recorded from
 * here on, with a checkpoint every so many steps; 0: as above.  NULL with NS_ERROR_FILE or
 * NS_ERROR_MEMORY; with NS_ERROR_USAGE where there is a file of this name, which stays as it is. */
NsRunWriter *ns_run_writer_new(const char *path, NsLockstep *lockstep, int64_t every,
                               GError **error);

/* Goes on with a file whose newest checkpoint the lanes were made from, or with one without any,
 * where they stand at step 0.  What lies beyond stays where the same will be measured again, since
 * no live setting differs and the record where it goes on has the same bits; else it is dropped,
 * and at the end that which was not reached.  NULL with NS_ERROR_FILE, also where
 * another program is writing it or its newest checkpoint is of another step, or NS_ERROR_MEMORY; it
 * then stays as it is. */
NsRunWriter *ns_run_writer_resume(const char *path, NsLockstep *lockstep, int64_t every,
                                  GError **error);

/* Takes what the lanes have measured since the last call, also while a step is being made. */
void ns_run_writer_add(NsRunWriter *writer, NsLockstep *lockstep);

/* Between two steps: the same, and a checkpoint; false where there is no memory for that. */
bool ns_run_writer_checkpoint(NsRunWriter *writer, NsLockstep *lockstep);

/* Between two steps: the same, with a checkpoint only where one is due.  To be called after every
 * step, because histories thin what is older. */
void ns_run_writer_step(NsRunWriter *writer, NsLockstep *lockstep);

/* One sentence, once, where nothing can be written any more; else NULL.  What was committed before
 * stays.  Free with g_free. */
char *ns_run_writer_take_failure(NsRunWriter *writer);

/* Writes the rest, with a summary of each seed of the first lane, then of the next, and frees.
 * False where anything was lost, with NS_ERROR_FILE unless that was told by
 * ns_run_writer_take_failure. */
bool ns_run_writer_close(NsRunWriter *writer, char *const *summaries, GError **error);
