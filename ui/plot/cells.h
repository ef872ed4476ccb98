/* Cells of a heatmap by the row: what they hold, what they show.  SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
