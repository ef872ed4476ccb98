/* SPDX-License-Identifier: MIT */
#include "core/store/run_list.h"

#include "core/base/error.h"
#include "core/base/words.h"

#include <glib/gstdio.h>
#include <math.h>

const char *const ns_run_beside[NS_RUN_BESIDE] = {"-wal", "-shm"};

static int compare_names(const void *a, const void *b)
{
    return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *ns_run_list(const char *folder, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    if (!dir) {
        g_autofree char *shown = g_filename_display_name(folder);
        ns_refuse(error, NS_ERROR_FILE,
                  N_("“%s” is not a readable folder; check the path and its permissions."), shown);
        return NULL;
    }
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const char *name;
    while ((name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, NS_RUN_SUFFIX)) g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, compare_names);
    return names;
}

static guint64 bytes_at(const char *path)
{
    GStatBuf file;
    return g_stat(path, &file) == 0 ? (guint64)file.st_size : 0;
}

guint64 ns_run_bytes(const char *path)
{
    guint64 bytes = bytes_at(path);
    for (size_t i = 0; i < NS_RUN_BESIDE; i++) {
        g_autofree char *other = g_strconcat(path, ns_run_beside[i], NULL);
        bytes += bytes_at(other);
    }
    return bytes;
}

bool ns_run_last_loss(NsRunReader *reader, size_t lane, double *loss, GError **error)
{
    NsStep step = {.loss = (double)NAN};
    int64_t newest = ns_run_reader_lane(reader, lane, 0).last;
    if (!ns_run_reader_steps((NsRecorded){reader, lane, 0}, newest, 1, &step, error)) return false;
    *loss = step.loss;
    return true;
}
