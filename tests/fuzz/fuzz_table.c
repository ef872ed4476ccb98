/* Any bytes as a table.  SPDX-License-Identifier: MIT
 *
 * A table is refused with an error of the program's own, or every one of its cells can be read. */
#include "core/store/table.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsTable) table = ns_table_new_from_text((const char *)data, size, "fuzz", &error);
    if (!table) {
        require_error(error);
        return 0;
    }
    size_t bytes = 0, column;
    double number;
    for (size_t i = 0; i < ns_table_columns(table); i++) {
        bytes += strlen(ns_table_name(table, i));
        require(ns_table_find(table, ns_table_name(table, i), &column, NULL) && column <= i);
        for (size_t row = 0; row < ns_table_rows(table); row++) {
            bytes += strlen(ns_table_cell(table, row, i));
            ns_table_number(table, row, i, &number, NULL);
        }
    }
    require(bytes <= size);
    return 0;
}
