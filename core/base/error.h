/* The error domain of the whole program.  SPDX-License-Identifier: MIT
 *
 * Every message is one sentence for the user: what is wrong, where, and what to do about it. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define NS_ERROR (ns_error_quark())

typedef enum {
    NS_ERROR_SETTING, /* a key or a value is invalid, or values contradict each other */
    NS_ERROR_FILE,    /* a file cannot be read or written */
    NS_ERROR_EMPTY,   /* a file has the settings of a run, but no step */
    NS_ERROR_TEXT,    /* a file was read, but its text cannot be trained on */
    NS_ERROR_MEMORY,  /* a request does not fit into the memory of this machine */
    NS_ERROR_USAGE,   /* a command line cannot be parsed */
} NsErrorCode;

GQuark ns_error_quark(void);

/* Sets an error of this domain with the format in the language of the desktop, and returns false.
 * The catalogs have every format that is a literal here; one that is chosen is marked by N_. */
bool ns_refuse(GError **error, NsErrorCode code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* The same for a function that returns a pointer: it returns NULL. */
#define ns_refuse_null(...) (ns_refuse(__VA_ARGS__), NULL)
