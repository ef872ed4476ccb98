/* What figures share.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figures.h"

#define NS_FIGURE_SERIES 40

/* What a figure shows of several seeds. */
typedef enum {
    NS_SEEDS_FIRST,         /* the first, and its subtitle says so */
    NS_SEEDS_MEAN_BY_STEP,  /* the mean of its curves over steps */
    NS_SEEDS_MEAN_BY_LAYER, /* and over layers, at one step */
    NS_SEEDS_ALIKE,         /* what is the same for all */
} NsSeedsShown;

/* What one sort of figure does.  Its struct begins with an NsFigure. */
struct NsFigureClass {
    size_t size;
    void (*init)(NsFigure *figure); /* labels the axes of a new one; NULL: update does */
    /* Updates plot and columns, and says in figure->changed whether something visible did. */
    void (*update)(NsFigure *figure, const NsFigureInput *input);
    void (*clear)(NsFigure *figure);
    NsSeedsShown seeds;
};

/* The dash of an earlier run, as NsSeries.dash. */
#define NS_PREVIOUS_DASH 4

/* A history that is followed, with what was read of it. */
typedef struct {
    NsHistory *history; /* a reference, so that another history cannot get its address */
    size_t steps, evaluations, events;
} NsSource;

struct NsFigure {
    const NsFigureKind *kind;
    NsPlot plot; /* its texts are those below */
    char *title, *subtitle, *moment, *run, *note, *empty, *left_label, *x_label;
    char *labels[NS_FIGURE_SERIES];
    NsSeries series[NS_FIGURE_SERIES];
    GArray *markers; /* of NsMarker */
    GStringChunk *marker_texts;
    NsSource runs[NS_LANES_MAX];    /* that are shown */
    NsSource events[NS_LANES_MAX];  /* whose events the markers are */
    NsSpan spans[NS_LANES_MAX + 1]; /* that are pointed out */
    struct NsSeedFigures *seeds;    /* NULL where there is one seed */
    bool changed;                   /* something visible did in this update, or it is the first */
};

/* Sets a field of a figure, which has changed where the value is another one. */
#define NS_FIGURE_SET(figure, field, value)                                                        \
    ((figure)->changed |= (field) != (value), (field) = (value))

/* The same for a text, which is taken; one that is the same stays where it is. */
void ns_figure_text(NsFigure *figure, char **slot, char *text);

/* Appends a sentence, with a space before it if it is not the first; NULL: nothing. */
void ns_figure_add_sentence(GString *text, const char *sentence);

/* Follows another history (or none); TRUE if it is not the one that was followed, and then nothing
 * has been read. */
bool ns_source_follow(NsSource *source, NsHistory *history);

/* The runs that a figure of several shows, at least one: the lanes, or what there is of one. */
unsigned ns_figure_runs(const NsFigureInput *input);
NsFigureRun ns_figure_run(const NsFigureInput *input, unsigned i);

/* A heatmap whose rows and columns count from `first`, one cell a number. */
NsHeatmap ns_figure_cells(const float *z, size_t rows, size_t columns, double first);

/* The quantity that a figure shows: of gradients, of hidden states or any, as its subject says. */
NsQuantity ns_figure_quantity(const NsFigureKind *kind, const NsFigureInput *input);

/* The most seeds that a run of the input has. */
size_t ns_figure_seeds(const NsFigureInput *input);

/* The name of a lane beside others: "A Post-LN". Free with g_free. */
char *ns_figure_run_label(const NsFigureInput *input, unsigned i);

/* "lane", or "A lane": words about one of several runs begin with its name.  Free with g_free. */
char *ns_figure_run_words(const NsFigureInput *input, unsigned i, const char *words);

/* "A, C lane": the same of several runs, given as bits 1 << run.  Free with g_free. */
char *ns_figure_shared_words(const NsFigureInput *input, unsigned runs, const char *words);

/* Where a quantity of domain LAYER or HIDDEN counts its layers from. */
unsigned ns_figure_first_layer(NsQuantity quantity);

/* A quiet band behind the selected layer. */
void ns_figure_mark_layer(NsFigure *figure, int layer);

/* The event of a divergence; NULL where there is none. */
const NsEvent *ns_figure_divergence(const NsHistory *history);

/* The step that is looked at where the newest is another; -1 else. */
int64_t ns_figure_viewed(const NsFigureInput *input);

/* A line at that step. */
void ns_figure_mark_step(NsFigure *figure, const NsFigureInput *input);

/* Title, subtitle, note and empty text; `step` is the one that the subtitle names (none if
 * negative); `note` (may be NULL) is taken, and follows a sentence for every divergence. */
typedef struct {
    const char *title;
    const char *empty;
    int64_t step;
    char *note;
} NsFigureWords;

void ns_figure_words(NsFigure *figure, const NsFigureInput *input, NsFigureWords words);

/* "step 1,240".  Free with g_free. */
char *ns_figure_step_words(int64_t step);

/* The moment of a figure at a step: "step 1,240", or "step 1,240, seed 1 of 5" where it shows the
 * first seed of several.  Free with g_free. */
char *ns_figure_moment(const NsFigure *figure, const NsFigureInput *input, int64_t step);

/* Markers for the events of the runs: a divergence as an alarm, changes of settings by their name;
 * of one lane among several in its color. */
void ns_figure_mark_events(NsFigure *figure, const NsFigureInput *input);

/* "previous run: Pre-LN"; what differs from the run that is shown.  Free with g_free. */
char *ns_figure_previous_label(const NsFigureInput *input);

/* What to say of a quantity that the history does not have.  Free with g_free. */
char *ns_figure_absent(NsQuantity quantity, const NsFigureInput *input);

/* The axis along which a quantity has its values: "layer", "layer (0: embedding)", ...; `history`
 * may be NULL.  Free with g_free. */
char *ns_figure_axis(NsQuantity quantity, const NsHistory *history);

/* The scale that suits a quantity. */
NsScaleKind ns_figure_scale(NsQuantity quantity, const NsFigureInput *input);

/* The record that the subtitle's step belongs to: input->step, or the newest; -1 where there is
 * none. */
int64_t ns_figure_record(const NsFigureInput *input);

/* The record of a lane at a step, its last where it stands still, the newest for a negative step;
 * -1 where it has none or begins later. */
int64_t ns_figure_record_at(const NsHistory *history, int64_t step);

/* The newest step that all runs that can still continue have reached, so that labels and layouts
 * stay calm while lanes report one after the other; if no run can continue, the last step of the
 * longest; -1 if nothing was measured. */
int64_t ns_figure_newest(const NsFigureInput *input);

/* The classes of the rows of the registry. */
extern const NsFigureClass ns_loss_class, ns_profile_class, ns_steps_class, ns_heatmap_class,
    ns_heads_class, ns_similarity_class, ns_compare_class, ns_schedule_class, ns_tokens_class,
    ns_attention_class, ns_cross_attention_class;
