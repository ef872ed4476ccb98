/* Figures of a study: its lanes by how hard each is searched, and by learning rate.
 * SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/words.h"

#include <math.h>
#include <string.h>

/* Both figures: a curve for every lane, with its intervals. */
typedef struct {
    NsFigure figure;
    double *x;                                                     /* [n] */
    double *y[NS_LANES_MAX], *lo[NS_LANES_MAX], *hi[NS_LANES_MAX]; /* [n] */
} Lanes;

static void clear(NsFigure *figure)
{
    Lanes *l = (Lanes *)figure;
    g_clear_pointer(&l->x, g_free);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) {
        g_clear_pointer(&l->y[lane], g_free);
        g_clear_pointer(&l->lo[lane], g_free);
        g_clear_pointer(&l->hi[lane], g_free);
        g_clear_pointer(&l->figure.labels[lane], g_free);
    }
    figure->plot.n_series = 0;
}

/* A value without an interval has none drawn. */
static void add_lane(Lanes *l, const NsStudy *study, size_t lane, const NsInterval *values,
                     size_t n)
{
    l->y[lane] = g_new(double, n);
    l->lo[lane] = g_new(double, n);
    l->hi[lane] = g_new(double, n);
    for (size_t i = 0; i < n; i++) {
        l->y[lane][i] = values[i].value;
        l->lo[lane][i] = isnan(values[i].lo) ? values[i].value : values[i].lo;
        l->hi[lane][i] = isnan(values[i].hi) ? values[i].value : values[i].hi;
    }
    l->figure.labels[lane] = ns_study_lane_words(study, lane);
    l->figure.series[lane] = (NsSeries){.label = l->figure.labels[lane],
                                        .kind = NS_SERIES_POINTS,
                                        .style = (unsigned)lane,
                                        .n = n,
                                        .x = l->x,
                                        .y = l->y[lane],
                                        .lo = l->lo[lane],
                                        .hi = l->hi[lane]};
    l->figure.plot.n_series = lane + 1;
}

static const char *loss_words(const NsStudy *study)
{
    return study->result.kind == NS_RESULT_VALIDATION ? _("best validation loss")
                                                      : _("best training loss");
}

static void set_words(Lanes *l, const NsStudy *study, const char *title)
{
    NsPlot *plot = &l->figure.plot;
    plot->x.scale = NS_SCALE_LOG;
    plot->left.label = study ? loss_words(study) : NULL;
    plot->left.unit = _("nats");
    ns_figure_text(&l->figure.title, g_strdup(title));
    ns_figure_text(&l->figure.subtitle,
                   study ? g_strdup(study->experiment.title ? study->experiment.title : "") : NULL);
}

/* ---- The best of k ---- */

static char *verdict_words(size_t one, size_t other, NsBetter better)
{
    if (better == NS_BETTER_NEITHER) return g_strdup(_("undecided"));
    return g_strdup_printf(_("%s is better"), ns_lane_letter(better == NS_BETTER_A ? one : other));
}

/* "A against B: undecided at k = 1 to 4; B is better at k = 6 to 32." */
static void add_verdicts(GString *note, const NsComparison *c, size_t one, size_t other)
{
    if (note->len) g_string_append(note, "  ");
    g_string_append_printf(note, _("%s against %s:"), ns_lane_letter(one), ns_lane_letter(other));
    const NsDuel *duels = c->duels[one][other];
    for (size_t i = 0, end; i < c->n_budgets; i = end) {
        for (end = i + 1; end < c->n_budgets && duels[end].better == duels[i].better; end++)
            continue;
        g_autofree char *words = verdict_words(one, other, duels[i].better);
        g_string_append(note, i ? "; " : " ");
        if (end == i + 1)
            g_string_append_printf(note, _("%s at k = %zu"), words, c->budgets[i]);
        else
            g_string_append_printf(note, _("%s at k = %zu to %zu"), words, c->budgets[i],
                                   c->budgets[end - 1]);
    }
    g_string_append_c(note, '.');
}

static char *verdicts(const NsComparison *c)
{
    GString *note = g_string_new(NULL);
    for (size_t one = 0; one < c->lanes; one++)
        for (size_t other = one + 1; other < c->lanes; other++) add_verdicts(note, c, one, other);
    return g_string_free(note, FALSE);
}

static bool update_best(NsFigure *figure, const NsFigureInput *input)
{
    Lanes *l = (Lanes *)figure;
    const NsComparedInput *from = input->compared;
    const NsComparison *c = from ? from->comparison : NULL;
    clear(figure);
    set_words(l, from ? from->study : NULL, _("What a search of k configurations finds"));
    figure->plot.x.label = _("configurations tried, k");
    figure->plot.x.integer = true;
    ns_figure_text(&figure->empty, g_strdup(_("There are too few configurations to compare.")));
    ns_figure_text(&figure->note, c ? verdicts(c) : NULL);
    if (!c) return true;
    l->x = g_new(double, c->n_budgets);
    for (size_t i = 0; i < c->n_budgets; i++) l->x[i] = (double)c->budgets[i];
    for (size_t lane = 0; lane < c->lanes; lane++)
        add_lane(l, from->study, lane, c->best[lane], c->n_budgets);
    return true;
}

const NsFigureKind *ns_best_of_kind(void)
{
    static const NsFigureClass class = {sizeof(Lanes), NULL, update_best, clear, NS_SEEDS_ALIKE};
    static const NsFigureKind kind = {
        .choice =
            {
                .key = "best-of",
                .label = N_("Best of k configurations"),
                .purpose = N_("The expected best result of a search of k configurations in each "
                              "lane of a study, with its interval."),
            },
        .class = &class,
        .log = true,
    };
    return &kind;
}

/* ---- Sensitivity ---- */

static char *sensitivities(const NsComparedInput *from)
{
    GString *note = g_string_new(_("Mean over the learning rates less the lowest:"));
    for (size_t lane = 0; lane < ns_study_lanes(from->study); lane++) {
        const NsInterval *s = &from->sensitivity->sensitivity[lane];
        char value[G_ASCII_DTOSTR_BUF_SIZE], lo[G_ASCII_DTOSTR_BUF_SIZE],
            hi[G_ASCII_DTOSTR_BUF_SIZE];
        g_autofree char *name = ns_study_lane_words(from->study, lane);
        g_string_append_printf(note, "%s %s %s", lane ? "," : "", name,
                               g_ascii_formatd(value, sizeof value, "%.3g", s->value));
        if (!isnan(s->lo))
            g_string_append_printf(note, " [%s, %s]", g_ascii_formatd(lo, sizeof lo, "%.3g", s->lo),
                                   g_ascii_formatd(hi, sizeof hi, "%.3g", s->hi));
    }
    g_string_append_c(note, '.');
    return g_string_free(note, FALSE);
}

static bool update_sensitivity(NsFigure *figure, const NsFigureInput *input)
{
    Lanes *l = (Lanes *)figure;
    const NsComparedInput *from = input->compared;
    const NsSensitivity *s = from ? from->sensitivity : NULL;
    clear(figure);
    set_words(l, from ? from->study : NULL, _("Sensitivity to the learning rate"));
    figure->plot.x.label = _("peak learning rate");
    ns_figure_text(&figure->empty, g_strdup(_("The learning rate is not in the grid.")));
    ns_figure_text(&figure->note, s ? sensitivities(from) : NULL);
    if (!s) return true;
    l->x = g_memdup2(s->rates, s->n * sizeof *s->rates);
    for (size_t lane = 0; lane < ns_study_lanes(from->study); lane++)
        add_lane(l, from->study, lane, s->scores[lane], s->n);
    return true;
}

const NsFigureKind *ns_sensitivity_kind(void)
{
    static const NsFigureClass class = {sizeof(Lanes), NULL, update_sensitivity, clear,
                                        NS_SEEDS_ALIKE};
    static const NsFigureKind kind = {
        .choice =
            {
                .key = "lr-sensitivity",
                .label = N_("Sensitivity to the learning rate"),
                .reference = "Wortsman et al. 2023, arXiv 2309.14322",
                .purpose = N_("The best result at each learning rate of the grid in each lane of a "
                              "study."),
            },
        .class = &class,
        .log = true,
    };
    return &kind;
}
