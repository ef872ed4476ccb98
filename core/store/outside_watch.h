/* Runs of other programs that are followed while somebody looks at them.
 * SPDX-License-Identifier: MIT
 *
 * A thread of its own reads the files and pipes.  What it has read is asked for without waiting, as
 * often as one likes.  All calls but the last are for one thread. */
#pragma once

#include "core/store/outside_file.h"

typedef struct NsOutsideWatch NsOutsideWatch;

/* Follows 1 to NS_LANES_MAX files side by side; "-" is standard input, which is also written to the
 * file `save` as it comes (NULL: it is not).  NS_ERROR_FILE where one cannot be read or written. */
NsOutsideWatch *ns_outside_watch_new(const char *const *paths, size_t n, const char *save,
                                     GError **error);

/* Does not wait for the thread, which ends soon.  Standard input that is being saved is read and
 * saved until it ends (ns_outside_watch_wait_saved). */
void ns_outside_watch_free(NsOutsideWatch *watch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsOutsideWatch, ns_outside_watch_free)

typedef enum {
    NS_OUTSIDE_ABSENT, /* the file is not there, or not yet */
    NS_OUTSIDE_OPEN,   /* more may come */
    NS_OUTSIDE_CLOSED, /* the pipe has ended */
} NsOutsideState;

/* A lane: a source has one or more, and one without a history before its first record. */
typedef struct {
    NsHistory *history; /* a reference */
    size_t source;      /* its place among the paths */
    size_t own, of;     /* the how-manieth lane of its source, from 0, and how many that has */
    NsOutsideState state;
} NsOutsideLane;

/* Grows with everything that is read or happens. */
guint64 ns_outside_watch_version(NsOutsideWatch *watch);

/* The lanes as they are now, in the order of the paths, and how many.  Those beyond NS_LANES_MAX
 * are left out.  A history may be another one than before (ns_outside_history). */
size_t ns_outside_watch_lanes(NsOutsideWatch *watch, NsOutsideLane lanes[NS_LANES_MAX]);
void ns_outside_lanes_clear(NsOutsideLane *lanes, size_t n);

/* The next sentence about what was read (ns_outside_take_message), with the name of its file; NULL
 * where there is none.  Free with g_free. */
char *ns_outside_watch_take_message(NsOutsideWatch *watch);

/* Before the program ends: whether standard input is being saved by a watch, and waits until it has
 * ended. */
bool ns_outside_watch_is_saving(void);
void ns_outside_watch_wait_saved(void);
