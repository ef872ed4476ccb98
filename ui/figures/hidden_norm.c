/* SPDX-License-Identifier: MIT */
#include "ui/figures/profile.h"

static bool update(NsFigure *figure, const NsFigureInput *input)
{
    bool squared = input->hidden == NS_QUANTITY_HIDDEN_SQ;
    const NsProfileSpec spec = {
        .quantity = input->hidden,
        .end = squared ? NS_QUANTITY_FINAL_SQ : NS_QUANTITY_FINAL_NORM,
        .has_end = true,
        .end_label = "after the final norm",
    };
    return ns_profile_update((NsProfile *)figure, input, &spec);
}

NsFigure *ns_hidden_norm_new(void)
{
    static const NsFigureClass class = {sizeof(NsProfile), update, ns_profile_clear};
    NsFigure *figure = ns_figure_alloc(&class);
    figure->plot.x.label = "layer (0: embedding)";
    return figure;
}
