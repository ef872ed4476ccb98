/* A figure over several seeds: the mean of their curves.  SPDX-License-Identifier: MIT
 *
 * Each seed has a figure of its own, behind the one that is shown.  A seed that diverged is left
 * out of the mean of its lane, and the plot says so; where all diverged the mean is of them. */
#pragma once

#include "ui/figures/figure.h"

typedef struct NsSeedFigures NsSeedFigures;

/* The most seeds that a run of the input has. */
size_t ns_figure_seeds(const NsFigureInput *input);

/* The plot of the mean, valid until the next call; its version changes only if something visible
 * did.  `first` is the figure of the first seed; `seeds` is made where it is NULL. */
const NsPlot *ns_seed_figures_update(NsSeedFigures **seeds, NsFigure *first,
                                     const NsFigureInput *input);
uint64_t ns_seed_figures_version(const NsSeedFigures *seeds); /* of its plot */
void ns_seed_figures_free(NsSeedFigures *seeds);
