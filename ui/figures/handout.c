/* A lesson on paper.  SPDX-License-Identifier: MIT */
#include "ui/figures/handout.h"

#include "core/base/words.h"
#include "core/store/lesson_measure.h"
#include "core/train/lockstep.h"
#include "ui/figures/sheet.h"
#include "ui/plot/painter.h"
#include "ui/plot/text.h"

#include <gio/gio.h>

/* In points. */
#define CHART_HEIGHT 190.0
#define DRAWING_HEIGHT 150.0 /* space for a drawing of the student */
#define TEXT 10.5
#define HEADING 14.0
#define TITLE 20.0

typedef struct {
    const NsLesson *lesson;
    NsLockstep *lockstep;           /* the run that the cards speak of; NULL before the first */
    const NsExperiment *experiment; /* of that run, borrowed from a card */
    NsHandoutProgress *progress;
    void *data; /* of `progress` */
    NsDocument *document;
    const char *shown; /* the newest chart, if nothing was trained since; borrowed */
} Handout;

/* ---- Training ---- */

/* FALSE with an error if the handout was stopped. */
static bool is_wanted(Handout *h, size_t at, int64_t until, GError **error)
{
    NsHistory *history = h->lockstep ? ns_lockstep_run(h->lockstep, 0, 0)->history : NULL;
    double loss =
        history ? ns_history_step(history, ns_history_steps(history) - 1)->loss : (double)NAN;
    int64_t step = h->lockstep ? ns_lockstep_steps(h->lockstep) : 0;
    if (h->progress(h->data, at, step, until, loss)) return true;
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The handout was stopped.");
    return false;
}

/* Trains what a card speaks of: a new run if its settings are not those of the run so far, unless
 * they change in it.  FALSE with an error if it was stopped, too. */
static bool train(Handout *h, size_t at, GError **error)
{
    const NsCard *card = &h->lesson->card[at];
    if (card->end.n == 0) return true;
    int64_t until = MAX(card->run, ns_lesson_data_step(h->lesson, at));
    bool same = h->lockstep && card->begin.n == 0 && ns_experiment_equal(&card->end, h->experiment);
    if (card->change) {
        ns_lockstep_set_live(h->lockstep, &card->end);
        h->experiment = &card->end;
    } else if (!same) {
        g_clear_pointer(&h->lockstep, ns_lockstep_free);
        if (!is_wanted(h, at, until, error)) return false;
        h->lockstep = ns_lockstep_new(&card->end, NULL, NULL, NULL, error);
        h->experiment = &card->end;
        h->shown = NULL;
        if (!h->lockstep) return false;
    }
    bool going = true, wanted = true;
    while (going && wanted && ns_lockstep_steps(h->lockstep) < until) {
        going = ns_lockstep_step(h->lockstep);
        h->shown = NULL;
        wanted = is_wanted(h, at, until, error);
    }
    return wanted;
}

static NsHistory *history_of(void *data, size_t lane, int64_t step)
{
    Handout *h = data;
    (void)step;
    bool any = h->lockstep && lane < ns_lockstep_lanes(h->lockstep);
    return any ? ns_lockstep_run(h->lockstep, lane, 0)->history : NULL;
}

static char *number_words(double value)
{
    return ns_text_value(value, 3);
}

/* ---- Drawing ---- */

/* A paragraph with the measured numbers in it. */
static void write_text(Handout *h, const char *words, double size, bool bold, double indent)
{
    const NsMeasureSource source = {.lanes = h->lockstep ? ns_lockstep_lanes(h->lockstep) : 0,
                                    .history = history_of,
                                    .data = h};
    g_autofree char *filled = ns_measure_fill(&source, words, number_words);
    ns_document_write(h->document, filled, size, bold, indent);
}

/* The chart that the card puts on the stage; false if it has none, or the same as the card before.
 */
static bool read_chart(Handout *h, const NsCard *card, NsSheet *sheet)
{
    const char *name = card->chart ? card->chart : card->highlight;
    ns_sheet_init(sheet);
    if (card->draws || !h->lockstep || !name || g_strcmp0(name, h->shown) == 0 ||
        !ns_sheet_read(sheet, name, NULL))
        return false;
    h->shown = name;
    return true;
}

static void draw_chart(Handout *h, const NsCard *card, const NsSheet *sheet)
{
    NsFigureInput input = {.step = -1, .log = true, .theory = card->theory};
    size_t lanes = ns_lockstep_lanes(h->lockstep);
    input.n_lanes = lanes > 1 ? (unsigned)lanes : 0;
    for (size_t i = 0; i < lanes; i++) {
        NsRun *run = ns_lockstep_run(h->lockstep, i, 0);
        input.lanes[i] =
            (NsFigureRun){run->history, &run->settings, ns_lane_letter(i), .lane = (unsigned)i};
    }
    input.history = input.lanes[0].history;
    input.settings = input.lanes[0].settings;
    const NsSheetChart *chart = ns_sheet_chart(sheet, 0);
    NsFigureInput own = ns_sheet_input(sheet, chart, 0, &input);
    NsFigure *figure = ns_figure_create(chart->spec.kind);
    const NsPlot *plot = ns_figure_update(figure, &own);
    if (ns_plot_has_data(plot)) ns_document_plot(h->document, plot, CHART_HEIGHT);
    ns_figure_free(figure);
}

/* "3  Run it", its texts, its chart, and its question with boxes to tick. */
static void write_card(Handout *h, size_t at)
{
    const NsCard *card = &h->lesson->card[at];
    g_autofree char *title = g_strdup_printf("%zu  %s", at + 1, _(card->title));
    g_auto(NsSheet) sheet;
    bool chart = read_chart(h, card, &sheet);
    /* A card stays together. */
    ns_document_need(h->document, HEADING + 6 * TEXT + (chart ? CHART_HEIGHT : 0));
    write_text(h, "", HEADING, false, 0);
    write_text(h, title, HEADING, true, 0);
    for (char **text = card->texts; *text; text++) write_text(h, _(*text), TEXT, false, 0);
    if (card->draws) {
        /* Empty axes for the curve that the student predicts. */
        const NsChoice *quantity = &ns_quantity(card->quantity)->choice;
        g_autofree char *words =
            g_strdup_printf(_("Draw your prediction: %s over the layers"), _(quantity->label));
        ns_document_need(h->document, DRAWING_HEIGHT + 2 * TEXT);
        write_text(h, words, TEXT, false, 0);
        cairo_t *cr = ns_document_area(h->document, DRAWING_HEIGHT);
        const NsStyle *style = ns_style_find("paper");
        ns_set_color(cr, style->axis);
        cairo_set_line_width(cr, style->axis_width);
        cairo_move_to(cr, 0, 0);
        cairo_line_to(cr, 0, DRAWING_HEIGHT);
        cairo_line_to(cr, NS_DOCUMENT_WIDTH, DRAWING_HEIGHT);
        cairo_stroke(cr);
        cairo_restore(cr);
    } else if (chart) {
        draw_chart(h, card, &sheet);
    }
    /* The events of jumps and divergences, where a card speaks of the inspector. */
    if (h->lockstep && g_strcmp0(card->highlight, "inspector") == 0) {
        g_autoptr(GRegex) script = g_regex_new("_([A-Za-z]+)", 0, 0, NULL); /* of W_tok */
        for (size_t i = 0; i < ns_lockstep_lanes(h->lockstep); i++) {
            const NsHistory *history = ns_lockstep_run(h->lockstep, i, 0)->history;
            for (size_t k = 0; k < ns_history_events(history); k++) {
                const NsEvent *event = ns_history_event(history, k);
                if (event->kind != NS_EVENT_SPIKE && event->kind != NS_EVENT_DIVERGED) continue;
                g_autofree char *text =
                    g_regex_replace(script, event->text, -1, 0, "_{\\1}", 0, NULL);
                g_autofree char *words = g_strdup_printf("%s: %s", ns_lane_letter(i), text);
                write_text(h, words, TEXT, false, TEXT);
            }
        }
    }

    if (card->n_choices) ns_document_need(h->document, 2 * TEXT * (double)(1 + card->n_choices));
    if (card->ask) write_text(h, _(card->ask), TEXT, true, 0);
    for (size_t i = 0; i < card->n_choices; i++) {
        g_autofree char *choice = g_strconcat("☐  ", _(card->choices[i]), NULL);
        write_text(h, choice, TEXT, false, TEXT);
    }
}

NsDocument *ns_handout_new(const NsLesson *lesson, NsHandoutProgress *progress, void *data,
                           GError **error)
{
    Handout handout = {.lesson = lesson, .progress = progress, .data = data};
    handout.document = ns_document_new(_(lesson->title), _(lesson->summary));
    write_text(&handout, _(lesson->title), TITLE, true, 0);
    write_text(&handout, _(lesson->summary), TEXT, false, 0);
    bool good = true;
    for (size_t k = 0; good && k < lesson->n; k++) {
        good = train(&handout, k, error);
        if (good) write_card(&handout, k);
    }
    /* The right answers and their reasons, on a page of their own. */
    bool any = false;
    for (size_t k = 0; good && k < lesson->n; k++) {
        const NsCard *card = &lesson->card[k];
        if (!card->ask) continue;
        if (!any) {
            ns_document_begin_page(handout.document);
            write_text(&handout, _("Answers"), HEADING, true, 0);
        }
        any = true;
        g_autofree char *answer = g_strdup_printf("%zu  %s", k + 1, _(card->choices[card->right]));
        write_text(&handout, answer, TEXT, true, 0);
        write_text(&handout, _(card->why[card->right]), TEXT, false, TEXT);
    }
    g_clear_pointer(&handout.lockstep, ns_lockstep_free);
    if (good) return handout.document;
    ns_document_end(handout.document, NULL, NULL);
    return NULL;
}
