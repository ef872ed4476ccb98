/* How the program starts its threads, and their scheduling priority.  SPDX-License-Identifier: MIT
 */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define NS_THREAD_STACK ((size_t)8 << 20) /* bytes */

/* Starts a thread that has room for deep stacks of calls in BLAS.  0, or the number of the error,
 * in which case `thread` is not set. */
int ns_thread_start(pthread_t *thread, void *(*work)(void *), void *data);

/* By how much the niceness of a thread that trains exceeds that of the desktop, for the run on the
 * screen and for runs in the background.  These values keep the desktop fluid.  Each unit leaves a
 * thread a fifth less of a processor that other programs also use: with ten units it would hardly
 * advance beside a few busy programs. */
#define NS_NICER_TRAINER 1
#define NS_NICER_BACKGROUND 3

/* Lowers the scheduling priority of the calling thread, and of those that it will start, by so much
 * niceness.  Where that is refused it only competes harder with the desktop. */
void ns_thread_lower(int niceness);

/* A condition whose timed waits go by a clock that nobody sets back. */
void ns_condition_init(pthread_cond_t *condition);

/* A time of g_get_monotonic_time as a timed wait for such a condition takes it. */
struct timespec ns_condition_time(int64_t us);
