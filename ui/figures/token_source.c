/* SPDX-License-Identifier: MIT */
#include "ui/figures/token_source.h"

#include "core/base/digits.h"
#include "core/base/words.h"
#include "core/experiment/param.h"

bool ns_token_source_follow(NsTokenSource *tokens, NsHistory *history)
{
    bool changed = ns_source_follow(&tokens->source, history);
    if (changed) tokens->there = false;
    size_t records = history ? ns_history_steps(history) : 0;
    if (!records) return changed;
    /* The snapshot has about a megabyte and is copied only if it is new. */
    size_t record = ns_history_measured(history, NS_QUANTITY_TOKEN_COSINE, records - 1);
    if (tokens->there && record == tokens->record) return changed;
    if (!tokens->snapshot) tokens->snapshot = g_new(NsTokenSnapshot, 1);
    bool there = ns_history_token_snapshot(history, tokens->snapshot);
    tokens->record = record;
    changed |= there || tokens->there;
    tokens->there = there;
    return changed;
}

void ns_token_source_clear(NsTokenSource *tokens)
{
    ns_source_follow(&tokens->source, NULL);
    g_clear_pointer(&tokens->snapshot, g_free);
}

char *ns_token_source_note(const NsTokenSource *tokens, const NsFigureInput *input)
{
    if (!tokens->there || input->step < 0 || input->step == tokens->snapshot->step) return NULL;
    g_autofree char *step = ns_group_digits(tokens->snapshot->step);
    return g_strdup_printf(_("Only the newest measurement is kept; this one is from step %s."),
                           step);
}

/* Whether the expensive quantities were measured at any step. */
static bool was_measured(const NsHistory *history)
{
    const NsQuantity expensive = NS_QUANTITY_TOKEN_COSINE;
    size_t records = ns_history_steps(history), n = ns_history_layout(history)->count[expensive];
    if (!records || !n) return false;
    g_autofree bool *has = g_new(bool, n);
    ns_history_read(history, expensive, ns_history_measured(history, expensive, records - 1), NULL,
                    NULL, has);
    return has[n - 1];
}

char *ns_token_source_empty(const NsFigureInput *input)
{
    const NsHistory *history = input->history;
    if (input->pending) return g_strdup(input->pending);
    if (history && ns_history_layout(history)->probe_every < 1)
        return g_strdup_printf(_("Not measured: “%s” is off."),
                               _(ns_param_find("probe-every")->label));
    /* It was measured but is not in memory: the history was read from a file, which does not
     * contain it. */
    if (history && was_measured(history))
        return g_strdup(_("A run file does not contain this; run the experiment again to see it."));
    return NULL;
}
