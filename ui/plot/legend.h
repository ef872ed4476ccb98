/* The legend: lines under the title, or a column in a corner of the plot area.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

typedef struct {
    const NsSeries *series;
    unsigned label; /* index of the name among the labels */
    bool at_end;    /* the name is at the end of its curve, without a sample and a value */
    NsBox box;      /* the sample, before the name */
    NsBox entry;    /* the whole entry, with the space for a value */
    NsPoint value;  /* the upper left corner of that space */
} NsLegendSample;

/* The series that have an entry, including those with names at the ends of their curves.  Free with
 * g_ptr_array_unref. */
GPtrArray *ns_legend_entries(NsPlotLayout *layout);

/* Returns whether the name of an entry is at the end of its curve, according to ends_room and ends
 * of the layout. */
bool ns_legend_is_at_end(const NsPlotLayout *layout, const NsSeries *series);

/* The minimum number of entries for which there is a legend. */
unsigned ns_legend_least(const NsPlotLayout *layout);

/* Places the legend in lines from (x, y) within the width and returns its height: 0 if there is
 * none or it would need more than max_height.  Only measures if `draw` is false. */
double ns_legend_place(NsPlotLayout *layout, double x, double y, double width, double max_height,
                       bool draw);

/* Places the names of a heatmap's panels in their colors in the same way. */
double ns_legend_place_panels(NsPlotLayout *layout, double x, double y, double width, bool draw);

/* Places the legend in a corner of the plot area once the paths are known. */
void ns_legend_place_inside(NsPlotLayout *layout);

/* The text of a legend entry.  With `letter`, only the letter of a run if its name begins with one.
 * Free with g_free. */
char *ns_legend_words(const NsSeries *series, bool letter);
