/* SPDX-License-Identifier: MIT */
#include "core/store/outside_input-private.h"

#include "core/base/words.h"
#include "core/store/outside.h"

#include <string.h>

/* Lines of text that have to name a loss before a file is a log. */
#define FEWEST_LINES_OF_TEXT 2

/* Bytes of several lines that are read as one. */
#define LONGEST_OPEN ((size_t)1 << 16)

NsOutsideInput *ns_outside_input_new(NsOutsideNames *names, const char *prefix, NsOutside *owner)
{
    NsOutsideInput *input = g_new0(NsOutsideInput, 1);
    input->names = names;
    input->prefix = g_strdup(prefix);
    input->owner = owner;
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
    ns_outside_table_free(input->table);
    g_ptr_array_unref(input->cells);
    GString *const texts[] = {input->text, input->head, input->object, input->outer};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_string_free(texts[i], TRUE);
    ns_outside_line_free(input->line);
    ns_outside_line_free(input->printed.early);
    g_free(input);
}

bool ns_outside_input_is_log(const NsOutsideInput *input, bool last)
{
    bool text = input->of_text == input->logged && !input->table;
    if (text && (!last || input->logged < FEWEST_LINES_OF_TEXT ||
                 10 * (input->logged + input->steps) < input->lines))
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

void ns_outside_input_mark(const NsOutsideLine *line)
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

void ns_outside_input_take(NsOutsideInput *input, const char *why)
{
    const NsOutsideLine *line = input->line;
    bool placed = line->step >= 0 || line->scalars[NS_OUTSIDE_EPOCH].name;
    const char *label = placed || !input->numbered ? "rank" : "batch";
    if (input->process >= 0 && !line->passed_over)
        ns_outside_line_put(input->line, ns_outside_names_find(input->names, NULL, label),
                            input->process);
    if (input->prefix && ns_outside_is_of_validation("split", input->prefix))
        ns_outside_line_validate(input->line, input->names);
    if (!line->passed_over && ns_outside_json_take_points(input)) return;
    ns_outside_input_mark(line);
    /* The bytes may end within the only line. */
    input->logged += why && line->step >= 0 && line->scalars[NS_OUTSIDE_LOSS].name;
    if (why) {
        ns_outside_skip_line(input, why);
        return;
    }
    if (input->line->passed_over) return;
    input->logged++;
    ns_outside_take_line(input);
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
        ns_outside_report(input->owner, "%s",
                          _("Lines that are not UTF-8 are read as Windows-1252."));
    input->not_utf8 = true;
}

/* The first row that takes a line reads it. */
static NsOutsideTake *const formats[] = {ns_outside_document_take, ns_outside_table_take,
                                         ns_outside_json_take, ns_outside_text_take};

static void take_line(NsOutsideInput *input)
{
    /* Frames of polars and rich, and what keyboards of Chinese write */
    static const char *const plain[][2] = {{"│", "|"},      {"┃", "|"},  {"┆", "|"},
                                           {"：", ":"},     {"，", ","}, {"\u00a0", " "},
                                           {"\u202f", " "}, {"’", "'"}};
    GString *text = input->text;
    /* Space that was reserved and not written before a machine went down. */
    size_t zeros = 0;
    while (zeros < text->len && !text->str[zeros]) zeros++;
    g_string_erase(text, 0, (gssize)zeros);
    convert_line(input);
    if (memchr(text->str, '\033', text->len) || memchr(text->str, '\b', text->len)) {
        ns_outside_text_clean(text->str);
        g_string_truncate(text, strlen(text->str));
    }
    for (size_t i = 0; !g_str_is_ascii(text->str) && i < G_N_ELEMENTS(plain); i++)
        g_string_replace(text, plain[i][0], plain[i][1], 0);
    ns_outside_text_take_label(input);
    char *start = text->str + strspn(text->str, " \t\r");
    bool first = !input->begun && start < text->str + text->len;
    input->lines++;
    if (zeros && !*start) return;
    /* Comments before a table */
    if (!input->begun && (*start == '#' || g_str_has_prefix(start, "sep="))) {
        g_string_assign(input->head, start + 1);
        return;
    }
    input->begun |= first;
    for (size_t i = 0; !formats[i](input, start, first);) i++;
}

/* Whether a line goes on in the next one: a cell in quotes, or an object that Python printed over
 * several lines. */
static bool is_open(const NsOutsideInput *input)
{
    const GString *text = input->text;
    size_t braces = 0;
    bool quoted = false;
    if (!text->len || text->len > LONGEST_OPEN) return false;
    for (const char *at = input->table ? strchr(text->str, '"') : NULL; at && *at; at++) {
        bool begins = at == text->str || at[-1] == input->table->separator;
        if (*at == '"') quoted = !quoted && begins;
        at += *at == '"' && at[1] == '"' && !begins;
    }
    if (quoted) return true;
    if (*text->str != '{' || (!input->open && text->str[text->len - 1] != ',')) return false;
    for (const char *at = text->str; *at; at++)
        braces += *at == '{' ? 1 : *at == '}' ? -(size_t)1 : 0;
    return braces > 0;
}

static void feed_lines(NsOutsideInput *input, const char *bytes, size_t n)
{
    GString *text = input->text;
    for (const char *end = bytes + n; bytes < end;) {
        if (input->open && text->str[text->len - 1] == '\n') {
            text->str[text->len - 1] = ' ';
            input->open = input->table ? *bytes != '\n' : *bytes == ' ' || *bytes == '}';
            if (!input->open) take_line(input);
            input->lines += input->open;
            if (!input->open) g_string_truncate(text, 0);
        }
        if (input->document) {
            ns_outside_json_feed(input, bytes, (size_t)(end - bytes));
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
            ns_outside_skip_line(input, N_("it is longer than 16 MiB"));
            g_string_truncate(text, 0);
            input->passing = true;
        }
        if (newline == end) return;
        if (text->len && text->str[text->len - 1] == '\r') g_string_truncate(text, text->len - 1);
        input->open = !input->passing && is_open(input);
        if (input->open) {
            g_string_append_c(text, '\n');
            continue;
        }
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
        ns_outside_input_mark(input->line);
        if (news == NS_OUTSIDE_EVENTS_WRONG)
            ns_outside_skip_line(input, why);
        else
            ns_outside_take_line(input);
    }
    if (input->events->counted)
        ns_outside_report(input->owner, "%s",
                          _("The log has no step; the order of its values is shown as the step."));
    input->events->counted = false;
}

bool ns_outside_input_pause(NsOutsideInput *input)
{
    /* A line of JSON without an end yet was written to its last bracket if all are closed. */
    const char *line = input->text->str + strspn(input->text->str, " \t");
    bool complete = input->known && (*line == '{' || *line == '[') &&
                    strchr("}]", input->text->str[input->text->len - 1]);
    size_t depth = 0;
    for (const char *at = line; complete && *at; at++)
        depth += strchr("{[", *at) ? 1 : strchr("}]", *at) ? -(size_t)1 : 0;
    if (complete && depth == 0) {
        feed_lines(input, "\n", 1);
        input->returned = true; /* its end may still be written */
        return true;
    }
    if (!input->events || !ns_outside_events_show(input->events, input->line, false)) return false;
    ns_outside_input_mark(input->line);
    ns_outside_take_line(input);
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
            ns_outside_report(
                input->owner, "%s",
                G_IS_CHARSET_CONVERTER(input->converter)
                    ? _("It is not UTF-16 to its end; what comes before that is shown.")
                    : _("Its compressed data is damaged; what comes before that is "
                        "shown."));
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
    bool little = first && n > 3 && bytes[0] && !bytes[1] && bytes[2] && !bytes[3];
    if (little || (first && n > 3 && !bytes[0] && bytes[1] && !bytes[2] && bytes[3]))
        input->converter =
            G_CONVERTER(g_charset_converter_new("UTF-8", little ? "UTF-16LE" : "UTF-16BE", NULL));
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
    else
        while (input->text->len) feed_lines(input, "\n", 1);
}
