/* What “train” and “compare” write of runs, as they go on.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/cli.h"
#include "core/train/lockstep.h"

/* The option --checkpoint-every, which goes into `steps`. */
GOptionEntry ns_journal_every_entry(gint64 *steps);

/* Shows the result for people; also right while a step is being made. */
typedef void NsJournalShow(NsLockstep *lockstep, void *data);

typedef struct {
    const char *jsonl; /* a file for JSON lines ("-": standard output), those of several lanes
                          or seeds say which they are of; NULL: none, and `show` is called at
                          the end */
    const char *run;   /* a run file; NULL: none */
    gint64 every;      /* steps between its checkpoints; 0: by time */
    bool resume;       /* it goes on from where the lanes stand, and is else a new one */
    gint64 limit;      /* the last step; negative: until a signal */
    NsJournalShow *show;
    void *data;
} NsJournalPlan;

/* Trains up to the limit, until a signal, or until no lane can go on, and writes everything that is
 * measured.  A run file that cannot be written does not end the training: false without an error,
 * since it has been told. */
bool ns_journal_run(NsLockstep *lockstep, const NsJournalPlan *plan, GError **error);

/* A word of NS_TRAINER_STATES: finished, paused where a signal ended it, or diverged. */
const char *ns_journal_state(NsRun *run);

/* For people: the sentence of every spike, or of the first few and how many more there were, and
 * that of a divergence; each on a line that begins with `indent`. */
void ns_journal_show_trouble(NsRun *run, const char *indent);

/* For people: a table of all runs; `names`: char **, what the lanes are called. */
void ns_journal_show_lanes(NsLockstep *lockstep, void *names);

/* For people: the training loss over the seeds of every lane, where there are several. */
void ns_journal_show_seeds(NsLockstep *lockstep);

/* Wall time of an update, mean over all of them; NaN before the first. */
double ns_journal_ms_per_step(NsRun *run);
