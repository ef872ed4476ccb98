/* A chart in its frame, with its few controls.  SPDX-License-Identifier: MIT */
#include "ui/widgets/chart_tile.h"

#include "ui/plot/text.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/export_job.h"

/* A title and its controls share a line.  Where that is narrow, the controls go above the title's
 * end, and a choice that another chart has too is left to that one. */
#define SHARED_CHOICE_FROM 420
#define CORNER_HEIGHT 28

struct _NsChartTile {
    GtkWidget parent;
    NsLab *lab;
    const NsFigureKind *kind;
    NsChartView *chart;
    GtkWidget *overlay, *tools;
    GtkWidget *menu_button;
    GtkWidget *quantity; /* drop-down; NULL where the figure has no choice */
    GtkWidget *log;      /* toggle; NULL where the figure has none */
    GArray *quantities;  /* NsQuantity, as in the drop-down */
    bool maximised, syncing;
};

enum { EXPORT, MAXIMISE, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(NsChartTile, ns_chart_tile, GTK_TYPE_WIDGET)

static NsQuantity shown_quantity(const NsChartTile *tile)
{
    const NsView *view = ns_lab_view(tile->lab);
    return tile->kind->subject == NS_SUBJECT_HIDDEN ? view->hidden : view->gradient;
}

/* The whole layer and the six weight matrices first, then whatever else a layer may have. */
static void list_quantities(NsChartTile *tile)
{
    static const NsQuantity first[] = {
        NS_QUANTITY_GRAD_LAYER, NS_QUANTITY_GRAD_WQ, NS_QUANTITY_GRAD_WK, NS_QUANTITY_GRAD_WV,
        NS_QUANTITY_GRAD_WO,    NS_QUANTITY_GRAD_W1, NS_QUANTITY_GRAD_W2,
    };
    NsDomain domain = tile->kind->subject == NS_SUBJECT_HIDDEN ? NS_DOMAIN_HIDDEN : NS_DOMAIN_LAYER;
    g_array_set_size(tile->quantities, 0);
    if (domain == NS_DOMAIN_LAYER)
        g_array_append_vals(tile->quantities, first, G_N_ELEMENTS(first));
    const NsView *view = ns_lab_view(tile->lab);
    for (NsQuantity q = 0; q < NS_QUANTITY_COUNT; q++) {
        bool listed = false;
        for (size_t i = 0; domain == NS_DOMAIN_LAYER && i < G_N_ELEMENTS(first); i++)
            listed = listed || first[i] == q;
        bool there = !view->history || ns_history_layout(view->history)->count[q] > 0;
        if (!listed && ns_quantity(q)->domain == domain && (there || q == shown_quantity(tile)))
            g_array_append_val(tile->quantities, q);
    }
}

static void bind_symbol(GtkListItemFactory *factory, GtkListItem *item, NsChartTile *tile)
{
    (void)factory;
    guint i = gtk_list_item_get_position(item);
    if (i >= tile->quantities->len) return;
    NsQuantity q = g_array_index(tile->quantities, NsQuantity, i);
    g_autofree char *markup = ns_text_markup(
        q == NS_QUANTITY_GRAD_LAYER ? "‖∇‖ whole layer" : ns_quantity(q)->symbol, NS_LABEL_SIZE);
    gtk_label_set_markup(GTK_LABEL(gtk_list_item_get_child(item)), markup);
    gtk_widget_set_tooltip_text(gtk_list_item_get_child(item), ns_quantity(q)->choice.purpose);
}

static void set_up_symbol(GtkListItemFactory *factory, GtkListItem *item)
{
    (void)factory;
    GtkWidget *label = gtk_label_new(NULL);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
    gtk_list_item_set_child(item, label);
}

static void sync_controls(NsChartTile *tile)
{
    tile->syncing = true;
    if (tile->quantity) {
        g_autoptr(GArray) before = g_array_copy(tile->quantities);
        list_quantities(tile);
        GArray *now = tile->quantities;
        if (now->len != before->len ||
            memcmp(now->data, before->data, now->len * sizeof(NsQuantity)) != 0) {
            g_autoptr(GtkStringList) keys = gtk_string_list_new(NULL);
            for (guint i = 0; i < now->len; i++)
                gtk_string_list_append(
                    keys, ns_quantity(g_array_index(now, NsQuantity, i))->choice.label);
            gtk_drop_down_set_model(GTK_DROP_DOWN(tile->quantity), G_LIST_MODEL(keys));
        }
        for (guint i = 0; i < now->len; i++)
            if (g_array_index(now, NsQuantity, i) == shown_quantity(tile))
                gtk_drop_down_set_selected(GTK_DROP_DOWN(tile->quantity), i);
    }
    if (tile->log)
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(tile->log), ns_lab_view(tile->lab)->log);
    tile->syncing = false;
}

static void on_quantity(NsChartTile *tile)
{
    guint i = gtk_drop_down_get_selected(GTK_DROP_DOWN(tile->quantity));
    if (tile->syncing || i >= tile->quantities->len) return;
    NsQuantity quantity = g_array_index(tile->quantities, NsQuantity, i);
    if (tile->kind->subject == NS_SUBJECT_HIDDEN)
        ns_lab_show_hidden(tile->lab, quantity);
    else
        ns_lab_show_gradient(tile->lab, quantity);
}

static void on_log(NsChartTile *tile)
{
    if (!tile->syncing)
        ns_lab_show_log(tile->lab, gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(tile->log)));
}

static void on_export(GSimpleAction *action, GVariant *parameter, gpointer tile)
{
    (void)action, (void)parameter;
    g_signal_emit(tile, signals[EXPORT], 0);
}

static void on_maximise(GSimpleAction *action, GVariant *parameter, gpointer tile)
{
    (void)action, (void)parameter;
    g_signal_emit(tile, signals[MAXIMISE], 0);
}

static void on_copy_image(GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
    (void)action, (void)parameter;
    NsChartTile *tile = user_data;
    GdkTexture *texture = ns_chart_view_texture(tile->chart);
    if (texture) gdk_clipboard_set_texture(gtk_widget_get_clipboard(GTK_WIDGET(tile)), texture);
}

static void on_copy_data(GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
    (void)action, (void)parameter;
    NsChartTile *tile = user_data;
    const NsPlot *plot = ns_chart_view_plot(tile->chart);
    g_autofree char *csv = plot ? ns_plot_csv(plot, NULL) : NULL;
    if (csv) gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(tile)), csv);
}

static GtkWidget *make_menu_button(NsChartTile *tile)
{
    GtkWidget *button = gtk_menu_button_new();
    g_autoptr(GMenu) menu = g_menu_new();
    g_menu_append(menu, "Export this chart…", "tile.export");
    g_menu_append(menu, "Copy image", "tile.copy-image");
    g_menu_append(menu, "Copy data", "tile.copy-data");
    g_menu_append(menu, tile->maximised ? "Back to all charts" : "Fill the window",
                  "tile.maximise");
    gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), G_MENU_MODEL(menu));
    gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(button), "view-more-symbolic");
    gtk_widget_set_tooltip_text(button, "Chart menu");
    gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   "Chart menu", -1);
    gtk_menu_button_set_has_frame(GTK_MENU_BUTTON(button), FALSE);
    return button;
}

static GtkWidget *make_quantity(NsChartTile *tile)
{
    g_autoptr(GtkListItemFactory) factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(set_up_symbol), NULL);
    g_signal_connect_object(factory, "bind", G_CALLBACK(bind_symbol), tile, 0);
    GtkWidget *drop_down = gtk_drop_down_new(NULL, NULL);
    gtk_drop_down_set_factory(GTK_DROP_DOWN(drop_down), factory);
    gtk_widget_set_tooltip_text(drop_down, "What the chart shows");
    gtk_accessible_update_property(GTK_ACCESSIBLE(drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   "What the chart shows", -1);
    g_signal_connect_object(drop_down, "notify::selected", G_CALLBACK(on_quantity), tile,
                            G_CONNECT_SWAPPED);
    return drop_down;
}

static GtkWidget *make_log(NsChartTile *tile)
{
    GtkWidget *toggle = gtk_toggle_button_new_with_label("log");
    gtk_widget_add_css_class(toggle, "flat");
    gtk_widget_set_tooltip_text(toggle, "Logarithmic axis (L)");
    g_signal_connect_object(toggle, "toggled", G_CALLBACK(on_log), tile, G_CONNECT_SWAPPED);
    return toggle;
}

static void ns_chart_tile_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                  int *minimum, int *natural, int *minimum_baseline,
                                  int *natural_baseline)
{
    NsChartTile *tile = NS_CHART_TILE(widget);
    gtk_widget_measure(tile->overlay, orientation, for_size, minimum, natural, minimum_baseline,
                       natural_baseline);
}

static void ns_chart_tile_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    NsChartTile *tile = NS_CHART_TILE(widget);
    bool shared = tile->quantity && !tile->log;
    if (shared) gtk_widget_set_child_visible(tile->quantity, width >= SHARED_CHOICE_FROM);
    gtk_widget_size_allocate(tile->overlay, &(GtkAllocation){0, 0, width, height}, baseline);
    bool narrow = shared && width < SHARED_CHOICE_FROM;
    GtkWidget *first = narrow || !tile->quantity ? tile->menu_button : tile->quantity;
    graphene_rect_t left;
    if (gtk_widget_compute_bounds(first, widget, &left))
        ns_chart_view_set_corner(tile->chart, width - (int)left.origin.x, CORNER_HEIGHT);
}

static void ns_chart_tile_dispose(GObject *object)
{
    NsChartTile *tile = NS_CHART_TILE(object);
    g_clear_pointer(&tile->overlay, gtk_widget_unparent);
    g_clear_object(&tile->lab);
    G_OBJECT_CLASS(ns_chart_tile_parent_class)->dispose(object);
}

static void ns_chart_tile_finalize(GObject *object)
{
    g_array_unref(NS_CHART_TILE(object)->quantities);
    G_OBJECT_CLASS(ns_chart_tile_parent_class)->finalize(object);
}

static void ns_chart_tile_class_init(NsChartTileClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->dispose = ns_chart_tile_dispose;
    G_OBJECT_CLASS(klass)->finalize = ns_chart_tile_finalize;
    widget_class->measure = ns_chart_tile_measure;
    widget_class->size_allocate = ns_chart_tile_size_allocate;
    gtk_widget_class_set_css_name(widget_class, "tile");
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
    const char *names[N_SIGNALS] = {"export", "maximise"};
    for (int i = 0; i < N_SIGNALS; i++)
        signals[i] = g_signal_new(names[i], NS_TYPE_CHART_TILE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
}

static void ns_chart_tile_init(NsChartTile *tile)
{
    static const GActionEntry entries[] = {
        {.name = "export", .activate = on_export},
        {.name = "maximise", .activate = on_maximise},
        {.name = "copy-image", .activate = on_copy_image},
        {.name = "copy-data", .activate = on_copy_data},
    };
    g_autoptr(GSimpleActionGroup) actions = g_simple_action_group_new();
    tile->quantities = g_array_new(FALSE, FALSE, sizeof(NsQuantity));
    g_action_map_add_action_entries(G_ACTION_MAP(actions), entries, G_N_ELEMENTS(entries), tile);
    gtk_widget_insert_action_group(GTK_WIDGET(tile), "tile", G_ACTION_GROUP(actions));
    gtk_widget_set_overflow(GTK_WIDGET(tile), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *ns_chart_tile_new(NsLab *lab, const NsFigureKind *kind)
{
    NsChartTile *tile = g_object_new(NS_TYPE_CHART_TILE, NULL);
    tile->lab = g_object_ref(lab);
    tile->kind = kind;
    tile->chart = NS_CHART_VIEW(ns_chart_view_new(kind));
    tile->overlay = gtk_overlay_new();
    gtk_overlay_set_child(GTK_OVERLAY(tile->overlay), GTK_WIDGET(tile->chart));
    gtk_widget_set_parent(tile->overlay, GTK_WIDGET(tile));

    GtkWidget *tools = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
    tile->tools = tools;
    gtk_widget_add_css_class(tools, "tools");
    gtk_widget_set_halign(tools, GTK_ALIGN_END);
    gtk_widget_set_valign(tools, GTK_ALIGN_START);
    if (tile->kind->subject == NS_SUBJECT_GRADIENT || tile->kind->subject == NS_SUBJECT_HIDDEN) {
        tile->quantity = make_quantity(tile);
        gtk_box_append(GTK_BOX(tools), tile->quantity);
    }
    if (tile->kind->log && !tile->kind->rows_are_layers) {
        tile->log = make_log(tile);
        gtk_box_append(GTK_BOX(tools), tile->log);
    }
    tile->menu_button = make_menu_button(tile);
    gtk_box_append(GTK_BOX(tools), tile->menu_button);
    gtk_overlay_add_overlay(GTK_OVERLAY(tile->overlay), tools);

    g_signal_connect_object(lab, "view-changed", G_CALLBACK(sync_controls), tile,
                            G_CONNECT_SWAPPED);
    sync_controls(tile);
    return GTK_WIDGET(tile);
}

NsChartView *ns_chart_tile_chart(NsChartTile *tile)
{
    return tile->chart;
}

const NsFigureKind *ns_chart_tile_kind(NsChartTile *tile)
{
    return tile->kind;
}

void ns_chart_tile_set_maximised(NsChartTile *tile, bool maximised)
{
    if (tile->maximised == maximised) return;
    tile->maximised = maximised;
    gtk_box_remove(GTK_BOX(tile->tools), tile->menu_button);
    tile->menu_button = make_menu_button(tile);
    gtk_box_append(GTK_BOX(tile->tools), tile->menu_button);
}
