/* Figures of studies as files.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/provenance.h"
#include "ui/figures/figures.h"

/* Draws plots as one figure, or a figure, for paper into a file whose ending says the format, with
 * the experiment inside. Main thread; such figures are small. */
bool ns_write_plots(const NsPlot *const *plots, size_t n, const NsProvenance *provenance,
                    const char *path, GError **error);
bool ns_write_figure(const NsFigureKind *kind, const NsFigureInput *input,
                     const NsProvenance *provenance, const char *path, GError **error);
