/* The experiment of a run that was written as JSON lines.  SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether the bytes begin like the lines that “normscope-cli train” and “compare” write. */
bool ns_run_lines_are(const char *bytes, size_t size);

/* The settings of the run's lanes as the line of an experiment (core/experiment/provenance.h), as
 * they were written, without checking them; NULL if they cannot be read.  Free with g_free. */
char *ns_run_lines_provenance(const char *bytes, size_t size);
