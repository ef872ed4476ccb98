/* The charts of one file: which, in what order, and how much of each.  SPDX-License-Identifier: MIT
 *
 * A sheet has a text, which is what --figure says and what a figure's metadata keep:
 *
 *     loss(title=Training loss;x=0..200;y=..4 linear;hide=2,3),profile:token-cosine,tokens(lane=B)
 *
 * A \ stands before ; ) and \ in a title.  What its lanes are called is a second text, with a
 * semicolon between each two: "Post-LN;Post-LN, warm-up 100". */
#pragma once

#include "core/experiment/provenance.h"
#include "ui/figures/spec.h"
#include "ui/plot/export_choices.h"
#include "ui/plot/view_state.h"

#define NS_TITLE_MOST 80 /* characters */
#define NS_NAME_MOST 40

typedef struct {
    NsFigureSpec spec;
    int lane;         /* of a figure of one model: the one of several that it shows; -1 for none */
    char *title;      /* in place of the figure's own; NULL for none */
    uint64_t hidden;  /* curves that are left out, as bits by ns_plot_curve */
    NsViewState view; /* limits, scales and grid; it hides nothing and pins nothing */
} NsSheetChart;

typedef struct {
    GArray *charts;            /* NsSheetChart */
    char *names[NS_LANES_MAX]; /* what lanes are called; NULL: their letters */
} NsSheet;

void ns_sheet_init(NsSheet *sheet);
void ns_sheet_clear(NsSheet *sheet);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsSheet, ns_sheet_clear)
void ns_sheet_copy(NsSheet *to, const NsSheet *from); /* initializes `to` */

static inline NsSheetChart *ns_sheet_chart(const NsSheet *sheet, guint i)
{
    return &g_array_index(sheet->charts, NsSheetChart, i);
}

/* Appends a whole chart, or moves one to another place. */
NsSheetChart *ns_sheet_add(NsSheet *sheet, NsFigureSpec spec, int lane);
void ns_sheet_move(NsSheet *sheet, guint from, guint to);

/* Appends the charts of a text; NS_ERROR_USAGE says in a sentence what is wrong with it. */
bool ns_sheet_read(NsSheet *sheet, const char *text, GError **error);

/* The text of n charts, which ns_sheet_read reads again.  Free with g_free. */
char *ns_sheet_text(const NsSheet *sheet, guint first, guint n);

/* The names of lanes: too long, given twice or more than `lanes` (0: not known) are
 * NS_ERROR_USAGE.  NULL removes all names. */
bool ns_sheet_read_names(NsSheet *sheet, const char *text, size_t lanes, GError **error);
char *ns_sheet_names_text(const NsSheet *sheet); /* NULL where no lane has one */

/* FALSE with NS_ERROR_USAGE, and then nothing has changed. */
bool ns_sheet_set_title(NsSheetChart *chart, const char *title, GError **error);

/* "profile-token-cosine": a word that is unique to the i-th chart, for the name of a file.  Free
 * with g_free. */
char *ns_sheet_word(const NsSheet *sheet, guint i);

/* How often a chart is drawn: a figure of one model for every lane, unless it says for which. */
unsigned ns_sheet_copies(const NsSheetChart *chart, size_t lanes);

/* What a chart shows of an input, in the i-th of its copies. */
NsFigureInput ns_sheet_input(const NsSheet *sheet, const NsSheetChart *chart, unsigned copy,
                             const NsFigureInput *input);

/* The curves of a plot as its legend knows them, from 0 in the order of the plot's series; NULL
 * past the end. */
const char *ns_plot_curve(const NsPlot *plot, unsigned i);

/* The plot under title, limits and hidden curves of the chart, from which it borrows as from the
 * plot.  NULL with NS_ERROR_USAGE where it does not have what the chart says.  Free with
 * ns_sheet_plot_free. */
NsPlot *ns_sheet_plot(const NsSheetChart *chart, const NsPlot *plot, GError **error);
void ns_sheet_plot_free(NsPlot *plot);

/* What is written, and how. */
typedef struct {
    const NsExportChoices *choices;
    NsFormat format;
    const NsProvenance *provenance; /* kept inside, and told in the caption, as the choices say */
    const char *path;
    NsExportWatch *watch; /* of a film; may be NULL */
} NsSheetFile;

/* Plots as one figure, as ns_export does it. */
bool ns_sheet_write(const NsPlot *const *plots, size_t n, const NsSheetFile *file, GError **error);

/* NS_ERROR_USAGE where there is no film of these charts: of some only the newest measurement is
 * kept. */
bool ns_sheet_check_film(const NsSheet *sheet, guint first, guint n, GError **error);

/* The charts as a film of the run from its first step to input->step, or to its newest: curves
 * over steps grow, all else shows the step of its frame. */
bool ns_sheet_write_film(const NsSheet *sheet, guint first, guint n, const NsFigureInput *input,
                         const NsSheetFile *file, GError **error);
