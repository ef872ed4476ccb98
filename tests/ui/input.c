/* SPDX-License-Identifier: MIT */
#include "tests/ui/input.h"

#include "tests/ui/support.h"

#define FRAMES 3            /* that an event may take to act: its own, and two of what follows */
#define PATIENTLY_MS 600000 /* for the second click of two */

static gboolean on_idle(gpointer idle)
{
    *(bool *)idle = true;
    return G_SOURCE_REMOVE;
}

/* All that waits, of whatever priority, has had its turn. */
static void let_all_act(void)
{
    bool idle = false;
    g_idle_add_full(G_PRIORITY_LOW, on_idle, &idle, NULL);
    UI_UNTIL(idle);
}

static gboolean on_frame(GtkWidget *widget, GdkFrameClock *clock, gpointer frames)
{
    (void)widget, (void)clock;
    ++*(int *)frames;
    return G_SOURCE_CONTINUE;
}

#ifdef NS_XTEST

#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/extensions/XTest.h>
#include <gdk/x11/gdkx.h>

static Display *display(void)
{
    return gdk_x11_display_get_xdisplay(gdk_display_get_default());
}

static bool find_input(void)
{
    int event, error, major, minor;
    return GDK_IS_X11_DISPLAY(gdk_display_get_default()) &&
           XTestQueryExtension(display(), &event, &error, &major, &minor);
}

/* What the server makes of the events is here when it returns. */
static void sync_server(void)
{
    XSync(display(), False);
}

static Window window_of(GtkWidget *widget)
{
    return gdk_x11_surface_get_xid(gtk_native_get_surface(gtk_widget_get_native(widget)));
}

void ui_pointer_to(GtkWidget *widget, double x, double y)
{
    GtkNative *native = gtk_widget_get_native(widget);
    double left = 0, top = 0;
    gtk_native_get_surface_transform(native, &left, &top);
    int scale = gdk_surface_get_scale_factor(gtk_native_get_surface(native));
    graphene_point_t at;
    bool there = gtk_widget_compute_point(widget, GTK_WIDGET(native),
                                          &GRAPHENE_POINT_INIT((float)x, (float)y), &at);
    g_assert_true(there);
    Window under;
    int px = 0, py = 0;
    XTranslateCoordinates(display(), window_of(widget), DefaultRootWindow(display()),
                          (int)((at.x + (float)left) * (float)scale),
                          (int)((at.y + (float)top) * (float)scale), &px, &py, &under);
    XTestFakeMotionEvent(display(), -1, px, py, CurrentTime);
    ui_settle(widget);
}

void ui_pointer_away(void)
{
    int screen = DefaultScreen(display());
    XTestFakeMotionEvent(display(), -1, DisplayWidth(display(), screen) - 1,
                         DisplayHeight(display(), screen) - 1, CurrentTime);
    sync_server();
}

static void send_button(guint button, bool down)
{
    XTestFakeButtonEvent(display(), button, down, CurrentTime);
}

void ui_button(guint button, bool down)
{
    send_button(button, down);
    sync_server();
    let_all_act();
}

void ui_wheel(int notches)
{
    for (int i = 0; i < ABS(notches); i++) {
        send_button(notches < 0 ? 4 : 5, true);
        send_button(notches < 0 ? 4 : 5, false);
    }
    sync_server();
}

static void press_keysym(guint keysym, bool down)
{
    KeyCode code = XKeysymToKeycode(display(), keysym);
    g_assert_cmpuint(code, !=, 0);
    XTestFakeKeyEvent(display(), code, down, CurrentTime);
    sync_server();
}

void ui_hold(GdkModifierType modifiers, bool down)
{
    static const struct {
        GdkModifierType modifier;
        guint keysym;
    } keys[] = {{GDK_SHIFT_MASK, GDK_KEY_Shift_L},
                {GDK_CONTROL_MASK, GDK_KEY_Control_L},
                {GDK_ALT_MASK, GDK_KEY_Alt_L}};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        if (modifiers & keys[i].modifier) press_keysym(keys[i].keysym, down);
}

static bool has_pointer(GtkWidget *window)
{
    Window root, child;
    int root_x, root_y, x, y;
    unsigned mask;
    int scale = gtk_widget_get_scale_factor(window);
    XQueryPointer(display(), window_of(window), &root, &child, &root_x, &root_y, &x, &y, &mask);
    return x >= 0 && y >= 0 && x < gtk_widget_get_width(window) * scale &&
           y < gtk_widget_get_height(window) * scale;
}

/* Whether a key gives this sign with Shift only. */
static bool is_shifted(guint keysym)
{
    KeyCode code = XKeysymToKeycode(display(), keysym);
    return XkbKeycodeToKeysym(display(), code, 0, 0) != keysym &&
           XkbKeycodeToKeysym(display(), code, 0, 1) == keysym;
}

void ui_stroke(GtkWidget *window, guint keyval, GdkModifierType modifiers)
{
    if (!has_pointer(window) || !gtk_window_is_active(GTK_WINDOW(window))) {
        ui_pointer_away(); /* only where it enters a window, keys come with it */
        ui_pointer_to(window, 2, gtk_widget_get_height(window) - 2);
        UI_UNTIL(gtk_window_is_active(GTK_WINDOW(window)));
    }
    if (is_shifted(keyval)) modifiers |= GDK_SHIFT_MASK;
    ui_hold(modifiers, true);
    press_keysym(keyval, true);
    press_keysym(keyval, false);
    ui_hold(modifiers, false);
    ui_settle(window);
}

bool ui_minimize(GtkWidget *window, bool minimized)
{
    Atom state = XInternAtom(display(), "_NET_WM_STATE", False);
    Atom hidden = XInternAtom(display(), "_NET_WM_STATE_HIDDEN", False);
    XChangeProperty(display(), window_of(window), state, XA_ATOM, 32, PropModeReplace,
                    (const guchar *)&hidden, minimized);
    sync_server();
    return true;
}

#else
bool ui_minimize(GtkWidget *window, bool minimized)
{
    (void)window, (void)minimized;
    return false;
}

static bool find_input(void)
{
    return false;
}

static void sync_server(void)
{
}

void ui_pointer_to(GtkWidget *widget, double x, double y)
{
    (void)widget, (void)x, (void)y;
    g_assert_not_reached();
}

void ui_pointer_away(void)
{
}

void ui_button(guint button, bool down)
{
    (void)button, (void)down;
    g_assert_not_reached();
}

void ui_wheel(int notches)
{
    (void)notches;
    g_assert_not_reached();
}

void ui_hold(GdkModifierType modifiers, bool down)
{
    (void)modifiers, (void)down;
    g_assert_not_reached();
}

void ui_stroke(GtkWidget *window, guint keyval, GdkModifierType modifiers)
{
    (void)window, (void)keyval, (void)modifiers;
    g_assert_not_reached();
}

#endif

bool ui_has_input(void)
{
    bool found = find_input();
    if (!found) g_test_skip("there are no events by XTEST");
    return found;
}

static void press_and_release(guint button)
{
    ui_button(button, true);
    ui_button(button, false);
}

/* For how long GTK takes the next click for the second one of two. */
static void set_double_click_time(int milliseconds)
{
    g_object_set(gtk_settings_get_default(), "gtk-double-click-time", milliseconds, NULL);
}

void ui_click_here(guint button)
{
    set_double_click_time(0);
    press_and_release(button);
}

void ui_double_click_here(void)
{
    set_double_click_time(PATIENTLY_MS);
    press_and_release(GDK_BUTTON_PRIMARY);
    set_double_click_time(0); /* the second one begins the time anew */
    press_and_release(GDK_BUTTON_PRIMARY);
}

void ui_settle(GtkWidget *widget)
{
    int frames = 0;
    sync_server();
    let_all_act();
    guint tick = gtk_widget_add_tick_callback(widget, on_frame, &frames, NULL);
    UI_UNTIL(frames >= FRAMES);
    gtk_widget_remove_tick_callback(widget, tick);
    let_all_act();
}
