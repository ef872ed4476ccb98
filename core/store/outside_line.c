/* SPDX-License-Identifier: MIT */
#include "core/store/outside_line-private.h"

#include "core/base/words.h"
#include "core/store/json.h"
#include "core/store/outside.h"

#include <math.h>
#include <string.h>

/* Maximum nesting depth of braces and brackets. */
#define DEEPEST 16

/* Maximum length of a name, with those of the objects around it. */
#define LONGEST_NAME 512

typedef struct {
    const char *at, *end; /* *end is a zero byte */
    NsOutsideLine *line;
    NsOutsideNames *names;
    char path[LONGEST_NAME]; /* the names of the objects around a member, each with a “/” */
    int depth;
    bool foreign;    /* it has a member "settings" or "summary" */
    const char *why; /* the first error */
} Scan;

/* ---- A line ---- */

NsOutsideLine *ns_outside_line_new(void)
{
    NsOutsideLine *line = g_new0(NsOutsideLine, 1);
    line->cells = g_array_new(FALSE, FALSE, sizeof(NsOutsideCell));
    line->arrays = g_array_new(FALSE, FALSE, sizeof(NsOutsideArray));
    line->numbers = g_array_new(FALSE, FALSE, sizeof(NsOutsideNumber));
    ns_outside_line_clear(line);
    return line;
}

void ns_outside_line_free(NsOutsideLine *line)
{
    if (!line) return;
    g_array_unref(line->cells);
    g_array_unref(line->arrays);
    g_array_unref(line->numbers);
    g_free(line);
}

void ns_outside_line_clear(NsOutsideLine *line)
{
    *line = (NsOutsideLine){.step = -1,
                            .lane = 1,
                            .cells = g_array_set_size(line->cells, 0),
                            .arrays = g_array_set_size(line->arrays, 0),
                            .numbers = g_array_set_size(line->numbers, 0)};
}

NsOutsideLine *ns_outside_line_copy(const NsOutsideLine *line)
{
    NsOutsideLine *copy = g_new(NsOutsideLine, 1);
    *copy = *line;
    copy->cells = g_array_copy(line->cells);
    copy->arrays = g_array_copy(line->arrays);
    copy->numbers = g_array_copy(line->numbers);
    return copy;
}

static bool has_cell(const NsOutsideLine *line, const NsOutsideName *name)
{
    for (guint i = 0; i < line->cells->len; i++)
        if (g_array_index(line->cells, NsOutsideCell, i).name == name) return true;
    return false;
}

static bool has_array(const NsOutsideLine *line, const NsOutsideGroup *group)
{
    for (guint i = 0; i < line->arrays->len; i++)
        if (g_array_index(line->arrays, NsOutsideArray, i).group == group) return true;
    return false;
}

static void put_cell(NsOutsideLine *line, const NsOutsideName *name, double value)
{
    NsOutsideCell cell = {name, value};
    if (name->group && line->cells->len < NS_OUTSIDE_MOST_NUMBERS)
        g_array_append_val(line->cells, cell);
}

void ns_outside_line_merge(NsOutsideLine *line, const NsOutsideLine *from)
{
    line->summary |= from->summary;
    for (size_t i = 0; i < NS_OUTSIDE_SCALARS; i++) {
        const NsOutsideScalar *scalar = &from->scalars[i];
        if (scalar->has && scalar->name != line->scalars[i].name)
            ns_outside_line_put(line, scalar->name, scalar->value);
    }
    guint had = line->cells->len;
    for (guint i = 0; i < from->cells->len; i++) {
        const NsOutsideCell *cell = &g_array_index(from->cells, NsOutsideCell, i);
        if (!had || !has_cell(line, cell->name)) put_cell(line, cell->name, cell->value);
    }
    for (guint i = 0; i < from->arrays->len; i++) {
        NsOutsideArray array = g_array_index(from->arrays, NsOutsideArray, i);
        if (has_array(line, array.group)) continue;
        const void *numbers = &g_array_index(from->numbers, NsOutsideNumber, (guint)array.first);
        array.first = line->numbers->len;
        g_array_append_vals(line->numbers, numbers, (guint)array.n);
        g_array_append_val(line->arrays, array);
    }
}

bool ns_outside_line_has_any(const NsOutsideLine *line)
{
    for (size_t i = 0; i < NS_OUTSIDE_SCALARS; i++)
        if (line->scalars[i].has && i != NS_OUTSIDE_STEP && i != NS_OUTSIDE_SEED) return true;
    return line->cells->len || line->arrays->len || line->summary;
}

/* A fraction of a step is not one, but another name may be. */
static const char *put_step(NsOutsideLine *line, const NsOutsideName *name, double value)
{
    bool good = value >= 0 && value <= (double)NS_JSON_LAST_WHOLE && value <= floor(value);
    NsOutsideScalar *step = &line->scalars[NS_OUTSIDE_STEP];
    if (!good)
        return name->rank > 2 || step->has ? NULL
                                           : N_("its step is negative or not a whole number");
    if (step->has && step->name->rank <= name->rank) return NULL;
    *step = (NsOutsideScalar){value, true, name};
    line->step = (int64_t)value;
    return NULL;
}

static const char *put_lane(NsOutsideLine *line, double value)
{
    if (!(value >= 1 && value <= NS_LANES_MAX) || value > floor(value))
        return N_("its lane is not one of 1 to 4");
    line->lane = (size_t)value;
    return NULL;
}

const char *ns_outside_line_put(NsOutsideLine *line, const NsOutsideName *name, double value)
{
    if (!name) return NULL;
    if (name->lane) line->lane = name->lane;
    if (name->has_seed) line->scalars[NS_OUTSIDE_SEED] = (NsOutsideScalar){name->seed, true, name};
    line->summary |= name->kind == NS_OUTSIDE_SUMMARY;
    if (name->kind == NS_OUTSIDE_STEP) return put_step(line, name, value);
    if (name->kind == NS_OUTSIDE_LANE) return put_lane(line, value);
    if (name->kind == NS_OUTSIDE_VERSION && value > NS_OUTSIDE_FORMAT)
        return N_("it has a newer version of the format than this program can read");
    if (name->kind == NS_OUTSIDE_VALUE) put_cell(line, name, value);
    if (name->kind >= NS_OUTSIDE_SCALARS) return NULL;
    NsOutsideScalar *scalar = &line->scalars[name->kind], worse = {value, true, name};
    if (scalar->has && scalar->name == name) {
        line->repeated++;
        return NULL;
    }
    if (!scalar->has || name->rank < scalar->name->rank) {
        worse = *scalar;
        *scalar = (NsOutsideScalar){value, true, name};
    }
    bool drawn = name->kind <= NS_OUTSIDE_GRAD_NORM && name->kind != NS_OUTSIDE_EPOCH;
    if (worse.has && drawn) put_cell(line, worse.name, worse.value);
    return NULL;
}

/* ---- Arrays by layer ---- */

static gint compare_cells(gconstpointer a, gconstpointer b)
{
    const NsOutsideName *left = ((const NsOutsideCell *)a)->name,
                        *right = ((const NsOutsideCell *)b)->name;
    if (left->layered != right->layered) return left->layered - right->layered;
    if (left->group != right->group) return left->group->number < right->group->number ? -1 : 1;
    return left->layer < right->layer ? -1 : left->layer > right->layer;
}

bool ns_outside_line_gather(NsOutsideLine *line)
{
    bool all = true;
    g_array_sort(line->cells, compare_cells);
    const NsOutsideCell *cells = (const NsOutsideCell *)(const void *)line->cells->data;
    for (guint i = 0, end; i < line->cells->len; i = end) {
        const NsOutsideName *name = cells[i].name;
        for (end = i + 1; end < line->cells->len && cells[end].name->layered == name->layered &&
                          cells[end].name->group == name->group;
             end++)
            continue;
        size_t base = name->layered && !name->group->from_zero;
        NsOutsideArray array = {.group = name->group,
                                .name = name,
                                .scalar = !name->layered,
                                .first = line->numbers->len,
                                .n = name->layered ? cells[end - 1].name->layer + 1 - base : 1};
        if (has_array(line, array.group) || line->arrays->len == NS_OUTSIDE_MOST_ARRAYS ||
            line->numbers->len + array.n > NS_OUTSIDE_MOST_NUMBERS)
            continue;
        if (name->layered && line->partial && array.group->size != array.n) {
            all = false;
            continue;
        }
        array.group->size = array.n;
        g_array_set_size(line->numbers, line->numbers->len + (guint)array.n);
        NsOutsideNumber *numbers =
            &g_array_index(line->numbers, NsOutsideNumber, (guint)array.first);
        memset(numbers, 0, array.n * sizeof *numbers);
        for (guint k = i; k < end; k++) {
            NsOutsideNumber *number = &numbers[name->layered ? cells[k].name->layer - base : 0];
            if (!number->has) *number = (NsOutsideNumber){cells[k].value, true};
        }
        g_array_append_val(line->arrays, array);
    }
    g_array_set_size(line->cells, 0);
    return all;
}

/* ---- Errors ---- */

static bool fail(Scan *s, const char *why)
{
    if (!s->why) s->why = why;
    return false;
}

static bool fail_syntax(Scan *s)
{
    return fail(s, s->at >= s->end ? N_("it is incomplete") : N_("it is not a JSON object"));
}

/* ---- Tokens ---- */

static void skip_space(Scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r')) s->at++;
}

static bool next_is(Scan *s, char c)
{
    skip_space(s);
    return s->at < s->end && *s->at == c;
}

static bool take(Scan *s, char c)
{
    if (!next_is(s, c)) return fail_syntax(s);
    s->at++;
    return true;
}

/* Reads what follows an element: a comma or the closing bracket. */
static bool take_end(Scan *s, char bracket, bool *more)
{
    *more = next_is(s, ',');
    if (*more) s->at++;
    return *more || take(s, bracket);
}

/* Reads a string in double or, as Python writes it, single quotes, without decoding escapes.  A
 * longer string is truncated, which then matches no known name. */
static bool read_string(Scan *s, char *to, size_t size)
{
    size_t n = 0;
    char quote = next_is(s, '\'') ? '\'' : '"';
    if (!take(s, quote)) return false;
    for (; s->at < s->end && *s->at != quote; s->at++) {
        if (n + 1 < size) to[n++] = *s->at;
        if (*s->at == '\\' && s->at + 1 < s->end) s->at++;
    }
    to[n] = '\0';
    return take(s, quote);
}

static bool is_string(Scan *s)
{
    return next_is(s, '"') || next_is(s, '\'');
}

static bool take_word(Scan *s, const char *word)
{
    size_t n = strlen(word);
    bool there = (size_t)(s->end - s->at) >= n && memcmp(s->at, word, n) == 0;
    if (there) s->at += n;
    return there;
}

/* Reads a number up to the end of the text, also NaN and infinity in the spellings of many
 * languages: nan, NaN, -nan, inf, Infinity, +Inf, 1e999.  Returns NULL if there is none, otherwise
 * the first byte after it. */
static const char *read_real(const char *at, double *value)
{
    static const char *const infinities[] = {"infinity", "inf"};
    const char *word = at + (*at == '-' || *at == '+');
    double sign = *at == '-' ? -1.0 : 1.0;
    if (g_ascii_isdigit(*word) || (*word == '.' && g_ascii_isdigit(word[1]))) {
        char *end;
        *value = sign * g_ascii_strtod(word, &end);
        return end;
    }
    size_t n = 0;
    if (g_ascii_strncasecmp(word, "nan", 3) == 0) {
        *value = (double)NAN;
        n = 3;
    }
    for (size_t i = 0; n == 0 && i < G_N_ELEMENTS(infinities); i++) {
        if (g_ascii_strncasecmp(word, infinities[i], strlen(infinities[i])) != 0) continue;
        *value = sign * (double)INFINITY;
        n = strlen(infinities[i]);
    }
    return n && !g_ascii_isalnum(word[n]) ? word + n : NULL;
}

/* Reads a number, quoted or not, or null.  Returns false, without an error and without moving, if
 * there is neither. */
static bool read_number(Scan *s, NsOutsideNumber *number)
{
    skip_space(s);
    *number = (NsOutsideNumber){.has = true};
    if (take_word(s, "null") || take_word(s, "None")) {
        number->has = false;
        return true;
    }
    bool quoted = is_string(s);
    const char *end = read_real(s->at + quoted, &number->value);
    if (!end || (quoted && *end != *s->at)) return false;
    s->at = end + quoted;
    return true;
}

static bool skip_value(Scan *s, int depth)
{
    char word[8];
    NsOutsideNumber number;
    skip_space(s);
    if (next_is(s, '[') || next_is(s, '{')) {
        char open = *s->at++, close = open == '[' ? ']' : '}';
        bool more = !next_is(s, close);
        if (depth == DEEPEST) return fail(s, N_("its brackets are nested too deeply"));
        while (more) {
            if (open == '{' && (!read_string(s, word, sizeof word) || !take(s, ':'))) return false;
            if (!skip_value(s, depth + 1)) return false;
            if (!take_end(s, close, &more)) return false;
            if (!more) return true;
        }
        return take(s, close);
    }
    if (read_number(s, &number) || take_word(s, "true") || take_word(s, "false") ||
        take_word(s, "True") || take_word(s, "False"))
        return true;
    if (is_string(s)) return read_string(s, word, sizeof word);
    return fail_syntax(s);
}

/* ---- Arrays of JSON ---- */

static bool add_number(Scan *s, NsOutsideArray *array, NsOutsideNumber number)
{
    if (s->line->numbers->len == NS_OUTSIDE_MOST_NUMBERS)
        return fail(s, N_("it has more than 4194304 numbers"));
    g_array_append_val(s->line->numbers, number);
    array->n++;
    return true;
}

/* Reads numbers, or arrays of numbers of the same length.  *numbers is set to false if there was
 * anything else. */
static bool read_elements(Scan *s, NsOutsideArray *array, bool inside, bool *numbers)
{
    size_t before = array->n;
    bool more;
    if (!take(s, '[')) return false;
    if (next_is(s, ']')) return take(s, ']');
    do {
        NsOutsideNumber number;
        if (!inside && next_is(s, '[')) {
            size_t n = array->n;
            if (!read_elements(s, array, true, numbers)) return false;
            n = array->n - n;
            *numbers = *numbers && n && (array->inner ? array->inner == n : n == array->n);
            array->inner = n;
        } else if (read_number(s, &number)) {
            if (!inside && array->inner) *numbers = false;
            if (!add_number(s, array, number)) return false;
        } else {
            *numbers = false;
            if (!skip_value(s, 1)) return false;
        }
        if (!take_end(s, ']', &more)) return false;
    } while (more);
    if (array->n == before) *numbers = false;
    return true;
}

static bool read_array(Scan *s, const char *name)
{
    NsOutsideArray array = {.first = s->line->numbers->len};
    bool numbers = true;
    if (!read_elements(s, &array, false, &numbers)) return false;
    const NsOutsideName *known = numbers && array.n && *name && g_utf8_validate(name, -1, NULL)
                                     ? ns_outside_names_find(s->names, NULL, name)
                                     : NULL;
    if (!known || s->line->arrays->len == NS_OUTSIDE_MOST_ARRAYS || !known->group ||
        has_array(s->line, known->group)) {
        g_array_set_size(s->line->numbers, (guint)array.first);
        return true;
    }
    /* An array of gradient norms is by layer, whatever a single number of this name is. */
    array.group = known->group;
    array.name = known;
    g_array_append_val(s->line->arrays, array);
    return true;
}

/* ---- Members ---- */

static bool read_member(Scan *s, const char *name);

/* Reads an object; its members have `name` before their own. */
static bool read_object(Scan *s, const char *name)
{
    bool more = true;
    size_t n = strlen(s->path);
    if (s->depth == DEEPEST) return fail(s, N_("its brackets are nested too deeply"));
    if (!take(s, '{')) return false;
    if (next_is(s, '}')) return take(s, '}');
    s->depth++;
    if (name) g_strlcpy(s->path, name, sizeof s->path);
    if (name) g_strlcat(s->path, "/", sizeof s->path);
    while (more) {
        char member[LONGEST_NAME];
        size_t before = strlen(s->path);
        memcpy(member, s->path, before + 1);
        if (!read_string(s, member + before, sizeof member - before) || !take(s, ':') ||
            !read_member(s, member) || !take_end(s, '}', &more))
            return false;
    }
    s->path[n] = '\0';
    s->depth--;
    return true;
}

static bool read_member(Scan *s, const char *name)
{
    NsOutsideNumber number;
    bool foreign = g_str_equal(name, "settings") || g_str_equal(name, "summary");
    s->foreign |= foreign;
    if (next_is(s, '[') && !g_str_equal(name, "events")) return read_array(s, name);
    if (next_is(s, '{') && !foreign) return read_object(s, name);
    bool quoted = is_string(s);
    if (!read_number(s, &number)) return skip_value(s, s->depth);
    if (!number.has || !g_utf8_validate(name, -1, NULL)) return true;
    const NsOutsideName *known = ns_outside_names_find(s->names, NULL, name);
    /* Digits in quotes are a number where one is expected. */
    if (!known || (quoted && known->kind >= NS_OUTSIDE_SCALARS)) return true;
    const char *why = ns_outside_line_put(s->line, known, number.value);
    return !why || fail(s, why);
}

/* Returns what is wrong if the line lacks something that a record must have. */
static const char *check_line(const NsOutsideLine *line)
{
    bool loss = line->scalars[NS_OUTSIDE_LOSS].has || line->scalars[NS_OUTSIDE_VALIDATION].has;
    if (line->step < 0 && !loss) return N_("it has no step");
    return ns_outside_line_has_any(line) ? NULL : N_("it has no loss");
}

const char *ns_outside_line_read(NsOutsideLine *line, NsOutsideNames *names, const char *text,
                                 size_t n)
{
    Scan s = {.at = text, .end = text + n, .line = line, .names = names};
    ns_outside_line_clear(line);
    skip_space(&s);
    line->passed_over = s.at == s.end;
    if (line->passed_over) return NULL;
    bool whole = read_object(&s, NULL);
    line->passed_over = s.foreign;
    if (!whole) return s.why;
    skip_space(&s);
    if (s.at < s.end) return N_("there is text after its object");
    return s.foreign ? NULL : check_line(line);
}

/* ---- Tables ---- */

/* The cells of a row, without surrounding spaces and quotes; a quoted cell may have separators, and
 * quotes that are doubled (RFC 4180). */
static GPtrArray *split(const char *text, char separator)
{
    GPtrArray *cells = g_ptr_array_new_with_free_func(g_free);
    for (const char *at = text;; at++) {
        GString *cell = g_string_new(NULL);
        while (*at == ' ') at++;
        bool quoted = *at == '"';
        for (at += quoted; *at && (quoted || *at != separator); at++) {
            if (quoted && *at == '"' && at[1] != '"') {
                at++;
                break;
            }
            at += quoted && *at == '"';
            g_string_append_c(cell, *at);
        }
        while (*at && *at != separator) at++;
        char *own = g_string_free(cell, FALSE);
        g_ptr_array_add(cells, quoted ? own : g_strstrip(own));
        if (!*at) return cells;
    }
}

void ns_outside_table_free(NsOutsideTable *table)
{
    if (!table) return;
    g_free(table->names);
    g_free(table->repeated);
    g_free(table);
}

static NsOutsideTable *table_of(NsOutsideNames *names, GPtrArray *cells, char separator)
{
    bool has[NS_OUTSIDE_VALUE + 1] = {false};
    NsOutsideTable *table = g_new0(NsOutsideTable, 1);
    table->separator = separator;
    table->n = cells->len;
    table->names = g_new0(const NsOutsideName *, cells->len);
    for (guint i = 0; i < cells->len; i++) {
        const char *cell = cells->pdata[i];
        double number;
        const char *end = read_real(cell, &number);
        if (!*cell || !g_utf8_validate(cell, -1, NULL)) continue;
        if (end && !*end) break; /* a number is not a name */
        const NsOutsideName *name = ns_outside_names_find(names, NULL, cell);
        if (!name) continue;
        for (guint k = 0; k < i && !table->repeated; k++)
            if (table->names[k] == name) table->repeated = g_strdup(cell);
        table->names[i] = name;
        table->lanes = MAX(table->lanes, name->lane);
        has[name->kind] = true;
    }
    bool loss = has[NS_OUTSIDE_LOSS] || has[NS_OUTSIDE_VALIDATION];
    table->has_step = has[NS_OUTSIDE_STEP];
    for (guint i = 0; !loss && has[NS_OUTSIDE_STEP] && i < cells->len; i++) {
        const NsOutsideName *name = table->names[i];
        if (!name || g_ascii_strcasecmp(name->raw, "value") != 0) continue;
        table->names[i] = ns_outside_names_find(names, "loss", name->raw);
        table->guessed = true;
    }
    bool good = cells->len > 1 && (loss || table->guessed || has[NS_OUTSIDE_STEP]);
    if (good) return table;
    ns_outside_table_free(table);
    return NULL;
}

NsOutsideTable *ns_outside_table_new(NsOutsideNames *names, const char *text)
{
    static const char separators[] = {',', ';', '\t', '|'};
    for (size_t i = 0; i < G_N_ELEMENTS(separators); i++) {
        if (!strchr(text, separators[i])) continue;
        g_autoptr(GPtrArray) cells = split(text, separators[i]);
        NsOutsideTable *table = table_of(names, cells, separators[i]);
        if (table) return table;
    }
    return NULL;
}

bool ns_outside_table_is_head(const NsOutsideTable *table, const char *text)
{
    for (size_t i = 0; i < table->n; i++)
        if (table->names[i])
            return strstr(text, table->names[i]->raw) &&
                   strstr(text, table->names[table->n - 1] ? table->names[table->n - 1]->raw
                                                           : table->names[i]->raw);
    return false;
}

/* Reads the number of a cell, also with a decimal comma where commas do not separate cells. */
static bool read_cell(NsOutsideTable *table, char *cell, double *value)
{
    const char *end = read_real(cell, value);
    if (!end) return false;
    if (*end == ',' && table->separator != ',' && g_ascii_isdigit(end[1])) {
        cell[end - cell] = '.';
        end = read_real(cell, value);
        table->decimal_comma |= !*end;
    }
    return !*end;
}

const char *ns_outside_line_read_row(NsOutsideLine *line, NsOutsideTable *table, size_t lane,
                                     const char *text)
{
    g_autoptr(GPtrArray) cells = split(text, table->separator);
    ns_outside_line_clear(line);
    line->lane = lane;
    line->passed_over = cells->len == 1 && !*(char *)cells->pdata[0];
    if (line->passed_over) return NULL;
    /* A separator at the end of a row adds an empty cell. */
    while (cells->len > table->n && !*(char *)cells->pdata[cells->len - 1])
        g_ptr_array_set_size(cells, (gint)cells->len - 1);
    if (cells->len != table->n && !(cells->len + 1 == table->n && !table->names[table->n - 1]))
        return N_("it does not have one cell per column");
    for (guint i = 0; i < cells->len; i++) {
        const NsOutsideName *name = table->names[i];
        double value;
        if (!name || (name->lane && name->lane != lane) ||
            !read_cell(table, cells->pdata[i], &value))
            continue;
        if (name->kind < NS_OUTSIDE_SCALARS && line->scalars[name->kind].name == name) continue;
        const char *why = ns_outside_line_put(line, name, value);
        if (why) return why;
    }
    /* A row of several runs may have nothing of this one. */
    line->passed_over = table->lanes > 1 && !ns_outside_line_has_any(line);
    if (line->passed_over) return NULL;
    return table->has_step && line->step < 0 ? N_("it has no step") : check_line(line);
}

/* ---- Text ---- */

bool ns_outside_line_read_text(NsOutsideLine *line, NsOutsideNames *names, const char *text)
{
    static const char separators[] = " \t,|:=;()[]%\r";
    static const char *const levels[] = {"INFO", "DEBUG", "WARNING", "-", ">", NULL};
    g_autoptr(GString) name = g_string_new(NULL);
    ns_outside_line_clear(line);
    for (const char *at = text; *at;) {
        at += strspn(at, separators);
        size_t n = strcspn(at, separators);
        g_autofree char *word = g_strndup(at, n);
        double value;
        const char *end = n ? read_real(word, &value) : NULL;
        bool ends = at[n] && strchr(",|;", at[n]);
        at += n;
        if (end && (!*end || g_str_equal(end, "/"))) {
            if (name->len && g_utf8_validate(name->str, -1, NULL))
                ns_outside_line_put(line, ns_outside_names_find(names, NULL, name->str), value);
            g_string_truncate(name, 0);
        } else if (end || ends) {
            g_string_truncate(name, 0);
        } else if (n && name->len < 64 && !g_strv_contains(levels, word)) {
            g_string_append_printf(name, name->len ? " %s" : "%s", word);
        }
    }
    return line->scalars[NS_OUTSIDE_LOSS].has || line->scalars[NS_OUTSIDE_VALIDATION].has;
}
