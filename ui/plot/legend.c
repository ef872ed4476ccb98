/* The legend: one line under the title, or as many as it takes.  SPDX-License-Identifier: MIT */
#include "ui/plot/layout-private.h"

/* In text sizes: the line before a word, the gap behind it, the gap between entries. */
#define SAMPLE 2.0
#define GAP 0.45
#define BETWEEN 1.3

typedef struct {
    double x, y, left, right, line; /* the pen, and where it may go */
    bool draw;
} Pen;

/* False where the entry is wider than the whole line. */
static bool place_entry(NsPlotLayout *layout, Pen *pen, const NsSeries *series)
{
    double size = layout->style->text_size, width, height;
    g_autofree char *words =
        g_strconcat(series->label, series->side == NS_AXIS_RIGHT ? " (right)" : "", NULL);
    g_autoptr(PangoLayout) text = ns_text_new(layout->context, layout->style, size, false, words);
    ns_text_size(text, &width, &height);
    double whole = (SAMPLE + GAP) * size + width;
    if (whole > pen->right - pen->left) return false;
    if (pen->x > pen->left && pen->x + whole > pen->right) {
        pen->x = pen->left;
        pen->y += pen->line;
    }
    if (pen->draw) {
        NsLegendSample sample = {series, {pen->x, pen->y, SAMPLE * size, height}};
        g_array_append_val(layout->legend, sample);
        ns_layout_add_label(layout, NS_PART_LEGEND, g_object_ref(text),
                            pen->x + (SAMPLE + GAP) * size, pen->y, false);
    }
    pen->x += whole + BETWEEN * size;
    return true;
}

static bool place_all(NsPlotLayout *layout, Pen *pen, bool ghosts)
{
    const NsPlot *plot = layout->plot;
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        if (series->label && series->n && series->ghost == ghosts &&
            !place_entry(layout, pen, series))
            return false;
    }
    return true;
}

double ns_legend_place(NsPlotLayout *layout, double x, double y, double width, double max_height,
                       bool draw)
{
    const NsPlot *plot = layout->plot;
    size_t labelled = 0;
    for (size_t i = 0; i < plot->n_series; i++)
        labelled += plot->series[i].label && plot->series[i].n;
    if (labelled < 2) return 0;
    Pen pen = {x, y, x, x + width, layout->style->text_size * 1.45, draw};
    if (!place_all(layout, &pen, false) || !place_all(layout, &pen, true)) return 0;
    double height = pen.y + pen.line - y;
    return height <= max_height ? height : 0;
}
