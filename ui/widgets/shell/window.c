/* The window: title bar, settings, charts.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/window.h"

#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/common/windows.h"
#include "ui/widgets/settings/settings_pane.h"

#define REPORT_EVERY_US 200000 /* while training: numbers that change faster cannot be read */
#define STOP_AFTER_US G_USEC_PER_SEC

/* Pixels left and right of the title, including those of the header bar. */
#define TITLE_PADDING 18

/* Most pixels of the handle between two panes. */
#define DIVIDER 8

/* The most of a page's height, and the least of the inspector's in pixels, for what a panel has
 * below its title and for what stays above it. */
#define BAND_MOST 0.4
#define INSPECTOR_LEAST 160

/* Least width of the title in pixels; below it, buttons that are also in the menus are hidden. */
#define TITLE_LEAST 200

/* Classes of window widths. */
typedef enum { NARROW, MEDIUM, WIDE, ROOMY } Breadth;

/* The least width of each class in pixels. */
static const int BREADTHS[] = {[NARROW] = 0, [MEDIUM] = 760, [WIDE] = 900, [ROOMY] = 1500};

/* Below this width a pane is hidden, to leave space for the charts. */
static const struct {
    const char *action;
    Breadth from;
} PANES[NS_WINDOW_PANES] = {{"pane", MEDIUM}, {"inspector", WIDE}};

enum { SETTINGS, INSPECTOR }; /* of them */

G_DEFINE_FINAL_TYPE(NsWindow, ns_window, GTK_TYPE_APPLICATION_WINDOW)

/* The width for the title in the middle of the header bar: what the buttons at its ends leave, but
 * not less than the width for which they are hidden. */
static int title_width(NsWindow *window)
{
    GtkWidget *bar = gtk_widget_get_ancestor(window->subtitle_label, GTK_TYPE_CENTER_BOX);
    /* The size is not known before the first allocation. */
    if (!bar || gtk_widget_get_width(bar) == 0) return G_MAXINT;
    GtkWidget *ends[] = {gtk_center_box_get_start_widget(GTK_CENTER_BOX(bar)),
                         gtk_center_box_get_end_widget(GTK_CENTER_BOX(bar))};
    int available = gtk_widget_get_width(bar) - 2 * TITLE_PADDING, folded = available, wider = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        int least = 0, natural = 0;
        if (ends[i])
            gtk_widget_measure(ends[i], GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, NULL,
                               NULL);
        folded -= least;
        wider = MAX(wider, natural);
    }
    return MAX(available - 2 * wider, MIN(TITLE_LEAST, folded));
}

static bool is_within(GtkWidget *label, const char *words, int available)
{
    int width;
    g_autoptr(PangoLayout) text = gtk_widget_create_pango_layout(label, words);
    g_autoptr(PangoAttrList) digits = pango_attr_list_new(); /* as in the style sheet */
    pango_attr_list_insert(digits, pango_attr_font_features_new("tnum"));
    pango_layout_set_attributes(text, digits);
    pango_layout_get_pixel_size(text, &width, NULL);
    return width <= available;
}

/* Shows the longest form of the status that fits, because a number must not be cut off. */
static void sync_subtitle(NsWindow *window)
{
    g_autofree char *whole = ns_session_status(window->session, NS_STATUS_WHOLE);
    g_autofree char *status = g_strdup(whole);
    int available = title_width(window);
    for (int length = NS_STATUS_SHORT;
         length < NS_STATUS_LENGTHS && !is_within(window->subtitle_label, status, available);
         length++) {
        g_free(status);
        status = ns_session_status(window->session, (NsStatusLength)length);
    }
    ns_text_label_set(window->subtitle_label, status);
    gtk_widget_set_tooltip_text(window->subtitle_label, whole);
    /* A preparation that takes long can be ended, if a change of the settings began it. */
    const NsSession *session = window->session;
    bool slow = g_get_monotonic_time() - session->launched > STOP_AFTER_US;
    gtk_widget_set_visible(window->stop,
                           slow && session->undo->len > 0 &&
                               !ns_experiment_equal(&session->view->started, session->run));
}

static void sync_title(NsWindow *window)
{
    g_autofree char *title = ns_session_title(window->session);
    g_autofree char *whole = g_strdup_printf("%s · Normscope", title);
    g_autofree char *brief = ns_session_brief_title(window->session);
    bool fits = is_within(window->title_label, title, title_width(window));
    ns_text_label_set(window->title_label, fits ? title : brief);
    gtk_widget_set_tooltip_text(window->title_label, title);
    if (g_strcmp0(gtk_window_get_title(GTK_WINDOW(window)), whole) != 0)
        gtk_window_set_title(GTK_WINDOW(window), whole);
}

static bool has_strip(NsWindow *window)
{
    return window->strip && gtk_widget_get_visible(window->strip);
}

/* The inspector, or the page, makes way for a panel in a band below it. */
static void make_way(NsWindow *window)
{
    GtkWidget *pages = GTK_WIDGET(window->pages), *inspector = window->inspector_scroller;
    bool side = gtk_widget_get_visible(inspector);
    int least, most = side ? gtk_widget_get_height(window->overlay) - INSPECTOR_LEAST
                           : (int)(BAND_MOST * gtk_widget_get_height(window->stage));
    gtk_widget_measure(inspector, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    int width =
        side ? MAX(gtk_widget_get_width(inspector), least) : gtk_widget_get_width(window->stage);
    int band = ns_trouble_panel_band(window->trouble, width, most);
    gtk_widget_set_margin_bottom(inspector, side ? band : 0);
    gtk_widget_set_margin_bottom(pages, side ? 0 : band);
}

/* The trouble panel is below the inspector or, without it, covers the column of thumbnails. Without
 * these it has a band below the page, and is folded until it is clicked, since the page makes way.
 */
static void place_trouble(NsWindow *window)
{
    GtkWidget *panel = GTK_WIDGET(window->trouble), *place = gtk_widget_get_parent(panel);
    NsDashboard *dashboard = ns_window_dashboard(window);
    bool inspector = gtk_widget_get_visible(window->inspector_scroller);
    int thumbnails = dashboard ? ns_dashboard_thumbnails_width(dashboard) : 0;
    GtkWidget *other = inspector ? window->overlay : window->stage;
    if (place != other) {
        g_object_ref(panel);
        gtk_overlay_remove_overlay(GTK_OVERLAY(place), panel);
        gtk_overlay_add_overlay(GTK_OVERLAY(other), panel);
        g_object_unref(panel);
    }
    bool column = has_strip(window) && thumbnails;
    ns_trouble_panel_set_place(window->trouble,
                               inspector ? NS_TROUBLE_ON_INSPECTOR
                               : column  ? NS_TROUBLE_ON_THUMBNAILS
                                         : NS_TROUBLE_BELOW,
                               thumbnails);
    bool named = gtk_widget_has_css_class(panel, "pointed-out");
    ns_trouble_panel_set_folded(window->trouble, !inspector && !column && !named);
    make_way(window);
}

/* Large text needs more pixels for the same class. */
static Breadth breadth_of(NsWindow *window, int width)
{
    Breadth breadth = NARROW;
    double available = width / ns_widget_text_scale(GTK_WIDGET(window));
    while (breadth < ROOMY && available >= BREADTHS[breadth + 1]) breadth++;
    return breadth;
}

/* Unless the window has space for all, a strip beside the pages replaces the inspector; if the
 * inspector is opened beside it, both replace the settings. */
static bool is_narrow(NsWindow *window, size_t pane)
{
    bool crowded = has_strip(window) &&
                   (pane == INSPECTOR || gtk_widget_get_visible(window->inspector_scroller));
    return breadth_of(window, window->width) < (crowded ? ROOMY : PANES[pane].from);
}

void ns_window_change(NsWindow *window, const char *action, bool state)
{
    bool automatic = window->automatic;
    window->automatic = true;
    g_action_group_change_action_state(G_ACTION_GROUP(window), action,
                                       g_variant_new_boolean(state));
    window->automatic = automatic;
}

static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    NsWindow *window = NS_WINDOW(widget);
    bool alive = ns_session_poll(window->session);
    /* While the window is hidden or minimized, there is nothing to draw. */
    GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(window));
    bool seen = gtk_widget_get_mapped(widget) && surface &&
                !(gdk_toplevel_get_state(GDK_TOPLEVEL(surface)) & GDK_TOPLEVEL_STATE_MINIMIZED);
    if (!seen) return G_SOURCE_CONTINUE;
    bool behind = ns_page_refresh(ns_window_page(window)), ends = !alive && !behind;
    /* The numbers of the title, the bar and the inspector are read in the same frame. */
    gint64 now = g_get_monotonic_time();
    bool due = ends || now - window->reported > REPORT_EVERY_US;
    ns_transport_sync(window->transport, due);
    if (due) {
        window->reported = now;
        ns_inspector_sync(window->inspector, ns_window_page(window));
        sync_subtitle(window);
        g_signal_emit_by_name(window, "progressed");
    }
    if (!ends) return G_SOURCE_CONTINUE;
    window->tick = 0;
    return G_SOURCE_REMOVE;
}

static void wake(NsWindow *window)
{
    if (!window->tick)
        window->tick = gtk_widget_add_tick_callback(GTK_WIDGET(window), on_tick, NULL, NULL);
}

static void sync_run_button(NsWindow *window)
{
    bool running = window->session->wants_run;
    ns_text_label_set(window->run_label, running ? _("Pause") : _("Run"));
    gtk_image_set_from_icon_name(GTK_IMAGE(window->run_icon),
                                 running ? "media-playback-pause-symbolic"
                                         : "media-playback-start-symbolic");
    gtk_widget_set_tooltip_text(gtk_widget_get_ancestor(window->run_icon, GTK_TYPE_BUTTON),
                                ns_session_is_watching(window->session)
                                    ? _("Another program trains this run")
                                : !running && ns_session_is_behind(window->session)
                                    ? _("Train on; the charts follow the newest step (Space, F5)")
                                    : _("Run or pause (Space, F5)"));
}

static void on_status(NsWindow *window)
{
    sync_run_button(window);
    g_autofree char *begin = ns_group_digits(window->session->fork_step);
    g_autofree char *back = g_strdup_printf(_("Back to step %s, where this run began (R)"), begin);
    gtk_widget_set_tooltip_text(window->reset_button,
                                window->session->fork_step > 0
                                    ? back
                                    : _("Back to step 0 and the same initial weights (R)"));
    sync_title(window);
    sync_subtitle(window);
    if (ns_trouble_panel_sync(window->trouble))
        place_trouble(window);
    else
        make_way(window); /* there may be more remedies */
    /* Does not repeat what the trouble panel says about the run. */
    bool explained = ns_trouble_panel_title(window->trouble) && !window->session->problem_key;
    const char *problem = explained ? NULL : window->session->problem;
    if (problem) ns_text_label_set(window->banner_label, problem);
    gtk_revealer_set_reveal_child(GTK_REVEALER(window->banner), problem != NULL);
    /* The button that helps if the run cannot continue, or could not be created. */
    NsTrainerState state = window->session->state;
    bool failed = state == NS_TRAINER_FAILED, undo = window->session->undo->len > 0;
    GtkButton *button = GTK_BUTTON(window->banner_button);
    gtk_button_set_label(button, !failed ? _("Reset") : undo ? _("Undo") : _("Default settings"));
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), !failed ? "win.reset"
                                                           : undo  ? "win.undo"
                                                                   : "win.reset-settings");
    ns_hide(window->banner_button, NS_HIDDEN_USELESS, !failed && state != NS_TRAINER_DIVERGED);
    /* The pages fade while another model is being prepared, and a line reports it. */
    bool preparing = window->session->state == NS_TRAINER_PREPARING;
    g_autofree char *words = preparing ? ns_session_preparing_words(window->session) : NULL;
    if (words) ns_text_label_set(gtk_widget_get_first_child(window->preparing), words);
    gtk_widget_set_visible(window->preparing, preparing);
    ns_set_css_class(GTK_WIDGET(window->pages), "stale", preparing);
    ns_transport_sync(window->transport, true);
    wake(window);
}

static void on_view_changed(NsWindow *window)
{
    sync_run_button(window);
    sync_subtitle(window);
    ns_transport_sync(window->transport, true);
    wake(window);
}

static void on_pointed(NsWindow *window, NsChartTile *tile)
{
    ns_inspector_point(window->inspector, tile);
    ns_inspector_sync(window->inspector, ns_window_page(window));
}

/* The strip is below the pages if the user opened all panes and they do not fit beside it. */
static void place_strip(NsWindow *window)
{
    bool all = has_strip(window) && gtk_widget_get_visible(window->inspector_scroller) &&
               gtk_widget_get_visible(window->pane_scroller);
    bool below = breadth_of(window, window->width) < (all ? ROOMY : WIDE);
    gtk_orientable_set_orientation(GTK_ORIENTABLE(window->row),
                                   below ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL);
}

static void fold_pane(NsWindow *window, size_t pane)
{
    GActionGroup *actions = G_ACTION_GROUP(window);
    bool narrow = is_narrow(window, pane);
    /* In full screen, which is lecture mode, only the user opens panes. */
    if (gtk_window_is_fullscreen(GTK_WINDOW(window))) return;
    g_autoptr(GVariant) state = g_action_group_get_action_state(actions, PANES[pane].action);
    bool fold = narrow && g_variant_get_boolean(state), unfold = !narrow && window->folded[pane];
    if (!fold && !unfold) return;
    window->folded[pane] = fold;
    ns_window_change(window, PANES[pane].action, !fold);
}

/* The inspector first: the settings stay if it folds. */
static void fold_panes(NsWindow *window)
{
    fold_pane(window, INSPECTOR);
    fold_pane(window, SETTINGS);
}

static void on_inspector(NsWindow *window)
{
    place_trouble(window);
    fold_pane(window, SETTINGS);
    place_strip(window);
}

static gboolean fold(gpointer data)
{
    NsWindow *window = data;
    window->fold_source = 0;
    ns_set_css_class(GTK_WIDGET(window), NS_HALL_TEXT_CLASS,
                     ns_text_is_for_hall(GTK_WIDGET(window)));
    fold_panes(window);
    place_strip(window);
    return G_SOURCE_REMOVE;
}

static gboolean fit(gpointer data)
{
    NsWindow *window = data;
    window->title_source = 0;
    sync_title(window);
    sync_subtitle(window);
    make_way(window);
    return G_SOURCE_REMOVE;
}

static bool is_cut(GtkWidget *label)
{
    return pango_layout_is_ellipsized(gtk_label_get_layout(GTK_LABEL(label)));
}

static void ns_window_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    NsWindow *window = NS_WINDOW(widget);
    GTK_WIDGET_CLASS(ns_window_parent_class)->size_allocate(widget, width, height, baseline);
    bool crossed = breadth_of(window, width) != breadth_of(window, window->width);
    const NsStyle *style = ns_chart_style_for(widget);
    crossed |= style != window->style;
    window->style = style;
    bool other = width != window->width || height != window->height;
    window->width = width;
    window->height = height;
    /* The visibility of widgets must not change while sizes are allocated. */
    if (crossed && !window->fold_source)
        window->fold_source = g_idle_add_full(G_PRIORITY_HIGH_IDLE, fold, window, NULL);
    /* The style sheet may enlarge the text after it was fitted. */
    bool cut = is_cut(window->title_label) || is_cut(window->subtitle_label);
    if ((other || crossed || cut) && !window->title_source)
        window->title_source = g_idle_add_full(G_PRIORITY_HIGH_IDLE, fit, window, NULL);
}

/* The least width of a child of a GtkPaned, which may be a GtkPaned itself. */
static int least_width(GtkWidget *widget)
{
    int least;
    if (GTK_IS_PANED(widget))
        return least_width(gtk_paned_get_start_child(GTK_PANED(widget))) + DIVIDER +
               least_width(gtk_paned_get_end_child(GTK_PANED(widget)));
    gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    return least;
}

/* The user cannot make a pane narrower than its content, nor wider than half of the window, nor
 * leave its neighbor too little. */
static void on_divided(GtkPaned *paned, GParamSpec *property, GtkWidget *pane)
{
    (void)property;
    int available = gtk_widget_get_width(GTK_WIDGET(paned)) - DIVIDER;
    int position = gtk_paned_get_position(paned);
    bool first = gtk_paned_get_start_child(paned) == pane;
    GtkWidget *other = first ? gtk_paned_get_end_child(paned) : gtk_paned_get_start_child(paned);
    int least = least_width(pane), others = least_width(other);
    if (available < least + others) return;
    int most = MAX(least, MIN(available / 2, available - others));
    int nearest =
        first ? CLAMP(position, least, most) : CLAMP(position, available - most, available - least);
    if (position != nearest) gtk_paned_set_position(paned, nearest);
}

/* GtkPaned takes presses where its divider was last, also while that is hidden with the pane. */
static void sync_divider(GtkWidget *pane)
{
    GtkPropagationPhase phase = gtk_widget_get_visible(pane) ? GTK_PHASE_CAPTURE : GTK_PHASE_NONE;
    GtkWidget *paned = gtk_widget_get_ancestor(pane, GTK_TYPE_PANED);
    if (!paned) return; /* the window is being destroyed */
    g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(paned);
    for (guint i = 0; i < g_list_model_get_n_items(controllers); i++) {
        g_autoptr(GtkEventController) controller = g_list_model_get_item(controllers, i);
        if (GTK_IS_GESTURE_DRAG(controller))
            gtk_event_controller_set_propagation_phase(controller, phase);
    }
}

static void guard_divider(GtkWidget *pane)
{
    GtkWidget *paned = gtk_widget_get_ancestor(pane, GTK_TYPE_PANED);
    /* With the focus, which it gets if all else is hidden, it would move by arrows and Page Down.
     */
    gtk_widget_set_focusable(paned, FALSE);
    g_signal_connect_object(paned, "notify::position", G_CALLBACK(on_divided), pane, 0);
    g_signal_connect(pane, "notify::visible", G_CALLBACK(sync_divider), NULL);
    sync_divider(pane);
}

/* A toast is at the lower end of the settings pane, above pending changes or, without the pane, of
 * the pages; in a lecture it is below the bar of that. */
static gboolean on_place_toast(GtkOverlay *overlay, GtkWidget *toast, GdkRectangle *place,
                               NsWindow *window)
{
    if (toast != window->toast) return FALSE;
    GtkWidget *lecture = gtk_widget_get_prev_sibling(window->overlay);
    GtkWidget *bar = gtk_widget_get_last_child(window->settings_pane);
    bool top = lecture && gtk_widget_get_visible(lecture);
    bool pane = !top && gtk_widget_get_visible(window->pane_scroller);
    int least, natural, end = gtk_widget_get_height(GTK_WIDGET(overlay));
    int width = gtk_widget_get_width(pane ? window->pane_scroller : GTK_WIDGET(overlay));
    while (bar && !gtk_widget_get_visible(bar)) bar = gtk_widget_get_prev_sibling(bar);
    if (pane && (ns_session_pending(window->session) || ns_session_is_watching(window->session)))
        end -= gtk_widget_get_height(bar);
    gtk_widget_measure(toast, GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, NULL, NULL);
    place->width = CLAMP(width, least, natural);
    place->x = MAX(width - place->width, 0) / 2;
    gtk_widget_measure(toast, GTK_ORIENTATION_VERTICAL, place->width, NULL, &place->height, NULL,
                       NULL);
    place->y = top ? 0 : end - place->height;
    return TRUE;
}

/* In the narrow pane the button is below the sentence. */
static void orient_toast(NsWindow *window)
{
    bool pane = gtk_widget_get_visible(window->pane_scroller);
    gtk_orientable_set_orientation(
        GTK_ORIENTABLE(gtk_revealer_get_child(GTK_REVEALER(window->toast))),
        pane ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL);
}

void ns_window_toast(NsWindow *window, const char *sentence)
{
    ns_toast_show(window->toast, sentence, NULL, NULL, NULL);
}

static void on_show_file(gpointer path, gpointer toast)
{
    (void)toast;
    ns_file_show_in_folder(path);
}

void ns_window_toast_file(NsWindow *window, const char *sentence, const char *path)
{
    ns_toast_show(window->toast, sentence, _("Show in folder"), on_show_file, g_strdup(path));
}

bool ns_window_folds(NsWindow *window, const char *pane)
{
    size_t i = 0;
    while (i < G_N_ELEMENTS(PANES) && !g_str_equal(PANES[i].action, pane)) i++;
    return i < G_N_ELEMENTS(PANES) && is_narrow(window, i);
}

void ns_window_open_inspector(NsWindow *window)
{
    if (window->inspector_decided || gtk_window_is_fullscreen(GTK_WINDOW(window))) return;
    window->inspector_decided = true;
    window->folded[INSPECTOR] = is_narrow(window, INSPECTOR);
    if (!window->folded[INSPECTOR]) ns_window_change(window, PANES[INSPECTOR].action, true);
}

static void on_strip(NsWindow *window)
{
    fold_panes(window);
    place_strip(window);
    place_trouble(window);
}

void ns_window_add_strip(NsWindow *window, GtkWidget *strip)
{
    window->strip = strip;
    gtk_box_append(GTK_BOX(window->row), strip);
    ns_connect(strip, "notify::visible", G_CALLBACK(on_strip), window);
}

void ns_window_add_commands(NsWindow *window, const NsWindowCommand *commands, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ns_add_command(G_ACTION_MAP(window), commands[i].action, commands[i].run,
                       commands[i].of_session ? (gpointer)window->session : window);
}

void ns_window_enable(NsWindow *window, const char *action, bool enabled)
{
    GAction *found = g_action_map_lookup_action(G_ACTION_MAP(window), action);
    g_simple_action_set_enabled(G_SIMPLE_ACTION(found), enabled);
}

void ns_window_set_state(NsWindow *window, const char *action, bool state)
{
    GAction *found = g_action_map_lookup_action(G_ACTION_MAP(window), action);
    g_simple_action_set_state(G_SIMPLE_ACTION(found), g_variant_new_boolean(state));
}

NsPage *ns_window_page(NsWindow *window)
{
    return ns_page_stack_page(window->pages);
}

NsDashboard *ns_window_dashboard(NsWindow *window)
{
    NsPage *page = ns_window_page(window);
    return NS_IS_DASHBOARD(page) ? NS_DASHBOARD(page) : NULL;
}

/* GTK moves the focus on, as Tab does, when its part was closed: to the entry of the step, which
 * would take the keys of the window. */
static gboolean ns_window_focus(GtkWidget *widget, GtkDirectionType direction)
{
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(widget));
    if (focus && !gtk_widget_get_mapped(focus))
        return gtk_widget_grab_focus(GTK_WIDGET(NS_WINDOW(widget)->transport));
    return GTK_WIDGET_CLASS(ns_window_parent_class)->focus(widget, direction);
}

static void ns_window_dispose(GObject *object)
{
    NsWindow *window = NS_WINDOW(object);
    g_clear_handle_id(&window->fold_source, g_source_remove);
    g_clear_handle_id(&window->title_source, g_source_remove);
    window->strip = NULL;
    if (window->session) g_signal_handlers_disconnect_by_data(window->session, window);
    G_OBJECT_CLASS(ns_window_parent_class)->dispose(object);
    g_clear_object(&window->session);
}

static void ns_window_class_init(NsWindowClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->dispose = ns_window_dispose;
    widget_class->size_allocate = ns_window_size_allocate;
    widget_class->focus = ns_window_focus;
    GType type = G_TYPE_FROM_CLASS(klass);
    ns_signal_new(type, "progressed", 0);
    ns_signal_new(type, "saved", 0);
    gtk_widget_class_set_template_from_resource(widget_class, "/org/normscope/Normscope/window.ui");
    gtk_widget_class_bind_template_child(widget_class, NsWindow, reset_button);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, run_icon);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, run_label);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, title_label);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, subtitle_label);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, run_menu);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, menu_button);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, first_buttons);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, last_buttons);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, foot);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, banner);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, banner_label);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, banner_button);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, overlay);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, pane_scroller);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, inspector_scroller);
    gtk_widget_class_bind_template_child(widget_class, NsWindow, center);
}

static void ns_window_init(NsWindow *window)
{
    gtk_widget_init_template(GTK_WIDGET(window));
    window->width = G_MAXINT;
    /* GtkCenterBox sizes each end by the least width of the other, so that the ends may overlap.  A
     * start widget that expands gets what the title and the other end leave. */
    GtkWidget *bar = gtk_widget_get_ancestor(window->subtitle_label, GTK_TYPE_CENTER_BOX);
    GtkWidget *start = bar ? gtk_center_box_get_start_widget(GTK_CENTER_BOX(bar)) : NULL;
    if (start) gtk_widget_set_hexpand(start, TRUE);
    ns_fold_buttons(window->first_buttons);
    ns_fold_buttons(window->last_buttons);
    guard_divider(window->pane_scroller);
    guard_divider(window->inspector_scroller);
}

/* GTK names these two keys by their symbols. */
static void name_keys(GtkWidget *widget)
{
    const char *key = GTK_IS_LABEL(widget) ? gtk_label_get_text(GTK_LABEL(widget)) : "";
    if (g_str_equal(key, "Page_Up"))
        gtk_label_set_text(GTK_LABEL(widget), "Page Up");
    else if (g_str_equal(key, "Page_Down"))
        gtk_label_set_text(GTK_LABEL(widget), "Page Down");
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        name_keys(child);
}

NsWindow *ns_window_new(GtkApplication *application, NsSession *session)
{
    NsWindow *window = g_object_new(NS_TYPE_WINDOW, "application", application, NULL);
    /* All windows share the menus: GTK 4.8 keeps a reference to every section of a menu that it has
     * built. */
    gtk_menu_button_set_menu_model(
        GTK_MENU_BUTTON(window->run_menu),
        G_MENU_MODEL(gtk_application_get_menu_by_id(application, "run-menu")));
    /* GTK 4.8 on X11: after a choice in a submenu that slides in, keys are lost until a click. */
    GMenuModel *main_menu = G_MENU_MODEL(gtk_application_get_menu_by_id(application, "main-menu"));
    gtk_menu_button_set_popover(
        GTK_MENU_BUTTON(window->menu_button),
        gtk_popover_menu_new_from_model_full(main_menu, GTK_POPOVER_MENU_NESTED));
    name_keys(GTK_WIDGET(gtk_application_window_get_help_overlay(GTK_APPLICATION_WINDOW(window))));
    window->session = g_object_ref(session);
    window->pages = NS_PAGE_STACK(ns_page_stack_new(session));
    window->settings_pane = ns_settings_pane_new(session);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(window->pane_scroller),
                                  window->settings_pane);
    window->trouble = NS_TROUBLE_PANEL(ns_trouble_panel_new(session));
    gtk_overlay_add_overlay(GTK_OVERLAY(window->overlay), GTK_WIDGET(window->trouble));
    window->toast = ns_toast_new();
    gtk_overlay_add_overlay(GTK_OVERLAY(window->overlay), window->toast);
    g_signal_connect(window->overlay, "get-child-position", G_CALLBACK(on_place_toast), window);
    ns_connect(window->pane_scroller, "notify::visible", G_CALLBACK(orient_toast), window);
    orient_toast(window);
    window->row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_widget_set_hexpand(GTK_WIDGET(window->pages), TRUE);
    window->stage = gtk_overlay_new();
    gtk_overlay_set_child(GTK_OVERLAY(window->stage), GTK_WIDGET(window->pages));
    g_object_bind_property(window->pages, "visible", window->stage, "visible",
                           G_BINDING_SYNC_CREATE);
    window->preparing = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
    window->stop = gtk_button_new_with_label(_("Undo"));
    gtk_actionable_set_action_name(GTK_ACTIONABLE(window->stop), "win.undo");
    gtk_widget_set_tooltip_text(window->stop, _("Take back the last change (Ctrl+Z)"));
    ns_box_append(window->preparing, gtk_label_new(NULL), window->stop, NULL);
    gtk_widget_add_css_class(window->preparing, "preparing-note");
    gtk_widget_set_halign(window->preparing, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(window->preparing, GTK_ALIGN_CENTER);
    gtk_overlay_add_overlay(GTK_OVERLAY(window->stage), window->preparing);
    gtk_box_append(GTK_BOX(window->row), window->stage);
    gtk_box_prepend(GTK_BOX(window->center), window->row); /* above the banner */
    window->inspector = NS_INSPECTOR(ns_inspector_new(session));
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(window->inspector_scroller),
                                  GTK_WIDGET(window->inspector));
    ns_hide(window->inspector_scroller, NS_HIDDEN_CLOSED, true);
    window->transport = NS_TRANSPORT(ns_transport_new(session));
    gtk_box_append(GTK_BOX(window->foot), GTK_WIDGET(window->transport));
    ns_session_listen(session, "status-changed", G_CALLBACK(on_status), window);
    ns_session_listen(session, "settings-changed", G_CALLBACK(sync_title), window);
    ns_session_listen(session, "view-changed", G_CALLBACK(on_view_changed), window);
    ns_session_listen(session, "notice", G_CALLBACK(ns_window_toast), window);
    ns_connect(window->pages, "switched", G_CALLBACK(wake), window);
    ns_connect(window->pages, "pointed", G_CALLBACK(on_pointed), window);
    on_status(window);
    ns_connect(window->inspector_scroller, "notify::visible", G_CALLBACK(on_inspector), window);
    ns_connect(window->pane_scroller, "notify::visible", G_CALLBACK(place_strip), window);
    ns_connect(window->trouble, "folded", G_CALLBACK(make_way), window);
    return window;
}
