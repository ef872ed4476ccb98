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

static struct {
    GtkCssProvider *contrast_css; /* while a theme of high contrast is shown; else NULL */
    NsScheme scheme;
    bool contrast; /* chosen in this program */
    bool system_dark, system_contrast;
    char *theme; /* the desktop's, while one of high contrast is in its place */
} styles;

static bool is_contrast_theme(const char *theme)
{
    return theme && (g_str_has_prefix(theme, CONTRAST_THEME) || strstr(theme, "HighContrast"));
}

/* Loads the style sheet of the program for any theme. */
static void on_theme(void)
{
    GdkDisplay *display = gdk_display_get_default();
    g_autofree char *theme = NULL;
    g_object_get(gtk_settings_get_default(), "gtk-theme-name", &theme, NULL);
    bool contrast = is_contrast_theme(theme);
    if (contrast == (styles.contrast_css != NULL)) return;
    if (!contrast) {
        gtk_style_context_remove_provider_for_display(display,
                                                      GTK_STYLE_PROVIDER(styles.contrast_css));
        g_clear_object(&styles.contrast_css);
        return;
    }
    styles.contrast_css = gtk_css_provider_new();
    gtk_css_provider_load_from_resource(styles.contrast_css, CONTRAST_CSS);
    gtk_style_context_add_provider_for_display(display, GTK_STYLE_PROVIDER(styles.contrast_css),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 1);
}

static void apply(void)
{
    GtkSettings *settings = gtk_settings_get_default();
    g_autofree char *theme = NULL;
    bool dark =
        styles.scheme == NS_SCHEME_SYSTEM ? styles.system_dark : styles.scheme == NS_SCHEME_DARK;
    g_object_get(settings, "gtk-theme-name", &theme, NULL);
    if (styles.contrast || styles.system_contrast) {
        if (is_contrast_theme(theme) && !styles.theme) return; /* the desktop's own */
        if (!styles.theme) styles.theme = g_steal_pointer(&theme);
        /* The dark variant is a theme of its own, and asking for a dark one beside it would lose
         * the contrast. */
        g_object_set(settings, "gtk-application-prefer-dark-theme", FALSE, "gtk-theme-name",
                     dark ? CONTRAST_THEME_DARK : CONTRAST_THEME, NULL);
        return;
    }
    if (styles.theme) {
        g_object_set(settings, "gtk-theme-name", styles.theme, NULL);
        g_clear_pointer(&styles.theme, g_free);
    } else if (is_contrast_theme(theme)) {
        return;
    }
    g_object_set(settings, "gtk-application-prefer-dark-theme", dark, NULL);
}

static void set_system(const char *key, GVariant *value)
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
        styles.system_dark = number == PORTAL_PREFERS_DARK;
    else
        styles.system_contrast = number == PORTAL_MORE_CONTRAST;
    apply();
}

static void on_portal_signal(GDBusConnection *bus, const char *sender, const char *path,
                             const char *interface, const char *signal, GVariant *parameters,
                             gpointer data)
{
    (void)bus, (void)sender, (void)path, (void)interface, (void)signal, (void)data;
    if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ssv)"))) return;
    const char *group = NULL, *key = NULL;
    g_autoptr(GVariant) value = NULL;
    g_variant_get(parameters, "(&s&sv)", &group, &key, &value);
    if (g_str_equal(group, APPEARANCE) &&
        (g_str_equal(key, COLOR_SCHEME) || g_str_equal(key, CONTRAST)))
        set_system(key, value);
}

/* Without a portal or a bus the desktop has no preference. */
static void on_read(GObject *bus, GAsyncResult *result, gpointer key)
{
    g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, NULL);
    if (!reply) return;
    g_autoptr(GVariant) value = g_variant_get_child_value(reply, 0);
    set_system(key, value);
}

/* The bus is kept as long as the program runs. */
static void on_bus(GObject *source, GAsyncResult *result, gpointer data)
{
    static const char *const keys[] = {COLOR_SCHEME, CONTRAST};
    (void)source, (void)data;
    GDBusConnection *bus = g_bus_get_finish(result, NULL);
    if (!bus) return;
    g_dbus_connection_signal_subscribe(bus, PORTAL, PORTAL_SETTINGS, "SettingChanged", PORTAL_PATH,
                                       APPEARANCE, G_DBUS_SIGNAL_FLAGS_NONE, on_portal_signal, NULL,
                                       NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        g_dbus_connection_call(bus, PORTAL, PORTAL_PATH, PORTAL_SETTINGS, "Read",
                               g_variant_new("(ss)", APPEARANCE, keys[i]), G_VARIANT_TYPE("(v)"),
                               G_DBUS_CALL_FLAGS_NONE, -1, NULL, on_read,
                               (gpointer)(guintptr)keys[i]);
}

void ns_styles_set_scheme(NsScheme scheme)
{
    if (styles.scheme == scheme) return;
    styles.scheme = scheme;
    apply();
}

void ns_styles_set_contrast(bool contrast)
{
    if (styles.contrast == contrast) return;
    styles.contrast = contrast;
    apply();
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
    if (!has_class(widget, NS_LARGE_TEXT_CLASS)) return 1;
    return has_class(widget, NS_HALL_TEXT_CLASS) ? HALL_WORDS : LARGE_TEXT;
}

bool ns_text_is_for_hall(GtkWidget *widget)
{
    return has_class(widget, NS_LARGE_TEXT_CLASS) &&
           gtk_widget_get_height(GTK_WIDGET(gtk_widget_get_root(widget))) >= HALL_FROM;
}

double ns_text_scale(GtkWidget *widget)
{
    /* Not from the class of the hall, which may follow a change of the size later. */
    return ns_text_is_for_hall(widget)              ? HALL_TEXT
           : has_class(widget, NS_LARGE_TEXT_CLASS) ? LARGE_TEXT
                                                    : 1;
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

void ns_styles_follow_desktop(void)
{
    GtkSettings *settings = gtk_settings_get_default();
    gboolean dark = FALSE;
    g_autofree char *font = NULL;
    g_object_get(settings, "gtk-application-prefer-dark-theme", &dark, "gtk-font-name", &font,
                 NULL);
    styles.system_dark = dark;
    /* "Sans 10" is GTK's font where the desktop names none: then the font of the charts serves. */
    if (!g_strcmp0(font, "Sans 10") &&
        pango_font_map_get_family(pango_cairo_font_map_get_default(), "Cantarell"))
        g_object_set(settings, "gtk-font-name", "Cantarell 11", NULL);
    g_signal_connect(settings, "notify::gtk-theme-name", G_CALLBACK(on_theme), NULL);
    on_theme();
    g_bus_get(G_BUS_TYPE_SESSION, NULL, on_bus, NULL);
}
