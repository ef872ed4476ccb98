/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/class_mode.h"

#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/learn/lesson_highlight.h"

#define HIDDEN "ns-hidden"

static void show(gpointer widget)
{
    ns_hide(widget, NS_HIDDEN_PRESET, false);
    g_object_unref(widget);
}

void ns_class_mode_set(NsWindow *window, bool large, const char *const *hide)
{
    GtkWidget *root = GTK_WIDGET(window);
    g_object_set_data(G_OBJECT(window), HIDDEN, NULL);
    if (large)
        gtk_widget_add_css_class(root, NS_LARGE_TEXT_CLASS);
    else
        gtk_widget_remove_css_class(root, NS_LARGE_TEXT_CLASS);
    GPtrArray *hidden = g_ptr_array_new_with_free_func(show);
    for (; hide && *hide; hide++) {
        GtkWidget *part = ns_lesson_part(root, ns_window_settings_pane(window), *hide);
        if (!part) continue;
        ns_hide(part, NS_HIDDEN_PRESET, true);
        g_ptr_array_add(hidden, g_object_ref(part));
    }
    g_object_set_data_full(G_OBJECT(window), HIDDEN, hidden, (GDestroyNotify)g_ptr_array_unref);
}

bool ns_class_mode_is_on(NsWindow *window)
{
    const GPtrArray *hidden = g_object_get_data(G_OBJECT(window), HIDDEN);
    return gtk_widget_has_css_class(GTK_WIDGET(window), NS_LARGE_TEXT_CLASS) ||
           (hidden && hidden->len > 0);
}
