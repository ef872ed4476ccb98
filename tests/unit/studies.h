/* Studies for unit tests.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/study/study.h"

/* Reads a study and checks it; the test fails if it is refused.  `study` is not initialized. */
void ns_test_read_study(NsStudy *study, const char *text);
