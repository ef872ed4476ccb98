/* SPDX-License-Identifier: MIT */
#include "core/train/divergence.h"

#include "core/base/digits.h"

#include <math.h>
#include <string.h>

static bool diverged(const NsWatch *watch, NsEvent *event, int layer, const char *what,
                     const char *sentence)
{
    *event = (NsEvent){.step = watch->step, .kind = NS_EVENT_DIVERGED, .layer = layer};
    g_strlcpy(event->what, what, sizeof event->what);
    g_autofree char *step = ns_group_digits(watch->step);
    g_snprintf(event->text, sizeof event->text, "Diverged at step %s: %s.", step, sentence);
    return true;
}

/* Appends a symbol as plain text; a subscript of one letter follows without "_": "W1", "β_final".
 */
static void append_symbol(GString *words, const char *symbol)
{
    const char *subscript = strchr(symbol, '_');
    g_string_append_len(words, symbol, subscript ? subscript - symbol : (gssize)strlen(symbol));
    if (!subscript) return;
    if (subscript[1] != '{' || subscript[3] == '}') subscript++;
    for (; *subscript; subscript++)
        if (!strchr("{}", *subscript)) g_string_append_c(words, *subscript);
}

char *ns_tensor_words(const NsTensor *tensor)
{
    static const char *const symbols[] = {
#define SYMBOL(ID, key, name, symbol, per_layer) [NS_PARAMETER_##ID] = symbol,
        NS_PARAMETERS(SYMBOL)
#undef SYMBOL
    };
    GString *words = g_string_new(NULL);
    append_symbol(words, symbols[tensor->parameter]);
    g_autofree char *layer = ns_group_digits(tensor->layer + 1);
    if (tensor->layer >= 0) g_string_append_printf(words, " of layer %s", layer);
    return g_string_free(words, FALSE);
}

/* Reports a tensor: "the gradient of W1 of layer 4 is not finite". */
static bool diverged_at_tensor(const NsWatch *watch, NsEvent *event, size_t i, const char *what,
                               const char *how)
{
    const NsTensor *tensor = &watch->table->tensors[i];
    g_autofree char *words = ns_tensor_words(tensor);
    g_autofree char *sentence = g_strdup_printf("the %s of %s %s", what, words, how);
    return diverged(watch, event, tensor->layer + 1, tensor->name, sentence);
}

/* Reports hidden state i of x_0 .. x_N of the first stack and x_0 .. x_M of the second. */
static bool diverged_at_hidden(const NsWatch *watch, NsEvent *event, size_t i)
{
    bool second = i > watch->first_stack;
    if (i == 0) return diverged(watch, event, 0, "embedding", "the embedding is not finite");
    if (i == watch->first_stack + 1)
        return diverged(watch, event, 0, "embedding", "the embedding of the decoder is not finite");
    size_t layer = second ? i - 1 : i;
    g_autofree char *number = ns_group_digits((int64_t)layer);
    g_autofree char *sentence =
        g_strdup_printf("the hidden state after layer %s is not finite", number);
    return diverged(watch, event, (int)layer, "hidden state", sentence);
}

static bool overflowed(const ns_real *v, const NsTensor *tensor)
{
    for (size_t i = tensor->offset; i < tensor->offset + ns_tensor_size(tensor); i++)
        if (!isfinite(v[i])) return true;
    return false;
}

bool ns_watch(const NsWatch *watch, NsEvent *event)
{
    const NsMeasure *seen = watch->seen;
    for (size_t i = 0; i < watch->table->n; i++)
        if (!isfinite(watch->updates[i].update_sq))
            return diverged_at_tensor(watch, event, i, "update", "is not finite");
    for (size_t i = 0; watch->v && i < watch->table->n; i++)
        if (overflowed(watch->v, &watch->table->tensors[i]))
            return diverged_at_tensor(
                watch, event, i, "second moment",
                "overflowed, so that some of its weights cannot move any more");
    for (size_t i = 0; i < seen->n_hidden; i++)
        if (!isfinite(seen->hidden[i].sq)) return diverged_at_hidden(watch, event, i);
    if (watch->final_norm && !isfinite(seen->final_sq))
        return diverged(watch, event, 0, "hidden state",
                        "the hidden state after the final norm is not finite");
    if (!isfinite(seen->loss)) return diverged(watch, event, 0, "loss", "the loss is not finite");
    for (size_t i = watch->table->n; i-- > 0;)
        if (!isfinite(seen->grad_sq[i]))
            return diverged_at_tensor(watch, event, i, "gradient", "is not finite");
    return false;
}
