/* The horizontal axis of a study.  Internal to core/study.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/study/paper.h"

/* How many depths a study goes through. */
unsigned ns_study_depths(const NsStudy *study);

/* Points of an arm with these settings, and what is at them on the horizontal axis: x is [n]. */
size_t ns_study_points(const NsStudy *study, const NsSettings *settings);
void ns_study_abscissae(const NsStudy *study, double *x, size_t n);
