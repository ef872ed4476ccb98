/* The bar at the foot of the window.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/transport.h"

#include "core/base/words.h"
#include "ui/widgets/common/accessible.h"
#include "ui/widgets/common/text_label.h"
#include "ui/widgets/run/speed_control.h"
#include "ui/widgets/run/stages.h"
#include "ui/widgets/run/timeline.h"

#include <math.h>

#define SAY_EVERY_US 200000 /* numbers that change faster cannot be read */
#define ENTRY_CHARS 7
#define PACE_CHARS 13

struct _NsTransport {
    GtkBox parent;
    NsSession *session;
    GtkWidget *stages, *entry, *timeline, *live, *speed, *pace, *cost;
    gint64 said;
    bool busy; /* as of the last look */
};

G_DEFINE_FINAL_TYPE(NsTransport, ns_transport, GTK_TYPE_BOX)

static void sync_entry(NsTransport *transport)
{
    GtkWidget *focus = gtk_widget_get_root(GTK_WIDGET(transport))
                           ? gtk_root_get_focus(gtk_widget_get_root(GTK_WIDGET(transport)))
                           : NULL;
    if (focus && gtk_widget_is_ancestor(focus, transport->entry)) return;
    g_autofree char *step =
        g_strdup_printf("%" G_GINT64_FORMAT, ns_session_shown_step(transport->session));
    if (!g_str_equal(gtk_editable_get_text(GTK_EDITABLE(transport->entry)), step))
        gtk_editable_set_text(GTK_EDITABLE(transport->entry), step);
}

static void sync_pace(NsTransport *transport)
{
    NsPace now = ns_session_pace(transport->session);
    bool known = isfinite(now.steps_per_second);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    const char *format = now.steps_per_second < 9.95 ? "%.1f" : "%.0f";
    g_ascii_formatd(number, sizeof number, format, now.steps_per_second);
    g_autofree char *pace = known ? g_strdup_printf(_("%s steps/s"), number) : g_strdup("");
    bool expensive = known && now.probe_share >= 0.005;
    g_autofree char *cost =
        expensive ? g_strdup_printf(_("measuring %.0f%%"), 100.0 * now.probe_share) : g_strdup("");
    ns_text_label_set(transport->pace, pace);
    ns_text_label_set(transport->cost, cost);
    gtk_widget_set_visible(transport->cost, *cost != '\0');
}

void ns_transport_sync(NsTransport *transport)
{
    gint64 now = g_get_monotonic_time();
    bool busy = transport->session->wants_run || ns_session_is_watching(transport->session);
    bool live = ns_session_shown_step(transport->session) >= ns_session_steps(transport->session);
    ns_timeline_sync(NS_TIMELINE(transport->timeline));
    ns_stages_sync(NS_STAGES(transport->stages));
    gtk_revealer_set_reveal_child(GTK_REVEALER(transport->live), !live);
    gtk_widget_set_can_target(transport->live, !live);
    if (busy && transport->busy && now - transport->said < SAY_EVERY_US) return;
    transport->busy = busy;
    transport->said = now;
    gtk_widget_set_sensitive(transport->speed, !ns_session_is_watching(transport->session));
    sync_entry(transport);
    sync_pace(transport);
    ns_timeline_describe(NS_TIMELINE(transport->timeline));
}

/* Shows a step that was made; trains up to one that was not. */
static void on_step_typed(NsTransport *transport)
{
    g_autofree char *digits = g_strdup(gtk_editable_get_text(GTK_EDITABLE(transport->entry)));
    size_t n = 0;
    for (const char *c = digits; *c; c++)
        if (*c != ',' && !g_ascii_isspace(*c)) digits[n++] = *c;
    digits[n] = '\0';
    gint64 step = 0;
    bool is_step = g_ascii_string_to_signed(digits, 10, 0, G_MAXINT64, &step, NULL);
    if (is_step && step > ns_session_steps(transport->session))
        ns_session_run_to(transport->session, step);
    else if (is_step)
        ns_session_show_step(transport->session,
                             MAX(step, ns_session_first_step(transport->session)));
    gtk_widget_grab_focus(transport->timeline);
    sync_entry(transport);
}

GtkWidget *ns_transport_speed(NsTransport *transport)
{
    return transport->speed;
}

static void ns_transport_class_init(NsTransportClass *klass)
{
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "transport");
}

static void ns_transport_init(NsTransport *transport)
{
    (void)transport;
}

static GtkWidget *new_button(const char *icon, const char *action, const char *tip)
{
    GtkWidget *button = gtk_button_new_from_icon_name(icon);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
    gtk_widget_add_css_class(button, "flat");
    gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
    ns_accessible_tooltip(button, tip);
    return button;
}

static GtkWidget *new_numbers(NsTransport *transport)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    transport->pace = gtk_label_new("");
    transport->cost = gtk_label_new("");
    gtk_label_set_width_chars(GTK_LABEL(transport->pace), PACE_CHARS);
    gtk_label_set_xalign(GTK_LABEL(transport->pace), 0.0F);
    gtk_label_set_xalign(GTK_LABEL(transport->cost), 0.0F);
    gtk_widget_set_tooltip_text(transport->pace, _("Measured steps per second"));
    gtk_widget_set_tooltip_text(transport->cost, _("Share of the time spent on expensive probes"));
    gtk_widget_add_css_class(transport->pace, "numeric");
    gtk_widget_add_css_class(transport->cost, "hint");
    gtk_box_append(GTK_BOX(box), transport->pace);
    gtk_box_append(GTK_BOX(box), transport->cost);
    gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
    return box;
}

GtkWidget *ns_transport_new(NsSession *session)
{
    NsTransport *transport =
        g_object_new(NS_TYPE_TRANSPORT, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
    transport->session = ns_session_hold(session, transport);
    transport->stages = ns_stages_new(session);
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
    GtkWidget *entry = gtk_entry_new();
    gtk_editable_set_width_chars(GTK_EDITABLE(entry), ENTRY_CHARS);
    gtk_editable_set_max_width_chars(GTK_EDITABLE(entry), ENTRY_CHARS);
    gtk_editable_set_alignment(GTK_EDITABLE(entry), 1.0F);
    gtk_entry_set_input_purpose(GTK_ENTRY(entry), GTK_INPUT_PURPOSE_DIGITS);
    gtk_widget_set_valign(entry, GTK_ALIGN_CENTER);
    gtk_widget_set_tooltip_text(entry, _("The step shown.  Type a number to go to a step already "
                                         "trained, or to train up to a later one"));
    gtk_widget_add_css_class(entry, "numeric");
    ns_accessible_name(entry, _("Step"));
    g_signal_connect_swapped(entry, "activate", G_CALLBACK(on_step_typed), transport);
    transport->entry = entry;
    transport->timeline = ns_timeline_new(session);
    GtkWidget *chip = gtk_button_new_with_label(_("Back to live"));
    GtkWidget *revealer = gtk_revealer_new();
    gtk_actionable_set_action_name(GTK_ACTIONABLE(chip), "win.live");
    gtk_widget_set_tooltip_text(chip, _("Show the newest step again (End)"));
    gtk_widget_add_css_class(chip, "chip");
    gtk_widget_set_valign(chip, GTK_ALIGN_CENTER);
    gtk_revealer_set_child(GTK_REVEALER(revealer), chip);
    gtk_revealer_set_transition_type(GTK_REVEALER(revealer),
                                     GTK_REVEALER_TRANSITION_TYPE_SLIDE_LEFT);
    transport->live = revealer;
    transport->speed = ns_speed_control_new(session);
    gtk_widget_set_hexpand(transport->timeline, TRUE);
    GtkWidget *parts[] = {
        new_button("media-skip-backward-symbolic", "win.first", _("First step (Home)")),
        new_button("go-previous-symbolic", "win.back-step",
                   _("One step back (comma; with Shift, ten)")),
        transport->entry,
        new_button("go-next-symbolic", "win.step",
                   _("Next step; trains one if at the end (period; with Shift, ten)")),
        new_button("media-skip-forward-symbolic", "win.live", _("Newest step (End)")),
        transport->timeline,
        transport->live,
        transport->speed,
        new_numbers(transport),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) gtk_box_append(GTK_BOX(row), parts[i]);
    gtk_box_append(GTK_BOX(transport), transport->stages);
    gtk_box_append(GTK_BOX(transport), row);
    ns_transport_sync(transport);
    return GTK_WIDGET(transport);
}
