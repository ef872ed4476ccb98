/* Lanes on the command line.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/cli.h"
#include "core/train/lockstep.h"

/* The name of each lane: its value of --lane or, without that option, its differences from the
 * other lanes.  Free with g_strfreev. */
char **ns_lanes_names(const NsExperiment *experiment, char **words);

/* Reads the weights that a run of one lane starts from, and its other settings, from the folder of
 * --checkpoint in the layout of “dump” or of GPT-2.  Without it does nothing and succeeds.  A named
 * setting overrides that of a dump; with GPT-2 it is NS_ERROR_SETTING if the two differ. */
bool ns_checkpoint_open(NsArguments *arguments, NsCheckpoint **checkpoint, GError **error);

/* Creates the models of all lanes for training in lockstep.  The first lane starts from the weights
 * of the checkpoint `first` (NULL: initialized).  `out` (or NULL) is an output file: NS_ERROR_USAGE
 * if it is also an input of a lane.  NS_ERROR_SETTING if the checkpoint does not fit. */
NsLockstep *ns_lanes_start(const NsExperiment *experiment, NsCheckpoint *first, const char *out,
                           GError **error);

/* The last step that any lane has measured.  May be called while a step is in progress. */
gint64 ns_lanes_steps(NsLockstep *lockstep);

/* Trains up to step `limit` with a progress line.  Ends earlier after a signal, calling `finish`
 * (ns_interrupt_begin) if the step takes too long, or when all lanes have diverged. */
void ns_lanes_train(NsLockstep *lockstep, gint64 limit, NsInterruptFinish *finish, void *data);

/* Prints on stderr, after the results were written, whether training ended before `limit`. */
void ns_lanes_tell_end(NsLockstep *lockstep, gint64 limit);
