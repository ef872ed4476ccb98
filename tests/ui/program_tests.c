/* The program from outside: what it says before there is a window.  SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/shell/learning.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <signal.h>
#include <sys/wait.h>

#define GERMAN "de_DE.UTF-8"

/* Runs the program, which NS_DESKTOP names, without a display and with one or two arguments between
 * which is a space; returns its exit status. */
static int run_program(const char *words, const char *locale, char **out, char **err)
{
    const char *program = g_getenv("NS_DESKTOP");
    g_auto(GStrv) parts = g_strsplit(words, " ", 2);
    const char *arguments[] = {program, parts[0], parts[1], NULL};
    g_auto(GStrv) environment = g_get_environ();
    environment = g_environ_unsetenv(environment, "DISPLAY");
    environment = g_environ_unsetenv(environment, "WAYLAND_DISPLAY");
    environment = g_environ_unsetenv(environment, "G_DEBUG");
    environment = g_environ_setenv(environment, "LC_ALL", locale, TRUE);
    environment = g_environ_unsetenv(environment, "LANGUAGE");
    int status = 0;
    g_autoptr(GError) error = NULL;
    g_spawn_sync(NULL, (char **)(guintptr)arguments, environment, G_SPAWN_DEFAULT, NULL, NULL, out,
                 err, &status, &error);
    g_assert_no_error(error);
    g_assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void check(const char *argument, int status, const char *in_out, const char *in_err)
{
    if (!g_getenv("NS_DESKTOP")) {
        g_test_skip("NS_DESKTOP does not name the program");
        return;
    }
    g_autofree char *out = NULL, *err = NULL;
    g_assert_cmpint(run_program(argument, "C", &out, &err), ==, status);
    g_assert_nonnull(strstr(out, in_out));
    g_assert_nonnull(strstr(err, in_err));
    /* One sentence, on one line. */
    if (*in_err) g_assert_true(strchr(err, '\n') == err + strlen(err) - 1);
}

static void test_no_display(void)
{
    check("--run", 1, "", "normscope-cli train");
}

static void test_two_files(void)
{
    check("a.jsonl b.jsonl", 2, "", "--watch, up to four times");
}

/* A set of instructions that there is not is refused as on the command line. */
static void test_instructions(void)
{
    g_autofree char *before = g_strdup(g_getenv("NORMSCOPE_INSTRUCTIONS"));
    g_setenv("NORMSCOPE_INSTRUCTIONS", "sse9", TRUE);
    check("--run", 2, "", "sse9");
    g_unsetenv("NORMSCOPE_INSTRUCTIONS");
    if (before) g_setenv("NORMSCOPE_INSTRUCTIONS", before, TRUE);
}

/* Runs the program in German, or skips the test and returns -1.  A real locale is needed: under
 * C.UTF-8 glibc 2.41 ignores LANGUAGE. */
static int run_in_german(const char *argument, char **out, char **err)
{
    locale_t german = newlocale(LC_ALL_MASK, GERMAN, NULL);
    if (german) freelocale(german);
    if (german && g_getenv("NS_DESKTOP")) return run_program(argument, GERMAN, out, err);
    g_test_skip(german ? "NS_DESKTOP does not name the program"
                       : "the locale " GERMAN " is not installed");
    return -1;
}

/* Errors of the core are in the language of the window. */
static void test_german_errors(void)
{
    static const char *const cases[][2] = {
        {"--set=layers=0", "der Wert muss zwischen 1 und"},
        {"--set=lr=0,003", "meinten Sie 0.003, mit einem Punkt statt des Kommas?"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *out = NULL, *err = NULL;
        int status = run_in_german(cases[i][0], &out, &err);
        if (status < 0) return;
        g_assert_cmpint(status, ==, 2);
        g_assert_nonnull(strstr(err, cases[i][1]));
    }
}

/* Whether a process has a handler for a signal: from then on it ends by its own doing. */
static bool handles(GPid child, int signal)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/status", child), *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL)) return false;
    const char *caught = strstr(text, "SigCgt:");
    return caught && g_ascii_strtoull(caught + strlen("SigCgt:"), NULL, 16) >> (signal - 1) & 1;
}

static void forget(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *inner = g_build_filename(folder, name, NULL);
        forget(inner);
    }
    g_remove(folder);
}

/* While a step is made that takes longer than anybody waits. */
static void end_by(int signal)
{
    g_autofree char *config = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *kept = g_build_filename(config, "glib-2.0", "settings", "keyfile", NULL);
    const char *arguments[] = {
        g_getenv("NS_DESKTOP"), "--run", "--set=d-model=512", "--set=layers=8", "--set=seq=512",
        "--set=batch=16",       NULL};
    g_auto(GStrv) environment = g_get_environ();
    environment = g_environ_setenv(environment, "GSETTINGS_BACKEND", "keyfile", TRUE);
    environment = g_environ_setenv(environment, "XDG_CONFIG_HOME", config, TRUE);
    environment = g_environ_setenv(environment, "ASAN_OPTIONS", "detect_leaks=0", TRUE);
    g_autoptr(GError) error = NULL;
    GPid child;
    g_spawn_async(NULL, (char **)(guintptr)arguments, environment, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                  NULL, &child, &error);
    g_assert_no_error(error);
    int status = -1;
    gint64 until = g_get_monotonic_time() + 60 * G_TIME_SPAN_SECOND;
    while (!handles(child, signal)) {
        g_assert_cmpint(g_get_monotonic_time(), <, until);
        g_assert_cmpint(waitpid(child, &status, WNOHANG), ==, 0);
        g_usleep(10000);
    }
    kill(child, signal);
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 0);
    g_assert_true(g_file_test(kept, G_FILE_TEST_EXISTS));
    forget(config);
}

static void test_signals(void)
{
    if (!g_getenv("NS_DESKTOP")) {
        g_test_skip("NS_DESKTOP does not name the program");
        return;
    }
    end_by(SIGTERM);
    end_by(SIGINT);
    end_by(SIGHUP);
}

static void test_version(void)
{
    check("--version", 0, "normscope " NS_VERSION, "");
}

static void test_help(void)
{
    check("--help", 0, "--set", "");
}

static void test_help_in_german(void)
{
    g_autofree char *out = NULL, *err = NULL;
    int status = run_in_german("--help", &out, &err);
    if (status < 0) return;
    g_assert_cmpint(status, ==, 0);
    g_assert_null(strstr(out, "Start training at once"));
    g_assert_nonnull(strstr(out, "Sofort trainieren"));
}

static void test_wrong_setting(void)
{
    check("--set=layers=many", 2, "", "Layers");
}

/* What a window shows that is opened with these options. */
static NsWindow *open_with(const char *option, const char *words)
{
    GApplication *application = G_APPLICATION(ui_application());
    g_autoptr(GVariantDict) options = g_variant_dict_new(NULL);
    const char *each[] = {words, NULL};
    g_variant_dict_insert(options, option, "^as", each);
    g_assert_cmpint(
        G_APPLICATION_GET_CLASS(application)->handle_local_options(application, options), ==, -1);
    g_application_activate(application);
    return NS_WINDOW(gtk_application_get_active_window(GTK_APPLICATION(application)));
}

/* Settings of every lane leave the two lanes of the first experiment; the quick tour, whose cards
 * are not about these settings, waits for a start without any. */
static void test_set_alone(void)
{
    g_settings_reset(ns_preferences(), "greeted");
    NsWindow *window = open_with("set", "lr=1e-4");
    NsSession *session = window->session;
    g_assert_cmpuint(session->experiment.n, ==, 2);
    for (size_t lane = 0; lane < 2; lane++)
        g_assert_cmpfloat(session->experiment.lane[lane].lr, ==, 1e-4);
    g_assert_cmpuint(session->experiment.lane[0].placement, !=,
                     session->experiment.lane[1].placement);
    g_assert_false(ns_learn_pane_is_open(window->learn_pane));
    g_assert_false(g_settings_get_boolean(ns_preferences(), "greeted"));
    ui_close(window);
    window = open_with("set", "placement=pre");
    g_assert_cmpuint(window->session->experiment.n, ==, 1);
    ui_close(window);
    window = open_with("lane", "placement=pre lr=1e-4");
    g_assert_cmpuint(window->session->experiment.n, ==, 1);
    g_assert_false(ns_learn_pane_is_open(window->learn_pane));
    ui_close(window);
}

void ui_add_program_tests(void)
{
    g_test_add_func("/ui/program/set-alone", test_set_alone);
    g_test_add_func("/ui/program/no-display", test_no_display);
    g_test_add_func("/ui/program/two-files", test_two_files);
    g_test_add_func("/ui/program/version", test_version);
    g_test_add_func("/ui/program/signals", test_signals);
    g_test_add_func("/ui/program/instructions", test_instructions);
    g_test_add_func("/ui/program/german-errors", test_german_errors);
    g_test_add_func("/ui/program/help", test_help);
    g_test_add_func("/ui/program/help-in-german", test_help_in_german);
    g_test_add_func("/ui/program/wrong-setting", test_wrong_setting);
}
