/* A line for each lane with what its model writes after a prompt, and questions to the models.
 * SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/continuation_lines.h"
#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/session/session.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"

#include <gtk/gtk.h>
#include <math.h>
#include <string.h>

#define CHARS 36  /* of the field */
#define BAR 72    /* pixels: the width of a probability of 1 */
#define COLUMNS 3 /* of a lane: token, bar, percent */

static const char QUESTION[] = "ns-question";

typedef struct {
    NsSession *session;
    GtkWidget *entry, *head, *hint, *grid;
    GtkWidget *name[NS_LANES_MAX], *cell[NS_LANES_MAX][NS_NEXT_TOKENS][COLUMNS];
    bool asking, again; /* ask again, because the text was changed meanwhile */
} Question;

static void show_answer(Question *q, const NsAnswer *answer)
{
    const NsView *view = q->session->view;
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) {
        bool there = answer && lane < answer->lanes && answer->n[lane] > 0;
        gtk_widget_set_visible(q->name[lane], there && answer->lanes > 1);
        if (there && lane < view->started.n)
            ns_text_label_set(q->name[lane], ns_view_lane_name(view, lane));
        for (size_t row = 0; row < NS_NEXT_TOKENS; row++) {
            GtkWidget **cell = q->cell[lane][row];
            bool shown = there && row < answer->n[lane];
            for (size_t i = 0; i < COLUMNS; i++) gtk_widget_set_visible(cell[i], shown);
            if (!shown) continue;
            const NsNextToken *token = &answer->next[lane][row];
            double percent = 100 * token->probability;
            g_autofree char *words =
                g_strdup_printf(percent < 9.95 ? "%.1f %%" : "%.0f %%", percent);
            ns_text_label_set(cell[0], token->text);
            gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(cell[1]), token->probability);
            ns_text_label_set(cell[2], words);
        }
    }
}

static void ask(GtkWidget *popover);

static void on_answer(GObject *session, GAsyncResult *result, gpointer data)
{
    (void)session;
    g_autoptr(GtkWidget) popover = data;
    Question *q = g_object_get_data(G_OBJECT(popover), QUESTION);
    g_autoptr(GError) error = NULL;
    g_autofree NsAnswer *answer = g_task_propagate_pointer(G_TASK(result), &error);
    q->asking = false;
    if (!gtk_widget_get_parent(popover)) return; /* the popover has closed */
    show_answer(q, answer);
    gtk_widget_set_visible(q->hint, error != NULL);
    if (error) ns_text_label_set(q->hint, error->message);
    g_autofree char *digits = answer ? ns_group_digits(answer->step) : NULL;
    g_autofree char *words =
        answer ? g_strdup_printf(_("Next token, with the weights of step %s"), digits) : NULL;
    ns_text_label_set(q->head, words ? words : "");
    if (q->again) ask(popover);
}

static void ask(GtkWidget *popover)
{
    Question *q = g_object_get_data(G_OBJECT(popover), QUESTION);
    q->again = q->asking;
    if (q->asking) return;
    q->asking = true;
    ns_session_ask(q->session, gtk_editable_get_text(GTK_EDITABLE(q->entry)), on_answer,
                   g_object_ref(popover));
}

static void make_lane(Question *q, size_t lane)
{
    int left = (int)lane * COLUMNS;
    q->name[lane] = ns_line_label_new("", "heading");
    gtk_grid_attach(GTK_GRID(q->grid), q->name[lane], left, 0, COLUMNS, 1);
    for (int row = 0; row < NS_NEXT_TOKENS; row++) {
        GtkWidget **cell = q->cell[lane][row];
        cell[0] = gtk_label_new(NULL);
        cell[1] = gtk_progress_bar_new();
        cell[2] = gtk_label_new(NULL);
        gtk_widget_add_css_class(cell[0], "token");
        gtk_widget_add_css_class(cell[2], "numeric");
        gtk_label_set_xalign(GTK_LABEL(cell[0]), 1.0F);
        gtk_label_set_xalign(GTK_LABEL(cell[2]), 1.0F);
        gtk_widget_set_valign(cell[1], GTK_ALIGN_CENTER);
        gtk_widget_set_size_request(cell[1], BAR, -1);
        if (lane > 0) gtk_widget_set_margin_start(cell[0], 18);
        for (int i = 0; i < COLUMNS; i++)
            gtk_grid_attach(GTK_GRID(q->grid), cell[i], left + i, row + 1, 1, 1);
    }
}

static void make_popover(GtkMenuButton *button, gpointer session)
{
    Question *q = g_new0(Question, 1);
    GtkWidget *popover = gtk_popover_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    g_object_set_data_full(G_OBJECT(popover), QUESTION, q, g_free);
    q->session = session;
    q->entry = gtk_entry_new();
    q->head = ns_line_label_new("", "hint");
    q->hint = ns_text_label_new(NULL, "error");
    q->grid = ns_grid_new(2, 6);
    gtk_widget_add_css_class(box, "ask");
    /* Begins with the prompt that the run continues. */
    const NsHistory *history = q->session->view->histories[0];
    size_t n = history ? ns_history_continuations(history) : 0;
    gtk_editable_set_text(GTK_EDITABLE(q->entry),
                          n > 0 ? ns_history_continuation(history, n - 1)->prompt : "");
    gtk_editable_set_width_chars(GTK_EDITABLE(q->entry), CHARS);
    ns_accessible_name(q->entry, _("Text to continue"));
    gtk_label_set_max_width_chars(GTK_LABEL(q->hint), CHARS);
    gtk_widget_set_visible(q->hint, FALSE);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) make_lane(q, lane);
    show_answer(q, NULL);
    ns_box_append(box, q->entry, q->head, q->hint, q->grid, NULL);
    gtk_popover_set_child(GTK_POPOVER(popover), box);
    ns_connect(q->entry, "changed", G_CALLBACK(ask), popover);
    gtk_menu_button_set_popover(button, popover);
    ask(popover);
}

#define MARGIN 10
#define BELOW 6
#define PROMPT_CHARACTERS 10 /* of the end of a prompt: its last word, as a rule */
#define LANE_SHARE 0.65      /* of the lane's color in the color of its text, for the contrast */

static const char SESSION[] = "ns-session", STEP[] = "ns-step";

/* A text on one line as markup; free with g_free. */
static char *one_line(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autofree char *joined = g_strjoinv("↵", lines);
    return g_markup_escape_text(joined, -1);
}

static unsigned channel(double lane, double text)
{
    return (unsigned)lround(255 * (LANE_SHARE * lane + (1 - LANE_SHARE) * text));
}

bool ns_continuation_lines_update(GtkWidget *lines)
{
    NsSession *session = g_object_get_data(G_OBJECT(lines), SESSION);
    GtkWidget *step = g_object_get_data(G_OBJECT(lines), STEP);
    const NsView *view = session->view;
    const NsStyle *style = ns_chart_style_for(lines);
    int64_t shown = ns_session_shown_step(session), at = -1;
    GtkWidget *line = gtk_widget_get_first_child(gtk_widget_get_first_child(lines));
    for (size_t i = 0; i < NS_LANES_MAX; i++, line = gtk_widget_get_next_sibling(line)) {
        const NsHistory *history = i < view->started.n ? view->histories[i] : NULL;
        const NsContinuation *continuation =
            history ? ns_history_continuation_at(history, shown) : NULL;
        gtk_widget_set_visible(line, continuation != NULL);
        if (!continuation) continue;
        at = MAX(at, continuation->step);
        const char *name = view->started.n > 1 ? ns_view_lane_name(view, i) : "";
        const NsColor *of = &style->series[i % NS_SERIES_STYLES].color, *text = &style->text;
        glong length = g_utf8_strlen(continuation->prompt, -1);
        const char *prompt =
            g_utf8_offset_to_pointer(continuation->prompt, MAX(length - PROMPT_CHARACTERS, 0));
        const char *space = prompt > continuation->prompt ? strchr(prompt, ' ') : NULL;
        if (space && space[1]) prompt = space + 1;
        g_autofree char *before = one_line(prompt), *after = one_line(continuation->text);
        g_autofree char *escaped = g_markup_escape_text(name, -1);
        g_autofree char *markup = g_strdup_printf(
            "<span color='#%02x%02x%02x'><b>%s</b>%s<span fgalpha='65%%'>%s%s</span>"
            "%s</span>",
            channel(of->r, text->r), channel(of->g, text->g), channel(of->b, text->b), escaped,
            *name ? "  " : "", prompt > continuation->prompt ? "…" : "", before, after);
        if (!g_str_equal(gtk_label_get_label(GTK_LABEL(line)), markup))
            gtk_label_set_markup(GTK_LABEL(line), markup);
    }
    if (at < 0) return false;
    g_autofree char *digits = ns_group_digits(at);
    g_autofree char *words = g_strdup_printf(_("Text at step %s"), digits);
    ns_text_label_set(step, words);
    return true;
}

GtkWidget *ns_continuation_lines_new(NsSession *session)
{
    GtkWidget *lines = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, MARGIN);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), *step = gtk_label_new(NULL);
    GtkWidget *end = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_widget_add_css_class(lines, "continuations");
    gtk_widget_set_tooltip_text(
        lines, _("How each model continues the faint text (the setting “Prompt”)"));
    gtk_widget_set_hexpand(box, TRUE);
    gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        GtkWidget *line = ns_line_label_new("", NULL);
        gtk_widget_set_visible(line, FALSE);
        gtk_box_append(GTK_BOX(box), line);
    }
    gtk_widget_add_css_class(step, "hint");
    gtk_widget_add_css_class(step, "numeric");
    gtk_label_set_xalign(GTK_LABEL(step), 1.0F);
    /* A button that opens a field for a text and, below it, the most probable next tokens of every
     * lane side by side, by the models of the step on view. */
    GtkWidget *button = gtk_menu_button_new();
    gtk_menu_button_set_label(GTK_MENU_BUTTON(button), _("Next token…"));
    gtk_widget_add_css_class(button, "ask-models");
    gtk_widget_set_halign(button, GTK_ALIGN_END);
    gtk_menu_button_set_has_frame(GTK_MENU_BUTTON(button), FALSE);
    ns_accessible_tooltip(button, _("Type a text and see which token each model expects next"));
    gtk_menu_button_set_create_popup_func(GTK_MENU_BUTTON(button), make_popover, session, NULL);
    ns_box_append(end, step, button, NULL);
    gtk_widget_set_valign(end, GTK_ALIGN_CENTER);
    ns_box_append(lines, box, end, NULL);
    gtk_widget_set_margin_start(lines, MARGIN);
    gtk_widget_set_margin_end(lines, MARGIN);
    gtk_widget_set_margin_bottom(lines, BELOW);
    g_object_set_data(G_OBJECT(lines), SESSION, session);
    g_object_set_data(G_OBJECT(lines), STEP, step);
    return lines;
}
