/* Charts, keys, styles.  SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"

#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/settings/settings_pane.h"
#include "ui/widgets/shell/lecture.h"

static NsChartView *chart_at(NsWindow *window, size_t i)
{
    return ns_dashboard_tile(ns_window_dashboard(window), i)->chart;
}

static bool is_drawn(NsWindow *window)
{
    for (size_t i = 0; ns_figure_kind(i)->overview; i++)
        if (!ns_chart_view_texture(chart_at(window, i))) return false;
    return true;
}

static void test_every_figure_has_a_tile(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, is_drawn);
    for (size_t i = 0; ns_figure_kind(i)->overview; i++) {
        GtkWidget *chart = GTK_WIDGET(chart_at(window, i));
        gtk_test_accessible_assert_role(chart, GTK_ACCESSIBLE_ROLE_IMG);
        gtk_test_accessible_assert_property(chart, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                            ns_figure_kind(i)->choice.label);
    }
    g_assert_null(ns_dashboard_tile(ns_window_dashboard(window), 4));
    ui_close(window);
}

static bool step_is_drawn(NsWindow *window)
{
    const NsPlot *plot = chart_at(window, 0)->plot;
    return plot->n_series > 0 && plot->series[0].n >= 6;
}

static void test_charts_follow_the_run(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    UI_WAIT(window, is_drawn);
    uint64_t before = chart_at(window, 3)->plot->version;
    ns_session_step(window->session, 5);
    UI_WAIT(window, step_is_drawn);
    UI_UNTIL(chart_at(window, 3)->plot->version > before);
    ui_close(window);
}

static void test_keys(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsDashboard *dashboard = ns_window_dashboard(window);
    UI_WAIT(window, ui_is_ready);
    gtk_window_set_focus(GTK_WINDOW(window), NULL);
    g_assert_true(ui_press(window, GDK_KEY_space));
    g_assert_true(session->wants_run);
    UI_WAIT(window, ui_has_stepped);
    g_assert_true(ui_press(window, GDK_KEY_space));
    g_assert_false(session->wants_run);
    UI_WAIT(window, ui_is_paused);
    g_assert_true(ui_press(window, GDK_KEY_r));
    UI_WAIT(window, ui_is_ready);
    g_assert_true(ui_press(window, GDK_KEY_period));
    UI_WAIT(window, ui_has_stepped);
    g_assert_true(ui_press(window, GDK_KEY_p));
    g_assert_cmpuint(ns_session_settings(session)->placement, ==, 1);
    g_assert_true(ui_press(window, GDK_KEY_l));
    g_assert_false(session->view->log);
    g_assert_true(ui_press(window, GDK_KEY_m));
    g_assert_nonnull(dashboard->maximized);
    ui_settle(GTK_WIDGET(window));
    g_assert_true(ui_press(window, GDK_KEY_Escape));
    g_assert_null(dashboard->maximized);
    g_assert_false(ui_press(window, GDK_KEY_x));

    /* In an entry the same keys are text. */
    GtkWidget *row = ns_settings_pane_row(window->settings_pane, "layers");
    gtk_widget_grab_focus(ui_first(row, GTK_TYPE_ENTRY));
    g_assert_false(ui_press(window, GDK_KEY_space));
    g_assert_false(ui_press(window, GDK_KEY_period));
    /* On a button Space runs all the same. */
    gtk_widget_grab_focus(ui_find(window, "export_button"));
    g_assert_true(ui_press(window, GDK_KEY_space));
    ui_close(window);
}

static void test_accelerators(void)
{
    GtkApplication *application = GTK_APPLICATION(ui_application());
    static const struct {
        const char *key, *action;
    } table[] = {{"F5", "win.run"},          {"<Control>e", "win.export"},
                 {"F9", "win.pane"},         {"F11", "win.lecture-mode"},
                 {"<Control>q", "app.quit"}, {"<Alt>r", "win.reset-settings"}};
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_auto(GStrv) actions = gtk_application_get_actions_for_accel(application, table[i].key);
        g_assert_cmpstr(actions[0], ==, table[i].action);
    }
    NsWindow *window = ui_open("");
    GtkWidget *scroller = gtk_widget_get_ancestor(window->settings_pane, GTK_TYPE_SCROLLED_WINDOW);
    g_action_group_activate_action(G_ACTION_GROUP(window), "pane", NULL);
    g_assert_false(gtk_widget_get_visible(scroller));
    g_action_group_activate_action(G_ACTION_GROUP(window), "pane", NULL);
    g_assert_true(gtk_widget_get_visible(scroller));
    ui_close(window);
}

static void test_gradient_choice(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    GtkWidget *tile = GTK_WIDGET(ns_dashboard_tile(ns_window_dashboard(window), 1));
    GtkWidget *drop_down = ui_first(tile, GTK_TYPE_DROP_DOWN);
    g_assert_nonnull(drop_down);
    g_assert_cmpint(session->view->gradient, ==, NS_QUANTITY_GRAD_W2);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(drop_down), 1);
    g_assert_cmpint(session->view->gradient, ==, NS_QUANTITY_GRAD_WQ);
    /* The heatmap shows the same gradient, and says so. */
    GtkWidget *other =
        ui_first(GTK_WIDGET(ns_dashboard_tile(ns_window_dashboard(window), 3)), GTK_TYPE_DROP_DOWN);
    g_assert_cmpuint(gtk_drop_down_get_selected(GTK_DROP_DOWN(other)), ==, 1);
    ui_close(window);
}

static double brightness(GdkTexture *texture)
{
    int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
    g_autofree guchar *pixels = g_malloc((gsize)width * (gsize)height * 4);
    gdk_texture_download(texture, pixels, (gsize)width * 4);
    double sum = 0.0;
    for (gsize i = 0; i < (gsize)width * (gsize)height * 4; i++) sum += pixels[i];
    return sum / ((double)width * height * 4 * 255);
}

static void test_styles(void)
{
    NsWindow *window = ui_open("");
    GApplication *application = g_application_get_default();
    UI_WAIT(window, is_drawn);
    ui_rest(window);
    double light = brightness(ns_chart_view_texture(chart_at(window, 0)));
    ns_styles_set_scheme(NS_SCHEME_DARK);
    gboolean dark = FALSE;
    g_object_get(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", &dark, NULL);
    g_assert_true(dark);
    UI_UNTIL(brightness(ns_chart_view_texture(chart_at(window, 0))) < light - 0.2);
    ns_styles_set_scheme(NS_SCHEME_LIGHT);
    UI_UNTIL(brightness(ns_chart_view_texture(chart_at(window, 0))) > light - 0.05);
    g_assert_cmpstr(ns_chart_style_for(GTK_WIDGET(window))->choice.key, ==, "screen-light");
    g_assert_true(g_action_group_has_action(G_ACTION_GROUP(application), "style"));
    ns_styles_set_scheme(NS_SCHEME_SYSTEM);
    ui_close(window);
}

static GtkWidget *find_node(GtkWidget *root, const char *css_name)
{
    if (g_str_equal(gtk_widget_get_css_name(root), css_name)) return root;
    GtkWidget *found = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_node(child, css_name);
    return found;
}

/* How far the brightest color of a sign lies above black, or the darkest below white: 0 to 1. */
static double strength(GtkWidget *sign, bool dark)
{
    g_autoptr(GdkPaintable) picture = gtk_widget_paintable_new(sign);
    g_autoptr(GtkSnapshot) snapshot = gtk_snapshot_new();
    int side = gdk_paintable_get_intrinsic_width(picture);
    gdk_paintable_snapshot(picture, snapshot, side, side);
    GskRenderNode *node = gtk_snapshot_to_node(snapshot);
    if (!node) return 0.0; /* not yet drawn */
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, side, side);
    cairo_t *cr = cairo_create(surface);
    if (!dark) cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
    cairo_paint(cr);
    gsk_render_node_draw(node, cr);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    const guchar *pixels = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface), most = 0;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            int green = pixels[y * stride + 4 * x + 1];
            most = MAX(most, dark ? green : 255 - green);
        }
    cairo_surface_destroy(surface);
    gsk_render_node_unref(node);
    return most / 255.0;
}

/* In the menu of pages the circle before a page is seen: a contrast of about 3:1. */
static void test_signs(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, is_drawn);
    GtkWidget *more = ui_first(GTK_WIDGET(window->pages), GTK_TYPE_MENU_BUTTON);
    for (int dark = 0; dark <= 1; dark++) {
        ns_styles_set_scheme(dark ? NS_SCHEME_DARK : NS_SCHEME_LIGHT);
        gtk_menu_button_popup(GTK_MENU_BUTTON(more));
        GtkWidget *sign = NULL;
        UI_UNTIL((sign = find_node(more, "radio")) && gtk_widget_get_mapped(sign));
        UI_UNTIL(strength(sign, dark) > 0.45);
        gtk_menu_button_popdown(GTK_MENU_BUTTON(more));
        ui_settle(GTK_WIDGET(window));
    }
    ns_styles_set_scheme(NS_SCHEME_SYSTEM);
    ui_close(window);
}

static const char *style_key(NsWindow *window)
{
    return ns_chart_style_for(GTK_WIDGET(window))->choice.key;
}

/* Whether what a row says beside its control is drawn muted. */
static bool is_pale(NsWindow *window)
{
    GtkWidget *row = ns_settings_pane_row(window->settings_pane, "layers");
    GtkWidget *hint = gtk_widget_get_last_child(row);
    g_assert_true(gtk_widget_has_css_class(hint, "hint"));
    g_autoptr(GdkPaintable) picture = gtk_widget_paintable_new(hint);
    g_autoptr(GtkSnapshot) snapshot = gtk_snapshot_new();
    gdk_paintable_snapshot(picture, snapshot, gdk_paintable_get_intrinsic_width(picture),
                           gdk_paintable_get_intrinsic_height(picture));
    GskRenderNode *node = gtk_snapshot_to_node(snapshot);
    if (!node) return false; /* not yet drawn */
    g_autoptr(GBytes) drawn = gsk_render_node_serialize(node);
    gsize length = 0;
    const char *words = g_bytes_get_data(drawn, &length);
    gsk_render_node_unref(node);
    return g_strstr_len(words, (gssize)length, "opacity {") != NULL;
}

/* Words are set in the font of the charts where the desktop names none, else in the desktop's. */
static void test_font(void)
{
    static const char *const fonts[][2] = {
        {"Sans 10", "Cantarell 11"}, {"Serif 12", "Serif 12"}, {"Cantarell 11", "Cantarell 11"}};
    for (size_t i = 0; i < G_N_ELEMENTS(fonts); i++) {
        g_autofree char *font = NULL;
        g_object_set(gtk_settings_get_default(), "gtk-font-name", fonts[i][0], NULL);
        ns_styles_follow_desktop();
        g_object_get(gtk_settings_get_default(), "gtk-font-name", &font, NULL);
        g_assert_cmpstr(font, ==, fonts[i][1]);
    }
}

static void test_high_contrast(void)
{
    NsWindow *window = ui_open("");
    GActionGroup *application = G_ACTION_GROUP(g_application_get_default());
    GtkSettings *settings = gtk_settings_get_default();
    g_autofree char *before = NULL;
    g_object_get(settings, "gtk-theme-name", &before, NULL);
    UI_WAIT(window, is_drawn);
    UI_UNTIL(is_pale(window));
    g_action_group_activate_action(application, "contrast", NULL);
    UI_UNTIL(g_str_equal(style_key(window), "high-contrast"));
    UI_UNTIL(!is_pale(window));
    g_action_group_change_action_state(application, "style", g_variant_new_string("dark"));
    UI_UNTIL(g_str_equal(style_key(window), "high-contrast-dark"));
    /* Asking for a dark variant of a theme that is dark would lose the contrast. */
    gboolean dark = TRUE;
    g_object_get(settings, "gtk-application-prefer-dark-theme", &dark, NULL);
    g_assert_false(dark);
    g_action_group_activate_action(application, "contrast", NULL);
    UI_UNTIL(g_str_equal(style_key(window), "screen-dark"));
    UI_UNTIL(is_pale(window));
    g_action_group_change_action_state(application, "style", g_variant_new_string("light"));
    UI_UNTIL(g_str_equal(style_key(window), "screen-light"));
    g_autofree char *after = NULL;
    g_object_get(settings, "gtk-theme-name", &after, NULL);
    g_assert_cmpstr(after, ==, before);
    ui_close(window);
}

static int text_size(GtkWidget *widget)
{
    PangoContext *context = gtk_widget_get_pango_context(widget);
    return pango_font_description_get_size(pango_context_get_font_description(context));
}

/* The main menu and the menus in it have text as large as that of the bar. */
static void test_menu_size(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    g_action_group_activate_action(G_ACTION_GROUP(window), "lecture-mode", NULL);
    GtkMenuButton *button = GTK_MENU_BUTTON(ns_lecture_menu(window));
    GtkWidget *menu = GTK_WIDGET(gtk_menu_button_get_popover(button));
    gtk_menu_button_popup(button);
    UI_UNTIL(gtk_widget_get_mapped(menu));
    int size = text_size(ui_find(window, "lecture_note"));
    GtkWidget *inner = ui_first(gtk_widget_get_first_child(menu), GTK_TYPE_POPOVER);
    g_assert_cmpint(text_size(ui_first(menu, GTK_TYPE_LABEL)), ==, size);
    g_assert_cmpint(text_size(ui_first(inner, GTK_TYPE_LABEL)), ==, size);
    gtk_menu_button_popdown(button);
    g_action_group_activate_action(G_ACTION_GROUP(window), "lecture-mode", NULL);
    ui_close(window);
}

/* After lecture mode on a large screen the charts have their size again. */
static void test_size_after(void)
{
    NsWindow *window = ui_open("");
    GActionGroup *actions = G_ACTION_GROUP(window);
    UI_WAIT(window, ui_is_ready);
    double size = ns_chart_style_for(GTK_WIDGET(window))->text_size;
    gtk_window_set_default_size(GTK_WINDOW(window), 1920, 1080);
    UI_UNTIL(gtk_widget_get_height(GTK_WIDGET(window)) >= 1000);
    g_action_group_activate_action(actions, "lecture-mode", NULL);
    UI_UNTIL(gtk_widget_has_css_class(GTK_WIDGET(window), NS_HALL_TEXT_CLASS));
    g_assert_cmpfloat(ns_chart_style_for(GTK_WIDGET(window))->text_size, >, 1.9 * size);
    g_action_group_activate_action(actions, "lecture-mode", NULL);
    g_assert_cmpfloat(ns_chart_style_for(GTK_WIDGET(window))->text_size, <, 1.01 * size);
    UI_UNTIL(!gtk_widget_has_css_class(GTK_WIDGET(window), NS_HALL_TEXT_CLASS));
    ui_close(window);
}

void ui_add_view_tests(void)
{
    g_test_add_func("/ui/view/menu-size", test_menu_size);
    g_test_add_func("/ui/view/size-after-lecture", test_size_after);
    g_test_add_func("/ui/view/tiles", test_every_figure_has_a_tile);
    g_test_add_func("/ui/view/follow", test_charts_follow_the_run);
    g_test_add_func("/ui/view/keys", test_keys);
    g_test_add_func("/ui/view/accelerators", test_accelerators);
    g_test_add_func("/ui/view/gradient-choice", test_gradient_choice);
    g_test_add_func("/ui/view/styles", test_styles);
    g_test_add_func("/ui/view/font", test_font);
    g_test_add_func("/ui/view/signs", test_signs);
    g_test_add_func("/ui/view/high-contrast", test_high_contrast);
}
