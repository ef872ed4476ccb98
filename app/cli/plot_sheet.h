/* What the files of the command “plot” share.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/picture.h"
#include "core/store/table.h"

/* Charts on one sheet. */
#define NS_PLOT_CHARTS 26

/* What a band over the rows with the same x shows. */
typedef enum { NS_BAND_NONE, NS_BAND_SD, NS_BAND_INTERVAL, NS_BAND_RANGE } NsPlotBand;

/* The command line as it was given. */
typedef struct {
    char *x, *z, *by, *log, *kind, *band, *title;
    char **y, **where, **labels;
    gboolean fit;
    NsPicture picture;
} NsPlotRequest;

/* What is to be drawn, and what the plots borrow. */
typedef struct {
    const NsPlotRequest *request;
    const NsTable *table;
    NsSeriesKind kind;
    NsPlotBand band;
    GArray *rows;       /* size_t: those to be drawn */
    GPtrArray *groups;  /* the values of --by, or one NULL */
    size_t x, by;       /* columns */
    GPtrArray *strings; /* labels */
    GPtrArray *arrays;  /* series and their points */
    NsPlot plots[NS_PLOT_CHARTS];
    size_t n;
} NsPlotSheet;

/* Keeps what was taken, with g_free, for as long as the sheet. */
void *ns_plot_keep(GPtrArray *kept, void *taken);

/* Text of the file as it is, which must not become sub- and superscripts.  Free with g_free. */
char *ns_plot_plain(const char *text);

/* What --label says of a column, else its name; "time [ms]" is a label with a unit. */
const char *ns_plot_label(NsPlotSheet *sheet, size_t column, const char **unit);

bool ns_plot_is_log(const NsPlotSheet *sheet, size_t column);

NsAxis ns_plot_axis_of(NsPlotSheet *sheet, size_t column);

/* Whether a row belongs to a value of --by. */
bool ns_plot_in_group(const NsPlotSheet *sheet, size_t row, const char *group);
