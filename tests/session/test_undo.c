/* Undo and redo of settings, lanes and links.  SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "tests/session/driver.h"

static void test_undo_words(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", "placement=pre", 0);
    g_assert_false(session->undo->len > 0);
    g_assert_null(ns_session_undo_words(session));
    ns_session_set(session, "layers", "12");
    ns_session_set(session, "layers", "12"); /* changes nothing */
    g_autofree char *layers = ns_session_undo_words(session);
    g_assert_cmpstr(layers, ==, "Layers is 2 again");
    ns_session_undo(session);
    g_assert_false(session->undo->len > 0);
    g_autofree char *again = ns_session_redo_words(session);
    g_assert_cmpstr(again, ==, "Layers is 12 again");
    ns_session_set_active(session, 1);
    ns_session_set(session, "placement", "deepnorm");
    g_assert_false(session->redo->len > 0);
    g_autofree char *where = ns_session_undo_words(session);
    g_assert_cmpstr(where, ==, "Norm placement of B is Pre-LN again");
    ns_session_set_linked(session, ns_param_find("lr"), false);
    g_autofree char *link = ns_session_undo_words(session);
    g_assert_cmpstr(link, ==, "Peak learning rate is linked again");
    ns_session_set_lanes(session, 3);
    g_autofree char *lane = ns_session_undo_words(session);
    g_assert_cmpstr(lane, ==, "Lane C is removed");
    /* The lane that was active before a change of lanes is active again. */
    ns_session_set_active(session, 0);
    ns_session_add_lane(session);
    g_assert_cmpuint(session->active, ==, 3);
    ns_session_undo(session);
    g_assert_cmpuint(session->active, ==, 0);
    ns_session_redo(session);
    g_assert_cmpuint(session->active, ==, 3);
    ns_session_undo(session);
    /* Lanes that were removed are named by the letters that they get back. */
    ns_session_set_lanes(session, 4);
    ns_session_set_lane(session, 2, "placement", "sandwich");
    ns_session_set_lane(session, 3, "placement", "pre");
    ns_session_remove_lane(session, 1);
    g_autofree char *second = ns_session_undo_words(session);
    g_assert_cmpstr(second, ==, "Lane B is back");
    ns_session_undo(session);
    g_autofree char *gone = ns_session_redo_words(session);
    g_assert_cmpstr(gone, ==, "Lane B is removed");
    ns_session_set_lanes(session, 2);
    g_autofree char *last = ns_session_undo_words(session);
    g_assert_cmpstr(last, ==, "Lanes C, D are back");
    ns_session_set(session, "prompt", "the");
    g_autofree char *none = ns_session_undo_words(session);
    g_assert_cmpstr(none, ==, "Prompt is none again");
    ns_session_set_defaults(session);
    g_autofree char *several = ns_session_undo_words(session);
    g_assert_nonnull(strstr(several, " settings are as they were"));
}

/* If the lanes of two runs differ, the difference is described by what the run trains. */
static void test_other_lanes(void)
{
    g_auto(NsExperiment) one, three;
    ns_experiment_init(&one);
    ns_experiment_init(&three);
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_settings_assign(&three.lane[0], "threads=7", &error));
    g_assert_null(ns_experiment_difference_words(&one, &three));
    ns_experiment_resize(&three, 3, 0);
    g_assert_true(ns_settings_assign(&three.lane[2], "placement=pre", &error));
    g_autofree char *removed = ns_experiment_difference_words(&three, &one);
    g_assert_cmpstr(removed, ==, "Post-LN, 6 layers");
    g_autofree char *added = ns_experiment_difference_words(&one, &three);
    g_assert_cmpstr(added, ==, "2 × Post-LN vs Pre-LN, 6 layers");
}

static void test_undo_of_a_drag(void)
{
    g_autoptr(NsSession) session = open_at("", NULL, 0);
    for (int i = 1; i <= 20; i++) {
        g_autofree char *value = g_strdup_printf("%d", 2 + i);
        ns_session_slide(session, "layers", value);
    }
    ns_session_slide(session, "warmup", "7");
    ns_session_undo(session);
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 22);
    ns_session_undo(session);
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 2);
    g_assert_false(session->undo->len > 0);
}

/* What is dragged through reaches the run once, when the slider rests. */
static void test_drag_of_a_run(void)
{
    g_autoptr(NsSession) session = open_at("lr=0.001", NULL, 3);
    static const char *const values[] = {"0.002", "0.003", "0.004"};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        ns_session_slide(session, "lr", values[i]);
        g_assert_cmpfloat(session->run->lane[0].lr, ==, 0.001);
    }
    SESSION_UNTIL(session, !session->live_source);
    g_assert_cmpfloat(session->run->lane[0].lr, ==, 0.004);
}

static void do_anything(NsSession *session)
{
    static const struct {
        const char *key, *values[3];
    } table[] = {{"layers", {"2", "3", "4"}},      {"placement", {"post", "pre", "deepnorm"}},
                 {"lr", {"1e-3", "2e-3", "3e-3"}}, {"seq", {"8", "16", "12"}},
                 {"heads", {"2", "5", "4"}}, /* 5 does not divide the width */
                 {"beta1", {"0.9", "0.5", "2"}} /* 2 is invalid */};
    size_t row = (size_t)g_test_rand_int_range(0, G_N_ELEMENTS(table));
    const char *key = table[row].key, *value = table[row].values[g_test_rand_int_range(0, 3)];
    size_t lane = (size_t)g_test_rand_int_range(0, (int)session->experiment.n);
    switch (g_test_rand_int_range(0, 9)) {
    case 0:
        ns_session_set_lanes(session, (size_t)g_test_rand_int_range(1, 5));
        return;
    case 1:
        ns_session_remove_lane(session, lane);
        return;
    case 2:
        ns_session_set_active(session, lane);
        return;
    case 3:
        ns_session_set_linked(session, ns_param_find(key), g_test_rand_bit());
        return;
    case 4:
        ns_session_set_lane(session, lane, key, value);
        return;
    case 5:
        ns_session_slide(session, key, value);
        return;
    case 6:
        ns_session_set_default(session, ns_param_find(key));
        return;
    default:
        ns_session_set(session, key, value);
    }
}

static void test_undo_all_redo_all(void)
{
    for (int round = 0; round < 20; round++) {
        g_autoptr(NsSession) session =
            open_session("placement=post", round % 2 ? "placement=pre" : NULL);
        NsExperiment first, last;
        ns_experiment_copy(&first, &session->experiment);
        for (int i = 0; i < 40; i++) do_anything(session);
        ns_experiment_copy(&last, &session->experiment);
        size_t back = 0, forth = 0;
        for (; session->undo->len > 0; back++) {
            g_autofree char *words = ns_session_undo_words(session);
            g_assert_true(words && *words);
            ns_session_undo(session);
        }
        g_assert_true(ns_experiment_equal(&session->experiment, &first));
        for (; session->redo->len > 0; forth++) ns_session_redo(session);
        g_assert_true(ns_experiment_equal(&session->experiment, &last));
        g_assert_cmpuint(back, ==, forth);
        g_assert_cmpuint(back, >, 3);
        ns_experiment_clear(&first);
        ns_experiment_clear(&last);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/session/undo-words", test_undo_words);
    g_test_add_func("/session/undo-of-a-drag", test_undo_of_a_drag);
    g_test_add_func("/session/drag-of-a-run", test_drag_of_a_run);
    g_test_add_func("/session/other-lanes", test_other_lanes);
    g_test_add_func("/session/undo-all-redo-all", test_undo_all_redo_all);
    return g_test_run();
}
