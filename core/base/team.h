/* A team of threads that share the work of a step.  SPDX-License-Identifier: MIT
 *
 * The caller divides the work, and the division determines the bits of a sum; the team assigns the
 * parts to threads, which does not change any bit.  So a team may be smaller than requested:
 * because no more threads could be started, or because the machine is busy.  If a member has been
 * descheduled, all others wait for it at the next barrier, and a team can be several times slower
 * than one thread. The team therefore measures how many processors it really gets, continues with
 * that many members, and tries all of them again later.
 *
 * A member that waits looks at the other's progress for a fraction of a millisecond and then sleeps
 * until it is woken.  Within the work of a team, numbers too small to compute with count as 0
 * (core/base/flush.h). */
#pragma once

#include <stddef.h>

typedef struct NsTeam NsTeam;

/* A team of at most so many threads, of which the caller of each run is one.  The others start
 * here, with the caller's scheduling priority.  In every function below a team that is NULL is the
 * calling thread alone. */
NsTeam *ns_team_new(unsigned threads);
void ns_team_free(NsTeam *team);

/* The most members that a run can have. */
unsigned ns_team_threads(const NsTeam *team);

/* One thread's part in a run: number `index` of `size`. */
typedef struct {
    NsTeam *team;
    unsigned index, size;
} NsMember;

typedef void (*NsTeamWork)(void *data, const NsMember *member);

/* Calls work(data, member) once for every member and returns when all have returned.  `most`:
 * members that the work is enough for.  One run at a time, and none within another. */
void ns_team_run(NsTeam *team, size_t most, NsTeamWork work, void *data);

/* Within a run: returns when all its members have come here as often.  What a member has written
 * before, all see after. */
void ns_team_barrier(const NsMember *member);

typedef void (*NsTeamItem)(void *data, size_t i, unsigned member);

/* A run that calls work(data, i, member) once for every i < n, each on the member that is free
 * next. */
void ns_team_each(NsTeam *team, size_t n, NsTeamItem work, void *data);

/* The member's part [begin, end) of n items, in which those of all members lie side by side. */
static inline size_t ns_member_begin(const NsMember *member, size_t n)
{
    return n * member->index / member->size;
}

static inline size_t ns_member_end(const NsMember *member, size_t n)
{
    return n * (member->index + 1) / member->size;
}

/* Members of the run that the calling thread is in; 1 outside of any. */
unsigned ns_team_members(void);
