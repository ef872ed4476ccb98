/* Charts as files.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

typedef enum {
    NS_FORMAT_PDF,
    NS_FORMAT_SVG,
    NS_FORMAT_PNG,
    NS_FORMAT_CSV,
    NS_FORMAT_TEX, /* pgfplots, with the data inside */
    NS_FORMATS,
} NsFormat;

/* The ending of a format's files, without the dot: "pdf". */
const char *ns_format_ending(NsFormat format);

/* The format that a file name's ending asks for; NS_ERROR_USAGE names them all if it is none of
 * them. */
bool ns_format_from_path(const char *path, NsFormat *format, GError **error);

/* "dir/runs.pdf" and "loss": "dir/runs-loss.pdf", the file of one of several figures.  Free with
 * g_free. */
char *ns_export_path(const char *path, const char *key);

typedef struct {
    NsFormat format;
    const NsStyle *style; /* its background may be transparent */
    double width, height; /* points (1/72 inch), of the whole sheet */
    size_t columns;       /* so many charts side by side; 0: one */
    bool proposed;        /* the height is: a drawing by itself has as much as it needs */
    double dpi;           /* PNG */
    NsLegendPlace legend;
    bool untitled;       /* charts without title and subtitle, but for their letters */
    const char *caption; /* a text at the foot of the sheet, in place of the subtitles but for the
                          * names of runs; or NULL */
    const char
        *moment; /* a text at the foot where there is no caption: "step 40 of 500"; or NULL */
    const char *experiment; /* the line of ns_provenance_line, kept inside the file; or NULL */
} NsExport;

/* Writes the plots as one figure, lettered (a), (b), ... where there is more than one.  CSV holds
 * every value of every series in full precision.  The same input gives the same bytes.  On an error
 * (NS_ERROR_FILE: which file and why) no file is left, and one that was there before is kept. */
bool ns_export(const NsPlot *const *plots, size_t n, const NsExport *options, const char *path,
               GError **error);

/* How far a film is, for another thread, which can stop it; all is read and set atomically. */
typedef struct {
    int done, all, stop; /* every frame is done three times: twice measured, then drawn */
} NsExportWatch;

/* What a film shows.  The plots of a frame are valid until the next one is asked for; it also sets
 * caption or moment of the options. */
typedef struct {
    guint n, rate; /* frames, and how many a second */
    const NsPlot *const *(*frame)(void *data, guint i, NsExport *options);
    void *data;
    NsExportWatch *watch; /* NULL: nobody waits */
} NsFrames;

/* The plots of every frame as an animated PNG, with the same vertical axes and colors in all of
 * them.  Where films are not known, its last frame is seen.  Errors as of ns_export, and
 * G_IO_ERROR_CANCELLED where it was stopped: then no file is written. */
bool ns_export_film(const NsFrames *frames, size_t n, const NsExport *options, const char *path,
                    GError **error);
