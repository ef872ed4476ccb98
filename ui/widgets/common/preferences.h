/* What the desktop remembers from one session to the next.  SPDX-License-Identifier: MIT
 *
 * The keys are those of resources/org.normscope.Normscope.gschema.xml. */
#pragma once

#include <gio/gio.h>

/* The remembered choices; NULL where their schema is not there (a program that was copied without
 * its files), and then nothing is remembered.  Borrowed. */
GSettings *ns_preferences(void);
