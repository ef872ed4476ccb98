/* SPDX-License-Identifier: MIT */
#include "tests/unit/support.h"

#include "core/experiment/param.h"

#include <glib/gstdio.h>
#include <string.h>

void ns_test_small_settings(NsSettings *settings)
{
    ns_settings_init(settings);
    settings->layers = 2;
    settings->d_model = 8;
    settings->heads = 2;
    settings->seq = 5;
    settings->batch = 3;
    settings->threads = 1;
}

JsonNode *ns_test_parse(const char *line)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(strchr(line, '\n'));
    JsonNode *node = json_from_string(line, &error);
    g_assert_no_error(error);
    g_assert_nonnull(node);
    return node;
}

NsTestFolder *ns_test_folder_new(void)
{
    g_autoptr(GError) error = NULL;
    NsTestFolder *folder = g_dir_make_tmp("normscope-XXXXXX", &error);
    g_assert_no_error(error);
    return folder;
}

void ns_test_folder_free(NsTestFolder *folder)
{
    ns_test_folder_empty(folder);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    g_free(folder);
}

unsigned ns_test_folder_empty(const NsTestFolder *folder)
{
    unsigned n = 0;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_assert_cmpint(g_remove(path), ==, 0);
        n++;
    }
    return n;
}

char *ns_test_folder_write(const NsTestFolder *folder, const char *name, const char *text)
{
    char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GError) error = NULL;
    g_file_set_contents(path, text, -1, &error);
    g_assert_no_error(error);
    return path;
}

void ns_test_files_set_up(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    files->folder = ns_test_folder_new();
}

void ns_test_files_tear_down(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    ns_test_folder_free(files->folder);
}
