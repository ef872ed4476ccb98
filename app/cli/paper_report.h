/* The report of the command “paper”: one document for all studies.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/study.h"
#include "core/study/paper.h"
#include "ui/figures/figures.h"

typedef struct NsPaperReport NsPaperReport;

NsPaperReport *ns_paper_report_new(void);
void ns_paper_report_free(NsPaperReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPaperReport, ns_paper_report_free)

/* Appends a study with its result.  Takes ownership of the figures in `panels`. */
void ns_paper_report_add(NsPaperReport *report, const NsStudy *study, NsPaperResult *result,
                         NsPaperPanels panels);

/* Writes FOLDER/report.pdf and FOLDER/report.md, which includes NAME.svg of each.
 * NS_ERROR_FILE. */
bool ns_paper_report_write(const NsPaperReport *report, const char *folder, GError **error);
