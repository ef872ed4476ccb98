/* A hand that uses the window for hours, or for many cycles.  SPDX-License-Identifier: MIT
 *
 *     ui-endurance minutes N [FILE.csv]
 *
 * trains a model of 6 layers at a few steps a second while a hand runs, pauses, scrubs, forks,
 * resets, changes pages and settings, opens saved runs and continues them, and closes the window
 * and opens another.  Every minute is a row of the table: what the process holds, what the window
 * says that it holds, and what the saved runs take.  At the end, how fast each of them grows.
 *
 *     ui-endurance cycles N
 *
 * opens a window, runs, resets, forks and closes it N times.  The exit status is 1 if the memory in
 * use, the open files or the threads grow with the cycles. */
#include "core/base/database_file.h"
#include "core/base/memory.h"
#include "tests/bench/idle.h"
#include "tests/session/driver.h"
#include "tests/ui/driver.h"
#include "ui/session/library.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/library/run_library.h"
#include "ui/widgets/run/timeline.h"
#include "ui/widgets/shell/open_file.h"
#include "ui/widgets/shell/saved_runs.h"

#include <glib/gstdio.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MIB ((double)(1 << 20))

/* Of the hand. */
#define STEPS_PER_SECOND 4.0
#define SHORTEST_PAUSE_MS 500
#define LONGEST_PAUSE_MS 4000
#define MOST_GIB 0.0625 /* of saved runs, so that their bound acts, too */

/* Of the cycles: the first ones fill caches of fonts, icons and styles, and so do later ones to a
 * small part; in bytes, what all of them together may add. */
#define WARM_UP_SHARE 0.25
#define MOST_GROWTH (512.0 * 1024)

typedef struct {
    NsWindow *window;
    GRand *random;
    char *home, *folder; /* the latter of saved runs */
    unsigned actions;
} Hand;

/* ---- What the process holds ---- */

typedef enum { RSS, HEAP, FILES, THREADS, CHECKPOINTS, RUNS, N_MEASURES } Measure;

static const char *const names[N_MEASURES] = {"rss_mib", "heap_mib",        "files",
                                              "threads", "checkpoints_mib", "runs_mib"};

static double count_entries(const char *path)
{
    double n = 0;
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    while (dir && g_dir_read_name(dir)) n++;
    return n;
}

/* The threads but those of GLib's pool, which come with a burst of tasks and leave when they have
 * been idle for a while: between none and ten of them, whatever the hand did. */
static double count_threads(void)
{
    double n = 0;
    const char *id;
    g_autoptr(GDir) dir = g_dir_open("/proc/self/task", 0, NULL);
    while (dir && (id = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename("/proc/self/task", id, "comm", NULL);
        g_autofree char *name = NULL;
        if (g_file_get_contents(path, &name, NULL, NULL) && !g_str_has_prefix(name, "pool")) n++;
    }
    return n;
}

static double bytes_in(const char *path)
{
    double bytes = 0;
    const char *name;
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    while (dir && (name = g_dir_read_name(dir))) {
        GStatBuf file;
        g_autofree char *inside = g_build_filename(path, name, NULL);
        if (g_stat(inside, &file) == 0) bytes += (double)file.st_size;
    }
    return bytes;
}

static double heap_bytes(void)
{
    struct mallinfo2 heap = mallinfo2();
    return (double)heap.uordblks + (double)heap.hblkhd;
}

static double resident_bytes(void)
{
    unsigned long long pages = 0;
    g_autofree char *counts = NULL;
    if (g_file_get_contents("/proc/self/statm", &counts, NULL, NULL))
        sscanf(counts, "%*u %llu", &pages);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void measure(const Hand *hand, double values[N_MEASURES])
{
    NsSession *session = hand->window ? hand->window->session : NULL;
    values[RSS] = resident_bytes() / MIB;
    values[HEAP] = heap_bytes() / MIB;
    values[FILES] = count_entries("/proc/self/fd");
    values[THREADS] = count_threads();
    values[CHECKPOINTS] = session ? (double)ns_session_checkpoint_bytes(session) / MIB : 0;
    values[RUNS] = bytes_in(hand->folder) / MIB;
}

/* ---- How it grows ---- */

/* N_MEASURES numbers a sample. */
static void add_sample(GArray *samples, const double values[N_MEASURES])
{
    g_array_append_vals(samples, values, N_MEASURES);
}

/* The slope of a straight line through the samples from `first` on, and half of its 95 % interval
 * if they scatter independently. */
static double slope_of(const GArray *samples, Measure which, guint first, double *half)
{
    guint n = samples->len / N_MEASURES - first;
    double middle = (n - 1) / 2.0, mean = 0, across = 0, along = 0, rest = 0;
#define AT(i) g_array_index(samples, double, (first + (i)) * N_MEASURES + which)
    for (guint i = 0; i < n; i++) mean += AT(i) / n;
    for (guint i = 0; i < n; i++) {
        across += (i - middle) * (i - middle);
        along += (i - middle) * (AT(i) - mean);
    }
    double slope = n > 1 ? along / across : 0;
    for (guint i = 0; i < n; i++) rest += pow(AT(i) - mean - slope * (i - middle), 2);
#undef AT
    *half = n > 2 ? 1.96 * sqrt(rest / (n - 2) / across) : (double)INFINITY;
    return slope;
}

/* The least of `n` samples from `first` on: what stays, without threads and files that are about to
 * end. */
static double least_of(const GArray *samples, Measure which, guint first, guint n)
{
    double least = (double)INFINITY;
    for (guint i = first; i < first + n; i++)
        least = fmin(least, g_array_index(samples, double, i *N_MEASURES + which));
    return least;
}

static void print_slopes(const GArray *samples, const char *per)
{
    guint n = samples->len / N_MEASURES, first = (guint)(WARM_UP_SHARE * n);
    printf("%u samples, the first %u of which do not count:\n", n, first);
    for (unsigned i = 0; i < N_MEASURES; i++) {
        double half, slope = slope_of(samples, (Measure)i, first, &half);
        printf("    %-16s %8.2f at first, %8.2f at the end, %+.5f ± %.5f a %s\n", names[i],
               g_array_index(samples, double, first *N_MEASURES + i),
               g_array_index(samples, double, (n - 1) * N_MEASURES + i), slope, half, per);
    }
}

/* ---- A window ---- */

static NsSession *session_of(const Hand *hand)
{
    return hand->window->session;
}

static void open_window(Hand *hand, const char *settings)
{
    hand->window = ui_open_window(settings);
    ns_saved_runs_record(hand->window);
    UI_WAIT(hand->window, ui_is_ready);
}

/* Its trainer ends a moment after the window. */
static bool all_is_written(const Hand *hand)
{
    g_autoptr(GDir) dir = g_dir_open(hand->folder, 0, NULL);
    const char *name;
    bool whole = true;
    while (dir && whole && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(hand->folder, name, NULL);
        whole = !ns_database_file_is_locked(path);
    }
    return whole;
}

static void close_window(Hand *hand)
{
    ui_close(g_steal_pointer(&hand->window));
    UI_UNTIL(all_is_written(hand));
}

/* ---- The hand ---- */

/* Not by the display server, whose focus is nowhere after another window was closed: there is no
 * window manager. */
static void stroke(Hand *hand, guint keyval)
{
    ui_press(hand->window, keyval);
}

static void run_or_pause(Hand *hand)
{
    stroke(hand, GDK_KEY_space);
}

static void scrub(Hand *hand)
{
    GtkWidget *timeline = ui_first(GTK_WIDGET(hand->window->transport), NS_TYPE_TIMELINE);
    double width = gtk_widget_get_width(timeline), middle = gtk_widget_get_height(timeline) / 2.0;
    NsPoint from = {g_rand_double_range(hand->random, 0, width), middle};
    NsPoint to = {g_rand_double_range(hand->random, 0, width), middle};
    ui_drag(timeline, GDK_BUTTON_PRIMARY, from, to, 0);
    if (g_rand_boolean(hand->random)) ui_press_late(hand->window, GDK_KEY_End, 0);
}

static void fork_run(Hand *hand)
{
    stroke(hand, GDK_KEY_f);
}

static void reset(Hand *hand)
{
    stroke(hand, GDK_KEY_r);
}

static void change_page(Hand *hand)
{
    stroke(hand, (guint)g_rand_int_range(hand->random, GDK_KEY_1, GDK_KEY_7 + 1));
}

static void change_view(Hand *hand)
{
    static const guint keys[] = {GDK_KEY_n, GDK_KEY_s, GDK_KEY_l, GDK_KEY_t, GDK_KEY_g};
    stroke(hand, keys[g_rand_int_range(hand->random, 0, G_N_ELEMENTS(keys))]);
}

static void change_setting(Hand *hand)
{
    NsSession *session = session_of(hand);
    g_autofree char *rate =
        g_strdup_printf("%g", pow(10, g_rand_double_range(hand->random, -4, -2)));
    ns_session_set(session, "lr", rate);
    stroke(hand, g_rand_boolean(hand->random) ? GDK_KEY_p : GDK_KEY_b);
    if (ns_session_pending(session) && ns_session_can_restart(session)) ns_session_restart(session);
}

static void look_at_saved_runs(Hand *hand)
{
    NsRunLibrary *library = ns_saved_runs_present(hand->window);
    UI_UNTIL(!library->reading);
    bench_idle(SHORTEST_PAUSE_MS);
    gtk_window_close(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(library))));
}

static void continue_saved_run(Hand *hand)
{
    g_autoptr(GPtrArray) runs = ns_library_list(hand->folder, false);
    if (runs->len == 0) return;
    const NsRecordedRun *run = runs->pdata[g_rand_int_range(hand->random, 0, (gint32)runs->len)];
    if (!run->wrong) ns_window_open(hand->window, run->path, true);
}

#define SETTINGS "layers=6 d-model=64 heads=4 seq=32 batch=8 steps=0 probe-every=20"

static void take_another_window(Hand *hand)
{
    close_window(hand);
    open_window(hand, SETTINGS);
    ns_session_set_speed(session_of(hand), STEPS_PER_SECOND);
    ns_session_set_pause_on_trouble(session_of(hand), false);
}

static const struct {
    unsigned weight;
    void (*act)(Hand *hand);
} actions[] = {
    {10, run_or_pause},      {12, scrub},
    {6, change_page},        {6, change_view},
    {4, fork_run},           {3, reset},
    {3, change_setting},     {2, look_at_saved_runs},
    {2, continue_saved_run}, {1, take_another_window},
};

static void act(Hand *hand)
{
    unsigned all = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(actions); i++) all += actions[i].weight;
    unsigned at = (unsigned)g_rand_int_range(hand->random, 0, (gint32)all);
    size_t i = 0;
    for (; at >= actions[i].weight; i++) at -= actions[i].weight;
    actions[i].act(hand);
    hand->actions++;
    bench_idle((unsigned)g_rand_int_range(hand->random, SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS));
    /* It should train most of the time. */
    if (ns_session_can_run(session_of(hand)) && !session_of(hand)->wants_run &&
        g_rand_boolean(hand->random))
        ns_session_run(session_of(hand));
}

/* ---- Hours ---- */

static void write_row(const Hand *hand, FILE *table, double minutes,
                      const double values[N_MEASURES])
{
    g_autofree char *size = ns_session_size(session_of(hand));
    fprintf(table, "%.2f", minutes);
    for (unsigned i = 0; i < N_MEASURES; i++) fprintf(table, ",%.3f", values[i]);
    fprintf(table, ",%u,%" G_GINT64_FORMAT ",\"%s\"\n", hand->actions,
            ns_session_steps(session_of(hand)), size ? size : "");
    fflush(table);
}

static int use_for(Hand *hand, double minutes, FILE *table)
{
    gint64 began = g_get_monotonic_time(), minute = 60 * G_USEC_PER_SEC;
    g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(double));
    fputs("minutes", table);
    for (unsigned i = 0; i < N_MEASURES; i++) fprintf(table, ",%s", names[i]);
    fputs(",actions,step,label\n", table);
    open_window(hand, SETTINGS);
    ns_session_set_speed(session_of(hand), STEPS_PER_SECOND);
    ns_session_set_pause_on_trouble(session_of(hand), false);
    for (gint64 next = began + minute, now = began; now - began < (gint64)(minutes * 60e6);) {
        act(hand);
        now = g_get_monotonic_time();
        if (now < next) continue;
        double values[N_MEASURES];
        measure(hand, values);
        add_sample(samples, values);
        write_row(hand, table, (double)(now - began) / (double)minute, values);
        next += minute;
    }
    close_window(hand);
    printf("%.1f minutes, %u actions\n", minutes, hand->actions);
    print_slopes(samples, "minute");
    return 0;
}

/* ---- Cycles ---- */

static void wait_at(const Hand *hand, int64_t step)
{
    UI_UNTIL(ns_session_steps(session_of(hand)) >= step && ui_is_paused(hand->window));
}

static void make_cycle(Hand *hand)
{
    open_window(hand, "");
    NsSession *session = session_of(hand);
    ui_click(hand->window, "run_button");
    UI_WAIT(hand->window, ui_has_stepped);
    ns_session_pause(session);
    UI_WAIT(hand->window, ui_is_paused);
    ns_session_reset(session);
    UI_UNTIL(ns_session_steps(session) == 0 && ui_is_ready(hand->window));
    ns_session_step(session, 2);
    wait_at(hand, 2);
    ns_session_fork(session);
    UI_UNTIL(session->experiment.n == 2 && ui_is_ready(hand->window));
    ns_session_step(session, 1);
    wait_at(hand, 3);
    close_window(hand);
}

static int make_cycles(Hand *hand, unsigned n)
{
    g_autoptr(GArray) samples = g_array_sized_new(FALSE, FALSE, sizeof(double), n * N_MEASURES);
    for (unsigned i = 0; i < n; i++) {
        double values[N_MEASURES];
        make_cycle(hand);
        remove_all(hand->folder);
        measure(hand, values);
        add_sample(samples, values);
    }
    print_slopes(samples, "cycle");
    guint first = (guint)(WARM_UP_SHARE * n);
    double half, bytes = slope_of(samples, HEAP, first, &half) * MIB;
    bool grows = (bytes - half * MIB) * n > MOST_GROWTH;
    guint part = (n - first) / 3;
    for (unsigned i = FILES; i <= THREADS; i++)
        grows |= least_of(samples, (Measure)i, n - part, part) >
                 least_of(samples, (Measure)i, first, part) + 1;
    printf("%.0f bytes a cycle: %s\n", bytes, grows ? "it grows" : "nothing grows");
    return grows ? 1 : 0;
}

int main(int argc, char **argv)
{
    double n = argc > 2 ? g_ascii_strtod(argv[2], NULL) : 0;
    bool cycles = argc == 3 && g_str_equal(argv[1], "cycles");
    if (n < 1 || (!cycles && !g_str_equal(argv[1], "minutes"))) {
        g_printerr("Usage: ui-endurance cycles N | minutes N [FILE.csv]\n");
        return 2;
    }
    Hand hand = {.home = g_dir_make_tmp("normscope-endurance-XXXXXX", NULL),
                 .random = g_rand_new_with_seed(1)};
    g_setenv("XDG_DATA_HOME", hand.home, TRUE);
    hand.folder = g_build_filename(hand.home, "normscope", "runs", NULL);
    ns_memory_init(); /* as the program does */
    gtk_init();
    if (!ui_has_input()) return 77;
    g_settings_set_double(ns_preferences(), "record-gib", MOST_GIB);
    FILE *table = argc > 3 ? fopen(argv[3], "we") : stdout;
    if (!table) {
        g_printerr("Cannot write “%s”.\n", argv[3]);
        return 2;
    }
    int status = cycles ? make_cycles(&hand, (unsigned)n) : use_for(&hand, n, table);
    if (table != stdout) fclose(table);
    remove_all(hand.home);
    g_rand_free(hand.random);
    g_free(hand.folder);
    g_free(hand.home);
    return status;
}
