/* A sentence that comes up for a moment.  SPDX-License-Identifier: MIT */
#include "ui/widgets/toast.h"

#define SECONDS 4

static const char TIMER[] = "ns-toast-timer";

static gboolean on_time(gpointer data)
{
    g_object_set_data(G_OBJECT(data), TIMER, NULL);
    gtk_revealer_set_reveal_child(GTK_REVEALER(data), FALSE);
    return G_SOURCE_REMOVE;
}

static void stop_timer(GtkWidget *toast)
{
    guint timer = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(toast), TIMER));
    if (timer) g_source_remove(timer);
    g_object_set_data(G_OBJECT(toast), TIMER, NULL);
}

GtkWidget *ns_toast_new(void)
{
    GtkWidget *toast = gtk_revealer_new();
    GtkWidget *label = gtk_label_new(NULL);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_widget_add_css_class(label, "toast");
    gtk_revealer_set_child(GTK_REVEALER(toast), label);
    gtk_revealer_set_transition_type(GTK_REVEALER(toast), GTK_REVEALER_TRANSITION_TYPE_CROSSFADE);
    gtk_widget_set_halign(toast, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(toast, GTK_ALIGN_END);
    gtk_widget_set_can_target(toast, FALSE);
    g_signal_connect(toast, "destroy", G_CALLBACK(stop_timer), NULL);
    return toast;
}

void ns_toast_show(GtkWidget *toast, const char *sentence)
{
    stop_timer(toast);
    gtk_label_set_text(GTK_LABEL(gtk_revealer_get_child(GTK_REVEALER(toast))), sentence);
    gtk_revealer_set_reveal_child(GTK_REVEALER(toast), TRUE);
    guint timer = g_timeout_add_seconds(SECONDS, on_time, toast);
    g_object_set_data(G_OBJECT(toast), TIMER, GUINT_TO_POINTER(timer));
}

const char *ns_toast_text(GtkWidget *toast)
{
    if (!gtk_revealer_get_reveal_child(GTK_REVEALER(toast))) return NULL;
    return gtk_label_get_text(GTK_LABEL(gtk_revealer_get_child(GTK_REVEALER(toast))));
}
