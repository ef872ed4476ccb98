/* Files that are opened: runs that were recorded, and experiments that were saved.
 * SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"
#include "core/store/jsonl.h"
#include "core/train/lockstep.h"
#include "tests/ui/driver.h"
#include "tests/ui/support.h"
#include "ui/widgets/common/windows.h"
#include "ui/widgets/shell/close_guard.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/open_file.h"

#include <glib/gstdio.h>

typedef struct {
    char *folder, *path;
} File;

static File new_file(const char *name)
{
    File file = {.folder = g_dir_make_tmp("normscope-XXXXXX", NULL)};
    file.path = g_build_filename(file.folder, name, NULL);
    return file;
}

static void remove_file(File *file)
{
    g_unlink(file->path);
    g_rmdir(file->folder);
    g_free(file->path);
    g_free(file->folder);
}

/* The lines of two lanes of the small model of these tests, as the command line writes them. */
static char *record_two_lanes(int steps)
{
    static const char *const placements[] = {"post", "pre"};
    NsSettings settings[2];
    const NsSettings *each[2];
    g_autoptr(GError) error = NULL;
    for (size_t i = 0; i < 2; i++) {
        ns_settings_init(&settings[i]);
        ns_settings_assign_all(&settings[i],
                               "layers=2 d-model=16 heads=2 seq=16 batch=4 eval-every=0 "
                               "eval-batches=1 threads=1",
                               &error);
        ns_settings_set(&settings[i], "placement", placements[i], &error);
        each[i] = &settings[i];
    }
    g_assert_no_error(error);
    g_auto(NsExperiment) experiment = {0};
    ns_experiment_set_lanes(&experiment, each, 2);
    g_autoptr(NsLockstep) lockstep = ns_lockstep_new(&experiment, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    for (int i = 0; i < steps; i++) ns_lockstep_step(lockstep);
    GString *text = g_string_new(NULL);
    for (int record = -1; record <= steps; record++) {
        for (size_t i = 0; i < 2; i++) {
            NsRun *run = ns_lockstep_run(lockstep, i, 0);
            g_autofree char *line =
                record < 0 ? ns_jsonl_settings(run) : ns_jsonl_record(run->history, (size_t)record);
            g_autofree char *own = ns_jsonl_of(i + 1, -1, line);
            g_string_append_printf(text, "%s\n", own);
        }
    }
    for (size_t i = 0; i < 2; i++) ns_settings_clear(&settings[i]);
    return g_string_free(text, FALSE);
}

/* A file of such lines. */
static File record_file(int steps)
{
    File file = new_file("run.jsonl");
    g_autofree char *text = record_two_lanes(steps);
    g_assert_true(g_file_set_contents(file.path, text, -1, NULL));
    return file;
}

static bool is_read(NsWindow *window)
{
    const char *toast = ns_toast_text(window->toast);
    return toast && !g_str_has_prefix(toast, "Reading ");
}

static bool has_drawn_loss(NsWindow *window)
{
    NsChartView *chart = ns_dashboard_tile(ns_window_dashboard(window), 0)->chart;
    return ns_chart_view_layout(chart) != NULL;
}

/* Its curves are on view, can be scrubbed, and are those that were written. */
static void test_run(void)
{
    File file = record_file(6);
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_view_state_pin(&ui_chart(window, LOSS)->view_state, 0, NAN);
    ns_window_open(window, file.path, false);
    UI_WAIT(window, is_read);
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 0);
    g_assert_cmpstr(ns_toast_text(window->toast), ==,
                    "“Post-LN vs Pre-LN, 2 layers” opened at step 6. Run restarts it.");
    const NsView *view = session->view;
    g_assert_cmpuint(view->started.n, ==, 2);
    g_assert_cmpuint(ns_history_steps(view->histories[1]), ==, 7);
    g_assert_cmpint(session->state, ==, NS_TRAINER_FINISHED);
    g_assert_cmpuint(ns_session_pending(session), ==, 0);
    g_autofree char *title = ns_session_title(session);
    g_assert_cmpstr(title, ==, "Post-LN vs Pre-LN, 2 layers");
    g_autofree char *status = ns_session_status(session, NS_STATUS_WHOLE);
    g_assert_true(g_str_has_suffix(status, "; read from run.jsonl"));
    UI_WAIT(window, has_drawn_loss);
    ns_session_show_step(session, 3);
    g_assert_cmpint(ns_session_shown_step(session), ==, 3);
    g_assert_false(ns_close_guard_asks(window));
    /* Run restarts it: the same numbers. */
    g_autoptr(NsHistory) read = ns_history_ref(view->histories[1]);
    g_assert_true(gtk_widget_is_sensitive(ui_find(window, "run_button")));
    ns_session_step(session, 2);
    UI_UNTIL(session->view->histories[1] != read && ns_session_steps(session) == 2);
    for (size_t i = 0; i <= 2; i++)
        g_assert_cmpfloat(ns_history_step(session->view->histories[1], i)->loss, ==,
                          ns_history_step(read, i)->loss);
    ui_close(window);
    remove_file(&file);
}

static const char *open_text(NsWindow *window, const File *file, const char *text, size_t size)
{
    g_assert_true(g_file_set_contents(file->path, text, (gssize)size, NULL));
    ns_window_open(window, file->path, false);
    UI_WAIT(window, is_read);
    return ns_toast_text(window->toast);
}

/* What is whole is shown, and one sentence says what is not. */
static void test_mangled(void)
{
    File file = new_file("run.jsonl");
    g_autofree char *text = record_two_lanes(3);
    size_t size = strlen(text);
    NsWindow *window = ui_open("layers=3");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpstr(
        open_text(window, &file, text, size - 20), ==,
        "run.jsonl is cut off in line 10; everything before it is shown, up to step 3.");
    g_assert_cmpuint(ns_history_steps(session->view->histories[0]), ==, 4);
    g_assert_cmpuint(ns_history_steps(session->view->histories[1]), ==, 3);
    g_autofree char *mangled = g_strdup(text);
    char *wrong = strstr(mangled, "\"step\":2");
    memcpy(wrong, "\"step\":9", 8);
    g_assert_cmpstr(open_text(window, &file, mangled, size), ==,
                    "Line 7 of run.jsonl does not belong to its run; everything before it is "
                    "shown, up to step 1.");
    /* Settings alone: there is nothing to see, and yet something to run. */
    size_t head = (size_t)(strstr(text, "\n{\"lane\":1,\"step\"") - text);
    g_assert_nonnull(strstr(open_text(window, &file, text, head), "no complete step"));
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 2);
    ui_close(window);
    remove_file(&file);
}

static bool has_refused(NsWindow *window)
{
    const char *toast = ns_toast_text(window->toast);
    return toast && g_str_has_suffix(toast, " Nothing was changed.");
}

/* Enough to learn, were it a text. */
#define LINES "2019,3.5\n2020,3.1\n2021,2.9\n2022,2.8\n"
#define LONG LINES LINES LINES LINES LINES LINES LINES LINES

/* What cannot be used gets a sentence and changes nothing: the run goes on.  A table without a
 * known name, or without names, is no case of this, since its columns can be chosen. */
static void test_foreign(void)
{
    static const struct {
        const char *name, *text;
        size_t size; /* 0: of the text */
    } table[] = {
        {"run.jsonl", "{\"settings\":{\"layers\":3}}\n{\"step\":0,\"accuracy\":0.5}\n", 0},
        {"empty.txt", "", 0},
        {"empty.csv", "", 0},
        {"binary",
         "\x7f"
         "ELF\0\1\2\3\xff\xfe",
         10},
        {"short.txt", "A short text.", 0},
        {"wrong.preset", "layers = 3\nThis line is none of a preset.\n", 0},
        {"first.preset", "This line is none of a preset.\nlayers = 3\n" LONG LONG, 0},
        {"binary.preset", "\x7f\0\xff\xfe" LONG, sizeof LONG + 3},
        {"empty.preset", "", 0},
        {"long.txt", "{\"" LONG, 0},
    };
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_step(session, 2);
    UI_UNTIL(ns_session_steps(session) == 2 && ui_is_paused(window));
    g_autofree char *before = ns_settings_line(ns_session_settings(session), true);
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        File file = new_file(table[i].name);
        size_t size = table[i].size ? table[i].size : strlen(table[i].text);
        g_assert_true(g_file_set_contents(file.path, table[i].text, (gssize)size, NULL));
        ns_window_toast(window, "");
        ns_window_open(window, file.path, false);
        UI_WAIT(window, has_refused);
        g_test_message("%s", ns_toast_text(window->toast));
        g_autofree char *after = ns_settings_line(ns_session_settings(session), true);
        g_assert_cmpstr(after, ==, before);
        g_assert_cmpuint(ns_session_pending(session), ==, 0);
        g_assert_cmpint(session->state, ==, NS_TRAINER_PAUSED);
        g_assert_false(ui_has_banner(window));
        remove_file(&file);
    }
    ui_close(window);
}

/* A table of which no column is known opens, so that one can be chosen. */
static void test_unnamed(void)
{
    static const char *const texts[][2] = {
        {"foreign.csv", "year,price\n2019,3.5\n2020,3.1\n"},
        {"log.txt", "{\"step\":1,\"accuracy\":0.5}\n{\"step\":2,\"accuracy\":0.6}\n"}};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        File file = new_file(texts[i][0]);
        g_assert_true(g_file_set_contents(file.path, texts[i][1], -1, NULL));
        NsWindow *window = ui_open("");
        UI_WAIT(window, ui_is_ready);
        ns_window_open(window, file.path, false);
        UI_UNTIL(ns_session_is_watching(window->session));
        g_assert_nonnull(strstr(ns_toast_text(window->toast), "choose its column on the left"));
        ui_close(window);
        remove_file(&file);
    }
}

/* A text becomes what is learned. */
static void test_text(void)
{
    File file = new_file("text.txt");
    GString *text = g_string_new(NULL);
    for (int i = 0; i < 400; i++) g_string_append_printf(text, "%d bottles of ink.\n", i);
    g_assert_true(g_file_set_contents(file.path, text->str, -1, NULL));
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, file.path, true);
    UI_UNTIL(g_str_equal(ns_session_settings(session)->text, file.path));
    UI_WAIT(window, ui_has_stepped);
    g_string_free(text, TRUE);
    ui_close(window);
    remove_file(&file);
}

static bool has_way_out(NsWindow *window)
{
    return ui_is_failed(window) && gtk_widget_get_mapped(ui_find(window, "banner_button"));
}

/* Where no run could be made, the banner has a button that leads out. */
static void test_failed(void)
{
    File file = new_file("gone.txt");
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_set(session, "text", file.path);
    UI_WAIT(window, has_way_out);
    ui_click(window, "banner_button");
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpstr(ns_session_settings(session)->text, ==, "");
    g_assert_false(ui_has_banner(window));
    ui_close(window);
    g_autofree char *option = g_strconcat("text=", file.path, NULL);
    window = ui_open(option);
    UI_WAIT(window, has_way_out);
    g_assert_false(window->session->undo->len > 0);
    ui_click(window, "banner_button");
    UI_WAIT(window, ui_is_ready);
    ui_close(window);
    remove_file(&file);
}

/* Why a file cannot be used is shown until it is closed. */
static void test_stays(void)
{
    NsWindow *window = ui_open(""), *other = ui_open_window("");
    ns_window_open(window, "/nowhere.preset", false);
    UI_WAIT(window, has_refused);
    ns_window_toast(other, ns_toast_text(window->toast));
    UI_UNTIL(!ns_toast_text(other->toast));
    g_assert_nonnull(ns_toast_text(window->toast));
    /* Its button is at its end, however many lines it has. */
    for (int long_ = 0; long_ < 2; long_++) {
        ns_window_open(window,
                       long_ ? "/nowhere-that-there-is-such-a-file-with-this-name.preset"
                             : "/n.preset",
                       false);
        ui_rest(window);
        GtkWidget *close = ui_find_button(window->toast, "Close");
        GtkWidget *box = gtk_widget_get_parent(close);
        graphene_rect_t at;
        g_assert_true(gtk_widget_compute_bounds(close, box, &at));
        int end = gtk_widget_get_width(box) - (int)(at.origin.x + at.size.width);
        g_test_message("%s: %d", ns_toast_text(window->toast), end);
        g_assert_cmpint(end, <, 20);
    }
    g_signal_emit_by_name(ui_find_button(window->toast, "Close"), "clicked");
    g_assert_null(ns_toast_text(window->toast));
    ui_close(other);
    ui_close(window);
}

/* A figure opens on its page, with its chart on the stage. */
static void test_page(void)
{
    static const char *const table[][3] = {
        {"loss,profile", "dashboard", "loss"},
        {"schedule(x=0..9)", "curves", "schedule"},
        {"attention:1.2", "attention", "attention"},
        {"similarity:angle", "similarity", "similarity:angle"},
        {"diagram-gradient", "diagram", NULL},
        {"theory", "dashboard", "theory"},
    };
    NsWindow *window = ui_open("");
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(table); i++) {
        const char *const *row = table[i / 2];
        bool preset = i % 2 && !strchr(row[0], '(');
        File file = new_file(preset ? "named.preset" : "figure.csv");
        g_autofree char *text =
            preset ? g_strdup_printf("chart = %s\nlayers = 2\nd-model = 16\nheads = 2\n", row[0])
                   : g_strdup_printf("figure,settings\nloss,\"%s1 figure='%s' layers=2 d-model=16 "
                                     "heads=2\"\n",
                                     NS_PROVENANCE_BEGIN, row[0]);
        g_assert_true(g_file_set_contents(file.path, text, -1, NULL));
        ns_page_stack_show(window->pages, "paper");
        ns_window_open(window, file.path, false);
        g_test_message("%s: %s", text, ns_toast_text(window->toast));
        g_assert_cmpstr(ns_page_stack_key(window->pages), ==, row[1]);
        if (row[2] && !(preset && strchr(row[0], ','))) {
            NsChartTile *stage = ns_dashboard_stage(ns_window_dashboard(window));
            g_autofree char *shown = ns_figure_spec_text(&stage->own);
            g_assert_true(g_str_has_prefix(shown, row[2]));
        }
        remove_file(&file);
    }
    ui_close(window);
}

/* A figure that shows a step offers to run to it, whatever the run before has made. */
static void test_run_to_shown(void)
{
    File file = new_file("figure.csv");
    g_autofree char *line = g_strdup_printf(
        "%s1 step=12 layers=2 d-model=16 heads=2 seq=16 batch=4", NS_PROVENANCE_BEGIN);
    g_autofree char *text = g_strconcat("figure,settings\nloss,\"", line, "\"\n", NULL);
    g_assert_true(g_file_set_contents(file.path, text, -1, NULL));
    NsWindow *window = ui_open("layers=3");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_step(session, 9);
    UI_UNTIL(ns_session_steps(session) == 9);
    UI_WAIT(window, ui_is_paused);
    ns_window_open(window, file.path, false);
    g_test_message("%s", ns_toast_text(window->toast));
    GtkWidget *button = ui_find_button(GTK_WIDGET(window), "Run to step 12");
    g_assert_nonnull(button);
    g_signal_emit_by_name(button, "clicked");
    UI_UNTIL(ns_session_steps(session) == 12);
    UI_WAIT(window, ui_is_paused);
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 2);
    g_assert_cmpuint(ns_session_pending(session), ==, 0);
    ns_session_run_again_to(session, 3);
    UI_UNTIL(ns_session_steps(session) == 3);
    ui_close(window);
    remove_file(&file);
}

/* A window that closes does not wait for what is being read. */
static void test_close_while_reading(void)
{
    File file = record_file(3);
    NsWindow *window = ui_open("");
    ns_window_open(window, file.path, false);
    ui_close(window);
    remove_file(&file);
}

/* With --run the run of the file runs, not what the window began with. */
static void test_and_run(void)
{
    File file = record_file(2);
    NsWindow *window = ui_open("layers=3");
    NsSession *session = window->session;
    ns_window_open(window, file.path, true);
    UI_UNTIL(ns_session_steps(session) > 2 && session->view->started.n == 2);
    g_assert_true(session->wants_run);
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 2);
    ui_close(window);
    remove_file(&file);
}

/* ---- Experiments that are saved ---- */

/* The keys lead to a dialog that can be given up. */
static void check_dialog(NsWindow *window, const char *action)
{
    g_action_group_activate_action(G_ACTION_GROUP(window), action, NULL);
    ui_answer_file_dialog(GTK_RESPONSE_CANCEL);
}

static void never(const char *path, gpointer owner)
{
    (void)owner;
    g_error("%s was chosen for nobody", path);
}

static bool has_file(void)
{
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(ui_file_dialog()));
    return file != NULL;
}

/* A window that closed while its dialog was open is told nothing. */
static void test_nobody(void)
{
    NsWindow *window = ui_open("");
    GObject *owner = g_object_new(G_TYPE_OBJECT, NULL);
    ns_file_dialog_save(GTK_WINDOW(window), "nobody", "nobody.preset", never, owner);
    UI_UNTIL(ui_file_dialog());
    UI_UNTIL(has_file());
    g_object_unref(owner);
    ui_answer_file_dialog(GTK_RESPONSE_ACCEPT);
    ui_close(window);
}

static char *all_settings(NsSession *session)
{
    GString *words = g_string_new(NULL);
    for (size_t i = 0; i < session->experiment.n; i++) {
        g_autofree char *line = ns_settings_line(&session->experiment.lane[i], true);
        g_string_append_printf(words, "%s\n", line);
    }
    return g_string_free(words, FALSE);
}

/* What Ctrl+S writes, Ctrl+O reads: the same lanes, bit for bit, and the page. */
static void test_save_and_open(void)
{
    File file = new_file("experiment.preset");
    NsWindow *window = ui_open("seed=9 lr=0.012345678901234567");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(session, 3);
    ns_session_set_lane(session, 1, "placement", "sandwich");
    ns_session_set_lane(session, 2, "warmup", "100");
    ns_page_stack_show(window->pages, "profile");
    check_dialog(window, "save");
    check_dialog(window, "open");
    ns_window_save(window, file.path);
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Saved as experiment.preset");
    g_autofree char *before = all_settings(session);
    ui_close(window);
    window = ui_open("layers=3");
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, file.path, false);
    g_autofree char *after = all_settings(window->session);
    g_assert_cmpstr(after, ==, before);
    g_assert_cmpstr(ns_page_stack_key(window->pages), ==, "profile");
    /* Where it cannot be written, that is said. */
    g_autofree char *nowhere = g_build_filename(file.folder, "no", "where.preset", NULL);
    ns_window_save(window, nowhere);
    g_assert_nonnull(strstr(ns_toast_text(window->toast), "where.preset"));
    ui_close(window);
    remove_file(&file);
}

void ui_add_file_tests(void)
{
    g_test_add_func("/ui/file/save-and-open", test_save_and_open);
    g_test_add_func("/ui/file/nobody", test_nobody);
    g_test_add_func("/ui/file/run", test_run);
    g_test_add_func("/ui/file/mangled", test_mangled);
    g_test_add_func("/ui/file/foreign", test_foreign);
    g_test_add_func("/ui/file/unnamed", test_unnamed);
    g_test_add_func("/ui/file/stays", test_stays);
    g_test_add_func("/ui/file/page", test_page);
    g_test_add_func("/ui/file/text", test_text);
    g_test_add_func("/ui/file/failed", test_failed);
    g_test_add_func("/ui/file/run-to-shown", test_run_to_shown);
    g_test_add_func("/ui/file/close-while-reading", test_close_while_reading);
    g_test_add_func("/ui/file/and-run", test_and_run);
}
