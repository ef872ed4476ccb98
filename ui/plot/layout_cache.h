/* What one layout of a live chart hands to the next.  SPDX-License-Identifier: MIT
 *
 * A layout made with a cache is the one that ns_plot_layout makes.  What was looked at before and
 * is settled (NsSeries, NsHeatmap) is not looked at again, so that a frame costs the same however
 * long a run has been going. */
#pragma once

#include "ui/plot/data_summary.h"
#include "ui/plot/layout.h"

#include <pango/pangocairo.h>

NsLayoutCache *ns_layout_cache_new(void);
void ns_layout_cache_free(NsLayoutCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLayoutCache, ns_layout_cache_free)

/* ns_data_summary(plot). */
NsDataSummary ns_layout_cache_summary(NsLayoutCache *cache, const NsPlot *plot);

/* Where the last layout begins to differ from the one before it, in series and heatmap, on the page
 * of both; INFINITY for nowhere. */
double ns_layout_cache_changed(const NsLayoutCache *cache);

/* For a layout in the making.  The first begins it, once the layout before it was freed, and
 * returns the context of its texts (free with g_object_unref); the others fill in the path of
 * series i and the levels of the heatmap. */
PangoContext *ns_layout_cache_begin(NsLayoutCache *cache);
void ns_layout_cache_path(NsLayoutCache *cache, NsPlotLayout *layout, size_t i);
void ns_layout_cache_levels(NsLayoutCache *cache, NsPlotLayout *layout);

/* Takes paths and levels back from a layout that is about to be freed. */
void ns_layout_cache_take_back(NsLayoutCache *cache, NsPlotLayout *layout);
