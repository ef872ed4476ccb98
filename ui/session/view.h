/* What the charts of a window show.  SPDX-License-Identifier: MIT
 *
 * A view owns references and copies, so that it can be taken to another thread (an export) while
 * the window goes on. */
#pragma once

#include "core/experiment/experiment.h"
#include "ui/figures/spec.h"

/* A lane of an earlier run. */
typedef struct {
    NsHistory *history;
    NsSettings settings; /* that the first update was made with */
    char *name;          /* what to call it */
    unsigned lane;       /* of its run, whose color it keeps */
    bool outside;        /* another program's, which has no settings */
} NsPinnedLane;

typedef struct {
    NsExperiment started;               /* that the first update was made with */
    NsExperiment now;                   /* that the newest step was made with */
    NsHistory *histories[NS_LANES_MAX]; /* [started.n]; NULL while there is none */
    char *names[NS_LANES_MAX]; /* [started.n] of runs of other programs, which have no settings;
                                  NULL for a lane of this one */
    char *source;              /* the only file that has those; NULL: there are several, or none */
    unsigned active;           /* the lane that figures of one model show */
    NsHistory *history;        /* that lane's, borrowed from it */
    NsPinnedLane pinned[NS_FIGURE_PINNED];
    unsigned n_pinned;
    NsHistory *previous;          /* the run before, or NULL; for a single lane only */
    NsSettings previous_settings; /* that its first update was made with */
    bool previous_outside;        /* it was another program's, and they mean nothing */
    NsQuantity gradient;
    NsQuantity hidden;
    NsSmoothing smoothing; /* of curves over steps */
    NsHeatMode heat;
    int layer;   /* that is selected, from 1; 0 for none */
    bool theory; /* computed beside measured */
    bool log;
    int64_t step;                    /* that profiles show; negative for the newest */
    NsHistory *closer[NS_LANES_MAX]; /* [started.n] expensive quantities of one step; or NULL */
    int64_t closer_step;             /* that one; negative while there is none */
} NsView;

/* An empty view of one lane of the default settings. */
NsView *ns_view_new(void);

/* A copy with references of its own, of which a reader on any thread may make figures. */
NsView *ns_view_copy(const NsView *view);
void ns_view_free(NsView *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsView, ns_view_free)

/* The newest step of any seed of any lane; -1 before any. */
int64_t ns_view_newest_step(const NsView *view);

/* The view as the input of a figure; borrowed from the view. */
NsFigureInput ns_view_input(const NsView *view);

/* For a figure of what is measured now and then only: where a lane's run never measures it, what
 * was measured of a step that was looked at, up to the one that is shown. */
void ns_view_look_closer(const NsView *view, const NsFigureSpec *spec, NsFigureInput *input);

/* Takes references to such histories, or drops the present ones (NULL). */
void ns_view_set_closer(NsView *view, NsHistory *const *histories, int64_t step);

/* From now on so many lanes, named in order; new ones are empty.  The active one is one of them. */
void ns_view_set_lanes(NsView *view, unsigned n);
void ns_view_set_active(NsView *view, unsigned lane);

/* Puts a history in the place of a lane's present one, with the settings that its first update will
 * be made with.  Copies the settings and takes a reference; history may be NULL. */
void ns_view_set_history(NsView *view, unsigned lane, NsHistory *history,
                         const NsSettings *settings);

/* What to call a lane of another program's, whose settings are not known; NULL: it is not.  And the
 * file that has them all. */
void ns_view_set_name(NsView *view, unsigned lane, const char *name);
void ns_view_set_source(NsView *view, const char *path);

/* "A", or what a run of another program is called; borrowed. */
const char *ns_view_lane_name(const NsView *view, size_t lane);

/* Whether it shows runs of other programs, so that there is no experiment to repeat. */
bool ns_view_is_outside(const NsView *view);

/* Replaces the settings of a lane that has had no update yet. */
void ns_view_set_started(NsView *view, unsigned lane, const NsSettings *settings);

/* Takes over the settings that may change while a model runs. */
void ns_view_set_live(NsView *view, unsigned lane, const NsSettings *settings);

/* The only lane's history becomes the previous run, too; of several lanes none does. */
void ns_view_leave_previous(NsView *view);

/* Pins earlier runs again: first none, then one after the other as long as there is room.
 * settings: NULL for one of another program. */
void ns_view_clear_pinned(NsView *view);
void ns_view_pin(NsView *view, unsigned which, NsHistory *history, const NsSettings *settings,
                 const char *name);
