/* SPDX-License-Identifier: MIT */
#include "core/store/run_lines.h"

#include "core/store/experiment.h"

#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <string.h>

#define LONGEST_LINE 65536u /* of settings */

bool ns_run_lines_are(const char *bytes, size_t size)
{
    static const char *const heads[] = {"{\"settings\":{", "{\"lane\":1,\"settings\":{"};
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++)
        if (size > strlen(heads[i]) && memcmp(bytes, heads[i], strlen(heads[i])) == 0) return true;
    return false;
}

/* A value as ns_settings_set reads it; NULL for what no setting is. */
static char *text_of(JsonNode *node)
{
    if (!JSON_NODE_HOLDS_VALUE(node)) return NULL;
    GType type = json_node_get_value_type(node);
    if (type == G_TYPE_STRING) return g_strdup(json_node_get_string(node));
    if (type == G_TYPE_INT64) return g_strdup_printf("%" PRId64, json_node_get_int(node));
    if (type != G_TYPE_DOUBLE) return NULL;
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strdup(g_ascii_dtostr(digits, sizeof digits, json_node_get_double(node)));
}

static void take_setting(JsonObject *object, const char *key, JsonNode *node, gpointer settings)
{
    (void)object;
    g_autofree char *text = text_of(node);
    if (text) ns_settings_set(settings, key, text, NULL);
}

/* The settings of one line; false where it has none. */
static bool read_line(NsSettings *settings, const char *line, size_t size)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    if (size > LONGEST_LINE || !json_parser_load_from_data(parser, line, (gssize)size, NULL))
        return false;
    JsonNode *root = json_parser_get_root(parser);
    JsonObject *object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
    JsonNode *node = object ? json_object_get_member(object, "settings") : NULL;
    if (!node || !JSON_NODE_HOLDS_OBJECT(node)) return false;
    json_object_foreach_member(json_node_get_object(node), take_setting, settings);
    return true;
}

char *ns_run_lines_experiment(const char *bytes, size_t size)
{
    NsSettings lane[NS_EXPERIMENT_LANES];
    const NsSettings *lanes[NS_EXPERIMENT_LANES];
    size_t n = 0;
    for (const char *at = bytes, *end = bytes + size; n < NS_EXPERIMENT_LANES && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        ns_settings_init(&lane[n]);
        lanes[n] = &lane[n];
        if (!read_line(&lane[n], at, length)) {
            ns_settings_clear(&lane[n]);
            break;
        }
        n++;
        at += length + 1;
    }
    if (!n) return NULL;
    g_auto(NsExperiment) experiment;
    ns_experiment_init(&experiment);
    ns_experiment_set_lanes(&experiment, lanes, n);
    for (size_t i = 0; i < n; i++) ns_settings_clear(&lane[i]);
    return ns_experiment_line(&experiment);
}
