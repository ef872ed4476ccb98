/* A chart in its frame, with its few controls.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/chart_tile.h"

#include "core/base/words.h"
#include "core/experiment/param.h"

#include "ui/figures/figure.h"
#include "ui/plot/csv.h"
#include "ui/plot/text.h"
#include "ui/widgets/charts/chart_input.h"
#include "ui/widgets/charts/continuation_lines.h"
#include "ui/widgets/charts/limits_popover.h"
#include "ui/widgets/charts/tile_controls.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/popovers.h"
#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/settings/controls.h"

#include <math.h>

/* A title and its controls share a line.  In a narrow tile the controls are above the end of the
 * title, and a choice that another chart offers as well is hidden. */
#define SHARED_CHOICE_FROM 420

#define BELOW_TOOLS 2   /* pixels below the controls */
#define PROBE_BELOW 96  /* pixels between the button and the text above it */
#define PROBE_MARGIN 10 /* pixels from the corner */
#define PROBE_SPACE 28  /* pixels below the chart, for the button */

/* The least width, and the least height above them, of a chart with continuations, in pixels; a
 * strip of the learning rate matters more. */
#define CONTINUED_ACROSS 320
#define CONTINUED_DOWN 320
#define CONTINUED_DOWN_WITH_STRIP 560

/* In deeper models the loss without each layer is measured only on request, because it takes two
 * forward passes per layer. */
#define LAYERS_AT_REST 48

#define CHOICE_CHARS 18 /* of words on the drop-down */
#define SEARCH_FROM 20u /* choices */
#define NOTE_CHARS 60   /* in a line */

G_DEFINE_FINAL_TYPE(NsChartTile, ns_chart_tile, GTK_TYPE_WIDGET)

/* The interval at which what the figure shows is measured, if the runs never measure it; else
 * NULL. */
static const char *missing_interval(const NsChartTile *tile)
{
    const NsFigureKind *kind = tile->own.kind;
    const NsSettings *settings = ns_session_settings(tile->session);
    const NsQuantityInfo *info = ns_quantity(tile->own.quantity);
    const char *every = kind->expensive      ? "probe-every"
                        : kind->of_curvature ? "curvature-every"
                                             : NULL;
    if (kind->subject == NS_SUBJECT_QUANTITY && !info->validated) every = info->every;
    if (!every || ns_session_is_watching(tile->session)) return NULL;
    return ns_settings_get_number(settings, ns_param_find(every)) < 1 ? every : NULL;
}

/* Whether the quantity is measured automatically when the run pauses. */
static bool is_measured_at_rest(const NsChartTile *tile, const char *every)
{
    return g_strcmp0(every, "probe-every") == 0 ||
           (every && !tile->compact &&
            ns_session_settings(tile->session)->layers <= LAYERS_AT_REST);
}

static void make_note(GtkMenuButton *button, gpointer tile)
{
    const NsPlot *plot = NS_CHART_TILE(tile)->chart->plot;
    g_autofree char *markup = ns_text_markup(plot && plot->note ? plot->note : "", NS_LABEL_SIZE);
    GtkWidget *popover = gtk_popover_new(), *label = gtk_label_new(NULL);
    gtk_label_set_markup(GTK_LABEL(label), markup);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_max_width_chars(GTK_LABEL(label), NOTE_CHARS);
    gtk_popover_set_child(GTK_POPOVER(popover), label);
    gtk_menu_button_set_popover(button, popover);
}

/* Shows the continuations below a chart of losses, if there are any. */
static void sync_continued(NsChartTile *tile)
{
    const NsPlot *plot = tile->chart->plot;
    bool loss = !tile->compact && g_str_equal(tile->own.kind->choice.key, "loss");
    gtk_widget_set_visible(tile->continued, loss && ns_continuation_lines_update(tile->continued));
    bool strip = plot && plot->lower;
    if (tile->strip != strip) gtk_widget_queue_allocate(GTK_WIDGET(tile));
    tile->strip = strip;
}

NsFigureInput ns_chart_tile_input(NsChartTile *tile)
{
    const NsPlot *plot = tile->chart->plot;
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(tile));
    bool large = root && gtk_widget_has_css_class(GTK_WIDGET(root), NS_LARGE_TEXT_CLASS);
    gtk_widget_set_visible(tile->note, plot && plot->note && !large); /* hidden in class mode */
    sync_continued(tile);
    if (plot && plot->left.wide) gtk_widget_set_visible(tile->log, TRUE);
    const char *missing = missing_interval(tile);
    NsFigureInput input = ns_view_input(tile->session->view);
    bool lacks = !missing && !ns_session_is_watching(tile->session) &&
                 ns_view_lacks(input.history, tile->own.kind);
    if (lacks || is_measured_at_rest(tile, missing))
        ns_session_look_closer(tile->session, lacks ? "probe-every" : missing);
    if (tile->session->looking) gtk_widget_set_visible(tile->probe, FALSE);
    input.quantity = tile->own.quantity;
    input.similarity = tile->own.similarity;
    input.layer = tile->own.layer ? tile->own.layer : (unsigned)MAX(input.marked_layer, 0);
    input.head = tile->own.head;
    if ((missing || lacks) && tile->session->looking)
        input.pending = _("Measuring…");
    else if (is_measured_at_rest(tile, missing) && tile->session->state == NS_TRAINER_RUNNING)
        input.pending = _("Pause to measure this.");
    else if (missing && tile->compact)
        input.pending = _("Enlarge this chart to measure it.");
    NsFigureSpec spec = ns_figure_spec_of(tile->own.kind, &input);
    ns_view_look_closer(tile->session->view, &spec, &input);
    bool one = tile->lane >= 0 && input.n_lanes > 1 && tile->lane < (int)input.n_lanes;
    return one ? ns_figure_input_of(&input, (unsigned)tile->lane) : input;
}

static int shown_choice(const NsChartTile *tile)
{
    const NsView *view = tile->session->view;
    NsSubject subject = tile->own.kind->subject;
    if (subject == NS_SUBJECT_GRADIENT) return (int)view->gradient;
    if (subject == NS_SUBJECT_HIDDEN) return (int)view->hidden;
    if (subject == NS_SUBJECT_PLACE && !tile->own.layer) {
        /* The default place of a figure that shows one place. */
        const NsHistory *history = tile->session->view->history;
        bool of_head = tile->own.kind->of_head;
        size_t layers = history ? ns_history_layout(history)->layers : 0;
        int selected = tile->session->view->layer;
        size_t layer = selected > 0 ? MIN((size_t)selected, layers) : layers;
        return NS_TILE_PLACE(layer, of_head ? 1u : 0u);
    }
    return ns_tile_choice_of(&tile->own);
}

static const char LIST[] = "ns-list";

static void bind_choice(GtkListItemFactory *factory, GtkListItem *item, NsChartTile *tile)
{
    guint i = gtk_list_item_get_position(item);
    if (i >= tile->choices->len) return;
    GtkLabel *label = GTK_LABEL(gtk_list_item_get_child(item));
    int choice = g_array_index(tile->choices, int, i);
    const char *symbol = ns_tile_choice_symbol(tile->own.kind, choice);
    /* In the list, symbols alone would not distinguish quantities of all kinds; on the button,
     * beside the title, they do. */
    bool in_words = !symbol || (g_object_get_data(G_OBJECT(factory), LIST) &&
                                tile->own.kind->subject == NS_SUBJECT_QUANTITY);
    g_autofree char *words = in_words ? ns_tile_choice_label(tile->own.kind, choice) : NULL;
    g_autofree char *markup = ns_text_markup(in_words ? words : symbol, NS_LABEL_SIZE);
    gtk_label_set_markup(label, markup);
    ns_tooltip(GTK_WIDGET(label), ns_tile_choice_purpose(tile->own.kind, choice));
}

static void set_up_choice(GtkListItemFactory *factory, GtkListItem *item)
{
    GtkWidget *label = gtk_label_new(NULL);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
    gtk_list_item_set_child(item, label);
    if (g_object_get_data(G_OBJECT(factory), LIST)) return;
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    gtk_label_set_max_width_chars(GTK_LABEL(label), CHOICE_CHARS);
}

static void sync_choices(NsChartTile *tile)
{
    const NsFigureKind *kind = tile->own.kind;
    int shown = shown_choice(tile);
    const NsHistory *history = tile->session->view->history;
    /* The quantities of a run are known from its first step on, and filling a list takes a while.
     */
    bool unknown = false;
    for (guint i = 0; !history && i < tile->choices->len; i++)
        unknown |= g_array_index(tile->choices, int, i) == shown;
    g_autoptr(GArray) now =
        unknown ? g_array_ref(tile->choices) : ns_tile_choices(kind, tile->session->view, shown);
    GtkDropDown *drop_down = GTK_DROP_DOWN(tile->choice);
    bool same = now->len == tile->choices->len &&
                (!now->len || memcmp(now->data, tile->choices->data, now->len * sizeof(int)) == 0);
    if (!same) {
        g_array_set_size(tile->choices, 0);
        g_array_append_vals(tile->choices, now->data, now->len);
        g_autoptr(GtkStringList) labels = gtk_string_list_new(NULL);
        for (guint i = 0; i < now->len; i++)
            gtk_string_list_take(labels, ns_tile_choice_label(kind, g_array_index(now, int, i)));
        gtk_drop_down_set_model(drop_down, G_LIST_MODEL(labels));
        gtk_drop_down_set_enable_search(drop_down, now->len >= SEARCH_FROM);
    }
    for (guint i = 0; i < now->len; i++)
        if (g_array_index(now, int, i) == shown) gtk_drop_down_set_selected(drop_down, i);
    gtk_widget_set_visible(tile->choice, now->len > 0);
}

/* Whether a large chart before this one offers to measure at this interval. */
static bool is_offered(const NsChartTile *tile, const char *every)
{
    GtkWidget *before = gtk_widget_get_prev_sibling(GTK_WIDGET(tile));
    for (; before; before = gtk_widget_get_prev_sibling(before)) {
        const NsChartTile *other = NS_CHART_TILE(before);
        bool there = gtk_widget_get_visible(before) && gtk_widget_get_child_visible(before);
        if (there && !other->compact && g_strcmp0(missing_interval(other), every) == 0) return true;
    }
    return false;
}

static void sync_controls(NsChartTile *tile)
{
    const NsFigureKind *kind = tile->own.kind;
    bool heat = kind->rows_are_layers && kind->abscissa == NS_OVER_STEPS &&
                !g_str_equal(kind->choice.key, "ratio");
    tile->syncing = true;
    gtk_widget_set_visible(tile->heat, heat && tile->session->experiment.n > 1);
    const char *missing = tile->compact ? NULL : missing_interval(tile);
    bool looked = missing && ns_view_looked(tile->session->view, missing);
    gtk_widget_set_visible(tile->probe, missing && !looked && !tile->session->looking);
    if (missing) ns_probe_button_set_interval(looked ? tile->probe_more : tile->probe, missing);
    /* The other charts, without the button, are as high. */
    int space = (int)(PROBE_SPACE * ns_widget_text_scale(GTK_WIDGET(tile)));
    gtk_widget_set_visible(tile->probe_more, looked && !is_offered(tile, missing));
    bool one_of = kind->one_model && !heat && !tile->compact && tile->lane < 0 &&
                  tile->session->experiment.n > 1;
    gtk_widget_set_visible(tile->lanes, one_of);
    gtk_widget_set_margin_bottom(GTK_WIDGET(tile->chart), looked || one_of ? space : 0);
    sync_continued(tile);
    /* Beside the tiles of other lanes a thumbnail has the name of its lane. */
    NsFigureInput input = ns_view_input(tile->session->view);
    bool one = tile->lane >= 0 && input.n_lanes > 1 && tile->lane < (int)input.n_lanes;
    ns_chart_view_set_name(tile->chart,
                           one ? ns_figure_run_label(&input, (unsigned)tile->lane) : NULL);
    sync_choices(tile);
    input.quantity = tile->own.quantity;
    bool of_unit = kind->subject >= NS_SUBJECT_GRADIENT && kind->subject <= NS_SUBJECT_QUANTITY &&
                   ns_quantity(ns_figure_quantity(kind, &input))->unit; /* never log */
    const NsPlot *plot = tile->chart->plot;
    bool log = kind->log && !kind->rows_are_layers && !of_unit, wide = plot && plot->left.wide;
    gtk_widget_set_visible(tile->log, log || wide);
    /* On a chart that does not always have it, it comes at the left and moves nothing. */
    gtk_box_reorder_child_after(GTK_BOX(tile->tools), tile->log, log ? tile->heat : NULL);
    const NsView *view = tile->session->view;
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(tile->log), log ? view->log : view->log_loss);
    tile->syncing = false;
}

/* The chip is visible while the chart does not follow the newest step and, as a plain button, while
 * an earlier run is off the scale or would be without it. */
void ns_chart_tile_sync_fit(NsChartTile *tile)
{
    const NsViewState *view_state = &tile->chart->view_state;
    bool drawn = ns_chart_view_layout(tile->chart), all = view_state->all;
    bool held = view_state->held && tile->own.kind->abscissa == NS_OVER_STEPS;
    bool fitted = ns_view_state_is_fitted(view_state);
    bool off = drawn && ns_plot_is_off_scale(all ? tile->chart->plot : &tile->chart->rendered);
    const char *words =
        held      ? _("Keep the newest step in view")
        : !fitted ? _("Show everything (0, or a double click on the chart)")
        : all     ? _("Fit the axes to the present run only (0, or a double click on the chart)")
              : _("Show the earlier run that is off the scale (0, or a double click on the chart)");
    gtk_widget_set_tooltip_text(tile->follow, words);
    gtk_widget_set_visible(tile->follow, held || !fitted || off);
    ns_set_css_class(tile->follow, "chip", held || !fitted);
}

static void on_choice(NsChartTile *tile)
{
    guint i = gtk_drop_down_get_selected(GTK_DROP_DOWN(tile->choice));
    if (tile->syncing || i >= tile->choices->len) return;
    NsFigureSpec spec = tile->own;
    ns_tile_choose(&spec, g_array_index(tile->choices, int, i));
    ns_chart_tile_show(tile, &spec);
}

static void on_log(NsChartTile *tile)
{
    bool active = gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(tile->log));
    if (tile->syncing) return;
    (tile->own.kind->log ? ns_session_show_log : ns_session_show_log_loss)(tile->session, active);
}

static void on_copy_image(NsChartTile *tile)
{
    GdkTexture *texture = ns_chart_view_texture(tile->chart);
    if (!texture) return;
    gdk_clipboard_set_texture(gtk_widget_get_clipboard(GTK_WIDGET(tile)), texture);
    ns_session_report(tile->session, _("Copied the chart as an image"));
}

static void on_copy_data(NsChartTile *tile)
{
    const NsPlot *plot = tile->chart->plot;
    if (!plot) return;
    g_autofree char *csv = g_string_free(ns_csv_write(&plot, 1, NULL), FALSE);
    gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(tile)), csv);
    ns_session_report(tile->session, _("Copied all data of the chart as CSV"));
}

static void on_kind(GSimpleAction *action, GVariant *key, gpointer user_data)
{
    (void)action;
    const NsFigureKind *kind = ns_figure_find(g_variant_get_string(key, NULL));
    if (kind) ns_chart_tile_set_kind(user_data, kind);
}

static void on_reset(NsChartTile *tile)
{
    NsViewState *view_state = &tile->chart->view_state;
    ns_view_state_fit(view_state, NULL);
    view_state->all = false;
    for (int axis = 0; axis < NS_VIEW_STATE_AXES; axis++) view_state->rescaled[axis] = false;
    g_clear_pointer(&view_state->hidden, g_ptr_array_unref);
    ns_chart_view_state_changed(tile->chart);
}

static void on_unpin(NsChartTile *tile)
{
    tile->chart->view_state.n_pins = 0;
    ns_chart_view_state_changed(tile->chart);
}

static void on_follow(NsChartTile *tile)
{
    NsViewState *view_state = &tile->chart->view_state;
    if (view_state->held && tile->own.kind->abscissa == NS_OVER_STEPS) {
        ns_view_state_follow(view_state);
    } else {
        const NsPlot *drawn = ns_chart_view_layout(tile->chart) ? &tile->chart->rendered : NULL;
        ns_view_state_fit(view_state, drawn);
        for (int axis = 0; axis < NS_VIEW_STATE_AXES; axis++) view_state->rescaled[axis] = false;
    }
    ns_chart_view_state_changed(tile->chart);
}

/* The layer that was clicked, on either axis, is selected everywhere; clicked again it is not.  A
 * cell of a step shows that step, too, before its pin does: the view changes once. */
static void on_clicked(NsChartTile *tile, double x, double row)
{
    const NsFigureKind *kind = tile->own.kind;
    bool heads = kind->subject == NS_SUBJECT_QUANTITY &&
                 ns_quantity(tile->own.quantity)->domain == NS_DOMAIN_HEAD;
    double layer = kind->abscissa == NS_OVER_LAYERS  ? x
                   : kind->rows_are_layers && !heads ? row
                                                     : (double)NAN;
    if (isnan(layer)) return;
    int selected = (int)lround(layer);
    int64_t step = kind->abscissa == NS_OVER_STEPS ? llround(x) : tile->session->view->step;
    ns_session_show_place(tile->session, step,
                          selected == tile->session->view->layer ? 0 : selected);
}

/* The handles of figures: the end of the warm-up and, behind all markers, the peak of the learning
 * rate. */
static void on_handle(NsChartTile *tile, int handle, double value)
{
    const NsPlot *plot = tile->chart->plot;
    if (!isfinite(value) || !plot) return;
    size_t level = handle < 0 ? SIZE_MAX : (size_t)handle - plot->n_markers;
    if (level < plot->n_levels && plot->levels[level].handle) {
        const NsParam *lr = ns_param_find("lr");
        g_autofree char *rate = ns_text_input(CLAMP(value, MAX(lr->least, 1e-7), lr->most), 3);
        ns_session_slide(tile->session, lr->key, rate);
        return;
    }
    const NsParam *warmup = ns_param_find("warmup");
    g_autofree char *steps =
        g_strdup_printf("%.0f", CLAMP(round(value), warmup->least, warmup->most));
    ns_session_slide(tile->session, warmup->key, steps);
}

/* Limits and scales of the axes, at the button of the menu. */
static void on_limits(NsChartTile *tile)
{
    graphene_rect_t bounds = GRAPHENE_RECT_INIT(0, 0, 1, 1);
    if (!tile->chart->plot) return;
    if (!gtk_widget_compute_bounds(tile->menu_button, tile->overlay, &bounds)) return;
    GdkRectangle place = {(int)bounds.origin.x, (int)bounds.origin.y, (int)bounds.size.width,
                          (int)bounds.size.height};
    ns_tile_pop_up(tile->overlay, &tile->over, ns_limits_popover_new(tile->chart), &place);
}

/* Curves over steps can be smoothed. */
static GtkWidget *make_menu(NsChartTile *tile)
{
    bool curves = tile->own.kind->abscissa == NS_OVER_STEPS && !tile->own.kind->rows_are_layers;
    return ns_tile_menu_new(tile->maximized,
                            curves ? ns_smoothing_control_new(tile->session) : NULL);
}

static void on_context(NsChartTile *tile, double x, double y)
{
    GtkWidget *menu = make_menu(tile);
    GdkRectangle place = {(int)x, (int)y, 1, 1};
    gtk_popover_set_has_arrow(GTK_POPOVER(menu), FALSE);
    gtk_widget_set_halign(menu, GTK_ALIGN_START);
    ns_tile_pop_up(tile->overlay, &tile->over, menu, &place);
}

static gboolean renew_menu(gpointer data)
{
    NsChartTile *tile = data;
    if (!tile->overlay) return G_SOURCE_REMOVE;
    GtkMenuButton *button = GTK_MENU_BUTTON(tile->menu_button);
    GtkPopover *old = gtk_menu_button_get_popover(button);
    if (old) ns_popover_part(GTK_WIDGET(old));
    gtk_menu_button_set_popover(button, make_menu(tile));
    return G_SOURCE_REMOVE;
}

/* A menu is filled again after a choice, once it has closed. */
static void sync_menu(NsChartTile *tile)
{
    GtkPopover *menu = gtk_menu_button_get_popover(GTK_MENU_BUTTON(tile->menu_button));
    if (menu && gtk_widget_get_visible(GTK_WIDGET(menu)))
        g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, renew_menu, g_object_ref(tile), g_object_unref);
    else
        renew_menu(tile);
}

static GtkWidget *make_choice(NsChartTile *tile)
{
    g_autoptr(GtkListItemFactory) button = gtk_signal_list_item_factory_new();
    g_autoptr(GtkListItemFactory) list = gtk_signal_list_item_factory_new();
    g_object_set_data(G_OBJECT(list), LIST, tile);
    g_signal_connect(button, "setup", G_CALLBACK(set_up_choice), NULL);
    g_signal_connect(list, "setup", G_CALLBACK(set_up_choice), NULL);
    g_signal_connect_object(button, "bind", G_CALLBACK(bind_choice), tile, 0);
    g_signal_connect_object(list, "bind", G_CALLBACK(bind_choice), tile, 0);
    GtkExpression *words = gtk_property_expression_new(GTK_TYPE_STRING_OBJECT, NULL, "string");
    GtkWidget *drop_down = gtk_drop_down_new(NULL, words);
    gtk_drop_down_set_factory(GTK_DROP_DOWN(drop_down), button);
    gtk_drop_down_set_list_factory(GTK_DROP_DOWN(drop_down), list);
    ns_accessible_tooltip(drop_down, _("What the chart shows"));
    ns_connect(drop_down, "notify::selected", G_CALLBACK(on_choice), tile);
    return drop_down;
}

static void on_enlarge(NsChartTile *tile)
{
    g_signal_emit_by_name(tile, "enlarge");
}

static void ns_chart_tile_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                  int *minimum, int *natural, int *minimum_baseline,
                                  int *natural_baseline)
{
    NsChartTile *tile = NS_CHART_TILE(widget);
    gtk_widget_measure(tile->overlay, orientation, for_size, minimum, natural, minimum_baseline,
                       natural_baseline);
}

/* Places the continuations below a chart, which keeps its minimum size; returns the height of the
 * chart. */
static int allocate_continued(NsChartTile *tile, int width, int height)
{
    double scale = ns_text_scale(GTK_WIDGET(tile));
    int below = 0;
    if (!gtk_widget_get_visible(tile->continued)) return height;
    gtk_widget_measure(tile->continued, GTK_ORIENTATION_VERTICAL, -1, NULL, &below, NULL, NULL);
    double down = tile->strip ? CONTINUED_DOWN_WITH_STRIP : CONTINUED_DOWN;
    bool space = width >= CONTINUED_ACROSS * scale && height - below >= down * scale;
    gtk_widget_set_child_visible(tile->continued, space);
    if (!space) return height;
    gtk_widget_size_allocate(tile->continued, &(GtkAllocation){0, height - below, width, below},
                             -1);
    return height - below;
}

static void ns_chart_tile_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    NsChartTile *tile = NS_CHART_TILE(widget);
    bool wide = width >= SHARED_CHOICE_FROM;
    /* Another tile shows the same choice. */
    bool shared = tile->own.kind->subject == NS_SUBJECT_GRADIENT && tile->own.kind->rows_are_layers;
    ns_tile_fold(tile->choice, !shared || wide);
    ns_tile_fold(tile->heat, wide);
    int chart = allocate_continued(tile, width, height);
    gtk_widget_size_allocate(tile->overlay, &(GtkAllocation){0, 0, width, chart}, baseline);
    int left = width, bottom = 0;
    for (GtkWidget *tool = gtk_widget_get_first_child(tile->tools); tool && !tile->compact;
         tool = gtk_widget_get_next_sibling(tool)) {
        graphene_rect_t bounds;
        bool shown = gtk_widget_get_visible(tool) && gtk_widget_get_child_visible(tool);
        if (!shown || !gtk_widget_compute_bounds(tool, widget, &bounds)) continue;
        left = MIN(left, (int)bounds.origin.x);
        bottom = MAX(bottom, (int)ceilf(bounds.origin.y + bounds.size.height));
    }
    /* A title next to controls has two lines; that of a thumbnail needs them as well. */
    if (tile->compact) left = width - 1;
    ns_chart_view_set_corner(tile->chart, width - left, bottom ? bottom + BELOW_TOOLS : 0);
}

/* Reserves space below the chart as well if there is a button. */
static void ns_chart_tile_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    NsColor ground = ns_chart_style_for(widget)->background;
    const GdkRGBA color = {(float)ground.r, (float)ground.g, (float)ground.b, 1};
    float width = (float)gtk_widget_get_width(widget),
          height = (float)gtk_widget_get_height(widget);
    gtk_snapshot_append_color(snapshot, &color, &GRAPHENE_RECT_INIT(0, 0, width, height));
    GTK_WIDGET_CLASS(ns_chart_tile_parent_class)->snapshot(widget, snapshot);
}

/* The texts of the models are written in colors of the style. */
static void ns_chart_tile_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    NsChartTile *tile = NS_CHART_TILE(widget);
    GTK_WIDGET_CLASS(ns_chart_tile_parent_class)->css_changed(widget, change);
    if (tile->continued) ns_continuation_lines_update(tile->continued);
}

static void ns_chart_tile_dispose(GObject *object)
{
    NsChartTile *tile = NS_CHART_TILE(object);
    /* Destroyed before the chart, because it may use the chart when it loses the focus. */
    if (tile->over) gtk_widget_unparent(tile->over);
    g_clear_pointer(&tile->overlay, gtk_widget_unparent);
    g_clear_pointer(&tile->continued, gtk_widget_unparent);
    G_OBJECT_CLASS(ns_chart_tile_parent_class)->dispose(object);
}

static void ns_chart_tile_finalize(GObject *object)
{
    g_array_unref(NS_CHART_TILE(object)->choices);
    G_OBJECT_CLASS(ns_chart_tile_parent_class)->finalize(object);
}

static void ns_chart_tile_class_init(NsChartTileClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->dispose = ns_chart_tile_dispose;
    G_OBJECT_CLASS(klass)->finalize = ns_chart_tile_finalize;
    widget_class->measure = ns_chart_tile_measure;
    widget_class->size_allocate = ns_chart_tile_size_allocate;
    widget_class->snapshot = ns_chart_tile_snapshot;
    widget_class->css_changed = ns_chart_tile_css_changed;
    gtk_widget_class_set_css_name(widget_class, "tile");
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
    ns_signal_new(NS_TYPE_CHART_TILE, "kind-changed", 0);
    ns_signal_new(NS_TYPE_CHART_TILE, "enlarge", 0);
}

static void ns_chart_tile_init(NsChartTile *tile)
{
    static const GActionEntry kind = {
        .name = "kind", .activate = on_kind, .parameter_type = "s", .state = "''"};
    g_autoptr(GSimpleActionGroup) actions = g_simple_action_group_new();
    tile->actions = G_ACTION_MAP(actions);
    g_action_map_add_action_entries(tile->actions, &kind, 1, tile);
    ns_add_command(tile->actions, "copy-image", G_CALLBACK(on_copy_image), tile);
    ns_add_command(tile->actions, "copy-data", G_CALLBACK(on_copy_data), tile);
    ns_add_command(tile->actions, "limits", G_CALLBACK(on_limits), tile);
    ns_add_command(tile->actions, "reset", G_CALLBACK(on_reset), tile);
    ns_add_command(tile->actions, "unpin", G_CALLBACK(on_unpin), tile);
    ns_add_command(tile->actions, "follow", G_CALLBACK(on_follow), tile);
    tile->choices = g_array_new(FALSE, FALSE, sizeof(int));
    gtk_widget_insert_action_group(GTK_WIDGET(tile), "tile", G_ACTION_GROUP(actions));
    gtk_widget_set_overflow(GTK_WIDGET(tile), GTK_OVERFLOW_HIDDEN);
}

/* The menu marks the kind that is shown, and a screen reader names it. */
static void sync_kind(NsChartTile *tile)
{
    GAction *action = g_action_map_lookup_action(tile->actions, "kind");
    g_simple_action_set_state(G_SIMPLE_ACTION(action),
                              g_variant_new_string(tile->own.kind->choice.key));
    ns_accessible_name(GTK_WIDGET(tile), _(tile->own.kind->choice.label));
    g_autofree char *words = g_strdup_printf(_("Enlarge “%s”"), _(tile->own.kind->choice.label));
    ns_accessible_name(tile->enlarge, words);
}

GtkWidget *ns_chart_tile_new(NsSession *session, const NsFigureSpec *spec, int lane)
{
    NsChartTile *tile = g_object_new(NS_TYPE_CHART_TILE, NULL);
    tile->session = ns_session_hold(session, tile);
    tile->own = *spec;
    tile->lane = lane;
    tile->chart = NS_CHART_VIEW(ns_chart_view_new(spec->kind));
    ns_chart_input_add(tile->chart);
    tile->overlay = gtk_overlay_new();
    gtk_overlay_set_child(GTK_OVERLAY(tile->overlay), GTK_WIDGET(tile->chart));
    gtk_widget_set_parent(tile->overlay, GTK_WIDGET(tile));

    tile->tools = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
    gtk_widget_add_css_class(tile->tools, "tools");
    gtk_widget_set_halign(tile->tools, GTK_ALIGN_END);
    gtk_widget_set_valign(tile->tools, GTK_ALIGN_START);
    tile->follow = gtk_button_new_with_label(_("Fit"));
    gtk_widget_add_css_class(tile->follow, "flat");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(tile->follow), "tile.follow");
    gtk_widget_set_visible(tile->follow, FALSE);
    tile->choice = make_choice(tile);
    tile->log = gtk_toggle_button_new_with_label("log");
    gtk_widget_add_css_class(tile->log, "flat");
    gtk_widget_set_tooltip_text(tile->log, tile->own.kind->log ? _("Logarithmic axis (L)")
                                                               : _("Logarithmic axis"));
    ns_connect(tile->log, "toggled", G_CALLBACK(on_log), tile);
    tile->menu_button = gtk_menu_button_new();
    gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(tile->menu_button), "view-more-symbolic");
    gtk_menu_button_set_has_frame(GTK_MENU_BUTTON(tile->menu_button), FALSE);
    ns_accessible_tooltip(tile->menu_button, _("Chart menu"));
    tile->note = gtk_menu_button_new();
    gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(tile->note), "dialog-information-symbolic");
    gtk_menu_button_set_has_frame(GTK_MENU_BUTTON(tile->note), FALSE);
    gtk_menu_button_set_create_popup_func(GTK_MENU_BUTTON(tile->note), make_note, tile, NULL);
    ns_accessible_tooltip(tile->note, _("About this chart"));
    ns_chart_view_leave_note(tile->chart);
    tile->heat = ns_heat_control_new(session);
    /* Buttons that come and go are on the left, so that the others stay in their places. */
    ns_box_append(tile->tools, tile->follow, tile->note, tile->choice, tile->heat, tile->log,
                  tile->menu_button, NULL);
    gtk_overlay_add_overlay(GTK_OVERLAY(tile->overlay), tile->tools);
    tile->probe = ns_probe_button_new(session);
    gtk_widget_set_margin_top(tile->probe, PROBE_BELOW);
    gtk_overlay_add_overlay(GTK_OVERLAY(tile->overlay), tile->probe);
    tile->probe_more = ns_probe_button_new(session);
    gtk_widget_add_css_class(tile->probe_more, "probe-more");
    gtk_widget_set_halign(tile->probe_more, GTK_ALIGN_END);
    gtk_widget_set_valign(tile->probe_more, GTK_ALIGN_END);
    gtk_widget_set_margin_end(tile->probe_more, PROBE_MARGIN);
    gtk_widget_set_margin_bottom(tile->probe_more, PROBE_MARGIN);
    gtk_overlay_add_overlay(GTK_OVERLAY(tile->overlay), tile->probe_more);
    tile->lanes = ns_lane_tabs_new(session);
    gtk_widget_set_halign(tile->lanes, GTK_ALIGN_START);
    gtk_widget_set_valign(tile->lanes, GTK_ALIGN_END);
    gtk_widget_set_margin_start(tile->lanes, PROBE_MARGIN);
    gtk_widget_set_margin_bottom(tile->lanes, PROBE_MARGIN);
    gtk_overlay_add_overlay(GTK_OVERLAY(tile->overlay), tile->lanes);

    tile->continued = ns_continuation_lines_new(session);
    gtk_widget_set_parent(tile->continued, GTK_WIDGET(tile));

    tile->enlarge = gtk_button_new();
    gtk_widget_add_css_class(tile->enlarge, "enlarge");
    gtk_widget_set_tooltip_text(tile->enlarge, _("Enlarge this chart"));
    gtk_widget_set_visible(tile->enlarge, FALSE);
    ns_connect(tile->enlarge, "clicked", G_CALLBACK(on_enlarge), tile);
    gtk_overlay_add_overlay(GTK_OVERLAY(tile->overlay), tile->enlarge);

    ns_session_listen(session, "settings-changed", G_CALLBACK(sync_controls), tile);
    ns_session_listen(session, "view-changed", G_CALLBACK(sync_controls), tile);
    ns_connect(tile->chart, "view-state-changed", G_CALLBACK(ns_chart_tile_sync_fit), tile);
    ns_connect(tile->chart, "clicked", G_CALLBACK(on_clicked), tile);
    ns_connect(tile->chart, "menu", G_CALLBACK(on_context), tile);
    ns_connect(tile->chart, "handle-moved", G_CALLBACK(on_handle), tile);
    ns_connect(tile->chart, "sentence", G_CALLBACK(ns_session_report), session);
    sync_controls(tile);
    sync_menu(tile);
    sync_kind(tile);
    return GTK_WIDGET(tile);
}

void ns_chart_tile_set_kind(NsChartTile *tile, const NsFigureKind *kind)
{
    if (kind == tile->own.kind) return;
    ns_chart_view_set_kind(tile->chart, kind);
    /* The quantity stays if the new figure can show it. */
    if (!(kind->domains & 1u << ns_quantity(tile->own.quantity)->domain))
        tile->own.quantity = kind->initial;
    tile->own.kind = kind;
    g_array_set_size(tile->choices, 0);
    sync_controls(tile);
    sync_kind(tile);
    sync_menu(tile);
    ns_chart_tile_sync_fit(tile);
    g_signal_emit_by_name(tile, "kind-changed");
}

NsFigureSpec ns_chart_tile_spec(NsChartTile *tile)
{
    NsFigureSpec spec = tile->own;
    NsSubject subject = spec.kind->subject;
    if (subject != NS_SUBJECT_PLACE) ns_tile_choose(&spec, shown_choice(tile));
    return spec;
}

void ns_chart_tile_show(NsChartTile *tile, const NsFigureSpec *spec)
{
    ns_chart_tile_set_kind(tile, spec->kind);
    if (spec->kind->subject == NS_SUBJECT_GRADIENT) {
        ns_session_show_gradient(tile->session, spec->quantity);
    } else if (spec->kind->subject == NS_SUBJECT_HIDDEN) {
        ns_session_show_hidden(tile->session, spec->quantity);
    } else {
        tile->own = *spec;
        sync_controls(tile);
        g_signal_emit_by_name(tile, "kind-changed");
    }
}

void ns_chart_tile_set_maximized(NsChartTile *tile, bool maximized)
{
    if (tile->maximized == maximized) return;
    tile->maximized = maximized;
    sync_controls(tile);
    sync_menu(tile);
}

void ns_chart_tile_set_compact(NsChartTile *tile, bool compact)
{
    if (tile->compact == compact) return;
    tile->compact = compact;
    gtk_widget_set_visible(tile->tools, !compact);
    gtk_widget_set_visible(tile->enlarge, compact);
    ns_chart_view_set_compact(tile->chart, compact);
    sync_controls(tile);
}
