/* Reads a run file (core/store/run_writer.h), also while it is being written.
 * SPDX-License-Identifier: MIT
 *
 * Values are read back to the same bits.  A reader sees the run as it was when the file was opened
 * or ns_run_reader_refresh was called.  Errors are NS_ERROR_FILE and name the file. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/train/checkpoint.h"

#define NS_RUN_SUFFIX ".nsrun"

typedef struct NsRunReader NsRunReader;

/* Whether a regular file is a run file, by its first bytes; an empty file is one if it has the
 * suffix, because it is just being created. */
bool ns_run_file_is(const char *path);

/* Returns NULL with an error, also if the file has an unsupported schema or a seed has no step yet;
 * the error is NS_ERROR_SETTING if the experiment cannot be used. */
NsRunReader *ns_run_reader_open(const char *path, GError **error);

/* The same for a run that is resumed or followed: before its first step is stored, the last step is
 * -1. */
NsRunReader *ns_run_reader_open_to_resume(const char *path, GError **error);
void ns_run_reader_free(NsRunReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsRunReader, ns_run_reader_free)

/* Lets the writer reuse its log; nothing can be read before the next refresh. */
void ns_run_reader_release(NsRunReader *reader);

/* Brings the reader to what the file has now.  *changed: another program has written to it. */
bool ns_run_reader_refresh(NsRunReader *reader, bool *changed, GError **error);

/* Whether the path still names the file. */
bool ns_run_reader_is_at(const NsRunReader *reader, const char *path);

/* Reads the experiment of a run file, which may have no steps yet, into an initialized
 * provenance. */
bool ns_run_file_read_provenance(NsProvenance *provenance, const char *path, GError **error);

/* The experiment has at least one lane; the step is that of the newest record of any lane. */
const NsProvenance *ns_run_reader_provenance(const NsRunReader *reader);

typedef struct {
    int64_t first, last;            /* range of recorded steps, without gaps */
    size_t width;                   /* number of values in a record */
    const char *settings, *summary; /* JSON lines; the summary is NULL while the run continues or if
                                     * it was killed */
} NsRunLane;

/* Lanes and seeds count from 0; every lane has as many seeds as the setting “seeds”. */
size_t ns_run_reader_seeds(const NsRunReader *reader);
NsRunLane ns_run_reader_lane(const NsRunReader *reader, size_t lane, size_t seed);

/* A seed of a lane. */
typedef struct {
    NsRunReader *reader;
    size_t lane, seed;
} NsRecorded;

const NsRecordLayout *ns_run_reader_layout(NsRecorded of);

/* Reads the scalars of n steps from `first` on, all of which have to be recorded. */
bool ns_run_reader_steps(NsRecorded of, int64_t first, size_t n, NsStep *steps, GError **error);

/* Reads all evaluations and events into a history without records. */
NsHistory *ns_run_reader_marks(NsRecorded of, GError **error);

/* Reads the values of one quantity at these steps, [n][layout->count[quantity]]. */
bool ns_run_reader_values(NsRecorded of, NsQuantity quantity, int64_t first, size_t n,
                          NsValues values, GError **error);

/* Sets *all to whether every step has every value of the quantity. */
bool ns_run_reader_has_all(NsRecorded of, NsQuantity quantity, bool *all, GError **error);

/* Reads the records from `first` to `last` inclusive, which have to be recorded, with their
 * evaluations and events; `budget` as in ns_history_new. */
NsHistory *ns_run_reader_history(NsRecorded of, int64_t first, int64_t last, size_t budget,
                                 GError **error);

/* The losses to compare with, which ns_history_set_baselines takes; NaN where the file has none. */
NsBaselines ns_run_reader_baselines(NsRecorded of);

/* Adds the records after those of the history up to `last`, with the evaluations and events that it
 * lacks. */
bool ns_run_reader_append(NsRecorded of, NsHistory *history, int64_t last, GError **error);

/* The steps of the run that have a checkpoint, int64_t, in ascending order. */
GArray *ns_run_reader_checkpoint_steps(NsRunReader *reader, GError **error);

/* Reads the checkpoint of one lane, or of every lane, with all seeds at one of these steps.  The
 * data of the corpus is not opened. */
NsCheckpoint *ns_run_reader_checkpoint(NsRunReader *reader, size_t lane, int64_t step,
                                       GError **error);
bool ns_run_reader_checkpoints_at(NsRunReader *reader, int64_t step,
                                  NsCheckpoint *checkpoints[NS_LANES_MAX], GError **error);

/* Reads the state from which the run can be resumed: the newest checkpoint, its step (0 and no
 * checkpoint if there is none), and the settings of the lanes at that step.  `experiment` must be
 * all zero.  On failure there are no checkpoints. */
bool ns_run_reader_go_on(NsRunReader *reader, NsExperiment *experiment,
                         NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *step, GError **error);

/* The Unix time at which recording began; and a note of the run (core/store/run_notes.h), NULL if
 * there is none.  Free the note with g_free. */
int64_t ns_run_reader_began(NsRunReader *reader);
char *ns_run_reader_note(NsRunReader *reader, const char *key);
