/* Options for figures in files, shared by the dialog and the command line.
 * SPDX-License-Identifier: MIT
 *
 * Every choice has a key and a text form, so that one table defines the options of the command
 * line, the command that the dialog shows, and what is remembered. */
#pragma once

#include "ui/plot/export.h"

/* Named sizes: column, text, wide, slide, ... */
const NsChoice *ns_page_choice(size_t i); /* NULL past the end */

typedef enum { NS_UNIT_PT, NS_UNIT_MM, NS_UNIT_IN, NS_UNIT_PX, NS_UNITS } NsUnit;

const char *ns_unit_key(NsUnit unit);

#define NS_LONGEST_FILM 100

enum { NS_PAGE_AUTO = -1, NS_PAGE_CUSTOM = -2 };

typedef struct {
    int page;             /* a row of ns_page_choice; AUTO: one column for a chart, two for
                           * several */
    double width, height; /* for CUSTOM, in units; height 0: proportional to the width */
    NsUnit unit;
    const NsStyle *style; /* NULL: slide for the page "slide", otherwise paper */
    double dpi;           /* 0: the resolution that results in a size given in pixels, otherwise
                           * 300 */
    char font[64];        /* "": font of the style */
    double text_size;     /* points; 0: size of the style */
    double line_width;    /* points; 0: width of the style */
    NsLegendPlace legend;
    bool transparent, title, note, caption, experiment;
    double seconds; /* length of a film, at most NS_LONGEST_FILM; 0: a still */
} NsExportChoices;

void ns_export_choices_init(NsExportChoices *choices);

/* The i-th choice with key, label, syntax (formula) and purpose; NULL past the end. */
const NsChoice *ns_export_choice(size_t i);

/* Sets a choice from its text; NS_ERROR_USAGE describes the valid values. */
bool ns_export_choices_set(NsExportChoices *choices, const char *key, const char *text,
                           GError **error);

/* The text of a choice, which ns_export_choices_set accepts.  Free with g_free. */
char *ns_export_choices_get(const NsExportChoices *choices, const char *key);

/* The choices that differ from the defaults, as flags: "--style slide --dpi 150".  Free with
 * g_free. */
char *ns_export_choices_flags(const NsExportChoices *choices);

/* Sets everything but format, caption and experiment for a sheet of n charts.  Initializes `style`,
 * which must outlive the options. */
void ns_export_choices_apply(const NsExportChoices *choices, size_t n, NsStyle *style,
                             NsExport *options);
