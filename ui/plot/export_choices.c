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
    int dpi;              /* the resolution that results in the pixels of the label; 0: default */
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

/* Parses a number without trailing text, within limits. */
static bool read_number(const char *text, double least, double most, double *number)
{
    char *end = NULL;
    *number = g_ascii_strtod(text, &end);
    return end > text && !*end && *number >= least && *number <= most;
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

static bool set_dpi(NsExportChoices *choices, const char *text, GError **error)
{
    double dpi;
    if (!g_str_equal(text, "auto") && !(read_number(text, 36, 2400, &dpi) && dpi == floor(dpi)))
        return refuse(error, "resolution", text, "a whole number from 36 to 2400");
    choices->dpi = g_str_equal(text, "auto") ? 0 : (int)dpi;
    return true;
}

static char *get_dpi(const NsExportChoices *choices)
{
    return choices->dpi ? g_strdup_printf("%d", choices->dpi) : g_strdup("auto");
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

static bool set_points(double *points, const char *text, double least, double most,
                       const char *what, GError **error)
{
    double number = 0;
    if (!g_str_equal(text, "auto") && !read_number(text, least, most, &number)) {
        g_autofree char *low = number_text(least), *high = number_text(most);
        g_autofree char *advice = g_strdup_printf("a number of points from %s to %s", low, high);
        return refuse(error, what, text, advice);
    }
    *points = number;
    return true;
}

static bool set_text_size(NsExportChoices *choices, const char *text, GError **error)
{
    return set_points(&choices->text_size, text, 4, 72, "text size", error);
}

static char *get_text_size(const NsExportChoices *choices)
{
    return choices->text_size > 0 ? number_text(choices->text_size) : g_strdup("auto");
}

static bool set_line_width(NsExportChoices *choices, const char *text, GError **error)
{
    return set_points(&choices->line_width, text, 0.25, 10, "line width", error);
}

static char *get_line_width(const NsExportChoices *choices)
{
    return choices->line_width > 0 ? number_text(choices->line_width) : g_strdup("auto");
}

static const char *const legends[] = {
    [NS_LEGEND_OUTSIDE] = "outside",
    [NS_LEGEND_ABOVE] = "above",
    [NS_LEGEND_INSIDE] = "inside",
    [NS_LEGEND_NONE] = "none",
};

static bool set_legend(NsExportChoices *choices, const char *text, GError **error)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(legends); i++)
        if (g_str_equal(text, legends[i])) {
            choices->legend = (NsLegendPlace)i;
            return true;
        }
    return refuse(error, "place for the legend", text, "outside, above, inside or none");
}

static char *get_legend(const NsExportChoices *choices)
{
    return g_strdup(legends[choices->legend]);
}

static bool set_background(NsExportChoices *choices, const char *text, GError **error)
{
    bool none = g_str_equal(text, "none");
    if (!none && !g_str_equal(text, "style"))
        return refuse(error, "background", text, "style (white for paper) or none");
    choices->transparent = none;
    return true;
}

static char *get_background(const NsExportChoices *choices)
{
    return g_strdup(choices->transparent ? "none" : "style");
}

static bool set_switch(bool *value, const char *text, GError **error)
{
    bool on = g_str_equal(text, "on");
    if (!on && !g_str_equal(text, "off")) return refuse(error, "switch", text, "on or off");
    *value = on;
    return true;
}

#define SWITCH(field)                                                                              \
    static bool set_##field(NsExportChoices *choices, const char *text, GError **error)            \
    {                                                                                              \
        return set_switch(&choices->field, text, error);                                           \
    }                                                                                              \
    static char *get_##field(const NsExportChoices *choices)                                       \
    {                                                                                              \
        return g_strdup(choices->field ? "on" : "off");                                            \
    }
SWITCH(title)
SWITCH(note)
SWITCH(caption)
SWITCH(experiment)

static bool set_film(NsExportChoices *choices, const char *text, GError **error)
{
    double seconds = 0;
    if (!g_str_equal(text, "none") && !read_number(text, 0.5, NS_LONGEST_FILM, &seconds))
        return refuse(error, "film", text, "none, or a length of 0.5 to 100 seconds");
    choices->seconds = seconds;
    return true;
}

static char *get_film(const NsExportChoices *choices)
{
    return choices->seconds > 0 ? number_text(choices->seconds) : g_strdup("none");
}

/* ---- the table ---- */

typedef struct {
    NsChoice choice;
    bool (*set)(NsExportChoices *, const char *, GError **);
    char *(*get)(const NsExportChoices *);
} Row;

static const Row rows[] = {
    {{.key = "size",
      .label = "Size",
      .formula = "SIZE",
      .purpose = "column (3.25 in), column-3.5in, column-88mm, text (5.5 in), wide (7 in), "
                 "wide-180mm, slide "
                 "(1920 x 1080), or as 88mm, 6x4in, 800x600px, 400x300 (points) (default: column; "
                 "wide for "
                 "several charts)"},
     set_size,
     get_size},
    {{.key = "style",
      .label = "Style",
      .formula = "KEY",
      .purpose = "A style of “normscope-cli list styles” (default: paper; slide for that size)"},
     set_style,
     get_style},
    {{.key = "dpi",
      .label = "Dots per inch",
      .formula = "N",
      .purpose = "Pixels per inch of a PNG or GIF (default: 300, for an animation 150; a slide and "
                 "sizes in px keep their number of pixels)"},
     set_dpi,
     get_dpi},
    {{.key = "font",
      .label = "Font",
      .formula = "FAMILY",
      .purpose = "Font family (default: Cantarell)"},
     set_font,
     get_font},
    {{.key = "text-size",
      .label = "Text size",
      .formula = "POINTS",
      .purpose = "Text size of axes and legend (default: 8; slide: 18)"},
     set_text_size,
     get_text_size},
    {{.key = "line-width",
      .label = "Line width",
      .formula = "POINTS",
      .purpose = "Line width of curves (default: 1; slide: 2.75)"},
     set_line_width,
     get_line_width},
    {{.key = "legend",
      .label = "Legend",
      .formula = "PLACE",
      .purpose = "outside (default: names at the ends of the curves if there is room, otherwise "
                 "above), above, inside or none"},
     set_legend,
     get_legend},
    {{.key = "background",
      .label = "Background",
      .formula = "WHAT",
      .purpose = "style (default), or none: transparent, except in an animation"},
     set_background,
     get_background},
    {{.key = "title",
      .label = "Title",
      .formula = "on|off",
      .purpose = "Title and subtitle of every chart (default: on)"},
     set_title,
     get_title},
    {{.key = "note",
      .label = "Notes",
      .formula = "on|off",
      .purpose = "The sentences below every chart (default: on)"},
     set_note,
     get_note},
    {{.key = "caption",
      .label = "Caption",
      .formula = "on|off",
      .purpose =
          "The settings in a line below the charts, instead of the subtitles (default: off)"},
     set_caption,
     get_caption},
    {{.key = "experiment",
      .label = "Experiment",
      .formula = "on|off",
      .purpose = "Store settings, seed, step and version in the file, so that --from can read it "
                 "(default: on)"},
     set_experiment,
     get_experiment},
    {{.key = "film",
      .label = "Film",
      .formula = "SECONDS",
      .purpose = "An animated GIF of the run up to the step shown, SECONDS long (default: none)"},
     set_film,
     get_film},
};

NS_CHOICES(ns_export_choice, rows)

bool ns_export_choices_set(NsExportChoices *choices, const char *key, const char *text,
                           GError **error)
{
    int i = ns_choices_require("choice", key, ns_export_choice, error);
    return i >= 0 && rows[i].set(choices, text, error);
}

char *ns_export_choices_get(const NsExportChoices *choices, const char *key)
{
    int i = ns_choices_find(ns_export_choice, key);
    return i >= 0 ? rows[i].get(choices) : NULL;
}

char *ns_export_choices_flags(const NsExportChoices *choices)
{
    NsExportChoices usual;
    ns_export_choices_init(&usual);
    GString *flags = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = rows[i].get(choices), *other = rows[i].get(&usual);
        if (g_str_equal(text, other)) continue;
        g_autofree char *quoted = strchr(text, ' ') ? g_shell_quote(text) : g_strdup(text);
        g_string_append_printf(flags, "%s--%s %s", flags->len ? " " : "", rows[i].choice.key,
                               quoted);
    }
    return g_string_free(flags, FALSE);
}

/* ---- application ---- */

static NsStyle make_style(const NsExportChoices *choices, int page)
{
    const NsStyle *base = choices->style  ? choices->style
                          : page == SLIDE ? ns_style_find("slide")
                                          : ns_style_find("paper");
    NsStyle style = *base;
    if (choices->text_size > 0) {
        double scale = choices->text_size / style.text_size;
        style.text_size *= scale;
        style.title_size *= scale;
    }
    if (choices->line_width > 0) {
        /* The mark exceeds its line by the same width as before. */
        style.mark_size += 2 * (choices->line_width - style.line_width);
        style.line_width = choices->line_width;
        style.mark_size = MAX(style.mark_size, 1.5 * style.line_width);
    }
    if (*choices->font) style.font = choices->font;
    /* GIF has no shades of transparency. */
    if (choices->transparent && !(choices->seconds > 0)) style.background.a = style.panel.a = 0;
    return style;
}

void ns_export_choices_apply(const NsExportChoices *choices, size_t n, NsStyle *style,
                             NsExport *options)
{
    int page = choices->page == NS_PAGE_AUTO ? (n > 1 ? WIDE : COLUMN) : choices->page;
    double width = page >= 0 ? pages[page].width : choices->width * units[choices->unit].points;
    double height = page >= 0 ? pages[page].height : choices->height * units[choices->unit].points;
    size_t columns = n > 1 && width >= 2 * LEAST_WIDTH ? 2 : 1;
    if (height > 0)
        while (columns * columns < n && width / (double)(columns + 1) >= LEAST_WIDTH) columns++;
    size_t rows_ = (MAX(n, 1) + columns - 1) / columns;
    options->proposed = !(height > 0);
    if (options->proposed) height = round(ASPECT * width / (double)columns * (double)rows_);
    int dpi = choices->dpi ? choices->dpi
              : page >= 0  ? pages[page].dpi
                           : (choices->unit == NS_UNIT_PX ? 96 : 0);
    *style = make_style(choices, page);
    options->style = style;
    options->width = width;
    options->height = height;
    options->columns = columns;
    options->dpi = dpi ? dpi : choices->seconds > 0 ? FILM_DPI : USUAL_DPI;
    options->legend = choices->legend;
    options->untitled = !choices->title;
    options->unnoted = !choices->note;
}
