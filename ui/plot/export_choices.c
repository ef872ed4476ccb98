/* The options for a figure in a file.  SPDX-License-Identifier: MIT */
#include "ui/plot/export_choices.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "ui/plot/text.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

#define POINTS_PER_INCH 72.0
#define POINTS_PER_MM (POINTS_PER_INCH / 25.4)

/* The height of one chart relative to its width. */
#define ASPECT 0.7

/* Charts are placed side by side if each is at least this wide, in points. */
#define LEAST_WIDTH 160.0

/* 14,400 pt (200 in) is the largest page that every PDF reader opens; below 72 pt nothing is
 * legible. */
#define LEAST_SIDE 72.0
#define MOST_SIDE 14400.0

#define USUAL_DPI 300
#define FILM_DPI 150 /* for screens */

typedef struct {
    NsChoice choice;
    double width, height; /* points; height 0: proportional to the width */
    double dpi;           /* the resolution that results in the pixels of the label; 0: default */
} Page;

static const Page pages[] = {
    {{.key = "column", .label = "One column, 3.25 in"}, 3.25 * POINTS_PER_INCH, 0, 0},
    {{.key = "column-3.5in", .label = "One column, 3.5 in"}, 3.5 * POINTS_PER_INCH, 0, 0},
    {{.key = "column-88mm", .label = "One column, 88 mm"}, 88 * POINTS_PER_MM, 0, 0},
    {{.key = "text", .label = "Text width, 5.5 in"}, 5.5 * POINTS_PER_INCH, 0, 0},
    {{.key = "wide", .label = "Two columns, 7 in"}, 7 * POINTS_PER_INCH, 0, 0},
    {{.key = "wide-180mm", .label = "Two columns, 180 mm"}, 180 * POINTS_PER_MM, 0, 0},
    {{.key = "slide", .label = "Slide, 1920 × 1080"}, 960, 540, 144},
};

enum { COLUMN = 0, WIDE = 4, SLIDE = 6 };

NS_CHOICES(ns_page_choice, pages)

static const struct {
    const char *key;
    double points;
} units[NS_UNITS] = {{"pt", 1}, {"mm", POINTS_PER_MM}, {"in", POINTS_PER_INCH}, {"px", 0.75}};

const char *ns_unit_key(NsUnit unit)
{
    return units[unit].key;
}

void ns_export_choices_init(NsExportChoices *choices)
{
    *choices =
        (NsExportChoices){.page = NS_PAGE_AUTO, .title = true, .note = true, .experiment = true};
}

static bool refuse(GError **error, const char *what, const char *text, const char *advice)
{
    return ns_refuse(error, NS_ERROR_USAGE, "“%s” is not a %s; use %s.", text, what, advice);
}

static char *number_text(double number)
{
    return ns_text_input(number, 6);
}

/* ---- size ---- */

static bool side_fits(double length, NsUnit unit)
{
    double points = length * units[unit].points;
    return points >= LEAST_SIDE - 1e-9 && points <= MOST_SIDE + 1e-9;
}

/* Parses a size: "88mm", "6x4in", "1920x1080px", "400x300". */
static bool read_custom(const char *text, NsExportChoices *choices)
{
    char *end = NULL;
    double width = g_ascii_strtod(text, &end), height = 0;
    if (end == text) return false;
    bool both = *end == 'x' || *end == 'X';
    if (both) {
        const char *second = end + 1;
        height = g_ascii_strtod(second, &end);
        if (end == second) return false;
    }
    NsUnit unit = NS_UNIT_PT;
    while (*end && unit < NS_UNITS && g_ascii_strcasecmp(end, units[unit].key) != 0) unit++;
    if (unit == NS_UNITS || !side_fits(width, unit) || (both && !side_fits(height, unit)))
        return false;
    choices->page = NS_PAGE_CUSTOM;
    choices->width = width;
    choices->height = height;
    choices->unit = unit;
    return true;
}

static bool set_size(NsExportChoices *choices, const char *text, GError **error)
{
    int i = ns_choices_find(ns_page_choice, text);
    if (i >= 0 || g_str_equal(text, "auto")) {
        choices->page = i >= 0 ? i : NS_PAGE_AUTO;
        return true;
    }
    if (read_custom(text, choices)) return true;
    g_autofree char *keys = ns_choices_keys(ns_page_choice);
    g_autofree char *advice = g_strconcat(
        keys, ", or WIDTHxHEIGHT followed by pt, mm, in or px, from 1 in to 200 in", NULL);
    return refuse(error, "size", text, advice);
}

static char *get_size(const NsExportChoices *choices)
{
    if (choices->page >= 0) return g_strdup(pages[choices->page].choice.key);
    if (choices->page == NS_PAGE_AUTO) return g_strdup("auto");
    g_autofree char *width = number_text(choices->width), *height = number_text(choices->height);
    bool both = choices->height > 0;
    return g_strconcat(width, both ? "x" : "", both ? height : "", units[choices->unit].key, NULL);
}

/* ---- other choices ---- */

static bool set_style(NsExportChoices *choices, const char *text, GError **error)
{
    const NsStyle *style = ns_style_find(text);
    if (!style && !g_str_equal(text, "auto")) {
        ns_choices_unknown("style", text, ns_style_choice, error);
        return false;
    }
    choices->style = style;
    return true;
}

static char *get_style(const NsExportChoices *choices)
{
    return g_strdup(choices->style ? choices->style->choice.key : "auto");
}

static bool set_font(NsExportChoices *choices, const char *text, GError **error)
{
    bool usable = strlen(text) < sizeof choices->font && !strpbrk(text, "\"'<>&;\\\n") &&
                  g_utf8_validate(text, -1, NULL);
    if (!usable) return refuse(error, "font", text, "the name of a family, such as Cantarell");
    if (!g_str_equal(text, "auto") &&
        !pango_font_map_get_family(pango_cairo_font_map_get_default(), text))
        return ns_refuse(error, NS_ERROR_USAGE,
                         N_("The font “%s” is not installed; install it, or name another family."),
                         text);
    g_strlcpy(choices->font, g_str_equal(text, "auto") ? "" : text, sizeof choices->font);
    return true;
}

static char *get_font(const NsExportChoices *choices)
{
    return g_strdup(*choices->font ? choices->font : "auto");
}

/* ---- the table ---- */

/* A row is a number, one of several words, or has functions of its own. */
typedef struct {
    NsChoice choice;
    bool (*set)(NsExportChoices *, const char *, GError **);
    char *(*get)(const NsExportChoices *);
    const char *what, *advice;  /* of a number or a word: its name, and what it may be */
    size_t at;                  /* the offset of its field */
    const char *none;           /* of a number (double): the word for 0 */
    double least, most;         /* other values */
    bool whole;                 /* only whole numbers */
    const char *const words[5]; /* of 0, 1, ...: of a bool or of an NsLegendPlace */
} Row;

#define FIELD(field, name, valid)                                                                  \
    .what = (name), .advice = (valid), .at = offsetof(NsExportChoices, field)
#define NUMBER(field, name, valid, word, lowest, highest)                                          \
    FIELD(field, name, valid), .none = (word), .least = (lowest), .most = (highest)
#define SWITCH(field) FIELD(field, "switch", "on or off"), .words = {"off", "on"}

static const Row rows[] = {
    {.choice = {"size", "Size", "SIZE", NULL,
                "column (3.25 in), column-3.5in, column-88mm, text (5.5 in), wide (7 in), "
                "wide-180mm, slide (1920 x 1080), or as 88mm, 6x4in, 800x600px, 400x300 (points) "
                "(default: column; wide for several charts)"},
     .set = set_size,
     .get = get_size},
    {.choice = {"style", "Style", "KEY", NULL,
                "A style of “normscope-cli list styles” (default: paper; slide for that size)"},
     .set = set_style,
     .get = get_style},
    {.choice = {"dpi", "Dots per inch", "N", NULL,
                "Pixels per inch of a PNG or GIF (default: 300, for an animation 150; a slide and "
                "sizes in px keep their number of pixels)"},
     NUMBER(dpi, "resolution", "a whole number from 36 to 2400", "auto", 36, 2400),
     .whole = true},
    {.choice = {"font", "Font", "FAMILY", NULL, "Font family (default: Cantarell)"},
     .set = set_font,
     .get = get_font},
    {.choice = {"text-size", "Text size", "POINTS", NULL,
                "Text size of axes and legend (default: 8; slide: 18)"},
     NUMBER(text_size, "text size", "a number of points from 4 to 72", "auto", 4, 72)},
    {.choice = {"line-width", "Line width", "POINTS", NULL,
                "Line width of curves (default: 1; slide: 2.75)"},
     NUMBER(line_width, "line width", "a number of points from 0.25 to 10", "auto", 0.25, 10)},
    {.choice = {"legend", "Legend", "PLACE", NULL,
                "outside (default: names at the ends of the curves if there is space, otherwise "
                "above), above, inside or none"},
     FIELD(legend, "place for the legend", "outside, above, inside or none"),
     .words = {[NS_LEGEND_OUTSIDE] = "outside",
               [NS_LEGEND_ABOVE] = "above",
               [NS_LEGEND_INSIDE] = "inside",
               [NS_LEGEND_NONE] = "none"}},
    {.choice = {"background", "Background", "WHAT", NULL,
                "style (default), or none: transparent, except in an animation"},
     FIELD(transparent, "background", "style (white for paper) or none"),
     .words = {"style", "none"}},
    {.choice = {"title", "Title", "on|off", NULL,
                "Title and subtitle of every chart (default: on)"},
     SWITCH(title)},
    {.choice = {"note", "Notes", "on|off", NULL, "The sentences below every chart (default: on)"},
     SWITCH(note)},
    {.choice = {"caption", "Caption", "on|off", NULL,
                "The settings in a line below the charts, instead of the subtitles (default: off)"},
     SWITCH(caption)},
    {.choice = {"experiment", "Experiment", "on|off", NULL,
                "Store settings, seed, step and version in the file, so that --from can read it "
                "(default: on)"},
     SWITCH(experiment)},
    {.choice = {"film", "Film", "SECONDS", NULL,
                "An animated GIF of the run up to the step shown, SECONDS long (default: none)"},
     NUMBER(seconds, "film", "none, or a length of 0.5 to 100 seconds", "none", 0.5,
            NS_LONGEST_FILM)},
};

NS_CHOICES(ns_export_choice, rows)

static bool set(const Row *row, NsExportChoices *choices, const char *text, GError **error)
{
    if (row->set) return row->set(choices, text, error);
    unsigned word = 0;
    if (row->none) {
        char *end = NULL;
        double number = g_ascii_strtod(text, &end);
        bool none = g_str_equal(text, row->none);
        if (!none && !(end > text && !*end && number >= row->least && number <= row->most &&
                       (!row->whole || number == floor(number))))
            return refuse(error, row->what, text, row->advice);
        G_STRUCT_MEMBER(double, choices, row->at) = none ? 0 : number;
        return true;
    }
    while (row->words[word] && !g_str_equal(text, row->words[word])) word++;
    if (!row->words[word]) return refuse(error, row->what, text, row->advice);
    if (row->at == offsetof(NsExportChoices, legend))
        choices->legend = (NsLegendPlace)word;
    else
        G_STRUCT_MEMBER(bool, choices, row->at) = word;
    return true;
}

static char *get(const Row *row, const NsExportChoices *choices)
{
    if (row->get) return row->get(choices);
    if (row->none) {
        double number = G_STRUCT_MEMBER(double, choices, row->at);
        return number > 0 ? number_text(number) : g_strdup(row->none);
    }
    bool legend = row->at == offsetof(NsExportChoices, legend);
    return g_strdup(row->words[legend ? choices->legend : G_STRUCT_MEMBER(bool, choices, row->at)]);
}

bool ns_export_choices_set(NsExportChoices *choices, const char *key, const char *text,
                           GError **error)
{
    int i = ns_choices_require("choice", key, ns_export_choice, error);
    return i >= 0 && set(&rows[i], choices, text, error);
}

char *ns_export_choices_get(const NsExportChoices *choices, const char *key)
{
    int i = ns_choices_find(ns_export_choice, key);
    return i >= 0 ? get(&rows[i], choices) : NULL;
}

char *ns_export_choices_flags(const NsExportChoices *choices)
{
    NsExportChoices usual;
    ns_export_choices_init(&usual);
    GString *flags = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = get(&rows[i], choices), *other = get(&rows[i], &usual);
        if (g_str_equal(text, other)) continue;
        g_autofree char *quoted = strchr(text, ' ') ? g_shell_quote(text) : g_strdup(text);
        g_string_append_printf(flags, "%s--%s %s", flags->len ? " " : "", rows[i].choice.key,
                               quoted);
    }
    return g_string_free(flags, FALSE);
}

/* ---- application ---- */

void ns_export_choices_apply(const NsExportChoices *choices, size_t n, NsStyle *style,
                             NsExport *options)
{
    int page = choices->page == NS_PAGE_AUTO ? (n > 1 ? WIDE : COLUMN) : choices->page;
    double width = page >= 0 ? pages[page].width : choices->width * units[choices->unit].points;
    double height = page >= 0 ? pages[page].height : choices->height * units[choices->unit].points;
    size_t columns = n > 1 && width >= 2 * LEAST_WIDTH ? 2 : 1;
    if (height > 0) /* Side by side, three charts leave no part of a wide page empty. */
        while ((columns * columns < n || (n == 3 && columns < n && width > height)) &&
               width / (double)(columns + 1) >= LEAST_WIDTH)
            columns++;
    size_t rows_ = (MAX(n, 1) + columns - 1) / columns;
    options->proposed = !(height > 0);
    if (options->proposed) height = round(ASPECT * width / (double)columns * (double)rows_);
    double dpi = choices->dpi > 0 ? choices->dpi
                 : page >= 0      ? pages[page].dpi
                                  : (choices->unit == NS_UNIT_PX ? 96 : 0);
    *style = *(choices->style ? choices->style : ns_style_find(page == SLIDE ? "slide" : "paper"));
    if (choices->text_size > 0) {
        double scale = choices->text_size / style->text_size;
        style->text_size *= scale;
        style->title_size *= scale;
    }
    if (choices->line_width > 0) {
        /* The mark exceeds its line by the same width as before. */
        style->mark_size += 2 * (choices->line_width - style->line_width);
        style->line_width = choices->line_width;
        style->mark_size = MAX(style->mark_size, 1.5 * style->line_width);
    }
    if (*choices->font) style->font = choices->font;
    /* GIF has no shades of transparency. */
    if (choices->transparent && !(choices->seconds > 0)) style->background.a = style->panel.a = 0;
    options->style = style;
    options->width = width;
    options->height = height;
    options->columns = columns;
    options->dpi = dpi > 0 ? dpi : choices->seconds > 0 ? FILM_DPI : USUAL_DPI;
    options->legend = choices->legend;
    options->untitled = !choices->title;
    options->unnoted = !choices->note;
}
