/* The settings pane: tabs, links, badges, help, and what waits.  SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"

#include "core/experiment/param.h"
#include "core/model/placement.h"
#include "ui/figures/settings_caption.h"
#include "ui/widgets/learn/learn_list.h"
#include "ui/widgets/settings/settings_pane.h"

static GtkWidget *pane_of(NsWindow *window)
{
    return window->settings_pane;
}

static GtkWidget *row_of(NsWindow *window, const char *key)
{
    return ns_settings_pane_row(pane_of(window), key);
}

static GtkWidget *part(NsWindow *window, const char *key, const char *class)
{
    GtkWidget *found = ui_find_class(row_of(window, key), class);
    g_assert_nonnull(found);
    return found;
}

static void press(GtkWidget *button)
{
    g_assert_true(gtk_widget_is_sensitive(button) && gtk_widget_is_visible(button));
    g_signal_emit_by_name(button, "clicked");
}

/* The tabs, in two rows: one a lane, and the buttons that take out and add in the first row. */
static GtkWidget *tab(NsWindow *window, int i)
{
    GtkWidget *line = gtk_widget_get_first_child(ui_find_class(pane_of(window), "lane-tabs"));
    bool second = i == 2 || i == 3;
    GtkWidget *at = gtk_widget_get_first_child(second ? gtk_widget_get_next_sibling(line) : line);
    for (i = i < 2 ? i : i - 2; i > 0; i--) at = gtk_widget_get_next_sibling(at);
    return at;
}

enum { REMOVE = NS_LANES_MAX, ADD };

static const char *differences(NsWindow *window)
{
    GtkWidget *label = gtk_widget_get_last_child(ui_find_class(pane_of(window), "lane-tabs"));
    return gtk_widget_get_visible(label) ? gtk_label_get_text(GTK_LABEL(label)) : NULL;
}

/* Restart, Fork, Discard. */
static GtkWidget *answer(NsWindow *window, int i)
{
    GtkWidget *line = gtk_widget_get_last_child(ui_find_class(pane_of(window), "pending-bar"));
    GtkWidget *at = gtk_widget_get_first_child(line);
    while (i-- > 0) at = gtk_widget_get_next_sibling(at);
    return at;
}

static const char *waiting(NsWindow *window)
{
    GtkWidget *bar = ui_find_class(pane_of(window), "pending-bar");
    if (!(gtk_widget_get_opacity(bar) > 0)) return NULL;
    return gtk_label_get_text(GTK_LABEL(gtk_widget_get_first_child(bar)));
}

/* What the rows of settings scroll in. */
static GtkWidget *row_scroller(NsWindow *window)
{
    return gtk_widget_get_ancestor(row_of(window, "layers"), GTK_TYPE_SCROLLED_WINDOW);
}

static void step_and_rest(NsWindow *window, int64_t n)
{
    NsSession *session = window->session;
    int64_t goal = ns_session_steps(session) + n;
    UI_UNTIL(ui_is_ready(window) || ui_is_paused(window));
    ns_session_step(session, n);
    UI_UNTIL(ns_session_steps(session) == goal && ui_is_paused(window));
}

/* ---- Tabs and links ---- */

static void test_tabs(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    g_assert_false(gtk_widget_get_visible(tab(window, 0)));
    g_assert_false(gtk_widget_get_visible(tab(window, REMOVE)));
    g_assert_null(differences(window));
    press(tab(window, ADD));
    g_assert_cmpuint(session->experiment.n, ==, 2);
    g_assert_cmpuint(session->active, ==, 1);
    g_assert_cmpstr(differences(window), ==, "A Post-LN, B Pre-LN; all else equal.");
    press(tab(window, 0));
    g_assert_cmpuint(session->active, ==, 0);
    g_assert_false(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(tab(window, 1))));
    press(tab(window, 0)); /* again: it stays pressed */
    g_assert_true(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(tab(window, 0))));
    g_assert_cmpstr(ns_placement_choice(ns_session_settings(session)->placement)->key, ==, "post");
    press(tab(window, ADD));
    press(tab(window, ADD));
    g_assert_cmpuint(session->experiment.n, ==, 4);
    g_assert_false(gtk_widget_get_sensitive(tab(window, ADD)));
    press(tab(window, 1));
    press(tab(window, REMOVE));
    g_assert_cmpuint(session->experiment.n, ==, 3);
    ns_session_set_lanes(session, 1);
    g_assert_null(differences(window));
    ui_close(window);
}

static int text_size(GtkWidget *widget)
{
    PangoContext *context = gtk_widget_get_pango_context(widget);
    return pango_font_description_get_size(pango_context_get_font_description(context));
}

/* A name that would be cut is left to the line below, in class mode as well, where it is as large
 * as other text. */
static void test_tab_names(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(session, 2);
    size_t n = 0;
    while (ns_placement_choice(n)) n++;
    for (size_t i = 0; i < 2 * n; i++) {
        if (i == n) g_action_group_activate_action(G_ACTION_GROUP(window), "class-mode", NULL);
        ns_session_set_lane(session, 1, "placement", ns_placement_choice(i % n)->key);
        ui_settle(GTK_WIDGET(window));
        for (int lane = 0; lane < 2; lane++) {
            GtkWidget *name = ui_first(tab(window, lane), GTK_TYPE_LABEL);
            g_test_message("%s", gtk_label_get_text(GTK_LABEL(name)));
            g_assert_false(pango_layout_is_ellipsized(gtk_label_get_layout(GTK_LABEL(name))));
            g_assert_cmpint(text_size(name), ==, text_size(window->settings_pane));
        }
    }
    g_action_group_activate_action(G_ACTION_GROUP(window), "class-mode", NULL);
    ns_session_set_lane(session, 1, "placement", "pre");
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(ui_first(tab(window, 1), GTK_TYPE_LABEL))), ==,
                    "B Pre-LN");
    ui_close(window);
}

static graphene_rect_t place_of(NsWindow *window, GtkWidget *widget)
{
    graphene_rect_t place;
    ui_settle(GTK_WIDGET(window));
    g_assert_true(gtk_widget_compute_bounds(widget, GTK_WIDGET(window), &place));
    return place;
}

/* More than two lanes are named, too, in a second row; what is above stays where it is, and four
 * lanes take no more height than three. */
static void test_many_tabs(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    press(tab(window, ADD));
    graphene_rect_t add = place_of(window, tab(window, ADD));
    graphene_rect_t first = place_of(window, tab(window, 0));
    press(tab(window, ADD));
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(ui_first(tab(window, 2), GTK_TYPE_LABEL))), ==,
                    "C Sandwich");
    graphene_rect_t third = place_of(window, tab(window, 2));
    g_assert_cmpfloat(third.origin.y, >, first.origin.y);
    press(tab(window, ADD));
    for (int lane = 0; lane < 4; lane++) {
        const char *name =
            gtk_label_get_text(GTK_LABEL(ui_first(tab(window, lane), GTK_TYPE_LABEL)));
        g_test_message("%s", name);
        g_assert_cmpint((int)strlen(name), >, 3);
    }
    graphene_rect_t now = place_of(window, tab(window, ADD));
    g_assert_true(graphene_rect_equal(&now, &add));
    now = place_of(window, tab(window, 0));
    g_assert_true(graphene_rect_equal(&now, &first));
    now = place_of(window, tab(window, 2));
    g_assert_true(graphene_rect_equal(&now, &third));
    now = place_of(window, tab(window, 3));
    g_assert_cmpfloat(now.origin.y, ==, third.origin.y);
    ui_close(window);
}

static void test_link(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    GtkWidget *link = part(window, "layers", "link");
    g_assert_false(gtk_widget_get_visible(link));
    press(tab(window, ADD));
    g_assert_true(gtk_widget_get_visible(link));
    g_assert_false(gtk_widget_get_visible(part(window, "batch", "link")));
    g_assert_true(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(link)));
    gtk_test_accessible_assert_property(GTK_ACCESSIBLE(link), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                        "Layers: same in all lanes");
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(link), FALSE);
    gtk_test_accessible_assert_property(GTK_ACCESSIBLE(link), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                        "Layers: each lane has its own");
    ui_type(window, "layers", "5");
    g_assert_cmpint(session->experiment.lane[0].layers, ==, 2);
    g_assert_cmpint(session->experiment.lane[1].layers, ==, 5);
    GtkWidget *others = part(window, "layers", "others");
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(others)), ==, "in A: 2");
    g_assert_true(gtk_widget_has_css_class(row_of(window, "layers"), "split"));
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(link), TRUE);
    g_assert_cmpint(session->experiment.lane[0].layers, ==, 5);
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(others)), ==, "");
    ui_close(window);
}

/* Beside "pending" there is room for the lanes that differ. */
static void test_pending_lanes(void)
{
    NsWindow *window = ui_open_running("");
    NsSession *session = window->session;
    ns_session_pause(session);
    for (int i = 0; i < 3; i++) ns_session_add_lane(session);
    ui_rest(window);
    ns_session_set_linked(session, ns_param_find("layers"), FALSE);
    ui_type(window, "layers", "5");
    ui_settle(GTK_WIDGET(window));
    GtkLabel *others = GTK_LABEL(part(window, "layers", "others"));
    g_assert_cmpstr(gtk_label_get_text(others), ==, "≠ A, B, C");
    g_assert_false(pango_layout_is_ellipsized(gtk_label_get_layout(others)));
    ui_close(window);
}

/* The label in the list of a drop-down that is this text. */
static GtkWidget *find_words(GtkWidget *root, const char *words)
{
    if (GTK_IS_LABEL(root) && gtk_widget_get_mapped(root) &&
        g_str_equal(gtk_label_get_text(GTK_LABEL(root)), words))
        return root;
    GtkWidget *found = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_words(child, words);
    return found;
}

/* The list of other placements says what each is, and has its check at the chosen one.  Whatever is
 * chosen, the controls below stay where they are. */
static void test_placements(void)
{
    NsWindow *window = ui_open("");
    GtkWidget *placement = row_of(window, "placement"), *layers = row_of(window, "layers");
    GtkWidget *others = ui_first(placement, GTK_TYPE_DROP_DOWN);
    graphene_rect_t before, after;
    ui_rest(window);
    g_assert_true(gtk_widget_compute_bounds(layers, window->settings_pane, &before));
    for (size_t i = 0; ns_placement_choice(i); i++) {
        ns_session_set(window->session, "placement", ns_placement_choice(i)->key);
        ui_settle(GTK_WIDGET(window));
        g_assert_true(gtk_widget_compute_bounds(layers, window->settings_pane, &after));
        g_assert_cmpfloat(after.origin.y, ==, before.origin.y);
    }
    ns_session_set(window->session, "placement", "olmo2");
    g_signal_emit_by_name(ui_first(others, GTK_TYPE_TOGGLE_BUTTON), "clicked");
    GtkWidget *list = ui_first(others, GTK_TYPE_POPOVER);
    UI_UNTIL(find_words(list, "Keel"));
    g_assert_nonnull(find_words(list, "x' = N(S x + F(N(x))), S = number of sub-layers"));
    static const char *const names[] = {"More placements…", "OLMo 2", "Keel"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        GtkWidget *row = gtk_widget_get_ancestor(find_words(list, names[i]), GTK_TYPE_BOX);
        row = gtk_widget_get_parent(row);
        GtkWidget *check = gtk_widget_get_last_child(row);
        g_assert_cmpint(gtk_widget_get_visible(check), ==, i == 1);
        g_assert_cmpint(gtk_widget_get_tooltip_markup(row) != NULL, ==, i > 0);
    }
    gtk_popover_popdown(GTK_POPOVER(list));
    ui_close(window);
}

/* A click on the tab brings the values of that lane into every row. */
static void test_rows_follow_the_tab(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    press(tab(window, ADD));
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        if (param->type == NS_PARAM_CHOICE || param->type == NS_PARAM_TEXT) continue;
        if (param->shared) continue;
        double more = param->type == NS_PARAM_INT ? 1.0 : 0.25;
        g_autofree char *value = g_strdup_printf("%g", param->least + more);
        g_assert_true(ns_session_set_lane(session, 1, param->key, value));
    }
    for (size_t lane = 0; lane < 2; lane++) {
        press(tab(window, (int)lane));
        for (size_t i = 0; ns_param(i); i++) {
            GtkWidget *entry = ui_first(row_of(window, ns_param(i)->key), GTK_TYPE_ENTRY);
            g_autofree char *value = ns_settings_get(&session->experiment.lane[lane], ns_param(i));
            const char *word = ns_param_word(ns_param(i), value);
            if (entry)
                g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(entry)), ==,
                                word ? word : value);
        }
    }
    ui_close(window);
}

/* ---- Badges ---- */

/* The row says in its tooltip when a change acts, and beside its name since when one does. */
static void test_badges(void)
{
    static const struct {
        const char *key, *words;
    } table[] = {{"lr", "Takes effect at the next step"},
                 {"beta1", "A fork continues with the current weights"},
                 {"layers", "a fork continues with the weights that still fit"}};
    NsWindow *window = ui_open("");
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        GtkWidget *badge = part(window, table[i].key, "badge");
        g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(badge)), ==, "");
        const char *tip = gtk_widget_get_tooltip_text(row_of(window, table[i].key));
        g_assert_nonnull(strstr(tip, table[i].words));
    }
    step_and_rest(window, 1);
    ui_type(window, "layers", "3");
    GtkWidget *badge = part(window, "layers", "badge");
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(badge)), ==, "pending");
    g_assert_true(gtk_widget_has_css_class(row_of(window, "layers"), "pending"));
    ui_type(window, "layers", "2");
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(badge)), ==, "");
    GtkWidget *warmup = part(window, "warmup", "badge"), *rate = part(window, "lr", "badge");
    ui_type(window, "lr", "0.002");
    step_and_rest(window, 3);
    UI_UNTIL(g_str_equal(gtk_label_get_text(GTK_LABEL(rate)), "from step 2"));
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(warmup)), ==, "");
    /* A warm-up of two steps is over at step 5. */
    ui_type(window, "warmup", "2");
    step_and_rest(window, 1);
    UI_UNTIL(g_str_equal(gtk_label_get_text(GTK_LABEL(warmup)), "no effect on this run"));
    ui_type(window, "warmup", "20");
    step_and_rest(window, 1);
    UI_UNTIL(g_str_equal(gtk_label_get_text(GTK_LABEL(warmup)), "from step 6"));
    ns_session_add_lane(window->session); /* it has not run yet */
    UI_UNTIL(!*gtk_label_get_text(GTK_LABEL(warmup)));
    ns_session_remove_lane(window->session, 1);
    UI_UNTIL(g_str_equal(gtk_label_get_text(GTK_LABEL(warmup)), "from step 6"));
    ns_session_reset(window->session);
    UI_UNTIL(!*gtk_label_get_text(GTK_LABEL(warmup)));
    ui_close(window);
}

/* ---- What waits ---- */

static void test_restart_button(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    g_assert_null(waiting(window));
    /* The bar comes up where nothing was: no row moves.  Before the run there is no such place. */
    UI_WAIT(window, ui_is_ready);
    ui_settle(GTK_WIDGET(window));
    int whole = gtk_widget_get_height(row_scroller(window));
    g_assert_cmpint(whole, >, 400);
    step_and_rest(window, 3);
    ui_settle(GTK_WIDGET(window));
    int height = gtk_widget_get_height(row_scroller(window));
    g_assert_cmpint(height, <, whole);
    ui_toggle(window, "Pre-LN");
    g_assert_cmpstr(waiting(window), ==, "1 pending change: Norm placement");
    ui_type(window, "layers", "3");
    g_assert_cmpstr(waiting(window), ==, "2 pending changes: Norm placement, Layers");
    ns_session_run(session);
    g_assert_cmpstr(waiting(window), ==,
                    "Running without 2 pending changes: Norm placement, Layers");
    ns_session_pause(session);
    UI_UNTIL(ui_is_paused(window));
    g_assert_cmpstr(waiting(window), ==, "2 pending changes: Norm placement, Layers");
    ui_settle(GTK_WIDGET(window));
    g_assert_cmpint(gtk_widget_get_height(row_scroller(window)), ==, height);
    press(answer(window, 0));
    g_assert_null(waiting(window));
    UI_UNTIL(ns_session_steps(session) == 0 && ui_is_ready(window));
    UI_UNTIL(gtk_widget_get_height(row_scroller(window)) == whole);
    g_assert_cmpuint(ns_history_layout(session->view->history)->layers, ==, 3);
    g_assert_false(session->wants_run);
    ui_close(window);
}

static void check_motion(GtkWidget *root)
{
    if (GTK_IS_REVEALER(root)) {
        GtkWidget *shown = gtk_revealer_get_child(GTK_REVEALER(root));
        bool moves = gtk_widget_has_css_class(shown, "banner"); /* charts, which are drawn again */
        g_assert_cmpuint(gtk_revealer_get_transition_duration(GTK_REVEALER(root)), ==,
                         moves ? 0 : 200);
    }
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child))
        check_motion(child);
}

/* Whatever comes up in the window takes as long. */
static void test_motion(void)
{
    NsWindow *window = ui_open("");
    check_motion(GTK_WIDGET(window));
    ui_close(window);
}

static void test_fork_button(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    step_and_rest(window, 3);
    const NsHistory *old = session->view->history;
    ui_type(window, "beta1", "0.5");
    g_autofree char *tip = g_strdup(gtk_widget_get_tooltip_text(answer(window, 1)));
    g_assert_nonnull(strstr(tip, "step 3 "));
    press(answer(window, 1));
    UI_UNTIL(session->view->history != old && ui_is_ready(window));
    g_assert_null(waiting(window));
    g_assert_cmpint(session->fork_step, ==, 3);
    g_assert_cmpuint(session->experiment.n, ==, 1);
    g_assert_cmpfloat(session->view->now.lane[0].beta1, ==, 0.5);
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Forked at step 3.");
    ui_close(window);
}

static void test_undo_button(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    step_and_rest(window, 2);
    ui_type(window, "heads", "4");
    ui_type(window, "layers", "4");
    press(answer(window, 2));
    g_assert_null(waiting(window));
    g_assert_cmpint(ns_session_settings(session)->heads, ==, 2);
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 2);
    /* What is folded away cannot be reached; assistive technology is told of each button alone. */
    for (int i = 0; i < 3; i++) g_assert_false(gtk_widget_get_sensitive(answer(window, i)));
    ui_close(window);
}

/* Values that do not go together cannot be begun with. */
static void test_refused_cannot_restart(void)
{
    NsWindow *window = ui_open("");
    step_and_rest(window, 1);
    ui_type(window, "heads", "5");
    g_assert_cmpstr(waiting(window), ==, "1 pending change: Heads");
    g_assert_false(gtk_widget_is_sensitive(answer(window, 0)));
    g_assert_false(gtk_widget_is_sensitive(answer(window, 1)));
    press(answer(window, 2));
    g_assert_false(ui_has_banner(window));
    ui_close(window);
}

/* ---- Help, size ---- */

static GtkWidget *popover_of(NsWindow *window, const char *key)
{
    GtkWidget *last = gtk_widget_get_last_child(part(window, key, "about"));
    return GTK_IS_POPOVER(last) ? last : NULL;
}

static GString *words_in(GtkWidget *root, GString *text)
{
    if (GTK_IS_LABEL(root))
        g_string_append_printf(text, "%s\n", gtk_label_get_text(GTK_LABEL(root)));
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child))
        words_in(child, text);
    return text;
}

/* Also of a row that is scrolled out of sight. */
static void test_help_of_every_row(void)
{
    NsWindow *window = ui_open("");
    gtk_expander_set_expanded(GTK_EXPANDER(ui_first(pane_of(window), GTK_TYPE_EXPANDER)), TRUE);
    ui_settle(GTK_WIDGET(window));
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        g_signal_emit_by_name(part(window, param->key, "about"), "clicked");
        GtkWidget *popover = popover_of(window, param->key);
        g_assert_nonnull(popover);
        g_autoptr(GString) words = words_in(popover, g_string_new(NULL));
        g_assert_nonnull(strstr(words->str, param->help));
        if (param->source) g_assert_nonnull(strstr(words->str, param->source));
        gtk_popover_popdown(GTK_POPOVER(popover));
        UI_UNTIL(!popover_of(window, param->key));
    }
    ui_close(window);
}

/* F1 explains the setting that has the keyboard. */
static void test_help_by_keyboard(void)
{
    NsWindow *window = ui_open("");
    g_assert_false(ns_settings_pane_explain(pane_of(window)) &&
                   !gtk_widget_is_ancestor(gtk_root_get_focus(GTK_ROOT(window)), pane_of(window)));
    gtk_widget_grab_focus(ui_first(row_of(window, "warmup"), GTK_TYPE_ENTRY));
    g_assert_true(ns_settings_pane_explain(pane_of(window)));
    GtkWidget *popover = popover_of(window, "warmup");
    g_assert_nonnull(popover);
    gtk_popover_popdown(GTK_POPOVER(popover));
    UI_UNTIL(!popover_of(window, "warmup"));
    ui_close(window);
}

/* Before anything is run again, the depth that waits says what it would take. */
static void test_size_of_what_waits(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    step_and_rest(window, 2);
    GtkLabel *size = GTK_LABEL(gtk_widget_get_last_child(row_of(window, "layers")));
    ui_type(window, "layers", "40");
    UI_UNTIL(strstr(gtk_label_get_text(size), "With the changes: "));
    g_autofree char *expected = g_strdup(gtk_label_get_text(size));
    g_assert_nonnull(strstr(expected, " per step."));
    press(answer(window, 0));
    NsPlan plan;
    UI_UNTIL(ui_is_ready(window) && ns_session_plan(session, &plan));
    /* What it took is what was said: the same parameters, the same bytes. */
    g_autofree char *memory = g_format_size_full(plan.total_bytes, G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *parameters =
        g_strdup_printf("%.0fk parameters", (double)plan.parameters / 1e3);
    g_assert_nonnull(strstr(expected, memory));
    g_assert_nonnull(strstr(expected, parameters));
    ui_type(window, "layers", "10000");
    ui_type(window, "d-model", "8192");
    UI_UNTIL(strstr(gtk_label_get_text(size), "This run needs "));
    ui_close(window);
}

/* A part that closes over its focus leaves no entry to take the keys. */
static void test_close_focused(void)
{
    static const guint keys[] = {GDK_KEY_2, GDK_KEY_1};
    static const char *const actions[] = {"pane", "inspector", NULL};
    NsWindow *window = ui_open_running("");
    ns_session_restart(window->session); /* two runs have buttons in the inspector */
    ns_session_pause(window->session);
    ns_window_change(window, "inspector", true);
    GtkWidget *parts[] = {window->settings_pane, GTK_WIDGET(window->inspector),
                          GTK_WIDGET(window->learn_pane)};
    for (size_t part = 0; part < G_N_ELEMENTS(parts); part++) {
        if (!actions[part]) gtk_widget_activate_action(parts[part], NS_LEARN_BEGIN, "u", 0);
        ui_rest(window);
        g_assert_true(gtk_widget_child_focus(parts[part], GTK_DIR_TAB_FORWARD));
        if (actions[part])
            ns_window_change(window, actions[part], false);
        else
            ns_learn_pane_close(window->learn_pane);
        ui_settle(GTK_WIDGET(window));
        for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) g_assert_true(ui_press(window, keys[i]));
        g_assert_cmpstr(ns_page_stack_key(window->pages), ==, "dashboard");
    }
    ui_close(window);
}

/* However far a divider is moved, and to whichever end, all keep their content.  It never takes the
 * keys of the window. */
static void test_dividers(void)
{
    NsWindow *window = ui_open("");
    GtkWidget *kept[] = {ui_find(window, "pane_scroller"), ui_find(window, "inspector_scroller"),
                         ui_find(window, "center")};
    ui_rest(window);
    for (int i = 0; i < 4; i++) {
        GtkPaned *paned = GTK_PANED(gtk_widget_get_ancestor(kept[i / 2], GTK_TYPE_PANED));
        gtk_widget_grab_focus(GTK_WIDGET(paned));
        g_assert_true(gtk_window_get_focus(GTK_WINDOW(window)) != GTK_WIDGET(paned));
        gtk_paned_set_position(paned, i % 2 ? gtk_widget_get_width(GTK_WIDGET(paned)) : 0);
        ui_settle(GTK_WIDGET(window));
        for (size_t k = 0; k < G_N_ELEMENTS(kept); k++) {
            graphene_rect_t place;
            int least;
            gtk_widget_measure(kept[k], GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
            g_assert_cmpint(gtk_widget_get_width(kept[k]), >=, least);
            g_assert_true(gtk_widget_compute_bounds(kept[k], GTK_WIDGET(window), &place));
            g_assert_cmpfloat(place.origin.x, >=, 0);
            g_assert_cmpfloat(place.origin.x + place.size.width, <=,
                              gtk_widget_get_width(GTK_WIDGET(window)));
        }
    }
    ui_close(window);
}

static void on_pressed(GtkGestureClick *click, int presses, double x, double y, int *count)
{
    (void)click, (void)presses, (void)x, (void)y;
    ++*count;
}

/* Where a divider was before its pane was hidden, a press reaches the page. */
static void test_hidden_divider(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open("");
    GtkWidget *center = ui_find(window, "center"), *pane = window->inspector_scroller;
    UI_WAIT(window, ui_is_ready);
    g_action_group_change_action_state(G_ACTION_GROUP(window), "inspector",
                                       g_variant_new_boolean(TRUE));
    UI_UNTIL(gtk_widget_get_mapped(pane) && gtk_widget_get_width(pane) > 100);
    ui_rest(window);
    int at = gtk_widget_get_width(center) + 2, count = 0;
    g_action_group_change_action_state(G_ACTION_GROUP(window), "inspector",
                                       g_variant_new_boolean(FALSE));
    UI_UNTIL(gtk_widget_get_width(center) > at);
    ui_rest(window);
    GtkGesture *click = gtk_gesture_click_new();
    gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
    g_signal_connect(click, "pressed", G_CALLBACK(on_pressed), &count);
    gtk_widget_add_controller(center, GTK_EVENT_CONTROLLER(click));
    ui_pointer_to(center, at, 300);
    ui_click_here(GDK_BUTTON_PRIMARY);
    UI_UNTIL(count == 1);
    ui_close(window);
}

void ui_add_pane_tests(void)
{
    g_test_add_func("/ui/pane/dividers", test_dividers);
    g_test_add_func("/ui/pane/hidden-divider", test_hidden_divider);
    g_test_add_func("/ui/pane/placements", test_placements);
    g_test_add_func("/ui/pane/pending-lanes", test_pending_lanes);
    g_test_add_func("/ui/pane/close-focused", test_close_focused);
    g_test_add_func("/ui/pane/tabs", test_tabs);
    g_test_add_func("/ui/pane/tab-names", test_tab_names);
    g_test_add_func("/ui/pane/many-tabs", test_many_tabs);
    g_test_add_func("/ui/pane/motion", test_motion);
    g_test_add_func("/ui/pane/link", test_link);
    g_test_add_func("/ui/pane/rows-follow-the-tab", test_rows_follow_the_tab);
    g_test_add_func("/ui/pane/badges", test_badges);
    g_test_add_func("/ui/pane/restart", test_restart_button);
    g_test_add_func("/ui/pane/fork", test_fork_button);
    g_test_add_func("/ui/pane/undo", test_undo_button);
    g_test_add_func("/ui/pane/refused", test_refused_cannot_restart);
    g_test_add_func("/ui/pane/help", test_help_of_every_row);
    g_test_add_func("/ui/pane/help-by-keyboard", test_help_by_keyboard);
    g_test_add_func("/ui/pane/size-of-what-waits", test_size_of_what_waits);
}
