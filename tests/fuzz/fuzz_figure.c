/* Any bytes as a figure.  SPDX-License-Identifier: MIT
 *
 * What is found in a file is refused with an error of the program's own, or is an experiment whose
 * line reads back to itself. */
#include "core/base/error.h"
#include "core/store/figure_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_error(const GError *error)
{
    require(error != NULL && error->domain == NS_ERROR);
    require(g_utf8_validate(error->message, -1, NULL));
    require(g_str_has_suffix(error->message, ".") || g_str_has_suffix(error->message, "?"));
}

static void check_line(const NsExperiment *experiment)
{
    g_auto(NsExperiment) again;
    ns_experiment_init(&again);
    g_autoptr(GError) error = NULL;
    g_autofree char *line = ns_experiment_line(experiment);
    require(strpbrk(line, "\r\n") == NULL);
    require(ns_experiment_read(&again, line, &error));
    g_autofree char *second = ns_experiment_line(&again);
    require(g_str_equal(line, second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *line = NULL;
    NsFileKind kind = ns_figure_file_find((const char *)data, size, &line);
    require(kind == NS_FILE_FIGURE || line == NULL);
    if (line == NULL) return 0;
    g_auto(NsExperiment) experiment;
    ns_experiment_init(&experiment);
    g_autoptr(GError) error = NULL;
    if (ns_experiment_read(&experiment, line, &error))
        check_line(&experiment);
    else
        check_error(error);
    return 0;
}
