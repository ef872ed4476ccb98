/* SPDX-License-Identifier: MIT */
#include "ui/plot/text_capture.h"

#include <pango/pangocairo.h>

static const cairo_user_data_key_t capture_key;

static void clear(void *captured)
{
    g_object_unref(((NsCapturedText *)captured)->text);
}

static void unref(void *array)
{
    g_array_unref(array);
}

GArray *ns_text_capture(cairo_surface_t *surface)
{
    GArray *array = g_array_new(FALSE, FALSE, sizeof(NsCapturedText));
    g_array_set_clear_func(array, clear);
    cairo_surface_set_user_data(surface, &capture_key, g_array_ref(array), unref);
    return array;
}

void ns_text_show(cairo_t *cr, PangoLayout *text, NsAnchor anchor)
{
    GArray *array = cairo_surface_get_user_data(cairo_get_target(cr), &capture_key);
    if (!array) {
        cairo_move_to(cr, 0, 0);
        pango_cairo_show_layout(cr, text);
        cairo_new_path(cr);
        return;
    }
    NsCapturedText captured = {.text = g_object_ref(text), .anchor = anchor};
    cairo_get_matrix(cr, &captured.matrix);
    cairo_pattern_get_rgba(cairo_get_source(cr), &captured.color.r, &captured.color.g,
                           &captured.color.b, &captured.color.a);
    g_array_append_val(array, captured);
}
