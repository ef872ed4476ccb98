/* SPDX-License-Identifier: MIT */
#include "core/store/outside_input-private.h"

#include "core/base/words.h"
#include "core/data/json_object.h"
#include "core/store/json.h"
#include "core/store/outside.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* Lines of text that have to name a loss before a file is a log. */
#define FEWEST_LINES_OF_TEXT 2

NsOutsideInput *ns_outside_input_new(NsOutsideNames *names, const char *prefix, NsOutsideSink sink)
{
    NsOutsideInput *input = g_new0(NsOutsideInput, 1);
    input->names = names;
    input->prefix = g_strdup(prefix);
    input->sink = sink;
    input->cells = g_ptr_array_new();
    input->text = g_string_new(NULL);
    input->head = g_string_new(NULL);
    input->object = g_string_new(NULL);
    input->outer = g_string_new(NULL);
    input->unconverted = g_byte_array_new();
    input->line = ns_outside_line_new();
    return input;
}

void ns_outside_input_free(NsOutsideInput *input)
{
    if (!input) return;
    g_free(input->prefix);
    g_free(input->name);
    g_free(input->writer);
    g_clear_object(&input->converter);
    g_byte_array_unref(input->unconverted);
    ns_outside_events_free(input->events);
    if (input->table) {
        g_free(input->table->names);
        g_free(input->table->head);
        g_free(input->table);
    }
    g_ptr_array_unref(input->cells);
    GString *const texts[] = {input->text, input->head, input->object, input->outer};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_string_free(texts[i], TRUE);
    ns_outside_line_free(input->line);
    g_free(input);
}

bool ns_outside_input_is_log(const NsOutsideInput *input, bool last)
{
    bool text = input->of_text == input->logged && !input->table;
    if (text &&
        (!last || input->logged < FEWEST_LINES_OF_TEXT || 10 * input->logged < input->lines))
        return input->events != NULL;
    return !input->foreign && (input->events || input->table || input->logged);
}

const char *ns_outside_input_format(const NsOutsideInput *input)
{
    if (input->events) return _("TensorBoard event file");
    if (input->table) return _("table");
    if (input->document) return _("JSON document");
    if (!input->logged) return "";
    return input->of_text == input->logged ? _("lines of text") : _("JSON lines");
}

/* ---- Lines ---- */

/* Marks the names of the numbers in a line that was read. */
static void mark_line(const NsOutsideLine *line)
{
    guint scalars = NS_OUTSIDE_SCALARS, cells = scalars + line->cells->len;
    for (guint i = 0; i < cells + line->arrays->len; i++) {
        const NsOutsideName *name =
            i < scalars ? line->scalars[i].name
            : i < cells ? g_array_index(line->cells, NsOutsideCell, i - scalars).name
                        : g_array_index(line->arrays, NsOutsideArray, i - cells).name;
        if (name) name->use->listed = name->use->number = true;
    }
}

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

/* Splits “loss/10” or “10/loss”; NULL for any other name. */
static const NsOutsideName *split_name(NsOutsideNames *names, const char *raw, double *record)
{
    const char *slash = strchr(raw, '/'), *last = strrchr(raw, '/');
    bool before = slash && slash > raw && raw + strspn(raw, "0123456789") == slash;
    bool after = last && last[1] && !last[1 + strspn(last + 1, "0123456789")];
    if (before == after) return NULL;
    g_autofree char *own = before ? g_strdup(slash + 1) : g_strndup(raw, (gsize)(last - raw));
    *record = g_ascii_strtod(before ? raw : last + 1, NULL);
    return ns_outside_names_find(names, NULL, own);
}

static void add_point(GArray *points, double record, const NsOutsideName *name, double value,
                      double *last)
{
    const Point point = {record, {name, value}};
    bool loss = name->kind == NS_OUTSIDE_LOSS || name->kind == NS_OUTSIDE_VALIDATION;
    if (loss) *last = MAX(*last, record);
    g_array_append_val(points, point);
}

/* Adds the points of curves whose steps are beside them: “{"loss": {"x": [10, 20], "y": [3, 2]}}”.
 */
static void add_curves(const NsOutsideLine *all, NsOutsideNames *names, GArray *points,
                       double *last)
{
    static const char *const ends[][2] = {{"/y", "/x"}, {"/values", "/steps"}, {"/value", "/step"}};
    const NsOutsideArray *arrays = (const NsOutsideArray *)(const void *)all->arrays->data;
    const NsOutsideNumber *numbers = (const NsOutsideNumber *)(const void *)all->numbers->data;
    for (guint i = 0; i < 3 * all->arrays->len; i++) {
        const NsOutsideArray *values = &arrays[i / 3], *steps = arrays;
        const char *raw = values->name->raw, *const *end = ends[i % 3];
        if (!g_str_has_suffix(raw, end[0])) continue;
        g_autofree char *curve = g_strndup(raw, strlen(raw) - strlen(end[0]));
        g_autofree char *beside = g_strconcat(curve, end[1], NULL);
        while (steps < arrays + all->arrays->len && !g_str_equal(steps->name->raw, beside)) steps++;
        bool fits = steps < arrays + all->arrays->len && steps->n == values->n;
        for (size_t k = 0; fits && k < values->n; k++) {
            NsOutsideNumber step = numbers[steps->first + k], value = numbers[values->first + k];
            if (step.has && value.has && step.value >= 0)
                add_point(points, step.value, ns_outside_names_find(names, NULL, curve),
                          value.value, last);
        }
    }
}

/* Reads a table by column or by row: curves with steps (add_curves); arrays, “{"loss": [3, 2],
 * "val_loss": [4, 3]}”, up to the end of the losses; or objects, if all numbers are in such:
 * “{"loss": {"10": 3, "20": 2}}”, “{"10": {"loss": 3}, "20": {"loss": 2}}”, whose number is the
 * step of a record that has none. */
static bool take_points(NsOutsideInput *input)
{
    NsOutsideLine *all = input->line;
    g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(Point));
    double last = -1;
    if (all->step >= 0 || all->scalars[NS_OUTSIDE_LOSS].name) return false;
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
    if (!objects) mark_line(all);
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
        if (objects) mark_line(line);
        input->sink.line(input);
    }
    return true;
}

static void take_read(NsOutsideInput *input, const char *why)
{
    const NsOutsideLine *line = input->line;
    if (!line->passed_over && take_points(input)) return;
    mark_line(line);
    /* The bytes may end within the only line. */
    input->logged += why && line->step >= 0 && line->scalars[NS_OUTSIDE_LOSS].name;
    if (why) {
        input->sink.note(input, why, true);
        return;
    }
    if (input->line->passed_over) return;
    input->logged++;
    input->sink.line(input);
}

/* ---- Tables ---- */

/* Splits a row, in place, into its cells without surrounding spaces and quotes; a quoted cell may
 * have separators, and quotes that are doubled (RFC 4180). */
static void split(char *text, char separator, GPtrArray *cells)
{
    g_ptr_array_set_size(cells, 0);
    for (char *at = text;; at++) {
        while (*at == ' ') at++;
        if (separator == ' ' && !*at && cells->len) return;
        char *cell = at, *to = at;
        if (*at == '"') {
            for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
                at += *at == '"';
                *to++ = *at;
            }
            while (*at && *at != separator) at++;
        } else {
            while (*at && *at != separator) at++;
            for (to = at; to > cell && g_ascii_isspace(to[-1]);) to--;
        }
        bool last = !*at;
        *to = '\0';
        g_ptr_array_add(cells, cell);
        if (last) return;
    }
}

/* Reads the names of the columns from the first line of a table.  `n`: the number of cells in the
 * row below it, one of which may have no name; 0: not known.  Returns false if it is not a table of
 * a training run. */
static bool begin_table(NsOutsideInput *input, const char *text, char separator, size_t n)
{
    g_autofree char *row = g_strdup(text);
    g_autoptr(GPtrArray) cells = g_ptr_array_new();
    split(row, separator, cells);
    if (n && cells->len != n && cells->len + 1 != n) return false;
    bool has[NS_OUTSIDE_VALUE + 1] = {false};
    const char *repeated = NULL;
    g_autofree const NsOutsideName **names = g_new0(const NsOutsideName *, cells->len);
    size_t lanes = 0;
    double number;
    guint value = G_MAXUINT, called = G_MAXUINT; /* the columns of these names */
    for (guint i = 0; i < cells->len; i++) {
        const char *cell = cells->pdata[i];
        if (!*cell || !g_utf8_validate(cell, -1, NULL)) continue;
        const char *end = ns_outside_read_number(cell, &number);
        if (end && !*end) break; /* a number is not a name */
        const NsOutsideName *name = ns_outside_names_find(input->names, NULL, cell);
        if (!name) continue;
        for (guint k = 0; k < i && !repeated; k++)
            if (names[k] == name) repeated = cell;
        if (name->of_values) value = MIN(value, i);
        if (name->of_names) called = MIN(called, i);
        names[i] = name;
        lanes = MAX(lanes, name->lane);
        has[name->kind] = true;
    }
    bool loss = has[NS_OUTSIDE_LOSS] || has[NS_OUTSIDE_VALIDATION];
    bool known = loss || has[NS_OUTSIDE_STEP];
    if (cells->len < 2 || !(known || (input->expects_table && has[NS_OUTSIDE_VALUE]))) return false;
    /* Words with spaces between them may be a sentence. */
    bool counted = has[NS_OUTSIDE_STEP] || has[NS_OUTSIDE_EPOCH];
    if (!n && separator == ' ' && (!loss || !counted || has[NS_OUTSIDE_VALUE])) return false;
    /* A table in a text may be of anything, and a bar of progress, “5%|#  | 3/60”, is none. */
    if (separator == '|' && !(counted && loss)) return false;
    bool guessed = !loss && value < cells->len && called == G_MAXUINT;
    if (guessed)
        names[value] = input->prefix
                           ? ns_outside_names_find(input->names, NULL, input->prefix)
                           : ns_outside_names_find(input->names, "loss", names[value]->raw);
    for (guint i = 0; i < cells->len; i++)
        if (names[i]) names[i]->use->listed = true;
    if (repeated) {
        g_autofree char *sentence =
            g_strdup_printf(_("Two columns are called “%s”; the first is read."), repeated);
        input->sink.note(input, sentence, false);
    }
    if (guessed && !input->prefix)
        input->sink.note(input, _("The column “Value” is shown as the training loss."), false);
    if (lanes > NS_LANES_MAX) {
        g_autofree char *sentence = g_strdup_printf(
            _("The table has %zu runs; the first %d are shown."), lanes, NS_LANES_MAX);
        input->sink.note(input, sentence, false);
    }
    input->table = g_new0(NsOutsideTable, 1);
    *input->table = (NsOutsideTable){.separator = separator,
                                     .names = g_steal_pointer(&names),
                                     .n = cells->len,
                                     .lanes = lanes,
                                     .value = value,
                                     .called = called,
                                     .loose = (n || separator == ' ') && !input->expects_table,
                                     .head = separator == ' ' ? g_strdup(text) : NULL,
                                     .markdown = text[strspn(text, " \t")] == '|',
                                     .has_step = has[NS_OUTSIDE_STEP]};
    return true;
}

/* Whether the first line of the table is repeated. */
static bool is_head(const NsOutsideTable *table, const char *text)
{
    size_t i = 0;
    while (i < table->n && !table->names[i]) i++;
    if (i == table->n) return false;
    const NsOutsideName *first = table->names[i], *last = table->names[table->n - 1];
    return strstr(text, first->raw) && (!last || strstr(text, last->raw));
}

/* Reads the number of a cell, also with a decimal comma where commas do not separate cells. */
static bool read_cell(NsOutsideInput *input, const NsOutsideName *name, char *cell, double *value)
{
    NsOutsideTable *table = input->table;
    const char *end = ns_outside_read_number(cell, value);
    if (end && *end == ',' && table->separator != ',' && g_ascii_isdigit(end[1])) {
        cell[end - cell] = '.';
        end = ns_outside_read_number(cell, value);
        table->comma |= !*end;
    } else if (end && *end == ',') {
        end = ns_outside_read_groups(cell, name->kind == NS_OUTSIDE_STEP, value);
    }
    return end && !*end;
}

/* Reads what a row has of one of the runs in the columns, from 1. */
static const char *read_lane(NsOutsideInput *input, const GPtrArray *cells, size_t lane)
{
    const NsOutsideTable *table = input->table;
    NsOutsideLine *line = input->line;
    ns_outside_line_clear(line);
    line->lane = lane;
    line->passed_over = cells->len == 1 && !*(char *)cells->pdata[0];
    if (line->passed_over) return NULL;
    if (cells->len != table->n && !(cells->len + 1 == table->n && !table->names[table->n - 1]))
        return N_("it does not have one cell per column");
    bool validation = false;
    for (guint i = 0; i < cells->len; i++) {
        const NsOutsideName *name = table->names[i];
        double value;
        if (i == table->value && table->called < cells->len && *(char *)cells->pdata[table->called])
            name = ns_outside_names_find(input->names, input->prefix, cells->pdata[table->called]);
        if (!name || (name->lane && name->lane != lane)) continue;
        if (!read_cell(input, name, cells->pdata[i], &value)) {
            validation |= ns_outside_is_of_validation(name->raw, cells->pdata[i]);
            continue;
        }
        if (name->kind < NS_OUTSIDE_SCALARS && line->scalars[name->kind].name == name) continue;
        const char *why = ns_outside_line_put(line, name, value);
        if (why) return why;
    }
    if (validation) ns_outside_line_validate(line, input->names);
    /* A row of several runs may have nothing of this one. */
    line->passed_over = table->lanes > 1 && !ns_outside_line_has_any(line);
    if (line->passed_over) return NULL;
    return table->has_step && line->step < 0 ? N_("it has no step") : ns_outside_line_check(line);
}

/* Puts an empty cell where a row has none below a name; returns false if its cells are not aligned
 * with the names. */
static bool align(const NsOutsideTable *table, GPtrArray *cells, const char *row)
{
    static char empty[] = "";
    const char *at = table->head;
    for (guint i = 0; i < table->n; i++) {
        if (!table->names[i] || !(at = strstr(at, table->names[i]->raw))) return false;
        size_t start = (size_t)(at - table->head), end = start + strlen(table->names[i]->raw);
        const char *cell = i < cells->len ? cells->pdata[i] : NULL;
        size_t from = cell ? (size_t)(cell - row) : G_MAXSIZE;
        at = table->head + end;
        if (from >= end)
            g_ptr_array_insert(cells, (gint)i, empty);
        else if (from != start && from + strlen(cell) != end)
            return false;
    }
    return cells->len == table->n;
}

static void read_row(NsOutsideInput *input, char *text)
{
    NsOutsideTable *table = input->table;
    if (is_head(table, text)) return;
    GPtrArray *cells = input->cells;
    split(text, table->separator, cells);
    /* A separator at the end of a row adds an empty cell. */
    while (cells->len > table->n && !*(char *)cells->pdata[cells->len - 1])
        g_ptr_array_set_size(cells, (gint)cells->len - 1);
    /* The number of a row has no name. */
    if (table->separator == ' ' && cells->len == table->n + 1) g_ptr_array_remove_index(cells, 0);
    if (table->head && cells->len > 1 && cells->len < table->n && !align(table, cells, text))
        return;
    guint numbers = 0;
    double number;
    for (guint i = 0; table->loose && i < cells->len; i++)
        numbers += ns_outside_read_number(cells->pdata[i], &number) != NULL;
    if (table->loose && (cells->len != table->n || 2 * numbers < table->n)) return;
    bool comma = table->comma;
    for (size_t lane = 1; lane <= CLAMP(table->lanes, 1, NS_LANES_MAX); lane++)
        take_read(input, read_lane(input, cells, lane));
    if (table->comma && !comma)
        input->sink.note(
            input, _("Its numbers have a decimal comma, which is read as a decimal point."), false);
}

/* Begins a table with the row that has come, if the line of text or the comment before it has names
 * for its columns: “E    #       LOSS NER”, “# step loss”.  The first row of a file that is
 * expected to be a table gives them numbers. */
static bool begin_below(NsOutsideInput *input, bool first)
{
    static const char separators[] = "\t,; ";
    const char *c = separators, *start = input->text->str + strspn(input->text->str, " \"");
    double number;
    if (!ns_outside_read_number(start, &number)) return false;
    while (*c && !strchr(input->text->str, *c)) c++;
    g_autofree char *row = g_strdup(input->text->str);
    g_autoptr(GPtrArray) cells = g_ptr_array_new();
    if (*c) split(row, *c, cells);
    guint n = cells->len, numbers = 0;
    for (guint i = 0; i < n; i++) {
        const char *end = ns_outside_read_number(cells->pdata[i], &number);
        if (end && !*end) numbers++;
        if (!numbers) return false;
    }
    if (n < 2 || 2 * numbers < n) return false;
    g_autoptr(GString) aligned = g_string_new(NULL);
    g_auto(GStrv) words = g_strsplit(input->head->str, "  ", -1);
    for (char **word = words; *word; word++)
        if (*g_strstrip(*word))
            g_string_append_printf(aligned, aligned->len ? "\t%s" : "%s", *word);
    /* Words with a single space between them are a sentence, unless they are a comment. */
    if ((first || *c != ' ') && begin_table(input, input->head->str, *c, n)) return true;
    if (*c == ' ' && begin_table(input, aligned->str, '\t', n)) {
        input->table->separator = ' ';
        input->table->head = g_strdup(input->head->str);
        return true;
    }
    g_string_truncate(aligned, 0);
    for (guint i = 0; i < n; i++)
        g_string_append_printf(aligned, "%s%c%s %u", "", i ? *c : ' ', "column", i + 1);
    return first && input->expects_table && *c != ' ' &&
           begin_table(input, aligned->str + 1, *c, 0);
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
    for (guint i = 0; columns && rows && i <= json_array_get_length(rows); i++) {
        JsonArray *row = i ? ns_json_array_of(json_array_get_element(rows, i - 1)) : columns;
        g_autoptr(GString) line = g_string_new(NULL);
        for (guint k = 0; row && k < json_array_get_length(row); k++) {
            JsonNode *cell = json_array_get_element(row, k);
            g_autofree char *number = json_to_string(cell, FALSE);
            const char *word = ns_json_text_of(cell);
            g_string_append_printf(line, k ? "\t%s" : "%s", word ? word : number);
        }
        if (!i && !begin_table(input, line->str, '\t', 0)) return false;
        if (i) read_row(input, line->str);
    }
    return columns && rows;
}

static void read_object(NsOutsideInput *input, const GString *text)
{
    if (read_columns(input, text)) return;
    const NsOutsideLine *line = input->line;
    const char *why = ns_outside_line_read(input->line, input->names, text->str, text->len);
    /* An object in a document may have nothing but texts. */
    if (!input->captured || line->step >= 0 || ns_outside_line_has_any(line)) take_read(input, why);
    input->of_json |= input->logged && g_str_has_prefix(text->str, "{\"");
}

/* ---- Text ---- */

/* Reads a line of text, in which a progress bar is drawn several times. */
static void read_text(NsOutsideInput *input)
{
    bool any = false;
    g_auto(GStrv) parts = g_strsplit(input->text->str, "\r", -1);
    for (char **part = parts; *part; part++) {
        bool object;
        if (!ns_outside_text_read(&input->printed, input->line, input->names, *part, !part[1],
                                  &object))
            continue;
        any = true;
        input->of_text += !object;
        take_read(input, NULL);
    }
    if (!any && input->text->str[strspn(input->text->str, "-= ")])
        g_string_assign(input->head, input->text->str);
    /* Other text is expected around lines of text, but not between those of JSON. */
    if (!any && input->of_json) input->sink.note(input, N_("it is not a JSON object"), true);
}

/* ---- A document ---- */

/* Reads the objects in the arrays of a document one by one; a document without any is one. */
static void feed_document(NsOutsideInput *input, const char *bytes, size_t n)
{
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

/* A line with other letters than those of UTF-8 comes from a spreadsheet on Windows. */
static void convert_line(NsOutsideInput *input)
{
    GString *text = input->text;
    if (g_utf8_validate_len(text->str, text->len, NULL) || strlen(text->str) < text->len) return;
    g_autofree char *utf8 = g_convert(text->str, -1, "UTF-8", "WINDOWS-1252", NULL, NULL, NULL);
    if (!utf8) return;
    g_string_assign(text, utf8);
    if (!input->not_utf8)
        input->sink.note(input, _("Lines that are not UTF-8 are read as Windows-1252."), false);
    input->not_utf8 = true;
}

/* Reads a curve that has no names of columns: lines such as “1700000000000 2.5 10” in a file of
 * MLflow, whose name is that of the curve, or the array of arrays that TensorBoard saves.  Returns
 * false if the line does not begin one. */
static bool begin_curve(NsOutsideInput *input, char *text)
{
    bool metric = input->prefix && strspn(text, "0123456789") == 13 && text[13] == ' ';
    if (metric && begin_table(input, "wall_time\tvalue\tstep", '\t', 0)) {
        input->table->separator = ' ';
        read_row(input, text);
        return true;
    }
    if (!g_str_has_prefix(text, "[[") || !begin_table(input, "wall_time,step,value", ',', 0))
        return false;
    bool later = false; /* each point counts as a line */
    for (char *end; text; text = end) {
        end = strchr(text, ']');
        if (end) *end++ = '\0';
        text += strspn(text, "[, \r");
        if (!*text) continue;
        input->lines += later;
        later = true;
        read_row(input, text);
    }
    return true;
}

static void take_line(NsOutsideInput *input)
{
    static const char separators[] = ",;\t| ";
    GString *text = input->text;
    convert_line(input);
    if (memchr(text->str, '\033', text->len) || memchr(text->str, '\b', text->len)) {
        ns_outside_text_clean(text->str);
        g_string_truncate(text, strlen(text->str));
    }
    size_t blank = strspn(text->str, " \t\r");
    const char *start = text->str + blank;
    bool first = !input->begun && blank < text->len;
    /* Comments before a table, and space that is reserved at the end of a file. */
    if ((!input->begun && *start == '#') || (text->len && !*text->str)) {
        if (*start) g_string_assign(input->head, start + 1);
        input->lines++;
        return;
    }
    input->begun |= first;
    if (first && begins_document(start, text->len - blank)) {
        input->document = true;
        feed_document(input, text->str, text->len);
        return;
    }
    input->lines++;
    /* A document in one line: “{"metrics": [{"step": 0, "loss": 3}]}”. */
    if (first && *start == '{' && text->str[text->len - 1] == '}' && strstr(start, "[{") &&
        strstr(start, "loss") &&
        ns_outside_line_read(input->line, input->names, text->str, text->len)) {
        feed_document(input, text->str, text->len);
        return;
    }
    if (first && begin_curve(input, input->text->str + blank)) return;
    /* A table of Markdown may come after other text. */
    bool markdown = *start == '|', rule = strspn(start, "|:- \t\r") == strlen(start);
    if (blank < text->len && (markdown ? rule : input->table && (rule || input->table->markdown)))
        return;
    if (markdown && !first && !input->table && begin_table(input, text->str, '|', 0)) return;
    bool object = strstr(start, "{\"") || strstr(start, "{'");
    for (const char *c = separators; first && !object && *c; c++)
        if (strchr(text->str, *c) && begin_table(input, text->str, *c, 0)) return;
    if (input->table || (!object && begin_below(input, first)))
        read_row(input, text->str);
    else if (blank == text->len || (*start == '{' && !input->printed.at[NS_OUTSIDE_STEP].name))
        read_object(input, text);
    else
        read_text(input);
    if (first) input->foreign = input->line->passed_over;
}

static void feed_lines(NsOutsideInput *input, const char *bytes, size_t n)
{
    GString *text = input->text;
    for (const char *end = bytes + n; bytes < end;) {
        if (input->document) {
            feed_document(input, bytes, (size_t)(end - bytes));
            return;
        }
        if (input->returned && *bytes == '\n') bytes++;
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        if (!newline) newline = end;
        /* Old spreadsheets end the lines of a table with “\r” alone. */
        const char *end_of_row =
            input->expects_table ? memchr(bytes, '\r', (size_t)(newline - bytes)) : NULL;
        if (end_of_row) newline = end_of_row;
        input->returned = newline < end && *newline == '\r';
        size_t size = (size_t)(newline - bytes);
        if (!input->passing) g_string_append_len(text, bytes, (gssize)size);
        bytes += size + (newline < end);
        if (text->len > NS_OUTSIDE_LINE_MAX) {
            input->lines++;
            input->sink.note(input, N_("it is longer than 16 MiB"), true);
            g_string_truncate(text, 0);
            input->passing = true;
        }
        if (newline == end) return;
        if (text->len && text->str[text->len - 1] == '\r') g_string_truncate(text, text->len - 1);
        if (!input->passing) take_line(input);
        g_string_truncate(text, 0);
        input->passing = false;
    }
}

/* ---- Events ---- */

static void take_events(NsOutsideInput *input, bool last)
{
    const char *why = NULL;
    NsOutsideEventsNews news;
    while ((news = ns_outside_events_next(input->events, last, input->line, &why)) !=
           NS_OUTSIDE_EVENTS_NONE) {
        mark_line(input->line);
        if (news == NS_OUTSIDE_EVENTS_WRONG)
            input->sink.note(input, why, true);
        else
            input->sink.line(input);
    }
    if (input->events->counted)
        input->sink.note(
            input, _("The log has no step; the order of its values is shown as the step."), false);
    input->events->counted = false;
}

bool ns_outside_input_pause(NsOutsideInput *input)
{
    if (!input->events || !ns_outside_events_show(input->events, input->line, false)) return false;
    mark_line(input->line);
    input->sink.line(input);
    return true;
}

/* ---- Bytes ---- */

/* Reads bytes that are not compressed.  The first ones, of which a byte order mark is none, say
 * which format they have; `last`: no more of them will come. */
static void feed_plain(NsOutsideInput *input, const char *bytes, size_t n, bool last)
{
    g_autoptr(GString) head = NULL;
    if (!input->known) {
        g_string_append_len(input->text, bytes, (gssize)n);
        if (input->text->len < NS_OUTSIDE_EVENTS_HEAD && !last) return;
        input->known = true;
        head = input->text;
        input->text = g_string_new(NULL);
        if (g_str_has_prefix(head->str, "\xEF\xBB\xBF")) g_string_erase(head, 0, 3);
        bytes = head->str;
        n = head->len;
        if (ns_outside_events_are(bytes, n))
            input->events = ns_outside_events_new(input->names, input->prefix, &input->lines);
    }
    if (!input->events) {
        feed_lines(input, bytes, n);
        return;
    }
    ns_outside_events_feed(input->events, bytes, n);
    take_events(input, false);
}

/* Converts what has come; a program that writes the file has not written its end yet. */
static void feed_converted(NsOutsideInput *input, const char *bytes, size_t n)
{
    g_autofree char *out = g_malloc(1 << 16);
    if (!input->damaged) g_byte_array_append(input->unconverted, (const guint8 *)bytes, (guint)n);
    while (!input->damaged && input->unconverted->len) {
        gsize got = 0, made = 0;
        g_autoptr(GError) error = NULL;
        GConverterResult result =
            g_converter_convert(input->converter, input->unconverted->data, input->unconverted->len,
                                out, 1 << 16, G_CONVERTER_NO_FLAGS, &got, &made, &error);
        if (result == G_CONVERTER_ERROR) {
            if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT)) return;
            input->damaged = true;
            input->sink.note(
                input,
                G_IS_CHARSET_CONVERTER(input->converter)
                    ? _("It is not UTF-16 to its end; what comes before that is shown.")
                    : _("Its compressed data is damaged; what comes before that is shown."),
                false);
            return;
        }
        feed_plain(input, out, made, false);
        g_byte_array_remove_range(input->unconverted, 0, (guint)got);
        if (result == G_CONVERTER_FINISHED) g_converter_reset(input->converter);
        if (!got && !made) return;
    }
}

void ns_outside_input_feed(NsOutsideInput *input, const char *bytes, size_t n)
{
    bool first = !input->known && !input->converter && !input->text->len && n > 2;
    if (first && memcmp(bytes, "\x1f\x8b", 2) == 0)
        input->converter = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
    /* PowerShell writes a log so; its byte order mark says the order of the bytes. */
    if (first && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
        input->converter = G_CONVERTER(g_charset_converter_new("UTF-8", "UTF-16", NULL));
    if (input->converter)
        feed_converted(input, bytes, n);
    else
        feed_plain(input, bytes, n, false);
}

void ns_outside_input_end(NsOutsideInput *input)
{
    if (!input->known) feed_plain(input, "", 0, true);
    if (input->events)
        take_events(input, true);
    else if (input->text->len)
        feed_lines(input, "\n", 1);
}
