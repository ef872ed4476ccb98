/* Colors of a heatmap.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"
#include "ui/plot/style.h"

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
