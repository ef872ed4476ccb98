/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "ui/figures/sheet.h"

/* Memory for fonts and the threads that search them; font libraries crash if it is missing. */
#define DRAWING_BYTES ((size_t)64 << 20)

#include <stdio.h>

void ns_picture_init(NsPicture *picture)
{
    *picture = (NsPicture){0};
    ns_export_choices_init(&picture->choices);
}

void ns_picture_clear(NsPicture *picture)
{
    for (size_t i = 0; i < NS_PICTURE_TEXTS; i++) g_free(picture->texts[i]);
}

void ns_picture_entries(NsPicture *picture, GArray *entries, const char *command)
{
    const NsChoice *choice;
    for (size_t i = 0; (choice = ns_export_choice(i)); i++) {
        g_assert(i < NS_PICTURE_TEXTS);
        /* Only charts over steps can be films. */
        if (g_str_equal(choice->key, "film") && !g_str_equal(command, "chart")) continue;
        const GOptionEntry entry = {
            choice->key,    0, 0, G_OPTION_ARG_STRING, &picture->texts[i], choice->purpose,
            choice->formula};
        g_array_append_val(entries, entry);
    }
}

bool ns_picture_unused(const NsPicture *picture, GError **error)
{
    for (size_t i = 0; ns_export_choice(i); i++) {
        if (!picture->texts[i]) continue;
        return ns_refuse(error, NS_ERROR_USAGE,
                         "--%s sets how a figure looks, but no figure is drawn without --out FILE.",
                         ns_export_choice(i)->key);
    }
    return true;
}

/* CSV has no appearance, only PNG and GIF have pixels, and GIF has no transparency. */
static bool has_effect(const NsPicture *picture, const char *key)
{
    if (picture->format == NS_FORMAT_CSV) return g_str_equal(key, "experiment");
    if (picture->format == NS_FORMAT_GIF) return !g_str_equal(key, "background");
    return picture->format == NS_FORMAT_PNG || !g_str_equal(key, "dpi");
}

bool ns_picture_understand(NsPicture *picture, GError **error)
{
    if (!picture->out) return ns_refuse(error, NS_ERROR_USAGE, "--out FILE is missing.");
    const NsChoice *choice;
    for (size_t i = 0; (choice = ns_export_choice(i)); i++)
        if (picture->texts[i] &&
            !ns_export_choices_set(&picture->choices, choice->key, picture->texts[i], error))
            return false;
    if (!ns_format_from_path(picture->out, &picture->format, error)) return false;
    if ((picture->choices.seconds > 0) != (picture->format == NS_FORMAT_GIF))
        return ns_refuse(error, NS_ERROR_USAGE,
                         "An animation needs both --film and an output file ending in .gif.");
    for (size_t i = 0; (choice = ns_export_choice(i)); i++)
        if (picture->texts[i] && !has_effect(picture, choice->key))
            fprintf(stderr, NS_CLI ": --%s changes nothing in a file “.%s”.\n", choice->key,
                    ns_format_ending(picture->format));
    return true;
}

char *ns_picture_path(const NsPicture *picture, const char *key)
{
    return key ? ns_export_path(picture->out, key) : g_strdup(picture->out);
}

/* Whether the limit of the address space leaves enough memory for drawing. */
static bool has_memory(GError **error)
{
    size_t left = MIN(ns_memory_left(NS_MEMORY_ADDRESS), ns_memory_left(NS_MEMORY_DATA));
    if (left >= DRAWING_BYTES) return true;
    g_autofree char *needs = g_format_size_full(DRAWING_BYTES, G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *has = g_format_size_full(left, G_FORMAT_SIZE_IEC_UNITS);
    return ns_refuse(error, NS_ERROR_MEMORY,
                     "Drawing needs %s of address space, but the limit (ulimit -v or -d) leaves "
                     "%s; raise the limit.",
                     needs, has);
}

bool ns_picture_check(const NsPicture *picture, const char *key, GError **error)
{
    g_autofree char *path = ns_picture_path(picture, key);
    return has_memory(error) && ns_output_check(path, error);
}

bool ns_picture_write(const NsPicture *picture, const NsPlot *const *plots, size_t n,
                      const NsProvenance *provenance, const char *key, GError **error)
{
    if (!has_memory(error)) return false;
    g_autofree char *path = ns_picture_path(picture, key);
    /* A figure that took a training is drawn in any case. */
    g_autofree char *remark = NULL;
    const NsSheetFile file = {&picture->choices, picture->format, provenance, path, NULL, &remark};
    bool written = ns_sheet_write(plots, n, &file, error);
    if (written && remark) fprintf(stderr, NS_CLI ": %s\n", remark);
    return written;
}
