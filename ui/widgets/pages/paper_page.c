/* The page of the paper.  SPDX-License-Identifier: MIT */
#include "ui/widgets/pages/paper_page.h"

#include "core/base/processors.h"
#include "core/base/words.h"
#include "core/study/paper.h"
#include "ui/plot/text.h"
#include "ui/widgets/charts/page.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/common/windows.h"
#include "ui/widgets/settings/controls.h"

#include <inttypes.h>
#include <math.h>

#define CARD_WIDTH 330

/* The height of a chart: of its plot, and of the words around it, in sizes of text. */
#define PLOT_HEIGHT 300
#define LINES_AROUND 16
#define TITLE_PADDING 10 /* of a title in the table, which is a button */
#define LOOK_EVERY_US 50000
#define FIRST_LOOK_US 2000000 /* estimates train models, which would delay the first drawing */

typedef enum { RESTING, WAITING, RUNNING } CardState;

/* The words of the button of a row: its action, or its place in the queue. */
static const char *const RUN_WORDS[] = {N_("Repeat here"), N_("Run again"), N_("Queued"),
                                        N_("Stop")};

typedef struct {
    NsPaperPage *page;
    const NsPaperStudy *study;
    NsStudyWork *work;     /* NULL before it was begun; its finished cells are not trained again */
    NsPaperResult *result; /* of the release's report or, if repeated, of this machine; or NULL */
    bool repeated;
    guint turn;         /* order of the results that came in this window; 0 for others */
    double seconds;     /* estimated seconds; negative if unknown */
    unsigned panel;     /* which of its results the chart shows */
    GtkWidget *place;   /* of the figure */
    NsChartView *chart; /* NULL before the figure is made */
    GtkWidget *export_; /* the same */
    GtkWidget *run, *words, *estimate, *progress, *origin; /* in the table */
    struct {
        GtkWidget *measured, *verdict;
    } claims[NS_PAPER_CLAIMS]; /* the rows of the table */
} Card;

struct _NsPaperPage {
    GtkBox parent;
    NsSession *session;
    GtkWidget *all, *summary;
    GArray *cards;   /* Card */
    GQueue *waiting; /* Card */
    Card *running;   /* NULL: none */
    bool estimating; /* a thread finds out how long the study of card `estimated` takes */
    guint estimated; /* number of cards with an estimated time */
    Card *exporting; /* the card whose figure is being saved */
    guint turns;     /* how many results have come */
    guint tick;
    gint64 looked;
    unsigned frames;
    guint figures; /* number of cards whose figure is made: one a frame, after the table */
    int height;    /* of a chart */
};

static void implement_page(NsPageInterface *page);
static void make_figure(Card *card);

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
    if (!card->chart) return;
    NsFigureInput input = input_of(card);
    if (ns_chart_view_update(card->chart, &input)) ns_chart_view_describe(card->chart);
}

/* Which runs the verdicts of a study are from.  The seeds of the report were used by no run before;
 * those of a repetition had been seen. */
static char *origin_words(const Card *card)
{
    const NsPaperResult *result = card->result;
    if (!result) return g_strdup(_("Not measured yet"));
    int64_t last = result->seed + result->seeds - 1;
    if (card->repeated)
        return g_strdup_printf(_("Repeated here on %s: seeds %" PRId64 " to %" PRId64
                                 ", already seen when the claims were fixed"),
                               result->day, result->seed, last);
    return g_strdup_printf(
        _("Report of the release, %s: claims fixed on %s, new seeds %" PRId64 " to %" PRId64),
        result->day, ns_paper_fixing(card->study->fixing)->day, result->seed, last);
}

static void set_cell(GtkWidget *cell, const char *words)
{
    g_autofree char *whole = ns_text_unbroken(words); /* a range in parentheses is on one line */
    gtk_label_set_text(GTK_LABEL(cell), whole);
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
        g_autofree char *measured = ns_finding_measured(finding, false);
        g_autofree char *judged = ns_finding_verdict_words(finding);
        const char *reason = finding->reason ? _(finding->reason) : NULL;
        g_autofree char *word = g_strdup_printf("%s %s%s%s", signs[finding->verdict], judged,
                                                reason ? ": " : "", reason ? reason : "");
        set_cell(card->claims[i].measured, measured);
        gtk_label_set_text(GTK_LABEL(verdict), word);
        gtk_widget_set_css_classes(verdict, (const char *[]){classes[finding->verdict], NULL});
    }
}

static void sync_card(Card *card)
{
    CardState state = state_of(card);
    g_autofree char *estimate = NULL, *origin = origin_words(card);
    int64_t seconds = MAX(1, llround(ceil(card->seconds)));
    if (card->seconds >= 0)
        estimate = seconds < 120 ? g_strdup_printf(_("about %" PRId64 " s"), seconds)
                                 : g_strdup_printf(_("about %" PRId64 " min"), (seconds + 30) / 60);
    const char *run = RUN_WORDS[state == RUNNING ? 3 : state == WAITING ? 2 : card->repeated];
    gtk_stack_set_visible_child_name(GTK_STACK(card->words), run);
    g_autofree char *name = g_strdup_printf("%s: %s", _(run), _(card->study->choice.label));
    ns_accessible_name(card->run, name);
    gtk_stack_set_visible_child(GTK_STACK(gtk_widget_get_parent(card->progress)),
                                state == RUNNING ? card->progress : card->estimate);
    ns_text_label_set(card->estimate, estimate ? estimate : "");
    ns_text_label_set(card->origin, origin);
    if (card->export_) gtk_widget_set_sensitive(card->export_, card->result != NULL);
    sync_claims(card);
}

/* The button of all studies, and how many rows of the table have which verdict. */
static void sync_all(NsPaperPage *page)
{
    bool resting = false;
    size_t rows = 0, n[NS_VERDICTS] = {0};
    for (guint i = 0; i < page->cards->len; i++) {
        const Card *card = card_at(page, i);
        resting |= state_of(card) == RESTING;
        rows += ns_paper_claims(card->study);
        for (size_t k = 0; card->result && k < card->result->n_findings; k++)
            n[card->result->findings[k].verdict]++;
    }
    gtk_widget_set_sensitive(page->all, resting);
    size_t agree = n[NS_VERDICT_AGREES], undecided = n[NS_VERDICT_UNDECIDED],
           disagree = n[NS_VERDICT_DISAGREES];
    g_autofree char *words = g_strdup_printf(
        _("%zu claims: %zu agree, %zu undecided, %zu disagree, %zu without a verdict"), rows, agree,
        undecided, disagree, rows - agree - undecided - disagree);
    ns_text_label_set(page->summary, words);
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

/* Where the results are that were repeated here. */
static char *folder_of_results(void)
{
    return g_build_filename(g_get_user_data_dir(), "normscope", "paper", NULL);
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
    card->repeated = true;
    card->turn = ++page->turns;
    update_chart(card);
    g_autofree char *folder = folder_of_results();
    ns_paper_result_save(result, folder, &error);
    const char *const sentences[] = {
        [NS_VERDICT_AGREES] = _("%s: agrees with the paper."),
        [NS_VERDICT_UNDECIDED] =
            _("%s: undecided; the seeds do not show whether it agrees with the paper."),
        [NS_VERDICT_NONE] = _("%s: no verdict; see its claims for the reason."),
        [NS_VERDICT_DISAGREES] = _("%s: does not agree with the paper."),
    };
    g_auto(GStrv) parts = g_strsplit(sentences[result->verdict], "%s", 2);
    g_autofree char *sentence = g_strjoinv(_(card->study->choice.label), parts);
    ns_session_report(page->session, error ? error->message : sentence);
}

static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    NsPaperPage *page = NS_PAPER_PAGE(widget);
    gint64 now = g_get_monotonic_time();
    if (page->frames++ && page->figures < page->cards->len)
        make_figure(card_at(page, page->figures));
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
    if (begin_next(page) || page->figures < page->cards->len) return G_SOURCE_CONTINUE;
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
    g_auto(NsStudy) study;
    if (card->repeated)
        ns_paper_make(card->study, &study, NULL);
    else
        ns_paper_make_fresh(card->study, &study);
    ns_paper_provenance(card->study, &study, &provenance);
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
        if (focus && (focus == card->run || gtk_widget_is_ancestor(focus, card->place)))
            return card;
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
        const char *words = ns_paper_result_label(&study.results.of[k]);
        g_autofree char *markup = ns_text_markup(words, NS_LABEL_SIZE);
        GtkWidget *button = gtk_toggle_button_new(), *label = gtk_label_new(NULL);
        gtk_label_set_markup(GTK_LABEL(label), markup);
        gtk_button_set_child(GTK_BUTTON(button), label);
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

static void make_figure(Card *card)
{
    GtkWidget *box = card->place, *buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    card->page->figures++;
    card->chart = NS_CHART_VIEW(ns_chart_view_new(&ns_paper_kind));
    gtk_widget_set_size_request(GTK_WIDGET(card->chart), CARD_WIDTH, card->page->height);
    card->export_ = ns_button_new(_("Export…"), _("Save the figure of this study"),
                                  G_CALLBACK(on_export), card);
    gtk_box_append(GTK_BOX(buttons), card->export_);
    gtk_box_append(GTK_BOX(box), GTK_WIDGET(card->chart));
    GtkWidget *panels = make_panels(card);
    if (panels) gtk_box_append(GTK_BOX(box), panels);
    ns_box_append(box, make_text(_(card->study->says), NULL),
                  make_text(_(card->study->holds), "hint"), NULL);
    gtk_widget_set_vexpand(buttons, TRUE);
    gtk_widget_set_valign(buttons, GTK_ALIGN_END);
    gtk_box_append(GTK_BOX(box), buttons);
    gtk_widget_set_visible(gtk_widget_get_parent(box), TRUE);
    update_chart(card);
    sync_card(card);
}

/* ---- The table of claims ---- */

static void on_title(Card *card)
{
    NsPaperPage *page = card->page;
    while (!card->export_) make_figure(card_at(page, page->figures));
    gtk_widget_grab_focus(card->export_); /* which scrolls to the card */
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

/* The title of a study and which runs its verdicts are from; the button to repeat it, and below how
 * long that takes.  The button is as wide as the longest of its words.  A box would measure the
 * labels for many heights, by search, which takes seconds for all studies; a grid does not. */
static GtkWidget *make_head(Card *card)
{
    GtkWidget *head = ns_grid_new(0, 12);
    GtkWidget *left = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget *right = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2), *below = gtk_stack_new();
    card->origin = ns_text_label_new(NULL, "hint");
    gtk_widget_set_margin_start(card->origin, TITLE_PADDING);
    gtk_widget_set_hexpand(left, TRUE);
    ns_box_append(left, make_title(card), card->origin, NULL);
    card->run = ns_button_new("", _("Run this study, or cancel it"), G_CALLBACK(on_run), card);
    card->words = gtk_stack_new();
    for (size_t i = 0; i < G_N_ELEMENTS(RUN_WORDS); i++)
        gtk_stack_add_named(GTK_STACK(card->words), gtk_label_new(_(RUN_WORDS[i])), RUN_WORDS[i]);
    gtk_button_set_child(GTK_BUTTON(card->run), card->words);
    card->estimate = ns_text_label_new(NULL, "hint");
    gtk_widget_set_halign(card->estimate, GTK_ALIGN_CENTER);
    card->progress = gtk_progress_bar_new();
    gtk_widget_set_valign(card->progress, GTK_ALIGN_CENTER);
    ns_accessible_name(card->progress, _("Progress of the study"));
    gtk_stack_add_child(GTK_STACK(below), card->estimate);
    gtk_stack_add_child(GTK_STACK(below), card->progress);
    ns_box_append(right, card->run, below, NULL);
    gtk_grid_attach(GTK_GRID(head), left, 0, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(head), right, 1, 0, 1, 1);
    return head;
}

static void attach_row(GtkGrid *grid, int row, GtkWidget *const cells[4])
{
    gtk_widget_set_hexpand(cells[3], TRUE);
    gtk_widget_set_margin_start(cells[0], TITLE_PADDING);
    /* In characters; the verdicts, which have reasons, take what is left. */
    static const int widest[] = {-1, 14, 16, 23};
    for (int column = 1; column < 4; column++)
        gtk_label_set_max_width_chars(GTK_LABEL(cells[column]), widest[column]);
    for (int column = 0; column < 4; column++) {
        gtk_widget_set_valign(cells[column], GTK_ALIGN_START);
        gtk_grid_attach(grid, cells[column], column, row, 1, 1);
    }
}

/* A study for each title, and a row for each of its claims. */
static GtkWidget *make_table(NsPaperPage *page)
{
    static const char *const heads[] = {N_("Claim"), N_("Expected"), N_("Measured (95% CI)"),
                                        N_("Verdict")};
    GtkWidget *grid = ns_grid_new(4, 12), *cells[4];
    gtk_widget_add_css_class(grid, "study-card");
    int row = 1;
    for (size_t i = 0; i < 4; i++) cells[i] = ns_text_label_new(_(heads[i]), "dim-label");
    attach_row(GTK_GRID(grid), 0, cells);
    for (guint i = 0; i < page->cards->len; i++) {
        Card *card = card_at(page, i);
        gtk_grid_attach(GTK_GRID(grid), make_head(card), 0, row++, 4, 1);
        for (unsigned k = 0; k < ns_paper_claims(card->study); k++) {
            const NsClaim *claim = &card->study->claims[k];
            g_autofree char *expected = ns_claim_expected(claim);
            /* The label begins in lower case, and the hash of the claims covers it. */
            const char *label = _(claim->label), *rest = g_utf8_next_char(label);
            g_autofree char *first = g_utf8_strup(label, rest - label);
            g_autofree char *words = g_strconcat(first, rest, NULL);
            cells[0] = ns_text_label_new(words, NULL);
            set_cell(cells[1] = ns_text_label_new(NULL, NULL), expected);
            cells[2] = card->claims[k].measured = ns_text_label_new(NULL, NULL);
            cells[3] = card->claims[k].verdict = ns_text_label_new(NULL, NULL);
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
    GtkWidget *left = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    gtk_widget_set_hexpand(left, TRUE);
    gtk_label_set_max_width_chars(GTK_LABEL(words), 90);
    page->summary = ns_text_label_new(NULL, "heading");
    ns_box_append(left, page->summary, words, NULL);
    page->all =
        ns_button_new(_("Repeat all here"), _("Run every study on this machine, one after another"),
                      G_CALLBACK(on_all), page);
    gtk_widget_set_valign(page->all, GTK_ALIGN_CENTER);
    ns_box_append(head, left, page->all, NULL);
    GtkWidget *flow = g_object_new(GTK_TYPE_FLOW_BOX, "selection-mode", GTK_SELECTION_NONE,
                                   "max-children-per-line", 4, "column-spacing", 10, "row-spacing",
                                   10, "homogeneous", TRUE, NULL);
    for (guint i = 0; i < page->cards->len; i++) {
        GtkWidget *place = card_at(page, i)->place = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
        gtk_widget_add_css_class(place, "study-card");
        gtk_flow_box_append(GTK_FLOW_BOX(flow), place);
        gtk_widget_set_focusable(gtk_widget_get_parent(place), FALSE);
        gtk_widget_set_visible(gtk_widget_get_parent(place), FALSE);
    }
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
    page->height = PLOT_HEIGHT + (int)(LINES_AROUND * ns_chart_style_for(widget)->text_size);
    GTK_WIDGET_CLASS(ns_paper_page_parent_class)->css_changed(widget, change);
    for (guint i = 0; i < page->figures; i++)
        gtk_widget_set_size_request(GTK_WIDGET(card_at(page, i)->chart), CARD_WIDTH, page->height);
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
    g_autofree char *folder = folder_of_results();
    for (size_t i = 0; ns_paper_study(i); i++) {
        const NsPaperStudy *study = ns_paper_study(i);
        Card card = {.page = page, .study = study, .seconds = -1};
        card.result = ns_paper_result_saved(study, folder);
        card.repeated = card.result != NULL;
        if (!card.repeated) card.result = ns_paper_result_reported(study);
        g_array_append_val(page->cards, card);
    }
}

GtkWidget *ns_paper_page_new(NsSession *session)
{
    NsPaperPage *page = g_object_new(NS_TYPE_PAPER_PAGE, "orientation", GTK_ORIENTATION_VERTICAL,
                                     "spacing", 10, NULL);
    page->session = ns_session_hold(session, page);
    build(page);
    for (guint i = 0; i < page->cards->len; i++) sync_card(card_at(page, i));
    sync_all(page);
    page->looked = g_get_monotonic_time() + FIRST_LOOK_US;
    wake(page);
    return GTK_WIDGET(page);
}
