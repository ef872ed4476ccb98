/* A study of the paper: what was measured beside what is expected.  SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/words.h"
#include "core/probe/token_snapshot.h"

#include <math.h>

typedef struct {
    NsFigure figure;
    const NsPaperStudy *study;
    NsPaperKind kind; /* of the study */
    NsResult measured;
    char *grid;              /* the setting on the horizontal axis, or NULL */
    NsPaperResult *result;   /* a reference; the series are its columns */
    NsPaperResult *expected; /* of a study that has no result; NULL where it has one */
    bool log;
    double edges[NS_TOKEN_SNAPSHOT_BINS + 1];
    NsPlot *single; /* [seeds] the curves of each, which tables have; NULL of one */
    NsSeries *single_series;
    const NsPlot **singles;
} Paper;

/* What the study of a row says of its axes. */
static void describe(Paper *p, const NsPaperStudy *row)
{
    g_auto(NsStudy) study;
    ns_paper_make(row, &study, NULL);
    p->kind = ns_paper_kind_of(&study);
    p->measured = study.result;
    bool layers = !study.n_grid || g_str_equal(study.grid[0].param->key, "layers");
    g_free(p->grid);
    p->grid = layers ? NULL : g_strdup(_(study.grid[0].param->label));
}

/* ---- Axes ---- */

typedef struct {
    const char *x, *y;
    NsScaleKind x_scale, y_scale;
    bool integer;
} Axes;

/* What stands at the vertical axis. */
static const char *symbol_of(const NsResult *measured)
{
    switch (measured->kind) {
    case NS_RESULT_LOSS:
        return _("training loss");
    case NS_RESULT_VALIDATION:
        return _("validation loss");
    case NS_RESULT_SECONDS:
        return _("seconds per step");
    case NS_RESULT_GRADIENT:
    case NS_RESULT_QUANTITY:
    case NS_RESULT_TOKENS:
        break;
    }
    return ns_quantity(measured->quantity)->symbol;
}

static bool is_loss(const NsResult *measured)
{
    return measured->kind == NS_RESULT_LOSS || measured->kind == NS_RESULT_VALIDATION;
}

static Axes axes_of(const Paper *p)
{
    bool log = p->log;
    NsScaleKind scale = log ? NS_SCALE_LOG : NS_SCALE_LINEAR;
    const char *symbol = symbol_of(&p->measured);
    bool squared = p->measured.quantity == NS_QUANTITY_HIDDEN_SQ;
    bool states = ns_quantity(p->measured.quantity)->domain == NS_DOMAIN_HIDDEN;
    switch (p->kind) {
    case NS_PAPER_GRID:
        return (Axes){p->grid ? p->grid : _("layers L"), symbol, scale,
                      is_loss(&p->measured) ? NS_SCALE_LINEAR : scale, p->grid == NULL};
    case NS_PAPER_LAYER:
        return (Axes){states ? _("layer (0: embedding)") : _("layer"),
                      squared ? "‖x_l‖^2 / d" : symbol, NS_SCALE_LINEAR,
                      squared ? NS_SCALE_LINEAR : scale, true};
    case NS_PAPER_STEP:
        return (Axes){_("step"), symbol, NS_SCALE_LINEAR, NS_SCALE_LINEAR, true};
    case NS_PAPER_TOKENS:
        return (Axes){_("squared norm / mean"), _("share of tokens"), NS_SCALE_LINEAR,
                      NS_SCALE_LINEAR, false};
    }
    return (Axes){0};
}

static void set_axes(Paper *p)
{
    NsPlot *plot = &p->figure.plot;
    Axes axes = axes_of(p);
    plot->x.label = axes.x;
    plot->x.scale = axes.x_scale;
    plot->x.integer = axes.integer;
    plot->left.label = axes.y;
    plot->left.scale = axes.y_scale;
    plot->left.unit = is_loss(&p->measured) ? _("nats") : NULL;
    bool tokens = p->kind == NS_PAPER_TOKENS;
    plot->x.lo = tokens ? 0.5 : (double)NAN;
    plot->x.hi = tokens ? 1.75 : (double)NAN;
}

/* ---- Curves ---- */

static NsSeriesKind kind_of(NsPaperKind kind, bool theory)
{
    if (kind == NS_PAPER_TOKENS) return NS_SERIES_BARS;
    return theory || kind == NS_PAPER_STEP ? NS_SERIES_LINE : NS_SERIES_POINTS;
}

static void set_series(Paper *p)
{
    NsPlot *plot = &p->figure.plot;
    const NsPaperResult *result = p->result ? p->result : p->expected;
    plot->n_series = result ? MIN(result->n_series, NS_FIGURE_SERIES) : 0;
    size_t theories = 0;
    unsigned dots = 0;
    for (size_t i = 0; i < plot->n_series; i++) theories += result->series[i].theory;
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsPaperSeries *from = &result->series[i];
        bool bars = p->kind == NS_PAPER_TOKENS;
        p->figure.series[i] = (NsSeries){.label = _(from->label),
                                         .kind = kind_of(p->kind, from->theory),
                                         .style = (unsigned)i,
                                         .theory = from->theory,
                                         .tinted = theories > 1 && from->theory,
                                         .dash = from->theory ? dots++ : 0,
                                         .n = from->n,
                                         .x = from->x,
                                         .y = from->y,
                                         .lo = bars ? NULL : from->lo,
                                         .hi = bars ? NULL : from->hi,
                                         .edges = bars ? p->edges : NULL};
    }
}

static void forget_singles(Paper *p)
{
    g_clear_pointer(&p->single, g_free);
    g_clear_pointer(&p->single_series, g_free);
    g_clear_pointer(&p->singles, g_free);
    p->figure.plot.n_singles = 0;
}

/* Measured curves come before theory. */
static void set_singles(Paper *p)
{
    forget_singles(p);
    const NsPaperResult *result = p->result;
    size_t n = 0, seeds = result ? result->series[0].seeds : 0;
    while (result && n < p->figure.plot.n_series && result->series[n].seeds) n++;
    if (seeds < 2) return;
    p->single = g_new0(NsPlot, seeds);
    p->single_series = g_new(NsSeries, seeds * n);
    p->singles = g_new(const NsPlot *, seeds);
    for (size_t seed = 0; seed < seeds; seed++) {
        NsSeries *series = p->single_series + seed * n;
        for (size_t i = 0; i < n; i++) {
            const NsPaperSeries *from = &result->series[i];
            series[i] = (NsSeries){.label = p->figure.series[i].label,
                                   .n = from->n,
                                   .x = from->x,
                                   .y = from->singles + seed * from->n};
        }
        p->single[seed].series = series;
        p->single[seed].n_series = n;
        p->singles[seed] = &p->single[seed];
    }
    p->figure.plot.singles = p->singles;
    p->figure.plot.n_singles = seeds;
}

static char *verdict(const NsPaperResult *result)
{
    GString *words = g_string_new(NULL);
    for (size_t i = 0; i < result->n_findings; i++) {
        g_autofree char *finding = ns_finding_words(&result->findings[i]);
        g_string_append_printf(words, "%s%s", words->len ? "; " : "", finding);
    }
    return g_string_free(words, FALSE);
}

/* Before the study was run: what it expects, with the curves as shapes of it. */
static char *expectation(const NsPaperStudy *study)
{
    GString *words = g_string_new(NULL);
    for (unsigned i = 0; i < study->n_claims; i++) {
        g_autofree char *claim = ns_claim_words(&study->claims[i]);
        g_string_append_printf(words, "%s%s", words->len ? "; " : "", claim);
    }
    return g_string_free(words, FALSE);
}

static void forget_expected(Paper *p)
{
    ns_paper_result_unref(p->expected);
    p->expected = NULL;
}

static void expect(Paper *p)
{
    bool known = p->expected && p->expected->study == p->study;
    if (!known || p->result) forget_expected(p);
    if (!p->expected && !p->result) p->expected = ns_paper_expected(p->study);
}

static bool update(NsFigure *figure, const NsFigureInput *input)
{
    Paper *p = (Paper *)figure;
    bool same = p->study == input->study && p->result == input->result && p->log == input->log;
    if (same && figure->plot.version) return false;
    if (p->result != input->result) {
        ns_paper_result_unref(p->result);
        p->result = input->result ? ns_paper_result_ref(input->result) : NULL;
    }
    if (p->study != input->study && input->study) describe(p, input->study);
    p->study = input->study;
    p->log = input->log;
    g_array_set_size(figure->markers, 0);
    figure->plot.n_series = 0;
    if (!p->study) return true;
    expect(p);
    set_axes(p);
    set_series(p);
    set_singles(p);
    if (p->kind == NS_PAPER_TOKENS && p->result) {
        const NsMarker threshold = {.x = 1.1, .text = "1.1"};
        g_array_append_val(figure->markers, threshold);
    }
    ns_figure_text(&figure->title, g_strdup(_(p->study->choice.label)));
    ns_figure_text(&figure->subtitle, g_strdup(p->study->choice.reference));
    char *expected = p->result ? NULL : expectation(p->study);
    bool curves = figure->plot.n_series > 0;
    ns_figure_text(&figure->empty, curves ? NULL : g_strdup(expected));
    ns_figure_text(&figure->note,
                   p->result ? verdict(p->result)
                   : curves  ? g_strdup_printf(_("Expected shapes, not sizes: %s"), expected)
                             : NULL);
    g_free(expected);
    return true;
}

static void clear(NsFigure *figure)
{
    forget_expected((Paper *)figure);
    forget_singles((Paper *)figure);
    g_free(((Paper *)figure)->grid);
    ns_paper_result_unref(((Paper *)figure)->result);
}

/* The looks of the axes of a new one. */
static void init(NsFigure *figure)
{
    Paper *p = (Paper *)figure;
    for (size_t k = 0; k <= NS_TOKEN_SNAPSHOT_BINS; k++)
        p->edges[k] = ((double)k - 0.5) * NS_TOKEN_SNAPSHOT_BIN;
}

const NsFigureKind *ns_paper_kind(void)
{
    static const NsFigureClass class = {sizeof(Paper), init, update, clear, NS_SEEDS_ALIKE};
    static const NsFigureKind kind = {
        .choice =
            {
                .key = "paper",
                .label = N_("Study of the paper"),
                .purpose = N_("A figure of the paper, measured here."),
            },
        .class = &class,
        .log = true,
    };
    return &kind;
}
