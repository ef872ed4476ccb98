/* Lanes on the command line.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/cli.h"
#include "core/experiment/assignment.h"
#include "core/train/lockstep.h"

/* The lanes as they were asked for. */
typedef struct {
    char **words; /* what each --lane says, or a preset or a figure in its place */
    size_t n;
    NsSettings settings[NS_LANES_MAX];
} NsLaneOptions;

void ns_lane_options_clear(NsLaneOptions *lanes);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsLaneOptions, ns_lane_options_clear)

/* The option --lane, which goes into `words`. */
GOptionEntry ns_lane_options_entry(NsLaneOptions *lanes);

/* Fills in the lanes: those of --lane; else those of the preset or of the figure, of which either
 * may be NULL; else one with the common settings, of which some were `named`.  NS_ERROR_USAGE or
 * NS_ERROR_SETTING. */
bool ns_lane_options_read(NsLaneOptions *lanes, const NsSettings *common, const NsNamed *named,
                          const NsPreset *preset, const NsProvenance *from, GError **error);

/* Models on one clock, one for every lane.  Nothing is to be written to `out` (NULL: there is no
 * file) where a lane reads its text: NS_ERROR_USAGE. */
NsLockstep *ns_lane_options_start(const NsLaneOptions *lanes, const char *out, GError **error);

/* The same for the only lane there is. */
NsLockstep *ns_lane_start(const NsSettings *settings, const char *out, GError **error);

/* The last step that a lane has measured.  Also right while a step is being made. */
gint64 ns_lanes_steps(NsLockstep *lockstep);

/* Trains up to step `limit`, with a line of progress on the terminal.  Ends before it at a signal,
 * with `finish` (ns_interrupt_begin) where a step takes too long, or where no lane can go on. */
void ns_lanes_train(NsLockstep *lockstep, gint64 limit, NsInterruptFinish *finish, void *data);

/* Says on stderr if training ended before `limit`, after what there was has been written. */
void ns_lanes_tell_end(NsLockstep *lockstep, gint64 limit);
