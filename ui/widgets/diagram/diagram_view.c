/* The diagram of one lane.  SPDX-License-Identifier: MIT */
#include "ui/widgets/diagram/diagram_view.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "core/model/wiring.h"
#include "ui/plot/text.h"

#include <math.h>

#define MARGIN 10         /* margin around the diagram in pixels */
#define GROWS 1.15        /* maximum size of text relative to its boxes */
#define LEAST_WORD 0.85   /* minimum size of numbers and details, relative to the style */
#define SMALLEST 0.7      /* minimum size of text in a narrow window, relative to the style */
#define REACH 6           /* tolerance in pixels around wires, for the pointer */
#define EXPECTED 3        /* most probable tokens that are shown */
#define REPORT_US 1000000 /* minimum time between two updates for a screen reader */

G_DEFINE_FINAL_TYPE(NsDiagramView, ns_diagram_view, GTK_TYPE_WIDGET)

/* ---- A norm that is carried to another place ---- */

static const NsPlacement *promised(NsDiagramView *view)
{
    const NsDiagramLook *hand = &view->hand;
    if (!hand->carried || !view->diagram) return NULL;
    return ns_diagram_moved(view->diagram, hand->sublayer, hand->carried_from, hand->aim);
}

static void aim_at(NsDiagramView *view, int sublayer, int place)
{
    view->hand.sublayer = sublayer;
    view->hand.aim = place;
    const NsPlacement *placement = promised(view);
    view->hand.promise = placement ? _(placement->choice.label) : NULL;
    gtk_widget_queue_draw(GTK_WIDGET(view));
}

bool ns_diagram_view_take(NsDiagramView *view, int sublayer, int place)
{
    if (!view->diagram || ns_settings_are_mixed(&view->data->settings)) return false;
    view->hand.carried = true;
    view->hand.carried_from = place;
    view->hand.at = (NsPoint){NAN, NAN};
    aim_at(view, MAX(sublayer, 0), place);
    return true;
}

static bool is_near(const NsBox *box, double x, double y)
{
    double dx = box->width / 2, dy = 0.6 * box->height;
    return x > box->x - dx && x < box->x + box->width + dx && y > box->y - dy &&
           y < box->y + box->height + dy;
}

static void carry(NsDiagramView *view, double x, double y)
{
    if (!view->hand.carried || !view->diagram) return;
    const NsDiagram *d = view->diagram;
    int from = view->hand.carried_from;
    view->hand.at = (NsPoint){x, y};
    if (is_near(&d->tray, x, y)) {
        aim_at(view, view->hand.sublayer, -1);
        return;
    }
    for (int k = 0; k < (int)d->sublayers; k++)
        for (int place = 0; place < NS_PLACES_MOVABLE; place++) {
            bool own = from < 0 || k == view->hand.sublayer;
            if (!own || !is_near(&d->slot[k][place], x, y)) continue;
            aim_at(view, k, place);
            return;
        }
    aim_at(view, view->hand.sublayer, from);
}

void ns_diagram_view_let_go(NsDiagramView *view, bool drop)
{
    const NsPlacement *placement = drop ? promised(view) : NULL;
    NsDiagramLook hand = view->hand;
    view->hand.carried = false;
    view->hand.promise = NULL;
    gtk_widget_queue_draw(GTK_WIDGET(view));
    if (!placement) return;
    view->sublayer_shown = hand.aim >= 0 && isnan(hand.at.x) ? hand.sublayer : -1;
    view->place_shown = (NsPlace)MAX(hand.aim, 0);
    ns_session_set_active(view->session, view->lane);
    ns_session_set_lane(view->session, view->lane, "placement", placement->choice.key);
    ns_session_report_placement(view->session);
}

/* ---- what is shown ---- */

static bool is_focusable(const NsNode *node)
{
    switch (node->kind) {
    case NS_NODE_EMBEDDING:
    case NS_NODE_LAYER:
    case NS_NODE_HEAD:
    case NS_NODE_MEMORY:
    case NS_NODE_SCALE:
    case NS_NODE_NORM:
    case NS_NODE_BRANCH:
        return true;
    case NS_NODE_DOTS:
    case NS_NODE_INPUT:
    case NS_NODE_OUTPUT:
    case NS_NODE_FORK:
    case NS_NODE_SUM:
    case NS_NODE_FACTOR:
        break;
    }
    return false;
}

static bool is_movable(const NsNode *node)
{
    return node->kind == NS_NODE_NORM && node->sublayer >= 0 && node->place < NS_PLACES_MOVABLE;
}

static int node_of_part(NsDiagramView *view, GtkWidget *part)
{
    guint i;
    if (!part || !g_ptr_array_find(view->parts, part, &i) || i >= view->nodes->len) return -1;
    return (int)g_array_index(view->nodes, unsigned, i);
}

static int focused_node(NsDiagramView *view)
{
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(view));
    return node_of_part(view, root ? gtk_root_get_focus(root) : NULL);
}

static void on_activated(GtkWidget *part, NsDiagramView *view);

static void describe_parts(NsDiagramView *view)
{
    for (guint i = 0; i < view->nodes->len; i++) {
        unsigned node = g_array_index(view->nodes, unsigned, i);
        g_autofree char *name = ns_text_plain(ns_diagram_node(view->diagram, node)->text);
        g_autofree char *reported = ns_diagram_describe_node(view->diagram, node);
        const NsNode *shown = ns_diagram_node(view->diagram, node);
        /* The keys that act there, for people who cannot see it. */
        g_autofree char *hint =
            is_movable(shown)
                ? g_strdup_printf(_("%s Left and Right move this norm, Enter places it."), reported)
            : shown->kind == NS_NODE_BRANCH
                ? g_strdup_printf(
                      _("%s Left and Right choose a place for another norm, Enter adds it."),
                      reported)
                : NULL;
        gtk_accessible_update_property(view->parts->pdata[i], GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                       GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, hint ? hint : reported,
                                       -1);
    }
    g_autofree char *words = ns_diagram_describe(view->diagram);
    gtk_accessible_update_property(GTK_ACCESSIBLE(view), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words,
                                   -1);
    view->reported = g_get_monotonic_time();
}

/* The nodes that can have the focus; how many there are depends on the height, too. */
static void list_nodes(NsDiagramView *view)
{
    const NsNode *node;
    g_array_set_size(view->nodes, 0);
    for (unsigned i = 0; view->diagram && (node = ns_diagram_node(view->diagram, i)); i++)
        if (is_focusable(node)) g_array_append_val(view->nodes, i);
}

/* Makes a part for every node that can have the focus. */
static void sync_parts(NsDiagramView *view)
{
    list_nodes(view);
    while (view->parts->len > view->nodes->len) {
        gtk_widget_unparent(view->parts->pdata[view->parts->len - 1]);
        g_ptr_array_set_size(view->parts, (int)view->parts->len - 1);
    }
    /* The widget of a node for the keyboard and a screen reader draws nothing: the diagram below
     * does. */
    while (view->parts->len < view->nodes->len) {
        GtkWidget *part =
            g_object_new(GTK_TYPE_BUTTON, "css-name", "part", "can-target", FALSE, NULL);
        gtk_widget_set_parent(part, GTK_WIDGET(view));
        g_signal_connect(part, "activate", G_CALLBACK(on_activated), view);
        g_signal_connect_swapped(part, "notify::has-focus", G_CALLBACK(gtk_widget_queue_draw),
                                 view);
        g_ptr_array_add(view->parts, part);
    }
    if (view->diagram) describe_parts(view);
    gtk_widget_queue_allocate(GTK_WIDGET(view));
}

static gboolean on_resized(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    NS_DIAGRAM_VIEW(widget)->resized = 0;
    sync_parts(NS_DIAGRAM_VIEW(widget));
    return G_SOURCE_REMOVE;
}

/* Whether both have the same nodes at the same positions. */
static bool same_nodes(const NsDiagram *a, const NsDiagram *b)
{
    if (a->nodes->len != b->nodes->len) return false;
    for (guint i = 0; i < a->nodes->len; i++) {
        const NsNode *of_a = ns_diagram_node(a, i), *of_b = ns_diagram_node(b, i);
        if (of_a->kind != of_b->kind || of_a->place != of_b->place ||
            of_a->sublayer != of_b->sublayer || of_a->layer != of_b->layer ||
            of_a->box.y != of_b->box.y || !g_str_equal(of_a->text, of_b->text))
            return false;
    }
    return true;
}

/* Makes the diagram of the present data for this size. */
static void build(NsDiagramView *view, int width, int height)
{
    g_clear_pointer(&view->diagram, ns_diagram_free);
    if (!view->data || width <= 2 * MARGIN || height <= 2 * MARGIN) return;
    double least_width, least_height;
    view->style = ns_chart_style_for(GTK_WIDGET(view));
    ns_diagram_least(view->data, view->style->text_size, &least_width, &least_height);
    double scale = MIN((width - 2 * MARGIN) / least_width, (height - 2 * MARGIN) / least_height);
    view->fitted = ns_style_scaled(view->style, CLAMP(scale, SMALLEST, 1));
    view->diagram = ns_diagram_new(view->data, (unsigned)MAX(view->session->view->layer, 0),
                                   width - 2 * MARGIN, height - 2 * MARGIN, view->fitted.text_size);
}

static void rest(NsDiagramView *view)
{
    g_clear_pointer(&view->old, ns_diagram_free);
    g_clear_pointer(&view->old_data, ns_diagram_data_free);
    if (view->tick) gtk_widget_remove_tick_callback(GTK_WIDGET(view), view->tick);
    view->tick = 0;
}

static gboolean on_moving(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    NsDiagramView *view = NS_DIAGRAM_VIEW(widget);
    gtk_widget_queue_draw(widget);
    if (ns_motion(view->moving_since) < 1) return G_SOURCE_CONTINUE;
    view->tick = 0;
    rest(view);
    return G_SOURCE_REMOVE;
}

bool ns_diagram_view_read(NsDiagramView *view)
{
    GtkWidget *widget = GTK_WIDGET(view);
    const NsView *shown = view->session->view;
    const NsSettings *settings = &view->session->experiment.lane[view->lane];
    const char *name = view->session->experiment.n > 1 ? ns_lane_letter(view->lane) : NULL;
    /* Numbers belong to it if the measured model has the wiring that the controls show. */
    bool same_model = view->lane < shown->started.n;
    const NsParam *param;
    for (size_t i = 0; same_model && (param = ns_param(i)); i++)
        same_model = !ns_param_is_of_model(param) ||
                     ns_settings_same(&shown->now.lane[view->lane], settings, param);
    bool measured = same_model && !ns_session_is_watching(view->session);
    NsDiagramData *data = ns_diagram_data_new(
        settings, name, measured ? shown->histories[view->lane] : NULL, shown->step);
    data->pending = !same_model && ns_session_pending(view->session) > 0;
    NsDiagram *before = view->diagram;
    unsigned layer = (unsigned)MAX(view->session->view->layer, 0);
    bool same = view->data && ns_diagram_data_equal(view->data, data) &&
                (!before || before->layer == layer || !layer);
    if (same) {
        ns_diagram_data_free(data);
        return false;
    }
    NsDiagramData *data_before = view->data;
    view->data = data;
    view->diagram = NULL;
    build(view, gtk_widget_get_width(widget), gtk_widget_get_height(widget));
    bool alike = before && view->diagram && same_nodes(before, view->diagram);
    if (view->diagram && !alike) {
        view->hand = ns_diagram_look(view->style, view->flow, view->range);
        sync_parts(view);
        /* The norm that was moved has the focus again. */
        int node = view->sublayer_shown < 0
                       ? -1
                       : ns_diagram_norm_at(view->diagram, view->sublayer_shown, view->place_shown);
        for (guint i = 0; node >= 0 && i < view->nodes->len; i++)
            if ((int)g_array_index(view->nodes, unsigned, i) == node)
                gtk_widget_grab_focus(view->parts->pdata[i]);
        view->sublayer_shown = -1;
    } else if (view->diagram && g_get_monotonic_time() - view->reported > REPORT_US) {
        describe_parts(view);
    }
    if (!view->diagram) list_nodes(view);
    bool moves = before && view->diagram && !alike && before->sublayers == view->diagram->sublayers;
    gint64 now = g_get_monotonic_time();
    if (moves && ns_motion(now) < 1) {
        rest(view);
        view->old = before;
        view->old_data = data_before;
        view->moving_since = now;
        view->tick = gtk_widget_add_tick_callback(widget, on_moving, NULL, NULL);
    } else {
        ns_diagram_free(before);
        ns_diagram_data_free(data_before);
    }
    if (!before) gtk_widget_queue_resize(widget);
    gtk_widget_queue_draw(widget);
    return true;
}

NsRange ns_diagram_view_extent(NsDiagramView *view, NsFlow flow)
{
    if (view->diagram) return ns_diagram_extent(view->diagram, flow);
    if (!view->data) return (NsRange){(double)INFINITY, -(double)INFINITY};
    /* A lane that is not visible has no diagram yet; the numbers do not depend on the size. */
    g_autoptr(NsDiagram) one =
        ns_diagram_new(view->data, (unsigned)MAX(view->session->view->layer, 0), 600, 600, 10);
    return ns_diagram_extent(one, flow);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

void ns_diagram_view_show(NsDiagramView *view, NsFlow flow, NsRange range)
{
    if (view->flow == flow && same_number(view->range.lo, range.lo) &&
        same_number(view->range.hi, range.hi))
        return;
    view->flow = flow;
    view->range = range;
    gtk_widget_queue_draw(GTK_WIDGET(view));
}

void ns_diagram_view_light(NsDiagramView *view, double light, double flash)
{
    if (same_number(view->light, light) && same_number(view->flash, flash)) return;
    view->light = light;
    view->flash = flash;
    gtk_widget_queue_draw(GTK_WIDGET(view));
}

void ns_diagram_view_answer(NsDiagramView *view, const NsAnswer *answer, bool expects)
{
    bool there = answer && view->lane < answer->lanes && answer->n[view->lane] > 0;
    if (!there && !view->read) return;
    GString *lines = g_string_new(there && expects ? _("next:") : NULL);
    for (size_t i = 0; there && expects && i < MIN(answer->n[view->lane], EXPECTED); i++) {
        const NsNextToken *next = &answer->next[view->lane][i];
        g_string_append_printf(lines, "\n%s %.0f %%", next->text, 100 * next->probability);
    }
    g_free(view->read);
    g_free(view->expected);
    view->read = there ? g_strdup(answer->prompt[view->lane]) : NULL;
    view->expected = g_string_free(lines, lines->len == 0);
    gtk_widget_queue_draw(GTK_WIDGET(view));
}

static void ns_diagram_view_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    GTK_WIDGET_CLASS(ns_diagram_view_parent_class)->css_changed(widget, change);
    gtk_widget_queue_resize(widget);
}

/* ---- input ---- */

static void on_activated(GtkWidget *part, NsDiagramView *view)
{
    int i = node_of_part(view, part);
    if (i < 0) return;
    const NsNode *node = ns_diagram_node(view->diagram, (size_t)i);
    if (view->hand.carried)
        ns_diagram_view_let_go(view, true);
    else if (node->kind == NS_NODE_LAYER)
        ns_session_select_layer(view->session, (int)node->layer);
}

static NsPoint inside(double x, double y)
{
    return (NsPoint){x - MARGIN, y - MARGIN};
}

static void on_drag_begin(GtkGestureDrag *drag, double x, double y, NsDiagramView *view)
{
    NsPoint at = inside(x, y);
    bool taken = false;
    if (view->diagram) {
        int i = ns_diagram_node_at(view->diagram, at.x, at.y);
        const NsNode *node = i < 0 ? NULL : ns_diagram_node(view->diagram, (size_t)i);
        const NsBox *tray = &view->diagram->tray;
        if (node && is_movable(node))
            taken = ns_diagram_view_take(view, node->sublayer, (int)node->place);
        else if (at.x >= tray->x && at.x <= tray->x + tray->width && at.y >= tray->y &&
                 at.y <= tray->y + tray->height)
            taken = ns_diagram_view_take(view, -1, -1);
    }
    if (!taken)
        gtk_gesture_set_state(GTK_GESTURE(drag), GTK_EVENT_SEQUENCE_DENIED);
    else
        carry(view, at.x, at.y);
}

static void on_drag_update(GtkGestureDrag *drag, double dx, double dy, NsDiagramView *view)
{
    double x, y;
    if (!gtk_gesture_drag_get_start_point(drag, &x, &y)) return;
    NsPoint at = inside(x + dx, y + dy);
    gtk_gesture_set_state(GTK_GESTURE(drag), GTK_EVENT_SEQUENCE_CLAIMED);
    carry(view, at.x, at.y);
}

static void on_drag_end(NsDiagramView *view)
{
    if (view->hand.carried) ns_diagram_view_let_go(view, true);
}

static void on_drag_cancel(NsDiagramView *view)
{
    if (view->hand.carried) ns_diagram_view_let_go(view, false);
}

static void on_click(NsDiagramView *view, int n, double x, double y)
{
    (void)n;
    if (!view->diagram || view->hand.carried) return;
    NsPoint at = inside(x, y);
    int i = ns_diagram_node_at(view->diagram, at.x, at.y);
    ns_session_set_active(view->session, view->lane);
    if (i < 0) return;
    const NsNode *node = ns_diagram_node(view->diagram, (size_t)i);
    if (node->kind == NS_NODE_LAYER) ns_session_select_layer(view->session, (int)node->layer);
    if (node->kind == NS_NODE_DOTS)
        ns_session_select_layer(view->session, (int)(node->layer + node->last) / 2);
    for (guint k = 0; k < view->nodes->len; k++)
        if ((int)g_array_index(view->nodes, unsigned, k) == i)
            gtk_widget_grab_focus(view->parts->pdata[k]);
}

static void hover(NsDiagramView *view, int node)
{
    if (view->hand.hovered == node) return;
    view->hand.hovered = node;
    gtk_widget_queue_draw(GTK_WIDGET(view));
}

static void on_motion(NsDiagramView *view, double x, double y)
{
    NsPoint at = inside(x, y);
    hover(view, view->diagram ? ns_diagram_node_at(view->diagram, at.x, at.y) : -1);
}

static void on_leave(NsDiagramView *view)
{
    hover(view, -1);
}

static gboolean on_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip,
                           gpointer data)
{
    (void)data;
    NsDiagramView *view = NS_DIAGRAM_VIEW(widget);
    if (!view->diagram) return FALSE;
    NsPoint at = inside(x, y);
    int node = keyboard ? focused_node(view) : ns_diagram_node_at(view->diagram, at.x, at.y);
    int wire = keyboard ? -1 : ns_diagram_wire_at(view->diagram, at.x, at.y, REACH);
    if (node < 0 && wire < 0) return FALSE;
    g_autofree char *words =
        node >= 0 ? ns_diagram_describe_node(view->diagram, (size_t)node)
                  : ns_diagram_describe_wire(view->diagram, (size_t)wire, view->flow);
    g_autofree char *markup = ns_text_markup(words, 13);
    gtk_tooltip_set_markup(tooltip, markup);
    return TRUE;
}

/* Left and Right take up a norm, on a branch a spare one for it, and then move it on. */
static bool move_focused(NsDiagramView *view, int by)
{
    int i = focused_node(view);
    const NsNode *node = i < 0 ? NULL : ns_diagram_node(view->diagram, (size_t)i);
    bool branch = node && node->kind == NS_NODE_BRANCH;
    if (!node || !(branch || is_movable(node))) return false;
    int place = branch ? -1 : (int)node->place;
    if (!view->hand.carried && !ns_diagram_view_take(view, node->sublayer, place)) return false;
    const NsDiagramLook *hand = &view->hand;
    const int places = NS_PLACES_MOVABLE + 1; /* the tray is the last node */
    int at = hand->aim < 0 ? NS_PLACES_MOVABLE : hand->aim, aim = -1;
    bool legal = false;
    for (int k = 0; k < places && !legal; k++) {
        at = (at + by + places) % places;
        aim = at == NS_PLACES_MOVABLE ? -1 : at;
        legal = aim == hand->carried_from ||
                ns_diagram_moved(view->diagram, hand->sublayer, hand->carried_from, aim);
    }
    if (legal) aim_at(view, hand->sublayer, aim);
    return true;
}

bool ns_diagram_view_walk(NsDiagramView *view, int by)
{
    if (!view->diagram) return false;
    int layer = (int)view->diagram->layer + by;
    ns_session_select_layer(view->session, CLAMP(layer, 1, (int)view->diagram->layers));
    return true;
}

static gboolean on_key(NsDiagramView *view, guint key, guint code, GdkModifierType state)
{
    (void)code;
    if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SHIFT_MASK)) return FALSE;
    switch (key) {
    case GDK_KEY_Up:
        return ns_diagram_view_walk(view, 1);
    case GDK_KEY_Down:
        return ns_diagram_view_walk(view, -1);
    case GDK_KEY_Left:
        return move_focused(view, -1);
    case GDK_KEY_Right:
        return move_focused(view, 1);
    case GDK_KEY_Escape:
        if (!view->hand.carried) return FALSE;
        ns_diagram_view_let_go(view, false);
        return TRUE;
    default:
        return FALSE;
    }
}

/* ---- the widget ---- */

static void ns_diagram_view_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    NsDiagramView *view = NS_DIAGRAM_VIEW(widget);
    if (!view->diagram) return;
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    NsDiagramLook look = view->hand;
    look.style = &view->fitted;
    look.flow = view->flow;
    look.range = view->range;
    /* In class mode text must be readable from the back row. */
    double least = ns_text_scale(GTK_WIDGET(view)) > 1 ? 1 : LEAST_WORD;
    look.least = MIN(least * view->style->text_size, GROWS * view->fitted.text_size);
    look.from = view->old;
    look.moved = view->old ? ns_motion(view->moving_since) : 1;
    look.light = view->light;
    look.flash = view->flash;
    look.read = view->read;
    look.expected = view->expected;
    const NsSettings *settings = &view->data->settings;
    look.tray = !ns_settings_are_mixed(settings) &&
                ns_norm_kind(settings, ns_placement_at(settings, 0, 1)) != NULL;
    GtkRoot *root = gtk_widget_get_root(widget);
    bool visible = GTK_IS_WINDOW(root) && gtk_window_get_focus_visible(GTK_WINDOW(root));
    look.focused = visible ? focused_node(view) : -1;
    cairo_t *cr =
        gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    cairo_translate(cr, MARGIN, MARGIN);
    ns_diagram_draw(view->diagram, &look, cr);
    cairo_destroy(cr);
}

static void ns_diagram_view_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                    int *minimum, int *natural, int *minimum_baseline,
                                    int *natural_baseline)
{
    (void)for_size;
    NsDiagramView *view = NS_DIAGRAM_VIEW(widget);
    double width = 100, height = 100;
    if (view->data)
        ns_diagram_least(view->data, ns_chart_style_for(widget)->text_size, &width, &height);
    double least = orientation == GTK_ORIENTATION_HORIZONTAL ? width : height;
    *minimum = (int)ceil(SMALLEST * least) + 2 * MARGIN;
    *natural = (int)ceil(least) + 2 * MARGIN;
    *minimum_baseline = *natural_baseline = -1;
}

static void ns_diagram_view_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    (void)baseline;
    NsDiagramView *view = NS_DIAGRAM_VIEW(widget);
    bool same = view->diagram && view->diagram->width == width - 2 * MARGIN &&
                view->diagram->height == height - 2 * MARGIN &&
                view->style == ns_chart_style_for(widget);
    if (!same) {
        rest(view);
        build(view, width, height);
        /* Assigns the present parts to the nodes of a new size.  Children must not be added or
         * removed while sizes are allocated, since their ancestors would never get a size; the next
         * frame does that. */
        list_nodes(view);
        g_array_set_size(view->nodes, MIN(view->nodes->len, view->parts->len));
        if (!view->resized)
            view->resized = gtk_widget_add_tick_callback(GTK_WIDGET(view), on_resized, NULL, NULL);
    }
    for (guint i = 0; i < view->parts->len; i++) {
        GtkAllocation place = {0, 0, 1, 1};
        if (i < view->nodes->len) {
            unsigned node = g_array_index(view->nodes, unsigned, i);
            const NsBox *box = &ns_diagram_node(view->diagram, node)->box;
            place = (GtkAllocation){MARGIN + (int)box->x, MARGIN + (int)box->y,
                                    MAX(1, (int)box->width), MAX(1, (int)box->height)};
        }
        gtk_widget_size_allocate(view->parts->pdata[i], &place, -1);
    }
}

static void ns_diagram_view_dispose(GObject *object)
{
    NsDiagramView *view = NS_DIAGRAM_VIEW(object);
    rest(view);
    g_ptr_array_set_size(view->parts, 0);
    GtkWidget *child;
    while ((child = gtk_widget_get_first_child(GTK_WIDGET(view)))) gtk_widget_unparent(child);
    G_OBJECT_CLASS(ns_diagram_view_parent_class)->dispose(object);
}

static void ns_diagram_view_finalize(GObject *object)
{
    NsDiagramView *view = NS_DIAGRAM_VIEW(object);
    ns_diagram_free(view->diagram);
    ns_diagram_data_free(view->data);
    g_free(view->read);
    g_free(view->expected);
    g_ptr_array_unref(view->parts);
    g_array_unref(view->nodes);
    G_OBJECT_CLASS(ns_diagram_view_parent_class)->finalize(object);
}

static void ns_diagram_view_class_init(NsDiagramViewClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->dispose = ns_diagram_view_dispose;
    G_OBJECT_CLASS(klass)->finalize = ns_diagram_view_finalize;
    widget_class->snapshot = ns_diagram_view_snapshot;
    widget_class->css_changed = ns_diagram_view_css_changed;
    widget_class->measure = ns_diagram_view_measure;
    widget_class->size_allocate = ns_diagram_view_size_allocate;
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
    gtk_widget_class_set_css_name(widget_class, "diagram");
}

static void ns_diagram_view_init(NsDiagramView *view)
{
    GtkWidget *widget = GTK_WIDGET(view);
    view->parts = g_ptr_array_new();
    view->nodes = g_array_new(FALSE, FALSE, sizeof(unsigned));
    view->hand = ns_diagram_look(NULL, NS_FLOW_SIGNAL, (NsRange){1, 0});
    view->light = NAN;
    view->sublayer_shown = -1;
    gtk_widget_set_hexpand(widget, TRUE);
    gtk_widget_set_vexpand(widget, TRUE);
    gtk_widget_set_has_tooltip(widget, TRUE);
    g_signal_connect(widget, "query-tooltip", G_CALLBACK(on_tooltip), NULL);
    GtkGesture *drag = gtk_gesture_drag_new();
    g_signal_connect(drag, "drag-begin", G_CALLBACK(on_drag_begin), view);
    g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), view);
    g_signal_connect_swapped(drag, "drag-end", G_CALLBACK(on_drag_end), view);
    g_signal_connect_swapped(drag, "cancel", G_CALLBACK(on_drag_cancel), view);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(drag));
    GtkGesture *click = gtk_gesture_click_new();
    g_signal_connect_swapped(click, "released", G_CALLBACK(on_click), view);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(click));
    GtkEventController *motion = gtk_event_controller_motion_new();
    g_signal_connect_swapped(motion, "motion", G_CALLBACK(on_motion), view);
    g_signal_connect_swapped(motion, "leave", G_CALLBACK(on_leave), view);
    gtk_widget_add_controller(widget, motion);
    ns_connect_keys(widget, G_CALLBACK(on_key), view);
}

GtkWidget *ns_diagram_view_new(NsSession *session, size_t lane)
{
    NsDiagramView *view = g_object_new(NS_TYPE_DIAGRAM_VIEW, NULL);
    view->session = ns_session_hold(session, view);
    view->lane = lane;
    g_autofree char *label =
        g_strdup_printf(_("Diagram of a layer of lane %s"), ns_lane_letter(lane));
    ns_accessible_name(GTK_WIDGET(view), label);
    return GTK_WIDGET(view);
}
