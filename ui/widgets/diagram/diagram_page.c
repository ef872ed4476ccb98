/* The page Diagram.  SPDX-License-Identifier: MIT */
#include "ui/widgets/diagram/diagram_page.h"
#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/widgets/charts/tile_controls.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"

#include <gtk/gtk.h>
#include <math.h>

#define LANE 300 /* minimum width in pixels if there are several */
#define GAP 12
#define EVERY_US 100000 /* while running: numbers that change faster cannot be read */
#define MARGIN 10

static void page_init(NsPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE(NsDiagramPage, ns_diagram_page, GTK_TYPE_BOX,
                              G_IMPLEMENT_INTERFACE(NS_TYPE_PAGE, page_init))

NsFlow ns_diagram_page_flow(NsDiagramPage *page)
{
    NsStage stage;
    double progress;
    if (!ns_session_stage(page->session, &stage, &progress)) return page->chosen;
    return stage == NS_STAGE_FORWARD || stage == NS_STAGE_LOSS ? NS_FLOW_SIGNAL : NS_FLOW_GRADIENT;
}

/* ---- Lanes side by side where there is space, otherwise the active one ---- */

static void measure_lanes(GtkWidget *lanes, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
    (void)for_size;
    int least = 0, one;
    for (GtkWidget *child = gtk_widget_get_first_child(lanes); child;
         child = gtk_widget_get_next_sibling(child)) {
        gtk_widget_measure(child, orientation, -1, &one, NULL, NULL, NULL);
        least = MAX(least, one);
    }
    *minimum = *natural = least;
    *minimum_baseline = *natural_baseline = -1;
}

static void show_tabs(NsDiagramPage *page)
{
    gtk_widget_set_visible(page->tabs, page->n > 1 && !page->abreast);
}

static gboolean on_folded(GtkWidget *page, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    NS_DIAGRAM_PAGE(page)->folding = 0;
    show_tabs(NS_DIAGRAM_PAGE(page));
    return G_SOURCE_REMOVE;
}

static void allocate_lanes(GtkWidget *lanes, int width, int height, int baseline)
{
    NsDiagramPage *page = NS_DIAGRAM_PAGE(gtk_widget_get_ancestor(lanes, NS_TYPE_DIAGRAM_PAGE));
    int n = (int)page->n, least;
    gtk_widget_measure(lanes, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    int each = (width - (n - 1) * GAP) / MAX(n, 1);
    bool abreast = n <= 1 || each >= MAX(LANE, least);
    /* The visibility of widgets must not change while sizes are allocated. */
    if (abreast != page->abreast && !page->folding)
        page->folding = gtk_widget_add_tick_callback(GTK_WIDGET(page), on_folded, NULL, NULL);
    page->abreast = abreast;
    for (int i = 0; i < n; i++) {
        bool shown = abreast || i == (int)page->active;
        gtk_widget_set_child_visible(page->views[i], shown);
        GtkAllocation place = {abreast ? i * (each + GAP) : 0, 0, abreast ? each : width, height};
        if (shown) gtk_widget_size_allocate(page->views[i], &place, baseline);
    }
}

static void sync_lanes(NsDiagramPage *page)
{
    size_t n = page->session->experiment.n, active = page->session->active;
    for (; page->n < n; page->n++) {
        GtkWidget *view = ns_diagram_view_new(page->session, page->n);
        gtk_box_append(GTK_BOX(page->lanes), view);
        page->views[page->n] = view;
    }
    for (; page->n > n; page->n--)
        gtk_box_remove(GTK_BOX(page->lanes), g_steal_pointer(&page->views[page->n - 1]));
    if (page->active != active) gtk_widget_queue_allocate(page->lanes);
    page->active = active;
    show_tabs(page);
}

/* ---- What is seen ---- */

static void show_range(NsDiagramPage *page)
{
    NsFlow flow = ns_diagram_page_flow(page);
    NsRange range = {INFINITY, -INFINITY};
    for (size_t i = 0; i < page->n; i++) {
        NsRange one = ns_diagram_view_extent(NS_DIAGRAM_VIEW(page->views[i]), flow);
        range.lo = MIN(range.lo, one.lo);
        range.hi = MAX(range.hi, one.hi);
    }
    page->range = range;
    for (size_t i = 0; i < page->n; i++)
        ns_diagram_view_show(NS_DIAGRAM_VIEW(page->views[i]), flow, range);
    gtk_widget_queue_draw(page->legend);
}

static void on_answer(GObject *session, GAsyncResult *result, gpointer data)
{
    (void)session;
    g_autoptr(NsDiagramPage) page = data;
    g_free(page->answer);
    page->answer = g_task_propagate_pointer(G_TASK(result), NULL);
}

/* The stages of slow motion are those of the run, which does not train this model yet. */
static bool waits(GtkWidget *view)
{
    const NsDiagramData *data = NS_DIAGRAM_VIEW(view)->data;
    return data && data->pending;
}

/* Each step of slow motion reads one token more of a line of the text. */
static void show_answer(NsDiagramPage *page, bool slow, NsStage stage)
{
    int64_t step = ns_session_shown_step(page->session);
    if (!slow)
        page->asked = -1;
    else if (stage == NS_STAGE_FORWARD && page->asked != step) {
        page->asked = step;
        ns_session_ask(page->session, NULL, on_answer, g_object_ref(page));
    }
    bool present = slow && page->answer && page->answer->step == page->asked;
    for (size_t i = 0; i < page->n; i++)
        ns_diagram_view_answer(NS_DIAGRAM_VIEW(page->views[i]),
                               present && !waits(page->views[i]) ? page->answer : NULL,
                               stage != NS_STAGE_FORWARD);
}

static void show_stage(NsDiagramPage *page)
{
    NsStage stage = NS_STAGE_FORWARD;
    double progress, light = NAN, flash = 0;
    bool slow = ns_session_stage(page->session, &stage, &progress);
    const char *sentence =
        ns_session_pending(page->session) ? _("With the pending changes, not measured yet.") : "";
    if (slow) switch (stage) {
        case NS_STAGE_FORWARD:
            light = progress;
            sentence = _("Forward: the signal runs up through the layers.");
            break;
        case NS_STAGE_LOSS:
            light = 1;
            sentence = _("Loss: the prediction is compared with the targets.");
            break;
        case NS_STAGE_BACKWARD:
            light = 1 - progress;
            sentence = _("Backward: the gradient runs down to the embedding.");
            break;
        case NS_STAGE_UPDATE:
            flash = sin(G_PI * progress);
            sentence = _("Update: the width of a frame is the update-to-weight ratio.");
            break;
        }
    ns_text_label_set(page->words, sentence);
    /* The stage decides what the wires show, and the switch says it. */
    for (int i = 0; i < NS_FLOWS; i++) gtk_widget_set_sensitive(page->flow[i], !slow);
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(page->flow[ns_diagram_page_flow(page)]), TRUE);
    show_answer(page, slow, stage);
    for (size_t i = 0; i < page->n; i++) {
        bool still = waits(page->views[i]);
        ns_diagram_view_light(NS_DIAGRAM_VIEW(page->views[i]), still ? (double)NAN : light,
                              still ? 0 : flash);
    }
}

static NsDiagramView *active_view(NsDiagramPage *page)
{
    return NS_DIAGRAM_VIEW(page->views[MIN(page->session->active, page->n - 1)]);
}

static bool page_refresh(NsPage *self)
{
    NsDiagramPage *page = NS_DIAGRAM_PAGE(self);
    NsStage stage;
    double progress;
    gint64 now = g_get_monotonic_time();
    bool slow = ns_session_stage(page->session, &stage, &progress), behind = page->due;
    if (now - page->refreshed >= EVERY_US || page->due) {
        page->refreshed = now;
        page->due = false;
        behind = false;
        sync_lanes(page);
        for (size_t i = 0; i < page->n; i++) {
            ns_diagram_view_read(NS_DIAGRAM_VIEW(page->views[i]));
            /* Nothing is visible before the page has a size. */
            behind |= !NS_DIAGRAM_VIEW(page->views[i])->diagram &&
                      gtk_widget_get_child_visible(page->views[i]);
        }
        const NsDiagram *shown = active_view(page)->diagram;
        if (shown) {
            g_autofree char *at = ns_group_digits(shown->layer);
            g_autofree char *of = ns_group_digits((int64_t)shown->layers);
            g_autofree char *words = g_strdup_printf(_("Layer %s of %s"), at, of);
            NsHistory *history = page->session->view->history;
            size_t seeds = history ? ns_history_seeds(history) : 1;
            g_autofree char *first = g_strdup_printf(_("%s, seed 1 of %zu"), words, seeds);
            ns_text_label_set(page->layer, seeds > 1 ? first : words);
        }
    } else {
        behind = true;
    }
    show_range(page);
    show_stage(page);
    return behind || slow;
}

static void on_change(NsDiagramPage *page)
{
    page->due = true;
}

static void ns_diagram_page_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    double legend = ns_diagram_legend_height(ns_chart_style_for(widget));
    GTK_WIDGET_CLASS(ns_diagram_page_parent_class)->css_changed(widget, change);
    gtk_widget_set_size_request(NS_DIAGRAM_PAGE(widget)->legend, -1, (int)ceil(legend));
    gtk_widget_queue_draw(widget);
}

static NsChartTile *page_current(NsPage *self)
{
    NsDiagramPage *page = NS_DIAGRAM_PAGE(self);
    NsChartTile *tile = NS_CHART_TILE(page->tile);
    const char *key = ns_diagram_page_flow(page) == NS_FLOW_SIGNAL ? "diagram" : "diagram-gradient";
    ns_chart_tile_set_kind(tile, ns_figure_find(key));
    NsFigureInput input = ns_chart_tile_input(tile);
    ns_chart_view_update(tile->chart, &input);
    return tile;
}

static bool page_back(NsPage *self)
{
    NsDiagramPage *page = NS_DIAGRAM_PAGE(self);
    for (size_t i = 0; i < page->n; i++)
        if (NS_DIAGRAM_VIEW(page->views[i])->hand.carried) {
            ns_diagram_view_let_go(NS_DIAGRAM_VIEW(page->views[i]), false);
            return true;
        }
    if (page->session->view->layer == 0) return false;
    ns_session_select_layer(page->session, 0);
    return true;
}

static void page_init(NsPageInterface *iface)
{
    iface->refresh = page_refresh;
    iface->current = page_current;
    iface->back = page_back;
}

/* ---- the widget ---- */

static void draw_legend(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
    NsDiagramPage *page = data;
    const NsStyle *style = ns_chart_style_for(GTK_WIDGET(area));
    NsDiagramLook look = ns_diagram_look(style, ns_diagram_page_flow(page), page->range);
    look.least = ns_text_scale(GTK_WIDGET(page)) > 1 ? style->text_size : 0;
    cairo_translate(cr, MARGIN, 0);
    ns_diagram_draw_legend(&look, width - 2 * MARGIN, height, cr);
}

static void on_flow(GtkToggleButton *toggle, NsDiagramPage *page)
{
    if (!gtk_toggle_button_get_active(toggle) || !gtk_widget_get_sensitive(GTK_WIDGET(toggle)))
        return;
    page->chosen =
        GTK_WIDGET(toggle) == page->flow[NS_FLOW_GRADIENT] ? NS_FLOW_GRADIENT : NS_FLOW_SIGNAL;
    show_range(page);
}

void ns_diagram_page_set_flow(NsDiagramPage *page, NsFlow flow)
{
    page->chosen = flow;
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(page->flow[ns_diagram_page_flow(page)]), TRUE);
}

static void on_walk(NsDiagramPage *page, GtkWidget *button)
{
    ns_diagram_view_walk(active_view(page), button == page->above ? 1 : -1);
}

static GtkWidget *new_button(const char *icon, const char *words, NsDiagramPage *page)
{
    GtkWidget *button = gtk_button_new_from_icon_name(icon);
    ns_accessible_tooltip(button, words);
    g_signal_connect_swapped(button, "clicked", G_CALLBACK(on_walk), page);
    return button;
}

static GtkWidget *new_bar(NsDiagramPage *page)
{
    GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *flow = ns_linked_new(), *layer = ns_linked_new();
    gtk_widget_add_css_class(bar, "bar");
    gtk_widget_set_margin_start(bar, MARGIN);
    gtk_widget_set_margin_end(bar, MARGIN);
    gtk_widget_set_margin_top(bar, 6);
    page->flow[NS_FLOW_SIGNAL] =
        ns_add_toggle(flow, NULL, _("Signal"), _("Wires show the norm of the hidden state."));
    page->flow[NS_FLOW_GRADIENT] =
        ns_add_toggle(flow, page->flow[NS_FLOW_SIGNAL], _("Gradient"),
                      _("Wires show the norm of the gradient of the loss, which runs down."));
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(page->flow[NS_FLOW_SIGNAL]), TRUE);
    for (int i = 0; i < NS_FLOWS; i++)
        g_signal_connect(page->flow[i], "toggled", G_CALLBACK(on_flow), page);
    page->above = new_button("go-up-symbolic", _("The layer above"), page);
    ns_box_append(layer, new_button("go-down-symbolic", _("The layer below"), page), page->above,
                  NULL);
    page->layer = ns_line_label_new("", "numeric");
    page->words = ns_text_label_new("", "hint");
    gtk_label_set_lines(GTK_LABEL(page->words), 2);
    gtk_label_set_ellipsize(GTK_LABEL(page->words), PANGO_ELLIPSIZE_END);
    gtk_widget_set_hexpand(page->words, TRUE);
    GtkWidget *slow = gtk_toggle_button_new_with_label(_("Slow motion"));
    gtk_widget_add_css_class(slow, "choice");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(slow), "win.slow-motion");
    ns_box_append(bar, flow, slow, layer, page->layer, page->words, NULL);
    return bar;
}

/* The background of charts, for which the colors of wires are chosen. */
static void ns_diagram_page_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    NsColor c = ns_chart_style_for(widget)->background;
    GdkRGBA color = {(float)c.r, (float)c.g, (float)c.b, 1};
    gtk_snapshot_append_color(snapshot, &color,
                              &GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(widget),
                                                  (float)gtk_widget_get_height(widget)));
    GTK_WIDGET_CLASS(ns_diagram_page_parent_class)->snapshot(widget, snapshot);
}

static void ns_diagram_page_finalize(GObject *object)
{
    g_free(NS_DIAGRAM_PAGE(object)->answer);
    G_OBJECT_CLASS(ns_diagram_page_parent_class)->finalize(object);
}

static void ns_diagram_page_class_init(NsDiagramPageClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->finalize = ns_diagram_page_finalize;
    widget_class->snapshot = ns_diagram_page_snapshot;
    widget_class->css_changed = ns_diagram_page_css_changed;
    gtk_widget_class_set_css_name(widget_class, "diagram-page");
}

static void ns_diagram_page_init(NsDiagramPage *page)
{
    page->range = (NsRange){1, 0};
    page->due = page->abreast = true;
    gtk_widget_set_overflow(GTK_WIDGET(page), GTK_OVERFLOW_HIDDEN); /* its corners are round */
    page->lanes = g_object_new(GTK_TYPE_BOX, "hexpand", TRUE, "vexpand", TRUE, NULL);
    gtk_widget_set_layout_manager(page->lanes,
                                  gtk_custom_layout_new(NULL, measure_lanes, allocate_lanes));
    page->legend = gtk_drawing_area_new();
    gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(page->legend), draw_legend, page, NULL);
    /* In a low window the diagrams scroll, and what is above and below them stays in view. */
    ns_box_append(GTK_WIDGET(page), new_bar(page), ns_scrolled_new(page->lanes), NULL);
    /* Below the diagrams: what their colors mean, and which of them is active. */
    GtkWidget *foot = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    gtk_widget_set_margin_end(foot, MARGIN);
    gtk_widget_set_hexpand(page->legend, TRUE);
    gtk_box_append(GTK_BOX(foot), page->legend);
    gtk_box_append(GTK_BOX(page), foot);
}

GtkWidget *ns_diagram_page_new(NsSession *session)
{
    NsDiagramPage *page =
        g_object_new(NS_TYPE_DIAGRAM_PAGE, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
    page->session = ns_session_hold(session, page);
    page->tabs = ns_lane_tabs_new(session);
    gtk_box_append(GTK_BOX(gtk_widget_get_parent(page->legend)), page->tabs);
    const NsFigureSpec diagram = ns_figure_spec(ns_figure_find("diagram"));
    page->tile = ns_chart_tile_new(session, &diagram, -1);
    gtk_box_append(GTK_BOX(page), page->tile);
    ns_hide(page->tile, NS_HIDDEN_USELESS, true);
    ns_session_listen(session, "settings-changed", G_CALLBACK(on_change), page);
    ns_session_listen(session, "status-changed", G_CALLBACK(on_change), page);
    ns_session_listen(session, "view-changed", G_CALLBACK(on_change), page);
    sync_lanes(page);
    return GTK_WIDGET(page);
}
