/* Functions and types shared by all figures.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figures.h"
#include "ui/plot/scale.h"

#include <glib.h>

#define NS_FIGURE_SERIES 40

/* How a figure shows several seeds. */
typedef enum {
    NS_SEEDS_FIRST,         /* the first seed, which the subtitle states */
    NS_SEEDS_MEAN_BY_STEP,  /* the mean of curves over steps */
    NS_SEEDS_MEAN_BY_LAYER, /* the mean of curves over layers, at one step */
    NS_SEEDS_ALIKE,         /* values that do not depend on the seed */
} NsSeedsShown;

/* The methods of one kind of figure.  The struct of the kind begins with an NsFigure. */
struct NsFigureClass {
    size_t size;
    void (*init)(NsFigure *figure); /* labels the axes of a new figure, except steps; may be NULL */
    /* Updates plot and columns; sets figure->changed if something visible changed. */
    void (*update)(NsFigure *figure, const NsFigureInput *input);
    void (*clear)(NsFigure *figure); /* frees what ns_figure_free does not; may be NULL */
    NsSeedsShown seeds;
};

/* The dash pattern of an earlier run, as in NsSeries.dash. */
#define NS_PREVIOUS_DASH 4

/* A history that a figure follows, with the numbers of items read so far. */
typedef struct {
    NsHistory *history; /* owned reference, so that a new history cannot have the same address */
    size_t steps, evaluations, events;
} NsSource;

struct NsFigure {
    const NsFigureKind *kind;
    NsPlot plot; /* owns its words, from title to empty */
    const char *labels[NS_FIGURE_SERIES];
    const char *states[NS_LANES_MAX]; /* of its runs: "stuck" */
    NsSeries series[NS_FIGURE_SERIES];
    GArray *markers; /* of NsMarker */
    GStringChunk *marker_texts;
    const char *lane_names[NS_LANES_MAX]; /* in the texts of markers */
    GPtrArray *owned;                     /* see ns_figure_own */
    NsSource runs[NS_LANES_MAX]; /* the runs that are shown; the kind of figure counts the steps */
    NsSource events[NS_LANES_MAX];  /* the runs whose events the markers show */
    bool cut;                       /* they show those up to a step */
    NsSpan spans[NS_LANES_MAX + 1]; /* highlighted parts of axes */
    struct NsSeedFigures *seeds;    /* NULL if there is one seed */
    bool others;                    /* the runs are not those of the last update */
    bool changed;                   /* something visible changed in this update, it shows other
                                     * runs, or it is the first one */
};

/* Sets a field of a figure, and marks the figure as changed if the value differs. */
#define NS_FIGURE_SET(figure, field, value)                                                        \
    ((figure)->changed |= (field) != (value), (field) = (value))

/* The same for a string that the figure owns.  Takes ownership of `text`; an equal string is not
 * replaced. */
void ns_figure_text(NsFigure *figure, const char **slot, char *text);

/* Takes ownership of memory that the plot borrows; ns_figure_forget and ns_figure_free free it with
 * g_free.  Returns it. */
void *ns_figure_own(NsFigure *figure, void *taken);

/* Frees all that the figure owns, and removes series, heatmap, lower plot and single seeds from the
 * plot. */
void ns_figure_forget(NsFigure *figure);

/* Makes an empty plot for each of several seeds, which tables have; the figure owns them. */
NsPlot *ns_figure_singles(NsFigure *figure, size_t seeds);

/* Appends a sentence, separated by a space from what is there. */
void ns_figure_add_sentence(GString *text, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Follows a history (or none).  Returns TRUE if it is not the one followed so far; all counts are
 * then 0. */
bool ns_source_follow(NsSource *source, NsHistory *history);

/* The number of runs that a figure of several runs shows, at least one: the lanes, or the only
 * run. */
unsigned ns_figure_runs(const NsFigureInput *input);
NsFigureRun ns_figure_run(const NsFigureInput *input, unsigned i);

/* A heatmap whose rows and columns are numbered from `first`, with one cell per number. */
NsHeatmap ns_figure_cells(const float *z, size_t rows, size_t columns, double first);

/* The quantity that a figure shows, from the field of the input that its subject selects. */
NsQuantity ns_figure_quantity(const NsFigureKind *kind, const NsFigureInput *input);

/* The largest number of seeds of any run of the input. */
size_t ns_figure_seeds(const NsFigureInput *input);

/* The label of a lane among others: "A Post-LN".  Free with g_free. */
char *ns_figure_run_label(const NsFigureInput *input, unsigned i);

/* "lane", or "A lane": words about one of several runs are prefixed with its name.  Free with
 * g_free. */
char *ns_figure_run_words(const NsFigureInput *input, unsigned i, const char *words);

/* The number of the first layer of a quantity of domain LAYER or HIDDEN. */
unsigned ns_figure_first_layer(NsQuantity quantity);

/* Highlights the selected layer with a muted band; 0 removes it. */
void ns_figure_mark_layer(NsFigure *figure, int layer);

/* The step that is shown if it is not the newest; otherwise -1. */
int64_t ns_figure_viewed(const NsFigureInput *input);

/* Marks that step with a line. */
void ns_figure_mark_step(NsFigure *figure, const NsFigureInput *input);

/* Sets title, subtitle, note and the text of an empty plot.  `step` is named in the subtitle
 * (negative: none).  Takes ownership of `note` (may be NULL), which is placed after a sentence for
 * every divergence. */
typedef struct {
    const char *title;
    const char *empty; /* NULL: no step has been measured yet */
    int64_t step;
    char *note;
} NsFigureWords;

void ns_figure_words(NsFigure *figure, const NsFigureInput *input, NsFigureWords words);

/* "step 1,240".  Free with g_free. */
char *ns_figure_step_words(int64_t step);

/* The moment that a figure shows: "step 1,240", or "step 1,240, seed 1 of 5" if it shows the first
 * of several seeds.  Free with g_free. */
char *ns_figure_moment(const NsFigure *figure, const NsFigureInput *input, int64_t step);

/* Where the losses of a run are, of its first seed if it has several, after it got stuck; in a film
 * those up to its step.  A run that has learned stays so; one that diverged or whose loss rose is
 * elsewhere, like one that never got stuck. */
typedef enum { NS_PLATEAU_ELSEWHERE, NS_PLATEAU_STUCK, NS_PLATEAU_LEARNED } NsPlateau;
NsPlateau ns_figure_plateau(const NsFigureInput *input, const NsHistory *history);

/* Adds markers for the events of the runs: divergences as alarms, changes of settings by the name
 * of the setting.  If there are several lanes, the marker of one lane has its color. */
void ns_figure_mark_events(NsFigure *figure, const NsFigureInput *input);

/* "previous run: Pre-LN": the settings that differ from those of the run that is shown.  Free with
 * g_free. */
char *ns_figure_previous_label(const NsFigureInput *input);

/* Explains why the history does not have a quantity.  Free with g_free. */
char *ns_figure_absent(NsQuantity quantity, const NsFigureInput *input);

/* The label of the axis along which a quantity has its values: "layer", "layer (0: embedding)",
 * ...; `history` may be NULL. */
const char *ns_figure_axis(NsQuantity quantity, const NsHistory *history);

/* The scale of the axis of a quantity: logarithmic if requested and the quantity has no unit. */
NsScaleKind ns_figure_scale(NsQuantity quantity, const NsFigureInput *input);

/* The index of the record of a lane at a step: its last if the lane ended earlier, the newest for a
 * negative step; -1 if it has no records or begins later. */
int64_t ns_figure_record_at(const NsHistory *history, int64_t step);

/* The same for a run that is shown alone: its first record if it begins later. */
int64_t ns_figure_record(const NsHistory *history, int64_t step);

/* The record of a run of the input that a figure of several runs shows: at the step of the input or
 * at ns_figure_newest.  A lane that begins later has none, a single run shows its first. */
int64_t ns_figure_record_shown(const NsHistory *history, const NsFigureInput *input);

/* The newest step that all runs that have not diverged have reached, so that labels and layouts do
 * not change as the lanes report one after the other; if all have diverged, the last step of the
 * longest run; -1 if nothing was measured. */
int64_t ns_figure_newest(const NsFigureInput *input);

/* The classes in the registry. */
extern const NsFigureClass ns_loss_class, ns_profile_class, ns_steps_class, ns_heatmap_class,
    ns_heads_class, ns_similarity_class, ns_compare_class, ns_schedule_class, ns_tokens_class,
    ns_attention_class, ns_cross_attention_class, ns_along_class;

/* "Wild" lanes: they diverged, and their values are so far beyond those of the others that a common
 * axis would flatten the others.  The axis, or the color scale, is fitted to the other lanes, and a
 * note says so. */
typedef struct {
    const NsHistory *history; /* NULL before it exists */
    const char *name;
    double most;  /* the largest finite value that is drawn; 0 if there is none */
    double least; /* the smallest value, positive on a logarithmic scale; needed for colors only */
    bool wild;    /* it extends beyond the axis or the color scale */
} NsWildRun;

/* Sets `wild` of each run for an axis of that scale.  Returns the upper limit of the axis; NaN if
 * all runs fit. */
double ns_wild_find(NsWildRun *runs, size_t n, NsScaleKind scale);

/* A gray legend entry for what all runs draw faint; it has no curve of its own. */
NsSeries ns_figure_key(const char *label);

/* Appends a sentence for every wild run: "B is off the scale: up to 2.8×10^{10}.", or for colors
 * "Values of B above the color scale, up to 3e+20, have its last color.". */
void ns_wild_note(GString *words, const NsWildRun *runs, size_t n, bool colors);

/* The same for a color scale that runs share.  Returns the ends that fit the runs that are not
 * wild; `all`, the ends that fit all runs, if no run is wild or the others have no range. */
NsRange ns_wild_colors(NsWildRun *runs, size_t n, NsScaleKind scale, NsRange all);

/* A copy of the newest snapshot of tokens (core/probe/token_snapshot.h) of the run of a figure. */
typedef struct {
    size_t record; /* index of the record in which it was measured */
    bool there;
    NsTokenSnapshot snapshot;
} NsTokenSource;

/* Copies the newest snapshot if it is not the one in `tokens`; the figure then has changed. */
void ns_token_source_follow(NsTokenSource *tokens, NsFigure *figure, NsHistory *history);

/* "Only the newest measurement is kept, from step 40." if there is one and the input requests
 * another step; otherwise NULL.  Free with g_free. */
char *ns_figure_newest_note(const NsFigureInput *input, bool there, int64_t newest);

/* Explains why there is no snapshot of tokens, or no similarity; NULL before the first step.  Free
 * with g_free. */
char *ns_token_source_empty(const NsFigureInput *input);
