/* Shared declarations of the command “plot”.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/picture.h"
#include "core/store/table.h"

/* The most charts on one sheet. */
#define NS_PLOT_CHARTS 26

/* What a band over the rows with the same x shows. */
typedef enum { NS_BAND_NONE, NS_BAND_SD, NS_BAND_INTERVAL, NS_BAND_RANGE } NsPlotBand;

/* The command line as given. */
typedef struct {
    char *x, *z, *by, *log, *kind, *band, *title;
    char **y, **where, **labels;
    gboolean fit;
    NsPicture picture;
} NsPlotRequest;

/* What is drawn, and the memory that the plots borrow. */
typedef struct {
    const NsPlotRequest *request;
    const NsTable *table;
    NsSeriesKind kind;
    NsPlotBand band;
    GArray *rows;       /* size_t: indices of the chosen rows */
    GPtrArray *groups;  /* the values of --by, or one NULL */
    size_t x, by;       /* column indices */
    GPtrArray *strings; /* labels */
    GPtrArray *arrays;  /* series and their points */
    NsPlot plots[NS_PLOT_CHARTS];
    size_t n;
} NsPlotSheet;

/* Adds `taken` to an array that frees it with g_free together with the sheet; returns it. */
void *ns_plot_keep(GPtrArray *kept, void *taken);

/* Text from the file without _ and ^, which would make sub- and superscripts.  Free with g_free. */
char *ns_plot_plain(const char *text);

/* The value of --label for a column, or its name; "time [ms]" becomes a label and a unit. */
const char *ns_plot_label(NsPlotSheet *sheet, size_t column, const char **unit);

bool ns_plot_is_log(const NsPlotSheet *sheet, size_t column);

NsAxis ns_plot_axis_of(NsPlotSheet *sheet, size_t column);

/* Whether a row has this value of --by. */
bool ns_plot_in_group(const NsPlotSheet *sheet, size_t row, const char *group);
