/* What the files of the command “study” share.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/picture.h"
#include "core/store/json.h"
#include "core/study/study_work.h"

/* The most threads of a study. */
#define NS_STUDY_JOBS_MOST 256

/* Until all is done or somebody interrupts it, with so many threads.  what: what the line of
 * progress begins with, or NULL.  FALSE with an error, which leaves what was found in the file. */
bool ns_study_train(NsStudyWork *work, unsigned jobs, const char *what, GError **error);

/* The cells of a study as they stand. */
typedef struct {
    const NsStudy *study;
    NsStudyCell *cells;    /* [ns_study_cells] */
    NsCellOrigin *origins; /* the same */
    size_t ended, diverged, failed;
    const char *failure; /* what the first that failed says, or NULL */
} NsStudyResults;

void ns_study_results_clear(NsStudyResults *results);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsStudyResults, ns_study_results_clear)

/* ---- study_output.c ---- */

void ns_study_show_table(const NsStudyResults *results);
void ns_study_show_json(const NsStudyResults *results);

/* A row for every cell, with the value of its seed. */
bool ns_study_write_csv(const NsStudyResults *results, const char *path, GError **error);

/* ---- study_compare.c ---- */

/* Comparison and sensitivity, as far as the study has them. */
void ns_study_show_comparison(const NsStudyResults *results);
void ns_study_write_comparison(NsJson *json, const NsStudyResults *results);

/* ---- study_figure.c ---- */

const NsChoice *ns_study_figure_choice(size_t i);

/* Draws one of these; NS_ERROR_SETTING where the study has nothing that it shows. */
typedef struct {
    const char *key;   /* of ns_study_figure_choice */
    const char *x, *y; /* of a phase diagram: settings of the grid; NULL: the first that is left */
    const NsPicture *picture;
} NsStudyFigure;

bool ns_study_draw(const NsStudyResults *results, const NsStudyFigure *figure, GError **error);

/* ---- study_jobs.c ---- */

typedef struct {
    const NsStudy *study;
    const char *out; /* the results of the whole study */
    size_t chunk;    /* cells of a job; 0: one, or of Slurm so many that there are 1,000 jobs */
    double lease;
} NsStudyJobs;

/* Prints one command for every part of the study that has cells to run. */
bool ns_study_print_jobs(const NsStudyJobs *jobs, GError **error);

/* Runs them as job arrays of Slurm, waits for their end and gathers their results. */
bool ns_study_run_slurm(const NsStudyJobs *jobs, GError **error);

/* Adds the results of files to those of the study, and says on stderr what was added. */
bool ns_study_gather(const NsStudyJobs *jobs, const char *const *files, GError **error);
