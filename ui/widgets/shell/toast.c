/* A sentence that is shown for a few seconds.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/toast.h"

#include "ui/widgets/common/helpers.h"

/* At least, and the time to read longer ones. */
#define SECONDS 3
#define CHARS_PER_SECOND 14
#define OFFER_SECONDS 9 /* more with a button, to reach it */

static const char TOAST[] = "ns-toast";

typedef struct {
    GtkWidget *label, *button;
    guint timer, tick;
    GFunc chosen;
    gpointer data; /* of `chosen` */
    char *later;   /* the next sentence, or NULL */
} Toast;

static Toast *toast_of(GtkWidget *revealer)
{
    return g_object_get_data(G_OBJECT(revealer), TOAST);
}

static void toast_free(gpointer data)
{
    Toast *toast = data;
    g_free(toast->data);
    g_free(toast->later);
    g_free(toast);
}

static void stop_timer(GtkWidget *revealer)
{
    Toast *toast = toast_of(revealer);
    g_clear_handle_id(&toast->timer, g_source_remove);
    if (toast->tick) gtk_widget_remove_tick_callback(revealer, toast->tick);
    toast->tick = 0;
}

static void hide(GtkWidget *revealer)
{
    stop_timer(revealer);
    gtk_revealer_set_reveal_child(GTK_REVEALER(revealer), FALSE);
    /* While it fades out, widgets below it can be clicked again. */
    gtk_widget_set_can_target(revealer, FALSE);
}

static void show_next(GtkWidget *revealer)
{
    if (ns_toast_text(revealer)) return;
    g_autofree char *sentence = g_steal_pointer(&toast_of(revealer)->later);
    if (sentence) ns_toast_show(revealer, sentence, NULL, NULL, NULL);
}

static gboolean on_time(gpointer revealer)
{
    toast_of(revealer)->timer = 0;
    hide(revealer);
    show_next(revealer);
    return G_SOURCE_REMOVE;
}

/* The time starts with the first frame, because at the start of the program toasts are shown before
 * the window is. */
static gboolean on_frame(GtkWidget *revealer, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    Toast *toast = toast_of(revealer);
    glong chars = g_utf8_strlen(gtk_label_get_text(GTK_LABEL(toast->label)), -1);
    guint seconds = MAX(SECONDS, (guint)chars / CHARS_PER_SECOND);
    if (gtk_widget_get_visible(toast->button)) seconds += OFFER_SECONDS;
    toast->tick = 0;
    toast->timer = g_timeout_add_seconds(seconds, on_time, revealer);
    return G_SOURCE_REMOVE;
}

static void on_click(GtkWidget *revealer)
{
    hide(revealer);
    show_next(revealer);
}

static void on_button(GtkWidget *revealer)
{
    const Toast *toast = toast_of(revealer);
    hide(revealer);
    if (toast->chosen) toast->chosen(toast->data, revealer);
    show_next(revealer);
}

GtkWidget *ns_toast_new(void)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
    GtkWidget *revealer = ns_revealer_new(box, GTK_REVEALER_TRANSITION_TYPE_CROSSFADE);
    Toast *toast = g_new0(Toast, 1);
    toast->label = gtk_label_new(NULL);
    toast->button = gtk_button_new();
    gtk_label_set_wrap(GTK_LABEL(toast->label), TRUE);
    /* A wrapping label takes less than its natural width, which the box has. */
    gtk_widget_set_hexpand(toast->label, TRUE);
    gtk_label_set_xalign(GTK_LABEL(toast->label), 0);
    gtk_label_set_max_width_chars(GTK_LABEL(toast->label), 70);
    gtk_box_append(GTK_BOX(box), toast->label);
    gtk_box_append(GTK_BOX(box), toast->button);
    gtk_widget_add_css_class(box, "toast");
    gtk_widget_set_can_target(revealer, FALSE);
    g_object_set_data_full(G_OBJECT(revealer), TOAST, toast, toast_free);
    GtkGesture *click = gtk_gesture_click_new();
    gtk_widget_add_controller(box, GTK_EVENT_CONTROLLER(click));
    g_signal_connect_swapped(click, "released", G_CALLBACK(on_click), revealer);
    g_signal_connect_swapped(toast->button, "clicked", G_CALLBACK(on_button), revealer);
    g_signal_connect(revealer, "destroy", G_CALLBACK(stop_timer), NULL);
    return revealer;
}

void ns_toast_show(GtkWidget *revealer, const char *sentence, const char *label, GFunc chosen,
                   gpointer data)
{
    Toast *toast = toast_of(revealer);
    stop_timer(revealer);
    g_free(toast->data);
    toast->chosen = chosen;
    toast->data = data;
    gtk_label_set_text(GTK_LABEL(toast->label), sentence);
    if (label) gtk_button_set_label(GTK_BUTTON(toast->button), label);
    gtk_widget_set_visible(toast->button, label != NULL);
    gtk_widget_set_can_target(revealer, TRUE);
    gtk_revealer_set_reveal_child(GTK_REVEALER(revealer), TRUE);
    if (!label || chosen)
        toast->tick = gtk_widget_add_tick_callback(revealer, on_frame, NULL, NULL);
}

void ns_toast_show_later(GtkWidget *revealer, const char *sentence)
{
    g_free(toast_of(revealer)->later);
    toast_of(revealer)->later = g_strdup(sentence);
    show_next(revealer);
}

void ns_toast_withdraw(GtkWidget *revealer, GFunc chosen)
{
    if (toast_of(revealer)->chosen != chosen) return;
    hide(revealer);
    show_next(revealer);
}

const char *ns_toast_text(GtkWidget *revealer)
{
    if (!gtk_revealer_get_reveal_child(GTK_REVEALER(revealer))) return NULL;
    return gtk_label_get_text(GTK_LABEL(toast_of(revealer)->label));
}
