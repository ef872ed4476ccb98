/* What the charts of a window show.  SPDX-License-Identifier: MIT
 *
 * A view owns references and copies, so that it can be taken to another thread (an export) while
 * the window goes on. */
#pragma once

#include "ui/figures/figures.h"

typedef struct {
    NsHistory *history;        /* NULL while there is none */
    NsSettings settings;       /* that the newest step was made with */
    NsSettings started;        /* that the first update was made with */
    NsHistory *ghost;          /* the run before, or NULL */
    NsSettings ghost_settings; /* that its first update was made with */
    NsQuantity gradient;
    NsQuantity hidden;
    NsSmoothing smoothing; /* of curves over steps */
    bool theory;           /* computed beside measured */
    bool log;
    int64_t step; /* that profiles show; negative for the newest */
} NsView;

/* An empty view of the default settings. */
NsView *ns_view_new(void);

/* A copy with references of its own, of which a reader on any thread may make figures. */
NsView *ns_view_copy(const NsView *view);
void ns_view_free(NsView *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsView, ns_view_free)

/* The view as the input of a figure; borrowed from the view. */
NsFigureInput ns_view_input(const NsView *view);

/* Puts a history in the place of the present one, with the settings that its first update will be
 * made with.  Copies the settings and takes a reference; history may be NULL. */
void ns_view_set_history(NsView *view, NsHistory *history, const NsSettings *settings);

/* As long as there was no update yet: other settings for it. */
void ns_view_set_started(NsView *view, const NsSettings *settings);

/* The present history becomes the ghost, too. */
void ns_view_leave_ghost(NsView *view);
