/* What the parts of a study share.  Internal to paper_*.c.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/study/paper.h"

/* Points of an arm with these settings, and what is at them on the horizontal axis: x is [n]. */
size_t ns_study_points(const NsStudy *study, const NsSettings *settings);
void ns_study_abscissae(const NsStudy *study, double *x, size_t n);

/* Adds the curves of a claim over x [n]: a power law times `size`, the bounds of a growth that
 * begins at `size`, what stays at it or grows evenly from it; none for a claim of another kind. */
void ns_study_add_claim(NsStudyResult *result, const NsClaim *claim, const double *x, size_t n,
                        double size);
