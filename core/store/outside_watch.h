/* Runs of other programs that are followed while they are shown.
 * SPDX-License-Identifier: MIT
 *
 * A separate thread reads the files and pipes.  The functions return what it has read so far
 * without waiting, except the last one.  All functions but the last two are for one thread. */
#pragma once

#include "core/store/outside_file.h"

typedef struct NsOutsideWatch NsOutsideWatch;

/* Follows 1 to NS_LANES_MAX files at the same time; "-" is standard input, which is also written to
 * the file `save` unless that is NULL.  NS_ERROR_FILE if a file cannot be read or written. */
NsOutsideWatch *ns_outside_watch_new(const char *const *paths, size_t n, const char *save,
                                     GError **error);

/* Does not wait for the thread, which ends soon after.  If standard input is being saved, the
 * thread continues until its end (ns_outside_watch_wait_saved). */
void ns_outside_watch_free(NsOutsideWatch *watch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsOutsideWatch, ns_outside_watch_free)

typedef enum {
    NS_OUTSIDE_ABSENT, /* the file does not exist, or not yet */
    NS_OUTSIDE_OPEN,   /* more may be written */
    NS_OUTSIDE_CLOSED, /* the pipe has ended */
} NsOutsideState;

/* A lane.  Every source has at least one; it has no history before its first record. */
typedef struct {
    NsHistory *history; /* a reference */
    size_t source;      /* index of its path */
    size_t own, of;     /* index in its source, and the number of lanes there */
    NsOutsideState state;
} NsOutsideLane;

/* Increases with everything that is read and with every change of state. */
guint64 ns_outside_watch_version(NsOutsideWatch *watch);

/* Copies the current lanes, in the order of the paths, and returns their number.  Lanes beyond
 * NS_LANES_MAX are left out.  A history may have been replaced (ns_outside_history). */
size_t ns_outside_watch_lanes(NsOutsideWatch *watch, NsOutsideLane lanes[NS_LANES_MAX]);
void ns_outside_lanes_clear(NsOutsideLane *lanes, size_t n);

/* The next message (ns_outside_take_message), with the name of its file; NULL if there is none.
 * Free with g_free. */
char *ns_outside_watch_take_message(NsOutsideWatch *watch);

/* For the end of the program: whether a watch is saving standard input, and a function that waits
 * until standard input has ended. */
bool ns_outside_watch_is_saving(void);
void ns_outside_watch_wait_saved(void);
