/* The legend: lines under the title, or a column in a corner of the plot area.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

typedef struct {
    const NsSeries *series;
    unsigned label; /* the index of its words */
    bool at_end;    /* the name stands at the end of its curve, without box and value */
    NsBox box;      /* of the line and mark before the word */
    NsBox entry;    /* of all of it, the room for a value included */
    NsPoint value;  /* the upper left corner of that room */
} NsLegendSample;

/* The series that are its entries, those included whose names stand at the ends of their curves.
 * Free with g_ptr_array_unref. */
GPtrArray *ns_legend_entries(NsPlotLayout *layout);

/* Whether the name of an entry stands at the end of its curve, as the layout's ends_room and ends
 * tell. */
bool ns_legend_is_at_end(const NsPlotLayout *layout, const NsSeries *series);

/* With fewer entries there is no legend. */
unsigned ns_legend_least(const NsPlotLayout *layout);

/* Places the legend in lines from (x, y) within the width and returns its height; 0 without one or
 * where it needs more than max_height.  With `draw` unset it only measures. */
double ns_legend_place(NsPlotLayout *layout, double x, double y, double width, double max_height,
                       bool draw);

/* Places the names of the panels of a heatmap, in their colors, in the same way. */
double ns_legend_place_panels(NsPlotLayout *layout, double x, double y, double width, bool draw);

/* Places the legend in a corner of the plot area, once the curves are known. */
void ns_legend_place_inside(NsPlotLayout *layout);

/* What the legend says of a series; with `letter`, the letter of a run where its name begins with
 * one.  Free with g_free. */
char *ns_legend_words(const NsSeries *series, bool letter);
