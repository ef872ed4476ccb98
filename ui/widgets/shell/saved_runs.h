/* The runs of a window are saved and listed.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/library/run_library.h"
#include "ui/widgets/shell/window.h"

/* Records the runs of a window into the user's folder of data, as the preferences say. */
void ns_saved_runs_record(NsWindow *window);

/* The library in a window of its own, over this one. */
NsRunLibrary *ns_saved_runs_present(NsWindow *window);
