/* Pinned readings and the rubber band, drawn over a plot.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/view_state.h"

/* What a pin reads, and where it is drawn; FALSE where its place has no data.  The caller clears
 * the reading. */
bool ns_plot_read_pin(const NsPlotLayout *layout, const NsPin *pin, NsReading *reading);

/* Draws every pin that lies on the data and inside the plot area: a line at its abscissa, its
 * number in a badge above, and what was read there beside it, unless that would lie over another
 * pin's. */
void ns_plot_draw_pins(const NsPlotLayout *layout, const NsPin *pins, size_t n, cairo_t *cr);

/* The pin whose badge or line is under a point, by its number; 0 for none. */
unsigned ns_plot_pin_at(const NsPlotLayout *layout, const NsPin *pins, size_t n, double px,
                        double py);

/* What is being chosen with the pointer. */
void ns_plot_draw_band(const NsPlotLayout *layout, NsBox band, cairo_t *cr);
