/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/learning.h"
#include "core/base/words.h"
#include "core/store/bundled.h"
#include "core/store/output_file.h"
#include "ui/figures/sheet.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/common/windows.h"
#include "ui/widgets/diagram/diagram_page.h"
#include "ui/widgets/learn/learn_list.h"
#include "ui/widgets/settings/settings_pane.h"
#include "ui/widgets/shell/before.h"
#include "ui/widgets/shell/handout.h"
#include "ui/widgets/shell/lecture.h"

/* ---- The part of a window that a card speaks of ---- */

#define POINTED_OUT "pointed-out"

static GtkWidget *find(GtkWidget *widget, const char *name)
{
    const char *id = NS_IS_CHART_TILE(widget)
                         ? NS_CHART_TILE(widget)->own.kind->choice.key
                         : gtk_buildable_get_buildable_id(GTK_BUILDABLE(widget));
    g_autofree char *button = g_strconcat(name, "_button", NULL);
    if (id && (g_str_equal(id, name) || g_str_equal(id, button))) return widget;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child)) {
        GtkWidget *found = find(child, name);
        if (found) return found;
    }
    return NULL;
}

GtkWidget *ns_window_part(NsWindow *window, const char *name)
{
    if (g_str_equal(name, "trouble")) return GTK_WIDGET(window->trouble);
    GtkWidget *row = ns_settings_pane_row(window->settings_pane, name);
    return row ? row : find(GTK_WIDGET(window), name);
}

/* Gives a widget the css class “pointed-out” and brings it into view; takes it from the one before.
 * NULL: from that alone. */
static void point_out(NsWindow *window, GtkWidget *widget)
{
    GtkWidget *before = g_object_get_data(G_OBJECT(window), POINTED_OUT);
    if (before) gtk_widget_remove_css_class(before, POINTED_OUT);
    g_object_set_data_full(G_OBJECT(window), POINTED_OUT, widget ? g_object_ref(widget) : NULL,
                           widget ? g_object_unref : NULL);
    if (!widget) return;
    gtk_widget_add_css_class(widget, POINTED_OUT);
    ns_bring_into_view(widget);
}

/* ---- Class mode ---- */

#define HIDDEN "ns-hidden"

static void show(gpointer widget)
{
    ns_hide(widget, NS_HIDDEN_PRESET, false);
    g_object_unref(widget);
}

void ns_class_mode_set(NsWindow *window, bool large, const char *const *hide)
{
    GtkWidget *root = GTK_WIDGET(window);
    g_object_set_data(G_OBJECT(window), HIDDEN, NULL);
    ns_set_css_class(root, NS_LARGE_TEXT_CLASS, large);
    ns_set_css_class(root, NS_HALL_TEXT_CLASS, ns_text_is_for_hall(root));
    GPtrArray *hidden = g_ptr_array_new_with_free_func(show);
    for (; hide && *hide; hide++) {
        GtkWidget *part = ns_window_part(window, *hide);
        if (!part) continue;
        ns_hide(part, NS_HIDDEN_PRESET, true);
        g_ptr_array_add(hidden, g_object_ref(part));
    }
    g_object_set_data_full(G_OBJECT(window), HIDDEN, hidden, (GDestroyNotify)g_ptr_array_unref);
}

bool ns_class_mode_is_on(NsWindow *window)
{
    const GPtrArray *hidden = g_object_get_data(G_OBJECT(window), HIDDEN);
    return gtk_widget_has_css_class(GTK_WIDGET(window), NS_LARGE_TEXT_CLASS) ||
           (hidden && hidden->len > 0);
}

#define SUFFIX ".preset"
#define GREETED "greeted"

static void sync_class_mode(NsWindow *window)
{
    bool on = ns_class_mode_is_on(window);
    ns_window_set_state(window, "class-mode", on);
    gtk_widget_set_visible(window->leave_class_mode, on);
}

/* ---- Presets ---- */

static void begin_class(NsWindow *window, const char *named);

/* The page that is named like a figure or, failing that, the first that has it; the dashboard can
 * show any other. */
static const char *page_of(const NsFigureSpec *spec)
{
    const NsPageKind *page;
    for (size_t i = 0; (page = ns_page_kind(i)); i++)
        if (g_str_has_prefix(spec->kind->choice.key, page->key)) return page->key;
    for (size_t i = 0; (page = ns_page_kind(i)); i++) {
        g_autoptr(GArray) specs = g_array_new(FALSE, FALSE, sizeof(NsFigureSpec));
        if (page->figures) ns_figure_specs_read(specs, page->figures, NULL);
        for (guint k = 0; k < specs->len; k++)
            if (g_array_index(specs, NsFigureSpec, k).kind == spec->kind) return page->key;
    }
    return ns_page_kind(0)->key;
}

void ns_window_show_figure(NsWindow *window, const char *figure)
{
    g_auto(NsSheet) sheet;
    ns_sheet_init(&sheet);
    if (!ns_sheet_read(&sheet, figure, NULL)) return;
    const NsFigureSpec *first = &ns_sheet_chart(&sheet, 0)->spec;
    g_autofree char *name = ns_figure_spec_text(first);
    ns_page_stack_show(window->pages, page_of(first));
    ns_window_show_chart(window, name);
}

void ns_window_arrange(NsWindow *window, const NsPreset *preset)
{
    const char *const *hide = (const char *const *)preset->experiment.hide;
    bool large = gtk_widget_has_css_class(GTK_WIDGET(window), NS_LARGE_TEXT_CLASS);
    ns_before_forget(window);
    ns_learn_pane_close(window->learn_pane);
    if (preset->page)
        ns_page_stack_show(window->pages, preset->page);
    else if (preset->chart)
        ns_window_show_figure(window, preset->chart);
    bool dashboard = g_str_equal(ns_page_stack_key(window->pages), ns_page_kind(0)->key);
    if (preset->chart && dashboard) ns_window_show_chart(window, NS_LEARN_CHARTS);
    if (preset->chart) ns_window_show_chart(window, preset->chart);
    window->class_by_hand = false;
    if (large && !hide)
        begin_class(window, "");
    else
        ns_class_mode_set(window, large || preset->large_text, hide);
    sync_class_mode(window);
}

/* Zoom and pins belong to the experiment before, on the pages that are out of sight as well. */
static void reset_charts(NsWindow *window)
{
    const NsPageKind *kind;
    for (size_t k = 0; (kind = ns_page_kind(k)); k++) {
        NsPage *page = ns_page_stack_find(window->pages, kind->key);
        NsChartTile *tile;
        for (size_t i = 0;
             NS_IS_DASHBOARD(page) && (tile = ns_dashboard_tile(NS_DASHBOARD(page), i)); i++) {
            NsChartView *chart = tile->chart;
            ns_view_state_clear(&chart->view_state);
            ns_view_state_init(&chart->view_state);
            ns_chart_view_state_changed(chart);
        }
    }
}

void ns_window_open_preset(NsWindow *window, const NsPreset *preset)
{
    NsSession *session = window->session;
    ns_session_pause(session);
    ns_session_open(session, &preset->experiment);
    ns_session_leave_experiment(session);
    ns_session_restart(session);
    ns_window_arrange(window, preset);
    const char *sentence = preset->note ? _(preset->note) : NULL;
    if (!sentence && preset->experiment.title) sentence = _(preset->experiment.title);
    if (sentence) ns_window_toast(window, sentence);
}

void ns_window_make_preset(NsWindow *window, NsPreset *preset)
{
    NsSession *session = window->session;
    *preset = (NsPreset){0};
    ns_experiment_copy(&preset->experiment, &session->experiment);
    g_clear_pointer(&preset->experiment.hide,
                    g_strfreev); /* the author of a preset should see everything */
    g_free(preset->experiment.title);
    preset->experiment.title = ns_session_title(session);
    preset->page = g_strdup(ns_page_stack_key(window->pages));
    NsDashboard *dashboard = ns_window_dashboard(window);
    if (!dashboard) return;
    NsFigureSpec spec = ns_chart_tile_spec(ns_dashboard_stage(dashboard));
    preset->chart = ns_figure_spec_text(&spec);
}

static void on_preset(GSimpleAction *action, GVariant *key, gpointer window)
{
    (void)action;
    g_auto(NsPreset) preset;
    g_autoptr(GError) error = NULL;
    ns_preset_init(&preset);
    if (ns_preset_find(&preset, g_variant_get_string(key, NULL), &error))
        ns_window_open_preset(window, &preset);
    else
        ns_window_toast(window, error->message);
}

void ns_window_save(NsWindow *window, const char *path)
{
    g_auto(NsPreset) preset;
    g_autoptr(GError) error = NULL;
    ns_window_make_preset(window, &preset);
    g_autofree char *text = ns_preset_write(&preset);
    g_autofree char *name = g_filename_display_basename(path);
    g_autofree char *saved = g_strdup_printf(_("Saved as %s"), name);
    if (ns_save(path, text, strlen(text), &error))
        ns_window_toast_file(window, saved, path);
    else
        ns_window_toast(window, error->message);
}

static void on_path(const char *path, gpointer window)
{
    ns_window_save(window, path);
}

static void on_save(NsWindow *window)
{
    ns_file_dialog_save(GTK_WINDOW(window), _("Save the experiment as a preset"),
                        "experiment" SUFFIX, on_path, window);
}

/* ---- Lessons and class mode ---- */

bool ns_window_close_lessons(NsWindow *window)
{
    NsLearnPane *pane = window->learn_pane;
    bool list = ns_learn_pane_is_open(pane) && ns_learn_pane_card(pane) < 0;
    if (list) ns_learn_pane_close(pane);
    return list;
}

static void on_learn(NsWindow *window)
{
    if (!ns_window_close_lessons(window)) ns_learn_pane_open(window->learn_pane);
}

void ns_window_greet(NsWindow *window)
{
    GSettings *preferences = ns_preferences();
    if (!preferences || g_settings_get_boolean(preferences, GREETED)) return;
    g_settings_set_boolean(preferences, GREETED, TRUE);
    gtk_widget_activate_action(GTK_WIDGET(window->learn_pane), NS_LEARN_BEGIN, "u", 0);
}

static void begin_class(NsWindow *window, const char *named)
{
    static const char *const always[] = {"placement", "layers", "warmup", "lr", NULL};
    g_autoptr(GStrvBuilder) hide = g_strv_builder_new();
    NsSession *session = window->session;
    GtkWidget *pane = window->settings_pane;
    GtkWidget *expander = ns_settings_pane_row(pane, NS_MORE_SETTINGS);
    bool more = false;
    if (!g_str_equal(named, "inspector")) {
        g_strv_builder_add(hide, "inspector_scroller");
        g_strv_builder_add(hide, "inspector_button");
    }
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        GtkWidget *row = ns_settings_pane_row(pane, param->key);
        /* A class sees what the lanes differ in, what is not as usual, what the card speaks of, and
         * the few settings that every lesson begins with. */
        bool shown = g_strv_contains(always, param->key) || g_str_equal(named, param->key) ||
                     !ns_experiment_is_linked(&session->experiment, param) ||
                     !ns_settings_is_default(&session->experiment.lane[0], param);
        if (!shown)
            g_strv_builder_add(hide, param->key);
        else if (!gtk_widget_is_ancestor(row, pane) || gtk_widget_is_ancestor(row, expander))
            more = true; /* a folded expander takes its rows out of the pane */
    }
    if (!more) g_strv_builder_add(hide, NS_MORE_SETTINGS);
    g_auto(GStrv) parts = g_strv_builder_end(hide);
    ns_class_mode_set(window, true, (const char *const *)parts);
    window->class_by_hand = true;
}

static void on_class_mode(GSimpleAction *action, GVariant *state, gpointer window)
{
    (void)action;
    NS_WINDOW(window)->class_by_hand = false;
    if (g_variant_get_boolean(state))
        begin_class(window, "");
    else
        ns_class_mode_set(window, false, NULL);
    sync_class_mode(window);
}

/* The pages and the quantities that a lesson shows are not the user's choice.  Slow motion ends
 * where its button is out of sight, and with it the run, which would hurry on. */
static void on_page(NsWindow *window, const char *page)
{
    NsSession *session = window->session;
    if (session->slow && !g_str_equal(page, "diagram")) {
        ns_session_pause(session);
        ns_session_set_slow_motion(session, false);
    }
    window->automatic = true;
    ns_page_stack_show(window->pages, page);
    window->automatic = false;
}

static void on_chart(NsWindow *window, const char *name, gboolean all)
{
    NsDashboard *dashboard = ns_window_dashboard(window);
    window->automatic = true;
    ns_window_show_chart(window, name);
    window->automatic = false;
    if (dashboard) ns_dashboard_fit_all(dashboard, all);
}

/* The charts of the last card remain until a run begins. */
static void on_closed(NsWindow *window)
{
    NsDashboard *dashboard = ns_window_dashboard(window);
    if (dashboard) dashboard->all = false;
}

void ns_window_show_chart(NsWindow *window, const char *name)
{
    NsDashboard *dashboard = ns_window_dashboard(window);
    g_autoptr(GArray) specs = g_array_new(FALSE, FALSE, sizeof(NsFigureSpec));
    NsPage *page = ns_window_page(window);
    if (NS_IS_DIAGRAM_PAGE(page) &&
        (g_str_equal(name, "diagram") || g_str_equal(name, "diagram-gradient")))
        ns_diagram_page_set_flow(NS_DIAGRAM_PAGE(page),
                                 g_str_equal(name, "diagram") ? NS_FLOW_SIGNAL : NS_FLOW_GRADIENT);
    if (!dashboard || !*name || !ns_figure_specs_read(specs, name, NULL)) return;
    for (guint i = 0; i < specs->len; i++) {
        const NsFigureSpec *spec = &g_array_index(specs, NsFigureSpec, i);
        /* The tile of the page that has this figure; otherwise the large one, which then shows it.
         */
        NsChartTile *tile;
        size_t k = 0;
        while ((tile = ns_dashboard_tile(dashboard, k)) && tile->own.kind != spec->kind) k++;
        if (!tile) tile = ns_dashboard_stage(dashboard);
        ns_dashboard_set_stage(dashboard, tile);
        ns_chart_tile_show(tile, spec);
    }
}

/* Folds again what was unfolded for a card: the state is stored with every change. */
static void fold_again(NsWindow *window)
{
    if (window->unfolded)
        gtk_expander_set_expanded(
            GTK_EXPANDER(ns_settings_pane_row(window->settings_pane, NS_MORE_SETTINGS)), FALSE);
    window->unfolded = false;
}

static void on_point_out(NsWindow *window, const char *name)
{
    if (window->class_by_hand) begin_class(window, name);
    GtkWidget *part = *name ? ns_window_part(window, name) : NULL;
    GtkExpander *more = GTK_EXPANDER(ns_settings_pane_row(window->settings_pane, NS_MORE_SETTINGS));
    bool open = gtk_expander_get_expanded(more);
    bool inside = part && ns_settings_pane_unfold(window->settings_pane, part);
    if (!inside) fold_again(window);
    window->unfolded |= inside && !open;
    point_out(window, part);
    if (part == GTK_WIDGET(window->trouble)) ns_trouble_panel_set_folded(window->trouble, false);
}

static void on_cover(NsWindow *window, gboolean covers)
{
    gtk_widget_set_visible(GTK_WIDGET(window->pages), !covers);
}

/* A page that is chosen takes the place of the list of lessons. */
static void on_switched(NsWindow *window)
{
    ns_window_close_lessons(window);
    ns_learn_pane_set_page(window->learn_pane, ns_page_stack_key(window->pages));
}

/* `own`, `more`: sections below the choices; NULL: none. */
static void append_choices(GMenu *menu, const char *title, NsChoices rows, const char *action,
                           GMenu *own, GMenu *more)
{
    g_autoptr(GMenu) choices = g_menu_new();
    for (size_t i = 0; rows(i); i++) {
        g_autofree char *name = g_strconcat(action, rows(i)->key, NULL);
        g_menu_append(choices, _(rows(i)->label), name);
    }
    if (own) g_menu_append_section(choices, NULL, G_MENU_MODEL(own));
    if (more) g_menu_append_section(choices, NULL, G_MENU_MODEL(more));
    g_menu_append_submenu(menu, title, G_MENU_MODEL(choices));
}

void ns_window_add_learning(NsWindow *window)
{
    static const NsWindowCommand commands[] = {
        {.action = "learn", .run = G_CALLBACK(on_learn)},
        {.action = "save", .run = G_CALLBACK(on_save)},
    };
    static const GActionEntry actions[] = {
        {.name = "preset", .parameter_type = "s", .activate = on_preset},
        {.name = "class-mode", .state = "false", .change_state = on_class_mode},
    };
    GtkWidget *pages = GTK_WIDGET(window->pages);
    GtkWidget *pane = ns_learn_pane_new(window->session, G_MENU_MODEL(ns_lecture_own()));
    ns_window_add_strip(window, pane);
    window->learn_pane = NS_LEARN_PANE(pane);
    ns_session_listen(window->session, "left", G_CALLBACK(reset_charts), window);
    ns_connect(pane, "page", G_CALLBACK(on_page), window);
    ns_connect(pane, "chart", G_CALLBACK(on_chart), window);
    ns_connect(pane, "closed", G_CALLBACK(on_closed), window);
    ns_connect(pane, "point-out", G_CALLBACK(on_point_out), window);
    ns_connect(pane, "cover", G_CALLBACK(on_cover), window);
    g_signal_connect(window, "unrealize", G_CALLBACK(fold_again), NULL);
    ns_before_follow_lessons(window);
    ns_handout_add(window);
    ns_connect(pages, "switched", G_CALLBACK(on_switched), window);
    ns_learn_pane_set_page(NS_LEARN_PANE(pane), ns_page_stack_key(window->pages));
    /* The button that leaves class mode where the menu is hidden, too. */
    GtkWidget *leave = gtk_button_new_from_icon_name("view-restore-symbolic");
    ns_accessible_tooltip(leave, _("Leave class mode"));
    gtk_widget_set_visible(leave, FALSE);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(leave), "win.class-mode");
    gtk_header_bar_pack_end(GTK_HEADER_BAR(gtk_window_get_titlebar(GTK_WINDOW(window))), leave);
    window->leave_class_mode = leave;
    ns_window_add_commands(window, commands, G_N_ELEMENTS(commands));
    g_action_map_add_action_entries(G_ACTION_MAP(window), actions, G_N_ELEMENTS(actions), window);
    /* Adds the items once, since all windows have the same menu. */
    static GMenu *added;
    GtkApplication *application = gtk_window_get_application(GTK_WINDOW(window));
    GMenu *menu = gtk_application_get_menu_by_id(application, "main-menu");
    if (menu == added) return;
    added = menu;
    g_autoptr(GMenu) section = g_menu_new();
    append_choices(section, _("Presets"), ns_preset_choice, "win.preset::", NULL, NULL);
    append_choices(section, _("Lectures"), ns_lecture_choice, "win.lecture::", ns_lecture_own(),
                   gtk_application_get_menu_by_id(application, "lecture-menu"));
    g_menu_append(section, _("Class mode, large text"), "win.class-mode");
    g_menu_insert_section(menu, 1, NULL, G_MENU_MODEL(section));
}
