/* Settings as texts.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/data/task.h"
#include "core/experiment/assignment.h"

#include <locale.h>
#include <string.h>

static void test_settings_round_trip(void)
{
    NsSettings a, b;
    ns_settings_init(&a);
    ns_settings_init(&b);
    static const char *const changes[] = {"placement=pre-LN", "layers=1e2", "lr=0.1",
                                          "norm-eps=1e-12",   "seed=7",     "text=/a b/c",
                                          "final-norm=on"};
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++)
        g_assert_true(ns_settings_assign(&a, changes[i], NULL));
    g_assert_cmpint(a.layers, ==, 100);
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *p = ns_param(i);
        g_assert_true(ns_settings_is_default(&b, p));
        g_autofree char *text = ns_settings_get(&a, p);
        g_assert_true(ns_settings_set(&b, p->key, text, NULL));
        g_autofree char *again = ns_settings_get(&b, p);
        g_assert_cmpstr(text, ==, again);
        if (p->type == NS_PARAM_REAL)
            g_assert_true(memcmp((char *)&a + p->offset, (char *)&b + p->offset, 8) == 0);
    }
    g_assert_true(ns_settings_assign(&b, "lr=1e2", NULL));
    g_autofree char *hundred = ns_settings_get(&b, ns_param_find("lr"));
    g_assert_cmpstr(hundred, ==, "100");
    /* A task stays what it was when no text is named beside it. */
    g_assert_true(ns_settings_set(&b, "task", "copy", NULL));
    g_assert_true(ns_settings_set(&b, "text", "", NULL));
    g_assert_cmpint((int)b.task, ==, ns_choices_find(ns_task_choice, "copy"));
    g_autofree char *line = ns_settings_line(&a, false);
    g_assert_cmpstr(line, ==,
                    "placement=pre layers=100 final-norm=on norm-eps=1e-12 lr=0.1 task=text "
                    "text='/a b/c' seed=7");
    ns_settings_clear(&a);
    ns_settings_clear(&b);
}

static void test_settings_refused(void)
{
    static const struct {
        const char *assignment, *says;
    } table[] = {
        {"layer=3", "layers"},
        {"layers=0", "Layers is 0; it must lie between 1 and 10,000."},
        {"drop-path=12", "Stochastic depth (drop-path) is 12"},
        {"layers=off", "not a number"},
        {"seeds=11", "Seeds per lane (seeds) is 11; it must lie between 1 and 10."},
        {"layers=2.5", "Layers is 2.5; it must be a whole number."},
        {"layers=many", "; Layers takes a whole number, such as 6, from 1 to 10,000."},
        {"layers=", "not a number"},
        {"lr=nan", "not a number"},
        {"lr=-1", "Peak learning rate (lr) is −1; it must lie between 0 and 100."},
        {"lr=1,5", "not a number"},
        {"lr=0,003", "0.003"},
        {"steps=1,00,000", "takes a whole number"},
        {"layers=10.000", "Layers is 10.000; it must be a whole number."},
        {"lr=0,300", "0.300"},
        {"heads=4,x", "4,x"},
        {"layers=3 heads=2", "separately"},
        {"dropout=x", "0 to 0.95."},
        {"lr=x", "such as 3e-3"},
        {"placement=Pre", "“pre”"},
        {"xyzzy=3", "list settings"},
        {"placement=middle", "post, pre, none"},
        {"layers", "key=value"},
    };
    NsSettings settings;
    ns_settings_init(&settings);
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(ns_settings_assign(&settings, table[i].assignment, &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
        g_assert_nonnull(strstr(error->message, table[i].says));
    }
    g_assert_cmpint(settings.layers, ==, 6);
    /* A value that is no amount has a word, and zero steps of warm-up are none. */
    static const char *const set[] = {"warmup=10",  "clip=1",   "dropout=0.5",
                                      "warmup=off", "clip=off", "dropout=Off"};
    for (size_t i = 0; i < G_N_ELEMENTS(set); i++)
        g_assert_true(ns_settings_assign(&settings, set[i], NULL));
    g_assert_cmpint(settings.warmup, ==, 1);
    g_assert_cmpfloat(settings.clip, ==, 0);
    g_assert_cmpfloat(settings.dropout, ==, 0);
    g_assert_true(ns_settings_assign(&settings, "warmup=0", NULL));
    g_assert_cmpint(settings.warmup, ==, 1);

    /* A count may have its digits grouped, as it is shown. */
    static const char *const counts[] = {"steps=10,000",      "steps=10 000",
                                         "steps=10\u00a0000", "steps=10\u2009000",
                                         "steps=10\u202f000", "steps=1e4"};
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_assert_true(ns_settings_assign(&settings, "steps=1", NULL));
        g_assert_true(ns_settings_assign(&settings, counts[i], NULL));
        g_assert_cmpint(settings.steps, ==, 10000);
    }
    g_assert_true(ns_settings_assign(&settings, "steps=1,000,000", NULL));
    g_assert_cmpint(settings.steps, ==, 1000000);

    g_autoptr(GError) error = NULL;
    settings.heads = 5;
    g_assert_false(ns_settings_check(&settings, &error));
    g_assert_nonnull(strstr(error->message, "5 heads"));
    g_clear_error(&error);
    settings.heads = 4;
    settings.attention = NS_ATTENTION_UNIFORM;
    g_assert_false(ns_settings_check(&settings, &error));
    g_assert_nonnull(strstr(error->message, "heads=1"));
    g_clear_error(&error);
    settings.attention = NS_ATTENTION_SOFTMAX;
    g_assert_true(ns_settings_set(&settings, "mixture", "pre*2,middle", NULL));
    g_assert_false(ns_settings_check(&settings, &error));
    g_assert_nonnull(strstr(error->message, "middle"));
    g_clear_error(&error);
    g_assert_true(ns_settings_set(&settings, "mixture", "", NULL));
    g_assert_true(ns_settings_set(&settings, "task", "text", NULL));
    g_assert_false(ns_settings_check(&settings, &error));
    g_assert_nonnull(strstr(error->message, "text=PATH"));
    ns_settings_clear(&settings);
}

/* ns_settings_name of all these, one after another. */
static char *name_all(const char *first, const char *second)
{
    NsSettings settings;
    NsNamed named = {0};
    g_autoptr(GError) error = NULL;
    ns_settings_init(&settings);
    bool good = ns_settings_name_assignment(&settings, &named, first, &error) &&
                ns_settings_name_assignment(&settings, &named, second, &error);
    char *line = good ? ns_settings_line(&settings, false) : NULL;
    if (!good) {
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
        g_assert_true(g_str_has_suffix(error->message, "omit one of them."));
        /* The one before stays as it was named. */
        NsSettings alone;
        ns_settings_init(&alone);
        g_assert_true(ns_settings_assign(&alone, first, NULL));
        g_autofree char *is = ns_settings_line(&settings, true);
        g_autofree char *was = ns_settings_line(&alone, true);
        g_assert_cmpstr(is, ==, was);
        ns_settings_clear(&alone);
    }
    ns_settings_clear(&settings);
    return line;
}

/* Settings that exclude each other are not named together, in whichever order. */
static void test_settings_named(void)
{
    static const char *const pairs[][2] = {{"task=copy", "text=book.txt"},
                                           {"task=grammar", "text=book.txt"},
                                           {"placement=pre", "mixture=post*3,pre"},
                                           {"placement=post", "mixture=post*3,pre"},
                                           {"lr=1", "lr=2"}};
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
        g_assert_null(name_all(pairs[i][0], pairs[i][1]));
        g_assert_null(name_all(pairs[i][1], pairs[i][0]));
    }
    static const char *const together[][3] = {
        {"task=text", "text=book.txt", "task=text text=book.txt"},
        {"text=book.txt", "task=text", "task=text text=book.txt"},
        {"task=copy", "text=", "task=copy"},
        {"placement=pre", "mixture=", "placement=pre"},
        {"mixture=", "placement=pre", "placement=pre"},
        {"lr=1", "lr=1.0", "lr=1"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(together); i++) {
        g_autofree char *line = name_all(together[i][0], together[i][1]);
        g_assert_cmpstr(line, ==, together[i][2]);
    }
}

/* Where nobody names them, the last word counts, and what it leaves without effect is given up. */
static void test_settings_last_word(void)
{
    static const char *const rows[][3] = {
        {"text=book.txt", "task=copy", "task=copy"},
        {"task=copy", "text=book.txt", "task=text text=book.txt"},
        {"text=book.txt", "text=", ""},
        {"mixture=post*3", "placement=pre", "placement=pre"},
        {"placement=pre", "mixture=post*3", "mixture='post*3'"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        NsSettings settings;
        ns_settings_init(&settings);
        g_assert_true(ns_settings_assign(&settings, rows[i][0], NULL));
        g_assert_true(ns_settings_assign(&settings, rows[i][1], NULL));
        g_autofree char *line = ns_settings_line(&settings, false);
        g_assert_cmpstr(line, ==, rows[i][2]);
        ns_settings_clear(&settings);
    }
}

/* Numbers in files and on command lines do not follow the user's language. */
static void test_settings_locale(void)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        g_test_skip("the locale de_DE.UTF-8 is not installed");
        return;
    }
    NsSettings settings;
    ns_settings_init(&settings);
    g_assert_true(ns_settings_assign(&settings, "lr=0.25", NULL));
    g_autofree char *text = ns_settings_get(&settings, ns_param_find("lr"));
    g_assert_cmpstr(text, ==, "0.25");
    ns_settings_clear(&settings);
    setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/settings/round-trip", test_settings_round_trip);
    g_test_add_func("/settings/refused", test_settings_refused);
    g_test_add_func("/settings/named", test_settings_named);
    g_test_add_func("/settings/last-word", test_settings_last_word);
    g_test_add_func("/settings/locale", test_settings_locale);
    return g_test_run();
}
