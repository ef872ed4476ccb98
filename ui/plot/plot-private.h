/* Declarations that the files of this folder share.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/colormap.h"
#include "ui/plot/export.h"
#include "ui/plot/layout.h"
#include "ui/plot/path.h"
#include "ui/plot/plot.h"
#include "ui/plot/scale.h"

#include <cairo.h>
#include <glib.h>
#include <pango/pangocairo.h>
#include <stdbool.h>

/* ---- the data of a plot ---- */

typedef struct {
    /* The extremes of x, of the vertical axis, of computed series and of the cells of the heatmap;
     * lo > hi: no value. */
    NsRange x, y, theory, z;
    bool theory_beyond;                                 /* some of theory is outside of the axis */
    size_t faults[NS_FAULT_KINDS];                      /* in series */
    size_t faults_of[NS_SERIES_STYLES][NS_FAULT_KINDS]; /* in those of a run, by its style */
    bool negative;                   /* some value of series or cells is below 0 */
    size_t bad_cells, unshown_cells; /* of the heatmap: not finite; not positive on a log scale */
    bool points;                     /* some series has marks */
    bool any;                        /* there is something to draw, even if it is hidden */
    size_t groups;                   /* number of series of bars side by side */
    double bar_width;                /* space for one group of bars, in units of x */
} NsDataSummary;

/* A plot that draws itself has no values here, but `any` is true. */
NsDataSummary ns_data_summary(const NsPlot *plot);

/* A sentence about the values that the chart and the one below (or NULL) cannot show, followed by
 * the notes of both; NULL if there is nothing to say: "B: 281 values are not a number (△) · A: 994
 * values are 0 (▼) · B / A: 713 values are infinite (▲)".  Free with g_free. */
char *ns_data_summary_note(const NsPlot *plot, const NsDataSummary *summary, const NsPlot *below,
                           const NsDataSummary *summary_below);

/* A brief explanation of the marks, or NULL if there are none.  Free with g_free. */
char *ns_data_summary_marks(const NsPlot *plot, const NsDataSummary *summary);

/* ---- labels ---- */

typedef enum {
    NS_PART_TITLE,
    NS_PART_SUBTITLE,
    NS_PART_LEGEND,
    NS_PART_MARKER,
    NS_PART_X_TICK,
    NS_PART_LEFT_TICK,
    NS_PART_BAR_TICK, /* of the color bar */
    NS_PART_X_LABEL,
    NS_PART_LEFT_LABEL,
    NS_PART_BAR_LABEL, /* of the color bar */
    NS_PART_NOTE,
    NS_PART_LINE_NAME, /* of a level or a slope */
    NS_PART_EMPTY,
    NS_PART_END_NAME, /* at the end of a curve */
    NS_PART_CELL,     /* the number in a cell */
    NS_PARTS,
} NsPart;

typedef struct {
    NsPart part;
    PangoLayout *text;
    double x, y;  /* the upper left corner of its logical box on the page */
    NsBox box;    /* ink extents on the page */
    bool rotated; /* by a quarter turn to the left */
    bool led;     /* a leader line connects the label to what it names */
    NsPoint leader[2];
    NsColor color;
    bool alarm;     /* of markers */
    unsigned style; /* 1 + the style of the series that has this color; 0: none */
} NsLabel;

/* A text of the usual size.  Free with g_object_unref. */
PangoLayout *ns_layout_text(const NsPlotLayout *layout, bool bold, const char *words);

/* Adds a label whose logical box has, after rotation, its upper left corner at x, y, in the default
 * color of its part.  The returned label may be changed until the next one is added. */
NsLabel *ns_layout_add_label(NsPlotLayout *layout, NsPart part, PangoLayout *text, double x,
                             double y, bool rotated);

/* The first label of a part, or NULL. */
const NsLabel *ns_layout_label(const NsPlotLayout *layout, NsPart part);

/* The plot area without the strips for values that have no place on the axis, and without a small
 * margin. */
NsBox ns_layout_inside(const NsPlotLayout *layout);

/* Chooses the corner at which a box of this size covers the fewest segments of curves and named
 * lines, among those at which it is inside the area and covers no label; the first one if several
 * are equal.  `covered` is their number.  Returns false if there is no such corner. */
bool ns_layout_least_crowded(const NsPlotLayout *layout, const NsPoint *corners, size_t n,
                             const NsPoint *size, NsPoint *best, unsigned *covered);

/* ---- the layout ---- */

/* The diameter of a grip's knob in text sizes, and the distance from it to the tips of its arrows
 * in axis widths. */
#define NS_GRIP 0.75
#define NS_GRIP_ARROW 3.5

/* The levels of a plot that can have names. */
#define NS_LEVELS_MAX 8

/* Curves with names at their ends: all, or those of the present run. */
typedef enum { NS_ENDS_ALL, NS_ENDS_OWN } NsEnds;

struct NsPlotLayout {
    const NsPlot *plot;
    const NsStyle *style;
    double width, height;
    PangoContext *context;
    NsDataSummary summary;
    NsBox area, bar;                /* the plot area, and the color bar; bar.width is 0 if there is
                                     * none */
    double strip_top, strip_bottom; /* heights of the strips for values that have no place on the
                                     * axis */
    NsScale x, y, z;
    GArray *x_ticks, *y_ticks, *z_ticks; /* NsTick */
    bool turned;                         /* tick labels of the x axis are rotated */
    GArray *labels;                      /* NsLabel */
    GArray *legend;                      /* NsLegendSample */
    size_t n_keys;                       /* the keys of plot and levels that the legend has space
                                          * for */
    bool letters;                        /* the legend has no space for more than the letters of
                                          * runs */
    bool names;                          /* the legend, or the ends of curves, has the complete
                                          * names */
    bool identified;                     /* names identify the runs, so that the subtitle omits
                                          * what distinguishes them */
    double ends_space;                   /* width of the area that names at the ends of curves
                                          * need; 0 without such names */
    double beyond;                       /* width of the area beyond the end of the horizontal
                                          * scale, also of a lower plot */
    NsEnds ends;                         /* the curves that have names at their ends */
    NsBox legend_box;                    /* a legend inside the area; its width is 0 if there is
                                          * none */
    bool crowded;                        /* that legend covers a curve, or has no place */
    NsPath *paths;                       /* [n_paths], one for each series */
    size_t n_paths;
    NsSeries *series;    /* of a lower plot, with those hidden that are hidden above; or NULL */
    NsPlotLayout *lower; /* layout of plot->lower, drawn lower_y below the top; or NULL */
    double lower_y;
    NsPlot own;  /* a modified copy that `plot` points to: of either plot of a pair, or of a
                  * drawing */
    char *note;  /* of a lower plot: the note of both */
    char *marks; /* brief explanation of the marks in the note, or NULL */
    bool listed; /* the names of panels are in lines above the area, like a legend */
    /* Levels as bits: those with an entry in the legend, and those whose name has no place directly
     * at their line, so that they need one. */
    unsigned listed_levels, unnamed_levels;
    NsSeries level_keys[NS_LEVELS_MAX]; /* [n_level_keys], these entries */
    size_t n_level_keys;
    bool averaged; /* the subtitle says of which seeds the mean is, as the legend does not */
};

/* A copy of the series of the plot below, of which those of lanes that are not shown above are
 * hidden.  Free with g_free. */
NsSeries *ns_plot_series_below(const NsPlot *plot);

/* Values that have no place on the axis are shown as triangles in the strips at the ends of the
 * axis: their size, and the corners of one. */
double ns_fault_size(const NsPlotLayout *layout);
void ns_fault_corners(const NsPlotLayout *layout, const NsFaultMark *mark, NsPoint corners[3]);

/* ---- the legend ---- */

typedef struct {
    const NsSeries *series;
    unsigned label; /* index of the name among the labels */
    bool at_end;    /* the name is at the end of its curve, without a sample */
    NsBox box;      /* the sample, before the name */
    NsBox entry;    /* the whole entry */
} NsLegendSample;

/* The series that have an entry, including those with names at the ends of their curves.  Free with
 * g_ptr_array_unref. */
GPtrArray *ns_legend_entries(NsPlotLayout *layout);

/* Places the legend in lines from (x, y) within the width and returns its height: 0 if there is
 * none or it would need more than max_height.  Only measures if `draw` is false. */
double ns_legend_place(NsPlotLayout *layout, double x, double y, double width, double max_height,
                       bool draw);

/* The level that an entry of the legend names, or -1 if it names something else. */
int ns_legend_level(const NsPlotLayout *layout, const NsSeries *entry);

/* Whether a level is drawn: not if its name has no place, neither at its line nor in the legend. */
bool ns_level_is_shown(const NsPlotLayout *layout, size_t level);

/* The series of a plot with the same entry, apart from its state, or NULL. */
const NsSeries *ns_legend_find(const NsPlot *plot, const NsSeries *series);

/* A layout that is nothing but the legend of a plot, which shares it.  Returns its height, or 0 if
 * it lacks a name. */
double ns_legend_layout(NsPlotLayout **layout, const NsPlot *plot, double width,
                        const NsStyle *style);
void ns_legend_draw(const NsPlotLayout *layout, cairo_t *cr);

/* Places the names of a heatmap's panels in their colors in the same way. */
double ns_legend_place_panels(NsPlotLayout *layout, double x, double y, double width, bool draw);

/* Places the legend in the plot area once the paths are known: in a corner, or at the middle of an
 * edge.  Sets `crowded` of the layout if it covers a curve or a named line everywhere. */
void ns_legend_place_inside(NsPlotLayout *layout);

/* ---- places of labels ---- */

/* Curves of several runs have about this many marks, and those of each style begin at another part
 * of the distance of marks. */
#define NS_SPARSE_MARKS 7
#define NS_MARK_SHIFT(series) (((series)->style % 4 + 0.5) / 4)

/* In text sizes. */
#define NS_GAP 0.4
#define NS_SIDE_GAP 0.7 /* between the widest tick label and the title of a vertical axis */
#define NS_TICK 0.3
#define NS_SMALL_TEXT 0.92 /* notes, and numbers in cells */
#define NS_TICK_GAP 0.32
#define NS_TICK_APART 1.3 /* minimum distance of labels above each other */

/* The share of its data by which a vertical axis extends beyond them. */
#define NS_SCALE_PADDING 0.04

/* The minimum height of the line of marker labels, in lines. */
#define NS_MARKER_LINE 1.1

/* A layout that is being computed: the parts to show, and the margins that they need. */
typedef struct {
    NsPlotLayout *layout;
    bool show[NS_PARTS];
    PangoLayout *text[NS_PARTS]; /* the text of parts that consist of one text */
    double size;                 /* text size */
    double line;                 /* height of a line of text */
    double digit;                /* height of a digit */
    double marker_line;          /* height of the line of marker labels */
    double x_words;              /* height of the labels at the horizontal axis */
    double top, bottom, left, right;
    double spare;     /* between either margin and an area that was narrowed */
    double key_spare; /* the same between the area and its color bar; 0 if plots below share the
                       * bar */
    NsMargins least;  /* minimum margins, so that plots beside it are aligned */
    const NsScale *x; /* the horizontal scale of the plot above it, or NULL for its own */
} NsFrame;

/* Creates the texts of all parts, and decides which are shown. */
void ns_frame_write(NsFrame *frame);

/* Rewrites subtitle or note with at most this many lines, without its last clauses or sentences if
 * these may be omitted.  Returns the number of lines. */
int ns_frame_write_subtitle(NsFrame *frame, int lines);
int ns_frame_write_note(NsFrame *frame, int lines);

/* Returns whether names in the chart make redundant, with the same words, what distinguishes runs
 * in the subtitle. */
bool ns_frame_names_identify(const NsFrame *frame);

/* Maximum numbers of lines, which decrease if the data have little space. */
#define NS_SUBTITLE_LINES 3
#define NS_NOTE_LINES 16

/* Stacks title, subtitle and legend from the top and returns where they end.  Adds them to the page
 * if `place`. */
double ns_place_head(NsFrame *frame, bool place);

/* Lists the names of panels above the area if they do not fit beside the panels and the subtitle
 * does not contain them.  Returns true if it just did, since this changes the height. */
bool ns_frame_list_panels(NsFrame *frame);

/* Returns whether the complete names fit beside the panels. */
bool ns_frame_panels_named(NsFrame *frame);

/* Places the labels around the plot area once its box is known. */
void ns_place_outer_labels(NsFrame *frame);

/* Places the labels inside the plot area once the curves are known. */
void ns_place_inner_labels(NsPlotLayout *layout);

/* The width of the widest tick label. */
double ns_tick_texts_width(NsPlotLayout *layout, const GArray *ticks);

/* The x coordinate of a span that is a point of the horizontal axis; NaN for other spans or outside
 * of the area. */
double ns_layout_point(const NsPlotLayout *layout, const NsSpan *span);

/* The box of the cells in which a highlighted column and a highlighted row intersect; returns false
 * if there are none. */
bool ns_layout_framed(const NsPlotLayout *layout, NsBox *box);

/* The label of a point on the axis.  Free with g_free. */
char *ns_point_number(const NsPlot *plot, const NsSpan *span);

/* ---- names at the ends of curves ---- */

/* These names are used if the page is wide and high enough.  They are inside the plot area, whose
 * horizontal scale ends before them. */

/* Decides, before anything is placed, which curves have a name at their end, and how much of the
 * width of the plot area the names need. */
void ns_end_names_fit(NsPlotLayout *layout);

/* Places the names once the scales are known. */
void ns_end_names_place(NsPlotLayout *layout);

/* ---- series ---- */

/* The drawing order of a series, 0 first: areas, previous runs, raw values, theory, curves, hollow
 * marks. */
#define NS_SERIES_RANKS 6
#define NS_RANK_CURVES 4
int ns_series_rank(const NsSeries *series);

/* A spike is a narrow peak at the very step that is marked, often in the color of its line, so the
 * line of an alarm is behind the curves with this opacity. */
#define NS_ALARM_ALPHA 0.4

/* The opacity of its areas: adjoining bars and previous series are transparent. */
double ns_series_opacity(const NsSeries *series);

/* The corners of arrows (NsPoint, three for each, its tip first) at the upper or lower edge: where
 * a clipped curve leaves the plot area, or at every point of it with marks that is outside, but not
 * where arrows would touch (at points, those of several curves stand side by side); and where the
 * end of a curve is outside of limits that were set. */
GArray *ns_series_exits(const NsPlotLayout *layout, size_t which);

/* Draws all visible series from back to front. */
void ns_draw_series(const NsPlotLayout *layout, cairo_t *cr);

/* Draws one curve over the others with `stronger` times its width. */
void ns_draw_curve(const NsPlotLayout *layout, size_t which, double stronger, cairo_t *cr);

/* Draws the sample of a series that precedes its name in the legend. */
void ns_draw_sample(const NsPlotLayout *layout, const NsSeries *series, const NsBox *box,
                    cairo_t *cr);

/* Returns the left and right edge of bar j of series i, in units of x. */
void ns_bar_ends(const NsPlotLayout *layout, size_t i, size_t j, double *from, double *to);

/* ---- Files ---- */

#define NS_SOFTWARE "Normscope " NS_VERSION

/* A cairo_write_func_t that appends to a GByteArray. */
cairo_status_t ns_collect_bytes(void *bytes, const unsigned char *data, unsigned size);

/* ---- PNG ---- */

/* Adds a resolution (pHYs) after the header of a PNG file. */
void ns_png_set_dpi(GByteArray *png, double dpi);

/* Adds a text after the header: tEXt for ASCII, otherwise iTXt. */
void ns_png_add_text(GByteArray *png, const char *keyword, const char *text);

/* ---- SVG ---- */

/* Descriptive texts in the file. */
typedef struct {
    const char *title;
    const char *description; /* for screen readers, or NULL */
    const char *metadata;    /* for programs, or NULL */
} NsSvgWords;

/* Inserts title, description and metadata after the opening tag, and the captured texts
 * (NsCapturedText) as real text above the shapes.  Disables interpolation
 * of images, so that cells stay sharp.  Numbers identifiers by their order in the file, because
 * those of cairo depend on earlier drawings of the process.  A text keeps its position and, in a
 * different font, its length. */
void ns_svg_finish(GByteArray *svg, const NsSvgWords *about, const GArray *texts);

/* ---- sheets ---- */

typedef struct {
    NsPlot plot; /* a copy that borrows from the original and from `title` */
    char *title, *subtitle;
    NsBox cell;      /* its position on the sheet */
    size_t slot;     /* in the grid of columns and rows */
    bool wide;       /* it has a whole row */
    double needed;   /* the height of a row that has its own: of a drawing, or of matrices; or 0 */
    NsMargins least; /* minimum margins */
    size_t last;     /* the last plot that shares its color bar, or 0 */
    NsHeatmap map;   /* a modified copy that the plot may point to */
} NsSheetPlot;

typedef struct {
    const NsExport *options; /* borrowed */
    size_t n, columns, rows;
    size_t fixed;         /* rows that have a height of their own */
    double wanted;        /* the sum of these */
    double between;       /* two rows */
    NsSheetPlot *plots;   /* [n] */
    NsPlot *shared;       /* its series are entries that all plots with curves share; or NULL */
    NsPlotLayout *legend; /* of these, in lines at the top of the sheet; or NULL */
    PangoLayout *caption; /* or NULL */
    double head, foot;    /* heights of the legend above and of the caption below the plots */
} NsPlotSheet;

/* Divides the sheet among the plots above the caption.  Consecutive heatmaps that fill whole rows
 * and have the same colors share one color bar at their right end, as high as all of them. */
NsPlotSheet ns_plot_sheet(const NsPlot *const *plots, size_t n, const NsExport *options);
void ns_plot_sheet_clear(NsPlotSheet *sheet);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPlotSheet, ns_plot_sheet_clear)

/* The layout of a plot in its cell.  Free with ns_plot_layout_free. */
NsPlotLayout *ns_plot_sheet_layout(const NsPlotSheet *sheet, size_t i);

/* The height of the sheet: that of the options or, if it is a proposal, more if the texts of the
 * plots need it. */
double ns_plot_sheet_height(const NsPlot *const *plots, size_t n, const NsExport *options);

/* Draws the sheet: in points, or as an image of the resolution of the options, which must be
 * destroyed whatever the status is. */
void ns_plot_sheet_draw(const NsPlotSheet *sheet, cairo_t *cr);
cairo_status_t ns_plot_sheet_draw_image(const NsPlotSheet *sheet, cairo_surface_t **image);

/* ---- TeX ---- */

/* ---- pgfplots ---- */

/* A document of one page that can be edited by hand: axes, ticks and labels are at the positions of
 * the layout, curves are tables of numbers.  Curves and heatmaps that are too large for TeX are
 * reduced as on the screen, with all extremes, and a comment in the file says so.  Values that an
 * axis cannot show are omitted and counted below it.  Free with g_string_free. */
GString *ns_pgfplots_write(const NsPlotSheet *sheet);
