/* The menu of a chart, at its button and under the pointer.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>
#include <stdbool.h>

/* Actions of the group "tile" (ui/widgets/chart_tile.h). */
GMenuModel *ns_tile_menu_new(bool maximised);
