/* Charts of a session, one or two of them large.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/dashboard.h"

#include "ui/widgets/charts/tile_controls.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"

#include <math.h>

#define GAP 8
#define ALONGSIDE_FROM 520 /* width in pixels from which thumbnails are beside the stage */
/* The least side of the chart of each lane, in pixels: of its plot, and of the words around it. */
#define ABREAST_PLOT 230
#define ABREAST_WORDS 95

/* The least width, and the least height, of each of two large charts, in pixels; the legend of more
 * than two lanes has lines of its own. */
#define TWO_ACROSS 320
#define TWO_DOWN 300
#define TWO_DOWN_LEGEND 50
#define TALL 1.2 /* a ratio of height to width that is too large for a square */

/* Width of a thumbnail as a share of the dashboard, and ratio of its height to its width. */
#define THUMBNAIL_SHARE 0.18
#define LONE_SHARE 0.3 /* of one thumbnail beside one large chart */
#define THUMBNAIL_LEAST 128
#define THUMBNAIL_MOST 340
#define THUMBNAIL_TALLEST 2.5
/* Its height below the stage, for text of normal size: with and without numbers at its axes. */
#define THUMBNAIL_BELOW 152
#define THUMBNAIL_LOW 100

#define FRAME_BUDGET_MS 8.0   /* milliseconds per frame for drawing, of 16 */
#define REDRAW_EVERY_US 33000 /* of one chart */
#define THUMBNAIL_EVERY_US 200000
#define DESCRIBE_EVERY_US G_USEC_PER_SEC

typedef struct {
    NsChartTile *tile;
    bool stale;     /* the view was changed */
    gint64 redrawn; /* when it last showed something new */
    gint64 described;
    double pinned;            /* abscissa of its newest pin; NaN for none */
    bool cross;               /* it is there for cross-attention */
    NsQuantity wanted, found; /* its quantity by layer, and the one that a log has instead */
} Slot;

static void implement_page(NsPageInterface *page);

G_DEFINE_FINAL_TYPE_WITH_CODE(NsDashboard, ns_dashboard, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(NS_TYPE_PAGE, implement_page))

static Slot *slot_at(NsDashboard *dashboard, guint i)
{
    return &g_array_index(dashboard->slots, Slot, i);
}

/* Whether a tile has something to show.  The tile of a missing lane, and that of cross-attention
 * without an encoder-decoder, are hidden; a tile covered by a maximized one is not. */
static bool is_there(NsDashboard *dashboard, guint i)
{
    return gtk_widget_get_visible(GTK_WIDGET(slot_at(dashboard, i)->tile));
}

static bool is_kind(const Slot *slot, const char *key)
{
    return g_str_equal(slot->tile->own.kind->choice.key, key);
}

static int tiles_there(NsDashboard *dashboard)
{
    int n = 0;
    for (guint i = 0; i < dashboard->slots->len; i++) n += is_there(dashboard, i);
    return MAX(n, 1);
}

/* The tile on the stage or, where its lane is gone, the first that has something to show. */
static guint stage_of(NsDashboard *dashboard)
{
    guint i = is_there(dashboard, dashboard->stage) ? dashboard->stage : 0;
    while (i + 1 < dashboard->slots->len && !is_there(dashboard, i)) i++;
    return i;
}

/* The second large tile or, where that is hidden, the first other one. */
static guint second_of(NsDashboard *dashboard)
{
    guint i = dashboard->second;
    if (is_there(dashboard, i)) return i;
    for (i = 0; i + 1 < dashboard->slots->len; i++)
        if (is_there(dashboard, i) && i != stage_of(dashboard)) break;
    return i;
}

static bool is_large(NsDashboard *dashboard, guint i)
{
    return i == stage_of(dashboard) || (dashboard->two && i == second_of(dashboard));
}

static bool has_thumbnails(NsDashboard *dashboard)
{
    return !dashboard->maximized && !dashboard->abreast && tiles_there(dashboard) > 1;
}

static void sync_compact(NsDashboard *dashboard)
{
    bool thumbnails = has_thumbnails(dashboard);
    for (guint i = 0; i < dashboard->slots->len; i++) {
        Slot *slot = slot_at(dashboard, i);
        ns_chart_tile_set_compact(slot->tile, thumbnails && !is_large(dashboard, i));
        slot->stale = true;
    }
    gtk_widget_queue_resize(GTK_WIDGET(dashboard));
}

static double least_height(NsDashboard *dashboard)
{
    int legend = dashboard->session->view->started.n > 2 ? TWO_DOWN_LEGEND : 0;
    return (TWO_DOWN + legend) * ns_text_scale(GTK_WIDGET(dashboard));
}

/* The height of a thumbnail below a stage, of which a large chart gets its part first. */
static int thumbnail_below(NsDashboard *dashboard, int height)
{
    double scale = ns_text_scale(GTK_WIDGET(dashboard)), tall = THUMBNAIL_BELOW * scale;
    bool fits = height - 3 * GAP - tall >= least_height(dashboard);
    return (int)(fits ? tall : THUMBNAIL_LOW * scale);
}

static GtkSizeRequestMode ns_dashboard_get_request_mode(GtkWidget *widget)
{
    (void)widget;
    return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* The minimum size of the stage; thumbnails need less, and are below it in a narrow window. */
static void ns_dashboard_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                 int *minimum, int *natural, int *minimum_baseline,
                                 int *natural_baseline)
{
    NsDashboard *dashboard = NS_DASHBOARD(widget);
    *minimum_baseline = *natural_baseline = -1;
    *minimum = 0;
    for (guint i = 0; i < dashboard->slots->len; i++) {
        int least = 0;
        gtk_widget_measure(GTK_WIDGET(slot_at(dashboard, i)->tile), orientation, -1, &least, NULL,
                           NULL, NULL);
        *minimum = MAX(*minimum, least);
    }
    *minimum += 2 * GAP;
    bool below = orientation == GTK_ORIENTATION_VERTICAL && for_size < ALONGSIDE_FROM;
    if (below && has_thumbnails(dashboard)) *minimum += thumbnail_below(dashboard, 0) + GAP;
    *natural = *minimum;
}

static void place(GtkWidget *tile, int x, int y, int width, int height)
{
    gtk_widget_size_allocate(tile, &(GtkAllocation){x, y, MAX(width, 1), MAX(height, 1)}, -1);
}

/* The area of the large charts; the rest has thumbnails of `across` by `down` pixels. */
typedef struct {
    bool alongside;
    bool row; /* two large charts fit in a row; otherwise in a column, or not at all */
    int across, down, width, height;
} Stage;

static Stage area(NsDashboard *dashboard, int large, int width, int height, bool alongside)
{
    int thumbnails = tiles_there(dashboard) - large;
    double share = thumbnails == 1 && large == 1 ? LONE_SHARE : THUMBNAIL_SHARE;
    Stage s = {.alongside = alongside};
    double least = THUMBNAIL_LEAST * ns_widget_text_scale(GTK_WIDGET(dashboard));
    s.across = s.alongside ? (int)CLAMP(share * width, least, THUMBNAIL_MOST)
                           : (width - GAP) / thumbnails - GAP;
    s.down = s.alongside
                 ? MIN((height - GAP) / thumbnails - GAP, (int)(THUMBNAIL_TALLEST * s.across))
                 : thumbnail_below(dashboard, height);
    s.width = width - 2 * GAP - (s.alongside ? s.across + GAP : 0);
    s.height = height - 2 * GAP - (s.alongside ? 0 : s.down + GAP);
    s.row = s.width >= 2 * TWO_ACROSS * ns_text_scale(GTK_WIDGET(dashboard)) + GAP;
    return s;
}

/* Thumbnails are below where two large charts are in a row only without them. */
static Stage stage_area(NsDashboard *dashboard, int large, int width, int height)
{
    Stage s = area(dashboard, large, width, height, width >= ALONGSIDE_FROM);
    if (large == 1 || s.row) return s;
    Stage below = area(dashboard, large, width, height, false);
    return below.row && below.height >= least_height(dashboard) ? below : s;
}

static int columns_of(int charts)
{
    return charts > 4 ? 3 : MIN(charts, 2);
}

/* Whether there are charts of several lanes, and all charts of the page fit. */
static bool lanes_fit(NsDashboard *dashboard, int width, int height)
{
    bool several = dashboard->by_lane && dashboard->session->view->started.n > 1;
    int n = tiles_there(dashboard), columns = columns_of(n), rows = (n + columns - 1) / columns;
    /* The legend of more than two lanes has lines of its own. */
    double words = ABREAST_WORDS + (columns > 2 ? TWO_DOWN_LEGEND : 0);
    double least = ABREAST_PLOT + words * ns_text_scale(GTK_WIDGET(dashboard));
    return several && width / columns >= least && height / rows >= least;
}

/* Whether two large charts fit, in a row or in a column.  An attention map is square: in a tall
 * half of a row most of its height would be empty. */
static bool two_fit(NsDashboard *dashboard, int width, int height)
{
    if (tiles_there(dashboard) < 3 || lanes_fit(dashboard, width, height)) return false;
    Stage s = stage_area(dashboard, 2, width, height);
    bool map = ns_dashboard_stage(dashboard)->own.kind->subject == NS_SUBJECT_PLACE;
    if (s.row && map && s.height > TALL * s.width / 2) return false;
    return s.row || (s.alongside && s.height >= 2 * least_height(dashboard) + GAP);
}

static void place_stage(NsDashboard *dashboard, int width, int height)
{
    int large = dashboard->two ? 2 : 1, at = 0, at_large = 0;
    Stage s = stage_area(dashboard, large, width, height);
    int large_width = s.row ? (s.width + GAP) / large - GAP : s.width;
    int large_height = s.row ? s.height : (s.height + GAP) / large - GAP;
    for (guint i = 0; i < dashboard->slots->len; i++) {
        GtkWidget *tile = GTK_WIDGET(slot_at(dashboard, i)->tile);
        if (!is_there(dashboard, i)) continue;
        if (is_large(dashboard, i)) {
            place(tile, GAP + (s.row ? at_large * (large_width + GAP) : 0),
                  GAP + (s.row ? 0 : at_large * (large_height + GAP)), large_width, large_height);
            at_large++;
            continue;
        }
        if (s.alongside)
            place(tile, s.width + 2 * GAP, GAP + at * (s.down + GAP), s.across, s.down);
        else
            place(tile, GAP + at * (s.across + GAP), s.height + 2 * GAP, s.across, s.down);
        at++;
    }
}

static gboolean arrange(gpointer data)
{
    NsDashboard *dashboard = data;
    int width = gtk_widget_get_width(data), height = gtk_widget_get_height(data);
    dashboard->arranging = 0;
    dashboard->abreast = lanes_fit(dashboard, width, height);
    dashboard->two = two_fit(dashboard, width, height);
    sync_compact(dashboard);
    ns_page_refresh(NS_PAGE(dashboard));
    return G_SOURCE_REMOVE;
}

static void ns_dashboard_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    NsDashboard *dashboard = NS_DASHBOARD(widget);
    (void)baseline;
    if (has_thumbnails(dashboard))
        place_stage(dashboard, width, height);
    else {
        /* Places tiles in rows; the last one ends at the right. */
        int n = dashboard->maximized ? 1 : tiles_there(dashboard), at = 0;
        int columns = columns_of(n), rows = (n + columns - 1) / columns;
        for (guint i = 0; i < dashboard->slots->len; i++) {
            GtkWidget *tile = GTK_WIDGET(slot_at(dashboard, i)->tile);
            if (!is_there(dashboard, i) || !gtk_widget_get_child_visible(tile)) continue;
            int column = at == n - 1 ? columns - 1 : at % columns, row = at / columns;
            int left = GAP + (at % columns) * (width - GAP) / columns;
            int right = (column + 1) * (width - GAP) / columns;
            int top = GAP + row * (height - GAP) / rows;
            place(tile, left, top, right - left, (row + 1) * (height - GAP) / rows - top);
            at++;
        }
    }
    bool changes = lanes_fit(dashboard, width, height) != dashboard->abreast ||
                   two_fit(dashboard, width, height) != dashboard->two;
    /* The visibility of widgets must not change while sizes are allocated. */
    if (changes && !dashboard->arranging)
        dashboard->arranging = g_idle_add_full(G_PRIORITY_DEFAULT, arrange, dashboard, NULL);
}

/* ---- The motion of a chart to the stage ---- */

static gboolean on_moving(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    NsDashboard *dashboard = NS_DASHBOARD(widget);
    gtk_widget_queue_draw(widget);
    if (ns_motion(dashboard->moving_since) < 1) return G_SOURCE_CONTINUE;
    dashboard->moving = 0;
    return G_SOURCE_REMOVE;
}

static void ns_dashboard_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    NsDashboard *dashboard = NS_DASHBOARD(widget);
    GTK_WIDGET_CLASS(ns_dashboard_parent_class)->snapshot(widget, snapshot);
    GtkWidget *tile = GTK_WIDGET(slot_at(dashboard, stage_of(dashboard))->tile);
    graphene_rect_t frame;
    if (!dashboard->moving || !gtk_widget_compute_bounds(tile, widget, &frame)) return;
    graphene_rect_interpolate(&dashboard->came_from, &frame, ns_motion(dashboard->moving_since),
                              &frame);
    NsColor text = ns_chart_style_for(widget)->text;
    GdkRGBA color = {(float)text.r, (float)text.g, (float)text.b, 0.5F};
    GskRoundedRect outline;
    gsk_rounded_rect_init_from_rect(&outline, &frame, GAP);
    gtk_snapshot_append_border(snapshot, &outline, (const float[]){2, 2, 2, 2},
                               (const GdkRGBA[]){color, color, color, color});
}

static NsAbscissa abscissa_of(NsChartTile *tile)
{
    return tile->own.kind->abscissa;
}

static NsChartTile *tile_of(GtkWidget *chart)
{
    return NS_CHART_TILE(gtk_widget_get_ancestor(chart, NS_TYPE_CHART_TILE));
}

static void on_hovered(NsChartView *chart, double x, double row, NsDashboard *dashboard)
{
    NsChartTile *from = tile_of(GTK_WIDGET(chart));
    bool from_rows = from->own.kind->rows_are_layers;
    dashboard->hovered = from;
    for (guint i = 0; i < dashboard->slots->len; i++) {
        NsChartTile *to = slot_at(dashboard, i)->tile;
        if (to == from) continue;
        bool rows = to->own.kind->rows_are_layers;
        double there = NAN, layer = from_rows && rows ? row : (double)NAN;
        if (abscissa_of(to) == abscissa_of(from) && abscissa_of(to) != NS_OVER_OTHER)
            there = x;
        else if (abscissa_of(to) == NS_OVER_LAYERS && from_rows)
            there = row;
        ns_chart_view_point_at(to->chart, there, layer);
    }
    g_signal_emit_by_name(dashboard, "pointed", from);
}

/* Charts with the same abscissa show the same part of it. */
static void link_ranges(NsDashboard *dashboard, NsChartTile *from)
{
    const NsViewState *view_state = &from->chart->view_state;
    dashboard->linking = true;
    for (guint i = 0; i < dashboard->slots->len; i++) {
        NsChartTile *to = slot_at(dashboard, i)->tile;
        if (to == from || abscissa_of(to) != abscissa_of(from) || abscissa_of(to) == NS_OVER_OTHER)
            continue;
        NsViewState *other = &to->chart->view_state;
        NsRange *x = &other->range[NS_VIEW_STATE_X];
        if (memcmp(x, &view_state->range[NS_VIEW_STATE_X], sizeof *x) == 0 &&
            other->held == view_state->held)
            continue;
        *x = view_state->range[NS_VIEW_STATE_X];
        other->held = view_state->held;
        other->typed = view_state->typed;
        ns_chart_view_state_changed(to->chart);
    }
    dashboard->linking = false;
}

/* Profiles show the step that was pinned last.  If its pin is removed, they show that of another
 * pin, or the newest step. */
static void show_pinned_step(NsDashboard *dashboard, NsChartTile *changed)
{
    double x = NAN;
    bool differs = false;
    for (guint i = 0; i < dashboard->slots->len; i++) {
        Slot *slot = slot_at(dashboard, i);
        const NsViewState *view_state = &slot->tile->chart->view_state;
        bool any = view_state->n_pins > 0 && abscissa_of(slot->tile) == NS_OVER_STEPS;
        double pinned = any ? view_state->pins[view_state->n_pins - 1].x : (double)NAN;
        if (slot->tile == changed) {
            differs = pinned != slot->pinned && !(isnan(pinned) && isnan(slot->pinned));
            slot->pinned = pinned;
        }
        if (isnan(x) || (slot->tile == changed && !isnan(pinned))) x = pinned;
    }
    if (differs) ns_session_show_step(dashboard->session, isnan(x) ? -1 : (int64_t)llround(x));
}

static void on_view_state_changed(NsChartView *chart, NsDashboard *dashboard)
{
    NsChartTile *tile = tile_of(GTK_WIDGET(chart));
    if (dashboard->linking) return;
    link_ranges(dashboard, tile);
    show_pinned_step(dashboard, tile);
    g_signal_emit_by_name(dashboard, "pointed", tile);
}

/* The charts of the other lanes show the same head, or the same similarity, as this one. */
static void on_kind_changed(NsChartTile *tile, NsDashboard *dashboard)
{
    for (guint i = 0; i < dashboard->slots->len; i++) {
        Slot *slot = slot_at(dashboard, i);
        NsFigureSpec *own = &slot->tile->own;
        bool follows = tile->lane >= 0 && slot->tile->lane >= 0 && own->kind == tile->own.kind;
        if (slot->tile == tile) {
            slot->stale = true;
            slot->described = 0;
        } else if (follows && ns_tile_choice_of(own) != ns_tile_choice_of(&tile->own)) {
            ns_chart_tile_show(slot->tile, &tile->own);
        } else if (abscissa_of(slot->tile) == abscissa_of(tile)) {
            link_ranges(dashboard, slot->tile);
        }
    }
    show_pinned_step(dashboard, tile);
    ns_page_refresh(NS_PAGE(dashboard));
}

void ns_dashboard_toggle_grid(NsDashboard *dashboard)
{
    bool hide = !slot_at(dashboard, 0)->tile->chart->view_state.no_grid;
    for (guint i = 0; i < dashboard->slots->len; i++) {
        NsChartView *chart = slot_at(dashboard, i)->tile->chart;
        chart->view_state.no_grid = hide;
        ns_chart_view_state_changed(chart);
    }
}

static void on_enlarge(NsChartTile *tile, NsDashboard *dashboard)
{
    ns_dashboard_set_stage(dashboard, tile);
    gtk_widget_grab_focus(GTK_WIDGET(tile->chart));
    if (dashboard->stored && ns_preferences())
        g_settings_set_string(ns_preferences(), dashboard->stored, tile->own.kind->choice.key);
}

/* Whether this is the run of another program that has neither gradients nor hidden states by layer,
 * shown where the loss is. */
static bool has_no_layers(NsDashboard *dashboard)
{
    const NsView *view = dashboard->session->view;
    bool none = ns_session_is_watching(dashboard->session) && view->history, loss = false;
    for (unsigned i = 0; none && i < view->started.n; i++) {
        const NsRecordLayout *layout =
            view->histories[i] ? ns_history_layout(view->histories[i]) : NULL;
        none = !layout || (!layout->count[view->gradient] && !layout->count[view->hidden]);
    }
    for (guint i = 0; i < dashboard->slots->len; i++)
        loss |= is_kind(slot_at(dashboard, i), "loss");
    return none && loss;
}

/* The gradient norm of the whole model takes the place of that of a layer; false if the run does
 * not have it. */
static bool show_total(NsDashboard *dashboard, NsChartTile *tile)
{
    const NsRecordLayout *layout = ns_history_layout(dashboard->session->view->history);
    NsFigureSpec spec = ns_chart_tile_spec(tile);
    if (layout->count[spec.quantity]) return true;
    if (!layout->count[NS_QUANTITY_GRAD_TOTAL]) return false;
    spec.quantity = NS_QUANTITY_GRAD_TOTAL;
    ns_chart_tile_show(tile, &spec);
    return true;
}

/* The chart of a quantity by layer shows one that the log of another program has, and its own again
 * after that log. */
static void show_recorded(NsSession *session, Slot *slot)
{
    const NsView *view = session->view;
    NsFigureSpec spec = ns_chart_tile_spec(slot->tile);
    NsQuantity shown = spec.quantity, wanted = shown == slot->found ? slot->wanted : shown;
    bool of_quantity = spec.kind->subject == NS_SUBJECT_QUANTITY;
    NsDomain domain = of_quantity ? ns_quantity(wanted)->domain : NS_DOMAIN_STEP;
    if (domain != NS_DOMAIN_LAYER && domain != NS_DOMAIN_HIDDEN) return;
    slot->wanted = slot->found = spec.quantity = wanted;
    /* A name from a log is in no run of this program. */
    if (ns_session_is_watching(session) || wanted >= NS_QUANTITY_COUNT)
        slot->found = spec.quantity = ns_history_recorded(view->histories, view->started.n, wanted);
    if (slot->found != shown) ns_chart_tile_show(slot->tile, &spec);
}

void ns_dashboard_fit_all(NsDashboard *dashboard, bool all)
{
    dashboard->all = all;
    for (guint i = 0; i < dashboard->slots->len; i++) {
        NsChartView *chart = slot_at(dashboard, i)->tile->chart;
        if (chart->view_state.all == all) continue;
        chart->view_state.all = all;
        ns_chart_view_state_changed(chart);
    }
}

/* A zoom into the steps of a run would hide those of a run that begins again. */
static void fit_restarted(NsDashboard *dashboard)
{
    const NsSession *session = dashboard->session;
    bool restarted = session->id != dashboard->run && session->trainer && !session->forked_from;
    dashboard->run = session->id;
    if (restarted) ns_dashboard_fit_all(dashboard, dashboard->all);
    for (guint i = 0; restarted && i < dashboard->slots->len; i++) {
        NsChartTile *tile = slot_at(dashboard, i)->tile;
        NsViewState *view_state = &tile->chart->view_state;
        if (abscissa_of(tile) != NS_OVER_STEPS || view_state->typed) continue;
        ns_view_state_fit(view_state, NULL);
        view_state->all = dashboard->all;
        ns_chart_view_state_changed(tile->chart);
    }
}

static void on_view_changed(NsDashboard *dashboard)
{
    const NsExperiment *started = &dashboard->session->view->started;
    bool crosses = false, no_layers = has_no_layers(dashboard);
    fit_restarted(dashboard);
    for (size_t i = 0; i < started->n; i++)
        crosses = crosses || started->lane[i].arch == NS_ARCH_ENCODER_DECODER;
    for (guint i = 0; i < dashboard->slots->len; i++) {
        Slot *slot = slot_at(dashboard, i);
        show_recorded(dashboard->session, slot);
        bool cross =
            slot->cross && slot->tile != dashboard->maximized && is_kind(slot, "cross-attention");
        bool empty = no_layers && !is_kind(slot, "loss") &&
                     !(is_kind(slot, "steps") && show_total(dashboard, slot->tile));
        /* Without its measurement it would be a thumbnail of a sentence. */
        bool unmeasured = is_kind(slot, "edge") && !is_large(dashboard, i);
        for (size_t k = 0; k < started->n && unmeasured; k++) {
            NsHistory *history = dashboard->session->view->histories[k];
            NsQuantity quantity = ns_chart_tile_spec(slot->tile).quantity;
            unmeasured = !history || !ns_history_layout(history)->count[quantity];
        }
        empty |= unmeasured;
        ns_hide(GTK_WIDGET(slot->tile), NS_HIDDEN_USELESS,
                slot->tile->lane >= (int)started->n || (cross && !crosses) || empty);
    }
    sync_compact(dashboard);
    ns_page_refresh(NS_PAGE(dashboard));
}

NsChartTile *ns_dashboard_tile(NsDashboard *dashboard, size_t i)
{
    return i < dashboard->slots->len ? slot_at(dashboard, (guint)i)->tile : NULL;
}

NsChartTile *ns_dashboard_stage(NsDashboard *dashboard)
{
    return slot_at(dashboard, stage_of(dashboard))->tile;
}

NsChartTile *ns_dashboard_second(NsDashboard *dashboard)
{
    return slot_at(dashboard, second_of(dashboard))->tile;
}

void ns_dashboard_set_stage(NsDashboard *dashboard, NsChartTile *tile)
{
    guint before = stage_of(dashboard), n = dashboard->slots->len, stage = (before + 1) % n;
    while (!is_there(dashboard, stage) ||
           (is_large(dashboard, stage) && !dashboard->maximized && stage != before))
        stage = (stage + 1) % n;
    for (guint i = 0; i < n; i++)
        if (slot_at(dashboard, i)->tile == tile) stage = i;
    dashboard->hovered = NULL;
    if (stage == before) return;
    /* The place from which its frame will move, before the chart is large. */
    GtkWidget *widget = GTK_WIDGET(dashboard), *chart = GTK_WIDGET(slot_at(dashboard, stage)->tile);
    dashboard->moving_since = g_get_monotonic_time();
    if (gtk_widget_get_mapped(chart) && ns_motion(dashboard->moving_since) < 1 &&
        gtk_widget_compute_bounds(chart, widget, &dashboard->came_from) && !dashboard->moving)
        dashboard->moving = gtk_widget_add_tick_callback(widget, on_moving, NULL, NULL);
    dashboard->second = before;
    dashboard->stage = stage;
    if (dashboard->maximized) ns_dashboard_maximize(dashboard, slot_at(dashboard, stage)->tile);
    sync_compact(dashboard);
    ns_page_refresh(NS_PAGE(dashboard));
}

int ns_dashboard_thumbnails_width(NsDashboard *dashboard)
{
    int width = gtk_widget_get_width(GTK_WIDGET(dashboard));
    int height = gtk_widget_get_height(GTK_WIDGET(dashboard));
    if (!has_thumbnails(dashboard) || width == 0) return 0;
    Stage s = stage_area(dashboard, dashboard->two ? 2 : 1, width, height);
    return s.alongside ? s.across : 0;
}

void ns_dashboard_remember_stage(NsDashboard *dashboard, const char *key)
{
    dashboard->stored = key;
    if (!ns_preferences()) return;
    g_autofree char *figure = g_settings_get_string(ns_preferences(), key);
    for (guint i = 0; i < dashboard->slots->len; i++) {
        if (is_kind(slot_at(dashboard, i), figure))
            ns_dashboard_set_stage(dashboard, slot_at(dashboard, i)->tile);
    }
}

void ns_dashboard_maximize(NsDashboard *dashboard, NsChartTile *tile)
{
    dashboard->maximized = tile;
    for (guint i = 0; i < dashboard->slots->len; i++) {
        Slot *slot = slot_at(dashboard, i);
        gtk_widget_set_child_visible(GTK_WIDGET(slot->tile), !tile || slot->tile == tile);
        ns_chart_tile_set_maximized(slot->tile, slot->tile == tile);
    }
    sync_compact(dashboard);
    ns_page_refresh(NS_PAGE(dashboard));
}

/* Updates as many charts as fit into a frame. */
static bool page_refresh(NsPage *page)
{
    NsDashboard *dashboard = NS_DASHBOARD(page);
    double newest = (double)ns_session_steps(dashboard->session);
    guint n = dashboard->slots->len;
    double spent = 0.0;
    bool behind = false;
    for (guint turn = 0; turn < n; turn++) {
        guint i = (dashboard->next + turn) % n;
        Slot *slot = slot_at(dashboard, i);
        NsChartView *chart = slot->tile->chart;
        gint64 now = g_get_monotonic_time();
        if (!is_there(dashboard, i) || !gtk_widget_get_child_visible(GTK_WIDGET(slot->tile)))
            continue;
        gint64 every = slot->tile->compact ? THUMBNAIL_EVERY_US : REDRAW_EVERY_US;
        if (!slot->stale && now - slot->redrawn < every) {
            behind = true;
            continue;
        }
        if (spent > 0.0 && spent + chart->cost > FRAME_BUDGET_MS) {
            dashboard->next = i;
            return true;
        }
        slot->stale = false;
        NsFigureInput input = ns_chart_tile_input(slot->tile);
        if (abscissa_of(slot->tile) == NS_OVER_STEPS) ns_chart_view_advance(chart, newest);
        if (!ns_chart_view_update(chart, &input)) continue;
        slot->redrawn = now;
        behind = true;
        ns_chart_tile_sync_fit(slot->tile);
        spent += (double)(g_get_monotonic_time() - now) / 1000.0 + chart->cost;
        if (now - slot->described > DESCRIBE_EVERY_US) {
            ns_chart_view_describe(chart);
            slot->described = now;
        }
    }
    return behind;
}

/* The tile that is maximized, has the focus or the pointer; otherwise that on the stage. */
static NsChartTile *page_current(NsPage *page)
{
    NsDashboard *dashboard = NS_DASHBOARD(page);
    if (dashboard->maximized) return dashboard->maximized;
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(page)); /* NULL while the window is being
                                                            * destroyed */
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    GtkWidget *tile = focus ? gtk_widget_get_ancestor(focus, NS_TYPE_CHART_TILE) : NULL;
    if (tile && !NS_CHART_TILE(tile)->compact) return NS_CHART_TILE(tile);
    return dashboard->hovered ? dashboard->hovered : ns_dashboard_stage(dashboard);
}

/* Escape leaves a maximized tile; otherwise it removes the pins. */
static bool page_back(NsPage *page)
{
    NsDashboard *dashboard = NS_DASHBOARD(page);
    bool any = false;
    if (dashboard->maximized) {
        ns_dashboard_maximize(dashboard, NULL);
        return true;
    }
    for (guint i = 0; i < dashboard->slots->len; i++) {
        NsChartView *chart = slot_at(dashboard, i)->tile->chart;
        NsViewState *view_state = &chart->view_state;
        if (!view_state->n_pins) continue;
        view_state->n_pins = 0;
        ns_chart_view_state_changed(chart);
        any = true;
    }
    return any;
}

static void implement_page(NsPageInterface *page)
{
    page->refresh = page_refresh;
    page->current = page_current;
    page->back = page_back;
}

static void ns_dashboard_dispose(GObject *object)
{
    NsDashboard *dashboard = NS_DASHBOARD(object);
    g_clear_handle_id(&dashboard->arranging, g_source_remove);
    for (guint i = 0; i < dashboard->slots->len; i++)
        gtk_widget_unparent(GTK_WIDGET(slot_at(dashboard, i)->tile));
    g_array_set_size(dashboard->slots, 0);
    G_OBJECT_CLASS(ns_dashboard_parent_class)->dispose(object);
}

static void ns_dashboard_finalize(GObject *object)
{
    g_array_unref(NS_DASHBOARD(object)->slots);
    G_OBJECT_CLASS(ns_dashboard_parent_class)->finalize(object);
}

static void ns_dashboard_class_init(NsDashboardClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->dispose = ns_dashboard_dispose;
    G_OBJECT_CLASS(klass)->finalize = ns_dashboard_finalize;
    widget_class->get_request_mode = ns_dashboard_get_request_mode;
    widget_class->measure = ns_dashboard_measure;
    widget_class->size_allocate = ns_dashboard_size_allocate;
    widget_class->snapshot = ns_dashboard_snapshot;
}

static void ns_dashboard_init(NsDashboard *dashboard)
{
    dashboard->slots = g_array_new(FALSE, TRUE, sizeof(Slot));
}

GtkWidget *ns_dashboard_new(NsSession *session, const char *figures, unsigned by_lane)
{
    NsDashboard *dashboard = g_object_new(NS_TYPE_DASHBOARD, NULL);
    dashboard->session = ns_session_hold(session, dashboard);
    dashboard->by_lane = by_lane > 0;
    g_autoptr(GArray) specs = g_array_new(FALSE, FALSE, sizeof(NsFigureSpec));
    g_return_val_if_fail(ns_figure_specs_read(specs, figures, NULL), NULL);
    for (guint i = 0; i < specs->len; i++) {
        const NsFigureSpec *spec = &g_array_index(specs, NsFigureSpec, i);
        bool of_lanes = i < by_lane;
        for (int lane = 0; lane < (of_lanes ? NS_LANES_MAX : 1); lane++) {
            GtkWidget *tile = ns_chart_tile_new(dashboard->session, spec, of_lanes ? lane : -1);
            NsChartView *chart = NS_CHART_TILE(tile)->chart;
            Slot slot = {.tile = NS_CHART_TILE(tile),
                         .stale = true,
                         .pinned = NAN,
                         .cross = g_str_equal(spec->kind->choice.key, "cross-attention")};
            g_array_append_val(dashboard->slots, slot);
            gtk_widget_set_parent(tile, GTK_WIDGET(dashboard));
            g_signal_connect_object(chart, "hovered", G_CALLBACK(on_hovered), dashboard, 0);
            g_signal_connect_object(chart, "view-state-changed", G_CALLBACK(on_view_state_changed),
                                    dashboard, 0);
            g_signal_connect_object(tile, "enlarge", G_CALLBACK(on_enlarge), dashboard, 0);
            g_signal_connect_object(tile, "kind-changed", G_CALLBACK(on_kind_changed), dashboard,
                                    0);
        }
    }
    dashboard->second = dashboard->slots->len > 1 ? 1 : 0;
    ns_session_listen(session, "view-changed", G_CALLBACK(on_view_changed), dashboard);
    sync_compact(dashboard);
    on_view_changed(dashboard);
    return GTK_WIDGET(dashboard);
}
