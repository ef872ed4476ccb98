/* Tables from comma-separated values.  SPDX-License-Identifier: MIT
 *
 * Fields as in RFC 4180: a field in double quotes may hold separators, line breaks and, doubled,
 * quotes.  The first line names the columns.  Whichever of comma, semicolon and tab it holds most
 * often separates.  Empty lines and lines that begin with # are passed over, and so is a leading
 * byte-order mark. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Larger files are refused. */
#define NS_TABLE_MAX ((size_t)64 << 20)

typedef struct NsTable NsTable;

/* `source` names it in messages.  NULL with NS_ERROR_TEXT: not UTF-8, no columns, a line with more
 * or fewer cells than there are columns, or a quote that does not end; says in which line. */
NsTable *ns_table_new_from_text(const char *text, size_t bytes, const char *source, GError **error);

/* The same from a file, named by its base name; NS_ERROR_FILE where it cannot be read. */
NsTable *ns_table_new_from_file(const char *path, GError **error);
void ns_table_free(NsTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsTable, ns_table_free)

size_t ns_table_rows(const NsTable *table); /* the line of names is none */
size_t ns_table_columns(const NsTable *table);
const char *ns_table_name(const NsTable *table, size_t column);

/* The first column of this name; NS_ERROR_USAGE, with the names that there are, or the
 * first of many, without one. */
bool ns_table_find(const NsTable *table, const char *name, size_t *column, GError **error);

/* The text of a cell, "" where it is empty. */
const char *ns_table_cell(const NsTable *table, size_t row, size_t column);

/* The number in a cell that is not empty, in the C locale, NaN and infinities too.  NS_ERROR_TEXT,
 * with its line and column, where it is none. */
bool ns_table_number(const NsTable *table, size_t row, size_t column, double *number,
                     GError **error);
