/* A run of another program, read while it trains.  SPDX-License-Identifier: MIT
 *
 * Any program that trains can be looked at when it writes JSON lines, an object for every step that
 * it measured.  This is version 1 of the format:
 *
 *     {"step": 3, "loss": 2.1}
 *     {"step": 4, "loss": 2.0, "lr": 0.001, "grad_norm": {"total": 1.3, "w2": [0.2, 0.1]},
 *      "hidden_norm": [8.0, 9.1, 9.7], "my_ratio": [0.5, 0.4]}
 *
 * - "step" is a whole number.  Steps ascend, with or without gaps; one that is less than the one
 *   before begins the run again from there.  "loss" is in nats a token.
 * - "lr", "seconds" (of the step) and "validation_loss" are numbers.  A line may have the last
 *   without "loss".  "train_loss", "learning_rate", "val_loss" and "eval_loss" mean the same.
 * - "grad_norm" is the norm of the whole gradient, or an object of it, "total", and of the norms by
 *   role: the names are those of core/store/jsonl.h (wq, wk, wv, wo, w1, w2, ...) or any other, and
 *   each has an array with one number a layer, from the input to the output.
 * - "hidden_norm" has one number more: of the embedding first, then of the state after each layer.
 *   So have the other quantities of the registry by their names there.
 * - Any other name with an array of one number a layer, or of one more, is drawn by that name.
 * - null stands for a number that is not there; NaN, Infinity and -Infinity may stand with or
 *   without quotes, and have diverged.
 * - "lane", 1 to 4, tells runs in one file apart; of several values of "seed" the first is shown,
 * and the others are reported.  "format" is the version, where a line says it. - Everything else is
 * ignored, and so are lines of “train --jsonl” that are not records.
 *
 * A table is read, too, of comma-separated values (or with ; or tabs) whose first line has “step”,
 * “loss” and others of these names: its numbers are those of the step, and empty cells are not
 * there.
 *
 * An event file of TensorBoard is read, too: its scalars, those of one step as one record, which is
 * whole when another step begins or nothing comes for a moment.  The tag "loss" is the loss, and so
 * are "train_loss", "training_loss", "loss/train"; "val_loss", "eval_loss", "validation_loss",
 * "val/loss", "eval/loss", "loss/val" ... are the validation loss; "lr" and "learning_rate";
 * "grad_norm" and "grad_norm/total"; "grad_norm/w2/3" is the gradient of w2 in layer 3,
 * "hidden_norm/0" the norm of the embedding, and "mine/3" layer 3 of a quantity of one's own.
 * Layers count from 1, or from 0 where a tag has a layer 0.  "train/" before a tag is ignored, "-"
 * is "_", and the tags of “export
 * --format tensorboard” are understood.
 *
 * A line that cannot be read is skipped and reported by number; the others are used. */
#pragma once

#include "core/probe/history.h"
#include "core/settings/settings.h"

/* The version that is read. */
#define NS_OUTSIDE_FORMAT 1

/* A longer line is none. */
#define NS_OUTSIDE_LINE_MAX ((size_t)16 << 20)

typedef struct NsOutside NsOutside;

/* budget: bytes for the profiles of a lane (core/probe/history.h). */
NsOutside *ns_outside_new(size_t budget);
void ns_outside_free(NsOutside *outside);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsOutside, ns_outside_free)

/* Records beyond a step are ignored from now on. */
void ns_outside_end_with(NsOutside *outside, int64_t step);

/* Takes the next bytes, which may end anywhere; one thread at a time. */
void ns_outside_feed(NsOutside *outside, const char *bytes, size_t n);

/* Nothing has come for a moment: the newest step of an event file is taken as far as it was told;
 * what follows of it takes its place.  Whether there was one. */
bool ns_outside_pause(NsOutside *outside);

/* More of the step that was taken at a pause is coming: an event or an array is not whole. */
bool ns_outside_is_partial(const NsOutside *outside);

/* No more bytes are coming: a last line may lack its newline. */
void ns_outside_end(NsOutside *outside);

/* The file was replaced by another one, of which nothing has been read: all lanes begin again. */
void ns_outside_begin_again(NsOutside *outside);

/* How many lanes there are: one more than the last that has a record.  Those between may have
 * none. */
size_t ns_outside_lanes(const NsOutside *outside);

/* The history of a lane below NS_LANES_MAX, borrowed until the next call that takes bytes; NULL
 * before its first record.  Where a quantity comes that it has no room for, and where the run began
 * again, another history with what was recorded before takes its place. */
NsHistory *ns_outside_history(const NsOutside *outside, size_t lane);

/* Lines that were read, and those among them that were left out. */
size_t ns_outside_lines(const NsOutside *outside);
size_t ns_outside_wrong_lines(const NsOutside *outside);

/* The next sentence about what was read: a line that was left out (the first five are told one by
 * one), a run that began again.  NULL where there is none.  Free with g_free. */
char *ns_outside_take_message(NsOutside *outside);

/* Whether the bytes, those that a file begins with, are events or such lines: the first that is not
 * empty has a step and a loss, or names them as columns.  A run of this program begins with its
 * settings, and is none. */
bool ns_outside_are(const char *bytes, size_t n);
