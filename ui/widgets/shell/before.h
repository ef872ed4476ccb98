/* The window before a lecture or a lesson, and the way back.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/preset.h"
#include "ui/widgets/shell/window.h"

typedef struct {
    NsPreset preset; /* its experiment, page and chart */
    char *second;    /* the other large chart; NULL on a page without charts */
    unsigned run;    /* the id of its run; 0 if that had no step */
    NsQuantity gradient, hidden;
    int layer;   /* the selected one; 0: none */
    size_t lane; /* the active one */
} NsBefore;

/* Replaces what was noted; and no layer is selected any more. */
void ns_before_note(NsBefore *before, NsWindow *window);
void ns_before_clear(NsBefore *before);

/* Whether the run had no step, and the settings, the page and the quantities are as they were. */
bool ns_before_is_now(const NsBefore *before, NsWindow *window);

/* Brings the run, the settings, the charts, the selected lane and layer back.  The run that was on
 * view becomes an earlier one. */
void ns_before_bring_back(const NsBefore *before, NsWindow *window);

/* Notes the window before the first of the lessons, and offers the way back when their pane is
 * closed; and forgets it, since another experiment is opened. */
void ns_before_follow_lessons(NsWindow *window);
void ns_before_forget(NsWindow *window);
