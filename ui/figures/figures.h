/* The registry of figures: a run's history in, a plot out.  SPDX-License-Identifier: MIT
 *
 * A figure keeps the columns of its plot and brings them up to date from the history by reading
 * only what is new.  To add one, write one file and add its row in figures.c. */
#pragma once

#include "core/base/choice.h"
#include "core/probe/history.h"
#include "core/settings/settings.h"
#include "core/study/compare.h"
#include "core/study/paper.h"
#include "core/study/phase.h"
#include "ui/figures/smooth.h"
#include "ui/plot/plot.h"

#define NS_FIGURE_PINNED 8 /* earlier runs */

/* One of several runs. */
typedef struct {
    NsHistory *history;         /* NULL while there is none */
    const NsSettings *settings; /* of that history */
    const char *name;           /* "A", "B", ... of a lane; what to call an earlier run */
    unsigned lane;              /* whose color it keeps: of an earlier run, or of one of the lanes
                                 * where others are left out; 0: its place among those shown */
} NsFigureRun;

/* What heatmaps show of several lanes: all above one another under one color bar, the one that
 * `history` is, or log_2 of the second over the first. */
typedef enum { NS_HEAT_STACKED, NS_HEAT_LANE, NS_HEAT_RATIO } NsHeatMode;

/* The largest errors of checks of gradients, one after another. */
typedef struct {
    int64_t step;
    double along, random; /* by direction */
} NsGradientCheckErrors;

typedef struct {
    const NsGradientCheckErrors *checks; /* [n], steps ascending */
    size_t n;
} NsGradientChecksInput;

/* The lanes of a study. */
typedef struct {
    const NsStudy *study;
    const NsStudyCell *cells;
    const NsComparison *comparison;   /* NULL where there is none */
    const NsSensitivity *sensitivity; /* likewise */
} NsComparedInput;

/* What there is to show.  Borrowed during the call; a figure takes references of its own to the
 * histories that it follows. */
typedef struct {
    NsHistory *history;         /* NULL while there is none; of several lanes the active one, which
                                 * figures of one model show */
    const NsSettings *settings; /* of that history */
    const char *name; /* of a lane that is shown by itself, though there are others; or NULL */
    NsFigureRun lanes[NS_LANES_MAX];
    unsigned n_lanes;  /* fewer than 2: `history` is all there is */
    unsigned named;    /* lanes whose name is no letter but says what they are, as bits 1 << lane */
    unsigned n_beside; /* of ns_figure_input_of: so many of `lanes` share its colors */
    NsFigureRun pinned[NS_FIGURE_PINNED];
    unsigned n_pinned;
    NsHeatMode heat;
    int marked_layer;                    /* the one that is selected, from 1; 0 for none */
    NsHistory *previous;                 /* the run before, or NULL; given for a single lane only */
    const NsSettings *previous_settings; /* that its first update was made with */
    NsQuantity gradient; /* of domain LAYER: gradient-norm and gradient-heatmap show it */
    NsQuantity hidden;   /* of domain HIDDEN: hidden-norm shows it */
    NsQuantity quantity; /* of any domain: figures of subject QUANTITY show it */
    NsSimilarityKind similarity;
    unsigned layer;        /* tokens, attention, diagrams: from 1; 0 for the last */
    unsigned head;         /* attention: from 1; 0 for the first */
    NsSmoothing smoothing; /* of curves over steps; what was measured stays, muted, behind them */
    bool theory;           /* what is computed stands beside what is measured, where there is any */
    bool log;              /* logarithmic axes, but for shares and cosines */
    int64_t step;          /* that profiles show, and charts over steps point out; negative for the
                            * newest */
    NsPhase *phase;        /* a sweep, which ns_phase_kind() shows; or NULL */
    NsPhase *beside;       /* one of the same axes beside it, with which it shares its colors */
    const NsPaperStudy *study;       /* of the paper, which ns_paper_kind() shows; or NULL */
    NsPaperResult *result;           /* of that study; NULL before it was run */
    unsigned panel;                  /* which of the results of that study, from 0 */
    const NsComparedInput *compared; /* which ns_best_of_kind() and ns_sensitivity_kind() show */
    const NsGradientChecksInput *checks; /* checks, which ns_gradient_check_kind() shows; or NULL */
} NsFigureInput;

typedef struct NsFigure NsFigure;
typedef struct NsFigureClass NsFigureClass; /* ui/figures/figure.h */

/* What the horizontal axis counts: charts of the same abscissa are pointed at and zoomed together.
 */
typedef enum { NS_OVER_OTHER, NS_OVER_STEPS, NS_OVER_LAYERS } NsAbscissa;

/* Which entry of the input says what the figure shows. */
typedef enum {
    NS_SUBJECT_NONE,
    NS_SUBJECT_GRADIENT,
    NS_SUBJECT_HIDDEN,
    NS_SUBJECT_QUANTITY,
    NS_SUBJECT_SIMILARITY,
    NS_SUBJECT_PLACE, /* layer and head */
} NsSubject;

typedef struct {
    NsChoice choice; /* loss, gradient-norm, hidden-norm, gradient-heatmap, profile, steps, heatmap,
                      * heads, similarity, theory, compare, ratio, schedule,
                      * tokens, attention, cross-attention, diagram, diagram-gradient */
    const NsFigureClass *class;
    NsAbscissa abscissa;
    NsSubject subject;
    unsigned domains;     /* of the quantities that it can show, as bits 1 << NsDomain */
    NsQuantity initial;   /* the quantity that it shows unless told; 0 where it shows none */
    bool overview;        /* one of the few that are shown side by side; these come first */
    bool rows_are_layers; /* of its heatmap, which is layer by abscissa */
    bool of_head;         /* of NS_SUBJECT_PLACE: of one head of a layer */
    bool expensive;       /* of what is measured now and then only, whatever it shows */
    bool log;             /* it has a logarithmic axis where the quantity allows one */
    bool one_model;       /* of several lanes it shows the active one */
    bool theory;          /* it shows theory whether the input asks for it or not */
    bool two_runs;        /* it compares two: lanes, or a run and the one before */
} NsFigureKind;

const NsFigureKind *ns_figure_kind(size_t i);        /* NULL past the end */
const NsFigureKind *ns_figure_find(const char *key); /* NULL if there is none */
const NsChoice *ns_figure_choice(size_t i);

/* The figure of a sweep, which is of many runs and so no row among those of one: training loss at
 * the end by both settings, as color, hatched where a run diverged; cells fill in as they come. */
const NsFigureKind *ns_phase_kind(void);

/* The figure of a study of the paper: what was measured beside what is expected, with its verdict.
 */
const NsFigureKind *ns_paper_kind(void);

/* A figure for each of the results of a study of the paper. */
typedef struct {
    NsFigure *figures[NS_RESULTS_MAX];
    const NsPlot *plots[NS_RESULTS_MAX];
    size_t n;
} NsPaperPanels;

/* Of the study and the result of the input.  The plots live as long as the panels. */
NsPaperPanels ns_paper_panels(const NsFigureInput *input);
void ns_paper_panels_clear(NsPaperPanels *panels);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPaperPanels, ns_paper_panels_clear)

/* What a figure calls a result of a study: "validation loss". */
const char *ns_paper_result_label(const NsResult *result);

/* The figures of a study: the expected best of k configurations in each lane with its verdicts, and
 * the best at each learning rate. */
const NsFigureKind *ns_best_of_kind(void);
const NsFigureKind *ns_sensitivity_kind(void);

/* The figure of checks of gradients: their largest errors over the steps. */
const NsFigureKind *ns_gradient_check_kind(void);

NsFigure *ns_figure_create(const NsFigureKind *kind);
NsFigure *ns_figure_new(const char *key); /* NULL if there is none */
void ns_figure_free(NsFigure *figure);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsFigure, ns_figure_free)

/* The input with lane i alone, of several, or the only run. */
NsFigureInput ns_figure_input_of(const NsFigureInput *input, unsigned i);

/* Which of the lanes is the active one; 0 where there is one. */
unsigned ns_figure_active(const NsFigureInput *input);

/* Brings the figure up to date and returns its plot, valid until the next update.  The plot's
 * version changes only if something visible did. */
const NsPlot *ns_figure_update(NsFigure *figure, const NsFigureInput *input);
