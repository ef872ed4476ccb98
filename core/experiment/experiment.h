/* What a person has set up: the settings of one to four lanes, their links, a title, and what is
 * hidden.  SPDX-License-Identifier: MIT
 *
 * The controls of a window, --lane, presets, lessons, figures, runs and undo all hold one.
 *
 * A setting is linked, so that one change reaches all lanes, or split.  A setting that the table
 * calls shared decides the batches or the length of a run and cannot be split, since lanes run on
 * one clock and see the same batches. */
#pragma once

#include "core/experiment/assignment.h"

typedef struct NsSharedExperiment NsSharedExperiment;

/* All zero is an experiment without lanes. */
typedef struct {
    size_t n;                      /* 1 .. NS_LANES_MAX; 0: there is no experiment */
    NsSettings lane[NS_LANES_MAX]; /* past n: as the lane was left, or like the last */
    bool kept[NS_LANES_MAX];       /* past n: whether there was such a lane */
    size_t from[NS_LANES_MAX];     /* the lane of the present run whose checkpoint a fork takes */
    bool split[NS_PARAM_COUNT];    /* by row of the table of settings */
    char *title;                   /* NULL: none */
    char **hide; /* settings and parts of the window that are not shown; ends with NULL, or is it */
    NsSharedExperiment *shared; /* what it is in; NULL: it is nobody else's */
} NsExperiment;

/* One lane with the defaults. */
void ns_experiment_init(NsExperiment *experiment);
void ns_experiment_copy(NsExperiment *to, const NsExperiment *from); /* `to` is not initialized */
void ns_experiment_clear(NsExperiment *experiment);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsExperiment, ns_experiment_clear)

/* A copy that is shared, by any thread; who makes it may change it before others know of it. */
NsExperiment *ns_experiment_new_shared(const NsExperiment *from);

/* A reference to one that is shared, or to a shared copy of one that is not. */
const NsExperiment *ns_experiment_ref(const NsExperiment *experiment);
void ns_experiment_unref(const NsExperiment *experiment); /* may be NULL */

/* Puts a copy of `from` in the place of `to`. */
void ns_experiment_assign(NsExperiment *to, const NsExperiment *from);

/* Puts copies of these settings, 1 to NS_LANES_MAX, in the place of all lanes, and links what is
 * the same in them. */
void ns_experiment_set_lanes(NsExperiment *experiment, const NsSettings *const *settings, size_t n);

/* ns_settings_check of every lane; `lane` (may be NULL) is the one that is wrong. */
bool ns_experiment_check(const NsExperiment *experiment, size_t *lane, GError **error);

/* Whether the same lanes have the same settings and the same links. */
bool ns_experiment_equal(const NsExperiment *a, const NsExperiment *b);

/* ---- Settings ---- */

/* Whether any lane has another value than the first. */
bool ns_experiment_differs(const NsExperiment *experiment, const NsParam *param);

bool ns_experiment_is_linked(const NsExperiment *experiment, const NsParam *param);

/* Links every setting that is the same in all lanes, and splits the others. */
void ns_experiment_link(NsExperiment *experiment);

/* Links or splits one setting.  Linked: all lanes take the value of `lane`. */
void ns_experiment_set_linked(NsExperiment *experiment, size_t lane, const NsParam *param,
                              bool linked);

/* Gives all lanes the first one's value of every setting that cannot be split, and links the rest
 * as ns_experiment_link does. */
void ns_experiment_share(NsExperiment *experiment);

/* Sets a value from its text: in one lane where the setting is split, else in all.  As
 * ns_settings_set, which also says what is wrong; nothing has changed then. */
bool ns_experiment_set(NsExperiment *experiment, size_t lane, const char *key, const char *value,
                       GError **error);

/* ---- Lanes ---- */

/* More lanes or fewer.  A new one is as it was left where a setting is split, and like `model`
 * (below the present n) else; one that never was is a copy of it whose placement is split. */
void ns_experiment_resize(NsExperiment *experiment, size_t n, size_t model);

/* Takes a lane out; those behind it move up.  The last one stays. */
void ns_experiment_remove(NsExperiment *experiment, size_t lane);

/* A run of n lanes has begun: from now on, each lane of a fork continues from the same lane of the
 * run, and further lanes continue from its last one. */
void ns_experiment_settle(NsExperiment *experiment, size_t n);

/* Whether a lane continues from a lane of the run from which another lane already continues; and
 * whether no lane continues from a lane of the run. */
bool ns_experiment_is_new(const NsExperiment *experiment, size_t lane);
bool ns_experiment_is_gone(const NsExperiment *experiment, size_t lane_of_run);

/* The lanes and settings of a run; the links stay, and lanes that the run has not are kept as they
 * were left. */
void ns_experiment_take_back(NsExperiment *experiment, const NsExperiment *run);

/* ---- Lanes as text: what stands behind --lane, and in a figure behind lane= ---- */

/* Whether a setting is named in the words of a lane: where lanes differ in it.  A mixture and a
 * placement are one thing to name, since either clears the other. */
bool ns_experiment_names(const NsExperiment *experiment, size_t lane, const NsParam *param);

/* What is special about a lane, "placement=post warmup=1"; empty for an only lane.  Free with
 * g_free. */
char *ns_experiment_lane_words(const NsExperiment *experiment, size_t lane);

/* Puts n lanes, at least one, in the place of those there are: copies of the first with what each
 * one's words say.  The words are those of a person who has `named` settings of all lanes before,
 * or of a file: NULL.  NS_ERROR_SETTING for words that cannot be read and for more lanes than
 * NS_LANES_MAX; the experiment may then be changed in part. */
bool ns_experiment_read_lanes(NsExperiment *experiment, const char *const *words, size_t n,
                              const NsNamed *named, GError **error);
