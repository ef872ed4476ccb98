/* The looks of charts.  SPDX-License-Identifier: MIT */
#include "ui/plot/style.h"

#include <string.h>

/* clang-format off */
#define RGB(hex) {((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0, 1}
/* clang-format on */

/* Cantarell is drawn for small sizes on screens, is narrow enough for tick labels and embeds as an
 * outline font; DejaVu has the few signs that it lacks. */
#define FONT "Cantarell, DejaVu Sans, Sans"

/* Okabe and Ito's seven.  Orange and sky blue are darkened on white, where they would stay below a
 * contrast of 3:1; all but black keep their hue and are lightened on dark. */
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

/* The same hues at a contrast of 4.5:1 and more, for text-like legibility. */
#define STRONG_ON_WHITE SERIES(0x005a9c, 0xa83e00, 0x00694d, 0x8f3a6b, 0x7a5200, 0x1f6b9c, 0x000000)
#define STRONG_ON_BLACK SERIES(0x6cc4ff, 0xff9a5c, 0x3fe0b0, 0xf5b5d5, 0xffc83d, 0xb8e4ff, 0xffffff)

const NsSeriesStyle ns_theory_style = {.mark = NS_MARK_CIRCLE, .dash = {1.1, 1.9}, .n_dash = 2};

static const NsStyle styles[] = {
    {
        .choice = {"screen-light", "Screen, light", NULL, NULL, "As in the window, on white"},
        .font = FONT,
        .text_size = 12,
        .title_size = 14,
        .line_width = 1.75,
        .axis_width = 1,
        .mark_size = 6.5,
        .padding = 10,
        .raster = true,
        .background = RGB(0xffffff),
        .panel = RGB(0xffffff),
        .text = RGB(0x1f2328),
        .faint_text = RGB(0x5f6670),
        .axis = RGB(0x80868f),
        .grid = RGB(0xe8eaed),
        .previous = RGB(0xb4b9c0),
        .alarm = RGB(0xc01c28),
        .series = ON_WHITE,
    },
    {
        .choice = {"screen-dark", "Screen, dark", NULL, NULL, "As in the window, on dark gray"},
        .font = FONT,
        .text_size = 12,
        .title_size = 14,
        .line_width = 1.75,
        .axis_width = 1,
        .mark_size = 6.5,
        .padding = 10,
        .raster = true,
        .background = RGB(0x1e1f22),
        .panel = RGB(0x1e1f22),
        .text = RGB(0xe8eaed),
        .faint_text = RGB(0xa3a9b2),
        .axis = RGB(0x7d838c),
        .grid = RGB(0x2f3237),
        .previous = RGB(0x5d636c),
        .alarm = RGB(0xff7b7b),
        .series = ON_DARK,
    },
    {
        .choice = {"paper", "Paper", NULL, NULL, "8 pt on white, for one column of an article"},
        .font = FONT,
        .text_size = 8,
        .title_size = 8.5,
        .line_width = 1,
        .axis_width = 0.5,
        .mark_size = 3.8,
        .padding = 1.5,
        .background = RGB(0xffffff),
        .panel = RGB(0xffffff),
        .text = RGB(0x000000),
        .faint_text = RGB(0x404040),
        .axis = RGB(0x404040),
        .grid = RGB(0xe4e4e4),
        .previous = RGB(0xaaaaaa),
        .alarm = RGB(0xb0101c),
        .series = ON_WHITE,
    },
    {
        .choice = {"slide", "Slide", NULL, NULL, "Large type on white, for a lecture hall"},
        .font = FONT,
        .text_size = 18,
        .title_size = 22,
        .line_width = 2.75,
        .axis_width = 1.25,
        .mark_size = 10,
        .padding = 16,
        .background = RGB(0xffffff),
        .panel = RGB(0xffffff),
        .text = RGB(0x111418),
        .faint_text = RGB(0x4a505a),
        .axis = RGB(0x5f6670),
        .grid = RGB(0xe1e4e8),
        .previous = RGB(0xaab0b8),
        .alarm = RGB(0xc01c28),
        .series = ON_WHITE,
    },
    {
        .choice = {"high-contrast", "High contrast", NULL, NULL,
                   "Black on white, thicker lines, stronger colors"},
        .font = FONT,
        .text_size = 13,
        .title_size = 15,
        .line_width = 2.25,
        .axis_width = 1.5,
        .mark_size = 8,
        .padding = 10,
        .raster = true,
        .background = RGB(0xffffff),
        .panel = RGB(0xffffff),
        .text = RGB(0x000000),
        .faint_text = RGB(0x1a1a1a),
        .axis = RGB(0x000000),
        .grid = RGB(0xd6d6d6),
        .previous = RGB(0x767676),
        .alarm = RGB(0xa00010),
        .series = STRONG_ON_WHITE,
    },
    {
        .choice = {"high-contrast-dark", "High contrast, dark", NULL, NULL,
                   "White on black, thicker lines, stronger colors"},
        .font = FONT,
        .text_size = 13,
        .title_size = 15,
        .line_width = 2.25,
        .axis_width = 1.5,
        .mark_size = 8,
        .padding = 10,
        .raster = true,
        .background = RGB(0x000000),
        .panel = RGB(0x000000),
        .text = RGB(0xffffff),
        .faint_text = RGB(0xe6e6e6),
        .axis = RGB(0xffffff),
        .grid = RGB(0x333333),
        .previous = RGB(0x9a9a9a),
        .alarm = RGB(0xff8a8a),
        .series = STRONG_ON_BLACK,
    },
};

const NsStyle *ns_style(size_t i)
{
    return i < sizeof styles / sizeof *styles ? &styles[i] : NULL;
}

const NsChoice *ns_style_choice(size_t i)
{
    const NsStyle *style = ns_style(i);
    return style ? &style->choice : NULL;
}

const NsStyle *ns_style_find(const char *key)
{
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(styles[i].choice.key, key) == 0) return &styles[i];
    return NULL;
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

NsStyle ns_style_patterned(const NsStyle *style)
{
    NsStyle patterned = *style;
    patterned.patterns = true;
    for (int i = 0; i < NS_SERIES_STYLES; i++) patterned.series[i].color = style->text;
    return patterned;
}
