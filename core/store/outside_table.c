/* SPDX-License-Identifier: MIT
 *
 * Tables: separated values, also of Markdown, aligned columns in other text, and curves of numbers
 * alone. */
#include "core/store/outside_input-private.h"

#include "core/base/words.h"
#include "core/train/run.h"

#include <string.h>

/* Splits a row, in place, into its cells without surrounding spaces and quotes; a quoted cell may
 * have separators, and quotes that are doubled (RFC 4180). */
static void split(char *text, char separator, GPtrArray *cells)
{
    g_ptr_array_set_size(cells, 0);
    for (char *at = text;; at++) {
        while (*at == ' ') at++;
        if (separator == ' ' && !*at && cells->len) return;
        char *cell = at, *to = at;
        const char quote = *at, end[] = {'\'', separator, '\0'};
        if (quote == '"' || (quote == '\'' && (strstr(at + 1, end) || g_str_has_suffix(at, "'")))) {
            for (at++; *at && (*at != quote || at[1] == quote); at++) {
                at += *at == quote;
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

bool ns_outside_table_begin(NsOutsideInput *input, const char *text, char separator, size_t n)
{
    g_autofree char *row = g_strdup(text);
    g_autoptr(GPtrArray) cells = g_ptr_array_new();
    split(row, separator, cells);
    if (n && cells->len != n && cells->len + 1 != n) return false;
    bool has[NS_OUTSIDE_VALUE + 1] = {false};
    const char *repeated = NULL;
    g_autofree const NsOutsideName **names = g_new0(const NsOutsideName *, cells->len);
    size_t lanes = 0;
    bool by_row = false, split = false; /* split: “Epoch,Train,Valid” has losses */
    double number;
    guint value = G_MAXUINT, called = G_MAXUINT, run = G_MAXUINT; /* the columns of these names */
    for (guint i = 0; i < cells->len; i++) {
        const char *cell = cells->pdata[i];
        if (!*cell || !g_utf8_validate(cell, -1, NULL)) continue;
        const char *end = ns_outside_read_number(cell, &number);
        if (end && !*end) { /* a number is not a name; the only one is that of the rows */
            by_row = i == 1 && names[0] && names[0]->kind <= NS_OUTSIDE_EPOCH;
            break;
        }
        /* The column “loss” of “val/loss.tsv” */
        bool curve = input->prefix && g_str_has_suffix(input->prefix, cell);
        const NsOutsideName *name =
            ns_outside_names_find(input->names, NULL, curve ? input->prefix : cell);
        if (!name) continue;
        for (guint k = 0; k < i && !repeated; k++)
            if (names[k] == name) repeated = name->raw;
        if (name->of_values) value = MIN(value, i);
        /* “metricName” of Comet, rather than the “name” of the run before it */
        if (name->of_names && (called == G_MAXUINT || !g_ascii_strncasecmp(name->raw, "metric", 6)))
            called = i;
        if (name->of_run) run = MIN(run, i);
        names[i] = name;
        lanes = MAX(lanes, name->lane);
        has[name->kind] = true;
        split |= name->split;
    }
    bool loss = has[NS_OUTSIDE_LOSS] || has[NS_OUTSIDE_VALIDATION];
    bool known = loss || has[NS_OUTSIDE_STEP] || by_row || (split && has[NS_OUTSIDE_EPOCH]);
    if (cells->len < 2 && !(input->expects_table && loss)) return false;
    if (!known && !(input->expects_table && has[NS_OUTSIDE_VALUE])) return false;
    /* Words with spaces between them may be a sentence. */
    bool counted = has[NS_OUTSIDE_STEP] || has[NS_OUTSIDE_EPOCH];
    if (!n && separator == ' ' && (!loss || !counted || has[NS_OUTSIDE_VALUE])) return false;
    /* A table in a text may be of anything, and a bar of progress, “5%|#  | 3/60”, is none. */
    if (separator == '|' && !(counted && loss)) return false;
    /* Rows of a table of runs, of which each has a name and its last numbers */
    if (run == G_MAXUINT && value == G_MAXUINT && loss && !counted) run = called;
    for (guint i = 0; i < cells->len; i++) {
        const char *raw = names[i] ? names[i]->raw : "";
        if (!loss && called == G_MAXUINT && i == value)
            names[i] = input->prefix ? ns_outside_names_find(input->names, NULL, input->prefix)
                                     : ns_outside_names_find(input->names, "loss/value", raw);
        if (names[i]) names[i]->use->listed = true;
    }
    input->table = g_new0(NsOutsideTable, 1);
    *input->table = (NsOutsideTable){.separator = separator,
                                     .names = g_steal_pointer(&names),
                                     .n = cells->len,
                                     .lanes = lanes,
                                     .value = value,
                                     .called = called,
                                     .run = run,
                                     .loose = (n || separator == ' ') && !input->expects_table,
                                     .head = separator == ' ' || by_row ? g_strdup(text) : NULL,
                                     .repeated = repeated,
                                     .by_row = by_row,
                                     .markdown = text[strspn(text, " \t")] == '|',
                                     .has_step = has[NS_OUTSIDE_STEP]};
    return true;
}

void ns_outside_table_free(NsOutsideTable *table)
{
    if (!table) return;
    g_free(table->names);
    g_free(table->head);
    g_free(table);
}

/* Reads names of columns where a row is expected: a program that resumes repeats them, perhaps with
 * others, and pandas has rows of more names below names that are equal. */
static bool take_names(NsOutsideInput *input)
{
    NsOutsideTable *old = input->table, *new;
    const char separator = old->separator;
    const bool loose = old->loose, markdown = old->markdown;
    const GPtrArray *cells = input->cells;
    double number;
    for (guint i = 0; i < cells->len; i++)
        if (ns_outside_read_number(cells->pdata[i], &number)) return false;
    g_autoptr(GString) own = g_string_new(NULL), joined = g_string_new(NULL);
    for (guint i = 0; i < cells->len; i++) {
        const char *cell = cells->pdata[i];
        const char *above = i < old->n && old->names[i] ? old->names[i]->raw : "";
        g_string_append_printf(own, "%s%s", i ? "\t" : "", cell);
        g_string_append_printf(joined, "%s%s%s%s", i ? "\t" : "", above, *above && *cell ? "/" : "",
                               cell);
    }
    bool join = !old->begun && (old->repeated || old->joined);
    input->table = NULL;
    bool taken = ns_outside_table_begin(input, join ? joined->str : own->str, '\t', 0),
         known = join;
    new = input->table;
    for (guint i = 0; taken && i < new->n; i++)
        known |= new->names[i] &&
                 new->names[i]->kind <= (old->has_step ? NS_OUTSIDE_STEP : NS_OUTSIDE_LOSS);
    taken &= known;
    bool replace = taken && !old->head;
    input->table = replace ? new : old;
    ns_outside_table_free(replace ? old : new);
    if (!replace) return taken;
    new->separator = separator;
    new->joined = join;
    new->loose = loose;
    new->markdown = markdown;
    return true;
}

/* Before the first row: pandas and R number the rows in a column without a name. */
static void begin_rows(NsOutsideInput *input)
{
    NsOutsideTable *table = input->table;
    bool counted = table->run < table->n || strchr(" |", table->separator);
    double number;
    table->begun = true;
    for (guint i = 0; i < table->n; i++)
        counted |= table->names[i] && table->names[i]->kind <= NS_OUTSIDE_EPOCH;
    if (table->repeated)
        ns_outside_report(input->owner, _("Two columns are called “%s”; the first is read."),
                          table->repeated);
    const char *end = ns_outside_read_number(input->cells->pdata[0], &number);
    if (counted || (table->names[0] && !g_str_equal(table->names[0]->raw, "Unnamed: 0")) || !end ||
        *end)
        return;
    table->names[0] = ns_outside_names_find(input->names, NULL, "#");
    ns_outside_report(input->owner, "%s",
                      _("The first column has no name and is shown as the step."));
}

/* Reads the number of a cell, also with a decimal comma where commas do not separate cells. */
static bool read_cell(NsOutsideInput *input, const NsOutsideName *name, char *cell, double *value)
{
    NsOutsideTable *table = input->table;
    const char *end = ns_outside_read_number(cell, value);
    /* “1.234.567,5”, “1 234,5”, “1'234.5”, and beside a decimal comma “1.000” */
    static const char groups_of[] =
        "^-?\\d{1,3}((\\.\\d{3})+(\\.\\d{3}|,\\d+)|([ ']\\d{3})+([.,]\\d+)?)$";
    if (end && strpbrk(cell, ". '") &&
        ((*end && g_regex_match_simple(groups_of, cell, 0, 0)) ||
         (table->comma && g_regex_match_simple("^-?[1-9]\\d{0,2}\\.\\d{3}$", cell, 0, 0)))) {
        char group = *strpbrk(cell, ". '"), *to = cell;
        for (const char *at = cell; *at; at++)
            if (*at != group) *to++ = *at;
        *to = '\0';
        end = ns_outside_read_number(cell, value);
    }
    /* In quotes between commas a number has groups of three digits or, if not, a decimal comma. */
    bool groups = table->separator == ',' && !table->comma && end && *end == ',' &&
                  strspn(end + 1, "0123456789") == 3;
    if (end && *end == ',' && !groups && g_ascii_isdigit(end[1])) {
        cell[end - cell] = '.';
        end = ns_outside_read_number(cell, value);
        table->comma |= !*end;
    } else if (end && *end == ',') {
        end = ns_outside_read_groups(cell, name->kind == NS_OUTSIDE_STEP, value);
    }
    if (end && *end == '%') end++;
    if (end) end = ns_outside_read_unit(end, value);
    bool of = end && *end == '/' && name->kind == NS_OUTSIDE_STEP; /* “10/500” */
    return end && (of || !*end);
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
    if (table->run < cells->len && *(char *)cells->pdata[table->run])
        line->lane = ns_outside_names_run(input->names, cells->pdata[table->run]);
    bool validation = false;
    for (guint i = 0; i < cells->len; i++) {
        const NsOutsideName *name = i == table->run ? NULL : table->names[i];
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

/* Reads the row of one quantity, whose columns are steps: “loss,3,2” below “step,10,20”. */
static void take_quantity(NsOutsideInput *input, char *text)
{
    const NsOutsideTable *table = input->table;
    g_autofree char *head = g_strdup(table->head);
    g_autoptr(GPtrArray) steps = g_ptr_array_new();
    split(head, table->separator, steps);
    split(text, table->separator, input->cells);
    const NsOutsideName *name = ns_outside_names_find(input->names, NULL, input->cells->pdata[0]);
    for (guint i = 1; i < MIN(steps->len, input->cells->len); i++) {
        double step, value;
        if (!read_cell(input, table->names[0], steps->pdata[i], &step) ||
            !read_cell(input, name, input->cells->pdata[i], &value))
            continue;
        ns_outside_line_clear(input->line);
        ns_outside_line_put(input->line, table->names[0], step);
        ns_outside_line_put(input->line, name, value);
        ns_outside_input_take(input, NULL);
    }
}

void ns_outside_table_row(NsOutsideInput *input, char *text)
{
    NsOutsideTable *table = input->table;
    if (table->by_row) {
        take_quantity(input, text);
        return;
    }
    GPtrArray *cells = input->cells;
    bool quoted = *text == '"';
    split(text, table->separator, cells);
    /* A separator at the end of a row adds an empty cell. */
    while (cells->len > table->n && !*(char *)cells->pdata[cells->len - 1])
        g_ptr_array_set_size(cells, (gint)cells->len - 1);
    if (cells->len > 1 && take_names(input)) return;
    if (!table->begun) begin_rows(input);
    /* The number of a row has no name; R writes it in quotes. */
    if ((table->separator == ' ' || quoted) && cells->len == table->n + 1) {
        g_ptr_array_remove_index(cells, 0);
        /* pandas prints so what is missing. */
        for (guint i = 0; i < cells->len; i++)
            if (g_str_equal(cells->pdata[i], "NaN")) *(char *)cells->pdata[i] = '\0';
    }
    if (table->head && cells->len > 1 && cells->len < table->n && !align(table, cells, text))
        return;
    guint numbers = 0;
    double number;
    for (guint i = 0; table->loose && i < cells->len; i++)
        numbers += ns_outside_read_number(cells->pdata[i], &number) != NULL;
    if (table->loose && (cells->len != table->n || 2 * numbers < table->n)) return;
    bool comma = table->comma;
    /* “1.000;2,5” */
    for (guint i = 0; table->separator != ',' && !comma && i < cells->len; i++) {
        const char *at = strchr(cells->pdata[i], ',');
        table->comma |= at && ns_outside_read_number(cells->pdata[i], &number) == at && at[1] &&
                        !at[1 + strspn(at + 1, "0123456789")];
    }
    const char *why = NULL; /* a wrong row is reported once for all of its runs */
    for (size_t lane = 1; !why && lane <= CLAMP(table->lanes, 1, NS_LANES_MAX); lane++) {
        why = read_lane(input, cells, lane);
        ns_outside_input_take(input, why);
    }
    if (table->comma && !comma)
        ns_outside_report(input->owner, "%s",
                          _("Its numbers have a decimal comma, which is read as a decimal point."));
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
    if ((first || *c != ' ') && ns_outside_table_begin(input, input->head->str, *c, n)) return true;
    if (*c == ' ' && ns_outside_table_begin(input, aligned->str, '\t', n)) {
        input->table->separator = ' ';
        input->table->head = g_strdup(input->head->str);
        return true;
    }
    g_string_truncate(aligned, 0);
    for (guint i = 0; i < n; i++)
        g_string_append_printf(aligned, "%s%c%s %u", "", i ? *c : ' ', "column", i + 1);
    return first && input->expects_table && *c != ' ' &&
           ns_outside_table_begin(input, aligned->str + 1, *c, 0);
}

/* Reads a curve that has no names of columns: lines such as “1700000000000 2.5 10” in a file of
 * MLflow, whose name is that of the curve, or the array of arrays that TensorBoard saves.  Returns
 * false if the line does not begin one. */
static bool begin_curve(NsOutsideInput *input, char *text)
{
    bool metric = input->prefix && strspn(text, "0123456789") == 13 && text[13] == ' ';
    size_t spaces = 0; /* of a metric on a set of data, four */
    for (const char *at = metric ? text : ""; *at; at++) spaces += *at == ' ';
    const char *head =
        spaces == 4 ? "wall_time\tvalue\tstep\tdataset\tdigest" : "wall_time\tvalue\tstep";
    if (metric && ns_outside_table_begin(input, head, '\t', 0)) {
        input->table->separator = ' ';
        ns_outside_table_row(input, text);
        return true;
    }
    if (!g_str_has_prefix(text, "[[") || g_ascii_isalpha(text[2]) ||
        !ns_outside_table_begin(input, "wall_time,step,value", ',', 0))
        return false;
    bool later = false; /* each point counts as a line */
    for (char *end; text; text = end) {
        end = strchr(text, ']');
        if (end) *end++ = '\0';
        text += strspn(text, "[, \r");
        if (!*text) continue;
        input->lines += later;
        later = true;
        ns_outside_table_row(input, text);
    }
    return true;
}

bool ns_outside_table_take(NsOutsideInput *input, char *start, bool first)
{
    static const char separators[] = ",;\t| ";
    char *text = input->text->str;
    if (first && begin_curve(input, start)) return true;
    /* The title that a spreadsheet puts above a table: “Table 1,,” */
    if (first && input->expects_table &&
        g_regex_match_simple("^([^,;\t\"]+|\"[^\"]*\")?[,;\t]{2,}$", text, 0, 0)) {
        input->begun = false;
        return true;
    }
    /* A table of Markdown may come after other text. */
    if (*start == '|') g_strdelimit(start, "*`", ' '); /* of bold numbers */
    bool markdown = *start == '|', rule = strspn(start, "|:-+ \t\r") == strlen(start);
    if (*start && (markdown ? rule : input->table && (rule || input->table->markdown))) return true;
    if (markdown && !first && !input->table && ns_outside_table_begin(input, text, '|', 0))
        return true;
    bool object = strstr(start, "{\"") || strstr(start, "{'");
    for (const char *c = separators; first && !object && *c; c++)
        if ((strchr(text, *c) || (c == separators && !strpbrk(text, separators))) &&
            ns_outside_table_begin(input, text, *c, 0))
            return true;
    if (!input->table && (object || !begin_below(input, first))) return false;
    ns_outside_table_row(input, text);
    return true;
}
