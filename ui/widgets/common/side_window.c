/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/side_window.h"

static void forget(GtkWindow *window, GObject *parent)
{
    g_object_set_data(parent, gtk_window_get_title(window), NULL);
}

GtkWidget *ns_side_window_raise(GtkWindow *parent, const char *title)
{
    GtkWindow *window = g_object_get_data(G_OBJECT(parent), title);
    if (!window) return NULL;
    gtk_window_present(window);
    return gtk_window_get_child(window);
}

GtkWidget *ns_side_window_open(GtkWindow *parent, const char *title, int width, int height,
                               GtkWidget *child)
{
    GtkWindow *window = GTK_WINDOW(gtk_window_new());
    gtk_window_set_title(window, title);
    gtk_window_set_transient_for(window, parent);
    gtk_window_set_destroy_with_parent(window, TRUE);
    gtk_window_set_default_size(window, width, height);
    gtk_window_set_titlebar(window, gtk_header_bar_new());
    gtk_window_set_child(window, child);
    GtkEventController *keys = gtk_shortcut_controller_new();
    gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys),
                                         gtk_shortcut_new(gtk_keyval_trigger_new(GDK_KEY_Escape, 0),
                                                          gtk_named_action_new("window.close")));
    gtk_widget_add_controller(GTK_WIDGET(window), keys);
    g_object_set_data(G_OBJECT(parent), title, window);
    g_signal_connect_object(window, "destroy", G_CALLBACK(forget), parent, 0);
    gtk_window_present(window);
    return child;
}
