/* Names at the right ends of curves, in their colors: who reads a curve needs no legend.
 * SPDX-License-Identifier: MIT
 *
 * A page that is wide and high enough has them instead of legend entries.  They stand in the plot
 * area, whose horizontal scale ends before them. */
#pragma once

#include "ui/plot/layout.h"

/* Decides, before anything is placed, which curves have their names at their ends, and how much of
 * the area's width these take. */
void ns_end_names_fit(NsPlotLayout *layout);

/* Places the names, once the scales are known. */
void ns_end_names_place(NsPlotLayout *layout);
