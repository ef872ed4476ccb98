/* The loss along the newest update whose curvature was measured.  SPDX-License-Identifier: MIT */
#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/figures/figure.h"

#include <math.h>

typedef struct {
    NsFigure figure;
    NsSource run;
    NsLossAlong along;
    bool there;
    NsLevel before;
} Along;

static void show(Along *a)
{
    NsFigure *figure = &a->figure;
    const NsLossAlong *along = &a->along;
    figure->plot.n_series = figure->plot.n_levels = 0;
    g_array_set_size(figure->markers, 0);
    if (!a->there) return;
    figure->series[0] = (NsSeries){.label = _("loss"),
                                   .kind = NS_SERIES_POINTS,
                                   .n = NS_ALONG_POINTS - 1,
                                   .x = along->rate + 1, /* 0 is not on a logarithmic axis */
                                   .y = along->loss + 1};
    a->before = (NsLevel){.y = along->loss[0], .text = _("before the update")};
    figure->plot.n_series = figure->plot.n_levels = 1;
    size_t lowest = 1;
    for (size_t i = 2; i < NS_ALONG_POINTS; i++)
        if (along->loss[i] < along->loss[lowest]) lowest = i;
    const NsMarker markers[] = {{.x = along->lr, .text = _("this step")},
                                {.x = along->rate[lowest], .text = _("lowest")},
                                {.x = along->critical_rate, .text = _("critical rate")}};
    g_array_append_vals(figure->markers, markers, isnan(along->critical_rate) ? 2 : 3);
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Along *a = (Along *)figure;
    figure->changed |= ns_source_follow(&a->run, input->history);
    NsLossAlong newest = {.step = -1};
    bool there = input->history && ns_history_along(input->history, &newest) && newest.lr > 0;
    NS_FIGURE_SET(figure, a->there, there);
    figure->changed |= newest.step != a->along.step;
    a->along = newest;
    bool never = input->settings && input->settings->curvature_every < 1;
    g_autofree char *empty =
        never ? ns_figure_absent(NS_QUANTITY_CRITICAL_RATE, input)
              : g_strdup(_("No update has been measured yet; run files do not store this curve."));
    g_autofree char *step = ns_group_digits(newest.step);
    bool shown = !there || input->step < 0 || input->step == newest.step;
    ns_figure_words(
        figure, input,
        (NsFigureWords){
            .title = _("Loss along the update"),
            .empty = empty,
            .step = newest.step,
            .note = shown ? NULL
                          : g_strdup_printf(
                                _("Only the newest measurement is kept; this one is from step %s."),
                                step),
        });
    if (figure->changed) show(a);
}

static void clear(NsFigure *figure)
{
    ns_source_follow(&((Along *)figure)->run, NULL);
}

static void init(NsFigure *figure)
{
    figure->plot.x.label = _("learning rate of this update");
    figure->plot.x.scale = NS_SCALE_LOG;
    figure->plot.x.integer = false;
    figure->plot.left.label = _("loss");
    figure->plot.left.unit = _("nats per token");
    figure->plot.levels = &((Along *)figure)->before;
}

const NsFigureClass ns_along_class = {sizeof(Along), init, update, clear, NS_SEEDS_FIRST};
