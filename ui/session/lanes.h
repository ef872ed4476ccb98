/* The settings of one to four lanes, and which of them are linked.  SPDX-License-Identifier: MIT
 *
 * A setting is linked, so that one change reaches all lanes, or split.  What decides the batches
 * and how long a run is cannot be split: lanes share one clock and every batch. */
#pragma once

#include "core/experiment/param.h"
#include "core/train/lockstep.h"

#define NS_LANES_ONE(...) +1
enum { NS_LANES_PARAMS = 0 NS_PARAMS(NS_LANES_ONE, NS_LANES_ONE, NS_LANES_ONE, NS_LANES_ONE) };
#undef NS_LANES_ONE

typedef struct {
    size_t n;                          /* 1 .. NS_LANES_MAX */
    NsSettings settings[NS_LANES_MAX]; /* past n: as the lane was left */
    bool kept[NS_LANES_MAX];           /* past n: whether there was such a lane */
    size_t from[NS_LANES_MAX];         /* the lane of the present run that a fork goes on from */
    bool split[NS_LANES_PARAMS];
} NsLanes;

/* Copies the settings; a row is split where they differ and it can be.  What cannot be split is
 * the first lane's. */
void ns_lanes_init(NsLanes *lanes, const NsSettings *const *settings, size_t n);
void ns_lanes_copy(NsLanes *to, const NsLanes *from); /* `to` is not initialised */
void ns_lanes_clear(NsLanes *lanes);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsLanes, ns_lanes_clear)

/* Puts a copy of `from` in the place of `to`. */
void ns_lanes_assign(NsLanes *to, const NsLanes *from);

/* Whether the same lanes have the same settings and the same links. */
bool ns_lanes_equal(const NsLanes *a, const NsLanes *b);

bool ns_lanes_can_split(const NsParam *param);
bool ns_lanes_is_linked(const NsLanes *lanes, const NsParam *param);

/* Linked: all lanes take the value of `lane`. */
void ns_lanes_set_linked(NsLanes *lanes, size_t lane, const NsParam *param, bool linked);

/* Sets a value from its text: in one lane where the row is split, else in all.  As ns_settings_set,
 * which also says what is wrong; nothing has changed then. */
bool ns_lanes_set(NsLanes *lanes, size_t lane, const char *key, const char *value, GError **error);

/* More lanes or fewer.  A new one is as it was left where a row is split, and like `model` (below
 * the present n) else; one that never was is a copy of it whose placement is split. */
void ns_lanes_resize(NsLanes *lanes, size_t n, size_t model);

/* Takes a lane out; those behind it move up.  The last one stays. */
void ns_lanes_remove(NsLanes *lanes, size_t lane);

/* A run of n lanes has begun: from now on a fork goes on lane by lane, and what is more than that
 * from the last one. */
void ns_lanes_settle(NsLanes *lanes, size_t n);

/* Whether a lane goes on from one of the run's from which another does already; and whether a lane
 * of the run is one from which none goes on. */
bool ns_lanes_is_new(const NsLanes *lanes, size_t lane);
bool ns_lanes_is_gone(const NsLanes *lanes, size_t lane_of_run);

/* The lanes and settings of a run; the links stay, and lanes that the run has not are kept as they
 * were left. */
void ns_lanes_take_back(NsLanes *lanes, const NsLanes *run);

/* Whether any lane has another value than the first. */
bool ns_lanes_differ(const NsLanes *lanes, const NsParam *param);

/* What leads from one to the other, for people: "Layers 6 → 12", "Norm placement of B Post-LN →
 * Pre-LN", "3 settings".  Free with g_free. */
char *ns_lanes_change(const NsLanes *from, const NsLanes *to);

/* A value for people: the label of a choice, the base name of a file, "off".  Free with g_free. */
char *ns_lanes_value(const NsSettings *settings, const NsParam *param);

/* How many settings differ between lanes. */
size_t ns_lanes_differences(const NsLanes *lanes);

/* "Post-LN, 6 layers", "Post-LN vs Pre-LN, 6 layers".  Free with g_free. */
char *ns_lanes_title(const NsLanes *lanes);
