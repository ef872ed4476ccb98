/* The report of the command “paper”: one document of all studies.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/study.h"
#include "core/study/paper.h"
#include "ui/figures/figures.h"

typedef struct NsPaperReport NsPaperReport;

NsPaperReport *ns_paper_report_new(void);
void ns_paper_report_free(NsPaperReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPaperReport, ns_paper_report_free)

/* Appends a study, of which `result` tells.  Takes the figures that show it. */
void ns_paper_report_add(NsPaperReport *report, const NsStudy *study, NsPaperResult *result,
                         NsPaperPanels panels);

/* FOLDER/report.pdf and FOLDER/report.md, which shows NAME.svg of each.  NS_ERROR_FILE. */
bool ns_paper_report_write(const NsPaperReport *report, const char *folder, GError **error);
