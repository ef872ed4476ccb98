/* A timeline of the steps and events of a run; its handle is at the shown step.
 * SPDX-License-Identifier: MIT
 *
 * Dragging, clicking and keys (arrows, Page Up, Page Down, Home, End) change the step that all
 * charts show, at most once per frame.  Checkpoints, at which a fork can begin, are marked below
 * the line, and events above it: a fork, a spike, a divergence, a changed setting.  For screen
 * readers it is a slider whose description lists the events. */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_TIMELINE (ns_timeline_get_type())
G_DECLARE_FINAL_TYPE(NsTimeline, ns_timeline, NS, TIMELINE, GtkWidget)

GtkWidget *ns_timeline_new(NsSession *session);

/* Updates it from the session, and redraws it if something visible changed. */
void ns_timeline_sync(NsTimeline *timeline);

/* Updates the description for screen readers. */
void ns_timeline_describe(NsTimeline *timeline);

/* The position of a step in pixels, and the trained step that is nearest to a position. */
double ns_timeline_x_of(NsTimeline *timeline, int64_t step);
int64_t ns_timeline_step_at(NsTimeline *timeline, double x);

/* Shows the step at a position from the next frame on; beyond the newest step, the newest. */
void ns_timeline_scrub(NsTimeline *timeline, double x);

/* The text of the tooltip at a position.  Free with g_free. */
char *ns_timeline_tip(NsTimeline *timeline, double x);
