/* What several unit tests need.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/model/settings.h"

#include <json-glib/json-glib.h>

/* The defaults, but for a model of two layers that takes no time. */
void ns_test_small_settings(NsSettings *settings);

/* One line of JSON; the test fails if it is none. */
JsonNode *ns_test_parse(const char *line);
