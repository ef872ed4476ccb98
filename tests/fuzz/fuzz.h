/* What the fuzz targets share.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/error.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool condition)
{
    if (!condition) abort();
}

/* An error of the program's own. */
static inline void require_error(const GError *error)
{
    require(error && error->domain == NS_ERROR && g_utf8_validate(error->message, -1, NULL));
}

/* The same, in a sentence for people. */
static inline void require_sentence(const GError *error)
{
    require_error(error);
    require(g_str_has_suffix(error->message, ".") || g_str_has_suffix(error->message, "?"));
}

static inline void fuzz_write(const char *path, const uint8_t *data, size_t size)
{
    require(g_file_set_contents_full(path, (const char *)data, (gssize)size,
                                     G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

static char *fuzz_folder; /* of the files of this program */

static inline void fuzz_remove_folder(void)
{
    g_autoptr(GDir) files = g_dir_open(fuzz_folder, 0, NULL);
    const char *name;
    while (files && (name = g_dir_read_name(files))) {
        g_autofree char *path = g_build_filename(fuzz_folder, name, NULL);
        g_remove(path);
    }
    g_rmdir(fuzz_folder);
}

/* The path of a file, which is removed when the program ends.  Free with g_free. */
static inline char *fuzz_path(const char *name)
{
    if (!fuzz_folder) {
        fuzz_folder = g_dir_make_tmp("normscope-fuzz-XXXXXX", NULL);
        require(fuzz_folder != NULL);
        atexit(fuzz_remove_folder);
    }
    return g_build_filename(fuzz_folder, name, NULL);
}
