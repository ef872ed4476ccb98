/* Colours of a heatmap.  SPDX-License-Identifier: MIT */
#include "ui/plot/colormap.h"

#include <glib.h>

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

NsColor ns_viridis(double t)
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

static uint32_t pixel(NsColor c)
{
    return (uint32_t)(c.r * 255 + 0.5) << 16 | (uint32_t)(c.g * 255 + 0.5) << 8 |
           (uint32_t)(c.b * 255 + 0.5);
}

void ns_level_palette(uint32_t palette[256], const NsStyle *style)
{
    palette[NS_LEVEL_BLANK] = pixel(style->panel);
    palette[NS_LEVEL_NONE] = pixel(style->ghost);
    for (int level = NS_LEVEL_LOW; level <= NS_LEVEL_HIGH; level++) {
        double t = (double)(level - NS_LEVEL_LOW) / (NS_LEVEL_HIGH - NS_LEVEL_LOW);
        palette[level] = pixel(ns_viridis(t));
    }
    palette[NS_LEVEL_BAD] = pixel(style->alarm);
}
