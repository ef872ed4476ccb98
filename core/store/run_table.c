/* SPDX-License-Identifier: MIT */
#include "core/store/run_table.h"

#include "core/base/database_file.h"
#include "core/store/json.h"
#include "core/store/output_file.h"
#include "core/store/outside_name.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

/* Larger files are not settings. */
#define CONFIG_BYTES ((size_t)1 << 20)
#define DEEPEST 8
#define LONGEST_LIST 80 /* characters of a list that is shown as a value */

/* ---- Settings beside a log ---- */

static bool read_number(const char *text, double *number)
{
    char *end;
    bool digits = *text && strspn(text, "0123456789+-.eE") == strlen(text);
    *number = digits ? g_ascii_strtod(text, &end) : (double)NAN;
    return digits && !*end && isfinite(*number);
}

/* The first file that has a setting is the nearest to the log.  1e-3 and 0.001 are one value. */
static void add_value(GHashTable *config, const char *name, const char *text)
{
    double number;
    const char *plain = g_str_equal(text, "True")    ? "true"
                        : g_str_equal(text, "False") ? "false"
                                                     : text;
    if (!*name || g_hash_table_contains(config, name)) return;
    g_hash_table_insert(config, g_strdup(name),
                        read_number(text, &number) ? ns_number_text(number) : g_strdup(plain));
}

/* Objects that contain all settings add nothing to a name, nor does the “value” of W&B. */
static char *join_names(const char *outer, const char *name)
{
    static const char *const whole[] = {"config",          "args",   "hparams",
                                        "hyperparameters", "params", NULL};
    if (!*outer && g_strv_contains(whole, name)) return g_strdup("");
    if (*outer && g_str_equal(name, "value")) return g_strdup(outer);
    return *outer ? g_strconcat(outer, ".", name, NULL) : g_strdup(name);
}

static void add_node(GHashTable *config, const char *name, JsonNode *node, unsigned depth)
{
    if (JSON_NODE_HOLDS_OBJECT(node) && depth < DEEPEST) {
        JsonObjectIter each;
        const char *member;
        JsonNode *inner;
        json_object_iter_init(&each, json_node_get_object(node));
        while (json_object_iter_next(&each, &member, &inner)) {
            g_autofree char *joined = join_names(name, member);
            if (*member != '_' && !g_str_equal(member, "desc"))
                add_node(config, joined, inner, depth + 1);
        }
    } else if (JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING) {
        add_value(config, name, json_node_get_string(node));
    } else if (!JSON_NODE_HOLDS_NULL(node)) {
        g_autofree char *text = json_to_string(node, FALSE);
        if (strlen(text) <= LONGEST_LIST) add_value(config, name, text);
    }
}

static void add_json(GHashTable *config, const char *text)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    if (json_parser_load_from_data(parser, text, -1, NULL) && json_parser_get_root(parser))
        add_node(config, "", json_parser_get_root(parser), 0);
}

/* Takes the quotes off a text, or the comment after it. */
static char *plain_text(char *text)
{
    g_strstrip(text);
    char *end = *text == '"' || *text == '\'' ? strchr(text + 1, *text) : strstr(text, " #");
    bool quoted = end && *end != ' ';
    if (end) *end = '\0';
    return g_strchomp(text + quoted);
}

/* Reads the mappings of a YAML file that are indented further than the one around them; lists and
 * texts of several lines are left out.  Returns the first line after them. */
static char **add_yaml(GHashTable *config, const char *outer, char **line, int above)
{
    while (*line) {
        int indent = (int)strspn(*line, " ");
        char *key = *line + indent, *colon = strstr(key, ":");
        bool mapping = colon && !strchr("#-", *key) && (!colon[1] || colon[1] == ' ');
        if (mapping && indent <= above) return line;
        line++;
        if (!mapping) continue;
        *colon = '\0';
        key = plain_text(key);
        char *value = plain_text(colon + 1);
        g_autofree char *name = join_names(outer, key);
        if (!*value || strchr("!&|>", *value))
            line = add_yaml(config, name, line, indent);
        else if (!strchr("~_", *key) && !g_str_equal(key, "desc") && !g_str_equal(value, "null"))
            add_value(config, name, value);
    }
    return line;
}

/* A text of an event file is JSON, a table of Markdown with two columns, or a single value. */
static void add_text(GHashTable *config, const char *name, char *text)
{
    g_strstrip(text);
    bool table = *text == '|', one = !strchr(text, '\n') && strlen(text) <= LONGEST_LIST;
    if (*text == '{') {
        add_json(config, text);
        return;
    }
    if (!table && one) add_value(config, name, text);
    g_auto(GStrv) rows = g_strsplit(table ? text : "", "\n", -1);
    for (char **row = rows; *row; row++) {
        g_auto(GStrv) cells = g_strsplit(*row, "|", -1);
        bool pair = g_strv_length(cells) >= 4 && !strstr(cells[1], "--");
        if (pair && row > rows) add_value(config, g_strstrip(cells[1]), g_strstrip(cells[2]));
    }
}

/* Reads “lr_1e-3_seed_2” and “opt=adam,lr=1e-3”: a number belongs to the words before it, and a
 * word to those before its “=”. */
static void add_name(GHashTable *config, const char *name)
{
    static const char separators[] = "_-,;+ =";
    static const char *const counters[] = {"run", "exp",        "experiment", "version", "trial",
                                           "job", "checkpoint", "try",        NULL};
    const char *dot = strrchr(name, '.');
    bool suffix = dot && g_ascii_isalpha(dot[1]);
    g_autofree char *own = g_strndup(name, suffix ? (gsize)(dot - name) : strlen(name));
    g_autoptr(GString) key = g_string_new(NULL);
    for (const char *at = own; *at;) {
        bool equals = at > own && at[-1] == '=';
        double number;
        char *end = (char *)(uintptr_t)at;
        if (g_ascii_isdigit(*at)) g_ascii_strtod(at, &end);
        if (end == at || !strchr(separators, *end))
            end += strcspn(end, equals ? "_,;+ " : separators);
        g_autofree char *word = g_strndup(at, (gsize)(end - at));
        bool digits = read_number(word, &number);
        if (key->len && (equals || digits)) {
            add_value(config, key->str, word);
            g_string_truncate(key, 0);
        } else if (digits || strpbrk(word, "0123456789") || g_strv_contains(counters, word)) {
            g_string_truncate(key, 0);
        } else if (*word) {
            g_string_append_printf(key, key->len ? "_%s" : "%s", word);
        }
        if (*end == ',' || *end == ';') g_string_truncate(key, 0);
        at = end + (*end != '\0');
    }
}

void ns_run_config_read(NsRecordedRun *run)
{
    static const char *const files[] = {
        "config.json",          "hparams.json",  "params.json",  "args.json",
        "hyperparameters.json", "settings.json", "hparams.yaml", "config.yaml",
        "params.yaml",          "args.yaml",     "config.yml",   ".hydra/config.yaml"};
    GHashTable *config = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autofree char *text = g_malloc(CONFIG_BYTES + 1);
    const char *log = ns_outside_file_path(run->log);
    g_autoptr(GPtrArray) own = ns_outside_settings(ns_outside_file_run(run->log));
    run->config = config;
    for (guint i = 0; i + 1 < own->len; i += 2) add_text(config, own->pdata[i], own->pdata[i + 1]);
    if (g_str_has_suffix(log, ".jsonl") || g_str_has_suffix(log, ".json")) {
        text[ns_database_file_head(log, text, CONFIG_BYTES)] = '\0';
        /* Settings in the first of the JSON lines. */
        g_autofree char *line = g_strndup(text, strcspn(text, "\n"));
        g_autoptr(GHashTable) found =
            g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
        add_json(found, line);
        NsOutsideNames *names = ns_outside_names_new();
        bool record = false;
        GHashTableIter each;
        gpointer name;
        g_hash_table_iter_init(&each, found);
        while (g_hash_table_iter_next(&each, &name, NULL)) {
            const NsOutsideName *meaning = ns_outside_names_find(names, NULL, name);
            record |=
                meaning && (meaning->kind == NS_OUTSIDE_STEP || meaning->kind == NS_OUTSIDE_LOSS ||
                            meaning->kind == NS_OUTSIDE_VALIDATION);
        }
        ns_outside_names_free(names);
        if (!record) add_json(config, line);
    }
    /* MLflow keeps a file for each of its settings. */
    g_autofree char *params = g_build_filename(run->path, "params", NULL);
    g_autoptr(GDir) dir = g_dir_open(params, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(params, name, NULL);
        bool file = g_file_test(path, G_FILE_TEST_IS_REGULAR);
        text[file ? ns_database_file_head(path, text, LONGEST_LIST) : 0] = '\0';
        if (file) add_value(config, name, g_strstrip(text));
    }
    /* A log that is a run of its own shares its folder with others. */
    g_autofree char *folder = g_str_equal(log, run->path) ? NULL : g_path_get_dirname(log);
    while (folder && g_str_has_prefix(folder, run->path)) {
        for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
            g_autofree char *path = g_build_filename(folder, files[i], NULL);
            size_t n = g_file_test(path, G_FILE_TEST_IS_REGULAR)
                           ? ns_database_file_head(path, text, CONFIG_BYTES)
                           : 0;
            text[n] = '\0';
            g_auto(GStrv) lines = g_strsplit_set(text, "\r\n", -1);
            if (g_str_has_suffix(path, ".json"))
                add_json(config, text);
            else
                add_yaml(config, "", lines, -1);
        }
        char *above = g_path_get_dirname(folder);
        g_free(folder);
        folder = above;
    }
    add_name(config, run->name);
}

/* ---- Columns ---- */

static void column_free(gpointer data)
{
    g_free(((NsRunColumn *)data)->key);
    g_free(data);
}

static bool has_settings(const NsRecordedRun *run)
{
    return !run->wrong && run->experiment.n > 0;
}

static bool varies(const GPtrArray *runs, const NsParam *param)
{
    const NsRecordedRun *first = NULL;
    for (guint i = 0; i < runs->len; i++) {
        const NsRecordedRun *run = runs->pdata[i];
        if (!has_settings(run)) continue;
        if (!first) first = run;
        size_t lanes = MIN(first->experiment.n, run->experiment.n);
        for (size_t lane = 0; lane < lanes; lane++)
            if (!ns_settings_same(&first->experiment.lane[lane], &run->experiment.lane[lane],
                                  param))
                return true;
    }
    return false;
}

/* The order of columns of logs. */
static int compare_columns(gconstpointer a, gconstpointer b, gpointer runs)
{
    const NsRunColumn *left = *(NsRunColumn *const *)a, *right = *(NsRunColumn *const *)b;
    guint n = ((const GPtrArray *)runs)->len;
    int last = (!left->number && left->values == n) - (!right->number && right->values == n);
    if (last) return last;
    return left->number != right->number ? right->number - left->number
                                         : strcmp(left->key, right->key);
}

GPtrArray *ns_run_columns(const GPtrArray *runs)
{
    GPtrArray *columns = g_ptr_array_new_with_free_func(column_free);
    const NsParam *param;
    for (size_t i = 0; (param = ns_param(i)); i++) {
        if (g_str_equal(param->key, "threads") || g_str_equal(param->key, "steps") ||
            !varies(runs, param))
            continue;
        const NsRunColumn column = {ns_json_key(param->key), param, ns_param_is_number(param), 0};
        g_ptr_array_add(columns, g_memdup2(&column, sizeof column));
    }
    /* The runs' values, each once, by the name of the setting. */
    g_autoptr(GHashTable) settings =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_hash_table_unref);
    GHashTableIter each;
    gpointer key, value;
    for (guint i = 0; i < runs->len; i++) {
        const NsRecordedRun *run = runs->pdata[i];
        if (!run->config) continue;
        g_hash_table_iter_init(&each, run->config);
        while (g_hash_table_iter_next(&each, &key, &value)) {
            GHashTable *values = g_hash_table_lookup(settings, key);
            if (!values) {
                values = g_hash_table_new(g_str_hash, g_str_equal);
                g_hash_table_insert(settings, key, values);
            }
            g_hash_table_add(values, value);
        }
    }
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    g_hash_table_iter_init(&each, settings);
    while (g_hash_table_iter_next(&each, &key, &value)) {
        NsRunColumn column = {key, NULL, true, g_hash_table_size(value)};
        GHashTableIter texts;
        gpointer text;
        double number;
        g_hash_table_iter_init(&texts, value);
        while (g_hash_table_iter_next(&texts, &text, NULL))
            column.number &= read_number(text, &number);
        if (column.values < 2) continue;
        column.key = g_strdup(key);
        g_ptr_array_add(found, g_memdup2(&column, sizeof column));
    }
    g_ptr_array_sort_with_data(found, compare_columns, (gpointer)(guintptr)runs);
    g_ptr_array_extend(columns, found, NULL, NULL);
    return columns;
}

char *ns_run_value(const NsRecordedRun *run, const NsRunColumn *column,
                   char *(*text)(const NsSettings *settings, const NsParam *param))
{
    if (!column->param) {
        const char *value = run->config ? g_hash_table_lookup(run->config, column->key) : NULL;
        return g_strdup(value ? value : "");
    }
    const NsExperiment *experiment = &run->experiment;
    if (!has_settings(run)) return g_strdup("");
    g_autoptr(GString) words = g_string_new(NULL);
    bool same = !ns_experiment_differs(experiment, column->param);
    for (size_t lane = 0; lane < (same ? 1 : experiment->n); lane++) {
        g_autofree char *value = text(&experiment->lane[lane], column->param);
        g_string_append_printf(words, "%s%s", lane ? " / " : "", value);
    }
    return g_string_free(g_steal_pointer(&words), FALSE);
}

/* ---- CSV ---- */

static void add_field(GString *out, const char *text)
{
    g_string_append_c(out, ',');
    if (text) ns_csv_add_field(out, text);
}

bool ns_run_table_write(const GPtrArray *runs, const char *path, GError **error)
{
    g_autoptr(GPtrArray) columns = ns_run_columns(runs);
    g_autoptr(GString) out = g_string_new("name");
    size_t lanes = 1;
    for (guint i = 0; i < runs->len; i++)
        lanes = MAX(lanes, ((const NsRecordedRun *)runs->pdata[i])->lanes);
    for (guint k = 0; k < columns->len; k++)
        add_field(out, ((const NsRunColumn *)columns->pdata[k])->key);
    g_string_append(out, ",steps,loss");
    for (size_t lane = 1; lane < lanes; lane++)
        g_string_append_printf(out, ",loss_%s", ns_lane_letter(lane));
    g_string_append(out, ",bytes,tags,note,error\n");
    for (guint i = 0; i < runs->len; i++) {
        const NsRecordedRun *run = runs->pdata[i];
        ns_csv_add_field(out, run->name);
        for (guint k = 0; k < columns->len; k++) {
            g_autofree char *value = ns_run_value(run, columns->pdata[k], ns_settings_get);
            add_field(out, value);
        }
        g_string_append_c(out, ',');
        if (!run->wrong) g_string_append_printf(out, "%" G_GINT64_FORMAT, run->last);
        for (size_t lane = 0; lane < lanes; lane++) {
            char loss[G_ASCII_DTOSTR_BUF_SIZE];
            bool has = !run->wrong && lane < run->lanes;
            add_field(out, has ? g_ascii_dtostr(loss, sizeof loss, run->loss[lane]) : NULL);
        }
        g_string_append_printf(out, ",%" G_GUINT64_FORMAT, run->bytes);
        add_field(out, run->tags);
        add_field(out, run->text);
        add_field(out, run->wrong);
        g_string_append_c(out, '\n');
    }
    return ns_save(path, out->str, out->len, error);
}
