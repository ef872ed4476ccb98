/* Controls of tiles.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

/* How often the button below has expensive quantities measured. */
#define NS_PROBE_EVERY 10

/* What heatmaps show of several lanes: all of them, the active one, or the ratio of two.  Keeps
 * itself in step with the session. */
GtkWidget *ns_heat_control_new(NsSession *session);

/* "Measure every 10 steps", in all lanes, for figures of what is never measured; it sets
 * probe-every, or the setting of this key. */
GtkWidget *ns_probe_button_new(NsSession *session);
void ns_probe_button_set_interval(GtkWidget *button, const char *key);

/* Folds a tool of a tile away, or shows it, amid a layout: it takes or leaves its room in the next
 * frame. */
void ns_tile_fold(GtkWidget *tool, bool shown);
