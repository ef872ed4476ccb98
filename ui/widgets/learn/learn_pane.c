/* SPDX-License-Identifier: MIT */
#include "ui/widgets/learn/learn_pane.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "core/store/bundled.h"
#include "ui/figures/figures.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/learn/learn_list.h"
#include "ui/widgets/learn/lesson_watch.h"
#include "ui/widgets/learn/prediction.h"

#include <string.h>

#define LOOK_EVERY_MS 100

/* Pixels: of the strip beside the pages, of that below them with text of normal size (most cards
 * fit the least height), and beside a drawing. */
#define STRIP_WIDTH 243
#define STRIP_HEIGHT 208
#define STRIP_LEAST 148
#define GAP 12
#define LEAST_CHARS 8  /* of the words in the line of the buttons, below the pages */
#define SPARE_HEIGHT 4 /* a scrolled window underestimates rows of text and buttons by this */

struct _NsLearnPane {
    GtkWidget parent;
    NsSession *session;
    NsLesson *lesson;     /* NULL: no lesson was begun */
    GMenuModel *lectures; /* of the user; borrowed */
    char *key, *page;
    size_t at, seen;              /* a card; how many of the first ones have been shown */
    size_t answers[NS_CARDS_MAX]; /* from 1; 0: the card is not answered */
    bool in_list, covers, held;   /* held: Next had the focus when it was disabled */
    bool shows, theory;           /* a card is shown; whether theory lines were shown before it */
    bool turned;                  /* the card is shown because Next or Back was pressed */
    NsLessonSituation situation;
    int64_t run_to;    /* the step to run to as soon as the session can; 0: none */
    bool runs;         /* the session runs to that step, unless it was stopped */
    size_t todo, last; /* cards to do after that, in order; last is 0: none */
    guint watch;
    GtkWidget *box;        /* a child, created again for every card */
    GtkWidget *prediction; /* another child, in place of the pages; NULL where there is none */
    GtkWidget *content;    /* of a card: its text, and the widgets that belong to it */
    GtkWidget *waits;      /* shown instead until the data of the card have been measured */
    GtkWidget *texts;      /* the box of its text */
    GtkWidget *compare, *verdict; /* parts of it; NULL where the card has none */
    GtkWidget *tried;             /* the same: it acknowledges what the card asked for */
    GtkWidget *again; /* the same: what is left to do once the settings have been changed */
    GtkWidget *next, *run;
    GtkWidget *apart;        /* visible while the settings are not those of the lesson */
    const char *pointed_out; /* the part that is pointed out; NULL: none yet */
};

G_DEFINE_FINAL_TYPE(NsLearnPane, ns_learn_pane, GTK_TYPE_WIDGET)

static void show_card(NsLearnPane *pane);
static void show_list(NsLearnPane *pane);

static const NsCard *card_of(NsLearnPane *pane)
{
    return pane->lesson && !pane->in_list ? &pane->lesson->card[pane->at] : NULL;
}

/* ---- Parts ---- */

/* Replaces what is shown by an empty box, which scrolls. */
static GtkWidget *new_box(NsLearnPane *pane)
{
    g_clear_pointer(&pane->box, gtk_widget_unparent);
    g_clear_pointer(&pane->prediction, gtk_widget_unparent);
    pane->compare = pane->verdict = pane->tried = pane->again = NULL;
    pane->content = pane->next = pane->run = pane->apart = pane->waits = pane->texts = NULL;
    pane->held = false;
    pane->box = gtk_scrolled_window_new();
    GtkScrolledWindow *scrolled = GTK_SCROLLED_WINDOW(pane->box);
    gtk_scrolled_window_set_policy(scrolled, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_propagate_natural_height(scrolled, TRUE);
    gtk_widget_set_size_request(pane->box, STRIP_WIDTH, -1); /* the same for all cards */
    gtk_widget_set_hexpand(pane->box, FALSE);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    gtk_widget_set_margin_bottom(box, SPARE_HEIGHT);
    gtk_scrolled_window_set_child(scrolled, box);
    gtk_widget_set_parent(pane->box, GTK_WIDGET(pane));
    return box;
}

static void cover(NsLearnPane *pane, bool covers)
{
    if (pane->covers == covers) return;
    pane->covers = covers;
    gtk_widget_set_vexpand(GTK_WIDGET(pane), covers);
    gtk_widget_set_hexpand(GTK_WIDGET(pane), covers);
    gtk_widget_queue_resize(GTK_WIDGET(pane));
    g_signal_emit_by_name(pane, "cover", covers);
}

/* ---- What a card waits for ---- */

static void look_at_drawing(NsLearnPane *pane)
{
    size_t missing = ns_prediction_missing(NS_PREDICTION(pane->prediction));
    gtk_widget_set_sensitive(pane->compare, missing == 0 && !pane->situation.sketched);
    if (pane->situation.sketched) return;
    g_autofree char *words =
        missing ? g_strdup_printf(ns_plural("Draw %d more point.", "Draw %d more points.", missing),
                                  (int)missing)
                : NULL;
    gtk_label_set_text(GTK_LABEL(pane->verdict), words ? words : "");
}

/* The text of the card with the numbers of the run on view, as soon as they have been measured.
 * Returns whether they have. */
static bool look_at_data(NsLearnPane *pane, const NsCard *card)
{
    bool prepared = ns_lesson_is_prepared(pane->session);
    bool there = ns_lesson_has_data(pane->lesson, pane->at, pane->session, &pane->situation);
    for (char **text = card->texts; *text; text++) there &= prepared || !strchr(*text, '{');
    GtkWidget *words = gtk_widget_get_first_child(pane->waits);
    gtk_widget_set_visible(pane->content, there);
    gtk_widget_set_visible(pane->waits, !there);
    gtk_widget_set_visible(gtk_widget_get_next_sibling(words),
                           prepared && !pane->session->wants_run);
    g_autofree char *step = ns_group_digits(ns_lesson_data_step(pane->lesson, pane->at));
    g_autofree char *now = ns_group_digits(ns_lesson_steps(pane->session));
    g_autofree char *sentence =
        prepared ? g_strdup_printf(_("This card shows what is measured at step %s; the run is at "
                                     "step %s."),
                                   step, now)
                 : ns_session_preparing_words(pane->session);
    ns_text_label_set(words, sentence);
    GtkWidget *label = gtk_widget_get_first_child(pane->texts);
    for (char **text = card->texts; there && *text; text++) {
        g_autofree char *filled = ns_lesson_words(_(*text), pane->session);
        ns_text_label_set(label, filled);
        label = gtk_widget_get_next_sibling(label);
    }
    return there;
}

/* Next waits for the model that is being prepared, and has the focus again after that. */
static void hold_next(NsLearnPane *pane, bool hold)
{
    if (hold) pane->held |= gtk_widget_has_focus(pane->next);
    gtk_widget_set_sensitive(pane->next, !hold);
    if (hold || !pane->held) return;
    pane->held = false;
    if (!gtk_root_get_focus(gtk_widget_get_root(pane->next))) gtk_widget_grab_focus(pane->next);
}

static void turn_to(gpointer box, GtkOrientation orientation)
{
    gtk_orientable_set_orientation(GTK_ORIENTABLE(box), orientation);
}

/* In the strip below the pages there is space beside things, but not for more lines. */
static void lay_out(NsLearnPane *pane)
{
    GtkWidget *turn = gtk_widget_get_parent(pane->apart), *head = gtk_widget_get_parent(turn);
    GtkOrientation across =
        gtk_orientable_get_orientation(GTK_ORIENTABLE(gtk_widget_get_parent(GTK_WIDGET(pane))));
    bool below = across == GTK_ORIENTATION_VERTICAL;
    GtkOrientation along = below ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL;
    turn_to(gtk_widget_get_layout_manager(GTK_WIDGET(pane)), across);
    GtkWidget *buttons = pane->run ? gtk_widget_get_parent(pane->run) : head;
    GtkWidget *boxes[] = {pane->apart, turn, head, pane->content, buttons};
    for (size_t i = 0; i < G_N_ELEMENTS(boxes); i++) turn_to(boxes[i], along);
    gtk_box_set_homogeneous(GTK_BOX(pane->content), below);
    GtkWidget *first = gtk_widget_get_first_child(head), *last = gtk_widget_get_last_child(head);
    if (below != (first == turn))
        gtk_box_reorder_child_after(GTK_BOX(head), below ? first : last, below ? last : NULL);
    double scale = ns_text_scale(GTK_WIDGET(pane));
    int most = (int)(STRIP_HEIGHT * scale), least = below ? (int)(STRIP_LEAST * scale) : -1;
    GtkScrolledWindow *scrolled = GTK_SCROLLED_WINDOW(pane->box);
    if (gtk_scrolled_window_get_min_content_height(scrolled) != least)
        gtk_scrolled_window_set_min_content_height(scrolled, -1); /* never above the maximum */
    gtk_scrolled_window_set_max_content_height(scrolled, most);
    gtk_scrolled_window_set_min_content_height(scrolled, least);
}

static void look(NsLearnPane *pane)
{
    const NsCard *card = card_of(pane);
    if (!card || !pane->next) return;
    /* Settings other than those of the lesson are reported, unless the task is to change them. */
    bool tried = ns_lesson_has_tried(pane->session, card);
    bool own = card->asks_for_settings || card->change || !card->end.n || tried ||
               ns_lesson_has_settings(pane->session, &card->end);
    if (pane->tried) gtk_widget_set_visible(pane->tried, tried);
    bool set = ns_lesson_is_set(&card->conditions, pane->session);
    bool old = ns_lesson_needs_new_run(card, pane->session, &pane->situation);
    bool waits = !ns_lesson_is_prepared(pane->session) || ns_session_pending(pane->session);
    if (pane->again) /* pending changes have a bar of their own */
        gtk_widget_set_visible(pane->again, set && old && !waits);
    int64_t missed = own ? ns_lesson_missed_change(pane->lesson, pane->at, pane->session) : 0;
    int64_t about = ns_lesson_step(pane->lesson, pane->at, pane->session);
    bool stale = !own || missed, off = about >= 0 && ns_session_shown_step(pane->session) != about;
    g_autofree char *step = ns_group_digits(missed ? missed : about);
    g_autofree char *words =
        own ? g_strdup_printf(missed ? _("This run did not change its settings at step %s, as the "
                                         "lesson does; this card may not apply.")
                                     : _("This card is about step %s."),
                              step)
            : g_strdup(_("This card is about other settings and may not apply."));
    ns_text_label_set(gtk_widget_get_first_child(pane->apart), words);
    GtkWidget *button = gtk_widget_get_last_child(pane->apart);
    gtk_widget_set_visible(button, !stale);
    gtk_widget_set_visible(gtk_widget_get_prev_sibling(button), stale);
    gtk_widget_set_visible(pane->apart, stale || off);
    ns_set_css_class(pane->texts, "stale", stale);
    lay_out(pane);
    bool there = look_at_data(pane, card);
    hold_next(pane, !ns_lesson_is_prepared(pane->session));
    pane->situation.page = pane->page;
    pane->situation.answered = pane->answers[pane->at] > 0;
    pane->situation.sketched = pane->prediction && NS_PREDICTION(pane->prediction)->compared;
    cover(pane, card->draws);
    bool last = pane->at + 1 == pane->lesson->n, done = ns_learn_pane_is_done(pane);
    gtk_button_set_label(GTK_BUTTON(pane->next), !done  ? _("Skip card")
                                                 : last ? _("Finish")
                                                        : _("Next"));
    ns_set_css_class(pane->next, "suggested-action", done && there);
    /* Points out a control until what the card waits for is done, a chart all the time. */
    const char *name = card->highlight ? card->highlight : "";
    if (done && card->conditions.n > 0 && !ns_figure_find(name)) name = "";
    if (g_strcmp0(pane->pointed_out, name) != 0) {
        pane->pointed_out = name;
        g_signal_emit_by_name(pane, "point-out", name);
    }
    if (pane->prediction) look_at_drawing(pane);
    if (!pane->run) return;
    bool left = ns_lesson_steps(pane->session) < card->run || old;
    if (card->change) set = !ns_lesson_has_settings(pane->session, &card[-1].end);
    if (left && set) ns_session_aim(pane->session, card->run);
    gtk_widget_set_sensitive(pane->run, left && set);
    gtk_widget_set_tooltip_text(pane->run, set ? NULL : _("First set what this card asks for"));
}

static void run_to(NsLearnPane *pane, int64_t step)
{
    pane->run_to = step;
    pane->runs = false;
}

static gboolean on_watch(gpointer data)
{
    NsLearnPane *pane = data;
    /* While a run is being prepared, the steps of the session are those of the run before. */
    bool prepared = ns_lesson_is_prepared(pane->session);
    /* A spike on the way does not end the run that a card asks for. */
    NsSession *session = pane->session;
    NsTrouble trouble;
    bool jumped = session->state == NS_TRAINER_PAUSED && session->pause_on_trouble &&
                  ns_session_trouble(session, &trouble) && trouble.spike &&
                  trouble.step == ns_session_steps(session);
    bool starts = pane->run_to && (!pane->runs || jumped);
    if (starts && prepared && ns_session_can_run(pane->session)) {
        ns_session_run_to(pane->session, pane->run_to);
        pane->runs = true;
    }
    if (prepared && ns_session_steps(pane->session) >= pane->run_to) pane->run_to = 0;
    if (prepared && !pane->run_to && pane->last && pane->todo <= pane->last) {
        const NsCard *card = &pane->lesson->card[pane->todo];
        if (card->change) ns_session_open(pane->session, &card->end);
        if (pane->todo++ < pane->at) run_to(pane, card->run); /* the shown one leaves it to Run */
    }
    look(pane);
    return G_SOURCE_CONTINUE;
}

static void set_watch(NsLearnPane *pane, bool on)
{
    if (!on) g_clear_handle_id(&pane->watch, g_source_remove);
    if (on && !pane->watch) pane->watch = g_timeout_add(LOOK_EVERY_MS, on_watch, pane);
}

bool ns_learn_pane_is_done(NsLearnPane *pane)
{
    const NsCard *card = card_of(pane);
    return card && ns_lesson_is_done(&card->conditions, pane->session, &pane->situation);
}

/* ---- What a card does ---- */

/* Prepares a run with these settings, paused at step `start`, unless the present one is that
 * already. */
static void set_up(NsLearnPane *pane, const NsExperiment *experiment, int64_t start)
{
    run_to(pane, start);
    pane->last = 0;
    if (ns_session_steps(pane->session) <= start && !pane->session->wants_run &&
        ns_lesson_is_run_of(pane->session, experiment, experiment))
        return;
    ns_session_pause(pane->session);
    ns_session_open(pane->session, experiment);
    ns_session_restart(pane->session);
}

/* Makes the changes of the lesson at their steps, up to that of this card: in the present run, or
 * in a new one if that is another or has gone past the step. */
static void catch_up(NsLearnPane *pane)
{
    const NsCard *cards = pane->lesson->card, *card = &cards[pane->at];
    size_t origin = ns_lesson_origin(pane->lesson, pane->at);
    const NsExperiment *began = &cards[origin].end;
    int64_t steps = ns_lesson_steps(pane->session);
    bool missed = ns_lesson_missed_change(pane->lesson, pane->at, pane->session) > 0;
    if (!missed && steps >= card->change && ns_lesson_is_run_of(pane->session, began, &card->end))
        return;
    if (!missed && card->change && steps <= card->change &&
        ns_lesson_is_run_of(pane->session, began, &card[-1].end)) {
        run_to(pane, card->change > steps ? card->change : 0);
        pane->todo = pane->at;
    } else {
        set_up(pane, began, cards[origin].start);
        run_to(pane, cards[origin].run);
        pane->todo = origin + 1;
    }
    pane->last = pane->at;
}

static void on_do(NsLearnPane *pane)
{
    const NsCard *card = card_of(pane);
    if (!card) return;
    bool changes = false;
    for (size_t i = ns_lesson_origin(pane->lesson, pane->at); i <= pane->at; i++)
        changes |= pane->lesson->card[i].change > 0;
    if (changes)
        catch_up(pane);
    else
        set_up(pane, &card->end, card->start);
    look(pane);
}

/* A card about none of the steps so far follows the newest one. */
static void show_step(NsLearnPane *pane)
{
    ns_session_show_step(pane->session, ns_lesson_step(pane->lesson, pane->at, pane->session));
}

/* Runs to the step that the card is about or, if that has been measured, to the step that it asks
 * for. */
static void on_run(NsLearnPane *pane)
{
    const NsCard *card = card_of(pane);
    if (!card) return;
    bool there = ns_lesson_has_data(pane->lesson, pane->at, pane->session, &pane->situation);
    run_to(pane, there ? card->run : ns_lesson_data_step(pane->lesson, pane->at));
    if (ns_lesson_needs_new_run(card, pane->session, &pane->situation) ||
        ns_session_pending(pane->session))
        ns_session_restart(pane->session);
    on_watch(pane);
}

static void on_compare(NsLearnPane *pane)
{
    const NsCard *card = card_of(pane);
    if (!card) return;
    size_t n;
    g_autofree double *measured = ns_lesson_measured(card, pane->session, &n);
    if (!measured) {
        gtk_label_set_text(GTK_LABEL(pane->verdict),
                           _("This step has not been measured yet; run to it first."));
        return;
    }
    g_autofree char *words = ns_prediction_compare(NS_PREDICTION(pane->prediction), measured, n);
    gtk_label_set_text(GTK_LABEL(pane->verdict),
                       words ? words : _("The model has changed since you drew the curve."));
    look(pane);
}

/* Puts back the settings that the student tried on a card before another one is shown, which may be
 * about the run of the lesson; makes that run again if another one is on view by now. */
static void put_back(NsLearnPane *pane, const NsCard *other)
{
    const NsCard *card = card_of(pane);
    if (!ns_lesson_has_tried(pane->session, card)) return;
    ns_session_open(pane->session, &card->end);
    if (!other || other->begin.n || other->asks_for_settings ||
        ns_lesson_is_run_of(pane->session, &card->end, &card->end))
        return;
    set_up(pane, &card->end, card->start);
    run_to(pane, ns_lesson_data_step(pane->lesson, pane->at));
}

/* Leaves the run as it is for a card that is shown again, unless its settings are others. */
static void turn_card(NsLearnPane *pane, size_t at)
{
    const NsCard *card = &pane->lesson->card[at];
    bool again = at < pane->seen && ns_lesson_is_run_of(pane->session, &card->begin, &card->begin);
    if (card->begin.n) pane->last = 0;
    if (card->begin.n && !again) set_up(pane, &card->begin, card->start);
    pane->turned = pane->seen > 0;
    pane->at = at;
    pane->seen = MAX(pane->seen, at + 1);
    show_card(pane);
}

static void on_next(NsLearnPane *pane)
{
    bool done = ns_learn_pane_is_done(pane), shown = done && gtk_widget_get_visible(pane->content);
    put_back(pane, pane->at + 1 < pane->lesson->n ? card_of(pane) + 1 : NULL);
    if (!done) {
        /* Does what the card asks for, since the following cards rely on it. */
        const NsCard *card = &pane->lesson->card[pane->at];
        bool left = card->run > ns_lesson_steps(pane->session);
        bool begun = left && ns_lesson_is_run_of(pane->session, &card->end, &card->end);
        if (card->asks_for_settings && !begun) set_up(pane, &card->end, 0);
        if (left || card->asks_for_settings) run_to(pane, card->run);
        if (card->change) catch_up(pane);
    }
    if (pane->at + 1 < pane->lesson->n) {
        turn_card(pane, pane->at + 1);
        return;
    }
    if (shown && pane->key) ns_lesson_set_finished(pane->key);
    g_clear_pointer(&pane->lesson, ns_lesson_free);
    show_list(pane);
}

static void on_back(NsLearnPane *pane)
{
    if (pane->at > 0) {
        put_back(pane, card_of(pane) - 1);
        turn_card(pane, pane->at - 1);
    } else
        show_list(pane);
}

static gboolean on_key(GtkWidget *widget, GVariant *arguments, gpointer keyval)
{
    (void)arguments;
    NsLearnPane *pane = NS_LEARN_PANE(widget);
    if (ns_learn_pane_card(pane) < 0) return FALSE;
    if (GPOINTER_TO_UINT(keyval) == GDK_KEY_Left)
        on_back(pane);
    else if (ns_lesson_is_prepared(pane->session))
        on_next(pane);
    return TRUE;
}

static void add_key(GtkEventController *keys, guint keyval)
{
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(keys),
        gtk_shortcut_new(gtk_keyval_trigger_new(keyval, GDK_ALT_MASK),
                         gtk_callback_action_new(on_key, GUINT_TO_POINTER(keyval), NULL)));
}

/* ---- A card ---- */

static GtkWidget *new_text(NsLearnPane *pane, const NsCard *card)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    gtk_widget_set_hexpand(box, TRUE);
    for (char **text = card->texts; *text; text++)
        gtk_box_append(GTK_BOX(box), ns_learn_label_new(_(*text), NULL, NS_LEARN_CHARS));
    if (card->tried) {
        pane->tried = ns_learn_label_new(_(card->tried), "tried", NS_LEARN_CHARS);
        gtk_box_append(GTK_BOX(box), pane->tried);
    }
    if (card->asks_for_settings) {
        pane->again =
            ns_learn_label_new(_("This run began with other settings: press Reset, then Run."),
                               "tried", NS_LEARN_CHARS);
        gtk_box_append(GTK_BOX(box), pane->again);
    }
    return box;
}

static void set_tooltips(GtkWidget *turn, bool shown)
{
    for (GtkWidget *button = gtk_widget_get_first_child(turn); button;
         button = gtk_widget_get_next_sibling(button))
        gtk_widget_set_has_tooltip(button, shown);
}

static void on_left(GtkWidget *turn)
{
    set_tooltips(turn, true);
}

static GtkWidget *new_apart(NsLearnPane *pane)
{
    pane->apart = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    GtkWidget *words = ns_learn_label_new(NULL, "hint", NS_LEARN_CHARS);
    GtkWidget *button = ns_button_new(_("Use the lesson’s settings"),
                                      _("Applies them, and restarts"), G_CALLBACK(on_do), pane);
    g_autofree char *step = ns_group_digits(ns_lesson_data_step(pane->lesson, pane->at));
    g_autofree char *label = g_strdup_printf(_("Show step %s"), step);
    GtkWidget *show = ns_button_new(label, NULL, G_CALLBACK(show_step), pane);
    gtk_widget_set_halign(button, GTK_ALIGN_START);
    gtk_widget_set_halign(show, GTK_ALIGN_START);
    ns_box_append(pane->apart, words, button, show, NULL);
    return pane->apart;
}

/* Back and Next stay where they are from card to card. */
static GtkWidget *new_head(NsLearnPane *pane)
{
    GtkWidget *head = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
    GtkWidget *above = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *turn = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    g_autofree char *words = g_strdup_printf(_("%s · %d/%d"), _(pane->lesson->title),
                                             (int)pane->at + 1, (int)pane->lesson->n);
    GtkWidget *place = ns_learn_label_new(words, "hint", NS_LEARN_CHARS);
    gtk_label_set_width_chars(GTK_LABEL(place), LEAST_CHARS);
    gtk_widget_set_hexpand(place, TRUE);
    gtk_widget_set_halign(place, GTK_ALIGN_FILL); /* else it wraps to the height of the button */
    ns_box_append(above, place, ns_learn_close_new(), NULL);
    gtk_box_append(GTK_BOX(turn), ns_button_new(_("Back"),
                                                pane->at ? _("Previous card (Alt+Left)")
                                                         : _("All lessons (Alt+Left)"),
                                                G_CALLBACK(on_back), pane));
    pane->next = ns_button_new(
        _("Next"), _("Next card (Alt+Right). Skip card does first what this card asks for."),
        G_CALLBACK(on_next), pane);
    gtk_box_append(GTK_BOX(turn), pane->next);
    if (pane->turned) {
        /* After a click on a button of the previous card the pointer is on the button of this card,
         * whose tooltip would cover the card until the pointer moves. */
        GtkEventController *motion = gtk_event_controller_motion_new();
        g_signal_connect_swapped(motion, "leave", G_CALLBACK(on_left), turn);
        gtk_widget_add_controller(turn, motion);
        set_tooltips(turn, false);
    }
    pane->turned = false;
    gtk_widget_set_halign(turn, GTK_ALIGN_START);
    gtk_widget_set_valign(turn, GTK_ALIGN_START);
    GtkWidget *below = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    ns_box_append(below, turn, new_apart(pane), NULL);
    GtkWidget *title =
        ns_learn_label_new(_(pane->lesson->card[pane->at].title), "card-title", NS_LEARN_CHARS);
    gtk_label_set_width_chars(GTK_LABEL(title), LEAST_CHARS);
    ns_box_append(head, above, below, title, NULL);
    return head;
}

/* Buttons that do for the student what the card asks for. */
static void add_buttons(NsLearnPane *pane, const NsCard *card, GtkWidget *box)
{
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    gtk_widget_set_halign(row, GTK_ALIGN_START);
    if (card->asks_for_settings || card->change)
        gtk_box_append(GTK_BOX(row),
                       ns_button_new(_("Set it for me"), NULL, G_CALLBACK(on_do), pane));
    if (card->run) {
        g_autofree char *steps = ns_group_digits(card->run);
        g_autofree char *label = g_strdup_printf(_("Run to step %s"), steps);
        pane->run = ns_button_new(label, NULL, G_CALLBACK(on_run), pane);
        gtk_box_append(GTK_BOX(row), pane->run);
    }
    if (card->draws) {
        pane->compare = ns_button_new(_("Compare"), _("Shows the measurement beside your drawing"),
                                      G_CALLBACK(on_compare), pane);
        gtk_box_append(GTK_BOX(row), pane->compare);
    }
    gtk_widget_set_margin_top(row, 4);
    gtk_widget_set_visible(row, gtk_widget_get_first_child(row) != NULL);
    gtk_box_append(GTK_BOX(box), row);
}

static void show_card(NsLearnPane *pane)
{
    pane->in_list = false;
    pane->pointed_out = NULL; /* it may belong to a lesson that was freed */
    const NsCard *card = &pane->lesson->card[pane->at];
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(pane));
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    bool focused = focus && gtk_widget_is_ancestor(focus, GTK_WIDGET(pane));
    GtkWidget *box = new_box(pane);
    GtkWidget *content = pane->content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
    GtkWidget *texts = pane->texts = new_text(pane, card);
    gtk_box_append(GTK_BOX(content), texts);
    /* A line and a button, until the step that the card speaks of has been measured. */
    GtkWidget *waits = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    g_autofree char *step = ns_group_digits(ns_lesson_data_step(pane->lesson, pane->at));
    g_autofree char *label = g_strdup_printf(_("Run to step %s"), step);
    GtkWidget *run = ns_button_new(label, NULL, G_CALLBACK(on_run), pane);
    gtk_widget_set_halign(run, GTK_ALIGN_START);
    ns_box_append(waits, ns_learn_label_new(NULL, NULL, NS_LEARN_CHARS), run, NULL);
    pane->waits = waits;
    GtkWidget *question = NULL;
    if (card->ask) {
        question = ns_lesson_question_new(card, &pane->answers[pane->at], G_CALLBACK(look), pane);
        gtk_box_append(GTK_BOX(content), question);
    }
    add_buttons(pane, card, question ? question : texts);
    if (card->draws) {
        /* A drawing with a point for every layer of its lane. */
        const NsSettings *settings = card->draw_lane < pane->session->experiment.n
                                         ? &pane->session->experiment.lane[card->draw_lane]
                                         : &card->end.lane[card->draw_lane];
        bool hidden = ns_quantity(card->quantity)->domain == NS_DOMAIN_HIDDEN;
        size_t n = (size_t)settings->layers + (hidden ? 1 : 0);
        pane->prediction = ns_prediction_new(card->quantity, (unsigned)card->draw_lane, n,
                                             hidden ? 0 : 1, hidden ? 1 : 0.1, hidden ? 100 : 10);
        pane->verdict = ns_learn_label_new(NULL, "hint", NS_LEARN_CHARS);
        gtk_box_append(GTK_BOX(texts), pane->verdict);
        g_signal_connect_swapped(pane->prediction, "changed", G_CALLBACK(look), pane);
        /* It takes the place of the pages, so that the card stays where it was. */
        gtk_widget_set_hexpand(pane->prediction, TRUE);
        gtk_widget_set_vexpand(pane->prediction, TRUE);
        gtk_widget_insert_before(pane->prediction, GTK_WIDGET(pane), pane->box);
    }
    ns_box_append(box, new_head(pane), pane->waits, content, NULL);
    if (focused) gtk_widget_grab_focus(pane->next);
    pane->situation = (NsLessonSituation){.run = ns_lesson_run_before(card, pane->session)};
    if (!pane->shows) pane->theory = pane->session->view->theory;
    pane->shows = true;
    ns_session_show_theory(pane->session, card->theory);
    show_step(pane);
    if (card->page) g_signal_emit_by_name(pane, "page", card->page);
    const char *highlight = card->highlight ? card->highlight : "";
    g_signal_emit_by_name(pane, "chart", card->chart ? card->chart : highlight, card->fit_all);
    set_watch(pane, true);
    look(pane);
}

/* Theory lines that cards showed or hid are again as the user had them. */
static void return_theory(NsLearnPane *pane)
{
    if (pane->shows) ns_session_show_theory(pane->session, pane->theory);
    pane->shows = false;
}

/* ---- The list ---- */

static void show_list(NsLearnPane *pane)
{
    return_theory(pane);
    g_autofree char *resume =
        pane->lesson ? g_strdup_printf(_("Continue with “%s”"), _(pane->lesson->title)) : NULL;
    pane->in_list = true;
    set_watch(pane, false);
    cover(pane, true);
    gtk_box_append(GTK_BOX(new_box(pane)), ns_learn_list_new(resume, pane->lectures));
    gtk_widget_set_hexpand(pane->box, TRUE);
    g_signal_emit_by_name(pane, "point-out", "");
}

static void on_begin(GtkWidget *widget, const char *name, GVariant *place)
{
    (void)name;
    size_t i = g_variant_get_uint32(place);
    g_autoptr(GError) error = NULL;
    NsLesson *lesson = ns_lesson_open(i, &error);
    if (lesson)
        ns_learn_pane_begin(NS_LEARN_PANE(widget), lesson, ns_lesson_choice(i)->key);
    else
        ns_session_report(NS_LEARN_PANE(widget)->session, error->message);
}

static void on_resume(GtkWidget *widget, const char *name, GVariant *parameter)
{
    (void)name, (void)parameter;
    show_card(NS_LEARN_PANE(widget));
}

static void on_close(GtkWidget *widget, const char *name, GVariant *parameter)
{
    (void)name, (void)parameter;
    ns_learn_pane_close(NS_LEARN_PANE(widget));
}

static void on_preset(GtkWidget *widget, const char *name, GVariant *key)
{
    (void)name;
    ns_learn_pane_close(NS_LEARN_PANE(widget));
    gtk_widget_activate_action_variant(widget, "win.preset", key);
}

/* ---- From outside ---- */

bool ns_learn_pane_run(NsLearnPane *pane)
{
    const NsCard *card = ns_learn_pane_card(pane) >= 0 ? card_of(pane) : NULL;
    bool stops = card && ns_lesson_steps(pane->session) < card->run &&
                 ns_session_can_run(pane->session) && !pane->session->slow;
    if (stops) {
        run_to(pane, card->run);
        on_watch(pane);
    }
    return stops;
}

void ns_learn_pane_open(NsLearnPane *pane)
{
    gtk_widget_set_visible(GTK_WIDGET(pane), TRUE);
    show_list(pane);
}

void ns_learn_pane_close(NsLearnPane *pane)
{
    set_watch(pane, false);
    return_theory(pane);
    pane->run_to = 0;
    pane->last = 0;
    cover(pane, false);
    g_signal_emit_by_name(pane, "point-out", "");
    gtk_widget_set_visible(GTK_WIDGET(pane), FALSE);
    g_signal_emit_by_name(pane, "closed");
}

bool ns_learn_pane_is_open(NsLearnPane *pane)
{
    return gtk_widget_get_visible(GTK_WIDGET(pane));
}

bool ns_learn_pane_scroll(NsLearnPane *pane, guint keyval)
{
    return pane->box && gtk_widget_get_mapped(pane->box) && ns_scroll_by_key(pane->box, keyval);
}

void ns_learn_pane_begin(NsLearnPane *pane, NsLesson *lesson, const char *key)
{
    g_autofree char *copy = g_strdup(key);
    new_box(pane); /* it may still show the previous lesson */
    ns_lesson_free(pane->lesson);
    g_free(pane->key);
    pane->lesson = lesson;
    pane->key = g_steal_pointer(&copy);
    pane->at = pane->last = pane->seen = 0;
    pane->in_list = false; /* the list gives way to a page that is chosen */
    memset(pane->answers, 0, sizeof pane->answers);
    gtk_widget_set_visible(GTK_WIDGET(pane), TRUE);
    g_signal_emit_by_name(pane, "begun");
    g_signal_emit_by_name(pane, "page", "dashboard");
    g_signal_emit_by_name(pane, "chart", NS_LEARN_CHARTS, FALSE);
    turn_card(pane, 0);
    ns_session_leave_experiment(pane->session);
}

void ns_learn_pane_set_page(NsLearnPane *pane, const char *page)
{
    g_free(pane->page);
    pane->page = g_strdup(page);
    look(pane);
}

int ns_learn_pane_card(NsLearnPane *pane)
{
    return card_of(pane) && ns_learn_pane_is_open(pane) ? (int)pane->at : -1;
}

static void ns_learn_pane_dispose(GObject *object)
{
    NsLearnPane *pane = NS_LEARN_PANE(object);
    set_watch(pane, false);
    g_clear_pointer(&pane->box, gtk_widget_unparent);
    g_clear_pointer(&pane->prediction, gtk_widget_unparent);
    pane->next = NULL;
    g_clear_pointer(&pane->lesson, ns_lesson_free);
    g_clear_pointer(&pane->key, g_free);
    g_clear_pointer(&pane->page, g_free);
    G_OBJECT_CLASS(ns_learn_pane_parent_class)->dispose(object);
}

static void ns_learn_pane_class_init(NsLearnPaneClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->dispose = ns_learn_pane_dispose;
    gtk_widget_class_set_css_name(widget_class, "lesson");
    gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BOX_LAYOUT);
    gtk_widget_class_install_action(widget_class, NS_LEARN_BEGIN, "u", on_begin);
    gtk_widget_class_install_action(widget_class, NS_LEARN_RESUME, NULL, on_resume);
    gtk_widget_class_install_action(widget_class, NS_LEARN_PRESET, "s", on_preset);
    gtk_widget_class_install_action(widget_class, NS_LEARN_CLOSE, NULL, on_close);
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
    ns_signal_new(NS_TYPE_LEARN_PANE, "page", 1, G_TYPE_STRING);
    ns_signal_new(NS_TYPE_LEARN_PANE, "chart", 2, G_TYPE_STRING, G_TYPE_BOOLEAN);
    ns_signal_new(NS_TYPE_LEARN_PANE, "cover", 1, G_TYPE_BOOLEAN);
    ns_signal_new(NS_TYPE_LEARN_PANE, "point-out", 1, G_TYPE_STRING);
    ns_signal_new(NS_TYPE_LEARN_PANE, "begun", 0);
    ns_signal_new(NS_TYPE_LEARN_PANE, "closed", 0);
}

static void ns_learn_pane_init(NsLearnPane *pane)
{
    /* Keys that work with any focus. */
    GtkEventController *keys = gtk_shortcut_controller_new();
    gtk_shortcut_controller_set_scope(GTK_SHORTCUT_CONTROLLER(keys), GTK_SHORTCUT_SCOPE_GLOBAL);
    add_key(keys, GDK_KEY_Right);
    add_key(keys, GDK_KEY_Left);
    gtk_widget_add_controller(GTK_WIDGET(pane), keys);
    gtk_widget_set_visible(GTK_WIDGET(pane), FALSE);
    gtk_box_layout_set_spacing(GTK_BOX_LAYOUT(gtk_widget_get_layout_manager(GTK_WIDGET(pane))),
                               GAP);
    ns_accessible_name(GTK_WIDGET(pane), _("Lessons"));
}

GtkWidget *ns_learn_pane_new(NsSession *session, GMenuModel *lectures)
{
    NsLearnPane *pane = g_object_new(NS_TYPE_LEARN_PANE, NULL);
    pane->session = ns_session_hold(session, pane);
    pane->lectures = lectures;
    return GTK_WIDGET(pane);
}
