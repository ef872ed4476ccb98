/* Experiments out of files.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/provenance.h"
#include "core/store/preset.h"

typedef enum {
    NS_FILE_OTHER,  /* neither, such as a text to learn */
    NS_FILE_FIGURE, /* PNG, SVG, PDF, CSV, TeX, a run file or the JSON lines of a run; whether it
                     * holds an experiment or not */
    NS_FILE_PRESET,
} NsFileKind;

/* What the bytes of a file are.  *line is the experiment (core/experiment/provenance.h) that a
 * figure holds, else NULL; free it with g_free.  Reads within the bytes whatever they are. */
NsFileKind ns_figure_file_find(const char *bytes, size_t size, char **line);

/* Reads the experiment of a figure, a run or a preset into one that is initialized, and a preset
 * into another, where one is given, as well.  Where `kind` is given it tells what the file is, also
 * when it cannot be used; a file that is neither is OTHER without an error if `kind` is given, else
 * NS_ERROR_FILE.  A file whose name ends in ".preset" is one.  Errors name the file. */
bool ns_figure_file_read(NsProvenance *provenance, NsPreset *preset, const char *path,
                         NsFileKind *kind, GError **error);
