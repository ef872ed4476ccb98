/* SPDX-License-Identifier: MIT */
#include "tests/unit/support.h"

#include "core/experiment/assignment.h"

#include <glib/gstdio.h>
#include <math.h>
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

NsRun *ns_test_run_new(const char *words, const char *const *settings)
{
    NsSettings s;
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) list = g_strsplit(words, " ", -1);
    ns_settings_init(&s);
    for (char **word = list; *word && !error; word++) ns_settings_assign(&s, *word, &error);
    for (; *settings && !error; settings++) ns_settings_assign(&s, *settings, &error);
    g_assert_no_error(error);
    NsRun *run = ns_run_new(&s, &error);
    g_assert_no_error(error);
    ns_settings_clear(&s);
    return run;
}

double ns_test_value(NsRun *run, NsQuantity quantity, size_t i)
{
    const NsHistory *history = run->history;
    const NsRecordLayout *layout = ns_history_layout(history);
    g_assert_cmpuint(i, <, layout->count[quantity]);
    g_auto(NsValues) values = ns_values_new(layout->width);
    ns_history_read(history, quantity, ns_history_steps(history) - 1, NULL, values.value,
                    values.has);
    return values.has[i] ? (double)values.value[i] : (double)INFINITY;
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
