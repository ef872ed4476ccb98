/* Light, dark, high contrast, or as the desktop has it.  SPDX-License-Identifier: MIT */
#include "ui/widgets/common/style_manager.h"

#include <string.h>

#define PORTAL "org.freedesktop.portal.Desktop"
#define PORTAL_PATH "/org/freedesktop/portal/desktop"
#define PORTAL_SETTINGS "org.freedesktop.portal.Settings"
#define APPEARANCE "org.freedesktop.appearance"
#define COLOR_SCHEME "color-scheme"
#define CONTRAST "contrast"

enum { PORTAL_PREFERS_DARK = 1, PORTAL_MORE_CONTRAST = 1 };

/* The themes of high contrast that every GTK 4 has; names of others begin alike. */
#define CONTRAST_THEME "Default-hc"
#define CONTRAST_THEME_DARK "Default-hc-dark"

#define LARGE_TEXT 1.35 /* as in the style sheet, and so is HALL_WORDS */
#define HALL_WORDS 1.64 /* factor on a large screen, for the back row: 24 pixels */
#define HALL_TEXT 2.0   /* the same in charts, whose text is smaller on other screens */
#define HALL_FROM 1000  /* pixels of the window's height */
#define LINES 1.143     /* by how much more lines grow: 4 pixels go with text of 24 */
#define CONTRAST_CSS "/org/normscope/Normscope/contrast.css"

struct _NsStyleManager {
    GObject parent;
    GtkCssProvider *contrast_css; /* while a theme of high contrast is shown; else NULL */
    NsScheme scheme;
    bool contrast; /* chosen in this program */
    bool system_dark, system_contrast;
    char *theme; /* the desktop's, while one of high contrast is in its place */
    GDBusConnection *bus;
    guint subscription;
};

G_DEFINE_FINAL_TYPE(NsStyleManager, ns_style_manager, G_TYPE_OBJECT)

static bool is_contrast_theme(const char *theme)
{
    return theme && (g_str_has_prefix(theme, CONTRAST_THEME) || strstr(theme, "HighContrast"));
}

/* Loads the style sheet of the program for any theme. */
static void on_theme(NsStyleManager *manager)
{
    GdkDisplay *display = gdk_display_get_default();
    g_autofree char *theme = NULL;
    g_object_get(gtk_settings_get_default(), "gtk-theme-name", &theme, NULL);
    bool contrast = is_contrast_theme(theme);
    if (contrast == (manager->contrast_css != NULL)) return;
    if (!contrast) {
        gtk_style_context_remove_provider_for_display(display,
                                                      GTK_STYLE_PROVIDER(manager->contrast_css));
        g_clear_object(&manager->contrast_css);
        return;
    }
    manager->contrast_css = gtk_css_provider_new();
    gtk_css_provider_load_from_resource(manager->contrast_css, CONTRAST_CSS);
    gtk_style_context_add_provider_for_display(display, GTK_STYLE_PROVIDER(manager->contrast_css),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 1);
}

static void apply(NsStyleManager *manager)
{
    GtkSettings *settings = gtk_settings_get_default();
    g_autofree char *theme = NULL;
    bool dark = manager->scheme == NS_SCHEME_SYSTEM ? manager->system_dark
                                                    : manager->scheme == NS_SCHEME_DARK;
    g_object_get(settings, "gtk-theme-name", &theme, NULL);
    if (manager->contrast || manager->system_contrast) {
        if (is_contrast_theme(theme) && !manager->theme) return; /* the desktop's own */
        if (!manager->theme) manager->theme = g_steal_pointer(&theme);
        /* The dark variant is a theme of its own, and asking for a dark one beside it would lose
         * the contrast. */
        g_object_set(settings, "gtk-application-prefer-dark-theme", FALSE, "gtk-theme-name",
                     dark ? CONTRAST_THEME_DARK : CONTRAST_THEME, NULL);
        return;
    }
    if (manager->theme) {
        g_object_set(settings, "gtk-theme-name", manager->theme, NULL);
        g_clear_pointer(&manager->theme, g_free);
    } else if (is_contrast_theme(theme)) {
        return;
    }
    g_object_set(settings, "gtk-application-prefer-dark-theme", dark, NULL);
}

static void set_system(NsStyleManager *manager, const char *key, GVariant *value)
{
    g_autoptr(GVariant) inner = g_variant_ref(value);
    while (g_variant_is_of_type(inner, G_VARIANT_TYPE_VARIANT)) {
        GVariant *unpacked = g_variant_get_variant(inner);
        g_variant_unref(inner);
        inner = unpacked;
    }
    if (!g_variant_is_of_type(inner, G_VARIANT_TYPE_UINT32)) return;
    guint32 number = g_variant_get_uint32(inner);
    if (g_str_equal(key, COLOR_SCHEME))
        manager->system_dark = number == PORTAL_PREFERS_DARK;
    else
        manager->system_contrast = number == PORTAL_MORE_CONTRAST;
    apply(manager);
}

static void on_portal_signal(GDBusConnection *bus, const char *sender, const char *path,
                             const char *interface, const char *signal, GVariant *parameters,
                             gpointer manager)
{
    (void)bus, (void)sender, (void)path, (void)interface, (void)signal;
    if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ssv)"))) return;
    const char *group = NULL, *key = NULL;
    g_autoptr(GVariant) value = NULL;
    g_variant_get(parameters, "(&s&sv)", &group, &key, &value);
    if (g_str_equal(group, APPEARANCE) &&
        (g_str_equal(key, COLOR_SCHEME) || g_str_equal(key, CONTRAST)))
        set_system(manager, key, value);
}

/* The settings that are read from the portal. */
typedef struct {
    NsStyleManager *manager;
    const char *key;
} Question;

/* Without a portal or a bus the desktop has no preference. */
static void on_read(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree Question *question = data;
    g_autoptr(NsStyleManager) manager = question->manager;
    g_autoptr(GVariant) reply =
        g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);
    if (!reply) return;
    g_autoptr(GVariant) value = g_variant_get_child_value(reply, 0);
    set_system(manager, question->key, value);
}

static void ask(NsStyleManager *manager, const char *key)
{
    Question *question = g_new(Question, 1);
    *question = (Question){g_object_ref(manager), key};
    g_dbus_connection_call(manager->bus, PORTAL, PORTAL_PATH, PORTAL_SETTINGS, "Read",
                           g_variant_new("(ss)", APPEARANCE, key), G_VARIANT_TYPE("(v)"),
                           G_DBUS_CALL_FLAGS_NONE, -1, NULL, on_read, question);
}

static void on_bus(GObject *source, GAsyncResult *result, gpointer user_data)
{
    (void)source;
    g_autoptr(NsStyleManager) manager = user_data;
    g_autoptr(GDBusConnection) bus = g_bus_get_finish(result, NULL);
    if (!bus) return;
    manager->bus = g_object_ref(bus);
    manager->subscription = g_dbus_connection_signal_subscribe(
        bus, PORTAL, PORTAL_SETTINGS, "SettingChanged", PORTAL_PATH, APPEARANCE,
        G_DBUS_SIGNAL_FLAGS_NONE, on_portal_signal, manager, NULL);
    ask(manager, COLOR_SCHEME);
    ask(manager, CONTRAST);
}

void ns_style_manager_set_scheme(NsStyleManager *manager, NsScheme scheme)
{
    if (manager->scheme == scheme) return;
    manager->scheme = scheme;
    apply(manager);
}

void ns_style_manager_set_contrast(NsStyleManager *manager, bool contrast)
{
    if (manager->contrast == contrast) return;
    manager->contrast = contrast;
    apply(manager);
}

static const NsStyle *style_of_theme(GtkWidget *widget)
{
    GtkRoot *root = gtk_widget_get_root(widget);
    GtkWidget *whole = root ? GTK_WIDGET(root) : widget; /* insensitive parts are paler */
    GdkRGBA text;
    g_autofree char *theme = NULL;
    g_object_get(gtk_widget_get_settings(widget), "gtk-theme-name", &theme, NULL);
    gtk_style_context_get_color(gtk_widget_get_style_context(whole), &text);
    bool dark = text.red + text.green + text.blue > 1.5F;
    if (is_contrast_theme(theme))
        return ns_style_find(dark ? "high-contrast-dark" : "high-contrast");
    return ns_style_find(dark ? "screen-dark" : "screen-light");
}

static bool has_class(GtkWidget *widget, const char *class)
{
    GtkRoot *root = gtk_widget_get_root(widget);
    return root && gtk_widget_has_css_class(GTK_WIDGET(root), class);
}

double ns_widget_text_scale(GtkWidget *widget)
{
    if (has_class(widget, NS_HALL_TEXT_CLASS)) return HALL_WORDS;
    return has_class(widget, NS_LARGE_TEXT_CLASS) ? LARGE_TEXT : 1;
}

bool ns_text_is_for_hall(GtkWidget *widget)
{
    return has_class(widget, NS_LARGE_TEXT_CLASS) &&
           gtk_widget_get_height(GTK_WIDGET(gtk_widget_get_root(widget))) >= HALL_FROM;
}

double ns_text_scale(GtkWidget *widget)
{
    return ns_text_is_for_hall(widget) ? HALL_TEXT : ns_widget_text_scale(widget);
}

const NsStyle *ns_chart_style_for(GtkWidget *widget)
{
    static GHashTable *sizes[2]; /* of styles with larger text and lines, made once each */
    const NsStyle *style = style_of_theme(widget);
    double scale = ns_text_scale(widget);
    if (scale <= 1) return style;
    GHashTable **enlarged = &sizes[scale > LARGE_TEXT];
    if (!*enlarged) *enlarged = g_hash_table_new(NULL, NULL);
    NsStyle *large = g_hash_table_lookup(*enlarged, style);
    if (large) return large;
    large = g_new(NsStyle, 1);
    *large = ns_style_scaled(style, scale);
    large->line_width *= scale * LINES;
    g_hash_table_insert(*enlarged, (gpointer)(guintptr)style, large);
    return large;
}

static void ns_style_manager_dispose(GObject *object)
{
    NsStyleManager *manager = NS_STYLE_MANAGER(object);
    if (manager->subscription)
        g_dbus_connection_signal_unsubscribe(manager->bus, manager->subscription);
    manager->subscription = 0;
    g_clear_object(&manager->bus);
    g_clear_object(&manager->contrast_css);
    G_OBJECT_CLASS(ns_style_manager_parent_class)->dispose(object);
}

static void ns_style_manager_finalize(GObject *object)
{
    g_free(NS_STYLE_MANAGER(object)->theme);
    G_OBJECT_CLASS(ns_style_manager_parent_class)->finalize(object);
}

static void ns_style_manager_class_init(NsStyleManagerClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = ns_style_manager_dispose;
    G_OBJECT_CLASS(klass)->finalize = ns_style_manager_finalize;
}

static void ns_style_manager_init(NsStyleManager *manager)
{
    gboolean dark = FALSE;
    g_object_get(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", &dark, NULL);
    manager->system_dark = dark;
    g_signal_connect_object(gtk_settings_get_default(), "notify::gtk-theme-name",
                            G_CALLBACK(on_theme), manager, G_CONNECT_SWAPPED);
    on_theme(manager);
    g_bus_get(G_BUS_TYPE_SESSION, NULL, on_bus, g_object_ref(manager));
}

NsStyleManager *ns_style_manager_new(void)
{
    return g_object_new(NS_TYPE_STYLE_MANAGER, NULL);
}
