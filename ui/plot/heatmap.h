/* The heatmap of a layout and its color bar.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

#include <cairo.h>

/* In text sizes: between panels. */
#define NS_SEAM 0.4

void ns_heatmap_draw(const NsPlotLayout *layout, cairo_t *cr);

/* Its colors beside it. */
void ns_heatmap_draw_bar(const NsPlotLayout *layout, cairo_t *cr);
