/* Tables of comma-separated values.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/store/table.h"
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

static NsTable *read_text(const char *text)
{
    g_autoptr(GError) error = NULL;
    NsTable *table = ns_table_new_from_text(text, strlen(text), "t.csv", &error);
    g_assert_no_error(error);
    return table;
}

/* What a text is read as: columns, rows, and all cells joined by |. */
static void assert_read(const char *text, size_t columns, size_t rows, const char *cells)
{
    g_autoptr(NsTable) table = read_text(text);
    g_assert_cmpuint(ns_table_columns(table), ==, columns);
    g_assert_cmpuint(ns_table_rows(table), ==, rows);
    g_autoptr(GString) joined = g_string_new(NULL);
    for (size_t i = 0; i < columns; i++)
        g_string_append_printf(joined, "%s|", ns_table_name(table, i));
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < columns; i++)
            g_string_append_printf(joined, "%s|", ns_table_cell(table, row, i));
    g_assert_cmpstr(joined->str, ==, cells);
}

static void test_read(void)
{
    assert_read("a,b\n1,2\n", 2, 1, "a|b|1|2|");
    assert_read("a,b\n1,2", 2, 1, "a|b|1|2|");
    assert_read("a,b\r\n1,2\r\n", 2, 1, "a|b|1|2|");
    assert_read("\xEF\xBB\xBF"
                "a,b\n\n,\n",
                2, 1, "a|b|||");
    assert_read("# seen\n\r\na;b,c;d\n#x\n1;2;3\n#", 3, 1, "a|b,c|d|1|2|3|");
    assert_read("a\tb\n1,5\t2\n", 2, 1, "a|b|1,5|2|");
    assert_read("one\n1\n\n2\n", 1, 2, "one|1|2|");
    assert_read("a,b\n", 2, 0, "a|b|");
    assert_read("\"a,;;\",\"b \"\"q\"\"\"\n\"x\ny\",\"\"\n", 2, 1, "a,;;|b \"q\"|x\ny||");
    assert_read("ä,\xE2\x80\x96x\xE2\x80\x96\nü,\n", 2, 1, "ä|\xE2\x80\x96x\xE2\x80\x96|ü||");
}

static void assert_refused(const char *text, size_t bytes, const char *words)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_table_new_from_text(text, bytes, "t.csv", &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_TEXT);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, "t.csv"));
    g_assert_nonnull(strstr(error->message, words));
}

static void test_refused(void)
{
    assert_refused("", 0, "no table");
    assert_refused("# a\n\n", 5, "no table");
    assert_refused("a,b\n1\n", 6, "1 cell in line 2");
    assert_refused("a,b\n\n\"1\n\",2\n1,2,3", 17, "3 cells in line 5");
    assert_refused("a,b\n1,\"2\n3,4\n", 13, "quotation mark in line 2");
    assert_refused("a\n\xFF\n", 4, "line 2");
    assert_refused("a\0b", 3, "line 1");
}

static void test_numbers(void)
{
    g_autoptr(NsTable) table = read_text("x,y\n-1e3,NaN\ninf,1x\n0.5,\"1,5\"\n");
    g_autoptr(GError) error = NULL;
    double number;
    size_t column = 7;
    g_assert_true(ns_table_find(table, "y", &column, &error));
    g_assert_cmpuint(column, ==, 1);
    g_assert_true(ns_table_number(table, 0, 0, &number, &error));
    g_assert_cmpfloat(number, ==, -1000);
    g_assert_true(ns_table_number(table, 0, 1, &number, &error) && isnan(number));
    g_assert_true(ns_table_number(table, 1, 0, &number, &error) && isinf(number));
    for (size_t row = 1; row <= 2; row++) {
        g_assert_false(ns_table_number(table, row, 1, &number, &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_TEXT);
        g_autofree char *line = g_strdup_printf("line %zu", row + 2);
        g_assert_nonnull(strstr(error->message, line));
        g_clear_error(&error);
    }
    g_assert_false(ns_table_find(table, "z", &column, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
    g_assert_nonnull(strstr(error->message, "x, y"));
}

/* Neither many columns nor long cells make a sentence that nobody reads. */
static void test_short(void)
{
    g_autoptr(GString) text = g_string_new("c0");
    for (size_t i = 1; i < 500; i++) g_string_append_printf(text, ",c%zu", i);
    g_string_append_c(text, '\n');
    for (size_t i = 0; i < 500; i++) g_string_append(text, "ü");
    for (size_t i = 1; i < 500; i++) g_string_append(text, ",1");
    g_autoptr(NsTable) table = read_text(text->str);
    size_t column;
    g_autoptr(GError) error = NULL;
    g_assert_false(ns_table_find(table, "x", &column, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
    g_assert_nonnull(strstr(error->message, "c0, c1, "));
    g_assert_nonnull(strstr(error->message, "c11 or the 488 others."));
    g_assert_null(strstr(error->message, "c12"));
    g_clear_error(&error);

    double number;
    g_assert_false(ns_table_number(table, 0, 0, &number, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_TEXT);
    g_assert_cmpint(g_utf8_strlen(error->message, -1), <, 150);
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
}

static void test_file(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *missing = g_build_filename(folder, "a.csv", NULL);
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_table_new_from_file(missing, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
    g_clear_error(&error);
    g_autofree char *path = ns_test_folder_write(folder, "a.csv", "a\n1\n");
    g_autoptr(NsTable) table = ns_table_new_from_file(path, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(ns_table_cell(table, 0, 0), ==, "1");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/table/read", test_read);
    g_test_add_func("/table/refused", test_refused);
    g_test_add_func("/table/numbers", test_numbers);
    g_test_add_func("/table/short", test_short);
    g_test_add_func("/table/file", test_file);
    return g_test_run();
}
