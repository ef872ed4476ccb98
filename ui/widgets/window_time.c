/* What a window can be told about time.  SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "ui/widgets/ask_popover.h"
#include "ui/widgets/speed_control.h"
#include "ui/widgets/transport.h"
#include "ui/widgets/window_actions.h"

#define FAR 10 /* steps of the keys with Shift */

static void on_run(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    NsLab *lab = ns_window_lab(window);
    if (ns_lab_is_running(lab))
        ns_lab_pause(lab);
    else
        ns_lab_run(lab);
}

static bool run_to(double number, gpointer window)
{
    NsLab *lab = ns_window_lab(window);
    if (number <= (double)ns_lab_steps(lab) || number > 1e9) return false;
    ns_lab_run_to(lab, (int64_t)number);
    return true;
}

static bool run_until_loss(double number, gpointer window)
{
    if (number <= 0.0) return false;
    ns_lab_run_until_loss(ns_window_lab(window), number);
    return true;
}

static void on_run_to(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    static const NsAsk ask = {N_("Run to step"), N_("Run"), "1000",
                              N_("A step that lies ahead, such as 1000."), run_to};
    ns_ask_popover(ns_window_run_menu(window), &ask, window);
}

static void on_run_until_loss(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    static const NsAsk ask = {N_("Run until a loss is below"), N_("Run"), "2.0",
                              N_("A loss is a positive number, such as 1.8."), run_until_loss};
    ns_ask_popover(ns_window_run_menu(window), &ask, window);
}

/* Forward in what was made; past its end a new step is made. */
static void forward(NsLab *lab, int64_t by)
{
    int64_t shown = ns_lab_shown_step(lab), newest = ns_lab_steps(lab);
    if (shown < newest)
        ns_lab_show_step(lab, shown + by >= newest ? -1 : shown + by);
    else if (!ns_lab_is_running(lab))
        ns_lab_step(lab, by);
}

static void look_back(NsLab *lab, int64_t by)
{
    int64_t first = ns_lab_first_step(lab);
    int64_t to = MAX(ns_lab_shown_step(lab) - by, first);
    if (to < ns_lab_steps(lab)) ns_lab_show_step(lab, to);
}

static void on_step(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    forward(ns_window_lab(window), 1);
}

static void on_step_ten(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    forward(ns_window_lab(window), FAR);
}

static void on_back_step(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    look_back(ns_window_lab(window), 1);
}

static void on_back_ten(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    look_back(ns_window_lab(window), FAR);
}

static void on_first(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    look_back(ns_window_lab(window), INT64_MAX / 2);
}

static void on_live(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    ns_lab_show_step(ns_window_lab(window), -1);
}

static void on_reset(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    ns_lab_reset(ns_window_lab(window));
}

static void on_fork(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    ns_lab_fork(ns_window_lab(window));
}

static void change_speed(NsWindow *window, bool faster)
{
    NsLab *lab = ns_window_lab(window);
    ns_lab_set_speed(lab, ns_speed_next(ns_lab_speed(lab), faster));
    ns_speed_control_sync(NS_SPEED_CONTROL(ns_transport_speed(ns_window_transport(window))));
    g_autofree char *words = ns_speed_words(ns_lab_speed(lab));
    g_autofree char *sentence = g_strdup_printf(_("Speed: %s"), words);
    ns_window_toast(window, sentence);
}

static void on_slower(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    change_speed(window, false);
}

static void on_faster(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    change_speed(window, true);
}

static void on_slow_motion(GSimpleAction *action, GVariant *state, gpointer window)
{
    ns_lab_set_slow_motion(ns_window_lab(window), g_variant_get_boolean(state));
    g_simple_action_set_state(action, state);
    ns_transport_sync(ns_window_transport(window));
}

static void on_pause_on_trouble(GSimpleAction *action, GVariant *state, gpointer window)
{
    ns_lab_set_pause_on_trouble(ns_window_lab(window), g_variant_get_boolean(state));
    g_simple_action_set_state(action, state);
}

static const GActionEntry ACTIONS[] = {
    {.name = "run", .activate = on_run},
    {.name = "run-to", .activate = on_run_to},
    {.name = "run-until-loss", .activate = on_run_until_loss},
    {.name = "step", .activate = on_step},
    {.name = "step-ten", .activate = on_step_ten},
    {.name = "back-step", .activate = on_back_step},
    {.name = "back-ten", .activate = on_back_ten},
    {.name = "first", .activate = on_first},
    {.name = "live", .activate = on_live},
    {.name = "reset", .activate = on_reset},
    {.name = "fork", .activate = on_fork},
    {.name = "slower", .activate = on_slower},
    {.name = "faster", .activate = on_faster},
    {.name = "slow-motion", .state = "false", .change_state = on_slow_motion},
    {.name = "pause-on-trouble", .state = "true", .change_state = on_pause_on_trouble},
};

void ns_window_add_time_actions(NsWindow *window)
{
    g_action_map_add_action_entries(G_ACTION_MAP(window), ACTIONS, G_N_ELEMENTS(ACTIONS), window);
}

void ns_window_sync_time_actions(NsWindow *window)
{
    NsLab *lab = ns_window_lab(window);
    int64_t shown = ns_lab_shown_step(lab), first = ns_lab_first_step(lab);
    bool can_run = ns_lab_can_run(lab), behind = shown < ns_lab_steps(lab);
    bool can_step = behind || (can_run && !ns_lab_is_running(lab));
    ns_window_enable(window, "run", can_run);
    ns_window_enable(window, "run-to", can_run);
    ns_window_enable(window, "run-until-loss", can_run);
    ns_window_enable(window, "step", can_step);
    ns_window_enable(window, "step-ten", can_step);
    ns_window_enable(window, "back-step", shown > first);
    ns_window_enable(window, "back-ten", shown > first);
    ns_window_enable(window, "first", shown > first);
    ns_window_enable(window, "live", behind);
    ns_window_enable(window, "reset", ns_lab_can_reset(lab));
    ns_window_enable(window, "fork", ns_lab_can_fork(lab));
    ns_window_set_state(window, "slow-motion", ns_lab_slow_motion(lab));
    ns_window_set_state(window, "pause-on-trouble", ns_lab_pause_on_trouble(lab));
}
