/* Words that stay words in formats with text of their own.  SPDX-License-Identifier: MIT */
#include "ui/plot/words.h"

#include <pango/pangocairo.h>

static const cairo_user_data_key_t collection;

static void clear(void *words)
{
    g_object_unref(((NsWords *)words)->text);
}

static void unref(void *array)
{
    g_array_unref(array);
}

GArray *ns_words_collect(cairo_surface_t *surface)
{
    GArray *array = g_array_new(FALSE, FALSE, sizeof(NsWords));
    g_array_set_clear_func(array, clear);
    cairo_surface_set_user_data(surface, &collection, g_array_ref(array), unref);
    return array;
}

void ns_words_show(cairo_t *cr, PangoLayout *text, NsAnchor anchor)
{
    GArray *array = cairo_surface_get_user_data(cairo_get_target(cr), &collection);
    if (!array) {
        cairo_move_to(cr, 0, 0);
        pango_cairo_show_layout(cr, text);
        cairo_new_path(cr);
        return;
    }
    NsWords words = {.text = g_object_ref(text), .anchor = anchor};
    cairo_get_matrix(cr, &words.matrix);
    cairo_pattern_get_rgba(cairo_get_source(cr), &words.color.r, &words.color.g, &words.color.b,
                           &words.color.a);
    g_array_append_val(array, words);
}
