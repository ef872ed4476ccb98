/* Objects of JSON in files of other programs, and what they hold.  SPDX-License-Identifier: MIT */
#pragma once

#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a text says.  NULL unless it is UTF-8 and a JSON object in which at most 64 brackets are
 * open at once: the parser calls itself for each of them.  Free with json_node_unref. */
JsonNode *ns_json_parse(const char *text, size_t size);

/* What a node holds; NULL, which a node may be, where that is something else. */
JsonObject *ns_json_object_of(JsonNode *node);
JsonArray *ns_json_array_of(JsonNode *node);
const char *ns_json_text_of(JsonNode *node);

/* FALSE where the node is no whole number. */
bool ns_json_whole_of(JsonNode *node, int64_t *number);
