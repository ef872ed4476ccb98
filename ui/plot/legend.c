/* The legend, and names at the right ends of curves.  SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "ui/plot/painter.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <math.h>

/* In text sizes: the sample before a name, the gap behind it, the gap between entries, and the
 * minimum width of a name. */
#define SAMPLE 2.0
#define GAP 0.45
#define BETWEEN 1.3
#define LEAST 4.0

/* In text sizes: the line height, and the margin around a legend in the plot area. */
#define LINE 1.45
#define MARGIN 0.5

/* Maximum lines of a name that is wider than the legend. */
#define MOST_LINES 3

typedef struct {
    double x, y, left, right, line; /* the pen, and its limits */
    double further;                 /* height of wrapped names below this line */
    int lines;                      /* maximum lines of a name */
    bool column;                    /* every entry starts a new line */
    double grid;                    /* distance of columns; 0: entries follow each other */
    double most;                    /* the width of the widest entry */
    double widest;                  /* the right end of the longest line */
    bool letters;                   /* show the letters of runs instead of their names */
    bool cut;                       /* some name was shortened */
    bool draw;
} Pen;

/* The last finite value, where the curve ends. */
static double last_value(const NsSeries *series)
{
    if (series->kind == NS_SERIES_BARS || series->kind == NS_SERIES_SCATTER) return -INFINITY;
    for (size_t i = series->n; i-- > 0;)
        if (isfinite(series->y[i])) return series->y[i];
    return -INFINITY;
}

/* The present run comes first, then theory, then previous runs.  On paper, entries are in the
 * vertical order of the ends of their curves; on the screen, for lettered runs, and for plots that
 * ask for it, they keep the order of the series. */
static int rank(const NsSeries *series)
{
    return series->previous ? 2 : series->theory;
}

static gint compare(gconstpointer pa, gconstpointer pb, gpointer layout)
{
    const NsSeries *a = *(const NsSeries *const *)pa, *b = *(const NsSeries *const *)pb;
    if (rank(a) != rank(b)) return rank(a) - rank(b);
    const NsPlotLayout *of = layout;
    if (!of->style->raster && !of->plot->lettered && !of->plot->ordered) {
        double last_a = last_value(a), last_b = last_value(b);
        if (last_a > last_b) return -1;
        if (last_a < last_b) return 1;
    }
    return a < b ? -1 : 1;
}

GPtrArray *ns_legend_entries(NsPlotLayout *layout)
{
    const NsPlot *plot = layout->plot;
    GPtrArray *found = g_ptr_array_new();
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        bool listed = !series->label || !series->n || series->muted;
        for (unsigned k = 0; series->group && k < found->len; k++)
            listed |= g_strcmp0(((const NsSeries *)found->pdata[k])->group, series->group) == 0;
        if (!listed) g_ptr_array_add(found, (void *)(uintptr_t)series);
    }
    g_ptr_array_sort_with_data(found, compare, layout);
    for (size_t i = 0; i < layout->n_keys; i++) {
        const NsSeries *key =
            i < plot->n_keys ? &plot->keys[i] : &layout->level_keys[i - plot->n_keys];
        g_ptr_array_add(found, (void *)(uintptr_t)key);
    }
    return found;
}

int ns_legend_level(const NsPlotLayout *layout, const NsSeries *entry)
{
    for (size_t i = 0; i < layout->n_level_keys; i++)
        if (entry == &layout->level_keys[i]) return (int)entry->style;
    return -1;
}

bool ns_level_is_shown(const NsPlotLayout *layout, size_t level)
{
    if (!(layout->listed_levels >> level & 1)) return true;
    for (unsigned i = 0; i < layout->legend->len; i++) {
        const NsLegendSample *sample = &g_array_index(layout->legend, NsLegendSample, i);
        if (ns_legend_level(layout, sample->series) == (int)level) return true;
    }
    return false;
}

static bool is_key(const NsPlotLayout *layout, const NsSeries *series)
{
    const NsPlot *plot = layout->plot;
    return (series >= plot->keys && series < plot->keys + plot->n_keys) ||
           ns_legend_level(layout, series) >= 0;
}

/* Returns whether the name of an entry is at the end of its curve, according to ends_space and ends
 * of the layout. */
static bool is_at_end(const NsPlotLayout *layout, const NsSeries *series)
{
    const NsAxis *x = &layout->plot->x, *y = &layout->plot->left;
    bool curve = series->kind == NS_SERIES_LINE || series->kind == NS_SERIES_POINTS;
    bool behind = series->previous || series->theory;
    if (layout->ends_space <= 0 || !curve || is_key(layout, series) ||
        (behind && layout->ends > NS_ENDS_ALL))
        return false;
    /* A curve without a visible value has no end.  A hidden curve keeps its name. */
    for (size_t i = series->n; i-- > 0 && !series->hidden;)
        if (ns_scale_shows(y->scale, series->y[i]) && !(series->y[i] < y->lo) &&
            !(series->y[i] > y->hi) && !(series->x[i] < x->lo) && !(series->x[i] > x->hi))
            return true;
    return series->hidden;
}

const NsSeries *ns_legend_find(const NsPlot *plot, const NsSeries *series)
{
    for (size_t i = 0; plot && i < plot->n_series; i++) {
        const NsSeries *other = &plot->series[i];
        if (g_strcmp0(ns_series_name(other), ns_series_name(series)) == 0 &&
            other->style == series->style && other->dash == series->dash &&
            other->previous == series->previous && other->theory == series->theory)
            return other;
    }
    return NULL;
}

/* The value of a clipped series with arrows that is farthest off the scale, in words; else NULL.
 * Free with g_free. */
static char *off_scale(const NsPlot *plot, const NsDataSummary *summary, const NsSeries *series)
{
    if (!series->clipped || series->hidden) return NULL;
    NsScale x, y;
    ns_scale_fit(&x, &plot->x, summary->x.lo, summary->x.hi, 0);
    ns_scale_fit(&y, &plot->left, summary->y.lo, summary->y.hi, NS_SCALE_PADDING);
    double most = y.hi, least = y.lo;
    for (size_t i = 0; i < series->n; i++) {
        bool seen = series->x[i] >= x.lo && series->x[i] <= x.hi && isfinite(series->y[i]);
        if (!seen || !ns_scale_shows(y.kind, series->y[i])) continue;
        most = MAX(most, series->y[i]);
        least = MIN(least, series->y[i]);
    }
    if (most > y.hi) return ns_text_off_scale(most, true);
    return least < y.lo ? ns_text_off_scale(least, false) : NULL;
}

bool ns_plot_is_off_scale(const NsPlot *plot)
{
    size_t i = 0;
    while (i < plot->n_series && !(plot->series[i].previous && plot->series[i].clipped)) i++;
    if (i == plot->n_series) return false;
    NsDataSummary summary = ns_data_summary(plot);
    for (; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        g_autofree char *words = series->previous ? off_scale(plot, &summary, series) : NULL;
        if (words) return true;
    }
    return false;
}

/* Free with g_free. */
static char *state_of(const NsPlotLayout *layout, const NsSeries *series)
{
    return series->state ? g_strdup(series->state)
                         : off_scale(layout->plot, &layout->summary, series);
}

/* The entries of the legend itself, without names at the ends of curves and those that a sheet
 * shares. */
static GPtrArray *listed(NsPlotLayout *layout)
{
    GPtrArray *found = ns_legend_entries(layout);
    for (unsigned i = found->len; i-- > 0;) {
        const NsSeries *series = found->pdata[i];
        const NsSeries *other = ns_legend_find(layout->plot->shared, series);
        g_autofree char *state = state_of(layout, series);
        bool same = other && !g_strcmp0(other->state, state);
        /* The words of its marker may end with its state. */
        for (size_t k = 0; other && series->state && k < layout->plot->n_markers; k++) {
            const NsMarker *marker = &layout->plot->markers[k];
            const NsAxis *x = &layout->plot->x;
            bool seen = !(marker->x < x->lo) && !(marker->x > x->hi);
            same |= seen && marker->style == series->style + 1 &&
                    g_str_has_suffix(marker->text, series->state);
        }
        if (is_at_end(layout, series) || same) g_ptr_array_remove_index(found, i);
    }
    return found;
}

/* "A Post-LN (stuck)" */
static char *words_of(const NsPlotLayout *layout, const NsSeries *series)
{
    const char *name = ns_series_name(series);
    g_autofree char *state = state_of(layout, series);
    return state ? g_strdup_printf("%s (%s)", name, state) : g_strdup(name);
}

/* A text that is shortened to this number of lines. */
static PangoLayout *entry_text(NsPlotLayout *layout, const char *words, double space, int lines,
                               bool *cut)
{
    const NsTextSpace line = {layout->context, layout->style, layout->style->text_size, space, 1};
    PangoLayout *text = ns_layout_text(layout, false, words);
    if (ns_text_width(text) <= space) return text;
    pango_layout_set_width(text, (int)(space * PANGO_SCALE));
    if (pango_layout_get_line_count(text) <= lines) return text;
    *cut = true;
    g_autofree char *brief = ns_text_abridge(&line, &(NsCaption){.text = words});
    g_object_unref(text);
    text = ns_layout_text(layout, false, brief ? brief : words);
    if (!brief) ns_text_limit(text, space, 1);
    return text;
}

/* Returns false if not even the beginning of the name fits. */
static bool place_entry(NsPlotLayout *layout, Pen *pen, const NsSeries *series)
{
    double size = layout->style->text_size, width, height, before = (SAMPLE + GAP) * size;
    double space = pen->right - pen->left - before;
    if (space < LEAST * size) return false;
    bool letter = pen->letters && !rank(series) && !is_key(layout, series);
    g_autofree char *words =
        letter ? ns_text_letter(ns_series_name(series)) : words_of(layout, series);
    g_autoptr(PangoLayout) text = entry_text(layout, words, space, pen->lines, &pen->cut);
    if (series->hidden) ns_text_strike(text);
    ns_text_size(text, &width, &height);
    double whole = before + width;
    bool first = pen->x <= pen->left;
    if (!first && (pen->column || pen->x + whole > pen->right)) {
        pen->x = pen->left;
        pen->y += pen->line + pen->further;
        pen->further = 0;
    }
    int lines = pango_layout_get_line_count(text);
    pen->further = MAX(pen->further, height - height / lines);
    if (pen->draw) {
        NsLegendSample sample = {
            .series = series,
            .label = layout->labels->len,
            .box = {pen->x, pen->y, SAMPLE * size, height / lines},
            .entry = {pen->x, pen->y, whole, height},
        };
        g_array_append_val(layout->legend, sample);
        NsLabel *label =
            ns_layout_add_label(layout, NS_PART_LEGEND, text, pen->x + before, pen->y, false);
        if (series->hidden) label->color = layout->style->faint_text;
    }
    pen->widest = MAX(pen->widest, pen->x + whole);
    pen->most = MAX(pen->most, whole);
    pen->x += pen->grid > 0 ? pen->grid : whole + BETWEEN * size;
    return true;
}

static bool place_all(NsPlotLayout *layout, Pen *pen, const GPtrArray *series)
{
    for (unsigned i = 0; i < series->len; i++)
        if (!place_entry(layout, pen, series->pdata[i])) return false;
    return true;
}

/* A single curve needs no name, unless it belongs to one of several runs or the other names are
 * elsewhere. */
static unsigned least_entries(const NsPlotLayout *layout)
{
    const NsPlot *plot = layout->plot;
    return plot->lettered || plot->shared || layout->ends_space > 0 ? 1 : 2;
}

double ns_legend_place(NsPlotLayout *layout, double x, double y, double width, double max_height,
                       bool draw)
{
    /* Complete names, then names shortened to a line each, both with fewer keys where there is no
     * space for all of them, then letters. */
    size_t keys = layout->plot->n_keys + layout->n_level_keys,
           ways = 2 * (keys + 1) + layout->plot->lettered;
    for (size_t way = layout->letters ? 2 * (keys + 1) : 0; way < ways; way++) {
        bool letters = way == 2 * (keys + 1), cut = way % 2;
        layout->n_keys = letters ? keys : keys - way / 2;
        g_autoptr(GPtrArray) series = listed(layout);
        layout->names = !series->len && (layout->plot->shared || layout->ends_space > 0);
        if (series->len < least_entries(layout)) return 0;
        Pen pen = {.x = x,
                   .y = y,
                   .left = x,
                   .right = x + width,
                   .line = layout->style->text_size * LINE,
                   .lines = cut || letters ? 1 : MOST_LINES,
                   .letters = letters};
        Pen measured = pen;
        if (!place_all(layout, &measured, series)) continue;
        double height = measured.y + measured.line + measured.further - y;
        if (height > max_height) continue;
        /* Several lines are in columns if these need no more lines. */
        Pen columns = pen;
        columns.grid = measured.most + BETWEEN * layout->style->text_size;
        Pen aligned = columns;
        if (measured.y > y && place_all(layout, &aligned, series) &&
            aligned.y + aligned.line + aligned.further - y <= height)
            pen = columns;
        layout->names = !letters && !measured.cut;
        pen.draw = true;
        if (draw) place_all(layout, &pen, series);
        return height;
    }
    return 0;
}

double ns_legend_place_panels(NsPlotLayout *layout, double x, double y, double width, bool draw)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const NsStyle *style = layout->style;
    double size = style->text_size, at = x, from = y;
    bool cut = false;
    for (size_t i = 0; i < map->n_panels; i++) {
        const NsHeatPanel *panel = &map->panels[i];
        g_autoptr(PangoLayout) text = entry_text(layout, panel->name, width, 1, &cut);
        if (at > x && at + ns_text_width(text) > x + width) {
            at = x;
            y += LINE * size;
        }
        if (draw) {
            NsLabel *label = ns_layout_add_label(layout, NS_PART_LEGEND, text, at, y, false);
            label->color = ns_run_color(style, panel->style, style->text);
        }
        at += ns_text_width(text) + BETWEEN * size;
    }
    return y + LINE * size - from;
}

void ns_legend_place_inside(NsPlotLayout *layout)
{
    g_autoptr(GPtrArray) series = listed(layout);
    if (series->len < least_entries(layout)) return;
    const NsStyle *style = layout->style;
    NsBox space = ns_layout_inside(layout);
    double margin = MARGIN * style->text_size;
    Pen pen = {
        .right = 0.7 * space.width, .line = style->text_size * LINE, .lines = 1, .column = true};
    Pen measured = pen;
    layout->crowded = true;
    if (!place_all(layout, &measured, series)) return;
    double width = measured.widest + 2 * margin, height = measured.y + pen.line + 2 * margin;
    if (height > 0.7 * space.height) return;
    /* Corners, then the middles of the edges, then the middle. */
    double right = space.x + space.width - width, bottom = space.y + space.height - height;
    double middle = (space.x + right) / 2, half = (space.y + bottom) / 2;
    const NsPoint corners[] = {{right, space.y},  {space.x, space.y}, {right, bottom},
                               {space.x, bottom}, {middle, space.y},  {middle, bottom},
                               {right, half},     {space.x, half},    {middle, half}};
    const NsPoint size = {width, height};
    NsPoint at;
    unsigned covered;
    if (!ns_layout_least_crowded(layout, corners, G_N_ELEMENTS(corners), &size, &at, &covered))
        return;
    layout->crowded = covered > 0;
    layout->legend_box = (NsBox){at.x, at.y, width, height};
    pen.x = pen.left = at.x + margin;
    pen.y = at.y + margin;
    pen.right = at.x + margin + pen.right;
    pen.draw = true;
    place_all(layout, &pen, series);
}

bool ns_plot_has_legend(const NsPlotLayout *layout)
{
    return layout->legend->len > 0 && layout->ends_space <= 0;
}

int ns_plot_legend_at(const NsPlotLayout *layout, double x, double y)
{
    double slack = 0.2 * layout->style->text_size;
    for (unsigned i = 0; i < layout->legend->len; i++) {
        const NsLegendSample *sample = &g_array_index(layout->legend, NsLegendSample, i);
        NsBox box = sample->entry;
        box = (NsBox){box.x - slack, box.y - slack, box.width + 2 * slack, box.height + 2 * slack};
        if (!is_key(layout, sample->series) && ns_box_contains(&box, x, y))
            return (int)(sample->series - layout->plot->series);
    }
    return -1;
}

/* ---- names at the right ends of curves ---- */

/* In text sizes: the minimum size of a page with such names, the space before and behind a name,
 * and the distance of names. */
#define LEAST_WIDTH 36
#define LEAST_HEIGHT 16
#define BEFORE 0.9
#define BEHIND 0.6
#define NAME_LINE 1.3

/* With more names than this, or a wider one (as a share of the page), all are in the legend. */
#define MOST_NAMES 6
#define MOST_WIDTH 0.27

/* In text sizes: the end of a noisy curve is averaged over STRETCH; names whose curves end within
 * COLUMN share a column. */
#define STRETCH 1.5
#define COLUMN 3

/* Each round removes half of the remaining overlaps. */
#define ROUNDS 80

typedef struct {
    const NsSeries *series;
    PangoLayout *text;
    NsPoint end;  /* the end of the curve */
    double x, y;  /* the left end of the name, and its vertical middle */
    double width; /* width of the name */
} Name;

static void clear_name(void *name)
{
    g_object_unref(((Name *)name)->text);
}

static PangoLayout *name_text(NsPlotLayout *layout, const NsSeries *series)
{
    g_autofree char *words = words_of(layout, series);
    PangoLayout *text = ns_layout_text(layout, true, words);
    if (series->hidden) ns_text_strike(text);
    return text;
}

void ns_end_names_fit(NsPlotLayout *layout)
{
    const NsPlot *plot = layout->plot;
    double size = layout->style->text_size;
    layout->ends_space = 0;
    bool data = layout->summary.any && !plot->heatmap && !plot->drawing;
    if (plot->legend != NS_LEGEND_OUTSIDE || !data || plot->x.reversed ||
        layout->width < LEAST_WIDTH * size || layout->height < LEAST_HEIGHT * size)
        return;
    g_autoptr(GPtrArray) entries = ns_legend_entries(layout);
    if (entries->len < least_entries(layout)) return;
    for (int ends = NS_ENDS_ALL; ends <= NS_ENDS_OWN && layout->ends_space <= 0; ends++) {
        layout->ends = (NsEnds)ends;
        layout->ends_space = size;
        /* The width that names need, or 0 if there are too many or they are too wide. */
        double widest = 0;
        unsigned n = 0;
        for (unsigned i = 0; i < entries->len; i++) {
            if (!is_at_end(layout, entries->pdata[i])) continue;
            g_autoptr(PangoLayout) text = name_text(layout, entries->pdata[i]);
            widest = MAX(widest, ns_text_width(text));
            n++;
        }
        bool fits = n > 0 && n <= MOST_NAMES && widest <= MOST_WIDTH * layout->width;
        /* Whole text sizes keep the axis from shifting with every digit of a step. */
        layout->ends_space = fits ? (ceil(widest / size) + BEFORE + BEHIND) * size : 0;
    }
}

/* Finds the visible end of a curve, at the average height of its last stretch.  A hidden curve
 * keeps its name, so that a second click shows it again; its height is clamped to the axis. */
static bool find_end(const NsPlotLayout *layout, const NsSeries *series, NsPoint *end)
{
    const NsPlot *plot = layout->plot;
    const NsScale *x = &layout->x, *y = &layout->y;
    const NsBox *area = &layout->area;
    double right = area->x + area->width - layout->beyond, sum = 0;
    unsigned n = 0;
    for (size_t i = series->n; i-- > 0;) {
        double px = ns_scale_to_pixel(x, series->x[i]), py = ns_scale_to_pixel(y, series->y[i]);
        if (series->hidden) py = CLAMP(py, area->y, area->y + area->height);
        bool seen = px >= area->x && px <= right && py >= area->y && py <= area->y + area->height &&
                    !(plot->cut && series->x[i] > plot->cut_at);
        if (n && (!seen || end->x - px > STRETCH * layout->style->text_size)) break;
        if (!seen) continue;
        if (!n) end->x = px;
        sum += py;
        n++;
    }
    if (n) end->y = sum / n;
    if (!n && series->hidden) *end = (NsPoint){right, area->y};
    return n > 0 || series->hidden;
}

/* Sorts from top to bottom.  Names whose curves end at nearly the same height keep their order,
 * which noise would otherwise change in every frame. */
static int compare_names(const void *pa, const void *pb)
{
    const Name *a = pa, *b = pb;
    double half = ns_text_height(a->text) / 2;
    double row_a = floor(a->end.y / half), row_b = floor(b->end.y / half);
    if (row_a < row_b) return -1;
    return row_a > row_b ? 1 : a->series < b->series ? -1 : 1;
}

void ns_end_names_place(NsPlotLayout *layout)
{
    if (layout->ends_space <= 0) return;
    double size = layout->style->text_size, line = NAME_LINE * size, last = 0;
    NsBox space = ns_layout_inside(layout);
    g_autoptr(GArray) names = g_array_new(FALSE, TRUE, sizeof(Name));
    g_array_set_clear_func(names, clear_name);
    g_autoptr(GPtrArray) entries = ns_legend_entries(layout);
    for (unsigned i = 0; i < entries->len && (names->len + 1) * line <= space.height; i++) {
        Name name = {.series = entries->pdata[i]};
        if (!is_at_end(layout, name.series) || !find_end(layout, name.series, &name.end)) continue;
        name.text = name_text(layout, name.series);
        name.width = ns_text_width(name.text);
        name.y = name.end.y;
        /* Above a level that would strike it out; always on one side, whatever the noise. */
        for (size_t k = 0; k < layout->plot->n_levels; k++) {
            double py = ns_scale_to_pixel(&layout->y, layout->plot->levels[k].y);
            if (fabs(name.y - py) < line / 2) name.y = py - line / 2;
        }
        last = MAX(last, name.end.x);
        g_array_append_val(names, name);
    }
    Name *all = (Name *)(void *)names->data;
    for (unsigned i = 0; i < names->len; i++) {
        double end = last - all[i].end.x < COLUMN * size ? last : all[i].end.x;
        all[i].x = end + BEFORE * size;
    }
    g_array_sort(names, compare_names);
    /* Moves overlapping names apart, as little as possible. */
    unsigned n = names->len;
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned j = 0; j < n; j++) {
            for (unsigned k = 0; k < j; k++) {
                double missing = line - (all[j].y - all[k].y);
                if (missing <= 0 ||
                    (all[j].x > all[k].x + all[k].width || all[k].x > all[j].x + all[j].width))
                    continue;
                all[j].y += missing / 2;
                all[k].y -= missing / 2;
            }
            double least = space.y + line / 2 + line * j;
            double most = space.y + space.height - line / 2 - line * (n - 1 - j);
            all[j].y = CLAMP(all[j].y, MIN(least, most), most);
        }
    for (unsigned i = 0; i < n; i++) {
        const Name *name = &all[i];
        double height = ns_text_height(name->text);
        NsBox box = {name->x, name->y - height / 2, name->width, height};
        NsLegendSample sample = {
            .series = name->series, .at_end = true, .label = layout->labels->len, .entry = box};
        g_array_append_val(layout->legend, sample);
        NsLabel *label =
            ns_layout_add_label(layout, NS_PART_END_NAME, name->text, box.x, box.y, false);
        label->color = name->series->hidden ? layout->style->faint_text
                                            : ns_series_color(layout->style, name->series);
        label->led = fabs(name->y - name->end.y) > line / 2 || name->x - name->end.x > 2 * size;
        label->leader[0] = name->end;
        label->leader[1] = (NsPoint){name->x - 0.25 * size, name->y};
    }
}
