/* A study: many runs that differ in their settings, as a text.  SPDX-License-Identifier: MIT
 *
 *     title = Post-LN and Pre-LN at 64 configurations each
 *     layers = 4
 *     steps = 200
 *     seeds = 2
 *
 *     [random]
 *     draws = 64
 *     lr = 1e-4:1e-1:log
 *     warmup = 1:100:log
 *
 *     [grid]
 *     batch = 8, 16
 *
 *     [stop]
 *     loss-above = 6
 *
 *     [result]
 *     quantity = loss
 *     at = last 10
 *
 *     [A]
 *     name = Post-LN
 *     placement = post
 *
 *     [B]
 *     name = Pre-LN
 *     placement = pre
 *
 * Before the first section: settings of all runs, a title and a note for people, and `seeds`, 1 if
 * it is missing: each configuration is trained with so many seeds, for which `seed` and `data-seed`
 * both count up from their values.  The other sections may be missing:
 *
 *     grid     settings with their values, as ns_study_axis_read has them: every combination
 *     random   settings with what they are drawn from, as ns_study_distribution_read has it;
 *              `draws`, how many configurations are drawn, and `draw-seed`, 1 if it is missing.
 *              More draws leave the first ones what they were.
 *     stop     loss-below, loss-above: a run ends where its training loss gets there
 *     result   quantity: loss (of training, the default), validation-loss, grad-norm (of all
 *              tensors), step-seconds (its wall time), memory (bytes of the run), token-norms (the
 *              share of tokens whose squared norm is above 1.1 times the mean),
 *              entailment-accuracy or paraphrase-accuracy (of an encoder of the task mlm that is
 *              fine-tuned, for `finetune-steps` if given, on generated pairs) or one of the
 *              registry; of these layer (a
 *              number, last, the default, or all) and head; at: “last 10” (the mean of the last ten
 *              records, the default), “last”, “minimum”, “step 100” or “every step”, of
 *              what is measured with the validation loss whenever that is; better: lower or
 *              higher, where lanes are to be compared by a result of which neither is better by
 *              itself, as lower losses are.  All
 *              layers, every step and token-norms keep a curve of each cell besides its one number
 *     result-2, result-3
 *              other results of the same runs, without layers or token-norms; where the first is at
 *              every step, so are these.  The lanes are compared by the first
 *     A to D   lanes, in this order: settings, and a name for people
 *
 * A configuration is a draw with a point of the grid.  Every lane has the same ones.  A cell is a
 * lane in one configuration with one seed. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/study/axis.h"
#include "core/study/cell.h"

#define NS_STUDY_AXES 16 /* in the grid, and as many that are drawn */
#define NS_STUDY_CELLS_MAX 1000000
#define NS_STUDY_HASH 32 /* characters */
#define NS_STUDY_SEEDS 1000

/* Texts are owned; NULL where there is none. */
typedef struct {
    NsExperiment experiment; /* its title, and the lanes */
    char *note;
    char *names[NS_LANES_MAX]; /* of lanes */
    int64_t seeds;
    NsStudyAxis grid[NS_STUDY_AXES];
    size_t n_grid;
    NsStudyDistribution random[NS_STUDY_AXES];
    size_t n_random;
    int64_t draws, draw_seed; /* draws: 1 where nothing is drawn */
    NsStopRules stop;
    NsResults results;
    char *contents[NS_LANES_MAX]; /* a hash of the files that a lane learns, by ns_study_check */
} NsStudy;

/* One lane with the defaults, one configuration. */
void ns_study_init(NsStudy *study);
void ns_study_clear(NsStudy *study);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsStudy, ns_study_clear)

/* ---- As a text ---- */

/* Reads a study into one that is initialized.  NS_ERROR_SETTING names the line.  Lanes and cells
 * are not checked yet. */
bool ns_study_read(NsStudy *study, const char *text, size_t size, GError **error);

/* The same from a file; errors name it.  Texts to learn that lie beside it get absolute paths. */
bool ns_study_load(NsStudy *study, const char *path, GError **error);

/* The text, which reads back to the same study.  Free with g_free. */
char *ns_study_write(const NsStudy *study);

/* "validation-loss", as a text of a study names a result. */
const char *ns_study_quantity_key(const NsResult *result);

/* "training loss, mean of the last 10 steps", and of several results each.  Free with g_free. */
char *ns_study_result_words(const NsStudy *study);

/* What a figure of it says of where it comes from; `provenance` is not initialized. */
void ns_study_provenance(const NsStudy *study, const char *figure, NsProvenance *provenance);

/* Copies a study; `to` is not initialized. */
void ns_study_copy(NsStudy *to, const NsStudy *from);

/* ---- Changes ---- */

/* Sets a setting of all lanes, "steps=100".  NS_ERROR_SETTING, also for one that is varied. */
bool ns_study_set(NsStudy *study, const char *assignment, GError **error);

/* Whether all cells are possible; NS_ERROR_SETTING says of which what is wrong.  To be called once
 * nothing changes any more, before what follows. */
bool ns_study_check_cells(const NsStudy *study, GError **error);

/* The same, and reads the texts to learn, NS_ERROR_FILE where one cannot be read: before hashes. */
bool ns_study_check(NsStudy *study, GError **error);

/* ---- Cells ---- */

typedef struct {
    size_t configuration, lane, seed;
} NsStudyPlace;

size_t ns_study_lanes(const NsStudy *study);
size_t ns_study_configurations(const NsStudy *study);
size_t ns_study_cells(const NsStudy *study);

/* Where cell i stands: seeds follow one another, then lanes, then configurations, so that a part
 * of a study compares all lanes. */
NsStudyPlace ns_study_place(const NsStudy *study, size_t i);
size_t ns_study_cell(const NsStudy *study, NsStudyPlace place);

/* The settings of a cell; `settings` is not initialized. */
void ns_study_cell_settings(const NsStudy *study, size_t i, NsSettings *settings);

/* A hash of all that decides the numbers of a cell but the program and its instruction set: of
 * settings, rules and result.  `hash` has room for NS_STUDY_HASH + 1. */
void ns_study_hash(const NsStudy *study, size_t i, char *hash);

/* What varies: the grid, then what is drawn. */
size_t ns_study_axes(const NsStudy *study);
const NsParam *ns_study_axis_param(const NsStudy *study, size_t axis);
char *ns_study_axis_value(const NsStudy *study, size_t axis, size_t configuration); /* g_free */

/* "lr=0.01 warmup=3"; empty where there is one configuration.  Free with g_free. */
char *ns_study_configuration_words(const NsStudy *study, size_t configuration);

/* "A Post-LN", "B", or where there is one lane its name or "all".  Free with g_free. */
char *ns_study_lane_words(const NsStudy *study, size_t lane);
