/* The output file of a chart and its command-line options. SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/provenance.h"
#include "ui/plot/export_choices.h"

#define NS_PICTURE_TEXTS 13 /* at least the number of rows of ns_export_choice */

/* The options as given, and their parsed values. */
typedef struct {
    const char *out;               /* borrowed */
    char *texts[NS_PICTURE_TEXTS]; /* values of the export options, in the order of
                                      ns_export_choice */
    NsExportChoices choices;
    NsFormat format;
} NsPicture;

void ns_picture_init(NsPicture *picture);
void ns_picture_clear(NsPicture *picture);

/* Appends a GOptionEntry for each export option that a command takes. */
void ns_picture_entries(NsPicture *picture, GArray *entries, const char *command);

/* Parses and checks all options.  FALSE with NS_ERROR_USAGE.  Prints on stderr which options have
 * no effect in a file of this format.  Touches no file. */
bool ns_picture_understand(NsPicture *picture, GError **error);

/* FALSE with NS_ERROR_USAGE if an export option is given although no figure is drawn without
 * --out. */
bool ns_picture_unused(const NsPicture *picture, GError **error);

/* FALSE if ns_picture_write with this key could not create its file (NS_ERROR_FILE), or has too
 * little memory for drawing (NS_ERROR_MEMORY).  Touches no file. */
bool ns_picture_check(const NsPicture *picture, const char *key, GError **error);

/* The path for `key` (ns_export_path), or --out itself if key is NULL.  Free with g_free. */
char *ns_picture_path(const NsPicture *picture, const char *key);

/* Writes the charts as one figure, to the path for `key`.  The experiment is stored in the file and
 * described in the caption if the options ask for it; provenance may be NULL. */
bool ns_picture_write(const NsPicture *picture, const NsPlot *const *plots, size_t n,
                      const NsProvenance *provenance, const char *key, GError **error);
