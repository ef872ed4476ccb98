/* Cells of a heatmap by the row.  SPDX-License-Identifier: MIT */
#include "ui/plot/cells.h"

#include "core/base/clones.h"
#include "ui/plot/colormap.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

/* The number of cells that are processed side by side: the compiler can vectorize over them. */
#define LANES 16

/* The running summary of LANES interleaved columns of cells. */
typedef struct {
    float lo[LANES], hi[LANES];
    int32_t shown[LANES], finite[LANES], blank[LANES];
} Lanes;

NS_CLONES(static, summarize_lanes,
          (Lanes *lanes, const float *z, size_t blocks, float least), (lanes, z, blocks, least))
{
    Lanes l = *lanes;
    for (size_t k = 0; k < blocks; k++)
        for (int i = 0; i < LANES; i++) {
            float v = z[k * LANES + (size_t)i];
            bool finite = fabsf(v) <= FLT_MAX, shown = finite & (v > least);
            float for_lo = shown ? v : INFINITY, for_hi = shown ? v : -INFINITY;
            l.lo[i] = for_lo < l.lo[i] ? for_lo : l.lo[i];
            l.hi[i] = for_hi > l.hi[i] ? for_hi : l.hi[i];
            l.shown[i] += shown;
            l.finite[i] += finite;
            l.blank[i] += v < -FLT_MAX;
        }
    *lanes = l;
}

void ns_cells_summarize(NsCellSummary *summary, const float *z, size_t n, bool log)
{
    Lanes lanes = {0};
    for (int i = 0; i < LANES; i++) {
        lanes.lo[i] = INFINITY;
        lanes.hi[i] = -INFINITY;
    }
    float least = log ? 0 : -INFINITY, last[LANES];
    summarize_lanes(&lanes, z, n / LANES, least);
    size_t rest = n % LANES;
    if (rest) {
        for (size_t i = 0; i < LANES; i++) last[i] = i < rest ? z[n - rest + i] : -INFINITY;
        summarize_lanes(&lanes, last, 1, least);
        n += LANES - rest; /* the padding is blank */
    }
    size_t shown = 0, finite = 0, blank = 0;
    for (int i = 0; i < LANES; i++) {
        summary->lo = MIN(summary->lo, lanes.lo[i]);
        summary->hi = MAX(summary->hi, lanes.hi[i]);
        shown += (size_t)lanes.shown[i];
        finite += (size_t)lanes.finite[i];
        blank += (size_t)lanes.blank[i];
    }
    summary->bad += n - finite - blank;
    summary->unshown += finite - shown;
}

/* log2 of a positive finite number to within 1e-5: the exponent, and a polynomial through the
 * mantissa (least squares at Chebyshev points). */
static inline float log2_of(float v)
{
    /* A subnormal number has no full mantissa: it is scaled by 2^23, which the bias below takes
     * back. */
    bool tiny = v < FLT_MIN;
    float whole = tiny ? v * 8388608.0f : v;
    uint32_t bits;
    memcpy(&bits, &whole, sizeof bits);
    float exponent = (float)(int)(bits >> 23) - (tiny ? 150.0f : 127.0f);
    bits = (bits & 0x007fffff) | 0x3f800000;
    float t;
    memcpy(&t, &bits, sizeof t);
    t -= 1;
    float sum = 0.015127916f;
    sum = sum * t - 0.078158208f;
    sum = sum * t + 0.192385055f;
    sum = sum * t - 0.324616384f;
    sum = sum * t + 0.473113345f;
    sum = sum * t - 0.720515514f;
    sum = sum * t + 1.442664046f;
    return exponent + sum * t;
}

NS_CLONES(static, log_levels,
          (uint8_t *level, const float *z, size_t n, float from, float scale),
          (level, z, n, from, scale))
{
    for (size_t i = 0; i < n; i++) {
        float v = z[i];
        bool shown = v > 0 && v <= FLT_MAX;
        float t = (log2_of(shown ? v : 1) - from) * scale + (NS_LEVEL_LOW + 0.5f);
        t = t > NS_LEVEL_LOW ? t : NS_LEVEL_LOW;
        t = t < NS_LEVEL_HIGH ? t : NS_LEVEL_HIGH;
        int other = v <= 0 ? (v < -FLT_MAX ? NS_LEVEL_BLANK : NS_LEVEL_NONE) : NS_LEVEL_BAD;
        level[i] = (uint8_t)(shown ? (int)t : other);
    }
}

NS_CLONES(static, linear_levels,
          (uint8_t *level, const float *z, size_t n, double from, double scale),
          (level, z, n, from, scale))
{
    for (size_t i = 0; i < n; i++) {
        float v = z[i];
        bool shown = fabsf(v) <= FLT_MAX;
        double t = ((double)v - from) * scale + (NS_LEVEL_LOW + 0.5);
        t = t > NS_LEVEL_LOW ? t : NS_LEVEL_LOW;
        t = t < NS_LEVEL_HIGH ? t : NS_LEVEL_HIGH;
        level[i] = (uint8_t)(shown ? (int)t : v < 0 ? NS_LEVEL_BLANK : NS_LEVEL_BAD);
    }
}

void ns_cells_levels(uint8_t *level, const float *z, size_t n, bool log, double from, double scale)
{
    const double octaves = 3.321928094887362; /* in a decade */
    if (log)
        log_levels(level, z, n, (float)(from * octaves), (float)(scale / octaves));
    else
        linear_levels(level, z, n, from, scale);
}

NS_CLONES(extern, ns_cells_join, (uint8_t *to, const uint8_t *from, size_t n), (to, from, n))
{
    for (size_t i = 0; i < n; i++) to[i] = to[i] > from[i] ? to[i] : from[i];
}

void ns_cells_paint(uint32_t *pixels, size_t n, const uint8_t *level, const size_t *first,
                    const uint32_t palette[256])
{
    for (size_t i = 0; i < n; i++) {
        uint8_t most = level[first[i]];
        for (size_t k = first[i] + 1; k < first[i + 1]; k++) most = MAX(most, level[k]);
        pixels[i] = palette[most];
    }
}
