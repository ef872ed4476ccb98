/* The way back through settings, lanes and links.  SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "tests/ui/lab_driver.h"

static void test_undo_words(void)
{
    g_autoptr(NsLab) lab = open_at("placement=post", "placement=pre", 0);
    g_assert_false(ns_lab_can_undo(lab));
    g_assert_null(ns_lab_undo_words(lab));
    ns_lab_set(lab, "layers", "12");
    ns_lab_set(lab, "layers", "12"); /* changes nothing */
    g_autofree char *layers = ns_lab_undo_words(lab);
    g_assert_cmpstr(layers, ==, "Layers 2 → 12");
    ns_lab_undo(lab);
    g_assert_false(ns_lab_can_undo(lab));
    g_autofree char *again = ns_lab_redo_words(lab);
    g_assert_cmpstr(again, ==, "Layers 2 → 12");
    ns_lab_set_active(lab, 1);
    ns_lab_set(lab, "placement", "deepnorm");
    g_assert_false(ns_lab_can_redo(lab));
    g_autofree char *where = ns_lab_undo_words(lab);
    g_assert_cmpstr(where, ==, "Norm placement of B Pre-LN → DeepNorm");
    ns_lab_set_linked(lab, ns_param_find("lr"), false);
    g_autofree char *link = ns_lab_undo_words(lab);
    g_assert_cmpstr(link, ==, "Peak learning rate split");
    ns_lab_set_lanes(lab, 3);
    g_autofree char *lane = ns_lab_undo_words(lab);
    g_assert_cmpstr(lane, ==, "lane C added");
}

static void test_undo_of_a_drag(void)
{
    g_autoptr(NsLab) lab = open_at("", NULL, 0);
    for (int i = 1; i <= 20; i++) {
        g_autofree char *value = g_strdup_printf("%d", 2 + i);
        ns_lab_slide(lab, "layers", value);
    }
    ns_lab_slide(lab, "warmup", "7");
    ns_lab_undo(lab);
    g_assert_cmpint(ns_lab_settings(lab)->layers, ==, 22);
    ns_lab_undo(lab);
    g_assert_cmpint(ns_lab_settings(lab)->layers, ==, 2);
    g_assert_false(ns_lab_can_undo(lab));
}

static void do_anything(NsLab *lab)
{
    static const struct {
        const char *key, *values[3];
    } table[] = {{"layers", {"2", "3", "4"}},      {"placement", {"post", "pre", "deepnorm"}},
                 {"lr", {"1e-3", "2e-3", "3e-3"}}, {"seq", {"8", "16", "12"}},
                 {"heads", {"2", "5", "4"}}, /* 5 does not go with the width */
                 {"beta1", {"0.9", "0.5", "2"}} /* 2 is refused */};
    size_t row = (size_t)g_test_rand_int_range(0, G_N_ELEMENTS(table));
    const char *key = table[row].key, *value = table[row].values[g_test_rand_int_range(0, 3)];
    size_t lane = (size_t)g_test_rand_int_range(0, (int)ns_lab_lanes(lab));
    switch (g_test_rand_int_range(0, 9)) {
    case 0:
        ns_lab_set_lanes(lab, (size_t)g_test_rand_int_range(1, 5));
        return;
    case 1:
        ns_lab_remove_lane(lab, lane);
        return;
    case 2:
        ns_lab_set_active(lab, lane);
        return;
    case 3:
        ns_lab_set_linked(lab, ns_param_find(key), g_test_rand_bit());
        return;
    case 4:
        ns_lab_set_lane(lab, lane, key, value);
        return;
    case 5:
        ns_lab_slide(lab, key, value);
        return;
    case 6:
        ns_lab_set_default(lab, ns_param_find(key));
        return;
    default:
        ns_lab_set(lab, key, value);
    }
}

static void test_undo_all_redo_all(void)
{
    for (int round = 0; round < 20; round++) {
        g_autoptr(NsLab) lab = open_lab("placement=post", round % 2 ? "placement=pre" : NULL);
        NsLanes first, last;
        ns_lanes_copy(&first, ns_lab_all_settings(lab));
        for (int i = 0; i < 40; i++) do_anything(lab);
        ns_lanes_copy(&last, ns_lab_all_settings(lab));
        size_t back = 0, forth = 0;
        for (; ns_lab_can_undo(lab); back++) {
            g_autofree char *words = ns_lab_undo_words(lab);
            g_assert_true(words && *words);
            ns_lab_undo(lab);
        }
        g_assert_true(ns_lanes_equal(ns_lab_all_settings(lab), &first));
        for (; ns_lab_can_redo(lab); forth++) ns_lab_redo(lab);
        g_assert_true(ns_lanes_equal(ns_lab_all_settings(lab), &last));
        g_assert_cmpuint(back, ==, forth);
        g_assert_cmpuint(back, >, 3);
        ns_lanes_clear(&first);
        ns_lanes_clear(&last);
    }
}

void ui_add_undo_tests(void)
{
    g_test_add_func("/ui/lab/undo-words", test_undo_words);
    g_test_add_func("/ui/lab/undo-of-a-drag", test_undo_of_a_drag);
    g_test_add_func("/ui/lab/undo-all-redo-all", test_undo_all_redo_all);
}
