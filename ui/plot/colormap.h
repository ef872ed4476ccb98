/* Colors of a heatmap.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"
#include "ui/plot/style.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The color at t in [0, 1]. */
NsColor ns_map_color(NsColorMap map, double t);

/* The content of a cell as one byte.  Where several cells share a pixel, the largest is shown. */
enum {
    NS_LEVEL_BLANK = 0,  /* no value */
    NS_LEVEL_NONE = 1,   /* not positive, on a logarithmic scale */
    NS_LEVEL_LOW = 2,    /* the lower end of the scale */
    NS_LEVEL_HIGH = 254, /* the upper end */
    NS_LEVEL_BAD = 255,  /* not finite */
};

/* Writes the color of every level as an opaque cairo pixel (CAIRO_FORMAT_RGB24). */
void ns_level_palette(uint32_t palette[256], const NsStyle *style, NsColorMap map);

/* lo > hi while no cell had a value that the scale can show. */
typedef struct {
    float lo, hi;
    size_t bad;     /* not finite */
    size_t unshown; /* finite, but not positive on a logarithmic scale */
} NsCellSummary;

/* Adds n cells to a summary; blank cells are ignored. */
void ns_cells_summarize(NsCellSummary *summary, const float *z, size_t n, bool log);

/* Writes the levels (colormap.h) of n cells: 2 + (t - from) * scale, rounded and clamped to 2..254,
 * where t is z, or log10 z to within 1e-5 if `log`. */
void ns_cells_levels(uint8_t *level, const float *z, size_t n, bool log, double from, double scale);

/* to[i] = max(to[i], from[i]) */
void ns_cells_join(uint8_t *to, const uint8_t *from, size_t n);

/* Writes n pixels.  Pixel i has the color of the largest level of the cells first[i] .. first[i +
 * 1] - 1, and at least that of cell first[i]. */
void ns_cells_paint(uint32_t *pixels, size_t n, const uint8_t *level, const size_t *first,
                    const uint32_t palette[256]);
