/* Plots on a page: what each shows there, and where it stands.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/export.h"

#include <pango/pango.h>

typedef struct {
    NsPlot plot; /* borrows from that it was made of, and the title */
    char *title;
    NsBox cell;      /* where it stands on the page */
    NsMargins least; /* its margins are at least so wide */
} NsSheetPlot;

typedef struct {
    const NsExport *options; /* borrowed */
    size_t n, columns, rows;
    NsSheetPlot *plots;   /* [n] */
    PangoLayout *caption; /* NULL for none */
    double foot;          /* the room for it below the plots */
} NsPlotSheet;

/* Divides the page among the plots above the caption.  Heatmaps that follow one another, fill whole
 * rows and say the same by a color get one key, as high as all of them, at their right end.
 * least: the margins of each plot; NULL for as much as it needs. */
NsPlotSheet ns_plot_sheet(const NsPlot *const *plots, size_t n, const NsExport *options,
                          const NsMargins *least);
void ns_plot_sheet_clear(NsPlotSheet *sheet);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPlotSheet, ns_plot_sheet_clear)

/* A plot as large as its cell.  Free with ns_plot_layout_free. */
NsPlotLayout *ns_plot_sheet_layout(const NsPlotSheet *sheet, size_t i);

/* The height of the page: that of the options or, where it is proposed, more if the plots need more
 * for their words. */
double ns_plot_sheet_height(const NsPlot *const *plots, size_t n, const NsExport *options);
