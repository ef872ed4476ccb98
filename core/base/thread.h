/* Starting threads, and their scheduling priority.  SPDX-License-Identifier: MIT */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define NS_THREAD_STACK ((size_t)8 << 20) /* bytes */

/* Starts a thread with a stack large enough for BLAS.  Returns 0, or an error number, in which case
 * `thread` is not set. */
int ns_thread_start(pthread_t *thread, void *(*work)(void *), void *data);

/* How much the niceness of training threads exceeds that of the desktop, for the run on the screen
 * and for runs in the background.  These values keep the desktop responsive.  Each unit reduces by
 * a fifth the share of a processor that a thread gets beside other programs: with ten units it
 * would hardly progress beside a few busy programs. */
#define NS_NICER_TRAINER 1
#define NS_NICER_BACKGROUND 3

/* Raises the niceness of the calling thread, and of the threads that it will start, by this much.
 * If the system refuses, the thread only competes harder with the desktop. */
void ns_thread_lower(int niceness);

/* Locks a mutex until the end of the block: NS_HELD held = ns_hold(&run->mutex); */
#define NS_HELD __attribute__((cleanup(ns_let_go))) pthread_mutex_t *
pthread_mutex_t *ns_hold(pthread_mutex_t *mutex);
void ns_let_go(pthread_mutex_t **held);

/* Initializes a condition variable whose timed waits use the monotonic clock. */
void ns_condition_init(pthread_cond_t *condition);

/* Converts a time of g_get_monotonic_time for a timed wait on such a condition variable. */
struct timespec ns_condition_time(int64_t us);
