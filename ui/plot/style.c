/* The styles of charts.  SPDX-License-Identifier: MIT */
#include "ui/plot/style.h"

#include <glib.h>

/* clang-format off */
#define RGB(hex) {((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0, 1}
/* clang-format on */

/* Cantarell is designed for small sizes on screens, is narrow enough for tick labels and is
 * embedded as an outline font; DejaVu has the few characters that it lacks. */
#define FONT "Cantarell, DejaVu Sans, Sans"

/* The seven colors of Okabe and Ito.  On white, orange and sky blue are darkened to reach a
 * contrast of 3:1.  On dark, all but black are lightened without changing their hue. */
/* clang-format off */
#define SERIES(blue, vermillion, green, purple, orange, sky, black)                                \
    {                                                                                              \
        {RGB(blue), NS_MARK_CIRCLE, {0}, 0},                                                       \
        {RGB(vermillion), NS_MARK_SQUARE, {5, 1.8}, 2},                                            \
        {RGB(green), NS_MARK_TRIANGLE, {1.6, 1.6}, 2},                                             \
        {RGB(purple), NS_MARK_DIAMOND, {6, 1.8, 1.6, 1.8}, 4},                                     \
        {RGB(orange), NS_MARK_CIRCLE, {3, 1.6}, 2},                                                \
        {RGB(sky), NS_MARK_SQUARE, {9, 2.2}, 2},                                                   \
        {RGB(black), NS_MARK_TRIANGLE, {9, 1.8, 1.6, 1.8}, 4},                                   \
    }
/* clang-format on */
#define ON_WHITE SERIES(0x0072b2, 0xd55e00, 0x009e73, 0xc46d99, 0xbf8000, 0x2f97d4, 0x000000)
#define ON_DARK SERIES(0x5ab4e8, 0xff8a4a, 0x2fc79a, 0xe69fc3, 0xf0b429, 0x9bd6ff, 0xf2f2f2)

/* The same hues with a contrast of at least 4.5:1, as required for legible text. */
#define STRONG_ON_WHITE SERIES(0x005a9c, 0xa83e00, 0x00694d, 0x8f3a6b, 0x7a5200, 0x1f6b9c, 0x000000)
#define STRONG_ON_BLACK SERIES(0x6cc4ff, 0xff9a5c, 0x3fe0b0, 0xf5b5d5, 0xffc83d, 0xb8e4ff, 0xffffff)

const NsSeriesStyle ns_theory_styles[NS_THEORY_STYLES] = {
    {.mark = NS_MARK_CIRCLE, .dash = {1.1, 1.9}, .n_dash = 2},
    {.mark = NS_MARK_CIRCLE, .dash = {1.1, 4.2}, .n_dash = 2},
    {.mark = NS_MARK_CIRCLE, .dash = {1.1, 1.9, 1.1, 6}, .n_dash = 4},
};

/* The font and all sizes. */
#define SIZES(text, title, line, axes, mark, space)                                                \
    .font = FONT, .text_size = (text), .title_size = (title), .line_width = (line),                \
    .axis_width = (axes), .mark_size = (mark), .padding = (space)

#define COLORS(ground, words, faint, axes, lines, before, warning)                                 \
    .background = RGB(ground), .panel = RGB(ground), .text = RGB(words), .faint_text = RGB(faint), \
    .axis = RGB(axes), .grid = RGB(lines), .previous = RGB(before), .alarm = RGB(warning)

static const NsStyle styles[] = {
    {.choice = {"screen-light", "Screen, light", NULL, NULL, "As in the window, on white"},
     SIZES(12, 14, 1.75, 1, 6.5, 10),
     .raster = true,
     COLORS(0xffffff, 0x1f2328, 0x5f6670, 0x80868f, 0xe8eaed, 0xb4b9c0, 0xc01c28),
     .series = ON_WHITE},
    {.choice = {"screen-dark", "Screen, dark", NULL, NULL, "As in the window, on dark gray"},
     SIZES(12, 14, 1.75, 1, 6.5, 10),
     .raster = true,
     COLORS(0x1e1f22, 0xe8eaed, 0xa3a9b2, 0x7d838c, 0x2f3237, 0x5d636c, 0xff7b7b),
     .series = ON_DARK},
    {.choice = {"paper", "Paper", NULL, NULL, "8 pt on white, for one column of an article"},
     SIZES(8, 8.5, 1, 0.5, 3.8, 1.5),
     COLORS(0xffffff, 0x000000, 0x404040, 0x404040, 0xe4e4e4, 0xaaaaaa, 0xb0101c),
     .series = ON_WHITE},
    {.choice = {"slide", "Slide", NULL, NULL, "Large type on white, for a lecture hall"},
     SIZES(18, 22, 2.75, 1.25, 10, 16),
     COLORS(0xffffff, 0x111418, 0x4a505a, 0x5f6670, 0xe1e4e8, 0xaab0b8, 0xc01c28),
     .series = ON_WHITE},
    {.choice = {"high-contrast", "High contrast", NULL, NULL,
                "Black on white, thicker lines, stronger colors"},
     SIZES(13, 15, 2.25, 1.5, 8, 10),
     .raster = true,
     COLORS(0xffffff, 0x000000, 0x1a1a1a, 0x000000, 0xd6d6d6, 0x767676, 0xa00010),
     .series = STRONG_ON_WHITE},
    {.choice = {"high-contrast-dark", "High contrast, dark", NULL, NULL,
                "White on black, thicker lines, stronger colors"},
     SIZES(13, 15, 2.25, 1.5, 8, 10),
     .raster = true,
     COLORS(0x000000, 0xffffff, 0xe6e6e6, 0xffffff, 0x333333, 0x9a9a9a, 0xff8a8a),
     .series = STRONG_ON_BLACK},
};

NS_CHOICES(ns_style_choice, styles)

const NsStyle *ns_style(size_t i)
{
    return i < G_N_ELEMENTS(styles) ? &styles[i] : NULL;
}

const NsStyle *ns_style_find(const char *key)
{
    int i = ns_choices_find(ns_style_choice, key);
    return i < 0 ? NULL : &styles[i];
}

NsStyle ns_style_scaled(const NsStyle *style, double scale)
{
    NsStyle scaled = *style;
    scaled.text_size *= scale;
    scaled.title_size *= scale;
    scaled.mark_size *= scale;
    scaled.padding *= scale;
    return scaled;
}
