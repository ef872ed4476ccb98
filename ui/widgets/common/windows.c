/* Dialogs for files, windows beside a window, and what GTK's scrolled windows leave behind.
 * SPDX-License-Identifier: MIT */
#include "ui/widgets/common/windows.h"

#include <stdbool.h>

/* ---- Dialogs for one file ---- */

typedef struct {
    NsFileChosen chosen;
    GObject *owner; /* weak */
} Request;

/* A timer of GTK 4.18 uses the folder that is being read after the dialog was destroyed. */
#define READ_MS 1000

static gboolean let_go(gpointer dialog)
{
    g_object_unref(dialog);
    return G_SOURCE_REMOVE;
}

static void on_response(GtkNativeDialog *dialog, int response, gpointer user_data)
{
    Request *request = user_data;
    if (response == GTK_RESPONSE_ACCEPT) {
        g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
        g_autofree char *path = file ? g_file_get_path(file) : NULL;
        if (path && request->owner) request->chosen(path, request->owner);
    }
    g_clear_weak_pointer(&request->owner);
    g_free(request);
    g_timeout_add(READ_MS, let_go, dialog);
}

static void show(GtkFileChooserNative *dialog, NsFileChosen chosen, gpointer owner)
{
    Request *request = g_new0(Request, 1);
    request->chosen = chosen;
    g_set_weak_pointer(&request->owner, owner);
    gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
    g_signal_connect(dialog, "response", G_CALLBACK(on_response), request);
    gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

void ns_file_dialog_open(GtkWindow *parent, const char *title, NsFileChosen chosen, gpointer owner)
{
    show(gtk_file_chooser_native_new(title, parent, GTK_FILE_CHOOSER_ACTION_OPEN, NULL, NULL),
         chosen, owner);
}

void ns_file_dialog_folder(GtkWindow *parent, const char *title, NsFileChosen chosen,
                           gpointer owner)
{
    show(gtk_file_chooser_native_new(title, parent, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, NULL,
                                     NULL),
         chosen, owner);
}

void ns_file_dialog_save(GtkWindow *parent, const char *title, const char *name,
                         NsFileChosen chosen, gpointer owner)
{
    GtkFileChooserNative *dialog =
        gtk_file_chooser_native_new(title, parent, GTK_FILE_CHOOSER_ACTION_SAVE, NULL, NULL);
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), name);
    show(dialog, chosen, owner);
}

static void on_shown(GObject *bus, GAsyncResult *result, gpointer user_data)
{
    g_autoptr(GFile) file = user_data;
    g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, NULL);
    g_autoptr(GFile) folder = g_file_get_parent(file);
    if (reply || !folder) return;
    g_autofree char *uri = g_file_get_uri(folder);
    g_app_info_launch_default_for_uri_async(uri, NULL, NULL, NULL, NULL);
}

static void on_bus(GObject *source, GAsyncResult *result, gpointer user_data)
{
    (void)source;
    g_autoptr(GFile) file = user_data;
    g_autoptr(GDBusConnection) bus = g_bus_get_finish(result, NULL);
    if (!bus) return;
    g_autofree char *uri = g_file_get_uri(file);
    const char *const uris[] = {uri, NULL};
    g_dbus_connection_call(bus, "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1",
                           "org.freedesktop.FileManager1", "ShowItems",
                           g_variant_new("(^ass)", uris, ""), NULL, G_DBUS_CALL_FLAGS_NONE, -1,
                           NULL, on_shown, g_object_ref(file));
}

void ns_file_show_in_folder(const char *path)
{
    g_bus_get(G_BUS_TYPE_SESSION, NULL, on_bus, g_file_new_for_path(path));
}

/* ---- Windows that go with another one ---- */

static void forget(GtkWidget *window, GObject *parent)
{
    g_object_set_data(parent, gtk_widget_get_name(window), NULL);
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
    gtk_widget_set_name(GTK_WIDGET(window), title); /* stays when the child changes the title */
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

/* ---- Scrolled windows ---- */

static gboolean on_unrealize(GSignalInvocationHint *hint, guint n, const GValue *values,
                             gpointer data)
{
    (void)hint, (void)n, (void)data;
    GtkWidget *widget = g_value_get_object(values);
    if (GTK_IS_SCROLLED_WINDOW(widget))
        g_signal_handlers_disconnect_matched(
            gtk_widget_get_settings(widget),
            G_SIGNAL_MATCH_ID | G_SIGNAL_MATCH_DETAIL | G_SIGNAL_MATCH_DATA,
            g_signal_lookup("notify", GTK_TYPE_SETTINGS),
            g_quark_from_static_string("gtk-overlay-scrolling"), NULL, NULL, widget);
    return TRUE;
}

void ns_scrolled_windows_let_go(void)
{
    static bool once;
    if (once) return;
    once = true;
    g_type_class_ref(GTK_TYPE_WIDGET); /* otherwise it has no signals yet */
    g_signal_add_emission_hook(g_signal_lookup("unrealize", GTK_TYPE_WIDGET), 0, on_unrealize, NULL,
                               NULL);
}
