/* The panel of gradient checks.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/gradient_check_panel.h"

#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"

#include <inttypes.h>
#include <math.h>

#define UNKNOWN 0.1      /* above this, rounding hides the derivative (core/train/check.h) */
#define MOST_CHECKS 4096 /* that the chart keeps */
#define WIDTH 680        /* of a window of its own */
#define HEIGHT 720
#define TABLE_HEIGHT 220
#define CHART_HEIGHT 200

/* Columns of the table. */
enum { TENSOR, ANALYTIC, NUMERIC, ERROR, RANDOM, COLUMNS };

G_DEFINE_FINAL_TYPE(NsGradientCheckPanel, ns_gradient_check_panel, GTK_TYPE_BOX)

/* ---- The table ---- */

static void attach(NsGradientCheckPanel *panel, int column, int row, const char *text,
                   const char *css)
{
    bool number = column > 0;
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_xalign(GTK_LABEL(label), number ? 1.0F : 0.0F);
    gtk_widget_set_hexpand(label, !number);
    if (number) gtk_widget_add_css_class(label, "numeric");
    if (css) gtk_widget_add_css_class(label, css);
    gtk_grid_attach(GTK_GRID(panel->table), label, column, row, 1, 1);
}

static void attach_number(NsGradientCheckPanel *panel, int column, int row, int digits,
                          double value, const char *css)
{
    g_autofree char *text = ns_text_value(value, digits);
    attach(panel, column, row, text, css);
}

/* An error, or "unknown" if rounding hides the derivative. */
static void attach_error(NsGradientCheckPanel *panel, int column, int row,
                         const NsDerivative *derivative, bool worst)
{
    if (derivative->unknown > UNKNOWN)
        attach(panel, column, row, _("unknown"), "dim-label");
    else
        attach_number(panel, column, row, 2, derivative->error, worst ? "worst" : NULL);
}

static void clear_table(NsGradientCheckPanel *panel)
{
    GtkWidget *child;
    while ((child = gtk_widget_get_first_child(panel->table)))
        gtk_grid_remove(GTK_GRID(panel->table), child);
    const char *const heads[COLUMNS] = {_("tensor"), _("gradient"), _("finite difference"),
                                        _("relative error"), _("random direction")};
    for (int i = 0; i < COLUMNS; i++) attach(panel, i, 0, heads[i], "heading");
}

/* ---- The verdict ---- */

static char *verdict_words(NsSession *session, const NsGradientCheck *check)
{
    if (*check->problem) return g_strdup(check->problem);
    g_autofree char *along = ns_text_value(check->worst, 2);
    g_autofree char *random = ns_text_value(check->worst_random, 2);
    const char *tensor = check->n ? check->row[0].tensor : "", *lane = ns_lane_letter(check->lane);
    for (size_t i = check->n; i-- > 0;)
        if (check->row[i].along.error >= check->worst && check->row[i].along.unknown <= UNKNOWN)
            tensor = check->row[i].tensor;
    g_autofree char *step = ns_group_digits(check->step), *layer = ns_group_digits(check->layer);
    GString *words = g_string_new(NULL);
    g_string_printf(words,
                    check->agrees
                        ? _("Step %s, layer %s of %s: the gradients agree. Largest error %s (%s), "
                            "along random directions %s: rounding explains these.")
                        : _("Step %s, layer %s of %s: the gradients do not agree. Largest error %s "
                            "(%s), along random directions %s: more than rounding explains."),
                    step, layer, lane, along, tensor, random);
    if (check->unknown)
        g_string_append_printf(words,
                               _(" %zu of %zu derivatives are unknown: they are too small, or the "
                                 "loss is not smooth there."),
                               check->unknown, 2 * check->n);
    /* Of several seeds of a lane the first is checked. */
    NsHistory *history = session->view->histories[check->lane];
    size_t seeds = history ? ns_history_seeds(history) : 1;
    if (seeds > 1) g_string_append_printf(words, _(" Seed 1 of %zu was checked."), seeds);
    return g_string_free(words, FALSE);
}

static void set_verdict(NsGradientCheckPanel *panel, const char *words, const char *css)
{
    gtk_label_set_text(GTK_LABEL(panel->verdict), words);
    gtk_widget_set_css_classes(panel->verdict, (const char *[]){"verdict", css, NULL});
}

/* ---- The chart ---- */

static void update_chart(NsGradientCheckPanel *panel)
{
    NsFigureInput input = {
        .checks = (const NsGradientCheckErrors *)(const void *)panel->checks->data,
        .n_checks = panel->checks->len,
        .step = -1,
        .log = true,
    };
    if (ns_chart_view_update(panel->chart, &input)) ns_chart_view_describe(panel->chart);
}

/* ---- Checks ---- */

static void sync_button(NsGradientCheckPanel *panel)
{
    bool waits = panel->session->checking;
    gtk_widget_set_sensitive(panel->check, !waits);
    gtk_button_set_label(GTK_BUTTON(panel->check),
                         waits ? _("Checking…") : _("Check gradients now"));
}

void ns_gradient_check_panel_show(NsGradientCheckPanel *panel, const NsGradientCheck *check)
{
    sync_button(panel);
    g_autofree char *words = verdict_words(panel->session, check);
    bool broken = *check->problem != '\0';
    set_verdict(panel, words, broken ? "dim-label" : check->agrees ? "success" : "error");
    if (broken) {
        panel->last = MAX(panel->last, check->step);
        return;
    }
    clear_table(panel);
    for (size_t i = 0; i < check->n; i++) {
        const NsCheckRow *row = &check->row[i];
        int at = (int)i + 1;
        attach(panel, TENSOR, at, row->tensor, NULL);
        attach_number(panel, ANALYTIC, at, 5, row->along.analytic, NULL);
        attach_number(panel, NUMERIC, at, 5, row->along.numeric, NULL);
        attach_error(panel, ERROR, at, &row->along, row->along.error >= check->worst);
        attach_error(panel, RANDOM, at, &row->random, row->random.error >= check->worst_random);
    }
    /* A reset, or another model. */
    if (check->lane != panel->checked_lane || check->layer != panel->checked_layer ||
        check->step <= panel->last) {
        g_array_set_size(panel->checks, 0);
        panel->last = -1;
    }
    panel->checked_lane = check->lane;
    panel->checked_layer = check->layer;
    if (panel->checks->len == MOST_CHECKS) g_array_remove_range(panel->checks, 0, MOST_CHECKS / 2);
    NsGradientCheckErrors point = {check->step, check->worst, check->worst_random};
    g_array_append_val(panel->checks, point);
    panel->last = check->step;
    update_chart(panel);
}

static void on_checked(NsGradientCheckPanel *panel)
{
    const NsGradientCheck *check = panel->session->check;
    /* A check that was canceled leaves the result of the check before. */
    bool known = check && check->step == panel->last && check->lane == panel->checked_lane &&
                 check->layer == panel->checked_layer;
    if (check && !known) ns_gradient_check_panel_show(panel, check);
    sync_button(panel);
}

static void ask(NsGradientCheckPanel *panel)
{
    if (panel->session->checking) return;
    unsigned lane = gtk_drop_down_get_selected(GTK_DROP_DOWN(panel->lane));
    int layer = gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(panel->layer));
    ns_session_check(panel->session, lane, (unsigned)layer);
    sync_button(panel);
}

/* Repeated checks are requested when they are due; none is due while the run is paused. */
static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    NsGradientCheckPanel *panel = NS_GRADIENT_CHECK_PANEL(widget);
    int64_t now = ns_session_steps(panel->session);
    bool due = panel->last < 0 || now < panel->last || now - panel->last >= NS_GRADIENT_CHECK_EVERY;
    if (due && panel->session->wants_run) ask(panel);
    return G_SOURCE_CONTINUE;
}

static void on_repeat(NsGradientCheckPanel *panel)
{
    bool on = gtk_check_button_get_active(GTK_CHECK_BUTTON(panel->repeat));
    if (panel->tick) gtk_widget_remove_tick_callback(GTK_WIDGET(panel), panel->tick);
    panel->tick = on ? gtk_widget_add_tick_callback(GTK_WIDGET(panel), on_tick, NULL, NULL) : 0;
}

/* ---- What can be chosen ---- */

static void sync_layers(NsGradientCheckPanel *panel)
{
    size_t lane = gtk_drop_down_get_selected(GTK_DROP_DOWN(panel->lane));
    const NsSettings *settings = &panel->session->run->lane[MIN(lane, panel->session->run->n - 1)];
    double most = MAX(
        (unsigned)(ns_settings_encoder_layers(settings) + ns_settings_decoder_layers(settings)), 1);
    gtk_spin_button_set_range(GTK_SPIN_BUTTON(panel->layer), 1, most);
}

/* Lanes and layers are those of the run: a pending one has no weights. */
static void sync_run(NsGradientCheckPanel *panel)
{
    GtkDropDown *drop_down = GTK_DROP_DOWN(panel->lane);
    size_t n = panel->session->run->n;
    guint selected = gtk_drop_down_get_selected(drop_down);
    if (g_list_model_get_n_items(gtk_drop_down_get_model(drop_down)) != n) {
        g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
        for (size_t i = 0; i < n; i++) gtk_string_list_append(names, ns_lane_letter(i));
        gtk_drop_down_set_model(drop_down, G_LIST_MODEL(names));
        gtk_drop_down_set_selected(
            drop_down, selected < n ? selected : (guint)MIN(panel->session->active, n - 1));
    }
    sync_layers(panel);
    sync_button(panel);
}

static void follow_layer(NsGradientCheckPanel *panel)
{
    int layer = panel->session->view->layer;
    if (layer > 0) gtk_spin_button_set_value(GTK_SPIN_BUTTON(panel->layer), layer);
}

/* ---- Building ---- */

static GtkWidget *make_text(const char *text)
{
    GtkWidget *label = ns_text_label_new(text, NULL);
    gtk_label_set_max_width_chars(GTK_LABEL(label), 76);
    return label;
}

static GtkWidget *make_controls(NsGradientCheckPanel *panel)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
    panel->lane = gtk_drop_down_new(G_LIST_MODEL(g_steal_pointer(&names)), NULL);
    panel->layer = gtk_spin_button_new_with_range(1, 1, 1);
    panel->check =
        ns_button_new(_("Check gradients now"), _("At the next step; the run continues unchanged"),
                      G_CALLBACK(ask), panel);
    g_autofree char *every = g_strdup_printf(_("Every %d steps"), NS_GRADIENT_CHECK_EVERY);
    panel->repeat = gtk_check_button_new_with_label(every);
    gtk_widget_add_css_class(panel->check, "suggested-action");
    ns_name_control(panel->lane, _("Lane"), _("The model that is checked"));
    ns_name_control(panel->layer, _("Layer"), _("The layer that is checked, from 1"));
    gtk_widget_set_tooltip_text(panel->repeat, _("Repeat the check while the model trains"));
    ns_box_append(box, gtk_label_new(_("Lane")), panel->lane, gtk_label_new(_("Layer")),
                  panel->layer, panel->check, panel->repeat, NULL);
    ns_connect(panel->repeat, "toggled", G_CALLBACK(on_repeat), panel);
    ns_connect(panel->lane, "notify::selected", G_CALLBACK(sync_layers), panel);
    return box;
}

static void ns_gradient_check_panel_finalize(GObject *object)
{
    g_array_unref(NS_GRADIENT_CHECK_PANEL(object)->checks);
    G_OBJECT_CLASS(ns_gradient_check_panel_parent_class)->finalize(object);
}

static void ns_gradient_check_panel_class_init(NsGradientCheckPanelClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_gradient_check_panel_finalize;
}

static void ns_gradient_check_panel_init(NsGradientCheckPanel *panel)
{
    panel->checks = g_array_new(FALSE, FALSE, sizeof(NsGradientCheckErrors));
    panel->last = -1;
}

static GtkWidget *new_panel(NsSession *session)
{
    NsGradientCheckPanel *panel = g_object_new(NS_TYPE_GRADIENT_CHECK_PANEL, "orientation",
                                               GTK_ORIENTATION_VERTICAL, "spacing", 10, NULL);
    panel->session = ns_session_hold(session, panel);
    gtk_widget_add_css_class(GTK_WIDGET(panel), "study");
    gtk_widget_add_css_class(GTK_WIDGET(panel), "gradient-check");
    GtkWidget *text =
        make_text(_("A finite difference nudges the weights by plus and minus ε and divides the "
                    "change of the loss by 2 ε: the derivative that backpropagation must return, "
                    "computed without it. In single precision, rounding leaves errors of 1e-5 to "
                    "3e-3, and ten times that along a random direction."));
    panel->verdict = make_text(NULL);
    panel->table = ns_grid_new(2, 18);
    GtkWidget *scroll = gtk_scrolled_window_new();
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroll), panel->table);
    gtk_widget_set_size_request(scroll, -1, TABLE_HEIGHT);
    gtk_widget_set_vexpand(scroll, TRUE);
    panel->chart = NS_CHART_VIEW(ns_chart_view_new(&ns_gradient_check_kind));
    gtk_widget_set_size_request(GTK_WIDGET(panel->chart), -1, CHART_HEIGHT);
    ns_box_append(GTK_WIDGET(panel), text, make_controls(panel), panel->verdict, scroll,
                  GTK_WIDGET(panel->chart), NULL);
    clear_table(panel);
    sync_run(panel);
    follow_layer(panel);
    set_verdict(panel, _("Nothing has been checked yet."), "dim-label");
    ns_session_listen(session, "checked", G_CALLBACK(on_checked), panel);
    ns_session_listen(session, "view-changed", G_CALLBACK(follow_layer), panel);
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_run), panel);
    update_chart(panel);
    return GTK_WIDGET(panel);
}

/* ---- A window of its own ---- */

NsGradientCheckPanel *ns_gradient_check_present(GtkWindow *parent, NsSession *session)
{
    const char *title = _("Gradient check");
    GtkWidget *panel = ns_side_window_raise(parent, title);
    if (!panel) panel = ns_side_window_open(parent, title, WIDTH, HEIGHT, new_panel(session));
    return NS_GRADIENT_CHECK_PANEL(panel);
}
