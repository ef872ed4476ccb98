/* A panel about a spike or divergence, and remedies.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/trouble_panel.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/helpers.h"

#define TITLE_CHARS 20
#define NARROW_CHARS 11 /* on a thumbnail */
#define NARROW_TITLE 9  /* beside the arrow and the sign */
#define MARGINS 14      /* pixels, which are part of the requested size */

struct _NsTroublePanel {
    GtkBox parent;
    NsSession *session;
    GtkWidget *expander, *scrolled, *content;
    GtkWidget *title, *sentence, *details, *advice;
    GtkWidget *remedies[NS_REMEDIES], *fork, *go_on;
    NsTrouble shown; /* its event is NULL if there is none */
    NsTroublePlace place;
};

G_DEFINE_FINAL_TYPE(NsTroublePanel, ns_trouble_panel, GTK_TYPE_BOX)

static char *title_of(NsSession *session, const NsTrouble *trouble)
{
    g_autofree char *step = ns_group_digits(trouble->step);
    const char *lane = ns_lane_letter((size_t)trouble->lane);
    bool several = session->experiment.n > 1;
    if (trouble->first && several) return g_strdup_printf(_("%s diverged before any update"), lane);
    if (trouble->first) return g_strdup(_("Diverged before any update"));
    if (several)
        return g_strdup_printf(
            trouble->spike ? _("Spike in %s at step %s") : _("%s diverged at step %s"), lane, step);
    return g_strdup_printf(trouble->spike ? _("Spike at step %s") : _("Diverged at step %s"), step);
}

/* "The loss is not finite", or "Seed 3 of 5 of A: the loss is ..." where there are several: the
 * title says "Diverged at step 3: " of a divergence already. */
static char *sentence_of(NsSession *session, const NsTrouble *trouble)
{
    NsHistory *history = session->view->histories[trouble->lane];
    size_t seeds = history ? ns_history_seeds(history) : 1;
    const char *text = trouble->event->text, *colon = strstr(text, ": "), *cause = text;
    if (!colon) colon = strstr(text, "：");
    if (trouble->event->kind == NS_EVENT_DIVERGED && colon)
        cause = *colon == ':' ? colon + 2 : g_utf8_next_char(colon);
    if (seeds < 2) {
        char first[8] = "";
        g_unichar_to_utf8(g_unichar_toupper(g_utf8_get_char(cause)), first);
        return g_strconcat(first, g_utf8_next_char(cause), NULL);
    }
    if (session->experiment.n < 2)
        return g_strdup_printf(_("Seed %d of %zu: %s"), trouble->seed + 1, seeds, cause);
    return g_strdup_printf(_("Seed %d of %zu of %s: %s"), trouble->seed + 1, seeds,
                           ns_lane_letter((size_t)trouble->lane), cause);
}

static const char *advice_on(const NsTrouble *trouble)
{
    if (trouble->first)
        return _(
            "No weight has been updated yet, so the learning rate, the warm-up and clipping play "
            "no role: activations grow from layer to layer until one overflows single precision. "
            "Norms inside the branches, smaller initial weights or fewer layers keep them small.");
    if (trouble->huge)
        return _("The squares of the first gradients overflow single precision, so the learning "
                 "rate and the warm-up play no role. Norms inside the branches, smaller initial "
                 "weights or fewer layers keep them small.");
    if (trouble->spike)
        return _("One update was too large. A lower learning rate, a longer warm-up or clipped "
                 "gradients keep updates small.");
    return _(
        "Updates that are too large let weights grow until a value overflows single "
        "precision; the values that are not finite then spread, and no later step can undo this. "
        "Go back to an earlier step and change one thing.");
}

/* The lane that would be trained as the one in trouble if that had the remedy; none: -1. */
static int twin_of(NsTroublePanel *panel, const NsRemedy *remedy)
{
    const NsExperiment *experiment = &panel->session->experiment;
    int twin = -1;
    g_auto(NsSettings) cured;
    ns_settings_copy(&cured, &experiment->lane[panel->shown.lane]);
    ns_settings_set(&cured, remedy->key, remedy->value, NULL);
    for (int lane = 0; lane < (int)experiment->n; lane++) {
        bool same = lane != panel->shown.lane;
        for (size_t i = 0; same && ns_param(i); i++)
            same = ns_settings_same(&cured, &experiment->lane[lane], ns_param(i));
        if (same) twin = lane;
    }
    return twin;
}

/* "Learning rate 0.0003: loss 2.31 at step 140" */
static char *remedy_words(const NsRemedy *remedy)
{
    const NsParam *param = ns_param_find(remedy->key);
    g_autofree char *loss = ns_text_value(remedy->loss, 3);
    g_autofree char *step = ns_group_digits(remedy->step);
    g_autofree char *number = param->type == NS_PARAM_INT
                                  ? ns_group_digits(g_ascii_strtoll(remedy->value, NULL, 10))
                                  : g_strdup(remedy->value);
    if (param->type == NS_PARAM_CHOICE) {
        const NsChoice *choice =
            param->choices((size_t)ns_choices_find(param->choices, remedy->value));
        if (!g_str_equal(remedy->key, "placement"))
            return g_strdup_printf(_("%s %s: loss %s at step %s"), _(param->label),
                                   _(choice->label), loss, step);
        return g_strdup_printf(_("%s: loss %s at step %s"), _(choice->label), loss, step);
    }
    return g_strdup_printf(_("%s %s: loss %s at step %s"), _(param->label), number, loss, step);
}

/* Shows the remedies that helped in their trials, and how far the trials have come. */
static void sync_remedies(NsTroublePanel *panel)
{
    size_t n, helps = 0, tried = 0;
    int64_t from;
    const NsRemedy *remedies = ns_session_remedies(panel->session, &n, &from);
    for (size_t i = 0; i < NS_REMEDIES; i++) {
        bool help = i < n && remedies[i].state == NS_REMEDY_HELPS;
        gtk_widget_set_visible(gtk_widget_get_parent(panel->remedies[i]), help);
        tried += i < n && remedies[i].state > NS_REMEDY_IN_TRIAL;
        helps += help;
        if (!help) continue;
        g_autofree char *words = remedy_words(&remedies[i]);
        int twin = twin_of(panel, &remedies[i]);
        g_autofree char *same = twin < 0 ? NULL
                                         : g_strdup_printf(_("%s (then the same as %s)"), words,
                                                           ns_lane_letter((size_t)twin));
        gtk_button_set_label(GTK_BUTTON(panel->remedies[i]), same ? same : words);
        gtk_label_set_wrap(GTK_LABEL(gtk_button_get_child(GTK_BUTTON(panel->remedies[i]))), TRUE);
    }
    g_autofree char *step = ns_group_digits(from);
    g_autofree char *words =
        tried < n ? g_strdup_printf(_("Trying change %zu of %zu…"), tried + 1, n)
        : helps && panel->shown.first ? g_strdup(_("Restart with:"))
        : helps  ? g_strdup_printf(_("Go back to step %s and train with:"), step)
        : n == 1 ? g_strdup_printf(_("The change tried from step %s does not help: the run "
                                     "diverges, jumps or stays far above a uniform guess."),
                                   step)
                 : g_strdup_printf(_("None of the %zu changes tried from step %s helps: the run "
                                     "diverges, jumps or stays far above a uniform guess."),
                                   n, step);
    gtk_label_set_text(GTK_LABEL(panel->fork), words);
    gtk_widget_set_visible(panel->fork, n > 0);
    bool can = ns_session_can_run(panel->session);
    g_autofree char *without =
        can && !panel->shown.spike
            ? g_strdup_printf(_("Continue without %s"), ns_lane_letter((size_t)panel->shown.lane))
            : g_strdup(can ? _("Continue") : _("Dismiss"));
    gtk_button_set_label(GTK_BUTTON(panel->go_on), without);
    gtk_label_set_wrap(GTK_LABEL(gtk_button_get_child(GTK_BUTTON(panel->go_on))), TRUE);
}

bool ns_trouble_panel_sync(NsTroublePanel *panel)
{
    NsTrouble trouble;
    bool left = panel->session->wants_run || panel->session->state == NS_TRAINER_PREPARING;
    bool any = ns_session_trouble(panel->session, &trouble) && !left;
    ns_hide(GTK_WIDGET(panel), NS_HIDDEN_USELESS, !any);
    if (!any) {
        bool had = panel->shown.event;
        panel->shown = (NsTrouble){0};
        if (had) g_signal_emit_by_name(panel, "folded");
        return false;
    }
    bool news = panel->shown.event != trouble.event;
    if (news) {
        g_autofree char *title = title_of(panel->session, &trouble);
        gtk_label_set_text(GTK_LABEL(panel->title), title);
        g_autofree char *sentence = sentence_of(panel->session, &trouble);
        ns_sentences_set(panel->sentence, panel->details, sentence);
        gtk_label_set_text(GTK_LABEL(panel->advice),
                           trouble.forward ? trouble.forward->text : advice_on(&trouble));
    }
    panel->shown = trouble;
    sync_remedies(panel);
    return news;
}

const char *ns_trouble_panel_title(NsTroublePanel *panel)
{
    return panel->shown.event ? gtk_label_get_text(GTK_LABEL(panel->title)) : NULL;
}

int ns_trouble_panel_band(NsTroublePanel *panel, int width, int most)
{
    GtkWidget *widget = GTK_WIDGET(panel);
    GtkScrolledWindow *scrolled = GTK_SCROLLED_WINDOW(panel->scrolled);
    bool side = panel->place == NS_TROUBLE_ON_INSPECTOR;
    bool open = panel->place != NS_TROUBLE_ON_THUMBNAILS && !ns_trouble_panel_is_folded(panel);
    bool below = open && !side;
    int least, content, whole;
    if (side) gtk_widget_set_size_request(widget, width, -1);
    gtk_widget_set_halign(widget, below ? GTK_ALIGN_FILL : GTK_ALIGN_END);
    gtk_scrolled_window_set_min_content_height(scrolled, -1);
    gtk_scrolled_window_set_max_content_height(scrolled, -1);
    if (!gtk_widget_get_visible(widget) || !(open || side)) return 0;
    if (open) {
        /* A scrolled window does not wrap its content to a width when it is measured. */
        gtk_widget_measure(panel->content, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL,
                           NULL);
        gtk_widget_measure(panel->content, GTK_ORIENTATION_VERTICAL,
                           MAX(width - 2 * MARGINS, least), NULL, &content, NULL, NULL);
        /* Content that is higher scrolls. */
        content = MAX(MIN(content, most), 1);
        gtk_scrolled_window_set_max_content_height(scrolled, content);
        gtk_scrolled_window_set_min_content_height(scrolled, content);
    }
    gtk_widget_measure(widget, GTK_ORIENTATION_VERTICAL, -1, NULL, &whole, NULL, NULL);
    return whole;
}

void ns_trouble_panel_set_place(NsTroublePanel *panel, NsTroublePlace place, int width)
{
    GtkWidget *details = gtk_expander_get_child(GTK_EXPANDER(panel->details));
    GtkWidget *labels[] = {panel->sentence, details, panel->advice, panel->fork};
    PangoContext *context = gtk_widget_get_pango_context(panel->sentence);
    PangoFontMetrics *metrics = pango_context_get_metrics(context, NULL, NULL);
    /* The height of a label is that of its text at this number of characters. */
    int one = PANGO_PIXELS_CEIL(MAX(pango_font_metrics_get_approximate_char_width(metrics),
                                    pango_font_metrics_get_approximate_digit_width(metrics)));
    pango_font_metrics_unref(metrics);
    bool column = place == NS_TROUBLE_ON_THUMBNAILS, below = place == NS_TROUBLE_BELOW;
    int chars = column ? MAX((width - 2 * MARGINS) / MAX(one, 1), NARROW_CHARS) : -1;
    for (size_t i = 0; i < G_N_ELEMENTS(labels); i++)
        gtk_label_set_max_width_chars(GTK_LABEL(labels[i]), chars);
    gtk_label_set_max_width_chars(GTK_LABEL(panel->title), column  ? NARROW_TITLE
                                                           : below ? -1
                                                                   : TITLE_CHARS);
    ns_set_css_class(GTK_WIDGET(panel), "narrow", column);
    gtk_widget_set_size_request(GTK_WIDGET(panel), column ? width + MARGINS : -1, -1);
    gtk_widget_set_halign(GTK_WIDGET(panel), GTK_ALIGN_END);
    panel->place = place;
}

void ns_trouble_panel_set_folded(NsTroublePanel *panel, bool folded)
{
    gtk_expander_set_expanded(GTK_EXPANDER(panel->expander), !folded);
}

bool ns_trouble_panel_is_folded(NsTroublePanel *panel)
{
    return !gtk_expander_get_expanded(GTK_EXPANDER(panel->expander));
}

static void on_remedy(GtkWidget *button, NsTroublePanel *panel)
{
    size_t n;
    int64_t from;
    const NsRemedy *remedies = ns_session_remedies(panel->session, &n, &from);
    for (size_t i = 0; i < n; i++) {
        if (panel->remedies[i] != button) continue;
        NsRemedy remedy = remedies[i]; /* copied, because it is freed when the run starts */
        ns_session_remedy(panel->session, (size_t)panel->shown.lane, remedy.key, remedy.value);
        return;
    }
}

static void on_go_on(NsTroublePanel *panel)
{
    bool run = ns_session_can_run(panel->session);
    ns_session_dismiss_trouble(panel->session);
    if (run) ns_session_run(panel->session);
}

/* The buttons, in as many rows as they need. */
static GtkWidget *new_buttons(NsTroublePanel *panel)
{
    GtkWidget *flow = g_object_new(GTK_TYPE_FLOW_BOX, "selection-mode", GTK_SELECTION_NONE,
                                   "max-children-per-line", NS_REMEDIES + 1, "column-spacing", 6,
                                   "row-spacing", 6, NULL);
    for (size_t i = 0; i < NS_REMEDIES; i++) {
        panel->remedies[i] = gtk_button_new_with_label("");
        gtk_accessible_update_relation(GTK_ACCESSIBLE(panel->remedies[i]),
                                       GTK_ACCESSIBLE_RELATION_DESCRIBED_BY, panel->fork, NULL, -1);
        g_signal_connect(panel->remedies[i], "clicked", G_CALLBACK(on_remedy), panel);
        gtk_flow_box_insert(GTK_FLOW_BOX(flow), panel->remedies[i], -1);
    }
    panel->go_on = ns_button_new("", NULL, G_CALLBACK(on_go_on), panel);
    gtk_flow_box_insert(GTK_FLOW_BOX(flow), panel->go_on, -1);
    for (GtkWidget *child = gtk_widget_get_first_child(flow); child;
         child = gtk_widget_get_next_sibling(child))
        gtk_widget_set_focusable(child, FALSE);
    return flow;
}

static void ns_trouble_panel_class_init(NsTroublePanelClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    gtk_widget_class_set_css_name(widget_class, "trouble");
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
    ns_signal_new(NS_TYPE_TROUBLE_PANEL, "folded", 0);
}

static void on_folded(NsTroublePanel *panel)
{
    g_signal_emit_by_name(panel, "folded");
}

static void ns_trouble_panel_init(NsTroublePanel *panel)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    panel->content = box;
    panel->scrolled = ns_scrolled_new(box);
    gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(panel->scrolled), TRUE);
    panel->sentence = ns_text_label_new(NULL, "sentence");
    panel->details = ns_details_new();
    g_signal_connect_swapped(panel->details, "notify::expanded", G_CALLBACK(on_folded), panel);
    panel->advice = ns_text_label_new(NULL, "advice");
    panel->fork = ns_text_label_new(NULL, "fork");
    ns_box_append(box, panel->sentence, panel->details, panel->advice, panel->fork,
                  new_buttons(panel), NULL);
    panel->expander = gtk_expander_new(NULL);
    GtkWidget *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    panel->title = ns_text_label_new(NULL, "title");
    gtk_label_set_max_width_chars(GTK_LABEL(panel->title), TITLE_CHARS);
    ns_box_append(head, gtk_image_new_from_icon_name("dialog-warning-symbolic"), panel->title,
                  NULL);
    gtk_expander_set_label_widget(GTK_EXPANDER(panel->expander), head);
    gtk_expander_set_child(GTK_EXPANDER(panel->expander), panel->scrolled);
    g_signal_connect_swapped(panel->expander, "notify::expanded", G_CALLBACK(on_folded), panel);
    gtk_box_append(GTK_BOX(panel), panel->expander);
    gtk_widget_set_halign(GTK_WIDGET(panel), GTK_ALIGN_END);
    gtk_widget_set_valign(GTK_WIDGET(panel), GTK_ALIGN_END);
    ns_hide(GTK_WIDGET(panel), NS_HIDDEN_USELESS, true);
}

GtkWidget *ns_trouble_panel_new(NsSession *session)
{
    NsTroublePanel *panel =
        g_object_new(NS_TYPE_TROUBLE_PANEL, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
    panel->session = ns_session_hold(session, panel);
    ns_trouble_panel_sync(panel);
    return GTK_WIDGET(panel);
}
