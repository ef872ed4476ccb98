/* SPDX-License-Identifier: MIT
 *
 * JSON: lines that are objects, and documents, whose objects in arrays are read one by one.  A
 * table in an object may be by column or by row. */
#include "core/store/outside_input-private.h"

#include "core/data/json_object.h"
#include "core/store/json.h"
#include "core/store/outside.h"

#include <string.h>

/* A number under a name and the number of its record. */
typedef struct {
    double record;
    NsOutsideCell cell;
} Point;

static gint compare_points(gconstpointer a, gconstpointer b)
{
    double left = ((const Point *)a)->record, right = ((const Point *)b)->record;
    return (left > right) - (left < right);
}

/* Splits “loss/10”, “10/loss” or “epoch_10/loss”; NULL for any other name. */
static const NsOutsideName *split_name(NsOutsideNames *names, const char *raw, double *record)
{
    const char *slash = strchr(raw, '/'), *last = strrchr(raw, '/');
    const char *digits = raw + strcspn(raw, "0123456789");
    g_autofree char *counter = g_strndup(raw, (gsize)(digits - raw));
    bool before = slash && slash > digits && digits + strspn(digits, "0123456789") == slash;
    const NsOutsideName *place =
        before && *counter ? ns_outside_names_find(names, NULL, counter) : NULL;
    before &= !*counter || (place && place->kind <= NS_OUTSIDE_EPOCH);
    bool after = last && last[1] && !last[1 + strspn(last + 1, "0123456789")];
    if (before == after) return NULL;
    g_autofree char *own = before ? g_strdup(slash + 1) : g_strndup(raw, (gsize)(last - raw));
    *record = g_ascii_strtod(before ? digits : last + 1, NULL);
    return ns_outside_names_find(names, NULL, own);
}

static void add_point(GArray *points, double record, const NsOutsideName *name, double value,
                      double *last)
{
    const Point point = {record, {name, value}};
    bool loss = name->kind == NS_OUTSIDE_LOSS || name->kind == NS_OUTSIDE_VALIDATION || name->part;
    if (loss) *last = MAX(*last, record);
    g_array_append_val(points, point);
}

/* The array of the steps of a curve, “loss/x” of “loss/y”, or NULL.  `by_split`: there are several
 * of them, so that “train/step” is that of all curves in “train”.  *name is that of the curve. */
static const NsOutsideArray *find_steps(const NsOutsideLine *all, NsOutsideNames *names,
                                        const NsOutsideArray *values, bool by_split,
                                        const NsOutsideName **name)
{
    static const char *const ends[][2] = {{"/y", "/x"}, {"/values", "/steps"}, {"/value", "/step"}};
    const char *raw = values->name->raw, *slash = strrchr(raw, '/');
    size_t k = 0;
    while (k < G_N_ELEMENTS(ends) && !g_str_has_suffix(raw, ends[k][0])) k++;
    const bool own = k < G_N_ELEMENTS(ends);
    if (!slash || (!own && (!by_split || g_str_equal(slash, "/step")))) return NULL;
    g_autofree char *before = g_strndup(raw, (gsize)(slash - raw));
    g_autofree char *of_steps = g_strconcat(before, own ? ends[k][1] : "/step", NULL);
    *name = own ? ns_outside_names_find(names, NULL, before) : values->name;
    for (guint i = 0; i < all->arrays->len; i++) {
        const NsOutsideArray *steps = &g_array_index(all->arrays, NsOutsideArray, i);
        if (g_str_equal(steps->name->raw, of_steps)) return steps->n == values->n ? steps : NULL;
    }
    return NULL;
}

/* Adds the points of curves whose steps are beside them: “{"loss": {"x": [10, 20], "y": [3, 2]}}”,
 * “{"train": {"step": [10], "loss": [3]}, "val": {"step": ...”, “{"loss": [[10, 3], [20, 2]]}”. */
static void add_curves(const NsOutsideLine *all, NsOutsideNames *names, GArray *points,
                       double *last)
{
    const NsOutsideArray *arrays = (const NsOutsideArray *)(const void *)all->arrays->data;
    const NsOutsideNumber *numbers = (const NsOutsideNumber *)(const void *)all->numbers->data;
    guint splits = 0;
    for (guint i = 0; i < all->arrays->len; i++)
        splits += g_str_has_suffix(arrays[i].name->raw, "/step") ? 1 : 0;
    for (guint i = 0; i < all->arrays->len; i++) {
        const NsOutsideArray *values = &arrays[i];
        const NsOutsideName *name = values->name;
        const bool pairs = values->inner == 2;
        const NsOutsideArray *steps =
            pairs ? values : find_steps(all, names, values, splits > 1, &name);
        for (size_t k = 0; steps && k < values->n; k += pairs ? 2 : 1) {
            NsOutsideNumber step = numbers[steps->first + k];
            NsOutsideNumber value = numbers[values->first + k + pairs];
            if (step.has && value.has && step.value >= 0)
                add_point(points, step.value, name, value.value, last);
        }
    }
}

/* Reads a table by column or by row: curves with steps (add_curves); arrays, “{"loss": [3, 2],
 * "val_loss": [4, 3]}”, up to the end of the losses; or objects, if all numbers are in such:
 * “{"loss": {"10": 3, "20": 2}}”, “{"10": {"loss": 3}, "20": {"loss": 2}}”, whose number is the
 * step of a record that has none. */
bool ns_outside_json_take_points(NsOutsideInput *input)
{
    NsOutsideLine *all = input->line;
    double last = -1;
    if (all->step >= 0 || all->scalars[NS_OUTSIDE_LOSS].name) return false;
    g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(Point));
    add_curves(all, input->names, points, &last);
    bool curves = points->len > 0;
    for (guint i = 0; i < all->arrays->len && !curves; i++) {
        NsOutsideArray array = g_array_index(all->arrays, NsOutsideArray, i);
        for (size_t k = 0; k < array.n && !array.inner; k++) {
            NsOutsideNumber number =
                g_array_index(all->numbers, NsOutsideNumber, (guint)(array.first + k));
            if (number.has) add_point(points, (double)k, array.name, number.value, &last);
        }
    }
    bool objects = curves || (!points->len && !input->logged);
    for (guint i = 0; objects && !curves && i < NS_OUTSIDE_SCALARS + all->cells->len; i++) {
        NsOutsideCell cell = i < NS_OUTSIDE_SCALARS
                                 ? all->scalars[i]
                                 : g_array_index(all->cells, NsOutsideCell, i - NS_OUTSIDE_SCALARS);
        double record;
        if (!cell.name) continue;
        const NsOutsideName *name = split_name(input->names, cell.name->raw, &record);
        if (!name) return false;
        add_point(points, record, name, cell.value, &last);
    }
    if (last < 0) return false;
    if (!objects) ns_outside_input_mark(all);
    g_array_sort(points, compare_points);
    input->logged++;
    for (guint i = 0; i < points->len;) {
        double record = g_array_index(points, Point, i).record;
        if (record > last && !objects) break;
        ns_outside_line_clear(input->line);
        for (; i < points->len && g_array_index(points, Point, i).record <= record; i++) {
            NsOutsideCell cell = g_array_index(points, Point, i).cell;
            ns_outside_line_put(input->line, cell.name, cell.value);
        }
        NsOutsideLine *line = input->line;
        if (objects && line->step < 0 && !line->scalars[NS_OUTSIDE_EPOCH].name)
            line->step = (int64_t)MIN(record, (double)NS_JSON_LAST_INTEGER);
        if (objects) ns_outside_input_mark(line);
        ns_outside_take_line(input);
    }
    return true;
}

/* Reads “{"columns": ["step", "loss"], "data": [[0, 3], [1, 2]]}”; false for any other text. */
static bool read_columns(NsOutsideInput *input, const GString *text)
{
    bool may_be =
        !input->logged && strstr(text->str, "\"columns\"") && strstr(text->str, "\"data\"");
    g_autoptr(JsonNode) node = may_be ? ns_json_parse(text->str, text->len) : NULL;
    JsonObject *object = ns_json_object_of(node);
    JsonArray *columns =
        object ? ns_json_array_of(json_object_get_member(object, "columns")) : NULL;
    JsonArray *rows = object ? ns_json_array_of(json_object_get_member(object, "data")) : NULL;
    JsonArray *index = object ? ns_json_array_of(json_object_get_member(object, "index")) : NULL;
    for (guint i = 0; columns && rows && i <= json_array_get_length(rows); i++) {
        JsonArray *row = i ? ns_json_array_of(json_array_get_element(rows, i - 1)) : columns;
        g_autoptr(GString) line = g_string_new(NULL);
        if (index && i && i <= json_array_get_length(index)) {
            g_autofree char *number = json_to_string(json_array_get_element(index, i - 1), FALSE);
            g_string_assign(line, number);
        }
        if (index) g_string_append_c(line, '\t');
        for (guint k = 0; row && k < json_array_get_length(row); k++) {
            JsonNode *cell = json_array_get_element(row, k);
            g_autofree char *number = json_to_string(cell, FALSE);
            const char *word = ns_json_text_of(cell);
            g_string_append_printf(line, k ? "\t%s" : "%s", word ? word : number);
        }
        if (!i && !ns_outside_table_begin(input, line->str, '\t', 0)) return false;
        if (i) ns_outside_table_row(input, line->str);
    }
    return columns && rows;
}

static void read_object(NsOutsideInput *input, const GString *text)
{
    if (read_columns(input, text)) return;
    const NsOutsideLine *line = input->line;
    const char *why = ns_outside_line_read(input->line, input->names, text->str, text->len);
    bool named = input->captured && ns_outside_line_call_value(input->line, input->called);
    if (input->captured && input->of_validation && !named)
        ns_outside_line_validate(input->line, input->names);
    /* An object in a document may have nothing but texts. */
    if (!input->captured || line->step >= 0 || ns_outside_line_has_any(line))
        ns_outside_input_take(input, why);
    input->of_json |= input->logged && g_str_has_prefix(text->str, "{\"");
}

/* Reads the objects in the arrays of a document one by one; a document without any is one. */
void ns_outside_json_feed(NsOutsideInput *input, const char *bytes, size_t n)
{
    static const char *const containers[] = {"data",        "metrics", "logs",    "history",
                                             "log_history", "records", "results", "points",
                                             "rows",        "values",  "entries", NULL};
    for (size_t i = 0; i < n; i++) {
        char c = bytes[i];
        bool space = c == '\n' || c == '\r';
        bool in_string = input->in_string;
        GString *to = input->captured ? input->object : input->outer;
        if (in_string) {
            input->in_string = input->escaped || c != '"';
            input->escaped = !input->escaped && c == '\\';
        } else if (c == '"') {
            input->in_string = true;
        } else if (c == '{' || c == '[') {
            bool in_array = input->depth && input->brackets[input->depth - 1] == '[';
            if (input->depth == NS_OUTSIDE_DEEPEST) return;
            /* “"eval": [{"step": 10, "loss": 2.5}]”, “"loss": [{"step": 10, "value": 2.5}]” */
            if (c == '[' && !input->captured) {
                const char *colon = g_strrstr(to->str, "\":"), *name = colon;
                while (colon && name > to->str && name[-1] != '"') name--;
                g_autofree char *key = colon ? g_strndup(name, (gsize)(colon - name)) : NULL;
                bool container = !key || g_strv_contains(containers, key);
                input->of_validation = key && ns_outside_has_split(key, true);
                input->called = container ? NULL : ns_outside_names_find(input->names, NULL, key);
            }
            input->brackets[input->depth++] = c;
            if (c == '{' && in_array && !input->captured) {
                input->captured = input->depth;
                to = input->object;
            }
        }
        if (to->len < NS_OUTSIDE_LINE_MAX) g_string_append_c(to, space ? ' ' : c);
        if (in_string || (c != '}' && c != ']') || !input->depth) continue;
        bool object = input->depth-- == input->captured;
        if (!object && (input->depth || input->objects)) continue;
        input->objects += object;
        input->lines++;
        read_object(input, to);
        if (object) input->captured = 0;
        g_string_truncate(to, 0);
    }
}

/* Whether the first line of a file begins a document that has more of them. */
static bool begins_document(const char *text, size_t n)
{
    size_t blank = *text == '[' ? 1 + strspn(text + 1, " \t\r") : 0;
    if (blank && (blank == n || text[blank] == '{')) return true;
    if (strstr(text, "\"log_history\"")) return true;
    if (*text != '{') return false;
    size_t braces = 0;
    for (const char *at = text; *at; at++) braces += *at == '{' ? 1 : *at == '}' ? -(size_t)1 : 0;
    return braces > 0 && strspn(text + 1, " \t\r") + 1 == n;
}

bool ns_outside_document_take(NsOutsideInput *input, char *start, bool first)
{
    const GString *text = input->text;
    if (!first) return false;
    input->document = begins_document(start, text->len - (size_t)(start - text->str));
    /* A document in one line: “{"metrics": [{"step": 0, "loss": 3}]}”. */
    bool one = !input->document && *start == '{' && text->str[text->len - 1] == '}' &&
               strstr(start, "[{") && strstr(start, "loss") &&
               ns_outside_line_read(input->line, input->names, text->str, text->len);
    if (!input->document && !one) return false;
    input->lines--; /* its objects are counted */
    ns_outside_json_feed(input, text->str, text->len);
    return true;
}

/* Puts the message of a logger, “{"level": "INFO", "message": "step 3, loss 2.1"}”, in the place of
 * its object, unless this is a record itself. */
static bool take_message(NsOutsideInput *input)
{
    static const char *const keys[] = {"message", "msg", "log", "text", "textPayload"};
    GString *text = input->text;
    bool may_be = false;
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) may_be |= strstr(text->str, keys[i]) != NULL;
    if (!may_be || !ns_outside_line_read(input->line, input->names, text->str, text->len))
        return false;
    g_autoptr(JsonNode) node = ns_json_parse(text->str, text->len);
    JsonObject *object = ns_json_object_of(node);
    for (size_t i = 0; object && i < G_N_ELEMENTS(keys); i++) {
        const char *message = ns_json_text_of(json_object_get_member(object, keys[i]));
        if (!message) continue;
        g_string_assign(text, message); /* it is shorter, so that it stays in its place */
        g_strdelimit(g_strchomp(text->str), "\n", ' ');
        g_string_truncate(text, strlen(text->str));
        return true;
    }
    return false;
}

bool ns_outside_json_take(NsOutsideInput *input, char *start, bool first)
{
    if (*start == '{' && take_message(input)) return false;
    bool blank = start == input->text->str + input->text->len;
    if (!blank && (*start != '{' || input->printed.at[NS_OUTSIDE_STEP].name)) return false;
    read_object(input, input->text);
    if (first) input->foreign = input->line->passed_over;
    return true;
}
