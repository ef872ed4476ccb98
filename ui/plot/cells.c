/* Cells of a heatmap by the row.  SPDX-License-Identifier: MIT */
#include "ui/plot/cells.h"

#include "core/ops/clones.h"
#include "ui/plot/colormap.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

/* Cells whose survey fits in the counters of one pass. */
#define PASS 4096

NS_CLONES static void survey_pass(const float *z, int n, float least, float *lo, float *hi,
                                  int *shown, int *finite, int *blank)
{
    float low = *lo, high = *hi;
    int in = 0, real = 0, none = 0;
    for (int i = 0; i < n; i++) {
        float v = z[i];
        bool is_finite = fabsf(v) <= FLT_MAX;
        bool is_shown = is_finite & (v > least);
        in += is_shown;
        real += is_finite;
        none += v < -FLT_MAX;
        float for_low = is_shown ? v : INFINITY, for_high = is_shown ? v : -INFINITY;
        low = for_low < low ? for_low : low;
        high = for_high > high ? for_high : high;
    }
    *lo = low;
    *hi = high;
    *shown = in;
    *finite = real;
    *blank = none;
}

void ns_cells_survey(NsCellSurvey *survey, const float *z, size_t n, bool log)
{
    for (size_t done = 0; done < n; done += PASS) {
        int m = (int)MIN(n - done, PASS), shown, finite, blank;
        survey_pass(z + done, m, log ? 0 : -INFINITY, &survey->lo, &survey->hi, &shown, &finite,
                    &blank);
        survey->bad += (size_t)(m - finite - blank);
        survey->unshown += (size_t)(finite - shown);
    }
}

/* log2 of a positive finite number: the exponent, and a polynomial through the mantissa. */
static inline float log2_of(float v)
{
    /* Numbers too small for a whole mantissa are taken 2^23 times as large. */
    bool tiny = v < FLT_MIN;
    float whole = tiny ? v * 8388608.0f : v;
    uint32_t bits;
    memcpy(&bits, &whole, sizeof bits);
    float exponent = (float)(int)(bits >> 23) - (tiny ? 150.0f : 127.0f);
    bits = (bits & 0x007fffff) | 0x3f800000;
    float m;
    memcpy(&m, &bits, sizeof m);
    /* log2 m = 2 atanh((m - 1) / (m + 1)) / ln 2, of which four terms are enough up to m = 2. */
    float s = (m - 1) / (m + 1), q = s * s;
    float sum = 1 + q * (1 / 3.0f + q * (1 / 5.0f + q * (1 / 7.0f + q * (1 / 9.0f))));
    return exponent + 2.885390082f * s * sum;
}

NS_CLONES static void log_levels(uint8_t *level, const float *z, size_t n, float from, float scale)
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

NS_CLONES static void linear_levels(uint8_t *level, const float *z, size_t n, double from,
                                    double scale)
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

NS_CLONES void ns_cells_join(uint8_t *to, const uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = to[i] > from[i] ? to[i] : from[i];
}

void ns_cells_paint(uint32_t *pixels, size_t n, const uint8_t *level, const uint32_t *first,
                    const uint32_t palette[256])
{
    for (size_t i = 0; i < n; i++) {
        uint8_t most = level[first[i]];
        for (uint32_t k = first[i] + 1; k < first[i + 1]; k++) most = MAX(most, level[k]);
        pixels[i] = palette[most];
    }
}
