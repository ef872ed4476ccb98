/* Experiments read from files.  SPDX-License-Identifier: MIT
 *
 * No format is parsed completely.  Each has one place where the line of an experiment can be, and
 * other places are not searched.  PNG: a tEXt or iTXt chunk "Experiment".  GIF: the first
 * comment.  SVG: <metadata>.  PDF: the Keywords of the document information.  CSV: a field
 * of the first row.  TeX: a comment.  The JSON lines of a run begin with its settings. */
#include "core/store/figure_file.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/json_object.h"
#include "core/data/reader.h"
#include "core/store/database.h"
#include "core/store/run_lines.h"
#include "core/store/run_reader.h"

#include <string.h>

#define KEYWORD "Experiment"
#define LONGEST_LINE 65536u

/* Larger files are not read as figures. */
#define LARGEST ((size_t)256 << 20)

static const char png_signature[] = "\x89PNG\r\n\x1a\n";

typedef struct {
    const char *at, *end;
} Bytes;

static bool begins(Bytes bytes, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(bytes.end - bytes.at) >= n && memcmp(bytes.at, text, n) == 0;
}

/* The bytes after the first occurrence of the text; empty if there is none. */
static Bytes after(Bytes bytes, const char *text)
{
    const char *found = memmem(bytes.at, (size_t)(bytes.end - bytes.at), text, strlen(text));
    return (Bytes){found ? found + strlen(text) : bytes.end, bytes.end};
}

/* The bytes before the first of any of the characters; all of them if there is none. */
static Bytes until(Bytes bytes, const char *characters)
{
    const char *p = bytes.at;
    while (p < bytes.end && !strchr(characters, *p)) p++;
    return (Bytes){bytes.at, p};
}

/* A copy of the bytes if they may be the line of an experiment, otherwise NULL. */
static char *line_of(Bytes bytes)
{
    size_t size = (size_t)(bytes.end - bytes.at);
    if (!begins(bytes, NS_PROVENANCE_BEGIN) || size > LONGEST_LINE ||
        !g_utf8_validate(bytes.at, (gssize)size, NULL))
        return NULL;
    return g_strndup(bytes.at, size);
}

static char *find_in_png(Bytes png)
{
    const char *p = png.at + strlen(png_signature);
    while (png.end - p >= 12) {
        guint32 big;
        memcpy(&big, p, sizeof big);
        size_t size = GUINT32_FROM_BE(big);
        if (size > (size_t)(png.end - p) - 12) return NULL;
        Bytes data = {p + 8, p + 8 + size};
        bool latin = memcmp(p + 4, "tEXt", 4) == 0, text = latin || memcmp(p + 4, "iTXt", 4) == 0;
        /* The keyword ends with a zero byte; in iTXt four more follow: not compressed, no language
         * and no translation of the keyword. */
        size_t head = sizeof KEYWORD + (latin ? 0 : 4);
        if (text && size > head && memcmp(data.at, KEYWORD "\0\0\0\0", head) == 0)
            return line_of((Bytes){data.at + head, data.end});
        p = data.end + 4;
    }
    return NULL;
}

/* The first comment, in blocks of up to 255 bytes that end with an empty one: GIF89a, section 24.
 */
static char *find_in_gif(Bytes gif)
{
    g_autoptr(GString) text = g_string_new(NULL);
    Bytes rest = after(gif, "!\xfe");
    while (rest.at < rest.end && *rest.at && text->len <= LONGEST_LINE) {
        ptrdiff_t size = (guint8)*rest.at++;
        if (size > rest.end - rest.at) return NULL;
        g_string_append_len(text, rest.at, size);
        rest.at += size;
    }
    return rest.at < rest.end ? line_of((Bytes){text->str, text->str + text->len}) : NULL;
}

static char *find_in_svg(Bytes svg)
{
    static const struct {
        const char *entity, *character;
    } entities[] = {{"&lt;", "<"},   {"&gt;", ">"},    {"&quot;", "\""},
                    {"&apos;", "'"}, {"&#39;", "'"},   {"&#34;", "\""},
                    {"&#x27;", "'"}, {"&#x22;", "\""}, {"&amp;", "&"}};
    Bytes inside = after(svg, "<metadata");
    const char *found = memmem(inside.at, (size_t)(inside.end - inside.at), NS_PROVENANCE_BEGIN,
                               strlen(NS_PROVENANCE_BEGIN));
    if (!found) return NULL;
    g_autofree char *raw = line_of(until((Bytes){found, inside.end}, "<"));
    if (!raw) return NULL;
    GString *line = g_string_new(g_strstrip(raw));
    /* The ampersand is replaced last: "&amp;lt;" means the text "&lt;". */
    for (size_t i = 0; i < G_N_ELEMENTS(entities); i++)
        g_string_replace(line, entities[i].entity, entities[i].character, 0);
    return g_string_free(line, FALSE);
}

/* A literal string, such as "(a \(b\) \\ \050)": PDF 32000-1, 7.3.4.2. */
static char *literal_string(Bytes pdf)
{
    g_autoptr(GString) out = g_string_new(NULL);
    int depth = 1;
    for (const char *p = pdf.at; p < pdf.end && out->len <= LONGEST_LINE; p++) {
        if (*p == '\\' && p + 1 < pdf.end) {
            p++;
            int code = 0, digits = 0;
            while (digits < 3 && p + digits < pdf.end && p[digits] >= '0' && p[digits] <= '7')
                code = 8 * code + p[digits++] - '0';
            if (digits) p += digits - 1;
            g_string_append_c(out, digits ? (char)code : *p);
            continue;
        }
        depth += (*p == '(') - (*p == ')');
        if (!depth) return line_of((Bytes){out->str, out->str + out->len});
        g_string_append_c(out, *p);
    }
    return NULL;
}

/* A hexadecimal string, such as "<FEFF006E...>", in big-endian UTF-16. */
static char *hex_string(Bytes pdf)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    int half = -1;
    for (const char *p = pdf.at; p < pdf.end && *p != '>' && bytes->len <= 4 * LONGEST_LINE; p++) {
        int digit = g_ascii_xdigit_value(*p);
        if (digit < 0) continue;
        if (half >= 0) g_string_append_c(bytes, (char)(16 * half + digit));
        half = half < 0 ? digit : -1;
    }
    if (bytes->len < 2 || memcmp(bytes->str, "\xfe\xff", 2) != 0) return NULL;
    gsize size = 0;
    g_autofree char *text =
        g_convert(bytes->str + 2, (gssize)bytes->len - 2, "UTF-8", "UTF-16BE", NULL, &size, NULL);
    return text ? line_of((Bytes){text, text + size}) : NULL;
}

static char *find_in_pdf(Bytes pdf)
{
    for (Bytes rest = after(pdf, "/Keywords"); rest.at < rest.end;
         rest = after(rest, "/Keywords")) {
        const char *p = rest.at;
        while (p < rest.end && g_ascii_isspace(*p)) p++;
        if (p == rest.end) return NULL;
        Bytes inside = {p + 1, rest.end};
        char *line = *p == '(' ? literal_string(inside) : *p == '<' ? hex_string(inside) : NULL;
        if (line) return line;
    }
    return NULL;
}

/* The field may be quoted or not: RFC 4180. */
static char *find_in_csv(Bytes csv)
{
    Bytes row = until(after(csv, "\n"), "\n");
    /* A quoted field may contain newlines, but the line of an experiment never does. */
    const char *found = memmem(row.at, (size_t)(row.end - row.at), NS_PROVENANCE_BEGIN,
                               strlen(NS_PROVENANCE_BEGIN));
    if (!found) return NULL;
    if (found == row.at || found[-1] != '"') return line_of(until((Bytes){found, row.end}, ",\r"));
    g_autoptr(GString) field = g_string_new(NULL);
    for (const char *p = found; p < row.end; p++) {
        if (*p == '"' && !(p + 1 < row.end && p[1] == '"'))
            return line_of((Bytes){field->str, field->str + field->len});
        p += *p == '"';
        g_string_append_c(field, *p);
    }
    return NULL;
}

NsFileKind ns_figure_file_find(const char *bytes, size_t size, char **line)
{
    Bytes all = {bytes, bytes + size};
    all.at += ns_byte_order_mark(bytes, size);
    Bytes head = {bytes, bytes + MIN(size, 1024)};
    *line = NULL;
    if (begins(all, png_signature)) {
        *line = find_in_png(all);
    } else if (begins(all, "GIF8")) {
        *line = find_in_gif(all);
    } else if (begins(all, "%PDF-")) {
        *line = find_in_pdf(all);
    } else if (begins(all, "<svg") || (begins(all, "<?xml") && after(head, "<svg").at < head.end)) {
        *line = find_in_svg(all);
    } else if (begins(all, "figure,")) {
        *line = find_in_csv(all);
    } else if (begins(all, "% " NS_PROVENANCE_BEGIN)) {
        *line = line_of(until((Bytes){bytes + 2, all.end}, "\r\n"));
    } else if (ns_run_lines_are(bytes, size)) {
        *line = ns_run_lines_provenance(bytes, size);
    } else if (ns_preset_is(bytes, size)) {
        return NS_FILE_PRESET;
    } else {
        return NS_FILE_OTHER;
    }
    return NS_FILE_FIGURE;
}

const char *ns_figure_file_foreign(const char *path, const char *head, size_t n)
{
    /* The beginning of a file, or the end of its name */
    static const struct {
        const char *marks[8], *why;
    } formats[] = {
        {{"\x28\xb5\x2f\xfd", "BZh", "\xFD\x37zXZ"},
         N_("it is compressed; decompress it first, as only gzip is read directly")},
        {{"PK\x03\x04", ".tar", ".tgz", ".tar.gz"},
         N_("it is an archive or a spreadsheet; extract the log, or save the table as CSV")},
        {{"PAR1", "ARROW1", "\x89HDF", "\x93NUMPY", "\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"},
         N_("it is a binary table; save it as CSV, with “to_csv” of pandas")},
        {{".ipynb", ".html", ".htm"},
         N_("it is a notebook or a web page; copy the lines or the table of the run into a text "
            "file")},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(formats[i].marks) && formats[i].marks[k]; k++) {
            const char *mark = formats[i].marks[k];
            if (g_str_has_suffix(path, mark) ||
                (n >= strlen(mark) && !memcmp(head, mark, strlen(mark))))
                return formats[i].why;
        }
    return NULL;
}

static bool nothing_in(const char *name, NsFileKind kind, const char *foreign, GError **error)
{
    if (foreign)
        return ns_refuse(error, NS_ERROR_FILE, N_("The file “%s” cannot be read: %s."), name,
                         _(foreign));
    if (kind == NS_FILE_FIGURE)
        return ns_refuse(error, NS_ERROR_FILE,
                         N_("“%s” contains no experiment: choose a figure that Normscope exported "
                            "with its experiment embedded."),
                         name);
    return ns_refuse(
        error, NS_ERROR_FILE,
        N_("“%s” is neither a figure, a run nor a preset: choose a PNG, GIF, SVG, PDF, CSV or TeX "
           "file with an embedded experiment, the JSON lines of a run, or lines of “key = value”."),
        name);
}

bool ns_figure_file_read(NsProvenance *provenance, NsPreset *preset, const char *path,
                         NsFileKind *kind, GError **error)
{
    size_t size;
    NsFileKind found = NS_FILE_OTHER;
    if (kind) *kind = found;
    if (ns_run_file_is(path)) {
        if (kind) *kind = NS_FILE_FIGURE;
        return ns_run_file_read_provenance(provenance, path, error);
    }
    g_autofree char *name = g_filename_display_basename(path), *line = NULL;
    if (ns_database_is_there(path))
        return ns_refuse(error, NS_ERROR_FILE,
                         N_("“%s” is a database, but not a run; choose a run, a figure or a "
                            "preset."),
                         name);
    g_autofree char *bytes = ns_read_file(path, LARGEST, &size, error);
    if (!bytes) return false;
    found = ns_figure_file_find(bytes, size, &line);
    /* A file named "*.preset" is never taken for a training text, so that its mistake is
     * reported. */
    if (found == NS_FILE_OTHER && g_str_has_suffix(path, ".preset")) found = NS_FILE_PRESET;
    if (kind) *kind = found;
    const char *foreign = size ? ns_figure_file_foreign(path, bytes, size) : N_("it is empty");
    /* A page or a notebook may be a text to train on. */
    if (kind && found == NS_FILE_OTHER && size &&
        (!foreign || g_utf8_validate_len(bytes, size, NULL)))
        return false;
    /* The mistake in a preset is reported also if the caller accepts nothing but experiments. */
    if (found == NS_FILE_PRESET || (found == NS_FILE_OTHER && ns_preset_begins(bytes, size))) {
        g_auto(NsPreset) read = {0};
        ns_experiment_set_lanes(&read.experiment,
                                (const NsSettings *[]){&provenance->experiment.lane[0]}, 1);
        if (!ns_preset_load(&read, path, error)) return false;
        ns_experiment_assign(&provenance->experiment, &read.experiment);
        if (!preset) return true;
        ns_preset_clear(preset);
        *preset = read;
        read = (NsPreset){0};
        return true;
    }
    bool lines = found == NS_FILE_OTHER && !foreign && g_str_has_suffix(path, ".jsonl");
    size_t number = 1;
    for (const char *at = bytes, *end; lines && at < bytes + size; at = end + 1, number++) {
        end = memchr(at, '\n', (size_t)(bytes + size - at));
        if (!end) end = bytes + size;
        g_autoptr(JsonNode) node = ns_json_parse(at, (size_t)(end - at));
        if (node || end == at) continue;
        return ns_refuse(error, NS_ERROR_FILE,
                         N_("“%s” is not a file of JSON lines: line %zu is not a JSON object."),
                         name, number);
    }
    if (!line) return nothing_in(name, found, foreign, error);
    g_autoptr(GError) wrong = NULL;
    if (ns_provenance_read(provenance, line, &wrong)) return true;
    return ns_refuse(error, NS_ERROR_SETTING, "“%s”: %s", name, wrong->message);
}
