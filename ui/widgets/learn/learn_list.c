/* SPDX-License-Identifier: MIT */
#include "ui/widgets/learn/learn_list.h"

#include "core/base/words.h"
#include "core/store/bundled.h"
#include "ui/widgets/common/helpers.h"

/* ---- Finished lessons ---- */

#define FINISHED_KEY "lessons"

/* The keys of finished lessons; without stored preferences, those of this session. */
static GHashTable *finished(void)
{
    static GHashTable *keys;
    if (keys) return keys;
    keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GSettings *preferences = ns_preferences();
    g_auto(GStrv) known = preferences ? g_settings_get_strv(preferences, FINISHED_KEY) : NULL;
    for (char **key = known; key && *key; key++) g_hash_table_add(keys, g_strdup(*key));
    return keys;
}

void ns_lesson_set_finished(const char *key)
{
    g_hash_table_add(finished(), g_strdup(key));
    GSettings *preferences = ns_preferences();
    if (!preferences) return;
    g_autofree gpointer *keys = g_hash_table_get_keys_as_array(finished(), NULL);
    g_settings_set_strv(preferences, FINISHED_KEY, (const char *const *)keys);
}

/* ---- The list ---- */

#define LEAST_CHARS 18
#define COLUMNS 2
#define ROW_CHARS 58
#define ROW_LEAST_CHARS 13

GtkWidget *ns_learn_label_new(const char *text, const char *style, int chars)
{
    GtkWidget *label = ns_text_label_new(text, style);
    /* The minimum width is bounded, because the height of a window is that of its labels at their
     * minimum width. */
    gtk_label_set_width_chars(GTK_LABEL(label), MIN(chars, LEAST_CHARS));
    gtk_label_set_max_width_chars(GTK_LABEL(label), chars);
    gtk_widget_set_halign(label, GTK_ALIGN_START);
    return label;
}

GtkWidget *ns_learn_close_new(void)
{
    GtkWidget *close = ns_icon_button_new("window-close-symbolic", _("Close the lessons"));
    gtk_widget_set_valign(close, GTK_ALIGN_START);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(close), NS_LEARN_CLOSE);
    return close;
}

static GtkWidget *new_row(const char *title, const char *purpose)
{
    GtkWidget *row = gtk_button_new(), *words = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget *head = ns_learn_label_new(title, "row-title", ROW_CHARS);
    GtkWidget *foot = ns_learn_label_new(purpose, "hint", ROW_CHARS);
    gtk_label_set_width_chars(GTK_LABEL(head), ROW_LEAST_CHARS);
    gtk_label_set_width_chars(GTK_LABEL(foot), ROW_LEAST_CHARS);
    ns_box_append(words, head, foot, NULL);
    gtk_button_set_child(GTK_BUTTON(row), words);
    gtk_widget_add_css_class(row, "flat");
    gtk_widget_set_hexpand(row, TRUE);
    ns_accessible_name(row, title);
    return row;
}

/* The first lesson, a tour for newcomers, has no number. */
static char *numbered_name(size_t i)
{
    const char *name = _(ns_lesson_choice(i)->label);
    return i ? g_strdup_printf(_("%d  %s"), (int)i, name) : g_strdup(name);
}

static GtkWidget *new_lesson_row(size_t i)
{
    const NsChoice *lesson = ns_lesson_choice(i);
    g_autofree char *numbered = numbered_name(i);
    g_autofree char *done = g_strdup_printf(_("%s (done)"), numbered);
    GtkWidget *row = new_row(g_hash_table_contains(finished(), lesson->key) ? done : numbered,
                             _(lesson->purpose));
    gtk_actionable_set_action_name(GTK_ACTIONABLE(row), NS_LEARN_BEGIN);
    gtk_actionable_set_action_target(GTK_ACTIONABLE(row), "u", (guint32)i);
    return row;
}

static GtkWidget *new_choice_row(const NsChoice *choice, const char *action)
{
    GtkWidget *row = new_row(_(choice->label), _(choice->purpose));
    gtk_actionable_set_action_name(GTK_ACTIONABLE(row), action);
    gtk_actionable_set_action_target(GTK_ACTIONABLE(row), "s", choice->key);
    return row;
}

static GtkWidget *new_preset_row(size_t i)
{
    return new_choice_row(ns_preset_choice(i), NS_LEARN_PRESET);
}

static GtkWidget *new_lecture_row(size_t i)
{
    return new_choice_row(ns_lecture_choice(i), "win.lecture");
}

/* The lectures that the user made, below those of the program. */
static void append_own(GtkWidget *grid, GMenuModel *own)
{
    int n = own ? g_menu_model_get_n_items(own) : 0, above = 0;
    while (gtk_grid_get_child_at(GTK_GRID(grid), 0, above)) above++;
    for (int i = 0; i < n; i++) {
        g_autofree char *name = NULL, *path = NULL;
        g_menu_model_get_item_attribute(own, i, G_MENU_ATTRIBUTE_LABEL, "s", &name);
        g_menu_model_get_item_attribute(own, i, G_MENU_ATTRIBUTE_TARGET, "s", &path);
        const NsChoice choice = {.key = path, .label = name, .purpose = N_("Your own lecture")};
        GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
        GtkWidget *edit = ns_icon_button_new("document-edit-symbolic", _("Edit scenes"));
        gtk_actionable_set_action_name(GTK_ACTIONABLE(edit), "win.edit-scenes");
        gtk_actionable_set_action_target(GTK_ACTIONABLE(edit), "s", path);
        ns_box_append(row, new_choice_row(&choice, "win.lecture"), edit, NULL);
        gtk_grid_attach(GTK_GRID(grid), row, i % COLUMNS, above + i / COLUMNS, 1, 1);
    }
}

/* The rows of a registry from row `from` on, column by column. */
static GtkWidget *new_grid(NsChoices rows, size_t from, GtkWidget *(*make)(size_t i))
{
    GtkWidget *grid = ns_grid_new(4, 8);
    gtk_grid_set_column_homogeneous(GTK_GRID(grid), TRUE);
    size_t n = 0;
    while (rows(from + n)) n++;
    int high = (int)((n + COLUMNS - 1) / COLUMNS);
    for (size_t i = 0; i < n; i++)
        gtk_grid_attach(GTK_GRID(grid), make(from + i), (int)i / high, (int)i % high, 1, 1);
    return grid;
}

static GtkWidget *new_title(const char *words)
{
    GtkWidget *title = ns_learn_label_new(words, "card-title", NS_LEARN_CHARS);
    gtk_widget_set_hexpand(title, TRUE);
    gtk_widget_set_margin_start(title, 10); /* where the text of a flat button begins */
    return title;
}

static GtkWidget *new_handouts(void)
{
    g_autoptr(GMenu) menu = g_menu_new();
    for (size_t i = 0; ns_lesson_choice(i); i++) {
        g_autofree char *name = numbered_name(i);
        g_autofree char *action = g_strconcat("win.handout::", ns_lesson_choice(i)->key, NULL);
        g_menu_append(menu, name, action);
    }
    GtkWidget *button = gtk_menu_button_new();
    gtk_menu_button_set_label(GTK_MENU_BUTTON(button), _("Handouts"));
    gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), G_MENU_MODEL(menu));
    gtk_widget_set_tooltip_text(
        button,
        _("Save a lesson as a PDF, with measured charts and the answers on their own page"));
    gtk_widget_set_valign(button, GTK_ALIGN_START);
    return button;
}

#define RESUME_CHARS 26

GtkWidget *ns_learn_list_new(const char *resume, GMenuModel *own)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    GtkWidget *presets = new_title(_("Experiments to begin with"));
    GtkWidget *lectures = new_title(_("Lectures"));
    gtk_widget_set_margin_top(presets, 12);
    gtk_widget_set_margin_top(lectures, 12);
    GtkWidget *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
    gtk_box_append(GTK_BOX(head), new_title(_("Twelve hands-on lessons of a few minutes each")));
    gtk_box_append(GTK_BOX(head), new_handouts());
    if (resume) {
        GtkWidget *button = gtk_button_new_with_label(resume);
        /* A long title does not push the inspector out of the window. */
        GtkLabel *label = GTK_LABEL(gtk_button_get_child(GTK_BUTTON(button)));
        gtk_label_set_ellipsize(label, PANGO_ELLIPSIZE_END);
        gtk_label_set_width_chars(label, MIN(RESUME_CHARS, (int)g_utf8_strlen(resume, -1)));
        gtk_widget_set_tooltip_text(button, _("Back to the card where you left off"));
        gtk_widget_set_valign(button, GTK_ALIGN_START);
        gtk_actionable_set_action_name(GTK_ACTIONABLE(button), NS_LEARN_RESUME);
        gtk_box_append(GTK_BOX(head), button);
    }
    gtk_box_append(GTK_BOX(head), ns_learn_close_new());
    GtkWidget *given = new_grid(ns_lecture_choice, 0, new_lecture_row);
    append_own(given, own);
    ns_box_append(box, head, new_lesson_row(0), new_grid(ns_lesson_choice, 1, new_lesson_row),
                  lectures, given, presets, new_grid(ns_preset_choice, 0, new_preset_row), NULL);
    return box;
}
