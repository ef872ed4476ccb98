/* Figures of studies as files.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/provenance.h"
#include "ui/plot/plot.h"
#include "ui/session/session.h"

/* Draws plots as one figure for paper into a file whose ending says the format, with the experiment
 * inside, and says so or why not.  Main thread; such figures are small. */
void ns_save_plots(NsSession *session, const NsPlot *const *plots, size_t n,
                   const NsProvenance *provenance, const char *path);
