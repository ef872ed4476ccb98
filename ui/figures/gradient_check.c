/* The errors of gradients relative to finite differences, over the steps.
 * SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/words.h"

#include <math.h>
#include <string.h>

typedef struct {
    NsFigure figure;
    size_t n;
    double *x, *along, *random; /* [n] from the last update */
    NsLevel level;
} GradientChecks;

/* A logarithmic axis cannot show an error of 0, which is replaced by a smaller error than any that
 * occurs. */
static double shown(double error)
{
    return error > 0 || isnan(error) ? error : 1e-12;
}

static void copy(GradientChecks *t, const NsGradientChecksInput *input)
{
    t->n = input->n;
    t->x = g_renew(double, t->x, MAX(t->n, 1));
    t->along = g_renew(double, t->along, MAX(t->n, 1));
    t->random = g_renew(double, t->random, MAX(t->n, 1));
    for (size_t i = 0; i < t->n; i++) {
        t->x[i] = (double)input->checks[i].step;
        t->along[i] = shown(input->checks[i].along);
        t->random[i] = shown(input->checks[i].random);
    }
}

/* The errors are compared as well, since after a reset a check can have the same step as before. */
static bool is_shown(const GradientChecks *t, const NsGradientChecksInput *input)
{
    bool same = t->n == input->n;
    for (size_t i = 0; i < input->n && same; i++) {
        const NsGradientCheckErrors *check = &input->checks[i];
        const double now[] = {(double)check->step, shown(check->along), shown(check->random)};
        const double drawn[] = {t->x[i], t->along[i], t->random[i]};
        same = memcmp(now, drawn, sizeof now) == 0;
    }
    return same;
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    GradientChecks *t = (GradientChecks *)figure;
    static const NsGradientChecksInput nothing = {0};
    const NsGradientChecksInput *checks = input->checks ? input->checks : &nothing;
    NsPlot *plot = &figure->plot;
    figure->changed |= !is_shown(t, checks);
    if (!figure->changed) return;
    copy(t, checks);
    figure->series[0] = (NsSeries){.label = _("along the gradient"),
                                   .kind = NS_SERIES_POINTS,
                                   .style = 0,
                                   .n = t->n,
                                   .x = t->x,
                                   .y = t->along};
    figure->series[1] = (NsSeries){.label = _("along a random direction"),
                                   .kind = NS_SERIES_POINTS,
                                   .style = 1,
                                   .n = t->n,
                                   .x = t->x,
                                   .y = t->random};
    plot->n_series = t->n ? 2 : 0;
    plot->n_levels = t->n ? 1 : 0;
    ns_figure_text(figure, &figure->title, g_strdup(_("Largest error of a check")));
    ns_figure_text(figure, &figure->empty, g_strdup(_("No check has been made yet.")));
}

static void clear(NsFigure *figure)
{
    GradientChecks *t = (GradientChecks *)figure;
    g_free(t->x);
    g_free(t->along);
    g_free(t->random);
}

static void init(NsFigure *figure)
{
    GradientChecks *t = (GradientChecks *)figure;
    t->level = (NsLevel){.y = 1e-2, .text = _("usual upper limit")};
    figure->plot.x.label = _("step");
    figure->plot.left.label = _("relative error");
    figure->plot.left.scale = NS_SCALE_LOG;
    figure->plot.levels = &t->level;
}

static const NsFigureClass class = {sizeof(GradientChecks), init, update, clear, NS_SEEDS_ALIKE};

const NsFigureKind ns_gradient_check_kind = {
    .choice =
        {
            .key = "gradient-check",
            .label = N_("Errors of gradients"),
            .purpose = N_("Relative error of gradients against finite differences, by step."),
        },
    .class = &class,
};
