/* The errors of gradients relative to finite differences, over the steps.
 * SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/words.h"

#include <math.h>
#include <string.h>

typedef struct {
    NsFigure figure;
    NsGradientCheckErrors *checks; /* [n] the checks that are drawn */
    size_t n;
    NsLevel level;
} GradientChecks;

/* A logarithmic axis cannot show an error of 0, which is replaced by a smaller error than any that
 * occurs. */
static double shown(double error)
{
    return error > 0 || isnan(error) ? error : 1e-12;
}

static NsSeries curve(const char *label, unsigned style, size_t n, const double *x, const double *y)
{
    return (NsSeries){
        .label = label, .kind = NS_SERIES_POINTS, .style = style, .n = n, .x = x, .y = y};
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    GradientChecks *t = (GradientChecks *)figure;
    size_t n = input->n_checks;
    const NsGradientCheckErrors *checks = input->checks;
    /* The errors are compared as well, since after a reset a check can have the same step. */
    figure->changed |= n != t->n || (n && memcmp(checks, t->checks, n * sizeof *checks) != 0);
    if (!figure->changed) return;
    ns_figure_forget(figure);
    t->n = n;
    t->checks = ns_figure_own(figure, g_memdup2(checks, n * sizeof *checks));
    double *x = ns_figure_own(figure, g_new(double, n));
    double *along = ns_figure_own(figure, g_new(double, n));
    double *random = ns_figure_own(figure, g_new(double, n));
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)checks[i].step;
        along[i] = shown(checks[i].along);
        random[i] = shown(checks[i].random);
    }
    figure->series[0] = curve(_("along the gradient"), 0, n, x, along);
    figure->series[1] = curve(_("along a random direction"), 1, n, x, random);
    figure->plot.n_series = n ? 2 : 0;
    figure->plot.n_levels = n ? 1 : 0;
    ns_figure_text(figure, &figure->plot.title, g_strdup(_("Largest error of a check")));
    ns_figure_text(figure, &figure->plot.empty, g_strdup(_("No check has been made yet.")));
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

static const NsFigureClass class = {sizeof(GradientChecks), init, update, NULL, NS_SEEDS_ALIKE};

const NsFigureKind ns_gradient_check_kind = {
    .choice = {"gradient-check", N_("Errors of gradients"), NULL, NULL,
               N_("Relative error of gradients against finite differences, by step.")},
    .class = &class,
};
