/* The steps of a run along a line, with what happened to it; the handle is the step that is shown.
 * SPDX-License-Identifier: MIT
 *
 * Dragging, clicking and the keyboard (arrows, Page Up and Down, Home; End is the newest) move
 * through time: every chart shows the step under the handle.  However fast the pointer moves, the
 * session is told once a frame.  Below the line are the steps that a fork can begin at, above it
 * marks: a branch, a spike, a divergence, a changed setting.  For a screen reader it is a slider
 * whose description tells the marks. */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_TIMELINE (ns_timeline_get_type())
G_DECLARE_FINAL_TYPE(NsTimeline, ns_timeline, NS, TIMELINE, GtkWidget)

GtkWidget *ns_timeline_new(NsSession *session);

/* Looks at the session, and draws again if there is something new to see. */
void ns_timeline_sync(NsTimeline *timeline);

/* Says in words what it shows now, for a screen reader. */
void ns_timeline_describe(NsTimeline *timeline);

/* Where a step lies on the widget, and the step that lies at a place, limited to those made. */
double ns_timeline_x_of(NsTimeline *timeline, int64_t step);
int64_t ns_timeline_step_at(NsTimeline *timeline, double x);

/* Shows the step at a place in the next frame; to the right of the newest, the newest. */
void ns_timeline_scrub(NsTimeline *timeline, double x);

/* The text of the tip at a place.  Free with g_free. */
char *ns_timeline_tip(NsTimeline *timeline, double x);
