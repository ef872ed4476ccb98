/* Deep models, quick input.  SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"

/* Generous: a tenth of it is a hundred frames a second on an idle machine; what it catches is a
 * main loop that waits for a step. */
#define LONGEST_TURN_MS 250.0

/* Of quick input, and turns of the main loop between two of them. */
#define CHANGES 300
#define MOST_TURNS 16

/* How long this thread was ready and others ran in its place: a busy machine is no fault of a main
 * loop.  0 where the kernel does not count it. */
static double kept_waiting_ms(void)
{
    g_autofree char *counts = NULL;
    unsigned long long ns = 0;
    if (g_file_get_contents("/proc/thread-self/schedstat", &counts, NULL, NULL))
        sscanf(counts, "%*u %llu", &ns);
    return (double)ns / 1e6;
}

/* In milliseconds, what the thread computed and what it slept in the turn, until a condition holds.
 */
static double longest_turn(NsWindow *window, bool (*condition)(NsWindow *window))
{
    double longest = 0.0;
    while (!condition(window)) {
        if (!g_main_context_pending(NULL)) {
            g_usleep(500);
            continue;
        }
        double waited = kept_waiting_ms();
        gint64 begin = g_get_monotonic_time();
        g_main_context_iteration(NULL, FALSE);
        double turn = (double)(g_get_monotonic_time() - begin) / 1000.0;
        turn -= kept_waiting_ms() - waited;
        longest = MAX(longest, turn);
    }
    return longest;
}

static bool has_made_steps(NsWindow *window)
{
    return ns_session_steps(window->session) >= 12;
}

static bool has_begun_anew(NsWindow *window)
{
    return ns_session_steps(window->session) == 0;
}

static void test_thousand_layers(void)
{
    NsWindow *window = ui_open("layers=1000 d-model=8");
    NsSession *session = window->session;
    ui_settle(GTK_WIDGET(window));
    double preparing = longest_turn(window, ui_is_ready);
    ui_click(window, "run_button");
    UI_WAIT(window, ui_has_stepped);
    double running = longest_turn(window, has_made_steps);
    ns_session_pause(session);
    ui_toggle(window, "Pre-LN");
    ns_session_restart(session);
    double restarting = longest_turn(window, has_begun_anew);
    g_test_message(
        "longest turn of the main loop: preparing %.1f, running %.1f, restarting %.1f ms",
        preparing, running, restarting);
    g_assert_cmpfloat(preparing, <, LONGEST_TURN_MS);
    g_assert_cmpfloat(running, <, LONGEST_TURN_MS);
    g_assert_cmpfloat(restarting, <, LONGEST_TURN_MS);
    ui_close(window);
}

static void change_something(NsWindow *window, GRand *random)
{
    static const char *const changes[][2] = {
        {"layers", "1"},       {"layers", "24"},     {"heads", "3"},           {"heads", "2"},
        {"heads", "4"},        {"d-model", "12"},    {"d-model", "24"},        {"lr", "0"},
        {"lr", "0.01"},        {"lr", "100"},        {"warmup", "1"},          {"warmup", "100"},
        {"placement", "post"}, {"placement", "pre"}, {"placement", "none"},    {"norm", "rmsnorm"},
        {"norm", "layernorm"}, {"seed", "7"},        {"batch", "1"},           {"seq", "1"},
        {"seq", "nonsense"},   {"text", "/none"},    {"task", "grammar"},      {"layers", "-4"},
        {"steps", "3"},        {"steps", "0"},       {"schedule", "constant"},
    };
    static const char *const actions[] = {"run",      "run",      "step", "step-ten",
                                          "reset",    "new-seed", "log",  "next-placement",
                                          "maximize", "back",     "pane", "reset-settings"};
    NsSession *session = window->session;
    guint32 pick = g_rand_int(random);
    if (pick % 2) {
        gint32 i = g_rand_int_range(random, 0, G_N_ELEMENTS(changes));
        ns_session_set(session, changes[i][0], changes[i][1]);
    } else if (pick % 3) {
        gint32 i = g_rand_int_range(random, 0, G_N_ELEMENTS(actions));
        g_action_group_activate_action(G_ACTION_GROUP(window), actions[i], NULL);
    } else {
        gint32 quantity = g_rand_int_range(random, 0, NS_QUANTITY_COUNT);
        if (ns_quantity((NsQuantity)quantity)->domain == NS_DOMAIN_LAYER)
            ns_session_show_gradient(session, (NsQuantity)quantity);
        ns_session_show_step(session, g_rand_int_range(random, -1, 10));
    }
}

static void test_quick_input(void)
{
    GRand *random = g_rand_new_with_seed(20200);
    NsWindow *window = ui_open("");
    for (int i = 0; i < CHANGES; i++) {
        change_something(window, random);
        for (int turns = g_rand_int_range(random, 0, MOST_TURNS); turns > 0; turns--) ui_turn();
    }
    /* Whatever was done to it, it can be brought back to work. */
    NsSession *session = window->session;
    ns_session_set_defaults(session);
    ns_session_pause(session);
    ui_rest(window);
    ns_session_reset(session);
    UI_WAIT(window, ui_is_ready);
    ns_session_run(session);
    UI_WAIT(window, ui_has_stepped);
    ui_close(window);
    g_rand_free(random);
}

void ui_add_stress_tests(void)
{
    g_test_add_func("/ui/stress/thousand-layers", test_thousand_layers);
    g_test_add_func("/ui/stress/quick-input", test_quick_input);
}
