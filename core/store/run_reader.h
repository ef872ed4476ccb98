/* Reads a run file (core/store/run_writer.h), also while it is written.
 * SPDX-License-Identifier: MIT
 *
 * What was recorded comes back to the same bits.  A reader sees the run as it was when it opened
 * the file.  Errors are NS_ERROR_FILE and name the file. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/train/checkpoint.h"

typedef struct NsRunReader NsRunReader;

/* Whether a regular file begins as a run file does. */
bool ns_run_file_is(const char *path);

/* NULL with an error: also where the file has another schema, or where a seed has no step yet;
 * NS_ERROR_SETTING where the experiment cannot be used. */
NsRunReader *ns_run_reader_open(const char *path, GError **error);
void ns_run_reader_free(NsRunReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsRunReader, ns_run_reader_free)

/* The experiment of a run file, which may be without a step, into a provenance that is initialized.
 */
bool ns_run_file_read_provenance(NsProvenance *provenance, const char *path, GError **error);

/* The experiment has a lane or more; the step is that of the newest record of any lane. */
const NsProvenance *ns_run_reader_provenance(const NsRunReader *reader);

typedef struct {
    int64_t first, last;            /* steps that are recorded, without a gap */
    size_t width;                   /* values of a record */
    const char *settings, *summary; /* JSON lines; the latter NULL while the run goes on, or where
                                       it was killed */
} NsRunLane;

/* Lanes and seeds count from 0; every lane has as many as setting “seeds” says. */
size_t ns_run_reader_seeds(const NsRunReader *reader);
NsRunLane ns_run_reader_lane(const NsRunReader *reader, size_t lane, size_t seed);

/* One seed of a lane. */
typedef struct {
    NsRunReader *reader;
    size_t lane, seed;
} NsRecorded;

const NsRecordLayout *ns_run_reader_layout(NsRecorded of);

/* The scalars of n steps from `first` on, all of which are recorded. */
bool ns_run_reader_steps(NsRecorded of, int64_t first, size_t n, NsStep *steps, GError **error);

/* Every evaluation and event, in a history without records. */
NsHistory *ns_run_reader_marks(NsRecorded of, GError **error);

/* What these steps measured of one quantity, [n][layout->count[quantity]]. */
bool ns_run_reader_values(NsRecorded of, NsQuantity quantity, int64_t first, size_t n,
                          NsValues values, GError **error);

/* *all: whether every step measured every value of it. */
bool ns_run_reader_has_all(NsRecorded of, NsQuantity quantity, bool *all, GError **error);

/* Records first to last, both included and recorded, with their evaluations and events; `budget` as
 * in ns_history_new. */
NsHistory *ns_run_reader_history(NsRecorded of, int64_t first, int64_t last, size_t budget,
                                 GError **error);

/* The steps of the run that have a checkpoint, int64_t, ascending. */
GArray *ns_run_reader_checkpoint_steps(NsRunReader *reader, GError **error);

/* The checkpoint of a lane with all its seeds at one of these, without its data; of every lane. */
NsCheckpoint *ns_run_reader_checkpoint(NsRunReader *reader, size_t lane, int64_t step,
                                       GError **error);
bool ns_run_reader_checkpoints_at(NsRunReader *reader, int64_t step,
                                  NsCheckpoint *checkpoints[NS_LANES_MAX], GError **error);

/* Where the run goes on: the newest checkpoint, its step (0 and no checkpoint where there is none),
 * and the settings of the lanes by then.  The experiment is all zero before; where it fails, there
 * is no checkpoint. */
bool ns_run_reader_go_on(NsRunReader *reader, NsExperiment *experiment,
                         NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *step, GError **error);

/* When recording began, as Unix time; and a note of the run (core/store/run_notes.h), NULL where
 * there is none.  Free with g_free. */
int64_t ns_run_reader_began(NsRunReader *reader);
char *ns_run_reader_note(NsRunReader *reader, const char *key);
