/* The newest snapshot of tokens of a run.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figure.h"

/* What both figures of the newest snapshot of tokens (core/probe/token_snapshot.h) follow: where it
 * differs from the one that is there, a copy of it.  TRUE if it does, or if the history is another.
 */
typedef struct {
    NsSource source;
    size_t record; /* in which it was measured */
    bool there;
    NsTokenSnapshot *snapshot; /* NULL before the first */
} NsTokenSource;

bool ns_token_source_follow(NsTokenSource *tokens, NsHistory *history);
void ns_token_source_clear(NsTokenSource *tokens);

/* "Only the newest is kept, of step 40." where another step is asked for; NULL else. */
char *ns_token_source_note(const NsTokenSource *tokens, const NsFigureInput *input);

/* What to say where there is none, of a snapshot of tokens or a similarity: `expensive` where
 * nobody asked for it. Free with g_free. */
char *ns_token_source_empty(const char *expensive, const NsFigureInput *input);
