/* Shared declarations of the command “study”.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/cli.h"
#include "core/study/study_work.h"

/* Trains until all cells are done or a signal arrives, with `jobs` threads.  what: prefix of the
 * progress line, or NULL.  FALSE with an error; finished results stay in the file. */
bool ns_study_train(NsStudyWork *work, unsigned jobs, const char *what, GError **error);

/* ---- study_output.c ---- */

void ns_study_show_table(const NsStudyResults *results);
void ns_study_show_json(const NsStudyResults *results);

/* Writes a row for every cell, with the value of its seed. */
bool ns_study_write_csv(const NsStudyResults *results, const char *path, GError **error);

/* ---- study_figure.c ---- */

const NsChoice *ns_study_figure_choice(size_t i);

/* Draws one of these figures; NS_ERROR_SETTING if the study has no data for it. */
typedef struct {
    const char *key;   /* of ns_study_figure_choice */
    const char *x, *y; /* of a phase diagram: settings of the grid; NULL: the first one not yet
                          used */
    const NsPicture *picture;
} NsStudyFigure;

bool ns_study_draw(const NsStudyResults *results, const NsStudyFigure *figure, GError **error);

/* ---- study_jobs.c ---- */

typedef struct {
    const NsStudy *study;
    const char *out; /* file of results of the whole study */
    size_t chunk;    /* cells per job; 0: one, or with Slurm as many as needed for at most 1,000
                        jobs */
    double lease;
} NsStudyJobs;

/* Prints one command for every part of the study that has cells to run. */
bool ns_study_print_jobs(const NsStudyJobs *jobs, GError **error);

/* Runs these commands as job arrays of Slurm, waits for them and gathers their results. */
bool ns_study_run_slurm(const NsStudyJobs *jobs, GError **error);

/* Adds the results in these files to those of the study, and prints on stderr what was added. */
bool ns_study_gather(const NsStudyJobs *jobs, char *const *files, GError **error);
