/* Experiments read from files.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/provenance.h"
#include "core/store/preset.h"

typedef enum {
    NS_FILE_OTHER,  /* neither of the others, such as a text to train on */
    NS_FILE_FIGURE, /* PNG, GIF, SVG, PDF, CSV, TeX, a run file or the JSON lines of a run, with or
                     * without an experiment */
    NS_FILE_PRESET,
} NsFileKind;

/* Detects the kind of a file from its bytes.  The function sets *line to the experiment in a figure
 * (see core/experiment/provenance.h) or NULL; free it with g_free.  Safe for arbitrary bytes. */
NsFileKind ns_figure_file_find(const char *bytes, size_t size, char **line);

/* Reads the experiment of a figure, a run or a preset into an initialized provenance, and a preset
 * also into `preset` unless it is NULL.  `kind` may be NULL; otherwise it is set to the kind of the
 * file, also on failure.  For a file of kind OTHER the function returns false, without an error if
 * `kind` is given and the file may be a text, otherwise with NS_ERROR_FILE.  A file whose name ends
 * in ".preset" is always a preset.  Errors name the file. */
bool ns_figure_file_read(NsProvenance *provenance, NsPreset *preset, const char *path,
                         NsFileKind *kind, GError **error);

/* The reason why a file of another format, such as an archive, is not read, and what to do; NULL if
 * it is none.  `head`: its first n bytes. */
const char *ns_figure_file_foreign(const char *path, const char *head, size_t n);
