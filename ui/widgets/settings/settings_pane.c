/* The left pane: lanes, pending changes, a row for every setting.  SPDX-License-Identifier: MIT */
#include "ui/widgets/settings/settings_pane.h"
#include "core/base/words.h"
#include "core/experiment/param.h"
#include "core/settings/choices.h"
#include "ui/figures/settings_caption.h"
#include "ui/plot/painter.h"
#include "ui/session/session.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/settings/controls.h"
#include "ui/widgets/settings/log_pane.h"
#include "ui/widgets/settings/setting_row.h"

#include <gtk/gtk.h>
#include <string.h>

typedef struct {
    NsSession *session;
    GtkWidget *tabs, *tab[NS_LANES_MAX], *names[NS_LANES_MAX];
    GtkWidget *second, *blank; /* the row of the third and the fourth lane, and what is in place of
                                * the latter */
    GtkWidget *add, *add_label, *remove, *differences;
    GtkWidget *rows, *log; /* of the settings; of a run of another program, in their place */
    GtkWidget *watched;    /* the words about that */
    GtkWidget *bar, *words, *restart, *fork, *drop; /* the bar of pending changes */
} Pane;

static const char PANE[] = "ns-settings-pane";

static Pane *pane_of(GtkWidget *widget)
{
    return g_object_get_data(G_OBJECT(widget), PANE);
}

/* ---- Pending changes ---- */

#define BAR_HEIGHT 88 /* pixels: two lines of words and a row of buttons */

static void sync_bar(GtkWidget *widget)
{
    Pane *pane = pane_of(widget);
    g_autofree char *words = ns_session_pending_words(pane->session);
    bool waits = words != NULL;
    bool had_focus = !waits && gtk_widget_get_focus_child(pane->bar);
    gtk_label_set_text(GTK_LABEL(pane->words), waits ? words : "");
    gtk_widget_set_tooltip_text(pane->words, words);
    /* From the first step on it has its place, seen or not, so that it never covers or moves the
     * row of the change. */
    gtk_widget_set_visible(pane->bar, ns_session_has_begun(pane->session));
    gtk_widget_set_opacity(pane->bar, waits);
    /* Keyboard, pointer and assistive technology must not reach a bar that is not seen; each
     * button is insensitive, since screen readers do not look at their parent. */
    gtk_widget_set_can_target(pane->bar, waits);
    gtk_widget_set_sensitive(pane->restart, waits && ns_session_can_restart(pane->session));
    int64_t step = ns_session_fork_step(pane->session);
    g_autofree char *digits = ns_group_digits(step);
    g_autofree char *from =
        step < 0 ? g_strdup(_("There is no checkpoint from which all lanes could continue."))
                 : g_strdup_printf(
                       _("Continue from step %s with these settings, as a new branch (F)"), digits);
    if (waits) gtk_widget_set_tooltip_text(pane->fork, from);
    gtk_widget_set_sensitive(pane->fork, waits && step >= 0);
    gtk_widget_set_sensitive(pane->drop, waits);
    if (had_focus) gtk_widget_child_focus(pane->rows, GTK_DIR_TAB_FORWARD);
}

/* "2 pending changes: Norm placement of B, Layers" above Restart | Fork | Undo. */
static void make_bar(Pane *pane)
{
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    pane->bar = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    gtk_widget_add_css_class(pane->bar, "pending-bar");
    gtk_widget_set_size_request(pane->bar, -1, BAR_HEIGHT);
    pane->words = ns_text_label_new(NULL, NULL);
    gtk_label_set_lines(GTK_LABEL(pane->words), 2);
    gtk_label_set_ellipsize(GTK_LABEL(pane->words), PANGO_ELLIPSIZE_END);
    gtk_widget_set_vexpand(pane->words, TRUE);
    gtk_widget_add_css_class(line, "linked");
    gtk_box_set_homogeneous(GTK_BOX(line), TRUE);
    pane->restart =
        ns_button_new(_("Restart"), _("All lanes restart at step 0 with these settings"),
                      G_CALLBACK(ns_session_restart), pane->session);
    pane->fork = ns_button_new(_("Fork"), NULL, G_CALLBACK(ns_session_fork), pane->session);
    pane->drop = ns_button_new(_("Discard"), _("Back to the settings of the run"),
                               G_CALLBACK(ns_session_drop_pending), pane->session);
    ns_box_append(line, pane->restart, pane->fork, pane->drop, NULL);
    ns_box_append(pane->bar, pane->words, line, NULL);
    gtk_widget_set_vexpand(pane->bar, FALSE); /* the words do, in the bar */
}

/* ---- Lanes ---- */

#define SWATCH_WIDTH 18
#define SWATCH_HEIGHT 10
#define SWATCH_MARK 7
#define NAMES_CHARS 13 /* of two lanes, which the line below names, too */
#define NAME_CHARS 12  /* of a tab in two rows */

/* The color of a lane, as in a legend. */
static void draw_swatch(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
    const NsStyle *style = ns_chart_style_for(GTK_WIDGET(area));
    const NsSeriesStyle *look = &style->series[GPOINTER_TO_UINT(data)];
    ns_set_color(cr, look->color);
    cairo_set_line_width(cr, style->line_width);
    cairo_move_to(cr, 0.0, 0.5 * height);
    cairo_line_to(cr, width, 0.5 * height);
    cairo_stroke(cr);
    ns_draw_mark(cr, look->mark, 0.5 * width, 0.5 * height, SWATCH_MARK);
}

/* The first setting that distinguishes a lane from the others; "" if none does. */
static char *special(const NsExperiment *experiment, size_t lane)
{
    const NsSettings *lanes[NS_LANES_MAX];
    for (size_t i = 0; i < experiment->n; i++) lanes[i] = &experiment->lane[i];
    char *words = ns_settings_special_words(lanes, experiment->n, lane);
    words[strcspn(words, ",")] = 0;
    return words;
}

static void sync_tabs(GtkWidget *widget)
{
    const Pane *pane = pane_of(widget);
    const NsExperiment *experiment = &pane->session->experiment;
    size_t n = experiment->n;
    /* Whether every tab has enough space for the value that distinguishes its lane. */
    glong chars = 0;
    for (size_t lane = 0; lane < n; lane++) {
        g_autofree char *own = special(experiment, lane);
        chars += g_utf8_strlen(own, -1);
    }
    bool named = n > 2 || chars <= NAMES_CHARS;
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) {
        bool there = lane < n && n > 1;
        gtk_widget_set_visible(pane->tab[lane], there);
        if (!there) continue;
        g_autofree char *own = special(experiment, lane);
        bool fits = n == 2 || g_utf8_strlen(own, -1) <= NAME_CHARS;
        g_autofree char *words =
            g_strstrip(g_strdup_printf("%s %s", ns_lane_letter(lane), named && fits ? own : ""));
        g_autofree char *whole = *own ? g_strdup_printf(_("Lane %s: %s"), ns_lane_letter(lane), own)
                                      : g_strdup_printf(_("Lane %s"), ns_lane_letter(lane));
        gtk_label_set_text(GTK_LABEL(pane->names[lane]), words);
        ns_accessible_tooltip(pane->tab[lane], whole);
        if (lane == pane->session->active)
            gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(pane->tab[lane]), TRUE);
    }
    gtk_widget_set_visible(pane->second, n > 2);
    gtk_widget_set_visible(pane->blank, n == 3);
    ns_set_css_class(pane->second, "linked", n == NS_LANES_MAX);
    gtk_widget_set_visible(pane->add_label, n == 1);
    gtk_widget_set_hexpand(pane->add, n == 1);
    gtk_widget_set_sensitive(pane->add, n < NS_LANES_MAX); /* Remove stays where it is */
    gtk_widget_set_visible(pane->remove, n > 1);
    g_autofree char *more =
        n < NS_LANES_MAX
            ? g_strdup_printf(_("Add lane %s, on the same clock and batches"), ns_lane_letter(n))
            : g_strdup(_("There are at most four lanes"));
    ns_accessible_tooltip(pane->add, more);
    g_autofree char *words =
        g_strdup_printf(_("Remove lane %s"), ns_lane_letter(pane->session->active));
    ns_accessible_tooltip(pane->remove, words);
    g_autofree char *differences = ns_session_differences(pane->session);
    gtk_widget_set_visible(pane->differences, differences != NULL);
    gtk_label_set_text(GTK_LABEL(pane->differences), differences ? differences : "");
    gtk_widget_set_tooltip_text(pane->differences, differences);
}

static void on_tab(GtkToggleButton *button, GtkWidget *widget)
{
    const Pane *pane = pane_of(widget);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        if (GTK_WIDGET(button) == pane->tab[lane] && gtk_toggle_button_get_active(button))
            ns_session_set_active(pane->session, lane);
}

static void on_remove(NsSession *session)
{
    ns_session_remove_lane(session, session->active);
}

static GtkWidget *add_tab(GtkWidget *widget, unsigned lane)
{
    Pane *pane = pane_of(widget);
    GtkWidget *content = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
    gtk_widget_set_halign(content, GTK_ALIGN_CENTER);
    pane->names[lane] = gtk_label_new(NULL);
    gtk_label_set_ellipsize(GTK_LABEL(pane->names[lane]), PANGO_ELLIPSIZE_END);
    GtkWidget *area = gtk_drawing_area_new();
    gtk_drawing_area_set_content_width(GTK_DRAWING_AREA(area), SWATCH_WIDTH);
    gtk_drawing_area_set_content_height(GTK_DRAWING_AREA(area), SWATCH_HEIGHT);
    gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(area), draw_swatch, GUINT_TO_POINTER(lane),
                                   NULL);
    gtk_widget_set_valign(area, GTK_ALIGN_CENTER);
    ns_box_append(content, area, pane->names[lane], NULL);
    GtkWidget *tab = pane->tab[lane] = gtk_toggle_button_new();
    gtk_button_set_child(GTK_BUTTON(tab), content);
    if (lane) gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(tab), GTK_TOGGLE_BUTTON(pane->tab[0]));
    gtk_widget_set_hexpand(tab, TRUE);
    gtk_widget_add_css_class(tab, "lane");
    g_signal_connect(tab, "toggled", G_CALLBACK(on_tab), widget);
    return tab;
}

/* A tab for each lane, with its color and mark in charts and the value that distinguishes it: two
 * in the first row, the others in a second one, so that names have space.  Buttons, which stay
 * where they are, add a lane and remove the active one; a line below lists the differences between
 * lanes. */
static void add_tabs(GtkWidget *widget)
{
    Pane *pane = pane_of(widget);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    GtkWidget *content = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    pane->tabs = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    gtk_widget_add_css_class(pane->tabs, "lane-tabs");
    gtk_widget_add_css_class(line, "linked");
    pane->second = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    pane->blank = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_box_set_homogeneous(GTK_BOX(pane->second), TRUE);
    for (unsigned lane = 0; lane < NS_LANES_MAX; lane++)
        gtk_box_append(GTK_BOX(lane < 2 ? line : pane->second), add_tab(widget, lane));
    gtk_box_append(GTK_BOX(pane->second), pane->blank);
    gtk_widget_set_halign(content, GTK_ALIGN_CENTER);
    pane->add_label = gtk_label_new(_("Compare with a second lane"));
    ns_box_append(content, gtk_image_new_from_icon_name("list-add-symbolic"), pane->add_label,
                  NULL);
    pane->add = gtk_button_new();
    gtk_button_set_child(GTK_BUTTON(pane->add), content);
    pane->remove = gtk_button_new_from_icon_name("list-remove-symbolic");
    ns_connect(pane->add, "clicked", G_CALLBACK(ns_session_add_lane), pane->session);
    ns_connect(pane->remove, "clicked", G_CALLBACK(on_remove), pane->session);
    pane->differences = ns_text_label_new(NULL, "hint");
    gtk_label_set_ellipsize(GTK_LABEL(pane->differences), PANGO_ELLIPSIZE_END);
    gtk_label_set_lines(GTK_LABEL(pane->differences), 4);
    ns_box_append(line, pane->remove, pane->add, NULL);
    ns_box_append(pane->tabs, line, pane->second, pane->differences, NULL);
}

/* ---- Rows ---- */

/* The rows at the top, in order, then others whose control does not follow from their type. */
typedef struct {
    const char *key;
    const char *top;    /* the heading of a row at the top */
    double least, most; /* of a slider below */
    /* The constructor of the control; without one and without a slider it follows from the type. */
    GtkWidget *(*alongside)(NsSession *session, const NsParam *param);
    GtkWidget *(*below)(NsSession *session, const NsParam *param);
} Row;

static const Row ROWS[] = {
    {"placement", .top = N_("Model"), .below = ns_toggle_control_new},
    {"layers", .top = N_("Model"), .least = 1, .most = 1000},
    {"warmup", .top = N_("Training"), .least = 1, .most = 10000},
    {"lr", .top = N_("Training"), .least = 1e-5, .most = 1},
    {"d-model", .alongside = ns_number_control_new},
    {"heads", .alongside = ns_number_control_new},
    {"batch", .alongside = ns_number_control_new},
    {"seq", .alongside = ns_number_control_new},
    {"seed", .alongside = ns_seed_control_new},
    {"text", .below = ns_file_control_new},
};

/* Empty for other settings. */
static Row row_of(const char *key)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ROWS); i++)
        if (g_str_equal(ROWS[i].key, key)) return ROWS[i];
    return (Row){0};
}

static NsSettingControl control_for(NsSession *session, const NsParam *param)
{
    const Row row = row_of(param->key);
    if (row.below) return (NsSettingControl){.below = row.below(session, param)};
    if (row.alongside) return (NsSettingControl){.alongside = row.alongside(session, param)};
    if (row.most > 0.0)
        return (NsSettingControl){ns_entry_control_new(session, param),
                                  ns_slider_control_new(session, param, row.least, row.most)};
    if (param->choices == ns_toggle_choice)
        return (NsSettingControl){.alongside = ns_switch_control_new(session, param)};
    if (param->type == NS_PARAM_CHOICE)
        return (NsSettingControl){.alongside = ns_choice_control_new(session, param)};
    GtkWidget *entry = ns_entry_control_new(session, param);
    if (param->type != NS_PARAM_TEXT) return (NsSettingControl){.alongside = entry};
    GtkWidget *field = gtk_widget_get_first_child(entry);
    gtk_widget_set_hexpand(field, TRUE);
    gtk_editable_set_alignment(GTK_EDITABLE(field), 0.0f);
    gtk_editable_set_max_width_chars(GTK_EDITABLE(field), -1);
    return (NsSettingControl){.below = entry};
}

/* The memory of the run, under the row of its number of layers. */
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

/* A group without visible rows has no heading either. */
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
    ns_connect(row, "notify::visible", G_CALLBACK(sync_group), group);
}

/* Settings without effect beside the others are hidden, unless they were changed. */
static void sync_used(GtkWidget *pane)
{
    const NsSettings *settings = ns_session_settings(pane_of(pane)->session);
    for (size_t i = 0; ns_param(i); i++)
        ns_hide(ns_settings_pane_row(pane, ns_param(i)->key), NS_HIDDEN_USELESS,
                !ns_settings_is_used(settings, ns_param(i)) &&
                    ns_settings_is_default(settings, ns_param(i)));
}

/* Whether the words are those of a setting's name; with `group` those of its group count, too. */
static bool matches(const char *words, const NsParam *param, bool group)
{
    g_autofree char *text = g_strjoin(" ", param->key, _(param->label),
                                      group ? _(ns_param_group_label(param->group)) : NULL, NULL);
    return !*words || g_str_match_string(words, text, TRUE);
}

static void on_searched(GtkSearchEntry *search, GtkWidget *pane)
{
    const char *words = gtk_editable_get_text(GTK_EDITABLE(search));
    GtkWidget *note = gtk_widget_get_next_sibling(GTK_WIDGET(search));
    const NsParam *above = NULL; /* the first match among the rows that are always shown */
    bool named = false, found = false;
    for (size_t i = 0; ns_param(i) && !named; i++) named = matches(words, ns_param(i), false);
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        bool match = matches(words, param, !named);
        if (row_of(param->key).top) {
            if (match && !above) above = param;
            continue;
        }
        ns_hide(ns_settings_pane_row(pane, param->key), NS_HIDDEN_SEARCH, !match);
        found |= match;
    }
    g_autofree char *sentence = above ? g_strdup_printf(_("%s is further up."), _(above->label))
                                      : g_strdup(_("No setting has these words in its name."));
    gtk_label_set_text(GTK_LABEL(note), sentence);
    gtk_widget_set_visible(note, !found);
    ns_set_css_class(GTK_WIDGET(search), "error", !found && !above);
    /* With fewer rows the pane would scroll, and the entry would leave the pointer. */
    GtkWidget *more = gtk_widget_get_parent(GTK_WIDGET(search));
    gtk_widget_set_size_request(more, -1, *words ? gtk_widget_get_height(more) : -1);
    ns_bring_into_view(gtk_widget_get_ancestor(GTK_WIDGET(search), GTK_TYPE_EXPANDER));
}

/* A folded expander takes its child out of the window, and yet Tab would look into it (GTK 4.18).
 */
static void on_expanded(GtkExpander *expander, GParamSpec *property, GtkWidget *child)
{
    (void)property;
    gtk_widget_set_child_visible(child, gtk_expander_get_expanded(expander));
    if (gtk_expander_get_expanded(expander) && gtk_widget_get_mapped(GTK_WIDGET(expander)))
        ns_bring_into_view(GTK_WIDGET(expander));
}

/* Letters typed next are meant for the search, not for the shortcuts of a chart. */
static void on_opened(GtkExpander *expander, GtkWidget *search)
{
    if (gtk_expander_get_expanded(expander)) gtk_widget_grab_focus(search);
}

static GtkWidget *make_rows(GtkWidget *pane, NsSession *session)
{
    GtkWidget *rows = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8), *group = NULL;
    const char *heading = NULL;
    gtk_widget_add_css_class(rows, "settings");
    for (size_t i = 0; i < G_N_ELEMENTS(ROWS) && ROWS[i].top; i++) {
        if (g_strcmp0(ROWS[i].top, heading) != 0) group = add_group(rows, _(ROWS[i].top));
        heading = ROWS[i].top;
        add_row(pane, group, session, ns_param_find(ROWS[i].key));
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
    GtkWidget *note = ns_text_label_new(NULL, "hint");
    gtk_widget_set_visible(note, FALSE);
    ns_box_append(more, search, note, NULL);
    for (size_t k = 0; k < NS_GROUPS; k++) {
        group = add_group(more, _(ns_param_group_label((NsParamGroup)k)));
        for (size_t i = 0; ns_param(i); i++)
            if (ns_param(i)->group == k && !row_of(ns_param(i)->key).top)
                add_row(pane, group, session, ns_param(i));
    }
    GtkWidget *expander = gtk_expander_new(_("More settings"));
    gtk_expander_set_child(GTK_EXPANDER(expander), more);
    g_signal_connect_object(expander, "notify::expanded", G_CALLBACK(on_expanded), more, 0);
    g_signal_connect_object(expander, "activate", G_CALLBACK(on_opened), search, G_CONNECT_AFTER);
    if (ns_preferences())
        g_settings_bind(ns_preferences(), NS_MORE_SETTINGS, expander, "expanded",
                        G_SETTINGS_BIND_DEFAULT);
    on_expanded(GTK_EXPANDER(expander), NULL, more);
    g_object_set_data(G_OBJECT(pane), "ns-row-" NS_MORE_SETTINGS, expander);
    g_object_set_data(G_OBJECT(pane), "ns-row-" NS_SEARCH_SETTINGS, search);
    gtk_box_append(GTK_BOX(rows), expander);
    return rows;
}

static void sync_watching(GtkWidget *widget)
{
    const Pane *pane = pane_of(widget);
    bool watching = ns_session_is_watching(pane->session);
    gtk_widget_set_visible(pane->tabs, !watching);
    gtk_widget_set_visible(pane->rows, !watching);
    gtk_widget_set_visible(pane->log, watching);
    gtk_widget_set_sensitive(pane->rows, !watching);
    gtk_widget_set_visible(pane->watched, watching);
}

/* The words in place of pending changes while another program's run is on view. */
static GtkWidget *new_watched(void)
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
    ns_box_append(box, words, leave, NULL);
    return box;
}

GtkWidget *ns_settings_pane_new(NsSession *session)
{
    GtkWidget *widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    Pane *pane = g_new0(Pane, 1);
    pane->session = ns_session_hold(session, widget);
    g_object_set_data_full(G_OBJECT(widget), PANE, pane, g_free);
    gtk_widget_add_css_class(widget, "settings-pane");
    add_tabs(widget);
    pane->rows = ns_scrolled_new(make_rows(widget, session));
    pane->log = ns_log_pane_new(session);
    gtk_widget_set_visible(pane->log, FALSE);
    make_bar(pane);
    pane->watched = new_watched();
    gtk_widget_set_visible(pane->watched, FALSE);
    ns_box_append(widget, pane->tabs, pane->rows, pane->log, pane->bar, pane->watched, NULL);
    ns_session_listen(session, "settings-changed", G_CALLBACK(sync_tabs), widget);
    ns_session_listen(session, "settings-changed", G_CALLBACK(sync_bar), widget);
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_bar), widget);
    ns_session_listen(session, "view-changed", G_CALLBACK(sync_bar), widget);
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_watching), widget);
    static const char *const deciding[] = {"task", "arch", "schedule", "placement", "mixture"};
    for (size_t i = 0; i < G_N_ELEMENTS(deciding); i++)
        ns_session_follow(session, ns_param_find(deciding[i]), G_CALLBACK(sync_used), widget);
    sync_tabs(widget);
    sync_bar(widget);
    sync_used(widget);
    return widget;
}

GtkWidget *ns_settings_pane_row(GtkWidget *pane, const char *key)
{
    g_autofree char *name = g_strconcat("ns-row-", key, NULL);
    return g_object_get_data(G_OBJECT(pane), name);
}

bool ns_settings_pane_unfold(GtkWidget *pane, GtkWidget *row)
{
    GtkExpander *expander = GTK_EXPANDER(ns_settings_pane_row(pane, NS_MORE_SETTINGS));
    bool inside = gtk_widget_is_ancestor(row, gtk_expander_get_child(expander));
    if (inside) gtk_expander_set_expanded(expander, TRUE);
    return inside;
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
