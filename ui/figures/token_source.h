/* The newest snapshot of tokens of a run.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figure.h"

/* A copy of the newest snapshot of tokens (core/probe/token_snapshot.h), which is shared by the
 * figures of tokens and attention. */
typedef struct {
    NsSource source;
    size_t record; /* index of the record in which it was measured */
    bool there;
    NsTokenSnapshot *snapshot; /* NULL before the first */
} NsTokenSource;

/* Copies the newest snapshot if it is not the one in `tokens`.  TRUE if it is new, or if the
 * history is a different one. */
bool ns_token_source_follow(NsTokenSource *tokens, NsHistory *history);
void ns_token_source_clear(NsTokenSource *tokens);

/* "Only the newest measurement is kept, from step 40." if the input requests another step;
 * otherwise NULL.  Free with g_free. */
char *ns_token_source_note(const NsTokenSource *tokens, const NsFigureInput *input);

/* Explains why there is no snapshot of tokens, or no similarity; NULL before the first step.  Free
 * with g_free. */
char *ns_token_source_empty(const NsFigureInput *input);
