/* The files on which a lane may train.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/param.h"

/* The path in the i-th setting that names a file, "" if not set: text, then source, target,
 * valid-source and valid-target of the task translation.  NULL past the last.  The tokenizer may be
 * a file, too (core/data/tokenizer.h), but is not included. */
char **ns_settings_file(NsSettings *settings, size_t i);

/* Whether a setting names such a file. */
bool ns_param_is_file(const NsParam *param);
