/* Signals of widgets.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib-object.h>

/* A signal of a class, with n arguments whose types follow; it returns nothing, and is emitted by
 * its name. */
void ns_signal_new(GType type, const char *name, guint n, ...);
