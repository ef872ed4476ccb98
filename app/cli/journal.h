/* What commands that train write of a run, as it goes on.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/cli.h"
#include "core/train/run.h"

typedef struct {
    NsLines *lines; /* NULL: nothing is written */
    size_t lane;    /* counted from 1; 0 for a run on its own */
    size_t records; /* that have been written */
} NsJournal;

bool ns_journal_settings(NsJournal *journal, NsRun *run, GError **error);

/* Every record that has not been written yet. */
bool ns_journal_news(NsJournal *journal, NsRun *run, GError **error);

bool ns_journal_summary(NsJournal *journal, NsRun *run, GError **error);

/* A word of NS_TRAINER_STATES: finished, paused where a signal ended it, or diverged. */
const char *ns_journal_state(NsRun *run);

/* For people: the sentence of every spike, or of the first few and how many more there were, and
 * that of a divergence; each on a line that begins with `indent`. */
void ns_journal_show_trouble(NsRun *run, const char *indent);

double ns_journal_newest_loss(NsRun *run);

/* Wall time of an update, mean over all of them; NaN before the first. */
double ns_journal_ms_per_step(NsRun *run);
