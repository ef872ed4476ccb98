/* SPDX-License-Identifier: MIT */
#include "core/store/run_lines.h"

#include "core/data/json_object.h"
#include "core/experiment/provenance.h"

#include <inttypes.h>
#include <string.h>

#define LONGEST_LINE 65536u /* of a line of settings */

#define PROGRAM "normscope "

/* The lines before the first step. */
typedef struct {
    GPtrArray *nodes;                   /* own the objects; borrowed */
    JsonObject *settings[NS_LANES_MAX]; /* [lanes] */
    size_t lanes;
    const char *version;
} Run;

bool ns_run_lines_are(const char *bytes, size_t size)
{
    static const char *const heads[] = {"{\"settings\":{", "{\"lane\":1,\"settings\":{"};
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++)
        if (size > strlen(heads[i]) && memcmp(bytes, heads[i], strlen(heads[i])) == 0) return true;
    return false;
}

/* ---- Reading ---- */

/* Reads the settings in one line; returns false if it has none. */
static bool read_line(Run *run, const char *line, size_t size)
{
    JsonNode *node = size > LONGEST_LINE ? NULL : ns_json_parse(line, size);
    if (!node) return false;
    g_ptr_array_add(run->nodes, node);
    JsonObject *object = json_node_get_object(node);
    JsonObject *settings = ns_json_object_of(json_object_get_member(object, "settings"));
    if (!settings) return false;
    const char *program = ns_json_text_of(json_object_get_member(object, "program"));
    bool own = program && g_str_has_prefix(program, PROGRAM);
    if (!run->lanes) run->version = own ? program + strlen(PROGRAM) : "unknown";
    run->settings[run->lanes++] = settings;
    return true;
}

/* ---- The experiment ---- */

/* A value as text that ns_settings_set reads; NULL for types that no setting has. */
static char *text_of(JsonNode *node)
{
    if (!node || !JSON_NODE_HOLDS_VALUE(node)) return NULL;
    GType type = json_node_get_value_type(node);
    if (type == G_TYPE_STRING) return g_strdup(json_node_get_string(node));
    if (type == G_TYPE_INT64) return g_strdup_printf("%" PRId64, json_node_get_int(node));
    if (type != G_TYPE_DOUBLE) return NULL;
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strdup(g_ascii_dtostr(digits, sizeof digits, json_node_get_double(node)));
}

static void add_word(GString *line, const char *key, const char *value)
{
    g_autofree char *word = g_strconcat(key, "=", value, NULL);
    g_autofree char *quoted = g_shell_quote(word);
    g_string_append_printf(line, "%s%s", line->len ? " " : "", quoted);
}

static bool is_shared(const Run *run, const char *key)
{
    g_autofree char *first = text_of(json_object_get_member(run->settings[0], key));
    for (size_t i = 1; i < run->lanes; i++) {
        g_autofree char *other = text_of(json_object_get_member(run->settings[i], key));
        if (g_strcmp0(first, other) != 0) return false;
    }
    return true;
}

/* The settings of a lane; if `special`, only those that not all lanes share.  Older files have keys
 * such as "d-model" instead of "d_model". */
static char *words_of(const Run *run, size_t lane, bool special)
{
    GString *words = g_string_new(NULL);
    g_autoptr(GList) members = json_object_get_members(run->settings[lane]);
    for (GList *member = members; member; member = member->next) {
        const char *name = member->data;
        g_autofree char *text = text_of(json_object_get_member(run->settings[lane], name));
        g_autofree char *key = g_strdelimit(g_strdup(name), "_", '-');
        if (text && !(special && is_shared(run, name))) add_word(words, key, text);
    }
    return g_string_free(words, FALSE);
}

char *ns_run_lines_provenance(const char *bytes, size_t size)
{
    g_autoptr(GPtrArray) nodes = g_ptr_array_new_with_free_func((GDestroyNotify)json_node_unref);
    Run run = {.nodes = nodes};
    for (const char *at = bytes, *end = bytes + size; run.lanes < NS_LANES_MAX && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        if (!read_line(&run, at, length)) break;
        at += length + 1;
    }
    if (!run.lanes) return NULL;
    g_autofree char *version = g_shell_quote(run.version);
    GString *line = g_string_new(NULL);
    g_string_append_printf(line, NS_PROVENANCE_BEGIN "%s", version);
    for (size_t i = 0; run.lanes > 1 && i < run.lanes; i++) {
        g_autofree char *words = words_of(&run, i, true);
        add_word(line, "lane", words);
    }
    g_autofree char *settings = words_of(&run, 0, false);
    g_string_append_printf(line, " %s", settings);
    return g_string_free(line, FALSE);
}
