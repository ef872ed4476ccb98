/* Figures of a study: the results of its lanes by search effort and by learning rate.
 * SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/words.h"

#include <math.h>
#include <string.h>

/* The struct of both figures: a curve with its intervals for every lane. */
typedef struct {
    NsFigure figure;
    double *x;                                                     /* [n] */
    double *y[NS_LANES_MAX], *lo[NS_LANES_MAX], *hi[NS_LANES_MAX]; /* [n] */
    char *label;                                                   /* of a result that is not a
                                                                    * loss */
    NsPlot *single;                                                /* [seeds] for tables */
    NsSeries *single_series;                                       /* [seeds, NS_LANES_MAX] */
    const NsPlot **singles;
    GPtrArray *owned; /* data that these plots borrow */
} Lanes;

static void forget(NsFigure *figure)
{
    Lanes *l = (Lanes *)figure;
    g_clear_pointer(&l->x, g_free);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) {
        g_clear_pointer(&l->y[lane], g_free);
        g_clear_pointer(&l->lo[lane], g_free);
        g_clear_pointer(&l->hi[lane], g_free);
        g_clear_pointer(&l->figure.labels[lane], g_free);
    }
    g_clear_pointer(&l->label, g_free);
    g_clear_pointer(&l->single, g_free);
    g_clear_pointer(&l->single_series, g_free);
    g_clear_pointer(&l->singles, g_free);
    g_clear_pointer(&l->owned, g_ptr_array_unref);
    l->owned = g_ptr_array_new_with_free_func(g_free);
    figure->plot.n_series = figure->plot.n_singles = 0;
}

static void clear(NsFigure *figure)
{
    forget(figure);
    g_ptr_array_unref(((Lanes *)figure)->owned);
}

/* If a value has no interval, none is drawn. */
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

static const char *result_label(Lanes *l, const NsStudy *study)
{
    if (study->results.of[0].kind == NS_RESULT_VALIDATION) return _("best validation loss");
    if (study->results.of[0].kind == NS_RESULT_LOSS) return _("best training loss");
    l->label = ns_study_result_words(study);
    return l->label;
}

static void set_words(Lanes *l, const NsStudy *study, const char *title)
{
    NsPlot *plot = &l->figure.plot;
    plot->x.scale = NS_SCALE_LOG;
    plot->left.label = study ? result_label(l, study) : NULL;
    plot->left.unit = study && ns_result_is_loss(&study->results.of[0]) ? _("nats") : NULL;
    l->figure.changed = true;
    ns_figure_text(&l->figure, &l->figure.title, g_strdup(title));
    ns_figure_text(&l->figure, &l->figure.subtitle,
                   study ? g_strdup(study->experiment.title ? study->experiment.title : "") : NULL);
}

/* ---- Single seeds ---- */

/* Creates a plot for each seed, to which a series for each lane is added. */
static void make_singles(Lanes *l, size_t seeds)
{
    l->single = g_new0(NsPlot, seeds);
    l->single_series = g_new0(NsSeries, seeds * NS_LANES_MAX);
    l->singles = g_new(const NsPlot *, seeds);
    for (size_t seed = 0; seed < seeds; seed++) {
        l->single[seed].series = l->single_series + seed * NS_LANES_MAX;
        l->singles[seed] = &l->single[seed];
    }
    l->figure.plot.singles = l->singles;
    l->figure.plot.n_singles = seeds;
}

/* Adds the n values of the next lane to the plot of a seed.  Takes ownership of y; borrows name and
 * x. */
static void add_single(Lanes *l, size_t seed, const char *name, const double *x, double *y,
                       size_t n)
{
    NsPlot *plot = &l->single[seed];
    NsSeries *series = &l->single_series[seed * NS_LANES_MAX + plot->n_series++];
    g_ptr_array_add(l->owned, y);
    *series = (NsSeries){.label = name, .n = n, .x = x, .y = y};
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
    GString *note = g_string_new(c->better > 0 ? _("Higher is better.") : NULL);
    for (size_t one = 0; one < c->lanes; one++)
        for (size_t other = one + 1; other < c->lanes; other++) add_verdicts(note, c, one, other);
    return g_string_free(note, FALSE);
}

/* Adds the results of all configurations, numbered from 1, for each seed; the scores are computed
 * from these. */
static void add_results(Lanes *l, const NsComparedInput *from)
{
    const NsStudy *study = from->study;
    size_t n = ns_study_configurations(study), seeds = (size_t)study->seeds;
    double *x = g_new(double, n);
    make_singles(l, seeds);
    g_ptr_array_add(l->owned, x);
    for (size_t i = 0; i < n; i++) x[i] = (double)(i + 1);
    for (size_t lane = 0; lane < ns_study_lanes(study); lane++) {
        char *name = g_strdup_printf(_("%s, by configuration"), l->figure.labels[lane]);
        g_ptr_array_add(l->owned, name);
        for (size_t seed = 0; seed < seeds; seed++) {
            double *y = g_new(double, n);
            for (size_t i = 0; i < n; i++)
                y[i] = from->cells[ns_study_cell(study, (NsStudyPlace){i, lane, seed})].value;
            add_single(l, seed, name, x, y, n);
        }
    }
}

static void update_best(NsFigure *figure, const NsFigureInput *input)
{
    Lanes *l = (Lanes *)figure;
    const NsComparedInput *from = input->compared;
    const NsComparison *c = from ? from->comparison : NULL;
    forget(figure);
    set_words(l, from ? from->study : NULL, _("What a search of k configurations finds"));
    figure->plot.x.label = _("configurations tried, k");
    figure->plot.x.integer = true;
    ns_figure_text(figure, &figure->empty,
                   g_strdup(_("There are too few configurations to compare.")));
    ns_figure_text(figure, &figure->note, c ? verdicts(c) : NULL);
    if (!c) return;
    l->x = g_new(double, c->n_budgets);
    for (size_t i = 0; i < c->n_budgets; i++) l->x[i] = (double)c->budgets[i];
    for (size_t lane = 0; lane < c->lanes; lane++)
        add_lane(l, from->study, lane, c->best[lane], c->n_budgets);
    add_results(l, from);
}

static const NsFigureClass best_class = {sizeof(Lanes), NULL, update_best, clear, NS_SEEDS_ALIKE};

const NsFigureKind ns_best_of_kind = {
    .choice =
        {
            .key = "best-of",
            .label = N_("Best of k configurations"),
            .purpose = N_("The expected best result of a search of k configurations in each "
                          "lane of a study, with its interval."),
        },
    .class = &best_class,
};

/* ---- Sensitivity ---- */

static char *sensitivities(const NsComparedInput *from)
{
    GString *note = g_string_new(ns_study_better(from->study) < 0
                                     ? _("Mean over the learning rates minus the lowest result:")
                                     : _("Highest result minus the mean over the learning rates:"));
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

static void add_seeds(Lanes *l, const NsComparedInput *from)
{
    const NsSensitivity *s = from->sensitivity;
    size_t seeds = (size_t)from->study->seeds;
    if (seeds < 2) return;
    make_singles(l, seeds);
    for (size_t lane = 0; lane < ns_study_lanes(from->study); lane++)
        for (size_t seed = 0; seed < seeds; seed++) {
            double *y = g_new(double, s->n);
            for (size_t i = 0; i < s->n; i++) y[i] = s->seeds[lane][i * seeds + seed];
            add_single(l, seed, l->figure.labels[lane], l->x, y, s->n);
        }
}

static void update_sensitivity(NsFigure *figure, const NsFigureInput *input)
{
    Lanes *l = (Lanes *)figure;
    const NsComparedInput *from = input->compared;
    const NsSensitivity *s = from ? from->sensitivity : NULL;
    forget(figure);
    set_words(l, from ? from->study : NULL, _("Sensitivity to the learning rate"));
    figure->plot.x.label = _("peak learning rate");
    ns_figure_text(figure, &figure->empty, g_strdup(_("The learning rate is not in the grid.")));
    ns_figure_text(figure, &figure->note, s ? sensitivities(from) : NULL);
    if (!s) return;
    l->x = g_memdup2(s->rates, s->n * sizeof *s->rates);
    for (size_t lane = 0; lane < ns_study_lanes(from->study); lane++)
        add_lane(l, from->study, lane, s->scores[lane], s->n);
    add_seeds(l, from);
}

static const NsFigureClass sensitivity_class = {sizeof(Lanes), NULL, update_sensitivity, clear,
                                                NS_SEEDS_ALIKE};

const NsFigureKind ns_sensitivity_kind = {
    .choice =
        {
            .key = "lr-sensitivity",
            .label = N_("Sensitivity to the learning rate"),
            .reference = "Wortsman et al. 2023, arXiv 2309.14322",
            .purpose = N_("The best result at each learning rate of the grid in each lane of a "
                          "study."),
        },
    .class = &sensitivity_class,
};
