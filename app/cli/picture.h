/* The file that a chart is written to: its options on the command line.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/cli.h"
#include "ui/plot/export_choices.h"

#define NS_PICTURE_TEXTS 12 /* as many as there are rows of ns_export_choice */

/* The options as they were given, and what they mean. */
typedef struct {
    char *out;
    char *texts[NS_PICTURE_TEXTS]; /* of the choices, in their order */
    NsExportChoices choices;
    NsFormat format;
} NsPicture;

void ns_picture_init(NsPicture *picture);
void ns_picture_clear(NsPicture *picture);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPicture, ns_picture_clear)

/* The GOptionEntry of a command: its own n, then --out and every choice but for those with names in
 * `without` (ends with NULL; NULL for none). */
GArray *ns_picture_entries(NsPicture *picture, const GOptionEntry *own, size_t n,
                           const char *const *without);

/* Finds every mistake in the options.  FALSE with NS_ERROR_USAGE.  Says on stderr which of them
 * change nothing in a file of its format.  Touches no file. */
bool ns_picture_understand(NsPicture *picture, GError **error);

/* FALSE with NS_ERROR_USAGE where a choice is given, though nothing is to be drawn without --out.
 */
bool ns_picture_unused(const NsPicture *picture, GError **error);

/* FALSE where ns_picture_write with this key could not make its file, NS_ERROR_FILE, or would write
 * over `input` (NULL: none), NS_ERROR_USAGE, or where there is no memory to draw with,
 * NS_ERROR_MEMORY.  Touches no file. */
bool ns_picture_check(const NsPicture *picture, const char *key, const char *input, GError **error);

/* The file of `key` (ns_export_path), or the only one.  Free with g_free. */
char *ns_picture_path(const NsPicture *picture, const char *key);

/* Writes the charts as one figure; to the file of `key` (ns_export_path) where that is given.  The
 * experiment is kept inside and told in the caption as far as the options say so; NULL for none. */
bool ns_picture_write(const NsPicture *picture, const NsPlot *const *plots, size_t n,
                      const NsProvenance *provenance, const char *key, GError **error);
