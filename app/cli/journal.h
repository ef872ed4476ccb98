/* What “train” and “compare” write of runs, as they go on.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/cli.h"
#include "core/train/lockstep.h"

#define NS_JOURNAL_STEPS 300 /* where neither --steps nor a setting says how many */

/* The step at which a run ends; negative where it goes on until a signal: with --set steps=0, but
 * not with --steps 0. */
gint64 ns_journal_limit(const NsSettings *settings, const char *steps);

/* Shows the result for people; also right while a step is being made. */
typedef void NsJournalShow(NsLockstep *lockstep, void *data);

/* Trains up to step `limit`, until a signal, or until no lane can go on.  Everything that is
 * measured is written as JSON lines to the file `jsonl` ("-": standard output); those of several
 * lanes or seeds say which they are of.  NULL: `show` is called at the end instead. */
bool ns_journal_run(NsLockstep *lockstep, const char *jsonl, gint64 limit, NsJournalShow *show,
                    void *data, GError **error);

/* A word of NS_TRAINER_STATES: finished, paused where a signal ended it, or diverged. */
const char *ns_journal_state(NsRun *run);

/* For people: the sentence of every spike, or of the first few and how many more there were, and
 * that of a divergence; each on a line that begins with `indent`. */
void ns_journal_show_trouble(NsRun *run, const char *indent);

/* For people: the training loss over the seeds of every lane, where there are several. */
void ns_journal_show_seeds(NsLockstep *lockstep);

double ns_journal_newest_loss(NsRun *run);

/* Wall time of an update, mean over all of them; NaN before the first. */
double ns_journal_ms_per_step(NsRun *run);
