/* A run of another program, read while it trains.  SPDX-License-Identifier: MIT
 *
 * Any training program can be shown if it writes JSON lines, one object for every step that it
 * measured.  This is version 1 of the format:
 *
 *     {"step": 3, "loss": 2.1}
 *     {"step": 4, "loss": 2.0, "lr": 0.001, "grad_norm": {"total": 1.3, "w2": [0.2, 0.1]},
 *      "hidden_norm": [8.0, 9.1, 9.7], "my_ratio": [0.5, 0.4]}
 *
 * - "step" is a whole number.  A step that was already read begins the run again from there; a line
 *   of an earlier step that is new is put in its place, and several lines of a step are one record.
 *   "loss" is in nats per token.
 * - "lr", "seconds" (duration of the step) and "validation_loss" are numbers.
 * - "grad_norm" is the norm of the whole gradient, or an object with this norm as "total" and with
 *   the norms by kind of parameter: their names are those of core/store/jsonl.h (wq, wk, wv, wo,
 *   w1, w2, ...) or any other, and each has an array of one number per layer, from input to output.
 * - "hidden_norm" has one number more: first that of the embedding, then that of the state after
 *   each layer.  Other quantities of the registry are read by their names in core/store/jsonl.h.
 * - Any other name with a number, or with an array of one number per layer or one more, is drawn
 *   under that name.
 * - null means that a number is missing.  NaN, Infinity and -Infinity, quoted or not, mean that a
 *   value has diverged.
 * - "lane", 1 to 4, or a name under "run", "run_id", "experiment" or the like distinguishes several
 *   runs in one file, of which the first four are shown.
 * - Of several values of "seed" or "rank" the first is shown, and the others are reported.  A rank
 *   may also stand before the line, as srun writes it.
 * - "format" is the version, if a line has it.
 * - If there is no training loss, two or more validation losses are shown in its place.
 * - Lines of “train --jsonl” that are not records are ignored.
 *
 * Names are read by their meaning, in every format: core/store/outside_name.h.  The formats are
 * lines and documents of JSON, also by column or by row; tables of separated values whose first
 * line has the names, or the line above them among other text; lines of text such as “iter 100:
 * loss 2.5”, and event files of TensorBoard, each also compressed with gzip. “grad_norm/w2/3” is
 * the gradient of w2 in layer 3, “hidden_norm/0” the norm of the embedding, and “act/layer_3/rms”
 * layer 3 of “act/rms”.  Layers count from 1, or from 0 if a name has a layer 0. Without a step a
 * number of tokens that grows is the step, or the epoch, or the order of the losses; a step that is
 * counted within a growing epoch continues.  The newest step of an event file is complete when
 * another step begins or nothing arrives for a moment.
 *
 * Anything that is left out is reported with its number; of lines that cannot be read the first
 * ones by their numbers. */
#pragma once

#include "core/probe/history.h"
#include "core/settings/settings.h"

/* The newest version that can be read. */
#define NS_OUTSIDE_FORMAT 1

/* Longer lines are skipped. */
#define NS_OUTSIDE_LINE_MAX ((size_t)16 << 20)

typedef struct NsOutside NsOutside;

/* `budget`: bytes for the profiles of each lane (core/probe/history.h). */
NsOutside *ns_outside_new(size_t budget);
void ns_outside_free(NsOutside *outside);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsOutside, ns_outside_free)

/* Chooses the columns of all logs that are opened from now on, as ns_outside_names_map does; “auto”
 * is no choice.  NS_ERROR_USAGE.  Not while another thread reads a log. */
bool ns_outside_map_all(const char *text, GError **error);
const char *ns_outside_map_given(void); /* NULL if there was no such call */

/* The same for this log, which has been checked: forgets what was read, which has to be read again.
 */
void ns_outside_map(NsOutside *outside, const char *text);

/* From now on, records after this step are ignored. */
void ns_outside_end_with(NsOutside *outside, int64_t step);

/* Reads the next bytes, which may end in the middle of a line.  One thread at a time. */
void ns_outside_feed(NsOutside *outside, const char *bytes, size_t n);

/* The same for one of several files of a run, which are added in the order of time and count from
 * 0.  `name` is shown; `prefix`, the folder of its tags, or “validation” if its losses are of that,
 * may be NULL; `lane` counts from 1, 0: the tags say it; `table`: the first line is that of a
 * table, even if no column is recognized. */
void ns_outside_add_file(NsOutside *outside, const char *name, const char *prefix, size_t lane,
                         bool table);
void ns_outside_feed_file(NsOutside *outside, size_t file, const char *bytes, size_t n);

/* Called when no bytes have arrived for a moment: takes the newest step of an event file, although
 * it may be incomplete.  Values of this step that arrive later replace the record.  Returns whether
 * there was such a step. */
bool ns_outside_pause(NsOutside *outside);

/* Whether the step taken at a pause is still incomplete, because an event or an array is. */
bool ns_outside_is_partial(const NsOutside *outside);

/* Called at the end of the input: the last line may lack its newline. */
void ns_outside_end(NsOutside *outside);

/* Forgets what was read, of which the first files are added again. */
void ns_outside_begin_again(NsOutside *outside);

/* The number of lanes: one more than the last that has a record.  Lanes before it may have none. */
size_t ns_outside_lanes(const NsOutside *outside);

/* The lane, from 1, of the run with this name in a project; it may exceed NS_LANES_MAX. */
size_t ns_outside_name_run(NsOutside *outside, const char *name);

/* The name of the run in a lane, from 0, borrowed; NULL if a log that is no project does not name
 * several. */
const char *ns_outside_lane_name(const NsOutside *outside, size_t lane);

/* The history of a lane below NS_LANES_MAX, borrowed until the next call that reads bytes; NULL
 * before its first record.  It is replaced by a new history with the earlier records when a
 * quantity arrives that it has no place for, and when the run begins again from an earlier step. */
NsHistory *ns_outside_history(const NsOutside *outside, size_t lane);

/* The number of lines read, and how many of them were skipped as wrong. */
size_t ns_outside_lines(const NsOutside *outside);
size_t ns_outside_wrong_lines(const NsOutside *outside);

/* Sets NS_ERROR_FILE for a log without a record, with the names that it has, and returns false.
 * `limited`: see ns_outside_end_with. */
bool ns_outside_refuse_empty(const NsOutside *outside, const char *name, bool limited,
                             GError **error);

/* The settings that a log itself has, such as those in event files (outside_events-private.h):
 * names and texts in turn.  Free with g_ptr_array_unref. */
GPtrArray *ns_outside_settings(const NsOutside *outside);

/* Adds a message to those about what was read. */
void ns_outside_report(NsOutside *outside, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The next message about what was read, such as a skipped line (only the first five are reported
 * one by one) or a run that began again.  NULL if there is none.  Free with g_free. */
char *ns_outside_take_message(NsOutside *outside);

/* Whether a log has numbers, so that one of its columns may be the loss. */
bool ns_outside_may_be_mapped(const NsOutside *outside);

/* Whether a log has names for a step and for a loss. */
bool ns_outside_has_loss(const NsOutside *outside);

/* ---- How a log is read ---- */

/* A column, or those of one quantity by layer. */
typedef struct {
    char *name;       /* as it is written, with {l} in the place of the number of a layer */
    unsigned meaning; /* of ns_outside_meanings */
    size_t layers;    /* the number of columns, if it is by layer */
} NsOutsideColumn;

typedef struct {
    const char *format, *program; /* for display; program: NULL if it is not recognized */
    char *map;                    /* what was chosen (ns_outside_names_map), or "" */
    char *file;                   /* the only one that is read in a folder, from there; or NULL */
    size_t files;                 /* that are read */
    size_t lines, wrong;          /* read, and skipped of these */
    GPtrArray *columns;           /* NsOutsideColumn */
} NsOutsideReading;

NsOutsideReading *ns_outside_reading(const NsOutside *outside);
NsOutsideReading *ns_outside_reading_ref(NsOutsideReading *reading); /* also of NULL */
void ns_outside_reading_unref(NsOutsideReading *reading);

/* A choice of columns is remembered for logs with the same columns, apart from numbers in their
 * names.  The first function uses the choice that is remembered for this log, as ns_outside_map
 * does, and returns whether there is one; the second remembers one, or forgets it if it is "";
 * NULL: that of the command line, if it was of use.  NS_ERROR_FILE. */
bool ns_outside_recall(NsOutside *outside);
bool ns_outside_remember(const NsOutside *outside, const char *map, GError **error);

/* Whether the first bytes of a file are an event file or lines of this format: the first line that
 * is not empty has a step and a loss, or names them as columns.  The JSON lines of this program
 * begin with settings and do not count. */
bool ns_outside_are(const char *bytes, size_t n);
