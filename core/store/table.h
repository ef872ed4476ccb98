/* Tables from comma-separated values.  SPDX-License-Identifier: MIT
 *
 * Fields follow RFC 4180: a field in double quotes may contain separators, line breaks and doubled
 * quotes.  The first line names the columns.  The separator is the comma, semicolon or tab,
 * whichever is most frequent in the first line.  Empty lines, lines that begin with # and a
 * byte-order mark are skipped. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Larger files are refused. */
#define NS_TABLE_MAX ((size_t)64 << 20)

typedef struct NsTable NsTable;

/* Parses a text; `source` is its name in messages.  Returns NULL with NS_ERROR_TEXT, which names
 * the line, if the text is not UTF-8, has no columns, has a line whose number of cells differs from
 * the number of columns, or has an unclosed quote. */
NsTable *ns_table_new_from_text(const char *text, size_t bytes, const char *source, GError **error);

/* The same for a file; messages use its base name.  NS_ERROR_FILE if it cannot be read. */
NsTable *ns_table_new_from_file(const char *path, GError **error);
void ns_table_free(NsTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsTable, ns_table_free)

size_t ns_table_rows(const NsTable *table); /* without the line of names */
size_t ns_table_columns(const NsTable *table);
const char *ns_table_name(const NsTable *table, size_t column);

/* Finds the first column of this name.  NS_ERROR_USAGE if there is none; the message lists the
 * existing names, or the first of them if there are many. */
bool ns_table_find(const NsTable *table, const char *name, size_t *column, GError **error);

/* The text of a cell; "" if it is empty. */
const char *ns_table_cell(const NsTable *table, size_t row, size_t column);

/* Reads the number in a cell in the C locale, including NaN and infinities.  NS_ERROR_TEXT, with
 * line and column, if it is not a number. */
bool ns_table_number(const NsTable *table, size_t row, size_t column, double *number,
                     GError **error);
