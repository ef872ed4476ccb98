/* Asks which token follows a text.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

/* A button that opens a field for a text and, below it, the most probable next tokens of every lane
 * side by side, by the models of the step on view. */
GtkWidget *ns_next_tokens_button_new(NsSession *session);
