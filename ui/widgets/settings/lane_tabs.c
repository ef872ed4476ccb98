/* SPDX-License-Identifier: MIT */
#include "ui/widgets/settings/lane_tabs.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "ui/plot/painter.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"

#define SWATCH_WIDTH 18
#define SWATCH_HEIGHT 10
#define SWATCH_MARK 7
#define NAMES_CHARS 14 /* of two lanes */

typedef struct {
    NsSession *session;
    GtkWidget *line, *tabs[NS_LANES_MAX], *names[NS_LANES_MAX];
    GtkWidget *add, *add_label, *remove, *differences;
    bool syncing;
} Tabs;

static Tabs *tabs_of(GtkWidget *widget)
{
    return g_object_get_data(G_OBJECT(widget), "ns-tabs");
}

/* ---- The color of a lane, as in a legend ---- */

static void draw_swatch(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
    const NsStyle *style = ns_chart_style_for(GTK_WIDGET(area));
    const NsSeriesStyle *look = &style->series[GPOINTER_TO_UINT(data)];
    ns_set_color(cr, look->color);
    ns_set_dash(cr, look, style->line_width);
    cairo_set_line_width(cr, style->line_width);
    cairo_move_to(cr, 0.0, 0.5 * height);
    cairo_line_to(cr, width, 0.5 * height);
    cairo_stroke(cr);
    ns_draw_mark(cr, look->mark, 0.5 * width, 0.5 * height, SWATCH_MARK);
}

/* ---- What they show ---- */

/* The value that distinguishes a lane from the others; "" if there is none. */
static char *special(const NsExperiment *experiment, size_t lane)
{
    const NsParam *param, *placement = ns_param_find("placement");
    if (ns_experiment_differs(experiment, placement) ||
        ns_experiment_differs(experiment, ns_param_find("mixture")))
        return ns_settings_value_words(&experiment->lane[lane], placement);
    for (size_t i = 0; (param = ns_param(i)); i++) {
        if (!ns_experiment_differs(experiment, param)) continue;
        g_autofree char *value = ns_settings_value_words(&experiment->lane[lane], param);
        if (param->type == NS_PARAM_CHOICE) return g_steal_pointer(&value);
        return g_strdup_printf("%s %s", param->key, value);
    }
    return g_strdup("");
}

static void sync_tab(Tabs *tabs, size_t lane, bool named)
{
    const NsExperiment *experiment = &tabs->session->experiment;
    bool there = lane < experiment->n && experiment->n > 1;
    gtk_widget_set_visible(tabs->tabs[lane], there);
    if (!there) return;
    g_autofree char *own = special(experiment, lane);
    g_autofree char *words =
        g_strstrip(g_strdup_printf("%s %s", ns_lane_letter(lane), named ? own : ""));
    g_autofree char *whole = *own ? g_strdup_printf(_("Lane %s: %s"), ns_lane_letter(lane), own)
                                  : g_strdup_printf(_("Lane %s"), ns_lane_letter(lane));
    gtk_label_set_text(GTK_LABEL(tabs->names[lane]), words);
    ns_accessible_tooltip(tabs->tabs[lane], whole);
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(tabs->tabs[lane]),
                                 lane == tabs->session->active);
}

static void sync_tabs(GtkWidget *box)
{
    Tabs *tabs = tabs_of(box);
    size_t n = tabs->session->experiment.n;
    /* Whether every tab has enough space for the value that distinguishes its lane. */
    const NsExperiment *experiment = &tabs->session->experiment;
    glong chars = 0;
    for (size_t l = 0; l < experiment->n; l++) {
        g_autofree char *own = special(experiment, l);
        chars += g_utf8_strlen(own, -1);
    }
    bool named = experiment->n <= 2 && chars <= NAMES_CHARS;
    tabs->syncing = true;
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) sync_tab(tabs, lane, named);
    tabs->syncing = false;
    gtk_widget_set_visible(tabs->add_label, n == 1);
    gtk_widget_set_hexpand(tabs->add, n == 1);
    gtk_widget_set_sensitive(tabs->add, n < NS_LANES_MAX); /* Remove stays where it is */
    gtk_widget_set_visible(tabs->remove, n > 1);
    if (n < NS_LANES_MAX) {
        g_autofree char *words =
            g_strdup_printf(_("Add lane %s, on the same clock and batches"), ns_lane_letter(n));
        ns_accessible_tooltip(tabs->add, words);
    }
    g_autofree char *words =
        g_strdup_printf(_("Remove lane %s"), ns_lane_letter(tabs->session->active));
    ns_accessible_tooltip(tabs->remove, words);
    g_autofree char *differences = ns_session_differences(tabs->session);
    gtk_widget_set_visible(tabs->differences, differences != NULL);
    gtk_label_set_text(GTK_LABEL(tabs->differences), differences ? differences : "");
}

/* ---- What they do ---- */

/* A second press on the active tab leaves it pressed. */
static void on_tab(GtkToggleButton *button, gpointer box)
{
    Tabs *tabs = tabs_of(box);
    if (tabs->syncing) return;
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        if (GTK_WIDGET(button) == tabs->tabs[lane] && gtk_toggle_button_get_active(button))
            ns_session_set_active(tabs->session, lane);
    sync_tabs(box);
}

static void on_add(GtkWidget *box)
{
    ns_session_add_lane(tabs_of(box)->session);
}

static void on_remove(GtkWidget *box)
{
    NsSession *session = tabs_of(box)->session;
    ns_session_remove_lane(session, session->active);
}

static void add_tab(Tabs *tabs, GtkWidget *owner, unsigned lane)
{
    GtkWidget *content = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gtk_widget_set_halign(content, GTK_ALIGN_CENTER);
    tabs->names[lane] = gtk_label_new(NULL);
    gtk_label_set_ellipsize(GTK_LABEL(tabs->names[lane]), PANGO_ELLIPSIZE_END);
    GtkWidget *area = gtk_drawing_area_new();
    gtk_drawing_area_set_content_width(GTK_DRAWING_AREA(area), SWATCH_WIDTH);
    gtk_drawing_area_set_content_height(GTK_DRAWING_AREA(area), SWATCH_HEIGHT);
    gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(area), draw_swatch, GUINT_TO_POINTER(lane),
                                   NULL);
    gtk_widget_set_valign(area, GTK_ALIGN_CENTER);
    gtk_box_append(GTK_BOX(content), area);
    gtk_box_append(GTK_BOX(content), tabs->names[lane]);
    tabs->tabs[lane] = gtk_toggle_button_new();
    gtk_button_set_child(GTK_BUTTON(tabs->tabs[lane]), content);
    gtk_widget_set_hexpand(tabs->tabs[lane], TRUE);
    gtk_widget_add_css_class(tabs->tabs[lane], "lane");
    g_signal_connect(tabs->tabs[lane], "toggled", G_CALLBACK(on_tab), owner);
    gtk_box_append(GTK_BOX(tabs->line), tabs->tabs[lane]);
}

GtkWidget *ns_lane_tabs_new(NsSession *session)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    Tabs *tabs = g_new0(Tabs, 1);
    tabs->session = ns_session_hold(session, box);
    g_object_set_data_full(G_OBJECT(box), "ns-tabs", tabs, g_free);
    gtk_widget_add_css_class(box, "lane-tabs");
    tabs->line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_widget_add_css_class(tabs->line, "linked");
    gtk_box_append(GTK_BOX(box), tabs->line);
    for (unsigned lane = 0; lane < NS_LANES_MAX; lane++) add_tab(tabs, box, lane);
    GtkWidget *content = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gtk_widget_set_halign(content, GTK_ALIGN_CENTER);
    tabs->add_label = gtk_label_new(_("Compare with a second lane"));
    gtk_box_append(GTK_BOX(content), gtk_image_new_from_icon_name("list-add-symbolic"));
    gtk_box_append(GTK_BOX(content), tabs->add_label);
    tabs->add = gtk_button_new();
    gtk_button_set_child(GTK_BUTTON(tabs->add), content);
    tabs->remove = gtk_button_new_from_icon_name("list-remove-symbolic");
    g_signal_connect_object(tabs->add, "clicked", G_CALLBACK(on_add), box, G_CONNECT_SWAPPED);
    g_signal_connect_object(tabs->remove, "clicked", G_CALLBACK(on_remove), box, G_CONNECT_SWAPPED);
    gtk_box_append(GTK_BOX(tabs->line), tabs->remove);
    gtk_box_append(GTK_BOX(tabs->line), tabs->add);
    tabs->differences = ns_text_label_new(NULL, "hint");
    gtk_box_append(GTK_BOX(box), tabs->differences);
    ns_session_listen(session, "settings-changed", G_CALLBACK(sync_tabs), box);
    sync_tabs(box);
    return box;
}
