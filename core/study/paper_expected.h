/* The curves that a study expects.  Internal to core/study.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/study/paper.h"

/* Adds the curves of a claim over x [n]: a power law times `size`, the bounds of a growth that
 * begins at `size`, what stays at it or grows evenly from it; none for a claim of another kind. */
void ns_paper_add_claim(NsPaperResult *result, const NsClaim *claim, const double *x, size_t n,
                        double size);
