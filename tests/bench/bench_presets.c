/* How long it takes until a preset shows something.  SPDX-License-Identifier: MIT
 *
 *     bench-presets [TIMES]
 *
 * opens every preset in a window and presses Run at once, so many times (3 unless told), and prints
 * the medians of how long it took until its step 0 was there and until it was painted, and until
 * its first update was there.  The interface asks for a second at most. */
#include "core/store/bundled.h"
#include "tests/bench/idle.h"
#include "tests/ui/support.h"

#include <stdio.h>
#include <stdlib.h>

#define TIMES 3

enum { MEASURED, PAINTED, UPDATED, MOMENTS };

/* One opening. */
typedef struct {
    NsWindow *window;
    const NsHistory *before;
    gint64 began;
    double ms[MOMENTS]; /* 0: not reached */
} Opening;

static void reach(Opening *opening, int moment)
{
    if (opening->ms[moment] <= 0)
        opening->ms[moment] = (double)(g_get_monotonic_time() - opening->began) / 1e3;
}

static void look(Opening *opening)
{
    NsSession *session = opening->window->session;
    const NsHistory *history = session->view->history;
    if (history == opening->before) return;
    reach(opening, MEASURED);
    if (ns_session_steps(session) > 0) reach(opening, UPDATED);
}

static void on_painted(GdkFrameClock *clock, Opening *opening)
{
    (void)clock;
    if (opening->ms[MEASURED] > 0) reach(opening, PAINTED);
}

static void open_preset(NsWindow *window, const char *key, double ms[MOMENTS])
{
    Opening opening = {window, window->session->view->history, 0, {0}};
    GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(window));
    gulong handler = g_signal_connect(clock, "after-paint", G_CALLBACK(on_painted), &opening);
    opening.began = g_get_monotonic_time();
    g_action_group_activate_action(G_ACTION_GROUP(window), "preset", g_variant_new_string(key));
    g_action_group_activate_action(G_ACTION_GROUP(window), "run", NULL);
    UI_UNTIL((look(&opening), opening.ms[PAINTED] > 0 && opening.ms[UPDATED] > 0));
    g_signal_handler_disconnect(clock, handler);
    ns_session_pause(window->session);
    bench_idle(300);
    for (size_t i = 0; i < MOMENTS; i++) ms[i] = opening.ms[i];
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    size_t times = argc > 1 ? (size_t)g_ascii_strtoull(argv[1], NULL, 10) : TIMES;
    if (times < 1 || times > 1000 || !gtk_init_check()) {
        fputs("bench-presets: it needs a display, and a number of times between 1 and 1000.\n",
              stderr);
        return 2;
    }
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    printf("%-20s%16s%16s%16s\n", "ms, median", "step 0", "painted", "step 1");
    const NsChoice *preset;
    for (size_t i = 0; (preset = ns_preset_choice(i)); i++) {
        g_autofree double *ms = g_new(double, MOMENTS *times);
        for (size_t k = 0; k < times; k++) {
            double one[MOMENTS];
            open_preset(window, preset->key, one);
            for (size_t m = 0; m < MOMENTS; m++) ms[m * times + k] = one[m];
        }
        printf("%-20s", preset->key);
        for (size_t m = 0; m < MOMENTS; m++) {
            qsort(ms + m * times, times, sizeof *ms, compare);
            printf("%16.0f", ms[m * times + times / 2]);
        }
        printf("\n");
    }
    ui_close(window);
    return 0;
}
