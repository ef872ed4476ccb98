/* The runs of a window are saved, listed, and opened again.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/library/run_library.h"
#include "ui/widgets/shell/window.h"

/* Records the runs of a window into the user's folder of data, as the preferences say. */
void ns_saved_runs_record(NsWindow *window);

/* The library in a window of its own, over this one. */
NsRunLibrary *ns_saved_runs_present(NsWindow *window);

/* Reads a run file on a thread, and puts the run on view; and runs it. */
void ns_saved_runs_open(NsWindow *window, const char *path, bool run);
