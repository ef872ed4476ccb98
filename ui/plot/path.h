/* A series as points on the page, no more of them than can be seen.  SPDX-License-Identifier: MIT
 */
#pragma once

#include "ui/plot/scale.h"

/* The part of a band over one column; x is NaN where it is broken. */
typedef struct {
    double x, top, bottom;
} NsBandColumn;

/* Why a value is not on the curve. */
typedef enum { NS_FAULT_NAN, NS_FAULT_INFINITE, NS_FAULT_LOW, NS_FAULT_KINDS } NsFault;

typedef struct {
    double x;
    NsFault fault; /* LOW: minus infinity, or not positive on a logarithmic scale */
} NsFaultMark;

typedef struct {
    GArray *points; /* NsPoint, in the order of drawing */
    GArray *runs;   /* unsigned: where in points each unbroken run begins */
    GArray *band;   /* NsBandColumn; empty without a band */
    GArray *faults; /* NsFaultMark, at most one of a kind in a column */
    double travel;  /* up and down along the curve as far as it is seen: long for a noisy one */
} NsPath;

/* The fault of a value, or NS_FAULT_KINDS if it has a place on the scale. */
NsFault ns_fault_of(NsScaleKind kind, double value);

/* The first point of a series whose abscissa is not below x; the number of points if there is none.
 */
size_t ns_series_bound(const NsSeries *series, double x);

/* Reduces a series to the first, lowest, highest and last point of every column of the given width,
 * and a band to its outline.  Every extreme survives; a value without a place breaks the curve. */
void ns_path_build(NsPath *path, const NsSeries *series, const NsScale *x, const NsScale *y,
                   double column);
void ns_path_clear(NsPath *path);

/* The marks of a path that are drawn: those of a kind at least `apart` from one another. */
GArray *ns_path_shown_faults(const NsPath *path, double apart);

/* Whether a curve goes up and down so much, in an area of that height, that its strokes fill it. */
bool ns_path_is_noise(const NsPath *path, double height);
