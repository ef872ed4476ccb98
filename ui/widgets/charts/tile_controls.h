/* The choices, controls and menu of the tile of a chart. SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/spec.h"
#include "ui/session/session.h"

#include <gtk/gtk.h>
#include <stdbool.h>

/* ---- Choices ---- */

/* A choice is a number: an NsQuantity, an NsSimilarityKind or a place (NS_TILE_PLACE), as the
 * subject of the figure has it. */

/* A layer, and a head where the figure is of one; from 1. */
#define NS_TILE_PLACE(layer, head) ((int)((layer) << 10 | (head)))
#define NS_TILE_LAYER(place) ((unsigned)(place) >> 10)
#define NS_TILE_HEAD(place) ((unsigned)(place)&1023)

/* An array of int: those that the figure can show of the runs on view and of the closer look, the
 * usual ones first; `shown` is there whatever it is.  Empty where there is nothing to choose.  Free
 * with g_array_unref. */
GArray *ns_tile_choices(const NsFigureKind *kind, const NsView *view, int shown);

/* The choice of a spec, and its replacement. */
int ns_tile_choice_of(const NsFigureSpec *spec);
void ns_tile_choose(NsFigureSpec *spec, int choice);

/* The words of a choice, and its symbol, which has _ and ^ (NULL for none). */
char *ns_tile_choice_label(const NsFigureKind *kind, int choice); /* free with g_free */
const char *ns_tile_choice_symbol(const NsFigureKind *kind, int choice);
const char *ns_tile_choice_purpose(const NsFigureKind *kind, int choice);

/* ---- Smoothing ---- */

/* Weight of the past of the exponential moving average, 0 for none; follows the session.  Whatever
 * it passes between two frames acts once. */
GtkWidget *ns_smoothing_control_new(NsSession *session);

/* ---- Controls ---- */

/* The interval that the button below sets for expensive quantities. */
#define NS_PROBE_EVERY 10

/* The choice of lanes in heatmaps: all of them, the active one, or the ratio of two.  It follows
 * the session. */
GtkWidget *ns_heat_control_new(NsSession *session);

/* The choice of the active lane, by letters; it follows the session. */
GtkWidget *ns_lane_tabs_new(NsSession *session);

/* "Measure every 10 steps", in all lanes, for figures of what is never measured; it sets
 * probe-every, or the setting of this key. */
GtkWidget *ns_probe_button_new(NsSession *session);
void ns_probe_button_set_interval(GtkWidget *button, const char *key);

/* Folds a tool of a tile away, or shows it, amid a layout: it takes or leaves its room in the next
 * frame. */
void ns_tile_fold(GtkWidget *tool, bool shown);

/* ---- The menu ---- */

/* A popover with the actions of the group "tile" (ui/widgets/charts/chart_tile.h); `smoothing` is a
 * control to be put into it, or NULL. */
GtkWidget *ns_tile_menu_new(bool maximized, GtkWidget *smoothing);

/* A popover over a chart, at a place of it, instead of the one that the slot holds, a weak pointer.
 */
void ns_tile_pop_up(GtkWidget *over, GtkWidget **slot, GtkWidget *popover,
                    const GdkRectangle *place);
