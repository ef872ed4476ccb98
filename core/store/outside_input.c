/* SPDX-License-Identifier: MIT */
#include "core/store/outside_input-private.h"

#include "core/base/words.h"
#include "core/store/outside.h"
#include "core/store/outside_events-private.h"

#include <gio/gio.h>
#include <string.h>

/* Lines of text that have to name a loss before a file is a log. */
#define FEWEST_LINES_OF_TEXT 2

/* Maximum nesting depth of a document. */
#define DEEPEST 64

struct NsOutsideInput {
    NsOutsideNames *names;
    char *prefix;
    NsOutsideSink sink;
    bool known;              /* whether the format has been detected */
    GConverter *gunzip;      /* NULL if it is not compressed */
    GByteArray *compressed;  /* bytes that were not converted yet */
    bool damaged;            /* nothing more can be decompressed */
    NsOutsideEvents *events; /* NULL if the format is lines */
    NsOutsideTable *table;   /* NULL if it is not a table */
    GString *text;           /* an incomplete line, or bytes before the format is known */
    bool passing;            /* skipping the rest of a line that was too long */
    bool begun;              /* the first line that is not empty has been read */
    bool foreign;            /* it begins with settings of this program */
    bool comma_noted;
    NsOutsideLine *line;
    size_t lines, logged, of_text; /* lines read; of a log; of text among these */

    /* A document of JSON. */
    bool document, in_string, escaped;
    char brackets[DEEPEST];  /* that are open */
    size_t depth, captured;  /* captured: the depth of the object that is being read; 0: none */
    size_t objects;          /* that were read */
    GString *object, *outer; /* the text of that object, and of the document without such objects */
};

NsOutsideInput *ns_outside_input_new(NsOutsideNames *names, const char *prefix, NsOutsideSink sink)
{
    NsOutsideInput *input = g_new0(NsOutsideInput, 1);
    input->names = names;
    input->prefix = g_strdup(prefix);
    input->sink = sink;
    input->text = g_string_new(NULL);
    input->object = g_string_new(NULL);
    input->outer = g_string_new(NULL);
    input->compressed = g_byte_array_new();
    input->line = ns_outside_line_new();
    return input;
}

void ns_outside_input_free(NsOutsideInput *input)
{
    if (!input) return;
    g_free(input->prefix);
    g_clear_object(&input->gunzip);
    g_byte_array_unref(input->compressed);
    ns_outside_events_free(input->events);
    ns_outside_table_free(input->table);
    g_string_free(input->text, TRUE);
    g_string_free(input->object, TRUE);
    g_string_free(input->outer, TRUE);
    ns_outside_line_free(input->line);
    g_free(input);
}

bool ns_outside_input_is_log(const NsOutsideInput *input)
{
    bool text = input->of_text == input->logged && !input->table;
    if (text && (input->logged < FEWEST_LINES_OF_TEXT || 10 * input->logged < input->lines))
        return input->events != NULL;
    return !input->foreign && (input->events || input->table || input->logged);
}

bool ns_outside_input_is_events(const NsOutsideInput *input)
{
    return input->events != NULL;
}

size_t ns_outside_input_lines(const NsOutsideInput *input)
{
    return input->events ? ns_outside_events_read(input->events) : input->lines;
}

bool ns_outside_input_times(const NsOutsideInput *input, double *first, double *last)
{
    return input->events && ns_outside_events_times(input->events, first, last);
}

/* ---- Lines ---- */

static void name_all(NsOutsideInput *input)
{
    const NsOutsideLine *line = input->line;
    for (size_t i = 0; i < NS_OUTSIDE_SCALARS; i++)
        if (line->scalars[i].has) input->sink.name(input->sink.data, line->scalars[i].name->raw);
    for (guint i = 0; i < line->cells->len; i++)
        input->sink.name(input->sink.data, g_array_index(line->cells, NsOutsideCell, i).name->raw);
    for (guint i = 0; i < line->arrays->len; i++)
        input->sink.name(input->sink.data,
                         g_array_index(line->arrays, NsOutsideArray, i).name->raw);
}

/* An array of losses is a curve: “{"loss": [3, 2], "val_loss": [4, 3]}”. */
static bool take_curves(NsOutsideInput *input)
{
    g_autoptr(GPtrArray) curves = g_ptr_array_new();
    NsOutsideLine *all = input->line;
    size_t longest = 0;
    for (guint i = 0; all->step < 0 && i < all->arrays->len; i++) {
        NsOutsideArray *array = &g_array_index(all->arrays, NsOutsideArray, i);
        if (array->inner) continue;
        g_ptr_array_add(curves, array);
        bool loss =
            array->name->kind == NS_OUTSIDE_LOSS || array->name->kind == NS_OUTSIDE_VALIDATION;
        longest = loss ? MAX(longest, array->n) : longest;
    }
    if (!longest || all->scalars[NS_OUTSIDE_LOSS].has) return false;
    input->logged++;
    input->line = ns_outside_line_new();
    for (size_t k = 0; k < longest; k++) {
        ns_outside_line_clear(input->line);
        for (guint i = 0; i < curves->len; i++) {
            const NsOutsideArray *array = curves->pdata[i];
            if (k >= array->n) continue;
            NsOutsideNumber number =
                g_array_index(all->numbers, NsOutsideNumber, (guint)(array->first + k));
            if (number.has) ns_outside_line_put(input->line, array->name, number.value);
        }
        input->sink.line(input->sink.data, &input->line);
    }
    ns_outside_line_free(all);
    return true;
}

static void take_read(NsOutsideInput *input, const char *why)
{
    const NsOutsideLine *line = input->line;
    name_all(input);
    /* The bytes may end within the only line. */
    input->logged += why && line->step >= 0 && line->scalars[NS_OUTSIDE_LOSS].has;
    if (!line->passed_over && take_curves(input)) return;
    if (why) {
        input->sink.wrong(input->sink.data, why);
        return;
    }
    if (input->line->passed_over) return;
    input->logged++;
    input->sink.line(input->sink.data, &input->line);
}

static void read_object(NsOutsideInput *input, const char *text, size_t n)
{
    take_read(input, ns_outside_line_read(input->line, input->names, text, n));
}

/* ---- A document ---- */

static void end_object(NsOutsideInput *input)
{
    input->captured = 0;
    input->objects++;
    input->lines++;
    read_object(input, input->object->str, input->object->len);
    g_string_truncate(input->object, 0);
}

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
            if (input->depth == DEEPEST) return;
            input->brackets[input->depth++] = c;
            if (c == '{' && in_array && !input->captured) {
                input->captured = input->depth;
                to = input->object;
            }
        }
        if (to->len < NS_OUTSIDE_LINE_MAX) g_string_append_c(to, space ? ' ' : c);
        if (in_string || (c != '}' && c != ']') || !input->depth) continue;
        if (input->depth-- == input->captured) end_object(input);
        if (input->depth || input->objects) continue;
        input->lines++;
        read_object(input, input->outer->str, input->outer->len);
        g_string_truncate(input->outer, 0);
    }
}

/* ---- The formats ---- */

static void note(NsOutsideInput *input, const char *sentence)
{
    input->sink.note(input->sink.data, sentence);
}

static void begin_table(NsOutsideInput *input, NsOutsideTable *table)
{
    for (size_t i = 0; i < table->n; i++)
        if (table->names[i]) input->sink.name(input->sink.data, table->names[i]->raw);
    if (table->repeated) {
        g_autofree char *sentence =
            g_strdup_printf(_("Two columns are called “%s”; the first is read."), table->repeated);
        note(input, sentence);
    }
    if (table->guessed) note(input, _("The column “Value” is shown as the training loss."));
    if (table->lanes > NS_LANES_MAX) {
        g_autofree char *sentence = g_strdup_printf(
            _("The table has %zu runs; the first %d are shown."), table->lanes, NS_LANES_MAX);
        note(input, sentence);
    }
    ns_outside_table_free(input->table);
    input->table = table;
}

static void read_row(NsOutsideInput *input, const char *text)
{
    NsOutsideTable *table = input->table;
    if (ns_outside_table_is_head(table, text)) return;
    for (size_t lane = 1; lane <= CLAMP(table->lanes, 1, NS_LANES_MAX); lane++)
        take_read(input, ns_outside_line_read_row(input->line, table, lane, text));
    if (table->decimal_comma && !input->comma_noted)
        note(input, _("Its numbers have a decimal comma, which is read as a decimal point."));
    input->comma_noted |= table->decimal_comma;
}

static void read_text(NsOutsideInput *input, const char *text, size_t n)
{
    const char *python = strstr(text, "{'");
    if (python) {
        size_t size = n - (size_t)(python - text);
        if (!ns_outside_line_read(input->line, input->names, python, size)) {
            take_read(input, NULL);
            return;
        }
    }
    bool loss = ns_outside_line_read_text(input->line, input->names, text);
    const NsOutsideLine *line = input->line;
    if (loss && (line->step >= 0 || line->scalars[NS_OUTSIDE_EPOCH].has)) {
        input->of_text++;
        take_read(input, NULL);
    } else if (!input->of_text) {
        input->sink.wrong(input->sink.data, N_("it is not a JSON object"));
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

static void take_line(NsOutsideInput *input, char *text, size_t n)
{
    size_t blank = strspn(text, " \t\r");
    /* Comments before a table, and space that is reserved at the end of a file. */
    if ((!input->begun && text[blank] == '#') || (n && !*text)) {
        input->lines++;
        return;
    }
    if (!input->begun && blank < n) {
        input->begun = true;
        NsOutsideTable *table = NULL;
        if (begins_document(text + blank, n - blank)) {
            input->document = true;
            feed_document(input, text, n);
            return;
        }
        if (text[blank] != '{') table = ns_outside_table_new(input->names, text);
        if (table) {
            input->lines++;
            begin_table(input, table);
            return;
        }
        input->lines++;
        if (text[blank] == '{') {
            read_object(input, text, n);
            input->foreign = input->line->passed_over;
            return;
        }
        read_text(input, text, n);
        return;
    }
    input->lines++;
    if (input->table)
        read_row(input, text);
    else if (blank == n || text[blank] == '{')
        read_object(input, text, n);
    else
        read_text(input, text, n);
}

static void feed_lines(NsOutsideInput *input, const char *bytes, size_t n)
{
    const char *end = bytes + n;
    while (bytes < end) {
        if (input->document) {
            feed_document(input, bytes, (size_t)(end - bytes));
            return;
        }
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t size = (size_t)((newline ? newline : end) - bytes);
        if (!input->passing) g_string_append_len(input->text, bytes, (gssize)size);
        if (!input->passing && input->text->len > NS_OUTSIDE_LINE_MAX) {
            input->lines++;
            input->sink.wrong(input->sink.data, N_("it is longer than 16 MiB"));
            g_string_truncate(input->text, 0);
            input->passing = true;
        }
        if (newline) {
            GString *text = input->text;
            if (text->len && text->str[text->len - 1] == '\r')
                g_string_truncate(text, text->len - 1);
            if (!input->passing) take_line(input, text->str, text->len);
            g_string_truncate(text, 0);
            input->passing = false;
        }
        bytes += size + (newline != NULL);
    }
}

/* ---- Events ---- */

static void take_events(NsOutsideInput *input, bool last)
{
    const char *why = NULL;
    NsOutsideEventsNews news;
    while ((news = ns_outside_events_next(input->events, last, input->line, &why)) !=
           NS_OUTSIDE_EVENTS_NONE) {
        name_all(input);
        if (news == NS_OUTSIDE_EVENTS_WRONG)
            input->sink.wrong(input->sink.data, why);
        else
            input->sink.line(input->sink.data, &input->line);
    }
    if (ns_outside_events_are_counted(input->events))
        note(input, _("The log has no step; the order of its values is shown as the step."));
}

bool ns_outside_input_pause(NsOutsideInput *input)
{
    if (!input->events || !ns_outside_events_pause(input->events, input->line)) return false;
    name_all(input);
    input->sink.line(input->sink.data, &input->line);
    return true;
}

bool ns_outside_input_is_partial(const NsOutsideInput *input)
{
    return input->events && ns_outside_events_are_partial(input->events);
}

size_t ns_outside_input_take_zeros(NsOutsideInput *input)
{
    return input->events ? ns_outside_events_take_zeros(input->events) : 0;
}

/* ---- Bytes ---- */

static void feed_known(NsOutsideInput *input, const char *bytes, size_t n)
{
    if (!input->events) {
        feed_lines(input, bytes, n);
        return;
    }
    ns_outside_events_feed(input->events, bytes, n);
    take_events(input, false);
}

/* Detects the format from the first bytes, of which a byte order mark is none. */
static void begin(NsOutsideInput *input)
{
    GString *head = input->text;
    input->text = g_string_new(NULL);
    input->known = true;
    if (g_str_has_prefix(head->str, "\xEF\xBB\xBF")) g_string_erase(head, 0, 3);
    if (ns_outside_events_are(head->str, head->len))
        input->events = ns_outside_events_new(input->names, input->prefix);
    feed_known(input, head->str, head->len);
    g_string_free(head, TRUE);
}

static void feed_plain(NsOutsideInput *input, const char *bytes, size_t n)
{
    if (input->known) {
        feed_known(input, bytes, n);
        return;
    }
    g_string_append_len(input->text, bytes, (gssize)n);
    if (input->text->len >= NS_OUTSIDE_EVENTS_HEAD) begin(input);
}

/* Decompresses what has come; a program that writes the file has not written its end yet. */
static void feed_compressed(NsOutsideInput *input, const char *bytes, size_t n)
{
    g_autofree char *out = g_malloc(1 << 16);
    if (!input->damaged) g_byte_array_append(input->compressed, (const guint8 *)bytes, (guint)n);
    while (!input->damaged && input->compressed->len) {
        gsize got = 0, made = 0;
        g_autoptr(GError) error = NULL;
        GConverterResult result =
            g_converter_convert(input->gunzip, input->compressed->data, input->compressed->len, out,
                                1 << 16, G_CONVERTER_NO_FLAGS, &got, &made, &error);
        if (result == G_CONVERTER_ERROR) {
            if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT)) return;
            input->damaged = true;
            note(input, _("Its compressed data is damaged; what comes before that is shown."));
            return;
        }
        feed_plain(input, out, made);
        g_byte_array_remove_range(input->compressed, 0, (guint)got);
        if (result == G_CONVERTER_FINISHED) g_converter_reset(input->gunzip);
        if (!got && !made) return;
    }
}

void ns_outside_input_feed(NsOutsideInput *input, const char *bytes, size_t n)
{
    if (!input->known && !input->gunzip && !input->text->len && n > 2 &&
        memcmp(bytes, "\x1f\x8b", 2) == 0)
        input->gunzip = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
    (input->gunzip ? feed_compressed : feed_plain)(input, bytes, n);
}

void ns_outside_input_end(NsOutsideInput *input)
{
    if (!input->known) begin(input);
    if (input->events)
        take_events(input, true);
    else if (input->text->len)
        feed_lines(input, "\n", 1);
}
