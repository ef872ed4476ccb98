/* Output of “train” and “compare” during a run.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/cli.h"
#include "core/train/lockstep.h"

/* Prints the result.  May be called while a step is in progress. */
typedef void NsJournalShow(NsLockstep *lockstep, void *data);

typedef struct {
    const char *jsonl; /* file of JSON lines ("-": standard output); with several lanes or seeds
                          each line names its own; NULL: no lines, and `show` is called at the
                          end */
    const char *run;   /* path of a run file, or NULL */
    gint64 every;      /* minimum number of steps between its checkpoints; 0: chosen by time */
    bool resume;  /* continue this run file at the step of the lanes; otherwise it is a new file */
    gint64 limit; /* the last step; negative: train until a signal */
    NsJournalShow *show;
    void *data;
} NsJournalPlan;

/* Trains up to the limit, until a signal, or until all lanes have diverged, and writes everything
 * that is measured.  If the run file cannot be written, training continues, and the result is false
 * without an error, because it has been printed already. */
bool ns_journal_run(NsLockstep *lockstep, const NsJournalPlan *plan, GError **error);

/* A word of NS_TRAINER_STATES: finished, diverged, or paused if a signal ended it. */
const char *ns_journal_state(NsRun *run);

/* Prints the sentences of the first spikes, how many more there were, and the sentence of a
 * divergence; each line begins with `indent`. */
void ns_journal_show_trouble(NsRun *run, const char *indent);

/* Prints a table of all runs; `names` is a char ** with the names of the lanes. */
void ns_journal_show_lanes(NsLockstep *lockstep, void *names);

/* Prints the mean training loss over the seeds of every lane, if there are several seeds. */
void ns_journal_show_seeds(NsLockstep *lockstep);

/* Mean wall time of an update; NaN before the first. */
double ns_journal_ms_per_step(NsRun *run);
