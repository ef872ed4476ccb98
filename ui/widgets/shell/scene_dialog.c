/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/scene_dialog.h"

#include "core/base/words.h"
#include "core/store/lecture.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"

#include <glib/gstdio.h>
#include <string.h>

#define CHARS 40
#define NOTE_HEIGHT 66 /* pixels: three lines */
#define SCENES_WIDTH 560
#define SCENES_HEIGHT 520

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

/* ---- Notes: of several lines in their dialogs, of one in the file ---- */

static GtkWidget *note_new(const char *note)
{
    GtkWidget *view = gtk_text_view_new(), *frame = ns_scrolled_new(view);
    g_object_set(view, "wrap-mode", GTK_WRAP_WORD_CHAR, "accepts-tab", FALSE, "top-margin", 6,
                 "bottom-margin", 6, "left-margin", 8, "right-margin", 8, NULL);
    gtk_text_buffer_set_text(gtk_text_view_get_buffer(GTK_TEXT_VIEW(view)), note ? note : "", -1);
    ns_accessible_name(view, _("Note"));
    gtk_scrolled_window_set_has_frame(GTK_SCROLLED_WINDOW(frame), TRUE);
    gtk_widget_set_size_request(frame, -1, NOTE_HEIGHT);
    return frame;
}

static char *text_of(GtkWidget *entry)
{
    if (GTK_IS_EDITABLE(entry))
        return g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(entry))));
    char *note;
    GtkWidget *view = gtk_scrolled_window_get_child(GTK_SCROLLED_WINDOW(entry));
    g_object_get(gtk_text_view_get_buffer(GTK_TEXT_VIEW(view)), "text", &note, NULL);
    return g_strstrip(note);
}

static GtkWidget *hint_new(const char *words, const char *css_class)
{
    GtkWidget *label = ns_text_label_new(words, css_class);
    gtk_label_set_max_width_chars(GTK_LABEL(label), CHARS); /* it widens no window */
    gtk_widget_set_visible(label, *words);
    return label;
}

/* Closes the window, or says in it why not. */
static void finish(GtkWidget *failure, const GError *error)
{
    if (error)
        gtk_label_set_text(GTK_LABEL(failure), error->message);
    else
        gtk_window_destroy(GTK_WINDOW(gtk_widget_get_root(failure)));
    if (error) gtk_widget_set_visible(failure, TRUE);
}

/* ---- Adding a scene ---- */

typedef struct {
    GtkWindow *window;
    NsSceneEntered entered;
    GtkWidget *title, *note, *lecture, *name, *failure;
    char **paths; /* those of the drop-down; its first row is a new lecture */
} Question;

static void question_free(gpointer data)
{
    g_strfreev(((Question *)data)->paths);
    g_free(data);
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
    g_autoptr(GError) error = NULL;
    question->entered(question->window, path, title, note, &error);
    finish(question->failure, error);
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
        .note = add_row(grid, 1, _("Note"), note_new(note)),
        .lecture = add_row(grid, 2, _("Lecture"), gtk_drop_down_new(G_LIST_MODEL(names), NULL)),
        .name = add_row(grid, 3, _("Title of the new lecture"), gtk_entry_new()),
        .failure = hint_new("", "error"),
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
    gtk_editable_set_text(GTK_EDITABLE(question->name), _("My lecture"));
    GtkWidget *add = ns_button_new(_("Add scene"), NULL, G_CALLBACK(on_add), question);
    gtk_widget_add_css_class(add, "suggested-action");
    gtk_widget_set_halign(add, GTK_ALIGN_END);
    gtk_grid_attach(GTK_GRID(grid), add, 1, 6, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), question->failure, 0, 5, 2, 1);
    const char *saved = _("The scene keeps the settings, page, chart and step on view.");
    gtk_grid_attach(GTK_GRID(grid), hint_new(saved, "hint"), 0, -1, 2, 1);
    if (remark) gtk_grid_attach(GTK_GRID(grid), hint_new(remark, "hint"), 0, 4, 2, 1);
    g_object_set(grid, "margin-top", 12, "margin-bottom", 12, "margin-start", 12, "margin-end", 12,
                 NULL);
    ns_side_window_open(window, heading, -1, -1, grid);
    gtk_window_set_default_widget(GTK_WINDOW(gtk_widget_get_root(grid)), add);
    for (GtkWidget *each = gtk_widget_get_first_child(grid); each;
         each = gtk_widget_get_next_sibling(each))
        if (GTK_IS_ENTRY(each)) gtk_entry_set_activates_default(GTK_ENTRY(each), TRUE);
    gtk_widget_grab_focus(question->title);
}

/* ---- Editing the scenes of a lecture ---- */

typedef struct {
    GtkWindow *window;
    NsScenesEdited edited;
    GtkWidget *rows; /* those of removed scenes are hidden, behind the others */
    GtkWidget *failure;
    char *path;
    size_t listed;
} Editor;

static const char SCENE[] = "ns-scene";

static void editor_free(gpointer data)
{
    g_free(((Editor *)data)->path);
    g_free(data);
}

static bool is_listed(GtkWidget *row)
{
    return row && gtk_widget_get_visible(row);
}

/* Which buttons can be pressed; a lecture keeps one scene. */
static void sync_rows(GtkWidget *rows)
{
    for (GtkWidget *row = gtk_widget_get_first_child(rows); row;
         row = gtk_widget_get_next_sibling(row)) {
        GtkWidget *before = gtk_widget_get_prev_sibling(row);
        bool last = !is_listed(gtk_widget_get_next_sibling(row));
        GtkWidget *remove = gtk_widget_get_last_child(gtk_widget_get_first_child(row));
        GtkWidget *down = gtk_widget_get_prev_sibling(remove);
        gtk_widget_set_sensitive(gtk_widget_get_prev_sibling(down), before != NULL);
        gtk_widget_set_sensitive(down, !last);
        gtk_widget_set_sensitive(remove, before || !last);
    }
}

static void on_up(GtkWidget *row)
{
    GtkWidget *rows = gtk_widget_get_parent(row);
    gtk_box_reorder_child_after(GTK_BOX(rows), gtk_widget_get_prev_sibling(row), row);
    sync_rows(rows);
}

static void on_down(GtkWidget *row)
{
    GtkWidget *rows = gtk_widget_get_parent(row);
    gtk_box_reorder_child_after(GTK_BOX(rows), row, gtk_widget_get_next_sibling(row));
    sync_rows(rows);
}

static void on_removed(GtkWidget *row)
{
    GtkWidget *rows = gtk_widget_get_parent(row);
    gtk_widget_set_visible(row, FALSE);
    gtk_box_reorder_child_after(GTK_BOX(rows), row, gtk_widget_get_last_child(rows));
    sync_rows(rows);
}

static GtkWidget *row_button(const char *icon, const char *words, GCallback clicked, GtkWidget *row)
{
    GtkWidget *button = ns_icon_button_new(icon, words);
    g_signal_connect_swapped(button, "clicked", clicked, row);
    return button;
}

/* The title and the buttons; below them the note. */
static GtkWidget *scene_row(const NsPreset *scene, size_t i)
{
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    GtkWidget *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
    GtkWidget *title = ns_entry_new(_("Title"), CHARS);
    if (scene->experiment.title)
        gtk_editable_set_text(GTK_EDITABLE(title), scene->experiment.title);
    gtk_widget_set_hexpand(title, TRUE);
    ns_box_append(
        head, title, row_button("go-up-symbolic", _("Move up"), G_CALLBACK(on_up), row),
        row_button("go-down-symbolic", _("Move down"), G_CALLBACK(on_down), row),
        row_button("list-remove-symbolic", _("Remove scene"), G_CALLBACK(on_removed), row), NULL);
    ns_box_append(row, head, note_new(scene->note), NULL);
    g_object_set_data(G_OBJECT(row), SCENE, GSIZE_TO_POINTER(i));
    return row;
}

static void on_edited(Editor *editor)
{
    g_autoptr(GArray) edits = g_array_new(FALSE, FALSE, sizeof(NsSceneEdit));
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    for (GtkWidget *row = gtk_widget_get_first_child(editor->rows); is_listed(row);
         row = gtk_widget_get_next_sibling(row)) {
        char *title = text_of(gtk_widget_get_first_child(gtk_widget_get_first_child(row)));
        char *note = text_of(gtk_widget_get_last_child(row));
        NsSceneEdit edit = {GPOINTER_TO_SIZE(g_object_get_data(G_OBJECT(row), SCENE)), title, note};
        g_array_append_val(edits, edit);
        g_ptr_array_add(texts, title);
        g_ptr_array_add(texts, note);
    }
    const NsSceneEdit *all = (const NsSceneEdit *)(const void *)edits->data;
    g_autoptr(GError) error = NULL;
    editor->edited(editor->window, editor->path, editor->listed, all, edits->len, &error);
    finish(editor->failure, error);
}

void ns_scene_editor_show(GtkWindow *window, const char *path, const NsLecture *lecture,
                          NsScenesEdited edited)
{
    if (ns_side_window_raise(window, path)) return; /* lectures can have the same name */
    g_autofree char *name = ns_lecture_name(path);
    g_autofree char *heading = g_strdup_printf(_("Scenes of “%s”"), name);
    Editor *editor = g_new0(Editor, 1);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
    GtkWidget *rows = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
    *editor = (Editor){window, edited, rows, hint_new("", "error"), g_strdup(path), lecture->n};
    g_object_set_data_full(G_OBJECT(box), "ns-editor", editor, editor_free);
    for (size_t i = 0; i < lecture->n; i++)
        gtk_box_append(GTK_BOX(rows), scene_row(&lecture->scene[i].preset, i));
    sync_rows(rows);
    GtkWidget *save = ns_button_new(_("Save"), NULL, G_CALLBACK(on_edited), editor);
    gtk_widget_add_css_class(save, "suggested-action");
    gtk_widget_set_halign(save, GTK_ALIGN_END);
    ns_box_append(box, ns_scrolled_new(rows), editor->failure, save, NULL);
    g_object_set(box, "margin-top", 12, "margin-bottom", 12, "margin-start", 12, "margin-end", 12,
                 NULL);
    ns_side_window_open(window, path, SCENES_WIDTH, SCENES_HEIGHT, box);
    gtk_window_set_title(GTK_WINDOW(gtk_widget_get_root(box)), heading);
}
