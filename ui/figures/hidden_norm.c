/* SPDX-License-Identifier: MIT */
#include "ui/figures/profile.h"

/* The model's output is what the head sees; in a model with a final norm the profile does not show
 * it, so the note does. */
static char *final_norm_note(const NsFigureInput *input)
{
    bool squared = input->hidden == NS_QUANTITY_HIDDEN_SQ;
    NsQuantity quantity = squared ? NS_QUANTITY_FINAL_SQ : NS_QUANTITY_FINAL_NORM;
    int64_t step = ns_profile_step(input);
    if (step < 0 || ns_history_layout(input->history)->count[quantity] == 0) return NULL;

    float value;
    NsBucket bucket = ns_history_read(input->history, quantity, (size_t)step, NULL, &value);
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(text, sizeof text, "%.4g", (double)value);
    return g_strdup_printf("After the final norm: %s%s.",
                           bucket.last > bucket.first ? "at most " : "", text);
}

static bool update(NsFigure *figure, const NsFigureInput *input)
{
    return ns_profile_update((NsProfile *)figure, input, input->hidden, 0, final_norm_note(input));
}

NsFigure *ns_hidden_norm_new(void)
{
    static const NsFigureClass class = {sizeof(NsProfile), update, ns_profile_clear};
    NsFigure *figure = ns_figure_alloc(&class);
    figure->plot.x.label = "layer (0: embedding)";
    return figure;
}
