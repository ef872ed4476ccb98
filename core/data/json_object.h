/* Reading JSON objects.  SPDX-License-Identifier: MIT */
#pragma once

#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses a JSON object.  Returns NULL if the text is not UTF-8, is not an object, or is nested more
 * than 64 levels deep: the parser is recursive and would overflow the stack.  Free with
 * json_node_unref. */
JsonNode *ns_json_parse(const char *text, size_t size);

/* The contents of a node, which may be NULL; NULL if they have another type. */
JsonObject *ns_json_object_of(JsonNode *node);
JsonArray *ns_json_array_of(JsonNode *node);
const char *ns_json_text_of(JsonNode *node);

/* Returns false if the node is not an integer. */
bool ns_json_integer_of(JsonNode *node, int64_t *number);
