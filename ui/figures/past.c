/* SPDX-License-Identifier: MIT */
#include "ui/figures/past.h"

#define BEFORE NS_FIGURE_PINNED

/* The tones of pinned runs begin behind those of lanes. */
#define FIRST_TONE NS_FIGURE_LANES

static NsFigureRun run_at(const NsFigureInput *input, unsigned i)
{
    if (i == BEFORE) return (NsFigureRun){.history = input->previous};
    return i < input->n_pinned ? input->pinned[i] : (NsFigureRun){0};
}

bool ns_past_follow(NsPast *past, const NsFigureInput *input, NsPastRead read, void *data)
{
    bool changed = false;
    for (unsigned i = 0; i <= BEFORE; i++) {
        NsFigureRun run = run_at(input, i);
        NsSource *source = &past->run[i].source;
        NsCurve *curve = &past->run[i].curve;
        if (ns_source_follow(source, run.history)) {
            ns_curve_clear(curve);
            changed = true;
        }
        char *label =
            i == BEFORE && run.history ? ns_figure_previous_label(input) : g_strdup(run.name);
        changed |= ns_figure_text(&past->run[i].label, label);
        if (!run.history) continue;
        size_t before = source->steps;
        read(source, curve, data);
        changed |= source->steps != before;
    }
    return changed;
}

void ns_past_forget(NsPast *past)
{
    for (unsigned i = 0; i <= BEFORE; i++) {
        ns_curve_clear(&past->run[i].curve);
        past->run[i].source.steps = 0;
    }
}

void ns_past_clear(NsPast *past)
{
    for (unsigned i = 0; i <= BEFORE; i++) {
        ns_source_follow(&past->run[i].source, NULL);
        ns_curve_clear(&past->run[i].curve);
        g_clear_pointer(&past->run[i].label, g_free);
    }
}

size_t ns_past_show(const NsPast *past, NsSeries *series)
{
    size_t n = 0;
    for (unsigned i = 0; i <= BEFORE; i++) {
        if (!past->run[i].curve.n) continue;
        series[n] = (NsSeries){.label = past->run[i].label,
                               .kind = NS_SERIES_LINE,
                               .style = i == BEFORE ? 0 : FIRST_TONE + i,
                               .ghost = true,
                               .tinted = i != BEFORE};
        ns_curve_show(&past->run[i].curve, &series[n++]);
    }
    return n;
}
