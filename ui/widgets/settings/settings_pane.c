/* The left pane: lanes, changes that wait, a row for every setting.
 * SPDX-License-Identifier: MIT */
#include "ui/widgets/settings/settings_pane.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "ui/widgets/common/text_label.h"
#include "ui/widgets/settings/controls.h"
#include "ui/widgets/settings/lane_tabs.h"
#include "ui/widgets/settings/pending_bar.h"
#include "ui/widgets/settings/setting_row.h"

#define PENDING_HEIGHT 88 /* pixels: two lines of words and a row of buttons */

/* AUTO has buttons for less and more beside a number, PLAIN has not. */
typedef enum { AUTO, PLAIN, TOGGLES, SLIDER, SEED, FILE_BUTTON } Kind;

/* What shows that another program's run is on view. */
typedef struct {
    NsSession *session;
    GtkWidget *tabs, *rows, *place, *pending, *watched;
} Watching;

static const char WATCHING[] = "ns-watching";

/* The rows at the top, in their order. */
static const struct {
    const char *heading; /* above this row, or NULL */
    const char *key;
    Kind kind;
    double least, most; /* of the slider; the entry may go further */
} TOP[] = {
    {N_("Model"), "placement", TOGGLES, 0, 0},
    {NULL, "norm", AUTO, 0, 0},
    {NULL, "layers", SLIDER, 1, 1000},
    {NULL, "d-model", AUTO, 0, 0},
    {NULL, "heads", AUTO, 0, 0},
    {N_("Training"), "warmup", SLIDER, 1, 10000},
    {NULL, "lr", SLIDER, 1e-5, 1},
    {NULL, "batch", AUTO, 0, 0},
    {NULL, "seq", AUTO, 0, 0},
    {NULL, "seed", SEED, 0, 0},
    {N_("Data"), "text", FILE_BUTTON, 0, 0},
};

static GtkWidget *text_control(NsSession *session, const NsParam *param)
{
    GtkWidget *entry = ns_entry_control_new(session, param);
    GtkWidget *field = gtk_widget_get_first_child(entry);
    gtk_widget_set_hexpand(field, TRUE);
    gtk_editable_set_alignment(GTK_EDITABLE(field), 0.0f);
    gtk_editable_set_max_width_chars(GTK_EDITABLE(field), -1);
    return entry;
}

static NsSettingControl control_for(NsSession *session, const NsParam *param, Kind kind,
                                    double least, double most)
{
    if (kind == TOGGLES) return (NsSettingControl){.below = ns_toggle_control_new(session, param)};
    if (kind == SEED) return (NsSettingControl){.beside = ns_seed_control_new(session, param)};
    if (kind == FILE_BUTTON)
        return (NsSettingControl){.below = ns_file_control_new(session, param)};
    if (kind == SLIDER)
        return (NsSettingControl){ns_entry_control_new(session, param),
                                  ns_slider_control_new(session, param, least, most)};
    if (param->type == NS_PARAM_TEXT)
        return (NsSettingControl){.below = text_control(session, param)};
    if (param->type == NS_PARAM_CHOICE)
        return (NsSettingControl){.beside = ns_choice_control_new(session, param)};
    bool buttons = param->type == NS_PARAM_INT && kind == AUTO;
    return (NsSettingControl){.beside = buttons ? ns_number_control_new(session, param)
                                                : ns_entry_control_new(session, param)};
}

/* What the model takes in memory, under the row of its depth. */
static void sync_size(GtkWidget *label)
{
    NsSession *session = g_object_get_data(G_OBJECT(label), "ns-session");
    g_autofree char *size = ns_session_size(session);
    if (size) gtk_label_set_text(GTK_LABEL(label), size);
}

static void add_size(NsSession *session, GtkWidget *row)
{
    GtkWidget *label = ns_text_label_new(NULL, "hint");
    ns_session_hold(session, label);
    gtk_widget_add_css_class(label, "size");
    gtk_widget_set_tooltip_text(
        label, _("Memory for weights, gradients, moments and the activations of all threads; the "
                 "time is that of one forward and backward pass."));
    gtk_box_append(GTK_BOX(row), label);
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_size), label);
    sync_size(label);
}

static bool on_top(const char *key)
{
    for (size_t i = 0; i < G_N_ELEMENTS(TOP); i++)
        if (g_str_equal(TOP[i].key, key)) return true;
    return false;
}

static void add_row(GtkWidget *pane, GtkWidget *box, NsSession *session, const NsParam *param,
                    NsSettingControl control)
{
    g_autofree char *name = g_strconcat("ns-row-", param->key, NULL);
    GtkWidget *row = ns_setting_row_new(session, param, control);
    g_object_set_data(G_OBJECT(pane), name, row);
    gtk_box_append(GTK_BOX(box), row);
}

/* A folded expander takes its child out of the window, and yet Tab would look into it (GTK 4.18).
 */
static void on_expanded(GtkExpander *expander, GParamSpec *property, GtkWidget *child)
{
    (void)property;
    gtk_widget_set_child_visible(child, gtk_expander_get_expanded(expander));
}

static GtkWidget *make_rows(GtkWidget *pane, NsSession *session)
{
    GtkWidget *rows = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    gtk_widget_add_css_class(rows, "settings");
    for (size_t i = 0; i < G_N_ELEMENTS(TOP); i++) {
        const NsParam *param = ns_param_find(TOP[i].key);
        GtkWidget *heading =
            TOP[i].heading ? ns_line_label_new(_(TOP[i].heading), "heading") : NULL;
        if (heading) gtk_box_append(GTK_BOX(rows), heading);
        add_row(pane, rows, session, param,
                control_for(session, param, TOP[i].kind, TOP[i].least, TOP[i].most));
        bool only = i + 1 == G_N_ELEMENTS(TOP) || TOP[i + 1].heading;
        if (heading && only)
            g_object_bind_property(ns_settings_pane_row(pane, param->key), "visible", heading,
                                   "visible", G_BINDING_SYNC_CREATE);
    }
    add_size(session, ns_settings_pane_row(pane, "layers"));
    GtkWidget *more = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    for (size_t i = 0; ns_param(i); i++)
        if (!on_top(ns_param(i)->key))
            add_row(pane, more, session, ns_param(i),
                    control_for(session, ns_param(i), PLAIN, 0, 0));
    GtkWidget *expander = gtk_expander_new(_("More settings"));
    gtk_expander_set_child(GTK_EXPANDER(expander), more);
    g_signal_connect_object(expander, "notify::expanded", G_CALLBACK(on_expanded), more, 0);
    on_expanded(GTK_EXPANDER(expander), NULL, more);
    g_object_set_data(G_OBJECT(pane), "ns-row-" NS_MORE_SETTINGS, expander);
    gtk_box_append(GTK_BOX(rows), expander);
    return rows;
}

/* The words in place of pending changes while another program's run is on view. */
static GtkWidget *new_watch_words(void)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    GtkWidget *words = ns_text_label_new(
        _("Another program trains this run: settings, Run, Fork and Reset are for runs that are "
          "trained here."),
        NULL);
    GtkWidget *leave = gtk_button_new_with_label(_("Train here"));
    gtk_widget_set_tooltip_text(leave, _("Prepare a run with these settings; the run of the other "
                                         "program stays visible, drawn faintly"));
    gtk_actionable_set_action_name(GTK_ACTIONABLE(leave), "win.stop-watching");
    gtk_widget_set_halign(leave, GTK_ALIGN_START);
    gtk_widget_add_css_class(box, "pending-bar");
    gtk_box_append(GTK_BOX(box), words);
    gtk_box_append(GTK_BOX(box), leave);
    return box;
}

static void sync_watching(GtkWidget *pane)
{
    const Watching *parts = g_object_get_data(G_OBJECT(pane), WATCHING);
    bool watching = ns_session_is_watching(parts->session);
    gtk_widget_set_sensitive(parts->tabs, !watching);
    gtk_widget_set_sensitive(parts->rows, !watching);
    gtk_stack_set_visible_child(GTK_STACK(parts->place),
                                watching ? parts->watched : parts->pending);
}

/* A place of constant height, so that the rows stay where they are whatever is pending. */
static GtkWidget *new_pending_place(NsSession *session)
{
    GtkWidget *place = gtk_overlay_new(), *bar = ns_pending_bar_new(session);
    GtkWidget *words =
        ns_text_label_new(_("Changes that need Restart or Fork are collected here."), "hint");
    gtk_widget_set_size_request(words, -1, PENDING_HEIGHT);
    gtk_overlay_set_child(GTK_OVERLAY(place), words);
    gtk_overlay_add_overlay(GTK_OVERLAY(place), bar);
    gtk_widget_add_css_class(place, "pending-place");
    return place;
}

GtkWidget *ns_settings_pane_new(NsSession *session)
{
    GtkWidget *pane = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget *scroller = gtk_scrolled_window_new();
    Watching *parts = g_new(Watching, 1);
    *parts = (Watching){
        ns_session_hold(session, pane), ns_lane_tabs_new(session), scroller, gtk_stack_new(),
        new_pending_place(session),     new_watch_words()};
    g_object_set_data_full(G_OBJECT(pane), WATCHING, parts, g_free);
    gtk_widget_add_css_class(pane, "settings-pane");
    gtk_box_append(GTK_BOX(pane), parts->tabs);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), make_rows(pane, session));
    gtk_widget_set_vexpand(scroller, TRUE);
    gtk_box_append(GTK_BOX(pane), scroller);
    gtk_stack_add_child(GTK_STACK(parts->place), parts->pending);
    gtk_stack_add_child(GTK_STACK(parts->place), parts->watched);
    gtk_box_append(GTK_BOX(pane), parts->place);
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_watching), pane);
    return pane;
}

GtkWidget *ns_settings_pane_row(GtkWidget *pane, const char *key)
{
    g_autofree char *name = g_strconcat("ns-row-", key, NULL);
    return g_object_get_data(G_OBJECT(pane), name);
}

void ns_settings_pane_unfold(GtkWidget *pane, GtkWidget *row)
{
    GtkExpander *expander = GTK_EXPANDER(ns_settings_pane_row(pane, NS_MORE_SETTINGS));
    if (gtk_widget_is_ancestor(row, gtk_expander_get_child(expander)))
        gtk_expander_set_expanded(expander, TRUE);
}

bool ns_settings_pane_explain(GtkWidget *pane)
{
    GtkRoot *root = gtk_widget_get_root(pane);
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    if (!focus || !gtk_widget_is_ancestor(focus, pane)) return false;
    while (focus != pane && !gtk_widget_has_css_class(focus, "setting"))
        focus = gtk_widget_get_parent(focus);
    if (focus == pane) return false;
    ns_setting_row_explain(focus);
    return true;
}
