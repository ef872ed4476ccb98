/* A page of the window: one way to look at an experiment.  SPDX-License-Identifier: MIT
 *
 * Pages are rows of the table in ui/widgets/pages/page_stack.c; one is created when it is first
 * shown, and stands in a window that scrolls.
 *
 * Signal of every page: "pointed" (NsChartTile), the crosshair or the pins of a tile moved. */
#pragma once

#include "core/experiment/provenance.h"
#include "ui/widgets/charts/chart_tile.h"

#define NS_TYPE_PAGE (ns_page_get_type())
G_DECLARE_INTERFACE(NsPage, ns_page, NS, PAGE, GtkWidget)

struct _NsPageInterface {
    GTypeInterface parent;
    bool (*refresh)(NsPage *page); /* the following functions may be NULL */
    NsChartTile *(*current)(NsPage *page);
    bool (*back)(NsPage *page);
    void (*save)(NsPage *page);
};

/* Brings what is seen up to date; called once a frame while the page is shown and something may
 * have changed.  TRUE if it is still behind. */
bool ns_page_refresh(NsPage *page);

/* The tile that export, copy and maximize act on; NULL where there is none. */
NsChartTile *ns_page_current(NsPage *page);

/* Exports the chart of a page without tiles: asks for a file, or reports what must be done first.
 * FALSE if the page has tiles. */
bool ns_page_save(NsPage *page);

/* Goes back by one: from a maximized tile to all, or from pins to none.  FALSE if there is nothing
 * to leave. */
bool ns_page_back(NsPage *page);

/* Draws plots as one figure for paper into a file whose ending says the format, with the experiment
 * inside, and says so or why not.  Main thread; such figures are small. */
void ns_save_plots(NsSession *session, const NsPlot *const *plots, size_t n,
                   const NsProvenance *provenance, const char *path);
