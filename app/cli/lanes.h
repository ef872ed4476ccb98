/* Lanes in training, and their output.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/cli.h"
#include "core/train/lockstep.h"

/* The name of each lane: its value of --lane or, without that option, its differences from the
 * other lanes.  Free with g_strfreev. */
char **ns_lanes_names(const NsExperiment *experiment, char **words);

/* Reads the weights that a run of one lane starts from, and its other settings, from the folder of
 * --checkpoint in the layout of “dump” or of GPT-2.  Without it does nothing and succeeds.  A named
 * setting overrides that of a dump; with GPT-2 it is NS_ERROR_SETTING if the two differ.
 * NS_ERROR_USAGE if an output would overwrite the text of a dump. */
bool ns_checkpoint_open(NsArguments *arguments, NsCheckpoint **checkpoint, GError **error);

/* Creates the models of all lanes for training in lockstep.  The first lane starts from the weights
 * of the checkpoint `first` (NULL: initialized).  NS_ERROR_SETTING if it does not fit. */
NsLockstep *ns_lanes_start(const NsExperiment *experiment, NsCheckpoint *first, GError **error);

/* The last step that any lane has measured.  May be called while a step is in progress. */
gint64 ns_lanes_steps(NsLockstep *lockstep);

/* Trains up to step `limit` with a progress line.  Ends earlier after a signal, calling `finish`
 * (ns_interrupt_begin) if the step takes too long, or when all lanes have diverged. */
void ns_lanes_train(NsLockstep *lockstep, gint64 limit, NsInterruptFinish *finish, void *data);

/* Prints on stderr, after the results were written, whether training ended before `limit`. */
void ns_lanes_report_end(NsLockstep *lockstep, gint64 limit);

/* ---- Recorded training ---- */

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
