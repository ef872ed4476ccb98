/* The charts of one file: which ones, in what order, and with which options.
 * SPDX-License-Identifier: MIT
 *
 * A sheet has a text form, which is the argument of --figure and is stored in the metadata of
 * figures:
 *
 *     loss(title=Training loss;x=0..200;y=..4 linear;hide=2,3),profile:token-cosine,tokens(lane=B)
 *
 * In a title, the characters ; ) and \ are escaped with \.  The names of its lanes are a second
 * text, separated by semicolons: "Post-LN;Post-LN, warm-up 100". */
#pragma once

#include "core/experiment/provenance.h"
#include "ui/figures/spec.h"
#include "ui/plot/export_choices.h"
#include "ui/plot/view_state.h"

#define NS_TITLE_MOST 80 /* maximum lengths in characters */
#define NS_NAME_MOST 40

typedef struct {
    NsFigureSpec spec;
    int lane;         /* for a figure of one model: the lane that it shows; -1: not chosen */
    char *title;      /* replaces the title of the figure; NULL: keep it */
    uint64_t hidden;  /* bits of hidden curves, as numbered by ns_plot_curve */
    NsViewState view; /* limits, scales, grid and fit only */
} NsSheetChart;

typedef struct {
    GArray *charts;            /* NsSheetChart */
    char *names[NS_LANES_MAX]; /* names of the lanes; NULL: their letters */
} NsSheet;

void ns_sheet_init(NsSheet *sheet);
void ns_sheet_clear(NsSheet *sheet);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsSheet, ns_sheet_clear)
void ns_sheet_copy(NsSheet *to, const NsSheet *from); /* initializes `to` */

static inline NsSheetChart *ns_sheet_chart(const NsSheet *sheet, guint i)
{
    return &g_array_index(sheet->charts, NsSheetChart, i);
}

/* Appends a chart with default options; moves a chart to another index. */
NsSheetChart *ns_sheet_add(NsSheet *sheet, NsFigureSpec spec, int lane);
void ns_sheet_move(NsSheet *sheet, guint from, guint to);

/* Appends the charts given by a text; NS_ERROR_USAGE explains what is wrong with it. */
bool ns_sheet_read(NsSheet *sheet, const char *text, GError **error);

/* The text of n charts, as read by ns_sheet_read.  Free with g_free. */
char *ns_sheet_text(const NsSheet *sheet, guint first, guint n);

/* Sets the names of lanes.  NS_ERROR_USAGE if a name is too long or used twice, or if there are
 * more names than `lanes` (0: unknown).  NULL removes all names. */
bool ns_sheet_read_names(NsSheet *sheet, const char *text, size_t lanes, GError **error);
char *ns_sheet_names_text(const NsSheet *sheet); /* NULL if no lane has a name */

/* The origin of n charts of an experiment whose newest step is `newest`; the caller may set
 * `changes`, and clears it. */
NsProvenance ns_sheet_provenance(const NsSheet *sheet, guint first, guint n,
                                 const NsFigureInput *input, int64_t newest,
                                 const NsExperiment *experiment);

/* On NS_ERROR_USAGE nothing changes. */
bool ns_sheet_set_title(NsSheetChart *chart, const char *title, GError **error);

/* "profile-token-cosine": a word for file names that is unique to the i-th chart.  Free with
 * g_free. */
char *ns_sheet_word(const NsSheet *sheet, guint i);

/* The number of copies of a chart: a figure of one model is drawn for every lane unless one is
 * chosen. */
unsigned ns_sheet_copies(const NsSheetChart *chart, size_t lanes);

/* The input for the given copy of a chart. */
NsFigureInput ns_sheet_input(const NsSheet *sheet, const NsSheetChart *chart, unsigned copy,
                             const NsFigureInput *input);

/* The name of the i-th entry in the legend of a plot, from 0 in the order of its series; NULL past
 * the end. */
const char *ns_plot_curve(const NsPlot *plot, unsigned i);

/* The plot with the title, limits and hidden curves of the chart.  It borrows from the chart and
 * from the plot.  NULL with NS_ERROR_USAGE if these do not match.  Free with ns_sheet_plot_free. */
NsPlot *ns_sheet_plot(const NsSheetChart *chart, const NsPlot *plot, GError **error);
void ns_sheet_plot_free(NsPlot *plot);

/* The file to write. */
typedef struct {
    const NsExportChoices *choices;
    NsFormat format;
    const NsProvenance *provenance; /* embedded in the file and stated in the caption, if chosen */
    const char *path;
    NsExportWatch *watch; /* for films; may be NULL */
    char **remark;        /* as in NsExport */
} NsSheetFile;

/* Writes plots as one figure with ns_export. */
bool ns_sheet_write(const NsPlot *const *plots, size_t n, const NsSheetFile *file, GError **error);

/* NS_ERROR_USAGE if these charts cannot be shown as a film because one of them has only its newest
 * measurement. */
bool ns_sheet_check_film(const NsSheet *sheet, guint first, guint n, GError **error);

/* Writes the charts as a film of the run from its first step to input->step, or to the newest:
 * curves over steps grow; everything else shows the step of the frame. */
bool ns_sheet_write_film(const NsSheet *sheet, guint first, guint n, const NsFigureInput *input,
                         const NsSheetFile *file, GError **error);
