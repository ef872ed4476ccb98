/* The horizontal axis of a study.  Internal to core/study.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/study/paper.h"

/* How many depths a study goes through. */
unsigned ns_paper_depths(const NsPaperStudy *study);

/* Points of an arm with these settings, and what is at them on the horizontal axis: x is [n]. */
size_t ns_paper_points(const NsPaperStudy *study, const NsSettings *settings);
void ns_paper_abscissae(const NsPaperStudy *study, double *x, size_t n);
