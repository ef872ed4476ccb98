/* A team of threads that share the work of a step.  SPDX-License-Identifier: MIT
 *
 * The caller divides the work, and the division determines the bits of a sum; the team assigns the
 * parts to threads, which does not change any bit.  So a team may be smaller than requested,
 * because no more threads could be started or because the machine is busy.  If a member has been
 * descheduled, all others wait for it at the next barrier, and a team can be several times slower
 * than one thread.  The team therefore measures how many processors it gets, continues with that
 * many members, and tries all of them again later.
 *
 * A member that waits polls for a fraction of a millisecond and then sleeps until it is woken.
 * Within the work of a team, denormal numbers are flushed to 0 (core/base/flush.h). */
#pragma once

#include <stddef.h>

typedef struct NsTeam NsTeam;

/* Creates a team of at most this many threads, including the thread that calls ns_team_run.  The
 * other threads start here, with the caller's scheduling priority.  In all functions below, a team
 * of NULL means the calling thread alone. */
NsTeam *ns_team_new(unsigned threads);
void ns_team_free(NsTeam *team);

/* The maximum number of members of a run. */
unsigned ns_team_threads(const NsTeam *team);

/* The part of a thread in a run: member `index` of `size`. */
typedef struct {
    NsTeam *team;
    unsigned index, size;
} NsMember;

typedef void (*NsTeamWork)(void *data, const NsMember *member);

/* Calls work(data, member) once for every member and returns when all have returned.  `most`: the
 * maximum useful number of members.  Runs of a team must neither overlap nor be nested. */
void ns_team_run(NsTeam *team, size_t most, NsTeamWork work, void *data);

/* Called within a run: returns when all its members have reached this barrier.  Everything that a
 * member wrote before is visible to all afterwards. */
void ns_team_barrier(const NsMember *member);

typedef void (*NsTeamItem)(void *data, size_t i, unsigned member);

/* Runs work(data, i, member) once for every i < n, each on the next free member. */
void ns_team_each(NsTeam *team, size_t n, NsTeamItem work, void *data);

/* The member's part [begin, end) of n items; the parts of all members are adjacent. */
static inline size_t ns_member_begin(const NsMember *member, size_t n)
{
    return n * member->index / member->size;
}

static inline size_t ns_member_end(const NsMember *member, size_t n)
{
    return n * (member->index + 1) / member->size;
}

/* Number of members of the run that the calling thread is in; 1 outside of any run. */
unsigned ns_team_members(void);
