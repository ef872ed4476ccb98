/* The actions of a window about time.  SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "ui/widgets/common/popovers.h"
#include "ui/widgets/run/transport.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/window_actions.h"

#define FAR 10 /* steps of the keys with Shift */

static void on_run(NsWindow *window)
{
    NsSession *session = ns_window_session(window);
    if (session->wants_run)
        ns_session_pause(session);
    else if (!ns_learn_pane_run(ns_window_learn_pane(window)))
        ns_session_run(session);
}

static bool run_to(double number, gpointer window)
{
    NsSession *session = ns_window_session(window);
    if (number <= (double)ns_session_steps(session) || number > 1e9) return false;
    ns_session_run_to(session, (int64_t)number);
    return true;
}

static bool run_until_loss(double number, gpointer window)
{
    if (number <= 0.0) return false;
    ns_session_run_until_loss(ns_window_session(window), number);
    return true;
}

static void on_run_to(NsWindow *window)
{
    static const NsAsk ask = {N_("Run to step"), N_("Run"), "1000",
                              N_("Enter a later step, such as 1000."), run_to};
    ns_ask_popover(ns_window_run_menu(window), &ask, window);
}

static void on_run_until_loss(NsWindow *window)
{
    static const NsAsk ask = {N_("Run until a loss is below"), N_("Run"), "2.0",
                              N_("Enter a positive loss, such as 1.8."), run_until_loss};
    ns_ask_popover(ns_window_run_menu(window), &ask, window);
}

/* Shows a later recorded step; past the newest one, a new step is trained. */
static void forward(NsSession *session, int64_t by)
{
    int64_t shown = ns_session_shown_step(session), newest = ns_session_steps(session);
    if (shown < newest)
        ns_session_show_step(session, shown + by >= newest ? -1 : shown + by);
    else if (!session->wants_run)
        ns_session_step(session, by);
}

static void look_back(NsSession *session, int64_t by)
{
    int64_t first = ns_session_first_step(session);
    int64_t to = MAX(ns_session_shown_step(session) - by, first);
    if (to < ns_session_steps(session)) ns_session_show_step(session, to);
}

static void on_step(NsWindow *window)
{
    forward(ns_window_session(window), 1);
}

static void on_step_ten(NsWindow *window)
{
    forward(ns_window_session(window), FAR);
}

static void on_back_step(NsWindow *window)
{
    look_back(ns_window_session(window), 1);
}

static void on_back_ten(NsWindow *window)
{
    look_back(ns_window_session(window), FAR);
}

static void on_first(NsWindow *window)
{
    look_back(ns_window_session(window), INT64_MAX / 2);
}

static void on_live(NsWindow *window)
{
    ns_session_show_step(ns_window_session(window), -1);
}

static void on_to_start(gpointer data, gpointer toast)
{
    (void)data;
    NsWindow *window = NS_WINDOW(gtk_widget_get_root(toast));
    ns_session_reset_to_start(ns_window_session(window));
}

static void on_reset(NsWindow *window)
{
    NsSession *session = ns_window_session(window);
    int64_t fork = session->fork_step;
    ns_session_reset(session);
    if (fork == 0) return;
    g_autofree char *step = ns_group_digits(fork);
    g_autofree char *words =
        g_strdup_printf(_("Reset to step %s, where the run was forked."), step);
    ns_window_toast_offer(window, words, _("Reset to step 0"), on_to_start, NULL);
}

static void change_speed(NsWindow *window, bool faster)
{
    NsSession *session = ns_window_session(window);
    ns_session_set_speed(session, ns_speed_next(session->speed, faster));
    ns_speed_control_sync(NS_SPEED_CONTROL(ns_transport_speed(ns_window_transport(window))));
    g_autofree char *words = ns_speed_words(session->speed);
    g_autofree char *sentence = g_strdup_printf(_("Speed: %s"), words);
    ns_window_toast(window, sentence);
}

static void on_slower(NsWindow *window)
{
    change_speed(window, false);
}

static void on_faster(NsWindow *window)
{
    change_speed(window, true);
}

static void on_slow_motion(GSimpleAction *action, GVariant *state, gpointer window)
{
    ns_session_set_slow_motion(ns_window_session(window), g_variant_get_boolean(state));
    g_simple_action_set_state(action, state);
    ns_transport_sync(ns_window_transport(window));
}

static void on_pause_on_trouble(GSimpleAction *action, GVariant *state, gpointer window)
{
    ns_session_set_pause_on_trouble(ns_window_session(window), g_variant_get_boolean(state));
    g_simple_action_set_state(action, state);
}

static const NsWindowCommand COMMANDS[] = {
    {.action = "run", .of_window = on_run},
    {.action = "run-to", .of_window = on_run_to},
    {.action = "run-until-loss", .of_window = on_run_until_loss},
    {.action = "step", .of_window = on_step},
    {.action = "step-ten", .of_window = on_step_ten},
    {.action = "back-step", .of_window = on_back_step},
    {.action = "back-ten", .of_window = on_back_ten},
    {.action = "first", .of_window = on_first},
    {.action = "live", .of_window = on_live},
    {.action = "reset", .of_window = on_reset},
    {.action = "reset-to-start", .of_session = ns_session_reset_to_start},
    {.action = "fork", .of_session = ns_session_fork},
    {.action = "slower", .of_window = on_slower},
    {.action = "faster", .of_window = on_faster},
};

static const GActionEntry SWITCHES[] = {
    {.name = "slow-motion", .state = "false", .change_state = on_slow_motion},
    {.name = "pause-on-trouble", .state = "true", .change_state = on_pause_on_trouble},
};

static void sync_actions(NsWindow *window)
{
    NsSession *session = ns_window_session(window);
    int64_t shown = ns_session_shown_step(session), first = ns_session_first_step(session);
    bool can_run = ns_session_can_run(session), behind = shown < ns_session_steps(session);
    bool can_step = behind || (can_run && !session->wants_run);
    ns_window_enable(window, "run", can_run);
    ns_window_enable(window, "run-to", can_run);
    ns_window_enable(window, "run-until-loss", can_run);
    ns_window_enable(window, "step", can_step);
    ns_window_enable(window, "step-ten", can_step);
    ns_window_enable(window, "back-step", shown > first);
    ns_window_enable(window, "back-ten", shown > first);
    ns_window_enable(window, "first", shown > first);
    ns_window_enable(window, "live", behind);
    ns_window_enable(window, "reset", ns_session_can_reset(session));
    ns_window_enable(window, "reset-to-start",
                     ns_session_can_reset(session) && session->fork_step > 0);
    ns_window_enable(window, "fork", ns_session_can_fork(session));
    ns_window_set_state(window, "slow-motion", session->slow);
    ns_window_set_state(window, "pause-on-trouble", session->pause_on_trouble);
}

void ns_window_add_time_actions(NsWindow *window)
{
    ns_window_add_commands(window, COMMANDS, G_N_ELEMENTS(COMMANDS));
    g_action_map_add_action_entries(G_ACTION_MAP(window), SWITCHES, G_N_ELEMENTS(SWITCHES), window);
    NsSession *session = ns_window_session(window);
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_actions), window);
    ns_session_listen(session, "view-changed", G_CALLBACK(sync_actions), window);
    g_signal_connect(window, "progressed", G_CALLBACK(sync_actions), NULL);
    sync_actions(window);
}
