/* The page Diagram, with pointer and keys.  SPDX-License-Identifier: MIT */
#include "tests/ui/driver.h"

#include "ui/widgets/diagram/diagram_page.h"
#include "ui/widgets/shell/learning.h"

#include <math.h>
#include <string.h>

static NsDiagramPage *show_page(NsWindow *window)
{
    g_action_group_change_action_state(G_ACTION_GROUP(window), "page",
                                       g_variant_new_string("diagram"));
    GtkWidget *page = ui_first(GTK_WIDGET(window), NS_TYPE_DIAGRAM_PAGE);
    g_assert_nonnull(page);
    UI_UNTIL(gtk_widget_get_mapped(page) &&
             NS_DIAGRAM_VIEW(NS_DIAGRAM_PAGE(page)->views[0])->diagram &&
             ui_first(NS_DIAGRAM_PAGE(page)->views[0], GTK_TYPE_BUTTON));
    return NS_DIAGRAM_PAGE(page);
}

static NsWindow *open_paused(const char *assignments, int64_t steps)
{
    NsWindow *window = ui_open(assignments);
    UI_WAIT(window, ui_is_ready);
    ns_session_step(window->session, steps);
    UI_UNTIL(ns_session_steps(window->session) >= steps);
    UI_WAIT(window, ui_is_paused);
    return window;
}

static const NsDiagram *diagram_of(NsDiagramPage *page, size_t lane)
{
    return NS_DIAGRAM_VIEW(page->views[lane])->diagram;
}

static const char *placement_of(NsWindow *window, size_t lane)
{
    const NsSettings *settings = &window->session->experiment.lane[lane];
    return ns_placement(settings->placement)->choice.key;
}

/* The norm at a place of the first sub-layer has been drawn. */
static bool has_norm(NsDiagramPage *page, NsPlace place)
{
    return ns_diagram_norm_at(diagram_of(page, 0), 0, place) >= 0;
}

static bool has_numbers(NsDiagramPage *page, size_t lane)
{
    NsRange range = ns_diagram_extent(diagram_of(page, lane), NS_FLOW_SIGNAL);
    return range.lo <= range.hi;
}

/* The n-th node of a kind. */
static int find_node(const NsDiagram *d, NsNodeKind kind, unsigned n)
{
    const NsNode *node;
    for (int i = 0; (node = ns_diagram_node(d, (size_t)i)); i++)
        if (node->kind == kind && n-- == 0) return i;
    g_assert_not_reached();
}

/* Its middle on the widget. */
static NsPoint middle_of(const NsBox *box)
{
    return (NsPoint){box->x + box->width / 2 + 10, box->y + box->height / 2 + 10};
}

static bool press(NsDiagramView *view, guint key)
{
    return ui_key(GTK_WIDGET(view), key, 0);
}

static void click(NsDiagramView *view, const NsBox *box)
{
    NsPoint at = middle_of(box);
    ui_pointer_to(GTK_WIDGET(view), at.x, at.y);
    ui_click_here(GDK_BUTTON_PRIMARY);
    ui_settle(GTK_WIDGET(view));
}

/* What is said of the stage in slow motion, or of changes that wait. */
static const char *words_on(NsDiagramPage *page)
{
    return gtk_label_get_text(GTK_LABEL(ui_find_class(GTK_WIDGET(page), "hint")));
}

/* The part of a node has the focus. */
static void focus(NsDiagramView *view, const char *name, unsigned n)
{
    for (GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(view)); child;
         child = gtk_widget_get_next_sibling(child)) {
        g_autofree char *other = gtk_test_accessible_check_property(
            GTK_ACCESSIBLE(child), GTK_ACCESSIBLE_PROPERTY_LABEL, name);
        if (other || n-- > 0) continue;
        g_assert_true(gtk_widget_grab_focus(child));
        return;
    }
    g_assert_not_reached();
}

/* ---- tests ---- */

static void test_shows_run(void)
{
    NsWindow *window = open_paused("layers=5 placement=pre", 3);
    NsDiagramPage *page = show_page(window);
    UI_UNTIL(has_numbers(page, 0));
    const NsDiagram *d = diagram_of(page, 0);
    g_assert_cmpuint(d->layer, ==, 5);
    g_assert_cmpint(d->data->steps.last, ==, 3);
    g_assert_cmpint(ns_diagram_page_flow(page), ==, NS_FLOW_SIGNAL);
    /* A step in the past. */
    ns_session_show_step(window->session, 1);
    UI_UNTIL(diagram_of(page, 0)->data->steps.last == 1);
    /* The gradient. */
    GtkWidget *signal = ui_first(GTK_WIDGET(page), GTK_TYPE_TOGGLE_BUTTON);
    GtkWidget *gradient = gtk_widget_get_next_sibling(signal);
    g_assert_cmpstr(gtk_button_get_label(GTK_BUTTON(gradient)), ==, "Gradient");
    g_signal_emit_by_name(gradient, "clicked");
    g_assert_cmpint(ns_diagram_page_flow(page), ==, NS_FLOW_GRADIENT);
    /* It reads as text. */
    g_autofree char *words = ns_diagram_describe(diagram_of(page, 0));
    g_assert_true(
        g_str_has_prefix(words, "layer 5, Pre-LN: LayerNorm, self-attention, residual addition"));
    gtk_test_accessible_assert_role(page->views[0], GTK_ACCESSIBLE_ROLE_GROUP);
    ui_close(window);
}

static void test_layers(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = open_paused("layers=12", 1);
    NsSession *session = window->session;
    NsDiagramPage *page = show_page(window);
    NsDiagramView *view = NS_DIAGRAM_VIEW(page->views[0]);
    g_assert_true(press(view, GDK_KEY_Down));
    g_assert_cmpint(session->view->layer, ==, 11);
    UI_UNTIL(diagram_of(page, 0)->layer == 11);
    g_assert_true(press(view, GDK_KEY_Up));
    UI_UNTIL(diagram_of(page, 0)->layer == 12);
    /* A click on the second layer; one on what is folded away. */
    int second = find_node(diagram_of(page, 0), NS_NODE_LAYER, 1);
    click(view, &ns_diagram_node(diagram_of(page, 0), (size_t)second)->box);
    g_assert_cmpint(session->view->layer, ==, 2);
    UI_UNTIL(diagram_of(page, 0)->layer == 2);
    int dots = find_node(diagram_of(page, 0), NS_NODE_DOTS, 0);
    click(view, &ns_diagram_node(diagram_of(page, 0), (size_t)dots)->box);
    g_assert_cmpint(session->view->layer, ==, 6);
    UI_UNTIL(diagram_of(page, 0)->layer == 6);
    /* Enter on a layer. */
    focus(view, "Layer 1", 0);
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(page));
    g_signal_emit_by_name(gtk_root_get_focus(root), "activate");
    g_assert_cmpint(session->view->layer, ==, 1);
    /* Selected elsewhere, it is drawn here; Escape selects none. */
    ns_session_select_layer(session, 9);
    UI_UNTIL(diagram_of(page, 0)->layer == 9);
    g_assert_true(ns_page_back(NS_PAGE(page)));
    g_assert_cmpint(session->view->layer, ==, 0);
    g_assert_false(ns_page_back(NS_PAGE(page)));
    ui_close(window);
}

/* A place of a norm, or the tray, on the widget. */
static NsPoint place_at(const NsDiagram *d, int sublayer, int place)
{
    return middle_of(place < 0 ? &d->tray : &d->slot[sublayer][place]);
}

static void drag(NsDiagramView *view, int sublayer, int from, int to_sublayer, int to)
{
    const NsDiagram *d = view->diagram;
    ui_drag(GTK_WIDGET(view), GDK_BUTTON_PRIMARY, place_at(d, sublayer, from),
            place_at(d, to_sublayer, to), 0);
    g_assert_false(view->hand.carried);
}

static void test_drag(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open("placement=post");
    UI_WAIT(window, ui_is_ready);
    NsDiagramPage *page = show_page(window);
    NsDiagramView *view = NS_DIAGRAM_VIEW(page->views[0]);
    UI_UNTIL(has_norm(page, NS_PLACE_OUT));
    drag(view, 0, NS_PLACE_OUT, 0, NS_PLACE_IN);
    g_assert_cmpstr(placement_of(window, 0), ==, "pre");
    UI_UNTIL(has_norm(page, NS_PLACE_IN));
    g_assert_false(has_norm(page, NS_PLACE_OUT));
    /* From the tray, and back to it. */
    drag(view, -1, -1, 1, NS_PLACE_BRANCH);
    g_assert_cmpstr(placement_of(window, 0), ==, "sandwich");
    UI_UNTIL(has_norm(page, NS_PLACE_BRANCH));
    drag(view, 1, NS_PLACE_IN, 1, -1);
    g_assert_cmpstr(placement_of(window, 0), ==, "olmo2");
    UI_UNTIL(!has_norm(page, NS_PLACE_IN));
    /* Where no placement has it, and where it was, nothing happens. */
    drag(view, -1, -1, 0, NS_PLACE_OUT);
    drag(view, 0, NS_PLACE_BRANCH, 0, NS_PLACE_BRANCH);
    g_assert_cmpstr(placement_of(window, 0), ==, "olmo2");
    g_assert_true(ns_diagram_view_take(view, 0, NS_PLACE_BRANCH));
    g_assert_true(ns_page_back(NS_PAGE(page)));
    g_assert_false(view->hand.carried);
    UI_UNTIL(has_numbers(page, 0));
    ui_close(window);
}

/* As a hand does it. */
static void test_pointer(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open("placement=post");
    UI_WAIT(window, ui_is_ready);
    NsDiagramPage *page = show_page(window);
    NsDiagramView *view = NS_DIAGRAM_VIEW(page->views[0]);
    const NsDiagram *d = diagram_of(page, 0);
    NsPoint from = place_at(d, 1, NS_PLACE_OUT);
    ui_pointer_to(GTK_WIDGET(view), from.x, from.y);
    ui_button(GDK_BUTTON_PRIMARY, true);
    UI_UNTIL(view->hand.carried);
    ui_button(GDK_BUTTON_PRIMARY, false);
    UI_UNTIL(!view->hand.carried);
    g_assert_cmpstr(placement_of(window, 0), ==, "post");
    /* A box that is no norm stays where it is. */
    int f = find_node(d, NS_NODE_BRANCH, 0);
    NsPoint middle = middle_of(&ns_diagram_node(d, (size_t)f)->box);
    ui_pointer_to(GTK_WIDGET(view), middle.x, middle.y);
    ui_button(GDK_BUTTON_PRIMARY, true);
    ui_settle(GTK_WIDGET(view));
    g_assert_false(view->hand.carried);
    ui_button(GDK_BUTTON_PRIMARY, false);
    ui_settle(GTK_WIDGET(view));
    ui_close(window);
}

static void test_keys(void)
{
    NsWindow *window = ui_open("placement=post");
    UI_WAIT(window, ui_is_ready);
    NsDiagramPage *page = show_page(window);
    NsDiagramView *view = NS_DIAGRAM_VIEW(page->views[0]);
    focus(view, "Layer 1", 0);
    g_assert_false(press(view, GDK_KEY_Left));
    /* On a branch, a spare norm: in the first place that a placement has. */
    GtkRoot *window_root = gtk_widget_get_root(GTK_WIDGET(page));
    focus(view, "Feed-forward", 0);
    g_assert_true(press(view, GDK_KEY_Right));
    g_assert_true(view->hand.carried);
    g_signal_emit_by_name(gtk_root_get_focus(window_root), "activate");
    g_assert_cmpstr(placement_of(window, 0), ==, "keel");
    ns_session_undo(window->session);
    g_assert_cmpstr(placement_of(window, 0), ==, "post");
    UI_UNTIL(!has_norm(page, NS_PLACE_IN));
    /* The first LayerNorm is that after the embedding. */
    focus(view, "LayerNorm", 1);
    g_assert_true(press(view, GDK_KEY_Left));
    g_assert_true(view->hand.carried);
    g_assert_true(press(view, GDK_KEY_Escape));
    g_assert_cmpstr(placement_of(window, 0), ==, "post");
    g_assert_false(press(view, GDK_KEY_Escape));
    for (int i = 0; i < 8 && !g_str_equal(placement_of(window, 0), "pre"); i++) {
        focus(view, "LayerNorm", 1);
        for (int k = 0; k <= i; k++) g_assert_true(press(view, GDK_KEY_Left));
        GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(page));
        if (i == 1) g_signal_emit_by_name(gtk_root_get_focus(root), "activate");
        if (view->hand.carried) g_assert_true(press(view, GDK_KEY_Escape));
    }
    g_assert_cmpstr(placement_of(window, 0), ==, "pre");
    /* The norm that moved has the focus. */
    UI_UNTIL(has_norm(page, NS_PLACE_IN));
    ui_settle(GTK_WIDGET(window));
    g_assert_true(press(view, GDK_KEY_Right));
    g_assert_true(view->hand.carried);
    ns_diagram_view_let_go(view, false);
    /* What waits for a restart is not said to be so. */
    ns_session_step(window->session, 1);
    UI_WAIT(window, ui_has_stepped);
    UI_WAIT(window, ui_is_paused);
    focus(view, "Feed-forward", 0);
    g_assert_true(press(view, GDK_KEY_Left));
    ns_diagram_view_let_go(view, true);
    g_test_message("%s", ns_toast_text(window->toast));
    g_assert_true(g_str_has_prefix(ns_toast_text(window->toast), "The placement becomes "));
    ui_close(window);
}

static void test_lanes(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open("placement=post");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(session, 2);
    ns_session_set_lane(session, 1, "placement", "pre");
    NsDiagramPage *page = show_page(window);
    UI_UNTIL(page->views[1]);
    ns_session_set_active(session, 1); /* where there is room for one only */
    UI_UNTIL(diagram_of(page, 1));
    g_assert_null(page->views[2]);
    UI_UNTIL(has_numbers(page, 1));
    g_autofree char *title = ns_diagram_title(diagram_of(page, 1));
    g_assert_cmpstr(title, ==, "B  Pre-LN");
    /* A norm of B moves; A stays. */
    drag(NS_DIAGRAM_VIEW(page->views[1]), 0, NS_PLACE_IN, 0, NS_PLACE_OUT);
    g_assert_cmpstr(placement_of(window, 1), ==, "post");
    g_assert_cmpstr(placement_of(window, 0), ==, "post");
    g_assert_cmpuint(session->active, ==, 1);
    ns_session_set_lanes(session, 1);
    UI_UNTIL(!NS_DIAGRAM_VIEW(page->views[1]));
    ui_close(window);
}

static gboolean draw_again(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    gtk_widget_queue_draw(widget);
    return G_SOURCE_CONTINUE;
}

/* Where there is room for one lane, another comes in its place: it was never given a size and has
 * no parts yet, while the settings beside it change and the page keeps its size.  A part that is
 * added while sizes are being given out would leave the page without one (GTK warns of that). */
static void test_lane_in_place(void)
{
    NsWindow *window = ui_open("placement=post layers=12");
    NsSession *session = window->session;
    gtk_window_set_default_size(GTK_WINDOW(window), 800, 600);
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(session, 4);
    ns_session_set_lane(session, 1, "placement", "sandwich");
    ns_session_set_active(session, 0);
    NsDiagramPage *page = show_page(window);
    UI_UNTIL(NS_DIAGRAM_VIEW(page->views[3]) != NULL);
    UI_UNTIL(ns_window_folds(window, "inspector"));
    gtk_widget_add_tick_callback(GTK_WIDGET(page), draw_again, NULL, NULL);
    for (size_t lane = 1; lane < 4; lane++) {
        GtkWidget *view = GTK_WIDGET(NS_DIAGRAM_VIEW(page->views[lane]));
        ui_settle(GTK_WIDGET(window));
        g_assert_false(gtk_widget_get_mapped(view));
        ns_session_set_active(session, lane);
        UI_UNTIL(gtk_widget_get_mapped(view) && diagram_of(page, lane));
        UI_UNTIL(ui_first(view, GTK_TYPE_BUTTON));
        ui_settle(GTK_WIDGET(window));
        unsigned parts = 0;
        for (GtkWidget *part = gtk_widget_get_first_child(view); part;
             part = gtk_widget_get_next_sibling(part), parts++)
            g_assert_cmpint(gtk_widget_get_width(part), >, 1);
        g_assert_cmpuint(parts, >, 3);
    }
    ui_close(window);
}

/* What waits for a restart is drawn, without numbers of the run that is another model. */
/* In a low window with large text, the lanes can still be chosen without scrolling. */
static void test_low_window(void)
{
    NsWindow *window = ui_open("placement=sandwich");
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(window->session, 4);
    gtk_window_set_default_size(GTK_WINDOW(window), 720, 600);
    ns_class_mode_set(window, true, NULL);
    NsDiagramPage *page = show_page(window);
    GtkWidget *place = gtk_widget_get_ancestor(GTK_WIDGET(page), GTK_TYPE_SCROLLED_WINDOW);
    graphene_rect_t tabs;
    UI_UNTIL(gtk_widget_get_mapped(page->tabs));
    ui_rest(window);
    g_assert_true(gtk_widget_compute_bounds(page->tabs, place, &tabs));
    g_assert_cmpfloat(tabs.origin.y + tabs.size.height, <=, gtk_widget_get_height(place));
    ui_close(window);
}

static void test_pending(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = open_paused("placement=post", 5);
    NsSession *session = window->session;
    NsDiagramPage *page = show_page(window);
    UI_UNTIL(has_numbers(page, 0));
    drag(NS_DIAGRAM_VIEW(page->views[0]), 0, NS_PLACE_OUT, 0, NS_PLACE_IN);
    UI_UNTIL(has_norm(page, NS_PLACE_IN));
    g_assert_cmpuint(ns_session_pending(session), ==, 1);
    g_assert_false(has_numbers(page, 0));
    UI_UNTIL(strstr(words_on(page), "pending"));
    ns_session_restart(session);
    UI_UNTIL(has_numbers(page, 0));
    UI_UNTIL(*words_on(page) == '\0');
    ui_close(window);
}

static void on_answer(GObject *session, GAsyncResult *result, gpointer answer)
{
    (void)session;
    *(NsAnswer **)answer = g_task_propagate_pointer(G_TASK(result), NULL);
}

/* The line of slow motion is one token longer at every step, and what follows is what the models
 * answer to that text. */
static void test_line(void)
{
    NsWindow *window = open_paused("layers=2 d-model=16", 1);
    NsSession *session = window->session;
    for (int64_t step = 1; step < 4; step++) {
        g_autofree NsAnswer *line = NULL, *asked = NULL;
        UI_UNTIL(ns_session_fork_step(session) == step); /* its checkpoint has been made */
        ns_session_ask(session, NULL, on_answer, &line);
        UI_UNTIL(line);
        g_assert_cmpint(line->step, ==, step);
        g_assert_cmpint(g_utf8_strlen(line->prompt[0], -1), ==, step + 1);
        ns_session_ask(session, line->prompt[0], on_answer, &asked);
        UI_UNTIL(asked);
        g_assert_cmpuint(line->n[0], ==, NS_NEXT_TOKENS);
        g_assert_true(memcmp(line->next, asked->next, sizeof line->next) == 0);
        ns_session_step(session, 1);
        UI_UNTIL(ns_session_steps(session) == step + 1);
        UI_WAIT(window, ui_is_paused);
    }
    ui_close(window);
}

static void test_slow_motion(void)
{
    NsWindow *window = open_paused("layers=2", 1);
    NsSession *session = window->session;
    NsDiagramPage *page = show_page(window);
    GtkWidget *slow = ui_find_button(GTK_WIDGET(page), "Slow motion");
    g_assert_true(gtk_widget_has_css_class(slow, "choice")); /* it is blue while it is on */
    gtk_widget_activate(slow);
    UI_UNTIL(session->slow);
    ns_session_run(session);
    UI_UNTIL(g_str_has_prefix(words_on(page), "Forward"));
    g_assert_cmpint(ns_diagram_page_flow(page), ==, NS_FLOW_SIGNAL);
    UI_UNTIL(g_str_has_prefix(words_on(page), "Backward"));
    g_assert_cmpint(ns_diagram_page_flow(page), ==, NS_FLOW_GRADIENT);
    GtkWidget *signal = ui_find_button(GTK_WIDGET(page), "Signal");
    g_assert_false(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(signal)));
    UI_UNTIL(g_str_has_prefix(words_on(page), "Update"));
    ns_session_set_slow_motion(session, false);
    ns_session_pause(session);
    UI_WAIT(window, ui_is_paused);
    UI_UNTIL(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(signal)));
    g_assert_cmpint(ns_diagram_page_flow(page), ==, NS_FLOW_SIGNAL);
    ui_close(window);
}

/* A placement that waits for a restart is headed so, and nothing of the run travels through it. */
static void test_pending_lane(void)
{
    NsWindow *window = ui_open("layers=2");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(session, 2);
    ns_session_set_lane(session, 0, "placement", "post");
    ns_session_set_lane(session, 1, "placement", "pre");
    UI_WAIT(window, ui_is_ready);
    NsDiagramPage *page = show_page(window);
    ns_session_step(session, 1);
    UI_WAIT(window, ui_has_stepped);
    UI_WAIT(window, ui_is_paused);
    ns_session_set_slow_motion(session, true);
    ns_session_run(session);
    UI_UNTIL(page->views[1] && NS_DIAGRAM_VIEW(page->views[1])->light > 0);
    ns_session_set_active(session, 1);
    ns_session_set_lane(session, 1, "placement", "post");
    /* There are lights in A alone. */
    UI_UNTIL(NS_DIAGRAM_VIEW(page->views[0])->light > 0 &&
             isnan(NS_DIAGRAM_VIEW(page->views[1])->light));
    UI_UNTIL(diagram_of(page, 1));
    g_autofree char *waiting = ns_diagram_title(diagram_of(page, 1));
    g_assert_cmpstr(waiting, ==, "B  Post-LN (pending)");
    ns_session_undo(session);
    UI_UNTIL(NS_DIAGRAM_VIEW(page->views[1])->light >= 0);
    g_autofree char *title = ns_diagram_title(diagram_of(page, 1));
    g_assert_cmpstr(title, ==, "B  Pre-LN");
    ns_session_set_slow_motion(session, false);
    ns_session_pause(session);
    UI_WAIT(window, ui_is_paused);
    ui_close(window);
}

static void test_export(void)
{
    NsWindow *window = open_paused("layers=3", 2);
    NsDiagramPage *page = show_page(window);
    NsChartTile *tile = ns_page_current(NS_PAGE(page));
    g_assert_nonnull(tile);
    g_assert_cmpstr(tile->own.kind->choice.key, ==, "diagram");
    g_assert_nonnull(tile->chart->plot->drawing);
    ui_close(window);
}

void ui_add_diagram_tests(void)
{
    g_test_add_func("/diagram/shows-run", test_shows_run);
    g_test_add_func("/diagram/layers", test_layers);
    g_test_add_func("/diagram/drag", test_drag);
    g_test_add_func("/diagram/pointer", test_pointer);
    g_test_add_func("/diagram/keys", test_keys);
    g_test_add_func("/diagram/lanes", test_lanes);
    g_test_add_func("/diagram/lane-in-place", test_lane_in_place);
    g_test_add_func("/diagram/low-window", test_low_window);
    g_test_add_func("/diagram/pending", test_pending);
    g_test_add_func("/diagram/line", test_line);
    g_test_add_func("/diagram/slow-motion", test_slow_motion);
    g_test_add_func("/diagram/pending-lane", test_pending_lane);
    g_test_add_func("/diagram/export", test_export);
}
