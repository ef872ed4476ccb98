/* SPDX-License-Identifier: MIT */
#include "core/store/table.h"

#include "core/base/error.h"
#include "core/data/reader.h"

#include <string.h>

/* Limits for messages: characters of a quoted text, and names of columns. */
#define LONGEST_QUOTED 40
#define MOST_NAMED 12

/* The cells point into the text, in which quotes and separators have been overwritten. */
struct NsTable {
    char *source, *text;
    GPtrArray *cells; /* row by row; the names are the first row */
    GArray *lines;    /* size_t: the line in which each row begins */
    size_t columns;
};

/* A position in the text; lines count from 1. */
typedef struct {
    char *at, *end;
    size_t line;
} Cursor;

static char separator_of(const Cursor *cursor)
{
    static const char separators[] = {',', ';', '\t'};
    size_t count[G_N_ELEMENTS(separators)] = {0}, most = 0;
    bool quoted = false;
    for (const char *p = cursor->at; p < cursor->end && (quoted || *p != '\n'); p++) {
        if (*p == '"') quoted = !quoted;
        for (size_t i = 0; i < G_N_ELEMENTS(separators); i++)
            if (!quoted && *p == separators[i]) count[i]++;
    }
    for (size_t i = 1; i < G_N_ELEMENTS(separators); i++)
        if (count[i] > count[most]) most = i;
    return separators[most];
}

/* Copies quoted text, whose opening quote has been read, to *to and advances both. */
static bool take_quoted(const NsTable *table, Cursor *c, char **to, GError **error)
{
    size_t began = c->line;
    for (; c->at < c->end; c->at++) {
        if (*c->at == '"' && c->at[1] != '"') {
            c->at++;
            return true;
        }
        if (*c->at == '"') c->at++;
        if (*c->at == '\n') c->line++;
        *(*to)++ = *c->at;
    }
    return ns_refuse(error, NS_ERROR_TEXT,
                     "“%s” has an unclosed quotation mark in line %zu; close it, or double it "
                     "where it is part of the text.",
                     table->source, began);
}

/* Reads one cell and its separator; *last is set if it was the last cell of its line. */
static bool take_cell(NsTable *table, Cursor *c, char separator, bool *last, GError **error)
{
    char *cell = c->at, *to = cell;
    while (c->at < c->end && *c->at != separator && *c->at != '\n') {
        char next = *c->at++;
        if (next == '"') {
            if (!take_quoted(table, c, &to, error)) return false;
        } else if (next != '\r' || (c->at < c->end && *c->at != '\n'))
            *to++ = next;
    }
    *last = c->at == c->end || *c->at == '\n';
    if (c->at < c->end) {
        if (*last) c->line++;
        c->at++;
    }
    *to = '\0';
    g_ptr_array_add(table->cells, cell);
    return true;
}

static bool take_row(NsTable *table, Cursor *c, char separator, GError **error)
{
    size_t line = c->line, before = table->cells->len;
    for (bool last = false; !last;)
        if (!take_cell(table, c, separator, &last, error)) return false;
    size_t cells = table->cells->len - before;
    if (before == 0)
        table->columns = cells;
    else if (cells != table->columns) {
        return ns_refuse(
            error, NS_ERROR_TEXT,
            "“%s” has %zu %s in line %zu, but its first line names %zu; give every line as "
            "many.",
            table->source, cells, cells == 1 ? "cell" : "cells", line, table->columns);
    } else
        g_array_append_val(table->lines, line);
    return true;
}

/* Skips an empty line or a comment; returns whether there was one. */
static bool pass_line(Cursor *c)
{
    char *p = c->at;
    if (*p != '#') {
        if (p < c->end && *p == '\r') p++;
        if (p < c->end && *p != '\n') return false;
    }
    while (p < c->end && *p != '\n') p++;
    if (p < c->end) {
        p++;
        c->line++;
    }
    c->at = p;
    return true;
}

static bool take_table(NsTable *table, size_t bytes, GError **error)
{
    Cursor cursor = {.at = table->text, .end = table->text + bytes, .line = 1};
    cursor.at += ns_byte_order_mark(table->text, bytes);
    char separator = '\0';
    while (cursor.at < cursor.end) {
        if (pass_line(&cursor)) continue;
        if (!separator) separator = separator_of(&cursor);
        if (!take_row(table, &cursor, separator, error)) return false;
    }
    if (table->columns > 0) return true;
    return ns_refuse(error, NS_ERROR_TEXT,
                     "“%s” contains no table; its first line must name the columns.",
                     table->source);
}

NsTable *ns_table_new_from_text(const char *text, size_t bytes, const char *source, GError **error)
{
    const char *invalid = NULL;
    if (!g_utf8_validate_len(text, bytes, &invalid)) {
        size_t line = 1;
        for (const char *p = text; p < invalid; p++) line += *p == '\n';
        g_set_error(error, NS_ERROR, NS_ERROR_TEXT,
                    "“%s” is not UTF-8 text (line %zu); save it as UTF-8.", source, line);
        return NULL;
    }
    g_autoptr(NsTable) table = g_new0(NsTable, 1);
    table->source = g_strdup(source);
    table->text = g_malloc(bytes + 1);
    memcpy(table->text, text, bytes);
    table->text[bytes] = '\0';
    table->cells = g_ptr_array_new();
    table->lines = g_array_new(FALSE, FALSE, sizeof(size_t));
    return take_table(table, bytes, error) ? g_steal_pointer(&table) : NULL;
}

NsTable *ns_table_new_from_file(const char *path, GError **error)
{
    size_t bytes = 0;
    g_autofree char *text = ns_read_file(path, NS_TABLE_MAX, &bytes, error);
    if (!text) return NULL;
    g_autofree char *name = g_filename_display_basename(path);
    return ns_table_new_from_text(text, bytes, name, error);
}

void ns_table_free(NsTable *table)
{
    if (!table) return;
    g_free(table->source);
    g_free(table->text);
    g_ptr_array_unref(table->cells);
    g_array_unref(table->lines);
    g_free(table);
}

size_t ns_table_rows(const NsTable *table)
{
    return table->lines->len;
}

size_t ns_table_columns(const NsTable *table)
{
    return table->columns;
}

const char *ns_table_name(const NsTable *table, size_t column)
{
    return g_ptr_array_index(table->cells, column);
}

/* A text of the file, shortened for a message. */
static char *in_short(const char *text)
{
    if (g_utf8_strlen(text, -1) <= LONGEST_QUOTED) return g_strdup(text);
    g_autofree char *begin = g_utf8_substring(text, 0, LONGEST_QUOTED);
    return g_strconcat(begin, "…", NULL);
}

static char *column_names(const NsTable *table)
{
    GString *names = g_string_new(NULL);
    for (size_t i = 0; i < MIN(table->columns, MOST_NAMED); i++) {
        g_autofree char *name = in_short(ns_table_name(table, i));
        g_string_append_printf(names, "%s%s", i ? ", " : "", name);
    }
    if (table->columns > MOST_NAMED)
        g_string_append_printf(names, " or the %zu others", table->columns - MOST_NAMED);
    return g_string_free(names, FALSE);
}

bool ns_table_find(const NsTable *table, const char *name, size_t *column, GError **error)
{
    for (*column = 0; *column < table->columns; ++*column)
        if (g_str_equal(ns_table_name(table, *column), name)) return true;
    g_autofree char *names = column_names(table);
    return ns_refuse(error, NS_ERROR_USAGE, "“%s” has no column “%s”; choose one of %s.",
                     table->source, name, names);
}

const char *ns_table_cell(const NsTable *table, size_t row, size_t column)
{
    return g_ptr_array_index(table->cells, (row + 1) * table->columns + column);
}

bool ns_table_number(const NsTable *table, size_t row, size_t column, double *number,
                     GError **error)
{
    const char *cell = ns_table_cell(table, row, column);
    char *end = NULL;
    *number = g_ascii_strtod(cell, &end);
    if (end > cell && *end == '\0') return true;
    g_autofree char *quoted = in_short(cell), *name = in_short(ns_table_name(table, column));
    return ns_refuse(error, NS_ERROR_TEXT,
                     "“%s” has “%s” in line %zu where the column “%s” needs a number%s.",
                     table->source, quoted, g_array_index(table->lines, size_t, row), name,
                     end > cell && *end == ',' ? ", with a point for the comma" : "");
}
