/* The runs that were saved: a table in a window of its own.  SPDX-License-Identifier: MIT
 *
 * Files are read and changed on threads; the table is filled when they are done. */
#pragma once

#include "ui/session/library.h"
#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_RUN_LIBRARY (ns_run_library_get_type())
G_DECLARE_FINAL_TYPE(NsRunLibrary, ns_run_library, NS, RUN_LIBRARY, GtkBox)

/* Everybody may read the fields. */
struct _NsRunLibrary {
    GtkBox parent;
    char *own_folder, *shown_folder; /* own: of the saved runs */
    GtkWidget *search, *table, *open, *trash, *folder, *own, *csv, *given, *tags, *text, *used,
        *empty;
    GtkWidget *record, *bound, *checkpoints, *color;
    GListStore *store;
    GtkFilter *filter;
    GtkSingleSelection *selection;
    GPtrArray *settings; /* NsRunColumn: those that differ */
    GPtrArray *columns;  /* Column of the settings that are shown */
    GPtrArray *runs;     /* the runs as last read */
    char *chosen;        /* the path of the run that is selected */
    char **pinned;       /* paths */
    GPtrArray *pins;     /* GtkListItem: the visible check buttons of the column Pin */
    bool reading, again, syncs, filling, pinning;
    GCancellable *cancellable;
};

/* Shows the run files of a folder, which may be another than that of the saved runs, `own`, and
 * which of them are pinned (paths, or NULL).
 * Signals: "folder" (path), another folder is shown; "open" (path), a run is wanted on view; "pin"
 * (path), its curves are wanted beside those on view, or no more; "recording" (bool, guint64,
 * guint64), whether runs are to be recorded, what all may take, in bytes, 0 for no bound, and the
 * bytes of memory for checkpoints of a run. */
GtkWidget *ns_run_library_new(const char *own, const char *folder, const char *const *pinned);

/* Sets the values of the switch, the bound and the memory of checkpoints; call it before the
 * signals are connected. */
void ns_run_library_set_recording(NsRunLibrary *library, bool recording, guint64 most_bytes,
                                  size_t checkpoint_bytes);

/* Shows the runs of another folder. */
void ns_run_library_show(NsRunLibrary *library, const char *folder);

/* Reads the folder again. */
void ns_run_library_reload(NsRunLibrary *library);

/* Marks the runs in these files as pinned and reads the folder again, unless it was the library
 * that pinned one. */
void ns_run_library_set_pinned(NsRunLibrary *library, const char *const *paths);

/* The i-th visible run; borrowed until the next iteration of the main loop. */
const NsRecordedRun *ns_run_library_row(NsRunLibrary *library, guint i);
