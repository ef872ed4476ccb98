/* The curves that a paper's claims predict.  Internal to core/study.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/study/paper.h"

/* The points that a claim is about, `first` to `first` + `n`: those of its stack, or all. */
void ns_paper_claimed(const NsStudy *study, const NsClaim *claim, size_t *first, size_t *n);

/* Adds the curves that a claim predicts over x [n]: a power law times `size`, the two bounds of a
 * growth from `size`, a constant `size`, or a geometric growth from it.  Adds nothing for claims of
 * other kinds. */
void ns_paper_add_claim(NsPaperResult *result, const NsClaim *claim, const double *x, size_t n,
                        double size);
