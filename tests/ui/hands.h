/* Hands for charts.  SPDX-License-Identifier: MIT */
#pragma once

#include "tests/ui/support.h"
#include "ui/plot/path.h"

/* The tiles that a window begins with. */
enum { LOSS, GRADIENT, HIDDEN, HEATMAP, TILES };

NsChartTile *ui_tile(NsWindow *window, size_t i);
NsChartView *ui_chart(NsWindow *window, size_t i);
const NsLens *ui_lens(NsWindow *window, size_t i);

NsRange ui_x_range(NsWindow *window, size_t i);
bool ui_same_range(NsRange a, NsRange b);

bool ui_is_drawn(NsWindow *window);

/* A window whose run of four layers has made 40 steps, two of them with a validation, and rests. */
NsWindow *ui_open_paused(void);

/* Where a share of the plot area lies on the widget. */
NsPoint ui_inside(NsChartView *chart, double across, double down);

/* What pointer and keyboard do, and a moment for it to act. */
void ui_point(NsChartView *chart, NsPoint at);
void ui_click_at(NsChartView *chart, NsPoint at, GdkModifierType modifiers);
void ui_double_click_at(NsChartView *chart, NsPoint at);
void ui_scroll(NsChartView *chart, double dy, GdkModifierType modifiers);
bool ui_press_on(NsChartView *chart, guint keyval, GdkModifierType modifiers); /* at once */

/* The chip in the header of a tile. */
GtkWidget *ui_chip(NsChartTile *tile);
