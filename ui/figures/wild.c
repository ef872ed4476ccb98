/* SPDX-License-Identifier: MIT */
#include "ui/figures/wild.h"

#include "core/base/words.h"
#include "ui/figures/figure.h"
#include "ui/plot/text.h"

#include <math.h>

/* A run is wild if its values exceed those of the others by WILD_*; the axis ends at ABOVE_* times
 * the largest of the others.  The factors are larger for logarithmic axes, where equal factors have
 * equal lengths. */
#define WILD_LINEAR 3
#define WILD_LOG 100
#define ABOVE_LINEAR 1.2
#define ABOVE_LOG 2

double ns_wild_find(NsWildRun *runs, size_t n, NsScaleKind scale)
{
    bool linear = scale == NS_SCALE_LINEAR, any = false;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (!ns_figure_divergence(runs[i].history)) most = MAX(most, runs[i].most);
    for (size_t i = 0; i < n; i++) {
        runs[i].wild = most > 0 && ns_figure_divergence(runs[i].history) &&
                       runs[i].most > (linear ? WILD_LINEAR : WILD_LOG) * most;
        any |= runs[i].wild;
    }
    return any ? (linear ? ABOVE_LINEAR : ABOVE_LOG) * most : (double)NAN;
}

void ns_wild_note(GString *words, const NsWildRun *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!runs[i].wild) continue;
        g_autofree char *most = ns_text_number(runs[i].most, 2);
        g_autofree char *beyond =
            g_strdup_printf(_("%s is off the scale: up to %s."), runs[i].name, most);
        ns_figure_add_sentence(words, beyond);
    }
}

NsRange ns_wild_colors(NsWildRun *runs, size_t n, NsScaleKind scale, NsRange all)
{
    NsRange range = {INFINITY, -INFINITY};
    if (isnan(ns_wild_find(runs, n, scale))) return all;
    for (size_t i = 0; i < n; i++) {
        if (runs[i].wild || !(runs[i].most > 0)) continue;
        range.lo = MIN(range.lo, runs[i].least);
        range.hi = MAX(range.hi, runs[i].most);
    }
    if (range.lo < range.hi) return range;
    for (size_t i = 0; i < n; i++) runs[i].wild = false;
    return all;
}

void ns_wild_colors_note(GString *words, const NsWildRun *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!runs[i].wild) continue;
        g_autofree char *most = ns_text_number(runs[i].most, 2);
        g_autofree char *beyond =
            g_strdup_printf(_("Values of %s above the color scale, up to %s, have its last color."),
                            runs[i].name, most);
        ns_figure_add_sentence(words, beyond);
    }
}
