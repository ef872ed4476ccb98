/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/installed.h"

#include <glib.h>

#define UP_MOST 2 /* programs lie in build/app, tests in build/tests/ui, installed ones in bin */

char *ns_installed_folder(const char *in_build, const char *installed)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    if (!program) return NULL;
    g_autofree char *place = g_path_get_dirname(program);
    for (int up = 0; up < UP_MOST; up++) {
        char *above = g_path_get_dirname(place);
        g_free(place);
        place = above;
        const char *const below[] = {in_build, installed};
        for (size_t i = 0; i < G_N_ELEMENTS(below); i++) {
            g_autofree char *folder = g_build_filename(place, below[i], NULL);
            if (g_file_test(folder, G_FILE_TEST_IS_DIR)) return g_steal_pointer(&folder);
        }
    }
    return NULL;
}
