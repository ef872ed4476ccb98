/* SPDX-License-Identifier: MIT */
#include "core/store/outside_line-private.h"

#include "core/base/copy.h"
#include "core/base/words.h"
#include "core/data/json_object.h"
#include "core/experiment/param.h"
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
    int depth;                   /* the number of open brackets */
    bool foreign;                /* it has a member "settings" or "summary" */
    bool validation;             /* it says so of its numbers */
    const char *layers;          /* the name of the array of layers that is read; or NULL */
    const NsOutsideName *called; /* the name of its value, as a text; or NULL */
    const char *why;             /* the first error */
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
    g_free(line->continuation);
    g_free(line);
}

void ns_outside_line_clear(NsOutsideLine *line)
{
    g_free(line->continuation);
    *line = (NsOutsideLine){.step = -1,
                            .lane = 1,
                            .cells = g_array_set_size(line->cells, 0),
                            .arrays = g_array_set_size(line->arrays, 0),
                            .numbers = g_array_set_size(line->numbers, 0)};
}

static bool has_array(const NsOutsideLine *line, const NsOutsideGroup *group)
{
    for (guint i = 0; i < line->arrays->len; i++)
        if (g_array_index(line->arrays, NsOutsideArray, i).group == group) return true;
    return false;
}

void ns_outside_line_add(NsOutsideLine *line, NsOutsideCell cell)
{
    if (line->cells->len < NS_OUTSIDE_MOST_NUMBERS) g_array_append_val(line->cells, cell);
}

void ns_outside_line_merge(NsOutsideLine *line, const NsOutsideLine *from)
{
    line->summary |= from->summary;
    bool validated = from->scalars[NS_OUTSIDE_VALIDATION].name;
    if (validated && line->batches)
        line->scalars[NS_OUTSIDE_VALIDATION] = from->scalars[NS_OUTSIDE_VALIDATION];
    if (validated) line->batches = from->batches;
    if (!line->continuation)
        line->continuation = g_memdup2(from->continuation, sizeof *from->continuation);
    for (size_t i = 0; i < NS_OUTSIDE_SCALARS; i++) {
        NsOutsideCell scalar = from->scalars[i];
        if (scalar.name != line->scalars[i].name)
            ns_outside_line_put(line, scalar.name, scalar.value);
    }
    guint had = line->cells->len;
    for (guint i = 0; i < from->cells->len; i++) {
        NsOutsideCell cell = g_array_index(from->cells, NsOutsideCell, i);
        bool has = false;
        for (guint k = 0; had && !has && k < line->cells->len; k++)
            has = g_array_index(line->cells, NsOutsideCell, k).name == cell.name;
        if (!has) ns_outside_line_add(line, cell);
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
        if (line->scalars[i].name && i != NS_OUTSIDE_STEP && i != NS_OUTSIDE_SEED) return true;
    return line->cells->len || line->arrays->len || line->summary;
}

const char *ns_outside_line_put(NsOutsideLine *line, const NsOutsideName *name, double value)
{
    if (!name) return NULL;
    NsOutsideCell cell = {name, value};
    bool is_step = name->kind == NS_OUTSIDE_STEP, natural = value >= 0 && value <= floor(value);
    if (name->lane && !name->by_run) line->lane = name->lane; /* a line has one run */
    if (name->has_seed) line->scalars[NS_OUTSIDE_SEED] = (NsOutsideCell){name, name->seed};
    line->summary |= name->kind == NS_OUTSIDE_SUMMARY;
    if (name->kind == NS_OUTSIDE_LANE) {
        if (!natural || value < 1 || value > NS_LANES_MAX)
            return N_("its lane is not one of 1 to 4");
        line->lane = (size_t)value;
    }
    if (name->kind == NS_OUTSIDE_VERSION && value > NS_OUTSIDE_FORMAT)
        return N_("it has a newer version of the format than this program can read");
    if (name->kind == NS_OUTSIDE_VALUE) ns_outside_line_add(line, cell);
    if (name->kind >= NS_OUTSIDE_SCALARS) return NULL;
    NsOutsideCell *scalar = &line->scalars[name->kind];
    /* A fraction of a step is not one, but another name may be. */
    if (is_step && !(natural && value <= (double)NS_JSON_LAST_INTEGER))
        return name->rank > 2 || scalar->name ? NULL
                                              : N_("its step is negative or not a whole number");
    if (scalar->name == name) {
        line->repeated += !is_step;
        return NULL;
    }
    if (!scalar->name || name->rank < scalar->name->rank) {
        NsOutsideCell worse = *scalar;
        *scalar = cell;
        cell = worse;
        if (is_step) line->step = (int64_t)value;
    }
    if (is_step && cell.name) line->worse = cell.name;
    bool drawn = name->kind >= NS_OUTSIDE_LOSS && name->kind <= NS_OUTSIDE_GRAD_NORM;
    if (cell.name && drawn) ns_outside_line_add(line, cell);
    return NULL;
}

const NsOutsideCell *ns_outside_line_part(const NsOutsideLine *line, NsOutsideKind kind)
{
    const NsOutsideCell *best = NULL;
    for (guint i = 0; i < line->cells->len; i++) {
        const NsOutsideCell *cell = &g_array_index(line->cells, NsOutsideCell, i);
        if (cell->name->part == kind && (!best || cell->name->rank < best->name->rank)) best = cell;
    }
    return best;
}

bool ns_outside_line_call_value(NsOutsideLine *line, const NsOutsideName *name)
{
    for (guint i = 0; name && i < line->cells->len; i++) {
        NsOutsideCell value = g_array_index(line->cells, NsOutsideCell, i);
        if (!value.name->of_values) continue;
        g_array_remove_index(line->cells, i);
        ns_outside_line_put(line, name, value.value);
        return true;
    }
    return false;
}

void ns_outside_line_validate(NsOutsideLine *line, NsOutsideNames *names)
{
    NsOutsideCell loss = line->scalars[NS_OUTSIDE_LOSS];
    line->scalars[NS_OUTSIDE_LOSS] = line->scalars[NS_OUTSIDE_LR] = (NsOutsideCell){0};
    for (guint i = 0; i < line->cells->len; i++) {
        NsOutsideCell *cell = &g_array_index(line->cells, NsOutsideCell, i);
        const NsOutsideName *name = ns_outside_names_find(names, "validation", cell->name->raw);
        if (name && name->kind == NS_OUTSIDE_VALUE) cell->name = name;
    }
    if (loss.name)
        ns_outside_line_put(line, ns_outside_names_find(names, "validation", loss.name->raw),
                            loss.value);
}

/* ---- Arrays by layer ---- */

/* Single numbers come before arrays, which are in the order of their first appearance. */
static gint compare_groups(const NsOutsideName *a, const NsOutsideName *b)
{
    if (a->layered != b->layered) return a->layered - b->layered;
    return a->group->number < b->group->number ? -1 : a->group->number > b->group->number;
}

static gint compare_cells(gconstpointer a, gconstpointer b)
{
    const NsOutsideName *left = ((const NsOutsideCell *)a)->name,
                        *right = ((const NsOutsideCell *)b)->name;
    gint order = compare_groups(left, right);
    return order ? order : left->layer < right->layer ? -1 : left->layer > right->layer;
}

bool ns_outside_line_gather(NsOutsideLine *line)
{
    bool all = true, had = line->arrays->len > 0;
    g_array_sort(line->cells, compare_cells);
    const NsOutsideCell *cells = (const NsOutsideCell *)(const void *)line->cells->data;
    for (guint i = 0, end; i < line->cells->len; i = end) {
        const NsOutsideName *name = cells[i].name;
        for (end = i + 1; end < line->cells->len && !compare_groups(cells[end].name, name);) end++;
        size_t base = name->layered && !name->group->from_zero;
        NsOutsideArray array = {.group = name->group,
                                .name = name,
                                .scalar = !name->layered,
                                .first = line->numbers->len,
                                .n = name->layered ? cells[end - 1].name->layer + 1 - base : 1};
        if ((had && has_array(line, array.group)) ||
            line->numbers->len + array.n > NS_OUTSIDE_MOST_NUMBERS)
            continue;
        if (name->layered && line->partial && array.group->size != array.n) {
            all = false;
            continue;
        }
        array.group->size = MAX(array.group->size, array.n);
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

/* ---- Tokens of JSON ---- */

static bool fail(Scan *s, const char *why)
{
    if (!s->why) s->why = why;
    return false;
}

static bool fail_syntax(Scan *s)
{
    return fail(s, s->at >= s->end ? N_("it is incomplete") : N_("it is not a JSON object"));
}

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

static bool take_open(Scan *s, char bracket)
{
    if (s->depth++ == DEEPEST) return fail(s, N_("its brackets are nested too deeply"));
    return take(s, bracket);
}

/* Reads what follows an element: a comma or the closing bracket. */
static bool take_end(Scan *s, char bracket, bool *more)
{
    *more = next_is(s, ',');
    if (*more) s->at++;
    s->depth -= !*more;
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

static bool take_word(Scan *s, const char *word)
{
    size_t n = strlen(word);
    bool there = (size_t)(s->end - s->at) >= n && memcmp(s->at, word, n) == 0;
    if (there) s->at += n;
    return there;
}

/* Reads a number of at most 15 digits, whose product or quotient with an exact power of ten is the
 * nearest double (Clinger 1990).  Returns NULL for any other. */
static const char *read_short(const char *at, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t digits = 0;
    int n = 0, power = 0, exponent = 0;
    for (bool fraction = false; n <= 15; at++) {
        if (*at == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!g_ascii_isdigit(*at)) break;
        digits = 10 * digits + (uint64_t)(*at - '0');
        power -= fraction;
        n++;
    }
    const char *mark = at + 1 + (*at != '\0' && (at[1] == '-' || at[1] == '+'));
    if ((*at == 'e' || *at == 'E') && g_ascii_isdigit(*mark)) {
        bool negative = at[1] == '-';
        for (at = mark; g_ascii_isdigit(*at) && exponent < 100; at++)
            exponent = 10 * exponent + (*at - '0');
        power += negative ? -exponent : exponent;
    }
    if (n > 15 || *at == 'x' || *at == 'X' || ABS(power) > 22) return NULL;
    *value = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    return at;
}

const char *ns_outside_read_number(const char *at, double *value)
{
    static const char *const words[] = {"nan", "infinity", "inf"};
    const char *word = at + (*at == '-' || *at == '+');
    double sign = *at == '-' ? -1.0 : 1.0;
    if (g_ascii_isdigit(*word) || (*word == '.' && g_ascii_isdigit(word[1]))) {
        const char *end = read_short(word, value);
        char *other;
        if (!end) *value = g_ascii_strtod(word, &other);
        *value *= sign;
        return end ? end : other;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        size_t n = strlen(words[i]);
        if (g_ascii_strncasecmp(word, words[i], n) != 0) continue;
        *value = i == 0 ? (double)NAN : sign * (double)INFINITY;
        return g_ascii_isalnum(word[n]) ? NULL : word + n;
    }
    return NULL;
}

const char *ns_outside_read_unit(const char *end, double *value)
{
    if (!*end || !strchr("kKMB", *end)) return end;
    *value = floor(*value * (*end == 'B' ? 1e9 : *end == 'M' ? 1e6 : 1e3) + 0.5);
    return end + 1;
}

const char *ns_outside_read_groups(const char *at, bool step, double *value)
{
    char digits[32];
    size_t n = 0, groups = 0, first = strspn(at, "0123456789");
    for (; n < first && n < 3; n++) digits[n] = *at++;
    while (n && *at == ',' && strspn(at + 1, "0123456789") == 3 && n + 3 < sizeof digits) {
        memcpy(digits + n, at + 1, 3);
        n += 3;
        at += 4;
        groups++;
    }
    digits[n] = '\0';
    *value = g_ascii_strtod(digits, NULL);
    return groups > !step ? at : NULL;
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
    bool quoted = next_is(s, '"') || next_is(s, '\'');
    /* “tensor(2.5, device='cuda:0')”, “np.float64(2.5)” */
    size_t call = !g_ascii_isalpha(*s->at) ? 0 : strcspn(s->at, "([{}],\"' ");
    bool called = call && s->at[call] == '(';
    const char *at = s->at + (called ? call : 0) + (called || quoted);
    const char *end = ns_outside_read_number(at, &number->value);
    if (!end || (quoted && *end != *s->at)) return false;
    if (called) end = strchr(end, ')');
    if (!end) return false;
    s->at = end + (called || quoted);
    return true;
}

/* ---- Values ---- */

static bool read_value(Scan *s, const char *name);

/* Reads numbers, or arrays of numbers of the same length.  *numbers is set to false if there is
 * anything else. */
static bool read_elements(Scan *s, NsOutsideArray *array, bool inside, bool *numbers)
{
    size_t before = array->n, objects = 0;
    bool more = true;
    if (!take_open(s, '[')) return false;
    if (next_is(s, ']')) return take_end(s, ']', &more);
    while (more) {
        NsOutsideNumber number;
        size_t start = array->n;
        if (!inside && next_is(s, '[')) {
            if (!read_elements(s, array, true, numbers)) return false;
            size_t n = array->n - start;
            *numbers = *numbers && n && (array->inner ? array->inner == n : start == 0);
            array->inner = n;
        } else if (read_number(s, &number)) {
            if (!inside && array->inner) *numbers = false;
            if (*numbers && s->line->numbers->len == NS_OUTSIDE_MOST_NUMBERS)
                return fail(s, N_("it has more than 4194304 numbers"));
            if (*numbers) g_array_append_val(s->line->numbers, number);
            array->n += *numbers;
        } else {
            *numbers = false;
            g_autofree char *own =
                s->layers ? g_strdup_printf("%s/%zu", s->layers, objects++) : NULL;
            if (!read_value(s, next_is(s, '{') ? own : NULL)) return false;
        }
        if (!take_end(s, ']', &more)) return false;
    }
    if (array->n == before) *numbers = false;
    return true;
}

static bool read_array(Scan *s, const char *name)
{
    NsOutsideArray array = {.first = s->line->numbers->len};
    bool numbers = name && !g_str_equal(name, "events");
    /* “"layers": [{"grad_norm": 0.5}, {"grad_norm": 0.25}]” */
    bool layers = name && (g_str_equal(name, "layers") || g_str_equal(name, "blocks"));
    s->layers = layers ? name : NULL;
    if (!read_elements(s, &array, false, &numbers)) return false;
    s->layers = NULL;
    if (numbers && array.n && *name && g_utf8_validate(name, -1, NULL))
        array.name = ns_outside_names_find(s->names, NULL, name);
    /* An array of gradient norms is by layer, whatever a single number of this name is. */
    array.group = array.name ? array.name->group : NULL;
    if (array.group && s->line->arrays->len < NS_OUTSIDE_MOST_ARRAYS &&
        !has_array(s->line, array.group))
        g_array_append_val(s->line->arrays, array);
    else
        g_array_set_size(s->line->numbers, (guint)array.first);
    return true;
}

/* Reads an object; its members have `name` and “/” before their own names. */
static bool read_object(Scan *s, const char *name)
{
    char member[LONGEST_NAME] = "";
    bool more = true;
    if (name && *name) g_snprintf(member, sizeof member, "%s/", name);
    size_t n = strlen(member);
    if (!take_open(s, '{')) return false;
    if (next_is(s, '}')) return take_end(s, '}', &more);
    /* A histogram, a picture or a table of Weights & Biases */
    if (g_str_has_prefix(s->at, "\"_type\"")) name = NULL;
    while (more)
        if (!read_string(s, member + n, sizeof member - n) || !take(s, ':') ||
            !read_value(s, name ? member : NULL) || !take_end(s, '}', &more))
            return false;
    return true;
}

/* Reads an object that has the texts of a continuation; FALSE, without moving, if it has none. */
static bool read_continuation(Scan *s)
{
    Scan ahead = {.at = s->at, .end = s->end};
    g_autoptr(JsonNode) node =
        read_object(&ahead, NULL) ? ns_json_parse(s->at, (size_t)(ahead.at - s->at)) : NULL;
    JsonObject *object = ns_json_object_of(node);
    const char *text = object ? ns_json_text_of(json_object_get_member(object, "text")) : NULL;
    if (!text || s->line->continuation) return false;
    NsContinuation *found = s->line->continuation = g_new0(NsContinuation, 1);
    ns_copy_text(found->text, sizeof found->text, text);
    ns_copy_text(found->prompt, sizeof found->prompt,
                 ns_json_text_of(json_object_get_member(object, "prompt")));
    s->at = ahead.at;
    return true;
}

/* Reads any value; without a name it is passed over. */
static bool read_value(Scan *s, const char *name)
{
    NsOutsideNumber number;
    bool foreign = name && (g_str_equal(name, "settings") || g_str_equal(name, "summary"));
    s->foreign |= foreign;
    if (foreign) name = NULL;
    if (next_is(s, '[')) return read_array(s, name);
    if (next_is(s, '{'))
        return (name && g_str_equal(name, "continuation") && read_continuation(s)) ||
               read_object(s, name);
    bool quoted = next_is(s, '"') || next_is(s, '\'');
    const NsOutsideName *known = name && g_utf8_validate(name, -1, NULL)
                                     ? ns_outside_names_find(s->names, NULL, name)
                                     : NULL;
    double grouped;
    const char *end =
        quoted && known
            ? ns_outside_read_groups(s->at + 1, known->kind == NS_OUTSIDE_STEP, &grouped)
            : NULL;
    if (end && *end == *s->at) {
        number = (NsOutsideNumber){.has = true, .value = grouped};
        s->at = end + 1;
    } else if (!read_number(s, &number)) {
        char word[LONGEST_NAME] = "";
        if (take_word(s, "true") || take_word(s, "false") || take_word(s, "True") ||
            take_word(s, "False"))
            return true;
        if (!quoted || !read_string(s, word, sizeof word)) return fail_syntax(s);
        /* “"global_step/max_steps": "5/500"” */
        const char *of = name ? strrchr(name, '/') : NULL, *slash = strchr(word, '/');
        if (of && slash && slash > word && word + strspn(word, "0123456789") == slash) {
            g_autofree char *own = g_strndup(name, (gsize)(of - name));
            const NsOutsideName *step = ns_outside_names_find(s->names, NULL, own);
            if (step && step->kind == NS_OUTSIDE_STEP)
                ns_outside_line_put(s->line, step, g_ascii_strtod(word, NULL));
        }
        s->validation |= name && ns_outside_is_of_validation(name, word);
        if (known && known->of_names && g_utf8_validate(word, -1, NULL))
            s->called = ns_outside_names_find(s->names, NULL, word);
        if (known && known->of_run) s->line->lane = ns_outside_names_run(s->names, word);
        return true;
    }
    if (known && known->of_run && number.has) {
        g_autofree char *run = ns_number_text(number.value);
        s->line->lane = ns_outside_names_run(s->names, run);
        return true;
    }
    /* Digits in quotes are a number where one is expected; NaN, Infinity and what Transformers 5
     * prints in single quotes always are. */
    bool words = quoted && s->at[-1] == '"' && isfinite(number.value) && known &&
                 known->kind >= NS_OUTSIDE_SCALARS && !known->of_values;
    if (!known || !number.has || words) return true;
    const char *why = ns_outside_line_put(s->line, known, number.value);
    return !why || fail(s, why);
}

const char *ns_outside_line_check(const NsOutsideLine *line)
{
    bool loss = line->scalars[NS_OUTSIDE_LOSS].name || line->scalars[NS_OUTSIDE_VALIDATION].name;
    if (line->step < 0 && !loss && !line->scalars[NS_OUTSIDE_EPOCH].name)
        return N_("it has no step");
    return ns_outside_line_has_any(line) ? NULL : N_("it has no loss");
}

const char *ns_outside_line_read(NsOutsideLine *line, NsOutsideNames *names, const char *text,
                                 size_t n)
{
    static const char *const axes[] = {"x", "y", NULL};
    Scan s = {.at = text, .end = text + n, .line = line, .names = names};
    ns_outside_line_clear(line);
    skip_space(&s);
    line->passed_over = s.at == s.end;
    if (line->passed_over) return NULL;
    bool whole = read_object(&s, "");
    line->passed_over = s.foreign;
    if (!whole) return s.why;
    ns_outside_line_call_value(line, s.called);
    /* “{"name": "loss", "x": [10, 20], "y": [3, 2]}” */
    for (guint i = 0; s.called && i < line->arrays->len; i++) {
        NsOutsideArray *array = &g_array_index(line->arrays, NsOutsideArray, i);
        if (!g_strv_contains(axes, array->name->raw)) continue;
        g_autofree char *own = g_strconcat(s.called->raw, "/", array->name->raw, NULL);
        array->name = ns_outside_names_find(names, NULL, own);
    }
    if (s.validation) ns_outside_line_validate(line, names);
    skip_space(&s);
    if (s.at < s.end && *s.at == ',') s.at++; /* of a document without its brackets */
    skip_space(&s);
    if (s.at < s.end) return N_("there is text after its object");
    return s.foreign ? NULL : ns_outside_line_check(line);
}
