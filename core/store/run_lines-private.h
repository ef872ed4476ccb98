/* The lines of a run as JSON.  Internal to run_*.c.  SPDX-License-Identifier: MIT */
#pragma once

#include <json-glib/json-glib.h>
#include <stddef.h>

/* Parses a line.  Returns NULL if it is not JSON, or is nested more deeply than a line of a run.
 * Free with json_node_unref. */
JsonNode *ns_run_line_parse(const char *line, size_t size);

/* The object in a node; NULL if it is not an object. */
JsonObject *ns_json_object_of(JsonNode *node);
