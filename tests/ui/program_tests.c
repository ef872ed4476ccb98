/* The program from outside: what it says before there is a window.  SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"

#include <locale.h>
#include <sys/wait.h>

#define GERMAN "de_DE.UTF-8"

/* Runs the program, which NS_DESKTOP names, without a display; its exit status. */
static int run_program(const char *argument, const char *locale, char **out, char **err)
{
    const char *program = g_getenv("NS_DESKTOP");
    const char *arguments[] = {program, argument, NULL};
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

static void test_version(void)
{
    check("--version", 0, "normscope " NS_VERSION, "");
}

static void test_help(void)
{
    check("--help", 0, "--set", "");
}

/* In the language of the desktop. */
static void test_help_in_german(void)
{
    if (!g_getenv("NS_DESKTOP")) {
        g_test_skip("NS_DESKTOP does not name the program");
        return;
    }
    locale_t german = newlocale(LC_ALL_MASK, GERMAN, NULL);
    if (!german) {
        g_test_skip("the locale " GERMAN " is not installed");
        return;
    }
    freelocale(german);
    g_autofree char *out = NULL, *err = NULL;
    g_assert_cmpint(run_program("--help", GERMAN, &out, &err), ==, 0);
    g_assert_null(strstr(out, "Begin to train at once"));
    g_assert_nonnull(strstr(out, "Sofort trainieren"));
}

static void test_wrong_setting(void)
{
    check("--set=layers=many", 2, "", "layers");
}

void ui_add_program_tests(void)
{
    g_test_add_func("/ui/program/no-display", test_no_display);
    g_test_add_func("/ui/program/version", test_version);
    g_test_add_func("/ui/program/help", test_help);
    g_test_add_func("/ui/program/help-in-german", test_help_in_german);
    g_test_add_func("/ui/program/wrong-setting", test_wrong_setting);
}
