/* Lanes on the command line.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/cli.h"
#include "core/train/lockstep.h"

/* The option --lane, which goes into `words`. */
GOptionEntry ns_lanes_entry(char ***words);

/* What each lane is called: what --lane said of it; without, what is special about it.  Free with
 * g_strfreev. */
char **ns_lanes_names(const NsExperiment *experiment, char **words);

/* Models on one clock, one for every lane, of which the first begins with the weights of a
 * checkpoint (NULL: with its own).  Nothing is to be written to `out` (NULL: there is no file)
 * where a lane reads its text: NS_ERROR_USAGE.  NS_ERROR_SETTING where the checkpoint does not fit.
 */
NsLockstep *ns_lanes_start(const NsExperiment *experiment, NsCheckpoint *first, const char *out,
                           GError **error);

/* The last step that a lane has measured.  Also right while a step is being made. */
gint64 ns_lanes_steps(NsLockstep *lockstep);

/* Trains up to step `limit`, with a line of progress on the terminal.  Ends before it at a signal,
 * with `finish` (ns_interrupt_begin) where a step takes too long, or where no lane can go on. */
void ns_lanes_train(NsLockstep *lockstep, gint64 limit, NsInterruptFinish *finish, void *data);

/* Says on stderr if training ended before `limit`, after what there was has been written. */
void ns_lanes_tell_end(NsLockstep *lockstep, gint64 limit);
