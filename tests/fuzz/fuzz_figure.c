/* Any bytes as a figure.  SPDX-License-Identifier: MIT
 *
 * What is found in a file is refused with an error of the program's own, or is an experiment whose
 * line reads back to itself. */
#include "core/store/figure_file.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_line(const NsProvenance *provenance)
{
    g_auto(NsProvenance) again;
    ns_provenance_init(&again);
    g_autoptr(GError) error = NULL;
    g_autofree char *line = ns_provenance_line(provenance);
    require(strpbrk(line, "\r\n") == NULL);
    require(ns_provenance_read(&again, line, &error));
    g_autofree char *second = ns_provenance_line(&again);
    require(g_str_equal(line, second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *line = NULL;
    NsFileKind kind = ns_figure_file_find((const char *)data, size, &line);
    require(kind == NS_FILE_FIGURE || line == NULL);
    if (line == NULL) return 0;
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    g_autoptr(GError) error = NULL;
    if (ns_provenance_read(&provenance, line, &error))
        check_line(&provenance);
    else
        require_sentence(error);
    return 0;
}
