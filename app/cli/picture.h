/* The file that a chart is written to: its options on the command line.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/cli.h"
#include "ui/plot/export.h"

/* The options as they were given, and what they mean.  Begins with .dpi = 300. */
typedef struct {
    char *out, *style, *size;
    gint dpi;
    NsExport export;
} NsPicture;

/* Rows for the GOptionEntry array of a command. */
#define NS_PICTURE_ENTRIES(picture)                                                                \
    {"out",                                                                                        \
     'o',                                                                                          \
     0,                                                                                            \
     G_OPTION_ARG_FILENAME,                                                                        \
     &(picture)->out,                                                                              \
     "The file; its ending png, svg, pdf or csv says the format",                                  \
     "FILE"},                                                                                      \
        {"style",                                                                                  \
         0,                                                                                        \
         0,                                                                                        \
         G_OPTION_ARG_STRING,                                                                      \
         &(picture)->style,                                                                        \
         "Of “" NS_CLI " list styles” (default: paper; slide for that size)",                      \
         "KEY"},                                                                                   \
        {"size",                                                                                   \
         0,                                                                                        \
         0,                                                                                        \
         G_OPTION_ARG_STRING,                                                                      \
         &(picture)->size,                                                                         \
         "column, text, wide, slide, or points as 400x300 (default: column; wide for several "     \
         "charts)",                                                                                \
         "SIZE"},                                                                                  \
    {                                                                                              \
        "dpi", 0, 0, G_OPTION_ARG_INT, &(picture)->dpi, "Pixels per inch of a PNG (default: 300)", \
            "N"                                                                                    \
    }

/* Fills in `export`, where a picture of several charts is wide by itself.  FALSE with
 * NS_ERROR_USAGE or, where no file could be made there, NS_ERROR_FILE.  Touches no file. */
bool ns_picture_understand(NsPicture *picture, bool several, GError **error);

/* Writes the charts, `columns` side by side, with the settings (or NULL) kept in the file. */
bool ns_picture_write(NsPicture *picture, const NsPlot *const *plots, size_t n, size_t columns,
                      const char *settings, GError **error);

void ns_picture_clear(NsPicture *picture);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPicture, ns_picture_clear)
