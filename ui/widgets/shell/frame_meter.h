/* Measures the frames of a window, and shows them.  SPDX-License-Identifier: MIT
 *
 * The meter is the label that shows the times, to be laid over a window.  While it measures, the
 * window makes one frame after the other, as it does while a model trains, so that the time from
 * one to the next is that of a frame. */
#pragma once

#include "ui/widgets/shell/frame_times.h"

#include <gtk/gtk.h>

#define NS_TYPE_FRAME_METER (ns_frame_meter_get_type())
G_DECLARE_FINAL_TYPE(NsFrameMeter, ns_frame_meter, NS, FRAME_METER, GtkBox)

/* Remembers so many frames.  It is hidden, and measures while it is visible. */
GtkWidget *ns_frame_meter_new(size_t frames);

/* From the beginning of a frame to that of the next; and how much of it the main thread worked,
 * drawing included. */
const NsFrameTimes *ns_frame_meter_intervals(NsFrameMeter *meter);
const NsFrameTimes *ns_frame_meter_work(NsFrameMeter *meter);
