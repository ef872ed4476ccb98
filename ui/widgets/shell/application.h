/* The desktop program.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/shell/window.h"

#define NS_TYPE_APPLICATION (ns_application_get_type())
G_DECLARE_FINAL_TYPE(NsApplication, ns_application, NS, APPLICATION, GtkApplication)

NsApplication *ns_application_new(void);

/* A window on a session with all that belongs to it: actions and keys, files, lessons, the question
 * before it closes. */
NsWindow *ns_application_window_new(GtkApplication *application, NsSession *session);
