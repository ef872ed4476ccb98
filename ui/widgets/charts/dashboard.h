/* Charts of a session, one or two of them large.  SPDX-License-Identifier: MIT
 *
 * A tile for every figure of a list, any of which can be given another figure.  One is on the
 * stage and, where both have room, that which was there before it is as large; the others are live
 * thumbnails beside them, or below where that is narrow.  A thumbnail that is pressed goes to the
 * stage.  Figures of lanes stand side by side where each has room.  Pointing at a step or a layer
 * in one chart points at it in all, and charts with the same abscissa show the same part of it:
 * zooming one over steps zooms all over steps, likewise over layers.  Vertical limits are each
 * chart's own.  Profiles show the step that was pinned last.  It is a page of the window. */
#pragma once

#include "ui/widgets/charts/page.h"

#define NS_TYPE_DASHBOARD (ns_dashboard_get_type())
G_DECLARE_FINAL_TYPE(NsDashboard, ns_dashboard, NS, DASHBOARD, GtkWidget)

/* Everybody may read the fields. */
struct _NsDashboard {
    GtkWidget parent;
    NsSession *session;
    GArray *slots; /* Slot */
    guint next;    /* the chart to draw first, so that all get their turn */
    NsChartTile *maximized;
    NsChartTile *hovered;
    guint stage;        /* the slot that is large */
    guint second;       /* the previous stage, which is large as well if two charts fit */
    const char *stored; /* the preference that remembers the stage; NULL for none */
    bool by_lane;       /* some charts are there for each lane */
    bool all;           /* the axes of a new run begin with space for earlier ones */
    bool abreast;       /* all charts are large */
    bool two;           /* two are */
    guint arranging;
    graphene_rect_t came_from; /* where the chart on the stage was before */
    gint64 moving_since;
    guint moving; /* while a frame moves from there to the stage */
    bool linking;
    unsigned run; /* the run on view */
};

/* figures: as ns_figure_specs_read reads them: “loss,profile:layer-ablation”.  The first
 * by_lane of them are there once for each lane. */
GtkWidget *ns_dashboard_new(NsSession *session, const char *figures, unsigned by_lane);

/* The i-th tile, or NULL. */
NsChartTile *ns_dashboard_tile(NsDashboard *dashboard, size_t i);

/* The tile that is large; NULL puts the next one there. */
NsChartTile *ns_dashboard_stage(NsDashboard *dashboard);
NsChartTile *ns_dashboard_second(NsDashboard *dashboard); /* the stage before */
void ns_dashboard_set_stage(NsDashboard *dashboard, NsChartTile *tile);

/* The width in pixels of the thumbnails beside the large charts; 0 if there are none. */
int ns_dashboard_thumbnails_width(NsDashboard *dashboard);

/* Begins with the figure on the stage that was there last, and remembers which is, under a key of
 * the preferences. */
void ns_dashboard_remember_stage(NsDashboard *dashboard, const char *key);

/* Shows a tile in place of all; NULL brings them back. */
void ns_dashboard_maximize(NsDashboard *dashboard, NsChartTile *tile);

/* Whether axes are as long as all runs need, earlier ones included, until the reader fits a chart;
 * otherwise as long as the present run needs. */
void ns_dashboard_fit_all(NsDashboard *dashboard, bool all);

/* Shows or hides grid lines at the ticks. */
void ns_dashboard_toggle_grid(NsDashboard *dashboard);
