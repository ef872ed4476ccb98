/* What one layout of a live chart hands to the next.  SPDX-License-Identifier: MIT */
#include "ui/plot/layout_cache.h"

#include "ui/plot/heatmap.h"
#include "ui/plot/layout-private.h"
#include "ui/plot/text.h"
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
    NsScaleKind x_kind, y_kind; /* the summary is for these, */
    double x_lo, x_hi;          /* and for fixed limits that were these */
    size_t summarized;
    NsDataSummary summary; /* of so many points */
    NsPath path;           /* points NULL: none */
    uint64_t path_stem;
    NsScale x, y;
    double column;
} Track;

/* What is known of the heatmap. */
typedef struct {
    uint64_t stem;
    bool log;
    size_t rows, summarized;
    NsCellSummary summary; /* of so many columns */
    uint8_t *levels;
    size_t level_rows, stride; /* that there is room for */
    size_t leveled;            /* columns that have their levels */
    NsScale z;
} Cells;

struct NsLayoutCache {
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

NsLayoutCache *ns_layout_cache_new(void)
{
    NsLayoutCache *cache = g_new0(NsLayoutCache, 1);
    cache->context = ns_text_context_new();
    ns_text_pool_add(cache->context);
    cache->tracks = g_array_new(FALSE, TRUE, sizeof(Track));
    g_array_set_clear_func(cache->tracks, clear_track);
    cache->changed = -INFINITY;
    return cache;
}

void ns_layout_cache_free(NsLayoutCache *cache)
{
    if (!cache) return;
    ns_text_pool_drop(cache->context);
    g_object_unref(cache->context);
    g_array_unref(cache->tracks);
    g_free(cache->cells.levels);
    g_free(cache);
}

PangoContext *ns_layout_cache_begin(NsLayoutCache *cache)
{
    ns_text_pool_recall(cache->context);
    cache->changed = INFINITY;
    return g_object_ref(cache->context);
}

static Track *track_at(NsLayoutCache *cache, size_t i)
{
    if (i >= cache->tracks->len) g_array_set_size(cache->tracks, (guint)i + 1);
    return &g_array_index(cache->tracks, Track, i);
}

static bool same_limit(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Bars are summarized as a whole: their width is the least distance of all. */
static bool can_grow(const NsSeries *series)
{
    return series->stem != 0 && series->kind != NS_SERIES_BARS;
}

static bool still_summarized(const Track *track, const NsPlot *plot, const NsSeries *series)
{
    NsScaleKind kind = series->side == NS_AXIS_RIGHT ? plot->right.scale : plot->left.scale;
    return track->stem == series->stem && track->summarized <= series->n &&
           track->hidden == series->hidden && track->side == series->side &&
           track->x_kind == plot->x.scale && track->y_kind == kind &&
           same_limit(track->x_lo, plot->x.lo) && same_limit(track->x_hi, plot->x.hi);
}

static void summarize_track(NsLayoutCache *cache, NsDataSummary *summary, const NsPlot *plot,
                            size_t i)
{
    const NsSeries *series = &plot->series[i];
    Track *track = track_at(cache, i);
    ns_data_summary_add_series(summary, plot, series);
    if (!can_grow(series)) {
        ns_data_summary_add_points(summary, plot, series, 0, series->n);
        return;
    }
    if (!still_summarized(track, plot, series)) {
        track->stem = series->stem;
        track->hidden = series->hidden;
        track->side = series->side;
        track->x_kind = plot->x.scale;
        track->y_kind = series->side == NS_AXIS_RIGHT ? plot->right.scale : plot->left.scale;
        track->x_lo = plot->x.lo;
        track->x_hi = plot->x.hi;
        track->summarized = 0;
        track->summary = ns_data_summary_empty();
    }
    size_t settled = MIN(series->settled, series->n);
    ns_data_summary_add_points(&track->summary, plot, series, track->summarized, settled);
    track->summarized = MAX(track->summarized, settled);
    ns_data_summary_join(summary, &track->summary);
    ns_data_summary_add_points(summary, plot, series, track->summarized, series->n);
}

static void summarize_cells(NsLayoutCache *cache, NsDataSummary *summary, const NsHeatmap *map)
{
    Cells *cells = &cache->cells;
    bool same = map->stem != 0 && cells->stem == map->stem && cells->rows == map->rows &&
                cells->log == map->log && cells->summarized <= map->columns;
    if (!same) {
        cells->stem = map->stem;
        cells->rows = map->rows;
        cells->log = map->log;
        cells->summarized = cells->leveled = 0;
        cells->summary = (NsCellSummary){.lo = INFINITY, .hi = -INFINITY};
    }
    size_t settled = map->stem ? MIN(map->settled, map->columns) : 0;
    NsCellSummary rest = {.lo = INFINITY, .hi = -INFINITY};
    size_t from = cells->summarized, to = MAX(from, settled);
    for (size_t row = 0; row < map->rows; row++) {
        const float *z = ns_heatmap_row(map, row);
        ns_cells_summarize(&cells->summary, z + from, to - from, map->log);
        ns_cells_summarize(&rest, z + to, map->columns - to, map->log);
    }
    cells->summarized = to;
    rest.lo = MIN(rest.lo, cells->summary.lo);
    rest.hi = MAX(rest.hi, cells->summary.hi);
    rest.bad += cells->summary.bad;
    rest.unshown += cells->summary.unshown;
    ns_data_summary_add_cells(summary, map, &rest);
}

NsDataSummary ns_layout_cache_summary(NsLayoutCache *cache, const NsPlot *plot)
{
    NsDataSummary summary = ns_data_summary_empty();
    for (size_t i = 0; i < plot->n_series; i++) summarize_track(cache, &summary, plot, i);
    if (plot->heatmap) summarize_cells(cache, &summary, plot->heatmap);
    ns_data_summary_end(&summary, plot);
    return summary;
}

static bool same_scale(const NsScale *a, const NsScale *b)
{
    return a->kind == b->kind && a->lo == b->lo && a->hi == b->hi && a->threshold == b->threshold &&
           a->p0 == b->p0 && a->p1 == b->p1;
}

void ns_layout_cache_path(NsLayoutCache *cache, NsPlotLayout *layout, size_t i)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsScale *x = &layout->x, *y = &layout->y[series->side];
    NsPath *path = &layout->paths[i];
    Track *track = track_at(cache, i);
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
        cache->changed = MIN(cache->changed, other ? -(double)INFINITY : path->changed);
    } else {
        if (track->path.points) ns_path_clear(&track->path);
        ns_path_build(path, &shown, x, y, column);
        cache->changed = -INFINITY;
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

void ns_layout_cache_levels(NsLayoutCache *cache, NsPlotLayout *layout)
{
    Cells *cells = &cache->cells;
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
    if (cells->leveled < map->columns) cache->changed = MIN(cache->changed, changed);
    layout->levels = g_steal_pointer(&cells->levels);
    layout->levels_stride = cells->stride;
    ns_heatmap_set_columns(layout, cells->leveled, map->columns);
    cells->leveled = cells->stem ? MIN(map->settled, map->columns) : 0;
}

void ns_layout_cache_take_back(NsLayoutCache *cache, NsPlotLayout *layout)
{
    for (size_t i = 0; i < layout->n_paths; i++) {
        Track *track = track_at(cache, i);
        if (track->path.points) ns_path_clear(&track->path);
        track->path = layout->paths[i];
        layout->paths[i] = (NsPath){0};
    }
    g_free(cache->cells.levels);
    cache->cells.levels = g_steal_pointer(&layout->levels);
}

double ns_layout_cache_changed(const NsLayoutCache *cache)
{
    return cache->changed;
}
