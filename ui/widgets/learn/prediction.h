/* An empty chart on which a student draws what a measurement will be.  SPDX-License-Identifier: MIT
 *
 * One point a layer, on a logarithmic axis.  The pointer draws; on the keyboard Left and Right
 * choose a layer, Up and Down raise and lower it, at first from the middle.  Compared, the chart
 * shows the measurement beside the drawing and is not changed any more.
 *
 * Signal: "changed", a point was drawn, or the drawing was compared. */
#pragma once

#include "core/probe/quantity.h"
#include "core/store/lesson.h"
#include "ui/plot/layout.h"

#include <gtk/gtk.h>

#define NS_TYPE_PREDICTION (ns_prediction_get_type())
G_DECLARE_FINAL_TYPE(NsPrediction, ns_prediction, NS, PREDICTION, GtkWidget)

/* Everybody may read the fields. */
struct _NsPrediction {
    GtkWidget parent;
    size_t n;
    double lo, hi;
    double *layer, *guess, *measured;  /* [n]; NaN for a missing guess */
    double *sketched_layer, *sketched; /* the guesses that exist, for the picture */
    bool compared;
    size_t at; /* the layer that keys move */
    const NsStyle *style;
    NsSeries series[2];
    NsPlot plot;
    NsPlotLayout *layout;
    double begin_x, begin_y; /* where a stroke of the pointer began */
    int last;                /* the layer of its last point; -1 for none */
};

/* Of n layers, the first with this number: 0 where the embedding is one of them.  lo, hi: the ends
 * of the axis of values. */
GtkWidget *ns_prediction_new(NsQuantity quantity, unsigned lane, size_t n, int first, double lo,
                             double hi);

/* Sets the point of a layer, counted from 0, to a value. */
void ns_prediction_set(NsPrediction *prediction, size_t i, double value);

/* How many layers have no point yet. */
size_t ns_prediction_missing(NsPrediction *prediction);

/* Shows what was measured: [n].  One sentence or two on how well they match, which say how that was
 * counted; NULL if that cannot be compared: other layers, or something is missing.  Free with
 * g_free. */
char *ns_prediction_compare(NsPrediction *prediction, const double *measured, size_t n);

/* A question with answers.  The card and *answer, the number of the chosen one from 1 or 0 for
 * none, are borrowed as long as the widget lives.  Once an answer is chosen it says whether that is
 * right, and why, or why not; another can be chosen after it.  `changed` is called, swapped, with
 * `data`. */
GtkWidget *ns_lesson_question_new(const NsCard *card, size_t *answer, GCallback changed,
                                  gpointer data);
