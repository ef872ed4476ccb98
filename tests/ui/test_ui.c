/* The real window, its real buttons.  SPDX-License-Identifier: MIT
 *
 * Usage: ui-test GROUP [OPTION...]
 * GROUP names a file of tests, as meson.build does; the options are those of every g_test program.
 */
#include "tests/ui/support.h"

static const struct {
    const char *name;
    void (*add_tests)(void);
} groups[] = {
    {"run", ui_add_run_tests},
    {"scene", ui_add_scene_tests},
    {"settings", ui_add_settings_tests},
    {"pane", ui_add_pane_tests},
    {"view", ui_add_view_tests},
    {"card", ui_add_card_tests},
    {"chart", ui_add_chart_tests},
    {"tile", ui_add_tile_tests},
    {"page", ui_add_page_tests},
    {"stage", ui_add_stage_tests},
    {"lesson", ui_add_lesson_tests},
    {"lecture", ui_add_lecture_tests},
    {"library", ui_add_library_tests},
    {"menu", ui_add_menu_tests},
    {"diagram", ui_add_diagram_tests},
    {"export", ui_add_export_tests},
    {"file", ui_add_file_tests},
    {"handout", ui_add_handout_tests},
    {"stress", ui_add_stress_tests},
    {"study", ui_add_study_tests},
    {"paper", ui_add_paper_tests},
    {"help", ui_add_help_tests},
    {"transport", ui_add_transport_tests},
    {"trouble", ui_add_trouble_tests},
    {"inspector", ui_add_inspector_tests},
    {"program", ui_add_program_tests},
    {"watching", ui_add_watching_tests},
    {"menu-stress", ui_add_menu_stress_tests},
    {"stage-stress", ui_add_stage_stress_tests},
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    g_test_init(&argc, &argv, NULL);
    if (!gtk_init_check()) {
        g_test_message("no display");
        return 77;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(groups); i++) {
        if (!g_str_equal(groups[i].name, name)) continue;
        groups[i].add_tests();
        return g_test_run();
    }
    g_printerr("ui-test: there is no group of tests “%s”.\n", name);
    return 2;
}
