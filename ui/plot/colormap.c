/* Colors of a heatmap.  SPDX-License-Identifier: MIT */
#include "ui/plot/colormap.h"
#include "core/base/clones.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

/* Least-squares polynomials through matplotlib's table (public domain, CC0); within 0.01 of it. */
static const double coefficients[7][3] = {
    {0.2777273272234177, 0.005407344544966578, 0.3340998053353061},
    {0.1050930431085774, 1.404613529898575, 1.384590162594685},
    {-0.3308618287255563, 0.214847559468213, 0.09509516302823659},
    {-4.634230498983486, -5.799100973351585, -19.33244095627987},
    {6.228269936347081, 14.17993336680509, 56.69055260068105},
    {4.776384997670288, -13.74514537774601, -65.35303263337234},
    {-5.435455855934631, 4.645852612178535, 26.3124352495832},
};

static NsColor viridis(double t)
{
    double rgb[3];
    t = CLAMP(t, 0, 1);
    for (int channel = 0; channel < 3; channel++) {
        double sum = 0;
        for (int power = 6; power >= 0; power--) sum = sum * t + coefficients[power][channel];
        rgb[channel] = CLAMP(sum, 0, 1);
    }
    return (NsColor){rgb[0], rgb[1], rgb[2], 1};
}

/* Every fifth color of matplotlib's table (CC0); linear interpolation is within 0.02 of the
 * rest. */
static const uint32_t cividis[] = {
    0x00224e, 0x002656, 0x002a5f, 0x002d68, 0x003070, 0x083370, 0x163770, 0x203a6f, 0x273e6e,
    0x2e416d, 0x34456c, 0x3a486c, 0x3f4c6c, 0x444f6c, 0x49536c, 0x4e566c, 0x535a6d, 0x575d6d,
    0x5c616e, 0x60646f, 0x656870, 0x696b71, 0x6d6f72, 0x727274, 0x767676, 0x7a7a78, 0x7e7d78,
    0x838179, 0x888578, 0x8d8878, 0x928c78, 0x969077, 0x9b9476, 0xa09875, 0xa59c74, 0xaaa073,
    0xafa471, 0xb5a86f, 0xbaac6d, 0xbfb06b, 0xc4b468, 0xc9b965, 0xcfbd62, 0xd4c15f, 0xdac65b,
    0xdfca57, 0xe5cf52, 0xead34c, 0xf0d846, 0xf6dd3f, 0xfce236, 0xfee838,
};

/* Colors at the same distance from the center have the same lightness, within 2 of CIE L*. */
static const uint32_t diverging[] = {0x0b3c78, 0x2c72b0, 0x85b9dc, 0xf7f7f7,
                                     0xf2a950, 0xb45c08, 0x6a2d00};

static NsColor unpack(uint32_t rgb)
{
    return (NsColor){(rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, 1};
}

static NsColor between(const uint32_t *table, size_t n, double t)
{
    double at = CLAMP(t, 0, 1) * (double)(n - 1);
    size_t i = MIN((size_t)at, n - 2);
    return ns_color_mix(unpack(table[i]), unpack(table[i + 1]), at - (double)i);
}

NsColor ns_map_color(NsColorMap map, double t)
{
    switch (map) {
    case NS_COLORS_CIVIDIS:
        return between(cividis, G_N_ELEMENTS(cividis), t);
    case NS_COLORS_DIVERGING:
        return between(diverging, G_N_ELEMENTS(diverging), t);
    case NS_COLORS_VIRIDIS:
        break;
    }
    return viridis(t);
}

static uint32_t pixel(NsColor c)
{
    return (uint32_t)(c.r * 255 + 0.5) << 16 | (uint32_t)(c.g * 255 + 0.5) << 8 |
           (uint32_t)(c.b * 255 + 0.5);
}

void ns_level_palette(uint32_t palette[256], const NsStyle *style, NsColorMap map)
{
    palette[NS_LEVEL_BLANK] = pixel(style->panel);
    palette[NS_LEVEL_NONE] = pixel(style->previous);
    for (int level = NS_LEVEL_LOW; level <= NS_LEVEL_HIGH; level++) {
        double t = (double)(level - NS_LEVEL_LOW) / (NS_LEVEL_HIGH - NS_LEVEL_LOW);
        palette[level] = pixel(ns_map_color(map, t));
    }
    palette[NS_LEVEL_BAD] = pixel(style->alarm);
}

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
