/* The heatmap of a layout and its color bar.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

#include <cairo.h>

/* In text sizes: the gap between panels. */
#define NS_SEAM 0.4

void ns_heatmap_draw(const NsPlotLayout *layout, cairo_t *cr);

/* Draws the color bar beside the heatmap. */
void ns_heatmap_draw_bar(const NsPlotLayout *layout, cairo_t *cr);
