/* Charts as files.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

typedef enum {
    NS_FORMAT_PDF,
    NS_FORMAT_SVG,
    NS_FORMAT_PNG,
    NS_FORMAT_CSV,
    NS_FORMAT_TEX, /* pgfplots with the data included */
    NS_FORMAT_GIF, /* of ns_export_film only */
    NS_FORMATS,
} NsFormat;

/* The file name extension of a format, without the dot: "pdf". */
const char *ns_format_ending(NsFormat format);

/* The format of a file name by its extension; otherwise NS_ERROR_USAGE with a list of all
 * formats. */
bool ns_format_from_path(const char *path, NsFormat *format, GError **error);

/* The path of one of several figures: "dir/runs.pdf" and "loss" give "dir/runs-loss.pdf".  Free
 * with g_free. */
char *ns_export_path(const char *path, const char *key);

typedef struct {
    NsFormat format;
    const NsStyle *style; /* its background may be transparent */
    double width, height; /* points (1/72 inch), of the whole sheet */
    size_t columns;       /* number of charts side by side; 0: one */
    bool proposed;        /* the height is a proposal: a drawing by itself gets the height that it
                           * needs */
    double dpi;           /* PNG and GIF */
    NsLegendPlace legend;
    char **remark; /* set by ns_export to a sentence if a legend is above a chart, since inside it
                    * would hide data, if parts of charts or names are left out, or if there is no
                    * space for the numbers at an axis; NULL: the last is NS_ERROR_USAGE */
    bool unnoted;  /* without notes */
    bool untitled; /* without titles and subtitles; only the letters of several charts, and
                    * the seed of one that shows one of several */
    const char *caption; /* a text at the foot of the sheet, which replaces the subtitles except for
                          * the names of runs; or NULL */
    const char *moment;  /* a text at the foot if there is no caption: "step 40 of 500"; or NULL */
    const char *experiment; /* the line of ns_provenance_line, stored in the file; or NULL */
} NsExport;

/* Whether a file can have the size of the options; NS_ERROR_USAGE. */
bool ns_export_check_size(const NsExport *options, GError **error);

/* Writes the plots as one figure, lettered (a), (b), ... if there are several.  CSV has every value
 * of every series in full precision.  The same input gives the same bytes.  On an error
 * (NS_ERROR_FILE, with the file and the reason) no new file remains, and an existing one is
 * unchanged. */
bool ns_export(const NsPlot *const *plots, size_t n, const NsExport *options, const char *path,
               GError **error);

/* The progress of a film for another thread, which can stop it.  All fields are accessed
 * atomically. */
typedef struct {
    int done, all, stop; /* in frames, each of which is processed twice: measured, then drawn */
} NsExportWatch;

/* The source of a film.  The plots of a frame are valid until the next frame is requested.  The
 * callback also sets caption or moment of the options. */
typedef struct {
    guint n; /* number of frames */
    const NsPlot *const *(*frame)(void *data, guint i, NsExport *options);
    void *data;
    NsExportWatch *watch; /* NULL: no progress is reported */
} NsFrames;

#define NS_FRAME_TIME 8 /* duration of a frame, in hundredths of a second */

/* Writes the plots of every frame as an animated GIF that repeats, with the same vertical axes and
 * colors in all frames; the last one stays for two more seconds.  Programs without animation show
 * the first.  With the format PNG only the last frame is written.  Errors are those of ns_export,
 * and G_IO_ERROR_CANCELLED without a file if the film was stopped. */
bool ns_export_film(const NsFrames *frames, size_t n, const NsExport *options, const char *path,
                    GError **error);

/* ---- Documents of several drawings ---- */

/* Frees the context, finishes and frees its surface, and returns the first error. */
cairo_status_t ns_end_drawing(cairo_t *cr, cairo_surface_t *surface);

/* Saves the bytes of a drawing that ended with `status`; NS_ERROR_FILE. */
bool ns_save_drawing(cairo_status_t status, const GByteArray *bytes, const char *path,
                     GError **error);

/* A surface in points of PDF version 1.4, which the strictest publishers require and whose metadata
 * is uncompressed, so that it can be read back. */
cairo_surface_t *ns_pdf_new(GByteArray *bytes, double width, double height);

/* Sets the metadata; keywords and subject may be NULL. */
void ns_pdf_describe(cairo_surface_t *surface, const char *title, const char *keywords,
                     const char *subject);
