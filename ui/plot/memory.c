/* What a live chart keeps from one layout to the next.  SPDX-License-Identifier: MIT */
#include "ui/plot/memory.h"

#include "ui/plot/cells.h"
#include "ui/plot/text_pool.h"

#include <math.h>
#include <string.h>

/* More columns than a heatmap has that the kept levels make room for: a share, and a number. */
#define SPARE_SHARE 0.25
#define SPARE 64

/* What is known of a series. */
typedef struct {
    uint64_t stem; /* 0: nothing */
    NsSeriesKind kind;
    NsAxisSide side;
    bool hidden, path_hidden, band;
    NsScaleKind x_kind, y_kind; /* the survey is for these, */
    double x_lo, x_hi;          /* and for fixed limits that were these */
    size_t surveyed;
    NsSurvey survey; /* of so many points */
    NsPath path;     /* points NULL: none */
    uint64_t path_stem;
    NsScale x, y;
    double column;
} Track;

/* What is known of the heatmap. */
typedef struct {
    uint64_t stem;
    bool log;
    size_t rows, surveyed;
    NsCellSurvey survey; /* of so many columns */
    uint8_t *levels;
    size_t level_rows, stride; /* that there is room for */
    size_t leveled;            /* columns that have their levels */
    NsScale z;
} Cells;

struct NsMemory {
    PangoContext *context;
    GArray *tracks; /* Track */
    Cells cells;
    double changed;
};

static void clear_track(void *data)
{
    Track *track = data;
    if (track->path.points) ns_path_clear(&track->path);
}

NsMemory *ns_memory_new(void)
{
    NsMemory *memory = g_new0(NsMemory, 1);
    memory->context = ns_text_context_new();
    ns_text_pool_add(memory->context);
    memory->tracks = g_array_new(FALSE, TRUE, sizeof(Track));
    g_array_set_clear_func(memory->tracks, clear_track);
    memory->changed = -INFINITY;
    return memory;
}

void ns_memory_free(NsMemory *memory)
{
    if (!memory) return;
    ns_text_pool_drop(memory->context);
    g_object_unref(memory->context);
    g_array_unref(memory->tracks);
    g_free(memory->cells.levels);
    g_free(memory);
}

PangoContext *ns_memory_context(NsMemory *memory)
{
    return g_object_ref(memory->context);
}

static Track *track_at(NsMemory *memory, size_t i)
{
    if (i >= memory->tracks->len) g_array_set_size(memory->tracks, (guint)i + 1);
    return &g_array_index(memory->tracks, Track, i);
}

static bool same_limit(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Bars are surveyed as a whole: their width is the least distance of all. */
static bool can_grow(const NsSeries *series)
{
    return series->stem != 0 && series->kind != NS_SERIES_BARS;
}

static bool still_surveyed(const Track *track, const NsPlot *plot, const NsSeries *series)
{
    NsScaleKind kind = series->side == NS_AXIS_RIGHT ? plot->right.scale : plot->left.scale;
    return track->stem == series->stem && track->surveyed <= series->n &&
           track->hidden == series->hidden && track->side == series->side &&
           track->x_kind == plot->x.scale && track->y_kind == kind &&
           same_limit(track->x_lo, plot->x.lo) && same_limit(track->x_hi, plot->x.hi);
}

static void survey_track(NsMemory *memory, NsSurvey *survey, const NsPlot *plot, size_t i)
{
    const NsSeries *series = &plot->series[i];
    Track *track = track_at(memory, i);
    ns_survey_series(survey, plot, series);
    if (!can_grow(series)) {
        ns_survey_points(survey, plot, series, 0, series->n);
        return;
    }
    if (!still_surveyed(track, plot, series)) {
        track->stem = series->stem;
        track->hidden = series->hidden;
        track->side = series->side;
        track->x_kind = plot->x.scale;
        track->y_kind = series->side == NS_AXIS_RIGHT ? plot->right.scale : plot->left.scale;
        track->x_lo = plot->x.lo;
        track->x_hi = plot->x.hi;
        track->surveyed = 0;
        track->survey = ns_survey_nothing();
    }
    size_t settled = MIN(series->settled, series->n);
    ns_survey_points(&track->survey, plot, series, track->surveyed, settled);
    track->surveyed = MAX(track->surveyed, settled);
    ns_survey_join(survey, &track->survey);
    ns_survey_points(survey, plot, series, track->surveyed, series->n);
}

static void survey_cells(NsMemory *memory, NsSurvey *survey, const NsHeatmap *map)
{
    Cells *cells = &memory->cells;
    bool same = map->stem != 0 && cells->stem == map->stem && cells->rows == map->rows &&
                cells->log == map->log && cells->surveyed <= map->columns;
    if (!same) {
        cells->stem = map->stem;
        cells->rows = map->rows;
        cells->log = map->log;
        cells->surveyed = cells->leveled = 0;
        cells->survey = (NsCellSurvey){.lo = INFINITY, .hi = -INFINITY};
    }
    size_t settled = map->stem ? MIN(map->settled, map->columns) : 0;
    NsCellSurvey rest = {.lo = INFINITY, .hi = -INFINITY};
    size_t from = cells->surveyed, to = MAX(from, settled);
    for (size_t row = 0; row < map->rows; row++) {
        const float *z = ns_heatmap_row(map, row);
        ns_cells_survey(&cells->survey, z + from, to - from, map->log);
        ns_cells_survey(&rest, z + to, map->columns - to, map->log);
    }
    cells->surveyed = to;
    rest.lo = MIN(rest.lo, cells->survey.lo);
    rest.hi = MAX(rest.hi, cells->survey.hi);
    rest.bad += cells->survey.bad;
    rest.unshown += cells->survey.unshown;
    ns_survey_cells(survey, map, &rest);
}

NsSurvey ns_memory_survey(NsMemory *memory, const NsPlot *plot)
{
    NsSurvey survey = ns_survey_nothing();
    for (size_t i = 0; i < plot->n_series; i++) survey_track(memory, &survey, plot, i);
    if (plot->heatmap) survey_cells(memory, &survey, plot->heatmap);
    ns_survey_end(&survey, plot);
    return survey;
}

static bool same_scale(const NsScale *a, const NsScale *b)
{
    return a->kind == b->kind && a->lo == b->lo && a->hi == b->hi && a->threshold == b->threshold &&
           a->p0 == b->p0 && a->p1 == b->p1;
}

void ns_memory_path(NsMemory *memory, NsPlotLayout *layout, size_t i)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsScale *x = &layout->x, *y = &layout->y[series->side];
    NsPath *path = &layout->paths[i];
    Track *track = track_at(memory, i);
    double column = layout->style->line_width / 2;
    bool band = series->lo && series->hi;
    NsSeries shown = *series;
    if (series->hidden) shown.n = shown.settled = 0;
    bool extends = track->path.points && can_grow(series) && track->path_stem == series->stem &&
                   track->path_hidden == series->hidden && track->kind == series->kind &&
                   track->band == band && track->column == column && same_scale(&track->x, x) &&
                   same_scale(&track->y, y);
    double height = layout->area.height;
    if (extends) {
        *path = track->path;
        bool noise = ns_path_is_noise(path, height);
        ns_path_extend(path, &shown, x, y, column);
        /* Its dashes are counted another way. */
        bool other = ns_path_is_noise(path, height) != noise;
        memory->changed = MIN(memory->changed, other ? -(double)INFINITY : path->changed);
    } else {
        if (track->path.points) ns_path_clear(&track->path);
        ns_path_build(path, &shown, x, y, column);
        memory->changed = -INFINITY;
    }
    track->path = (NsPath){0};
    track->path_stem = series->stem;
    track->path_hidden = series->hidden;
    track->kind = series->kind;
    track->band = band;
    track->column = column;
    track->x = *x;
    track->y = *y;
}

void ns_memory_levels(NsMemory *memory, NsPlotLayout *layout)
{
    Cells *cells = &memory->cells;
    const NsHeatmap *map = layout->plot->heatmap;
    bool same = cells->levels && cells->level_rows == map->rows && cells->leveled <= map->columns &&
                map->columns <= cells->stride && same_scale(&cells->z, &layout->z);
    if (!same) {
        cells->stride = map->columns + (size_t)((double)map->columns * SPARE_SHARE) + SPARE;
        cells->levels = g_realloc(cells->levels, map->rows * cells->stride);
        cells->level_rows = map->rows;
        cells->leveled = 0;
        cells->z = layout->z;
    }
    double x = map->x0 + (map->x1 - map->x0) * (double)cells->leveled / (double)map->columns;
    double changed = cells->leveled ? ns_scale_to_pixel(&layout->x, x) : -(double)INFINITY;
    if (cells->leveled < map->columns) memory->changed = MIN(memory->changed, changed);
    layout->levels = g_steal_pointer(&cells->levels);
    layout->levels_stride = cells->stride;
    ns_heat_level_columns(layout, cells->leveled, map->columns);
    cells->leveled = cells->stem ? MIN(map->settled, map->columns) : 0;
}

NsPlotLayout *ns_plot_layout_again(NsMemory *memory, const NsPlot *plot, const NsSurvey *survey,
                                   double width, double height, const NsStyle *style)
{
    static const NsMargins none = {0};
    ns_text_pool_recall(memory->context);
    memory->changed = INFINITY;
    return ns_plot_layout_made(plot, width, height, style, &none, survey, memory);
}

void ns_memory_take(NsMemory *memory, NsPlotLayout *layout)
{
    if (!layout) return;
    for (size_t i = 0; i < layout->n_paths; i++) {
        Track *track = track_at(memory, i);
        if (track->path.points) ns_path_clear(&track->path);
        track->path = layout->paths[i];
        layout->paths[i] = (NsPath){0};
    }
    g_free(memory->cells.levels);
    memory->cells.levels = g_steal_pointer(&layout->levels);
    ns_plot_layout_free(layout);
}

double ns_memory_changed(const NsMemory *memory)
{
    return memory->changed;
}
