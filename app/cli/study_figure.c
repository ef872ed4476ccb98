/* Charts of a study.  SPDX-License-Identifier: MIT */
#include "app/cli/study.h"

#include "core/base/error.h"
#include "core/study/compare.h"
#include "core/study/phase.h"
#include "ui/figures/figures.h"

static const NsFigureKind *kind_at(size_t i)
{
    static const NsFigureKind *const kinds[] = {&ns_best_of_kind, &ns_sensitivity_kind,
                                                &ns_phase_kind};
    return i < G_N_ELEMENTS(kinds) ? kinds[i] : NULL;
}

const NsChoice *ns_study_figure_choice(size_t i)
{
    const NsFigureKind *kind = kind_at(i);
    return kind ? &kind->choice : NULL;
}

/* ---- Phase diagram ---- */

static bool find_axis(const NsStudy *study, const char *key, size_t *axis, GError **error)
{
    g_autoptr(GString) keys = g_string_new(NULL);
    for (*axis = 0; key && *axis < study->n_grid; ++*axis) {
        const char *own = study->grid[*axis].param->key;
        if (g_str_equal(own, key)) return true;
        g_string_append_printf(keys, "%s%s", keys->len ? ", " : "", own);
    }
    return !key || ns_refuse(error, NS_ERROR_USAGE,
                             "A phase diagram shows settings of the section [grid], which in this "
                             "study has no “%s”; it has: %s.",
                             key, keys->len ? keys->str : "none");
}

/* Draws a heatmap for every lane, all with the same color scale. */
static bool draw_phases(const NsStudyResults *r, const NsStudyFigure *asked, GError **error)
{
    size_t axes[2];
    /* The requested settings, else the first unused settings of the grid. */
    if (!find_axis(r->study, asked->x, &axes[0], error) ||
        !find_axis(r->study, asked->y, &axes[1], error))
        return false;
    if (!asked->x) axes[0] = asked->y && axes[1] == 0 ? 1 : 0;
    if (!asked->y) axes[1] = axes[0] == 0 ? 1 : 0;
    if (axes[0] == axes[1])
        return ns_refuse(error, NS_ERROR_USAGE, "Both axes are %s; choose two different settings.",
                         asked->x);

    size_t n = r->study->experiment.n, made = 0;
    g_auto(NsStudy) study;
    ns_study_copy(&study, r->study);
    g_autoptr(NsStudyWork) work = ns_study_work_new(&study, NULL, NULL);
    ns_study_work_set_cells(work, r->cells);
    NsPhase *phases[NS_LANES_MAX] = {NULL};
    NsFigure *figures[NS_LANES_MAX] = {NULL};
    const NsPlot *plots[NS_LANES_MAX];
    for (; made < n; made++)
        if (!(phases[made] = ns_phase_new(work, made, axes[0], axes[1], error))) break;
    for (size_t lane = 0; made == n && lane < n; lane++) {
        NsFigureInput input = {.phase = phases[lane], .log = true, .step = -1};
        if (n > 1) input.alongside = phases[lane ? 0 : 1];
        if (n > 1) input.n_lanes = 1;
        input.lanes[0].name = ns_lane_letter(lane);
        figures[lane] = ns_figure_create(&ns_phase_kind);
        plots[lane] = ns_figure_update(figures[lane], &input);
    }
    g_auto(NsProvenance) provenance;
    if (n == 1 && made == n)
        ns_phase_provenance(phases[0], &provenance);
    else
        ns_study_provenance(r->study, asked->key, &provenance);
    bool good = made == n && ns_picture_write(asked->picture, plots, n, &provenance, NULL, error);
    for (size_t lane = 0; lane < n; lane++) {
        ns_figure_free(figures[lane]);
        ns_phase_unref(phases[lane]);
    }
    return good;
}

/* ---- Any figure ---- */

bool ns_study_draw(const NsStudyResults *r, const NsStudyFigure *asked, GError **error)
{
    const NsFigureKind *kind = kind_at((size_t)ns_choices_find(ns_study_figure_choice, asked->key));
    if (kind == &ns_phase_kind) return draw_phases(r, asked, error);
    if (asked->x || asked->y)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "--x and --y choose the axes of the figure phase; omit them.");
    bool best = kind == &ns_best_of_kind;
    g_autofree NsComparison *comparison = best ? ns_comparison_new(r, error) : NULL;
    g_autoptr(NsSensitivity) sensitivity = best ? NULL : ns_sensitivity_new(r, error);
    if (!comparison && !sensitivity) return false;
    const NsComparedInput compared = {r, comparison, sensitivity};
    NsFigureInput input = {.compared = &compared, .log = true, .step = -1};
    for (; input.n_lanes < r->study->experiment.n; input.n_lanes++)
        input.lanes[input.n_lanes] =
            (NsFigureRun){.settings = &r->study->experiment.lane[input.n_lanes],
                          .name = ns_lane_letter(input.n_lanes)};
    g_autoptr(NsFigure) figure = ns_figure_create(kind);
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_auto(NsProvenance) provenance;
    ns_study_provenance(r->study, asked->key, &provenance);
    return ns_picture_write(asked->picture, &plot, 1, &provenance, NULL, error);
}
