/* Menus and questions that stand open while what they stand at changes or goes.
 * SPDX-License-Identifier: MIT */
#include "tests/ui/driver.h"

#include "ui/widgets/common/popovers.h"
#include "ui/widgets/settings/setting_row.h"
#include "ui/widgets/settings/settings_pane.h"

/* A way to open something, and where: which page, which of its tiles. */
typedef struct {
    const char *name;
    void (*open)(NsWindow *window, NsChartTile *tile);
} Opener;

static void open_context(NsWindow *window, NsChartTile *tile)
{
    (void)window;
    g_signal_emit_by_name(tile->chart, "menu", 90.0, 90.0);
}

static void open_limits(NsWindow *window, NsChartTile *tile)
{
    (void)window;
    gtk_widget_activate_action(GTK_WIDGET(tile), "tile.limits", NULL);
}

/* What was typed and not yet acted on is, when the field loses the focus. */
static void open_typed_limits(NsWindow *window, NsChartTile *tile)
{
    open_limits(window, tile);
    GtkWidget *overlay = gtk_widget_get_first_child(GTK_WIDGET(tile));
    GtkWidget *field = ui_first(gtk_widget_get_last_child(overlay), GTK_TYPE_ENTRY);
    gtk_widget_grab_focus(field);
    gtk_editable_set_text(GTK_EDITABLE(field), "0.5");
}

static GtkWidget *menu_button(GtkWidget *tile)
{
    GtkWidget *tools = ui_first(tile, GTK_TYPE_BOX);
    GtkWidget *button = gtk_widget_get_last_child(tools);
    g_assert_true(GTK_IS_MENU_BUTTON(button));
    return button;
}

static void open_menu(NsWindow *window, NsChartTile *tile)
{
    (void)window;
    gtk_menu_button_popup(GTK_MENU_BUTTON(menu_button(GTK_WIDGET(tile))));
}

static void open_choices(NsWindow *window, NsChartTile *tile)
{
    (void)window;
    GtkWidget *drop_down = ui_first(GTK_WIDGET(tile), GTK_TYPE_DROP_DOWN);
    gtk_widget_activate(drop_down);
}

static void open_question(NsWindow *window, NsChartTile *tile)
{
    (void)tile;
    g_action_group_activate_action(G_ACTION_GROUP(window), "run-to", NULL);
}

static void open_help(NsWindow *window, NsChartTile *tile)
{
    (void)tile;
    ns_setting_row_explain(ns_settings_pane_row(window->settings_pane, "warmup"));
}

static void open_main_menu(NsWindow *window, NsChartTile *tile)
{
    (void)tile;
    gtk_menu_button_popup(GTK_MENU_BUTTON(window->menu_button));
}

static const Opener OPENERS[] = {
    {"context", open_context}, {"limits", open_limits},      {"typed limits", open_typed_limits},
    {"menu", open_menu},       {"choices", open_choices},    {"question", open_question},
    {"help", open_help},       {"main menu", open_main_menu}};

/* GTK has F10 for itself: beside a menu that is not its primary one it takes every other press. */
static void test_f10(void)
{
    NsWindow *window = ui_open_paused();
    g_assert_true(gtk_menu_button_get_primary(GTK_MENU_BUTTON(window->menu_button)));
    ui_close(window);
}

static void show_page(NsWindow *window, const char *key)
{
    g_action_group_change_action_state(G_ACTION_GROUP(window), "page", g_variant_new_string(key));
}

static void act(NsWindow *window, const char *action)
{
    g_action_group_activate_action(G_ACTION_GROUP(window), action, NULL);
}

static void flip(NsWindow *window, const char *action)
{
    g_autoptr(GVariant) state = g_action_group_get_action_state(G_ACTION_GROUP(window), action);
    g_action_group_change_action_state(G_ACTION_GROUP(window), action,
                                       g_variant_new_boolean(!g_variant_get_boolean(state)));
}

/* What happens meanwhile. */
static void switch_page(NsWindow *window, NsChartTile *tile)
{
    (void)tile;
    show_page(window, "paper");
    ui_settle(GTK_WIDGET(window));
    show_page(window, "similarity");
}

static void maximize(NsWindow *window, NsChartTile *tile)
{
    (void)tile;
    act(window, "maximize");
    ui_settle(GTK_WIDGET(window));
    act(window, "maximize");
}

static void change_kind(NsWindow *window, NsChartTile *tile)
{
    (void)window;
    gtk_widget_activate_action(GTK_WIDGET(tile), "tile.kind", "s", "loss");
    ui_settle(GTK_WIDGET(window));
    gtk_widget_activate_action(GTK_WIDGET(tile), "tile.kind", "s", "similarity");
}

/* Lane B goes, and its tile with it. */
static void change_lanes(NsWindow *window, NsChartTile *tile)
{
    (void)tile;
    NsSession *session = window->session;
    ns_session_set_lanes(session, 1);
    ns_session_restart(session);
    UI_UNTIL(session->view->started.n < 2);
    ui_settle(GTK_WIDGET(window));
    ns_session_set_lanes(session, 2);
    ns_session_restart(session);
    UI_UNTIL(session->view->started.n == 2 && session->state == NS_TRAINER_READY);
}

static void reset(NsWindow *window, NsChartTile *tile)
{
    (void)tile;
    act(window, "reset");
    ui_settle(GTK_WIDGET(window));
    act(window, "step");
}

/* Of the inspector: where the settings come back, GTK 4.8 on X11 looks for a moment for a monitor
 * beyond the right edge of the window. */
static void fold(NsWindow *window, NsChartTile *tile)
{
    (void)tile;
    flip(window, "inspector");
    ui_settle(GTK_WIDGET(window));
    flip(window, "inspector");
}

static const struct {
    const char *name;
    void (*happen)(NsWindow *window, NsChartTile *tile);
} EVENTS[] = {{"page", switch_page},   {"maximize", maximize}, {"kind", change_kind},
              {"lanes", change_lanes}, {"reset", reset},       {"fold", fold}};

/* Two lanes on the page Similarity, a few steps on; the tile of lane B. */
static NsWindow *open_similarity(NsChartTile **tile)
{
    NsWindow *window = ui_open("probe-every=1");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(session, 2);
    UI_UNTIL(session->view->started.n == 2 && session->state == NS_TRAINER_READY);
    show_page(window, "similarity");
    ns_session_step(session, 3);
    UI_UNTIL(ns_session_steps(session) >= 3);
    *tile = ui_tile(window, 1);
    UI_UNTIL(ns_chart_view_layout((*tile)->chart));
    ui_enlarge((*tile)->chart);
    return window;
}

static void test_while_open(void)
{
    NsChartTile *tile = NULL;
    NsWindow *window = open_similarity(&tile);
    for (size_t o = 0; o < G_N_ELEMENTS(OPENERS); o++)
        for (size_t e = 0; e < G_N_ELEMENTS(EVENTS); e++) {
            g_test_message("%s, %s", OPENERS[o].name, EVENTS[e].name);
            OPENERS[o].open(window, tile);
            ui_settle(GTK_WIDGET(window));
            EVENTS[e].happen(window, tile);
            ui_settle(GTK_WIDGET(window));
            OPENERS[(o + 1) % G_N_ELEMENTS(OPENERS)].open(window, tile);
            ui_settle(GTK_WIDGET(window));
        }
    ui_close(window);
}

/* The popover below a widget that is open; NULL if there is none. */
static GtkWidget *open_popover(GtkWidget *root)
{
    if (GTK_IS_POPOVER(root) && gtk_widget_get_mapped(root)) return root;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child)) {
        GtkWidget *found = open_popover(child);
        if (found) return found;
    }
    return NULL;
}

/* What passes is gone when it has closed; the keyboard is where it was. */
static void test_passes(void)
{
    NsChartTile *tile = NULL;
    NsWindow *window = open_similarity(&tile);
    GtkWidget *chart = GTK_WIDGET(tile->chart);
    void (*const open[])(NsWindow *, NsChartTile *) = {open_context, open_limits, open_question};
    for (size_t o = 0; o < G_N_ELEMENTS(open); o++) {
        g_assert_true(gtk_widget_grab_focus(chart));
        open[o](window, tile);
        UI_UNTIL(open_popover(GTK_WIDGET(window)));
        gpointer popover = open_popover(GTK_WIDGET(window));
        g_object_add_weak_pointer(popover, &popover);
        gtk_widget_child_focus(popover, GTK_DIR_TAB_FORWARD);
        GtkWidget *focus = gtk_root_get_focus(GTK_ROOT(window));
        g_assert_true(gtk_widget_is_ancestor(focus, popover));
        gtk_popover_popdown(popover);
        UI_UNTIL(popover == NULL);
        g_assert_true(gtk_root_get_focus(GTK_ROOT(window)) == chart);
    }
    ui_close(window);
}

/* The item of an open menu with this text. */
static GtkWidget *menu_item(GtkWidget *root, const char *text)
{
    if (GTK_IS_LABEL(root) && gtk_widget_get_mapped(root) &&
        g_str_equal(gtk_label_get_text(GTK_LABEL(root)), text))
        return root;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child)) {
        GtkWidget *found = menu_item(child, text);
        if (found) return found;
    }
    return NULL;
}

static void choose(GtkWidget *menu, const char *text)
{
    UI_UNTIL(menu_item(menu, text));
    ui_settle(gtk_widget_get_ancestor(menu, GTK_TYPE_WINDOW));
    ui_pointer_to(menu_item(menu, text), 8, 8);
    ui_click_here(GDK_BUTTON_PRIMARY);
}

/* The main menu shows all of its items on a screen of 800 pixels. */
static void test_main_menu_fits(void)
{
    NsWindow *window = ui_open_paused();
    GtkWidget *button = window->menu_button;
    gtk_menu_button_popup(GTK_MENU_BUTTON(button));
    UI_UNTIL(open_popover(button));
    int height = 0;
    gtk_widget_measure(open_popover(button), GTK_ORIENTATION_VERTICAL, -1, NULL, &height, NULL,
                       NULL);
    g_assert_cmpint(height, <, 740);
    /* The dialog may begin with all charts, as the last one did. */
    UI_UNTIL(menu_item(open_popover(button), "Export…"));
    ui_close(window);
}

/* After a choice in a submenu the keys act. */
static void test_keys_after_choice(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    GtkWidget *button = window->menu_button;
    ui_pointer_to(button, 8, 8);
    ui_click_here(GDK_BUTTON_PRIMARY);
    UI_UNTIL(open_popover(button));
    choose(open_popover(button), "Style");
    choose(open_popover(button), "Light");
    UI_UNTIL(!open_popover(button));
    ui_stroke(GTK_WIDGET(window), GDK_KEY_3, 0);
    g_assert_cmpstr(ns_page_stack_key(window->pages), ==, "heatmap");
    ui_close(window);
}

/* What stood open does not outlive its window: every so many of what can. */
static void test_window_goes(gconstpointer every)
{
    for (size_t o = 0; o < G_N_ELEMENTS(OPENERS); o += GPOINTER_TO_SIZE(every)) {
        NsChartTile *tile = NULL;
        NsWindow *window = open_similarity(&tile);
        g_test_message("%s", OPENERS[o].name);
        OPENERS[o].open(window, tile);
        UI_UNTIL(open_popover(GTK_WIDGET(window)));
        gpointer popover = open_popover(GTK_WIDGET(window));
        g_object_add_weak_pointer(popover, &popover);
        ui_close(window);
        UI_UNTIL(popover == NULL);
    }
}

/* Opens it, with something in it that takes the focus. */
static gpointer open_passing(GtkWidget *at)
{
    GtkWidget *popover = gtk_popover_new();
    gtk_popover_set_child(GTK_POPOVER(popover), gtk_button_new_with_label("here"));
    ns_popover_pass(popover, at, NULL);
    UI_UNTIL(gtk_widget_get_mapped(popover));
    return popover;
}

/* A button knows nothing of what stands at it, and complains when it goes before. */
static void test_goes_along(void)
{
    GtkWidget *window = gtk_window_new(), *button = gtk_menu_button_new();
    gtk_window_set_child(GTK_WINDOW(window), button);
    gtk_window_present(GTK_WINDOW(window));
    UI_UNTIL(gtk_widget_get_mapped(button));
    gpointer closed = open_passing(button);
    g_object_add_weak_pointer(closed, &closed);
    gtk_popover_popdown(GTK_POPOVER(closed));
    g_assert_nonnull(closed); /* not while it tells of it */
    UI_UNTIL(closed == NULL);
    open_passing(button);
    gpointer at = button;
    g_object_add_weak_pointer(at, &at);
    gtk_window_destroy(GTK_WINDOW(window));
    UI_UNTIL(at == NULL);
}

/* Whoever still holds it finds that the pointer has left it. */
static void test_parts(void)
{
    GtkWidget *window = gtk_window_new(), *button = gtk_menu_button_new();
    gtk_window_set_child(GTK_WINDOW(window), button);
    gtk_window_present(GTK_WINDOW(window));
    UI_UNTIL(gtk_widget_get_mapped(button));
    g_autoptr(GtkWidget) held = g_object_ref(open_passing(button));
    gtk_popover_popdown(GTK_POPOVER(held));
    UI_UNTIL(!gtk_widget_get_parent(held));
    g_assert_false(gtk_widget_get_sensitive(held));
    gtk_window_destroy(GTK_WINDOW(window));
}

/* All menus with all events. */
void ui_add_menu_stress_tests(void)
{
    g_test_add_func("/ui/menu/while-open", test_while_open);
    g_test_add_data_func("/ui/menu/window-goes", GSIZE_TO_POINTER(1), test_window_goes);
}

void ui_add_menu_tests(void)
{
    g_test_add_func("/ui/menu/f10", test_f10);
    g_test_add_func("/ui/menu/parts", test_parts);
    g_test_add_func("/ui/menu/fits", test_main_menu_fits);
    g_test_add_func("/ui/menu/keys-after-choice", test_keys_after_choice);
    g_test_add_func("/ui/menu/passes", test_passes);
    g_test_add_data_func("/ui/menu/window-goes", GSIZE_TO_POINTER(3), test_window_goes);
    g_test_add_func("/ui/menu/goes-along", test_goes_along);
}
