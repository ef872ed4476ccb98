/* SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/continuation_lines.h"

#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/widgets/charts/next_tokens.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"

#include <math.h>
#include <string.h>

#define MARGIN 10
#define BELOW 6
#define PROMPT_CHARACTERS 40 /* of the end of a prompt */
#define LANE_SHARE 0.65      /* of the color of the lane in that of the text, for its contrast */

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
    g_autofree char *words = g_strdup_printf(_("Step %s"), digits);
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
        lines, _("How each model continues the faint text (settings: Run, Prompt)"));
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
    gtk_box_append(GTK_BOX(end), step);
    gtk_box_append(GTK_BOX(end), ns_next_tokens_button_new(session));
    gtk_widget_set_valign(end, GTK_ALIGN_CENTER);
    gtk_box_append(GTK_BOX(lines), box);
    gtk_box_append(GTK_BOX(lines), end);
    gtk_widget_set_margin_start(lines, MARGIN);
    gtk_widget_set_margin_end(lines, MARGIN);
    gtk_widget_set_margin_bottom(lines, BELOW);
    g_object_set_data(G_OBJECT(lines), SESSION, session);
    g_object_set_data(G_OBJECT(lines), STEP, step);
    return lines;
}
