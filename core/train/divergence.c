/* SPDX-License-Identifier: MIT */
#include "core/train/divergence.h"

#include "core/base/copy.h"
#include "core/base/digits.h"
#include "core/base/words.h"

#include <math.h>
#include <string.h>

char *ns_tensor_words(const NsTensor *tensor)
{
    static const char *const symbols[] = {
#define SYMBOL(ID, key, name, symbol, per_layer) [NS_PARAMETER_##ID] = symbol,
        NS_PARAMETERS(SYMBOL)
#undef SYMBOL
    };
    /* As plain text, in which a subscript of one letter follows without "_": "W1", "β_final". */
    const char *letters = symbols[tensor->parameter], *subscript = strchr(letters, '_');
    g_autoptr(GString) symbol =
        g_string_new_len(letters, subscript ? subscript - letters : (gssize)strlen(letters));
    if (subscript && (subscript[1] != '{' || subscript[3] == '}')) subscript++;
    for (; subscript && *subscript; subscript++)
        if (!strchr("{}", *subscript)) g_string_append_c(symbol, *subscript);
    g_autofree char *layer = ns_group_digits(tensor->layer + 1);
    if (tensor->layer < 0) return g_strdup(symbol->str);
    if (tensor->layers > 1) return g_strdup_printf(C_("tensor", "%s of all layers"), symbol->str);
    return g_strdup_printf(C_("tensor", "%s of layer %s"), symbol->str, layer);
}

/* Makes an event one about a tensor, whose name is returned. */
static char *about_tensor(NsEvent *event, const NsTensor *tensor)
{
    event->layer = tensor->layer + 1;
    ns_copy_text(event->what, sizeof event->what, tensor->name);
    return ns_tensor_words(tensor);
}

bool ns_watch(const NsWatch *watch, NsEvent *event)
{
    const NsMeasure *seen = watch->seen;
    const NsTensor *tensors = watch->table->tensors;
    const size_t n = watch->table->n;
    g_autofree char *step = ns_group_digits(watch->step);
    *event = (NsEvent){.step = watch->step, .kind = NS_EVENT_DIVERGED};
    for (size_t i = 0; i < n; i++) {
        if (isfinite(watch->updates[i].update_sq)) continue;
        g_autofree char *tensor = about_tensor(event, &tensors[i]);
        ns_event_describe(event, N_("Diverged at step %s: the update of %s is not finite."), step,
                          tensor);
        return true;
    }
    for (size_t i = 0; watch->v && i < n; i++) {
        size_t at = tensors[i].offset, end = at + ns_tensor_size(&tensors[i]);
        while (at < end && isfinite(watch->v[at])) at++;
        if (at == end) continue;
        g_autofree char *tensor = about_tensor(event, &tensors[i]);
        ns_event_describe(event,
                          N_("Diverged at step %s: the second moment of %s overflowed; some of "
                             "its weights are frozen."),
                          step, tensor);
        return true;
    }
    /* The states are x_0 .. x_N of the first stack, then x_0 .. x_M of the second. */
    for (size_t i = 0; i < seen->n_hidden; i++) {
        if (isfinite(seen->hidden[i].sq)) continue;
        bool second = i > watch->first_stack, embedding = !i || i == watch->first_stack + 1;
        event->layer = embedding ? 0 : (int)i - second;
        g_autofree char *layer = ns_group_digits(event->layer);
        ns_copy_text(event->what, sizeof event->what, embedding ? "embedding" : "hidden state");
        if (!embedding)
            ns_event_describe(
                event, N_("Diverged at step %s: the hidden state after layer %s is not finite."),
                step, layer);
        else
            ns_event_describe(
                event,
                second ? N_("Diverged at step %s: the embedding of the decoder is not finite.")
                       : N_("Diverged at step %s: the embedding is not finite."),
                step);
        return true;
    }
    if (watch->final_norm && !isfinite(seen->final_sq)) {
        ns_copy_text(event->what, sizeof event->what, "hidden state");
        ns_event_describe(
            event, N_("Diverged at step %s: the hidden state after the final norm is not finite."),
            step);
        return true;
    }
    if (!isfinite(seen->loss)) {
        ns_copy_text(event->what, sizeof event->what, "loss");
        ns_event_describe(event, N_("Diverged at step %s: the loss is not finite."), step);
        return true;
    }
    for (size_t i = n; i-- > 0;) {
        if (isfinite(seen->grad_sq[i])) continue;
        g_autofree char *tensor = about_tensor(event, &tensors[i]);
        ns_event_describe(event, N_("Diverged at step %s: the gradient of %s is not finite."), step,
                          tensor);
        return true;
    }
    return false;
}
