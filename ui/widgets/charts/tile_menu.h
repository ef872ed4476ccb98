/* The menu of a chart, at its button and under the pointer.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>
#include <stdbool.h>

/* A popover with the actions of the group "tile" (ui/widgets/charts/chart_tile.h); `smoothing` is a
 * control to be put into it, or NULL. */
GtkWidget *ns_tile_menu_new(bool maximized, GtkWidget *smoothing);

/* A popover over a chart, at a place of it, instead of the one that the slot holds, a weak pointer.
 */
void ns_tile_pop_up(GtkWidget *over, GtkWidget **slot, GtkWidget *popover,
                    const GdkRectangle *place);
