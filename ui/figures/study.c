/* Figures of a study: the results of its lanes by search effort and by learning rate.
 * SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/words.h"

#include <math.h>

/* Adds the curve of a lane.  If a value has no interval, none is drawn. */
static void add_lane(NsFigure *figure, const NsStudy *study, size_t lane, const double *x,
                     const NsInterval *values, size_t n)
{
    double *y = ns_figure_own(figure, g_new(double, n));
    double *lo = ns_figure_own(figure, g_new(double, n));
    double *hi = ns_figure_own(figure, g_new(double, n));
    for (size_t i = 0; i < n; i++) {
        y[i] = values[i].value;
        lo[i] = isnan(values[i].lo) ? values[i].value : values[i].lo;
        hi[i] = isnan(values[i].hi) ? values[i].value : values[i].hi;
    }
    figure->series[lane] =
        (NsSeries){.label = ns_figure_own(figure, ns_study_lane_words(study, lane)),
                   .kind = NS_SERIES_POINTS,
                   .style = (unsigned)lane,
                   .n = n,
                   .x = x,
                   .y = y,
                   .lo = lo,
                   .hi = hi};
    figure->plot.n_series = lane + 1;
}

static void set_words(NsFigure *figure, const NsStudy *study, const char *title)
{
    NsPlot *plot = &figure->plot;
    const NsResult *result = study ? &study->results.of[0] : NULL;
    plot->x.scale = NS_SCALE_LOG;
    plot->left.label = !result                                ? NULL
                       : result->kind == NS_RESULT_VALIDATION ? _("best validation loss")
                       : result->kind == NS_RESULT_LOSS
                           ? _("best training loss")
                           : ns_figure_own(figure, ns_study_result_words(study));
    plot->left.unit = result && ns_result_is_loss(result) ? _("nats") : NULL;
    figure->changed = true;
    ns_figure_text(figure, &figure->plot.title, g_strdup(title));
    ns_figure_text(figure, &figure->plot.subtitle,
                   study ? g_strdup(study->experiment.title ? study->experiment.title : "") : NULL);
}

/* ---- The best of k ---- */

/* "A against B at k = 32: B is better." for every pair, or why there are no verdicts. */
static char *verdicts(const NsComparison *c)
{
    GString *note = g_string_new(c->better > 0 ? _("Higher is better.") : NULL);
    size_t k = c->budgets[c->n_budgets - 1];
    if (c->no_verdict && c->lanes > 1) ns_figure_add_sentence(note, "%s", _(c->no_verdict));
    for (size_t one = 0; !c->no_verdict && one < c->lanes; one++)
        for (size_t other = one + 1; other < c->lanes; other++) {
            NsBetter better = c->verdicts[one][other];
            const char *a = ns_lane_letter(one), *b = ns_lane_letter(other);
            if (better == NS_BETTER_NEITHER)
                ns_figure_add_sentence(note, _("%s against %s at k = %zu: undecided."), a, b, k);
            else
                ns_figure_add_sentence(note, _("%s against %s at k = %zu: %s is better."), a, b, k,
                                       better == NS_BETTER_A ? a : b);
        }
    return g_string_free(note, FALSE);
}

/* Adds the results of all configurations, numbered from 1, for each seed; the scores are computed
 * from these. */
static void add_results(NsFigure *figure, const NsComparedInput *from)
{
    const NsStudy *study = from->results->study;
    size_t n = ns_study_configurations(study), lanes = study->experiment.n;
    double *x = ns_figure_own(figure, g_new(double, n));
    const char *names[NS_LANES_MAX];
    for (size_t i = 0; i < n; i++) x[i] = (double)(i + 1);
    for (size_t lane = 0; lane < lanes; lane++)
        names[lane] = ns_figure_own(
            figure, g_strdup_printf(_("%s, by configuration"), figure->series[lane].label));
    NsPlot *single = ns_figure_singles(figure, (size_t)study->seeds);
    for (size_t seed = 0; seed < (size_t)study->seeds; seed++) {
        NsSeries *series = ns_figure_own(figure, g_new(NsSeries, lanes));
        for (size_t lane = 0; lane < lanes; lane++) {
            double *y = ns_figure_own(figure, g_new(double, n));
            for (size_t i = 0; i < n; i++)
                y[i] =
                    from->results->cells[ns_study_cell(study, (NsStudyPlace){i, lane, seed})].value;
            series[lane] = (NsSeries){.label = names[lane], .n = n, .x = x, .y = y};
        }
        single[seed].series = series;
        single[seed].n_series = lanes;
    }
}

static void update_best(NsFigure *figure, const NsFigureInput *input)
{
    const NsComparedInput *from = input->compared;
    const NsComparison *c = from ? from->comparison : NULL;
    ns_figure_forget(figure);
    set_words(figure, from ? from->results->study : NULL,
              _("What a search of k configurations finds"));
    figure->plot.x.label = _("configurations tried, k");
    figure->plot.x.integer = true;
    ns_figure_text(figure, &figure->plot.empty,
                   g_strdup(_("There are too few configurations to compare.")));
    ns_figure_text(figure, &figure->plot.note, c ? verdicts(c) : NULL);
    if (!c) return;
    double *x = ns_figure_own(figure, g_new(double, c->n_budgets));
    for (size_t i = 0; i < c->n_budgets; i++) x[i] = (double)c->budgets[i];
    for (size_t lane = 0; lane < c->lanes; lane++)
        add_lane(figure, from->results->study, lane, x, c->best[lane], c->n_budgets);
    add_results(figure, from);
}

static const NsFigureClass best_class = {sizeof(NsFigure), NULL, update_best, NULL, NS_SEEDS_ALIKE};

const NsFigureKind ns_best_of_kind = {
    .choice = {"best-of", N_("Best of k configurations"), NULL, NULL,
               N_("The expected best result of a search of k configurations in each lane of a "
                  "study, with its interval.")},
    .class = &best_class,
};

/* ---- Sensitivity ---- */

static char *sensitivities(const NsComparedInput *from)
{
    GString *note = g_string_new(ns_study_better(from->results->study) < 0
                                     ? _("Mean over the learning rates minus the lowest result:")
                                     : _("Highest result minus the mean over the learning rates:"));
    for (size_t lane = 0; lane < from->results->study->experiment.n; lane++) {
        const NsInterval *s = &from->sensitivity->sensitivity[lane];
        char value[G_ASCII_DTOSTR_BUF_SIZE], lo[G_ASCII_DTOSTR_BUF_SIZE],
            hi[G_ASCII_DTOSTR_BUF_SIZE];
        g_autofree char *name = ns_study_lane_words(from->results->study, lane);
        g_string_append_printf(note, "%s %s %s", lane ? "," : "", name,
                               g_ascii_formatd(value, sizeof value, "%.3g", s->value));
        if (!isnan(s->lo))
            g_string_append_printf(note, " [%s, %s]", g_ascii_formatd(lo, sizeof lo, "%.3g", s->lo),
                                   g_ascii_formatd(hi, sizeof hi, "%.3g", s->hi));
    }
    g_string_append_c(note, '.');
    return g_string_free(note, FALSE);
}

static void update_sensitivity(NsFigure *figure, const NsFigureInput *input)
{
    const NsComparedInput *from = input->compared;
    const NsSensitivity *s = from ? from->sensitivity : NULL;
    ns_figure_forget(figure);
    set_words(figure, from ? from->results->study : NULL, _("Sensitivity to the learning rate"));
    figure->plot.x.label = _("peak learning rate");
    ns_figure_text(figure, &figure->plot.empty,
                   g_strdup(_("The learning rate is not in the grid.")));
    ns_figure_text(figure, &figure->plot.note, s ? sensitivities(from) : NULL);
    if (!s) return;
    double *x = ns_figure_own(figure, g_memdup2(s->rates, s->n * sizeof *s->rates));
    size_t seeds = (size_t)from->results->study->seeds, lanes = from->results->study->experiment.n;
    for (size_t lane = 0; lane < lanes; lane++)
        add_lane(figure, from->results->study, lane, x, s->scores[lane], s->n);
    if (seeds < 2) return;
    NsPlot *single = ns_figure_singles(figure, seeds);
    for (size_t seed = 0; seed < seeds; seed++) {
        NsSeries *series = ns_figure_own(figure, g_new(NsSeries, lanes));
        for (size_t lane = 0; lane < lanes; lane++) {
            double *y = ns_figure_own(figure, g_new(double, s->n));
            for (size_t i = 0; i < s->n; i++) y[i] = s->seeds[lane][i * seeds + seed];
            series[lane] =
                (NsSeries){.label = figure->series[lane].label, .n = s->n, .x = x, .y = y};
        }
        single[seed].series = series;
        single[seed].n_series = lanes;
    }
}

static const NsFigureClass sensitivity_class = {sizeof(NsFigure), NULL, update_sensitivity, NULL,
                                                NS_SEEDS_ALIKE};

const NsFigureKind ns_sensitivity_kind = {
    .choice = {"lr-sensitivity", N_("Sensitivity to the learning rate"), NULL,
               "Wortsman et al. 2023, arXiv 2309.14322",
               N_("The best result at each learning rate of the grid in each lane of a study.")},
    .class = &sensitivity_class,
};
