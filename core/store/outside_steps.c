/* SPDX-License-Identifier: MIT */
#include "core/store/outside_steps-private.h"

#include "core/base/words.h"
#include "core/store/json.h"

#include <math.h>

/* A number in every line that has grown so often is a count of all tokens, not of one batch. */
#define COUNT_GROWS 10

/* The number that is added to the steps that are counted from the beginning of an epoch. */
typedef struct {
    double epoch;
    int64_t offset;
} Epoch;

void ns_outside_steps_init(NsOutsideSteps *steps, GQueue *messages)
{
    *steps = (NsOutsideSteps){.messages = messages, .top = -1, .gap = 1, .epoch = -1};
    steps->epochs = g_array_new(FALSE, FALSE, sizeof(Epoch));
}

static void report(NsOutsideSteps *steps, const char *sentence)
{
    g_queue_push_tail(steps->messages, g_strdup(sentence));
}

/* The number to add to a step that is counted from the beginning of its epoch. */
static int64_t offset_of(NsOutsideSteps *steps, const NsOutsideLine *line, double epoch)
{
    GArray *epochs = steps->epochs;
    int64_t offset = epochs->len ? g_array_index(epochs, Epoch, epochs->len - 1).offset : 0;
    bool loss = line->scalars[NS_OUTSIDE_LOSS].name;
    int64_t step = line->step + offset;
    if (epoch > steps->epoch && steps->epoch >= 0 && !line->again &&
        (step < steps->top || (loss && step == steps->top))) {
        Epoch next = {epoch, steps->top + steps->gap - line->step};
        g_array_append_val(epochs, next);
        if (!steps->in_epoch)
            report(steps, _("The steps restart in every epoch; they are numbered consecutively."));
        steps->in_epoch = true;
    }
    steps->epoch = MAX(steps->epoch, epoch);
    for (guint i = epochs->len; i-- > 0;)
        if (g_array_index(epochs, Epoch, i).epoch <= epoch)
            return g_array_index(epochs, Epoch, i).offset;
    return 0;
}

/* Gives a line without a step the number of tokens up to it, unless that does not grow; returns
 * whether it has one. */
static bool count_tokens(NsOutsideSteps *steps, NsOutsideLine *line, NsOutsideLine *newest)
{
    guint i = 0;
    if (steps->counted || steps->by_epoch) return false;
    const NsOutsideCell *cells = (const NsOutsideCell *)(const void *)line->cells->data;
    while (i < line->cells->len &&
           !(cells[i].name->tokens && (!steps->tokens || steps->tokens == cells[i].name)))
        i++;
    if (i == line->cells->len) return false;
    const NsOutsideName *name = cells[i].name;
    double value = cells[i].value;
    bool whole = value >= 0 && value <= floor(value) && value < (double)NS_JSON_LAST_WHOLE;
    bool loss = line->scalars[NS_OUTSIDE_LOSS].name, grows = value > (double)steps->top;
    if (!whole || (loss && !grows && steps->grown < COUNT_GROWS)) {
        /* The number of one batch is no step, nor was it that of the first line. */
        if (newest && steps->tokens && steps->grown == 1) newest->step = steps->top = 0;
        steps->tokens = NULL;
        return false;
    }
    if (!steps->tokens)
        g_queue_push_tail(
            steps->messages,
            g_strdup_printf(_("The log has no step; its “%s” is shown as the step."), name->raw));
    steps->tokens = name;
    steps->grown += loss && grows;
    line->step = (int64_t)value;
    g_array_remove_index(line->cells, i);
    return true;
}

/* Gives a line without a step the epoch, or the number of losses before it. */
static void count_step(NsOutsideSteps *steps, NsOutsideLine *line)
{
    const NsOutsideCell *epoch = &line->scalars[NS_OUTSIDE_EPOCH];
    bool loss = line->scalars[NS_OUTSIDE_LOSS].name;
    bool whole = epoch->name && epoch->value >= 0 && epoch->value <= floor(epoch->value) &&
                 epoch->value < (double)NS_JSON_LAST_WHOLE;
    /* Several losses of one epoch need numbers of their own. */
    bool again = loss && steps->by_epoch && whole && (int64_t)epoch->value <= steps->top;
    if (whole && !again && !steps->counted) {
        if (!steps->by_epoch)
            report(steps, _("The log has no step; its epoch is shown as the step."));
        steps->by_epoch = true;
        line->step = (int64_t)epoch->value;
        return;
    }
    if (!steps->counted)
        report(steps, _("The log has no step; the order of its values is shown as the step."));
    steps->counted = true;
    line->step = loss ? steps->top + 1 : MAX(steps->top, 0);
}

bool ns_outside_steps_find(NsOutsideSteps *steps, NsOutsideLine *line, NsOutsideLine *newest)
{
    const NsOutsideCell *epoch = &line->scalars[NS_OUTSIDE_EPOCH];
    if (line->step >= 0) {
        steps->has_step = true;
        if (epoch->name && isfinite(epoch->value))
            line->step += offset_of(steps, line, epoch->value);
    } else if (steps->has_step) {
        return false;
    } else if (!count_tokens(steps, line, newest)) {
        count_step(steps, line);
    }
    if (line->scalars[NS_OUTSIDE_LOSS].name && line->step > steps->top) {
        if (steps->top >= 0) steps->gap = line->step - steps->top;
        steps->top = line->step;
    }
    return true;
}
