/* The row of a setting, and its help.  SPDX-License-Identifier: MIT */
#include "ui/widgets/settings/setting_row.h"

#include "core/base/words.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/popovers.h"
#include "ui/widgets/settings/controls.h"

/* ---- Help ---- */

#define WIDTH_CHARS 38

/* Formulas of numeric settings; each row of a choice has its own (NsChoice). */
static const struct {
    const char *key, *formula;
} FORMULAS[] = {
    {"norm-eps", "N(x) = (x − mean) / √(var + ε)"},
    {"heads", "d_k = d / heads"},
    {"init-scale", "W ← scale · W"},
    {"dropout", N_("y = m x / (1 − p),  m = 0 with probability p")},
    {"drop-path", "p_l = p l / L"},
    {"label-smoothing", "q = (1 − s) onehot + s / V"},
    {"weight-decay", "w ← w − lr λ w"},
    {"clip", "g ← g min(1, c / ||g||)"},
    {"lr", "lr_t = lr min(1, t / T_w) f(t)"},
    {"warmup", "lr_t = lr min(1, t / T_w) f(t)"},
    {"decay-start", "f(t) = 1,  t ≤ S"},
    {"momentum", "v ← μ v + g,  w ← w − lr v"},
    {"beta1", "m ← β_1 m + (1 − β_1) g"},
    {"beta2", "v ← β_2 v + (1 − β_2) g^2"},
    {"eps", "w ← w − lr m / (√v + ε)"},
};

/* A paragraph of css class "heading", "formula", "hint" or none (NULL); nothing without words. */
static void add_text(GtkWidget *box, const char *words, const char *css_class)
{
    bool formula = g_strcmp0(css_class, "formula") == 0;
    if (!words || !*words) return;
    GtkWidget *label = ns_text_label_new(NULL, css_class);
    g_autofree char *markup =
        formula ? ns_text_markup(words, NS_LABEL_SIZE) : g_markup_escape_text(words, -1);
    gtk_label_set_markup(GTK_LABEL(label), markup);
    gtk_label_set_max_width_chars(GTK_LABEL(label), WIDTH_CHARS);
    gtk_box_append(GTK_BOX(box), label);
}

static char *limit(const NsParam *param, double value)
{
    if (param->type == NS_PARAM_INT) return ns_group_digits((int64_t)value);
    return ns_text_input(value, 6);
}

/* A row that has the keyboard may be scrolled away; the popover then stands at the edge of the
 * window that is nearest to it, for GTK finds no monitor for one that points beyond the screen. */
static GdkRectangle place_in_window(GtkWidget *at)
{
    GdkRectangle place = {.width = gtk_widget_get_width(at), .height = gtk_widget_get_height(at)};
    GtkWidget *window = GTK_WIDGET(gtk_widget_get_root(at));
    graphene_rect_t bounds;
    if (!window || !gtk_widget_compute_bounds(at, window, &bounds)) return place;
    int x = (int)bounds.origin.x, y = (int)bounds.origin.y;
    int right = gtk_widget_get_width(window) - place.width;
    int bottom = gtk_widget_get_height(window) - place.height;
    place.x = CLAMP(x, 0, MAX(0, right)) - x;
    place.y = CLAMP(y, 0, MAX(0, bottom)) - y;
    return place;
}

/* Opens a popover at a widget that explains a setting, with its formula and source, and the row of
 * a choice that the active lane has. */
static void show_help(NsSession *session, const NsParam *param, GtkWidget *at)
{
    GtkWidget *popover = gtk_popover_new();
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    gtk_widget_add_css_class(popover, "setting-help");
    add_text(box, _(param->label), "heading");
    add_text(box, _(param->help), NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(FORMULAS); i++)
        if (g_str_equal(FORMULAS[i].key, param->key))
            add_text(box, _(FORMULAS[i].formula), "formula");
    if (param->type == NS_PARAM_INT || param->type == NS_PARAM_REAL) {
        g_autofree char *least = limit(param, param->least), *most = limit(param, param->most);
        g_autofree char *range =
            g_strdup_printf(_("From %s to %s; default %s."), least, most, param->default_text);
        add_text(box, range, "hint");
    }
    add_text(box, param->source, "hint");
    if (param->type == NS_PARAM_CHOICE) {
        const NsChoice *chosen =
            param->choices((size_t)ns_settings_get_number(ns_session_settings(session), param));
        add_text(box, _(chosen->label), "heading");
        add_text(box, chosen->purpose ? _(chosen->purpose) : NULL, NULL);
        add_text(box, chosen->formula ? _(chosen->formula) : NULL, "formula");
        add_text(box, chosen->reference, "hint");
        add_text(box, chosen->differs ? _(chosen->differs) : NULL, "hint");
    }
    g_autofree char *key = g_strdup_printf(_("On the command line: --set %s=…"), param->key);
    add_text(box, key, "hint");
    gtk_popover_set_child(GTK_POPOVER(popover), box);
    gtk_popover_set_position(GTK_POPOVER(popover), GTK_POS_RIGHT);
    GdkRectangle place = place_in_window(at);
    ns_popover_pass(popover, at, &place);
}

/* ---- The row ---- */

typedef struct {
    NsSession *session;
    const NsParam *param;
    GtkWidget *badge, *link, *others, *help, *reset;
} Row;

static Row *row_of(GtkWidget *widget)
{
    return g_object_get_data(G_OBJECT(widget), "ns-row");
}

/* ---- What it says ---- */

static const char *effect_words(const NsParam *param)
{
    switch (param->effect) {
    case NS_EFFECT_LIVE:
        return _(
            "Takes effect at the next step of the running model, and is marked on the timeline.");
    case NS_EFFECT_FORK:
        return _("Once the run has started, a change is pending until you fork or restart. A fork "
                 "continues with the current weights; a restart begins again at step 0.");
    case NS_EFFECT_RESTART:
        break;
    }
    return _("Once the run has started, a change is pending until you fork or restart. A restart "
             "begins again at step 0; a fork continues with the weights that still fit.");
}

/* "in B: Pre-LN", the value of the other lane; with more than two lanes, for which there is no
 * room, "≠ B, C"; NULL if all lanes have the same value. */
static char *words_of_others(const Row *row)
{
    const NsExperiment *experiment = &row->session->experiment;
    if (!ns_experiment_differs(experiment, row->param)) return NULL;
    GString *text = g_string_new(NULL);
    g_autofree char *active =
        ns_settings_value_words(ns_session_settings(row->session), row->param);
    for (size_t lane = 0; lane < experiment->n; lane++) {
        if (lane == row->session->active) continue;
        g_autofree char *value = ns_settings_value_words(&experiment->lane[lane], row->param);
        if (experiment->n == 2)
            g_string_append_printf(text, _("in %s: %s"), ns_lane_letter(lane), value);
        else if (!g_str_equal(value, active))
            g_string_append_printf(text, "%s%s", text->len ? ", " : "≠ ", ns_lane_letter(lane));
    }
    return g_string_free(text, FALSE);
}

/* "from step 71" if the setting was changed during the run of the active lane, else "".  A warm-up
 * that was over has no effect: the learning rate stays as it was. */
static char *change_words(const Row *row)
{
    const NsSession *session = row->session;
    const NsExperiment *experiment = &session->experiment;
    if (ns_experiment_is_new(experiment, session->active)) return g_strdup("");
    const NsHistory *history = session->view->histories[experiment->from[session->active]];
    for (size_t i = history ? ns_history_events(history) : 0; i-- > 0;) {
        const NsEvent *event = ns_history_event(history, i);
        if (event->kind != NS_EVENT_SETTING || !g_str_equal(event->what, row->param->key)) continue;
        if (event->step > ns_history_last_step(history)) continue;
        int64_t at = ns_history_record(history, event->step);
        bool idle = g_str_equal(event->what, "warmup") && at > 0 &&
                    ns_history_step(history, (size_t)at)->lr ==
                        ns_history_step(history, (size_t)at - 1)->lr;
        if (idle) return g_strdup(_("no effect on this run"));
        g_autofree char *step = ns_group_digits(event->step);
        return g_strdup_printf(_("from step %s"), step);
    }
    return g_strdup("");
}

static void sync_badge(GtkWidget *widget)
{
    const Row *row = row_of(widget);
    bool pending = ns_session_is_pending(row->session, row->param);
    g_autofree char *words = pending ? g_strdup(_("pending")) : change_words(row);
    ns_set_css_class(widget, "pending", pending);
    gtk_label_set_text(GTK_LABEL(row->badge), words);
}

static void sync_row(GtkWidget *widget)
{
    const Row *row = row_of(widget);
    bool changed = !ns_settings_is_default(ns_session_settings(row->session), row->param);
    /* Opacity rather than visibility, so that nothing moves when the button appears or disappears.
     */
    gtk_widget_set_opacity(row->reset, changed ? 1.0 : 0.0);
    gtk_widget_set_sensitive(row->reset, changed);
    gtk_widget_set_can_target(row->reset, changed);
    bool linked = ns_experiment_is_linked(&row->session->experiment, row->param);
    bool shown = row->session->experiment.n > 1 && !row->param->shared;
    g_autofree char *words = g_strdup_printf(
        linked ? _("%s: same in all lanes") : _("%s: each lane has its own"), _(row->param->label));
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(row->link), linked);
    gtk_button_set_icon_name(GTK_BUTTON(row->link),
                             linked ? "normscope-linked-symbolic" : "normscope-split-symbolic");
    gtk_widget_set_visible(row->link, shown);
    ns_accessible_tooltip(row->link, words);
    g_autofree char *others = words_of_others(row);
    gtk_label_set_text(GTK_LABEL(row->others), others ? others : "");
    gtk_widget_set_tooltip_text(row->others, others); /* a narrow row may cut it */
    ns_set_css_class(widget, "split", !linked);
    ns_set_css_class(widget, "refused", g_strcmp0(row->session->problem_key, row->param->key) == 0);
    sync_badge(widget);
}

/* ---- What it does ---- */

static void on_reset(GtkWidget *widget)
{
    const Row *row = row_of(widget);
    ns_session_set_default(row->session, row->param);
}

static void on_link(GtkWidget *widget)
{
    const Row *row = row_of(widget);
    bool linked = gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(row->link));
    if (linked != ns_experiment_is_linked(&row->session->experiment, row->param))
        ns_session_set_linked(row->session, row->param, linked);
}

void ns_setting_row_explain(GtkWidget *widget)
{
    const Row *row = row_of(widget);
    show_help(row->session, row->param, row->help);
}

/* ---- How it is made ---- */

static GtkWidget *small_button(GtkWidget *button, const char *class, const char *words)
{
    ns_accessible_tooltip(button, words);
    gtk_widget_add_css_class(button, "flat");
    gtk_widget_add_css_class(button, "small");
    gtk_widget_add_css_class(button, class);
    gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
    return button;
}

static char *words_of_reset(const NsParam *param)
{
    if (g_str_equal(param->key, "text")) return g_strdup(_("Back to the generated text"));
    if (!*param->default_text) return g_strdup(_("Clear"));
    NsSettings defaults;
    ns_settings_init(&defaults);
    g_autofree char *value = ns_settings_value_words(&defaults, param);
    ns_settings_clear(&defaults);
    return g_strdup_printf(_("Back to %s"), value);
}

/* The line under the name: values of other lanes, when a change acts, and buttons. */
static GtkWidget *make_second_line(Row *row, GtkWidget *owner)
{
    const NsParam *param = row->param;
    g_autofree char *back = words_of_reset(param);
    g_autofree char *about = g_strdup_printf(_("About: %s"), _(param->label));
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
    gtk_widget_add_css_class(line, "second-line");
    row->badge = gtk_label_new("");
    gtk_widget_add_css_class(row->badge, "badge");
    row->link = small_button(gtk_toggle_button_new(), "link", NULL);
    row->others = ns_line_label_new(NULL, "others");
    row->help = small_button(gtk_button_new_from_icon_name("help-about-symbolic"), "about", about);
    row->reset = small_button(gtk_button_new_from_icon_name("edit-undo-symbolic"), "back", back);
    ns_box_append(line, row->link, row->others, row->badge, row->help, row->reset, NULL);
    ns_connect(row->link, "toggled", G_CALLBACK(on_link), owner);
    ns_connect(row->help, "clicked", G_CALLBACK(ns_setting_row_explain), owner);
    ns_connect(row->reset, "clicked", G_CALLBACK(on_reset), owner);
    return line;
}

GtkWidget *ns_setting_row_new(NsSession *session, const NsParam *param, NsSettingControl control)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    Row *row = g_new0(Row, 1);
    row->session = ns_session_hold(session, box);
    row->param = param;
    g_object_set_data_full(G_OBJECT(box), "ns-row", row, g_free);
    g_autofree char *tip = g_strconcat(_(param->help), NS_TOOLTIP_LINE, effect_words(param), NULL);
    gtk_widget_add_css_class(box, "setting");
    gtk_widget_set_tooltip_text(box, tip);
    GtkWidget *name = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget *label = ns_line_label_new(_(row->param->label), NULL);
    gtk_widget_set_hexpand(name, TRUE);
    gtk_widget_set_valign(name, GTK_ALIGN_CENTER);
    ns_box_append(name, label, make_second_line(row, box), NULL);
    gtk_box_append(GTK_BOX(line), name);
    if (control.alongside) {
        gtk_widget_set_valign(control.alongside, GTK_ALIGN_CENTER);
        gtk_box_append(GTK_BOX(line), control.alongside);
    }
    gtk_box_append(GTK_BOX(box), line);
    if (control.below) gtk_box_append(GTK_BOX(box), control.below);
    ns_session_follow(session, param, G_CALLBACK(sync_row), box);
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_badge), box);
    sync_row(box);
    return box;
}
