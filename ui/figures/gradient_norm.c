/* SPDX-License-Identifier: MIT */
#include "ui/figures/profile.h"

static bool update(NsFigure *figure, const NsFigureInput *input)
{
    const NsProfileSpec spec = {.quantity = input->gradient};
    return ns_profile_update((NsProfile *)figure, input, &spec);
}

NsFigure *ns_gradient_norm_new(void)
{
    static const NsFigureClass class = {sizeof(NsProfile), update, ns_profile_clear};
    NsFigure *figure = ns_figure_alloc(&class);
    figure->plot.x.label = "layer";
    return figure;
}
