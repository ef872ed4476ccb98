/* The desktop program.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/application.h"

#include "core/base/error.h"
#include "core/base/instructions.h"
#include "core/base/words.h"
#include "core/experiment/assignment.h"
#include "normscope-resources.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/popovers.h"
#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/common/windows.h"
#include "ui/widgets/settings/settings_pane.h"
#include "ui/widgets/shell/close_guard.h"
#include "ui/widgets/shell/help.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/lecture.h"
#include "ui/widgets/shell/open_file.h"
#include "ui/widgets/shell/remember.h"
#include "ui/widgets/shell/saved_runs.h"
#include "ui/widgets/shell/window_actions.h"

#include <glib-unix.h>
#include <signal.h>

#define APPLICATION_ID "org.normscope.Normscope"
#define RESOURCE_PATH "/org/normscope/Normscope"

enum { EXIT_CANNOT_START = 1, EXIT_USAGE = 2 };

struct _NsApplication {
    GtkApplication parent;
    NsExperiment opening; /* of the first window */
    char *file;           /* that it opens; NULL for none */
    char **watch;         /* runs of other programs that it watches; NULL for none */
    bool run;             /* a new window starts to train at once */
    bool large;           /* it begins in class mode */
    bool plain;           /* the command line names nothing to open, watch, run or set */
};

G_DEFINE_FINAL_TYPE(NsApplication, ns_application, GTK_TYPE_APPLICATION)

/* Closes all windows, and with them the dialogs that belong to them. */
static void on_quit(GtkApplication *application)
{
    g_autoptr(GList) windows = g_list_copy(gtk_application_get_windows(application));
    for (GList *each = windows; each; each = each->next)
        if (NS_IS_WINDOW(each->data)) gtk_window_close(each->data);
}

/* Signals come from a closed terminal or the end of the desktop session, where nobody could answer
 * a question.  The state of each window is stored (ui/widgets/shell/remember.h); training steps in
 * progress are abandoned (core/base/exit_barrier.h). */
static gboolean on_signal(gpointer application)
{
    GList *windows;
    while ((windows = gtk_application_get_windows(application))) gtk_window_destroy(windows->data);
    g_application_quit(application);
    return G_SOURCE_REMOVE;
}

NsWindow *ns_application_window_new(GtkApplication *application, NsSession *session)
{
    NsWindow *window = ns_window_new(application, session);
    ns_window_add_actions(window);
    ns_window_add_keys(window);
    ns_window_add_drop(window);
    ns_close_guard_add(window);
    ns_window_add_learning(window);
    ns_window_add_lecture(window);
    return window;
}

static NsWindow *open_window(NsApplication *application, const NsExperiment *experiment)
{
    g_autoptr(NsSession) session = ns_session_new(experiment);
    NsWindow *window = ns_application_window_new(GTK_APPLICATION(application), session);
    ns_remember_window(window);
    ns_saved_runs_record(window);
    gtk_window_present(GTK_WINDOW(window));
    return window;
}

static void on_new(NsApplication *application)
{
    g_auto(NsExperiment) opening;
    ns_session_first_experiment(&opening);
    open_window(application, &opening);
}

static void on_about(GtkApplication *application)
{
    gtk_show_about_dialog(
        gtk_application_get_active_window(application), "program-name", "Normscope", "version",
        NS_VERSION, "logo-icon-name", APPLICATION_ID, "license-type", GTK_LICENSE_MIT_X11,
        "comments",
        _("Trains small Transformers step by step and plots the norm of every layer’s gradients "
          "and "
          "hidden states, live.\n\nAfter Xiong et al. 2020, “On Layer Normalization in the "
          "Transformer Architecture”."),
        NULL);
}

static void on_help(GtkApplication *application)
{
    GtkWindow *window = gtk_application_get_active_window(application);
    /* A setting that has the focus is explained. */
    bool explained =
        NS_IS_WINDOW(window) && ns_settings_pane_explain(NS_WINDOW(window)->settings_pane);
    if (!explained) ns_help_present(window, NULL);
}

static void on_style(GSimpleAction *action, GVariant *state, gpointer user_data)
{
    (void)user_data;
    const char *name = g_variant_get_string(state, NULL);
    NsScheme scheme = g_str_equal(name, "dark")    ? NS_SCHEME_DARK
                      : g_str_equal(name, "light") ? NS_SCHEME_LIGHT
                                                   : NS_SCHEME_SYSTEM;
    ns_styles_set_scheme(scheme);
    g_simple_action_set_state(action, state);
}

static void on_contrast(GSimpleAction *action, GVariant *state, gpointer user_data)
{
    (void)user_data;
    ns_styles_set_contrast(g_variant_get_boolean(state));
    g_simple_action_set_state(action, state);
}

static void ns_application_startup(GApplication *app)
{
    static const GActionEntry actions[] = {
        {.name = "style", .parameter_type = "s", .state = "'system'", .change_state = on_style},
        {.name = "contrast", .state = "false", .change_state = on_contrast},
    };
    g_resources_register(normscope_get_resource());
    G_APPLICATION_CLASS(ns_application_parent_class)->startup(app);
    gtk_window_set_default_icon_name(APPLICATION_ID);
    g_autoptr(GtkCssProvider) css = gtk_css_provider_new();
    gtk_css_provider_load_from_resource(css, RESOURCE_PATH "/normscope.css");
    gtk_style_context_add_provider_for_display(gdk_display_get_default(), GTK_STYLE_PROVIDER(css),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    ns_popovers_close_first();
    ns_scrolled_windows_let_go();
    ns_styles_follow_desktop();
    g_action_map_add_action_entries(G_ACTION_MAP(app), actions, G_N_ELEMENTS(actions), app);
    ns_add_command(G_ACTION_MAP(app), "quit", G_CALLBACK(on_quit), app);
    ns_add_command(G_ACTION_MAP(app), "new", G_CALLBACK(on_new), app);
    ns_add_command(G_ACTION_MAP(app), "about", G_CALLBACK(on_about), app);
    ns_add_command(G_ACTION_MAP(app), "help", G_CALLBACK(on_help), app);
    ns_window_add_accelerators(GTK_APPLICATION(app));
    ns_remember_application(app);
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        g_unix_signal_add(signals[i], on_signal, app);
}

static void ns_application_activate(GApplication *app)
{
    NsApplication *application = NS_APPLICATION(app);
    NsWindow *window = open_window(application, &application->opening);
    if (application->watch)
        ns_window_watch(window, (const char *const *)application->watch);
    else if (application->file)
        ns_window_open(window, application->file, application->run);
    else if (application->run)
        ns_session_run(window->session);
    if (application->large)
        g_action_group_change_action_state(G_ACTION_GROUP(window), "class-mode",
                                           g_variant_new_boolean(TRUE));
    if (application->plain) ns_window_greet(window);
}

static int complain(int status, const char *sentence)
{
    g_printerr("normscope: %s\n", sentence);
    return status;
}

static bool read_settings(NsApplication *application, GVariantDict *options, GError **error)
{
    g_auto(GStrv) set = NULL, lanes = NULL;
    g_auto(NsExperiment) asked;
    NsNamed named = {0};
    bool good = true;
    g_variant_dict_lookup(options, "set", "^as", &set);
    g_variant_dict_lookup(options, "lane", "^as", &lanes);
    ns_experiment_init(&asked);
    for (size_t i = 0; good && set && set[i]; i++)
        good = ns_settings_name_assignment(&asked.lane[0], &named, set[i], error);
    /* With --set alone the first window keeps its two lanes, unless --set names what they differ
     * in. */
    const char *const *own = lanes ? (const char *const *)lanes : ns_first_lanes;
    size_t n = lanes ? g_strv_length(lanes) : NS_FIRST_LANES;
    bool placed = ns_named_has(&named, "placement") || ns_named_has(&named, "mixture");
    if (good && (lanes || !placed)) good = ns_experiment_read_lanes(&asked, own, n, &named, error);
    if (good) ns_experiment_assign(&application->opening, &asked);
    return good;
}

static bool read_file(NsApplication *application, GVariantDict *options, GError **error)
{
    g_autoptr(GVariant) rest =
        g_variant_dict_lookup_value(options, G_OPTION_REMAINING, G_VARIANT_TYPE("aay"));
    g_autofree const char **files = rest ? g_variant_get_bytestring_array(rest, NULL) : NULL;
    if (!files || !files[0]) return true;
    if (files[1])
        return ns_refuse(error, NS_ERROR_USAGE,
                         "Name one FILE; runs of other programs are shown side by side with "
                         "--watch, up to four times.");
    application->file = g_strdup(files[0]);
    if (g_file_test(files[0], G_FILE_TEST_IS_REGULAR | G_FILE_TEST_IS_DIR)) return true;
    g_autofree char *name = g_filename_display_name(files[0]);
    return ns_refuse(error, NS_ERROR_FILE, "There is no file “%s”.", name);
}

static bool read_watch(NsApplication *application, GVariantDict *options, GError **error)
{
    static const char *const others[] = {"set", "lane", "run"};
    if (!g_variant_dict_lookup(options, "watch", "^aay", &application->watch)) return true;
    const char *const *paths = (const char *const *)application->watch;
    size_t n = 0, inputs = 0;
    for (; paths[n]; n++) inputs += g_str_equal(paths[n], "-");
    if (n > NS_LANES_MAX)
        return ns_refuse(error, NS_ERROR_USAGE, "At most %d runs can be watched side by side.",
                         NS_LANES_MAX);
    if (inputs > 1)
        return ns_refuse(error, NS_ERROR_USAGE, "Standard input can be watched once only.");
    if (application->file)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "FILE and --watch cannot be combined; omit one of them.");
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        if (g_variant_dict_contains(options, others[i]))
            return ns_refuse(error, NS_ERROR_USAGE,
                             "A run of another program has no settings and is not trained here; "
                             "omit --%s or --watch.",
                             others[i]);
    return true;
}

static int ns_application_handle_local_options(GApplication *app, GVariantDict *options)
{
    NsApplication *application = NS_APPLICATION(app);
    g_autoptr(GError) error = NULL;
    if (g_variant_dict_contains(options, "version")) {
        g_print("normscope %s\n", NS_VERSION);
        return EXIT_SUCCESS;
    }
    if (!ns_instructions_check(&error) || !read_settings(application, options, &error) ||
        !read_file(application, options, &error) || !read_watch(application, options, &error))
        return complain(EXIT_USAGE, error->message);
    application->run = g_variant_dict_contains(options, "run");
    application->large = g_variant_dict_contains(options, "class");
    application->plain = !application->file && !application->watch && !application->run &&
                         !application->large && !g_variant_dict_contains(options, "set") &&
                         !g_variant_dict_contains(options, "lane");
    if (!gtk_init_check())
        return complain(EXIT_CANNOT_START,
                        "there is no display to open a window on; without one, use normscope-cli "
                        "(for example: normscope-cli train --steps 300).");
    return -1;
}

static void ns_application_finalize(GObject *object)
{
    NsApplication *application = NS_APPLICATION(object);
    ns_experiment_clear(&application->opening);
    g_free(application->file);
    g_strfreev(application->watch);
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
    const GOptionEntry entries[] = {
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, NULL,
         _("Start with this setting in every lane (repeatable)"), "KEY=VALUE"},
        {"lane", 'l', 0, G_OPTION_ARG_STRING_ARRAY, NULL,
         _("A lane and its own settings (repeatable)"), "\"KEY=VALUE …\""},
        {"run", 'r', 0, G_OPTION_ARG_NONE, NULL, _("Start training at once"), NULL},
        {"watch", 'w', 0, G_OPTION_ARG_FILENAME_ARRAY, NULL,
         _("Watch the run that another program writes to this file, or to standard input (“-”); "
           "repeatable, up to four"),
         "FILE"},
        {"class", 0, 0, G_OPTION_ARG_NONE, NULL, _("Start in class mode, with large text"), NULL},
        {"version", 'v', 0, G_OPTION_ARG_NONE, NULL, _("Print the version"), NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, "[FILE]"},
        {NULL},
    };
    ns_session_first_experiment(&application->opening);
    g_application_add_main_option_entries(G_APPLICATION(application), entries);
    g_application_set_option_context_summary(
        G_APPLICATION(application),
        _("Trains small Transformers and plots the norms of gradients and hidden states live."));
    g_application_set_option_context_description(
        G_APPLICATION(application),
        _("FILE is a text to train on, a figure, a preset, a lecture, a recorded run of this "
          "program "
          "or a log of another, or a folder of runs.\nnormscope-cli trains and draws without a "
          "display."));
}

NsApplication *ns_application_new(void)
{
    return g_object_new(NS_TYPE_APPLICATION, "application-id", APPLICATION_ID, "resource-base-path",
                        RESOURCE_PATH, "flags", G_APPLICATION_NON_UNIQUE, NULL);
}
