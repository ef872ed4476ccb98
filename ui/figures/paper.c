/* A study of the paper: measured values beside the expected ones.  SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/words.h"
#include "core/probe/token_snapshot.h"

#include <math.h>

typedef struct {
    NsFigure figure;
    const NsPaperStudy *study;
    NsPaperKind kind; /* of the study */
    unsigned panel;
    NsResult measured;       /* the result that the panel shows */
    const char *grid;        /* the setting on the horizontal axis, or NULL */
    bool factors;            /* the curves differ in two factors */
    NsPaperResult *result;   /* owned reference; the series borrow its columns */
    NsPaperResult *expected; /* expected shapes, if the study has no result; otherwise NULL */
    const NsPaperSeries *curves[NS_PAPER_SERIES]; /* [n] of the panel, measured or expected */
    size_t n;
    bool log;
    double edges[NS_TOKEN_SNAPSHOT_BINS + 1];
} Paper;

/* ---- Axes ---- */

const char *ns_paper_result_label(const NsResult *result)
{
    static const char *const labels[] = {
        [NS_RESULT_LOSS] = N_("training loss"),
        [NS_RESULT_VALIDATION] = N_("validation loss"),
        [NS_RESULT_SECONDS] = N_("seconds per step"),
        [NS_RESULT_MEMORY] = N_("memory"),
        [NS_RESULT_ENTAILMENT] = N_("entailment"),
        [NS_RESULT_PARAPHRASE] = N_("paraphrase"),
    };
    if (labels[result->kind]) return _(labels[result->kind]);
    return ns_quantity(result->quantity)->symbol;
}

static const char *title_of(const NsResult *result)
{
    if (result->kind == NS_RESULT_MEMORY) return _("Memory of a run");
    if (result->kind == NS_RESULT_ENTAILMENT) return _("Entailment after fine-tuning");
    if (result->kind == NS_RESULT_PARAPHRASE) return _("Paraphrase after fine-tuning");
    return result->kind == NS_RESULT_QUANTITY ? _(ns_quantity(result->quantity)->choice.label)
                                              : ns_paper_result_label(result);
}

/* Whether the values span more than a decade, so that a linear axis would flatten most curves. */
static bool spans_a_decade(const Paper *p)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < p->n; i++) {
        for (size_t k = 0; k < p->curves[i]->n; k++) {
            least = fmin(least, p->curves[i]->y[k]);
            most = fmax(most, p->curves[i]->y[k]);
        }
    }
    return least > 0 && most > 10 * least;
}

static void set_axes(Paper *p)
{
    NsAxis *x = &p->figure.plot.x, *y = &p->figure.plot.left;
    const NsResult *measured = &p->measured;
    bool squared = measured->quantity == NS_QUANTITY_HIDDEN_SQ;
    bool states = ns_quantity(measured->quantity)->domain == NS_DOMAIN_HIDDEN;
    NsScaleKind scale = p->log ? NS_SCALE_LOG : NS_SCALE_LINEAR;
    bool curvature = ns_result_is_measured_every(measured, "curvature-every");
    x->lo = x->hi = (double)NAN;
    x->scale = y->scale = NS_SCALE_LINEAR;
    x->integer = true;
    y->unit = ns_result_is_loss(measured)          ? _("nats")
              : measured->kind == NS_RESULT_MEMORY ? "MiB"
              : ns_result_is_downstream(measured)  ? "%"
                                                   : NULL;
    y->label = ns_result_is_downstream(measured) ? _("accuracy") : ns_paper_result_label(measured);
    switch (p->kind) {
    case NS_PAPER_GRID:
        x->label = p->grid ? p->grid : _("layers L");
        x->integer = !p->grid;
        x->scale = scale;
        if (!ns_result_is_loss(measured)) y->scale = scale;
        break;
    case NS_PAPER_LAYER:
        x->label = states ? _("layer (0: embedding)") : _("layer");
        if (squared)
            y->label = "‖x_l‖^2 / d";
        else
            y->scale = scale;
        break;
    case NS_PAPER_STEP:
        x->label = _("step");
        if ((ns_result_is_loss(measured) || curvature) && spans_a_decade(p))
            y->scale = NS_SCALE_LOG;
        break;
    case NS_PAPER_TOKENS:
        x->label = _("squared norm / mean");
        x->integer = false;
        x->lo = 0.5;
        x->hi = 1.75;
        y->label = _("share of tokens");
        break;
    }
}

/* ---- Curves ---- */

static void set_series(Paper *p)
{
    NsPlot *plot = &p->figure.plot;
    plot->n_series = MIN(p->n, NS_FIGURE_SERIES);
    size_t theories = 0;
    unsigned dots = 0;
    for (size_t i = 0; i < plot->n_series; i++) theories += p->curves[i]->theory;
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsPaperSeries *from = p->curves[i];
        bool bars = p->kind == NS_PAPER_TOKENS;
        /* The expectation of an arm for encoder and decoder is one line in two parts. */
        bool part = i && from->theory && p->curves[i - 1]->theory &&
                    g_str_equal(from->label, p->curves[i - 1]->label);
        const NsSeries *before = part ? &p->figure.series[i - 1] : NULL;
        p->figure.series[i] =
            (NsSeries){.label = _(from->label),
                       .group = from->theory ? _(from->label) : NULL,
                       .kind = bars                                       ? NS_SERIES_BARS
                               : from->theory || p->kind == NS_PAPER_STEP ? NS_SERIES_LINE
                                                                          : NS_SERIES_POINTS,
                       .style = part ? before->style : (unsigned)i,
                       .theory = from->theory,
                       .tinted = theories > 1 && from->theory,
                       .dash = part           ? before->dash
                               : from->theory ? dots++
                                              : 0,
                       .n = from->n,
                       .x = from->x,
                       .y = from->y,
                       .lo = bars ? NULL : from->lo,
                       .hi = bars ? NULL : from->hi,
                       .edges = bars ? p->edges : NULL};
        if (!from->theory) {
            /* A study of two factors has a color for one and a dash for the other: the arm and the
             * configuration, or what the arms have in common and what they do not. */
            unsigned arms = ns_paper_arms(p->study), arm = (unsigned)from->curve % arms;
            unsigned configuration = (unsigned)from->curve / arms, like = p->study->arms[arm].like;
            p->figure.series[i].style = like ? like - 1 : arm;
            if (p->factors)
                p->figure.series[i].dash =
                    (like ? 1 : configuration) + NS_SERIES_STYLES - p->figure.series[i].style;
        }
    }
}

/* Sets the curves of each seed.  Measured curves come before theory and are the only ones with
 * seeds. */
static void set_singles(Paper *p)
{
    NsFigure *figure = &p->figure;
    size_t n = 0, seeds = p->result ? p->curves[0]->seeds : 0;
    while (p->result && n < figure->plot.n_series && p->curves[n]->seeds) n++;
    if (seeds < 2) return;
    NsPlot *single = ns_figure_singles(figure, seeds);
    for (size_t seed = 0; seed < seeds; seed++) {
        NsSeries *series = ns_figure_own(figure, g_new(NsSeries, n));
        for (size_t i = 0; i < n; i++) {
            const NsPaperSeries *from = p->curves[i];
            series[i] = (NsSeries){.label = figure->series[i].label,
                                   .n = from->n,
                                   .x = from->x,
                                   .y = from->singles + seed * from->n};
        }
        single[seed].series = series;
        single[seed].n_series = n;
    }
}

/* Describes the curves; the verdicts stand where the claims do. */
static char *caption(const Paper *p)
{
    GString *words = g_string_new(NULL);
    if (!p->result) g_string_append(words, _("Expected shapes; nothing was measured."));
    if (p->result && p->curves[0]->lo && p->kind != NS_PAPER_TOKENS)
        g_string_append_printf(words, _("Mean and 16–84%% range of %zu seeds."),
                               p->curves[0]->seeds);
    for (size_t i = 0; i < p->n; i++) {
        if (!p->curves[i]->diverged) continue;
        if (words->len) g_string_append_c(words, ' ');
        g_string_append_printf(words, _("Diverged: %s in %zu of %zu seeds; its mean ends there."),
                               _(p->curves[i]->label), p->curves[i]->diverged, p->curves[i]->seeds);
    }
    return g_string_free(words, !words->len);
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Paper *p = (Paper *)figure;
    NS_FIGURE_SET(figure, p->study, input->study);
    NS_FIGURE_SET(figure, p->panel, input->panel);
    if (p->result != input->result) {
        ns_paper_result_unref(p->result);
        p->result = input->result ? ns_paper_result_ref(input->result) : NULL;
        figure->changed = true;
    }
    NS_FIGURE_SET(figure, p->log, input->log);
    if (!figure->changed) return;
    g_array_set_size(figure->markers, 0);
    ns_figure_forget(figure);
    if (!p->study) return;
    /* Reads what the axes show from the study. */
    g_auto(NsStudy) study;
    ns_paper_make(p->study, &study, NULL);
    p->kind = ns_paper_kind_of(&study);
    p->measured = study.results.of[p->panel];
    p->factors = ns_paper_curves(&study) > ns_paper_arms(p->study);
    for (unsigned arm = 0; arm < ns_paper_arms(p->study); arm++)
        p->factors |= p->study->arms[arm].like > 0;
    bool layers = !study.n_grid || g_str_equal(study.grid[0].param->key, "layers");
    p->grid = layers ? NULL : _(study.grid[0].param->label);
    ns_paper_result_unref(p->expected);
    p->expected = p->result ? NULL : ns_paper_expected(p->study);
    const NsPaperResult *shown = p->result ? p->result : p->expected;
    p->n = 0;
    for (size_t i = 0; i < shown->n_series; i++)
        if (shown->series[i].result == p->panel) p->curves[p->n++] = &shown->series[i];
    set_axes(p);
    set_series(p);
    set_singles(p);
    if (p->kind == NS_PAPER_TOKENS && p->result) {
        const NsMarker threshold = {.x = 1.1, .text = "1.1"};
        g_array_append_val(figure->markers, threshold);
    }
    /* If there are several panels, the first has the title of the study and the others that of
     * their result. */
    const NsChoice *choice = &p->study->choice;
    const char *title = p->panel ? title_of(&p->measured) : _(choice->label);
    ns_figure_text(&p->figure, &p->figure.plot.title, g_strdup(title));
    ns_figure_text(&p->figure, &p->figure.plot.subtitle,
                   p->panel ? NULL : g_strdup(choice->reference));
    bool curves = figure->plot.n_series > 0;
    ns_figure_text(figure, &figure->plot.empty, curves ? NULL : g_strdup(_("Not measured yet")));
    ns_figure_text(figure, &figure->plot.note, curves ? caption(p) : NULL);
}

static void clear(NsFigure *figure)
{
    Paper *p = (Paper *)figure;
    ns_paper_result_unref(p->expected);
    ns_paper_result_unref(p->result);
}

/* Sets the edges of the bins of the token histogram.  All panels have one order of names. */
static void init(NsFigure *figure)
{
    Paper *p = (Paper *)figure;
    figure->plot.ordered = true;
    for (size_t k = 0; k <= NS_TOKEN_SNAPSHOT_BINS; k++)
        p->edges[k] = ((double)k - 0.5) * NS_TOKEN_SNAPSHOT_BIN;
}

NsPaperPanels ns_paper_panels(const NsFigureInput *input)
{
    g_auto(NsStudy) study;
    ns_paper_make(input->study, &study, NULL);
    NsPaperPanels panels = {.n = study.results.n};
    NsFigureInput of = *input;
    for (of.panel = 0; of.panel < panels.n; of.panel++) {
        panels.figures[of.panel] = ns_figure_create(&ns_paper_kind);
        panels.plots[of.panel] = ns_figure_update(panels.figures[of.panel], &of);
    }
    return panels;
}

void ns_paper_panels_clear(NsPaperPanels *panels)
{
    for (size_t i = 0; i < panels->n; i++) ns_figure_free(panels->figures[i]);
}

static const NsFigureClass class = {sizeof(Paper), init, update, clear, NS_SEEDS_ALIKE};

const NsFigureKind ns_paper_kind = {
    .choice = {"paper", N_("Study of the paper"), NULL, NULL,
               N_("A figure of the paper, measured here.")},
    .class = &class,
};
