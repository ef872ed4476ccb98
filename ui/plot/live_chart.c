/* SPDX-License-Identifier: MIT */
#include "ui/plot/live_chart.h"

#include "ui/plot/labels.h"
#include "ui/plot/layout-private.h"
#include "ui/plot/layout_cache.h"
#include "ui/plot/legend.h"
#include "ui/plot/live_limits.h"

#include <math.h>

/* More boxes than this are drawn as one. */
#define MOST_BOXES 6

/* Around the ink of words, and of a strip that is drawn again. */
#define MARGIN 3.0

/* A word as it stands on the chart. */
typedef struct {
    char *text;
    NsColor color;
    double x, y;
    NsBox box;
    NsPoint from; /* of the line that leads to it */
} Word;

struct NsLiveChart {
    NsLayoutCache *cache;
    NsPlotLayout *layout; /* NULL: forgotten, or never made */
    NsPlot shown;         /* the plot with the limits of its live axes */
    NsLiveChartView view; /* that the layout is of */
    NsLimits limits[2];   /* of the vertical axes, by side */
    NsScaleKind kinds[2]; /* the scales that they are for */
    uint64_t origin;      /* and the runs */
    cairo_surface_t *surface;
    int scale;
    /* What the surface shows. */
    GByteArray *frame; /* everything but data and words */
    GArray *words;     /* Word */
    double end;        /* where the longest curve ends */
    /* What it does not show yet. */
    double changed; /* from where on the page data differ; INFINITY for nowhere */
};

static void clear_word(void *word)
{
    g_free(((Word *)word)->text);
}

NsLiveChart *ns_live_chart_new(void)
{
    NsLiveChart *chart = g_new0(NsLiveChart, 1);
    chart->cache = ns_layout_cache_new();
    chart->frame = g_byte_array_new();
    chart->words = g_array_new(FALSE, FALSE, sizeof(Word));
    g_array_set_clear_func(chart->words, clear_word);
    chart->changed = INFINITY;
    return chart;
}

void ns_live_chart_free(NsLiveChart *chart)
{
    if (!chart) return;
    ns_plot_layout_free(chart->layout);
    ns_layout_cache_free(chart->cache);
    g_byte_array_unref(chart->frame);
    g_array_unref(chart->words);
    if (chart->surface) cairo_surface_destroy(chart->surface);
    g_free(chart);
}

void ns_live_chart_forget(NsLiveChart *chart)
{
    g_clear_pointer(&chart->layout, ns_plot_layout_free);
}

/* Gives ends to the axes that have none of their own. */
static void set_limits(NsLiveChart *chart, const NsDataSummary *summary, double seconds)
{
    NsPlot *plot = &chart->shown;
    NsAxis *axes[2] = {&plot->left, &plot->right};
    if (chart->origin != plot->origin) chart->limits[0] = chart->limits[1] = NS_LIMITS_NONE;
    chart->origin = plot->origin;
    for (int side = 0; side < 2 && !plot->heatmap; side++) {
        NsAxis *axis = axes[side];
        NsLimits *limits = &chart->limits[side];
        if (chart->kinds[side] != axis->scale) *limits = NS_LIMITS_NONE;
        chart->kinds[side] = axis->scale;
        ns_limits_follow(limits, axis, summary->lo[side], summary->hi[side], seconds);
        if (!(limits->lo < limits->hi)) continue;
        if (isnan(axis->lo)) axis->lo = limits->lo;
        if (isnan(axis->hi)) axis->hi = limits->hi;
    }
    if (isnan(plot->x.lo) && isnan(plot->x.hi) && ns_plot_grows(plot) &&
        summary->x_lo <= summary->x_hi) {
        double from = plot->heatmap ? plot->heatmap->x0 : summary->x_lo;
        plot->x.hi = ns_limits_ahead(from, summary->x_hi);
    }
}

const NsPlotLayout *ns_live_chart_layout(NsLiveChart *chart, const NsLiveChartView *view)
{
    const NsLiveChartView *old = &chart->view;
    if (chart->layout && old->plot == view->plot && old->width == view->width &&
        old->height == view->height && old->style == view->style)
        return chart->layout;
    ns_live_chart_forget(chart);
    chart->view = *view;
    chart->shown = *view->plot;
    NsDataSummary summary = ns_layout_cache_summary(chart->cache, view->plot);
    set_limits(chart, &summary, view->seconds);
    chart->layout = ns_plot_layout_live(&chart->shown, view->width, view->height, view->style,
                                        &summary, chart->cache);
    chart->changed = MIN(chart->changed, ns_layout_cache_changed(chart->cache));
    return chart->layout;
}

#define ADD(bytes, value) g_byte_array_append(bytes, (const guint8 *)&(value), sizeof(value))

static void add_scale(GByteArray *bytes, const NsScale *scale)
{
    const double ends[] = {scale->lo, scale->hi, scale->p0, scale->p1, scale->threshold};
    ADD(bytes, scale->kind);
    ADD(bytes, scale->blank);
    ADD(bytes, ends);
}

static void add_ticks(GByteArray *bytes, const GArray *ticks)
{
    for (unsigned i = 0; ticks && i < ticks->len; i++) {
        const NsTick *tick = &g_array_index(ticks, NsTick, i);
        bool labeled = tick->label != NULL;
        ADD(bytes, tick->value);
        ADD(bytes, labeled);
    }
}

static void add_series(GByteArray *bytes, const NsSeries *series)
{
    const bool flags[] = {series->previous, series->tinted, series->hidden,
                          series->muted,    series->theory, series->lo && series->hi};
    ADD(bytes, series->kind);
    ADD(bytes, series->side);
    ADD(bytes, series->style);
    ADD(bytes, series->dash);
    ADD(bytes, flags);
}

static void add_marks(GByteArray *bytes, const NsPlot *plot)
{
    for (size_t i = 0; i < plot->n_markers; i++) {
        const NsMarker *marker = &plot->markers[i];
        const bool flags[] = {marker->alarm, marker->handle};
        ADD(bytes, marker->x);
        ADD(bytes, marker->style);
        ADD(bytes, flags);
    }
    for (size_t i = 0; i < plot->n_spans; i++) {
        ADD(bytes, plot->spans[i].from);
        ADD(bytes, plot->spans[i].to);
        ADD(bytes, plot->spans[i].rows);
    }
    for (size_t i = 0; i < plot->n_levels; i++) {
        ADD(bytes, plot->levels[i].y);
        ADD(bytes, plot->levels[i].side);
        ADD(bytes, plot->levels[i].handle);
    }
    for (size_t i = 0; i < plot->n_slopes; i++) {
        const NsSlope *slope = &plot->slopes[i];
        const double ends[] = {slope->x0, slope->y0, slope->x1, slope->y1};
        ADD(bytes, ends);
        ADD(bytes, slope->side);
        ADD(bytes, slope->style);
    }
}

/* All that the ink depends on, but for data and words. */
static GByteArray *frame_of(const NsPlotLayout *layout, int scale)
{
    GByteArray *bytes = g_byte_array_new();
    const NsPlot *plot = layout->plot;
    const NsHeatmap *map = plot->heatmap;
    const double lengths[] = {layout->width, layout->height, layout->strip_top,
                              layout->strip_bottom};
    const size_t counts[] = {plot->n_series, plot->n_markers, plot->n_levels, plot->n_slopes,
                             layout->legend->len};
    const bool flags[] = {map != NULL, plot->no_grid, layout->summary.right};
    const uint64_t drawn = plot->drawing ? plot->version : 0;
    ADD(bytes, scale);
    ADD(bytes, *layout->style);
    ADD(bytes, lengths);
    ADD(bytes, counts);
    ADD(bytes, flags);
    ADD(bytes, drawn);
    ADD(bytes, layout->area);
    ADD(bytes, layout->bar);
    ADD(bytes, layout->legend_box);
    add_scale(bytes, &layout->x);
    add_scale(bytes, &layout->y[0]);
    add_scale(bytes, &layout->y[1]);
    add_scale(bytes, &layout->z);
    add_ticks(bytes, layout->x_ticks);
    add_ticks(bytes, layout->y_ticks[0]);
    add_ticks(bytes, layout->y_ticks[1]);
    add_ticks(bytes, layout->z_ticks);
    for (size_t i = 0; i < plot->n_series; i++) add_series(bytes, &plot->series[i]);
    for (unsigned i = 0; i < layout->legend->len; i++) {
        const NsLegendSample *sample = &g_array_index(layout->legend, NsLegendSample, i);
        ADD(bytes, sample->box);
        add_series(bytes, sample->series);
    }
    add_marks(bytes, plot);
    if (map) {
        ADD(bytes, map->rows);
        ADD(bytes, map->y0);
        ADD(bytes, map->y1);
        ADD(bytes, map->colors);
        for (size_t i = 0; i < map->n_panels; i++) {
            ADD(bytes, map->panels[i].row);
            ADD(bytes, map->panels[i].rows);
            ADD(bytes, map->panels[i].y0);
        }
    }
    return bytes;
}

/* What is drawn elsewhere than its abscissa, or in other pixels when more comes. */
static bool is_local(const NsPlotLayout *layout)
{
    const NsPlot *plot = layout->plot;
    if (layout->lower || layout->x.p0 > layout->x.p1) return false;
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        if (series->kind == NS_SERIES_BARS) return false;
        if (series->kind == NS_SERIES_SCATTER && !series->stem) return false;
    }
    return true;
}

static double end_of(const NsPlotLayout *layout)
{
    double end = layout->area.x;
    for (size_t i = 0; i < layout->n_paths; i++) {
        const NsPath *path = &layout->paths[i];
        const GArray *points = path->points, *faults = path->faults;
        if (points->len) end = MAX(end, g_array_index(points, NsPoint, points->len - 1).x);
        if (faults->len) end = MAX(end, g_array_index(faults, NsFaultMark, faults->len - 1).x);
    }
    const NsHeatmap *map = layout->plot->heatmap;
    if (map && map->columns) end = MAX(end, ns_scale_to_pixel(&layout->x, map->x1));
    return end;
}

/* Adds a box of the page, grown to whole pixels. */
static void add_box(const NsLiveChart *chart, GArray *dirty, NsBox box)
{
    double scale = chart->scale;
    int width = cairo_image_surface_get_width(chart->surface);
    int height = cairo_image_surface_get_height(chart->surface);
    int left = (int)CLAMP(floor(box.x * scale), 0, width);
    int top = (int)CLAMP(floor(box.y * scale), 0, height);
    int right = (int)CLAMP(ceil((box.x + box.width) * scale), left, width);
    int bottom = (int)CLAMP(ceil((box.y + box.height) * scale), top, height);
    cairo_rectangle_int_t rectangle = {left, top, right - left, bottom - top};
    if (rectangle.width && rectangle.height) g_array_append_val(dirty, rectangle);
}

/* The strip in which data differ. */
static void add_data(const NsLiveChart *chart, GArray *dirty, double end)
{
    const NsPlotLayout *layout = chart->layout;
    const NsBox *area = &layout->area;
    const NsStyle *style = layout->style;
    /* As far as ink reaches from the place of its value. */
    double reach = MAX(MAX(3 * style->line_width, style->mark_size), 0.6 * style->text_size) + 2;
    double left = MAX(chart->changed - reach, area->x - MARGIN);
    double right = MIN(MAX(end, chart->end) + reach, area->x + area->width + MARGIN);
    if (!is_local(layout)) left = area->x - MARGIN, right = area->x + area->width + MARGIN;
    double height = layout->lower ? layout->height + layout->lower->height : layout->height;
    if (left < right && layout->lower)
        add_box(chart, dirty, (NsBox){0, 0, layout->width, height});
    else if (left < right)
        add_box(chart, dirty,
                (NsBox){left, area->y - MARGIN, right - left, area->height + 2 * MARGIN});
}

static bool same_word(const Word *a, const Word *b)
{
    return a->x == b->x && a->y == b->y && a->box.width == b->box.width &&
           a->box.height == b->box.height && a->color.r == b->color.r && a->color.g == b->color.g &&
           a->color.b == b->color.b && a->from.x == b->from.x && a->from.y == b->from.y &&
           g_str_equal(a->text, b->text);
}

static bool has_word(const GArray *words, const Word *word)
{
    for (unsigned i = 0; i < words->len; i++)
        if (same_word(&g_array_index(words, Word, i), word)) return true;
    return false;
}

static void add_words(const NsLiveChart *chart, GArray *dirty, const GArray *words,
                      const GArray *others)
{
    for (unsigned i = 0; i < words->len; i++) {
        const Word *word = &g_array_index(words, Word, i);
        if (has_word(others, word)) continue;
        const NsBox *box = &word->box;
        add_box(chart, dirty,
                (NsBox){box->x - MARGIN, box->y - MARGIN, box->width + 2 * MARGIN,
                        box->height + 2 * MARGIN});
    }
}

/* With the line that leads to it. */
static NsBox box_of(const NsLabel *label)
{
    NsBox box = label->box;
    for (int i = 0; i < 2 && label->led; i++) {
        double right = MAX(box.x + box.width, label->leader[i].x);
        double bottom = MAX(box.y + box.height, label->leader[i].y);
        box.x = MIN(box.x, label->leader[i].x);
        box.y = MIN(box.y, label->leader[i].y);
        box.width = right - box.x;
        box.height = bottom - box.y;
    }
    return box;
}

static GArray *words_of(const NsPlotLayout *layout)
{
    GArray *words = g_array_sized_new(FALSE, FALSE, sizeof(Word), layout->labels->len);
    g_array_set_clear_func(words, clear_word);
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        Word word = {g_strdup(pango_layout_get_text(label->text)),
                     label->color,
                     label->x,
                     label->y,
                     box_of(label),
                     label->leader[0]};
        g_array_append_val(words, word);
    }
    return words;
}

static bool overlap(const cairo_rectangle_int_t *a, const cairo_rectangle_int_t *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

static cairo_rectangle_int_t join(const cairo_rectangle_int_t *a, const cairo_rectangle_int_t *b)
{
    int x = MIN(a->x, b->x), y = MIN(a->y, b->y);
    return (cairo_rectangle_int_t){x, y, MAX(a->x + a->width, b->x + b->width) - x,
                                   MAX(a->y + a->height, b->y + b->height) - y};
}

/* No pixel is drawn twice. */
static void join_boxes(GArray *dirty)
{
    for (unsigned i = 0; i < dirty->len; i++)
        for (unsigned k = 0; k < i; k++) {
            cairo_rectangle_int_t *a = &g_array_index(dirty, cairo_rectangle_int_t, i);
            const cairo_rectangle_int_t *b = &g_array_index(dirty, cairo_rectangle_int_t, k);
            if (!overlap(a, b) && dirty->len <= MOST_BOXES) continue;
            *a = join(a, b);
            g_array_remove_index(dirty, k);
            i = 0;
            break;
        }
}

static bool make_surface(NsLiveChart *chart, int scale)
{
    const NsLiveChartView *view = &chart->view;
    int width = (int)ceil(view->width * scale), height = (int)ceil(view->height * scale);
    if (chart->surface && chart->scale == scale &&
        cairo_image_surface_get_width(chart->surface) == width &&
        cairo_image_surface_get_height(chart->surface) == height)
        return false;
    if (chart->surface) cairo_surface_destroy(chart->surface);
    chart->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    cairo_surface_set_device_scale(chart->surface, scale, scale);
    chart->scale = scale;
    return true;
}

static void draw_box(NsLiveChart *chart, const cairo_rectangle_int_t *box)
{
    double scale = chart->scale;
    cairo_t *cr = cairo_create(chart->surface);
    cairo_rectangle(cr, box->x / scale, box->y / scale, box->width / scale, box->height / scale);
    cairo_clip(cr);
    ns_plot_draw(chart->layout, cr);
    cairo_destroy(cr);
}

cairo_surface_t *ns_live_chart_draw(NsLiveChart *chart, int scale, GArray *boxes)
{
    g_autoptr(GArray) dirty =
        boxes ? g_array_ref(boxes) : g_array_new(FALSE, FALSE, sizeof(cairo_rectangle_int_t));
    const NsPlotLayout *layout = chart->layout;
    bool other = make_surface(chart, scale);
    GByteArray *frame = frame_of(layout, scale);
    GArray *words = words_of(layout);
    double end = end_of(layout);
    g_array_set_size(dirty, 0);
    bool same_frame =
        frame->len == chart->frame->len && memcmp(frame->data, chart->frame->data, frame->len) == 0;
    if (other || !same_frame) {
        add_box(chart, dirty, (NsBox){0, 0, chart->view.width, chart->view.height});
    } else {
        if (isfinite(chart->changed) || chart->changed < 0) add_data(chart, dirty, end);
        add_words(chart, dirty, words, chart->words);
        add_words(chart, dirty, chart->words, words);
        join_boxes(dirty);
    }
    g_byte_array_unref(chart->frame);
    g_array_unref(chart->words);
    chart->frame = frame;
    chart->words = words;
    chart->end = end;
    chart->changed = INFINITY;
    for (unsigned i = 0; i < dirty->len; i++)
        draw_box(chart, &g_array_index(dirty, cairo_rectangle_int_t, i));
    cairo_surface_flush(chart->surface);
    return chart->surface;
}
