/* How long the desktop takes to its first frame, and from Run to the first record.
 * SPDX-License-Identifier: MIT
 *
 *     bench-startup [TIMES [KEY=VALUE...]]
 *
 * starts the program's own application that many times (7 unless told), each in a process of its
 * own, presses Run as soon as the model is ready, and prints medians.  A frame counts as drawn when
 * GTK has painted it. */
#include "tests/ui/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES 7
#define ONCE "--once"

enum { FIRST_FRAME, READY, FIRST_RECORD, RECORD_DRAWN, MOMENTS };

/* What each time stands for, and what it is counted from. */
static const char *const moments[MOMENTS] = {
    [FIRST_FRAME] = "start to first frame",
    [READY] = "start to a model that is ready",
    [FIRST_RECORD] = "Run to first record",
    [RECORD_DRAWN] = "Run to first record drawn",
};

/* One start. */
typedef struct {
    NsWindow *window;
    gint64 started, ran; /* monotonic time; ran: 0 before Run */
    double ms[MOMENTS];  /* 0: not reached */
} Start;

static void reach(Start *start, int moment)
{
    gint64 from = moment < FIRST_RECORD ? start->started : start->ran;
    if (start->ms[moment] <= 0) start->ms[moment] = (double)(g_get_monotonic_time() - from) / 1e3;
}

static bool has_record(Start *start)
{
    const NsHistory *history = start->window->session->view->history;
    return history && ns_history_steps(history) > 1;
}

static void on_painted(GdkFrameClock *clock, gpointer data)
{
    (void)clock;
    Start *start = data;
    reach(start, FIRST_FRAME);
    if (start->ms[FIRST_RECORD] <= 0) return;
    reach(start, RECORD_DRAWN);
    gtk_window_destroy(GTK_WINDOW(start->window));
}

/* Looks every millisecond for what no signal tells. */
static gboolean on_time(gpointer data)
{
    Start *start = data;
    if (start->ms[FIRST_FRAME] <= 0) return G_SOURCE_CONTINUE;
    if (!start->ran) {
        if (!ui_is_ready(start->window)) return G_SOURCE_CONTINUE;
        reach(start, READY);
        start->ran = g_get_monotonic_time();
        ui_click(start->window, "run_button");
    }
    if (!has_record(start)) return G_SOURCE_CONTINUE;
    reach(start, FIRST_RECORD);
    gtk_widget_queue_draw(GTK_WIDGET(start->window));
    return G_SOURCE_REMOVE;
}

static void on_realize(GtkWidget *window, gpointer start)
{
    g_signal_connect(gtk_widget_get_frame_clock(window), "after-paint", G_CALLBACK(on_painted),
                     start);
}

static void on_window(GtkApplication *application, GtkWindow *window, gpointer data)
{
    (void)application;
    Start *start = data;
    start->window = NS_WINDOW(window);
    g_signal_connect(window, "realize", G_CALLBACK(on_realize), start);
    g_timeout_add(1, on_time, start);
}

/* The child: "--once STARTED [KEY=VALUE...]". */
static int start_once(int argc, char **argv)
{
    Start start = {.started = g_ascii_strtoll(argv[2], NULL, 10)};
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_ptr_array_add(words, argv[0]);
    char set[] = "--set";
    for (int i = 3; i < argc; i++) {
        g_ptr_array_add(words, set);
        g_ptr_array_add(words, argv[i]);
    }
    g_autoptr(NsApplication) application = ns_application_new();
    g_signal_connect(application, "window-added", G_CALLBACK(on_window), &start);
    g_application_run(G_APPLICATION(application), (int)words->len, (char **)words->pdata);
    for (size_t i = 0; i < MOMENTS; i++) printf("%.3f ", start.ms[i]);
    return start.ms[RECORD_DRAWN] > 0 ? 0 : 1;
}

/* ---- The parent ---- */

static bool start_child(int argc, char **argv, double ms[MOMENTS], GError **error)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(words, g_strdup("/proc/self/exe"));
    g_ptr_array_add(words, g_strdup(ONCE));
    g_ptr_array_add(words, g_strdup_printf("%" G_GINT64_FORMAT, g_get_monotonic_time()));
    for (int i = 2; i < argc; i++) g_ptr_array_add(words, g_strdup(argv[i]));
    g_ptr_array_add(words, NULL);
    g_autofree char *text = NULL;
    int status = 0;
    if (!g_spawn_sync(NULL, (char **)words->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, NULL,
                      &status, error) ||
        !g_spawn_check_wait_status(status, error))
        return false;
    char *at = text;
    for (size_t i = 0; i < MOMENTS; i++) ms[i] = g_ascii_strtod(at, &at);
    return true;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    if (argc > 2 && g_str_equal(argv[1], ONCE)) return start_once(argc, argv);
    size_t times = argc > 1 ? (size_t)g_ascii_strtoull(argv[1], NULL, 10) : TIMES;
    if (times < 1 || times > 1000) {
        fputs("bench-startup: the number of starts must lie between 1 and 1000.\n", stderr);
        return 2;
    }
    g_autofree double *ms = g_new0(double, MOMENTS *times);
    for (size_t k = 0; k < times; k++) {
        double one[MOMENTS];
        g_autoptr(GError) error = NULL;
        if (!start_child(argc, argv, one, &error)) {
            fprintf(stderr, "bench-startup: %s\n", error->message);
            return 1;
        }
        for (size_t i = 0; i < MOMENTS; i++) ms[i * times + k] = one[i];
    }
    printf("%-32s%12s%12s%12s\n", "ms", "median", "least", "most");
    for (size_t i = 0; i < MOMENTS; i++) {
        double *of = ms + i * times;
        qsort(of, times, sizeof *of, compare);
        printf("%-32s%12.1f%12.1f%12.1f\n", moments[i], (of[(times - 1) / 2] + of[times / 2]) / 2,
               of[0], of[times - 1]);
    }
    return 0;
}
