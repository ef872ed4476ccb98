/* The registry of figures: each turns the history of a run into a plot.
 * SPDX-License-Identifier: MIT
 *
 * A figure stores the columns of its plot and updates them from the history by reading only the new
 * records.  To add a figure, write one file and add its row in figures.c. */
#pragma once

#include "core/base/choice.h"
#include "core/probe/history.h"
#include "core/settings/settings.h"
#include "core/study/compare.h"
#include "core/study/paper.h"
#include "core/study/phase.h"
#include "ui/figures/smooth.h"
#include "ui/plot/plot.h"

#define NS_FIGURE_PINNED 8 /* maximum number of earlier runs */

/* A run of several. */
typedef struct {
    NsHistory *history;         /* NULL before it exists */
    const NsSettings *settings; /* of that history */
    const char *name;           /* "A", "B", ... of a lane, or the label of an earlier run */
    unsigned lane;              /* selects the color: of an earlier run, or of a lane if other lanes
                                 * are left out; 0: its index among those shown */
    const NsSettings *started;  /* with which it began, shown as text; NULL: `settings` */
} NsFigureRun;

/* How heatmaps show several lanes: all of them one above the other with one color bar, only the
 * lane of `history`, or log_2 of the ratio of the second to the first. */
typedef enum { NS_HEAT_STACKED, NS_HEAT_LANE, NS_HEAT_RATIO } NsHeatMode;

/* The largest errors of one gradient check. */
typedef struct {
    int64_t step;
    double along, random; /* along the gradient, and in a random direction */
} NsGradientCheckErrors;

/* The lanes of a study. */
typedef struct {
    const NsStudyResults *results;
    const NsComparison *comparison;   /* or NULL */
    const NsSensitivity *sensitivity; /* or NULL */
} NsComparedInput;

/* The data of a figure.  Borrowed during the call; figures take their own references to the
 * histories that they follow. */
typedef struct {
    NsHistory *history;         /* NULL before it exists; of several lanes the active one, which
                                 * figures of one model show */
    const NsSettings *settings; /* of that history */
    const NsSettings *started;  /* as of a NsFigureRun */
    const char *name; /* of a lane that is shown alone although there are others; or NULL */
    NsFigureRun lanes[NS_LANES_MAX];
    unsigned n_lanes;  /* fewer than 2: only `history` is shown */
    unsigned named;    /* bits 1 << lane of lanes with a descriptive name instead of a letter */
    unsigned n_beside; /* set by ns_figure_input_of: the number of `lanes` that share the color
                        * scale */
    size_t of_seeds;   /* set by ns_view_look_closer: the seeds of a run whose first one is shown */
    unsigned lane;     /* set by ns_figure_input_of: the lane, whose color the only run has */
    NsFigureRun pinned[NS_FIGURE_PINNED];
    double shades[NS_FIGURE_PINNED]; /* of these, as of a series (ui/plot/plot.h) */
    unsigned n_pinned;
    NsHeatMode heat;
    int marked_layer;                    /* the selected layer, from 1; 0 for none */
    NsHistory *previous;                 /* the previous run, or NULL; for a single lane only */
    const NsSettings *previous_settings; /* the settings of its first update */
    NsQuantity gradient; /* of domain LAYER; shown by gradient-norm and gradient-heatmap */
    NsQuantity hidden;   /* of domain HIDDEN; shown by hidden-norm */
    NsQuantity quantity; /* of any domain; shown by figures of subject QUANTITY */
    NsSimilarityKind similarity;
    unsigned layer;        /* tokens, attention, diagrams: from 1; 0 for the last */
    unsigned head;         /* attention: from 1; 0 for the first */
    NsSmoothing smoothing; /* of curves over steps; the measured values remain behind them, muted */
    bool theory;           /* show theoretical values beside measured ones, if any */
    const char *pending;   /* shown while what the run does not record will be measured; or NULL */
    bool log;              /* logarithmic axes, except for fractions, cosines and losses */
    bool log_loss;         /* the same for losses that span three decades */
    int64_t step;          /* shown by profiles and marked in charts over steps; negative for the
                            * newest */
    int64_t end;           /* the step at which the runs will pause; 0: that of their settings */
    bool cut;              /* in a film: nothing after the step is known */
    NsPhase *phase;        /* a sweep, shown by ns_phase_kind; or NULL */
    NsPhase *alongside;    /* a sweep with the same axes that is shown beside it and shares its
                            * color scale; or NULL */
    const NsPaperStudy *study;           /* a study of the paper, shown by ns_paper_kind; or NULL */
    NsPaperResult *result;               /* of that study; NULL before it has been run */
    unsigned panel;                      /* index of a result of that study */
    const NsComparedInput *compared;     /* shown by ns_best_of_kind and ns_sensitivity_kind */
    const NsGradientCheckErrors *checks; /* [n_checks], steps ascending; shown by
                                          * ns_gradient_check_kind */
    size_t n_checks;
} NsFigureInput;

typedef struct NsFigure NsFigure;
typedef struct NsFigureClass NsFigureClass; /* ui/figures/figure.h */

/* The unit of the horizontal axis: charts with the same abscissa share the pointer and the zoom. */
typedef enum { NS_OVER_OTHER, NS_OVER_STEPS, NS_OVER_LAYERS } NsAbscissa;

/* Which field of the input selects what the figure shows. */
typedef enum {
    NS_SUBJECT_NONE,
    NS_SUBJECT_GRADIENT,
    NS_SUBJECT_HIDDEN,
    NS_SUBJECT_QUANTITY,
    NS_SUBJECT_SIMILARITY,
    NS_SUBJECT_PLACE, /* layer and head */
} NsSubject;

typedef struct {
    NsChoice choice;
    const NsFigureClass *class;
    NsAbscissa abscissa;
    NsSubject subject;
    unsigned domains;     /* bits 1 << NsDomain of the quantities that it can show */
    NsQuantity initial;   /* the quantity shown by default; 0 if it shows none */
    bool overview;        /* shown in the overview; these come first */
    bool rows_are_layers; /* its heatmap has one row per layer */
    bool of_head;         /* with NS_SUBJECT_PLACE: it shows one head of a layer */
    bool expensive;       /* whatever it shows is measured every `probe-every` steps only */
    bool of_curvature;    /* whatever it shows is measured every `curvature-every` steps only */
    bool log;             /* it has a logarithmic axis if the quantity allows one */
    bool one_model;       /* if there are several lanes, it shows the active one */
    bool theory;          /* it shows theory even if the input does not request it */
    bool two_runs;        /* it compares two lanes, or a run with the previous one */
} NsFigureKind;

const NsFigureKind *ns_figure_kind(size_t i);        /* NULL past the end */
const NsFigureKind *ns_figure_find(const char *key); /* NULL if there is none */
const NsChoice *ns_figure_choice(size_t i);

/* The figure of a sweep.  It shows many runs and is therefore not in the registry: the final
 * training loss over both settings, as color, hatched where a run diverged; cells appear as runs
 * finish. */
extern const NsFigureKind ns_phase_kind;

/* The figure of a study of the paper: measured values beside the expected ones, with the
 * verdict. */
extern const NsFigureKind ns_paper_kind;

/* The figures of a study of the paper, one for each result. */
typedef struct {
    NsFigure *figures[NS_RESULTS_MAX];
    const NsPlot *plots[NS_RESULTS_MAX];
    size_t n;
} NsPaperPanels;

/* Creates the figures for the study and the result of the input.  The plots are valid until the
 * panels are cleared. */
NsPaperPanels ns_paper_panels(const NsFigureInput *input);
void ns_paper_panels_clear(NsPaperPanels *panels);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPaperPanels, ns_paper_panels_clear)

/* The label of a result of a study in figures: "validation loss". */
const char *ns_paper_result_label(const NsResult *result);

/* The figures of a study: the expected best of k configurations in each lane with the verdicts, and
 * the best result at each learning rate. */
extern const NsFigureKind ns_best_of_kind, ns_sensitivity_kind;

/* The figure of gradient checks: their largest errors over the steps. */
extern const NsFigureKind ns_gradient_check_kind;

NsFigure *ns_figure_create(const NsFigureKind *kind);
void ns_figure_free(NsFigure *figure);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsFigure, ns_figure_free)

/* The input restricted to lane i, or to the only run. */
NsFigureInput ns_figure_input_of(const NsFigureInput *input, unsigned i);

/* The index of the active lane; 0 if there is only one. */
unsigned ns_figure_active(const NsFigureInput *input);

/* The step at which a setting of the model or its training was first changed during the run; 0 if
 * none was. */
int64_t ns_figure_first_change(const NsHistory *history);

/* How losses are smoothed: with NS_SMOOTH_AUTO by EMA 0.9 if a run has at least 500 of them. */
NsSmoothing ns_figure_smoothing(const NsFigureInput *input);

/* Updates the figure and returns its plot, which is valid until the next update.  The version of
 * the plot changes only if something visible changed. */
const NsPlot *ns_figure_update(NsFigure *figure, const NsFigureInput *input);
