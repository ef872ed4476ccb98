/* Pointer and keyboard on a chart.  SPDX-License-Identifier: MIT
 *
 *     wheel on the plot area          zooms x about the pointer; with Shift y; sideways pans
 *     drag                            zooms to the box; flat or narrow, along one axis only
 *     drag of a grip                  "handle-moved"
 *     middle drag, Shift and drag     pans
 *     click                           pins what the crosshair reads; on a pin, removes it;
 *                                     on an entry of the legend, hides the series
 *     Alt or Ctrl and click           on an entry of the legend, shows that series alone
 *     double click                    on the plot area, shows everything; outside, win.maximize
 *     secondary click, Menu           "menu"
 *     arrows, Page Up, Page Down,     move the crosshair, by one or ten points, rows, or to the
 *     Home, End                       ends
 *     + - 0                           zoom, show everything
 *     Shift and arrows                up and down zoom y, left and right pan
 *     Enter; Space when the focus     pin
 *     is shown
 *     Delete                          removes the pin under the crosshair, else the last
 *
 * Whatever comes between two frames acts once, before the second of them. */
#pragma once

#include "ui/widgets/charts/chart_view.h"

/* Adds the event controllers to a chart; call it once for each chart. */
void ns_chart_input_add(NsChartView *chart);
