/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/help_window.h"

#include "core/base/words.h"
#include "ui/widgets/common/accessible.h"
#include "ui/widgets/common/text_label.h"
#include "ui/widgets/shell/help_topics.h"

#define WIDTH 860
#define HEIGHT 620
#define LIST_WIDTH 270

#define NS_TYPE_HELP_WINDOW (ns_help_window_get_type())
G_DECLARE_FINAL_TYPE(NsHelpWindow, ns_help_window, NS, HELP_WINDOW, GtkWindow)

struct _NsHelpWindow {
    GtkWindow parent;
    GPtrArray *topics; /* NsHelpTopic */
    GtkWidget *search, *list, *page, *scroller, *nothing;
};

G_DEFINE_FINAL_TYPE(NsHelpWindow, ns_help_window, GTK_TYPE_WINDOW)

static const char TOPIC[] = "ns-help-topic";

static const NsHelpTopic *topic_of(GtkListBoxRow *row)
{
    return g_object_get_data(G_OBJECT(row), TOPIC);
}

static void show_topic(NsHelpWindow *window, const NsHelpTopic *topic)
{
    for (GtkWidget *child = gtk_widget_get_first_child(window->page); child;
         child = gtk_widget_get_first_child(window->page))
        gtk_box_remove(GTK_BOX(window->page), child);
    gtk_box_append(GTK_BOX(window->page), ns_text_label_new(topic->title, "title-2"));
    for (guint i = 0; i < topic->paragraphs->len; i++) {
        const char *text = g_ptr_array_index(topic->paragraphs, i);
        bool code = topic->manual && ns_help_is_code(text);
        GtkWidget *label = ns_text_label_new(text, code ? "help-code" : NULL);
        gtk_label_set_selectable(GTK_LABEL(label), code);
        if (topic->manual) {
            g_autofree char *markup = ns_help_markup(text);
            gtk_label_set_markup(GTK_LABEL(label), markup);
        }
        gtk_box_append(GTK_BOX(window->page), label);
    }
    GtkAdjustment *top = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(window->scroller));
    gtk_adjustment_set_value(top, 0.0);
}

static void on_selected(GtkListBox *list, GtkListBoxRow *row, NsHelpWindow *window)
{
    (void)list;
    if (row) show_topic(window, topic_of(row));
}

static gboolean is_shown(GtkListBoxRow *row, gpointer data)
{
    NsHelpWindow *window = data;
    return ns_help_topic_matches(topic_of(row),
                                 gtk_editable_get_text(GTK_EDITABLE(window->search)));
}

/* The first topic with the question in its title, or else the first in whose text it is. */
static GtkListBoxRow *best_shown(NsHelpWindow *window)
{
    const char *question = gtk_editable_get_text(GTK_EDITABLE(window->search));
    GtkListBoxRow *row, *first = NULL;
    for (int i = 0; (row = gtk_list_box_get_row_at_index(GTK_LIST_BOX(window->list), i)); i++) {
        if (!is_shown(row, window)) continue;
        if (*question && g_str_match_string(question, topic_of(row)->title, TRUE)) return row;
        if (!first) first = row;
    }
    return first;
}

/* Escape leaves the search first, then the help. */
static void on_stop_search(NsHelpWindow *window)
{
    bool searches = *gtk_editable_get_text(GTK_EDITABLE(window->search));
    if (searches)
        gtk_editable_set_text(GTK_EDITABLE(window->search), "");
    else
        gtk_window_close(GTK_WINDOW(window));
}

static void on_search(NsHelpWindow *window)
{
    gtk_list_box_invalidate_filter(GTK_LIST_BOX(window->list));
    gtk_list_box_invalidate_headers(GTK_LIST_BOX(window->list));
    GtkListBoxRow *row = best_shown(window);
    gtk_widget_set_visible(window->nothing, !row);
    if (row) gtk_list_box_select_row(GTK_LIST_BOX(window->list), row);
}

static void add_header(GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
    (void)data;
    const char *section = topic_of(row)->section;
    bool first = !before || !g_str_equal(topic_of(before)->section, section);
    if (!first) {
        gtk_list_box_row_set_header(row, NULL);
        return;
    }
    GtkWidget *label = ns_line_label_new(section, "heading");
    gtk_widget_add_css_class(label, "help-section");
    gtk_list_box_row_set_header(row, label);
}

static GtkWidget *make_row(NsHelpTopic *topic)
{
    GtkWidget *row = gtk_list_box_row_new(), *label = ns_line_label_new(topic->title, NULL);
    gtk_widget_set_tooltip_text(row, topic->title);
    gtk_widget_add_css_class(row, "help-topic");
    gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), label);
    ns_accessible_name(row, topic->title);
    g_object_set_data(G_OBJECT(row), TOPIC, topic);
    return row;
}

static GtkWidget *scrolled(GtkWidget *child)
{
    GtkWidget *scroller = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), child);
    gtk_widget_set_vexpand(scroller, TRUE);
    return scroller;
}

static GtkWidget *make_side(NsHelpWindow *window)
{
    GtkWidget *side = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    window->search = gtk_search_entry_new();
    window->list = gtk_list_box_new();
    window->nothing = gtk_label_new(_("No topic matches."));
    gtk_search_entry_set_key_capture_widget(GTK_SEARCH_ENTRY(window->search), GTK_WIDGET(window));
    ns_accessible_name(window->search, _("Search the help"));
    ns_accessible_name(window->list, _("Topics"));
    gtk_widget_add_css_class(window->search, "help-search");
    gtk_widget_add_css_class(window->list, "navigation-sidebar");
    gtk_widget_add_css_class(window->nothing, "hint");
    gtk_widget_set_visible(window->nothing, FALSE);
    gtk_list_box_set_header_func(GTK_LIST_BOX(window->list), add_header, NULL, NULL);
    for (guint i = 0; i < window->topics->len; i++)
        gtk_list_box_append(GTK_LIST_BOX(window->list),
                            make_row(g_ptr_array_index(window->topics, i)));
    gtk_list_box_set_filter_func(GTK_LIST_BOX(window->list), is_shown, window, NULL);
    gtk_box_append(GTK_BOX(side), window->search);
    gtk_box_append(GTK_BOX(side), window->nothing);
    gtk_box_append(GTK_BOX(side), scrolled(window->list));
    gtk_widget_set_size_request(side, LIST_WIDTH, -1);
    g_signal_connect_swapped(window->search, "search-changed", G_CALLBACK(on_search), window);
    g_signal_connect_swapped(window->search, "stop-search", G_CALLBACK(on_stop_search), window);
    g_signal_connect(window->list, "row-selected", G_CALLBACK(on_selected), window);
    return side;
}

/* An event may hold the list a little longer than the window, whose topics it tells apart. */
static void ns_help_window_dispose(GObject *object)
{
    NsHelpWindow *window = NS_HELP_WINDOW(object);
    if (window->list) {
        GtkListBox *list = GTK_LIST_BOX(window->list);
        g_signal_handlers_disconnect_by_data(list, window);
        g_signal_handlers_disconnect_by_data(window->search, window);
        gtk_list_box_set_filter_func(list, NULL, NULL, NULL);
        gtk_list_box_set_header_func(list, NULL, NULL, NULL);
    }
    window->list = NULL;
    G_OBJECT_CLASS(ns_help_window_parent_class)->dispose(object);
}

static void ns_help_window_finalize(GObject *object)
{
    g_ptr_array_unref(NS_HELP_WINDOW(object)->topics);
    G_OBJECT_CLASS(ns_help_window_parent_class)->finalize(object);
}

static void ns_help_window_class_init(NsHelpWindowClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = ns_help_window_dispose;
    G_OBJECT_CLASS(klass)->finalize = ns_help_window_finalize;
    gtk_widget_class_add_binding_action(GTK_WIDGET_CLASS(klass), GDK_KEY_Escape, 0, "window.close",
                                        NULL);
}

static void ns_help_window_init(NsHelpWindow *window)
{
    window->topics = ns_help_topics();
    window->page = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10);
    gtk_widget_add_css_class(window->page, "help-page");
    window->scroller = scrolled(window->page);
    GtkWidget *paned = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);
    gtk_paned_set_start_child(GTK_PANED(paned), make_side(window));
    gtk_paned_set_end_child(GTK_PANED(paned), window->scroller);
    gtk_paned_set_resize_start_child(GTK_PANED(paned), FALSE);
    gtk_paned_set_shrink_start_child(GTK_PANED(paned), FALSE);
    gtk_paned_set_shrink_end_child(GTK_PANED(paned), FALSE);
    gtk_paned_set_position(GTK_PANED(paned), LIST_WIDTH);
    gtk_window_set_titlebar(GTK_WINDOW(window), gtk_header_bar_new());
    gtk_window_set_child(GTK_WINDOW(window), paned);
    gtk_window_set_title(GTK_WINDOW(window), _("Help"));
    gtk_window_set_default_size(GTK_WINDOW(window), WIDTH, HEIGHT);
    on_search(window);
}

static void choose(NsHelpWindow *window, const char *topic)
{
    gtk_editable_set_text(GTK_EDITABLE(window->search), "");
    for (guint i = 0; i < window->topics->len; i++) {
        const NsHelpTopic *at = g_ptr_array_index(window->topics, i);
        if (!g_str_equal(at->key, topic)) continue;
        GtkListBoxRow *row = gtk_list_box_get_row_at_index(GTK_LIST_BOX(window->list), (int)i);
        gtk_list_box_select_row(GTK_LIST_BOX(window->list), row);
        gtk_widget_grab_focus(GTK_WIDGET(row));
        return;
    }
}

void ns_help_present(GtkWindow *parent, const char *topic)
{
    static NsHelpWindow *shown;
    if (!shown) {
        shown = g_object_new(NS_TYPE_HELP_WINDOW, NULL);
        g_object_add_weak_pointer(G_OBJECT(shown), (gpointer *)&shown);
    }
    /* It closes with the window that opened it, and may be behind that window. */
    gtk_window_set_transient_for(GTK_WINDOW(shown), parent);
    gtk_window_set_destroy_with_parent(GTK_WINDOW(shown), TRUE);
    if (topic) choose(shown, topic);
    gtk_window_present(GTK_WINDOW(shown));
}
