/* A live chart.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/chart_view.h"

#include "core/base/words.h"

#include "ui/plot/heatmap.h"
#include "ui/plot/layout.h"
#include "ui/plot/pins.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"

#include <math.h>

#define LEAST_WIDTH 240
#define LEAST_HEIGHT 180
#define LEAST_PLOT 250 /* minimum height of the plot area if there is a panel below it */
#define COMPACT_WIDTH 96
#define COMPACT_HEIGHT 72
#define NUMBERS_ACROSS 110 /* a thumbnail of this size has numbers at its axes */
#define NUMBERS_DOWN 130
#define BAR_ACROSS 160     /* and one of this width has a color bar as well */
#define COMPACT_SCALE 0.86 /* size of text, marks and padding relative to that of a large chart */

G_DEFINE_FINAL_TYPE(NsChartView, ns_chart_view, GTK_TYPE_WIDGET)

static void forget_reading(NsChartView *chart)
{
    if (chart->pointed) ns_reading_clear(&chart->reading);
    chart->pointed = false;
}

/* The layout borrows the plot, so it is freed before the plot changes. */
static void forget_layout(NsChartView *chart)
{
    g_clear_pointer(&chart->layout, ns_plot_layout_free);
}

/* Makes the layout of the present plot; FALSE without a plot or a size. */
static bool ensure_layout(NsChartView *chart)
{
    if (chart->layout || !chart->plot || chart->rendered_width < 1) return chart->layout != NULL;
    gint64 now = g_get_monotonic_time();
    double seconds = chart->laid_out ? (double)(now - chart->laid_out) / G_USEC_PER_SEC : 0.0;
    chart->laid_out = now;
    chart->rendered = chart->shown;
    ns_live_axes_set(&chart->axes, &chart->rendered, seconds);
    if (chart->alone) chart->rendered.lower = NULL;
    chart->layout = ns_plot_layout(&chart->rendered, chart->rendered_width, chart->rendered_height,
                                   &chart->style);
    if (!chart->rendered.lower || ns_plot_area(chart->layout).height >= LEAST_PLOT) return true;
    chart->alone = true;
    forget_layout(chart);
    chart->rendered.lower = NULL;
    chart->layout = ns_plot_layout(&chart->rendered, chart->rendered_width, chart->rendered_height,
                                   &chart->style);
    return true;
}

/* The texture borrows the pixels and keeps the surface alive. */
static GdkTexture *texture_of(cairo_surface_t *image)
{
    int width = cairo_image_surface_get_width(image),
        height = cairo_image_surface_get_height(image);
    gsize stride = (gsize)cairo_image_surface_get_stride(image);
    g_autoptr(GBytes) bytes = g_bytes_new_with_free_func(
        cairo_image_surface_get_data(image), stride * (gsize)height,
        (GDestroyNotify)cairo_surface_destroy, cairo_surface_reference(image));
    return gdk_memory_texture_new(width, height, GDK_MEMORY_DEFAULT, bytes, stride);
}

/* A renderer on a graphics card gets a texture.  cairo's, which would convert a texture pixel by
 * pixel in every frame (GTK 4.8), gets the surface. */
static GskRenderNode *picture_node(NsChartView *chart, int width, int height)
{
    graphene_rect_t box = GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height);
    GtkNative *native = gtk_widget_get_native(GTK_WIDGET(chart));
    if (!GSK_IS_CAIRO_RENDERER(gtk_native_get_renderer(native)))
        return gsk_texture_node_new(chart->texture = texture_of(chart->surface), &box);
    GskRenderNode *node = gsk_cairo_node_new(&box);
    cairo_t *cr = gsk_cairo_node_get_draw_context(node);
    cairo_set_source_surface(cr, chart->surface, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_paint(cr);
    cairo_destroy(cr);
    return node;
}

static void draw(NsChartView *chart, int width, int height, int scale)
{
    gint64 begin = g_get_monotonic_time();
    if (width != chart->rendered_width || height != chart->rendered_height) {
        forget_layout(chart);
        chart->alone = false;
    }
    chart->rendered_width = width;
    chart->rendered_height = height;
    chart->rendered_scale = scale;
    chart->stale = false;
    ensure_layout(chart);
    g_clear_object(&chart->texture);
    g_clear_pointer(&chart->picture, gsk_render_node_unref);
    g_clear_pointer(&chart->surface, cairo_surface_destroy);
    chart->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width * scale, height * scale);
    cairo_surface_set_device_scale(chart->surface, scale, scale);
    cairo_t *cr = cairo_create(chart->surface);
    ns_plot_draw(chart->layout, cr);
    cairo_destroy(cr);
    cairo_surface_flush(chart->surface);
    if (cairo_surface_status(chart->surface) == CAIRO_STATUS_SUCCESS)
        chart->picture = picture_node(chart, width, height);
    chart->cost = (double)(g_get_monotonic_time() - begin) / 1000.0;
}

static void read_aim(NsChartView *chart)
{
    forget_reading(chart);
    if (chart->aim == NS_AIM_NONE || !ensure_layout(chart)) return;
    double px = chart->aim_x, py = chart->aim_y;
    if (chart->aim == NS_AIM_VALUE) {
        NsBox area = ns_plot_area(chart->layout);
        px = ns_plot_x_to_pixel(chart->layout, chart->aim_x);
        py = isfinite(py) ? ns_plot_row_to_pixel(chart->layout, py) : area.y + area.height / 2;
    }
    chart->pointed = ns_plot_pick(chart->layout, px, py, &chart->reading);
}

static void set_aim(NsChartView *chart, NsAim aim, double x, double y)
{
    bool before = chart->pointed;
    chart->aim = aim;
    chart->aim_x = x;
    chart->aim_y = y;
    read_aim(chart);
    if (before || chart->pointed) gtk_widget_queue_draw(GTK_WIDGET(chart));
}

/* The row of a heatmap as a value on the left axis; NaN elsewhere. */
static double row_value(const NsChartView *chart)
{
    const NsHeatmap *map = chart->shown.heatmap;
    if (!chart->pointed || !map || !map->rows) return NAN;
    return ns_panel_row_value(map, (size_t)chart->reading.row);
}

static void report_hover(NsChartView *chart)
{
    g_signal_emit_by_name(chart, "hovered", chart->pointed ? chart->reading.x : (double)NAN,
                          row_value(chart));
}

static gboolean report_later(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    NsChartView *chart = NS_CHART_VIEW(widget);
    chart->telling = 0;
    if (chart->aim == NS_AIM_POINTER) report_hover(chart);
    return G_SOURCE_REMOVE;
}

/* Draws in another style from now on, if the theme or the size of its text has changed. */
static void adopt_style(NsChartView *chart)
{
    const NsStyle *style = ns_chart_style_for(GTK_WIDGET(chart));
    double corner = chart->style.corner, corner_height = chart->style.corner_height;
    if (chart->given == style) return;
    chart->given = style;
    chart->style = chart->compact ? ns_style_scaled(style, COMPACT_SCALE) : *style;
    chart->style.corner = corner;
    chart->style.corner_height = corner_height;
    chart->stale = true;
    chart->alone = false;
    forget_layout(chart);
}

bool ns_chart_view_has_tip(NsChartView *chart)
{
    bool own = chart->aim == NS_AIM_POINTER || gtk_widget_has_focus(GTK_WIDGET(chart));
    if (!chart->pointed || (chart->band.width > 0 && chart->band.height > 0)) return false;
    for (size_t i = 0; i < chart->view_state.n_pins; i++) {
        const NsPin *pin = &chart->view_state.pins[i];
        bool row = isnan(pin->row) || pin->row == row_value(chart);
        if (pin->x == chart->reading.x && row) return false;
    }
    return own || !ns_plot_has_legend(chart->layout);
}

static void ns_chart_view_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    NsChartView *chart = NS_CHART_VIEW(widget);
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    int scale = gtk_widget_get_scale_factor(widget);
    if (!chart->plot || width < 1 || height < 1) return;
    adopt_style(chart);
    bool stale = chart->stale || !chart->surface || width != chart->rendered_width ||
                 height != chart->rendered_height || scale != chart->rendered_scale;
    if (stale) {
        double before = chart->pointed ? chart->reading.x : (double)NAN;
        draw(chart, width, height, scale);
        read_aim(chart);
        /* The data may move under a pointer at rest. */
        bool moved = chart->aim == NS_AIM_POINTER && chart->pointed && chart->reading.x != before;
        if (moved && !chart->telling)
            chart->telling = gtk_widget_add_tick_callback(widget, report_later, NULL, NULL);
    }
    graphene_rect_t box = GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height);
    if (chart->picture) gtk_snapshot_append_node(snapshot, chart->picture);
    bool banded = chart->band.width > 0 && chart->band.height > 0;
    if ((chart->pointed || chart->view_state.n_pins || banded) && ensure_layout(chart)) {
        cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &box);
        if (chart->pointed && !banded) ns_plot_draw_reading(chart->layout, &chart->reading, cr);
        ns_plot_draw_pins(chart->layout, chart->view_state.pins, chart->view_state.n_pins, cr);
        if (banded) ns_plot_draw_band(chart->layout, chart->band, cr);
        if (ns_chart_view_has_tip(chart)) ns_plot_draw_tip(chart->layout, &chart->reading, cr);
        cairo_destroy(cr);
    }
}

static void ns_chart_view_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                  int *minimum, int *natural, int *minimum_baseline,
                                  int *natural_baseline)
{
    (void)for_size;
    bool compact = NS_CHART_VIEW(widget)->compact;
    if (orientation == GTK_ORIENTATION_HORIZONTAL)
        *minimum = compact ? COMPACT_WIDTH : LEAST_WIDTH;
    else
        *minimum = compact ? COMPACT_HEIGHT : LEAST_HEIGHT;
    *natural = *minimum;
    *minimum_baseline = *natural_baseline = -1;
}

void ns_chart_view_hover(NsChartView *chart, double px, double py)
{
    bool before = chart->pointed;
    /* A pointer that leaves does not hide a crosshair that the keyboard or another chart shows. */
    if (!isfinite(px) && chart->aim != NS_AIM_POINTER) return;
    set_aim(chart, isfinite(px) ? NS_AIM_POINTER : NS_AIM_NONE, px, py);
    if (before || chart->pointed) report_hover(chart);
}

void ns_chart_view_walk(NsChartView *chart, int64_t columns, int64_t rows)
{
    if (!ensure_layout(chart)) return;
    double x =
        ns_plot_next_x(&chart->shown, chart->pointed ? chart->reading.x : (double)NAN, columns);
    double row = ns_plot_next_row(&chart->shown, row_value(chart), rows);
    if (!isfinite(x)) return;
    if (ns_view_state_reveal(&chart->view_state, chart->layout, x))
        ns_chart_view_state_changed(chart);
    set_aim(chart, NS_AIM_VALUE, x, row);
    report_hover(chart);
    ns_chart_view_describe(chart);
}

bool ns_chart_view_pin(NsChartView *chart)
{
    if (!chart->pointed) return true;
    if (!ns_view_state_pin(&chart->view_state, chart->reading.x, row_value(chart))) return false;
    ns_chart_view_state_changed(chart);
    return true;
}

void ns_chart_view_emit_click(NsChartView *chart)
{
    if (chart->pointed) g_signal_emit_by_name(chart, "clicked", chart->reading.x, row_value(chart));
}

void ns_chart_view_set_band(NsChartView *chart, NsBox band)
{
    chart->band = band;
    gtk_widget_queue_draw(GTK_WIDGET(chart));
}

void ns_chart_view_leave_note(NsChartView *chart)
{
    chart->noteless = true;
}

/* An axis of steps says how far a run is, so that the caption need not: in charts next to each
 * other, that number would be of different moments while it moves. */
static void leave_out_step(NsChartView *chart)
{
    NsPlot *shown = &chart->shown;
    g_clear_pointer(&chart->caption, g_free);
    if (chart->kind->abscissa != NS_OVER_STEPS || !shown->moment || !shown->subtitle ||
        !g_str_has_suffix(shown->subtitle, shown->moment))
        return;
    size_t length = strlen(shown->subtitle) - strlen(shown->moment);
    g_autofree char *settings = g_strndup(shown->subtitle, length); /* with the comma after them */
    chart->caption = g_strconcat(settings, shown->seed, NULL);
    if (!shown->seed) chart->caption[length < 2 ? 0 : length - 2] = '\0';
    shown->subtitle = *chart->caption ? chart->caption : NULL;
    shown->moment = shown->seed;
}

/* Applies the view state to the plot again; the picture is out of date. */
static void refocus(NsChartView *chart)
{
    forget_layout(chart);
    chart->stale = true;
    if (!chart->plot) return;
    ns_view_state_apply(&chart->view_state, chart->plot, &chart->shown, chart->shown_series);
    if (chart->noteless) chart->shown.note = NULL;
    leave_out_step(chart);
    if (chart->compact) {
        /* Removes all but the title, the curves and, if there is space, the axes, the letters of
         * the lanes and the color bar from a thumbnail; the chart on the stage has the rest. */
        chart->shown.moment = chart->shown.note = NULL;
        chart->shown.subtitle =
            chart->shown.seed || chart->name ? chart->shown.seed : chart->shown.run;
        chart->shown.special = 0;
        chart->shown.lower = NULL;
        bool panels = chart->shown.heatmap; /* have the letters beside them */
        if (!chart->numbers || panels) chart->shown.legend = NS_LEGEND_NONE;
        chart->shown.n_keys = 0;
        chart->shown.no_bar = !chart->bar;
        chart->shown.x.quiet = !chart->numbers;
        /* The lanes of a map are there as well. */
        chart->shown.left.quiet = !chart->numbers && !chart->shown.heatmap;
        chart->shown.thumbnail = true;
        chart->shown.n_markers = chart->shown.n_levels = chart->shown.n_slopes = 0;
    }
    if (chart->compact && chart->name) chart->shown.title = chart->name;
    chart->shown.version = ++chart->version;
    gtk_widget_queue_draw(GTK_WIDGET(chart));
}

static void ns_chart_view_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    (void)baseline;
    NsChartView *chart = NS_CHART_VIEW(widget);
    double scale = ns_widget_text_scale(widget);
    bool numbers = width >= NUMBERS_ACROSS * scale && height >= NUMBERS_DOWN * scale;
    bool bar = numbers && width >= BAR_ACROSS * scale;
    if (chart->numbers == numbers && chart->bar == bar) return;
    chart->numbers = numbers;
    chart->bar = bar;
    if (chart->compact) refocus(chart);
}

void ns_chart_view_state_changed(NsChartView *chart)
{
    refocus(chart);
    g_signal_emit_by_name(chart, "view-state-changed");
}

void ns_chart_view_advance(NsChartView *chart, double newest)
{
    if (ns_view_state_advance(&chart->view_state, newest)) refocus(chart);
}

const NsPlotLayout *ns_chart_view_layout(NsChartView *chart)
{
    return ensure_layout(chart) ? chart->layout : NULL;
}

const NsReading *ns_chart_view_reading(NsChartView *chart)
{
    return chart->pointed ? &chart->reading : NULL;
}

bool ns_chart_view_update(NsChartView *chart, const NsFigureInput *input)
{
    uint64_t version = chart->plot ? chart->plot->version : 0;
    bool first = !chart->plot;
    forget_layout(chart);
    chart->plot = ns_figure_update(chart->figure, input);
    if (!first && chart->plot->version == version) return false;
    refocus(chart);
    return true;
}

static void ns_chart_view_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    GTK_WIDGET_CLASS(ns_chart_view_parent_class)->css_changed(widget, change);
    gtk_widget_queue_draw(widget);
}

void ns_chart_view_set_compact(NsChartView *chart, bool compact)
{
    if (chart->compact == compact) return;
    chart->compact = compact;
    gtk_widget_set_focusable(GTK_WIDGET(chart), !compact);
    gtk_widget_queue_resize(GTK_WIDGET(chart));
    chart->given = NULL; /* a thumbnail has smaller text */
    refocus(chart);
}

void ns_chart_view_set_name(NsChartView *chart, char *name)
{
    if (g_strcmp0(chart->name, name) == 0) {
        g_free(name);
        return;
    }
    char *old = chart->name;
    chart->name = name;
    if (chart->compact) refocus(chart);
    g_free(old); /* the space of the title is free again */
}

void ns_chart_view_set_corner(NsChartView *chart, int width, int height)
{
    if (chart->style.corner == width && chart->style.corner_height == height) return;
    chart->style.corner = width;
    chart->style.corner_height = height;
    chart->stale = true;
    chart->alone = false;
    forget_layout(chart);
    gtk_widget_queue_draw(GTK_WIDGET(chart));
}

GdkTexture *ns_chart_view_texture(NsChartView *chart)
{
    if (!chart->texture && chart->picture) chart->texture = texture_of(chart->surface);
    return chart->texture;
}

void ns_chart_view_point_at(NsChartView *chart, double x, double row)
{
    set_aim(chart, isfinite(x) ? NS_AIM_VALUE : NS_AIM_NONE, x, row);
}

void ns_chart_view_describe(NsChartView *chart)
{
    if (!chart->plot) return;
    g_autofree char *summary = ns_plot_describe(&chart->shown);
    g_autofree char *reading = chart->pointed ? ns_text_plain(chart->reading.text) : NULL;
    g_auto(GStrv) lines = reading ? g_strsplit(reading, "\n", -1) : NULL;
    g_autofree char *read = lines ? g_strjoinv(", ", lines) : NULL;
    g_autofree char *words = read ? g_strconcat(read, ". ", summary, NULL) : g_strdup(summary);
    gtk_accessible_update_property(GTK_ACCESSIBLE(chart), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                   words, -1);
}

static void ns_chart_view_finalize(GObject *object)
{
    NsChartView *chart = NS_CHART_VIEW(object);
    forget_reading(chart);
    forget_layout(chart);
    ns_view_state_clear(&chart->view_state);
    g_array_unref(chart->shown_series);
    g_clear_object(&chart->texture);
    g_clear_pointer(&chart->picture, gsk_render_node_unref);
    g_clear_pointer(&chart->surface, cairo_surface_destroy);
    g_clear_pointer(&chart->figure, ns_figure_free);
    g_clear_pointer(&chart->name, g_free);
    g_clear_pointer(&chart->caption, g_free);
    G_OBJECT_CLASS(ns_chart_view_parent_class)->finalize(object);
}

static void ns_chart_view_class_init(NsChartViewClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->finalize = ns_chart_view_finalize;
    widget_class->snapshot = ns_chart_view_snapshot;
    widget_class->css_changed = ns_chart_view_css_changed;
    widget_class->measure = ns_chart_view_measure;
    widget_class->size_allocate = ns_chart_view_size_allocate;
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
    gtk_widget_class_set_css_name(widget_class, "chart");
    ns_signal_new(NS_TYPE_CHART_VIEW, "hovered", 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
    ns_signal_new(NS_TYPE_CHART_VIEW, "clicked", 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
    ns_signal_new(NS_TYPE_CHART_VIEW, "view-state-changed", 0);
    ns_signal_new(NS_TYPE_CHART_VIEW, "menu", 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
    ns_signal_new(NS_TYPE_CHART_VIEW, "handle-moved", 2, G_TYPE_INT, G_TYPE_DOUBLE);
    ns_signal_new(NS_TYPE_CHART_VIEW, "sentence", 1, G_TYPE_STRING);
}

static void ns_chart_view_init(NsChartView *chart)
{
    GtkWidget *widget = GTK_WIDGET(chart);
    gtk_widget_set_focusable(widget, TRUE);
    gtk_widget_set_hexpand(widget, TRUE);
    gtk_widget_set_vexpand(widget, TRUE);
    gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN);
    chart->shown_series = g_array_new(FALSE, FALSE, sizeof(NsSeries));
    ns_view_state_init(&chart->view_state);
}

static void name_accessible(NsChartView *chart)
{
    const NsChoice *choice = &chart->kind->choice;
    gtk_accessible_update_property(GTK_ACCESSIBLE(chart), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   _(choice->label), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                   choice->purpose ? _(choice->purpose) : "", -1);
}

GtkWidget *ns_chart_view_new(const NsFigureKind *kind)
{
    NsChartView *chart = g_object_new(NS_TYPE_CHART_VIEW, NULL);
    chart->kind = kind;
    chart->figure = ns_figure_create(kind);
    name_accessible(chart);
    return GTK_WIDGET(chart);
}

void ns_chart_view_set_kind(NsChartView *chart, const NsFigureKind *kind)
{
    if (chart->kind == kind) return;
    forget_reading(chart);
    forget_layout(chart);
    chart->aim = NS_AIM_NONE;
    chart->plot = NULL;
    ns_figure_free(chart->figure);
    chart->kind = kind;
    chart->figure = ns_figure_create(kind);
    ns_view_state_clear(&chart->view_state);
    ns_view_state_init(&chart->view_state);
    chart->stale = true;
    name_accessible(chart);
    gtk_widget_queue_draw(GTK_WIDGET(chart));
}
