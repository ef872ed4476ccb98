/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/scrolled_windows.h"

#include <stdbool.h>

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
    g_type_class_ref(GTK_TYPE_WIDGET); /* or it has no signals yet */
    g_signal_add_emission_hook(g_signal_lookup("unrealize", GTK_TYPE_WIDGET), 0, on_unrealize, NULL,
                               NULL);
}
