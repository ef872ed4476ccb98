/* Pointer and keyboard on a chart.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/chart_input.h"

#include "core/base/words.h"

#include "ui/plot/layout.h"
#include "ui/plot/pins.h"

#include <math.h>

#define INPUT "ns-chart-input" /* of the object */

#define NOTCH 0.8    /* width of the view after a wheel notch that zooms in, relative to before */
#define KEY_ZOOM 0.8 /* the same ratio for a key */
#define KEY_PAN 0.1  /* of the width of the plot area */
#define SIDEWAYS 40  /* pixels of panning for a notch sideways */
#define DRAG_FROM 4  /* distance in pixels at which a press becomes a drag */
#define BOX_FROM 10  /* a box that is flatter or narrower zooms one axis */
#define FAR 10       /* points for Page Up and Page Down */

typedef enum { DRAG_NONE, DRAG_BOX, DRAG_PAN, DRAG_HANDLE } Drag;

typedef struct {
    NsChartView *chart; /* owns this */
    guint tick;
    /* The input since the last frame: */
    bool moved;
    double px, py; /* of the pointer */
    double notches_x, notches_y;
    double pan_x, pan_y;
    Drag drag;
    double from_x, from_y;           /* where the drag began */
    double done_x, done_y;           /* the part of a pan that was applied or is waiting */
    bool boxed;                      /* the box or the position of the handle has changed */
    int handle;                      /* as of ns_plot_handle_at, that was pressed; -1 for none */
    bool upright;                    /* the handle moves vertically */
    double handle_at, handle_stride; /* value of the handle at the press, and units per pixel */
    /* State before the first click of a double click, whose effect is undone. */
    NsPin pins[NS_VIEW_STATE_PINS];
    size_t n_pins;
} Input;

static bool in_area(Input *input, double px, double py)
{
    const NsPlotLayout *layout = ns_chart_view_layout(input->chart);
    if (!layout) return false;
    NsBox area = ns_plot_area(layout);
    return px >= area.x && px <= area.x + area.width && py >= area.y && py <= area.y + area.height;
}

static int legend_at(Input *input, double px, double py)
{
    const NsPlotLayout *layout = ns_chart_view_layout(input->chart);
    return layout ? ns_plot_legend_at(layout, px, py) : -1;
}

static int handle_at(Input *input, double px, double py)
{
    const NsPlotLayout *layout = ns_chart_view_layout(input->chart);
    return layout ? ns_plot_handle_at(layout, px, py) : -1;
}

static void zoom(Input *input, double px, double py, double factor_x, double factor_y)
{
    const NsPlotLayout *layout = ns_chart_view_layout(input->chart);
    bool changed = layout && ns_view_state_zoom_about(&input->chart->view_state, layout, px, py,
                                                      factor_x, factor_y);
    if (changed) ns_chart_view_state_changed(input->chart);
}

static void pan(Input *input, double dx, double dy)
{
    const NsPlotLayout *layout = ns_chart_view_layout(input->chart);
    bool changed = layout && ns_view_state_pan(&input->chart->view_state, layout, dx, dy);
    if (changed) ns_chart_view_state_changed(input->chart);
}

static void fit(Input *input)
{
    const NsPlot *drawn = ns_chart_view_layout(input->chart) ? &input->chart->rendered : NULL;
    ns_view_state_fit(&input->chart->view_state, drawn);
    ns_chart_view_state_changed(input->chart);
}

/* The box of a drag; flat or narrow, it reaches across the whole area. */
static NsBox box_of(Input *input)
{
    NsBox area = ns_plot_area(ns_chart_view_layout(input->chart));
    NsBox box = {MIN(input->from_x, input->px), MIN(input->from_y, input->py),
                 fabs(input->px - input->from_x), fabs(input->py - input->from_y)};
    bool flat = box.height < BOX_FROM, narrow = box.width < BOX_FROM;
    if (flat) box.y = area.y, box.height = area.height;
    if (narrow && !flat) box.x = area.x, box.width = area.width;
    double right = MIN(box.x + box.width, area.x + area.width);
    double bottom = MIN(box.y + box.height, area.y + area.height);
    box.x = MAX(box.x, area.x);
    box.y = MAX(box.y, area.y);
    box.width = MAX(right - box.x, 0);
    box.height = MAX(bottom - box.y, 0);
    return box;
}

static void set_cursor(Input *input)
{
    const char *name = NULL;
    const NsPlot *plot = input->chart->plot;
    int over = input->drag == DRAG_NONE ? handle_at(input, input->px, input->py) : -1;
    bool upright = over >= 0 ? (size_t)over >= plot->n_markers : input->upright;
    if (input->drag == DRAG_PAN)
        name = "grabbing";
    else if (input->drag == DRAG_HANDLE || over >= 0)
        name = upright ? "ns-resize" : "ew-resize";
    else if (legend_at(input, input->px, input->py) >= 0)
        name = "pointer";
    else if (in_area(input, input->px, input->py))
        name = "crosshair";
    GtkWidget *widget = GTK_WIDGET(input->chart);
    GdkCursor *now = gtk_widget_get_cursor(widget);
    if (g_strcmp0(now ? gdk_cursor_get_name(now) : NULL, name) != 0)
        gtk_widget_set_cursor_from_name(widget, name);
}

/* Moves the handle by as much as the pointer, in units of the axis at the press, because the axis
 * may grow with the value that is dragged. */
static void move_handle(Input *input)
{
    double way = input->upright ? input->py - input->from_y : input->px - input->from_x;
    g_signal_emit_by_name(input->chart, "handle-moved", input->handle,
                          input->handle_at + way * input->handle_stride);
}

static void press_handle(Input *input)
{
    const NsPlotLayout *layout = ns_chart_view_layout(input->chart);
    input->handle = handle_at(input, input->from_x, input->from_y);
    if (input->handle < 0) return;
    const NsPlot *plot = input->chart->plot;
    input->upright = (size_t)input->handle >= plot->n_markers;
    if (input->upright) {
        const NsLevel *level = &plot->levels[(size_t)input->handle - plot->n_markers];
        double near = level->y * 0.99;
        input->handle_at = level->y;
        input->handle_stride = (level->y - near) / (ns_plot_y_to_pixel(layout, level->y) -
                                                    ns_plot_y_to_pixel(layout, near));
        return;
    }
    double at = plot->markers[input->handle].x;
    double px = ns_plot_x_to_pixel(layout, at);
    input->handle_at = at;
    input->handle_stride = ns_plot_pixel_to_x(layout, px + 1) - at;
}

static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)widget, (void)clock;
    Input *input = data;
    input->tick = 0;
    if (input->notches_x != 0 || input->notches_y != 0)
        zoom(input, input->px, input->py, pow(NOTCH, input->notches_x),
             pow(NOTCH, input->notches_y));
    if (input->pan_x != 0 || input->pan_y != 0) pan(input, input->pan_x, input->pan_y);
    if (input->boxed && input->drag == DRAG_BOX && ns_chart_view_layout(input->chart))
        ns_chart_view_set_band(input->chart, box_of(input));
    if (input->boxed && input->drag == DRAG_HANDLE) move_handle(input);
    if (input->moved && input->drag == DRAG_NONE)
        ns_chart_view_hover(input->chart, input->px, input->py);
    set_cursor(input);
    input->notches_x = input->notches_y = input->pan_x = input->pan_y = 0;
    input->moved = input->boxed = false;
    return G_SOURCE_REMOVE;
}

/* Lets the input act before the next frame. */
static void wait_for_frame(Input *input)
{
    if (!input->tick)
        input->tick = gtk_widget_add_tick_callback(GTK_WIDGET(input->chart), on_tick, input, NULL);
}

/* GTK also sends a motion of a pointer at rest whenever a widget has a new size.  Such an event has
 * no time, and is ignored: the keyboard may have moved the crosshair since. */
static void on_motion(GtkEventController *motion, double x, double y, Input *input)
{
    input->px = x;
    input->py = y;
    if (gtk_event_controller_get_current_event_time(motion) == GDK_CURRENT_TIME) return;
    input->moved = true;
    wait_for_frame(input);
}

static void on_leave(Input *input)
{
    input->moved = false;
    if (input->drag == DRAG_NONE) ns_chart_view_hover(input->chart, NAN, NAN);
}

static GdkModifierType modifiers_of(gpointer controller)
{
    return gtk_event_controller_get_current_event_state(controller);
}

static gboolean on_scroll(GtkEventControllerScroll *scroll, double dx, double dy, Input *input)
{
    /* Where a page of charts scrolls, the wheel does that beside the plot areas. */
    if (!in_area(input, input->px, input->py)) return GDK_EVENT_PROPAGATE;
    if (modifiers_of(scroll) & GDK_SHIFT_MASK) {
        input->notches_y -= dy != 0 ? dy : dx; /* some systems turn the wheel sideways with Shift */
    } else {
        input->notches_x -= dy;
        input->pan_x -= dx * SIDEWAYS;
    }
    wait_for_frame(input);
    return GDK_EVENT_STOP;
}

static void on_drag_begin(GtkGestureDrag *gesture, double x, double y, Input *input)
{
    (void)gesture;
    input->from_x = input->px = x;
    input->from_y = input->py = y;
    input->done_x = input->done_y = 0;
    press_handle(input);
}

/* A pointer that is still close to the press may be about to click. */
static void on_drag_update(GtkGestureDrag *gesture, double dx, double dy, Input *input)
{
    if (input->drag == DRAG_NONE) {
        guint button = gtk_gesture_single_get_current_button(GTK_GESTURE_SINGLE(gesture));
        bool pans = button == GDK_BUTTON_MIDDLE || modifiers_of(gesture) & GDK_SHIFT_MASK;
        bool from_inside = in_area(input, input->from_x, input->from_y) || input->handle >= 0;
        if (hypot(dx, dy) < DRAG_FROM || !from_inside) return;
        input->drag = input->handle >= 0 ? DRAG_HANDLE : pans ? DRAG_PAN : DRAG_BOX;
        ns_chart_view_hover(input->chart, NAN, NAN);
    }
    input->px = input->from_x + dx;
    input->py = input->from_y + dy;
    if (input->drag == DRAG_PAN) {
        input->pan_x += dx - input->done_x;
        input->pan_y += dy - input->done_y;
        input->done_x = dx;
        input->done_y = dy;
    }
    input->boxed = input->drag != DRAG_PAN;
    wait_for_frame(input);
    gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
}

/* Ends the drag and keeps its effect. */
static void end_drag(Input *input)
{
    if (input->drag == DRAG_NONE) return;
    input->drag = DRAG_NONE;
    input->boxed = false;
    ns_chart_view_set_band(input->chart, (NsBox){0});
    wait_for_frame(input);
}

static void on_drag_end(GtkGestureDrag *gesture, double dx, double dy, Input *input)
{
    (void)gesture;
    if (input->drag == DRAG_BOX || input->drag == DRAG_HANDLE) {
        input->px = input->from_x + dx;
        input->py = input->from_y + dy;
    }
    if (input->drag == DRAG_BOX && ns_chart_view_layout(input->chart)) {
        NsBox box = box_of(input);
        /* It does not zoom along an axis on which it is flat or narrow. */
        if (fabs(input->py - input->from_y) < BOX_FROM)
            box.height = 0;
        else if (fabs(input->px - input->from_x) < BOX_FROM)
            box.width = 0;
        NsViewState *view_state = &input->chart->view_state;
        if (ns_view_state_zoom_to(view_state, ns_chart_view_layout(input->chart), box))
            ns_chart_view_state_changed(input->chart);
    }
    if (input->drag == DRAG_HANDLE) move_handle(input);
    end_drag(input);
}

static void pin(Input *input)
{
    if (ns_chart_view_pin(input->chart)) return;
    g_autofree char *sentence = g_strdup_printf(
        _("%d readings are pinned on this chart; remove one with Delete, or all with Esc."),
        NS_VIEW_STATE_PINS);
    g_signal_emit_by_name(input->chart, "sentence", sentence);
}

/* A press that may become a click, or the second one of two. */
static void on_pressed(GtkGestureClick *click, int presses, double x, double y, Input *input)
{
    (void)click;
    NsViewState *view_state = &input->chart->view_state;
    gtk_widget_grab_focus(GTK_WIDGET(input->chart));
    /* The user has turned to the pointer, so Space runs the model again, though keys moved the
     * crosshair before. */
    gtk_window_set_focus_visible(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(input->chart))), FALSE);
    if (presses == 1) {
        memcpy(input->pins, view_state->pins, sizeof input->pins);
        input->n_pins = view_state->n_pins;
        return;
    }
    if (presses > 2 || legend_at(input, x, y) >= 0) return;
    if (!in_area(input, x, y)) {
        gtk_widget_activate_action(GTK_WIDGET(input->chart), "win.maximize", NULL);
        return;
    }
    memcpy(view_state->pins, input->pins, sizeof view_state->pins);
    view_state->n_pins = input->n_pins;
    fit(input);
}

static void on_released(GtkGestureClick *click, int presses, double x, double y, Input *input)
{
    int series = legend_at(input, x, y);
    if (series >= 0) {
        bool solo = modifiers_of(click) & (GDK_ALT_MASK | GDK_CONTROL_MASK);
        const NsPlot *plot = input->chart->plot;
        NsViewState *view_state = &input->chart->view_state;
        const char *label = ns_series_name(&plot->series[series]);
        if (solo)
            ns_view_state_solo(view_state, plot, label);
        else
            ns_view_state_hide(view_state, label, !ns_view_state_hides(view_state, label));
        ns_chart_view_state_changed(input->chart);
        return;
    }
    if (presses != 1 || !in_area(input, x, y)) return;
    NsViewState *view_state = &input->chart->view_state;
    unsigned number = ns_plot_pin_at(ns_chart_view_layout(input->chart), view_state->pins,
                                     view_state->n_pins, x, y);
    ns_chart_view_hover(input->chart, x, y);
    ns_chart_view_emit_click(input->chart);
    if (number && ns_view_state_unpin(view_state, number))
        ns_chart_view_state_changed(input->chart);
    else
        pin(input);
}

static void on_menu(GtkGestureClick *click, int presses, double x, double y, Input *input)
{
    (void)click, (void)presses;
    gtk_widget_grab_focus(GTK_WIDGET(input->chart));
    g_signal_emit_by_name(input->chart, "menu", x, y);
}

/* The center of a zoom by a key: the crosshair, or the middle of the chart. */
static void zoom_by_key(Input *input, double factor_x, double factor_y)
{
    const NsPlotLayout *layout = ns_chart_view_layout(input->chart);
    if (!layout) return;
    const NsReading *reading = ns_chart_view_reading(input->chart);
    NsBox area = ns_plot_area(layout);
    double px = reading ? reading->px : area.x + area.width / 2;
    zoom(input, px, area.y + area.height / 2, factor_x, factor_y);
}

static void remove_pin(Input *input)
{
    NsViewState *view_state = &input->chart->view_state;
    const NsPlotLayout *layout = ns_chart_view_layout(input->chart);
    const NsReading *reading = ns_chart_view_reading(input->chart);
    unsigned number = 0;
    if (layout && reading)
        number =
            ns_plot_pin_at(layout, view_state->pins, view_state->n_pins, reading->px, reading->py);
    if (ns_view_state_unpin(view_state, number)) ns_chart_view_state_changed(input->chart);
}

static void menu_by_key(Input *input)
{
    const NsPlotLayout *layout = ns_chart_view_layout(input->chart);
    const NsReading *reading = ns_chart_view_reading(input->chart);
    NsBox area = layout ? ns_plot_area(layout) : (NsBox){0};
    g_signal_emit_by_name(input->chart, "menu", reading ? reading->px : area.x + area.width / 2,
                          area.y + area.height / 2);
}

/* FALSE for a key that is not meant for a chart. */
static bool act_on_key(Input *input, guint keyval)
{
    NsChartView *chart = input->chart;
    switch (keyval) {
    case GDK_KEY_Left:
    case GDK_KEY_Right:
        ns_chart_view_walk(chart, keyval == GDK_KEY_Right ? 1 : -1, 0);
        return true;
    case GDK_KEY_Page_Up:
    case GDK_KEY_Page_Down:
        ns_chart_view_walk(chart, keyval == GDK_KEY_Page_Down ? FAR : -FAR, 0);
        return true;
    case GDK_KEY_Home:
        ns_chart_view_walk(chart, NS_NEXT_FIRST, 0);
        return true;
    case GDK_KEY_End:
        ns_chart_view_walk(chart, NS_NEXT_LAST, 0);
        return true;
    case GDK_KEY_Up:
    case GDK_KEY_Down:
        if (!chart->plot || !chart->plot->heatmap) return false;
        ns_chart_view_walk(chart, 0, keyval == GDK_KEY_Up ? 1 : -1);
        return true;
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
        zoom_by_key(input, KEY_ZOOM, 1);
        return true;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
        zoom_by_key(input, 1 / KEY_ZOOM, 1);
        return true;
    case GDK_KEY_0:
    case GDK_KEY_KP_0:
        fit(input);
        return true;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_space:
        pin(input);
        return true;
    case GDK_KEY_Delete:
    case GDK_KEY_BackSpace:
        remove_pin(input);
        return true;
    case GDK_KEY_Menu:
        menu_by_key(input);
        return true;
    default:
        return false;
    }
}

static bool act_on_shifted_key(Input *input, guint keyval)
{
    switch (keyval) {
    case GDK_KEY_Up:
    case GDK_KEY_Down:
        zoom_by_key(input, 1, keyval == GDK_KEY_Up ? KEY_ZOOM : 1 / KEY_ZOOM);
        return true;
    case GDK_KEY_Left:
    case GDK_KEY_Right: {
        const NsPlotLayout *layout = ns_chart_view_layout(input->chart);
        double by = layout ? KEY_PAN * ns_plot_area(layout).width : 0;
        pan(input, keyval == GDK_KEY_Left ? by : -by, 0);
        return true;
    }
    case GDK_KEY_F10:
        menu_by_key(input);
        return true;
    default:
        return act_on_key(input, keyval); /* + is a shifted key on many keyboards */
    }
}

static gboolean on_key(GtkEventControllerKey *keys, guint keyval, guint code, GdkModifierType state,
                       Input *input)
{
    (void)keys, (void)code;
    if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)) return GDK_EVENT_PROPAGATE;
    return state & GDK_SHIFT_MASK ? act_on_shifted_key(input, keyval) : act_on_key(input, keyval);
}

static void add_drag(Input *input, guint button)
{
    GtkGesture *drag = gtk_gesture_drag_new();
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(drag), button);
    g_signal_connect(drag, "drag-begin", G_CALLBACK(on_drag_begin), input);
    g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), input);
    g_signal_connect(drag, "drag-end", G_CALLBACK(on_drag_end), input);
    g_signal_connect_swapped(drag, "cancel", G_CALLBACK(end_drag), input);
    gtk_widget_add_controller(GTK_WIDGET(input->chart), GTK_EVENT_CONTROLLER(drag));
}

void ns_chart_input_add(NsChartView *chart)
{
    GtkWidget *widget = GTK_WIDGET(chart);
    Input *input = g_new0(Input, 1);
    input->chart = chart;
    input->handle = -1;
    g_object_set_data_full(G_OBJECT(chart), INPUT, input, g_free);

    GtkEventController *motion = gtk_event_controller_motion_new();
    g_signal_connect(motion, "enter", G_CALLBACK(on_motion), input);
    g_signal_connect(motion, "motion", G_CALLBACK(on_motion), input);
    g_signal_connect_swapped(motion, "leave", G_CALLBACK(on_leave), input);
    gtk_widget_add_controller(widget, motion);

    GtkEventController *scroll =
        gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
    g_signal_connect(scroll, "scroll", G_CALLBACK(on_scroll), input);
    gtk_widget_add_controller(widget, scroll);

    add_drag(input, GDK_BUTTON_PRIMARY);
    add_drag(input, GDK_BUTTON_MIDDLE);

    GtkGesture *click = gtk_gesture_click_new();
    g_signal_connect(click, "pressed", G_CALLBACK(on_pressed), input);
    g_signal_connect(click, "released", G_CALLBACK(on_released), input);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(click));

    GtkGesture *menu = gtk_gesture_click_new();
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(menu), GDK_BUTTON_SECONDARY);
    g_signal_connect(menu, "pressed", G_CALLBACK(on_menu), input);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(menu));

    GtkEventController *keys = gtk_event_controller_key_new();
    g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), input);
    gtk_widget_add_controller(widget, keys);
}
