/* Reduces a series to the points that can be seen.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/scale.h"

/* The part of a band in one column; x is NaN at a gap. */
typedef struct {
    double x, top, bottom;
} NsBandColumn;

/* The reason why a value is not on the curve. */
typedef enum { NS_FAULT_NAN, NS_FAULT_INFINITE, NS_FAULT_LOW, NS_FAULT_KINDS } NsFault;

typedef struct {
    double x;
    NsFault fault; /* LOW: minus infinity, or not positive on a logarithmic scale */
} NsFaultMark;

typedef struct {
    GArray *points; /* NsPoint, in the order of drawing */
    GArray *runs;   /* unsigned: the index in points at which each unbroken part of the curve
                     * begins */
    GArray *band;   /* NsBandColumn; empty if there is no band */
    GArray *faults; /* NsFaultMark, at most one of each kind in a column */
    double travel;  /* total vertical movement of the visible curve: large for noise */
} NsPath;

/* The fault of a value, or NS_FAULT_KINDS if the scale can show it. */
NsFault ns_fault_of(NsScaleKind kind, double value);

/* The index of the first point whose x is at least the given x, or the number of points. */
size_t ns_series_bound(const NsSeries *series, double x);

/* Reduces a series to the first, lowest, highest and last point of every column of this width, and
 * a band to its outline.  All extremes are preserved.  The curve has a gap at a value that the
 * scale cannot show. */
void ns_path_build(NsPath *path, const NsSeries *series, const NsScale *x, const NsScale *y,
                   double column);
void ns_path_clear(NsPath *path);

/* The fault marks to draw: marks of the same kind have at least the distance `apart`. */
GArray *ns_path_shown_faults(const NsPath *path, double apart);

/* Returns whether the vertical movement of a curve is so large, relative to the height of the area,
 * that its strokes fill it. */
bool ns_path_is_noise(const NsPath *path, double height);
