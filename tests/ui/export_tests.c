/* The export dialog and the clipboard.  SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"
#include "tests/ui/driver.h"

#include "ui/widgets/shell/export_charts.h"
#include "ui/widgets/shell/export_dialog.h"
#include "ui/widgets/shell/open_file.h"

#include <glib/gstdio.h>

static NsWindow *open_with_steps(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_session_step(window->session, 5);
    UI_WAIT(window, ui_has_stepped_five);
    UI_WAIT(window, ui_is_paused);
    return window;
}

static NsExportDialog *top_dialog(void)
{
    GListModel *all = gtk_window_get_toplevels();
    NsExportDialog *dialog = NULL;
    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkWindow) top = g_list_model_get_item(all, i);
        if (NS_IS_EXPORT_DIALOG(top)) dialog = NS_EXPORT_DIALOG(top);
    }
    g_assert_nonnull(dialog);
    return dialog;
}

/* The dialog that the real action opens. */
static NsExportDialog *open_dialog(NsWindow *window)
{
    g_action_group_activate_action(G_ACTION_GROUP(window), "export", NULL);
    ui_settle(GTK_WIDGET(window));
    return top_dialog();
}

/* The drop-down, spin button or switch behind the label with these words. */
static GtkWidget *control(NsExportDialog *dialog, const char *words)
{
    GtkWidget *grid = ui_first(GTK_WIDGET(dialog), GTK_TYPE_GRID);
    for (GtkWidget *child = gtk_widget_get_first_child(grid); child;
         child = gtk_widget_get_next_sibling(child))
        if (GTK_IS_LABEL(child) && g_str_equal(gtk_label_get_text(GTK_LABEL(child)), words))
            return gtk_widget_get_next_sibling(child);
    g_error("there is no control “%s”", words);
}

static void drop_down(NsExportDialog *dialog, const char *words, guint i)
{
    gtk_drop_down_set_selected(GTK_DROP_DOWN(control(dialog, words)), i);
}

static void set_switch(NsExportDialog *dialog, const char *words, bool on)
{
    gtk_switch_set_active(GTK_SWITCH(control(dialog, words)), on);
}

static void set_number(NsExportDialog *dialog, const char *words, double number)
{
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(control(dialog, words)), number);
}

static void choose_format(NsExportDialog *dialog, NsExportWhat what, NsFormat format)
{
    drop_down(dialog, "Content", what);
    drop_down(dialog, "Format", format);
}

static void export_as(NsWindow *window, NsExportWhat what, NsFormat format, const char *path)
{
    NsExportDialog *dialog = open_dialog(window);
    choose_format(dialog, what, format);
    ui_settle(GTK_WIDGET(dialog));
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
    } table[] = {{NS_FORMAT_PDF, "%PDF-"},
                 {NS_FORMAT_SVG, "<?xml"},
                 {NS_FORMAT_PNG, "\x89PNG"},
                 {NS_FORMAT_TEX, "% normscope="}};
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    NsWindow *window = open_with_steps();
    for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
        g_autofree char *name = g_strconcat("sheet.", ns_format_ending(table[i].format), NULL);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autofree char *sentence = g_strconcat("Exported ", name, NULL);
        export_as(window, NS_EXPORT_SHEET, table[i].format, path);
        UI_UNTIL(g_str_equal(ns_toast_text(window->toast), sentence));
        assert_begins(path, table[i].magic);
    }
    ui_close(window);
    g_rmdir(folder);
}

/* The question that is open. */
static GtkDialog *question(void)
{
    GListModel *all = gtk_window_get_toplevels();
    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkDialog) top = g_list_model_get_item(all, i);
        if (GTK_IS_MESSAGE_DIALOG(top)) return top;
    }
    return NULL;
}

/* Answers the question, which has these words. */
static void answer(int response, const char *words)
{
    g_autofree char *text = NULL;
    g_assert_nonnull(question());
    g_object_get(question(), "text", &text, NULL);
    g_assert_cmpstr(text, ==, words);
    gtk_dialog_response(question(), response);
    UI_UNTIL(!question());
}

static void assert_content(const char *path, const char *content)
{
    g_autofree char *kept = NULL;
    g_assert_true(g_file_get_contents(path, &kept, NULL, NULL));
    g_assert_cmpstr(kept, ==, content);
}

/* The file dialog asks about a name that none of several files has. */
static void test_separate_replaces_nothing(void)
{
    static const char *const names[] = {"run-loss.csv", "run-hidden-norm.csv",
                                        "run-gradient-norm.csv", "run-gradient-heatmap.csv"};
    static const char words[] = "These 2 files exist already. Replace them?";
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *asked = g_build_filename(folder, "run.csv", NULL);
    char *paths[4];
    for (size_t i = 0; i < 4; i++) paths[i] = g_build_filename(folder, names[i], NULL);
    for (size_t i = 0; i < 2; i++) g_assert_true(g_file_set_contents(paths[i], "mine", -1, NULL));
    NsWindow *window = open_with_steps();
    NsExportDialog *dialog = open_dialog(window);
    choose_format(dialog, NS_EXPORT_SEPARATE, NS_FORMAT_CSV);
    ns_export_dialog_save(dialog, asked);
    answer(GTK_RESPONSE_CANCEL, words);
    for (size_t i = 0; i < 2; i++) assert_content(paths[i], "mine");
    for (size_t i = 2; i < 4; i++) g_assert_false(g_file_test(paths[i], G_FILE_TEST_EXISTS));
    ns_export_dialog_save(dialog, asked);
    answer(GTK_RESPONSE_ACCEPT, words);
    UI_WAIT(window, ui_has_toast);
    for (size_t i = 0; i < 4; i++) {
        assert_begins(paths[i], "figure,");
        g_free(paths[i]);
    }
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    ui_close(window);
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

static const char *failure(NsExportDialog *dialog)
{
    GObject *label =
        gtk_widget_get_template_child(GTK_WIDGET(dialog), NS_TYPE_EXPORT_DIALOG, "failure");
    bool shown = gtk_widget_get_visible(GTK_WIDGET(label));
    return shown ? gtk_label_get_text(GTK_LABEL(label)) : "";
}

/* A file that cannot be written leaves the dialog open with everything that was chosen. */
static void test_folder_that_is_not_there(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "chart.pdf", NULL);
    NsWindow *window = open_with_steps();
    NsExportDialog *dialog = open_dialog(window);
    choose_format(dialog, NS_EXPORT_SHEET, NS_FORMAT_PDF);
    drop_down(dialog, "Size", 1);
    g_autofree char *command = g_strdup(ns_export_dialog_command(dialog));
    ns_export_dialog_write(dialog, "/no/such/folder/chart.pdf");
    UI_UNTIL(strstr(failure(dialog), "/no/such/folder"));
    g_assert_true(top_dialog() == dialog);
    g_assert_cmpstr(ns_export_dialog_command(dialog), ==, command);
    ns_export_dialog_write(dialog, path);
    UI_WAIT(window, ui_has_toast);
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Exported chart.pdf");
    assert_begins(path, "%PDF-");
    g_rmdir(folder);
    ui_close(window);
}

/* The ending of a typed name chooses the format; a page with one chart offers no others. */
static void test_typed_ending(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *typed = g_build_filename(folder, "g.PNG", NULL);
    g_autofree char *bare = g_build_filename(folder, "g", NULL);
    g_autofree char *full = g_build_filename(folder, "g.pdf", NULL);
    NsWindow *window = open_with_steps();
    NsExportDialog *dialog = open_dialog(window);
    g_assert_true(gtk_widget_get_sensitive(control(dialog, "Content")));
    choose_format(dialog, NS_EXPORT_SHEET, NS_FORMAT_PDF);
    ns_export_dialog_save(dialog, typed);
    UI_WAIT(window, ui_has_toast);
    assert_begins(typed, "\x89PNG");
    /* The next dialog begins with the same content, unless one chart is named. */
    dialog = open_dialog(window);
    g_assert_cmpint(ns_export_dialog_request(dialog).what, ==, NS_EXPORT_SHEET);
    gtk_window_close(GTK_WINDOW(dialog));
    g_action_group_activate_action(G_ACTION_GROUP(window), "export-chart", NULL);
    ui_settle(GTK_WIDGET(window));
    g_assert_cmpint(ns_export_dialog_request(top_dialog()).what, ==, NS_EXPORT_ONE);
    gtk_window_close(GTK_WINDOW(top_dialog()));
    ui_close(window);
    window = open_with_steps();
    g_action_group_change_action_state(G_ACTION_GROUP(window), "page",
                                       g_variant_new_string("profile"));
    ui_rest(window);
    dialog = open_dialog(window);
    g_assert_false(gtk_widget_get_sensitive(control(dialog, "Content")));
    g_assert_cmpint(ns_export_dialog_request(dialog).what, ==, NS_EXPORT_ONE);
    drop_down(dialog, "Format", NS_FORMAT_PDF);
    /* A file of which the file dialog did not ask stays. */
    g_assert_true(g_file_set_contents(full, "mine", -1, NULL));
    ns_export_dialog_save(dialog, bare);
    answer(GTK_RESPONSE_CANCEL, "This file exists already. Replace it?");
    assert_content(full, "mine");
    g_unlink(full);
    ns_export_dialog_save(dialog, bare);
    UI_WAIT(window, ui_has_toast);
    assert_begins(full, "%PDF-");
    g_rmdir(folder);
    ui_close(window);
}

static void on_text(GObject *clipboard, GAsyncResult *result, gpointer text)
{
    *(char **)text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
}

/* The preview says why a figure cannot be saved, or what it has no space for. */
static void test_lack_of_space(void)
{
    NsWindow *window = open_with_steps();
    NsExportDialog *dialog = open_dialog(window);
    choose_format(dialog, NS_EXPORT_SHEET, NS_FORMAT_PDF);
    set_number(dialog, "Text size (pt)", 60);
    UI_UNTIL(strstr(failure(dialog), "choose a smaller text"));
    set_number(dialog, "Text size (pt)", 14);
    UI_UNTIL(strstr(failure(dialog), "There was no space for"));
    choose_format(dialog, NS_EXPORT_SHEET, NS_FORMAT_CSV);
    UI_UNTIL(!*failure(dialog)); /* a table needs none */
    choose_format(dialog, NS_EXPORT_SHEET, NS_FORMAT_PDF);
    UI_UNTIL(strstr(failure(dialog), "There was no space for"));
    set_number(dialog, "Text size (pt)", 8);
    UI_UNTIL(!*failure(dialog));
    ui_close(window);
}

static void test_copy(void)
{
    NsWindow *window = open_with_steps();
    GtkWidget *tile = GTK_WIDGET(ns_dashboard_tile(ns_window_dashboard(window), 0));
    GdkClipboard *clipboard = gtk_widget_get_clipboard(GTK_WIDGET(window));
    gtk_widget_activate_action(tile, "tile.copy-data", NULL);
    g_autofree char *text = NULL;
    gdk_clipboard_read_text_async(clipboard, NULL, on_text, &text);
    UI_UNTIL(text);
    g_assert_nonnull(strchr(text, ','));
    gtk_widget_activate_action(tile, "tile.copy-image", NULL);
    g_assert_true(
        gdk_content_formats_contain_gtype(gdk_clipboard_get_formats(clipboard), GDK_TYPE_TEXTURE));
    ui_close(window);
}

static void test_choices(void)
{
    NsWindow *window = open_with_steps();
    NsExportDialog *dialog = open_dialog(window);
    choose_format(dialog, NS_EXPORT_ONE, NS_FORMAT_PNG);
    drop_down(dialog, "Size", 7);
    drop_down(dialog, "Legend", 2);
    set_switch(dialog, "Title", false);
    set_switch(dialog, "Caption with settings", true);
    set_switch(dialog, "Transparent background", true);
    set_switch(dialog, "Embed the experiment", false);
    /* A slide has its own style, until a field is changed. */
    GtkSpinButton *text = GTK_SPIN_BUTTON(control(dialog, "Text size (pt)"));
    g_assert_cmpfloat(gtk_spin_button_get_value(text), ==, 18);
    g_assert_false(gtk_widget_get_sensitive(control(dialog, "Dots per inch")));
    set_number(dialog, "Line width (pt)", 2);
    const char *command = ns_export_dialog_command(dialog);
    g_assert_nonnull(strstr(command, "--figure loss --step 5 "));
    g_assert_nonnull(strstr(command, " --set layers=2 "));
    g_assert_nonnull(strstr(command,
                            " --size slide --line-width 2 --legend inside --background none "
                            "--title off --caption on --experiment off --out loss.png"));
    gtk_spin_button_set_value(text, 20);
    drop_down(dialog, "Size", 8);
    g_assert_nonnull(strstr(ns_export_dialog_command(dialog), " --size 120x80mm --text-size 20 "));
    drop_down(dialog, "Dots per inch", 4);
    g_assert_nonnull(strstr(ns_export_dialog_command(dialog), " --dpi 600 "));
    choose_format(dialog, NS_EXPORT_SHEET, NS_FORMAT_CSV);
    g_assert_true(g_str_has_suffix(ns_export_dialog_command(dialog),
                                   " --experiment off --out normscope.csv"));
    g_assert_false(gtk_widget_get_sensitive(control(dialog, "Size")));

    /* The next dialog begins with the same. */
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "all.png", NULL);
    choose_format(dialog, NS_EXPORT_ONE, NS_FORMAT_PNG);
    ns_export_dialog_write(dialog, path);
    UI_WAIT(window, ui_has_toast);
    g_unlink(path);
    g_rmdir(folder);
    dialog = open_dialog(window);
    choose_format(dialog, NS_EXPORT_ONE, NS_FORMAT_PNG);
    g_assert_nonnull(strstr(ns_export_dialog_command(dialog), " --size 120x80mm --dpi 600 "));
    drop_down(dialog, "Size", 0);
    drop_down(dialog, "Dots per inch", 0);
    drop_down(dialog, "Legend", 0);
    set_number(dialog, "Text size (pt)", 8);
    set_number(dialog, "Line width (pt)", 1);
    set_switch(dialog, "Title", true);
    set_switch(dialog, "Caption with settings", false);
    set_switch(dialog, "Transparent background", false);
    set_switch(dialog, "Embed the experiment", true);
    const char *bare = ns_export_dialog_command(dialog);
    g_assert_true(g_str_has_suffix(bare, " --out loss.png"));
    static const char *const keys[] = {"size",    "dpi",        "text-size", "line-width", "title",
                                       "caption", "background", "legend",    "experiment"};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_autofree char *flag = g_strdup_printf(" --%s ", keys[i]);
        g_assert_null(strstr(bare, flag));
    }
    ns_export_dialog_write(dialog, path);
    ui_close(window);
}

/* Writes the dialog's file to a path, has the command make another beside it, and removes both. */
static void assert_same_file(NsExportDialog *dialog, NsWindow *window, const char *command,
                             const char *path)
{
    ns_export_dialog_write(dialog, path);
    UI_WAIT(window, ui_has_toast);
    ui_assert_command(command, path);
}

/* What the dialog shows as the command for the same file makes the same file. */
static void test_command(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    static const NsFormat formats[] = {NS_FORMAT_PDF, NS_FORMAT_SVG, NS_FORMAT_CSV, NS_FORMAT_SVG};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        NsWindow *window = open_with_steps();
        if (i == 1) g_action_group_activate_action(G_ACTION_GROUP(window), "smooth", NULL);
        if (i == 1) g_action_group_activate_action(G_ACTION_GROUP(window), "theory", NULL);
        /* A step that is looked at while the run went on, and a layer that is selected. */
        if (i != 1) ns_session_show_step(window->session, 2);
        if (i == 3) ns_session_select_layer(window->session, 2);
        if (i == 3)
            g_action_group_change_action_state(G_ACTION_GROUP(window), "page",
                                               g_variant_new_string("diagram"));
        ui_rest(window);
        if (i == 2) g_action_group_activate_action(G_ACTION_GROUP(window), "log", NULL);
        NsExportDialog *dialog = open_dialog(window);
        choose_format(dialog, NS_EXPORT_SHEET, formats[i]);
        set_switch(dialog, "Notes", i != 3);
        set_switch(dialog, "Caption with settings", i > 0);
        g_autofree char *command = g_strdup(ns_export_dialog_command(dialog));
        g_autofree char *path = g_build_filename(folder, "window", NULL);
        assert_same_file(dialog, window, command, path);
        ui_close(window);
    }
    g_rmdir(folder);
}

/* ---- putting a figure together, with pointer and keyboard ---- */

/* What a button, an entry or a check button is known by. */
static const char *words_of(GtkWidget *widget)
{
    if (GTK_IS_ENTRY(widget)) return gtk_entry_get_placeholder_text(GTK_ENTRY(widget));
    if (GTK_IS_CHECK_BUTTON(widget)) return gtk_check_button_get_label(GTK_CHECK_BUTTON(widget));
    if (GTK_IS_TOGGLE_BUTTON(widget)) {
        GtkWidget *label = ui_first(widget, GTK_TYPE_LABEL);
        return label ? gtk_label_get_text(GTK_LABEL(label)) : NULL;
    }
    return GTK_IS_BUTTON(widget) ? gtk_widget_get_tooltip_text(widget) : NULL;
}

/* The n-th with these words, from 0 downwards. */
static GtkWidget *nth(GtkWidget *root, const char *words, int *n)
{
    bool known = gtk_widget_get_mapped(root) && g_strcmp0(words_of(root), words) == 0;
    if (known && (*n)-- == 0) return root;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child)) {
        GtkWidget *found = nth(child, words, n);
        if (found) return found;
    }
    return NULL;
}

static GtkWidget *find(NsExportDialog *dialog, const char *words, int n)
{
    GtkWidget *found;
    UI_UNTIL((found = nth(GTK_WIDGET(dialog), words, &(int){n})));
    return found;
}

static void click(NsExportDialog *dialog, const char *words, int n)
{
    GtkWidget *widget = find(dialog, words, n);
    gtk_widget_grab_focus(widget); /* scrolls to it */
    ui_settle(GTK_WIDGET(dialog));
    widget = find(dialog, words, n);
    ui_pointer_to(widget, 10, gtk_widget_get_height(widget) / 2);
    ui_click_here(GDK_BUTTON_PRIMARY);
    ui_settle(GTK_WIDGET(dialog));
}

static void type(NsExportDialog *dialog, const char *entry, int n, const char *text)
{
    click(dialog, entry, n);
    for (const char *p = text; *p; p++) ui_stroke(GTK_WIDGET(dialog), (guint)*p, 0);
}

static bool says(NsExportDialog *dialog, const char *words)
{
    return strstr(ns_export_dialog_command(dialog), words) != NULL;
}

static void on_done(GObject *source, GAsyncResult *result, gpointer done)
{
    (void)source;
    g_autofree char *path = g_task_propagate_pointer(G_TASK(result), NULL);
    *(bool *)done = path != NULL;
}

static bool same_pixels(GdkTexture *a, GdkTexture *b)
{
    int width = gdk_texture_get_width(a), height = gdk_texture_get_height(a);
    gsize stride = 4 * (gsize)width, size = stride * (gsize)height;
    if (gdk_texture_get_width(b) != width || gdk_texture_get_height(b) != height) return false;
    g_autofree guchar *p = g_malloc(size), *q = g_malloc(size);
    gdk_texture_download(a, p, stride);
    gdk_texture_download(b, q, stride);
    return memcmp(p, q, size) == 0;
}

static bool previews(NsExportDialog *dialog, GdkTexture *saved)
{
    GtkWidget *picture = ui_first(GTK_WIDGET(dialog), GTK_TYPE_PICTURE);
    GdkPaintable *shown = gtk_picture_get_paintable(GTK_PICTURE(picture));
    return shown && same_pixels(GDK_TEXTURE(shown), saved);
}

static NsExportDialog *open_figure(NsWindow *window)
{
    ns_session_set_lanes(window->session, 2);
    ns_session_set_lane(window->session, 1, "placement", "pre");
    UI_UNTIL(window->session->view->started.n == 2 && window->session->state == NS_TRAINER_READY);
    ns_session_step(window->session, 5);
    UI_WAIT(window, ui_has_stepped_five);
    UI_WAIT(window, ui_is_paused);
    ui_rest(window);
    NsExportDialog *dialog = open_dialog(window);
    choose_format(dialog, NS_EXPORT_SHEET, NS_FORMAT_PNG);
    click(dialog, "Charts", 0);
    return dialog;
}

static void test_order(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    NsExportDialog *dialog = open_figure(window);
    click(dialog, "Move up", 1);
    g_assert_true(says(dialog, " --figure gradient-norm,loss,hidden-norm,gradient-heatmap "));
    click(dialog, "Move down", 2);
    g_assert_true(says(dialog, " --figure gradient-norm,loss,gradient-heatmap,hidden-norm "));
    GtkWidget *row = gtk_widget_get_ancestor(find(dialog, "Move up", 0), GTK_TYPE_LIST_BOX_ROW);
    double height = gtk_widget_get_height(row);
    ui_drag(gtk_widget_get_parent(row), GDK_BUTTON_PRIMARY, (NsPoint){20, height / 2},
            (NsPoint){20, 2.5 * height}, 0);
    UI_UNTIL(says(dialog, " --figure loss,gradient-heatmap,gradient-norm,hidden-norm "));
    click(dialog, "Remove chart", 1);
    g_assert_true(says(dialog, " --figure loss,gradient-norm,hidden-norm "));
    for (int i = 0; i < 3; i++) click(dialog, "Remove chart", 0);
    g_assert_cmpstr(ns_export_dialog_command(dialog), ==, "");
    GtkWidget *charts = ui_first(GTK_WIDGET(dialog), NS_TYPE_EXPORT_CHARTS);
    gtk_widget_activate_action(charts, "charts.add", "s", "steps");
    g_assert_true(says(dialog, " --figure steps "));
    /* The next dialog begins with what this one leaves: the charts of the page. */
    for (size_t i = 0; i < TILES; i++)
        gtk_widget_activate_action(charts, "charts.add", "s", ns_figure_kind(i)->choice.key);
    click(dialog, "Remove chart", 0);
    g_assert_true(says(dialog, " --figure loss,gradient-norm,hidden-norm,gradient-heatmap "));
    gtk_window_close(GTK_WINDOW(dialog));
    ui_close(window);
}

static void note_gone(gpointer gone, GObject *dialog)
{
    (void)dialog;
    *(bool *)gone = true;
}

/* A window that is closed takes the dialog with it, also one in which a row was just dragged, or
 * that has only just opened and is still looking for what there is to choose. */
static void test_close(void)
{
    if (!ui_has_input()) return;
    for (int dragged = 0; dragged < 2; dragged++) {
        bool gone = false;
        NsWindow *window = ui_open("");
        UI_WAIT(window, ui_is_ready);
        NsExportDialog *dialog = NULL;
        if (dragged) {
            dialog = open_figure(window);
            GtkWidget *row =
                gtk_widget_get_ancestor(find(dialog, "Move up", 0), GTK_TYPE_LIST_BOX_ROW);
            double height = gtk_widget_get_height(row);
            ui_drag(gtk_widget_get_parent(row), GDK_BUTTON_PRIMARY, (NsPoint){20, height / 2},
                    (NsPoint){20, 2.5 * height}, 0);
        } else {
            g_action_group_activate_action(G_ACTION_GROUP(window), "export", NULL);
            dialog = top_dialog();
        }
        g_object_weak_ref(G_OBJECT(dialog), note_gone, &gone);
        ui_close(window);
        UI_UNTIL(gone);
    }
}

/* The sentence about an edit that was not made, with which nothing is saved, and the place of what
 * is edited, which stays. */
static void assert_problem(NsExportDialog *dialog, const char *sentence, graphene_rect_t *place)
{
    GtkWidget *charts = ui_first(GTK_WIDGET(dialog), NS_TYPE_EXPORT_CHARTS);
    GObject *problem =
        gtk_widget_get_template_child(GTK_WIDGET(dialog), NS_TYPE_EXPORT_DIALOG, "problem");
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(problem)), ==, sentence);
    GObject *save =
        gtk_widget_get_template_child(GTK_WIDGET(dialog), NS_TYPE_EXPORT_DIALOG, "save");
    g_assert_true(gtk_widget_get_sensitive(GTK_WIDGET(save)) == !*sentence);
    gtk_test_widget_wait_for_draw(GTK_WIDGET(dialog));
    g_assert_true(
        gtk_widget_compute_bounds(gtk_widget_get_last_child(charts), GTK_WIDGET(dialog), place));
}

/* Title, limits, curves and names; the picture is what is saved, and the command makes the same
 * file. */
static void test_figure(void)
{
    if (!ui_has_input()) return;
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "a.png", NULL);
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    NsExportDialog *dialog = open_figure(window);
    type(dialog, "Loss", 0, "mine");
    type(dialog, "auto", 0, "4");
    graphene_rect_t asked, calm;
    type(dialog, "auto", 2, "abc");
    assert_problem(dialog, "loss: Enter a number, such as 0.05 or 1e-4, or leave it empty.",
                   &asked);
    g_assert_true(says(dialog, "'loss(title=mine;x=4..),"));
    g_assert_true(gtk_widget_has_css_class(find(dialog, "auto", 2), "error"));
    g_assert_false(gtk_widget_has_css_class(find(dialog, "auto", 0), "error"));
    for (int i = 0; i < 3; i++) ui_stroke(GTK_WIDGET(dialog), GDK_KEY_BackSpace, 0);
    assert_problem(dialog, "", &calm);
    type(dialog, "auto", 1, "2");
    assert_problem(dialog, "step: The lower limit must be below the upper limit.", &asked);
    g_assert_true(says(dialog, "'loss(title=mine;x=4..),"));
    type(dialog, "auto", 1, "0");
    assert_problem(dialog, "", &calm);
    g_assert_true(graphene_rect_equal(&asked, &calm));
    click(dialog, "B Pre-LN", 0);
    type(dialog, "A", 0, "old");
    type(dialog, "B", 0, ";");
    assert_problem(dialog, "B: The name of a lane cannot contain “;”.", &asked);
    click(dialog, "B Pre-LN", 0); /* another edit, which is made, does not hide it */
    click(dialog, "B Pre-LN", 0);
    assert_problem(dialog, "B: The name of a lane cannot contain “;”.", &asked);
    click(dialog, "B", 0);
    for (int i = 0; i < 2; i++)
        ui_stroke(GTK_WIDGET(dialog), i ? GDK_KEY_BackSpace : GDK_KEY_End, 0);
    assert_problem(dialog, "", &calm);
    g_assert_true(says(dialog, "'loss(title=mine;x=4..20;hide=2),gradient-norm,"));
    g_assert_true(says(dialog, " --names old "));

    NsExportRequest request = ns_export_dialog_request(dialog);
    bool done = false;
    ns_export_async(window->session->view, &request, path, on_done, &done);
    UI_UNTIL(done);
    g_autoptr(GdkTexture) saved = gdk_texture_new_from_filename(path, NULL);
    UI_UNTIL(previews(dialog, saved));
    g_autofree char *command = g_strdup(ns_export_dialog_command(dialog));
    assert_same_file(dialog, window, command, path);

    /* It comes back as it was left. */
    dialog = open_dialog(window);
    choose_format(dialog, NS_EXPORT_SHEET, NS_FORMAT_PNG);
    g_assert_cmpstr(ns_export_dialog_command(dialog), ==, command);
    gtk_window_close(GTK_WINDOW(dialog));
    ui_close(window);
    g_rmdir(folder);
}

/* A chart of one model is exported as the window shows it: of its lane. */
static void test_lane(void)
{
    NsWindow *window = ui_open("probe-every=1");
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(window->session, 2);
    ns_session_set_lane(window->session, 1, "placement", "pre");
    UI_UNTIL(window->session->view->started.n == 2 && window->session->state == NS_TRAINER_READY);
    ns_page_stack_show(window->pages, "attention");
    for (unsigned lane = 0; lane < 2; lane++) {
        NsChartTile *tile = ns_dashboard_tile(ns_window_dashboard(window), lane);
        UI_UNTIL(gtk_widget_get_mapped(GTK_WIDGET(tile)) && !tile->compact);
        gtk_widget_grab_focus(GTK_WIDGET(tile->chart));
        g_assert_true(ns_page_current(ns_window_page(window)) == tile);
        NsExportDialog *dialog = open_dialog(window);
        choose_format(dialog, NS_EXPORT_ONE, NS_FORMAT_PDF);
        g_test_message("%s", ns_export_dialog_command(dialog));
        g_assert_true(says(dialog, lane ? "attention(lane=B)" : "attention(lane=A)"));
        gtk_window_close(GTK_WINDOW(dialog));
    }
    ui_close(window);
}

/* It grows with the window, so that the preview shows what will be seen on paper. */
static void test_size(void)
{
    NsWindow *window = open_with_steps();
    int width, height;
    gtk_widget_set_size_request(GTK_WIDGET(window), 1600, 1000);
    UI_UNTIL(gtk_widget_get_width(GTK_WIDGET(window)) > 1500);
    gtk_window_get_default_size(GTK_WINDOW(open_dialog(window)), &width, &height);
    g_assert_cmpint(width, ==, gtk_widget_get_width(GTK_WIDGET(window)) * 3 / 4);
    g_assert_cmpint(height, ==, gtk_widget_get_height(GTK_WIDGET(window)) * 3 / 4);
    ui_close(window);
}

static void test_film(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "a.gif", NULL);
    NsWindow *window = open_with_steps();
    NsExportDialog *dialog = open_dialog(window);
    choose_format(dialog, NS_EXPORT_SHEET, NS_FORMAT_PDF);
    drop_down(dialog, "Size", 1);
    drop_down(dialog, "Format", 5);
    GtkWidget *length = gtk_widget_get_next_sibling(control(dialog, "Format"));
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(gtk_widget_get_last_child(length)), 1.5);
    g_assert_true(says(dialog, " --film 1.5 --out normscope.gif"));
    g_autofree char *command = g_strdup(ns_export_dialog_command(dialog));
    assert_same_file(dialog, window, command, path);
    ui_close(window);
    g_rmdir(folder);
}

/* A film tells how far it is, and can be canceled: then there is no file, and the dialog stays. */
static void test_film_canceled(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "a.gif", NULL);
    NsWindow *window = open_with_steps();
    NsExportDialog *dialog = open_dialog(window);
    choose_format(dialog, NS_EXPORT_SHEET, NS_FORMAT_PDF);
    drop_down(dialog, "Format", 5);
    GtkWidget *film = gtk_widget_get_next_sibling(control(dialog, "Format"));
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(gtk_widget_get_last_child(film)), 100);
    g_autofree char *command = g_strdup(ns_export_dialog_command(dialog));
    ns_export_dialog_write(dialog, path);
    GtkProgressBar *bar = GTK_PROGRESS_BAR(
        gtk_widget_get_template_child(GTK_WIDGET(dialog), NS_TYPE_EXPORT_DIALOG, "progress"));
    UI_UNTIL(gtk_progress_bar_get_fraction(bar) > 0);
    g_assert_true(gtk_progress_bar_get_fraction(bar) < 1);
    g_assert_true(gtk_widget_is_sensitive(GTK_WIDGET(bar))); /* its words are not gray */
    /* Nobody stops it by closing the window or the program. */
    gtk_window_close(GTK_WINDOW(window));
    g_assert_true(strstr(failure(dialog), "stays open until the animation is saved"));
    g_action_group_activate_action(G_ACTION_GROUP(ui_application()), "quit", NULL);
    double share = gtk_progress_bar_get_fraction(bar);
    UI_UNTIL(gtk_progress_bar_get_fraction(bar) > share);
    gtk_window_close(GTK_WINDOW(dialog));
    UI_UNTIL(!gtk_widget_get_visible(GTK_WIDGET(bar)));
    g_assert_true(top_dialog() == dialog);
    g_assert_cmpstr(ns_export_dialog_command(dialog), ==, command);
    g_assert_cmpstr(failure(dialog), ==, "");
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    ui_close(window);
}

static bool has_three_layers(NsWindow *window)
{
    return ns_session_settings(window->session)->layers == 3;
}

/* A figure sets the window up as it was when the figure was made. */
static void test_restore(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "figure.pdf", NULL);
    NsWindow *window = ui_open("layers=3 placement=pre seed=9 lr=0.0125 task=reverse");
    UI_WAIT(window, ui_is_ready);
    ns_session_step(window->session, 5);
    UI_WAIT(window, ui_has_stepped_five);
    UI_WAIT(window, ui_is_paused);
    g_autofree char *before = ns_settings_line(ns_session_settings(window->session), true);
    export_as(window, NS_EXPORT_ONE, NS_FORMAT_PDF, path);
    ui_close(window);

    window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    UI_WAIT(window, has_three_layers);
    g_assert_cmpstr(ns_toast_text(window->toast), ==,
                    "Set up as in figure.pdf. The figure shows step 5.");
    g_autofree char *after = ns_settings_line(ns_session_settings(window->session), true);
    g_assert_cmpstr(after, ==, before);
    g_unlink(path);

    g_assert_true(g_file_set_contents(path, "%PDF-1.4 of something else", -1, NULL));
    ns_window_open(window, path, false);
    g_assert_nonnull(strstr(ns_toast_text(window->toast), "“figure.pdf” contains no experiment"));
    g_assert_true(g_file_set_contents(path, "layers = 2\nwings = 3\n", -1, NULL));
    ns_window_open(window, path, false);
    g_assert_nonnull(strstr(ns_toast_text(window->toast), "There is no setting “wings”"));
    g_assert_true(has_three_layers(window));
    g_autofree char *text = g_strnfill(200, 'a');
    text[100] = 'b';
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    ns_window_open(window, path, false);
    UI_UNTIL(g_str_equal(ns_session_settings(window->session)->text, path));
    ui_close(window);
    g_unlink(path);
    g_rmdir(folder);
}

void ui_add_export_tests(void)
{
    g_test_add_func("/ui/export/choices", test_choices);
    g_test_add_func("/ui/export/command", test_command);
    g_test_add_func("/ui/export/order", test_order);
    g_test_add_func("/ui/export/close", test_close);
    g_test_add_func("/ui/export/figure", test_figure);
    g_test_add_func("/ui/export/lane", test_lane);
    g_test_add_func("/ui/export/size", test_size);
    g_test_add_func("/ui/export/film", test_film);
    g_test_add_func("/ui/export/film-canceled", test_film_canceled);
    g_test_add_func("/ui/export/restore", test_restore);
    g_test_add_func("/ui/export/formats", test_each_format);
    g_test_add_func("/ui/export/separate-replaces-nothing", test_separate_replaces_nothing);
    g_test_add_func("/ui/export/data", test_data);
    g_test_add_func("/ui/export/typed-ending", test_typed_ending);
    g_test_add_func("/ui/export/bad-folder", test_folder_that_is_not_there);
    g_test_add_func("/ui/export/lack-of-space", test_lack_of_space);
    g_test_add_func("/ui/export/copy", test_copy);
}
