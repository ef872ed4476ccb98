/* A live chart.  SPDX-License-Identifier: MIT */
#include "ui/widgets/chart_view.h"

#include <math.h>

#define LEAST_WIDTH 240
#define LEAST_HEIGHT 180

/* Where the crosshair comes from; it is read again after every drawing. */
typedef enum { AIM_NONE, AIM_POINTER, AIM_VALUE } NsAim;

struct _NsChartView {
    GtkWidget parent;
    NsFigure *figure;
    const NsPlot *plot;
    const NsStyle *style;
    NsPlotLayout *layout; /* of the present plot and style at the drawn size, or NULL */
    GdkTexture *texture;  /* drawn from a layout */
    bool stale;           /* the texture shows another plot or style */
    int drawn_width, drawn_height, drawn_scale;
    int corner_width, corner_height;
    double cost; /* ms */
    NsReading reading;
    bool pointed; /* reading holds something */
    NsAim aim;
    double aim_x, aim_y; /* pixels of the pointer, or x value and row */
};

enum { HOVERED, PICKED, MAXIMISED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(NsChartView, ns_chart_view, GTK_TYPE_WIDGET)

static void forget_reading(NsChartView *chart)
{
    if (chart->pointed) ns_reading_clear(&chart->reading);
    chart->pointed = false;
}

/* The layout borrows the plot, and so must go before the plot changes. */
static void forget_layout(NsChartView *chart)
{
    g_clear_pointer(&chart->layout, ns_plot_layout_free);
}

/* The layout of what was drawn last; FALSE while nothing was. */
static bool ensure_layout(NsChartView *chart)
{
    if (!chart->layout && chart->plot && chart->drawn_width > 0)
        chart->layout =
            ns_plot_layout(chart->plot, chart->drawn_width, chart->drawn_height, chart->style);
    return chart->layout != NULL;
}

static void draw(NsChartView *chart, int width, int height, int scale)
{
    gint64 begin = g_get_monotonic_time();
    forget_layout(chart);
    chart->drawn_width = width;
    chart->drawn_height = height;
    chart->drawn_scale = scale;
    chart->stale = false;
    ensure_layout(chart);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width * scale, height * scale);
    cairo_surface_set_device_scale(surface, scale, scale);
    cairo_t *cr = cairo_create(surface);
    ns_plot_draw(chart->layout, cr);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    int stride = cairo_image_surface_get_stride(surface);
    gsize size = (gsize)stride * (gsize)(height * scale);
    g_autoptr(GBytes) bytes =
        g_bytes_new_with_free_func(cairo_image_surface_get_data(surface), size,
                                   (GDestroyNotify)cairo_surface_destroy, surface);
    g_clear_object(&chart->texture);
    if (size > 0)
        chart->texture = gdk_memory_texture_new(width * scale, height * scale, GDK_MEMORY_DEFAULT,
                                                bytes, (gsize)stride);
    chart->cost = (double)(g_get_monotonic_time() - begin) / 1000.0;
}

static void read_aim(NsChartView *chart)
{
    forget_reading(chart);
    if (chart->aim == AIM_NONE || !ensure_layout(chart)) return;
    double px = chart->aim_x, py = chart->aim_y;
    if (chart->aim == AIM_VALUE) {
        NsBox area = ns_plot_area(chart->layout);
        px = ns_plot_x_to_pixel(chart->layout, chart->aim_x);
        py = isfinite(py) ? ns_plot_y_to_pixel(chart->layout, NS_AXIS_LEFT, py)
                          : area.y + area.height / 2;
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

static void ns_chart_view_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    NsChartView *chart = NS_CHART_VIEW(widget);
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    int scale = gtk_widget_get_scale_factor(widget);
    if (!chart->plot || !chart->style || width < 1 || height < 1) return;
    bool stale = chart->stale || !chart->texture || width != chart->drawn_width ||
                 height != chart->drawn_height || scale != chart->drawn_scale;
    if (stale) {
        draw(chart, width, height, scale);
        read_aim(chart);
    }
    graphene_rect_t box = GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height);
    if (chart->texture) gtk_snapshot_append_texture(snapshot, chart->texture, &box);
    if (chart->corner_width > 0) {
        NsColor c = chart->style->background;
        GdkRGBA color = {(float)c.r, (float)c.g, (float)c.b, (float)c.a};
        gtk_snapshot_append_color(snapshot, &color,
                                  &GRAPHENE_RECT_INIT((float)(width - chart->corner_width), 0,
                                                      (float)chart->corner_width,
                                                      (float)chart->corner_height));
    }
    if (chart->pointed && ensure_layout(chart)) {
        cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &box);
        ns_plot_draw_reading(chart->layout, &chart->reading, cr);
        cairo_destroy(cr);
    }
}

static void ns_chart_view_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                  int *minimum, int *natural, int *minimum_baseline,
                                  int *natural_baseline)
{
    (void)widget, (void)for_size;
    *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? LEAST_WIDTH : LEAST_HEIGHT;
    *natural = *minimum;
    *minimum_baseline = *natural_baseline = -1;
}

static void tell_hover(NsChartView *chart)
{
    g_signal_emit(chart, signals[HOVERED], 0, chart->pointed ? chart->reading.x : (double)NAN,
                  chart->pointed ? chart->reading.row : (double)NAN);
}

static void on_motion(NsChartView *chart, double x, double y)
{
    bool before = chart->pointed;
    set_aim(chart, AIM_POINTER, x, y);
    if (before || chart->pointed) tell_hover(chart);
}

static void on_leave(NsChartView *chart)
{
    set_aim(chart, AIM_NONE, 0, 0);
    tell_hover(chart);
}

static void on_click(NsChartView *chart, int presses, double x, double y)
{
    gtk_widget_grab_focus(GTK_WIDGET(chart));
    on_motion(chart, x, y);
    if (presses == 1 && chart->pointed)
        g_signal_emit(chart, signals[PICKED], 0, chart->reading.x);
    else if (presses == 2 && !chart->pointed)
        g_signal_emit(chart, signals[MAXIMISED], 0);
}

/* The keyboard moves the crosshair by pixels until it reads something else. */
static void walk(NsChartView *chart, double direction, bool far)
{
    NsBox area = ns_plot_area(chart->layout);
    double middle = area.y + area.height / 2;
    double px = chart->pointed ? chart->reading.px : area.x + area.width / 2;
    double py = chart->pointed && isfinite(chart->reading.row) ? chart->reading.py : middle;
    double from = chart->pointed ? chart->reading.x : (double)NAN;
    double stride = far ? area.width / 10 : 1.0;
    for (px += direction * stride; px >= area.x && px <= area.x + area.width; px += direction) {
        NsReading reading = {0};
        if (!ns_plot_pick(chart->layout, px, py, &reading)) continue;
        double x = reading.x, row = reading.row;
        ns_reading_clear(&reading);
        if (x == from) continue;
        set_aim(chart, AIM_VALUE, x, row);
        tell_hover(chart);
        return;
    }
}

static gboolean on_key(GtkEventControllerKey *keys, guint keyval, guint code, GdkModifierType state,
                       NsChartView *chart)
{
    (void)keys, (void)code, (void)state;
    if (!ensure_layout(chart)) return GDK_EVENT_PROPAGATE;
    if (keyval == GDK_KEY_Left || keyval == GDK_KEY_Right)
        walk(chart, keyval == GDK_KEY_Right ? 1.0 : -1.0, false);
    else if (keyval == GDK_KEY_Page_Up || keyval == GDK_KEY_Page_Down)
        walk(chart, keyval == GDK_KEY_Page_Down ? 1.0 : -1.0, true);
    else if (keyval == GDK_KEY_Return && chart->pointed)
        g_signal_emit(chart, signals[PICKED], 0, chart->reading.x);
    else
        return GDK_EVENT_PROPAGATE;
    return GDK_EVENT_STOP;
}

bool ns_chart_view_update(NsChartView *chart, const NsFigureInput *input)
{
    uint64_t version = chart->plot ? chart->plot->version : 0;
    bool first = !chart->plot;
    forget_layout(chart);
    chart->plot = ns_figure_update(chart->figure, input);
    if (!first && chart->plot->version == version) return false;
    chart->stale = true;
    gtk_widget_queue_draw(GTK_WIDGET(chart));
    return true;
}

void ns_chart_view_set_style(NsChartView *chart, const NsStyle *style)
{
    if (chart->style == style) return;
    chart->style = style;
    chart->stale = true;
    forget_layout(chart);
    gtk_widget_queue_draw(GTK_WIDGET(chart));
}

void ns_chart_view_set_corner(NsChartView *chart, int width, int height)
{
    if (chart->corner_width == width && chart->corner_height == height) return;
    chart->corner_width = width;
    chart->corner_height = height;
    gtk_widget_queue_draw(GTK_WIDGET(chart));
}

const NsPlot *ns_chart_view_plot(NsChartView *chart)
{
    return chart->plot;
}

GdkTexture *ns_chart_view_texture(NsChartView *chart)
{
    return chart->texture;
}

void ns_chart_view_point_at(NsChartView *chart, double x, double row)
{
    set_aim(chart, isfinite(x) ? AIM_VALUE : AIM_NONE, x, row);
}

void ns_chart_view_describe(NsChartView *chart)
{
    if (!chart->plot) return;
    g_autofree char *words = ns_plot_describe(chart->plot);
    gtk_accessible_update_property(GTK_ACCESSIBLE(chart), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                   words, -1);
}

double ns_chart_view_cost(NsChartView *chart)
{
    return chart->cost;
}

static void ns_chart_view_finalize(GObject *object)
{
    NsChartView *chart = NS_CHART_VIEW(object);
    forget_reading(chart);
    forget_layout(chart);
    g_clear_object(&chart->texture);
    g_clear_pointer(&chart->figure, ns_figure_free);
    G_OBJECT_CLASS(ns_chart_view_parent_class)->finalize(object);
}

static void ns_chart_view_class_init(NsChartViewClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->finalize = ns_chart_view_finalize;
    widget_class->snapshot = ns_chart_view_snapshot;
    widget_class->measure = ns_chart_view_measure;
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
    gtk_widget_class_set_css_name(widget_class, "chart");
    signals[HOVERED] = g_signal_new("hovered", NS_TYPE_CHART_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                    NULL, G_TYPE_NONE, 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
    signals[PICKED] = g_signal_new("picked", NS_TYPE_CHART_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                   NULL, G_TYPE_NONE, 1, G_TYPE_DOUBLE);
    signals[MAXIMISED] = g_signal_new("maximised", NS_TYPE_CHART_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
                                      NULL, NULL, G_TYPE_NONE, 0);
}

static void ns_chart_view_init(NsChartView *chart)
{
    GtkWidget *widget = GTK_WIDGET(chart);
    gtk_widget_set_focusable(widget, TRUE);
    gtk_widget_set_hexpand(widget, TRUE);
    gtk_widget_set_vexpand(widget, TRUE);
    gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN);

    GtkEventController *motion = gtk_event_controller_motion_new();
    g_signal_connect_swapped(motion, "enter", G_CALLBACK(on_motion), chart);
    g_signal_connect_swapped(motion, "motion", G_CALLBACK(on_motion), chart);
    g_signal_connect_swapped(motion, "leave", G_CALLBACK(on_leave), chart);
    gtk_widget_add_controller(widget, motion);

    GtkGesture *click = gtk_gesture_click_new();
    g_signal_connect_swapped(click, "pressed", G_CALLBACK(on_click), chart);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(click));

    GtkEventController *keys = gtk_event_controller_key_new();
    g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), chart);
    gtk_widget_add_controller(widget, keys);
}

GtkWidget *ns_chart_view_new(const NsFigureKind *kind)
{
    NsChartView *chart = g_object_new(NS_TYPE_CHART_VIEW, NULL);
    chart->figure = kind->create();
    gtk_accessible_update_property(GTK_ACCESSIBLE(chart), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   kind->choice.label, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                   kind->choice.purpose ? kind->choice.purpose : "", -1);
    return GTK_WIDGET(chart);
}
