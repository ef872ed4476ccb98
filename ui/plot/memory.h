/* What a live chart keeps from one layout to the next.  SPDX-License-Identifier: MIT
 *
 * Layouts made with a memory are those that ns_plot_layout makes; what was looked at before and is
 * settled (NsSeries, NsHeatmap) is not looked at again, so that a frame costs the same however
 * long a run has been going. */
#pragma once

#include "ui/plot/layout-private.h"

NsMemory *ns_memory_new(void);
void ns_memory_free(NsMemory *memory);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsMemory, ns_memory_free)

/* ns_survey(plot). */
NsSurvey ns_memory_survey(NsMemory *memory, const NsPlot *plot);

/* ns_plot_layout of a plot whose survey that is.  The layout before it was given back. */
NsPlotLayout *ns_plot_layout_again(NsMemory *memory, const NsPlot *plot, const NsSurvey *survey,
                                   double width, double height, const NsStyle *style);

/* Takes over the last layout that was made with the memory; NULL is none. */
void ns_memory_take(NsMemory *memory, NsPlotLayout *layout);

/* For layouts in the making: the context of their texts (free with g_object_unref), the path of
 * series i, and the levels of the heatmap. */
PangoContext *ns_memory_context(NsMemory *memory);
void ns_memory_path(NsMemory *memory, NsPlotLayout *layout, size_t i);
void ns_memory_levels(NsMemory *memory, NsPlotLayout *layout);

/* Where the last layout begins to differ from the one before it, in series and heatmap, on the page
 * of both; INFINITY for nowhere. */
double ns_memory_changed(const NsMemory *memory);
