/* The files that a lane may learn from.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/param.h"

/* The path in the i-th setting that names one, "" where there is none: text, then source, target,
 * valid-source and valid-target of the task translation.  NULL past the last.  The tokenizer may be
 * a file, too (core/data/tokenizer.h). */
char **ns_settings_file(NsSettings *settings, size_t i);

/* Whether a setting is one of these. */
bool ns_param_is_file(const NsParam *param);
