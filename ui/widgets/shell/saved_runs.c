/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/saved_runs.h"

#include "core/base/words.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"
#include "ui/widgets/shell/open_file.h"

#define WIDTH 1180
#define HEIGHT 620
#define GIB ((double)(1 << 30))
#define MIB ((size_t)1 << 20)
#define USUAL_GIB 10.0 /* if no preferences can be stored */

/* ---- Recording ---- */

static char *folder_of_runs(void)
{
    return g_build_filename(g_get_user_data_dir(), "normscope", "runs", NULL);
}

static guint64 most_bytes(void)
{
    GSettings *preferences = ns_preferences();
    return (guint64)((preferences ? g_settings_get_double(preferences, "record-gib") : USUAL_GIB) *
                     GIB);
}

void ns_saved_runs_record(NsWindow *window)
{
    NsSession *session = window->session;
    GSettings *preferences = ns_preferences();
    g_autofree char *folder = folder_of_runs();
    bool record = !preferences || g_settings_get_boolean(preferences, "record");
    if (preferences)
        ns_session_set_checkpoint_bytes(
            session, (size_t)g_settings_get_int(preferences, "checkpoint-mib") * MIB);
    ns_session_set_recording(session, record ? folder : NULL, most_bytes());
}

/* ---- The library ---- */

static void on_open(NsRunLibrary *library, const char *path, NsWindow *window)
{
    ns_window_open(window, path, false);
    gtk_window_close(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(library))));
}

static void on_pin(NsWindow *window, const char *path)
{
    g_autoptr(GError) error = NULL;
    if (!ns_session_pin_file(window->session, path, &error))
        ns_window_toast(window, error->message);
}

static void on_runs(NsRunLibrary *library, NsSession *session)
{
    g_auto(GStrv) pinned = ns_session_pinned_files(session);
    ns_run_library_set_pinned(library, (const char *const *)pinned);
}

static void on_marks(NsWindow *window, GHashTable *marks)
{
    ns_session_mark_runs(window->session, marks ? g_hash_table_ref(marks) : NULL);
}

static void on_recording(NsWindow *window, gboolean recording, guint64 most, guint64 checkpoints)
{
    GSettings *preferences = ns_preferences();
    if (preferences) {
        g_settings_set_boolean(preferences, "record", recording);
        g_settings_set_double(preferences, "record-gib", (double)most / GIB);
        g_settings_set_int(preferences, "checkpoint-mib", (int)(checkpoints / MIB));
    }
    ns_saved_runs_record(window);
    ns_session_set_checkpoint_bytes(window->session, (size_t)checkpoints);
}

/* A name of a folder may have any bytes; a setting is UTF-8. */
static void on_folder(NsWindow *window, const char *path)
{
    (void)window;
    g_autofree char *own = folder_of_runs();
    g_autofree char *uri = g_str_equal(path, own) ? NULL : g_filename_to_uri(path, NULL, NULL);
    if (ns_preferences()) g_settings_set_string(ns_preferences(), "runs-folder", uri ? uri : "");
}

static GtkWidget *make_library(NsWindow *parent)
{
    g_autofree char *own = folder_of_runs();
    g_autofree char *uri =
        ns_preferences() ? g_settings_get_string(ns_preferences(), "runs-folder") : NULL;
    g_autofree char *last = uri && *uri ? g_filename_from_uri(uri, NULL, NULL) : NULL;
    bool there = last && g_file_test(last, G_FILE_TEST_IS_DIR);
    NsSession *session = parent->session;
    g_auto(GStrv) pinned = ns_session_pinned_files(session);
    GtkWidget *library = ns_run_library_new(own, there ? last : own, (const char *const *)pinned);
    ns_run_library_set_recording(NS_RUN_LIBRARY(library), session->folder != NULL, most_bytes(),
                                 session->most_checkpoint_bytes);
    g_signal_connect_object(library, "open", G_CALLBACK(on_open), parent, 0);
    ns_connect(library, "folder", G_CALLBACK(on_folder), parent);
    ns_connect(library, "pin", G_CALLBACK(on_pin), parent);
    ns_connect(library, "marks", G_CALLBACK(on_marks), parent);
    ns_connect(library, "recording", G_CALLBACK(on_recording), parent);
    ns_session_listen(session, "runs-changed", G_CALLBACK(on_runs), library);
    return library;
}

NsRunLibrary *ns_saved_runs_present(NsWindow *parent)
{
    const char *title = _("Saved runs");
    GtkWidget *library = ns_side_window_raise(GTK_WINDOW(parent), title);
    if (!library)
        library =
            ns_side_window_open(GTK_WINDOW(parent), title, WIDTH, HEIGHT, make_library(parent));
    return NS_RUN_LIBRARY(library);
}
