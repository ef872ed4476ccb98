/* The charts of a figure, to be put together.  SPDX-License-Identifier: MIT
 *
 * A list of charts, which can be dragged, moved by buttons, added and removed; below it what the
 * chosen one shows and what lanes are called.  Edits a sheet in place.
 *
 * Signals: "changed", the sheet or the chosen chart did. */
#pragma once

#include "ui/session/view.h"
#include "ui/widgets/charts/export_job.h"

#include <gtk/gtk.h>

#define NS_TYPE_EXPORT_CHARTS (ns_export_charts_get_type())
G_DECLARE_FINAL_TYPE(NsExportCharts, ns_export_charts, NS, EXPORT_CHARTS, GtkBox)

/* The edits that can be refused. */
enum { NS_EXPORT_EDIT_TITLE, NS_EXPORT_EDIT_LIMITS, NS_EXPORT_EDIT_NAMES, NS_EXPORT_EDITS };

/* Everybody may read the fields. */
struct _NsExportCharts {
    GtkBox parent;
    const NsView *view;
    NsSheet *sheet;
    guint current;        /* the chosen chart */
    NsExportFacts *facts; /* of the selected chart; NULL until they are known */
    GtkWidget *list, *editor;
    GtkLabel *problem;
    char *problems[NS_EXPORT_EDITS]; /* NULL: the edit was made */
    GtkWidget *title, *limits[NS_VIEW_STATE_AXES][2], *names[NS_LANES_MAX];
    GArray *choices; /* of the drop-down "Shows"; int */
    int rows, dragged;
    bool asked, facts_again, syncing;
};

/* View, sheet and label are borrowed as long as the widget lives.  The label tells what is wrong
 * with an edit that was not made. */
GtkWidget *ns_export_charts_new(const NsView *view, NsSheet *sheet, guint current,
                                GtkLabel *problem);

/* Whether an entry holds an edit that was not made. */
bool ns_export_charts_is_wrong(NsExportCharts *charts);

/* Releases the borrowed objects before their owner frees them. */
void ns_export_charts_leave(NsExportCharts *charts);
