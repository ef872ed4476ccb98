/* SPDX-License-Identifier: MIT */
#include "core/data/json_object.h"

#define DEEPEST 64

JsonNode *ns_json_parse(const char *text, size_t size)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    if (!g_utf8_validate_len(text, size, NULL)) return NULL;
    /* The nesting is limited.  The parser also accepts comments and strings in single
     * quotes, which JSON does not have.  They are refused because quotation marks inside them would
     * mislead the count. */
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"') quoted = !quoted;
        if (quoted && text[i] == '\\') i++;
        if (quoted) continue;
        if (text[i] == '/' || text[i] == '#' || text[i] == '\'') return NULL;
        depth += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
        if (depth > DEEPEST) return NULL;
    }
    if (!json_parser_load_from_data(parser, text, (gssize)size, NULL)) return NULL;

    g_autoptr(JsonNode) root = json_parser_steal_root(parser);
    return ns_json_object_of(root) ? g_steal_pointer(&root) : NULL;
}

JsonObject *ns_json_object_of(JsonNode *node)
{
    return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

JsonArray *ns_json_array_of(JsonNode *node)
{
    return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

static bool holds(JsonNode *node, GType type)
{
    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type;
}

const char *ns_json_text_of(JsonNode *node)
{
    return holds(node, G_TYPE_STRING) ? json_node_get_string(node) : NULL;
}

bool ns_json_integer_of(JsonNode *node, int64_t *number)
{
    if (!holds(node, G_TYPE_INT64)) return false;
    *number = json_node_get_int(node);
    return true;
}
