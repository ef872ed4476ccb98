/* The view that the charts of a window share.  SPDX-License-Identifier: MIT
 *
 * A view owns references and copies, so that another thread (an export) can use a copy of it while
 * the window continues. */
#pragma once

#include "core/experiment/experiment.h"
#include "ui/figures/spec.h"

/* A lane of an earlier run. */
typedef struct {
    NsHistory *history;
    NsSettings settings; /* settings of the first update */
    char *name;          /* for legends */
    unsigned lane;       /* in its run, which determines its color */
    bool outside;        /* of another program: no settings */
    double shade;        /* as that of a series (ui/plot/plot.h) */
} NsEarlierLane;

typedef struct {
    NsExperiment started;               /* settings of the first update */
    NsExperiment now;                   /* settings of the newest step */
    NsHistory *histories[NS_LANES_MAX]; /* [started.n]; NULL if there is none */
    char *names[NS_LANES_MAX]; /* [started.n] of runs of other programs, which have no settings;
                                  NULL for a lane of this program */
    char *source;              /* the only file of these; NULL if there are several or none */
    unsigned active;           /* the lane shown in figures of one model */
    NsHistory *history;        /* of that lane; borrowed from histories */
    NsEarlierLane pinned[NS_FIGURE_PINNED];
    unsigned n_pinned;
    NsEarlierLane previous; /* of the run before, for a single lane only; or without a history */
    NsQuantity gradient;
    NsQuantity hidden;
    NsSmoothing smoothing; /* of curves over steps */
    NsHeatMode heat;
    int layer;                       /* the selected one, from 1; 0: none */
    bool theory;                     /* whether theoretical values are drawn beside measured ones */
    bool log, log_loss;              /* log_loss: for losses that span a decade */
    int64_t step;                    /* shown in profiles; negative for the newest */
    int64_t run_to;                  /* the last step of "run to step"; 0: none */
    NsHistory *closer[NS_LANES_MAX]; /* [started.n] expensive quantities of one step, or NULL */
    NsHistory *curved[NS_LANES_MAX]; /* [started.n] the curvature of the update after it, or NULL */
    int64_t closer_step;             /* the step of these; negative if there are none */
    bool closer_layers;              /* the loss without each layer is one of them */
    bool closer_curved;              /* curvature was measured, too */
} NsView;

/* An empty view of one lane of the default settings. */
NsView *ns_view_new(void);

/* A copy with its own references, from which any thread may make figures. */
NsView *ns_view_copy(const NsView *view);
void ns_view_free(NsView *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsView, ns_view_free)

/* The newest step of any seed of any lane; -1 if there is none. */
int64_t ns_view_newest_step(const NsView *view);

/* The view as the input of a figure; borrowed from the view. */
NsFigureInput ns_view_input(const NsView *view);

/* Whether the closer look measured what has this interval: “probe-every”, “ablation-every” or
 * “curvature-every”. */
bool ns_view_looked(const NsView *view, const char *every);

/* Whether a run lacks the newest matrix or map that this kind of figure shows, as one that was read
 * from a file does, though it may have measured them. */
bool ns_view_lacks(const NsHistory *history, const NsFigureKind *kind);

/* For a figure of expensive quantities only: replaces the histories of lanes that lack them or
 * never measure them by those of the closer look, unless its step comes after the shown one. */
void ns_view_look_closer(const NsView *view, const NsFigureSpec *spec, NsFigureInput *input);

/* Replaces the gradient and the hidden state of the charts by those that the runs have recorded, if
 * they lack these. */
void ns_view_show_recorded(NsView *view);

/* Sets the number of lanes; new lanes have no history.  The active lane is clamped to it. */
void ns_view_set_lanes(NsView *view, unsigned n);
void ns_view_set_active(NsView *view, unsigned lane);

/* Replaces the history of a lane and the settings of its first update.  Copies the settings and
 * references the history, which may be NULL. */
void ns_view_set_history(NsView *view, unsigned lane, NsHistory *history,
                         const NsSettings *settings);

/* The name of a lane of another program, whose settings are not known; NULL for a lane of this
 * program.  And the only file with all such lanes, or NULL. */
void ns_view_set_name(NsView *view, unsigned lane, const char *name);
void ns_view_set_source(NsView *view, const char *path);

/* "A", or the name of a lane of another program; borrowed. */
const char *ns_view_lane_name(const NsView *view, size_t lane);

/* Whether it shows runs of other programs, which cannot be repeated here. */
bool ns_view_is_outside(const NsView *view);

/* Replaces the settings of a lane that has had no update yet. */
void ns_view_set_started(NsView *view, unsigned lane, const NsSettings *settings);

/* The history of a single lane also becomes the previous run; with several lanes nothing
 * happens. */
void ns_view_leave_previous(NsView *view);

/* Replaces the pinned lanes: clear them all, then add one after another, up to NS_FIGURE_PINNED.
 * which: the lane's index in its run; shade: as in NsEarlierLane; settings: NULL for a run of
 * another program. */
void ns_view_clear_pinned(NsView *view);
void ns_view_clear_previous(NsView *view);
void ns_view_pin(NsView *view, unsigned which, double shade, NsHistory *history,
                 const NsSettings *settings, const char *name);
