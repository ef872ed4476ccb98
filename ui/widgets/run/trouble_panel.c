/* What went wrong, and what may help.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/trouble_panel.h"

#include "core/base/words.h"
#include "core/model/placement.h"
#include "ui/widgets/common/hiding.h"
#include "ui/widgets/common/text_label.h"

#define STEPS_BEFORE 50
#define CHARS 28 /* of a line: as wide as the inspector, which it lies on */
#define TITLE_CHARS 20

typedef enum {
    REMEDY_RATE,
    REMEDY_WARMUP,
    REMEDY_CLIP,
    REMEDY_PLACEMENT,
    REMEDY_SCALE,
    N_REMEDIES
} Remedy;

static const char *const KEYS[N_REMEDIES] = {"lr", "warmup", "clip", "placement", "init-scale"};

struct _NsTroublePanel {
    GtkBox parent;
    NsSession *session;
    GtkWidget *expander, *chart;
    GtkWidget *title, *sentence, *advice;
    GtkWidget *remedies[N_REMEDIES], *fork, *go_on;
    char *values[N_REMEDIES];
    NsTrouble shown; /* without an event: none */
};

G_DEFINE_FINAL_TYPE(NsTroublePanel, ns_trouble_panel, GTK_TYPE_BOX)

static char *title_of(NsSession *session, const NsTrouble *trouble)
{
    g_autofree char *step = ns_group_digits(trouble->step);
    const char *lane = ns_lane_letter((size_t)trouble->lane);
    bool several = ns_session_lanes(session) > 1;
    if (trouble->first && several) return g_strdup_printf(_("%s diverged before any update"), lane);
    if (trouble->first) return g_strdup(_("Diverged before any update"));
    if (several)
        return g_strdup_printf(
            trouble->spike ? _("Spike in %s at step %s") : _("%s diverged at step %s"), lane, step);
    return g_strdup_printf(trouble->spike ? _("Spike at step %s") : _("Diverged at step %s"), step);
}

/* "Seed 3 of 5 of A: Diverged at ...", where there are several. */
static char *sentence_of(NsSession *session, const NsTrouble *trouble)
{
    NsHistory *history = ns_session_view(session)->histories[trouble->lane];
    size_t seeds = history ? ns_history_seeds(history) : 1;
    if (seeds < 2) return g_strdup(trouble->event->text);
    if (ns_session_lanes(session) < 2)
        return g_strdup_printf(_("Seed %d of %zu: %s"), trouble->seed + 1, seeds,
                               trouble->event->text);
    return g_strdup_printf(_("Seed %d of %zu of %s: %s"), trouble->seed + 1, seeds,
                           ns_lane_letter((size_t)trouble->lane), trouble->event->text);
}

static const char *advice_on(const NsTrouble *trouble)
{
    if (trouble->first)
        return _(
            "No weight has been updated yet, so the learning rate, the warm-up and clipping play "
            "no role: activations grow from layer to layer until one overflows single precision.  "
            "Norms inside the branches, smaller initial weights or fewer layers keep them small.");
    if (trouble->huge)
        return _("The squares of the first gradients overflow single precision, so the learning "
                 "rate and the warm-up play no role.  Norms inside the branches, smaller initial "
                 "weights, fewer layers or clipped gradients keep them small.");
    if (trouble->spike)
        return _("One update was too large.  A lower learning rate, a longer warm-up or clipped "
                 "gradients keep updates small.");
    return _(
        "Updates that are too large let weights grow until a value overflows single "
        "precision; the values that are not finite then spread, and no later step can undo this.  "
        "Go back to an earlier step and change one thing.");
}

/* A warm-up ten times as long, and long enough to matter at the step of the trouble. */
static int64_t longer_warmup(const NsSettings *settings, int64_t step)
{
    int64_t warmup = settings->warmup * 10;
    while (warmup <= step) warmup *= 10;
    return warmup;
}

static void set_remedy(NsTroublePanel *panel, Remedy remedy, bool offer, char *value, char *words)
{
    g_free(panel->values[remedy]);
    panel->values[remedy] = value;
    gtk_button_set_label(GTK_BUTTON(panel->remedies[remedy]), words);
    gtk_widget_set_visible(gtk_widget_get_parent(panel->remedies[remedy]), offer);
    g_free(words);
}

static void offer_remedies(NsTroublePanel *panel, const NsTrouble *trouble)
{
    const NsSettings *settings = ns_session_lane_settings(panel->session, (size_t)trouble->lane);
    bool can = ns_session_can_remedy(panel->session), updates = can && !trouble->first;
    int pre = ns_choices_find(ns_placement_choice, "pre");
    const char *name = _(ns_placement_choice((size_t)pre)->label);
    int64_t warmup = longer_warmup(settings, trouble->step);
    g_autofree char *digits = ns_group_digits(warmup);
    char rate[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(rate, sizeof rate, "%.3g", settings->lr / 10.0);
    set_remedy(panel, REMEDY_RATE, updates && !trouble->huge, g_strdup(rate),
               g_strdup_printf(_("Learning rate %s"), rate));
    set_remedy(panel, REMEDY_WARMUP, updates && !trouble->huge,
               g_strdup_printf("%" G_GINT64_FORMAT, warmup),
               g_strdup_printf(_("Warm-up %s"), digits));
    set_remedy(panel, REMEDY_CLIP, updates && !(settings->clip > 0.0 && settings->clip <= 1.0),
               g_strdup("1"), g_strdup(_("Clipping at 1")));
    set_remedy(panel, REMEDY_PLACEMENT, can && (int)settings->placement != pre, g_strdup("pre"),
               g_strdup(name));
    set_remedy(panel, REMEDY_SCALE,
               can && (!updates || trouble->huge) && settings->init_scale > 1.0, g_strdup("1"),
               g_strdup(_("Initial scale 1")));
    bool any = false;
    for (size_t i = 0; i < N_REMEDIES; i++)
        any |= gtk_widget_get_visible(gtk_widget_get_parent(panel->remedies[i]));
    gtk_label_set_text(GTK_LABEL(panel->fork),
                       updates ? _("Fork from before it with") : _("Restart with"));
    gtk_widget_set_visible(panel->fork, any);
    gtk_button_set_label(GTK_BUTTON(panel->go_on),
                         ns_session_can_run(panel->session) ? _("Continue") : _("Close"));
}

typedef struct {
    const char *figure;
    NsQuantity quantity; /* of the curve over steps or layers */
} Evidence;

static bool is_of_state(const NsEvent *event)
{
    return g_str_equal(event->what, "hidden state") || g_str_equal(event->what, "embedding");
}

/* The curve that jumped; before any update, how it grows from layer to layer.  The norm of all
 * gradients together is no quantity of its own; it is made of those of the layers. */
static Evidence evidence_of(const NsTrouble *trouble)
{
    bool of_loss = g_str_equal(trouble->event->what, "loss");
    if (of_loss && !trouble->first) return (Evidence){.figure = "loss"};
    return (Evidence){trouble->first ? "profile" : "steps", of_loss || is_of_state(trouble->event)
                                                                ? NS_QUANTITY_HIDDEN_NORM
                                                                : NS_QUANTITY_GRAD_LAYER};
}

/* Shows the curve of the lane alone. */
static void show_chart(NsTroublePanel *panel, const NsTrouble *trouble)
{
    NsChartView *chart = NS_CHART_VIEW(panel->chart);
    Evidence evidence = evidence_of(trouble);
    const NsFigureKind *kind = ns_figure_find(evidence.figure);
    NsFigureInput input = ns_view_input(ns_session_view(panel->session));
    if (ns_chart_view_kind(chart) != kind) ns_chart_view_set_kind(chart, kind);
    input.quantity = evidence.quantity;
    if ((unsigned)trouble->lane >= MAX(input.n_lanes, 1u)) return;
    if (input.n_lanes > 0) {
        input.history = input.lanes[trouble->lane].history;
        input.settings = input.lanes[trouble->lane].settings;
    }
    input.n_lanes = 0;
    input.n_pinned = 0;
    input.previous = NULL;
    input.theory = false;
    input.step = -1;
    ns_chart_view_update(chart, &input);
    NsRange range = {(double)MAX(trouble->step - STEPS_BEFORE, 0), (double)trouble->step + 1.0};
    ns_view_state_fit(ns_chart_view_state(chart));
    if (!trouble->first)
        ns_view_state_set_range(ns_chart_view_state(chart), NS_VIEW_STATE_X, range);
    ns_chart_view_state_changed(chart);
    ns_chart_view_describe(chart);
}

bool ns_trouble_panel_sync(NsTroublePanel *panel)
{
    NsTrouble trouble;
    bool any =
        ns_session_trouble(panel->session, &trouble) && !ns_session_is_running(panel->session);
    ns_hide(GTK_WIDGET(panel), NS_HIDDEN_USELESS, !any);
    if (!any) {
        panel->shown = (NsTrouble){0};
        return false;
    }
    bool news = panel->shown.event != trouble.event;
    if (news) {
        g_autofree char *title = title_of(panel->session, &trouble);
        gtk_label_set_text(GTK_LABEL(panel->title), title);
        g_autofree char *sentence = sentence_of(panel->session, &trouble);
        ns_text_label_set_sentence(panel->sentence, sentence);
        gtk_label_set_text(GTK_LABEL(panel->advice), advice_on(&trouble));
        show_chart(panel, &trouble);
    }
    panel->shown = trouble;
    offer_remedies(panel, &trouble);
    return news;
}

void ns_trouble_panel_set_style(NsTroublePanel *panel, const NsStyle *style)
{
    ns_chart_view_set_style(NS_CHART_VIEW(panel->chart), style);
}

const char *ns_trouble_panel_title(NsTroublePanel *panel)
{
    return panel->shown.event ? gtk_label_get_text(GTK_LABEL(panel->title)) : NULL;
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
    for (size_t i = 0; i < N_REMEDIES; i++) {
        if (panel->remedies[i] != button) continue;
        g_autofree char *value = g_strdup(panel->values[i]);
        ns_session_remedy(panel->session, (size_t)panel->shown.lane, KEYS[i], value);
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
    GtkWidget *flow = gtk_flow_box_new();
    gtk_flow_box_set_selection_mode(GTK_FLOW_BOX(flow), GTK_SELECTION_NONE);
    gtk_flow_box_set_max_children_per_line(GTK_FLOW_BOX(flow), N_REMEDIES + 1);
    gtk_flow_box_set_column_spacing(GTK_FLOW_BOX(flow), 6);
    gtk_flow_box_set_row_spacing(GTK_FLOW_BOX(flow), 6);
    for (size_t i = 0; i < N_REMEDIES; i++) {
        panel->remedies[i] = gtk_button_new_with_label("");
        gtk_accessible_update_relation(GTK_ACCESSIBLE(panel->remedies[i]),
                                       GTK_ACCESSIBLE_RELATION_DESCRIBED_BY, panel->fork, NULL, -1);
        g_signal_connect(panel->remedies[i], "clicked", G_CALLBACK(on_remedy), panel);
        gtk_flow_box_insert(GTK_FLOW_BOX(flow), panel->remedies[i], -1);
    }
    panel->go_on = gtk_button_new_with_label("");
    g_signal_connect_swapped(panel->go_on, "clicked", G_CALLBACK(on_go_on), panel);
    gtk_flow_box_insert(GTK_FLOW_BOX(flow), panel->go_on, -1);
    for (GtkWidget *child = gtk_widget_get_first_child(flow); child;
         child = gtk_widget_get_next_sibling(child))
        gtk_widget_set_focusable(child, FALSE);
    return flow;
}

static void ns_trouble_panel_finalize(GObject *object)
{
    for (size_t i = 0; i < N_REMEDIES; i++) g_free(NS_TROUBLE_PANEL(object)->values[i]);
    G_OBJECT_CLASS(ns_trouble_panel_parent_class)->finalize(object);
}

static void ns_trouble_panel_class_init(NsTroublePanelClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->finalize = ns_trouble_panel_finalize;
    gtk_widget_class_set_css_name(widget_class, "trouble");
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
}

static GtkWidget *new_label(const char *css_class)
{
    GtkWidget *label = ns_text_label_new(NULL, css_class);
    gtk_label_set_width_chars(GTK_LABEL(label), CHARS);
    gtk_label_set_max_width_chars(GTK_LABEL(label), CHARS);
    return label;
}

static GtkWidget *new_head(NsTroublePanel *panel)
{
    GtkWidget *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    panel->title = ns_text_label_new(NULL, "title");
    gtk_label_set_max_width_chars(GTK_LABEL(panel->title), TITLE_CHARS);
    gtk_box_append(GTK_BOX(head), gtk_image_new_from_icon_name("dialog-warning-symbolic"));
    gtk_box_append(GTK_BOX(head), panel->title);
    return head;
}

static void ns_trouble_panel_init(NsTroublePanel *panel)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6), *room = gtk_scrolled_window_new();
    panel->sentence = new_label("sentence");
    panel->advice = new_label("advice");
    panel->fork = new_label("fork");
    panel->chart = ns_chart_view_new(ns_figure_find("loss"));
    ns_chart_view_set_bare(NS_CHART_VIEW(panel->chart));
    GtkWidget *const parts[] = {panel->sentence, panel->chart, panel->advice, panel->fork,
                                new_buttons(panel)};
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) gtk_box_append(GTK_BOX(box), parts[i]);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(room), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(room), TRUE);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(room), box);
    panel->expander = gtk_expander_new(NULL);
    gtk_expander_set_label_widget(GTK_EXPANDER(panel->expander), new_head(panel));
    gtk_expander_set_child(GTK_EXPANDER(panel->expander), room);
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
