/* The export dialog and the clipboard.  SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"

#include "ui/widgets/export_dialog.h"

#include <glib/gstdio.h>

static NsWindow *open_with_steps(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_lab_step(ns_window_lab(window), 5);
    UI_WAIT(window, ui_has_stepped_five);
    UI_WAIT(window, ui_is_paused);
    return window;
}

/* Opens the dialog with the real action, chooses what and format, and writes. */
static void export_as(NsWindow *window, NsExportWhat what, NsFormat format, const char *path)
{
    g_action_group_activate_action(G_ACTION_GROUP(window), "export", NULL);
    ui_idle(100);
    GListModel *all = gtk_window_get_toplevels();
    NsExportDialog *dialog = NULL;
    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkWindow) top = g_list_model_get_item(all, i);
        if (NS_IS_EXPORT_DIALOG(top)) dialog = NS_EXPORT_DIALOG(top);
    }
    g_assert_nonnull(dialog);
    ns_export_dialog_choose_format(dialog, what, format);
    ui_idle(100);
    ns_export_dialog_write(dialog, path);
    UI_WAIT(window, ui_has_toast);
}

static void assert_begins(const char *path, const char *magic)
{
    g_autofree char *bytes = NULL;
    gsize size = 0;
    g_autoptr(GError) error = NULL;
    g_file_get_contents(path, &bytes, &size, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(size, >, 200);
    g_assert_true(strncmp(bytes, magic, strlen(magic)) == 0);
    g_unlink(path);
}

static void test_each_format(void)
{
    static const struct {
        NsFormat format;
        const char *magic;
    } table[] = {{NS_FORMAT_PDF, "%PDF-"}, {NS_FORMAT_SVG, "<?xml"}, {NS_FORMAT_PNG, "\x89PNG"}};
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
        NsWindow *window = open_with_steps();
        g_autofree char *name = g_strconcat("sheet.", ns_format_ending(table[i].format), NULL);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autofree char *sentence = g_strconcat("Exported ", name, NULL);
        export_as(window, NS_EXPORT_SHEET, table[i].format, path);
        g_assert_cmpstr(ns_window_toast_text(window), ==, sentence);
        assert_begins(path, table[i].magic);
        ui_close(window);
    }
    g_rmdir(folder);
}

static void test_data(void)
{
    NsWindow *window = open_with_steps();
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "run.csv", NULL);
    export_as(window, NS_EXPORT_SEPARATE, NS_FORMAT_CSV, path);
    for (size_t i = 0; ns_figure_kind(i)->overview; i++) {
        g_autofree char *name = g_strdup_printf("run-%s.csv", ns_figure_kind(i)->choice.key);
        g_autofree char *each = g_build_filename(folder, name, NULL);
        g_assert_true(g_file_test(each, G_FILE_TEST_IS_REGULAR));
        g_unlink(each);
    }
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    ui_close(window);
}

static void test_folder_that_is_not_there(void)
{
    NsWindow *window = open_with_steps();
    export_as(window, NS_EXPORT_ONE, NS_FORMAT_PDF, "/no/such/folder/chart.pdf");
    g_assert_nonnull(strstr(ns_window_toast_text(window), "/no/such/folder"));
    ui_close(window);
}

static void on_text(GObject *clipboard, GAsyncResult *result, gpointer text)
{
    *(char **)text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
}

static void test_copy(void)
{
    NsWindow *window = open_with_steps();
    GtkWidget *tile = GTK_WIDGET(ns_dashboard_tile(ns_window_dashboard(window), 0));
    GdkClipboard *clipboard = gtk_widget_get_clipboard(GTK_WIDGET(window));
    gtk_widget_activate_action(tile, "tile.copy-data", NULL);
    g_autofree char *text = NULL;
    gdk_clipboard_read_text_async(clipboard, NULL, on_text, &text);
    for (int i = 0; !text && i < 500; i++) ui_idle(10);
    g_assert_nonnull(text);
    g_assert_nonnull(strchr(text, ','));
    gtk_widget_activate_action(tile, "tile.copy-image", NULL);
    g_assert_true(
        gdk_content_formats_contain_gtype(gdk_clipboard_get_formats(clipboard), GDK_TYPE_TEXTURE));
    ui_close(window);
}

void ui_add_export_tests(void)
{
    g_test_add_func("/ui/export/formats", test_each_format);
    g_test_add_func("/ui/export/data", test_data);
    g_test_add_func("/ui/export/bad-folder", test_folder_that_is_not_there);
    g_test_add_func("/ui/export/copy", test_copy);
}
