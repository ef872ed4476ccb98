/* Cases that end in every way, for the test of cases.py.  SPDX-License-Identifier: MIT */
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int began; /* of the cases of this process */

static void test_good(void)
{
    began++;
    g_test_message("well");
}

static void test_fails(void)
{
    g_test_fail();
}

static void test_aborts(void)
{
    g_printerr("the last words\n");
    abort();
}

static void test_crashes(void)
{
    raise(SIGSEGV);
}

static void test_leaves(void)
{
    _exit(0);
}

static void test_hangs(void)
{
    for (;;) pause();
}

static void test_skips(void)
{
    began++;
    g_test_skip("no moon tonight");
}

/* In the process of the one before, but not in that of the first, since some failed between them.
 */
static void test_goes_on(void)
{
    g_assert_cmpint(began, ==, 1);
}

static int status;

/* What is wrong when the process ends shows only then. */
static void test_last(void)
{
    status = 3;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fate/good", test_good);
    g_test_add_func("/fate/fails", test_fails);
    g_test_add_func("/fate/aborts", test_aborts);
    g_test_add_func("/fate/crashes", test_crashes);
    g_test_add_func("/fate/leaves", test_leaves);
    g_test_add_func("/fate/hangs", test_hangs);
    g_test_add_func("/fate/skips", test_skips);
    g_test_add_func("/fate/goes-on", test_goes_on);
    g_test_add_func("/fate/last", test_last);
    g_test_run();
    return status;
}
