/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/lecture.h"

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/words.h"
#include "core/store/bundled.h"
#include "core/store/lecture.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/learn/lesson_watch.h"
#include "ui/widgets/shell/before.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/scene_dialog.h"

#define PRESENTER "ns-presenter"
#define LOOK_MS 200 /* between two attempts to prepare a scene */
#define PREPARED_BYTES_MOST ((size_t)1 << 30)

static const char *const PANES[] = {"pane", "inspector"};

typedef struct {
    NsWindow *window;
    bool on;
    NsBefore before; /* the mode was entered, like the next ones */
    bool class_mode, pause_on_trouble, pane[G_N_ELEMENTS(PANES)];
    NsLecture *lecture;       /* NULL: none was opened */
    char *id;                 /* its key, or the path of its file */
    NsPreparedRun **prepared; /* [lecture->n]; NULL where a scene is not prepared, and of the one
                                 that is shown */
    unsigned *runs;           /* [lecture->n]; the run in which a scene was left, with its own
                                 settings and trained beyond its step; 0: none */
    size_t next;              /* the scene that comes next */
    size_t coming; /* the scene, from 1, that the bar announces before it is shown; or 0 */
    guint tick;    /* shows that one */
    bool shown;    /* the previous scene is shown */
    bool any;      /* a scene has been shown since the mode was entered */
    guint source;  /* prepares scenes */
    GtkWidget *bar, *scenes, *forward, *title, *count, *note, *status, *run, *words, *menu;
} Presenter;

static Presenter *presenter_of(NsWindow *window)
{
    return g_object_get_data(G_OBJECT(window), PRESENTER);
}

/* ---- The bar ---- */

/* The step where Run stops in the shown scene; 0 if it does not. */
static int64_t run_until(Presenter *presenter)
{
    if (!presenter->on || !presenter->shown) return 0;
    int64_t run = presenter->lecture->scene[presenter->next - 1].preset.run;
    return ns_session_steps(presenter->window->session) < run ? run : 0;
}

/* The words of the button of the run: as wide as the widest of them for this scene, so that the
 * note beside it has the same lines before, during and after the run. */
static void sync_run(Presenter *presenter)
{
    int64_t run = presenter->shown ? presenter->lecture->scene[presenter->next - 1].preset.run : 0;
    g_autofree char *until = ns_group_digits(run);
    g_autofree char *run_to = run > 0 ? g_strdup_printf(_("Run to step %s"), until) : g_strdup("");
    GtkStack *words = GTK_STACK(presenter->words);
    const char *shown = presenter->window->session->wants_run ? "pause"
                        : run_until(presenter)                ? "until"
                                                              : "run";
    if (run_until(presenter)) ns_session_aim(presenter->window->session, run);
    ns_text_label_set(gtk_stack_get_child_by_name(words, "until"), run_to);
    GtkWidget *label = gtk_stack_get_child_by_name(words, shown);
    gtk_stack_set_visible_child(words, label);
    ns_accessible_name(presenter->run, gtk_label_get_text(GTK_LABEL(label)));
    /* A page like that of the paper shows nothing of the run; a scene that comes has a status. */
    bool any = ns_page_current(ns_window_page(presenter->window)) != NULL;
    gtk_widget_set_visible(presenter->status, any || presenter->coming);
    gtk_widget_set_visible(presenter->run, any);
    gtk_widget_set_visible(gtk_widget_get_next_sibling(presenter->run), any);
}

static void sync_bar(Presenter *presenter)
{
    const NsLecture *lecture = presenter->lecture;
    size_t next = presenter->coming ? presenter->coming : presenter->next;
    bool scene = presenter->on && (presenter->shown || presenter->coming);
    bool comes = lecture && next < lecture->n;
    const NsPreset *shown = scene ? &lecture->scene[next - 1].preset : NULL;
    const char *own = shown ? shown->experiment.title : NULL;
    g_autofree char *title = own ? g_strdup(_(own)) : ns_session_title(presenter->window->session);
    g_autofree char *note = NULL, *count = NULL;
    g_autofree char *status = presenter->coming
                                  ? g_strdup(_(ns_trainer_state_word(NS_TRAINER_PREPARING)))
                                  : ns_session_status(presenter->window->session, NS_STATUS_STEP);
    if (shown && shown->note) note = g_strdup(_(shown->note));
    if (shown)
        count =
            g_strdup_printf(comes ? _("%zu of %zu") : _("%zu of %zu, the last"), next, lecture->n);
    if (!shown && comes)
        note = g_strdup_printf(_("Page Down shows scene %zu of %zu of the lecture “%s”."), next + 1,
                               lecture->n, lecture->title ? _(lecture->title) : _("untitled"));
    ns_window_set_state(presenter->window, "lecture-mode", presenter->on);
    gtk_widget_set_visible(presenter->bar, presenter->on);
    gtk_widget_set_visible(presenter->scenes, lecture != NULL);
    ns_text_label_set(presenter->title, title);
    ns_text_label_set(presenter->count, count ? count : "");
    ns_text_label_set(presenter->note, note ? note : "");
    gtk_widget_set_visible(presenter->note, note != NULL);
    bool own_settings = !shown || presenter->coming ||
                        ns_lesson_has_settings(presenter->window->session, &shown->experiment);
    ns_set_css_class(presenter->note, "stale", !own_settings);
    gtk_widget_set_tooltip_text(presenter->note,
                                own_settings ? NULL : _("The settings are not those of the scene"));
    ns_text_label_set(presenter->status, status);
    sync_run(presenter);
    ns_window_enable(presenter->window, "next-scene", presenter->on && (comes || !lecture));
    ns_window_enable(presenter->window, "previous-scene", scene && next > 1);
    ns_window_enable(presenter->window, "page-down", presenter->on);
    ns_window_enable(presenter->window, "page-up", presenter->on);
}

/* ---- Scenes ---- */

static void drop_prepared(Presenter *presenter)
{
    for (size_t i = 0; presenter->lecture && i < presenter->lecture->n; i++) {
        g_clear_pointer(&presenter->prepared[i], ns_prepared_run_free);
        presenter->runs[i] = 0;
    }
}

/* Frees what is too much, of the scenes that are farthest from the shown one, but never those next
 * to it. */
static void bound_prepared(Presenter *presenter)
{
    size_t shown = presenter->next - 1, n = presenter->lecture->n, bytes = 0;
    for (size_t far = 1; far < n; far++)
        for (size_t i = shown - far, side = 0; side < 2; side++, i = shown + far) {
            if (i >= n || !presenter->prepared[i]) continue;
            bytes += ns_prepared_run_bytes(presenter->prepared[i]);
            if (far > 1 && bytes > PREPARED_BYTES_MOST)
                g_clear_pointer(&presenter->prepared[i], ns_prepared_run_free);
        }
}

/* The earlier run in which a scene was left, if it is still there; or 0. */
static unsigned left_run(Presenter *presenter, size_t scene)
{
    size_t n;
    unsigned id = presenter->runs[scene];
    const NsSessionRun *runs = id ? ns_session_runs(presenter->window->session, &n) : NULL;
    for (size_t i = 0; id && i < n; i++)
        if (runs[i].id == id) return id;
    return 0;
}

/* Starts to prepare a scene.  TRUE once it is ready, or if it cannot be prepared: showing it will
 * report why. */
static bool has_prepared(Presenter *presenter, size_t scene)
{
    const NsPreset *preset = &presenter->lecture->scene[scene].preset;
    NsPreparedRun **run = &presenter->prepared[scene];
    if (left_run(presenter, scene)) return true;
    if (*run) return ns_prepared_run_is_ready(*run);
    *run = ns_session_prepare(presenter->window->session, &preset->experiment, preset->step, NULL);
    return !*run;
}

static void sync_forward(Presenter *presenter, bool ready)
{
    gtk_widget_set_tooltip_text(presenter->forward,
                                ready ? _("Next scene (Page Down)")
                                      : _("Next scene (Page Down), not prepared yet"));
}

/* Prepares scenes one by one, but not while the shown run needs the processor. */
static gboolean look(gpointer data)
{
    Presenter *presenter = data;
    const NsLecture *lecture = presenter->lecture;
    NsSession *session = presenter->window->session;
    bool busy = session->wants_run || session->state == NS_TRAINER_PREPARING;
    if (!lecture || busy) return G_SOURCE_CONTINUE;
    bool ready = presenter->next == lecture->n || has_prepared(presenter, presenter->next);
    sync_forward(presenter, ready);
    const char *page =
        presenter->next < lecture->n ? lecture->scene[presenter->next].preset.page : NULL;
    if (ready && page) ns_page_stack_create(presenter->window->pages, page);
    if (ready && presenter->shown && presenter->next > 1)
        has_prepared(presenter, presenter->next - 2);
    return G_SOURCE_CONTINUE;
}

/* ---- Lectures that were shown ---- */

#define SHOWN_KEY "lectures"
#define SHOWN_MOST 8

/* Stores the scene, from 1, of a lecture that is shown now. */
static void store_shown(const char *id, size_t scene)
{
    GSettings *preferences = ns_preferences();
    if (!preferences) return;
    g_autoptr(GVariant) shown = g_settings_get_value(preferences, SHOWN_KEY);
    GVariantBuilder list;
    const char *other;
    guint32 its;
    g_variant_builder_init(&list, G_VARIANT_TYPE("a(su)"));
    g_variant_builder_add(&list, "(su)", id, (guint32)scene);
    for (gsize i = 0, n = 1; i < g_variant_n_children(shown) && n < SHOWN_MOST; i++) {
        g_variant_get_child(shown, i, "(&su)", &other, &its);
        if (g_str_equal(other, id)) continue;
        g_variant_builder_add(&list, "(su)", other, its);
        n++;
    }
    g_settings_set_value(preferences, SHOWN_KEY, g_variant_builder_end(&list));
}

static size_t stored_shown(const char *id)
{
    GSettings *preferences = ns_preferences();
    if (!preferences) return 0;
    g_autoptr(GVariant) shown = g_settings_get_value(preferences, SHOWN_KEY);
    for (gsize i = 0; i < g_variant_n_children(shown); i++) {
        const char *other;
        guint32 scene;
        g_variant_get_child(shown, i, "(&su)", &other, &scene);
        if (g_str_equal(other, id)) return scene;
    }
    return 0;
}

static void append_own(GMenu *menu, const char *path)
{
    g_autofree char *name = ns_lecture_name(path);
    g_autoptr(GMenuItem) item = g_menu_item_new(name, NULL);
    g_menu_item_set_action_and_target(item, "win.lecture", "s", path);
    g_menu_append_item(menu, item);
}

GMenu *ns_lecture_own(void)
{
    static GMenu *menu;
    if (!menu) menu = g_menu_new();
    g_menu_remove_all(menu);
    g_auto(GStrv) own = ns_own_lectures();
    for (char **path = own; *path; path++) append_own(menu, *path);
    if (!ns_preferences()) return menu;
    g_autoptr(GVariant) shown = g_settings_get_value(ns_preferences(), SHOWN_KEY);
    for (gsize i = 0; i < g_variant_n_children(shown); i++) {
        const char *path;
        g_variant_get_child(shown, i, "(&su)", &path, NULL);
        if (g_path_is_absolute(path) && g_file_test(path, G_FILE_TEST_EXISTS) &&
            !g_strv_contains((const char *const *)own, path))
            append_own(menu, path);
    }
    return menu;
}

/* ---- Showing scenes ---- */

/* The place of the page that is shown. */
static GtkAdjustment *scrolling(NsWindow *window)
{
    GtkWidget *page = GTK_WIDGET(ns_window_page(window));
    GtkWidget *scrolled = gtk_widget_get_ancestor(page, GTK_TYPE_SCROLLED_WINDOW);
    return gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
}

static void on_continue(gpointer data, gpointer toast);

/* No scene is announced any more. */
static void forget_coming(Presenter *presenter)
{
    if (presenter->tick)
        gtk_widget_remove_tick_callback(GTK_WIDGET(presenter->window), presenter->tick);
    presenter->coming = presenter->tick = 0;
}

static void show_scene(Presenter *presenter, size_t scene)
{
    forget_coming(presenter);
    ns_toast_withdraw(presenter->window->toast, on_continue);
    const NsPreset *preset = &presenter->lecture->scene[scene].preset;
    NsSession *session = presenter->window->session;
    g_autoptr(GError) error = NULL;
    unsigned again = left_run(presenter, scene);
    if (presenter->shown) {
        const NsPreset *left = &presenter->lecture->scene[presenter->next - 1].preset;
        bool trained = !ns_session_pending(session) && ns_session_steps(session) > left->step &&
                       ns_lesson_has_settings(session, &left->experiment);
        presenter->runs[presenter->next - 1] = trained ? session->id : 0;
    }
    NsPreparedRun *run = g_steal_pointer(&presenter->prepared[scene]), *before = NULL;
    if (!run && !again)
        run = ns_session_prepare(session, &preset->experiment, preset->step, &error);
    if (!run && !again) {
        ns_window_toast(presenter->window, error->message);
        sync_bar(presenter);
        return;
    }
    /* A scene that was shown is kept as it is, for the way back, and its run if it was trained. */
    if (!again)
        before = ns_session_show_prepared(session, run);
    else
        ns_prepared_run_free(run);
    if (again && again != session->id) {
        ns_session_pause(session);
        ns_session_leave_experiment(session);
        ns_session_open_run(session, again);
    }
    if (before && presenter->shown && scene + 1 != presenter->next)
        presenter->prepared[presenter->next - 1] = before;
    else
        ns_prepared_run_free(before);
    presenter->next = scene + 1;
    presenter->shown = presenter->any = true;
    bound_prepared(presenter);
    store_shown(presenter->id, presenter->next);
    ns_window_arrange(presenter->window, preset);
    gtk_adjustment_set_value(scrolling(presenter->window), 0);
    sync_forward(presenter, presenter->next == presenter->lecture->n);
    sync_bar(presenter);
}

/* The first frame draws the bar, the second one shows the scene. */
static gboolean on_coming(GtkWidget *window, GdkFrameClock *clock, gpointer frames)
{
    (void)clock;
    Presenter *presenter = presenter_of(NS_WINDOW(window));
    if (!(*(int *)frames)++) return G_SOURCE_CONTINUE;
    presenter->tick = 0; /* removed by its value */
    show_scene(presenter, presenter->coming - 1);
    return G_SOURCE_REMOVE;
}

/* Shows a scene or, if its page takes a while to create, announces it first. */
static void turn_to(Presenter *presenter, size_t scene)
{
    const char *page = presenter->lecture->scene[scene].preset.page;
    forget_coming(presenter);
    if (!page || ns_page_stack_find(presenter->window->pages, page)) {
        show_scene(presenter, scene);
        return;
    }
    presenter->coming = scene + 1;
    presenter->tick = gtk_widget_add_tick_callback(GTK_WIDGET(presenter->window), on_coming,
                                                   g_new0(int, 1), g_free);
    sync_bar(presenter);
}

static void on_next(NsWindow *window)
{
    Presenter *presenter = presenter_of(window);
    if (presenter->lecture)
        turn_to(presenter, presenter->coming ? presenter->coming : presenter->next);
    else
        ns_window_toast(window, _("No lecture is open. The menu of this bar lists them."));
}

static void on_previous(NsWindow *window)
{
    Presenter *presenter = presenter_of(window);
    turn_to(presenter, (presenter->coming ? presenter->coming : presenter->next) - 2);
}

/* The keys show all of a page that is higher than the screen before another scene. */
static void on_turn(NsWindow *window, GVariant *parameter, GAction *action)
{
    (void)parameter;
    bool down = g_str_equal(g_action_get_name(action), "page-down");
    GtkAdjustment *place = scrolling(window);
    double before = gtk_adjustment_get_value(place), by = gtk_adjustment_get_page_increment(place);
    gtk_adjustment_set_value(place, down ? before + by : before - by);
    if (gtk_adjustment_get_value(place) == before)
        gtk_widget_activate_action(GTK_WIDGET(window),
                                   down ? "win.next-scene" : "win.previous-scene", NULL);
}

/* ---- The mode ---- */

static void hide_bars(Presenter *presenter, bool hidden)
{
    NsWindow *window = presenter->window;
    GtkWidget *switcher = gtk_widget_get_first_child(GTK_WIDGET(window->pages));
    ns_hide(switcher, NS_HIDDEN_PRESET, hidden);
    ns_hide(GTK_WIDGET(window->transport), NS_HIDDEN_PRESET, hidden);
    ns_hide(GTK_WIDGET(window->trouble), NS_HIDDEN_PRESET, hidden);
}

static void enter(Presenter *presenter)
{
    NsWindow *window = presenter->window;
    NsSession *session = window->session;
    if (presenter->on) return;
    presenter->on = true; /* so that no way back from a lesson is offered to the audience */
    ns_window_close_lessons(window);
    ns_before_note(&presenter->before, window);
    presenter->class_mode = ns_class_mode_is_on(window);
    presenter->pause_on_trouble = session->pause_on_trouble;
    presenter->any = presenter->shown = false;
    for (size_t i = 0; i < G_N_ELEMENTS(PANES); i++) {
        g_autoptr(GVariant) state =
            g_action_group_get_action_state(G_ACTION_GROUP(window), PANES[i]);
        presenter->pane[i] = g_variant_get_boolean(state);
        ns_window_change(window, PANES[i], false);
    }
    ns_session_set_pause_on_trouble(session, false);
    hide_bars(presenter, true);
    if (!presenter->class_mode) ns_window_change(window, "class-mode", true);
    gtk_window_fullscreen(GTK_WINDOW(window));
    presenter->source = g_timeout_add(LOOK_MS, look, presenter);
    sync_bar(presenter);
}

bool ns_lecture_leave(NsWindow *window)
{
    Presenter *presenter = presenter_of(window);
    if (!presenter->on) return false;
    presenter->on = false;
    forget_coming(presenter);
    ns_toast_withdraw(window->toast, on_continue);
    /* The lecture will continue with the current scene. */
    if (presenter->shown) presenter->next--;
    presenter->shown = false;
    g_clear_handle_id(&presenter->source, g_source_remove);
    drop_prepared(presenter);
    gtk_window_unfullscreen(GTK_WINDOW(window));
    hide_bars(presenter, false);
    if (presenter->any)
        ns_before_bring_back(&presenter->before, window);
    else
        ns_session_select_layer(window->session, presenter->before.layer);
    if (!presenter->class_mode) ns_window_change(window, "class-mode", false);
    for (size_t i = 0; i < G_N_ELEMENTS(PANES); i++)
        ns_window_change(window, PANES[i], presenter->pane[i]);
    ns_session_set_pause_on_trouble(window->session, presenter->pause_on_trouble);
    sync_bar(presenter);
    return true;
}

static void on_mode(GSimpleAction *action, GVariant *state, gpointer window)
{
    (void)action;
    if (g_variant_get_boolean(state))
        enter(presenter_of(window));
    else
        ns_lecture_leave(window);
}

bool ns_lecture_run(NsWindow *window)
{
    int64_t until = run_until(presenter_of(window));
    if (until) ns_session_run_to(window->session, until);
    return until > 0;
}

GtkWidget *ns_lecture_menu(NsWindow *window)
{
    return presenter_of(window)->on ? presenter_of(window)->menu : NULL;
}

/* ---- Lectures ---- */

/* Checks the page and the chart of a scene, which core/store does not know. */
static bool check_scene(const NsScene *scene, GError **error)
{
    const char *page = scene->preset.page;
    g_autoptr(GArray) specs = g_array_new(FALSE, FALSE, sizeof(NsFigureSpec));
    g_autoptr(GString) pages = g_string_new(NULL);
    GError *wrong = NULL;
    bool known = !page;
    for (size_t i = 0; ns_page_kind(i); i++) {
        known |= page && g_str_equal(ns_page_kind(i)->key, page);
        g_string_append_printf(pages, "%s%s", i ? ", " : "", ns_page_kind(i)->key);
    }
    if (!known)
        return ns_refuse(error, NS_ERROR_SETTING,
                         N_("Line %zu: this scene has the page “%s”; the pages are %s."),
                         scene->line, page, pages->str);
    if (!scene->preset.chart || ns_figure_specs_read(specs, scene->preset.chart, &wrong))
        return true;
    return ns_entry_blame(&(NsEntry){.line = scene->line}, wrong, error);
}

static void forget(Presenter *presenter)
{
    forget_coming(presenter);
    presenter->shown = false;
    presenter->next = 0;
    drop_prepared(presenter);
    g_clear_pointer(&presenter->prepared, g_free);
    g_clear_pointer(&presenter->runs, g_free);
    g_clear_pointer(&presenter->lecture, ns_lecture_free);
    g_clear_pointer(&presenter->id, g_free);
}

/* Takes the lecture. */
static void open_lecture(Presenter *presenter, NsLecture *lecture, const char *id)
{
    forget(presenter);
    presenter->lecture = lecture;
    presenter->id = g_strdup(id);
    presenter->prepared = g_new0(NsPreparedRun *, lecture->n);
    presenter->runs = g_new0(unsigned, lecture->n);
}

static void on_continue(gpointer data, gpointer toast)
{
    Presenter *presenter = presenter_of(NS_WINDOW(gtk_widget_get_root(toast)));
    size_t scene = *(const size_t *)data;
    if (presenter->on && presenter->lecture && scene <= presenter->lecture->n)
        show_scene(presenter, scene - 1);
}

/* Shows the first scene and, if the lecture was left in its middle, offers to continue there. */
static void begin(Presenter *presenter)
{
    size_t n = presenter->lecture->n, left = stored_shown(presenter->id);
    enter(presenter);
    show_scene(presenter, 0);
    ns_lecture_own();
    if (left <= 1 || left >= n) return;
    store_shown(presenter->id, left); /* until another scene is shown */
    g_autofree char *words =
        g_strdup_printf(_("You left this lecture at scene %zu of %zu."), left, n);
    g_autofree char *label = g_strdup_printf(_("Continue at scene %zu"), left);
    ns_toast_show(presenter->window->toast, words, label, on_continue,
                  g_memdup2(&left, sizeof left));
}

bool ns_lecture_show_file(NsWindow *window, const char *path, GError **error)
{
    Presenter *presenter = presenter_of(window);
    g_autoptr(NsLecture) lecture = ns_lecture_load(path, error);
    g_autoptr(GError) wrong = NULL;
    if (!lecture) return false;
    for (size_t i = 0; i < lecture->n && !wrong; i++) check_scene(&lecture->scene[i], &wrong);
    if (wrong) {
        g_autofree char *name = g_filename_display_basename(path);
        return ns_refuse(error, NS_ERROR_SETTING, "“%s”: %s", name, wrong->message);
    }
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    open_lecture(presenter, g_steal_pointer(&lecture), whole);
    begin(presenter);
    return true;
}

static void on_lecture(GSimpleAction *action, GVariant *key, gpointer window)
{
    (void)action;
    Presenter *presenter = presenter_of(window);
    const char *id = g_variant_get_string(key, NULL);
    g_autoptr(GError) error = NULL;
    if (g_path_is_absolute(id)) {
        if (!ns_lecture_show_file(window, id, &error)) ns_window_toast(window, error->message);
        return;
    }
    int i = ns_choices_find(ns_lecture_choice, id);
    NsLecture *lecture = i < 0 ? NULL : ns_lecture_open((size_t)i, NULL);
    if (!lecture) return;
    open_lecture(presenter, lecture, id);
    begin(presenter);
}

static bool add_scene(gpointer window, const char *path, const char *title, const char *note,
                      GError **error)
{
    Presenter *presenter = presenter_of(window);
    g_auto(NsPreset) scene;
    g_autofree char *folder = g_path_get_dirname(path);
    ns_window_make_preset(window, &scene);
    scene.step = ns_session_shown_step(presenter->window->session);
    if (*title) {
        g_free(scene.experiment.title);
        scene.experiment.title = g_strdup(title);
    }
    if (*note) scene.note = g_strdup(note);
    size_t n = ns_folder_make(folder, error) ? ns_lecture_append(path, &scene, error) : 0;
    g_autoptr(NsLecture) longer = n ? ns_lecture_load(path, error) : NULL;
    if (!longer) return false;
    g_autofree char *words = g_strdup_printf(_("Added scene %zu to the lecture “%s”"), n,
                                             longer->title ? longer->title : _("untitled"));
    /* A lecture that is being given stays open when the scene is for another one. */
    bool same = g_strcmp0(path, presenter->id) == 0, shown = same && presenter->shown;
    size_t next = same ? presenter->next : 0;
    g_autofree char *own = g_strdup(path);
    if (same || !presenter->on) {
        open_lecture(presenter, g_steal_pointer(&longer), own);
        presenter->next = next;
        presenter->shown = shown;
    }
    sync_bar(presenter);
    ns_lecture_own();
    ns_window_toast_file(window, words, own);
    return true;
}

/* In which way the scene, which has settings and a step alone, will not be the run on view; NULL if
 * it will be. */
static char *remark_on(NsSession *session)
{
    g_autoptr(GPtrArray) changes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t lane = 0; lane < session->view->started.n; lane++) {
        const NsHistory *history = session->view->histories[lane];
        for (size_t i = 0; history && i < ns_history_events(history); i++) {
            const NsEvent *event = ns_history_event(history, i);
            const NsParam *param =
                event->kind == NS_EVENT_SETTING ? ns_param_find(event->what) : NULL;
            if (!param || ns_param_is_of_run(param) ||
                !g_hash_table_add(seen, g_strdup(event->what)))
                continue;
            g_autofree char *step = ns_group_digits(event->step);
            g_ptr_array_add(changes, g_strdup_printf(_("%s at step %s"), _(param->label), step));
        }
        /* And those with which no step was made yet. */
        bool begun = ns_session_steps(session) > 0 && lane < session->experiment.n &&
                     !session->view->names[lane];
        const NsParam *param;
        for (size_t i = 0; begun && (param = ns_param(i)); i++)
            if (!ns_param_is_of_run(param) &&
                !ns_settings_same(&session->view->now.lane[lane], &session->experiment.lane[lane],
                                  param) &&
                g_hash_table_add(seen, g_strdup(param->key)))
                g_ptr_array_add(changes, g_strdup(_(param->label)));
    }
    g_ptr_array_add(changes, NULL);
    g_autofree char *list = g_strjoinv(", ", (char **)changes->pdata);
    if (*list)
        return g_strdup_printf(_("Changed while this run was going: %s. The scene trains with the "
                                 "present values from step 0."),
                               list);
    if (session->fork_step == 0) return NULL;
    g_autofree char *step = ns_group_digits(session->fork_step);
    return g_strdup_printf(_("This run was continued from step %s of another one. The scene trains "
                             "with the present settings from step 0."),
                           step);
}

static void on_add_scene(NsWindow *window)
{
    const Presenter *presenter = presenter_of(window);
    const char *id = presenter->id;
    /* Of a scene that is shown, unless its settings were changed. */
    const NsPreset *shown =
        presenter->shown ? &presenter->lecture->scene[presenter->next - 1].preset : NULL;
    if (shown && !ns_lesson_has_settings(window->session, &shown->experiment)) shown = NULL;
    g_autofree char *title = shown && shown->experiment.title ? g_strdup(_(shown->experiment.title))
                                                              : ns_session_title(window->session);
    g_autofree char *remark = remark_on(window->session);
    ns_scene_dialog_show(GTK_WINDOW(window), title, shown && shown->note ? _(shown->note) : NULL,
                         id && g_path_is_absolute(id) ? id : NULL, remark, add_scene);
}

static bool edit_scenes(gpointer window, const char *path, size_t listed, const NsSceneEdit *edits,
                        size_t n, GError **error)
{
    Presenter *presenter = presenter_of(window);
    bool edited = ns_lecture_edit(path, listed, edits, n, error);
    if (!edited || g_strcmp0(path, presenter->id) != 0) return edited;
    NsLecture *lecture = ns_lecture_load(path, NULL);
    if (lecture) open_lecture(presenter, lecture, path);
    sync_bar(presenter);
    return true;
}

static void on_edit_scenes(GSimpleAction *action, GVariant *key, gpointer window)
{
    (void)action;
    g_autoptr(GError) error = NULL;
    const char *path = g_variant_get_string(key, NULL);
    g_autoptr(NsLecture) lecture = ns_lecture_load(path, &error);
    if (lecture)
        ns_scene_editor_show(window, path, lecture, edit_scenes);
    else
        ns_window_toast(window, error->message);
}

/* ---- The window ---- */

static void on_session(NsWindow *window)
{
    if (presenter_of(window)->on) sync_bar(presenter_of(window));
}

/* Nobody in the audience wants to know of earlier runs. */
static void on_housekeeping(NsWindow *window, const char *sentence)
{
    if (!presenter_of(window)->on) ns_toast_show_later(window->toast, sentence);
}

/* The desktop can end full screen, too. */
static void on_fullscreened(NsWindow *window)
{
    if (!gtk_window_is_fullscreen(GTK_WINDOW(window))) ns_lecture_leave(window);
}

static void presenter_free(gpointer data)
{
    Presenter *presenter = data;
    g_clear_handle_id(&presenter->source, g_source_remove);
    forget(presenter);
    ns_before_clear(&presenter->before);
    g_free(presenter);
}

static GtkWidget *part(GtkBuilder *builder, const char *id)
{
    return GTK_WIDGET(gtk_builder_get_object(builder, id));
}

void ns_window_add_lecture(NsWindow *window)
{
    static const NsWindowCommand commands[] = {
        {.action = "next-scene", .run = G_CALLBACK(on_next)},
        {.action = "previous-scene", .run = G_CALLBACK(on_previous)},
        {.action = "page-down", .run = G_CALLBACK(on_turn)},
        {.action = "page-up", .run = G_CALLBACK(on_turn)},
        {.action = "add-scene", .run = G_CALLBACK(on_add_scene)},
    };
    static const GActionEntry actions[] = {
        {.name = "lecture", .parameter_type = "s", .activate = on_lecture},
        {.name = "edit-scenes", .parameter_type = "s", .activate = on_edit_scenes},
        {.name = "lecture-mode", .state = "false", .change_state = on_mode},
    };
    g_autoptr(GtkBuilder) builder =
        gtk_builder_new_from_resource("/org/normscope/Normscope/lecture-bar.ui");
    Presenter *presenter = g_new0(Presenter, 1);
    *presenter = (Presenter){.window = window,
                             .bar = part(builder, "lecture_bar"),
                             .scenes = part(builder, "lecture_scenes"),
                             .forward = part(builder, "lecture_next"),
                             .title = part(builder, "lecture_title"),
                             .count = part(builder, "lecture_count"),
                             .note = part(builder, "lecture_note"),
                             .status = part(builder, "lecture_status"),
                             .run = part(builder, "lecture_run"),
                             .words = gtk_stack_new(),
                             .menu = part(builder, "lecture_menu")};
    g_object_set_data_full(G_OBJECT(window), PRESENTER, presenter, presenter_free);
    const char *const words[][2] = {{"run", _("Run")}, {"pause", _("Pause")}, {"until", ""}};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        gtk_stack_add_named(GTK_STACK(presenter->words), gtk_label_new(words[i][1]), words[i][0]);
    gtk_button_set_child(GTK_BUTTON(presenter->run), presenter->words);
    /* The status keeps its width up to step 9,999. */
    g_autofree char *digits = ns_group_digits(9999);
    g_autofree char *longest = g_strdup_printf(_("step %s"), digits);
    const char *preparing = _(ns_trainer_state_word(NS_TRAINER_PREPARING));
    glong chars = MAX(g_utf8_strlen(longest, -1), g_utf8_strlen(preparing, -1));
    gtk_label_set_width_chars(GTK_LABEL(presenter->status), (int)chars);
    gtk_box_prepend(GTK_BOX(gtk_widget_get_parent(window->overlay)), presenter->bar);
    GtkApplication *application = gtk_window_get_application(GTK_WINDOW(window));
    GMenuModel *menu = G_MENU_MODEL(gtk_application_get_menu_by_id(application, "main-menu"));
    gtk_menu_button_set_popover(
        GTK_MENU_BUTTON(presenter->menu),
        gtk_popover_menu_new_from_model_full(menu, GTK_POPOVER_MENU_NESTED));
    ns_window_add_commands(window, commands, G_N_ELEMENTS(commands));
    g_action_map_add_action_entries(G_ACTION_MAP(window), actions, G_N_ELEMENTS(actions), window);
    ns_connect(presenter->window->session, "status-changed", G_CALLBACK(on_session), window);
    ns_connect(presenter->window->session, "housekeeping", G_CALLBACK(on_housekeeping), window);
    g_signal_connect(window, "progressed", G_CALLBACK(on_session), NULL);
    g_signal_connect(window, "notify::fullscreened", G_CALLBACK(on_fullscreened), NULL);
    sync_bar(presenter);
}
