/* The lines of a run as JSON.  Internal to run_*.c.  SPDX-License-Identifier: MIT */
#pragma once

#include <json-glib/json-glib.h>
#include <stddef.h>

/* What a line holds; NULL where it is no JSON, or more deeply nested than a line of a run is.  Free
 * with json_node_unref. */
JsonNode *ns_run_line_parse(const char *line, size_t size);

/* The object of a node; NULL where it has none. */
JsonObject *ns_json_object_of(JsonNode *node);
