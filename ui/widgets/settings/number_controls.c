/* Entries and sliders for numbers.  SPDX-License-Identifier: MIT */
#include "ui/widgets/common/accessible.h"
#include "ui/widgets/settings/control.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/typing.h"

#include <math.h>

static char *write_number(const NsControl *number, double value)
{
    bool whole = number->param->type == NS_PARAM_INT;
    return whole ? g_strdup_printf("%.0f", value) : ns_text_input(value, 2);
}

static void set_number(NsControl *number, double value)
{
    g_autofree char *text = write_number(number, value);
    ns_session_set(number->session, number->param->key, text);
}

/* Whether what was typed was refused. */
static bool is_blamed(const NsControl *number)
{
    return g_strcmp0(number->session->problem_key, number->param->key) == 0;
}

/* The text of the entry: the value, or the word for it. */
static char *shown_value(const NsControl *number)
{
    char *value = ns_settings_get(ns_session_settings(number->session), number->param);
    const char *word = ns_settings_word(number->param, value);
    if (!word) return value;
    g_free(value);
    return g_strdup(word);
}

static void sync_entry(GtkWidget *widget)
{
    NsControl *number = ns_control_of(widget);
    /* A text that was refused stays, so that it can be mended. */
    if (is_blamed(number)) return;
    g_autofree char *text = shown_value(number);
    number->syncing = true;
    if (!g_str_equal(text, gtk_editable_get_text(GTK_EDITABLE(number->entry))))
        gtk_editable_set_text(GTK_EDITABLE(number->entry), text);
    number->syncing = false;
}

static void commit(NsControl *number)
{
    if (number->syncing) return;
    g_autofree char *typed =
        g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(number->entry))));
    g_autofree char *kept = shown_value(number);
    if (g_str_equal(typed, kept) && !is_blamed(number)) return;
    const char *none = g_str_equal(number->param->key, "warmup") ? "1" : "0";
    const char *word = ns_settings_word(number->param, none);
    bool named = word && g_str_equal(typed, word);
    ns_session_set(number->session, number->param->key, named ? none : typed);
}

/* Takes back what was typed, and the problem that it was. */
static void take_back(NsControl *number)
{
    g_autofree char *kept = shown_value(number);
    gtk_editable_set_text(GTK_EDITABLE(number->entry), kept);
    commit(number);
}

/* Enter sets the number; the focus stays on one that was refused. */
static void on_activate(GtkWidget *widget)
{
    NsControl *number = ns_control_of(widget);
    commit(number);
    if (!is_blamed(number)) ns_end_typing(widget);
}

/* An empty field that is left gets the number back that it had. */
static void on_leave(GtkEventControllerFocus *focus, gpointer widget)
{
    (void)focus;
    NsControl *number = ns_control_of(widget);
    if (number->param->type != NS_PARAM_TEXT &&
        !*gtk_editable_get_text(GTK_EDITABLE(number->entry)))
        take_back(number);
    else
        commit(number);
}

/* Escape takes back what is typed, and gives the keyboard back to the window. */
static gboolean on_escape(GtkEventControllerKey *keys, guint keyval, guint code,
                          GdkModifierType modifiers, gpointer widget)
{
    (void)keys, (void)code, (void)modifiers;
    if (keyval != GDK_KEY_Escape) return GDK_EVENT_PROPAGATE;
    take_back(ns_control_of(widget));
    ns_end_typing(widget);
    return GDK_EVENT_STOP;
}

static GtkWidget *make_entry(NsControl *number, GtkWidget *owner)
{
    GtkWidget *entry = gtk_entry_new();
    number->entry = entry;
    gtk_editable_set_alignment(GTK_EDITABLE(entry), 1.0f);
    gtk_editable_set_width_chars(GTK_EDITABLE(entry), 8);
    gtk_editable_set_max_width_chars(GTK_EDITABLE(entry), 8);
    gtk_widget_add_css_class(entry, "numeric");
    ns_accessible_name(entry, _(number->param->label));
    g_signal_connect_object(entry, "activate", G_CALLBACK(on_activate), owner, G_CONNECT_SWAPPED);
    GtkEventController *focus = gtk_event_controller_focus_new();
    g_signal_connect_object(focus, "leave", G_CALLBACK(on_leave), owner, 0);
    gtk_widget_add_controller(entry, focus);
    GtkEventController *keys = gtk_event_controller_key_new();
    g_signal_connect_object(keys, "key-pressed", G_CALLBACK(on_escape), owner, 0);
    gtk_widget_add_controller(entry, keys);
    return entry;
}

GtkWidget *ns_entry_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    NsControl *number = ns_control_new(session, param, box, G_CALLBACK(sync_entry));
    gtk_box_append(GTK_BOX(box), make_entry(number, box));
    sync_entry(box);
    return box;
}

/* The next value up or down: a power of two where the setting is logarithmic. */
static double neighbor(const NsParam *param, double value, bool up)
{
    if (param->scale != NS_SLIDER_LOG) return value + (up ? 1.0 : -1.0);
    if (value < 1.0) return up ? 1.0 : 0.0;
    double power = log2(value);
    double next = exp2(up ? floor(power + 1e-9) + 1.0 : ceil(power - 1e-9) - 1.0);
    return next < 1.0 ? 0.0 : next;
}

static void move(NsControl *number, bool up)
{
    commit(number);
    double value = ns_settings_get_number(ns_session_settings(number->session), number->param);
    double next = neighbor(number->param, value, up);
    set_number(number, CLAMP(next, number->param->least, number->param->most));
}

static void on_less(GtkWidget *widget)
{
    move(ns_control_of(widget), false);
}

static void on_more(GtkWidget *widget)
{
    move(ns_control_of(widget), true);
}

static gboolean on_arrow(GtkEventControllerKey *keys, guint keyval, guint code,
                         GdkModifierType state, gpointer user_data)
{
    (void)keys, (void)code, (void)state;
    if (keyval != GDK_KEY_Up && keyval != GDK_KEY_Down) return GDK_EVENT_PROPAGATE;
    move(ns_control_of(user_data), keyval == GDK_KEY_Up);
    return GDK_EVENT_STOP;
}

static GtkWidget *make_button(GtkWidget *owner, const char *icon, const char *words,
                              const NsParam *param, GCallback callback)
{
    g_autofree char *label = g_strdup_printf(_("%s: %s"), _(param->label), words);
    GtkWidget *button = gtk_button_new_from_icon_name(icon);
    ns_accessible_name(button, label);
    g_signal_connect_object(button, "clicked", callback, owner, G_CONNECT_SWAPPED);
    return button;
}

GtkWidget *ns_number_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_widget_add_css_class(box, "linked");
    NsControl *number = ns_control_new(session, param, box, G_CALLBACK(sync_entry));
    GtkWidget *entry = make_entry(number, box);
    gtk_editable_set_width_chars(GTK_EDITABLE(entry), 5);
    GtkEventController *keys = gtk_event_controller_key_new();
    g_signal_connect_object(keys, "key-pressed", G_CALLBACK(on_arrow), box, 0);
    gtk_widget_add_controller(entry, keys);
    gtk_box_append(GTK_BOX(box), entry);
    gtk_box_append(GTK_BOX(box),
                   make_button(box, "list-remove-symbolic", _("less"), param, G_CALLBACK(on_less)));
    gtk_box_append(GTK_BOX(box),
                   make_button(box, "list-add-symbolic", _("more"), param, G_CALLBACK(on_more)));
    sync_entry(box);
    return box;
}

static void on_new_seed(GtkWidget *widget)
{
    set_number(ns_control_of(widget), g_random_int_range(1, 100000));
}

GtkWidget *ns_seed_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_widget_add_css_class(box, "linked");
    NsControl *number = ns_control_new(session, param, box, G_CALLBACK(sync_entry));
    gtk_box_append(GTK_BOX(box), make_entry(number, box));
    GtkWidget *button = make_button(box, "media-playlist-shuffle-symbolic", _("draw a new one"),
                                    param, G_CALLBACK(on_new_seed));
    gtk_widget_set_tooltip_text(button, _("Draw a new seed"));
    gtk_box_append(GTK_BOX(box), button);
    sync_entry(box);
    return box;
}

static void say_value(NsControl *number)
{
    g_autofree char *text = ns_settings_get(ns_session_settings(number->session), number->param);
    gtk_accessible_update_property(GTK_ACCESSIBLE(number->range),
                                   GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void sync_slider(GtkWidget *widget)
{
    NsControl *number = ns_control_of(widget);
    double value = ns_settings_get_number(ns_session_settings(number->session), number->param);
    double inside = CLAMP(value, number->least, number->most);
    number->syncing = true;
    gtk_range_set_value(number->range,
                        log(inside / number->least) / log(number->most / number->least));
    number->syncing = false;
    say_value(number);
}

static void on_slide(GtkRange *range, gpointer user_data)
{
    NsControl *number = user_data;
    if (number->syncing) return;
    double t = gtk_range_get_value(range);
    /* The handle stays where the user has put it, between two whole values too. */
    number->syncing = true;
    /* This is one of many changes of the same movement. */
    g_autofree char *text =
        write_number(number, number->least * pow(number->most / number->least, t));
    ns_session_slide(number->session, number->param->key, text);
    number->syncing = false;
    say_value(number);
}

static void sync_slider_at_rest(GtkWidget *widget)
{
    if (!ns_control_of(widget)->syncing) sync_slider(widget);
}

GtkWidget *ns_slider_control_new(NsSession *session, const NsParam *param, double least,
                                 double most)
{
    GtkWidget *scale = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0.0, 1.0, 0.01);
    gtk_scale_set_draw_value(GTK_SCALE(scale), FALSE);
    gtk_range_set_increments(GTK_RANGE(scale), 0.01, 0.1);
    gtk_widget_set_hexpand(scale, TRUE);
    /* A wheel over the pane scrolls the pane; it must not change the experiment on its way. */
    g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(scale);
    for (guint i = g_list_model_get_n_items(controllers); i-- > 0;) {
        g_autoptr(GtkEventController) controller = g_list_model_get_item(controllers, i);
        if (GTK_IS_EVENT_CONTROLLER_SCROLL(controller))
            gtk_widget_remove_controller(scale, controller);
    }
    ns_accessible_name(scale, _(param->label));
    NsControl *number = ns_control_new(session, param, scale, G_CALLBACK(sync_slider_at_rest));
    number->range = GTK_RANGE(scale);
    number->least = least;
    number->most = most;
    g_signal_connect(scale, "value-changed", G_CALLBACK(on_slide), number);
    sync_slider(scale);
    return scale;
}
