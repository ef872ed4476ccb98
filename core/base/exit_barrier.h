/* An exit barrier for threads that may outlive their owner.  SPDX-License-Identifier: MIT
 *
 * When a program ends, libraries destroy data that a step may still use.  So exit waits a moment
 * for every detached thread.  If one is still in a step after that, files are flushed and the
 * process exits with its status, without running destructors. */
#pragma once

/* How long exit waits, in milliseconds. */
#define NS_EXIT_BARRIER_MS 250

/* Must be called before such a thread starts. */
void ns_exit_barrier_enter(void);

/* Must be called by the thread as its last action. */
void ns_exit_barrier_leave(void);
