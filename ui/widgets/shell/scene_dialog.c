/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/scene_dialog.h"

#include "core/base/words.h"
#include "core/store/lecture.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"

#include <glib/gstdio.h>
#include <string.h>

#define CHARS 40

static char *own_folder(void)
{
    return g_build_filename(g_get_user_data_dir(), "normscope", "lectures", NULL);
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return g_utf8_collate(*(char *const *)a, *(char *const *)b);
}

char **ns_own_lectures(void)
{
    g_autofree char *folder = own_folder();
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    g_autoptr(GPtrArray) paths = g_ptr_array_new();
    const char *name;
    while (files && (name = g_dir_read_name(files)))
        if (g_str_has_suffix(name, NS_LECTURE_SUFFIX))
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    g_ptr_array_sort(paths, by_name);
    g_ptr_array_add(paths, NULL);
    return (char **)g_ptr_array_steal(paths, NULL);
}

char *ns_lecture_name(const char *path)
{
    char *name = g_filename_display_basename(path);
    if (g_str_has_suffix(name, NS_LECTURE_SUFFIX))
        name[strlen(name) - strlen(NS_LECTURE_SUFFIX)] = '\0';
    return name;
}

typedef struct {
    GtkWindow *window;
    NsSceneEntered entered;
    GtkWidget *title, *note, *lecture, *name;
    char **paths; /* those of the drop-down; its first row is a new lecture */
} Question;

static void question_free(gpointer data)
{
    g_strfreev(((Question *)data)->paths);
    g_free(data);
}

static char *text_of(GtkWidget *entry)
{
    return g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(entry))));
}

static void on_lecture(Question *question)
{
    guint chosen = gtk_drop_down_get_selected(GTK_DROP_DOWN(question->lecture));
    gtk_widget_set_sensitive(question->name, chosen == 0);
}

static void on_add(Question *question)
{
    guint chosen = gtk_drop_down_get_selected(GTK_DROP_DOWN(question->lecture));
    g_autofree char *title = text_of(question->title), *note = text_of(question->note);
    g_autofree char *name = text_of(question->name), *folder = own_folder();
    g_autofree char *stem = g_strdup(*name ? name : _("My lecture"));
    g_strdelimit(stem, "/\\", '-');
    if (*stem == '.') *stem = '-';
    g_autofree char *path = chosen > 0 ? g_strdup(question->paths[chosen - 1]) : NULL;
    /* A new lecture adds nothing to another one of that name: "My lecture 2". */
    for (int i = 1; !path || (chosen == 0 && g_file_test(path, G_FILE_TEST_EXISTS)); i++) {
        g_autofree char *file = i == 1 ? g_strconcat(stem, NS_LECTURE_SUFFIX, NULL)
                                       : g_strdup_printf("%s %d" NS_LECTURE_SUFFIX, stem, i);
        g_free(path);
        path = g_build_filename(folder, file, NULL);
    }
    question->entered(question->window, path, title, note);
    gtk_window_destroy(GTK_WINDOW(gtk_widget_get_root(question->title)));
}

static GtkWidget *add_row(GtkWidget *grid, int row, const char *words, GtkWidget *widget)
{
    GtkWidget *label = gtk_label_new(words);
    gtk_widget_set_halign(label, GTK_ALIGN_END);
    gtk_widget_set_hexpand(widget, TRUE);
    gtk_accessible_update_relation(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                   label, NULL, -1);
    if (GTK_IS_ENTRY(widget)) gtk_editable_set_width_chars(GTK_EDITABLE(widget), CHARS);
    gtk_grid_attach(GTK_GRID(grid), label, 0, row, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), widget, 1, row, 1, 1);
    return widget;
}

void ns_scene_dialog_show(GtkWindow *window, const char *title, const char *note, const char *open,
                          const char *remark, NsSceneEntered entered)
{
    const char *heading = _("Add scene to lecture");
    if (ns_side_window_raise(window, heading)) return;
    Question *question = g_new0(Question, 1);
    GtkWidget *grid = ns_grid_new(8, 12);
    g_auto(GStrv) own = ns_own_lectures();
    g_autoptr(GStrvBuilder) paths = g_strv_builder_new();
    GtkStringList *names = gtk_string_list_new((const char *[]){_("New lecture"), NULL});
    bool other = open && !g_strv_contains((const char *const *)own, open);
    if (other) g_strv_builder_add(paths, open);
    for (char **path = own; *path; path++) g_strv_builder_add(paths, *path);
    *question = (Question){
        .window = window,
        .entered = entered,
        .title = add_row(grid, 0, _("Title"), gtk_entry_new()),
        .note = add_row(grid, 1, _("Note"), gtk_entry_new()),
        .lecture = add_row(grid, 2, _("Lecture"), gtk_drop_down_new(G_LIST_MODEL(names), NULL)),
        .name = add_row(grid, 3, _("Title of the new lecture"), gtk_entry_new()),
        .paths = g_strv_builder_end(paths)};
    g_object_set_data_full(G_OBJECT(grid), "ns-question", question, question_free);
    g_signal_connect_swapped(question->lecture, "notify::selected", G_CALLBACK(on_lecture),
                             question);
    gint64 newest = -1;
    for (guint i = 0; question->paths[i]; i++) {
        const char *path = question->paths[i];
        g_autofree char *name = ns_lecture_name(path);
        gtk_string_list_append(names, name);
        GStatBuf file = {0};
        bool newer = !open && g_stat(path, &file) == 0 && file.st_mtime > newest;
        if (newer) newest = file.st_mtime;
        if (newer || g_strcmp0(path, open) == 0)
            gtk_drop_down_set_selected(GTK_DROP_DOWN(question->lecture), i + 1);
    }
    gtk_editable_set_text(GTK_EDITABLE(question->title), title);
    gtk_editable_set_text(GTK_EDITABLE(question->note), note ? note : "");
    gtk_editable_set_text(GTK_EDITABLE(question->name), _("My lecture"));
    GtkWidget *add = ns_button_new(_("Add scene"), NULL, G_CALLBACK(on_add), question);
    gtk_widget_add_css_class(add, "suggested-action");
    gtk_widget_set_halign(add, GTK_ALIGN_END);
    gtk_grid_attach(GTK_GRID(grid), add, 1, 5, 1, 1);
    if (remark) {
        GtkWidget *label = ns_text_label_new(remark, "hint");
        gtk_label_set_max_width_chars(GTK_LABEL(label), CHARS); /* it widens no window */
        gtk_grid_attach(GTK_GRID(grid), label, 0, 4, 2, 1);
    }
    gtk_widget_set_margin_top(grid, 12);
    gtk_widget_set_margin_bottom(grid, 12);
    gtk_widget_set_margin_start(grid, 12);
    gtk_widget_set_margin_end(grid, 12);
    ns_side_window_open(window, heading, -1, -1, grid);
    gtk_window_set_default_widget(GTK_WINDOW(gtk_widget_get_root(grid)), add);
    for (GtkWidget *each = gtk_widget_get_first_child(grid); each;
         each = gtk_widget_get_next_sibling(each))
        if (GTK_IS_ENTRY(each)) gtk_entry_set_activates_default(GTK_ENTRY(each), TRUE);
    gtk_widget_grab_focus(question->title);
}
