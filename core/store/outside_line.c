/* SPDX-License-Identifier: MIT */
#include "core/store/outside_line-private.h"

#include "core/base/words.h"
#include "core/store/json.h"
#include "core/store/outside.h"

#include <math.h>
#include <string.h>

/* Maximum nesting depth of braces and brackets. */
#define DEEPEST 16

/* Most names that a message lists. */
#define MOST_NAMES 16

typedef struct {
    const char *at, *end; /* *end is a zero byte */
    NsOutsideLine *line;
    bool foreign;    /* it has a member "settings" or "summary" */
    const char *why; /* the first error */
} Scan;

void ns_outside_note_name(GPtrArray *names, const char *name)
{
    if (names->len < MOST_NAMES &&
        !g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
        g_ptr_array_add(names, g_strdup(name));
}

NsOutsideLine *ns_outside_line_new(void)
{
    NsOutsideLine *line = g_new0(NsOutsideLine, 1);
    line->arrays = g_array_new(FALSE, FALSE, sizeof(NsOutsideArray));
    line->numbers = g_array_new(FALSE, FALSE, sizeof(NsOutsideNumber));
    return line;
}

void ns_outside_line_free(NsOutsideLine *line)
{
    g_array_unref(line->arrays);
    g_array_unref(line->numbers);
    g_free(line);
}

void ns_outside_line_begin(NsOutsideLine *line, NsOutsideLine told)
{
    told.arrays = g_array_set_size(line->arrays, 0);
    told.numbers = g_array_set_size(line->numbers, 0);
    *line = told;
}

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

/* Reads a string without decoding escapes.  A longer string is truncated, which then matches no
 * known name. */
static bool read_string(Scan *s, char *to, size_t size)
{
    size_t n = 0;
    if (!take(s, '"')) return false;
    for (; s->at < s->end && *s->at != '"'; s->at++) {
        if (n + 1 < size) to[n++] = *s->at;
        if (*s->at == '\\' && s->at + 1 < s->end) s->at++;
    }
    to[n] = '\0';
    return take(s, '"');
}

static bool take_word(Scan *s, const char *word)
{
    size_t n = strlen(word);
    bool there = (size_t)(s->end - s->at) >= n && memcmp(s->at, word, n) == 0;
    if (there) s->at += n;
    return there;
}

/* NaN and Infinity in the spellings of Python, JavaScript and C. */
static bool take_not_finite(Scan *s, double *value)
{
    static const char *const nans[] = {"NaN", "nan"}, *const infinities[] = {"Infinity", "inf"};
    double sign = take_word(s, "-") ? -1.0 : 1.0;
    for (size_t i = 0; i < G_N_ELEMENTS(nans); i++) {
        if (take_word(s, nans[i])) {
            *value = (double)NAN;
            return true;
        }
        if (take_word(s, infinities[i])) {
            *value = sign * (double)INFINITY;
            return true;
        }
    }
    return false;
}

/* Reads a number or null.  Returns false, without an error and without moving, if there is
 * neither. */
static bool read_number(Scan *s, NsOutsideNumber *number)
{
    skip_space(s);
    const char *begin = s->at;
    *number = (NsOutsideNumber){.has = true};
    if (take_word(s, "null")) {
        number->has = false;
        return true;
    }
    const char *digit = begin + (*begin == '-');
    if (g_ascii_isdigit(*digit)) {
        char *end;
        number->value = g_ascii_strtod(begin, &end);
        s->at = end;
        return true;
    }
    bool quoted = *begin == '"';
    s->at += quoted;
    if (take_not_finite(s, &number->value) && (!quoted || take_word(s, "\""))) return true;
    s->at = begin;
    return false;
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
    if (read_number(s, &number) || take_word(s, "true") || take_word(s, "false")) return true;
    if (next_is(s, '"')) return read_string(s, word, sizeof word);
    return fail_syntax(s);
}

/* ---- Arrays ---- */

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

/* Adds a single number as an array with this name. */
static bool add_scalar(Scan *s, const char *name, bool gradient, NsOutsideNumber number)
{
    NsOutsideArray array = {.gradient = gradient, .scalar = true, .first = s->line->numbers->len};
    if (!number.has || s->line->arrays->len == NS_OUTSIDE_MOST_ARRAYS) return true;
    g_strlcpy(array.name, name, sizeof array.name);
    if (!add_number(s, &array, number)) return false;
    g_array_append_val(s->line->arrays, array);
    return true;
}

static bool read_array(Scan *s, const char *name, bool gradient)
{
    NsOutsideArray array = {.gradient = gradient, .first = s->line->numbers->len};
    bool numbers = true;
    if (!read_elements(s, &array, false, &numbers)) return false;
    if (!numbers || array.n == 0 || !*name || s->line->arrays->len == NS_OUTSIDE_MOST_ARRAYS ||
        !g_utf8_validate(name, -1, NULL)) {
        g_array_set_size(s->line->numbers, (guint)array.first);
        return true;
    }
    g_strlcpy(array.name, name, sizeof array.name);
    g_array_append_val(s->line->arrays, array);
    return true;
}

/* ---- Members ---- */

/* Reads an object; `read` is called for each member after its colon. */
static bool read_object(Scan *s, bool (*read)(Scan *s, const char *name))
{
    bool more = true;
    if (!take(s, '{')) return false;
    if (next_is(s, '}')) return take(s, '}');
    while (more) {
        char name[sizeof((NsOutsideArray *)0)->name];
        if (!read_string(s, name, sizeof name) || !take(s, ':') || !read(s, name) ||
            !take_end(s, '}', &more))
            return false;
    }
    return true;
}

/* Reads a member of "grad_norm": the gradient of one parameter, or the total. */
static bool read_gradient(Scan *s, const char *name)
{
    NsOutsideNumber number;
    if (next_is(s, '[')) return read_array(s, name, true);
    if (!read_number(s, &number)) return skip_value(s, 1);
    if (!g_str_equal(name, "total")) return add_scalar(s, name, true, number);
    s->line->grad_norm = number;
    return true;
}

static bool read_step(Scan *s, NsOutsideNumber number)
{
    if (!number.has || !(number.value >= 0 && number.value <= (double)NS_JSON_LAST_WHOLE) ||
        number.value > floor(number.value))
        return fail(s, N_("its step is negative or not a whole number"));
    s->line->step = (int64_t)number.value;
    return true;
}

/* Stores a member whose value is a number. */
static bool take_number(Scan *s, const char *name, NsOutsideNumber number)
{
    NsOutsideLine *line = s->line;
    const struct {
        const char *name;
        NsOutsideNumber *number;
    } scalars[] = {
        {"loss", &line->loss},
        {"train_loss", &line->loss},
        {"validation_loss", &line->validation},
        {"val_loss", &line->validation},
        {"eval_loss", &line->validation},
        {"lr", &line->lr},
        {"learning_rate", &line->lr},
        {"grad_norm", &line->grad_norm},
        {"seconds", &line->seconds},
        {"probe_seconds", &line->probe_seconds},
        {"seed", &line->seed},
    };
    if (g_str_equal(name, "step")) return read_step(s, number);
    for (size_t i = 0; i < G_N_ELEMENTS(scalars); i++) {
        if (!g_str_equal(name, scalars[i].name)) continue;
        if (number.has || !scalars[i].number->has) *scalars[i].number = number;
        return true;
    }
    if (g_str_equal(name, "format"))
        return number.value <= NS_OUTSIDE_FORMAT ||
               fail(s, N_("it has a newer version of the format than this program can read"));
    if (!g_str_equal(name, "lane")) return add_scalar(s, name, false, number);
    if (!(number.value >= 1 && number.value <= NS_LANES_MAX) || number.value > floor(number.value))
        return fail(s, N_("its lane is not one of 1 to 4"));
    line->lane = (size_t)number.value;
    return true;
}

static bool read_member(Scan *s, const char *name)
{
    NsOutsideNumber number;
    if (g_str_equal(name, "settings") || g_str_equal(name, "summary")) s->foreign = true;
    if (next_is(s, '[') && !g_str_equal(name, "events")) return read_array(s, name, false);
    if (next_is(s, '{') && g_str_equal(name, "grad_norm")) return read_object(s, read_gradient);
    return read_number(s, &number) ? take_number(s, name, number) : skip_value(s, 0);
}

/* A line of which nothing was read yet. */
static const NsOutsideLine nothing = {.step = -1, .lane = 1};

/* Returns what is wrong if the line lacks something that a record must have. */
static const char *check_line(const NsOutsideLine *line)
{
    if (line->step < 0) return N_("it has no step");
    return line->loss.has || line->validation.has ? NULL : N_("it has no loss");
}

const char *ns_outside_line_read(NsOutsideLine *line, const char *text, size_t n)
{
    Scan s = {.at = text, .end = text + n, .line = line};
    ns_outside_line_begin(line, nothing);
    skip_space(&s);
    line->passed_over = s.at == s.end;
    if (line->passed_over) return NULL;
    bool whole = read_object(&s, read_member);
    line->passed_over = s.foreign;
    if (!whole) return s.why;
    skip_space(&s);
    if (s.at < s.end) return N_("there is text after its object");
    return s.foreign ? NULL : check_line(line);
}

/* ---- Tables ---- */

/* The cells of a row, without surrounding spaces and quotes. */
static char **split(const char *text, char separator)
{
    const char delimiter[] = {separator, '\0'};
    char **cells = g_strsplit(text, delimiter, -1);
    for (char **cell = cells; *cell; cell++) {
        g_strstrip(*cell);
        size_t n = strlen(*cell);
        if (n < 2 || **cell != '"' || (*cell)[n - 1] != '"') continue;
        memmove(*cell, *cell + 1, n - 2);
        (*cell)[n - 2] = '\0';
    }
    return cells;
}

char **ns_outside_columns(const char *text, char *separator)
{
    static const char separators[] = {',', ';', '\t'};
    for (size_t i = 0; i < G_N_ELEMENTS(separators); i++) {
        g_auto(GStrv) columns = split(text, separators[i]);
        const char *const *names = (const char *const *)columns;
        *separator = separators[i];
        if (g_strv_length(columns) > 1 && g_strv_contains(names, "step") &&
            (g_strv_contains(names, "loss") || g_strv_contains(names, "train_loss")))
            return g_steal_pointer(&columns);
    }
    return NULL;
}

const char *ns_outside_line_read_row(NsOutsideLine *line, char **columns, char separator,
                                     const char *text)
{
    g_auto(GStrv) cells = split(text, separator);
    ns_outside_line_begin(line, nothing);
    line->passed_over = !cells[0] || (!*cells[0] && !cells[1]);
    if (line->passed_over) return NULL;
    if (g_strv_length(cells) != g_strv_length(columns))
        return N_("it does not have one cell per column");
    for (size_t i = 0; cells[i]; i++) {
        Scan s = {.at = cells[i], .end = cells[i] + strlen(cells[i]), .line = line};
        NsOutsideNumber number;
        bool whole = *cells[i] && read_number(&s, &number) && s.at == s.end;
        if (whole && number.has && !take_number(&s, columns[i], number)) return s.why;
    }
    return check_line(line);
}
