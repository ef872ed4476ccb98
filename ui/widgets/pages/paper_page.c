/* The page of the paper.  SPDX-License-Identifier: MIT */
#include "ui/widgets/pages/paper_page.h"

#include "core/base/processors.h"
#include "core/base/words.h"
#include "core/study/paper.h"
#include "ui/widgets/charts/page.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/common/windows.h"

#include <inttypes.h>
#include <math.h>

#define CARD_WIDTH 330

/* The height of a chart: of its plot, and of the words around it, in sizes of text. */
#define PLOT_HEIGHT 300
#define LINES_AROUND 27
#define LOOK_EVERY_US 50000
#define FIRST_LOOK_US 2000000 /* estimates train models, which would delay the first drawing */

typedef enum { RESTING, WAITING, RUNNING } CardState;

typedef struct {
    NsPaperPage *page;
    const NsPaperStudy *study;
    NsStudyWork *work;     /* NULL before it was begun; its finished cells are not trained again */
    NsPaperResult *result; /* of the release's report, then of this machine; NULL before either */
    guint turn;            /* order of the results; 0 for that of the report */
    double seconds;        /* estimated seconds; negative if unknown */
    unsigned panel;        /* which of its results the chart shows */
    NsChartView *chart;
    GtkWidget *run, *export_, *progress;
    struct {
        GtkWidget *measured, *verdict;
    } claims[NS_PAPER_CLAIMS]; /* the rows of the table */
} Card;

struct _NsPaperPage {
    GtkBox parent;
    NsSession *session;
    GtkWidget *all;
    GArray *cards;   /* Card */
    GQueue *waiting; /* Card */
    Card *running;   /* NULL: none */
    bool estimating; /* a thread finds out how long the study of card `estimated` takes */
    guint estimated; /* number of cards with an estimated time */
    Card *exporting; /* the card whose figure is being saved */
    guint turns;     /* how many results have come */
    guint tick;
    gint64 looked;
    GtkWidget *figures; /* visible from the second frame on, so that the table comes at once */
    unsigned frames;
};

static void implement_page(NsPageInterface *page);

G_DEFINE_FINAL_TYPE_WITH_CODE(NsPaperPage, ns_paper_page, GTK_TYPE_BOX,
                              G_IMPLEMENT_INTERFACE(NS_TYPE_PAGE, implement_page))

static Card *card_at(NsPaperPage *page, guint i)
{
    return &g_array_index(page->cards, Card, i);
}

static CardState state_of(const Card *card)
{
    if (card == card->page->running) return RUNNING;
    return g_queue_find(card->page->waiting, card) ? WAITING : RESTING;
}

/* ---- What a card shows ---- */

static NsFigureInput input_of(const Card *card)
{
    return (NsFigureInput){.study = card->study,
                           .result = card->result,
                           .panel = card->panel,
                           .log = card->page->session->view->log,
                           .step = -1};
}

static void update_chart(Card *card)
{
    NsFigureInput input = input_of(card);
    if (ns_chart_view_update(card->chart, &input)) ns_chart_view_describe(card->chart);
}

static char *run_words(const Card *card)
{
    if (state_of(card) == RUNNING) return g_strdup(_("Stop"));
    if (state_of(card) == WAITING) return g_strdup(_("Queued"));
    if (card->turn) return g_strdup(_("Run again"));
    if (card->seconds < 0) return g_strdup(_("Repeat here"));
    int64_t seconds = MAX(1, llround(ceil(card->seconds)));
    if (seconds >= 120)
        return g_strdup_printf(_("Repeat here (about %" PRId64 " min)"), (seconds + 30) / 60);
    return g_strdup_printf(_("Repeat here (about %" PRId64 " s)"), seconds);
}

/* The rows of a card in the table of claims. */
static void sync_claims(Card *card)
{
    static const char *const signs[] = {[NS_VERDICT_AGREES] = "✓",
                                        [NS_VERDICT_UNDECIDED] = "?",
                                        [NS_VERDICT_NONE] = "–",
                                        [NS_VERDICT_DISAGREES] = "✗"};
    static const char *const classes[] = {[NS_VERDICT_AGREES] = "success",
                                          [NS_VERDICT_UNDECIDED] = "warning",
                                          [NS_VERDICT_NONE] = "dim-label",
                                          [NS_VERDICT_DISAGREES] = "error"};
    for (size_t i = 0; card->result && i < card->result->n_findings; i++) {
        const NsFinding *finding = &card->result->findings[i];
        GtkWidget *verdict = card->claims[i].verdict;
        g_autofree char *measured = ns_finding_measured(finding);
        g_autofree char *word =
            g_strdup_printf("%s %s", signs[finding->verdict], _(ns_verdict_word(finding->verdict)));
        gtk_label_set_text(GTK_LABEL(card->claims[i].measured), measured);
        gtk_label_set_text(GTK_LABEL(verdict), word);
        gtk_widget_set_css_classes(verdict, (const char *[]){classes[finding->verdict], NULL});
        gtk_widget_set_tooltip_text(verdict, finding->reason ? _(finding->reason) : NULL);
    }
}

static void sync_card(Card *card)
{
    g_autofree char *run = run_words(card);
    gtk_button_set_label(GTK_BUTTON(card->run), run);
    gtk_widget_set_visible(card->progress, state_of(card) == RUNNING);
    gtk_widget_set_sensitive(card->export_, card->result != NULL);
    sync_claims(card);
}

static void sync_all(NsPaperPage *page)
{
    bool resting = false;
    for (guint i = 0; i < page->cards->len; i++) resting |= state_of(card_at(page, i)) == RESTING;
    gtk_widget_set_sensitive(page->all, resting);
}

/* ---- One after another ---- */

static unsigned jobs(void)
{
    return MAX(ns_processors(), 2) - 1;
}

static void estimate(GTask *task, gpointer page, gpointer study, GCancellable *cancellable)
{
    (void)page, (void)cancellable;
    double *seconds = g_new(double, 1);
    *seconds = ns_paper_seconds(study, jobs());
    g_task_return_pointer(task, seconds, g_free);
}

static void on_estimated(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)data;
    NsPaperPage *page = NS_PAPER_PAGE(object);
    g_autofree double *seconds = g_task_propagate_pointer(G_TASK(result), NULL);
    page->estimating = false;
    if (!gtk_widget_get_root(GTK_WIDGET(page))) return; /* its window was closed */
    Card *card = card_at(page, page->estimated++);
    card->seconds = *seconds;
    sync_card(card);
}

/* Begins the next card or the next estimate; FALSE if there is nothing to do. */
static bool begin_next(NsPaperPage *page)
{
    Card *card = g_queue_pop_head(page->waiting);
    if (!card) {
        if (page->estimated < page->cards->len && !page->estimating) {
            g_autoptr(GTask) task = g_task_new(page, NULL, on_estimated, NULL);
            g_task_set_task_data(task, (gpointer)(guintptr)card_at(page, page->estimated)->study,
                                 NULL);
            page->estimating = true;
            g_task_run_in_thread(task, estimate);
        }
        return page->estimating;
    }
    /* A finished study is trained again; an unfinished one continues. */
    g_autoptr(GError) error = NULL;
    if (card->turn) g_clear_pointer(&card->work, ns_study_work_unref);
    if (!card->work) {
        g_auto(NsStudy) study;
        ns_paper_make(card->study, &study, NULL);
        card->work = ns_study_work_new(&study, NULL, NULL);
    }
    page->running = ns_study_work_start(card->work, jobs(), &error) ? card : NULL;
    if (error) ns_session_report(page->session, error->message);
    sync_card(card);
    return true;
}

static void take_result(Card *card)
{
    NsPaperPage *page = card->page;
    g_autoptr(GError) error = NULL;
    GError *failure = ns_study_work_take_failure(card->work);
    NsPaperResult *result = failure ? NULL : ns_paper_result_new(card->study, card->work, &error);
    if (failure) g_propagate_error(&error, failure);
    if (error) ns_session_report(page->session, error->message);
    if (!result) return;
    ns_paper_result_unref(card->result);
    card->result = result;
    card->turn = ++page->turns;
    update_chart(card);
    const char *const sentences[] = {
        [NS_VERDICT_AGREES] = _("%s: agrees with the paper."),
        [NS_VERDICT_UNDECIDED] =
            _("%s: undecided; the seeds do not show whether it agrees with the paper."),
        [NS_VERDICT_NONE] = _("%s: no verdict; see its claims for the reason."),
        [NS_VERDICT_DISAGREES] = _("%s: does not agree with the paper."),
    };
    g_auto(GStrv) parts = g_strsplit(sentences[result->verdict], "%s", 2);
    g_autofree char *sentence = g_strjoinv(_(card->study->choice.label), parts);
    ns_session_report(page->session, sentence);
}

static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    NsPaperPage *page = NS_PAPER_PAGE(widget);
    gint64 now = g_get_monotonic_time();
    if (page->frames++ == 1) gtk_widget_set_visible(page->figures, TRUE);
    if (now - page->looked < LOOK_EVERY_US) return G_SOURCE_CONTINUE;
    page->looked = now;
    if (page->running) {
        Card *card = page->running;
        NsStudyWorkProgress progress = ns_study_work_progress(card->work);
        double done = (double)progress.ended / (double)MAX(progress.cells, 1);
        gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(card->progress), done);
        if (progress.going) return G_SOURCE_CONTINUE;
        page->running = NULL;
        take_result(card);
        sync_card(card);
        sync_all(page);
    }
    if (begin_next(page)) return G_SOURCE_CONTINUE;
    page->tick = 0;
    return G_SOURCE_REMOVE;
}

static void wake(NsPaperPage *page)
{
    if (!page->tick)
        page->tick = gtk_widget_add_tick_callback(GTK_WIDGET(page), on_tick, NULL, NULL);
}

/* Adds a study to the queue, or removes it if it waits or runs. */
static void on_run(Card *card)
{
    NsPaperPage *page = card->page;
    switch (state_of(card)) {
    case RESTING:
        g_queue_push_tail(page->waiting, card);
        break;
    case WAITING:
        g_queue_remove(page->waiting, card);
        break;
    case RUNNING:
        ns_study_work_stop(card->work);
        page->running = NULL;
        break;
    }
    sync_card(card);
    sync_all(page);
    wake(page);
}

static void on_all(NsPaperPage *page)
{
    for (guint i = 0; i < page->cards->len; i++)
        if (state_of(card_at(page, i)) == RESTING) on_run(card_at(page, i));
}

/* ---- Export ---- */

static void on_path(const char *path, gpointer owner)
{
    NsPaperPage *page = owner;
    Card *card = page->exporting;
    const NsFigureInput input = input_of(card);
    g_auto(NsPaperPanels) panels = ns_paper_panels(&input);
    g_auto(NsProvenance) provenance;
    g_auto(NsStudy) fresh;
    ns_paper_make_fresh(card->study, &fresh);
    ns_paper_provenance(card->study, card->turn ? ns_study_work_study(card->work) : &fresh,
                        &provenance);
    ns_save_plots(page->session, panels.plots, panels.n, &provenance, path);
}

static void on_export(Card *card)
{
    card->page->exporting = card;
    g_autofree char *file = g_strconcat(card->study->choice.key, ".pdf", NULL);
    ns_file_dialog_save(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(card->page))),
                        _("Export the study"), file, on_path, card->page);
}

/* The card with the focus if it has a result, else the one whose result is the newest. */
static Card *card_to_save(NsPaperPage *page)
{
    Card *newest = NULL;
    for (guint i = 0; i < page->cards->len; i++) {
        Card *card = card_at(page, i);
        if (!card->result) continue;
        GtkWidget *focus = gtk_root_get_focus(gtk_widget_get_root(card->run));
        GtkWidget *place = gtk_widget_get_ancestor(card->run, GTK_TYPE_FLOW_BOX_CHILD);
        if (focus && gtk_widget_is_ancestor(focus, place)) return card;
        if (card->turn && (!newest || card->turn > newest->turn)) newest = card;
    }
    return newest;
}

/* ---- Building ---- */

static GtkWidget *make_text(const char *text, const char *css)
{
    GtkWidget *label = ns_text_label_new(text, css);
    gtk_label_set_max_width_chars(GTK_LABEL(label), 40);
    return label;
}

static void on_panel(GtkToggleButton *button, Card *card)
{
    if (!gtk_toggle_button_get_active(button)) return;
    card->panel = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "ns-panel"));
    update_chart(card);
}

/* A button for each result if there are several; NULL if there is only one. */
static GtkWidget *make_panels(Card *card)
{
    g_auto(NsStudy) study;
    ns_paper_make(card->study, &study, NULL);
    if (study.results.n == 1) return NULL;
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0), *first = NULL;
    gtk_widget_add_css_class(box, "linked");
    gtk_widget_set_halign(box, GTK_ALIGN_CENTER);
    for (guint k = 0; k < study.results.n; k++) {
        const char *label = ns_paper_result_label(&study.results.of[k]);
        GtkWidget *button = gtk_toggle_button_new_with_label(label);
        g_object_set_data(G_OBJECT(button), "ns-panel", GUINT_TO_POINTER(k));
        gtk_widget_set_tooltip_text(button, _("Show this result of the study"));
        gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(button), (GtkToggleButton *)first);
        if (!first) first = button;
        gtk_box_append(GTK_BOX(box), button);
    }
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(first), TRUE);
    for (GtkWidget *button = first; button; button = gtk_widget_get_next_sibling(button))
        g_signal_connect(button, "toggled", G_CALLBACK(on_panel), card);
    return box;
}

static GtkWidget *make_card(Card *card)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    GtkWidget *buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gtk_widget_add_css_class(box, "study-card");
    card->chart = NS_CHART_VIEW(ns_chart_view_new(&ns_paper_kind));
    card->run =
        ns_button_new(_("Run"), _("Run this study, or cancel it"), G_CALLBACK(on_run), card);
    card->export_ = ns_button_new(_("Export…"), _("Save the figure of this study"),
                                  G_CALLBACK(on_export), card);
    card->progress = gtk_progress_bar_new();
    gtk_widget_set_valign(card->progress, GTK_ALIGN_CENTER);
    gtk_widget_set_hexpand(card->progress, TRUE);
    ns_accessible_name(card->progress, _("Progress of the study"));
    ns_box_append(buttons, card->run, card->export_, card->progress, NULL);
    gtk_box_append(GTK_BOX(box), GTK_WIDGET(card->chart));
    GtkWidget *panels = make_panels(card);
    if (panels) gtk_box_append(GTK_BOX(box), panels);
    ns_box_append(box, make_text(_(card->study->says), NULL),
                  make_text(_(card->study->holds), "hint"), NULL);
    gtk_widget_set_vexpand(buttons, TRUE);
    gtk_widget_set_valign(buttons, GTK_ALIGN_END);
    gtk_box_append(GTK_BOX(box), buttons);
    return box;
}

/* ---- The table of claims ---- */

static void on_title(Card *card)
{
    gtk_widget_grab_focus(card->run); /* which scrolls to the card */
}

static GtkWidget *make_title(Card *card)
{
    const NsChoice *choice = &card->study->choice;
    g_autofree char *words = g_strdup_printf("%s (%s)", _(choice->label), _(choice->reference));
    GtkWidget *title =
        ns_button_new("", _("Show the figure of this study"), G_CALLBACK(on_title), card);
    GtkWidget *label = ns_text_label_new(words, "heading");
    gtk_button_set_child(GTK_BUTTON(title), label);
    gtk_widget_add_css_class(title, "flat");
    gtk_widget_set_halign(title, GTK_ALIGN_START);
    ns_accessible_name(title, words);
    return title;
}

static void attach_row(GtkGrid *grid, int row, GtkWidget *const cells[4])
{
    gtk_widget_set_hexpand(cells[0], TRUE);
    gtk_widget_set_margin_start(cells[0], 12); /* below the text of the titles */
    for (int column = 0; column < 4; column++) {
        gtk_widget_set_valign(cells[column], GTK_ALIGN_START);
        gtk_grid_attach(grid, cells[column], column, row, 1, 1);
    }
}

/* A study for each title, and a row for each of its claims. */
static GtkWidget *make_table(NsPaperPage *page)
{
    static const char *const heads[] = {N_("Claim"), N_("Expected"), N_("Measured"), N_("Verdict")};
    GtkWidget *grid = ns_grid_new(4, 18), *cells[4];
    gtk_widget_add_css_class(grid, "study-card");
    int row = 1;
    for (size_t i = 0; i < 4; i++) cells[i] = ns_text_label_new(_(heads[i]), "dim-label");
    attach_row(GTK_GRID(grid), 0, cells);
    for (guint i = 0; i < page->cards->len; i++) {
        Card *card = card_at(page, i);
        gtk_grid_attach(GTK_GRID(grid), make_title(card), 0, row++, 4, 1);
        for (unsigned k = 0; k < ns_paper_claims(card->study); k++) {
            const NsClaim *claim = &card->study->claims[k];
            g_autofree char *expected = ns_claim_expected(claim);
            /* The label begins in lower case, and the hash of the claims covers it. */
            const char *label = _(claim->label), *rest = g_utf8_next_char(label);
            g_autofree char *first = g_utf8_strup(label, rest - label);
            g_autofree char *words = g_strconcat(first, rest, NULL);
            cells[0] = ns_text_label_new(words, NULL);
            cells[1] = ns_text_label_new(expected, NULL);
            cells[2] = card->claims[k].measured = ns_text_label_new(NULL, NULL);
            cells[3] = card->claims[k].verdict = ns_text_label_new(NULL, NULL);
            gtk_label_set_wrap(GTK_LABEL(cells[3]), FALSE);
            attach_row(GTK_GRID(grid), row++, cells);
        }
    }
    return grid;
}

static void build(NsPaperPage *page)
{
    gtk_widget_add_css_class(GTK_WIDGET(page), "study");
    GtkWidget *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
    GtkWidget *words =
        make_text(_("Claims of Xiong et al. 2020 and later papers, tested with small models. Each "
                    "claim was fixed in advance, then judged once, on seeds not used before."),
                  NULL);
    gtk_widget_set_hexpand(words, TRUE);
    gtk_label_set_max_width_chars(GTK_LABEL(words), 90);
    page->all =
        ns_button_new(_("Repeat all here"), _("Run every study on this machine, one after another"),
                      G_CALLBACK(on_all), page);
    gtk_widget_set_valign(page->all, GTK_ALIGN_CENTER);
    ns_box_append(head, words, page->all, NULL);
    GtkWidget *flow = g_object_new(GTK_TYPE_FLOW_BOX, "visible", FALSE, "selection-mode",
                                   GTK_SELECTION_NONE, "max-children-per-line", 4, "column-spacing",
                                   10, "row-spacing", 10, "homogeneous", TRUE, NULL);
    for (guint i = 0; i < page->cards->len; i++) {
        GtkWidget *card = make_card(card_at(page, i));
        gtk_flow_box_append(GTK_FLOW_BOX(flow), card);
        gtk_widget_set_focusable(gtk_widget_get_parent(card), FALSE);
    }
    page->figures = flow;
    ns_box_append(GTK_WIDGET(page), head, make_table(page), flow, NULL);
}

/* ---- The page ---- */

static bool page_refresh(NsPage *page)
{
    NsPaperPage *self = NS_PAPER_PAGE(page);
    for (guint i = 0; i < self->cards->len; i++) update_chart(card_at(self, i));
    return false;
}

/* Charts with larger text are higher. */
static void ns_paper_page_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    NsPaperPage *page = NS_PAPER_PAGE(widget);
    int height = PLOT_HEIGHT + (int)(LINES_AROUND * ns_chart_style_for(widget)->text_size);
    GTK_WIDGET_CLASS(ns_paper_page_parent_class)->css_changed(widget, change);
    for (guint i = 0; i < page->cards->len; i++)
        gtk_widget_set_size_request(GTK_WIDGET(card_at(page, i)->chart), CARD_WIDTH, height);
}

static void page_save(NsPage *page)
{
    NsPaperPage *self = NS_PAPER_PAGE(page);
    Card *card = card_to_save(self);
    if (card)
        on_export(card);
    else
        ns_session_report(self->session,
                          _("Choose a study to export: press Export below its figure."));
}

static void implement_page(NsPageInterface *page)
{
    page->save = page_save;
    page->refresh = page_refresh;
}

static void clear_card(void *card)
{
    ns_paper_result_unref(((Card *)card)->result);
    ns_study_work_unref(((Card *)card)->work);
}

static void ns_paper_page_finalize(GObject *object)
{
    NsPaperPage *page = NS_PAPER_PAGE(object);
    g_array_unref(page->cards);
    g_queue_free(page->waiting);
    G_OBJECT_CLASS(ns_paper_page_parent_class)->finalize(object);
}

static void ns_paper_page_class_init(NsPaperPageClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_paper_page_finalize;
    GTK_WIDGET_CLASS(klass)->css_changed = ns_paper_page_css_changed;
}

static void ns_paper_page_init(NsPaperPage *page)
{
    page->waiting = g_queue_new();
    page->cards = g_array_new(FALSE, TRUE, sizeof(Card));
    g_array_set_clear_func(page->cards, clear_card);
    for (size_t i = 0; ns_paper_study(i); i++) {
        const NsPaperStudy *study = ns_paper_study(i);
        Card card = {
            .page = page, .study = study, .result = ns_paper_result_reported(study), .seconds = -1};
        g_array_append_val(page->cards, card);
    }
}

GtkWidget *ns_paper_page_new(NsSession *session)
{
    NsPaperPage *page = g_object_new(NS_TYPE_PAPER_PAGE, "orientation", GTK_ORIENTATION_VERTICAL,
                                     "spacing", 10, NULL);
    page->session = ns_session_hold(session, page);
    build(page);
    for (guint i = 0; i < page->cards->len; i++) {
        update_chart(card_at(page, i));
        sync_card(card_at(page, i));
    }
    page->looked = g_get_monotonic_time() + FIRST_LOOK_US;
    wake(page);
    return GTK_WIDGET(page);
}
