/* SPDX-License-Identifier: MIT */
#include "ui/widgets/diagram/diagram_part.h"

struct _NsDiagramPart {
    GtkWidget parent;
    char *name, *sentence;
};

enum { ACTIVATED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(NsDiagramPart, ns_diagram_part, GTK_TYPE_WIDGET)

void ns_diagram_part_tell(NsDiagramPart *part, const char *name, const char *sentence)
{
    if (g_strcmp0(part->name, name) == 0 && g_strcmp0(part->sentence, sentence) == 0) return;
    g_free(part->name);
    g_free(part->sentence);
    part->name = g_strdup(name);
    part->sentence = g_strdup(sentence);
    gtk_accessible_update_property(GTK_ACCESSIBLE(part), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                   GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, sentence, -1);
}

const char *ns_diagram_part_name(NsDiagramPart *part)
{
    return part->name;
}

static void ns_diagram_part_finalize(GObject *object)
{
    g_free(NS_DIAGRAM_PART(object)->name);
    g_free(NS_DIAGRAM_PART(object)->sentence);
    G_OBJECT_CLASS(ns_diagram_part_parent_class)->finalize(object);
}

static void ns_diagram_part_class_init(NsDiagramPartClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->finalize = ns_diagram_part_finalize;
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_BUTTON);
    gtk_widget_class_set_css_name(widget_class, "part");
    signals[ACTIVATED] =
        g_signal_new("activated", NS_TYPE_DIAGRAM_PART, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, 0,
                     NULL, NULL, NULL, G_TYPE_NONE, 0);
    gtk_widget_class_set_activate_signal(widget_class, signals[ACTIVATED]);
    static const guint keys[] = {GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter,
                                 GDK_KEY_space};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        gtk_widget_class_add_binding_signal(widget_class, keys[i], 0, "activated", NULL);
}

static void ns_diagram_part_init(NsDiagramPart *part)
{
    gtk_widget_set_focusable(GTK_WIDGET(part), TRUE);
    gtk_widget_set_can_target(GTK_WIDGET(part), FALSE);
}

GtkWidget *ns_diagram_part_new(void)
{
    return g_object_new(NS_TYPE_DIAGRAM_PART, NULL);
}
