/* Asks before a window closes.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/close_guard.h"

#include "core/base/words.h"

static const char GUARD[] = "ns-close-guard";

typedef struct {
    GHashTable *saved; /* the saved histories, with their number of records at that time */
    GtkWidget *question;
} Guard;

enum { ANSWER_EXPORT = 1, ANSWER_CLOSE = 2 };

static void guard_free(gpointer data)
{
    Guard *guard = data;
    g_hash_table_unref(guard->saved);
    g_free(guard);
}

static Guard *guard_of(NsWindow *window)
{
    return g_object_get_data(G_OBJECT(window), GUARD);
}

static void on_saved(NsWindow *window)
{
    const NsView *view = window->session->view;
    for (size_t i = 0; i < view->started.n; i++) {
        NsHistory *history = view->histories[i];
        if (history)
            g_hash_table_insert(guard_of(window)->saved, ns_history_ref(history),
                                GSIZE_TO_POINTER(ns_history_steps(history)));
    }
}

bool ns_close_guard_asks(NsWindow *window)
{
    double seconds = ns_session_unsaved_seconds(window->session, guard_of(window)->saved);
    return seconds > NS_WORTH_ASKING_S;
}

static void on_answer(GtkDialog *question, int answer, NsWindow *window)
{
    guard_of(window)->question = NULL;
    /* The dialog exists until this signal has ended, and so may outlive the window. */
    gtk_window_set_transient_for(GTK_WINDOW(question), NULL);
    gtk_window_destroy(GTK_WINDOW(question));
    if (answer == ANSWER_CLOSE) gtk_window_destroy(GTK_WINDOW(window));
    if (answer == ANSWER_EXPORT)
        g_action_group_activate_action(G_ACTION_GROUP(window), "export-all", NULL);
}

GtkWidget *ns_close_guard_ask(NsWindow *window)
{
    Guard *guard = guard_of(window);
    if (guard->question) return guard->question;
    GtkWidget *question = gtk_message_dialog_new(
        GTK_WINDOW(window), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, GTK_MESSAGE_QUESTION,
        GTK_BUTTONS_NONE, "%s", _("Close and discard the unsaved training?"));
    gtk_message_dialog_format_secondary_text(
        GTK_MESSAGE_DIALOG(question), "%s",
        _("Runs longer than a minute were neither saved nor exported. To save every run while it "
          "trains, turn saving on in Saved runs (Ctrl+L)."));
    GtkDialog *dialog = GTK_DIALOG(question);
    gtk_dialog_add_button(dialog, _("Keep open"), GTK_RESPONSE_CANCEL);
    gtk_dialog_add_button(dialog, _("Export…"), ANSWER_EXPORT);
    GtkWidget *close = gtk_dialog_add_button(dialog, _("Close"), ANSWER_CLOSE);
    gtk_widget_add_css_class(close, "destructive-action");
    gtk_dialog_set_default_response(dialog, GTK_RESPONSE_CANCEL);
    g_signal_connect_object(question, "response", G_CALLBACK(on_answer), window, 0);
    guard->question = question;
    gtk_window_present(GTK_WINDOW(question));
    return question;
}

static gboolean on_close(NsWindow *window)
{
    if (!ns_close_guard_asks(window)) return FALSE;
    ns_close_guard_ask(window);
    return TRUE;
}

void ns_close_guard_add(NsWindow *window)
{
    Guard *guard = g_new0(Guard, 1);
    guard->saved = g_hash_table_new_full(NULL, NULL, (GDestroyNotify)ns_history_unref, NULL);
    g_object_set_data_full(G_OBJECT(window), GUARD, guard, guard_free);
    g_signal_connect(window, "saved", G_CALLBACK(on_saved), NULL);
    /* Other handlers may refuse to close without a question. */
    g_signal_connect_after(window, "close-request", G_CALLBACK(on_close), NULL);
}
