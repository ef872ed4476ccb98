/* Pinned readings and the selection rectangle, drawn over a plot.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/view_state.h"

/* Reads the data at a pin, with its drawing coordinates.  Returns false if there is no data.  The
 * caller clears the reading. */
bool ns_plot_read_pin(const NsPlotLayout *layout, const NsPin *pin, NsReading *reading);

/* Draws every pin that is inside the plot area: a line at its x, its number in a badge above, and
 * its reading beside the line unless this would cover that of another pin. */
void ns_plot_draw_pins(const NsPlotLayout *layout, const NsPin *pins, size_t n, cairo_t *cr);

/* The number of the pin whose badge or line is at a point, or 0. */
unsigned ns_plot_pin_at(const NsPlotLayout *layout, const NsPin *pins, size_t n, double px,
                        double py);

/* Draws the selection rectangle. */
void ns_plot_draw_band(const NsPlotLayout *layout, NsBox band, cairo_t *cr);
