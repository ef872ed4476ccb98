/* The desktop program.  SPDX-License-Identifier: MIT */
#include "ui/widgets/application.h"

#include "resources/normscope-resources.h"
#include "ui/widgets/catalogue.h"
#include "ui/widgets/help_window.h"
#include "ui/widgets/remember.h"
#include "ui/widgets/style_manager.h"
#include "ui/widgets/window_actions.h"

#define APPLICATION_ID "org.normscope.Normscope"
#define RESOURCE_PATH "/org/normscope/Normscope"

enum { EXIT_CANNOT_START = 1, EXIT_USAGE = 2 };

struct _NsApplication {
    GtkApplication parent;
    NsSettings settings; /* that a new window begins with */
    NsStyleManager *styles;
    bool run; /* a new window starts to train at once */
};

G_DEFINE_FINAL_TYPE(NsApplication, ns_application, GTK_TYPE_APPLICATION)

static void on_quit(GSimpleAction *action, GVariant *parameter, gpointer application)
{
    (void)action, (void)parameter;
    for (GList *all = gtk_application_get_windows(application); all;
         all = gtk_application_get_windows(application))
        gtk_window_destroy(all->data);
}

static void on_about(GSimpleAction *action, GVariant *parameter, gpointer application)
{
    (void)action, (void)parameter;
    gtk_show_about_dialog(
        gtk_application_get_active_window(application), "program-name", "Normscope", "version",
        NS_VERSION, "logo-icon-name", APPLICATION_ID, "license-type", GTK_LICENSE_MIT_X11,
        "comments",
        "Trains small Transformers step by step and plots the norm of every layer’s gradients and "
        "hidden states, live.\n\nAfter Xiong et al. 2020, “On Layer Normalization in the "
        "Transformer Architecture”.",
        NULL);
}

static void on_help(GSimpleAction *action, GVariant *parameter, gpointer application)
{
    (void)action, (void)parameter;
    ns_help_present(gtk_application_get_active_window(application), NULL);
}

static void on_style(GSimpleAction *action, GVariant *state, gpointer user_data)
{
    NsApplication *application = user_data;
    const char *name = g_variant_get_string(state, NULL);
    NsScheme scheme = g_str_equal(name, "dark")    ? NS_SCHEME_DARK
                      : g_str_equal(name, "light") ? NS_SCHEME_LIGHT
                                                   : NS_SCHEME_SYSTEM;
    ns_style_manager_set_scheme(application->styles, scheme);
    g_simple_action_set_state(action, state);
}

static void on_contrast(GSimpleAction *action, GVariant *state, gpointer user_data)
{
    ns_style_manager_set_contrast(NS_APPLICATION(user_data)->styles, g_variant_get_boolean(state));
    g_simple_action_set_state(action, state);
}

static void ns_application_startup(GApplication *app)
{
    static const GActionEntry actions[] = {
        {.name = "quit", .activate = on_quit},
        {.name = "about", .activate = on_about},
        {.name = "help", .activate = on_help},
        {.name = "style", .parameter_type = "s", .state = "'system'", .change_state = on_style},
        {.name = "contrast", .state = "false", .change_state = on_contrast},
    };
    NsApplication *application = NS_APPLICATION(app);
    g_resources_register(normscope_get_resource());
    G_APPLICATION_CLASS(ns_application_parent_class)->startup(app);
    gtk_window_set_default_icon_name(APPLICATION_ID);
    g_autoptr(GtkCssProvider) css = gtk_css_provider_new();
    gtk_css_provider_load_from_resource(css, RESOURCE_PATH "/normscope.css");
    gtk_style_context_add_provider_for_display(gdk_display_get_default(), GTK_STYLE_PROVIDER(css),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    application->styles = ns_style_manager_new();
    g_action_map_add_action_entries(G_ACTION_MAP(app), actions, G_N_ELEMENTS(actions), app);
    ns_window_add_accelerators(GTK_APPLICATION(app));
    ns_remember_application(app);
}

static void ns_application_activate(GApplication *app)
{
    NsApplication *application = NS_APPLICATION(app);
    g_autoptr(NsLab) lab = ns_lab_new(&application->settings);
    NsWindow *window = ns_window_new(GTK_APPLICATION(app), lab);
    ns_remember_window(window);
    if (application->run) ns_lab_run(lab);
    gtk_window_present(GTK_WINDOW(window));
}

static int complain(int status, const char *sentence)
{
    g_printerr("normscope: %s\n", sentence);
    return status;
}

static bool read_settings(NsApplication *application, GVariantDict *options, GError **error)
{
    g_autoptr(GVariant) set = g_variant_dict_lookup_value(options, "set", G_VARIANT_TYPE("as"));
    g_autofree const char **assignments = set ? g_variant_get_strv(set, NULL) : NULL;
    for (size_t i = 0; assignments && assignments[i]; i++)
        if (!ns_settings_assign(&application->settings, assignments[i], error)) return false;
    g_autoptr(GVariant) rest =
        g_variant_dict_lookup_value(options, G_OPTION_REMAINING, G_VARIANT_TYPE("aay"));
    g_autofree const char **files = rest ? g_variant_get_bytestring_array(rest, NULL) : NULL;
    return !files || !files[0] || ns_settings_set(&application->settings, "text", files[0], error);
}

static int ns_application_handle_local_options(GApplication *app, GVariantDict *options)
{
    NsApplication *application = NS_APPLICATION(app);
    g_autoptr(GError) error = NULL;
    if (g_variant_dict_contains(options, "version")) {
        g_print("normscope %s\n", NS_VERSION);
        return EXIT_SUCCESS;
    }
    ns_catalogue_bind();
    if (!read_settings(application, options, &error)) return complain(EXIT_USAGE, error->message);
    application->run = g_variant_dict_contains(options, "run");
    if (!gtk_init_check())
        return complain(EXIT_CANNOT_START,
                        "there is no display to open a window on; without one, use normscope-cli "
                        "(for example: normscope-cli train --steps 300).");
    return -1;
}

static void ns_application_finalize(GObject *object)
{
    NsApplication *application = NS_APPLICATION(object);
    g_clear_object(&application->styles);
    ns_settings_clear(&application->settings);
    G_OBJECT_CLASS(ns_application_parent_class)->finalize(object);
}

static void ns_application_class_init(NsApplicationClass *klass)
{
    GApplicationClass *application_class = G_APPLICATION_CLASS(klass);
    G_OBJECT_CLASS(klass)->finalize = ns_application_finalize;
    application_class->startup = ns_application_startup;
    application_class->activate = ns_application_activate;
    application_class->handle_local_options = ns_application_handle_local_options;
}

static void ns_application_init(NsApplication *application)
{
    static const GOptionEntry entries[] = {
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, NULL, "Begin with this setting (repeatable)",
         "KEY=VALUE"},
        {"run", 'r', 0, G_OPTION_ARG_NONE, NULL, "Begin to train at once", NULL},
        {"version", 'v', 0, G_OPTION_ARG_NONE, NULL, "Print the version", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, "[TEXT FILE]"},
        {NULL},
    };
    ns_settings_init(&application->settings);
    g_application_add_main_option_entries(G_APPLICATION(application), entries);
    g_application_set_option_context_summary(
        G_APPLICATION(application),
        "Trains small Transformers and plots the norms of gradients and hidden states live.");
}

NsApplication *ns_application_new(void)
{
    return g_object_new(NS_TYPE_APPLICATION, "application-id", APPLICATION_ID, "resource-base-path",
                        RESOURCE_PATH, "flags", G_APPLICATION_NON_UNIQUE, NULL);
}
