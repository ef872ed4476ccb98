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
 * Before the first section: settings of all runs, a title and a note for the user, and `seeds`
 * (default 1): each configuration is trained with this number of seeds, where `seed` and
 * `data-seed` are both incremented.  All sections are optional:
 *
 *     grid     settings with their values (ns_study_axis_read): all combinations are run
 *     random   settings with their distributions (ns_study_distribution_read); `draws`, the number
 *              of configurations drawn, and `draw-seed` (default 1).  Increasing `draws` does not
 *              change the earlier ones
 *     stop     loss-below, loss-above: a run ends when its training loss is beyond one of them
 *     result   quantity: loss (training loss, the default), validation-loss, grad-norm (of all
 *              tensors), step-seconds (wall time), memory (bytes of the run), token-norms (the
 *              fraction of tokens whose squared norm is above 1.1 times the mean),
 *              entailment-accuracy or paraphrase-accuracy (of an encoder of the task mlm after
 *              fine-tuning on generated pairs, for `finetune-steps` if given), or a quantity of the
 *              registry with layer (a number, last (the default), or all) and head;
 *              at: “last 10” (the mean over the last ten records, the default), “last”, “minimum”,
 *              “step 100” or “every step” (for quantities measured with the validation loss, every
 *              evaluation);
 *              better: lower or higher, needed to compare lanes by a result that, unlike a loss,
 *              has no better direction of its own.
 *              Results of all layers, every step and token-norms store a curve of each cell in
 *              addition to one number
 *     result-2, result-3
 *              further results of the same runs, without layers or token-norms; if the first is at
 *              every step, these must be, too.  Lanes are compared by the first
 *     A to D   lanes, in this order: settings, and a name for the user
 *
 * A configuration is a draw combined with a point of the grid.  All lanes have the same
 * configurations.  A cell is a lane in one configuration with one seed. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/study/axis.h"
#include "core/study/cell.h"

#define NS_STUDY_AXES 16 /* maximum in the grid, and the same for random settings */
#define NS_STUDY_CELLS_MAX 1000000
#define NS_STUDY_HASH 32 /* length in characters */
#define NS_STUDY_SEEDS 1000

/* Texts are owned; NULL if absent. */
typedef struct {
    NsExperiment experiment; /* its title, and the lanes */
    char *note;
    char *names[NS_LANES_MAX]; /* names of lanes */
    int64_t seeds;
    NsStudyAxis grid[NS_STUDY_AXES];
    size_t n_grid;
    NsStudyDistribution random[NS_STUDY_AXES];
    size_t n_random;
    int64_t draws, draw_seed; /* draws: 1 if nothing is drawn */
    NsStopRules stop;
    NsResults results;
    char *contents[NS_LANES_MAX]; /* hash of each lane's files, set by ns_study_check */
} NsStudy;

/* Initializes a study with one lane of default settings and one configuration. */
void ns_study_init(NsStudy *study);
void ns_study_clear(NsStudy *study);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsStudy, ns_study_clear)

/* ---- Text ---- */

/* Reads a text into an initialized study.  NS_ERROR_SETTING names the line.  Does not check lanes
 * and cells. */
bool ns_study_read(NsStudy *study, const char *text, size_t size, GError **error);

/* The same for a file; errors name the file.  Training texts next to the file get absolute
 * paths. */
bool ns_study_load(NsStudy *study, const char *path, GError **error);

/* The text of a study, which reads back to the same study.  Free with g_free. */
char *ns_study_write(const NsStudy *study);

/* The name of a result in the text of a study, "validation-loss". */
const char *ns_study_quantity_key(const NsResult *result);

/* The results of a study as text for the user, "training loss, mean of the last 10 records".  Free
 * with g_free. */
char *ns_study_result_words(const NsStudy *study);

/* Fills in the provenance of a figure of the study; `provenance` need not be initialized. */
void ns_study_provenance(const NsStudy *study, const char *figure, NsProvenance *provenance);

/* Copies a study; `to` need not be initialized. */
void ns_study_copy(NsStudy *to, const NsStudy *from);

/* ---- Changes ---- */

/* Sets a setting in all lanes, "steps=100".  NS_ERROR_SETTING, also for a setting that the study
 * varies. */
bool ns_study_set(NsStudy *study, const char *assignment, GError **error);

/* Checks all cells; NS_ERROR_SETTING names the cell and the reason.  Has to be called after the
 * last change and before the functions below. */
bool ns_study_check_cells(const NsStudy *study, GError **error);

/* The same, and hashes the training texts; NS_ERROR_FILE if one cannot be read.  Has to be called
 * before ns_study_hash. */
bool ns_study_check(NsStudy *study, GError **error);

/* ---- Cells ---- */

typedef struct {
    size_t configuration, lane, seed;
} NsStudyPlace;

size_t ns_study_configurations(const NsStudy *study);
size_t ns_study_cells(const NsStudy *study);

/* The place of cell i.  Seeds are innermost, then lanes, then configurations, so that a part of a
 * study compares all lanes. */
NsStudyPlace ns_study_place(const NsStudy *study, size_t i);
size_t ns_study_cell(const NsStudy *study, NsStudyPlace place);

/* Copies the settings of a cell; `settings` need not be initialized. */
void ns_study_cell_settings(const NsStudy *study, size_t i, NsSettings *settings);

/* Computes a hash of everything that determines the numbers of a cell, except the program and its
 * instruction set: settings, stop rules and results.  `hash` has NS_STUDY_HASH + 1 bytes. */
void ns_study_hash(const NsStudy *study, size_t i, char *hash);

/* The settings that vary: those of the grid, then those drawn at random. */
size_t ns_study_axes(const NsStudy *study);
const NsParam *ns_study_axis_param(const NsStudy *study, size_t axis);
char *ns_study_axis_value(const NsStudy *study, size_t axis, size_t configuration); /* g_free */

/* The varied settings of a configuration, "lr=0.01 warmup=3"; empty if nothing varies.  Free with
 * g_free. */
char *ns_study_configuration_words(const NsStudy *study, size_t configuration);

/* The letter and name of a lane, "A Post-LN" or "B"; for a single lane its name or "all".  Free
 * with g_free. */
char *ns_study_lane_words(const NsStudy *study, size_t lane);
