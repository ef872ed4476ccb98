/* An experiment as set up by a user: the settings of one to four lanes, their links, a title, and
 * what is hidden.  SPDX-License-Identifier: MIT
 *
 * The sidebar, --lane, presets, lessons, figures, runs and undo all use this type.
 *
 * A setting is either linked, so that a change applies to all lanes, or split.  A setting that the
 * table calls shared determines the batches or the length of a run and cannot be split, because all
 * lanes train in lockstep on the same batches. */
#pragma once

#include "core/experiment/assignment.h"

typedef struct NsSharedExperiment NsSharedExperiment;

/* An all-zero value is an experiment without lanes. */
typedef struct {
    size_t n;                      /* 1 .. NS_LANES_MAX; 0: no experiment */
    NsSettings lane[NS_LANES_MAX]; /* from n on: settings of removed lanes, or like the last lane */
    bool retained[NS_LANES_MAX];   /* from n on: the settings are those of a removed lane */
    size_t from[NS_LANES_MAX];     /* lane of the current run from which a fork continues */
    bool split[NS_PARAM_COUNT];    /* by row of the table of settings */
    char *title;                   /* or NULL */
    char **hide; /* hidden settings and parts of the window; NULL-terminated, or NULL */
    NsSharedExperiment *shared; /* reference-counted object that contains it, or NULL */
} NsExperiment;

/* Initializes one lane with the default settings. */
void ns_experiment_init(NsExperiment *experiment);
void ns_experiment_copy(NsExperiment *to, const NsExperiment *from); /* `to` need not be
                                                                      * initialized */
void ns_experiment_clear(NsExperiment *experiment);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsExperiment, ns_experiment_clear)

/* Makes a reference-counted copy, which any thread may share.  The caller may modify it before
 * sharing it. */
NsExperiment *ns_experiment_new_shared(const NsExperiment *from);

/* Returns a new reference to a shared experiment, or to a shared copy of one that is not shared. */
const NsExperiment *ns_experiment_ref(const NsExperiment *experiment);
void ns_experiment_unref(const NsExperiment *experiment); /* may be NULL */

/* Replaces `to` with a copy of `from`. */
void ns_experiment_assign(NsExperiment *to, const NsExperiment *from);

/* Replaces all lanes with copies of these settings, n = 1 .. NS_LANES_MAX, and links the settings
 * that are the same in all of them. */
void ns_experiment_set_lanes(NsExperiment *experiment, const NsSettings *const *settings, size_t n);

/* Calls ns_settings_check for every lane; `lane` (may be NULL) is set to the lane with the
 * error. */
bool ns_experiment_check(const NsExperiment *experiment, size_t *lane, GError **error);

/* Whether both have the same lanes with the same settings and links. */
bool ns_experiment_equal(const NsExperiment *a, const NsExperiment *b);

/* ---- Settings ---- */

/* Whether any lane has a different value from the first. */
bool ns_experiment_differs(const NsExperiment *experiment, const NsParam *param);

bool ns_experiment_is_linked(const NsExperiment *experiment, const NsParam *param);

/* Links all settings that are the same in all lanes, and splits the others. */
void ns_experiment_link(NsExperiment *experiment);

/* Links or splits one setting.  When it is linked, all lanes take the value of `lane`. */
void ns_experiment_set_linked(NsExperiment *experiment, size_t lane, const NsParam *param,
                              bool linked);

/* Copies all settings that cannot be split from the first lane to the others, and links the rest as
 * ns_experiment_link does. */
void ns_experiment_share(NsExperiment *experiment);

/* Sets a value from its text: in one lane if the setting is split, otherwise in all.  Errors are
 * those of ns_settings_set; then nothing is changed. */
bool ns_experiment_set(NsExperiment *experiment, size_t lane, const char *key, const char *value,
                       GError **error);

/* ---- Lanes ---- */

/* Adds or removes lanes at the end.  A lane that existed before gets its split settings back and is
 * otherwise like `model` (below the current n); any other new lane is a copy of `model` with
 * placement split. */
void ns_experiment_resize(NsExperiment *experiment, size_t n, size_t model);

/* Removes a lane, unless it is the only one; the lanes after it move up. */
void ns_experiment_remove(NsExperiment *experiment, size_t lane);

/* Called when a run of n lanes begins: from then on, each lane of a fork continues from the same
 * lane of the run, and additional lanes continue from its last one. */
void ns_experiment_settle(NsExperiment *experiment, size_t n);

/* Whether an earlier lane already continues from the same lane of the run; and whether no lane
 * continues from a lane of the run. */
bool ns_experiment_is_new(const NsExperiment *experiment, size_t lane);
bool ns_experiment_is_gone(const NsExperiment *experiment, size_t lane_of_run);

/* Restores the lanes and settings of a run.  The links do not change, and the settings of lanes
 * that the run does not have are remembered. */
void ns_experiment_take_back(NsExperiment *experiment, const NsExperiment *run);

/* ---- Lanes as text: the value of --lane, and of lane= in a figure ---- */

/* Whether the words of a lane include a setting: whether lanes differ in it.  Mixture and placement
 * count as one setting here, because setting one clears the other. */
bool ns_experiment_names(const NsExperiment *experiment, size_t lane, const NsParam *param);

/* The settings in which a lane differs from others, "placement=post warmup=1"; empty for a single
 * lane.  Free with g_free. */
char *ns_experiment_lane_words(const NsExperiment *experiment, size_t lane);

/* Replaces all lanes with n (at least one) copies of the first, modified by the words of each lane.
 * `named` has the settings that a user has named for all lanes before; NULL for words from a file.
 * NS_ERROR_SETTING if the words cannot be read or there are more than NS_LANES_MAX lanes; the
 * experiment may then be partly changed. */
bool ns_experiment_read_lanes(NsExperiment *experiment, const char *const *words, size_t n,
                              const NsNamed *named, GError **error);
