/* Plots on a sheet: what each shows, and where.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/export.h"

#include <pango/pangocairo.h>

typedef struct {
    NsPlot plot; /* a copy that borrows from the original and from `title` */
    char *title;
    NsBox cell;      /* its position on the sheet */
    NsMargins least; /* minimum margins */
} NsSheetPlot;

typedef struct {
    const NsExport *options; /* borrowed */
    size_t n, columns, rows;
    NsSheetPlot *plots;   /* [n] */
    PangoLayout *caption; /* or NULL */
    double foot;          /* height of the caption below the plots */
} NsPlotSheet;

/* Divides the sheet among the plots above the caption.  Consecutive heatmaps that fill whole rows
 * and have the same colors share one color bar at their right end, as high as all of them. */
NsPlotSheet ns_plot_sheet(const NsPlot *const *plots, size_t n, const NsExport *options);
void ns_plot_sheet_clear(NsPlotSheet *sheet);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPlotSheet, ns_plot_sheet_clear)

/* The layout of a plot in its cell.  Free with ns_plot_layout_free. */
NsPlotLayout *ns_plot_sheet_layout(const NsPlotSheet *sheet, size_t i);

/* The height of the sheet: that of the options or, if it is a proposal, more if the texts of the
 * plots need it. */
double ns_plot_sheet_height(const NsPlot *const *plots, size_t n, const NsExport *options);

/* Draws the sheet: in points, or as an image of the resolution of the options, which must be
 * destroyed whatever the status is. */
void ns_plot_sheet_draw(const NsPlotSheet *sheet, cairo_t *cr);
cairo_status_t ns_plot_sheet_draw_image(const NsPlotSheet *sheet, cairo_surface_t **image);
