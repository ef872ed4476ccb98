/* SPDX-License-Identifier: MIT */
#include "app/cli/picture.h"

#include "core/base/error.h"

#include <math.h>

/* Points.  Heights follow from what the sheet holds. */
typedef struct {
    NsChoice choice;
    double width;
    double height; /* 0: in proportion */
} Size;

static const Size sizes[] = {
    {{.key = "column", .purpose = "one column of a paper, 3.25 in"}, 234, 0},
    {{.key = "text", .purpose = "the text width of a one-column paper, 5.5 in"}, 396, 0},
    {{.key = "wide", .purpose = "both columns, 7 in"}, 504, 0},
    {{.key = "slide", .purpose = "a 16:9 slide"}, 960, 540},
};

static const NsChoice *size_choice(size_t i)
{
    return i < G_N_ELEMENTS(sizes) ? &sizes[i].choice : NULL;
}

static bool read_size(NsPicture *picture, bool several, GError **error)
{
    NsExport *export = &picture->export;
    const char *text = picture->size ? picture->size : several ? "wide" : "column";
    int i = ns_choices_find(size_choice, text);
    if (i >= 0) {
        export->width = sizes[i].width;
        export->height = sizes[i].height > 0 ? sizes[i].height : round(0.7 * sizes[i].width);
        return true;
    }
    char *end = NULL;
    export->width = g_ascii_strtod(text, &end);
    bool read = end > text && (*end == 'x' || *end == 'X');
    const char *second = read ? end + 1 : text;
    if (read) export->height = g_ascii_strtod(second, &end);
    /* The largest page that every reader of PDF opens is 200 in; below 72 pt nothing can be read.
     */
    if (read && end > second && !*end && export->width >= 72 && export->height >= 72 &&
        export->width <= 14400 && export->height <= 14400)
        return true;
    g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                "“%s” is no size; it is column, text, wide, slide or WIDTHxHEIGHT in points, 72 to "
                "14400 each.",
                text);
    return false;
}

static bool read_style(NsPicture *picture, GError **error)
{
    bool slide = picture->size && g_str_equal(picture->size, "slide");
    const char *key = picture->style ? picture->style : slide ? "slide" : "paper";
    picture->export.style = ns_style_find(key);
    if (!picture->export.style) ns_options_unknown("style", key, ns_style_choice, error);
    return picture->export.style;
}

bool ns_picture_understand(NsPicture *picture, bool several, GError **error)
{
    if (!picture->out) {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_USAGE, "--out FILE is missing.");
        return false;
    }
    if (picture->dpi < 36 || picture->dpi > 2400) {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_USAGE, "--dpi must lie between 36 and 2400.");
        return false;
    }
    picture->export.dpi = picture->dpi;
    return ns_format_from_path(picture->out, &picture->export.format, error) &&
           read_size(picture, several, error) && read_style(picture, error) &&
           ns_output_check(picture->out, error);
}

bool ns_picture_write(NsPicture *picture, const NsPlot *const *plots, size_t n, size_t columns,
                      const char *settings, GError **error)
{
    picture->export.settings = settings;
    return ns_export(plots, n, columns, &picture->export, picture->out, error);
}

void ns_picture_clear(NsPicture *picture)
{
    g_free(picture->out);
    g_free(picture->style);
    g_free(picture->size);
}
