/* The left pane: lanes, changes that wait, a row for every setting.
 * SPDX-License-Identifier: MIT */
#include "ui/widgets/settings/settings_pane.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/settings/controls.h"
#include "ui/widgets/settings/lane_tabs.h"
#include "ui/widgets/settings/log_pane.h"
#include "ui/widgets/settings/pending_bar.h"
#include "ui/widgets/settings/setting_row.h"

#define PENDING_HEIGHT 88 /* pixels: two lines of words and a row of buttons */

/* AUTO has buttons for less and more beside a number, PLAIN has not. */
typedef enum { AUTO, PLAIN, TOGGLES, SLIDER, SEED, FILE_BUTTON } Kind;

/* What shows that another program's run is on view. */
typedef struct {
    NsSession *session;
    GtkWidget *tabs, *rows, *log, *place, *pending, *watched;
} Watching;

static const char WATCHING[] = "ns-watching";

/* The rows at the top, in their order, and the others that have a special control. */
typedef struct {
    const char *key;
    Kind kind;
    bool top;
    double least, most; /* of the slider; the entry may go further */
} Row;

static const Row ROWS[] = {
    {"placement", TOGGLES, true, 0, 0}, {"layers", SLIDER, true, 1, 1000},
    {"warmup", SLIDER, true, 1, 10000}, {"lr", SLIDER, true, 1e-5, 1},
    {"d-model", AUTO, false, 0, 0},     {"heads", AUTO, false, 0, 0},
    {"batch", AUTO, false, 0, 0},       {"seq", AUTO, false, 0, 0},
    {"seed", SEED, false, 0, 0},        {"text", FILE_BUTTON, false, 0, 0},
};

static const char *const GROUPS[] = {
    [NS_GROUP_MODEL] = N_("Model"),
    [NS_GROUP_REGULARIZER] = N_("Regularization"),
    [NS_GROUP_OPTIMIZER] = N_("Training"),
    [NS_GROUP_DATA] = N_("Data"),
    [NS_GROUP_RUN] = N_("Run and measurement"),
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

static NsSettingControl control_for(NsSession *session, const NsParam *param)
{
    Row row = {.kind = PLAIN};
    for (size_t i = 0; i < G_N_ELEMENTS(ROWS); i++)
        if (g_str_equal(ROWS[i].key, param->key)) row = ROWS[i];
    if (row.kind == TOGGLES)
        return (NsSettingControl){.below = ns_toggle_control_new(session, param)};
    if (row.kind == SEED) return (NsSettingControl){.beside = ns_seed_control_new(session, param)};
    if (row.kind == FILE_BUTTON)
        return (NsSettingControl){.below = ns_file_control_new(session, param)};
    if (row.kind == SLIDER)
        return (NsSettingControl){ns_entry_control_new(session, param),
                                  ns_slider_control_new(session, param, row.least, row.most)};
    if (param->type == NS_PARAM_TEXT)
        return (NsSettingControl){.below = text_control(session, param)};
    if (param->type == NS_PARAM_CHOICE)
        return (NsSettingControl){.beside = ns_choice_control_new(session, param)};
    bool buttons = param->type == NS_PARAM_INT && row.kind == AUTO;
    return (NsSettingControl){.beside = buttons ? ns_number_control_new(session, param)
                                                : ns_entry_control_new(session, param)};
}

/* What the model takes in memory, under the row of its depth. */
static void sync_size(GtkWidget *label)
{
    NsSession *session = g_object_get_data(G_OBJECT(label), "ns-session");
    g_autofree char *size = ns_session_size(session);
    if (size) gtk_label_set_text(GTK_LABEL(label), size);
    g_autofree char *checkpoints =
        g_format_size_full(ns_session_checkpoint_bytes(session), G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *tip =
        g_strdup_printf(_("Memory of the run; its checkpoints take %s more"), checkpoints);
    gtk_widget_set_tooltip_text(label, tip);
}

static bool on_top(const char *key)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ROWS); i++)
        if (ROWS[i].top && g_str_equal(ROWS[i].key, key)) return true;
    return false;
}

/* A group without a row to see has no heading, either. */
static void sync_group(GtkWidget *group)
{
    bool any = false;
    for (GtkWidget *row = gtk_widget_get_last_child(group); gtk_widget_get_prev_sibling(row);
         row = gtk_widget_get_prev_sibling(row))
        any = any || gtk_widget_get_visible(row);
    gtk_widget_set_visible(group, any);
}

static GtkWidget *add_group(GtkWidget *box, const char *heading)
{
    GtkWidget *group = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    gtk_box_append(GTK_BOX(group), ns_line_label_new(heading, "heading"));
    gtk_box_append(GTK_BOX(box), group);
    return group;
}

static void add_row(GtkWidget *pane, GtkWidget *group, NsSession *session, const NsParam *param)
{
    g_autofree char *name = g_strconcat("ns-row-", param->key, NULL);
    GtkWidget *row = ns_setting_row_new(session, param, control_for(session, param));
    g_object_set_data(G_OBJECT(pane), name, row);
    gtk_box_append(GTK_BOX(group), row);
    g_signal_connect_object(row, "notify::visible", G_CALLBACK(sync_group), group,
                            G_CONNECT_SWAPPED);
}

/* A setting that was changed is never hidden by the task. */
static void sync_task(GtkWidget *pane)
{
    const Watching *parts = g_object_get_data(G_OBJECT(pane), WATCHING);
    const NsSettings *settings = ns_session_settings(parts->session);
    for (size_t i = 0; ns_param(i); i++)
        ns_hide(ns_settings_pane_row(pane, ns_param(i)->key), NS_HIDDEN_USELESS,
                !ns_settings_is_of_task(settings, ns_param(i)) &&
                    ns_settings_is_default(settings, ns_param(i)));
}

static void on_searched(GtkSearchEntry *search, GtkWidget *pane)
{
    const char *words = gtk_editable_get_text(GTK_EDITABLE(search));
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        if (on_top(param->key)) continue;
        g_autofree char *text =
            g_strjoin(" ", param->key, _(param->label), _(GROUPS[param->group]), NULL);
        ns_hide(ns_settings_pane_row(pane, param->key), NS_HIDDEN_SEARCH,
                *words && !g_str_match_string(words, text, TRUE));
    }
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
    GtkWidget *rows = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8), *group = NULL;
    const NsParam *last = NULL;
    gtk_widget_add_css_class(rows, "settings");
    for (size_t i = 0; i < G_N_ELEMENTS(ROWS) && ROWS[i].top; i++) {
        const NsParam *param = ns_param_find(ROWS[i].key);
        if (!last || param->group != last->group) group = add_group(rows, _(GROUPS[param->group]));
        add_row(pane, group, session, last = param);
    }
    GtkWidget *row = ns_settings_pane_row(pane, "layers");
    GtkWidget *label = ns_text_label_new(NULL, "hint");
    ns_session_hold(session, label);
    gtk_widget_add_css_class(label, "size");
    gtk_widget_set_tooltip_text(
        label, _("Memory for weights, gradients, moments and the activations of all threads; the "
                 "time is that of one forward and backward pass."));
    gtk_box_append(GTK_BOX(row), label);
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_size), label);
    sync_size(label);
    GtkWidget *more = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8),
              *search = ns_search_entry_new(_("Search settings"));
    g_object_set(search, "placeholder-text", _("Search settings"), "margin-top", 6, NULL);
    g_signal_connect_object(search, "search-changed", G_CALLBACK(on_searched), pane, 0);
    gtk_box_append(GTK_BOX(more), search);
    for (size_t k = 0; k < G_N_ELEMENTS(GROUPS); k++) {
        group = add_group(more, _(GROUPS[k]));
        for (size_t i = 0; ns_param(i); i++)
            if (ns_param(i)->group == k && !on_top(ns_param(i)->key))
                add_row(pane, group, session, ns_param(i));
    }
    GtkWidget *expander = gtk_expander_new(_("More settings"));
    gtk_expander_set_child(GTK_EXPANDER(expander), more);
    g_signal_connect_object(expander, "notify::expanded", G_CALLBACK(on_expanded), more, 0);
    if (ns_preferences())
        g_settings_bind(ns_preferences(), NS_MORE_SETTINGS, expander, "expanded",
                        G_SETTINGS_BIND_DEFAULT);
    on_expanded(GTK_EXPANDER(expander), NULL, more);
    g_object_set_data(G_OBJECT(pane), "ns-row-" NS_MORE_SETTINGS, expander);
    gtk_box_append(GTK_BOX(rows), expander);
    return rows;
}

static void sync_watching(GtkWidget *pane)
{
    const Watching *parts = g_object_get_data(G_OBJECT(pane), WATCHING);
    bool watching = ns_session_is_watching(parts->session);
    gtk_widget_set_visible(parts->tabs, !watching);
    gtk_widget_set_visible(parts->rows, !watching);
    gtk_widget_set_visible(parts->log, watching);
    gtk_widget_set_sensitive(parts->rows, !watching);
    gtk_stack_set_visible_child(GTK_STACK(parts->place),
                                watching ? parts->watched : parts->pending);
}

GtkWidget *ns_settings_pane_new(NsSession *session)
{
    GtkWidget *pane = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget *scroller = gtk_scrolled_window_new();
    Watching *parts = g_new(Watching, 1);
    /* The words in place of pending changes while another program's run is on view. */
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
    /* A place of constant height, so that the rows stay where they are whatever is pending. */
    GtkWidget *place = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_widget_set_size_request(place, -1, PENDING_HEIGHT);
    gtk_widget_set_vexpand(place, FALSE);
    gtk_box_append(GTK_BOX(place), ns_pending_bar_new(session));
    gtk_widget_add_css_class(place, "pending-place");
    *parts = (Watching){ns_session_hold(session, pane),
                        ns_lane_tabs_new(session),
                        scroller,
                        ns_log_pane_new(session),
                        gtk_stack_new(),
                        place,
                        box};
    g_object_set_data_full(G_OBJECT(pane), WATCHING, parts, g_free);
    gtk_widget_add_css_class(pane, "settings-pane");
    gtk_box_append(GTK_BOX(pane), parts->tabs);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), make_rows(pane, session));
    gtk_widget_set_vexpand(scroller, TRUE);
    gtk_box_append(GTK_BOX(pane), scroller);
    gtk_widget_set_visible(parts->log, FALSE);
    gtk_box_append(GTK_BOX(pane), parts->log);
    gtk_stack_add_child(GTK_STACK(parts->place), parts->pending);
    gtk_stack_add_child(GTK_STACK(parts->place), parts->watched);
    gtk_box_append(GTK_BOX(pane), parts->place);
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_watching), pane);
    ns_session_follow(session, ns_param_find("task"), G_CALLBACK(sync_task), pane);
    ns_session_follow(session, ns_param_find("arch"), G_CALLBACK(sync_task), pane);
    sync_task(pane);
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
