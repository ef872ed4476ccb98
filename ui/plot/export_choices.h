/* How a figure is to look in a file: the choices that dialog and command line share.
 * SPDX-License-Identifier: MIT
 *
 * Every choice has a key and a text, so that one table gives the options of the command line, the
 * command that the dialog shows, and what is remembered. */
#pragma once

#include "ui/plot/export.h"

/* Sizes with a name: column, text, wide, slide, ... */
const NsChoice *ns_page_choice(size_t i); /* NULL past the end */

typedef enum { NS_UNIT_PT, NS_UNIT_MM, NS_UNIT_IN, NS_UNIT_PX, NS_UNITS } NsUnit;

const char *ns_unit_key(NsUnit unit);

enum { NS_PAGE_AUTO = -1, NS_PAGE_CUSTOM = -2 };

typedef struct {
    int page;             /* a row of ns_page_choice; AUTO: a column, or two for several charts */
    double width, height; /* CUSTOM, in units; height 0: in proportion */
    NsUnit unit;
    const NsStyle *style; /* NULL: paper, or slide on a slide */
    int dpi;              /* 0: 300, or what gives a size in pixels as many */
    char font[64];        /* "": that of the style */
    double text_size;     /* points; 0: that of the style */
    double line_width;    /* likewise */
    NsLegendPlace legend;
    bool transparent, title, caption, experiment;
    double seconds; /* of a film; 0: a still */
    int rate;       /* frames a second */
} NsExportChoices;

void ns_export_choices_init(NsExportChoices *choices);

/* The i-th choice as key, label, what its text looks like (formula) and purpose; NULL past the end.
 */
const NsChoice *ns_export_choice(size_t i);

/* Sets a choice from its text; NS_ERROR_USAGE says what it may be. */
bool ns_export_choices_set(NsExportChoices *choices, const char *key, const char *text,
                           GError **error);

/* The text of a choice, which sets it again.  Free with g_free. */
char *ns_export_choices_get(const NsExportChoices *choices, const char *key);

/* "--style slide --dpi 150": the choices that are not as they begin.  Free with g_free. */
char *ns_export_choices_flags(const NsExportChoices *choices);

/* Fills in everything but format, caption and experiment for a sheet of n charts.  `style` is
 * borrowed as long as the options are used. */
void ns_export_choices_apply(const NsExportChoices *choices, size_t n, NsStyle *style,
                             NsExport *options);
