/* Names at the right ends of curves, in their colors, in place of a legend.
 * SPDX-License-Identifier: MIT
 *
 * They are used if the page is wide and high enough.  They are inside the plot area, whose
 * horizontal scale ends before them. */
#pragma once

#include "ui/plot/layout.h"

/* Decides, before anything is placed, which curves have a name at their end, and how much of the
 * width of the plot area the names need. */
void ns_end_names_fit(NsPlotLayout *layout);

/* Places the names once the scales are known. */
void ns_end_names_place(NsPlotLayout *layout);
