/* The page of sweeps: which runs learn, which diverge.  SPDX-License-Identifier: MIT
 *
 * Two settings on two axes, the others as the active lane has them.  Cells fill in while workers
 * train them; a click on a cell, or Enter at the crosshair, sets both settings of the active lane.
 * The lanes can stand side by side, each with its sweep.  It is an NsPage. */
#pragma once

#include "core/study/phase.h"
#include "ui/session/session.h"
#include "ui/widgets/charts/chart_view.h"

#define NS_TYPE_PHASE_PAGE (ns_phase_page_get_type())
G_DECLARE_FINAL_TYPE(NsPhasePage, ns_phase_page, NS, PHASE_PAGE, GtkBox)

/* Everybody may read the fields. */
struct _NsPhasePage {
    GtkBox parent;
    NsSession *session;
    NsStudyWork *work;                 /* NULL before the first plan */
    NsPhase *phases[NS_LANES_MAX];     /* [n], views on it; NULL before the first plan */
    bool planned;                      /* it is none yet, but what the controls ask for */
    NsChartView *charts[NS_LANES_MAX]; /* the first n are visible */
    size_t n;                          /* 1, or the number of lanes side by side */
    char *asked;                       /* values of the controls when the sweeps were created */
    GtkWidget *row;                    /* of charts */
    /* The controls: */
    GtkWidget *key[2], *values[2], *range[2]; /* of columns and rows */
    GtkWidget *steps, *start, *export_;
    GtkWidget *side;          /* a sweep for every lane */
    GtkWidget *queue, *words; /* how far it is, as a bar and in words */
    GtkWidget *hint;
    GPtrArray *params; /* NsParam that can be on an axis, in the order of the drop-downs */
    bool stopped;      /* by the user */
    guint tick;        /* while workers train */
    gint64 redrawn;
};

GtkWidget *ns_phase_page_new(NsSession *session);

/* Puts axes, as ns_study_axis_read reads them, and steps into the controls; starts nothing.  FALSE
 * with NS_ERROR_SETTING, and then nothing is changed. */
bool ns_phase_page_set_axes(NsPhasePage *page, const char *x, const char *y, int64_t steps,
                            GError **error);

/* Shows the lanes of a study side by side, as far as its cells are known, and puts its first two
 * axes into the controls; the session has its lanes.  Start goes on with it, in its file of
 * results.  Keeps a reference.  FALSE with NS_ERROR_SETTING where it has no two axes, and then
 * nothing is changed. */
bool ns_phase_page_show_study(NsPhasePage *page, NsStudyWork *work, GError **error);
