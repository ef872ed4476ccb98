/* A driver for charts: pointer and keys as a person uses them.  SPDX-License-Identifier: MIT */
#pragma once

#include "tests/ui/support.h"
#include "ui/plot/path.h"

/* The tiles that a window begins with. */
enum { LOSS, GRADIENT, HIDDEN, HEATMAP, TILES };

NsChartTile *ui_tile(NsWindow *window, size_t i);
NsChartView *ui_chart(NsWindow *window, size_t i);
const NsViewState *ui_view_state(NsWindow *window, size_t i);

NsRange ui_x_range(NsWindow *window, size_t i);
bool ui_same_range(NsRange a, NsRange b);

bool ui_is_drawn(NsWindow *window);

/* A window whose run of four layers has made 40 steps, two of them with a validation, and rests. */
NsWindow *ui_open_paused(void);

/* Shows a page of the window, and returns its widget, which has this type. */
GtkWidget *ui_show_page(NsWindow *window, const char *key, GType type);

/* Puts a chart that is a thumbnail on the stage, and waits until it is drawn there; what follows
 * does so by itself. */
void ui_enlarge(NsChartView *chart);

/* The pixel of the widget where a share of the plot area lies. */
NsPoint ui_inside(NsChartView *chart, double across, double down);

/* What pointer and keyboard do, as real events (tests/ui/input.h), and until it has acted.  The
 * wheel turns where the pointer is; keys go to the chart, which takes the focus. */
void ui_point(NsChartView *chart, NsPoint at);
void ui_click_at(NsChartView *chart, NsPoint at, GdkModifierType modifiers);
void ui_double_click_at(NsChartView *chart, NsPoint at);
void ui_drag(GtkWidget *widget, guint button, NsPoint from, NsPoint to, GdkModifierType modifiers);
void ui_scroll(NsChartView *chart, int notches, GdkModifierType modifiers);
void ui_press_on(NsChartView *chart, guint keyval, GdkModifierType modifiers);

/* The chip in the header of a tile. */
GtkWidget *ui_chip(NsChartTile *tile);
