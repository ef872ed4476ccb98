/* The real window, its real buttons.  SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (!gtk_init_check()) {
        g_test_message("no display");
        return 77;
    }
    ui_add_run_tests();
    ui_add_lab_tests();
    ui_add_past_tests();
    ui_add_undo_tests();
    ui_add_settings_tests();
    ui_add_pane_tests();
    ui_add_view_tests();
    ui_add_chart_tests();
    ui_add_tile_tests();
    ui_add_page_tests();
    ui_add_frame_tests();
    ui_add_lesson_tests();
    ui_add_menu_tests();
    ui_add_diagram_tests();
    ui_add_export_tests();
    ui_add_file_tests();
    ui_add_stress_tests();
    ui_add_study_tests();
    ui_add_help_tests();
    ui_add_transport_tests();
    ui_add_trouble_tests();
    ui_add_inspector_tests();
    ui_add_program_tests();
    return g_test_run();
}
