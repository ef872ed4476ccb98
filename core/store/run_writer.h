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
 *                  spikes: float64[], the state of core/train/spike.h, and state: float32[], the
 *                  running statistics, both before the record of the step was measured
 *     tensors      checkpoint (its id), place, name, rows, columns (0 of a vector), weights,
 *                  first_moments, second_moments: float32[rows][columns], NULL where the
 *                  optimizer has none; the others as in core/optim/optimizer.h
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

/* Returns a message, once, if recording has failed and stopped; otherwise NULL.  What was committed
 * before remains in the file.  Free with g_free. */
char *ns_run_writer_take_failure(NsRunWriter *writer);

/* Writes the rest and the summaries (all seeds of the first lane, then of the next), and frees the
 * writer.  Returns false if anything was lost, with NS_ERROR_FILE unless ns_run_writer_take_failure
 * has already reported it. */
bool ns_run_writer_close(NsRunWriter *writer, char *const *summaries, GError **error);
