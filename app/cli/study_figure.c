/* Charts of a study.  SPDX-License-Identifier: MIT */
#include "app/cli/study.h"

#include "core/base/error.h"
#include "core/study/compare.h"
#include "core/study/phase.h"
#include "ui/figures/figures.h"

static const NsFigureKind *kind_at(size_t i)
{
    static const NsFigureKind *(*const kinds[])(void) = {ns_best_of_kind, ns_sensitivity_kind,
                                                         ns_phase_kind};
    return i < G_N_ELEMENTS(kinds) ? kinds[i]() : NULL;
}

const NsChoice *ns_study_figure_choice(size_t i)
{
    const NsFigureKind *kind = kind_at(i);
    return kind ? &kind->choice : NULL;
}

/* A heatmap for every lane, which share their colors. */
static bool draw_phases(const NsStudyResults *r, const NsPicture *picture, GError **error)
{
    size_t n = ns_study_lanes(r->study), made = 0;
    NsStudy study;
    ns_study_copy(&study, r->study);
    g_autoptr(NsStudyWork) work = ns_study_work_new(&study, NULL, NULL);
    ns_study_work_set_cells(work, r->cells);
    NsPhase *phases[NS_LANES_MAX] = {NULL};
    NsFigure *figures[NS_LANES_MAX] = {NULL};
    const NsPlot *plots[NS_LANES_MAX];
    for (; made < n; made++)
        if (!(phases[made] = ns_phase_new(work, made, 0, 1, error))) break;
    for (size_t lane = 0; made == n && lane < n; lane++) {
        NsFigureInput input = {.phase = phases[lane], .log = true, .step = -1};
        if (n > 1) input.beside = phases[lane ? 0 : 1];
        if (n > 1) input.n_lanes = 1;
        input.lanes[0].name = ns_lane_letter(lane);
        figures[lane] = ns_figure_create(ns_phase_kind());
        plots[lane] = ns_figure_update(figures[lane], &input);
    }
    bool good = made == n && ns_picture_write(picture, plots, n, NULL, NULL, error);
    for (size_t lane = 0; lane < n; lane++) {
        ns_figure_free(figures[lane]);
        ns_phase_unref(phases[lane]);
    }
    return good;
}

bool ns_study_draw(const NsStudyResults *r, const char *key, const NsPicture *picture,
                   GError **error)
{
    const NsFigureKind *kind = kind_at((size_t)ns_choices_find(ns_study_figure_choice, key));
    if (kind == ns_phase_kind()) return draw_phases(r, picture, error);
    g_autofree NsComparison *comparison = ns_comparison_new(r->study, r->cells);
    g_autoptr(NsSensitivity) sensitivity = ns_sensitivity_new(r->study, r->cells);
    const NsComparedInput compared = {r->study, comparison, sensitivity};
    NsFigureInput input = {.compared = &compared, .log = true, .step = -1};
    for (; input.n_lanes < ns_study_lanes(r->study); input.n_lanes++)
        input.lanes[input.n_lanes] =
            (NsFigureRun){.settings = &r->study->experiment.lane[input.n_lanes],
                          .name = ns_lane_letter(input.n_lanes)};
    if (kind == ns_best_of_kind() && !comparison)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "There is nothing to compare: that takes a loss as the result, and two "
                         "configurations or more that have ended in every lane.");
    if (kind == ns_sensitivity_kind() && !sensitivity)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "There is no sensitivity: that takes a loss as the result, and lr in the "
                         "section [grid].");
    g_autoptr(NsFigure) figure = ns_figure_create(kind);
    const NsPlot *plot = ns_figure_update(figure, &input);
    return ns_picture_write(picture, &plot, 1, NULL, NULL, error);
}
