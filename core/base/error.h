/* The error domain of the whole program.  SPDX-License-Identifier: MIT
 *
 * Every message is one sentence for the user: what is wrong, where, and what to do about it. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define NS_ERROR (ns_error_quark())

typedef enum {
    NS_ERROR_SETTING, /* a key or a value, or values that do not go together */
    NS_ERROR_FILE,    /* a file that cannot be read or written */
    NS_ERROR_TEXT,    /* a file that was read and is not a text that can be trained on */
    NS_ERROR_MEMORY,  /* what was asked for does not fit into this machine */
    NS_ERROR_USAGE,   /* a command line that cannot be understood */
} NsErrorCode;

GQuark ns_error_quark(void);

/* Sets an error of this domain and returns false.  A format that is marked by N_ is translated. */
bool ns_refuse(GError **error, NsErrorCode code, const char *format, ...) G_GNUC_PRINTF(3, 4);
