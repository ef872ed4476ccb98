/* The page of the paper: its figures as cards that can be run.  SPDX-License-Identifier: MIT
 *
 * A card draws what a study expects and, once it was run, what was measured, with a verdict.
 * Studies run one after another on a thread of their own.  It is an NsPage. */
#pragma once

#include "core/study/paper.h"
#include "ui/session/session.h"
#include "ui/widgets/charts/chart_view.h"

#define NS_TYPE_PAPER_PAGE (ns_paper_page_get_type())
G_DECLARE_FINAL_TYPE(NsPaperPage, ns_paper_page, NS, PAPER_PAGE, GtkBox)

GtkWidget *ns_paper_page_new(NsSession *session);

/* Runs the i-th study, after those that wait already; takes it back where it waits or runs. */
void ns_paper_page_toggle(NsPaperPage *page, size_t i);

/* The result of the i-th study; NULL before it was run. */
const NsPaperResult *ns_paper_page_result(NsPaperPage *page, size_t i);

/* The parts of the i-th card. */
typedef struct {
    NsChartView *chart;
    GtkWidget *run, *export_, *verdict, *progress;
} NsPaperCard;
NsPaperCard ns_paper_page_card(NsPaperPage *page, size_t i);
