/* The bar that runs, pauses and steps, its speed, and the stages of slow motion.
 * SPDX-License-Identifier: MIT */
#include "ui/widgets/run/transport.h"

#include "core/base/words.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/run/timeline.h"

#include <math.h>

#define ENTRY_CHARS 7
#define MOST_IN_ENTRY 10000000 /* one more than fits */
#define PACE_CHARS 13
#define N_STAGES (NS_STAGE_UPDATE + 1)

struct _NsTransport {
    GtkBox parent;
    NsSession *session;
    GtkWidget *stages; /* a revealer */
    GtkWidget *cell[N_STAGES], *bar[N_STAGES];
    int lit; /* a stage; -1: none */
    GtkWidget *entry, *timeline, *speed, *pace, *cost;
    GtkWidget *end; /* a stack of the speed and of the button back to live */
    bool syncing;   /* the slider follows the session */
    bool busy;      /* when last updated */
};

G_DEFINE_FINAL_TYPE(NsTransport, ns_transport, GTK_TYPE_BOX)

/* ---- Speed ---- */

#define FASTEST 1000.0 /* steps per second; the slider is unlimited to the right of it */
#define UNLIMITED 1.0  /* position on the slider; 0 is one step per second */
#define LAST_LIMIT 0.95
#define SLIDER_WIDTH 96

static double speed_at(double place)
{
    return place > LAST_LIMIT ? 0.0 : pow(FASTEST, place / LAST_LIMIT);
}

static double place_of(double speed)
{
    return speed <= 0.0 ? UNLIMITED : LAST_LIMIT * log(CLAMP(speed, 1.0, FASTEST)) / log(FASTEST);
}

double ns_speed_next(double steps_per_second, bool faster)
{
    static const double leading[] = {1.0, 2.0, 5.0};
    double below = 0.0;
    for (double power = 1.0; power <= FASTEST; power *= 10.0)
        for (size_t i = 0; i < G_N_ELEMENTS(leading); i++) {
            double speed = leading[i] * power;
            if (speed > FASTEST) break;
            bool above = steps_per_second > 0.0 && speed > steps_per_second * 1.001;
            if (faster && above) return speed;
            if (steps_per_second <= 0.0 || speed < steps_per_second * 0.999) below = speed;
        }
    if (faster) return 0.0;
    return below > 0.0 ? below : 1.0;
}

char *ns_speed_words(double steps_per_second)
{
    if (steps_per_second <= 0.0) return g_strdup(_("as fast as possible"));
    g_autofree char *number = ns_text_fixed(steps_per_second, steps_per_second < 9.95);
    return g_strdup_printf(_("at most %s steps per second"), number);
}

static void sync_speed(NsTransport *transport)
{
    double speed = transport->session->speed;
    g_autofree char *words = ns_speed_words(speed);
    g_autofree char *tip = g_strdup_printf(_("Speed: %s ([ slower, ] faster)"), words);
    transport->syncing = true;
    gtk_range_set_value(GTK_RANGE(transport->speed), place_of(speed));
    transport->syncing = false;
    gtk_widget_set_tooltip_text(transport->speed, tip);
    gtk_accessible_update_property(GTK_ACCESSIBLE(transport->speed),
                                   GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, words, -1);
}

static void on_speed(NsTransport *transport)
{
    if (transport->syncing) return;
    ns_session_set_speed(transport->session,
                         speed_at(gtk_range_get_value(GTK_RANGE(transport->speed))));
    sync_speed(transport);
}

/* ---- Stages ---- */

static const struct {
    const char *word, *purpose;
} STAGES[N_STAGES] = {
    {N_("Forward"), N_("The batch goes through the layers; every hidden state is computed")},
    {N_("Loss"), N_("How far the prediction is from the next token")},
    {N_("Backward"),
     N_("The gradient is propagated back through the layers, from the last to the first")},
    {N_("Update"), N_("The optimizer changes every weight a little so as to lower the loss")},
};

static void sync_stages(NsTransport *transport)
{
    NsStage stage = NS_STAGE_FORWARD;
    double progress = 0.0;
    bool slow = transport->session->slow;
    int lit = slow && ns_session_stage(transport->session, &stage, &progress) ? (int)stage : -1;
    gtk_revealer_set_reveal_child(GTK_REVEALER(transport->stages), slow);
    for (int i = 0; i < N_STAGES; i++) {
        double share = lit < 0 || i > lit ? 0.0 : i < lit ? 1.0 : progress;
        gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(transport->bar[i]), share);
        if (lit != transport->lit) ns_set_css_class(transport->cell[i], "lit", i == lit);
    }
    transport->lit = lit;
}

/* A row of the stages of a step, which comes up while the session is in slow motion. */
static GtkWidget *new_stages(NsTransport *transport)
{
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10);
    gtk_box_set_homogeneous(GTK_BOX(row), TRUE);
    for (int i = 0; i < N_STAGES; i++) {
        GtkWidget *cell = gtk_box_new(GTK_ORIENTATION_VERTICAL, 3);
        transport->cell[i] = cell;
        transport->bar[i] = gtk_progress_bar_new();
        ns_box_append(cell, gtk_label_new(_(STAGES[i].word)), transport->bar[i], NULL);
        ns_accessible_name(transport->bar[i], _(STAGES[i].word));
        gtk_widget_set_tooltip_text(cell, _(STAGES[i].purpose));
        gtk_box_append(GTK_BOX(row), cell);
    }
    return g_object_new(GTK_TYPE_REVEALER, "css-name", "stages", "child", row,
                        "transition-duration", 200, NULL);
}

/* ---- The bar ---- */

static void show_shown_step(NsTransport *transport)
{
    g_autofree char *step =
        g_strdup_printf("%" G_GINT64_FORMAT, ns_session_shown_step(transport->session));
    if (!g_str_equal(gtk_editable_get_text(GTK_EDITABLE(transport->entry)), step))
        gtk_editable_set_text(GTK_EDITABLE(transport->entry), step);
}

/* The entry has room for the last step. */
static void sync_entry(NsTransport *transport)
{
    int chars = ENTRY_CHARS;
    for (int64_t step = ns_session_steps(transport->session); step >= MOST_IN_ENTRY; step /= 10)
        chars++;
    gtk_editable_set_width_chars(GTK_EDITABLE(transport->entry), chars);
    gtk_editable_set_max_width_chars(GTK_EDITABLE(transport->entry), chars);
    GtkWidget *focus = gtk_widget_get_root(GTK_WIDGET(transport))
                           ? gtk_root_get_focus(gtk_widget_get_root(GTK_WIDGET(transport)))
                           : NULL;
    if (focus && gtk_widget_is_ancestor(focus, transport->entry)) return;
    show_shown_step(transport);
}

void ns_transport_sync(NsTransport *transport, bool due)
{
    bool own = !ns_session_is_watching(transport->session);
    bool busy = transport->session->wants_run || !own;
    bool live = !ns_session_is_behind(transport->session);
    ns_timeline_sync(NS_TIMELINE(transport->timeline));
    sync_stages(transport);
    gtk_stack_set_visible_child_name(GTK_STACK(transport->end), live ? "speed" : "live");
    if (busy && transport->busy && !due) return;
    transport->busy = busy;
    gtk_widget_set_visible(transport->speed, own);
    gtk_widget_set_visible(transport->pace, own);
    sync_entry(transport);
    NsPace measured = ns_session_pace(transport->session);
    bool known = isfinite(measured.steps_per_second);
    g_autofree char *number =
        ns_text_fixed(measured.steps_per_second, measured.steps_per_second < 9.95);
    /* Before a step was measured, it names the slider beside it. */
    g_autofree char *pace = known ? g_strdup_printf(_("%s steps/s"), number) : g_strdup(_("Speed"));
    bool expensive = busy && known && measured.probe_share >= 0.005;
    g_autofree char *cost =
        expensive ? g_strdup_printf(_("measuring %.0f%%"), 100.0 * measured.probe_share)
                  : g_strdup("");
    ns_text_label_set(transport->pace, pace);
    ns_text_label_set(transport->cost, cost);
    gtk_widget_set_visible(transport->cost, *cost != '\0');
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

static gboolean on_entry_key(NsTransport *transport, guint keyval)
{
    if (keyval != GDK_KEY_Escape) return GDK_EVENT_PROPAGATE;
    ns_end_typing(transport->entry);
    return GDK_EVENT_STOP;
}

/* GTK moves the focus here from a part that was closed; the entry would take the keys of the
 * window.
 */
static gboolean ns_transport_grab_focus(GtkWidget *widget)
{
    return gtk_widget_grab_focus(NS_TRANSPORT(widget)->timeline);
}

static void ns_transport_class_init(NsTransportClass *klass)
{
    GTK_WIDGET_CLASS(klass)->grab_focus = ns_transport_grab_focus;
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "transport");
}

static void ns_transport_init(NsTransport *transport)
{
    transport->lit = -1;
}

static GtkWidget *new_button(const char *icon, const char *action, const char *tip)
{
    GtkWidget *button = ns_icon_button_new(icon, tip);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
    gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
    return button;
}

GtkWidget *ns_transport_new(NsSession *session)
{
    NsTransport *transport =
        g_object_new(NS_TYPE_TRANSPORT, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
    transport->session = ns_session_hold(session, transport);
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
    GtkWidget *entry = ns_entry_new(_("Step"), ENTRY_CHARS);
    gtk_editable_set_alignment(GTK_EDITABLE(entry), 1.0F);
    gtk_entry_set_input_purpose(GTK_ENTRY(entry), GTK_INPUT_PURPOSE_DIGITS);
    gtk_widget_set_valign(entry, GTK_ALIGN_CENTER);
    gtk_widget_set_tooltip_text(entry, _("The step shown. Type a number to go to a step already "
                                         "trained, or to train up to a later one"));
    gtk_widget_add_css_class(entry, "numeric");
    g_signal_connect_swapped(entry, "activate", G_CALLBACK(on_step_typed), transport);
    ns_connect_keys(entry, G_CALLBACK(on_entry_key), transport);
    /* Whatever was typed and not entered is gone. */
    GtkEventController *typing = gtk_event_controller_focus_new();
    g_signal_connect_swapped(typing, "leave", G_CALLBACK(show_shown_step), transport);
    gtk_widget_add_controller(entry, typing);
    transport->entry = entry;
    transport->timeline = ns_timeline_new(session);
    GtkWidget *chip = gtk_button_new_with_label(_("Newest step"));
    gtk_actionable_set_action_name(GTK_ACTIONABLE(chip), "win.live");
    gtk_widget_set_tooltip_text(chip, _("Show the newest step again (End)"));
    gtk_widget_add_css_class(chip, "chip");
    gtk_widget_set_valign(chip, GTK_ALIGN_CENTER);
    transport->stages = new_stages(transport);
    /* A slider with a logarithmic scale. */
    GtkWidget *speed = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0.0, UNLIMITED, 0.025);
    gtk_scale_set_draw_value(GTK_SCALE(speed), FALSE);
    gtk_widget_set_size_request(speed, SLIDER_WIDTH, -1);
    ns_accessible_name(speed, _("Speed"));
    g_signal_connect_swapped(speed, "value-changed", G_CALLBACK(on_speed), transport);
    transport->speed = speed;
    gtk_widget_set_hexpand(transport->timeline, TRUE);
    GtkWidget *numbers = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    transport->pace = gtk_label_new("");
    transport->cost = gtk_label_new("");
    gtk_label_set_width_chars(GTK_LABEL(transport->pace), PACE_CHARS);
    gtk_label_set_xalign(GTK_LABEL(transport->pace), 0.0F);
    gtk_label_set_xalign(GTK_LABEL(transport->cost), 0.0F);
    gtk_widget_set_tooltip_text(transport->pace, _("Measured steps per second"));
    gtk_widget_set_tooltip_text(transport->cost,
                                _("Share of the time that measuring takes: attention, similarity "
                                  "and the like. The settings under Measurement say how often "
                                  "they are measured."));
    gtk_widget_add_css_class(transport->pace, "numeric");
    gtk_widget_add_css_class(transport->cost, "hint");
    ns_box_append(numbers, transport->pace, transport->cost, NULL);
    gtk_widget_set_valign(numbers, GTK_ALIGN_CENTER);
    /* Both have the same place, so that the timeline keeps its width when a click on it shows an
     * earlier step. */
    GtkWidget *pace = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
    ns_box_append(pace, speed, numbers, NULL);
    transport->end = gtk_stack_new();
    gtk_stack_set_transition_type(GTK_STACK(transport->end), GTK_STACK_TRANSITION_TYPE_CROSSFADE);
    gtk_stack_add_named(GTK_STACK(transport->end), pace, "speed");
    gtk_stack_add_named(GTK_STACK(transport->end), chip, "live");
    ns_box_append(row,
                  new_button("media-skip-backward-symbolic", "win.first", _("First step (Home)")),
                  new_button("go-previous-symbolic", "win.back-step",
                             _("One step back (comma; with Shift, ten)")),
                  transport->entry,
                  new_button("go-next-symbolic", "win.step",
                             _("Next step; trains one if at the end (period; with Shift, ten)")),
                  new_button("media-skip-forward-symbolic", "win.live", _("Newest step (End)")),
                  transport->timeline, transport->end, NULL);
    ns_box_append(GTK_WIDGET(transport), transport->stages, row, NULL);
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_speed), transport);
    sync_speed(transport);
    ns_transport_sync(transport, true);
    return GTK_WIDGET(transport);
}
